/*
 * head_filter.c: which of many patterns can match at the beginning of a text at all, told from its first bytes.
 *
 * A log line is tried against some sixty header patterns, and most lines match none: to run the regular expressions one after the other would cost more
 * than all the rest of reading a line. So each pattern is studied once: for each of the first twelve positions, the set of bytes that may stand there
 * in a match. The sets are turned round into a table position x byte -> set of patterns, and twelve table rows ANDed give the candidates: one or two,
 * or none. It is a filter, never an answer: the order in which the candidates are tried, and the result, are as without it.
 *
 * Twelve positions do not part the many headers that begin with a full time. Patterns that begin with the very text of that time are studied behind it too, and a
 * line's time is measured once for all of them.
 *
 * The study walks the pattern as an automaton without building one: a set of positions goes in front of an atom, the atom marks its bytes there, and the set of
 * positions behind it comes out. Whatever it does not understand (inline options, verbs, back references) makes the pattern a candidate always; so do
 * non-ASCII bytes and Unicode properties, with which alone the patterns match characters instead of bytes (pattern.c).
 */
#include "algorithms/head_filter.h"

#include "storage/shmem.h"

#define HEAD_POSITIONS 12
#define HEAD_BEYOND (1u << HEAD_POSITIONS)	/* some place after the studied positions */
#define HEAD_ALL ((1u << (HEAD_POSITIONS + 1)) - 1)
#define HEAD_STEPS 20000
#define HEAD_DEPTH 40
#define HEAD_END 256			/* "byte" of the place after the last one */
#define HEAD_TIME_SIZE 19		/* of the shortest form of HEAD_ANY_TIME */

typedef struct HeadSets
{
	bool		may[HEAD_POSITIONS][HEAD_END + 1];
} HeadSets;

typedef struct HeadScan
{
	const char *at;
	const char *end;
	HeadSets   *sets;
	int			steps;
	int			depth;
	bool		failed;
	bool		alternatives;	/* a bar outside of all groups was seen */
} HeadScan;

/* The bytes that one atom of the pattern stands for. */
typedef struct HeadClass
{
	bool		bytes[256];
} HeadClass;

/* Which patterns may go on from a place: [position][byte][word]. */
typedef struct HeadTable
{
	int			words;
	uint64	   *bits;
} HeadTable;

struct L4HeadFilter
{
	int			words;
	uint64	   *candidates;
	HeadTable	whole;
	HeadTable	behind_time;	/* of the patterns that begin with a time, behind that time */
	uint64	   *timed;			/* which patterns those are */
};

static unsigned head_scan_alternatives(HeadScan *scan, unsigned starts);

/* Marks the class at all positions of starts; returns the positions behind it. */
static unsigned
head_consume(HeadScan *scan, unsigned starts, const HeadClass *class)
{
	int			position;
	int			c;

	for (position = 0; position < HEAD_POSITIONS; position++)
		if (starts & (1u << position))
			for (c = 0; c < 256; c++)
				scan->sets->may[position][c] |= class->bytes[c];
	return ((starts << 1) & HEAD_ALL) | (starts & HEAD_BEYOND);
}

static void
class_add_range(HeadClass *class, int from, int to)
{
	for (; from <= to; from++)
		class->bytes[from] = true;
}

static void
class_invert(HeadClass *class)
{
	int			c;

	for (c = 0; c < 256; c++)
		class->bytes[c] = !class->bytes[c];
}

/* The class of a backslash and a letter; false where it is none. */
static bool
class_of_escape(HeadClass *class, char letter)
{
	HeadClass	found = {0};
	int			c;

	switch (letter)
	{
		case 'D':
		case 'd':
			class_add_range(&found, '0', '9');
			break;
		case 'W':
		case 'w':
			class_add_range(&found, '0', '9');
			class_add_range(&found, 'A', 'Z');
			class_add_range(&found, 'a', 'z');
			found.bytes['_'] = true;
			break;
		case 'S':
		case 's':
		case 'h':
			class_add_range(&found, '\t', '\r');
			found.bytes[' '] = true;
			break;
		default:
			return false;
	}
	if (letter == 'D' || letter == 'W' || letter == 'S')
		class_invert(&found);
	for (c = 0; c < 256; c++)
		class->bytes[c] |= found.bytes[c];
	return true;
}

