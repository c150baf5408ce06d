/*
 * parameter_statistics.h: what the parameters of the shapes of one source look like, in bounded memory, and as one packed blob.
 */
#ifndef L4_PARAMETER_STATISTICS_H
#define L4_PARAMETER_STATISTICS_H

#include "ground/l4.h"
#include "tools/codec.h"

/*
 * Distinct values kept of a position, positions kept of a shape, bytes kept of a value (a longer one is cut and gets a hash as
 * its end).
 */
#define L4_STATISTICS_VALUES 16
#define L4_STATISTICS_POSITIONS 128
#define L4_STATISTICS_VALUE_BYTES 200
/* Memory for all parameter statistics of one source; past it no further ones are begun. */
#define L4_STATISTICS_BUDGET (64 * 1024 * 1024)

/* One position of a shape in one stream. */
typedef struct L4ParameterStatistics L4ParameterStatistics;

/* All parameter statistics of one shape in one stream: zero it, then add. */
typedef struct L4StatisticsSet
{
	int			position_count;
	uint32		size;			/* what it took of the memory */
	L4ParameterStatistics *positions;
} L4StatisticsSet;

typedef struct L4StatisticsMemory
{
	MemoryContext sets;			/* where all of them lie */
	size_t		used;
	size_t		budget;
	bool		refused;		/* the budget is used up: no further statistics are begun */
} L4StatisticsMemory;

/*
 * Adds the parameters of one record; memory comes from the current context. Where the budget is used up it keeps less, and does
 * not fail. Cost: some ten nanoseconds each.
 */
extern void statistics_add(L4StatisticsMemory *memory, L4StatisticsSet *set, const L4Bytes *parameters, int count,
						   int64 line_no);

/*
 * Adds what `from` has seen after `into`, as if statistics_add had been called for both in turn (but for the order in which
 * numbers are added up).
 */
extern void statistics_merge(L4StatisticsMemory *memory, L4StatisticsSet *into, const L4StatisticsSet *from);
/* The same, and empties `from`: what is the first of all is handed over as it is. */
extern void statistics_move(L4StatisticsMemory *memory, L4StatisticsSet *into, L4StatisticsSet *from);
/* Frees the set and makes it empty. */
extern void statistics_free(L4StatisticsSet *set);
/* A set as bytes, exactly, for another process: appended to out; and back, palloc'd. Errors: XX001 for damaged bytes. */
extern void statistics_put(StringInfo out, const L4StatisticsSet *set);
extern void statistics_get(L4ColumnReader *in, L4StatisticsSet *set);
/* A copy that later additions to the set do not change. */
extern L4StatisticsSet statistics_copy(const L4StatisticsSet *set);

/* What is packed: a row for each stream and shape. */
typedef struct L4StatisticsRow
{
	int64		stream_id;
	int64		shape_id;
	int64		occurrences;
	int64		first_line;
	L4StatisticsSet *set;
} L4StatisticsRow;

/*
 * Rows as one blob (blob_pack), palloc'd; the rows are sorted by shape and stream on the way. NULL where nothing is to be kept.
 */
extern bytea *statistics_pack(L4StatisticsRow *rows, int count);

/* The same before it is packed, for a bundle of several sources (bundle.h); false where nothing is to be kept. */
#define L4_STATISTICS_SECTIONS 5

typedef struct L4StatisticsImage
{
	int			stream_count;
	L4Bytes		sections[L4_STATISTICS_SECTIONS];
} L4StatisticsImage;

extern bool statistics_image(L4StatisticsRow *rows, int count, L4StatisticsImage *image);
extern bytea *statistics_pack_image(const L4StatisticsImage *image);
/* How many sources a bundle is of (0: it is none), and one of them by its number, palloc'd; NULL if it has no such stream. */
extern int	statistics_member_count(const bytea *blob);
extern bytea *statistics_member(const bytea *blob, int member, const int64 *streams, int count);
/* A bundle without the sources that have one of these streams, palloc'd; NULL where none stays. Errors: XX001. */
extern bytea *statistics_without(const bytea *blob, const int64 *streams, int count);

/* One position as read back. Spans point into the reader. */
typedef struct L4StatisticsEntry
{
	int64		stream_id;
	int64		shape_id;
	int			position;		/* from 1 */
	int64		occurrences;
	int			distinct_values;	/* L4_STATISTICS_VALUES + 1 stands for more than that */
	int			value_count;
	L4Bytes		values[L4_STATISTICS_VALUES];
	int64		value_lines[L4_STATISTICS_VALUES];
	int64		first_line;		/* of the shape in the stream */
	int64		number_count;
	double		minimum;
	double		maximum;
	double		sum;
	double		mean;
	int64		minimum_line;
	int64		maximum_line;
} L4StatisticsEntry;

typedef struct L4StatisticsReader L4StatisticsReader;

/*
 * Opens a blob, which must stay where it is, in the current memory context: of one source, or a bundle, of which one source
 * comes after the other. Errors: XX001 for damaged bytes, also from statistics_next.
 */
extern L4StatisticsReader *statistics_open(const bytea *blob);
/* Before the first is read: only entries of these shapes, which ascend, are; NULL: all. The array must stay where it is. */
extern void statistics_want(L4StatisticsReader *reader, const int64 *shapes, int count);
/* Before the first is read: of the entries only the values are asked for, not what their numbers come to, which stays 0. */
extern void statistics_want_values(L4StatisticsReader *reader);
extern bool statistics_next(L4StatisticsReader *reader, L4StatisticsEntry *entry);

/* Puts a position as read back into the set it was packed from, to add to it further: positions in order, from 1. */
extern void statistics_restore(L4StatisticsMemory *memory, L4StatisticsSet *set, const L4StatisticsEntry *entry);

#endif							/* L4_PARAMETER_STATISTICS_H */
