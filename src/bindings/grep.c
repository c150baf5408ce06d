/*
 * grep.c: l4_segment_grep: the records of a stored segment that a pattern matches, for l4_grep.
 *
 * The arguments of a segment are unpacked one after the other, each only if those before leave hope: of most segments the small
 * dictionary of texts is read and nothing else.
 */
#include "ground/l4.h"

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "algorithms/segment_bundle.h"
#include "algorithms/segment_search.h"
#include "bindings/record_row.h"
#include "tools/codec.h"

PG_FUNCTION_INFO_V1(l4_segment_grep);

#define GREP_COLUMNS (RECORD_ROW_COLUMNS + 1)

/* The search of one call site, kept while its pattern stays the same. */
typedef struct SearchCache
{
	MemoryContext context;
	char	   *text;
	L4SegmentSearch *search;
} SearchCache;

static const L4SegmentSearch *
cached_search(FunctionCallInfo fcinfo, const text *wanted)
{
	SearchCache *cache = fcinfo->flinfo->fn_extra;
	L4Bytes		pattern = {VARDATA_ANY(wanted), VARSIZE_ANY_EXHDR(wanted)};
	MemoryContext caller;

	if (cache == NULL)
	{
		cache = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(SearchCache));
		cache->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "l4 search", ALLOCSET_SMALL_SIZES);
		fcinfo->flinfo->fn_extra = cache;
	}
	if (cache->text != NULL && strlen(cache->text) == pattern.size && memcmp(cache->text, pattern.data, pattern.size) == 0)
		return cache->search;
	cache->text = NULL;
	MemoryContextReset(cache->context);
	caller = MemoryContextSwitchTo(cache->context);
	cache->search = segment_search_create(pattern);
	cache->text = pnstrdup(pattern.data, pattern.size);
	MemoryContextSwitchTo(caller);
	return cache->search;
}

/*
 * May the parameters of the segment hold a match? Asks the masks, then the source's parameter statistics, and the parameters
 * themselves where these leave it open.
 */
static bool
parameters_may_match(FunctionCallInfo fcinfo, const L4SegmentSearch *search, const L4SegmentHope *hope,
					 const L4SegmentBlobs *blobs, const int64 *streams, int stream_count)
{
	if (!segment_search_masks(search, hope))
		return false;
	/* those of a bundle are of many files: unpacking them costs more than it saves */
	if (blobs->parameters != NULL)
		return segment_search_parameters(search, hope, blobs->parameters);
	if (stream_count == 1 && !PG_ARGISNULL(4) && !segment_search_statistics(search, hope, PG_GETARG_BYTEA_PP(4), streams[0]))
		return false;
	return segment_search_parameters(search, hope, PG_GETARG_BYTEA_PP(2));
}

/* The record's bytes without the end of its last line. */
static L4Bytes
raw_bytes(L4SegmentReader *reader, StringInfo raw)
{
	L4Bytes		bytes;

	resetStringInfo(raw);
	segment_raw(reader, raw);
	bytes.data = raw->data;
	bytes.size = raw->len;
	while (bytes.size > 0 && (bytes.data[bytes.size - 1] == '\n' || bytes.data[bytes.size - 1] == '\r'))
		bytes.size--;
	return bytes;
}

/* Puts the matching records of a segment that may hold some into the result. */
static void
put_matches(ReturnSetInfo *result, const L4SegmentSearch *search, const L4SegmentHope *hope, L4SegmentReader *reader,
			const int64 *streams, int stream_count)
{
	MemoryContext row_context = AllocSetContextCreate(CurrentMemoryContext, "l4 grep row", ALLOCSET_DEFAULT_SIZES);
	L4StoredRecord record;
	StringInfoData raw;
	StringInfoData shown;

	initStringInfo(&raw);
	initStringInfo(&shown);
	while (segment_next(reader, &record))
	{
		Datum		values[GREP_COLUMNS] = {0};
		bool		nulls[GREP_COLUMNS] = {false};
		MemoryContext caller;
		L4Bytes		bytes;

		CHECK_FOR_INTERRUPTS();
		if (!segment_search_hopeful(hope, reader))
			continue;
		bytes = raw_bytes(reader, &raw);
		if (!segment_search_match(search, bytes))
			continue;
		caller = MemoryContextSwitchTo(row_context);
		record_row_fill(&record, streams, stream_count, &shown, values, nulls);
		values[RECORD_ROW_COLUMNS] = shown_text(&shown, bytes);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(row_context);
	}
	MemoryContextDelete(row_context);
}

