/*
 * compat.h: every test of the server's version stands here, each with what changed and when it may go.
 */
#ifndef L4_COMPAT_H
#define L4_COMPAT_H

#include "postgres.h"

#if PG_VERSION_NUM < 150000
#error "l4 needs PostgreSQL 15 or later"
#endif

/* PostgreSQL 16 moved the varlena macros out of postgres.h; drop when 15 is no longer supported. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

#endif							/* L4_COMPAT_H */
