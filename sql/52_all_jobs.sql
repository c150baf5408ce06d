/*
 * The door to the rows of all jobs: for what tells of a fleet, of a library, of every job kept. Such a question is no call a
 * job (a thousand of them would take seconds, and hide from the planner what is asked), so these few views name the tables
 * themselves; all else reads the views.
 */

CREATE VIEW @extschema@.l4_job_logs WITH (security_invoker = true) AS
WITH job AS (
	SELECT s.job_id, max(s.rank)::bigint + 1 AS ranks,
		count(*) FILTER (WHERE s.label IS NULL) AS files,
		count(*) FILTER (WHERE s.label IS NULL AND s.state = 'failed') AS failed_files,
		sum(s.record_count)::bigint AS records, sum(s.byte_count)::bigint AS bytes,
		-- logs of nodes go on for months before and after a job
		COALESCE(min(t.first_ts) FILTER (WHERE t.of_job), min(t.first_ts)) AS first_ts,
		COALESCE(max(t.last_ts) FILTER (WHERE t.of_job), max(t.last_ts)) AS last_ts,
		max(s.last_iteration) AS last_iteration, max(s.imported_at) AS imported_at,
		max(t.first_ts) FILTER (WHERE t.of_job) AS latest_first_ts, min(t.last_ts) FILTER (WHERE t.of_job) AS earliest_last_ts,
		count(t.first_ts) FILTER (WHERE t.of_job) AS stamped
	FROM @extschema@.l4_stream s
	CROSS JOIN LATERAL (SELECT s.kind <> 'system' AS of_job,
		CASE WHEN @extschema@.l4_clock_was_set(s.first_ts) AND isfinite(s.first_ts) THEN s.first_ts END AS first_ts,
		CASE WHEN isfinite(s.last_ts) THEN s.last_ts END AS last_ts) t
	GROUP BY s.job_id)
SELECT j.job_id, j.ranks, j.files, j.failed_files, j.records, j.bytes, j.first_ts, j.last_ts, j.last_iteration, j.imported_at,
	COALESCE(CASE WHEN j.stamped >= g.streams THEN
		@extschema@.l4_seconds_between(j.first_ts, j.latest_first_ts) > g.seconds
			OR @extschema@.l4_seconds_between(j.earliest_last_ts, j.last_ts) > g.seconds
		ELSE @extschema@.l4_seconds_between(j.first_ts, j.last_ts) > g.seconds END, false) AS scattered
FROM job j
CROSS JOIN (SELECT max(l.value) FILTER (WHERE l.name = 'job_gap') AS seconds,
	max(l.value) FILTER (WHERE l.name = 'job_stamped_streams') AS streams FROM @extschema@.l4_limit_in_force l) g;
COMMENT ON VIEW @extschema@.l4_job_logs IS
'One row a job that has logs: what its streams come to. Step of l4_job_facts, which says what the scheduler knows, too.';
COMMENT ON COLUMN @extschema@.l4_job_logs.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_job_logs.ranks IS
'one more than the highest rank that logs are from; NULL where none is known';
COMMENT ON COLUMN @extschema@.l4_job_logs.files IS
'files imported';
COMMENT ON COLUMN @extschema@.l4_job_logs.failed_files IS
'files that could not be read to their end';
COMMENT ON COLUMN @extschema@.l4_job_logs.records IS
'log records';
COMMENT ON COLUMN @extschema@.l4_job_logs.bytes IS
'bytes of log, uncompressed';
COMMENT ON COLUMN @extschema@.l4_job_logs.first_ts IS
'earliest time of a record, by a clock that was set; of the logs of nodes only where there are no others';
COMMENT ON COLUMN @extschema@.l4_job_logs.last_ts IS
'latest time of a record, likewise';
COMMENT ON COLUMN @extschema@.l4_job_logs.last_iteration IS
'the highest iteration that a stream reached at its end';
COMMENT ON COLUMN @extschema@.l4_job_logs.imported_at IS
'when the last of its logs were read';
COMMENT ON COLUMN @extschema@.l4_job_logs.scattered IS
'do its streams begin, or end, more than a week from each other (limit job_gap), so that some stamps may be of another time? '
'Of fewer than three streams with times: do they take longer than that? Then l4_job_span tells';

CREATE VIEW @extschema@.l4_job_nodes WITH (security_invoker = true) AS
SELECT DISTINCT j.job_id, u.node, true AS listed FROM @extschema@.l4_job j, unnest(j.nodes) u (node)
UNION ALL
-- the distinct nodes of all streams take long; where the scheduler told them there is no need
SELECT DISTINCT s.job_id, COALESCE(s.told_node, s.node), false FROM @extschema@.l4_stream s
WHERE COALESCE(s.told_node, s.node) IS NOT NULL
	AND NOT EXISTS (SELECT FROM @extschema@.l4_job j WHERE j.job_id = s.job_id AND j.nodes IS NOT NULL);
COMMENT ON VIEW @extschema@.l4_job_nodes IS
'The nodes of each job: those that the scheduler listed, else those that logs are from.';
COMMENT ON COLUMN @extschema@.l4_job_nodes.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_job_nodes.node IS
'the node';
COMMENT ON COLUMN @extschema@.l4_job_nodes.listed IS
'by the scheduler; else logs are from it';

CREATE FUNCTION @extschema@.l4_job_rows(job_ids text[]) RETURNS SETOF @extschema@.l4_job
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	RETURN QUERY SELECT j.* FROM @extschema@.l4_job j WHERE j.job_id = ANY (l4_job_rows.job_ids);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_rows(text[]) IS
'Step: The rows of l4_job of some jobs.';

CREATE FUNCTION @extschema@.l4_other_failed_jobs(job_id text) RETURNS SETOF text
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	whose name := @extschema@.l4_tenant_of(l4_other_failed_jobs.job_id);
BEGIN
	RETURN QUERY
	SELECT j.job_id FROM @extschema@.l4_job j
	WHERE j.status = 'failed' AND j.job_id <> l4_other_failed_jobs.job_id AND j.tenant IS NOT DISTINCT FROM whose;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_other_failed_jobs(text) IS
'Step: The failed jobs of the tenant of a job, but for the job itself.';

-- What the parameters of a shape look like in one stream: the first distinct values with their lines, and the range of the
-- numbers.
CREATE VIEW @extschema@.l4_stream_parameter WITH (security_invoker = true) AS
SELECT k.job_id, p.* FROM @extschema@.l4_parameter_sketch k CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch) p;
COMMENT ON VIEW @extschema@.l4_stream_parameter IS
'Per stream, shape and parameter position: the first 16 distinct values with the line of each one''s first record, and the '
'range and mean of those that are numbers. Unpacked from l4_parameter_sketch, which an import writes.';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.stream_id IS
'the stream';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.shape_id IS
'the shape';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.position IS
'which <*> of the shape, from 1';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.occurrences IS
'records counted';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.distinct_values IS
'number of distinct values, also where more than the 16 kept';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.values IS
'the first 16 distinct values, in order of first appearance';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.value_lines IS
'line of the first record with each value of "values"';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.number_count IS
'occurrences whose value is a number (a unit of up to three letters or % may follow)';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.minimum IS
'smallest number';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.minimum_line IS
'line of its first record';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.maximum IS
'largest number';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.maximum_line IS
'line of its first record';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.mean IS
'mean of the numbers';
