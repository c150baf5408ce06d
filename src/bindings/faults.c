/*
 * faults.c: many patterns on many texts in SQL, and the texts they are tried on, for the fault library.
 */
#include "algorithms/pattern_set.h"
#include "loading/given_up.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(l4_match_patterns);
PG_FUNCTION_INFO_V1(l4_fill_shape);

#define PLACEHOLDER "<*>"
#define PLACEHOLDER_SIZE 3

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

/* Compiles the patterns that are there; elements[i] is the number of the element of the i-th of them. */
static L4PatternSet *
compile_patterns(const TextList *keys, const TextList *patterns, int *elements)
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
		elements[count++] = i;
		pfree(name);
	}
	return set;
}

/* Puts a row for each of the patterns that the subject of this number has told something of. */
static void
put_rows(ReturnSetInfo *result, const TextList *keys, const int *elements, const int *patterns, int count,
		 int subject, bool gave_up)
{
	int			i;

	for (i = 0; i < count; i++)
	{
		Datum		values[3] = {keys->items[elements[patterns[i]]], Int32GetDatum(subject), BoolGetDatum(gave_up)};
		bool		nulls[3] = {false, false, false};

		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

/*
 * l4_match_patterns(keys text[], patterns text[], subjects text[]): a row (key, subject, gave_up) for each pattern that matches
 * somewhere in a subject, and one for each that gave up on it; subject is the index in the array. In the order of subjects,
 * then matches before what gave up, then of patterns. NULL elements match nothing. Errors: 22023 for arrays that do not fit,
 * 2201B for a bad pattern. A warning names the patterns that gave up. Cost: some 50 microseconds per pattern to compile, then
 * about 2 microseconds per kilobyte of subject and what pcre2 needs for patterns whose words occur.
 */
Datum
l4_match_patterns(PG_FUNCTION_ARGS)
{
	TextList	keys = text_list(fcinfo, 0, "keys");
	TextList	patterns = text_list(fcinfo, 1, "patterns");
	TextList	subjects = text_list(fcinfo, 2, "subjects");
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	int		   *elements = palloc(mul_size(Max(patterns.count, 1), sizeof(int)));
	L4PatternSet *set;
	StringInfoData given_up;
	int			i;

	if (keys.count != patterns.count)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("keys and patterns must be of the same length"),
				 errdetail("They have %d and %d elements.", keys.count, patterns.count)));
	set = compile_patterns(&keys, &patterns, elements);
	InitMaterializedSRF(fcinfo, 0);
	for (i = 0; i < subjects.count; i++)
	{
		const int  *numbers;
		int			count;

		if (subjects.nulls[i])
			continue;
		numbers = pattern_set_match(set, text_bytes(subjects.items[i]), &count);
		put_rows(result, &keys, elements, numbers, count, i + 1, false);
		numbers = pattern_set_given_up(set, &count);
		put_rows(result, &keys, elements, numbers, count, i + 1, true);
	}
	initStringInfo(&given_up);
	pattern_set_note_given_up(set, &given_up);
	given_up_warn(&given_up);
	return (Datum) 0;
}

/* Appends what stands for the parameter of a number, from 0. */
static void
append_parameter(StringInfo out, const TextList *parameters, int number)
{
	L4Bytes		value;

	if (number >= parameters->count || parameters->nulls[number])
	{
		appendStringInfoChar(out, '1');
		return;
	}
	value = text_bytes(parameters->items[number]);
	appendBinaryStringInfo(out, value.data, value.size);
}

/*
 * l4_fill_shape(shape, parameters): see its COMMENT. Errors: 22023 for an array of several dimensions. Cost: one pass over the
 * shape.
 */
Datum
l4_fill_shape(PG_FUNCTION_ARGS)
{
	TextList	parameters = {0};
	StringInfoData out;
	L4Bytes		shape;
	size_t		at = 0;
	int			number = 0;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (!PG_ARGISNULL(1))
		parameters = text_list(fcinfo, 1, "parameters");
	shape = text_bytes(PG_GETARG_DATUM(0));
	initStringInfo(&out);
	while (at < shape.size)
	{
		if (shape.size - at >= PLACEHOLDER_SIZE && memcmp(shape.data + at, PLACEHOLDER, PLACEHOLDER_SIZE) == 0)
		{
			append_parameter(&out, &parameters, number++);
			at += PLACEHOLDER_SIZE;
		}
		else
			appendStringInfoCharMacro(&out, shape.data[at++]);
	}
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}
