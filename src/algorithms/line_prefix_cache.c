/*
 * line_prefix_cache.c: recent line prefixes, found again by a line whose prefix differs from one of them in digits alone.
 *
 * Most lines of a file begin with one of a few line prefixes, over and over, with other digits. Whether and how the patterns
 * match depends only on the bytes that they look at, and of a digit they nearly always ask only whether it is one. So when a
 * line prefix was matched for the first time, the patterns are walked once more over its line (pattern_walk.c), along every way
 * that any match could take, and the farthest byte asked for is noted, and of a digit that was asked for as such ("20\d\d")
 * all those that answer as it does (2, or all others). A line with the same bytes up to there, but for other such digits, leads
 * every pattern along the same ways: it has the same match with the same groups, and no pattern needs to run. Whatever cannot
 * be shown this way is matched as if there were no cache.
 *
 * Line prefixes are kept in a tree of chunks of sixteen bytes with all digits read as 0, in one hash table. A look there tries
 * every size that the rest of one may have; so what was found last for a text that begins alike is held against the text first.
 */
#include "algorithms/line_prefix_cache.h"

#include "storage/shmem.h"
#include "tools/bytes.h"
#include "tools/zero_digits.h"

#define CHUNK 16
#define SLOT_COUNT 8192			/* twice as many as chunks that 1,024 line prefixes can have, and more */
#define NODE_LIMIT 4096
/* Rests of texts that must end there have sizes of this step: so a look tries few. */
#define END_STEP 8
/* Line prefixes found last, by the bytes that texts begin with. */
#define LOOK_BITS 10
#define SHORT 8
/* So many chunks, the last one perhaps in part, can a line prefix have. */
#define CHUNK_LIMIT (L4_WALK_LIMIT / CHUNK + 1)

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
	bool		end;			/* the text must end there */
	int			fixed_count;
	uint8		fixed[L4_LINE_PREFIX_FIXED];
	uint16		digits[L4_LINE_PREFIX_FIXED];	/* see L4LinePrefixTrace */
	char		zeroed[CHUNK_LIMIT * CHUNK];	/* its bytes, with its digits zeroed; NUL up to a whole chunk */
} CachedPrefix;

struct L4LinePrefixCache
{
	int			prefix_count;
	int			node_count;
	int			chunk_limit;	/* of the longest line prefix */
	/* of each node: a bit for each size of rests below it; bit CHUNK: there are nodes below it */
	uint32		rests[NODE_LIMIT];
	/*
	 * What was found last for texts that begin alike (-1: nothing): in their first SHORT bytes, where it is no longer than
	 * these, or in all chunks that it has a part of.
	 */
	int16		short_looks[1 << LOOK_BITS];
	int16		looks[1 << LOOK_BITS];
	CachedPrefix prefixes[L4_LINE_PREFIX_LIMIT];
	PrefixSlot	slots[SLOT_COUNT];
};

/* Tracing */

#define ALL_DIGITS 0x3ff

