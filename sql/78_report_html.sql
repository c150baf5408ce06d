/*
 * The report as one self-contained page: well-formed XHTML that is HTML5 too, pictures as inline SVG, colours by CSS variables
 * (light, dark, print), titles on every mark. No script, nothing loaded. Every text from outside passes l4_html_escape; numbers
 * are numbers.
 */

CREATE FUNCTION @extschema@.l4_report_style() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN $css$
:root { color-scheme: light dark; --cell: #3a2410;
 --page: #f6f7f9; --card: #ffffff; --ink: #1c2430; --soft: #5b6675; --line: #d9dee5; --row: #eef1f5; --accent: #c2321f;
 --link: #1f5fae;
 --replace: #c2321f; --fix: #b06a00; --restart: #1f7a45; --none: #5b6675;
 --h1: #f9d9a8; --h2: #f3b066; --h3: #e5803c; --h4: #cb4a26; --h5: #93201c;
 --s-environment_init: #9aa5b4; --s-rendezvous: #7c8799; --s-communicator_init: #b48ad0; --s-data_load: #5fb3c9;
 --s-model_build: #d9a441;
 --s-checkpoint_load: #8fb35a; --s-iterating: #8bb4e6; --s-evaluation: #3f6fd1; --s-checkpoint_save: #2f7d5b;
 --s-teardown: #4a5362; }
@media (prefers-color-scheme: dark) { :root { --cell: #f4e9dc;
 --page: #12161c; --card: #1a2029; --ink: #e4e8ee; --soft: #9aa6b5; --line: #323b48; --row: #232b36; --accent: #ff7a66;
 --link: #7fb2ff;
 --replace: #ff7a66; --fix: #f0b04a; --restart: #5fcf8d; --none: #9aa6b5;
 --h1: #5d4a33; --h2: #85592b; --h3: #b8702f; --h4: #cf4f2c; --h5: #e0372c;
 --s-environment_init: #667183; --s-rendezvous: #8591a3; --s-communicator_init: #9a70b8; --s-data_load: #3f92a8;
 --s-model_build: #b98629;
 --s-checkpoint_load: #7a9c48; --s-iterating: #3c6496; --s-evaluation: #7fa6ff; --s-checkpoint_save: #55c295;
 --s-teardown: #aab4c2; } }
@media print { :root { color-scheme: light; --cell: #3a2410; --page: #ffffff; --card: #ffffff; --ink: #000000; --soft: #444444;
 --line: #bbbbbb; --row: #eeeeee; --accent: #a01808; --link: #000000;
 --replace: #a01808; --fix: #7a4a00; --restart: #0f5a30; --none: #444444;
 --h1: #f9d9a8; --h2: #f3b066; --h3: #e5803c; --h4: #cb4a26; --h5: #93201c;
 --s-environment_init: #9aa5b4; --s-rendezvous: #7c8799; --s-communicator_init: #b48ad0; --s-data_load: #5fb3c9;
 --s-model_build: #d9a441;
 --s-checkpoint_load: #8fb35a; --s-iterating: #8bb4e6; --s-evaluation: #3f6fd1; --s-checkpoint_save: #2f7d5b;
 --s-teardown: #4a5362; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
 font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 24px 20px 40px; }
header, section, .advice { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 22px;
 margin: 0 0 16px; }
h1 { font-size: 25px; line-height: 1.25; margin: 4px 0 6px; overflow-wrap: anywhere; } h2 { font-size: 17px; margin: 0 0 10px; }
p { margin: 0 0 8px; } a { color: var(--link); } .soft, .job { color: var(--soft); } .job { margin: 0; }
.small { font-size: 13px; }
.advice { border-left: 6px solid var(--none); } .advice:is(.test, .cordon, .reset) { border-left-color: var(--replace); }
.advice:is(.user, .storage, .network, .look, .watch) { border-left-color: var(--fix); }
.advice:is(.restart, .wait) { border-left-color: var(--restart); } .advice h2 { font-size: 19px; margin: 0 0 4px; }
.advice:is(.test, .cordon, .reset) h2 { color: var(--replace); }
.advice:is(.user, .storage, .network, .look, .watch) h2 { color: var(--fix); }
.advice:is(.restart, .wait) h2 { color: var(--restart); } .advice p:last-child { margin: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 16px; margin: 10px 0 0; } dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
ol, ul { margin: 0; padding-left: 24px; } li { margin: 0 0 6px; overflow-wrap: anywhere; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 6px 10px 6px 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; } td.n, th.n { text-align: right; white-space: nowrap; padding-right: 14px; }
td { overflow-wrap: anywhere; }
code, pre, .log { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 12.5px; }
code { overflow-wrap: anywhere; }
.place { margin: 0 0 14px; } .place h3 { font-size: 14px; margin: 0 0 4px; overflow-wrap: anywhere; }
.place h3 span { color: var(--soft); font-weight: 400; }
.log { display: grid; grid-template-columns: max-content 1fr; border: 1px solid var(--line); border-radius: 6px;
 padding: 6px 0; line-height: 1.45; }
.log b, .log pre { margin: 0; padding: 0 10px; font-weight: 400; }
.log b { text-align: right; color: var(--soft); user-select: none; }
.log pre { white-space: pre-wrap; overflow-wrap: anywhere; color: var(--soft); }
.log .hit { background: var(--row); color: var(--ink); }
.log b.hit { border-left: 3px solid var(--accent); font-weight: 700; color: var(--accent); }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
svg text { fill: var(--ink); } svg .t { fill: var(--soft); font-size: 11px; }
svg .sus { font-weight: 700; fill: var(--accent); } svg .row { fill: var(--row); } svg .grid { stroke: var(--line); }
svg .end { stroke: var(--ink); stroke-width: 2; } svg .tail { stroke: var(--ink); stroke-dasharray: 2 2; }
svg .on { stroke: var(--accent); stroke-width: 1.5; stroke-dasharray: 5 3; } svg .ont { fill: var(--accent); font-size: 11px; }
svg .c1, svg .c2, svg .c3, svg .c4, svg .c5 { font-size: 10.5px; text-anchor: middle; fill: var(--cell); }
svg .c4, svg .c5 { fill: #ffffff; }
svg .h1 { fill: var(--h1); } svg .h2 { fill: var(--h2); } svg .h3 { fill: var(--h3); } svg .h4 { fill: var(--h4); }
svg .h5 { fill: var(--h5); }
svg .environment_init { fill: var(--s-environment_init); } svg .rendezvous { fill: var(--s-rendezvous); }
svg .communicator_init { fill: var(--s-communicator_init); }
svg .data_load { fill: var(--s-data_load); } svg .model_build { fill: var(--s-model_build); }
svg .checkpoint_load { fill: var(--s-checkpoint_load); } svg .iterating { fill: var(--s-iterating); }
svg .evaluation { fill: var(--s-evaluation); } svg .checkpoint_save { fill: var(--s-checkpoint_save); }
svg .teardown { fill: var(--s-teardown); }
svg .bar { fill: var(--s-iterating); } svg .bar.odd { fill: var(--h4); }
svg .bar.cut { fill: none; stroke: var(--soft); stroke-dasharray: 3 2; }
svg .limit { stroke: var(--accent); stroke-dasharray: 6 3; }
svg .save { stroke: var(--s-checkpoint_save); opacity: 0.45; }
.quote { margin: 4px 0 0; padding: 4px 8px; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--row);
 border-radius: 4px; color: var(--ink); font-size: 12px; }
td p { margin: 0 0 4px; } td.fault { width: 32%; } tr.soft b { font-weight: 600; } tr.soft, tr.soft code { color: var(--soft); }
footer { color: var(--soft); font-size: 13px; text-align: center; }
@page { margin: 12mm; }
@media print { body { print-color-adjust: exact; -webkit-print-color-adjust: exact; font-size: 11px; line-height: 1.35; }
 main { max-width: none; padding: 0; }
 header, section, .advice { border-radius: 0; padding: 6px 10px; margin: 0 0 8px; }
 section { border: 0; border-top: 1px solid var(--line); }
 h1 { font-size: 18px; } h2, .advice h2 { font-size: 13px; margin: 0 0 4px; } table { font-size: 10.5px; }
 .small { font-size: 10px; } code, pre, .log, .quote { font-size: 9px; }
 th, td { padding: 3px 8px 3px 0; } svg, tr, .place, .advice, header { break-inside: avoid; }
 h2, h3, section > p { break-after: avoid; } .wide { overflow: visible; } }
$css$;
COMMENT ON FUNCTION @extschema@.l4_report_style() IS
'Step: The style sheet of the HTML report: light, dark (prefers-color-scheme) and print.';

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

CREATE FUNCTION @extschema@.l4_report_evidence_html(job_id text, findings @extschema@.l4_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT string_agg(p.html, E'\n' ORDER BY p.place)
	FROM (
		SELECT c.place, format('<div class="place"><h3><code>%s</code> <span>%s</span></h3><div class="log">%s</div></div>',
			@extschema@.l4_html_escape(c.source), @extschema@.l4_html_escape(c.told_by),
			string_agg(format('<b%s>%s</b><pre%s>%s</pre>', CASE WHEN c.quoted THEN ' class="hit"' ELSE '' END, c.line_no,
				CASE WHEN c.quoted THEN ' class="hit"' ELSE '' END,
				@extschema@.l4_html_escape(@extschema@.l4_clip(c.raw, CASE WHEN c.quoted THEN 16 ELSE 3 END,
					CASE WHEN c.quoted THEN 600 ELSE 200 END))), '' ORDER BY c.line_no, c.part)) AS html
		FROM @extschema@.l4_report_context(l4_report_evidence_html.job_id, l4_report_evidence_html.findings) c
		GROUP BY c.place, c.source, c.told_by) p;
END;
COMMENT ON FUNCTION @extschema@.l4_report_evidence_html(text, @extschema@.l4_finding[]) IS
'Step: The records that findings quote in their context, as HTML.';

CREATE FUNCTION @extschema@.l4_report_section(title text, note text, body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN E'<section>\n<h2>' || title || E'</h2>\n' || COALESCE('<p class="small soft">' || note || E'</p>\n', '') || body
	|| E'\n</section>';
COMMENT ON FUNCTION @extschema@.l4_report_section(text, text, text) IS
'Step: A section of the page (all three are HTML already); NULL where there is no body.';

CREATE FUNCTION @extschema@.l4_report_html_findings(job_id text, findings @extschema@.l4_finding[])
RETURNS TABLE (turn int, html text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 8
BEGIN ATOMIC
	SELECT 1, format(E'<header>\n<p class="job">Failure report of job <b>%s</b></p>\n<h1>%s</h1>\n<dl>%s</dl>\n</header>',
		@extschema@.l4_html_escape(l4_report_html_findings.job_id),
		@extschema@.l4_html_escape(@extschema@.l4_report_headline(l4_report_html_findings.job_id,
			l4_report_html_findings.findings)),
		string_agg(format('<dt>%s</dt><dd>%s</dd>', f.name, @extschema@.l4_html_escape(f.value)), '' ORDER BY f.place))
	FROM @extschema@.l4_report_facts(l4_report_html_findings.job_id, l4_report_html_findings.findings) f
	UNION ALL
	SELECT 2, format(E'<div class="advice %s">\n<h2>%s</h2>\n<p>%s%s</p>\n</div>', a.action,
		@extschema@.l4_html_escape(a.advice), @extschema@.l4_html_escape(a.reason),
		COALESCE(format(' <span class="soft">Rests on <a href="#%s-%s">%s %s</a>.</span>', a.finding_kind,
			a.finding_ordinal, a.finding_kind, a.finding_ordinal), ''))
	FROM @extschema@.l4_restart_advice(l4_report_html_findings.job_id, l4_report_html_findings.findings) a
	UNION ALL
	SELECT 3, @extschema@.l4_report_section('Suspected nodes', NULL, '<ol>' || string_agg(
		format('<li id="node-%s"><b>%s</b>%s: %s.%s</li>', f.ordinal,
			@extschema@.l4_html_escape(COALESCE(f.node, 'rank ' || f.rank)), @extschema@.l4_confidence_text(f.confidence),
			@extschema@.l4_html_escape(@extschema@.l4_report_reasons(l4_report_html_findings.findings, NULL, f.ordinal)),
			COALESCE(@extschema@.l4_report_quotes(f.facts -> 'quotes', 2), '')), E'\n' ORDER BY f.ordinal) || '</ol>')
	FROM unnest(l4_report_html_findings.findings) f WHERE f.kind = 'node' AND f.ordinal <= 16
	UNION ALL
	SELECT 4, @extschema@.l4_report_section('Known faults', NULL,
		'<div class="wide"><table><tr><th class="n">#</th><th>Fault</th><th>Root cause and fix</th></tr>' || string_agg(
		format(
			'<tr id="fault-%s"%s><td class="n">%s</td><td class="fault"><b>%s</b><div class="small soft"><code>%s</code>, '
			'%s%s</div></td><td>%s%s%s</td></tr>', f.ordinal,
			CASE WHEN f.part IS NOT NULL THEN ' class="soft"' ELSE '' END, f.ordinal, @extschema@.l4_html_escape(f.title),
			@extschema@.l4_html_escape(f.fault_key), @extschema@.l4_html_escape(f.kind),
			COALESCE('<br/>' || @extschema@.l4_html_escape(f.part), ''),
			COALESCE('<p>' || @extschema@.l4_html_escape(f.root_cause) || '</p>', ''),
			COALESCE('<p><b>Fix:</b> ' || @extschema@.l4_html_escape(f.fix) || '</p>', ''),
			COALESCE(@extschema@.l4_report_quotes(jsonb_build_array(f.quote), 1), '')), E'\n'
				ORDER BY f.ordinal) || '</table></div>')
	FROM @extschema@.l4_report_faults(l4_report_html_findings.findings) f WHERE f.ordinal <= 10
	UNION ALL
	SELECT 5, @extschema@.l4_report_section('Seen before',
		'Failures whose saved diagnoses share most with this one, and what was found out about them.', '<ol>' || string_agg(
		'<li>' || @extschema@.l4_html_escape(r.told) || '</li>', ''
			ORDER BY r.place) || '</ol>') FROM @extschema@.l4_report_resembling(l4_report_html_findings.job_id,
			l4_report_html_findings.findings) r
	UNION ALL
	SELECT 8, @extschema@.l4_report_section('Events that successful jobs do not log', NULL,
		'<div class="wide"><table><tr><th class="n">#</th><th>Event</th><th class="n">Nodes</th>'
		'<th class="n">Records</th><th>Why</th></tr>' || string_agg(
		format(
			'<tr id="event-%s"%s><td class="n">%s</td><td><code>%s</code></td><td class="n">%s</td>'
			'<td class="n">%s</td><td class="small">%s</td></tr>', f.ordinal,
			CASE WHEN f.role IN ('cascade', 'context') THEN ' class="soft"' ELSE '' END, f.ordinal,
			COALESCE(@extschema@.l4_html_escape(@extschema@.l4_clip(@extschema@.l4_telling_line(f.template), 1, 300)), ''),
			f.nodes_affected, f.occurrences, @extschema@.l4_html_escape(@extschema@.l4_report_why(f))), E'\n'
				ORDER BY f.ordinal) || '</table></div>'
		|| CASE WHEN count(*) = 24 THEN '<p class="small soft">The first 24 are shown; l4_diagnose lists all.</p>'
			ELSE '' END)
	FROM unnest(l4_report_html_findings.findings) f WHERE f.kind = 'event' AND f.ordinal <= 24;
END;
COMMENT ON FUNCTION @extschema@.l4_report_html_findings(text, @extschema@.l4_finding[]) IS
'Step: Of the page the parts that say what was found, with their places on it: verdict, restart, suspects, faults, '
'failures alike, events.';

CREATE FUNCTION @extschema@.l4_report_html_details(job_id text, findings @extschema@.l4_finding[])
RETURNS TABLE (turn int, html text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 8
BEGIN ATOMIC
	SELECT 6, @extschema@.l4_report_section('Stages over time',
		'Each row ends with a mark where it stopped, told at its right; the dashed line is where the failure began, '
		'triangles are checkpoints. Where a row stands for several ranks, the dotted tail ends with the last of them.',
		@extschema@.l4_report_timeline_svg(l4_report_html_details.job_id, l4_report_html_details.findings)
			|| @extschema@.l4_report_legend())
	UNION ALL
	SELECT 7, @extschema@.l4_report_section('Nodes and events',
		'Only what successful jobs do not log, with the number of records; the stronger the colour, the fewer nodes log '
		'it. The numbers above are those of the events below.',
		@extschema@.l4_report_heat_svg(l4_report_html_details.job_id, l4_report_html_details.findings))
	UNION ALL
	SELECT 9, @extschema@.l4_report_section('Iterations',
		'Distance of each iteration''s events from the ten iterations before it (dynamic time warping) in one rank''s '
		'log; the last one is cut short by the failure.',
		@extschema@.l4_report_iterations_svg(l4_report_html_details.job_id, l4_report_html_details.findings)
		|| COALESCE((SELECT '<ul class="small">'
			|| string_agg('<li>' || @extschema@.l4_html_escape(f.explanation) || '</li>', '' ORDER BY f.ordinal) || '</ul>'
			FROM unnest(l4_report_html_details.findings) f WHERE f.kind = 'iteration' AND f.ordinal <= 6), ''))
	UNION ALL
	SELECT 10, @extschema@.l4_report_section('Evidence',
		'The records that the findings quote, with what stands around them.',
		@extschema@.l4_report_evidence_html(l4_report_html_details.job_id, l4_report_html_details.findings))
	UNION ALL
	SELECT 11, @extschema@.l4_report_section('What was filtered out',
		format('Of %s and %s, %s and %s are left; %s.', @extschema@.l4_count_words(t.records, 'record'),
			@extschema@.l4_count_words(t.events, 'event'), @extschema@.l4_count_words(t.left_records, 'record'),
			@extschema@.l4_count_words(t.left_events, 'event'), @extschema@.l4_html_escape(t.compared)),
		COALESCE((
			SELECT '<div class="wide"><table><tr><th>Most frequent of the events taken out</th>'
			'<th class="n">Records</th><th class="n">Streams</th></tr>' || string_agg(
			format('<tr><td><code>%s</code></td><td class="n">%s</td><td class="n">%s</td></tr>',
				@extschema@.l4_html_escape(@extschema@.l4_clip(e.template, 2, 160)), e.occurrences, e.streams), E'\n'
				ORDER BY e.place) || '</table></div>'
			FROM @extschema@.l4_report_filtered(l4_report_html_details.job_id, l4_report_html_details.findings) e), ''))
	FROM @extschema@.l4_report_filter(l4_report_html_details.job_id, l4_report_html_details.findings) t;
END;
COMMENT ON FUNCTION @extschema@.l4_report_html_details(text, @extschema@.l4_finding[]) IS
'Step: Of the page the parts that show it, with their places on it: pictures, evidence in its context, what was filtered '
'out.';

CREATE FUNCTION @extschema@.l4_report_html(job_id text, findings @extschema@.l4_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 100000
SET jit = off
-- else each step's plan has a copy of all findings in PostgreSQL 18, which plans for the values at hand
SET plan_cache_mode = force_generic_plan
BEGIN ATOMIC
	-- else each part would be made twice: to see whether it is there, and to show it
	WITH part AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_report_html_findings(l4_report_html.job_id, l4_report_html.findings) p
		UNION ALL
		SELECT p.* FROM @extschema@.l4_report_html_details(l4_report_html.job_id, l4_report_html.findings) p
	)
	SELECT E'<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" lang="en">\n<head>\n<meta charset="utf-8"/>\n'
		'<meta name="viewport" content="width=device-width, initial-scale=1"/>\n<title>'
		|| @extschema@.l4_html_escape(l4_report_html.job_id) || E': failure report</title>\n<style>'
		|| @extschema@.l4_report_style() || E'</style>\n</head>\n<body>\n<main>\n'
		|| string_agg(p.html, E'\n' ORDER BY p.turn)
		|| E'\n<footer>Written by l4 from the logs of the job. Times are in UTC.</footer>\n</main>\n</body>\n</html>\n'
	FROM part p WHERE p.html IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_report_html(text, @extschema@.l4_finding[]) IS
'Step: A diagnosis as one self-contained page.';
