/*
 * step.c: a step of a job: its microbatches, then the data-parallel phase, in which each group waits for the slowest of its
 * members. The step of an accelerator ends with that phase; the optimizer's share of the next one comes first.
 */
#include "flows.h"

#include <string.h>

#define OPTIMIZER 0.01			/* of a step */

/* A ring over the stages, of one number each; all wait for the last. */
static void
agree_on_norm(world *w, job *j, int first)
{
	int			stride = j->columns * j->lanes;
	message		m = {PAIR_CONTROL, 8, 1, 1, INFINITY};
	double		last = -INFINITY;
	double		end;

	for (int stage = 0; stage < j->plan.pp; stage++)
		last = fmax(last, j->now[first + stage * stride]);
	end = last;
	for (int stage = 0; stage < j->plan.pp; stage++)
		end = fmax(end, network_send(w, j, first + stage * stride, first + (stage + 1) % j->plan.pp * stride, &m, last));
	for (int stage = 0; stage < j->plan.pp; stage++)
		j->now[first + stage * stride] = end;
}

static void
begin_step(world *w, job *j)
{
	if (w->set.check)
		check_begin(j);
	for (int i = 0; j->plan.norm && j->step > 0 && j->plan.pp > 1 && i < j->columns * j->lanes; i++)
		agree_on_norm(w, j, i);
	for (int rank = 0; rank < j->ranks; rank++)
	{
		j->computed[rank] = j->piped[rank] = 0;
		if (j->step > 0 && isfinite(j->now[rank]))
			j->now[rank] += compute_time(w, j, rank, j->plan.step * OPTIMIZER, j->now[rank]);
	}
}

/* All ranks send their gradients in buckets; experts among those that have the same ones. */
static void
reduce(world *w, job *j, int share)
{
	for (int b = 0; b < j->plan.buckets; b++)
	{
		for (int i = 0; i < j->groups; i++)
			collective_run(w, j, &j->data[i], j->bucket[b], share);
		for (int i = 0; i < j->expert_groups; i++)
			collective_run(w, j, &j->expert[i], floor(j->bucket[b] / 2), share);
	}
}

/* With overlap, the first buckets go while the last backward still computes: their phase begins earlier. */
static void
begin_phase(job *j)
{
	double		early = j->plan.overlap ? j->forward * 2 * (j->plan.buckets - 1) / j->plan.buckets : 0;

	for (int rank = 0; rank < j->ranks; rank++)
	{
		j->reduces[rank] = j->now[rank] - early;
		j->now[rank] = j->reduces[rank];
	}
}

/* No rank is done before its backward is. */
static void
end_phase(job *j)
{
	double		early = j->plan.overlap ? j->forward * 2 * (j->plan.buckets - 1) / j->plan.buckets : 0;

	for (int rank = 0; rank < j->ranks; rank++)
		if (j->now[rank] < j->reduces[rank] + early)
			j->now[rank] = j->reduces[rank] + early;
}

static void
data_phase(world *w, job *j)
{
	begin_phase(j);
	if (j->plan.zero1)
	{
		reduce(w, j, 1);
		for (int rank = 0; rank < j->ranks; rank++)
			if (isfinite(j->now[rank]))
				j->now[rank] += compute_time(w, j, rank, j->plan.step * OPTIMIZER, j->now[rank]);
		reduce(w, j, 1);
	}
	else
		reduce(w, j, 2);
	end_phase(j);
}

static double
earliest(const job *j)
{
	double		first = INFINITY;

	for (int rank = 0; rank < j->ranks; rank++)
		first = j->now[rank] < first ? j->now[rank] : first;
	return first;
}

static void
end_step(world *w, job *j)
{
	truth_step(w, j);
	if (w->set.check)
		check_step(w, j);
	memcpy(j->since, j->now, j->ranks * sizeof(double));
	j->step++;
}

/* A job that ends does so after its step; one whose accelerator died, at the next moment. */
static int
is_over(world *w, job *j)
{
	double		first = earliest(j);

	if (first >= w->set.window || isinf(first))
		return 1;
	if (first < j->stops)
		return 0;
	j->ended = first;
	for (int rank = 0; rank < j->ranks; rank++)
		j->ended = j->now[rank] > j->ended ? j->now[rank] : j->ended;
	return 1;
}

double
step_simulate(world *w, job *j)
{
	begin_step(w, j);
	if (j->plan.schedule == SHARDED)
		sharded_run(w, j);
	else
	{
		pipeline_run(w, j, 0);
		data_phase(w, j);
	}
	end_step(w, j);
	if (is_over(w, j))
		return INFINITY;
	pauses_run(w, j);
	return earliest(j);
}
