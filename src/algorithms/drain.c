/*
 * drain.c: groups shapes into events (Drain, He et al., ICWS 2017), as a pure function of the set of shapes.
 *
 * Drain reads a stream, and its groups depend on the order of arrival. Here it reads the distinct shapes, of which there are
 * thousands where there are hundreds of millions of lines, in one defined order: that of their bytes. So the answer is the same
 * for any order of lines, any plan and any machine. Steps:
 *
 *  1. Shapes are cut at white space into tokens (drain_words.c); what a statement may print or not (units, lists, brackets)
 *     becomes part of a token. Tokens are numbered (drain_tokens.c), and only numbers are compared from here on.
 *  2. The prefix tree: number of tokens, then the first (depth - 3) tokens, then a leaf with its groups. A token with a <*>
 *     in it goes the way of <*>, as one with a digit does in the paper: here the mask has taken the digits. A record of fields
 *     of which one names the event ("\"event\": \"run_stop\"") goes the way of that, too, for all else in it may be alike
 *     in all events of a program. A shape joins the
 *     most similar group of its leaf, if it is similar enough, else it founds one. A group keeps, per position, the token or
 *     "differs".
 *  3. The merge (drain_merge.c): groups of many names in the first place ("alpha joined", "beta joined" ...) are one.
 *  4. The split (drain_split.c): a position of a group at which a few words alternate ("started", "stopped") tells statements
 *     apart, and the group is split there; so do clauses in brackets of which several alternate. What was the group is the
 *     parent of the parts.
 *  5. Templates (drain_template.c): the text of the first member with <*> for each token in which the members differ. Groups
 *     with the same template are one.
 *
 * A departure from the paper, for shapes made mostly of <*>: a position at which the group and the shape both have <*> counts
 * neither for nor against. Drain counts it against, so that such a shape does not even join its own template. Size is
 * bounded: a node of the tree has at most NODE_CHILDREN children (as in the paper), and a leaf at most LEAF_GROUPS groups; past
 * that a shape joins the most similar group there, however little that is.
 *
 * Cost: memory O(total bytes); time O(n log n) comparisons to sort, and per token one comparison with each group of the leaf.
 */
#include "algorithms/drain_private.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

/* Children of a node of the prefix tree; later tokens share the node of <*>. The paper's maxChild. */
#define NODE_CHILDREN 100
/* Groups of a leaf; later shapes join the most similar one. */
#define LEAF_GROUPS 500

typedef struct EdgeEntry
{
	uint64		key;			/* node << 32 | token */
	int			child;
	char		status;
} EdgeEntry;

#define SH_PREFIX edge_table
#define SH_ELEMENT_TYPE EdgeEntry
#define SH_KEY_TYPE uint64
#define SH_KEY key
#define SH_HASH_KEY(table, key) murmurhash32((uint32) ((key) ^ ((key) >> 32) * 0x9E3779B1u))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

typedef struct SortItem
{
	L4Bytes		text;
	int			index;
} SortItem;

/* ---- the prefix tree ---- */

static int
add_node(Drain *drain)
{
	DrainNode  *node;

	drain->nodes = drain_grow(drain, drain->nodes, drain->node_count, &drain->node_room, sizeof(DrainNode));
	node = &drain->nodes[drain->node_count];
	node->child_count = node->group_count = 0;
	node->first_group = node->last_group = -1;
	return drain->node_count++;
}

/* The child of a node by a key (a token, or a number of tokens under the root), made where missing and allowed; else -1. */
static int
node_child(Drain *drain, int node, int key, bool may_add)
{
	uint64		edge = ((uint64) node << 32) | (uint32) key;
	EdgeEntry  *entry = edge_table_lookup(drain->edges, edge);
	bool		found;
	int			child;

	if (entry != NULL)
		return entry->child;
	if (!may_add)
		return -1;
	child = add_node(drain);
	if (drain->edges->members >= drain->edges->grow_threshold)
		drain_reserve(drain, mul_size(drain->edges->size * 2, sizeof(EdgeEntry)));
	entry = edge_table_insert(drain->edges, edge, &found);
	entry->child = child;
	drain->nodes[node].child_count++;
	return child;
}

