/*
 * check.c: what must hold of the truth and of the flows before collectors disturb them: the steps of an accelerator follow one
 * another without a gap; a flow goes between servers, from a job's accelerator to one of the same job, and begins within the
 * job and within the step; each step moves the bytes that its collectives and pipeline must move.
 */
#include "flows.h"

#include <stdlib.h>

/* Of the step that a job is in: bytes of each kind. Of every accelerator: the end of its last step. */
static double moved[PAIR_KINDS];
static double *last_end;
static int	complaints;
static long flows_checked;
static long steps_checked;
static long bytes_checked;

static void
complain(const job *j, const char *what, double found, double expected)
{
	if (complaints++ < 20)
		fprintf(stderr, "flows: job %d, step %ld: %s: %.9g, not %.9g\n", j == NULL ? 0 : j->number, j == NULL ? 0 : j->step,
				what, found, expected);
}

void
check_begin(const job *j)
{
	(void) j;
	for (int kind = 0; kind < PAIR_KINDS; kind++)
		moved[kind] = 0;
}

void
check_flow(const world *w, const job *j, pair_kind kind, const flow *f)
{
	const endpoint *from = &w->net.all[f->source];
	const endpoint *to = &w->net.all[f->destination];

	flows_checked++;
	if (!(f->duration > 0) || f->bytes < 1)
		complain(j, "bytes or duration of a flow", f->bytes, 1);
	if (from->server == to->server)
		complain(j, "a flow inside a server", from->server, -1);
	if (j == NULL)
		return;
	moved[kind] += f->bytes;
	if (from->job != j->number - 1 || (to->job != j->number - 1 && kind != PAIR_STORAGE))
		complain(j, "a flow's end is of another job", to->job + 1, j->number);
	if (f->start < j->began || f->start >= j->ended)
		complain(j, "a flow outside of its job", f->start, j->began);
	if (f->start < j->since[from->rank])
		complain(j, "a flow before its step", f->start, j->since[from->rank]);
}

static int
crosses(const world *w, const job *j, int from, int to)
{
	return w->net.all[j->seat[from]].server != w->net.all[j->seat[to]].server;
}

/* What the collectives of a step send between servers: in a ring of n, every server (n-1)/n of the bucket for each half. */
static double
data_bytes(const job *j)
{
	const shape *p = &j->plan;
	double		share = p->schedule == SHARDED ? 3 * p->microbatches : 2;
	double		sum = 0;

	for (int b = 0; b < p->buckets; b++)
	{
		for (int i = 0; i < j->groups; i++)
			sum += share * (j->data[i].nodes - 1) * j->bucket[b];
		for (int i = 0; i < j->replica_groups; i++)
			sum += 2.0 * p->microbatches * (j->replica[i].nodes - 1) * part_of_shard(j, j->bucket[b]);
		for (int i = 0; i < j->expert_groups; i++)
			sum += share * (j->expert[i].nodes - 1) * floor(j->bucket[b] / 2);
	}
	return sum;
}

/* What the pipelines send: each border between stages is crossed once forwards and once backwards by each microbatch. */
static double
pipeline_bytes(const world *w, const job *j)
{
	const shape *p = &j->plan;
	int			stage = j->columns * j->lanes;
	double		sum = 0;

	for (int place = 0; place + 1 < p->pp * p->chunks; place++)
		for (int i = 0; i < stage; i++)
			if (crosses(w, j, place % p->pp * stage + i, (place + 1) % p->pp * stage + i))
				sum += 2.0 * p->microbatches * p->activation;
	return p->schedule == SHARDED ? 0 : sum;
}

static void
check_bytes(const world *w, const job *j)
{
	double		data = data_bytes(j);
	double		pipeline = pipeline_bytes(w, j);

	bytes_checked++;
	if (fabs(moved[PAIR_DATA] - data) > 1e-4 * data)
		complain(j, "bytes of the data-parallel phase", moved[PAIR_DATA], data);
	if (fabs(moved[PAIR_PIPELINE] - pipeline) > 1e-4 * pipeline)
		complain(j, "bytes of the pipeline", moved[PAIR_PIPELINE], pipeline);
	if (j->plan.ep * j->plan.cp == 1 && moved[PAIR_EXPERT] + moved[PAIR_CONTEXT] > 0)
		complain(j, "bytes of experts and contexts", moved[PAIR_EXPERT] + moved[PAIR_CONTEXT], 0);
}

void
check_step(const world *w, const job *j)
{
	double		began = INFINITY;
	double		ended = -INFINITY;

	if (last_end == NULL)
		last_end = take(w->net.accelerators * sizeof(double));
	for (int rank = 0; rank < j->ranks; rank++)
	{
		double	   *last = &last_end[j->seat[rank]];

		if (j->step > 0 && j->since[rank] != *last)
			complain(j, "a gap before a step", j->since[rank], *last);
		if (isfinite(j->now[rank]) && !(j->now[rank] > j->since[rank] && j->reduces[rank] >= j->since[rank]))
			complain(j, "a step that ends before it begins", j->now[rank], j->since[rank]);
		*last = j->now[rank];
		began = j->since[rank] < began ? j->since[rank] : began;
		ended = j->now[rank] > ended ? j->now[rank] : ended;
	}
	steps_checked++;
	if (began >= 0 && ended < w->set.window && ended < j->ended)
		check_bytes(w, j);
}

int
check_end(const world *w)
{
	for (int i = 0; i < w->jobs; i++)
		if (w->job[i].step == 0)
			complain(&w->job[i], "steps of the job", 0, 1);
	if (w->made == 0 || flows_checked == 0)
		complain(NULL, "flows", w->made, 1);
	printf("checked %ld flows, %ld steps, bytes of %ld steps: %d complaints\n", flows_checked, steps_checked, bytes_checked,
		   complaints);
	return complaints == 0;
}
