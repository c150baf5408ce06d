/*
 * cursor_rows.c: the rows of an open cursor as those of a function, again from the first one each time. What a query found is
 * kept by its cursor, on disk if it is much, and asked of in several statements; an array of it would be in memory, twice while
 * it is made. Rows come one by one: in the list of what is selected, where no copy of all of them is made, they are read at
 * what reading costs.
 */
#include "ground/l4.h"

#include "access/htup_details.h"
#include "executor/tuptable.h"
#include "fmgr.h"
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

/* Takes one row, in the memory of the caller. */
typedef struct RowReceiver
{
	DestReceiver receiver;
	TupleDesc	shape;
	MemoryContext context;
	HeapTuple	row;
} RowReceiver;

static void
row_start(DestReceiver *self, int operation, TupleDesc shape)
{
}

static bool
row_receive(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	MemoryContext before = MemoryContextSwitchTo(receiver->context);

	slot_getallattrs(slot);
	receiver->row = heap_form_tuple(receiver->shape, slot->tts_values, slot->tts_isnull);
	MemoryContextSwitchTo(before);
	return true;
}

static void
row_end(DestReceiver *self)
{
}

/* The row behind so many; NULL behind the last. Another call may have moved the cursor since. */
static HeapTuple
row_behind(Portal portal, uint64 rows, TupleDesc shape)
{
	RowReceiver receiver = {{row_receive, row_start, row_end, row_end, DestNone}, shape, CurrentMemoryContext, NULL};

	if (rows == 0 || portal->portalPos != rows)
		PortalRunFetch(portal, FETCH_ABSOLUTE, (long) rows, None_Receiver);
	PortalRunFetch(portal, FETCH_FORWARD, 1, &receiver.receiver);
	return receiver.row;
}

/* Arguments: a cursor with SCROLL. */
Datum
l4_cursor_rows(PG_FUNCTION_ARGS)
{
	FuncCallContext *call;
	HeapTuple	row;
	Portal		portal = open_cursor(text_to_cstring(PG_GETARG_TEXT_PP(0)));

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext before;

		call = SRF_FIRSTCALL_INIT();
		before = MemoryContextSwitchTo(call->multi_call_memory_ctx);
		if (get_call_result_type(fcinfo, NULL, &call->tuple_desc) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "l4_cursor_rows returns no rows of a known type");
		BlessTupleDesc(call->tuple_desc);
		MemoryContextSwitchTo(before);
		check_row_type(portal, call->tuple_desc);
	}
	call = SRF_PERCALL_SETUP();
	row = row_behind(portal, call->call_cntr, call->tuple_desc);
	if (row == NULL)
		SRF_RETURN_DONE(call);
	SRF_RETURN_NEXT(call, HeapTupleGetDatum(row));
}
