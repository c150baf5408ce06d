/*
 * target_stored_counts.c: the packed counts of a source.
 *
 * Rows that are packed come back, in their order, and those of some streams and shapes are the ones that all rows would be
 * filtered to. Bytes that anybody may have written end in ERRCODE_DATA_CORRUPTED or in rows.
 */
#include "fuzz.h"

#include "algorithms/counts.h"
#include "algorithms/segment.h"
#include "tools/codec.h"

static void
read_counts(void *argument)
{
	L4CountsReader *reader = counts_open(argument);
	L4SummaryRow before = {0};
	L4SummaryRow row;
	int			shape_count;
	int			count = 0;
	int			kind;

	(void) counts_shapes(reader, &shape_count);
	while (counts_next(reader, &row, &kind))
	{
		fuzz_require(kind >= 0 && kind < counts_kind_count(reader));
		fuzz_require(row.level <= L4_LEVEL_FATAL && row.stage >= 0 && row.stage <= l4_stage_count && row.occurrences >= 0);
		fuzz_require(count == 0 || row.shape_id > before.shape_id ||
					 (row.shape_id == before.shape_id && row.stream_id > before.stream_id));
		if (row.component != NULL)
			(void) strlen(row.component);
		before = row;
		count++;
	}
	fuzz_require(count == counts_row_count(reader) && shape_count <= count);
}

/* Input: the plain bytes of a blob. */
void
fuzz_stored_counts(L4Bytes input)
{
	int			state = server_try(read_counts, blob_pack(input));

	if (state != 0 && state != ERRCODE_DATA_CORRUPTED)
		fuzz_failed(__FILE__, __LINE__, server_message());
}

/* A row of the bytes of a line: short lines make small numbers, long ones any. */
static L4SummaryRow
row_of_line(L4Bytes line, int number)
{
	uint64		bits = 0;
	L4SummaryRow row = {0};
	size_t		i;

	for (i = 0; i < line.size; i++)
		bits = bits * 257 + (unsigned char) line.data[i];
	row.stream_id = (int64) (bits % 5) - 2;
	row.shape_id = number / 3;
	row.occurrences = 1 + (int64) (bits >> 3) % 3;
	row.level = (L4Level) (bits % (L4_LEVEL_FATAL + 1));
	row.component = bits % 3 == 0 ? NULL : bits % 3 == 1 ? "" : "trainer.data";
	row.first_line = (int64) bits;
	row.last_line = bits % 2 == 0 ? row.first_line : (int64) ~bits;
	row.has_time = bits % 7 != 0;
	row.first_ts = row.has_time ? (TimestampTz) (bits * (number % 2 == 0 ? 1000000 : 1)) : 0;
	row.last_ts = row.has_time ? (bits % 11 == 0 ? row.first_ts : (TimestampTz) (~bits / 3 * 1000)) : 0;
	row.stage = (int) (bits % (l4_stage_count + 1));
	row.has_iteration = bits % 5 != 0;
	row.first_iteration = row.has_iteration ? (int64) (bits >> 32) : 0;
	row.last_iteration = row.has_iteration ? row.first_iteration + (int64) (bits % 2) : 0;
	return row;
}

static bool
rows_equal(const L4SummaryRow *a, const L4SummaryRow *b)
{
	return a->stream_id == b->stream_id && a->shape_id == b->shape_id && a->occurrences == b->occurrences &&
		a->level == b->level && a->first_line == b->first_line && a->last_line == b->last_line && a->has_time == b->has_time &&
		a->first_ts == b->first_ts && a->last_ts == b->last_ts && a->stage == b->stage &&
		a->has_iteration == b->has_iteration && a->first_iteration == b->first_iteration &&
		a->last_iteration == b->last_iteration && (a->component == NULL) == (b->component == NULL) &&
		(a->component == NULL || strcmp(a->component, b->component) == 0);
}

/* Some streams and shapes alone. */
static void
require_filtered(const bytea *blob, const L4SummaryRow *rows, int count)
{
	static const int64 streams[] = {-2, 0, 7};
	static const int64 shapes[] = {1, 2};
	L4CountsReader *reader = counts_open(blob);
	L4SummaryRow row;
	int			kind;
	int			i;

	counts_want_streams(reader, streams, lengthof(streams));
	counts_want_shapes(reader, shapes, lengthof(shapes));
	for (i = 0; i < count; i++)
		if ((rows[i].stream_id == -2 || rows[i].stream_id == 0) && (rows[i].shape_id == 1 || rows[i].shape_id == 2))
			fuzz_require(counts_next(reader, &row, &kind) && rows_equal(&row, &rows[i]));
	fuzz_require(!counts_next(reader, &row, &kind));
}

void
fuzz_stored_counts_seed(L4Bytes input, FuzzSeed add)
{
	L4SummaryRow *rows = palloc((input.size + 1) * sizeof(L4SummaryRow));
	L4CountsReader *reader;
	const bytea *blob;
	L4SummaryRow row;
	L4Bytes		line;
	int			count = 0;
	int			kind;
	int			i;

	while (fuzz_line(&input, &line))
	{
		row = row_of_line(line, count);
		if (count == 0 || row.shape_id != rows[count - 1].shape_id || row.stream_id > rows[count - 1].stream_id)
			rows[count++] = row;
	}
	blob = counts_pack(rows, count);
	reader = counts_open(blob);
	for (i = 0; i < count; i++)
		fuzz_require(counts_next(reader, &row, &kind) && rows_equal(&row, &rows[i]));
	fuzz_require(!counts_next(reader, &row, &kind));
	require_filtered(blob, rows, count);
	add(blob_unpack(blob));
}
