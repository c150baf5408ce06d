/*
 * store_rows.c: many rows of a table as one argument of a statement: an array of the table's own row type.
 *
 * To unnest one array a column takes a table function and a store of its own for each of them: for a row of a dozen columns
 * that costs more than to insert it. One array of rows is taken apart once.
 */
#include "doors/store_rows.h"

#include "executor/spi.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

StoreRows *
store_rows_begin(Oid row_type, const char *const *names, int name_count)
{
	StoreRows  *rows = palloc(sizeof(StoreRows));
	int			i;

	rows->descriptor = lookup_rowtype_tupdesc_copy(row_type, -1);
	rows->array_type = get_array_type(row_type);
	rows->column_count = name_count;
	rows->count = 0;
	rows->bytes = 0;
	rows->room = 64;
	rows->rows = palloc(rows->room * sizeof(Datum));
	rows->next = 0;
	memset(rows->nulls, true, rows->descriptor->natts * sizeof(bool));
	memset(rows->values, 0, rows->descriptor->natts * sizeof(Datum));
	for (i = 0; i < name_count; i++)
	{
		int			number = SPI_fnumber(rows->descriptor, names[i]);

		if (number <= 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("column \"%s\" of %s does not exist", names[i], format_type_be(row_type))));
		rows->columns[i] = number - 1;
	}
	return rows;
}

void
store_rows_set(StoreRows *rows, Datum value, bool is_null)
{
	int			column = rows->columns[rows->next++];

	rows->values[column] = value;
	rows->nulls[column] = is_null;
}

void
store_rows_set_text(StoreRows *rows, const char *text)
{
	store_rows_set(rows, text != NULL ? CStringGetTextDatum(text) : (Datum) 0, text == NULL);
}

void
store_rows_end_row(StoreRows *rows)
{
	HeapTuple	tuple = heap_form_tuple(rows->descriptor, rows->values, rows->nulls);

	Assert(rows->next == rows->column_count);
	if (rows->count == rows->room)
	{
		rows->room *= 2;
		rows->rows = repalloc(rows->rows, mul_size(rows->room, sizeof(Datum)));
	}
	rows->bytes += tuple->t_len;
	rows->rows[rows->count++] = HeapTupleGetDatum(tuple);
	rows->next = 0;
}

Datum
store_rows_finish(StoreRows *rows)
{
	return PointerGetDatum(construct_array(rows->rows, rows->count, get_element_type(rows->array_type), -1, false,
										   TYPALIGN_DOUBLE));
}
