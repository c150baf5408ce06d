/*
 * segment_search.c: a pattern searched in stored segments, of which most are told apart without expanding one record.
 *
 * Nearly every pattern has words that its matches must hold (literals.c). A record is a frame and a message, both texts of the
 * segment's small dictionaries with parameters put in. So a word stands in a record in one of three ways: within a text, within
 * a parameter, or across the seam of the two. Texts are read always: they are a few kilobytes. Parameters are the bulk. With
 * the texts lies a mask for each of them that says which letters and signs it has, which most words do not get through. Where
 * one does, the statistics of the source is asked, which knows all values of positions with few of them, and which others are
 * numbers. Only where that is open too the parameters are unpacked and searched, and only where they hold the word records are
 * expanded, those of the texts in question, and given to pcre2.
 *
 * Every step may let too much through and never too little. Words are folded to lower case, and so is what they are compared
 * with.
 */
#include "algorithms/segment_search.h"

#include "algorithms/byte_class.h"
#include "algorithms/column.h"
#include "algorithms/frame_time.h"
#include "algorithms/literals.h"
#include "algorithms/parameter_statistics.h"
#include "algorithms/record.h"
#include "lib/stringinfo.h"
#include "tools/pattern.h"

/* Of a longer word only this much is looked for, which every match of the whole word has too. */
#define WORD_SIZE 48

typedef struct Word
{
	unsigned char bytes[WORD_SIZE];
	int			size;
	int			skip[256];		/* Horspool's table, by folded byte */
	uint32		mask;			/* the classes of its bytes */
	bool		in_numbers;		/* may stand within a number with its unit */
} Word;

struct L4SegmentSearch
{
	L4Pattern  *pattern;
	int			word_count;		/* 0: nothing is known, anything may match */
	Word	   *words;
};

/* A word may stand across the seam of a shape's text and a parameter. */
typedef struct Seam
{
	int			shape;
	int			position;		/* of the parameter, from 0 */
	const Word *word;
	int			split;			/* so many bytes of the word come before the seam */
	bool		begins;			/* the parameter begins with the rest, else it ends with what comes before */
} Seam;

struct L4SegmentHope
{
	const L4SegmentTexts *texts;
	bool	   *frames;			/* of each: records with it may match */
	bool	   *shapes;
	bool		found;			/* any of these */
	bool		unknown;		/* there are parameters that no statistics knows */
	int			seam_count;
	int			seam_room;
	Seam	   *seams;
};

/* ---- the search ---- */

/* May a word stand within a value that the statistics takes for a number? Letters stand there as a unit of three at most. */
static bool
fits_number(const Word *word)
{
	int			letters = 0;
	int			i;

	for (i = 0; i < word->size; i++)
	{
		unsigned char c = word->bytes[i];

		letters = c >= 'a' && c <= 'z' ? letters + 1 : 0;
		if (letters > 3 || !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || strchr("+-.%", c) != NULL))
			return false;
	}
	return true;
}

static void
word_init(Word *word, L4Bytes literal)
{
	int			i;

	word->size = (int) Min(literal.size, WORD_SIZE);
	memcpy(word->bytes, literal.data, word->size);
	for (i = 0; i < 256; i++)
		word->skip[i] = word->size;
	for (i = 0; i < word->size - 1; i++)
		word->skip[word->bytes[i]] = word->size - 1 - i;
	word->mask = 0;
	for (i = 0; i < word->size; i++)
		word->mask |= byte_mask((char) word->bytes[i]);
	word->in_numbers = fits_number(word);
}

static bool
spans_lines(L4Bytes literal)
{
	return memchr(literal.data, '\n', literal.size) != NULL || memchr(literal.data, '\r', literal.size) != NULL;
}

L4SegmentSearch *
segment_search_create(L4Bytes pattern)
{
	L4SegmentSearch *search = palloc0(sizeof(L4SegmentSearch));
	L4Literals *literals;
	int			i;

	search->pattern = pattern_compile(pattern.data, pattern.size, "the pattern");
	literals = literals_of_pattern(pattern.data, pattern.size);
	if (literals == NULL)
		return search;
	search->words = palloc(mul_size(literals->count, sizeof(Word)));
	for (i = 0; i < literals->count; i++)
	{
		if (spans_lines(literals->items[i]))
			return search;
		word_init(&search->words[i], literals->items[i]);
	}
	search->word_count = literals->count;
	return search;
}

