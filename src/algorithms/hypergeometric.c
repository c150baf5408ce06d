/*
 * hypergeometric.c: the upper tail as a sum of terms, each the one before it times a ratio, from "hits" away from the mode, so
 * that they only get smaller: upwards, or downwards for what is left to one.
 */
#include "algorithms/hypergeometric.h"

#include <math.h>

#include "miscadmin.h"

#define NEXT_TO_NOTHING 1e-17	/* the share of the sum that a term must have to count */

typedef struct Urn
{
	double		drawn;
	double		marked;
	double		total;
} Urn;

static double
log_choose(double of, double chosen)
{
	return lgamma(of + 1) - lgamma(chosen + 1) - lgamma(of - chosen + 1);
}

/* The probability of exactly so many hits, which are possible. */
static double
exactly(const Urn *urn, double hits)
{
	return exp(log_choose(urn->marked, hits) + log_choose(urn->total - urn->marked, urn->drawn - hits)
			   - log_choose(urn->total, urn->drawn));
}

/* The probability of one hit more, over that of so many. */
static double
ratio_up(const Urn *urn, double hits)
{
	return (urn->marked - hits) * (urn->drawn - hits)
		/ ((hits + 1) * (urn->total - urn->marked - urn->drawn + hits + 1));
}

/* The sum of the probabilities from "hits", beyond the mode, up to "most". */
static double
sum_up(const Urn *urn, double hits, double most)
{
	double		term = exactly(urn, hits);
	double		sum = term;

	for (; hits < most && term > sum * NEXT_TO_NOTHING; hits++)
	{
		CHECK_FOR_INTERRUPTS();
		term *= ratio_up(urn, hits);
		sum += term;
	}
	return sum;
}

/* The sum of the probabilities from "hits", before the mode, down to "least". */
static double
sum_down(const Urn *urn, double hits, double least)
{
	double		term = exactly(urn, hits);
	double		sum = term;

	for (; hits > least && term > sum * NEXT_TO_NOTHING; hits--)
	{
		CHECK_FOR_INTERRUPTS();
		term /= ratio_up(urn, hits - 1);
		sum += term;
	}
	return sum;
}

double
hypergeometric_tail(int64 hits, int64 drawn, int64 marked, int64 total)
{
	Urn			urn = {drawn, marked, total};
	int64		least = Max(INT64CONST(0), drawn + marked - total);
	int64		most = Min(drawn, marked);
	double		mode;

	if (hits <= least)
		return 1;
	if (hits > most)
		return 0;
	mode = floor((urn.drawn + 1) * (urn.marked + 1) / (urn.total + 2));
	if (hits > mode)
		return Min(sum_up(&urn, hits, most), 1);
	return Max(1 - sum_down(&urn, hits - 1, least), 0);
}
