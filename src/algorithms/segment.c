/*
 * segment.c: some thousands of consecutive records of one file as compressed columns, without loss.
 *
 * A record's bytes are split into a frame (prefixes, header, line ends) and a message; each is masked to a shape from the segment's own dictionary
 * and parameters. So a segment can be read alone, on any machine, whatever became of l4_shape. Small per-record numbers lie column by
 * column in the blob `structure`, the dictionaries in `texts`, and the parameters, grouped by shape and position so that like stands beside like, in
 * `parameters`. zstd does the rest. After CLP's dictionary and variable columns (Rodrigues et al., OSDI 2021).
 */
#include "algorithms/segment.h"

#include "algorithms/frame_time.h"
#include "tools/codec.h"

const char *const l4_stages[] = {
	"environment_init", "rendezvous", "communicator_init", "data_load", "model_build",
	"checkpoint_load", "iterating", "evaluation", "checkpoint_save", "teardown"
};
const int	l4_stage_count = lengthof(l4_stages);

/* A text of a dictionary is a shape with its parameters' columns, or taken as it is, or as it is but for the digits of its record's time. */
#define TEXT_MASKED 0
#define TEXT_PLAIN 1
#define TEXT_TIMED 2			/* plus zigzag of the offset in seconds, times 4 */
/* So many heads are kept as they are in a segment; the next ones are masked. */
#define PLAIN_FRAME_LIMIT 512
#define COLUMN_ROOM 64

/* An entry of a dictionary of texts; shapes carry a column per parameter position. */
typedef struct DictionaryEntry
{
	uint64		hash;			/* key: two texts with one hash are told apart by `text` */
	int			index;
	char		status;
} DictionaryEntry;

#define SH_PREFIX dictionary
#define SH_ELEMENT_TYPE DictionaryEntry
#define SH_KEY_TYPE uint64
#define SH_KEY hash
#define SH_HASH_KEY(table, key) ((uint32) (key))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

typedef struct DictionaryText
{
	L4Bytes		text;
	uint64		hash;
	int			kind;			/* TextKind; with a time: + offset */
	int			column_count;
	StringInfoData *columns;	/* the values of each parameter position, length before each */
} DictionaryText;

typedef struct Dictionary
{
	dictionary_hash *by_hash;
	int			count;
	int			room;
	DictionaryText *texts;
} Dictionary;

enum StructureColumn
{
	COLUMN_STREAM, COLUMN_LINE, COLUMN_TIME, COLUMN_LEVEL, COLUMN_COMPONENT, COLUMN_STAGE, COLUMN_ITERATION,
	COLUMN_FRAME, COLUMN_SHAPE, COLUMN_COUNT
};

/* A head that was added a moment ago, and its component. */
typedef struct RecentFrame
{
	int			index;			/* -1 where there is none */
	int			form;			/* of its time; 0 where it is kept as it is */
	int			time_begin;
	int			component_begin;	/* -1 where it has none, or none within the frame */
	int			component_size;
	int			component;		/* what the column says */
} RecentFrame;

#define RECENT_FRAMES 1024

/* The time, in the unit of the segment, of each stream's last record that had one. */
typedef struct StreamTimes
{
	MemoryContext context;
	int			room;
	bool	   *known;
	int64	   *times;
	int64		last;			/* of any stream: what a stream begins with */
} StreamTimes;

struct L4SegmentBuilder
{
	MemoryContext context;
	int			record_count;
	int			first_part;		/* of the first record: a line may span segments */
	size_t		raw_size;
	int64		last_line;
	int64		last_iteration;
	StringInfoData columns[COLUMN_COUNT];
	Dictionary	components;
	Dictionary	frames;
	Dictionary	shapes;
	L4Shape		frame_shape;
	RecentFrame recent[RECENT_FRAMES];
	StringInfoData reduced;
	int			offset;			/* of the last time, in seconds */
	int			time_room;
	bool	   *has_times;		/* of each record */
	int64	   *times;
	int		   *streams;
};

static void
dictionary_init(Dictionary *dictionary)
{
	dictionary->by_hash = dictionary_create(CurrentMemoryContext, 64, NULL);
	dictionary->count = 0;
	dictionary->room = 64;
	dictionary->texts = palloc(dictionary->room * sizeof(DictionaryText));
}

