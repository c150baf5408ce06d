/*
 * store_files.h: what is there of a file from an earlier import. Needs a connected SPI.
 */
#ifndef L4_STORE_FILES_H
#define L4_STORE_FILES_H

#include "ground/l4.h"

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

/* What is there of files, in their order. Cost: one statement. */
extern void store_known_files(const char *schema, const char *job_id, const int64 *file_ids, int count, L4KnownFile *known);
/* A stream whose records and counts lie in a bundle. */
typedef struct L4BundledStream
{
	int64		bundle_id;
	int64		stream_id;
	int64		source_id;
} L4BundledStream;

/*
 * Deletes the streams of a file (an archive holds several) with all that came from them, but for shapes, events and starts of
 * iterations, and but for what lies in bundles: bundled (palloc'd) are these streams, for store_leave_bundle. Did the file name
 * the start of an iteration?
 */
extern bool store_forget_file(const char *schema, const char *job_id, int64 file_id, L4BundledStream **bundled,
							  int *bundled_count);

#endif							/* L4_STORE_FILES_H */