/* Where a token leads from a node: one with a digit or <*> in it, and one for which it has no more room, the way of <*>. */
static int
way_of(Drain *drain, int node, int token)
{
	int			child = -1;

	if (!(drain->kinds[token].flags & TOKEN_VALUE))
		child = node_child(drain, node, token, drain->nodes[node].child_count < NODE_CHILDREN);
	if (child < 0)
		child = node_child(drain, node, TOKEN_WILDCARD, true);
	return child;
}

/* The leaf of a shape: the way of its first tokens, then of the first that names the event of a record, if there is one. */
static int
find_leaf(Drain *drain, int shape)
{
	const int  *tokens = shape_tokens(drain, shape);
	int			token_count = shape_token_count(drain, shape);
	int			levels = Min(drain->options->depth - 3, token_count);
	int			node = node_child(drain, 0, token_count, true);
	int			i;

	for (i = 0; i < levels; i++)
		node = way_of(drain, node, tokens[i]);
	for (i = levels; i < token_count; i++)
		if (drain->kinds[tokens[i]].flags & TOKEN_EVENT)
			return way_of(drain, node, tokens[i]);
	return node;
}

/* How alike are a group and a shape: the share of equal tokens among the positions where not both have <*>; 1 where all do. */
static inline double
token_similarity(const int *group, const int *shape, int count)
{
	int			equal = 0;
	int			both_wild = 0;
	int			i;

	for (i = 0; i < count; i++)
	{
		equal += group[i] == shape[i];
		both_wild += (group[i] | shape[i]) == TOKEN_WILDCARD;
	}
	if (both_wild == count)
		return 1.0;
	return (double) (equal - both_wild) / (count - both_wild);
}

/*
 * The group of a leaf that a shape joins: the most similar, then the more general, then the older one. -1 where none is similar
 * enough.
 */
static int
find_group(Drain *drain, int leaf, int shape)
{
	const int  *tokens = shape_tokens(drain, shape);
	int			token_count = shape_token_count(drain, shape);
	double		best_similarity = drain->options->similarity;
	int			best = -1;
	int			i;

	if (drain->nodes[leaf].group_count >= LEAF_GROUPS)
		best_similarity = 0;
	for (i = drain->nodes[leaf].first_group; i >= 0; i = drain->groups[i].next_in_leaf)
	{
		DrainLeafGroup *group = &drain->groups[i];
		double		similarity = token_similarity(group->tokens, tokens, token_count);

		if (similarity > best_similarity ||
			(similarity == best_similarity && (best < 0 || group->differing > drain->groups[best].differing)))
		{
			best = i;
			best_similarity = similarity;
		}
	}
	return best;
}

/* A new group of a leaf with one member, the shape. */
static void
found_group(Drain *drain, int leaf, int shape)
{
	DrainNode  *node = &drain->nodes[leaf];
	DrainLeafGroup *group;
	int			number = drain->group_count;
	int			i;

	drain->groups = drain_grow(drain, drain->groups, number, &drain->group_room, sizeof(DrainLeafGroup));
	drain->group_count++;
	group = &drain->groups[number];
	group->token_count = shape_token_count(drain, shape);
	group->tokens = drain_alloc(drain, group->token_count, sizeof(int));
	memcpy(group->tokens, shape_tokens(drain, shape), group->token_count * sizeof(int));
	group->differing = 0;
	for (i = 0; i < group->token_count; i++)
		group->differing += group->tokens[i] == TOKEN_WILDCARD;
	group->next_in_leaf = -1;
	group->first_member = group->last_member = shape;
	group->member_count = 1;
	if (node->last_group >= 0)
		drain->groups[node->last_group].next_in_leaf = number;
	else
		node->first_group = number;
	node->last_group = number;
	node->group_count++;
}

