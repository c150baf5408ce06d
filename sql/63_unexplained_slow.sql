/*
 * What tells of slow steps: statements with a number (what a step took, how much was done in a second) that is beyond what
 * successful jobs have since the steps of the job are slow, and was not before. Such a number is as far off as the steps are,
 * which would be no news of any other one; it is looked for only in jobs whose steps are slow.
 */

CREATE FUNCTION @extschema@.l4_beyond_values(job_id text, pool_id bigint, limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint, shape_id bigint, "position" int, minimum double precision, maximum double precision,
	lowest double precision, highest double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH known AS MATERIALIZED (
		SELECT q.shape_id, q.position, q.minimum, q.maximum, q.minimum / f.factor AS lowest, q.maximum * f.factor AS highest
		FROM @extschema@.l4_pool_parameter q
		CROSS JOIN LATERAL (SELECT @extschema@.l4_beyond_pool((limits).slow_factor, q.job_count, limits) AS factor) f
		WHERE q.pool_id = l4_beyond_values.pool_id AND q.minimum > 0
			AND q.occurrences >= (limits).unexplained_range_occurrences
	)
	SELECT p.stream_id, p.shape_id, p.position, k.minimum, k.maximum, k.lowest, k.highest
	FROM (SELECT array_agg(k.shape_id) AS shape_ids, array_agg(k.position) AS positions, array_agg(NULL::text) AS "values",
			array_agg(k.lowest) AS lowest, array_agg(k.highest) AS highest FROM known k HAVING count(*) > 0) a
	CROSS JOIN @extschema@.l4_job_sketches(l4_beyond_values.job_id) s
	CROSS JOIN LATERAL @extschema@.l4_sketch_outliers(s.sketch, a.shape_ids, a.positions, a.values, a.lowest, a.highest) p
	JOIN known k ON k.shape_id = p.shape_id AND k.position = p.position
	-- whole numbers count, as a rule
	WHERE p.number_count = p.occurrences AND p.occurrences >= (limits).evidence_slow_change_records
		AND p.mean <> trunc(p.mean) AND EXISTS (SELECT FROM unnest(p.values) v (value) WHERE v.value LIKE '%.%');
END;
COMMENT ON FUNCTION @extschema@.l4_beyond_values(text, bigint, @extschema@.l4_limits) IS
'Step: The measures (numbers with a fraction) that a job''s streams have, some of which are beyond what the pool knows of them '
'(minimum to maximum; lowest, highest: what that is, limit slow_factor). Cost: the statistics of the whole job are looked '
'through once.';

CREATE FUNCTION @extschema@.l4_unexplained_slow(job_id text, pool_id bigint, slow @extschema@.l4_slow_regime,
	limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_unexplained_shape
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 10
BEGIN ATOMIC
	WITH beyond AS MATERIALIZED (
		SELECT b.* FROM @extschema@.l4_beyond_values(l4_unexplained_slow.job_id, l4_unexplained_slow.pool_id, limits) b
	),
	record AS MATERIALIZED (
		SELECT r.stream_id, r.shape_id, r.line_no, r.parameters, COALESCE(r.iteration >= (l4_unexplained_slow.slow).iteration,
				@extschema@.l4_told_since(l4_unexplained_slow.slow, r.ts), true) AS slow
		FROM (SELECT array_agg(DISTINCT b.shape_id) AS shape_ids FROM beyond b HAVING count(*) > 0) a
		LEFT JOIN @extschema@.l4_slow_span(l4_unexplained_slow.job_id, l4_unexplained_slow.slow, limits) w ON true
		CROSS JOIN LATERAL @extschema@.l4_job_segments(l4_unexplained_slow.job_id, NULL, a.shape_ids) g
		CROSS JOIN LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r
		WHERE (g.segment_no < (limits).onset_segments OR g.last_ts >= w.since AND g.first_ts <= w.until)
			AND r.shape_id = ANY (a.shape_ids)
	),
	told AS (
		SELECT b.stream_id, b.shape_id, b.position, b.minimum, b.maximum, r.line_no, r.slow, v.number,
			v.number > b.highest OR v.number < b.lowest AS is_beyond
		FROM beyond b JOIN record r ON r.stream_id = b.stream_id AND r.shape_id = b.shape_id
		-- of one unit, as statistics have it
		CROSS JOIN LATERAL (SELECT @extschema@.l4_leading_number(r.parameters[b.position]) AS number) v
		WHERE v.number > 0
	)
	SELECT DISTINCT ON (t.stream_id, t.shape_id) t.stream_id, t.shape_id, 'range',
		min(t.line_no) FILTER (WHERE t.slow AND t.is_beyond),
		jsonb_build_object('name', min(@extschema@.l4_parameter_name(h.shape, t.position)), 'position', t.position, 'number',
			(array_agg(t.number ORDER BY t.line_no) FILTER (WHERE t.slow AND t.is_beyond))[1], 'pool_minimum', t.minimum,
			'pool_maximum', t.maximum), t.position, NULL::text
	FROM told t JOIN @extschema@.l4_shape h ON h.shape_id = t.shape_id
	GROUP BY t.stream_id, t.shape_id, t.position, t.minimum, t.maximum
	HAVING count(*) FILTER (WHERE t.slow AND t.is_beyond) >= GREATEST((limits).evidence_slow_change_records,
			(limits).slow_told_share * count(*) FILTER (WHERE t.slow))
		AND count(*) FILTER (WHERE t.is_beyond AND NOT t.slow)
			<= (limits).slow_told_before * count(*) FILTER (WHERE NOT t.slow)
	ORDER BY t.stream_id, t.shape_id, count(*) FILTER (WHERE t.slow AND t.is_beyond) DESC, t.position;
END;
COMMENT ON FUNCTION @extschema@.l4_unexplained_slow(text, bigint, @extschema@.l4_slow_regime, @extschema@.l4_limits) IS
'Step: Of a job whose steps are slow the statements with a measure that is beyond those of successful jobs (l4_beyond_values) '
'in enough of their records since then (limit slow_told_share), and in hardly any before (limit slow_told_before): reason '
'range, with the line where that shows first. Cost: opens the segments of these statements about that place.';

CREATE FUNCTION @extschema@.l4_slow_records(job_id text, unexplained @extschema@.l4_unexplained_record[],
	slow @extschema@.l4_slow_regime, use_pool boolean, clocks @extschema@.l4_clock_offset[], limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings) RETURNS SETOF @extschema@.l4_unexplained_record
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 10
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	pool record;
BEGIN
	IF slow IS NULL OR NOT use_pool THEN
		RETURN;
	END IF;
	SELECT p.* INTO pool FROM @extschema@.l4_compared_pool(l4_slow_records.job_id) p;
	-- of other settings steps may well take another time
	IF pool.known_kinds <> '{}' THEN
		RETURN QUERY
		SELECT r.*
		FROM @extschema@.l4_unexplained_records(l4_slow_records.job_id, ARRAY(
				SELECT s FROM @extschema@.l4_unexplained_slow(l4_slow_records.job_id, pool.pool_id, slow, limits) s
				WHERE (s.stream_id, s.shape_id) NOT IN (SELECT u.stream_id, u.shape_id FROM unnest(unexplained) u)),
			pool.pool_id, clocks, limits, wordings) r;
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_slow_records(text, @extschema@.l4_unexplained_record[], @extschema@.l4_slow_regime, boolean,
	@extschema@.l4_clock_offset[], @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: The records that tell of slow steps (l4_unexplained_slow; slow: l4_slow_regime, NULL: none are), but for those that are '
'unexplained anyhow, against the pool of the job, if that is of its settings; none where use_pool is false.';
