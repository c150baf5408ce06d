/*
 * parse.c: the head of a line, its shape and the built-in formats, callable from SQL.
 *
 * l4_parse and its kin are immutable: they know the built-in formats and their arguments, no table and no setting. What is
 * costly to make (compiled patterns) is kept per call site and made anew only when an argument changes.
 */
#include "algorithms/header.h"

#include "access/htup_details.h"
#include "algorithms/mask.h"
#include "algorithms/progress.h"
#include "loading/given_up.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "storage/shmem.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(l4_parse);
PG_FUNCTION_INFO_V1(l4_line_formats);
PG_FUNCTION_INFO_V1(l4_shape);
PG_FUNCTION_INFO_V1(l4_shape_id);
PG_FUNCTION_INFO_V1(l4_stage_text);
PG_FUNCTION_INFO_V1(l4_builtin_formats);

#define RECORD_COLUMNS 8
#define FORMAT_COLUMNS 6

/* Kept per call site. */
typedef struct ParseState
{
	MemoryContext parser_context;	/* parser and zone_name */
	MemoryContext mask_context; /* masks and mask_key */
	char	   *zone_name;
	TimestampTz reference;
	L4HeaderParser *parser;
	char	   *mask_key;		/* the array's bytes as given, NULL for none */
	Size		mask_key_size;
	int			mask_count;
	L4Pattern **masks;
	bool		warned;			/* that masks gave up */
	L4Shape		shape;
	TupleDesc	descriptor;
} ParseState;

static ParseState *
parse_state(FunctionCallInfo fcinfo)
{
	ParseState *state = fcinfo->flinfo->fn_extra;
	MemoryContext previous;

	if (state != NULL)
		return state;
	previous = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	state = palloc0(sizeof(ParseState));
	state->parser_context = AllocSetContextCreate(CurrentMemoryContext, "l4 parser", ALLOCSET_DEFAULT_SIZES);
	state->mask_context = AllocSetContextCreate(CurrentMemoryContext, "l4 masks", ALLOCSET_DEFAULT_SIZES);
	shape_init(&state->shape);
	MemoryContextSwitchTo(previous);
	fcinfo->flinfo->fn_extra = state;
	return state;
}

/* A time zone by its name. Errors: 22023. */
static pg_tz *
zone_by_name(const char *name)
{
	pg_tz	   *zone = pg_tzset(name);

	if (zone == NULL || !pg_tz_acceptable(zone))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("time zone \"%s\" is not recognized", name),
				 errhint("Use a name of the view pg_timezone_names, such as 'UTC' or 'Asia/Shanghai'.")));
	return zone;
}

/*
 * The parser for zone and reference. To make one costs milliseconds: another reference, which may be another one for each row,
 * is given to the one at hand.
 */
static L4HeaderParser *
state_parser(ParseState *state, const char *zone_name, TimestampTz reference)
{
	MemoryContext previous;
	pg_tz	   *zone;

	if (state->parser != NULL && strcmp(state->zone_name, zone_name) == 0)
	{
		if (state->reference != reference)
			header_parser_reset(state->parser, reference);
		state->reference = reference;
		return state->parser;
	}
	state->parser = NULL;
	MemoryContextReset(state->parser_context);
	zone = zone_by_name(zone_name);
	previous = MemoryContextSwitchTo(state->parser_context);
	state->zone_name = pstrdup(zone_name);
	state->reference = reference;
	state->parser = header_parser_create(l4_builtin_formats_array, l4_builtin_formats_count, zone, reference, false);
	MemoryContextSwitchTo(previous);
	return state->parser;
}

static void
compile_masks(ParseState *state, ArrayType *array)
{
	Datum	   *elements;
	bool	   *nulls;
	int			count;
	int			i;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("masks must be a one-dimensional array")));
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &count);
	state->masks = palloc(mul_size(Max(count, 1), sizeof(L4Pattern *)));
	for (i = 0; i < count; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("mask %d is null", i + 1),
					 errhint("Leave the element out.")));
		state->masks[i] = pattern_compile(VARDATA_ANY(DatumGetPointer(elements[i])),
										  VARSIZE_ANY_EXHDR(DatumGetPointer(elements[i])),
										  psprintf("mask %d", i + 1));
	}
	state->mask_count = count;
}

