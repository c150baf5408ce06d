/*
 * record.c: bytes of a file to records: lines split, continuation lines folded in.
 *
 * A record is one log statement: its first line with what continues it. Only lines that directly follow one another and carry
 * the same label (rank or host prefix) fold, so every line of the file belongs to exactly one record and the records cover it
 * in order. What folds: the lines of a Python traceback with the exception and those it was chained to, the frames of a Java
 * exception with it, its causes and the logger's own line before it, lists of frames of C++, Ruby or JavaScript, the framed
 * block that launchers print around a child's failure, lines indented under a line that ends in a colon or under a warning, or
 * under a header that nothing follows (loggers of .NET put the message into the lines below), a traceback indented under a line
 * with a header (a logger that sets in all but the first line of a message), and lines led by a tab. Frames that nothing stands
 * before fold into the record before them whatever label that has.
 * A stamp before each line parts nothing: collectors (svlogd, container runtimes, journals) put one before whatever a program
 * writes.
 *
 * A carriage return inside a line ends a record (progress bars overwrite themselves); so does a progress bar that is followed
 * by a header on the same line, and the label before what a launcher put into the line for another rank (joined_end). Such
 * records share their line's number. No byte is dropped: prefixes, headers and terminators go into the record's frame.
 *
 * Who reads a record holds all of it, several times over, so none is longer than L4_RECORD_BYTES: of a longer line (a hole of
 * NUL bytes that a crash left, a file without line ends) the rest goes on as further records, which are said to be such.
 */
#include "algorithms/record.h"

#include "algorithms/record_lines.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "tools/bytes.h"
#include "tools/intern.h"
#include "tools/json_text.h"
#include "utils/memutils.h"

/* Bounds on folding. */
#define FOLD_LINE_LIMIT 5000
/* A program writes all lines of a statement at once: a collector's stamps are no further apart. */
#define FOLD_STAMP_USECS USECS_PER_SEC
/* Headers are looked for in the first bytes of a line only. */
#define HEADER_BYTE_LIMIT 4096
/* Objects have so many names of loggers at most; where there are more they are no such. */
#define LOGGERS_LIMIT 10000
/* A name of more bytes is none: that of a host or of a logger. */
#define NAME_BYTES_LIMIT 256
/* Room for so many names of hosts, to begin with. */
#define HOSTS_FIRST 16

typedef enum FoldState
{
	FOLD_NOT_KNOWN,				/* only the first line is there: looked at when another might follow */
	FOLD_PLAIN,					/* an ordinary statement */
	FOLD_OPENER,				/* its line ends in a colon, or is a warning: indented lines go on with it */
	FOLD_BELOW,					/* its line is a header alone: what is set in below it is the message */
	FOLD_TRACEBACK,				/* inside a Python traceback, before the exception */
	FOLD_EXCEPTION,				/* after the exception: its Java frames, chained ones and a framed block may follow */
	FOLD_BLOCK,					/* inside a block framed by lines of = */
	FOLD_FRAMES					/* inside a list of native frames or a dump of thread stacks */
} FoldState;

/* Whether feeding is to stop before the next record that begins with a line. */
typedef enum StopState
{
	STOP_NOWHERE,
	STOP_AFTER_LINE,			/* the line under way began too early */
	STOP_AT_LINE
} StopState;

struct L4RecordAssembler
{
	L4HeaderParser *parser;
	L4RecordSink sink;
	void	   *argument;
	StringInfoData pending;		/* bytes of a line whose end has not come */
	L4Bytes		fed;			/* the bytes that come now */
	L4NextByte	carriage_return;
	L4NextByte	percent;
	L4NextByte	escape;
	int64		line_no;		/* of the line being taken apart */
	int			line_part;			/* records that began on it so far */
	bool		folded;			/* its beginning went on with a record: nothing else of it may */
	size_t		skipped;		/* bytes of it that were fed elsewhere (record_assembler_resume) */
	const char *line_start;		/* where it lies */
	bool		at_end;			/* no more bytes will come */
	L4LineFacts facts;			/* of the line, besides its bytes */
	bool		open;			/* a record is being built: */
	L4RawRecord record;
	StringInfoData frame;
	StringInfoData message;
	StringInfoData aside;		/* the component, where the message says it and not the line prefix */
	/* while there is one line: its message, in the caller's buffer or the pending line; else data is NULL */
	L4Bytes		first;
	const char *prefix;			/* where the spans of the header point into: the first line's prefix */
	int			line_count;
	bool		first_is_none;	/* its first line is known to be no frame */
	const char *no_frame;		/* the text of a line that was just found to be none, or NULL */
	FoldState	state;
	size_t		set_in;			/* blanks before each line of a traceback that a logger indented */
	/* of a line that a collector wrapped: */
	StringInfoData unwrapped;	/* what stands before what a program wrote, and that */
	StringInfoData behind;		/* what stands behind that, as a terminator of the line */
	StringInfoData scratch;
	size_t		before;			/* bytes of unwrapped that are the collector's; 0 where the line is not wrapped */
	L4Wrapped	wrapped;
	L4Intern	hosts;			/* that headers point to: the names of these are copied once each */
	const char **host_names;
	int			host_count;
	int			host_room;
	StopState	stop;
	bool		stopped;
};

