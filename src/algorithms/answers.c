/*
 * answers.c: answers among messages, by their sizes and times.
 *
 * A pipeline sends activations forwards and gets gradients of the same size back. Where sequences differ in length no two
 * microbatches are of one size, but each comes back as large as it went. What ranks exchange, experts or shards, goes both ways
 * at the same time.
 */
#include "algorithms/answers.h"

#include <math.h>

#include "miscadmin.h"
#include "tools/order.h"
#include "tools/room.h"

/* An answer is among so many of the other way: twice the microbatches of a step, all of which may go forwards first. */
#define MOST_AHEAD 128

/* Share of the messages of a that are answered by b. */
static double
share_answered(const L4Intervals *a, const double *a_moved, const L4Intervals *b, const double *b_moved, double tolerance)
{
	bool	   *used = room_for(b->count, sizeof(bool));
	int64		answered = 0;
	int64		first = 0;

	memset(used, 0, b->count * sizeof(bool));
	for (int64 i = 0; i < a->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		while (first < b->count && (used[first] || b->began[first] <= a->began[i]))
			first++;
		for (int64 j = first; j < b->count && j < first + MOST_AHEAD; j++)
			if (!used[j] && fabs(b_moved[j] - a_moved[i]) <= tolerance * a_moved[i])
			{
				used[j] = true;
				answered++;
				break;
			}
	}
	pfree(used);
	return (double) answered / a->count;
}

double
answers_alike(const L4Intervals *a, const double *a_moved, const L4Intervals *b, const double *b_moved, double tolerance)
{
	if (a->count == 0 || b->count == 0)
		return 0;
	return Max(share_answered(a, a_moved, b, b_moved, tolerance), share_answered(b, b_moved, a, a_moved, tolerance));
}

/* The next burst from message *next on: from *began to *ended. False: there is none. */
static bool
next_burst(const L4Intervals *messages, double pause, int64 *next, double *began, double *ended)
{
	if (*next >= messages->count)
		return false;
	*began = messages->began[*next];
	*ended = messages->ended[*next];
	for ((*next)++; *next < messages->count && messages->began[*next] - *ended < pause; (*next)++)
		*ended = Max(*ended, messages->ended[*next]);
	return true;
}

double
answers_at_once(const L4Intervals *a, const L4Intervals *b, double pause)
{
	double		a_seconds;
	double		b_seconds;
	double		at_once = 0;
	double		a_began,
				a_ended,
				b_began,
				b_ended;
	int64		i = 0;
	int64		j = 0;
	bool		more = next_burst(a, pause, &i, &a_began, &a_ended) && next_burst(b, pause, &j, &b_began, &b_ended);

	if (!more)
		return 0;
	while (more)
	{
		at_once += Max(0, Min(a_ended, b_ended) - Max(a_began, b_began));
		more = a_ended < b_ended ? next_burst(a, pause, &i, &a_began, &a_ended) :
			next_burst(b, pause, &j, &b_began, &b_ended);
	}
	intervals_bursts(a, pause, &a_seconds);
	intervals_bursts(b, pause, &b_seconds);
	return at_once > 0 ? at_once / Min(a_seconds, b_seconds) : 0;
}

/* The ends of messages, in order, as beginnings. */
static L4Intervals
ends_of(const L4Intervals *messages)
{
	double	   *ends = room_for(messages->count, sizeof(double));

	if (messages->count > 0)
		memcpy(ends, messages->ended, messages->count * sizeof(double));
	sort_doubles(ends, messages->count);
	return (L4Intervals) {ends, ends, messages->count};
}

double
answers_end_together(const L4Intervals *a, const L4Intervals *b, double tolerance)
{
	L4Intervals of_a = ends_of(a);
	L4Intervals of_b = ends_of(b);
	double		share = intervals_together(&of_a, &of_b, tolerance);

	pfree((void *) of_a.began);
	pfree((void *) of_b.began);
	return share;
}

/* Which way the next message goes. */
typedef enum Way
{
	NEITHER,
	FORTH,
	BACK,
	BOTH
} Way;

/* Goes over the messages of both ways in order; *i, *j: the next of each. */
static Way
next_way(const L4Intervals *a, const L4Intervals *b, double tolerance, int64 *i, int64 *j)
{
	Way			way;

	if (*i >= a->count && *j >= b->count)
		return NEITHER;
	if (*j >= b->count || (*i < a->count && a->ended[*i] + tolerance < b->began[*j]))
		way = FORTH;
	else if (*i >= a->count || b->ended[*j] + tolerance < a->began[*i])
		way = BACK;
	else
		way = BOTH;
	*i += way != BACK;
	*j += way != FORTH;
	return way;
}

/* A run of messages that go alone one way, and how long the one of the other way was that it follows directly (0: none). */
typedef struct Run
{
	Way			way;
	int64		length;
	int64		before;
} Run;

static inline Way
other_way(Way way)
{
	return way == FORTH ? BACK : FORTH;
}

/*
 * The run after a message; is it the other way's, directly behind one? What the run that ends then has in turn with the one
 * before is added, by the way that went first.
 */
static bool
extend_run(Run *run, Way way, int64 *in_turn)
{
	bool		turned = (run->way == FORTH && way == BACK) || (run->way == BACK && way == FORTH);

	if (way == run->way)
	{
		run->length++;
		return false;
	}
	if (run->before > 0)
		in_turn[other_way(run->way)] += 2 * Min(run->before, run->length);
	*run = (Run) {way, 1, turned ? run->length : 0};
	return turned;
}

L4Turns
answers_turns(const L4Intervals *a, const L4Intervals *b, double tolerance)
{
	int64		turns[BOTH] = {0};	/* by the way that goes first */
	int64		in_turn[BOTH] = {0};
	int64		alone = 0;
	int64		i = 0;
	int64		j = 0;
	Run			run = {NEITHER, 0, 0};
	Way			way;
	Way			first;
	Way			second;

	while ((way = next_way(a, b, tolerance, &i, &j)) != NEITHER)
	{
		CHECK_FOR_INTERRUPTS();
		alone += way != BOTH;
		if (extend_run(&run, way, in_turn))
			turns[other_way(way)]++;
	}
	extend_run(&run, NEITHER, in_turn);
	first = turns[FORTH] >= turns[BACK] ? FORTH : BACK;
	second = other_way(first);
	return (L4Turns) {turns[first] - turns[second],
		turns[first] > turns[second] ? (double) Max(in_turn[first] - in_turn[second], 0) / alone : 0};
}
