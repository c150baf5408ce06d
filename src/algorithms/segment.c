/*
 * segment.c: some thousands of consecutive records of one file as compressed columns, without loss.
 *
 * A record's bytes are split into a frame (prefixes, header, line ends) and a message; each is masked to a shape from the
 * segment's own dictionary and parameters. So a segment can be read alone, on any machine, whatever became of l4_shape. Small
 * per-record numbers lie column by column in the blob `structure`, the dictionaries in `texts`, and the parameters, grouped by
 * shape and position so that like stands beside like, in `parameters`, packed by column.c. zstd does the rest. After CLP's
 * dictionary and variable columns (Rodrigues et al., OSDI 2021).
 */
#include "algorithms/segment.h"

#include "algorithms/column.h"
#include "algorithms/frame_time.h"
#include "algorithms/segment_private.h"
#include "tools/bytes.h"
#include "tools/codec.h"

const char *const l4_stages[] = {
	"environment_init", "rendezvous", "communicator_init", "data_load", "model_build",
	"checkpoint_load", "iterating", "evaluation", "checkpoint_save", "teardown"
};
const int	l4_stage_count = lengthof(l4_stages);

/* So many frames are kept as they are in a segment; the next ones are masked. */
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
	int			record_count;	/* those with this text, where it has columns */
	StringInfoData *columns;	/* the values of each parameter position, length before each */
} DictionaryText;

typedef struct Dictionary
{
	dictionary_hash *by_hash;
	int			count;
	int			room;
	DictionaryText *texts;
} Dictionary;

/* A frame that was added a moment ago, and its component. */
typedef struct RecentFrame
{
	int			index;			/* -1 where there is none */
	int			form;			/* of its time; 0 where it is kept as it is */
	int			time_begin;
	int			component_begin;	/* -1 where it has none, or none within the frame */
	int			component_size;
	int			component;		/* what the column says */
	/* of one that was masked, else NULL: its bytes, and where its parameters lie in them */
	L4Bytes		bytes;
	L4Bytes    *parameters;
} RecentFrame;

#define RECENT_FRAMES 1024

struct L4SegmentBuilder
{
	MemoryContext context;
	int64		number;			/* unlike that of any other of the process */
	uint64		salt;			/* of the ids of shapes */
	L4MessageCache *masked_frames;
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
	int			record_room;
	bool	   *has_times;		/* of each record */
	int64	   *times;
	int		   *streams;
	int		   *record_frames;
	int		   *record_shapes;
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
	slot->record_count = 0;
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
segment_builder_create(uint64 salt, L4MessageCache *frames)
{
	static int64 builders = 0;
	L4SegmentBuilder *builder = palloc0(sizeof(L4SegmentBuilder));
	int			i;

	builder->number = ++builders;
	builder->masked_frames = frames;
	builder->context = CurrentMemoryContext;
	builder->salt = salt;
	for (i = 0; i < COLUMN_COUNT; i++)
		initStringInfo(&builder->columns[i]);
	dictionary_init(&builder->components);
	dictionary_init(&builder->frames);
	dictionary_init(&builder->shapes);
	shape_init(&builder->frame_shape);
	for (i = 0; i < RECENT_FRAMES; i++)
		builder->recent[i].index = -1;
	initStringInfo(&builder->reduced);
	builder->record_room = 1024;
	builder->has_times = palloc(builder->record_room * sizeof(bool));
	builder->times = palloc(builder->record_room * sizeof(int64));
	builder->streams = palloc(builder->record_room * sizeof(int));
	builder->record_frames = palloc(builder->record_room * sizeof(int));
	builder->record_shapes = palloc(builder->record_room * sizeof(int));
	return builder;
}

/* Puts the parameters of a masked text into the columns of its entry. */
static void
add_parameters(Dictionary *dictionary, int index, const L4Bytes *parameters, int count)
{
	DictionaryText *slot = &dictionary->texts[index];
	int			i;

	Assert(slot->column_count == count);
	slot->record_count++;
	for (i = 0; i < count; i++)
		column_put_bytes(&slot->columns[i], parameters[i]);
}

/* The index of a frame that is kept as it is, or -1 where there are too many such frames. */
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

/* The index of a frame that is masked like a message, as are most that differ from one before in digits alone. */
static int
add_masked_frame(L4SegmentBuilder *builder, L4Bytes frame)
{
	L4Shape    *shape = &builder->frame_shape;
	L4CachedMessage *cached = message_cache_find(builder->masked_frames, frame, shape);
	L4Bytes		text;
	uint64		hash;
	int			index;

	if (cached != NULL && cached->owner == builder->number)
		index = (int) (intptr_t) cached->shape;
	else
	{
		mask_message(shape, frame, NULL, 0);
		text = (L4Bytes) {shape->text.data, shape->text.len};
		hash = shape_hash(text.data, text.size);
		index = dictionary_index(&builder->frames, text, hash, TEXT_MASKED, shape->parameter_count);
		if (cached == NULL)
			cached = message_cache_keep(builder->masked_frames, frame, shape, hash);
		if (cached != NULL)
		{
			cached->shape = (void *) (intptr_t) index;
			cached->owner = builder->number;
		}
	}
	add_parameters(&builder->frames, index, shape->parameters, shape->parameter_count);
	return index;
}

/*
 * Puts a record's frame into the dictionary: without the digits of its time if it can be, masked where it is one of too many.
 */
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
	return index >= 0 ? index : add_masked_frame(builder, record->frame);
}

