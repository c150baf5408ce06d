/*
 * guard.h: the setting of the guard against losing rows.
 */
#ifndef L4_GUARD_H
#define L4_GUARD_H

#include "ground/l4.h"

/* Defines l4.allow_drop; once, when the library is loaded. */
extern void guard_define_settings(void);

#endif							/* L4_GUARD_H */
