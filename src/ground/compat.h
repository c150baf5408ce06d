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

/* PostgreSQL 16 changed the arguments of make_restrictinfo; drop when 15 is no longer supported. For a clause on one relation, with nothing special about it. */
#if PG_VERSION_NUM >= 160000
#define l4_make_restrictinfo(root, clause, security_level) \
	make_restrictinfo(root, clause, true, false, false, false, security_level, NULL, NULL, NULL)
#else
#define l4_make_restrictinfo(root, clause, security_level) \
	make_restrictinfo(root, clause, true, false, false, security_level, NULL, NULL, NULL)
#endif

#endif							/* L4_COMPAT_H */
