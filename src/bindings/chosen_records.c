/*
 * chosen_records.c: a few records out of a stored segment, chosen by shape (l4_shape_records), by line (l4_line_records), or,
 * without their texts, by shape (l4_shape_places) or stream (l4_stream_places), without the cost of expanding all the others.
 *
 * What is chosen is judged and quoted: dozens of rules look at each text, and queries hold hundreds of them at once. So of a
 * long record its beginning and its end are shown, and how much is left out; whoever wants all of it has l4_log.
 */
#include "ground/l4.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "algorithms/segment.h"
#include "bindings/record_row.h"
#include "tools/order.h"

PG_FUNCTION_INFO_V1(l4_shape_records);
PG_FUNCTION_INFO_V1(l4_shape_places);
PG_FUNCTION_INFO_V1(l4_stream_places);
PG_FUNCTION_INFO_V1(l4_line_records);

#define SHAPE_COLUMNS 5
#define PLACE_COLUMNS (RECORD_ROW_COLUMNS + 1)
#define LINE_COLUMNS (RECORD_ROW_COLUMNS + 2)
/* So much is shown of either end of a record. */
#define END_BYTES 4096

typedef struct Choice
{
	ReturnSetInfo *result;
	L4SegmentReader *reader;
	int64	   *streams;
	int			stream_count;
	int64	   *wanted;			/* shapes or lines, ascending */
	int			wanted_count;
	int			passed;			/* lines wanted that are before the record under way */
	StringInfoData raw;
	StringInfoData shown;
	bool		wrapped;		/* did a collector wrap the record whose raw_text was made last? */
} Choice;

/* All have the same first arguments: the three blobs of a segment, its streams, and what is wanted. */
static void
open_choice(FunctionCallInfo fcinfo, Choice *choice)
{
	L4SegmentBlobs blobs;

	InitMaterializedSRF(fcinfo, 0);
	choice->result = (ReturnSetInfo *) fcinfo->resultinfo;
	blobs.structure = PG_GETARG_BYTEA_PP(0);
	blobs.texts = PG_GETARG_BYTEA_PP(1);
	blobs.parameters = PG_GETARG_BYTEA_PP(2);
	choice->streams = bigint_values(PG_GETARG_ARRAYTYPE_P(3), "the stream_ids of a segment", &choice->stream_count);
	choice->wanted = bigint_set(PG_GETARG_ARRAYTYPE_P(4), "what is wanted of a segment", &choice->wanted_count);
	choice->passed = 0;
	choice->reader = segment_open(&blobs);
	segment_want(choice->reader, choice->streams, choice->stream_count);
	initStringInfo(&choice->raw);
	initStringInfo(&choice->shown);
}

static inline bool
goes_on(char c)
{
	return ((unsigned char) c & 0xc0) == 0x80;	/* with a character, in UTF-8 */
}

/* Cuts what stands between the ends of a long text; its ends of lines stay, so that those behind it keep their numbers. */
static void
leave_out_middle(StringInfo text)
{
	int			from = END_BYTES;
	int			to = text->len - END_BYTES;
	StringInfoData middle;

	while (from > END_BYTES - 4 && goes_on(text->data[from]))
		from--;
	while (to < text->len - END_BYTES + 4 && goes_on(text->data[to]))
		to++;
	initStringInfo(&middle);
	appendStringInfo(&middle, " [... %d bytes ...] ", to - from);
	for (const char *at = text->data + from; (at = memchr(at, '\n', text->data + to - at)) != NULL; at++)
		appendStringInfoChar(&middle, '\n');
	if (middle.len < to - from)
	{
		memcpy(text->data + from, middle.data, middle.len);
		memmove(text->data + from + middle.len, text->data + to, text->len - to + 1);
		text->len -= to - from - middle.len;
	}
	pfree(middle.data);
}

static Datum
raw_text(Choice *choice)
{
	resetStringInfo(&choice->raw);
	choice->wrapped = segment_told(choice->reader, &choice->raw);
	if (choice->raw.len > 2 * END_BYTES)
		leave_out_middle(&choice->raw);
	return shown_line(&choice->shown, (L4Bytes) {choice->raw.data, choice->raw.len});
}

static void
put_shape_record(Choice *choice, const L4StoredRecord *record)
{
	Datum		values[RECORD_ROW_COLUMNS] = {0};
	bool		nulls[RECORD_ROW_COLUMNS] = {false};
	Datum		row[SHAPE_COLUMNS];
	bool		none[SHAPE_COLUMNS] = {false};

	record_row_fill(record, choice->streams, choice->stream_count, &choice->shown, values, nulls);
	row[0] = values[RECORD_ROW_STREAM_ID - 1];
	row[1] = values[RECORD_ROW_LINE_NO - 1];
	row[2] = values[RECORD_ROW_SHAPE_ID - 1];
	row[3] = shown_parameters(&choice->shown, choice->reader, record);
	row[4] = raw_text(choice);
	tuplestore_putvalues(choice->result->setResult, choice->result->setDesc, row, none);
}

