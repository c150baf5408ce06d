/*
 * deviation.c: which iterations deviate. Iterations of a job repeat: distances are kept per pair of distinct sequences, and the
 * search for the nearest sequence goes by a lower bound that takes linear time.
 */
#include "algorithms/deviation.h"

#include <math.h>

#include "algorithms/dtw.h"
#include "algorithms/robust.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* A score above it (two events or more) is unusual where there are too few scores to estimate their spread. */
#define FEW_SCORES_LIMIT 1.5
#define FEW_SCORES 8
/* Least spread of scores, in events. */
#define LEAST_SPREAD 0.5

typedef struct KnownDistance
{
	uint64		pair;			/* both sequences, the lower first */
	int32		distance;
	char		status;
} KnownDistance;

#define SH_PREFIX known
#define SH_ELEMENT_TYPE KnownDistance
#define SH_KEY_TYPE uint64
#define SH_KEY pair
#define SH_HASH_KEY(table, key) hash_combine(murmurhash32((uint32) ((key) >> 32)), murmurhash32((uint32) (key)))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

typedef struct Judge
{
	const L4DeviationInput *input;
	const L4DeviationOptions *options;
	known_hash  *known[2];		/* by distance */
	int32	   *seen;			/* how often a sequence occurs */
	int32	   *recurrent;		/* sequences seen at least twice */
	int			recurrent_count;
	int32	   *counts;			/* by symbol: occurrences in the sequence at hand, */
	int32	   *left;			/* those not yet used up, */
	int32	   *mark;			/* and the other sequence last found with it */
} Judge;

typedef struct Candidate
{
	int32		sequence;
	int32		bound;
} Candidate;

