/*
 * header_fields.c: the fields of a header, taken off a line.
 *
 * A line is read from its beginning: a gap of blanks, brackets and signs, then a field, and so on, until something comes that
 * no header has. What a field is its own text says: a time in any form that timestamp.c reads, a level by its few words, a rank
 * by that word, a number, a text in brackets, or a word. Which of them are the header, and where the message begins, one line
 * cannot tell: header_learn.c asks many.
 */
#include "algorithms/header_fields.h"

#include "algorithms/level.h"
#include "algorithms/timestamp.h"
#include "tools/bytes.h"

/* A text in brackets, a word and a rank's number have at most so many bytes; so many may stand between two fields. */
#define BOX_BYTES 80
#define WORD_BYTES 100
#define RANK_DIGITS 6
#define GAP_BYTES 100
/* A level of a row in which most are known: "LOG", "NOTE". */
#define LEVEL_BYTES 10

static inline bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool
is_opening(char c)
{
	return c == '[' || c == '(' || c == '{' || c == '<';
}

static inline bool
is_closing(char c)
{
	return c == ']' || c == ')' || c == '}' || c == '>';
}

/* May it stand between fields? */
static inline bool
is_gap(char c)
{
	return c != '\0' && strchr(" \t[](){}<>|,;:=#*\"'-+~!/@\033", c) != NULL;
}

/* Where the sequence ends that sets a terminal's colour, which begins here. */
static const char *
skip_colour(const char *at, const char *end)
{
	at++;
	if (at < end && *at == '[')
		for (at++; at < end && (is_digit(*at) || *at == ';'); at++)
			;
	return at < end && *at == 'm' ? at + 1 : at;
}

/* Is a blank between these two bytes of a gap (0: a field, or the line's beginning) there for the columns alone? */
static inline bool
is_padding(char before, char behind)
{
	return is_opening(before) || before == '|' || is_closing(behind) || behind == '|' || behind == ':';
}

bool
header_gap_next(const char *start, const char **at, const char *end, L4FieldGap *gap)
{
	const char *p = *at;
	const char *limit = p + Min(end - p, GAP_BYTES);
	bool		blank = false;

	gap->size = 0;
	while (p < limit && is_gap(*p))
	{
		char		last = gap->size > 0 ? gap->text[gap->size - 1] : '\0';

		if (*p == '\033')
		{
			p = skip_colour(p, limit);
			continue;
		}
		if (!is_blank(*p))
		{
			if (gap->size + 2 > L4_FIELD_GAP)
				return false;
			if (blank && !is_padding(last, *p) && (gap->size > 0 || *at > start))
				gap->text[gap->size++] = ' ';
			gap->text[gap->size++] = *p;
		}
		blank = is_blank(*p++);
	}
	if (blank && (gap->size > 0 || *at > start) && !is_padding(gap->size > 0 ? gap->text[gap->size - 1] : '\0', '\0'))
	{
		if (gap->size == L4_FIELD_GAP)
			return false;
		gap->text[gap->size++] = ' ';
	}
	*at = p;
	return true;
}

/* The time that begins here; its kind, or 0 where none does. */
static size_t
time_size(const char *at, const char *end, L4FieldKind *kind)
{
	L4TimeKind	time;
	size_t		size;

	if (!is_alphanumeric(*at))
		return 0;
	size = timestamp_scan((L4Bytes) {at, end - at}, &time);
	*kind = time == L4_TIME_WHOLE ? L4_FIELD_TIME : time == L4_TIME_CLOCK ? L4_FIELD_CLOCK : L4_FIELD_EPOCH;
	return size;
}

/* The rank that "rank 3", "RANK=3" or "rank3" tells here, as its digits; nothing where none stands here. */
static L4Bytes
rank_digits(const char *at, const char *end)
{
	const L4Bytes nothing = {NULL, 0};
	L4Bytes		digits;

	if (end - at < 5 || (*at != 'r' && *at != 'R') || pg_strncasecmp(at, "rank", 4) != 0)
		return nothing;
	for (at += 4; at < end && strchr(" :=#_-", *at) != NULL && *at != '\0'; at++)
		;
	digits.data = at;
	while (at < end && is_digit(*at) && at - digits.data <= RANK_DIGITS)
		at++;
	digits.size = at - digits.data;
	if (digits.size == 0 || digits.size > RANK_DIGITS || (at < end && is_alphanumeric(*at)))
		return nothing;
	return digits;
}

