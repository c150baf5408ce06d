/*
 * kept.c: what the flows of a job tell is asked for twice in one statement, by the diagnosis and by the report that shows it:
 * it is kept from one to the other.
 *
 * One value, until the end of the transaction, and only for who asks again with the same key, as the same role, and sees the
 * same rows: by a snapshot that is the same.
 */
#include "ground/l4.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(l4_kept_flows);
PG_FUNCTION_INFO_V1(l4_keep_flows);

typedef struct Kept
{
	MemoryContext context;
	MemoryContextCallback forgotten;
	Oid			type;			/* the extension may have been made anew */
	Oid			user;
	TransactionId xmin;
	TransactionId xmax;
	CommandId	curcid;
	uint32		running;		/* transactions in progress, */
	TransactionId *xip;			/* these */
	int32		subtransactions;
	char	   *key;
	Datum		value;
} Kept;

static Kept *kept = NULL;

static void
forget(void *arg)
{
	kept = NULL;
}

static bool
sees_the_same(Snapshot snapshot)
{
	return kept->xmin == snapshot->xmin && kept->xmax == snapshot->xmax && kept->curcid == snapshot->curcid &&
		kept->running == snapshot->xcnt && kept->subtransactions == snapshot->subxcnt &&
		memcmp(kept->xip, snapshot->xip, snapshot->xcnt * sizeof(TransactionId)) == 0;
}

/* Argument: key. */
Datum
l4_kept_flows(PG_FUNCTION_ARGS)
{
	if (kept == NULL || kept->user != GetUserId() || kept->type != get_func_rettype(fcinfo->flinfo->fn_oid) ||
		!sees_the_same(GetActiveSnapshot()) || strcmp(kept->key, text_to_cstring(PG_GETARG_TEXT_PP(0))) != 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(kept->value);
}

/* Arguments: key, value. */
Datum
l4_keep_flows(PG_FUNCTION_ARGS)
{
	Snapshot	snapshot = GetActiveSnapshot();
	MemoryContext context;
	MemoryContext caller;
	Kept	   *made;

	if (kept != NULL)
		MemoryContextDelete(kept->context);
	context = AllocSetContextCreate(TopTransactionContext, "l4 kept flows", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(context);
	made = palloc0(sizeof(Kept));
	*made = (Kept) {.context = context, .type = get_func_rettype(fcinfo->flinfo->fn_oid), .user = GetUserId(),
		.xmin = snapshot->xmin, .xmax = snapshot->xmax, .curcid = snapshot->curcid, .running = snapshot->xcnt,
		.subtransactions = snapshot->subxcnt};
	made->xip = palloc(Max(snapshot->xcnt, 1) * sizeof(TransactionId));
	memcpy(made->xip, snapshot->xip, snapshot->xcnt * sizeof(TransactionId));
	made->key = text_to_cstring(PG_GETARG_TEXT_PP(0));
	made->value = PointerGetDatum(PG_GETARG_HEAPTUPLEHEADER_COPY(1));
	MemoryContextSwitchTo(caller);
	made->forgotten.func = forget;
	MemoryContextRegisterResetCallback(context, &made->forgotten);
	kept = made;
	PG_RETURN_DATUM(kept->value);
}
