/*
 * header_sample.c: what the first lines of a stream tell of all of it: which common prefixes count ("12: " is a label only
 * where most lines have it), which of several ranks wrote each line, where the headers state that, in which year and on which
 * day; and, where no format is known, what headers, labels and objects look like (header_learn.c).
 */
#include "algorithms/header_private.h"

#include "algorithms/header_learn.h"
#include "algorithms/timestamp.h"
#include "storage/shmem.h"
#include "tools/bytes.h"
#include "tools/json_text.h"

/* Takes the next line off what is left of a sample, or what there is of the last one; false at its end. */
static bool
next_line(L4Bytes *left, L4Bytes *line)
{
	if (bytes_take_line(left, line))
		return true;
	*line = *left;
	left->size = 0;
	return line->size > 0;
}

/* The size of a prefix that is the name of a node, by a rule that asks for one; 0 where there is none. */
static size_t
node_prefix(L4HeaderParser *parser, L4Bytes text, HeaderRule **rule)
{
	HeaderRules *prefixes = &parser->prefixes;
	L4Bytes		name;
	int			i;

	for (i = 0; i < prefixes->count && parser->node_count > 0; i++)
	{
		*rule = &prefixes->rules[i];
		if ((*rule)->groups[GROUP_NODE] >= 0 &&
			pattern_try((*rule)->pattern, text, 0, !(*rule)->self_anchored) == L4_MATCH &&
			pattern_group((*rule)->pattern, (*rule)->groups[GROUP_NODE], &name) && header_is_node(parser, name))
			return header_prefix_size(*rule, text);
	}
	return 0;
}

static bool
is_blank_line(L4Bytes line)
{
	size_t		blank = 0;

	while (blank < line.size && (line.data[blank] == ' ' || line.data[blank] == '\t' || line.data[blank] == '\r'))
		blank++;
	return blank == line.size;
}

/* Counts the common prefixes that a text begins with, too, where a rule that knows more of the line comes before them. */
static void
count_dominant(HeaderRules *prefixes, L4Bytes text, const HeaderRule *first, int *hits)
{
	int			i;

	for (i = first - prefixes->rules + 1; i < prefixes->count; i++)
	{
		const HeaderRule *rule = &prefixes->rules[i];

		if (rule->format->dominant && rule->groups[GROUP_NODE] < 0 && rule->groups[GROUP_HOST] >= 0 &&
			pattern_try(rule->pattern, text, 0, !rule->self_anchored) == L4_MATCH)
			hits[i]++;
	}
}

/* Counts the prefixes of one line of the sample; false where the line is blank. */
static bool
sample_line(L4HeaderParser *parser, L4Bytes line, int *hits)
{
	size_t		size = 0;
	int			i;

	if (is_blank_line(line))
		return false;
	for (i = 0; i < L4_PREFIX_LIMIT; i++)
	{
		L4Bytes		text = header_window(line, size);
		HeaderFacts room;
		const HeaderFacts *facts = header_rules_find(&parser->prefixes, text, &room);
		HeaderRule *rule = facts != NULL ? facts->rule : NULL;
		size_t		more = facts != NULL ? (size_t) facts->size : node_prefix(parser, text, &rule);

		if (more == 0)
			break;
		hits[rule - parser->prefixes.rules]++;
		if (!rule->format->dominant && rule->groups[GROUP_HOST] >= 0)
			count_dominant(&parser->prefixes, text, rule, hits);
		size += more;
	}
	return true;
}

/* The bytes of "2026-11-20 10:00:00". */
#define WHOLE_TIME_SIZE 19

/*
 * Where nothing told which year it is (neither the job nor a credible time of the file), the first stamp with a year tells.
 */
static void
learn_reference(L4HeaderParser *parser, L4Bytes sample)
{
	L4Bytes		line;
	L4Header	header;

	while (parser->reference <= 0 && next_line(&sample, &line))	/* before 2000: no log of a training job */
	{
		header_parse(parser, line, &header);
		if (header.has_time && header.time > 0)
		{
			parser->reference = header.time;
			time_cache_reset(&parser->times);
		}
	}
}

