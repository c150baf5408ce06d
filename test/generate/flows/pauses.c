/*
 * pauses.c: what comes between steps: an evaluation, which is forwards alone, and a checkpoint, for which every rank of the
 * first column writes its part to storage while all wait.
 */
#include "flows.h"

#define CHECKPOINT_BYTES 2e9	/* of a rank, in so many parts */
#define CHECKPOINT_PARTS 4
#define EVALUATIONS 2			/* rounds of microbatches */

static void
bounds(const job *j, double *first, double *last)
{
	*first = INFINITY;
	*last = -INFINITY;
	for (int rank = 0; rank < j->ranks; rank++)
	{
		*first = j->now[rank] < *first ? j->now[rank] : *first;
		*last = j->now[rank] > *last ? j->now[rank] : *last;
	}
}

static double
write_part(world *w, job *j, int rank)
{
	message		m = {PAIR_STORAGE, CHECKPOINT_BYTES / CHECKPOINT_PARTS, 4, 0, INFINITY};
	double		at = j->now[rank];

	for (int part = 0; part < CHECKPOINT_PARTS; part++)
	{
		int			storage = w->net.accelerators + (j->number * 7 + rank + part) % (w->net.outside / 2);

		at = network_move(w, j, &j->random, j->seat[rank], storage, &m, at);
	}
	return at;
}

static void
checkpoint(world *w, job *j)
{
	double		last = -INFINITY;

	for (int rank = 0; rank < j->ranks; rank++)
	{
		double		at = rank / j->lanes % j->columns == 0 ? write_part(w, j, rank) : j->now[rank];

		last = at > last ? at : last;
	}
	for (int rank = 0; rank < j->ranks; rank++)
		j->now[rank] = last;
}

static int
is_time(const job *j, int every)
{
	return every > 0 && (j->step + j->number) % every == 0;
}

void
pauses_run(world *w, job *j)
{
	double		began,
				ended,
				unused;

	if (is_time(j, j->plan.evaluate) && j->plan.schedule != SHARDED)
	{
		bounds(j, &began, &unused);
		for (int i = 0; i < EVALUATIONS; i++)
			pipeline_run(w, j, 1);
		bounds(j, &unused, &ended);
		truth_pause(w, j, "evaluation", began, ended);
	}
	if (is_time(j, j->plan.checkpoint))
	{
		bounds(j, &began, &unused);
		checkpoint(w, j);
		bounds(j, &unused, &ended);
		truth_pause(w, j, "checkpoint", began, ended);
	}
}
