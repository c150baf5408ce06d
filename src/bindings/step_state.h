/*
 * step_state.h: what the aggregates over the messages of one accelerator share: a state of options, peers and messages, a bytea
 * that is an expanded object while rows come.
 */
#ifndef L4_STEP_STATE_H
#define L4_STEP_STATE_H

#include "ground/l4.h"
#include "algorithms/step_phases.h"
#include "fmgr.h"
#include "tools/intern.h"
#include "utils/expandeddatum.h"

/* An aggregate; a flat state has the number of its own. */
typedef enum L4StepAggregate
{
	L4_STEP_PHASES = 1,
	L4_STEP_WORK,
	L4_STEP_OVERDUE,
	L4_STEP_EXCHANGES
} L4StepAggregate;

typedef struct L4StepState
{
	ExpandedObjectHeader header;
	L4StepAggregate aggregate;
	int64		option_count;
	double	   *options;		/* what must be the same in all rows */
	L4StepMessage *messages;
	int64		count;
	int64		room;
	L4Intern	peers;			/* of step_has_peers: the other ends, as messages number them */
} L4StepState;

/* Its name, for messages. */
extern const char *step_aggregate_name(L4StepAggregate aggregate);

/* A state without messages. */
extern L4StepState *step_state_new(MemoryContext parent, L4StepAggregate aggregate, const double *options, int64 option_count);

/* The state behind an argument, as of state_fetch. 22P03 if it is none of this aggregate. */
extern L4StepState *step_state_fetch(Datum datum, MemoryContext parent, bool writable, L4StepAggregate aggregate);

/* Refuses, by 22023, a row with other options than those before. */
extern void step_state_match(const L4StepState *state, const double *options, int64 option_count);

/* Room for so many messages more; 53400. */
extern void step_state_reserve(L4StepState *state, int64 more);

/* The body of a combine function. Errors as above. */
extern Datum step_state_combine(FunctionCallInfo fcinfo, L4StepAggregate aggregate);

/* A copy of the messages, sorted, whose peers are numbered by their names: no order of rows makes a difference. */
extern L4StepMessage *step_state_messages(const L4StepState *state);

#endif							/* L4_STEP_STATE_H */
