/*
 * header_learn.c: which fields the headers of a file have, learnt from its first lines.
 *
 * A logger writes the same fields before each message, so lines that one wrote begin alike: up to the time, or the level where
 * there is none, kind by kind and sign by sign (the anchor). Behind that a field is of the header where most lines have it, and
 * its values are those of a header: a level, a name in brackets or before a colon of which there are few, not the first word
 * of what is said, nor a counter of progress. What only stands between two such is of the header, too. The times of a file do
 * not go back, as a rule: those of messages are no headers.
 */
#include "algorithms/header_learn_private.h"

#include "algorithms/level.h"
#include "algorithms/timestamp.h"
#include "tools/bytes.h"

/* The anchor is one of the first fields; a level that is one stands nearer. */
#define ANCHOR_FIELDS 7
#define LEVEL_ANCHOR_FIELDS 4
/* So many lines at least have a form; of so many that are open one; of those with a level alone more than half. */
#define FORM_LINES 3
#define OPEN_LINES_PER_FORM 5
/* So many words may stand before the anchor with blanks behind them alone: a name. */
#define WORDS_BEFORE 1
/* So many fields of no header by themselves may stand before one that is. */
#define PASSED_FIELDS 3
/* What is true of the values of a field so many of ten lines have as a rule. */
#define RULE 6
#define ALL 10
/* Values of a field of so many lines that are other ones, besides a few. */
#define LINES_PER_VALUE 3
#define FEW_VALUES 3
/* The number of one of several processes has so many digits at most. */
#define NUMBER_DIGITS 6

static inline bool
is_time(char kind)
{
	return kind == L4_FIELD_TIME || kind == L4_FIELD_CLOCK || kind == L4_FIELD_EPOCH;
}

/* An object of JSON is read as a whole. */
static bool
begins_object(const L4FieldGap *gap)
{
	return gap->size >= 2 && memcmp(gap->text + gap->size - 2, "{\"", 2) == 0;
}

void
header_learn_line(L4SampleLine *line, L4Bytes text, int limit)
{
	const char *at = text.data;
	const char *end = text.data + text.size;

	line->text = text;
	line->count = 0;
	while (line->count < limit)
	{
		const char *before = at;

		if (!header_field_next(text.data, &at, end, &line->fields[line->count]))
			break;
		if (begins_object(&line->fields[line->count].gap))
		{
			at = before;
			break;
		}
		at = line->fields[line->count].text.data + line->fields[line->count].text.size;
		line->count++;
	}
	if (!header_gap_next(text.data, &at, end, &line->rest))
		line->rest.size = 0;
}

/* The gap behind a field of a line. */
static const L4FieldGap *
gap_behind(const L4SampleLine *line, int field)
{
	return field + 1 < line->count ? &line->fields[field + 1].gap : &line->rest;
}

static inline bool
is_blank_gap(const L4FieldGap *gap)
{
	return gap->size == 1 && gap->text[0] == ' ';
}

/* The first time among the first fields, or the first level where times is not set; -1 where there is none. */
static int
anchor_of(const L4SampleLine *line, bool times)
{
	int			i;

	for (i = 0; i < Min(line->count, times ? ANCHOR_FIELDS : LEVEL_ANCHOR_FIELDS); i++)
		if (times ? is_time(line->fields[i].kind) : line->fields[i].kind == L4_FIELD_LEVEL)
			return i;
	return -1;
}

/* Do two lines begin alike up to their anchors, at the same place? */
bool
header_begin_alike(const L4SampleLine *a, const L4SampleLine *b, int anchor)
{
	int			i;

	for (i = 0; i <= anchor; i++)
		if (a->fields[i].kind != b->fields[i].kind || !same_gap(&a->fields[i].gap, &b->fields[i].gap))
			return false;
	return true;
}

/* How many open lines begin as one does up to its anchor; marks them as being here. */
static int
mark_alike(L4SampleLine *lines, int count, const L4SampleLine *like, int anchor, bool times)
{
	int			alike = 0;
	int			i;

	for (i = 0; i < count; i++)
	{
		lines[i].here = lines[i].open && anchor_of(&lines[i], times) == anchor && header_begin_alike(&lines[i], like, anchor);
		alike += lines[i].here;
	}
	return alike;
}