static inline uint64
eight_bytes(const char *at)
{
	uint64		bytes;

	memcpy(&bytes, at, sizeof(bytes));
	return bytes;
}

/* The last eight bytes of a frame, or all: a label alone is shorter. */
static inline uint64
last_bytes(L4Bytes frame)
{
	uint64		bytes = 0;
	size_t		i;

	if (frame.size >= 8)
		return eight_bytes(frame.data + frame.size - 8);
	for (i = 0; i < frame.size; i++)
		bytes = bytes << 8 | (unsigned char) frame.data[i];
	return bytes;
}

/* Where a frame like this one is remembered: by its last bytes, and those behind its time. */
static inline RecentFrame *
recent_frame(L4SegmentBuilder *builder, L4Bytes frame, size_t time_end)
{
	uint64		hash = frame.size ^ last_bytes(frame);

	hash *= UINT64CONST(0x9e3779b97f4a7c15);
	if (frame.size >= time_end + 8)
		hash ^= eight_bytes(frame.data + time_end);
	hash *= UINT64CONST(0xff51afd7ed558ccd);
	return &builder->recent[hash >> 54];
}

/* Is the record's frame that which is remembered, but for the digits of its seconds? */
static inline bool
is_recent(const L4SegmentBuilder *builder, const RecentFrame *recent, const L4Record *record, int form, size_t time_begin,
		  size_t time_end)
{
	L4Bytes		frame = record->frame;
	const char *text;

	if (recent->index < 0 || recent->form != form || recent->time_begin != (int) time_begin)
		return false;
	if (recent->parameters != NULL)
		return bytes_equal(recent->bytes, frame);
	if (builder->frames.texts[recent->index].text.size != frame.size)
		return false;
	text = builder->frames.texts[recent->index].text.data;
	return bytes_same(text, frame.data, time_begin) &&
		bytes_same(text + time_end, frame.data + time_end, frame.size - time_end);
}

/* What the column of components says of the record's. */
static int
component_index(L4SegmentBuilder *builder, L4Bytes component)
{
	if (component.size == 0)
		return 0;
	return 1 + dictionary_index(&builder->components, component, shape_hash(component.data, component.size), TEXT_PLAIN, 0);
}

/* Remembers the bytes and the parameters of a frame that has just been masked. */
static void
keep_masked(const L4SegmentBuilder *builder, RecentFrame *recent, L4Bytes frame)
{
	const L4Shape *shape = &builder->frame_shape;
	char	   *copy;
	int			i;

	recent->parameters = palloc(mul_size(shape->parameter_count, sizeof(L4Bytes)) + frame.size);
	copy = memcpy(recent->parameters + shape->parameter_count, frame.data, frame.size);
	recent->bytes = (L4Bytes) {copy, frame.size};
	for (i = 0; i < shape->parameter_count; i++)
		recent->parameters[i] = (L4Bytes) {copy + (shape->parameters[i].data - frame.data), shape->parameters[i].size};
}

