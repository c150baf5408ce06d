/*
 * guard.h: the guards against losing rows, and against calls that end the server.
 */
#ifndef L4_GUARD_H
#define L4_GUARD_H

#include "ground/l4.h"

/* Defines l4.allow_drop; once, when the library is loaded. */
extern void guard_define_settings(void);
/* Looks at each CALL from now on; once, when the library is loaded. */
extern void guard_calls(void);

#endif							/* L4_GUARD_H */
