/*
 * header_private.h: what a parser of headers is made of, for header.c and header_learnt.c, which take lines apart,
 * header_rules.c, which tries the rules, and header_sample.c, which learns from the first ones what holds for a stream.
 */
#ifndef L4_HEADER_PRIVATE_H
#define L4_HEADER_PRIVATE_H

#include "algorithms/header_colour.h"
#include "algorithms/header.h"
#include "algorithms/header_fields.h"
#include "algorithms/header_object.h"
#include "algorithms/line_prefix_cache.h"
#include "algorithms/prefilter.h"
#include "algorithms/time_cache.h"
#include "tools/pattern.h"

/* A header stands within this many bytes of where it begins; bounds the cost of a pattern on long lines. */
#define HEADER_WINDOW 1024

enum HeaderGroup
{
	GROUP_TS, GROUP_EPOCH, GROUP_MMDD, GROUP_YEAR, GROUP_MONTH, GROUP_DAY, GROUP_TIME, GROUP_LEVEL, GROUP_SEVERITY,
	GROUP_LEVEL_TENS, GROUP_COMPONENT, GROUP_LOGGER, GROUP_MODULE, GROUP_PROC, GROUP_FILE, GROUP_RANK, GROUP_LOCAL_RANK,
	GROUP_HOST, GROUP_NODE, GROUP_ROLE_RANK, GROUP_COUNT
};

/* What a match says, with its spans as places in the text that was matched. */
typedef struct HeaderFacts
{
	struct HeaderRule *rule;	/* NULL where none matches */
	int			size;			/* of the match */
	int16		begins[GROUP_COUNT];	/* -1 for a group that took no part or is empty */
	int16		sizes[GROUP_COUNT];
	L4Level		level;
	bool		level_in_digits;	/* it must be read from its group each time */
	int			component;		/* the group that is the component, or -1 */
	L4TimeLayout layout;		/* of the group ts */
} HeaderFacts;

typedef struct HeaderRule
{
	const L4Format *format;
	L4Pattern  *pattern;
	bool		self_anchored;	/* the compiled pattern matches only at the beginning by itself */
	bool		alternatives;	/* the pattern may have a bar outside of all groups */
	bool		enabled;
	int			in_vain;		/* line prefixes that it matched and that could not be kept, in a row */
	bool		remembered;		/* enabled when what is remembered was kept */
	int			groups[GROUP_COUNT];
} HeaderRule;

/* What recent texts were told by rules. */
typedef struct HeaderMemory
{
	L4LinePrefixCache *cache;	/* NULL where nothing is remembered, */
	HeaderFacts *known;			/* else what each line prefix in it says */
	/* line prefixes that may still be traced: a log without recurring line prefixes must not pay for each line */
	int64		credit;
	int			in_vain;		/* texts that no rule matched and that could not be kept, in a row */
} HeaderMemory;

/* The rules of one kind in the order of priority. */
typedef struct HeaderRules
{
	int			count;
	HeaderRule *rules;
	L4Prefilter *filter;
	HeaderMemory memory;		/* by those that count in this stream, and of headers, by the prefixes' rules first */
	HeaderMemory alone;			/* by all rules of this kind, and no others */
	bool		gave_up;		/* one of them did when they were tried last */
} HeaderRules;

/* Of more rules nothing is remembered. */
#define TRACED_WORDS 16

/* Programs that log through the system's log with headers of their own, at most, and the bytes of a name. */
#define L4_WRAPPED_LIMIT 4
#define L4_WRAPPED_NAME 48

/* What a sample taught of headers that are of no known format, or stand behind another one. */
typedef struct L4LearntHeaders
{
	int			form_count;
	L4HeaderForm forms[L4_HEADER_FORM_LIMIT];
	bool		has_label;		/* what stands before the lines of several ranks or hosts */
	L4LabelForm label;
	bool		has_object;		/* lines are objects of JSON */
	L4ObjectForm object;
	/* programs, without digits, whose lines have headers behind that of the system's log, or are of several nodes */
	int			wrapped_count;
	uint8		wrapped_sizes[L4_WRAPPED_LIMIT];
	char		wrapped[L4_WRAPPED_LIMIT][L4_WRAPPED_NAME];
	L4EnvelopeForm envelope;	/* lines are objects in which a collector wrapped what programs wrote: the rest is of that */
} L4LearntHeaders;

/* Do headers name the node of the job that writes each record, in a field that no rule knows, and beside it its rank? */
typedef enum StatedHosts
{
	HOSTS_NOT_STATED, HOSTS_STATED, HOSTS_WITH_RANK, HOSTS_WITH_LOCAL_RANK
} StatedHosts;

struct L4HeaderParser
{
	HeaderRules prefixes;
	HeaderRules headers;
	bool		sampled;
	StatedHosts hosts_stated;
	bool		ranks_stated;	/* the headers say which of several ranks wrote each record */
	bool		roles;			/* the ranks that begin lines are those of a node: its launcher calls its role so */
	bool		tasks;			/* a number before a line is that of a launcher's task on a node: local ranks follow some */
	bool		stamped;		/* headers stand behind stamps alone */
	bool		coloured;		/* lines that begin with a colour are looked at without */
	bool		had_prefix;		/* of the line before */
	L4LearntHeaders learnt;		/* tried before the rules */
	int			node_count;		/* of the job, by name in order */
	char	  **nodes;
	pg_tz	   *zone;
	TimestampTz reference;
	TimestampTz told;			/* the first whole time anywhere in the sample; 0 where there is none */
	L4TimeCache	times;
	L4Colours	colours;		/* of the line under way */
};

