/*
 * iforest.c: Isolation Forest over a sparse matrix (Liu, Ting, Zhou, ICDM 2008), plain or in the form for counts.
 *
 * Trees are grown on the matrix by item and by feature, whichever is cheaper for the cells that a split needs, so memory is
 * proportional to the non-zero cells. A split's feature is drawn among those that are not constant among the items at hand:
 * drawing, testing and striking out is exact sampling without replacement, a tree of partial sums makes a draw cheap, and
 * what is struck out stays out for the whole subtree. Scoring spreads an item over a dense row once and walks all trees.
 */
#include "algorithms/iforest.h"

#include <float.h>
#include <math.h>

#include "algorithms/random.h"
#include "algorithms/robust.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

/* Noise of a count after the variance-stabilising transform is 1; a feature that is constant but for a few items has less. */
#define NOISE_FLOOR 1.0
#define CONSTANT_FLOOR 0.3
/* A count so near its baseline, after the transform, is noise: about two sd of the difference of two Poisson counts. */
#define BASELINE_TOLERANCE 3.0
#define SUSPECT_SCORE 0.55
/* Draws before all features of the items at hand are listed. */
#define DRAWS 24

typedef struct Feature
{
	int32		input;			/* its number in the input */
	double		median;			/* of the values */
	double		center;			/* median of the transformed values */
	double		scale;
	double		z_zero;			/* z of an item without it */
	double		weight;
} Feature;

/* The cells by feature and by item, features without the constant ones, values as trees see them. */
typedef struct Matrix
{
	int			item_count;
	int			feature_count;
	int64	   *column_start;
	int32	   *column_item;
	float	   *column_value;
	int64	   *row_start;
	int32	   *row_feature;
	float	   *row_value;
} Matrix;

/* A node's left child follows it. */
typedef struct TreeNode
{
	int32		feature;		/* -1 in a leaf */
	float		threshold;		/* up to it to the left */
	int32		right;
	int32		count;			/* sampled items that came here */
} TreeNode;

typedef struct Forest
{
	const L4ForestInput *input;
	const L4ForestOptions *options;
	const double *value;		/* the input's, set to the median where the baseline explains them */
	Feature    *features;
	Matrix		matrix;
	int			sample_size;
	double	   *expected;		/* mean depth of an unsuccessful search among so many items */
	TreeNode	   *nodes;
	int64		node_count;
	int64	   *roots;
	int			first_attributed;	/* trees from here on name features */
} Forest;

/* What growing needs beside the forest. */
typedef struct Grower
{
	const Matrix *matrix;
	pg_prng_state random;
	int			depth_limit;
	int			leaf_base;		/* where the features begin in a tree of sums */
	double	   *sums;			/* the one in use */
	int32	   *rows;			/* the sample, reordered while it is split */
	float	   *values;			/* of the feature under test, for the rows at hand */
	float	   *by_item;
	int32	   *struck;			/* features found constant on the path, */
	double	   *struck_weight;	/* and their weights, to be put back */
	int			struck_count;
	int32	   *seen_count;		/* by feature: cells, least and greatest value among the rows at hand */
	float	   *seen_low;
	float	   *seen_high;
	int32	   *seen;
	TreeNode	   *nodes;
	int64		node_count;
} Grower;

static void *
alloc_array(uint64 count, Size size)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * size);
}

static void *
alloc_zero(uint64 count, Size size)
{
	void	   *array = alloc_array(count, size);

	memset(array, 0, Max(count, 1) * size);
	return array;
}

static int
used_sample(int item_count, const L4ForestOptions *options)
{
	return Max(Min(item_count, options->sample_size), 1);
}

uint64
iforest_memory(int item_count, int feature_count, int64 cell_count, const L4ForestOptions *options)
{
	uint64		nodes = (uint64) options->tree_count * (2 * used_sample(item_count, options) - 1);
	uint64		named = Min(feature_count, L4_FOREST_FEATURES);

	return nodes * sizeof(TreeNode) + cell_count * 24 + (uint64) feature_count * 160 +
		(uint64) item_count * (80 + named * sizeof(L4ForestFeature) + sizeof(L4ForestItem));
}

