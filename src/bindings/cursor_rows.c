/*
 * cursor_rows.c: the rows of an open cursor as those of a function, again from the first one each time. What a query found is
 * kept by its cursor, on disk if it is much, and asked of in several statements; an array of it would be in memory, twice while
 * it is made.
 */
#include "ground/l4.h"

#include "fmgr.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "tcop/pquery.h"
#include "utils/builtins.h"
#include "utils/portal.h"

PG_FUNCTION_INFO_V1(l4_cursor_rows);

static Portal
open_cursor(const char *name)
{
	Portal		portal = GetPortalByName(name);

	if (!PortalIsValid(portal))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_CURSOR),
				 errmsg("cursor \"%s\" does not exist", name),
				 errhint("Open it, with SCROLL, in the same transaction.")));
	return portal;
}

static void
check_row_type(const Portal portal, TupleDesc wanted)
{
	bool		same = portal->tupDesc != NULL && portal->tupDesc->natts == wanted->natts;

	for (int i = 0; same && i < wanted->natts; i++)
		same = TupleDescAttr(portal->tupDesc, i)->atttypid == TupleDescAttr(wanted, i)->atttypid;
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("cursor \"%s\" has rows of another type", portal->name),
				 errhint("It must have the columns that the function returns, in their order.")));
}

/* Arguments: a cursor with SCROLL. */
Datum
l4_cursor_rows(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Portal		portal = open_cursor(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	DestReceiver *receiver = CreateDestReceiver(DestTuplestore);

	InitMaterializedSRF(fcinfo, 0);
	check_row_type(portal, result->setDesc);
	SetTuplestoreDestReceiverParams(receiver, result->setResult, result->econtext->ecxt_per_query_memory, false, NULL, NULL);
	PortalRunFetch(portal, FETCH_ABSOLUTE, 0, None_Receiver);
	PortalRunFetch(portal, FETCH_FORWARD, FETCH_ALL, receiver);
	receiver->rDestroy(receiver);
	return (Datum) 0;
}
