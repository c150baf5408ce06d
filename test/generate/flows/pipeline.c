/*
 * pipeline.c: the microbatches of a step. A cell is one stage of one column (a pipeline); its lanes are the ranks of one
 * tensor, context and expert group. Those of one tensor and context group compute in lockstep; those of an expert group wait
 * for each other where they exchange tokens. Each lane sends what it computed to the same lane of the next stage.
 */
#include "flows.h"

typedef struct
{
	world	   *w;
	job		   *j;
	int			column;
	int			evaluation;
} column;

static int
first_rank(const job *j, int stage, int column_number)
{
	return (stage * j->columns + column_number) * j->lanes;
}

/* When what a work needs is there; NAN: not known yet. */
static double *
arrival(const job *j, work_kind kind, int stage, int chunk, int microbatch)
{
	const shape *p = &j->plan;
	int			way = kind == FORWARD ? 0 : 1;

	return &j->arrives[((way * p->pp + stage) * p->chunks + chunk) * p->microbatches + microbatch];
}

static void
forget_arrivals(job *j)
{
	const shape *p = &j->plan;

	for (int i = 0; i < 2 * p->pp * p->chunks * p->microbatches; i++)
		j->arrives[i] = NAN;
	for (int m = 0; m < p->microbatches; m++)
	{
		*arrival(j, FORWARD, 0, 0, m) = -INFINITY;
		*arrival(j, BACKWARD, p->pp - 1, p->chunks - 1, m) = -INFINITY;
	}
}

double
compute_time(world *w, job *j, int rank, double seconds, double at)
{
	double		needed = seconds * j->speed[rank] * random_factor(&j->random, w->set.jitter);

	if (w->set.faults > 0 && isfinite(at))
		needed *= fault_slows_compute(w, j->seat[rank], at);
	j->computed[rank] += needed;
	return needed;
}

/* All lanes compute from at[] on; of those in lockstep the slowest holds up the others. */
static void
compute_cell(column *c, int first, double seconds, double *at)
{
	const shape *p = &c->j->plan;

	for (int lane = 0; lane < c->j->lanes; lane += p->tp * p->cp)
	{
		double		began = at[lane];
		double		longest = 0;

		if (isinf(began))
			continue;
		for (int i = lane; i < lane + p->tp * p->cp; i++)
			longest = fmax(longest, compute_time(c->w, c->j, first + i, seconds, began));
		for (int i = lane; i < lane + p->tp * p->cp; i++)
			at[i] = began + longest;
	}
}

/* Where the result of a work goes: the stage and chunk after it, or before it on the way back. 0: nowhere. */
static int
next_stage(const shape *p, const work *u, int *stage, int *chunk)
{
	int			way = u->kind == FORWARD ? 1 : -1;
	int			place = *chunk * p->pp + *stage + way;

	if (u->kind == WEIGHTS || place < 0 || place >= p->pp * p->chunks)
		return 0;
	*stage = place % p->pp;
	*chunk = place / p->pp;
	return 1;
}

/* In as many records as it is split into, at once. */
static double
send_message(column *c, const work *u, int from, int to, double at)
{
	int			split = c->j->plan.split;
	double		last = at;

	for (int i = 0; i < split; i++)
	{
		message		m = {PAIR_PIPELINE, c->j->plan.activation / split, split, 16 * (u->kind == FORWARD ? 1 : 2) + i, INFINITY};
		double		there = network_send(c->w, c->j, from, to, &m, at);

		last = there > last ? there : last;
	}
	return last;
}

static void
send_on(column *c, const work *u, int stage)
{
	job		   *j = c->j;
	int			to_stage = stage;
	int			chunk = u->chunk;
	double		last = -INFINITY;

	if (!next_stage(&j->plan, u, &to_stage, &chunk))
		return;
	for (int lane = 0; lane < j->lanes; lane++)
	{
		int			from = first_rank(j, stage, c->column) + lane;
		double		at = j->now[from];
		double		there = send_message(c, u, from, first_rank(j, to_stage, c->column) + lane, at);

		if (isfinite(there))
			j->piped[from] += there - at;
		last = there > last ? there : last;
	}
	*arrival(j, u->kind, to_stage, chunk, u->microbatch) = last;
}

/* A work, with the exchanges of experts (tokens there and back, in each layer) and contexts amid it. */
static void
run_work(column *c, const work *u, int first, double *at)
{
	job		   *j = c->j;
	const shape *p = &j->plan;
	double		seconds = j->forward * (u->kind == FORWARD ? 1 : p->schedule == ZERO_BUBBLE ? 1 : 2);
	int			parts = 2 * p->layers;

	if (u->kind == WEIGHTS || p->ep * p->cp == 1)
	{
		compute_cell(c, first, seconds, at);
		return;
	}
	for (int part = 0; part < parts; part++)
	{
		compute_cell(c, first, seconds / parts, at);
		if (p->ep > 1 || part < parts - 1)
			exchange_run(c->w, j, first, at, p->activation / parts);
	}
}

/* Does the next work of a stage if what it needs is known. */
static int
advance(column *c, int stage, int *done)
{
	job		   *j = c->j;
	const work *u = &j->order[stage * j->works + *done];
	int			first = first_rank(j, stage, c->column);
	double		there = u->kind == WEIGHTS ? -INFINITY : *arrival(j, u->kind, stage, u->chunk, u->microbatch);

	if (isnan(there))
		return 0;
	++*done;
	if (c->evaluation && u->kind != FORWARD)
		return 1;
	for (int lane = 0; lane < j->lanes; lane++)
		j->now[first + lane] = fmax(there, j->now[first + lane]);
	run_work(c, u, first, &j->now[first]);
	send_on(c, u, stage);
	return 1;
}

static void
run_column(column *c)
{
	job		   *j = c->j;
	int			done[j->plan.pp];
	int			left = j->plan.pp * j->works;

	for (int stage = 0; stage < j->plan.pp; stage++)
		done[stage] = 0;
	forget_arrivals(j);
	if (c->evaluation)
		for (int i = j->plan.pp * j->plan.chunks * j->plan.microbatches; i < 2 * j->plan.pp * j->plan.chunks *
			 j->plan.microbatches; i++)
			j->arrives[i] = -INFINITY;
	while (left > 0)
		for (int stage = 0; stage < j->plan.pp; stage++)
			while (done[stage] < j->works && advance(c, stage, &done[stage]))
				left--;
}

/* The lanes of a cell that are in lockstep begin together, when the last of them is ready. */
static void
align(job *j, int first)
{
	int			together = j->plan.tp * j->plan.cp;

	for (int from = first; from < first + j->lanes; from += together)
	{
		double		last = j->now[from];

		for (int rank = from; rank < from + together; rank++)
			last = fmax(last, j->now[rank]);
		for (int rank = from; rank < from + together; rank++)
			j->now[rank] = last;
	}
}

void
pipeline_run(world *w, job *j, int evaluation)
{
	column		c = {w, j, 0, evaluation};

	for (c.column = 0; c.column < j->columns; c.column++)
	{
		for (int stage = 0; stage < j->plan.pp; stage++)
			align(j, first_rank(j, stage, c.column));
		run_column(&c);
	}
}
