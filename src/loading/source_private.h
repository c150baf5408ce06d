/*
 * source_private.h: the inside of a source under way, for the files that make one up; nobody else includes it.
 */
#ifndef L4_SOURCE_PRIVATE_H
#define L4_SOURCE_PRIVATE_H

#include "loading/source.h"

#include "nodes/pg_list.h"

#include "algorithms/flood.h"
#include "algorithms/message_memo.h"
#include "algorithms/record.h"
#include "algorithms/sketch.h"
#include "loading/source_state.h"

#define SAMPLE_BYTES (64 * 1024)
/* Shapes of which something is remembered from source to source; of others it is found out again in each. */
#define CLASS_LIMIT 100000

/* What the rules say of a shape. */
typedef struct ClassEntry
{
	uint64		shape_id;
	L4ProgressClass class;
	char		status;
} ClassEntry;

/* The counts of one shape in one stream. Lies still, unlike the entries of the tables. */
typedef struct Summary
{
	L4SummaryRow row;
	L4SketchSet sketches;		/* of the records since the last cut */
	L4SketchSet cut_sketches;	/* of those before */
	bool		changed;		/* since it was read back, if it was */
	bool		imaged;			/* work->state has it as it was */
} Summary;

typedef struct SummaryKey
{
	uint64		shape_id;
	int			stream;
} SummaryKey;

typedef struct SummaryEntry
{
	SummaryKey	key;
	Summary    *summary;
	char		status;
} SummaryEntry;

/* A shape that the source has. Lies still too. */
typedef struct Shape
{
	uint64		shape_id;
	L4ProgressClass class;
	int			segment_no;		/* the segment in whose dictionary it has, */
	int			segment_index;	/* this number */
	int			last_stream;	/* of the record before of this shape, */
	Summary    *last_summary;	/* and its counts */
	int			turns;			/* how often another stream came next */
	int			stream_room;
	Summary   **by_stream;		/* counts by stream, NULL where not known; NULL for most shapes */
	L4Bytes		text;
	bool		coarse;			/* in place of one that the flood did not admit */
	bool		firm;			/* a record has it that cannot change any more */
	int			tentative;		/* of the context: sources that now have it in records that can change, less those that had */
} Shape;

typedef struct ShapeEntry
{
	uint64		shape_id;
	Shape	   *shape;
	char		status;
} ShapeEntry;

typedef struct IterationEntry
{
	uint64		iteration;
	TimestampTz start;
	char		status;
} IterationEntry;

/* Streams by their label's stream_id, and by a hash of what a line's label says. */
typedef struct StreamEntry
{
	uint64		key;
	int			stream;
	char		status;
} StreamEntry;

/* A shape that is in its table for good. */
typedef struct KnownShape
{
	uint64		shape_id;
	char		status;
} KnownShape;

#define SH_PREFIX known_shapes
#define SH_ELEMENT_TYPE KnownShape
#define SH_KEY_TYPE uint64
#define SH_KEY shape_id
#define SH_HASH_KEY(table, key) ((uint32) (key))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

#define SH_PREFIX classes
#define SH_ELEMENT_TYPE ClassEntry
#define SH_KEY_TYPE uint64
#define SH_KEY shape_id
#define SH_HASH_KEY(table, key) ((uint32) (key))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

#define SH_PREFIX shapes
#define SH_ELEMENT_TYPE ShapeEntry
#define SH_KEY_TYPE uint64
#define SH_KEY shape_id
#define SH_HASH_KEY(table, key) ((uint32) (key))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

#define SH_PREFIX summaries
#define SH_ELEMENT_TYPE SummaryEntry
#define SH_KEY_TYPE SummaryKey
#define SH_KEY key
#define SH_HASH_KEY(table, key) ((uint32) (key).shape_id ^ ((uint32) (key).stream * 0x9e3779b1U))
#define SH_EQUAL(table, a, b) ((a).shape_id == (b).shape_id && (a).stream == (b).stream)
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

#define SH_PREFIX starts
#define SH_ELEMENT_TYPE IterationEntry
#define SH_KEY_TYPE uint64
#define SH_KEY iteration
#define SH_HASH_KEY(table, key) ((uint32) (key) * 0x9e3779b1U)
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

#define SH_PREFIX labels
#define SH_ELEMENT_TYPE StreamEntry
#define SH_KEY_TYPE uint64
#define SH_KEY key
#define SH_HASH_KEY(table, key) ((uint32) (key))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

/* Where a stream stands: what its next records inherit. */
typedef struct StreamPoint
{
	bool		has_time;
	TimestampTz time;
	L4ProgressState progress;
} StreamPoint;

/* What is thought of where the streams of a source stand (source_part.c), by stream_id. */
typedef struct SeedEntry
{
	uint64		stream_id;
	StreamPoint point;
	char		status;
} SeedEntry;

#define SH_PREFIX seeds
#define SH_ELEMENT_TYPE SeedEntry
#define SH_KEY_TYPE uint64
#define SH_KEY stream_id
#define SH_HASH_KEY(table, key) ((uint32) (key))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

