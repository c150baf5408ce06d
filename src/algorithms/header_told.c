/*
 * header_told.c: how much of the first lines of a file is told as they are read, and whether something stands before all of
 * them (line_template_learn.c) with which more is.
 */
#include "algorithms/header_private.h"

#include "tools/bytes.h"

/* A host without the process behind it, as a system's log names it. */
static inline L4Bytes
host_alone(L4Bytes host)
{
	const char *blank = memchr(host.data, ' ', host.size);

	return blank != NULL ? (L4Bytes) {host.data, (size_t) (blank - host.data)} : host;
}

L4Told
header_count_told(L4HeaderParser *parser, L4Bytes sample)
{
	L4Told		told = {0};
	L4Bytes		line;

	while (told.lines < L4_LABEL_LINES && header_next_line(&sample, &line))
	{
		L4Header	header;

		if (header_is_blank_line(line))
			continue;
		header_parse(parser, line, &header);
		told.lines++;
		told.written += header.rank >= 0 || header.local_rank >= 0 || parser->hosts_stated != HOSTS_NOT_STATED ||
			(header.host.size > 0 && header_is_node(parser, host_alone(header.host)));
		told.ranked += header.rank >= 0 || header.local_rank >= 0;
		told.labelled += header.prefix_count > 0;
		told.headers += header.size;
		told.timed += header.has_time || header.has_clock;
		told.graded += header.level != L4_LEVEL_NONE;
		told.ruled += header.has_header && header.format < parser->prefixes.count + parser->headers.count;
	}
	return told;
}

bool
header_is_told_more(const L4Told *more, const L4Told *less)
{
	return more->written >= less->written && more->ranked >= less->ranked && more->labelled >= less->labelled &&
		more->timed * 10 >= less->timed * 9 &&
		more->graded * 10 >= less->graded * 9 &&
		(more->written > less->written || more->ranked > less->ranked || more->ruled > less->ruled ||
		 (more->ruled == less->ruled && more->headers > less->headers));
}

/* Does a text begin with a header that says a time or a level? has_header of line_template_learn */
static bool
text_tells_header(const void *argument, L4Bytes text)
{
	HeaderFacts room;
	const HeaderFacts *facts = header_rules_find((HeaderRules *) &((const L4HeaderParser *) argument)->headers,
												 header_window(text, 0), &room);

	return facts != NULL && (facts->begins[GROUP_TS] >= 0 || facts->begins[GROUP_EPOCH] >= 0 ||
							 facts->begins[GROUP_TIME] >= 0 || facts->level != L4_LEVEL_NONE || facts->level_in_digits);
}

/*
 * Does a program's own header, with time and level, end in most lines before what a template takes off? Then that is what the
 * program says, unless it is set off as the names of tasks are.
 */
static bool
is_behind_headers(L4HeaderParser *parser, const L4Bytes *lines, int count, const L4LineTemplate *template)
{
	int			behind = 0;
	int			i;

	if (template->set_off)
		return false;
	for (i = 0; i < count; i++)
	{
		L4TemplateValues values;
		L4Header	header;
		L4Bytes		writer;

		if (line_template_match(template, header_window(lines[i], 0), header_is_node, parser, &values) == 0)
			continue;
		writer = values.host.size > 0 ? values.host : values.number.size > 0 ? values.number : values.local;
		header_parse(parser, lines[i], &header);
		behind += header.has_header && (header.has_time || header.has_clock) && header.level != L4_LEVEL_NONE &&
			writer.data >= lines[i].data + header.size;
	}
	return behind * 2 >= count;
}

/* Finds what stands before the lines of a sample piece by piece. Of most files the first lines tell that there is nothing. */
bool
header_find_template(L4HeaderParser *parser, L4Bytes sample, L4LineTemplate *template)
{
	L4TemplateJob job = {header_is_node, parser, parser->node_count, parser->ranks_per_node};
	L4Bytes    *lines = palloc(L4_LABEL_LINES * sizeof(L4Bytes));
	int			count = 0;
	bool		found;
	L4Bytes		line;

	while (count < L4_LABEL_LINES && header_next_line(&sample, &line))
		if (!header_is_blank_line(line))
			lines[count++] = line;
	found = line_template_may_be(lines, Min(count, L4_LABEL_LINES_FIRST), &job) &&
		line_template_learn(lines, count, &job, text_tells_header, template) &&
		!is_behind_headers(parser, lines, count, template);
	pfree(lines);
	return found;
}
