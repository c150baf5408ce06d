/*
 * line_template.c: takes lines apart into pieces, and what line_template_learn.c learnt of a file off its lines.
 *
 * A piece is a word, a number, a time, the name of a node, a sign, some blanks. What sets a terminal's colours is none: it may
 * stand anywhere between them.
 */
#include "algorithms/line_template.h"

#include "algorithms/timestamp.h"
#include "tools/bytes.h"

/* Names of hosts and what sets colours have so many bytes at most. */
#define NAME_BYTES 255
#define COLOUR_BYTES 32
/* Of an element that closes a line, "</stdout>", so many bytes; a line's end before it as an entity. */
#define ELEMENT_BYTES 24

static inline bool
is_blank(char c)
{
	return c == ' ';
}

/* Of a word: beyond ASCII, too, but for what draws boxes. */
static inline bool
is_word(const char *at, const char *end)
{
	unsigned char c = (unsigned char) *at;

	return is_alphanumeric(*at) || (c >= 0x80 && !(c == 0xe2 && end - at >= 3 && ((unsigned char) at[1] & 0xfc) == 0x94));
}

static inline bool
is_name_byte(char c)
{
	return is_alphanumeric(c) || c == '-' || c == '.' || c == '_';
}

/* Behind the sequences that set a terminal's colours and begin here. */
static const char *
behind_colours(const char *at, const char *end)
{
	while (end - at >= 3 && at[0] == '\033' && at[1] == '[')
	{
		const char *stop = at + 2;
		const char *limit = at + Min(end - at, COLOUR_BYTES);

		while (stop < limit && (is_digit(*stop) || *stop == ';'))
			stop++;
		if (stop == limit || *stop != 'm')
			break;
		at = stop + 1;
	}
	return at;
}

/* The name of a node that begins here; of no bytes where none does. Names have signs in them, and others stand behind. */
static L4Bytes
node_at(const char *at, const char *end, L4IsNode is_node, const void *argument)
{
	const char *limit = at + Min(end - at, NAME_BYTES);
	const char *stop = at;

	while (stop < limit && is_name_byte(*stop))
		stop++;
	while (stop > at)
	{
		if (is_alphanumeric(stop[-1]) && is_node(argument, (L4Bytes) {at, (size_t) (stop - at)}))
			return (L4Bytes) {at, (size_t) (stop - at)};
		while (stop > at && is_alphanumeric(stop[-1]))
			stop--;
		while (stop > at && !is_alphanumeric(stop[-1]))
			stop--;
	}
	return (L4Bytes) {at, 0};
}

/* Takes a word: letters, digits, of letters with digits behind them the letters, or a mixture. */
static L4Piece
take_word(const char *at, const char *end)
{
	const char *stop = at;
	const char *digits = NULL;
	bool		mixed = false;

	for (; stop < end && is_word(stop, end); stop++)
	{
		if (is_digit(*stop))
			digits = digits != NULL ? digits : stop;
		else
			mixed = mixed || digits != NULL;
	}
	if (mixed)
		return (L4Piece) {L4_PIECE_MIXED, {at, (size_t) (stop - at)}};
	if (digits == at)
		return (L4Piece) {L4_PIECE_NUMBER, {at, (size_t) (stop - at)}};
	return (L4Piece) {L4_PIECE_LETTERS, {at, (size_t) ((digits != NULL ? digits : stop) - at)}};
}

/* Takes a time, if one begins here. */
static bool
take_time(const char *at, const char *end, L4Piece *piece)
{
	L4TimeKind	kind;
	size_t		size = is_alphanumeric(*at) ? timestamp_scan((L4Bytes) {at, (size_t) (end - at)}, &kind) : 0;

	if (size == 0)
		return false;
	*piece = (L4Piece) {kind == L4_TIME_CLOCK ? L4_PIECE_CLOCK : L4_PIECE_TIME, {at, size}};
	return true;
}

