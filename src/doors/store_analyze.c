/*
 * store_analyze.c: fresh planner statistics of the tables that a diagnosis reads.
 */
#include "doors/store_analyze.h"

#include "doors/store_statement.h"

/* Does the caller own the tables, and are they of this server alone? On a cluster the command would go to all nodes. */
static bool
owns_tables(const char *schema)
{
	Arguments	arguments = {0};

	return store_run(schema,
					 "SELECT FROM pg_catalog.pg_class "
					 "WHERE oid OPERATOR(pg_catalog.=) '%s.l4_source_counts'::pg_catalog.regclass "
					 "AND pg_catalog.pg_has_role(relowner, 'USAGE') AND NOT %s.l4_is_distributed()", &arguments,
					 SPI_OK_SELECT) > 0;
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
				  "ANALYZE %s.l4_stream (job_id, stream_id, source_id, file_id, bundle_id, label, kind, node, told_node, rank, "
				  "attempt, last_iteration), %s.l4_source_counts (job_id, source_id, row_count), "
				  "%s.l4_parameter_sketch (job_id, source_id), "
				  "%s.l4_segment (job_id, source_id, segment_no, first_ts, last_ts, stream_ids, shape_ids)", &arguments,
				  SPI_OK_UTILITY);
}

void
store_analyze_rest(const char *schema)
{
	Arguments	arguments = {0};

	if (owns_tables(schema))
		/* the keys of shapes, which an index is of, are worth no statistics: to make them again costs more than the rest */
		store_run(schema,
				  "ANALYZE %s.l4_shape (shape_id, shape, event_id, tentative, tenant), %s.l4_pool_event, %s.l4_pool_parameter, "
				  "%s.l4_address", &arguments, SPI_OK_UTILITY);
}
