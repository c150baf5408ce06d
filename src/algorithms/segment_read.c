/*
 * segment_read.c: some thousands of consecutive records of one file as compressed columns, without loss: reading.
 *
 * Which stream, frame and shape each record has is read at once, and with it where the record's parameters lie; the parameters
 * of a frame or a shape are unpacked when a record with it is asked for them.
 */
#include "algorithms/segment.h"

#include "utils/memutils.h"

#include "algorithms/column.h"
#include "algorithms/frame_time.h"
#include "algorithms/record.h"
#include "algorithms/segment_bundle.h"
#include "algorithms/segment_private.h"

#include "tools/codec.h"
#include "tools/json_text.h"

typedef struct StoredText
{
	L4Bytes		text;
	int			kind;
	int			column_count;
	int			first_column;
	int			record_count;
	uint64		hash;			/* 0 until it is asked for */
} StoredText;

typedef struct StoredDictionary
{
	uint32		count;
	StoredText *texts;
} StoredDictionary;

struct L4SegmentReader
{
	uint32		record_count;
	uint32		read;
	int64		line_no;
	int			line_part;
	StreamTimes times;
	uint64		salt;			/* of the ids of shapes */
	int64		time_unit;
	int64		record_time;	/* of the record last read */
	int64		iteration;
	L4ColumnReader columns[COLUMN_COUNT];
	StoredDictionary components;
	StoredDictionary frames;
	StoredDictionary shapes;
	L4Columns  *parameters;
	int		   *streams;		/* of each record */
	int		   *record_frames;
	int		   *record_shapes;
	int		   *frame_indexes;	/* of each record: which of the values of its frame's columns are its own */
	int		   *shape_indexes;
	const StoredText *frame;	/* of the record last read */
	StoredText *shape;
	L4Bytes    *values;			/* of a frame or a shape, for whoever asked last */
	StringInfoData scratch_frame;
	StringInfoData scratch_message;
	const int64 *wanted;		/* ids of streams, 0 for those that are not; NULL: all */
	int			wanted_count;
	/* of a bundle: */
	const L4SegmentBlobs *bundle;	/* NULL: one segment */
	MemoryContext memory;		/* of the segment under way */
	int			member;			/* its number, */
	int			first_stream;	/* the number of its first stream, */
	int			stream_count;	/* and how many it has */
};

static void
get_dictionary_texts(L4ColumnReader *in, StoredDictionary *dictionary)
{
	uint32		i;

	dictionary->count = column_get_count(in, PG_INT32_MAX);
	dictionary->texts = palloc(mul_size(Max(dictionary->count, 1), sizeof(StoredText)));
	for (i = 0; i < dictionary->count; i++)
	{
		StoredText *text = &dictionary->texts[i];
		uint64		columns;
		uint64		kind;

		text->text = column_get_bytes(in);
		kind = column_get_unsigned(in);
		if (kind > 8 * SECS_PER_DAY + TEXT_TIMED || (kind > TEXT_TIMED && kind % 4 != TEXT_TIMED))
			column_corrupted("a text is of an unknown kind");
		text->kind = (int) kind;
		columns = kind == TEXT_MASKED ? column_get_unsigned(in) : 0;
		if (columns > text->text.size / L4_PLACEHOLDER_SIZE)
			column_corrupted("a shape states too many parameters");
		text->column_count = (int) columns;
		text->record_count = 0;
		text->hash = 0;
	}
}

/* Numbers the columns of all texts. Returns the number of the next one. */
static uint64
number_columns(StoredDictionary *dictionary, uint64 next, int *widest)
{
	uint32		i;

	for (i = 0; i < dictionary->count; i++)
	{
		*widest = Max(*widest, dictionary->texts[i].column_count);
		dictionary->texts[i].first_column = (int) Min(next, PG_INT32_MAX);
		next += dictionary->texts[i].column_count;
	}
	return next;
}

static L4ColumnReader
open_blob(const bytea *blob)
{
	L4Bytes		plain = blob_unpack(blob);
	L4ColumnReader reader;

	reader.at = plain.data;
	reader.end = plain.data + plain.size;
	return reader;
}

static int64
get_time_unit(L4ColumnReader *column)
{
	uint64		unit = column_get_unsigned(column);

	if (unit > 2)
		column_corrupted("the unit of its times is not known");
	return unit == 0 ? 1000000 : unit == 1 ? 1000 : 1;
}

