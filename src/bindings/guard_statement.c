/*
 * guard_statement.c: what is an error before Citus (up to 13.2.2) sees it, in sessions that have loaded this library: all,
 * where it is in shared_preload_libraries behind citus.
 *
 * CALL l4_import(NULL, ...): Citus looks for the node of a distributed procedure by its argument without asking whether that is
 * NULL, which ends the server with all its sessions.
 *
 * COPY ... FROM into a table whose row security holds for the caller: the server refuses that, but Citus copies the rows into
 * the shards of its node past all policies.
 */
#include "bindings/guard.h"

#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"
#include "tcop/utility.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

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

/* As the server does it for its own tables. */
static void
refuse_unchecked_rows(const CopyStmt *statement)
{
	Oid			relation;

	if (!statement->is_from || statement->relation == NULL)
		return;
	relation = RangeVarGetRelid(statement->relation, NoLock, true);
	if (OidIsValid(relation) && check_enable_rls(relation, InvalidOid, false) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("COPY FROM not supported with row-level security"),
				 errhint("Use INSERT statements instead.")));
}

static void
look_at(PlannedStmt *statement, const char *text, bool read_only, ProcessUtilityContext context, ParamListInfo parameters,
		QueryEnvironment *environment, DestReceiver *receiver, QueryCompletion *completion)
{
	if (IsA(statement->utilityStmt, CallStmt))
		refuse_no_job((const CallStmt *) statement->utilityStmt);
	else if (IsA(statement->utilityStmt, CopyStmt))
		refuse_unchecked_rows((const CopyStmt *) statement->utilityStmt);
	(previous_utility != NULL ? previous_utility : standard_ProcessUtility) (statement, text, read_only, context, parameters,
																			 environment, receiver, completion);
}

void
guard_statements(void)
{
	previous_utility = ProcessUtility_hook;
	ProcessUtility_hook = look_at;
}
