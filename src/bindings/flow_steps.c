/*
 * flow_steps.c: the aggregates l4_step_phases, l4_step_work and l4_step_overdue, over the messages of one accelerator: a row
 * is what goes one way between it and one other.
 */
#include "ground/l4.h"

#include <math.h>

#include "algorithms/step_phases.h"
#include "bindings/aggregate_state.h"
#include "bindings/flow_arrays.h"
#include "catalog/pg_type_d.h"
#include "tools/intern.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

typedef struct StepState
{
	L4StepMessage *messages;
	int64		count;
	int64		room;
	L4Intern	peers;
	double		pause;
	double		whole;
	double	   *ends;
	int64		end_count;
	double	   *closes;
} StepState;

PG_FUNCTION_INFO_V1(l4_step_phases_transition);
PG_FUNCTION_INFO_V1(l4_step_phases_final);
PG_FUNCTION_INFO_V1(l4_step_work_transition);
PG_FUNCTION_INFO_V1(l4_step_work_final);
PG_FUNCTION_INFO_V1(l4_step_overdue_transition);
PG_FUNCTION_INFO_V1(l4_step_overdue_final);

/* Room for so many messages more. */
static void
make_room(StepState *state, MemoryContext context, int64 more, const char *name)
{
	if (state->count + more <= state->room)
		return;
	state->room = Max(2 * state->room, state->count + more);
	state_check_budget(state->room * sizeof(L4StepMessage), name);
	state->messages = state->messages == NULL ?
		MemoryContextAllocHuge(context, state->room * sizeof(L4StepMessage)) :
		repalloc_huge(state->messages, state->room * sizeof(L4StepMessage));
}

/* Takes in messages, of the arguments began and lasted, and of the one at `amounts` for bytes or busy. */
static void
take_messages(FunctionCallInfo fcinfo, StepState *state, MemoryContext context, bool sent, int32 peer, int amounts,
			  const char *name)
{
	int64		count;
	double	   *began = flow_numbers(fcinfo, 1, &count);
	double	   *lasted = flow_as_many(fcinfo, 2, count);
	double	   *amount = flow_as_many(fcinfo, amounts, count);

	make_room(state, context, count, name);
	for (int64 i = 0; i < count; i++)
		state->messages[state->count++] = (L4StepMessage) {
			.began = began[i], .ended = began[i] + lasted[i], .bytes = amount[i], .busy = amount[i], .peer = peer, .sent = sent
		};
	pfree(began);
	pfree(lasted);
	pfree(amount);
}

/* ---- l4_step_phases ---- */

/* Arguments: state, began, lasted, moved, sent, pause, whole. */
Datum
l4_step_phases_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = state_context(fcinfo, "l4_step_phases");
	StepState  *state = PG_ARGISNULL(0) ? NULL : (StepState *) PG_GETARG_POINTER(0);

	if (state == NULL)
	{
		state = MemoryContextAllocZero(context, sizeof(StepState));
		state->pause = flow_option(fcinfo, 5, "pause", 0);
		state->whole = flow_option(fcinfo, 6, "whole", 0);
	}
	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2) && !PG_ARGISNULL(3))
		take_messages(fcinfo, state, context, PG_GETARG_BOOL(4), 0, 3, "l4_step_phases");
	PG_RETURN_POINTER(state);
}

Datum
l4_step_phases_final(PG_FUNCTION_ARGS)
{
	StepState  *state;
	L4StepPhase *phases;
	double	   *numbers;
	int64		count;
	Datum		values[3];

	state_context(fcinfo, "l4_step_phases");
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (StepState *) PG_GETARG_POINTER(0);
	step_messages_sort(state->messages, state->count);
	phases = MemoryContextAllocHuge(CurrentMemoryContext, Max(state->count, 1) * sizeof(L4StepPhase));
	numbers = MemoryContextAllocHuge(CurrentMemoryContext, Max(state->count, 1) * sizeof(double));
	count = step_phases(state->messages, state->count, state->pause, state->whole, phases);
	for (int column = 0; column < 3; column++)
	{
		for (int64 i = 0; i < count; i++)
			numbers[i] = column == 0 ? phases[i].began : column == 1 ? phases[i].ended : phases[i].bytes;
		values[column] = flow_array(numbers, count, FLOAT8OID);
	}
	return flow_row(fcinfo, values, lengthof(values));
}