/* ---- statistics of features ---- */

/* Counts become numbers with sd 1 (Anscombe). */
static inline double
stabilise(const Forest *forest, double value)
{
	return forest->options->counts ? 2.0 * sqrt(value + 0.375) : value;
}

/* Stored values of a feature other than 0 into the column, sorted among the zeros. */
static void
column_load(const Forest *forest, int32 feature, const double *values, L4Robust *column)
{
	column->count = 0;
	for (int64 i = forest->input->start[feature]; i < forest->input->start[feature + 1]; i++)
	{
		if (values[i] != 0.0)
			column->sorted[column->count++] = values[i];
	}
	robust_sort(column, forest->input->item_count - column->count, 0.0);
}

/* The scale of absolute deviations: median, trimmed sd or floor, whichever is largest. */
static double
deviation_scale(const Forest *forest, const L4Robust *deviations)
{
	int64		n = deviations->count + deviations->implicit;
	int64		dropped = Min(Max(1, n / 4), n - 1);
	int64		aside = Min(Max(1, (n + 9) / 10), n - 1);
	double		scale = Max(ROBUST_MAD_TO_SD * robust_median(deviations),
							ROBUST_TRIMMED_TO_SD * robust_root_mean_square(deviations, n - dropped));

	if (forest->options->counts)
	{
		/* of two counts the difference is all there is to see: its sd is sqrt(2), half of it stands here */
		if (n == 2)
			return M_SQRT1_2;
		return Max(scale, robust_at(deviations, n - 1 - aside) == 0.0 ? CONSTANT_FLOOR : NOISE_FLOOR);
	}
	return scale > 0.0 ? scale : robust_root_mean_square(deviations, n);
}

/* Median, centre and scale of a feature. False if all items have the same value. */
static bool
feature_describe(const Forest *forest, int32 number, const double *values, L4Robust *column, Feature *feature)
{
	int64		n = forest->input->item_count;
	double		largest = 0.0;

	column_load(forest, number, values, column);
	if (robust_at(column, 0) == robust_at(column, n - 1))
		return false;
	feature->input = number;
	feature->median = robust_median(column);
	feature->center = 0.5 * stabilise(forest, robust_at(column, (n - 1) / 2)) +
		0.5 * stabilise(forest, robust_at(column, n / 2));
	for (int64 i = 0; i < column->count; i++)
	{
		column->sorted[i] = fabs(stabilise(forest, column->sorted[i]) - feature->center);
		largest = Max(largest, column->sorted[i]);
	}
	robust_sort(column, column->implicit, fabs(stabilise(forest, 0.0) - feature->center));
	feature->scale = deviation_scale(forest, column);
	if (feature->scale <= 0.0)
		feature->scale = Max(largest, column->implicit_value);
	feature->z_zero = column->implicit > 0 ? column->implicit_value / feature->scale : 0.0;
	feature->weight = pow(Max(Max(largest / feature->scale, feature->z_zero) - 1.0, 0.01), 4.0);
	return true;
}

static double
feature_z(const Forest *forest, const Feature *feature, double value)
{
	return fabs(stabilise(forest, value) - feature->center) / feature->scale;
}

/* ---- baseline ---- */

/* The value without what the baseline explains; the median where that is all. */
static double
adjusted_value(const Forest *forest, double value, double baseline, double median)
{
	double		low = Min(baseline, median);
	double		high = Max(baseline, median);
	double		tolerance = forest->options->counts ? BASELINE_TOLERANCE : 0.0;
	double		excess;
	double		moved;

	if (value >= low && value <= high)
		return median;
	excess = stabilise(forest, value) - stabilise(forest, value > high ? high : low);
	if (fabs(excess) <= tolerance)
		return median;
	moved = stabilise(forest, median) + (excess > 0 ? excess - tolerance : excess + tolerance);
	if (!forest->options->counts)
		return moved;
	moved = Max(moved, stabilise(forest, 0.0)) / 2.0;
	return Max(moved * moved - 0.375, 0.0);
}

