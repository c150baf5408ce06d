/*
 * flow_arrays.c: arrays of numbers from SQL and to it. Anybody may call the functions that take them, so lengths and NULLs are
 * looked at once, here.
 */
#include "bindings/flow_arrays.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type_d.h"
#include "funcapi.h"
#include "tools/room.h"

double *
flow_numbers_of(ArrayType *array, int64 *count)
{
	double	   *numbers;

	*count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("array of messages must have one dimension and no NULLs")));
	numbers = room_for(*count, sizeof(double));
	for (int64 i = 0; i < *count; i++)
		switch (ARR_ELEMTYPE(array))
		{
			case FLOAT8OID:
				numbers[i] = ((double *) ARR_DATA_PTR(array))[i];
				break;
			case FLOAT4OID:
				numbers[i] = ((float *) ARR_DATA_PTR(array))[i];
				break;
			case INT4OID:
				numbers[i] = ((int32 *) ARR_DATA_PTR(array))[i];
				break;
			case INT2OID:
				numbers[i] = ((int16 *) ARR_DATA_PTR(array))[i];
				break;
			default:
				elog(ERROR, "array of messages has unexpected type %u", ARR_ELEMTYPE(array));
		}
	return numbers;
}

double *
flow_numbers(FunctionCallInfo fcinfo, int argument, int64 *count)
{
	return flow_numbers_of(PG_ARGISNULL(argument) ? construct_empty_array(FLOAT8OID) : PG_GETARG_ARRAYTYPE_P(argument), count);
}

double *
flow_as_many(FunctionCallInfo fcinfo, int argument, int64 expected)
{
	int64		count;
	double	   *numbers = flow_numbers(fcinfo, argument, &count);

	if (count != expected)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("arrays of messages must have the same length"),
				 errdetail("One has " INT64_FORMAT " elements, another " INT64_FORMAT ".", expected, count)));
	return numbers;
}

Datum
flow_array(const double *numbers, int64 count, Oid type)
{
	int			width = type == FLOAT8OID ? 8 : type == INT2OID ? 2 : 4;
	Size		size = ARR_OVERHEAD_NONULLS(1) + count * width;
	ArrayType  *array;

	if (count == 0)
		return PointerGetDatum(construct_empty_array(type));
	if (!AllocSizeIsValid(size))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a series of " INT64_FORMAT " messages does not fit into an array", count),
				 errhint("Look at a shorter time.")));
	array = palloc0(size);
	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->elemtype = type;
	ARR_DIMS(array)[0] = (int) count;
	ARR_LBOUND(array)[0] = 1;
	for (int64 i = 0; i < count; i++)
		switch (type)
		{
			case FLOAT8OID:
				((double *) ARR_DATA_PTR(array))[i] = numbers[i];
				break;
			case FLOAT4OID:
				((float *) ARR_DATA_PTR(array))[i] = (float) numbers[i];
				break;
			case INT4OID:
				((int32 *) ARR_DATA_PTR(array))[i] = (int32) numbers[i];
				break;
			default:
				((int16 *) ARR_DATA_PTR(array))[i] = (int16) numbers[i];
		}
	return PointerGetDatum(array);
}

double
flow_option(FunctionCallInfo fcinfo, int argument, const char *name, double least)
{
	double		value = PG_ARGISNULL(argument) ? NAN : PG_GETARG_FLOAT8(argument);

	if (!isfinite(value) || value < least)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be a number of at least %g", name, least)));
	return value;
}

Datum
flow_row_with(FunctionCallInfo fcinfo, Datum *values, bool *nulls, int count)
{
	TupleDesc	shape;

	if (get_call_result_type(fcinfo, NULL, &shape) != TYPEFUNC_COMPOSITE || shape->natts != count)
		elog(ERROR, "result type is not a row of %d columns", count);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(shape), values, nulls));
}

Datum
flow_row(FunctionCallInfo fcinfo, Datum *values, int count)
{
	bool	   *nulls = palloc0(count * sizeof(bool));

	return flow_row_with(fcinfo, values, nulls, count);
}