/*
 * Remembers a frame that was added, if it can be told from others without looking at its time: component: where its own begins,
 * -1 where it has none or none within the frame.
 */
static void
keep_frame(L4SegmentBuilder *builder, RecentFrame *recent, const L4Record *record, int index, bool timed, ptrdiff_t component)
{
	int			kind = builder->frames.texts[index].kind;

	if (recent->parameters != NULL)
		pfree(recent->parameters);
	recent->parameters = NULL;
	recent->index = -1;
	if (component < 0 && record->component.size > 0)
		return;
	if (kind == TEXT_MASKED && record->time_text.size == 0)
		keep_masked(builder, recent, record->frame);
	else if (kind != (timed ? timed_kind(record->time_form.offset) : TEXT_PLAIN))
		return;
	recent->index = index;
	recent->form = timed ? record->time_form.form : 0;
	recent->time_begin = timed ? (int) (record->time_text.data - record->frame.data) : 0;
	recent->component_begin = (int) component;
	recent->component_size = (int) record->component.size;
}

/* Where the component begins within the frame, beside its time; -1 where there is none, or none such. */
static inline ptrdiff_t
component_begin(const L4Record *record, size_t time_begin, size_t time_end)
{
	ptrdiff_t	component = record->component.data - record->frame.data;

	if (record->component.size == 0 || component < 0 || component + record->component.size > record->frame.size ||
		(component < (ptrdiff_t) time_end && component + record->component.size > time_begin))
		return -1;
	return component;
}

/*
 * Puts a record's frame and component into their columns. A frame like one before, as most are, is found without looking at its
 * time.
 */
static void
put_frame(L4SegmentBuilder *builder, const L4Record *record)
{
	bool		timed = record->time_text.size > 0 && record->time_form.form != 0;
	size_t		time_begin = timed ? record->time_text.data - record->frame.data : 0;
	size_t		time_end = timed ? time_begin + record->time_form.size : 0;
	int			form = timed ? record->time_form.form : 0;
	RecentFrame *recent = recent_frame(builder, record->frame, time_end);
	ptrdiff_t	component = component_begin(record, time_begin, time_end);

	if ((timed || record->time_text.size == 0) && is_recent(builder, recent, record, form, time_begin, time_end) &&
		recent->component_begin == component &&
		(component < 0 ? record->component.size == 0 : recent->component_size == (int) record->component.size))
	{
		if (recent->parameters != NULL)
			add_parameters(&builder->frames, recent->index, recent->parameters,
						   builder->frames.texts[recent->index].column_count);
		builder->record_frames[builder->record_count] = recent->index;
	}
	else
	{
		if (timed)
			builder->offset = record->time_form.offset;
		builder->record_frames[builder->record_count] = segment_add_frame(builder, record);
		recent->component = component_index(builder, record->component);
		keep_frame(builder, recent, record, builder->record_frames[builder->record_count], timed, component);
	}
	column_put_unsigned(&builder->columns[COLUMN_COMPONENT], recent->component);
}

/* Makes room for what is noted of each record. */
static void
reserve_record(L4SegmentBuilder *builder)
{
	if (builder->record_count < builder->record_room)
		return;
	builder->record_room *= 2;
	builder->has_times = repalloc(builder->has_times, mul_size(builder->record_room, sizeof(bool)));
	builder->times = repalloc(builder->times, mul_size(builder->record_room, sizeof(int64)));
	builder->streams = repalloc(builder->streams, mul_size(builder->record_room, sizeof(int)));
	builder->record_frames = repalloc(builder->record_frames, mul_size(builder->record_room, sizeof(int)));
	builder->record_shapes = repalloc(builder->record_shapes, mul_size(builder->record_room, sizeof(int)));
}

