/*
 * iforest.h: Isolation Forest over sparse items x features, with the features that set each item apart.
 *
 * Plain form: Liu, Ting, Zhou, "Isolation Forest", ICDM 2008. The form for counts adds robust weights to half of the
 * trees, because a plain forest hardly ever draws the one odd feature among a thousand.
 */
#ifndef L4_IFOREST_H
#define L4_IFOREST_H

#include "ground/l4.h"

/* Features named per item, at most. */
#define L4_FOREST_FEATURES 10

typedef struct L4ForestOptions
{
	bool		counts;			/* the form for counts, else the plain one */
	int			tree_count;
	int			sample_size;	/* items per tree; all where there are fewer */
	int64		seed;
} L4ForestOptions;

/* A sparse matrix by feature. What is not in it is 0. */
typedef struct L4ForestInput
{
	int			item_count;
	int			feature_count;
	int64	   *start;			/* feature_count + 1 entries: where the cells of a feature begin */
	int32	   *item;			/* of a cell; ascending within a feature */
	double	   *value;			/* finite; not negative in the form for counts */
	double	   *baseline;		/* value to be expected, NaN for none; NULL where no cell has one */
} L4ForestInput;

typedef struct L4ForestFeature
{
	int32		feature;
	double		saving;			/* mean of the path lengths that splits by this feature saved */
	double		z;				/* robust distance from the median */
	double		value;
	double		median;
} L4ForestFeature;

typedef struct L4ForestItem
{
	int32		item;
	double		score;			/* 2 ^ (- mean depth / expected depth) */
	double		max_z;
	bool		suspect;
	int			feature_count;
	L4ForestFeature *features;	/* most telling first */
} L4ForestItem;

/* An upper bound of the bytes that iforest_rank allocates. */
extern uint64 iforest_memory(int item_count, int feature_count, int64 cell_count, const L4ForestOptions *options);

/*
 * Ranks the items, most anomalous first; item_count entries in the current memory context (NULL for no items). Ties go by
 * largest z, then by item. A pure function of input and options. With fewer than three items depth says nothing: score is
 * 0.5 and z alone ranks. Time about trees x (sample + items) x log(sample), plus the number of cells.
 */
extern L4ForestItem *iforest_rank(const L4ForestInput *input, const L4ForestOptions *options);

#endif							/* L4_IFOREST_H */
