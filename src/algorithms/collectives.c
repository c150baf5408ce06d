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

/* Bursts of so many collectives at once count as such, too: of more any number is one within the tolerance. */
#define MOST_AT_ONCE 3
/* With fewer bursts than this a pause parts none of layers. */
#define LEAST_BURSTS 32
/* Pauses are tried from the shortest on, each longer than the last by this factor. */
#define LONGER 1.5

static double *
numbers(int64 count)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof(double));
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
		for (; sizes[first] < (1 - tolerance) * sizes[i]; first++)
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

/* Sizes in the order of what they explain. */
typedef struct Sizes
{
	double	   *size;
	double		share[COLLECTIVE_SIZES];
	int			count;
} Sizes;

static void
sizes_remove(Sizes *sizes, int place)
{
	sizes->count--;
	for (int i = place; i < sizes->count; i++)
	{
		sizes->size[i] = sizes->size[i + 1];
		sizes->share[i] = sizes->share[i + 1];
	}
}

static void
sizes_add(Sizes *sizes, double size, double share, double tolerance)
{
	int			place = 0;

	for (int i = 0; i < sizes->count; i++)
		if (fabs(size - sizes->size[i]) <= tolerance * size)
		{
			if (sizes->share[i] >= share)
				return;
			sizes_remove(sizes, i);
			break;
		}
	while (place < sizes->count && sizes->share[place] >= share)
		place++;
	if (place == COLLECTIVE_SIZES)
		return;
	sizes->count = Min(sizes->count + 1, COLLECTIVE_SIZES);
	for (int i = sizes->count - 1; i > place; i--)
	{
		sizes->size[i] = sizes->size[i - 1];
		sizes->share[i] = sizes->share[i - 1];
	}
	sizes->size[place] = size;
	sizes->share[place] = share;
}

int
collective_sizes(const L4Intervals *messages, const double *moved, const L4CollectiveRule *rule,
				 double result[COLLECTIVE_SIZES])
{
	Sizes		sizes = {result};
	double	   *bursts = numbers(messages->count);
	L4Pauses	pauses = intervals_pauses(messages);
	int64		count = pauses.count;

	for (double pause = count > 0 ? pauses.sorted[0] : 0; count + 1 >= LEAST_BURSTS; pause *= LONGER)
	{
		double		usual;

		CHECK_FOR_INTERRUPTS();
		count = sizes_of_bursts(messages, moved, pause, bursts);
		usual = usual_size(bursts, count, rule->tolerance);
		/* backwards two go at once */
		for (int at_once = 1; at_once <= 2; at_once++)
		{
			double		size = usual / at_once;
			double		share = share_of_whole(bursts, count, size, rule->tolerance);

			if (share >= rule->share)
				sizes_add(&sizes, size, share, rule->tolerance);
		}
	}
	pfree(bursts);
	pfree(pauses.sorted);
	return sizes.count;
}

void
collectives_of(const L4Intervals *messages, const double *moved, double size, double tolerance, L4Collectives *result)
{
	double		bytes = 0;
	double		took = 0;

	result->count = 0;
	for (int64 i = 0; i < messages->count; i++)
	{
		bytes += moved[i];
		took += messages->ended[i] - messages->began[i];
		if (!are_whole(bytes, size, tolerance, INFINITY) && i + 1 < messages->count)
			continue;
		result->began[result->count] = messages->ended[i] - took;
		result->ended[result->count] = messages->ended[i];
		result->moved[result->count++] = bytes;
		bytes = took = 0;
	}
}
