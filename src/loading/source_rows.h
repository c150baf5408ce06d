/*
 * source_rows.h: rows of a source as bytes and back; only the files of a source include it.
 */
#ifndef L4_SOURCE_ROWS_H
#define L4_SOURCE_ROWS_H

#include "ground/l4.h"
#include "algorithms/progress.h"
#include "doors/store_batch.h"
#include "lib/stringinfo.h"
#include "tools/codec.h"

/* Where a stream stands: what its next records inherit. */
typedef struct StreamPoint
{
	bool		has_time;
	TimestampTz time;
	L4ProgressState progress;
} StreamPoint;

/*
 * Each pair appends to out, and takes from in; texts are palloc'd. Errors: XX001 for damaged bytes.
 */
extern void source_put_point(StringInfo out, const StreamPoint *point);
extern StreamPoint source_get_point(L4ColumnReader *in);
/* What a stream is and what it counted; not its file. */
extern void source_put_stream_row(StringInfo out, const L4StreamRow *row);
extern void source_get_stream_row(L4ColumnReader *in, L4StreamRow *row);
/* The counts of a shape in a stream; not which shape and stream. */
extern void source_put_summary_row(StringInfo out, const L4SummaryRow *row);
extern void source_get_summary_row(L4ColumnReader *in, L4SummaryRow *row);
/* How often each header format was used. */
extern void source_put_uses(StringInfo out, const int64 *uses, int count);
extern int64 *source_get_uses(L4ColumnReader *in, int *count);
/* A finished segment; not whose and which. */
extern void source_put_segment_row(StringInfo out, const L4SegmentRow *row);
extern void source_get_segment_row(L4ColumnReader *in, L4SegmentRow *row);

#endif							/* L4_SOURCE_ROWS_H */
