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

/* The first place of a number that is not less than this one; count where there is none. */
static int
place_of(const int64 *set, int count, int64 number)
{
	int			first = 0;

	while (count > 0)
	{
		int			half = count / 2;

		if (set[first + half] < number)
		{
			first += half + 1;
			count -= half + 1;
		}
		else
			count = half;
	}
	return first;
}

bool
int64_set_has(const int64 *set, int count, int64 number)
{
	int			place = place_of(set, count, number);

	return place < count && set[place] == number;
}

int
int64_set_place(const int64 *set, int count, int64 number, int last)
{
	if (last + 1 < count && set[last + 1] == number)
		return last + 1;
	return place_of(set, count, number);
}
