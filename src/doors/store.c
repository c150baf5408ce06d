/*
 * store.c: the one door to l4's tables: SPI with every name qualified, under the caller's own privileges and row security.
 *
 * Everything goes through SQL, so that table privileges, row-level security, triggers of the site and a read-only transaction
 * are respected without a word here; the COPY callback interface would check none of them. Rows come in few large statements
 * (arrays unnested), since a statement per row would cost more than the parsing.
 */
#include "doors/store_parts.h"

#include "access/xact.h"
#include "tools/bytes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/*
 * Plans kept for the life of the session, by statement (a literal: its address) and schema; the server makes them anew when a
 * table changes.
 */
#define PLAN_LIMIT 64

typedef struct KeptPlan
{
	const char *statement;
	char	   *schema;
	Oid			first_type;		/* of the first argument: a row type is another one when the extension was made anew */
	SPIPlanPtr	plan;
} KeptPlan;

static KeptPlan kept_plans[PLAN_LIMIT];
static int	kept_plan_count = 0;

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
	plan = SPI_prepare(sql, arguments->count, arguments->types);
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

/*
 * Runs a statement in which %s stands for the schema; expects the given kind of result, which lives until the next statement is
 * run.
 */
uint64
store_run(const char *schema, const char *statement, Arguments *arguments, int expected)
{
	MemoryContext caller = CurrentMemoryContext;
	SPIPlanPtr	plan = statement_plan(schema, statement, arguments);
	int			result;

	/* not read only: a fresh snapshot after each commit of the caller */
	result = SPI_execute_plan(plan, arguments->values, arguments->nulls, false, 0);
	MemoryContextSwitchTo(caller);	/* SPI leaves its own, which may go with the transaction */
	if (result != expected)
		elog(ERROR, "unexpected result %s of: %s", SPI_result_code_string(result), statement);
	return SPI_processed;
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

uint64
store_run_hashed(const char *schema, const char *statement, Arguments *arguments, int expected)
{
	int			level = NewGUCNestLevel();
	uint64		rows;

	switch_off("enable_nestloop");
	rows = store_run_by_key(schema, statement, arguments, expected);
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

void
store_connect(bool may_commit)
{
	MemoryContext caller = CurrentMemoryContext;

	SPI_connect_ext(may_commit ? SPI_OPT_NONATOMIC : 0);
	MemoryContextSwitchTo(caller);
}

/* In a worker, whose transactions nobody else begins and ends. */
static bool own_transactions = false;

void
store_begin(void)
{
	MemoryContext caller = CurrentMemoryContext;

	own_transactions = true;
	StartTransactionCommand();
	XactIsoLevel = XACT_READ_COMMITTED;
	PushActiveSnapshot(GetTransactionSnapshot());
	SPI_connect();
	MemoryContextSwitchTo(caller);
}

void
store_end(void)
{
	MemoryContext caller = CurrentMemoryContext;

	SPI_finish();
	PopActiveSnapshot();
	CommitTransactionCommand();
	MemoryContextSwitchTo(caller);
}

/*
 * Commits what came of a file without waiting for the disk, as the site's own synchronous_commit = off would: what a crash of
 * the server takes with it are whole files, which calling the import again brings back. store_settle makes the end of the call
 * wait for all of them.
 */
void
store_commit_file(void)
{
	(void) set_config_option("synchronous_commit", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
	store_commit();
}

void
store_settle(void)
{
	(void) GetCurrentTransactionId();	/* a commit without one waits for nothing */
	ForceSyncCommit();
}

/* A file's transaction reads what others committed while it waited for them: READ COMMITTED, whatever the session's default. */
void
store_commit(void)
{
	if (own_transactions)
	{
		store_end();
		store_begin();
		return;
	}
	SPI_commit();
	XactIsoLevel = XACT_READ_COMMITTED;
}

void
store_disconnect(void)
{
	MemoryContext caller = CurrentMemoryContext;

	SPI_finish();
	MemoryContextSwitchTo(caller);
}

const char *
store_schema(FunctionCallInfo fcinfo)
{
	return quote_identifier(get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid)));
}

/* A text[] as C strings in the given context; NULL elements are left out. */
static char **
text_array(Datum array, MemoryContext context, int *count)
{
	Datum	   *elements;
	bool	   *nulls;
	int			total;
	int			i;
	char	  **texts;
	MemoryContext caller;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &total);
	caller = MemoryContextSwitchTo(context);
	texts = palloc(mul_size(Max(total, 1), sizeof(char *)));
	*count = 0;
	for (i = 0; i < total; i++)
		if (!nulls[i])
			texts[(*count)++] = TextDatumGetCString(elements[i]);
	MemoryContextSwitchTo(caller);
	return texts;
}

