/*
 * pipeline.c: the microbatches of a step. A cell is one stage of one column (a pipeline); its lanes, the ranks of one tensor,
 * context and expert group, compute in lockstep. Each lane sends what it computed to the same lane of the next stage.
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

/* The slowest lane holds up the others. */
static double
compute_cell(column *c, int first, double seconds, double at)
{
	double		longest = 0;

	if (isinf(at))
		return at;
	for (int lane = 0; lane < c->j->lanes; lane++)
	{
		double		needed = compute_time(c->w, c->j, first + lane, seconds, at);

		longest = needed > longest ? needed : longest;
	}
	return at + longest;
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
send_on(column *c, const work *u, int stage, double at)
{
	job		   *j = c->j;
	int			to_stage = stage;
	int			chunk = u->chunk;
	double		last = at;

	if (!next_stage(&j->plan, u, &to_stage, &chunk))
		return;
	for (int lane = 0; lane < j->lanes; lane++)
	{
		int			from = first_rank(j, stage, c->column) + lane;
		double		there = send_message(c, u, from, first_rank(j, to_stage, c->column) + lane, at);

		if (isfinite(there))
			j->piped[from] += there - at;
		last = there > last ? there : last;
	}
	*arrival(j, u->kind, to_stage, chunk, u->microbatch) = last;
}

/* A work, with the exchanges of experts and contexts amid it. */
static double
run_work(column *c, const work *u, int stage, double at)
{
	job		   *j = c->j;
	int			first = first_rank(j, stage, c->column);
	double		seconds = j->forward * (u->kind == FORWARD ? 1 : j->plan.schedule == ZERO_BUBBLE ? 1 : 2);

	if (u->kind == WEIGHTS || j->plan.ep * j->plan.cp == 1)
		return compute_cell(c, first, seconds, at);
	at = compute_cell(c, first, seconds / 2, at);
	at = exchange_run(c->w, j, first, at, j->plan.activation / 2);
	return compute_cell(c, first, seconds / 2, at);
}

/* Does the next work of a stage if what it needs is known. */
static int
advance(column *c, int stage, int *done)
{
	job		   *j = c->j;
	const work *u = &j->order[stage * j->works + *done];
	int			first = first_rank(j, stage, c->column);
	double		at = j->now[first];
	double		there = u->kind == WEIGHTS ? at : *arrival(j, u->kind, stage, u->chunk, u->microbatch);

	if (isnan(there))
		return 0;
	++*done;
	if (c->evaluation && u->kind != FORWARD)
		return 1;
	at = run_work(c, u, stage, there > at ? there : at);
	j->now[first] = at;
	send_on(c, u, stage, at);
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

/* The lanes of a cell begin together, when the last of them is ready; the first one's clock is that of the cell. */
static void
align(job *j, int first, int backwards)
{
	for (int lane = 1; lane < j->lanes; lane++)
		if (backwards)
			j->now[first + lane] = j->now[first];
		else if (j->now[first + lane] > j->now[first])
			j->now[first] = j->now[first + lane];
}

void
pipeline_run(world *w, job *j, int evaluation)
{
	column		c = {w, j, 0, evaluation};

	for (c.column = 0; c.column < j->columns; c.column++)
	{
		for (int stage = 0; stage < j->plan.pp; stage++)
			align(j, first_rank(j, stage, c.column), 0);
		run_column(&c);
		for (int stage = 0; stage < j->plan.pp; stage++)
			align(j, first_rank(j, stage, c.column), 1);
	}
}
