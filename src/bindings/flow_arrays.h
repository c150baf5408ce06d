/*
 * flow_arrays.h: series of messages as SQL passes them: parallel arrays of numbers.
 */
#ifndef L4_FLOW_ARRAYS_H
#define L4_FLOW_ARRAYS_H

#include "ground/l4.h"
#include "fmgr.h"
#include "utils/array.h"

/*
 * The numbers of an array of double precision, real, integer or smallint without NULLs, of one dimension or none; 22023 else.
 */
extern double *flow_numbers_of(ArrayType *array, int64 *count);

/* The same of an argument, or of NULL. */
extern double *flow_numbers(FunctionCallInfo fcinfo, int argument, int64 *count);

/* The same, of which there must be `expected`; 22023 else. */
extern double *flow_as_many(FunctionCallInfo fcinfo, int argument, int64 expected);

/* An array of double precision, real, integer or smallint of numbers. */
extern Datum flow_array(const double *numbers, int64 count, Oid type);

/* A finite number of at least `least`; 22023 else, or for NULL. name: for the message. */
extern double flow_option(FunctionCallInfo fcinfo, int argument, const char *name, double least);

/* A row of the function's result type. */
extern Datum flow_row(FunctionCallInfo fcinfo, Datum *values, int count);

/* The same, some of whose values may be NULL. */
extern Datum flow_row_with(FunctionCallInfo fcinfo, Datum *values, bool *nulls, int count);

#endif							/* L4_FLOW_ARRAYS_H */
