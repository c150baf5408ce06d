/*
 * store_bundle.h: rows that several small files share. Needs a connected SPI.
 *
 * The segment, the counts and the parameter statistics of small files that come in together are one row each, under a key of
 * their own (l4_stream.bundle_id) in place of a source's. The segment's number is L4_BUNDLE_SEGMENT.
 */
#ifndef L4_STORE_BUNDLE_H
#define L4_STORE_BUNDLE_H

#include "ground/l4.h"

#define L4_BUNDLE_SEGMENT (-1)

/*
 * Takes out of a bundle the files that have these streams (ascending), whose rows in l4_stream are gone already; locks its rows.
 * Who takes files out of several bundles goes through them in the order of their ids. Errors: XX001. Cost: that of packing the
 * bundle anew.
 */
extern void store_leave_bundle(const char *schema, const char *job_id, int64 bundle_id, const int64 *streams, int count);

#endif							/* L4_STORE_BUNDLE_H */
