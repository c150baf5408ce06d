/*
 * components.c: connected components by union-find (Tarjan, Journal of the ACM 1975), with halved paths (van Leeuwen, van der
 * Weide 1977). The root of a component is its smallest number, so that a forest of one depth says it all, and the flat form
 * of a graph is one number for each name beside the names themselves: edges are not kept.
 */
#include "algorithms/components.h"

#include "mb/pg_wchar.h"
#include "utils/memutils.h"

#define FLAT_MAGIC 0x4c344343	/* bytes of another machine's order do not pass */
#define FLAT_VERSION 1

/* What precedes the sizes of the names, the roots, and the bytes of the names. */
typedef struct FlatHeader
{
	uint32		magic;
	uint32		version;
	int32		count;
	int32		unused;
} FlatHeader;

void
components_init(L4Components *graph, MemoryContext context)
{
	intern_init(&graph->names, context);
	graph->capacity = graph->names.capacity;
	graph->parents = MemoryContextAlloc(context, graph->capacity * sizeof(int32));
}

uint64
components_memory(const L4Components *graph)
{
	return intern_memory(&graph->names) + (uint64) graph->capacity * sizeof(int32);
}

uint64
components_growth(const L4Components *graph, uint32 size)
{
	const L4Intern *names = &graph->names;

	if (names->count < names->capacity && names->bytes_used + size <= names->bytes_size)
		return 0;
	return components_memory(graph) + size;
}

int32
components_add(L4Components *graph, const char *data, uint32 size)
{
	int32		before = graph->names.count;
	int32		number = intern_add(&graph->names, data, size);

	if (number < before)
		return number;
	if (graph->capacity < graph->names.capacity)
	{
		graph->capacity = graph->names.capacity;
		graph->parents = repalloc_huge(graph->parents, (Size) graph->capacity * sizeof(int32));
	}
	graph->parents[number] = number;
	return number;
}

int32
components_first(L4Components *graph, int32 number)
{
	int32	   *parents = graph->parents;

	while (parents[number] != number)
		number = parents[number] = parents[parents[number]];
	return number;
}

void
components_join(L4Components *graph, int32 a, int32 b)
{
	a = components_first(graph, a);
	b = components_first(graph, b);
	graph->parents[Max(a, b)] = Min(a, b);
}

L4ComponentMember *
components_members(L4Components *graph)
{
	int32		count = graph->names.count;
	Size		room = (Size) count + 1;
	int32	   *ranks = intern_ranks(&graph->names);
	int32	   *sorted = MemoryContextAllocHuge(CurrentMemoryContext, room * sizeof(int32));
	int32	   *smallest = MemoryContextAllocHuge(CurrentMemoryContext, room * sizeof(int32));
	int32	   *sizes = MemoryContextAllocExtended(CurrentMemoryContext, room * sizeof(int32),
												   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	L4ComponentMember *members = MemoryContextAllocHuge(CurrentMemoryContext, room * sizeof(L4ComponentMember));
	int64		next = 0;

	for (int32 i = 0; i < count; i++)
		sorted[ranks[i]] = i;
	for (int32 i = count - 1; i >= 0; i--)
	{
		int32		first = components_first(graph, sorted[i]);

		smallest[first] = sorted[i];
		sizes[first]++;
	}
	/* room for each component in the order of its smallest name, which comes first; ranks become where members go next */
	for (int32 i = 0; i < count; i++)
	{
		int32		first = components_first(graph, sorted[i]);
		int32	   *place = &ranks[first];

		if (smallest[first] == sorted[i])
		{
			*place = (int32) next;
			next += sizes[first];
		}
		members[(*place)++] = (L4ComponentMember) {sorted[i], smallest[first], sizes[first]};
	}
	pfree(ranks);
	pfree(sorted);
	pfree(smallest);
	pfree(sizes);
	return members;
}

uint64
components_flat_size(const L4Components *graph)
{
	return sizeof(FlatHeader) + (uint64) graph->names.count * (sizeof(uint32) + sizeof(int32)) + graph->names.bytes_used;
}

void
components_flatten(L4Components *graph, char *flat)
{
	FlatHeader	header = {FLAT_MAGIC, FLAT_VERSION, graph->names.count, 0};
	char	   *firsts = flat + sizeof(header) + (Size) header.count * sizeof(uint32);

	memcpy(flat, &header, sizeof(header));
	for (int32 i = 0; i < header.count; i++)
	{
		int32		first = components_first(graph, i);

		memcpy(flat + sizeof(header) + (Size) i * sizeof(uint32), &graph->names.strings[i].size, sizeof(uint32));
		memcpy(firsts + (Size) i * sizeof(int32), &first, sizeof(int32));
	}
	memcpy(firsts + (Size) header.count * sizeof(int32), graph->names.bytes, graph->names.bytes_used);
}

uint64
components_parse_memory(uint64 flat_size)
{
	/* of tables that double: what a name without bytes takes over what it takes when flat, and the bytes */
	return flat_size / (sizeof(uint32) + sizeof(int32)) * 2 * (sizeof(L4InternString) + 3 * sizeof(int32)) + flat_size * 2;
}

/* Takes the name that begins at *next; what is wrong with it, or NULL. */
static const char *
parse_name(L4Components *graph, int32 number, uint32 size, int32 first, const char **next, const char *end)
{
	if (size > (Size) (end - *next))
		return "The names end too early.";
	if (!pg_verify_mbstr(GetDatabaseEncoding(), *next, (int) size, true))
		return "A name is not valid in the database's encoding.";
	if (components_add(graph, *next, size) != number)
		return "A name appears twice.";
	if (first < 0 || first > number || graph->parents[first] != first)
		return "A name belongs to no component.";
	graph->parents[number] = first;
	*next += size;
	return NULL;
}

const char *
components_parse(L4Components *graph, L4Bytes flat)
{
	FlatHeader	header;
	const char *sizes = flat.data + sizeof(header);
	const char *end = flat.data + flat.size;
	const char *firsts;
	const char *next;
	const char *wrong = NULL;

	if (flat.size < sizeof(header))
		return "It ends too early.";
	memcpy(&header, flat.data, sizeof(header));
	if (header.magic != FLAT_MAGIC || header.version != FLAT_VERSION || header.unused != 0)
		return "It does not begin as a state of this version does.";
	if (header.count < 0 || (uint64) header.count * (sizeof(uint32) + sizeof(int32)) > flat.size - sizeof(header))
		return "It has fewer names than it says.";
	firsts = sizes + (Size) header.count * sizeof(uint32);
	next = firsts + (Size) header.count * sizeof(int32);
	for (int32 i = 0; i < header.count && wrong == NULL; i++)
	{
		uint32		size;
		int32		first;

		memcpy(&size, sizes + (Size) i * sizeof(uint32), sizeof(size));
		memcpy(&first, firsts + (Size) i * sizeof(int32), sizeof(first));
		wrong = parse_name(graph, i, size, first, &next, end);
	}
	if (wrong == NULL && next != end)
		return "It has bytes after its end.";
	return wrong;
}