/* Does a whole time with a numeric date begin here? */
static bool
is_whole_time(const char *text)
{
	static const char form[] = "20##?##?##?##:##:##";
	int			i;

	for (i = 0; form[i] != '\0'; i++)
	{
		if (form[i] == '#' ? text[i] < '0' || text[i] > '9' : form[i] != '?' && text[i] != form[i])
			return false;
	}
	return (text[4] == '-' || text[4] == '/') && text[7] == text[4] && (text[10] == ' ' || text[10] == 'T');
}

/*
 * Finds the first whole time in the sample, wherever it stands: on which day the clocks of a file went whose lines say the time
 * of day alone.
 */
static TimestampTz
first_whole_time(const L4HeaderParser *parser, L4Bytes sample)
{
	const char *at = sample.data;
	const char *end = sample.data + sample.size;
	TimestampTz time;

	while (end - at >= WHOLE_TIME_SIZE && (at = memmem(at, end - at, "20", 2)) != NULL && end - at >= WHOLE_TIME_SIZE)
	{
		if (is_whole_time(at) &&
			timestamp_parse((L4Bytes) {at, WHOLE_TIME_SIZE}, parser->zone, parser->reference, &time))
			return time;
		at++;
	}
	return 0;
}

/*
 * Of so many lines with headers so many must state a rank, but for those whose headers never do (a launcher's): others mention
 * ranks that they tell of. And one of so many lines that have one or are bare: what processes print has no header.
 */
#define STATING_LINES 4
#define STATING_LINES_LEAST 3
#define LINES_PER_STATING 2

/* A rank that a header states, and the host that a launcher put before the line (of no bytes: none). */
typedef struct StatedRank
{
	L4Bytes		host;
	int			rank;
} StatedRank;

static int
compare_hosts(const void *a, const void *b)
{
	const StatedRank *x = a;
	const StatedRank *y = b;
	size_t		size = Min(x->host.size, y->host.size);
	int			order = size > 0 ? memcmp(x->host.data, y->host.data, size) : 0;

	return order != 0 ? order : (x->host.size > y->host.size) - (x->host.size < y->host.size);
}

static int
compare_ranks(const void *a, const void *b)
{
	const StatedRank *x = a;
	const StatedRank *y = b;

	return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : compare_hosts(a, b);
}

/* How many different ones there are among some, put in order; with unique, one of each is kept. */
static int
count_different(StatedRank *stated, int count, int (*compare) (const void *, const void *), bool unique)
{
	int			different = 0;
	int			i;

	qsort(stated, count, sizeof(StatedRank), compare);
	for (i = 0; i < count; i++)
		if (i == 0 || compare(&stated[i], &stated[i - 1]) != 0)
		{
			if (unique)
				stated[different] = stated[i];
			different++;
		}
	return different;
}

/*
 * The ranks that the headers of a sample state, of lines that a host stands before or of the others; where too few of those
 * that might state one do, none. A line without a header is of the host before it, or before another line (bare: there are
 * none). A format of headers of which none states a rank (a launcher's lines between those of its ranks) says nothing against
 * the others.
 */
static int
sample_stated(L4HeaderParser *parser, L4Bytes sample, bool hosted, bool bare, StatedRank *stated)
{
	int			formats = parser->headers.count + 1;	/* and what was learnt */
	int64	   *lines = palloc0(mul_size(Max(formats, 1), sizeof(int64)));
	bool	   *states = palloc0(mul_size(Max(formats, 1), sizeof(bool)));
	L4Bytes		line;
	int64		able = 0;
	int64		without = 0;
	int			count = 0;

	while (next_line(&sample, &line))
	{
		L4Header	header;

		header_parse(parser, line, &header);
		if (line.size == header.size || (header.host.size > 0) != hosted)
			continue;
		if (!header.has_header)
			without += bare;
		else
			lines[header.format - parser->prefixes.count]++;
		if (header.stated_rank < 0)
			continue;
		states[header.format - parser->prefixes.count] = true;
		stated[count++] = (StatedRank) {header.host, header.stated_rank};
	}
	for (int i = 0; i < formats; i++)
		able += states[i] ? lines[i] : 0;
	pfree(lines);
	pfree(states);
	return (int64) count * STATING_LINES >= able * STATING_LINES_LEAST &&
		(int64) count * LINES_PER_STATING >= able + without ? count : 0;
}

