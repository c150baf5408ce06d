/*
 * sharded.c: the step of a job with sharded parameters (ZeRO-3, FSDP). Each layer's parameters are gathered before its forward,
 * and again before its backward, while the layer before computes; the gradients of a layer are scattered after its backward. One
 * stream of collectives, so they come one after another: all-gather of layer l + 1, then what layer l left to scatter.
 */
#include "flows.h"

#include <stdlib.h>
#include <string.h>

/* Of each rank: how far its stream of collectives and its computing are. */
typedef struct
{
	world	   *w;
	job		   *j;
	double	   *stream;
	double	   *done;
	double	   *there;			/* when the parameters of the next layer are gathered */
} sharded;

/* A collective on all groups' streams: not before "after", if that is given. */
static void
communicate(sharded *s, int layer, const double *after)
{
	job		   *j = s->j;

	for (int rank = 0; rank < j->ranks; rank++)
		j->now[rank] = after != NULL && after[rank] > s->stream[rank] ? after[rank] : s->stream[rank];
	for (int i = 0; i < j->groups; i++)
		collective_run(s->w, j, &j->data[i], j->bucket[layer], 1);
	memcpy(s->stream, j->now, j->ranks * sizeof(double));
}

static void
gather_layer(sharded *s, int layer)
{
	communicate(s, layer, NULL);
	memcpy(s->there, s->stream, s->j->ranks * sizeof(double));
}

/* Tensor-parallel ranks compute in lockstep. */
static void
compute_layer(sharded *s, double seconds)
{
	job		   *j = s->j;

	for (int first = 0; first < j->ranks; first += j->plan.tp)
	{
		double		last = -INFINITY;

		for (int rank = first; rank < first + j->plan.tp; rank++)
		{
			double		at = s->there[rank] > s->done[rank] ? s->there[rank] : s->done[rank];

			at += isfinite(at) ? compute_time(s->w, j, rank, seconds, at) : 0;
			last = at > last ? at : last;
		}
		for (int rank = first; rank < first + j->plan.tp; rank++)
			s->done[rank] = last;
	}
}

static void
run_microbatch(sharded *s)
{
	int			layers = s->j->plan.buckets;
	double		seconds = s->j->forward / layers;

	for (int layer = 0; layer < layers; layer++)
	{
		gather_layer(s, layer);
		compute_layer(s, seconds);
	}
	for (int layer = layers - 1; layer >= 0; layer--)
	{
		gather_layer(s, layer);
		compute_layer(s, 2 * seconds);
		/* scattered once the backward is done: the stream waits, so the next gathering does not come much too early */
		communicate(s, layer, s->done);
	}
}

void
sharded_run(world *w, job *j)
{
	size_t		size = j->ranks * sizeof(double);
	sharded		s = {w, j, take(size), take(size), take(size)};

	memcpy(s.stream, j->now, size);
	memcpy(s.done, j->now, size);
	memcpy(j->reduces, j->now, size);
	for (int i = 0; i < j->plan.microbatches; i++)
		run_microbatch(&s);
	memcpy(j->now, s.stream, size);
	free(s.stream);
	free(s.done);
	free(s.there);
}
