/*
 * target_groups.c: what many lines are asked at once: Drain, sets of patterns, filters before patterns.
 */
#include "fuzz.h"

#include "algorithms/drain_private.h"
#include "algorithms/prefilter.h"
#include "algorithms/literals.h"
#include "algorithms/mask.h"
#include "algorithms/pattern_set.h"
#include "tools/pattern.h"

/* ---- Drain ---- */

/* A text with each run of white space as one blank, and none at its ends. */
static L4Bytes
without_gaps(L4Bytes text)
{
	char	   *out = palloc(text.size + 1);
	size_t		size = 0;
	size_t		i;

	for (i = 0; i < text.size; i++)
	{
		char		c = text.data[i];

		if (c == ' ' || (c >= '\t' && c <= '\r'))
			c = ' ';
		if (c != ' ' || (size > 0 && out[size - 1] != ' '))
			out[size++] = c;
	}
	if (size > 0 && out[size - 1] == ' ')
		size--;
	return (L4Bytes) {out, size};
}

/* A template without the blanks before its <*>: one that is a word of its own may stand for nothing, and then there is none. */
static L4Bytes
without_blanks(L4Bytes template)
{
	char	   *out = palloc(template.size + 1);
	size_t		size = 0;
	size_t		i;

	for (i = 0; i < template.size; i++)
		if (template.data[i] != ' ' || !is_placeholder(template.data + i + 1, template.data + template.size))
			out[size++] = template.data[i];
	return (L4Bytes) {out, size};
}

/* Is the text one of those that a template stands for, where <*> may be anything? */
static bool
template_fits(L4Bytes template, L4Bytes text)
{
	const char *end = template.data + template.size;
	const char *pattern = template.data;
	const char *behind_star = NULL;	/* where the template goes on behind the last <*>, */
	size_t		at = 0;
	size_t		tried = 0;		/* and from where in the text that was tried */

	for (;;)
	{
		if (is_placeholder(pattern, end))
		{
			pattern += L4_PLACEHOLDER_SIZE;
			behind_star = pattern;
			tried = at;
		}
		else if (pattern < end && at < text.size && *pattern == text.data[at])
		{
			pattern++;
			at++;
		}
		else if (pattern == end && at == text.size)
			return true;
		else if (behind_star == NULL || tried == text.size)
			return false;
		else
		{
			pattern = behind_star;
			at = ++tried;
		}
	}
}

/* The lines of an input without NUL, which no shape has; up to room. */
static int
shapes_of(L4Bytes input, L4Bytes *shapes, int room)
{
	int			count = 0;
	L4Bytes		line;

	while (count < room && fuzz_line(&input, &line))
		if (memchr(line.data, '\0', line.size) == NULL)
			shapes[count++] = line;
	return count;
}

/* Input: depth, similarity, split_values, then a shape on each line. */
void
fuzz_drain(L4Bytes input)
{
	L4DrainOptions options;
	L4Bytes		shapes[400];
	L4Bytes		reversed[400];
	L4DrainResult *result;
	L4DrainResult *other;
	int			count;
	int			i;

	options.depth = 3 + fuzz_byte(&input) % 10;
	options.similarity = fuzz_byte(&input) % 101 / 100.0;
	options.split_values = fuzz_byte(&input) % 12;
	options.memory_limit = 0;
	count = shapes_of(input, shapes, lengthof(shapes));
	for (i = 0; i < count; i++)
	{
		shapes[i] = fuzz_copy(shapes[i]);
		reversed[count - 1 - i] = shapes[i];
	}
	result = drain_cluster(shapes, count, &options);
	other = drain_cluster(reversed, count, &options);
	fuzz_require(result->group_count == other->group_count && result->parent_count == other->parent_count);
	for (i = 0; i < result->group_count; i++)
	{
		const L4DrainGroup *group = &result->groups[i];

		fuzz_require(strcmp(group->template, other->groups[i].template) == 0
			&& group->member_count == other->groups[i].member_count);
		fuzz_require(i == 0 || strcmp(result->groups[i - 1].template, group->template) < 0);
		fuzz_require(group->parent >= 0 && group->parent < result->parent_count && group->member_count > 0);
	}
	for (i = 0; i < count; i++)
	{
		const L4DrainGroup *group;
		L4Bytes		template;

		fuzz_require(result->group_of[i] >= 0 && result->group_of[i] < result->group_count);
		fuzz_require(result->group_of[i] == other->group_of[count - 1 - i]);
		group = &result->groups[result->group_of[i]];
		template = without_blanks(without_gaps((L4Bytes) {group->template, group->template_size}));
		fuzz_require(template_fits(template, without_gaps(shapes[i])));
	}
}

/* ---- patterns ---- */

