/*
 * store_session.c: connecting to the tables, and the transactions of a call.
 */
#include "doors/store_session.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

void
store_connect(bool may_commit)
{
	MemoryContext caller = CurrentMemoryContext;

	SPI_connect_ext(may_commit ? SPI_OPT_NONATOMIC : 0);
	MemoryContextSwitchTo(caller);
}

/* In a worker, whose transactions nobody else begins and ends. */
static bool own_transactions = false;

void
store_begin(void)
{
	MemoryContext caller = CurrentMemoryContext;

	own_transactions = true;
	StartTransactionCommand();
	XactIsoLevel = XACT_READ_COMMITTED;
	PushActiveSnapshot(GetTransactionSnapshot());
	SPI_connect();
	MemoryContextSwitchTo(caller);
}

void
store_end(void)
{
	MemoryContext caller = CurrentMemoryContext;

	SPI_finish();
	PopActiveSnapshot();
	CommitTransactionCommand();
	MemoryContextSwitchTo(caller);
}

/*
 * Commits what came of a file without waiting for the disk, as the site's own synchronous_commit = off would: what a crash of
 * the server takes with it are whole files, which calling the import again brings back. store_settle makes the end of the call
 * wait for all of them.
 */
void
store_commit_file(void)
{
	(void) set_config_option("synchronous_commit", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
	store_commit();
}

void
store_settle(void)
{
	(void) GetCurrentTransactionId();	/* a commit without one waits for nothing */
	ForceSyncCommit();
}

/* A file's transaction reads what others committed while it waited for them: READ COMMITTED, whatever the session's default. */
void
store_commit(void)
{
	if (own_transactions)
	{
		store_end();
		store_begin();
		return;
	}
	SPI_commit();
	XactIsoLevel = XACT_READ_COMMITTED;
}

void
store_disconnect(void)
{
	MemoryContext caller = CurrentMemoryContext;

	SPI_finish();
	MemoryContextSwitchTo(caller);
}

const char *
store_schema(FunctionCallInfo fcinfo)
{
	return quote_identifier(get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid)));
}

Oid
store_table(const char *schema, const char *table)
{
	return DatumGetObjectId(DirectFunctionCall1(regclassin, CStringGetDatum(psprintf("%s.%s", schema, table))));
}

void
store_limit_waits(void)
{
	(void) set_config_option("lock_timeout", "10s", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
}
