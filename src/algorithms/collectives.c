/*
 * collectives.c: collectives of a link in one piece each, by what they move.
 *
 * Around a ring each can send but what has come to it: of a collective that somebody is late for the others send the first
 * pieces, one more for each place between, and the rest when the last one is there. Whoever is early by nearly as long as a
 * layer takes is silent as long within a collective as between two, so that no pause parts them. But a layer moves the same
 * bytes on a link each time, twice as many where its gradients are scattered while the next one is gathered. So pieces belong
 * to one collective until it has moved that; and all of it is taken to go right before its end, which is the same for all.
 */
#include "algorithms/collectives.h"

#include <math.h>

#include "miscadmin.h"
#include "tools/order.h"
#include "tools/room.h"

/* Bursts of so many collectives at once count as such, too: of more any number is one within the tolerance. */
#define MOST_AT_ONCE 3
/* A message is of so many collectives at most. */
#define MOST_IN_MESSAGE 64
/* With fewer bursts than this a pause parts none of layers. */
#define LEAST_BURSTS 32
/* Pauses are tried from the shortest on, each longer than the last by this factor. */
#define LONGER 1.5
/* There are at least so many in a step: all of a way, forwards or backwards, may be one burst as well. */
#define LEAST_IN_STEP 8

static double *
numbers(int64 count)
{
	return room_for(count, sizeof(double));
}

static double
bytes_of_all(const double *moved, int64 count)
{
	double		bytes = 0;

	for (int64 i = 0; i < count; i++)
		bytes += moved[i];
	return bytes;
}

static double
least_of(const double *values, int64 count)
{
	double		least = INFINITY;

	for (int64 i = 0; i < count; i++)
		least = Min(least, values[i]);
	return least;
}

/* Bytes of bursts that a pause parts, ascending; returns how many. */
static int64
sizes_of_bursts(const L4Intervals *messages, const double *moved, double pause, double *sizes)
{
	double		until = messages->ended[0];
	int64		count = 1;

	sizes[0] = moved[0];
	for (int64 i = 1; i < messages->count; i++)
	{
		if (messages->began[i] - until >= pause)
			sizes[count++] = 0;
		sizes[count - 1] += moved[i];
		until = Max(until, messages->ended[i]);
	}
	sort_doubles(sizes, count);
	return count;
}

/* Of sorted sizes that of those which are alike and make up most bytes. */
static double
usual_size(const double *sizes, int64 count, double tolerance)
{
	double		bytes = 0;
	double		most = 0;
	double		result = 0;
	int64		first = 0;

	for (int64 i = 0; i < count; i++)
	{
		bytes += sizes[i];
		for (; first < i && sizes[first] < (1 - tolerance) * sizes[i]; first++)
			bytes -= sizes[first];
		if (bytes > most)
		{
			most = bytes;
			result = sizes[(first + i) / 2];
		}
	}
	return result;
}

/* Are so many bytes one collective, or a few? */
static bool
are_whole(double bytes, double size, double tolerance, double most)
{
	double		times = rint(bytes / size);

	return times >= 1 && times <= most && fabs(bytes - times * size) <= tolerance * size;
}

/* The share of the bytes of bursts that are whole collectives of this size. */
static double
share_of_whole(const double *sizes, int64 count, double size, double tolerance)
{
	double		whole = 0;
	double		all = 0;

	for (int64 i = 0; i < count; i++)
	{
		all += sizes[i];
		if (are_whole(sizes[i], size, tolerance, MOST_AT_ONCE))
			whole += sizes[i];
	}
	return all > 0 ? whole / all : 0;
}

/* Takes one more size, in the order of what they explain; of those that are alike the best. Returns how many there are. */
static int
take_size(L4CollectiveSize *sizes, int count, const L4CollectiveSize *size, double tolerance)
{
	int			place = 0;
	int			last = count;

	while (place < count && sizes[place].share >= size->share &&
		   fabs(size->bytes - sizes[place].bytes) > tolerance * size->bytes)
		place++;
	if (place == COLLECTIVE_SIZES || (place < count && sizes[place].share >= size->share))
		return count;
	for (int i = place; i < count; i++)
		if (fabs(size->bytes - sizes[i].bytes) <= tolerance * size->bytes)
			last = Min(last, i);
	last = Min(last, COLLECTIVE_SIZES - 1);
	for (int i = last; i > place; i--)
		sizes[i] = sizes[i - 1];
	sizes[place] = *size;
	return Max(count, last + 1);
}

