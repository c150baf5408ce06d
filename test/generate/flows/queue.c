/*
 * queue.c: puts records in order. They come job by job and step by step; each waits in the bucket of its time until none
 * before it can come any more. So memory is that of the records of a step of each job.
 */
#include "flows.h"

#include <stdlib.h>

#define BUCKETS (1 << 18)

typedef struct
{
	flow	   *flows;
	int			used;
	int			size;
} bucket;

struct queue
{
	double		width;			/* of a bucket, seconds */
	double		written;		/* keys before this are gone */
	int			next;			/* the first bucket that is not written */
	bucket		all[BUCKETS];	/* the last one has all that comes after the window */
};

queue *
queue_begin(double window)
{
	queue	   *q = take(sizeof(queue));

	q->width = window * 1.01 / (BUCKETS - 1);
	q->written = -INFINITY;
	return q;
}

void
queue_add(queue *q, const flow *f)
{
	int			number = f->key <= 0 ? 0 : f->key >= q->width * (BUCKETS - 1) ? BUCKETS - 1 : (int) (f->key / q->width);
	bucket	   *b = &q->all[number];

	if (number < q->next)
		fail("a record came too late for", "the order");
	if (b->used == b->size)
	{
		b->size = b->size == 0 ? 16 : 2 * b->size;
		b->flows = realloc(b->flows, b->size * sizeof(flow));
		if (b->flows == NULL)
			fail("out of memory for", "records");
	}
	b->flows[b->used++] = *f;
}

static int
compare(const void *a, const void *b)
{
	const flow *x = a;
	const flow *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->destination != y->destination)
		return x->destination < y->destination ? -1 : 1;
	return x->queue_pair < y->queue_pair ? -1 : x->queue_pair > y->queue_pair;
}

void
queue_write(queue *q, double until, world *w)
{
	while (q->next < BUCKETS && (isinf(until) || (q->next < BUCKETS - 1 && (q->next + 1) * q->width <= until)))
	{
		bucket	   *b = &q->all[q->next++];

		if (b->used > 1)
			qsort(b->flows, b->used, sizeof(flow), compare);
		for (int i = 0; i < b->used; i++)
			write_flow(w, &b->flows[i]);
		free(b->flows);
		b->flows = NULL;
		b->used = b->size = 0;
	}
}
