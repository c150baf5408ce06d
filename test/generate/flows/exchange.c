/*
 * exchange.c: what the lanes of a cell exchange amid their work: tokens to the experts and back (all to all among the expert
 * ranks), and the keys and values of the other parts of a context (around a ring of the context ranks). A lane sends its tokens
 * as soon as it has them, and goes on when it has got those of all others.
 */
#include "flows.h"

typedef struct
{
	world	   *w;
	job		   *j;
	int			first;
	double	   *at;				/* of each lane: when it is ready, then when it goes on */
} exchange;

/* Tokens are not spread evenly: each message is a bit smaller or larger. */
static void
all_to_all(exchange *x, double bytes)
{
	const shape *p = &x->j->plan;
	int			stride = p->cp * p->tp;
	message		m = {PAIR_EXPERT, 0, p->ep - 1, 0, INFINITY};
	double		ready[p->ep * stride];

	for (int lane = 0; lane < p->ep * stride; lane++)
		ready[lane] = x->at[lane];
	for (int from = 0; from < p->ep * stride; from++)
		for (int other = 1; other < p->ep; other++)
		{
			int			to = (from + other * stride) % (p->ep * stride);
			double		there;

			m.bytes = floor(bytes / p->ep * random_factor(&x->j->random, 0.15));
			there = network_send(x->w, x->j, x->first + from, x->first + to, &m, ready[from]);
			x->at[from] = fmax(x->at[from], there);
			x->at[to] = fmax(x->at[to], there);
		}
}

/* All wait for the last arrival. */
static void
ring_step(exchange *x, double bytes)
{
	const shape *p = &x->j->plan;
	message		m = {PAIR_CONTEXT, bytes, 1, 0, INFINITY};
	double		end = x->at[0];

	for (int from = 0; from < x->j->lanes; from++)
	{
		int			context = from / p->tp % p->cp;
		int			to = from + ((context + 1) % p->cp - context) * p->tp;

		end = fmax(end, network_send(x->w, x->j, x->first + from, x->first + to, &m, x->at[0]));
	}
	for (int lane = 0; lane < x->j->lanes; lane++)
		x->at[lane] = end;
}

void
exchange_run(world *w, job *j, int first, double *at, double bytes)
{
	exchange	x = {w, j, first, at};

	if (j->plan.ep > 1)
		all_to_all(&x, bytes);
	for (int i = 1; i < j->plan.cp; i++)
		ring_step(&x, bytes);
}