/* Does text hold the word, in any case of letters? Horspool's search. */
static bool
holds_word(const Word *word, L4Bytes text)
{
	const unsigned char *at = (const unsigned char *) text.data;
	const unsigned char *last = at + text.size - word->size;
	int			end = word->size - 1;

	if (text.size < (size_t) word->size)
		return false;
	while (at <= last)
	{
		unsigned char c = l4_folded[at[end]];

		if (c == word->bytes[end])
		{
			int			i = 0;

			while (i < end && l4_folded[at[i]] == word->bytes[i])
				i++;
			if (i == end)
				return true;
		}
		at += word->skip[c];
	}
	return false;
}

/* ---- texts ---- */

typedef enum Continuation
{
	CONTINUES_NOT, CONTINUES_TO_END, CONTINUES_TO_PARAMETER, CONTINUES_WHOLLY
} Continuation;

static inline bool
is_placeholder(L4Bytes text, size_t at)
{
	return text.size - at >= L4_PLACEHOLDER_SIZE && memcmp(text.data + at, L4_PLACEHOLDER, L4_PLACEHOLDER_SIZE) == 0;
}

/* How far the bytes of a word from `from` on stand in a text at `at`. *end: how many bytes of the word were there. */
static Continuation
continues(const L4SegmentText *in, size_t at, const Word *word, int from, int *end)
{
	int			i;

	for (i = from; i < word->size; i++, at++)
	{
		unsigned char c;

		*end = i;
		if (at >= in->text.size)
			return CONTINUES_TO_END;
		if (in->masked && is_placeholder(in->text, at))
			return CONTINUES_TO_PARAMETER;
		c = (unsigned char) in->text.data[at];
		if (c == '\n' || c == '\r')
			return CONTINUES_TO_END;
		if (in->timed && frame_time_is_mark(c))
		{
			if (word->bytes[i] < '0' || word->bytes[i] > '9')
				return CONTINUES_NOT;
		}
		else if (l4_folded[c] != word->bytes[i])
			return CONTINUES_NOT;
	}
	*end = word->size;
	return CONTINUES_WHOLLY;
}

/* May a word begin with the byte at `at`? For most places the answer is no, at little cost. */
static inline bool
may_begin(const L4SegmentText *in, size_t at, const Word *word)
{
	unsigned char c;

	if (at >= in->text.size)
		return false;
	c = (unsigned char) in->text.data[at];
	return l4_folded[c] == word->bytes[0] || (in->timed && c >= 0x80);
}

static void
add_seam(L4SegmentHope *hope, int shape, int position, const Word *word, int split, bool begins)
{
	Seam		seam = {shape, position, word, split, begins};

	if (hope->seam_count == hope->seam_room)
	{
		hope->seam_room = Max(16, hope->seam_room * 2);
		hope->seams = hope->seams == NULL ? palloc(hope->seam_room * sizeof(Seam))
			: repalloc(hope->seams, mul_size(hope->seam_room, sizeof(Seam)));
	}
	hope->seams[hope->seam_count++] = seam;
}

/*
 * A word in one shape: wholly within its text, or across a seam. position counts the placeholders passed. before: bit i is set
 * where a frame of the segment ends with the first i bytes of the word, which then may go on where a line of the message
 * begins.
 */
