/*
 * parameter_statistics.c: what the parameters of the shapes of one source look like, in bounded memory, and as one packed blob.
 *
 * Diagnosis asks which values a position takes and in which range its numbers lie, and it asks it of every position of every
 * shape in every stream. As rows that would take more room than the log itself: a job of 4,096 ranks has millions of positions,
 * nearly all alike. So the positions of a source lie in one blob, shape by shape, where equal values of neighbouring streams
 * compress to almost nothing, and what follows from the values is not stored: range and lines of the numbers where all values
 * are known, counts where there is one value.
 *
 * Bounds: 16 values a position, 128 positions a shape, 200 bytes a value, and a budget for the source, past which no further
 * statistics are begun.
 */
#include "algorithms/parameter_statistics.h"

#include "algorithms/mask.h"
#include "algorithms/value_number.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "tools/bytes.h"
#include "tools/codec.h"
#include "tools/order.h"

/* A value of up to so many bytes lies in its place, as most do; of a longer one the last bytes do, and all are elsewhere. */
#define VALUE_HERE 12

typedef struct CountedValue
{
	uint32		size;
	char		here[4];
	union
	{
		char		on[VALUE_HERE - 4];	/* goes on from here */
		char	   *elsewhere;
	}			rest;
	int64		line_no;
} CountedValue;

/* A value that comes again and again is known without looking at those that are kept. */
#define RECENT_BYTES 16

struct L4ParameterStatistics
{
	/* what every record asks for */
	char		recent[RECENT_BYTES];
	double		recent_number;
	uint8		recent_size;	/* 1 more than that of the value that came last, where it is short; else 0 */
	bool		recent_is_number;
	bool		summed;			/* sum holds: there was more than one value when a number came */
	bool		more;			/* than value_count distinct values were seen */
	uint8		value_count;
	uint8		value_room;
	uint8		last_value;		/* found last: tried first */
	int64		number_count;
	double		sum;
	CountedValue *values;
	double		minimum;
	double		maximum;
	int64		minimum_line;
	int64		maximum_line;
};

static inline L4Bytes
value_bytes(const CountedValue *value)
{
	const char *here = (const char *) value + offsetof(CountedValue, here);

	return (L4Bytes) {value->size <= VALUE_HERE ? here : value->rest.elsewhere, value->size};
}

/* Notes a value in a place of its own, from the current context. */
static void
keep_value(CountedValue *slot, L4Bytes value, int64 line_no)
{
	char	   *here = (char *) slot + offsetof(CountedValue, here);

	slot->size = value.size;
	slot->line_no = line_no;
	if (value.size <= VALUE_HERE)
		memcpy(here, value.data, value.size);
	else
	{
		memcpy(here, value.data + value.size - sizeof(slot->here), sizeof(slot->here));
		slot->rest.elsewhere = memcpy(palloc(value.size), value.data, value.size);
	}
}

/* Is it this value? */
static inline bool
is_value(const CountedValue *kept, L4Bytes value)
{
	if (kept->size != value.size)
		return false;
	if (value.size > VALUE_HERE &&
		memcmp(kept->here, value.data + value.size - sizeof(kept->here), sizeof(kept->here)) != 0)
		return false;
	return bytes_same(value_bytes(kept).data, value.data, value.size);
}

static bool
take_budget(L4StatisticsMemory *memory, size_t size)
{
	if (memory->refused || memory->used + size > memory->budget)
	{
		memory->refused = true;
		return false;
	}
	memory->used += size;
	return true;
}

/*
 * The text under which a value is kept: valid UTF-8, a long one cut with its hash behind. Of a long one no more bytes are
 * looked at than may be kept: escaped they take their number at least, and a character that is cut there lies behind the place
 * of the cut.
 */
static void
value_text(StringInfo out, L4Bytes value)
{
	int			size;

	bytes_append_escaped(out, (L4Bytes) {value.data, Min(value.size, L4_STATISTICS_VALUE_BYTES + 1)});
	if (out->len <= L4_STATISTICS_VALUE_BYTES)
		return;
	size = L4_STATISTICS_VALUE_BYTES - 20;
	while (size > 0 && ((unsigned char) out->data[size] & 0xc0) == 0x80)
		size--;
	out->len = size;
	out->data[size] = '\0';
	appendStringInfo(out, "...%016llx", (unsigned long long) shape_hash(value.data, value.size));
}

