/*
 * target_state_scores.c: the state of l4_dtw_scores, read from bytes.
 */
#include "bindings/dtw.c"

#define STATE_PARSE scores_parse
#include "state.h"

void
fuzz_scores_state(L4Bytes input)
{
	fuzz_state(input);
}

/* An iteration from each line: each eight bytes of it are an event. */
void
fuzz_scores_state_seed(L4Bytes input, FuzzSeed add)
{
	L4DeviationOptions options = {L4_DISTANCE_DTW, L4_DISTANCE_EDIT, 10, 3};
	ScoresState *state = scores_new(CurrentMemoryContext, &options);
	L4Bytes		line;
	int64		number = 0;

	while (fuzz_line(&input, &line))
		scores_add(state, number++, line.data, (int64) (line.size / sizeof(int64)));
	add(flat_state(&state->header));
}
