/*
 * flow_messages.c: the aggregate l4_flow_messages.
 *
 * Its state keeps the records of one pair of addresses, 24 bytes each, in blocks that are never moved, and the lists of
 * switches they passed, each once. Records that cannot be right are counted.
 */
#include "ground/l4.h"

#include <math.h>

#include "algorithms/flow_messages.h"
#include "bindings/aggregate_state.h"
#include "bindings/flow_arrays.h"
#include "catalog/pg_collation_d.h"
#include "catalog/pg_type_d.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"

#define AGGREGATE "l4_flow_messages"

/* Blocks of records: each is twice as long as the one before, up to this. */
#define FIRST_BLOCK 32
#define LONGEST_BLOCK 16384

typedef struct Block
{
	struct Block *next;
	int32		count;
	int32		room;
	L4FlowRecord records[FLEXIBLE_ARRAY_MEMBER];
} Block;

typedef struct FlowState
{
	Block	   *blocks;			/* the one that is filled comes first */
	int64		count;
	int64		set_aside;
	L4FlowRules rules;
	int			path_count;
	int			last_path;
	ArrayType  *paths[L4_FLOW_MOST_PATHS];
} FlowState;

PG_FUNCTION_INFO_V1(l4_flow_messages_transition);
PG_FUNCTION_INFO_V1(l4_flow_messages_final);

/* ---- transition ---- */

static void
take_rules(FunctionCallInfo fcinfo, FlowState *state)
{
	state->rules.pause = flow_option(fcinfo, 7, "pause", 1e-6);
	state->rules.least_bytes = PG_ARGISNULL(8) ? 0 : PG_GETARG_INT64(8);
	state->rules.twice = (int64) (flow_option(fcinfo, 9, "twice", 0) * 1e6);
}

static L4FlowRecord *
next_record(FlowState *state, MemoryContext context)
{
	Block	   *block = state->blocks;

	if (block == NULL || block->count == block->room)
	{
		int32		room = block == NULL ? FIRST_BLOCK : Min(2 * block->room, LONGEST_BLOCK);

		block = MemoryContextAlloc(context, offsetof(Block, records) + room * sizeof(L4FlowRecord));
		block->next = state->blocks;
		block->count = 0;
		block->room = room;
		state->blocks = block;
	}
	state->count++;
	return block->records + block->count++;
}

static bool
same_path(const ArrayType *a, const ArrayType *b)
{
	return VARSIZE(a) == VARSIZE(b) && memcmp(a, b, VARSIZE(a)) == 0;
}

/* The number of a list of switches. What comes when there are too many is the last one. */
static int
path_number(FlowState *state, ArrayType *path, MemoryContext context)
{
	if (state->path_count > 0 && same_path(state->paths[state->last_path], path))
		return state->last_path;
	for (state->last_path = 0; state->last_path < state->path_count; state->last_path++)
		if (same_path(state->paths[state->last_path], path))
			return state->last_path;
	if (state->path_count == L4_FLOW_MOST_PATHS)
		return state->last_path = L4_FLOW_MOST_PATHS - 1;
	state->paths[state->path_count] = MemoryContextAlloc(context, VARSIZE(path));
	memcpy(state->paths[state->path_count], path, VARSIZE(path));
	return state->path_count++;
}

/* Arguments: state, started_at, duration, bytes, queue_pair, retransmits, switches, pause, least_bytes, twice. */
Datum
l4_flow_messages_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = state_context(fcinfo, AGGREGATE);
	FlowState  *state = PG_ARGISNULL(0) ? NULL : (FlowState *) PG_GETARG_POINTER(0);
	L4FlowRecord *record;

	if (state == NULL)
	{
		state = MemoryContextAllocZero(context, sizeof(FlowState));
		take_rules(fcinfo, state);
	}
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3) || TIMESTAMP_NOT_FINITE(PG_GETARG_TIMESTAMPTZ(1)) ||
		!(PG_GETARG_FLOAT8(2) >= 0 && PG_GETARG_FLOAT8(2) < 1e9) ||
		PG_GETARG_INT64(3) <= 0 || (uint64) PG_GETARG_INT64(3) > L4_FLOW_MOST_BYTES)
	{
		state->set_aside++;
		PG_RETURN_POINTER(state);
	}
	record = next_record(state, context);
	record->start = PG_GETARG_TIMESTAMPTZ(1) + (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
	record->duration = (float) PG_GETARG_FLOAT8(2);
	record->bytes = PG_GETARG_INT64(3);
	record->queue_pair = PG_ARGISNULL(4) ? 0 : (uint32) PG_GETARG_INT64(4);
	record->retransmits = PG_ARGISNULL(5) ? 0 : Max(0, Min(PG_GETARG_INT64(5), L4_FLOW_MOST_RETRANSMITS));
	record->path = PG_ARGISNULL(6) ? 0 : path_number(state, PG_GETARG_ARRAYTYPE_P(6), context);
	PG_RETURN_POINTER(state);
}

