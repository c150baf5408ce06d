/*
 * segment_private.h: what writing (segment.c) and reading (segment_read.c) of segments share.
 *
 * Where a segment has several streams, its heads and the parameters of each text are kept stream by stream, in the order of the
 * streams' numbers: the values of one rank go on from one another, those of its neighbours in the file come between them by
 * chance. All else is in the order of the file.
 */
#ifndef L4_SEGMENT_PRIVATE_H
#define L4_SEGMENT_PRIVATE_H

#include "ground/l4.h"

/*
 * A text of a dictionary is a shape with its parameters' columns, or taken as it is, or as it is but for the digits of its
 * record's time.
 */
#define TEXT_MASKED 0
#define TEXT_PLAIN 1
#define TEXT_TIMED 2			/* plus zigzag of the offset in seconds, times 4 */

enum StructureColumn
{
	COLUMN_STREAM, COLUMN_LINE, COLUMN_TIME, COLUMN_LEVEL, COLUMN_COMPONENT, COLUMN_STAGE, COLUMN_ITERATION,
	COLUMN_FRAME, COLUMN_SHAPE, COLUMN_COUNT
};

/* The time, in the unit of the segment, of each stream's last record that had one. */
typedef struct StreamTimes
{
	MemoryContext context;
	int			room;
	bool	   *known;
	int64	   *times;
	int64		last;			/* of any stream: what a stream begins with */
} StreamTimes;

/* The time from which the next one of a stream is counted: its last, or at its beginning the last of any. */
static inline int64
stream_time(const StreamTimes *times, int stream)
{
	return stream < times->room && times->known[stream] ? times->times[stream] : times->last;
}

extern void reserve_stream_time(StreamTimes *times, int stream);

static inline void
set_stream_time(StreamTimes *times, int stream, int64 time)
{
	if (unlikely(stream >= times->room))
		reserve_stream_time(times, stream);
	times->known[stream] = true;
	times->times[stream] = times->last = time;
}

/*
 * The records in the order of their streams, and within one of the file; streams[i] < count. NULL where there is one stream
 * only: they stand so already.
 */
extern int *stream_order(const int *streams, int count);

#endif							/* L4_SEGMENT_PRIVATE_H */
