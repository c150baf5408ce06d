/*
 * line_prefix_cache.c: recent line prefixes, found again by a line whose prefix differs from one of them in digits alone.
 *
 * Most lines of a file begin with one of a few line prefixes, over and over, with other digits. Whether and how the patterns
 * match depends only on the bytes that they look at, and of a digit they nearly always ask only whether it is one. So when a
 * line prefix was matched for the first time, the patterns are walked once more over its line (pattern_walk.c), along every way
 * that any match could take, and the farthest byte asked for and the digits asked for as such are noted. A line with the same
 * bytes up to there, but for other digits, leads every pattern along the same ways: it has the same match with the same groups,
 * and no pattern needs to run. Whatever cannot be shown this way is matched as if there were no cache.
 *
 * Line prefixes are kept in a tree of chunks of sixteen bytes with all digits read as 0, in one hash table.
 */
#include "algorithms/line_prefix_cache.h"

#include "storage/shmem.h"
#include "tools/bytes.h"

#define CHUNK 16
#define SLOT_COUNT 8192			/* twice as many as chunks that 1,024 line prefixes can have, and more */
#define NODE_LIMIT 4096
/* Rests of texts that must end there have sizes of this step: so a look tries few. */
#define END_STEP 8

/* A chunk below a node: another node, or the rest of a line prefix. */
typedef struct PrefixSlot
{
	uint64		low;
	uint64		high;
	uint16		node;			/* the node above, */
	uint16		size;			/* bytes of the chunk: CHUNK leads to a node, fewer to a line prefix */
	int32		target;			/* a node, or the first of the line prefixes that are alike so far; -1 marks an empty slot */
} PrefixSlot;

typedef struct CachedPrefix
{
	int			next;			/* the next one alike, or -1 */
	int			extent;
	int			end;			/* where the text must end, or -1 */
	int			fixed_count;
	uint8		fixed[L4_LINE_PREFIX_FIXED];
	char		digits[L4_LINE_PREFIX_FIXED];
} CachedPrefix;

struct L4LinePrefixCache
{
	int			prefix_count;
	int			node_count;
	/* of each node: a bit for each size of rests below it; bit CHUNK: there are nodes below it */
	uint32		rests[NODE_LIMIT];
	CachedPrefix prefixes[L4_LINE_PREFIX_LIMIT];
	PrefixSlot	slots[SLOT_COUNT];
};

/* Tracing */

/* Does the class treat all digits alike? */
static bool
class_has_no_favourite(const L4ByteSet *class)
{
	int			c;

	for (c = '1'; c <= '9'; c++)
		if (class->bytes[c] != class->bytes['0'])
			return false;
	return true;
}

void
line_prefix_trace_position(L4LinePrefixTrace *trace, int position)
{
	if (position >= (int) trace->text.size)
	{
		trace->end = true;
		position = (int) trace->text.size - 1;
	}
	trace->extent = Max(trace->extent, position + 1);
}

static void
trace_digit(L4LinePrefixTrace *trace, int position)
{
	int			i;

	for (i = 0; i < trace->fixed_count; i++)
		if (trace->fixed[i] == position)
			return;
	if (trace->fixed_count == L4_LINE_PREFIX_FIXED)
		trace->failed = true;
	else
		trace->fixed[trace->fixed_count++] = (uint8) position;
}

static bool
trace_visit(L4PatternWalk *walk, int position, const L4ByteSet *class)
{
	L4LinePrefixTrace *trace = walk->argument;

	line_prefix_trace_position(trace, position);
	if (position >= (int) trace->text.size)
		return false;
	if (is_digit(trace->text.data[position]) && !class_has_no_favourite(class))
		trace_digit(trace, position);
	return class->bytes[(unsigned char) trace->text.data[position]];
}

static void
trace_look(L4PatternWalk *walk, int position, const L4ByteSet *class)
{
	L4LinePrefixTrace *trace = walk->argument;

	if (class == NULL)
		line_prefix_trace_position(trace, position);
	else if (!class_has_no_favourite(class))
		trace->failed = true;
}

