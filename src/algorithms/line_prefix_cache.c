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
	L4Chunk		chunk;
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

/* From CHUNK - size on: that many bytes are kept, the others not. */
static const unsigned char chunk_masks[2 * CHUNK] = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
};

/* The first `size` bytes of a chunk, the others NUL. */
static inline L4Chunk
cut_chunk(L4Chunk chunk, uint32 size)
{
	L4Chunk		mask;

	memcpy(&mask, chunk_masks + CHUNK - size, CHUNK);
	return (L4Chunk) {chunk.low & mask.low, chunk.high & mask.high};
}

static inline bool
same_chunk(L4Chunk a, L4Chunk b)
{
	return a.low == b.low && a.high == b.high;
}

static pg_noinline L4Chunk
read_short_chunk(const char *from, size_t size)
{
	char		rest[CHUNK] = {0};

	bytes_copy(rest, from, size % CHUNK);
	return zero_digits_chunk(rest);
}

/* The chunk of the text at `at`, with its digits zeroed; what lies behind the text is NUL. */
static inline L4Chunk
read_chunk(L4Bytes text, size_t at)
{
	return text.size - at < CHUNK ? read_short_chunk(text.data + at, text.size - at) : zero_digits_chunk(text.data + at);
}

/* The slot of a chunk, or the empty one where it belongs. */
static inline PrefixSlot *
find_slot(L4LinePrefixCache *cache, uint32 node, uint32 size, L4Chunk chunk)
{
	uint64		hash = (chunk.low ^ (chunk.high * UINT64CONST(0x9e3779b97f4a7c15)) ^ ((uint64) node << 8) ^ size) *
		UINT64CONST(0xff51afd7ed558ccd);
	uint32		slot_number = (uint32) (hash >> 40);

	for (;; slot_number++)
	{
		PrefixSlot *slot = &cache->slots[slot_number % SLOT_COUNT];

		if (slot->target < 0 || (same_chunk(slot->chunk, chunk) && slot->node == node && slot->size == size))
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
	L4Chunk		chunks[CHUNK_LIMIT];
	uint64		hashes[CHUNK_LIMIT];
} TextChunks;

/* The hash of all up to a chunk, from that of what is before it (0: nothing). */
static inline uint64
chunk_hash(uint64 before, L4Chunk chunk)
{
	return (before ^ chunk.low ^ chunk.high * UINT64CONST(0x9e3779b97f4a7c15)) * UINT64CONST(0xff51afd7ed558ccd);
}

static inline void
take_chunk(TextChunks *read, int number)
{
	read->chunks[number] = read_chunk(read->text, Min((size_t) number * CHUNK, read->text.size));
	read->hashes[number] = chunk_hash(number > 0 ? read->hashes[number - 1] : 0, read->chunks[number]);
}

/* Does a line prefix end in this chunk of the text, and the text go on there as it does? */
static inline bool
ends_in_chunk(const CachedPrefix *kept, L4Bytes text, int number, L4Chunk chunk)
{
	int			left = kept->extent - number * CHUNK;
	L4Chunk		kept_chunk;

	if (left <= 0 || left > CHUNK || !size_fits(kept, text))
		return false;
	memcpy(&kept_chunk, kept->zeroed + number * CHUNK, CHUNK);
	return same_chunk(cut_chunk(chunk, left), kept_chunk);
}

/* Does the text, of which chunks up to this number are read, begin with a line prefix that ends in the last of them? */
static inline bool
begins_with(const TextChunks *read, int number, const CachedPrefix *kept)
{
	return ends_in_chunk(kept, read->text, number, read->chunks[number]) &&
		memcmp(read->chunks, kept->zeroed, (size_t) number * CHUNK) == 0 && prefix_fits(kept, read->text);
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
last_look(L4LinePrefixCache *cache, uint64 hash)
{
	return &cache->looks[hash >> (64 - LOOK_BITS)];
}

/* The line prefix that ends in a rest below the node that the text goes on with, or -1. */
static inline int
find_rest(L4LinePrefixCache *cache, uint32 node, L4Bytes text, L4Chunk chunk)
{
	uint32		rests = cache->rests[node] & ((1u << CHUNK) - 1);

	for (; rests != 0; rests &= rests - 1)
	{
		uint32		size = (uint32) __builtin_ctz(rests);
		const PrefixSlot *slot = find_slot(cache, node, size, cut_chunk(chunk, size));
		int			prefix;

		if (slot->target >= 0 && (prefix = fitting_prefix(cache, slot->target, text)) >= 0)
			return prefix;
	}
	return -1;
}

/* Finds it in the tree, and remembers it. */
static pg_noinline int
find_in_tree(L4LinePrefixCache *cache, TextChunks *read, int known)
{
	uint32		node = 0;
	int			number;

	for (number = 0; number < CHUNK_LIMIT && cache->rests[node] != 0; number++)
	{
		const PrefixSlot *slot;
		int			prefix;

		if (number >= known)
			take_chunk(read, number);
		prefix = find_rest(cache, node, read->text, read->chunks[number]);
		if (prefix >= 0)
		{
			int			extent = cache->prefixes[prefix].extent;

			if (extent <= SHORT)
				*last_short_look(cache, read->chunks[0].low) = (int16) prefix;
			else
				*last_look(cache, read->hashes[(extent - 1) / CHUNK]) = (int16) prefix;
			return prefix;
		}
		if ((size_t) number * CHUNK >= read->text.size || (cache->rests[node] >> CHUNK) == 0)
			return -1;
		slot = find_slot(cache, node, CHUNK, read->chunks[number]);
		if (slot->target < 0)
			return -1;
		node = (uint32) slot->target;
	}
	return -1;
}

/* Goes on where the first chunk does not tell. */
static pg_noinline int
find_beyond(L4LinePrefixCache *cache, L4Bytes text, L4Chunk first)
{
	TextChunks	read;
	int			number;

	read.text = text;
	read.chunks[0] = first;
	read.hashes[0] = chunk_hash(0, first);
	for (number = 1; number < cache->chunk_limit && (size_t) number * CHUNK < text.size; number++)
	{
		int			look;

		take_chunk(&read, number);
		look = *last_look(cache, read.hashes[number]);
		if (look >= 0 && begins_with(&read, number, &cache->prefixes[look]))
			return look;
	}
	return find_in_tree(cache, &read, number);
}

int
line_prefix_cache_find(L4LinePrefixCache *cache, L4Bytes text)
{
	L4Chunk		first = read_chunk(text, 0);
	int			look = *last_short_look(cache, first.low);

	if (look >= 0 && begins_with_short(&cache->prefixes[look], text, first.low))
		return look;
	look = *last_look(cache, chunk_hash(0, first));
	if (look >= 0 && ends_in_chunk(&cache->prefixes[look], text, 0, first) && prefix_fits(&cache->prefixes[look], text))
		return look;
	return find_beyond(cache, text, first);
}

/* The node below `node` that the chunk leads to, made where it is new. */
static uint32
node_below(L4LinePrefixCache *cache, uint32 node, L4Chunk chunk)
{
	PrefixSlot *slot = find_slot(cache, node, CHUNK, chunk);

	if (slot->target < 0)
	{
		*slot = (PrefixSlot) {chunk, (uint16) node, CHUNK, cache->node_count};
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
	L4Chunk		rest = {0, 0};
	int			at;

	if (trace->failed || trace->extent > (int) trace->text.size)
		return -1;
	if (cache->prefix_count == L4_LINE_PREFIX_LIMIT || cache->node_count + L4_WALK_LIMIT / CHUNK > NODE_LIMIT)
		line_prefix_cache_reset(cache);
	for (at = 0; at + CHUNK <= extent; at += CHUNK)
		node = node_below(cache, node, read_chunk(trace->text, at));
	if (at < (int) trace->text.size)
		rest = cut_chunk(read_chunk(trace->text, at), size);
	slot = find_slot(cache, node, size, rest);
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
	*slot = (PrefixSlot) {rest, (uint16) node, (uint16) size, cache->prefix_count};
	cache->rests[node] |= 1u << size;
	return cache->prefix_count++;
}
