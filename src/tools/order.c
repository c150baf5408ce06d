/*
 * order.c: a comparison for qsort that the server keeps to itself (from PostgreSQL 17 on it has pg_cmp_s64), sorted numbers,
 * and sets of numbers as sorted arrays.
 */
#include "tools/order.h"

#define ST_SORT sort_doubles
#define ST_ELEMENT_TYPE double
#define ST_COMPARE(a, b) ((*(a) > *(b)) - (*(a) < *(b)))
#define ST_SCOPE extern
#define ST_DEFINE
#include "lib/sort_template.h"

int
compare_int64(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

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
