/*
 * faults.c: many patterns on many texts in SQL, for the fault library.
 */
#include "algorithms/pattern_set.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(l4_match_patterns);

/* An argument's texts. */
typedef struct TextList
{
	int			count;
	Datum	   *items;
	bool	   *nulls;
} TextList;

static TextList
text_list(FunctionCallInfo fcinfo, int argument, const char *what)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(argument);
	TextList	list;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be a one-dimensional array", what)));
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &list.items, &list.nulls, &list.count);
	return list;
}

static L4Bytes
text_bytes(Datum datum)
{
	text	   *value = DatumGetTextPP(datum);
	L4Bytes		bytes = {VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};

	return bytes;
}

/* Compiles the patterns that are there; places[i] is the element of the i-th of them. */
static L4PatternSet *
compile_patterns(const TextList *keys, const TextList *patterns, int *places)
{
	L4PatternSet *set = pattern_set_create();
	int			count = 0;
	int			i;

	for (i = 0; i < patterns->count; i++)
	{
		char	   *name;

		if (patterns->nulls[i] || keys->nulls[i])
			continue;
		name = psprintf("the pattern of \"%s\"", TextDatumGetCString(keys->items[i]));
		pattern_set_add(set, text_bytes(patterns->items[i]), name);
		places[count++] = i;
		pfree(name);
	}
	return set;
}

/*
 * l4_match_patterns(keys text[], patterns text[], subjects text[]): a row (key, subject) for each pattern that matches somewhere in a subject; subject
 * is the place in the array. In the order of subjects, then of patterns. NULL elements match nothing.
 * Errors: 22023 for arrays that do not fit, 2201B for a bad pattern, 54000 for one that takes too many steps.
 * Cost: some 50 microseconds per pattern to compile, then about 2 microseconds per kilobyte of subject and what pcre2 needs for patterns whose words occur.
 */
Datum
l4_match_patterns(PG_FUNCTION_ARGS)
{
	TextList	keys = text_list(fcinfo, 0, "keys");
	TextList	patterns = text_list(fcinfo, 1, "patterns");
	TextList	subjects = text_list(fcinfo, 2, "subjects");
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	int		   *places = palloc(mul_size(Max(patterns.count, 1), sizeof(int)));
	L4PatternSet *set;
	int			i;

	if (keys.count != patterns.count)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("keys and patterns must be of the same length"),
				 errdetail("They have %d and %d elements.", keys.count, patterns.count)));
	set = compile_patterns(&keys, &patterns, places);
	InitMaterializedSRF(fcinfo, 0);
	for (i = 0; i < subjects.count; i++)
	{
		const int  *matches = NULL;
		int			count = 0;
		int			j;

		if (!subjects.nulls[i])
			matches = pattern_set_match(set, text_bytes(subjects.items[i]), &count);
		for (j = 0; j < count; j++)
		{
			Datum		values[2] = {keys.items[places[matches[j]]], Int32GetDatum(i + 1)};
			bool		nulls[2] = {false, false};

			tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		}
	}
	return (Datum) 0;
}
