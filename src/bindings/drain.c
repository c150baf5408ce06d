/*
 * drain.c: Drain in SQL: l4_cluster_shapes, the aggregate l4_drain, and the aggregate's state, the type l4_shape_counts.
 *
 * The state is a set of distinct shapes, each with how many messages had it and one of them as an example. Sets unite in any
 * order, so the aggregate runs in parallel and on several machines; Drain itself runs once, in the final function, over the
 * union. Neither the counts nor the example (the smallest message in byte order) depend on the order of rows.
 *
 * While rows are added the state is an expanded object, a hash table in the aggregate's memory context, so that a row costs one
 * masking and one probe. Flat, it is bytes that are the same on every machine:
 *
 *     version (1 byte), similarity (8 bytes, IEEE 754, big endian), depth, split_values, number of entries;
 *     per entry, in ascending byte order of shapes: size of the shape, shape, occurrences, size of the example, example
 *
 * with integers as base-128 varints, low group first. As text it is base64 of them. Whoever may make a value of the type may
 * craft its bytes, so the input functions check all of it, and every reader checks bounds.
 */
#include "algorithms/drain.h"
#include "bindings/aggregate_state.h"

#include <math.h>

#include "algorithms/mask.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

/* An example is a message's first so many bytes. */
#define EXAMPLE_SIZE 1024
#define COUNTS_VERSION 1
#define VARINT_SIZE 10

typedef struct CountEntry
{
	L4Bytes		shape;
	uint32		hash;
	char		status;
	int64		occurrences;
	char	   *example;
	int			example_size;
	int			example_room;
} CountEntry;

#define SH_PREFIX count_table
#define SH_ELEMENT_TYPE CountEntry
#define SH_KEY_TYPE L4Bytes
#define SH_KEY shape
#define SH_HASH_KEY(table, key) ((uint32) shape_hash((key).data, (key).size))
#define SH_EQUAL(table, a, b) ((a).size == (b).size && memcmp((a).data, (b).data, (a).size) == 0)
#define SH_STORE_HASH
#define SH_GET_HASH(table, entry) (entry)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

typedef struct ShapeCounts
{
	ExpandedObjectHeader header;
	L4DrainOptions options;
	count_table_hash *table;
	L4Shape		masked;			/* buffers of the masking, reused from row to row */
} ShapeCounts;

/* Where a flat state is being read. */
typedef struct CountsReader
{
	const char *at;
	const char *end;
} CountsReader;

PG_FUNCTION_INFO_V1(l4_cluster_shapes);
PG_FUNCTION_INFO_V1(l4_shape_key);
PG_FUNCTION_INFO_V1(l4_shape_counts_in);
PG_FUNCTION_INFO_V1(l4_shape_counts_out);
PG_FUNCTION_INFO_V1(l4_shape_counts_recv);
PG_FUNCTION_INFO_V1(l4_shape_counts_send);
PG_FUNCTION_INFO_V1(l4_drain_transition);
PG_FUNCTION_INFO_V1(l4_drain_combine);
PG_FUNCTION_INFO_V1(l4_drain_final);

/* ---- options ---- */

static void
check_options(const L4DrainOptions *options)
{
	if (options->depth < 3 || options->depth > L4_DRAIN_DEPTH_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("depth must be between 3 and %d, not %d", L4_DRAIN_DEPTH_MAX, options->depth)));
	if (isnan(options->similarity) || options->similarity < 0 || options->similarity > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("similarity must be between 0 and 1, not %g", options->similarity)));
	if (options->split_values < 0 || options->split_values > L4_DRAIN_SPLIT_VALUES_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("split_values must be between 0 and %d, not %d", L4_DRAIN_SPLIT_VALUES_MAX, options->split_values)));
}

