/*
 * truth.c: what really was, as tables.
 *
 * truth_jobs.csv: every accelerator, with its job (empty: idle) and ranks (-1: idle); began and ended of the job, empty where
 * it goes on. truth_pairs.csv: who sent to whom, and why, in the window; a pair may have several kinds. truth_steps.csv: the
 * steps of every accelerator that lie in the window, if only in part; ended is empty where it never ended. Compute: seconds
 * that it computed; pipeline: seconds of the pipeline flows it sent; data: seconds of its data-parallel phase.
 * truth_pauses.csv: between two steps, at the begin of the later one. truth_faults.csv: what was wrong, and which job had it
 * (empty: several or none).
 */
#include "flows.h"

#include <stdlib.h>
#include <string.h>

const char *const pair_names[] = {"data", "pipeline", "expert", "context", "control", "storage", "noise"};

/* A set of pairs: open addressing, the key is 0 for an empty place. */
struct truth
{
	uint64_t   *pair;
	size_t		size;			/* a power of two */
	size_t		used;
	writer	   *steps;
	writer	   *pauses;
};

void
truth_begin(world *w)
{
	truth	   *t = take(sizeof(truth));

	t->size = 1 << 12;
	t->pair = take(t->size * sizeof(uint64_t));
	t->steps = writer_open(w->set.out, "truth_steps.csv", "job,address,step,began,ended,compute,pipeline,data");
	t->pauses = writer_open(w->set.out, "truth_pauses.csv", "job,kind,began,ended");
	w->truth = t;
}

/* ---- pairs ---- */

static uint64_t *
find_pair(truth *t, uint64_t key)
{
	size_t		place = mix(key, 7) & (t->size - 1);

	while (t->pair[place] != 0 && t->pair[place] != key)
		place = (place + 1) & (t->size - 1);
	return &t->pair[place];
}

static void
grow(truth *t)
{
	uint64_t   *old = t->pair;
	size_t		size = t->size;

	t->size *= 2;
	t->pair = take(t->size * sizeof(uint64_t));
	for (size_t i = 0; i < size; i++)
		if (old[i] != 0)
			*find_pair(t, old[i]) = old[i];
	free(old);
}

void
truth_flow(world *w, const job *j, pair_kind kind, const flow *f)
{
	truth	   *t = w->truth;
	uint64_t	key = ((uint64_t) (f->source + 1) << 32 | (uint64_t) f->destination << 4) | kind;
	uint64_t   *place;

	if (j == NULL)
		return;
	place = find_pair(t, key);
	if (*place == key)
		return;
	*place = key;
	if (++t->used * 2 > t->size)
		grow(t);
}

static int
compare(const void *a, const void *b)
{
	uint64_t	x = *(const uint64_t *) a;
	uint64_t	y = *(const uint64_t *) b;

	return x < y ? -1 : x > y;
}

static void
write_pairs(world *w)
{
	truth	   *t = w->truth;
	writer	   *o = writer_open(w->set.out, "truth_pairs.csv", "job,source,destination,kind");

	qsort(t->pair, t->size, sizeof(uint64_t), compare);
	for (size_t i = t->size - t->used; i < t->size; i++)
	{
		endpoint   *from = &w->net.all[(t->pair[i] >> 32) - 1];
		endpoint   *to = &w->net.all[(t->pair[i] & 0xffffffff) >> 4];

		write_text(o, "%d,%s,%s,%s\n", w->job[from->job].number, from->address, to->address, pair_names[t->pair[i] & 15]);
	}
	writer_close(o);
}

/* ---- steps and pauses ---- */

static int
in_window(const world *w, double began, double ended)
{
	return ended > 0 && began < w->set.window;
}

void
truth_step(world *w, const job *j)
{
	writer	   *o = w->truth->steps;

	for (int rank = 0; rank < j->ranks; rank++)
	{
		double		data = j->now[rank] - j->reduces[rank];

		if (!in_window(w, j->since[rank], j->now[rank]))
			continue;
		write_text(o, "%d,%s,%ld,", j->number, w->net.all[j->seat[rank]].address, j->step);
		write_time(o, j->since[rank]);
		write_text(o, ",");
		write_time(o, j->now[rank]);
		write_text(o, ",%.6f,%.6f,", j->computed[rank], j->piped[rank]);
		write_text(o, isfinite(data) ? "%.6f\n" : "\n", data);
	}
}

void
truth_pause(world *w, const job *j, const char *kind, double began, double ended)
{
	writer	   *o = w->truth->pauses;

	if (!in_window(w, began, ended))
		return;
	write_text(o, "%d,%s,", j->number, kind);
	write_time(o, began);
	write_text(o, ",");
	write_time(o, ended);
	write_text(o, "\n");
}

/* ---- jobs, accelerators, faults ---- */

static void
write_seat(const world *w, writer *o, const endpoint *e)
{
	const job  *j = e->job < 0 ? NULL : &w->job[e->job];
	const shape *p;
	int			rank = e->rank;

	if (j == NULL)
	{
		write_text(o, ",%s,server-%d,-1,-1,-1,-1,-1,,\n", e->address, e->server + 1);
		return;
	}
	p = &j->plan;
	write_text(o, "%d,%s,server-%d,%d,%d,%d,%d,%d,", j->number, e->address, e->server + 1, rank / (p->tp * p->cp) % p->dp,
			   rank / (p->tp * p->cp * p->dp), rank % p->tp, rank / (p->tp * p->cp) % p->ep, rank / p->tp % p->cp);
	write_time(o, j->began);
	write_text(o, ",");
	write_time(o, j->ended);
	write_text(o, "\n");
}

static void
write_cluster(const world *w)
{
	writer	   *jobs = writer_open(w->set.out, "truth_jobs.csv", "job,address,server,dp,pp,tp,ep,cp,began,ended");
	writer	   *all = writer_open(w->set.out, "accelerators.csv", "address,server,rail,leaf,tenant");

	for (int i = 0; i < w->net.accelerators; i++)
	{
		const endpoint *e = &w->net.all[i];
		char		leaf[LONGEST_NAME];

		leaf_name(e->leaf, leaf);
		write_seat(w, jobs, e);
		write_text(all, "%s,server-%d,%d,%s,tenant-%d\n", e->address, e->server + 1, e->rail, leaf, e->tenant);
	}
	writer_close(jobs);
	writer_close(all);
}

/* The job that has a fault: that of its accelerators. */
static int
job_of(const world *w, const fault *f)
{
	int			place = f->from_end >= 0 ? f->from_end : f->to_end;

	return place < 0 || place >= w->net.accelerators ? -1 : w->net.all[place].job;
}

static void
write_faults(const world *w)
{
	writer	   *o = writer_open(w->set.out, "truth_faults.csv", "job,kind,subject,began,ended,factor");

	for (int i = 0; i < w->set.faults; i++)
	{
		const fault *f = &w->set.fault[i];

		if (job_of(w, f) >= 0)
			write_text(o, "%d", job_of(w, f) + 1);
		write_text(o, ",%s,%s,", fault_names[f->kind], f->text);
		write_time(o, f->began);
		write_text(o, ",");
		write_time(o, f->ended);
		write_text(o, f->kind == STALLED || f->kind == DEAD_ACCELERATOR ? ",\n" : ",%g\n", f->factor);
	}
	writer_close(o);
}

void
truth_end(world *w)
{
	writer_close(w->truth->steps);
	writer_close(w->truth->pauses);
	write_pairs(w);
	write_cluster(w);
	write_faults(w);
}
