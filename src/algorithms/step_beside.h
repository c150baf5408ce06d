/*
 * step_beside.h: how long the sender of one link computes beside that of another one, where all wait for the slowest in each
 * layer (ZeRO-3, FSDP).
 */
#ifndef L4_STEP_BESIDE_H
#define L4_STEP_BESIDE_H

#include "algorithms/intervals.h"

/* What goes one way between two: messages, and the bytes of each. */
typedef struct L4Traffic
{
	L4Intervals messages;
	const double *moved;
} L4Traffic;

/*
 * For each of count steps, of which ends[i] to ends[i + 1] is the i-th (count + 1 ends), the median of the logarithm of what
 * the sender of a link took from one collective to the next over what that of another link of the same job took, where the
 * other one began to send each of the two before it, of itself, and both moved the same between; NAN where that is seen in
 * none. Where nothing is gathered ahead, of the silences before collectives. Allocates in the current memory context. Time:
 * O(n log n).
 */
extern void step_beside(const L4Traffic *link, const L4Traffic *other, const double *ends, int64 count, double *beside);

#endif							/* L4_STEP_BESIDE_H */
