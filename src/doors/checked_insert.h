/*
 * checked_insert.h: rows that an INSERT ... SELECT puts into tables of a cluster obey row security.
 */
#ifndef L4_CHECKED_INSERT_H
#define L4_CHECKED_INSERT_H

#include "ground/l4.h"

/* Looks at each plan from now on; once, when the library is loaded. */
extern void checked_insert_begin(void);

#endif							/* L4_CHECKED_INSERT_H */
