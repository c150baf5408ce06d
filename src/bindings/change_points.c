/*
 * change_points.c: the aggregate l4_change_points. Its state is an array of double precision, which travels as any array does:
 * the two options, then at and value of each row as they come. The final function sorts them, so the result does not depend on
 * the order of rows.
 */
#include "ground/l4.h"

#include <math.h>

#include "access/htup_details.h"
#include "algorithms/change_points.h"
#include "bindings/aggregate_state.h"
#include "catalog/pg_type_d.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#define AGGREGATE "l4_change_points"
#define OPTION_COUNT 2
#define DEFAULT_SHORTEST 5

PG_FUNCTION_INFO_V1(l4_change_points_transition);
PG_FUNCTION_INFO_V1(l4_change_points_combine);
PG_FUNCTION_INFO_V1(l4_change_points_final);

#define ST_SORT sort_points
#define ST_ELEMENT_TYPE L4SeriesPoint
#define ST_COMPARE_VALUES(a, b) (((a) > (b)) - ((a) < (b)))
#define ST_COMPARE(a, b) ((a)->at != (b)->at ? ST_COMPARE_VALUES((a)->at, (b)->at) : ST_COMPARE_VALUES((a)->value, (b)->value))
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* ---- the state ---- */

pg_noreturn static void
state_refuse(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid state of %s", AGGREGATE)));
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
state_new(MemoryContext context, const double *options)
{
	ExpandedArrayHeader *state = construct_empty_expanded_array(FLOAT8OID, context, NULL);

	for (int i = 0; i < OPTION_COUNT; i++)
		state_append(state, options[i]);
	return state;
}

/* The state behind an argument, so that it can grow and its numbers can be read one by one. */
static ExpandedArrayHeader *
state_writable(Datum datum, MemoryContext context)
{
	ExpandedArrayHeader *state;

	if (!VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(datum)))
		datum = expand_array(datum, context, NULL);
	state = (ExpandedArrayHeader *) DatumGetEOHP(datum);
	if (state->ndims != 1 || state->element_type != FLOAT8OID || state->dims[0] < OPTION_COUNT)
		state_refuse();
	deconstruct_expanded_array(state);
	if (state->dnulls != NULL)
		state_refuse();
	return state;
}

/* A state as it travels: its options, then two numbers a row; *count is the number of rows. */
static const double *
state_numbers(Datum datum, int64 *count)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);
	int64		length = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (ARR_NDIM(array) != 1 || ARR_ELEMTYPE(array) != FLOAT8OID || array_contains_nulls(array) ||
		length < OPTION_COUNT || (length - OPTION_COUNT) % 2 != 0)
		state_refuse();
	*count = (length - OPTION_COUNT) / 2;
	return (const double *) ARR_DATA_PTR(array);
}

/* Refuses rows with other options than those before. */
static void
options_match(const ExpandedArrayHeader *state, const double *options)
{
	for (int i = 0; i < OPTION_COUNT; i++)
	{
		if (DatumGetFloat8(state->dvalues[i]) != options[i])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("options of %s must be the same for all rows", AGGREGATE)));
	}
}

static void
state_add(ExpandedArrayHeader *state, double at, double value)
{
	/* an expanded array grows by copying */
	state_check_budget((uint64) state_length(state) * 2 * sizeof(Datum), AGGREGATE);
	state_append(state, at);
	state_append(state, value);
}

/* ---- transition and combine ---- */

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

static double
number_read(double number, const char *name)
{
	if (isnan(number) || isinf(number))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s of %s must be finite", name, AGGREGATE),
				 errdetail("It is %g.", number),
				 errhint("Leave such rows out with FILTER.")));
	/* -0 becomes 0 */
	return number + 0.0;
}

/* Arguments: state, at, value [, shortest, deviations]. */
Datum
l4_change_points_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = state_context(fcinfo, AGGREGATE);
	double		options[OPTION_COUNT];
	ExpandedArrayHeader *state;

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("at of %s must not be null", AGGREGATE)));
	options_read(fcinfo, options);
	if (PG_ARGISNULL(0))
		state = state_new(context, options);
	else
	{
		state = state_writable(PG_GETARG_DATUM(0), context);
		options_match(state, options);
	}
	/* what is not known says nothing */
	if (!PG_ARGISNULL(2))
		state_add(state, number_read(PG_GETARG_FLOAT8(1), "at"), number_read(PG_GETARG_FLOAT8(2), "value"));
	return EOHPGetRWDatum(&state->hdr);
}

Datum
l4_change_points_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = state_context(fcinfo, AGGREGATE);
	ExpandedArrayHeader *into;
	const double *from;
	int64		count;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		return EOHPGetRWDatum(&state_writable(PG_GETARG_DATUM(0), context)->hdr);
	}
	from = state_numbers(PG_GETARG_DATUM(1), &count);
	into = PG_ARGISNULL(0) ? state_new(context, from) : state_writable(PG_GETARG_DATUM(0), context);
	options_match(into, from);
	for (int64 i = 0; i < count; i++)
		state_add(into, from[OPTION_COUNT + 2 * i], from[OPTION_COUNT + 2 * i + 1]);
	return EOHPGetRWDatum(&into->hdr);
}

/* ---- final ---- */

/* The rows of a state in order. */
static L4SeriesPoint *
sorted_points(const double *numbers, int64 count)
{
	L4SeriesPoint *points = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof(L4SeriesPoint));

	for (int64 i = 0; i < count; i++)
	{
		points[i].at = number_read(numbers[2 * i], "at");
		points[i].value = number_read(numbers[2 * i + 1], "value");
	}
	sort_points(points, count);
	return points;
}

static Datum
changes_datum(Oid function, const L4SeriesPoint *points, const L4ChangePoint *changes, int64 count)
{
	Oid			type = get_element_type(get_func_rettype(function));
	TupleDesc	shape = lookup_rowtype_tupdesc(type, -1);
	Datum	   *elements = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof(Datum));
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
	numbers = state_numbers(PG_GETARG_DATUM(0), &count);
	options.shortest = (int64) Max(numbers[0], 1.0);
	options.deviations = numbers[1];
	/* the state and its flat copy, the sorted points, the kernel's own */
	state_check_budget((uint64) count * (2 * 2 * sizeof(Datum) + sizeof(L4SeriesPoint)) + change_points_memory(count, &options),
					   AGGREGATE);
	points = sorted_points(numbers + OPTION_COUNT, count);
	changes = change_points(points, count, &options, &found);
	result = changes_datum(fcinfo->flinfo->fn_oid, points, changes, found);
	MemoryContextSwitchTo(outer);
	result = PointerGetDatum(PG_DETOAST_DATUM_COPY(result));
	MemoryContextDelete(work);
	return result;
}
