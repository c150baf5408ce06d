/*
 * drain_tokens.c: Drain's working memory, the tokens of shapes and their numbers, and keys made of them. See drain.c.
 */
#include "algorithms/drain_private.h"

#include "algorithms/mask.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

/* The numbers of tokens, found by their texts: an entry holds the number, and the text is that of kinds[number]. */
typedef struct TokenEntry
{
	int			number;
	uint32		hash;
	char		status;
} TokenEntry;

static inline uint32
kind_hash(const TokenKind *kind)
{
	return hash_bytes((const unsigned char *) kind->data, (int) kind->size);
}

static inline bool
kind_equal(const TokenKind *a, const TokenKind *b)
{
	return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

#define SH_PREFIX token_table
#define SH_ELEMENT_TYPE TokenEntry
#define SH_KEY_TYPE int
#define SH_KEY number
#define SH_HASH_KEY(table, key) kind_hash((*(TokenKind **) (table)->private_data) + (key))
#define SH_EQUAL(table, a, b) \
	kind_equal((*(TokenKind **) (table)->private_data) + (a), (*(TokenKind **) (table)->private_data) + (b))
#define SH_STORE_HASH
#define SH_GET_HASH(table, entry) (entry)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* Refuses `more` bytes on top of what is used where the limit does not allow them. */
void
drain_reserve(Drain *drain, size_t more)
{
	size_t		limit = drain->options->memory_limit;
	size_t		needed;

	if (limit == 0)
		return;
	needed = add_size(MemoryContextMemAllocated(drain->context, true), more);
	if (needed > limit)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("clustering %d shapes needs more memory than allowed", drain->shape_count),
				 errdetail("At least %zu kB are needed, %zu kB are allowed.", needed / 1024, limit / 1024),
				 errhint("Raise maintenance_work_mem, or cluster fewer shapes at once.")));
}

void *
drain_alloc(Drain *drain, size_t count, size_t size)
{
	size_t		bytes = mul_size(Max(count, 1), size);

	drain_reserve(drain, bytes);
	return MemoryContextAllocHuge(drain->context, bytes);
}

/* Makes room for one more element in an array, by doubling. */
void *
drain_grow(Drain *drain, void *array, int count, int *room, size_t size)
{
	if (count < *room)
		return array;
	if (*room > PG_INT32_MAX / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many distinct shapes or tokens to cluster")));
	*room *= 2;
	drain_reserve(drain, mul_size(*room, size));
	return repalloc_huge(array, mul_size(*room, size));
}

/* Those of a token's flags that say what it is made of. */
static uint16
value_flags(L4Bytes text)
{
	uint16		flags = TOKEN_WORD;
	size_t		i;

	for (i = 0; i < text.size; i++)
	{
		if (!is_letter(text.data[i]))
			flags &= ~TOKEN_WORD;
		if (text.data[i] >= '0' && text.data[i] <= '9')
			flags |= TOKEN_DIGIT;
		else if (is_placeholder(text.data + i, text.data + text.size))
			flags |= TOKEN_HOLDS_WILDCARD;
		else if (text.data[i] == ' ')
			flags |= TOKEN_TEXT;
	}
	if (text.size > 2 && text.data[0] == '[' && text.data[text.size - 1] == ']')
		flags |= TOKEN_BRACKETED;
	if ((flags & (TOKEN_DIGIT | TOKEN_HOLDS_WILDCARD)) && memchr(text.data, '=', text.size) == NULL)
		flags |= TOKEN_VALUE;
	return flags;
}

static uint16
token_flags(L4Bytes text)
{
	uint16		flags = value_flags(text);

	if (drain_is_one_of(text, "for from by of as to on at with in"))
		flags |= TOKEN_PREPOSITION;
	if (drain_is_one_of(text, "user host node machine account group role queue partition"))
		flags |= TOKEN_NAMED;
	if ((flags & (TOKEN_TEXT | TOKEN_HOLDS_WILDCARD)) == TOKEN_TEXT && drain_names_event(text))
		flags |= TOKEN_EVENT;
	return flags;
}

/* The number of a token's text: equal texts have equal numbers. */
static int
token_number(Drain *drain, L4Bytes text)
{
	token_table_hash *table = drain->token_numbers;
	TokenEntry *entry;
	TokenKind  *kind;
	bool		found;

	if (table->members >= table->grow_threshold)
		drain_reserve(drain, mul_size(table->size * 2, sizeof(TokenEntry)));
	/* it takes the next number, unless the text has one already */
	drain->kinds = drain_grow(drain, drain->kinds, drain->kind_count, &drain->kind_room, sizeof(TokenKind));
	kind = &drain->kinds[drain->kind_count];
	kind->data = text.data;
	kind->size = (uint32) text.size;
	entry = token_table_insert(table, drain->kind_count, &found);
	if (!found)
	{
		kind->flags = token_flags(text);
		drain->kind_count++;
	}
	return entry->number;
}

static void
init_tokens(Drain *drain)
{
	drain->token_numbers = token_table_create(drain->context, 256, &drain->kinds);
	drain->kind_room = 64;
	drain->kinds = drain_alloc(drain, drain->kind_room, sizeof(TokenKind));
	drain->kinds[TOKEN_WILDCARD].data = L4_PLACEHOLDER;
	drain->kinds[TOKEN_WILDCARD].size = L4_PLACEHOLDER_SIZE;
	drain->kinds[TOKEN_WILDCARD].flags = TOKEN_HOLDS_WILDCARD;
	drain->kind_count = 1;
}

/* Numbers the tokens of all shapes. */
void
drain_number_tokens(Drain *drain)
{
	size_t		total = 0;
	int			i;

	init_tokens(drain);
	drain->token_begin = drain_alloc(drain, (size_t) drain->shape_count + 1, sizeof(size_t));
	for (i = 0; i < drain->shape_count; i++)
	{
		size_t		at = 0;
		TokenSpan	span;

		drain->token_begin[i] = total;
		while (drain_next_token(drain->shapes[i], &at, &span))
			total++;
		CHECK_FOR_INTERRUPTS();
	}
	drain->token_begin[i] = total;
	drain->tokens = drain_alloc(drain, total, sizeof(int));
	drain->clauses = drain_alloc(drain, total, sizeof(int));
	for (i = 0; i < drain->shape_count; i++)
	{
		size_t		number = drain->token_begin[i];
		size_t		at = 0;
		TokenSpan	span;

		for (; drain_next_token(drain->shapes[i], &at, &span); number++)
		{
			drain->tokens[number] = span.wildcard ? TOKEN_WILDCARD : token_number(drain, span.word);
			drain->clauses[number] = span.clause.size == 0 ? TOKEN_WILDCARD : token_number(drain, span.clause);
		}
		CHECK_FOR_INTERRUPTS();
	}
}

/* A hash of a token; of all that the prefix tree takes for parameters the same. */
static uint64
token_hash(const TokenSpan *span)
{
	if (span->wildcard || (value_flags(span->word) & TOKEN_VALUE))
		return TOKEN_WILDCARD;
	return shape_hash(span->word.data, span->word.size);
}

int64
drain_key(L4Bytes shape)
{
	size_t		at = 0;
	uint64		first = 0;
	uint64		second = 0;
	int64		count;
	TokenSpan	span;

	for (count = 0; drain_next_token(shape, &at, &span); count++)
		if (count == 0)
			first = token_hash(&span);
		else if (count == 1)
			second = token_hash(&span);
	second = first * UINT64CONST(0x9e3779b97f4a7c15) + second;
	return Min(count, 0x7fff) << 48 | (int64) (first >> 40 << 24) | (int64) (second >> 40);
}
