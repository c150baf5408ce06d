/*
 * guard.c: no statement that does not say so takes a year of logs, or a site's faults and rules, with it.
 *
 * Tables of an extension go with it without a word, rows and all. Dependencies cannot prevent that from inside, and an event
 * trigger on sql_drop is itself dropped before it could fire. So this one fires at the start of the statements that drop the
 * extension, reads them, and refuses unless they say CASCADE, or the setting l4.allow_drop is on, or only rows that came with
 * l4 are there.
 *
 * The schema is not renamed at all: functions name it in their text.
 */
#include "bindings/guard.h"

#include "commands/event_trigger.h"
#include "fmgr.h"
#include "nodes/parsenodes.h"
#include "nodes/value.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "doors/extension.h"

PG_FUNCTION_INFO_V1(l4_guard_drop);

static bool allow_drop = false;

void
guard_define_settings(void)
{
	DefineCustomBoolVariable("l4.allow_drop",
							 "Lets DROP EXTENSION l4 and DROP OWNED discard logs, faults and rules without CASCADE.",
							 "For pg_restore --clean, which cannot say CASCADE.", &allow_drop, false, PGC_USERSET, 0, NULL,
							 NULL, NULL);
}

static bool
drops_l4(const DropStmt *statement)
{
	ListCell   *cell;

	if (statement->removeType != OBJECT_EXTENSION)
		return false;
	foreach(cell, statement->objects)
		if (IsA(lfirst(cell), String) && strcmp(strVal(lfirst(cell)), "l4") == 0)
			return true;
	return false;
}

/* DROP OWNED takes an extension of the roles' along; one in a schema of theirs it refuses by itself. */
static bool
drops_owner(const DropOwnedStmt *statement)
{
	Oid			owner = extension_owner();
	ListCell   *cell;

	foreach(cell, statement->roles)
		if (get_rolespec_oid(lfirst_node(RoleSpec, cell), true) == owner)
			return true;
	return false;
}

/* Citus would leave what is on other nodes there, whatever the statement says. */
static void
refuse_remains(void)
{
	if (extension_is_distributed())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("cannot drop extension l4 while it is distributed over the nodes of a cluster"),
				 errhint("SELECT l4_undistribute() makes it one of a single server again; "
						 "l4_undistribute(keep_rows => false) leaves the rows behind.")));
}

static void
refuse_loss(DropBehavior behavior)
{
	const char *tables;

	refuse_remains();
	tables = allow_drop || behavior != DROP_RESTRICT ? NULL : extension_kept_tables();
	if (tables != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("cannot drop extension l4 because its tables hold logs of jobs, or faults and rules of this site"),
				 errdetail("Rows that would be lost are in %s.", tables),
				 errhint("Use DROP EXTENSION l4 CASCADE to drop them too. "
						 "For pg_restore --clean, set l4.allow_drop: PGOPTIONS='-c l4.allow_drop=on' pg_restore --clean "
						 "--if-exists ...")));
}

static void
refuse_rename(const RenameStmt *statement, const char *schema)
{
	if (statement->renameType == OBJECT_SCHEMA && strcmp(statement->subname, schema) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot rename schema \"%s\" because functions of extension l4 name it", schema),
				 errhint("Other objects can be moved to a schema of the new name: ALTER ... SET SCHEMA.")));
}

/*
 * l4_guard_drop(): event trigger of ddl_command_start for DROP EXTENSION, DROP OWNED and ALTER SCHEMA. Errors: 2BP01 when rows
 * of the site would be lost, 55006 while l4 is distributed, 55000 when the schema would be renamed.
 */
Datum
l4_guard_drop(PG_FUNCTION_ARGS)
{
	const Node *statement;

	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("l4_guard_drop can only be called as an event trigger")));
	statement = ((EventTriggerData *) fcinfo->context)->parsetree;
	if (IsA(statement, RenameStmt))
		refuse_rename((const RenameStmt *) statement, get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid)));
	else if (IsA(statement, DropStmt) && drops_l4((const DropStmt *) statement))
		refuse_loss(((const DropStmt *) statement)->behavior);
	else if (IsA(statement, DropOwnedStmt) && drops_owner((const DropOwnedStmt *) statement))
		refuse_loss(((const DropOwnedStmt *) statement)->behavior);
	PG_RETURN_NULL();
}
