/*
 * intervals.h: what messages between two ends tell by their times alone: how regularly they come, how much of a period they
 * span, whether two series go together.
 */
#ifndef L4_INTERVALS_H
#define L4_INTERVALS_H

#include "ground/l4.h"

/* Messages in order of their beginning; ended[i] >= began[i]. */
typedef struct L4Intervals
{
	const double *began;
	const double *ended;
	int64		count;
} L4Intervals;

/* Pauses that may part bursts, from the shortest on. */
typedef struct L4Pauses
{
	double	   *sorted;			/* all between messages */
	int64		count;
	double		next;
	int64		tried;			/* how many were longer than the last one that was tried */
	bool		tried_all;
} L4Pauses;

/* Allocates in the current memory context; to be freed by pfree(sorted). Time O(n log n). */
extern L4Pauses intervals_pauses(const L4Intervals *messages);

/*
 * The next pause to try: one for which there are nearly as many bursts if it were half as long again; in the end one that parts
 * all messages. False: no other.
 */
extern bool intervals_next_pause(L4Pauses *pauses, double *pause);

/* Bursts: runs of messages with no pause of `pause` or more between them. */
typedef struct L4Regularity
{
	double		interval;		/* from the beginning of a burst to that of the next: the median */
	double		pause;			/* what parts bursts */
	int64		bursts;
} L4Regularity;

/*
 * The finest bursts that come regularly: the shortest pause (intervals_next_pause) for which most intervals (share_of_count),
 * and those that make up most of the time (share_of_time), are within `tolerance` (a share) of their median. False: none, or
 * fewer than three bursts. Allocates in the current memory context. Time O(n log n).
 */
extern bool intervals_regular(const L4Intervals *messages, double share_of_count, double share_of_time, double tolerance,
							  L4Regularity *result);

/*
 * Share of the messages of a that begin as long before or after the nearest of b as most do, within tolerance (seconds). 0
 * where one has none. What is exchanged goes together; what is answered does not. Time O(n log n).
 */
extern double intervals_together(const L4Intervals *a, const L4Intervals *b, double tolerance);

/*
 * How many bursts there are, parted by pauses of `pause` or more; *seconds: how long they last, all together. Time O(n).
 */
extern int64 intervals_bursts(const L4Intervals *messages, double pause, double *seconds);

#endif							/* L4_INTERVALS_H */
