/*
 * counts.h: how often the streams of one source log each shape, and where first and last, as one packed blob.
 */
#ifndef L4_COUNTS_H
#define L4_COUNTS_H

#include "ground/l4.h"
#include "algorithms/header.h"

/* The counts of one shape in one stream: a row of the view l4_stream_event. */
typedef struct L4SummaryRow
{
	int64		stream_id;
	int64		shape_id;
	int64		occurrences;
	L4Level		level;
	const char *component;		/* NULL where none */
	int64		first_line;
	int64		last_line;
	bool		has_time;
	TimestampTz first_ts;
	TimestampTz last_ts;
	int			stage;
	bool		has_iteration;
	int64		first_iteration;
	int64		last_iteration;
} L4SummaryRow;

/*
 * Rows, each of another stream and shape, as one blob (blob_pack_parts), palloc'd; they are sorted by shape and stream on the
 * way. The same rows give the same bytes. Cost: some 150 ns a row, and compression.
 */
extern bytea *counts_pack(L4SummaryRow *rows, int count);

typedef struct L4CountsReader L4CountsReader;

/*
 * Opens a blob in the current memory context. Errors: XX001 for damaged bytes, also from counts_next.
 */
extern L4CountsReader *counts_open(const bytea *blob);
extern int	counts_row_count(const L4CountsReader *reader);
/* The shapes, ascending. */
extern const int64 *counts_shapes(const L4CountsReader *reader, int *count);
/* From here on only rows of these streams, of these shapes, are wanted; both sets are in ascending order. */
extern void counts_want_streams(L4CountsReader *reader, const int64 *streams, int count);
extern void counts_want_shapes(L4CountsReader *reader, const int64 *shapes, int count);
/*
 * The next row that is wanted, by shape and stream; false at the end. Its component belongs to the reader. Rows with the same
 * *kind have the same level, component and stage. Cost: some 30 ns a row, wanted or not.
 */
extern bool counts_next(L4CountsReader *reader, L4SummaryRow *row, int *kind);
/*
 * A blob without the rows of these streams, which are in ascending order, palloc'd; NULL where none stays. Errors: XX001. Cost:
 * as reading and packing.
 */
extern bytea *counts_without(const bytea *blob, const int64 *streams, int count, int *row_count);
/* So many kinds there are. */
extern int	counts_kind_count(const L4CountsReader *reader);

#endif							/* L4_COUNTS_H */
