/*
 * source_tables.h: the hash tables of a source under way and of its context, and what lies in them; only the files of a source
 * include it.
 */
#ifndef L4_SOURCE_TABLES_H
#define L4_SOURCE_TABLES_H

#include "ground/l4.h"
#include "algorithms/progress.h"
#include "algorithms/parameter_statistics.h"
#include "doors/store_batch.h"
#include "loading/source_rows.h"

/* So many shapes are remembered from source to source; what the rules say of others is found out again in each. */
#define CLASS_LIMIT 100000

/* What the rules say of a shape. */
typedef struct ClassEntry
{
	uint64		shape_id;
	L4ProgressClass class;
	char		status;
} ClassEntry;

/* The counts of one shape in one stream. Does not move, unlike the entries of the hash tables. */
typedef struct Summary
{
	L4SummaryRow row;
	L4StatisticsSet statistics;		/* of the records since the last cut */
	L4StatisticsSet cut_statistics;	/* of those before */
	bool		imaged;			/* work->state has it as it was */
} Summary;

typedef struct SummaryKey
{
	uint64		shape_id;
	int			stream;
} SummaryKey;

typedef struct SummaryEntry
{
	SummaryKey	key;
	Summary    *summary;
	char		status;
} SummaryEntry;

/* A shape that the source has. Lies still too. */
typedef struct Shape
{
	uint64		shape_id;
	L4ProgressClass class;
	int			segment_no;		/* the segment in whose dictionary it has, */
	int			segment_index;	/* this number */
	int			last_stream;	/* of the record before of this shape, */
	Summary    *last_summary;	/* and its counts */
	int			turns;			/* how often another stream came next */
	int			stream_room;
	Summary   **by_stream;		/* counts by stream, NULL where not known; NULL for most shapes */
	L4Bytes		text;
	bool		coarse;			/* in place of one beyond the limit */
	bool		firm;			/* a record has it that cannot change any more */
	int			tentative;		/* of the context: sources that now have it in records that can change, less those that had */
} Shape;

typedef struct ShapeEntry
{
	uint64		shape_id;
	Shape	   *shape;
	char		status;
} ShapeEntry;

typedef struct IterationEntry
{
	uint64		iteration;
	TimestampTz start;
	char		status;
} IterationEntry;

/* Streams by their label's stream_id, and by a hash of what a line's label says. */
typedef struct StreamEntry
{
	uint64		key;
	int			stream;
	char		status;
} StreamEntry;

/* A shape that is in its table for good. */
typedef struct KnownShape
{
	uint64		shape_id;
	char		status;
} KnownShape;

#define SH_PREFIX known_shapes
#define SH_ELEMENT_TYPE KnownShape
#define SH_KEY_TYPE uint64
#define SH_KEY shape_id
#define SH_HASH_KEY(table, key) ((uint32) (key))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

#define SH_PREFIX classes
#define SH_ELEMENT_TYPE ClassEntry
#define SH_KEY_TYPE uint64
#define SH_KEY shape_id
#define SH_HASH_KEY(table, key) ((uint32) (key))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

#define SH_PREFIX shapes
#define SH_ELEMENT_TYPE ShapeEntry
#define SH_KEY_TYPE uint64
#define SH_KEY shape_id
#define SH_HASH_KEY(table, key) ((uint32) (key))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

#define SH_PREFIX summaries
#define SH_ELEMENT_TYPE SummaryEntry
#define SH_KEY_TYPE SummaryKey
#define SH_KEY key
#define SH_HASH_KEY(table, key) ((uint32) (key).shape_id ^ ((uint32) (key).stream * 0x9e3779b1U))
#define SH_EQUAL(table, a, b) ((a).shape_id == (b).shape_id && (a).stream == (b).stream)
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

#define SH_PREFIX starts
#define SH_ELEMENT_TYPE IterationEntry
#define SH_KEY_TYPE uint64
#define SH_KEY iteration
#define SH_HASH_KEY(table, key) ((uint32) (key) * 0x9e3779b1U)
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

#define SH_PREFIX labels
#define SH_ELEMENT_TYPE StreamEntry
#define SH_KEY_TYPE uint64
#define SH_KEY key
#define SH_HASH_KEY(table, key) ((uint32) (key))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

/* Guesses where the streams of a source stand (source_part.c), by stream_id. */
typedef struct GuessEntry
{
	uint64		stream_id;
	StreamPoint point;
	char		status;
} GuessEntry;

#define SH_PREFIX guesses
#define SH_ELEMENT_TYPE GuessEntry
#define SH_KEY_TYPE uint64
#define SH_KEY stream_id
#define SH_HASH_KEY(table, key) ((uint32) (key))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

#endif							/* L4_SOURCE_TABLES_H */
