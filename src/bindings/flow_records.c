/*
 * flow_records.c: the records of one pair of addresses, 24 bytes each, in blocks that are never moved. As long as there is room
 * each block is twice as long as the one before; from then on a full one is put into the aggregation's file and filled again.
 */
#include "bindings/flow_records.h"

#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/nodeFuncs.h"
#include "executor/nodeHash.h"
#include "storage/buffile.h"
#include "tools/room.h"
#include "utils/memutils.h"

#define FIRST_BLOCK 42
#define LONGEST_BLOCK 16384

/*
 * Of what a hash table may take: two aggregates of a query, one for each way between two, take half of it, so that the server
 * has no reason to put whole groups away.
 */
#define SHARE_OF_HASH_MEMORY 4

typedef struct Block
{
	struct Block *next;
	int32		count;
	int32		room;
	L4FlowRecord records[FLEXIBLE_ARRAY_MEMBER];
} Block;

/* A block in the file. */
typedef struct Put
{
	struct Put *next;
	int32		count;
	int			file;
	off_t		offset;
} Put;

struct L4RecordRoom
{
	L4RecordRoom *next;
	MemoryContext of;			/* of the states: grouping sets have several at once */
	MemoryContext context;		/* of this */
	Size		held;			/* by blocks */
	Size		most;
	BufFile    *file;			/* NULL: nothing was put away yet */
	Put			end;			/* where it ends */
};

/* ---- the room ---- */

/* The states are gone. Not called where a query fails: the server closes its files then. */
static void
leave_room(Datum argument)
{
	L4RecordRoom *room = (L4RecordRoom *) DatumGetPointer(argument);

	if (room->file != NULL)
		BufFileClose(room->file);
	room->file = NULL;
	room->held = 0;
	room->of = NULL;
}

/* One that nobody uses, or a new one. */
static L4RecordRoom *
free_room(FunctionCallInfo fcinfo)
{
	L4RecordRoom *room = fcinfo->flinfo->fn_extra;

	while (room != NULL && room->of != NULL)
		room = room->next;
	if (room == NULL)
	{
		room = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(L4RecordRoom));
		room->context = fcinfo->flinfo->fn_mcxt;
		room->next = fcinfo->flinfo->fn_extra;
		fcinfo->flinfo->fn_extra = room;
	}
	return room;
}

L4RecordRoom *
flow_record_room(FunctionCallInfo fcinfo)
{
	MemoryContext of;
	L4RecordRoom *room;

	if (AggCheckCallContext(fcinfo, &of) != AGG_CONTEXT_AGGREGATE)
		return NULL;
	for (room = fcinfo->flinfo->fn_extra; room != NULL; room = room->next)
		if (room->of == of)
			return room;
	room = free_room(fcinfo);
	room->of = of;
	room->most = get_hash_memory_limit() / SHARE_OF_HASH_MEMORY;
	AggRegisterCallback(fcinfo, leave_room, PointerGetDatum(room));
	return room;
}

static void
put_away(L4FlowRecords *records, Block *block)
{
	L4RecordRoom *room = records->room;
	Put		   *put = MemoryContextAlloc(records->context, sizeof(Put));

	if (room->file == NULL)
	{
		MemoryContext before = MemoryContextSwitchTo(room->context);

		room->file = BufFileCreateTemp(false);
		room->end = (Put) {0};
		MemoryContextSwitchTo(before);
	}
	*put = (Put) {records->put, block->count, room->end.file, room->end.offset};
	records->put = put;
	/* something may have been read since */
	if (BufFileSeek(room->file, put->file, put->offset, SEEK_SET) != 0)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not write a temporary file of flows: %m")));
	BufFileWrite(room->file, block->records, block->count * sizeof(L4FlowRecord));
	BufFileTell(room->file, &room->end.file, &room->end.offset);
	block->count = 0;
}

static void
get_back(const L4RecordRoom *room, const Put *put, void *to)
{
	size_t		size = put->count * sizeof(L4FlowRecord);

	if (BufFileSeek(room->file, put->file, put->offset, SEEK_SET) != 0 || BufFileRead(room->file, to, size) != size)
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not read a temporary file of flows: %m")));
}

/* ---- the records ---- */

static void
add_block(L4FlowRecords *records, int32 room)
{
	Size		size = offsetof(Block, records) + room * sizeof(L4FlowRecord);
	Block	   *block = MemoryContextAlloc(records->context, size);

	block->next = records->blocks;
	block->count = 0;
	block->room = room;
	records->blocks = block;
	if (records->room != NULL)
		records->room->held += size;
}

L4FlowRecord *
flow_records_next(L4FlowRecords *records)
{
	if (records->blocks == NULL)
		add_block(records, FIRST_BLOCK);
	else if (records->blocks->count == records->blocks->room)
	{
		if (records->room != NULL && records->room->held >= records->room->most)
			put_away(records, records->blocks);
		else
			add_block(records, Min(2 * records->blocks->room, LONGEST_BLOCK));
	}
	records->count++;
	return records->blocks->records + records->blocks->count++;
}

void
flow_records_copy(const L4FlowRecords *records, void *to)
{
	char	   *next = to;

	for (const Block *block = records->blocks; block != NULL; block = block->next)
	{
		memcpy(next, block->records, block->count * sizeof(L4FlowRecord));
		next += block->count * sizeof(L4FlowRecord);
	}
	for (const Put *put = records->put; put != NULL; put = put->next)
	{
		CHECK_FOR_INTERRUPTS();
		get_back(records->room, put, next);
		next += put->count * sizeof(L4FlowRecord);
	}
}

L4FlowRecord *
flow_records_all(const L4FlowRecords *records)
{
	L4FlowRecord *all = room_for(records->count, sizeof(L4FlowRecord));

	flow_records_copy(records, all);
	return all;
}
