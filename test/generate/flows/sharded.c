/*
 * sharded.c: the step of a job with sharded parameters (ZeRO-3, FSDP). A unit is the forward or backward of a layer. Its
 * parameters are gathered while the unit before computes; the gradients of a layer are scattered after its backward. Hybrid:
 * those who hold the same part of a layer sum up its gradients then. All that goes through one stream of collectives, one after
 * another.
 */
#include "flows.h"

#include <stdlib.h>
#include <string.h>

/* Of each rank: how far its stream of collectives and its computing are, and when the parameters are there. */
typedef struct
{
	world	   *w;
	job		   *j;
	double	   *stream;
	double	   *done;
	double	   *there;			/* of this unit */
	double	   *next;			/* of the next one */
} sharded;

static double
later(double a, double b)
{
	return a > b ? a : b;
}

double
part_of_shard(const job *j, double bytes)
{
	return j->plan.shard > 0 ? floor(bytes / j->plan.shard) : 0;
}

/* Layers forwards, then backwards. */
static int
layer_of(const job *j, int unit)
{
	int			place = unit % (2 * j->plan.buckets);

	return place < j->plan.buckets ? place : 2 * j->plan.buckets - 1 - place;
}

/* A collective of every group: when its stream is free, and not before what it waits for. */
static void
communicate(sharded *s, group *groups, int count, double bytes, int halves)
{
	job		   *j = s->j;

	memcpy(j->now, s->stream, j->ranks * sizeof(double));
	for (int i = 0; i < count; i++)
		collective_run(s->w, j, &groups[i], bytes, halves);
	memcpy(s->stream, j->now, j->ranks * sizeof(double));
}

/* Begins with the unit before: then its parameters are there and it computes. */
static void
gather_ahead(sharded *s, int unit)
{
	for (int rank = 0; rank < s->j->ranks; rank++)
		s->stream[rank] = later(s->stream[rank], later(s->there[rank], s->done[rank]));
	communicate(s, s->j->data, s->j->groups, s->j->bucket[layer_of(s->j, unit)], 1);
	memcpy(s->next, s->stream, s->j->ranks * sizeof(double));
}

static void
scatter(sharded *s, int unit)
{
	double		bytes = s->j->bucket[layer_of(s->j, unit)];

	for (int rank = 0; rank < s->j->ranks; rank++)
		s->stream[rank] = later(s->stream[rank], s->done[rank]);
	communicate(s, s->j->data, s->j->groups, bytes, 1);
	communicate(s, s->j->replica, s->j->replica_groups, part_of_shard(s->j, bytes), 2);
}

/* Tensor-parallel ranks compute in lockstep. */
static void
compute(sharded *s, double seconds)
{
	job		   *j = s->j;

	for (int first = 0; first < j->ranks; first += j->plan.tp)
	{
		double		last = -INFINITY;

		for (int rank = first; rank < first + j->plan.tp; rank++)
		{
			double		at = later(s->there[rank], s->done[rank]);

			at += isfinite(at) ? compute_time(s->w, j, rank, seconds, at) : 0;
			last = later(last, at);
		}
		for (int rank = first; rank < first + j->plan.tp; rank++)
			s->done[rank] = last;
	}
}

static void
run_units(sharded *s)
{
	int			layers = s->j->plan.buckets;
	int			units = 2 * layers * s->j->plan.microbatches;
	double		seconds = s->j->forward / layers;

	gather_ahead(s, 0);
	for (int unit = 0; unit < units; unit++)
	{
		int			backward = unit % (2 * layers) >= layers;

		memcpy(s->there, s->next, s->j->ranks * sizeof(double));
		if (unit + 1 < units)
			gather_ahead(s, unit + 1);
		compute(s, backward ? 2 * seconds : seconds);
		if (backward)
			scatter(s, unit);
	}
}

void
sharded_run(world *w, job *j)
{
	size_t		size = j->ranks * sizeof(double);
	sharded		s = {w, j, take(size), take(size), take(size), take(size)};

	memcpy(s.stream, j->now, size);
	memcpy(s.done, j->now, size);
	memcpy(s.there, j->now, size);
	memcpy(j->reduces, j->now, size);
	run_units(&s);
	memcpy(j->now, s.stream, size);
	free(s.stream);
	free(s.done);
	free(s.there);
	free(s.next);
}
