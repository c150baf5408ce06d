/*
 * The report as one self-contained page: well-formed XHTML that is HTML5 too, pictures as inline SVG, colours by CSS variables
 * (light, dark, print), titles on every mark; what follows from something else is folded, and tables stack where it is narrow.
 * No script, nothing loaded. Every text from outside passes l4_html_escape; numbers are numbers.
 */

CREATE FUNCTION @extschema@.l4_report_quotes(quotes jsonb, most int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT '<pre class="quote">' || string_agg(@extschema@.l4_html_escape(@extschema@.l4_clip(
		@extschema@.l4_quotes_text(jsonb_build_array(q.quote)), 1, 240)), E'\n' ORDER BY q.number) || '</pre>'
	FROM jsonb_array_elements(l4_report_quotes.quotes) WITH ORDINALITY q (quote, number)
	WHERE q.number <= l4_report_quotes.most AND q.quote <> 'null';
END;
COMMENT ON FUNCTION @extschema@.l4_report_quotes(jsonb, int) IS
'Step: the first quotes of a finding, as HTML; NULL where there are none.';

CREATE FUNCTION @extschema@.l4_report_evidence_html(job_id text, findings @extschema@.l4_finding[])
RETURNS TABLE (html text, names text[])
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	WITH context AS MATERIALIZED (
		SELECT c.* FROM @extschema@.l4_report_context(l4_report_evidence_html.job_id, l4_report_evidence_html.findings) c
	),
	teller AS MATERIALIZED (
		-- the finding leads to its first place, each place back to its findings
		SELECT p.place, n.name, n.number, row_number() OVER (PARTITION BY n.name ORDER BY p.place) = 1 AS first
		FROM (SELECT DISTINCT c.place, c.told_by FROM context c) p
		CROSS JOIN LATERAL string_to_table(p.told_by, ', ') WITH ORDINALITY n (name, number)
	),
	told AS (
		SELECT t.place, string_agg(format(CASE WHEN t.name LIKE 'stage %' THEN '<span%s>%3$s</span>'
			ELSE '<a%s href="#%s">%s</a>' END,
			CASE WHEN t.first THEN format(' id="evidence-%s"', replace(t.name, ' ', '-')) ELSE '' END,
			replace(t.name, ' ', '-'), t.name), ', ' ORDER BY t.number) AS html
		FROM teller t GROUP BY t.place
	)
	SELECT string_agg(p.html, E'\n' ORDER BY p.place), (SELECT array_agg(t.name ORDER BY t.name) FROM teller t WHERE t.first)
	FROM (
		SELECT c.place, format('<div class="place"><h3><code>%s</code> <span>%s</span></h3><div class="log">%s</div></div>',
			@extschema@.l4_html_escape(c.source), t.html,
			string_agg(format('<b%s>%s</b><pre%s>%s</pre>', CASE WHEN c.quoted THEN ' class="hit"' ELSE '' END, c.line_no,
				CASE WHEN c.quoted THEN ' class="hit"' ELSE '' END,
				@extschema@.l4_html_escape(@extschema@.l4_clip(c.raw, CASE WHEN c.quoted THEN 16 ELSE 3 END,
					CASE WHEN c.quoted THEN 600 ELSE 200 END))), '' ORDER BY c.line_no, c.part)) AS html
		FROM context c JOIN told t ON t.place = c.place
		GROUP BY c.place, c.source, t.html) p;
END;
COMMENT ON FUNCTION @extschema@.l4_report_evidence_html(text, @extschema@.l4_finding[]) IS
'Step: The records that findings quote in their context, as HTML, each place with links to its findings; names: the findings '
'that have one (its first place is the anchor evidence-KIND-ORDINAL).';

CREATE FUNCTION @extschema@.l4_report_page(title text, body text, footer text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN E'<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" lang="en">\n<head>\n<meta charset="utf-8"/>\n'
	'<meta name="viewport" content="width=device-width, initial-scale=1"/>\n<title>'
	|| @extschema@.l4_html_escape(title) || E'</title>\n<style>' || @extschema@.l4_report_style()
	|| E'</style>\n</head>\n<body>\n<main>\n' || body || E'\n<footer>' || footer
	|| E'</footer>\n</main>\n</body>\n</html>\n';
COMMENT ON FUNCTION @extschema@.l4_report_page(text, text, text) IS
'Step: A page: title as text, body and footer as HTML.';

CREATE FUNCTION @extschema@.l4_report_evidence_link(kind text, ordinal int, shown text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN kind || ' ' || ordinal = ANY (shown)
	THEN format(' <a class="small" href="#evidence-%s-%s" aria-label="log lines of %s %s">log lines</a>', kind, ordinal, kind,
		ordinal)
	ELSE '' END;
COMMENT ON FUNCTION @extschema@.l4_report_evidence_link(text, int, text[]) IS
'Step: The link from a finding to its evidence further down the page; empty where it has none there (shown: names of '
'l4_report_evidence_html).';

CREATE FUNCTION @extschema@.l4_report_html_head(job_id text, findings @extschema@.l4_finding[])
RETURNS TABLE (turn int, html text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 3
BEGIN ATOMIC
	SELECT 1, format(E'<header>\n<p class="job">Failure report of job <b>%s</b></p>\n<h1>%s</h1>\n%s</header>',
		@extschema@.l4_html_escape(l4_report_html_head.job_id),
		@extschema@.l4_html_escape(@extschema@.l4_report_headline(l4_report_html_head.job_id, l4_report_html_head.findings)),
		COALESCE('<p class="small">' || @extschema@.l4_report_links_html(l4_report_html_head.job_id) || E'</p>\n', ''))
	UNION ALL
	SELECT 2, format(E'<div class="advice %s">\n<h2>%s</h2>\n<p>%s%s</p>\n</div>', a.action,
		-- a path may break behind a folder
		replace(@extschema@.l4_html_escape(a.advice), '/', '/<wbr/>'), @extschema@.l4_html_escape(a.reason),
		-- of what the page shows
		CASE WHEN a.finding_ordinal <= CASE a.finding_kind WHEN 'node' THEN 16 WHEN 'fault' THEN 10 WHEN 'event' THEN 24 END
			THEN format(' <span class="soft">Rests on <a href="#%s-%s">%s %s</a>.</span>', a.finding_kind,
				a.finding_ordinal, a.finding_kind, a.finding_ordinal) ELSE '' END)
	FROM @extschema@.l4_restart_advice(l4_report_html_head.job_id, l4_report_html_head.findings) a
	UNION ALL
	SELECT 3, @extschema@.l4_report_section('The job', NULL, '<dl>'
		|| string_agg(format('<dt>%s</dt><dd>%s</dd>', f.name, @extschema@.l4_html_escape(f.value)), '' ORDER BY f.place)
		|| '</dl>')
	FROM @extschema@.l4_report_facts(l4_report_html_head.job_id, l4_report_html_head.findings) f;
END;
COMMENT ON FUNCTION @extschema@.l4_report_html_head(text, @extschema@.l4_finding[]) IS
'Step: Of the page the parts that come first, with their places on it: verdict, what to do, and what is known of the job.';

CREATE FUNCTION @extschema@.l4_report_html_suspects(job_id text, findings @extschema@.l4_finding[], shown text[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT @extschema@.l4_report_section('Suspected nodes', NULL, E'<ol>\n' || string_agg(
		format(E'<li id="node-%s"><h3>%s%s%s</h3>\n<ul>%s</ul>%s</li>', f.ordinal,
			@extschema@.l4_html_escape(@extschema@.l4_finding_unit(f)),
			COALESCE(' <span class="sure">' || @extschema@.l4_confidence_words(f.confidence) || '</span>', ''),
			@extschema@.l4_report_evidence_link('node', f.ordinal, l4_report_html_suspects.shown),
			(SELECT string_agg(format(CASE WHEN r.against THEN '<li class="against"><b>Against it:</b> %s</li>'
				ELSE '<li>%s</li>' END, @extschema@.l4_html_escape(r.told)), E'\n' ORDER BY r.place)
				FROM @extschema@.l4_report_reason_list(l4_report_html_suspects.findings, f.ordinal) r),
			COALESCE(@extschema@.l4_report_quotes(f.facts -> 'quotes', 2), '')
				|| COALESCE('<p class="small">' || @extschema@.l4_html_escape(h.told) || '</p>', '')
				|| COALESCE('<p class="small">' || CASE WHEN f.node IS NOT NULL
					THEN @extschema@.l4_report_links_html(l4_report_html_suspects.job_id, f.node) END || '</p>', '')),
			E'\n' ORDER BY f.ordinal) || '</ol>')
	FROM unnest(l4_report_html_suspects.findings) f
	LEFT JOIN @extschema@.l4_report_past(l4_report_html_suspects.job_id, l4_report_html_suspects.findings) h
		ON h.ordinal = f.ordinal
	WHERE f.kind = 'node' AND f.ordinal <= 16;
END;
COMMENT ON FUNCTION @extschema@.l4_report_html_suspects(text, @extschema@.l4_finding[], text[]) IS
'Step: The section of the page on suspects: how sure each is, its reasons, strongest first, with what speaks against it, and '
'what is known of it from before. shown: as for l4_report_evidence_link. NULL where nobody is suspected.';

CREATE FUNCTION @extschema@.l4_report_html_faults(findings @extschema@.l4_finding[], shown text[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH fault AS MATERIALIZED (
		SELECT f.ordinal, f.part IS NOT NULL AND COALESCE(f.root_cause, f.fix) IS NULL AS follows, format(
			E'<li id="fault-%s" value="%s"><h3>%s%s</h3>\n<p class="small soft"><code class="key">%s</code> %s%s</p>'
			'%s%s%s</li>',
			f.ordinal, f.ordinal, @extschema@.l4_html_escape(f.title),
			@extschema@.l4_report_evidence_link('fault', f.ordinal, l4_report_html_faults.shown),
			@extschema@.l4_html_escape(f.fault_key), @extschema@.l4_html_escape(f.kind),
			COALESCE('; ' || @extschema@.l4_html_escape(f.part), ''),
			COALESCE('<p>' || @extschema@.l4_html_escape(f.root_cause) || '</p>', ''),
			COALESCE('<p><b>Fix:</b> ' || @extschema@.l4_html_escape(f.fix) || '</p>', ''),
			COALESCE(@extschema@.l4_report_quotes(jsonb_build_array(f.quote), 1), '')) AS html
		FROM @extschema@.l4_report_faults(l4_report_html_faults.findings) f WHERE f.ordinal <= 10
	)
	SELECT @extschema@.l4_report_section('Known faults', NULL, concat(
		E'<ol>\n' || string_agg(f.html, E'\n' ORDER BY f.ordinal) FILTER (WHERE NOT f.follows) || '</ol>',
		@extschema@.l4_report_folded(
			'Consequences: ' || @extschema@.l4_count_words(count(*) FILTER (WHERE f.follows), 'known fault'),
			E'<ol>\n' || string_agg(f.html, E'\n' ORDER BY f.ordinal) FILTER (WHERE f.follows) || '</ol>',
			bool_and(f.follows))))
	FROM fault f HAVING count(*) > 0;
END;
COMMENT ON FUNCTION @extschema@.l4_report_html_faults(@extschema@.l4_finding[], text[]) IS
'Step: The section of the page on known faults with cause and fix; those that only follow from others are folded. shown: as '
'for l4_report_evidence_link. NULL where none is known.';

CREATE FUNCTION @extschema@.l4_report_html_events(findings @extschema@.l4_finding[], shown text[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH event AS MATERIALIZED (
		SELECT f.ordinal, f.role IN ('cascade', 'context') IS TRUE AS follows, format(
			'<tr id="event-%s"><td class="n" data-label="Event">%s</td><th scope="row"><code>%s</code>%s</th>'
			'<td class="n" data-label="Nodes">%s</td><td class="n" data-label="Records">%s</td><td class="small">%s</td></tr>',
			f.ordinal, f.ordinal,
			COALESCE(@extschema@.l4_html_escape(@extschema@.l4_clip(@extschema@.l4_telling_line(f.template), 1, 300)), ''),
			@extschema@.l4_report_evidence_link('event', f.ordinal, l4_report_html_events.shown),
			f.nodes_affected, f.occurrences, @extschema@.l4_html_escape(@extschema@.l4_report_why(f))) AS html
		FROM unnest(l4_report_html_events.findings) f WHERE f.kind = 'event' AND f.ordinal <= 24
	),
	part AS (
		SELECT e.follows, count(*) AS events, '<table><thead><tr><th scope="col" class="n">#</th><th scope="col">Event</th>'
			'<th scope="col" class="n">Nodes</th><th scope="col" class="n">Records</th><th scope="col">Why</th></tr></thead>'
			'<tbody>' || string_agg(e.html, E'\n' ORDER BY e.ordinal) || '</tbody></table>' AS html
		FROM event e GROUP BY e.follows
	)
	SELECT @extschema@.l4_report_section('Events that successful jobs do not log', NULL, concat(
		max(p.html) FILTER (WHERE NOT p.follows),
		@extschema@.l4_report_folded('Consequences, and what stands beside: '
			|| @extschema@.l4_count_words(max(p.events) FILTER (WHERE p.follows), 'event'),
			max(p.html) FILTER (WHERE p.follows), bool_and(p.follows)),
		CASE WHEN sum(p.events) = 24 THEN '<p class="small soft">The first 24 are shown; l4_diagnose lists all.</p>' END))
	FROM part p HAVING count(*) > 0;
END;
COMMENT ON FUNCTION @extschema@.l4_report_html_events(@extschema@.l4_finding[], text[]) IS
'Step: The section of the page on events; consequences and context are folded. shown: as for l4_report_evidence_link. NULL '
'where there is none.';

CREATE FUNCTION @extschema@.l4_report_html_changes(job_id text, findings @extschema@.l4_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	WITH change AS MATERIALIZED (
		SELECT c.* FROM @extschema@.l4_report_changes(l4_report_html_changes.job_id, l4_report_html_changes.findings) c
	),
	part AS (
		SELECT c.of_event, count(*) AS rows, '<table><thead><tr><th scope="col">What</th><th scope="col">Name</th>'
			'<th scope="col">This job</th><th scope="col">Good run</th></tr></thead><tbody>' || string_agg(format(
			'<tr><td class="small">%s</td><th scope="row"><code>%s</code></th><td class="v" data-label="This job">%s</td>'
			'<td class="v" data-label="Good run">%s</td></tr>', c.what,
			@extschema@.l4_html_escape(@extschema@.l4_clip(c.name, 1, 200)),
			@extschema@.l4_html_escape(COALESCE(@extschema@.l4_clip(c.here, 1, 200), '-')),
			@extschema@.l4_html_escape(COALESCE(@extschema@.l4_clip(c.there, 1, 200), '-'))), E'\n' ORDER BY c.place)
			|| '</tbody></table>' AS html
		FROM change c WHERE c.what IS NOT NULL GROUP BY c.of_event
	)
	SELECT @extschema@.l4_report_section('Different from the last good run',
		format('Compared with %s, the last successful job whose settings fit best. Events that are findings are left out.',
			@extschema@.l4_html_escape((SELECT min(c.other) FROM change c))), concat(
		COALESCE((SELECT p.html FROM part p WHERE NOT p.of_event), '<p>Settings, sizes and logged values are the same.</p>'),
		(SELECT @extschema@.l4_report_folded('Logging: ' || @extschema@.l4_count_words(p.rows, 'difference'), p.html)
			FROM part p WHERE p.of_event)))
	WHERE EXISTS (SELECT FROM change);
END;
COMMENT ON FUNCTION @extschema@.l4_report_html_changes(text, @extschema@.l4_finding[]) IS
'Step: The section of the page on what is different from the last good run; NULL where there is none.';

CREATE FUNCTION @extschema@.l4_report_html_details(job_id text, findings @extschema@.l4_finding[])
RETURNS TABLE (turn int, html text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 8
BEGIN ATOMIC
	SELECT 7, @extschema@.l4_report_html_changes(l4_report_html_details.job_id, l4_report_html_details.findings)
	UNION ALL
	SELECT 8, @extschema@.l4_report_section('Step time',
		'Seconds of a step by iteration; the dashed upright line is where the failure began.',
		@extschema@.l4_report_wide('Step time', @extschema@.l4_report_steps_svg(l4_report_html_details.job_id,
			l4_report_html_details.findings)))
	UNION ALL
	SELECT 9, @extschema@.l4_report_section('Stages over time',
		'Each row ends with a mark where it stopped, told at its right; the dashed line is where the failure began, '
		'triangles are checkpoints. Where a row stands for several ranks, the dotted tail ends with the last of them.',
		@extschema@.l4_report_wide('Stages over time', @extschema@.l4_report_timeline_svg(l4_report_html_details.job_id,
			l4_report_html_details.findings) || @extschema@.l4_report_legend()))
	UNION ALL
	SELECT 10, @extschema@.l4_report_flows_html(l4_report_html_details.job_id)
	UNION ALL
	SELECT 11, @extschema@.l4_report_section('Nodes and events',
		'Only what successful jobs do not log, with the number of records; the stronger the colour, the fewer nodes log '
		'it. The numbers above are those of the events below.',
		@extschema@.l4_report_wide('Nodes and events', @extschema@.l4_report_heat_svg(l4_report_html_details.job_id,
			l4_report_html_details.findings)))
	UNION ALL
	SELECT 13, @extschema@.l4_report_section('Iterations', CASE WHEN i.svg IS NOT NULL THEN
		'Distance of each iteration''s events from the ten iterations before it (dynamic time warping) in one rank''s '
		'log; the last one is cut short by the failure.' END,
		NULLIF(concat(@extschema@.l4_report_wide('Iterations', i.svg), (SELECT '<ul class="small">'
			|| string_agg('<li>' || @extschema@.l4_html_escape(f.explanation) || '</li>', '' ORDER BY f.ordinal) || '</ul>'
			FROM unnest(l4_report_html_details.findings) f WHERE f.kind = 'iteration' AND f.ordinal <= 6)), ''))
	FROM (SELECT @extschema@.l4_report_iterations_svg(l4_report_html_details.job_id, l4_report_html_details.findings) AS svg
		OFFSET 0) i
	UNION ALL
	SELECT 15, @extschema@.l4_report_section('What was filtered out',
		format('Of %s and %s, %s and %s are left; %s.', @extschema@.l4_count_words(t.records, 'record'),
			@extschema@.l4_count_words(t.events, 'event'), @extschema@.l4_count_words(t.left_records, 'record'),
			@extschema@.l4_count_words(t.left_events, 'event'), @extschema@.l4_html_escape(t.compared)),
		COALESCE((
			SELECT '<table><thead><tr><th scope="col">Most frequent of the events taken out</th>'
			'<th scope="col" class="n">Records</th><th scope="col" class="n">Streams</th></tr></thead><tbody>' || string_agg(
			format('<tr><th scope="row"><code>%s</code></th><td class="n" data-label="Records">%s</td>'
				'<td class="n" data-label="Streams">%s</td></tr>',
				@extschema@.l4_html_escape(@extschema@.l4_clip(e.template, 2, 160)), e.occurrences, e.streams), E'\n'
				ORDER BY e.place) || '</tbody></table>'
			FROM @extschema@.l4_report_filtered(l4_report_html_details.job_id, l4_report_html_details.findings) e), ''))
	FROM @extschema@.l4_report_filter(l4_report_html_details.job_id, l4_report_html_details.findings) t;
END;
COMMENT ON FUNCTION @extschema@.l4_report_html_details(text, @extschema@.l4_finding[]) IS
'Step: Of the page the parts that show it, with their places on it: pictures, what was filtered out.';

CREATE FUNCTION @extschema@.l4_report_html(job_id text, findings @extschema@.l4_finding[],
	generated_at timestamptz DEFAULT NULL) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 100000
SET jit = off
-- else each step's plan has a copy of all findings in PostgreSQL 18, which plans for the values at hand
SET plan_cache_mode = force_generic_plan
BEGIN ATOMIC
	-- else each part would be made twice: to see whether it is there, and to show it
	WITH evidence AS MATERIALIZED (
		SELECT e.* FROM @extschema@.l4_report_evidence_html(l4_report_html.job_id, l4_report_html.findings) e
	),
	part AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_report_html_head(l4_report_html.job_id, l4_report_html.findings) p
		UNION ALL
		SELECT 4, @extschema@.l4_report_html_suspects(l4_report_html.job_id, l4_report_html.findings, e.names) FROM evidence e
		UNION ALL
		SELECT 5, @extschema@.l4_report_html_faults(l4_report_html.findings, e.names) FROM evidence e
		UNION ALL
		SELECT 6, @extschema@.l4_report_section('Seen before',
			'Failures whose saved diagnoses share most with this one, and what was found out about them.',
			'<ol class="plain">' || string_agg('<li>' || @extschema@.l4_html_escape(r.told) || '</li>', '' ORDER BY r.place)
			|| '</ol>')
		FROM @extschema@.l4_report_resembling(l4_report_html.job_id, l4_report_html.findings) r
		UNION ALL
		SELECT 12, @extschema@.l4_report_html_events(l4_report_html.findings, e.names) FROM evidence e
		UNION ALL
		SELECT p.* FROM @extschema@.l4_report_html_details(l4_report_html.job_id, l4_report_html.findings) p
		UNION ALL
		SELECT 14, @extschema@.l4_report_section('Evidence',
			'The records that the findings quote, with what stands around them.', e.html) FROM evidence e
	)
	SELECT @extschema@.l4_report_page(l4_report_html.job_id || ': failure report', string_agg(p.html, E'\n' ORDER BY p.turn),
		@extschema@.l4_report_written(l4_report_html.generated_at))
	FROM part p WHERE p.html IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_report_html(text, @extschema@.l4_finding[], timestamptz) IS
'Step: A diagnosis as one self-contained page; generated_at: see l4_report_written.';
