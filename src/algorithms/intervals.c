/*
 * intervals.c: regular bursts among messages.
 *
 * A training job's traffic has pauses on several scales: between the pieces of a collective, between microbatches, between
 * steps. On each scale the number of bursts stays the same over a range of pauses; bursts on the wrong scale come at intervals
 * of two kinds, short and long.
 */
#include "algorithms/intervals.h"

#include <math.h>

#include "miscadmin.h"
#include "tools/order.h"
#include "tools/room.h"

/* Pauses are tried from the shortest on, each longer than the last by this factor ... */
#define FINER 1.4
/* ... and taken where up to this factor nearly as many are longer. */
#define PLATEAU 1.5
#define PLATEAU_SHARE 0.97

static double *
numbers(int64 count)
{
	return room_for(count, sizeof(double));
}

/* The pauses between messages, ascending; those that overlap have none. */
static int64
sorted_pauses(const L4Intervals *messages, double *pauses)
{
	double		end = messages->count > 0 ? messages->ended[0] : 0;
	int64		count = 0;

	for (int64 i = 1; i < messages->count; i++)
	{
		if (messages->began[i] > end)
			pauses[count++] = messages->began[i] - end;
		end = Max(end, messages->ended[i]);
	}
	sort_doubles(pauses, count);
	return count;
}

/* How many of the sorted pauses are at least so long. */
static int64
longer(const double *pauses, int64 count, double than)
{
	int64		low = 0;
	int64		high = count;

	while (low < high)
	{
		int64		middle = (low + high) / 2;

		if (pauses[middle] >= than)
			high = middle;
		else
			low = middle + 1;
	}
	return count - low;
}

L4Pauses
intervals_pauses(const L4Intervals *messages)
{
	L4Pauses	pauses = {numbers(messages->count)};

	pauses.count = sorted_pauses(messages, pauses.sorted);
	pauses.next = pauses.count > 0 ? pauses.sorted[0] : INFINITY;
	pauses.tried = -1;
	return pauses;
}

bool
intervals_next_pause(L4Pauses *pauses, double *pause)
{
	for (; isfinite(pauses->next) && longer(pauses->sorted, pauses->count, pauses->next) >= 2; pauses->next *= FINER)
	{
		int64		bursts = longer(pauses->sorted, pauses->count, pauses->next);

		CHECK_FOR_INTERRUPTS();
		if (bursts == pauses->tried
			|| longer(pauses->sorted, pauses->count, pauses->next * PLATEAU) < PLATEAU_SHARE * bursts)
			continue;
		pauses->tried = bursts;
		pauses->tried_all |= bursts == pauses->count;
		*pause = pauses->next;
		return true;
	}
	if (pauses->count < 2 || pauses->tried_all)
		return false;
	/* where each burst is one message, all pauses may be alike */
	pauses->tried_all = true;
	*pause = pauses->sorted[0];
	return true;
}

/* Intervals between the beginnings of bursts. */
static int64
intervals_between(const L4Intervals *messages, double pause, double *intervals)
{
	double		began = messages->began[0];
	double		end = messages->ended[0];
	int64		count = 0;

	for (int64 i = 1; i < messages->count; i++)
	{
		if (messages->began[i] - end >= pause)
		{
			intervals[count++] = messages->began[i] - began;
			began = messages->began[i];
		}
		end = Max(end, messages->ended[i]);
	}
	return count;
}

static bool
are_regular(double *intervals, int64 count, double share_of_count, double share_of_time, double tolerance, double *median)
{
	double		time = 0;
	double		right_time = 0;
	int64		right = 0;

	*median = select_double(intervals, count, count / 2);
	for (int64 i = 0; i < count; i++)
	{
		bool		fits = fabs(intervals[i] - *median) <= tolerance * *median;

		time += intervals[i];
		right += fits;
		right_time += fits ? intervals[i] : 0;
	}
	return right >= share_of_count * count && right_time >= share_of_time * time;
}

bool
intervals_regular(const L4Intervals *messages, double share_of_count, double share_of_time, double tolerance,
				  L4Regularity *result)
{
	L4Pauses	pauses = intervals_pauses(messages);
	double	   *intervals = numbers(messages->count);
	bool		found = false;

	while (!found && intervals_next_pause(&pauses, &result->pause))
	{
		result->bursts = intervals_between(messages, result->pause, intervals) + 1;
		found = are_regular(intervals, result->bursts - 1, share_of_count, share_of_time, tolerance, &result->interval);
	}
	pfree(pauses.sorted);
	pfree(intervals);
	return found;
}

/* The lag of the nearest beginning of b behind each of a. */
static void
nearest_lags(const L4Intervals *a, const L4Intervals *b, double *lags)
{
	int64		j = 0;

	for (int64 i = 0; i < a->count; i++)
	{
		while (j + 1 < b->count && fabs(b->began[j + 1] - a->began[i]) <= fabs(b->began[j] - a->began[i]))
			j++;
		lags[i] = b->began[j] - a->began[i];
	}
}

double
intervals_together(const L4Intervals *a, const L4Intervals *b, double tolerance)
{
	double	   *lags;
	double		usual;
	int64		together = 0;

	if (a->count == 0 || b->count == 0)
		return 0;
	lags = numbers(a->count);
	nearest_lags(a, b, lags);
	usual = select_double(lags, a->count, a->count / 2);
	for (int64 i = 0; i < a->count; i++)
		together += fabs(lags[i] - usual) <= tolerance;
	pfree(lags);
	return (double) together / a->count;
}

int64
intervals_bursts(const L4Intervals *messages, double pause, double *seconds)
{
	double		began;
	double		end;
	int64		bursts = 1;

	*seconds = 0;
	if (messages->count == 0)
		return 0;
	began = messages->began[0];
	end = messages->ended[0];
	for (int64 i = 1; i < messages->count; i++)
	{
		if (messages->began[i] - end >= pause)
		{
			*seconds += end - began;
			began = messages->began[i];
			bursts++;
		}
		end = Max(end, messages->ended[i]);
	}
	*seconds += end - began;
	return bursts;
}
