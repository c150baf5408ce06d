/*
 * Jobs of logs among the flows: which flows are those of a job, and what they tell of its nodes. Only what its own accelerators
 * send each other is read, so that the cost is that of one job, however many others share the switches.
 */

CREATE FUNCTION @extschema@.l4_job_accelerators(job_id text, accelerators regclass) RETURNS TABLE (address text, node text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH nodes AS MATERIALIZED (
		SELECT DISTINCT u.node FROM @extschema@.l4_job_units(l4_job_accelerators.job_id) u WHERE u.node IS NOT NULL
	)
	SELECT k.address, min(k.node COLLATE "C")
	FROM (
		SELECT a.address, n.node
		FROM @extschema@.l4_read_accelerators(l4_job_accelerators.accelerators) a JOIN nodes n ON n.node = a.server
		UNION ALL
		SELECT a.address, a.node FROM @extschema@.l4_job_addresses(l4_job_accelerators.job_id) a JOIN nodes n USING (node)) k
	GROUP BY k.address;
END;
COMMENT ON FUNCTION @extschema@.l4_job_accelerators(text, regclass) IS
'Step: The addresses of the nodes of a job: of servers of their names, and those that the logs tell.';

CREATE FUNCTION @extschema@.l4_flow_job_of(job_id text, traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
	RETURNS int
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH nodes AS MATERIALIZED (
		SELECT DISTINCT u.node FROM @extschema@.l4_job_units(l4_flow_job_of.job_id) u WHERE u.node IS NOT NULL
	), servers AS (
		SELECT DISTINCT t.job, COALESCE(a.node, t.server) AS node
		FROM @extschema@.l4_each_trace(l4_flow_job_of.traces) t
		LEFT JOIN @extschema@.l4_job_addresses(l4_flow_job_of.job_id) a ON a.address = t.source
		WHERE t.kind = 'accelerator'
	)
	SELECT s.job
	FROM servers s
	JOIN nodes n ON n.node = s.node
	GROUP BY s.job
	HAVING count(*) >= (limits).flow_server_overlap * (SELECT count(*) FROM nodes)
	ORDER BY count(*) DESC, s.job
	LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_job_of(text, @extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: Which job of flows is the given job of logs: the one on most of its nodes, by the names of servers and by the addresses '
'that the logs tell; NULL where none is on enough of them (limit flow_server_overlap).';

CREATE FUNCTION @extschema@.l4_job_flow_window(job_id text, limits @extschema@.l4_limits) RETURNS tstzrange
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT tstzrange(COALESCE(s.first_ts, j.started_at),
		COALESCE(s.last_ts, j.ended_at) + make_interval(secs => (limits).flow_after_logs))
	FROM @extschema@.l4_job_span(l4_job_flow_window.job_id, (limits).job_gap, (limits).job_stray_share) s
	LEFT JOIN @extschema@.l4_job_row(l4_job_flow_window.job_id) j ON true;
END;
COMMENT ON FUNCTION @extschema@.l4_job_flow_window(text, @extschema@.l4_limits) IS
'Step: When flows of a job may have been: the time of its logs and a little more (limit flow_after_logs); its beginning is '
'unbounded where the logs have no times.';

CREATE FUNCTION @extschema@.l4_last_flows(addresses text[], time_window tstzrange, flows regclass, columns jsonb,
	span interval, OUT of_these timestamptz, OUT of_anybody timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	started CONSTANT text := @extschema@.l4_flow_column(l4_last_flows.flows, l4_last_flows.columns, 'started_at',
		'timestamptz', true);
	query CONSTANT text := format('SELECT max(%1$s) FILTER (WHERE %2$s = ANY ($1)), max(%1$s) FROM %3$s f
			WHERE %1$s >= $2 AND %1$s < $3', started,
		@extschema@.l4_flow_column(l4_last_flows.flows, l4_last_flows.columns, 'source', 'text', true), l4_last_flows.flows);
	until timestamptz := upper(l4_last_flows.time_window);
	since timestamptz;
	length interval := l4_last_flows.span;
	last_seen timestamptz;
BEGIN
	-- backwards, in parts that grow: a job that ran for days most often sent something in its last minutes
	LOOP
		since := GREATEST(lower(l4_last_flows.time_window), until - length);
		EXECUTE query INTO of_these, last_seen USING l4_last_flows.addresses, since, until;
		of_anybody := GREATEST(of_anybody, last_seen);
		EXIT WHEN of_these IS NOT NULL OR since <= lower(l4_last_flows.time_window);
		until := since;
		length := length * 2;
	END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_last_flows(text[], tstzrange, regclass, jsonb, interval) IS
'Step: When the last flow that one of these addresses sent began within the window, and the last of anybody: until when '
'flows were collected. NULL for none. span: it is looked for backwards in parts of so long, each twice as long as the one '
'before; NULL: in all at once. Cost: a scan of the parts.';

CREATE TYPE @extschema@.l4_job_flows AS (
	traces @extschema@.l4_flow_trace[],
	job int,
	known jsonb,
	collected_until timestamptz,
	missing text
);
COMMENT ON TYPE @extschema@.l4_job_flows IS
'Step: What the accelerators of a job of logs sent each other: all traces, the number of its job there, the node of each '
'address, and when the last flow of anybody began. missing: what there is not (times, accelerators, flows, job: none of '
'flows is on enough of its nodes); NULL: nothing.';

CREATE FUNCTION @extschema@.l4_flows_of_job(job_id text, time_window tstzrange, flows regclass, columns jsonb,
	accelerators regclass, limits @extschema@.l4_limits, span double precision DEFAULT NULL)
	RETURNS @extschema@.l4_job_flows
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000000
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
AS $$
DECLARE
	seen @extschema@.l4_job_flows;
	addresses text[];
	last record;
BEGIN
	SELECT jsonb_object_agg(a.address, a.node), array_agg(a.address ORDER BY a.address COLLATE "C")
	INTO seen.known, addresses
	FROM @extschema@.l4_job_accelerators(l4_flows_of_job.job_id, l4_flows_of_job.accelerators) a;
	IF addresses IS NULL OR lower(l4_flows_of_job.time_window) IS NULL THEN
		seen.missing := CASE WHEN addresses IS NULL THEN 'accelerators' ELSE 'times' END;
		RETURN seen;
	END IF;
	SELECT f.of_these, f.of_anybody INTO last
	FROM @extschema@.l4_last_flows(addresses, l4_flows_of_job.time_window, l4_flows_of_job.flows,
		l4_flows_of_job.columns, make_interval(secs => l4_flows_of_job.span)) f;
	IF last.of_these IS NULL THEN
		seen.missing := 'flows';
		RETURN seen;
	END IF;
	seen.collected_until := last.of_anybody;
	-- to the last flow, which may be long before the last record: who waits for a time-out sends nothing
	seen.traces := ARRAY(SELECT t FROM @extschema@.l4_flow_traces(GREATEST(lower(l4_flows_of_job.time_window),
			last.of_these - make_interval(secs => l4_flows_of_job.span)), last.of_these + interval '1 microsecond',
		l4_flows_of_job.flows, l4_flows_of_job.columns, l4_flows_of_job.accelerators,
		l4_flows_of_job.limits, addresses) t);
	seen.job := @extschema@.l4_flow_job_of(l4_flows_of_job.job_id, seen.traces, l4_flows_of_job.limits);
	seen.missing := CASE WHEN seen.job IS NULL THEN 'job' END;
	RETURN seen;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_flows_of_job(text, tstzrange, regclass, jsonb, regclass, @extschema@.l4_limits,
	double precision) IS
'Step: What the flows of a job of logs tell. time_window: when they may have been; span: of these only so many seconds before '
'the last; NULL: all. Cost: a scan of the window for its last flow, and that of l4_flow_jobs over the flows of the job in '
'the span.';

CREATE FUNCTION @extschema@.l4_job_flow_findings(seen @extschema@.l4_job_flows, limits @extschema@.l4_limits)
RETURNS TABLE (finding @extschema@.l4_flow_finding, node text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 10
BEGIN ATOMIC
	SELECT f, COALESCE((seen).known ->> split_part(f.subject, ' -> ', 1), f.facts ->> 'server')
	FROM @extschema@.l4_flow_findings((seen).traces, limits, extract(epoch FROM (seen).collected_until)::float8) f
	WHERE f.job = (seen).job;
END;
COMMENT ON FUNCTION @extschema@.l4_job_flow_findings(@extschema@.l4_job_flows, @extschema@.l4_limits) IS
'Step: The findings of flows about a job of logs, with the node that each is about first, unordered.';
