/*
 * rows.h: lines of logs that come as rows: of a query of the caller's, or of l4_inbox.
 */
#ifndef L4_ROWS_H
#define L4_ROWS_H

#include "ground/l4.h"

/* One row. Lives until the sink returns. */
typedef struct L4Line
{
	const char *node;			/* NULL where not given */
	int			rank;			/* -1 where not given */
	const char *source;			/* NULL where not given */
	bool		has_time;
	TimestampTz time;
	L4Level		level;
	int64		line_no;		/* 0 where not given */
	L4Bytes		bytes;			/* the line, as a rule without its end */
} L4Line;

typedef void (*L4LineSink) (const L4Line *line, void *argument);

/*
 * Runs a query of the caller's, which may only read, and hands its rows to the sink: those of one node, rank and source
 * together, in the order the query gives them. zone: of times that state none. SPI must be connected. Errors: 42703, 42702,
 * 42804 for columns that are missing, there twice or of a wrong type; for a row, which is named: 22004 without a line, 22003
 * and 22008 for ranks, line numbers and times that cannot be, 22001 for names that are too long; those of the query itself.
 */
extern void rows_of_query(const char *query, const char *zone, L4LineSink sink, void *argument);

/* Rows that went to l4_inbox_refused: how many, and the reason and the job of the first. */
typedef struct L4RefusedRows
{
	int64		rows;
	char		reason[200];
	char		job[200];
} L4RefusedRows;

/*
 * Takes the rows of a job out of l4_inbox and hands them to the sink, those of one node, rank and source together in the
 * order of their arrival. Rows that cannot be lines go to l4_inbox_refused and are counted.
 */
extern void rows_of_inbox(const char *schema, const char *job_id, L4LineSink sink, void *argument, L4RefusedRows *refused);

/*
 * What waits in l4_inbox, of one job or (NULL) of all: the registered jobs that have lines, in byte order; and how many rows
 * are of no such job, or have no line.
 */
typedef struct L4InboxContent
{
	int			job_count;
	char	  **jobs;
	int64		stray_rows;
	char	   *stray_job;		/* one that is not registered, or NULL */
	int64		empty_rows;
} L4InboxContent;

extern L4InboxContent rows_in_inbox(const char *schema, const char *job_id);

#endif							/* L4_ROWS_H */