/*
 * Encodes the times: the unit of the steps between them (a log of milliseconds has none of microseconds), then a step for each
 * record from the one before it in its stream (a record without a time of its own has that one's); 0 stands for no time, and
 * steps are stored one larger.
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
		builder->first_part = record->line_part;
	column_put_signed(&columns[COLUMN_LINE], record->line_no - builder->last_line);
	builder->last_line = record->line_no;
	reserve_record(builder);
	builder->has_times[builder->record_count] = record->has_time;
	builder->times[builder->record_count] = record->time;
	builder->streams[builder->record_count] = record->stream;
	column_put_unsigned(&columns[COLUMN_LEVEL], record->level);
	column_put_unsigned(&columns[COLUMN_STAGE], record->stage);
	column_put_unsigned(&columns[COLUMN_ITERATION], record->has_iteration ? 1 : 0);
	if (record->has_iteration)
	{
		column_put_signed(&columns[COLUMN_ITERATION], (int64) ((uint64) record->iteration - (uint64) builder->last_iteration));
		builder->last_iteration = record->iteration;
	}
	put_frame(builder, record);
	if (shape < 0)
		shape = dictionary_index(&builder->shapes, record->shape_text, record->shape_id, TEXT_MASKED, record->parameter_count);
	add_parameters(&builder->shapes, shape, record->parameters, record->parameter_count);
	builder->record_shapes[builder->record_count] = shape;
	builder->record_count++;
	/* the ends of lines are in the frame, and stand in the message once more */
	builder->raw_size += record->frame.size + record->message.size - (record->line_count - 1);
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

/*
 * For each text that has columns, in which order their values are to be kept: orders[i] for text i, NULL for those without.
 * texts: that of each record; records: all, in the order wanted.
 */
static int **
column_orders(const Dictionary *dictionary, const int *texts, const int *records, int record_count)
{
	int		  **orders = palloc0(mul_size(Max(dictionary->count, 1), sizeof(int *)));
	int		   *counts = palloc0(mul_size(Max(dictionary->count, 1), sizeof(int)));
	int		   *places = palloc(mul_size(record_count, sizeof(int)));
	int			i;

	for (i = 0; i < dictionary->count; i++)
		if (dictionary->texts[i].column_count > 0)
			orders[i] = palloc(mul_size(dictionary->texts[i].record_count, sizeof(int)));
	for (i = 0; i < record_count; i++)
		places[i] = counts[texts[i]]++;
	memset(counts, 0, dictionary->count * sizeof(int));
	for (i = 0; i < record_count; i++)
	{
		int			text = texts[records[i]];

		if (orders[text] != NULL)
			orders[text][counts[text]++] = places[records[i]];
	}
	return orders;
}

/*
 * Adds the columns of all texts; records: the order of records, NULL if that of the file. Appends to masks what bytes each has,
 * so that a search need not unpack them to see that a word cannot be there.
 */
static void
add_dictionary_columns(L4ColumnWriter *writer, StringInfo masks, const Dictionary *dictionary, const int *texts,
					   const int *records, int record_count)
{
	int		  **orders = records != NULL ? column_orders(dictionary, texts, records, record_count) : NULL;
	int			i;
	int			j;

	for (i = 0; i < dictionary->count; i++)
	{
		const DictionaryText *text = &dictionary->texts[i];

		for (j = 0; j < text->column_count; j++)
			column_put_unsigned(masks,
								columns_add(writer, &text->columns[j], text->record_count, orders != NULL ? orders[i] : NULL));
	}
}

/* Takes what a StringInfo holds. */
static inline L4Bytes
bytes_in(const StringInfoData *from)
{
	return (L4Bytes) {from->data, from->len};
}

