/*
 * reversed.c: bytes that are given back in the reverse order, through the server's store of tuples.
 */
#include "doors/reversed.h"

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

struct L4Reversed
{
	Tuplestorestate *store;
	TupleDesc	columns;
	TupleTableSlot *slot;		/* the tuple at hand, once they are given back */
};

L4Reversed *
reversed_begin(void)
{
	L4Reversed *reversed = palloc0(sizeof(L4Reversed));

	reversed->columns = CreateTemplateTupleDesc(2);
	TupleDescInitEntry(reversed->columns, 1, "number", INT8OID, -1, 0);
	TupleDescInitEntry(reversed->columns, 2, "bytes", BYTEAOID, -1, 0);
	reversed->store = tuplestore_begin_heap(true, false, work_mem);
	return reversed;
}

void
reversed_put(L4Reversed *reversed, int64 number, L4Bytes bytes)
{
	bytea	   *copy = palloc(VARHDRSZ + bytes.size);
	Datum		values[2] = {Int64GetDatum(number), PointerGetDatum(copy)};
	bool		nulls[2] = {false, false};

	SET_VARSIZE(copy, VARHDRSZ + bytes.size);
	memcpy(VARDATA(copy), bytes.data, bytes.size);
	tuplestore_putvalues(reversed->store, reversed->columns, values, nulls);
	pfree(copy);
}

bool
reversed_next(L4Reversed *reversed, int64 *number, L4Bytes *bytes)
{
	bool		is_null;
	Datum		value;

	if (reversed->slot == NULL)
	{
		reversed->slot = MakeSingleTupleTableSlot(reversed->columns, &TTSOpsMinimalTuple);
		/* to the end: one step backward from there is the last one */
		tuplestore_rescan(reversed->store);
		while (tuplestore_advance(reversed->store, true))
			CHECK_FOR_INTERRUPTS();
	}
	if (!tuplestore_gettupleslot(reversed->store, false, false, reversed->slot))
		return false;
	*number = DatumGetInt64(slot_getattr(reversed->slot, 1, &is_null));
	value = slot_getattr(reversed->slot, 2, &is_null);
	*bytes = (L4Bytes) {VARDATA_ANY(DatumGetPointer(value)), VARSIZE_ANY_EXHDR(DatumGetPointer(value))};
	return true;
}

void
reversed_end(L4Reversed *reversed)
{
	if (reversed->slot != NULL)
		ExecDropSingleTupleTableSlot(reversed->slot);
	tuplestore_end(reversed->store);
}