/* The options of a call, the first of them argument `first`; the defaults where the call has none. */
static L4DrainOptions
get_options(FunctionCallInfo fcinfo, int first)
{
	L4DrainOptions options = {L4_DRAIN_DEPTH, L4_DRAIN_SIMILARITY, L4_DRAIN_SPLIT_VALUES, 0};

	if (PG_NARGS() > first)
	{
		if (PG_ARGISNULL(first) || PG_ARGISNULL(first + 1) || PG_ARGISNULL(first + 2))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("depth, similarity and split_values must not be null")));
		options.depth = PG_GETARG_INT32(first);
		options.similarity = PG_GETARG_FLOAT8(first + 1);
		options.split_values = PG_GETARG_INT32(first + 2);
		check_options(&options);
	}
	options.memory_limit = (size_t) maintenance_work_mem * 1024;
	return options;
}

static void
check_same_options(const L4DrainOptions *a, const L4DrainOptions *b)
{
	if (a->depth != b->depth || a->similarity != b->similarity || a->split_values != b->split_values)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("depth, similarity and split_values must be the same in all rows of an aggregate"),
				 errdetail("Found (%d, %g, %d) and (%d, %g, %d).", a->depth, a->similarity, a->split_values,
						   b->depth, b->similarity, b->split_values)));
}

/* ---- l4_cluster_shapes ---- */

/* The elements of a one-dimensional array without nulls. */
static Datum *
array_elements(ArrayType *array, const char *what, Oid type, int16 size, bool by_value, char align, int *count)
{
	Datum	   *elements;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be a one-dimensional array", what)));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must not hold nulls", what)));
	deconstruct_array(array, type, size, by_value, align, &elements, NULL, count);
	return elements;
}

static void
emit_cluster(ReturnSetInfo *rsinfo, Datum shape_id, const L4DrainGroup *group, const char *parent)
{
	Datum		values[5];
	bool		nulls[5] = {false};

	values[0] = shape_id;
	values[1] = Int64GetDatum((int64) shape_hash(group->template, group->template_size));
	values[2] = PointerGetDatum(cstring_to_text_with_len(group->template, group->template_size));
	values[3] = Int64GetDatum((int64) shape_hash(parent, strlen(parent)));
	values[4] = CStringGetTextDatum(parent);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	pfree(DatumGetPointer(values[2]));
	pfree(DatumGetPointer(values[4]));
}

/*
 * l4_cluster_shapes(shape_ids bigint[], shapes text[], depth, similarity, split_values): one row per element, in the order of
 * the arrays. Errors: 22023 for arrays of different lengths, nulls and options out of bounds; 54000 past maintenance_work_mem.
 */
Datum
l4_cluster_shapes(PG_FUNCTION_ARGS)
{
	L4DrainOptions options = get_options(fcinfo, 2);
	L4DrainResult *result;
	L4Bytes    *shapes;
	Datum	   *ids;
	Datum	   *texts;
	int			id_count;
	int			count;
	int			i;

	ids = array_elements(PG_GETARG_ARRAYTYPE_P(0), "shape_ids", INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
						 &id_count);
	texts = array_elements(PG_GETARG_ARRAYTYPE_P(1), "shapes", TEXTOID, -1, false, TYPALIGN_INT, &count);
	if (id_count != count)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("shape_ids and shapes must be of the same length"),
				 errdetail("They have %d and %d elements.", id_count, count)));
	shapes = palloc(mul_size(Max(count, 1), sizeof(L4Bytes)));
	for (i = 0; i < count; i++)
	{
		text	   *shape = DatumGetTextPP(texts[i]);

		shapes[i].data = VARDATA_ANY(shape);
		shapes[i].size = VARSIZE_ANY_EXHDR(shape);
	}
	result = drain_cluster(shapes, count, &options);
	InitMaterializedSRF(fcinfo, 0);
	for (i = 0; i < count; i++)
	{
		L4DrainGroup *group = &result->groups[result->group_of[i]];

		emit_cluster((ReturnSetInfo *) fcinfo->resultinfo, ids[i], group, result->parents[group->parent]);
		CHECK_FOR_INTERRUPTS();
	}
	return (Datum) 0;
}

/*
 * l4_shape_key(shape): see drain_key. Cost: one pass over the shape.
 */
