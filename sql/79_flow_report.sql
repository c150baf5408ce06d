/*
 * The report of a window of flows: a page with the findings, and of each job its groups and the timeline of its accelerators as
 * a picture, like that of a trace viewer. Made from the same traces as the findings, which are worked out once. Every text from
 * outside passes l4_html_escape; the style is that of l4_report_style.
 */

CREATE FUNCTION @extschema@.l4_flow_report_rows(traces @extschema@.l4_flow_trace[], findings @extschema@.l4_flow_finding[],
	job int, most int DEFAULT 40)
RETURNS TABLE (place int, label text, suspect int, address text, first_at double precision, last_at double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 40 COST 10000
BEGIN ATOMIC
	WITH told AS (
		SELECT DISTINCT ON (e.name) e.name, f.ordinal
		FROM unnest(l4_flow_report_rows.findings) WITH ORDINALITY f(job, kind, subject, began, ended, factor, confidence, facts,
			ordinal)
		CROSS JOIN LATERAL (SELECT string_to_table(f.subject, ' -> ')
			UNION SELECT v.v #>> '{}' FROM jsonb_path_query(f.facts, '$.members[*]') v(v)
			UNION SELECT v.v #>> '{}' FROM jsonb_path_query(f.facts, '$.accelerators[*]') v(v)) e(name)
		ORDER BY e.name, f.ordinal
	), known AS (
		SELECT t.source, t.server, t.first_at, t.last_at, o.ordinal,
			row_number() OVER (PARTITION BY o.ordinal IS NULL ORDER BY t.server COLLATE "C", t.source COLLATE "C") AS number,
			count(*) OVER (PARTITION BY o.ordinal IS NULL) AS of_them, count(o.ordinal) OVER () AS suspects
		FROM unnest(l4_flow_report_rows.traces) t
		LEFT JOIN told o ON o.name IN (t.source, t.server)
		WHERE t.kind = 'accelerator' AND t.job = l4_flow_report_rows.job
	)
	SELECT (row_number() OVER (ORDER BY k.ordinal NULLS LAST, k.server COLLATE "C", k.source COLLATE "C"))::int,
		concat_ws(' ', k.source, NULLIF(k.server, k.source)), k.ordinal::int, k.source, k.first_at, k.last_at
	FROM known k
	-- all that a finding names, and of the others every n-th
	WHERE CASE WHEN k.ordinal IS NOT NULL THEN k.number <= l4_flow_report_rows.most
		ELSE (k.number - 1) % GREATEST(1, ceil(k.of_them::numeric
			/ GREATEST(l4_flow_report_rows.most - k.suspects, 4)))::bigint = 0 END;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_rows(@extschema@.l4_flow_trace[], @extschema@.l4_flow_finding[], int, int) IS
'Step: The rows of the timeline of a job of flows: the accelerators that findings (in their order) name, then the others, '
'evenly, by server and address; some most of them. suspect: the place of the first finding that names it.';

CREATE FUNCTION @extschema@.l4_flow_report_x(at double precision, begins double precision, ends double precision)
	RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN round((212 + 796 * GREATEST(0, LEAST(1, COALESCE((at - begins) / NULLIF(ends - begins, 0), 0))))::numeric, 1);
COMMENT ON FUNCTION @extschema@.l4_flow_report_x(double precision, double precision, double precision) IS
'Step: Where a time (seconds since 1970) stands across the timeline of a report of flows.';

CREATE FUNCTION @extschema@.l4_flow_report_frame(traces @extschema@.l4_flow_trace[], findings @extschema@.l4_flow_finding[],
	job int, most_steps int DEFAULT 120, OUT begins double precision, OUT ends double precision, OUT steps bigint,
	OUT shown bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH step AS (
		SELECT s.step, min(s.began) AS began, max(s.ended) AS ended, row_number() OVER (ORDER BY s.step) AS number,
			count(*) OVER () AS steps
		FROM unnest(l4_flow_report_frame.traces) t
		CROSS JOIN LATERAL @extschema@.l4_steps_of_trace(t) s
		WHERE t.job = l4_flow_report_frame.job
		GROUP BY s.step
	), chosen AS (
		-- a third of what is shown lies before the first finding; without one the last steps are shown
		SELECT GREATEST(1, LEAST(max(s.steps) - most_steps + 1, COALESCE((SELECT min(o.number) FROM step o
			WHERE o.ended >= (SELECT min(f.began) FROM unnest(l4_flow_report_frame.findings) f
				WHERE f.job = l4_flow_report_frame.job)) - most_steps / 3, max(s.steps)))) AS first
		FROM step s
	), window_of AS (
		SELECT min(t.first_at) AS began, max(t.last_at) AS ended
		FROM unnest(l4_flow_report_frame.traces) t
		WHERE t.kind = 'accelerator' AND t.job = l4_flow_report_frame.job
	)
	SELECT COALESCE(CASE WHEN c.first = 1 THEN w.began END, min(s.began), w.began),
		COALESCE(CASE WHEN c.first + most_steps > max(s.steps) THEN w.ended END, max(s.ended), w.ended), max(s.steps),
		count(s.step)
	FROM window_of w
	CROSS JOIN chosen c
	LEFT JOIN step s ON s.number >= c.first AND s.number < c.first + most_steps
	GROUP BY c.first, w.began, w.ended;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_frame(@extschema@.l4_flow_trace[], @extschema@.l4_flow_finding[], int, int) IS
'Step: From when to when the timeline of a job of flows goes (seconds since 1970), how many steps there are, and how many of '
'them are shown: at most so many, around its first finding, else the last.';

CREATE FUNCTION @extschema@.l4_flow_report_axis_svg(begins double precision, ends double precision, height int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT string_agg(format('<line class="grid" x1="%s" x2="%s" y1="22" y2="%s"/>'
		'<text class="t" x="%s" y="14" text-anchor="%s">%s</text>', x.x, x.x, height, x.x,
		CASE n.n WHEN 0 THEN 'start' WHEN 5 THEN 'end' ELSE 'middle' END,
		@extschema@.l4_clock_text(to_timestamp(begins + n.n * (ends - begins) / 5), true)), '' ORDER BY n.n)
	FROM generate_series(0, 5) n (n)
	CROSS JOIN LATERAL (SELECT @extschema@.l4_flow_report_x(begins + n.n * (ends - begins) / 5, begins, ends) AS x) x;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_axis_svg(double precision, double precision, int) IS
'Step: Of the timeline of a report of flows the scale: six times.';

CREATE FUNCTION @extschema@.l4_flow_report_row_svg(trace @extschema@.l4_flow_trace, begins double precision,
	ends double precision, y int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT COALESCE(format('<path class="iterating" d="%s"/>', string_agg(format('M%s %sh%sv12h-%sz', x.began, y, x.work,
			x.work), '' ORDER BY s.step) FILTER (WHERE x.work > 0)), '')
		|| COALESCE(format('<path class="evaluation" d="%s"/>', string_agg(format('M%s %sh%sv12h-%sz', x.ended - x.data, y,
			x.data, x.data), '' ORDER BY s.step) FILTER (WHERE x.data > 0)), '')
	FROM @extschema@.l4_steps_of_trace(trace) s
	CROSS JOIN LATERAL (SELECT @extschema@.l4_flow_report_x(s.began, begins, ends) AS began,
			@extschema@.l4_flow_report_x(s.ended, begins, ends) AS ended) e
	CROSS JOIN LATERAL (SELECT e.began, e.ended,
		@extschema@.l4_flow_report_x(LEAST(s.began + s.compute, s.ended), begins, ends) - e.began AS work,
		e.ended - @extschema@.l4_flow_report_x(s.ended - s.data, begins, ends) AS data) x
	WHERE s.ended > begins AND s.began < ends;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_row_svg(@extschema@.l4_flow_trace, double precision, double precision, int) IS
'Step: The steps of an accelerator across the timeline, at height y: computing, then its data-parallel phase; what is neither '
'is left open.';

CREATE FUNCTION @extschema@.l4_flow_report_marks_svg(findings @extschema@.l4_flow_finding[], job int, begins double precision,
	ends double precision, height int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT string_agg(format('<g><line class="on" x1="%s" x2="%s" y1="22" y2="%s"/><text class="ont" x="%s" y="%s" '
		'text-anchor="middle">%s</text><title>%s</title></g>', x.x, x.x, height, x.x, height + 11, f.ordinal,
		@extschema@.l4_html_escape(format('%s: %s %s', f.ordinal, f.kind, f.subject))), '' ORDER BY f.ordinal)
	FROM unnest(l4_flow_report_marks_svg.findings) WITH ORDINALITY f(job, kind, subject, began, ended, factor, confidence,
		facts, ordinal)
	CROSS JOIN LATERAL (SELECT @extschema@.l4_flow_report_x(f.began, begins, ends) AS x) x
	WHERE (f.job = l4_flow_report_marks_svg.job OR f.job IS NULL) AND f.began BETWEEN begins AND ends;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_marks_svg(@extschema@.l4_flow_finding[], int, double precision,
	double precision, int) IS
'Step: Where findings began across the timeline of a job, with their numbers; NULL where none did.';

CREATE FUNCTION @extschema@.l4_flow_report_timeline_svg(traces @extschema@.l4_flow_trace[],
	findings @extschema@.l4_flow_finding[], job int, begins double precision, ends double precision) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	WITH line AS MATERIALIZED (
		SELECT r.place, r.label, r.suspect, r.address, r.first_at, r.last_at, 24 + (r.place - 1) * 16 AS y
		FROM @extschema@.l4_flow_report_rows(l4_flow_report_timeline_svg.traces, l4_flow_report_timeline_svg.findings,
			l4_flow_report_timeline_svg.job) r
	), size AS (
		SELECT 24 + count(*)::int * 16 AS height FROM line
	)
	SELECT format('<svg viewBox="0 0 1040 %s" role="graphics-document" aria-labelledby="flows-title-%s" '
		'aria-describedby="flows-text-%s"><title id="flows-title-%s">What the accelerators of job %s did</title>'
		'<desc id="flows-text-%s">Rows are accelerators; light is computing, dark the data-parallel phase.</desc>%s%s%s</svg>',
		s.height + 16, l4_flow_report_timeline_svg.job, l4_flow_report_timeline_svg.job, l4_flow_report_timeline_svg.job,
		l4_flow_report_timeline_svg.job, l4_flow_report_timeline_svg.job,
		@extschema@.l4_flow_report_axis_svg(l4_flow_report_timeline_svg.begins, l4_flow_report_timeline_svg.ends, s.height),
		(SELECT string_agg(format('<rect class="row" x="%s" y="%s" width="%s" height="12"/>', x.x, l.y,
				@extschema@.l4_flow_report_x(l.last_at, l4_flow_report_timeline_svg.begins,
					l4_flow_report_timeline_svg.ends) - x.x)
				|| @extschema@.l4_report_label_svg(l.label, l.suspect, 1, l.y + 10)
				|| @extschema@.l4_flow_report_row_svg(t, l4_flow_report_timeline_svg.begins,
					l4_flow_report_timeline_svg.ends, l.y), '' ORDER BY l.place)
			FROM line l
			JOIN unnest(l4_flow_report_timeline_svg.traces) t ON t.kind = 'accelerator' AND t.source = l.address
			CROSS JOIN LATERAL (SELECT @extschema@.l4_flow_report_x(l.first_at, l4_flow_report_timeline_svg.begins,
				l4_flow_report_timeline_svg.ends) AS x) x),
		@extschema@.l4_flow_report_marks_svg(l4_flow_report_timeline_svg.findings, l4_flow_report_timeline_svg.job,
			l4_flow_report_timeline_svg.begins, l4_flow_report_timeline_svg.ends, s.height))
	FROM size s;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_timeline_svg(@extschema@.l4_flow_trace[], @extschema@.l4_flow_finding[], int,
	double precision, double precision) IS
'Step: The timeline of the accelerators of a job of flows as SVG.';

-- ---- sections ----

CREATE FUNCTION @extschema@.l4_flow_report_groups_html(traces @extschema@.l4_flow_trace[], job int,
	limits @extschema@.l4_limits) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	SELECT '<table><thead><tr><th scope="col">Groups</th><th scope="col" class="n">How many</th>'
		'<th scope="col" class="n">Size</th><th scope="col">The first</th></tr></thead><tbody>'
		|| string_agg(format('<tr><th scope="row">%s</th><td class="n" data-label="How many">%s</td>'
			'<td class="n" data-label="Size">%s</td><td class="small" data-label="The first">%s</td></tr>', g.kind, g.groups,
			CASE WHEN g.least = g.most THEN g.most::text ELSE g.least || ' to ' || g.most END,
			@extschema@.l4_html_escape(@extschema@.l4_clip(g.members, 1, 160))), E'\n' ORDER BY g.kind COLLATE "C")
		|| '</tbody></table>'
	FROM (SELECT g.kind, count(*) AS groups, min(g.size) AS least, max(g.size) AS most,
			array_to_string((array_agg(g.members ORDER BY g.number) FILTER (WHERE g.number = 1))[1:1],
				CASE g.kind WHEN 'pipeline' THEN ' > ' ELSE ', ' END) AS members
		FROM @extschema@.l4_flow_groups_of(l4_flow_report_groups_html.traces, limits) g
		WHERE g.job = l4_flow_report_groups_html.job AND g.kind <> 'job'
		GROUP BY g.kind) g;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_groups_html(@extschema@.l4_flow_trace[], int, @extschema@.l4_limits) IS
'Step: The groups of a job of flows as a table; NULL where there are none.';

CREATE FUNCTION @extschema@.l4_flow_report_job_html(traces @extschema@.l4_flow_trace[],
	findings @extschema@.l4_flow_finding[], job int, limits @extschema@.l4_limits) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	SELECT @extschema@.l4_report_section(format('Job %s', l4_flow_report_job_html.job),
		format('%s on %s%s. %sLight is computing, dark the data-parallel phase, between them waiting; a row ends with the last '
			'flow. Dashed lines are findings.', @extschema@.l4_count_words(j.accelerators, 'accelerator'),
			@extschema@.l4_count_words(j.servers, 'server'),
			COALESCE(', ' || @extschema@.l4_count_words(f.steps, 'step') || ' of '
				|| @extschema@.l4_seconds_text(j.period) || ' s', ', steps are not seen'),
			concat(CASE WHEN r.shown < j.accelerators THEN format('The picture shows %s of the accelerators. ', r.shown) END,
				CASE WHEN f.shown < f.steps THEN format('The picture shows %s of the steps. ', f.shown) END,
				CASE WHEN n.beyond > 0 THEN format('%s began at other times. ',
					@extschema@.l4_count_words(n.beyond, 'finding')) END)),
		@extschema@.l4_report_wide(format('Job %s', l4_flow_report_job_html.job), @extschema@.l4_flow_report_timeline_svg(
			l4_flow_report_job_html.traces, l4_flow_report_job_html.findings, l4_flow_report_job_html.job, f.begins, f.ends))
		|| COALESCE(@extschema@.l4_flow_report_groups_html(l4_flow_report_job_html.traces, l4_flow_report_job_html.job,
			limits), ''))
	FROM @extschema@.l4_flow_report_frame(l4_flow_report_job_html.traces, l4_flow_report_job_html.findings,
		l4_flow_report_job_html.job) f
	CROSS JOIN (SELECT count(*) AS shown FROM @extschema@.l4_flow_report_rows(l4_flow_report_job_html.traces,
		l4_flow_report_job_html.findings, l4_flow_report_job_html.job)) r
	CROSS JOIN (SELECT count(*) AS accelerators, count(DISTINCT t.server) AS servers, max(t.period) AS period
		FROM unnest(l4_flow_report_job_html.traces) t
		WHERE t.kind = 'accelerator' AND t.job = l4_flow_report_job_html.job) j
	CROSS JOIN LATERAL (SELECT count(*) AS beyond
		FROM unnest(l4_flow_report_job_html.findings) o
		WHERE o.job = l4_flow_report_job_html.job AND NOT o.began BETWEEN f.begins AND f.ends) n;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_job_html(@extschema@.l4_flow_trace[], @extschema@.l4_flow_finding[], int,
	@extschema@.l4_limits) IS
'Step: The section of a report of flows on one job: its timeline, and its groups.';

CREATE FUNCTION @extschema@.l4_flow_report_findings_html(findings @extschema@.l4_flow_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT @extschema@.l4_report_section('Findings', 'The surest first. The share is how sure each is; the numbers are those '
		'in the pictures.', '<ol>' || string_agg(format('<li>%s <span class="sure">(%s, %s %%)</span>%s</li>',
			@extschema@.l4_html_escape(@extschema@.l4_sentence_flow(ROW(f.job, f.kind, f.subject, f.began, f.ended, f.factor,
				f.confidence, f.facts)::@extschema@.l4_flow_finding)), COALESCE('job ' || f.job, 'several jobs'),
			round(100 * f.confidence::numeric), @extschema@.l4_report_folded('Facts', format('<pre class="quote">%s</pre>',
				@extschema@.l4_html_escape(@extschema@.l4_clip(jsonb_pretty(f.facts), 40, 4000))))), E'\n' ORDER BY f.ordinal)
			|| '</ol>')
	FROM unnest(l4_flow_report_findings_html.findings) WITH ORDINALITY f(job, kind, subject, began, ended, factor, confidence,
		facts, ordinal);
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_findings_html(@extschema@.l4_flow_finding[]) IS
'Step: The section of a report of flows on the findings, in their order; NULL where there are none.';

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
		FROM unnest(l4_flow_report_switches_html.traces) t
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
		FROM unnest(l4_flow_report_page.traces) t
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
		SELECT 2, @extschema@.l4_flow_report_findings_html(l4_flow_report_page.findings)
		UNION ALL
		SELECT 2 + j.place, @extschema@.l4_flow_report_job_html(l4_flow_report_page.traces, l4_flow_report_page.findings, j.job,
			limits)
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
	findings := ARRAY(SELECT f FROM @extschema@.l4_flow_findings(traces, limits) f
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