/*
 * Do the headers label their records, as where several ranks log to one file as JSON? Where they state one rank alone the whole
 * file is its own, which is learnt later, with the lines that have no such header. Where hosts stand before the lines, numbers
 * are ranks if each is always of one host, and are needed only where one of several hosts has several, or where lines state
 * them that no host stands before.
 */
static bool
sample_states_ranks(L4HeaderParser *parser, L4Bytes sample, int lines, bool hosted)
{
	StatedRank *stated = palloc(mul_size(Max(lines, 1), sizeof(StatedRank)));
	int			pairs = count_different(stated, sample_stated(parser, sample, hosted, !hosted, stated), compare_ranks, true);
	int			hosts = count_different(stated, pairs, compare_hosts, false);
	int			i;
	bool		one_host_each = true;
	bool		needed;

	qsort(stated, pairs, sizeof(StatedRank), compare_ranks);
	for (i = 1; i < pairs; i++)
		one_host_each = one_host_each && stated[i].rank != stated[i - 1].rank;
	needed = !hosted || (one_host_each && hosts > 1 &&
						 (hosts < pairs || sample_stated(parser, sample, false, false, stated) > 0));
	pfree(stated);
	return pairs > 1 && needed;
}

/*
 * What stands beside the hosts that headers state: numbers below their count are ranks, if each is of one host, or those of a
 * node, which recur on others; others are those of processes.
 */
static StatedHosts
kind_of_stated(StatedRank *stated, int count)
{
	int			pairs = count_different(stated, count, compare_ranks, true);
	int			hosts;
	bool		recur = false;
	int			i;

	for (i = 0; i < pairs; i++)
	{
		if (stated[i].rank < 0 || stated[i].rank >= pairs)
			return HOSTS_STATED;
		recur |= i > 0 && stated[i].rank == stated[i - 1].rank;
	}
	hosts = count_different(stated, pairs, compare_hosts, false);
	if (recur)
		return HOSTS_WITH_LOCAL_RANK;
	return pairs >= hosts ? HOSTS_WITH_RANK : HOSTS_STATED;
}

/* So many headers are looked at first. */
#define HOST_LINES_FIRST 8

/*
 * Do the headers name nodes of the job, several of them, as where several hosts log to one file? Where a label does, or all are
 * of one node, nobody need look.
 */
static StatedHosts
sample_states_hosts(L4HeaderParser *parser, L4Bytes sample, int lines)
{
	StatedRank *stated = palloc(mul_size(Max(lines, 1), sizeof(StatedRank)));
	StatedHosts kind = HOSTS_NOT_STATED;
	L4Bytes		number;
	L4Bytes		line;
	int			headed = 0;
	int			count = 0;
	bool		several = false;

	/* of most files the first headers tell that they name none */
	while (headed < lines && (headed < HOST_LINES_FIRST || count * STATING_LINES >= headed) && next_line(&sample, &line))
	{
		L4Header	header;

		header_parse(parser, line, &header);
		if (!header.has_header || header.host.size > 0)
			continue;
		headed++;
		if (!header_find_host(parser, line, &header, &stated[count].host, &number))
			continue;
		stated[count].rank = number.size > 0 ? bytes_number(number) : -1;
		several |= !bytes_equal(stated[count].host, stated[0].host);
		count++;
	}
	if (several && count * STATING_LINES >= headed * STATING_LINES_LEAST)
		kind = kind_of_stated(stated, count);
	pfree(stated);
	return kind;
}

/* Headers are learnt from so many lines of a sample. */
#define LEARN_LINES 80
/* What is learnt counts where it tells more of one line in so many. */
#define LINES_PER_GAIN 10