static void
search_shape(L4SegmentHope *hope, int shape, const Word *word, uint64 before)
{
	const L4SegmentText *in = &hope->texts->shapes[shape];
	bool		behind_parameter = false;
	int			position = 0;
	size_t		at = 0;

	while (at <= in->text.size && !hope->shapes[shape])
	{
		bool		begins_line = at == 0 || in->text.data[at - 1] == '\n';
		int			from;
		int			end;

		for (from = may_begin(in, at, word) ? 0 : 1; from < word->size && !hope->shapes[shape]; from++)
		{
			Continuation found;

			if (from > 0 && !behind_parameter && !(begins_line && before != 0))
				break;
			if (from > 0 && !behind_parameter && !(before & (UINT64CONST(1) << from)))
				continue;
			found = continues(in, at, word, from, &end);
			if (found == CONTINUES_WHOLLY && !(from > 0 && behind_parameter && !begins_line))
				hope->shapes[shape] = true;
			else if (found == CONTINUES_WHOLLY)
				add_seam(hope, shape, position - 1, word, from, false);
			else if (found == CONTINUES_TO_PARAMETER && end > 0)
				/* position is that of the placeholder the text runs into: none lies between */
				add_seam(hope, shape, position, word, end, true);
		}
		behind_parameter = in->masked && at < in->text.size && is_placeholder(in->text, at);
		position += behind_parameter;
		at += behind_parameter ? L4_PLACEHOLDER_SIZE : 1;
	}
}

/* A word in one frame. Returns the bits of `before` for search_shape. */
static uint64
search_frame(L4SegmentHope *hope, int frame, const Word *word)
{
	const L4SegmentText *in = &hope->texts->frames[frame];
	uint64		before = 0;
	size_t		at;

	/* what a collector wrapped stands otherwise in the line than in the message, and may go on behind it */
	if (memmem(in->text.data, in->text.size, L4_FRAME_BEHIND, strlen(L4_FRAME_BEHIND)) != NULL)
		hope->frames[frame] = true;
	/* frames beyond the first few hundred are masked: their parameters have no statistics */
	if (in->column_count > 0)
	{
		hope->frames[frame] = hope->unknown = true;
		return before;
	}
	for (at = 0; at < in->text.size && !hope->frames[frame]; at++)
	{
		int			end;
		Continuation found = may_begin(in, at, word) ? continues(in, at, word, 0, &end) : CONTINUES_NOT;

		if (found == CONTINUES_WHOLLY)
			hope->frames[frame] = true;
		else if (found == CONTINUES_TO_END && end > 0)
			before |= UINT64CONST(1) << end;
	}
	return before;
}

L4SegmentHope *
segment_search_texts(const L4SegmentSearch *search, const bytea *blob)
{
	L4SegmentHope *hope = palloc0(sizeof(L4SegmentHope));
	const L4SegmentTexts *texts = segment_texts(blob);
	int			i;
	int			w;

	hope->texts = texts;
	hope->frames = palloc0(Max(texts->frame_count, 1) * sizeof(bool));
	hope->shapes = palloc0(Max(texts->shape_count, 1) * sizeof(bool));
	hope->found = search->word_count == 0;
	if (hope->found)
		memset(hope->shapes, true, texts->shape_count * sizeof(bool));
	for (w = 0; w < search->word_count; w++)
	{
		uint64		before = 0;

		for (i = 0; i < texts->frame_count; i++)
			before |= search_frame(hope, i, &search->words[w]);
		for (i = 0; i < texts->shape_count; i++)
			search_shape(hope, i, &search->words[w], before);
	}
	for (i = 0; i < texts->frame_count && !hope->found; i++)
		hope->found = hope->frames[i];
	for (i = 0; i < texts->shape_count && !hope->found; i++)
		hope->found = hope->shapes[i];
	return hope;
}

bool
segment_search_found(const L4SegmentHope *hope)
{
	return hope->found;
}

/* ---- parameters ---- */

/* May a parameter with this mask hold the word? */
static inline bool
mask_admits(uint32 mask, const Word *word)
{
	return (word->mask & ~mask) == 0;
}

/* The byte of the word that a value has at a seam, were the word to stand there. */
static unsigned char
seam_byte(const Seam *seam)
{
	return seam->word->bytes[seam->begins ? seam->split : seam->split - 1];
}

bool
segment_search_masks(const L4SegmentSearch *search, const L4SegmentHope *hope)
{
	const L4SegmentTexts *texts = hope->texts;
	int			i;
	int			j;
	int			w;

	if (hope->unknown)
		return true;
	for (i = 0; i < texts->shape_count; i++)
		for (j = 0; j < texts->shapes[i].column_count; j++)
			for (w = 0; w < search->word_count; w++)
				if (mask_admits(texts->shapes[i].masks[j], &search->words[w]))
					return true;
	for (i = 0; i < hope->seam_count; i++)
		if (texts->shapes[hope->seams[i].shape].masks[hope->seams[i].position] & byte_mask((char) seam_byte(&hope->seams[i])))
			return true;
	return false;
}

