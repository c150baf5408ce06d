/*
 * step_cycles.c: steps of jobs with sharded parameters, which no pause ends.
 *
 * Parameters are gathered layer by layer, forwards and again backwards, and gradients scattered on the way back: something is
 * sent all the time. But the backward of a layer takes about twice as long as its forward, so that bursts come at two speeds,
 * in turn, a run of each for each step; where they come faster again a step begins. A job whose traffic comes at one speed, or
 * whose bursts of a kind are few in a row, as buckets of gradients, has no such cycles. With gradients accumulated over
 * microbatches each of these is a cycle: nothing that is sent tells which of them ends a step.
 */
#include "algorithms/step_cycles.h"

#include <math.h>

#include "miscadmin.h"

/* Around a burst so many on each side tell at which speed it came. */
#define NEIGHBOURS 2
/* A cycle begins with the burst behind the last of the slow ones, but with that one where so many times longer went by. */
#define LONG_PAUSE 1.25
#define CYCLES 3

/* Bursts, parted by a pause. */
typedef struct Bursts
{
	double	   *began;
	double	   *ended;
	int64		count;
} Bursts;

/* The two speeds: logarithms of intervals. */
typedef struct Speeds
{
	double		fast;
	double		slow;
} Speeds;

static int
compare_double(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return x < y ? -1 : x > y;
}

static double *
numbers(int64 count)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof(double));
}

static void
part_bursts(const L4Intervals *messages, double pause, Bursts *bursts)
{
	double		end = messages->ended[0];

	bursts->count = 0;
	bursts->began[bursts->count++] = messages->began[0];
	for (int64 i = 1; i < messages->count; i++)
	{
		if (messages->began[i] - end >= pause)
		{
			bursts->ended[bursts->count - 1] = end;
			bursts->began[bursts->count++] = messages->began[i];
		}
		end = Max(end, messages->ended[i]);
	}
	bursts->ended[bursts->count - 1] = end;
}

/*
 * The best division of sorted numbers into two groups: of those where each has this share of the numbers, that with the least
 * squares within them. A few long pauses are no speed.
 */
static Speeds
two_speeds(const double *sorted, int64 count, double share)
{
	Speeds		best = {0};
	double		most = -1;
	double		total = 0;
	double		before = 0;

	for (int64 i = 0; i < count; i++)
		total += sorted[i];
	for (int64 i = 1; i < count; i++)
	{
		double		fast;
		double		slow;
		double		between;

		before += sorted[i - 1];
		fast = before / i;
		slow = (total - before) / (count - i);
		between = (slow - fast) * (slow - fast) * i * (count - i);
		if (between > most && i >= share * count && count - i >= share * count)
		{
			most = between;
			best = (Speeds) {fast, slow};
		}
	}
	return best;
}

/* Does the i-th of count intervals come at the lower speed, by most of those around it? */
static bool
is_slow(const double *intervals, int64 count, int64 i, double limit)
{
	int64		slow = 0;
	int64		around = 0;

	for (int64 j = Max(i - NEIGHBOURS, 0); j <= Min(i + NEIGHBOURS, count - 1); j++)
	{
		slow += intervals[j] > limit;
		around++;
	}
	return slow * 2 > around;
}

/* Where exactly it becomes faster near the i-th interval: the burst with which a cycle begins. */
static int64
first_of_cycle(const double *intervals, int64 count, int64 i, double limit, double slow)
{
	for (int64 j = Max(i - NEIGHBOURS, 1); j <= Min(i + NEIGHBOURS, count - 1); j++)
		if (intervals[j - 1] > limit && intervals[j] <= limit)
		{
			i = j;
			break;
		}
	return intervals[i - 1] >= LONG_PAUSE * slow ? i : i + 1;
}

