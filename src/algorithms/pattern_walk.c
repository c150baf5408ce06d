/*
 * pattern_walk.c: walks a pattern over positions of a text without matching it: which bytes are asked for, and where.
 *
 * An automaton without building one: a set of positions goes in front of an atom, the atom is visited at each of them, and the
 * set of positions behind it comes out. Two callers: the prefilter asks which bytes may stand where in any text (prefilter.c),
 * the cache of line prefixes which bytes of one text a match depends on (line_prefix_cache.c).
 */
#include "algorithms/pattern_walk.h"

#include "algorithms/pattern_text.h"

#define WALK_STEPS 20000
#define WALK_DEPTH 40

static L4Positions walk_alternatives(L4PatternWalk *walk, L4Positions starts);

/* Is there nothing in the set but the position behind the limit? */
static bool
only_beyond(const L4PatternWalk *walk, L4Positions positions)
{
	L4Positions	beyond = positions_with(L4_NO_POSITIONS, walk->limit);

	return positions.bits[0] == beyond.bits[0] && positions.bits[1] == beyond.bits[1];
}

/* Something without room is asked for at all positions of starts. */
static void
look_at_positions(L4PatternWalk *walk, L4Positions starts)
{
	int			position;

	if (walk->look == NULL)
		return;
	for (position = positions_next(starts, 0); position < walk->limit; position = positions_next(starts, position + 1))
		walk->look(walk, position, NULL);
}

/* Visits an atom at all positions of starts; returns the positions behind it. */
static L4Positions
walk_class(L4PatternWalk *walk, L4Positions starts, const L4ByteSet *class)
{
	L4Positions	ends = L4_NO_POSITIONS;
	int			position;

	if (walk->behind)
	{
		if (walk->look != NULL && !positions_empty(starts))
			walk->look(walk, 0, class);
		return starts;
	}
	for (position = positions_next(starts, 0); position < walk->limit; position = positions_next(starts, position + 1))
		if (walk->visit(walk, position, class))
			ends = positions_with(ends, position + 1);
	return positions_have(starts, walk->limit) ? positions_with(ends, walk->limit) : ends;
}

static void
class_add_range(L4ByteSet *class, int from, int to)
{
	for (; from <= to; from++)
		class->bytes[from] = true;
}

static void
class_invert(L4ByteSet *class)
{
	int			c;

	for (c = 0; c < 256; c++)
		class->bytes[c] = !class->bytes[c];
}

