/*
 * target_state_steps.c: the state of the aggregates over the messages of one accelerator, read from bytes.
 */
#include "bindings/step_state.c"

#define STATE_PARSE step_parse
#include "state.h"

void
fuzz_steps_state(L4Bytes input)
{
	fuzz_state(input);
}

/* A message and a peer from each line of at least eight bytes. */
void
fuzz_steps_state_seed(L4Bytes input, FuzzSeed add)
{
	double		options[] = {0, 10, 20, 9, 19};
	L4StepState *state = step_state_new(CurrentMemoryContext, L4_STEP_WORK, options, lengthof(options));
	L4Bytes		line;

	while (fuzz_line(&input, &line))
	{
		if (line.size < 8)
			continue;
		step_state_reserve(state, 1);
		state->messages[state->count] = (L4StepMessage) {
			.began = state->count, .ended = state->count + 0.5, .bytes = line.size, .busy = 0.5f,
			.peer = intern_add(&state->peers, line.data, 3), .sent = line.data[3] % 2 == 0
		};
		state->count++;
	}
	add(flat_state(&state->header));
}
