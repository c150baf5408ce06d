/*
 * progress.c: stage and iteration of each record of a stream, by rules.
 *
 * Sixty patterns on every line would cost more than all the rest of reading. So the rules are tried once per shape, on the shape's text with each
 * parameter written as "1": a pure function of the shape, the same whatever line came first. Only records of a shape with an iteration rule are matched
 * again, to read the number. A stream keeps its stage and iteration from one marker to the next; a marker of an iteration leads back from
 * evaluation or checkpoint_save to iterating.
 */
#include "algorithms/progress.h"

#include "algorithms/segment.h"
#include "lib/stringinfo.h"

/* Rules look at the first bytes of a message only: markers stand at the beginning. */
#define PROGRESS_BYTE_LIMIT 4096
#define STAGE_ITERATING 7		/* 1 + index of "iterating" in l4_stages */

/* The shape's text with each placeholder written as 1. */
static L4Bytes
canonical_sample(StringInfo out, L4Bytes shape_text)
{
	L4Bytes		one = {"1", 1};
	const char *at = shape_text.data;
	const char *end = shape_text.data + Min(shape_text.size, PROGRESS_BYTE_LIMIT);
	L4Bytes		sample;

	while (at < end)
	{
		if (end - at >= L4_PLACEHOLDER_SIZE && memcmp(at, L4_PLACEHOLDER, L4_PLACEHOLDER_SIZE) == 0)
		{
			appendBinaryStringInfo(out, one.data, one.size);
			at += L4_PLACEHOLDER_SIZE;
		}
		else
			appendStringInfoChar(out, *at++);
	}
	sample.data = out->data;
	sample.size = out->len;
	return sample;
}

/*
 * progress_classify: the first stage rule and the first iteration rule (in the order given) that match the shape. Cost: one match per rule.
 */
L4ProgressClass
progress_classify(const L4ProgressRules *rules, L4Bytes shape_text)
{
	L4ProgressClass class = {0, -1};
	StringInfoData text;
	L4Bytes		sample;
	int			i;

	initStringInfo(&text);
	sample = canonical_sample(&text, shape_text);
	for (i = 0; i < rules->stage_count && class.stage == 0; i++)
		if (pattern_match(rules->stages[i].pattern, sample, 0, false))
			class.stage = rules->stages[i].stage;
	for (i = 0; i < rules->iteration_count && class.iteration_rule < 0; i++)
		if (pattern_match(rules->iterations[i].pattern, sample, 0, false))
			class.iteration_rule = i;
	pfree(text.data);
	return class;
}

/* The number a rule's group matched: decimal digits, at most 18 of them. */
static bool
read_number(const L4IterationRule *rule, int64 *number)
{
	L4Bytes		span;
	size_t		i;

	if (!pattern_group(rule->pattern, rule->group, &span) || span.size == 0 || span.size > 18)
		return false;
	*number = 0;
	for (i = 0; i < span.size; i++)
	{
		if (span.data[i] < '0' || span.data[i] > '9')
			return false;
		*number = *number * 10 + (span.data[i] - '0');
	}
	return true;
}

bool
progress_advance(const L4ProgressRules *rules, L4ProgressState *state, L4ProgressClass class,
				 L4Bytes message, L4ProgressState *of_record)
{
	bool		marked = false;
	int64		number;

	message.size = Min(message.size, PROGRESS_BYTE_LIMIT);
	if (class.iteration_rule >= 0)
	{
		const L4IterationRule *rule = &rules->iterations[class.iteration_rule];

		if (pattern_match(rule->pattern, message, 0, false) && read_number(rule, &number))
		{
			marked = true;
			state->stage = STAGE_ITERATING;
			state->has_iteration = true;
			state->iteration = number;
		}
	}
	if (class.stage != 0)
		state->stage = class.stage;
	*of_record = *state;
	if (marked && rules->iterations[class.iteration_rule].position == L4_ITERATION_END)
		state->iteration++;
	return marked;
}
