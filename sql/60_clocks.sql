/*
 * Clocks: which node's is off, and by how much.
 */

CREATE TYPE @extschema@.l4_clock_offset AS (
	node text,
	ahead interval,
	spread interval,
	statements bigint
);
COMMENT ON TYPE @extschema@.l4_clock_offset IS
'A node whose clock is off: by how much it is ahead of the others, the median deviation from that, and the number of '
'statements that say so (l4_clock_offsets).';

CREATE FUNCTION @extschema@.l4_clock_offsets(job_id text, limits @extschema@.l4_limits DEFAULT NULL)
	RETURNS SETOF @extschema@.l4_clock_offset
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 1
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	l4_clock_offsets.limits := coalesce(l4_clock_offsets.limits, @extschema@.l4_limits_in_force());
	-- Ranks that work together log the same things at about the same time. A clock that is off shifts all that its node logs
	-- alike; a node that started late is late at first only, so that its statements disagree. Files that several nodes share
	-- have one order and need no clock.
	RETURN QUERY
	WITH entry AS MATERIALIZED (SELECT f.* FROM @extschema@.l4_job_first_times(l4_clock_offsets.job_id) f),
	statement AS MATERIALIZED (
		SELECT e.shape_id, bool_and(e.iterating) AS iterating, percentile_cont(0.5) WITHIN GROUP (ORDER BY e.first_at) AS at
		FROM entry e
		GROUP BY e.shape_id
		HAVING count(*) >= (limits).clock_nodes AND count(*) >= (limits).clock_node_share * (SELECT count(DISTINCT o.unit)
			FROM entry o)
	),
	size AS (SELECT count(*) >= (limits).clock_statements AS iterating FROM statement s WHERE s.iterating),
	restarted AS (
		-- launchers that restart their ranks one by one start them at other times, and each start says the same
		SELECT count(DISTINCT s.attempt) > 1 AS several FROM @extschema@.l4_job_streams(l4_clock_offsets.job_id) s
	),
	deviation AS MATERIALIZED (
		-- iterations go in step, starts do not
		SELECT e.unit, e.first_at - s.at AS seconds FROM entry e JOIN statement s USING (shape_id), size z, restarted r
			WHERE s.iterating OR NOT z.iterating AND NOT r.several
	),
	middle AS (
		SELECT d.unit, percentile_cont(0.5) WITHIN GROUP (ORDER BY d.seconds) AS seconds, count(*) AS statements
		FROM deviation d GROUP BY d.unit
	),
	offset_of AS (
		SELECT m.unit, m.seconds, m.statements,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(d.seconds - m.seconds)) AS spread
		FROM middle m JOIN deviation d USING (unit) GROUP BY m.unit, m.seconds, m.statements
	)
	SELECT o.unit, make_interval(secs => o.seconds), make_interval(secs => o.spread), o.statements
	FROM offset_of o, size z
	WHERE o.statements >= (limits).clock_statements
		AND abs(o.seconds) > greatest(CASE WHEN z.iterating THEN (limits).clock_offset
			ELSE (limits).clock_offset_before_iterations END,
			(limits).clock_spread_factor * o.spread);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_clock_offsets(text, @extschema@.l4_limits) IS
'Step: Nodes whose clock is off: how far it is ahead of the clocks of most nodes (negative: behind), estimated from the '
'statements that the ranks of most nodes log, as the median over these; spread is the median deviation from it, statements '
'their number. Only offsets of more than half a second (1.5 s where nothing was iterated yet; limits clock_...) that stand '
'out from their spread; of a job that was started several times, as its paths tell, only by what it says while it iterates.';
