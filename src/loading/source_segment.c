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

	work->segment.builder = segment_builder_create(work->context->job->salt, work->context->frames);
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
source_complete_segment(L4Source *work)
{
	int			count = segment_shape_count(work->segment.builder);
	int			i;

	work->segment.row.record_count = segment_record_count(work->segment.builder);
	work->segment.row.raw_bytes = segment_raw_size(work->segment.builder);
	work->segment.row.shape_ids = palloc(mul_size(Max(count, 1), sizeof(int64)));
	for (i = 0; i < count; i++)
		work->segment.row.shape_ids[i] = (int64) segment_shape_id(work->segment.builder, i);
	work->segment.row.shape_count = count;
}

void
source_finish_segment(L4Source *work)
{
	MemoryContext caller = MemoryContextSwitchTo(work->segment.memory);

	source_complete_segment(work);
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
