/*
 * progress.c: stage and iteration of each record of a stream, by rules.
 *
 * Sixty patterns on every line would cost more than all the rest of reading. So the rules are tried once per shape, on the
 * shape's text with each parameter written as "1": a pure function of the shape, the same whatever line came first. Where the
 * rule's number is one of those parameters, it is read from there; only a record whose parameters hold more than figures is
 * matched again.
 *
 * A stream keeps its stage and iteration from one marker to the next, and its stage is a state machine. Set-up comes once: of a
 * stream that iterates, what reads data, loads weights or makes a communicator is part of an iteration, until a tear-down or a
 * new rendezvous begins another attempt (not one that a warning or an error speaks of). Evaluations and checkpoints interrupt:
 * their end, or an iteration, leads back to where the stream was before.
 */
#include "algorithms/progress.h"

#include "algorithms/header_object.h"

#include "algorithms/segment.h"

/* Rules look at the first bytes of a message only: markers stand at the beginning. */
#define PROGRESS_BYTE_LIMIT 4096
/* Below every bound that a rule may have on how far it looks. */
#define QUICK_BYTE_LIMIT 200
/* 1 + index in l4_stages; those before iterating are set-up. */
#define STAGE_RENDEZVOUS 2
#define STAGE_ITERATING 7
#define STAGE_EVALUATION 8
#define STAGE_CHECKPOINT_SAVE 9
#define STAGE_TEARDOWN 10

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

/* Where a string ends that goes from `at` to this byte; NULL where it does not end. */
static const char *
string_end(const char *at, const char *end, char quote)
{
	for (; at < end; at++)
	{
		if (*at == '\\')
			at++;
		else if (*at == quote)
			return at;
	}
	return NULL;
}

/* The value behind a key of a record of fields, size 0 where it has none, or one without quotes where these must be. */
static L4Bytes
field_value(L4Bytes record, const char *key, bool must_be_quoted)
{
	const char *end = record.data + record.size;
	const char *at = memmem(record.data, record.size, key, strlen(key));
	const char *stop = NULL;
	bool		quoted;

	if (at == NULL)
		return (L4Bytes) {NULL, 0};
	at += strlen(key);
	at += at < end && *at == ' ';
	quoted = at < end && *at == '"';
	at += quoted;
	if (quoted || !must_be_quoted)
		stop = string_end(at, end, quoted ? '"' : ' ');
	return (L4Bytes) {at, stop != NULL ? stop - at : 0};
}

/* What the record says in words, where it is one of fields (JSON, logfmt) among which that stands somewhere. */
static L4Bytes
told_field(L4Bytes record)
{
	static const char *const keys[] = {"\"msg\":", "\"message\":", "\"event\":"};
	L4Bytes		value = {NULL, 0};
	int			i;

	if (record.size == 0)
		return value;
	if (record.data[0] != '{')
		return field_value(record, record.size > 4 && memcmp(record.data, "msg=", 4) == 0 ? "msg=" : " msg=", false);
	for (i = 0; i < (int) lengthof(keys) && value.size == 0; i++)
		value = field_value(record, keys[i], true);
	return value.size > 0 ? value : header_object_words(record);
}

/* A message, or its sample, without the empty line that it begins with where it stands below its header (record.c). */
static L4Bytes
without_empty_line(L4Bytes text)
{
	size_t		empty = text.size > 0 && text.data[0] == '\n';

	return (L4Bytes) {text.data + empty, text.size - empty};
}

/* Rules look where a message begins: of a record of fields what it says comes first, then all of it. */
static L4Bytes
stage_sample(StringInfo out, L4Bytes sample)
{
	L4Bytes		told;

	sample = without_empty_line(sample);
	told = told_field(sample);
	if (told.size > 0)
	{
		appendBinaryStringInfo(out, told.data, told.size);
		appendStringInfoChar(out, ' ');
	}
	appendBinaryStringInfo(out, sample.data, sample.size);
	return (L4Bytes) {out->data, out->len};
}

/*
 * progress_stage_sample: appends what the stage rules see of a shape to an empty buffer. Cost: linear in the text's size.
 */
void
progress_stage_sample(StringInfo out, L4Bytes shape_text)
{
	StringInfoData plain;

	initStringInfo(&plain);
	stage_sample(out, canonical_sample(&plain, shape_text));
	pfree(plain.data);
}

/* The parameter that stands alone at a place of the sample, or -1. */
static int
parameter_at(L4Bytes shape_text, L4Bytes sample, L4Bytes span)
{
	size_t		wanted = span.data - sample.data;
	size_t		at = 0;
	size_t		written = 0;
	int			number = 0;

	while (span.size == 1 && at < shape_text.size && written <= wanted)
	{
		bool		placeholder = shape_text.size - at >= L4_PLACEHOLDER_SIZE &&
			memcmp(shape_text.data + at, L4_PLACEHOLDER, L4_PLACEHOLDER_SIZE) == 0;

		if (written == wanted)
			return placeholder ? number : -1;
		number += placeholder;
		at += placeholder ? L4_PLACEHOLDER_SIZE : 1;
		written++;
	}
	return -1;
}