/* Finds the commonest beginning of open lines, and marks the lines that have it. Returns how many, and their anchor. */
static int
find_beginning(L4SampleLine *lines, int count, bool times, int *anchor, const L4SampleLine **like)
{
	int			best = 0;
	int			i;
	int			j;

	for (i = 0; i < count; i++)
	{
		int			place = lines[i].open ? anchor_of(&lines[i], times) : -1;
		int			alike = 0;

		/* a line whose beginning was counted before cannot be the best one */
		for (j = 0; place >= 0 && j < count; j++)
			if (lines[j].open && anchor_of(&lines[j], times) == place && header_begin_alike(&lines[i], &lines[j], place))
			{
				if (j < i)
					break;
				alike++;
			}
		if (alike > best)
		{
			best = alike;
			*anchor = place;
			*like = &lines[i];
		}
	}
	if (best > 0)
		(void) mark_alike(lines, count, *like, *anchor, times);
	return best;
}

/* What is compared of a value: without its digits, but where whole is set. */
static size_t
value_of(L4Bytes text, bool whole, char *value)
{
	if (!whole)
		return header_without_digits(text, value, VALUE_BYTES);
	text.size = Min(text.size, VALUE_BYTES);
	memcpy(value, text.data, text.size);
	return text.size;
}

/* Has a field few values in the lines here, digits left out, or, where whole is set, with them? */
static bool
has_few_values(const L4SampleLine *lines, int count, int field, bool whole)
{
	char		values[FEW_VALUES + 64][VALUE_BYTES];
	size_t		sizes[FEW_VALUES + 64];
	int			here = 0;
	int			known = 0;
	int			i;
	int			j;

	for (i = 0; i < count; i++)
	{
		char		value[VALUE_BYTES];
		size_t		size;

		if (!lines[i].here || field >= lines[i].count)
			continue;
		here++;
		size = value_of(lines[i].fields[field].text, whole, value);
		for (j = 0; j < known; j++)
			if (sizes[j] == size && memcmp(values[j], value, size) == 0)
				break;
		if (j < known)
			continue;
		if (known == lengthof(sizes))
			return false;
		memcpy(values[known], value, size);
		sizes[known++] = size;
	}
	return known <= FEW_VALUES || known <= here / LINES_PER_VALUE;
}

/* Of the lines here so many of ten, or more, answer a question about a field with yes. */
bool
header_of_ten(const L4SampleLine *lines, int count, int field, int tenths, bool (*ask) (const L4SampleLine *line, int field))
{
	int			here = 0;
	int			yes = 0;
	int			i;

	for (i = 0; i < count; i++)
		if (lines[i].here)
		{
			here++;
			yes += ask(&lines[i], field);
		}
	return here > 0 && yes * 10 >= here * tenths;
}

/* Names of loggers, modules and files have a sign within that words of sentences have not. */
static bool
is_telling(const L4SampleLine *line, int field)
{
	L4Bytes		text = line->fields[field].text;
	size_t		i;

	for (i = 1; i + 1 < text.size; i++)
		if (strchr("._/:$", text.data[i]) != NULL)
			return !is_digit(text.data[0]);
	return false;
}

static bool
is_small(const L4SampleLine *line, int field)
{
	return line->fields[field].text.data[0] >= 'a' && line->fields[field].text.data[0] <= 'z';
}

static bool
has_blank(const L4SampleLine *line, int field)
{
	return memchr(line->fields[field].text.data, ' ', line->fields[field].text.size) != NULL;
}

/* Does a value name what is counted as a program goes on? */
bool
header_is_step(const L4SampleLine *line, int field)
{
	static const char *const words[] = {"step", "iter", "epoch", "batch", "loss", "%"};
	L4Bytes		text = line->fields[field].text;
	size_t		word;
	size_t		i;

	for (i = 0; i < text.size; i++)
		for (word = 0; word < lengthof(words); word++)
			if (text.size - i >= strlen(words[word]) && pg_strncasecmp(text.data + i, words[word], strlen(words[word])) == 0)
				return true;
	return false;
}

/* Is a value how far the program has come: a word for that, a share, or a number of several? */
static bool
is_progress(const L4SampleLine *line, int field)
{
	L4Bytes		text = line->fields[field].text;
	size_t		i;

	for (i = 1; i + 1 < text.size; i++)
		if (text.data[i] == '/' && is_digit(text.data[i - 1]))
			return true;
	return header_is_step(line, field);
}

