/*
 * export_table.c: tables (CSV, RFC 4180, or parted by semicolons or tabs) with a heading, in which a collector keeps a record
 * in each row.
 *
 * A row becomes an object whose keys are the names of the columns. What is an object of JSON in a cell stays one, so that its
 * members are found like those of any other.
 */
#include "algorithms/export_private.h"

#include "tools/bytes.h"
#include "tools/json_text.h"

#define COLUMNS_LIMIT 200
#define NAME_BYTES 64
/* Kibana's "Oct 27, 2026 @ 06:55:24.032" is no longer. */
#define TIME_BYTES 40

struct L4Table
{
	char		delimiter;
	int			count;
	L4Bytes		names[COLUMNS_LIMIT];
};

/* A cell of a row: what stands in it, perhaps between quotes (of which two mean one). */
typedef struct Cell
{
	L4Bytes		text;
	bool		quoted;
} Cell;

/* The cell that begins here; returns where it ends, behind its quotes. NULL where these do not end. */
static const char *
read_cell(const char *at, const char *end, char delimiter, Cell *cell)
{
	cell->quoted = at < end && *at == '"';
	cell->text = (L4Bytes) {at + cell->quoted, 0};
	if (!cell->quoted)
		while (at < end && *at != delimiter && *at != '\n')
			at++;
	else
		for (at++;; at += 2)
		{
			at = at < end ? memchr(at, '"', end - at) : NULL;
			if (at == NULL)
				return NULL;
			if (at + 1 == end || at[1] != '"')
				break;
		}
	cell->text.size = at - cell->text.data;
	if (!cell->quoted && cell->text.size > 0 && at < end && *at == '\n' && at[-1] == '\r')
		cell->text.size--;
	return at + cell->quoted;
}

/* The cells of the first row; its size, with its line end. */
static size_t
read_row(L4Bytes bytes, char delimiter, bool at_end, Cell *cells, int *count)
{
	const char *end = bytes.data + bytes.size;
	const char *at = bytes.data;

	*count = 0;
	for (;;)
	{
		if (*count == COLUMNS_LIMIT)
			return EXPORT_BROKEN;
		at = read_cell(at, end, delimiter, &cells[(*count)++]);
		if (at == NULL)
			return EXPORT_MORE;
		if (at + 1 < end && *at == '\r' && at[1] == '\n')
			at++;
		if (at == end || (at + 1 == end && *at == '\r'))
			return at_end ? bytes.size : EXPORT_MORE;
		if (*at == '\n')
			return at + 1 - bytes.data;
		if (*at++ != delimiter)
			return EXPORT_BROKEN;
	}
}

static bool
is_name(L4Bytes text)
{
	size_t		i;

	if (text.size == 0 || text.size > NAME_BYTES || !(is_letter(*text.data) || *text.data == '@' || *text.data == '_'))
		return false;
	/* it becomes a key as it is */
	for (i = 0; i < text.size; i++)
		if ((unsigned char) text.data[i] < ' ' || text.data[i] == '"' || text.data[i] == '\\')
			return false;
	return true;
}

/* The names of the columns, if the first row is a heading. */
static L4Table *
read_heading(L4Bytes sample, char delimiter, size_t *size)
{
	Cell		cells[COLUMNS_LIMIT];
	L4Table    *table;
	int			count;
	int			i;

	*size = read_row(sample, delimiter, false, cells, &count);
	if (*size == EXPORT_MORE || *size == EXPORT_BROKEN || count < 2)
		return NULL;
	for (i = 0; i < count; i++)
		if (!is_name(cells[i].text))
			return NULL;
	table = palloc0(sizeof(L4Table));
	table->delimiter = delimiter;
	table->count = count;
	for (i = 0; i < count; i++)
		table->names[i] = bytes_kept(cells[i].text);
	return table;
}

L4Table *
table_create(L4Bytes sample, size_t *size)
{
	static const char delimiters[] = ",;\t";
	static const char mark[] = "\xEF\xBB\xBF";
	size_t		marked = sample.size > 3 && memcmp(sample.data, mark, 3) == 0 ? 3 : 0;
	L4Table    *table = NULL;
	int			i;

	sample = (L4Bytes) {sample.data + marked, sample.size - marked};
	for (i = 0; table == NULL && delimiters[i] != '\0'; i++)
		table = read_heading(sample, delimiters[i], size);
	*size += marked;
	return table;
}

/* The text of a cell: without doubled quotes, and a time without the sign that Kibana puts before the hour. */
static L4Bytes
cell_text(const Cell *cell)
{
	const char *sign = cell->text.size <= TIME_BYTES ? memmem(cell->text.data, cell->text.size, " @ ", 3) : NULL;
	char	   *out;
	size_t		size = 0;
	size_t		i;

	if (sign == NULL && !(cell->quoted && cell->text.size > 0 && memchr(cell->text.data, '"', cell->text.size) != NULL))
		return cell->text;
	out = palloc(cell->text.size);
	for (i = 0; i < cell->text.size; i++)
	{
		if (cell->text.data + i == sign)
			i += 2;
		out[size++] = cell->text.data[i];
		i += cell->quoted && cell->text.data[i] == '"';
	}
	return (L4Bytes) {out, size};
}

static void
append_cell(StringInfo out, L4Bytes name, const Cell *cell)
{
	L4Bytes		text = cell_text(cell);

	appendStringInfo(out, "\"%.*s\":", (int) name.size, name.data);
	if (text.size > 1 && text.data[0] == '{' && text.data[text.size - 1] == '}' &&
		memchr(text.data, '\n', text.size) == NULL)
	{
		appendBinaryStringInfo(out, text.data, (int) text.size);
		return;
	}
	appendStringInfoChar(out, '"');
	json_text_encode(text, 0, out);
	appendStringInfoChar(out, '"');
}

size_t
table_take(const L4Table *table, L4Bytes bytes, bool at_end, StringInfo out)
{
	Cell		cells[COLUMNS_LIMIT];
	int			count;
	size_t		size = read_row(bytes, table->delimiter, at_end, cells, &count);
	int			i;

	if (size != EXPORT_MORE && size != EXPORT_BROKEN && count == table->count)
	{
		appendStringInfoChar(out, '{');
		for (i = 0; i < count; i++)
		{
			if (i > 0)
				appendStringInfoChar(out, ',');
			append_cell(out, table->names[i], &cells[i]);
		}
		appendStringInfoString(out, "}\n");
	}
	else if (size != EXPORT_MORE)
		size = EXPORT_BROKEN;
	return size;
}
