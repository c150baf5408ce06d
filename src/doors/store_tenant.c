/*
 * store_tenant.c: tenants: whether they are kept apart, and what row security lets the caller see.
 */
#include "doors/store_tenant.h"

#include "access/table.h"
#include "rewrite/rowsecurity.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "doors/store_session.h"
#include "doors/store_statement.h"

/* The policy that l4_enable_tenancy sets on every table that tenants have rows in. */
#define TENANT_POLICY "l4_tenant"

bool
store_tenancy(Oid schema)
{
	Relation	relation = table_open(get_relname_relid("l4_job", schema), AccessShareLock);
	bool		found = false;
	ListCell   *cell;

	/* the server's cache has them where row security is on */
	if (relation->rd_rsdesc != NULL)
		foreach(cell, relation->rd_rsdesc->policies)
			found |= strcmp(((RowSecurityPolicy *) lfirst(cell))->policy_name, TENANT_POLICY) == 0;
	table_close(relation, AccessShareLock);
	return found;
}

bool
store_sees_job(const char *schema, const char *job_id)
{
	MemoryContext caller = CurrentMemoryContext;
	Arguments	arguments = {0};
	bool		sees;

	store_connect(false);
	add_text(&arguments, job_id);
	sees = store_query(schema, "SELECT FROM %s.l4_job WHERE job_id OPERATOR(pg_catalog.=) $1", &arguments) > 0;
	MemoryContextSwitchTo(caller);
	store_disconnect();
	return sees;
}
