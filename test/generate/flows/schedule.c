/*
 * schedule.c: the order in which the stages of a pipeline compute: one forward one backward (Narayanan et al. 2019), the same
 * interleaved over virtual stages (Narayanan et al. 2021), and zero-bubble ZB-H1 (Qi et al. 2023), where the backward of the
 * weights is put off by as many microbatches as there are stages before.
 */
#include "flows.h"

/*
 * The k-th forward of an interleaved schedule: stages' worths of microbatches, chunk by chunk. The k-th backward mirrors it.
 */
static work
unit(const shape *p, work_kind kind, int k)
{
	work		u = {kind, k, 0};

	if (p->chunks > 1)
	{
		u.chunk = k % (p->pp * p->chunks) / p->pp;
		u.microbatch = k / (p->pp * p->chunks) * p->pp + k % p->pp;
	}
	if (kind != FORWARD)
		u.chunk = p->chunks - 1 - u.chunk;
	return u;
}

/* Forwards before the first backward. */
static int
warm_up(const shape *p, int stage, int units)
{
	int			n = p->pp - stage - 1;

	if (p->chunks > 1)
		n = 2 * n + (p->chunks - 1) * p->pp;
	return n < units ? n : units;
}

void
schedule_make(job *j)
{
	const shape *p = &j->plan;
	int			units = p->microbatches * p->chunks;
	int			apart = p->schedule == ZERO_BUBBLE;

	j->works = units * (apart ? 3 : 2);
	j->order = take(p->pp * j->works * sizeof(work));
	j->arrives = take(2 * p->pp * p->chunks * p->microbatches * sizeof(double));
	for (int stage = 0; stage < p->pp; stage++)
	{
		work	   *o = &j->order[stage * j->works];
		int			ahead = warm_up(p, stage, units);
		int			weights = 0;

		for (int k = 0; k < ahead; k++)
			*o++ = unit(p, FORWARD, k);
		for (int k = 0; k < units; k++)
		{
			if (k + ahead < units)
				*o++ = unit(p, FORWARD, k + ahead);
			*o++ = unit(p, BACKWARD, k);
			if (apart && k >= stage)
				*o++ = unit(p, WEIGHTS, weights++);
		}
		while (apart && weights < units)
			*o++ = unit(p, WEIGHTS, weights++);
	}
}
