/*
 * flow_records.h: the records of one pair of addresses in a state of l4_flow_messages. A window has a hundred million of them:
 * what those of all pairs of an aggregation take is bounded by the server's hash memory, and what is above goes into a
 * temporary file.
 */
#ifndef L4_FLOW_RECORDS_H
#define L4_FLOW_RECORDS_H

#include "ground/l4.h"
#include "algorithms/flow_messages.h"
#include "fmgr.h"

/* What the records of all pairs of an aggregation share. */
typedef struct L4RecordRoom L4RecordRoom;

typedef struct L4FlowRecords
{
	int64		count;
	MemoryContext context;
	L4RecordRoom *room;			/* NULL: none are put away */
	struct Block *blocks;		/* in memory; the one that is filled comes first */
	struct Put *put;			/* in the file; the last comes first */
} L4FlowRecords;

/*
 * The room of the aggregation that calls a transition or combine function. NULL elsewhere, as in a window function: there is
 * nobody to close a file.
 */
extern L4RecordRoom *flow_record_room(FunctionCallInfo fcinfo);

/* One more record, to be filled. Error 53400 where the file is longer than temp_file_limit. */
extern L4FlowRecord *flow_records_next(L4FlowRecords *records);

/* All of them into count * sizeof(L4FlowRecord) bytes, in any order. */
extern void flow_records_copy(const L4FlowRecords *records, void *to);

/* The same into the current memory context. */
extern L4FlowRecord *flow_records_all(const L4FlowRecords *records);

#endif							/* L4_FLOW_RECORDS_H */
