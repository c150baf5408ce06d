/*
 * parameter_statistics_read.c: reads packed parameter statistics (parameter_statistics.c) of one source or of a bundle of them.
 *
 * Of the stored bytes nothing is believed: every number is checked before it is used (XX001).
 */
#include "algorithms/parameter_statistics.h"

#include "algorithms/value_number.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "tools/bundle.h"
#include "tools/order.h"

struct L4StatisticsReader
{
	uint32		stream_count;
	int64	   *streams;
	uint64		shapes_left;
	uint64		rows_left;		/* of the shape under way */
	uint64		positions;		/* of that shape */
	uint64		position;		/* of the row under way, read so far */
	uint64		stream;
	int64		shape_id;
	int64		occurrences;
	int64		first_line;
	const int64 *wanted;		/* ascending: shapes that are read, or NULL for all; others are passed over */
	int			wanted_count;
	bool		values_alone;	/* numbers are passed over */
	L4ColumnReader ids;
	L4ColumnReader rows;
	L4ColumnReader values;
	L4ColumnReader doubles;
	const bytea *bundle;		/* NULL: of one source */
	int			member;			/* the one of the bundle that comes next */
	MemoryContext memory;		/* where the reader lies */
};

static void
get_column(L4ColumnReader *in, L4ColumnReader *column)
{
	L4Bytes		bytes = column_get_bytes(in);

	column->at = bytes.data;
	column->end = bytes.data + bytes.size;
}

/* Begins to read the statistics of one source. */
static void
open_source(L4StatisticsReader *reader, const bytea *blob)
{
	L4Bytes		plain = blob_unpack(blob);
	L4ColumnReader in = {plain.data, plain.data + plain.size};
	uint32		i;

	reader->stream_count = column_get_count(&in, PG_INT32_MAX);
	reader->streams = palloc(mul_size(Max(reader->stream_count, 1), sizeof(int64)));
	for (i = 0; i < reader->stream_count; i++)
		reader->streams[i] = (int64) column_get_fixed(&in);
	reader->shapes_left = column_get_unsigned(&in);
	get_column(&in, &reader->ids);
	get_column(&in, &reader->rows);
	get_column(&in, &reader->values);
	get_column(&in, &reader->doubles);
}

/* A bundle of statistics. */
static const L4Bundle *
open_bundle(const bytea *blob)
{
	const L4Bundle *bundle = bundle_open(blob);

	if (bundle->section_count != L4_STATISTICS_SECTIONS)
		column_corrupted("a bundle has another number of sections");
	return bundle;
}

/* Goes on to the next source of a bundle. */
static bool
next_source(L4StatisticsReader *reader)
{
	const L4Bundle *bundle = reader->bundle != NULL ? open_bundle(reader->bundle) : NULL;
	MemoryContext caller;

	if (bundle == NULL || reader->member >= bundle->count)
		return false;
	caller = MemoryContextSwitchTo(reader->memory);
	open_source(reader, bundle_member(bundle, reader->member++));
	MemoryContextSwitchTo(caller);
	return true;
}

L4StatisticsReader *
statistics_open(const bytea *blob)
{
	L4StatisticsReader *reader = palloc0(sizeof(L4StatisticsReader));

	reader->memory = CurrentMemoryContext;
	if (blob_is_bundle(blob))
		reader->bundle = blob;
	else
		open_source(reader, blob);
	return reader;
}

/* The streams of one source of a bundle, which its first section begins with. */
static bool
has_stream(L4Bytes head, const int64 *streams, int count)
{
	L4ColumnReader in = {head.data, head.data + head.size};
	uint32		own = column_get_count(&in, PG_INT32_MAX);
	uint32		i;

	for (i = 0; i < own; i++)
		if (int64_set_has(streams, count, (int64) column_get_fixed(&in)))
			return true;
	return false;
}

bytea *
statistics_member(const bytea *blob, int member, const int64 *streams, int count)
{
	const L4Bundle *bundle = open_bundle(blob);

	return has_stream(bundle_sections(bundle, member)[0], streams, count) ? bundle_member(bundle, member) : NULL;
}

int
statistics_member_count(const bytea *blob)
{
	return blob_is_bundle(blob) ? open_bundle(blob)->count : 0;
}

bytea *
statistics_without(const bytea *blob, const int64 *streams, int count)
{
	L4BundleWriter *left = bundle_create(L4_STATISTICS_SECTIONS);
	const L4Bundle *bundle;
	int			i;

	if (!blob_is_bundle(blob))
		column_corrupted("statistics of several sources are no bundle");
	bundle = open_bundle(blob);
	for (i = 0; i < bundle->count; i++)
		if (!has_stream(bundle_sections(bundle, i)[0], streams, count))
			bundle_add(left, bundle->stream_counts[i], bundle_sections(bundle, i));
	return bundle_writer_count(left) > 0 ? bundle_pack(left, NULL) : NULL;
}

void
statistics_want(L4StatisticsReader *reader, const int64 *shapes, int count)
{
	reader->wanted = shapes;
	reader->wanted_count = count;
}

void
statistics_want_values(L4StatisticsReader *reader)
{
	reader->values_alone = true;
}

