/*
 * source_export.c: files in which lines are kept in another form than a line each: exports of collectors, sections, and the
 * newest line first.
 *
 * Their first bytes show it. Then units are taken off the bytes (export.c), and the lines that these amount to are fed with the
 * number that they have in the file. Where the newest come first all lines are kept until the end is there, and fed from there
 * on: their numbers are counted from the end, too.
 *
 * Such a source comes in as a whole: it keeps no state to go on with.
 */
#include "loading/source_private.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "algorithms/export.h"
#include "doors/reversed.h"
#include "tools/intern.h"

/* The order of times is not looked at further than that where none shows, nor where so many more of them ascend. */
#define ORDER_BYTES 4096
#define ORDER_TOLERANCE 2
/* So many times must be before the one above at least, and so many of them for one that is behind it. */
#define ORDER_LEAST 10
#define ORDER_SHARE 9

struct SourceExport
{
	L4Export   *export;
	MemoryContext memory;		/* of a unit */
	StringInfoData bytes;		/* not taken yet */
	StringInfoData lines;		/* of the unit at hand */
	int64		line_no;		/* of the next byte */
	bool		in_line;		/* the last line that was fed had no end */
	L4Reversed *reversed;		/* where the newest come first, or NULL */
	L4Intern	sections;		/* heads that were seen, */
	L4Place   **places;			/* and what they say */
	int			place_count;
	int			place_room;
};

/* ---------- learning ---------- */

/* When a line was written, as it says itself or as the collector that wrapped it does. */
static bool
line_time(L4HeaderParser *parser, L4Bytes line, TimestampTz *time)
{
	L4Wrapped	wrapped;
	L4Header	header;
	bool		is_wrapped = header_unwrap(parser, line, &wrapped);

	header_parse(parser, is_wrapped ? wrapped.text : line, &header);
	if (is_wrapped)
		header_complete(parser, &wrapped, &header);
	*time = header.time;
	return header.has_time;
}

/* Does the newest line come first? */
static bool
descends(L4Source *work, L4Bytes sample)
{
	const char *at = sample.data;
	const char *end = sample.data + sample.size;
	bool		has_time = false;
	TimestampTz last = 0;
	int			up = 0;
	int			down = 0;

	while (at < end && up <= down + ORDER_TOLERANCE && (at - sample.data < ORDER_BYTES || down > 0))
	{
		const char *stop = memchr(at, '\n', end - at);
		TimestampTz time;

		stop = stop != NULL ? stop : end;
		if (line_time(work->input.parser, (L4Bytes) {at, Min(stop - at, ORDER_BYTES)}, &time))
		{
			up += has_time && time > last;
			down += has_time && time < last;
			has_time = true;
			last = time;
		}
		at = stop + 1;
	}
	return down >= ORDER_LEAST && up * ORDER_SHARE <= down;
}

void
source_learn(L4Source *work, L4Bytes sample)
{
	L4EnvelopeAsk ask = header_parser_ask(work->input.parser);
	L4Export   *export = NULL;
	StringInfoData lines;
	/* rows are lines, and what goes on was none at its beginning */
	bool		may_be = !work->input.by_row && !work->input.of_part && !work->resume.resumed;
	bool		descending;
	SourceExport *made;

	initStringInfo(&lines);
	if (may_be)
		export = export_learn(sample, &ask, &lines);
	if (export != NULL)
		sample = (L4Bytes) {lines.data, lines.len};
	header_parser_sample(work->input.parser, sample);
	descending = may_be && (export == NULL || export_may_descend(export)) && descends(work, sample);
	pfree(lines.data);
	if (export == NULL && !descending)
		return;
	made = palloc0(sizeof(SourceExport));
	made->export = export != NULL ? export : export_of_lines();
	made->memory = AllocSetContextCreate(CurrentMemoryContext, "l4 unit of an export", ALLOCSET_DEFAULT_SIZES);
	made->line_no = 1;
	initStringInfo(&made->bytes);
	initStringInfo(&made->lines);
	intern_init(&made->sections, CurrentMemoryContext);
	if (descending)
		made->reversed = reversed_begin();
	work->input.export = made;
}

/* ---------- taking ---------- */

static int64
count_lines(L4Bytes bytes)
{
	const char *end = bytes.data + bytes.size;
	const char *at;
	int64		count = 0;

	for (at = bytes.data; at < end && (at = memchr(at, '\n', end - at)) != NULL; at++)
		count++;
	return count;
}

