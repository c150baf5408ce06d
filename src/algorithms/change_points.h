/*
 * change_points.h: where the level of a series changes for good, whatever single values do.
 */
#ifndef L4_CHANGE_POINTS_H
#define L4_CHANGE_POINTS_H

#include "ground/l4.h"

/* So many values fit: positions are 32 bits wide. */
#define CHANGE_POINTS_MAX 1000000000

typedef struct L4SeriesPoint
{
	double		at;
	double		value;
} L4SeriesPoint;

typedef struct L4ChangeOptions
{
	int64		shortest;		/* so many values, at least 1, lie on either side of a change */
	double		deviations;		/* a change is more than this; 0: what the largest of all places reaches by chance */
} L4ChangeOptions;

/* A change. What is before and after it reaches to the change before and the next one. */
typedef struct L4ChangePoint
{
	int64		index;			/* of the first value of the new level */
	int64		count_before;
	int64		count_after;
	double		before;			/* medians */
	double		after;
	double		deviations;		/* the rank sum of one side, in standard deviations off what it is by chance */
	double		larger;			/* share of the pairs in which the value after is the larger one; equal ones count half */
} L4ChangePoint;

/*
 * The changes of a series, in order; *found is their number. points: sorted by at, then by value; all finite; at most
 * CHANGE_POINTS_MAX. What is at one place stays on one side of a change. The result is a function of the arguments, and but for
 * the medians of the order of the values alone: a single large one weighs no more than others.
 *
 * Seeded binary segmentation (Kovacs, Buehlmann, Li, Munk, Biometrika 2023) with the rank sums of Wilcoxon and Pettitt,
 * corrected for ties; again between the changes found, at most eight times. Time O(n log n), memory as change_points_memory
 * says; can be cancelled.
 */
extern L4ChangePoint *change_points(const L4SeriesPoint *points, int64 count, const L4ChangeOptions *options, int64 *found);

/* How many deviations a change of a series of so many values needs where the options leave it open. */
extern double change_points_default(int64 count);

/* Bytes that change_points allocates at most for so many values. */
extern uint64 change_points_memory(int64 count, const L4ChangeOptions *options);

#endif							/* L4_CHANGE_POINTS_H */