/* What the built-in rules say of a line of the sample. */
typedef struct KnownHeader
{
	bool		has_time;
	bool		has_level;
} KnownHeader;

/* Does a text go on with what the line before it says, as the frames of a traceback do? */
static inline bool
is_continued(L4Bytes text)
{
	return text.size > 0 && (text.data[0] == '\t' || (text.size > 1 && text.data[0] == ' ' && text.data[1] == ' '));
}

/*
 * Takes lines of the sample apart, spread over it, which are not continued ones; of one whose header is known with time and
 * level nothing is to be learnt. stated: whether a header states a rank.
 */
static int
take_lines(L4HeaderParser *parser, L4Bytes sample, int lines, L4SampleLine *taken, KnownHeader *known, bool *stated)
{
	int			every = (lines + LEARN_LINES - 1) / LEARN_LINES;
	int			count = 0;
	int			seen = 0;
	L4Bytes		line;

	*stated = false;
	while (count < LEARN_LINES && next_line(&sample, &line))
	{
		L4Header	header;
		L4Bytes		text;

		if (line.size > 0 && line.data[line.size - 1] == '\r')
			line.size--;
		if (is_blank_line(line) || seen++ % every != 0)
			continue;
		header_parse(parser, line, &header);
		*stated |= header.stated_rank >= 0;
		text = (L4Bytes) {line.data + header.prefix_size, line.size - header.prefix_size};
		if (is_continued(text))
			continue;
		known[count].has_time = header.has_time || header.has_clock;
		known[count].has_level = header.level != L4_LEVEL_NONE;
		taken[count].open = !known[count].has_time || !known[count].has_level;
		taken[count].count = 0;
		if (taken[count].open)
			header_learn_line(&taken[count], text, L4_FIELD_LIMIT);
		count++;
	}
	return count;
}

/*
 * Does a form tell more of enough lines than the rules do? Those that it tells more of are closed. A level behind the name that
 * a process has for itself stays with it in the message.
 */
static bool
tells_more(L4SampleLine *lines, const KnownHeader *known, int count, const L4HeaderForm *form)
{
	int			gains = 0;
	int			losses = 0;
	int			i;

	for (i = 0; i < count; i++)
	{
		L4Field		fields[L4_FIELD_LIMIT];
		bool		level;

		if (!lines[i].open || header_form_match(form, lines[i].text, fields) == 0)
			continue;
		level = form->level >= 0 && form->level < form->cut &&
			level_from_text(fields[form->level].text) != L4_LEVEL_NONE;
		if ((known[i].has_time && form->time < 0) || (known[i].has_level && !level))
			losses++;
		else if ((form->time >= 0 && !known[i].has_time) || (level && !known[i].has_level))
		{
			lines[i].open = false;
			gains++;
		}
	}
	return gains * LINES_PER_GAIN >= count && gains > losses;
}

/* Learns the keys of the open lines that are objects. */
static bool
learn_object(const L4SampleLine *lines, int count, L4ObjectForm *form)
{
	L4Bytes		texts[LEARN_LINES];
	int			open = 0;
	int			i;

	for (i = 0; i < count; i++)
		if (lines[i].open)
			texts[open++] = lines[i].text;
	return header_object_learn(texts, open, form);
}

/* Of a program in a system's log so many lines at least have headers of their own, or its rank; so many are looked at. */
#define WRAPPED_LINES 2
#define PROGRAM_LIMIT 16
/* One of so many first lines is the system's log's, or none is. */
#define SYSTEM_LINES 16
/* One of so many lines of a system's log is much of it. */
#define MUCH_OF_LOG 3

/*
 * A program in a system's log, how many of its lines have a header with a time behind that of the log, and on which of the
 * job's nodes it is.
 */
typedef struct Program
{
	char		name[L4_WRAPPED_NAME];	/* without digits: each of several processes may have its own */
	size_t		size;
	int			lines;
	int			headed;
	int			ranked;			/* the program's name says which rank it is */
	L4Bytes		node;
	bool		several_nodes;
} Program;

