/*
 * disturb.c: what collectors do to a flow: they lose its record, cut it at their active time-out, give it twice (once from
 * each of its leaf switches), stamp it with a clock that is off, hand it in late, or spoil it.
 */
#include "flows.h"

void
disturb_begin(world *w)
{
	sequence	r;

	random_begin(&r, w->set.seed, 3);
	random_begin(&w->disturb, w->set.seed, 4);
	w->offset = take(w->net.leaves * sizeof(double));
	for (int leaf = 0; leaf < w->net.leaves; leaf++)
		w->offset[leaf] = w->set.clock_offset * (2 * random_unit(&r) - 1);
}

/* Makes a record of what cannot be: a negative duration, no bytes, or a clock that jumped by an hour. Its place stays. */
static void
spoil(world *w, flow *f)
{
	switch (random_below(&w->disturb, 4))
	{
		case 0:
			f->duration = -f->duration;
			break;
		case 1:
			f->bytes = 0;
			break;
		case 2:
			f->start += 3600;
			break;
		default:
			f->start -= 3600;
	}
}

/* One record as the collector of a leaf gives it. */
static void
hand_in(world *w, flow f, int leaf)
{
	if (w->set.loss > 0 && random_unit(&w->disturb) < w->set.loss)
		return;
	f.start += w->offset[leaf];
	f.key = f.start;
	if (w->set.out_of_order > 0)
		f.key += f.duration + w->set.out_of_order * random_unit(&w->disturb);
	if (w->set.bad > 0 && random_unit(&w->disturb) < w->set.bad)
		spoil(w, &f);
	queue_add(w->waiting, &f);
}

static void
cut_up(world *w, const flow *f, int leaf)
{
	double		left = f->duration;
	int64_t		bytes = f->bytes;
	flow		part = *f;

	while (w->set.active_timeout > 0 && left > w->set.active_timeout)
	{
		part.duration = w->set.active_timeout;
		part.bytes = (int64_t) (f->bytes * (w->set.active_timeout / f->duration));
		hand_in(w, part, leaf);
		part.start += part.duration;
		part.retransmits = 0;
		left -= part.duration;
		bytes -= part.bytes;
	}
	part.duration = left;
	part.bytes = bytes;
	hand_in(w, part, leaf);
}

void
disturb_add(world *w, const flow *f)
{
	cut_up(w, f, w->net.all[f->source].leaf);
	if (w->set.duplicates > 0 && random_unit(&w->disturb) < w->set.duplicates)
	{
		flow		again = *f;

		again.start += 1e-6 * random_below(&w->disturb, 20);
		cut_up(w, &again, w->net.all[f->destination].leaf);
	}
}