/* Does a word that goes for a level say what came of something? Readers want to see it. */
static bool
is_outcome(L4Bytes word)
{
	static const char *const outcomes[] = {"fail", "failure", "exception", "abort", "version"};
	int			i;

	for (i = 0; i < (int) lengthof(outcomes); i++)
		if (word.size == strlen(outcomes[i]) && pg_strncasecmp(word.data, outcomes[i], word.size) == 0)
			return true;
	return false;
}

/* The size of the level that a word is or begins with ("WARNING/MainProcess", "INFO:root"); 0 where it does not. */
static size_t
level_size(L4Bytes word)
{
	size_t		size = 0;
	bool		upper = true;

	while (size < word.size && is_letter(word.data[size]))
	{
		upper = upper && word.data[size] <= 'Z';
		size++;
	}
	if (size == 0 || (size < word.size && (!upper || (word.data[size] != '/' && word.data[size] != ':'))) ||
		(size == 1 && !upper))
		return 0;
	word.size = size;
	return level_from_text(word) != L4_LEVEL_NONE && !is_outcome(word) ? size : 0;
}

/* The word that begins here, without the signs that it may end in. */
static L4Bytes
scan_word(const char *at, const char *end)
{
	const char *limit = at + Min(end - at, WORD_BYTES);
	const char *p = at;

	while (p < limit && (is_alphanumeric(*p) || (unsigned char) *p >= 0x80 || strchr("_./$@&-+:", *p) != NULL) && *p != '\0')
		p++;
	while (p > at && strchr("./&-+:", p[-1]) != NULL)
		p--;
	return (L4Bytes) {at, p - at};
}

/* What a text in brackets is, as far as that is decided by what it begins with; or that of a time within. */
static bool
is_box(L4Bytes text)
{
	const char *end = text.data + text.size;
	L4Bytes		word = scan_word(text.data, end);
	L4FieldKind kind;
	size_t		i;

	if (rank_digits(text.data, end).size > 0 || level_size(word) > 0)
		return false;
	for (i = 0; i < text.size && is_digit(text.data[i]); i++)
		;
	if (i == text.size)
		return false;
	for (i = 0; i < text.size; i++)
		if ((i == 0 || !is_alphanumeric(text.data[i - 1])) && time_size(text.data + i, end, &kind) > 0)
			return false;
	return true;
}

/* Takes the text in brackets that begins here, behind its bracket, if it is one that is no other field. */
static bool
take_box(const char **at, const char *end, L4Field *field)
{
	char		opening = (*at)[-1];
	char		closing = opening == '(' ? ')' : (char) (opening + 2);	/* as ASCII has them */
	const char *close = memchr(*at, closing, Min(end - *at, BOX_BYTES));

	if (close == NULL || close == *at || !is_box((L4Bytes) {*at, close - *at}))
		return false;
	field->kind = L4_FIELD_BOX;
	field->text = (L4Bytes) {*at, close - *at};
	*at = close;
	return true;
}

/* Takes a level, a number or a word. */
static bool
take_word(const char **at, const char *end, L4Field *field)
{
	L4Bytes		word = scan_word(*at, end);
	size_t		level = level_size(word);
	L4FieldKind kind;

	if (word.size == 0)
		return false;
	field->kind = L4_FIELD_WORD;
	field->text = word;
	if (level > 0)
	{
		field->kind = L4_FIELD_LEVEL;
		field->text.size = level;
	}
	else if (is_letter(word.data[0]) && word.size > 4 && is_digit(word.data[1]) &&
			 level_from_text((L4Bytes) {word.data, 1}) != L4_LEVEL_NONE && word.data[0] <= 'Z' &&
			 time_size(word.data + 1, end, &kind) > 0)
	{
		/* "W1120 10:00:00" */
		field->kind = L4_FIELD_LEVEL;
		field->text.size = 1;
	}
	else
	{
		size_t		digits = 0;

		while (digits < word.size && is_digit(word.data[digits]))
			digits++;
		if (digits == word.size)
			field->kind = L4_FIELD_NUMBER;
	}
	*at = field->text.data + field->text.size;
	return true;
}

bool
header_field_next(const char *start, const char **at, const char *end, L4Field *field)
{
	const char *before = *at;
	const char *p = *at;
	size_t		size;

	if (!header_gap_next(start, &p, end, &field->gap) || p == end)
		return false;
	/* only a time stands right behind something: "W1120" */
	if (field->gap.size == 0 && p > start && !is_digit(*p) && is_alphanumeric(p[-1]))
		return false;
	field->text = rank_digits(p, end);
	if (field->text.size > 0)
	{
		field->kind = L4_FIELD_RANK;
		*at = field->text.data + field->text.size;
		return true;
	}
	size = time_size(p, end, &field->kind);
	if (size > 0)
	{
		field->text = (L4Bytes) {p, size};
		*at = p + size;
		return true;
	}
	*at = p;
	if (field->gap.size > 0 && is_opening(p[-1]) && take_box(at, end, field))
		return true;
	if (take_word(at, end, field))
		return true;
	*at = before;
	return false;
}

