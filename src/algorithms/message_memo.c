/*
 * message_memo.c: the shapes of recent messages, found again by a message that differs from one of them in digits alone.
 *
 * The scanner of mask.c asks of a digit only whether it is one (with two exceptions, which it reports). So a message whose
 * digits are all replaced by 0, its skeleton, tells its shape and where its parameters stand, and most messages of a log have a
 * skeleton that was seen a moment ago: to hash and compare it costs a fraction of masking. A table of fixed size, two places
 * for each skeleton; whole skeletons are compared, so a hash shared by two of them loses nothing.
 */
#include "algorithms/message_memo.h"

#include "tools/skeleton.h"

#define MEMO_SLOTS 8192

struct L4MessageMemo
{
	MemoryContext context;
	size_t		used;			/* of the budget */
	uint64		hash;			/* of the message looked for last; 0 where it is not to be kept */
	char		skeleton[L4_MEMO_MESSAGE_BYTES + L4_SKELETON_CHUNK];
	uint64		tags[MEMO_SLOTS];	/* the hash whose entry is here, */
	uint64		seen[MEMO_SLOTS];	/* and the one that was looked for in vain last */
	L4MemoEntry entries[MEMO_SLOTS];
};

L4MessageMemo *
message_memo_create(void)
{
	L4MessageMemo *memo = palloc(sizeof(L4MessageMemo));

	memo->context = CurrentMemoryContext;
	memo->used = 0;
	memo->hash = 0;
	memset(memo->entries, 0, sizeof(memo->entries));
	memset(memo->tags, 0, sizeof(memo->tags));
	memset(memo->seen, 0, sizeof(memo->seen));
	return memo;
}

static inline char *
skeleton_of(const L4MemoEntry *entry)
{
	return (char *) (entry->places + 2 * entry->parameter_count);
}

/* Puts the parameters of the message into shape. */
static inline void
take_parameters(const L4MemoEntry *entry, L4Bytes message, L4Shape *shape)
{
	int			i;

	shape_reserve(shape, entry->parameter_count);
	for (i = 0; i < entry->parameter_count; i++)
	{
		shape->parameters[i].data = message.data + entry->places[2 * i];
		shape->parameters[i].size = entry->places[2 * i + 1];
	}
	shape->parameter_count = entry->parameter_count;
}

L4MemoEntry *
message_memo_find(L4MessageMemo *memo, L4Bytes message, L4Shape *shape)
{
	uint64		hash;
	int			i;

	memo->hash = 0;
	if (message.size > L4_MEMO_MESSAGE_BYTES)
		return NULL;
	skeleton_copy(memo->skeleton, message.data, message.size);
	hash = shape_hash(memo->skeleton, message.size) | 1;	/* 0 marks an empty place */
	for (i = 0; i < 2; i++)
	{
		uint32		slot = ((uint32) (hash >> 32) ^ (uint32) i) % MEMO_SLOTS;
		L4MemoEntry *entry = &memo->entries[slot];

		if (memo->tags[slot] == hash && entry->size == message.size &&
			memcmp(skeleton_of(entry), memo->skeleton, message.size) == 0)
		{
			take_parameters(entry, message, shape);
			return entry;
		}
	}
	memo->hash = hash;
	return NULL;
}

/* Makes room for the places and the skeleton of an entry; false where that is past the budget. */
static bool
entry_reserve(L4MessageMemo *memo, L4MemoEntry *entry, uint32 room)
{
	if (entry->places != NULL && entry->room >= room)
		return true;
	room = Max(room, 128);
	if (memo->used + room - entry->room > L4_MEMO_BUDGET)
		return false;
	memo->used += room - entry->room;
	if (entry->places != NULL)
		pfree(entry->places);
	entry->places = MemoryContextAlloc(memo->context, room);
	entry->room = room;
	return true;
}

L4MemoEntry *
message_memo_keep(L4MessageMemo *memo, L4Bytes message, const L4Shape *shape, uint64 shape_id)
{
	uint32		slot = (uint32) (memo->hash >> 32) % MEMO_SLOTS;
	L4MemoEntry *entry;
	int			i;

	if (memo->hash == 0 || shape->digits_matter || shape->parameter_count > L4_MEMO_PARAMETERS)
		return NULL;
	if (memo->seen[slot] != memo->hash)
	{
		memo->seen[slot] = memo->hash;
		return NULL;
	}
	if (memo->tags[slot] != 0 && memo->tags[slot ^ 1] == 0)
		slot ^= 1;
	entry = &memo->entries[slot];
	if (!entry_reserve(memo, entry, shape->parameter_count * 2 * sizeof(uint16) + message.size))
		return NULL;
	memo->tags[slot] = memo->hash;
	entry->shape_id = shape_id;
	entry->shape = NULL;
	entry->owner = 0;
	entry->size = (uint16) message.size;
	entry->parameter_count = (uint16) shape->parameter_count;
	for (i = 0; i < shape->parameter_count; i++)
	{
		entry->places[2 * i] = (uint16) (shape->parameters[i].data - message.data);
		entry->places[2 * i + 1] = (uint16) shape->parameters[i].size;
	}
	memcpy(skeleton_of(entry), memo->skeleton, message.size);
	return entry;
}