/* Stands a number behind a field, as behind what a program reports the value of? */
static bool
has_number_behind(const L4SampleLine *line, int field)
{
	return field + 1 < line->count && is_digit(line->fields[field + 1].text.data[0]);
}

/* Have the lines here, of which there are some, one value of a field, which is a name by its small letter? */
bool
header_is_one_name(const L4SampleLine *lines, int count, int field)
{
	const L4Bytes *name = NULL;
	int			here = 0;
	int			i;

	for (i = 0; i < count; i++)
	{
		const L4Bytes *text = &lines[i].fields[field].text;

		if (!lines[i].here)
			continue;
		here++;
		if (name == NULL)
			name = text;
		if (!bytes_equal(*text, *name))
			return false;
	}
	return here >= SOME_LINES && name->data[0] >= 'a' && name->data[0] <= 'z';
}

/* Do the lines here go on in several ways behind a field? */
bool
header_goes_on_variously(const L4SampleLine *lines, int count, int field)
{
	const char *seen[FEW_VALUES];
	int			known = 0;
	int			i;
	int			j;

	for (i = 0; i < count && known < FEW_VALUES; i++)
	{
		const char *at;

		if (!lines[i].here || field + 1 >= lines[i].count)
			continue;
		at = lines[i].fields[field + 1].text.data;
		for (j = 0; j < known && *seen[j] != *at; j++)
			;
		if (j == known)
			seen[known++] = at;
	}
	return known == FEW_VALUES;
}

static inline bool
is_mark(char c)
{
	return c == '-' || c == '|' || c == ':' || c == '>' || c == '=' || c == '~';
}

/*
 * What parts a header from the message, of the gap that stands behind its last field: what closes it, a blank, and a sign or
 * two between blanks. What opens belongs to the message.
 */
static L4FieldGap
end_of_gap(const L4FieldGap *gap)
{
	L4FieldGap	end = *gap;
	int			i = 0;
	int			marks = 0;

	while (i < gap->size && strchr("])}>|,;:\"'", gap->text[i]) != NULL)
		i++;
	if (i < gap->size && gap->text[i] == ' ')
	{
		i++;
		while (i + marks < gap->size && is_mark(gap->text[i + marks]))
			marks++;
		if (marks > 0 && marks <= 2 && ((i + marks < gap->size && gap->text[i + marks] == ' ') || gap->text[i] == '|'))
			i += Min(marks + 1, gap->size - i);
	}
	else if (i > 0 && i < gap->size && gap->text[i] == '-' && i + 1 < gap->size && gap->text[i + 1] == ' ')
		i += 2;
	end.size = (uint8) i;
	return end;
}

/* The commonest end of a header whose last field is this, if most of the lines here have it. */
bool
header_find_end(const L4SampleLine *lines, int count, int field, L4FieldGap *end)
{
	L4FieldGap *ends = palloc(mul_size(Max(count, 1), sizeof(L4FieldGap)));
	int			best = 0;
	int			here = 0;
	int			i;
	int			j;

	for (i = 0; i < count; i++)
		if (lines[i].here)
			ends[here++] = end_of_gap(gap_behind(&lines[i], field));
	for (i = 0; i < here; i++)
	{
		int			same = 0;

		for (j = i; j < here; j++)
			same += same_gap(&ends[i], &ends[j]);
		if (same > best)
		{
			best = same;
			*end = ends[i];
		}
	}
	pfree(ends);
	return best * 10 >= here * RULE && end->size > 0;
}

/* Is a field in brackets, or is a sign behind it that ends a name? */
bool
header_is_delimited(const L4SampleLine *lines, int count, int field)
{
	L4FieldGap	end;
	int			i;

	if (!header_find_end(lines, count, field, &end))
		return false;
	for (i = 0; i < end.size; i++)
		if (end.text[i] != ' ' && end.text[i] != '=' && end.text[i] != '"' && end.text[i] != '\'' && end.text[i] != ',')
			return true;
	return false;
}

/* Stands a field before a colon and a blank? What all lines have so is a name, be it another one in each of a few lines. */
static bool
is_before_colon(const L4SampleLine *line, int field)
{
	const L4FieldGap *gap = gap_behind(line, field);

	return gap->size > 1 && gap->text[0] == ':' && gap->text[1] == ' ';
}

