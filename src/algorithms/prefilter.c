/*
 * prefilter.c: which of many patterns can match at the beginning of a text at all, told from its first bytes.
 *
 * A log line is tried against some sixty header patterns, and most lines match none: to run the regular expressions one after
 * the other would cost more than all the rest of reading a line. So each pattern is studied once: for each of the first twelve
 * positions, the set of bytes that may stand there in a match. The sets are turned round into a table position x byte -> set of
 * patterns, and twelve table rows ANDed give the candidates: one or two, or none. It is a filter, never an answer: the order in
 * which the candidates are tried, and the result, are as without it.
 *
 * Twelve positions do not part the many headers that begin with a full time. Patterns that begin with the very text of that
 * time are studied behind it too, and a line's time is measured once for all of them.
 *
 * The study walks the pattern (pattern_walk.c). What the walk does not know (inline options, verbs, back references) makes the
 * pattern a candidate always; so do non-ASCII bytes and Unicode properties, with which alone the patterns match characters
 * instead of bytes (pattern.c).
 */
#include "algorithms/prefilter.h"

#include "algorithms/pattern_walk.h"
#include "storage/shmem.h"
#include "tools/bytes.h"

#define TABLE_POSITIONS 12
#define TEXT_END 256			/* "byte" of the position after the last one */
#define HEADER_TIME_SIZE 19		/* of the shortest form of HEADER_ANY_TIME */

typedef struct PatternBytes
{
	bool		may[TABLE_POSITIONS][TEXT_END + 1];
} PatternBytes;

/* What the study found out about a pattern as a whole. */
typedef struct FilteredPattern
{
	bool		known;
	bool		alternatives;	/* a bar outside of all groups */
} FilteredPattern;

/* Which patterns may go on from a position: [position][byte][word]. */
typedef struct FilterTable
{
	int			words;
	uint64	   *bits;
} FilterTable;

struct L4Prefilter
{
	int			words;
	uint64	   *candidates;
	FilterTable	whole;
	FilterTable	behind_time;	/* of the patterns that begin with a time, behind that time */
	uint64	   *timed;			/* which patterns those are */
	FilteredPattern *patterns;
};

/* Marks the bytes of an atom at a position. */
static bool
mark(L4PatternWalk *walk, int position, const L4ByteSet *class)
{
	PatternBytes *sets = walk->argument;
	int			c;

	for (c = 0; c < 256; c++)
		sets->may[position][c] |= class->bytes[c];
	return true;
}

/* Beyond the shortest match anything may stand, or nothing. */
static void
open_after(PatternBytes *sets, L4Positions ends)
{
	bool		open = false;
	int			position;

	for (position = 0; position < TABLE_POSITIONS; position++)
		if ((open |= positions_have(ends, position)))
			memset(sets->may[position], true, sizeof(sets->may[position]));
}

/*
 * Studies one pattern. A look ahead at its very beginning is studied like a pattern of its own, and both must hold: formats
 * that take their facts out of the message have no other text.
 */
static FilteredPattern
study(const char *pattern, PatternBytes *sets)
{
	FilteredPattern found;
	L4PatternWalk walk = {0};
	PatternBytes *ahead = NULL;
	bool		known = true;
	int			position;
	int			c;

	memset(sets, 0, sizeof(PatternBytes));
	walk.at = pattern;
	walk.end = pattern + strlen(pattern);
	walk.limit = TABLE_POSITIONS;
	walk.visit = mark;
	walk.argument = sets;
	if (strncmp(pattern, "(?=", 3) == 0)
	{
		walk.argument = ahead = palloc0(sizeof(PatternBytes));
		walk.at += 3;
		open_after(ahead, pattern_walk(&walk, L4_FIRST_POSITION));
		known = !walk.failed && walk.at < walk.end && (walk.end - walk.at == 1 || strchr("*+?{", walk.at[1]) == NULL);
		walk.at++;
		walk.argument = sets;
	}
	if (known)
		open_after(sets, pattern_walk(&walk, L4_FIRST_POSITION));
	known = known && !walk.failed && walk.at >= walk.end;
	if (!known)
		memset(sets, true, sizeof(PatternBytes));
	else if (ahead != NULL && !walk.alternatives)
		for (position = 0; position < TABLE_POSITIONS; position++)
			for (c = 0; c <= TEXT_END; c++)
				sets->may[position][c] &= ahead->may[position][c];
	if (ahead != NULL)
		pfree(ahead);
	found.known = known;
	found.alternatives = walk.alternatives;
	return found;
}

/* What follows the time with which the pattern begins, or NULL where it begins otherwise. */
static const char *
behind_time(const char *pattern)
{
	static const char *const times[] = {"(?<ts>" HEADER_TIME ")", "(?<ts>" HEADER_ANY_TIME ")"};
	int			i;

	for (i = 0; i < (int) lengthof(times); i++)
	{
		const char *rest = pattern + strlen(times[i]);

		/* neither a quantifier nor a bar that would reach over the time may follow */
		if (strncmp(pattern, times[i], strlen(times[i])) == 0 && (*rest == '\0' || strchr("*+?{", *rest) == NULL))
			return rest;
	}
	return NULL;
}

static void
table_init(FilterTable *table, int words)
{
	table->words = words;
	table->bits = palloc0(mul_size(words, TABLE_POSITIONS * (TEXT_END + 1) * sizeof(uint64)));
}