/* The index of text in the dictionary, or -1. */
static int
dictionary_find(const Dictionary *dictionary, L4Bytes text, uint64 hash, int kind)
{
	for (;; hash++)
	{
		DictionaryEntry *entry = dictionary_lookup(dictionary->by_hash, hash);
		const DictionaryText *slot;

		if (entry == NULL)
			return -1;
		slot = &dictionary->texts[entry->index];
		if (slot->text.size == text.size && slot->kind == kind && memcmp(slot->text.data, text.data, text.size) == 0)
			return entry->index;
	}
}

/* The index of text in the dictionary, added where new with column_count parameter columns. */
static int
dictionary_index(Dictionary *dictionary, L4Bytes text, uint64 hash, int kind, int column_count)
{
	uint64		own_hash = hash;
	DictionaryEntry *entry;
	DictionaryText *slot;
	bool		found;
	int			i;

	for (;;)
	{
		entry = dictionary_insert(dictionary->by_hash, hash, &found);
		if (!found)
			break;
		slot = &dictionary->texts[entry->index];
		if (slot->text.size == text.size && slot->kind == kind && memcmp(slot->text.data, text.data, text.size) == 0)
			return entry->index;
		hash++;					/* another text with this hash: the next key */
	}
	entry->index = dictionary->count;
	if (dictionary->count == dictionary->room)
	{
		dictionary->room *= 2;
		dictionary->texts = repalloc(dictionary->texts, mul_size(dictionary->room, sizeof(DictionaryText)));
	}
	slot = &dictionary->texts[dictionary->count++];
	slot->text.data = memcpy(palloc(text.size + 1), text.data, text.size);
	slot->text.size = text.size;
	slot->hash = own_hash;
	slot->kind = kind;
	slot->column_count = column_count;
	slot->columns = column_count > 0 ? palloc(mul_size(column_count, sizeof(StringInfoData))) : NULL;
	for (i = 0; i < column_count; i++)
	{
		slot->columns[i].data = palloc(COLUMN_ROOM);	/* most columns stay short */
		slot->columns[i].maxlen = COLUMN_ROOM;
		slot->columns[i].len = slot->columns[i].cursor = 0;
	}
	return entry->index;
}

L4SegmentBuilder *
segment_builder_create(void)
{
	L4SegmentBuilder *builder = palloc0(sizeof(L4SegmentBuilder));
	int			i;

	builder->context = CurrentMemoryContext;
	for (i = 0; i < COLUMN_COUNT; i++)
		initStringInfo(&builder->columns[i]);
	dictionary_init(&builder->components);
	dictionary_init(&builder->frames);
	dictionary_init(&builder->shapes);
	shape_init(&builder->frame_shape);
	for (i = 0; i < RECENT_FRAMES; i++)
		builder->recent[i].index = -1;
	initStringInfo(&builder->reduced);
	builder->time_room = 1024;
	builder->has_times = palloc(builder->time_room * sizeof(bool));
	builder->times = palloc(builder->time_room * sizeof(int64));
	builder->streams = palloc(builder->time_room * sizeof(int));
	return builder;
}

/* Puts the parameters of a masked text into the columns of its entry. */
static void
add_parameters(Dictionary *dictionary, int index, const L4Bytes *parameters, int count)
{
	DictionaryText *slot = &dictionary->texts[index];
	int			i;

	Assert(slot->column_count == count);
	for (i = 0; i < count; i++)
		column_put_bytes(&slot->columns[i], parameters[i]);
}

/* The index of a head that is kept as it is, or -1 where there are too many such heads. */
static int
add_plain_frame(L4SegmentBuilder *builder, L4Bytes text, int kind)
{
	uint64		hash = shape_hash(text.data, text.size) + (uint64) kind;

	if (builder->frames.count < PLAIN_FRAME_LIMIT)
		return dictionary_index(&builder->frames, text, hash, kind, 0);
	return dictionary_find(&builder->frames, text, hash, kind);
}

/* The kind of a text without the digits of its time. */
static inline int
timed_kind(int offset)
{
	return TEXT_TIMED + 4 * ((offset << 1) ^ (offset >> 31));
}

