/*
 * How a job is set up: values that a statement has alike on nearly all streams that make it before the job iterates (the
 * version of a driver, a number of layers, an endpoint). Who has another one is set up differently.
 *
 * Most numbers that happen to agree are none: identifiers of processes, measurements, counters. What successful jobs show to
 * vary among their own ranks is left out; where they tell nothing, the form of the value or its name must.
 */

CREATE FUNCTION @extschema@.l4_is_few(units bigint, of_units bigint, share double precision) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN units <= GREATEST(1, of_units * share) AND units < of_units;
COMMENT ON FUNCTION @extschema@.l4_is_few(bigint, bigint, double precision) IS
'Step: are these at most such a share of all? One is few also of two or three, whatever the share; all are never few.';

CREATE TYPE @extschema@.l4_usual_value AS (
	shape_id bigint,
	"position" int,
	value text,
	name text,
	pooled boolean,
	pool_value text
);
COMMENT ON TYPE @extschema@.l4_usual_value IS
'The value that a parameter (shape and position) takes on nearly all streams of a job before it iterates (value), the word '
'before it (name), whether each successful job shows one value there on all of its streams (pooled), and which, where it is '
'one in all of them (pool_value).';

CREATE FUNCTION @extschema@.l4_may_be_setting(name text, value text, pooled boolean, wordings @extschema@.l4_wordings)
	RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
RETURN CASE
	WHEN COALESCE(name ~ (wordings).setting, false) THEN value <> ''
	WHEN COALESCE(name ~ (wordings).varying OR name ~ (wordings).identity, false) THEN false
	-- a plain number; what is 0 on all others counts something
	WHEN value ~ '^[-+]?\d+(\.\d+)?(e[-+]?\d+)?$' THEN pooled AND value ~ '[1-9]'
	-- with a unit (a size, a duration), an address of a network or of memory, a time of day
	WHEN value ~ '^[-+]?\d+(\.\d+)?\s?([[:alpha:]]{1,3}|%)(/s)?$' OR value ~ '^[0-9.]+:\d+$' OR value ~ '^\d+(\.\d+){3}$'
		OR value ~ '^0x' OR value ~ '\d:\d\d' THEN false
	ELSE value ~ '[[:alnum:]]' END;
COMMENT ON FUNCTION @extschema@.l4_may_be_setting(text, text, boolean, @extschema@.l4_wordings) IS
'Step: May a value that nearly all streams have alike be a setting, by its form and the word before it (name; wordings of '
'classes setting, varying and identity)? pooled: each successful job has one value there, so that plain numbers may be, too.';

