/*
 * checked_insert.c: rows that an INSERT ... SELECT puts into tables of a cluster obey row security.
 *
 * What Citus (13.2.2) cannot have a node insert by itself it collects, and copies into the shards: by COPY, which a server
 * refuses where row security is in force, or into a shard of its own past all policies. What has a RETURNING or ON CONFLICT it
 * sends as INSERTs, which policies see. So a statement that it would copy gets a RETURNING here, whose rows nobody takes. (COPY
 * itself: bindings/guard_statement.c.)
 */
#include "doors/checked_insert.h"

#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "optimizer/planner.h"

static planner_hook_type previous_planner = NULL;

static PlannedStmt *
plan_next(Query *query, const char *text, int options, ParamListInfo parameters)
{
	return (previous_planner != NULL ? previous_planner : standard_planner) (query, text, options, parameters);
}

/* Is it an INSERT whose rows policies are to see, and that has neither RETURNING nor ON CONFLICT? */
static bool
is_unchecked(const Query *query)
{
	return query->commandType == CMD_INSERT && query->hasRowSecurity && query->withCheckOptions != NIL &&
		query->returningList == NIL && query->onConflict == NULL;
}

/* Would Citus collect the rows? */
static bool
collects(const PlannedStmt *plan)
{
	return IsA(plan->planTree, CustomScan) &&
		strcmp(((CustomScan *) plan->planTree)->methods->CustomName, "Citus INSERT ... SELECT") == 0;
}

static PlannedStmt *
plan_checked(Query *query, const char *text, int options, ParamListInfo parameters)
{
	Query	   *again = is_unchecked(query) ? copyObject(query) : NULL;
	PlannedStmt *plan = plan_next(query, text, options, parameters);

	if (again == NULL || !collects(plan))
		return plan;
	again->returningList = list_make1(makeTargetEntry((Expr *) makeBoolConst(true, false), 1, pstrdup("checked"), false));
	plan = plan_next(again, text, options, parameters);
	plan->hasReturning = false;
	return plan;
}

void
checked_insert_begin(void)
{
	previous_planner = planner_hook;
	planner_hook = plan_checked;
}