L4RecordAssembler *
record_assembler_create(L4HeaderParser *parser, L4RecordSink sink, void *argument)
{
	L4RecordAssembler *assembler = palloc0(sizeof(L4RecordAssembler));

	assembler->parser = parser;
	assembler->sink = sink;
	assembler->argument = argument;
	assembler->line_no = 1;
	initStringInfo(&assembler->pending);
	initStringInfo(&assembler->frame);
	initStringInfo(&assembler->message);
	initStringInfo(&assembler->aside);
	initStringInfo(&assembler->unwrapped);
	initStringInfo(&assembler->behind);
	initStringInfo(&assembler->scratch);
	intern_init(&assembler->hosts, CurrentMemoryContext);
	return assembler;
}

void
record_assembler_resume(L4RecordAssembler *assembler, const L4RecordStart *start)
{
	assembler->line_no = start->line_no;
	assembler->line_part = start->line_part;
	assembler->skipped = start->before;
}

L4RecordStart
record_assembler_next(const L4RecordAssembler *assembler)
{
	L4RecordStart start = {assembler->line_no, assembler->line_part, assembler->skipped};

	return start;
}

void
record_assembler_line(L4RecordAssembler *assembler, int64 line_no, const L4LineFacts *facts)
{
	Assert(assembler->pending.len == 0);
	assembler->line_no = Max(assembler->line_no, line_no);
	assembler->facts = *facts;
}

/*
 * Does a logger's traceback begin here, indented under its own line? If so, all lines of it are as far in; these blanks are no
 * part of its message.
 */
static bool
begins_set_in(L4RecordAssembler *assembler, L4Bytes line)
{
	size_t		blanks;

	if (!assembler->record.header.has_header)
		return false;
	blanks = line_leading_blanks(line);
	if (blanks == 0 || !line_starts_with((L4Bytes) {line.data + blanks, line.size - blanks}, L4_TRACEBACK))
		return false;
	assembler->set_in = blanks;
	return true;
}

/* Is the text of a line a frame? Remembers it if not, as the next record then begins with that line. */
static inline bool
text_is_frame(L4RecordAssembler *assembler, L4Bytes line)
{
	bool		is_frame = line_is_frame(line);

	assembler->no_frame = is_frame ? NULL : line.data;
	return is_frame;
}

/* The state that a record is in after its first line; no_frame: that is none. */
static FoldState
state_after_first(L4Bytes line, bool no_frame)
{
	L4Bytes		text = line_trimmed(line);

	if (line_contains(text, L4_TRACEBACK))
		return FOLD_TRACEBACK;
	if ((!no_frame && line_is_frame(line)) || line_starts_with(text, "Fatal Python error") ||
		line_starts_with(text, "terminate called"))
		return FOLD_FRAMES;
	if ((text.size > 0 && text.data[text.size - 1] == ':') || line_contains(text, "Warning: "))
		return FOLD_OPENER;
	return FOLD_PLAIN;
}

/* The message of the open record as far as it came. */
static L4Bytes
open_message(const L4RecordAssembler *assembler)
{
	L4Bytes		kept = {assembler->message.data, assembler->message.len};

	return assembler->first.data != NULL ? assembler->first : kept;
}

/* The least blanks that set in a message below its header. */
#define BELOW_BLANKS 2

