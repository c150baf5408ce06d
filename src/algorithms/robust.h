/*
 * robust.h: order statistics of many numbers of which most may be equal and not stored (the zeros of a sparse column).
 */
#ifndef L4_ROBUST_H
#define L4_ROBUST_H

#include "ground/l4.h"

/* sd of a normal sample over the median of its absolute deviations */
#define ROBUST_MAD_TO_SD 1.4826
/* sd of a normal sample over the root mean square of its smallest three quarters of absolute deviations */
#define ROBUST_TRIMMED_TO_SD 1.6473

/* Stored numbers in order, and the index among them of the equal ones that are not stored. */
typedef struct L4Robust
{
	double	   *sorted;			/* the caller's */
	int64		count;
	int64		implicit;		/* how many are not stored */
	double		implicit_value;
	int64		before;			/* stored ones less than it */
} L4Robust;

/* Sorts the count numbers at sorted (no NaN) and notes the others. O(n log n). */
extern void robust_sort(L4Robust *numbers, int64 implicit, double implicit_value);

/* The number at an index of the order, from 0. */
extern double robust_at(const L4Robust *numbers, int64 index);

/* Median; of an even number the mean of the two in the middle. At least one number. */
extern double robust_median(const L4Robust *numbers);

/* The number in the middle, of an even number the upper one, of numbers whose order changes; 0 for none. O(n). */
extern double robust_upper_median(double *numbers, int64 count);

/* Root mean square of the `kept` smallest (at least 1) of numbers that are not negative. */
extern double robust_root_mean_square(const L4Robust *numbers, int64 kept);

/*
 * The power of 2 by which finite numbers are to be divided, which loses nothing, so that the largest lies between 1/2 and 1 and
 * nothing that is worked out of them overflows. 0 where all are 0.
 */
extern int	robust_exponent(const double *numbers, int64 count);

#endif							/* L4_ROBUST_H */