/* Adds a value that is not there. */
static void
add_value(L4StatisticsMemory *memory, L4ParameterStatistics *stats, L4Bytes value, int64 line_no)
{
	MemoryContext caller;

	if (stats->value_count == L4_STATISTICS_VALUES || !take_budget(memory, sizeof(CountedValue) + value.size))
	{
		stats->more = true;
		return;
	}
	caller = MemoryContextSwitchTo(memory->sets);
	if (stats->value_count == stats->value_room)
	{
		/* 1, 4, 16: most have one */
		stats->value_room = stats->value_room == 0 ? 1 : stats->value_room * 4;
		stats->values = stats->values == NULL ? palloc(sizeof(CountedValue)) :
			repalloc(stats->values, stats->value_room * sizeof(CountedValue));
	}
	stats->last_value = stats->value_count;
	keep_value(&stats->values[stats->value_count++], value, line_no);
	MemoryContextSwitchTo(caller);
}

/* Which of the kept values this is, or -1. */
static int
value_index(const L4ParameterStatistics *stats, L4Bytes value)
{
	int			i;

	for (i = 0; i < stats->value_count; i++)
		if (is_value(&stats->values[i], value))
			return i;
	return -1;
}

/* Notes a value that is the statistics' text, unless it is there. */
static void
note_text(L4StatisticsMemory *memory, L4ParameterStatistics *stats, L4Bytes value, int64 line_no)
{
	int			index = value_index(stats, value);

	if (index >= 0)
		stats->last_value = index;
	else
		add_value(memory, stats, value, line_no);
}

static void
note_value(L4StatisticsMemory *memory, L4ParameterStatistics *stats, L4Bytes value, int64 line_no)
{
	StringInfoData text;

	if (stats->more)
		return;
	if (stats->value_count > 0 && is_value(&stats->values[stats->last_value], value))
		return;
	if (value.size == 0 || (value.size <= L4_STATISTICS_VALUE_BYTES && bytes_are_plain(value)))
	{
		note_text(memory, stats, value, line_no);
		return;
	}
	initStringInfo(&text);
	value_text(&text, value);
	note_text(memory, stats, (L4Bytes) {text.data, text.len}, line_no);
	pfree(text.data);			/* one for each record, where they come in turns */
}

/* The sum of the numbers: of one value's, a product, so that it does not matter when they were added up. */
static double
sum_of_numbers(const L4ParameterStatistics *stats)
{
	return stats->summed ? stats->sum : stats->number_count > 0 ? stats->number_count * stats->minimum : 0;
}

static void
note_number(L4ParameterStatistics *stats, double number, int64 line_no)
{
	if (!stats->summed && (stats->more || stats->value_count > 1))
	{
		stats->sum = sum_of_numbers(stats);
		stats->summed = true;
	}
	if (stats->number_count == 0 || number < stats->minimum)
	{
		stats->minimum = number;
		stats->minimum_line = line_no;
	}
	if (stats->number_count == 0 || number > stats->maximum)
	{
		stats->maximum = number;
		stats->maximum_line = line_no;
	}
	if (stats->summed)
		stats->sum += number;
	stats->number_count++;
}

/* Is it the value that came last? */
static inline bool
is_recent(const L4ParameterStatistics *stats, L4Bytes value)
{
	return stats->recent_size == value.size + 1 && bytes_same(stats->recent, value.data, value.size);
}

/* Adds one value. */
static inline void
add_to_position(L4StatisticsMemory *memory, L4ParameterStatistics *stats, L4Bytes value, int64 line_no)
{
	if (is_recent(stats, value))
	{
		/* the least and the greatest number stay what they are */
		stats->number_count += stats->recent_is_number;
		if (stats->recent_is_number && stats->summed)
			stats->sum += stats->recent_number;
		return;
	}
	note_value(memory, stats, value, line_no);
	stats->recent_is_number = value_number(value, &stats->recent_number);
	stats->recent_size = value.size <= RECENT_BYTES ? (uint8) value.size + 1 : 0;
	if (value.size <= RECENT_BYTES)
		memcpy(stats->recent, value.data, value.size);
	if (stats->recent_is_number)
		note_number(stats, stats->recent_number, line_no);
}

void
statistics_add(L4StatisticsMemory *memory, L4StatisticsSet *set, const L4Bytes *parameters, int count, int64 line_no)
{
	size_t		used = memory->used;
	int			i;

	count = Min(count, L4_STATISTICS_POSITIONS);
	if (set->positions == NULL)
	{
		if (count == 0 || set->position_count < 0)
			return;
		if (!take_budget(memory, count * sizeof(L4ParameterStatistics)))
		{
			set->position_count = -1;	/* never half of the records */
			return;
		}
		set->positions = MemoryContextAllocZero(memory->sets, count * sizeof(L4ParameterStatistics));
		set->position_count = count;
	}
	for (i = 0; i < Min(set->position_count, count); i++)	/* two shapes of one hash may differ in it */
		add_to_position(memory, &set->positions[i], parameters[i], line_no);
	set->size += (uint32) (memory->used - used);
}

