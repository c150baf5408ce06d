/*
 * timeline.h: a job's timeline made anew from its records.
 */
#ifndef L4_TIMELINE_H
#define L4_TIMELINE_H

#include "loading/source.h"

/*
 * Makes l4_timeline of the context's job anew: when each iteration began by the earliest record that names it. For when such a
 * record has gone or changed, since a minimum does not say what comes next. Cost: a pass over the segments of the job that have
 * records of such shapes.
 */
extern void timeline_rebuild(L4SourceContext *context);

#endif							/* L4_TIMELINE_H */
