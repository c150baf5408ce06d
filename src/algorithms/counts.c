/*
 * counts.c: how often the streams of one source log each shape, and where first and last, as one packed blob.
 *
 * A file that hundreds of ranks write has thousands of such rows, and most of a row follows from the one before it: the same
 * shape in the next stream, of the same level and stage, some lines further on and some milliseconds later. So rows stand by
 * shape and stream, each number as the difference to the row before, and each kind of number in a section of its own, of which
 * zstd keeps statistics of its own. What a shape that came once would say twice (last line, time and iteration) is left out. A
 * row of 130 bytes takes six to ten.
 *
 * Of the stored bytes nothing is believed: every number is checked before it is used, and all sections must end with the last
 * row (XX001).
 */
#include "algorithms/counts.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "algorithms/segment.h"
#include "tools/codec.h"
#include "tools/intern.h"
#include "tools/order.h"

typedef enum CountsSection
{
	SECTION_IDS,				/* of the streams, then of the shapes, each ascending: eight bytes each */
	SECTION_SIZES,				/* of each shape the rows, less one */
	SECTION_COMPONENTS,			/* texts */
	SECTION_KINDS,				/* of each: level and stage, component */
	SECTION_FLAGS,				/* of each row: a byte */
	SECTION_STREAMS,			/* of each row: how many streams are left out before it */
	SECTION_KIND_NUMBERS,
	SECTION_OCCURRENCES,
	SECTION_FIRST_LINES,
	SECTION_LAST_LINES,
	SECTION_FIRST_TIMES,
	SECTION_LAST_TIMES,
	SECTION_ITERATIONS,
	SECTION_COUNT
} CountsSection;

/* A kind begins with its level times this and its stage, then the number of its component, from 1; 0: it has none. */
#define KIND_STAGES 16

#define FLAG_TIME 0x01			/* has a time, an iteration */
#define FLAG_ITERATION 0x02
#define FLAG_ONCE 0x04			/* one record */
#define FLAG_ONE_LINE 0x08		/* the last line, time, iteration is the first */
#define FLAG_ONE_TIME 0x10
#define FLAG_ONE_ITERATION 0x20
#define ALL_FLAGS 0x3f

/* Times are multiples of one of these. */
static const int64 units[] = {1, 1000, USECS_PER_SEC};

/* What a row is told from: the one before. */
typedef struct Before
{
	int64		line;
	int64		time;			/* in units */
	int64		iteration;
} Before;

/* Differences of any two numbers, without overflow. */
static inline int64
difference(int64 number, int64 before)
{
	return (int64) ((uint64) number - (uint64) before);
}

static inline int64
sum(int64 before, int64 difference)
{
	return (int64) ((uint64) before + (uint64) difference);
}

/* ---- writing ---- */

typedef struct CountsWriter
{
	StringInfoData sections[SECTION_COUNT];
	int64	   *streams;		/* ascending */
	int			stream_count;
	int			stream;			/* of the row before in the same shape, or -1 */
	int			shape_count;
	L4Intern	components;
	L4Intern	kinds;
	StringInfoData key;			/* a scratch buffer */
	int			unit;			/* index into units */
	Before		before;
} CountsWriter;

static int
compare_rows(const void *a, const void *b)
{
	const L4SummaryRow *x = a;
	const L4SummaryRow *y = b;

	if (x->shape_id != y->shape_id)
		return x->shape_id < y->shape_id ? -1 : 1;
	return x->stream_id < y->stream_id ? -1 : x->stream_id > y->stream_id ? 1 : 0;
}

/* The distinct streams of rows, ascending. */
static void
find_streams(CountsWriter *writer, const L4SummaryRow *rows, int count)
{
	int			kept = 0;
	int			i;

	writer->streams = palloc(mul_size(Max(count, 1), sizeof(int64)));
	for (i = 0; i < count; i++)
		if (kept == 0 || writer->streams[kept - 1] != rows[i].stream_id)
			writer->streams[kept++] = rows[i].stream_id;
	qsort(writer->streams, kept, sizeof(int64), compare_int64);
	for (i = 0; i < kept; i++)
		if (writer->stream_count == 0 || writer->streams[writer->stream_count - 1] != writer->streams[i])
			writer->streams[writer->stream_count++] = writer->streams[i];
}

