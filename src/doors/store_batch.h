/*
 * store_batch.h: rows of sources on their way into the tables. Needs a connected SPI.
 */
#ifndef L4_STORE_BATCH_H
#define L4_STORE_BATCH_H

#include "ground/l4.h"
#include "algorithms/counts.h"
#include "algorithms/header.h"
#include "algorithms/place.h"
#include "algorithms/segment.h"

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
	int64		bundle_id;		/* whose rows hold its records and counts, 0: its source's own */
} L4StreamRow;

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

/*
 * Rows of sources on their way into the tables (store_batch.c), written when some have come together or with store_batch_write,
 * which must come before the transaction ends. Rows are copied. A row that replaces one is to be added after that was deleted;
 * the counts, the parameter statistics and the state of a source replace older ones by themselves.
 */
typedef struct L4StoreBatch L4StoreBatch;
extern L4StoreBatch *store_batch_create(const char *schema, const char *job_id);
extern void store_batch_stream(L4StoreBatch *batch, const L4StreamRow *row);
extern void store_batch_segment(L4StoreBatch *batch, const L4SegmentRow *row);
/* The packed counts of a source (counts_pack), which are of row_count rows. */
extern void store_batch_counts(L4StoreBatch *batch, int64 source_id, int row_count, const bytea *counts);
/* The packed parameter statistics of a source's parameters (statistics_pack). */
extern void store_batch_statistics(L4StoreBatch *batch, int64 source_id, const bytea *stats);
extern void store_batch_state(L4StoreBatch *batch, const L4SourceStateRow *row);
extern void store_batch_write(L4StoreBatch *batch);

#endif							/* L4_STORE_BATCH_H */
