/*
 * source_state.c: what it takes to go on with a source later as if it had been read in one go, as bytes.
 *
 * All records of a source are final but the last ones: the record that was open when the input ended, and a line whose end had
 * not come. So it is enough to keep where the open segment began and how each stream stood there, what the streams had counted
 * before those last records, and the counts of the few shapes those records touched as they were before.
 */
#include "loading/source_state.h"
#include "lib/stringinfo.h"
#include "storage/shmem.h"

#include "loading/source_rows.h"

static void
put_stream(StringInfo out, const L4StreamState *stream)
{
	source_put_stream_row(out, &stream->row);
	source_put_point(out, &stream->begin);
}

static void
get_stream(L4ColumnReader *in, L4StreamState *stream)
{
	source_get_stream_row(in, &stream->row);
	stream->begin = source_get_point(in);
}

static void
put_image(StringInfo out, const L4SummaryImage *image)
{
	column_put_unsigned(out, image->known ? 1 : 0);
	column_put_signed(out, image->row.stream_id);
	column_put_signed(out, image->row.shape_id);
	if (image->known)
		source_put_summary_row(out, &image->row);
}

static void
get_image(L4ColumnReader *in, L4SummaryImage *image)
{
	image->known = column_get_unsigned(in) != 0;
	image->row.stream_id = column_get_signed(in);
	image->row.shape_id = column_get_signed(in);
	if (image->known)
		source_get_summary_row(in, &image->row);
}

/* The parameter statistics of the images as a blob of their own, empty where there are none. */
static void
put_image_statistics(StringInfo out, const L4SourceState *state)
{
	L4StatisticsRow *rows = palloc(mul_size(Max(state->image_count, 1), sizeof(L4StatisticsRow)));
	L4Bytes		bytes = {"", 0};
	bytea	   *packed;
	int			i;

	for (i = 0; i < state->image_count; i++)
	{
		rows[i].stream_id = state->images[i].row.stream_id;
		rows[i].shape_id = state->images[i].row.shape_id;
		rows[i].occurrences = state->images[i].row.occurrences;
		rows[i].first_line = state->images[i].row.first_line;
		rows[i].set = &state->images[i].statistics;
	}
	packed = statistics_pack(rows, state->image_count);
	if (packed != NULL)
	{
		bytes.data = (const char *) packed;
		bytes.size = VARSIZE(packed);
	}
	column_put_bytes(out, bytes);
}

static L4SummaryImage *
find_image(const L4SourceState *state, int64 stream_id, int64 shape_id)
{
	int			i;

	for (i = 0; i < state->image_count; i++)
		if (state->images[i].row.stream_id == stream_id && state->images[i].row.shape_id == shape_id)
			return &state->images[i];
	return NULL;
}

static void
get_image_statistics(L4ColumnReader *in, L4SourceState *state, L4StatisticsMemory *memory)
{
	L4Bytes		bytes = column_get_bytes(in);
	L4StatisticsReader *reader;
	L4StatisticsEntry entry;
	bytea	   *blob;

	if (bytes.size == 0)
		return;
	blob = memcpy(palloc(bytes.size), bytes.data, bytes.size);	/* aligned */
	if (bytes.size < VARHDRSZ || VARSIZE(blob) != bytes.size)
		column_corrupted("the state of a source holds no sketch where one should be");
	reader = statistics_open(blob);
	while (statistics_next(reader, &entry))
	{
		L4SummaryImage *image = find_image(state, entry.stream_id, entry.shape_id);

		if (image != NULL)
			statistics_restore(memory, &image->statistics, &entry);
	}
}

