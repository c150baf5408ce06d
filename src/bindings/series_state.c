/*
 * series_state.c: the state of the aggregates over series. It is an array of double precision, which travels as any array does:
 * the options, then at and value of each row as they come. Final functions sort them, so that no result depends on the order of
 * rows.
 */
#include "bindings/series_state.h"

#include <math.h>

#include "bindings/aggregate_state.h"
#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "tools/room.h"
#include "utils/memutils.h"

#define ST_SORT sort_points
#define ST_ELEMENT_TYPE L4SeriesPoint
#define ST_COMPARE_VALUES(a, b) (((a) > (b)) - ((a) < (b)))
#define ST_COMPARE(a, b) ((a)->at != (b)->at ? ST_COMPARE_VALUES((a)->at, (b)->at) : ST_COMPARE_VALUES((a)->value, (b)->value))
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

pg_noreturn static void
state_refuse(const L4SeriesAggregate *aggregate)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid state of %s", aggregate->name)));
}

static int64
state_length(const ExpandedArrayHeader *state)
{
	return state->ndims == 0 ? 0 : state->dims[0];
}

static void
state_append(ExpandedArrayHeader *state, double number)
{
	int			index = state->ndims == 0 ? 1 : state->lbound[0] + state->dims[0];

	array_set_element(EOHPGetRWDatum(&state->hdr), 1, &index, Float8GetDatum(number), false, -1, sizeof(float8),
					  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
}

/* A state that can grow, with nothing but its options. */
static ExpandedArrayHeader *
state_new(MemoryContext context, const L4SeriesAggregate *aggregate, const double *options)
{
	ExpandedArrayHeader *state = construct_empty_expanded_array(FLOAT8OID, context, NULL);

	for (int i = 0; i < aggregate->option_count; i++)
		state_append(state, options[i]);
	return state;
}

/* The state behind an argument, so that it can grow and its numbers can be read one by one. */
static ExpandedArrayHeader *
state_writable(Datum datum, MemoryContext context, const L4SeriesAggregate *aggregate)
{
	ExpandedArrayHeader *state;

	if (!VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(datum)))
		datum = expand_array(datum, context, NULL);
	state = (ExpandedArrayHeader *) DatumGetEOHP(datum);
	if (state->ndims > 1 || state->element_type != FLOAT8OID || state_length(state) < aggregate->option_count)
		state_refuse(aggregate);
	deconstruct_expanded_array(state);
	if (state->dnulls != NULL)
		state_refuse(aggregate);
	return state;
}

const double *
series_numbers(Datum state, const L4SeriesAggregate *aggregate, int64 *count)
{
	ArrayType  *array = DatumGetArrayTypeP(state);
	int64		length = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (ARR_NDIM(array) > 1 || ARR_ELEMTYPE(array) != FLOAT8OID || array_contains_nulls(array) ||
		length < aggregate->option_count || (length - aggregate->option_count) % aggregate->column_count != 0)
		state_refuse(aggregate);
	*count = (length - aggregate->option_count) / aggregate->column_count;
	return (const double *) ARR_DATA_PTR(array);
}

/* Refuses rows with other options than those before. */
static void
options_match(const ExpandedArrayHeader *state, const L4SeriesAggregate *aggregate, const double *options)
{
	for (int i = 0; i < aggregate->option_count; i++)
	{
		if (DatumGetFloat8(state->dvalues[i]) != options[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("options of %s must be the same for all rows", aggregate->name)));
	}
}

static double
number_read(double number, const char *name, const L4SeriesAggregate *aggregate)
{
	if (isnan(number) || isinf(number))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s of %s must be finite", name, aggregate->name),
				 errdetail("It is %g.", number),
				 errhint("Leave such rows out with FILTER.")));
	/* -0 becomes 0 */
	return number + 0.0;
}

/* Adds the numbers of a row. */
static void
state_add(ExpandedArrayHeader *state, const L4SeriesAggregate *aggregate, const double *row)
{
	/* an expanded array grows by copying */
	state_check_budget((uint64) state_length(state) * 2 * sizeof(Datum), aggregate->name);
	for (int i = 0; i < aggregate->column_count; i++)
		state_append(state, row[i]);
}

Datum
series_transition(FunctionCallInfo fcinfo, const L4SeriesAggregate *aggregate, const double *options)
{
	MemoryContext context = state_context(fcinfo, aggregate->name);
	int			last = aggregate->column_count;
	double		row[2];
	ExpandedArrayHeader *state;

	if (last > 1 && PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("at of %s must not be null", aggregate->name)));
	if (PG_ARGISNULL(0))
		state = state_new(context, aggregate, options);
	else
	{
		state = state_writable(PG_GETARG_DATUM(0), context, aggregate);
		options_match(state, aggregate, options);
	}
	/* what is not known says nothing */
	if (!PG_ARGISNULL(last))
	{
		row[0] = number_read(PG_GETARG_FLOAT8(1), "at", aggregate);
		if (last > 1)
			row[1] = number_read(PG_GETARG_FLOAT8(2), "value", aggregate);
		state_add(state, aggregate, row);
	}
	return EOHPGetRWDatum(&state->hdr);
}

Datum
series_combine(FunctionCallInfo fcinfo, const L4SeriesAggregate *aggregate)
{
	MemoryContext context = state_context(fcinfo, aggregate->name);
	ExpandedArrayHeader *into;
	const double *from;
	const double *rows;
	int64		count;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		return EOHPGetRWDatum(&state_writable(PG_GETARG_DATUM(0), context, aggregate)->hdr);
	}
	from = series_numbers(PG_GETARG_DATUM(1), aggregate, &count);
	into = PG_ARGISNULL(0) ? state_new(context, aggregate, from) : state_writable(PG_GETARG_DATUM(0), context, aggregate);
	options_match(into, aggregate, from);
	rows = from + aggregate->option_count;
	for (int64 i = 0; i < count; i++)
		state_add(into, aggregate, rows + i * aggregate->column_count);
	return EOHPGetRWDatum(&into->hdr);
}

L4SeriesPoint *
series_points(const double *rows, int64 count, const L4SeriesAggregate *aggregate)
{
	L4SeriesPoint *points = room_for(count, sizeof(L4SeriesPoint));

	for (int64 i = 0; i < count; i++)
	{
		const double *row = rows + i * aggregate->column_count;

		points[i].at = number_read(row[0], "at", aggregate);
		points[i].value = aggregate->column_count > 1 ? number_read(row[1], "value", aggregate) : 0.0;
	}
	sort_points(points, count);
	return points;
}

uint64
series_memory(int64 count)
{
	/* the expanded state and its flat copy, the sorted points */
	return (uint64) count * (2 * 2 * sizeof(Datum) + sizeof(L4SeriesPoint));
}
