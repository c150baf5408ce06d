/*
 * header.c: the prefixes and the header of a log line: time, level, component, rank, host.
 *
 * Launchers label the lines of their ranks, and labels stack ("12: [rank12]:[E1206 ..."): up to three prefixes are taken off,
 * then one header. Every place is tried in the order of priority, from the same state for every line: what a line means never
 * depends on the lines before it. That this costs little is the work of the prefilter, which leaves one or two patterns to
 * try, or none.
 *
 * Prefixes as common as "12: " are marked dominant and count only in streams where most lines have them (header_parser_sample).
 * A lone line has no stream; there such a prefix counts only where something known follows it.
 */
#include "algorithms/header_private.h"

#include "algorithms/timestamp.h"
#include "storage/shmem.h"
#include "tools/bytes.h"

/*
 * header_parser_create: a parser for the given formats, which must stay in place. Errors: 2201B for a pattern that does not
 * compile. Cost: some 50 microseconds a format: make one per stream or call site, not per line.
 */
L4HeaderParser *
header_parser_create(const L4Format *formats, int count, pg_tz *zone, TimestampTz reference, bool remember)
{
	L4HeaderParser *parser = palloc0(sizeof(L4HeaderParser));

	initStringInfo(&parser->colours.plain);
	parser->stamped = parser->coloured = true;
	parser->zone = zone;
	parser->reference = reference;
	header_rules_build(&parser->prefixes, formats, count, L4_FORMAT_PREFIX, remember);
	header_rules_build(&parser->headers, formats, count, L4_FORMAT_HEADER, remember);
	return parser;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/*
 * header_parser_name_nodes: the texts of the names stay where they are.
 */
void
header_parser_name_nodes(L4HeaderParser *parser, char **nodes, int count)
{
	parser->nodes = palloc(mul_size(Max(count, 1), sizeof(char *)));
	parser->node_count = count;
	if (count > 0)
		memcpy(parser->nodes, nodes, count * sizeof(char *));
	qsort(parser->nodes, count, sizeof(char *), compare_names);
}

/*
 * header_parser_reset: forgets what a sample taught and takes another reference for times without a year.
 */
void
header_parser_reset(L4HeaderParser *parser, TimestampTz reference)
{
	int			i;

	parser->sampled = false;
	parser->ranks_stated = false;
	parser->hosts_stated = HOSTS_NOT_STATED;
	parser->tasks = parser->roles = false;
	parser->stamped = parser->coloured = true;
	memset(&parser->learnt, 0, sizeof(parser->learnt));
	parser->reference = reference;
	time_cache_reset(&parser->times);
	for (i = 0; i < parser->prefixes.count; i++)
		parser->prefixes.rules[i].enabled = !parser->prefixes.rules[i].format->dominant;
}

static int
facts_number(const HeaderFacts *facts, enum HeaderGroup group, const char *text)
{
	L4Bytes		span;

	return header_facts_group(facts, group, text, &span) ? bytes_number(span) : -1;
}

/* The date of a time of day that stands apart: MMDD, or month and day, perhaps with a year of two or four digits. */
static bool
facts_date(const HeaderFacts *facts, const char *text, char *buffer, size_t room, L4Bytes *date)
{
	int			year = facts_number(facts, GROUP_YEAR, text);
	int			month;
	int			day;

	if (header_facts_group(facts, GROUP_MMDD, text, date))
		return true;
	month = facts_number(facts, GROUP_MONTH, text);
	day = facts_number(facts, GROUP_DAY, text);
	if (month < 0 || month > 99 || day < 0 || day > 99 || year > 9999)
		return false;
	date->data = buffer;
	if (year < 0)
		date->size = snprintf(buffer, room, "%02d%02d", month, day);
	else
		date->size = snprintf(buffer, room, "%04d%02d%02d", year < 100 ? year + 2000 : year, month, day);
	return true;
}

/* A time of day without a date: whoever knows the lines before may know the day. */
static void
take_clock(const HeaderFacts *facts, const char *text, L4Header *header)
{
	L4Bytes		span;

	if (header_facts_group(facts, GROUP_TIME, text, &span) && timestamp_parse_clock(span, &header->clock))
		header->has_clock = true;
}

/* The time that a match says; text and form where it stands in one piece. */
static bool
take_time(L4HeaderParser *parser, const HeaderFacts *facts, const char *text, L4Header *header)
{
	char		buffer[9];
	L4TimeForm	form;
	L4Bytes		span;
	L4Bytes		date;
	TimestampTz time;

	if (header_facts_group(facts, GROUP_TS, text, &span))
	{
		if (!time_cache_parse(&parser->times, facts->layout, span, parser->zone, parser->reference, &time, &form))
			return false;
		header->time_text = span;
		header->time_form = form;
		header->time = time;
		return true;
	}
	if (header_facts_group(facts, GROUP_EPOCH, text, &span))
	{
		if (!timestamp_parse_epoch(span, &time))
			return false;
	}
	else if (!header_facts_group(facts, GROUP_TIME, text, &span) || !facts_date(facts, text, buffer, sizeof(buffer), &date) ||
			 !timestamp_parse_parts(date, span, parser->zone, parser->reference, &time))
		return false;
	header->time_text.size = 0;
	header->time_form.form = 0;
	header->time = time;
	return true;
}

/* What a match says besides rank and host. */
static void
take_facts(L4HeaderParser *parser, const HeaderFacts *facts, const char *text, L4Header *header)
{
	L4Bytes		span;

	if (take_time(parser, facts, text, header))
		header->has_time = true;
	else
		take_clock(facts, text, header);
	if (facts->level_in_digits)
		(void) header_facts_level(facts, text, &header->level, &span);
	else if (facts->level != L4_LEVEL_NONE)
		header->level = facts->level;
	if (facts->component >= 0)
		(void) header_facts_group(facts, facts->component, text, &header->component);
}

/* Is a prefix written as a launcher writes the name and the number of a role that is called rank? */
static bool
is_role_label(const HeaderFacts *facts, const char *text)
{
	static const char begin[] = "[rank";

	return facts->size > (int) strlen(begin) && memcmp(text, begin, strlen(begin)) == 0;
}

/*
 * Takes one prefix off. number is the span of the last global rank seen. A global rank before a local one is the number of a
 * launcher's task: with one task per node it names the node.
 */
static void
take_prefix(L4HeaderParser *parser, const HeaderFacts *facts, const char *text, L4Header *header, L4Bytes *number)
{
	int			rank = facts_number(facts, GROUP_RANK, text);
	int			local_rank = facts_number(facts, GROUP_LOCAL_RANK, text);
	L4Bytes		span;

	take_facts(parser, facts, text, header);
	if (facts->begins[GROUP_ROLE_RANK] >= 0)
		local_rank = facts_number(facts, GROUP_ROLE_RANK, text);
	else if (parser->roles && header->local_rank < 0 && rank >= 0 && is_role_label(facts, text))
	{
		local_rank = rank;
		rank = -1;
	}
	if (header_facts_group(facts, GROUP_HOST, text, &span) || header_facts_group(facts, GROUP_NODE, text, &span))
		header->host = span;
	if (local_rank >= 0 && header->rank >= 0)
	{
		header->rank = -1;
		if (header->host.size == 0)
			header->host = *number;
	}
	if (local_rank >= 0)
		header->local_rank = local_rank;
	if (rank >= 0)
	{
		header->rank = rank;
		(void) header_facts_group(facts, GROUP_RANK, text, number);
	}
	header->prefixes[header->prefix_count++] = (int) (facts->rule - parser->prefixes.rules);
	header->size += facts->size;
	header->prefix_size = header->size;
}

/* Says the text of a time its zone? Where there is none the time is a number since 1970, which has one. */
static bool
says_zone(L4Bytes text)
{
	const char *end = text.data + text.size;

	return text.size == 0 || end[-1] == 'Z' ||
		(text.size > 6 && (end[-6] == '+' || end[-6] == '-' || end[-5] == '+' || end[-5] == '-') && end[-3] != '.');
}

/*
 * Takes the header off behind a prefix with a time: that of a platform, which says its zone, counts more than a program's own
 * that says none.
 */
static pg_noinline void
take_timed_facts(L4HeaderParser *parser, const HeaderFacts *facts, const char *text, L4Header *header)
{
	L4Header	outer = *header;
	/* a date and a time of day apart say none, a number since 1970 needs none */
	bool		apart = facts->begins[GROUP_TS] < 0 && facts->begins[GROUP_EPOCH] < 0;

	take_facts(parser, facts, text, header);
	if (!says_zone(outer.time_text) || (!apart && says_zone(header->time_text)))
		return;
	header->time = outer.time;
	header->time_text = outer.time_text;
	header->time_form = outer.time_form;
}

/* Takes the header off whose match is known. */
static void
take_header(L4HeaderParser *parser, const HeaderFacts *facts, const char *text, L4Header *header)
{
	if (header->has_time)
		take_timed_facts(parser, facts, text, header);
	else
		take_facts(parser, facts, text, header);
	header->has_header = true;
	header->format = parser->prefixes.count + (int) (facts->rule - parser->headers.rules);
	header->stated_rank = facts_number(facts, GROUP_RANK, text);
	header->size += facts->size;
}

/*
 * Is this prefix the name of a node, where a host stands before it already? Then it is what a program says: "node-0: Train: 3".
 */
static inline bool
names_second_host(const HeaderFacts *facts, const L4Header *header)
{
	return facts->begins[GROUP_NODE] >= 0 && header->host.size > 0;
}

/* Finds the header behind the prefixes, and takes it off. */
static void
find_header(L4HeaderParser *parser, L4Bytes line, L4Header *header)
{
	L4Bytes		text = header_window(line, header->size);
	HeaderFacts room;
	const HeaderFacts *facts;

	if (header_has_learnt(&parser->learnt) && header_take_learnt(parser, line, header))
		return;
	if ((facts = header_rules_find(&parser->headers, text, &room)) != NULL)
		take_header(parser, facts, text.data, header);
}

/* Field by field: memset of the whole becomes a string instruction, which takes longer than it does to find a known header. */
static inline void
header_init(L4Header *header)
{
	const L4Bytes nothing = {NULL, 0};
	const L4TimeForm no_form = {0};

	header->size = header->prefix_size = 0;
	header->has_header = header->has_time = header->has_clock = false;
	header->time = 0;
	header->clock = 0;
	header->time_text = header->component = header->host = nothing;
	header->time_form = no_form;
	header->level = L4_LEVEL_NONE;
	header->rank = header->local_rank = header->stated_rank = header->format = -1;
	header->prefix_count = 0;
}

/* Where numbers are those of a launcher's tasks, one that no local rank follows names the task's node, too. */
static inline void
take_task(const L4HeaderParser *parser, L4Bytes number, L4Header *header)
{
	if (!parser->tasks || header->rank < 0 || header->local_rank >= 0 || header->host.size > 0)
		return;
	header->host = number;
	header->rank = -1;
}

/*
 * Takes off up to three prefixes, then a header. Where lone is set, dominant prefixes count provisionally: they are given back
 * when nothing known comes behind them.
 */
static void
parse_from(L4HeaderParser *parser, L4Bytes line, L4Header *header, bool lone)
{
	L4Header	before;
	L4Bytes		number = {NULL, 0};
	bool		provisional = false;

	while (header->prefix_count < L4_PREFIX_LIMIT)
	{
		L4Bytes		text = header_window(line, header->size);
		HeaderFacts facts;
		bool		found;

		if (header_take_label(parser, text, header))
			continue;
		found = lone ? header_rules_first(&parser->prefixes, text, true, &facts) :
			header_rules_recall(&parser->prefixes, text, &facts);
		if (!found || facts.size == 0 || names_second_host(&facts, header))
			break;
		if (!facts.rule->enabled && lone && !provisional)
		{
			before = *header;
			provisional = true;
		}
		else if (facts.rule->enabled)
			provisional = false;
		take_prefix(parser, &facts, text.data, header, &number);
	}
	take_task(parser, number, header);
	find_header(parser, line, header);
	if (provisional && !header->has_header)
	{
		*header = before;
		find_header(parser, line, header);
	}
}

/* Takes off what is known of the header behind all prefixes, if there is one. */
static inline void
take_rest(L4HeaderParser *parser, const HeaderFacts *facts, const char *text, L4Bytes number, L4Header *header)
{
	take_task(parser, number, header);
	if (facts->rule != NULL)
		take_header(parser, facts, text, header);
}

/* Goes on with a line that begins with one prefix at most, where of the text behind it no header is remembered. */
static pg_noinline void
parse_beyond_memory(L4HeaderParser *parser, L4Bytes line, L4Bytes number, L4Header *header)
{
	L4Bytes		text = header_window(line, header->size);
	HeaderFacts facts;
	bool		at_name = false;

	while (header->prefix_count < L4_PREFIX_LIMIT && header_rules_recall(&parser->prefixes, text, &facts) && facts.size > 0)
	{
		const HeaderFacts *known;

		at_name = names_second_host(&facts, header);
		if (at_name)
			break;
		take_prefix(parser, &facts, text.data, header, &number);
		text = header_window(line, header->size);
		if ((known = header_facts_recall(&parser->headers.memory, text)) != NULL)
		{
			take_rest(parser, known, text.data, number, header);
			return;
		}
	}
	if (!header_rules_first(&parser->headers, text, true, &facts))
		facts.rule = NULL;
	if (header->prefix_count < L4_PREFIX_LIMIT && !at_name)
		header_keep(parser, text, &facts);
	take_rest(parser, &facts, text.data, number, header);
}

/*
 * Does what parse_from does without lone, by memory. A header is remembered with no prefix before it: the prefixes' rules are
 * traced with the headers'. So a line that begins with one, or with neither, is told by one look.
 */
static inline void
parse_by_memory(L4HeaderParser *parser, L4Bytes line, L4Header *header)
{
	L4Bytes		number = {NULL, 0};
	L4Bytes		text = header_window(line, 0);
	const HeaderFacts *known;

	/* where the line before had a prefix, as a rule this one has */
	if (parser->had_prefix && (known = header_facts_recall(&parser->prefixes.memory, text)) != NULL && known->size > 0)
	{
		take_prefix(parser, known, text.data, header, &number);
		text = header_window(line, header->size);
	}
	if ((known = header_facts_recall(&parser->headers.memory, text)) != NULL)
		take_rest(parser, known, text.data, number, header);
	else
		parse_beyond_memory(parser, line, number, header);
}

bool
header_names_process(const L4HeaderParser *parser, L4Bytes line, const L4Header *header, L4Bytes *process)
{
	int			rule = header->format - parser->prefixes.count;
	const char *begin;
	const char *host;
	const char *behind;
	const char *close;

	if (!header->has_header || rule < 0 || rule >= parser->headers.count ||
		parser->headers.rules[rule].groups[GROUP_PROC] < 0 || header->component.size == 0 || header->time_text.size == 0)
		return false;
	begin = header->time_text.data + header->time_text.size;
	host = header->component.data - 1;
	if (host <= begin || *host != ' ')
		return false;
	while (host > begin && host[-1] != ' ')
		host--;
	if (host == begin || !is_alphanumeric(*host))
		return false;
	behind = header->component.data + header->component.size;
	*process = (L4Bytes) {host, (size_t) (behind - host)};
	close = behind < line.data + header->size && *behind == '[' ?
		memchr(behind, ']', line.data + header->size - behind) : NULL;
	if (close != NULL)
		process->size = close + 1 - host;
	return true;
}

/* A header has the time that another one before it says. */
static void
keep_time(L4Header *header, const L4Header *outer)
{
	if (!outer->has_time)
		return;
	header->has_time = true;
	header->time = outer->time;
	header->time_text = outer->time_text;
	header->time_form = outer->time_form;
}

/*
 * Where a program logs through the system's log with headers of its own, that log's header is but a label, of host and process,
 * and the program's own follows. The time stays that of the log, which says its zone and is there for each line.
 */
static pg_noinline void
unwrap(L4HeaderParser *parser, L4Bytes line, L4Header *header)
{
	L4Header	outer;
	L4Bytes		process;

	if (header->host.size > 0 || header->prefix_count == L4_PREFIX_LIMIT ||
		!header_names_process(parser, line, header, &process) || !header_is_wrapped(&parser->learnt, header->component))
		return;
	outer = *header;
	header->host = process;
	/* one of several that are started alike: "train-rank3[4711]" */
	if (header->rank < 0 && header->local_rank < 0)
		header->rank = envelope_path_rank(header->component);
	header->prefixes[header->prefix_count++] = -1;
	header->prefix_size = header->size;
	header->has_header = false;
	header->format = header->stated_rank = -1;
	header->component.size = 0;
	header->level = L4_LEVEL_NONE;
	find_header(parser, line, header);
	if (!header->has_header)
	{
		header->level = outer.level;
		header->component = outer.component;
	}
	keep_time(header, &outer);
}

/*
 * Whether what was found behind a stamp is a program's header. Behind a name only where it has a time of its own; and a level
 * alone is none behind a stamp in brackets, as a kernel has it: its messages begin with such words ("INFO: task ...").
 */
static bool
is_inner_header(const HeaderFacts *facts, const L4Header *outer, L4Bytes line)
{
	bool		has_time = facts->begins[GROUP_TS] >= 0 || facts->begins[GROUP_TIME] >= 0;

	if (facts->size == 0 || facts->level == L4_LEVEL_NONE)
		return false;
	if (has_time)
		return true;
	return outer->component.size == 0 &&
		(facts->component >= 0 || outer->size < 2 || memchr(line.data + outer->size - 2, ']', 2) == NULL);
}

/*
 * A stamp alone that a platform or a tool put before what a program wrote with a header of its own: that is of the header, too.
 * The time stays that of the stamp, which is there for each line. False where none is.
 */
static pg_noinline bool
take_inner_header(L4HeaderParser *parser, L4Bytes line, L4Header *header)
{
	L4Bytes		text = header_window(line, header->size);
	L4Header	outer;
	HeaderFacts room;
	const HeaderFacts *facts;

	if (!header->has_header || !header->has_time || header->level != L4_LEVEL_NONE || text.size == 0 ||
		(header->component.size > 0 && header->format != parser->prefixes.count + parser->headers.count) ||
		!prefilter_any(parser->headers.filter, text) ||
		(facts = header_rules_find(&parser->headers, text, &room)) == NULL || !is_inner_header(facts, header, line))
		return false;
	outer = *header;
	take_header(parser, facts, text.data, header);
	if (header->stated_rank < 0)
		header->stated_rank = outer.stated_rank;
	keep_time(header, &outer);
	return true;
}

/* Does what header_parse does, but for headers behind stamps and ranks that headers state. */
static void
parse_outer(L4HeaderParser *parser, L4Bytes line, L4Header *header)
{
	header_init(header);
	if (line.size == 0)
		return;
	if (parser->sampled && !header_has_learnt(&parser->learnt) && parser->prefixes.memory.cache != NULL &&
		parser->headers.memory.cache != NULL)
	{
		parse_by_memory(parser, line, header);
		parser->had_prefix = header->prefix_count > 0;
	}
	else
		parse_from(parser, line, header, !parser->sampled);
	if (parser->learnt.wrapped_count > 0)
		unwrap(parser, line, header);
}

bool
header_is_stamped(L4HeaderParser *parser, L4Bytes line)
{
	L4Header	header;

	parse_outer(parser, line, &header);
	return take_inner_header(parser, line, &header);
}

/* Takes the node that the header names for the host, and the number beside it for what it is. */
static pg_noinline void
take_stated_host(const L4HeaderParser *parser, L4Bytes line, L4Header *header)
{
	L4Bytes		host;
	L4Bytes		number;
	int			rank;

	if (header->host.size > 0 || !header_find_host(parser, line, header, &host, &number))
		return;
	header->host = host;
	rank = number.size > 0 ? bytes_number(number) : -1;
	if (rank < 0 || header->rank >= 0 || header->local_rank >= 0)
		return;
	if (parser->hosts_stated == HOSTS_WITH_RANK)
		header->rank = rank;
	else if (parser->hosts_stated == HOSTS_WITH_LOCAL_RANK)
		header->local_rank = rank;
}

static void
parse_line(L4HeaderParser *parser, L4Bytes line, L4Header *header)
{
	parse_outer(parser, line, header);
	if (parser->stamped)
		(void) take_inner_header(parser, line, header);
	if (parser->ranks_stated && header->rank < 0 && header->local_rank < 0)
		header->rank = header->stated_rank;
	if (parser->hosts_stated != HOSTS_NOT_STATED && header->has_header)
		take_stated_host(parser, line, header);
}

/* Of a line that begins with a colour the header is that of the line without colours. */
static pg_noinline void
parse_coloured(L4HeaderParser *parser, L4Bytes line, L4Header *header)
{
	parse_line(parser, header_without_colours(&parser->colours, line), header);
	if (!header_place_in_colours(&parser->colours, line, header))
		header_init(header);
}

/*
 * header_parse: fills header for one line (without its terminator). The spans point into the line. A line without prefix and
 * header gives size 0. A site's own pattern that gives up does not match. Cost: some 20 ns for a line without a header, 300 to
 * 600 ns with one, 50 ns where it is remembered. Nothing is remembered where the sample taught headers: these are tried first.
 * Of a line that begins with a colour the header is that of the line without colours, unless the sample was told apart by them.
 */
void
header_parse(L4HeaderParser *parser, L4Bytes line, L4Header *header)
{
	if (parser->coloured && header_is_coloured(line))
		parse_coloured(parser, line, header);
	else
		parse_line(parser, line, header);
}

bool
header_wraps(const L4HeaderParser *parser)
{
	return envelope_is_here(&parser->learnt.envelope);
}

bool
header_unwrap(const L4HeaderParser *parser, L4Bytes line, L4Wrapped *wrapped)
{
	L4Bytes		values[L4_ENVELOPE_PARTS];

	if (!header_wraps(parser) || !envelope_open(&parser->learnt.envelope, line, values))
		return false;
	*wrapped = (L4Wrapped) {.text = values[L4_ENVELOPE_TEXT], .host = values[L4_ENVELOPE_HOST],
		.time = values[L4_ENVELOPE_TIME], .path = values[L4_ENVELOPE_PATH], .rank = values[L4_ENVELOPE_RANK],
		.own = envelope_is_own(&parser->learnt.envelope), .level = values[L4_ENVELOPE_LEVEL],
		.name = values[L4_ENVELOPE_NAME]};
	wrapped->tag = wrapped->own ? envelope_tag_size(line) : 0;
	return true;
}

void
header_complete(L4HeaderParser *parser, const L4Wrapped *wrapped, L4Header *header)
{
	/* the collector's time says its zone, and is there for each line; a stamp before a program's own object may say one, too */
	if (wrapped->time.size > 0 && !(wrapped->own && header->has_time && says_zone(header->time_text) &&
									!says_zone(wrapped->time)))
		header_take_time(parser, wrapped->time, header);
	if (wrapped->own)
	{
		header->has_header = true;
		header->format = parser->prefixes.count + parser->headers.count;
		if (wrapped->level.size > 0)
			header->level = header_learnt_level(wrapped->level);
	}
	if (header->rank >= 0 || header->local_rank >= 0)
		return;
	if (wrapped->rank.size > 0)
		header->rank = bytes_number(wrapped->rank);
	else
		header->rank = envelope_path_rank(wrapped->path);
}

void
header_forget_other_prefixes(L4HeaderParser *parser)
{
	HeaderRules *prefixes = &parser->prefixes;
	bool		same = true;
	int			i;

	for (i = 0; i < prefixes->count; i++)
	{
		same = same && prefixes->rules[i].enabled == prefixes->rules[i].remembered;
		prefixes->rules[i].remembered = prefixes->rules[i].enabled;
	}
	if (same || prefixes->memory.cache == NULL || parser->headers.memory.cache == NULL)
		return;
	line_prefix_cache_reset(prefixes->memory.cache);
	line_prefix_cache_reset(parser->headers.memory.cache);
}

/* The flags in what is saved. */
#define SAVED_SAMPLED 1
#define SAVED_RANKS_STATED 2
#define SAVED_LEARNT 4
#define SAVED_TASKS 8
#define SAVED_STAMPED 16
#define SAVED_COLOURED 32
#define SAVED_ROLES 64
/* and, above them, what headers state of hosts */
#define SAVED_HOSTS_SHIFT 8

/*
 * header_parser_save: whether a sample was read (and whether headers label records and name hosts, and of which kind the ranks
 * are that begin lines), the reference, the time told, which prefixes count, whether headers stand behind stamps and lines are
 * looked at without colours, and what the sample taught of headers, if anything.
 * Nothing else of a parser depends on what it has read.
 */
void
header_parser_save(const L4HeaderParser *parser, StringInfo out)
{
	bool		learnt = header_has_learnt(&parser->learnt) || parser->learnt.wrapped_count > 0 ||
		envelope_is_here(&parser->learnt.envelope);
	int			i;

	column_put_unsigned(out, (parser->sampled ? SAVED_SAMPLED : 0) | (parser->ranks_stated ? SAVED_RANKS_STATED : 0) |
						(learnt ? SAVED_LEARNT : 0) | (parser->tasks ? SAVED_TASKS : 0) | (parser->roles ? SAVED_ROLES : 0) |
						((uint64) parser->hosts_stated << SAVED_HOSTS_SHIFT) |
						(parser->stamped ? SAVED_STAMPED : 0) | (parser->coloured ? SAVED_COLOURED : 0));
	column_put_signed(out, parser->reference);
	column_put_signed(out, parser->told);
	column_put_unsigned(out, parser->prefixes.count);
	for (i = 0; i < parser->prefixes.count; i++)
		column_put_unsigned(out, parser->prefixes.rules[i].enabled ? 1 : 0);
	if (learnt)
		header_learnt_save(&parser->learnt, out);
}

/*
 * header_parser_restore: see header.h. Errors: XX001 where the bytes are of a parser with other formats.
 */
void
header_parser_restore(L4HeaderParser *parser, L4ColumnReader *in)
{
	uint64		flags;
	int			i;

	flags = column_get_unsigned(in);
	parser->sampled = (flags & SAVED_SAMPLED) != 0;
	parser->ranks_stated = (flags & SAVED_RANKS_STATED) != 0;
	parser->tasks = (flags & SAVED_TASKS) != 0;
	parser->roles = (flags & SAVED_ROLES) != 0;
	if (flags >> SAVED_HOSTS_SHIFT > HOSTS_WITH_LOCAL_RANK)
		column_corrupted("what headers state of hosts is of no known kind");
	parser->hosts_stated = (StatedHosts) (flags >> SAVED_HOSTS_SHIFT);
	parser->stamped = (flags & SAVED_STAMPED) != 0;
	parser->coloured = (flags & SAVED_COLOURED) != 0;
	parser->reference = column_get_signed(in);
	parser->told = column_get_signed(in);
	if (column_get_unsigned(in) != (uint64) parser->prefixes.count)
		column_corrupted("a source was read with other formats");
	for (i = 0; i < parser->prefixes.count; i++)
		parser->prefixes.rules[i].enabled = column_get_unsigned(in) != 0;
	header_forget_other_prefixes(parser);
	memset(&parser->learnt, 0, sizeof(parser->learnt));
	if ((flags & SAVED_LEARNT) != 0)
		header_learnt_restore(&parser->learnt, in);
}

TimestampTz
header_parser_told_time(const L4HeaderParser *parser)
{
	return parser->told;
}

/* Times of day alone go on rather than back: they lie within 12 h of so much after the last time. */
#define CLOCK_AHEAD (10 * USECS_PER_HOUR)

bool
header_next_time(const L4Header *header, pg_tz *zone, TimestampTz start, bool has_time, TimestampTz *time)
{
	if (header->has_time)
		*time = header->time;
	else if (header->has_clock && (has_time || start != 0))
		*time = timestamp_of_clock(header->clock, has_time ? *time + CLOCK_AHEAD : start, zone);
	else
		return has_time;
	return true;
}

static void
note_rules(const HeaderRules *rules, StringInfo out)
{
	int			i;

	for (i = 0; i < rules->count; i++)
		pattern_note_given_up(rules->rules[i].pattern, out);
}

void
header_note_given_up(const L4HeaderParser *parser, StringInfo out)
{
	note_rules(&parser->prefixes, out);
	note_rules(&parser->headers, out);
}

/*
 * header_format_name: the name of a format by its number in L4Header, NULL for -1.
 */
const char *
header_format_name(L4HeaderParser *parser, int format)
{
	if (format < 0)
		return NULL;
	if (format < parser->prefixes.count)
		return parser->prefixes.rules[format].format->name;
	if (format == parser->prefixes.count + parser->headers.count)
		return "learnt";
	return parser->headers.rules[format - parser->prefixes.count].format->name;
}
