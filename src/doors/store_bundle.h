/*
 * store_bundle.h: rows that several small files share. Needs a connected SPI.
 *
 * The segment, the counts and the parameter statistics of small files that come in together are one row each, under a key of
 * their own (l4_stream.bundle_id) in place of a source's. The segment's number is L4_BUNDLE_SEGMENT.
 */
#ifndef L4_STORE_BUNDLE_H
#define L4_STORE_BUNDLE_H

#include "ground/l4.h"
#include "doors/store_batch.h"
#include "doors/store_files.h"
#include "lib/stringinfo.h"

#define L4_BUNDLE_SEGMENT (-1)

/*
 * What is kept of the files of a bundle in case they are read again: of each the shapes that only records have that may still
 * grow, as a row of l4_source_state. marks_add: the next file; marks_row: the row, without its job, which lives as long as the
 * marks; shape_count is 0 where there is nothing to keep.
 */
typedef struct L4BundleMarks
{
	StringInfoData sources;
	int64	   *shape_ids;
	int			shape_count;
	int			shape_room;
} L4BundleMarks;

extern void marks_init(L4BundleMarks *marks);
extern void marks_add(L4BundleMarks *marks, int64 source_id, const int64 *shape_ids, int count);
extern L4SourceStateRow marks_row(const L4BundleMarks *marks, int64 bundle_id);

/*
 * Locks the bundles that files lie in, in the order of their ids, until the transaction ends: once in a transaction, for all
 * files that may leave them, after the files are locked and before any other row is written. So who waits for a bundle holds
 * none that comes after it.
 */
extern void store_lock_bundles(const char *schema, const char *job_id, const int64 *file_ids, int count);
/*
 * Takes out of a bundle, which is locked, the files that have these streams, whose rows in l4_stream are gone already; streams:
 * of one bundle, in ascending order of their ids. Returns the shapes that are no longer marked by these files (palloc'd, in
 * *shape_count). Errors: XX001. Cost: that of packing the bundle anew.
 */
extern int64 *store_leave_bundle(const char *schema, const char *job_id, const L4BundledStream *streams, int count,
								 int *shape_count);

#endif							/* L4_STORE_BUNDLE_H */
