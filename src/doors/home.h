/*
 * home.h: on the node of a cluster that holds a job, queries about that job alone read and write its shards themselves.
 */
#ifndef L4_HOME_H
#define L4_HOME_H

#include "ground/l4.h"

/*
 * From here to the end of the transaction (or of the subtransaction that says it) queries that concern nothing but this job are
 * planned by the server as if its shards were the tables. Does nothing where l4 is not distributed or the job is on another
 * node, and says whether it did. may_write: changes too, which is for who has locked the placement of the shards
 * (l4_lock_on_cluster); else they go by Citus. schema as store_schema gives it.
 */
extern bool home_begin(const char *schema, const char *job_id, bool may_write);

/* The end of a transaction, or the abort of a subtransaction. */
extern void home_forget(void);

#endif							/* L4_HOME_H */
