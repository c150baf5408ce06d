/*
 * All findings of traces of flows: of accelerators and steps (58_flow_slowness.sql), links (58_flow_elements.sql) and
 * silence (58_flow_silence.sql), and which of them go without saying.
 */

CREATE FUNCTION @extschema@.l4_timed_out_senders(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH senders AS MATERIALIZED (
		SELECT t.job, t.source, t.server, sum(t.flows) AS flows, count(l.at) AS waited, min(l.at) AS began, max(l.at) AS ended
		FROM @extschema@.l4_each_trace(l4_timed_out_senders.traces) t
		LEFT JOIN LATERAL unnest(t.late) l(at) ON true
		WHERE t.kind <> 'accelerator' AND t.flows IS NOT NULL
		GROUP BY t.job, t.source, t.server
	), everybody AS (
		SELECT sum(s.flows) AS flows, sum(s.waited) AS waited FROM senders s
	)
	SELECT s.job, 'time_outs', s.source, s.began, s.ended, NULL::double precision, 0.8,
		jsonb_build_object('server', s.server, 'messages', s.waited, 'elsewhere', e.waited - s.waited)
	FROM senders s, everybody e
	WHERE s.waited >= (limits).flow_time_outs
		AND s.waited * (e.flows - s.flows) > (limits).flow_time_out_rate * (e.waited - s.waited) * s.flows;
END;
COMMENT ON FUNCTION @extschema@.l4_timed_out_senders(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: Senders that wait for time-outs now and then: messages that take many times as long as usual (limit '
'flow_time_out_factor), more often than with others. Such a network interface often fails soon.';

CREATE FUNCTION @extschema@.l4_is_of_late_sender(kind text, facts jsonb, awaited jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100
RETURN kind = 'slow_link' AND jsonb_array_length(awaited -> 'accelerators') = 1
	AND NOT EXISTS (SELECT FROM jsonb_array_elements_text(facts -> 'links') l (link)
		WHERE NOT starts_with(l.link, (awaited -> 'accelerators' ->> 0) || ' -> '));
COMMENT ON FUNCTION @extschema@.l4_is_of_late_sender(text, jsonb, jsonb) IS
'Step: Are the links of a finding (kind and facts) those of the one accelerator alone that all wait for (facts of '
'l4_awaited_servers)? Whoever sends over a link that is slow sends first pieces as early as the others; of who is late itself '
'what it sends takes long because it waits within it.';

CREATE FUNCTION @extschema@.l4_flow_findings(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits,
	collected_until double precision DEFAULT NULL)
RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
-- what functions return is counted by nobody: loops would look at all rows for each
SET enable_nestloop = off
SET jit = off
SET work_mem = '32MB'
BEGIN ATOMIC
	WITH understood AS MATERIALIZED (
		SELECT u.job FROM @extschema@.l4_understood_jobs(l4_flow_findings.traces, limits) u
	), awaited AS MATERIALIZED (
		SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
		FROM @extschema@.l4_awaited_servers(l4_flow_findings.traces, limits) f
		WHERE f.job IN (TABLE understood)
	), elements AS MATERIALIZED (
		SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
		FROM @extschema@.l4_slow_elements(l4_flow_findings.traces, limits, ARRAY(TABLE understood)) f
		WHERE NOT EXISTS (SELECT FROM awaited w WHERE w.job = f.job AND w.began <= f.ended AND w.ended >= f.began
			AND @extschema@.l4_is_of_late_sender(f.kind, f.facts, w.facts))
	), waited_for AS MATERIALIZED (
		SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
		FROM @extschema@.l4_slow_sharded(l4_flow_findings.traces, limits) f
		UNION ALL
		SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
		FROM @extschema@.l4_slow_exchangers(l4_flow_findings.traces, limits) f
	)
	SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
	FROM @extschema@.l4_silent_accelerators(l4_flow_findings.traces, limits,
		l4_flow_findings.collected_until) f
	-- who is silent while others go on is missed where all are known to send in each step
	WHERE (f.facts ->> 'job_stopped')::boolean OR f.job IN (TABLE understood)
	UNION ALL
	SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
	FROM @extschema@.l4_timed_out_senders(l4_flow_findings.traces, limits) f
	UNION ALL
	SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
	FROM elements f
	-- records that are open while all wait for the slowest are slow, on whichever links
	WHERE NOT EXISTS (SELECT FROM waited_for w WHERE w.job = f.job AND w.began <= f.ended AND w.ended >= f.began)
	UNION ALL
	SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
	FROM @extschema@.l4_slow_workers(l4_flow_findings.traces, limits) f
	WHERE f.job IN (TABLE understood)
	UNION ALL
	SELECT w.job, w.kind, w.subject, w.began, w.ended, w.factor, w.confidence, w.facts
	FROM waited_for w
	WHERE w.job IN (TABLE understood)
	UNION ALL
	SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
	FROM awaited f
	-- a link that is slow makes steps longer, too
	WHERE NOT EXISTS (SELECT FROM (TABLE elements UNION ALL TABLE waited_for) w
		WHERE COALESCE(w.job, f.job) = f.job AND w.began <= f.ended AND w.ended >= f.began)
	UNION ALL
	SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
	FROM @extschema@.l4_slow_steps_of(l4_flow_findings.traces, limits) f
	WHERE f.job IN (TABLE understood);
END;
COMMENT ON FUNCTION @extschema@.l4_flow_findings(@extschema@.l4_flow_trace[], @extschema@.l4_limits, double precision) IS
'Step: All findings of flows, one function a kind, unordered; that something is slow, or one silent while others go on, of '
'jobs alone that are understood (l4_understood_jobs). collected_until: as in l4_silent_accelerators.';