static void
put_line_record(Choice *choice, const L4StoredRecord *record)
{
	Datum		values[LINE_COLUMNS] = {0};
	bool		nulls[LINE_COLUMNS] = {false};

	record_row_fill(record, choice->streams, choice->stream_count, &choice->shown, values, nulls);
	values[RECORD_ROW_COLUMNS] = raw_text(choice);
	values[RECORD_ROW_COLUMNS + 1] = BoolGetDatum(choice->wrapped);
	tuplestore_putvalues(choice->result->setResult, choice->result->setDesc, values, nulls);
}

/* The row of a record without its text, and, where these are wanted, with its parameters. */
static void
put_place(Choice *choice, const L4StoredRecord *record, bool with_parameters)
{
	Datum		values[PLACE_COLUMNS] = {0};
	bool		nulls[PLACE_COLUMNS] = {false};

	record_row_fill(record, choice->streams, choice->stream_count, &choice->shown, values, nulls);
	nulls[RECORD_ROW_COLUMNS] = !with_parameters;
	if (with_parameters)
		values[RECORD_ROW_COLUMNS] = shown_parameters(&choice->shown, choice->reader, record);
	tuplestore_putvalues(choice->result->setResult, choice->result->setDesc, values, nulls);
}

static void
put_bare_place(Choice *choice, const L4StoredRecord *record)
{
	put_place(choice, record, false);
}

static void
put_place_with_parameters(Choice *choice, const L4StoredRecord *record)
{
	put_place(choice, record, true);
}

static bool
has_wanted_shape(Choice *choice, const L4StoredRecord *record)
{
	return int64_set_has(choice->wanted, choice->wanted_count, (int64) stored_shape_id(record));
}

static bool
has_wanted_line(Choice *choice, const L4StoredRecord *record)
{
	/* records come in the order of their lines, several on one perhaps; of a bundle file by file */
	if (choice->passed > 0 && choice->wanted[choice->passed - 1] >= record->line_no)
		choice->passed = 0;
	while (choice->passed < choice->wanted_count && choice->wanted[choice->passed] < record->line_no)
		choice->passed++;
	return choice->passed < choice->wanted_count && choice->wanted[choice->passed] == record->line_no;
}

/* Of a stream that the segment does not list the row says that it is damaged. */
static bool
is_of_wanted_stream(Choice *choice, const L4StoredRecord *record)
{
	return record->stream < 0 || record->stream >= choice->stream_count ||
		int64_set_has(choice->wanted, choice->wanted_count, choice->streams[record->stream]);
}

/* Puts a row for each record that is chosen; none behind this line of a file is. */
static void
put_chosen(Choice *choice, int64 last_line, bool (*is_chosen) (Choice *, const L4StoredRecord *),
		   void (*put) (Choice *, const L4StoredRecord *))
{
	L4StoredRecord record;
	MemoryContext row_context = AllocSetContextCreate(CurrentMemoryContext, "l4 chosen record", ALLOCSET_DEFAULT_SIZES);

	while (segment_next(choice->reader, &record))
	{
		MemoryContext caller;

		CHECK_FOR_INTERRUPTS();
		if (record.line_no > last_line)
			segment_skip_rest(choice->reader);
		if (!is_chosen(choice, &record))
			continue;
		caller = MemoryContextSwitchTo(row_context);
		put(choice, &record);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(row_context);
	}
	MemoryContextDelete(row_context);
}

/*
 * l4_shape_records(structure, texts, parameters, stream_ids, shape_ids): see its COMMENT. Errors: XX001 for damaged bytes,
 * 22004 for arrays with NULL. Cost: decompression of the segment, some ten nanoseconds for each record, a few microseconds for
 * each wanted one.
 */
Datum
l4_shape_records(PG_FUNCTION_ARGS)
{
	Choice		choice;

	open_choice(fcinfo, &choice);
	put_chosen(&choice, PG_INT64_MAX, has_wanted_shape, put_shape_record);
	return (Datum) 0;
}

/*
 * l4_shape_places(structure, texts, parameters, stream_ids, shape_ids, with_parameters): see its COMMENT. Errors: as
 * l4_shape_records. Cost: decompression of the segment, some ten nanoseconds for each record, one microsecond for each wanted
 * one.
 */
Datum
l4_shape_places(PG_FUNCTION_ARGS)
{
	Choice		choice;

	open_choice(fcinfo, &choice);
	put_chosen(&choice, PG_INT64_MAX, has_wanted_shape, PG_GETARG_BOOL(5) ? put_place_with_parameters : put_bare_place);
	return (Datum) 0;
}

/*
 * l4_stream_places(structure, texts, parameters, stream_ids, wanted): see its COMMENT. Errors and cost: as l4_shape_places.
 */
Datum
l4_stream_places(PG_FUNCTION_ARGS)
{
	Choice		choice;

	open_choice(fcinfo, &choice);
	put_chosen(&choice, PG_INT64_MAX, is_of_wanted_stream, put_bare_place);
	return (Datum) 0;
}

/*
 * l4_line_records(structure, texts, parameters, stream_ids, line_nos): see its COMMENT. Errors and cost: as l4_shape_records;
 * what comes behind the last wanted line is not read.
 */
Datum
l4_line_records(PG_FUNCTION_ARGS)
{
	Choice		choice;

	open_choice(fcinfo, &choice);
	if (choice.wanted_count > 0)
		put_chosen(&choice, choice.wanted[choice.wanted_count - 1], has_wanted_line, put_line_record);
	return (Datum) 0;
}
