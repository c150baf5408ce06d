/*
 * counts.c: the packed counts of a source (l4_source_counts) as rows and back: l4_unpack_counts, l4_counts_shapes,
 * l4_pack_counts.
 */
#include "algorithms/counts.h"
#include "algorithms/segment.h"
#include "tools/order.h"

#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(l4_unpack_counts);
PG_FUNCTION_INFO_V1(l4_counts_shapes);
PG_FUNCTION_INFO_V1(l4_counts_support);
PG_FUNCTION_INFO_V1(l4_pack_counts);

/* Columns of a row, from 0: those of the view l4_stream_event, without the job. */
typedef enum CountsColumn
{
	COLUMN_STREAM, COLUMN_SHAPE, COLUMN_OCCURRENCES, COLUMN_FIRST_LINE, COLUMN_LAST_LINE, COLUMN_FIRST_TS, COLUMN_LAST_TS,
	COLUMN_FIRST_ITERATION, COLUMN_LAST_ITERATION, COLUMN_LEVEL, COLUMN_COMPONENT, COLUMN_STAGE, COLUMN_COUNT
} CountsColumn;

/* ---- rows ---- */

/* The ids of an argument in ascending order, which is the same for all sources of a query. */
typedef struct WantedSet
{
	ArrayType  *array;
	int64	   *ids;
	int			count;
} WantedSet;

typedef struct WantedCache
{
	MemoryContext context;
	WantedSet	sets[2];		/* streams, shapes */
} WantedCache;

/* The ids of an array, ascending; NULL is none. */
static void
read_set(WantedSet *set, ArrayType *array)
{
	Datum	   *elements;
	bool	   *nulls;
	int			count;
	int			i;

	deconstruct_array(array, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &elements, &nulls, &count);
	set->ids = palloc(mul_size(Max(count, 1), sizeof(int64)));
	set->count = 0;
	for (i = 0; i < count; i++)
		if (!nulls[i])
			set->ids[set->count++] = DatumGetInt64(elements[i]);
	qsort(set->ids, set->count, sizeof(int64), compare_int64);
	pfree(elements);
	pfree(nulls);
}

static const WantedSet *
cached_set(FunctionCallInfo fcinfo, int argument)
{
	WantedCache *cache = fcinfo->flinfo->fn_extra;
	MemoryContext caller;
	WantedSet  *set;
	ArrayType  *array;

	if (cache == NULL)
	{
		cache = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(WantedCache));
		cache->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "l4 wanted counts", ALLOCSET_SMALL_SIZES);
		fcinfo->flinfo->fn_extra = cache;
	}
	set = &cache->sets[argument - 1];
	if (set->array != NULL && get_fn_expr_arg_stable(fcinfo->flinfo, argument))
		return set;
	array = PG_GETARG_ARRAYTYPE_P(argument);
	if (set->array != NULL && VARSIZE(array) == VARSIZE(set->array) && memcmp(array, set->array, VARSIZE(array)) == 0)
		return set;
	caller = MemoryContextSwitchTo(cache->context);
	if (set->array != NULL)
	{
		pfree(set->array);
		pfree(set->ids);
		set->array = NULL;
	}
	read_set(set, array);
	set->array = PG_GETARG_ARRAYTYPE_P_COPY(argument);
	MemoryContextSwitchTo(caller);
	return set;
}

static L4CountsReader *
open_wanted(FunctionCallInfo fcinfo)
{
	L4CountsReader *reader = counts_open(PG_GETARG_BYTEA_PP(0));
	const WantedSet *set;

	if (!PG_ARGISNULL(1))
	{
		set = cached_set(fcinfo, 1);
		counts_want_streams(reader, set->ids, set->count);
	}
	if (!PG_ARGISNULL(2))
	{
		set = cached_set(fcinfo, 2);
		counts_want_shapes(reader, set->ids, set->count);
	}
	return reader;
}

/* The texts of rows of one kind, made when the first one comes. */
typedef struct KindTexts
{
	bool		made;
	Datum		values[COLUMN_COUNT - COLUMN_LEVEL];
	bool		nulls[COLUMN_COUNT - COLUMN_LEVEL];
} KindTexts;

static void
set_text(KindTexts *texts, int column, const char *text)
{
	texts->nulls[column - COLUMN_LEVEL] = text == NULL;
	if (text != NULL)
		texts->values[column - COLUMN_LEVEL] = CStringGetTextDatum(text);
}

