/*
 * store_tenant.c: tenants: whether they are kept apart, and what row security lets the caller see.
 */
#include "doors/store_tenant.h"

#include "access/table.h"
#include "rewrite/rowsecurity.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
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

/*
 * This node's copy of a table of which each node of a cluster has one. What policies ask is read by it, as they are asked from
 * within queries on shards, where Citus would plan each query anew. Known until something changes in the table.
 */
typedef struct CopyHere
{
	const char *table;			/* a literal */
	Oid			relation;
	bool		known;
	bool		changed;		/* something, since it was looked up */
	char	   *name;			/* qualified; NULL where the table is distributed over no nodes */
} CopyHere;

static CopyHere copies[] = {{"l4_job_tenant"}, {"l4_pool"}};

static void
forget_copy(Datum argument, Oid relation)
{
	int			i;

	for (i = 0; i < lengthof(copies); i++)
		if (relation == InvalidOid || relation == copies[i].relation)
			copies[i].changed = true;
}

static void
find_copy(const char *schema, CopyHere *copy, Oid relation)
{
	static bool is_told = false;
	Arguments	arguments = {0};
	char	   *name;

	if (!is_told)
		CacheRegisterRelcacheCallback(forget_copy, (Datum) 0);
	is_told = true;
	copy->relation = relation;
	copy->known = copy->changed = false;
	add_text(&arguments, copy->table);
	store_query(schema, "SELECT %s.l4_copy_here($1)", &arguments);
	name = result_text(0, 1);
	if (copy->name != NULL)
		pfree(copy->name);
	copy->name = NULL;
	if (name != NULL)
		copy->name = MemoryContextStrdup(TopMemoryContext, name);
	copy->known = true;
}

/* The name by which a table is read here, qualified; otherwise where it is distributed over no nodes. */
static const char *
name_here(const char *schema, const char *table, const char *otherwise)
{
	Oid			relation = store_table(schema, table);
	int			i;

	for (i = 0; strcmp(copies[i].table, table) != 0; i++)
		;
	if (!copies[i].known || copies[i].changed || copies[i].relation != relation)
		find_copy(schema, &copies[i], relation);
	return copies[i].name != NULL ? copies[i].name : psprintf("%s.%s", schema, otherwise);
}

bool
store_sees_job(const char *schema, const char *job_id)
{
	MemoryContext caller = CurrentMemoryContext;
	Arguments	arguments = {0};
	bool		sees;

	store_connect(false);
	add_text(&arguments, job_id);
	sees = store_query(name_here(schema, "l4_job_tenant", "l4_job"),
					   "SELECT FROM %s WHERE job_id OPERATOR(pg_catalog.=) $1", &arguments) > 0;
	MemoryContextSwitchTo(caller);
	store_disconnect();
	return sees;
}

bool
store_sees_pool(const char *schema, int64 pool_id)
{
	MemoryContext caller = CurrentMemoryContext;
	Arguments	arguments = {0};
	bool		sees;

	store_connect(false);
	add_bigint(&arguments, pool_id, false);
	sees = store_query(name_here(schema, "l4_pool", "l4_pool"),
					   "SELECT FROM %s WHERE pool_id OPERATOR(pg_catalog.=) $1", &arguments) > 0;
	MemoryContextSwitchTo(caller);
	store_disconnect();
	return sees;
}
