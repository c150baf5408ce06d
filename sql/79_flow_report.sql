/*
 * The report of a window of flows: a page with the findings, a part for each job (78_flow_pictures.sql), and the switches. Made
 * from the same traces as the findings, which are worked out once. Every text from outside passes l4_html_escape; the style is
 * that of l4_report_style.
 */

CREATE FUNCTION @extschema@.l4_flow_report_switches_html(traces @extschema@.l4_flow_trace[], most int DEFAULT 64) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	SELECT @extschema@.l4_report_section('Switches', format('Of the data-parallel flows through each: the %sslowest first.',
			CASE WHEN max(s.switches) > l4_flow_report_switches_html.most
				THEN format('%s slowest of %s, the ', l4_flow_report_switches_html.most, max(s.switches)) ELSE '' END),
		'<table><thead><tr><th scope="col">Switch</th><th scope="col" class="n">Links</th>'
		'<th scope="col" class="n">Mean rate, GB/s</th></tr></thead><tbody>' || string_agg(format(
			'<tr><th scope="row">%s</th><td class="n" data-label="Links">%s</td><td class="n" data-label="Mean rate, GB/s">%s'
			'</td></tr>', @extschema@.l4_html_escape(s.name), s.links, round((s.rate / 1e9)::numeric, 2)), E'\n'
			ORDER BY s.rate, s.name COLLATE "C") || '</tbody></table>')
	FROM (SELECT n.name, count(DISTINCT (t.source, t.destination)) AS links,
			sum(m.moved) / NULLIF(sum(m.busy), 0) AS rate,
			count(*) OVER () AS switches,
			row_number() OVER (ORDER BY sum(m.moved) / NULLIF(sum(m.busy), 0), n.name COLLATE "C") AS place
		FROM @extschema@.l4_each_trace(l4_flow_report_switches_html.traces) t
		CROSS JOIN LATERAL string_to_table(t.path, ',') n(name)
		CROSS JOIN LATERAL (SELECT sum(x.moved) AS moved, sum(x.busy) AS busy FROM unnest(t.moved, t.busy) x(moved, busy)) m
		WHERE t.kind = 'data'
		GROUP BY n.name) s
	WHERE s.place <= l4_flow_report_switches_html.most AND s.rate > 0;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_switches_html(@extschema@.l4_flow_trace[], int) IS
'Step: The section of a report of flows on the switches; NULL where none are known.';

CREATE FUNCTION @extschema@.l4_flow_report_page(traces @extschema@.l4_flow_trace[], findings @extschema@.l4_flow_finding[],
	limits @extschema@.l4_limits, generated_at timestamptz, most_jobs int DEFAULT 12) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
