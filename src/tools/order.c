/*
 * order.c: a comparison for qsort that the server keeps to itself (from PostgreSQL 17 on it has pg_cmp_s64), numbers in
 * order, and sets of numbers as sorted arrays.
 */
#include "tools/order.h"

#define ST_SORT sort_few
#define ST_ELEMENT_TYPE double
#define ST_COMPARE(a, b) ((*(a) > *(b)) - (*(a) < *(b)))
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* So many, the server's sort puts in order as fast. */
#define FEW 48

/*
 * Brings numbers less than the pivot (or_equal: or equal to it) to the front; how many. Without a branch, which would be
 * guessed wrong.
 */
static inline size_t
bring_lower(double *numbers, size_t count, double pivot, bool or_equal)
{
	size_t		lower = 0;

	for (size_t i = 0; i < count; i++)
	{
		double		number = numbers[i];

		numbers[i] = numbers[lower];
		numbers[lower] = number;
		lower += (number < pivot) | (or_equal & (number == pivot));
	}
	return lower;
}

static inline double
middle_of(double a, double b, double c)
{
	return Max(Min(a, b), Min(Max(a, b), c));
}

/* About the one in the middle. */
static double
pivot_of(const double *numbers, size_t count)
{
	double		thirds[3];

	for (int i = 0; i < 3; i++)
	{
		const double *from = numbers + i * (count / 3);

		thirds[i] = middle_of(from[0], from[count / 6], from[count / 3 - 1]);
	}
	return middle_of(thirds[0], thirds[1], thirds[2]);
}

static bool
are_sorted(const double *numbers, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (numbers[i] < numbers[i - 1])
			return false;
	return true;
}

/* depth: of parts of parts; where there are too many, pivots are at the ends. */
static void
sort_part(double *numbers, size_t count, int depth)
{
	for (; count > FEW && depth > 0; depth--)
	{
		double		pivot = pivot_of(numbers, count);
		size_t		lower = bring_lower(numbers, count, pivot, false);

		if (lower == 0)
			lower = bring_lower(numbers, count, pivot, true);
		else
			sort_part(numbers, lower, depth - 1);
		numbers += lower;
		count -= lower;
	}
	sort_few(numbers, count);
}

/* So many parts of parts are more than pivots near the middle make. */
static int
depth_limit(size_t count)
{
	int			depth = 8;

	for (; count > 1; count /= 2)
		depth += 2;
	return depth;
}

void
sort_doubles(double *numbers, size_t count)
{
	if (!are_sorted(numbers, count))
		sort_part(numbers, count, depth_limit(count));
}

double
select_double(double *numbers, size_t count, size_t place)
{
	for (int depth = depth_limit(count); count > FEW && depth > 0; depth--)
	{
		double		pivot = pivot_of(numbers, count);
		size_t		lower = bring_lower(numbers, count, pivot, false);

		if (lower == 0)
		{
			lower = bring_lower(numbers, count, pivot, true);
			if (place < lower)
				return pivot;
		}
		if (place < lower)
			count = lower;
		else
		{
			numbers += lower;
			count -= lower;
			place -= lower;
		}
	}
	sort_few(numbers, count);
	return numbers[place];
}

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
