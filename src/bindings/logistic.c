/*
 * logistic.c: l4_logistic_fit over arrays, and l4_logistic.
 */
#include "ground/l4.h"

#include "algorithms/logistic.h"
#include "catalog/pg_type_d.h"
#include "utils/array.h"
#include "utils/builtins.h"

#define LARGEST 1e30

PG_FUNCTION_INFO_V1(l4_logistic);
PG_FUNCTION_INFO_V1(l4_logistic_fit);

Datum
l4_logistic(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(logistic_value(PG_GETARG_FLOAT8(0)));
}

/* An argument that is an array of the given dimensions without NULLs. */
static ArrayType *
array_argument(FunctionCallInfo fcinfo, int number, const char *name, int dimensions)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(number);

	if (ARR_NDIM(array) != dimensions)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("%s must have %d dimension(s)", name, dimensions),
				 errdetail("It has %d.", ARR_NDIM(array))));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not contain nulls", name)));
	return array;
}

static void
check_length(const char *name, int length, int wanted, const char *of_what)
{
	if (length != wanted)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("%s must have as many elements as there are %s", name, of_what),
				 errdetail("It has %d, and there are %d %s.", length, wanted, of_what)));
}

/* An array of one dimension with an element for each row or column; NULL where the argument is. */
static const void *
list_argument(FunctionCallInfo fcinfo, int number, const char *name, int wanted, const char *of_what)
{
	ArrayType  *array;

	if (PG_ARGISNULL(number))
		return NULL;
	array = array_argument(fcinfo, number, name, 1);
	check_length(name, ARR_DIMS(array)[0], wanted, of_what);
	return ARR_DATA_PTR(array);
}

/* Refuses numbers that are below the least or so large (or no numbers) that sums of their squares could overflow. */
static void
check_numbers(const char *name, const double *numbers, Size count, double least)
{
	for (Size i = 0; numbers != NULL && i < count; i++)
		if (!(numbers[i] >= least && numbers[i] <= LARGEST))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("%s must lie between %g and %g", name, least, LARGEST),
					 errdetail("Element %zu is %g.", i + 1, numbers[i])));
}

static void
read_features(FunctionCallInfo fcinfo, L4LogisticInput *input)
{
	ArrayType  *features = array_argument(fcinfo, 1, "features", 2);

	input->row_count = ARR_DIMS(features)[0];
	input->column_count = ARR_DIMS(features)[1];
	input->values = (const double *) ARR_DATA_PTR(features);
	if (input->column_count > LOGISTIC_MAX_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("there are too many features"),
				 errdetail("A row has %d, at most %d are possible.", input->column_count, LOGISTIC_MAX_COLUMNS)));
	check_numbers("features", input->values, (Size) input->row_count * input->column_count, -LARGEST);
}

static void
read_options(FunctionCallInfo fcinfo, L4LogisticInput *input)
{
	input->weights = list_argument(fcinfo, 2, "weights", input->row_count, "rows");
	check_numbers("weights", input->weights, input->row_count, 0);
	input->penalty = PG_ARGISNULL(3) ? 1 : PG_GETARG_FLOAT8(3);
	if (!(input->penalty > 0 && input->penalty <= LARGEST))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("penalty must be positive, and at most %g", LARGEST),
				 errdetail("It is %g.", input->penalty),
				 errhint("Without one there may be no best fit; a small one changes little.")));
	input->prior = list_argument(fcinfo, 4, "prior", input->column_count, "features");
	check_numbers("prior", input->prior, input->column_count, -LARGEST);
	input->bounded = list_argument(fcinfo, 5, "bounded", input->column_count, "features");
}

Datum
l4_logistic_fit(PG_FUNCTION_ARGS)
{
	L4LogisticInput input;
	double	   *coefficients;
	Datum	   *elements;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	read_features(fcinfo, &input);
	input.outcomes = list_argument(fcinfo, 0, "outcomes", input.row_count, "rows");
	read_options(fcinfo, &input);
	coefficients = palloc(sizeof(double) * input.column_count);
	elements = palloc(sizeof(Datum) * input.column_count);
	logistic_fit(&input, coefficients);
	for (int j = 0; j < input.column_count; j++)
		elements[j] = Float8GetDatum(coefficients[j]);
	PG_RETURN_ARRAYTYPE_P(construct_array(elements, input.column_count, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
										  TYPALIGN_DOUBLE));
}
