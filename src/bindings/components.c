/*
 * components.c: the aggregate l4_connected_components.
 *
 * Its state is a bytea, which travels between workers and machines as any does, but while rows come it is an expanded object:
 * the server hands the pointer to it from row to row without a copy, as it does for array_append, rows are added in place, and
 * only to travel it is flattened, to the names and one number for each. Edges are not kept, so that memory follows the distinct
 * names however many rows there are. As anybody can hand over a bytea, flat ones are read with distrust.
 */
#include "ground/l4.h"

#include "access/htup_details.h"
#include "algorithms/components.h"
#include "bindings/aggregate_state.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#define AGGREGATE "l4_connected_components"

/* What an element of the result takes beside its two names, at most. */
#define ELEMENT_OVERHEAD 80

typedef struct ComponentsState
{
	ExpandedObjectHeader header;
	L4Components graph;
} ComponentsState;

static Size graph_flat_size(ExpandedObjectHeader *header);
static void graph_flatten(ExpandedObjectHeader *header, void *result, Size size);

static const ExpandedObjectMethods graph_methods = {graph_flat_size, graph_flatten};

PG_FUNCTION_INFO_V1(l4_connected_components_transition);
PG_FUNCTION_INFO_V1(l4_connected_components_combine);
PG_FUNCTION_INFO_V1(l4_connected_components_final);

/* ---- the state ---- */

static ComponentsState *
graph_new(MemoryContext parent)
{
	MemoryContext context = AllocSetContextCreate(parent, AGGREGATE, ALLOCSET_START_SMALL_SIZES);
	ComponentsState *state = MemoryContextAllocZero(context, sizeof(ComponentsState));

	EOH_init_header(&state->header, &graph_methods, context);
	components_init(&state->graph, context);
	return state;
}

static Size
graph_flat_size(ExpandedObjectHeader *header)
{
	return state_check_flat(VARHDRSZ + components_flat_size(&((ComponentsState *) header)->graph), "bytea");
}

static void
graph_flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	SET_VARSIZE(result, size);
	components_flatten(&((ComponentsState *) header)->graph, VARDATA(result));
}

static ExpandedObjectHeader *
graph_parse(MemoryContext parent, const char *data, Size size)
{
	ComponentsState *state;
	const char *wrong;

	state_check_budget(components_parse_memory(size), AGGREGATE);
	state = graph_new(parent);
	wrong = components_parse(&state->graph, (L4Bytes) {data, size});
	if (wrong != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid state of %s", AGGREGATE),
				 errdetail("%s", wrong)));
	return &state->header;
}

static const L4StateType graph_type = {"bytea", &graph_methods, graph_parse};

static ComponentsState *
graph_fetch(Datum datum, MemoryContext parent, bool writable)
{
	return (ComponentsState *) state_fetch(datum, parent, writable, &graph_type);
}

/* ---- transition and combine ---- */

static int32
graph_add(L4Components *graph, const char *data, uint32 size)
{
	uint64		growth = components_growth(graph, size);

	if (growth > 0)
		state_check_budget(components_memory(graph) + growth, AGGREGATE);
	return components_add(graph, data, size);
}

static int32
graph_take(L4Components *graph, FunctionCallInfo fcinfo, int argument)
{
	text	   *name = PG_GETARG_TEXT_PP(argument);

	return graph_add(graph, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
}

static void
graph_merge(L4Components *into, L4Components *from)
{
	int32	   *numbers = MemoryContextAllocHuge(CurrentMemoryContext, ((Size) from->names.count + 1) * sizeof(int32));

	for (int32 i = 0; i < from->names.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		numbers[i] = graph_add(into, intern_data(&from->names, i), from->names.strings[i].size);
		components_join(into, numbers[i], numbers[components_first(from, i)]);
	}
	pfree(numbers);
}

/* Arguments: state, a, b. One that is NULL connects the other with nothing. */
Datum
l4_connected_components_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = state_context(fcinfo, AGGREGATE);
	ComponentsState *state = PG_ARGISNULL(0) ? graph_new(context) : graph_fetch(PG_GETARG_DATUM(0), context, true);
	int32		a = PG_ARGISNULL(1) ? -1 : graph_take(&state->graph, fcinfo, 1);
	int32		b = PG_ARGISNULL(2) ? -1 : graph_take(&state->graph, fcinfo, 2);

	if (a >= 0 && b >= 0)
		components_join(&state->graph, a, b);
	return EOHPGetRWDatum(&state->header);
}

