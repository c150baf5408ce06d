/*
 * drain_words.c: cuts a shape into Drain's tokens. See drain.c.
 *
 * Drain (He et al., ICWS 2017) compares statements position by position, and so only those of the same number of words. One
 * statement prints more words or fewer all the same: a unit or none ("512 bytes", "1.5 MB"), a clause in brackets ("(1.00
 * KB)"), a list, a text in quotes. Brain (Yu et al., IEEE TSC 2023) and the published settings of Drain remove such parts by
 * patterns that somebody writes for each log. Here they are told by what a shape itself says, for all logs alike, and become
 * parts of a token, so that the positions of the other tokens agree:
 *
 *  - a quantity: parameters in a row with their units, "and", commas, and round brackets that hold nothing else:
 *    "<*> bytes (<*>)", "<*> min <*> sec", "<*>, <*> and <*>". The number of such a token is that of <*>;
 *  - round brackets behind a quantity, or behind a word if a parameter is in them: they go with it. Its number is that of the
 *    word alone; the split (drain_split.c) sees whether several such clauses alternate;
 *  - a list of three plain words or more: "encoder, decoder, head";
 *  - quantities in square or other brackets, alone or behind a word: "[<*>, <*>]", "torch.Size([<*>, <*>])", "lr=[<*>],";
 *  - a short text without parameters in quotes or square brackets: "\"my new file\"", "[alpha beta]";
 *  - words that were said just before and are said again, with a parameter in them: "<*> <*> <ok> <*> <*> <ok>";
 *  - a field of a record that names the event, with its value: "\"event\": \"run_stop\"".
 *
 * Punctuation at the end of a token, and the plural of what is counted ("<*> file", "<*> files"), are no part of its number
 * either. No other word is left out, so statements that differ in one stay apart. A token is a function of the shape alone:
 * what it is clustered with changes nothing.
 *
 * Cost: linear in the bytes of the shape; at most CLAUSE_WORDS words are looked at ahead of those that a token takes.
 */
#include "algorithms/drain_private.h"

/* Words of a text in quotes or brackets, or of brackets within a quantity, at most. */
#define CLAUSE_WORDS 12

/* Elements of a list of words at least: two are a sentence with a comma. */
#define LIST_WORDS 3

/* A list of quantities in brackets is looked at so far. */
#define QUANTITIES_BYTES 4096

/* Words that are said again in a row, at most. */
#define REPEATED_WORDS 8

static inline bool
is_space(char c)
{
	/* a letter is told by one comparison */
	return (unsigned char) c <= ' ' && (c == ' ' || (c >= '\t' && c <= '\r'));
}

/* Is a byte of a shape one of a few? Written out by the compiler, where a call of strchr would cost a multiple. */
static inline bool
is_of(char c, const char *few)
{
	size_t		count = strlen(few);
	size_t		i;

	for (i = 0; i < count; i++)
		if (c == few[i])
			return true;
	return false;
}

static bool
next_word(const char **at, const char *end, L4Bytes *word)
{
	const char *p = *at;

	while (p < end && is_space(*p))
		p++;
	word->data = p;
	while (p < end && !is_space(*p))
		p++;
	word->size = p - word->data;
	*at = p;
	return word->size > 0;
}

/* Is the text one of a list of words, parted by blanks? */
bool
drain_is_one_of(L4Bytes text, const char *words)
{
	const char *at = memchr(text.data, ' ', text.size) == NULL ? words : NULL;

	while (text.size > 0 && at != NULL)
	{
		if (*at == *text.data && strncmp(at, text.data, text.size) == 0 && (at[text.size] == ' ' || at[text.size] == '\0'))
			return true;
		at = strchr(at, ' ');
		at += at != NULL;
	}
	return false;
}

