/*
 * period.h: the period of events that come again and again: some missing, some that do not belong, all a little off.
 */
#ifndef L4_PERIOD_H
#define L4_PERIOD_H

#include "ground/l4.h"

typedef struct L4Period
{
	double		period;
	double		share;			/* of the events that come at a multiple of the period behind another one */
	double		phase;			/* of the last of them: what is left of their time divided by the period */
	double		missing;		/* share of the times between them at which nothing came */
	double		jitter;			/* how far the time from one to the next is off, in periods: root of the mean square */
	int64		pauses;			/* how often they began anew, at any distance */
} L4Period;

/*
 * The period of finite times in ascending order; false where none stands out from events by chance, or there are fewer than
 * ten. Times multiplied or shifted have the same period, multiplied. Time O(n log n), memory as period_memory says; can be
 * cancelled.
 */
extern bool period_find(const double *times, int64 count, L4Period *result);

/* Bytes that period_find allocates at most for so many times. */
extern uint64 period_memory(int64 count);

#endif							/* L4_PERIOD_H */
