/*
 * shared_tempfile.h: bytes that the processes of one call hand to each other by name, through the server's shared temporary
 * files.
 */
#ifndef L4_SHARED_TEMPFILE_H
#define L4_SHARED_TEMPFILE_H

#include "ground/l4.h"
#include "storage/sharedfileset.h"

/*
 * The set lies in shared memory and its files go with that. Leader: shared_tempfile_create; others: shared_tempfile_attach.
 * Inside a transaction.
 */
extern void shared_tempfile_create(SharedFileSet *set, dsm_segment *segment);
extern void shared_tempfile_attach(SharedFileSet *set, dsm_segment *segment);
/* Keeps bytes under a name that is not in use. */
extern void shared_tempfile_put(SharedFileSet *set, const char *name, L4Bytes bytes);
/* The bytes under a name, palloc'd; data is NULL where there are none. */
extern L4Bytes shared_tempfile_get(SharedFileSet *set, const char *name);
extern void shared_tempfile_delete(SharedFileSet *set, const char *name);

#endif							/* L4_SHARED_TEMPFILE_H */
