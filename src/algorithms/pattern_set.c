/*
 * pattern_set.c: many patterns on many texts, quickly.
 *
 * Of the words that a match of a pattern must hold (literals.c) each is represented by three bytes of it, those that the fewest
 * other words have in common. One pass over the text looks each three bytes up, first in a table of bits that stays in the
 * nearest cache, and where the bytes are known compares the words. Only patterns with a word in the text, and the few that have
 * no words, are run. The result is the same as that of running all.
 */
#include "algorithms/pattern_set.h"

#include "algorithms/literals.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define GRAM_BITS 16
#define GRAM_SLOTS (1 << GRAM_BITS)
/* Between two looks for interrupts. */
#define SCAN_BYTES ((size_t) 1 << 20)

typedef struct SetWord
{
	L4Bytes		text;
	int			pattern;
	int			gram_at;		/* where in the text its three bytes stand */
	int			next;			/* the next word with the same gram, or -1 */
} SetWord;

struct L4PatternSet
{
	MemoryContext context;
	L4Pattern **patterns;
	int			count;
	int			room;
	SetWord    *words;
	int			word_count;
	int			word_room;
	bool		indexed;
	int		   *first_word;		/* per gram: a word, or -1 */
	uint64	   *known;			/* per gram: has it a word? */
	bool	   *wordless;		/* per pattern: always tried */
	int		   *tried;			/* per pattern: number of the last text it is a candidate for */
	int			texts;
	int		   *matches;
	int		   *given_up;
	int			given_up_count;
	char	   *folded;
	size_t		folded_room;
};

static inline uint32
gram_of(const unsigned char *at)
{
	uint32		bytes = at[0] | ((uint32) at[1] << 8) | ((uint32) at[2] << 16);

	return (bytes * 0x9E3779B1U) >> (32 - GRAM_BITS);
}

L4PatternSet *
pattern_set_create(void)
{
	L4PatternSet *set = palloc0(sizeof(L4PatternSet));

	set->context = CurrentMemoryContext;
	set->room = 64;
	set->patterns = palloc(set->room * sizeof(L4Pattern *));
	set->wordless = palloc(set->room * sizeof(bool));
	set->word_room = 256;
	set->words = palloc(set->word_room * sizeof(SetWord));
	return set;
}

static void
add_word(L4PatternSet *set, L4Bytes text)
{
	SetWord    *word;

	if (set->word_count == set->word_room)
	{
		set->word_room *= 2;
		set->words = repalloc(set->words, mul_size(set->word_room, sizeof(SetWord)));
	}
	word = &set->words[set->word_count++];
	word->text = text;
	word->pattern = set->count;
	word->gram_at = 0;
	word->next = -1;
}

void
pattern_set_add(L4PatternSet *set, L4Bytes pattern, const char *name)
{
	MemoryContext caller = MemoryContextSwitchTo(set->context);

	pattern_set_add_compiled(set, pattern_compile(pattern.data, pattern.size, name), pattern);
	MemoryContextSwitchTo(caller);
}

void
pattern_set_add_compiled(L4PatternSet *set, L4Pattern *pattern, L4Bytes text)
{
	MemoryContext caller = MemoryContextSwitchTo(set->context);
	L4Literals *literals = literals_of_pattern(text.data, text.size);
	int			i;

	Assert(!set->indexed);
	if (set->count == set->room)
	{
		set->room *= 2;
		set->patterns = repalloc(set->patterns, mul_size(set->room, sizeof(L4Pattern *)));
		set->wordless = repalloc(set->wordless, mul_size(set->room, sizeof(bool)));
	}
	set->patterns[set->count] = pattern;
	set->wordless[set->count] = literals == NULL;
	for (i = 0; literals != NULL && i < literals->count; i++)
		add_word(set, literals->items[i]);
	set->count++;
	MemoryContextSwitchTo(caller);
}

/* How many places in words have each gram. */
static int *
count_grams(const L4PatternSet *set)
{
	int		   *counts = palloc0(GRAM_SLOTS * sizeof(int));
	int			i;
	size_t		at;

	for (i = 0; i < set->word_count; i++)
		for (at = 0; at + LITERAL_SIZE <= set->words[i].text.size; at++)
			counts[gram_of((const unsigned char *) set->words[i].text.data + at)]++;
	return counts;
}