Datum
l4_shape_key(PG_FUNCTION_ARGS)
{
	text	   *shape = PG_GETARG_TEXT_PP(0);

	PG_RETURN_INT64(drain_key((L4Bytes) {VARDATA_ANY(shape), VARSIZE_ANY_EXHDR(shape)}));
}

/* ---- the state: in memory ---- */

static Size counts_flat_size(ExpandedObjectHeader *header);
static void counts_flatten(ExpandedObjectHeader *header, void *result, Size allocated_size);

static const ExpandedObjectMethods counts_methods = {counts_flat_size, counts_flatten};

static ShapeCounts *
counts_create(MemoryContext parent, const L4DrainOptions *options)
{
	MemoryContext context = AllocSetContextCreate(parent, "l4 shape counts", ALLOCSET_START_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	ShapeCounts *counts = palloc0(sizeof(ShapeCounts));

	EOH_init_header(&counts->header, &counts_methods, context);
	counts->options = *options;
	counts->options.memory_limit = (size_t) maintenance_work_mem * 1024;
	counts->table = count_table_create(context, 64, NULL);
	shape_init(&counts->masked);
	MemoryContextSwitchTo(caller);
	return counts;
}

/* Refuses `more` bytes on top of what the state has where maintenance_work_mem does not allow them. */
static void
counts_reserve(ShapeCounts *counts, size_t more)
{
	size_t		needed = add_size(MemoryContextMemAllocated(counts->header.eoh_context, false), more);

	if (counts->table->members >= counts->table->grow_threshold)
		needed = add_size(needed, mul_size(counts->table->size * 2, sizeof(CountEntry)));
	if (needed > counts->options.memory_limit)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many distinct shapes for maintenance_work_mem"),
				 errdetail("%u distinct shapes take %zu kB, %zu kB are allowed.", counts->table->members + 1,
						   needed / 1024, counts->options.memory_limit / 1024),
				 errhint("Raise maintenance_work_mem, or aggregate fewer messages at once.")));
}

/* Makes the example of an entry the given bytes. */
static void
set_example(ShapeCounts *counts, CountEntry *entry, L4Bytes example)
{
	if ((int) example.size > entry->example_room)
	{
		counts_reserve(counts, example.size);
		if (entry->example != NULL)
			pfree(entry->example);
		entry->example = NULL;
		entry->example_room = 0;
		entry->example = MemoryContextAlloc(counts->header.eoh_context, example.size);
		entry->example_room = example.size;
	}
	if (example.size > 0)
		memcpy(entry->example, example.data, example.size);
	entry->example_size = example.size;
}

static int
compare_bytes(L4Bytes a, L4Bytes b)
{
	int			order = 0;

	if (a.size > 0 && b.size > 0)
		order = memcmp(a.data, b.data, Min(a.size, b.size));
	if (order == 0)
		order = (a.size > b.size) - (a.size < b.size);
	return order;
}

/* Adds occurrences of a shape, and an example for it; both are copied. */
static void
counts_add(ShapeCounts *counts, L4Bytes shape, int64 occurrences, L4Bytes example)
{
	CountEntry *entry = count_table_lookup(counts->table, shape);
	bool		found;
	char	   *copy;

	if (entry == NULL)
	{
		counts_reserve(counts, shape.size + example.size);
		copy = MemoryContextAlloc(counts->header.eoh_context, Max(shape.size, 1));
		memcpy(copy, shape.data, shape.size);
		shape.data = copy;
		entry = count_table_insert(counts->table, shape, &found);
		entry->occurrences = occurrences;
		entry->example = NULL;
		entry->example_size = entry->example_room = 0;
		set_example(counts, entry, example);
		return;
	}
	if (pg_add_s64_overflow(entry->occurrences, occurrences, &entry->occurrences))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("number of messages out of range")));
	if (compare_bytes(example, (L4Bytes) {entry->example, entry->example_size}) < 0)
		set_example(counts, entry, example);
}