int
collective_sizes(const L4Intervals *messages, const double *moved, const L4CollectiveRule *rule,
				 L4CollectiveSize sizes[COLLECTIVE_SIZES])
{
	double	   *bursts = numbers(messages->count);
	L4Pauses	pauses = intervals_pauses(messages);
	int64		count = pauses.count;
	double		all = bytes_of_all(moved, messages->count);
	int			found = 0;

	/* not where some are negative, or without an end */
	if (!(all > 0 && isfinite(all)) || least_of(moved, messages->count) < 0)
		count = 0;
	for (double pause = count > 0 ? pauses.sorted[0] : 0; isfinite(pause) && count + 1 >= LEAST_BURSTS;
		 pause *= LONGER)
	{
		double		usual;

		CHECK_FOR_INTERRUPTS();
		count = sizes_of_bursts(messages, moved, pause, bursts);
		usual = usual_size(bursts, count, rule->tolerance);
		/* backwards two go at once */
		for (int at_once = 1; at_once <= 2; at_once++)
		{
			L4CollectiveSize size = {usual / at_once, pause};

			size.share = share_of_whole(bursts, count, size.bytes, rule->tolerance);
			if (size.share >= rule->share && size.bytes * MOST_IN_MESSAGE * messages->count >= all)
				found = take_size(sizes, found, &size, rule->tolerance);
		}
	}
	pfree(bursts);
	pfree(pauses.sorted);
	return found;
}

/* ---- in one piece ---- */

/* Messages [first, end) that make up whole collectives, which begin and end with them. */
typedef struct Run
{
	const L4Intervals *messages;
	const double *moved;
	int64		first;
	int64		end;
	double		bytes;
} Run;

/* Divides a run into so many collectives: where each has moved its part of the bytes. */
static void
divide_run(const Run *run, int64 into, L4Collectives *result)
{
	double		part = run->bytes / into;
	double		needed = part;
	double		took = 0;
	int64		made = 0;

	for (int64 i = run->first; i < run->end; i++)
	{
		double		left = run->moved[i];
		double		lasts = run->messages->ended[i] - run->messages->began[i];

		while (made + 1 < into && left >= needed)
		{
			left -= needed;
			took += lasts * needed / run->moved[i];
			result->ended[result->count] = run->messages->ended[i] - lasts * left / run->moved[i];
			result->began[result->count] = result->ended[result->count] - took;
			result->moved[result->count++] = part;
			took = 0;
			needed = part;
			made++;
		}
		needed -= left;
		took += run->moved[i] > 0 ? lasts * left / run->moved[i] : lasts;
	}
	result->ended[result->count] = run->messages->ended[run->end - 1];
	result->began[result->count] = result->ended[result->count] - took;
	result->moved[result->count++] = part;
}

/*
 * Takes messages into a run, which begins with the next, until they make up whole collectives, or so many that they are no
 * longer looked for. False: there are no more messages; *whole: are they?
 */
static bool
next_run(Run *run, const L4CollectiveSize *size, double tolerance, bool *whole)
{
	const L4Intervals *messages = run->messages;
	double		until = -INFINITY;

	run->first = run->end;
	run->bytes = 0;
	while (run->end < messages->count)
	{
		until = Max(until, messages->ended[run->end]);
		run->bytes += run->moved[run->end++];
		*whole = are_whole(run->bytes, size->bytes, tolerance, INFINITY);
		if (*whole || run->end == messages->count || (run->bytes > MOST_AT_ONCE * size->bytes &&
													  messages->began[run->end] - until >= size->pause))
			return true;
	}
	return false;
}

void
collectives_of(const L4Intervals *messages, const double *moved, const L4CollectiveSize *size, double tolerance,
			   L4Collectives *result)
{
	Run			run = {messages, moved};
	bool		whole;

	result->count = 0;
	while (next_run(&run, size, tolerance, &whole))
		divide_run(&run, whole ? 1 : Max((int64) rint(run.bytes / size->bytes), 1), result);
}

bool
collectives_early(const L4Intervals *messages, const double *moved, const L4CollectiveRule *rule, const double *ends,
				  int64 count, double *early)
{
	L4CollectiveSize sizes[COLLECTIVE_SIZES];
	int			found = collective_sizes(messages, moved, rule, sizes);
	Run			run = {messages, moved};
	double		most = count > 0 ? bytes_of_all(moved, messages->count) / count / LEAST_IN_STEP : 0;
	double	   *bytes;
	int64		step = 0;
	int			use = 0;
	bool		whole;

	while (use < found && sizes[use].bytes > most)
		use++;
	if (use == found)
		return false;
	bytes = numbers(count);
	memset(bytes, 0, count * sizeof(double));
	memset(early, 0, count * sizeof(double));
	while (next_run(&run, &sizes[use], rule->tolerance, &whole))
	{
		double		last = messages->began[run.end - 1];

		while (step < count && last >= ends[step + 1])
			step++;
		if (step == count || last < ends[step] || !whole || run.bytes > (MOST_AT_ONCE + rule->tolerance) * sizes[use].bytes)
			continue;
		bytes[step] += run.bytes;
		early[step] += run.bytes - moved[run.end - 1];
	}
	for (int64 i = 0; i < count; i++)
		early[i] = bytes[i] > 0 ? early[i] / bytes[i] : NAN;
	pfree(bytes);
	return true;
}

L4Collectives
collectives_room(const L4Intervals *messages, const double *moved, const L4CollectiveSize *size)
{
	int64		room = messages->count + (int64) (bytes_of_all(moved, messages->count) / size->bytes) + 1;

	return (L4Collectives) {numbers(room), numbers(room), numbers(room)};
}

void
collectives_free(L4Collectives *collectives)
{
	pfree(collectives->began);
	pfree(collectives->ended);
	pfree(collectives->moved);
}
