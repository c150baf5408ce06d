/*
 * order.h: comparisons for qsort that the server keeps to itself, and sets of numbers as sorted arrays.
 */
#ifndef L4_ORDER_H
#define L4_ORDER_H

#include "ground/l4.h"

/* Two int64, ascending. */
extern int	compare_int64(const void *a, const void *b);

/* Two double, ascending; neither may be NaN. */
extern int	compare_double(const void *a, const void *b);

/* Is the number among those of an array that ascends? O(log count). */
extern bool int64_set_has(const int64 *set, int count, int64 number);

/*
 * The place of a number that is among those of such an array. Cost: as int64_set_has, less where it is the one behind place
 * `last` (-1: the first).
 */
extern int	int64_set_place(const int64 *set, int count, int64 number, int last);

#endif							/* L4_ORDER_H */
