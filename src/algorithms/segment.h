/*
 * segment.h: some thousands of consecutive records of one file as compressed columns, without loss.
 */
#ifndef L4_SEGMENT_H
#define L4_SEGMENT_H

#include "ground/l4.h"
#include "algorithms/frame_time.h"
#include "algorithms/mask.h"
#include "algorithms/message_cache.h"

/* A segment is closed at so many records or raw bytes, whichever comes first. */
#define L4_SEGMENT_RECORDS 8192
#define L4_SEGMENT_BYTES (4 * 1024 * 1024)

/*
 * One record as the segment keeps it. The raw bytes are split in two texts, both masked: the frame (per physical line: its
 * prefixes and, on the first line, the header; then the line's terminator) and the message (the lines without their prefixes,
 * joined by newlines).
 */
typedef struct L4Record
{
	int			stream;			/* index into the segment's stream_ids */
	int64		line_no;		/* of its first line */
	int			line_part;			/* 0 for the first record that begins on its line, 1 for the next, ... */
	bool		has_time;
	TimestampTz time;
	L4Level		level;
	L4Bytes		component;
	int			stage;			/* 0 = none, else 1 + index into l4_stages */
	bool		has_iteration;
	int64		iteration;
	L4Bytes		frame;
	L4Bytes		time_text;		/* where time stands in frame; size 0 where it does not */
	L4TimeForm	time_form;		/* of time_text */
	L4Bytes		message;
	int			line_count;		/* how many lines it has: the message joins them */
	int			shape;			/* what segment_add returned for a record of this shape before in this segment, or -1 */
	L4Bytes		shape_text;		/* the masked message */
	uint64		shape_id;
	const L4Bytes *parameters;
	int			parameter_count;
} L4Record;

/* The stages in the order of a job's life; index + 1 is the stored number. */
extern const char *const l4_stages[];
extern const int l4_stage_count;

typedef struct L4SegmentBuilder L4SegmentBuilder;

typedef struct L4SegmentBlobs
{
	bytea	   *structure;
	bytea	   *texts;
	bytea	   *parameters;
} L4SegmentBlobs;

/* A segment before it is packed: the sections of its three blobs, each of which is these, one after the other. */
#define L4_STRUCTURE_SECTIONS 10
#define L4_TEXTS_SECTIONS 4
#define L4_PARAMETER_SECTIONS 6

typedef struct L4SegmentImage
{
	L4Bytes		structure[L4_STRUCTURE_SECTIONS];
	L4Bytes		texts[L4_TEXTS_SECTIONS];
	L4Bytes		parameters[L4_PARAMETER_SECTIONS];
} L4SegmentImage;

/* All memory of a builder lies in the current memory context; drop that to free it. */
/*
 * salt: what the ids of its records' shapes differ in from the hashes of their texts; kept with the segment. frames remembers
 * frames that were masked, from one segment to the next.
 */
extern L4SegmentBuilder *segment_builder_create(uint64 salt, L4MessageCache *frames);
/* Adds a record; its bytes are copied. Returns the index of the shape in the segment's dictionary. */
extern int	segment_add(L4SegmentBuilder *builder, const L4Record *record);
extern int	segment_record_count(const L4SegmentBuilder *builder);
/* How many bytes the records had in their file. */
extern size_t segment_raw_size(const L4SegmentBuilder *builder);
extern int	segment_shape_count(const L4SegmentBuilder *builder);
extern uint64 segment_shape_id(const L4SegmentBuilder *builder, int shape);
extern void segment_finish(L4SegmentBuilder *builder, L4SegmentBlobs *blobs);
/* The same in two steps: between them it may go into a bundle (segment_bundle.h). */
extern void segment_image(L4SegmentBuilder *builder, L4SegmentImage *image);
extern void segment_pack(const L4SegmentImage *image, L4SegmentBlobs *blobs);

typedef struct L4SegmentReader L4SegmentReader;

/* One record read back. Spans belong to the reader and live until the next segment_next. */
typedef struct L4StoredRecord
{
	int			stream;
	int64		line_no;
	int			line_part;			/* 0 for the first record that begins on its line, 1 for the next, ... */
	bool		has_time;
	TimestampTz time;
	L4Level		level;
	L4Bytes		component;
	int			stage;
	bool		has_iteration;
	int64		iteration;
	L4Bytes		shape_text;
	uint64	   *shape_hash;		/* of the text; 0 until somebody asks for the shape's id */
	uint64		salt;			/* of the segment */
	int			parameter_count;
} L4StoredRecord;

/* The id of a stored record's shape. Cost: a hash of its text, once for each text of a segment. */
static inline uint64
stored_shape_id(const L4StoredRecord *record)
{
	if (*record->shape_hash == 0)
		*record->shape_hash = shape_hash(record->shape_text.data, record->shape_text.size);
	return *record->shape_hash ^ record->salt;
}

/*
 * Opens the three blobs of a segment, or of several in a bundle (segment_bundle.h), which must stay where they are; checks
 * everything (XX001), of a bundle each segment when it comes to it.
 */
extern L4SegmentReader *segment_open(const L4SegmentBlobs *blobs);
/*
 * Of the streams that the segment lists only those whose id is not 0 are wanted; to be called before the first record is read.
 * The segments of a bundle that have none of them are not opened.
 */
extern void segment_want(L4SegmentReader *reader, const int64 *stream_ids, int count);
/* How many records the segment has; of a bundle the one under way. */
extern int	segment_reader_count(const L4SegmentReader *reader);
/* Goes on with the next segment of a bundle, if there is one. */
extern void segment_skip_rest(L4SegmentReader *reader);
/* The next record, in file order, of a bundle file by file; false at the end. */
extern bool segment_next(L4SegmentReader *reader, L4StoredRecord *record);
/* The parameters of its shape of the record last read; valid until the reader is asked for anything else. */
extern const L4Bytes *segment_parameters(L4SegmentReader *reader);
/* The message and the exact raw bytes (terminators included) of the record last read, appended. */
extern void segment_message(L4SegmentReader *reader, StringInfo message);
extern void segment_raw(L4SegmentReader *reader, StringInfo raw);

/*
 * Appends them as programs wrote them: without what a collector that wrapped their lines put around these. True where one did:
 * it tells the time of each line.
 */
extern bool segment_told(L4SegmentReader *reader, StringInfo told);

/* Which text of the dictionaries of frames and of shapes the record last read has. */
extern int	segment_frame_index(const L4SegmentReader *reader);
extern int	segment_shape_index(const L4SegmentReader *reader);
/* A text in which every value of one parameter of a frame or a shape stands whole, among other bytes. */
extern L4Bytes segment_column(const L4SegmentReader *reader, bool of_frame, int index, int position);

/* The dictionaries of a segment, read without the rest of it. */
typedef struct L4SegmentText
{
	L4Bytes		text;
	bool		masked;			/* holds placeholders, one for each column */
	bool		timed;			/* holds marks for the digits of its record's time (frame_time_is_mark) */
	int			column_count;
	const uint32 *masks;		/* of each column: the classes of all bytes in it (text_mask) */
} L4SegmentText;

typedef struct L4SegmentTexts
{
	const bytea *blob;			/* that they were read from */
	int			frame_count;
	int			shape_count;
	uint64		salt;
	L4SegmentText *frames;
	L4SegmentText *shapes;
} L4SegmentTexts;

/*
 * Reads the blob of texts alone, in the current memory context. Errors: XX001. Cost: decompression of some kilobytes as a rule.
 */
extern L4SegmentTexts *segment_texts(const bytea *blob);

#endif							/* L4_SEGMENT_H */
