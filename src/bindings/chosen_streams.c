/*
 * chosen_streams.c: l4_chosen_streams, which takes a few streams out of an array that has all of a job. Where hundreds of ranks
 * share a file these are thousands, and to unnest, filter and join them costs some thousand instructions each, for every step
 * that wants to know of whom a few records are.
 */
#include "ground/l4.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/typcache.h"

#include "bindings/record_row.h"
#include "tools/order.h"

PG_FUNCTION_INFO_V1(l4_chosen_streams);

/* Is the row's first column, stream_id, among the wanted ones? */
static bool
is_wanted(HeapTuple row, TupleDesc descriptor, const int64 *wanted, int wanted_count)
{
	bool		is_null;
	Datum		stream_id = heap_getattr(row, 1, descriptor, &is_null);

	return !is_null && int64_set_has(wanted, wanted_count, DatumGetInt64(stream_id));
}

/*
 * l4_chosen_streams(streams l4_job_stream[], stream_ids bigint[]): see its COMMENT. Errors: 22004 for an array of ids with
 * NULL. Cost: some hundred instructions for each of the streams, a thousand for one that is returned.
 */
Datum
l4_chosen_streams(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	ArrayType  *streams = PG_GETARG_ARRAYTYPE_P(0);
	TupleDesc	descriptor = lookup_rowtype_tupdesc(ARR_ELEMTYPE(streams), -1);
	Datum	   *rows;
	bool	   *nulls;
	int			count;
	int			wanted_count;
	int64	   *wanted = bigint_set(PG_GETARG_ARRAYTYPE_P(1), "stream_ids", &wanted_count);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	deconstruct_array(streams, ARR_ELEMTYPE(streams), -1, false, TYPALIGN_DOUBLE, &rows, &nulls, &count);
	for (int i = 0; i < count; i++)
	{
		HeapTupleHeader header;
		HeapTupleData row;

		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			continue;
		header = DatumGetHeapTupleHeader(rows[i]);
		row = (HeapTupleData) {.t_len = HeapTupleHeaderGetDatumLength(header), .t_data = header};
		if (is_wanted(&row, descriptor, wanted, wanted_count))
			tuplestore_puttuple(result->setResult, &row);
	}
	ReleaseTupleDesc(descriptor);
	return (Datum) 0;
}