/* ---- l4_step_work ---- */

/* Arguments: state, began, lasted, busy, sent, peer, ends, closes. */
Datum
l4_step_work_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = state_context(fcinfo, "l4_step_work");
	StepState  *state = PG_ARGISNULL(0) ? NULL : (StepState *) PG_GETARG_POINTER(0);

	if (state == NULL)
	{
		MemoryContext outer = MemoryContextSwitchTo(context);

		state = palloc0(sizeof(StepState));
		intern_init(&state->peers, context);
		state->ends = flow_numbers(fcinfo, 6, &state->end_count);
		state->closes = flow_as_many(fcinfo, 7, Max(state->end_count - 1, 0));
		MemoryContextSwitchTo(outer);
	}
	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2) && !PG_ARGISNULL(3) && !PG_ARGISNULL(5))
	{
		text	   *peer = PG_GETARG_TEXT_PP(5);

		take_messages(fcinfo, state, context, PG_GETARG_BOOL(4),
					  intern_add(&state->peers, VARDATA_ANY(peer), VARSIZE_ANY_EXHDR(peer)), 3, "l4_step_work");
	}
	PG_RETURN_POINTER(state);
}

Datum
l4_step_work_final(PG_FUNCTION_ARGS)
{
	StepState  *state;
	L4StepWork *work;
	double	   *numbers;
	int64		steps;
	Datum		values[2];

	state_context(fcinfo, "l4_step_work");
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (StepState *) PG_GETARG_POINTER(0);
	steps = Max(state->end_count - 1, 0);
	step_messages_sort(state->messages, state->count);
	state->count = step_messages_join(state->messages, state->count, state->peers.count);
	work = palloc(Max(steps, 1) * sizeof(L4StepWork));
	numbers = palloc(Max(steps, 1) * sizeof(double));
	step_work(state->messages, state->count, state->ends, state->closes, steps, work);
	for (int column = 0; column < 2; column++)
	{
		for (int64 i = 0; i < steps; i++)
			numbers[i] = column == 0 ? work[i].computed : work[i].sent;
		values[column] = flow_array(numbers, steps, FLOAT8OID);
	}
	return flow_row(fcinfo, values, lengthof(values));
}

/* ---- l4_step_overdue ---- */

/* Arguments: state, began, lasted, sent, ends. */
Datum
l4_step_overdue_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = state_context(fcinfo, "l4_step_overdue");
	StepState  *state = PG_ARGISNULL(0) ? NULL : (StepState *) PG_GETARG_POINTER(0);

	if (state == NULL)
	{
		MemoryContext outer = MemoryContextSwitchTo(context);

		state = palloc0(sizeof(StepState));
		state->ends = flow_numbers(fcinfo, 4, &state->end_count);
		MemoryContextSwitchTo(outer);
	}
	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2))
		take_messages(fcinfo, state, context, PG_GETARG_BOOL(3), 0, 2, "l4_step_overdue");
	PG_RETURN_POINTER(state);
}

Datum
l4_step_overdue_final(PG_FUNCTION_ARGS)
{
	StepState  *state;
	double		overdue;

	state_context(fcinfo, "l4_step_overdue");
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (StepState *) PG_GETARG_POINTER(0);
	if (state->end_count == 0)
		PG_RETURN_NULL();
	step_messages_sort(state->messages, state->count);
	overdue = step_overdue(state->messages, state->count, state->ends, state->end_count - 1);
	if (!isfinite(overdue))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(overdue);
}
