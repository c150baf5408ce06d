/*
 * parameter_statistics.c: the packed parameter statistics of a source's parameters as rows: all of them, those of a few shapes,
 * those that go beyond what is known, or of each shape the first values alone.
 */
#include "algorithms/parameter_statistics.h"
#include "bindings/record_row.h"
#include "tools/bytes.h"
#include "tools/order.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(l4_sketch_parameters);
PG_FUNCTION_INFO_V1(l4_sketch_first_values);
PG_FUNCTION_INFO_V1(l4_sketch_members);
PG_FUNCTION_INFO_V1(l4_sketch_outliers);
PG_FUNCTION_INFO_V1(l4_sketch_addresses);
PG_FUNCTION_INFO_V1(l4_sketch_names);
PG_FUNCTION_INFO_V1(l4_sketch_choices);

#define STATISTICS_COLUMNS 13
#define FIRST_VALUES_COLUMNS 4
#define ADDRESSES_COLUMNS 3
#define NAMES_COLUMNS 5
#define CHOICES_COLUMNS 4

static Datum
values_array(const L4StatisticsEntry *entry)
{
	Datum		elements[L4_STATISTICS_VALUES];
	int			i;

	for (i = 0; i < entry->value_count; i++)
		elements[i] = PointerGetDatum(cstring_to_text_with_len(entry->values[i].data, entry->values[i].size));
	return PointerGetDatum(construct_array(elements, entry->value_count, TEXTOID, -1, false, TYPALIGN_INT));
}

static Datum
lines_array(const L4StatisticsEntry *entry)
{
	Datum		elements[L4_STATISTICS_VALUES];
	int			i;

	for (i = 0; i < entry->value_count; i++)
		elements[i] = Int64GetDatum(entry->value_lines[i]);
	return PointerGetDatum(construct_array(elements, entry->value_count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL,
										   TYPALIGN_DOUBLE));
}

