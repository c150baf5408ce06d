/*
 * flow_messages.c: the aggregate l4_flow_messages, and parts of its states.
 *
 * Its state keeps the records of one pair of addresses (flow_records.c), and the lists of switches they passed, each once.
 * Records that cannot be right are counted. It is a bytea, but while rows come an expanded object, which is flattened only to
 * travel (components.c says more); flat ones are read with distrust.
 */
#include "ground/l4.h"

#include <math.h>

#include "algorithms/flow_messages.h"
#include "bindings/aggregate_state.h"
#include "bindings/flow_arrays.h"
#include "bindings/flow_records.h"
#include "catalog/pg_collation_d.h"
#include "catalog/pg_type_d.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "tools/bytes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"

#define AGGREGATE "l4_flow_messages"

/* Records that can be right: seconds they last, less than this; microseconds from 1970 on or back to when they begin. */
#define MOST_DURATION 1e9
#define MOST_TIME (INT64CONST(1) << 62)

/* Microseconds within which a record can be the same again: the longest that make sense, so that times can be added. */
#define MOST_TWICE 1e15

/* A list of switches as rows have it, so that its text is not made again and again. */
typedef struct List
{
	ArrayType  *array;			/* NULL: rows without a list */
	int			path;
} List;

typedef struct FlowState
{
	ExpandedObjectHeader header;
	L4FlowRecords records;
	int64		set_aside;
	L4FlowRules rules;
	bool		paths_merged;	/* there are more paths than have numbers: none are told apart */
	int			path_count;
	int			path_room;
	L4Bytes    *paths;			/* the texts of different lists of switches; a record has the place of its own */
	int			list_count;		/* those of the state's own rows, not of others that it was combined with */
	int			list_room;
	int			last_list;
	List	   *lists;
} FlowState;

/* What a flat state begins with. Behind it: the sizes of paths (uint32), their texts, the records. */
typedef struct FlatState
{
	uint32		magic;
	uint32		version;
	int64		count;
	int64		set_aside;
	L4FlowRules rules;
	int32		path_count;
	int32		paths_merged;
} FlatState;

#define FLAT_MAGIC 0x4c34464d
#define FLAT_VERSION 1

static Size flows_flat_size(ExpandedObjectHeader *header);
static void flows_flatten(ExpandedObjectHeader *header, void *result, Size size);

static const ExpandedObjectMethods flow_methods = {flows_flat_size, flows_flatten};

PG_FUNCTION_INFO_V1(l4_flow_messages_transition);
PG_FUNCTION_INFO_V1(l4_flow_messages_combine);
PG_FUNCTION_INFO_V1(l4_flow_messages_final);
PG_FUNCTION_INFO_V1(l4_flow_messages_since);

/* ---- the state ---- */

static FlowState *
flows_new(MemoryContext parent, const L4FlowRules *rules, L4RecordRoom *room)
{
	MemoryContext context = state_shared_context(parent);
	FlowState  *state = MemoryContextAllocZero(context, sizeof(FlowState));

	EOH_init_header(&state->header, &flow_methods, context);
	state->rules = *rules;
	state->records.context = context;
	state->records.room = room;
	return state;
}

/* Makes room for one more in an array that grows by doubling. */
static void *
array_grown(FlowState *state, void *array, int count, int *room, Size size)
{
	if (count < *room)
		return array;
	*room = Max(4, 2 * *room);
	return array == NULL ? MemoryContextAlloc(state->header.eoh_context, *room * size) : repalloc(array, *room * size);
}

/* The number of a path. Where there are more than have numbers, none are told apart: else the order of rows would say which. */
static int
path_number(FlowState *state, L4Bytes text)
{
	char	   *copy;

	for (int i = 0; i < state->path_count; i++)
		if (bytes_equal(state->paths[i], text))
			return i;
	if (state->paths_merged || state->path_count == L4_FLOW_MOST_PATHS)
	{
		state->paths_merged = true;
		state->path_count = 0;
		return 0;
	}
	state->paths = array_grown(state, state->paths, state->path_count, &state->path_room, sizeof(L4Bytes));
	copy = MemoryContextAlloc(state->header.eoh_context, text.size + 1);
	memcpy(copy, text.data, text.size);
	state->paths[state->path_count] = (L4Bytes) {copy, text.size};
	return state->path_count++;
}

/* ---- its flat form ---- */