/*
 * store_job: reads a job. Errors: P0002 where there is none.
 */
L4Job *
store_job(const char *schema, const char *job_id)
{
	MemoryContext context = CurrentMemoryContext;
	Arguments	arguments = {0};
	L4Job	   *job = palloc0(sizeof(L4Job));
	bool		is_null;
	Datum		value;

	add_text(&arguments, job_id);
	if (store_run(schema,
				  "SELECT time_zone, started_at, nodes, ranks_per_node FROM %s.l4_job "
				  "WHERE job_id OPERATOR(pg_catalog.=) $1",
				  &arguments, SPI_OK_SELECT) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NO_DATA_FOUND),
				 errmsg("job \"%s\" is not registered", job_id),
				 errhint("Register it first: SELECT l4_register_job('%s', '{\"model\": ...}', 'failed');", job_id)));
	job->job_id = MemoryContextStrdup(context, job_id);
	job->time_zone = MemoryContextStrdup(context, result_text(0, 1));
	value = result_datum(0, 2, &is_null);
	job->started_at = is_null || TIMESTAMP_NOT_FINITE(DatumGetTimestampTz(value)) ? 0 : DatumGetTimestampTz(value);
	value = result_datum(0, 3, &is_null);
	if (!is_null)
		job->cluster.nodes = text_array(value, context, &job->cluster.node_count);
	value = result_datum(0, 4, &is_null);
	job->cluster.ranks_per_node = is_null ? 0 : DatumGetInt32(value);
	return job;
}

static void
load_formats(const char *schema, MemoryContext context, L4Rules *rules)
{
	Arguments	arguments = {0};
	uint64		count = store_run(schema, "SELECT name, kind, priority, dominant, pattern FROM %s.l4_format_in_force "
								  "ORDER BY priority, name COLLATE \"C\"", &arguments, SPI_OK_SELECT);
	uint64		i;

	rules->formats = MemoryContextAllocZero(context, mul_size(Max(count, 1), sizeof(L4Format)));
	for (i = 0; i < count; i++)
	{
		L4Format   *format = &rules->formats[rules->format_count++];
		char	   *kind = result_text(i, 2);
		bool		is_null;

		format->name = MemoryContextStrdup(context, result_text(i, 1));
		format->kind = strcmp(kind, "path") == 0 ? L4_FORMAT_PATH
			: strcmp(kind, "prefix") == 0 ? L4_FORMAT_PREFIX : L4_FORMAT_HEADER;
		format->priority = DatumGetInt32(result_datum(i, 3, &is_null));
		format->dominant = DatumGetBool(result_datum(i, 4, &is_null));
		format->pattern = MemoryContextStrdup(context, result_text(i, 5));
	}
}

static int
stage_number(const char *stage)
{
	int			i;

	for (i = 0; i < l4_stage_count; i++)
		if (strcmp(l4_stages[i], stage) == 0)
			return i + 1;
	elog(ERROR, "unknown stage \"%s\"", stage);
	return 0;
}

/* Compiles a rule's pattern in context; what and name are for the message. */
static L4Pattern *
compile_rule(MemoryContext context, const char *what, const char *name, const char *pattern)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	L4Pattern  *compiled = pattern_compile(pattern, strlen(pattern), psprintf("%s \"%s\"", what, name));

	MemoryContextSwitchTo(caller);
	return compiled;
}

