/*
 * faults.c: what is wrong in the cluster: KIND[:SUBJECT[:FACTOR[:FROM[:TO]]]], with times in seconds of the window. A subject
 * is an address or the number of an accelerator, for a link A>B, where A and B are accelerators or switches, for a switch its
 * name. An empty subject is picked at random among what the jobs use.
 */
#include "flows.h"

#include <stdlib.h>
#include <string.h>

#define NOTICED 2				/* seconds after which a job stops whose accelerator is dead */

#define TIMEOUT 0.067			/* of a queue pair, seconds; each further one in a row takes twice as long */

const char *const fault_names[] = {"slow_accelerator", "slow_link", "slow_switch", "stalled", "dead_accelerator", "flapping"};

/* Factors, where none is given. */
static const double usual[] = {0.2, 0.3, 0.3, 0, 0, 0.02};

/* Those that never end. */
static int
is_final(const fault *f)
{
	return f->kind == STALLED || f->kind == DEAD_ACCELERATOR;
}

void
fault_read(settings *s, const char *text)
{
	fault	   *f = &s->fault[s->faults];
	char	   *copy = strdup(text);
	char	   *rest = copy;
	char	   *kind = strsep(&rest, ":");
	char	   *subject = rest != NULL ? strsep(&rest, ":") : NULL;
	char	   *factor = rest != NULL ? strsep(&rest, ":") : NULL;
	char	   *from = rest != NULL ? strsep(&rest, ":") : NULL;

	if (s->faults++ == MOST_FAULTS)
		fail("too many faults:", text);
	for (f->kind = 0; f->kind <= FLAPPING && strcmp(fault_names[f->kind], kind) != 0; f->kind++)
		;
	if (f->kind > FLAPPING)
		fail("unknown fault", kind);
	snprintf(f->text, sizeof(f->text), "%s", subject != NULL ? subject : "");
	f->factor = factor != NULL && *factor != '\0' ? atof(factor) : usual[f->kind];
	f->began = from != NULL && *from != '\0' ? atof(from) : NAN;
	f->ended = rest != NULL && *rest != '\0' ? atof(rest) : NAN;
	if (f->factor < 0 || f->factor >= (f->kind == SLOW_ACCELERATOR ? 100 : 1))
		fail("out of range: factor of fault", text);
	free(copy);
}

/* ---- what a subject is ---- */

static int
find_switch(const char *name, const char *kind, int count)
{
	size_t		length = strlen(kind);
	int			number = strncmp(name, kind, length) == 0 ? atoi(name + length) : 0;

	return number >= 1 && number <= count ? number - 1 : -1;
}

/* Takes one name of a subject into the fault; first: where a link begins, or the only one. */
static void
resolve_name(const world *w, fault *f, const char *name, int first)
{
	int			place = cluster_find(&w->net, name);
	int			leaf = find_switch(name, "leaf-", w->net.leaves);
	int			spine = find_switch(name, "spine-", w->net.spines);

	if (place >= 0 && first)
		f->from_end = place;
	else if (place >= 0)
		f->to_end = place;
	else if (leaf >= 0)
	{
		f->leaf = leaf;
		f->upward = first;
	}
	else if (spine >= 0)
		f->spine = spine;
	else
		fail("unknown subject of a fault:", name);
}

static void
name_end(const world *w, const fault *f, int first, char *name)
{
	int			place = first ? f->from_end : f->to_end;

	if (place >= 0)
		snprintf(name, LONGEST_NAME, "%s", w->net.all[place].address);
	else if (f->leaf >= 0 && (f->spine < 0 || f->upward == first))
		leaf_name(f->leaf, name);
	else
		spine_name(f->spine, name);
}

/* Spells the subject as the truth has it. */
static void
name_subject(const world *w, fault *f)
{
	char		from[LONGEST_NAME];
	char		to[LONGEST_NAME];

	name_end(w, f, 1, from);
	name_end(w, f, 0, to);
	if (f->kind == SLOW_LINK)
		snprintf(f->text, sizeof(f->text), "%s -> %s", from, to);
	else
		snprintf(f->text, sizeof(f->text), "%s", from);
}

/* ---- picking one ---- */

/* A hop of a ring that crosses servers; -1 for both: no job has one. */
static void
pick_hop(world *w, sequence *r, int *source, int *destination)
{
	*source = *destination = -1;
	for (int attempt = 0; attempt < 1000 && *source < 0; attempt++)
	{
		job		   *j = &w->job[random_below(r, w->jobs)];
		group	   *g = &j->data[random_below(r, j->groups)];
		int			channel = (int) random_below(r, g->channels);
		int			node = (int) random_below(r, g->nodes);

		if (g->nodes < 2 || j->began > 0 || isfinite(j->stops))
			continue;
		*source = j->seat[g->hop[channel * g->nodes + node]];
		*destination = j->seat[g->hop[channel * g->nodes + (node + 1) % g->nodes]];
	}
	if (*source < 0)
		fail("no job has a ring between servers for", "a fault at random");
}

