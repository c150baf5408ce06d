/*
 * exchange.c: what the lanes of a cell exchange amid their work: tokens to the experts and back (all to all among the expert
 * ranks), and the keys and values of the other parts of a context (around a ring of the context ranks).
 */
#include "flows.h"

typedef struct
{
	world	   *w;
	job		   *j;
	int			first;
	double		at;
	double		end;			/* the last arrival */
} exchange;

static void
take_time(exchange *x, double there)
{
	if (there > x->end)
		x->end = there;
}

/* Tokens are not spread evenly: each message is a bit smaller or larger. */
static void
all_to_all(exchange *x, double bytes)
{
	const shape *p = &x->j->plan;
	int			stride = p->cp * p->tp;
	message		m = {PAIR_EXPERT, 0, p->ep - 1, 0, INFINITY};

	for (int from = 0; from < p->ep * stride; from++)
		for (int other = 1; other < p->ep; other++)
		{
			int			to = (from + other * stride) % (p->ep * stride);

			m.bytes = floor(bytes / p->ep * random_factor(&x->j->random, 0.15));
			take_time(x, network_send(x->w, x->j, x->first + from, x->first + to, &m, x->at));
		}
}

static void
ring_step(exchange *x, double bytes)
{
	const shape *p = &x->j->plan;
	message		m = {PAIR_CONTEXT, bytes, 1, 0, INFINITY};

	for (int from = 0; from < x->j->lanes; from++)
	{
		int			context = from / p->tp % p->cp;
		int			to = from + ((context + 1) % p->cp - context) * p->tp;

		take_time(x, network_send(x->w, x->j, x->first + from, x->first + to, &m, x->at));
	}
}

double
exchange_run(world *w, job *j, int first, double at, double bytes)
{
	exchange	x = {w, j, first, at, at};

	for (int i = 1; i < j->plan.cp; i++)
	{
		ring_step(&x, bytes);
		x.at = x.end;
	}
	/* there and back */
	for (int i = 0; i < 2 && j->plan.ep > 1; i++)
	{
		all_to_all(&x, bytes);
		x.at = x.end;
	}
	return x.at;
}
