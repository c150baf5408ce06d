/*
 * change_points.c: changes of level, by seeded binary segmentation with rank sums.
 *
 * The intervals that are looked at (seeds) are two neighbouring blocks of one, two, four, ... values: those of a merge sort
 * from the bottom up. So the order of the values in each, which ranks need, takes one merge, and a layer of them O(n).
 */
#include "algorithms/change_points.h"

#include <math.h>

#include "miscadmin.h"
#include "tools/room.h"
#include "utils/memutils.h"

/* By which Fryzlewicz (Annals of Statistics 2014) multiplies sqrt(2 log n), about the largest of n normal deviates. */
#define CHANCE_FACTOR 1.3

/* How often what lies between changes is looked at again, and changes are moved. */
#define MAX_TURNS 8

/* The most telling split of an interval. */
typedef struct Split
{
	int32		start;
	int32		end;			/* behind its last value */
	int32		index;			/* of the first value behind the split; -1: there is none */
	double		deviations;
} Split;

typedef struct Series
{
	const L4SeriesPoint *points;
	int64		count;
	int64		shortest;
	double		threshold;
	int32	   *sorted;			/* the blocks of a layer, each in order of its values */
	int32	   *next;			/* those of the next layer */
	int32	   *order;			/* an interval in order of its values */
	uint32	   *ranks;			/* by position: rank within the interval, twice (ties have halves) */
	double		spread;			/* of rank sums of the interval: variance over the product of the counts */
	Split	   *splits;			/* of intervals that have one beyond the threshold */
	int64		split_count;
	int64		split_capacity;
} Series;

/* By value, then by position. */
static inline int
compare_positions(int32 a, int32 b, const L4SeriesPoint *points)
{
	if (points[a].value != points[b].value)
		return points[a].value < points[b].value ? -1 : 1;
	return (a > b) - (a < b);
}

