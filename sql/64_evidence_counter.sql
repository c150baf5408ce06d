/*
 * Counter: errors, discards and retransmissions are counted by the system of each node. Nodes do the same work, so one of
 * which such a number grew far more than on the others has a part that fails, whether or not anybody complains.
 */

CREATE FUNCTION @extschema@.l4_counting_units(job_id text, streams @extschema@.l4_job_stream[], limits @extschema@.l4_limits)
RETURNS TABLE (unit text, shape_id bigint, "position" int, stream_id bigint, line_no bigint, growth double precision,
	median double precision, usual double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	-- What the system logs of all units count: from its least to its largest value, per unit. A unit stands out where its
	-- counter grew many times what the half of the units did, and by some at least, further than any other but one, and past
	-- what successful jobs show.
	WITH parameter AS MATERIALIZED (
		SELECT s.unit, p.shape_id, p.position, p.maximum - p.minimum AS growth, p.maximum, p.stream_id, p.maximum_line
		FROM @extschema@.l4_job_sketches(l4_counting_units.job_id,
			ARRAY(SELECT DISTINCT t.source_id FROM unnest(l4_counting_units.streams) t WHERE t.kind = 'system')) k
		CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch) p
		JOIN unnest(l4_counting_units.streams) s ON s.stream_id = p.stream_id
		WHERE s.kind = 'system' AND s.unit IS NOT NULL
			AND p.number_count = p.occurrences AND p.number_count >= (l4_counting_units.limits).evidence_counter_records
	),
	counter AS MATERIALIZED (
		SELECT p.unit, p.shape_id, p.position, sum(p.growth) AS growth, max(p.maximum) AS largest
		FROM parameter p GROUP BY p.unit, p.shape_id, p.position
	),
	middle AS (
		SELECT c.shape_id, c.position, percentile_cont(0.5) WITHIN GROUP (ORDER BY c.growth) AS growth
		FROM counter c GROUP BY c.shape_id, c.position HAVING count(*) >= (l4_counting_units.limits).evidence_counter_nodes
	),
	outstanding AS (
		SELECT c.unit, c.shape_id, c.position, c.growth, m.growth AS median,
			CASE WHEN q.job_count > 1 THEN q.maximum END AS usual
		FROM (
			SELECT c.*, row_number() OVER (PARTITION BY c.shape_id, c.position ORDER BY c.growth DESC, c.unit) AS turn
			FROM counter c) c
		JOIN middle m USING (shape_id, position)
		LEFT JOIN @extschema@.l4_pool_parameter q
			ON q.pool_id = (SELECT b.pool_id FROM @extschema@.l4_best_pool(l4_counting_units.job_id) b)
			AND q.shape_id = c.shape_id AND q.position = c.position
		WHERE c.turn <= 2 AND c.growth >= (l4_counting_units.limits).evidence_counter_growth
			AND c.growth > (l4_counting_units.limits).evidence_counter_factor * m.growth
			AND (q.maximum IS NULL OR c.largest > (l4_counting_units.limits).evidence_counter_pool_factor * q.maximum)
	)
	-- of a unit's streams the one that counted most
	SELECT DISTINCT ON (o.unit, o.shape_id, o.position) o.unit, o.shape_id, o.position, p.stream_id, p.maximum_line, o.growth,
		o.median, o.usual
	FROM outstanding o
	JOIN parameter p ON p.unit = o.unit AND p.shape_id = o.shape_id AND p.position = o.position
	ORDER BY o.unit, o.shape_id, o.position, p.growth DESC, p.stream_id;
END;
COMMENT ON FUNCTION @extschema@.l4_counting_units(text, @extschema@.l4_job_stream[], @extschema@.l4_limits) IS
'Step: Units of which a number in the system log (errors, discards, retransmissions) grew far more than on the others and '
'further than in successful jobs: growth is largest less least value, median that of the units, usual the largest value of '
'the pool (NULL where it has less than two jobs that count it), line_no where the largest stands.';

CREATE FUNCTION @extschema@.l4_evidence_counter(job_id text, units @extschema@.l4_unit[], streams @extschema@.l4_job_stream[],
	limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 2
BEGIN ATOMIC
	SELECT u.unit, u.node, u.rank, 'counter',
		CASE WHEN c.usual IS NULL THEN (l4_evidence_counter.limits).evidence_counter_alone_part ELSE 1 END,
		NULL::float8, 'evidence_counter_factor',
		jsonb_build_object('position', c.position, 'growth', c.growth, 'median_growth', c.median, 'usual', c.usual),
		c.shape_id, c.stream_id, c.line_no, NULL::timestamptz
	FROM @extschema@.l4_counting_units(l4_evidence_counter.job_id, l4_evidence_counter.streams, l4_evidence_counter.limits) c
	JOIN unnest(l4_evidence_counter.units) u ON u.unit = c.unit
	JOIN @extschema@.l4_shape h ON h.shape_id = c.shape_id;
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_counter(text, @extschema@.l4_unit[], @extschema@.l4_job_stream[],
	@extschema@.l4_limits) IS
'Step: Evidence of kind counter: a number in the system log of a unit grew far more than on the others (l4_counting_units).';