/* The input's values with the baseline applied; the input's own array where there is none. */
static const double *
apply_baseline(const Forest *forest, L4Robust *column)
{
	const L4ForestInput *input = forest->input;
	double	   *adjusted;

	if (input->baseline == NULL)
		return input->value;
	adjusted = alloc_array(input->start[input->feature_count], sizeof(double));
	for (int32 f = 0; f < input->feature_count; f++)
	{
		Feature		feature = {0};
		bool		varies = feature_describe(forest, f, input->value, column, &feature);

		CHECK_FOR_INTERRUPTS();
		for (int64 i = input->start[f]; i < input->start[f + 1]; i++)
			adjusted[i] = varies && !isnan(input->baseline[i]) ?
				adjusted_value(forest, input->value[i], input->baseline[i], feature.median) : input->value[i];
	}
	return adjusted;
}

/* ---- matrix ---- */

/* As trees see a value: single precision, counts on a logarithmic scale. */
static inline float
tree_value(const Forest *forest, double value)
{
	double		seen = forest->options->counts ? log1p(value) : value;

	return (float) Max(Min(seen, FLT_MAX), -FLT_MAX);
}

static void
matrix_columns(Forest *forest)
{
	Matrix	   *matrix = &forest->matrix;
	const L4ForestInput *input = forest->input;
	int64		cells = 0;

	matrix->column_start[0] = 0;
	for (int f = 0; f < matrix->feature_count; f++)
	{
		int32		number = forest->features[f].input;

		for (int64 i = input->start[number]; i < input->start[number + 1]; i++)
		{
			float		seen = tree_value(forest, forest->value[i]);

			if (seen == 0.0f)
				continue;
			matrix->column_item[cells] = input->item[i];
			matrix->column_value[cells++] = seen;
			matrix->row_start[input->item[i] + 1]++;
		}
		matrix->column_start[f + 1] = cells;
	}
}

/* Both orders of the cells; features and their numbers must stand. */
static void
matrix_build(Forest *forest)
{
	Matrix	   *matrix = &forest->matrix;
	int64		cell_count = forest->input->start[forest->input->feature_count];
	int64	   *next;

	matrix->column_start = alloc_array(matrix->feature_count + 1, sizeof(int64));
	matrix->column_item = alloc_array(cell_count, sizeof(int32));
	matrix->column_value = alloc_array(cell_count, sizeof(float));
	matrix->row_start = alloc_zero(matrix->item_count + 1, sizeof(int64));
	matrix->row_feature = alloc_array(cell_count, sizeof(int32));
	matrix->row_value = alloc_array(cell_count, sizeof(float));
	matrix_columns(forest);
	for (int i = 0; i < matrix->item_count; i++)
		matrix->row_start[i + 1] += matrix->row_start[i];
	next = alloc_array(matrix->item_count, sizeof(int64));
	memcpy(next, matrix->row_start, matrix->item_count * sizeof(int64));
	for (int f = 0; f < matrix->feature_count; f++)
	{
		for (int64 i = matrix->column_start[f]; i < matrix->column_start[f + 1]; i++)
		{
			int64		slot = next[matrix->column_item[i]]++;

			matrix->row_feature[slot] = f;
			matrix->row_value[slot] = matrix->column_value[i];
		}
	}
	pfree(next);
}

/* ---- drawing features ---- */

static double *
sums_build(const Forest *forest, int leaf_base, bool weighted)
{
	double	   *sums = alloc_zero(2 * (uint64) leaf_base, sizeof(double));

	for (int f = 0; f < forest->matrix.feature_count; f++)
		sums[leaf_base + f] = weighted ? forest->features[f].weight : 1.0;
	for (int i = leaf_base - 1; i > 0; i--)
		sums[i] = sums[2 * i] + sums[2 * i + 1];
	return sums;
}

