/*
 * online_change_points.c: the aggregate l4_online_change_points.
 */
#include "ground/l4.h"

#include "access/htup_details.h"
#include "algorithms/online_change_points.h"
#include "bindings/aggregate_state.h"
#include "bindings/series_state.h"
#include "funcapi.h"
#include "tools/room.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#define AGGREGATE "l4_online_change_points"
#define OPTION_COUNT 1

static const L4SeriesAggregate aggregate = {AGGREGATE, OPTION_COUNT, 2};

PG_FUNCTION_INFO_V1(l4_online_change_points_transition);
PG_FUNCTION_INFO_V1(l4_online_change_points_combine);
PG_FUNCTION_INFO_V1(l4_online_change_points_final);

static double
hazard_check(double hazard)
{
	if (!(hazard > 0.0 && hazard < 1.0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hazard must be more than 0 and less than 1"),
				 errdetail("It is %g.", hazard),
				 errhint("Where a run has 100 values in the mean it is 0.01. NULL means %g.", ONLINE_HAZARD)));
	return hazard;
}

/* Arguments: state, at, value [, hazard]. */
Datum
l4_online_change_points_transition(PG_FUNCTION_ARGS)
{
	double		hazard = PG_NARGS() > 3 && !PG_ARGISNULL(3) ? hazard_check(PG_GETARG_FLOAT8(3)) : ONLINE_HAZARD;

	return series_transition(fcinfo, &aggregate, &hazard);
}

Datum
l4_online_change_points_combine(PG_FUNCTION_ARGS)
{
	return series_combine(fcinfo, &aggregate);
}

/* Changes as an array, which goes into the context `into`. */
static Datum
changes_datum(Oid function, const L4SeriesPoint *points, const L4OnlineChange *changes, int64 count, MemoryContext into)
{
	Oid			type = get_element_type(get_func_rettype(function));
	TupleDesc	shape = lookup_rowtype_tupdesc(type, -1);
	Datum	   *elements = room_for(count, sizeof(Datum));
	MemoryContext outer;
	Datum		result;

	for (int64 i = 0; i < count; i++)
	{
		Datum		values[5];
		bool		nulls[5] = {false};

		values[0] = Float8GetDatum(points[changes[i].at - 1].at);
		values[1] = Float8GetDatum(points[changes[i].found_at - 1].at);
		values[2] = Float8GetDatum(changes[i].probability);
		values[3] = Float8GetDatum(changes[i].before);
		values[4] = Float8GetDatum(changes[i].after);
		elements[i] = HeapTupleGetDatum(heap_form_tuple(shape, values, nulls));
	}
	outer = MemoryContextSwitchTo(into);
	result = PointerGetDatum(construct_array(elements, (int) count, type, -1, false, TYPALIGN_DOUBLE));
	MemoryContextSwitchTo(outer);
	ReleaseTupleDesc(shape);
	return result;
}

Datum
l4_online_change_points_final(PG_FUNCTION_ARGS)
{
	MemoryContext outer = CurrentMemoryContext;
	MemoryContext work;
	const double *numbers;
	double	   *values;
	int64		count;
	int64		found;
	L4SeriesPoint *points;
	L4OnlineChange *changes;
	Datum		result;

	state_context(fcinfo, AGGREGATE);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	work = AllocSetContextCreate(outer, AGGREGATE, ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(work);
	numbers = series_numbers(PG_GETARG_DATUM(0), &aggregate, &count);
	state_check_budget(series_memory(count) + count * sizeof(double) + online_change_points_memory(count), AGGREGATE);
	points = series_points(numbers + OPTION_COUNT, count, &aggregate);
	values = MemoryContextAllocHuge(work, Max(count, 1) * sizeof(double));
	for (int64 i = 0; i < count; i++)
		values[i] = points[i].value;
	changes = online_change_points(values, count, hazard_check(numbers[0]), &found);
	result = changes_datum(fcinfo->flinfo->fn_oid, points, changes, found, outer);
	MemoryContextSwitchTo(outer);
	MemoryContextDelete(work);
	return result;
}