static void
load_stage_rules(const char *schema, MemoryContext context, L4ProgressRules *rules)
{
	Arguments	arguments = {0};
	uint64		count = store_run(schema, "SELECT name, stage, pattern FROM %s.l4_stage_rule_in_force "
								  "ORDER BY priority, name COLLATE \"C\"", &arguments, SPI_OK_SELECT);
	uint64		i;

	rules->stages = MemoryContextAllocZero(context, mul_size(Max(count, 1), sizeof(L4StageRule)));
	for (i = 0; i < count; i++)
	{
		rules->stages[i].pattern = compile_rule(context, "stage rule", result_text(i, 1), result_text(i, 3));
		rules->stages[i].stage = stage_number(result_text(i, 2));
		rules->stage_count++;
	}
}

static void
load_iteration_rules(const char *schema, MemoryContext context, L4ProgressRules *rules)
{
	Arguments	arguments = {0};
	uint64		count = store_run(schema, "SELECT name, position, pattern FROM %s.l4_iteration_rule_in_force "
								  "ORDER BY priority, name COLLATE \"C\"", &arguments, SPI_OK_SELECT);
	uint64		i;

	rules->iterations = MemoryContextAllocZero(context, mul_size(Max(count, 1), sizeof(L4IterationRule)));
	for (i = 0; i < count; i++)
	{
		L4IterationRule *rule = &rules->iterations[rules->iteration_count++];
		char	   *name = result_text(i, 1);
		char	   *position = result_text(i, 2);

		rule->pattern = compile_rule(context, "iteration rule", name, result_text(i, 3));
		rule->group = pattern_group_number(rule->pattern, "iter");
		rule->position = strcmp(position, "start") == 0 ? L4_ITERATION_START :
			strcmp(position, "end") == 0 ? L4_ITERATION_END : L4_ITERATION_INSIDE;
		if (rule->group < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_REGULAR_EXPRESSION),
					 errmsg("iteration rule \"%s\" has no group named \"iter\"", name),
					 errhint("Write the number's part of the pattern as (?<iter>\\d+).")));
	}
}

static void
load_masks(const char *schema, MemoryContext context, L4Rules *rules)
{
	Arguments	arguments = {0};
	uint64		count = store_run(schema, "SELECT name, pattern FROM %s.l4_mask_in_force ORDER BY priority, name COLLATE \"C\"",
								  &arguments, SPI_OK_SELECT);
	uint64		i;

	rules->masks = MemoryContextAllocZero(context, mul_size(Max(count, 1), sizeof(L4Pattern *)));
	for (i = 0; i < count; i++)
		rules->masks[rules->mask_count++] = compile_rule(context, "mask", result_text(i, 1), result_text(i, 2));
}

static void
load_grave_words(const char *schema, MemoryContext context, L4GraveWords *grave)
{
	Arguments	arguments = {0};
	uint64		count = store_run(schema,
								  "SELECT pattern FROM %s.l4_wording_in_force WHERE class OPERATOR(pg_catalog.=) 'grave_word' "
								  "ORDER BY name COLLATE \"C\"", &arguments, SPI_OK_SELECT);
	uint64		i;

	grave->words = MemoryContextAllocZero(context, mul_size(Max(count, 1), sizeof(char *)));
	for (i = 0; i < count; i++)
		grave->words[grave->count++] = MemoryContextStrdup(context, result_text(i, 1));
}

/*
 * store_rules: all rules that are switched on. Errors: 2201B for a pattern that does not compile, with the rule's name.
 */
L4Rules *
store_rules(const char *schema)
{
	MemoryContext context = CurrentMemoryContext;
	L4Rules    *rules = palloc0(sizeof(L4Rules));

	load_formats(schema, context, rules);
	load_stage_rules(schema, context, &rules->progress);
	load_iteration_rules(schema, context, &rules->progress);
	load_masks(schema, context, rules);
	load_grave_words(schema, context, &rules->grave);
	return rules;
}