/* Puts a record's frame into the dictionary: without the digits of its time if it can be, masked like a message where it is one of too many. */
static int
segment_add_frame(L4SegmentBuilder *builder, const L4Record *record)
{
	L4Bytes		text = record->frame;
	int			kind = TEXT_PLAIN;
	int			index;

	if (record->has_time && record->time_text.size > 0 &&
		frame_time_reduce(&builder->reduced, record->frame, record->time_text, record->time, &builder->offset))
	{
		text.data = builder->reduced.data;
		text.size = builder->reduced.len;
		kind = timed_kind(builder->offset);
	}
	index = add_plain_frame(builder, text, kind);
	if (index >= 0)
		return index;
	mask_message(&builder->frame_shape, record->frame, NULL, 0);
	text.data = builder->frame_shape.text.data;
	text.size = builder->frame_shape.text.len;
	index = dictionary_index(&builder->frames, text, shape_hash(text.data, text.size), TEXT_MASKED, builder->frame_shape.parameter_count);
	add_parameters(&builder->frames, index, builder->frame_shape.parameters, builder->frame_shape.parameter_count);
	return index;
}

static inline uint64
eight_bytes(const char *at)
{
	uint64		bytes;

	memcpy(&bytes, at, sizeof(bytes));
	return bytes;
}

/* Where a head like this one is remembered: by its last bytes, and those behind its time. */
static inline RecentFrame *
recent_frame(L4SegmentBuilder *builder, L4Bytes frame, size_t time_end)
{
	uint64		hash = frame.size;

	if (frame.size >= 8)
		hash ^= eight_bytes(frame.data + frame.size - 8);
	hash *= UINT64CONST(0x9e3779b97f4a7c15);
	if (frame.size >= time_end + 8)
		hash ^= eight_bytes(frame.data + time_end);
	hash *= UINT64CONST(0xff51afd7ed558ccd);
	return &builder->recent[hash >> 54];
}

/* Is the record's head that which is remembered, but for the digits of its seconds? */
static inline bool
is_recent(const L4SegmentBuilder *builder, const RecentFrame *recent, const L4Record *record, int form, size_t time_begin, size_t time_end)
{
	L4Bytes		frame = record->frame;
	const char *text;

	if (recent->index < 0 || recent->form != form || recent->time_begin != (int) time_begin)
		return false;
	if (builder->frames.texts[recent->index].text.size != frame.size)
		return false;
	text = builder->frames.texts[recent->index].text.data;
	return memcmp(text, frame.data, time_begin) == 0 && memcmp(text + time_end, frame.data + time_end, frame.size - time_end) == 0;
}

/* What the column of components says of the record's. */
static int
component_index(L4SegmentBuilder *builder, L4Bytes component)
{
	if (component.size == 0)
		return 0;
	return 1 + dictionary_index(&builder->components, component, shape_hash(component.data, component.size), TEXT_PLAIN, 0);
}

/* Puts a record's head and component into their columns. A head like one before, as most are, is found without looking at its time. */
static void
put_head(L4SegmentBuilder *builder, const L4Record *record)
{
	bool		timed = record->time_text.size > 0 && record->time_form.form != 0;
	size_t		time_begin = timed ? record->time_text.data - record->frame.data : 0;
	size_t		time_end = timed ? time_begin + record->time_form.size : 0;
	int			form = timed ? record->time_form.form : 0;
	RecentFrame *recent = recent_frame(builder, record->frame, time_end);
	ptrdiff_t	component = record->component.data - record->frame.data;
	int			index;

	if (record->component.size == 0 || component < 0 || component + record->component.size > record->frame.size ||
		(component < (ptrdiff_t) time_end && component + record->component.size > time_begin))
		component = -1;
	if ((timed || record->time_text.size == 0) && is_recent(builder, recent, record, form, time_begin, time_end) && recent->component_begin == component &&
		(component < 0 ? record->component.size == 0 : recent->component_size == (int) record->component.size))
	{
		column_put_unsigned(&builder->columns[COLUMN_COMPONENT], recent->component);
		column_put_unsigned(&builder->columns[COLUMN_FRAME], recent->index);
		return;
	}
	if (timed)
		builder->offset = record->time_form.offset;
	index = segment_add_frame(builder, record);
	recent->component = component_index(builder, record->component);
	column_put_unsigned(&builder->columns[COLUMN_COMPONENT], recent->component);
	column_put_unsigned(&builder->columns[COLUMN_FRAME], index);
	recent->index = -1;
	if ((component < 0 && record->component.size > 0) || builder->frames.texts[index].kind != (timed ? timed_kind(record->time_form.offset) : TEXT_PLAIN))
		return;
	recent->index = index;
	recent->form = form;
	recent->time_begin = (int) time_begin;
	recent->component_begin = (int) component;
	recent->component_size = (int) record->component.size;
}

