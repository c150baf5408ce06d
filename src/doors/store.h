/*
 * store.h: the one door to l4's tables: SPI with every name qualified, under the caller's own privileges and row security.
 */
#ifndef L4_STORE_H
#define L4_STORE_H

#include "ground/l4.h"
#include "fmgr.h"
#include "algorithms/flood.h"
#include "algorithms/header.h"
#include "algorithms/place.h"
#include "algorithms/progress.h"
#include "algorithms/segment.h"

/* The schema of the function being called, quoted: the extension's. Cost: a cache lookup. */
extern const char *store_schema(FunctionCallInfo fcinfo);

/* What import needs to know of a job. */
typedef struct L4Job
{
	const char *job_id;
	char	   *time_zone;
	TimestampTz started_at;		/* 0 where not known */
	L4Cluster	cluster;
} L4Job;

/* The rules of the tables, compiled in the current memory context. */
typedef struct L4Rules
{
	L4Format   *formats;
	int			format_count;
	L4ProgressRules progress;
	L4Pattern **masks;
	int			mask_count;
	L4GraveWords grave;
} L4Rules;

/*
 * Connects SPI. may_commit: store_commit may be called, as in a procedure outside a transaction block. Memory contexts of the
 * caller stay as they were.
 */
extern void store_connect(bool may_commit);
extern void store_commit(void);
extern void store_commit_file(void);
/* The commit of the transaction under way is to wait until it, and with it all before it, is on disk. */
extern void store_settle(void);
/* Until the transaction ends no lock is waited for longer than ten seconds. */
extern void store_limit_waits(void);
extern void store_disconnect(void);
/*
 * The same in a worker, with transactions of its own: the first begins here, store_commit begins the next, store_end ends the
 * last.
 */
extern void store_begin(void);
extern void store_end(void);

/* All functions below need a connected SPI and allocate in the memory context that was current when they were called. */
extern L4Job *store_job(const char *schema, const char *job_id);
extern L4Rules *store_rules(const char *schema);

/* What is known of a file from an earlier import. */
typedef struct L4KnownFile
{
	bool		known;
	bool		failed;			/* at least one stream of it could not be read whole */
	int64		size;			/* -1 where not known */
	TimestampTz modified_at;
	bool		has_time;
	TimestampTz first_ts;		/* of its records */
} L4KnownFile;

/*
 * Locks until the end of the transaction, to be taken in the order that store_locks.c describes; the caller needs the
 * right to change l4_job or l4_stream (else 42501). store_lock_job: P0002 where the job is no more. store_lock_files and
 * store_lock_rows lock the job, shared, and then its files or the rows of l4_ingest against others. store_lock_shapes: for
 * what adds shapes and gives them events in the same transaction. store_lock: one by the name of its table; 22023 where
 * there is none.
 */
extern void store_lock_job(const char *schema, const char *job_id, bool shared);
extern void store_lock_files(const char *schema, const char *job_id, const int64 *file_ids, int count);
extern void store_lock_rows(const char *schema, const char *job_id);
extern void store_lock_shapes(const char *schema);
extern void store_lock(const char *schema, const char *table, const char *name, bool shared);
/* What is there of files, in their order. Cost: one statement. */
extern void store_known_files(const char *schema, const char *job_id, const int64 *file_ids, int count, L4KnownFile *known);
/*
 * Deletes the streams of a file (an archive holds several) with all that came from them, but for shapes, events and starts of
 * iterations. Did it name any of these?
 */
extern bool store_forget_file(const char *schema, const char *job_id, int64 file_id);

/* Rows of l4_stream. */
typedef struct L4StreamRow
{
	int64		stream_id;
	int64		source_id;
	int64		file_id;
	const char *source;
	const char *label;			/* NULL for the file's own stream */
	L4Place		place;
	const char *format;			/* commonest header format, or NULL */
	const char *state;			/* imported, failed */
	const char *error;
	int64		byte_count;
	int64		line_count;
	int64		record_count;
	bool		has_time;
	TimestampTz first_ts;
	TimestampTz last_ts;
	int			last_stage;
	bool		has_iteration;
	int64		first_iteration;
	int64		last_iteration;
	int64		file_size;
	TimestampTz file_modified_at;
} L4StreamRow;

/* Rows of l4_stream_event. */
typedef struct L4SummaryRow
{
	int64		stream_id;
	int64		shape_id;
	int64		occurrences;
	L4Level		level;
	const char *component;		/* NULL where none */
	int64		first_line;
	int64		last_line;
	bool		has_time;
	TimestampTz first_ts;
	TimestampTz last_ts;
	int			stage;
	bool		has_iteration;
	int64		first_iteration;
	int64		last_iteration;
} L4SummaryRow;

typedef struct L4SegmentRow
{
	int64		source_id;
	int			segment_no;
	int64		first_line;
	int64		last_line;
	int			record_count;
	bool		has_time;
	TimestampTz first_ts;
	TimestampTz last_ts;
	int64		raw_bytes;
	int64	   *stream_ids;
	int			stream_count;
	int64	   *shape_ids;
	int			shape_count;
	L4SegmentBlobs blobs;
} L4SegmentRow;

