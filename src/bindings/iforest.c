/*
 * iforest.c: the aggregate l4_iforest_rank and its state, type l4_iforest_state.
 *
 * The state is a list of (item, feature, value) with names numbered as they come. It is an expanded object: rows are added
 * in place, and it is flattened only to travel. Numbers differ from worker to worker; the final function sorts the
 * names by bytes and adds up cells in an order of their own, so the result does not depend on the order of rows.
 */
#include "ground/l4.h"

#include <float.h>
#include <math.h>

#include "access/htup_details.h"
#include "algorithms/iforest.h"
#include "bindings/aggregate_state.h"
#include "catalog/pg_type_d.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "tools/intern.h"
#include "tools/order.h"
#include "tools/room.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#define AGGREGATE "l4_iforest_rank"
#define STATE_TYPE "l4_iforest_state"
#define STATE_MAGIC 0x4c344946	/* in flat states too: bytes of another machine's order do not pass */
#define STATE_VERSION 1

#define DEFAULT_SEED 1
#define MAX_TREES 10000
#define MAX_SAMPLE 1000000
#define FIRST_CELLS 64
/* Whole numbers up to here are added without rounding, in any order. */
#define EXACT_LIMIT 9007199254740992.0

/* One row, or several of the same cell added up. */
typedef struct Cell
{
	int32		item;
	int32		feature;		/* twice the number, plus 1 for a baseline */
	double		value;
} Cell;

typedef struct ForestState
{
	ExpandedObjectHeader header;
	uint32		magic;
	L4ForestOptions options;
	L4Intern	items;
	L4Intern	features;
	Cell	   *cells;
	int64		cell_count;
	int64		cell_capacity;
} ForestState;

/* What precedes names and cells in a flat state. */
typedef struct FlatHeader
{
	uint32		magic;
	uint32		version;
	int32		counts;
	int32		tree_count;
	int64		seed;
	int32		sample_size;
	int32		item_count;
	int32		feature_count;
	int32		unused;
	int64		cell_count;
} FlatHeader;

#define CELL_KEY(cell) ((uint64) (uint32) (cell)->item << 32 | (uint32) (cell)->feature)
#define ST_SORT sort_cells
#define ST_ELEMENT_TYPE Cell
#define ST_COMPARE(a, b) ((CELL_KEY(a) > CELL_KEY(b)) - (CELL_KEY(a) < CELL_KEY(b)))
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

static Size forest_flat_size(ExpandedObjectHeader *header);
static void forest_flatten(ExpandedObjectHeader *header, void *result, Size size);

static const ExpandedObjectMethods forest_methods = {forest_flat_size, forest_flatten};

PG_FUNCTION_INFO_V1(l4_iforest_state_in);
PG_FUNCTION_INFO_V1(l4_iforest_state_out);
PG_FUNCTION_INFO_V1(l4_iforest_state_recv);
PG_FUNCTION_INFO_V1(l4_iforest_state_send);
PG_FUNCTION_INFO_V1(l4_iforest_rank_transition);
PG_FUNCTION_INFO_V1(l4_iforest_rank_transition_bigint);
PG_FUNCTION_INFO_V1(l4_iforest_rank_combine);
PG_FUNCTION_INFO_V1(l4_iforest_rank_final);

/* ---- the state ---- */

static ForestState *
forest_new(MemoryContext parent, const L4ForestOptions *options)
{
	MemoryContext context = AllocSetContextCreate(parent, STATE_TYPE, ALLOCSET_START_SMALL_SIZES);
	ForestState *state = MemoryContextAllocZero(context, sizeof(ForestState));

	EOH_init_header(&state->header, &forest_methods, context);
	state->magic = STATE_MAGIC;
	state->options = *options;
	intern_init(&state->items, context);
	intern_init(&state->features, context);
	state->cell_capacity = FIRST_CELLS;
	state->cells = MemoryContextAlloc(context, FIRST_CELLS * sizeof(Cell));
	return state;
}