/* May a value complete a word across a seam? One that is shorter than its part of the word is believed to go on behind it. */
static bool
closes_seam(const Seam *seam, L4Bytes value)
{
	const unsigned char *part = seam->begins ? seam->word->bytes + seam->split : seam->word->bytes;
	int			size = seam->begins ? seam->word->size - seam->split : seam->split;
	int			common = Min(size, (int) Min(value.size, WORD_SIZE));
	const unsigned char *from = (const unsigned char *) value.data;
	int			i;

	if (!seam->begins)
	{
		part += size - common;
		from += value.size - common;
	}
	for (i = 0; i < common; i++)
		if (l4_folded[from[i]] != part[i])
			return false;
	return true;
}

/* May some number complete a word across a seam? Judged by the byte at the seam. */
static bool
number_closes_seam(const Seam *seam)
{
	unsigned char c = seam_byte(seam);

	if (seam->begins)
		return (c >= '0' && c <= '9') || c == '+' || c == '-';
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '%';
}

static bool
value_may_match(const L4SegmentSearch *search, const L4SegmentHope *hope, int shape, int position, L4Bytes value)
{
	int			i;

	for (i = 0; i < search->word_count; i++)
		if (holds_word(&search->words[i], value))
			return true;
	for (i = 0; i < hope->seam_count; i++)
		if (hope->seams[i].shape == shape && hope->seams[i].position == position && closes_seam(&hope->seams[i], value))
			return true;
	return false;
}

static bool
number_may_match(const L4SegmentSearch *search, const L4SegmentHope *hope, int shape, int position)
{
	int			i;

	for (i = 0; i < search->word_count; i++)
		if (search->words[i].in_numbers)
			return true;
	for (i = 0; i < hope->seam_count; i++)
		if (hope->seams[i].shape == shape && hope->seams[i].position == position && number_closes_seam(&hope->seams[i]))
			return true;
	return false;
}

/* May one position hold a match, by what the statistics keeps of it? A value may have been cut. */
static bool
entry_may_match(const L4SegmentSearch *search, const L4SegmentHope *hope, int shape, const L4StatisticsEntry *entry)
{
	bool		numbers = entry->number_count == entry->occurrences;
	int			i;

	if (entry->distinct_values > L4_STATISTICS_VALUES)
		return numbers ? number_may_match(search, hope, shape, entry->position - 1) : true;
	for (i = 0; i < entry->value_count; i++)
		if (entry->values[i].size >= L4_STATISTICS_VALUE_BYTES / 2 ||
			value_may_match(search, hope, shape, entry->position - 1, entry->values[i]))
			return true;
	return false;
}

typedef struct ShapeHash
{
	uint64		hash;
	int			shape;
} ShapeHash;

static int
compare_hashes(const void *a, const void *b)
{
	uint64		x = ((const ShapeHash *) a)->hash;
	uint64		y = ((const ShapeHash *) b)->hash;

	return x < y ? -1 : x > y;
}

/* The shapes of the segment in the order of their ids. */
static ShapeHash *
hashes_of_shapes(const L4SegmentTexts *texts)
{
	ShapeHash  *hashes = palloc(mul_size(Max(texts->shape_count, 1), sizeof(ShapeHash)));
	int			i;

	for (i = 0; i < texts->shape_count; i++)
	{
		hashes[i].hash = shape_hash(texts->shapes[i].text.data, texts->shapes[i].text.size) ^ texts->salt;
		hashes[i].shape = i;
	}
	qsort(hashes, texts->shape_count, sizeof(ShapeHash), compare_hashes);
	return hashes;
}

