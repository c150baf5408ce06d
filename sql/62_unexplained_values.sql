/*
 * Parameter values that the pool does not know.
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
'A shape that is unexplained in one stream: why (reason: new, new value, range, storm, severe, follows), the line where '
'that shows first, the numbers that say so (l4_unexplained_sentence), and for a new value the position of the parameter '
'and the value.';

CREATE FUNCTION @extschema@.l4_number_within(value text, lowest bigint, highest bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN CASE WHEN value ~ '^\d{1,18}$' THEN value::bigint BETWEEN lowest AND highest ELSE false END;
COMMENT ON FUNCTION @extschema@.l4_number_within(text, bigint, bigint) IS
'Step: Is a text a whole number from lowest to highest? NULL where a bound is.';

CREATE FUNCTION @extschema@.l4_unknown_values(job_id text, pool_id bigint, limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint, shape_id bigint, "position" int, name text, "values" text[], value_lines bigint[],
	number_count bigint,
	minimum double precision, minimum_line bigint, maximum double precision, maximum_line bigint,
	pool_value text, pool_minimum double precision, pool_maximum double precision, lowest double precision,
		highest double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH known AS MATERIALIZED (
		-- what the pool knows of each position; a value only where it is the only one, and seen often enough
		SELECT q.*, CASE WHEN cardinality(q.values) = 1 AND q.occurrences >= (limits).unexplained_value_occurrences
			AND q.job_count > 1 THEN q.values[1] END AS value,
			CASE WHEN q.occurrences >= (limits).unexplained_range_occurrences
				THEN q.minimum / (limits).unexplained_range_factor END AS lowest,
			CASE WHEN q.occurrences >= (limits).unexplained_range_occurrences
				THEN q.maximum * (limits).unexplained_range_factor END AS highest
		FROM @extschema@.l4_pool_parameter q WHERE q.pool_id = l4_unknown_values.pool_id
	),
	outlier AS MATERIALIZED (
		-- of the many parameters of a large job the few that may be new; the statistics are unpacked once
		SELECT p.*
		FROM (SELECT array_agg(k.shape_id) AS shape_ids, array_agg(k.position) AS positions, array_agg(k.value) AS "values",
				array_agg(k.lowest) AS lowest, array_agg(k.highest) AS highest FROM known k) a
		CROSS JOIN @extschema@.l4_job_sketches(l4_unknown_values.job_id) s
		CROSS JOIN LATERAL @extschema@.l4_sketch_outliers(s.sketch, a.shape_ids, a.positions, a.values, a.lowest, a.highest) p
	)
	SELECT p.stream_id, p.shape_id, p.position, @extschema@.l4_parameter_name(h.shape, p.position), p.values, p.value_lines,
		p.number_count,
		p.minimum, p.minimum_line, p.maximum, p.maximum_line, q.value, q.minimum, q.maximum, q.lowest, q.highest
	FROM outlier p
	JOIN known q ON q.shape_id = p.shape_id AND q.position = p.position
	JOIN @extschema@.l4_shape h ON h.shape_id = p.shape_id;
END;
COMMENT ON FUNCTION @extschema@.l4_unknown_values(text, bigint, @extschema@.l4_limits) IS
'Step: The parameters of a job''s streams that take values beyond what its pool knows of the position: their values and '
'numbers, and what the pool knows (pool_value: the only value it has; lowest, highest: what still counts as within its '
'range). name: the word before the parameter.';

CREATE FUNCTION @extschema@.l4_unexplained_values(job_id text, pool_id bigint, limits @extschema@.l4_limits)
	RETURNS SETOF @extschema@.l4_unexplained_shape
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	-- A value the pool never had at a position that never varies there (a position with several values is a measurement, a
	-- counter or a name, and a further value nothing new), and where this is no setting that differs from the start: the job
	-- shows the known value there too, or it is a warning or worse. A number that goes with the iterations is none either: the
	-- successful jobs ended at another one.
	WITH seen AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_unknown_values(l4_unexplained_values.job_id, l4_unexplained_values.pool_id,
			l4_unexplained_values.limits) p
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
		AND (@extschema@.l4_level_rank(e.level) >= (limits).gravity_trouble OR p.pool_value = ANY (p.values))
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
	WHERE p.number_count > 0 AND p.pool_maximum > 0
		AND (r.number > p.highest OR r.number > 0 AND r.number < p.lowest);
END;
COMMENT ON FUNCTION @extschema@.l4_unexplained_values(text, bigint, @extschema@.l4_limits) IS
'Step: Parameter values of a job which its pool does not know: codes never seen (reason "new value") and numbers far out '
'of range ("range"), with the line of the first record that has them.';