static int
compare_entries(const void *a, const void *b)
{
	return compare_bytes((*(CountEntry *const *) a)->shape, (*(CountEntry *const *) b)->shape);
}

/* The entries in ascending byte order of their shapes, in the current memory context. */
static CountEntry **
counts_sorted(ShapeCounts *counts)
{
	CountEntry **entries = palloc(mul_size(Max(counts->table->members, 1), sizeof(CountEntry *)));
	count_table_iterator iterator;
	CountEntry *entry;
	int			n = 0;

	count_table_start_iterate(counts->table, &iterator);
	while ((entry = count_table_iterate(counts->table, &iterator)) != NULL)
		entries[n++] = entry;
	qsort(entries, n, sizeof(CountEntry *), compare_entries);
	return entries;
}

/* ---- the state: flat ---- */

static int
varint_size(uint64 value)
{
	int			size = 1;

	while (value >= 128)
	{
		value >>= 7;
		size++;
	}
	return size;
}

static char *
varint_write(char *at, uint64 value)
{
	while (value >= 128)
	{
		*at++ = (char) (value | 128);
		value >>= 7;
	}
	*at++ = (char) value;
	return at;
}

static void
counts_corrupt(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid l4_shape_counts value"),
			 errdetail("%s", what)));
}

static uint64
read_varint(CountsReader *reader, uint64 most)
{
	uint64		value = 0;
	int			shift;

	for (shift = 0; shift < VARINT_SIZE * 7; shift += 7)
	{
		uint8		byte;

		if (reader->at == reader->end)
			counts_corrupt("It ends within a number.");
		byte = (uint8) *reader->at++;
		if (shift == 63 && byte > 1)
			break;
		value |= (uint64) (byte & 127) << shift;
		if (byte >= 128)
			continue;
		if (value > most)
			counts_corrupt("A number is out of range.");
		return value;
	}
	counts_corrupt("A number is too long.");
	return 0;					/* not reached */
}

static L4Bytes
read_text(CountsReader *reader, uint64 most)
{
	L4Bytes		text;

	text.size = read_varint(reader, most);
	text.data = reader->at;
	if ((size_t) (reader->end - reader->at) < text.size)
		counts_corrupt("It ends within a text.");
	reader->at += text.size;
	return text;
}

/* Reads what comes before the entries; returns their number. */
static uint64
read_options(CountsReader *reader, L4DrainOptions *options)
{
	uint64		bits = 0;
	int			i;

	if (reader->end - reader->at < 9)
		counts_corrupt("It is too short.");
	if (*reader->at++ != COUNTS_VERSION)
		counts_corrupt("It is of an unknown version.");
	for (i = 0; i < 8; i++)
		bits = (bits << 8) | (uint8) *reader->at++;
	memcpy(&options->similarity, &bits, sizeof(double));
	options->depth = read_varint(reader, L4_DRAIN_DEPTH_MAX);
	options->split_values = read_varint(reader, L4_DRAIN_SPLIT_VALUES_MAX);
	options->memory_limit = 0;
	if (options->depth < 3 || !(options->similarity >= 0 && options->similarity <= 1))
		counts_corrupt("Its options are out of bounds.");
	return read_varint(reader, PG_INT32_MAX);
}

static void
read_entry(CountsReader *reader, L4Bytes *shape, int64 *occurrences, L4Bytes *example)
{
	*shape = read_text(reader, MaxAllocSize);
	*occurrences = (int64) read_varint(reader, PG_INT64_MAX);
	*example = read_text(reader, EXAMPLE_SIZE);
}

/*
 * Checks all of a flat state: what any reader relies on, and that its texts are texts, its shapes in order, its numbers
 * plausible.
 */
