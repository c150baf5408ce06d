/*
 * source_record.c: one record of a source: placed, masked, added to the segment and to the counts.
 */
#include "loading/source_private.h"

/* What a record looks at of counts and statistics: a Summary and those of two or three parameters; by lines of a cache. */
#define PREFETCHED_BYTES (sizeof(Summary) + 256)
#define PREFETCHED_LINE 64

/* The stream's index in the open segment. */
static int
segment_stream(L4Source *work, Stream *stream)
{
	if (stream->in_segment < 0)
	{
		if (work->segment.row.stream_count == work->segment.stream_room)
		{
			work->segment.stream_room *= 2;
			work->segment.row.stream_ids = repalloc(work->segment.row.stream_ids,
													mul_size(work->segment.stream_room, sizeof(int64)));
		}
		stream->in_segment = work->segment.row.stream_count;
		work->segment.row.stream_ids[work->segment.row.stream_count++] = stream->row.stream_id;
	}
	return stream->in_segment;
}

/* Extends first and last of the open segment by a record. */
static void
extend_segment(L4Source *work, const L4RawRecord *raw, const L4Record *record)
{
	L4SegmentRow *segment = &work->segment.row;

	if (segment_record_count(work->segment.builder) == 0)
	{
		segment->first_line = raw->line_no;
		work->segment.start.line_no = raw->line_no;
		work->segment.start.line_part = raw->line_part;
		work->segment.start.before = raw->before;
	}
	segment->last_line = raw->last_line_no;
	if (record->has_time)
	{
		segment->first_ts = segment->has_time ? Min(segment->first_ts, record->time) : record->time;
		segment->last_ts = segment->has_time ? Max(segment->last_ts, record->time) : record->time;
		segment->has_time = true;
	}
}

/* Adds the record to the open segment; its shape is looked up there only once, unless two texts share a hash. */
static void
add_to_segment(L4Source *work, L4Record *record, Shape *shape)
{
	bool		same = record->shape_text.data == shape->text.data;
	int			index;

	record->shape = same && shape->segment_no == work->segment.row.segment_no ? shape->segment_index : -1;
	index = segment_add(work->segment.builder, record);
	if (same)
	{
		shape->segment_index = index;
		shape->segment_no = work->segment.row.segment_no;
	}
}

/*
 * Asks the processor for the counts of a shape in a stream ahead of count_record, with the statistics of the first parameters,
 * which as a rule were allocated right behind them. Where hundreds of ranks share a file these are some megabytes that records
 * visit in turns, and counting mostly waited for them.
 */
static inline void
prefetch_counts(const Shape *shape, int stream)
{
	const char *summary = stream < shape->stream_room ? (const char *) shape->by_stream[stream] : NULL;
	int			at;

	if (summary != NULL)
		for (at = 0; at < PREFETCHED_BYTES; at += PREFETCHED_LINE)
			__builtin_prefetch(summary + at, 1);
}

static void
count_record(L4Source *work, int stream, Shape *shape, const L4Record *record)
{
	Summary    *summary = shape->last_stream == stream ? shape->last_summary : source_summary_of(work, stream, shape, record);
	L4SummaryRow *row = &summary->row;

	if (source_is_ending(work) && !summary->imaged)
		source_keep_image(work, summary);
	if (record->parameter_count > 0)
		statistics_add(&work->counts.memory, &summary->statistics, record->parameters, record->parameter_count,
					   record->line_no);
	row->occurrences++;
	row->level = Max(row->level, record->level);
	row->last_line = record->line_no;
	if (record->has_time)
	{
		row->first_ts = row->has_time ? Min(row->first_ts, record->time) : record->time;
		row->last_ts = row->has_time ? Max(row->last_ts, record->time) : record->time;
		row->has_time = true;
	}
	if (record->has_iteration)
	{
		if (!row->has_iteration)
			row->first_iteration = record->iteration;
		row->last_iteration = record->iteration;
		row->has_iteration = true;
	}
}

/* Extends first and last of a stream by a record. */
static void
extend_stream(Stream *stream, const L4Record *record)
{
	L4StreamRow *row = &stream->row;

	row->record_count++;
	row->last_stage = stream->progress.stage;
	if (record->has_time)
	{
		row->first_ts = row->has_time ? Min(row->first_ts, record->time) : record->time;
		row->last_ts = row->has_time ? Max(row->last_ts, record->time) : record->time;
		row->has_time = true;
	}
	if (record->has_iteration)
	{
		if (!row->has_iteration)
			row->first_iteration = record->iteration;
		row->last_iteration = record->iteration;
		row->has_iteration = true;
	}
}

