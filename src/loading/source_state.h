/*
 * source_state.h: what it takes to go on with a source later as if it had been read in one go, as bytes.
 */
#ifndef L4_SOURCE_STATE_H
#define L4_SOURCE_STATE_H

#include "ground/l4.h"
#include "algorithms/record.h"
#include "algorithms/parameter_statistics.h"
#include "doors/store_batch.h"
#include "loading/source_rows.h"
#include "tools/codec.h"

/* One stream of the source. */
typedef struct L4StreamState
{
	L4StreamRow row;			/* label, place, and what it counted before the last records */
	StreamPoint begin;			/* where it stood at the beginning of the open segment */
} L4StreamState;

/* Counts of a shape in a stream as they were before the last records, which the end of the input had closed. */
typedef struct L4SummaryImage
{
	bool		known;			/* false: there were none */
	L4SummaryRow row;
	L4StatisticsSet statistics;
} L4SummaryImage;

/* An iteration's start that one of the last records named. */
typedef struct L4IterationStart
{
	int64		iteration;
	TimestampTz time;
} L4IterationStart;

typedef struct L4SourceState
{
	bool		by_row;			/* came as rows with facts of their own, not as bytes of a file */
	TimestampTz reference;		/* that times without a year were to be read by */
	bool		refused;		/* the statistics' budget was used up */
	bool		whole;			/* must be read anew from its beginning: what follows is not there */
	int64		line_no;		/* the next one's */
	int			segment_no;		/* of the open segment, */
	int			counted;		/* its records that were complete, */
	L4RecordStart start;		/* and where it begins */
	int			format_count;
	int64	   *format_uses;
	int			stream_count;
	L4StreamState *streams;
	int			image_count;
	L4SummaryImage *images;
	int			start_count;
	L4IterationStart *starts;
	int			coarse_count;
	int64	   *coarse;			/* shapes that stand for others beyond the limit */
} L4SourceState;

/* The parser is the one the source was read with. Cost: grows with the streams of the source. */
extern bytea *source_state_pack(const L4SourceState *state, const L4HeaderParser *parser);
/*
 * The state, palloc'd, and the parser as it was then. parser NULL: no more than by_row, line_no, reference and starts. The
 * statistics of images count towards the memory of the source. Errors: XX001 for damaged bytes.
 */
extern L4SourceState *source_state_unpack(const bytea *bytes, L4HeaderParser *parser, L4StatisticsMemory *memory);

#endif							/* L4_SOURCE_STATE_H */
