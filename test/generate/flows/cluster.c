/*
 * cluster.c: servers with a NIC for each accelerator, and the switches between them. NIC i of all servers of a pod hangs at
 * one leaf switch (rail-optimised); every leaf hangs at every spine.
 */
#include "flows.h"

#include <stdlib.h>
#include <string.h>

static void
make_server(cluster *c, int server)
{
	for (int nic = 0; nic < c->nics; nic++)
	{
		endpoint   *e = &c->all[server * c->nics + nic];

		snprintf(e->address, LONGEST_NAME, "10.%d.%d.%d", nic + 1, server / 250 % 250, server % 250 + 1);
		e->server = server;
		e->rail = nic;
		e->leaf = server / c->pod * c->nics + nic;
		e->job = -1;
		e->rank = -1;
	}
}

void
cluster_make(cluster *c)
{
	c->accelerators = c->servers * c->nics;
	c->leaves = (c->servers + c->pod - 1) / c->pod * c->nics + 1;
	c->all = take((c->accelerators + c->outside) * sizeof(endpoint));
	for (int server = 0; server < c->servers; server++)
		make_server(c, server);
	for (int i = 0; i < c->outside; i++)
	{
		endpoint   *e = &c->all[c->accelerators + i];

		snprintf(e->address, LONGEST_NAME, "10.200.%d.%d", i / 250, i % 250 + 1);
		e->server = c->servers + i;
		e->leaf = c->leaves - 1;
		e->job = -1;
	}
}

void
leaf_name(int leaf, char *name)
{
	snprintf(name, LONGEST_NAME, "leaf-%d", leaf + 1);
}

void
spine_name(int spine, char *name)
{
	snprintf(name, LONGEST_NAME, "spine-%d", spine + 1);
}

int
cluster_find(const cluster *c, const char *subject)
{
	if (subject[0] != '\0' && strspn(subject, "0123456789") == strlen(subject) && atoi(subject) < c->accelerators)
		return atoi(subject);
	for (int i = 0; i < c->accelerators + c->outside; i++)
		if (strcmp(c->all[i].address, subject) == 0)
			return i;
	return -1;
}

int
cluster_spine(const cluster *c, int source, int destination, unsigned port)
{
	if (c->all[source].leaf == c->all[destination].leaf)
		return -1;
	return (int) (mix(((uint64_t) source << 32) | destination, port) % c->spines);
}