bool
line_piece_next(const char **at, const char *end, L4IsNode is_node, const void *argument, L4Piece *piece)
{
	const char *p = behind_colours(*at, end);

	if (p == end)
		return false;
	if (is_blank(*p))
	{
		const char *stop = p;

		while (stop < end && is_blank(*stop))
			stop++;
		*piece = (L4Piece) {L4_PIECE_BLANK, {p, (size_t) (stop - p)}};
	}
	else if (!is_word(p, end))
		*piece = (L4Piece) {L4_PIECE_SIGN, {p, (unsigned char) *p == 0xe2 ? 3 : 1}};
	else if (!take_time(p, end, piece))
	{
		L4Bytes		node = node_at(p, end, is_node, argument);

		*piece = node.size > 0 ? (L4Piece) {L4_PIECE_NODE, node} : take_word(p, end);
	}
	*at = piece->text.data + piece->text.size;
	return true;
}

/* Is this piece where the template has a field of a kind? Then how many bytes it has, else 0; an empty cell has none. */
static size_t
field_size(const L4TemplatePiece *piece, const char *at, const char *end, L4IsNode is_node, const void *argument)
{
	L4Piece		found;

	switch (piece->kind)
	{
		case L4_PIECE_NODE:
			return node_at(at, end, is_node, argument).size;
		case L4_PIECE_TIME:
		case L4_PIECE_CLOCK:
			return take_time(at, end, &found) && found.kind == (L4PieceKind) piece->kind ? found.text.size : 0;
		default:
			if (!is_word(at, end))
				return 0;
			found = take_word(at, end);
			return found.kind == (L4PieceKind) piece->kind ? found.text.size : 0;
	}
}

/* Takes a piece that is not a literal; false where the line has another one there. */
static bool
take_field(const L4LineTemplate *template, int i, const char **at, const char *end, L4IsNode is_node, const void *argument)
{
	const L4TemplatePiece *piece = &template->pieces[i];
	size_t		size;

	if (piece->kind == L4_PIECE_BLANK)
	{
		/* of blanks before what was written one is the label's: by others that is set in */
		const char *stop = *at;

		while (stop < end && is_blank(*stop) && (i + 1 < template->count || stop == *at))
			stop++;
		if (stop == *at && !(i + 1 == template->count && stop == end))
			return false;
		*at = stop;
		return true;
	}
	if (piece->kind == L4_PIECE_CELL)
	{
		const char *stop = memchr(*at, piece[1].text[0], end - *at);

		if (stop == NULL)
			return false;
		*at = stop;
		return true;
	}
	size = *at < end ? field_size(piece, *at, end, is_node, argument) : 0;
	*at += size;
	return size > 0;
}

static void
take_value(const L4LineTemplate *template, int i, L4Bytes text, L4TemplateValues *values)
{
	if (i == template->host)
		values->host = text;
	if (i == template->number)
		values->number = text;
	if (i == template->local)
		values->local = text;
	if (i == template->level)
		values->level = text;
	if (i == template->time)
	{
		values->time = text;
		values->is_clock = template->pieces[i].kind == L4_PIECE_CLOCK;
	}
}

size_t
line_template_match(const L4LineTemplate *template, L4Bytes text, L4IsNode is_node, const void *argument,
					L4TemplateValues *values)
{
	const char *at = text.data;
	const char *end = text.data + text.size;
	int			i;

	memset(values, 0, sizeof(L4TemplateValues));
	at = behind_colours(at, end);
	/* numbers before lines are padded */
	while (at < end && is_blank(*at))
		at++;
	for (i = 0; i < template->count; i++)
	{
		const L4TemplatePiece *piece = &template->pieces[i];
		const char *from = at = behind_colours(at, end);

		if (piece->literal)
		{
			if ((size_t) (end - at) < piece->size || memcmp(at, piece->text, piece->size) != 0)
				return 0;
			at += piece->size;
		}
		else if (!take_field(template, i, &at, end, is_node, argument))
			return 0;
		take_value(template, i, (L4Bytes) {from, (size_t) (at - from)}, values);
	}
	return at - text.data;
}

