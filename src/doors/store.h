/*
 * store.h: the one door to l4's tables: SPI with every name qualified, under the caller's own privileges and row security.
 */
#ifndef L4_STORE_H
#define L4_STORE_H

#include "ground/l4.h"
#include "fmgr.h"
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
	char	   *status;
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
} L4Rules;

/*
 * Connects SPI. may_commit: store_commit may be called, as in a procedure outside a transaction block. Memory contexts of the caller stay as they were.
 */
extern void store_connect(bool may_commit);
extern void store_commit(void);
extern void store_disconnect(void);
/* The same in a worker, with transactions of its own: the first begins here, store_commit begins the next, store_end ends the last. */
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
} L4KnownFile;

/* Locks the file against other imports until the transaction ends, then tells what is there of it. */
extern L4KnownFile store_known_file(const char *schema, const char *job_id, int64 file_id);
/* Deletes the streams of a file (an archive holds several) with all that came from them, but for shapes and events. */
extern void store_forget_file(const char *schema, const char *job_id, int64 file_id);

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

extern void store_streams(const char *schema, const char *job_id, const L4StreamRow *const *streams, int count);
extern void store_segment(const char *schema, const char *job_id, const L4SegmentRow *row);
extern void store_shapes(const char *schema, const int64 *shape_ids, const L4Bytes *texts, int count);
extern void store_summaries(const char *schema, const char *job_id, const L4SummaryRow *rows, int count);
/* The packed sketches of a source's parameters (sketch_pack). */
extern void store_parameters(const char *schema, const char *job_id, int64 source_id, const bytea *sketch);
/* Merges starts of iterations (no duplicates) into the job's timeline: the earliest start of each stays; ordered by start. */
extern void store_timeline(const char *schema, const char *job_id, const int64 *iterations, const TimestampTz *starts, int count);
/* Is there any row of a job's logs? Connects and disconnects SPI by itself. */
extern bool store_holds_logs(const char *schema);
/* Gives every shape without an event one; refreshes the pool of a job that succeeded. */
extern void store_finish_import(const char *schema, const char *job_id);
/* Fresh planner statistics, where the caller owns the tables. */
extern void store_analyze(const char *schema);

/* The shapes of an event in ascending order as a bigint[] in the current memory context, NULL where there is none. Connects by itself. Cost: one statement. */
extern Datum store_event_shapes(const char *schema, int64 event_id, bool *is_null);

#endif							/* L4_STORE_H */
