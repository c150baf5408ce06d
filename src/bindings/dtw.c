/*
 * dtw.c: l4_dtw_distance and l4_edit_distance over arrays, the aggregate l4_dtw_scores and its state, type l4_dtw_state.
 *
 * The state is the list of iterations as they come, an expanded object to which rows are added in place; the final
 * function sorts them by iteration, so the result does not depend on the order of rows.
 */
#include "ground/l4.h"

#include <math.h>

#include "access/htup_details.h"
#include "algorithms/deviation.h"
#include "algorithms/dtw.h"
#include "bindings/aggregate_state.h"
#include "catalog/pg_type_d.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "tools/intern.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#define AGGREGATE "l4_dtw_scores"
#define STATE_TYPE "l4_dtw_state"
#define STATE_MAGIC 0x4c344457	/* in flat states too: bytes of another machine's order do not pass */
#define STATE_VERSION 1

#define DEFAULT_WINDOW 10
#define DEFAULT_SIGMA 3.0
#define MAX_WINDOW 10000

#define FIRST_ITERATIONS 16
#define FIRST_EVENTS 256

typedef struct Iteration
{
	int64		number;
	int64		first;			/* place of its events */
	int64		length;
} Iteration;

typedef struct ScoresState
{
	ExpandedObjectHeader header;
	uint32		magic;
	L4DeviationOptions options;
	Iteration  *iterations;
	int64		iteration_count;
	int64		iteration_capacity;
	int64	   *events;
	int64		event_count;
	int64		event_capacity;
} ScoresState;

/* What precedes iterations and events in a flat state. */
typedef struct FlatHeader
{
	uint32		magic;
	uint32		version;
	int32		mean_distance;
	int32		nearest_distance;
	int32		window;
	int32		unused;
	double		sigma;
	int64		iteration_count;
	int64		event_count;
} FlatHeader;

static Size scores_flat_size(ExpandedObjectHeader *header);
static void scores_flatten(ExpandedObjectHeader *header, void *result, Size size);

static const ExpandedObjectMethods scores_methods = {scores_flat_size, scores_flatten};

PG_FUNCTION_INFO_V1(l4_dtw_distance);
PG_FUNCTION_INFO_V1(l4_edit_distance);
PG_FUNCTION_INFO_V1(l4_dtw_state_in);
PG_FUNCTION_INFO_V1(l4_dtw_state_out);
PG_FUNCTION_INFO_V1(l4_dtw_state_recv);
PG_FUNCTION_INFO_V1(l4_dtw_state_send);
PG_FUNCTION_INFO_V1(l4_dtw_scores_transition);
PG_FUNCTION_INFO_V1(l4_dtw_scores_combine);
PG_FUNCTION_INFO_V1(l4_dtw_scores_final);

/* ---- distances of two arrays ---- */

/* Refuses what is no plain sequence; returns the number of elements. */
static int
sequence_check(const ArrayType *array)
{
	int			length = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("sequence must have one dimension"),
				 errdetail("It has %d.", ARR_NDIM(array))));
	if (array_contains_nulls((ArrayType *) array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("sequence must not contain nulls")));
	if (length > DTW_MAX_LENGTH)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("sequence is too long"),
				 errdetail("It has %d elements, at most %d are possible.", length, DTW_MAX_LENGTH)));
	return length;
}

/* Elements of fixed width (int, bigint) as numbers of the set. */
static void
intern_fixed(L4Intern *set, const ArrayType *array, int length, int width, uint32 *symbols)
{
	const char *data = ARR_DATA_PTR(array);

	for (int i = 0; i < length; i++)
		symbols[i] = (uint32) intern_add(set, data + (Size) i * width, width);
}

static void
intern_texts(L4Intern *set, ArrayType *array, int length, uint32 *symbols)
{
	Datum	   *elements;
	int			count;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements, NULL, &count);
	for (int i = 0; i < length; i++)
	{
		struct varlena *element = PG_DETOAST_DATUM_PACKED(elements[i]);

		symbols[i] = (uint32) intern_add(set, VARDATA_ANY(element), VARSIZE_ANY_EXHDR(element));
	}
	pfree(elements);
}