/*
 * The numbers of a column, one for each record, each below limit. records: the order they are stored in, NULL if that of the
 * file.
 */
static int *
get_numbers(L4ColumnReader *column, uint32 count, uint32 limit, const int *records)
{
	int		   *numbers = palloc(mul_size(Max(count, 1), sizeof(int)));
	uint32		i;

	for (i = 0; i < count; i++)
	{
		uint64		number = column_get_unsigned(column);

		if (number >= limit)
			column_corrupted("a record names a stream or a text that is not there");
		numbers[records != NULL ? (uint32) records[i] : i] = (int) number;
	}
	return numbers;
}

/* Which of the values of its text's columns are a record's own; checks that there are as many as records. */
static int *
parameter_indexes(L4SegmentReader *reader, StoredDictionary *dictionary, const int *texts, const int *records)
{
	int		   *indexes = palloc(mul_size(Max(reader->record_count, 1), sizeof(int)));
	uint32		i;
	int			j;

	for (i = 0; i < reader->record_count; i++)
	{
		uint32		record = records != NULL ? (uint32) records[i] : i;

		indexes[record] = dictionary->texts[texts[record]].record_count++;
	}
	for (i = 0; i < dictionary->count; i++)
		for (j = 0; j < dictionary->texts[i].column_count; j++)
			if (columns_value_count(reader->parameters, dictionary->texts[i].first_column + j) !=
				dictionary->texts[i].record_count)
				column_corrupted("a text has not as many parameters as records");
	return indexes;
}

static void
open_structure(L4SegmentReader *reader, const bytea *blob)
{
	L4ColumnReader in = open_blob(blob);
	int			i;

	reader->record_count = column_get_count(&in, L4_SEGMENT_RECORDS);
	reader->line_part = (int) (column_get_unsigned(&in) & PG_INT32_MAX);
	for (i = 0; i < COLUMN_COUNT; i++)
	{
		L4Bytes		bytes = column_get_bytes(&in);

		reader->columns[i].at = bytes.data;
		reader->columns[i].end = bytes.data + bytes.size;
	}
	reader->times.context = CurrentMemoryContext;
	reader->time_unit = get_time_unit(&reader->columns[COLUMN_TIME]);
}

/* Reads which texts each record has, and where its parameters are. */
static void
place_records(L4SegmentReader *reader)
{
	uint32		count = reader->record_count;
	int		   *records;

	reader->streams = get_numbers(&reader->columns[COLUMN_STREAM], count, count, NULL);
	records = stream_order(reader->streams, (int) count);
	reader->record_frames = get_numbers(&reader->columns[COLUMN_FRAME], count, reader->frames.count, records);
	reader->record_shapes = get_numbers(&reader->columns[COLUMN_SHAPE], count, reader->shapes.count, NULL);
	reader->frame_indexes = parameter_indexes(reader, &reader->frames, reader->record_frames, records);
	reader->shape_indexes = parameter_indexes(reader, &reader->shapes, reader->record_shapes, records);
}

/* What the ids of shapes differ in from their hashes: behind the masks of a segment's columns, where it is not 0. */
static uint64
get_salt(L4ColumnReader *in)
{
	return in->at < in->end ? column_get_fixed(in) : 0;
}

/* The salt, behind so many masks. */
static uint64
get_salt_behind(L4ColumnReader *in, uint64 count)
{
	while (count-- > 0)
		(void) column_get_unsigned(in);
	return get_salt(in);
}

/* Opens one segment. */
static void
open_segment(L4SegmentReader *reader, const L4SegmentBlobs *blobs)
{
	L4ColumnReader in;
	uint64		column_count;
	int			widest = 1;

	blob_check_bound(blobs->structure, blobs->texts);
	blob_check_bound(blobs->texts, blobs->parameters);
	open_structure(reader, blobs->structure);
	in = open_blob(blobs->texts);
	get_dictionary_texts(&in, &reader->components);
	get_dictionary_texts(&in, &reader->frames);
	get_dictionary_texts(&in, &reader->shapes);
	column_count = number_columns(&reader->frames, 0, &widest);
	column_count = number_columns(&reader->shapes, column_count, &widest);
	reader->salt = get_salt_behind(&in, column_count);
	reader->parameters = columns_open(blobs->parameters, column_count);
	reader->values = palloc(mul_size(widest, sizeof(L4Bytes)));
	place_records(reader);
	reader->read = 0;
	reader->line_no = reader->iteration = 0;
}