/* Sums are added up anew, not corrected: putting a weight back restores them to the bit. */
static void
sums_set(Grower *grower, int32 feature, double weight)
{
	double	   *sums = grower->sums;
	int			slot = grower->leaf_base + feature;

	sums[slot] = weight;
	for (slot /= 2; slot > 0; slot /= 2)
		sums[slot] = sums[2 * slot] + sums[2 * slot + 1];
}

static int32
sums_draw(Grower *grower)
{
	const double *sums = grower->sums;
	double		mark = random_unit(&grower->random) * sums[1];
	int			slot = 1;

	while (slot < grower->leaf_base)
	{
		slot *= 2;
		if (mark >= sums[slot] && sums[slot + 1] > 0.0)
		{
			mark -= sums[slot];
			slot++;
		}
		else if (sums[slot] <= 0.0)
			slot++;
	}
	return slot - grower->leaf_base;
}

static void
strike(Grower *grower, int32 feature)
{
	grower->struck[grower->struck_count] = feature;
	grower->struck_weight[grower->struck_count++] = grower->sums[grower->leaf_base + feature];
	sums_set(grower, feature, 0.0);
}

static void
restore(Grower *grower, int mark)
{
	while (grower->struck_count > mark)
	{
		grower->struck_count--;
		sums_set(grower, grower->struck[grower->struck_count], grower->struck_weight[grower->struck_count]);
	}
}

/* ---- growing ---- */

static inline float
row_lookup(const Matrix *matrix, int32 row, int32 feature)
{
	int64		low = matrix->row_start[row];
	int64		size = matrix->row_start[row + 1] - low;
	const int32 *features = matrix->row_feature + low;

	if (size == matrix->feature_count)
		return matrix->row_value[low + feature];
	if (size == 0)
		return 0.0f;
	while (size > 1)
	{
		int64		half = size / 2;

		features += features[half] <= feature ? half : 0;
		size -= half;
	}
	return *features == feature ? matrix->row_value[features - matrix->row_feature] : 0.0f;
}

/* Values of a feature for the rows at hand; true if they differ. */
static bool
gather(Grower *grower, int32 feature, int first, int count, float *low, float *high)
{
	const Matrix *matrix = grower->matrix;
	const int32 *rows = grower->rows + first;
	float	   *values = grower->values;
	int64		start = matrix->column_start[feature];
	int64		end = matrix->column_start[feature + 1];

	if ((end - start) < 4 * (int64) count)
	{
		for (int64 i = start; i < end; i++)
			grower->by_item[matrix->column_item[i]] = matrix->column_value[i];
		for (int i = 0; i < count; i++)
			values[i] = grower->by_item[rows[i]];
		for (int64 i = start; i < end; i++)
			grower->by_item[matrix->column_item[i]] = 0.0f;
	}
	else
	{
		for (int i = 0; i < count; i++)
			values[i] = row_lookup(matrix, rows[i], feature);
	}
	*low = *high = values[0];
	for (int i = 1; i < count; i++)
	{
		*low = Min(*low, values[i]);
		*high = Max(*high, values[i]);
	}
	return *low < *high;
}

/* Notes count and range of each feature that the rows at hand have; returns how many features. */
static int
list_features(Grower *grower, int first, int count)
{
	const Matrix *matrix = grower->matrix;
	int			seen_count = 0;

	for (int i = first; i < first + count; i++)
	{
		for (int64 k = matrix->row_start[grower->rows[i]]; k < matrix->row_start[grower->rows[i] + 1]; k++)
		{
			int32		feature = matrix->row_feature[k];
			float		value = matrix->row_value[k];

			if (grower->seen_count[feature]++ == 0)
			{
				grower->seen[seen_count++] = feature;
				grower->seen_low[feature] = grower->seen_high[feature] = value;
			}
			grower->seen_low[feature] = Min(grower->seen_low[feature], value);
			grower->seen_high[feature] = Max(grower->seen_high[feature], value);
		}
	}
	return seen_count;
}