/* Does a text begin with a header with a time or a level, as rules know it? */
static bool
begins_with_header(HeaderRules *headers, L4Bytes text)
{
	HeaderFacts room;
	const HeaderFacts *facts = header_rules_find(headers, header_window(text, 0), &room);
	const HeaderRule *rule = facts != NULL ? facts->rule : NULL;

	return rule != NULL &&
		(rule->groups[GROUP_TS] >= 0 || rule->groups[GROUP_TIME] >= 0 || rule->groups[GROUP_LEVEL] >= 0);
}

/* Notes on which host a program is, as the first name of its process says. */
static void
note_node(const L4HeaderParser *parser, Program *program, L4Bytes process)
{
	const char *blank = memchr(process.data, ' ', process.size);
	L4Bytes		host = {process.data, blank != NULL ? (size_t) (blank - process.data) : process.size};

	if (!header_is_node(parser, host))
		return;
	program->several_nodes |= program->node.size > 0 && !bytes_equal(program->node, host);
	program->node = host;
}

/* The program that a line of a system's log is of, made where it is new; NULL where it is one too many. */
static Program *
find_program(Program *programs, int *count, L4Bytes name)
{
	char		plain[L4_WRAPPED_NAME];
	size_t		size = header_without_digits(name, plain, sizeof(plain));
	int			i;

	for (i = 0; i < *count; i++)
		if (programs[i].size == size && memcmp(programs[i].name, plain, size) == 0)
			return &programs[i];
	if (*count == PROGRAM_LIMIT)
		return NULL;
	memset(&programs[*count], 0, sizeof(Program));
	memcpy(programs[*count].name, plain, size);
	programs[*count].size = size;
	return &programs[(*count)++];
}

/*
 * Learns which programs log through the system's log with headers of their own or are called after their rank, or write much of
 * a log of several nodes of the job: of these the host tells whose line it is.
 */
static void
learn_wrapped(L4HeaderParser *parser, L4Bytes sample)
{
	L4LearntHeaders *learnt = &parser->learnt;
	Program		programs[PROGRAM_LIMIT];
	int			count = 0;
	int			lines = 0;
	int			seen = 0;
	L4Bytes		line;
	int			i;

	while (next_line(&sample, &line) && (count > 0 || seen++ < SYSTEM_LINES))
	{
		L4Header	header;
		L4Bytes		process;
		Program    *program;

		header_parse(parser, line, &header);
		if (!header_names_process(parser, line, &header, &process) || header.component.size > L4_WRAPPED_NAME)
			continue;
		lines++;
		program = find_program(programs, &count, header.component);
		if (program == NULL)
			continue;
		note_node(parser, program, process);
		program->lines++;
		program->ranked += envelope_path_rank(header.component) >= 0;
		program->headed += begins_with_header(&parser->headers, header_window(line, header.size));
	}
	for (i = 0; i < count && learnt->wrapped_count < L4_WRAPPED_LIMIT; i++)
		if (programs[i].headed >= WRAPPED_LINES || programs[i].ranked >= WRAPPED_LINES ||
			(programs[i].several_nodes && programs[i].lines * MUCH_OF_LOG >= lines))
		{
			memcpy(learnt->wrapped[learnt->wrapped_count], programs[i].name, programs[i].size);
			learnt->wrapped_sizes[learnt->wrapped_count++] = (uint8) programs[i].size;
		}
}

/* A label is learnt from so many lines that follow one another. */
#define LABEL_LINES 256
#define LABEL_LINES_FIRST 12
#define LABEL_FIELDS 3

/* Learns what stands before all lines, where no rule knows it. */
static void
learn_label(L4HeaderParser *parser, L4Bytes sample)
{
	L4SampleLine *lines = palloc(LABEL_LINES * sizeof(L4SampleLine));
	int			count = 0;
	L4Bytes		line;

	/* of most files the first lines tell that there is none */
	while (count < LABEL_LINES && (count != LABEL_LINES_FIRST || header_may_have_label(lines, count, header_is_node, parser)) &&
		   next_line(&sample, &line))
	{
		L4Header	header;

		if (is_blank_line(line))
			continue;
		header_parse(parser, line, &header);
		header_learn_line(&lines[count++], (L4Bytes) {line.data + header.prefix_size, line.size - header.prefix_size},
						  LABEL_FIELDS);
	}
	parser->learnt.has_label = header_may_have_label(lines, count, header_is_node, parser) &&
		header_learn_label(lines, count, header_is_node, parser, &parser->learnt.label);
	pfree(lines);
}

