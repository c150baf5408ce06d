/*
 * module.c: what makes the library loadable. Nothing else.
 */
#include "ground/l4.h"

#include "access/xact.h"
#include "fmgr.h"

#include "bindings/guard.h"
#include "doors/checked_insert.h"
#include "doors/home.h"
#include "tools/bundle.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

/* What was unpacked for the queries of a transaction goes with it. */
static void
end_transaction(XactEvent event, void *argument)
{
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_PARALLEL_COMMIT || event == XACT_EVENT_ABORT ||
		event == XACT_EVENT_PARALLEL_ABORT || event == XACT_EVENT_PREPARE)
	{
		bundle_forget();
		home_forget();
	}
}

/* What a subtransaction locked is free when it was rolled back. */
static void
end_subtransaction(SubXactEvent event, SubTransactionId own, SubTransactionId parent, void *argument)
{
	if (event == SUBXACT_EVENT_ABORT_SUB)
		home_forget();
}

void
_PG_init(void)
{
	guard_define_settings();
	guard_statements();
	checked_insert_begin();
	RegisterXactCallback(end_transaction, NULL);
	RegisterSubXactCallback(end_subtransaction, NULL);
}