/* Puts a word into the table under the rarest of its grams. */
static void
index_word(L4PatternSet *set, int number, const int *counts)
{
	SetWord    *word = &set->words[number];
	const unsigned char *text = (const unsigned char *) word->text.data;
	size_t		at;
	uint32		gram;

	for (at = 1; at + LITERAL_SIZE <= word->text.size; at++)
		if (counts[gram_of(text + at)] < counts[gram_of(text + word->gram_at)])
			word->gram_at = (int) at;
	gram = gram_of(text + word->gram_at);
	word->next = set->first_word[gram];
	set->first_word[gram] = number;
	set->known[gram / 64] |= UINT64CONST(1) << (gram % 64);
}

static void
index_words(L4PatternSet *set)
{
	MemoryContext caller = MemoryContextSwitchTo(set->context);
	int		   *counts = count_grams(set);
	int			i;

	set->first_word = palloc(GRAM_SLOTS * sizeof(int));
	memset(set->first_word, 0xFF, GRAM_SLOTS * sizeof(int));
	set->known = palloc0(GRAM_SLOTS / 8);
	for (i = 0; i < set->word_count; i++)
		index_word(set, i, counts);
	set->tried = palloc0(mul_size(Max(set->count, 1), sizeof(int)));
	set->matches = palloc(mul_size(Max(set->count, 1), sizeof(int)));
	set->given_up = palloc(mul_size(Max(set->count, 1), sizeof(int)));
	set->indexed = true;
	pfree(counts);
	MemoryContextSwitchTo(caller);
}

/* The subject in lower case. */
static const unsigned char *
fold_subject(L4PatternSet *set, L4Bytes subject)
{
	size_t		i;

	if (set->folded_room < subject.size)
	{
		if (set->folded != NULL)
			pfree(set->folded);
		set->folded_room = Max(subject.size, 8192);
		set->folded = MemoryContextAllocHuge(set->context, set->folded_room);
	}
	for (i = 0; i < subject.size; i++)
		set->folded[i] = (char) l4_folded[(unsigned char) subject.data[i]];
	return (const unsigned char *) set->folded;
}

/* Marks the patterns that have a word whose gram stands at this place of the text. */
static void
mark_words_at(L4PatternSet *set, uint32 gram, const unsigned char *text, size_t size, size_t at)
{
	int			number;

	for (number = set->first_word[gram]; number >= 0; number = set->words[number].next)
	{
		const SetWord *word = &set->words[number];

		if (set->tried[word->pattern] != set->texts && at >= (size_t) word->gram_at &&
			size - (at - word->gram_at) >= word->text.size &&
			memcmp(text + at - word->gram_at, word->text.data, word->text.size) == 0)
			set->tried[word->pattern] = set->texts;
	}
}

/* Marks the patterns of which a word is in the text. */
static void
mark_words(L4PatternSet *set, const unsigned char *text, size_t size)
{
	size_t		at;

	for (at = 0; at + LITERAL_SIZE <= size; at++)
	{
		uint32		gram = gram_of(text + at);

		if (at % SCAN_BYTES == 0)
			CHECK_FOR_INTERRUPTS();
		if (set->known[gram / 64] & (UINT64CONST(1) << (gram % 64)))
			mark_words_at(set, gram, text, size, at);
	}
}

/* Finds out which patterns are candidates for the subject. */
static void
look_for_words(L4PatternSet *set, L4Bytes subject)
{
	if (!set->indexed)
		index_words(set);
	set->texts++;
	mark_words(set, fold_subject(set, subject), subject.size);
}

static inline bool
is_candidate(const L4PatternSet *set, int pattern)
{
	return set->wordless[pattern] || set->tried[pattern] == set->texts;
}

int
pattern_set_first(L4PatternSet *set, L4Bytes subject)
{
	int			i;

	look_for_words(set, subject);
	for (i = 0; i < set->count; i++)
		if (is_candidate(set, i) && pattern_try(set->patterns[i], subject, 0, false) == L4_MATCH)
			return i;
	return -1;
}

const int *
pattern_set_match(L4PatternSet *set, L4Bytes subject, int *count)
{
	int			i;

	look_for_words(set, subject);
	*count = set->given_up_count = 0;
	for (i = 0; i < set->count; i++)
		if (is_candidate(set, i))
			switch (pattern_try(set->patterns[i], subject, 0, false))
			{
				case L4_MATCH:
					set->matches[(*count)++] = i;
					break;
				case L4_GAVE_UP:
					set->given_up[set->given_up_count++] = i;
					break;
				case L4_NO_MATCH:
					break;
			}
	return set->matches;
}

const int *
pattern_set_given_up(const L4PatternSet *set, int *count)
{
	*count = set->given_up_count;
	return set->given_up;
}

void
pattern_set_note_given_up(const L4PatternSet *set, StringInfo out)
{
	int			i;

	for (i = 0; i < set->count; i++)
		pattern_note_given_up(set->patterns[i], out);
}
