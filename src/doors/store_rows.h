/*
 * store_rows.h: many rows of a table as one argument of a statement: an array of the table's own row type.
 */
#ifndef L4_STORE_ROWS_H
#define L4_STORE_ROWS_H

#include "ground/l4.h"
#include "access/htup_details.h"

#define STORE_ROWS_COLUMNS 32

typedef struct StoreRows
{
	Oid			array_type;
	TupleDesc	descriptor;
	int			column_count;	/* of those that are set, */
	int			columns[STORE_ROWS_COLUMNS];	/* and where they stand in the row */
	int			count;
	int			room;
	Size		bytes;			/* of all rows */
	Datum	   *rows;
	Datum		values[MaxTupleAttributeNumber];
	bool		nulls[MaxTupleAttributeNumber];
	int			next;			/* the column to be set next */
} StoreRows;

/*
 * Begins rows of a type, which set the named columns in this order; all others are NULL. All calls are to be made in one memory
 * context. Errors: 42703 where the type lacks one.
 */
extern StoreRows *store_rows_begin(Oid row_type, const char *const *names, int name_count);
/* The next column of the row at hand. */
extern void store_rows_set(StoreRows *rows, Datum value, bool is_null);
extern void store_rows_set_text(StoreRows *rows, const char *text);
/* Ends a row, all of whose columns are set. */
extern void store_rows_end_row(StoreRows *rows);
/* The array of all rows; its type is array_type. */
extern Datum store_rows_finish(StoreRows *rows);

#endif							/* L4_STORE_ROWS_H */
