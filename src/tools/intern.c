/*
 * intern.c: numbers distinct byte strings. Open addressing with linear probing, strings in one growing arena: no allocation
 * per string, and what it takes is known exactly, so that callers can hold it to a budget.
 */
#include "tools/intern.h"

#include "common/hashfn.h"
#include "utils/memutils.h"

#define INTERN_FIRST_STRINGS 64
#define INTERN_FIRST_BYTES 1024

void
intern_init(L4Intern *set, MemoryContext context)
{
	memset(set, 0, sizeof(L4Intern));
	set->context = context;
	set->capacity = INTERN_FIRST_STRINGS;
	set->strings = MemoryContextAlloc(context, set->capacity * sizeof(L4InternString));
	set->bytes_size = INTERN_FIRST_BYTES;
	set->bytes = MemoryContextAlloc(context, set->bytes_size);
	set->slot_mask = INTERN_FIRST_STRINGS * 2 - 1;
	set->slots = MemoryContextAllocZero(context, ((Size) set->slot_mask + 1) * sizeof(int32));
	set->last = -1;
}

Size
intern_memory(const L4Intern *set)
{
	return set->capacity * sizeof(L4InternString) + set->bytes_size + ((Size) set->slot_mask + 1) * sizeof(int32);
}

static void
intern_slot(L4Intern *set, int32 number)
{
	uint32		slot = set->strings[number].hash & set->slot_mask;

	while (set->slots[slot] != 0)
		slot = (slot + 1) & set->slot_mask;
	set->slots[slot] = number + 1;
}

/* Doubles the table of strings; slots stay at twice its size. */
static void
intern_grow(L4Intern *set)
{
	Size		slot_count;

	if (set->capacity > PG_INT32_MAX / 4)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many distinct names"),
				 errdetail("At most %d are possible.", PG_INT32_MAX / 2)));
	set->capacity *= 2;
	set->strings = repalloc_huge(set->strings, set->capacity * sizeof(L4InternString));
	slot_count = (Size) set->capacity * 2;
	pfree(set->slots);
	set->slots = MemoryContextAllocHuge(set->context, slot_count * sizeof(int32));
	memset(set->slots, 0, slot_count * sizeof(int32));
	set->slot_mask = (uint32) (slot_count - 1);
	for (int32 i = 0; i < set->count; i++)
		intern_slot(set, i);
}

static bool
intern_equal(const L4Intern *set, int32 number, const char *data, uint32 size)
{
	return set->strings[number].size == size && memcmp(intern_data(set, number), data, size) == 0;
}

static int32
intern_append(L4Intern *set, const char *data, uint32 size, uint32 hash)
{
	L4InternString *string;

	if (set->count == set->capacity)
		intern_grow(set);
	if (set->bytes_used + size > set->bytes_size)
	{
		set->bytes_size = Max(set->bytes_size * 2, set->bytes_used + size);
		set->bytes = repalloc_huge(set->bytes, set->bytes_size);
	}
	string = &set->strings[set->count];
	string->offset = set->bytes_used;
	string->size = size;
	string->hash = hash;
	if (size > 0)
		memcpy(set->bytes + set->bytes_used, data, size);
	set->bytes_used += size;
	intern_slot(set, set->count);
	return set->count++;
}

int32
intern_add(L4Intern *set, const char *data, uint32 size)
{
	uint32		hash;
	uint32		slot;
	int32		number;

	if (set->last >= 0 && intern_equal(set, set->last, data, size))
		return set->last;
	hash = hash_bytes((const unsigned char *) data, (int) size);
	for (slot = hash & set->slot_mask; (number = set->slots[slot] - 1) >= 0; slot = (slot + 1) & set->slot_mask)
	{
		if (set->strings[number].hash == hash && intern_equal(set, number, data, size))
			return set->last = number;
	}
	return set->last = intern_append(set, data, size, hash);
}

static int
intern_compare(const void *a, const void *b, void *arg)
{
	const L4Intern *set = arg;
	const L4InternString *left = &set->strings[*(const int32 *) a];
	const L4InternString *right = &set->strings[*(const int32 *) b];
	int			order = memcmp(set->bytes + left->offset, set->bytes + right->offset, Min(left->size, right->size));

	if (order != 0)
		return order;
	return (left->size > right->size) - (left->size < right->size);
}

int32 *
intern_ranks(const L4Intern *set)
{
	int32	   *order = MemoryContextAllocHuge(CurrentMemoryContext, (set->count + (Size) 1) * sizeof(int32));
	int32	   *ranks = MemoryContextAllocHuge(CurrentMemoryContext, (set->count + (Size) 1) * sizeof(int32));

	for (int32 i = 0; i < set->count; i++)
		order[i] = i;
	qsort_arg(order, set->count, sizeof(int32), intern_compare, (void *) set);
	for (int32 i = 0; i < set->count; i++)
		ranks[order[i]] = i;
	pfree(order);
	return ranks;
}
