/*
 * header_rules.c: the rules of prefixes and of headers: tried in the order of priority, what they say of a text, and the memory
 * of it.
 *
 * What is remembered changes no result: only texts that every rule that was tried answers in the same way are told alike
 * (line_prefix_cache.c).
 */
#include "algorithms/header_private.h"

#include "storage/shmem.h"
#include "tools/bytes.h"

static const char *const group_names[GROUP_COUNT] = {
	"ts", "epoch", "mmdd", "year", "month", "day", "time", "level", "severity",
	"level_tens", "component", "logger", "module", "proc", "file", "rank", "local_rank", "host", "node",
	"role_rank"
};

/* So many line prefixes may be traced at first; each further one must be earned by so many that were found. */
#define TRACE_CREDIT 1000
#define TRACE_COST 50
/*
 * A rule whose line prefixes could not be kept so many times in a row asks for too much of its lines; they are not traced any
 * more.
 */
#define TRACES_IN_VAIN 10

static int
compare_formats(const void *a, const void *b)
{
	const L4Format *x = *(const L4Format *const *) a;
	const L4Format *y = *(const L4Format *const *) b;

	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	return strcmp(x->name, y->name);
}

/*
 * Compiles one format. Anchoring inside the pattern keeps pcre2 on its machine code, which anchoring at run time does not. A
 * pattern that may turn on comments cannot be wrapped.
 */
static void
rule_compile(HeaderRule *rule, const L4Format *format)
{
	char	   *what = psprintf("format \"%s\"", format->name);
	int			i;

	rule->format = format;
	rule->enabled = !format->dominant;
	rule->pattern = pattern_compile(format->pattern, strlen(format->pattern), what);
	if (format->pattern[0] != '\0' && strchr(format->pattern, '#') == NULL)
	{
		char	   *wrapped = psprintf("\\A(?:%s)", format->pattern);

		rule->pattern = pattern_compile(wrapped, strlen(wrapped), what);
		rule->self_anchored = true;
	}
	for (i = 0; i < GROUP_COUNT; i++)
		rule->groups[i] = pattern_group_number(rule->pattern, group_names[i]);
}

static void
memory_init(HeaderMemory *memory)
{
	memory->cache = line_prefix_cache_create();
	memory->known = palloc(L4_LINE_PREFIX_LIMIT * sizeof(HeaderFacts));
	memory->credit = TRACE_CREDIT * TRACE_COST;
}

void
header_rules_build(HeaderRules *rules, const L4Format *formats, int count, L4FormatKind kind, bool remember)
{
	const L4Format **order = palloc(mul_size(Max(count, 1), sizeof(L4Format *)));
	const char **patterns = palloc(mul_size(Max(count, 1), sizeof(char *)));
	int			i;

	for (i = 0; i < count; i++)
		if (formats[i].kind == kind)
			order[rules->count++] = &formats[i];
	qsort(order, rules->count, sizeof(L4Format *), compare_formats);
	rules->rules = palloc0(mul_size(Max(rules->count, 1), sizeof(HeaderRule)));
	for (i = 0; i < rules->count; i++)
	{
		rule_compile(&rules->rules[i], order[i]);
		patterns[i] = order[i]->pattern;
	}
	rules->filter = prefilter_create(patterns, rules->count);
	for (i = 0; i < rules->count; i++)
		remember = prefilter_knows(rules->filter, i, &rules->rules[i].alternatives) && remember;
	if (remember && prefilter_words(rules->filter) <= TRACED_WORDS)
	{
		memory_init(&rules->memory);
		memory_init(&rules->alone);
	}
	pfree(patterns);
	pfree(order);
}

/* Is a rule tried? Those that do not count are only where all is set, but for those that want the name of a node. */
static inline bool
is_tried(const HeaderRule *rule, bool all)
{
	return rule->enabled || (all && rule->groups[GROUP_NODE] < 0);
}

