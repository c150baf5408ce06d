/*
 * store_locks.h: the locks by which imports, deletions and changes of jobs wait for each other. Needs a connected SPI.
 */
#ifndef L4_STORE_LOCKS_H
#define L4_STORE_LOCKS_H

#include "ground/l4.h"

/*
 * Locks until the end of the transaction, to be taken in the order that store_locks.c describes; the caller needs the
 * right to change l4_job or l4_stream (else 42501). store_lock_job: P0002 where the job is no more. store_lock_files and
 * store_lock_rows lock the job, shared, and then its files or the rows of l4_ingest against others. store_lock_shapes: for
 * what adds shapes and gives them events in the same transaction. store_lock_adding_shapes: for what adds some or changes their
 * marks; waits on a cluster alone. store_lock_here: on a cluster against those on this node alone. store_lock: one by the name
 * of its table; 22023 where there is none.
 */
extern void store_lock_job(const char *schema, const char *job_id, bool shared);
extern void store_lock_files(const char *schema, const char *job_id, const int64 *file_ids, int count);
extern void store_lock_rows(const char *schema, const char *job_id);
extern void store_lock_shapes(const char *schema);
extern void store_lock_adding_shapes(const char *schema);
extern void store_lock_here(const char *schema, const char *table);
extern void store_lock(const char *schema, const char *table, const char *name, bool shared);

#endif							/* L4_STORE_LOCKS_H */