/* A shape to be added, or whose mark changes. */
typedef struct L4ShapeRow
{
	int64		shape_id;
	L4Bytes		text;			/* data NULL: it is there */
	bool		firm;			/* some record has it that cannot change any more */
	int			tentative;		/* sources that now have it in records that can change, less those that had */
} L4ShapeRow;

/* In the order of the ids. */
extern void store_shapes(const char *schema, const L4ShapeRow *rows, int count);
/* Merges starts of iterations (no duplicates) into the job's timeline: the earliest start of each stays; ordered by start. */
extern void store_timeline(const char *schema, const char *job_id, const int64 *iterations, const TimestampTz *starts,
						   int count);
/* Gives every shape without an event one. */
extern void store_assign_events(const char *schema, const char *job_id);
/* After an import: learns the job's addresses, and puts one that succeeded into its pool. */
extern void store_refresh_pool(const char *schema, const char *job_id);
/*
 * Fresh planner statistics, where the caller owns the tables: of those that logs go into, and of what is found out at the end
 * of an import.
 */
extern void store_analyze_logs(const char *schema);
extern void store_analyze_rest(const char *schema);

/*
 * The shapes of an event in ascending order as a bigint[] in the current memory context, NULL where there is none. Connects by
 * itself. Cost: one statement.
 */
extern Datum store_event_shapes(const char *schema, int64 event_id, bool *is_null);
/* Sources that may go on later. All in store_source.c. */

/* A row of l4_source_state. */
typedef struct L4SourceStateRow
{
	int64		source_id;
	int64		byte_count;		/* taken in so far */
	int64		settings_hash;	/* of rules and job (store_settings_hash) when they were */
	int64		head_hash;		/* of the first bytes of the file, */
	int64		tail_hash;		/* and of the last ones taken in; 0 where there is no file */
	int64	   *shape_ids;		/* that only records have that may still grow */
	int			shape_count;
	bytea	   *state;			/* NULL: read anew */
	int64		record_count;	/* of all its streams, and of its lines: only read */
	int64		line_count;
} L4SourceStateRow;

/* A hash over all that decides what a line of the job becomes: rules, time zone, start, nodes. */
extern int64 store_settings_hash(const char *schema, const char *job_id);
/* NULL where there is none. */
extern L4SourceStateRow *store_source_state(const char *schema, const char *job_id, int64 source_id);
/* The blobs of a source's segments from one number on, in order; then deletes these. */
extern L4SegmentBlobs *store_take_segments(const char *schema, const char *job_id, int64 source_id, int segment_no, int *count);
/* The texts of shapes; ids become those that there are, in order and each once. */
extern L4Bytes *store_shape_texts(const char *schema, int64 **shape_ids, int *count);
/* The shapes of a job that satisfy a test, by their ids in order. */
typedef bool (*L4ShapeTest) (int64 shape_id, L4Bytes text, void *argument);
extern int64 *store_job_shapes(const char *schema, const char *job_id, L4ShapeTest test, void *argument, int *count);
/*
 * Calls the sink for each segment of a job that has one of the shapes; is_last: the last one of its source. The blobs live
 * until it returns.
 */
typedef void (*L4SegmentSink) (const L4SegmentBlobs *blobs, bool is_last, void *argument);
extern void store_each_segment(const char *schema, const char *job_id, const int64 *shape_ids, int count, L4SegmentSink sink,
							   void *argument);
/* Marks the job's timeline as one to be made anew; is it so marked? Deletes it. */
extern void store_mark_timeline(const char *schema, const char *job_id);
extern bool store_timeline_is_stale(const char *schema, const char *job_id);
extern void store_forget_timeline(const char *schema, const char *job_id);
/* All rows of l4_stream_event of a source. */
extern L4SummaryRow *store_known_summaries(const char *schema, const char *job_id, int64 source_id, int *count);
/* Deletes rows of l4_stream_event, named by stream and shape. */
extern void store_forget_summaries(const char *schema, const char *job_id, const L4SummaryRow *rows, int count);
/* Deletes the rows of l4_stream, or all that came of a source but for shapes and events. */
extern void store_forget_streams(const char *schema, const char *job_id, int64 source_id);
extern void store_forget_source(const char *schema, const char *job_id, int64 source_id);
/* The packed sketches of a source, or NULL; then deletes them. */
extern bytea *store_take_sketch(const char *schema, const char *job_id, int64 source_id);

/*
 * Rows of sources on their way into the tables (store_batch.c), written when some have come together or with store_batch_write,
 * which must come before the transaction ends. Rows are copied. A row that replaces one is to be added after that was deleted;
 * the sketches and the state of a source replace older ones by themselves.
 */
typedef struct L4StoreBatch L4StoreBatch;
extern L4StoreBatch *store_batch_create(const char *schema, const char *job_id);
extern void store_batch_stream(L4StoreBatch *batch, const L4StreamRow *row);
extern void store_batch_segment(L4StoreBatch *batch, const L4SegmentRow *row);
extern void store_batch_summary(L4StoreBatch *batch, const L4SummaryRow *row);
/* The packed sketches of a source's parameters (sketch_pack). */
extern void store_batch_sketch(L4StoreBatch *batch, int64 source_id, const bytea *sketch);
extern void store_batch_state(L4StoreBatch *batch, const L4SourceStateRow *row);
extern void store_batch_write(L4StoreBatch *batch);

#endif							/* L4_STORE_H */
