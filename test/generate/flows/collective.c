/*
 * collective.c: the collectives of a group: what crosses servers goes, channel by channel, around rings or along trees.
 *
 * A ring of n servers has n - 1 steps for each half of an all-reduce; in each of them a server sends 1/n of the channel's
 * bytes to the next one. With as many pieces as steps, every step is a record, and begins when the former one has arrived.
 * With fewer, the first piece is one step, which a server may send before the others are there; the rest goes when all are,
 * and its pieces keep in step: the ring is as slow as its slowest link. A single piece is one record, open from the server's
 * first byte to its last.
 *
 * Two trees, each for half of the bytes, where those inside one are leaves of the other: a piece goes up when the children's
 * ones are there, and down from the root. Hierarchical: scattered in rings within the pods, reduced in rings across them,
 * gathered within. Only all-reduces use trees and hierarchies.
 */
#include "flows.h"

#include <string.h>

/* A channel of a collective. */
typedef struct
{
	world	   *w;
	job		   *j;
	group	   *g;
	int			channel;
	double		bytes;
	double	   *at;				/* of each server of the group: how far it is */
} channel;

/* A ring over some servers of the group. */
typedef struct
{
	channel    *c;
	int			n;
	int			first;			/* server; the others follow in strides */
	int			stride;
	int			steps;
	int			pieces;
} ring;

static double
later(double a, double b)
{
	return a > b ? a : b;
}

static double
latest(const double *at, int n)
{
	double		last = -INFINITY;

	for (int i = 0; i < n; i++)
		last = later(last, at[i]);
	return last;
}

static int
rank_at(const channel *c, int server)
{
	return c->g->hop[c->channel * c->g->nodes + server];
}

/* ---- rings ---- */

static int
server_at(const ring *r, int i)
{
	return r->first + i % r->n * r->stride;
}

/* One piece around the ring: each server sends to the next. */
static void
run_piece(ring *r, const double *opened, const double *begins, double *ends, double bytes)
{
	channel    *c = r->c;
	message		m = {PAIR_DATA, bytes, c->j->plan.channels, 2 + c->channel, INFINITY};

	for (int i = 0; i < r->n; i++)
	{
		m.opened = opened == NULL ? INFINITY : opened[i];
		ends[i] = network_send(c->w, c->j, rank_at(c, server_at(r, i)), rank_at(c, server_at(r, i + 1)), &m, begins[i]);
	}
}

/* When each server can send the next piece: after its own last one, and that of its neighbour or of all. */
static void
next_begins(const ring *r, const double *ends, double *begins)
{
	double		all = latest(ends, r->n);

	for (int i = 0; i < r->n; i++)
		begins[i] = r->pieces < r->steps ? all : later(ends[(i + r->n - 1) % r->n], ends[i]);
}

/* halves: 2 for an all-reduce, 1 for a reduce-scatter or an all-gather. */
static void
run_ring(ring *r, double bytes, int halves)
{
	double		step = bytes / r->n;
	double		ready[r->n];
	double		begins[r->n];
	double		ends[r->n];

	r->steps = halves * (r->n - 1);
	r->pieces = r->c->j->plan.pieces < r->steps ? r->c->j->plan.pieces : r->steps;
	for (int i = 0; i < r->n; i++)
		begins[i] = ready[i] = r->c->at[server_at(r, i)];
	if (r->pieces == 1)
	{
		double		all = latest(ready, r->n);

		for (int i = 0; i < r->n; i++)
			begins[i] = all;
		run_piece(r, ready, begins, ends, step * r->steps);
		next_begins(r, ends, begins);
	}
	else
		for (int piece = 0; piece < r->pieces; piece++)
		{
			run_piece(r, NULL, begins, ends, piece == 0 ? step : step * (r->steps - 1) / (r->pieces - 1));
			next_begins(r, ends, begins);
		}
	for (int i = 0; i < r->n; i++)
		r->c->at[server_at(r, i)] = begins[i];
}

static void
flat_ring(channel *c, int halves)
{
	ring		r = {.c = c, .n = c->g->nodes, .first = 0, .stride = 1};

	run_ring(&r, c->bytes, halves);
}

/* ---- hierarchies ---- */

static void
within_pods(channel *c)
{
	int			size = c->g->nodes / c->g->pods;

	for (int pod = 0; pod < c->g->pods && size > 1; pod++)
	{
		ring		r = {.c = c, .n = size, .first = pod * size, .stride = 1};

		run_ring(&r, c->bytes, 1);
	}
}