/* Enters a pattern under its number. */
static FilteredPattern
table_add(FilterTable *table, const char *pattern, int number)
{
	PatternBytes *sets = palloc(sizeof(PatternBytes));
	FilteredPattern found = study(pattern, sets);
	int			position;
	int			c;

	for (position = 0; position < TABLE_POSITIONS; position++)
		for (c = 0; c <= TEXT_END; c++)
			if (sets->may[position][c])
				table->bits[(size_t) (position * (TEXT_END + 1) + c) * table->words + number / 64] |=
					UINT64CONST(1) << (number % 64);
	pfree(sets);
	return found;
}

/* The patterns of one word that may go on from a position. */
static uint64
table_look(const FilterTable *table, const char *data, size_t size, int word)
{
	uint64		set = ~UINT64CONST(0);
	int			position;

	for (position = 0; position < TABLE_POSITIONS && set != 0; position++)
	{
		int			c = position < size ? (unsigned char) data[position] : TEXT_END;

		set &= table->bits[(size_t) (position * (TEXT_END + 1) + c) * table->words + word];
		if (c == TEXT_END)
			break;
	}
	return set;
}

/*
 * prefilter_create: studies count patterns and makes their filter in the current memory context. Never fails. Cost: some 20
 * microseconds a pattern; 50 kB of tables for each 64 patterns.
 */
L4Prefilter *
prefilter_create(const char *const *patterns, int count)
{
	L4Prefilter *filter = palloc(sizeof(L4Prefilter));
	int			i;

	filter->words = Max(1, (count + 63) / 64);
	filter->candidates = palloc0(mul_size(filter->words, sizeof(uint64)));
	filter->timed = palloc0(mul_size(filter->words, sizeof(uint64)));
	filter->patterns = palloc(mul_size(Max(count, 1), sizeof(FilteredPattern)));
	table_init(&filter->whole, filter->words);
	table_init(&filter->behind_time, filter->words);
	for (i = 0; i < count; i++)
	{
		const char *rest = behind_time(patterns[i]);

		FilteredPattern behind = {false, false};

		filter->patterns[i] = table_add(&filter->whole, patterns[i], i);
		if (rest != NULL)
			behind = table_add(&filter->behind_time, rest, i);
		if (behind.known && !behind.alternatives)
			filter->timed[i / 64] |= UINT64CONST(1) << (i % 64);
	}
	return filter;
}

/* Where the zone that may stand at data ends, or 0. */
static size_t
zone_size(const char *data, size_t size)
{
	size_t		colon;

	if (size >= 1 && data[0] == 'Z')
		return 1;
	if (size < 5 || (data[0] != '+' && data[0] != '-') || !is_digit(data[1]) || !is_digit(data[2]))
		return 0;
	colon = data[3] == ':' ? 1 : 0;
	return size >= 5 + colon && is_digit(data[3 + colon]) && is_digit(data[4 + colon]) ? 5 + colon : 0;
}

/* The patterns that may go on where a time may end: here, or behind a zone. */
static uint64
look_behind(const L4Prefilter *filter, L4Bytes text, size_t end, int word)
{
	size_t		zone = zone_size(text.data + end, text.size - end);
	uint64		set = table_look(&filter->behind_time, text.data + end, text.size - end, word);

	if (zone > 0)
		set |= table_look(&filter->behind_time, text.data + end + zone, text.size - end - zone, word);
	return set;
}

/* Which patterns may go on behind the time at the beginning of text, wherever the pattern may let it end. */
static uint64
header_time_ends(const L4Prefilter *filter, L4Bytes text, int word)
{
	size_t		end = HEADER_TIME_SIZE;
	size_t		most;
	uint64		set;

	if (text.size < HEADER_TIME_SIZE)
		return 0;
	set = look_behind(filter, text, end, word);
	if (end >= text.size || (text.data[end] != '.' && text.data[end] != ','))
		return set;
	most = Min(text.size, end + 10);
	for (end++; end < most && is_digit(text.data[end]);)
		set |= look_behind(filter, text, ++end, word);
	return set;
}

/*
 * prefilter_candidates: the patterns that may match at the beginning of text, bit i of the words for pattern i. Cost: some
 * ten nanoseconds for each 64 patterns.
 */
const uint64 *
prefilter_candidates(L4Prefilter *filter, L4Bytes text)
{
	int			word;

	for (word = 0; word < filter->words; word++)
	{
		uint64		set = table_look(&filter->whole, text.data, text.size, word);

		if (set & filter->timed[word])
			set &= header_time_ends(filter, text, word) | ~filter->timed[word];
		filter->candidates[word] = set;
	}
	return filter->candidates;
}

int
prefilter_rule_out(const L4Prefilter *filter, L4Bytes text, uint64 *set)
{
	const FilterTable *table = &filter->whole;
	int			extent = 0;
	int			position;
	int			word;

	for (position = 0; position < TABLE_POSITIONS && position <= text.size; position++)
	{
		int			c = position < text.size ? (unsigned char) text.data[position] : TEXT_END;

		if (c >= '0' && c <= '9')
			continue;
		for (word = 0; word < filter->words; word++)
		{
			uint64		left = set[word] & table->bits[(size_t) (position * (TEXT_END + 1) + c) * table->words + word];

			if (left != set[word])
				extent = position + 1;
			set[word] = left;
		}
	}
	return extent;
}

int
prefilter_words(const L4Prefilter *filter)
{
	return filter->words;
}

bool
prefilter_knows(const L4Prefilter *filter, int pattern, bool *alternatives)
{
	*alternatives = filter->patterns[pattern].alternatives;
	return filter->patterns[pattern].known;
}

bool
prefilter_any(L4Prefilter *filter, L4Bytes text)
{
	uint64		any = 0;
	int			word;

	(void) prefilter_candidates(filter, text);
	for (word = 0; word < filter->words; word++)
		any |= filter->candidates[word];
	return any != 0;
}