SET plan_cache_mode = force_generic_plan
BEGIN ATOMIC
	WITH jobs AS MATERIALIZED (
		SELECT t.job, min(t.first_at) AS first_at, max(t.last_at) AS last_at,
			row_number() OVER (ORDER BY (SELECT min(f.ordinal)
				FROM unnest(l4_flow_report_page.findings) WITH ORDINALITY f(job, kind, subject, began, ended, factor,
					confidence, facts, ordinal) WHERE f.job = t.job) NULLS LAST, t.job) AS place
		FROM @extschema@.l4_each_trace(l4_flow_report_page.traces) t
		WHERE t.kind = 'accelerator'
		GROUP BY t.job
	), part AS (
		SELECT 1 AS turn, format(E'<header>\n<p class="job">Network flows</p>\n<h1>%s</h1>\n<p class="soft">%s</p>\n</header>',
			COALESCE(@extschema@.l4_html_escape(@extschema@.l4_sentence_flow(l4_flow_report_page.findings[1])), CASE count(*)
				WHEN 0 THEN 'No training job is seen in these flows.' ELSE 'Nothing is slow or silent.' END),
			CASE WHEN count(*) > 0 THEN format('%s, from %s to %s.%s', @extschema@.l4_count_words(count(*), 'job'),
				@extschema@.l4_time_text(to_timestamp(min(j.first_at))), @extschema@.l4_time_text(to_timestamp(max(j.last_at))),
				CASE WHEN count(*) > most_jobs THEN format(' %s are shown, those with findings before others.', most_jobs)
					ELSE '' END) END) AS html
		FROM jobs j
		UNION ALL
		SELECT 2, @extschema@.l4_report_section('Findings', 'The surest first. The share is how sure each is; the numbers are '
			'those in the pictures.', @extschema@.l4_flow_report_findings_html(l4_flow_report_page.findings, false))
		UNION ALL
		SELECT 2 + j.place, @extschema@.l4_flow_report_job_html(l4_flow_report_page.traces, l4_flow_report_page.findings, j.job,
			limits, format('Job %s', j.job), format('job %s', j.job))
		FROM jobs j WHERE j.place <= most_jobs
		UNION ALL
		SELECT 3 + most_jobs, @extschema@.l4_flow_report_switches_html(l4_flow_report_page.traces)
	)
	SELECT @extschema@.l4_report_page('Network flows', string_agg(p.html, E'\n' ORDER BY p.turn),
		@extschema@.l4_report_written(l4_flow_report_page.generated_at, 'network flows'))
	FROM part p WHERE p.html IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_page(@extschema@.l4_flow_trace[], @extschema@.l4_flow_finding[],
	@extschema@.l4_limits, timestamptz, int) IS
'Step: The page of a report of flows: findings, jobs (those with findings first, some most of them), switches.';

CREATE FUNCTION @extschema@.l4_flow_report(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL,
	job int DEFAULT NULL, flows regclass DEFAULT '@extschema@.l4_flow', columns jsonb DEFAULT NULL,
	accelerators regclass DEFAULT '@extschema@.l4_accelerator', generated_at timestamptz DEFAULT now()) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000000
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_nestloop = off
SET jit = off
AS $$
DECLARE
	limits CONSTANT @extschema@.l4_limits := @extschema@.l4_limits_in_force();
	traces @extschema@.l4_flow_trace[];
	findings @extschema@.l4_flow_finding[];
BEGIN
	traces := ARRAY(SELECT t FROM @extschema@.l4_flow_traces(l4_flow_report.from_time, l4_flow_report.to_time,
		l4_flow_report.flows, l4_flow_report.columns, l4_flow_report.accelerators, limits) t);
	findings := ARRAY(SELECT f FROM @extschema@.l4_window_findings(traces, l4_flow_report.flows, l4_flow_report.columns,
			l4_flow_report.accelerators, limits) f
		WHERE (f.job = l4_flow_report.job) IS NOT FALSE OR f.job IS NULL
		ORDER BY f.confidence DESC, f.began, f.kind COLLATE "C", f.subject COLLATE "C");
	IF l4_flow_report.job IS NOT NULL THEN
		traces := ARRAY(SELECT t FROM unnest(traces) t WHERE t.job = l4_flow_report.job);
	END IF;
	RETURN @extschema@.l4_flow_report_page(traces, findings, limits, l4_flow_report.generated_at);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_flow_report(timestamptz, timestamptz, int, regclass, jsonb, regclass, timestamptz) IS
'What l4_flow_diagnose says of a window, for people: one self-contained HTML page (inline SVG and CSS, no script, nothing '
'loaded; well-formed XML). Findings with their facts, and of each job the timeline of its accelerators as a picture '
'(computing, data-parallel phase, waiting, where findings began), its groups, and the switches with their rates. Arguments and '
'errors as l4_flow_diagnose. generated_at: as in l4_report. A picture has some 40 accelerators (those that findings name, and '
'evenly of the others) and 120 steps (around the first finding), a page 12 jobs; it says what is left out. Times are in UTC. '
'Cost: little more than l4_flow_diagnose.';
