/*
 * step_traffic.h: what goes along a link in each step, and how fast.
 */
#ifndef L4_STEP_TRAFFIC_H
#define L4_STEP_TRAFFIC_H

#include "ground/l4.h"

/* Messages in order: when each began, the bytes it moved, the seconds of its records, and the number of its path. */
typedef struct L4TrafficMessages
{
	const double *began;
	const double *moved;
	const double *busy;
	const double *path;
	int64		count;
} L4TrafficMessages;

typedef struct L4TrafficRule
{
	int			path;			/* those of this path alone; 0: all */
	double		fastest;		/* the rate is that which messages with this share of the bytes have; 1: that of all together */
	double		smallest;		/* what moves less than this share of the mean begins no step */
} L4TrafficRule;

/*
 * Of each step, which lasts from ends[i] to ends[i + 1] (in order, one more than there are steps): the bytes of the messages
 * that began in it, the seconds that these take at the rate of the rule, and when the first of them began (0: there is none).
 * bytes, seconds and first have room for all steps. Allocates in the current memory context. Time O(n log n).
 */
extern void step_traffic(const L4TrafficMessages *messages, const double *ends, int64 steps, const L4TrafficRule *rule,
						 double *bytes, double *seconds, double *first);

#endif							/* L4_STEP_TRAFFIC_H */