typedef struct Trial
{
	L4Bytes		regex;
	L4Pattern  *pattern;
	L4Bytes		subject;
	size_t		offset;
	bool		anchored;
	L4MatchResult result;
	bool		matches;
} Trial;

static void
compile_trial(void *argument)
{
	Trial	   *trial = argument;

	trial->pattern = pattern_compile(trial->regex.data, trial->regex.size, "the pattern");
}

static void
match_trial(void *argument)
{
	Trial	   *trial = argument;

	trial->result = pattern_try(trial->pattern, trial->subject, trial->offset, trial->anchored);
	trial->matches = trial->result == L4_MATCH;
}

/* The pattern matched at a place; false where it gives up. */
static bool
try_match(Trial *trial, L4Bytes subject, size_t offset, bool anchored)
{
	trial->subject = subject;
	trial->offset = offset;
	trial->anchored = anchored;
	if (server_try(match_trial, trial) != 0)
		fuzz_failed(__FILE__, __LINE__, server_message());
	return trial->result != L4_GAVE_UP;
}

static L4Bytes
folded_copy(L4Bytes text)
{
	L4Bytes		copy = fuzz_copy(text);
	size_t		i;

	for (i = 0; i < copy.size; i++)
		((char *) copy.data)[i] = (char) l4_folded[(unsigned char) copy.data[i]];
	return copy;
}

static bool
holds_any(const L4Literals *literals, L4Bytes text)
{
	L4Bytes		folded = folded_copy(text);
	int			i;

	for (i = 0; i < literals->count; i++)
		if (memmem(folded.data, folded.size, literals->items[i].data, literals->items[i].size) != NULL)
			return true;
	return false;
}

/* Whatever matches holds a literal of the pattern and passes the prefilter. */
static void
require_not_rejected(Trial *trial, L4Bytes subject, const L4Literals *literals, L4Prefilter *filter)
{
	L4Bytes		span;

	subject = fuzz_copy(subject);
	if (try_match(trial, subject, 0, false) && trial->matches)
	{
		fuzz_require(literals == NULL || holds_any(literals, subject));
		fuzz_require(pattern_group(trial->pattern, 0, &span) && span.data >= subject.data
			&& span.data + span.size <= subject.data + subject.size);
	}
	if (subject.size > 0 && try_match(trial, subject, 0, true) && trial->matches)
	{
		fuzz_require(prefilter_candidates(filter, subject)[0] & 1);
		fuzz_require(prefilter_any(filter, subject));
	}
}

/* All patterns that match, by the set as by each alone. */
static void
require_set_agrees(const char *const *regexes, int count, L4Bytes subjects)
{
	L4PatternSet *set = pattern_set_create();
	Trial		trials[8];
	L4Bytes		line;
	int			i;

	for (i = 0; i < count; i++)
	{
		trials[i].regex = (L4Bytes) {regexes[i], strlen(regexes[i])};
		if (server_try(compile_trial, &trials[i]) != 0)
			return;
		pattern_set_add(set, trials[i].regex, "the pattern");
	}
	while (fuzz_line(&subjects, &line))
	{
		const int  *numbers;
		int			number_count;
		int			at = 0;

		for (i = 0; i < count; i++)
			(void) try_match(&trials[i], line, 0, false);
		numbers = pattern_set_match(set, line, &number_count);
		for (i = 0; i < count; i++)
			if (trials[i].matches)
				fuzz_require(at < number_count && numbers[at++] == i);
		fuzz_require(at == number_count);
		/* the set leaves out what has no word in the text, and so may know better than a pattern that gives up */
		numbers = pattern_set_given_up(set, &number_count);
		for (i = 0; i < number_count; i++)
			fuzz_require(trials[numbers[i]].result == L4_GAVE_UP);
	}
}

/* Input: a pattern on each of two lines, then subjects, one a line. */
void
fuzz_patterns(L4Bytes input)
{
	const char *regexes[3] = {NULL, NULL, "rank \\d+|CUDA (?i:error)"};
	int			count = 0;
	L4Bytes		line;
	int			i;

	while (count < 2 && fuzz_line(&input, &line))
		if (line.size < 300 && memchr(line.data, '\0', line.size) == NULL)
			regexes[count++] = pnstrdup(line.data, line.size);
	if (count < 2)
		return;
	for (i = 0; i < count; i++)
	{
		Trial		trial = {{regexes[i], strlen(regexes[i])}};
		L4Bytes		rest = input;
		const L4Literals *literals;
		L4Prefilter *filter;

		if (server_try(compile_trial, &trial) != 0)
			return;
		literals = literals_of_pattern(regexes[i], strlen(regexes[i]));
		filter = prefilter_create(&regexes[i], 1);
		while (fuzz_line(&rest, &line))
			require_not_rejected(&trial, line, literals, filter);
	}
	require_set_agrees(regexes, 3, input);
}
