/*
 * store_source.h: what is there of a source that may go on. Needs a connected SPI.
 */
#ifndef L4_STORE_SOURCE_H
#define L4_STORE_SOURCE_H

#include "ground/l4.h"
#include "algorithms/segment.h"
#include "doors/store_batch.h"

/* The kept state of a source; NULL where there is none. */
extern L4SourceStateRow *store_source_state(const char *schema, const char *job_id, int64 source_id);
/* The blobs of a source's segments from one number on, in order; then deletes these. */
extern L4SegmentBlobs *store_take_segments(const char *schema, const char *job_id, int64 source_id, int segment_no, int *count);
/*
 * Calls the sink for each segment of a job that has one of the shapes; is_last: the last one of its source. The blobs live
 * until it returns.
 */
typedef void (*L4SegmentSink) (const L4SegmentBlobs *blobs, bool is_last, void *argument);
extern void store_each_segment(const char *schema, const char *job_id, const int64 *shape_ids, int count, L4SegmentSink sink,
							   void *argument);
/* All counts of a source, unpacked. */
extern L4SummaryRow *store_known_summaries(const char *schema, const char *job_id, int64 source_id, int *count);
/* Deletes the rows of l4_stream, or all that came of a source but for shapes and events. */
extern void store_forget_streams(const char *schema, const char *job_id, int64 source_id);
extern void store_forget_source(const char *schema, const char *job_id, int64 source_id);
/* The packed parameter statistics of a source, or NULL; then deletes them. */
extern bytea *store_take_statistics(const char *schema, const char *job_id, int64 source_id);

#endif							/* L4_STORE_SOURCE_H */