/* Is a value the word of a level? What stands so beside other words is of a header that some lines have, and others not. */
static bool
is_level_word(const L4SampleLine *line, int field)
{
	return level_from_text(line->fields[field].text) != L4_LEVEL_NONE;
}

/* Is a field whose values the lines here have one of a header by itself, not only where another one follows it? */
static bool
is_of_header(const L4SampleLine *lines, int count, char kind, int field)
{
	switch (kind)
	{
		case L4_FIELD_TIME:
		case L4_FIELD_CLOCK:
		case L4_FIELD_EPOCH:
		case L4_FIELD_LEVEL:
			return true;
		case L4_FIELD_RANK:
			return false;		/* where the message begins with it, readers want to see it */
		case L4_FIELD_NUMBER:
			return header_is_delimited(lines, count, field) && has_few_values(lines, count, field, true);
		case L4_FIELD_BOX:
			return has_few_values(lines, count, field, false) && !header_of_ten(lines, count, field, EXCEPTION, is_progress) &&
				(has_few_values(lines, count, field, true) || header_of_ten(lines, count, field, RULE, is_telling) ||
				 header_of_ten(lines, count, field, RULE, has_blank));
		default:
			if ((!has_few_values(lines, count, field, false) && !header_of_ten(lines, count, field, ALL, is_before_colon)) ||
				header_of_ten(lines, count, field, EXCEPTION, is_progress) ||
				header_of_ten(lines, count, field, EXCEPTION, is_level_word) ||
				header_of_ten(lines, count, field, EXCEPTION, has_number_behind))
				return false;
			if (!header_is_delimited(lines, count, field))
				return header_goes_on_variously(lines, count, field) && header_goes_on_variously(lines, count, field + 1) &&
					(header_of_ten(lines, count, field, MOST, is_telling) || header_is_one_name(lines, count, field));
			return header_of_ten(lines, count, field, RULE, is_telling) || header_goes_on_variously(lines, count, field);
	}
}

/* Is a line here one that has a field as the form has it? */
static bool
has_field(const L4SampleLine *line, const L4HeaderForm *form, int field)
{
	return line->here && field < line->count && header_field_goes(form->fields[field].kind, &line->fields[field]) &&
		same_gap(&form->fields[field].gap, &line->fields[field].gap);
}

static int
count_with_field(const L4SampleLine *lines, int count, const L4HeaderForm *form, int field)
{
	int			with = 0;
	int			i;

	for (i = 0; i < count; i++)
		with += has_field(&lines[i], form, field);
	return with;
}

/* Finds the commonest kind of the next field, if most lines here have it, which then are those that do. */
bool
header_find_next_field(L4SampleLine *lines, int count, L4HeaderForm *form)
{
	int			field = form->count;
	int			here = 0;
	int			best = 0;
	int			i;
	L4HeaderForm chosen;

	for (i = 0; i < count; i++)
	{
		int			with;

		if (!lines[i].here)
			continue;
		here++;
		if (field >= lines[i].count)
			continue;
		form->fields[field].kind = (char) lines[i].fields[field].kind;
		form->fields[field].gap = lines[i].fields[field].gap;
		/* a line in which it is as in the best one so far says nothing new */
		if (best > 0 && chosen.fields[field].kind == form->fields[field].kind &&
			same_gap(&chosen.fields[field].gap, &form->fields[field].gap))
			continue;
		with = count_with_field(lines, count, form, field);
		if (with > best)
		{
			best = with;
			chosen = *form;
		}
	}
	if (best == 0 || best * 10 < here * MOST)
		return false;
	*form = chosen;
	for (i = 0; i < count; i++)
		lines[i].here = has_field(&lines[i], form, field);
	form->count++;
	return true;
}

/* May a field that is none of a header by itself be one where another one follows it? The number behind may be a process's. */
static bool
may_be_passed(const L4SampleLine *lines, int count, char kind, int field)
{
	if (header_of_ten(lines, count, field, EXCEPTION, is_progress))
		return false;
	return kind != L4_FIELD_WORD || header_is_delimited(lines, count, field) ||
		!header_of_ten(lines, count, field, EXCEPTION, has_number_behind) || has_few_values(lines, count, field + 1, true);
}