static void
check_flat(const char *data, size_t size)
{
	CountsReader reader = {data, data + size};
	L4DrainOptions options;
	uint64		count = read_options(&reader, &options);
	L4Bytes		previous = {NULL, 0};
	uint64		i;

	for (i = 0; i < count; i++)
	{
		L4Bytes		shape;
		L4Bytes		example;
		int64		occurrences;

		read_entry(&reader, &shape, &occurrences, &example);
		if (!pg_verify_mbstr(GetDatabaseEncoding(), shape.data, shape.size, true) ||
			!pg_verify_mbstr(GetDatabaseEncoding(), example.data, example.size, true))
			counts_corrupt("A text is not valid in the encoding of the database.");
		if (i > 0 && compare_bytes(previous, shape) >= 0)
			counts_corrupt("Its shapes are not in ascending order.");
		if (occurrences == 0)
			counts_corrupt("A shape occurs zero times.");
		previous = shape;
		CHECK_FOR_INTERRUPTS();
	}
	if (reader.at != reader.end)
		counts_corrupt("Bytes follow its last entry.");
}

/* The size of a state once flat, with its varlena header. */
static Size
counts_flat_size(ExpandedObjectHeader *header)
{
	ShapeCounts *counts = (ShapeCounts *) header;
	Size		size = VARHDRSZ + 9;
	count_table_iterator iterator;
	CountEntry *entry;

	size += varint_size(counts->options.depth) + varint_size(counts->options.split_values) +
		varint_size(counts->table->members);
	count_table_start_iterate(counts->table, &iterator);
	while ((entry = count_table_iterate(counts->table, &iterator)) != NULL)
		size += varint_size(entry->shape.size) + entry->shape.size + varint_size(entry->occurrences) +
			varint_size(entry->example_size) + entry->example_size;
	if (size > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a set of distinct shapes of %zu kB is too large for one value, which may have %zu kB", size / 1024,
						(Size) MaxAllocSize / 1024)));
	return size;
}

static void
counts_flatten(ExpandedObjectHeader *header, void *result, Size allocated_size)
{
	ShapeCounts *counts = (ShapeCounts *) header;
	CountEntry **entries = counts_sorted(counts);
	char	   *at = VARDATA(result);
	uint64		bits;
	uint32		i;

	SET_VARSIZE(result, allocated_size);
	*at++ = COUNTS_VERSION;
	memcpy(&bits, &counts->options.similarity, sizeof(double));
	for (i = 0; i < 8; i++)
		*at++ = (char) (bits >> (56 - 8 * i));
	at = varint_write(at, counts->options.depth);
	at = varint_write(at, counts->options.split_values);
	at = varint_write(at, counts->table->members);
	for (i = 0; i < counts->table->members; i++)
	{
		CountEntry *entry = entries[i];

		at = varint_write(at, entry->shape.size);
		memcpy(at, entry->shape.data, entry->shape.size);
		at = varint_write(at + entry->shape.size, entry->occurrences);
		at = varint_write(at, entry->example_size);
		if (entry->example_size > 0)
			memcpy(at, entry->example, entry->example_size);
		at += entry->example_size;
	}
	Assert(at == (char *) result + allocated_size);
	pfree(entries);
}

/* Adds what a flat state holds. */
static void
counts_add_flat(ShapeCounts *counts, CountsReader *reader, uint64 count)
{
	uint64		i;

	for (i = 0; i < count; i++)
	{
		L4Bytes		shape;
		L4Bytes		example;
		int64		occurrences;

		read_entry(reader, &shape, &occurrences, &example);
		counts_add(counts, shape, occurrences, example);
		CHECK_FOR_INTERRUPTS();
	}
}

static bool
is_expanded_counts(Datum datum)
{
	return VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(datum)) && DatumGetEOHP(datum)->eoh_methods == &counts_methods;
}

/* A state to read: in place where it is expanded, else expanded in the given context. */
static ShapeCounts *
counts_read(Datum datum, MemoryContext context)
{
	struct varlena *flat;
	CountsReader reader;
	ShapeCounts *counts;
	L4DrainOptions options;
	uint64		count;

	if (is_expanded_counts(datum))
		return (ShapeCounts *) DatumGetEOHP(datum);
	flat = PG_DETOAST_DATUM_PACKED(datum);
	reader.at = VARDATA_ANY(flat);
	reader.end = reader.at + VARSIZE_ANY_EXHDR(flat);
	count = read_options(&reader, &options);
	counts = counts_create(context, &options);
	counts_add_flat(counts, &reader, count);
	return counts;
}