static uint64
forest_memory(const ForestState *state)
{
	return intern_memory(&state->items) + intern_memory(&state->features) + state->cell_capacity * sizeof(Cell);
}

static bool
is_exact(double value)
{
	return fabs(value) <= EXACT_LIMIT && value == rint(value);
}

/* Adds up rows of the same cell where that is exact, so that the result stays the same wherever it is done. */
static void
forest_compact(ForestState *state)
{
	Cell	   *cells = state->cells;
	int64		kept = 0;

	sort_cells(cells, state->cell_count);
	for (int64 i = 1; i < state->cell_count; i++)
	{
		bool		same = CELL_KEY(&cells[kept]) == CELL_KEY(&cells[i]);

		if (same && is_exact(cells[kept].value) && is_exact(cells[i].value) &&
			is_exact(cells[kept].value + cells[i].value))
			cells[kept].value += cells[i].value;
		else
			cells[++kept] = cells[i];
	}
	state->cell_count = Min(kept + 1, state->cell_count);
}

/* Room for one more cell. Rows of the same cell are added up before much memory is asked for. */
static void
forest_reserve(ForestState *state)
{
	uint64		more = state->cell_capacity * sizeof(Cell);

	if (state->cell_count < state->cell_capacity)
		return;
	if (more * 2 > (uint64) maintenance_work_mem * 1024 / 4)
	{
		forest_compact(state);
		if (state->cell_count < state->cell_capacity / 4 * 3)
			return;
	}
	if (state->cell_capacity > PG_INT32_MAX / 4)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many rows for %s", AGGREGATE)));
	state_check_budget(forest_memory(state) + more, AGGREGATE);
	state->cells = repalloc_huge(state->cells, more * 2);
	state->cell_capacity *= 2;
}

static void
forest_add_cell(ForestState *state, int32 item, int32 feature, double value)
{
	Cell	   *cell;

	forest_reserve(state);
	cell = &state->cells[state->cell_count++];
	cell->item = item;
	cell->feature = feature;
	cell->value = value;
}

static int32
forest_add_name(ForestState *state, L4Intern *names, const char *data, uint32 size)
{
	if (names->count == names->capacity || names->bytes_used + size > names->bytes_size)
		state_check_budget(forest_memory(state) + intern_memory(names) + size, AGGREGATE);
	return intern_add(names, data, size);
}

/* ---- flat form ---- */

static uint64
names_flat_size(const L4Intern *names)
{
	return names->count * sizeof(uint32) + names->bytes_used;
}

static Size
forest_flat_size(ExpandedObjectHeader *header)
{
	ForestState *state = (ForestState *) header;

	return state_check_flat(VARHDRSZ + sizeof(FlatHeader) + names_flat_size(&state->items) +
							names_flat_size(&state->features) + state->cell_count * sizeof(Cell), STATE_TYPE);
}

static char *
names_flatten(const L4Intern *names, char *next)
{
	for (int32 i = 0; i < names->count; i++)
	{
		memcpy(next, &names->strings[i].size, sizeof(uint32));
		next += sizeof(uint32);
	}
	memcpy(next, names->bytes, names->bytes_used);
	return next + names->bytes_used;
}

static void
forest_flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	ForestState *state = (ForestState *) header;
	FlatHeader	flat = {0};
	char	   *next = VARDATA(result);

	flat.magic = STATE_MAGIC;
	flat.version = STATE_VERSION;
	flat.counts = state->options.counts;
	flat.tree_count = state->options.tree_count;
	flat.seed = state->options.seed;
	flat.sample_size = state->options.sample_size;
	flat.item_count = state->items.count;
	flat.feature_count = state->features.count;
	flat.cell_count = state->cell_count;
	SET_VARSIZE(result, size);
	memcpy(next, &flat, sizeof(flat));
	next = names_flatten(&state->items, next + sizeof(flat));
	next = names_flatten(&state->features, next);
	memcpy(next, state->cells, state->cell_count * sizeof(Cell));
}

