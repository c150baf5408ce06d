/*
 * step_state.c: the state of the aggregates over the messages of one accelerator.
 *
 * While rows come it is an expanded object, to which messages are added in place; it is flattened only to travel (components.c
 * says more). As anybody can hand over a bytea, flat ones are read with distrust.
 */
#include "bindings/step_state.h"

#include <math.h>

#include "bindings/aggregate_state.h"
#include "tools/room.h"
#include "utils/memutils.h"

/* What a flat state begins with. Behind it: options, the sizes of the names of peers (uint32), these names, messages. */
typedef struct FlatState
{
	uint32		magic;
	uint32		version;
	int32		aggregate;
	int32		peer_count;
	int64		option_count;
	int64		count;
} FlatState;

typedef struct FlatMessage
{
	double		began;
	double		ended;
	float		bytes;
	float		busy;
	int32		peer;
	int32		sent;
} FlatMessage;

#define FLAT_MAGIC 0x4c345354
#define FLAT_VERSION 1

static Size step_flat_size(ExpandedObjectHeader *header);
static void step_flatten(ExpandedObjectHeader *header, void *result, Size size);

static const ExpandedObjectMethods step_methods = {step_flat_size, step_flatten};

const char *
step_aggregate_name(L4StepAggregate aggregate)
{
	switch (aggregate)
	{
		case L4_STEP_PHASES:
			return "l4_step_phases";
		case L4_STEP_WORK:
			return "l4_step_work";
		case L4_STEP_OVERDUE:
			return "l4_step_overdue";
		case L4_STEP_EXCHANGES:
			break;
	}
	return "l4_step_exchanges";
}

/* Does it tell messages of one peer from those of another? */
static bool
step_has_peers(L4StepAggregate aggregate)
{
	return aggregate == L4_STEP_WORK || aggregate == L4_STEP_EXCHANGES;
}

/* ---- the state ---- */

L4StepState *
step_state_new(MemoryContext parent, L4StepAggregate aggregate, const double *options, int64 option_count)
{
	MemoryContext context = state_shared_context(parent);
	L4StepState *state = MemoryContextAllocZero(context, sizeof(L4StepState));

	EOH_init_header(&state->header, &step_methods, context);
	state->aggregate = aggregate;
	state->option_count = option_count;
	state->options = MemoryContextAllocHuge(context, Max(option_count, 1) * sizeof(double));
	if (option_count > 0)
		memcpy(state->options, options, option_count * sizeof(double));
	if (step_has_peers(aggregate))
		intern_init(&state->peers, context);
	return state;
}

void
step_state_match(const L4StepState *state, const double *options, int64 option_count)
{
	if (state->option_count != option_count ||
		(option_count > 0 && memcmp(state->options, options, option_count * sizeof(double)) != 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("options of %s must be the same for all rows", step_aggregate_name(state->aggregate))));
}

void
step_state_reserve(L4StepState *state, int64 more)
{
	if (state->count + more <= state->room)
		return;
	state->room = Max(2 * state->room, state->count + more);
	state_check_budget(state->room * sizeof(L4StepMessage), step_aggregate_name(state->aggregate));
	state->messages = state->messages == NULL ?
		MemoryContextAllocHuge(state->header.eoh_context, state->room * sizeof(L4StepMessage)) :
		repalloc_huge(state->messages, state->room * sizeof(L4StepMessage));
}

L4StepMessage *
step_state_messages(const L4StepState *state)
{
	L4StepMessage *messages = room_for(state->count, sizeof(L4StepMessage));
	int32	   *ranks = state->peers.count > 0 ? intern_ranks(&state->peers) : NULL;

	for (int64 i = 0; i < state->count; i++)
	{
		messages[i] = state->messages[i];
		if (ranks != NULL)
			messages[i].peer = ranks[messages[i].peer];
	}
	step_messages_sort(messages, state->count);
	return messages;
}

/* ---- its flat form ---- */

static Size
step_flat_size(ExpandedObjectHeader *header)
{
	const L4StepState *state = (L4StepState *) header;
	uint64		size = VARHDRSZ + sizeof(FlatState) + state->option_count * sizeof(double) +
		state->peers.count * sizeof(uint32) + state->peers.bytes_used + state->count * sizeof(FlatMessage);

	return state_check_flat(size, "bytea");
}

static char *
put(char *to, const void *data, Size size)
{
	if (size > 0)
		memcpy(to, data, size);
	return to + size;
}

static void
step_flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	const L4StepState *state = (L4StepState *) header;
	FlatState	flat = {FLAT_MAGIC, FLAT_VERSION, state->aggregate, state->peers.count, state->option_count, state->count};
	char	   *to = put(VARDATA(result), &flat, sizeof(flat));

	SET_VARSIZE(result, size);
	to = put(to, state->options, state->option_count * sizeof(double));
	for (int32 i = 0; i < state->peers.count; i++)
		to = put(to, &state->peers.strings[i].size, sizeof(uint32));
	to = put(to, state->peers.bytes, state->peers.bytes_used);
	for (int64 i = 0; i < state->count; i++)
	{
		const L4StepMessage *m = state->messages + i;
		FlatMessage message = {m->began, m->ended, m->bytes, m->busy, m->peer, m->sent};

		to = put(to, &message, sizeof(message));
	}
	Assert(to == (char *) result + size);
}

/*
 * Can an aggregate have so many options? Those of l4_step_work are ends, and one close less than there are of these; in
 * l4_step_exchanges a pause follows.
 */
