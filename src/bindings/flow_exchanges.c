/*
 * flow_exchanges.c: l4_exchanges_behind, over what l4_step_exchanges gives of all who exchange with each other.
 */
#include "ground/l4.h"

#include <math.h>

#include "access/htup_details.h"
#include "algorithms/exchanges.h"
#include "bindings/flow_arrays.h"
#include "catalog/pg_type_d.h"
#include "fmgr.h"
#include "tools/room.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(l4_exchanges_behind);

/* What a row of l4_exchange_series has. */
#define COLUMNS 5

static void
refuse(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid members of l4_exchanges_behind"),
			 errdetail("%s", what)));
}

/* The arrays of a row, of one length. */
static int64
read_columns(HeapTupleHeader row, double **columns)
{
	TupleDesc	shape = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
	int64		count = 0;

	for (int i = 0; i < COLUMNS; i++)
	{
		bool		is_null;
		Datum		value = heap_getattr(&tuple, i + 1, shape, &is_null);
		int64		here = 0;

		columns[i] = is_null ? NULL : flow_numbers_of(DatumGetArrayTypeP(value), &here);
		if (i == 0)
			count = here;
		if (here != count)
			refuse("Arrays of a member must have the same length.");
	}
	ReleaseTupleDesc(shape);
	return count;
}

static L4ExchangeMember
read_member(HeapTupleHeader row, int32 server)
{
	double	   *columns[COLUMNS];
	int64		count = read_columns(row, columns);
	L4Exchange *exchanges = room_for(count, sizeof(L4Exchange));

	for (int64 i = 0; i < count; i++)
	{
		if (!isfinite(columns[0][i]) || !isfinite(columns[2][i]))
			refuse("Times and bytes must be finite.");
		exchanges[i] = (L4Exchange) {columns[0][i], columns[1][i], columns[2][i], (int32) columns[3][i],
			(int32) columns[4][i]};
	}
	return (L4ExchangeMember) {exchanges, count, server};
}

/* Arguments: members, servers, steps. */
Datum
l4_exchanges_behind(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	int32		steps = PG_GETARG_INT32(2);
	int64		server_count;
	double	   *servers = flow_numbers(fcinfo, 1, &server_count);
	L4ExchangeMember *members;
	double	   *behind;
	Datum	   *rows;
	bool	   *nulls;
	int			count;

	deconstruct_array(array, ARR_ELEMTYPE(array), -1, false, TYPALIGN_DOUBLE, &rows, &nulls, &count);
	if (count != server_count || steps < 0)
		refuse("Each has a server, and steps are not less than 0.");
	members = palloc(Max(count, 1) * sizeof(L4ExchangeMember));
	for (int i = 0; i < count; i++)
	{
		if (nulls[i] || servers[i] < 1 || servers[i] > count)
			refuse("Members are not NULL, and their servers numbered from 1.");
		members[i] = read_member(DatumGetHeapTupleHeader(rows[i]), (int32) servers[i] - 1);
	}
	behind = room_for((int64) count * steps, sizeof(double));
	exchanges_behind(members, count, steps, behind);
	return flow_array(behind, (int64) count * steps, FLOAT8OID);
}
