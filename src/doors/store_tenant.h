/*
 * store_tenant.h: tenants: whether they are kept apart, and what row security lets the caller see.
 */
#ifndef L4_STORE_TENANT_H
#define L4_STORE_TENANT_H

#include "ground/l4.h"

/* Are tenants kept apart: is row security with the policy l4_tenant on for l4_job of this schema? Cost: a cache lookup. */
extern bool store_tenancy(Oid schema);
/*
 * Does row security let the caller see the job (where l4 is distributed over nodes: its row of l4_job_tenant, of which each has
 * a copy)? Reads only; connects by itself. Cost: one statement.
 */
extern bool store_sees_job(const char *schema, const char *job_id);
/* The same for a pool. */
extern bool store_sees_pool(const char *schema, int64 pool_id);

#endif							/* L4_STORE_TENANT_H */