/* Where a record has something from: said since the last cut (own), or inherited from before (used). */
static inline void
note_origin(bool *own, bool *used, bool said)
{
	*own |= said;
	*used |= !*own;
}

/* Of a record before a part only follows where its stream stands. */
static void
warm(L4Source *work, Stream *stream, const L4RawRecord *raw)
{
	L4ProgressClass class = source_class_of_message(work, raw->message);
	L4ProgressState progress;

	(void) progress_advance(&work->context->rules->progress, &stream->progress, class, raw->header.level, raw->message,
							work->shapes.current.parameters, work->shapes.current.parameter_count, &progress);
}

/*
 * Notes the first of the records that the end of the input closes: if its segment has no final record, the source continues
 * from it.
 */
static void
note_first_ending(L4Source *work)
{
	if (work->resume.state->counted == 0)
		work->resume.state->start = work->segment.start;
	work->phase = SOURCE_ENDING_MORE;
}

/* Counts a record, unless it comes again and is counted already. */
static inline void
count_once(L4Source *work, Stream *stream, Shape *shape, const L4RawRecord *raw, const L4Record *record)
{
	if (work->resume.replayed > 0)
		work->resume.replayed--;
	else
	{
		count_record(work, (int) (stream - work->streams.list), shape, record);
		extend_stream(stream, record);
		if (raw->header.format >= 0 && raw->header.format < work->counts.format_count)
			work->counts.format_uses[raw->header.format]++;
	}
}

/* The stream of a record; the file's own where it has no label, or its label does not count. */
static inline Stream *
stream_of(L4Source *work, const L4Header *header)
{
	if (work->streams.list[0].row.place.rank >= 0 || (header->rank < 0 && header->local_rank < 0 && header->host.size == 0))
		return &work->streams.list[0];
	return source_labelled_stream(work, header);
}

/* Takes one record from the assembler: places it, masks it, adds it to the segment and to the counts. */
void
source_take_record(const L4RawRecord *raw, void *argument)
{
	L4Source   *work = argument;
	Stream	   *stream = stream_of(work, &raw->header);
	Shape	   *shape;
	L4ProgressState progress;
	L4Record	record;
	bool		marked;

	stream->has_time = header_next_time(&raw->header, work->context->zone,
										work->context->job->started_at != 0 ? work->context->job->started_at :
										header_parser_told_time(work->input.parser), stream->has_time, &stream->time);
	if (work->phase == SOURCE_WARMING)
	{
		warm(work, stream, raw);
		return;
	}
	record.message = raw->message;
	record.line_count = raw->line_count;
	record.level = raw->header.level;
	shape = source_mask_record(work, &record, raw->rest);
	prefetch_counts(shape, (int) (stream - work->streams.list));
	record.stream = segment_stream(work, stream);
	record.line_no = raw->line_no;
	record.line_part = raw->line_part;
	record.has_time = stream->has_time;
	record.time = stream->time;
	record.component = raw->header.component;
	record.frame = raw->frame;
	record.time_text = raw->header.time_text;
	record.time_form = raw->header.time_form;
	if (!raw->header.has_time)
		record.time_text.size = 0;
	marked = progress_advance(&work->context->rules->progress, &stream->progress, shape->class, record.level,
							  raw->message, record.parameters, record.parameter_count, &progress);
	if (marked && stream->has_time && !raw->cut &&
		source_note_start(work->counts.starts, stream->progress.iteration, stream->time) &&
		source_is_ending(work))
		source_keep_start(work, stream->progress.iteration, stream->time);
	note_origin(&stream->own_time, &stream->used_time, raw->header.has_time);
	note_origin(&stream->own_stage, &stream->used_stage, progress_is_settled(shape->class, record.level, marked));
	note_origin(&stream->own_iteration, &stream->used_iteration, marked);
	record.stage = progress.stage;
	record.has_iteration = progress.has_iteration;
	record.iteration = progress.iteration;
	extend_segment(work, raw, &record);
	if (work->phase == SOURCE_ENDING)
		note_first_ending(work);
	add_to_segment(work, &record, shape);
	shape->firm |= !source_is_ending(work);
	count_once(work, stream, shape, raw, &record);
	if (segment_record_count(work->segment.builder) >= L4_SEGMENT_RECORDS ||
		segment_raw_size(work->segment.builder) >= L4_SEGMENT_BYTES)
		source_finish_segment(work);
}