static void
merge_position(L4StatisticsMemory *memory, L4ParameterStatistics *into, const L4ParameterStatistics *from)
{
	double		sum = sum_of_numbers(into) + sum_of_numbers(from);
	int			i;

	for (i = 0; i < from->value_count; i++)
	{
		const CountedValue *value = &from->values[i];

		if (!into->more && value_index(into, value_bytes(value)) < 0)
			add_value(memory, into, value_bytes(value), value->line_no);
	}
	into->more |= from->more;
	if (from->number_count == 0)
		return;
	into->summed = into->more || into->value_count > 1;
	into->sum = into->summed ? sum : 0;
	if (into->number_count == 0 || from->minimum < into->minimum)
	{
		into->minimum = from->minimum;
		into->minimum_line = from->minimum_line;
	}
	if (into->number_count == 0 || from->maximum > into->maximum)
	{
		into->maximum = from->maximum;
		into->maximum_line = from->maximum_line;
	}
	into->number_count += from->number_count;
}

void
statistics_move(L4StatisticsMemory *memory, L4StatisticsSet *into, L4StatisticsSet *from)
{
	if (into->position_count == 0 && from->position_count > 0 && !memory->refused &&
		memory->used + from->size <= memory->budget)
	{
		memory->used += from->size;
		*into = *from;
		memset(from, 0, sizeof(L4StatisticsSet));
		return;
	}
	statistics_merge(memory, into, from);
	statistics_free(from);
}

void
statistics_merge(L4StatisticsMemory *memory, L4StatisticsSet *into, const L4StatisticsSet *from)
{
	size_t		used = memory->used;
	int			i;

	if (from->position_count == 0 || into->position_count < 0)
		return;
	if (from->position_count < 0 ||
		(into->positions == NULL && !take_budget(memory, from->position_count * sizeof(L4ParameterStatistics))))
	{
		statistics_free(into);
		into->position_count = -1;	/* never half of the records */
		return;
	}
	if (into->positions == NULL)
	{
		into->positions = MemoryContextAllocZero(memory->sets, from->position_count * sizeof(L4ParameterStatistics));
		into->position_count = from->position_count;
	}
	for (i = 0; i < Min(into->position_count, from->position_count); i++)
		merge_position(memory, &into->positions[i], &from->positions[i]);
	into->size += (uint32) (memory->used - used);
}

void
statistics_free(L4StatisticsSet *set)
{
	int			i;
	int			j;

	for (i = 0; i < set->position_count; i++)
	{
		for (j = 0; j < set->positions[i].value_count; j++)
			if (set->positions[i].values[j].size > VALUE_HERE)
				pfree(set->positions[i].values[j].rest.elsewhere);
		if (set->positions[i].values != NULL)
			pfree(set->positions[i].values);
	}
	if (set->positions != NULL)
		pfree(set->positions);
	memset(set, 0, sizeof(L4StatisticsSet));
}

L4StatisticsSet
statistics_copy(const L4StatisticsSet *set)
{
	L4StatisticsSet copy = *set;
	int			i;

	if (set->position_count <= 0)
		return copy;
	copy.positions = palloc(set->position_count * sizeof(L4ParameterStatistics));
	memcpy(copy.positions, set->positions, set->position_count * sizeof(L4ParameterStatistics));
	for (i = 0; i < copy.position_count; i++)
	{
		L4ParameterStatistics *stats = &copy.positions[i];

		if (stats->values == NULL)
			continue;
		stats->values = palloc(stats->value_room * sizeof(CountedValue));	/* the bytes of a value never change */
		memcpy(stats->values, set->positions[i].values, stats->value_count * sizeof(CountedValue));
	}
	return copy;
}

/* Packing: columns of numbers, of values and of doubles, shape by shape. */

typedef struct StatisticsColumns
{
	StringInfoData ids;			/* shape ids, 8 bytes each */
	StringInfoData rows;		/* streams, counts, lines */
	StringInfoData values;
	StringInfoData doubles;
} StatisticsColumns;

static int
compare_rows(const void *a, const void *b)
{
	const L4StatisticsRow *x = a;
	const L4StatisticsRow *y = b;

	if (x->shape_id != y->shape_id)
		return x->shape_id < y->shape_id ? -1 : 1;
	return x->stream_id < y->stream_id ? -1 : x->stream_id > y->stream_id ? 1 : 0;
}

