/*
 * source_merge.c: adds a part that was read ahead (source_part.c) to its source, if reading in order would give the same.
 */
#include "loading/source_private.h"

#include "utils/memutils.h"

#include "loading/source_rows.h"

#include "tools/codec.h"

/* What a stream was in the part, with what it inherited and what it leaves behind. */
typedef struct PartStream
{
	L4StreamRow row;			/* counts, first and last of the part alone */
	StreamPoint entry;
	StreamPoint end;
	bool		own_time;
	bool		own_stage;
	bool		own_iteration;
	bool		used_time;
	bool		used_stage;
	bool		used_iteration;
	int			number;			/* of the stream in the source that takes the part in, or -1 */
} PartStream;

/* A part to be added: first everything that decides is read, then everything is applied. */
typedef struct Part
{
	MemoryContext lasting;		/* that of the source; all else goes when the part is in */
	L4ColumnReader in;
	int64		end;
	int64		end_line;
	int64	   *format_uses;
	int			stream_count;
	PartStream *streams;
	int			shape_count;
	uint64	   *shape_ids;
	L4Bytes    *shapes;
} Part;

static void
get_stream(L4ColumnReader *in, PartStream *stream)
{
	uint64		flags;

	source_get_stream_row(in, &stream->row);
	stream->entry = source_get_point(in);
	stream->end = source_get_point(in);
	flags = column_get_unsigned(in);
	stream->own_time = (flags & 1) != 0;
	stream->own_stage = (flags & 2) != 0;
	stream->own_iteration = (flags & 4) != 0;
	stream->used_time = (flags & 8) != 0;
	stream->used_stage = (flags & 16) != 0;
	stream->used_iteration = (flags & 32) != 0;
}

static void
get_streams(Part *part)
{
	int			i;

	part->stream_count = (int) column_get_count(&part->in, PG_INT32_MAX);
	part->streams = palloc0(mul_size(Max(part->stream_count, 1), sizeof(PartStream)));
	for (i = 0; i < part->stream_count; i++)
		get_stream(&part->in, &part->streams[i]);
}

/* The shapes of the part that the source does not have yet. */
static void
get_new_shapes(Part *part, const L4Source *work)
{
	uint32		count = column_get_count(&part->in, PG_INT32_MAX);

	part->shape_ids = palloc(mul_size(Max(count, 1), sizeof(uint64)));
	part->shapes = palloc(mul_size(Max(count, 1), sizeof(L4Bytes)));
	while (count-- > 0)
	{
		uint64		shape_id = (uint64) column_get_signed(&part->in);
		L4Bytes		text = column_get_bytes(&part->in);

		if (shapes_lookup(work->shapes.table, shape_id) != NULL)
			continue;
		part->shape_ids[part->shape_count] = shape_id;
		part->shapes[part->shape_count++] = text;
	}
}

/* The number of the part's stream in the source, -1 where it is new there. */
static int
find_stream(const L4Source *work, const PartStream *stream)
{
	StreamEntry *entry;

	if (stream->row.label == NULL)
		return 0;
	entry = labels_lookup(work->streams.labels, shape_hash(stream->row.label, strlen(stream->row.label)));
	return entry != NULL ? entry->stream : -1;
}

/* Did the part guess right where the stream stands, as far as its records depend on it? */
static bool
stands_as_thought(const PartStream *stream, const StreamPoint *truth)
{
	const StreamPoint *entry = &stream->entry;

	if (stream->used_time && (entry->has_time != truth->has_time || (truth->has_time && entry->time != truth->time)))
		return false;
	if (stream->used_stage && (entry->progress.stage != truth->progress.stage ||
							   entry->progress.before != truth->progress.before))
		return false;
	return !stream->used_iteration ||
		(entry->progress.has_iteration == truth->progress.has_iteration &&
		 (!truth->progress.has_iteration || entry->progress.iteration == truth->progress.iteration));
}

/* Where a stream of the part stands in the source: at its beginning where it is new there. */
static StreamPoint
true_point(const L4Source *work, const PartStream *stream)
{
	StreamPoint point = {0};

	if (stream->number >= 0)
		return source_stream_point(&work->streams.list[stream->number]);
	point.progress.stage = source_first_stage(&stream->row.place);
	return point;
}

static bool
streams_stand(const L4Source *work, Part *part)
{
	int			i;

	for (i = 0; i < part->stream_count; i++)
	{
		StreamPoint truth;

		part->streams[i].number = find_stream(work, &part->streams[i]);
		truth = true_point(work, &part->streams[i]);
		if (!stands_as_thought(&part->streams[i], &truth))
			return false;
	}
	return true;
}

/* Would reading in order give this part? If so, its new shapes are counted. */
static bool
part_holds(L4Source *work, Part *part)
{
	bool		limited = column_get_unsigned(&part->in) != 0;
	int64		offset = column_get_signed(&part->in);
	int64		line_no = column_get_signed(&part->in);
	int			format_count;

	part->end = column_get_signed(&part->in);
	part->end_line = column_get_signed(&part->in);
	if (limited || offset != work->input.bytes || line_no != record_assembler_lines(work->input.assembler) + 1)
		return false;
	part->format_uses = source_get_uses(&part->in, &format_count);
	if (format_count != work->counts.format_count)
		return false;
	get_streams(part);
	if (!streams_stand(work, part))
		return false;
	get_new_shapes(part, work);
	return shape_limit_admits_all(work->shapes.limit, part->shapes, part->shape_count);
}

/* First and last of two stretches, the second behind the first. */
static void
join_times(bool *has, TimestampTz *first, TimestampTz *last, bool more, TimestampTz more_first, TimestampTz more_last)
{
	if (!more)
		return;
	*first = *has ? Min(*first, more_first) : more_first;
	*last = *has ? Max(*last, more_last) : more_last;
	*has = true;
}

