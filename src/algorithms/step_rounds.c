/*
 * step_rounds.c: the steps of a job that scatters its gradients in each microbatch and gathers its parameters once a step.
 */
#include "algorithms/step_rounds.h"

#include <math.h>

#include "tools/order.h"

/* Bursts, by the message with which each began. */
typedef struct Rounds
{
	double	   *began;
	double	   *turns;			/* none goes backwards */
	double	   *lengths;		/* room */
	int64	   *first;
	int64		count;
} Rounds;

static void *
room_for(int64 count, Size size)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * size);
}

static Rounds
rounds_of(const L4Intervals *messages, double pause)
{
	int64		most = messages->count;
	Rounds		rounds = {room_for(most, sizeof(double)), room_for(most, sizeof(double)), room_for(most, sizeof(double)),
		room_for(most, sizeof(int64))};
	double		until = -INFINITY;

	for (int64 i = 0; i < messages->count; i++)
	{
		if (messages->began[i] - until >= pause)
		{
			rounds.began[rounds.count] = messages->began[i];
			rounds.turns[rounds.count] = INFINITY;
			rounds.first[rounds.count++] = i;
		}
		until = Max(until, messages->ended[i]);
	}
	return rounds;
}

static void
rounds_free(Rounds *rounds)
{
	pfree(rounds->began);
	pfree(rounds->turns);
	pfree(rounds->lengths);
	pfree(rounds->first);
}

/* The median of what lies between those of the rounds that are chosen; *regular: which share is like the one before. */
static double
interval_between(const Rounds *rounds, const int64 *chosen, int64 count, double tolerance, double *regular)
{
	int64		alike = 0;

	*regular = 0;
	if (count < 3)
		return 0;
	for (int64 i = 1; i < count; i++)
		rounds->lengths[i - 1] = rounds->began[chosen[i]] - rounds->began[chosen[i - 1]];
	for (int64 i = 1; i < count - 1; i++)
		alike += fabs(rounds->lengths[i] / rounds->lengths[i - 1] - 1) <= tolerance;
	*regular = (double) alike / (count - 2);
	return select_double(rounds->lengths, count - 1, (count - 1) / 2);
}

/* The whole steps between the rounds that begin one, and when the last message of each was through. */
static void
take_steps(const L4Intervals *messages, const Rounds *rounds, const int64 *chosen, int64 count, L4StepCycles *result)
{
	result->began = room_for(count, sizeof(double));
	result->ended = room_for(count, sizeof(double));
	result->count = count - 1;
	for (int64 i = 0; i + 1 < count; i++)
	{
		result->began[i] = rounds->began[chosen[i]];
		result->ended[i] = 0;
		for (int64 at = rounds->first[chosen[i]]; at < rounds->first[chosen[i + 1]]; at++)
			result->ended[i] = Max(result->ended[i], messages->ended[at]);
	}
}

bool
step_rounds(const L4Intervals *messages, const double *moved, const L4RoundRule *rule, L4StepCycles *result)
{
	Rounds		rounds = rounds_of(messages, rule->pause);
	int64	   *chosen = room_for(rounds.count, sizeof(int64));
	int64	   *all = room_for(rounds.count, sizeof(int64));
	int64		count = 0;
	double		share;
	L4LayerCycles cycles = {rounds.began, rounds.turns, rounds.count, 0, 0, rule->pause};

	for (int64 i = 0; i < rounds.count; i++)
		all[i] = i;
	cycles.interval = interval_between(&rounds, all, rounds.count, rule->tolerance, &share);
	if (cycles.interval > 0)
		result->microbatches = microbatches_of_step(messages, moved, &cycles, &rule->microbatch, chosen, &count);
	result->interval = interval_between(&rounds, chosen, count, rule->tolerance, &result->regular);
	if (result->microbatches > 1 && result->regular >= rule->regular)
		take_steps(messages, &rounds, chosen, count, result);
	pfree(chosen);
	pfree(all);
	rounds_free(&rounds);
	return result->count > 0;
}
