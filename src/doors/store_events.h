/*
 * store_events.h: events of shapes, and what else is found out at the end of an import.
 */
#ifndef L4_STORE_EVENTS_H
#define L4_STORE_EVENTS_H

#include "ground/l4.h"

/* Gives every shape without an event one. Needs a connected SPI. */
extern void store_assign_events(const char *schema, const char *job_id);
/* After an import: learns which ranks a job has, on which nodes they are, and their addresses. Needs a connected SPI. */
extern void store_learn_places(const char *schema, const char *job_id);
/*
 * Has a job to do with any pool? Asked on a cluster, where what may change pools begins sessions on all nodes; true elsewhere.
 * Locks the job's row, so that the transaction is to be ended before l4_pool is locked. Needs a connected SPI.
 */
extern bool store_concerns_pool(const char *schema, const char *job_id);
/* After that: puts a job that succeeded into its pool, and takes any other out. Needs a connected SPI. */
extern void store_refresh_pool(const char *schema, const char *job_id);

/*
 * The shapes of an event in ascending order as a bigint[] in the current memory context, NULL where there is none. Connects by
 * itself. Cost: one statement.
 */
extern Datum store_event_shapes(const char *schema, int64 event_id, bool *is_null);

#endif							/* L4_STORE_EVENTS_H */
