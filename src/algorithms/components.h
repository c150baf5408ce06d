/*
 * components.h: connected components of a graph whose edges come one by one, over names.
 */
#ifndef L4_COMPONENTS_H
#define L4_COMPONENTS_H

#include "ground/l4.h"
#include "tools/intern.h"

/* Names, and which belong together as far as the edges say: a forest in which no name's parent has a larger number. */
typedef struct L4Components
{
	L4Intern	names;
	int32	   *parents;		/* by number of the name; a root is its own parent and the smallest number of its component */
	int32		capacity;
} L4Components;

typedef struct L4ComponentMember
{
	int32		member;			/* numbers of names */
	int32		component;		/* the name that is the smallest, byte by byte, of the component */
	int32		members;		/* how many the component has */
} L4ComponentMember;

/* An empty graph whose memory comes from the context. */
extern void components_init(L4Components *graph, MemoryContext context);

/* Bytes of memory in use. */
extern uint64 components_memory(const L4Components *graph);

/* Bytes more that a name of the size may take: 0 where there is room for it. */
extern uint64 components_growth(const L4Components *graph, uint32 size);

/* The number of a name; a new one is a component of its own. Amortised O(size). */
extern int32 components_add(L4Components *graph, const char *data, uint32 size);

/* Makes the components of two names one. Amortised O(log(names)). */
extern void components_join(L4Components *graph, int32 a, int32 b);

/* The smallest number of the component of a name. Amortised O(log(names)); shortens the ways to it, no more. */
extern int32 components_first(L4Components *graph, int32 number);

/*
 * All members, by component, then by name, each byte by byte: names.count entries in the current memory context. The order does
 * not depend on that of the edges, but for the numbers. O(n log(n)).
 */
extern L4ComponentMember *components_members(L4Components *graph);

/* The flat form: bytes that components_parse reads on any machine of the same byte order. */
extern uint64 components_flat_size(const L4Components *graph);
extern void components_flatten(L4Components *graph, char *flat);

/* Bytes that reading a flat graph takes at most, whatever it holds. */
extern uint64 components_parse_memory(uint64 flat_size);

/* Adds a flat graph to an empty one. Anybody may have written the bytes: returns what is wrong with them, or NULL. */
extern const char *components_parse(L4Components *graph, L4Bytes flat);

#endif							/* L4_COMPONENTS_H */
