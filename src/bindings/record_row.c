/*
 * record_row.c: the columns that all functions which show stored records have in common.
 */
#include "bindings/record_row.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "algorithms/header.h"
#include "tools/bytes.h"
#include "tools/order.h"

Datum
shown_text(StringInfo shown, L4Bytes bytes)
{
	if (bytes_are_plain(bytes))
		return PointerGetDatum(cstring_to_text_with_len(bytes.data, bytes.size));
	resetStringInfo(shown);
	bytes_append_escaped(shown, bytes);
	return PointerGetDatum(cstring_to_text_with_len(shown->data, shown->len));
}

Datum
shown_line(StringInfo shown, L4Bytes raw)
{
	while (raw.size > 0 && (raw.data[raw.size - 1] == '\n' || raw.data[raw.size - 1] == '\r'))
		raw.size--;
	return shown_text(shown, raw);
}

Datum
shown_parameters(StringInfo shown, L4SegmentReader *reader, const L4StoredRecord *record)
{
	const L4Bytes *parameters = segment_parameters(reader);
	Datum	   *elements = palloc(mul_size(Max(record->parameter_count, 1), sizeof(Datum)));
	int			i;

	for (i = 0; i < record->parameter_count; i++)
		elements[i] = shown_text(shown, parameters[i]);
	return PointerGetDatum(construct_array(elements, record->parameter_count, TEXTOID, -1, false, TYPALIGN_INT));
}

int64 *
bigint_values(ArrayType *array, const char *what, int *count)
{
	int64	   *values;

	if (ARR_NDIM(array) > 1 || ARR_HASNULL(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must be an array of one dimension without NULL", what)));
	*count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	values = palloc(mul_size(Max(*count, 1), sizeof(int64)));
	memcpy(values, ARR_DATA_PTR(array), *count * sizeof(int64));
	return values;
}

int64 *
bigint_set(ArrayType *array, const char *what, int *count)
{
	int64	   *values = bigint_values(array, what, count);

	qsort(values, *count, sizeof(int64), compare_int64);
	return values;
}

void
record_row_fill(const L4StoredRecord *record, const int64 *stream_ids, int stream_count, StringInfo shown, Datum *values,
				bool *nulls)
{
	if (record->stream < 0 || record->stream >= stream_count)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stored log data is damaged: a record names a stream that its segment does not list")));
	values[0] = Int64GetDatum(stream_ids[record->stream]);
	values[1] = Int64GetDatum(record->line_no);
	values[2] = Int32GetDatum(record->line_part);
	values[3] = TimestampTzGetDatum(record->time);
	nulls[3] = !record->has_time;
	nulls[4] = record->level == L4_LEVEL_NONE;
	if (!nulls[4])
		values[4] = CStringGetTextDatum(level_name(record->level));
	nulls[5] = record->component.size == 0;
	if (!nulls[5])
		values[5] = shown_text(shown, record->component);
	nulls[6] = record->stage == 0;
	if (!nulls[6])
		values[6] = CStringGetTextDatum(l4_stages[record->stage - 1]);
	values[7] = Int64GetDatum(record->iteration);
	nulls[7] = !record->has_iteration;
	values[8] = Int64GetDatum((int64) stored_shape_id(record));
}