/* The bursts with which cycles begin; returns how many. starts: room for one of each burst. */
static int64
find_starts(const double *intervals, int64 count, const Speeds *speeds, int64 run, int64 *starts)
{
	double		limit = exp((speeds->fast + speeds->slow) / 2);
	int64		found = 0;
	int64		slow_run = 0;
	int64		fast_run = 0;
	int64		candidate = -1;

	for (int64 i = 0; i < count; i++)
	{
		if (is_slow(intervals, count, i, limit))
		{
			slow_run = fast_run > 0 ? 1 : slow_run + 1;
			fast_run = 0;
			continue;
		}
		if (fast_run++ == 0)
			candidate = slow_run >= run ? i : -1;
		if (fast_run == run && candidate > 0)
			starts[found++] = first_of_cycle(intervals, count, candidate, limit, exp(speeds->slow));
	}
	return found;
}

/*
 * Do cycles take as long as the next ones (a job may become slower)? Returns the median, 0 if they do not. lengths: room for
 * count.
 */
static double
regular_length(const Bursts *bursts, const int64 *starts, int64 count, const L4CycleRule *rule, double *lengths)
{
	int64		right = 0;

	if (count < CYCLES + 1)
		return 0;
	for (int64 i = 1; i < count; i++)
	{
		lengths[i - 1] = bursts->began[starts[i]] - bursts->began[starts[i - 1]];
		right += i > 1 && fabs(lengths[i - 1] - lengths[i - 2]) <= rule->tolerance * lengths[i - 2];
	}
	if (right < rule->regular * (count - 2))
		return 0;
	qsort(lengths, count - 1, sizeof(double), compare_double);
	return lengths[(count - 1) / 2];
}

static void
take_cycles(const Bursts *bursts, const int64 *starts, int64 count, const L4CycleRule *rule, L4StepCycles *result)
{
	double		last = bursts->ended[bursts->count - 1];

	result->began = numbers(count + 1);
	result->ended = numbers(count + 1);
	result->began[0] = bursts->began[0];
	for (int64 i = 0; i < count; i++)
	{
		result->ended[i] = bursts->ended[starts[i] - 1];
		result->began[i + 1] = bursts->began[starts[i]];
	}
	result->ended[count] = last;
	result->count = count + (last - result->began[count] >= (1 - rule->tolerance) * result->interval);
}

/* Cycles of bursts that this pause parts. intervals, logarithms, starts: room for one of each message. */
static bool
cycles_at(const L4Intervals *messages, double pause, const L4CycleRule *rule, Bursts *bursts, double *intervals,
		  double *logarithms, int64 *starts, L4StepCycles *result)
{
	Speeds		speeds;
	int64		count;
	int64		found;

	part_bursts(messages, pause, bursts);
	count = bursts->count - 1;
	if (count < (CYCLES + 1) * 2 * rule->run)
		return false;
	for (int64 i = 0; i < count; i++)
	{
		intervals[i] = bursts->began[i + 1] - bursts->began[i];
		logarithms[i] = log(intervals[i]);
	}
	qsort(logarithms, count, sizeof(double), compare_double);
	speeds = two_speeds(logarithms, count, rule->share);
	if (speeds.slow - speeds.fast < log(rule->ratio))
		return false;
	found = find_starts(intervals, count, &speeds, rule->run, starts);
	result->interval = regular_length(bursts, starts, found, rule, logarithms);
	if (result->interval == 0)
		return false;
	take_cycles(bursts, starts, found, rule, result);
	return true;
}

bool
step_cycles(const L4Intervals *messages, const L4CycleRule *rule, L4StepCycles *result)
{
	L4Pauses	pauses = intervals_pauses(messages);
	Bursts		bursts = {numbers(messages->count), numbers(messages->count)};
	double	   *intervals = numbers(messages->count);
	double	   *logarithms = numbers(messages->count);
	int64	   *starts = MemoryContextAllocHuge(CurrentMemoryContext, Max(messages->count, 1) * sizeof(int64));
	double		pause;
	bool		found = false;

	while (!found && intervals_next_pause(&pauses, &pause))
	{
		CHECK_FOR_INTERRUPTS();
		found = cycles_at(messages, pause, rule, &bursts, intervals, logarithms, starts, result);
	}
	pfree(pauses.sorted);
	pfree(bursts.began);
	pfree(bursts.ended);
	pfree(intervals);
	pfree(logarithms);
	pfree(starts);
	return found;
}