static void
across_pods(channel *c)
{
	int			size = c->g->nodes / c->g->pods;

	for (int place = 0; place < size; place++)
	{
		ring		r = {.c = c, .n = c->g->pods, .first = place, .stride = size};

		run_ring(&r, c->bytes / size, 2);
	}
}

/* ---- trees ---- */

/* The servers of a tree are numbered like a heap; the second tree has them the other way around. */
static int
server_in_tree(const channel *c, int tree, int place)
{
	return tree == 0 ? place : c->g->nodes - 1 - place;
}

static double
send_along(channel *c, int tree, int from, int to, double bytes, double at)
{
	message		m = {PAIR_DATA, bytes, 2 * c->j->plan.channels, 2 + 2 * c->channel + tree, INFINITY};

	return network_send(c->w, c->j, rank_at(c, server_in_tree(c, tree, from)), rank_at(c, server_in_tree(c, tree, to)), &m, at);
}

/* One piece up and down. has[]: when a server has all from below, then the sum. up[], down[]: when its last sending ended. */
static void
tree_piece(channel *c, int tree, double bytes, double *has, double *up, double *down)
{
	int			n = c->g->nodes;

	for (int i = n - 1; i > 0; i--)
	{
		int			parent = (i - 1) / 2;

		up[i] = send_along(c, tree, i, parent, bytes, later(has[i], up[i]));
		has[parent] = later(has[parent], up[i]);
	}
	for (int i = 1; i < n; i++)
	{
		int			parent = (i - 1) / 2;

		down[i] = send_along(c, tree, parent, i, bytes, later(has[parent], down[i]));
		has[i] = down[i];
	}
}

static void
run_trees(channel *c)
{
	int			n = c->g->nodes;
	double		ready[n];
	double		has[n];
	double		up[n];
	double		down[n];

	memcpy(ready, c->at, n * sizeof(double));
	for (int tree = 0; tree < 2; tree++)
	{
		for (int i = 0; i < n; i++)
			up[i] = down[i] = -INFINITY;
		for (int piece = 0; piece < c->j->plan.pieces; piece++)
		{
			for (int i = 0; i < n; i++)
				has[i] = ready[server_in_tree(c, tree, i)];
			tree_piece(c, tree, c->bytes / 2 / c->j->plan.pieces, has, up, down);
		}
		/* a server is done when it has the last piece, and has sent it on */
		for (int i = 0; i < n; i++)
			for (int child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
				has[i] = later(has[i], down[child]);
		for (int i = 0; i < n; i++)
			c->at[server_in_tree(c, tree, i)] = later(c->at[server_in_tree(c, tree, i)], has[i]);
	}
}

/* ---- all channels ---- */

static void
run_channel(channel *c, int halves)
{
	if (halves == 2 && c->j->plan.collective == TREE)
		run_trees(c);
	else if (halves == 2 && c->j->plan.collective == HIERARCHICAL && c->g->pods > 1)
	{
		within_pods(c);
		across_pods(c);
		within_pods(c);
	}
	else
		flat_ring(c, halves);
}

/* The clocks of the servers: those of their last members. */
static void
gather(const job *j, group *g)
{
	for (int node = 0; node < g->nodes; node++)
		g->ready[node] = -INFINITY;
	for (int i = 0; i < g->members; i++)
		g->ready[g->node_of[i]] = later(g->ready[g->node_of[i]], j->now[g->member[i]]);
}

void
collective_run(world *w, job *j, group *g, double bytes, int halves)
{
	double		at[g->nodes];
	double		ends[g->nodes];
	channel		c = {w, j, g, 0, bytes / g->channels, at};

	gather(j, g);
	memcpy(ends, g->ready, g->nodes * sizeof(double));
	if (g->nodes == 1)
		ends[0] += halves * bytes / INSIDE_RATE;
	for (; c.channel < g->channels && g->nodes > 1; c.channel++)
	{
		memcpy(at, g->ready, g->nodes * sizeof(double));
		run_channel(&c, halves);
		for (int node = 0; node < g->nodes; node++)
			ends[node] = later(ends[node], at[node]);
	}
	for (int i = 0; i < g->members; i++)
		j->now[g->member[i]] = ends[g->node_of[i]];
}
