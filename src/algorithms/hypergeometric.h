/*
 * hypergeometric.h: how likely it is by chance that so many of those drawn are marked.
 */
#ifndef L4_HYPERGEOMETRIC_H
#define L4_HYPERGEOMETRIC_H

#include "ground/l4.h"

#define HYPERGEOMETRIC_MOST INT64CONST(1000000000)	/* of all; beyond, the logarithms of factorials are too coarse */

/*
 * The probability that of "drawn" out of "total", of which "marked" are marked, "hits" or more are: 1 where no fewer can be,
 * 0 where no so many can. drawn and marked lie between 0 and total, total is at most HYPERGEOMETRIC_MOST. Relative error
 * about 1e-6 for the largest totals, 1e-12 for thousands. Time: some ten standard deviations of steps at most.
 */
extern double hypergeometric_tail(int64 hits, int64 drawn, int64 marked, int64 total);

#endif							/* L4_HYPERGEOMETRIC_H */
