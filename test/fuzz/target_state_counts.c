/*
 * target_state_counts.c: the state of l4_drain, read from bytes.
 */
#include "bindings/drain.c"

#include "tools/bytes.h"

static ExpandedObjectHeader *
counts_parse(MemoryContext parent, const char *data, Size size)
{
	CountsReader reader = {data, data + size};
	L4DrainOptions options;
	ShapeCounts *counts;
	uint64		count;

	check_flat(data, size);
	count = read_options(&reader, &options);
	counts = counts_create(parent, &options);
	counts_add_flat(counts, &reader, count);
	return &counts->header;
}

#define STATE_PARSE counts_parse
#include "state.h"

void
fuzz_counts_state(L4Bytes input)
{
	fuzz_state(input);
}

void
fuzz_counts_state_seed(L4Bytes input, FuzzSeed add)
{
	L4DrainOptions options = {L4_DRAIN_DEPTH, L4_DRAIN_SIMILARITY, L4_DRAIN_SPLIT_VALUES, 0};
	ShapeCounts *counts = counts_create(CurrentMemoryContext, &options);
	L4Bytes		line;

	while (fuzz_line(&input, &line))
	{
		L4Shape    *shape = &counts->masked;

		mask_message(shape, line, NULL, 0);
		line.size = Min(line.size, 20);
		if (bytes_are_plain(line))
			counts_add(counts, (L4Bytes) {shape->text.data, shape->text.len}, 1, line);
	}
	add(flat_state(&counts->header));
}