void
line_prefix_trace_add(L4LinePrefixTrace *trace, const char *pattern, bool alternatives)
{
	L4PatternWalk walk = {0};
	L4Positions	ends;

	walk.at = pattern;
	walk.end = pattern + strlen(pattern);
	walk.limit = L4_WALK_LIMIT;
	walk.around = true;
	walk.visit = trace_visit;
	walk.look = trace_look;
	walk.argument = trace;
	walk.quick = !alternatives;
	ends = pattern_walk(&walk, L4_FIRST_POSITION);
	if (walk.failed || trace->extent >= L4_WALK_LIMIT || positions_have(ends, L4_WALK_LIMIT))
		trace->failed = true;
}

/* Keeping and finding */

L4LinePrefixCache *
line_prefix_cache_create(void)
{
	L4LinePrefixCache *cache = palloc(sizeof(L4LinePrefixCache));

	line_prefix_cache_reset(cache);
	return cache;
}

void
line_prefix_cache_reset(L4LinePrefixCache *cache)
{
	int			i;

	cache->prefix_count = 0;
	cache->node_count = 1;
	cache->rests[0] = 0;
	for (i = 0; i < SLOT_COUNT; i++)
		cache->slots[i].target = -1;
}

/* Eight bytes with each digit made 0, without a branch. */
static inline uint64
zeroed_of(uint64 bytes)
{
	uint64		figures = bytes ^ UINT64CONST(0x3030303030303030);
	uint64		others = (((figures & UINT64CONST(0x7f7f7f7f7f7f7f7f)) + UINT64CONST(0x7676767676767676)) | figures) &
		UINT64CONST(0x8080808080808080);
	uint64		keep = (others >> 7) * 0xff;

	return (figures & keep) ^ UINT64CONST(0x3030303030303030);
}

/* Keeps the first `size` bytes of a chunk, makes the others NUL. */
static inline void
cut_chunk(uint64 *low, uint64 *high, uint32 size)
{
	static const unsigned char masks[2 * CHUNK] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
	};
	uint64		mask_low;
	uint64		mask_high;

	memcpy(&mask_low, masks + CHUNK - size, 8);
	memcpy(&mask_high, masks + CHUNK - size + 8, 8);
	*low &= mask_low;
	*high &= mask_high;
}

/* The chunk of the text at `at`, with its digits zeroed; what lies behind the text is NUL. */
static inline void
read_chunk(L4Bytes text, size_t at, uint64 *low, uint64 *high)
{
	char		rest[CHUNK] = {0};
	const char *from = text.data + at;

	if (text.size - at < CHUNK)
	{
		bytes_copy(rest, from, text.size - at);
		from = rest;
	}
	memcpy(low, from, 8);
	memcpy(high, from + 8, 8);
	*low = zeroed_of(*low);
	*high = zeroed_of(*high);
}

/* The slot of a chunk, or the empty one where it belongs. */
static inline PrefixSlot *
find_slot(L4LinePrefixCache *cache, uint32 node, uint32 size, uint64 low, uint64 high)
{
	uint64		hash =
		(low ^ (high * UINT64CONST(0x9e3779b97f4a7c15)) ^ ((uint64) node << 8) ^ size) * UINT64CONST(0xff51afd7ed558ccd);
	uint32		slot_number = (uint32) (hash >> 40);

	for (;; slot_number++)
	{
		PrefixSlot *slot = &cache->slots[slot_number % SLOT_COUNT];

		if (slot->target < 0 || (slot->low == low && slot->high == high && slot->node == node && slot->size == size))
			return slot;
	}
}

