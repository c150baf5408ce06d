/*
 * guard_call.c: CALL l4_import(NULL, ...) is an error before Citus sees it.
 *
 * Citus (up to 13.2.2) looks for the node of a distributed procedure by its argument without asking whether that is NULL, which
 * ends the server with all its sessions. So it is looked at before, in sessions that have loaded this library: all, where it is
 * in shared_preload_libraries behind citus.
 */
#include "bindings/guard.h"

#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"
#include "tcop/utility.h"
#include "utils/lsyscache.h"

static ProcessUtility_hook_type previous_utility = NULL;

static bool
is_import(Oid procedure)
{
	const char *name = get_func_name(procedure);
	Oid			extension;

	if (name == NULL || strcmp(name, "l4_import") != 0)
		return false;
	extension = getExtensionOfObject(ProcedureRelationId, procedure);
	return OidIsValid(extension) && strcmp(get_extension_name(extension), "l4") == 0;
}

static void
refuse_no_job(const CallStmt *statement)
{
	const FuncExpr *call = statement->funcexpr;
	const Const *job_id = call == NULL || call->args == NIL ? NULL : linitial(call->args);

	if (job_id != NULL && IsA(job_id, Const) && job_id->constisnull && is_import(call->funcid))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("l4_import needs a job_id")));
}

static void
look_at_call(PlannedStmt *statement, const char *text, bool read_only, ProcessUtilityContext context, ParamListInfo parameters,
			 QueryEnvironment *environment, DestReceiver *receiver, QueryCompletion *completion)
{
	if (IsA(statement->utilityStmt, CallStmt))
		refuse_no_job((const CallStmt *) statement->utilityStmt);
	(previous_utility != NULL ? previous_utility : standard_ProcessUtility) (statement, text, read_only, context, parameters,
																			 environment, receiver, completion);
}

void
guard_calls(void)
{
	previous_utility = ProcessUtility_hook;
	ProcessUtility_hook = look_at_call;
}
