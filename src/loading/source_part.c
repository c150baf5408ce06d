/*
 * source_part.c: parts of a large source, read before those that come before them are known.
 *
 * What a line becomes depends on four things of the lines before it: the record it may continue, where its stream stands (time,
 * stage, iteration), the number of its line, and which shapes the limit still admits. A part is therefore read on a guess. It
 * begins where a record begins as seen from some way before it; the streams stand as they stood at the last place known, moved
 * on by that same way. The part notes what its records inherited from before it. The leader, which knows where the streams
 * stand, takes the part in (source_merge.c) if it begins where the part before ended, if every stream whose inheritance
 * mattered stood as was thought, and if all its shapes are admitted in any order. Otherwise its bytes are read again, in order.
 * So the result is that of reading in order, whatever was guessed.
 *
 * The bytes of a part go between processes of one call and are never kept.
 */
#include "loading/source_private.h"

#include "tools/codec.h"

#include "loading/source_rows.h"

void
source_put_points(const L4Source *work, StringInfo out)
{
	int			i;

	column_put_unsigned(out, work->streams.count);
	for (i = 0; i < work->streams.count; i++)
	{
		StreamPoint point = source_stream_point(&work->streams.list[i]);

		column_put_signed(out, work->streams.list[i].row.stream_id);
		source_put_point(out, &point);
	}
}

static guesses_hash *
get_guesses(L4Bytes points)
{
	L4ColumnReader in = {points.data, points.data + points.size};
	guesses_hash *guesses = guesses_create(CurrentMemoryContext, 64, NULL);
	uint32		count = column_get_count(&in, PG_INT32_MAX);
	bool		found;

	while (count-- > 0)
	{
		uint64		stream_id = (uint64) column_get_signed(&in);

		guesses_insert(guesses, stream_id, &found)->point = source_get_point(&in);
	}
	return guesses;
}

L4Source *
source_part_begin(L4SourceContext *context, const char *name, TimestampTz modified_at, L4Bytes sample, L4Bytes points,
				  int64 offset, int64 line_no)
{
	L4Source   *work = source_begin(context, name, modified_at);

	work->input.of_part = true;
	source_sample(work, sample);
	work->streams.guesses = get_guesses(points);
	source_guess_stream(work, &work->streams.list[0]);
	work->segment.out = makeStringInfo();
	work->phase = SOURCE_WARMING;
	work->input.bytes = offset;
	record_assembler_set_line(work->input.assembler, line_no);
	return work;
}

void
source_part_start(L4Source *work)
{
	int			i;

	work->phase = SOURCE_READING;
	for (i = 0; i < work->streams.count; i++)
		source_mark_stream(&work->streams.list[i]);
	work->part.offset = work->input.bytes;
	work->part.line_no = record_assembler_lines(work->input.assembler) + 1;
}

/* What a stream was in the part, with what it inherited and what it leaves behind. */
static void
put_stream(StringInfo out, const Stream *stream)
{
	StreamPoint end = source_stream_point(stream);

	source_put_stream_row(out, &stream->row);
	source_put_point(out, &stream->entry);
	source_put_point(out, &end);
	column_put_unsigned(out, stream->own_time + 2 * stream->own_stage + 4 * stream->own_iteration +
						8 * stream->used_time + 16 * stream->used_stage + 32 * stream->used_iteration);
}

static void
put_summary(StringInfo out, const Summary *summary, uint64 shape_id, int stream)
{
	column_put_unsigned(out, stream);
	column_put_signed(out, (int64) shape_id);
	source_put_summary_row(out, &summary->row);
	statistics_put(out, &summary->statistics);
}

static void
put_streams(StringInfo out, const L4Source *work, int *numbers)
{
	int			count = 0;
	int			i;

	for (i = 0; i < work->streams.count; i++)
		numbers[i] = work->streams.list[i].row.record_count > 0 ? count++ : -1;
	column_put_unsigned(out, count);
	for (i = 0; i < work->streams.count; i++)
		if (numbers[i] >= 0)
			put_stream(out, &work->streams.list[i]);
}

static void
put_shapes(StringInfo out, const L4Source *work)
{
	shapes_iterator iterator;
	ShapeEntry *entry;

	column_put_unsigned(out, work->shapes.table->members);
	shapes_start_iterate(work->shapes.table, &iterator);
	while ((entry = shapes_iterate(work->shapes.table, &iterator)) != NULL)
	{
		column_put_signed(out, (int64) entry->shape_id);
		column_put_bytes(out, entry->shape->text);
	}
}

static void
put_summaries(StringInfo out, const L4Source *work, const int *numbers)
{
	summaries_iterator iterator;
	SummaryEntry *entry;

	column_put_unsigned(out, work->counts.summaries->members);
	summaries_start_iterate(work->counts.summaries, &iterator);
	while ((entry = summaries_iterate(work->counts.summaries, &iterator)) != NULL)
		put_summary(out, entry->summary, entry->key.shape_id, numbers[entry->key.stream]);
}

static void
put_starts(StringInfo out, const L4Source *work)
{
	starts_iterator iterator;
	IterationEntry *entry;

	column_put_unsigned(out, work->counts.starts->members);
	starts_start_iterate(work->counts.starts, &iterator);
	while ((entry = starts_iterate(work->counts.starts, &iterator)) != NULL)
	{
		column_put_signed(out, (int64) entry->iteration);
		column_put_signed(out, entry->start);
	}
}

void
source_part_put(L4Source *work, StringInfo out)
{
	int		   *numbers = palloc(mul_size(work->streams.count, sizeof(int)));

	source_finish_segment(work);
	column_put_unsigned(out, work->shapes.limited ? 1 : 0);
	column_put_signed(out, work->part.offset);
	column_put_signed(out, work->part.line_no);
	column_put_signed(out, work->input.bytes);
	column_put_signed(out, record_assembler_lines(work->input.assembler) + 1);
	source_put_uses(out, work->counts.format_uses, work->counts.format_count);
	put_streams(out, work, numbers);
	put_shapes(out, work);
	put_summaries(out, work, numbers);
	put_starts(out, work);
	column_put_bytes(out, (L4Bytes) {work->segment.out->data, work->segment.out->len});
}

L4Source *
source_whole_begin(L4SourceContext *context, const char *name, TimestampTz modified_at)
{
	L4Source   *work = source_begin(context, name, modified_at);

	work->segment.out = makeStringInfo();
	work->part.line_no = 1;
	return work;
}

size_t
source_whole_size(const L4Source *work)
{
	return work->segment.out->len;
}

bool
source_whole_put(L4Source *work, StringInfo out)
{
	if (!work->input.sampled)
		return false;
	record_assembler_end(work->input.assembler);
	source_part_put(work, out);
	return true;
}
