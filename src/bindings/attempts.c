/*
 * attempts.c: l4_attempt_of, asked for each record of a job that was started again: of a job of thousands of ranks hundreds of
 * thousands of times, with the same few attempts each time. So these are unpacked once a call site.
 */
#include "ground/l4.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(l4_attempt_of);

/* The columns of the type l4_attempt that tell where an attempt begins, from 0. */
typedef enum AttemptColumn
{
	COLUMN_ATTEMPT = 0, COLUMN_PATH = 2, COLUMN_SOURCE = 3, COLUMN_FIRST_LINE = 4, COLUMN_SINCE = 6, COLUMN_LIMIT
} AttemptColumn;

typedef struct Attempt
{
	Datum		values[COLUMN_LIMIT];
	bool		nulls[COLUMN_LIMIT];
} Attempt;

typedef struct AttemptCache
{
	MemoryContext context;
	ArrayType  *array;			/* NULL: nothing is unpacked */
	Attempt    *attempts;
	int			count;
} AttemptCache;

static void
read_attempt(HeapTupleHeader row, Attempt *attempt)
{
	TupleDesc	descriptor = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
	int			i;

	if (descriptor->natts < COLUMN_LIMIT)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("attempts must be of the type l4_attempt")));
	for (i = 0; i < COLUMN_LIMIT; i++)
		attempt->values[i] = heap_getattr(&tuple, i + 1, descriptor, &attempt->nulls[i]);
	ReleaseTupleDesc(descriptor);
}

static void
read_attempts(AttemptCache *cache, ArrayType *array)
{
	Datum	   *elements;
	bool	   *nulls;
	int			count;
	int			i;

	deconstruct_array(array, ARR_ELEMTYPE(array), -1, false, TYPALIGN_DOUBLE, &elements, &nulls, &count);
	cache->attempts = palloc(mul_size(Max(count, 1), sizeof(Attempt)));
	cache->count = 0;
	for (i = 0; i < count; i++)
		if (!nulls[i])
			read_attempt(DatumGetHeapTupleHeader(elements[i]), &cache->attempts[cache->count++]);
}

/*
 * The attempts of argument 0, which is the same for all rows of a query, or nearly all. Its bytes are compared each time: that
 * an argument is stable says nothing of a call site that lives longer than a query (an expression of PL/pgSQL).
 */
static const AttemptCache *
cached_attempts(FunctionCallInfo fcinfo)
{
	AttemptCache *cache = fcinfo->flinfo->fn_extra;
	MemoryContext caller;
	ArrayType  *array;

	if (cache == NULL)
	{
		cache = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(AttemptCache));
		cache->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "l4 attempts", ALLOCSET_SMALL_SIZES);
		fcinfo->flinfo->fn_extra = cache;
	}
	array = PG_GETARG_ARRAYTYPE_P(0);
	if (cache->array != NULL && VARSIZE(array) == VARSIZE(cache->array) && memcmp(array, cache->array, VARSIZE(array)) == 0)
		return cache;
	cache->array = NULL;
	MemoryContextReset(cache->context);
	caller = MemoryContextSwitchTo(cache->context);
	array = PG_GETARG_ARRAYTYPE_P_COPY(0);
	read_attempts(cache, array);
	cache->array = array;
	MemoryContextSwitchTo(caller);
	return cache;
}

/* Was an attempt under way, or over, where the arguments say: by its path, else by its line, else by its time? */
static bool
has_begun(const Attempt *attempt, FunctionCallInfo fcinfo)
{
	if (!attempt->nulls[COLUMN_PATH] && !PG_ARGISNULL(1))
		return DatumGetInt32(attempt->values[COLUMN_PATH]) == PG_GETARG_INT32(1);
	if (!attempt->nulls[COLUMN_SOURCE] && !PG_ARGISNULL(2) &&
		DatumGetInt64(attempt->values[COLUMN_SOURCE]) == PG_GETARG_INT64(2))
		return attempt->nulls[COLUMN_FIRST_LINE] || PG_ARGISNULL(3) ||
			DatumGetInt64(attempt->values[COLUMN_FIRST_LINE]) <= PG_GETARG_INT64(3);
	return attempt->nulls[COLUMN_SINCE] || PG_ARGISNULL(4) ||
		DatumGetTimestampTz(attempt->values[COLUMN_SINCE]) <= PG_GETARG_TIMESTAMPTZ(4);
}

/*
 * l4_attempt_of(attempts l4_attempt[], path_attempt int, source_id bigint, line_no bigint, ts timestamptz): see its COMMENT.
 */
Datum
l4_attempt_of(PG_FUNCTION_ARGS)
{
	const AttemptCache *cache;
	int32		last = 0;
	bool		any = false;
	int			i;

	if (PG_ARGISNULL(0))
		PG_RETURN_INT32(1);
	cache = cached_attempts(fcinfo);
	for (i = 0; i < cache->count; i++)
	{
		const Attempt *attempt = &cache->attempts[i];
		int32		number = DatumGetInt32(attempt->values[COLUMN_ATTEMPT]);

		if (attempt->nulls[COLUMN_ATTEMPT] || (any && number <= last) || !has_begun(attempt, fcinfo))
			continue;
		last = number;
		any = true;
	}
	PG_RETURN_INT32(any ? last : 1);
}