/* Puts the matching records of one segment into the result. */
static void
grep_segment(FunctionCallInfo fcinfo, const L4SegmentSearch *search, L4SegmentBlobs *blobs, const int64 *streams,
			 int stream_count)
{
	L4SegmentHope *hope = segment_search_texts(search, blobs->texts);
	L4SegmentReader *reader;

	if (!segment_search_found(hope) && !parameters_may_match(fcinfo, search, hope, blobs, streams, stream_count))
		return;
	if (blobs->structure == NULL)
		blobs->structure = PG_GETARG_BYTEA_PP(0);
	if (blobs->parameters == NULL)
		blobs->parameters = PG_GETARG_BYTEA_PP(2);
	reader = segment_open(blobs);
	segment_want(reader, streams, stream_count);
	segment_search_columns(search, hope, reader);
	put_matches((ReturnSetInfo *) fcinfo->resultinfo, search, hope, reader, streams, stream_count);
}

/* The same of the segments of a bundle, of which only those with wanted streams are opened. */
static void
grep_bundle(FunctionCallInfo fcinfo, const L4SegmentSearch *search, const bytea *texts, const int64 *streams, int stream_count)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "l4 grep segment", ALLOCSET_DEFAULT_SIZES);
	L4SegmentBlobs blobs = {PG_GETARG_BYTEA_PP(0), (bytea *) texts, PG_GETARG_BYTEA_PP(2)};
	int			first = 0;
	int			own;
	int			member;

	if (!blob_is_bundle(blobs.structure))
		column_corrupted("a part of a bundle is none");
	for (member = 0; (own = segment_bundle_streams(&blobs, member)) >= 0; member++, first += own)
	{
		MemoryContext caller = MemoryContextSwitchTo(context);
		L4SegmentBlobs member_blobs;
		bool		wanted = false;
		int			i;

		if (own > stream_count - first)
			column_corrupted("a bundle has more streams than its row says");
		for (i = 0; i < own && !wanted; i++)
			wanted = streams[first + i] != 0;
		if (wanted)
		{
			segment_bundle_member(&blobs, member, &member_blobs);
			grep_segment(fcinfo, search, &member_blobs, streams + first, own);
		}
		MemoryContextSwitchTo(caller);
		MemoryContextReset(context);
	}
	MemoryContextDelete(context);
}

/*
 * l4_segment_grep(structure, texts, parameters, stream_ids, sketch, pattern): see its COMMENT. Errors: 2201B for a bad pattern,
 * 54000 for one that takes too many steps, XX001 for damaged bytes.
 */
Datum
l4_segment_grep(PG_FUNCTION_ARGS)
{
	const L4SegmentSearch *search;
	L4SegmentBlobs blobs = {NULL};
	int64	   *streams;
	int			stream_count;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3) || PG_ARGISNULL(5))
		return (Datum) 0;
	CHECK_FOR_INTERRUPTS();
	search = cached_search(fcinfo, PG_GETARG_TEXT_PP(5));
	streams = bigint_values(PG_GETARG_ARRAYTYPE_P(3), "the stream_ids of a segment", &stream_count);
	blobs.texts = PG_GETARG_BYTEA_PP(1);
	if (blob_is_bundle(blobs.texts))
		grep_bundle(fcinfo, search, blobs.texts, streams, stream_count);
	else
		grep_segment(fcinfo, search, &blobs, streams, stream_count);
	return (Datum) 0;
}