static uint32 *
intern_array(L4Intern *set, ArrayType *array, int length)
{
	uint32	   *symbols = palloc((Size) length * sizeof(uint32));

	switch (ARR_ELEMTYPE(array))
	{
		case INT8OID:
			intern_fixed(set, array, length, sizeof(int64), symbols);
			break;
		case INT4OID:
			intern_fixed(set, array, length, sizeof(int32), symbols);
			break;
		case TEXTOID:
			intern_texts(set, array, length, symbols);
			break;
		default:
			elog(ERROR, "unexpected element type %u", ARR_ELEMTYPE(array));
	}
	return symbols;
}

/* A pair of arguments as symbols of one set. */
typedef struct Pair
{
	uint32	   *a;
	uint32	   *b;
	int			n;
	int			m;
} Pair;

static void
pair_read(FunctionCallInfo fcinfo, Pair *pair)
{
	ArrayType  *a = PG_GETARG_ARRAYTYPE_P(0);
	ArrayType  *b = PG_GETARG_ARRAYTYPE_P(1);
	L4Intern	set;

	pair->n = sequence_check(a);
	pair->m = sequence_check(b);
	intern_init(&set, CurrentMemoryContext);
	pair->a = intern_array(&set, a, pair->n);
	pair->b = intern_array(&set, b, pair->m);
	pfree(set.strings);
	pfree(set.bytes);
	pfree(set.slots);
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
}

Datum
l4_dtw_distance(PG_FUNCTION_ARGS)
{
	int			band = DTW_UNLIMITED;
	int			distance;
	Pair		pair;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	if (!PG_ARGISNULL(2))
	{
		band = PG_GETARG_INT32(2);
		if (band < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("band must not be negative"),
					 errdetail("It is %d.", band),
					 errhint("NULL means no band.")));
	}
	pair_read(fcinfo, &pair);
	distance = dtw_distance(pair.a, pair.n, pair.b, pair.m, band);
	pfree(pair.a);
	pfree(pair.b);
	PG_RETURN_INT32(distance);
}

Datum
l4_edit_distance(PG_FUNCTION_ARGS)
{
	int			distance;
	Pair		pair;

	pair_read(fcinfo, &pair);
	distance = edit_distance(pair.a, pair.n, pair.b, pair.m, DTW_UNLIMITED);
	pfree(pair.a);
	pfree(pair.b);
	PG_RETURN_INT32(distance);
}

/* ---- the state ---- */

static ScoresState *
scores_new(MemoryContext parent, const L4DeviationOptions *options)
{
	MemoryContext context = AllocSetContextCreate(parent, STATE_TYPE, ALLOCSET_START_SMALL_SIZES);
	ScoresState *state = MemoryContextAllocZero(context, sizeof(ScoresState));

	EOH_init_header(&state->header, &scores_methods, context);
	state->magic = STATE_MAGIC;
	state->options = *options;
	state->iteration_capacity = FIRST_ITERATIONS;
	state->iterations = MemoryContextAlloc(context, FIRST_ITERATIONS * sizeof(Iteration));
	state->event_capacity = FIRST_EVENTS;
	state->events = MemoryContextAlloc(context, FIRST_EVENTS * sizeof(int64));
	return state;
}

static uint64
scores_memory(const ScoresState *state)
{
	return state->iteration_capacity * sizeof(Iteration) + state->event_capacity * sizeof(int64);
}

/* Room for one more iteration of the given length. */
static void
scores_reserve(ScoresState *state, int64 length)
{
	if (state->iteration_count == state->iteration_capacity)
	{
		if (state->iteration_capacity > PG_INT32_MAX / 4)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("too many rows for %s", AGGREGATE)));
		state_check_budget(scores_memory(state) + state->iteration_capacity * sizeof(Iteration), AGGREGATE);
		state->iteration_capacity *= 2;
		state->iterations = repalloc_huge(state->iterations, state->iteration_capacity * sizeof(Iteration));
	}
	if (state->event_count + length > state->event_capacity)
	{
		int64		capacity = Max(state->event_capacity * 2, state->event_count + length);

		state_check_budget(scores_memory(state) + (capacity - state->event_capacity) * sizeof(int64), AGGREGATE);
		state->event_capacity = capacity;
		state->events = repalloc_huge(state->events, capacity * sizeof(int64));
	}
}

/* Events need not be aligned. */
static void
scores_add(ScoresState *state, int64 number, const char *events, int64 length)
{
	Iteration  *iteration;

	scores_reserve(state, length);
	iteration = &state->iterations[state->iteration_count++];
	iteration->number = number;
	iteration->first = state->event_count;
	iteration->length = length;
	if (length > 0)
		memcpy(state->events + state->event_count, events, length * sizeof(int64));
	state->event_count += length;
}