static void
join_group(Drain *drain, int number, int shape)
{
	DrainLeafGroup *group = &drain->groups[number];
	const int  *tokens = shape_tokens(drain, shape);
	int			i;

	group->differing = 0;
	for (i = 0; i < group->token_count; i++)
	{
		if (group->tokens[i] != tokens[i])
			group->tokens[i] = TOKEN_WILDCARD;
		group->differing += group->tokens[i] == TOKEN_WILDCARD;
	}
	drain->next_member[group->last_member] = shape;
	group->last_member = shape;
	group->member_count++;
}

/* Puts every shape into a group, in byte order. */
static void
group_shapes(Drain *drain)
{
	int			i;

	drain->next_member = drain_alloc(drain, drain->shape_count, sizeof(int));
	add_node(drain);
	for (i = 0; i < drain->shape_count; i++)
	{
		int			leaf = find_leaf(drain, i);
		int			group = find_group(drain, leaf, i);

		drain->next_member[i] = -1;
		if (group >= 0)
			join_group(drain, group, i);
		else
			found_group(drain, leaf, i);
		CHECK_FOR_INTERRUPTS();
	}
}

/* ---- the result ---- */

static int
compare_bytes(L4Bytes a, L4Bytes b)
{
	int			order = memcmp(a.data, b.data, Min(a.size, b.size));

	if (order == 0 && a.size != b.size)
		order = a.size < b.size ? -1 : 1;
	return order;
}

static int
compare_items(const void *a, const void *b)
{
	return compare_bytes(((const SortItem *) a)->text, ((const SortItem *) b)->text);
}

/* By template, then by parent. */
static int
compare_ranges(const void *a, const void *b)
{
	const DrainRange *x = a;
	const DrainRange *y = b;
	int			order = compare_bytes(x->template, y->template);

	if (order == 0)
		order = (x->parent > y->parent) - (x->parent < y->parent);
	return order;
}

static char *
copy_text(L4Bytes text)
{
	char	   *copy = MemoryContextAllocHuge(CurrentMemoryContext, add_size(text.size, 1));

	memcpy(copy, text.data, text.size);
	copy[text.size] = '\0';
	return copy;
}

/* Fills the parents of the result, equal ones once, and says for each range which is its own. */
static void
number_parents(Drain *drain, L4DrainResult *result)
{
	SortItem   *items = drain_alloc(drain, drain->group_count, sizeof(SortItem));
	int		   *parent_of = drain_alloc(drain, drain->group_count, sizeof(int));
	int			i;

	for (i = 0; i < drain->group_count; i++)
	{
		items[i].text = drain->groups[i].template;
		items[i].index = i;
	}
	qsort(items, drain->group_count, sizeof(SortItem), compare_items);
	result->parents = palloc(Max(drain->group_count, 1) * sizeof(char *));
	for (i = 0; i < drain->group_count; i++)
	{
		if (i == 0 || compare_items(&items[i - 1], &items[i]) != 0)
			result->parents[result->parent_count++] = copy_text(items[i].text);
		parent_of[items[i].index] = result->parent_count - 1;
	}
	for (i = 0; i < drain->range_count; i++)
		drain->ranges[i].parent = parent_of[drain->ranges[i].group];
}

/*
 * Fills the groups of the result: ranges in the order of their templates, equal ones as one (with the first of their parents).
 */
