/*
 * A job beside another one: what it has otherwise than the last good run, and what went wrong in it first.
 */

CREATE FUNCTION @extschema@.l4_last_good_run(job_id text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT o.job_id
	FROM @extschema@.l4_best_pool(l4_last_good_run.job_id) b
	CROSS JOIN LATERAL @extschema@.l4_job_rows(ARRAY(SELECT m.job_id FROM @extschema@.l4_pool_job m
		WHERE m.pool_id = b.pool_id AND m.job_id <> l4_last_good_run.job_id)) o
	LEFT JOIN @extschema@.l4_job_row(l4_last_good_run.job_id) j ON true
	CROSS JOIN LATERAL (SELECT COALESCE(o.started_at, o.ended_at, o.registered_at) AS at) w
	-- rather one before it than one after it
	ORDER BY (w.at < COALESCE(j.started_at, j.ended_at, j.registered_at)) IS TRUE DESC, w.at DESC, o.job_id COLLATE "C"
	LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_last_good_run(text) IS
'Step: The last successful job before this one of those whose settings fit best (l4_best_pool); the last of all where none was '
'before it; NULL where there is none.';

CREATE FUNCTION @extschema@.l4_diff_settings(job_id text, other text)
RETURNS TABLE (kind text, name text, here text, there text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	SELECT 'setting', k.key, j.settings ->> k.key, o.settings ->> k.key
	FROM @extschema@.l4_job_row(l4_diff_settings.job_id) j
	CROSS JOIN @extschema@.l4_job_row(l4_diff_settings.other) o
	CROSS JOIN LATERAL (
		SELECT a.key FROM jsonb_object_keys(j.settings) a (key) UNION SELECT b.key FROM jsonb_object_keys(o.settings) b (key)) k
	WHERE j.settings -> k.key IS DISTINCT FROM o.settings -> k.key
	UNION ALL
	SELECT 'size', s.name, s.here::text, s.there::text
	FROM @extschema@.l4_facts_of_job(l4_diff_settings.job_id) j
	FULL JOIN @extschema@.l4_facts_of_job(l4_diff_settings.other) o ON true
	CROSS JOIN LATERAL (VALUES ('nodes', j.nodes::bigint, o.nodes::bigint), ('ranks', j.ranks, o.ranks),
		('last iteration', j.last_iteration, o.last_iteration)) s (name, here, there)
	WHERE s.here IS DISTINCT FROM s.there;
END;
COMMENT ON FUNCTION @extschema@.l4_diff_settings(text, text) IS
'Step: What two jobs have otherwise in their settings, and in numbers of nodes, ranks and iterations.';

CREATE FUNCTION @extschema@.l4_diff_values(job_id text, other text, limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings)
RETURNS TABLE (name text, here text, there text, event_id bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 10
BEGIN ATOMIC
	WITH mine AS MATERIALIZED (SELECT a.* FROM @extschema@.l4_setup_alike(l4_diff_values.job_id, limits, wordings) a),
	theirs AS MATERIALIZED (SELECT a.* FROM @extschema@.l4_setup_alike(l4_diff_values.other, limits, wordings) a),
	pool AS MATERIALIZED (
		SELECT e.* FROM @extschema@.l4_best_pool(l4_diff_values.job_id) b
		CROSS JOIN LATERAL @extschema@.l4_even_values(l4_diff_values.job_id, b.pool_id) e)
	SELECT DISTINCT ON (COALESCE(n.name, h.shape) COLLATE "C", m.value COLLATE "C", t.value COLLATE "C")
		COALESCE(n.name, h.shape), m.value, t.value, h.event_id
	FROM mine m
	JOIN theirs t ON t.shape_id = m.shape_id AND t.position = m.position AND t.value <> m.value
	JOIN @extschema@.l4_shape h ON h.shape_id = m.shape_id
	LEFT JOIN pool p ON p.shape_id = m.shape_id AND p.position = m.position
	CROSS JOIN LATERAL (SELECT @extschema@.l4_parameter_name(h.shape, m.position) AS name OFFSET 0) n
	WHERE m.share >= (limits).setup_usual_share AND t.share >= (limits).setup_usual_share
		-- what is another one in each good job, or on each of its ranks, is no setting
		AND (p.jobs > 1 AND p.value IS NULL) IS NOT TRUE AND p.even IS NOT FALSE
		AND @extschema@.l4_may_be_setting(n.name, m.value, p.jobs > 1 IS TRUE, wordings)
	ORDER BY COALESCE(n.name, h.shape) COLLATE "C", m.value COLLATE "C", t.value COLLATE "C", m.streams DESC, m.shape_id,
		m.position;
END;
COMMENT ON FUNCTION @extschema@.l4_diff_values(text, text, @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Versions and other values of set-up that two jobs log otherwise (l4_setup_alike): in the same statement nearly '
'all streams of each have one value before they iterate, and not the same. What varies among the good jobs of the pool '
'is left out.';

CREATE FUNCTION @extschema@.l4_event_rates(job_id text, jobs text[])
RETURNS TABLE (of_job text, event_id bigint, occurrences bigint, streams bigint, level_rank int)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1000
BEGIN ATOMIC
	-- the two jobs by their counts; good ones, which may be many, by what they brought to their pool
	SELECT j.id, s.event_id, sum(e.occurrences)::bigint, max(e.streams)::bigint, max(e.level_rank)
	FROM unnest(l4_event_rates.jobs) j (id)
	CROSS JOIN LATERAL @extschema@.l4_job_shapes(j.id) e
	JOIN @extschema@.l4_shape s ON s.shape_id = e.shape_id
	WHERE s.event_id IS NOT NULL
	GROUP BY j.id, s.event_id
	UNION ALL
	SELECT e.job_id, s.event_id, sum(e.occurrences)::bigint, max(e.streams)::bigint, NULL
	FROM @extschema@.l4_best_pool(l4_event_rates.job_id) b
	JOIN @extschema@.l4_pool_job m ON m.pool_id = b.pool_id AND m.job_id <> ALL (l4_event_rates.jobs)
	JOIN @extschema@.l4_pool_job_event e ON e.job_id = m.job_id
	JOIN @extschema@.l4_shape s ON s.shape_id = e.shape_id
	WHERE s.event_id IS NOT NULL
	GROUP BY e.job_id, s.event_id;
END;
COMMENT ON FUNCTION @extschema@.l4_event_rates(text, text[]) IS
'Step: How many records of each event there are in the given jobs, and in all other good jobs of the pool of a job; '
'streams: in how many at least; level_rank: the gravest level, in the given jobs.';

CREATE FUNCTION @extschema@.l4_diff_events(job_id text, other text, limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings)
RETURNS TABLE (kind text, name text, here text, there text, times double precision, event_id bigint, gravity int,
	also_in bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 100
BEGIN ATOMIC
	WITH rate AS MATERIALIZED (
		SELECT r.* FROM @extschema@.l4_event_rates(l4_diff_events.job_id,
			ARRAY[l4_diff_events.job_id, l4_diff_events.other]) r
	),
	length AS MATERIALIZED (
		-- what is logged once an iteration comes as often as there are iterations
		SELECT j.id, (s.last_iteration - s.first_iteration + 1)::float8 AS iterations
		FROM (SELECT DISTINCT r.of_job AS id FROM rate r) j
		CROSS JOIN LATERAL @extschema@.l4_job_timeline_span(j.id) s WHERE s.last_iteration >= s.first_iteration
	),
	scale AS (
		SELECT o.id, m.iterations / o.iterations AS factor FROM length m, length o WHERE m.id = l4_diff_events.job_id
	),
	usual AS (
		SELECT r.event_id, max(r.occurrences::float8 / r.streams * GREATEST(s.factor, 1)) AS most,
			min(r.occurrences::float8 / r.streams * LEAST(s.factor, 1)) AS least,
			max(r.occurrences) FILTER (WHERE r.of_job = l4_diff_events.other) AS there,
			count(*) FILTER (WHERE r.of_job <> l4_diff_events.other) AS also_in, max(r.level_rank) AS level_rank
		FROM rate r LEFT JOIN scale s ON s.id = r.of_job
		WHERE r.of_job <> l4_diff_events.job_id
		GROUP BY r.event_id
	),
	mine AS (SELECT r.* FROM rate r WHERE r.of_job = l4_diff_events.job_id),
	told AS (
		SELECT CASE WHEN u.there IS NULL THEN 'only here' WHEN m.event_id IS NULL THEN 'only there' ELSE 'count' END AS kind,
			COALESCE(m.event_id, u.event_id) AS event_id, m.occurrences AS here, u.there, COALESCE(u.also_in, 0) AS also_in,
			CASE WHEN u.there IS NULL OR m.event_id IS NULL THEN NULL
				WHEN m.occurrences::float8 / m.streams > u.most THEN m.occurrences::float8 / m.streams / u.most
				WHEN m.occurrences::float8 / m.streams < u.least THEN m.occurrences::float8 / m.streams / u.least
				ELSE 1 END AS times,
			m.occurrences - m.streams * LEAST(GREATEST(m.occurrences::float8 / m.streams, u.least), u.most) AS beyond,
			GREATEST(m.level_rank, u.level_rank) AS level_rank
		FROM mine m FULL JOIN usual u ON u.event_id = m.event_id
		WHERE m.event_id IS NOT NULL OR u.there IS NOT NULL
	)
	SELECT t.kind, e.template, t.here::text, t.there::text, t.times, t.event_id,
		GREATEST(t.level_rank, @extschema@.l4_text_gravity(e.template, wordings)), t.also_in
	FROM told t LEFT JOIN @extschema@.l4_event e ON e.event_id = t.event_id
	WHERE t.kind <> 'count' OR abs(t.beyond) >= (limits).diff_records
		AND (t.times >= (limits).diff_factor OR t.times * (limits).diff_factor <= 1);
END;
COMMENT ON FUNCTION @extschema@.l4_diff_events(text, text, @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Events that one of two jobs alone has, and those that the first has far more or less often than the other and all good '
'jobs of its pool: see l4_diff. Good jobs are compared by records per stream, and be it per iteration, whichever is nearer.';

CREATE FUNCTION @extschema@.l4_step_seconds(job_id text, limits @extschema@.l4_limits) RETURNS double precision
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY s.seconds)
	FROM @extschema@.l4_job_steps(l4_step_seconds.job_id, limits) s;
END;
COMMENT ON FUNCTION @extschema@.l4_step_seconds(text, @extschema@.l4_limits) IS
'Step: How long a step of a job takes as a rule (the median), in seconds; NULL where it tells of none.';

CREATE FUNCTION @extschema@.l4_diff(job_id text, other text DEFAULT NULL)
RETURNS TABLE (kind text, name text, here text, there text, times double precision, event_id bigint, gravity int,
	also_in bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 50
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	limits @extschema@.l4_limits := @extschema@.l4_limits_in_force();
	wordings @extschema@.l4_wordings := @extschema@.l4_wordings_in_force();
	step double precision;
	other_step double precision;
BEGIN
	PERFORM @extschema@.l4_known_job(l4_diff.job_id);
	l4_diff.other := coalesce(l4_diff.other, @extschema@.l4_last_good_run(l4_diff.job_id));
	IF l4_diff.other IS NULL THEN
		RAISE EXCEPTION 'there is no successful job to compare job "%" with', l4_diff.job_id
			USING ERRCODE = 'object_not_in_prerequisite_state',
				HINT = 'Name one: l4_diff(job_id, other). Successful jobs with logs and like settings are found by themselves.';
	END IF;
	PERFORM @extschema@.l4_known_job(l4_diff.other);
	IF l4_diff.other = l4_diff.job_id THEN
		RAISE EXCEPTION 'job "%" is not compared with itself', l4_diff.job_id USING ERRCODE = 'invalid_parameter_value';
	END IF;
	step := @extschema@.l4_step_seconds(l4_diff.job_id, limits);
	other_step := @extschema@.l4_step_seconds(l4_diff.other, limits);
	RETURN QUERY
	WITH setting AS MATERIALIZED (SELECT s.* FROM @extschema@.l4_diff_settings(l4_diff.job_id, l4_diff.other) s)
	SELECT d.kind, d.name, d.here, d.there, d.times, d.event_id, d.gravity, d.also_in
	FROM (
		SELECT 1 AS turn, 'job' AS kind, 'compared'::text AS name, l4_diff.job_id AS here, l4_diff.other AS there,
			NULL::float8 AS times, NULL::bigint AS event_id, NULL::int AS gravity, NULL::bigint AS also_in
		UNION ALL
		SELECT 2, s.kind, s.name, s.here, s.there, NULL, NULL, NULL, NULL FROM setting s
		UNION ALL
		SELECT 3, 'value', v.name, v.here, v.there, NULL, v.event_id, NULL, NULL
		FROM @extschema@.l4_diff_values(l4_diff.job_id, l4_diff.other, limits, wordings) v
		-- a setting that is logged as well is told once: "size" of micro_batch_size
		WHERE NOT EXISTS (SELECT FROM setting s
			WHERE s.here = v.here AND s.there = v.there AND strpos(lower(s.name), lower(v.name)) > 0)
		UNION ALL
		SELECT 4, 'step time', 'seconds', round(step::numeric, 3)::text, round(other_step::numeric, 3)::text, step / other_step,
			NULL, NULL, NULL
		WHERE step > 0 AND other_step > 0
		UNION ALL
		SELECT CASE e.kind WHEN 'only here' THEN 5 WHEN 'count' THEN 6 ELSE 7 END, e.*
		FROM @extschema@.l4_diff_events(l4_diff.job_id, l4_diff.other, limits, wordings) e) d
	ORDER BY d.turn, d.kind DESC, d.gravity DESC NULLS LAST, d.also_in, abs(ln(d.times)) DESC NULLS LAST, d.name COLLATE "C",
		d.event_id, d.here COLLATE "C";
END
$$;
COMMENT ON FUNCTION @extschema@.l4_diff(text, text) IS
'What a job has otherwise than another one; other: by default the last good run, the last successful job before it whose '
'settings fit best. kind: job (here: which job, there: compared with which), setting (of l4_job.settings), size (nodes, '
'ranks, last iteration), value (versions and other values of set-up, from the logs: name is the word before it, or the '
'statement; not what a setting of a name with that word tells), '
'step time (median seconds of a step; times: so many times as long), only here and only there (events that '
'one of the two alone has; here, there: records), count (events of both that are beyond the usual: times as frequent per '
'stream as in the good job of the pool that comes nearest, per iteration where that is nearer; limits diff_factor, '
'diff_records). gravity: 0 to 6, by level and wording; also_in: so many further good jobs of the pool have the event: '
'what is only here and in none of them tells most. Errors: P0002 unknown job, 55000 no job to compare with, 22023 the '
'job itself. Cost: some tenths of a second for thousands of ranks.';

CREATE FUNCTION @extschema@.l4_first_error(job_id text, each_node boolean DEFAULT false, use_pool boolean DEFAULT true)
RETURNS TABLE (ts timestamptz, node text, rank int, source text, line_no bigint, level text, stage text, iteration bigint,
	event_id bigint, message text, gravity int, attempt int)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 1
SET search_path = pg_catalog, pg_temp
SET jit = off
-- as in l4_diagnose
SET enable_nestloop = off
AS $$
#variable_conflict use_column
DECLARE
	limits @extschema@.l4_limits := @extschema@.l4_limits_in_force();
BEGIN
	PERFORM @extschema@.l4_has_log_text(l4_first_error.job_id);
	RETURN QUERY
	WITH grave AS MATERIALIZED (
		SELECT u.*, max(u.attempt) OVER () AS last_attempt
		FROM @extschema@.l4_unexplained(l4_first_error.job_id, l4_first_error.use_pool) u
		WHERE u.gravity >= (limits).gravity_trouble AND u.reason <> 'setup'
	),
	first AS (
		-- who was told to end, or that another went away, tells of what came before
		SELECT DISTINCT ON (CASE WHEN l4_first_error.each_node THEN g.unit END) g.*
		FROM grave g WHERE g.attempt IS NOT DISTINCT FROM g.last_attempt
		ORDER BY CASE WHEN l4_first_error.each_node THEN g.unit END, g.ending OR g.peer, g.gravity < (limits).gravity_error,
			g.first_ts, g.source COLLATE "C", g.first_line, g.shape_id
	)
	SELECT f.first_ts, f.node, f.rank, f.source, f.first_line, f.level, f.stage, f.iteration, f.event_id,
		coalesce(f.message, h.shape), f.gravity, f.attempt
	FROM first f LEFT JOIN @extschema@.l4_shape h ON h.shape_id = f.shape_id
	ORDER BY f.first_ts, f.source COLLATE "C", f.first_line;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_first_error(text, boolean, boolean) IS
'What went wrong in a job first: its earliest record that tells of an error, by level or wording, and that successful '
'jobs do not log; of a job that was started again, in its last attempt. Rather one that neither was told to end nor '
'tells of another that went away, and rather an error than a warning. each_node: the first such record of each node (of '
'each rank where nodes are not known), in order of time: who failed first. ts is corrected where the clock of the node '
'is off, and estimated where the record has none. message: the record, or its shape where very many are unexplained. '
'gravity: 4 (a warning) to 6. No row where nothing went wrong. use_pool false: successful jobs are not asked. Errors: '
'P0002 unknown job, 55000 its log text was dropped. Cost: a part of one diagnosis.';