static Size
scores_flat_size(ExpandedObjectHeader *header)
{
	ScoresState *state = (ScoresState *) header;

	return state_check_flat(VARHDRSZ + sizeof(FlatHeader) + state->iteration_count * 2 * sizeof(int64) +
							state->event_count * sizeof(int64), STATE_TYPE);
}

static void
scores_flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	ScoresState *state = (ScoresState *) header;
	FlatHeader	flat = {0};
	char	   *next = VARDATA(result);

	flat.magic = STATE_MAGIC;
	flat.version = STATE_VERSION;
	flat.mean_distance = state->options.mean_distance;
	flat.nearest_distance = state->options.nearest_distance;
	flat.window = state->options.window;
	flat.sigma = state->options.sigma;
	flat.iteration_count = state->iteration_count;
	flat.event_count = state->event_count;
	SET_VARSIZE(result, size);
	memcpy(next, &flat, sizeof(flat));
	next += sizeof(flat);
	for (int64 i = 0; i < state->iteration_count; i++)
	{
		memcpy(next, &state->iterations[i].number, sizeof(int64));
		memcpy(next + sizeof(int64), &state->iterations[i].length, sizeof(int64));
		next += 2 * sizeof(int64);
	}
	memcpy(next, state->events, state->event_count * sizeof(int64));
}

static void
options_check(const L4DeviationOptions *options)
{
	if (options->window < 1 || options->window > MAX_WINDOW)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("window size must be between 1 and %d", MAX_WINDOW),
				 errdetail("It is %d.", options->window)));
	if (!(options->sigma >= 0.0) || isinf(options->sigma))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sigma must be finite and not negative"),
				 errdetail("It is %g.", options->sigma)));
}

static bool
is_distance(int32 number)
{
	return number == L4_DISTANCE_DTW || number == L4_DISTANCE_EDIT;
}

static void
iterations_parse(ScoresState *state, const FlatHeader *flat, L4StateReader *reader)
{
	L4StateReader events = *reader;

	state_read_bytes(&events, (Size) flat->iteration_count * 2 * sizeof(int64));
	for (int64 i = 0; i < flat->iteration_count; i++)
	{
		int64		number;
		int64		length;

		state_read(reader, &number, sizeof(number));
		state_read(reader, &length, sizeof(length));
		if (length < 0 || length > DTW_MAX_LENGTH)
			state_corrupt(reader, "The length of an iteration is out of range.");
		scores_add(state, number, state_read_bytes(&events, (Size) length * sizeof(int64)), length);
	}
	state_read_end(&events);
}

static ExpandedObjectHeader *
scores_parse(MemoryContext parent, const char *data, Size size)
{
	L4StateReader reader = {data, data + size, STATE_TYPE};
	FlatHeader	flat;
	L4DeviationOptions options;
	ScoresState *state;

	state_read(&reader, &flat, sizeof(flat));
	if (flat.magic != STATE_MAGIC || flat.version != STATE_VERSION)
		state_corrupt(&reader, "It does not begin as a state of this version does.");
	if (!is_distance(flat.mean_distance) || !is_distance(flat.nearest_distance) || flat.unused != 0 ||
		flat.iteration_count < 0 || flat.iteration_count > size || flat.event_count < 0)
		state_corrupt(&reader, "A number in its head is out of range.");
	options.mean_distance = flat.mean_distance;
	options.nearest_distance = flat.nearest_distance;
	options.window = flat.window;
	options.sigma = flat.sigma;
	options_check(&options);
	state = scores_new(parent, &options);
	iterations_parse(state, &flat, &reader);
	if (state->event_count != flat.event_count)
		state_corrupt(&reader, "A number in its head is out of range.");
	return &state->header;
}

static const L4StateType scores_type = {STATE_TYPE, &scores_methods, scores_parse};

static ScoresState *
scores_fetch(Datum datum, MemoryContext parent, bool writable)
{
	return (ScoresState *) state_fetch(datum, parent, writable, &scores_type);
}

Datum
l4_dtw_state_in(PG_FUNCTION_ARGS)
{
	return state_input(fcinfo, &scores_type);
}

Datum
l4_dtw_state_out(PG_FUNCTION_ARGS)
{
	return state_output(fcinfo);
}

Datum
l4_dtw_state_recv(PG_FUNCTION_ARGS)
{
	return state_receive(fcinfo, &scores_type);
}

