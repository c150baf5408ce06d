/* noise.c: small flows of all else in the cluster: inference, storage, ssh. They belong to no job. */
#include "flows.h"

/* Anything to anything, mostly from or to a host outside. */
static void
one_flow(world *w, double at)
{
	sequence   *r = &w->background;
	double		kind = random_unit(r);
	int			inside = (int) random_below(r, w->net.accelerators);
	int			other = w->net.accelerators + (int) random_below(r, w->net.outside);
	message		m = {PAIR_NOISE, 0, 1 + (int) random_below(r, 16), (int) random_below(r, 4), INFINITY};

	m.bytes = kind < 0.6 ? 200 + 4000 * random_unit(r) : kind < 0.95 ? 4096 * random_factor(r, 1) : 1e6 * random_factor(r, 1);
	if (random_unit(r) < 0.5)
		network_move(w, NULL, r, inside, other, &m, at);
	else
		network_move(w, NULL, r, other, inside, &m, at);
}

void
noise_make(world *w, double until)
{
	while (w->set.noise > 0 && w->noise_until < until && w->noise_until < w->set.window)
	{
		one_flow(w, w->noise_until);
		w->noise_until += -log(1 - random_unit(&w->background)) / w->set.noise;
	}
}