static void *
alloc_zero(uint64 count, Size size)
{
	return MemoryContextAllocExtended(CurrentMemoryContext, Max(count, 1) * size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

uint64
deviation_memory(const L4DeviationInput *input, const L4DeviationOptions *options)
{
	uint64		sequences = input->sequence_count;
	uint64		pairs = Min((uint64) input->iteration_count * options->window * 3, sequences * sequences / 2);
	uint64		longest = 0;

	for (int i = 0; i < input->sequence_count; i++)
		longest = Max(longest, (uint64) input->sequences[i].length);
	return pairs * 2 * sizeof(KnownDistance) + (uint64) input->iteration_count * (sizeof(L4Deviation) + 24) +
		sequences * 24 + (uint64) input->symbol_count * 12 + longest * 24;
}

static int
compute_distance(const Judge *judge, L4Distance kind, int32 a, int32 b, int limit)
{
	const L4Sequence *left = &judge->input->sequences[a];
	const L4Sequence *right = &judge->input->sequences[b];

	if (kind == L4_DISTANCE_EDIT)
		return edit_distance(left->symbols, left->length, right->symbols, right->length, limit);
	return dtw_distance(left->symbols, left->length, right->symbols, right->length, DTW_UNLIMITED);
}

/* The distance of two sequences, computed once. */
static int
distance_of(Judge *judge, L4Distance kind, int32 a, int32 b)
{
	uint64		pair = (uint64) Min(a, b) << 32 | (uint64) Max(a, b);
	bool		found;
	KnownDistance *entry;

	if (a == b)
		return 0;
	entry = known_insert(judge->known[kind], pair, &found);
	if (!found)
		entry->distance = compute_distance(judge, kind, a, b, DTW_UNLIMITED);
	return entry->distance;
}

/* ---- the rule of the last iterations ---- */

static void
mean_distances(Judge *judge, L4Deviation *result)
{
	const L4DeviationInput *input = judge->input;

	for (int i = 1; i < input->iteration_count; i++)
	{
		int			first = Max(0, i - judge->options->window);
		int64		sum = 0;

		CHECK_FOR_INTERRUPTS();
		for (int j = first; j < i; j++)
			sum += distance_of(judge, judge->options->mean_distance, input->sequence_of[i], input->sequence_of[j]);
		result[i].has_mean = true;
		result[i].mean = (double) sum / (i - first);
	}
}

static void
flag_beyond_sigma(const Judge *judge, L4Deviation *result)
{
	int			n = judge->input->iteration_count;
	double		mean = 0.0;
	double		variance = 0.0;

	for (int i = 1; i < n; i++)
		mean += result[i].mean / (n - 1);
	for (int i = 1; i < n; i++)
		variance += (result[i].mean - mean) * (result[i].mean - mean) / (n - 1);
	for (int i = 1; i < n; i++)
		result[i].beyond_sigma = result[i].mean > mean + judge->options->sigma * sqrt(variance);
}

/* ---- the rule of recurring sequences ---- */

static void
judge_init(Judge *judge, const L4DeviationInput *input, const L4DeviationOptions *options)
{
	memset(judge, 0, sizeof(Judge));
	judge->input = input;
	judge->options = options;
	judge->known[L4_DISTANCE_DTW] = known_create(CurrentMemoryContext, 256, NULL);
	judge->known[L4_DISTANCE_EDIT] = known_create(CurrentMemoryContext, 256, NULL);
	judge->seen = alloc_zero(input->sequence_count, sizeof(int32));
	judge->recurrent = alloc_zero(input->sequence_count, sizeof(int32));
	judge->counts = alloc_zero(input->symbol_count, sizeof(int32));
	judge->left = alloc_zero(input->symbol_count, sizeof(int32));
	judge->mark = alloc_zero(input->symbol_count, sizeof(int32));
	for (int i = 0; i < input->iteration_count; i++)
		judge->seen[input->sequence_of[i]]++;
	for (int i = 0; i < input->sequence_count; i++)
	{
		if (judge->seen[i] >= 2)
			judge->recurrent[judge->recurrent_count++] = i;
	}
}

/* Loads or clears the counts of the sequence at hand. */
static void
count_symbols(Judge *judge, const L4Sequence *sequence, int step)
{
	for (int i = 0; i < sequence->length; i++)
	{
		judge->counts[sequence->symbols[i]] += step;
		judge->left[sequence->symbols[i]] += step;
	}
}

/* Symbols that no pairing can match: a lower bound of the edit distance. Counts of a are loaded. */
static int
edit_bound(Judge *judge, const L4Sequence *a, const L4Sequence *b)
{
	int			common = 0;

	for (int i = 0; i < b->length; i++)
	{
		if (judge->left[b->symbols[i]] > 0)
		{
			judge->left[b->symbols[i]]--;
			common++;
		}
	}
	for (int i = 0; i < b->length; i++)
		judge->left[b->symbols[i]] = judge->counts[b->symbols[i]];
	return Max(a->length, b->length) - common;
}

/* Elements of either whose symbol the other lacks: each costs 1 wherever it is warped to. */
static int
dtw_bound(Judge *judge, const L4Sequence *a, const L4Sequence *b, int32 stamp)
{
	int			only_a = 0;
	int			only_b = 0;

	for (int i = 0; i < b->length; i++)
	{
		only_b += judge->counts[b->symbols[i]] == 0;
		judge->mark[b->symbols[i]] = stamp;
	}
	for (int i = 0; i < a->length; i++)
		only_a += judge->mark[a->symbols[i]] != stamp;
	return Max(only_a, only_b);
}

static int
compare_candidates(const void *a, const void *b)
{
	const Candidate *left = a;
	const Candidate *right = b;

	if (left->bound != right->bound)
		return left->bound < right->bound ? -1 : 1;
	return (left->sequence > right->sequence) - (left->sequence < right->sequence);
}

/* Distance to the nearest recurring sequence but itself; -1 if there is none. */
static int
nearest_recurrent(Judge *judge, int32 sequence, Candidate *candidates)
{
	const L4Sequence *a = &judge->input->sequences[sequence];
	bool		edit = judge->options->nearest_distance == L4_DISTANCE_EDIT;
	int			count = 0;
	int			best = -1;

	count_symbols(judge, a, 1);
	for (int i = 0; i < judge->recurrent_count; i++)
	{
		int32		other = judge->recurrent[i];
		const L4Sequence *b = &judge->input->sequences[other];

		CHECK_FOR_INTERRUPTS();
		if (other == sequence)
			continue;
		candidates[count].sequence = other;
		candidates[count++].bound = edit ? edit_bound(judge, a, b) : dtw_bound(judge, a, b, other + 1);
	}
	count_symbols(judge, a, -1);
	qsort(candidates, count, sizeof(Candidate), compare_candidates);
	for (int i = 0; i < count && (best < 0 || candidates[i].bound < best); i++)
	{
		int			distance = compute_distance(judge, judge->options->nearest_distance, sequence,
												candidates[i].sequence, best < 0 ? DTW_UNLIMITED : best - 1);

		best = best < 0 ? distance : Min(best, distance);
	}
	return best;
}

/* Distance to the nearest of the iterations around that has another sequence; -1 if there is none. */
static int
nearest_around(Judge *judge, int iteration)
{
	const L4DeviationInput *input = judge->input;
	int64		first = Max(0, (int64) iteration - judge->options->window);
	int64		last = Min((int64) iteration + judge->options->window, input->iteration_count - 1);
	int			best = -1;

	for (int64 i = first; i <= last; i++)
	{
		int			distance;

		if (input->sequence_of[i] == input->sequence_of[iteration])
			continue;
		distance = distance_of(judge, judge->options->nearest_distance, input->sequence_of[iteration],
							   input->sequence_of[i]);
		best = best < 0 ? distance : Min(best, distance);
	}
	return best;
}

static void
nearest_distances(Judge *judge, L4Deviation *result)
{
	const L4DeviationInput *input = judge->input;
	Candidate  *candidates = alloc_zero(judge->recurrent_count, sizeof(Candidate));
	int32	   *nearest = alloc_zero(input->sequence_count, sizeof(int32));

	for (int i = 0; i < input->sequence_count; i++)
		nearest[i] = judge->seen[i] >= 3 ? 0 : nearest_recurrent(judge, i, candidates);
	for (int i = 0; i < input->iteration_count; i++)
	{
		int			distance = nearest[input->sequence_of[i]];

		CHECK_FOR_INTERRUPTS();
		if (distance < 0)
			distance = nearest_around(judge, i);
		result[i].recurrent = judge->seen[input->sequence_of[i]] >= 2;
		result[i].has_nearest = distance >= 0;
		result[i].nearest = Max(distance, 0);
	}
}

/* What a usual iteration's score does not exceed. */
static double
usual_limit(const Judge *judge, const L4Deviation *result)
{
	int			n = judge->input->iteration_count;
	L4Robust	scores = {0};
	double		median;

	scores.sorted = alloc_zero(n, sizeof(double));
	for (int i = 0; i < n; i++)
	{
		if (result[i].nearest > 0.0)
			scores.sorted[scores.count++] = result[i].nearest;
	}
	if (judge->recurrent_count > 0 && scores.count < Max(FEW_SCORES, n / 100.0))
		return FEW_SCORES_LIMIT;
	if (scores.count == 0)
		return 0.0;
	robust_sort(&scores, 0, 0.0);
	median = robust_median(&scores);
	for (int64 i = 0; i < scores.count; i++)
		scores.sorted[i] = fabs(scores.sorted[i] - median);
	robust_sort(&scores, 0, 0.0);
	return median + judge->options->sigma * ROBUST_MAD_TO_SD * Max(LEAST_SPREAD, robust_median(&scores));
}

L4Deviation *
deviation_scores(const L4DeviationInput *input, const L4DeviationOptions *options)
{
	L4Deviation *result = alloc_zero(input->iteration_count, sizeof(L4Deviation));
	Judge		judge;
	double		limit;

	judge_init(&judge, input, options);
	mean_distances(&judge, result);
	flag_beyond_sigma(&judge, result);
	nearest_distances(&judge, result);
	limit = usual_limit(&judge, result);
	for (int i = 0; i < input->iteration_count; i++)
		result[i].unusual = result[i].nearest > limit;
	return result;
}
