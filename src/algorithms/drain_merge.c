/*
 * drain_merge.c: the merge of Drain's groups that differ in their first word alone. See drain.c.
 *
 * The prefix tree tells shapes apart by their first token, for it mostly is a word of the statement. Where it is a name without
 * digits, of a host, of a module, of a parameter of the model ("encoder.attention.query.weight has norm <*>"), each name founds
 * groups of its own. The rule of the split serves in both directions: a few words at a position tell statements apart, more
 * than that are a parameter. So groups that are alike from the second token on, with more than split_values different first
 * tokens, become one; then others of the same length that say nothing but what that one says join it. Two literal words at
 * least must be left, so that what is merged is a statement.
 *
 * Cost: O(n log n) comparisons of groups, and one comparison of each group with each merged one of its length.
 */
#include "algorithms/drain_private.h"

#include "miscadmin.h"

/* Literal words that a merged group has at least; they also are the share of its tokens that Drain's similarity asks for. */
#define MERGE_WORDS 2

/* How many times more first tokens than other tokens a statement may have: what it begins with mostly is a word of its own. */
#define MERGE_VALUES 2

/* A group that may be merged. */
typedef struct MergeItem
{
	const int  *tokens;
	int			token_count;
	int			group;
} MergeItem;

/* Order of length, then of what stands behind the first token. */
static int
compare_rest(const MergeItem *a, const MergeItem *b)
{
	if (a->token_count != b->token_count)
		return a->token_count < b->token_count ? -1 : 1;
	return memcmp(a->tokens + 1, b->tokens + 1, (a->token_count - 1) * sizeof(int));
}

/* Equal ones in the order of their first tokens, then older before newer. */
static int
compare_items(const void *a, const void *b)
{
	const MergeItem *x = a;
	const MergeItem *y = b;
	int			order = compare_rest(x, y);

	if (order == 0)
		order = (x->tokens[0] > y->tokens[0]) - (x->tokens[0] < y->tokens[0]);
	if (order == 0)
		order = (x->group > y->group) - (x->group < y->group);
	return order;
}

static int
compare_groups(const void *a, const void *b)
{
	return *(const int *) a - *(const int *) b;
}

/* Is enough said behind the first token for a statement of its own? */
static bool
rest_is_statement(Drain *drain, const MergeItem *item)
{
	int			words = 0;
	int			i;

	for (i = 1; i < item->token_count; i++)
		words += (drain->kinds[item->tokens[i]].flags & TOKEN_HOLDS_WILDCARD) == 0;
	return words >= MERGE_WORDS && words >= drain->options->similarity * item->token_count;
}

/*
 * Are the first tokens of items [begin, end), which are sorted, more than a statement has words at a position? Where one is
 * <*>, what it begins with is no word of its own.
 */
static bool
first_is_parameter(Drain *drain, const MergeItem *items, int begin, int end)
{
	int			most = items[begin].tokens[0] == TOKEN_WILDCARD ? 1 : MERGE_VALUES;
	int			count = 1;
	int			i;

	for (i = begin + 1; i < end; i++)
		count += items[i].tokens[0] != items[i - 1].tokens[0];
	return count > most * Max(drain->options->split_values, 1);
}

static void
move_members(Drain *drain, int from, int to)
{
	DrainLeafGroup *source = &drain->groups[from];
	DrainLeafGroup *target = &drain->groups[to];

	drain->next_member[target->last_member] = source->first_member;
	target->last_member = source->last_member;
	target->member_count += source->member_count;
	source->member_count = 0;
}

/* Merges items [begin, end) into the oldest of them, which is returned. */
static int
merge_items(Drain *drain, const MergeItem *items, int begin, int end)
{
	int			oldest = items[begin].group;
	int			i;

	for (i = begin; i < end; i++)
		oldest = Min(oldest, items[i].group);
	for (i = begin; i < end; i++)
		if (items[i].group != oldest)
			move_members(drain, items[i].group, oldest);
	drain->groups[oldest].tokens[0] = TOKEN_WILDCARD;
	return oldest;
}

/* Does a merged group say all that another one says? */
static bool
covers(const DrainLeafGroup *merged, const DrainLeafGroup *group)
{
	int			i;

	if (merged->token_count != group->token_count)
		return false;
	for (i = 0; i < merged->token_count; i++)
		if (merged->tokens[i] != TOKEN_WILDCARD && merged->tokens[i] != group->tokens[i])
			return false;
	return true;
}

/* Moves each group into the oldest merged one that covers it, and closes the gaps. */
static void
join_merged(Drain *drain, const int *merged, int merged_count)
{
	int			kept = 0;
	int			i;
	int			k;

	for (i = 0; i < drain->group_count; i++)
	{
		for (k = 0; k < merged_count && drain->groups[i].member_count > 0; k++)
			if (merged[k] != i && drain->groups[merged[k]].member_count > 0 &&
				covers(&drain->groups[merged[k]], &drain->groups[i]))
				move_members(drain, i, merged[k]);
		CHECK_FOR_INTERRUPTS();
	}
	for (i = 0; i < drain->group_count; i++)
		if (drain->groups[i].member_count > 0)
			drain->groups[kept++] = drain->groups[i];
	drain->group_count = kept;
}

/* Merges the groups whose first tokens are parameters. The chains of the leaves are of no use afterwards. */
void
drain_merge_groups(Drain *drain)
{
	MergeItem  *items = drain_alloc(drain, drain->group_count, sizeof(MergeItem));
	int		   *merged = drain_alloc(drain, drain->group_count, sizeof(int));
	int			merged_count = 0;
	int			count = 0;
	int			begin;
	int			end;
	int			i;

	for (i = 0; i < drain->group_count; i++)
		if (drain->groups[i].token_count > MERGE_WORDS)
			items[count++] = (MergeItem) {drain->groups[i].tokens, drain->groups[i].token_count, i};
	qsort(items, count, sizeof(MergeItem), compare_items);
	for (begin = 0; begin < count; begin = end)
	{
		for (end = begin + 1; end < count && compare_rest(&items[begin], &items[end]) == 0; end++)
			;
		if (first_is_parameter(drain, items, begin, end) && rest_is_statement(drain, &items[begin]))
			merged[merged_count++] = merge_items(drain, items, begin, end);
	}
	if (merged_count == 0)
		return;
	qsort(merged, merged_count, sizeof(int), compare_groups);
	join_merged(drain, merged, merged_count);
}