/* Draws among all features that differ for the rows at hand; -1 if none does. */
static int32
draw_listed(Grower *grower, int first, int count)
{
	int			seen_count = list_features(grower, first, count);
	int			kept = 0;
	double		total = 0.0;
	double		mark;

	for (int i = 0; i < seen_count; i++)
	{
		int32		feature = grower->seen[i];
		bool		differs = grower->seen_count[feature] < count ||
			grower->seen_low[feature] < grower->seen_high[feature];

		grower->seen_count[feature] = 0;
		if (!differs)
			continue;
		grower->seen[kept++] = feature;
		total += grower->sums[grower->leaf_base + feature];
	}
	mark = random_unit(&grower->random) * total;
	for (int i = 0; i < kept; i++)
	{
		mark -= grower->sums[grower->leaf_base + grower->seen[i]];
		if (mark < 0.0)
			return grower->seen[i];
	}
	return kept > 0 ? grower->seen[kept - 1] : -1;
}

/* Chooses a feature that differs for the rows at hand and gathers its values; -1 if there is none. */
static int32
choose_feature(Grower *grower, int first, int count, float *low, float *high)
{
	int32		feature;

	for (int i = 0; i < DRAWS; i++)
	{
		if (grower->sums[1] <= 0.0)
			return -1;
		feature = sums_draw(grower);
		if (gather(grower, feature, first, count, low, high))
			return feature;
		strike(grower, feature);
	}
	if (grower->sums[1] <= 0.0)
		return -1;
	feature = draw_listed(grower, first, count);
	if (feature >= 0)
		gather(grower, feature, first, count, low, high);
	return feature;
}

/* Rows up to the threshold to the front; returns how many. */
static int
partition(Grower *grower, int first, int count, float threshold)
{
	int32	   *rows = grower->rows + first;
	int			left = 0;
	int			right = count;

	while (left < right)
	{
		if (grower->values[left] <= threshold)
			left++;
		else
		{
			int32		row = rows[left];

			right--;
			rows[left] = rows[right];
			rows[right] = row;
			grower->values[left] = grower->values[right];
		}
	}
	return left;
}

static void
grow_node(Grower *grower, int first, int count, int depth)
{
	int64		number = grower->node_count++;
	TreeNode	   *node = &grower->nodes[number];
	int			mark = grower->struck_count;
	float		low;
	float		high;
	int			left;

	node->feature = -1;
	node->threshold = 0.0f;
	node->right = 0;
	node->count = count;
	if (count < 2 || depth >= grower->depth_limit)
		return;
	node->feature = choose_feature(grower, first, count, &low, &high);
	if (node->feature >= 0)
	{
		node->threshold = (float) (low + random_unit(&grower->random) * ((double) high - low));
		if (node->threshold >= high)
			node->threshold = low;
		left = partition(grower, first, count, node->threshold);
		grow_node(grower, first, left, depth + 1);
		node->right = (int32) (grower->node_count - number);
		grow_node(grower, first + left, count - left, depth + 1);
	}
	restore(grower, mark);
}

/* A sample without replacement in the first sample_size rows. */
static void
draw_sample(Grower *grower, int item_count, int sample_size)
{
	for (int i = 0; i < item_count; i++)
		grower->rows[i] = i;
	for (int i = 0; i < sample_size && sample_size < item_count; i++)
	{
		int			other = i + random_below(&grower->random, item_count - i);
		int32		row = grower->rows[i];

		grower->rows[i] = grower->rows[other];
		grower->rows[other] = row;
	}
}

static void
grower_init(Grower *grower, Forest *forest)
{
	int			features = forest->matrix.feature_count;
	int			items = forest->matrix.item_count;

	memset(grower, 0, sizeof(Grower));
	grower->matrix = &forest->matrix;
	grower->nodes = forest->nodes;
	grower->depth_limit = forest->sample_size < 2 ? 0 : (int) pg_ceil_log2_32((uint32) forest->sample_size);
	grower->leaf_base = (int) pg_nextpower2_32((uint32) Max(features, 1));
	grower->rows = alloc_array(items, sizeof(int32));
	grower->values = alloc_array(items, sizeof(float));
	grower->by_item = alloc_zero(items, sizeof(float));
	grower->struck = alloc_array(features, sizeof(int32));
	grower->struck_weight = alloc_array(features, sizeof(double));
	grower->seen_count = alloc_zero(features, sizeof(int32));
	grower->seen_low = alloc_array(features, sizeof(float));
	grower->seen_high = alloc_array(features, sizeof(float));
	grower->seen = alloc_array(features, sizeof(int32));
}