/* The part of a line from an offset on that patterns may see. */
static inline L4Bytes
header_window(L4Bytes line, size_t offset)
{
	L4Bytes		window = {line.data + offset, Min(line.size - offset, HEADER_WINDOW)};

	return window;
}

/* The span of a group in the text that was matched; false where it took no part. */
static inline bool
header_facts_group(const HeaderFacts *facts, enum HeaderGroup group, const char *text, L4Bytes *span)
{
	if (facts->begins[group] < 0)
		return false;
	span->data = text + facts->begins[group];
	span->size = facts->sizes[group];
	return true;
}

/* How often in a row what this rule matched, or none, could not be kept. */
static inline int *
traces_in_vain(HeaderMemory *memory, HeaderRule *rule)
{
	return rule != NULL ? &rule->in_vain : &memory->in_vain;
}

/* What a line prefix says that was met before, or NULL. */
static inline const HeaderFacts *
header_facts_recall(HeaderMemory *memory, L4Bytes text)
{
	int			prefix = line_prefix_cache_find(memory->cache, text);

	if (prefix < 0)
		return NULL;
	memory->credit++;
	*traces_in_vain(memory, memory->known[prefix].rule) = 0;
	return &memory->known[prefix];
}

/* header_rules.c: compiles the rules of a kind; remember: with a memory. Errors: 2201B. */
extern void header_rules_build(HeaderRules *rules, const L4Format *formats, int count, L4FormatKind kind, bool remember);

/*
 * header_rules.c: what the first rule says that matches at the beginning of a text; false where none does. Of those that count,
 * or (all) of dominant ones, too, but for those that want the name of a node.
 */
extern bool header_rules_first(HeaderRules *rules, L4Bytes text, bool all, HeaderFacts *facts);

/* header_rules.c: the same of those that count, by memory; and of all, perhaps put into `room`, or NULL. */
extern bool header_rules_recall(HeaderRules *rules, L4Bytes text, HeaderFacts *facts);
extern const HeaderFacts *header_rules_find(HeaderRules *rules, L4Bytes text, HeaderFacts *room);

/* header_rules.c: remembers the header, or that there is none, at the beginning of a text that begins with no prefix. */
extern void header_keep(L4HeaderParser *parser, L4Bytes text, const HeaderFacts *facts);

/* header_rules.c: the level that a match states, and where; false, and none, where it states none. */
extern bool header_facts_level(const HeaderFacts *facts, const char *text, L4Level *level, L4Bytes *span);

/* header_rules.c: the size of the prefix that a rule just matched in a text: all up to its end, wherever \K has it begin. */
extern size_t header_prefix_size(const HeaderRule *rule, L4Bytes text);

/* header.c: what is remembered holds for the prefixes that counted when it was: called when those have been told. */
extern void header_forget_other_prefixes(L4HeaderParser *parser);

/* Did a sample teach any form, label or object, which are tried before the rules? */
static inline bool
header_has_learnt(const L4LearntHeaders *learnt)
{
	return learnt->form_count > 0 || learnt->has_label || learnt->has_object;
}

/*
 * header.c: is a line's header one of a system's log, which names a host and, directly behind it, the process that wrote the
 * line? Its component is that program; process: the host and it, with its number ("node-05 train[60]").
 */
extern bool header_names_process(const L4HeaderParser *parser, L4Bytes line, const L4Header *header, L4Bytes *process);

/* header.c: does a line have a header behind a stamp alone? */
extern bool header_is_stamped(L4HeaderParser *parser, L4Bytes line);

/* header_learnt.c: the time of a field: a whole one, or a number since 1970; nothing where it is none. */
extern void header_take_time(L4HeaderParser *parser, L4Bytes text, L4Header *header);

/* header_learnt.c: a level by its word, or by its number of whichever kind. */
extern L4Level header_learnt_level(L4Bytes text);

/* header_learnt.c: is a program one that has headers of its own behind that of the system's log? */
extern bool header_is_wrapped(const L4LearntHeaders *learnt, L4Bytes program);

/* header_learnt.c: takes a header off a line, behind its prefixes, or a label off a text that it begins; false: has none. */
extern bool header_take_learnt(L4HeaderParser *parser, L4Bytes line, L4Header *header);
extern bool header_take_label(const L4HeaderParser *parser, L4Bytes text, L4Header *header);

/*
 * header_learnt.c: the node of the job that a header names, and the digits behind the sign that follows (of no bytes where none
 * do); false where it names none. Cost: a look for each of its words.
 */
extern bool header_find_host(const L4HeaderParser *parser, L4Bytes line, const L4Header *header, L4Bytes *host,
							 L4Bytes *number);

/* header_learnt.c: is a text the name of a node of the job (argument: the parser's)? */
extern bool header_is_node(const void *argument, L4Bytes name);

/* header_learnt.c: appends what was learnt as bytes, and takes it from them (XX001). */
extern void header_learnt_save(const L4LearntHeaders *learnt, StringInfo out);
extern void header_learnt_restore(L4LearntHeaders *learnt, L4ColumnReader *in);

#endif
