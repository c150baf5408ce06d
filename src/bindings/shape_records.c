/*
 * shape_records.c: l4_shape_records: the records of a few shapes out of a stored segment, without the cost of expanding all the others.
 */
#include "ground/l4.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "algorithms/segment.h"
#include "tools/bytes.h"

PG_FUNCTION_INFO_V1(l4_shape_records);

#define SHAPE_COLUMNS 5

/* A bigint[] argument as C numbers. Errors: 22004 for one with NULL or of several dimensions. */
static const int64 *
bigint_argument(ArrayType *array, int *count)
{
	if (ARR_NDIM(array) > 1 || ARR_HASNULL(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("stream_ids and shape_ids must be arrays of one dimension without NULL")));
	*count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	return (const int64 *) ARR_DATA_PTR(array);
}

static bool
is_wanted(int64 shape_id, const int64 *wanted, int count)
{
	int			i;

	for (i = 0; i < count; i++)
		if (wanted[i] == shape_id)
			return true;
	return false;
}

static Datum
shown_text(L4Bytes bytes)
{
	StringInfoData shown;

	if (bytes_are_plain(bytes))
		return PointerGetDatum(cstring_to_text_with_len(bytes.data, bytes.size));
	initStringInfo(&shown);
	bytes_append_escaped(&shown, bytes);
	return PointerGetDatum(cstring_to_text_with_len(shown.data, shown.len));
}

static Datum
parameter_array(const L4StoredRecord *record)
{
	Datum	   *elements = palloc(mul_size(Max(record->parameter_count, 1), sizeof(Datum)));
	int			i;

	for (i = 0; i < record->parameter_count; i++)
		elements[i] = shown_text(record->parameters[i]);
	return PointerGetDatum(construct_array(elements, record->parameter_count, TEXTOID, -1, false, TYPALIGN_INT));
}

/* The raw text as l4_log shows it: without the line's end. */
static Datum
raw_text(L4SegmentReader *reader)
{
	StringInfoData raw;
	L4Bytes		bytes;

	initStringInfo(&raw);
	segment_raw(reader, &raw);
	bytes.data = raw.data;
	bytes.size = raw.len;
	while (bytes.size > 0 && (bytes.data[bytes.size - 1] == '\n' || bytes.data[bytes.size - 1] == '\r'))
		bytes.size--;
	return shown_text(bytes);
}

static void
put_record(ReturnSetInfo *result, L4SegmentReader *reader, const L4StoredRecord *record, int64 stream_id, int64 shape_id)
{
	Datum		values[SHAPE_COLUMNS];
	bool		nulls[SHAPE_COLUMNS] = {false};

	values[0] = Int64GetDatum(stream_id);
	values[1] = Int64GetDatum(record->line_no);
	values[2] = Int64GetDatum(shape_id);
	values[3] = parameter_array(record);
	values[4] = raw_text(reader);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * l4_shape_records(structure, texts, parameters, stream_ids, shape_ids): see its COMMENT. Errors: XX001 for damaged bytes, 22004 for arrays with NULL. Cost:
 * decompression of the segment, some ten nanoseconds for each record, a few microseconds for each wanted one.
 */
Datum
l4_shape_records(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	L4SegmentBlobs blobs;
	L4SegmentReader *reader;
	L4StoredRecord record;
	MemoryContext row_context;
	MemoryContext caller;
	const int64 *streams;
	const int64 *wanted;
	int			stream_count;
	int			wanted_count;

	InitMaterializedSRF(fcinfo, 0);
	blobs.structure = PG_GETARG_BYTEA_PP(0);
	blobs.texts = PG_GETARG_BYTEA_PP(1);
	blobs.parameters = PG_GETARG_BYTEA_PP(2);
	streams = bigint_argument(PG_GETARG_ARRAYTYPE_P(3), &stream_count);
	wanted = bigint_argument(PG_GETARG_ARRAYTYPE_P(4), &wanted_count);
	reader = segment_open(&blobs);
	row_context = AllocSetContextCreate(CurrentMemoryContext, "l4 shape record", ALLOCSET_DEFAULT_SIZES);
	while (segment_next(reader, &record))
	{
		int64		shape_id = (int64) shape_hash(record.shape_text.data, record.shape_text.size);

		CHECK_FOR_INTERRUPTS();
		if (record.stream < 0 || record.stream >= stream_count)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("stored log data is damaged: a record names a stream that its segment does not list")));
		if (!is_wanted(shape_id, wanted, wanted_count))
			continue;
		caller = MemoryContextSwitchTo(row_context);
		put_record(result, reader, &record, streams[record.stream], shape_id);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(row_context);
	}
	MemoryContextDelete(row_context);
	return (Datum) 0;
}