Datum
l4_dtw_state_send(PG_FUNCTION_ARGS)
{
	return state_send(fcinfo);
}

/* ---- transition and combine ---- */

/* Sets the distance of both rules. */
static void
distance_read(const text *name, L4DeviationOptions *options)
{
	const char *data = VARDATA_ANY(name);
	int			size = VARSIZE_ANY_EXHDR(name);

	if (size == 3 && memcmp(data, "dtw", 3) == 0)
		options->mean_distance = options->nearest_distance = L4_DISTANCE_DTW;
	else if (size == 4 && memcmp(data, "edit", 4) == 0)
		options->mean_distance = options->nearest_distance = L4_DISTANCE_EDIT;
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("distance \"%s\" does not exist", text_to_cstring(name)),
				 errhint("Distances are \"dtw\" and \"edit\"; NULL means each rule's own.")));
}

/* Arguments 3 to 5, if there are any; what is NULL has its default. */
static L4DeviationOptions
options_read(FunctionCallInfo fcinfo)
{
	L4DeviationOptions options = {L4_DISTANCE_DTW, L4_DISTANCE_EDIT, DEFAULT_WINDOW, DEFAULT_SIGMA};

	if (PG_NARGS() < 6)
		return options;
	if (!PG_ARGISNULL(3))
		options.window = PG_GETARG_INT32(3);
	if (!PG_ARGISNULL(4))
		distance_read(PG_GETARG_TEXT_PP(4), &options);
	if (!PG_ARGISNULL(5))
		options.sigma = PG_GETARG_FLOAT8(5);
	options_check(&options);
	return options;
}

static void
options_match(const L4DeviationOptions *a, const L4DeviationOptions *b)
{
	if (a->mean_distance != b->mean_distance || a->nearest_distance != b->nearest_distance ||
		a->window != b->window || a->sigma != b->sigma)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("options of %s must be the same for all rows", AGGREGATE)));
}

/* Arguments: state, iteration, events [, window_size, distance, sigma]. */
Datum
l4_dtw_scores_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = state_context(fcinfo, AGGREGATE);
	L4DeviationOptions options = options_read(fcinfo);
	ScoresState *state;
	ArrayType  *events;
	int			length;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("iteration and events of %s must not be null", AGGREGATE)));
	if (PG_ARGISNULL(0))
		state = scores_new(context, &options);
	else
	{
		state = scores_fetch(PG_GETARG_DATUM(0), context, true);
		options_match(&state->options, &options);
	}
	events = PG_GETARG_ARRAYTYPE_P(2);
	length = sequence_check(events);
	scores_add(state, PG_GETARG_INT64(1), ARR_DATA_PTR(events), length);
	return EOHPGetRWDatum(&state->header);
}

Datum
l4_dtw_scores_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = state_context(fcinfo, AGGREGATE);
	ScoresState *into;
	ScoresState *from;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		return EOHPGetRWDatum(&scores_fetch(PG_GETARG_DATUM(0), context, true)->header);
	}
	from = scores_fetch(PG_GETARG_DATUM(1), CurrentMemoryContext, false);
	into = PG_ARGISNULL(0) ? scores_new(context, &from->options) : scores_fetch(PG_GETARG_DATUM(0), context, true);
	options_match(&into->options, &from->options);
	for (int64 i = 0; i < from->iteration_count; i++)
		scores_add(into, from->iterations[i].number, (const char *) (from->events + from->iterations[i].first),
				   from->iterations[i].length);
	return EOHPGetRWDatum(&into->header);
}

/* ---- final ---- */

static int
compare_iterations(const void *a, const void *b)
{
	const Iteration *left = a;
	const Iteration *right = b;

	return (left->number > right->number) - (left->number < right->number);
}

/* The iterations in order; none may come twice. */
static Iteration *
sorted_iterations(const ScoresState *state)
{
	Size		size = state->iteration_count * sizeof(Iteration);
	Iteration  *iterations = MemoryContextAllocHuge(CurrentMemoryContext, Max(size, 1));

	memcpy(iterations, state->iterations, size);
	qsort(iterations, state->iteration_count, sizeof(Iteration), compare_iterations);
	for (int64 i = 1; i < state->iteration_count; i++)
	{
		if (iterations[i].number == iterations[i - 1].number)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("iteration %lld is given twice", (long long) iterations[i].number),
					 errhint("Collect the events of an iteration into one array first.")));
	}
	return iterations;
}

