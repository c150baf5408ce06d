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

/* mul_size and add_size; other headers brought this one along until 15. */
#include "storage/shmem.h"

/*
 * PostgreSQL 18 says pg_noreturn before a declaration, where pg_attribute_noreturn() stood; drop when 17 is no longer
 * supported.
 */
#ifndef pg_noreturn
#define pg_noreturn pg_attribute_noreturn()
#endif

/* PostgreSQL 18 encodes base64 from, and decodes it into, unsigned bytes; drop when 17 is no longer supported. */
#if PG_VERSION_NUM >= 180000
typedef uint8 L4Base64Byte;
#else
typedef char L4Base64Byte;
#endif

/*
 * PostgreSQL 16 changed the arguments of make_restrictinfo; drop when 15 is no longer supported. For a clause on one relation,
 * with nothing special about it.
 */
#if PG_VERSION_NUM >= 160000
#define l4_make_restrictinfo(root, clause, security_level) \
	make_restrictinfo(root, clause, true, false, false, false, security_level, NULL, NULL, NULL)
#else
#define l4_make_restrictinfo(root, clause, security_level) \
	make_restrictinfo(root, clause, true, false, false, security_level, NULL, NULL, NULL)
#endif

/* PostgreSQL 16 keeps apart from the range of a query who may read its tables; drop when 15 is no longer supported. */
#if PG_VERSION_NUM >= 160000
#define l4_set_entry_relation(query, entry, relation) \
	do { \
		if ((entry)->perminfoindex > 0) \
			getRTEPermissionInfo((query)->rteperminfos, entry)->relid = (relation); \
		(entry)->relid = (relation); \
	} while (0)
#else
#define l4_set_entry_relation(query, entry, relation) ((entry)->relid = (relation))
#endif

#endif							/* L4_COMPAT_H */
