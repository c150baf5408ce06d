/*
 * source_bundle.h: small files that come in together share their rows.
 */
#ifndef L4_SOURCE_BUNDLE_H
#define L4_SOURCE_BUNDLE_H

#include "ground/l4.h"
#include "doors/store_files.h"
#include "loading/source_context.h"

/* Fewer files are not worth a bundle; of more files or bytes another one is begun. */
#define L4_BUNDLE_LEAST 8
#define L4_BUNDLE_FILES 64
#define L4_BUNDLE_BYTES (2 * 1024 * 1024)

/* These streams, whose rows in l4_stream are deleted, leave their bundles with the next source_write_bundles. */
extern void source_leave_bundles(L4SourceContext *context, const L4BundledStream *streams, int count);
/*
 * Takes streams out of the bundles that they leave, and writes the small files that were finished since the last call: as one
 * bundle, or one by one where they are few. Where a transaction ends, before the rows that wait (store_batch_write) and what is
 * shared (source_write_shared).
 */
extern void source_write_bundles(L4SourceContext *context);

#endif							/* L4_SOURCE_BUNDLE_H */