/* Is the text a unit of size, rate, frequency or time? */
static bool
is_unit(L4Bytes text)
{
	/* one by one, since most texts are none for their first byte alone */
	static const char *const units[] = {
		"B", "KB", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "bit", "bits", "byte", "bytes", "Byte", "Bytes",
		"B/s", "KB/s", "kB/s", "MB/s", "GB/s", "KiB/s", "MiB/s", "GiB/s", "bytes/s", "bps", "kbps", "Kbps", "Mbps", "Gbps",
		"Mb/s", "Gb/s", "Hz", "kHz", "MHz", "GHz", "percent",
		"ns", "us", "ms", "s", "msec", "msecs", "usec", "usecs", "sec", "secs", "second", "seconds", "milliseconds",
		"microseconds", "nanoseconds", "min", "mins", "minute", "minutes", "h", "hr", "hrs", "hour", "hours", "day", "days"
	};
	size_t		i;

	for (i = 0; i < lengthof(units); i++)
		if (units[i][0] == text.data[0] && strlen(units[i]) == text.size && memcmp(units[i], text.data, text.size) == 0)
			return true;
	return false;
}

/* Does the text begin with a field of a record that names the event? */
bool
drain_names_event(L4Bytes text)
{
	const char *colon = memchr(text.data, ':', text.size);

	if (text.size == 0 || text.data[0] != '"' || colon == NULL)
		return false;
	return drain_is_one_of((L4Bytes) {text.data, colon - text.data}, "\"event\" \"event_name\" \"key\"");
}

/* What is known of a quantity while its words are read. */
typedef struct Quantity
{
	bool		parameter;		/* a <*> has been met */
	bool		ended;			/* a full stop too */
	int			depth;			/* brackets open */
} Quantity;

/* Is a word (one more) part of a quantity? */
static bool
read_quantity(Quantity *quantity, L4Bytes word)
{
	const char *at = word.data;
	const char *end = at + word.size;
	bool		said = false;

	while (at < end && *at == '(')
	{
		quantity->depth++;
		at++;
	}
	while (at < end)
	{
		size_t		size = 1;

		if (is_placeholder(at, end))
		{
			size = L4_PLACEHOLDER_SIZE;
			quantity->parameter = said = true;
		}
		else if (*at == ')')
		{
			if (--quantity->depth < 0)
				return false;
			said = true;
		}
		else if (*at == '%' && quantity->parameter)
			said = true;
		else if (*at == '.' && quantity->parameter && end - at == 1)
			quantity->ended = true;
		else if (!is_of(*at, ",;<>~"))
		{
			if (!quantity->parameter)
				return false;
			while (at + size < end && !is_of(at[size], ",;.()<"))
				size++;
			if (!is_unit((L4Bytes) {at, size}))
				return false;
			said = true;
		}
		at += size;
	}
	return said;
}

/* The end of the quantity that begins with the next word, or of its first brackets (if `clause`); NULL where there is none. */
static const char *
scan_quantity(const char *at, const char *end, bool clause)
{
	Quantity	quantity = {0};
	const char *to = NULL;
	L4Bytes		word;
	int			open = 0;

	while (!quantity.ended && open < CLAUSE_WORDS && next_word(&at, end, &word))
	{
		bool		joins = quantity.parameter && drain_is_one_of(word, "and or");

		if (!joins && !read_quantity(&quantity, word))
			break;
		open++;
		if (joins || quantity.depth > 0 || !quantity.parameter)
			continue;
		to = at;
		open = 0;
		if (clause)
			break;
	}
	return to;
}

/* Without the punctuation at its end, of which it keeps a byte where it is nothing else. */
static L4Bytes
without_stops(L4Bytes text)
{
	size_t		size = text.size;

	while (size > 0 && is_of(text.data[size - 1], ",;."))
		size--;
	return size > 0 ? (L4Bytes) {text.data, size} : text;
}

/* Without the "s" of a word of letters, where something is left. */
static L4Bytes
without_plural(L4Bytes word)
{
	size_t		i;

	for (i = 0; i < word.size; i++)
		if (!is_letter(word.data[i]))
			return word;
	if (word.size > 3 && word.data[word.size - 1] == 's' && word.data[word.size - 2] != 's')
		word.size--;
	return word;
}