/* Compiles the masks of an argument, unless they are those at hand. Errors: 2201B, 22004, 2202E. */
static void
state_masks(ParseState *state, FunctionCallInfo fcinfo, int argument)
{
	MemoryContext previous;
	ArrayType  *array;

	if (PG_NARGS() <= argument || PG_ARGISNULL(argument))
	{
		state->mask_count = 0;
		state->mask_key = NULL;
		return;
	}
	array = PG_GETARG_ARRAYTYPE_P(argument);
	if (state->mask_key != NULL && state->mask_key_size == VARSIZE(array) &&
		memcmp(state->mask_key, array, VARSIZE(array)) == 0)
		return;
	state->mask_key = NULL;
	state->mask_count = 0;
	state->warned = false;
	MemoryContextReset(state->mask_context);
	previous = MemoryContextSwitchTo(state->mask_context);
	compile_masks(state, array);
	state->mask_key_size = VARSIZE(array);
	state->mask_key = memcpy(palloc(VARSIZE(array)), array, VARSIZE(array));
	MemoryContextSwitchTo(previous);
}

/* Masks a message into the state's shape; warns once of masks that gave up. */
static void
mask_for_caller(ParseState *state, L4Bytes message)
{
	StringInfoData given_up;
	int			i;

	mask_message(&state->shape, message, state->masks, state->mask_count);
	if (state->mask_count == 0 || state->warned)
		return;
	initStringInfo(&given_up);
	for (i = 0; i < state->mask_count; i++)
		pattern_note_given_up(state->masks[i], &given_up);
	given_up_warn(&given_up);
	state->warned = given_up.len > 0;
	pfree(given_up.data);
}

static L4Bytes
text_bytes(text *value)
{
	L4Bytes		bytes = {VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};

	return bytes;
}

/* The first line of a record, without its terminator. */
static L4Bytes
first_line(L4Bytes record)
{
	const char *stop = memchr(record.data, '\n', record.size);
	L4Bytes		line = record;

	if (stop != NULL)
		line.size = stop - record.data;
	if (line.size > 0 && line.data[line.size - 1] == '\r')
		line.size--;
	return line;
}

static Datum
parameter_array(const L4Shape *shape)
{
	Datum	   *elements = palloc(mul_size(Max(shape->parameter_count, 1), sizeof(Datum)));
	int			i;

	for (i = 0; i < shape->parameter_count; i++)
		elements[i] = PointerGetDatum(cstring_to_text_with_len(shape->parameters[i].data, shape->parameters[i].size));
	return PointerGetDatum(construct_array(elements, shape->parameter_count, TEXTOID, -1, false, TYPALIGN_INT));
}

static TupleDesc
state_descriptor(ParseState *state, FunctionCallInfo fcinfo)
{
	MemoryContext previous;
	TupleDesc	descriptor;

	if (state->descriptor != NULL)
		return state->descriptor;
	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE || descriptor->natts != RECORD_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("l4_parse must return the type l4_record"),
				 errhint("Script and library are of different versions: run ALTER EXTENSION l4 UPDATE.")));
	previous = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	state->descriptor = BlessTupleDesc(CreateTupleDescCopy(descriptor));
	MemoryContextSwitchTo(previous);
	return state->descriptor;
}

/* The parser for the arguments time_zone and reference at the given place and after it. NULL means their defaults. */
static L4HeaderParser *
parser_from_arguments(ParseState *state, FunctionCallInfo fcinfo, int argument)
{
	const char *zone_name = PG_ARGISNULL(argument) ? "UTC" : text_to_cstring(PG_GETARG_TEXT_PP(argument));
	TimestampTz reference = PG_ARGISNULL(argument + 1) ? 0 : PG_GETARG_TIMESTAMPTZ(argument + 1);

	return state_parser(state, zone_name, reference);
}

/* Sets a text column, NULL where the span is empty. */
static void
set_text(Datum *value, bool *null, const char *data, size_t size)
{
	*null = size == 0;
	if (size > 0)
		*value = PointerGetDatum(cstring_to_text_with_len(data, size));
}

/*
 * l4_parse(line text, time_zone text, reference timestamptz, masks text[]) returns l4_record. The header is read from the first
 * line of a record of several. NULL for a NULL line. Errors: 22023 unknown zone, 2201B mask that does not compile. Cost: about
 * two microseconds.
 */
