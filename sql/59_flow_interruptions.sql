/*
 * Stalls that are over: a job stood still amid a step, and went on. At the end of a window that is seen by what is missed then;
 * so each long step is looked at as if the window ended before the job went on.
 */

CREATE FUNCTION @extschema@.l4_long_steps(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, addresses text[], period double precision, began double precision, ended double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH accelerators AS MATERIALIZED (
		SELECT t.job, t.source, t.period, t.ends, row_number() OVER (PARTITION BY t.job
			ORDER BY cardinality(t.ends) DESC, t.source COLLATE "C") AS place,
			count(*) OVER (PARTITION BY t.job) AS accelerators
		FROM @extschema@.l4_each_trace(l4_long_steps.traces) t
		WHERE t.kind = 'accelerator' AND t.last_at IS NOT NULL
	), steps AS (
		-- of one that has as many as most: when a job stands still all do, but some may lack steps, and of others a long one
		-- may have been parted
		SELECT a.job, a.period, e.at AS began, lead(e.at) OVER (PARTITION BY a.job ORDER BY e.at) AS ended
		FROM accelerators a CROSS JOIN LATERAL unnest(a.ends) e(at)
		WHERE a.place = (a.accelerators + 1) / 2
	), longest AS (
		SELECT s.*, row_number() OVER (PARTITION BY s.job ORDER BY s.ended - s.began DESC, s.began) AS place
		FROM steps s
		-- it may have begun to stand still at the end of a step, and what is left of it takes one, too
		WHERE s.ended - s.began >= ((limits).flow_silent_steps + 2) * s.period
	)
	SELECT l.job, m.addresses, l.period, l.began, l.ended
	FROM longest l
	JOIN (SELECT a.job, array_agg(a.source ORDER BY a.source COLLATE "C") AS addresses FROM accelerators a GROUP BY a.job) m
		ON m.job = l.job
	WHERE l.place <= (limits).flow_interruptions;
END;
COMMENT ON FUNCTION @extschema@.l4_long_steps(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: The longest steps of jobs (limit flow_interruptions) amid which they may have stood still (limit flow_silent_steps), '
'with the addresses of the job, and what a step takes as a rule.';

CREATE FUNCTION @extschema@.l4_interrupted_jobs(traces @extschema@.l4_flow_trace[], flows regclass, columns jsonb,
	accelerators regclass, limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1 COST 1000000
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
AS $$
DECLARE
	long record;
	until double precision;
	before @extschema@.l4_flow_trace[];
BEGIN
	FOR long IN SELECT s.* FROM @extschema@.l4_long_steps(traces, limits) s LOOP
		-- before anybody went on: what is left of a step takes no longer than a whole one
		until := long.ended - (limits).flow_interrupted_left * long.period;
		before := ARRAY(SELECT t FROM @extschema@.l4_flow_traces(
			to_timestamp(long.began - (limits).flow_interrupted_before * long.period), to_timestamp(until),
			l4_interrupted_jobs.flows, l4_interrupted_jobs.columns, l4_interrupted_jobs.accelerators, limits,
			long.addresses) t);
		RETURN QUERY
		SELECT long.job, f.kind, CASE f.kind WHEN 'silent' THEN format('job %s', long.job) ELSE f.subject END, f.began,
			long.ended, f.factor, f.confidence, f.facts || jsonb_build_object('went_on', true)
		FROM @extschema@.l4_silent_accelerators(before, limits, until) f
		WHERE (f.facts ->> 'job_stopped')::boolean
			-- behind a step, as in an evaluation, only stragglers have sent something since
			AND (SELECT avg((t.last_at > t.whole_until)::int) FROM @extschema@.l4_each_trace(before) t
				WHERE t.kind = 'accelerator') >= (limits).flow_interrupted_amid;
	END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_interrupted_jobs(@extschema@.l4_flow_trace[], regclass, jsonb, regclass,
	@extschema@.l4_limits) IS
'Step: Findings of kind stalled, missing and silent of jobs that stood still amid a step and went on (l4_long_steps): those of '
'l4_silent_accelerators as if the window ended before they did, with an end (that of the step) and went_on among the facts. '
'Cost: that of l4_flow_jobs over the flows of some steps of the job, for each long step.';

CREATE FUNCTION @extschema@.l4_window_findings(traces @extschema@.l4_flow_trace[], flows regclass, columns jsonb,
	accelerators regclass, limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 COST 1000000
BEGIN ATOMIC
	SELECT f.* FROM @extschema@.l4_flow_findings(l4_window_findings.traces, limits) f
	UNION ALL
	SELECT i.* FROM @extschema@.l4_interrupted_jobs(l4_window_findings.traces, l4_window_findings.flows,
		l4_window_findings.columns, l4_window_findings.accelerators, limits) i;
END;
COMMENT ON FUNCTION @extschema@.l4_window_findings(@extschema@.l4_flow_trace[], regclass, jsonb, regclass,
	@extschema@.l4_limits) IS
'Step: All findings of a window whose flows can be read again: l4_flow_findings and l4_interrupted_jobs, unordered.';
