/*
 * column_read.c: the values of each parameter of a segment, each column packed by what its values are: reading.
 *
 * Opening a blob reads the descriptors alone, which say where in each section a column begins and how much of it is its own; a
 * column is unpacked when its values are asked for. Every size is checked against what is there before it is used, and what
 * unpacking makes of a few bytes is held to a limit, so that crafted bytes end in XX001.
 */
#include "algorithms/column.h"

#include "algorithms/column_number.h"
#include "algorithms/column_private.h"
#include "algorithms/segment.h"
#include "miscadmin.h"
#include "tools/codec.h"

/*
 * The columns of a segment unpacked: more than this none takes. A segment has L4_SEGMENT_BYTES of text and a record, and a
 * parameter takes a byte of text at least, and here the span of it.
 */
#define UNPACKED_LIMIT ((uint64) 2 * L4_SEGMENT_BYTES * (1 + sizeof(L4Bytes)))

/* A parameter takes a byte of text at least, and a record of any size has no more than some ten thousand. */
#define COLUMN_LIMIT (L4_SEGMENT_BYTES + 65536)

typedef struct Column
{
	ColumnKind	kind;
	int			count;
	uint32		begins[SECTION_COUNT];	/* of its own part in each section */
	L4Bytes    *values;			/* NULL until they were asked for */
	L4Bytes		text;			/* for searching; data is NULL until then */
} Column;

struct L4Columns
{
	MemoryContext context;
	int			count;
	Column	   *columns;
	L4ColumnReader sections[SECTION_COUNT];
	uint64		unpacked;		/* bytes that unpacked values took */
};

/* ---- opening ---- */

/* Takes bytes off a section. */
static const char *
take(L4ColumnReader *section, uint64 size)
{
	const char *at = section->at;

	if (size > (uint64) (section->end - section->at))
		column_corrupted("a column is cut short");
	section->at += size;
	return at;
}

static int
get_choice_count(L4ColumnReader *in)
{
	uint64		count = column_get_unsigned(in);

	if (count == 0 || count > CHOICE_LIMIT)
		column_corrupted("a column has nothing to choose from");
	return (int) count;
}

static int
get_places(L4ColumnReader *in)
{
	uint64		places = column_get_unsigned(in);

	if (places > L4_BINARY_PLACES)
		column_corrupted("a number has too many digits");
	return (int) places;
}

static NumberWay
get_way(L4ColumnReader *in)
{
	uint64		way = column_get_unsigned(in);

	if (way > WAY_WIDE_STEPS)
		column_corrupted("numbers are packed in an unknown way");
	return (NumberWay) way;
}

/* Passes over a column of numbers. */
static void
skip_numbers(L4ColumnReader *sections, int count)
{
	L4ColumnReader *descriptors = &sections[SECTION_DESCRIPTORS];
	NumberWay	way = get_way(descriptors);
	int			i;

	if (way == WAY_CHOICE)
		for (i = get_choice_count(descriptors); i > 0; i--)
			(void) column_get_signed(descriptors);
	else
		(void) column_get_signed(descriptors);
	if (way == WAY_EVEN || way == WAY_STEP_BYTES)
		(void) column_get_signed(descriptors);
	if (way == WAY_BYTES || way == WAY_CHOICE)
		take(&sections[SECTION_BYTES], count);
	else if (way == WAY_STEP_BYTES)
		take(&sections[SECTION_BYTES], count - 1);
	else if (way != WAY_EVEN)
	{
		take(&sections[SECTION_CLASSES], way == WAY_WIDE ? count : count - 1);
		take(&sections[SECTION_BITS], column_get_unsigned(descriptors));
	}
}