/* In the form for counts the second half of the trees draws features by weight. */
static void
grow_forest(Forest *forest)
{
	const L4ForestOptions *options = forest->options;
	int			plain_trees = options->counts ? options->tree_count / 2 : options->tree_count;
	Grower		grower;
	double	   *uniform;
	double	   *weighted;

	forest->nodes = alloc_array((uint64) options->tree_count * (2 * forest->sample_size - 1), sizeof(TreeNode));
	forest->roots = alloc_array(options->tree_count, sizeof(int64));
	forest->first_attributed = options->counts ? plain_trees : 0;
	grower_init(&grower, forest);
	uniform = sums_build(forest, grower.leaf_base, false);
	weighted = options->counts ? sums_build(forest, grower.leaf_base, true) : uniform;
	for (int t = 0; t < options->tree_count; t++)
	{
		CHECK_FOR_INTERRUPTS();
		random_start(&grower.random, options->seed, (uint32) t);
		grower.sums = t < plain_trees ? uniform : weighted;
		forest->roots[t] = grower.node_count;
		draw_sample(&grower, forest->matrix.item_count, forest->sample_size);
		grow_node(&grower, 0, forest->sample_size, 0);
	}
}

/* expected[m] = 2 H(m-1) - 2 (m-1) / m, with exact harmonic numbers. */
static double *
expected_depths(int sample_size)
{
	double	   *expected = alloc_array((uint64) sample_size + 1, sizeof(double));
	double		harmonic = 0.0;

	expected[0] = 0.0;
	expected[1] = 0.0;
	for (int m = 2; m <= sample_size; m++)
	{
		harmonic += 1.0 / (m - 1);
		expected[m] = 2.0 * harmonic - 2.0 * (m - 1) / m;
	}
	return expected;
}

/* ---- scoring ---- */

typedef struct Scorer
{
	float	   *dense;			/* the item's values by feature */
	double	   *saving;			/* by feature */
	bool	   *touched;
	int32	   *list;			/* features touched */
	int			list_count;
	int32	   *by_z_zero;		/* features whose absence is odd, oddest first */
	int			by_z_zero_count;
} Scorer;

typedef struct FeatureByZ
{
	double		z;
	int32		feature;
} FeatureByZ;

static int
compare_feature_by_z(const void *a, const void *b)
{
	const FeatureByZ *left = a;
	const FeatureByZ *right = b;

	if (left->z != right->z)
		return left->z > right->z ? -1 : 1;
	return (left->feature > right->feature) - (left->feature < right->feature);
}

static void
scorer_init(Scorer *scorer, const Forest *forest)
{
	int			features = forest->matrix.feature_count;
	FeatureByZ   *by_z = alloc_array(features, sizeof(FeatureByZ));

	memset(scorer, 0, sizeof(Scorer));
	scorer->dense = alloc_zero(features, sizeof(float));
	scorer->saving = alloc_zero(features, sizeof(double));
	scorer->touched = alloc_zero(features, sizeof(bool));
	scorer->list = alloc_array(features, sizeof(int32));
	scorer->by_z_zero = alloc_array(features, sizeof(int32));
	for (int f = 0; f < features; f++)
	{
		if (forest->features[f].z_zero <= 0.0)
			continue;
		by_z[scorer->by_z_zero_count].z = forest->features[f].z_zero;
		by_z[scorer->by_z_zero_count++].feature = f;
	}
	qsort(by_z, scorer->by_z_zero_count, sizeof(FeatureByZ), compare_feature_by_z);
	for (int i = 0; i < scorer->by_z_zero_count; i++)
		scorer->by_z_zero[i] = by_z[i].feature;
	pfree(by_z);
}

