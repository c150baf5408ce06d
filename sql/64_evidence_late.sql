/*
 * Behind and late: before ranks wait for one another they print the same lines in each iteration. Who had not come to the last
 * of them, or came long after the others, made these wait.
 */

CREATE FUNCTION @extschema@.l4_recurring_steps(job_id text, streams @extschema@.l4_job_stream[], limits @extschema@.l4_limits)
RETURNS TABLE (unit text, compared text, shared boolean, shape_id bigint, stream_id bigint, occurrences bigint,
	last_iteration bigint, last_line bigint, last_ts timestamptz, step numeric)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10000
BEGIN ATOMIC
	-- of fewer nodes than tell what is usual the ranks are compared
	WITH size AS MATERIALIZED (
		SELECT count(DISTINCT o.unit) AS units FROM unnest(l4_recurring_steps.streams) o WHERE o.kind = 'rank'
	)
	SELECT s.unit, CASE WHEN (SELECT u.units FROM size u) < (l4_recurring_steps.limits).evidence_late_nodes
			THEN s.unit || ' ' || s.rank ELSE s.unit END,
		s.shared, e.shape_id, e.stream_id, e.occurrences, e.last_iteration, e.last_line, e.last_ts,
		EXTRACT(epoch FROM e.last_ts - e.first_ts) / GREATEST(e.occurrences - 1, 1)
	FROM @extschema@.l4_job_counts(l4_recurring_steps.job_id,
		min_occurrences => (l4_recurring_steps.limits).evidence_late_records::bigint,
		iterating => true) e
	JOIN unnest(l4_recurring_steps.streams) s ON s.stream_id = e.stream_id
	WHERE s.kind = 'rank' AND s.unit IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_recurring_steps(text, @extschema@.l4_job_stream[], @extschema@.l4_limits) IS
'Step: What ranks print again and again while they iterate: what is compared (the unit, or each of its ranks), how often, '
'when last, and the time between two on average (step, in seconds).';

CREATE FUNCTION @extschema@.l4_awaited_units(job_id text, units @extschema@.l4_unit[], streams @extschema@.l4_job_stream[],
	clocks @extschema@.l4_clock_offset[], limits @extschema@.l4_limits)
RETURNS TABLE (unit text, shape_id bigint, stream_id bigint, line_no bigint, last_ts timestamptz, late double precision,
	step double precision, behind bigint, units bigint, times bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	-- Statements that the ranks of most units print again and again while they iterate. Whoever comes late to the last one made
	-- the others wait; whoever printed one less is behind. What a unit's clock is off is taken out.
	WITH printed AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_recurring_steps(l4_awaited_units.job_id, l4_awaited_units.streams,
			l4_awaited_units.limits) p
	),
	entry AS MATERIALIZED (
		SELECT p.*, p.own_ts - COALESCE(k.ahead, '0') AS last_ts,
			EXTRACT(epoch FROM p.own_ts - COALESCE(k.ahead, '0'))::float8 AS last_at
		FROM (
			SELECT p.compared, min(p.unit) AS unit, p.shape_id, bool_or(p.shared) AS shared, min(p.occurrences) AS times,
				min(p.last_iteration) AS last_iteration,
				max(p.last_ts) AS own_ts, max(p.step)::float8 AS step
			FROM printed p GROUP BY p.compared, p.shape_id) p
		LEFT JOIN unnest(l4_awaited_units.clocks) k ON k.node = p.unit
	),
	statement AS MATERIALIZED (
		SELECT e.shape_id, count(*) AS units, max(e.times) AS times, max(e.last_iteration) AS last_iteration,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY e.last_at) AS last_at,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY e.step) AS step
		FROM entry e
		GROUP BY e.shape_id
		HAVING count(*) >= (l4_awaited_units.limits).evidence_late_nodes
			AND count(*) >= (l4_awaited_units.limits).evidence_late_node_share
				* (SELECT count(*) FROM unnest(l4_awaited_units.units) n WHERE n.logged)
			AND max(e.times) - min(e.times) <= 1
	),
	spread AS (
		SELECT s.shape_id, s.units, s.times, s.last_iteration, s.last_at, s.step,
			count(*) FILTER (WHERE e.times < s.times) AS behind,
			(l4_awaited_units.limits).evidence_spread_factor
				* percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(e.last_at - s.last_at)) AS scale
		FROM statement s JOIN entry e USING (shape_id)
		GROUP BY s.shape_id, s.units, s.times, s.last_iteration, s.last_at, s.step
	),
	awaited AS MATERIALIZED (
		SELECT e.compared, e.unit, e.shape_id, e.last_ts, CASE WHEN s.behind = 0 THEN e.last_at - s.last_at END AS late, s.step,
			s.behind, s.units, s.times
		FROM entry e JOIN spread s USING (shape_id)
		WHERE CASE s.behind
			WHEN 0 THEN NOT e.shared
				AND e.last_at - s.last_at > GREATEST((l4_awaited_units.limits).evidence_late_step_share * s.step,
				(l4_awaited_units.limits).evidence_late_spread_factor * s.scale, (l4_awaited_units.limits).evidence_late_least)
			ELSE e.times < s.times AND e.last_iteration < s.last_iteration AND s.behind * 2 <= s.units END
	)
	-- of a unit's streams the one that is furthest back
	SELECT DISTINCT ON (a.compared, a.shape_id) a.unit, a.shape_id, p.stream_id, p.last_line, a.last_ts, a.late, a.step,
		a.behind, a.units, a.times
	FROM awaited a
	JOIN printed p ON p.compared = a.compared AND p.shape_id = a.shape_id
	WHERE EXISTS (SELECT FROM awaited)
	ORDER BY a.compared, a.shape_id, p.occurrences, p.last_ts DESC, p.stream_id;
