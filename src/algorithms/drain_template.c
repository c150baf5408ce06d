/*
 * drain_template.c: the text of Drain's groups: what their members have in common. See drain.c.
 */
#include "algorithms/drain_private.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"

/* What all members of a group have at a position: the first member's token, or how much of its ends. */
typedef struct TemplateToken
{
	TokenSpan	span;
	bool		differs;
	bool		word_differs;	/* more of it than brackets and punctuation behind the word */
	bool		brackets;		/* some have brackets behind the word, */
	bool		always;			/* and all of them have */
	size_t		shortest;		/* size of the shortest of the members' tokens */
	size_t		prefix;			/* bytes that all of them begin with alike */
	size_t		suffix;			/* and end with */
} TemplateToken;

/* Does the token have round brackets behind a word or a quantity? */
static bool
has_brackets(const TokenSpan *span)
{
	L4Bytes		text = span->text;
	size_t		from = span->wildcard ? 1 : span->word.size;

	return text.data[0] != '(' && memchr(text.data + from, '(', text.size - from) != NULL;
}

static void
compare_token(TemplateToken *token, const TokenSpan *span)
{
	L4Bytes		text = token->span.text;
	L4Bytes		other = span->text;
	size_t		i;

	if (!token->differs && bytes_equal(text, other))
		return;
	token->differs = true;
	token->brackets |= has_brackets(&token->span) || has_brackets(span);
	token->always &= has_brackets(&token->span) && has_brackets(span);
	token->word_differs |= token->span.wildcard || !bytes_equal(token->span.word, span->word);
	token->shortest = Min(token->shortest, other.size);
	for (i = 0; i < Min(token->prefix, other.size) && text.data[i] == other.data[i]; i++)
		;
	token->prefix = i;
	for (i = 0; i < Min(token->suffix, other.size) && text.data[text.size - 1 - i] == other.data[other.size - 1 - i]; i++)
		;
	token->suffix = i;
}

/* Cuts the equal ends of a differing token back to where punctuation parts them from the rest ("user=", "],"). */
static void
trim_ends(TemplateToken *token)
{
	static const char punctuation[] = "=:()[]{}\"'/,;@";
	const char *data = token->span.text.data;
	size_t		size = token->span.text.size;

	while (token->prefix > 0 && memchr(punctuation, data[token->prefix - 1], sizeof(punctuation) - 1) == NULL)
		token->prefix--;
	token->suffix = Min(token->suffix, token->shortest - token->prefix);
	while (token->suffix > 0 && memchr(punctuation, data[size - token->suffix], sizeof(punctuation) - 1) == NULL)
		token->suffix--;
}

/* How many bytes of punctuation all members end with. */
static size_t
common_stops(const TemplateToken *token, size_t most)
{
	const char *end = token->span.text.data + token->span.text.size;
	size_t		size = 0;

	while (size < Min(token->suffix, most) && strchr(",;.:", end[-1 - (int) size]) != NULL)
		size++;
	return size;
}

/* A list in brackets that all members have, of different lengths: what is before its first <*>, <*>, and as many brackets. */
static void
append_list(StringInfo out, TemplateToken *token)
{
	L4Bytes		word = token->span.word;
	size_t		stops = common_stops(token, token->shortest - word.size);
	size_t		i;

	appendBinaryStringInfo(out, word.data, word.size);
	for (i = word.size; i > 0; i--)
		if (strchr("[({", word.data[i - 1]) != NULL)
			appendStringInfoChar(out, word.data[i - 1] == '(' ? ')' : word.data[i - 1] + 2);
	appendBinaryStringInfo(out, token->span.text.data + token->span.text.size - stops, stops);
}

/*
 * The word that all members have, or <*> for their quantities; (<*>) where all have brackets behind it, else <*> for what
 * stands behind some words; and the punctuation that all end with.
 */
