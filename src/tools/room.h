/*
 * room.h: room for an array of as many elements as somebody's data has, which may be more than a gigabyte.
 */
#ifndef L4_ROOM_H
#define L4_ROOM_H

#include "ground/l4.h"

/* Room for count elements (at least one) of a size, in the current memory context. Errors: 54000, no size holds so many. */
static inline void *
room_for(int64 count, Size size)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, mul_size(Max(count, 1), size));
}

#endif							/* L4_ROOM_H */
