/*
 * step_parts.c: whether parameters come back only in the next step, and where the phase of a step parts into gradients and
 * these.
 *
 * A distributed optimizer (ZeRO-1) sums up gradients, so that each rank has its part of them, and sends parameters of its part
 * to all others. It may do that before the next step begins, or while it already computes: from outside both look the same, a
 * phase of data at the end of all microbatches. But who computes while parameters come sends the first activations sooner
 * behind them than computing takes, which the second ones tell.
 */
#include "algorithms/step_parts.h"

#include <math.h>

#include "algorithms/robust.h"
#include "miscadmin.h"
#include "tools/room.h"

double
step_lead(const L4Intervals *sent, const L4Intervals *back, const double *ends, int64 end_count, int64 least)
{
	double	   *leads = room_for(end_count, sizeof(double));
	int64		count = 0;
	int64		i = 0;
	int64		j = 0;
	double		lead;

	for (int64 step = 0; step < end_count; step++)
	{
		double		forward;

		CHECK_FOR_INTERRUPTS();
		while (i < sent->count && sent->began[i] <= ends[step])
			i++;
		while (j < back->count && back->began[j] <= ends[step])
			j++;
		if (i + 1 >= sent->count)
			break;
		forward = sent->began[i + 1] - sent->began[i];
		/* what goes as something comes may have waited for it: an answer takes longer than a forward */
		if (forward > 0 && (j >= back->count || back->began[j] > sent->began[i + 1] + forward) &&
			(step + 1 >= end_count || sent->began[i + 1] <= ends[step + 1]))
			leads[count++] = (sent->began[i] - ends[step]) / forward;
	}
	lead = count > 0 && count >= least ? robust_upper_median(leads, count) : 0;
	pfree(leads);
	return lead;
}

/* Is a part of so many bytes, behind so many, parameters behind their gradients? */
static bool
are_parameters(double behind, double before, double tolerance)
{
	return before > 0 &&
		(fabs(behind / before - 1) <= tolerance || fabs(2 * behind / before - 1) <= tolerance);
}

/* A phase has its parameters, too, where it moves this share of what others with both do; gradients alone are two thirds. */
#define WITH_PARAMETERS 0.8

/*
 * The end of the gradients among the messages from first to last, which move `all`, of a phase that ends so. Not inlined: with
 * its caller GCC 14 takes the loop for one that never ends, and warns.
 */
static pg_noinline double
end_of_gradients(const L4Intervals *messages, const double *moved, int64 first, int64 last, double all, double ended,
				 double tolerance)
{
	double		before = 0;
	double		until = -INFINITY;
	double		longest = 0;
	double		end = ended;

	for (int64 i = first; i + 1 < last; i++)
	{
		double		silence;

		before += moved[i];
		until = Max(until, messages->ended[i]);
		silence = messages->began[i + 1] - until;
		if (silence <= longest || !are_parameters(all - before, before, tolerance))
			continue;
		longest = silence;
		end = until;
	}
	return end;
}

/* Of phases of which records are lost, so that they do not tell it, parameters take as long as those of most others do. */
static void
fill_ends(const double *began, const double *ended, const double *bytes, int64 count, double *ends)
{
	double	   *taken = room_for(count, sizeof(double));
	double	   *moved = room_for(count, sizeof(double));
	int64		told = 0;

	for (int64 i = 0; i < count; i++)
		if (ends[i] < ended[i])
		{
			taken[told] = ended[i] - ends[i];
			moved[told++] = bytes[i];
		}
	if (2 * told > count)
	{
		double		parameters = robust_upper_median(taken, told);
		double		usual = robust_upper_median(moved, told);

		for (int64 i = 0; i < count; i++)
			if (ends[i] == ended[i] && bytes[i] >= WITH_PARAMETERS * usual)
				ends[i] = fmax(ends[i] - parameters, began[i]);
	}
	pfree(taken);
	pfree(moved);
}

void
step_parts(const L4Intervals *messages, const double *moved, const double *began, const double *ended, int64 count,
		   double tolerance, double *ends)
{
	double	   *bytes = room_for(count, sizeof(double));
	int64		first = 0;

	for (int64 phase = 0; phase < count; phase++)
	{
		int64		last;

		CHECK_FOR_INTERRUPTS();
		while (first < messages->count && messages->began[first] < began[phase])
			first++;
		bytes[phase] = 0;
		for (last = first; last < messages->count && messages->began[last] <= ended[phase]; last++)
			bytes[phase] += moved[last];
		ends[phase] = end_of_gradients(messages, moved, first, last, bytes[phase], ended[phase], tolerance);
		first = last;
	}
	fill_ends(began, ended, bytes, count, ends);
	pfree(bytes);
}