/* Which lines are looked at; and to look at these again. */
bool *
header_lines_here(const L4SampleLine *lines, int count)
{
	bool	   *here = palloc(mul_size(count, sizeof(bool)));
	int			i;

	for (i = 0; i < count; i++)
		here[i] = lines[i].here;
	return here;
}

void
header_look_at_lines(L4SampleLine *lines, int count, bool *here)
{
	int			i;

	for (i = 0; i < count; i++)
		lines[i].here = here[i];
	pfree(here);
}

/*
 * Adds the fields behind the anchor; a field is kept where it, or one that soon follows it, is of the header by itself. A level
 * in small letters that some words stand before is one of a sentence.
 */
static void
add_fields(L4SampleLine *lines, int count, L4HeaderForm *form)
{
	bool	   *before = header_lines_here(lines, count);
	int			kept = form->count;

	while (form->count < Min(L4_FIELD_LIMIT, kept + PASSED_FIELDS + 1) && header_find_next_field(lines, count, form))
	{
		int			field = form->count - 1;
		char		kind = form->fields[field].kind;

		if (kind == L4_FIELD_LEVEL && field > kept && is_blank_gap(&form->fields[field].gap) &&
			header_of_ten(lines, count, field, RULE, is_small) && !header_is_delimited(lines, count, field))
			break;
		if (is_of_header(lines, count, kind, field))
		{
			kept = form->count;
			pfree(before);
			before = header_lines_here(lines, count);
		}
		else if (!may_be_passed(lines, count, kind, field))
			break;
	}
	form->count = kept;
	header_look_at_lines(lines, count, before);
}

/*
 * Are the fields before the anchor those of a header: do names have few values, and none tells of progress? Many words with
 * nothing but blanks between are a sentence.
 */
static bool
is_plain_beginning(const L4SampleLine *lines, int count, const L4HeaderForm *form, int anchor)
{
	int			words = 0;
	int			i;

	for (i = 0; i < anchor; i++)
	{
		char		kind = form->fields[i].kind;

		if ((kind == L4_FIELD_WORD || kind == L4_FIELD_BOX) &&
			(!has_few_values(lines, count, i, false) || header_of_ten(lines, count, i, EXCEPTION, is_progress)))
			return false;
		words += kind == L4_FIELD_WORD && is_blank_gap(&form->fields[i + 1].gap);
	}
	return words <= WORDS_BEFORE;
}

/* The time of a field, to be compared with those of other lines. */
static bool
read_time(const L4Field *field, pg_tz *zone, TimestampTz reference, int64 *time)
{
	switch (field->kind)
	{
		case L4_FIELD_CLOCK:
			return timestamp_parse_clock(field->text, time);
		case L4_FIELD_EPOCH:
			return timestamp_parse_epoch(field->text, time);
		default:
			return timestamp_parse(field->text, zone, reference, time);
	}
}

/* Are the times of the lines here times, and do they go on, as a rule? */
static bool
time_goes_on(const L4SampleLine *lines, int count, int field, pg_tz *zone, TimestampTz reference)
{
	int64		last = 0;
	int			here = 0;
	int			known = 0;
	int			on = 0;
	int			i;

	for (i = 0; i < count; i++)
	{
		int64		time;

		if (!lines[i].here)
			continue;
		here++;
		if (!read_time(&lines[i].fields[field], zone, reference, &time))
			continue;
		on += known == 0 || time >= last;
		last = time;
		known++;
	}
	return known * 10 >= here * MOST && on * 10 >= known * RULE;
}

/* The field that says as who the lines are logged: the last name in it that is no host, a number or a time. */
static int
find_name(const L4SampleLine *line, const L4HeaderForm *form)
{
	int			name = -1;
	int			i;

	for (i = 0; i < form->count; i++)
		if ((form->fields[i].kind == L4_FIELD_WORD || form->fields[i].kind == L4_FIELD_BOX) && i != form->host &&
			!is_digit(line->fields[i].text.data[0]))
			name = i;
	return name;
}

static int
find_kind(const L4HeaderForm *form, char kind)
{
	int			i;

	for (i = 0; i < form->count; i++)
		if (form->fields[i].kind == kind)
			return i;
	return -1;
}