bool
segment_search_statistics(const L4SegmentSearch *search, const L4SegmentHope *hope, const bytea *stats, int64 stream_id)
{
	const L4SegmentTexts *texts = hope->texts;
	const ShapeHash *hashes = hashes_of_shapes(texts);
	int		   *known = palloc0(Max(texts->shape_count, 1) * sizeof(int));
	L4StatisticsReader *reader = statistics_open(stats);
	L4StatisticsEntry entry;
	int			i;

	while (statistics_next(reader, &entry))
	{
		ShapeHash	key = {(uint64) entry.shape_id, 0};
		const ShapeHash *found = entry.stream_id != stream_id ? NULL :
			bsearch(&key, hashes, texts->shape_count, sizeof(ShapeHash), compare_hashes);

		if (found == NULL)
			continue;
		known[found->shape]++;
		if (entry_may_match(search, hope, found->shape, &entry))
			return true;
	}
	/* positions that the statistics had no room for may hold anything */
	for (i = 0; i < texts->shape_count; i++)
		if (known[i] < texts->shapes[i].column_count)
			return true;
	return hope->unknown;
}

static uint64
count_columns(const L4SegmentText *texts, int count)
{
	uint64		columns = 0;
	int			i;

	for (i = 0; i < count; i++)
		columns += texts[i].column_count;
	return columns;
}

/*
 * Do the columns of some texts hold a word? Only those are unpacked that have all of its letters and signs. *column: the number
 * of the first, moved on.
 */
static bool
texts_hold_word(const L4SegmentSearch *search, L4Columns *columns, const L4SegmentText *texts, int count, int *column)
{
	int			i;
	int			position;
	int			w;

	for (i = 0; i < count; i++)
		for (position = 0; position < texts[i].column_count; position++, ++*column)
			for (w = 0; w < search->word_count; w++)
				if (mask_admits(texts[i].masks[position], &search->words[w]) &&
					holds_word(&search->words[w], columns_text(columns, *column)))
					return true;
	return false;
}

bool
segment_search_parameters(const L4SegmentSearch *search, const L4SegmentHope *hope, const bytea *parameters)
{
	L4Columns  *columns;
	int			column = 0;

	if (hope->seam_count > 0)
		return true;
	blob_check_bound(hope->texts->blob, parameters);
	columns = columns_open(parameters, count_columns(hope->texts->frames, hope->texts->frame_count) +
						   count_columns(hope->texts->shapes, hope->texts->shape_count));
	return texts_hold_word(search, columns, hope->texts->frames, hope->texts->frame_count, &column) ||
		texts_hold_word(search, columns, hope->texts->shapes, hope->texts->shape_count, &column);
}

/* Does any column of a text hold a word? */
static bool
columns_may_match(const L4SegmentSearch *search, const L4SegmentReader *reader, bool of_frame, int index,
				  const L4SegmentText *text)
{
	int			position;
	int			i;

	for (position = 0; position < text->column_count; position++)
		for (i = 0; i < search->word_count; i++)
			if (mask_admits(text->masks[position], &search->words[i]) &&
				holds_word(&search->words[i], segment_column(reader, of_frame, index, position)))
				return true;
	return false;
}

void
segment_search_columns(const L4SegmentSearch *search, L4SegmentHope *hope, const L4SegmentReader *reader)
{
	int			i;

	for (i = 0; i < hope->seam_count; i++)
		hope->shapes[hope->seams[i].shape] = true;
	for (i = 0; i < hope->texts->shape_count; i++)
		hope->shapes[i] = hope->shapes[i] || columns_may_match(search, reader, false, i, &hope->texts->shapes[i]);
	for (i = 0; i < hope->texts->frame_count; i++)
		hope->frames[i] = hope->frames[i] || columns_may_match(search, reader, true, i, &hope->texts->frames[i]);
}

/* ---- records ---- */

bool
segment_search_hopeful(const L4SegmentHope *hope, const L4SegmentReader *reader)
{
	return hope->shapes[segment_shape_index(reader)] || hope->frames[segment_frame_index(reader)];
}

bool
segment_search_match(const L4SegmentSearch *search, L4Bytes raw)
{
	int			i;

	for (i = 0; i < search->word_count; i++)
		if (holds_word(&search->words[i], raw))
			return pattern_match(search->pattern, raw, 0, false);
	return search->word_count == 0 && pattern_match(search->pattern, raw, 0, false);
}
