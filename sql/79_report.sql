/* l4_report: one diagnosis, set in one of three formats. */

CREATE FUNCTION @extschema@.l4_report_in_zone(job_id text, format text, generated_at timestamptz, zone text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL UNSAFE COST 1000000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	findings @extschema@.l4_finding[];
BEGIN
	PERFORM @extschema@.l4_need_ready();
	PERFORM @extschema@.l4_work_at_home(l4_report_in_zone.job_id, false);
	IF current_setting('TimeZone') <> l4_report_in_zone.zone THEN
		PERFORM @extschema@.l4_use_zone(l4_report_in_zone.zone);
	END IF;
	findings := @extschema@.l4_report_findings(l4_report_in_zone.job_id);
	RETURN CASE l4_report_in_zone.format
		WHEN 'text' THEN @extschema@.l4_report_text(l4_report_in_zone.job_id, findings, l4_report_in_zone.generated_at)
		WHEN 'markdown' THEN @extschema@.l4_report_markdown(l4_report_in_zone.job_id, findings,
			l4_report_in_zone.generated_at)
		ELSE @extschema@.l4_report_html(l4_report_in_zone.job_id, findings, l4_report_in_zone.generated_at) END;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_report_in_zone(text, text, timestamptz, text) IS
'Step: The report of a job in one of the formats of l4_report, with its times in a zone.';

CREATE FUNCTION @extschema@.l4_report(job_id text, format text DEFAULT 'text',
	generated_at timestamptz DEFAULT now()) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	page text;
BEGIN
	IF l4_report.format IS NULL OR l4_report.format NOT IN ('text', 'markdown', 'html') THEN
		RAISE EXCEPTION 'report format "%" is not known', l4_report.format
			USING ERRCODE = 'invalid_parameter_value', HINT = 'The formats are "text", "markdown" and "html".';
	END IF;
	-- where the job is: its row takes the call there
	SELECT @extschema@.l4_report_in_zone(j.job_id, l4_report.format, l4_report.generated_at, current_setting('TimeZone'))
	INTO page FROM @extschema@.l4_job j WHERE j.job_id = l4_report.job_id;
	IF NOT FOUND THEN
		-- logs of a job that nobody registered, or no job at all
		page := @extschema@.l4_report_in_zone(l4_report.job_id, l4_report.format, l4_report.generated_at,
			current_setting('TimeZone'));
	END IF;
	RETURN page;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_report(text, text, timestamptz) IS
'The diagnosis of a job for people: "text" (at most 100 columns), "markdown" (a ticket) or "html" (one self-contained page '
'with pictures: inline SVG and CSS, no script, nothing loaded; well-formed XML in the encoding of the client, declared as '
'UTF-8). Verdict, what to do, suspects with reasons and doubts, faults with their fixes, differences from the last good '
'run, time of steps, pictures of nodes and stages, events, evidence in its context, what was filtered, links (l4_link); '
'what network flows tell of the last minutes of the job, where there are any (limits evidence_flow_span, '
'evidence_flow_search): what is slow or silent, and whether its steps are those of the logs; in the page also the timeline of '
'its accelerators. '
'generated_at is what it says of when it was made; with NULL it says neither that nor the version, so that the same '
'diagnosis gives the same text. Pictures have at most 40 rows and 120 columns, whatever the size of the job. Times are in the '
'zone of the session. Reads only. Errors: as l4_diagnose (P0002 unknown job, 55000 no logs); 22023 unknown format. Cost: '
'little more than one diagnosis.';