/* Does a message below its header begin with this line, or go on? All lines of it are as far in, which is no part of it. */
static bool
goes_on_below(L4RecordAssembler *assembler, L4Bytes line)
{
	if (assembler->line_count == 1)
		assembler->set_in = line_leading_blanks(line);
	return assembler->set_in >= BELOW_BLANKS && line.size > 0;
}

/*
 * Does the line (prefix stripped, no header) continue the open record? If so, sets the state after it.
 */
static bool
line_continues(L4RecordAssembler *assembler, L4Bytes line)
{
	bool		indented = line_is_indented(line);

	if (assembler->state == FOLD_NOT_KNOWN)
		assembler->state = open_message(assembler).size == 0 && assembler->record.header.has_header ? FOLD_BELOW :
			state_after_first(open_message(assembler), assembler->first_is_none);
	switch (assembler->state)
	{
		case FOLD_BELOW:
			return goes_on_below(assembler, line);
		case FOLD_TRACEBACK:
			/* loguru marks the frame that caught the exception */
			if (line.size > 0 && !indented && !line_starts_with(line, " ") && !line_starts_with(line, "> File \""))
				assembler->state = FOLD_EXCEPTION;
			return true;
		case FOLD_EXCEPTION:
			if (line_is_chain(line))
				assembler->state = line_starts_with(line, "Traceback") ? FOLD_TRACEBACK : FOLD_EXCEPTION;
			else if (line_is_rule(line, false))
				assembler->state = FOLD_BLOCK;
			else if (line_is_frame(line))
				assembler->state = FOLD_FRAMES;
			else
				return line.size == 0 || indented;
			return true;
		case FOLD_BLOCK:
			if (line_is_rule(line, false))
				assembler->state = FOLD_PLAIN;
			return true;
		case FOLD_FRAMES:
			return line.size == 0 || indented || line_is_frame(line);
		case FOLD_OPENER:
			if (line_is_frame(line))
				assembler->state = FOLD_FRAMES;
			else if (!indented)
				break;
			return true;
		case FOLD_PLAIN:
		case FOLD_NOT_KNOWN:
			break;
	}
	if (text_is_frame(assembler, line))
	{
		assembler->state = FOLD_FRAMES;
		return true;
	}
	if (begins_set_in(assembler, line) ||
		(line_starts_with(line, L4_TRACEBACK) && assembler->record.header.level >= L4_LEVEL_ERROR))
	{
		/* what a logger prints below its own line; behind a mere warning it is another thread's as a rule, unless set in */
		assembler->state = FOLD_TRACEBACK;
		return true;
	}
	if (line_starts_with(line, "\tat ") ||
		(assembler->line_count == 1 && assembler->record.header.level >= L4_LEVEL_WARNING && line_is_java_exception(line)))
	{
		assembler->state = FOLD_EXCEPTION;
		return true;
	}
	return line.size > 1 && line.data[0] == '\t';
}

static bool
same_label(const L4Header *a, const L4Header *b)
{
	return a->rank == b->rank && a->local_rank == b->local_rank && a->host.size == b->host.size &&
		(a->host.size == 0 || memcmp(a->host.data, b->host.data, a->host.size) == 0);
}

/*
 * Moves a span of the line's prefix to the same place in the frame, which begins with that line prefix. What lies elsewhere
 * stays.
 */
static void
rebase(const L4RecordAssembler *assembler, L4Bytes *span)
{
	if (span->size > 0 && span->data >= assembler->prefix && span->data < assembler->prefix + assembler->record.header.size)
		span->data = assembler->frame.data + (span->data - assembler->prefix);
}

static void
emit(L4RecordAssembler *assembler)
{
	if (!assembler->open)
		return;
	assembler->open = false;
	assembler->record.frame.data = assembler->frame.data;
	assembler->record.frame.size = assembler->frame.len;
	assembler->record.message = open_message(assembler);
	assembler->record.line_count = assembler->line_count;
	assembler->sink(&assembler->record, assembler->argument);
}

static inline void
append_bytes(StringInfo out, const char *data, size_t size)
{
	if ((size_t) (out->maxlen - out->len) <= size)
		enlargeStringInfo(out, (int) size);
	bytes_copy(out->data + out->len, data, size);
	out->len += (int) size;
}

/*
 * Copies the first line of the open record into its own memory: when another joins it, and before the bytes it lies in go away.
 * Most records have one line and are never copied.
 */
