/*
 * period.c: the period of a point process.
 *
 * Where events come in a period, the time from one to one of the next is often about a period, so candidates are the times
 * that most of these differences have, by their logarithms, so that short ones are known as well as long ones. For each
 * candidate the best chain of events is sought, each a small number of periods behind the one before, by dynamic programming;
 * least squares over the chain make the candidate better. So the phase may drift, as it does where each event starts the way
 * to the next, and begin anew behind a pause. Half the period explains as many events, and leaves half of the times it
 * foretells empty; twice the period explains half of them. The candidate wins for which most of both are right.
 */
#include "algorithms/period.h"

#include <math.h>

#include "algorithms/robust.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Differences are those to so many of the next events. */
#define LAGS 3

/* So many candidates are tried, each the middle of as many differences as lie within a factor. */
#define CANDIDATES 8
#define CANDIDATE_FACTOR 1.2

/* An event is at most so many periods behind the one before in its chain, and so far off, in periods. */
#define MOST_SKIPPED 4
#define TOLERANCE 0.25

/* What a chain loses, in events, for each period without one, and where it begins anew. */
#define LOSS_SKIPPED 0.25
#define LOSS_PAUSE 2.0

/* So many events before are looked at, however many there are within the time: events in heaps cost no more than others. */
#define LOOK_BACK 32

/* Fewer seem to have a period by chance too often. */
#define LEAST_EVENTS 10

/* A candidate is improved so often, or until it moves by less than this share of it. */
#define ROUNDS 5
#define CLOSE 1e-6

/* Which share of events and of times must be right, in the harmonic mean: events by chance hardly reach it. */
#define LEAST_SCORE 0.6

/* How many events are looked at between two looks for a cancel. */
#define INTERRUPT_EVERY 4096

/* The best chain that ends with an event. */
typedef struct Link
{
	double		score;			/* events, less what is lost */
	int32		before;			/* -1: it begins here */
	int32		periods;		/* from the one before; 0 behind a pause */
} Link;

typedef struct Chain
{
	int64		events;
	int64		pauses;
	int64		steps;			/* periods between its events */
	double		squares;		/* of how far they are off */
	double		slope;			/* least squares; 0 where no two events follow each other */
	double		place;			/* of the last events on their comb */
} Chain;

uint64
period_memory(int64 count)
{
	return (uint64) count * (sizeof(double) * (LAGS + 1) + sizeof(Link));
}

/* ---- candidates ---- */

/* Logarithms of the differences, in order. */
static void
log_differences(const double *times, int64 count, L4Robust *logs)
{
	logs->count = 0;
	for (int64 i = 0; i < count; i++)
	{
		for (int lag = 1; lag <= LAGS && i + lag < count; lag++)
		{
			if (times[i + lag] > times[i])
				logs->sorted[logs->count++] = log(times[i + lag] - times[i]);
		}
	}
	robust_sort(logs, 0, 0.0);
}

/* Takes the middle of the most numbers that lie within the width, and them and their neighbours out. */
static double
take_mode(L4Robust *logs, double width)
{
	int64		best = 0;
	int64		most = 0;
	int64		end = 0;
	int64		kept = 0;
	double		mode;

	for (int64 i = 0; i < logs->count; i++)
	{
		while (end < logs->count && logs->sorted[end] <= logs->sorted[i] + width)
			end++;
		if (end - i > most)
		{
			most = end - i;
			best = i;
		}
	}
	mode = logs->sorted[best + most / 2];
	for (int64 i = 0; i < logs->count; i++)
		if (fabs(logs->sorted[i] - mode) > width)
			logs->sorted[kept++] = logs->sorted[i];
	logs->count = kept;
	return exp(mode);
}

/* ---- chains ---- */

/* The best chain that ends with event i, of those that end with the ones before. */
static Link
best_link(const double *times, const Link *links, int64 i, double period)
{
	Link		best = {-INFINITY, -1, 0};

	for (int64 k = i - 1; k >= 0 && k >= i - LOOK_BACK; k--)
	{
		double		distance = (times[i] - times[k]) / period;
		double		periods = rint(distance);
		double		off = (distance - periods) / TOLERANCE;
		double		score = links[k].score + 1.0 - LOSS_SKIPPED * (periods - 1.0) - off * off;

		if (distance > MOST_SKIPPED + TOLERANCE)
			break;
		if (periods >= 1.0 && fabs(off) < 1.0 && score > best.score)
			best = (Link) {score, (int32) k, (int32) periods};
	}
	return best;
}