static void
pick_subject(world *w, fault *f, sequence *r)
{
	int			source;
	int			destination;

	pick_hop(w, r, &source, &destination);
	if (f->kind == SLOW_SWITCH)
		f->leaf = w->net.all[source].leaf;
	else
		f->from_end = source;
	if (f->kind == SLOW_LINK)
		f->to_end = destination;
}

static void
resolve(world *w, fault *f, sequence *r)
{
	char		copy[sizeof(f->text)];
	char	   *to;

	f->from_end = f->to_end = f->leaf = f->spine = -1;
	memcpy(copy, f->text, sizeof(copy));
	to = strchr(copy, '>');
	if (f->kind == SLOW_LINK && to == NULL && copy[0] != '\0')
		fail("a link is A>B, not", copy);
	if (to != NULL)
		*to++ = '\0';
	if (copy[0] == '\0')
		pick_subject(w, f, r);
	else
		resolve_name(w, f, copy, 1);
	if (to != NULL)
		resolve_name(w, f, to, 0);
	if (f->kind == SLOW_SWITCH ? f->leaf < 0 && f->spine < 0 : f->kind != SLOW_LINK && f->from_end < 0)
		fail("not a subject of this kind of fault:", f->text);
	name_subject(w, f);
}

void
faults_resolve(world *w)
{
	sequence	r;

	random_begin(&r, w->set.seed, 2);
	for (int i = 0; i < w->set.faults; i++)
	{
		fault	   *f = &w->set.fault[i];

		resolve(w, f, &r);
		if (isnan(f->began))
			f->began = w->set.window * (0.35 + 0.15 * random_unit(&r));
		if (isnan(f->ended))
			f->ended = is_final(f) ? INFINITY : w->set.window * (0.75 + 0.15 * random_unit(&r));
		if (f->kind == DEAD_ACCELERATOR && w->net.all[f->from_end].job >= 0)
			w->job[w->net.all[f->from_end].job].ended = f->began + NOTICED;
	}
}

/* ---- what they do ---- */

double
fault_slows_compute(const world *w, int place, double at)
{
	double		factor = 1;

	for (int i = 0; i < w->set.faults; i++)
	{
		const fault *f = &w->set.fault[i];

		if (f->kind == SLOW_ACCELERATOR && f->from_end == place && at >= f->began && at < f->ended)
			factor *= 1 + f->factor;
	}
	return factor;
}

/* Does the flow take the link? Ends not named fit all. */
static int
takes_link(const world *w, const fault *l, const flow *f)
{
	int			leaf = l->upward ? w->net.all[f->source].leaf : w->net.all[f->destination].leaf;

	if (l->leaf >= 0 && l->from_end < 0 && l->to_end < 0)
		return f->spine == l->spine && leaf == l->leaf;
	return (l->from_end < 0 || l->from_end == f->source) && (l->to_end < 0 || l->to_end == f->destination);
}

static int
takes_switch(const world *w, const fault *s, const flow *f)
{
	if (s->spine >= 0)
		return f->spine == s->spine;
	return w->net.all[f->source].leaf == s->leaf || w->net.all[f->destination].leaf == s->leaf;
}

double
fault_slows_flow(const world *w, const flow *f)
{
	double		factor = 1;

	for (int i = 0; i < w->set.faults; i++)
	{
		const fault *x = &w->set.fault[i];

		if (f->start < x->began || f->start >= x->ended)
			continue;
		if ((x->kind == SLOW_LINK && takes_link(w, x, f)) || (x->kind == SLOW_SWITCH && takes_switch(w, x, f)))
			factor *= 1 - x->factor;
	}
	return factor;
}

double
fault_delays(world *w, flow *f, sequence *r)
{
	double		delay = 0;

	for (int i = 0; i < w->set.faults; i++)
	{
		const fault *x = &w->set.fault[i];

		if (x->kind != FLAPPING || x->from_end != f->source || f->start < x->began || f->start >= x->ended ||
			random_unit(r) >= x->factor)
			continue;
		for (int again = (int) random_below(r, 3); again >= 0; again--)
		{
			delay += TIMEOUT * (1 << again);
			f->retransmits += 1 + (unsigned) random_below(r, 64);
		}
	}
	return delay;
}

double
fault_silences(const world *w, int source, int destination)
{
	double		from = INFINITY;

	for (int i = 0; i < w->set.faults; i++)
	{
		const fault *f = &w->set.fault[i];

		if (is_final(f) && f->began < from &&
			(f->from_end == source || (f->kind == DEAD_ACCELERATOR && f->from_end == destination)))
			from = f->began;
	}
	return from;
}