static const KindTexts *
texts_of(KindTexts *texts, const L4SummaryRow *row, const bool *omitted)
{
	if (!texts->made)
	{
		set_text(texts, COLUMN_LEVEL, omitted[COLUMN_LEVEL] || row->level == L4_LEVEL_NONE ? NULL : level_name(row->level));
		set_text(texts, COLUMN_COMPONENT, omitted[COLUMN_COMPONENT] ? NULL : row->component);
		set_text(texts, COLUMN_STAGE, omitted[COLUMN_STAGE] || row->stage == 0 ? NULL : l4_stages[row->stage - 1]);
		texts->made = true;
	}
	return texts;
}

/* A row; omitted are the columns that are not wanted. */
static void
put_row(ReturnSetInfo *result, const L4SummaryRow *row, const KindTexts *texts, const bool *omitted)
{
	Datum		values[COLUMN_COUNT];
	bool		nulls[COLUMN_COUNT];
	int			i;

	values[COLUMN_STREAM] = Int64GetDatum(row->stream_id);
	values[COLUMN_SHAPE] = Int64GetDatum(row->shape_id);
	values[COLUMN_OCCURRENCES] = Int64GetDatum(row->occurrences);
	values[COLUMN_FIRST_LINE] = Int64GetDatum(row->first_line);
	values[COLUMN_LAST_LINE] = Int64GetDatum(row->last_line);
	values[COLUMN_FIRST_TS] = TimestampTzGetDatum(row->first_ts);
	values[COLUMN_LAST_TS] = TimestampTzGetDatum(row->last_ts);
	values[COLUMN_FIRST_ITERATION] = Int64GetDatum(row->first_iteration);
	values[COLUMN_LAST_ITERATION] = Int64GetDatum(row->last_iteration);
	memcpy(&values[COLUMN_LEVEL], texts->values, sizeof(texts->values));
	memcpy(nulls, omitted, sizeof(nulls));
	nulls[COLUMN_FIRST_TS] |= !row->has_time;
	nulls[COLUMN_LAST_TS] |= !row->has_time;
	nulls[COLUMN_FIRST_ITERATION] |= !row->has_iteration;
	nulls[COLUMN_LAST_ITERATION] |= !row->has_iteration;
	for (i = COLUMN_LEVEL; i < COLUMN_COUNT; i++)
		nulls[i] |= texts->nulls[i - COLUMN_LEVEL];
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * l4_unpack_counts(counts bytea, stream_ids bigint[], shape_ids bigint[], columns int): see its COMMENT.
 */
Datum
l4_unpack_counts(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	L4CountsReader *reader;
	L4SummaryRow row;
	KindTexts  *texts;
	bool		omitted[COLUMN_COUNT] = {false};
	int			kind;
	int			i;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	for (i = 0; i < COLUMN_COUNT && !PG_ARGISNULL(3); i++)
		omitted[i] = (PG_GETARG_INT32(3) & (1 << i)) == 0;
	reader = open_wanted(fcinfo);
	texts = palloc0(mul_size(Max(counts_kind_count(reader), 1), sizeof(KindTexts)));
	while (counts_next(reader, &row, &kind))
	{
		CHECK_FOR_INTERRUPTS();
		put_row(result, &row, texts_of(&texts[kind], &row, omitted), omitted);
	}
	return (Datum) 0;
}

/*
 * l4_counts_shapes(counts bytea): see its COMMENT.
 */
Datum
l4_counts_shapes(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	const int64 *shapes;
	int			count;
	int			i;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	shapes = counts_shapes(counts_open(PG_GETARG_BYTEA_PP(0)), &count);
	for (i = 0; i < count; i++)
	{
		Datum		value = Int64GetDatum(shapes[i]);
		bool		is_null = false;

		tuplestore_putvalues(result->setResult, result->setDesc, &value, &is_null);
	}
	return (Datum) 0;
}

/* ---- for the planner ---- */

/* The mean of a column of numbers by its statistics, or 0. */
static double
mean_of(Oid table, AttrNumber column)
{
	HeapTuple	statistics = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(table), Int16GetDatum(column),
											 BoolGetDatum(false));
	AttStatsSlot slot;
	double		mean = 0;
	double		left = 1;
	int			i;

	if (!HeapTupleIsValid(statistics))
		return 0;
	if (get_attstatsslot(&slot, statistics, STATISTIC_KIND_MCV, InvalidOid, ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
	{
		for (i = 0; i < Min(slot.nvalues, slot.nnumbers); i++)
		{
			mean += slot.numbers[i] * DatumGetInt32(slot.values[i]);
			left -= slot.numbers[i];
		}
		free_attstatsslot(&slot);
	}
	if (get_attstatsslot(&slot, statistics, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES))
	{
		double		total = 0;

		for (i = 0; i < slot.nvalues; i++)
			total += DatumGetInt32(slot.values[i]);
		mean += Max(left, 0) * total / Max(slot.nvalues, 1);
		free_attstatsslot(&slot);
	}
	ReleaseSysCache(statistics);
	return mean;
}

/* The relation whose rows the function makes; NULL where that cannot be told. */
static const RelOptInfo *
rows_of(const PlannerInfo *root, const FuncExpr *function)
{
	int			i;

	for (i = 1; i < root->simple_rel_array_size; i++)
	{
		const RangeTblEntry *entry = root->simple_rte_array[i];

		if (root->simple_rel_array[i] != NULL && entry->rtekind == RTE_FUNCTION && list_length(entry->functions) == 1 &&
			((RangeTblFunction *) linitial(entry->functions))->funcexpr == (Node *) function)
			return root->simple_rel_array[i];
	}
	return NULL;
}

/* The columns of a relation that are used, in the output, in a join, or in a filter: a bit for each, or -1 for whole rows. */
static int
used_columns(const RelOptInfo *rows)
{
	Bitmapset  *named = NULL;
	int			used = 0;
	ListCell   *cell;
	int			column;

	foreach(cell, rows->baserestrictinfo)
		pull_varattnos((Node *) ((RestrictInfo *) lfirst(cell))->clause, rows->relid, &named);
	/* expressions below an outer join are made here: their columns count nowhere else */
	pull_varattnos((Node *) rows->reltarget->exprs, rows->relid, &named);
	for (column = 0; column <= Min(rows->max_attr, COLUMN_COUNT); column++)
		if (!bms_is_empty(rows->attr_needed[column - rows->min_attr]) ||
			bms_is_member(column - FirstLowInvalidHeapAttributeNumber, named))
			used |= column == 0 ? -1 : 1 << (column - 1);
	return used;
}

/* Leaves out the columns that are not used, where the caller of the function has left that open. */
static void
omit_columns(const PlannerInfo *root, FuncExpr *function)
{
	const RelOptInfo *rows = rows_of(root, function);
	ListCell   *cell = list_nth_cell(function->args, 3);
	Const	   *columns = lfirst(cell);
	int			used = rows != NULL ? used_columns(rows) : -1;

	if (used != -1 && IsA(columns, Const) && columns->constisnull)
		lfirst(cell) = makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(used), false, true);
}

/* The mean of row_count of the table that the function's first argument is a column of, by its statistics; 0: not known. */
static double
mean_rows(const PlannerInfo *root, const FuncExpr *function)
{
	const Var  *counts = linitial(function->args);
	const RangeTblEntry *entry;
	AttrNumber	column;

	if (!IsA(counts, Var) || counts->varlevelsup != 0 || counts->varno >= root->simple_rel_array_size)
		return 0;
	entry = root->simple_rte_array[counts->varno];
	if (entry == NULL || entry->rtekind != RTE_RELATION)
		return 0;
	column = get_attnum(entry->relid, "row_count");
	if (column == InvalidAttrNumber || get_atttype(entry->relid, column) != INT4OID)
		return 0;
	return mean_of(entry->relid, column);
}

/*
 * l4_counts_support(internal): how many rows the counts of a source have: as many as those of the table have on average. The
 * planner knows by then which columns are used: the others are left out, as making rows of them is most of the work.
 */
Datum
l4_counts_support(PG_FUNCTION_ARGS)
{
	SupportRequestRows *request = (SupportRequestRows *) PG_GETARG_POINTER(0);
	FuncExpr   *function;
	double		rows;

	if (!IsA(request, SupportRequestRows) || request->root == NULL || !IsA(request->node, FuncExpr))
		PG_RETURN_POINTER(NULL);
	function = (FuncExpr *) request->node;
	if (list_length(function->args) != 4)
		PG_RETURN_POINTER(NULL);
	omit_columns(request->root, function);
	rows = mean_rows(request->root, function);
	if (rows <= 0)
		PG_RETURN_POINTER(NULL);
	request->rows = clamp_row_est(rows);
	PG_RETURN_POINTER(request);
}

/* ---- packing ---- */

/* The elements of an argument, of which there are count (-1: whatever many, which is then set). */
typedef struct Elements
{
	Datum	   *values;
	bool	   *nulls;
} Elements;

static Elements
get_elements(FunctionCallInfo fcinfo, int argument, Oid type, int *count)
{
	Elements	elements;
	int16		size;
	bool		by_value;
	char		alignment;
	int			got;

	get_typlenbyvalalign(type, &size, &by_value, &alignment);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(argument), type, size, by_value, alignment, &elements.values, &elements.nulls,
					  &got);
	if (*count >= 0 && got != *count)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("the arrays of counts must be of one length")));
	*count = got;
	return elements;
}

