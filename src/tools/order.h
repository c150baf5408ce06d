/*
 * order.h: a comparison for qsort that the server keeps to itself, numbers in order, and sets of numbers as sorted arrays.
 */
#ifndef L4_ORDER_H
#define L4_ORDER_H

#include "ground/l4.h"

/* Two int64, ascending. */
extern int	compare_int64(const void *a, const void *b);

/* Sorts numbers, ascending; none may be NaN. O(count * log(count)), many times as fast as qsort with a comparison. */
extern void sort_doubles(double *numbers, size_t count);

/*
 * The number at a place (less than count) of the ascending order of numbers, whose order changes; none may be NaN. Expected
 * O(count), at worst O(count * log(count)).
 */
extern double select_double(double *numbers, size_t count, size_t place);

/* Is the number among those of an array that ascends? O(log count). */
extern bool int64_set_has(const int64 *set, int count, int64 number);

/*
 * The place of a number that is among those of such an array. Cost: as int64_set_has, less where it is the one behind place
 * `last` (-1: the first).
 */
extern int	int64_set_place(const int64 *set, int count, int64 number, int last);

#endif							/* L4_ORDER_H */
