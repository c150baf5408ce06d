/*
 * target_components.c: connected components against what can be reached, and their flat form, read from bytes.
 */
#include "fuzz.h"

#include "algorithms/components.h"
#include "tools/bytes.h"

#define NAME_LIMIT 60

/* ---- components ---- */

/* Each pair of bytes is an edge between names of one byte; a byte of few values makes many of them. */
static int
read_edges(L4Bytes input, L4Components *graph, int32 edges[][2], int most)
{
	unsigned	kinds = 2 + fuzz_byte(&input) % (NAME_LIMIT - 2);
	int			count = 0;

	while (input.size >= 2 && count < most)
	{
		for (int i = 0; i < 2; i++)
		{
			char		name = (char) (' ' + fuzz_byte(&input) % kinds);

			edges[count][i] = components_add(graph, &name, 1);
		}
		components_join(graph, edges[count][0], edges[count][1]);
		count++;
	}
	return count;
}

/* Makes reached[] hold what can be reached from a name: from edge to edge until nothing is new. */
static void
reach(int32 from, int32 edges[][2], int count, bool *reached)
{
	bool		more = true;

	memset(reached, 0, NAME_LIMIT * sizeof(bool));
	reached[from] = true;
	while (more)
	{
		more = false;
		for (int i = 0; i < count; i++)
		{
			if (reached[edges[i][0]] == reached[edges[i][1]])
				continue;
			reached[edges[i][0]] = reached[edges[i][1]] = more = true;
		}
	}
}

static char
name_of(const L4Components *graph, int32 number)
{
	return *intern_data(&graph->names, number);
}

/* A member's component is the smallest of what can be reached from it, as many as there are; all stand in order, each once. */
void
fuzz_components(L4Bytes input)
{
	static int32 edges[500][2];
	L4Components graph;
	L4ComponentMember *members;
	bool		reached[NAME_LIMIT];
	int			count;

	components_init(&graph, CurrentMemoryContext);
	count = read_edges(input, &graph, edges, lengthof(edges));
	members = components_members(&graph);
	for (int32 i = 0; i < graph.names.count; i++)
	{
		int32		size = 0;

		reach(members[i].member, edges, count, reached);
		for (int32 k = 0; k < graph.names.count; k++)
		{
			size += reached[k];
			fuzz_require(!reached[k] || name_of(&graph, members[i].component) <= name_of(&graph, k));
		}
		fuzz_require(size == members[i].members && reached[members[i].component]);
		if (i == 0)
			continue;
		fuzz_require(name_of(&graph, members[i - 1].component) < name_of(&graph, members[i].component) ||
			(members[i - 1].component == members[i].component &&
				name_of(&graph, members[i - 1].member) < name_of(&graph, members[i].member)));
	}
}

/* ---- their flat form ---- */

static L4Bytes
flat_graph(L4Components *graph)
{
	L4Bytes		flat = {palloc(components_flat_size(graph)), components_flat_size(graph)};

	components_flatten(graph, (char *) flat.data);
	return flat;
}

/* Bytes that anybody may have written are refused, or are a graph whose flat form is read back as the same. */
void
fuzz_components_state(L4Bytes input)
{
	L4Components graph;
	L4Components again;
	L4Bytes		flat = fuzz_copy(input);
	size_t		before;

	components_init(&graph, CurrentMemoryContext);
	before = server_peak();
	if (components_parse(&graph, flat) != NULL)
		return;
	fuzz_require(server_peak() - before <= components_parse_memory(flat.size) + components_memory(&graph));
	for (int32 i = 0; i < graph.names.count; i++)
		fuzz_require(components_first(&graph, i) <= i);
	flat = flat_graph(&graph);
	components_init(&again, CurrentMemoryContext);
	fuzz_require(components_parse(&again, flat) == NULL);
	fuzz_require(bytes_equal(flat_graph(&again), flat));
	components_members(&again);
}

/* Two names from each line of at least eight bytes. */
void
fuzz_components_state_seed(L4Bytes input, FuzzSeed add)
{
	L4Components graph;
	L4Bytes		line;

	components_init(&graph, CurrentMemoryContext);
	while (fuzz_line(&input, &line))
		if (line.size >= 8 && bytes_are_plain(line))
			components_join(&graph, components_add(&graph, line.data, 3), components_add(&graph, line.data + 3, 5));
	add(flat_graph(&graph));
}
