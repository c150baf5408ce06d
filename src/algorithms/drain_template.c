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
	size_t		shortest;		/* size of the shortest of the members' tokens */
	size_t		prefix;			/* bytes that all of them begin with alike */
	size_t		suffix;			/* and end with */
} TemplateToken;

static void
compare_token(TemplateToken *token, L4Bytes other)
{
	L4Bytes		text = token->span.text;
	size_t		i;

	if (!token->differs && text.size == other.size && memcmp(text.data, other.data, text.size) == 0)
		return;
	token->differs = true;
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

	if (token->span.wildcard)
		token->prefix = token->suffix = 0;
	while (token->prefix > 0 && memchr(punctuation, data[token->prefix - 1], sizeof(punctuation) - 1) == NULL)
		token->prefix--;
	token->suffix = Min(token->suffix, token->shortest - token->prefix);
	while (token->suffix > 0 && memchr(punctuation, data[size - token->suffix], sizeof(punctuation) - 1) == NULL)
		token->suffix--;
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
	const char *at = first.data;
	StringInfoData out;
	TokenSpan	rest;
	int			count = 0;
	int			i;
	int			k;

	if (end - begin == 1)
		return first;
	while (drain_next_token(&at, first.data + first.size, &rest))
	{
		TemplateToken *token = &tokens[count++];

		token->span = rest;
		token->differs = false;
		token->prefix = token->suffix = token->shortest = rest.text.size;
	}
	for (i = begin + 1; i < end; i++)
	{
		L4Bytes		shape = drain->shapes[drain->members[i]];
		const char *from = shape.data;
		TokenSpan	span;

		for (k = 0; drain_next_token(&from, shape.data + shape.size, &span); k++)
			compare_token(&tokens[k], span.text);
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
