/*
 * merge.c: a collector with an idle time-out ends a record only when its queue pair has been silent for so long: messages that
 * follow one another sooner are one record. A record is kept open until then, and at most for its longest time.
 */
#include "flows.h"

#include <stdlib.h>

#define LONGEST 10.0			/* seconds, where the collector has no active time-out */
#define SCAN 0.05				/* seconds between looks for records to end */

typedef struct
{
	flow		f;				/* duration below 0: none open; source below 0: no such queue pair */
} entry;

/* By source, destination and queue pair: open addressing. */
struct merger
{
	entry	   *all;
	size_t		size;			/* a power of two */
	size_t		used;
	double		scanned;
	double		first;			/* begin of the earliest record that was open then */
};

static void
make_room(merger *m, size_t size)
{
	m->size = size;
	m->all = take(size * sizeof(entry));
	for (size_t i = 0; i < size; i++)
		m->all[i].f.source = -1;
}

merger *
merge_begin(void)
{
	merger	   *m = take(sizeof(merger));

	make_room(m, 1 << 12);
	m->scanned = m->first = -INFINITY;
	return m;
}

static int
same_pair(const flow *a, const flow *b)
{
	return a->source == b->source && a->destination == b->destination && a->queue_pair == b->queue_pair;
}

static entry *
find(merger *m, const flow *f)
{
	size_t		place = mix(mix(((uint64_t) f->source << 32) | f->destination, f->queue_pair), 9) & (m->size - 1);

	while (m->all[place].f.source >= 0 && !same_pair(&m->all[place].f, f))
		place = (place + 1) & (m->size - 1);
	return &m->all[place];
}

static void
grow(merger *m)
{
	entry	   *old = m->all;
	size_t		size = m->size;

	make_room(m, 2 * size);
	for (size_t i = 0; i < size; i++)
		if (old[i].f.source >= 0)
			*find(m, &old[i].f) = old[i];
	free(old);
}

static double
end_of(const flow *f)
{
	return f->start + f->duration;
}

static void
close_record(world *w, entry *e)
{
	if (e->f.duration >= 0)
		disturb_add(w, &e->f);
	e->f.duration = -1;
}

void
merge_add(world *w, const flow *f)
{
	merger	   *m = w->open;
	double		longest = w->set.active_timeout > 0 ? w->set.active_timeout : LONGEST;
	entry	   *e = find(m, f);
	flow	   *o = &e->f;

	if (o->source < 0)
		m->used++;
	else if (o->duration >= 0 && f->start <= end_of(o) + w->set.idle_timeout && end_of(f) - o->start <= longest)
	{
		o->duration = (end_of(f) > end_of(o) ? end_of(f) : end_of(o)) - o->start;
		o->bytes += f->bytes;
		o->retransmits += f->retransmits;
		return;
	}
	else
		close_record(w, e);
	*o = *f;
	if (2 * m->used > m->size)
		grow(m);
}

double
merge_end(world *w, double until)
{
	merger	   *m = w->open;

	if (until < m->scanned + SCAN)
		return m->first;
	m->scanned = m->first = until;
	for (size_t i = 0; i < m->size; i++)
	{
		flow	   *f = &m->all[i].f;

		if (f->source < 0 || f->duration < 0)
			continue;
		if (end_of(f) + w->set.idle_timeout < until)
			close_record(w, &m->all[i]);
		else if (f->start < m->first)
			m->first = f->start;
	}
	return m->first;
}
