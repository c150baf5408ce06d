/*
 * literals.c: texts of which every match of a pattern must hold one.
 *
 * To try a thousand patterns on thousands of texts one by one costs seconds. Nearly every pattern has words in it that its
 * matches must hold, and to look for all these words at once costs next to nothing (pattern_set.c). Here a pattern is read once
 * for its words.
 *
 * A sequence of atoms offers its longest run of plain characters, or the words of a group in it; of several alternatives each
 * must offer something, and together they are what the whole offers. Atoms that may be absent offer nothing. Case does not
 * count: words are folded, and so are the texts. It is a filter, never an answer, so whatever is not understood (extended
 * syntax, verbs, conditions, \x.., NUL) makes the pattern one that may match anything; so do non-ASCII bytes and Unicode
 * properties, with which case means more than ASCII letters (pattern.c).
 */
#include "algorithms/literals.h"

#include "algorithms/pattern_text.h"
#include "lib/stringinfo.h"
#include "tools/bytes.h"

#define LITERALS_MOST 64
#define LITERALS_DEPTH 40

const unsigned char l4_folded[256] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
	48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
	64, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111,
	112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 91, 92, 93, 94, 95,
	96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111,
	112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127,
	128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143,
	144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159,
	160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175,
	176, 177, 178, 179, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191,
	192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 203, 204, 205, 206, 207,
	208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223,
	224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239,
	240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255
};

typedef struct LiteralScan
{
	const char *at;
	const char *end;
	int			depth;
	bool		failed;
} LiteralScan;

/* What a sequence has offered so far. */
typedef struct LiteralOffer
{
	StringInfoData run;			/* plain characters that follow each other */
	L4Literals *best;
} LiteralOffer;

static L4Literals *scan_alternatives(LiteralScan *scan);

static size_t
shortest_literal(const L4Literals *literals)
{
	size_t		shortest = SIZE_MAX;
	int			i;

	for (i = 0; i < literals->count; i++)
		shortest = Min(shortest, literals->items[i].size);
	return shortest;
}

/* Keeps what tells more: longer words, else fewer. */
static void
offer(LiteralOffer *offer, L4Literals *literals)
{
	size_t		now;
	size_t		best;

	if (literals == NULL)
		return;
	if (offer->best == NULL)
	{
		offer->best = literals;
		return;
	}
	now = shortest_literal(literals);
	best = shortest_literal(offer->best);
	if (now > best || (now == best && literals->count < offer->best->count))
		offer->best = literals;
}

/* Ends the run of plain characters and offers it. */
static void
end_run(LiteralOffer *offers)
{
	if (offers->run.len >= LITERAL_SIZE)
	{
		L4Literals *literals = palloc(sizeof(L4Literals));

		literals->count = 1;
		literals->items = palloc(sizeof(L4Bytes));
		literals->items[0] = bytes_kept((L4Bytes) {offers->run.data, offers->run.len});
		offer(offers, literals);
	}
	resetStringInfo(&offers->run);
}

