/*
 * collective.c: the collectives of a group: what crosses servers goes around the rings of its channels.
 *
 * A ring of n servers has 2 (n - 1) steps; each server sends in each of them 1/n of the channel's share to the next one. With as
 * many pieces as steps, every step is a record, and begins when the former one has arrived. With fewer, the first piece is one
 * step, which a server may send before the others are there; the rest goes when all are, and its pieces keep in step: the ring is
 * as slow as its slowest link. A single piece is one record, open from the server's first byte to its last.
 */
#include "flows.h"

#include <string.h>

typedef struct
{
	world	   *w;
	job		   *j;
	group	   *g;
	int			channel;
	int			pieces;
	int			steps;			/* of the ring */
	double		bytes;			/* of a piece after the first one */
	double		first_bytes;
} ring;

static double
latest(const double *at, int n)
{
	double		last = -INFINITY;

	for (int i = 0; i < n; i++)
		last = at[i] > last ? at[i] : last;
	return last;
}

/* One piece around the ring: each server sends to the next. begins[] and ends[] are those of the servers. */
static void
run_piece(ring *r, const double *opened, const double *begins, double *ends, double bytes)
{
	group	   *g = r->g;
	const int  *hop = &g->hop[r->channel * g->nodes];
	message		m = {PAIR_DATA, bytes, r->j->plan.channels, 2 + r->channel, INFINITY};

	for (int node = 0; node < g->nodes; node++)
	{
		m.opened = opened == NULL ? INFINITY : opened[node];
		ends[node] = network_send(r->w, r->j, hop[node], hop[(node + 1) % g->nodes], &m, begins[node]);
	}
}

/* When each server can send the next piece: after its own last one, and that of its neighbour or of all. */
static void
next_begins(const ring *r, const double *ends, double *begins)
{
	int			n = r->g->nodes;
	double		all = latest(ends, n);

	for (int node = 0; node < n; node++)
	{
		double		before = ends[(node + n - 1) % n];

		begins[node] = r->pieces < r->steps ? all : before > ends[node] ? before : ends[node];
	}
}

static void
run_channel(ring *r, const double *ready, double *ends)
{
	int			n = r->g->nodes;
	double		begins[n];

	memcpy(begins, ready, n * sizeof(double));
	if (r->pieces == 1)
		for (int node = 0; node < n; node++)
			begins[node] = latest(ready, n);
	for (int piece = 0; piece < r->pieces; piece++)
	{
		run_piece(r, r->pieces == 1 ? ready : NULL, begins, ends, piece == 0 ? r->first_bytes : r->bytes);
		next_begins(r, ends, begins);
	}
	memcpy(ends, begins, n * sizeof(double));
}

/* Cuts a channel's share of the bucket into pieces. */
static void
cut(ring *r, double bytes, int share)
{
	double		step = bytes / r->g->channels / r->g->nodes;

	r->steps = share * (r->g->nodes - 1);
	r->pieces = r->j->plan.pieces < r->steps ? r->j->plan.pieces : r->steps;
	r->first_bytes = r->pieces == 1 ? step * r->steps : step;
	r->bytes = r->pieces == 1 ? 0 : step * (r->steps - 1) / (r->pieces - 1);
}

/* Brings the clocks of the members to those of their servers, and back. */
static void
gather(const job *j, group *g)
{
	for (int node = 0; node < g->nodes; node++)
		g->ready[node] = -INFINITY;
	for (int i = 0; i < g->members; i++)
		if (j->now[g->member[i]] > g->ready[g->node_of[i]])
			g->ready[g->node_of[i]] = j->now[g->member[i]];
}

static void
spread(job *j, const group *g, const double *ends)
{
	for (int i = 0; i < g->members; i++)
		j->now[g->member[i]] = ends[g->node_of[i]];
}

void
collective_run(world *w, job *j, group *g, double bytes, int share)
{
	ring		r = {.w = w, .j = j, .g = g};
	double	   *ends = g->ready + g->nodes;
	double	   *last = ends + g->nodes;

	gather(j, g);
	memcpy(last, g->ready, g->nodes * sizeof(double));
	if (g->nodes == 1)
		last[0] += share * bytes / INSIDE_RATE;
	else
		for (r.channel = 0; r.channel < g->channels; r.channel++)
		{
			cut(&r, bytes, share);
			run_channel(&r, g->ready, ends);
			for (int node = 0; node < g->nodes; node++)
				last[node] = ends[node] > last[node] ? ends[node] : last[node];
		}
	spread(j, g, last);
}
