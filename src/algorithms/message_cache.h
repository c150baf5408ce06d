/*
 * message_cache.h: the shapes of recent messages, found again by a message that differs from one of them in digits alone.
 */
#ifndef L4_MESSAGE_CACHE_H
#define L4_MESSAGE_CACHE_H

#include "ground/l4.h"
#include "algorithms/mask.h"

/* Longer messages, and those with more parameters, are masked each time. */
#define L4_MESSAGE_CACHE_BYTES 2000
#define L4_MESSAGE_CACHE_PARAMETERS 64
/* Memory for what is remembered of messages; past it no further one is. */
#define L4_MESSAGE_CACHE_BUDGET (8 * 1024 * 1024)

/* A message that is remembered. */
typedef struct L4CachedMessage
{
	uint64		shape_id;
	void	   *shape;			/* the caller's, NULL at first: what it knows of the shape, */
	int64		owner;			/* and for whom it does */
	uint16		size;
	uint16		parameter_count;
	uint32		room;			/* of what follows */
	uint16	   *spans;			/* begin and size of each parameter; behind them the text with its digits zeroed */
} L4CachedMessage;

typedef struct L4MessageCache L4MessageCache;

/* An empty cache in the current memory context; takes half a megabyte, and later L4_MESSAGE_CACHE_BUDGET at most. */
extern L4MessageCache *message_cache_create(void);

/*
 * The entry of a message, with the parameters put into shape (its text stays as it is), or NULL. The answer is what
 * mask_message without masks gives: shape and parameters depend on where digits stand, not on which digits they are.
 */
extern L4CachedMessage *message_cache_find(L4MessageCache *cache, L4Bytes message, L4Shape *shape);

/*
 * Remembers the message that was just looked for, not found, and masked: from the second of its kind on, so that a run of
 * messages each unlike the others costs next to nothing. Returns the entry, or NULL where it is not kept.
 */
extern L4CachedMessage *message_cache_keep(L4MessageCache *cache, L4Bytes message, const L4Shape *shape, uint64 shape_id);

#endif							/* L4_MESSAGE_CACHE_H */