/* The digits that are in the class (in), or those that are not. */
static uint16
class_digits(const L4ByteSet *class, bool in)
{
	uint16		digits = 0;
	int			digit;

	for (digit = 0; digit < 10; digit++)
		if (class->bytes['0' + digit] == in)
			digits |= (uint16) (1 << digit);
	return digits;
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

/* Notes that only these digits at a position answer as the one there does. */
static void
trace_digits(L4LinePrefixTrace *trace, int position, uint16 digits)
{
	int			i;

	for (i = 0; i < trace->fixed_count && trace->fixed[i] != position; i++)
		;
	if (i == L4_LINE_PREFIX_FIXED)
	{
		trace->failed = true;
		return;
	}
	if (i == trace->fixed_count)
	{
		trace->fixed[i] = (uint8) position;
		trace->digits[i] = ALL_DIGITS;
		trace->fixed_count++;
	}
	trace->digits[i] &= digits;
}

static bool
trace_visit(L4PatternWalk *walk, int position, const L4ByteSet *class)
{
	L4LinePrefixTrace *trace = walk->argument;
	char		c;
	bool		in;
	uint16		digits;

	line_prefix_trace_position(trace, position);
	if (position >= (int) trace->text.size)
		return false;
	c = trace->text.data[position];
	in = class->bytes[(unsigned char) c];
	if (is_digit(c) && (digits = class_digits(class, in)) != ALL_DIGITS)
		trace_digits(trace, position, digits);
	return in;
}

static void
trace_look(L4PatternWalk *walk, int position, const L4ByteSet *class)
{
	L4LinePrefixTrace *trace = walk->argument;

	if (class == NULL)
		line_prefix_trace_position(trace, position);
	else if (class_digits(class, class->bytes['0']) != ALL_DIGITS)
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
	cache->chunk_limit = 1;
	cache->rests[0] = 0;
	memset(cache->short_looks, -1, sizeof(cache->short_looks));
	memset(cache->looks, -1, sizeof(cache->looks));
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

/* From CHUNK - size on: that many bytes are kept, the others not. */
static const unsigned char chunk_masks[2 * CHUNK] = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
};

/* Keeps the first `size` bytes of a chunk, makes the others NUL. */
static inline void
cut_chunk(uint64 *low, uint64 *high, uint32 size)
{
	uint64		mask_low;
	uint64		mask_high;

	memcpy(&mask_low, chunk_masks + CHUNK - size, 8);
	memcpy(&mask_high, chunk_masks + CHUNK - size + 8, 8);
	*low &= mask_low;
	*high &= mask_high;
}

static inline void
read_whole_chunk(const char *from, uint64 *low, uint64 *high)
{
	memcpy(low, from, 8);
	memcpy(high, from + 8, 8);
	*low = zeroed_of(*low);
	*high = zeroed_of(*high);
}

static pg_noinline void
read_short_chunk(const char *from, size_t size, uint64 *low, uint64 *high)
{
	char		rest[CHUNK] = {0};

	bytes_copy(rest, from, size % CHUNK);
	read_whole_chunk(rest, low, high);
}

/* The chunk of the text at `at`, with its digits zeroed; what lies behind the text is NUL. */
static inline void
read_chunk(L4Bytes text, size_t at, uint64 *low, uint64 *high)
{
	if (text.size - at < CHUNK)
		read_short_chunk(text.data + at, text.size - at, low, high);
	else
		read_whole_chunk(text.data + at, low, high);
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

/* Does a line prefix whose bytes the text has fit it in all? */
static inline bool
prefix_fits(const CachedPrefix *kept, L4Bytes text)
{
	int			i;

	for (i = 0; i < kept->fixed_count; i++)
		if (((kept->digits[i] >> (text.data[kept->fixed[i]] - '0')) & 1) == 0)
			return false;
	return true;
}

/* Can the text have the bytes of the line prefix, by its size? */
static inline bool
size_fits(const CachedPrefix *kept, L4Bytes text)
{
	return kept->end ? text.size == (size_t) kept->extent : text.size >= (size_t) kept->extent;
}

/* The line prefix among those alike that fits the text in all. */
static int
fitting_prefix(const L4LinePrefixCache *cache, int prefix, L4Bytes text)
{
	for (; prefix >= 0; prefix = cache->prefixes[prefix].next)
		if (size_fits(&cache->prefixes[prefix], text) && prefix_fits(&cache->prefixes[prefix], text))
			return prefix;
	return -1;
}

/* The first chunks of a text, as far as they were read, and the hash of all up to each. */
typedef struct TextChunks
{
	L4Bytes		text;
	uint64		bytes[2 * CHUNK_LIMIT];
	uint64		hashes[CHUNK_LIMIT];
} TextChunks;

static inline void
take_chunk(TextChunks *chunks, int number)
{
	uint64	   *bytes = chunks->bytes + 2 * number;
	uint64		hash = number > 0 ? chunks->hashes[number - 1] : 0;

	read_chunk(chunks->text, Min((size_t) number * CHUNK, chunks->text.size), bytes, bytes + 1);
	hash = (hash ^ bytes[0] ^ bytes[1] * UINT64CONST(0x9e3779b97f4a7c15)) * UINT64CONST(0xff51afd7ed558ccd);
	chunks->hashes[number] = hash;
}

/* Does the text, of which chunks up to this number are read, begin with a line prefix that ends in the last of them? */
static inline bool
begins_with(const TextChunks *chunks, int number, const CachedPrefix *kept)
{
	int			left = kept->extent - number * CHUNK;
	uint64		low = chunks->bytes[2 * number];
	uint64		high = chunks->bytes[2 * number + 1];
	uint64		kept_bytes[2];
	int			i;

	if (left <= 0 || left > CHUNK || !size_fits(kept, chunks->text))
		return false;
	cut_chunk(&low, &high, left);
	memcpy(kept_bytes, kept->zeroed + number * CHUNK, CHUNK);
	if (low != kept_bytes[0] || high != kept_bytes[1])
		return false;
	for (i = 0; i < number; i++)
	{
		memcpy(kept_bytes, kept->zeroed + i * CHUNK, CHUNK);
		if (chunks->bytes[2 * i] != kept_bytes[0] || chunks->bytes[2 * i + 1] != kept_bytes[1])
			return false;
	}
	return prefix_fits(kept, chunks->text);
}

/* The same of a line prefix of up to SHORT bytes, of which low are the text's first. */
static inline bool
begins_with_short(const CachedPrefix *kept, L4Bytes text, uint64 low)
{
	uint64		kept_low;
	uint64		mask;

	memcpy(&kept_low, kept->zeroed, 8);
	memcpy(&mask, chunk_masks + CHUNK - kept->extent, 8);
	return ((low ^ kept_low) & mask) == 0 && size_fits(kept, text) && prefix_fits(kept, text);
}

static inline int16 *
last_short_look(L4LinePrefixCache *cache, uint64 low)
{
	return &cache->short_looks[(low * UINT64CONST(0xff51afd7ed558ccd)) >> (64 - LOOK_BITS)];
}

static inline int16 *
last_look(L4LinePrefixCache *cache, const TextChunks *chunks, int number)
{
	return &cache->looks[chunks->hashes[number] >> (64 - LOOK_BITS)];
}

/* The line prefix that ends in a rest below the node that the text goes on with, or -1. */
static inline int
find_rest(L4LinePrefixCache *cache, uint32 node, L4Bytes text, uint64 low, uint64 high)
{
	uint32		rests = cache->rests[node] & ((1u << CHUNK) - 1);

	for (; rests != 0; rests &= rests - 1)
	{
		uint32		size = (uint32) __builtin_ctz(rests);
		uint64		cut_low = low;
		uint64		cut_high = high;
		const PrefixSlot *slot;
		int			prefix;

		cut_chunk(&cut_low, &cut_high, size);
		slot = find_slot(cache, node, size, cut_low, cut_high);
		if (slot->target >= 0 && (prefix = fitting_prefix(cache, slot->target, text)) >= 0)
			return prefix;
	}
	return -1;
}

/* Finds it in the tree, and remembers it. */
static pg_noinline int
find_in_tree(L4LinePrefixCache *cache, TextChunks *chunks, int known)
{
	uint32		node = 0;
	int			number;

	for (number = 0; number < CHUNK_LIMIT && cache->rests[node] != 0; number++)
	{
		const uint64 *bytes = chunks->bytes + 2 * number;
		const PrefixSlot *slot;
		int			prefix;

		if (number >= known)
			take_chunk(chunks, number);
		prefix = find_rest(cache, node, chunks->text, bytes[0], bytes[1]);
		if (prefix >= 0)
		{
			int			extent = cache->prefixes[prefix].extent;

			if (extent <= SHORT)
				*last_short_look(cache, chunks->bytes[0]) = (int16) prefix;
			else
				*last_look(cache, chunks, (extent - 1) / CHUNK) = (int16) prefix;
			return prefix;
		}
		if ((size_t) number * CHUNK >= chunks->text.size || (cache->rests[node] >> CHUNK) == 0)
			return -1;
		slot = find_slot(cache, node, CHUNK, bytes[0], bytes[1]);
		if (slot->target < 0)
			return -1;
		node = (uint32) slot->target;
	}
	return -1;
}

int
line_prefix_cache_find(L4LinePrefixCache *cache, L4Bytes text)
{
	TextChunks	chunks;
	int			number;
	int			look;

	chunks.text = text;
	take_chunk(&chunks, 0);
	look = *last_short_look(cache, chunks.bytes[0]);
	if (look >= 0 && begins_with_short(&cache->prefixes[look], text, chunks.bytes[0]))
		return look;
	for (number = 0;;)
	{
		look = *last_look(cache, &chunks, number);
		if (look >= 0 && begins_with(&chunks, number, &cache->prefixes[look]))
			return look;
		if (++number >= cache->chunk_limit || (size_t) number * CHUNK >= text.size)
			return find_in_tree(cache, &chunks, number);
		take_chunk(&chunks, number);
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
	(void) zero_digits(kept->zeroed, trace->text.data, trace->extent);
	cache->chunk_limit = Max(cache->chunk_limit, (trace->extent + CHUNK - 1) / CHUNK);
	kept->next = slot->target;
	kept->extent = trace->extent;
	kept->end = trace->end;
	kept->fixed_count = trace->fixed_count;
	for (at = 0; at < trace->fixed_count; at++)
	{
		kept->fixed[at] = trace->fixed[at];
		kept->digits[at] = trace->digits[at];
	}
	*slot = (PrefixSlot) {low, high, (uint16) node, (uint16) size, cache->prefix_count};
	cache->rests[node] |= 1u << size;
	return cache->prefix_count++;
}