#define ST_SORT sort_positions
#define ST_ELEMENT_TYPE int32
#define ST_COMPARE(a, b, points) compare_positions(*(a), *(b), points)
#define ST_COMPARE_ARG_TYPE const L4SeriesPoint
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* The most telling one first. */
static inline int
compare_splits(const Split *a, const Split *b)
{
	if (a->deviations != b->deviations)
		return a->deviations > b->deviations ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

#define ST_SORT sort_splits
#define ST_ELEMENT_TYPE Split
#define ST_COMPARE(a, b) compare_splits(a, b)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

#define ST_SORT sort_places
#define ST_ELEMENT_TYPE Split
#define ST_COMPARE(a, b) (((a)->index > (b)->index) - ((a)->index < (b)->index))
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

double
change_points_default(int64 count)
{
	return CHANCE_FACTOR * sqrt(2.0 * log((double) Max(count, 2)));
}

/* So many intervals are long enough to be split, at most: count / block a layer, of the layers with blocks of shortest on. */
static int64
most_splits(int64 count, int64 shortest)
{
	return 2 * count / shortest + 64;
}

uint64
change_points_memory(int64 count, const L4ChangeOptions *options)
{
	int64		shortest = Max(options->shortest, 1);

	/* three orders, ranks, changes and a tree of them; places of changes; splits, beside the smaller array that they outgrew */
	return (uint64) count * 6 * sizeof(int32) + (uint64) (count / shortest + 1) * MAX_TURNS * sizeof(int32) +
		(uint64) most_splits(count, shortest) * 3 * sizeof(Split) +
		(uint64) (count / shortest + 1) * sizeof(L4ChangePoint);
}

static void
merge_blocks(const L4SeriesPoint *points, const int32 *a, int64 a_count, const int32 *b, int64 b_count, int32 *into)
{
	while (a_count > 0 && b_count > 0)
	{
		if (compare_positions(*a, *b, points) < 0)
		{
			*into++ = *a++;
			a_count--;
		}
		else
		{
			*into++ = *b++;
			b_count--;
		}
	}
	memcpy(into, a, a_count * sizeof(int32));
	memcpy(into + a_count, b, b_count * sizeof(int32));
}

/* Ranks and spread of an interval of so many values, of which the order is there. */
static void
rank_interval(Series *series, int64 length)
{
	double		n = (double) length;
	double		ties = 0.0;
	int64		first = 0;

	while (first < length)
	{
		double		value = series->points[series->order[first]].value;
		int64		last = first + 1;
		double		equal;

		while (last < length && series->points[series->order[last]].value == value)
			last++;
		for (int64 i = first; i < last; i++)
			series->ranks[series->order[i]] = (uint32) (first + last + 1);
		equal = (double) (last - first);
		ties += equal * equal * equal - equal;
		first = last;
	}
	series->spread = length < 2 ? 0.0 : (n + 1.0 - ties / (n * (n - 1.0))) / 12.0;
}

/*
 * How far the rank sum of the first `before` of n values is off what it is by chance, squared, and over what is the same for
 * all splits of the interval; twice_sum is twice the sum.
 */
static inline double
rank_distance(int64 twice_sum, double before, double n)
{
	double		off = 0.5 * (double) twice_sum - 0.5 * before * (n + 1.0);

	return off * off / (before * (n - before));
}

/* The most telling split of an interval of which the order is there. */
static Split
best_split(Series *series, int64 start, int64 end)
{
	Split		split = {(int32) start, (int32) end, -1, 0.0};
	int64		last = end - series->shortest;
	int64		sum = 0;
	double		most = 0.0;

	if (end - start < 2 * series->shortest)
		return split;
	rank_interval(series, end - start);
	/* values that are all equal have no spread, but for rounding */
	if (series->spread < 1e-6)
		return split;
	for (int64 i = start + 1; i <= last; i++)
	{
		double		distance;

		sum += series->ranks[i - 1];
		if (i - start < series->shortest || series->points[i].at == series->points[i - 1].at)
			continue;
		distance = rank_distance(sum, (double) (i - start), (double) (end - start));
		if (distance > most)
		{
			split.index = (int32) i;
			most = distance;
		}
	}
	split.deviations = sqrt(most / series->spread);
	return split;
}

static void
note_split(Series *series, const Split *split)
{
	if (split->deviations <= series->threshold)
		return;
	if (series->split_count == series->split_capacity)
	{
		series->split_capacity *= 2;
		series->splits = repalloc_huge(series->splits, series->split_capacity * sizeof(Split));
	}
	series->splits[series->split_count++] = *split;
}

/* Looks at the intervals of two blocks between start and end, and makes the blocks of the next layer of them. */
static void
split_layer(Series *series, int64 start, int64 end, int64 block)
{
	bool		even = true;
	int32	   *swap;

	for (int64 first = start; first < end; first += block)
	{
		int64		middle = Min(first + block, end);
		int64		behind = Min(middle + block, end);

		CHECK_FOR_INTERRUPTS();
		if (even || behind - first >= 2 * series->shortest)
		{
			Split		split;

			merge_blocks(series->points, series->sorted + first, middle - first, series->sorted + middle, behind - middle,
						 series->order);
			if (even)
				memcpy(series->next + first, series->order, (behind - first) * sizeof(int32));
			split = best_split(series, first, behind);
			note_split(series, &split);
		}
		even = !even;
	}
	swap = series->sorted;
	series->sorted = series->next;
	series->next = swap;
}

/* How many changes there are in [1, index]. tree: a Fenwick tree of them. */
static int32
changes_up_to(const int32 *tree, int64 index)
{
	int32		sum = 0;

	for (; index > 0; index &= index - 1)
		sum += tree[index];
	return sum;
}

/*
 * Takes the most telling split, then of those whose intervals have no change yet the most telling one, and so on. Leaves those
 * taken first in series->splits, by their places, and returns their number.
 */
static int64
choose_splits(Series *series, int64 start, int64 end)
{
	int32	   *tree = MemoryContextAllocExtended(CurrentMemoryContext, (end - start + 1) * sizeof(int32),
												  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	int64		taken = 0;

	sort_splits(series->splits, series->split_count);
	for (int64 i = 0; i < series->split_count; i++)
	{
		Split		split = series->splits[i];

		if (changes_up_to(tree, split.end - 1 - start) != changes_up_to(tree, split.start - start))
			continue;
		for (int64 k = split.index - start; k <= end - start; k += k & -k)
			tree[k]++;
		series->splits[taken++] = split;
	}
	pfree(tree);
	sort_places(series->splits, taken);
	return taken;
}

/*
 * Adds the changes between start and end, in order: those of the seeds, and between these again, as no seed need lie well
 * there. Not forever, so that the time stays within bounds.
 */
static void
find_changes(Series *series, int64 start, int64 end, int turns, int32 *changes, int64 *count)
{
	int32	   *places;
	int64		taken;

	if (turns == 0 || end - start < 2 * series->shortest)
		return;
	series->split_count = 0;
	for (int64 i = start; i < end; i++)
		series->sorted[i] = (int32) i;
	for (int64 block = 1; block < end - start; block *= 2)
		split_layer(series, start, end, block);
	if (series->split_count == 0)
		return;
	taken = choose_splits(series, start, end);
	places = MemoryContextAllocHuge(CurrentMemoryContext, taken * sizeof(int32));
	for (int64 i = 0; i < taken; i++)
		places[i] = series->splits[i].index;
	for (int64 i = 0; i <= taken; i++)
	{
		find_changes(series, i > 0 ? places[i - 1] : start, i < taken ? places[i] : end, turns - 1, changes, count);
		if (i < taken)
			changes[(*count)++] = places[i];
	}
	pfree(places);
}

/* Puts the order of an interval there. */
static void
order_interval(Series *series, int64 start, int64 end)
{
	CHECK_FOR_INTERRUPTS();
	for (int64 i = start; i < end; i++)
		series->order[i - start] = (int32) i;
	sort_positions(series->order, end - start, series->points);
}

/* Puts each change where it tells most between its neighbours; one that tells nothing there goes. Was there any such? */
static bool
place_changes(Series *series, int32 *changes, int64 *count)
{
	int64		start = 0;
	int64		kept = 0;
	bool		moved = false;

	for (int64 i = 0; i < *count; i++)
	{
		int64		end = i + 1 < *count ? changes[i + 1] : series->count;
		Split		split;

		order_interval(series, start, end);
		split = best_split(series, start, end);
		moved |= split.deviations <= series->threshold || split.index != changes[i];
		if (split.deviations > series->threshold)
			start = changes[kept++] = split.index;
	}
	*count = kept;
	return moved;
}

static double
interval_median(Series *series, int64 start, int64 end)
{
	int64		length = end - start;

	order_interval(series, start, end);
	/* halves first: the sum may overflow */
	return 0.5 * series->points[series->order[(length - 1) / 2]].value + 0.5 * series->points[series->order[length / 2]].value;
}

static L4ChangePoint
describe_change(Series *series, int64 start, int64 index, int64 end)
{
	L4ChangePoint change = {index, index - start, end - index};
	double		before = (double) change.count_before;
	int64		sum = 0;

	change.before = interval_median(series, start, index);
	change.after = interval_median(series, index, end);
	order_interval(series, start, end);
	rank_interval(series, end - start);
	for (int64 i = start; i < index; i++)
		sum += series->ranks[i];
	change.deviations = sqrt(rank_distance(sum, before, (double) (end - start)) / series->spread);
	change.larger = 1.0 - (0.5 * (double) sum - 0.5 * before * (before + 1.0)) / (before * (double) change.count_after);
	return change;
}

static void
series_begin(Series *series, const L4SeriesPoint *points, int64 count, const L4ChangeOptions *options)
{
	Size		size = Max(count, 1) * sizeof(int32);

	memset(series, 0, sizeof(Series));
	series->points = points;
	series->count = count;
	series->shortest = Max(options->shortest, 1);
	series->threshold = options->deviations > 0.0 ? options->deviations : change_points_default(count);
	series->sorted = MemoryContextAllocHuge(CurrentMemoryContext, size);
	series->next = MemoryContextAllocHuge(CurrentMemoryContext, size);
	series->order = MemoryContextAllocHuge(CurrentMemoryContext, size);
	series->ranks = MemoryContextAllocHuge(CurrentMemoryContext, size);
	series->split_capacity = 64;
	series->splits = palloc(series->split_capacity * sizeof(Split));
}

L4ChangePoint *
change_points(const L4SeriesPoint *points, int64 count, const L4ChangeOptions *options, int64 *found)
{
	int32	   *changes = room_for(count, sizeof(int32));
	L4ChangePoint *result;
	Series		series;

	Assert(count <= CHANGE_POINTS_MAX);
	series_begin(&series, points, count, options);
	*found = 0;
	find_changes(&series, 0, count, MAX_TURNS, changes, found);
	for (int turns = MAX_TURNS; turns > 0 && place_changes(&series, changes, found); turns--)
		;
	result = room_for(*found, sizeof(L4ChangePoint));
	for (int64 i = 0; i < *found; i++)
		result[i] = describe_change(&series, i > 0 ? changes[i - 1] : 0, changes[i], i + 1 < *found ? changes[i + 1] : count);
	return result;
}