/* Passes over what a column of a known kind has; sets the text to search where it is stored as such. */
static void
skip_column(Column *column, L4ColumnReader *sections)
{
	L4ColumnReader *descriptors = &sections[SECTION_DESCRIPTORS];
	L4ColumnReader *texts = &sections[SECTION_TEXTS];
	const char *begin = texts->at;
	L4NumberForm form;
	int			i;

	if (column->count == 0 && column->kind != COLUMN_TEXTS)
		column_corrupted("a column has no values");
	if (column->kind == COLUMN_TEXTS)
		take(texts, column_get_unsigned(descriptors));
	else if (column->kind == COLUMN_CONSTANT)
		(void) column_get_bytes(texts);
	else if (column->kind == COLUMN_CHOICE)
	{
		for (i = get_choice_count(descriptors); i > 0; i--)
			(void) column_get_bytes(texts);
		take(&sections[SECTION_BYTES], column->count);
	}
	else if (column->kind == COLUMN_INTEGERS)
		skip_numbers(sections, column->count);
	else if (column->kind == COLUMN_NUMBERS)
	{
		number_form_get(descriptors, &form);
		for (i = 0; i < form.count; i++)
			skip_numbers(sections, column->count);
	}
	else
	{
		(void) get_places(descriptors);
		skip_numbers(sections, column->count);
	}
	if (column->kind <= COLUMN_CHOICE)
	{
		column->text.data = begin;
		column->text.size = texts->at - begin;
	}
}

static void
open_sections(L4Columns *columns, const bytea *blob)
{
	L4Bytes		plain = blob_unpack(blob);
	L4ColumnReader in = {plain.data, plain.data + plain.size};
	uint64		sizes[SECTION_COUNT];
	int			i;

	for (i = 0; i < SECTION_COUNT; i++)
		sizes[i] = column_get_unsigned(&in);
	for (i = 0; i < SECTION_COUNT; i++)
	{
		columns->sections[i].at = take(&in, sizes[i]);
		columns->sections[i].end = in.at;
	}
}

/* Where in the sections a column's own parts begin. */
static void
column_sections(const L4Columns *columns, const Column *column, L4ColumnReader *sections)
{
	int			i;

	for (i = 0; i < SECTION_COUNT; i++)
	{
		sections[i].at = columns->sections[i].at + column->begins[i];
		sections[i].end = columns->sections[i].end;
	}
}

L4Columns *
columns_open(const bytea *blob, uint64 column_count)
{
	L4Columns  *columns = palloc0(sizeof(L4Columns));
	L4ColumnReader sections[SECTION_COUNT];
	int			i;
	int			s;

	open_sections(columns, blob);
	memcpy(sections, columns->sections, sizeof(sections));
	if (column_count > COLUMN_LIMIT ||
		column_count > (uint64) (sections[SECTION_DESCRIPTORS].end - sections[SECTION_DESCRIPTORS].at))
		column_corrupted("the number of its columns is not that of its parameters");
	columns->context = CurrentMemoryContext;
	columns->count = (int) column_count;
	columns->columns = palloc0(mul_size(Max(column_count, 1), sizeof(Column)));
	for (i = 0; i < columns->count; i++)
	{
		Column	   *column = &columns->columns[i];
		uint64		descriptor;

		for (s = 0; s < SECTION_COUNT; s++)
			column->begins[s] = (uint32) (sections[s].at - columns->sections[s].at);
		descriptor = column_get_unsigned(&sections[SECTION_DESCRIPTORS]);
		column->begins[SECTION_DESCRIPTORS] =
			(uint32) (sections[SECTION_DESCRIPTORS].at - columns->sections[SECTION_DESCRIPTORS].at);
		if (descriptor % 8 > COLUMN_BINARY || descriptor / 8 > L4_SEGMENT_RECORDS)
			column_corrupted("a column is of an unknown kind or too long");
		column->kind = (ColumnKind) (descriptor % 8);
		column->count = (int) (descriptor / 8);
		skip_column(column, sections);
	}
	return columns;
}

int
columns_value_count(const L4Columns *columns, int column)
{
	return columns->columns[column].count;
}

/* ---- unpacking ---- */

static void
account(L4Columns *columns, uint64 bytes)
{
	columns->unpacked += bytes;
	if (columns->unpacked > UNPACKED_LIMIT)
		column_corrupted("its parameters are larger than a segment is");
}

