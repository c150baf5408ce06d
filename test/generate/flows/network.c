/*
 * network.c: moves messages. A flow has the rate of its NIC, shared with the other flows of the same collective, less where a
 * link or switch of its way is slow. What stays inside a server passes no switch, and leaves no record.
 */
#include "flows.h"

#define EFFICIENCY 0.92			/* of a NIC */
#define LATENCY 8e-6			/* seconds until the first byte is there */

static void
fill_flow(world *w, flow *f, int source, int destination, const message *m)
{
	uint64_t	pair = mix(((uint64_t) source << 32) | destination, w->set.seed);

	f->source = source;
	f->destination = destination;
	f->queue_pair = (unsigned) (mix(pair, m->kind * 64 + m->channel) & 0xffffff);
	f->port = 49152 + (unsigned) (mix(pair, f->queue_pair) % 16384);
	f->spine = cluster_spine(&w->net, source, destination, f->port);
	f->bytes = m->bytes < 1 ? 1 : (int64_t) m->bytes;
	f->retransmits = 0;
}

/* Lost packets are rare, and less so where the way is slow. */
static unsigned
lost_packets(sequence *r, const flow *f, double slower)
{
	double		expected = f->bytes / 4096.0 * (slower < 1 ? 2e-3 : 2e-7);
	double		chance = random_unit(r);

	return chance < expected ? (unsigned) (1 + (expected > 1 ? expected * (0.5 + chance / expected) : 0)) : 0;
}

/* Records what of the flow is in the window, and before its source or destination falls silent. Returns its end. */
static double
record(world *w, job *j, flow *f, pair_kind kind)
{
	double		end = f->start + f->duration;
	double		silence = w->set.faults > 0 ? fault_silences(w, f->source, f->destination) : INFINITY;

	if (f->start >= silence || (j != NULL && f->start >= j->ended))
		return INFINITY;
	if (end > silence)
	{
		f->bytes = (int64_t) (f->bytes * (silence - f->start) / f->duration) + 1;
		f->duration = silence - f->start;
		end = INFINITY;
	}
	if (f->start < 0 || f->start >= w->set.window)
		return end;
	w->made++;
	truth_flow(w, j, kind, f);
	if (w->set.check)
		check_flow(w, j, kind, f);
	if (w->set.idle_timeout > 0)
		merge_add(w, f);
	else
		disturb_add(w, f);
	return end;
}

double
network_move(world *w, job *j, sequence *r, int source, int destination, const message *m, double at)
{
	flow		f;
	double		slower = 1;
	double		needed;

	if (isinf(at))
		return INFINITY;
	fill_flow(w, &f, source, destination, m);
	f.start = at;
	if (w->set.faults > 0)
		slower = fault_slows_flow(w, &f);
	needed = LATENCY + f.bytes * m->share / (w->net.rate * EFFICIENCY * slower) * random_factor(r, w->set.jitter / 2);
	f.retransmits = lost_packets(r, &f, slower);
	if (w->set.faults > 0)
		needed += fault_delays(w, &f, r);
	f.start = m->opened < at ? m->opened : at;
	f.duration = at + needed - f.start;
	return record(w, j, &f, m->kind);
}

double
network_send(world *w, job *j, int from, int to, const message *m, double at)
{
	int			source = j->seat[from];
	int			destination = j->seat[to];

	if (w->net.all[source].server == w->net.all[destination].server)
		return at + m->bytes / INSIDE_RATE;
	return network_move(w, j, &j->random, source, destination, m, at);
}
