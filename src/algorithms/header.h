/*
 * header.h: the prefixes and the header of a log line: time, level, component, rank, host.
 */
#ifndef L4_HEADER_H
#define L4_HEADER_H

#include "ground/l4.h"
#include "algorithms/envelope.h"
#include "algorithms/frame_time.h"
#include "algorithms/level.h"
#include "pgtime.h"
#include "tools/codec.h"

typedef enum L4FormatKind
{
	L4_FORMAT_PATH,
	L4_FORMAT_PREFIX,
	L4_FORMAT_HEADER
} L4FormatKind;

/* One row of l4_format, built in (format_rules.c) or the site's own. */
typedef struct L4Format
{
	const char *name;
	L4FormatKind kind;
	int			priority;		/* lower is tried first, then by name */
	bool		dominant;		/* counts only where at least half of the sampled lines have it */
	const char *pattern;		/* pcre2 with named groups; matched anchored where the last prefix ended */
	const char *example;
} L4Format;

extern const L4Format l4_builtin_formats_array[];
extern const int l4_builtin_formats_count;

/* Prefixes that may stack up before a header. */
#define L4_PREFIX_LIMIT 3

typedef struct L4HeaderParser L4HeaderParser;

/* What the prefix of a line says. Spans point into the line. */
typedef struct L4Header
{
	size_t		size;			/* bytes of prefixes and header together; the message begins here */
	size_t		prefix_size;	/* bytes of the prefixes alone */
	bool		has_header;		/* a header format matched (a prefix alone does not count) */
	bool		has_time;
	TimestampTz time;
	bool		has_clock;		/* it says a time of day alone: time is not set, */
	int64		clock;			/* and these are its microseconds since midnight */
	L4Bytes		time_text;		/* the text that time was read from, where it stands in one piece; size 0 otherwise */
	L4TimeForm	time_form;
	L4Level		level;
	L4Bytes		component;		/* size 0 where none */
	int			rank;			/* global rank from a prefix, or -1 */
	int			local_rank;		/* local rank from a prefix, or -1 */
	/* global rank that the header itself names, or -1: says who wrote this record, labels no other line */
	int			stated_rank;
	/*
	 * host from a prefix (not from a syslog header), size 0 where none; a launcher's task number where a local rank follows it
	 * (one task per node)
	 */
	L4Bytes		host;
	int			format;			/* the header's format for header_format_name, or -1 */
	int			prefix_count;
	/* the prefixes' formats for header_format_name, outermost first; -1 for a label that was learnt, which has no name */
	int			prefixes[L4_PREFIX_LIMIT];
} L4Header;

/*
 * Compiles the formats (prefix and header kinds; path kinds are ignored) in the current memory context. remember: keep what
 * recent line prefixes said, for parsing many lines; it changes no result. zone resolves times without a zone; reference (0 =
 * none: year 1970 is assumed) resolves times without a year: the latest year that is not more than a day after it.
 */
extern L4HeaderParser *header_parser_create(const L4Format *formats, int count, pg_tz *zone, TimestampTz reference,
											bool remember);

/* What the nodes of the job are called: prefixes that are such a name count only in streams that have them in their sample. */
extern void header_parser_name_nodes(L4HeaderParser *parser, char **nodes, int count);

/* How it answers what is asked of texts (envelope_learn); it is the argument. */
extern L4EnvelopeAsk header_parser_ask(const L4HeaderParser *parser);

/*
 * Of a line that a collector or the program's own logger wrapped, as the sample taught, what it says besides: the text that a
 * program wrote (text: where it stands in the line, as a string of JSON), on which host, when, to which file and by which rank.
 * False where the line is none, or the sample taught nothing of the kind.
 */
typedef struct L4Wrapped
{
	L4Bytes		text;
	L4Bytes		host;
	L4Bytes		time;
	L4Bytes		path;
	L4Bytes		rank;
	bool		own;			/* it is an object of the program's own logger, */
	size_t		tag;			/* behind so many bytes, */
	L4Bytes		level;			/* which says how grave it is, and who */
	L4Bytes		name;
} L4Wrapped;

extern bool header_unwrap(const L4HeaderParser *parser, L4Bytes line, L4Wrapped *wrapped);
/* Did the sample teach that there are such lines? */
extern bool header_wraps(const L4HeaderParser *parser);

/*
 * Adds to the header of a text what the object around it says, besides host and component, where the text itself does not: a
 * collector's, or a program's own, of which it is the header.
 */
extern void header_complete(L4HeaderParser *parser, const L4Wrapped *wrapped, L4Header *header);

/* Makes the parser as good as new for another stream, with another reference. Cheap, where making one costs milliseconds. */
extern void header_parser_reset(L4HeaderParser *parser, TimestampTz reference);

/*
 * Looks at the first lines of a stream and decides which dominant prefixes count: those that at least half of the lines that
 * are not blank have. Without a call (a lone line) a dominant prefix counts where another prefix or a header follows it at
 * once.
 */
extern void header_parser_sample(L4HeaderParser *parser, L4Bytes sample);

/*
 * What a sample taught the parser, for header_parser_restore of another parser of the same formats: appended as bytes, and
 * taken from them (XX001).
 */
extern void header_parser_save(const L4HeaderParser *parser, StringInfo out);
extern void header_parser_restore(L4HeaderParser *parser, L4ColumnReader *in);

/*
 * Parses the line prefix of one line (no line terminator in it). At most three prefixes, then at most one header. Never fails.
 */
extern void header_parse(L4HeaderParser *parser, L4Bytes line, L4Header *header);

/*
 * header_parser_told_time: the first whole time that stands anywhere in the sample, 0 where none does: near which the times of
 * day of a stream are that begins with these.
 */
extern TimestampTz header_parser_told_time(const L4HeaderParser *parser);

/*
 * Moves the time of a stream (has_time: it has one) on to a record with this header; start is when the job began, 0 where that
 * is not known. A time of day alone is taken for the moment between 2 h before the stream's time and 22 h after it, or for that
 * nearest to start where it has none: so midnight is passed, a silence may last a night, and records that come a little out of
 * turn stay where they belong. Returns whether the stream has a time now.
 */
extern bool header_next_time(const L4Header *header, pg_tz *zone, TimestampTz start, bool has_time, TimestampTz *time);

/* Appends the names of the formats whose patterns gave up on line prefixes, each with how often; nothing where none did. */
extern void header_note_given_up(const L4HeaderParser *parser, StringInfo out);

/* The name of a format by its number in L4Header. */
extern const char *header_format_name(L4HeaderParser *parser, int format);

#endif							/* L4_HEADER_H */