/*
 * progress_classify: the first stage rule and the first iteration rule (in the order given) that match the shape (stage rules
 * see it by progress_stage_sample); one that gives up does not match. Cost: one match for each rule whose words are in it.
 */
L4ProgressClass
progress_classify(const L4ProgressRules *rules, L4Bytes shape_text)
{
	L4ProgressClass class = {0, false, -1, -1};
	L4Bytes		span;
	StringInfoData text;
	StringInfoData told;
	L4Bytes		sample;
	int			rule;

	initStringInfo(&text);
	initStringInfo(&told);
	sample = canonical_sample(&text, shape_text);
	rule = pattern_set_first(rules->stage_set, stage_sample(&told, sample));
	if (rule >= 0)
	{
		class.stage = rules->stages[rule].stage;
		class.stage_ends = rules->stages[rule].ends;
	}
	rule = pattern_set_first(rules->iteration_set, without_empty_line(sample));
	class.iteration_rule = rule;
	if (rule >= 0 && pattern_group(rules->iterations[rule].pattern, rules->iterations[rule].group, &span))
		class.iteration_parameter = parameter_at(shape_text, sample, span);
	pfree(told.data);
	pfree(text.data);
	return class;
}

/* Decimal digits, at most 18 of them. */
static bool
span_number(L4Bytes span, int64 *number)
{
	size_t		i;

	if (span.size == 0 || span.size > 18)
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

/* Does the text hold nothing but figures, so that no rule can tell it from a "1"? */
static bool
is_figure(L4Bytes text)
{
	size_t		i;

	for (i = 0; i < text.size; i++)
		if (!((text.data[i] >= '0' && text.data[i] <= '9') || text.data[i] == '.' || text.data[i] == '-' ||
			  text.data[i] == ':'))
			return false;
	return true;
}

/*
 * The number without matching: where the message is short enough for every bound of the rules, and differs from the sample that
 * they matched in figures alone.
 */
static bool
quick_number(L4ProgressClass class, L4Bytes message, const L4Bytes *parameters, int count, int64 *number)
{
	int			i;

	if (class.iteration_parameter < 0 || class.iteration_parameter >= count || message.size > QUICK_BYTE_LIMIT ||
		!span_number(parameters[class.iteration_parameter], number))
		return false;
	for (i = 0; i < count; i++)
		if (!is_figure(parameters[i]))
			return false;
	return true;
}

/* The number that a rule reads from the message. */
static bool
read_number(const L4IterationRule *rule, L4Bytes message, int64 *number)
{
	L4Bytes		span;

	message = without_empty_line(message);
	message.size = Min(message.size, PROGRESS_BYTE_LIMIT);
	return pattern_try(rule->pattern, message, 0, false) == L4_MATCH &&
		pattern_group(rule->pattern, rule->group, &span) && span_number(span, number);
}

static bool
interrupts(int stage)
{
	return stage == STAGE_EVALUATION || stage == STAGE_CHECKPOINT_SAVE;
}

static bool
settles(int stage)
{
	return stage == STAGE_RENDEZVOUS || stage == STAGE_ITERATING || stage == STAGE_TEARDOWN;
}

/* Whether a record of that level tells what is amiss with a rendezvous rather than that one begins. */
static bool
misses_rendezvous(int stage, L4Level level)
{
	return stage == STAGE_RENDEZVOUS && level >= L4_LEVEL_WARNING;
}

bool
progress_is_settled(L4ProgressClass class, L4Level level, bool marked)
{
	return marked || (settles(class.stage) && !misses_rendezvous(class.stage, level));
}

/* A marker names a stage. */
static void
enter_stage(L4ProgressState *state, int stage, L4Level level)
{
	int			base = interrupts(state->stage) ? state->before : state->stage;

	if (interrupts(stage))
		state->before = base;
	else if ((settles(stage) && !misses_rendezvous(stage, level)) || base != STAGE_ITERATING || !state->has_iteration)
		state->before = 0;
	else
		return;					/* set-up of a stream that iterates */
	state->stage = stage;
}

static void
leave_stage(L4ProgressState *state, int stage)
{
	if (state->stage != stage || !interrupts(stage))
		return;
	state->stage = state->before;
	state->before = 0;
}

bool
progress_advance(const L4ProgressRules *rules, L4ProgressState *state, L4ProgressClass class, L4Level level,
				 L4Bytes message, const L4Bytes *parameters, int parameter_count, L4ProgressState *of_record)
{
	bool		marked = false;
	int64		number;

	if (class.iteration_rule >= 0 &&
		(quick_number(class, message, parameters, parameter_count, &number) ||
		 read_number(&rules->iterations[class.iteration_rule], message, &number)))
	{
		marked = true;
		enter_stage(state, STAGE_ITERATING, level);
		state->has_iteration = true;
		state->iteration = number;
	}
	if (class.stage != 0)
		enter_stage(state, class.stage, level);
	*of_record = *state;
	if (class.stage_ends)
		leave_stage(state, class.stage);
	if (marked && rules->iterations[class.iteration_rule].position == L4_ITERATION_END)
		state->iteration++;
	return marked;
}
