/*
 * source_record.c: one record of a source: placed, masked, added to the segment and to the counts.
 */
#include "loading/source_private.h"

/* Extends first and last of a stream by a record. */
static void
extend_stream(Stream *stream, const L4Record *record)
{
	L4StreamRow *row = &stream->row;

	row->record_count++;
	row->last_stage = record->stage;
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

	(void) progress_advance(&work->context->rules->progress, &stream->progress, class, raw->message,
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

/* Takes one record from the assembler: places it, masks it, adds it to the segment and to the counts. */
void
source_take_record(const L4RawRecord *raw, void *argument)
{
	L4Source   *work = argument;
	Stream	   *stream = source_stream_of(work, &raw->header);
	Shape	   *shape;
	L4ProgressState progress;
	L4Record	record;
	bool		marked;

	stream->has_time = header_next_time(&raw->header, work->context->zone, work->context->job->started_at, stream->has_time,
										&stream->time);
	if (work->phase == SOURCE_WARMING)
	{
		warm(work, stream, raw);
		return;
	}
	record.message = raw->message;
	record.line_count = raw->line_count;
	record.level = raw->header.level;
	shape = source_mask_record(work, &record, raw->rest);
	record.stream = source_segment_stream(work, stream);
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
	marked = progress_advance(&work->context->rules->progress, &stream->progress, shape->class, raw->message,
							  record.parameters, record.parameter_count, &progress);
	if (marked && stream->has_time && !raw->cut &&
		source_note_start(work->counts.starts, stream->progress.iteration, stream->time) &&
		source_is_ending(work))
		source_keep_start(work, stream->progress.iteration, stream->time);
	note_origin(&stream->own_time, &stream->used_time, raw->header.has_time);
	note_origin(&stream->own_stage, &stream->used_stage, marked || shape->class.stage != 0);
	note_origin(&stream->own_iteration, &stream->used_iteration, marked);
	record.stage = progress.stage;
	record.has_iteration = progress.has_iteration;
	record.iteration = progress.iteration;
	source_extend_segment(work, raw, &record);
	if (work->phase == SOURCE_ENDING)
		note_first_ending(work);
	source_add_to_segment(work, &record, shape);
	shape->firm |= !source_is_ending(work);
	if (work->resume.replayed > 0)
		work->resume.replayed--;
	else
	{
		source_count_record(work, (int) (stream - work->streams.list), shape, &record);
		extend_stream(stream, &record);
		if (raw->header.format >= 0 && raw->header.format < work->counts.format_count)
			work->counts.format_uses[raw->header.format]++;
	}
	if (segment_record_count(work->segment.builder) >= L4_SEGMENT_RECORDS ||
		segment_raw_size(work->segment.builder) >= L4_SEGMENT_BYTES)
		source_finish_segment(work);
}