static void
read_known_file(uint64 row, L4KnownFile *known)
{
	Datum		value;
	bool		is_null;

	known->known = true;
	value = result_datum(row, 2, &is_null);
	known->size = is_null ? -1 : DatumGetInt64(value);
	value = result_datum(row, 3, &is_null);
	known->modified_at = is_null ? 0 : DatumGetTimestampTz(value);
	known->failed = DatumGetBool(result_datum(row, 4, &is_null));
	value = result_datum(row, 5, &is_null);
	known->has_time = !is_null;
	known->first_ts = is_null ? 0 : DatumGetTimestampTz(value);
}

void
store_known_files(const char *schema, const char *job_id, const int64 *file_ids, int count, L4KnownFile *known)
{
	Arguments	arguments = {0};
	uint64		rows;
	uint64		i;
	bool		is_null;

	memset(known, 0, mul_size(count, sizeof(L4KnownFile)));
	add_text(&arguments, job_id);
	add_argument(&arguments, INT8ARRAYOID, bigint_array(file_ids, count), false);
	rows = store_run_by_key(schema,
							"SELECT f.number, s.size, s.modified_at, s.failed, s.first_ts "
							"FROM pg_catalog.unnest($2) WITH ORDINALITY AS f (file_id, number) "
							"CROSS JOIN LATERAL (SELECT pg_catalog.count(*), pg_catalog.max(file_size), "
							"pg_catalog.max(file_modified_at), pg_catalog.bool_or(state OPERATOR(pg_catalog.=) 'failed'), "
							"pg_catalog.min(first_ts) FROM %s.l4_stream t WHERE t.job_id OPERATOR(pg_catalog.=) $1 "
							"AND t.file_id OPERATOR(pg_catalog.=) f.file_id) AS s (streams, size, modified_at, failed, "
							"first_ts) WHERE s.streams OPERATOR(pg_catalog.>) 0", &arguments, SPI_OK_SELECT);
	for (i = 0; i < rows; i++)
		read_known_file(i, &known[DatumGetInt64(result_datum(i, 1, &is_null)) - 1]);
	result_done();
}

bool
store_forget_file(const char *schema, const char *job_id, int64 file_id)
{
	Arguments	arguments = {0};
	bool		named = false;
	bool		is_null;
	uint64		count;
	uint64		i;

	add_text(&arguments, job_id);
	add_bigint(&arguments, file_id, false);
	store_run(schema, "DELETE FROM %s.l4_stream_event e USING %s.l4_stream s WHERE s.job_id OPERATOR(pg_catalog.=) $1 "
			  "AND s.file_id OPERATOR(pg_catalog.=) $2 AND e.job_id OPERATOR(pg_catalog.=) $1 "
			  "AND e.stream_id OPERATOR(pg_catalog.=) s.stream_id", &arguments, SPI_OK_DELETE);
	store_run(schema, "DELETE FROM %s.l4_segment g USING %s.l4_stream s WHERE s.job_id OPERATOR(pg_catalog.=) $1 "
			  "AND s.file_id OPERATOR(pg_catalog.=) $2 AND g.job_id OPERATOR(pg_catalog.=) $1 "
			  "AND g.source_id OPERATOR(pg_catalog.=) s.stream_id", &arguments, SPI_OK_DELETE);
	store_run(schema, "DELETE FROM %s.l4_parameter_sketch p USING %s.l4_stream s WHERE s.job_id OPERATOR(pg_catalog.=) $1 "
			  "AND s.file_id OPERATOR(pg_catalog.=) $2 AND p.job_id OPERATOR(pg_catalog.=) $1 "
			  "AND p.source_id OPERATOR(pg_catalog.=) s.stream_id", &arguments, SPI_OK_DELETE);
	store_run(schema, "DELETE FROM %s.l4_source_state t USING %s.l4_stream s WHERE s.job_id OPERATOR(pg_catalog.=) $1 "
			  "AND s.file_id OPERATOR(pg_catalog.=) $2 AND t.job_id OPERATOR(pg_catalog.=) $1 "
			  "AND t.source_id OPERATOR(pg_catalog.=) s.stream_id", &arguments, SPI_OK_DELETE);
	count = store_run(schema,
					  "DELETE FROM %s.l4_stream WHERE job_id OPERATOR(pg_catalog.=) $1 AND file_id OPERATOR(pg_catalog.=) $2 "
					  "RETURNING first_iteration IS NOT NULL", &arguments, SPI_OK_DELETE_RETURNING);
	for (i = 0; i < count && !named; i++)
		named = DatumGetBool(result_datum(i, 1, &is_null));
	result_done();
	return named;
}

