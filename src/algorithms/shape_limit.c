/*
 * shape_limit.c: keeps the number of distinct shapes of one source bounded.
 *
 * A job that prints its training text has as many shapes as lines: each would cost a row of the summaries and a leaf of Drain's
 * tree, and none would tell anything. So a source may have only so many shapes that begin with the same two words, and so many
 * in all. What comes beyond gets a coarse shape: its first word and one parameter for all the rest. Nothing is lost by that,
 * for shape and parameters still give the message back.
 *
 * The failure comes last, behind it: a shape that sounds grave, by its level or its words, has room of its own in the
 * total. Which shapes are fine and which coarse depends on the order of the lines of one source alone, never on other sources,
 * workers or runs.
 */
#include "algorithms/shape_limit.h"

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

struct L4ShapeLimit
{
	const L4GraveWords *grave;
	alike_hash *alike;
	int			shapes;			/* admitted so far */
	size_t		bytes;			/* that these have */
};

/*
 * shape_limit_create: the counts of a source that has no shape yet, in context. grave must outlive them.
 */
L4ShapeLimit *
shape_limit_create(MemoryContext context, const L4GraveWords *grave)
{
	L4ShapeLimit *limit = MemoryContextAlloc(context, sizeof(L4ShapeLimit));

	limit->grave = grave;
	limit->alike = alike_create(context, 64, NULL);
	limit->shapes = 0;
	limit->bytes = 0;
	return limit;
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
alike_of(L4ShapeLimit *limit, L4Bytes shape)
{
	const char *end = shape.data + shape.size;
	const char *first = word_end(shape.data, end);
	const char *second = first < end ? word_end(first + 1, end) : first;
	bool		found;
	AlikeEntry *entry = alike_insert(limit->alike, shape_hash(shape.data, second - shape.data), &found);

	if (!found)
		entry->shapes = 0;
	return entry;
}

/* Is there room for one more shape, among so many with so many bytes? */
static inline bool
has_room(const L4ShapeLimit *limit, L4Bytes shape, int shapes, size_t bytes)
{
	return limit->shapes < shapes && limit->bytes + shape.size <= bytes;
}

/*
 * shape_limit_admits: may the source have this shape, which it has not yet? Counts it if so. level: of the record that brings
 * it. Cost: a look at its first two words; at up to 4 kB of it once the source has SHAPE_LIMIT_COUNT or SHAPE_LIMIT_BYTES.
 */
bool
shape_limit_admits(L4ShapeLimit *limit, L4Bytes shape, L4Level level)
{
	AlikeEntry *entry;

	if (!has_room(limit, shape, SHAPE_LIMIT_COUNT, SHAPE_LIMIT_BYTES) &&
		(!has_room(limit, shape, SHAPE_LIMIT_GRAVE, SHAPE_LIMIT_GRAVE_BYTES) ||
		 (level < L4_LEVEL_WARNING && !sounds_grave(limit->grave, shape))))
		return false;
	entry = alike_of(limit, shape);
	if (entry->shapes >= SHAPE_LIMIT_ALIKE)
		return false;
	entry->shapes++;
	limit->shapes++;
	limit->bytes += shape.size;
	return true;
}

void
shape_limit_count(L4ShapeLimit *limit, L4Bytes shape)
{
	alike_of(limit, shape)->shapes++;
	limit->shapes++;
	limit->bytes += shape.size;
}

/*
 * shape_limit_admits_all: would the source, which has none of these shapes yet, get all of them, whatever their order and
 * levels? Counts them if so.
 */
bool
shape_limit_admits_all(L4ShapeLimit *limit, const L4Bytes *shapes, int count)
{
	bool		fits = count <= SHAPE_LIMIT_COUNT - limit->shapes;
	size_t		bytes = limit->bytes;
	int			done = 0;

	while (fits && done < count)
	{
		bytes += shapes[done].size;
		fits = bytes <= SHAPE_LIMIT_BYTES && ++alike_of(limit, shapes[done++])->shapes <= SHAPE_LIMIT_ALIKE;
	}
	if (fits)
	{
		limit->shapes += count;
		limit->bytes = bytes;
	}
	while (!fits && done > 0)
		alike_of(limit, shapes[--done])->shapes--;
	return fits;
}

/*
 * shape_limit_mask_behind: makes shape, which shape_init has made, the first so many bytes of message, whose bytes must outlive
 * it, and one parameter for the rest.
 */
void
shape_limit_mask_behind(L4Shape *shape, L4Bytes message, size_t size)
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
 * shape_limit_coarsen: makes shape, which shape_init has made, the coarse shape of message, whose bytes must outlive it: its
 * first word, where that is a plain one, and a parameter for the rest.
 */
void
shape_limit_coarsen(L4Shape *shape, L4Bytes message)
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
	shape_limit_mask_behind(shape, message, first - message.data);
}