/* The largest unit that all times are multiples of. */
static int
find_unit(const L4SummaryRow *rows, int count)
{
	int			unit = lengthof(units) - 1;
	int			i;

	for (i = 0; i < count && unit > 0; i++)
		while (rows[i].has_time && (rows[i].first_ts % units[unit] != 0 || rows[i].last_ts % units[unit] != 0))
			unit--;
	return unit;
}

static int
flags_of(const L4SummaryRow *row)
{
	return (row->has_time ? FLAG_TIME : 0) | (row->has_iteration ? FLAG_ITERATION : 0) |
		(row->occurrences == 1 ? FLAG_ONCE : 0) | (row->first_line == row->last_line ? FLAG_ONE_LINE : 0) |
		(!row->has_time || row->first_ts == row->last_ts ? FLAG_ONE_TIME : 0) |
		(!row->has_iteration || row->first_iteration == row->last_iteration ? FLAG_ONE_ITERATION : 0);
}

/* The number of the kind of a row. */
static int
kind_of(CountsWriter *writer, const L4SummaryRow *row)
{
	int			component = row->component == NULL ? 0
		: 1 + intern_add(&writer->components, row->component, strlen(row->component));

	resetStringInfo(&writer->key);
	column_put_unsigned(&writer->key, row->level * KIND_STAGES + row->stage);
	column_put_unsigned(&writer->key, component);
	return intern_add(&writer->kinds, writer->key.data, writer->key.len);
}

/* The times and iterations of a row. */
static void
put_moments(CountsWriter *writer, const L4SummaryRow *row, int flags)
{
	Before	   *before = &writer->before;

	if (flags & FLAG_TIME)
	{
		int64		first = row->first_ts / units[writer->unit];

		column_put_signed(&writer->sections[SECTION_FIRST_TIMES], difference(first, before->time));
		if (!(flags & FLAG_ONE_TIME))
			column_put_signed(&writer->sections[SECTION_LAST_TIMES], difference(row->last_ts / units[writer->unit], first));
		before->time = first;
	}
	if (flags & FLAG_ITERATION)
	{
		column_put_signed(&writer->sections[SECTION_ITERATIONS], difference(row->first_iteration, before->iteration));
		if (!(flags & FLAG_ONE_ITERATION))
			column_put_signed(&writer->sections[SECTION_ITERATIONS], difference(row->last_iteration, row->first_iteration));
		before->iteration = row->first_iteration;
	}
}

static void
put_row(CountsWriter *writer, const L4SummaryRow *row)
{
	int			stream = int64_set_place(writer->streams, writer->stream_count, row->stream_id, writer->stream);
	int			flags = flags_of(row);

	if (stream <= writer->stream)
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION),
				 errmsg("counts have a shape of a stream twice")));
	column_put_unsigned(&writer->sections[SECTION_STREAMS], stream - writer->stream - 1);
	writer->stream = stream;
	column_put_unsigned(&writer->sections[SECTION_KIND_NUMBERS], kind_of(writer, row));
	column_put_unsigned(&writer->sections[SECTION_FLAGS], flags);
	if (!(flags & FLAG_ONCE))
		column_put_unsigned(&writer->sections[SECTION_OCCURRENCES], row->occurrences);
	column_put_signed(&writer->sections[SECTION_FIRST_LINES], difference(row->first_line, writer->before.line));
	if (!(flags & FLAG_ONE_LINE))
		column_put_signed(&writer->sections[SECTION_LAST_LINES], difference(row->last_line, row->first_line));
	writer->before.line = row->first_line;
	put_moments(writer, row, flags);
}

/* The rows, shape by shape; their order is that of compare_rows. */
static void
put_rows(CountsWriter *writer, const L4SummaryRow *rows, int count)
{
	int			from = 0;
	int			i;

	for (i = 0; i < count; i++)
	{
		if (i == from || rows[i].shape_id != rows[from].shape_id)
		{
			if (i > from)
				column_put_unsigned(&writer->sections[SECTION_SIZES], i - from - 1);
			from = i;
			column_put_fixed(&writer->sections[SECTION_IDS], (uint64) rows[i].shape_id);
			writer->shape_count++;
			writer->stream = -1;
		}
		put_row(writer, &rows[i]);
	}
	if (count > from)
		column_put_unsigned(&writer->sections[SECTION_SIZES], count - from - 1);
}

static void
put_kinds(CountsWriter *writer)
{
	int			i;

	for (i = 0; i < writer->components.count; i++)
		column_put_bytes(&writer->sections[SECTION_COMPONENTS],
						 (L4Bytes) {intern_data(&writer->components, i), writer->components.strings[i].size});
	for (i = 0; i < writer->kinds.count; i++)
		appendBinaryStringInfo(&writer->sections[SECTION_KINDS], intern_data(&writer->kinds, i),
							   writer->kinds.strings[i].size);
}

