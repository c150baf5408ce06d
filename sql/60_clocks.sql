/*
 * Clocks: which node's is off, and by how much; and which files are of another time zone.
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

CREATE FUNCTION @extschema@.l4_zone_shifts(job_id text, limits @extschema@.l4_limits)
	RETURNS TABLE (stream_id bigint, ahead interval)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH stream AS MATERIALIZED (SELECT s.* FROM @extschema@.l4_job_streams(l4_zone_shifts.job_id) s),
	file AS (
		SELECT s.source_id, min(s.first_ts) AS first_ts, max(s.last_ts) AS last_ts,
			bool_or(s.last_iteration IS NOT NULL) AS iterates, bool_or(s.kind = 'rank') AS of_rank
		FROM stream s
		WHERE @extschema@.l4_clock_was_set(s.first_ts)
		GROUP BY s.source_id
	),
	source AS MATERIALIZED (
		-- those that iterate tell, where any does
		SELECT f.*, CASE WHEN bool_or(f.iterates) OVER () THEN f.iterates ELSE f.of_rank END AS trains FROM file f
	),
	training AS MATERIALIZED (
		SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY s.first_ts) AS first_ts, max(s.last_ts) AS last_ts,
			min(s.first_ts) AS earliest, make_interval(secs => (limits).zone_together) AS together
		FROM source s WHERE s.trains
	),
	-- files of one job that no moment has in common with its ranks'
	apart AS MATERIALIZED (
		SELECT s.source_id, s.first_ts, s.last_ts,
			round(EXTRACT(epoch FROM s.first_ts - t.first_ts) / (limits).zone_step::numeric) * (limits).zone_step::numeric
				AS seconds
		FROM source s, training t
		WHERE NOT s.trains AND (s.first_ts > t.last_ts + t.together OR s.last_ts < t.earliest - t.together)
	),
	zone AS (
		SELECT a.seconds
		FROM apart a, training t
		WHERE abs(a.seconds) BETWEEN (limits).zone_least AND (limits).zone_most
			AND abs(EXTRACT(epoch FROM a.first_ts - t.first_ts) - a.seconds) <= (limits).zone_together
		GROUP BY a.seconds HAVING count(*) >= (limits).zone_sources
		ORDER BY count(*) DESC, abs(a.seconds), a.seconds LIMIT 1
	)
	SELECT s.stream_id, z.ahead
	FROM apart a JOIN stream s USING (source_id), training t,
		(SELECT make_interval(secs => o.seconds::float8) AS ahead FROM zone o) z
	WHERE a.first_ts - z.ahead <= t.last_ts + t.together AND a.last_ts - z.ahead >= t.earliest - t.together;
END;
COMMENT ON FUNCTION @extschema@.l4_zone_shifts(text, @extschema@.l4_limits) IS
'Step: Streams whose stamps are of another time zone than those of the ranks, where stamps of one kind name theirs and others '
'do not: how far each is ahead; all streams of a file alike. Files without a moment in common with any of the ranks, of which '
'several begin a whole number of half hours before or after them, and what lies with the ranks when shifted by that. No rows '
'where all files overlap, as in most jobs. Reads the streams.';
