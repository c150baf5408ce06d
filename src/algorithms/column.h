/*
 * column.h: the values of each parameter of a segment, each column packed by what its values are.
 */
#ifndef L4_COLUMN_H
#define L4_COLUMN_H

#include "ground/l4.h"
#include "lib/stringinfo.h"

/* ---- writing ---- */

typedef struct L4ColumnWriter L4ColumnWriter;

/* All memory of a writer lies in the current memory context; drop that to free it. */
extern L4ColumnWriter *columns_create(void);
/*
 * Adds a column: `stored` holds count values, each with its length before it, and they are kept in the order that `order` gives
 * (the k-th kept is order[k]; NULL: as they stand). Returns the mask of all bytes of the values (byte_class.h); it may say too
 * much. Cost: one look at each byte as a rule; numbers some 20 ns each.
 */
extern uint32 columns_add(L4ColumnWriter *writer, const StringInfoData *stored, int count, const int *order);
/* All columns added, in L4_PARAMETER_SECTIONS sections, which belong to the writer: one after the other they make the blob. */
extern void columns_sections(L4ColumnWriter *writer, L4Bytes *sections);

/* ---- reading ---- */

typedef struct L4Columns L4Columns;

/*
 * Opens a blob of column_count columns in the current memory context, where whatever is read of it will lie. Checks that it is
 * whole; what is within a column is checked when that is read. Errors: XX001.
 */
extern L4Columns *columns_open(const bytea *blob, uint64 column_count);
/* The number of values of a column. */
extern int	columns_value_count(const L4Columns *columns, int column);
/* The values of a column, in the order they were kept in. Unpacked once. Errors: XX001; memory is bounded. */
extern const L4Bytes *columns_values(L4Columns *columns, int column);
/* A text in which every value of a column stands at least once, whole; other bytes stand between. For searching. */
extern L4Bytes columns_text(L4Columns *columns, int column);

#endif							/* L4_COLUMN_H */
