/*
 * guard.h: the guards against losing rows, and against statements that Citus takes wrongly.
 */
#ifndef L4_GUARD_H
#define L4_GUARD_H

#include "ground/l4.h"

/* Defines l4.allow_drop; once, when the library is loaded. */
extern void guard_define_settings(void);
/* Looks at each CALL and COPY from now on; once, when the library is loaded. */
extern void guard_statements(void);

#endif							/* L4_GUARD_H */
