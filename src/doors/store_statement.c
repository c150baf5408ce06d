/*
 * store_statement.c: statements over l4's tables, with every name qualified, under the caller's own privileges and row
 * security.
 *
 * Everything goes through SQL, so that table privileges, row-level security, triggers of the site and a read-only transaction
 * are respected without a word here; the COPY callback interface would check none of them. Rows come in few large statements
 * (arrays unnested), since a statement per row would cost more than the parsing.
 */
#include "doors/store_statement.h"

#include "utils/guc.h"
#include "utils/memutils.h"

/*
 * Plans kept for the life of the session, by statement (a literal: its address) and schema; the server makes them anew when a
 * table changes.
 */
#define PLAN_LIMIT 128

typedef struct KeptPlan
{
	const char *statement;
	char	   *schema;
	Oid			first_type;		/* of the first argument: a row type is another one when the extension was made anew */
	SPIPlanPtr	plan;
} KeptPlan;

static KeptPlan kept_plans[PLAN_LIMIT];
static int	kept_plan_count = 0;

/* Are statements that are prepared now planned for the arguments of each call? */
static bool plans_each_call = false;

/* The statement with the schema for each %s. */
static char *
statement_text(const char *schema, const char *statement)
{
	StringInfoData sql;
	const char *at = statement;

	initStringInfo(&sql);
	while (*at != '\0')
	{
		if (at[0] == '%' && at[1] == 's')
		{
			appendStringInfoString(&sql, schema);
			at += 2;
		}
		else
			appendStringInfoChar(&sql, *at++);
	}
	return sql.data;
}

/*
 * The kept plan of a statement, or NULL. One for a row type that an extension made anew has replaced is freed, and its place is
 * given.
 */
static KeptPlan *
find_plan(const char *schema, const char *statement, Oid first_type)
{
	KeptPlan   *kept;

	for (kept = kept_plans; kept < kept_plans + kept_plan_count; kept++)
		if (kept->statement == statement && strcmp(kept->schema, schema) == 0)
		{
			if (kept->plan != NULL && kept->first_type != first_type)
			{
				SPI_freeplan(kept->plan);
				kept->plan = NULL;
			}
			return kept;
		}
	return NULL;
}

/* The plan of a statement, kept where there is room. */
static SPIPlanPtr
statement_plan(const char *schema, const char *statement, Arguments *arguments)
{
	Oid			first_type = arguments->count > 0 ? arguments->types[0] : InvalidOid;
	KeptPlan   *kept = find_plan(schema, statement, first_type);
	SPIPlanPtr	plan;
	char	   *sql;

	if (kept != NULL && kept->plan != NULL)
		return kept->plan;
	sql = statement_text(schema, statement);
	plan = SPI_prepare_cursor(sql, arguments->count, arguments->types, plans_each_call ? CURSOR_OPT_CUSTOM_PLAN : 0);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed with %s on: %s", SPI_result_code_string(SPI_result), sql);
	pfree(sql);
	if (kept == NULL && kept_plan_count == PLAN_LIMIT)
		return plan;			/* lives until SPI_finish */
	if (kept == NULL)
	{
		kept = &kept_plans[kept_plan_count];
		kept->schema = MemoryContextStrdup(TopMemoryContext, schema);
		kept->statement = statement;
		kept_plan_count++;
	}
	SPI_keepplan(plan);
	kept->first_type = first_type;
	kept->plan = plan;
	return plan;
}

/* Runs a statement; its result lives until the next one is run. */
static uint64
execute(const char *schema, const char *statement, Arguments *arguments, int expected, bool read_only)
{
	MemoryContext caller = CurrentMemoryContext;
	SPIPlanPtr	plan = statement_plan(schema, statement, arguments);
	int			result = SPI_execute_plan(plan, arguments->values, arguments->nulls, read_only, 0);

	MemoryContextSwitchTo(caller);	/* SPI leaves its own, which may go with the transaction */
	if (result != expected)
		elog(ERROR, "unexpected result %s of: %s", SPI_result_code_string(result), statement);
	return SPI_processed;
}

uint64
store_run(const char *schema, const char *statement, Arguments *arguments, int expected)
{
	return execute(schema, statement, arguments, expected, false);
}

uint64
store_query(const char *schema, const char *statement, Arguments *arguments)
{
	return execute(schema, statement, arguments, SPI_OK_SELECT, true);
}

/*
 * store_plan_each_call: on the node of a cluster that has a job (home.c) a plan must know its name.
 */
void
store_plan_each_call(bool each_call)
{
	plans_each_call = each_call;
}

/* A way to run queries that the planner is not to choose, until the level of settings ends. */
static void
switch_off(const char *setting)
{
	(void) set_config_option(setting, "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/*
 * store_run_by_key: a plan is kept while tables grow, and one made when they were small would read them whole each time: so it
 * is made without that choice.
 */
uint64
store_run_by_key(const char *schema, const char *statement, Arguments *arguments, int expected)
{
	int			level = NewGUCNestLevel();
	uint64		rows;

	switch_off("enable_seqscan");
	rows = store_run(schema, statement, arguments, expected);
	AtEOXact_GUC(true, level);
	return rows;
}

Portal
store_open(const char *schema, const char *statement, Arguments *arguments)
{
	MemoryContext caller = CurrentMemoryContext;
	Portal		cursor = SPI_cursor_open(NULL, statement_plan(schema, statement, arguments), arguments->values,
										 arguments->nulls, false);

	MemoryContextSwitchTo(caller);
	return cursor;
}