/* The first rule by priority that matches at the beginning of text, or NULL. Rules not enabled count only where all is set. */
static HeaderRule *
rules_match(HeaderRules *rules, L4Bytes text, bool all)
{
	const uint64 *candidates = prefilter_candidates(rules->filter, text);
	int			words = prefilter_words(rules->filter);
	int			word;

	rules->gave_up = false;
	for (word = 0; word < words; word++)
	{
		uint64		set = candidates[word];

		for (; set != 0; set &= set - 1)
		{
			int			i = word * 64 + __builtin_ctzll(set);
			HeaderRule *rule = &rules->rules[i];
			L4MatchResult result;

			if (i >= rules->count)
				return NULL;
			if (!is_tried(rule, all))
				continue;
			result = pattern_try(rule->pattern, text, 0, !rule->self_anchored);
			if (result == L4_MATCH)
				return rule;
			rules->gave_up |= result == L4_GAVE_UP;
		}
	}
	return NULL;
}

static bool
span_has_digit(L4Bytes span)
{
	size_t		i;

	for (i = 0; i < span.size; i++)
		if (span.data[i] >= '0' && span.data[i] <= '9')
			return true;
	return false;
}

/* The level that a match states, and where; false, and none, where it states none. */
bool
header_facts_level(const HeaderFacts *facts, const char *text, L4Level *level, L4Bytes *span)
{
	*level = L4_LEVEL_NONE;
	if (header_facts_group(facts, GROUP_LEVEL, text, span) || header_facts_group(facts, GROUP_SEVERITY, text, span))
		*level = level_from_text(*span);
	else if (header_facts_group(facts, GROUP_LEVEL_TENS, text, span))
		*level = level_from_tens(bytes_number(*span));
	else
		return false;
	return true;
}

/* How much of the text the line prefix takes that a rule matched: all up to its end, wherever \K has the match begin. */
size_t
header_prefix_size(const HeaderRule *rule, L4Bytes text)
{
	L4Bytes		span;

	return pattern_group(rule->pattern, 0, &span) ? span.data + span.size - text.data : 0;
}

/* Takes down what the match of a rule says. */
static void
facts_of_match(HeaderFacts *facts, HeaderRule *rule, L4Bytes text)
{
	L4Bytes		span = {NULL, 0};
	int			group;

	facts->rule = rule;
	facts->size = (int) header_prefix_size(rule, text);
	for (group = 0; group < GROUP_COUNT; group++)
	{
		bool		there = rule->groups[group] >= 0 && pattern_group(rule->pattern, rule->groups[group], &span) &&
			span.size > 0;

		facts->begins[group] = there ? (int16) (span.data - text.data) : -1;
		facts->sizes[group] = there ? (int16) span.size : 0;
	}
	facts->level_in_digits = header_facts_level(facts, text.data, &facts->level, &span) && span_has_digit(span);
	facts->component = -1;
	for (group = GROUP_FILE; group >= GROUP_COMPONENT; group--)
		if (facts->begins[group] >= 0)
			facts->component = group;
	memset(&facts->layout, 0, sizeof(facts->layout));
	if (header_facts_group(facts, GROUP_TS, text.data, &span))
		(void) frame_time_layout(span, &facts->layout);
}

/*
 * Finds out what the first rule by priority that matches at the beginning of text says. Rules not enabled count only where all
 * is set. False where none matches.
 */
bool
header_rules_first(HeaderRules *rules, L4Bytes text, bool all, HeaderFacts *facts)
{
	HeaderRule *rule = rules_match(rules, text, all);

	if (rule == NULL)
		return false;
	facts_of_match(facts, rule, text);
	return true;
}

/*
 * Adds what the rules ask for that were tried: those up to `last`, or all. Most are ruled out by the first bytes of the text;
 * the others are walked.
 */
