/*
 * source_private.h: the inside of a source under way, for the files that make one up; nobody else includes it.
 */
#ifndef L4_SOURCE_PRIVATE_H
#define L4_SOURCE_PRIVATE_H

#include "loading/source.h"

#include "nodes/pg_list.h"

#include "algorithms/shape_limit.h"
#include "algorithms/message_cache.h"
#include "algorithms/record.h"
#include "algorithms/parameter_statistics.h"
#include "loading/source_state.h"
#include "loading/source_tables.h"

/* One stream of the file under way. */
typedef struct Stream
{
	L4StreamRow row;
	L4ProgressState progress;
	bool		has_time;
	TimestampTz time;			/* of its last record that had one */
	int			in_segment;		/* index into the open segment's streams, or -1 */
	StreamPoint begin;			/* where it stood at the beginning of the open segment */
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

/* A file in which lines are kept in another form than a line each (source_export.c). */
typedef struct SourceExport SourceExport;

/* How far a source is. */
typedef enum SourcePhase
{
	SOURCE_WARMING,				/* before a part that is read ahead: only finds out where the streams stand */
	SOURCE_READING,
	SOURCE_ENDING,				/* the end of the input makes records, which later input may change; none came yet */
	SOURCE_ENDING_MORE			/* some came */
} SourcePhase;

/* What it reads (source_feed.c). */
typedef struct SourceInput
{
	L4HeaderParser *parser;
	L4RecordAssembler *assembler;
	bool		by_row;			/* rows with facts of their own, not bytes of a file */
	bool		of_part;		/* a part of a file that is read by itself: whoever parted it found that it is no export */
	bool		sampled;		/* the parser has seen the first bytes */
	int64		bytes;			/* taken so far */
	StringInfoData waiting;		/* bytes before the sample was taken, */
	List	   *waiting_lines;	/* and how they came */
	SourceExport *export;		/* how lines are kept there, or NULL: as they are */
	int64		next_line;		/* number of the first line that is not there yet */
} SourceInput;

/* Its streams (source_streams.c). */
typedef struct SourceStreams
{
	int			count;
	int			room;
	Stream	   *list;			/* the first is the file's own */
	labels_hash *labels;
	LastLabel	last_label;
	guesses_hash *guesses;		/* of a part that is read ahead, else NULL */
} SourceStreams;

/* Its shapes (source_shapes.c). */
typedef struct SourceShapes
{
	L4Shape		current;		/* of the record under way */
	shapes_hash *table;
	L4ShapeLimit *limit;
	bool		limited;		/* a shape was not admitted */
} SourceShapes;

/* The open segment (source_segment.c). */
typedef struct SourceSegment
{
	MemoryContext memory;
	L4SegmentBuilder *builder;
	L4SegmentRow row;
	int			stream_room;
	L4RecordStart start;
	StringInfo	out;			/* where finished ones go instead of the table, or NULL */
} SourceSegment;

/* What it counts (source_counts.c). */
typedef struct SourceCounts
{
	summaries_hash *summaries;
	MemoryContext context;		/* what they lie in */
	Size		by_stream_bytes;	/* of all shapes */
	starts_hash *starts;
	L4StatisticsMemory memory;		/* of parameter statistics since the last cut, */
	L4StatisticsMemory cut_memory;	/* and before it */
	bool		is_cut;			/* there was a cut */
	int			format_count;
	int64	   *format_uses;
} SourceCounts;

/* Where a part that is read ahead begins (source_part.c). */
typedef struct SourcePart
{
	int64		offset;
	int64		line_no;
} SourcePart;

/* How it continues an earlier state, and what it keeps to be continued later (source_resume.c). */
typedef struct SourceResume
{
	bool		keeps_state;
	L4SourceState *state;		/* as of before the records that the end of the input makes */
	int			image_room;
	int			start_room;
	bool		resumed;		/* rows of it are there already */
	int			replayed;		/* records still to come again that are counted already */
	int			named_count;	/* starts that records named which are taken back: they must come again */
	const L4IterationStart *named;
} SourceResume;

/* A source under way: everything lies in one memory context. */
struct L4Source
{
	L4SourceContext *context;
	int64		number;			/* among the sources of the context, from 1 */
	const char *name;
	const char *key;			/* of which its ids are hashes */
	int64		source_id;
	TimestampTz reference;
	SourcePhase phase;
	SourceInput input;
	SourceStreams streams;
	SourceShapes shapes;
	SourceSegment segment;
	SourceCounts counts;
	SourcePart	part;
	SourceResume resume;
};

/* May later input still change the record at hand? */
static inline bool
source_is_ending(const L4Source *work)
{
	return work->phase >= SOURCE_ENDING;
}

/* source_streams.c */

/* The stage of a stream before any marker. */
extern int	source_first_stage(const L4Place *place);
/* A new stream; label NULL for the file's own. */
extern Stream *source_add_stream(L4Source *work, const L4Place *place, const char *label);
/* The stream of a record by its label, made where it is new. */
extern Stream *source_labelled_stream(L4Source *work, const L4Header *header);
extern StreamPoint source_stream_point(const Stream *stream);
/* Sets a stream to where it is thought to stand, where anything is. */
extern void source_guess_stream(const L4Source *work, Stream *stream);
/* A stream stands at a cut: nothing was said or inherited since. */
extern void source_mark_stream(Stream *stream);

/* source_shapes.c */

extern Shape *source_shape(L4Source *work, uint64 shape_id, L4Bytes text);
extern void source_init_shape(L4Source *work, Shape *shape, L4Bytes text);
/*
 * Masks a record's message, or remembers how one like it was masked; rest: it goes on with a line that was too long. Sets all
 * that the record says of its shape but its place in the segment.
 */
extern Shape *source_mask_record(L4Source *work, L4Record *record, bool rest);
/* What the rules say of a message, whose parameters go to the current shape. */
extern L4ProgressClass source_class_of_message(L4Source *work, L4Bytes message);

/* source_segment.c */

extern void source_begin_segment(L4Source *work);
/* Writes the open segment, if it has records, and begins the next. */
extern void source_finish_segment(L4Source *work);

/* Sets the row of the open segment to what it amounts to, but for its blobs. */
extern void source_complete_segment(L4Source *work);

/* source_bundle.c: keeps all that came of a source, and its state (NULL: none), for source_write_bundles. */
extern void source_keep_bundled(L4Source *work, const L4SourceStateRow *state);

/* source_counts.c */

/* The counts of a shape in a stream, made where they are new. */
extern Summary *source_summary(L4Source *work, int stream, uint64 shape_id, bool *is_new);
/* The same for a record of the shape, which is the first where they are new; remembered by the shape. */
extern Summary *source_summary_of(L4Source *work, int stream, Shape *shape, const L4Record *record);
/* Keeps the counts as they are before a record that may still change. */
extern void source_keep_image(L4Source *work, Summary *summary);
/* True where it is the earliest start of the iteration so far. */
extern bool source_note_start(starts_hash *starts, int64 iteration, TimestampTz time);
/* Keeps which start a record named that may still change. */
extern void source_keep_start(L4Source *work, int64 iteration, TimestampTz time);
/*
 * Merges the parameter statistics since the last cut into those before it, so that numbers are always added up in the same
 * order.
 */
extern void source_cut_counts(L4Source *work);
/* The counts of the source and the statistics of their parameters, by shape and stream, palloc'd; returns how many. */
extern int	source_summary_rows(L4Source *work, L4SummaryRow **rows, L4StatisticsRow **statistics);
extern void source_write_summaries(L4Source *work);
/* The name of the header format that most records had; the first of equals. */
extern const char *source_commonest_format(L4Source *work);

/* source_record.c: takes one record from the assembler. */
extern void source_take_record(const L4RawRecord *raw, void *argument);

/* source_feed.c: takes bytes, or keeps them until there are enough for the sample; and takes what was kept. */
extern void source_take(L4Source *work, const WaitingLine *line, const char *bytes);
extern void source_take_waiting(L4Source *work);

/*
 * source_export.c: shows the first bytes to the parser of headers, and finds out how lines are kept in the file; then takes its
 * bytes, where not as they are, and its end.
 */
extern void source_learn(L4Source *work, L4Bytes sample);
extern void source_export_take(L4Source *work, L4Bytes bytes);
extern void source_export_end(L4Source *work);

/* source_shared.c: keeps what a source shares with others until source_write_shared. */
extern void source_keep_shared(L4Source *work);

/* source_resume.c: keeps what is final before the end of the input closes the last records; then, after all else, writes it. */
extern void source_save_state(L4Source *work);
extern void source_write_state(L4Source *work, const L4SourceFile *file);
/* What it would write; false where there is nothing to keep. */
extern bool source_state_row(L4Source *work, const L4SourceFile *file, L4SourceStateRow *row);

#endif							/* L4_SOURCE_PRIVATE_H */
