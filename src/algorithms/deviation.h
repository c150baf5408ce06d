/*
 * deviation.h: which iterations of a job deviate from the others, by the distances of their event sequences.
 */
#ifndef L4_DEVIATION_H
#define L4_DEVIATION_H

#include "ground/l4.h"

typedef enum L4Distance
{
	L4_DISTANCE_DTW,
	L4_DISTANCE_EDIT
} L4Distance;

typedef struct L4DeviationOptions
{
	L4Distance	mean_distance;	/* of the rule of the last iterations */
	L4Distance	nearest_distance;	/* of the rule of recurring sequences */
	int			window;			/* iterations back, at least 1 */
	double		sigma;			/* deviations that a score must exceed */
} L4DeviationOptions;

/* A distinct sequence of dense symbols. */
typedef struct L4Sequence
{
	const uint32 *symbols;
	int			length;
} L4Sequence;

typedef struct L4DeviationInput
{
	int			iteration_count;
	const int32 *sequence_of;	/* of each iteration, in their order */
	int			sequence_count;
	const L4Sequence *sequences;
	int			symbol_count;
} L4DeviationInput;

typedef struct L4Deviation
{
	bool		has_mean;		/* false for the first iteration */
	double		mean;
	bool		beyond_sigma;
	bool		has_nearest;	/* false where there is nothing to compare with */
	double		nearest;
	bool		unusual;
	bool		recurrent;
} L4Deviation;

/* An upper bound of the bytes that deviation_scores allocates, the kernels' included. */
extern uint64 deviation_memory(const L4DeviationInput *input, const L4DeviationOptions *options);

/*
 * Judges all iterations by both rules; iteration_count entries in the current memory context. Each pair of distinct
 * sequences is compared once.
 *
 * Rule of the last iterations (Jiang et al., FSE Companion '25): mean distance to the up to `window` iterations before;
 * beyond_sigma if above mean + sigma * sd of all means.
 *
 * Rule of recurring sequences, which survives checkpoints and sd 0: a sequence seen three times is usual (0); any other
 * scores its distance to the nearest other sequence seen at least twice, or, where there is none, among up to `window`
 * iterations before and after. Of the non-zero scores, if some sequence recurs and there are fewer than max(8, n / 100), those
 * above 1.5 are unusual; else those above median + sigma * 1.4826 * max(0.5, MAD).
 */
extern L4Deviation *deviation_scores(const L4DeviationInput *input, const L4DeviationOptions *options);

#endif							/* L4_DEVIATION_H */