/* The blob: a head with the sizes of the sections, and these. */
static bytea *
pack_sections(CountsWriter *writer, int count)
{
	L4Bytes		parts[SECTION_COUNT + 1];
	StringInfoData head;
	int			i;

	initStringInfo(&head);
	column_put_unsigned(&head, count);
	column_put_unsigned(&head, writer->shape_count);
	column_put_unsigned(&head, writer->stream_count);
	column_put_unsigned(&head, writer->components.count);
	column_put_unsigned(&head, writer->kinds.count);
	column_put_unsigned(&head, writer->unit);
	for (i = 0; i < SECTION_COUNT; i++)
	{
		column_put_unsigned(&head, writer->sections[i].len);
		parts[i + 1] = (L4Bytes) {writer->sections[i].data, writer->sections[i].len};
	}
	parts[0] = (L4Bytes) {head.data, head.len};
	return blob_pack_parts(parts, lengthof(parts));
}

bytea *
counts_pack(L4SummaryRow *rows, int count)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext memory = AllocSetContextCreate(caller, "l4 counts", ALLOCSET_DEFAULT_SIZES);
	CountsWriter writer = {0};
	bytea	   *packed;
	int			i;

	MemoryContextSwitchTo(memory);
	qsort(rows, count, sizeof(L4SummaryRow), compare_rows);
	for (i = 0; i < SECTION_COUNT; i++)
		initStringInfo(&writer.sections[i]);
	initStringInfo(&writer.key);
	intern_init(&writer.components, memory);
	intern_init(&writer.kinds, memory);
	find_streams(&writer, rows, count);
	for (i = 0; i < writer.stream_count; i++)
		column_put_fixed(&writer.sections[SECTION_IDS], (uint64) writer.streams[i]);
	writer.unit = find_unit(rows, count);
	put_rows(&writer, rows, count);
	put_kinds(&writer);
	MemoryContextSwitchTo(caller);
	packed = pack_sections(&writer, count);
	MemoryContextDelete(memory);
	return packed;
}

/* ---- reading ---- */

typedef struct Kind
{
	L4Level		level;
	int			stage;
	const char *component;
} Kind;

struct L4CountsReader
{
	L4ColumnReader sections[SECTION_COUNT];
	int			row_count;
	int			shape_count;
	int			stream_count;
	int			kind_count;
	int64	   *streams;
	int64	   *shapes;
	Kind	   *kinds;
	int64		unit;
	bool	   *streams_wanted; /* NULL: all */
	bool	   *shapes_wanted;
	bool		none_wanted;
	int			rows_left;		/* all, and of the shape */
	int			shape_rows_left;
	int			shape;			/* of the row, and its stream */
	int			stream;
	Before		before;
};

/* Sets the sections to where they begin; `in` stands behind the head. */
static void
open_sections(L4CountsReader *reader, L4ColumnReader *in)
{
	uint64		sizes[SECTION_COUNT];
	int			i;

	for (i = 0; i < SECTION_COUNT; i++)
		sizes[i] = column_get_unsigned(in);
	for (i = 0; i < SECTION_COUNT; i++)
	{
		if (sizes[i] > (uint64) (in->end - in->at))
			column_corrupted("a section of counts is cut short");
		reader->sections[i] = (L4ColumnReader) {in->at, in->at + sizes[i]};
		in->at += sizes[i];
	}
	if (in->at != in->end)
		column_corrupted("counts have more bytes than they say");
}

static int64 *
get_ids(L4ColumnReader *in, int count)
{
	int64	   *ids = palloc(mul_size(Max(count, 1), sizeof(int64)));
	int			i;

	for (i = 0; i < count; i++)
	{
		ids[i] = (int64) column_get_fixed(in);
		if (i > 0 && ids[i] <= ids[i - 1])
			column_corrupted("counts have their ids out of order");
	}
	return ids;
}

/* The texts of the components, one after the other, each with a NUL behind it. */
static const char **
get_components(L4CountsReader *reader, int count)
{
	L4ColumnReader *in = &reader->sections[SECTION_COMPONENTS];
	const char **components = palloc(mul_size(Max(count, 1), sizeof(char *)));
	char	   *room = palloc(in->end - in->at + 1);
	int			i;

	for (i = 0; i < count; i++)
	{
		L4Bytes		bytes = column_get_bytes(in);

		components[i] = memcpy(room, bytes.data, bytes.size);
		room[bytes.size] = '\0';	/* where its length was before the next one, or the end */
		room += bytes.size + 1;
	}
	return components;
}

