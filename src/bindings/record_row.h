/*
 * record_row.h: the columns that all functions which show stored records have in common.
 */
#ifndef L4_RECORD_ROW_H
#define L4_RECORD_ROW_H

#include "ground/l4.h"
#include "algorithms/segment.h"
#include "lib/stringinfo.h"
#include "utils/array.h"

/* stream_id, line_no, part, ts, level, component, stage, iteration, shape_id: in this order, first. */
#define RECORD_ROW_COLUMNS 9
#define RECORD_ROW_TS 4			/* the numbers of columns that segments are told apart by */
#define RECORD_ROW_LINE_NO 2
#define RECORD_ROW_STREAM_ID 1
#define RECORD_ROW_SHAPE_ID 9

/* Bytes as text, escaped where they are none; shown is a scratch buffer. */
extern Datum shown_text(StringInfo shown, L4Bytes bytes);

/* The raw text of a record as l4_log shows it: without the line's end. */
extern Datum shown_line(StringInfo shown, L4Bytes raw);

/* The parameters of the record that the reader read last, as text[]. */
extern Datum shown_parameters(StringInfo shown, L4SegmentReader *reader, const L4StoredRecord *record);

/*
 * A copy of the numbers of a bigint[]; what says in an error message which array it is. Errors: 22004 for an array with NULL or
 * of several dimensions.
 */
extern int64 *bigint_values(ArrayType *array, const char *what, int *count);

/* The same in ascending order, and whether a number is among them. */
extern int64 *bigint_set(ArrayType *array, const char *what, int *count);

/* Fills the common columns. Errors: XX001 where the record names a stream that is not listed. */
extern void record_row_fill(const L4StoredRecord *record, const int64 *stream_ids, int stream_count, StringInfo shown,
							Datum *values, bool *nulls);

#endif							/* L4_RECORD_ROW_H */