static void
names_parse(ForestState *state, L4Intern *names, int32 count, L4StateReader *reader)
{
	L4StateReader sizes = *reader;

	state_read_bytes(reader, (Size) count * sizeof(uint32));
	for (int32 i = 0; i < count; i++)
	{
		uint32		size;
		const char *data;

		state_read(&sizes, &size, sizeof(size));
		data = state_read_bytes(reader, size);
		if (!pg_verify_mbstr(GetDatabaseEncoding(), data, (int) size, true))
			state_corrupt(reader, "A name is not valid in the database's encoding.");
		if (forest_add_name(state, names, data, size) != i)
			state_corrupt(reader, "A name appears twice.");
	}
}

static void
options_check(const L4ForestOptions *options)
{
	if (options->tree_count < 1 || options->tree_count > MAX_TREES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of trees must be between 1 and %d", MAX_TREES),
				 errdetail("It is %d.", options->tree_count)));
	if (options->sample_size < 2 || options->sample_size > MAX_SAMPLE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sample size must be between 2 and %d", MAX_SAMPLE),
				 errdetail("It is %d.", options->sample_size)));
}

static void
value_check(double value, bool counts, const char *what)
{
	if (isnan(value) || isinf(value))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be finite", what)));
	if (fabs(value) > FLT_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s is out of range", what),
				 errdetail("It is %g, the forest compares in single precision.", value)));
	if (counts && value < 0.0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must not be negative in mode \"counts\"", what),
				 errdetail("It is %g.", value),
				 errhint("For values that are no counts use mode \"plain\".")));
}

static void
cells_parse(ForestState *state, int64 count, L4StateReader *reader)
{
	for (int64 i = 0; i < count; i++)
	{
		Cell		cell;

		state_read(reader, &cell, sizeof(cell));
		if (cell.item < 0 || cell.item >= state->items.count || cell.feature < 0 ||
			cell.feature / 2 >= state->features.count)
			state_corrupt(reader, "A cell belongs to no item or feature.");
		value_check(cell.value, state->options.counts, "value");
		forest_add_cell(state, cell.item, cell.feature, cell.value);
	}
}

static ExpandedObjectHeader *
forest_parse(MemoryContext parent, const char *data, Size size)
{
	L4StateReader reader = {data, data + size, STATE_TYPE};
	FlatHeader	flat;
	L4ForestOptions options;
	ForestState *state;

	state_read(&reader, &flat, sizeof(flat));
	if (flat.magic != STATE_MAGIC || flat.version != STATE_VERSION)
		state_corrupt(&reader, "It does not begin as a state of this version does.");
	if (flat.counts < 0 || flat.counts > 1 || flat.item_count < 0 || flat.feature_count < 0 || flat.unused != 0 ||
		flat.cell_count < 0 || flat.cell_count > size / sizeof(Cell))
		state_corrupt(&reader, "A number in its head is out of range.");
	options.counts = flat.counts == 1;
	options.tree_count = flat.tree_count;
	options.sample_size = flat.sample_size;
	options.seed = flat.seed;
	options_check(&options);
	state = forest_new(parent, &options);
	names_parse(state, &state->items, flat.item_count, &reader);
	names_parse(state, &state->features, flat.feature_count, &reader);
	cells_parse(state, flat.cell_count, &reader);
	state_read_end(&reader);
	return &state->header;
}

static const L4StateType forest_type = {STATE_TYPE, &forest_methods, forest_parse};

static ForestState *
forest_fetch(Datum datum, MemoryContext parent, bool writable)
{
	return (ForestState *) state_fetch(datum, parent, writable, &forest_type);
}

Datum
l4_iforest_state_in(PG_FUNCTION_ARGS)
{
	return state_input(fcinfo, &forest_type);
}

Datum
l4_iforest_state_out(PG_FUNCTION_ARGS)
{
	return state_output(fcinfo);
}