static void
put_row(ReturnSetInfo *result, const L4StatisticsEntry *entry)
{
	Datum		values[STATISTICS_COLUMNS] = {0};
	bool		nulls[STATISTICS_COLUMNS] = {false};
	int			i;

	values[0] = Int64GetDatum(entry->stream_id);
	values[1] = Int64GetDatum(entry->shape_id);
	values[2] = Int32GetDatum(entry->position);
	values[3] = Int64GetDatum(entry->occurrences);
	values[4] = Int32GetDatum(entry->distinct_values);
	values[5] = values_array(entry);
	values[6] = lines_array(entry);
	values[7] = Int64GetDatum(entry->number_count);
	values[8] = Float8GetDatum(entry->minimum);
	values[9] = Int64GetDatum(entry->minimum_line);
	values[10] = Float8GetDatum(entry->maximum);
	values[11] = Int64GetDatum(entry->maximum_line);
	values[12] = Float8GetDatum(entry->mean);
	for (i = 8; i < STATISTICS_COLUMNS; i++)
		nulls[i] = entry->number_count == 0;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * l4_sketch_parameters(sketch bytea, shape_ids bigint[]): see its COMMENT. Errors: XX001 for damaged bytes, 22004 for an array
 * with NULL. Cost: about a microsecond a row returned, a fiftieth of it for one that is not.
 */
Datum
l4_sketch_parameters(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext row_context;
	MemoryContext caller;
	L4StatisticsReader *reader;
	L4StatisticsEntry entry;
	int64	   *wanted = NULL;
	int			wanted_count = 0;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	if (!PG_ARGISNULL(1))
		wanted = bigint_set(PG_GETARG_ARRAYTYPE_P(1), "shape_ids", &wanted_count);
	reader = statistics_open(PG_GETARG_BYTEA_PP(0));
	statistics_want(reader, wanted, wanted_count);
	row_context = AllocSetContextCreate(CurrentMemoryContext, "l4 sketch row", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(row_context);
	while (statistics_next(reader, &entry))
	{
		CHECK_FOR_INTERRUPTS();
		put_row(result, &entry);
		MemoryContextReset(row_context);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(row_context);
	return (Datum) 0;
}

/* The first values of the parameters of one shape in one stream, position by position. */
typedef struct FirstValues
{
	int64		stream_id;
	int64		shape_id;
	int			count;
	Datum		values[L4_STATISTICS_POSITIONS];
	bool		nulls[L4_STATISTICS_POSITIONS];
	bool		varies;
} FirstValues;

static void
put_first_values(ReturnSetInfo *result, FirstValues *first)
{
	int			lower_bound = 1;
	Datum		values[FIRST_VALUES_COLUMNS] = {0};
	bool		nulls[FIRST_VALUES_COLUMNS] = {false};

	if (first->count == 0)
		return;
	values[0] = Int64GetDatum(first->stream_id);
	values[1] = Int64GetDatum(first->shape_id);
	values[2] = PointerGetDatum(construct_md_array(first->values, first->nulls, 1, &first->count, &lower_bound, TEXTOID, -1,
												   false, TYPALIGN_INT));
	values[3] = BoolGetDatum(first->varies);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	first->count = 0;
	first->varies = false;
}

/*
 * l4_sketch_first_values(sketch bytea, shape_ids bigint[]): see its COMMENT. Errors and cost: as l4_sketch_parameters.
 */
Datum
l4_sketch_first_values(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	FirstValues first = {0};
	L4StatisticsReader *reader;
	L4StatisticsEntry entry;
	int64	   *wanted;
	int			wanted_count;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	wanted = bigint_set(PG_GETARG_ARRAYTYPE_P(1), "shape_ids", &wanted_count);
	reader = statistics_open(PG_GETARG_BYTEA_PP(0));
	statistics_want(reader, wanted, wanted_count);
	while (statistics_next(reader, &entry))
	{
		CHECK_FOR_INTERRUPTS();
		if (entry.position == 1)
			put_first_values(result, &first);
		first.stream_id = entry.stream_id;
		first.shape_id = entry.shape_id;
		first.nulls[first.count] = entry.value_count == 0;
		if (entry.value_count > 0)
			first.values[first.count] = PointerGetDatum(cstring_to_text_with_len(entry.values[0].data, entry.values[0].size));
		first.varies |= entry.distinct_values > 1;
		first.count++;
	}
	put_first_values(result, &first);
	return (Datum) 0;
}

/*
 * l4_sketch_members(sketch bytea, stream_ids bigint[]): see its COMMENT.
 */
Datum
l4_sketch_members(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	const bytea *sketch = PG_GETARG_BYTEA_PP(0);
	int			count = statistics_member_count(sketch);
	int			stream_count;
	int64	   *streams = bigint_set(PG_GETARG_ARRAYTYPE_P(1), "stream_ids", &stream_count);
	Datum		value = PointerGetDatum(sketch);
	bool		is_null = false;
	int			i;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (count == 0)
		tuplestore_putvalues(result->setResult, result->setDesc, &value, &is_null);
	for (i = 0; i < count; i++)
	{
		bytea	   *member = statistics_member(sketch, i, streams, stream_count);

		CHECK_FOR_INTERRUPTS();
		value = PointerGetDatum(member);
		if (member == NULL)
			continue;
		tuplestore_putvalues(result->setResult, result->setDesc, &value, &is_null);
		pfree(member);
	}
	return (Datum) 0;
}

/*
 * What is known of one position of a shape: the one value it takes, if it takes but one, and between which bounds its numbers
 * lie.
 */
typedef struct Known
{
	int64		shape_id;
	int			position;
	bool		one_value;
	bool		has_lowest;
	bool		has_highest;
	L4Bytes		value;
	double		lowest;
	double		highest;
} Known;

/*
 * The arrays of a call as entries in order of shape and position; kept while the arrays stay the same, which they do for all
 * parameter statistics of a job.
 */
#define KNOWN_ARRAYS 5

typedef struct KnownCache
{
	MemoryContext context;
	ArrayType  *arrays[KNOWN_ARRAYS];
	Known	   *entries;
	int			count;
} KnownCache;

static int
compare_known(const void *a, const void *b)
{
	const Known *x = a;
	const Known *y = b;

	if (x->shape_id != y->shape_id)
		return x->shape_id < y->shape_id ? -1 : 1;
	return x->position - y->position;
}

/*
 * Puts the elements of the arrays side by side. Errors: 2202E for arrays of different lengths, 22004 where a shape or a
 * position is NULL.
 */
static void
read_known(KnownCache *cache)
{
	static const Oid types[KNOWN_ARRAYS] = {INT8OID, INT4OID, TEXTOID, FLOAT8OID, FLOAT8OID};
	Datum	   *elements[KNOWN_ARRAYS];
	bool	   *nulls[KNOWN_ARRAYS];
	int			counts[KNOWN_ARRAYS];
	int			i;

	for (i = 0; i < KNOWN_ARRAYS; i++)
	{
		int16		size;
		bool		by_value;
		char		alignment;

		get_typlenbyvalalign(types[i], &size, &by_value, &alignment);
		deconstruct_array(cache->arrays[i], types[i], size, by_value, alignment, &elements[i], &nulls[i], &counts[i]);
		if (counts[i] != counts[0])
			ereport(ERROR,
					(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					 errmsg("the arrays of what is known must be of one length")));
	}
	cache->count = counts[0];
	cache->entries = palloc0(mul_size(Max(cache->count, 1), sizeof(Known)));
	for (i = 0; i < cache->count; i++)
	{
		Known	   *known = &cache->entries[i];

		if (nulls[0][i] || nulls[1][i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("what is known must name a shape and a position")));
		known->shape_id = DatumGetInt64(elements[0][i]);
		known->position = DatumGetInt32(elements[1][i]);
		known->one_value = !nulls[2][i];
		if (known->one_value)
			known->value = (L4Bytes) {VARDATA_ANY(DatumGetPointer(elements[2][i])),
									  VARSIZE_ANY_EXHDR(DatumGetPointer(elements[2][i]))};
		known->has_lowest = !nulls[3][i];
		known->has_highest = !nulls[4][i];
		known->lowest = known->has_lowest ? DatumGetFloat8(elements[3][i]) : 0;
		known->highest = known->has_highest ? DatumGetFloat8(elements[4][i]) : 0;
	}
	qsort(cache->entries, cache->count, sizeof(Known), compare_known);
}

/* The cache of this call site, for the arrays of this call: arguments from the second on. */
static const KnownCache *
cached_known(FunctionCallInfo fcinfo)
{
	KnownCache *cache = fcinfo->flinfo->fn_extra;
	MemoryContext caller;
	bool		same = cache != NULL && cache->entries != NULL;
	int			i;

	if (cache == NULL)
	{
		cache = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(KnownCache));
		cache->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "l4 known parameters", ALLOCSET_SMALL_SIZES);
		fcinfo->flinfo->fn_extra = cache;
	}
	for (i = 0; i < KNOWN_ARRAYS && same; i++)
	{
		ArrayType  *array = PG_GETARG_ARRAYTYPE_P(i + 1);

		same = VARSIZE(array) == VARSIZE(cache->arrays[i]) && memcmp(array, cache->arrays[i], VARSIZE(array)) == 0;
	}
	if (same)
		return cache;
	cache->entries = NULL;
	MemoryContextReset(cache->context);
	caller = MemoryContextSwitchTo(cache->context);
	for (i = 0; i < KNOWN_ARRAYS; i++)
		cache->arrays[i] = PG_GETARG_ARRAYTYPE_P_COPY(i + 1);
	read_known(cache);
	MemoryContextSwitchTo(caller);
	return cache;
}

static bool
is_outlier(const KnownCache *cache, const L4StatisticsEntry *entry)
{
	Known		key = {.shape_id = entry->shape_id, .position = entry->position};
	const Known *known = bsearch(&key, cache->entries, cache->count, sizeof(Known), compare_known);
	int			i;

	if (known == NULL)
		return false;
	for (i = 0; i < entry->value_count && known->one_value; i++)
		if (entry->values[i].size != known->value.size ||
			memcmp(entry->values[i].data, known->value.data, known->value.size) != 0)
			return true;
	return entry->number_count > 0 &&
		((known->has_lowest && entry->minimum < known->lowest) || (known->has_highest && entry->maximum > known->highest));
}

/*
 * l4_sketch_outliers(sketch, shape_ids, positions, known_values, lowest, highest): see its COMMENT. Errors: XX001 for damaged
 * bytes, 2202E for arrays of different lengths, 22004 where one names no shape or position. Cost: some hundred nanoseconds for
 * each position of the sketch, a microsecond for one returned.
 */
Datum
l4_sketch_outliers(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	const KnownCache *cache = cached_known(fcinfo);
	L4StatisticsReader *reader;
	L4StatisticsEntry entry;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	reader = statistics_open(PG_GETARG_BYTEA_PP(0));
	while (statistics_next(reader, &entry))
	{
		CHECK_FOR_INTERRUPTS();
		if (is_outlier(cache, &entry))
			put_row(result, &entry);
	}
	return (Datum) 0;
}

/* Is the text an IPv4 address: four numbers of one to three digits with dots between? */
static bool
is_address(L4Bytes text)
{
	int			groups = 0;
	int			digits = 0;
	size_t		i;

	for (i = 0; i < text.size; i++)
	{
		if (text.data[i] >= '0' && text.data[i] <= '9' && digits < 3)
			digits++;
		else if (text.data[i] == '.' && digits > 0 && groups < 3)
		{
			groups++;
			digits = 0;
		}
		else
			return false;
	}
	return groups == 3 && digits > 0;
}

/* A row of a position that says addresses; only: the one where there is no other. */
static void
put_address(ReturnSetInfo *result, const L4StatisticsEntry *entry, const L4Bytes *only)
{
	Datum		values[ADDRESSES_COLUMNS] = {Int64GetDatum(entry->shape_id), Int64GetDatum(entry->occurrences)};
	bool		nulls[ADDRESSES_COLUMNS] = {false, false, only == NULL};

	if (only != NULL)
		values[2] = PointerGetDatum(cstring_to_text_with_len(only->data, only->size));
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * l4_sketch_addresses(sketch bytea): see its COMMENT. Errors: XX001 for damaged bytes. Cost: some hundred nanoseconds for each
 * position of the statistics.
 */
Datum
l4_sketch_addresses(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	L4StatisticsReader *reader;
	L4StatisticsEntry entry;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	reader = statistics_open(PG_GETARG_BYTEA_PP(0));
	statistics_want_values(reader);
	while (statistics_next(reader, &entry))
	{
		const L4Bytes *address = NULL;
		int			addresses = 0;
		int			i;

		CHECK_FOR_INTERRUPTS();
		for (i = 0; i < entry.value_count; i++)
			if (is_address(entry.values[i]))
			{
				address = &entry.values[i];
				addresses++;
			}
		if (addresses > 0)
			put_address(result, &entry, addresses == 1 && entry.distinct_values == entry.value_count ? address : NULL);
	}
	return (Datum) 0;
}

/*
 * Is the text a word of three letters or more with a number of up to six digits behind it, perhaps a sign between
 * ("trainer-3")? A byte above 127 may be of a letter.
 */
static bool
may_be_name(L4Bytes text)
{
	const char *begin = text.data;
	const char *end = begin + text.size;
	const char *at = end;

	while (at > begin && is_digit(at[-1]))
		at--;
	if (at == end || end - at > 6)
		return false;
	if (at > begin && memchr("-.:/", at[-1], 4) != NULL)
		at--;
	if (at - begin < 3 || *begin == '_')
		return false;
	while (at > begin && (is_letter(at[-1]) || at[-1] == '_' || (unsigned char) at[-1] > 127))
		at--;
	return at == begin;
}

/* A value that may be a name, where it stands. */
typedef struct SaidName
{
	int64		stream_id;
	L4Bytes		name;
	int			number;			/* in the order of the statistics */
	int64		shape_id;
	int			position;
	int64		occurrences;
} SaidName;

static int
compare_texts(const void *a, const void *b)
{
	const L4Bytes *x = a;
	const L4Bytes *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return memcmp(x->data, y->data, x->size);
}

static int
compare_said(const void *a, const void *b)
{
	const SaidName *x = a;
	const SaidName *y = b;
	int			order = x->stream_id < y->stream_id ? -1 : x->stream_id > y->stream_id;

	if (order == 0)
		order = compare_texts(&x->name, &y->name);
	return order != 0 ? order : x->number - y->number;
}

/* All values of the statistics that may be names, by stream and name. They point into the reader. */
static SaidName *
read_names(L4StatisticsReader *reader, int *count)
{
	L4StatisticsEntry entry;
	int			room = 64;
	SaidName   *said = palloc(room * sizeof(SaidName));

	*count = 0;
	while (statistics_next(reader, &entry))
	{
		CHECK_FOR_INTERRUPTS();
		if (entry.distinct_values != 1 || !may_be_name(entry.values[0]))
			continue;
		if (*count == room)
		{
			room *= 2;
			said = repalloc(said, mul_size(room, sizeof(SaidName)));
		}
		said[*count] = (SaidName) {entry.stream_id, entry.values[0], *count, entry.shape_id, entry.position, entry.occurrences};
		(*count)++;
	}
	qsort(said, *count, sizeof(SaidName), compare_said);
	return said;
}

/* A row of a stream and a name, and where it says it: said[from] to said[to]. */
static void
put_name(ReturnSetInfo *result, const SaidName *said, int from, int to)
{
	Datum	   *elements = palloc(mul_size(to - from, sizeof(Datum)));
	Datum		values[NAMES_COLUMNS];
	bool		nulls[NAMES_COLUMNS] = {false};
	int			i;

	values[0] = Int64GetDatum(said[from].stream_id);
	values[1] = PointerGetDatum(cstring_to_text_with_len(said[from].name.data, said[from].name.size));
	for (i = from; i < to; i++)
		elements[i - from] = Int64GetDatum(said[i].shape_id);
	values[2] = PointerGetDatum(construct_array(elements, to - from, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	for (i = from; i < to; i++)
		elements[i - from] = Int32GetDatum(said[i].position);
	values[3] = PointerGetDatum(construct_array(elements, to - from, INT4OID, sizeof(int32), true, TYPALIGN_INT));
	for (i = from; i < to; i++)
		elements[i - from] = Int64GetDatum(said[i].occurrences);
	values[4] = PointerGetDatum(construct_array(elements, to - from, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * l4_sketch_names(sketch bytea, shape_ids bigint[]): see its COMMENT. Errors and cost: as l4_sketch_parameters.
 */
Datum
l4_sketch_names(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	L4StatisticsReader *reader;
	SaidName   *said;
	int			count;
	int			from;
	int			to;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	reader = statistics_open(PG_GETARG_BYTEA_PP(0));
	statistics_want_values(reader);
	if (!PG_ARGISNULL(1))
	{
		int64	   *shapes = bigint_set(PG_GETARG_ARRAYTYPE_P(1), "shape_ids", &count);

		statistics_want(reader, shapes, count);
	}
	said = read_names(reader, &count);
	for (from = 0; from < count; from = to)
	{
		for (to = from + 1; to < count && said[to].stream_id == said[from].stream_id &&
			 compare_texts(&said[to].name, &said[from].name) == 0; to++)
			;
		put_name(result, said, from, to);
	}
	return (Datum) 0;
}

/* The texts of an array in order of their bytes; kept while the array stays the same, as that of KnownCache. */
typedef struct TextSet
{
	MemoryContext context;
	ArrayType  *array;
	L4Bytes    *texts;
	int			count;
} TextSet;

/* The set of this call site; elements that are NULL are none of it. */
static const TextSet *
cached_texts(FunctionCallInfo fcinfo, ArrayType *array)
{
	TextSet    *set = fcinfo->flinfo->fn_extra;
	MemoryContext caller;
	Datum	   *elements;
	bool	   *nulls;
	int			count;
	int			i;

	if (set == NULL)
	{
		set = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(TextSet));
		set->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "l4 texts", ALLOCSET_SMALL_SIZES);
		fcinfo->flinfo->fn_extra = set;
	}
	else if (set->array != NULL && VARSIZE(array) == VARSIZE(set->array) && memcmp(array, set->array, VARSIZE(array)) == 0)
		return set;
	set->array = NULL;
	MemoryContextReset(set->context);
	caller = MemoryContextSwitchTo(set->context);
	array = memcpy(palloc(VARSIZE(array)), array, VARSIZE(array));
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &count);
	set->texts = palloc(mul_size(Max(count, 1), sizeof(L4Bytes)));
	set->count = 0;
	for (i = 0; i < count; i++)
		if (!nulls[i])
			set->texts[set->count++] = (L4Bytes) {VARDATA_ANY(DatumGetPointer(elements[i])),
												  VARSIZE_ANY_EXHDR(DatumGetPointer(elements[i]))};
	qsort(set->texts, set->count, sizeof(L4Bytes), compare_texts);
	set->array = array;
	MemoryContextSwitchTo(caller);
	return set;
}

/* Does the position take several values, all of the set as far as they are kept? */
static bool
is_choice(const TextSet *set, const L4StatisticsEntry *entry)
{
	int			i;

	for (i = 0; i < entry->value_count; i++)
		if (bsearch(&entry->values[i], set->texts, set->count, sizeof(L4Bytes), compare_texts) == NULL)
			return false;
	return entry->distinct_values > 1;
}

/*
 * l4_sketch_choices(sketch bytea, names text[]): see its COMMENT. Errors: XX001 for damaged bytes. Cost: some fifty nanoseconds
 * for each position of the statistics.
 */
Datum
l4_sketch_choices(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	const TextSet *set = cached_texts(fcinfo, PG_GETARG_ARRAYTYPE_P(1));
	L4StatisticsReader *reader;
	L4StatisticsEntry entry;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	reader = statistics_open(PG_GETARG_BYTEA_PP(0));
	statistics_want_values(reader);
	while (statistics_next(reader, &entry))
	{
		Datum		values[CHOICES_COLUMNS] = {Int64GetDatum(entry.stream_id), Int64GetDatum(entry.shape_id),
			Int32GetDatum(entry.position), Int64GetDatum(entry.occurrences)};
		bool		nulls[CHOICES_COLUMNS] = {false};

		CHECK_FOR_INTERRUPTS();
		if (is_choice(set, &entry))
			tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
