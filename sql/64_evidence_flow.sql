/*
 * Flow: what the switches saw. A network interface that ceases to send, a link that carries less than its like, an accelerator
 * that computes longer are told from the traffic, whatever the logs say, or do not say. The last minutes of the job's own
 * traffic tell.
 */

CREATE FUNCTION @extschema@.l4_kept_flows(key text) RETURNS @extschema@.l4_job_flows
	LANGUAGE c VOLATILE STRICT PARALLEL SAFE COST 10 AS 'MODULE_PATHNAME', 'l4_kept_flows';
COMMENT ON FUNCTION @extschema@.l4_kept_flows(text) IS
'Step: What l4_keep_flows was given last with this key in this transaction, by the same role that saw the same rows; NULL '
'where that was not so.';

CREATE FUNCTION @extschema@.l4_keep_flows(key text, flows @extschema@.l4_job_flows) RETURNS @extschema@.l4_job_flows
	LANGUAGE c VOLATILE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_keep_flows';
COMMENT ON FUNCTION @extschema@.l4_keep_flows(text, @extschema@.l4_job_flows) IS
'Step: Keeps what flows tell until the end of the transaction, or until something else is kept, and returns it: the report '
'of a job shows what its diagnosis read.';

CREATE FUNCTION @extschema@.l4_last_flows_of_job(job_id text, limits @extschema@.l4_limits)
	RETURNS @extschema@.l4_job_flows
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	key CONSTANT text := l4_last_flows_of_job.job_id || ' ' || l4_last_flows_of_job.limits::text;
	time_window tstzrange;
	seen @extschema@.l4_job_flows;
BEGIN
	-- whoever may not read flows gets the diagnosis of the logs
	IF (limits).evidence_flow_span <= 0 OR NOT pg_catalog.has_table_privilege('@extschema@.l4_flow', 'SELECT')
		OR NOT pg_catalog.has_table_privilege('@extschema@.l4_accelerator', 'SELECT') THEN
		RETURN NULL;
	ELSIF NOT EXISTS (SELECT FROM @extschema@.l4_flow) THEN
		RETURN NULL;
	END IF;
	seen := @extschema@.l4_kept_flows(key);
	IF seen IS NULL THEN
		time_window := @extschema@.l4_job_flow_window(l4_last_flows_of_job.job_id, limits);
		seen := @extschema@.l4_keep_flows(key, @extschema@.l4_flows_of_job(l4_last_flows_of_job.job_id,
			tstzrange(GREATEST(lower(time_window), upper(time_window) - make_interval(secs => (limits).evidence_flow_search)),
				upper(time_window)),
			'@extschema@.l4_flow', NULL, '@extschema@.l4_accelerator', limits, (limits).evidence_flow_span));
	END IF;
	RETURN seen;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_last_flows_of_job(text, @extschema@.l4_limits) IS
'Step: What the flows of the last minutes tell in which a job sent anything (limits evidence_flow_span, 0 for never, and '
'evidence_flow_search), from l4_flow and l4_accelerator; NULL where l4_flow is empty, or who asks may not read it. Cost: as '
'l4_flows_of_job, the first time in a statement (l4_keep_flows).';

CREATE FUNCTION @extschema@.l4_evidence_flow(job_id text, units @extschema@.l4_unit[], attempt @extschema@.l4_attempt,
	limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_evidence
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 2
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
AS $$
DECLARE
	seen @extschema@.l4_job_flows;
BEGIN
	-- of the last attempt alone, whose flows are the last
	IF (l4_evidence_flow.attempt).attempt < (l4_evidence_flow.attempt).attempts THEN
		RETURN;
	END IF;
	seen := @extschema@.l4_last_flows_of_job(l4_evidence_flow.job_id, limits);
	IF seen.job IS NULL THEN
		RETURN;
	END IF;
	RETURN QUERY
	SELECT u.unit, u.node, NULL::int, 'flow',
		(f.finding).confidence * CASE WHEN k.silent THEN 1 ELSE (limits).evidence_flow_slow_part END, NULL::float8,
		k.limit_name, to_jsonb(f.finding), NULL::bigint, NULL::bigint, NULL::bigint, to_timestamp((f.finding).began)
	FROM @extschema@.l4_job_flow_findings(seen, limits) f
	JOIN (VALUES ('stalled', true, 'flow_silent_steps'), ('missing', true, 'flow_silent_steps'),
		('time_outs', false, 'flow_time_outs'), ('slow_link', false, 'flow_slow_rate'),
		('slow_accelerator', false, 'flow_slow_work')) k(kind, silent, limit_name) ON k.kind = (f.finding).kind
	JOIN unnest(l4_evidence_flow.units) u ON u.node = f.node;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_evidence_flow(text, @extschema@.l4_unit[], @extschema@.l4_attempt,
	@extschema@.l4_limits) IS
'Step: Evidence of kind flow: what l4_diagnose_flows finds against single nodes in the last minutes in which the job sent '
'anything (l4_last_flows_of_job); of a link, against the node that sends. numbers: the finding. Cost: as l4_flows_of_job.';
