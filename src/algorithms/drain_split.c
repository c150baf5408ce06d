/*
 * drain_split.c: the split of Drain's groups at positions that tell statements apart. See drain.c.
 *
 * Drain takes every position in which the members of a group differ for a parameter. Where only a few words stand at a
 * position ("started" / "stopped", "from INIT to RUNNING") they are part of the statement, and the lines say different
 * things. So, in each group, the position with the fewest distinct tokens is looked at: if these are few, are words, and are
 * no names, the group is split there, and each part is looked at again. Else what differs in the group are parameters. Then
 * the same with the clauses in brackets behind the tokens.
 */
#include "algorithms/drain_private.h"

#include "miscadmin.h"
#include "storage/shmem.h"

/* How often in a row a group is split: bounds the time for hostile input; real groups need 5 or less. */
#define SPLIT_ROUNDS 16

/* The distinct tokens of a position within a range, up to one more than split_values. */
typedef struct PositionValues
{
	int			count;
	int		   *values;
} PositionValues;

static void
note_value(Drain *drain, PositionValues *position, int token)
{
	int			i;

	for (i = 0; i < position->count; i++)
		if (position->values[i] == token)
			return;
	if (position->count <= drain->options->split_values)
		position->values[position->count++] = token;
}

/* The bytes of a token before its first <*> (of_end false) or behind its last; all of it where it has none. */
static L4Bytes
literal_end(const TokenKind *token, bool of_end)
{
	const char *end = token->data + token->size;
	const char *at;

	if (!of_end)
	{
		for (at = token->data; at < end && !is_placeholder(at, end); at++)
			;
		return (L4Bytes) {token->data, at - token->data};
	}
	for (at = end; at > token->data; at--)
		if (at - token->data >= L4_PLACEHOLDER_SIZE && is_placeholder(at - L4_PLACEHOLDER_SIZE, end))
			break;
	return (L4Bytes) {at, end - at};
}

/* Could two tokens, of which at least one holds <*>, stand for the same text, as far as their ends tell? */
static bool
tokens_overlap(const TokenKind *a, const TokenKind *b)
{
	L4Bytes		x = literal_end(a, false);
	L4Bytes		y = literal_end(b, false);
	size_t		size = Min(x.size, y.size);

	if (memcmp(x.data, y.data, size) != 0)
		return false;
	x = literal_end(a, true);
	y = literal_end(b, true);
	size = Min(x.size, y.size);
	return memcmp(x.data + x.size - size, y.data + y.size - size, size) == 0;
}

/*
 * Are the values words of the statement rather than parameters: no digits, no texts of several words unless they are clauses,
 * and none that could be an instance of another?
 */
static bool
values_are_words(Drain *drain, const PositionValues *position, bool of_clauses)
{
	uint16		no_words = of_clauses ? TOKEN_DIGIT : TOKEN_DIGIT | TOKEN_TEXT;
	int			i;
	int			k;

	for (i = 0; i < position->count; i++)
	{
		TokenKind  *kind = &drain->kinds[position->values[i]];

		if (kind->flags & no_words)
			return false;
		for (k = 0; k < position->count && (kind->flags & TOKEN_HOLDS_WILDCARD); k++)
			if (k != i && tokens_overlap(kind, &drain->kinds[position->values[k]]))
				return false;
	}
	return true;
}

/* Does a name stand at the position, as in "for user root", "on host alpha" or "link [LNKA]"? */
static bool
position_is_name(Drain *drain, int member, int position)
{
	const int  *tokens = shape_tokens(drain, member);

	if (position >= 1 && (drain->kinds[tokens[position]].flags & TOKEN_BRACKETED) &&
		(drain->kinds[tokens[position - 1]].flags & TOKEN_WORD))
		return true;
	return position >= 2 && (drain->kinds[tokens[position - 1]].flags & TOKEN_NAMED) &&
		(drain->kinds[tokens[position - 2]].flags & TOKEN_PREPOSITION);
}

/* Is <*> among the values? Then the others stand for it, and the position is a parameter. */
static bool
has_wildcard(const PositionValues *position)
{
	int			i;

	for (i = 0; i < position->count; i++)
		if (position->values[i] == TOKEN_WILDCARD)
			return true;
	return false;
}

/*
 * The position with the fewest distinct values, but at least two and not <*>, among members [begin, end), the first of
 * several; NULL where it has too many, or one that is no word: then what differs are parameters. The values are tokens or the
 * clauses behind them (`numbers`); a clause that is missing is none, so that one which is there or not tells nothing apart.
 */