/* Does a field name nodes of the job, in most lines here? several: other ones. */
static bool
names_nodes(const L4SampleLine *lines, int count, int field, L4IsNode is_node, const void *argument, bool *several)
{
	const L4Bytes *first = NULL;
	int			here = 0;
	int			nodes = 0;
	int			i;

	*several = false;
	for (i = 0; i < count; i++)
	{
		const L4Bytes *name = &lines[i].fields[field].text;

		if (!lines[i].here)
			continue;
		here++;
		nodes += is_node(argument, *name);
		first = first != NULL ? first : name;
		*several = *several || !bytes_equal(*name, *first);
	}
	return nodes * 10 >= here * MOST;
}

/* Is a value a name with a number, as one of several processes has it: "trainer3", "loader:3"? */
static bool
is_numbered_name(const L4SampleLine *line, int field)
{
	L4Bytes		text = line->fields[field].text;
	size_t		size = 0;

	while (size < text.size && !is_digit(text.data[size]) && text.data[size] != '.' && text.data[size] != ' ')
		size++;
	if (size == 0 || size == text.size || text.size - size > NUMBER_DIGITS)
		return false;
	while (size < text.size && is_digit(text.data[size]))
		size++;
	return size == text.size;
}

/* Is a field in brackets that stand at a word without a blank: "trainer[7]"? Then the word is of the name. */
static bool
is_joined(const L4HeaderForm *form, int field)
{
	const L4FieldGap *gap = &form->fields[field].gap;

	return form->fields[field].kind == L4_FIELD_BOX && gap->size == 1 && gap->text[0] != ' ' &&
		form->fields[field - 1].kind == L4_FIELD_WORD;
}

/*
 * Finds the field in which several nodes of the job are named, and how many fields are taken off: those before the first one
 * behind the anchor that is a name with a number, but for a node's.
 */
static void
find_names(const L4SampleLine *lines, int count, int anchor, L4IsNode is_node, const void *argument, L4HeaderForm *form)
{
	int			i;

	form->host = -1;
	form->cut = form->count;
	for (i = 0; i < form->count; i++)
	{
		bool		several;

		if (form->fields[i].kind != L4_FIELD_WORD && form->fields[i].kind != L4_FIELD_BOX)
			continue;
		if (names_nodes(lines, count, i, is_node, argument, &several))
			form->host = several && form->host < 0 ? i : form->host;
		else if (i > anchor && i < form->cut && header_of_ten(lines, count, i, RULE, is_numbered_name))
			form->cut = is_joined(form, i) && i - 1 > anchor ? i - 1 : i;
	}
}

/* Says what each field of the form is. */
static void
name_fields(const L4SampleLine *lines, int count, int anchor, bool times, L4IsNode is_node, const void *argument,
			L4HeaderForm *form)
{
	const L4SampleLine *line = lines;

	while (!line->here)
		line++;
	form->time = times ? anchor : -1;
	form->level = find_kind(form, L4_FIELD_LEVEL);
	form->rank = find_kind(form, L4_FIELD_RANK);
	find_names(lines, count, anchor, is_node, argument, form);
	form->name = find_name(line, form);
}

bool
header_learn(L4SampleLine *lines, int count, pg_tz *zone, TimestampTz reference, L4IsNode is_node, const void *argument,
			 L4HeaderForm *form)
{
	const L4SampleLine *like = NULL;
	bool		times = true;
	int			open = 0;
	int			anchor = 0;
	int			alike;
	int			i;

	for (i = 0; i < count; i++)
		open += lines[i].open;
	alike = find_beginning(lines, count, true, &anchor, &like);
	if (alike < FORM_LINES || alike * OPEN_LINES_PER_FORM < open)
	{
		times = false;
		alike = find_beginning(lines, count, false, &anchor, &like);
		if (alike < FORM_LINES || alike * 2 < open)
			return false;
	}
	form->count = anchor + 1;
	for (i = 0; i <= anchor; i++)
	{
		form->fields[i].kind = (char) like->fields[i].kind;
		form->fields[i].gap = like->fields[i].gap;
	}
	if (!is_plain_beginning(lines, count, form, anchor) || (times && !time_goes_on(lines, count, anchor, zone, reference)))
		return false;
	add_fields(lines, count, form);
	name_fields(lines, count, anchor, times, is_node, argument, form);
	return header_find_end(lines, count, form->cut - 1, &form->end);
}
