/* What network flows tell of a job, as lines for the reports that have no pictures. */

CREATE FUNCTION @extschema@.l4_report_flow_lines(job_id text, most int DEFAULT 8)
RETURNS TABLE (place int, told text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 ROWS 4
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_nestloop = off
SET jit = off
AS $$
DECLARE
	limits CONSTANT @extschema@.l4_limits := @extschema@.l4_limits_in_force();
	seen @extschema@.l4_job_flows := @extschema@.l4_last_flows_of_job(l4_report_flow_lines.job_id, limits);
BEGIN
	IF seen.job IS NULL THEN
		RETURN;
	END IF;
	RETURN QUERY
	SELECT 0, @extschema@.l4_sentence_flow_check(c.missing, c.fit, c.pieces)
	FROM @extschema@.l4_check_flow_steps(l4_report_flow_lines.job_id, seen, limits) c;
	RETURN QUERY
	SELECT f.place, f.told
	FROM (SELECT (row_number() OVER (ORDER BY (x.finding).confidence DESC, (x.finding).began, (x.finding).kind COLLATE "C",
				(x.finding).subject COLLATE "C"))::int AS place,
			format('%s (%s %%)', @extschema@.l4_sentence_flow(x.finding), round(100 * (x.finding).confidence::numeric)) AS told
		FROM @extschema@.l4_job_flow_findings(seen, limits) x) f
	WHERE f.place <= most
	ORDER BY f.place;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_report_flow_lines(text, int) IS
'Step: What the flows of the last minutes in which a job sent anything tell of it (l4_last_flows_of_job): how its steps go '
'with those of the logs (place 0), and what is slow or silent, the surest first, most lines of it. No rows where there are no '
'flows. Cost: that of l4_flow_diagnose over these minutes.';
