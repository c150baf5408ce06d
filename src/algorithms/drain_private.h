/*
 * drain_private.h: what the files of Drain share; for nobody else. See drain.c.
 */
#ifndef L4_DRAIN_PRIVATE_H
#define L4_DRAIN_PRIVATE_H

#include "algorithms/drain.h"
#include "tools/bytes.h"

/* The number of the token <*>, which also says "differs" in the tokens of a group. */
#define TOKEN_WILDCARD 0

#define TOKEN_DIGIT 1			/* holds a digit */
#define TOKEN_HOLDS_WILDCARD 2	/* holds a <*> */
#define TOKEN_PREPOSITION 4		/* "for", "from" ... */
#define TOKEN_NAMED 8			/* "user", "host" ...: behind a preposition a name follows it */
#define TOKEN_TEXT 16			/* holds white space: a list, or a text in quotes or brackets */
#define TOKEN_BRACKETED 32		/* "[alpha]" */
#define TOKEN_WORD 64			/* letters alone */
#define TOKEN_VALUE 128			/* holds a digit or <*>, and no name of what it is ("port=<*>"): the tree takes it for <*> */
#define TOKEN_EVENT 256			/* a field that names what a record of fields says ("\"event\": \"run_stop\"") */

/* What is known of a distinct token, by its number. */
typedef struct TokenKind
{
	const char *data;
	uint32		size;
	uint16		flags;
} TokenKind;

/* A token of a shape with the white space before it. */
typedef struct TokenSpan
{
	const char *gap;			/* where the white space before it begins */
	L4Bytes		text;
	L4Bytes		word;			/* the text without punctuation and brackets behind it: what is numbered */
	L4Bytes		clause;			/* the brackets, if there are any with more in them than a quantity; else empty */
	bool		wildcard;		/* is the word a quantity: nothing but <*>, and what belongs to them? */
	bool		list;			/* is it a list of quantities in brackets, of which the word ends with the first? */
} TokenSpan;

typedef struct DrainNode
{
	int			child_count;
	int			group_count;
	int			first_group;	/* chain by next_in_leaf, -1 at its end */
	int			last_group;
} DrainNode;

/* A group of a leaf: an unsplit group. */
typedef struct DrainLeafGroup
{
	int		   *tokens;
	int			token_count;
	int			differing;		/* how many of tokens are TOKEN_WILDCARD */
	int			next_in_leaf;
	int			first_member;	/* chain by next_member, -1 at its end */
	int			last_member;
	int			member_count;
	int			begin;			/* in members; they end where those of the next group begin */
	L4Bytes		template;
} DrainLeafGroup;

/* A group after the split: some members of an unsplit group. */
typedef struct DrainRange
{
	int			begin;			/* in members */
	int			end;
	int			group;			/* the unsplit group */
	int			parent;			/* its number in the result */
	L4Bytes		template;
} DrainRange;

typedef struct Drain
{
	const L4DrainOptions *options;
	MemoryContext context;		/* working memory, freed at the end */
	int			shape_count;
	L4Bytes    *shapes;			/* distinct, in byte order */
	size_t	   *token_begin;	/* shape_count + 1 positions in tokens */
	int		   *tokens;
	int		   *clauses;		/* of tokens: the number of the brackets behind each, TOKEN_WILDCARD if they tell nothing */
	struct token_table_hash *token_numbers;
	int			kind_count;
	int			kind_room;
	TokenKind  *kinds;			/* by token number */
	struct edge_table_hash *edges;
	int			node_count;
	int			node_room;
	DrainNode  *nodes;
	int			group_count;
	int			group_room;
	DrainLeafGroup *groups;
	int		   *next_member;	/* by shape */
	int			range_count;	/* the groups after the split: ranges of members */
	int			range_room;
	DrainRange *ranges;
	int		   *members;		/* shape numbers, each range in ascending order */
	int		   *spare;			/* as many, to reorder members */
} Drain;

static inline bool
is_placeholder(const char *at, const char *end)
{
	return end - at >= L4_PLACEHOLDER_SIZE && memcmp(at, L4_PLACEHOLDER, L4_PLACEHOLDER_SIZE) == 0;
}

static inline int *
shape_tokens(Drain *drain, int shape)
{
	return drain->tokens + drain->token_begin[shape];
}

static inline int
shape_token_count(Drain *drain, int shape)
{
	return (int) (drain->token_begin[shape + 1] - drain->token_begin[shape]);
}

/* drain_words.c */
extern bool drain_is_one_of(L4Bytes text, const char *words);
extern bool drain_names_event(L4Bytes text);
extern bool drain_next_token(L4Bytes shape, size_t *at, TokenSpan *span);

/* drain_tokens.c: memory within the limit, and tokens */
extern void drain_reserve(Drain *drain, size_t more);
extern void *drain_alloc(Drain *drain, size_t count, size_t size);
extern void *drain_grow(Drain *drain, void *array, int count, int *room, size_t size);
extern void drain_number_tokens(Drain *drain);

/* drain_merge.c */
extern void drain_merge_groups(Drain *drain);

/* drain_split.c */
extern void drain_split_groups(Drain *drain);

/* drain_template.c */
extern void drain_write_templates(Drain *drain);

#endif							/* L4_DRAIN_PRIVATE_H */