/* Do at least half of the lines have a prefix that tells who wrote them? */
static bool
are_labelled(const HeaderRules *prefixes, const int *hits, int lines)
{
	int			i;

	for (i = 0; i < prefixes->count; i++)
	{
		const HeaderRule *rule = &prefixes->rules[i];

		if (rule->enabled && hits[i] >= lines - hits[i] &&
			(rule->groups[GROUP_RANK] >= 0 || rule->groups[GROUP_LOCAL_RANK] >= 0 || rule->groups[GROUP_ROLE_RANK] >= 0 ||
			 rule->groups[GROUP_HOST] >= 0 || rule->groups[GROUP_NODE] >= 0))
			return true;
	}
	return false;
}

/* Do numbers stand before most lines, and behind some of them a local rank? Then a launcher's tasks have these numbers. */
static bool
has_tasks(const HeaderRules *prefixes, const int *hits, int lines)
{
	bool		numbered = false;
	bool		local = false;
	int			i;

	for (i = 0; i < prefixes->count; i++)
	{
		const HeaderRule *rule = &prefixes->rules[i];

		numbered |= rule->enabled && rule->format->dominant && rule->groups[GROUP_RANK] >= 0 &&
			rule->groups[GROUP_HOST] < 0 && hits[i] >= lines - hits[i];
		local |= (rule->groups[GROUP_LOCAL_RANK] >= 0 || rule->groups[GROUP_ROLE_RANK] >= 0) && hits[i] > 0;
	}
	return numbered && local;
}

/* Does a line begin with the name of its launcher's role for its processes, which is that of ranks? */
static bool
has_roles(const HeaderRules *prefixes, const int *hits)
{
	int			i;

	for (i = 0; i < prefixes->count; i++)
		if (prefixes->rules[i].groups[GROUP_ROLE_RANK] >= 0 && hits[i] > 0)
			return true;
	return false;
}

/* Learns the headers of lines that no rule knows, or knows in part; whether headers of these state ranks. */
static bool
learn_forms(L4HeaderParser *parser, L4Bytes sample, int lines)
{
	L4SampleLine *taken = palloc(LEARN_LINES * sizeof(L4SampleLine));
	KnownHeader *known = palloc(LEARN_LINES * sizeof(KnownHeader));
	bool		stated;
	int			count = take_lines(parser, sample, lines, taken, known, &stated);
	L4LearntHeaders *learnt = &parser->learnt;

	while (learnt->form_count < L4_HEADER_FORM_LIMIT &&
		   header_learn(taken, count, parser->zone, parser->reference, header_is_node, parser,
						&learnt->forms[learnt->form_count]) &&
		   tells_more(taken, known, count, &learnt->forms[learnt->form_count]))
		stated |= learnt->forms[learnt->form_count++].rank >= 0;
	learnt->has_object = learn_object(taken, count, &learnt->object);
	pfree(known);
	pfree(taken);
	return stated;
}

/* L4EnvelopeAsk.has_header */
static bool
text_has_header(const void *argument, L4Bytes text)
{
	return begins_with_header((HeaderRules *) &((const L4HeaderParser *) argument)->headers, text);
}

L4EnvelopeAsk
header_parser_ask(const L4HeaderParser *parser)
{
	return (L4EnvelopeAsk) {header_is_node, text_has_header, parser};
}

