/*
 * period.c: the aggregate l4_period.
 */
#include "ground/l4.h"

#include "access/htup_details.h"
#include "algorithms/period.h"
#include "bindings/aggregate_state.h"
#include "bindings/series_state.h"
#include "funcapi.h"
#include "utils/memutils.h"

#define AGGREGATE "l4_period"

static const L4SeriesAggregate aggregate = {AGGREGATE, 0, 1};

PG_FUNCTION_INFO_V1(l4_period_transition);
PG_FUNCTION_INFO_V1(l4_period_combine);
PG_FUNCTION_INFO_V1(l4_period_final);

/* Arguments: state, at. */
Datum
l4_period_transition(PG_FUNCTION_ARGS)
{
	return series_transition(fcinfo, &aggregate, NULL);
}

Datum
l4_period_combine(PG_FUNCTION_ARGS)
{
	return series_combine(fcinfo, &aggregate);
}

static Datum
period_datum(FunctionCallInfo fcinfo, const L4Period *period)
{
	TupleDesc	shape;
	Datum		values[6];
	bool		nulls[6] = {false};

	if (get_call_result_type(fcinfo, NULL, &shape) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type of %s must be a row type", AGGREGATE);
	values[0] = Float8GetDatum(period->period);
	values[1] = Float8GetDatum(period->share);
	values[2] = Float8GetDatum(period->phase);
	values[3] = Float8GetDatum(period->missing);
	values[4] = Float8GetDatum(period->jitter);
	values[5] = Int64GetDatum(period->pauses);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(shape), values, nulls));
}

Datum
l4_period_final(PG_FUNCTION_ARGS)
{
	MemoryContext outer = CurrentMemoryContext;
	MemoryContext work;
	const double *numbers;
	double	   *times;
	int64		count;
	L4SeriesPoint *points;
	L4Period	period;
	bool		found;

	state_context(fcinfo, AGGREGATE);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	work = AllocSetContextCreate(outer, AGGREGATE, ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(work);
	numbers = series_numbers(PG_GETARG_DATUM(0), &aggregate, &count);
	state_check_budget(series_memory(count) + count * sizeof(double) + period_memory(count), AGGREGATE);
	points = series_points(numbers, count, &aggregate);
	times = MemoryContextAllocHuge(work, Max(count, 1) * sizeof(double));
	for (int64 i = 0; i < count; i++)
		times[i] = points[i].at;
	found = period_find(times, count, &period);
	MemoryContextSwitchTo(outer);
	MemoryContextDelete(work);
	if (!found)
		PG_RETURN_NULL();
	return period_datum(fcinfo, &period);
}
