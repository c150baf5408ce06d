/*
 * flow_steps.c: the aggregates l4_step_phases, l4_step_work, l4_step_overdue and l4_step_exchanges, over the messages of one
 * accelerator: a row is what goes one way between it and one other. Their state is that of step_state.c.
 */
#include "ground/l4.h"

#include <math.h>

#include "algorithms/exchanges.h"
#include "algorithms/step_phases.h"
#include "bindings/aggregate_state.h"
#include "bindings/flow_arrays.h"
#include "bindings/step_state.h"
#include "catalog/pg_type_d.h"
#include "tools/intern.h"
#include "tools/room.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(l4_step_phases_transition);
PG_FUNCTION_INFO_V1(l4_step_phases_combine);
PG_FUNCTION_INFO_V1(l4_step_phases_final);
PG_FUNCTION_INFO_V1(l4_step_work_transition);
PG_FUNCTION_INFO_V1(l4_step_work_combine);
PG_FUNCTION_INFO_V1(l4_step_work_final);
PG_FUNCTION_INFO_V1(l4_step_overdue_transition);
PG_FUNCTION_INFO_V1(l4_step_overdue_combine);
PG_FUNCTION_INFO_V1(l4_step_overdue_final);
PG_FUNCTION_INFO_V1(l4_step_exchanges_transition);
PG_FUNCTION_INFO_V1(l4_step_exchanges_combine);
PG_FUNCTION_INFO_V1(l4_step_exchanges_final);

/* The state of a transition function, new for its first row. */
static L4StepState *
state_of_row(FunctionCallInfo fcinfo, L4StepAggregate aggregate, const double *options, int64 option_count)
{
	MemoryContext context = state_context(fcinfo, step_aggregate_name(aggregate));
	L4StepState *state;

	if (PG_ARGISNULL(0))
		return step_state_new(context, aggregate, options, option_count);
	state = step_state_fetch(PG_GETARG_DATUM(0), context, true, aggregate);
	step_state_match(state, options, option_count);
	return state;
}

static void
check_message(const L4StepMessage *message)
{
	if (!isfinite(message->began) || !isfinite(message->ended) || message->ended < message->began ||
		!isfinite(message->bytes))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("messages must have finite times and bytes, and last no less than 0 seconds")));
}

/* Takes in messages, of the arguments began and lasted, and of the one at `amounts` for bytes or busy. */
static void
take_messages(FunctionCallInfo fcinfo, L4StepState *state, bool sent, int32 peer, int amounts)
{
	int64		count;
	double	   *began = flow_numbers(fcinfo, 1, &count);
	double	   *lasted = flow_as_many(fcinfo, 2, count);
	double	   *amount = flow_as_many(fcinfo, amounts, count);

	step_state_reserve(state, count);
	for (int64 i = 0; i < count; i++)
	{
		L4StepMessage message = {
			.began = began[i], .ended = began[i] + lasted[i], .bytes = amount[i], .busy = amount[i], .peer = peer, .sent = sent
		};

		check_message(&message);
		state->messages[state->count++] = message;
	}
	pfree(began);
	pfree(lasted);
	pfree(amount);
}

/* The state behind the argument of a final function. */
static L4StepState *
state_of_final(FunctionCallInfo fcinfo, L4StepAggregate aggregate)
{
	state_context(fcinfo, step_aggregate_name(aggregate));
	return PG_ARGISNULL(0) ? NULL : step_state_fetch(PG_GETARG_DATUM(0), CurrentMemoryContext, false, aggregate);
}

/* ---- l4_step_phases ---- */

/* Arguments: state, began, lasted, moved, sent, pause, whole. */
Datum
l4_step_phases_transition(PG_FUNCTION_ARGS)
{
	double		options[2] = {flow_option(fcinfo, 5, "pause", 0), flow_option(fcinfo, 6, "whole", 0)};
	L4StepState *state = state_of_row(fcinfo, L4_STEP_PHASES, options, lengthof(options));

	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2) && !PG_ARGISNULL(3))
		take_messages(fcinfo, state, PG_GETARG_BOOL(4), 0, 3);
	return EOHPGetRWDatum(&state->header);
}