static void
pack_position(StatisticsColumns *columns, const L4ParameterStatistics *stats, int64 first_line)
{
	int64		line_no = first_line;
	int			i;

	column_put_unsigned(&columns->rows, (uint64) stats->value_count * 2 + (stats->more ? 1 : 0));
	for (i = 0; i < stats->value_count; i++)
	{
		column_put_bytes(&columns->values, value_bytes(&stats->values[i]));
		if (i > 0)				/* the first value is that of the first record */
			column_put_signed(&columns->rows, stats->values[i].line_no - line_no);
		line_no = stats->values[i].line_no;
	}
	if (stats->value_count == 1 && !stats->more)
		return;
	column_put_unsigned(&columns->rows, stats->number_count);
	if (stats->number_count == 0)
		return;
	column_put_double(&columns->doubles, sum_of_numbers(stats));
	if (!stats->more)
		return;
	column_put_double(&columns->doubles, stats->minimum);
	column_put_double(&columns->doubles, stats->maximum);
	column_put_signed(&columns->rows, stats->minimum_line - first_line);
	column_put_signed(&columns->rows, stats->maximum_line - first_line);
}

/* The distinct streams of the rows, ascending. */
static int64 *
distinct_streams(const L4StatisticsRow *rows, int count, int *stream_count)
{
	int64	   *streams = palloc(mul_size(Max(count, 1), sizeof(int64)));
	int			i;

	for (i = 0; i < count; i++)
		streams[i] = rows[i].stream_id;
	qsort(streams, count, sizeof(int64), compare_int64);
	*stream_count = 0;
	for (i = 0; i < count; i++)
		if (*stream_count == 0 || streams[*stream_count - 1] != streams[i])
			streams[(*stream_count)++] = streams[i];
	return streams;
}

static void
pack_row(StatisticsColumns *columns, const L4StatisticsRow *row, const int64 *streams, int stream_count, int *stream)
{
	int			number = int64_set_place(streams, stream_count, row->stream_id, *stream);
	int			i;

	column_put_unsigned(&columns->rows, number - *stream);
	*stream = number;
	column_put_unsigned(&columns->rows, row->occurrences);
	column_put_unsigned(&columns->rows, row->first_line);
	for (i = 0; i < row->set->position_count; i++)
		pack_position(columns, &row->set->positions[i], row->first_line);
}

/* The rows of one shape, from row `from` on; returns where the next begins. */
static int
pack_shape(StatisticsColumns *columns, const L4StatisticsRow *rows, int from, int count, const int64 *streams, int stream_count)
{
	int			to = from;
	int			stream = 0;

	while (to < count && rows[to].shape_id == rows[from].shape_id)
		to++;
	column_put_fixed(&columns->ids, (uint64) rows[from].shape_id);
	column_put_unsigned(&columns->rows, to - from);
	column_put_unsigned(&columns->rows, rows[from].set->position_count);
	for (; from < to; from++)
		pack_row(columns, &rows[from], streams, stream_count, &stream);
	return to;
}

static void
put_column(StringInfo out, const StringInfoData *column)
{
	L4Bytes		bytes = {column->data, column->len};

	column_put_bytes(out, bytes);
}

bool
statistics_image(L4StatisticsRow *rows, int count, L4StatisticsImage *image)
{
	StatisticsColumns columns;
	StringInfoData plain;
	const StringInfoData *all[] = {&columns.ids, &columns.rows, &columns.values, &columns.doubles};
	int64	   *streams;
	int			shape_count = 0;
	int			i;
	int			kept = 0;

	StaticAssertStmt(lengthof(all) + 1 == L4_STATISTICS_SECTIONS, "a head and a section for each column");
	for (i = 0; i < count; i++)
		if (rows[i].set->position_count > 0)
			rows[kept++] = rows[i];
	if (kept == 0)
		return false;
	qsort(rows, kept, sizeof(L4StatisticsRow), compare_rows);
	streams = distinct_streams(rows, kept, &image->stream_count);
	initStringInfo(&columns.ids);
	initStringInfo(&columns.rows);
	initStringInfo(&columns.values);
	initStringInfo(&columns.doubles);
	for (i = 0; i < kept; shape_count++)
	{
		CHECK_FOR_INTERRUPTS();
		i = pack_shape(&columns, rows, i, kept, streams, image->stream_count);
	}
	initStringInfo(&plain);
	column_put_unsigned(&plain, image->stream_count);
	for (i = 0; i < image->stream_count; i++)
		column_put_fixed(&plain, (uint64) streams[i]);
	column_put_unsigned(&plain, shape_count);
	image->sections[0] = (L4Bytes) {plain.data, plain.len};
	for (i = 0; i < lengthof(all); i++)
	{
		StringInfoData column;

		initStringInfo(&column);
		put_column(&column, all[i]);
		image->sections[i + 1] = (L4Bytes) {column.data, column.len};
	}
	return true;
}