static void
keep_first(L4RecordAssembler *assembler)
{
	if (!assembler->open || assembler->first.data == NULL)
		return;
	resetStringInfo(&assembler->message);
	append_bytes(&assembler->message, assembler->first.data, assembler->first.size);
	assembler->first.data = NULL;
}

/*
 * The spans of the header follow the prefix of the first line: from the line into the frame, and with the frame when that moves
 * as it grows.
 */
static void
point_into_frame(L4RecordAssembler *assembler)
{
	L4Header   *header = &assembler->record.header;

	if (assembler->prefix == assembler->frame.data)
		return;
	rebase(assembler, &header->component);
	rebase(assembler, &header->host);
	rebase(assembler, &header->time_text);
	assembler->prefix = assembler->frame.data;
}

/* Adds a line to the open record: its line prefix (prefixes, header) and terminator to the frame, the rest to the message. */
static void
append_line(L4RecordAssembler *assembler, L4Bytes line, size_t prefix, const char *terminator)
{
	append_bytes(&assembler->frame, line.data, prefix);
	while (*terminator != '\0')
		append_bytes(&assembler->frame, terminator++, 1);
	if (assembler->line_count++ > 0)
	{
		keep_first(assembler);
		append_bytes(&assembler->message, "\n", 1);
		append_bytes(&assembler->message, line.data + prefix, line.size - prefix);
	}
	else
	{
		assembler->first.data = line.data + prefix;
		assembler->first.size = line.size - prefix;
	}
	assembler->record.last_line_no = assembler->line_no;
	point_into_frame(assembler);
}

/* A header may only look ahead at what the message says: its component is copied, and its time is none of the frame's. */
static void
detach_message_facts(L4RecordAssembler *assembler, L4Bytes line)
{
	L4Header   *header = &assembler->record.header;
	const char *end = line.data + header->size;

	if (header->time_text.size > 0 && header->time_text.data + header->time_text.size > end)
		header->time_text.size = 0;
	if (header->component.size == 0 || header->component.data + header->component.size <= end)
		return;
	resetStringInfo(&assembler->aside);
	append_bytes(&assembler->aside, header->component.data, header->component.size);
	header->component.data = assembler->aside.data;
}

/* The header of the open record takes from the facts of its line what it does not say itself. */
static void
complete_header(L4RecordAssembler *assembler)
{
	L4Header   *header = &assembler->record.header;

	if (!header->has_time && assembler->facts.has_time)
	{
		header->has_time = true;
		header->time = assembler->facts.time;
		header->time_text.size = 0;
	}
	if (header->level == L4_LEVEL_NONE)
		header->level = assembler->facts.level;
}

static void
begin_record(L4RecordAssembler *assembler, L4Bytes line, const L4Header *header, const char *terminator)
{
	emit(assembler);
	resetStringInfo(&assembler->frame);
	assembler->line_count = 0;
	assembler->open = true;
	assembler->record.line_no = assembler->line_no;
	assembler->record.before = assembler->skipped + (line.data - assembler->line_start);
	assembler->record.header = *header;
	assembler->record.cut = false;
	assembler->record.rest = assembler->line_part > 0 && assembler->record.before == 0;
	detach_message_facts(assembler, line);
	if (assembler->line_part == 0 && assembler->record.before == 0)
		complete_header(assembler);
	assembler->record.line_part = assembler->line_part++;
	assembler->state = FOLD_NOT_KNOWN;
	assembler->first_is_none = assembler->no_frame == line.data + header->size;
	assembler->no_frame = NULL;
	assembler->set_in = 0;
	assembler->prefix = line.data;
	append_line(assembler, line, header->size, terminator);
}

/*
 * The end of a progress bar ("...%|...| 20/50 [00:57<1:22, 2.8s/it]"), or of what overwrites it, that is followed by more text,
 * or 0.
 */
static size_t
bar_end(L4RecordAssembler *assembler, L4Bytes line)
{
	const char *end = line.data + line.size;
	const char *at = bytes_next(assembler->fed, &assembler->percent, '%', line.data, end);

	if (bytes_next(assembler->fed, &assembler->escape, '\033', line.data, end) != NULL)
	{
		size_t		blanked = line_blanked_bar_end(line);

		if (blanked > 0)
			return blanked;
	}
	if (at == NULL || end - at < 3 || at[1] != '|')
		return 0;
	at = memchr(at + 2, '|', end - at - 2);
	if (at == NULL)
		return 0;
	at = memchr(at, '[', end - at);
	if (at == NULL)
		return 0;
	at = memchr(at, ']', end - at);
	if (at == NULL)
		return 0;
	at = line_behind_cursor_moves(at + 1, end);
	return at == end ? 0 : (size_t) (at - line.data);
}