/* Does a word in capitals stand where the level does? Programs have levels of their own. */
static bool
like_level(L4Bytes text)
{
	size_t		i;

	for (i = 0; i < text.size; i++)
		if (text.data[i] < 'A' || text.data[i] > 'Z')
			return false;
	return text.size <= LEVEL_BYTES;
}

bool
header_field_goes(char wanted, const L4Field *field)
{
	switch (wanted)
	{
		case L4_FIELD_LEVEL:
			return field->kind == L4_FIELD_LEVEL || (field->kind == L4_FIELD_WORD && like_level(field->text));
		case L4_FIELD_WORD:
			return field->kind == L4_FIELD_WORD || field->kind == L4_FIELD_NUMBER || field->kind == L4_FIELD_LEVEL;
		case L4_FIELD_NUMBER:
			return field->kind == L4_FIELD_NUMBER || field->kind == L4_FIELD_EPOCH;
		case L4_FIELD_BOX:
			return field->kind == L4_FIELD_BOX || field->kind == L4_FIELD_NUMBER || field->kind == L4_FIELD_LEVEL;
		default:
			return field->kind == wanted;
	}
}

/* Takes what parts header and message: the learnt signs, with the blanks that a gap leaves out. False where others stand. */
static bool
take_end(const L4FieldGap *gap, const char **at, const char *end)
{
	const char *p = *at;
	int			i;

	for (i = 0; i < gap->size && p < end; i++)
	{
		if (gap->text[i] == ' ' && !is_blank(*p))
			return false;
		while (p < end && is_blank(*p))
			p++;
		while (p < end && *p == '\033')
			p = skip_colour(p, end);
		if (gap->text[i] == ' ')
			continue;
		if (p == end)
			break;
		if (*p != gap->text[i])
			return false;
		p++;
	}
	if (gap->size > 0 && gap->text[gap->size - 1] == '|')
		while (p < end && is_blank(*p))
			p++;
	*at = p;
	return true;
}

size_t
header_form_match(const L4HeaderForm *form, L4Bytes text, L4Field *fields)
{
	const char *at = text.data;
	const char *end = text.data + text.size;
	const char *cut = NULL;
	int			i;

	for (i = 0; i < form->count; i++)
	{
		if (i == form->cut)
			cut = at;
		if (!header_field_next(text.data, &at, end, &fields[i]) || !header_field_goes(form->fields[i].kind, &fields[i]) ||
			!same_gap(&form->fields[i].gap, &fields[i].gap))
			return 0;
	}
	if (cut != NULL)
		at = cut;
	return take_end(&form->end, &at, end) ? at - text.data : 0;
}

size_t
header_without_digits(L4Bytes text, char *out, size_t room)
{
	size_t		size = 0;
	size_t		i;

	for (i = 0; i < text.size && size < room; i++)
		if (!is_digit(text.data[i]))
			out[size++] = text.data[i];
	return size;
}

L4Bytes
header_first_number(L4Bytes text)
{
	size_t		i = 0;

	while (text.size > 0 && !is_digit(*text.data))
	{
		text.data++;
		text.size--;
	}
	while (i < text.size && is_digit(text.data[i]))
		i++;
	text.size = i;
	return text;
}

bool
header_label_parts(L4Bytes text, L4IsNode is_node, const void *argument, L4Bytes *node, L4Bytes *beside)
{
	size_t		i;

	*node = text;
	*beside = (L4Bytes) {text.data + text.size, 0};
	if (is_node(argument, text))
		return true;
	/* from the end: names have signs in them, too */
	for (i = text.size; i-- > 1;)
	{
		L4Bytes		before = {text.data, i};
		L4Bytes		behind = {text.data + i + 1, text.size - i - 1};
		bool		first;

		if (is_alphanumeric(text.data[i]) || behind.size == 0)
			continue;
		first = is_node(argument, before);
		if (!first && !is_node(argument, behind))
			continue;
		*node = first ? before : behind;
		*beside = first ? behind : before;
		return true;
	}
	return false;
}

