/*
 * store_files.c: what is there of a file from an earlier import.
 */
#include "doors/store_files.h"

#include "doors/store_statement.h"

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
store_forget_file(const char *schema, const char *job_id, int64 file_id, L4BundledStream **bundled,
				  int *bundled_count)
{
	Arguments	arguments = {0};
	bool		named = false;
	bool		is_null;
	uint64		count;
	uint64		i;

	add_text(&arguments, job_id);
	add_bigint(&arguments, file_id, false);
	store_run(schema, "DELETE FROM %s.l4_source_counts c USING %s.l4_stream s WHERE s.job_id OPERATOR(pg_catalog.=) $1 "
			  "AND s.file_id OPERATOR(pg_catalog.=) $2 AND c.job_id OPERATOR(pg_catalog.=) $1 "
			  "AND c.source_id OPERATOR(pg_catalog.=) s.stream_id", &arguments, SPI_OK_DELETE);
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
					  "RETURNING first_iteration IS NOT NULL, stream_id, bundle_id, source_id", &arguments,
					  SPI_OK_DELETE_RETURNING);
	*bundled = palloc(mul_size(Max(count, 1), sizeof(L4BundledStream)));
	*bundled_count = 0;
	for (i = 0; i < count; i++)
	{
		Datum		bundle_id = result_datum(i, 3, &is_null);

		if (!is_null)
			(*bundled)[(*bundled_count)++] = (L4BundledStream) {DatumGetInt64(bundle_id), result_bigint(i, 2),
				result_bigint(i, 4)};
		named |= DatumGetBool(result_datum(i, 1, &is_null));
	}
	result_done();
	return named;
}
