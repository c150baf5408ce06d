/*
 * source_segment.c: the open segment of a source.
 */
#include "loading/source_private.h"

#include "utils/memutils.h"

#include "loading/source_rows.h"

void
source_begin_segment(L4Source *work)
{
	MemoryContext caller = MemoryContextSwitchTo(work->segment.memory);
	int			i;

	work->segment.builder = segment_builder_create();
	for (i = 0; i < work->streams.count; i++)
	{
		work->streams.list[i].in_segment = -1;
		work->streams.list[i].begin.has_time = work->streams.list[i].has_time;
		work->streams.list[i].begin.time = work->streams.list[i].time;
		work->streams.list[i].begin.progress = work->streams.list[i].progress;
	}
	work->segment.row.stream_count = 0;
	work->segment.stream_room = 8;
	work->segment.row.stream_ids = palloc(work->segment.stream_room * sizeof(int64));
	work->segment.row.has_time = false;
	MemoryContextSwitchTo(caller);
}

void
source_finish_segment(L4Source *work)
{
	MemoryContext caller = MemoryContextSwitchTo(work->segment.memory);
	int			count = segment_shape_count(work->segment.builder);
	int			i;

	work->segment.row.record_count = segment_record_count(work->segment.builder);
	work->segment.row.raw_bytes = segment_raw_size(work->segment.builder);
	work->segment.row.shape_ids = palloc(mul_size(Max(count, 1), sizeof(int64)));
	for (i = 0; i < count; i++)
		work->segment.row.shape_ids[i] = (int64) segment_shape_id(work->segment.builder, i);
	work->segment.row.shape_count = count;
	if (work->segment.row.record_count > 0)
	{
		segment_finish(work->segment.builder, &work->segment.row.blobs);
		if (work->segment.out != NULL)
			source_put_segment_row(work->segment.out, &work->segment.row);
		else
			store_batch_segment(work->context->rows, &work->segment.row);
		work->segment.row.segment_no++;
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(work->segment.memory);
	source_begin_segment(work);
}

int
source_segment_stream(L4Source *work, Stream *stream)
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
void
source_extend_segment(L4Source *work, const L4RawRecord *raw, const L4Record *record)
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
void
source_add_to_segment(L4Source *work, L4Record *record, Shape *shape)
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
