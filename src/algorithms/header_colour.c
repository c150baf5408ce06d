/*
 * header_colour.c: lines that begin with a colour, as programs and tools write them to a terminal: their labels and headers
 * stand between the sequences that change it. They are looked for in the line without these, and placed in the line itself.
 */
#include "algorithms/header_colour.h"

#include "tools/bytes.h"

/* No such sequence is longer. */
#define COLOUR_BYTES 32

/* How many bytes the sequence that changes the colour has that a text begins with (ESC, [, numbers, m); 0 where none does. */
static size_t
colour_size(const char *at, const char *end)
{
	const char *from = at;

	end = Min(end, at + COLOUR_BYTES);
	if (end - at < 3 || at[0] != '\033' || at[1] != '[')
		return 0;
	for (at += 2; at < end && (is_digit(*at) || *at == ';'); at++)
		;
	return at < end && *at == 'm' ? (size_t) (at + 1 - from) : 0;
}

bool
header_is_coloured(L4Bytes line)
{
	return line.size > 0 && line.data[0] == '\033' && colour_size(line.data, line.data + line.size) > 0;
}

L4Bytes
header_without_colours(L4Colours *colours, L4Bytes line)
{
	const char *at = line.data;
	const char *end = line.data + line.size;
	const char *stop = line.data + Min(line.size, L4_COLOURED_BYTES);

	resetStringInfo(&colours->plain);
	colours->count = 0;
	for (;;)
	{
		size_t		size = at < stop ? colour_size(at, end) : 0;

		if (size > 0)
		{
			at += size;
			continue;
		}
		colours->places[colours->count] = (uint16) (at - line.data);
		if (at >= stop)
			break;
		colours->count++;
		appendStringInfoCharMacro(&colours->plain, *at);
		at++;
	}
	appendBinaryStringInfo(&colours->plain, at, (int) (end - at));
	return (L4Bytes) {colours->plain.data, (size_t) colours->plain.len};
}

/* A part of the line without colours, where it stands in the line in one piece; of no bytes where it does not. */
static L4Bytes
placed(const L4Colours *colours, L4Bytes line, L4Bytes part)
{
	size_t		at = part.size > 0 ? (size_t) (part.data - colours->plain.data) : 0;

	if (part.size == 0 || at + part.size > (size_t) colours->count ||
		memcmp(line.data + colours->places[at], part.data, part.size) != 0)
		return (L4Bytes) {NULL, 0};
	return (L4Bytes) {line.data + colours->places[at], part.size};
}

bool
header_place_in_colours(const L4Colours *colours, L4Bytes line, L4Header *header)
{
	if (header->size > (size_t) colours->count)
		return false;
	/* what stands behind the colours of a line without a header stays as it is */
	header->size = header->size > 0 ? colours->places[header->size] : 0;
	header->prefix_size = header->prefix_size > 0 ? colours->places[header->prefix_size] : 0;
	header->host = placed(colours, line, header->host);
	header->component = placed(colours, line, header->component);
	header->time_text.size = 0;
	header->time_form.form = 0;
	return true;
}