/* ---- final ---- */

static L4FlowRecord *
all_records(const FlowState *state)
{
	L4FlowRecord *all = MemoryContextAllocHuge(CurrentMemoryContext, Max(state->count, 1) * sizeof(L4FlowRecord));
	int64		used = 0;

	for (const Block *block = state->blocks; block != NULL; block = block->next)
	{
		memcpy(all + used, block->records, block->count * sizeof(L4FlowRecord));
		used += block->count;
	}
	return all;
}

typedef enum Column
{
	BEGAN,
	LASTED,
	MOVED,
	BUSY,
	PATH,
	LOST
} Column;

static Datum
column_of(const L4FlowMessages *found, Column column, double *scratch, Oid type)
{
	for (int64 i = 0; i < found->count; i++)
	{
		const L4FlowMessage *m = found->messages + i;

		scratch[i] = column == BEGAN ? m->began : column == LASTED ? m->lasted : column == MOVED ? m->bytes :
			column == BUSY ? m->busy : column == PATH ? m->path + 1 : Min(m->retransmits, PG_INT16_MAX);
	}
	return flow_array(scratch, found->count, type);
}

/* ---- switches ---- */

typedef struct Path
{
	char	   *text;			/* the switches with commas */
	int			number;			/* as records have it */
} Path;

static int
compare_paths(const void *a, const void *b)
{
	return strcmp(((const Path *) a)->text, ((const Path *) b)->text);
}

/* Numbers the lists of switches by their texts, so that the order of the rows makes no difference; returns the texts. */
static Datum
number_paths(const FlowState *state, L4FlowRecord *records)
{
	Path		paths[L4_FLOW_MOST_PATHS];
	Datum		texts[L4_FLOW_MOST_PATHS];
	int			number[L4_FLOW_MOST_PATHS] = {0};

	for (int i = 0; i < state->path_count; i++)
	{
		Datum		joined = OidFunctionCall2Coll(F_ARRAY_TO_STRING_ANYARRAY_TEXT, DEFAULT_COLLATION_OID,
												PointerGetDatum(state->paths[i]), CStringGetTextDatum(","));

		paths[i] = (Path) {TextDatumGetCString(joined), i};
	}
	qsort(paths, state->path_count, sizeof(Path), compare_paths);
	for (int i = 0; i < state->path_count; i++)
	{
		number[paths[i].number] = i;
		texts[i] = CStringGetTextDatum(paths[i].text);
	}
	for (int64 i = 0; i < state->count; i++)
		records[i].path = number[records[i].path];
	return PointerGetDatum(construct_array(texts, state->path_count, TEXTOID, -1, false, TYPALIGN_INT));
}

Datum
l4_flow_messages_final(PG_FUNCTION_ARGS)
{
	FlowState  *state;
	L4FlowMessages found = {0};
	MemoryContext outer = CurrentMemoryContext;
	MemoryContext work;
	L4FlowRecord *records;
	double	   *scratch;
	Datum		values[14];

	state_context(fcinfo, AGGREGATE);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (FlowState *) PG_GETARG_POINTER(0);
	work = AllocSetContextCreate(outer, AGGREGATE, ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(work);
	records = all_records(state);
	MemoryContextSwitchTo(outer);
	values[13] = number_paths(state, records);
	MemoryContextSwitchTo(work);
	flow_messages(records, state->count, &state->rules, &found);
	scratch = MemoryContextAllocHuge(work, Max(found.count, 1) * sizeof(double));
	MemoryContextSwitchTo(outer);
	values[0] = Int64GetDatum(found.records);
	values[1] = Int64GetDatum(found.small);
	values[2] = Int64GetDatum(found.duplicates);
	values[3] = Int64GetDatum(state->set_aside);
	values[4] = Int64GetDatum((int64) found.bytes);
	values[5] = Int64GetDatum((int64) found.retransmits);
	values[6] = Float8GetDatum(found.same_size);
	values[7] = column_of(&found, BEGAN, scratch, FLOAT8OID);
	values[8] = column_of(&found, LASTED, scratch, FLOAT4OID);
	values[9] = column_of(&found, MOVED, scratch, FLOAT4OID);
	values[10] = column_of(&found, BUSY, scratch, FLOAT4OID);
	values[11] = column_of(&found, PATH, scratch, INT2OID);
	values[12] = column_of(&found, LOST, scratch, INT2OID);
	MemoryContextDelete(work);
	return flow_row(fcinfo, values, lengthof(values));
}
