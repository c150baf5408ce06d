/*
 * sketch.c: l4_sketch_parameters: the packed sketches of a source's parameters as rows.
 */
#include "algorithms/sketch.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(l4_sketch_parameters);
PG_FUNCTION_INFO_V1(l4_sketch_addresses);

#define SKETCH_COLUMNS 13

static Datum
values_array(const L4SketchEntry *entry)
{
	Datum		elements[L4_SKETCH_VALUES];
	int			i;

	for (i = 0; i < entry->value_count; i++)
		elements[i] = PointerGetDatum(cstring_to_text_with_len(entry->values[i].data, entry->values[i].size));
	return PointerGetDatum(construct_array(elements, entry->value_count, TEXTOID, -1, false, TYPALIGN_INT));
}

static Datum
lines_array(const L4SketchEntry *entry)
{
	Datum		elements[L4_SKETCH_VALUES];
	int			i;

	for (i = 0; i < entry->value_count; i++)
		elements[i] = Int64GetDatum(entry->value_lines[i]);
	return PointerGetDatum(construct_array(elements, entry->value_count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

static void
put_row(ReturnSetInfo *result, const L4SketchEntry *entry)
{
	Datum		values[SKETCH_COLUMNS] = {0};
	bool		nulls[SKETCH_COLUMNS] = {false};
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
	for (i = 8; i < SKETCH_COLUMNS; i++)
		nulls[i] = entry->number_count == 0;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * l4_sketch_parameters(sketch bytea): see its COMMENT. Errors: XX001 for damaged bytes. Cost: about a microsecond a row.
 */
Datum
l4_sketch_parameters(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext row_context;
	MemoryContext caller;
	L4SketchReader *reader;
	L4SketchEntry entry;

	InitMaterializedSRF(fcinfo, 0);
	reader = sketch_open(PG_GETARG_BYTEA_PP(0));
	row_context = AllocSetContextCreate(CurrentMemoryContext, "l4 sketch row", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(row_context);
	while (sketch_next(reader, &entry))
	{
		CHECK_FOR_INTERRUPTS();
		put_row(result, &entry);
		MemoryContextReset(row_context);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(row_context);
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

/*
 * l4_sketch_addresses(sketch bytea): see its COMMENT. Errors: XX001 for damaged bytes. Cost: some hundred nanoseconds for each position of the sketch.
 */
Datum
l4_sketch_addresses(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	L4SketchReader *reader;
	L4SketchEntry entry;

	InitMaterializedSRF(fcinfo, 0);
	reader = sketch_open(PG_GETARG_BYTEA_PP(0));
	while (sketch_next(reader, &entry))
	{
		bool		any = false;
		int			i;

		CHECK_FOR_INTERRUPTS();
		for (i = 0; i < entry.value_count && !any; i++)
			any = is_address(entry.values[i]);
		if (any)
		{
			Datum		values[2] = {Int64GetDatum(entry.shape_id), Int64GetDatum(entry.occurrences)};
			bool		nulls[2] = {false, false};

			tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		}
	}
	return (Datum) 0;
}