Datum
l4_iforest_state_recv(PG_FUNCTION_ARGS)
{
	return state_receive(fcinfo, &forest_type);
}

Datum
l4_iforest_state_send(PG_FUNCTION_ARGS)
{
	return state_send(fcinfo);
}

/* ---- transition ---- */

static bool
mode_is_counts(const text *mode)
{
	const char *data = VARDATA_ANY(mode);
	int			size = VARSIZE_ANY_EXHDR(mode);

	if (size == 6 && memcmp(data, "counts", 6) == 0)
		return true;
	if (size == 5 && memcmp(data, "plain", 5) == 0)
		return false;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("mode \"%s\" does not exist", text_to_cstring(mode)),
			 errhint("Modes are \"counts\" and \"plain\".")));
}

/* The four options from the argument `first` on (0 for none); what is NULL has its default. */
static L4ForestOptions
options_read(FunctionCallInfo fcinfo, int first)
{
	L4ForestOptions options;

	options.counts = first == 0 || PG_ARGISNULL(first) || mode_is_counts(PG_GETARG_TEXT_PP(first));
	options.tree_count = options.counts ? 200 : 100;
	options.sample_size = options.counts ? 4096 : 256;
	options.seed = DEFAULT_SEED;
	if (first == 0)
		return options;
	if (!PG_ARGISNULL(first + 1))
		options.tree_count = PG_GETARG_INT32(first + 1);
	if (!PG_ARGISNULL(first + 2))
		options.sample_size = PG_GETARG_INT32(first + 2);
	if (!PG_ARGISNULL(first + 3))
		options.seed = PG_GETARG_INT64(first + 3);
	return options;
}

static void
options_match(const L4ForestOptions *a, const L4ForestOptions *b)
{
	if (a->counts != b->counts || a->tree_count != b->tree_count || a->sample_size != b->sample_size ||
		a->seed != b->seed)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("options of %s must be the same for all rows", AGGREGATE)));
}

/* Value, or baseline, of one row into the state. */
static void
forest_take(ForestState *state, FunctionCallInfo fcinfo, int argument, int32 item, int32 feature, const char *what)
{
	double		value;

	if (PG_ARGISNULL(argument))
		return;
	value = PG_GETARG_FLOAT8(argument);
	value_check(value, state->options.counts, what);
	forest_add_cell(state, item, feature, value);
}

