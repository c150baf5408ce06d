/*
 * flood.h: keeps the number of distinct shapes of one source bounded.
 */
#ifndef L4_FLOOD_H
#define L4_FLOOD_H

#include "algorithms/mask.h"

/*
 * How many shapes of one source share their first two words, at most; how many it has in all, and how many where they sound
 * grave; and how many bytes these may have together.
 */
#define FLOOD_ALIKE 1000
#define FLOOD_SHAPES 10000
#define FLOOD_BYTES (8 * 1024 * 1024)
#define FLOOD_GRAVE 20000
#define FLOOD_GRAVE_BYTES (16 * 1024 * 1024)

typedef struct L4Flood L4Flood;

/* Words that sound grave, where a word begins or ends so; case does not matter. */
typedef struct L4GraveWords
{
	char	  **words;
	int			count;
} L4GraveWords;

extern L4Flood *flood_create(MemoryContext context, const L4GraveWords *grave);
extern bool flood_admits(L4Flood *flood, L4Bytes shape, L4Level level);
extern bool flood_admits_all(L4Flood *flood, const L4Bytes *shapes, int count);
/* Counts a shape that the source has already, as flood_admits did when it came. */
extern void flood_count(L4Flood *flood, L4Bytes shape);
extern void flood_mask_behind(L4Shape *shape, L4Bytes message, size_t size);
extern void flood_coarsen(L4Shape *shape, L4Bytes message);

#endif							/* L4_FLOOD_H */