static void
open_bundle(L4SegmentReader *reader, const L4SegmentBlobs *blobs)
{
	reader->bundle = memcpy(palloc(sizeof(L4SegmentBlobs)), blobs, sizeof(L4SegmentBlobs));
	reader->memory = AllocSetContextCreate(CurrentMemoryContext, "l4 segment of a bundle", ALLOCSET_DEFAULT_SIZES);
	reader->member = -1;
}

L4SegmentReader *
segment_open(const L4SegmentBlobs *blobs)
{
	L4SegmentReader *reader = palloc0(sizeof(L4SegmentReader));

	if (blob_is_bundle(blobs->structure))
		open_bundle(reader, blobs);
	else
		open_segment(reader, blobs);
	initStringInfo(&reader->scratch_frame);
	initStringInfo(&reader->scratch_message);
	return reader;
}

void
segment_want(L4SegmentReader *reader, const int64 *stream_ids, int count)
{
	reader->wanted = stream_ids;
	reader->wanted_count = count;
}

void
segment_skip_rest(L4SegmentReader *reader)
{
	reader->read = reader->record_count;
}

/* Is a stream wanted? One that is not listed is: whoever asks for its id says that it is not there. */
static inline bool
wants_stream(const L4SegmentReader *reader, int stream)
{
	return reader->wanted == NULL || stream >= reader->wanted_count || reader->wanted[stream] != 0;
}

/* Opens the next segment of the bundle that has a stream that is wanted. */
static bool
next_member(L4SegmentReader *reader)
{
	bool		wanted = false;
	int			i;

	while (reader->bundle != NULL && !wanted)
	{
		int			count = segment_bundle_streams(reader->bundle, ++reader->member);

		if (count < 0)
			break;
		reader->first_stream += reader->stream_count;
		reader->stream_count = count;
		for (i = 0; i < count && !wanted; i++)
			wanted = wants_stream(reader, reader->first_stream + i);
	}
	if (wanted)
	{
		MemoryContext caller = MemoryContextSwitchTo(reader->memory);
		L4SegmentBlobs blobs;

		MemoryContextReset(reader->memory);
		memset(&reader->times, 0, sizeof(reader->times));
		segment_bundle_member(reader->bundle, reader->member, &blobs);
		open_segment(reader, &blobs);
		MemoryContextSwitchTo(caller);
	}
	return wanted;
}

/* The parameters of the record's frame or shape, in reader->values. */
static const L4Bytes *
record_values(L4SegmentReader *reader, const StoredText *text, int place)
{
	int			i;

	for (i = 0; i < text->column_count; i++)
		reader->values[i] = columns_values(reader->parameters, text->first_column + i)[place];
	return reader->values;
}

static void
next_position(L4SegmentReader *reader, L4StoredRecord *record)
{
	int64		step = column_get_signed(&reader->columns[COLUMN_LINE]);
	int64		time;
	uint64		stored;

	if (reader->read > 0)
		reader->line_part = step == 0 ? reader->line_part + 1 : 0;
	reader->line_no += step;
	record->line_no = reader->line_no;
	record->line_part = reader->line_part;
	record->stream = reader->streams[reader->read];
	time = stream_time(&reader->times, record->stream);
	stored = column_get_unsigned(&reader->columns[COLUMN_TIME]);
	record->has_time = stored != 0;
	if (record->has_time)
	{
		stored--;
		time = (int64) ((uint64) time + ((stored >> 1) ^ (0 - (stored & 1))));
		set_stream_time(&reader->times, record->stream, time);
	}
	record->time = (int64) ((uint64) time * (uint64) reader->time_unit);
	reader->record_time = record->time;
	record->has_iteration = column_get_unsigned(&reader->columns[COLUMN_ITERATION]) != 0;
	if (record->has_iteration)
		reader->iteration = (int64) ((uint64) reader->iteration +
									 (uint64) column_get_signed(&reader->columns[COLUMN_ITERATION]));
	record->iteration = reader->iteration;
}

int
segment_reader_count(const L4SegmentReader *reader)
{
	return (int) reader->record_count;
}