/* One stream of the file under way. */
typedef struct Stream
{
	L4StreamRow row;
	L4ProgressState progress;
	bool		has_time;
	TimestampTz time;			/* of its last record that had one */
	int			in_segment;		/* index into the open segment's streams, or -1 */
	L4StreamState begin;		/* how it stood at the beginning of the open segment */
	/* since the last cut (source_cut): */
	StreamPoint entry;			/* where it stood there, or when it was made */
	bool		own_time;		/* a record of its own has said it since */
	bool		own_stage;
	bool		own_iteration;
	bool		used_time;		/* a record has inherited it from before */
	bool		used_stage;
	bool		used_iteration;
} Stream;

/* What the last label said: lines of one rank often come in a row. */
typedef struct LastLabel
{
	int			stream;			/* 0 where there was none */
	int			rank;
	int			local_rank;
	size_t		host_size;
	char		host[64];
} LastLabel;

/* Bytes that wait for the sample to be large enough. */
typedef struct WaitingLine
{
	bool		is_row;
	int64		line_no;
	L4LineFacts facts;
	size_t		size;
} WaitingLine;

/* A source under way: everything lies in one memory context. */
struct L4Source
{
	L4SourceContext *context;
	int64		number;			/* among the sources of the context, from 1 */
	const char *name;
	const char *key;			/* of which its ids are hashes */
	int64		source_id;
	TimestampTz reference;
	L4HeaderParser *parser;
	L4Shape		shape;			/* of the record under way */
	L4Flood    *flood;
	shapes_hash *shapes;
	summaries_hash *summaries;
	starts_hash *starts;
	labels_hash *labels;
	LastLabel	last_label;
	Size		by_stream_bytes;	/* of all shapes */
	L4SketchMemory sketch_memory;
	L4SketchMemory cut_sketch_memory;
	int			stream_count;
	int			stream_room;
	Stream	   *streams;		/* the first is the file's own */
	MemoryContext segment_context;
	L4SegmentBuilder *builder;
	L4SegmentRow segment;
	int			segment_stream_room;
	int			format_count;
	int64	   *format_uses;
	L4RecordAssembler *assembler;
	int64		bytes;			/* taken so far */
	bool		sampled;		/* the parser has seen the first of them */
	bool		is_cut;			/* there was a cut */

	/* of a part that is read ahead (source_part.c) */
	seeds_hash *seeds;			/* NULL otherwise */
	bool		warming;		/* only finds out where the streams stand */
	bool		flooded;		/* a shape was not admitted */
	StringInfo	segments;		/* where the finished segments go instead of the table */
	int64		part_offset;	/* where it begins */
	int64		part_line;

	/* going on later (source_resume.c) */
	StringInfoData waiting;		/* bytes before the sample was taken */
	List	   *waiting_lines;
	bool		resumable;		/* keeps its state */
	bool		by_row;
	bool		resumed;		/* rows of it are there already */
	int			replayed;		/* records still to come again that are counted already */
	bool		closing;		/* the end of the input made the record, more may join it */
	bool		closed;			/* there was such a record */
	L4RecordStart segment_start;
	L4SourceState *state;		/* as of before the closing records */
	int			image_room;
	int			start_room;
	int64		next_line;		/* number of the first line that is not there yet */
	int			named_count;	/* starts that records named which are taken back: they must come again */
	const L4IterationStart *named;
};

/* In source.c. */
extern void source_begin_segment(L4Source *work);
extern void source_finish_segment(L4Source *work);
/* The stage of a stream before any marker. */
extern int	source_first_stage(const L4Place *place);
extern Stream *source_add_stream(L4Source *work, const L4Place *place, const char *label);
extern Shape *source_shape(L4Source *work, uint64 shape_id, L4Bytes text);
extern void source_init_shape(L4Source *work, Shape *shape, L4Bytes text);
extern Summary *source_summary(L4Source *work, int stream, uint64 shape_id, bool *is_new);
/* True where it is the earliest start of the iteration so far. */
extern bool source_note_start(starts_hash *starts, int64 iteration, TimestampTz time);

/* A stream stands at a cut: nothing was said or inherited since. */
extern void source_mark_stream(Stream *stream);

/* In source_shared.c: keeps what a source shares with others until source_write_shared. */
extern void source_keep_shared(L4Source *work);

/* In source_feed.c: takes bytes, or keeps them until there are enough for the sample; and takes what was kept. */
extern void source_take(L4Source *work, const WaitingLine *line, const char *bytes);
extern void source_take_waiting(L4Source *work);

/* In source_part.c. */
extern void source_put_segment(StringInfo out, const L4SegmentRow *row);
extern void source_seed_stream(L4Source *work, Stream *stream);
/* Takes from a record before the part no more than where its stream stands after it. */
extern void source_warm(L4Source *work, Stream *stream, const L4RawRecord *raw);

/*
 * In source_resume.c: what is final before the end of the input makes records of what is left; then, after all else, writes it.
 */
extern void source_save_state(L4Source *work);
extern void source_write_state(L4Source *work, const L4SourceFile *file);

#endif							/* L4_SOURCE_PRIVATE_H */