/* The line prefix among those alike that fits the text in all. */
static int
fitting_prefix(const L4LinePrefixCache *cache, int prefix, L4Bytes text)
{
	for (; prefix >= 0; prefix = cache->prefixes[prefix].next)
	{
		const CachedPrefix *kept = &cache->prefixes[prefix];
		int			i;

		if (kept->end >= 0 ? text.size != (size_t) kept->end : text.size < (size_t) kept->extent)
			continue;
		for (i = 0; i < kept->fixed_count && text.data[kept->fixed[i]] == kept->digits[i]; i++)
			;
		if (i == kept->fixed_count)
			return prefix;
	}
	return -1;
}

int
line_prefix_cache_find(L4LinePrefixCache *cache, L4Bytes text)
{
	uint32		node = 0;
	size_t		at;

	for (at = 0;; at += CHUNK)
	{
		uint32		rests = cache->rests[node];
		uint64		low = 0;
		uint64		high = 0;
		const PrefixSlot *slot;

		if (rests == 0)
			return -1;
		if (at < text.size)
			read_chunk(text, at, &low, &high);
		for (; (rests & ((1u << CHUNK) - 1)) != 0; rests &= rests - 1)
		{
			uint32		size = (uint32) __builtin_ctz(rests);
			uint64		cut_low = low;
			uint64		cut_high = high;
			int			prefix;

			cut_chunk(&cut_low, &cut_high, size);
			slot = find_slot(cache, node, size, cut_low, cut_high);
			if (slot->target >= 0 && (prefix = fitting_prefix(cache, slot->target, text)) >= 0)
				return prefix;
		}
		if (rests == 0 || at >= text.size)
			return -1;
		slot = find_slot(cache, node, CHUNK, low, high);
		if (slot->target < 0)
			return -1;
		node = (uint32) slot->target;
	}
}

/* The node below `node` that the chunk leads to, made where it is new. */
static uint32
node_below(L4LinePrefixCache *cache, uint32 node, uint64 low, uint64 high)
{
	PrefixSlot *slot = find_slot(cache, node, CHUNK, low, high);

	if (slot->target < 0)
	{
		*slot = (PrefixSlot) {low, high, (uint16) node, CHUNK, cache->node_count};
		cache->rests[node] |= 1u << CHUNK;
		cache->rests[cache->node_count++] = 0;
	}
	return (uint32) slot->target;
}

int
line_prefix_cache_keep(L4LinePrefixCache *cache, const L4LinePrefixTrace *trace)
{
	CachedPrefix *kept;
	PrefixSlot *slot;
	uint32		node = 0;
	/* what must end there is as good as followed by NUL bytes */
	int			extent = trace->end ? TYPEALIGN(END_STEP, trace->extent) : trace->extent;
	uint32		size = extent % CHUNK;
	uint64		low = 0;
	uint64		high = 0;
	int			at;

	if (trace->failed || trace->extent > (int) trace->text.size)
		return -1;
	if (cache->prefix_count == L4_LINE_PREFIX_LIMIT || cache->node_count + L4_WALK_LIMIT / CHUNK > NODE_LIMIT)
		line_prefix_cache_reset(cache);
	for (at = 0; at + CHUNK <= extent; at += CHUNK)
	{
		read_chunk(trace->text, at, &low, &high);
		node = node_below(cache, node, low, high);
	}
	low = high = 0;
	if (at < (int) trace->text.size)
	{
		read_chunk(trace->text, at, &low, &high);
		cut_chunk(&low, &high, size);
	}
	slot = find_slot(cache, node, size, low, high);
	kept = &cache->prefixes[cache->prefix_count];
	kept->next = slot->target;
	kept->extent = trace->extent;
	kept->end = trace->end ? (int) trace->text.size : -1;
	kept->fixed_count = trace->fixed_count;
	for (at = 0; at < trace->fixed_count; at++)
	{
		kept->fixed[at] = trace->fixed[at];
		kept->digits[at] = trace->text.data[trace->fixed[at]];
	}
	*slot = (PrefixSlot) {low, high, (uint16) node, (uint16) size, cache->prefix_count};
	cache->rests[node] |= 1u << size;
	return cache->prefix_count++;
}
