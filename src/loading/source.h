/*
 * source.h: one source of log bytes (a file, a member of an archive, the rows of a query) into segments, summaries and streams.
 */
#ifndef L4_SOURCE_H
#define L4_SOURCE_H

#include "ground/l4.h"
#include "algorithms/record.h"
#include "doors/store_batch.h"
#include "loading/source_context.h"

/* So many first bytes show the parser of headers what the lines are like. */
#define L4_SAMPLE_BYTES (64 * 1024)

typedef struct L4Source L4Source;

/*
 * Begins a source; everything lies in the current memory context, which must stay current until source_finish. modified_at
 * resolves years.
 */
extern L4Source *source_begin(L4SourceContext *context, const char *name, TimestampTz modified_at);
/*
 * Begins a source of rows, which keeps its state and which source_resume may go on with. source, node (NULL where not known)
 * and rank (-1) together name it; a file with the same path is another source. reference resolves years where the job's start
 * is not known.
 */
extern L4Source *source_begin_rows(L4SourceContext *context, const char *source, const char *node, int rank,
								   TimestampTz reference);
/* Keeps what it takes to go on with the source later (source_resume). Before the first bytes. */
extern void source_keep_state(L4Source *source);
/*
 * Goes on with a source that is there already and has just been begun: what comes next joins what was taken in before, and the
 * result is that of taking in all at once. A file's state must be that of the settings at hand and have its bytes (state not
 * NULL). Cost: that of one segment, and of the source's kinds of statements.
 */
extern void source_resume(L4Source *source, const L4SourceStateRow *known);
/*
 * Takes whole lines that came as a row; the last one's end is added where it is not there. line_no: the first one's number in
 * the source, at least the next.
 */
extern void source_feed_row(L4Source *source, int64 line_no, const L4LineFacts *facts, const char *bytes, size_t size);
/*
 * Shows the first bytes (64 kB count) to the parser of headers, before any are fed; source_feed does it with the first it gets.
 */
extern void source_sample(L4Source *source, L4Bytes bytes);
/*
 * Are its lines kept in another form than a line each (source_export.c), as the first bytes show? Then it comes in one piece,
 * and from its beginning.
 */
extern bool source_is_export(const L4Source *source);
/* Takes the next bytes. Full segments are written on the way. */
extern void source_feed(L4Source *source, const char *bytes, size_t size);
/* How many bytes were taken so far: all that were fed, unless feeding stopped. */
extern int64 source_bytes(const L4Source *source);

/*
 * Large files come in parts, which several processes may read at once (source_part.c).
 *
 * source_stop: feeding stops before the first record that begins with a line still to come; source_stopped: it has, and goes on
 * there. source_cut: ends a part there; where a source is cut changes its segments and the last bits of means, but which
 * process read which part changes nothing.
 */
extern void source_stop(L4Source *source);
extern bool source_stopped(const L4Source *source);
extern void source_cut(L4Source *source);

/* Where all streams stand, as bytes appended to out: at a cut. */
extern void source_put_points(const L4Source *source, StringInfo out);
/*
 * Begins a part that is read before those that come before it are known. sample: the first bytes of the file; points: where the
 * streams stood at some cut before; offset and line_no: of the byte fed first, some way before the part, so that it becomes
 * likely where the streams stand at its beginning. After source_stop and source_stopped, source_part_start begins it; after the
 * next stop source_part_put appends what it amounts to. Nothing is written to tables.
 */
extern L4Source *source_part_begin(L4SourceContext *context, const char *name, TimestampTz modified_at, L4Bytes sample,
								   L4Bytes points, int64 offset, int64 line_no);
extern void source_part_start(L4Source *part);
extern void source_part_put(L4Source *part, StringInfo out);
/*
 * Takes in a part that begins where the source was cut last, as if its bytes had been fed and cut off at its end. Returns false
 * and changes nothing where a guess about a stream was wrong and mattered, or the limit of shapes is reached: the bytes must
 * then be fed. Errors: XX001 for damaged bytes.
 */
extern bool source_merge_part(L4Source *source, L4Bytes part);

/*
 * A source that is read as a whole beside the one that takes it in: begun here and fed, then source_whole_put appends what it
 * amounts to; false where it is too small to be worth it. Nothing is written to tables: source_whole_size is what is kept in
 * memory. source_merge_whole takes that in, to a source that was begun and not fed, as source_merge_part does a part.
 */
extern L4Source *source_whole_begin(L4SourceContext *context, const char *name, TimestampTz modified_at);
extern size_t source_whole_size(const L4Source *whole);
extern bool source_whole_put(L4Source *whole, StringInfo out);
extern bool source_merge_whole(L4Source *source, L4Bytes whole);

/* The file on disk that a source is of; size -1 and modified_at 0 where there is none. */
typedef struct L4SourceFile
{
	int64		file_id;
	int64		size;
	TimestampTz modified_at;
	int64		head_hash;		/* of its first and last bytes; 0 where it does not matter */
	int64		tail_hash;
	const char *remark;			/* what is odd about it though it was read whole, or NULL */
} L4SourceFile;

/* Takes the end and writes all that came of the source. error says why it could not be read whole, or is NULL. */
extern void source_finish(L4Source *source, const L4SourceFile *file, const char *error);

/* Why it is not known where the source comes from though a rule should tell, or NULL. */
extern const char *source_doubt(const L4Source *source);

/*
 * Writes what waits of the sources finished since the last call, shapes and the timeline last: last in a transaction, where
 * several sources share one. with_events: as for store_shapes, whose answer it gives.
 */
extern bool source_write_shared(L4SourceContext *context, bool with_events);
/* The transaction of the last source_write_shared has been committed. May be left out. */
extern void source_committed(L4SourceContext *context);

/*
 * With the next source_write_shared removes the marks of shapes that only the last records of a source had: for a source that
 * goes on or is deleted.
 */
extern void source_release_shapes(L4SourceContext *context, const int64 *shape_ids, int count);

/* The id under which it is known, its name, and the number of the next line. */
extern int64 source_key(const L4Source *source);
extern const char *source_name(const L4Source *source);
extern int64 source_next_line(const L4Source *source);
extern int64 source_records(const L4Source *source);
extern int64 source_lines(const L4Source *source);

#endif							/* L4_SOURCE_H */
