/*
 * header_learnt.c: headers, labels and objects of JSON that a sample taught (header_learn.c), taken off the lines of its
 * stream.
 */
#include "algorithms/header_private.h"

#include "algorithms/timestamp.h"
#include "tools/bytes.h"

/* Does the name of one of the job's nodes begin with this text, or is it this text? The names are in order. */
static bool
some_node(const L4HeaderParser *parser, const char *text, bool whole)
{
	size_t		size = strlen(text);
	int			low = 0;
	int			high = parser->node_count;

	while (low < high)
	{
		int			middle = low + (high - low) / 2;

		if (strcmp(parser->nodes[middle], text) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < parser->node_count && strncmp(parser->nodes[low], text, size) == 0 &&
		(!whole || parser->nodes[low][size] == '\0');
}

/* Is this the name of one of the job's nodes, or the part of one that stands before its domain? */
bool
header_is_node(const void *argument, L4Bytes name)
{
	const L4HeaderParser *parser = argument;
	char		text[256];

	if (name.size == 0 || name.size > sizeof(text) - 2)
		return false;
	memcpy(text, name.data, name.size);
	text[name.size] = '\0';
	if (some_node(parser, text, true))
		return true;
	text[name.size] = '.';
	text[name.size + 1] = '\0';
	return some_node(parser, text, false);
}

void
header_take_time(L4HeaderParser *parser, L4Bytes text, L4Header *header)
{
	L4TimeLayout layout = {0};
	L4TimeForm	form = {0};
	TimestampTz time;

	(void) frame_time_layout(text, &layout);
	if (!time_cache_parse(&parser->times, layout, text, parser->zone, parser->reference, &time, &form))
		return;
	header->has_time = true;
	header->time = time;
	header->time_text = text;
	header->time_form = form;
}

L4Level
header_learnt_level(L4Bytes text)
{
	bool		tens = text.size > 1 && is_digit(text.data[0]);

	return tens ? level_from_tens(bytes_number(text)) : level_from_text(text);
}

/* What an object of JSON says under the keys that the sample taught. All of it stays in the message. */
static bool
take_object(L4HeaderParser *parser, L4Bytes text, L4Header *header)
{
	L4Bytes		values[L4_OBJECT_PARTS];

	if (!parser->learnt.has_object || !header_object_match(&parser->learnt.object, text, values))
		return false;
	header_take_time(parser, values[L4_OBJECT_TIME], header);
	if (values[L4_OBJECT_LEVEL].size > 0)
		header->level = header_learnt_level(values[L4_OBJECT_LEVEL]);
	header->component = values[L4_OBJECT_NAME];
	if (values[L4_OBJECT_RANK].size > 0)
		header->stated_rank = bytes_number(values[L4_OBJECT_RANK]);
	return true;
}

/* A name without the number of a line that stands behind a file's. */
static L4Bytes
without_line_number(L4Bytes name)
{
	size_t		size = name.size;

	while (size > 0 && is_digit(name.data[size - 1]))
		size--;
	if (size > 1 && size < name.size && name.data[size - 1] == ':')
		name.size = size - 1;
	return name;
}

/* The rank with which a message begins, as in "[rank 3] ", "rank 3: "; -1 where it begins otherwise. */
static int
speaking_rank(L4Bytes message)
{
	const char *at = message.data;
	const char *end = message.data + message.size;
	L4Field		field;

	if (!header_field_next(message.data, &at, end, &field) || field.kind != L4_FIELD_RANK || at == end ||
		*at == '\0' || strchr("])>}|:,", *at) == NULL)
		return -1;
	return bytes_number(field.text);
}

/* Takes the header off that has a form which the sample taught. */
static bool
take_form(L4HeaderParser *parser, L4Bytes text, L4Header *header)
{
	L4Field		fields[L4_FIELD_LIMIT];
	const L4HeaderForm *form = parser->learnt.forms;
	size_t		size = 0;

	for (; form < parser->learnt.forms + parser->learnt.form_count && size == 0; form++)
		size = header_form_match(form, text, fields);
	if (size == 0)
		return false;
	form--;
	if (form->time >= 0 && fields[form->time].kind != L4_FIELD_CLOCK)
		header_take_time(parser, fields[form->time].text, header);
	else if (form->time >= 0 && !header->has_time)
		header->has_clock = timestamp_parse_clock(fields[form->time].text, &header->clock);
	if (form->level >= 0)
		header->level = level_from_text(fields[form->level].text);
	if (form->name >= 0)
		header->component = without_line_number(fields[form->name].text);
	header->stated_rank = form->rank >= 0 ? bytes_number(fields[form->rank].text) :
		speaking_rank((L4Bytes) {text.data + size, text.size - size});
	if (form->host >= 0 && header->host.size == 0)
		header->host = fields[form->host].text;
	header->size += size;
	return true;
}

/* Takes the header off as the sample taught it; an object has its keys anywhere. */
bool
header_take_learnt(L4HeaderParser *parser, L4Bytes line, L4Header *header)
{
	L4Bytes		rest = {line.data + header->size, line.size - header->size};

	if (!take_form(parser, header_window(line, header->size), header) && !take_object(parser, rest, header))
		return false;
	header->has_header = true;
	header->format = parser->prefixes.count + parser->headers.count;
	return true;
}

/* Takes the label off that the sample taught. */
bool
header_take_label(const L4HeaderParser *parser, L4Bytes text, L4Header *header)
{
	const L4LabelForm *label = &parser->learnt.label;
	L4Bytes		node;
	L4Bytes		number;
	size_t		size;
	int			rank;

	if (!parser->learnt.has_label || header->rank >= 0 || header->host.size > 0)
		return false;
	size = header_label_match(label, text, header_is_node, parser, &node, &number);
	rank = size > 0 && number.size > 0 ? bytes_number(number) : -1;
	rank = rank < L4_LABEL_RANKS ? rank : -1;
	if (size == 0 || (rank < 0 && node.size == 0))
		return false;
	header->host = node;
	if (label->local)
		header->local_rank = rank;
	else
		header->rank = rank;
	header->prefixes[header->prefix_count++] = -1;
	header->size += size;
	header->prefix_size = header->size;
	return true;
}

static inline bool
is_host_byte(char c)
{
	return is_alphanumeric(c) || c == '-' || c == '.' || c == '_';
}

/* The digits behind a sign that parts a host from the number of one of its processes. */
static L4Bytes
number_behind(const char *at, const char *end)
{
	const char *digits = at + 1;
	const char *stop = digits;

	if (at >= end || (*at != ':' && *at != '/' && *at != '#'))
		return (L4Bytes) {NULL, 0};
	while (stop < end && is_digit(*stop))
		stop++;
	return (L4Bytes) {digits, (size_t) (stop - digits)};
}

bool
header_find_host(const L4HeaderParser *parser, L4Bytes line, const L4Header *header, L4Bytes *host, L4Bytes *number)
{
	const char *at = line.data + header->prefix_size;
	const char *end = line.data + header->size;

	while (at < end)
	{
		const char *from = at;

		while (at < end && is_host_byte(*at))
			at++;
		*host = (L4Bytes) {from, (size_t) (at - from)};
		if (host->size > 1 && header_is_node(parser, *host))
		{
			*number = number_behind(at, end);
			return true;
		}
		at += at == from;
	}
	return false;
}

bool
header_is_wrapped(const L4LearntHeaders *learnt, L4Bytes program)
{
	char		name[L4_WRAPPED_NAME];
	int			i;

	program = (L4Bytes) {name, header_without_digits(program, name, sizeof(name))};
	for (i = 0; i < learnt->wrapped_count; i++)
		if (bytes_equal((L4Bytes) {learnt->wrapped[i], learnt->wrapped_sizes[i]}, program))
			return true;
	return false;
}

/* The flags in what is saved. */
#define SAVED_OBJECT 1
#define SAVED_LABEL 2
#define SAVED_ENVELOPE 4

void
header_learnt_save(const L4LearntHeaders *learnt, StringInfo out)
{
	int			i;

	column_put_unsigned(out, (learnt->has_object ? SAVED_OBJECT : 0) | (learnt->has_label ? SAVED_LABEL : 0) |
						(envelope_is_here(&learnt->envelope) ? SAVED_ENVELOPE : 0));
	column_put_unsigned(out, learnt->form_count);
	for (i = 0; i < learnt->form_count; i++)
		header_form_save(&learnt->forms[i], out);
	column_put_unsigned(out, learnt->wrapped_count);
	for (i = 0; i < learnt->wrapped_count; i++)
		column_put_bytes(out, (L4Bytes) {learnt->wrapped[i], learnt->wrapped_sizes[i]});
	if (learnt->has_object)
		header_object_save(&learnt->object, out);
	if (learnt->has_label)
		header_label_save(&learnt->label, out);
	if (envelope_is_here(&learnt->envelope))
		envelope_save(&learnt->envelope, out);
}

void
header_learnt_restore(L4LearntHeaders *learnt, L4ColumnReader *in)
{
	uint64		flags = column_get_unsigned(in);
	int			i;

	learnt->form_count = column_get_number_to(in, L4_HEADER_FORM_LIMIT, "a source has too many forms of headers");
	for (i = 0; i < learnt->form_count; i++)
		header_form_restore(&learnt->forms[i], in);
	learnt->wrapped_count = column_get_number_to(in, L4_WRAPPED_LIMIT, "a source has too many programs in a system's log");
	for (i = 0; i < Min(learnt->wrapped_count, L4_WRAPPED_LIMIT); i++)	/* gcc 14 does not see that it is no more */
	{
		L4Bytes		name = column_get_bytes(in);

		if (name.size > L4_WRAPPED_NAME)
			column_corrupted("a program in a system's log has a name that is too long");
		memcpy(learnt->wrapped[i], name.data, name.size);
		learnt->wrapped_sizes[i] = (uint8) name.size;
	}
	learnt->has_object = (flags & SAVED_OBJECT) != 0;
	if (learnt->has_object)
		header_object_restore(&learnt->object, in);
	learnt->has_label = (flags & SAVED_LABEL) != 0;
	if (learnt->has_label)
		header_label_restore(&learnt->label, in);
	if ((flags & SAVED_ENVELOPE) != 0)
		envelope_restore(&learnt->envelope, in);
}