/* The next record of the segment under way. */
static void
read_record(L4SegmentReader *reader, L4StoredRecord *record)
{
	uint64		component;
	uint64		level;
	uint64		stage;

	next_position(reader, record);
	level = column_get_unsigned(&reader->columns[COLUMN_LEVEL]);
	stage = column_get_unsigned(&reader->columns[COLUMN_STAGE]);
	component = column_get_unsigned(&reader->columns[COLUMN_COMPONENT]);
	if (level > L4_LEVEL_FATAL || stage > (uint64) l4_stage_count || component > reader->components.count)
		column_corrupted("a record holds a number out of range");
	record->level = (L4Level) level;
	record->stage = (int) stage;
	record->component.size = 0;
	record->component.data = "";
	if (component > 0)
		record->component = reader->components.texts[component - 1].text;
	reader->frame = &reader->frames.texts[reader->record_frames[reader->read]];
	reader->shape = &reader->shapes.texts[reader->record_shapes[reader->read]];
	record->shape_text = reader->shape->text;
	record->shape_hash = &reader->shape->hash;
	record->salt = reader->salt;
	record->parameter_count = reader->shape->column_count;
	reader->read++;
	if (reader->bundle != NULL && record->stream >= reader->stream_count)
		column_corrupted("a record names a stream that its segment does not have");
	record->stream += reader->first_stream;
}

bool
segment_next(L4SegmentReader *reader, L4StoredRecord *record)
{
	do
	{
		while (reader->read == reader->record_count)
			if (!next_member(reader))
				return false;
		read_record(reader, record);
	} while (!wants_stream(reader, record->stream));
	return true;
}

const L4Bytes *
segment_parameters(L4SegmentReader *reader)
{
	return record_values(reader, reader->shape, reader->shape_indexes[reader->read - 1]);
}

void
segment_message(L4SegmentReader *reader, StringInfo message)
{
	shape_expand(message, reader->shape->text, segment_parameters(reader), reader->shape->column_count);
}

/* The frame of the record last read, in scratch_frame. */
static void
expand_frame(L4SegmentReader *reader)
{
	const StoredText *frame = reader->frame;
	uint32		zigzag = (uint32) (frame->kind - TEXT_TIMED) / 4;

	if (frame->kind == TEXT_MASKED)
		shape_expand(&reader->scratch_frame, frame->text, record_values(reader, frame, reader->frame_indexes[reader->read - 1]),
					 frame->column_count);
	else if (frame->kind == TEXT_PLAIN)
		appendBinaryStringInfo(&reader->scratch_frame, frame->text.data, frame->text.size);
	else
		frame_time_expand(&reader->scratch_frame, frame->text, reader->record_time, (int) (zigzag >> 1) ^ -(int) (zigzag & 1));
}

/* What stands in a frame behind the text of a line that a collector wrapped. */
typedef struct Behind
{
	bool		here;
	char		style;			/* of the text, as a string of JSON */
	size_t		before;			/* bytes of the line's prefix that are the collector's */
	L4Bytes		text;
} Behind;

/* Reads that, and goes behind it. */
static Behind
read_behind(const char **frame, const char *end)
{
	Behind		behind = {0};
	const char *at = *frame;

	if (end - at < 4 || memcmp(at, L4_FRAME_BEHIND, strlen(L4_FRAME_BEHIND)) != 0)
		return behind;
	behind.here = true;
	at += strlen(L4_FRAME_BEHIND);
	behind.style = *at++;
	for (; at < end && is_digit(*at) && behind.before < L4_RECORD_BYTES; at++)
		behind.before = behind.before * 10 + (*at - '0');
	if (at == end || *at != ':')
		column_corrupted("a record's frame does not say where its text begins");
	behind.text.data = ++at;
	while (at < end && *at != '\n' && *at != '\r')
		at++;
	behind.text.size = at - behind.text.data;
	*frame = at;
	return behind;
}

/* Appends a line by its prefix and its text, and what stands behind that; told: only what a program wrote. */
static void
append_line(StringInfo out, L4Bytes prefix, L4Bytes text, const Behind *behind, bool told)
{
	if (behind->here && told)
	{
		size_t		before = Min(behind->before, prefix.size);

		prefix.data += before;
		prefix.size -= before;
	}
	appendBinaryStringInfo(out, prefix.data, (int) prefix.size);
	if (behind->here && !told && behind->style != L4_FRAME_PLAIN)
		json_text_encode(text, behind->style - 'a', out);
	else
		appendBinaryStringInfo(out, text.data, (int) text.size);
	if (behind->here && !told)
		appendBinaryStringInfo(out, behind->text.data, (int) behind->text.size);
}