static void
skip_position(L4StatisticsReader *reader)
{
	uint64		counts = column_get_unsigned(&reader->rows);
	bool		more = (counts & 1) != 0;
	uint64		i;

	if (counts / 2 > L4_STATISTICS_VALUES)
		column_corrupted("a sketch has too many values");
	for (i = 0; i < counts / 2; i++)
	{
		(void) column_get_bytes(&reader->values);
		if (i > 0)
			(void) column_get_unsigned(&reader->rows);
	}
	if ((counts / 2 == 1 && !more) || column_get_unsigned(&reader->rows) == 0)
		return;
	(void) column_get_fixed(&reader->doubles);
	if (!more)
		return;
	(void) column_get_fixed(&reader->doubles);
	(void) column_get_fixed(&reader->doubles);
	(void) column_get_unsigned(&reader->rows);
	(void) column_get_unsigned(&reader->rows);
}

/* Passes over the shape under way. */
static void
skip_shape(L4StatisticsReader *reader)
{
	uint64		i;

	for (; reader->rows_left > 0; reader->rows_left--)
	{
		CHECK_FOR_INTERRUPTS();
		for (i = 0; i < 3; i++)	/* stream, occurrences, first line */
			(void) column_get_unsigned(&reader->rows);
		for (i = 0; i < reader->positions; i++)
			skip_position(reader);
	}
}

/* Goes on to the next shape, which has no rows left where it is not wanted; false at the end. */
static bool
next_shape(L4StatisticsReader *reader)
{
	while (reader->shapes_left == 0)
		if (!next_source(reader))
			return false;
	reader->shapes_left--;
	reader->shape_id = (int64) column_get_fixed(&reader->ids);
	reader->rows_left = column_get_unsigned(&reader->rows);
	reader->positions = column_get_unsigned(&reader->rows);
	reader->stream = 0;
	if (reader->positions == 0 || reader->positions > L4_STATISTICS_POSITIONS)
		column_corrupted("a sketch has a wrong number of positions");
	if (reader->wanted == NULL || int64_set_has(reader->wanted, reader->wanted_count, reader->shape_id))
		return true;
	if (reader->wanted_count > 0 && reader->shape_id < reader->wanted[reader->wanted_count - 1])
		skip_shape(reader);
	else						/* shapes ascend */
		reader->shapes_left = reader->rows_left = 0;
	return true;
}

/* Goes on to the next row, of this shape or the next one; false at the end. */
static bool
next_row(L4StatisticsReader *reader)
{
	while (reader->rows_left == 0)
		if (!next_shape(reader))
			return false;
	reader->rows_left--;
	reader->stream += column_get_unsigned(&reader->rows);
	if (reader->stream >= reader->stream_count)
		column_corrupted("a sketch names a stream that is not there");
	reader->occurrences = (int64) column_get_unsigned(&reader->rows);
	reader->first_line = (int64) column_get_unsigned(&reader->rows);
	reader->position = 0;
	return true;
}

/* Range of the numbers among the values, where all of them are known. */
static void
range_of_values(const L4StatisticsReader *reader, L4StatisticsEntry *entry)
{
	bool		any = false;
	double		number;
	int			i;

	if (reader->values_alone)
		return;
	for (i = 0; i < entry->value_count; i++)
	{
		if (!value_number(entry->values[i], &number))
			continue;
		if (!any || number < entry->minimum || (number == entry->minimum && entry->value_lines[i] < entry->minimum_line))
		{
			entry->minimum = number;
			entry->minimum_line = entry->value_lines[i];
		}
		if (!any || number > entry->maximum || (number == entry->maximum && entry->value_lines[i] < entry->maximum_line))
		{
			entry->maximum = number;
			entry->maximum_line = entry->value_lines[i];
		}
		any = true;
	}
	if (entry->value_count == 1)
	{
		entry->number_count = any ? entry->occurrences : 0;
		entry->sum = entry->number_count * entry->minimum;
		entry->mean = entry->minimum;
	}
}

static void
read_numbers(L4StatisticsReader *reader, L4StatisticsEntry *entry, bool more)
{
	if (entry->value_count == 1 && !more)
	{
		range_of_values(reader, entry);
		return;
	}
	entry->number_count = (int64) column_get_unsigned(&reader->rows);
	if (entry->number_count == 0)
		return;
	entry->sum = column_get_double(&reader->doubles);
	entry->mean = entry->sum / entry->number_count;
	if (!more)
	{
		range_of_values(reader, entry);
		return;
	}
	entry->minimum = column_get_double(&reader->doubles);
	entry->maximum = column_get_double(&reader->doubles);
	entry->minimum_line = reader->first_line + column_get_signed(&reader->rows);
	entry->maximum_line = reader->first_line + column_get_signed(&reader->rows);
}

bool
statistics_next(L4StatisticsReader *reader, L4StatisticsEntry *entry)
{
	uint64		counts;
	int64		line_no;
	int			i;

	if (reader->position == reader->positions || reader->positions == 0)
		if (!next_row(reader))
			return false;
	entry->stream_id = reader->streams[reader->stream];
	entry->shape_id = reader->shape_id;
	entry->occurrences = reader->occurrences;
	entry->first_line = reader->first_line;
	entry->number_count = entry->minimum_line = entry->maximum_line = 0;
	entry->minimum = entry->maximum = entry->sum = entry->mean = 0;
	entry->position = (int) ++reader->position;
	counts = column_get_unsigned(&reader->rows);
	if (counts / 2 > L4_STATISTICS_VALUES)
		column_corrupted("a sketch has too many values");
	entry->value_count = (int) (counts / 2);
	entry->distinct_values = entry->value_count + (int) (counts & 1);
	line_no = reader->first_line;
	for (i = 0; i < entry->value_count; i++)
	{
		entry->values[i] = column_get_bytes(&reader->values);
		if (i > 0)
			line_no += column_get_signed(&reader->rows);
		entry->value_lines[i] = line_no;
	}
	read_numbers(reader, entry, (counts & 1) != 0);
	return true;
}