/* The name of a host or a logger, where it stays though its line goes away. */
static L4Bytes
kept_name(L4RecordAssembler *assembler, L4Bytes host)
{
	int32		number = intern_add(&assembler->hosts, host.data, (uint32) host.size);

	if (number == assembler->host_count)
	{
		MemoryContext caller = MemoryContextSwitchTo(assembler->hosts.context);

		if (assembler->host_count == assembler->host_room)
		{
			assembler->host_room = Max(HOSTS_FIRST, 2 * assembler->host_room);
			assembler->host_names = assembler->host_names == NULL ? palloc(mul_size(assembler->host_room, sizeof(char *))) :
				repalloc(assembler->host_names, mul_size(assembler->host_room, sizeof(char *)));
		}
		assembler->host_names[assembler->host_count++] = bytes_kept(host).data;
		MemoryContextSwitchTo(caller);
	}
	return (L4Bytes) {assembler->host_names[number], host.size};
}

/* A header without a label says where the facts of its line place that. */
static void
place_header(const L4Place *place, L4Header *header)
{
	if (header->host.size == 0 && place->node != NULL)
		header->host = (L4Bytes) {place->node, strlen(place->node)};
	if (header->rank < 0 && header->local_rank < 0)
		header->rank = place->rank;
}

/*
 * The header of a line that is an object of the program's own logger: what stands before the object, if anything does, labels
 * it; the text has none.
 */
static void
parse_own(L4RecordAssembler *assembler, L4Bytes line, L4Header *header)
{
	const L4Wrapped *wrapped = &assembler->wrapped;

	header_parse(assembler->parser, (L4Bytes) {line.data, Min(wrapped->tag, HEADER_BYTE_LIMIT)}, header);
	header->size = assembler->before;
	if (wrapped->name.size > 0 && wrapped->name.size <= NAME_BYTES_LIMIT && assembler->host_count < LOGGERS_LIMIT)
		header->component = kept_name(assembler, wrapped->name);
}

/* The header of a line that a collector wrapped. */
static pg_noinline void
parse_wrapped(L4RecordAssembler *assembler, L4Bytes line, L4Header *header)
{
	L4Bytes		prefix = {line.data + assembler->before, Min(line.size - assembler->before, HEADER_BYTE_LIMIT)};

	if (assembler->wrapped.own)
		parse_own(assembler, line, header);
	else
	{
		header_parse(assembler->parser, prefix, header);
		header->size += assembler->before;
		header->prefix_size += assembler->before;
	}
	header_complete(assembler->parser, &assembler->wrapped, header);
	/* what stands behind the text is no part of the line's prefix */
	if (header->time_text.data < line.data || header->time_text.data >= line.data + header->size)
		header->time_text.size = 0;
	if (header->host.size == 0 && assembler->wrapped.host.size > 0 && assembler->wrapped.host.size <= NAME_BYTES_LIMIT)
		header->host = kept_name(assembler, assembler->wrapped.host);
}

static inline void
parse_prefix(L4RecordAssembler *assembler, L4Bytes line, L4Header *header)
{
	if (assembler->before == 0 || line.data != assembler->unwrapped.data)
		header_parse(assembler->parser, (L4Bytes) {line.data, Min(line.size, HEADER_BYTE_LIMIT)}, header);
	else
		parse_wrapped(assembler, line, header);
	if (assembler->facts.place != NULL)
		place_header(assembler->facts.place, header);
}

/*
 * The end of a progress bar behind which a label, another header (inner) or a traceback stands, or 0: there a record begins
 * within the line.
 */
static size_t
bar_before_header(L4RecordAssembler *assembler, L4Bytes line, const L4Header *header, L4Header *inner)
{
	size_t		bar = header->has_header ? 0 : bar_end(assembler, line);

	if (bar == 0)
		return 0;
	parse_prefix(assembler, (L4Bytes) {line.data + bar, line.size - bar}, inner);
	return inner->has_header || inner->prefix_count > 0 ||
		line_starts_with((L4Bytes) {line.data + bar, line.size - bar}, L4_TRACEBACK) ? bar : 0;
}