static void
get_kinds(L4CountsReader *reader, int component_count)
{
	const char **components = get_components(reader, component_count);
	L4ColumnReader *in = &reader->sections[SECTION_KINDS];
	int			i;

	reader->kinds = palloc(mul_size(Max(reader->kind_count, 1), sizeof(Kind)));
	for (i = 0; i < reader->kind_count; i++)
	{
		int			words = column_get_number_to(in, L4_LEVEL_FATAL * KIND_STAGES + l4_stage_count,
											 "counts have no such level");
		int			component = column_get_number_to(in, component_count, "counts have no such component");

		if (words % KIND_STAGES > l4_stage_count)
			column_corrupted("counts have no such stage");
		reader->kinds[i].level = (L4Level) (words / KIND_STAGES);
		reader->kinds[i].stage = words % KIND_STAGES;
		reader->kinds[i].component = component == 0 ? NULL : components[component - 1];
	}
}

L4CountsReader *
counts_open(const bytea *blob)
{
	L4CountsReader *reader = palloc0(sizeof(L4CountsReader));
	L4Bytes		plain = blob_unpack(blob);
	L4ColumnReader in = {plain.data, plain.data + plain.size};
	int			component_count;

	/* each of them takes at least a byte */
	reader->row_count = column_get_count(&in, PG_INT32_MAX);
	reader->shape_count = column_get_count(&in, reader->row_count);
	reader->stream_count = column_get_count(&in, reader->row_count);
	component_count = column_get_count(&in, reader->row_count);
	reader->kind_count = column_get_count(&in, reader->row_count);
	reader->unit = units[column_get_number_to(&in, lengthof(units) - 1, "counts have an unknown unit of time")];
	if (reader->kind_count == 0 && reader->row_count > 0)
		column_corrupted("counts have rows of no kind");
	open_sections(reader, &in);
	reader->streams = get_ids(&reader->sections[SECTION_IDS], reader->stream_count);
	reader->shapes = get_ids(&reader->sections[SECTION_IDS], reader->shape_count);
	get_kinds(reader, component_count);
	reader->rows_left = reader->row_count;
	reader->shape = -1;
	return reader;
}

int
counts_row_count(const L4CountsReader *reader)
{
	return reader->row_count;
}

int
counts_kind_count(const L4CountsReader *reader)
{
	return reader->kind_count;
}

const int64 *
counts_shapes(const L4CountsReader *reader, int *count)
{
	*count = reader->shape_count;
	return reader->shapes;
}

/* Which of some ids are in a set, both ascending; *none where none is. */
static bool *
find_wanted(const int64 *ids, int count, const int64 *set, int set_count, bool *none)
{
	bool	   *wanted = palloc0(mul_size(Max(count, 1), sizeof(bool)));
	bool		any = false;
	int			i;

	/* the shorter one asks the longer one, of which a source has few ids or many */
	for (i = 0; i < Min(count, set_count); i++)
	{
		const int64 *place = count <= set_count ? bsearch(&ids[i], set, set_count, sizeof(int64), compare_int64)
			: bsearch(&set[i], ids, count, sizeof(int64), compare_int64);

		if (place == NULL)
			continue;
		wanted[count <= set_count ? i : place - ids] = true;
		any = true;
	}
	*none |= !any;
	return wanted;
}

void
counts_want_streams(L4CountsReader *reader, const int64 *streams, int count)
{
	reader->streams_wanted = find_wanted(reader->streams, reader->stream_count, streams, count, &reader->none_wanted);
}

void
counts_want_shapes(L4CountsReader *reader, const int64 *shapes, int count)
{
	reader->shapes_wanted = find_wanted(reader->shapes, reader->shape_count, shapes, count, &reader->none_wanted);
}

/* All is read: so must be the sections. */
static void
check_end(const L4CountsReader *reader)
{
	int			i;

	for (i = 0; i < SECTION_COUNT; i++)
		if (reader->sections[i].at != reader->sections[i].end)
			column_corrupted("counts have more bytes than rows");
	if (reader->shape != reader->shape_count - 1)
		column_corrupted("counts have a shape without rows");
}