/* How many bytes the entity for a line's end has that a text ends in. */
static size_t
line_end_entity(const char *from, const char *end)
{
	static const char *const entities[] = {"&#010;", "&#10;", "&#xA;", "&#xa;"};
	size_t		i;

	for (i = 0; i < lengthof(entities); i++)
		if ((size_t) (end - from) >= strlen(entities[i]) &&
			memcmp(end - strlen(entities[i]), entities[i], strlen(entities[i])) == 0)
			return strlen(entities[i]);
	return 0;
}

size_t
line_template_tail(const L4LineTemplate *template, L4Bytes line)
{
	const char *end = line.data + line.size;
	const char *at = end;

	if (template->tail == L4_TAIL_NONE || line.size < 2)
		return 0;
	if (template->tail == L4_TAIL_SIGN)
		return end[-1] == line.data[0] ? 1 : 0;
	if (line.data[0] != '<' || end[-1] != '>')
		return 0;
	while (at > line.data + 1 && end - at < ELEMENT_BYTES && !(at[0] == '<' && at < end && at[1] == '/'))
		at--;
	if (at[0] != '<' || at == end || at[1] != '/')
		return 0;
	return end - at + line_end_entity(line.data, at);
}

void
line_template_save(const L4LineTemplate *template, StringInfo out)
{
	int			i;

	column_put_unsigned(out, template->count);
	for (i = 0; i < template->count; i++)
	{
		const L4TemplatePiece *piece = &template->pieces[i];

		column_put_unsigned(out, (unsigned char) piece->kind);
		column_put_unsigned(out, piece->literal);
		column_put_bytes(out, (L4Bytes) {piece->text, piece->size});
	}
	column_put_signed(out, template->host);
	column_put_signed(out, template->number);
	column_put_signed(out, template->local);
	column_put_signed(out, template->time);
	column_put_signed(out, template->level);
	column_put_unsigned(out, template->tasks);
	column_put_unsigned(out, (unsigned char) template->tail);
}

/* The number of one of the pieces, or -1. */
static int
piece_restore(const L4LineTemplate *template, L4ColumnReader *in)
{
	int64		piece = column_get_signed(in);

	if (piece < -1 || piece >= template->count)
		column_corrupted("a label names a piece that it does not have");
	return (int) piece;
}

void
line_template_restore(L4LineTemplate *template, L4ColumnReader *in)
{
	int			i;

	template->count = column_get_number_to(in, L4_TEMPLATE_PIECES, "a label has too many pieces");
	for (i = 0; i < template->count; i++)
	{
		L4TemplatePiece *piece = &template->pieces[i];
		L4Bytes		text;

		piece->kind = (char) column_get_number_to(in, 127, "a label has a piece of no known kind");
		piece->literal = column_get_unsigned(in) != 0;
		text = column_get_bytes(in);
		if (text.size > L4_TEMPLATE_TEXT)
			column_corrupted("a label has a piece that is too long");
		piece->size = (uint8) text.size;
		memcpy(piece->text, text.data, text.size);
		/* a cell ends with the sign behind it */
		if (i > 0 && piece[-1].kind == L4_PIECE_CELL && (!piece->literal || piece->size == 0))
			column_corrupted("a label has a cell that does not end");
	}
	if (template->count > 0 && template->pieces[template->count - 1].kind == L4_PIECE_CELL)
		column_corrupted("a label ends in a cell");
	template->host = piece_restore(template, in);
	template->number = piece_restore(template, in);
	template->local = piece_restore(template, in);
	template->time = piece_restore(template, in);
	template->level = piece_restore(template, in);
	template->tasks = column_get_unsigned(in) != 0;
	template->tail = (char) column_get_number_to(in, 127, "a label closes as none does");
}