/* Says the header nothing but a time, about that of the open record's? */
static bool
is_same_stamp(const L4RecordAssembler *assembler, const L4Header *header)
{
	const L4Header *open = &assembler->record.header;

	return header->has_time && header->level == L4_LEVEL_NONE && header->component.size == 0 && header->stated_rank < 0 &&
		open->has_header && open->has_time && header->time >= open->time && header->time - open->time <= FOLD_STAMP_USECS;
}

/* What a program wrote of a line begins here: behind the prefixes and a collector's stamp with what parts it from the rest. */
static size_t
written_at(L4Bytes line, const L4Header *header)
{
	size_t		at = header->size;

	if (!header->has_header)
		return header->prefix_size;
	while (at > header->prefix_size && (line.data[at - 1] == ' ' || line.data[at - 1] == '\t'))
		at--;
	return Min(at + 1, header->size);
}

/* What of a line goes on with the open record's message begins here: behind what it is set in by, too. */
static size_t
continued_at(const L4RecordAssembler *assembler, L4Bytes line, const L4Header *header)
{
	return Min(written_at(line, header) + assembler->set_in, line.size);
}

/* Is the line of the open record's process, or a frame that nothing stands before, as one message of several lines has them? */
static bool
is_same_speaker(const L4RecordAssembler *assembler, L4Bytes line, const L4Header *header)
{
	return same_label(header, &assembler->record.header) ||
		(header->prefix_count == 0 && assembler->record.header.prefix_count > 0 && line_is_frame(line));
}

/* Does a piece of a line with this header join the open record? If so, sets the state after it. */
static bool
piece_continues(L4RecordAssembler *assembler, L4Bytes line, const L4Header *header)
{
	size_t		at;

	assembler->no_frame = NULL;
	if (!assembler->open || assembler->line_part > 0 || assembler->folded ||
		!is_same_speaker(assembler, line, header) || assembler->line_count >= FOLD_LINE_LIMIT ||
		open_message(assembler).size + line.size >= L4_RECORD_BYTES ||
		(header->has_header && !is_same_stamp(assembler, header)))
		return false;
	at = written_at(line, header);
	if (line.size > at && line_leading_blanks((L4Bytes) {line.data + at, line.size - at}) < assembler->set_in)
		return false;
	at = continued_at(assembler, line, header);
	return line_continues(assembler, (L4Bytes) {line.data + at, line.size - at});
}

/* Takes what one writer put into a line (no \n and no \r in it), with its terminator. */
static void
take_part(L4RecordAssembler *assembler, L4Bytes line, const char *terminator)
{
	L4Header	header;
	L4Header	inner;
	size_t		bar;

	parse_prefix(assembler, line, &header);
	bar = bar_before_header(assembler, line, &header, &inner);
	if (bar > 0)
	{
		L4Bytes		front = {line.data, bar};
		L4Bytes		behind = {line.data + bar, line.size - bar};

		begin_record(assembler, front, &header, "");
		begin_record(assembler, behind, &inner, terminator);
		return;
	}
	if (piece_continues(assembler, line, &header))
	{
		append_line(assembler, line, continued_at(assembler, line, &header), terminator);
		assembler->folded = true;
		return;
	}
	begin_record(assembler, line, &header, terminator);
}

/* Takes one piece of a line (no \n and no \r in it) with its terminator. */
static void
take_piece(L4RecordAssembler *assembler, L4Bytes line, const char *terminator)
{
	size_t		joined;

	while ((joined = line_joined_end(line)) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		take_part(assembler, (L4Bytes) {line.data, joined}, "");
		emit(assembler);
		line.data += joined;
		line.size -= joined;
	}
	take_part(assembler, line, terminator);
}

/*
 * Puts the line that a program wrote in the place of one that a collector wrapped: what stands before the text, and the text;
 * what stands behind it becomes a part of the terminator. Not where the text cannot be told as it stands there, or has several
 * lines.
 */
