/*
 * store_statement.h: statements over l4's tables: their arguments, running them, and reading what comes back.
 */
#ifndef L4_STORE_STATEMENT_H
#define L4_STORE_STATEMENT_H

#include "ground/l4.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/portal.h"
#include "utils/timestamp.h"

/* Arguments of a statement under construction. */
#define ARGUMENT_LIMIT 24
typedef struct Arguments
{
	int			count;
	Oid			types[ARGUMENT_LIMIT];
	Datum		values[ARGUMENT_LIMIT];
	char		nulls[ARGUMENT_LIMIT];
} Arguments;

static inline void
add_argument(Arguments *arguments, Oid type, Datum value, bool is_null)
{
	Assert(arguments->count < ARGUMENT_LIMIT);
	arguments->types[arguments->count] = type;
	arguments->values[arguments->count] = value;
	arguments->nulls[arguments->count++] = is_null ? 'n' : ' ';
}

static inline void
add_text(Arguments *arguments, const char *text)
{
	add_argument(arguments, TEXTOID, text != NULL ? CStringGetTextDatum(text) : (Datum) 0, text == NULL);
}

static inline void
add_bigint(Arguments *arguments, int64 value, bool is_null)
{
	add_argument(arguments, INT8OID, Int64GetDatum(value), is_null);
}

static inline void
add_integer(Arguments *arguments, int value, bool is_null)
{
	add_argument(arguments, INT4OID, Int32GetDatum(value), is_null);
}

static inline void
add_time(Arguments *arguments, TimestampTz value, bool is_null)
{
	add_argument(arguments, TIMESTAMPTZOID, TimestampTzGetDatum(value), is_null);
}

static inline char *
result_text(uint64 row, int column)
{
	return SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column);
}

static inline Datum
result_datum(uint64 row, int column, bool *is_null)
{
	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, is_null);
}

static inline int64
result_bigint(uint64 row, int column)
{
	bool		is_null;
	Datum		value = result_datum(row, column, &is_null);

	return is_null ? 0 : DatumGetInt64(value);
}

static inline Datum
bigint_array(const int64 *values, int count)
{
	Datum	   *elements = palloc(mul_size(Max(count, 1), sizeof(Datum)));
	int			i;

	for (i = 0; i < count; i++)
		elements[i] = Int64GetDatum(values[i]);
	return PointerGetDatum(construct_array(elements, count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/*
 * Runs a statement (a literal: plans are kept by its address) in which %s stands for the schema; expects the given kind of
 * result. Returns the rows processed. Not read only: it has a fresh snapshot after each commit of the caller.
 */
extern uint64 store_run(const char *schema, const char *statement, Arguments *arguments, int expected);

/*
 * The same for a statement that finds its rows by keys: its plan does so too, however small the tables were when it was made.
 */
extern uint64 store_run_by_key(const char *schema, const char *statement, Arguments *arguments, int expected);
/* The same for a query within the caller's snapshot. */
extern uint64 store_query(const char *schema, const char *statement, Arguments *arguments);

/* Whether statements that are prepared from now on are planned anew for the arguments of each call. */
extern void store_plan_each_call(bool each_call);

/* Opens a cursor over such a statement, for reading. */
extern Portal store_open(const char *schema, const char *statement, Arguments *arguments);

/*
 * The result of the statement run last is read: a call may take in many thousands of files on one connection, which would keep
 * them all.
 */
static inline void
result_done(void)
{
	SPI_freetuptable(SPI_tuptable);
	SPI_tuptable = NULL;
}

#endif							/* L4_STORE_STATEMENT_H */