/* Goes on to the next row: its shape and stream. */
static void
next_place(L4CountsReader *reader)
{
	uint64		skipped;

	CHECK_FOR_INTERRUPTS();
	if (reader->shape_rows_left == 0)
	{
		uint64		further = column_get_unsigned(&reader->sections[SECTION_SIZES]);

		if (reader->shape >= reader->shape_count - 1 || further >= (uint64) reader->rows_left)
			column_corrupted("counts have more rows than they say");
		reader->shape++;
		reader->shape_rows_left = (int) further + 1;
		reader->stream = -1;
	}
	skipped = column_get_unsigned(&reader->sections[SECTION_STREAMS]);
	if (skipped >= (uint64) (reader->stream_count - reader->stream - 1))
		column_corrupted("counts name a stream that they do not have");
	reader->stream += (int) skipped + 1;
	reader->shape_rows_left--;
	reader->rows_left--;
}

static inline int64
get_further(L4ColumnReader *in, int64 from)
{
	return sum(from, column_get_signed(in));
}

/* The numbers of a row, but for stream and shape. */
static void
get_numbers(L4CountsReader *reader, int flags, L4SummaryRow *row)
{
	L4ColumnReader *sections = reader->sections;
	Before	   *before = &reader->before;
	int64		last_time;

	row->occurrences = flags & FLAG_ONCE ? 1 : (int64) column_get_unsigned(&sections[SECTION_OCCURRENCES]);
	if (row->occurrences < 0)
		column_corrupted("counts have a number that cannot be");
	row->first_line = before->line = get_further(&sections[SECTION_FIRST_LINES], before->line);
	row->last_line = flags & FLAG_ONE_LINE ? row->first_line
		: get_further(&sections[SECTION_LAST_LINES], row->first_line);
	if (flags & FLAG_TIME)
	{
		before->time = get_further(&sections[SECTION_FIRST_TIMES], before->time);
		last_time = flags & FLAG_ONE_TIME ? before->time : get_further(&sections[SECTION_LAST_TIMES], before->time);
		row->first_ts = (TimestampTz) ((uint64) before->time * (uint64) reader->unit);
		row->last_ts = (TimestampTz) ((uint64) last_time * (uint64) reader->unit);
	}
	else
		row->first_ts = row->last_ts = 0;
	if (flags & FLAG_ITERATION)
	{
		row->first_iteration = before->iteration = get_further(&sections[SECTION_ITERATIONS], before->iteration);
		row->last_iteration = flags & FLAG_ONE_ITERATION ? row->first_iteration
			: get_further(&sections[SECTION_ITERATIONS], row->first_iteration);
	}
	else
		row->first_iteration = row->last_iteration = 0;
}

bool
counts_next(L4CountsReader *reader, L4SummaryRow *row, int *kind)
{
	while (reader->rows_left > 0 && !reader->none_wanted)
	{
		const Kind *of;
		int			flags;

		next_place(reader);
		*kind = column_get_number_to(&reader->sections[SECTION_KIND_NUMBERS], reader->kind_count - 1,
									 "counts name a kind that they do not have");
		of = &reader->kinds[*kind];
		flags = column_get_number_to(&reader->sections[SECTION_FLAGS], ALL_FLAGS, "counts have an unknown flag");
		get_numbers(reader, flags, row);
		if (reader->rows_left == 0)
			check_end(reader);
		if ((reader->shapes_wanted != NULL && !reader->shapes_wanted[reader->shape]) ||
			(reader->streams_wanted != NULL && !reader->streams_wanted[reader->stream]))
			continue;
		row->stream_id = reader->streams[reader->stream];
		row->shape_id = reader->shapes[reader->shape];
		row->level = of->level;
		row->stage = of->stage;
		row->component = of->component;
		row->has_time = (flags & FLAG_TIME) != 0;
		row->has_iteration = (flags & FLAG_ITERATION) != 0;
		return true;
	}
	return false;
}

bytea *
counts_without(const bytea *blob, const int64 *streams, int count, int *row_count)
{
	L4CountsReader *reader = counts_open(blob);
	L4SummaryRow *rows = palloc(mul_size(Max(reader->row_count, 1), sizeof(L4SummaryRow)));
	int			kept = 0;
	int			kind;

	while (counts_next(reader, &rows[kept], &kind))
		if (!int64_set_has(streams, count, rows[kept].stream_id))
			kept++;
	*row_count = kept;
	return kept > 0 ? counts_pack(rows, kept) : NULL;
}