static Size
flows_flat_size(ExpandedObjectHeader *header)
{
	const FlowState *state = (FlowState *) header;
	uint64		size = VARHDRSZ + sizeof(FlatState) + (uint64) state->records.count * sizeof(L4FlowRecord);

	for (int i = 0; i < state->path_count; i++)
		size += sizeof(uint32) + state->paths[i].size;
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
flows_flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	const FlowState *state = (FlowState *) header;
	FlatState	flat = {FLAT_MAGIC, FLAT_VERSION, state->records.count, state->set_aside, state->rules, state->path_count,
		state->paths_merged};
	char	   *to = put(VARDATA(result), &flat, sizeof(flat));

	SET_VARSIZE(result, size);
	for (int i = 0; i < state->path_count; i++)
	{
		uint32		length = (uint32) state->paths[i].size;

		to = put(to, &length, sizeof(length));
	}
	for (int i = 0; i < state->path_count; i++)
		to = put(to, state->paths[i].data, state->paths[i].size);
	flow_records_copy(&state->records, to);
	Assert(to + state->records.count * sizeof(L4FlowRecord) == (char *) result + size);
}

static void
check_flat(const L4StateReader *reader, const FlatState *flat)
{
	if (flat->magic != FLAT_MAGIC || flat->version != FLAT_VERSION)
		state_corrupt(reader, "It is none, or of another version.");
	if (flat->count < 0 || flat->count > MaxAllocSize / sizeof(L4FlowRecord) || flat->set_aside < 0 ||
		flat->path_count < 0 || flat->path_count > L4_FLOW_MOST_PATHS || flat->paths_merged < 0 || flat->paths_merged > 1 ||
		(flat->paths_merged && flat->path_count > 0))
		state_corrupt(reader, "A count is out of range.");
	if (!isfinite(flat->rules.pause) || flat->rules.pause < 1e-6 || flat->rules.twice < 0 || flat->rules.twice > MOST_TWICE)
		state_corrupt(reader, "An option is out of range.");
}

static void
read_paths(L4StateReader *reader, FlowState *state, int count)
{
	uint32		sizes[L4_FLOW_MOST_PATHS];

	state_read(reader, sizes, count * sizeof(uint32));
	for (int i = 0; i < count; i++)
	{
		const char *text = state_read_bytes(reader, sizes[i]);

		if (!pg_verify_mbstr(GetDatabaseEncoding(), text, (int) sizes[i], true))
			state_corrupt(reader, "A path is not valid text.");
		if (path_number(state, (L4Bytes) {text, sizes[i]}) != i)
			state_corrupt(reader, "A path comes twice.");
	}
}

static void
read_records(L4StateReader *reader, FlowState *state, int64 count)
{
	bool		right = true;

	for (int64 i = 0; i < count; i++)
	{
		L4FlowRecord *record = flow_records_next(&state->records);

		state_read(reader, record, sizeof(L4FlowRecord));
		right &= record->start >= -MOST_TIME && record->start <= MOST_TIME && record->bytes > 0 &&
			record->duration >= 0 && record->duration <= MOST_DURATION &&
			(state->paths_merged || record->path < state->path_count);
	}
	if (!right)
		state_corrupt(reader, "A record cannot be right.");
}

static ExpandedObjectHeader *
flows_parse(MemoryContext parent, const char *data, Size size)
{
	L4StateReader reader = {data, data + size, "bytea (state of " AGGREGATE ")"};
	FlatState	flat;
	FlowState  *state;

	state_read(&reader, &flat, sizeof(flat));
	check_flat(&reader, &flat);
	state = flows_new(parent, &flat.rules, NULL);
	state->set_aside = flat.set_aside;
	state->paths_merged = flat.paths_merged;
	read_paths(&reader, state, flat.path_count);
	read_records(&reader, state, flat.count);
	state_read_end(&reader);
	return &state->header;
}

static const L4StateType flow_type = {"bytea", &flow_methods, flows_parse};

static FlowState *
flows_fetch(Datum datum, MemoryContext parent, bool writable)
{
	return (FlowState *) state_fetch(datum, parent, writable, &flow_type);
}

/* ---- transition ---- */

static L4FlowRules
rules_of(FunctionCallInfo fcinfo)
{
	return (L4FlowRules) {
		.pause = flow_option(fcinfo, 7, "pause", 1e-6),
		.least_bytes = PG_ARGISNULL(8) ? 0 : PG_GETARG_INT64(8),
		.twice = (int64) Min(flow_option(fcinfo, 9, "twice", 0) * 1e6, MOST_TWICE)
	};
}

/* Are the options those of the rows before? Asked for each row, so it does not look whether they can be. */
static inline bool
same_rules(FunctionCallInfo fcinfo, const L4FlowRules *rules)
{
	return !PG_ARGISNULL(7) && !PG_ARGISNULL(8) && !PG_ARGISNULL(9) && PG_GETARG_FLOAT8(7) == rules->pause &&
		PG_GETARG_INT64(8) == rules->least_bytes && (int64) Min(PG_GETARG_FLOAT8(9) * 1e6, MOST_TWICE) == rules->twice;
}

