/*
 * store_settings.c: what decides how logs are read: the job and the rules in force.
 */
#include "doors/store_settings.h"

#include "utils/memutils.h"

#include "algorithms/segment.h"
#include "doors/store_statement.h"

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
				  "SELECT time_zone, started_at, nodes, ranks_per_node, tenant, %s.l4_tenant_salt(tenant) FROM %s.l4_job "
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
	value = result_datum(0, 5, &is_null);
	job->tenant = is_null ? NULL : MemoryContextStrdup(context, NameStr(*DatumGetName(value)));
	job->salt = (uint64) result_bigint(0, 6);
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

static L4PatternSet *
create_set(MemoryContext context)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	L4PatternSet *set = pattern_set_create();

	MemoryContextSwitchTo(caller);
	return set;
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
	uint64		count = store_run(schema, "SELECT name, stage, pattern, position FROM %s.l4_stage_rule_in_force "
								  "ORDER BY priority, name COLLATE \"C\"", &arguments, SPI_OK_SELECT);
	uint64		i;

	rules->stage_set = create_set(context);
	rules->stages = MemoryContextAllocZero(context, mul_size(Max(count, 1), sizeof(L4StageRule)));
	for (i = 0; i < count; i++)
	{
		char	   *pattern = MemoryContextStrdup(context, result_text(i, 3));

		rules->stages[i].pattern = compile_rule(context, "stage rule", result_text(i, 1), pattern);
		pattern_set_add_compiled(rules->stage_set, rules->stages[i].pattern, (L4Bytes) {pattern, strlen(pattern)});
		rules->stages[i].stage = stage_number(result_text(i, 2));
		rules->stages[i].ends = strcmp(result_text(i, 4), "end") == 0;
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

	rules->iteration_set = create_set(context);
	rules->iterations = MemoryContextAllocZero(context, mul_size(Max(count, 1), sizeof(L4IterationRule)));
	for (i = 0; i < count; i++)
	{
		L4IterationRule *rule = &rules->iterations[rules->iteration_count++];
		char	   *name = result_text(i, 1);
		char	   *position = result_text(i, 2);
		char	   *pattern = MemoryContextStrdup(context, result_text(i, 3));

		rule->pattern = compile_rule(context, "iteration rule", name, pattern);
		pattern_set_add_compiled(rules->iteration_set, rule->pattern, (L4Bytes) {pattern, strlen(pattern)});
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

/*
 * store_settings_hash: built-in and own rules, and what of the job decides about times and places.
 */
int64
store_settings_hash(const char *schema, const char *job_id)
{
	Arguments	arguments = {0};
	bool		is_null;

	add_text(&arguments, job_id);
	store_run(schema, "SELECT pg_catalog.hashtextextended(pg_catalog.concat_ws(E'\\x01', "
			  "(SELECT pg_catalog.string_agg(f::pg_catalog.text, E'\\n' ORDER BY name COLLATE \"C\") "
			  "FROM %s.l4_format_in_force f), "
			  "(SELECT pg_catalog.string_agg(s::pg_catalog.text, E'\\n' ORDER BY name COLLATE \"C\") "
			  "FROM %s.l4_stage_rule_in_force s), "
			  "(SELECT pg_catalog.string_agg(i::pg_catalog.text, E'\\n' ORDER BY name COLLATE \"C\") "
			  "FROM %s.l4_iteration_rule_in_force i), "
			  "(SELECT pg_catalog.string_agg(m::pg_catalog.text, E'\\n' ORDER BY name COLLATE \"C\") "
			  "FROM %s.l4_mask_in_force m), "
			  "(SELECT pg_catalog.string_agg(w.pattern, E'\\n' ORDER BY name COLLATE \"C\") "
			  "FROM %s.l4_wording_in_force w WHERE class OPERATOR(pg_catalog.=) 'grave_word'), "
			  "(SELECT ROW(time_zone, pg_catalog.date_part('epoch', started_at), nodes, ranks_per_node)::pg_catalog.text "
			  "FROM %s.l4_job WHERE job_id OPERATOR(pg_catalog.=) $1), "
			  "(SELECT tenant FROM %s.l4_job WHERE job_id OPERATOR(pg_catalog.=) $1)), 0)", &arguments, SPI_OK_SELECT);
	return DatumGetInt64(result_datum(0, 1, &is_null));
}
