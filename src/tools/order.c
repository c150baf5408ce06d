/*
 * order.c: comparisons for qsort that the server keeps to itself (from PostgreSQL 17 on it has pg_cmp_s64), and sets of
 * numbers as sorted arrays.
 */
#include "tools/order.h"

int
compare_int64(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return x < y ? -1 : x > y ? 1 : 0;
}

int
compare_double(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return x < y ? -1 : x > y ? 1 : 0;
}

bool
int64_set_has(const int64 *set, int count, int64 number)
{
	return bsearch(&number, set, count, sizeof(int64), compare_int64) != NULL;
}

int
int64_set_place(const int64 *set, int count, int64 number, int last)
{
	if (last + 1 < count && set[last + 1] == number)
		return last + 1;
	return (int) ((const int64 *) bsearch(&number, set, count, sizeof(int64), compare_int64) - set);
}