static inline void
add_saving(Scorer *scorer, int32 feature, double saving)
{
	if (!scorer->touched[feature])
	{
		scorer->touched[feature] = true;
		scorer->list[scorer->list_count++] = feature;
	}
	scorer->saving[feature] += saving;
}

/*
 * Depth of the item in one tree. A split of N items whose child taken has m saved expected[N] - 1 - expected[m]; over a path
 * this adds up to expected[sample] - depth.
 */
static double
walk_tree(const Forest *forest, const TreeNode *node, Scorer *scorer, bool attributed)
{
	int			depth = 0;

	while (node->feature >= 0)
	{
		const TreeNode *child = scorer->dense[node->feature] <= node->threshold ? node + 1 : node + node->right;

		if (attributed)
			add_saving(scorer, node->feature,
					   forest->expected[node->count] - 1.0 - forest->expected[child->count]);
		depth++;
		node = child;
	}
	return depth + forest->expected[node->count];
}

static double
score_item(const Forest *forest, Scorer *scorer)
{
	double		total = 0.0;
	int			trees = forest->options->tree_count;
	double		unit = forest->expected[forest->sample_size];

	if (forest->matrix.item_count < 3)
		return 0.5;
	for (int t = 0; t < trees; t++)
		total += walk_tree(forest, forest->nodes + forest->roots[t], scorer, t >= forest->first_attributed);
	return exp2(-total / trees / unit);
}

/* The input's cell of an item and a feature, or -1. */
static int64
find_cell(const L4ForestInput *input, int32 item, int32 feature)
{
	int64		low = input->start[feature];
	int64		high = input->start[feature + 1];

	while (low < high)
	{
		int64		middle = low + (high - low) / 2;

		if (input->item[middle] < item)
			low = middle + 1;
		else
			high = middle;
	}
	return low < input->start[feature + 1] && input->item[low] == item ? low : -1;
}

/* Most saving first, then largest z, then the feature's place. */
static bool
feature_before(const L4ForestFeature *left, const L4ForestFeature *right)
{
	if (left->saving != right->saving)
		return left->saving > right->saving;
	if (left->z != right->z)
		return left->z > right->z;
	return left->feature < right->feature;
}

static void
keep_feature(L4ForestFeature *best, int *count, const L4ForestFeature *candidate)
{
	int			slot;

	if (*count == L4_FOREST_FEATURES && !feature_before(candidate, &best[*count - 1]))
		return;
	if (*count < L4_FOREST_FEATURES)
		(*count)++;
	for (slot = *count - 1; slot > 0 && feature_before(candidate, &best[slot - 1]); slot--)
		best[slot] = best[slot - 1];
	best[slot] = *candidate;
}

/* Names the features that saved most; without a forest, those of largest z. */
static void
name_features(const Forest *forest, Scorer *scorer, L4ForestItem *item)
{
	bool		ranked = forest->matrix.item_count >= 3;
	int			trees = forest->options->tree_count - forest->first_attributed;
	int			candidates = ranked ? scorer->list_count : forest->matrix.feature_count;
	L4ForestFeature best[L4_FOREST_FEATURES];

	for (int i = 0; i < candidates; i++)
	{
		int32		number = ranked ? scorer->list[i] : i;
		const Feature *feature = &forest->features[number];
		L4ForestFeature candidate;
		int64		cell;

		candidate.saving = ranked ? scorer->saving[number] / trees : 0.0;
		if (ranked && (candidate.saving <= 0.0 || (item->feature_count == L4_FOREST_FEATURES &&
												   candidate.saving < best[L4_FOREST_FEATURES - 1].saving)))
			continue;
		cell = find_cell(forest->input, item->item, feature->input);
		candidate.feature = feature->input;
		candidate.value = cell < 0 ? 0.0 : forest->input->value[cell];
		candidate.z = feature_z(forest, feature, cell < 0 ? 0.0 : forest->value[cell]);
		candidate.median = feature->median;
		if (ranked || candidate.z > 0.0)
			keep_feature(best, &item->feature_count, &candidate);
	}
	item->features = alloc_array(item->feature_count, sizeof(L4ForestFeature));
	memcpy(item->features, best, item->feature_count * sizeof(L4ForestFeature));
}