END;
COMMENT ON FUNCTION @extschema@.l4_awaited_units(text, @extschema@.l4_unit[], @extschema@.l4_job_stream[],
	@extschema@.l4_clock_offset[], @extschema@.l4_limits) IS
'Step: Units that the others seem to have waited for when the job stopped: late, in seconds, where they came later than '
'the others to the last of what all ranks print in each iteration (by evidence_late_step_share of the usual time between '
'two, step in seconds, at least); NULL where behind of the units printed it once less than the others (times). Times by '
'the clock of the most units.';

CREATE FUNCTION @extschema@.l4_evidence_late(job_id text, units @extschema@.l4_unit[], streams @extschema@.l4_job_stream[],
	clocks @extschema@.l4_clock_offset[], unexplained_shapes bigint[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 2
BEGIN ATOMIC
	WITH awaited AS (
		SELECT w.*, w.late IS NOT NULL AND bool_or(w.late IS NULL) OVER (PARTITION BY w.unit) AS stuck
		FROM @extschema@.l4_awaited_units(l4_evidence_late.job_id, l4_evidence_late.units, l4_evidence_late.streams,
			l4_evidence_late.clocks, l4_evidence_late.limits) w
	),
	blamed AS (
		-- of those that came late the ones that did not get through the step either are to blame; the others waited for these
		SELECT w.*, count(*) OVER (PARTITION BY w.shape_id) AS units_late, bool_or(w.late IS NULL) OVER () AS any_behind,
			count(*) FILTER (WHERE w.stuck) OVER (PARTITION BY w.shape_id) AS units_stuck
		FROM awaited w
	)
	SELECT u.unit, u.node, u.rank, CASE WHEN w.late IS NULL THEN 'behind' ELSE 'late' END,
		CASE WHEN w.late IS NULL THEN 1 - w.behind::float8 / w.units
			WHEN w.stuck THEN 1 / sqrt(w.units_stuck)
				ELSE (l4_evidence_late.limits).evidence_late_part / sqrt(w.units_late) END,
		NULL::float8, CASE WHEN w.late IS NULL THEN 'evidence_late_node_share' ELSE 'evidence_late_step_share' END,
		CASE WHEN w.late IS NULL THEN jsonb_build_object('units', w.units, 'units_behind', w.behind, 'times', w.times)
			ELSE jsonb_build_object('units', w.units, 'units_late', w.units_late,
				'seconds', w.late, 'step_seconds', w.step) END,
		w.shape_id, w.stream_id, w.line_no, w.last_ts
	FROM blamed w
	JOIN unnest(l4_evidence_late.units) u ON u.unit = w.unit
	WHERE (w.late IS NULL OR w.stuck OR NOT w.any_behind)
		AND w.shape_id <> ALL (l4_evidence_late.unexplained_shapes);
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_late(text, @extschema@.l4_unit[], @extschema@.l4_job_stream[],
	@extschema@.l4_clock_offset[], bigint[], @extschema@.l4_limits) IS
'Step: Evidence of kinds behind and late: the others seem to have waited for the unit when the job stopped '
'(l4_awaited_units), by statements that are not unexplained themselves (unexplained_shapes).';