/* Where the lines are from that come under the open head, as far as it tells; NULL where there is none. */
static const L4Place *
place_of_section(L4Source *work)
{
	SourceExport *made = work->input.export;
	bool		is_path;
	L4Bytes		name = export_section(made->export, &is_path);
	int			number;

	if (name.size == 0)
		return NULL;
	number = intern_add(&made->sections, name.data, (uint32) name.size);
	if (number == made->place_count)
	{
		const L4Cluster *cluster = &work->context->job->cluster;
		L4Place    *place = palloc0(sizeof(L4Place));
		char	   *text = pnstrdup(name.data, name.size);

		if (is_path)
			*place = place_from_path(work->context->places, cluster, text);
		else
			*place = (L4Place) {.node = text, .rank = -1};
		if (made->place_count == made->place_room)
		{
			made->place_room = Max(16, 2 * made->place_room);
			made->places = made->places == NULL ? palloc(mul_size(made->place_room, sizeof(L4Place *))) :
				repalloc(made->places, mul_size(made->place_room, sizeof(L4Place *)));
		}
		made->places[made->place_count++] = place;
	}
	return made->places[number];
}

/* Feeds whole lines, of which the first has that number. */
static void
feed_lines(L4Source *work, int64 line_no, L4Bytes lines)
{
	SourceExport *made = work->input.export;
	L4LineFacts facts = {.place = place_of_section(work)};

	if (!made->in_line)
		record_assembler_line(work->input.assembler, line_no, &facts);
	(void) record_assembler_feed(work->input.assembler, lines.data, lines.size);
	made->in_line = lines.data[lines.size - 1] != '\n';
}

/* Takes a unit that the lines at hand came of: of so many bytes, blank ones first. */
static void
take_unit(L4Source *work, L4Bytes unit, size_t skipped)
{
	SourceExport *made = work->input.export;
	StringInfo	lines = &made->lines;
	int64		line_no = made->line_no + count_lines((L4Bytes) {unit.data, skipped});

	made->line_no += count_lines(unit);
	if (lines->len == 0)
		return;
	if (made->reversed == NULL)
		feed_lines(work, line_no, (L4Bytes) {lines->data, lines->len});
	else
	{
		if (lines->data[lines->len - 1] != '\n')
			appendStringInfoChar(lines, '\n');
		reversed_put(made->reversed, made->line_no - (unit.data[unit.size - 1] == '\n'), (L4Bytes) {lines->data, lines->len});
	}
}

static void
take_units(L4Source *work, bool at_end)
{
	SourceExport *made = work->input.export;
	L4Bytes		left = {made->bytes.data, made->bytes.len};

	while (left.size > 0)
	{
		MemoryContext caller = MemoryContextSwitchTo(made->memory);
		size_t		skipped;
		size_t		size;

		CHECK_FOR_INTERRUPTS();
		resetStringInfo(&made->lines);
		size = export_take(made->export, left, at_end, &made->lines, &skipped);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(made->memory);
		if (size == 0)
			break;
		take_unit(work, (L4Bytes) {left.data, size}, skipped);
		left.data += size;
		left.size -= size;
	}
	memmove(made->bytes.data, left.data, left.size);
	made->bytes.len = (int) left.size;
}

void
source_export_take(L4Source *work, L4Bytes bytes)
{
	appendBinaryStringInfo(&work->input.export->bytes, bytes.data, (int) bytes.size);
	take_units(work, false);
}

void
source_export_end(L4Source *work)
{
	SourceExport *made = work->input.export;
	int64		number;
	L4Bytes		lines;

	take_units(work, true);
	resetStringInfo(&made->lines);
	export_end(made->export, &made->lines);
	if (made->lines.len > 0)
	{
		if (made->in_line)
			feed_lines(work, made->line_no, (L4Bytes) {"\n", 1});
		lines = (L4Bytes) {made->lines.data, made->lines.len};
		if (made->reversed == NULL)
			feed_lines(work, made->line_no, lines);
		else
			reversed_put(made->reversed, made->line_no, lines);
	}
	if (made->reversed == NULL)
		return;
	while (reversed_next(made->reversed, &number, &lines))
	{
		CHECK_FOR_INTERRUPTS();
		feed_lines(work, made->line_no - number, lines);
	}
	reversed_end(made->reversed);
	made->reversed = NULL;
}