/* Reads {n}, {n,} or {n,m} and returns n; sets exactly_one for {1}. Other braces are not understood. */
static int
scan_braces(LiteralScan *scan, bool *exactly_one)
{
	const char *start = ++scan->at;
	int			least = 0;

	for (; scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9'; scan->at++)
		least = Min(least * 10 + (*scan->at - '0'), 100000);
	if (scan->at == start)
		scan->failed = true;
	*exactly_one = least == 1 && scan->at < scan->end && *scan->at == '}';
	while (scan->at < scan->end && (*scan->at == ',' || (*scan->at >= '0' && *scan->at <= '9')))
		scan->at++;
	if (scan->at < scan->end && *scan->at == '}')
		scan->at++;
	else
		scan->failed = true;
	return least;
}

/* Reads the quantifier that may follow and returns the least number of repetitions. */
static int
scan_quantifier(LiteralScan *scan, bool *exactly_one)
{
	char		c = scan->at < scan->end ? *scan->at : '\0';
	int			least = 1;

	*exactly_one = true;
	if (c != '*' && c != '+' && c != '?' && c != '{')
		return 1;
	if (c == '{')
		least = scan_braces(scan, exactly_one);
	else
	{
		scan->at++;
		*exactly_one = false;
		least = c == '+' ? 1 : 0;
	}
	if (scan->at < scan->end && (*scan->at == '?' || *scan->at == '+'))
		scan->at++;
	return least;
}

/* Steps over a bracketed class whose opening bracket is behind us. */
static void
skip_class(LiteralScan *scan)
{
	bool		first = true;

	if (scan->at < scan->end && *scan->at == '^')
		scan->at++;
	for (; scan->at < scan->end && (first || *scan->at != ']'); scan->at++)
	{
		first = false;
		if (*scan->at == '[' && scan->end - scan->at >= 2 && strchr(":.=", scan->at[1]) != NULL)
			scan->failed = true;
		if (*scan->at != '\\')
			continue;
		scan->at++;
		if (scan->at >= scan->end || *scan->at == 'Q' || *scan->at == 'E')
		{
			scan->failed = true;
			return;
		}
	}
	if (scan->at >= scan->end)
		scan->failed = true;
	else
		scan->at++;
}

/* Steps over letters of options as in (?i) and (?i:, up to the colon or parenthesis; extended syntax is not understood. */
static void
skip_options(LiteralScan *scan)
{
	while (scan->at < scan->end && strchr("ims-", *scan->at) != NULL)
		scan->at++;
	if (scan->at >= scan->end || (*scan->at != ':' && *scan->at != ')'))
		scan->failed = true;
	else if (*scan->at == ':')
		scan->at++;
}

/* Reads the kind of a group behind its opening parenthesis; true where the group takes no room in the text. */
static bool
scan_group_kind(LiteralScan *scan)
{
	size_t		left;

	if (scan->at < scan->end && *scan->at == '*')
		scan->failed = true;
	if (scan->at >= scan->end || *scan->at != '?')
		return false;
	scan->at++;
	left = scan->end - scan->at;
	if (left < 2)
		scan->failed = true;
	else if (*scan->at == ':' || *scan->at == '>')
		scan->at++;
	else if (*scan->at == '=' || *scan->at == '!' || (*scan->at == '<' && (scan->at[1] == '=' || scan->at[1] == '!')))
	{
		scan->at += *scan->at == '<' ? 2 : 1;
		return true;
	}
	else if (*scan->at == '<' || *scan->at == '\'')
		scan->failed |= !pattern_skip_name(&scan->at, scan->end);
	else if (*scan->at == 'P' && scan->at[1] == '<')
	{
		scan->at++;
		scan->failed |= !pattern_skip_name(&scan->at, scan->end);
	}
	else
		skip_options(scan);
	return false;
}

/* A group, whose opening parenthesis is behind us, with its quantifier. */
static void
scan_group(LiteralScan *scan, LiteralOffer *offers)
{
	bool		no_room = scan_group_kind(scan);
	L4Literals *inside;
	bool		exactly_one;
	int			least;

	if (scan->failed || ++scan->depth > LITERALS_DEPTH)
	{
		scan->failed = true;
		return;
	}
	inside = scan_alternatives(scan);
	scan->depth--;
	if (scan->at >= scan->end)
	{
		scan->failed = true;
		return;
	}
	scan->at++;
	least = scan_quantifier(scan, &exactly_one);
	if (no_room)
		return;
	end_run(offers);
	if (least > 0)
		offer(offers, inside);
}

/* The plain character of a backslash and a letter; -1 for a class, -2 for what takes no room. */
static int
scan_escape(LiteralScan *scan)
{
	unsigned char c;
	int			byte;

	if (scan->at >= scan->end)
	{
		scan->failed = true;
		return -1;
	}
	c = (unsigned char) *scan->at++;
	if (strchr("bBAzZ", c) != NULL)
		return -2;
	if (strchr("dDwWsShHvVR", c) != NULL)
		return -1;
	byte = pattern_escape_byte(c);
	scan->failed |= byte < 0;
	return byte;
}

/* One atom with its quantifier. */
static void
scan_atom(LiteralScan *scan, LiteralOffer *offers)
{
	int			c = (unsigned char) *scan->at++;
	bool		exactly_one;
	int			least;

	if (c == '(')
	{
		scan_group(scan, offers);
		return;
	}
	if (c == '^' || c == '$')
		return;
	if (c == '*' || c == '+' || c == '?')
		scan->failed = true;
	else if (c == '[')
	{
		skip_class(scan);
		c = -1;
	}
	else if (c == '.')
		c = -1;
	else if (c == '\\')
		c = scan_escape(scan);
	if (c == -2)
		return;
	least = scan_quantifier(scan, &exactly_one);
	if (c >= 0 && least > 0)
		appendStringInfoChar(&offers->run, (char) l4_folded[c]);
	if (c < 0 || !exactly_one)
		end_run(offers);
}

/* Atoms up to a bar, a closing parenthesis or the end. */
static L4Literals *
scan_sequence(LiteralScan *scan)
{
	LiteralOffer offers;

	offers.best = NULL;
	initStringInfo(&offers.run);
	while (scan->at < scan->end && !scan->failed && *scan->at != '|' && *scan->at != ')')
		scan_atom(scan, &offers);
	end_run(&offers);
	return offers.best;
}

/* Adds the words of one alternative to those of the others; NULL when one has none or they become too many. */
static L4Literals *
unite(L4Literals *all, const L4Literals *more)
{
	if (all == NULL || more == NULL || all->count + more->count > LITERALS_MOST)
		return NULL;
	memcpy(all->items + all->count, more->items, more->count * sizeof(L4Bytes));
	all->count += more->count;
	return all;
}

static L4Literals *
scan_alternatives(LiteralScan *scan)
{
	L4Literals *all = palloc0(sizeof(L4Literals));

	all->items = palloc(LITERALS_MOST * sizeof(L4Bytes));
	for (;;)
	{
		all = unite(all, scan_sequence(scan));
		if (scan->failed || scan->at >= scan->end || *scan->at != '|')
			return all;
		scan->at++;
	}
}

L4Literals *
literals_of_pattern(const char *regex, size_t size)
{
	LiteralScan scan = {regex, regex + size, 0, false};
	L4Literals *literals;
	size_t		i;

	for (i = 0; i < size; i++)
		if ((unsigned char) regex[i] >= 0x80 || regex[i] == '\0' ||
			(regex[i] == '\\' && i + 1 < size && strchr("pPXQE", regex[i + 1]) != NULL))
			return NULL;
	literals = scan_alternatives(&scan);
	return scan.failed || scan.at != scan.end ? NULL : literals;
}
