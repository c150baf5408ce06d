/*
 * store_locks.c: the locks by which imports, deletions and changes of jobs wait for each other, and the one order in which
 * all of them are taken.
 *
 *    1  a job             shared by whoever adds to its logs, exclusively by whoever takes them away (and by a transaction
 *                         block that imports very many files)
 *    2  files of a job    exclusively, all at once, in the order of their keys; the rows of l4_ingest count as one file
 *    3  events            exclusively by whoever gives events to shapes
 *    4  shapes            shared by whoever adds some, exclusively by whoever gives them events or takes them back; then
 *                         rows of l4_shape in the order of their ids
 *       on a cluster      then exclusively by whoever adds some or changes their marks: a row of l4_shape is on every node
 *                         there, and Citus locks its copies in no order that keeps two writers apart
 *    5  timeline          the job's row of l4_timeline
 *    6  pools             exclusively by whoever changes what is in any pool; then the job's row of l4_job
 *
 * A transaction takes them downwards, so none waits for another one in a circle:
 *
 *    files of l4_import                             1 shared, 2, 4 shared, 5; on a cluster the last ones of a process
 *                                                  that is alone 1 shared, 2, 3, 4, 5 where a shape is new
 *    its end, a transaction for each step           1 shared, 5;  1 shared, 3, 4;  1 shared, 6 (of this
 *                                                  node);  1 shared, 6
 *    l4_ingest, l4_ingest_inbox, and l4_import
 *    in a transaction block                         1 shared, 2, 3, 4, 5, 6
 *    l4_register_job (another status or settings)   6
 *    l4_drop_log_text                               1
 *    l4_delete_job                                  1, 3, 4, 6; without 3 and 4 where it leaves shapes
 *    l4_forget_shapes                               3, 4
 *    l4_recluster                                   3, 4, 6
 *
 * What adds shapes and goes on to their events in one transaction takes 3 and 4 exclusively before it adds any: whoever
 * has 4 shared may wait for rows that it wrote. Several such calls in one transaction block begin again at 1, and may end
 * in 40P01.
 *
 * They are locks on objects (pg_locks: locktype object) whose class is one of l4's own tables: no SQL of the server takes
 * such a lock, and l4_lock asks for the right to change jobs or logs. An advisory lock could be held for ever by anybody
 * who can connect.
 *
 * Where l4 is distributed over the nodes of a cluster, rows that all nodes lock come to them (l4_lock_on_cluster). The files of
 * a job need none: who adds to a job on another node than its own has the job for himself. Nor has whoever shares shapes to ask
 * another node: he locks a table on his own, which the others lock on all nodes. Most imports find their shapes there, and ask
 * nobody else.
 */
#include "doors/store_locks.h"

#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/shmem.h"
#include "utils/acl.h"

#include "algorithms/mask.h"
#include "doors/store_session.h"
#include "doors/store_statement.h"
#include "tools/bytes.h"
#include "tools/order.h"

/* Tells the lock of a job's rows from those of its files. */
#define ROWS_KEY INT64CONST(0x6c34726f7773)

/* The tables that are classes of locks, in the order of the locks. */
static const char *const lock_tables[] = {"l4_job", "l4_stream", "l4_event", "l4_shape", "l4_pool"};

static bool
may_change(Oid table)
{
	const AclMode changes = ACL_INSERT | ACL_UPDATE | ACL_DELETE;

	return pg_class_aclcheck(table, GetUserId(), changes) == ACLCHECK_OK ||
		pg_attribute_aclcheck_all(table, GetUserId(), changes, ACLMASK_ANY) == ACLCHECK_OK;
}

/* The class of a table's locks, for who may have them. */
static Oid
lock_class(const char *schema, const char *table)
{
	if (!may_change(store_table(schema, "l4_job")) && !may_change(store_table(schema, "l4_stream")))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to lock jobs and their logs"),
				 errhint("It takes the right to change l4_job or l4_stream.")));
	return store_table(schema, table);
}

/* 48 bits of a key name the object. Keys that agree in them wait for each other without need, nothing else. */
static uint64
lock_key(uint64 hash)
{
	return hash & UINT64CONST(0xffffffffffff);
}

static void
take(Oid class, uint64 key, bool shared)
{
	LockDatabaseObject(class, (Oid) (uint32) key, (uint16) (key >> 32), shared ? ShareLock : ExclusiveLock);
}

/* The same for all nodes, where l4 is distributed over some. */
static void
take_on_cluster(const char *schema, const char *table, const char *name, bool shared)
{
	Arguments	arguments = {0};

	if (shared && strcmp(table, "l4_shape") == 0)
	{
		LockRelationOid(store_table(schema, "l4_cluster_lock"), ShareLock);
		return;
	}
	add_text(&arguments, table);
	add_text(&arguments, name);
	add_argument(&arguments, BOOLOID, BoolGetDatum(shared), false);
	SPI_connect();
	store_run(schema, "SELECT %s.l4_lock_on_cluster($1, $2, $3) WHERE %s.l4_is_distributed()", &arguments, SPI_OK_SELECT);
	SPI_finish();
}

void
store_lock(const char *schema, const char *table, const char *name, bool shared)
{
	int			i;

	for (i = 0; i < lengthof(lock_tables); i++)
		if (strcmp(lock_tables[i], table) == 0)
		{
			take(lock_class(schema, table), lock_key(name == NULL ? 0 : shape_hash(name, strlen(name))), shared);
			take_on_cluster(schema, table, name, shared);
			return;
		}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("there is no lock \"%s\"", table),
			 errhint("There are l4_job, l4_stream, l4_event, l4_shape and l4_pool, taken in this order.")));
}

void
store_lock_here(const char *schema, const char *table)
{
	take(lock_class(schema, table), lock_key(0), false);
}

void
store_lock_adding_shapes(const char *schema)
{
	take_on_cluster(schema, "l4_shape_rows", NULL, false);
}

void
store_lock_job(const char *schema, const char *job_id, bool shared)
{
	Arguments	arguments = {0};

	store_lock(schema, "l4_job", job_id, shared);
	add_text(&arguments, job_id);
	if (store_run(schema, "SELECT FROM %s.l4_job WHERE job_id OPERATOR(pg_catalog.=) $1", &arguments, SPI_OK_SELECT) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NO_DATA_FOUND),
				 errmsg("job \"%s\" was deleted meanwhile", job_id),
				 errhint("Register it again to import its logs.")));
}

void
store_lock_files(const char *schema, const char *job_id, const int64 *file_ids, int count)
{
	int64	   *keys = palloc(mul_size(Max(count, 1), sizeof(int64)));
	uint64		job = shape_hash(job_id, strlen(job_id));
	Oid			class;
	int			i;

	store_lock_job(schema, job_id, true);
	class = lock_class(schema, "l4_stream");
	for (i = 0; i < count; i++)
		keys[i] = (int64) lock_key(job ^ (uint64) file_ids[i]);
	qsort(keys, count, sizeof(int64), compare_int64);
	for (i = 0; i < count; i++)
		take(class, (uint64) keys[i], false);
	pfree(keys);
}

void
store_lock_rows(const char *schema, const char *job_id)
{
	const int64 rows = ROWS_KEY;

	store_lock_files(schema, job_id, &rows, 1);
}

void
store_lock_shapes(const char *schema)
{
	store_lock(schema, "l4_event", NULL, false);
	store_lock(schema, "l4_shape", NULL, false);
}
