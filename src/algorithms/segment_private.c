/*
 * segment_private.c: what writing (segment.c) and reading (segment_read.c) of segments share: the times and the order of
 * streams.
 */
#include "algorithms/segment_private.h"

#include "utils/memutils.h"

void
reserve_stream_time(StreamTimes *times, int stream)
{
	int			room = Max(64, times->room);

	while (room <= stream)
		room = (int) Min((int64) room * 2, PG_INT32_MAX);
	if (times->room == 0)
	{
		times->known = MemoryContextAlloc(times->context, room);
		times->times = MemoryContextAlloc(times->context, mul_size(room, sizeof(int64)));
	}
	else
	{
		times->known = repalloc(times->known, room);
		times->times = repalloc(times->times, mul_size(room, sizeof(int64)));
	}
	memset(times->known + times->room, 0, room - times->room);
	times->room = room;
}

int *
stream_order(const int *streams, int count)
{
	int		   *begins;
	int		   *order;
	int			last = 0;
	int			i;

	for (i = 0; i < count; i++)
		last = Max(last, streams[i]);
	if (last == 0)
		return NULL;
	begins = palloc0(mul_size((size_t) last + 2, sizeof(int)));
	order = palloc(mul_size(count, sizeof(int)));
	for (i = 0; i < count; i++)
		begins[streams[i] + 1]++;
	for (i = 0; i < last; i++)
		begins[i + 1] += begins[i];
	for (i = 0; i < count; i++)
		order[begins[streams[i]]++] = i;
	pfree(begins);
	return order;
}
