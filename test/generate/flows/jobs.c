/*
 * jobs.c: makes the jobs of a world: their shapes, servers, ranks, and when they run.
 *
 * Ranks are numbered as Megatron does: tensor-parallel ones next to one another, then context, expert, data, and pipeline
 * stages outermost. They fill whole servers one after another; where servers are shared, two jobs have half of the NICs each.
 */
#include "flows.h"

#include <stdlib.h>
#include <string.h>

static void
make_shapes(world *w, shape *shapes, sequence *r)
{
	const settings *s = &w->set;

	for (int i = 0; i < s->jobs; i++)
	{
		shapes[i] = s->any_shape ? shape_any(r, w->net.nics) : s->shape[i % s->shapes];
		/* no two jobs beat in time */
		if (s->jobs > 1)
			shapes[i].step *= 0.95 + 0.1 * random_unit(r);
	}
}

/* How many NICs of a server a job has, and how many servers it needs. */
static int
nics_each(const world *w)
{
	return w->set.shared_servers ? w->net.nics / 2 : w->net.nics;
}

static int
servers_of(const world *w, const shape *s)
{
	return (shape_ranks(s) + nics_each(w) - 1) / nics_each(w);
}

/* Makes the cluster as large as the jobs need, if it is not larger. Two jobs that share servers need those of the larger. */
static void
fit_cluster(world *w, const shape *shapes)
{
	int			needed = w->set.idle;

	for (int i = 0; i < w->set.jobs; i++)
	{
		int			here = servers_of(w, &shapes[i]);

		if (w->set.shared_servers && i + 1 < w->set.jobs)
		{
			int			other = servers_of(w, &shapes[++i]);

			here = other > here ? other : here;
		}
		needed += here;
	}
	if (w->net.servers < needed)
		w->net.servers = needed;
	cluster_make(&w->net);
}

/* In which order the jobs get the servers. */
static int *
order_servers(const world *w, sequence *r)
{
	int		   *order = take(w->net.servers * sizeof(int));

	for (int i = 0; i < w->net.servers; i++)
	{
		int			other = w->set.scatter ? (int) random_below(r, i + 1) : i;

		order[i] = order[other];
		order[other] = i;
	}
	return order;
}

static void
seat_ranks(world *w, job *j, const int *order, int first_server, int first_nic)
{
	int			each = nics_each(w);

	j->seat = take(j->ranks * sizeof(int));
	for (int rank = 0; rank < j->ranks; rank++)
	{
		int			place = order[first_server + rank / each] * w->net.nics + first_nic + rank % each;

		j->seat[rank] = place;
		w->net.all[place].job = j->number - 1;
		w->net.all[place].rank = rank;
		w->net.all[place].tenant = j->tenant;
	}
}

/* Some jobs begin or end within the window, where they come and go; most were there before and stay. */
static void
plan_life(world *w, job *j)
{
	double		chance = random_unit(&j->random);

	j->began = -3600 * random_unit(&j->random) - j->plan.step;
	j->ended = j->stops = INFINITY;
	if (!w->set.comes_and_goes || (chance > 0.6 && j->number > 2))
		return;
	if (j->number == 1 || (chance < 0.3 && j->number > 2))
		j->began = w->set.window * (0.2 + 0.3 * random_unit(&j->random));
	else
		j->stops = w->set.window * (0.5 + 0.3 * random_unit(&j->random));
}

/*
 * Sizes of buckets differ: the first has the embedding, the last what is left. Members on one server share its NICs, so there
 * is more to reduce for the same time.
 */
static void
make_buckets(world *w, job *j)
{
	shape	   *p = &j->plan;
	int			here = nics_each(w) / p->tp;
	double		total = p->data * p->step * w->net.rate / 2 * (here < p->dp * p->cp ? here : p->dp * p->cp);
	double		sum = 0;

	j->bucket = take(p->buckets * sizeof(double));
	for (int b = 0; b < p->buckets; b++)
		sum += j->bucket[b] = b == 0 ? 1.3 : b == p->buckets - 1 ? 0.45 : 1 + 0.1 * (b % 3);
	for (int b = 0; b < p->buckets; b++)
		j->bucket[b] = floor(j->bucket[b] / sum * total / 512) * 512;
}

static void
make_ranks(world *w, job *j)
{
	double		first = j->began >= 0 ? j->began : -j->plan.step * random_unit(&j->random);

	j->speed = take(j->ranks * sizeof(double));
	j->since = take(j->ranks * sizeof(double));
	j->now = take(j->ranks * sizeof(double));
	j->computed = take(j->ranks * sizeof(double));
	j->piped = take(j->ranks * sizeof(double));
	j->reduces = take(j->ranks * sizeof(double));
	for (int rank = 0; rank < j->ranks; rank++)
	{
		j->speed[rank] = random_factor(&j->random, w->set.jitter / 4);
		j->since[rank] = j->now[rank] = first;
	}
}

/* So that a step takes about as long as its shape says. */
static void
plan_compute(job *j)
{
	const shape *p = &j->plan;
	double		slots = p->microbatches + (p->pp - 1.0) / p->chunks;

	j->forward = p->step * (1 - p->data) / slots / 3 / p->chunks;
}

static void
make_job(world *w, int i, const shape *plan)
{
	job		   *j = &w->job[i];

	if (nics_each(w) % plan->tp != 0)
		fail("tensor-parallel ranks do not fill servers evenly in the shape of", "a job");
	j->number = i + 1;
	j->tenant = i % ((w->set.jobs + 3) / 4) + 1;
	j->plan = *plan;
	j->ranks = shape_ranks(plan);
	j->columns = plan->dp / plan->ep;
	j->lanes = plan->ep * plan->cp * plan->tp;
	random_begin(&j->random, w->set.seed, 1000 + i);
	plan_life(w, j);
	plan_compute(j);
	make_buckets(w, j);
	make_ranks(w, j);
}

void
jobs_make(world *w)
{
	shape	   *shapes = take(w->set.jobs * sizeof(shape));
	int		   *order;
	int			server = 0;
	sequence	r;

	random_begin(&r, w->set.seed, 1);
	make_shapes(w, shapes, &r);
	fit_cluster(w, shapes);
	order = order_servers(w, &r);
	w->jobs = w->set.jobs;
	w->job = take(w->jobs * sizeof(job));
	for (int i = 0; i < w->jobs; i++)
	{
		int			second = w->set.shared_servers && i % 2 == 1;
		int			before = second ? servers_of(w, &shapes[i - 1]) : 0;
		int			here = servers_of(w, &shapes[i]);

		make_job(w, i, &shapes[i]);
		seat_ranks(w, &w->job[i], order, second ? server - before : server, second ? w->net.nics / 2 : 0);
		server += second ? (here > before ? here - before : 0) : here;
		groups_make(w, &w->job[i]);
		schedule_make(&w->job[i]);
	}
	free(order);
	free(shapes);
}