/* Arguments: state, item, feature, value [, baseline] [, mode, trees, sample_size, seed]. */
static Datum
forest_transition(FunctionCallInfo fcinfo, bool bigint_feature)
{
	int			nargs = PG_NARGS();
	MemoryContext context = state_context(fcinfo, AGGREGATE);
	L4ForestOptions options = options_read(fcinfo, nargs >= 8 ? nargs - 4 : 0);
	ForestState *state;
	text	   *name;
	int32		item;
	int32		feature;
	char		digits[MAXINT8LEN + 1];

	if (PG_ARGISNULL(0))
	{
		options_check(&options);
		state = forest_new(context, &options);
	}
	else
	{
		state = forest_fetch(PG_GETARG_DATUM(0), context, true);
		options_match(&state->options, &options);
	}
	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("item of %s must not be null", AGGREGATE)));
	name = PG_GETARG_TEXT_PP(1);
	item = forest_add_name(state, &state->items, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
	if (PG_ARGISNULL(2))
		return EOHPGetRWDatum(&state->header);
	if (bigint_feature)
		feature = forest_add_name(state, &state->features, digits, pg_lltoa(PG_GETARG_INT64(2), digits));
	else
	{
		name = PG_GETARG_TEXT_PP(2);
		feature = forest_add_name(state, &state->features, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
	}
	forest_take(state, fcinfo, 3, item, feature * 2, "value");
	if (nargs == 5 || nargs == 9)
		forest_take(state, fcinfo, 4, item, feature * 2 + 1, "baseline");
	return EOHPGetRWDatum(&state->header);
}

Datum
l4_iforest_rank_transition(PG_FUNCTION_ARGS)
{
	return forest_transition(fcinfo, false);
}

Datum
l4_iforest_rank_transition_bigint(PG_FUNCTION_ARGS)
{
	return forest_transition(fcinfo, true);
}

/* ---- combine ---- */

/* numbers[i] = the number in `into` of the name i of `from`. */
static int32 *
names_merge(ForestState *state, L4Intern *into, const L4Intern *from)
{
	int32	   *numbers = MemoryContextAllocHuge(CurrentMemoryContext, (from->count + (Size) 1) * sizeof(int32));

	for (int32 i = 0; i < from->count; i++)
		numbers[i] = forest_add_name(state, into, intern_data(from, i), from->strings[i].size);
	return numbers;
}

Datum
l4_iforest_rank_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = state_context(fcinfo, AGGREGATE);
	ForestState *into;
	ForestState *from;
	int32	   *items;
	int32	   *features;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		return EOHPGetRWDatum(&forest_fetch(PG_GETARG_DATUM(0), context, true)->header);
	}
	from = forest_fetch(PG_GETARG_DATUM(1), CurrentMemoryContext, false);
	into = PG_ARGISNULL(0) ? forest_new(context, &from->options) : forest_fetch(PG_GETARG_DATUM(0), context, true);
	options_match(&into->options, &from->options);
	items = names_merge(into, &into->items, &from->items);
	features = names_merge(into, &into->features, &from->features);
	for (int64 i = 0; i < from->cell_count; i++)
		forest_add_cell(into, items[from->cells[i].item],
						features[from->cells[i].feature / 2] * 2 + from->cells[i].feature % 2, from->cells[i].value);
	pfree(items);
	pfree(features);
	return EOHPGetRWDatum(&into->header);
}

/* ---- final: the matrix ---- */

/* Stable counting sort: places of `order` by the key of their cells. NULL for the natural order. */
static int32 *
order_by(const ForestState *state, const int32 *order, const int32 *ranks, int32 rank_count, bool by_feature)
{
	int32	   *result = room_for(state->cell_count, sizeof(int32));
	int64	   *next = room_for((uint64) rank_count + 1, sizeof(int64));

	memset(next, 0, ((Size) rank_count + 1) * sizeof(int64));
	for (int64 i = 0; i < state->cell_count; i++)
		next[ranks[by_feature ? state->cells[i].feature / 2 : state->cells[i].item] + 1]++;
	for (int32 i = 0; i < rank_count; i++)
		next[i + 1] += next[i];
	for (int64 i = 0; i < state->cell_count; i++)
	{
		int32		place = order ? order[i] : (int32) i;
		const Cell *cell = &state->cells[place];

		result[next[ranks[by_feature ? cell->feature / 2 : cell->item]]++] = place;
	}
	pfree(next);
	return result;
}

/* The sum, the same for any order: whole numbers exactly, the others from the least on. Changes the array. */
static double
ordered_sum(double *values, int64 count)
{
	int128		whole = 0;
	int64		rest = 0;
	double		sum;

	if (count == 1)
		return values[0];
	for (int64 i = 0; i < count; i++)
	{
		if (is_exact(values[i]))
			whole += (int64) values[i];
		else
			values[rest++] = values[i];
	}
	sort_doubles(values, rest);
	sum = (double) whole;
	for (int64 i = 0; i < rest; i++)
		sum += values[i];
	if (fabs(sum) > FLT_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("values of one item and feature add up to more than the forest can compare")));
	return sum;
}