static void
put_time(L4SegmentBuilder *builder, const L4Record *record)
{
	if (builder->record_count == builder->time_room)
	{
		builder->time_room *= 2;
		builder->has_times = repalloc(builder->has_times, mul_size(builder->time_room, sizeof(bool)));
		builder->times = repalloc(builder->times, mul_size(builder->time_room, sizeof(int64)));
		builder->streams = repalloc(builder->streams, mul_size(builder->time_room, sizeof(int)));
	}
	builder->has_times[builder->record_count] = record->has_time;
	builder->times[builder->record_count] = record->time;
	builder->streams[builder->record_count] = record->stream;
}

/* The time from which the next one of a stream is counted: its last, or at its beginning the last of any. */
static int64
stream_time(const StreamTimes *times, int stream)
{
	return stream < times->room && times->known[stream] ? times->times[stream] : times->last;
}

static void
set_stream_time(StreamTimes *times, int stream, int64 time)
{
	if (stream >= times->room)
	{
		int			room = Max(64, times->room);

		while (room <= stream)
			room = (int) Min((int64) room * 2, PG_INT32_MAX);
		if (times->room == 0)
		{
			times->known = MemoryContextAlloc(times->context, room);
			times->times = MemoryContextAlloc(times->context, mul_size(room, sizeof(int64)));
		}
		else
		{
			times->known = repalloc(times->known, room);
			times->times = repalloc(times->times, mul_size(room, sizeof(int64)));
		}
		memset(times->known + times->room, 0, room - times->room);
		times->room = room;
	}
	times->known[stream] = true;
	times->times[stream] = times->last = time;
}

/*
 * Encodes the times: the unit of the steps between them (a log of milliseconds has none of microseconds), then a step for each record from the one before it in its stream (a record
 * without a time of its own has that one's); 0 stands for no time, and steps are stored one larger.
 */
static void
put_times(L4SegmentBuilder *builder, StringInfo column)
{
	static const int64 units[] = {1000000, 1000, 1};
	StreamTimes known = {.context = CurrentMemoryContext};
	int			unit = 0;
	int			i;

	for (i = 0; i < builder->record_count && unit < 2; i++)
		while (builder->has_times[i] && builder->times[i] % units[unit] != 0)
			unit++;
	column_put_unsigned(column, unit);
	for (i = 0; i < builder->record_count; i++)
		if (builder->has_times[i])
		{
			int64		time = builder->times[i] / units[unit];
			uint64		step = (uint64) time - (uint64) stream_time(&known, builder->streams[i]);

			column_put_unsigned(column, ((step << 1) ^ (uint64) ((int64) step >> 63)) + 1);
			set_stream_time(&known, builder->streams[i], time);
		}
		else
			column_put_unsigned(column, 0);
}

int
segment_add(L4SegmentBuilder *builder, const L4Record *record)
{
	MemoryContext caller = MemoryContextSwitchTo(builder->context);
	StringInfo	columns = builder->columns;
	int			shape = record->shape;

	if (builder->record_count == 0)
		builder->first_part = record->part;
	column_put_unsigned(&columns[COLUMN_STREAM], record->stream);
	column_put_signed(&columns[COLUMN_LINE], record->line_no - builder->last_line);
	builder->last_line = record->line_no;
	put_time(builder, record);
	column_put_unsigned(&columns[COLUMN_LEVEL], record->level);
	column_put_unsigned(&columns[COLUMN_STAGE], record->stage);
	column_put_unsigned(&columns[COLUMN_ITERATION], record->has_iteration ? 1 : 0);
	if (record->has_iteration)
	{
		column_put_signed(&columns[COLUMN_ITERATION], (int64) ((uint64) record->iteration - (uint64) builder->last_iteration));
		builder->last_iteration = record->iteration;
	}
	put_head(builder, record);
	if (shape < 0)
		shape = dictionary_index(&builder->shapes, record->shape_text, record->shape_id, TEXT_MASKED, record->parameter_count);
	add_parameters(&builder->shapes, shape, record->parameters, record->parameter_count);
	column_put_unsigned(&columns[COLUMN_SHAPE], shape);
	builder->record_count++;
	builder->raw_size += record->frame.size + record->message.size;
	MemoryContextSwitchTo(caller);
	return shape;
}