void
store_assign_events(const char *schema, const char *job_id)
{
	Arguments	arguments = {0};

	add_text(&arguments, job_id);
	store_run(schema, "SELECT %s.l4_assign_events($1)", &arguments, SPI_OK_SELECT);
}

void
store_refresh_pool(const char *schema, const char *job_id)
{
	Arguments	arguments = {0};

	add_text(&arguments, job_id);
	store_run(schema, "SELECT %s.l4_pool_refresh($1)", &arguments, SPI_OK_SELECT);
	/* under the lock that this holds: two imports of one job do not learn at once */
	store_run(schema, "SELECT %s.l4_learn_addresses($1)", &arguments, SPI_OK_SELECT);
}

/* Does the caller own the tables? */
static bool
owns_tables(const char *schema)
{
	Arguments	arguments = {0};

	return store_run(schema,
					 "SELECT FROM pg_catalog.pg_class "
					 "WHERE oid OPERATOR(pg_catalog.=) '%s.l4_stream_event'::pg_catalog.regclass "
					 "AND pg_catalog.pg_has_role(relowner, 'USAGE')", &arguments, SPI_OK_SELECT) > 0;
}

/*
 * store_analyze_logs, store_analyze_rest: fresh planner statistics of the tables that diagnosis reads: without them the first
 * diagnosis after the first imports is planned for empty tables. First of those that files go into, then of what is found out
 * at the end of an import. Do nothing where the caller does not own the tables; autovacuum will do it then.
 */
void
store_analyze_logs(const char *schema)
{
	Arguments	arguments = {0};

	if (owns_tables(schema))
		/* the columns by which rows are found */
		store_run(schema,
				  "ANALYZE %s.l4_stream, %s.l4_stream_event (job_id, stream_id, shape_id, level, stage), "
				  "%s.l4_parameter_sketch (job_id, source_id), "
				  "%s.l4_segment (job_id, source_id, segment_no, first_ts, last_ts, stream_ids, shape_ids)", &arguments,
				  SPI_OK_UTILITY);
}

void
store_analyze_rest(const char *schema)
{
	Arguments	arguments = {0};

	if (owns_tables(schema))
		store_run(schema, "ANALYZE %s.l4_shape, %s.l4_pool_event, %s.l4_pool_parameter, %s.l4_address", &arguments,
				  SPI_OK_UTILITY);
}

void
store_limit_waits(void)
{
	(void) set_config_option("lock_timeout", "10s", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
}

Datum
store_event_shapes(const char *schema, int64 event_id, bool *is_null)
{
	MemoryContext caller = CurrentMemoryContext;
	Arguments	arguments = {0};
	SPIPlanPtr	plan;
	Datum		shapes;

	store_connect(false);
	add_bigint(&arguments, event_id, false);
	plan = statement_plan(schema,
						  "SELECT pg_catalog.array_agg(shape_id ORDER BY shape_id) FROM %s.l4_shape "
						  "WHERE event_id OPERATOR(pg_catalog.=) $1", &arguments);
	if (SPI_execute_plan(plan, arguments.values, arguments.nulls, true, 1) != SPI_OK_SELECT)
		elog(ERROR, "the shapes of an event cannot be read");
	shapes = result_datum(0, 1, is_null);
	MemoryContextSwitchTo(caller);
	if (!*is_null)
		shapes = datumCopy(shapes, false, -1);
	store_disconnect();
	return shapes;
}
