/*
 * change_points.c: the aggregate l4_change_points.
 */
#include "ground/l4.h"

#include <math.h>

#include "access/htup_details.h"
#include "algorithms/change_points.h"
#include "bindings/aggregate_state.h"
#include "bindings/series_state.h"
#include "funcapi.h"
#include "tools/room.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#define AGGREGATE "l4_change_points"
#define OPTION_COUNT 2
#define DEFAULT_SHORTEST 5

static const L4SeriesAggregate aggregate = {AGGREGATE, OPTION_COUNT, 2};

PG_FUNCTION_INFO_V1(l4_change_points_transition);
PG_FUNCTION_INFO_V1(l4_change_points_combine);
PG_FUNCTION_INFO_V1(l4_change_points_final);

/* Arguments 3 and 4, if there are any; what is NULL has its default. */
static void
options_read(FunctionCallInfo fcinfo, double *options)
{
	int32		shortest = PG_NARGS() > 3 && !PG_ARGISNULL(3) ? PG_GETARG_INT32(3) : DEFAULT_SHORTEST;
	bool		given = PG_NARGS() > 4 && !PG_ARGISNULL(4);
	double		deviations = given ? PG_GETARG_FLOAT8(4) : 0.0;

	if (shortest < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("shortest must be 1 or more"),
				 errdetail("It is %d.", shortest)));
	if (given && (!(deviations > 0.0) || isinf(deviations)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("deviations must be finite and more than 0"),
				 errdetail("It is %g.", deviations),
				 errhint("NULL means as many as chance makes up.")));
	options[0] = shortest;
	options[1] = deviations;
}

/* Arguments: state, at, value [, shortest, deviations]. */
Datum
l4_change_points_transition(PG_FUNCTION_ARGS)
{
	double		options[OPTION_COUNT];

	options_read(fcinfo, options);
	return series_transition(fcinfo, &aggregate, options);
}

Datum
l4_change_points_combine(PG_FUNCTION_ARGS)
{
	return series_combine(fcinfo, &aggregate);
}

static Datum
changes_datum(Oid function, const L4SeriesPoint *points, const L4ChangePoint *changes, int64 count)
{
	Oid			type = get_element_type(get_func_rettype(function));
	TupleDesc	shape = lookup_rowtype_tupdesc(type, -1);
	Datum	   *elements = room_for(count, sizeof(Datum));
	Datum		result;

	for (int64 i = 0; i < count; i++)
	{
		Datum		values[7];
		bool		nulls[7] = {false};

		values[0] = Float8GetDatum(points[changes[i].index].at);
		values[1] = Float8GetDatum(changes[i].before);
		values[2] = Float8GetDatum(changes[i].after);
		values[3] = Int64GetDatum(changes[i].count_before);
		values[4] = Int64GetDatum(changes[i].count_after);
		values[5] = Float8GetDatum(changes[i].deviations);
		values[6] = Float8GetDatum(changes[i].larger);
		elements[i] = HeapTupleGetDatum(heap_form_tuple(shape, values, nulls));
	}
	result = PointerGetDatum(construct_array(elements, (int) count, type, -1, false, TYPALIGN_DOUBLE));
	ReleaseTupleDesc(shape);
	return result;
}

Datum
l4_change_points_final(PG_FUNCTION_ARGS)
{
	MemoryContext outer = CurrentMemoryContext;
	MemoryContext work;
	const double *numbers;
	int64		count;
	int64		found;
	L4ChangeOptions options;
	L4SeriesPoint *points;
	L4ChangePoint *changes;
	Datum		result;

	state_context(fcinfo, AGGREGATE);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	work = AllocSetContextCreate(outer, AGGREGATE, ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(work);
	numbers = series_numbers(PG_GETARG_DATUM(0), &aggregate, &count);
	options.shortest = (int64) Max(numbers[0], 1.0);
	options.deviations = numbers[1];
	state_check_budget(series_memory(count) + change_points_memory(count, &options), AGGREGATE);
	points = series_points(numbers + OPTION_COUNT, count, &aggregate);
	changes = change_points(points, count, &options, &found);
	result = changes_datum(fcinfo->flinfo->fn_oid, points, changes, found);
	MemoryContextSwitchTo(outer);
	result = PointerGetDatum(PG_DETOAST_DATUM_COPY(result));
	MemoryContextDelete(work);
	return result;
}