static bool
holds_placeholder(const char *at, const char *end)
{
	while (at < end && (at = memchr(at, L4_PLACEHOLDER[0], end - at)) != NULL)
	{
		if (is_placeholder(at, end))
			return true;
		at++;
	}
	return false;
}

/*
 * The end of the quotes or brackets that the word [at, to) begins with: that of the word in which they close, if nothing but
 * punctuation follows there. NULL where there are none, or too many words in them.
 */
static const char *
scan_enclosed(const char *at, const char *to, const char *end)
{
	static const char opening[] = "\"'`([{";
	static const char closing[] = "\"'`)]}";
	const char *which = memchr(opening, *at, sizeof(opening) - 1);
	const char *from = at + 1;
	int			depth = 1;
	int			words;
	L4Bytes		word;

	for (words = 1; which != NULL && words <= CLAUSE_WORDS; words++)
	{
		for (; from < to && depth > 0; from++)
			if (*from == closing[which - opening])
				depth--;
			else if (*from == *at)
				depth++;
		if (depth == 0)
		{
			while (from < to && is_of(*from, ",;.:"))
				from++;
			return from == to ? to : NULL;
		}
		if (!next_word(&to, end, &word))
			return NULL;
		from = word.data;
	}
	return NULL;
}

/* Is the word [at, to) an element of a list of words: a plain word or a parameter, and perhaps a comma? */
static bool
is_element(const char *at, const char *to)
{
	for (; at < to; at++)
		if (is_placeholder(at, to))
			at += L4_PLACEHOLDER_SIZE - 1;
		else if (!is_letter(*at) && !is_of(*at, "-_.,"))
			return false;
	return true;
}

/* The end of the list of words with commas between that begins with the word [at, to), or NULL. */
static const char *
scan_list(const char *at, const char *to, const char *end)
{
	const char *next = to;
	L4Bytes		word;
	int			count;

	if (!is_element(at, to))
		return NULL;
	for (count = 1; to[-1] == ',' && next_word(&next, end, &word) && is_element(word.data, next); count++)
		to = next;
	return count >= LIST_WORDS ? to : NULL;
}

/*
 * The end of the list of quantities in brackets that the word [at, to) holds or begins, with nothing but punctuation behind
 * it; *first is the end of its first <*>. NULL where there is none.
 */
static const char *
scan_quantities(const char *at, const char *to, const char *end, const char **first)
{
	const char *limit;
	int			depth = 0;

	while (at < to && !is_of(*at, "[({<\"'"))
		at++;
	if (at == to || !is_of(*at, "[({"))
		return NULL;
	limit = at + Min(end - at, QUANTITIES_BYTES);
	*first = NULL;
	do
	{
		if (is_placeholder(at, limit))
		{
			at += L4_PLACEHOLDER_SIZE - 1;
			if (*first == NULL)
				*first = at + 1;
		}
		else if (is_of(*at, "[({"))
			depth++;
		else if (is_of(*at, "])}"))
			depth--;
		else if (!is_of(*at, ",;: "))
			return NULL;
	} while (++at < limit && depth > 0);
	if (depth > 0 || *first == NULL)
		return NULL;
	for (; at < end && !is_space(*at); at++)
		if (!is_of(*at, ",;.:"))
			return NULL;
	return at;
}

/* The end of a text of plain words in quotes or brackets that begins with the word [at, to), or NULL. */
static const char *
scan_text(const char *at, const char *to, const char *end)
{
	const char *behind = *at == '(' ? NULL : scan_enclosed(at, to, end);

	return behind == NULL || holds_placeholder(at, behind) ? NULL : behind;
}

/* The end of the next word if it is a text in quotes, without a parameter in it; else NULL. */
static const char *
scan_value(const char *at, const char *end)
{
	L4Bytes		word;

	if (!next_word(&at, end, &word) || word.data[0] != '"' || holds_placeholder(word.data, at))
		return NULL;
	return at;
}