/* The best chains that end with each event; returns with which the best of all ends. */
static int64
link_events(const double *times, int64 count, double period, Link *links)
{
	int64		best = 0;

	for (int64 i = 0; i < count; i++)
	{
		if (i % INTERRUPT_EVERY == 0)
			CHECK_FOR_INTERRUPTS();
		links[i] = best_link(times, links, i, period);
		if (links[i].score < 1.0)
			links[i] = (Link) {1.0, -1, 0};
		if (i > 0 && links[i].score < links[best].score + 1.0 - LOSS_PAUSE)
			links[i] = (Link) {links[best].score + 1.0 - LOSS_PAUSE, (int32) best, 0};
		if (links[i].score > links[best].score)
			best = i;
	}
	return best;
}

/* Sums of least squares of times over numbers of periods, off the last event of the stretch. */
typedef struct Sums
{
	double		n;
	double		x;
	double		y;
	double		xx;
	double		xy;
} Sums;

static void
sums_add(Sums *sums, double x, double y)
{
	sums->n += 1.0;
	sums->x += x;
	sums->y += y;
	sums->xx += x * x;
	sums->xy += x * y;
}

/* Walks back along the best chain. The slope is that of all its stretches between pauses together. */
static Chain
chain_of(const double *times, int64 count, double period, Link *links)
{
	Chain		chain = {0};
	int64		end = link_events(times, count, period, links);
	double		xx = 0.0;
	double		xy = 0.0;

	while (end >= 0)
	{
		Sums		sums = {0};
		int64		i = end;
		double		x = 0.0;

		for (;;)
		{
			sums_add(&sums, x, times[i] - times[end]);
			chain.events++;
			if (links[i].periods == 0)
				break;
			chain.steps += links[i].periods;
			x -= links[i].periods;
			chain.squares += pow((times[i] - times[links[i].before]) / period - links[i].periods, 2.0);
			i = links[i].before;
		}
		xx += sums.xx - sums.x * sums.x / sums.n;
		xy += sums.xy - sums.x * sums.y / sums.n;
		/* the first stretch that is walked along is the last one */
		if (chain.pauses == 0)
			chain.place = times[end] + (sums.y - sums.x * period) / sums.n;
		chain.pauses++;
		end = links[i].before;
	}
	chain.pauses--;
	chain.slope = xx > 0.0 ? xy / xx : 0.0;
	return chain;
}

/*
 * How well a chain says when events come: the harmonic mean of the shares of events and of times that are right, where those
 * that are off count less, and each pause as times without an event. The first event comes behind no other.
 */
static double
chain_score(const Chain *chain, int64 count)
{
	double		right = (double) (chain->events - chain->pauses - 1) - chain->squares / (TOLERANCE * TOLERANCE);
	double		times = (double) chain->steps + LOSS_PAUSE * (double) chain->pauses;

	return 2.0 * right / ((double) (count - 1) + times);
}

/* Makes a period better, and its chain; returns the chain's score. */
static double
improve(const double *times, int64 count, double *period, Chain *chain, Link *links)
{
	for (int round = 0; round < ROUNDS; round++)
	{
		double		before = *period;

		*chain = chain_of(times, count, before, links);
		if (!(chain->slope > 0.0))
			return 0.0;
		*period = chain->slope;
		if (fabs(*period / before - 1.0) < CLOSE)
			break;
	}
	return chain_score(chain, count);
}

/* ---- all ---- */

static void
result_set(L4Period *result, const Chain *chain, double period, int64 count)
{
	double		followed = (double) (chain->events - chain->pauses - 1);

	result->period = period;
	result->share = (double) chain->events / (double) count;
	result->phase = fmod(chain->place, period);
	if (result->phase < 0.0)
		result->phase += period;
	result->missing = ((double) chain->steps - followed) / (double) chain->steps;
	result->jitter = sqrt(chain->squares / followed);
	result->pauses = chain->pauses;
}

bool
period_find(const double *times, int64 count, L4Period *result)
{
	L4Robust	logs;
	Link	   *links;
	double	   *scaled;
	double		best = LEAST_SCORE;
	int			exponent;
	bool		found = false;

	if (count < LEAST_EVENTS)
		return false;
	exponent = robust_exponent(times, count);
	scaled = MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(double));
	for (int64 i = 0; i < count; i++)
		scaled[i] = ldexp(times[i], -exponent);
	logs.sorted = MemoryContextAllocHuge(CurrentMemoryContext, count * LAGS * sizeof(double));
	links = MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(Link));
	log_differences(scaled, count, &logs);
	for (int i = 0; i < CANDIDATES && logs.count > 0; i++)
	{
		double		period = take_mode(&logs, log(CANDIDATE_FACTOR));
		Chain		chain;
		double		score = improve(scaled, count, &period, &chain, links);

		if (score <= best)
			continue;
		best = score;
		found = true;
		result_set(result, &chain, period, count);
	}
	if (found)
	{
		result->period = ldexp(result->period, exponent);
		result->phase = ldexp(result->phase, exponent);
	}
	pfree(scaled);
	pfree(logs.sorted);
	pfree(links);
	return found;
}
