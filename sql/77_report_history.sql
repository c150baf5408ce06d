/* What a report says of other jobs: what differs from the last good run, and what is known of the suspects from before. */

CREATE FUNCTION @extschema@.l4_report_changes(job_id text, findings @extschema@.l4_finding[], most int DEFAULT 4)
RETURNS TABLE (place bigint, other text, what text, name text, here text, there text, of_event boolean)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10
BEGIN ATOMIC
	WITH diff AS MATERIALIZED (
		SELECT g.other, d.*
		FROM (SELECT @extschema@.l4_last_good_run(l4_report_changes.job_id) AS other OFFSET 0) g
		CROSS JOIN LATERAL @extschema@.l4_diff(l4_report_changes.job_id, g.other) WITH ORDINALITY
			d (kind, name, here, there, times, event_id, gravity, also_in, turn)
		WHERE g.other IS NOT NULL
	),
	numbered AS (
		-- what all good jobs log is missed first
		SELECT d.*, row_number() OVER (PARTITION BY d.kind ORDER BY CASE d.kind WHEN 'only there' THEN -d.also_in END, d.turn)
			AS number
		FROM diff d
		-- that a failed job ends earlier, and what it says of its failure, stands elsewhere
		WHERE (d.kind = 'size' AND (d.name = 'last iteration' OR EXISTS (
				SELECT FROM diff s WHERE s.kind = 'setting' AND s.name = d.name))) IS NOT TRUE AND NOT EXISTS (
			SELECT FROM unnest(l4_report_changes.findings) f WHERE f.kind = 'event' AND f.event_id = d.event_id)
	)
	SELECT row_number() OVER (ORDER BY n.turn), n.other, CASE n.kind WHEN 'setting' THEN 'Setting' WHEN 'size' THEN 'Size'
			WHEN 'value' THEN 'Logged value' WHEN 'step time' THEN 'Step time' WHEN 'only here' THEN 'Logged here alone'
			WHEN 'only there' THEN 'Logged there alone' WHEN 'count' THEN
				CASE WHEN n.times > 1 THEN 'Logged more often' ELSE 'Logged less often' END END,
		CASE WHEN n.event_id IS NOT NULL AND n.kind <> 'value' THEN @extschema@.l4_telling_line(n.name) ELSE n.name END,
		n.here, n.there, n.kind IN ('only here', 'only there', 'count')
	FROM numbered n
	WHERE n.number <= CASE WHEN n.kind IN ('setting', 'value') THEN 3 * l4_report_changes.most ELSE l4_report_changes.most END
	ORDER BY n.turn;
END;
COMMENT ON FUNCTION @extschema@.l4_report_changes(text, @extschema@.l4_finding[], int) IS
'Step: What a job has otherwise than the last good run (l4_diff), a row each, the comparison itself first (what NULL): '
'settings, sizes, logged values, step time, and the first few events of each kind that are none of the findings. No row '
'where there is no good run.';

CREATE FUNCTION @extschema@.l4_report_history(job_id text, findings @extschema@.l4_finding[], most int DEFAULT 3)
RETURNS TABLE (ordinal int, jobs bigint, failed_jobs bigint, blamed_jobs bigint, expected_jobs double precision,
	p_value double precision, last_blamed_job text, last_blamed_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 3
BEGIN ATOMIC
	WITH former AS MATERIALIZED (
		SELECT j.job_id, j.status, j.nodes, COALESCE(j.ended_at, j.started_at, j.registered_at) AS at
		FROM @extschema@.l4_job j, @extschema@.l4_job_row(l4_report_history.job_id) o
		WHERE j.job_id <> o.job_id AND j.nodes IS NOT NULL
			AND COALESCE(j.ended_at, j.started_at, j.registered_at) < COALESCE(o.started_at, o.ended_at, o.registered_at)
	),
	blamed AS MATERIALIZED (
		SELECT f.node, f.job_id FROM @extschema@.l4_finding f
		WHERE f.kind = 'node' AND f.ordinal = 1 AND f.node IS NOT NULL
			-- the newest diagnosis may have found nothing
			AND f.saved_at = GREATEST((SELECT max(d.saved_at) FROM @extschema@.l4_diagnosis d WHERE d.job_id = f.job_id),
				(SELECT max(n.saved_at) FROM @extschema@.l4_finding n WHERE n.job_id = f.job_id))
		UNION
		SELECT u.node, r.job_id FROM @extschema@.l4_failure_report r, unnest(r.faulty_nodes) u (node)
	),
	chance AS (
		SELECT (SELECT sum(cardinality(j.nodes)) FROM former j)::bigint AS nodes,
			(SELECT count(*) FROM former j JOIN blamed b ON b.job_id = j.job_id AND b.node = ANY (j.nodes)) AS blamed
	)
	SELECT n.ordinal, u.jobs, u.failed_jobs, u.blamed_jobs, u.jobs * c.blamed::float8 / c.nodes,
		@extschema@.l4_hypergeometric_tail(u.blamed_jobs, u.jobs, c.blamed, c.nodes), u.last_job, u.last_at
	FROM unnest(l4_report_history.findings) n
	CROSS JOIN chance c
	CROSS JOIN LATERAL (
		SELECT count(*) AS jobs, count(*) FILTER (WHERE j.status = 'failed') AS failed_jobs, count(b.job_id) AS blamed_jobs,
			(array_agg(j.job_id ORDER BY j.at DESC, j.job_id COLLATE "C") FILTER (WHERE b.job_id IS NOT NULL))[1] AS last_job,
			max(j.at) FILTER (WHERE b.job_id IS NOT NULL) AS last_at
		FROM former j LEFT JOIN blamed b ON b.job_id = j.job_id AND b.node = n.node
		WHERE n.node = ANY (j.nodes)) u
	WHERE n.kind = 'node' AND n.ordinal <= l4_report_history.most AND u.jobs > 0;
END;
COMMENT ON FUNCTION @extschema@.l4_report_history(text, @extschema@.l4_finding[], int) IS
'Step: Of the first suspects of a job what is known from the jobs before it, as l4_worst_nodes tells it of all nodes: how many '
'of those whose nodes the scheduler listed each took part in, how many of these failed, for how many it is blamed, how many '
'that would be by chance, and which was the last. No row for a node that took part in none.';

CREATE FUNCTION @extschema@.l4_report_past(job_id text, findings @extschema@.l4_finding[])
RETURNS TABLE (ordinal int, told text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 3
BEGIN ATOMIC
	SELECT r.ordinal, @extschema@.l4_history_sentence(to_jsonb(r))
	FROM @extschema@.l4_report_history(l4_report_past.job_id, l4_report_past.findings) r;
END;
COMMENT ON FUNCTION @extschema@.l4_report_past(text, @extschema@.l4_finding[]) IS
'Step: l4_report_history in words, a row a suspect of which anything is known.';