static void
trace_rules(L4LinePrefixTrace *trace, const HeaderRules *rules, bool all, const HeaderRule *last)
{
	uint64		tried[TRACED_WORDS] = {0};
	int			count = last != NULL ? last - rules->rules + 1 : rules->count;
	int			extent;
	int			i;

	for (i = 0; i < count; i++)
		if (is_tried(&rules->rules[i], all))
			tried[i / 64] |= UINT64CONST(1) << (i % 64);
	extent = prefilter_rule_out(rules->filter, trace->text, tried);
	if (extent > 0)
		line_prefix_trace_position(trace, extent - 1);
	for (i = 0; i < count && !trace->failed; i++)
		if ((tried[i / 64] >> (i % 64)) & 1)
			line_prefix_trace_add(trace, rules->rules[i].format->pattern, rules->rules[i].alternatives);
}

/* Of texts with neither prefix nor header so many bytes more are remembered: a look then tries few sizes. */
#define NOTHING_STEP 8

/* May a line prefix that this rule matched, or none, be traced? */
static bool
take_credit(HeaderMemory *memory, HeaderRule *rule)
{
	if (memory->credit < TRACE_COST || *traces_in_vain(memory, rule) >= TRACES_IN_VAIN)
		return false;
	memory->credit -= TRACE_COST;
	return true;
}

static void
facts_keep(HeaderMemory *memory, L4LinePrefixTrace *trace, const HeaderFacts *facts)
{
	int		   *in_vain = traces_in_vain(memory, facts->rule);
	int			prefix;

	if (facts->rule == NULL && trace->extent > 0)
		line_prefix_trace_position(trace, TYPEALIGN(NOTHING_STEP, trace->extent) - 1);
	prefix = line_prefix_cache_keep(memory->cache, trace);
	*in_vain = prefix >= 0 ? 0 : *in_vain + 1;
	if (prefix >= 0)
		memory->known[prefix] = *facts;
}

const HeaderFacts *
header_rules_find(HeaderRules *rules, L4Bytes text, HeaderFacts *room)
{
	HeaderMemory *memory = &rules->alone;
	const HeaderFacts *known = memory->cache != NULL ? header_facts_recall(memory, text) : NULL;

	if (known != NULL)
		return known->rule != NULL ? known : NULL;
	if (!header_rules_first(rules, text, true, room))
		room->rule = NULL;
	/* where one gave up, it is told how often */
	if (memory->cache != NULL && (room->rule != NULL || !rules->gave_up) && take_credit(memory, room->rule))
	{
		L4LinePrefixTrace trace = {.text = text};

		trace_rules(&trace, rules, true, room->rule);
		facts_keep(memory, &trace, room);
	}
	return room->rule != NULL ? room : NULL;
}

/* The prefix, of those that count, at the beginning of text; false where there is none. */
bool
header_rules_recall(HeaderRules *rules, L4Bytes text, HeaderFacts *facts)
{
	HeaderMemory *memory = &rules->memory;
	const HeaderFacts *known;

	if (!prefilter_any(rules->filter, text))
		return false;
	known = memory->cache != NULL ? header_facts_recall(memory, text) : NULL;
	if (known != NULL)
	{
		*facts = *known;
		return true;
	}
	if (!header_rules_first(rules, text, false, facts))
		return false;
	if (memory->cache != NULL && facts->size > 0 && take_credit(memory, facts->rule))
	{
		L4LinePrefixTrace trace = {.text = text};

		trace_rules(&trace, rules, false, facts->rule);
		facts_keep(memory, &trace, facts);
	}
	return true;
}

/* Remembers the header, or that there is none, at the beginning of a text that begins with no prefix. */
void
header_keep(L4HeaderParser *parser, L4Bytes text, const HeaderFacts *facts)
{
	L4LinePrefixTrace trace = {.text = text};

	/* where one gave up, it is told how often */
	if (facts->rule == NULL && (parser->prefixes.gave_up || parser->headers.gave_up))
		return;
	if (!take_credit(&parser->headers.memory, facts->rule))
		return;
	trace_rules(&trace, &parser->prefixes, false, NULL);
	trace_rules(&trace, &parser->headers, true, facts->rule);
	facts_keep(&parser->headers.memory, &trace, facts);
}