static void
join_iterations(bool *has, int64 *first, int64 *last, bool more, int64 more_first, int64 more_last)
{
	if (!more)
		return;
	if (!*has)
		*first = more_first;
	*last = more_last;
	*has = true;
}

static void
join_stream(L4Source *work, PartStream *from, MemoryContext lasting)
{
	Stream	   *stream;
	L4StreamRow *row;
	bool		found;

	if (from->number < 0)
	{
		L4Place		place = from->row.place;
		MemoryContext caller = MemoryContextSwitchTo(lasting);

		place.node = place.node != NULL ? pstrdup(place.node) : NULL;
		from->number = work->streams.count;
		labels_insert(work->streams.labels, shape_hash(from->row.label, strlen(from->row.label)),
					  &found)->stream = from->number;
		(void) source_add_stream(work, &place, pstrdup(from->row.label));
		MemoryContextSwitchTo(caller);
	}
	stream = &work->streams.list[from->number];
	row = &stream->row;
	row->record_count += from->row.record_count;
	row->last_stage = from->row.last_stage;
	join_times(&row->has_time, &row->first_ts, &row->last_ts, from->row.has_time, from->row.first_ts, from->row.last_ts);
	join_iterations(&row->has_iteration, &row->first_iteration, &row->last_iteration,
					from->row.has_iteration, from->row.first_iteration, from->row.last_iteration);
	if (from->own_time)
	{
		stream->has_time = from->end.has_time;
		stream->time = from->end.time;
	}
	if (from->own_stage || from->used_stage)
	{
		stream->progress.stage = from->end.progress.stage;
		stream->progress.before = from->end.progress.before;
	}
	if (from->own_iteration)
	{
		stream->progress.has_iteration = from->end.progress.has_iteration;
		stream->progress.iteration = from->end.progress.iteration;
	}
	source_mark_stream(stream);
}

static void
join_summary(L4Source *work, Part *part)
{
	L4ColumnReader *in = &part->in;
	uint32		number = (uint32) column_get_unsigned(in);
	uint64		shape_id = (uint64) column_get_signed(in);
	L4SummaryRow from = {0};
	L4StatisticsSet statistics;
	Summary    *summary;
	L4SummaryRow *row;
	MemoryContext caller;
	bool		is_new;

	if (number >= (uint32) part->stream_count)
		column_corrupted("a part counts for a stream that it does not have");
	source_get_summary_row(in, &from);
	statistics_get(in, &statistics);
	caller = MemoryContextSwitchTo(part->lasting);
	summary = source_summary(work, part->streams[number].number, shape_id, &is_new);
	row = &summary->row;
	if (is_new)
	{
		row->component = from.component != NULL ? pstrdup(from.component) : NULL;
		row->first_line = from.first_line;
		row->stage = from.stage;
	}
	row->occurrences += from.occurrences;
	row->level = Max(row->level, from.level);
	row->last_line = from.last_line;
	join_times(&row->has_time, &row->first_ts, &row->last_ts, from.has_time, from.first_ts, from.last_ts);
	join_iterations(&row->has_iteration, &row->first_iteration, &row->last_iteration, from.has_iteration, from.first_iteration,
					from.last_iteration);
	statistics_merge(&work->counts.cut_memory, &summary->cut_statistics, &statistics);
	MemoryContextSwitchTo(caller);
	statistics_free(&statistics);
}

static void
join_segments(L4Source *work, L4Bytes bytes)
{
	L4ColumnReader in = {bytes.data, bytes.data + bytes.size};
	MemoryContext caller = MemoryContextSwitchTo(work->segment.memory);

	while (in.at < in.end)
	{
		L4SegmentRow row = {0};

		source_get_segment_row(&in, &row);
		row.source_id = work->source_id;
		row.segment_no = work->segment.row.segment_no++;
		store_batch_segment(work->context->rows, &row);
		MemoryContextReset(work->segment.memory);
	}
	MemoryContextSwitchTo(caller);
	store_batch_write(work->context->rows);
	source_begin_segment(work);
}

/* Applies a part that holds. */
static void
join_part(L4Source *work, Part *part)
{
	MemoryContext caller;
	uint32		count;
	int			i;

	work->input.bytes = part->end;
	record_assembler_set_line(work->input.assembler, part->end_line);
	for (i = 0; i < work->counts.format_count; i++)
		work->counts.format_uses[i] += part->format_uses[i];
	for (i = 0; i < part->stream_count; i++)
		join_stream(work, &part->streams[i], part->lasting);
	caller = MemoryContextSwitchTo(part->lasting);
	for (i = 0; i < part->shape_count; i++)
		source_shape(work, part->shape_ids[i], part->shapes[i])->firm = true;
	MemoryContextSwitchTo(caller);
	for (count = column_get_count(&part->in, PG_INT32_MAX); count > 0; count--)
		join_summary(work, part);
	for (count = column_get_count(&part->in, PG_INT32_MAX); count > 0; count--)
	{
		int64		iteration = column_get_signed(&part->in);

		(void) source_note_start(work->counts.starts, iteration, column_get_signed(&part->in));
	}
	join_segments(work, column_get_bytes(&part->in));
}

bool
source_merge_part(L4Source *work, L4Bytes bytes)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "l4 part", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(memory);
	Part		part = {caller, {bytes.data, bytes.data + bytes.size}};
	bool		holds = part_holds(work, &part);

	if (holds)
		join_part(work, &part);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(memory);
	return holds;
}

bool
source_merge_whole(L4Source *work, L4Bytes bytes)
{
	/* where it was read its first bytes were looked at, and nothing of it is fed here */
	work->input.sampled = true;
	source_cut_counts(work);
	return source_merge_part(work, bytes);
}