Datum
l4_step_phases_combine(PG_FUNCTION_ARGS)
{
	return step_state_combine(fcinfo, L4_STEP_PHASES);
}

Datum
l4_step_phases_final(PG_FUNCTION_ARGS)
{
	L4StepState *state = state_of_final(fcinfo, L4_STEP_PHASES);
	L4StepMessage *messages;
	L4StepPhase *phases;
	double	   *numbers;
	int64		count;
	Datum		values[3];

	if (state == NULL)
		PG_RETURN_NULL();
	messages = step_state_messages(state);
	phases = room_for(state->count, sizeof(L4StepPhase));
	numbers = room_for(state->count, sizeof(double));
	count = step_phases(messages, state->count, state->options[0], state->options[1], phases);
	for (int column = 0; column < 3; column++)
	{
		for (int64 i = 0; i < count; i++)
			numbers[i] = column == 0 ? phases[i].began : column == 1 ? phases[i].ended : phases[i].bytes;
		values[column] = flow_array(numbers, count, FLOAT8OID);
	}
	return flow_row(fcinfo, values, lengthof(values));
}

/* ---- l4_step_work ---- */

/* Of so many options, how many are ends of steps: as many closes follow as there are steps, one less. */
static int64
ends_of_work(int64 option_count)
{
	return (option_count + 1) / 2;
}

/* Ends and closes, from the argument on that has the ends. */
static double *
options_of_work(FunctionCallInfo fcinfo, int argument, int64 *option_count)
{
	int64		end_count;
	double	   *ends = flow_numbers(fcinfo, argument, &end_count);
	int64		steps = Max(end_count - 1, 0);
	double	   *closes = flow_as_many(fcinfo, argument + 1, steps);
	double	   *options = MemoryContextAllocHuge(CurrentMemoryContext, (end_count + steps + 1) * sizeof(double));

	memcpy(options, ends, end_count * sizeof(double));
	memcpy(options + end_count, closes, steps * sizeof(double));
	pfree(ends);
	pfree(closes);
	*option_count = end_count + steps;
	return options;
}

/* Arguments: state, began, lasted, busy, sent, peer, ends, closes. */
Datum
l4_step_work_transition(PG_FUNCTION_ARGS)
{
	int64		option_count;
	double	   *options = options_of_work(fcinfo, 6, &option_count);
	L4StepState *state = state_of_row(fcinfo, L4_STEP_WORK, options, option_count);

	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2) && !PG_ARGISNULL(3) && !PG_ARGISNULL(5))
	{
		text	   *peer = PG_GETARG_TEXT_PP(5);

		take_messages(fcinfo, state, PG_GETARG_BOOL(4), intern_add(&state->peers, VARDATA_ANY(peer), VARSIZE_ANY_EXHDR(peer)),
					  3);
	}
	pfree(options);
	return EOHPGetRWDatum(&state->header);
}

Datum
l4_step_work_combine(PG_FUNCTION_ARGS)
{
	return step_state_combine(fcinfo, L4_STEP_WORK);
}

Datum
l4_step_work_final(PG_FUNCTION_ARGS)
{
	L4StepState *state = state_of_final(fcinfo, L4_STEP_WORK);
	L4StepMessage *messages;
	L4StepWork *work;
	double	   *numbers;
	int64		count;
	int64		steps;
	Datum		values[3];

	if (state == NULL)
		PG_RETURN_NULL();
	steps = state->option_count - ends_of_work(state->option_count);
	messages = step_state_messages(state);
	count = step_messages_join(messages, state->count, state->peers.count);
	work = palloc(Max(steps, 1) * sizeof(L4StepWork));
	numbers = palloc(Max(steps, 1) * sizeof(double));
	step_work(messages, count, state->options, state->options + ends_of_work(state->option_count), steps, work);
	for (int column = 0; column < lengthof(values); column++)
	{
		for (int64 i = 0; i < steps; i++)
			numbers[i] = column == 0 ? work[i].computed : column == 1 ? work[i].sent : work[i].closing;
		values[column] = flow_array(numbers, steps, FLOAT8OID);
	}
	return flow_row(fcinfo, values, lengthof(values));
}

