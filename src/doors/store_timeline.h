/*
 * store_timeline.h: rows of l4_timeline. Needs a connected SPI.
 */
#ifndef L4_STORE_TIMELINE_H
#define L4_STORE_TIMELINE_H

#include "ground/l4.h"

/* Merges starts of iterations (no duplicates) into the job's timeline: the earliest start of each stays; ordered by start. */
extern void store_timeline(const char *schema, const char *job_id, const int64 *iterations, const TimestampTz *starts,
						   int count);
/* Marks the job's timeline as one to be made anew; is it so marked? Deletes it. */
extern void store_mark_timeline(const char *schema, const char *job_id);
extern bool store_timeline_is_stale(const char *schema, const char *job_id);
extern void store_forget_timeline(const char *schema, const char *job_id);

#endif							/* L4_STORE_TIMELINE_H */