static void
number_groups(Drain *drain, L4DrainResult *result, int *group_of_shape)
{
	L4DrainGroup *group = NULL;
	int			i;
	int			k;

	qsort(drain->ranges, drain->range_count, sizeof(DrainRange), compare_ranges);
	result->groups = MemoryContextAllocHuge(CurrentMemoryContext, mul_size(Max(drain->range_count, 1), sizeof(L4DrainGroup)));
	for (i = 0; i < drain->range_count; i++)
	{
		DrainRange *range = &drain->ranges[i];

		if (i == 0 || compare_bytes(range[-1].template, range->template) != 0)
		{
			group = &result->groups[result->group_count++];
			group->template = copy_text(range->template);
			group->template_size = range->template.size;
			group->parent = range->parent;
			group->member_count = 0;
		}
		group->member_count += range->end - range->begin;
		for (k = range->begin; k < range->end; k++)
			group_of_shape[drain->members[k]] = result->group_count - 1;
	}
}

static L4DrainResult *
build_result(Drain *drain, const int *shape_of_input, int n)
{
	L4DrainResult *result = palloc0(sizeof(L4DrainResult));
	int		   *group_of_shape = drain_alloc(drain, drain->shape_count, sizeof(int));
	int			i;

	number_parents(drain, result);
	number_groups(drain, result, group_of_shape);
	result->group_of = MemoryContextAllocHuge(CurrentMemoryContext, mul_size(Max(n, 1), sizeof(int)));
	for (i = 0; i < n; i++)
		result->group_of[i] = group_of_shape[shape_of_input[i]];
	return result;
}

/* Takes the distinct shapes, in byte order; says for each input which it is. */
static int *
sort_shapes(Drain *drain, const L4Bytes *shapes, int n)
{
	SortItem   *items = drain_alloc(drain, n, sizeof(SortItem));
	int		   *shape_of_input = drain_alloc(drain, n, sizeof(int));
	int			i;

	drain->shapes = drain_alloc(drain, n, sizeof(L4Bytes));
	for (i = 0; i < n; i++)
	{
		items[i].text = shapes[i];
		items[i].index = i;
	}
	qsort(items, n, sizeof(SortItem), compare_items);
	for (i = 0; i < n; i++)
	{
		if (i == 0 || compare_items(&items[i - 1], &items[i]) != 0)
			drain->shapes[drain->shape_count++] = items[i].text;
		shape_of_input[items[i].index] = drain->shape_count - 1;
	}
	pfree(items);
	return shape_of_input;
}

static void
drain_init(Drain *drain, const L4DrainOptions *options)
{
	memset(drain, 0, sizeof(Drain));
	drain->options = options;
	drain->context = AllocSetContextCreate(CurrentMemoryContext, "l4 drain", ALLOCSET_DEFAULT_SIZES);
	drain->edges = edge_table_create(drain->context, 256, NULL);
	drain->node_room = drain->group_room = drain->range_room = 64;
	drain->nodes = drain_alloc(drain, drain->node_room, sizeof(DrainNode));
	drain->groups = drain_alloc(drain, drain->group_room, sizeof(DrainLeafGroup));
	drain->ranges = drain_alloc(drain, drain->range_room, sizeof(DrainRange));
}

/*
 * drain_cluster: groups n shapes, see the top of this file. Goes in: the shapes, in any order, equal ones counting once;
 * options within their bounds. Comes out: groups and their parents in byte order of their templates, and the group of each
 * shape; in the current memory context. Errors: 54000 where the working memory would pass options->memory_limit.
 */
L4DrainResult *
drain_cluster(const L4Bytes *shapes, int n, const L4DrainOptions *options)
{
	Drain		drain;
	L4DrainResult *result;
	int		   *shape_of_input;

	Assert(options->depth >= 3 && options->split_values <= L4_DRAIN_SPLIT_VALUES_MAX);
	drain_init(&drain, options);
	shape_of_input = sort_shapes(&drain, shapes, n);
	drain_number_tokens(&drain);
	group_shapes(&drain);
	drain_merge_groups(&drain);
	drain_split_groups(&drain);
	drain_write_templates(&drain);
	result = build_result(&drain, shape_of_input, n);
	MemoryContextDelete(drain.context);
	return result;
}