/* A stored index into so many things. */
static inline int
get_index(L4ColumnReader *bytes, int count)
{
	int			which = (unsigned char) *bytes->at++;

	if (which >= count)
		column_corrupted("a value is chosen that is not there");
	return which;
}

typedef struct BitReader
{
	L4ColumnReader in;
	uint64		waiting;
	int			count;
} BitReader;

/* Up to 56 bits; the rest of a number comes with a second call. */
static inline uint64
get_bits(BitReader *reader, int count)
{
	uint64		bits;

	while (reader->count < count)
	{
		if (reader->in.at >= reader->in.end)
			column_corrupted("a number is cut short");
		reader->waiting |= (uint64) (unsigned char) *reader->in.at++ << reader->count;
		reader->count += 8;
	}
	bits = reader->waiting & ((UINT64CONST(1) << count) - 1);
	reader->waiting >>= count;
	reader->count -= count;
	return bits;
}

static inline uint64
get_wide(L4ColumnReader *classes, BitReader *bits)
{
	unsigned int class = (unsigned char) *classes->at++;
	int			length;
	uint64		number;

	if (class < WIDE_SMALL)
		return class;
	if (class >= WIDE_CLASSES)
		column_corrupted("a number is too long");
	length = (int) (class - WIDE_SMALL) / 4 + 3;
	number = (uint64) (4 + (class - WIDE_SMALL) % 4) << (length - 2);
	if (length - 2 > 32)
	{
		number |= get_bits(bits, 32);
		return number | get_bits(bits, length - 2 - 32) << 32;
	}
	return number | get_bits(bits, length - 2);
}

static inline uint64
unzigzag(uint64 stored)
{
	return (stored >> 1) ^ (0 - (stored & 1));
}

static void
get_wides(L4ColumnReader *sections, NumberWay way, uint64 base, int64 *numbers, int count)
{
	L4ColumnReader classes;
	uint64		size = column_get_unsigned(&sections[SECTION_DESCRIPTORS]);
	BitReader	bits = {{NULL, NULL}, 0, 0};
	int			i;

	classes.at = take(&sections[SECTION_CLASSES], way == WAY_WIDE ? count : count - 1);
	bits.in.at = take(&sections[SECTION_BITS], size);
	bits.in.end = bits.in.at + size;
	if (way == WAY_WIDE)
		for (i = 0; i < count; i++)
			numbers[i] = (int64) (base + get_wide(&classes, &bits));
	else
	{
		numbers[0] = (int64) base;
		for (i = 1; i < count; i++)
			numbers[i] = (int64) ((uint64) numbers[i - 1] + unzigzag(get_wide(&classes, &bits)));
	}
}

static void
get_chosen(L4ColumnReader *sections, int64 *numbers, int count)
{
	int64		choices[CHOICE_LIMIT];
	int			choice_count = get_choice_count(&sections[SECTION_DESCRIPTORS]);
	L4ColumnReader bytes;
	int			i;

	for (i = 0; i < choice_count; i++)
		choices[i] = column_get_signed(&sections[SECTION_DESCRIPTORS]);
	bytes.at = take(&sections[SECTION_BYTES], count);
	for (i = 0; i < count; i++)
		numbers[i] = choices[get_index(&bytes, choice_count)];
}

/* Unpacks a column of numbers, of which there is at least one. */
static void
get_numbers(L4ColumnReader *sections, int64 *numbers, int count)
{
	L4ColumnReader *descriptors = &sections[SECTION_DESCRIPTORS];
	NumberWay	way = get_way(descriptors);
	uint64		base;
	uint64		step = 0;
	const char *bytes;
	int			i;

	if (way == WAY_CHOICE)
	{
		get_chosen(sections, numbers, count);
		return;
	}
	base = (uint64) column_get_signed(descriptors);
	if (way == WAY_EVEN || way == WAY_STEP_BYTES)
		step = (uint64) column_get_signed(descriptors);
	if (way == WAY_EVEN)
		for (i = 0; i < count; i++)
			numbers[i] = (int64) (base + step * (uint64) i);
	else if (way == WAY_BYTES)
	{
		bytes = take(&sections[SECTION_BYTES], count);
		for (i = 0; i < count; i++)
			numbers[i] = (int64) (base + (unsigned char) bytes[i]);
	}
	else if (way == WAY_STEP_BYTES)
	{
		bytes = take(&sections[SECTION_BYTES], count - 1);
		numbers[0] = (int64) base;
		for (i = 1; i < count; i++)
			numbers[i] = (int64) ((uint64) numbers[i - 1] + step + (unsigned char) bytes[i - 1]);
	}
	else
		get_wides(sections, way, base, numbers, count);
}