static PositionValues *
split_position(Drain *drain, PositionValues *positions, const int *numbers, int token_count, int begin, int end)
{
	bool		of_clauses = numbers == drain->clauses;
	PositionValues *best = NULL;
	int			i;
	int			k;

	for (k = 0; k < token_count; k++)
		positions[k].count = 0;
	for (i = begin; i < end; i++)
	{
		const int  *tokens = numbers + drain->token_begin[drain->members[i]];

		for (k = 0; k < token_count; k++)
			if (!of_clauses || tokens[k] != TOKEN_WILDCARD)
				note_value(drain, &positions[k], tokens[k]);
		CHECK_FOR_INTERRUPTS();
	}
	for (k = 0; k < token_count; k++)
		if (positions[k].count >= 2 && !has_wildcard(&positions[k]) && (best == NULL || positions[k].count < best->count))
			best = &positions[k];
	if (best == NULL || best->count > drain->options->split_values || !values_are_words(drain, best, of_clauses) ||
		(!of_clauses && position_is_name(drain, drain->members[begin], best - positions)))
		return NULL;
	return best;
}

/*
 * Orders members [begin, end) by which of the values they have at a position, else as they were; behind them those with none of
 * these. ends[i] is where value i's part ends.
 */
static void
partition_members(Drain *drain, int begin, int end, const int *numbers, int position, const int *values, int value_count,
				  int *ends)
{
	int			to = begin;
	int			v;
	int			i;

	for (v = 0; v < value_count; v++)
	{
		for (i = begin; i < end; i++)
			if (numbers[drain->token_begin[drain->members[i]] + position] == values[v])
				drain->spare[to++] = drain->members[i];
		ends[v] = to;
	}
	for (i = begin; i < end && to < end; i++)
		if (numbers[drain->token_begin[drain->members[i]] + position] == TOKEN_WILDCARD)
			drain->spare[to++] = drain->members[i];
	memcpy(drain->members + begin, drain->spare + begin, (end - begin) * sizeof(int));
}

static void
add_range(Drain *drain, int begin, int end, int group)
{
	DrainRange *range;

	drain->ranges = drain_grow(drain, drain->ranges, drain->range_count, &drain->range_room, sizeof(DrainRange));
	range = &drain->ranges[drain->range_count++];
	range->begin = begin;
	range->end = end;
	range->group = group;
}

/* Splits members [begin, end) of a group as long as a position tells statements apart; each part becomes a range. */
static void
split_members(Drain *drain, PositionValues *positions, int group, int begin, int end, int rounds)
{
	int			token_count = drain->groups[group].token_count;
	const int  *numbers = drain->tokens;
	PositionValues *best = NULL;
	int			values[L4_DRAIN_SPLIT_VALUES_MAX];
	int			ends[L4_DRAIN_SPLIT_VALUES_MAX + 1];
	int			count;
	int			i;

	if (end - begin > 1 && rounds > 0 && drain->options->split_values >= 2)
	{
		best = split_position(drain, positions, numbers, token_count, begin, end);
		if (best == NULL)
		{
			numbers = drain->clauses;
			best = split_position(drain, positions, numbers, token_count, begin, end);
		}
	}
	if (best == NULL)
	{
		add_range(drain, begin, end, group);
		return;
	}
	count = best->count;
	memcpy(values, best->values, count * sizeof(int));
	partition_members(drain, begin, end, numbers, best - positions, values, count, ends);
	if (ends[count - 1] < end)
		ends[count++] = end;
	for (i = 0; i < count; i++)
	{
		split_members(drain, positions, group, begin, ends[i], rounds - 1);
		begin = ends[i];
	}
}

/* Lays the members of all groups out as ranges and splits them. */
void
drain_split_groups(Drain *drain)
{
	int			longest = 0;
	int			end = 0;
	int			width = Max(drain->options->split_values, 1) + 1;
	PositionValues *positions;
	int		   *values;
	int			i;

	for (i = 0; i < drain->group_count; i++)
		longest = Max(longest, drain->groups[i].token_count);
	positions = drain_alloc(drain, longest, sizeof(PositionValues));
	values = drain_alloc(drain, mul_size(longest, width), sizeof(int));
	for (i = 0; i < longest; i++)
		positions[i].values = values + (size_t) i * width;
	drain->members = drain_alloc(drain, drain->shape_count, sizeof(int));
	drain->spare = drain_alloc(drain, drain->shape_count, sizeof(int));
	for (i = 0; i < drain->group_count; i++)
	{
		DrainLeafGroup *group = &drain->groups[i];
		int			member;

		group->begin = end;
		for (member = group->first_member; member >= 0; member = drain->next_member[member])
			drain->members[end++] = member;
		split_members(drain, positions, i, group->begin, end, SPLIT_ROUNDS);
	}
}
