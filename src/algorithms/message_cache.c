/*
 * message_cache.c: the shapes of recent messages, found again by a message that differs from one of them in digits alone.
 *
 * The scanner of mask.c asks of a digit only whether it is one (with two exceptions, which it reports). So a message whose
 * digits are all replaced by 0, zeroed, tells its shape and where its parameters stand, and most messages of a log, zeroed,
 * were seen a moment ago: to hash and compare it costs a fraction of masking. A table of fixed size, two slots
 * for each zeroed message; these are compared whole, so a hash shared by two of them loses nothing.
 */
#include "algorithms/message_cache.h"

#include "tools/zero_digits.h"

#define CACHE_SLOTS 8192

/* Fills a line of the processor's cache, so that a look waits for one. */
typedef struct CacheSlot
{
	uint64		tag;			/* the hash whose entry is here, */
	uint64		seen;			/* and the one that was looked for in vain last */
	L4CachedMessage entry;
	uint64		unused;
} CacheSlot;

struct L4MessageCache
{
	MemoryContext context;
	size_t		used;			/* of the budget */
	uint64		hash;			/* of the message looked for last; 0 where it is not to be kept */
	char		zeroed[L4_MESSAGE_CACHE_BYTES + L4_ZERO_DIGITS_CHUNK];
	CacheSlot  *slots;
};

L4MessageCache *
message_cache_create(void)
{
	L4MessageCache *cache = palloc(sizeof(L4MessageCache));

	cache->context = CurrentMemoryContext;
	cache->used = 0;
	cache->hash = 0;
	cache->slots = (CacheSlot *) CACHELINEALIGN(palloc0(CACHE_SLOTS * sizeof(CacheSlot) + PG_CACHE_LINE_SIZE));
	return cache;
}

static inline char *
zeroed_of(const L4CachedMessage *entry)
{
	return (char *) (entry->spans + 2 * entry->parameter_count);
}

/* Puts the parameters of the message into shape. */
static inline void
take_parameters(const L4CachedMessage *entry, L4Bytes message, L4Shape *shape)
{
	int			i;

	shape_reserve(shape, entry->parameter_count);
	for (i = 0; i < entry->parameter_count; i++)
	{
		shape->parameters[i].data = message.data + entry->spans[2 * i];
		shape->parameters[i].size = entry->spans[2 * i + 1];
	}
	shape->parameter_count = entry->parameter_count;
}

L4CachedMessage *
message_cache_find(L4MessageCache *cache, L4Bytes message, L4Shape *shape)
{
	uint64		hash;
	int			i;

	cache->hash = 0;
	if (message.size > L4_MESSAGE_CACHE_BYTES)
		return NULL;
	hash = zero_digits(cache->zeroed, message.data, message.size) | 1;	/* 0 marks an empty place */
	for (i = 0; i < 2; i++)
	{
		CacheSlot  *slot = &cache->slots[((uint32) (hash >> 32) ^ (uint32) i) % CACHE_SLOTS];
		L4CachedMessage *entry = &slot->entry;

		if (slot->tag == hash && entry->size == message.size &&
			memcmp(zeroed_of(entry), cache->zeroed, message.size) == 0)
		{
			take_parameters(entry, message, shape);
			return entry;
		}
	}
	cache->hash = hash;
	return NULL;
}

/* Makes room for the spans and the zeroed text of an entry; false where that is past the budget. */
static bool
entry_reserve(L4MessageCache *cache, L4CachedMessage *entry, uint32 room)
{
	if (entry->spans != NULL && entry->room >= room)
		return true;
	room = Max(room, 128);
	if (cache->used + room - entry->room > L4_MESSAGE_CACHE_BUDGET)
		return false;
	cache->used += room - entry->room;
	if (entry->spans != NULL)
		pfree(entry->spans);
	entry->spans = MemoryContextAlloc(cache->context, room);
	entry->room = room;
	return true;
}

L4CachedMessage *
message_cache_keep(L4MessageCache *cache, L4Bytes message, const L4Shape *shape, uint64 shape_id)
{
	uint32		number = (uint32) (cache->hash >> 32) % CACHE_SLOTS;
	CacheSlot  *slot = &cache->slots[number];
	L4CachedMessage *entry;
	int			i;

	if (cache->hash == 0 || shape->digits_matter || shape->parameter_count > L4_MESSAGE_CACHE_PARAMETERS)
		return NULL;
	if (slot->seen != cache->hash)
	{
		slot->seen = cache->hash;
		return NULL;
	}
	if (slot->tag != 0 && cache->slots[number ^ 1].tag == 0)
		slot = &cache->slots[number ^ 1];
	entry = &slot->entry;
	if (!entry_reserve(cache, entry, shape->parameter_count * 2 * sizeof(uint16) + message.size))
		return NULL;
	slot->tag = cache->hash;
	entry->shape_id = shape_id;
	entry->shape = NULL;
	entry->owner = 0;
	entry->size = (uint16) message.size;
	entry->parameter_count = (uint16) shape->parameter_count;
	for (i = 0; i < shape->parameter_count; i++)
	{
		entry->spans[2 * i] = (uint16) (shape->parameters[i].data - message.data);
		entry->spans[2 * i + 1] = (uint16) shape->parameters[i].size;
	}
	memcpy(zeroed_of(entry), cache->zeroed, message.size);
	return entry;
}
