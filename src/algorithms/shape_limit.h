/*
 * shape_limit.h: keeps the number of distinct shapes of one source bounded.
 */
#ifndef L4_SHAPE_LIMIT_H
#define L4_SHAPE_LIMIT_H

#include "algorithms/mask.h"

/*
 * How many shapes of one source share their first two words, at most; how many it has in all, and how many where they sound
 * grave; and how many bytes these may have together.
 */
#define SHAPE_LIMIT_ALIKE 1000
#define SHAPE_LIMIT_COUNT 10000
#define SHAPE_LIMIT_BYTES (8 * 1024 * 1024)
#define SHAPE_LIMIT_GRAVE 20000
#define SHAPE_LIMIT_GRAVE_BYTES (16 * 1024 * 1024)

typedef struct L4ShapeLimit L4ShapeLimit;

/* Words that sound grave, where a word begins or ends so; case does not matter. */
typedef struct L4GraveWords
{
	char	  **words;
	int			count;
} L4GraveWords;

extern L4ShapeLimit *shape_limit_create(MemoryContext context, const L4GraveWords *grave);
extern bool shape_limit_admits(L4ShapeLimit *limit, L4Bytes shape, L4Level level);
extern bool shape_limit_admits_all(L4ShapeLimit *limit, const L4Bytes *shapes, int count);
/* Counts a shape that the source has already, as shape_limit_admits did when it came. */
extern void shape_limit_count(L4ShapeLimit *limit, L4Bytes shape);
extern void shape_limit_mask_behind(L4Shape *shape, L4Bytes message, size_t size);
extern void shape_limit_coarsen(L4Shape *shape, L4Bytes message);

#endif							/* L4_SHAPE_LIMIT_H */
