/*
 * repeated.h: how much of what goes one way between two repeats itself from cycle to cycle.
 */
#ifndef L4_REPEATED_H
#define L4_REPEATED_H

#include "ground/l4.h"

/*
 * Of what differs in what the parts of cycles move, the share that is the same in all: 1 where each cycle is like the others,
 * next to 0 for what goes on without them. times: when so much was moved, in order; ends: of the cycles, in order, of which
 * those count that lie within these times. NAN where that leaves fewer cycles than `needed`, or nothing differs. Time: O(n).
 */
extern double repeated_share(const double *times, const double *moved, int64 count, const double *ends, int64 end_count,
							 int parts, int64 needed);

#endif							/* L4_REPEATED_H */
