/*
 * step_rounds.c: the steps of a job that scatters its gradients in each microbatch and gathers its parameters once a step.
 */
#include "algorithms/step_rounds.h"

#include <math.h>

#include "tools/order.h"
#include "tools/room.h"

/* What begins sooner behind another burst, as a share of what is usual, is a part of that: what is gathered behind the last. */
#define WHOLE 0.75

/* Bursts, by the message with which each began. */
typedef struct Rounds
{
	double	   *began;
	double	   *lengths;		/* room */
	int64	   *first;
	int64		count;
} Rounds;

static Rounds
rounds_of(const L4Intervals *messages, double pause)
{
	int64		most = messages->count;
	Rounds		rounds = {room_for(most, sizeof(double)), room_for(most, sizeof(double)), room_for(most, sizeof(int64))};
	double		until = -INFINITY;

	for (int64 i = 0; i < messages->count; i++)
	{
		if (messages->began[i] - until >= pause)
		{
			rounds.began[rounds.count] = messages->began[i];
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

/* Puts those that begin soon behind another to it. */
static void
join_early(Rounds *rounds)
{
	int64		count = 1;
	double		least;

	if (rounds->count < 2)
		return;
	for (int64 i = 1; i < rounds->count; i++)
		rounds->lengths[i - 1] = rounds->began[i] - rounds->began[i - 1];
	least = WHOLE * select_double(rounds->lengths, rounds->count - 1, (rounds->count - 1) / 2);
	for (int64 i = 1; i < rounds->count; i++)
	{
		if (rounds->began[i] - rounds->began[count - 1] < least)
			continue;
		rounds->began[count] = rounds->began[i];
		rounds->first[count++] = rounds->first[i];
	}
	rounds->count = count;
}

/* How many rounds make a step, and which of them begin one (chosen, count): in turns, as pauses may lie between any two. */
static int
rounds_of_step(const Rounds *rounds, const L4Intervals *messages, const double *moved, const L4MicrobatchRule *rule,
			   int64 *chosen, int64 *count)
{
	double	   *turn = room_for(rounds->count, sizeof(double));
	double	   *ended = room_for(rounds->count, sizeof(double));
	double	   *never = room_for(rounds->count, sizeof(double));
	double	   *bytes = room_for(rounds->count, sizeof(double));
	L4Intervals turns = {turn, ended, rounds->count};
	L4LayerCycles cycles = {turn, never, rounds->count, 1, 0, 1};
	int			result;

	for (int64 i = 0; i < rounds->count; i++)
	{
		turn[i] = i;
		ended[i] = i;
		never[i] = INFINITY;
		bytes[i] = 0;
		for (int64 at = rounds->first[i]; at < (i + 1 < rounds->count ? rounds->first[i + 1] : messages->count); at++)
			bytes[i] += moved[at];
	}
	result = microbatches_of_step(&turns, bytes, &cycles, rule, chosen, count);
	pfree(turn);
	pfree(ended);
	pfree(never);
	pfree(bytes);
	return result;
}

bool
step_rounds(const L4Intervals *messages, const double *moved, const L4RoundRule *rule, L4StepCycles *result)
{
	Rounds		rounds = rounds_of(messages, rule->pause);
	int64	   *chosen = room_for(rounds.count, sizeof(int64));
	int64		count;

	join_early(&rounds);
	result->microbatches = rounds_of_step(&rounds, messages, moved, &rule->microbatch, chosen, &count);
	result->interval = interval_between(&rounds, chosen, count, rule->tolerance, &result->regular);
	if (result->microbatches > 1 && result->regular >= rule->regular)
		take_steps(messages, &rounds, chosen, count, result);
	pfree(chosen);
	rounds_free(&rounds);
	return result->count > 0;
}