int
segment_record_count(const L4SegmentBuilder *builder)
{
	return builder->record_count;
}

size_t
segment_raw_size(const L4SegmentBuilder *builder)
{
	return builder->raw_size;
}

int
segment_shape_count(const L4SegmentBuilder *builder)
{
	return builder->shapes.count;
}

uint64
segment_shape_id(const L4SegmentBuilder *builder, int shape)
{
	return builder->shapes.texts[shape].hash;
}

static void
put_dictionary_texts(StringInfo out, const Dictionary *dictionary)
{
	int			i;

	column_put_unsigned(out, dictionary->count);
	for (i = 0; i < dictionary->count; i++)
	{
		column_put_bytes(out, dictionary->texts[i].text);
		column_put_unsigned(out, dictionary->texts[i].kind);
		if (dictionary->texts[i].kind == TEXT_MASKED)
			column_put_unsigned(out, dictionary->texts[i].column_count);
	}
}

static void
put_dictionary_columns(StringInfo out, const Dictionary *dictionary)
{
	int			i;
	int			j;

	for (i = 0; i < dictionary->count; i++)
		for (j = 0; j < dictionary->texts[i].column_count; j++)
		{
			StringInfo	column = &dictionary->texts[i].columns[j];
			L4Bytes		bytes = {column->data, column->len};

			column_put_bytes(out, bytes);
		}
}

/* 0 to 25 a letter in either case, 26 a digit, 27 a space, 28 - and _, 29 . and /, 30 : = and comma, 31 any other byte. */
const unsigned char segment_byte_class[256] = {
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	27, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 30, 28, 29, 29,
	26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 30, 31, 31, 30, 31, 31,
	31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
	15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 31, 31, 31, 31, 28,
	31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
	15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31,
	31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31, 31
};

/* The classes of all bytes of a column, the lengths of its values among them, which does no harm: a mask may say too much. */
static uint32
column_mask(const StringInfoData *column)
{
	const unsigned char *at = (const unsigned char *) column->data;
	const unsigned char *end = at + column->len;
	uint32		masks[4] = {0, 0, 0, 0};

	for (; end - at >= 4; at += 4)
	{
		masks[0] |= (uint32) 1 << segment_byte_class[at[0]];
		masks[1] |= (uint32) 1 << segment_byte_class[at[1]];
		masks[2] |= (uint32) 1 << segment_byte_class[at[2]];
		masks[3] |= (uint32) 1 << segment_byte_class[at[3]];
	}
	for (; at < end; at++)
		masks[0] |= (uint32) 1 << segment_byte_class[*at];
	return masks[0] | masks[1] | masks[2] | masks[3];
}

/* What bytes each parameter has, so that a search need not unpack them to see that a word cannot be there. */
static void
put_dictionary_masks(StringInfo out, const Dictionary *dictionary)
{
	int			i;
	int			j;

	for (i = 0; i < dictionary->count; i++)
		for (j = 0; j < dictionary->texts[i].column_count; j++)
			column_put_unsigned(out, column_mask(&dictionary->texts[i].columns[j]));
}

static bytea *
pack_and_reset(StringInfo plain)
{
	L4Bytes		bytes = {plain->data, plain->len};
	bytea	   *blob = blob_pack(bytes);

	resetStringInfo(plain);
	return blob;
}

/*
 * segment_finish: the blobs of all records added, palloc'd in the current context.
 */
void
segment_finish(L4SegmentBuilder *builder, L4SegmentBlobs *blobs)
{
	StringInfoData plain;
	int			i;

	initStringInfo(&plain);
	column_put_unsigned(&plain, builder->record_count);
	column_put_unsigned(&plain, builder->first_part);
	put_times(builder, &builder->columns[COLUMN_TIME]);
	for (i = 0; i < COLUMN_COUNT; i++)
	{
		L4Bytes		bytes = {builder->columns[i].data, builder->columns[i].len};

		column_put_bytes(&plain, bytes);
	}
	blobs->structure = pack_and_reset(&plain);
	put_dictionary_texts(&plain, &builder->components);
	put_dictionary_texts(&plain, &builder->frames);
	put_dictionary_texts(&plain, &builder->shapes);
	put_dictionary_masks(&plain, &builder->frames);
	put_dictionary_masks(&plain, &builder->shapes);
	blobs->texts = pack_and_reset(&plain);
	put_dictionary_columns(&plain, &builder->frames);
	put_dictionary_columns(&plain, &builder->shapes);
	blobs->parameters = pack_and_reset(&plain);
	pfree(plain.data);
}