/* The number of a word in a list; 0 for NULL. Errors: 22023 for a word that is not in it. */
static int
word_number(const Elements *words, int i, const char *(*word) (int), int count, const char *what)
{
	char	   *said;
	int			number;

	if (words->nulls[i])
		return 0;
	said = TextDatumGetCString(words->values[i]);
	for (number = 1; number <= count; number++)
		if (strcmp(said, word(number)) == 0)
			return number;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("there is no %s \"%s\"", what, said)));
}

static const char *
level_word(int number)
{
	return level_name((L4Level) number);
}

static const char *
stage_word(int number)
{
	return l4_stages[number - 1];
}

/* Do both of a pair have a value, or neither? */
static bool
has_pair(const Elements *columns, int first, int i)
{
	if (columns[first].nulls[i] != columns[first + 1].nulls[i])
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("first and last time, and first and last iteration, must both be there or neither")));
	return !columns[first].nulls[i];
}

static void
read_row(const Elements *columns, int i, L4SummaryRow *row)
{
	int64		numbers[COLUMN_LEVEL] = {0};
	int			column;

	for (column = 0; column < COLUMN_LEVEL; column++)
	{
		if (!columns[column].nulls[i])
			numbers[column] = DatumGetInt64(columns[column].values[i]);
		else if (column < COLUMN_FIRST_TS)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("counts must have a stream, a shape, how often, and lines")));
	}
	if (numbers[COLUMN_OCCURRENCES] < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a number of occurrences must not be negative")));
	*row = (L4SummaryRow) {.stream_id = numbers[COLUMN_STREAM], .shape_id = numbers[COLUMN_SHAPE],
		.occurrences = numbers[COLUMN_OCCURRENCES], .first_line = numbers[COLUMN_FIRST_LINE],
		.last_line = numbers[COLUMN_LAST_LINE], .first_ts = numbers[COLUMN_FIRST_TS], .last_ts = numbers[COLUMN_LAST_TS],
		.first_iteration = numbers[COLUMN_FIRST_ITERATION], .last_iteration = numbers[COLUMN_LAST_ITERATION],
		.has_time = has_pair(columns, COLUMN_FIRST_TS, i), .has_iteration = has_pair(columns, COLUMN_FIRST_ITERATION, i)};
	row->level = (L4Level) word_number(&columns[COLUMN_LEVEL], i, level_word, L4_LEVEL_FATAL, "level");
	row->stage = word_number(&columns[COLUMN_STAGE], i, stage_word, l4_stage_count, "stage");
	if (!columns[COLUMN_COMPONENT].nulls[i])
		row->component = TextDatumGetCString(columns[COLUMN_COMPONENT].values[i]);
}

/*
 * l4_pack_counts(stream_ids, shape_ids, ...): see its COMMENT.
 */
Datum
l4_pack_counts(PG_FUNCTION_ARGS)
{
	Elements	columns[COLUMN_COUNT];
	L4SummaryRow *rows;
	int			count = -1;
	int			i;

	for (i = 0; i < COLUMN_COUNT; i++)
		columns[i] = get_elements(fcinfo, i, i >= COLUMN_LEVEL ? TEXTOID : i == COLUMN_FIRST_TS || i == COLUMN_LAST_TS
								  ? TIMESTAMPTZOID : INT8OID, &count);
	rows = palloc(mul_size(Max(count, 1), sizeof(L4SummaryRow)));
	for (i = 0; i < count; i++)
		read_row(columns, i, &rows[i]);
	PG_RETURN_BYTEA_P(counts_pack(rows, count));
}
