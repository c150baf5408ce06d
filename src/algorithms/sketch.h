/*
 * sketch.h: what the parameters of the shapes of one source look like, in bounded memory, and as one packed blob.
 */
#ifndef L4_SKETCH_H
#define L4_SKETCH_H

#include "ground/l4.h"
#include "tools/codec.h"

/*
 * Distinct values kept of a position, positions kept of a shape, bytes kept of a value (a longer one is cut and gets a hash as
 * its end).
 */
#define L4_SKETCH_VALUES 16
#define L4_SKETCH_POSITIONS 32
#define L4_SKETCH_VALUE_BYTES 200
/* Memory for all sketches of one source; past it no further ones are begun. */
#define L4_SKETCH_BUDGET (64 * 1024 * 1024)

/* One position of a shape in one stream. */
typedef struct L4Sketch L4Sketch;

/* All sketches of one shape in one stream: zero it, then add. */
typedef struct L4SketchSet
{
	int			position_count;
	L4Sketch   *positions;
} L4SketchSet;

typedef struct L4SketchMemory
{
	size_t		used;
	size_t		budget;
	bool		refused;		/* something was not kept for want of budget: nothing more is begun */
} L4SketchMemory;

/*
 * Adds the parameters of one record; memory comes from the current context. Never fails for want of budget: it keeps less.
 * Cost: some ten nanoseconds each.
 */
extern void sketch_add(L4SketchMemory *memory, L4SketchSet *set, const L4Bytes *parameters, int count, int64 line_no);

/*
 * Adds what `from` has seen after `into`, as if sketch_add had been called for both in turn (but for the order in which numbers
 * are added up).
 */
extern void sketch_merge(L4SketchMemory *memory, L4SketchSet *into, const L4SketchSet *from);
/* Frees the set and makes it empty. */
extern void sketch_free(L4SketchSet *set);
/* A set as bytes, exactly, for another process: appended to out; and back, palloc'd. Errors: XX001 for damaged bytes. */
extern void sketch_put(StringInfo out, const L4SketchSet *set);
extern void sketch_get(L4ColumnReader *in, L4SketchSet *set);
/* A copy that later additions to the set do not change. */
extern L4SketchSet sketch_copy(const L4SketchSet *set);

/* What is packed: a row for each stream and shape. */
typedef struct L4SketchRow
{
	int64		stream_id;
	int64		shape_id;
	int64		occurrences;
	int64		first_line;
	L4SketchSet *set;
} L4SketchRow;

/*
 * Rows as one blob (blob_pack), palloc'd; the rows are sorted by shape and stream on the way. NULL where nothing is to be kept.
 */
extern bytea *sketch_pack(L4SketchRow *rows, int count);

/* One position as read back. Spans point into the reader. */
typedef struct L4SketchEntry
{
	int64		stream_id;
	int64		shape_id;
	int			position;		/* from 1 */
	int64		occurrences;
	int			distinct_values;	/* L4_SKETCH_VALUES + 1 stands for more than that */
	int			value_count;
	L4Bytes		values[L4_SKETCH_VALUES];
	int64		value_lines[L4_SKETCH_VALUES];
	int64		first_line;		/* of the shape in the stream */
	int64		number_count;
	double		minimum;
	double		maximum;
	double		sum;
	double		mean;
	int64		minimum_line;
	int64		maximum_line;
} L4SketchEntry;

typedef struct L4SketchReader L4SketchReader;

/* Opens a blob in the current memory context. Errors: XX001 for damaged bytes, also from sketch_next. */
extern L4SketchReader *sketch_open(const bytea *blob);
extern bool sketch_next(L4SketchReader *reader, L4SketchEntry *entry);

/* Puts a position as read back into the set it was packed from, to add to it further: positions in order, from 1. */
extern void sketch_restore(L4SketchMemory *memory, L4SketchSet *set, const L4SketchEntry *entry);

#endif							/* L4_SKETCH_H */