/* ---- l4_step_overdue ---- */

/* Arguments: state, began, lasted, moved, sent, ends. */
Datum
l4_step_overdue_transition(PG_FUNCTION_ARGS)
{
	int64		end_count;
	double	   *ends = flow_numbers(fcinfo, 5, &end_count);
	L4StepState *state = state_of_row(fcinfo, L4_STEP_OVERDUE, ends, end_count);

	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2) && !PG_ARGISNULL(3))
		take_messages(fcinfo, state, PG_GETARG_BOOL(4), 0, 3);
	pfree(ends);
	return EOHPGetRWDatum(&state->header);
}

Datum
l4_step_overdue_combine(PG_FUNCTION_ARGS)
{
	return step_state_combine(fcinfo, L4_STEP_OVERDUE);
}

Datum
l4_step_overdue_final(PG_FUNCTION_ARGS)
{
	L4StepState *state = state_of_final(fcinfo, L4_STEP_OVERDUE);
	double		overdue;

	if (state == NULL || state->option_count == 0)
		PG_RETURN_NULL();
	overdue = step_overdue(step_state_messages(state), state->count, state->options, state->option_count - 1);
	if (!isfinite(overdue))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(overdue);
}

/* ---- l4_step_exchanges ---- */

/* Arguments: state, began, lasted, moved, sent, peer, ends, closes, pause. Options: those of l4_step_work, then the pause. */
Datum
l4_step_exchanges_transition(PG_FUNCTION_ARGS)
{
	int64		option_count;
	double	   *options = options_of_work(fcinfo, 6, &option_count);
	L4StepState *state;

	options[option_count++] = flow_option(fcinfo, 8, "pause", 0);
	state = state_of_row(fcinfo, L4_STEP_EXCHANGES, options, option_count);
	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2) && !PG_ARGISNULL(3))
	{
		text	   *peer = PG_ARGISNULL(5) ? cstring_to_text("") : PG_GETARG_TEXT_PP(5);

		take_messages(fcinfo, state, PG_GETARG_BOOL(4), intern_add(&state->peers, VARDATA_ANY(peer), VARSIZE_ANY_EXHDR(peer)),
					  3);
	}
	pfree(options);
	return EOHPGetRWDatum(&state->header);
}

Datum
l4_step_exchanges_combine(PG_FUNCTION_ARGS)
{
	return step_state_combine(fcinfo, L4_STEP_EXCHANGES);
}

/* The exchanges of a state. The peer without a name, of what is no exchange, is the first in the order of names. */
static L4Exchange *
exchanges_of_state(const L4StepState *state, int64 *count)
{
	int64		end_count = ends_of_work(state->option_count - 1);
	L4Exchange *exchanges = room_for(state->count, sizeof(L4Exchange));
	int32		others = 0;

	for (int32 i = 0; i < state->peers.count; i++)
		others += state->peers.strings[i].size == 0;
	*count = exchanges_of(step_state_messages(state), state->count, state->peers.count, others,
						  state->options[state->option_count - 1], state->options, state->options + end_count,
						  Max(end_count - 1, 0), exchanges);
	return exchanges;
}

Datum
l4_step_exchanges_final(PG_FUNCTION_ARGS)
{
	L4StepState *state = state_of_final(fcinfo, L4_STEP_EXCHANGES);
	L4Exchange *exchanges;
	double	   *numbers;
	int64		count;
	Datum		values[5];

	if (state == NULL)
		PG_RETURN_NULL();
	exchanges = exchanges_of_state(state, &count);
	numbers = room_for(count, sizeof(double));
	for (int column = 0; column < lengthof(values); column++)
	{
		for (int64 i = 0; i < count; i++)
			numbers[i] = column == 0 ? exchanges[i].began : column == 1 ? exchanges[i].since :
				column == 2 ? exchanges[i].got : column == 3 ? exchanges[i].step : exchanges[i].turn;
		values[column] = flow_array(numbers, count, column < 3 ? FLOAT8OID : INT4OID);
	}
	return flow_row(fcinfo, values, lengthof(values));
}
