/*
 * What flows tell of a job, as a part of a page: the timeline of its accelerators as a picture, like that of a trace viewer,
 * its groups, and the findings. l4_flow_report makes a page of all jobs of a window of it, l4_report shows that of its job.
 */

CREATE FUNCTION @extschema@.l4_flow_report_named(findings @extschema@.l4_flow_finding[])
RETURNS TABLE (ordinal int, name text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 1000
BEGIN ATOMIC
	SELECT f.ordinal::int, e.name
	FROM unnest(l4_flow_report_named.findings) WITH ORDINALITY f(job, kind, subject, began, ended, factor, confidence, facts,
		ordinal)
	CROSS JOIN LATERAL (SELECT string_to_table(f.subject, ' -> ')
		UNION SELECT v.v #>> '{}' FROM jsonb_path_query(f.facts, '$.members[*]') v(v)
		UNION SELECT v.v #>> '{}' FROM jsonb_path_query(f.facts, '$.accelerators[*]') v(v)) e(name);
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_named(@extschema@.l4_flow_finding[]) IS
'Step: Whom findings name: addresses, or servers; ordinal: the place of the finding.';

CREATE FUNCTION @extschema@.l4_flow_report_rows(traces @extschema@.l4_flow_trace[], findings @extschema@.l4_flow_finding[],
	job int, most int DEFAULT 40)
RETURNS TABLE (place int, label text, suspect int, address text, server text, first_at double precision,
	last_at double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 40 COST 10000
BEGIN ATOMIC
	WITH told AS (
		SELECT n.name, min(n.ordinal) AS ordinal
		FROM @extschema@.l4_flow_report_named(l4_flow_report_rows.findings) n
		GROUP BY n.name
	), known AS (
		SELECT t.source, t.server, t.first_at, t.last_at, o.ordinal,
			row_number() OVER (PARTITION BY o.ordinal IS NULL ORDER BY t.server COLLATE "C", t.source COLLATE "C") AS number,
			count(*) OVER (PARTITION BY o.ordinal IS NULL) AS of_them, count(o.ordinal) OVER () AS suspects
		FROM @extschema@.l4_each_trace(l4_flow_report_rows.traces) t
		LEFT JOIN told o ON o.name IN (t.source, t.server)
		WHERE t.kind = 'accelerator' AND t.job = l4_flow_report_rows.job
	)
	SELECT (row_number() OVER (ORDER BY k.ordinal NULLS LAST, k.server COLLATE "C", k.source COLLATE "C"))::int,
		concat_ws(' ', k.source, NULLIF(k.server, k.source)), k.ordinal, k.source, k.server, k.first_at, k.last_at
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
		FROM @extschema@.l4_each_trace(l4_flow_report_frame.traces) t
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
		FROM @extschema@.l4_each_trace(l4_flow_report_frame.traces) t
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

CREATE FUNCTION @extschema@.l4_flow_report_named_svg(finding @extschema@.l4_flow_finding, ordinal int,
	begins double precision, ends double precision, y int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT format('<g><line class="on" x1="%s" x2="%s" y1="%s" y2="%s"/><title>%s</title></g>', x.x,
		GREATEST(x.x2, x.x + 2), y + 14, y + 14,
		@extschema@.l4_html_escape(format('%s: %s %s', ordinal, (finding).kind, (finding).subject)))
	FROM (SELECT @extschema@.l4_flow_report_x((finding).began, begins, ends) AS x,
		@extschema@.l4_flow_report_x(COALESCE((finding).ended, ends), begins, ends) AS x2) x
	WHERE (finding).began <= ends AND ((finding).ended < begins) IS NOT TRUE;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_named_svg(@extschema@.l4_flow_finding, int, double precision,
	double precision, int) IS
'Step: A finding below the row at height y of one whom it names, as long as it lasts; NULL where that is not in the picture.';

CREATE FUNCTION @extschema@.l4_pipeline_sendings(traces @extschema@.l4_flow_trace[], job int)
RETURNS TABLE (address text, began double precision, ended double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 10000
BEGIN ATOMIC
	SELECT t.source, min(s.began), LEAST(min(s.began) + sum(s.busy), min(t.ends[s.place + 1]))
	FROM @extschema@.l4_each_trace(l4_pipeline_sendings.traces) t
	CROSS JOIN LATERAL ROWS FROM (unnest(t.began), unnest(t.busy)) WITH ORDINALITY s(began, busy, place)
	WHERE t.job = l4_pipeline_sendings.job AND t.kind = 'pipeline' AND s.began > 0
	GROUP BY t.source, s.place;
END;
COMMENT ON FUNCTION @extschema@.l4_pipeline_sendings(@extschema@.l4_flow_trace[], int) IS
'Step: When each accelerator first sent along its pipelines in each step, and when it had if it went on without a pause '
'(seconds since 1970), at most to the end of the step.';

CREATE FUNCTION @extschema@.l4_flow_report_timeline_svg(traces @extschema@.l4_flow_trace[],
	findings @extschema@.l4_flow_finding[], job int, name text, begins double precision, ends double precision) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	WITH line AS MATERIALIZED (
		SELECT r.place, r.label, r.suspect, r.address, r.server, r.first_at, r.last_at, 24 + (r.place - 1) * 16 AS y
		FROM @extschema@.l4_flow_report_rows(l4_flow_report_timeline_svg.traces, l4_flow_report_timeline_svg.findings,
			l4_flow_report_timeline_svg.job) r
	), size AS (
		SELECT 24 + count(*)::int * 16 AS height FROM line
	), spans AS (
		SELECT l.place, 1 AS turn, format('<rect class="row" x="%s" y="%s" width="%s" height="12"/>', x.x, l.y,
				@extschema@.l4_flow_report_x(l.last_at, begins, ends) - x.x)
			|| @extschema@.l4_report_label_svg(l.label, l.suspect, 1, l.y + 10)
			|| @extschema@.l4_flow_report_row_svg(t.trace, begins, ends, l.y) AS svg
		FROM line l
		JOIN (SELECT t AS trace, t.source
			FROM @extschema@.l4_each_trace(l4_flow_report_timeline_svg.traces) t WHERE t.kind = 'accelerator') t
			ON t.source = l.address
		CROSS JOIN LATERAL (SELECT @extschema@.l4_flow_report_x(l.first_at, begins, ends) AS x) x
		UNION ALL
		SELECT l.place, 2, format('<path class="model_build" d="%s"/>', string_agg(format('M%s %sh%sv3h-%sz', x.x,
			l.y + 9, x.wide, x.wide), '' ORDER BY s.began))
		FROM line l
		JOIN @extschema@.l4_pipeline_sendings(l4_flow_report_timeline_svg.traces, l4_flow_report_timeline_svg.job) s
			ON s.address = l.address
		CROSS JOIN LATERAL (SELECT b.x, GREATEST(@extschema@.l4_flow_report_x(s.ended, begins, ends) - b.x, 1.5) AS wide
			FROM (SELECT @extschema@.l4_flow_report_x(s.began, begins, ends) AS x) b) x
		WHERE s.began >= begins AND s.began < ends
		GROUP BY l.place
		UNION ALL
		SELECT l.place, 2 + n.ordinal, string_agg(DISTINCT @extschema@.l4_flow_report_named_svg(
			l4_flow_report_timeline_svg.findings[n.ordinal], n.ordinal, begins, ends, l.y), '')
		FROM line l
		JOIN @extschema@.l4_flow_report_named(l4_flow_report_timeline_svg.findings) n ON n.name IN (l.address, l.server)
		GROUP BY l.place, n.ordinal
	)
	SELECT format('<svg viewBox="0 0 1040 %s" role="graphics-document" aria-labelledby="flows-title-%s" '
		'aria-describedby="flows-text-%s"><title id="flows-title-%s">What the accelerators of %s did</title>'
		'<desc id="flows-text-%s">Rows are accelerators; light is computing, dark the data-parallel phase.</desc>%s%s%s</svg>',
		s.height + 16, l4_flow_report_timeline_svg.job, l4_flow_report_timeline_svg.job, l4_flow_report_timeline_svg.job,
		l4_flow_report_timeline_svg.name, l4_flow_report_timeline_svg.job,
		@extschema@.l4_flow_report_axis_svg(begins, ends, s.height),
		(SELECT string_agg(p.svg, '' ORDER BY p.place, p.turn) FROM spans p),
		@extschema@.l4_flow_report_marks_svg(l4_flow_report_timeline_svg.findings, l4_flow_report_timeline_svg.job,
			begins, ends, s.height))
	FROM size s;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_timeline_svg(@extschema@.l4_flow_trace[], @extschema@.l4_flow_finding[], int,
	text, double precision, double precision) IS
'Step: The timeline of the accelerators of a job of flows as SVG; name: what the job is called there.';

CREATE FUNCTION @extschema@.l4_flow_report_groups_html(traces @extschema@.l4_flow_trace[],
	findings @extschema@.l4_flow_finding[], job int, limits @extschema@.l4_limits, most int DEFAULT 24) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	WITH names AS (
		SELECT COALESCE(array_agg(n.name), '{}') AS names
		FROM @extschema@.l4_flow_report_named(l4_flow_report_groups_html.findings) n
	), member AS MATERIALIZED (
		-- those of whom findings tell stand before others
		SELECT g.kind, g.number, g.size, row_number() OVER w AS place, @extschema@.l4_html_escape(@extschema@.l4_clip(
				array_to_string(g.members, CASE g.kind WHEN 'pipeline' THEN ' > ' ELSE ', ' END), 1, 160)) AS members
		FROM names n
		CROSS JOIN @extschema@.l4_flow_groups_of(l4_flow_report_groups_html.traces, limits) g
		WHERE g.job = l4_flow_report_groups_html.job AND g.kind <> 'job'
		WINDOW w AS (PARTITION BY g.kind ORDER BY g.members && n.names DESC, g.number)
	), kinds AS (
		SELECT m.kind, count(*) AS groups, min(m.size) AS least, max(m.size) AS most,
			max(m.members) FILTER (WHERE m.number = 1) AS first
		FROM member m
		GROUP BY m.kind
	)
	SELECT '<table><thead><tr><th scope="col">Groups</th><th scope="col" class="n">How many</th>'
		'<th scope="col" class="n">Size</th><th scope="col">The first</th></tr></thead><tbody>'
		|| string_agg(format('<tr><th scope="row">%s</th><td class="n" data-label="How many">%s</td>'
			'<td class="n" data-label="Size">%s</td><td class="small" data-label="The first">%s</td></tr>', k.kind, k.groups,
			CASE WHEN k.least IS NULL THEN 'not known' WHEN k.least = k.most THEN k.most::text
				ELSE k.least || ' to ' || k.most END, k.first), E'\n'
			ORDER BY k.kind COLLATE "C")
		|| '</tbody></table>'
		|| CASE WHEN max(k.groups) > 1 THEN @extschema@.l4_report_folded(
			CASE WHEN max(k.groups) > l4_flow_report_groups_html.most THEN format('%s groups of each kind, those that findings '
				'name before others', l4_flow_report_groups_html.most) ELSE 'All groups' END,
			(SELECT '<table><thead><tr><th scope="col">Group</th><th scope="col">Members</th></tr></thead><tbody>'
				|| string_agg(format('<tr><th scope="row">%s %s</th><td class="small" data-label="Members">%s</td></tr>',
					m.kind, m.number, m.members), E'\n' ORDER BY m.kind COLLATE "C", m.place) || '</tbody></table>'
			FROM member m WHERE m.place <= l4_flow_report_groups_html.most)) ELSE '' END
	FROM kinds k;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_groups_html(@extschema@.l4_flow_trace[], @extschema@.l4_flow_finding[], int,
	@extschema@.l4_limits, int) IS
'Step: The groups of a job of flows as a table of kinds and, folded, one of the groups of each kind, some most of them; NULL '
'where there are none.';

CREATE FUNCTION @extschema@.l4_flow_report_note(traces @extschema@.l4_flow_trace[], job int, accelerators bigint,
	steps bigint, shown_rows bigint, shown_steps bigint, findings_beyond bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT concat(format('%s on %s', @extschema@.l4_count_words(accelerators, 'accelerator'),
			@extschema@.l4_count_words(count(DISTINCT t.server) FILTER (WHERE t.kind = 'accelerator'), 'server')),
		COALESCE(', ' || @extschema@.l4_count_words(steps, 'step') || ' of ' || @extschema@.l4_seconds_text(max(t.period))
			|| ' s. ', ', steps are not seen. '),
		CASE WHEN shown_rows < accelerators THEN format('The picture shows %s of the accelerators. ', shown_rows) END,
		CASE WHEN shown_steps < steps THEN format('The picture shows %s of the steps. ', shown_steps) END,
		CASE WHEN findings_beyond > 0 THEN format('%s began at other times. ',
			@extschema@.l4_count_words(findings_beyond, 'finding')) END,
		'Light is computing, dark the data-parallel phase, between them waiting; ',
		CASE WHEN bool_or(t.kind = 'pipeline') THEN 'the strip below is sending along the pipeline, from the first message of '
			'a step on; ' END,
		'a row ends with the last flow. Dashed lines are findings, from where they began, and below the rows that they name.')
	FROM @extschema@.l4_each_trace(l4_flow_report_note.traces) t
	WHERE t.job = l4_flow_report_note.job;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_note(@extschema@.l4_flow_trace[], int, bigint, bigint, bigint, bigint,
	bigint) IS
'Step: What stands above the timeline of a job of flows: how many accelerators and steps it has and how many of them are '
'shown, how many findings began outside of it, and what it means.';

CREATE FUNCTION @extschema@.l4_flow_report_job_html(traces @extschema@.l4_flow_trace[],
	findings @extschema@.l4_flow_finding[], job int, limits @extschema@.l4_limits, title text, name text,
	lead text DEFAULT NULL, told text DEFAULT NULL) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	SELECT @extschema@.l4_report_section(l4_flow_report_job_html.title,
		concat(l4_flow_report_job_html.lead || ' ', @extschema@.l4_flow_report_note(l4_flow_report_job_html.traces,
			l4_flow_report_job_html.job, r.accelerators, f.steps, r.shown, f.shown, n.beyond)),
		@extschema@.l4_report_wide(l4_flow_report_job_html.title, @extschema@.l4_flow_report_timeline_svg(
			l4_flow_report_job_html.traces, l4_flow_report_job_html.findings, l4_flow_report_job_html.job,
			l4_flow_report_job_html.name, f.begins, f.ends))
		|| COALESCE(l4_flow_report_job_html.told, '')
		|| COALESCE(@extschema@.l4_flow_report_groups_html(l4_flow_report_job_html.traces, l4_flow_report_job_html.findings,
			l4_flow_report_job_html.job, limits), ''))
	FROM @extschema@.l4_flow_report_frame(l4_flow_report_job_html.traces, l4_flow_report_job_html.findings,
		l4_flow_report_job_html.job) f
	CROSS JOIN (SELECT (SELECT count(*) FROM @extschema@.l4_flow_report_rows(l4_flow_report_job_html.traces,
			l4_flow_report_job_html.findings, l4_flow_report_job_html.job)) AS shown, count(*) AS accelerators
		FROM @extschema@.l4_each_trace(l4_flow_report_job_html.traces) t
		WHERE t.kind = 'accelerator' AND t.job = l4_flow_report_job_html.job) r
	CROSS JOIN LATERAL (SELECT count(*) AS beyond
		FROM unnest(l4_flow_report_job_html.findings) o
		WHERE o.job = l4_flow_report_job_html.job AND NOT o.began BETWEEN f.begins AND f.ends) n;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_job_html(@extschema@.l4_flow_trace[], @extschema@.l4_flow_finding[], int,
	@extschema@.l4_limits, text, text, text, text) IS
'Step: The section of a page on one job of flows: its timeline, and its groups. title: of the section, name: what the job is '
'called, lead: what stands first, told: what stands behind the picture (all but name are HTML).';

CREATE FUNCTION @extschema@.l4_flow_report_findings_html(findings @extschema@.l4_flow_finding[], of_job boolean)
	RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT '<ol>' || string_agg(format('<li>%s <span class="sure">(%s%s %%)</span>%s</li>',
			@extschema@.l4_html_escape(@extschema@.l4_sentence_flow(ROW(f.job, f.kind, f.subject, f.began, f.ended, f.factor,
				f.confidence, f.facts)::@extschema@.l4_flow_finding)),
			CASE WHEN of_job THEN '' ELSE COALESCE('job ' || f.job, 'several jobs') || ', ' END,
			round(100 * f.confidence::numeric), @extschema@.l4_report_folded('Facts', format('<pre class="quote">%s</pre>',
				@extschema@.l4_html_escape(@extschema@.l4_clip(jsonb_pretty(f.facts), 40, 4000))))), E'\n' ORDER BY f.ordinal)
			|| '</ol>'
	FROM unnest(l4_flow_report_findings_html.findings) WITH ORDINALITY f(job, kind, subject, began, ended, factor, confidence,
		facts, ordinal);
END;
COMMENT ON FUNCTION @extschema@.l4_flow_report_findings_html(@extschema@.l4_flow_finding[], boolean) IS
'Step: Findings of flows as a list, in their order, with how sure each is; NULL where there are none. of_job: all are of one '
'job, whose number is not told.';

CREATE FUNCTION @extschema@.l4_report_flows_html(job_id text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_nestloop = off
SET jit = off
AS $$
DECLARE
	limits CONSTANT @extschema@.l4_limits := @extschema@.l4_limits_in_force();
	seen @extschema@.l4_job_flows := @extschema@.l4_last_flows_of_job(l4_report_flows_html.job_id, limits);
	findings @extschema@.l4_flow_finding[];
	checked record;
BEGIN
	IF seen.job IS NULL THEN
		RETURN NULL;
	END IF;
	findings := ARRAY(SELECT f.finding FROM @extschema@.l4_job_flow_findings(seen, limits) f
		ORDER BY (f.finding).confidence DESC, (f.finding).began, (f.finding).kind COLLATE "C",
			(f.finding).subject COLLATE "C");
	SELECT c.missing, c.fit, c.pieces INTO checked
	FROM @extschema@.l4_check_flow_steps(l4_report_flows_html.job_id, seen, limits) c;
	seen.traces := ARRAY(SELECT t FROM unnest(seen.traces) t WHERE t.job = seen.job);
	RETURN @extschema@.l4_flow_report_job_html(seen.traces, findings, seen.job, limits, 'Network flows', 'this job',
		'What the switches saw of the last minutes in which the job sent anything. ' || @extschema@.l4_html_escape(
			@extschema@.l4_sentence_flow_check(checked.missing, checked.fit, checked.pieces)),
		@extschema@.l4_flow_report_findings_html(findings, true));
END
$$;
COMMENT ON FUNCTION @extschema@.l4_report_flows_html(text) IS
'Step: The section of the report of a job on its flows: the timeline of its accelerators in the last minutes in which it sent '
'anything, what is slow or silent there, and how its steps go with those of the logs. NULL where it has none '
'(l4_last_flows_of_job). Cost: that of l4_flow_diagnose over these minutes.';
