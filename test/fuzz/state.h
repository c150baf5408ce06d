/*
 * state.h: the body of a target for an aggregate's state, included once its functions are (target_state_*.c).
 */
#include "fuzz.h"

#include "utils/expandeddatum.h"

typedef struct State
{
	L4Bytes		bytes;
	ExpandedObjectHeader *object;
} State;

static void
parse_state(void *argument)
{
	State	   *state = argument;

	state->object = STATE_PARSE(CurrentMemoryContext, state->bytes.data, state->bytes.size);
}

static L4Bytes
flat_state(ExpandedObjectHeader *object)
{
	Size		size = object->eoh_methods->get_flat_size(object);
	char	   *flat = palloc(size);

	object->eoh_methods->flatten_into(object, flat, size);
	fuzz_require(VARSIZE(flat) == size);
	return (L4Bytes) {VARDATA(flat), size - VARHDRSZ};
}

/*
 * Bytes that anybody may have written are refused with a clear error, or are a state whose flat form is read back as the
 * same.
 */
static void
fuzz_state(L4Bytes input)
{
	State		state = {fuzz_copy(input)};
	State		again;
	size_t		before = server_peak();
	int			code = server_try(parse_state, &state);

	if (server_peak() - before > 8 * 1024 * 1024 + input.size * 256)
		fuzz_failed(__FILE__, __LINE__, "memory in proportion to the input");
	if (code != 0)
	{
		if (code != ERRCODE_INVALID_BINARY_REPRESENTATION && code != ERRCODE_INVALID_PARAMETER_VALUE &&
			code != ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE)
			fuzz_failed(__FILE__, __LINE__, server_message());
		return;
	}
	again.bytes = flat_state(state.object);
	code = server_try(parse_state, &again);
	fuzz_require(code == 0);
	fuzz_require(bytes_equal(flat_state(again.object), again.bytes));
}
