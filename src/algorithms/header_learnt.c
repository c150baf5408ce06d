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
	/* a platform's time that says its zone counts more than a program's that says none */
	if (form->time >= 0 && fields[form->time].kind != L4_FIELD_CLOCK)
	{
		if (!header->has_time || !header_says_zone(header->time_text) || fields[form->time].kind == L4_FIELD_EPOCH ||
			header_says_zone(fields[form->time].text))
			header_take_time(parser, fields[form->time].text, header);
	}
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

/* What the label of a template says besides its number. */
static void
take_template_values(L4HeaderParser *parser, const L4TemplateValues *values, L4Header *header)
{
	header->host = values->host;
	if (values->time.size > 0 && values->is_clock)
		header->has_clock = timestamp_parse_clock(values->time, &header->clock);
	else if (values->time.size > 0)
		header_take_time(parser, values->time, header);
	if (values->level.size > 0)
		header->level = level_from_text(values->level);
}

/* A number of a label; -1 where it has none. */
static int
label_number(L4Bytes digits)
{
	int			number = digits.size > 0 ? bytes_number(digits) : -1;

	return number < L4_LABEL_RANKS ? number : -1;
}

/* Takes the label off that the sample taught piece by piece, with which a line begins. */
static pg_noinline bool
take_template(L4HeaderParser *parser, L4Bytes text, L4Header *header, L4Bytes *number)
{
	L4TemplateValues values;
	size_t		size;

	if (header->size > 0)
		return false;
	size = line_template_match(&parser->learnt.template, text, header_is_node, parser, &values);
	if (size == 0)
		return false;
	take_template_values(parser, &values, header);
	header->rank = label_number(values.number);
	header->local_rank = label_number(values.local);
	*number = values.number;
	if (header->rank >= 0 && header->local_rank >= 0)
	{
		/* as where a launcher's own prefix says the local rank */
		header->host = header->host.size > 0 ? header->host : values.number;
		header->rank = -1;
	}
	header->prefixes[header->prefix_count++] = -1;
	header->size = header->prefix_size = size;
	return true;
}

bool
header_closes_lines(const L4HeaderParser *parser)
{
	return parser->learnt.template.count > 0 && parser->learnt.template.tail != L4_TAIL_NONE;
}

size_t
header_closing_size(const L4HeaderParser *parser, L4Bytes line, size_t *label)
{
	const L4LineTemplate *template = &parser->learnt.template;
	size_t		tail = line_template_tail(template, line);
	L4TemplateValues values;

	if (tail == 0)
		return 0;
	*label = line_template_match(template, header_window(line, 0), header_is_node, parser, &values);
	return *label > 0 && *label + tail <= line.size ? tail : 0;
}

/* Takes the label off that the sample taught. number_text: receives that of a rank as it stands there. */
bool
header_take_label(L4HeaderParser *parser, L4Bytes text, L4Header *header, L4Bytes *number_text)
{
	const L4LabelForm *label = &parser->learnt.label;
	L4Bytes		node;
	L4Bytes		number;
	size_t		size;
	int			rank;

	if (parser->learnt.template.count > 0)
		return take_template(parser, text, header, number_text);
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
#define SAVED_TEMPLATE 8

void
header_learnt_save(const L4LearntHeaders *learnt, StringInfo out)
{
	int			i;

	column_put_unsigned(out, (learnt->has_object ? SAVED_OBJECT : 0) | (learnt->has_label ? SAVED_LABEL : 0) |
						(envelope_is_here(&learnt->envelope) ? SAVED_ENVELOPE : 0) |
						(learnt->template.count > 0 ? SAVED_TEMPLATE : 0));
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
	if (learnt->template.count > 0)
		line_template_save(&learnt->template, out);
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
	if ((flags & SAVED_TEMPLATE) != 0)
		line_template_restore(&learnt->template, in);
}