/* Adds up the rows order[first..] of one cell; returns the place after them. */
static int64
matrix_cell(const ForestState *state, const int32 *order, int64 first, double *scratch, double *value, double *baseline)
{
	const Cell *cells = state->cells;
	const Cell *head = &cells[order[first]];
	int64		end = first;
	int64		values = 0;
	int64		baselines = 0;

	while (end < state->cell_count && cells[order[end]].item == head->item &&
		   cells[order[end]].feature / 2 == head->feature / 2)
		end++;
	for (int64 i = first; i < end; i++)
	{
		const Cell *cell = &cells[order[i]];

		if (cell->feature % 2 == 0)
			scratch[values++] = cell->value;
		else
			scratch[end - first - ++baselines] = cell->value;
	}
	*baseline = baselines > 0 ? ordered_sum(scratch + values, baselines) : get_float8_nan();
	*value = values > 0 ? ordered_sum(scratch, values) : 0.0;
	return end;
}

static int64
longest_cell(const ForestState *state, const int32 *order)
{
	int64		longest = 1;
	int64		first = 0;

	for (int64 i = 1; i < state->cell_count; i++)
	{
		const Cell *head = &state->cells[order[first]];
		const Cell *cell = &state->cells[order[i]];

		if (cell->item != head->item || cell->feature / 2 != head->feature / 2)
			first = i;
		longest = Max(longest, i - first + 1);
	}
	return longest;
}

static void
matrix_init(L4ForestInput *input, const ForestState *state)
{
	bool		baseline = false;

	for (int64 i = 0; i < state->cell_count && !baseline; i++)
		baseline = state->cells[i].feature % 2 == 1;
	input->item_count = state->items.count;
	input->feature_count = state->features.count;
	input->start = room_for((uint64) input->feature_count + 1, sizeof(int64));
	input->item = room_for(state->cell_count, sizeof(int32));
	input->value = room_for(state->cell_count, sizeof(double));
	input->baseline = baseline ? room_for(state->cell_count, sizeof(double)) : NULL;
}

/* The state as a matrix, items and features numbered by the byte order of their names. */
static void
matrix_build(const ForestState *state, const int32 *item_ranks, const int32 *feature_ranks, L4ForestInput *input)
{
	int32	   *by_item = order_by(state, NULL, item_ranks, state->items.count, false);
	int32	   *order = order_by(state, by_item, feature_ranks, state->features.count, true);
	double	   *scratch = room_for(longest_cell(state, order), sizeof(double));
	int64		cells = 0;
	int32		feature = 0;

	pfree(by_item);
	matrix_init(input, state);
	input->start[0] = 0;
	for (int64 i = 0; i < state->cell_count;)
	{
		const Cell *head = &state->cells[order[i]];
		double		baseline;

		while (feature < feature_ranks[head->feature / 2])
			input->start[++feature] = cells;
		input->item[cells] = item_ranks[head->item];
		i = matrix_cell(state, order, i, scratch, &input->value[cells], &baseline);
		if (input->baseline)
			input->baseline[cells] = baseline;
		cells++;
	}
	while (feature < input->feature_count)
		input->start[++feature] = cells;
	pfree(order);
	pfree(scratch);
}

/* ---- final: the result ---- */

/* How the result looks: l4_iforest_item[], and l4_iforest_feature[] in it. */
typedef struct ResultShape
{
	Oid			item_type;
	TupleDesc	item;
	Oid			feature_type;
	TupleDesc	feature;
	const L4Intern *item_names;
	const L4Intern *feature_names;
	int32	   *items;			/* number in the state of an item of the matrix */
	int32	   *features;
} ResultShape;

static int32 *
invert(const int32 *ranks, int32 count)
{
	int32	   *numbers = room_for(count, sizeof(int32));

	for (int32 i = 0; i < count; i++)
		numbers[ranks[i]] = i;
	return numbers;
}

static void
shape_init(ResultShape *shape, Oid function)
{
	shape->item_type = get_element_type(get_func_rettype(function));
	shape->item = lookup_rowtype_tupdesc(shape->item_type, -1);
	shape->feature_type = get_element_type(TupleDescAttr(shape->item, 5)->atttypid);
	shape->feature = lookup_rowtype_tupdesc(shape->feature_type, -1);
}