static bool
unwrap_wrapped(L4RecordAssembler *assembler, L4Bytes *line, const char **terminator)
{
	StringInfo	out = &assembler->unwrapped;
	L4Wrapped  *wrapped = &assembler->wrapped;
	L4Bytes		behind;
	int			style;

	/* of a line that is cut off, or that carriage returns part, nobody knows where the text ends */
	if ((*terminator)[0] == '\0' || assembler->skipped > 0 || !header_unwrap(assembler->parser, *line, wrapped) ||
		memchr(line->data, '\r', line->size) != NULL)
		return false;
	behind = (L4Bytes) {wrapped->text.data + wrapped->text.size,
		(size_t) (line->data + line->size - (wrapped->text.data + wrapped->text.size))};
	/* a terminator ends at the first of these */
	if (memchr(behind.data, '\0', behind.size) != NULL)
		return false;
	/* a record that is open may still lie there */
	keep_first(assembler);
	resetStringInfo(out);
	assembler->before = wrapped->text.data - line->data;
	append_bytes(out, line->data, assembler->before);
	if (!json_text_decode(wrapped->text, out) ||
		memchr(out->data + assembler->before, '\n', out->len - assembler->before) != NULL ||
		memchr(out->data + assembler->before, '\r', out->len - assembler->before) != NULL ||
		(style = json_text_style(wrapped->text, (L4Bytes) {out->data + assembler->before, out->len - assembler->before},
								 &assembler->scratch)) < 0)
	{
		out->len = (int) assembler->before;
		append_bytes(out, wrapped->text.data, wrapped->text.size);
		style = L4_FRAME_PLAIN - 'a';
	}
	resetStringInfo(&assembler->behind);
	appendStringInfo(&assembler->behind, "%s%c%zu:", L4_FRAME_BEHIND, 'a' + style, assembler->before);
	append_bytes(&assembler->behind, behind.data, behind.size);
	appendStringInfoString(&assembler->behind, *terminator);
	/* the time stands where it stood, in front of the text or behind it */
	if (wrapped->time.size > 0 && wrapped->time.data < wrapped->text.data)
		wrapped->time.data = out->data + (wrapped->time.data - line->data);
	*line = (L4Bytes) {out->data, (size_t) out->len};
	*terminator = assembler->behind.data;
	return true;
}

/* The same of any line: most files have none that a collector wrapped. */
static inline bool
unwrap_line(L4RecordAssembler *assembler, L4Bytes *line, const char **terminator)
{
	assembler->before = 0;
	return header_wraps(assembler->parser) && unwrap_wrapped(assembler, line, terminator);
}

/* Takes a line apart at its carriage returns; last: its terminator, empty where it has none. */
static void
take_pieces(L4RecordAssembler *assembler, L4Bytes line, const char *last)
{
	const char *at = line.data;
	const char *end = line.data + line.size;

	for (;;)
	{
		const char *found = bytes_next(assembler->fed, &assembler->carriage_return, '\r', at, end);
		L4Bytes		piece = {at, (found != NULL ? found : end) - at};

		if (found == NULL && piece.size == 0 && last[0] == '\0')
			break;
		take_piece(assembler, piece, found != NULL ? "\r" : last);
		if (found == NULL)
		{
			assembler->record.cut = last[0] == '\0' && assembler->at_end;
			break;
		}
		emit(assembler);		/* a carriage return ends the record */
		at = found + 1;
	}
}

/* Takes one line. terminated: it ended with \n. */
static void
take_line(L4RecordAssembler *assembler, L4Bytes line, bool terminated)
{
	const char *last = terminated ? "\n" : "";

	CHECK_FOR_INTERRUPTS();
	if (terminated && line.size > 0 && line.data[line.size - 1] == '\r')
	{
		line.size--;
		last = "\r\n";
	}
	if (unwrap_line(assembler, &line, &last))
	{
		assembler->line_start = line.data;
		take_part(assembler, line, last);
	}
	else
	{
		assembler->line_start = line.data;
		take_pieces(assembler, line, last);
	}
	assembler->skipped = 0;
	if (terminated)
	{
		assembler->line_no++;
		assembler->line_part = 0;
		assembler->folded = false;
	}
}