/* Spreads or clears an item's row. */
static void
spread_row(const Forest *forest, int32 row, Scorer *scorer, bool clear)
{
	const Matrix *matrix = &forest->matrix;

	for (int64 i = matrix->row_start[row]; i < matrix->row_start[row + 1]; i++)
		scorer->dense[matrix->row_feature[i]] = clear ? 0.0f : matrix->row_value[i];
}

static void
rank_item(const Forest *forest, int32 row, double threshold, Scorer *scorer, L4ForestItem *item)
{
	item->item = row;
	item->feature_count = 0;
	spread_row(forest, row, scorer, false);
	for (int i = 0; i < scorer->by_z_zero_count; i++)
	{
		int32		feature = scorer->by_z_zero[i];

		if (scorer->dense[feature] == 0.0f)
		{
			item->max_z = Max(item->max_z, forest->features[feature].z_zero);
			break;
		}
	}
	item->score = score_item(forest, scorer);
	item->suspect = forest->matrix.item_count >= 3 && item->score > SUSPECT_SCORE && item->max_z > threshold;
	name_features(forest, scorer, item);
	spread_row(forest, row, scorer, true);
	for (int i = 0; i < scorer->list_count; i++)
	{
		scorer->saving[scorer->list[i]] = 0.0;
		scorer->touched[scorer->list[i]] = false;
	}
	scorer->list_count = 0;
}

static int
compare_items(const void *a, const void *b)
{
	const L4ForestItem *left = a;
	const L4ForestItem *right = b;

	if (left->score != right->score)
		return left->score > right->score ? -1 : 1;
	if (left->max_z != right->max_z)
		return left->max_z > right->max_z ? -1 : 1;
	return (left->item > right->item) - (left->item < right->item);
}

static L4ForestItem *
rank_items(const Forest *forest)
{
	int			count = forest->matrix.item_count;
	L4ForestItem *items = alloc_zero(count, sizeof(L4ForestItem));
	double		cells = (double) count * Max(forest->matrix.feature_count, 1);
	double		threshold = sqrt(2.0 * log(cells)) + 1.0;
	Scorer		scorer;

	for (int f = 0; f < forest->matrix.feature_count; f++)
	{
		const Feature *feature = &forest->features[f];

		for (int64 i = forest->input->start[feature->input]; i < forest->input->start[feature->input + 1]; i++)
		{
			L4ForestItem *item = &items[forest->input->item[i]];

			item->max_z = Max(item->max_z, feature_z(forest, feature, forest->value[i]));
		}
	}
	scorer_init(&scorer, forest);
	for (int i = 0; i < count; i++)
	{
		if (i % 64 == 0)
			CHECK_FOR_INTERRUPTS();
		rank_item(forest, i, threshold, &scorer, &items[i]);
	}
	qsort(items, count, sizeof(L4ForestItem), compare_items);
	return items;
}

L4ForestItem *
iforest_rank(const L4ForestInput *input, const L4ForestOptions *options)
{
	Forest		forest = {0};
	L4Robust		column = {0};

	if (input->item_count == 0)
		return NULL;
	forest.input = input;
	forest.options = options;
	forest.sample_size = used_sample(input->item_count, options);
	forest.matrix.item_count = input->item_count;
	forest.expected = expected_depths(forest.sample_size);
	column.sorted = alloc_array(input->item_count, sizeof(double));
	forest.value = apply_baseline(&forest, &column);
	forest.features = alloc_array(input->feature_count, sizeof(Feature));
	for (int32 f = 0; f < input->feature_count; f++)
	{
		Feature    *feature = &forest.features[forest.matrix.feature_count];

		if (f % 64 == 0)
			CHECK_FOR_INTERRUPTS();
		if (feature_describe(&forest, f, forest.value, &column, feature))
			forest.matrix.feature_count++;
	}
	matrix_build(&forest);
	if (input->item_count >= 3)
		grow_forest(&forest);
	return rank_items(&forest);
}