bytea *
statistics_pack(L4StatisticsRow *rows, int count)
{
	L4StatisticsImage image;

	return statistics_image(rows, count, &image) ? statistics_pack_image(&image) : NULL;
}

bytea *
statistics_pack_image(const L4StatisticsImage *image)
{
	StringInfoData plain;
	int			i;

	initStringInfo(&plain);
	for (i = 0; i < L4_STATISTICS_SECTIONS; i++)
		appendBinaryStringInfo(&plain, image->sections[i].data, (int) image->sections[i].size);
	return blob_pack((L4Bytes) {plain.data, plain.len});
}

void
statistics_put(StringInfo out, const L4StatisticsSet *set)
{
	int			i;
	int			j;

	column_put_signed(out, set->position_count);
	for (i = 0; i < set->position_count; i++)
	{
		const L4ParameterStatistics *stats = &set->positions[i];

		column_put_unsigned(out, (stats->more ? 1 : 0) + (stats->summed ? 2 : 0));
		column_put_unsigned(out, stats->value_count);
		for (j = 0; j < stats->value_count; j++)
		{
			column_put_bytes(out, value_bytes(&stats->values[j]));
			column_put_signed(out, stats->values[j].line_no);
		}
		column_put_unsigned(out, stats->number_count);
		if (stats->number_count == 0)
			continue;
		column_put_double(out, stats->sum);
		column_put_double(out, stats->minimum);
		column_put_double(out, stats->maximum);
		column_put_signed(out, stats->minimum_line);
		column_put_signed(out, stats->maximum_line);
	}
}

static void
get_position(L4ColumnReader *in, L4ParameterStatistics *stats)
{
	uint64		flags = column_get_unsigned(in);
	int			i;

	stats->more = (flags & 1) != 0;
	stats->summed = (flags & 2) != 0;
	stats->value_count = stats->value_room = (uint8) column_get_count(in, L4_STATISTICS_VALUES);
	if (stats->value_count > 0)
		stats->values = palloc(stats->value_count * sizeof(CountedValue));
	for (i = 0; i < stats->value_count; i++)
	{
		L4Bytes		value = column_get_bytes(in);

		keep_value(&stats->values[i], value, column_get_signed(in));
	}
	stats->number_count = (int64) column_get_unsigned(in);
	if (stats->number_count == 0)
		return;
	stats->sum = column_get_double(in);
	stats->minimum = column_get_double(in);
	stats->maximum = column_get_double(in);
	stats->minimum_line = column_get_signed(in);
	stats->maximum_line = column_get_signed(in);
}

void
statistics_get(L4ColumnReader *in, L4StatisticsSet *set)
{
	int			i;

	memset(set, 0, sizeof(L4StatisticsSet));
	set->position_count = (int) column_get_signed(in);
	if (set->position_count < -1 || set->position_count > L4_STATISTICS_POSITIONS)
		column_corrupted("a sketch has too many positions");
	if (set->position_count > 0)
		set->positions = palloc0(set->position_count * sizeof(L4ParameterStatistics));
	for (i = 0; i < set->position_count; i++)
		get_position(in, &set->positions[i]);
}

void
statistics_restore(L4StatisticsMemory *memory, L4StatisticsSet *set, const L4StatisticsEntry *entry)
{
	L4ParameterStatistics *stats;
	size_t		used = memory->used;
	int			i;

	if (entry->position != set->position_count + 1)
		column_corrupted("the positions of a sketch are not in order");
	set->positions = set->positions == NULL ? palloc(sizeof(L4ParameterStatistics))
		: repalloc(set->positions, entry->position * sizeof(L4ParameterStatistics));
	set->position_count = entry->position;
	memory->used += sizeof(L4ParameterStatistics);
	stats = &set->positions[entry->position - 1];
	memset(stats, 0, sizeof(L4ParameterStatistics));
	for (i = 0; i < entry->value_count; i++)
		add_value(memory, stats, entry->values[i], entry->value_lines[i]);
	set->size += (uint32) (memory->used - used);
	stats->more = entry->distinct_values > entry->value_count;
	stats->number_count = entry->number_count;
	stats->minimum = entry->minimum;
	stats->minimum_line = entry->minimum_line;
	stats->maximum = entry->maximum;
	stats->maximum_line = entry->maximum_line;
	stats->sum = entry->sum;
	stats->summed = stats->more || stats->value_count > 1;
}