/* Values that are spans of the stored texts. */
static void
unpack_texts(const L4Columns *columns, Column *column)
{
	L4ColumnReader sections[SECTION_COUNT];
	L4ColumnReader texts = {column->text.data, column->text.data + column->text.size};
	L4Bytes		choices[CHOICE_LIMIT];
	int			choice_count;
	int			i;

	column_sections(columns, column, sections);
	if (column->kind == COLUMN_TEXTS)
	{
		for (i = 0; i < column->count; i++)
			column->values[i] = column_get_bytes(&texts);
		return;
	}
	choice_count = column->kind == COLUMN_CONSTANT ? 1 : get_choice_count(&sections[SECTION_DESCRIPTORS]);
	for (i = 0; i < choice_count; i++)
		choices[i] = column_get_bytes(&texts);
	for (i = 0; i < column->count; i++)
		column->values[i] = choices[column->kind == COLUMN_CONSTANT ? 0 : get_index(&sections[SECTION_BYTES], choice_count)];
}

/* Writes the numbers of a column as texts, one to a line, and notes where each lies. */
static void
unpack_numbers(L4Columns *columns, Column *column)
{
	L4ColumnReader sections[SECTION_COUNT];
	StringInfoData out;
	L4NumberForm form = {1};
	int			places = 0;
	int64	   *numbers;
	size_t		at = 0;
	int			i;

	column_sections(columns, column, sections);
	if (column->kind == COLUMN_NUMBERS)
		number_form_get(&sections[SECTION_DESCRIPTORS], &form);
	else if (column->kind == COLUMN_BINARY)
		places = get_places(&sections[SECTION_DESCRIPTORS]);
	numbers = palloc(mul_size(Max(form.count, 1), column->count * sizeof(int64)));
	for (i = 0; i < form.count; i++)
		get_numbers(sections, numbers + (size_t) i * column->count, column->count);
	initStringInfo(&out);
	for (i = 0; i < column->count; i++)
	{
		int			before = out.len;

		if (column->kind == COLUMN_BINARY)
			number_binary_expand(&out, numbers[i], places);
		else
			number_form_expand(&out, &form, numbers + i, column->count);
		column->values[i].size = out.len - before;
		appendStringInfoCharMacro(&out, '\n');
	}
	for (i = 0; i < column->count; i++)
	{
		column->values[i].data = out.data + at;
		at += column->values[i].size + 1;
	}
	account(columns, out.len);
	column->text.data = out.data;
	column->text.size = out.len;
	pfree(numbers);
}

const L4Bytes *
columns_values(L4Columns *columns, int number)
{
	Column	   *column = &columns->columns[number];
	MemoryContext caller;

	if (column->values != NULL)
		return column->values;
	CHECK_FOR_INTERRUPTS();
	caller = MemoryContextSwitchTo(columns->context);
	account(columns, column->count * sizeof(L4Bytes));
	column->values = palloc(mul_size(Max(column->count, 1), sizeof(L4Bytes)));
	if (column->kind <= COLUMN_CHOICE)
		unpack_texts(columns, column);
	else
		unpack_numbers(columns, column);
	MemoryContextSwitchTo(caller);
	return column->values;
}

L4Bytes
columns_text(L4Columns *columns, int number)
{
	if (columns->columns[number].text.data == NULL)
		(void) columns_values(columns, number);
	return columns->columns[number].text;
}
