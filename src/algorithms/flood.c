/*
 * flood.c: keeps the number of distinct shapes of one source bounded.
 *
 * A job that prints its training text has as many shapes as lines: each would cost a row of the summaries and a leaf of Drain's
 * tree, and none would tell anything. So a source may have only so many shapes that begin with the same two words, and so many
 * in all. What comes beyond gets a coarse shape: its first word and one parameter for all the rest. Nothing is lost by that,
 * for shape and parameters still give the message back.
 *
 * The failure comes last, behind the flood: a shape that sounds grave, by its level or its words, has room of its own in the
 * total. Which shapes are fine and which coarse depends on the order of the lines of one source alone, never on other sources,
 * workers or runs.
 */
#include "algorithms/flood.h"

/* A first word longer than this is text, not the name of a statement. */
#define WORD_LIMIT 64
/* As much of a shape is searched for words that sound grave. */
#define GRAVE_LIMIT 4096

/* How many shapes begin alike. */
typedef struct AlikeEntry
{
	uint64		key;
	int			shapes;
	char		status;
} AlikeEntry;

#define SH_PREFIX alike
#define SH_ELEMENT_TYPE AlikeEntry
#define SH_KEY_TYPE uint64
#define SH_KEY key
#define SH_HASH_KEY(table, key) ((uint32) (key))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

struct L4Flood
{
	const L4GraveWords *grave;
	alike_hash *alike;
	int			shapes;			/* admitted so far */
	size_t		bytes;			/* that these have */
};

/*
 * flood_create: the counts of a source that has no shape yet, in context. grave must outlive them.
 */
L4Flood *
flood_create(MemoryContext context, const L4GraveWords *grave)
{
	L4Flood    *flood = MemoryContextAlloc(context, sizeof(L4Flood));

	flood->grave = grave;
	flood->alike = alike_create(context, 64, NULL);
	flood->shapes = 0;
	flood->bytes = 0;
	return flood;
}

static const char *
word_end(const char *at, const char *end)
{
	while (at < end && !isspace((unsigned char) *at))
		at++;
	return at;
}

/* Does a word begin or end like one of the grave ones (RuntimeError)? */
static bool
word_is_grave(const L4GraveWords *grave, const char *begin, const char *end)
{
	for (int i = 0; i < grave->count; i++)
	{
		size_t		size = strlen(grave->words[i]);

		if ((size_t) (end - begin) >= size &&
			(pg_strncasecmp(begin, grave->words[i], size) == 0 || pg_strncasecmp(end - size, grave->words[i], size) == 0))
			return true;
	}
	return false;
}

/* Does a word of the text sound grave? */
static bool
sounds_grave(const L4GraveWords *grave, L4Bytes text)
{
	const char *at = text.data;
	const char *end = at + Min(text.size, GRAVE_LIMIT);

	while (at < end)
	{
		const char *begin = at;

		while (at < end && isalpha((unsigned char) *at))
			at++;
		if (word_is_grave(grave, begin, at))
			return true;
		if (at == begin)
			at++;
	}
	return false;
}

/* The count of the shapes that begin with the same two words. */
static AlikeEntry *
alike_of(L4Flood *flood, L4Bytes shape)
{
	const char *end = shape.data + shape.size;
	const char *first = word_end(shape.data, end);
	const char *second = first < end ? word_end(first + 1, end) : first;
	bool		found;
	AlikeEntry *entry = alike_insert(flood->alike, shape_hash(shape.data, second - shape.data), &found);

	if (!found)
		entry->shapes = 0;
	return entry;
}

/* Is there room for one more shape, among so many with so many bytes? */
static inline bool
has_room(const L4Flood *flood, L4Bytes shape, int shapes, size_t bytes)
{
	return flood->shapes < shapes && flood->bytes + shape.size <= bytes;
}

/*
 * flood_admits: may the source have this shape, which it has not yet? Counts it if so. level: of the record that brings it.
 * Cost: a look at its first two words; at up to 4 kB of it once the source has FLOOD_SHAPES or FLOOD_BYTES.
 */
bool
flood_admits(L4Flood *flood, L4Bytes shape, L4Level level)
{
	AlikeEntry *entry;

	if (!has_room(flood, shape, FLOOD_SHAPES, FLOOD_BYTES) &&
		(!has_room(flood, shape, FLOOD_GRAVE, FLOOD_GRAVE_BYTES) ||
		 (level < L4_LEVEL_WARNING && !sounds_grave(flood->grave, shape))))
		return false;
	entry = alike_of(flood, shape);
	if (entry->shapes >= FLOOD_ALIKE)
		return false;
	entry->shapes++;
	flood->shapes++;
	flood->bytes += shape.size;
	return true;
}

void
flood_count(L4Flood *flood, L4Bytes shape)
{
	alike_of(flood, shape)->shapes++;
	flood->shapes++;
	flood->bytes += shape.size;
}

/*
 * flood_admits_all: would the source, which has none of these shapes yet, get all of them, whatever their order and levels?
 * Counts them if so.
 */
bool
flood_admits_all(L4Flood *flood, const L4Bytes *shapes, int count)
{
	bool		fits = count <= FLOOD_SHAPES - flood->shapes;
	size_t		bytes = flood->bytes;
	int			done = 0;

	while (fits && done < count)
	{
		bytes += shapes[done].size;
		fits = bytes <= FLOOD_BYTES && ++alike_of(flood, shapes[done++])->shapes <= FLOOD_ALIKE;
	}
	if (fits)
	{
		flood->shapes += count;
		flood->bytes = bytes;
	}
	while (!fits && done > 0)
		alike_of(flood, shapes[--done])->shapes--;
	return fits;
}

/*
 * flood_mask_behind: makes shape, which shape_init has made, the first so many bytes of message, whose bytes must outlive it,
 * and one parameter for the rest.
 */
void
flood_mask_behind(L4Shape *shape, L4Bytes message, size_t size)
{
	resetStringInfo(&shape->text);
	appendBinaryStringInfo(&shape->text, message.data, (int) size);
	appendStringInfoString(&shape->text, L4_PLACEHOLDER);
	shape->parameters[0].data = message.data + size;
	shape->parameters[0].size = message.size - size;
	shape->parameter_count = 1;
	shape->digits_matter = true;	/* it is none by what the message says: not to be remembered for others */
}

/*
 * flood_coarsen: makes shape, which shape_init has made, the coarse shape of message, whose bytes must outlive it: its first
 * word, where that is a plain one, and a parameter for the rest.
 */
void
flood_coarsen(L4Shape *shape, L4Bytes message)
{
	const char *end = message.data + message.size;
	const char *first = word_end(message.data, message.data + Min(message.size, WORD_LIMIT + 1));

	for (const char *at = message.data; at < first; at++)
	{
		/* a number, a mark of a parameter and what is no ASCII are parameters */
		if (!isprint((unsigned char) *at) || isdigit((unsigned char) *at) || *at == '<')
			first = message.data;
	}
	if (first - message.data > WORD_LIMIT || first + 1 >= end)
		first = message.data;
	else if (first > message.data)
		first++;				/* with the blank behind it */
	flood_mask_behind(shape, message, first - message.data);
}