/* Reading */

typedef struct StoredText
{
	L4Bytes		text;
	int			kind;
	int			column_count;
	L4ColumnReader *columns;
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
	int			part;
	StreamTimes times;
	int64		time_unit;
	int64		record_time;	/* of the record last read */
	int64		iteration;
	L4ColumnReader columns[COLUMN_COUNT];
	StoredDictionary components;
	StoredDictionary frames;
	StoredDictionary shapes;
	const StoredText *frame;	/* of the record last read */
	L4Bytes    *frame_parameters;
	const StoredText *shape;
	L4Bytes    *shape_parameters;
	StringInfoData scratch_frame;
	StringInfoData scratch_message;
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
		text->columns = NULL;
	}
}

static void
get_dictionary_columns(L4ColumnReader *in, StoredDictionary *dictionary, int *widest)
{
	uint32		i;
	int			j;

	for (i = 0; i < dictionary->count; i++)
	{
		StoredText *text = &dictionary->texts[i];

		*widest = Max(*widest, text->column_count);
		text->columns = palloc(mul_size(Max(text->column_count, 1), sizeof(L4ColumnReader)));
		for (j = 0; j < text->column_count; j++)
		{
			L4Bytes		bytes = column_get_bytes(in);

			text->columns[j].at = bytes.data;
			text->columns[j].end = bytes.data + bytes.size;
		}
	}
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

L4SegmentReader *
segment_open(const L4SegmentBlobs *blobs)
{
	L4SegmentReader *reader = palloc0(sizeof(L4SegmentReader));
	L4ColumnReader in = open_blob(blobs->structure);
	int			widest = 1;
	int			i;

	reader->record_count = column_get_count(&in, PG_INT32_MAX);
	reader->part = (int) (column_get_unsigned(&in) & PG_INT32_MAX);
	for (i = 0; i < COLUMN_COUNT; i++)
	{
		L4Bytes		bytes = column_get_bytes(&in);

		reader->columns[i].at = bytes.data;
		reader->columns[i].end = bytes.data + bytes.size;
	}
	reader->times.context = CurrentMemoryContext;
	reader->time_unit = get_time_unit(&reader->columns[COLUMN_TIME]);
	in = open_blob(blobs->texts);
	get_dictionary_texts(&in, &reader->components);
	get_dictionary_texts(&in, &reader->frames);
	get_dictionary_texts(&in, &reader->shapes);
	in = open_blob(blobs->parameters);
	get_dictionary_columns(&in, &reader->frames, &widest);
	get_dictionary_columns(&in, &reader->shapes, &widest);
	reader->frame_parameters = palloc(mul_size(widest, sizeof(L4Bytes)));
	reader->shape_parameters = palloc(mul_size(widest, sizeof(L4Bytes)));
	initStringInfo(&reader->scratch_frame);
	initStringInfo(&reader->scratch_message);
	return reader;
}

/* The dictionary entry that the next number of a column names, with its parameters of this record. */
static const StoredText *
next_text(L4ColumnReader *column, StoredDictionary *dictionary, L4Bytes *parameters)
{
	uint64		index = column_get_unsigned(column);
	StoredText *text;
	int			i;

	if (index >= dictionary->count)
		column_corrupted("a record names a text that is not there");
	text = &dictionary->texts[index];
	for (i = 0; i < text->column_count; i++)
		parameters[i] = column_get_bytes(&text->columns[i]);
	return text;
}

static void
next_position(L4SegmentReader *reader, L4StoredRecord *record)
{
	int64		step = column_get_signed(&reader->columns[COLUMN_LINE]);
	int64		time;
	uint64		stored;

	if (reader->read > 0)
		reader->part = step == 0 ? reader->part + 1 : 0;
	reader->line_no += step;
	record->line_no = reader->line_no;
	record->part = reader->part;
	stored = column_get_unsigned(&reader->columns[COLUMN_STREAM]);
	if (stored >= reader->record_count)
		column_corrupted("a record names a stream that is not there");
	record->stream = (int) stored;
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

bool
segment_next(L4SegmentReader *reader, L4StoredRecord *record)
{
	uint64		component;
	uint64		level;
	uint64		stage;

	if (reader->read == reader->record_count)
		return false;
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
	reader->frame = next_text(&reader->columns[COLUMN_FRAME], &reader->frames, reader->frame_parameters);
	reader->shape = next_text(&reader->columns[COLUMN_SHAPE], &reader->shapes, reader->shape_parameters);
	record->shape_text = reader->shape->text;
	record->parameters = reader->shape_parameters;
	record->parameter_count = reader->shape->column_count;
	reader->read++;
	return true;
}

void
segment_message(L4SegmentReader *reader, StringInfo message)
{
	shape_expand(message, reader->shape->text, reader->shape_parameters, reader->shape->column_count);
}

/* The frame of the record last read, in scratch_frame. */
static void
expand_frame(L4SegmentReader *reader)
{
	const StoredText *frame = reader->frame;
	uint32		zigzag = (uint32) (frame->kind - TEXT_TIMED) / 4;

	if (frame->kind == TEXT_MASKED)
		shape_expand(&reader->scratch_frame, frame->text, reader->frame_parameters, frame->column_count);
	else if (frame->kind == TEXT_PLAIN)
		appendBinaryStringInfo(&reader->scratch_frame, frame->text.data, frame->text.size);
	else
		frame_time_expand(&reader->scratch_frame, frame->text, reader->record_time, (int) (zigzag >> 1) ^ -(int) (zigzag & 1));
}

/*
 * segment_raw: the frame holds, line by line, the prefix and the terminator between which the message's line belongs. A terminator is \n, \r, \r\n or,
 * for the last line only, nothing; neither prefixes nor message lines hold \n or \r.
 */
void
segment_raw(L4SegmentReader *reader, StringInfo raw)
{
	const char *frame;
	const char *frame_end;
	const char *message;
	const char *message_end;

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
		const char *prefix = frame;
		const char *line = message;

		while (frame < frame_end && *frame != '\n' && *frame != '\r')
			frame++;
		appendBinaryStringInfo(raw, prefix, frame - prefix);
		message = memchr(line, '\n', message_end - line);
		if (message == NULL)
			message = message_end;
		appendBinaryStringInfo(raw, line, message - line);
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
}

int
segment_head_index(const L4SegmentReader *reader)
{
	return (int) (reader->frame - reader->frames.texts);
}

int
segment_shape_index(const L4SegmentReader *reader)
{
	return (int) (reader->shape - reader->shapes.texts);
}

L4Bytes
segment_column(const L4SegmentReader *reader, bool of_head, int index, int position)
{
	const L4ColumnReader *column = &(of_head ? &reader->frames : &reader->shapes)->texts[index].columns[position];
	L4Bytes		bytes = {column->at, column->end - column->at};

	return bytes;
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
	bool		known = in->at < in->end;	/* else written before there were masks */
	int			i;
	int			j;

	for (i = 0; i < count; i++)
		if (texts[i].column_count > 0)
		{
			uint32	   *masks = palloc(mul_size(texts[i].column_count, sizeof(uint32)));

			for (j = 0; j < texts[i].column_count; j++)
				masks[j] = known ? (uint32) column_get_unsigned(in) : PG_UINT32_MAX;
			texts[i].masks = masks;
		}
}

L4SegmentTexts *
segment_texts(const bytea *blob)
{
	L4SegmentTexts *texts = palloc(sizeof(L4SegmentTexts));
	L4ColumnReader in = open_blob(blob);
	StoredDictionary dictionary;

	get_dictionary_texts(&in, &dictionary);	/* components, of which heads have every byte */
	get_dictionary_texts(&in, &dictionary);
	texts->head_count = (int) dictionary.count;
	texts->heads = plain_texts(&dictionary);
	get_dictionary_texts(&in, &dictionary);
	texts->shape_count = (int) dictionary.count;
	texts->shapes = plain_texts(&dictionary);
	get_masks(&in, texts->heads, texts->head_count);
	get_masks(&in, texts->shapes, texts->shape_count);
	return texts;
}