CREATE FUNCTION @extschema@.l4_setup_counts(job_id text, stream_ids bigint[], shape_ids bigint[], limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint, shape_id bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	SELECT e.stream_id, e.shape_id
	FROM (
		SELECT c.*, c.stage = 'iterating' AND c.first_line = min(c.first_line) FILTER (WHERE c.stage = 'iterating')
			OVER (PARTITION BY c.stream_id) AS begins
		FROM @extschema@.l4_job_counts(l4_setup_counts.job_id, l4_setup_counts.stream_ids, l4_setup_counts.shape_ids,
			iterating => false) c) e
	JOIN @extschema@.l4_job_streams(l4_setup_counts.job_id, l4_setup_counts.stream_ids) s ON s.stream_id = e.stream_id
	CROSS JOIN (SELECT min(t.started_at) AS at FROM @extschema@.l4_job_timeline(l4_setup_counts.job_id) t) i
	WHERE e.last_iteration IS NULL AND e.occurrences <= (limits).setup_records
		AND @extschema@.l4_level_rank(e.level) < (limits).gravity_trouble
		-- what says that iterating begins may say with what
		AND (@extschema@.l4_is_setup_stage(e.stage) IS NOT FALSE OR e.begins)
		-- a stream that marks no iterations goes by the time of those that do
		AND (s.last_iteration IS NOT NULL OR (e.last_ts > i.at AND @extschema@.l4_clock_was_set(e.last_ts)) IS NOT TRUE);
END;
COMMENT ON FUNCTION @extschema@.l4_setup_counts(text, bigint[], bigint[], @extschema@.l4_limits) IS
'Step: What the given streams log before the job iterates, and not again: those of the given shapes (NULL: all) that '
'are of set-up, below the level of a warning.';

CREATE FUNCTION @extschema@.l4_setup_sample(job_id text, limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint, source_id bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	SELECT s.stream_id, s.source_id
	FROM (
		-- of each kind some, in an order that has nothing to do with nodes and ranks, but the first rank, which prints most
		SELECT t.stream_id, t.source_id, row_number() OVER (PARTITION BY t.kind
			ORDER BY t.rank = 0 IS TRUE DESC, md5(t.source || COALESCE(' ' || t.label, '')) COLLATE "C", t.stream_id) AS turn
		FROM @extschema@.l4_job_streams(l4_setup_sample.job_id) t WHERE t.unit IS NOT NULL AND t.record_count > 0) s
	WHERE s.turn <= (limits).setup_streams;
END;
COMMENT ON FUNCTION @extschema@.l4_setup_sample(text, @extschema@.l4_limits) IS
'Step: Some streams of units of each kind, the same in whatever order they came in.';

CREATE TYPE @extschema@.l4_alike_value AS (
	shape_id bigint,
	"position" int,
	value text,
	share double precision,
	streams bigint
);
COMMENT ON TYPE @extschema@.l4_alike_value IS
'Step: a value that a parameter takes while a job is set up, on how many of the streams that were looked at, and which share '
'of those that log it that is (l4_setup_alike).';

CREATE FUNCTION @extschema@.l4_setup_alike(job_id text, limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_alike_value
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH sample AS MATERIALIZED (SELECT s.* FROM @extschema@.l4_setup_sample(l4_setup_alike.job_id, limits) s),
	shape AS MATERIALIZED (
		SELECT array_agg(h.shape_id) AS shape_ids
		FROM @extschema@.l4_shape h
		CROSS JOIN LATERAL (SELECT @extschema@.l4_without_names(h.shape) AS told OFFSET 0) n
		WHERE h.shape_id = ANY (ARRAY(SELECT DISTINCT e.shape_id FROM @extschema@.l4_setup_counts(l4_setup_alike.job_id,
				ARRAY(SELECT s.stream_id FROM sample s), NULL, limits) e))
			-- a failure, its tidying up and its effects are no set-up
			AND strpos(h.shape, '<*>') > 0 AND @extschema@.l4_text_gravity(n.told, wordings) < (limits).gravity_trouble
			AND n.told !~ (wordings).ending AND n.told !~ (wordings).peer AND n.told !~ (wordings).closing
	),
	seen AS MATERIALIZED (
		SELECT p.shape_id, p.position, CASE WHEN p.distinct_values = 1 THEN p.values[1] END AS value
		FROM (SELECT u.shape_ids, ARRAY(SELECT DISTINCT s.source_id FROM sample s) AS source_ids FROM shape u
			WHERE u.shape_ids IS NOT NULL) u
		CROSS JOIN LATERAL @extschema@.l4_job_sketches(l4_setup_alike.job_id, u.source_ids) k
		CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch, u.shape_ids) p
	)
	SELECT t.shape_id, t.position, t.value, t.streams / t.of_streams, t.streams
	FROM (
		SELECT s.shape_id, s.position, s.value, count(*) AS streams,
			sum(count(*)) OVER (PARTITION BY s.shape_id, s.position)::float8 AS of_streams
		FROM seen s GROUP BY s.shape_id, s.position, s.value) t
	WHERE t.value IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_setup_alike(text, @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: The values that parameters take in what some streams of each kind (l4_setup_sample) log before the job iterates: on '
'how many of these streams, and which share of them that is. Cost: unpacks the statistics of these streams.';

CREATE FUNCTION @extschema@.l4_even_values(job_id text, pool_id bigint)
RETURNS TABLE (shape_id bigint, "position" int, jobs bigint, streams bigint, even boolean, value text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	SELECT q.shape_id, q.position, count(*), sum(q.streams), bool_and(cardinality(q.values) = 1) IS TRUE,
		-- nothing is sorted for it: a pool may have thousands of jobs
		CASE WHEN bool_and(cardinality(q.values) = 1) AND min(q.values[1] COLLATE "C") = max(q.values[1] COLLATE "C")
			THEN min(q.values[1] COLLATE "C") END
	FROM @extschema@.l4_pool_job m JOIN @extschema@.l4_pool_job_parameter q ON q.job_id = m.job_id
	WHERE m.pool_id = l4_even_values.pool_id AND m.job_id <> l4_even_values.job_id
	GROUP BY q.shape_id, q.position;
END;
COMMENT ON FUNCTION @extschema@.l4_even_values(text, bigint) IS
'Step: What the jobs of a pool, other than this one, show of each parameter: how many of them, on how many streams, whether '
'each has one value there throughout (even: what varies within one of them is no setting), and which, where all have the same.';

CREATE FUNCTION @extschema@.l4_other_settings(job_id text, pool_id bigint, alike @extschema@.l4_alike_value[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH other AS (
		SELECT DISTINCT ON (n.name COLLATE "C") n.name, a.value, p.value AS pool_value
		FROM unnest(l4_other_settings.alike) a
		JOIN @extschema@.l4_even_values(l4_other_settings.job_id, l4_other_settings.pool_id) p
			ON p.shape_id = a.shape_id AND p.position = a.position
		JOIN @extschema@.l4_shape h ON h.shape_id = a.shape_id
		CROSS JOIN LATERAL (SELECT @extschema@.l4_parameter_name(h.shape, a.position) AS name OFFSET 0) n
		-- of one job nobody knows whether the next has the same
		WHERE a.share = 1 AND p.jobs > 1 AND a.value <> p.value AND n.name IS NOT NULL
			AND @extschema@.l4_may_be_setting(n.name, a.value, true, wordings)
		ORDER BY n.name COLLATE "C", a.streams DESC, a.shape_id, a.position
	)
	SELECT jsonb_agg(jsonb_build_object('name', t.name, 'value', t.value, 'pool_value', t.pool_value)
		ORDER BY t.name COLLATE "C")
	FROM (SELECT o.* FROM other o ORDER BY o.name COLLATE "C" LIMIT (limits).setup_others::bigint) t;
END;
COMMENT ON FUNCTION @extschema@.l4_other_settings(text, bigint, @extschema@.l4_alike_value[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: Settings that the whole job has otherwise than all jobs of its pool, of which there must be two, as a JSON array of '
'objects with name, value and pool_value; NULL where there are none. They blame nobody. alike: l4_setup_alike.';

CREATE FUNCTION @extschema@.l4_usual_values(job_id text, pool_id bigint, alike @extschema@.l4_alike_value[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings) RETURNS SETOF @extschema@.l4_usual_value
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 20
BEGIN ATOMIC
	WITH pool AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_even_values(l4_usual_values.job_id, l4_usual_values.pool_id) p
	),
	usual AS (
		SELECT DISTINCT ON (a.shape_id, a.position) a.*, COALESCE(p.even, true) AS even,
			-- one value in all of several jobs is no chance either, on however few streams
			p.even AND (p.streams >= (limits).setup_pool_streams OR p.jobs > 1 AND p.value IS NOT NULL) IS TRUE AS pooled,
			p.value AS pool_value
		FROM unnest(l4_usual_values.alike) a
		LEFT JOIN pool p ON p.shape_id = a.shape_id AND p.position = a.position
		ORDER BY a.shape_id, a.position, a.streams DESC, a.value = p.value IS TRUE DESC, a.value COLLATE "C"
	)
	SELECT u.shape_id, u.position, u.value, n.name, u.pooled, u.pool_value
	FROM usual u
	JOIN @extschema@.l4_shape h ON h.shape_id = u.shape_id
	CROSS JOIN LATERAL (SELECT @extschema@.l4_parameter_name(h.shape, u.position) AS name OFFSET 0) n
	-- of few streams it is enough that successful jobs have the same
	WHERE u.even AND u.streams > 1 AND (u.share >= (limits).setup_usual_share OR u.value = u.pool_value AND u.pooled)
		AND @extschema@.l4_may_be_setting(n.name, u.value, u.pooled, wordings);
END;
COMMENT ON FUNCTION @extschema@.l4_usual_values(text, bigint, @extschema@.l4_alike_value[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: The settings of a job: which parameters have one value on nearly all streams that log them before it iterates '
'(l4_setup_alike), without those that vary within a successful job of the pool (NULL: none), and those that by form or name '
'are none (l4_may_be_setting).';