static void
append_word(StringInfo out, TemplateToken *token)
{
	L4Bytes		word = token->span.word;
	const char *end = token->span.text.data + token->span.text.size;
	size_t		stops;

	if (token->word_differs)
		word = (L4Bytes) {L4_PLACEHOLDER, L4_PLACEHOLDER_SIZE};
	else
		while (word.size < token->prefix && is_letter(word.data[word.size]))	/* a plural that all have */
			word.size++;
	stops = common_stops(token, token->word_differs ? token->shortest : token->shortest - word.size);
	appendBinaryStringInfo(out, word.data, word.size);
	if (token->always && token->suffix > stops && end[-1 - (int) stops] == ')')
		appendStringInfoString(out, " (" L4_PLACEHOLDER ")");
	else if (token->word_differs)
		stops = 0;
	else
		appendStringInfoString(out, token->brackets ? " " L4_PLACEHOLDER : L4_PLACEHOLDER);
	appendBinaryStringInfo(out, end - stops, stops);
}

static void
append_template(StringInfo out, TemplateToken *token)
{
	L4Bytes		text = token->span.text;

	appendBinaryStringInfo(out, token->span.gap, text.data - token->span.gap);
	if (!token->differs)
	{
		appendBinaryStringInfo(out, text.data, text.size);
		return;
	}
	if (!token->word_differs && token->span.list)
	{
		append_list(out, token);
		return;
	}
	if (!token->word_differs || token->span.wildcard)
	{
		append_word(out, token);
		return;
	}
	trim_ends(token);
	appendBinaryStringInfo(out, text.data, token->prefix);
	appendBinaryStringInfo(out, L4_PLACEHOLDER, L4_PLACEHOLDER_SIZE);
	appendBinaryStringInfo(out, text.data + text.size - token->suffix, token->suffix);
}

/* The template of members [begin, end). White space is the first member's, as is every token in which they do not differ. */
static L4Bytes
write_template(Drain *drain, int begin, int end, TemplateToken *tokens)
{
	L4Bytes		first = drain->shapes[drain->members[begin]];
	size_t		at = 0;
	StringInfoData out;
	TokenSpan	rest;
	int			count = 0;
	int			i;
	int			k;

	if (end - begin == 1)
		return first;
	while (drain_next_token(first, &at, &rest))
	{
		TemplateToken *token = &tokens[count++];

		token->span = rest;
		token->differs = token->word_differs = token->brackets = false;
		token->always = true;
		token->prefix = token->suffix = token->shortest = rest.text.size;
	}
	for (i = begin + 1; i < end; i++)
	{
		L4Bytes		shape = drain->shapes[drain->members[i]];
		size_t		from = 0;
		TokenSpan	span;

		for (k = 0; drain_next_token(shape, &from, &span); k++)
			compare_token(&tokens[k], &span);
		CHECK_FOR_INTERRUPTS();
	}
	drain_reserve(drain, first.size);
	initStringInfo(&out);
	for (k = 0; k < count; k++)
		append_template(&out, &tokens[k]);
	appendBinaryStringInfo(&out, rest.gap, first.data + first.size - rest.gap);
	return (L4Bytes) {out.data, out.len};
}

/* Writes the templates of all groups and of their parts. */
void
drain_write_templates(Drain *drain)
{
	MemoryContext caller = MemoryContextSwitchTo(drain->context);
	int			longest = 0;
	TemplateToken *tokens;
	int			i;

	for (i = 0; i < drain->group_count; i++)
		longest = Max(longest, drain->groups[i].token_count);
	tokens = drain_alloc(drain, longest, sizeof(TemplateToken));
	for (i = 0; i < drain->group_count; i++)
	{
		DrainLeafGroup *group = &drain->groups[i];

		group->template = write_template(drain, group->begin, group->begin + group->member_count, tokens);
	}
	for (i = 0; i < drain->range_count; i++)
	{
		DrainRange *range = &drain->ranges[i];
		DrainLeafGroup *group = &drain->groups[range->group];

		range->template = group->template;
		if (range->end - range->begin < group->member_count)
			range->template = write_template(drain, range->begin, range->end, tokens);
	}
	MemoryContextSwitchTo(caller);
}
