/*
 * target_state_flows.c: the state of l4_flow_messages, read from bytes.
 */
#include "bindings/flow_messages.c"

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
