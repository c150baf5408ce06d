/*
 * source_rows.c: rows of a source as bytes and back: for the state that a source keeps (source_state.c) and for the parts that
 * processes hand to each other (source_part.c). The state lies in tables: what is written of streams and counts stays readable.
 */
#include "loading/source_rows.h"

#include "storage/shmem.h"

/* Above all stages. */
#define STAGE_BASE 16

static const char *const kinds[] = {"rank", "launcher", "system", "shared", "other"};

/* A number that cannot be larger. */
static int
get_small(L4ColumnReader *in, int limit)
{
	return column_get_number_to(in, limit, "a row of a source has a number that cannot be");
}

static void
put_times(StringInfo out, bool has_time, TimestampTz first, TimestampTz last)
{
	column_put_optional(out, has_time, first);
	column_put_optional(out, has_time, last);
}

static bool
get_times(L4ColumnReader *in, TimestampTz *first, TimestampTz *last)
{
	bool		has_time = column_get_optional(in, first);

	(void) column_get_optional(in, last);
	return has_time;
}

void
source_put_point(StringInfo out, const StreamPoint *point)
{
	column_put_optional(out, point->has_time, point->time);
	/* a byte, which was the stage alone before */
	column_put_unsigned(out, point->progress.stage + STAGE_BASE * point->progress.before);
	column_put_optional(out, point->progress.has_iteration, point->progress.iteration);
}

StreamPoint
source_get_point(L4ColumnReader *in)
{
	StreamPoint point = {0};
	int			stages;

	point.has_time = column_get_optional(in, &point.time);
	stages = get_small(in, l4_stage_count + STAGE_BASE * l4_stage_count);
	point.progress.stage = Min(stages % STAGE_BASE, l4_stage_count);
	point.progress.before = stages / STAGE_BASE;
	point.progress.has_iteration = column_get_optional(in, &point.progress.iteration);
	return point;
}

static int
kind_number(const char *kind)
{
	int			i;

	for (i = 0; i < (int) lengthof(kinds) - 1; i++)
		if (strcmp(kinds[i], kind) == 0)
			break;
	return i;
}

void
source_put_stream_row(StringInfo out, const L4StreamRow *row)
{
	column_put_signed(out, row->stream_id);
	column_put_text(out, row->label);
	column_put_unsigned(out, kind_number(row->place.kind));
	column_put_text(out, row->place.node);
	column_put_signed(out, row->place.rank);
	column_put_signed(out, row->place.attempt);
	column_put_unsigned(out, row->record_count);
	put_times(out, row->has_time, row->first_ts, row->last_ts);
	column_put_unsigned(out, row->last_stage);
	column_put_optional(out, row->has_iteration, row->first_iteration);
	column_put_optional(out, row->has_iteration, row->last_iteration);
}

void
source_get_stream_row(L4ColumnReader *in, L4StreamRow *row)
{
	row->stream_id = column_get_signed(in);
	row->label = column_get_text(in);
	row->place.kind = kinds[get_small(in, lengthof(kinds) - 1)];
	row->place.node = column_get_text(in);
	row->place.rank = (int) column_get_signed(in);
	row->place.attempt = (int) column_get_signed(in);
	row->record_count = (int64) column_get_unsigned(in);
	row->has_time = get_times(in, &row->first_ts, &row->last_ts);
	row->last_stage = get_small(in, l4_stage_count);
	row->has_iteration = column_get_optional(in, &row->first_iteration);
	(void) column_get_optional(in, &row->last_iteration);
}

void
source_put_summary_row(StringInfo out, const L4SummaryRow *row)
{
	column_put_unsigned(out, row->occurrences);
	column_put_unsigned(out, row->level);
	column_put_text(out, row->component);
	column_put_unsigned(out, row->first_line);
	column_put_unsigned(out, row->last_line);
	put_times(out, row->has_time, row->first_ts, row->last_ts);
	column_put_unsigned(out, row->stage);
	column_put_optional(out, row->has_iteration, row->first_iteration);
	column_put_optional(out, row->has_iteration, row->last_iteration);
}

void
source_get_summary_row(L4ColumnReader *in, L4SummaryRow *row)
{
	row->occurrences = (int64) column_get_unsigned(in);
	row->level = (L4Level) get_small(in, L4_LEVEL_FATAL);
	row->component = column_get_text(in);
	row->first_line = (int64) column_get_unsigned(in);
	row->last_line = (int64) column_get_unsigned(in);
	row->has_time = get_times(in, &row->first_ts, &row->last_ts);
	row->stage = get_small(in, l4_stage_count);
	row->has_iteration = column_get_optional(in, &row->first_iteration);
	(void) column_get_optional(in, &row->last_iteration);
}

void
source_put_uses(StringInfo out, const int64 *uses, int count)
{
	int			i;

	column_put_unsigned(out, count);
	for (i = 0; i < count; i++)
		column_put_unsigned(out, uses[i]);
}

int64 *
source_get_uses(L4ColumnReader *in, int *count)
{
	int64	   *uses;
	int			i;

	*count = (int) column_get_count(in, PG_INT32_MAX);
	uses = palloc(mul_size(Max(*count, 1), sizeof(int64)));
	for (i = 0; i < *count; i++)
		uses[i] = (int64) column_get_unsigned(in);
	return uses;
}

void
source_put_segment_row(StringInfo out, const L4SegmentRow *row)
{
	const bytea *blobs[] = {row->blobs.structure, row->blobs.texts, row->blobs.parameters};
	int			i;

	column_put_signed(out, row->first_line);
	column_put_signed(out, row->last_line);
	column_put_unsigned(out, row->record_count);
	put_times(out, row->has_time, row->first_ts, row->last_ts);
	column_put_unsigned(out, row->raw_bytes);
	column_put_bytes(out, (L4Bytes) {(const char *) row->stream_ids, row->stream_count * sizeof(int64)});
	column_put_bytes(out, (L4Bytes) {(const char *) row->shape_ids, row->shape_count * sizeof(int64)});
	for (i = 0; i < (int) lengthof(blobs); i++)
		column_put_bytes(out, (L4Bytes) {(const char *) blobs[i], VARSIZE(blobs[i])});
}

/* A copy, aligned for what it holds. */
static void *
get_copy(L4ColumnReader *in, size_t *size)
{
	L4Bytes		bytes = column_get_bytes(in);

	*size = bytes.size;
	return memcpy(palloc(Max(bytes.size, 1)), bytes.data, bytes.size);
}

static bytea *
get_blob(L4ColumnReader *in)
{
	size_t		size;
	bytea	   *blob = get_copy(in, &size);

	if (size < VARHDRSZ || VARSIZE(blob) != size)
		column_corrupted("a part holds no segment where one should be");
	return blob;
}

void
source_get_segment_row(L4ColumnReader *in, L4SegmentRow *row)
{
	size_t		size;

	row->first_line = column_get_signed(in);
	row->last_line = column_get_signed(in);
	row->record_count = (int) column_get_unsigned(in);
	row->has_time = get_times(in, &row->first_ts, &row->last_ts);
	row->raw_bytes = (int64) column_get_unsigned(in);
	row->stream_ids = get_copy(in, &size);
	row->stream_count = size / sizeof(int64);
	row->shape_ids = get_copy(in, &size);
	row->shape_count = size / sizeof(int64);
	row->blobs.structure = get_blob(in);
	row->blobs.texts = get_blob(in);
	row->blobs.parameters = get_blob(in);
}
