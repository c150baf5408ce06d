/*
 * guard.c: a plain DROP EXTENSION must not take a year of logs with it.
 *
 * Tables of an extension go with it without a word, rows and all. Dependencies cannot prevent that from inside, and an event trigger on
 * sql_drop is itself dropped before it could fire. So this one fires at the start of DROP EXTENSION, reads the statement and refuses unless it says CASCADE
 * or no log is there.
 */
#include "ground/l4.h"

#include "commands/event_trigger.h"
#include "fmgr.h"
#include "nodes/parsenodes.h"
#include "nodes/value.h"

#include "doors/store.h"

PG_FUNCTION_INFO_V1(l4_guard_drop);

static bool
drops_l4(const DropStmt *statement)
{
	ListCell   *cell;

	foreach(cell, statement->objects)
		if (IsA(lfirst(cell), String) && strcmp(strVal(lfirst(cell)), "l4") == 0)
			return true;
	return false;
}

/*
 * l4_guard_drop(): event trigger of ddl_command_start for DROP EXTENSION. Errors: 2BP01 when logs would be lost.
 */
Datum
l4_guard_drop(PG_FUNCTION_ARGS)
{
	EventTriggerData *data = (EventTriggerData *) fcinfo->context;
	const DropStmt *statement;

	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("l4_guard_drop can only be called as an event trigger")));
	if (!IsA(data->parsetree, DropStmt))
		PG_RETURN_NULL();
	statement = (const DropStmt *) data->parsetree;
	if (statement->removeType == OBJECT_EXTENSION && statement->behavior == DROP_RESTRICT && drops_l4(statement) &&
		store_holds_logs(store_schema(fcinfo)))
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("cannot drop extension l4 because its tables hold logs of jobs"),
				 errhint("Use DROP EXTENSION l4 CASCADE to drop the logs too.")));
	PG_RETURN_NULL();
}