static bool
options_fit(int32 aggregate, const double *options, int64 count)
{
	switch (aggregate)
	{
		case L4_STEP_PHASES:
			return count == 2 && isfinite(options[0]) && options[0] >= 0 && isfinite(options[1]) && options[1] >= 0;
		case L4_STEP_WORK:
			return count == 0 || count % 2 == 1;
		case L4_STEP_EXCHANGES:
			return (count == 1 || (count > 0 && count % 2 == 0)) && isfinite(options[count - 1]) && options[count - 1] >= 0;
		default:
			return true;
	}
}

static void
check_flat(const L4StateReader *reader, const FlatState *flat)
{
	if (flat->magic != FLAT_MAGIC || flat->version != FLAT_VERSION)
		state_corrupt(reader, "It is none, or of another version.");
	if (flat->aggregate < L4_STEP_PHASES || flat->aggregate > L4_STEP_EXCHANGES)
		state_corrupt(reader, "It is of no aggregate.");
	if (flat->option_count < 0 || flat->option_count > MaxAllocSize / sizeof(double) || flat->peer_count < 0 ||
		(flat->peer_count > 0 && !step_has_peers(flat->aggregate)) ||
		flat->count < 0 || flat->count > MaxAllocSize / sizeof(FlatMessage))
		state_corrupt(reader, "A count is out of range.");
}

static void
read_peers(L4StateReader *reader, L4StepState *state, int32 count)
{
	const char *sizes = state_read_bytes(reader, count * sizeof(uint32));

	for (int32 i = 0; i < count; i++)
	{
		uint32		size;

		memcpy(&size, sizes + i * sizeof(uint32), sizeof(uint32));
		if (intern_add(&state->peers, state_read_bytes(reader, size), size) != i)
			state_corrupt(reader, "A peer comes twice.");
	}
}

static void
read_messages(L4StateReader *reader, L4StepState *state, int64 count)
{
	const char *data = state_read_bytes(reader, count * sizeof(FlatMessage));

	step_state_reserve(state, count);
	for (; state->count < count; state->count++)
	{
		FlatMessage m;

		memcpy(&m, data + state->count * sizeof(FlatMessage), sizeof(FlatMessage));
		if (!isfinite(m.began) || !isfinite(m.ended) || m.ended < m.began || !isfinite(m.bytes) || !isfinite(m.busy) ||
			m.peer < 0 || m.peer >= Max(state->peers.count, !step_has_peers(state->aggregate)) || m.sent < 0 || m.sent > 1)
			state_corrupt(reader, "A message cannot be right.");
		state->messages[state->count] = (L4StepMessage) {m.began, m.ended, m.bytes, m.busy, m.peer, m.sent};
	}
}

static ExpandedObjectHeader *
step_parse(MemoryContext parent, const char *data, Size size)
{
	L4StateReader reader = {data, data + size, "bytea (state of steps)"};
	FlatState	flat;
	L4StepState *state;
	const char *bytes;
	double	   *options;

	state_read(&reader, &flat, sizeof(flat));
	check_flat(&reader, &flat);
	/* they need not be aligned */
	bytes = state_read_bytes(&reader, flat.option_count * sizeof(double));
	options = room_for(flat.option_count, sizeof(double));
	memcpy(options, bytes, flat.option_count * sizeof(double));
	if (!options_fit(flat.aggregate, options, flat.option_count))
		state_corrupt(&reader, "Options do not fit.");
	state = step_state_new(parent, flat.aggregate, options, flat.option_count);
	pfree(options);
	read_peers(&reader, state, flat.peer_count);
	read_messages(&reader, state, flat.count);
	state_read_end(&reader);
	return &state->header;
}

static const L4StateType step_type = {"bytea", &step_methods, step_parse};

L4StepState *
step_state_fetch(Datum datum, MemoryContext parent, bool writable, L4StepAggregate aggregate)
{
	L4StepState *state = (L4StepState *) state_fetch(datum, parent, writable, &step_type);

	if (state->aggregate != aggregate)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid state of %s", step_aggregate_name(aggregate)),
				 errdetail("It is one of %s.", step_aggregate_name(state->aggregate))));
	return state;
}

/* ---- combine ---- */

static void
merge_states(L4StepState *into, const L4StepState *from)
{
	int32	   *numbers = MemoryContextAllocHuge(CurrentMemoryContext, ((Size) from->peers.count + 1) * sizeof(int32));

	step_state_match(into, from->options, from->option_count);
	step_state_reserve(into, from->count);
	numbers[0] = 0;
	for (int32 i = 0; i < from->peers.count; i++)
		numbers[i] = intern_add(&into->peers, intern_data(&from->peers, i), from->peers.strings[i].size);
	for (int64 i = 0; i < from->count; i++)
	{
		into->messages[into->count] = from->messages[i];
		into->messages[into->count++].peer = numbers[from->messages[i].peer];
	}
	pfree(numbers);
}

Datum
step_state_combine(FunctionCallInfo fcinfo, L4StepAggregate aggregate)
{
	MemoryContext context = state_context(fcinfo, step_aggregate_name(aggregate));
	L4StepState *into;
	L4StepState *from;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		return EOHPGetRWDatum(&step_state_fetch(PG_GETARG_DATUM(0), context, true, aggregate)->header);
	}
	if (PG_ARGISNULL(0))
		return EOHPGetRWDatum(&step_state_fetch(PG_GETARG_DATUM(1), context, true, aggregate)->header);
	from = step_state_fetch(PG_GETARG_DATUM(1), CurrentMemoryContext, false, aggregate);
	into = step_state_fetch(PG_GETARG_DATUM(0), context, true, aggregate);
	merge_states(into, from);
	return EOHPGetRWDatum(&into->header);
}
