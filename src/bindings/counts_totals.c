/*
 * counts_totals.c: what the packed counts of all sources of a job amount to, by shape (l4_shape_totals) and by stream and
 * stage (l4_stage_totals). A diagnosis asks several times; of thousands of ranks rows for the executor would be hundreds of
 * thousands, of which it makes a few dozen.
 */
#include "algorithms/counts.h"
#include "algorithms/segment.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(l4_shape_totals);
PG_FUNCTION_INFO_V1(l4_stage_totals);

/* Totals under way. */
typedef struct Totals
{
	HTAB	   *table;
	void	   *last;			/* the entry that the row before went to, or NULL: most rows go where that did */
} Totals;

typedef void (*RowReader) (Totals *totals, const L4SummaryRow *row);

/* Gives each row of the packed counts of an array to a reader. */
static void
read_all(ArrayType *array, HTAB *table, RowReader reader)
{
	Totals		totals = {table, NULL};
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "l4 counts of a source", ALLOCSET_DEFAULT_SIZES);
	Datum	   *elements;
	bool	   *nulls;
	int			count;
	int			i;

	deconstruct_array(array, BYTEAOID, -1, false, TYPALIGN_INT, &elements, &nulls, &count);
	for (i = 0; i < count; i++)
	{
		MemoryContext caller;
		L4CountsReader *counts;
		L4SummaryRow row;
		int			kind;

		if (nulls[i])
			continue;
		caller = MemoryContextSwitchTo(context);
		counts = counts_open(DatumGetByteaPP(elements[i]));
		while (counts_next(counts, &row, &kind))
		{
			CHECK_FOR_INTERRUPTS();
			reader(&totals, &row);
		}
		MemoryContextSwitchTo(caller);
		MemoryContextReset(context);
	}
	MemoryContextDelete(context);
	pfree(elements);
	pfree(nulls);
}

/* A sum of counts, of which bytes that anybody wrote may hold any. */
static int64
added(int64 a, int64 b)
{
	int64		sum;

	return pg_add_s64_overflow(a, b, &sum) ? PG_INT64_MAX : sum;
}

static HTAB *
totals_create(Size key, Size entry)
{
	HASHCTL		control = {.keysize = key, .entrysize = entry, .hcxt = CurrentMemoryContext};

	return hash_create("l4 totals of counts", 256, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

/* The entries of a table in the order of a comparison of them; count of them. */
static void **
totals_sorted(HTAB *totals, int (*compare) (const void *, const void *), long *count)
{
	void	  **entries = palloc(mul_size(Max(hash_get_num_entries(totals), 1), sizeof(void *)));
	HASH_SEQ_STATUS status;
	void	   *entry;

	*count = 0;
	hash_seq_init(&status, totals);
	while ((entry = hash_seq_search(&status)) != NULL)
		entries[(*count)++] = entry;
	qsort(entries, *count, sizeof(void *), compare);
	return entries;
}

/* ---- by shape ---- */

typedef struct ShapeTotal
{
	int64		shape_id;		/* the key */
	int64		occurrences;
	int64		streams;
	int64		most;
	int64		first_stream;
	int			level;
} ShapeTotal;

static void
add_to_shape(Totals *totals, const L4SummaryRow *row)
{
	ShapeTotal *total = totals->last;

	if (total == NULL || total->shape_id != row->shape_id)
	{
		bool		known;

		total = totals->last = hash_search(totals->table, &row->shape_id, HASH_ENTER, &known);
		if (!known)
			*total = (ShapeTotal) {.shape_id = row->shape_id, .first_stream = row->stream_id};
	}
	total->occurrences = added(total->occurrences, row->occurrences);
	total->streams++;
	total->most = Max(total->most, row->occurrences);
	total->first_stream = Min(total->first_stream, row->stream_id);
	total->level = Max(total->level, (int) row->level);
}

static int
compare_shapes(const void *a, const void *b)
{
	int64		x = (*(ShapeTotal *const *) a)->shape_id;
	int64		y = (*(ShapeTotal *const *) b)->shape_id;

	return x < y ? -1 : x > y;
}

/*
 * l4_shape_totals(counts bytea[]): see its COMMENT.
 */
Datum
l4_shape_totals(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	HTAB	   *totals = totals_create(sizeof(int64), sizeof(ShapeTotal));
	ShapeTotal **sorted;
	long		count;
	long		i;

	InitMaterializedSRF(fcinfo, 0);
	read_all(PG_GETARG_ARRAYTYPE_P(0), totals, add_to_shape);
	sorted = (ShapeTotal **) totals_sorted(totals, compare_shapes, &count);
	for (i = 0; i < count; i++)
	{
		Datum		values[] = {Int64GetDatum(sorted[i]->shape_id), Int64GetDatum(sorted[i]->occurrences),
			Int64GetDatum(sorted[i]->streams), Int64GetDatum(sorted[i]->most), Int32GetDatum(sorted[i]->level),
			Int64GetDatum(sorted[i]->first_stream)};
		bool		nulls[lengthof(values)] = {false};

		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	hash_destroy(totals);
	return (Datum) 0;
}

/* ---- by stream and stage ---- */

typedef struct StageKey
{
	int64		stream_id;
	int64		stage;
} StageKey;

typedef struct StageTotal
{
	StageKey	key;
	int64		records;
	TimestampTz first;
	bool		has_time;
} StageTotal;

static void
add_to_stage(Totals *totals, const L4SummaryRow *row)
{
	StageKey	key = {.stream_id = row->stream_id, .stage = row->stage};
	StageTotal *total;
	bool		known;

	if (row->stage == 0)
		return;
	total = hash_search(totals->table, &key, HASH_ENTER, &known);
	if (!known)
		*total = (StageTotal) {.key = key};
	total->records = added(total->records, row->occurrences);
	/* a clock that was set: times count from the year 2000 */
	if (row->has_time && row->first_ts > 0 && (!total->has_time || row->first_ts < total->first))
	{
		total->first = row->first_ts;
		total->has_time = true;
	}
}

static int
compare_stages(const void *a, const void *b)
{
	const StageKey *x = &(*(StageTotal *const *) a)->key;
	const StageKey *y = &(*(StageTotal *const *) b)->key;

	if (x->stream_id != y->stream_id)
		return x->stream_id < y->stream_id ? -1 : 1;
	return x->stage < y->stage ? -1 : x->stage > y->stage;
}

/*
 * l4_stage_totals(counts bytea[]): see its COMMENT.
 */
Datum
l4_stage_totals(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	HTAB	   *totals = totals_create(sizeof(StageKey), sizeof(StageTotal));
	StageTotal **sorted;
	long		count;
	long		i;

	InitMaterializedSRF(fcinfo, 0);
	read_all(PG_GETARG_ARRAYTYPE_P(0), totals, add_to_stage);
	sorted = (StageTotal **) totals_sorted(totals, compare_stages, &count);
	for (i = 0; i < count; i++)
	{
		const char *stage = l4_stages[sorted[i]->key.stage - 1];
		Datum		values[] = {Int64GetDatum(sorted[i]->key.stream_id), CStringGetTextDatum(stage),
			TimestampTzGetDatum(sorted[i]->first), Int64GetDatum(sorted[i]->records)};
		bool		nulls[] = {false, false, !sorted[i]->has_time, false};

		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	hash_destroy(totals);
	return (Datum) 0;
}
