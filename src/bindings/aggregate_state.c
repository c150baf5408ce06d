/*
 * aggregate_state.c: what the states of l4's aggregates share. States travel as text between the machines of a distributed
 * engine, so the text form is base64, a third larger than the bytes, where the hexadecimal form of bytea doubles them.
 */
#include "bindings/aggregate_state.h"

#include "common/base64.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "nodes/memnodes.h"
#include "utils/memutils.h"

/* Base64 of a flat state. */
static char *
state_to_text(const char *data, Size size)
{
	uint64		room = ((uint64) size + 2) / 3 * 4 + 1;
	char	   *text;
	int			length;

	if (room > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("aggregate state is too large for its text form"),
				 errdetail("It takes %zu bytes.", size)));
	text = palloc(room);
	length = pg_b64_encode((const L4Base64Byte *) data, (int) size, text, (int) room - 1);
	if (length < 0)
		elog(ERROR, "could not encode an aggregate state");
	text[length] = '\0';
	return text;
}

bytea *
state_from_text(const char *text, const char *type_name)
{
	int			length = (int) strlen(text);
	int			room = pg_b64_dec_len(length);
	bytea	   *state = palloc((Size) room + VARHDRSZ);
	int			size = pg_b64_decode(text, length, (L4Base64Byte *) VARDATA(state), room);

	if (size < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s", type_name),
				 errdetail("The text is not base64.")));
	SET_VARSIZE(state, size + VARHDRSZ);
	return state;
}

Datum
state_output(FunctionCallInfo fcinfo)
{
	struct varlena *state = PG_GETARG_VARLENA_PP(0);

	PG_RETURN_CSTRING(state_to_text(VARDATA_ANY(state), VARSIZE_ANY_EXHDR(state)));
}

Datum
state_send(FunctionCallInfo fcinfo)
{
	struct varlena *state = PG_GETARG_VARLENA_PP(0);
	StringInfoData message;

	pq_begintypsend(&message);
	pq_sendbytes(&message, VARDATA_ANY(state), VARSIZE_ANY_EXHDR(state));
	PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

bytea *
state_received(FunctionCallInfo fcinfo)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	int			size = message->len - message->cursor;
	bytea	   *state = palloc(add_size(VARHDRSZ, size));

	SET_VARSIZE(state, VARHDRSZ + size);
	pq_copymsgbytes(message, VARDATA(state), size);
	return state;
}

/* Refuses bytes that are no state of the type. */
static Datum
checked_state(bytea *state, const L4StateType *type)
{
	MemoryContextDelete(type->parse(CurrentMemoryContext, VARDATA(state), VARSIZE(state) - VARHDRSZ)->eoh_context);
	return PointerGetDatum(state);
}

Datum
state_input(FunctionCallInfo fcinfo, const L4StateType *type)
{
	return checked_state(state_from_text(PG_GETARG_CSTRING(0), type->name), type);
}

Datum
state_receive(FunctionCallInfo fcinfo, const L4StateType *type)
{
	return checked_state(state_received(fcinfo), type);
}

ExpandedObjectHeader *
state_fetch(Datum datum, MemoryContext parent, bool writable, const L4StateType *type)
{
	struct varlena *pointer = (struct varlena *) DatumGetPointer(datum);
	struct varlena *flat;

	if (VARATT_IS_EXTERNAL_EXPANDED(pointer) && (!writable || VARATT_IS_EXTERNAL_EXPANDED_RW(pointer)))
	{
		ExpandedObjectHeader *object = DatumGetEOHP(datum);

		if (object->eoh_methods == type->methods)
			return object;
	}
	flat = PG_DETOAST_DATUM_PACKED(datum);
	return type->parse(parent, VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(flat));
}

void
state_corrupt(const L4StateReader *reader, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid value of type %s", reader->type_name),
			 errdetail("%s", detail)));
}

const char *
state_read_bytes(L4StateReader *reader, Size size)
{
	const char *data = reader->next;

	if (size > (Size) (reader->end - reader->next))
		state_corrupt(reader, "The value ends too early.");
	reader->next += size;
	return data;
}

void
state_read(L4StateReader *reader, void *target, Size size)
{
	const char *data = state_read_bytes(reader, size);

	if (size > 0)
		memcpy(target, data, size);
}

void
state_read_end(const L4StateReader *reader)
{
	if (reader->next != reader->end)
		state_corrupt(reader, "The value has bytes after its end.");
}

void
state_check_budget(uint64 needed, const char *function_name)
{
	uint64		limit = (uint64) maintenance_work_mem * 1024;

	if (needed > limit)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("%s needs more memory than maintenance_work_mem allows", function_name),
				 errdetail("It needs %llu kB, the limit is %d kB.",
						   (unsigned long long) ((needed + 1023) / 1024), maintenance_work_mem),
				 errhint("Raise maintenance_work_mem, or give it fewer rows.")));
}

Size
state_check_flat(uint64 size, const char *type_name)
{
	if (size > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("value of type %s is too large", type_name),
				 errdetail("It would take %llu bytes, at most %llu are possible.",
						   (unsigned long long) size, (unsigned long long) MaxAllocSize)));
	return (Size) size;
}

MemoryContext
state_context(FunctionCallInfo fcinfo, const char *function_name)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s may be called by an aggregate only", function_name)));
	return context;
}

MemoryContext
state_shared_context(MemoryContext parent)
{
	static const char name[] = "states of l4";

	for (MemoryContext child = parent->firstchild; child != NULL; child = child->nextchild)
		if (child->name == name)
			return child;
	return AllocSetContextCreateInternal(parent, name, ALLOCSET_DEFAULT_SIZES);
}
