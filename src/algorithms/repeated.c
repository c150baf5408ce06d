/*
 * repeated.c: how much of what goes one way between two repeats itself from cycle to cycle.
 *
 * A link whose bursts tell nothing, as one layer runs into the next, still moves as much in the same part of each cycle: more
 * backwards, where gradients are scattered, than forwards. How many messages that is varies, as what is sent without a pause is
 * one; its bytes do not.
 */
#include "algorithms/repeated.h"

#include <math.h>

/* Which of so many parts of the cycle from `began` to `ended` a time is in. */
static int
part_of_cycle(double time, double began, double ended, int parts)
{
	double		share = (time - began) / (ended - began);

	return share > 0 ? Min((int) (Min(share, 1.0) * parts), parts - 1) : 0;
}

double
repeated_share(const double *times, const double *moved, int64 count, const double *ends, int64 end_count, int parts,
			   int64 needed)
{
	double	   *cycle = palloc(parts * sizeof(double));
	double	   *all = palloc0(parts * sizeof(double));
	double		squares = 0;
	double		total = 0;
	double		repeated = 0;
	double		even;
	int64		first = 0;
	int64		at = 0;
	int64		cycles;

	while (count > 0 && first < end_count && ends[first] < times[0])
		first++;
	while (count > 0 && end_count > first && ends[end_count - 1] > times[count - 1])
		end_count--;
	cycles = end_count - first - 1;
	if (count == 0 || cycles < Max(needed, 1))
		return NAN;
	while (times[at] < ends[first])
		at++;
	for (int64 i = first; i + 1 < end_count; i++)
	{
		memset(cycle, 0, parts * sizeof(double));
		for (; at < count && times[at] < ends[i + 1]; at++)
			cycle[part_of_cycle(times[at], ends[i], ends[i + 1], parts)] += moved[at];
		for (int part = 0; part < parts; part++)
		{
			all[part] += cycle[part];
			squares += cycle[part] * cycle[part];
		}
	}
	for (int part = 0; part < parts; part++)
	{
		total += all[part];
		repeated += all[part] * all[part] / cycles;
	}
	even = total * total / ((double) cycles * parts);
	pfree(cycle);
	pfree(all);
	return squares > even ? (repeated - even) / (squares - even) : NAN;
}