/* Numbers events densely, then distinct sequences; fills the input for the algorithm. */
static void
number_sequences(const ScoresState *state, const Iteration *iterations, L4DeviationInput *input)
{
	L4Intern   *symbols = palloc(sizeof(L4Intern));
	L4Intern   *distinct = palloc(sizeof(L4Intern));
	int32	   *sequence_of = MemoryContextAllocHuge(CurrentMemoryContext, (state->iteration_count + 1) * sizeof(int32));
	uint32	   *scratch = palloc(DTW_MAX_LENGTH * sizeof(uint32));
	L4Sequence *sequences;

	intern_init(symbols, CurrentMemoryContext);
	intern_init(distinct, CurrentMemoryContext);
	for (int64 i = 0; i < state->iteration_count; i++)
	{
		const int64 *events = state->events + iterations[i].first;

		CHECK_FOR_INTERRUPTS();
		for (int64 k = 0; k < iterations[i].length; k++)
			scratch[k] = (uint32) intern_add(symbols, (const char *) &events[k], sizeof(int64));
		sequence_of[i] = intern_add(distinct, (const char *) scratch, (uint32) (iterations[i].length * sizeof(uint32)));
	}
	pfree(scratch);
	sequences = MemoryContextAllocHuge(CurrentMemoryContext, (distinct->count + (Size) 1) * sizeof(L4Sequence));
	for (int32 i = 0; i < distinct->count; i++)
	{
		/* all sizes are multiples of 4, so all are aligned */
		sequences[i].symbols = (const uint32 *) intern_data(distinct, i);
		sequences[i].length = (int) (distinct->strings[i].size / sizeof(uint32));
	}
	input->iteration_count = (int) state->iteration_count;
	input->sequence_of = sequence_of;
	input->sequence_count = distinct->count;
	input->sequences = sequences;
	input->symbol_count = symbols->count;
}

static Datum
scores_datum(Oid function, const Iteration *iterations, const L4Deviation *scores, int count)
{
	Oid			type = get_element_type(get_func_rettype(function));
	TupleDesc	shape = lookup_rowtype_tupdesc(type, -1);
	Datum	   *elements = MemoryContextAllocHuge(CurrentMemoryContext, ((Size) count + 1) * sizeof(Datum));
	Datum		result;

	for (int i = 0; i < count; i++)
	{
		Datum		values[7];
		bool		nulls[7] = {false};

		values[0] = Int64GetDatum(iterations[i].number);
		values[1] = Int32GetDatum((int32) iterations[i].length);
		values[2] = Float8GetDatum(scores[i].mean);
		nulls[2] = !scores[i].has_mean;
		values[3] = BoolGetDatum(scores[i].beyond_sigma);
		values[4] = Float8GetDatum(scores[i].nearest);
		nulls[4] = !scores[i].has_nearest;
		values[5] = BoolGetDatum(scores[i].unusual);
		values[6] = BoolGetDatum(scores[i].recurrent);
		elements[i] = HeapTupleGetDatum(heap_form_tuple(shape, values, nulls));
	}
	result = PointerGetDatum(construct_array(elements, count, type, -1, false, TYPALIGN_DOUBLE));
	ReleaseTupleDesc(shape);
	return result;
}

Datum
l4_dtw_scores_final(PG_FUNCTION_ARGS)
{
	MemoryContext outer = CurrentMemoryContext;
	MemoryContext work;
	ScoresState *state;
	Iteration  *iterations;
	L4DeviationInput input;
	L4Deviation *scores;
	uint64		memory;
	Datum		result;

	state_context(fcinfo, AGGREGATE);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	work = AllocSetContextCreate(outer, AGGREGATE, ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(work);
	state = scores_fetch(PG_GETARG_DATUM(0), work, false);
	/* sorted iterations and numbered sequences beside the state, rows of the result */
	memory = scores_memory(state) + state->iteration_count * (sizeof(Iteration) + 100) + state->event_count * sizeof(uint32);
	state_check_budget(memory, AGGREGATE);
	iterations = sorted_iterations(state);
	number_sequences(state, iterations, &input);
	state_check_budget(memory + deviation_memory(&input, &state->options), AGGREGATE);
	scores = deviation_scores(&input, &state->options);
	result = scores_datum(fcinfo->flinfo->fn_oid, iterations, scores, input.iteration_count);
	MemoryContextSwitchTo(outer);
	result = PointerGetDatum(PG_DETOAST_DATUM_COPY(result));
	MemoryContextDelete(work);
	return result;
}