/* Appends what a program wrote of a line that was wrapped; a label before a program's own object stays, and other lines do. */
static void
append_unwrapped(L4HeaderParser *parser, L4Bytes line, StringInfo out)
{
	L4Wrapped	wrapped;

	if (header_unwrap(parser, line, &wrapped))
	{
		appendBinaryStringInfo(out, line.data, (int) wrapped.tag);
		if (!json_text_decode(wrapped.text, out))
			appendBinaryStringInfo(out, wrapped.text.data, (int) wrapped.text.size);
	}
	else if (envelope_is_own(&parser->learnt.envelope))
		appendBinaryStringInfo(out, line.data, (int) line.size);
	appendStringInfoChar(out, '\n');
}

/*
 * Of lines that are a program's own objects, but stay as they are, the keys are those of the others; of what a collector says
 * of itself between what it wrapped that of the time alone: it has no rank, though it may count its own processes.
 */
static bool
object_of_envelope(const L4EnvelopeForm *envelope, L4ObjectForm *form)
{
	static const L4EnvelopePart parts[L4_OBJECT_PARTS] = {
		L4_ENVELOPE_TIME, L4_ENVELOPE_LEVEL, L4_ENVELOPE_RANK, L4_ENVELOPE_NAME
	};
	int			count = envelope_is_own(envelope) ? L4_OBJECT_PARTS : 1;
	int			part;

	memset(form, 0, sizeof(L4ObjectForm));
	for (part = 0; part < count; part++)
	{
		const L4EnvelopeKey *key = &envelope->keys[parts[part]];

		if (key->turn == 0 || key->size > L4_OBJECT_KEY)
			continue;
		form->sizes[part] = key->size;
		memcpy(form->keys[part], key->name, key->size);
	}
	return form->sizes[L4_OBJECT_TIME] > 0;
}

/* Are there objects in a sample, on lines that are whole, that the collector which wrapped the others did not? */
static bool
has_others(const L4HeaderParser *parser, L4Bytes sample)
{
	L4Bytes		line;
	L4Wrapped	wrapped;

	while (bytes_take_line(&sample, &line))
		if (line.size > 0 && line.data[0] == '{' && !header_unwrap(parser, line, &wrapped))
			return true;
	return false;
}

/* Where a collector wrapped the lines of a sample, what programs wrote, line by line; else the sample. */
static L4Bytes
unwrapped_sample(L4HeaderParser *parser, L4Bytes sample)
{
	L4EnvelopeAsk ask = header_parser_ask(parser);
	StringInfoData out;
	L4Bytes		line;

	if (!envelope_learn(sample, &ask, &parser->learnt.envelope))
		return sample;
	initStringInfo(&out);
	while (next_line(&sample, &line))
		append_unwrapped(parser, line, &out);
	return (L4Bytes) {out.data, (size_t) out.len};
}

/* The sample with its coloured lines as header_parse looks at them. */
static L4Bytes
uncoloured_sample(L4HeaderParser *parser, L4Bytes sample)
{
	StringInfoData out;
	L4Bytes		line;

	/* the escape alone: memchr looks at many bytes at once, memmem of two bytes at each */
	if (sample.size == 0 || memchr(sample.data, '\033', sample.size) == NULL)
		return sample;
	initStringInfo(&out);
	while (next_line(&sample, &line))
	{
		if (header_is_coloured(line))
			line = header_without_colours(&parser->colours, line);
		appendBinaryStringInfo(&out, line.data, (int) line.size);
		appendStringInfoChar(&out, '\n');
	}
	return (L4Bytes) {out.data, (size_t) out.len};
}

/* Is there a line whose own header stands behind a stamp? Where there is none nobody looks for one. */
static bool
sample_is_stamped(L4HeaderParser *parser, L4Bytes sample)
{
	L4Bytes		line;

	while (next_line(&sample, &line))
		if (header_is_stamped(parser, line))
			return true;
	return false;
}

/* Do headers that were learnt name hosts? */
static bool
forms_name_hosts(const L4LearntHeaders *learnt)
{
	int			i;

	for (i = 0; i < learnt->form_count; i++)
		if (learnt->forms[i].host >= 0)
			return true;
	return false;
}

