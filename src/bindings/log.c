/*
 * log.c: stored segments back to rows, for the view l4_log and for whoever reads segments himself.
 */
#include "ground/l4.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "algorithms/header.h"
#include "algorithms/segment.h"
#include "tools/bytes.h"

PG_FUNCTION_INFO_V1(l4_segment_records);
PG_FUNCTION_INFO_V1(l4_iteration_at);
PG_FUNCTION_INFO_V1(l4_pattern_matches);

#define RECORD_COLUMNS 13

typedef struct RecordScan
{
	L4SegmentReader *reader;
	TupleDesc	description;
	int64	   *stream_ids;
	int			stream_count;
	bool		with_text;
	StringInfoData raw;
	StringInfoData shown;
} RecordScan;

static int64 *
copy_bigints(ArrayType *array, int *count)
{
	int64	   *values;

	if (ARR_NDIM(array) > 1 || ARR_HASNULL(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the stream_ids of a segment must be an array of one dimension without NULL")));
	*count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	values = palloc(mul_size(Max(*count, 1), sizeof(int64)));
	memcpy(values, ARR_DATA_PTR(array), *count * sizeof(int64));
	return values;
}

static RecordScan *
open_scan(FunctionCallInfo fcinfo)
{
	RecordScan *scan = palloc0(sizeof(RecordScan));
	L4SegmentBlobs blobs;

	if (get_call_result_type(fcinfo, NULL, &scan->description) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "l4_segment_records must return rows");
	blobs.structure = PG_GETARG_BYTEA_PP(0);
	blobs.texts = PG_GETARG_BYTEA_PP(1);
	blobs.parameters = PG_GETARG_BYTEA_PP(2);
	scan->stream_ids = copy_bigints(PG_GETARG_ARRAYTYPE_P(3), &scan->stream_count);
	scan->with_text = PG_GETARG_BOOL(4);
	scan->reader = segment_open(&blobs);
	initStringInfo(&scan->raw);
	initStringInfo(&scan->shown);
	return scan;
}

/* Bytes as text, escaped where they are none. */
static Datum
shown_text(RecordScan *scan, L4Bytes bytes)
{
	if (bytes_are_plain(bytes))
		return PointerGetDatum(cstring_to_text_with_len(bytes.data, bytes.size));
	resetStringInfo(&scan->shown);
	bytes_append_escaped(&scan->shown, bytes);
	return PointerGetDatum(cstring_to_text_with_len(scan->shown.data, scan->shown.len));
}

static Datum
parameter_array(RecordScan *scan, const L4StoredRecord *record)
{
	Datum	   *elements = palloc(mul_size(Max(record->parameter_count, 1), sizeof(Datum)));
	int			i;

	for (i = 0; i < record->parameter_count; i++)
		elements[i] = shown_text(scan, record->parameters[i]);
	return PointerGetDatum(construct_array(elements, record->parameter_count, TEXTOID, -1, false, TYPALIGN_INT));
}

/* The columns that cost: parameters, message, raw text (without the line's end) and raw bytes. */
static void
fill_text(RecordScan *scan, const L4StoredRecord *record, Datum *values, bool *nulls)
{
	L4Bytes		bytes;

	values[9] = parameter_array(scan, record);
	resetStringInfo(&scan->raw);
	segment_message(scan->reader, &scan->raw);
	bytes.data = scan->raw.data;
	bytes.size = scan->raw.len;
	values[10] = shown_text(scan, bytes);
	resetStringInfo(&scan->raw);
	segment_raw(scan->reader, &scan->raw);
	bytes.data = scan->raw.data;
	bytes.size = scan->raw.len;
	values[12] = PointerGetDatum(cstring_to_text_with_len(bytes.data, bytes.size));
	while (bytes.size > 0 && (bytes.data[bytes.size - 1] == '\n' || bytes.data[bytes.size - 1] == '\r'))
		bytes.size--;
	values[11] = shown_text(scan, bytes);
}

static HeapTuple
form_record(RecordScan *scan, const L4StoredRecord *record)
{
	Datum		values[RECORD_COLUMNS] = {0};
	bool		nulls[RECORD_COLUMNS] = {false};

	if (record->stream < 0 || record->stream >= scan->stream_count)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stored log data is damaged: a record names a stream that its segment does not list")));
	values[0] = Int64GetDatum(scan->stream_ids[record->stream]);
	values[1] = Int64GetDatum(record->line_no);
	values[2] = Int32GetDatum(record->part);
	values[3] = TimestampTzGetDatum(record->time);
	nulls[3] = !record->has_time;
	nulls[4] = record->level == L4_LEVEL_NONE;
	if (!nulls[4])
		values[4] = CStringGetTextDatum(level_name(record->level));
	nulls[5] = record->component.size == 0;
	if (!nulls[5])
		values[5] = shown_text(scan, record->component);
	nulls[6] = record->stage == 0;
	if (!nulls[6])
		values[6] = CStringGetTextDatum(l4_stages[record->stage - 1]);
	values[7] = Int64GetDatum(record->iteration);
	nulls[7] = !record->has_iteration;
	values[8] = Int64GetDatum((int64) shape_hash(record->shape_text.data, record->shape_text.size));
	if (scan->with_text)
		fill_text(scan, record, values, nulls);
	else
		nulls[9] = nulls[10] = nulls[11] = nulls[12] = true;
	return heap_form_tuple(scan->description, values, nulls);
}

/*
 * l4_segment_records(structure, texts, parameters, stream_ids, with_text): the records of a segment, in file order.
 * Errors: XX001 for damaged or crafted bytes. Cost: decompression of the segment, then per record some microseconds with text, less without.
 */
Datum
l4_segment_records(PG_FUNCTION_ARGS)
{
	FuncCallContext *context;
	RecordScan *scan;
	L4StoredRecord record;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext caller;

		context = SRF_FIRSTCALL_INIT();
		caller = MemoryContextSwitchTo(context->multi_call_memory_ctx);
		context->user_fctx = open_scan(fcinfo);
		MemoryContextSwitchTo(caller);
	}
	context = SRF_PERCALL_SETUP();
	scan = context->user_fctx;
	if (!segment_next(scan->reader, &record))
		SRF_RETURN_DONE(context);
	SRF_RETURN_NEXT(context, HeapTupleGetDatum(form_record(scan, &record)));
}

/*
 * l4_iteration_at(at, started_at, iterations): the iteration under way at a time, by the starts of iterations in ascending order of time; NULL before the
 * first. Cost: binary search.
 */
Datum
l4_iteration_at(PG_FUNCTION_ARGS)
{
	TimestampTz at = PG_GETARG_TIMESTAMPTZ(0);
	ArrayType  *starts = PG_GETARG_ARRAYTYPE_P(1);
	ArrayType  *iterations = PG_GETARG_ARRAYTYPE_P(2);
	int			count = ArrayGetNItems(ARR_NDIM(starts), ARR_DIMS(starts));
	const TimestampTz *times = (const TimestampTz *) ARR_DATA_PTR(starts);
	int			low = 0;
	int			high = count;

	if (ARR_HASNULL(starts) || ARR_HASNULL(iterations) || ARR_NDIM(starts) > 1 || ARR_NDIM(iterations) > 1 ||
		ArrayGetNItems(ARR_NDIM(iterations), ARR_DIMS(iterations)) != count)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("started_at and iterations must be arrays of one dimension and equal length without NULL")));
	while (low < high)
	{
		int			middle = low + (high - low) / 2;

		if (times[middle] <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		PG_RETURN_NULL();
	PG_RETURN_INT64(((const int64 *) ARR_DATA_PTR(iterations))[low - 1]);
}

/*
 * l4_pattern_matches(pattern, subject): does the PCRE2 pattern match anywhere in subject? The compiled pattern is kept per call site while the pattern stays
 * the same. Errors: 2201B for a bad pattern, 54000 for one that takes too many steps.
 */
typedef struct PatternCache
{
	MemoryContext context;
	char	   *text;
	L4Pattern  *pattern;
} PatternCache;

static L4Pattern *
cached_pattern(FunctionCallInfo fcinfo, text *wanted)
{
	PatternCache *cache = fcinfo->flinfo->fn_extra;
	char	   *pattern = text_to_cstring(wanted);

	if (cache == NULL)
	{
		cache = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(PatternCache));
		cache->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "l4 pattern", ALLOCSET_SMALL_SIZES);
		fcinfo->flinfo->fn_extra = cache;
	}
	if (cache->text == NULL || strcmp(cache->text, pattern) != 0)
	{
		MemoryContext caller;

		cache->text = NULL;
		MemoryContextReset(cache->context);
		caller = MemoryContextSwitchTo(cache->context);
		cache->pattern = pattern_compile(pattern, strlen(pattern), "the pattern");
		cache->text = pstrdup(pattern);
		MemoryContextSwitchTo(caller);
	}
	return cache->pattern;
}

Datum
l4_pattern_matches(PG_FUNCTION_ARGS)
{
	L4Pattern  *pattern = cached_pattern(fcinfo, PG_GETARG_TEXT_PP(0));
	text	   *subject = PG_GETARG_TEXT_PP(1);
	L4Bytes		bytes = {VARDATA_ANY(subject), VARSIZE_ANY_EXHDR(subject)};

	PG_RETURN_BOOL(pattern_match(pattern, bytes, 0, false));
}