static Datum
name_datum(const L4Intern *names, int32 number)
{
	return PointerGetDatum(cstring_to_text_with_len(intern_data(names, number), (int) names->strings[number].size));
}

static Datum
features_datum(const ResultShape *shape, const L4ForestItem *item)
{
	Datum		elements[L4_FOREST_FEATURES];

	for (int i = 0; i < item->feature_count; i++)
	{
		const L4ForestFeature *feature = &item->features[i];
		bool		nulls[5] = {false};
		Datum		values[5];

		values[0] = name_datum(shape->feature_names, shape->features[feature->feature]);
		values[1] = Float8GetDatum(feature->saving);
		values[2] = Float8GetDatum(feature->z);
		values[3] = Float8GetDatum(feature->value);
		values[4] = Float8GetDatum(feature->median);
		elements[i] = HeapTupleGetDatum(heap_form_tuple(shape->feature, values, nulls));
	}
	return PointerGetDatum(construct_array(elements, item->feature_count, shape->feature_type, -1, false,
										   TYPALIGN_DOUBLE));
}

/* The rows, most anomalous first. */
static Datum
items_datum(const ResultShape *shape, const L4ForestItem *items, int count)
{
	Datum	   *elements = room_for(count, sizeof(Datum));
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "l4_iforest_item", ALLOCSET_DEFAULT_SIZES);

	for (int i = 0; i < count; i++)
	{
		MemoryContext outer = MemoryContextSwitchTo(row);
		bool		nulls[6] = {false};
		Datum		values[6];
		HeapTuple	tuple;

		values[0] = name_datum(shape->item_names, shape->items[items[i].item]);
		values[1] = Int32GetDatum(i + 1);
		values[2] = Float8GetDatum(items[i].score);
		values[3] = Float8GetDatum(items[i].max_z);
		values[4] = BoolGetDatum(items[i].suspect);
		values[5] = features_datum(shape, &items[i]);
		tuple = heap_form_tuple(shape->item, values, nulls);
		MemoryContextSwitchTo(outer);
		elements[i] = heap_copy_tuple_as_datum(tuple, shape->item);
		MemoryContextReset(row);
	}
	return PointerGetDatum(construct_array(elements, count, shape->item_type, -1, false, TYPALIGN_DOUBLE));
}

/* Memory of the final function, the state included. */
static uint64
final_memory(const ForestState *state)
{
	return forest_memory(state) + state->cell_count * 32 +
		iforest_memory(state->items.count, state->features.count, state->cell_count, &state->options);
}

Datum
l4_iforest_rank_final(PG_FUNCTION_ARGS)
{
	MemoryContext outer = CurrentMemoryContext;
	MemoryContext work;
	ForestState *state;
	ResultShape shape;
	L4ForestInput input;
	L4ForestItem *items;
	int32	   *item_ranks;
	int32	   *feature_ranks;
	Datum		result;

	state_context(fcinfo, AGGREGATE);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	work = AllocSetContextCreate(outer, AGGREGATE, ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(work);
	state = forest_fetch(PG_GETARG_DATUM(0), work, false);
	state_check_budget(final_memory(state), AGGREGATE);
	item_ranks = intern_ranks(&state->items);
	feature_ranks = intern_ranks(&state->features);
	matrix_build(state, item_ranks, feature_ranks, &input);
	items = iforest_rank(&input, &state->options);
	shape_init(&shape, fcinfo->flinfo->fn_oid);
	shape.item_names = &state->items;
	shape.feature_names = &state->features;
	shape.items = invert(item_ranks, state->items.count);
	shape.features = invert(feature_ranks, state->features.count);
	result = items_datum(&shape, items, input.item_count);
	ReleaseTupleDesc(shape.item);
	ReleaseTupleDesc(shape.feature);
	MemoryContextSwitchTo(outer);
	result = PointerGetDatum(PG_DETOAST_DATUM_COPY(result));
	MemoryContextDelete(work);
	return result;
}