Datum
l4_connected_components_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = state_context(fcinfo, AGGREGATE);
	ComponentsState *into;
	ComponentsState *from;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		return EOHPGetRWDatum(&graph_fetch(PG_GETARG_DATUM(0), context, true)->header);
	}
	if (PG_ARGISNULL(0))
		return EOHPGetRWDatum(&graph_fetch(PG_GETARG_DATUM(1), context, true)->header);
	from = graph_fetch(PG_GETARG_DATUM(1), CurrentMemoryContext, false);
	into = graph_fetch(PG_GETARG_DATUM(0), context, true);
	graph_merge(&into->graph, &from->graph);
	return EOHPGetRWDatum(&into->header);
}

/* ---- final ---- */

/* Memory of the final function, the state included. */
static uint64
final_memory(const L4Components *graph, const L4ComponentMember *members)
{
	const L4InternString *names = graph->names.strings;
	uint64		elements = 0;

	for (int32 i = 0; i < graph->names.count; i++)
		elements += (uint64) names[members[i].member].size + names[members[i].component].size + ELEMENT_OVERHEAD;
	return components_memory(graph) + (uint64) graph->names.count * (sizeof(L4ComponentMember) + sizeof(Datum)) + 2 * elements;
}

static Datum
name_datum(const L4Intern *names, int32 number)
{
	return PointerGetDatum(cstring_to_text_with_len(intern_data(names, number), (int) names->strings[number].size));
}

/* Members as an array, which goes into the context `into`. */
static Datum
members_datum(Oid function, const L4Intern *names, const L4ComponentMember *members, MemoryContext into)
{
	Oid			type = get_element_type(get_func_rettype(function));
	TupleDesc	shape = lookup_rowtype_tupdesc(type, -1);
	Datum	   *elements = MemoryContextAllocHuge(CurrentMemoryContext, ((Size) names->count + 1) * sizeof(Datum));
	Datum		component = (Datum) 0;
	Datum		result;
	MemoryContext outer;

	for (int32 i = 0; i < names->count; i++)
	{
		Datum		values[3];
		bool		nulls[3] = {false};

		CHECK_FOR_INTERRUPTS();
		if (i == 0 || members[i].component != members[i - 1].component)
			component = name_datum(names, members[i].component);
		values[0] = name_datum(names, members[i].member);
		values[1] = component;
		values[2] = Int64GetDatum(members[i].members);
		elements[i] = HeapTupleGetDatum(heap_form_tuple(shape, values, nulls));
		pfree(DatumGetPointer(values[0]));
	}
	outer = MemoryContextSwitchTo(into);
	result = PointerGetDatum(construct_array(elements, names->count, type, -1, false, TYPALIGN_DOUBLE));
	MemoryContextSwitchTo(outer);
	ReleaseTupleDesc(shape);
	return result;
}

Datum
l4_connected_components_final(PG_FUNCTION_ARGS)
{
	MemoryContext outer = CurrentMemoryContext;
	MemoryContext work;
	ComponentsState *state;
	L4ComponentMember *members;
	Datum		result;

	state_context(fcinfo, AGGREGATE);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	work = AllocSetContextCreate(outer, AGGREGATE, ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(work);
	state = graph_fetch(PG_GETARG_DATUM(0), work, false);
	members = components_members(&state->graph);
	state_check_budget(final_memory(&state->graph, members), AGGREGATE);
	result = members_datum(fcinfo->flinfo->fn_oid, &state->graph.names, members, outer);
	MemoryContextSwitchTo(outer);
	MemoryContextDelete(work);
	return result;
}