/* A state to change, in the aggregate's context: the same where it is expanded and ours to change, else a copy. */
static ShapeCounts *
counts_write(Datum datum, MemoryContext context)
{
	if (is_expanded_counts(datum) && !VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(datum)))
		datum = PointerGetDatum(PG_DETOAST_DATUM(datum));
	return counts_read(datum, context);
}

/* ---- the type l4_shape_counts ---- */

/*
 * l4_shape_counts_in(cstring): base64 to a state. Errors: 22P02 for what is no base64, 22P03 for bytes that are no state.
 */
Datum
l4_shape_counts_in(PG_FUNCTION_ARGS)
{
	bytea	   *state = state_from_text(PG_GETARG_CSTRING(0), "l4_shape_counts");

	check_flat(VARDATA(state), VARSIZE(state) - VARHDRSZ);
	PG_RETURN_POINTER(state);
}

/* l4_shape_counts_out(l4_shape_counts): its bytes in base64. Errors: 54000 where they would not fit into one value. */
Datum
l4_shape_counts_out(PG_FUNCTION_ARGS)
{
	return state_output(fcinfo);
}

/* l4_shape_counts_recv(internal): bytes to a state. Errors: 22P03. */
Datum
l4_shape_counts_recv(PG_FUNCTION_ARGS)
{
	bytea	   *state = state_received(fcinfo);

	check_flat(VARDATA(state), VARSIZE(state) - VARHDRSZ);
	PG_RETURN_POINTER(state);
}

/* l4_shape_counts_send(l4_shape_counts): its bytes. */
Datum
l4_shape_counts_send(PG_FUNCTION_ARGS)
{
	return state_send(fcinfo);
}

/* ---- the aggregate ---- */

/*
 * l4_drain_transition(state, message [, depth, similarity, split_values]): adds a message; a NULL one adds nothing. Cost:
 * masking, one probe. Errors: 22023 for options that are out of bounds or differ from the state's; 54000 past
 * maintenance_work_mem.
 */
Datum
l4_drain_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = state_context(fcinfo, "l4_drain");
	ShapeCounts *counts = NULL;
	L4DrainOptions options;
	text	   *message;
	L4Bytes		bytes;

	if (!PG_ARGISNULL(0))
		counts = counts_write(PG_GETARG_DATUM(0), context);
	if (PG_ARGISNULL(1))
	{
		if (counts == NULL)
			PG_RETURN_NULL();
		PG_RETURN_DATUM(EOHPGetRWDatum(&counts->header));
	}
	options = get_options(fcinfo, 2);
	if (counts == NULL)
		counts = counts_create(context, &options);
	check_same_options(&counts->options, &options);
	message = PG_GETARG_TEXT_PP(1);
	bytes.data = VARDATA_ANY(message);
	bytes.size = VARSIZE_ANY_EXHDR(message);
	mask_message(&counts->masked, bytes, NULL, 0);
	if (bytes.size > EXAMPLE_SIZE)
		bytes.size = pg_mbcliplen(bytes.data, bytes.size, EXAMPLE_SIZE);
	counts_add(counts, (L4Bytes) {counts->masked.text.data, counts->masked.text.len}, 1, bytes);
	PG_RETURN_DATUM(EOHPGetRWDatum(&counts->header));
}

/*
 * l4_drain_combine(state, state): their union. Strict. Errors: 22023 where their options differ, 54000 past
 * maintenance_work_mem.
 */