/* Learns from a sample; true where it tells who wrote most lines, or headers that no rule knows. */
static bool
learn_sample(L4HeaderParser *parser, L4Bytes sample)
{
	HeaderRules *prefixes = &parser->prefixes;
	int		   *hits = palloc0(mul_size(Max(prefixes->count, 1), sizeof(int)));
	L4Bytes		left = sample;
	L4Bytes		line;
	int			lines = 0;
	int			hosts = 0;
	bool		labelled;
	bool		stated = false;
	int			i;

	parser->stamped = true;
	parser->hosts_stated = HOSTS_NOT_STATED;
	parser->sampled = parser->roles = false;
	for (i = 0; i < prefixes->count; i++)
		prefixes->rules[i].enabled = !prefixes->rules[i].format->dominant;
	while (next_line(&left, &line))
		lines += sample_line(parser, line, hits);
	parser->sampled = true;
	for (i = 0; i < prefixes->count; i++)
	{
		if (prefixes->rules[i].format->dominant)
			prefixes->rules[i].enabled = lines > 0 && hits[i] >= lines - hits[i];
		if (prefixes->rules[i].groups[GROUP_HOST] >= 0 || prefixes->rules[i].groups[GROUP_NODE] >= 0)
			hosts += hits[i];
	}
	parser->tasks = has_tasks(prefixes, hits, lines);
	parser->roles = has_roles(prefixes, hits);
	header_forget_other_prefixes(parser);
	labelled = are_labelled(prefixes, hits, lines);
	if (lines > 0 && !labelled)
		learn_label(parser, sample);
	pfree(hits);
	learn_wrapped(parser, sample);
	if (lines > 0)
		stated = learn_forms(parser, sample, lines);
	stated = stated || (sample.size > 0 && memmem(sample.data, sample.size, "rank", 4) != NULL);
	parser->stamped = sample.size == 0 || sample_is_stamped(parser, sample);
	learn_reference(parser, sample);
	parser->told = sample.size > 0 ? first_whole_time(parser, sample) : 0;
	if (sample.size == 0 || parser->learnt.has_label)
		parser->ranks_stated = false;
	else
		parser->ranks_stated = ((hosts > 0 || forms_name_hosts(&parser->learnt)) &&
								sample_states_ranks(parser, sample, lines, true)) ||
			(hosts <= lines - hosts && stated && sample_states_ranks(parser, sample, lines, false));
	if (parser->node_count > 1 && !labelled && !parser->learnt.has_label && lines > 0)
		parser->hosts_stated = sample_states_hosts(parser, sample, lines);
	return (lines > 0 && labelled) || parser->learnt.has_label || parser->learnt.form_count > 0;
}

/*
 * header_parser_sample: sample holds the first lines of a stream, parted by \n. Colours may set a label off from what it
 * labels: only where nothing is learnt with them lines are looked at without. Cost: that of parsing them a few times.
 */
void
header_parser_sample(L4HeaderParser *parser, L4Bytes sample)
{
	L4EnvelopeForm envelope;
	L4Bytes		whole = sample;
	L4Bytes		plain;
	bool		told;

	memset(&parser->learnt, 0, sizeof(parser->learnt));
	sample = unwrapped_sample(parser, sample);
	plain = uncoloured_sample(parser, sample);
	parser->coloured = false;
	told = learn_sample(parser, sample);
	if (header_wraps(parser) && !envelope_is_own(&parser->learnt.envelope) && !parser->learnt.has_object &&
		has_others(parser, whole))
		parser->learnt.has_object = object_of_envelope(&parser->learnt.envelope, &parser->learnt.object);
	if (envelope_is_own(&parser->learnt.envelope))
	{
		parser->learnt.has_object = object_of_envelope(&parser->learnt.envelope, &parser->learnt.object);
		parser->ranks_stated |= parser->learnt.object.sizes[L4_OBJECT_RANK] > 0;
		return;
	}
	if (told || plain.data == sample.data)
		return;
	envelope = parser->learnt.envelope;
	memset(&parser->learnt, 0, sizeof(parser->learnt));
	parser->learnt.envelope = envelope;
	parser->coloured = true;
	(void) learn_sample(parser, plain);
}