/* The class of a backslash and a letter; false where it is none. */
static bool
class_of_escape(L4ByteSet *class, char letter)
{
	L4ByteSet	found = {0};
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

/*
 * One member of a bracketed class: a byte (returned), or a class of its own (added; -1). Sets failed on what it does not know.
 */
static int
read_member(L4PatternWalk *walk, L4ByteSet *class)
{
	unsigned char c = (unsigned char) *walk->at++;

	if (c == '[' && walk->at < walk->end && (*walk->at == ':' || *walk->at == '.' || *walk->at == '='))
		walk->failed = true;
	if (c != '\\')
		return c;
	if (walk->at >= walk->end)
	{
		walk->failed = true;
		return -1;
	}
	c = (unsigned char) *walk->at++;
	if (class_of_escape(class, (char) c))
		return -1;
	if (pattern_escape_byte(c) < 0)
		walk->failed = true;
	return pattern_escape_byte(c);
}

/* Reads a bracketed class, whose opening bracket is behind us. */
static void
read_class(L4PatternWalk *walk, L4ByteSet *class)
{
	bool		negated = false;
	bool		first = true;

	if (walk->at < walk->end && *walk->at == '^')
	{
		negated = true;
		walk->at++;
	}
	while (walk->at < walk->end && !walk->failed && (first || *walk->at != ']'))
	{
		int			from = read_member(walk, class);
		int			to = from;

		first = false;
		if (from >= 0 && walk->end - walk->at >= 2 && walk->at[0] == '-' && walk->at[1] != ']')
		{
			walk->at++;
			to = read_member(walk, class);
		}
		if (from >= 0 && to >= from)
			class_add_range(class, from, to);
	}
	if (walk->at >= walk->end)
		walk->failed = true;
	else
		walk->at++;
	if (negated)
		class_invert(class);
}

/* Reads the kind of a group behind its opening parenthesis; true where it takes no room (a look around). */
static bool
read_group_kind(L4PatternWalk *walk)
{
	size_t		left = walk->end - walk->at;

	if (left >= 1 && *walk->at == '*')
		walk->failed = true;
	if (left < 2 || *walk->at != '?')
		return false;
	walk->at++;
	if (*walk->at == ':')
	{
		walk->at++;
		return false;
	}
	if (*walk->at == '=' || *walk->at == '!' || (left >= 3 && *walk->at == '<' && (walk->at[1] == '=' || walk->at[1] == '!')))
	{
		walk->at += *walk->at == '<' ? 2 : 1;
		return true;
	}
	if (*walk->at == 'P')
		walk->at++;
	if (walk->at < walk->end && (*walk->at == '<' || *walk->at == '\''))
		walk->failed |= !pattern_skip_name(&walk->at, walk->end);
	else
		walk->failed = true;
	return false;
}

static L4Positions
walk_group(L4PatternWalk *walk, L4Positions starts)
{
	bool		ahead = walk->end - walk->at >= 2 && memcmp(walk->at, "?=", 2) == 0;
	bool		behind = walk->end - walk->at >= 3 && memcmp(walk->at, "?<", 2) == 0 &&
		(walk->at[2] == '=' || walk->at[2] == '!');
	bool		was_behind;
	bool		no_room = read_group_kind(walk);
	L4Positions	ends;

	if (walk->failed || ++walk->depth > WALK_DEPTH)
	{
		walk->failed = true;
		return starts;
	}
	was_behind = walk->behind;
	walk->behind |= behind;
	ends = walk_alternatives(walk, no_room && !ahead && !walk->around ? L4_NO_POSITIONS : starts);
	walk->behind = was_behind;
	walk->depth--;
	if (walk->at >= walk->end)
		walk->failed = true;
	else
		walk->at++;
	/* with nothing behind it, what a look ahead demands is as good as matched */
	if (ahead && walk->depth == 0 && walk->at == walk->end)
		return ends;
	if (ahead && walk->around && positions_empty(ends))
		return L4_NO_POSITIONS;	/* what it demands is nowhere */
	return no_room ? starts : ends;
}

/* One atom of the pattern without its quantifier. */
static L4Positions
walk_atom(L4PatternWalk *walk, L4Positions starts)
{
	L4ByteSet	class = {0};
	unsigned char c = (unsigned char) *walk->at++;

	if (c == '(')
		return walk_group(walk, starts);
	if (c == '^' || c == '$')
	{
		look_at_positions(walk, starts);
		return starts;
	}
	if (c == '[')
		read_class(walk, &class);
	else if (c == '.')
		class_invert(&class);
	else if (c == '*' || c == '+' || c == '?' || c >= 0x80)
		walk->failed = true;
	else if (c != '\\')
		class.bytes[c] = true;
	else if (walk->at >= walk->end)
		walk->failed = true;
	else
	{
		c = (unsigned char) *walk->at++;
		if (strchr("bBAGzZ", c) != NULL)
		{
			look_at_positions(walk, starts);
			return starts;
		}
		if (!class_of_escape(&class, (char) c))
		{
			if (pattern_escape_byte(c) < 0)
				walk->failed = true;
			else
				class.bytes[pattern_escape_byte(c)] = true;
		}
	}
	return walk_class(walk, starts, &class);
}

/* Reads {n}, {n,} or {n,m}; anything else in braces is literal text, which no pattern of ours has: give up on it. */
static void
read_braces(L4PatternWalk *walk, int *least, int *most)
{
	int			number = 0;
	bool		comma = false;

	walk->at++;
	*most = -1;
	for (; walk->at < walk->end && *walk->at != '}'; walk->at++)
	{
		if (*walk->at == ',' && !comma)
		{
			comma = true;
			*least = number;
			number = 0;
			if (walk->at + 1 < walk->end && walk->at[1] == '}')
				number = walk->limit + 1;
		}
		else if (*walk->at >= '0' && *walk->at <= '9' && number < 10000)
			number = number * 10 + (*walk->at - '0');
		else
			walk->failed = true;
	}
	*most = number;
	if (!comma)
		*least = number;
	if (walk->at >= walk->end)
		walk->failed = true;
	else
		walk->at++;
}

/* Reads the quantifier that may follow; 1 and 1 where there is none. Lazy and possessive marks change no set. */
static void
read_quantifier(L4PatternWalk *walk, int *least, int *most)
{
	char		c = walk->at < walk->end ? *walk->at : '\0';

	*least = c == '*' || c == '?' ? 0 : 1;
	*most = c == '*' || c == '+' ? walk->limit + 1 : 1;
	if (c == '{')
		read_braces(walk, least, most);
	else if (c == '*' || c == '+' || c == '?')
		walk->at++;
	else
		return;
	if (walk->at < walk->end && (*walk->at == '?' || *walk->at == '+'))
		walk->at++;
}

/* One atom with its quantifier: the atom is walked again from the positions where it ended, until nothing new turns up. */
static L4Positions
walk_piece(L4PatternWalk *walk, L4Positions starts)
{
	const char *atom = walk->at;
	const char *after;
	L4Positions	positions = walk_atom(walk, starts);
	L4Positions	ends;
	int			least;
	int			most;
	int			i;

	read_quantifier(walk, &least, &most);
	after = walk->at;
	ends = least == 0 ? starts : L4_NO_POSITIONS;
	for (i = 1; i <= most && !walk->failed; i++)
	{
		if (i >= least)
			ends = positions_union(ends, positions);
		if (i == most || positions_empty(positions) || only_beyond(walk, positions))
			break;
		walk->at = atom;
		positions = walk_atom(walk, positions);
	}
	if (most > 0 && i < least)
		ends = positions_union(ends, positions);
	walk->at = after;
	return ends;
}

/* Everything up to the closing parenthesis or the end. No starts: steps over it without visiting anything. */
static L4Positions
walk_alternatives(L4PatternWalk *walk, L4Positions starts)
{
	L4Positions	ends = L4_NO_POSITIONS;
	L4Positions	positions = starts;

	while (walk->at < walk->end && *walk->at != ')' && !walk->failed)
	{
		if (walk->quick && walk->depth == 0 && positions_empty(positions))
			break;
		if (++walk->steps > WALK_STEPS)
			walk->failed = true;
		if (*walk->at == '|')
		{
			walk->alternatives |= walk->depth == 0;
			ends = positions_union(ends, positions);
			positions = starts;
			walk->at++;
		}
		else
			positions = walk_piece(walk, positions);
	}
	return positions_union(ends, positions);
}

L4Positions
pattern_walk(L4PatternWalk *walk, L4Positions starts)
{
	walk->failed = walk->alternatives = walk->behind = false;
	walk->steps = 0;
	return walk_alternatives(walk, starts);
}