/* Are the fields of a line those of the label, but for digits and names of nodes? */
static bool
label_goes(const L4LabelForm *label, const L4Field *fields)
{
	int			i;

	for (i = 0; i < label->form.count; i++)
	{
		char		plain[L4_FIELD_GAP];
		size_t		size;

		if (i == label->form.host)
			continue;
		size = header_without_digits(fields[i].text, plain, sizeof(plain));
		if (size != label->sizes[i] || memcmp(plain, label->texts[i], size) != 0)
			return false;
	}
	return true;
}

size_t
header_label_match(const L4LabelForm *label, L4Bytes text, L4IsNode is_node, const void *argument, L4Bytes *node,
				   L4Bytes *number)
{
	L4Field		fields[L4_FIELD_LIMIT];
	size_t		size = header_form_match(&label->form, text, fields);
	L4Bytes		beside = {NULL, 0};

	*node = *number = beside;
	if (size == 0 || !label_goes(label, fields) ||
		(label->form.host >= 0 && !header_label_parts(fields[label->form.host].text, is_node, argument, node, &beside)))
		return 0;
	if (label->form.rank >= 0)
		*number = header_first_number(label->form.rank == label->form.host ? beside : fields[label->form.rank].text);
	/* one blank is the label's: by others a line of what the program wrote is set in */
	while (size > 0 && is_blank(text.data[size - 1]))
		size--;
	if (size < text.size && is_blank(text.data[size]))
		size++;
	return node->size > 0 || number->size > 0 ? size : 0;
}

static void
gap_save(const L4FieldGap *gap, StringInfo out)
{
	column_put_bytes(out, (L4Bytes) {gap->text, gap->size});
}

static void
gap_restore(L4FieldGap *gap, L4ColumnReader *in)
{
	L4Bytes		text = column_get_bytes(in);

	if (text.size > L4_FIELD_GAP)
		column_corrupted("a header has a gap that is too long");
	gap->size = (uint8) text.size;
	memcpy(gap->text, text.data, text.size);
}

void
header_form_save(const L4HeaderForm *form, StringInfo out)
{
	int			i;

	column_put_unsigned(out, form->count);
	for (i = 0; i < form->count; i++)
	{
		column_put_unsigned(out, (unsigned char) form->fields[i].kind);
		gap_save(&form->fields[i].gap, out);
	}
	gap_save(&form->end, out);
	column_put_unsigned(out, form->cut);
	column_put_signed(out, form->time);
	column_put_signed(out, form->level);
	column_put_signed(out, form->name);
	column_put_signed(out, form->rank);
	column_put_signed(out, form->host);
}

/* The number of one of the form's fields, or -1. */
static int
field_restore(const L4HeaderForm *form, L4ColumnReader *in)
{
	int64		field = column_get_signed(in);

	if (field < -1 || field >= form->count)
		column_corrupted("a header names a field that it does not have");
	return (int) field;
}

void
header_form_restore(L4HeaderForm *form, L4ColumnReader *in)
{
	int			i;

	form->count = column_get_number_to(in, L4_FIELD_LIMIT, "a header has too many fields");
	if (form->count == 0)
		column_corrupted("a header has no fields");
	for (i = 0; i < form->count; i++)
	{
		form->fields[i].kind = (char) column_get_number_to(in, 127, "a header has a field of no known kind");
		gap_restore(&form->fields[i].gap, in);
	}
	gap_restore(&form->end, in);
	form->cut = column_get_number_to(in, form->count, "a header takes off more fields than it has");
	form->time = field_restore(form, in);
	form->level = field_restore(form, in);
	form->name = field_restore(form, in);
	form->rank = field_restore(form, in);
	form->host = field_restore(form, in);
}

void
header_label_save(const L4LabelForm *label, StringInfo out)
{
	int			i;

	header_form_save(&label->form, out);
	column_put_unsigned(out, label->local);
	for (i = 0; i < (int) lengthof(label->sizes); i++)
		column_put_bytes(out, (L4Bytes) {label->texts[i], label->sizes[i]});
}

void
header_label_restore(L4LabelForm *label, L4ColumnReader *in)
{
	int			i;

	header_form_restore(&label->form, in);
	if (label->form.count > (int) lengthof(label->sizes))
		column_corrupted("a label has too many fields");
	label->local = column_get_unsigned(in) != 0;
	for (i = 0; i < (int) lengthof(label->sizes); i++)
	{
		L4Bytes		text = column_get_bytes(in);

		if (text.size > sizeof(label->texts[i]))
			column_corrupted("a label has a text that is too long");
		label->sizes[i] = (uint8) text.size;
		memcpy(label->texts[i], text.data, text.size);
	}
}
