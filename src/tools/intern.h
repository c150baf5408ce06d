/*
 * intern.h: numbers distinct byte strings 0, 1, 2, ... in the order in which they are first seen.
 */
#ifndef L4_INTERN_H
#define L4_INTERN_H

#include "ground/l4.h"
#include "utils/palloc.h"

typedef struct L4InternString
{
	uint64		offset;			/* into bytes */
	uint32		size;
	uint32		hash;
} L4InternString;

typedef struct L4Intern
{
	MemoryContext context;		/* everything below lives here */
	int32		count;
	int32		capacity;
	L4InternString *strings;
	char	   *bytes;
	Size		bytes_used;
	Size		bytes_size;
	int32	   *slots;			/* open addressing: a string's number plus 1, or 0 */
	uint32		slot_mask;
	int32		last;			/* the number found last: rows often come grouped */
} L4Intern;

/* An empty set whose memory comes from the context. */
extern void intern_init(L4Intern *set, MemoryContext context);

/* The number of a string, which is added if it is new. Amortised O(size). */
extern int32 intern_add(L4Intern *set, const char *data, uint32 size);

/* Bytes of memory in use. */
extern Size intern_memory(const L4Intern *set);

/* rank[number] = place of the string in byte order, for all strings; allocated in the current context. */
extern int32 *intern_ranks(const L4Intern *set);

static inline const char *
intern_data(const L4Intern *set, int32 number)
{
	return set->bytes + set->strings[number].offset;
}

#endif							/* L4_INTERN_H */
