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

#include "algorithms/segment.h"
#include "bindings/record_row.h"
#include "doors/store_events.h"
#include "doors/store_session.h"
#include "tools/bytes.h"
#include "tools/order.h"

PG_FUNCTION_INFO_V1(l4_segment_records);
PG_FUNCTION_INFO_V1(l4_only_streams);
PG_FUNCTION_INFO_V1(l4_iteration_at);
PG_FUNCTION_INFO_V1(l4_pattern_matches);
PG_FUNCTION_INFO_V1(l4_pattern_matches_or);
PG_FUNCTION_INFO_V1(l4_event_shapes);

#define RECORD_COLUMNS 13

typedef struct RecordScan
{
	L4SegmentReader *reader;
	TupleDesc	description;
	int64	   *stream_ids;
	int			stream_count;
	bool		with_text;
	TimestampTz from;			/* of records that are wanted; infinite: also those without a time */
	TimestampTz until;
	StringInfoData raw;
	StringInfoData shown;
} RecordScan;

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
	scan->stream_ids = bigint_values(PG_GETARG_ARRAYTYPE_P(3), "the stream_ids of a segment", &scan->stream_count);
	scan->with_text = PG_GETARG_BOOL(4);
	scan->from = PG_GETARG_TIMESTAMPTZ(5);
	scan->until = PG_GETARG_TIMESTAMPTZ(6);
	scan->reader = segment_open(&blobs);
	segment_want(scan->reader, scan->stream_ids, scan->stream_count);
	initStringInfo(&scan->raw);
	initStringInfo(&scan->shown);
	return scan;
}

/* The columns that cost: parameters, message, raw text (without the line's end) and raw bytes. */
static void
fill_text(RecordScan *scan, const L4StoredRecord *record, Datum *values)
{
	L4Bytes		bytes;

	values[9] = shown_parameters(&scan->shown, scan->reader, record);
	resetStringInfo(&scan->raw);
	segment_message(scan->reader, &scan->raw);
	bytes.data = scan->raw.data;
	bytes.size = scan->raw.len;
	values[10] = shown_text(&scan->shown, bytes);
	resetStringInfo(&scan->raw);
	segment_raw(scan->reader, &scan->raw);
	bytes.data = scan->raw.data;
	bytes.size = scan->raw.len;
	values[12] = PointerGetDatum(cstring_to_text_with_len(bytes.data, bytes.size));
	values[11] = shown_line(&scan->shown, bytes);
}

static bool
is_wanted(const RecordScan *scan, const L4StoredRecord *record)
{
	if (!record->has_time)
		return TIMESTAMP_IS_NOBEGIN(scan->from) && TIMESTAMP_IS_NOEND(scan->until);
	return record->time >= scan->from && record->time <= scan->until;
}

static HeapTuple
form_record(RecordScan *scan, const L4StoredRecord *record)
{
	Datum		values[RECORD_COLUMNS] = {0};
	bool		nulls[RECORD_COLUMNS] = {false};

	record_row_fill(record, scan->stream_ids, scan->stream_count, &scan->shown, values, nulls);
	if (scan->with_text)
		fill_text(scan, record, values);
	else
		nulls[9] = nulls[10] = nulls[11] = nulls[12] = true;
	return heap_form_tuple(scan->description, values, nulls);
}

/*
 * l4_segment_records(structure, texts, parameters, stream_ids, with_text, earliest, latest): the records of a segment, in file
 * order. Errors: XX001 for damaged or crafted bytes. Cost: decompression of the segment, then per record some microseconds with
 * text, less without.
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
	while (segment_next(scan->reader, &record))
		if (is_wanted(scan, &record))
			SRF_RETURN_NEXT(context, HeapTupleGetDatum(form_record(scan, &record)));
	SRF_RETURN_DONE(context);
}

/*
 * l4_only_streams(stream_ids, wanted): see its COMMENT.
 */
Datum
l4_only_streams(PG_FUNCTION_ARGS)
{
	ArrayType  *result = PG_GETARG_ARRAYTYPE_P_COPY(0);
	int			count;
	int			wanted_count;
	int64	   *wanted = bigint_set(PG_GETARG_ARRAYTYPE_P(1), "the wanted streams", &wanted_count);
	int64	   *streams = bigint_values(result, "the stream_ids of a segment", &count);
	int			i;

	for (i = 0; i < count; i++)
		if (!int64_set_has(wanted, wanted_count, streams[i]))
			((int64 *) ARR_DATA_PTR(result))[i] = 0;
	PG_RETURN_ARRAYTYPE_P(result);
}

/*
 * l4_iteration_at(at, started_at, iterations): the iteration under way at a time, by the starts of iterations in ascending
 * order of time; NULL before the first. Cost: binary search.
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
 * l4_pattern_matches(pattern, subject): does the PCRE2 pattern match anywhere in subject? The compiled pattern is kept per call
 * site while the pattern stays the same. Errors: 2201B for a bad pattern, 54000 for one that takes too many steps.
 * l4_pattern_matches(pattern, subject, otherwise): the same, but otherwise is the answer where the pattern gives up.
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

Datum
l4_pattern_matches_or(PG_FUNCTION_ARGS)
{
	L4Pattern  *pattern = cached_pattern(fcinfo, PG_GETARG_TEXT_PP(0));
	text	   *subject = PG_GETARG_TEXT_PP(1);
	L4Bytes		bytes = {VARDATA_ANY(subject), VARSIZE_ANY_EXHDR(subject)};
	L4MatchResult result = pattern_try(pattern, bytes, 0, false);

	PG_RETURN_BOOL(result == L4_GAVE_UP ? PG_GETARG_BOOL(2) : result == L4_MATCH);
}

/* The shapes of the event that was asked for last. */
typedef struct EventCache
{
	int64		event_id;
	Datum		shapes;
	bool		is_null;
} EventCache;

/*
 * l4_event_shapes(event_id): looked up once for each call site and event, so that a filter on l4_segment may call it for every
 * row.
 */
Datum
l4_event_shapes(PG_FUNCTION_ARGS)
{
	EventCache *cache = fcinfo->flinfo->fn_extra;
	int64		event_id = PG_GETARG_INT64(0);

	if (cache == NULL || cache->event_id != event_id)
	{
		MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);

		if (cache == NULL)
			cache = palloc0(sizeof(EventCache));
		fcinfo->flinfo->fn_extra = NULL;	/* should the next line fail */
		cache->shapes = store_event_shapes(store_schema(fcinfo), event_id, &cache->is_null);
		cache->event_id = event_id;
		fcinfo->flinfo->fn_extra = cache;
		MemoryContextSwitchTo(caller);
	}
	if (cache->is_null)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(cache->shapes);
}
