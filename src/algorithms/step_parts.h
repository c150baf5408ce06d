/*
 * step_parts.h: whether parameters come back only in the next step, and where the phase of a step parts into gradients and
 * these.
 */
#ifndef L4_STEP_PARTS_H
#define L4_STEP_PARTS_H

#include "algorithms/intervals.h"
#include "ground/l4.h"

/*
 * How soon behind the end of a step, in the time that a microbatch takes, a stage sends the activations of the first one: the
 * median over the steps (ends, in order, seconds) in which it sends two well before it gets anything back; 0 where those are
 * fewer than `least`. Below 1 it began to compute before the step ended. Allocates in the current memory context.
 * Time O(n log n).
 */
extern double step_lead(const L4Intervals *sent, const L4Intervals *back, const double *ends, int64 end_count, int64 least);

/*
 * When the gradients of each phase (from began to ended, in order) were summed up, of a link that moves them and then the
 * parameters: the end of the message before the longest silence behind which as much comes as before it, or half as much
 * (numbers of 16 bits instead of 32), within tolerance (a share of it); the end of the phase where there is none. ends has room
 * for as many. Time O(n).
 */
extern void step_parts(const L4Intervals *messages, const double *moved, const double *began, const double *ended, int64 count,
					   double tolerance, double *ends);

#endif							/* L4_STEP_PARTS_H */