/* The single byte of a backslash and what follows it, or -1. */
static int
byte_of_escape(char letter)
{
	switch (letter)
	{
		case 't':
			return '\t';
		case 'n':
			return '\n';
		case 'r':
			return '\r';
		case 'f':
			return '\f';
		case 'e':
			return 0x1b;
		default:
			break;
	}
	if ((letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z'))
		return -1;
	return (unsigned char) letter;
}

/* One member of a bracketed class: a byte (returned), or a class of its own (added; -1). Sets failed on what it does not know. */
static int
head_read_member(HeadScan *scan, HeadClass *class)
{
	unsigned char c = (unsigned char) *scan->at++;

	if (c == '[' && scan->at < scan->end && (*scan->at == ':' || *scan->at == '.' || *scan->at == '='))
		scan->failed = true;
	if (c != '\\')
		return c;
	if (scan->at >= scan->end)
	{
		scan->failed = true;
		return -1;
	}
	c = (unsigned char) *scan->at++;
	if (class_of_escape(class, (char) c))
		return -1;
	if (byte_of_escape((char) c) < 0)
		scan->failed = true;
	return byte_of_escape((char) c);
}

/* Reads a bracketed class, whose opening bracket is behind us. */
static void
head_read_class(HeadScan *scan, HeadClass *class)
{
	bool		negated = false;
	bool		first = true;

	if (scan->at < scan->end && *scan->at == '^')
	{
		negated = true;
		scan->at++;
	}
	while (scan->at < scan->end && !scan->failed && (first || *scan->at != ']'))
	{
		int			from = head_read_member(scan, class);
		int			to = from;

		first = false;
		if (from >= 0 && scan->end - scan->at >= 2 && scan->at[0] == '-' && scan->at[1] != ']')
		{
			scan->at++;
			to = head_read_member(scan, class);
		}
		if (from >= 0 && to >= from)
			class_add_range(class, from, to);
	}
	if (scan->at >= scan->end)
		scan->failed = true;
	else
		scan->at++;
	if (negated)
		class_invert(class);
}

/* Steps over "<name>" and the like; the cursor is on the opening mark. */
static void
head_skip_name(HeadScan *scan)
{
	char		close = *scan->at == '<' ? '>' : '\'';

	scan->at++;
	while (scan->at < scan->end && *scan->at != close)
		scan->at++;
	if (scan->at >= scan->end)
		scan->failed = true;
	else
		scan->at++;
}

/* Reads the kind of a group behind its opening parenthesis; true where it takes no room (a look around). */
static bool
head_read_group_kind(HeadScan *scan)
{
	size_t		left = scan->end - scan->at;

	if (left >= 1 && *scan->at == '*')
		scan->failed = true;
	if (left < 2 || *scan->at != '?')
		return false;
	scan->at++;
	if (*scan->at == ':')
	{
		scan->at++;
		return false;
	}
	if (*scan->at == '=' || *scan->at == '!' || (left >= 3 && *scan->at == '<' && (scan->at[1] == '=' || scan->at[1] == '!')))
	{
		scan->at += *scan->at == '<' ? 2 : 1;
		return true;
	}
	if (*scan->at == 'P')
		scan->at++;
	if (scan->at < scan->end && (*scan->at == '<' || *scan->at == '\''))
		head_skip_name(scan);
	else
		scan->failed = true;
	return false;
}

static unsigned
head_scan_group(HeadScan *scan, unsigned starts)
{
	bool		ahead = scan->end - scan->at >= 2 && memcmp(scan->at, "?=", 2) == 0;
	bool		no_room = head_read_group_kind(scan);
	unsigned	ends;

	if (scan->failed || ++scan->depth > HEAD_DEPTH)
	{
		scan->failed = true;
		return HEAD_ALL;
	}
	ends = head_scan_alternatives(scan, no_room && !ahead ? 0 : starts);
	scan->depth--;
	if (scan->at >= scan->end)
		scan->failed = true;
	else
		scan->at++;
	/* with nothing behind it, what a look ahead demands is as good as matched */
	if (ahead && scan->depth == 0 && scan->at == scan->end)
		return ends;
	return no_room ? starts : ends;
}

/* One atom of the pattern without its quantifier. */
static unsigned
head_scan_atom(HeadScan *scan, unsigned starts)
{
	HeadClass	class = {0};
	unsigned char c = (unsigned char) *scan->at++;

	if (c == '(')
		return head_scan_group(scan, starts);
	if (c == '^' || c == '$')
		return starts;
	if (c == '[')
		head_read_class(scan, &class);
	else if (c == '.')
		class_invert(&class);
	else if (c == '*' || c == '+' || c == '?' || c >= 0x80)
		scan->failed = true;
	else if (c != '\\')
		class.bytes[c] = true;
	else if (scan->at >= scan->end)
		scan->failed = true;
	else
	{
		c = (unsigned char) *scan->at++;
		if (strchr("bBAGzZ", c) != NULL)
			return starts;
		if (!class_of_escape(&class, (char) c))
		{
			if (byte_of_escape((char) c) < 0)
				scan->failed = true;
			else
				class.bytes[byte_of_escape((char) c)] = true;
		}
	}
	return head_consume(scan, starts, &class);
}

/* Reads {n}, {n,} or {n,m}; anything else in braces is literal text, which no pattern of ours has: give up on it. */
static void
head_read_braces(HeadScan *scan, int *least, int *most)
{
	int			number = 0;
	bool		comma = false;

	scan->at++;
	*most = -1;
	for (; scan->at < scan->end && *scan->at != '}'; scan->at++)
	{
		if (*scan->at == ',' && !comma)
		{
			comma = true;
			*least = number;
			number = 0;
			if (scan->at + 1 < scan->end && scan->at[1] == '}')
				number = HEAD_POSITIONS + 1;
		}
		else if (*scan->at >= '0' && *scan->at <= '9' && number < 10000)
			number = number * 10 + (*scan->at - '0');
		else
			scan->failed = true;
	}
	*most = number;
	if (!comma)
		*least = number;
	if (scan->at >= scan->end)
		scan->failed = true;
	else
		scan->at++;
}

/* Reads the quantifier that may follow; 1 and 1 where there is none. Lazy and possessive marks change no set. */
static void
head_read_quantifier(HeadScan *scan, int *least, int *most)
{
	char		c = scan->at < scan->end ? *scan->at : '\0';

	*least = c == '*' || c == '?' ? 0 : 1;
	*most = c == '*' || c == '+' ? HEAD_POSITIONS + 1 : 1;
	if (c == '{')
		head_read_braces(scan, least, most);
	else if (c == '*' || c == '+' || c == '?')
		scan->at++;
	else
		return;
	if (scan->at < scan->end && (*scan->at == '?' || *scan->at == '+'))
		scan->at++;
}

/* One atom with its quantifier: the atom is walked again from the places where it ended, until nothing new turns up. */
static unsigned
head_scan_piece(HeadScan *scan, unsigned starts)
{
	const char *atom = scan->at;
	const char *after;
	unsigned	places = head_scan_atom(scan, starts);
	unsigned	ends;
	int			least;
	int			most;
	int			i;

	head_read_quantifier(scan, &least, &most);
	after = scan->at;
	ends = least == 0 ? starts : 0;
	for (i = 1; i <= most && !scan->failed; i++)
	{
		if (i >= least)
			ends |= places;
		if (i == most || places == HEAD_BEYOND || places == 0)
			break;
		scan->at = atom;
		places = head_scan_atom(scan, places);
	}
	if (most > 0)
		ends |= i < least ? places : 0;
	scan->at = after;
	return ends;
}

/* Everything up to the closing parenthesis or the end. starts 0 steps over it without marking anything. */
static unsigned
head_scan_alternatives(HeadScan *scan, unsigned starts)
{
	unsigned	ends = 0;
	unsigned	places = starts;

	while (scan->at < scan->end && *scan->at != ')' && !scan->failed)
	{
		if (++scan->steps > HEAD_STEPS)
			scan->failed = true;
		if (*scan->at == '|')
		{
			scan->alternatives |= scan->depth == 0;
			ends |= places;
			places = starts;
			scan->at++;
		}
		else
			places = head_scan_piece(scan, places);
	}
	return ends | places;
}

/* Beyond the shortest match anything may stand, or nothing. */
static void
head_open_after(HeadSets *sets, unsigned ends)
{
	int			position;

	for (position = 0; position < HEAD_POSITIONS; position++)
		if (ends & ((2u << position) - 1))
			memset(sets->may[position], true, sizeof(sets->may[position]));
}

/*
 * Studies one pattern. A look ahead at its very beginning is studied like a pattern of its own, and both must hold: formats that take their facts out of the
 * message have no other text. Returns whether a bar at the top level was seen.
 */
static bool
head_study(const char *pattern, HeadSets *sets)
{
	HeadScan	scan = {0};
	HeadSets   *ahead = NULL;
	int			position;
	int			c;

	memset(sets, 0, sizeof(HeadSets));
	scan.at = pattern;
	scan.end = pattern + strlen(pattern);
	scan.sets = sets;
	if (strncmp(pattern, "(?=", 3) == 0)
	{
		ahead = palloc0(sizeof(HeadSets));
		scan.at += 3;
		scan.sets = ahead;
		scan.depth = 1;
		head_open_after(ahead, head_scan_alternatives(&scan, 1));
		scan.depth = 0;
		if (scan.at >= scan.end || (scan.end - scan.at > 1 && strchr("*+?{", scan.at[1]) != NULL))
			scan.failed = true;
		scan.at++;
		scan.sets = sets;
	}
	if (!scan.failed)
		head_open_after(sets, head_scan_alternatives(&scan, 1));
	if (scan.failed || scan.at < scan.end)
		memset(sets, true, sizeof(HeadSets));
	else if (ahead != NULL && !scan.alternatives)
		for (position = 0; position < HEAD_POSITIONS; position++)
			for (c = 0; c <= HEAD_END; c++)
				sets->may[position][c] &= ahead->may[position][c];
	if (ahead != NULL)
		pfree(ahead);
	return scan.alternatives || scan.failed;
}

/* What follows the time with which the pattern begins, or NULL where it begins otherwise. */
static const char *
head_behind_time(const char *pattern)
{
	static const char *const times[] = {"(?<ts>" HEAD_TIME ")", "(?<ts>" HEAD_ANY_TIME ")"};
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
head_table_init(HeadTable *table, int words)
{
	table->words = words;
	table->bits = palloc0(mul_size(words, HEAD_POSITIONS * (HEAD_END + 1) * sizeof(uint64)));
}

/* Enters a pattern under its number; returns whether a bar at its top level was seen. */
static bool
head_table_add(HeadTable *table, const char *pattern, int number)
{
	HeadSets   *sets = palloc(sizeof(HeadSets));
	bool		alternatives = head_study(pattern, sets);
	int			position;
	int			c;

	for (position = 0; position < HEAD_POSITIONS; position++)
		for (c = 0; c <= HEAD_END; c++)
			if (sets->may[position][c])
				table->bits[(size_t) (position * (HEAD_END + 1) + c) * table->words + number / 64] |= UINT64CONST(1) << (number % 64);
	pfree(sets);
	return alternatives;
}

/* The patterns of one word that may go on from a place. */
static uint64
head_table_look(const HeadTable *table, const char *data, size_t size, int word)
{
	uint64		set = ~UINT64CONST(0);
	int			position;

	for (position = 0; position < HEAD_POSITIONS && set != 0; position++)
	{
		int			c = position < size ? (unsigned char) data[position] : HEAD_END;

		set &= table->bits[(size_t) (position * (HEAD_END + 1) + c) * table->words + word];
		if (c == HEAD_END)
			break;
	}
	return set;
}

/*
 * head_filter_create: studies count patterns and makes their filter in the current memory context. Never fails. Cost: some 20 microseconds a pattern;
 * 50 kB of tables for each 64 patterns.
 */
L4HeadFilter *
head_filter_create(const char *const *patterns, int count)
{
	L4HeadFilter *filter = palloc(sizeof(L4HeadFilter));
	int			i;

	filter->words = Max(1, (count + 63) / 64);
	filter->candidates = palloc0(mul_size(filter->words, sizeof(uint64)));
	filter->timed = palloc0(mul_size(filter->words, sizeof(uint64)));
	head_table_init(&filter->whole, filter->words);
	head_table_init(&filter->behind_time, filter->words);
	for (i = 0; i < count; i++)
	{
		const char *rest = head_behind_time(patterns[i]);

		(void) head_table_add(&filter->whole, patterns[i], i);
		if (rest != NULL && !head_table_add(&filter->behind_time, rest, i))
			filter->timed[i / 64] |= UINT64CONST(1) << (i % 64);
	}
	return filter;
}

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Where the zone that may stand at data ends, or 0. */
static size_t
head_zone_size(const char *data, size_t size)
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
head_look_behind(const L4HeadFilter *filter, L4Bytes text, size_t end, int word)
{
	size_t		zone = head_zone_size(text.data + end, text.size - end);
	uint64		set = head_table_look(&filter->behind_time, text.data + end, text.size - end, word);

	if (zone > 0)
		set |= head_table_look(&filter->behind_time, text.data + end + zone, text.size - end - zone, word);
	return set;
}

/* Which patterns may go on behind the time at the beginning of text, wherever the pattern may let it end. */
static uint64
head_time_ends(const L4HeadFilter *filter, L4Bytes text, int word)
{
	size_t		end = HEAD_TIME_SIZE;
	size_t		most;
	uint64		set;

	if (text.size < HEAD_TIME_SIZE)
		return 0;
	set = head_look_behind(filter, text, end, word);
	if (end >= text.size || (text.data[end] != '.' && text.data[end] != ','))
		return set;
	most = Min(text.size, end + 10);
	for (end++; end < most && is_digit(text.data[end]);)
		set |= head_look_behind(filter, text, ++end, word);
	return set;
}

/*
 * head_filter_candidates: the patterns that may match at the beginning of text, bit i of the words for pattern i. Cost: some ten nanoseconds for each 64 patterns.
 */
const uint64 *
head_filter_candidates(L4HeadFilter *filter, L4Bytes text)
{
	int			word;

	for (word = 0; word < filter->words; word++)
	{
		uint64		set = head_table_look(&filter->whole, text.data, text.size, word);

		if (set & filter->timed[word])
			set &= head_time_ends(filter, text, word) | ~filter->timed[word];
		filter->candidates[word] = set;
	}
	return filter->candidates;
}

int
head_filter_words(const L4HeadFilter *filter)
{
	return filter->words;
}