/*
 * Takes the round brackets behind a token into it, as a clause that may be missing; several count as one. Those that hold more
 * than a quantity are in span->clause.
 */
static void
take_clauses(TokenSpan *span, const char *end)
{
	const char *at = span->text.data + span->text.size;
	const char *to = at;
	L4Bytes		word;

	while (next_word(&to, end, &word) && word.data[0] == '(')
	{
		const char *quantity = scan_quantity(at, end, true);

		to = quantity != NULL ? quantity : scan_enclosed(word.data, to, end);
		if (to == NULL || (!span->wildcard && !holds_placeholder(word.data, to)))
			break;
		if (quantity == NULL)
		{
			if (span->clause.size == 0)
				span->clause.data = word.data;
			span->clause.size = to - span->clause.data;
			span->clause = without_stops(span->clause);
		}
		span->text.size = to - span->text.data;
		at = to;
	}
}

/* Do so many words from `at` on say what the words [from, to) do, but for punctuation at their ends? Where these words end. */
static const char *
scan_again(const char *from, const char *to, const char *at, const char *end, int words)
{
	L4Bytes		a;
	L4Bytes		b;

	for (; words > 0; words--)
	{
		if (!next_word(&from, to, &a) || !next_word(&at, end, &b))
			return NULL;
		a = without_stops(a);
		b = without_stops(b);
		if (!bytes_equal(a, b))
			return NULL;
	}
	return at;
}

/*
 * Takes into a token what follows it and says once more what the last few words, which end with it, have said: the elements of
 * a list with several words each. A parameter must be among the words.
 */
static void
take_repeated(TokenSpan *span, const char *begin, const char *end)
{
	const char *from = span->text.data + span->text.size;
	const char *to = from;
	const char *next = from;
	int			words;

	while (next < end && is_space(*next))
		next++;
	for (words = 1; words <= REPEATED_WORDS && from > begin && next < end; words++)
	{
		const char *again = NULL;

		while (from > begin && !is_space(from[-1]))
			from--;
		/* most differ in their first byte */
		while (*from == *next && (again = scan_again(from, to, to, end, words)) != NULL && holds_placeholder(from, to))
			to = again;
		if (to > span->text.data + span->text.size)
			break;
		while (from > begin && is_space(from[-1]))
			from--;
	}
	span->text.size = to - span->text.data;
}

/* The next token of a shape, behind *at bytes of it. False at the end, where span's gap is the rest. */
bool
drain_next_token(L4Bytes shape, size_t *at, TokenSpan *span)
{
	const char *end = shape.data + shape.size;
	const char *from = shape.data + *at;
	const char *to = from;
	const char *longer;
	const char *first = NULL;
	L4Bytes		word;
	bool		counted = *at > 0 && span->wildcard;

	span->gap = from;
	span->clause = (L4Bytes) {NULL, 0};
	span->list = false;
	if (!next_word(&to, end, &word))
		return false;
	longer = scan_quantity(from, end, false);
	span->wildcard = longer != NULL;
	if (longer == NULL)
	{
		longer = scan_quantities(word.data, to, end, &first);
		span->list = longer != NULL;
	}
	if (longer == NULL && drain_names_event(word))
		longer = scan_value(to, end);
	if (longer == NULL)
		longer = *at > 0 ? scan_text(word.data, to, end) : NULL;
	if (longer == NULL)
		longer = scan_list(word.data, to, end);
	span->text = (L4Bytes) {word.data, (longer != NULL ? longer : to) - word.data};
	span->word = span->list ? (L4Bytes) {word.data, first - word.data} : without_stops(span->text);
	if (counted && !span->wildcard)
		span->word = without_plural(span->word);
	take_clauses(span, end);
	if (*at == 0 && span->text.data + span->text.size == end && memchr(span->text.data, '(', span->text.size) != NULL)
	{
		/* brackets that are all there is but a word say more than it */
		span->text = span->word = word;
		span->clause.size = 0;
	}
	take_repeated(span, shape.data, end);
	*at = span->text.data + span->text.size - shape.data;
	return true;
}