/* What is noted of each record but its parameters: a head, then column by column, each with its length before it. */
static void
put_structure(L4SegmentBuilder *builder, const int *records, L4SegmentImage *image)
{
	StringInfoData head;
	int			i;

	put_times(builder, &builder->columns[COLUMN_TIME]);
	for (i = 0; i < builder->record_count; i++)
	{
		column_put_unsigned(&builder->columns[COLUMN_STREAM], builder->streams[i]);
		column_put_unsigned(&builder->columns[COLUMN_FRAME], builder->record_frames[records != NULL ? records[i] : i]);
		column_put_unsigned(&builder->columns[COLUMN_SHAPE], builder->record_shapes[i]);
	}
	initStringInfo(&head);
	column_put_unsigned(&head, builder->record_count);
	column_put_unsigned(&head, builder->first_part);
	image->structure[0] = bytes_in(&head);
	for (i = 0; i < COLUMN_COUNT; i++)
	{
		StringInfoData column;

		initStringInfo(&column);
		column_put_bytes(&column, bytes_in(&builder->columns[i]));
		image->structure[i + 1] = bytes_in(&column);
	}
}

/* The dictionaries, and behind them the masks of columns and the salt. */
static void
put_texts(const L4SegmentBuilder *builder, StringInfo masks, L4SegmentImage *image)
{
	const Dictionary *dictionaries[] = {&builder->components, &builder->frames, &builder->shapes};
	int			i;

	StaticAssertStmt(lengthof(dictionaries) + 1 == L4_TEXTS_SECTIONS, "one more are the masks");
	for (i = 0; i < lengthof(dictionaries); i++)
	{
		StringInfoData plain;

		initStringInfo(&plain);
		put_dictionary_texts(&plain, dictionaries[i]);
		image->texts[i] = bytes_in(&plain);
	}
	if (builder->salt != 0)
		column_put_fixed(masks, builder->salt);
	image->texts[i] = bytes_in(masks);
}

static void
put_parameters(const L4SegmentBuilder *builder, const int *records, StringInfo masks, L4SegmentImage *image)
{
	L4ColumnWriter *writer = columns_create();

	add_dictionary_columns(writer, masks, &builder->frames, builder->record_frames, records, builder->record_count);
	add_dictionary_columns(writer, masks, &builder->shapes, builder->record_shapes, records, builder->record_count);
	columns_sections(writer, image->parameters);
}

void
segment_image(L4SegmentBuilder *builder, L4SegmentImage *image)
{
	int		   *records = stream_order(builder->streams, builder->record_count);
	StringInfoData masks;

	StaticAssertStmt(COLUMN_COUNT + 1 == L4_STRUCTURE_SECTIONS, "a head and a section for each column");
	initStringInfo(&masks);
	put_parameters(builder, records, &masks, image);
	put_texts(builder, &masks, image);
	put_structure(builder, records, image);
}

/* The sections as one blob that is bound to another one. */
static bytea *
pack_whole(const L4Bytes *sections, int count, const bytea *other)
{
	StringInfoData plain;
	L4Bytes		bytes;
	bytea	   *blob;
	size_t		size = 0;
	int			i;

	initStringInfo(&plain);
	/* at once, lest it be copied each time it grows */
	for (i = 0; i < count; i++)
		size += sections[i].size;
	enlargeStringInfo(&plain, (int) size);
	for (i = 0; i < count; i++)
		appendBinaryStringInfo(&plain, sections[i].data, (int) sections[i].size);
	bytes = bytes_in(&plain);
	blob = blob_pack_bound(&bytes, 1, other);
	pfree(plain.data);
	return blob;
}

/*
 * segment_finish: the blobs of all records added, palloc'd in the current context. Nothing can be added afterwards. Each has a
 * checksum of its own; that they belong together is said by structure, which is bound to texts, and by texts, which are bound
 * to parameters.
 */
void
segment_finish(L4SegmentBuilder *builder, L4SegmentBlobs *blobs)
{
	L4SegmentImage image;

	segment_image(builder, &image);
	segment_pack(&image, blobs);
}

void
segment_pack(const L4SegmentImage *image, L4SegmentBlobs *blobs)
{
	blobs->parameters = blob_pack_parts(image->parameters, L4_PARAMETER_SECTIONS);
	blobs->texts = pack_whole(image->texts, L4_TEXTS_SECTIONS, blobs->parameters);
	blobs->structure = pack_whole(image->structure, L4_STRUCTURE_SECTIONS, blobs->texts);
}