Datum
l4_drain_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = state_context(fcinfo, "l4_drain");
	ShapeCounts *counts = counts_write(PG_GETARG_DATUM(0), context);
	ShapeCounts *other = counts_read(PG_GETARG_DATUM(1), CurrentMemoryContext);
	count_table_iterator iterator;
	CountEntry *entry;

	check_same_options(&counts->options, &other->options);
	count_table_start_iterate(other->table, &iterator);
	while ((entry = count_table_iterate(other->table, &iterator)) != NULL)
	{
		counts_add(counts, entry->shape, entry->occurrences, (L4Bytes) {entry->example, entry->example_size});
		CHECK_FOR_INTERRUPTS();
	}
	PG_RETURN_DATUM(EOHPGetRWDatum(&counts->header));
}

/* An event in the making. */
typedef struct DrainEvent
{
	const L4DrainGroup *group;
	int64		occurrences;
	L4Bytes		example;
} DrainEvent;

/* By occurrences, the most first, then by template, of which groups are in the order. */
static int
compare_events(const void *a, const void *b)
{
	const DrainEvent *x = a;
	const DrainEvent *y = b;

	if (x->occurrences != y->occurrences)
		return x->occurrences > y->occurrences ? -1 : 1;
	return (x->group > y->group) - (x->group < y->group);
}

/* Clusters a state's shapes and sums up each group, in the order of the result. */
static DrainEvent *
counts_events(ShapeCounts *counts, int *event_count)
{
	CountEntry **entries = counts_sorted(counts);
	int			n = (int) counts->table->members;
	L4Bytes    *shapes = palloc(mul_size(Max(n, 1), sizeof(L4Bytes)));
	L4DrainResult *result;
	DrainEvent *events;
	int			i;

	for (i = 0; i < n; i++)
		shapes[i] = entries[i]->shape;
	result = drain_cluster(shapes, n, &counts->options);
	events = palloc0(mul_size(Max(result->group_count, 1), sizeof(DrainEvent)));
	for (i = 0; i < n; i++)
	{
		DrainEvent *event = &events[result->group_of[i]];
		L4Bytes		example = {entries[i]->example, entries[i]->example_size};

		if (event->group == NULL || compare_bytes(example, event->example) < 0)
			event->example = example;
		event->group = &result->groups[result->group_of[i]];
		if (pg_add_s64_overflow(event->occurrences, entries[i]->occurrences, &event->occurrences))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("number of messages out of range")));
	}
	qsort(events, result->group_count, sizeof(DrainEvent), compare_events);
	*event_count = result->group_count;
	return events;
}

static Datum
event_datum(const DrainEvent *event, TupleDesc descriptor)
{
	const L4DrainGroup *group = event->group;
	Datum		values[5];
	bool		nulls[5] = {false};

	values[0] = Int64GetDatum((int64) shape_hash(group->template, group->template_size));
	values[1] = PointerGetDatum(cstring_to_text_with_len(group->template, group->template_size));
	values[2] = Int64GetDatum(event->occurrences);
	values[3] = Int32GetDatum(group->member_count);
	values[4] = PointerGetDatum(cstring_to_text_with_len(event->example.data, event->example.size));
	return HeapTupleGetDatum(heap_form_tuple(descriptor, values, nulls));
}

/*
 * l4_drain_final(state): the events, l4_drain_event[]. Strict; leaves the state as it is. Errors: 54000 past
 * maintenance_work_mem.
 */
Datum
l4_drain_final(PG_FUNCTION_ARGS)
{
	ShapeCounts *counts = counts_read(PG_GETARG_DATUM(0), CurrentMemoryContext);
	Oid			type = get_element_type(get_func_rettype(fcinfo->flinfo->fn_oid));
	TupleDesc	descriptor = lookup_rowtype_tupdesc_copy(type, -1);
	DrainEvent *events;
	Datum	   *elements;
	int			count;
	int			i;

	events = counts_events(counts, &count);
	elements = palloc(mul_size(Max(count, 1), sizeof(Datum)));
	for (i = 0; i < count; i++)
		elements[i] = event_datum(&events[i], descriptor);
	PG_RETURN_ARRAYTYPE_P(construct_array(elements, count, type, -1, false, TYPALIGN_DOUBLE));
}
