/*
 * series_state.h: what the aggregates over series share: a state of options and rows, at and value or at alone, that travels as
 * an array.
 */
#ifndef L4_SERIES_STATE_H
#define L4_SERIES_STATE_H

#include "ground/l4.h"
#include "algorithms/change_points.h"
#include "fmgr.h"

/* An aggregate. */
typedef struct L4SeriesAggregate
{
	const char *name;			/* for messages */
	int			option_count;	/* options, all of them numbers, that its state begins with */
	int			column_count;	/* numbers of a row: at and value, or at alone */
} L4SeriesAggregate;

/*
 * The body of a transition function with the arguments state, at, value (if rows have one) and others, of which come the
 * options. A row whose last number is NULL is left out. Errors: 22004 at NULL beside a value; 22023 NaN or infinite, or other
 * options than before; 22P03 a state that is none; 53400 too many rows.
 */
extern Datum series_transition(FunctionCallInfo fcinfo, const L4SeriesAggregate *aggregate, const double *options);

/* The body of a combine function. Errors as above. */
extern Datum series_combine(FunctionCallInfo fcinfo, const L4SeriesAggregate *aggregate);

/* The numbers of a state as it travels: options, then those of the rows; *count is the number of rows. 22P03 if it is none. */
extern const double *series_numbers(Datum state, const L4SeriesAggregate *aggregate, int64 *count);

/* The rows of a state (its numbers behind the options) by at, then by value (0 where there is none), in the current context. */
extern L4SeriesPoint *series_points(const double *rows, int64 count, const L4SeriesAggregate *aggregate);

/* Bytes that a state of so many rows and the two functions above take. */
extern uint64 series_memory(int64 count);

#endif							/* L4_SERIES_STATE_H */