static void
put_body(StringInfo out, const L4SourceState *state)
{
	int			i;

	column_put_unsigned(out, state->segment_no);
	column_put_unsigned(out, state->counted);
	column_put_unsigned(out, state->start.line_no);
	column_put_unsigned(out, state->start.line_part);
	column_put_unsigned(out, state->start.before);
	source_put_uses(out, state->format_uses, state->format_count);
	column_put_unsigned(out, state->stream_count);
	for (i = 0; i < state->stream_count; i++)
		put_stream(out, &state->streams[i]);
	column_put_unsigned(out, state->image_count);
	for (i = 0; i < state->image_count; i++)
		put_image(out, &state->images[i]);
	put_image_statistics(out, state);
	column_put_unsigned(out, state->coarse_count);
	for (i = 0; i < state->coarse_count; i++)
		column_put_signed(out, state->coarse[i]);
}

static void
get_body(L4ColumnReader *in, L4SourceState *state, L4StatisticsMemory *memory)
{
	int			i;

	state->segment_no = (int) column_get_unsigned(in);
	state->counted = (int) column_get_unsigned(in);
	state->start.line_no = (int64) column_get_unsigned(in);
	state->start.line_part = (int) column_get_unsigned(in);
	state->start.before = column_get_unsigned(in);
	state->format_uses = source_get_uses(in, &state->format_count);
	state->stream_count = (int) column_get_count(in, PG_INT32_MAX);
	state->streams = palloc0(mul_size(Max(state->stream_count, 1), sizeof(L4StreamState)));
	for (i = 0; i < state->stream_count; i++)
		get_stream(in, &state->streams[i]);
	state->image_count = (int) column_get_count(in, PG_INT32_MAX);
	state->images = palloc0(mul_size(Max(state->image_count, 1), sizeof(L4SummaryImage)));
	for (i = 0; i < state->image_count; i++)
		get_image(in, &state->images[i]);
	get_image_statistics(in, state, memory);
	state->coarse_count = (int) column_get_count(in, PG_INT32_MAX);
	state->coarse = palloc(mul_size(Max(state->coarse_count, 1), sizeof(int64)));
	for (i = 0; i < state->coarse_count; i++)
		state->coarse[i] = column_get_signed(in);
}

bytea *
source_state_pack(const L4SourceState *state, const L4HeaderParser *parser)
{
	StringInfoData plain;
	L4Bytes		bytes;
	bytea	   *packed;
	int			i;

	initStringInfo(&plain);
	column_put_unsigned(&plain, (state->by_row ? 1 : 0) + (state->whole ? 2 : 0) + (state->refused ? 4 : 0));
	column_put_unsigned(&plain, state->line_no);
	column_put_signed(&plain, state->reference);
	column_put_unsigned(&plain, state->start_count);
	for (i = 0; i < state->start_count; i++)
	{
		column_put_signed(&plain, state->starts[i].iteration);
		column_put_signed(&plain, state->starts[i].time);
	}
	header_parser_save(parser, &plain);
	if (!state->whole)
		put_body(&plain, state);
	bytes.data = plain.data;
	bytes.size = plain.len;
	packed = blob_pack(bytes);
	pfree(plain.data);
	return packed;
}

L4SourceState *
source_state_unpack(const bytea *bytes, L4HeaderParser *parser, L4StatisticsMemory *memory)
{
	L4SourceState *state = palloc0(sizeof(L4SourceState));
	L4Bytes		plain = blob_unpack(bytes);
	L4ColumnReader in = {plain.data, plain.data + plain.size};
	uint64		flags = column_get_unsigned(&in);
	int			i;

	state->by_row = (flags & 1) != 0;
	state->whole = (flags & 2) != 0;
	state->refused = (flags & 4) != 0;
	state->line_no = (int64) column_get_unsigned(&in);
	state->reference = column_get_signed(&in);
	state->start_count = (int) column_get_count(&in, PG_INT32_MAX);
	state->starts = palloc(mul_size(Max(state->start_count, 1), sizeof(L4IterationStart)));
	for (i = 0; i < state->start_count; i++)
	{
		state->starts[i].iteration = column_get_signed(&in);
		state->starts[i].time = column_get_signed(&in);
	}
	if (parser == NULL)
		return state;
	header_parser_restore(parser, &in);
	if (!state->whole)
		get_body(&in, state, memory);
	return state;
}