/*
 * The frame holds, line by line, the prefix and the terminator between which the message's line belongs. A terminator is \n,
 * \r, \r\n or, for the last line only, nothing; neither prefixes nor message lines hold \n or \r. Before it may stand what a
 * collector put behind the message's line (L4_FRAME_BEHIND). True where a collector wrapped any.
 */
static bool
append_record(L4SegmentReader *reader, StringInfo raw, bool told)
{
	const char *frame;
	const char *frame_end;
	const char *message;
	const char *message_end;
	bool		wrapped = false;

	resetStringInfo(&reader->scratch_frame);
	resetStringInfo(&reader->scratch_message);
	expand_frame(reader);
	segment_message(reader, &reader->scratch_message);
	frame = reader->scratch_frame.data;
	frame_end = frame + reader->scratch_frame.len;
	message = reader->scratch_message.data;
	message_end = message + reader->scratch_message.len;
	for (;;)
	{
		L4Bytes		prefix = {frame, 0};
		L4Bytes		line = {message, 0};
		Behind		behind;

		while (frame < frame_end && *frame != '\n' && *frame != '\r')
			frame++;
		prefix.size = frame - prefix.data;
		message = memchr(line.data, '\n', message_end - line.data);
		if (message == NULL)
			message = message_end;
		line.size = message - line.data;
		behind = read_behind(&frame, frame_end);
		wrapped |= behind.here;
		append_line(raw, prefix, line, &behind, told);
		if (frame < frame_end)
		{
			appendStringInfoChar(raw, *frame);
			if (*frame++ == '\r' && frame < frame_end && *frame == '\n')
				appendStringInfoChar(raw, *frame++);
		}
		if (message == message_end)
			break;
		message++;
	}
	if (frame != frame_end)
		column_corrupted("a record's frame has more lines than its message");
	return wrapped;
}

void
segment_raw(L4SegmentReader *reader, StringInfo raw)
{
	(void) append_record(reader, raw, false);
}

bool
segment_told(L4SegmentReader *reader, StringInfo told)
{
	return append_record(reader, told, true);
}

int
segment_frame_index(const L4SegmentReader *reader)
{
	return (int) (reader->frame - reader->frames.texts);
}

int
segment_shape_index(const L4SegmentReader *reader)
{
	return (int) (reader->shape - reader->shapes.texts);
}

L4Bytes
segment_column(const L4SegmentReader *reader, bool of_frame, int index, int position)
{
	return columns_text(reader->parameters,
						(of_frame ? &reader->frames : &reader->shapes)->texts[index].first_column + position);
}

/* The texts of a dictionary for those who read nothing else; the masks come after all texts. */
static L4SegmentText *
plain_texts(const StoredDictionary *dictionary)
{
	L4SegmentText *texts = palloc(mul_size(Max(dictionary->count, 1), sizeof(L4SegmentText)));
	uint32		i;

	for (i = 0; i < dictionary->count; i++)
	{
		texts[i].text = dictionary->texts[i].text;
		texts[i].masked = dictionary->texts[i].kind == TEXT_MASKED;
		texts[i].timed = dictionary->texts[i].kind > TEXT_PLAIN;
		texts[i].column_count = dictionary->texts[i].column_count;
		texts[i].masks = NULL;
	}
	return texts;
}

static void
get_masks(L4ColumnReader *in, L4SegmentText *texts, int count)
{
	int			i;
	int			j;

	for (i = 0; i < count; i++)
		if (texts[i].column_count > 0)
		{
			uint32	   *masks = palloc(mul_size(texts[i].column_count, sizeof(uint32)));

			for (j = 0; j < texts[i].column_count; j++)
				masks[j] = (uint32) column_get_unsigned(in);
			texts[i].masks = masks;
		}
}

L4SegmentTexts *
segment_texts(const bytea *blob)
{
	L4SegmentTexts *texts = palloc(sizeof(L4SegmentTexts));
	L4ColumnReader in = open_blob(blob);
	StoredDictionary dictionary;

	texts->blob = blob;
	get_dictionary_texts(&in, &dictionary);	/* components, of which frames have every byte */
	get_dictionary_texts(&in, &dictionary);
	texts->frame_count = (int) dictionary.count;
	texts->frames = plain_texts(&dictionary);
	get_dictionary_texts(&in, &dictionary);
	texts->shape_count = (int) dictionary.count;
	texts->shapes = plain_texts(&dictionary);
	get_masks(&in, texts->frames, texts->frame_count);
	get_masks(&in, texts->shapes, texts->shape_count);
	texts->salt = get_salt(&in);
	return texts;
}
