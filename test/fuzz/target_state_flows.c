/*
 * target_state_flows.c: the state of l4_flow_messages, read from bytes.
 */
#include "bindings/flow_messages.c"

/* The records in an array: what bindings/flow_records.c puts into files, there is no server for here. */
struct Block
{
	int64		room;
	L4FlowRecord *records;
};

L4RecordRoom *
flow_record_room(FunctionCallInfo fcinfo)
{
	return NULL;
}

L4FlowRecord *
flow_records_next(L4FlowRecords *records)
{
	struct Block *block = records->blocks;

	if (block == NULL)
		block = records->blocks = MemoryContextAllocZero(records->context, sizeof(struct Block));
	if (records->count == block->room)
	{
		block->room = Max(4, 2 * block->room);
		block->records = block->records == NULL ?
			MemoryContextAlloc(records->context, block->room * sizeof(L4FlowRecord)) :
			repalloc(block->records, block->room * sizeof(L4FlowRecord));
	}
	return &block->records[records->count++];
}

void
flow_records_copy(const L4FlowRecords *records, void *to)
{
	if (records->count > 0)
		memcpy(to, records->blocks->records, records->count * sizeof(L4FlowRecord));
}

L4FlowRecord *
flow_records_all(const L4FlowRecords *records)
{
	L4FlowRecord *all = palloc(Max(records->count, 1) * sizeof(L4FlowRecord));

	flow_records_copy(records, all);
	return all;
}

#define STATE_PARSE flows_parse
#include "state.h"

void
fuzz_flows_state(L4Bytes input)
{
	fuzz_state(input);
}

/* A record and a path from each line of at least eight bytes. */
void
fuzz_flows_state_seed(L4Bytes input, FuzzSeed add)
{
	L4FlowRules rules = {.pause = 0.001, .least_bytes = 100, .twice = 50};
	FlowState  *state = flows_new(CurrentMemoryContext, &rules, NULL);
	L4Bytes		line;

	while (fuzz_line(&input, &line))
		if (line.size >= 8)
			*flow_records_next(&state->records) = (L4FlowRecord) {
				.start = state->records.count * 1000, .bytes = line.size, .duration = 0.001f, .queue_pair = line.data[0],
				.path = path_number(state, (L4Bytes) {"leaf,spine", line.data[1] % 10 + 1})
			};
	add(flat_state(&state->header));
}
