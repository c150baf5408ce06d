/* The report of what is watched live: the page of l4_flow_report, from what l4_watch_flows keeps. No flow is read again. */

CREATE FUNCTION @extschema@.l4_watched_traces(limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_flow_trace
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10000 COST 10000000
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_nestloop = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
	pairs refcursor;
	numbers CONSTANT jsonb := (SELECT COALESCE(jsonb_object_agg(a.address, j.job), '{}')
		FROM @extschema@.l4_flow_watch_job j CROSS JOIN LATERAL unnest(j.addresses) a(address));
	trace @extschema@.l4_flow_trace;
BEGIN
	OPEN pairs SCROLL FOR
		WITH found AS MATERIALIZED (SELECT p.* FROM @extschema@.l4_watched_pairs(NULL, limits) p) SELECT f.* FROM found f;
	FOR trace IN
		SELECT t.* FROM @extschema@.l4_traces_of_pairs(pairs, @extschema@.l4_known_servers('@extschema@.l4_accelerator'),
			limits) t
	LOOP
		trace.job := (numbers ->> trace.source)::int;
		RETURN NEXT trace;
	END LOOP;
	CLOSE pairs;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_watched_traces(@extschema@.l4_limits) IS
'Step: What is kept of the flows that l4_watch_flows read tells of jobs, accelerators and pairs, with the numbers that the '
'jobs have in l4_flow_watch_job. Cost: that of l4_flow_diagnose over some steps of each job, but for reading flows.';

CREATE FUNCTION @extschema@.l4_flow_watch_report(generated_at timestamptz DEFAULT now()) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	limits CONSTANT @extschema@.l4_limits := @extschema@.l4_limits_in_force();
BEGIN
	PERFORM @extschema@.l4_need_owner('to report what is watched');
	RETURN @extschema@.l4_flow_report_page(ARRAY(SELECT t FROM @extschema@.l4_watched_traces(limits) t),
		ARRAY(SELECT ROW(f.job, f.kind, f.subject, extract(epoch FROM f.began), extract(epoch FROM f.ended), f.factor,
				f.confidence, f.facts)::@extschema@.l4_flow_finding
			FROM @extschema@.l4_flow_watch_finding f
			WHERE f.window_began = (SELECT max(w.window_began) FROM @extschema@.l4_flow_watch_window w)
			ORDER BY f.ordinal), limits, l4_flow_watch_report.generated_at);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_flow_watch_report(timestamptz) IS
'What l4_watch_flows last said, for people: the page of l4_flow_report with the findings of the last window, and the '
'timelines, groups and switches of the last steps of each job that is not silent (limits flow_watch_steps, '
'flow_watch_windows). Jobs have their numbers in l4_flow_watch_job. From what l4_watch_flows keeps: no flow is read again. '
'generated_at: as in l4_report. For the owner of the '
'tables. Errors: 42501 for others. Cost: that of l4_flow_report over some steps, but for reading flows.';
