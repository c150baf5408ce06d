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
/*
 * Deletes the streams of a file (an archive holds several) with all that came from them, but for shapes, events and starts of
 * iterations. Did it name any of these?
 */
extern bool store_forget_file(const char *schema, const char *job_id, int64 file_id);

#endif							/* L4_STORE_FILES_H */