/* Would the line, or its first piece where carriage returns or labels part it, begin a record? Changes nothing. */
static bool
line_begins(L4RecordAssembler *assembler, L4Bytes line, bool terminated)
{
	FoldState	state = assembler->state;
	size_t		set_in = assembler->set_in;
	const char *terminator = terminated ? "\n" : "";
	const char *found;
	size_t		joined;
	L4Header	header;
	L4Header	inner;
	bool		continues;

	if (terminated && line.size > 0 && line.data[line.size - 1] == '\r')
		line.size--;
	if (!unwrap_line(assembler, &line, &terminator))
	{
		found = memchr(line.data, '\r', line.size);
		if (found != NULL)
			line.size = found - line.data;
		joined = line_joined_end(line);
		if (joined > 0)
			line.size = joined;
	}
	parse_prefix(assembler, line, &header);
	continues = bar_before_header(assembler, line, &header, &inner) == 0 && piece_continues(assembler, line, &header);
	assembler->no_frame = NULL;
	assembler->state = state;
	assembler->set_in = set_in;
	return !continues;
}

/* Is feeding to stop before this line? Then the open record is complete. */
static bool
stop_before(L4RecordAssembler *assembler, L4Bytes line, bool terminated)
{
	if (assembler->stop == STOP_NOWHERE)
		return false;
	if (assembler->stop == STOP_AFTER_LINE)
	{
		if (terminated)
			assembler->stop = STOP_AT_LINE;
		return false;
	}
	if (assembler->line_part > 0 || assembler->folded || !line_begins(assembler, line, terminated))
		return false;
	emit(assembler);
	assembler->stop = STOP_NOWHERE;
	assembler->stopped = true;
	return true;
}

/*
 * Takes bytes of a line whose beginning is pending, and the line as a whole once its end has come; not where feeding stops
 * before it.
 */
static void
complete_pending(L4RecordAssembler *assembler, const char *at, size_t size, bool terminated)
{
	L4Bytes		line;

	append_bytes(&assembler->pending, at, size);
	if (!terminated && assembler->pending.len + assembler->skipped < L4_RECORD_BYTES)
		return;
	line.data = assembler->pending.data;
	line.size = assembler->pending.len;
	if (stop_before(assembler, line, terminated))
	{
		resetStringInfo(&assembler->pending);
		return;
	}
	take_line(assembler, line, terminated);
	if (!terminated)
		emit(assembler);		/* a line without an end goes on as a further record */
	keep_first(assembler);
	resetStringInfo(&assembler->pending);
}

int64
record_assembler_feed(L4RecordAssembler *assembler, const char *bytes, size_t size)
{
	const char *at = bytes;
	const char *end = bytes + size;

	assembler->stopped = false;
	assembler->fed = (L4Bytes) {bytes, size};
	assembler->carriage_return = assembler->percent = assembler->escape = (L4NextByte) {NULL, NULL};
	while (at < end)
	{
		/* a line is cut there, whatever the buffers */
		size_t		room = L4_RECORD_BYTES - assembler->skipped - assembler->pending.len;
		const char *found = memchr(at, '\n', Min((size_t) (end - at), room));
		const char *stop = found != NULL ? found : at + Min((size_t) (end - at), room);
		int64		before = assembler->pending.len;

		if (found == NULL || before > 0)
		{
			keep_first(assembler);
			complete_pending(assembler, at, stop - at, found != NULL);
			if (assembler->stopped)
				return at - bytes - before;
		}
		else
		{
			L4Bytes		line = {at, stop - at};

			if (stop_before(assembler, line, true))
				return at - bytes;
			take_line(assembler, line, true);
		}
		at = found != NULL ? found + 1 : stop;
	}
	keep_first(assembler);
	return (int64) size;
}

void
record_assembler_stop(L4RecordAssembler *assembler)
{
	if (assembler->stop == STOP_NOWHERE)
		assembler->stop = assembler->pending.len > 0 ? STOP_AFTER_LINE : STOP_AT_LINE;
}

bool
record_assembler_stopped(const L4RecordAssembler *assembler)
{
	return assembler->stopped;
}

void
record_assembler_set_line(L4RecordAssembler *assembler, int64 line_no)
{
	assembler->line_no = line_no;
	assembler->line_part = 0;
	assembler->folded = false;
}

void
record_assembler_end(L4RecordAssembler *assembler)
{
	assembler->at_end = true;
	assembler->fed = (L4Bytes) {NULL, 0};
	if (assembler->pending.len > 0)
	{
		L4Bytes		line = {assembler->pending.data, assembler->pending.len};

		take_line(assembler, line, false);
		assembler->line_no++;
	}
	emit(assembler);
}

/* Lines taken so far; a last line without \n counts once the end was taken. */
int64
record_assembler_lines(const L4RecordAssembler *assembler)
{
	return assembler->line_no - 1;
}
