/*
 * flow_messages.h: the messages between two addresses, from the records that collectors give of their flows.
 *
 * A collector gives a record for each queue pair, cuts long ones, gives some twice, spoils some. What a training job sends is
 * a message: what goes one way without a pause.
 */
#ifndef L4_FLOW_MESSAGES_H
#define L4_FLOW_MESSAGES_H

#include "ground/l4.h"

/* A record, as small as it can be: a window has ten million of them. */
typedef struct L4FlowRecord
{
	int64		start;			/* microseconds */
	uint64		bytes:44;
	uint64		retransmits:12;
	uint64		path:8;			/* a number of the caller's for the switches it passed */
	float		duration;		/* seconds */
	uint32		queue_pair;
} L4FlowRecord;

#define L4_FLOW_MOST_BYTES ((UINT64CONST(1) << 44) - 1)
#define L4_FLOW_MOST_RETRANSMITS ((1 << 12) - 1)
#define L4_FLOW_MOST_PATHS (1 << 8)

/* What goes one way, along one path, without a pause. */
typedef struct L4FlowMessage
{
	double		began;			/* seconds */
	float		lasted;			/* seconds, from its first byte to its last */
	float		bytes;
	float		busy;			/* seconds of its records, one by one: bytes / busy is the rate of a record */
	uint16		path;
	uint16		retransmits;	/* at most 65,535 */
} L4FlowMessage;

typedef struct L4FlowRules
{
	double		pause;			/* seconds without a record that end a message */
	int64		least_bytes;	/* of a record that carries data; what is smaller is counted alone */
	int64		twice;			/* microseconds within which a record of the same queue pair and size is the same again */
} L4FlowRules;

typedef struct L4FlowMessages
{
	L4FlowMessage *messages;
	int64		count;
	int64		records;		/* that messages are made of */
	int64		small;			/* records without data */
	int64		duplicates;		/* records that came twice */
	uint64		bytes;			/* of records and small ones */
	uint64		retransmits;
	double		same_size;		/* share of the records that have the most frequent size; 0 without records */
} L4FlowMessages;

/*
 * Makes the messages of count records (at least 1), which it puts in order. Allocates in the current memory context, 24 bytes
 * for each message. Time O(n log n).
 */
extern void flow_messages(L4FlowRecord *records, int64 count, const L4FlowRules *rules, L4FlowMessages *result);

#endif							/* L4_FLOW_MESSAGES_H */