static void
check_rules(const L4FlowRules *rules, const L4FlowRules *others)
{
	if (rules->pause != others->pause || rules->least_bytes != others->least_bytes || rules->twice != others->twice)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("options of %s must be the same for all rows", AGGREGATE)));
}

static bool
same_list(const ArrayType *a, const ArrayType *b)
{
	return a == b || (a != NULL && b != NULL && VARSIZE(a) == VARSIZE(b) && memcmp(a, b, VARSIZE(a)) == 0);
}

/* The number of a list's text, the switches with commas; without a list none. */
static int
joined_path(FlowState *state, ArrayType *array)
{
	text	   *joined;

	if (array == NULL)
		return path_number(state, (L4Bytes) {"", 0});
	joined = DatumGetTextPP(OidFunctionCall2Coll(F_ARRAY_TO_STRING_ANYARRAY_TEXT, DEFAULT_COLLATION_OID,
												 PointerGetDatum(array), CStringGetTextDatum(",")));
	return path_number(state, (L4Bytes) {VARDATA_ANY(joined), VARSIZE_ANY_EXHDR(joined)});
}

/* The number of the path of a list of switches. Of lists, so many are remembered as there can be paths. */
static int
list_path(FlowState *state, ArrayType *array)
{
	int			path;

	if (state->paths_merged)
		return 0;
	if (state->list_count > 0 && same_list(state->lists[state->last_list].array, array))
		return state->lists[state->last_list].path;
	for (int i = 0; i < state->list_count; i++)
		if (same_list(state->lists[i].array, array))
			return state->lists[state->last_list = i].path;
	path = joined_path(state, array);
	if (state->list_count == L4_FLOW_MOST_PATHS)
		return path;
	state->lists = array_grown(state, state->lists, state->list_count, &state->list_room, sizeof(List));
	state->last_list = state->list_count++;
	state->lists[state->last_list] = (List) {.path = path};
	if (array != NULL)
	{
		state->lists[state->last_list].array = MemoryContextAlloc(state->header.eoh_context, VARSIZE(array));
		memcpy(state->lists[state->last_list].array, array, VARSIZE(array));
	}
	return path;
}

/* Can the record of a row be right? Then *start is when it began, in microseconds since 1970. */
static bool
can_be_right(FunctionCallInfo fcinfo, int64 *start)
{
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3) || TIMESTAMP_NOT_FINITE(PG_GETARG_TIMESTAMPTZ(1)))
		return false;
	*start = PG_GETARG_TIMESTAMPTZ(1);
	if (*start > MOST_TIME / 2)
		return false;
	*start += (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
	return PG_GETARG_FLOAT8(2) >= 0 && PG_GETARG_FLOAT8(2) < MOST_DURATION &&
		PG_GETARG_INT64(3) > 0 && (uint64) PG_GETARG_INT64(3) <= L4_FLOW_MOST_BYTES;
}

/* Arguments: state, started_at, duration, bytes, queue_pair, retransmits, switches, pause, least_bytes, twice. */
Datum
l4_flow_messages_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = state_context(fcinfo, AGGREGATE);
	FlowState  *state = PG_ARGISNULL(0) ? NULL : flows_fetch(PG_GETARG_DATUM(0), context, true);
	L4FlowRecord *record;
	int64		start;

	if (state == NULL || !same_rules(fcinfo, &state->rules))
	{
		L4FlowRules rules = rules_of(fcinfo);

		state = state == NULL ? flows_new(context, &rules, flow_record_room(fcinfo)) : state;
		check_rules(&state->rules, &rules);
	}
	if (!can_be_right(fcinfo, &start))
	{
		state->set_aside++;
		return EOHPGetRWDatum(&state->header);
	}
	record = flow_records_next(&state->records);
	record->start = start;
	record->duration = (float) PG_GETARG_FLOAT8(2);
	record->bytes = PG_GETARG_INT64(3);
	record->queue_pair = PG_ARGISNULL(4) ? 0 : (uint32) PG_GETARG_INT64(4);
	record->retransmits = PG_ARGISNULL(5) ? 0 : Max(0, Min(PG_GETARG_INT64(5), L4_FLOW_MOST_RETRANSMITS));
	record->path = list_path(state, PG_ARGISNULL(6) ? NULL : PG_GETARG_ARRAYTYPE_P(6));
	return EOHPGetRWDatum(&state->header);
}

/* ---- combine ---- */

