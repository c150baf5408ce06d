/*
 * groups.c: which ranks of a job reduce their gradients together, and the rings around their servers.
 *
 * A ring passes each server once; channel c enters and leaves server k at the NIC of the (c mod n)-th of the n members there,
 * as rails want it. So there are at least as many channels as the group has members on a server.
 */
#include "flows.h"

#include <stdlib.h>

static int
server_of(const world *w, const job *j, int rank)
{
	return w->net.all[j->seat[rank]].server;
}

/* Counts the members' servers, which follow one another. */
static int
number_nodes(const world *w, const job *j, group *g)
{
	int			most = 0;
	int			here = 0;

	for (int i = 0; i < g->members; i++)
	{
		if (i == 0 || server_of(w, j, g->member[i]) != server_of(w, j, g->member[i - 1]))
		{
			g->nodes++;
			here = 0;
		}
		g->node_of[i] = g->nodes - 1;
		most = ++here > most ? here : most;
	}
	return most;
}

/* Pods that have as many of the group's servers each; 1 where they do not. */
static int
count_pods(const world *w, const job *j, const group *g)
{
	int			pods = 0;
	int			in_pod[g->nodes];

	for (int i = 0; i < g->members; i++)
	{
		int			pod = server_of(w, j, g->member[i]) / w->net.pod;

		if (i > 0 && g->node_of[i] == g->node_of[i - 1])
			continue;
		if (i == 0 || pod != server_of(w, j, g->member[i - 1]) / w->net.pod)
			in_pod[pods++] = 0;
		in_pod[pods - 1]++;
	}
	for (int i = 1; i < pods; i++)
		if (in_pod[i] != in_pod[0])
			return 1;
	return pods;
}

static void
make_rings(const world *w, const job *j, group *g)
{
	int			most = number_nodes(w, j, g);

	g->channels = most * j->plan.channels;
	g->ready = take(g->nodes * sizeof(double));
	g->hop = take(g->channels * g->nodes * sizeof(int));
	g->pods = count_pods(w, j, g);
	for (int node = 0, first = 0; node < g->nodes; node++)
	{
		int			here = 0;

		while (first + here < g->members && g->node_of[first + here] == node)
			here++;
		for (int c = 0; c < g->channels; c++)
			g->hop[c * g->nodes + node] = g->member[first + c % here];
		first += here;
	}
}

static void
begin_group(group *g, int members)
{
	g->members = members;
	g->member = take(members * sizeof(int));
	g->node_of = take(members * sizeof(int));
}

/* Ranks from one on, each so many behind the one before. */
static void
make_group(const world *w, const job *j, group *g, int first, int stride, int members)
{
	begin_group(g, members);
	for (int i = 0; i < members; i++)
		g->member[i] = first + i * stride;
	make_rings(w, j, g);
}

/*
 * All ranks of a stage with one tensor rank: gradients of what every data- and context-parallel rank has. Hybrid: so many of
 * them as hold the parameters together, and across these those who hold the same part.
 */
static void
make_data_groups(const world *w, job *j)
{
	const shape *p = &j->plan;
	int			all = p->dp * p->cp;
	int			members = p->shard > 0 ? p->shard : all;
	int			copies = all / members;

	j->groups = p->pp * p->tp * copies;
	j->data = take(j->groups * sizeof(group));
	for (int i = 0; i < j->groups; i++)
		make_group(w, j, &j->data[i], i / p->tp * members * p->tp + i % p->tp, p->tp, members);
	j->replica_groups = copies > 1 ? members * p->tp : 0;
	j->replica = take((j->replica_groups + 1) * sizeof(group));
	for (int i = 0; i < j->replica_groups; i++)
		make_group(w, j, &j->replica[i], i, members * p->tp, copies);
}

/* The ranks that have the same experts: one of each column. */
static void
make_expert_group(const world *w, const job *j, group *g, int stage, int lane)
{
	make_group(w, j, g, stage * j->columns * j->lanes + lane, j->lanes, j->columns);
}

void
groups_make(world *w, job *j)
{
	const shape *p = &j->plan;

	make_data_groups(w, j);
	if (p->ep == 1)
		return;
	j->expert_groups = p->pp * j->lanes;
	j->expert = take(j->expert_groups * sizeof(group));
	for (int i = 0; i < j->expert_groups; i++)
		make_expert_group(w, j, &j->expert[i], i / j->lanes, i % j->lanes);
}
