/*
 * Parameter values that the pool does not know, or that few nodes have otherwise than all others.
 */

CREATE TYPE @extschema@.l4_unexplained_shape AS (
	stream_id bigint,
	shape_id bigint,
	reason text,
	line_no bigint,
	numbers jsonb,
	"position" int,
	value text
);
COMMENT ON TYPE @extschema@.l4_unexplained_shape IS
'A shape that is unexplained in one stream: why (reason: new, new value, range, setup, storm, severe, follows), the line '
'where that shows first, the numbers that say so (l4_unexplained_sentence), and for a new value the position of the '
'parameter and the value.';

CREATE FUNCTION @extschema@.l4_number_within(value text, lowest bigint, highest bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN CASE WHEN value ~ '^\d{1,18}$' THEN value::bigint BETWEEN lowest AND highest ELSE false END;
COMMENT ON FUNCTION @extschema@.l4_number_within(text, bigint, bigint) IS
'Step: Is a text a whole number from lowest to highest? NULL where a bound is.';

CREATE TYPE @extschema@.l4_unknown_value AS (
	stream_id bigint,
	shape_id bigint,
	"position" int,
	name text,
	distinct_values int,
	"values" text[],
	value_lines bigint[],
	number_count bigint,
	minimum double precision,
	minimum_line bigint,
	maximum double precision,
	maximum_line bigint,
	pool_value text,
	pool_minimum double precision,
	pool_maximum double precision,
	lowest double precision,
	highest double precision
);
COMMENT ON TYPE @extschema@.l4_unknown_value IS
'A parameter of a stream that takes other values than are known of it: the word before it (name), its values and numbers with '
'the lines where these first are, and what the pool knows (pool_value: the only value it has; lowest, highest: what still '
'counts as within its range).';

CREATE FUNCTION @extschema@.l4_is_outcome(shape_id bigint, "position" int, wordings @extschema@.l4_wordings) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 100
BEGIN ATOMIC
	SELECT COALESCE((SELECT @extschema@.l4_parameter_name(h.shape, l4_is_outcome.position) ~ (l4_is_outcome.wordings).outcome
			OR substring(split_part(h.shape, '<*>', l4_is_outcome.position), '([[:alpha:]]+ [[:alpha:]]+)[^[:alnum:]]*$')
				~ (l4_is_outcome.wordings).outcome
		FROM @extschema@.l4_shape h WHERE h.shape_id = l4_is_outcome.shape_id), false);
END;
COMMENT ON FUNCTION @extschema@.l4_is_outcome(bigint, int, @extschema@.l4_wordings) IS
'Step: Does the parameter at a position of a shape say how something ended (an exit status), so that 0 is well and anything '
'else is not? By the word before it.';

CREATE FUNCTION @extschema@.l4_is_start(shape_id bigint, "position" int, wordings @extschema@.l4_wordings) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 100
BEGIN ATOMIC
	SELECT COALESCE((SELECT split_part(h.shape, '<*>', l4_is_start.position) ~ (l4_is_start.wordings).attempt
			AND split_part(h.shape, '<*>', l4_is_start.position + 1) ~ (l4_is_start.wordings).out_of
		FROM @extschema@.l4_shape h WHERE h.shape_id = l4_is_start.shape_id), false);
END;
COMMENT ON FUNCTION @extschema@.l4_is_start(bigint, int, @extschema@.l4_wordings) IS
'Step: Does the parameter at a position of a shape count how often something was started, out of how often it may be, so that '
'any but the first time is news? By the words around it: who says that starts it; those that are started only repeat it.';

CREATE FUNCTION @extschema@.l4_is_part(shape_id bigint, "position" int, wordings @extschema@.l4_wordings) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 100
BEGIN ATOMIC
	SELECT COALESCE((SELECT split_part(h.shape, '<*>', l4_is_part.position + 1) ~ (l4_is_part.wordings).out_of
		FROM @extschema@.l4_shape h WHERE h.shape_id = l4_is_part.shape_id), false);
END;
COMMENT ON FUNCTION @extschema@.l4_is_part(bigint, int, @extschema@.l4_wordings) IS
'Step: Does the parameter at a position of a shape say how many out of a total, so that none of them is news where it was '
'always some? By what stands behind it.';

CREATE FUNCTION @extschema@.l4_outcomes_alike(job_id text, pool_id bigint, wordings @extschema@.l4_wordings)
RETURNS TABLE (shape_id bigint, "position" int, value text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	WITH outcome AS MATERIALIZED (
		SELECT h.event_id, @extschema@.l4_parameter_name(h.shape, q.position) AS name, min(q.values[1]) AS value
		FROM @extschema@.l4_pool_parameter q JOIN @extschema@.l4_shape h ON h.shape_id = q.shape_id
		WHERE q.pool_id = l4_outcomes_alike.pool_id AND @extschema@.l4_is_outcome(q.shape_id, q.position, wordings)
		GROUP BY 1, 2 HAVING bool_and((cardinality(q.values) = 1 AND q.minimum = 0 AND q.maximum = 0) IS TRUE)
	)
	SELECT n.shape_id, p.position, o.value
	FROM @extschema@.l4_job_shapes(l4_outcomes_alike.job_id) n
	JOIN @extschema@.l4_shape h ON h.shape_id = n.shape_id
	JOIN outcome o ON o.event_id = h.event_id
	CROSS JOIN LATERAL generate_series(1, cardinality(string_to_array(h.shape, '<*>')) - 1) p (position)
	WHERE @extschema@.l4_parameter_name(h.shape, p.position) = o.name
		AND NOT EXISTS (SELECT FROM @extschema@.l4_pool_parameter q
			WHERE q.pool_id = l4_outcomes_alike.pool_id AND q.shape_id = n.shape_id AND q.position = p.position);
END;
COMMENT ON FUNCTION @extschema@.l4_outcomes_alike(text, bigint, @extschema@.l4_wordings) IS
'Step: How something ended in successful jobs (l4_is_outcome: 0 always), for shapes of a job that its pool has not, but others '
'of the same event: a record with a name of its own for each job is the same statement.';

CREATE FUNCTION @extschema@.l4_beyond_pool(factor double precision, job_count bigint, limits @extschema@.l4_limits)
RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN CASE WHEN job_count > 1 THEN factor ELSE factor ^ (limits).unexplained_alone_power END;
COMMENT ON FUNCTION @extschema@.l4_beyond_pool(double precision, bigint, @extschema@.l4_limits) IS
'Step: How many times beyond what the pool has a number must be to be news, by how many successful jobs tell what it has.';

CREATE FUNCTION @extschema@.l4_unknown_values(job_id text, pool_id bigint, usual @extschema@.l4_usual_value[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_unknown_value
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH pool AS MATERIALIZED (
		-- what the pool knows of each position; a value only where it is the only one, and seen often enough; that something
		-- ended well (an exit status of 0; of some tools another one), or was started once, once is enough to know; of how many
		-- out of a total it is, that it was always some of them
		SELECT q.*, CASE WHEN cardinality(q.values) = 1 AND q.occurrences >= (limits).unexplained_value_occurrences
			AND q.job_count > 1
			-- of what is no number the shape need not be asked
			OR cardinality(q.values) = 1 AND q.minimum = q.maximum
			AND ((q.minimum = 0 OR q.job_count > 1) AND @extschema@.l4_is_outcome(q.shape_id, q.position, wordings)
				OR @extschema@.l4_is_start(q.shape_id, q.position, wordings)) THEN q.values[1] END AS value,
			CASE WHEN q.occurrences >= (limits).unexplained_range_occurrences
				OR q.job_count > 1 AND q.minimum > 0 AND @extschema@.l4_is_part(q.shape_id, q.position, wordings)
				THEN q.minimum / @extschema@.l4_beyond_pool((limits).unexplained_range_factor, q.job_count, limits)
				END AS lowest,
			CASE WHEN q.occurrences >= (limits).unexplained_range_occurrences
				THEN q.maximum * @extschema@.l4_beyond_pool((limits).unexplained_range_factor, q.job_count, limits)
				END AS highest
		FROM @extschema@.l4_pool_parameter q WHERE q.pool_id = l4_unknown_values.pool_id
	),
	known AS MATERIALIZED (
		SELECT o.shape_id, o.position, o.value, o.value AS asked, 0::float8 AS minimum, 0::float8 AS maximum,
			NULL::float8 AS lowest, NULL::float8 AS highest
		FROM @extschema@.l4_outcomes_alike(l4_unknown_values.job_id, l4_unknown_values.pool_id, wordings) o
		UNION ALL
		-- what is usual in the job itself comes first: who differs from it differs, whatever the pool has
		SELECT COALESCE(q.shape_id, u.shape_id) AS shape_id, COALESCE(q.position, u.position) AS position, q.value,
			COALESCE(u.value, q.value) AS asked, q.minimum, q.maximum, q.lowest, q.highest
		FROM pool q
		FULL JOIN unnest(l4_unknown_values.usual) u ON u.shape_id = q.shape_id AND u.position = q.position
	),
	outlier AS MATERIALIZED (
		-- of the many parameters of a large job the few that may be new; the statistics are unpacked once
		SELECT p.*
		FROM (SELECT array_agg(k.shape_id) AS shape_ids, array_agg(k.position) AS positions, array_agg(k.asked) AS "values",
				array_agg(k.lowest) AS lowest, array_agg(k.highest) AS highest FROM known k) a
		CROSS JOIN @extschema@.l4_job_sketches(l4_unknown_values.job_id) s
		CROSS JOIN LATERAL @extschema@.l4_sketch_outliers(s.sketch, a.shape_ids, a.positions, a.values, a.lowest, a.highest) p
		WHERE a.shape_ids IS NOT NULL
	),
	told AS MATERIALIZED (
		-- once a position, which thousands of streams may have
		SELECT q.*, @extschema@.l4_parameter_name(h.shape, q.position) AS name,
			-- a fraction with a unit behind it is measured, however alike successful jobs have it
			CASE WHEN q.value ~ '^\d+\.\d+$' AND @extschema@.l4_counted_words(h.shape, q.position) IS NULL THEN NULL
				ELSE q.value END AS told_value
		FROM known q JOIN @extschema@.l4_shape h ON h.shape_id = q.shape_id
		WHERE (q.shape_id, q.position) IN (SELECT p.shape_id, p.position FROM outlier p)
	)
	SELECT p.stream_id, p.shape_id, p.position, q.name, p.distinct_values, p.values, p.value_lines,
		-- of hexadecimal digests some look like numbers
		CASE WHEN p.number_count >= p.occurrences * (limits).unexplained_range_number_share THEN p.number_count ELSE 0 END,
		p.minimum, p.minimum_line, p.maximum, p.maximum_line, q.told_value, q.minimum, q.maximum, q.lowest, q.highest
	FROM outlier p
	JOIN told q ON q.shape_id = p.shape_id AND q.position = p.position;
END;
COMMENT ON FUNCTION @extschema@.l4_unknown_values(text, bigint, @extschema@.l4_usual_value[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: The parameters of a job''s streams that take values beyond what its pool (NULL: none) knows of the position, or other '
'than is usual in the job (l4_usual_values). Cost: the statistics of the whole job are looked through once.';

CREATE FUNCTION @extschema@.l4_unexplained_values(job_id text, unknown @extschema@.l4_unknown_value[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings) RETURNS SETOF @extschema@.l4_unexplained_shape
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	-- A value the pool never had at a position that never varies there (a position with several values is a measurement, a
	-- counter or a name, and a further value nothing new), and where this is no setting that differs from the start: the job
	-- shows the known value there too, or it is a warning or worse, or it tells how something ended. A number that goes with
	-- the iterations is none either: the successful jobs ended at another one.
	WITH seen AS MATERIALIZED (
		SELECT p.* FROM unnest(l4_unexplained_values.unknown) p
	),
	entry AS (
		SELECT e.* FROM @extschema@.l4_job_counts(l4_unexplained_values.job_id, ARRAY(SELECT DISTINCT s.stream_id FROM seen s),
			ARRAY(SELECT DISTINCT s.shape_id FROM seen s)) e
	)
	SELECT p.stream_id, p.shape_id, 'new value', v.line_no,
		jsonb_build_object('name', p.name, 'position', p.position, 'value', v.value, 'pool_value', p.pool_value), p.position,
			v.value
	FROM seen p
	CROSS JOIN LATERAL ROWS FROM (unnest(p.values), unnest(p.value_lines)) v (value, line_no)
	JOIN entry e ON e.stream_id = p.stream_id AND e.shape_id = p.shape_id
	WHERE v.value <> p.pool_value
		-- a time with a fraction is measured, however alike those of successful jobs are
		AND NOT (v.value ~ (wordings).measured AND p.pool_value ~ (wordings).measured)
		AND (@extschema@.l4_level_rank(e.level) >= (limits).gravity_trouble OR p.pool_value = ANY (p.values)
			OR @extschema@.l4_is_outcome(p.shape_id, p.position, wordings))
		AND NOT COALESCE(e.first_iteration > 1 AND @extschema@.l4_number_within(v.value, e.first_iteration - 1,
			e.last_iteration + 1)
			AND EXISTS (SELECT FROM ROWS FROM (unnest(p.values), unnest(p.value_lines)) f (value, line_no)
				WHERE f.line_no = e.first_line AND @extschema@.l4_number_within(f.value, e.first_iteration - 1,
					e.first_iteration + 1)), false)
	UNION ALL
	SELECT p.stream_id, p.shape_id, 'range', r.line_no,
		jsonb_build_object('name', p.name, 'position', p.position, 'number', r.number, 'pool_minimum', p.pool_minimum,
			'pool_maximum', p.pool_maximum),
		p.position, NULL
	FROM seen p
	CROSS JOIN LATERAL (VALUES (p.maximum, p.maximum_line), (p.minimum, p.minimum_line)) r (number, line_no)
	LEFT JOIN entry e ON e.stream_id = p.stream_id AND e.shape_id = p.shape_id
	WHERE p.number_count > 0 AND p.pool_maximum > 0 AND (p.name ~ (wordings).identity) IS NOT TRUE
		AND NOT EXISTS (SELECT FROM unnest(p.values) v (value) WHERE v.value ~ (wordings).digest)
		AND (r.number > p.highest OR r.number > 0 AND r.number < p.lowest
			-- none of so many, where it was always some of them
			OR r.number = 0 AND p.lowest > 0 AND e.occurrences = 1
				AND @extschema@.l4_is_part(p.shape_id, p.position, wordings));
END;
COMMENT ON FUNCTION @extschema@.l4_unexplained_values(text, @extschema@.l4_unknown_value[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: Parameter values of a job which its pool does not know: codes never seen (reason "new value") and numbers far out '
'of range ("range"), with the line of the first record that has them. unknown: the result of l4_unknown_values.';

CREATE FUNCTION @extschema@.l4_odd_settings(job_id text, usual @extschema@.l4_usual_value[],
	unknown @extschema@.l4_unknown_value[], limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint, shape_id bigint, "position" int, value text, line_no bigint, kind text, unit text, rank int,
	units_odd bigint, units bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH other AS MATERIALIZED (
		SELECT p.stream_id, p.shape_id, p.position, p.distinct_values, p.values[1] AS value, p.value_lines[1] AS line_no
		FROM unnest(l4_odd_settings.unknown) p
		JOIN unnest(l4_odd_settings.usual) u ON u.shape_id = p.shape_id AND u.position = p.position
		WHERE p.distinct_values > 1 OR p.values[1] <> u.value
	),
	placed AS MATERIALIZED (
		SELECT o.*, s.kind, s.unit, s.rank FROM other o
		JOIN @extschema@.l4_job_streams(l4_odd_settings.job_id, ARRAY(SELECT DISTINCT t.stream_id FROM other t)) s
			ON s.stream_id = o.stream_id
		WHERE s.unit IS NOT NULL
	),
	odd AS (
		SELECT p.shape_id, p.position, count(DISTINCT p.unit) AS units FROM placed p GROUP BY p.shape_id, p.position
	),
	logging AS (
		SELECT c.shape_id, count(*) AS units
		FROM @extschema@.l4_job_unit_counts(l4_odd_settings.job_id, ARRAY(SELECT DISTINCT p.shape_id FROM placed p)) c
		WHERE c.unit IS NOT NULL GROUP BY c.shape_id
	)
	SELECT p.stream_id, p.shape_id, p.position, p.value, p.line_no, p.kind, p.unit, p.rank, o.units, l.units
	FROM placed p
	JOIN odd o ON o.shape_id = p.shape_id AND o.position = p.position
	JOIN logging l ON l.shape_id = p.shape_id
	JOIN @extschema@.l4_setup_counts(l4_odd_settings.job_id, ARRAY(SELECT DISTINCT t.stream_id FROM placed t),
		ARRAY(SELECT DISTINCT t.shape_id FROM placed t), limits) e ON e.stream_id = p.stream_id AND e.shape_id = p.shape_id
	WHERE p.distinct_values = 1 AND @extschema@.l4_is_few(o.units, l.units, (limits).setup_odd_share);
END;
COMMENT ON FUNCTION @extschema@.l4_odd_settings(text, @extschema@.l4_usual_value[], @extschema@.l4_unknown_value[],
	@extschema@.l4_limits) IS
'Step: The streams of few units in which a parameter that is a setting of the job (usual) has another value before the job '
'iterates: on how many units (units_odd) of those that log the statement (units). unknown: the result of l4_unknown_values.';

CREATE FUNCTION @extschema@.l4_unexplained_setup(job_id text, usual @extschema@.l4_usual_value[],
	unknown @extschema@.l4_unknown_value[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_unexplained_shape
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH odd AS MATERIALIZED (
		SELECT o.*, u.value AS usual, u.name, u.pooled, u.value = u.pool_value IS TRUE AS confirmed
		FROM @extschema@.l4_odd_settings(l4_unexplained_setup.job_id, l4_unexplained_setup.usual,
			l4_unexplained_setup.unknown, limits) o
		JOIN unnest(l4_unexplained_setup.usual) u ON u.shape_id = o.shape_id AND u.position = o.position
	),
	job AS (
		SELECT count(*) AS units FROM @extschema@.l4_job_units(l4_unexplained_setup.job_id) n
		WHERE n.logged AND EXISTS (SELECT FROM odd o)
	),
	special AS (
		-- the first rank and the last have roles of their own
		SELECT r.rank, r.unit, min(r.rank) OVER () AS first, max(r.rank) OVER () AS last
		FROM @extschema@.l4_rank_units(l4_unexplained_setup.job_id) r WHERE EXISTS (SELECT FROM odd o)
	)
	SELECT o.stream_id, o.shape_id, 'setup', o.line_no,
		jsonb_build_object('name', o.name, 'position', o.position, 'value', o.value, 'usual', o.usual, 'units', o.units,
			'units_odd', o.units_odd, 'pooled', o.pooled),
		o.position, o.value
	FROM odd o, job j
	WHERE o.units >= j.units * (limits).setup_unit_share
		AND (o.units >= (limits).setup_units OR o.confirmed)
		-- what successful jobs have alike everywhere is of no role, nor is the version of a program
		AND (o.pooled OR o.value ~ '^v?\d+\.\d+' AND o.usual ~ '^v?\d+\.\d+'
			OR NOT EXISTS (SELECT FROM special s WHERE s.rank IN (s.first, s.last)
				AND CASE WHEN o.kind = 'rank' THEN s.rank = o.rank ELSE s.unit = o.unit END));
END;
COMMENT ON FUNCTION @extschema@.l4_unexplained_setup(text, @extschema@.l4_usual_value[], @extschema@.l4_unknown_value[],
	@extschema@.l4_limits) IS
'Step: Statements by which few units are set up differently from all others (reason "setup"): l4_odd_settings where enough '
'units make the statement, without what may be due to the role of the first or the last rank.';
