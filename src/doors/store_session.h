/*
 * store_session.h: connecting to the tables, and the transactions of a call.
 */
#ifndef L4_STORE_SESSION_H
#define L4_STORE_SESSION_H

#include "ground/l4.h"
#include "fmgr.h"

/* The schema of the function being called, quoted: the extension's. Cost: a cache lookup. */
extern const char *store_schema(FunctionCallInfo fcinfo);
/* A table in such a schema. Errors: 42P01 where there is none. Cost: a cache lookup. */
extern Oid store_table(const char *schema, const char *table);

/*
 * Connects SPI. may_commit: store_commit may be called, as in a procedure outside a transaction block. Memory contexts of the
 * caller stay as they were.
 */
extern void store_connect(bool may_commit);
extern void store_commit(void);
extern void store_commit_file(void);
/* The commit of the transaction under way is to wait until it, and with it all before it, is on disk. */
extern void store_settle(void);
/* Until the transaction ends no lock is waited for longer than ten seconds. */
extern void store_limit_waits(void);
extern void store_disconnect(void);
/*
 * The same in a worker, with transactions of its own: the first begins here, store_commit begins the next, store_end ends the
 * last.
 */
extern void store_begin(void);
extern void store_end(void);

#endif							/* L4_STORE_SESSION_H */