static void
merge_flows(FlowState *into, const FlowState *from)
{
	int			numbers[L4_FLOW_MOST_PATHS] = {0};
	L4FlowRecord *records;

	check_rules(&into->rules, &from->rules);
	into->set_aside += from->set_aside;
	for (int i = 0; i < from->path_count && !into->paths_merged; i++)
		numbers[i] = path_number(into, from->paths[i]);
	if (from->paths_merged)
	{
		into->paths_merged = true;
		into->path_count = 0;
	}
	records = flow_records_all(&from->records);
	for (int64 i = 0; i < from->records.count; i++)
	{
		L4FlowRecord *record = flow_records_next(&into->records);

		CHECK_FOR_INTERRUPTS();
		*record = records[i];
		record->path = numbers[record->path];
	}
	pfree(records);
}

Datum
l4_flow_messages_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = state_context(fcinfo, AGGREGATE);
	FlowState  *into;
	FlowState  *from;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		return EOHPGetRWDatum(&flows_fetch(PG_GETARG_DATUM(0), context, true)->header);
	}
	from = flows_fetch(PG_GETARG_DATUM(1), CurrentMemoryContext, false);
	if (PG_ARGISNULL(0))
		into = flows_new(context, &from->rules, flow_record_room(fcinfo));
	else
		into = flows_fetch(PG_GETARG_DATUM(0), context, true);
	merge_flows(into, from);
	return EOHPGetRWDatum(&into->header);
}

/* ---- final ---- */

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
	L4Bytes		text;			/* the switches with commas */
	int			number;			/* as records have it */
} Path;

static int
compare_paths(const void *a, const void *b)
{
	L4Bytes		x = ((const Path *) a)->text;
	L4Bytes		y = ((const Path *) b)->text;
	int			order = memcmp(x.data, y.data, Min(x.size, y.size));

	return order != 0 ? order : (x.size > y.size) - (x.size < y.size);
}

/*
 * Numbers the paths by their texts, so that the order of the rows makes no difference; returns the texts. There is none where
 * no row has a list.
 */
static Datum
number_paths(const FlowState *state, L4FlowRecord *records)
{
	Path		paths[L4_FLOW_MOST_PATHS];
	Datum		texts[L4_FLOW_MOST_PATHS];
	int			number[L4_FLOW_MOST_PATHS] = {0};
	int			count = state->path_count;

	for (int i = 0; i < count; i++)
		paths[i] = (Path) {state->paths[i], i};
	qsort(paths, count, sizeof(Path), compare_paths);
	for (int i = 0; i < count; i++)
	{
		number[paths[i].number] = i;
		texts[i] = PointerGetDatum(cstring_to_text_with_len(paths[i].text.data, (int) paths[i].text.size));
	}
	for (int64 i = 0; i < state->records.count; i++)
		records[i].path = number[records[i].path];
	if (count == 1 && paths[0].text.size == 0)
		count = 0;
	return PointerGetDatum(construct_array(texts, count, TEXTOID, -1, false, TYPALIGN_INT));
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
	work = AllocSetContextCreate(outer, AGGREGATE, ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(work);
	state = flows_fetch(PG_GETARG_DATUM(0), work, false);
	records = flow_records_all(&state->records);
	MemoryContextSwitchTo(outer);
	values[13] = number_paths(state, records);
	MemoryContextSwitchTo(work);
	flow_messages(records, state->records.count, &state->rules, &found);
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

/* ---- a part of a state ---- */

/* Takes the records of a state that began at a time or later into an empty one, with the paths that they have. */
static void
keep_since(FlowState *kept, const FlowState *state, int64 since)
{
	int			numbers[L4_FLOW_MOST_PATHS];
	L4FlowRecord *records = flow_records_all(&state->records);

	memset(numbers, -1, sizeof(numbers));
	kept->paths_merged = state->paths_merged;
	for (int64 i = 0; i < state->records.count; i++)
	{
		L4FlowRecord *copy;

		CHECK_FOR_INTERRUPTS();
		if (records[i].start < since)
			continue;
		if (numbers[records[i].path] < 0)
			numbers[records[i].path] = state->paths_merged ? 0 : path_number(kept, state->paths[records[i].path]);
		copy = flow_records_next(&kept->records);
		*copy = records[i];
		copy->path = numbers[copy->path];
	}
	pfree(records);
}

/* Arguments: state, since. */
Datum
l4_flow_messages_since(PG_FUNCTION_ARGS)
{
	FlowState  *state = flows_fetch(PG_GETARG_DATUM(0), CurrentMemoryContext, false);
	FlowState  *kept = flows_new(CurrentMemoryContext, &state->rules, NULL);
	int64		since = Min(PG_GETARG_TIMESTAMPTZ(1), MOST_TIME / 2);
	Size		size;
	bytea	   *result;

	since += (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
	keep_since(kept, state, since);
	if (kept->records.count == 0)
		PG_RETURN_NULL();
	size = flows_flat_size(&kept->header);
	result = palloc(size);
	flows_flatten(&kept->header, result, size);
	PG_RETURN_BYTEA_P(result);
}