Datum
l4_parse(PG_FUNCTION_ARGS)
{
	ParseState *state = parse_state(fcinfo);
	Datum		values[RECORD_COLUMNS] = {0};
	bool		nulls[RECORD_COLUMNS] = {0};
	const char *level;
	TupleDesc	descriptor;
	L4HeaderParser *parser;
	L4Header	header;
	L4Bytes		record;
	L4Bytes		message;

	parser = parser_from_arguments(state, fcinfo, 1);
	state_masks(state, fcinfo, 3);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	descriptor = state_descriptor(state, fcinfo);
	record = text_bytes(PG_GETARG_TEXT_PP(0));
	header_parse(parser, first_line(record), &header);
	message.data = record.data + header.size;
	message.size = record.size - header.size;
	mask_for_caller(state, message);
	level = level_name(header.level);
	nulls[0] = !header.has_time;
	values[0] = TimestampTzGetDatum(header.has_time ? header.time : 0);
	set_text(&values[1], &nulls[1], level, level != NULL ? strlen(level) : 0);
	set_text(&values[2], &nulls[2], header.component.data, header.component.size);
	nulls[3] = header.rank < 0 && header.stated_rank < 0;
	values[3] = Int32GetDatum(header.rank >= 0 ? header.rank : header.stated_rank);
	values[4] = PointerGetDatum(cstring_to_text_with_len(message.data, message.size));
	values[5] = Int64GetDatum((int64) shape_hash(state->shape.text.data, state->shape.text.len));
	values[6] = PointerGetDatum(cstring_to_text_with_len(state->shape.text.data, state->shape.text.len));
	values[7] = parameter_array(&state->shape);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(descriptor, values, nulls)));
}

/*
 * l4_line_formats(line text) returns text[]: the names of the built-in formats that l4_parse finds at the beginning of a line,
 * outermost first.
 */
Datum
l4_line_formats(PG_FUNCTION_ARGS)
{
	L4HeaderParser *parser = state_parser(parse_state(fcinfo), "UTC", 0);
	Datum		names[L4_PREFIX_LIMIT + 1];
	L4Header	header;
	int			count = 0;

	header_parse(parser, first_line(text_bytes(PG_GETARG_TEXT_PP(0))), &header);
	for (; count < header.prefix_count; count++)
		names[count] = CStringGetTextDatum(header_format_name(parser, header.prefixes[count]));
	if (header.has_header)
		names[count++] = CStringGetTextDatum(header_format_name(parser, header.format));
	PG_RETURN_ARRAYTYPE_P(construct_array(names, count, TEXTOID, -1, false, TYPALIGN_INT));
}

/* The shape of the message in argument 0 with the masks of argument 1; false where the message is NULL. */
static bool
shape_from_arguments(FunctionCallInfo fcinfo, L4Shape **shape)
{
	ParseState *state = parse_state(fcinfo);

	state_masks(state, fcinfo, 1);
	if (PG_ARGISNULL(0))
		return false;
	mask_for_caller(state, text_bytes(PG_GETARG_TEXT_PP(0)));
	*shape = &state->shape;
	return true;
}

/*
 * l4_shape(message text, masks text[]) returns text: the message with its variable parts replaced by <*>. Errors: 2201B. Cost:
 * below a microsecond.
 */
Datum
l4_shape(PG_FUNCTION_ARGS)
{
	L4Shape    *shape;

	if (!shape_from_arguments(fcinfo, &shape))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text_with_len(shape->text.data, shape->text.len));
}

/*
 * l4_shape_id(message text, masks text[]) returns bigint: the hash of the shape, the same on every machine.
 */
Datum
l4_shape_id(PG_FUNCTION_ARGS)
{
	L4Shape    *shape;

	if (!shape_from_arguments(fcinfo, &shape))
		PG_RETURN_NULL();
	PG_RETURN_INT64((int64) shape_hash(shape->text.data, shape->text.len));
}

/*
 * l4_stage_text(shape text) returns text: the shape as the stage rules see it (progress_stage_sample).
 */
Datum
l4_stage_text(PG_FUNCTION_ARGS)
{
	text	   *shape = PG_GETARG_TEXT_PP(0);
	StringInfoData out;

	initStringInfo(&out);
	progress_stage_sample(&out, (L4Bytes) {VARDATA_ANY(shape), VARSIZE_ANY_EXHDR(shape)});
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}

/*
 * l4_builtin_formats() returns the rows of format_rules.c.
 */
Datum
l4_builtin_formats(PG_FUNCTION_ARGS)
{
	static const char *const kinds[] = {"path", "prefix", "header"};
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	for (i = 0; i < l4_builtin_formats_count; i++)
	{
		const L4Format *format = &l4_builtin_formats_array[i];
		Datum		values[FORMAT_COLUMNS];
		bool		nulls[FORMAT_COLUMNS] = {0};

		values[0] = CStringGetTextDatum(format->name);
		values[1] = CStringGetTextDatum(kinds[format->kind]);
		values[2] = Int32GetDatum(format->priority);
		values[3] = CStringGetTextDatum(format->pattern);
		values[4] = BoolGetDatum(format->dominant);
		values[5] = CStringGetTextDatum(format->example);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
