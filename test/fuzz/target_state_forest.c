/*
 * target_state_forest.c: the state of l4_iforest_rank, read from bytes.
 */
#include "bindings/iforest.c"

#include "tools/bytes.h"

#define STATE_PARSE forest_parse
#include "state.h"

void
fuzz_forest_state(L4Bytes input)
{
	fuzz_state(input);
}

/* An item and a feature from each line of at least eight bytes. */
void
fuzz_forest_state_seed(L4Bytes input, FuzzSeed add)
{
	L4ForestOptions options = {.counts = true, .tree_count = 100, .sample_size = 256, .seed = 42};
	ForestState *state = forest_new(CurrentMemoryContext, &options);
	L4Bytes		line;

	while (fuzz_line(&input, &line))
		if (line.size >= 8 && bytes_are_plain(line))
			forest_add_cell(state, forest_add_name(state, &state->items, line.data, 3),
				2 * forest_add_name(state, &state->features, line.data + 3, 5), (double) line.size);
	add(flat_state(&state->header));
}
