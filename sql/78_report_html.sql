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
.advice { border-left: 6px solid var(--none); } .advice.replace { border-left-color: var(--replace); }
.advice.fix { border-left-color: var(--fix); }
.advice.restart { border-left-color: var(--restart); } .advice h2 { font-size: 19px; margin: 0 0 4px; }
.advice.replace h2 { color: var(--replace); }
.advice.fix h2 { color: var(--fix); } .advice.restart h2 { color: var(--restart); } .advice p:last-child { margin: 0; }
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
'The style sheet of the HTML report: light, dark (prefers-color-scheme) and print.';

CREATE FUNCTION @extschema@.l4_report_heat_svg(job_id text, findings @extschema@.l4_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH cell AS MATERIALIZED (
		SELECT c.* FROM @extschema@.l4_report_cells(l4_report_heat_svg.job_id, l4_report_heat_svg.findings) c
	),
	size AS (
		-- width of a column, height of a row
		SELECT LEAST(44, 800 / GREATEST(count(*), 1)) AS w, 18 AS h,
			(SELECT max(c.place) FROM cell c) AS rows, count(*) AS columns
		FROM unnest(l4_report_heat_svg.findings) f WHERE f.kind = 'event' AND f.ordinal <= 24
	)
	SELECT format(
		'<svg viewBox="0 0 1040 %s" role="img" aria-label="Heat map of nodes and events"><title>Which node logs which event, '
		'suspects first</title>%s%s%s%s</svg>',
		26 + GREATEST(s.rows, CASE WHEN s.columns <= 12 THEN s.columns ELSE 0 END) * s.h,
		(SELECT string_agg(format('<text class="t" x="%s" y="16" text-anchor="middle">%s<title>event %s: %s</title></text>',
			211 + (f.ordinal - 1) * s.w + s.w / 2, f.ordinal, f.ordinal,
				@extschema@.l4_html_escape(left(f.template, 120))), '' ORDER BY f.ordinal)
			FROM unnest(l4_report_heat_svg.findings) f WHERE f.kind = 'event' AND f.ordinal <= 24),
		-- where there is room, the events stand beside the picture
		(SELECT string_agg(format('<text class="t" x="%s" y="%s">%s %s</text>', 224 + s.columns * s.w, 18 + f.ordinal * s.h,
			f.ordinal,
				@extschema@.l4_html_escape(@extschema@.l4_clip(@extschema@.l4_telling_line(f.template), 1,
					((800 - s.columns * s.w) / 6.7)::int))), '' ORDER BY f.ordinal)
			FROM unnest(l4_report_heat_svg.findings) f WHERE f.kind = 'event' AND f.ordinal <= 24 AND s.columns <= 12),
		(SELECT string_agg(
			format(
				'<rect class="row" x="212" y="%s" width="%s" height="%s"/><text x="204" y="%s" '
				'text-anchor="end"%s>%s<title>%s</title></text>', 24 + (r.place - 1) * s.h, s.columns * s.w - 2, s.h - 2,
				24 + (r.place - 1) * s.h + 12, CASE WHEN r.suspect IS NOT NULL THEN ' class="sus"' ELSE '' END,
				@extschema@.l4_html_escape(CASE WHEN length(r.label) > 30 THEN left(r.label, 14) || '..' || right(r.label, 14)
					ELSE r.label END),
				@extschema@.l4_html_escape(r.label)
					|| CASE WHEN r.suspect IS NOT NULL THEN ': suspect ' || r.suspect
						WHEN r.members > 1 THEN ': ' || r.members || ' nodes' ELSE '' END), '' ORDER BY r.place)
			FROM (SELECT DISTINCT c.place, c.label, c.suspect, c.members FROM cell c) r),
		(SELECT string_agg(
			format('<g><rect class="h%s" x="%s" y="%s" width="%s" height="%s"%s/>%s<title>%s, event %s: %s%s</title></g>',
				k.class, 212 + (c.event - 1) * s.w, 24 + (c.place - 1) * s.h, s.w - 2, s.h - 2,
				CASE WHEN c.nodes < c.members THEN ' opacity="' || round(0.3 + 0.7 * c.nodes / c.members, 2) || '"' ELSE '' END,
				CASE WHEN c.nodes = c.members THEN format('<text class="c%s" x="%s" y="%s">%s</text>', k.class,
					211 + (c.event - 1) * s.w + s.w / 2, 36 + (c.place - 1) * s.h,
					CASE WHEN c.occurrences < 1000 THEN c.occurrences::text
						WHEN c.occurrences < 1000000 THEN c.occurrences / 1000 || 'k' ELSE c.occurrences / 1000000 || 'M' END)
						ELSE '' END,
				@extschema@.l4_html_escape(c.label), c.event, @extschema@.l4_count_words(c.occurrences, 'record'),
				CASE WHEN c.members > 1 THEN format(' on %s of %s nodes', c.nodes, c.members) ELSE '' END), ''
					ORDER BY c.place, c.event)
			FROM cell c
			JOIN (SELECT c.event, sum(c.nodes) AS nodes FROM cell c GROUP BY c.event) e ON e.event = c.event
			CROSS JOIN (SELECT sum(r.members) AS nodes FROM (SELECT DISTINCT c.place, c.members FROM cell c) r) t
			-- the fewer nodes log it, the darker: one, a tenth, a third, most
			CROSS JOIN LATERAL (
				SELECT CASE WHEN e.nodes = 1 THEN 5 WHEN e.nodes * 10 <= t.nodes THEN 4 WHEN e.nodes * 3 <= t.nodes THEN 3
					WHEN e.nodes * 10 <= t.nodes * 6 THEN 2 ELSE 1 END AS class) k
			WHERE c.event IS NOT NULL))
	FROM size s
	WHERE s.columns > 0 AND s.rows > 0;
END;
COMMENT ON FUNCTION @extschema@.l4_report_heat_svg(text, @extschema@.l4_finding[]) IS
'Nodes x events as SVG, with the number of records: the darker, the fewer nodes log the event; rows that stand for several '
'nodes are the paler the fewer of them log it. NULL where there is no event.';

CREATE FUNCTION @extschema@.l4_report_x(at timestamptz, begins timestamptz, ends timestamptz) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN round(212 + 636
	* GREATEST(0, LEAST(1, COALESCE(EXTRACT(epoch FROM at - begins) / NULLIF(EXTRACT(epoch FROM ends - begins), 0), 0))), 1);
COMMENT ON FUNCTION @extschema@.l4_report_x(timestamptz, timestamptz, timestamptz) IS
'Where a time stands across the timeline of a report.';

CREATE FUNCTION @extschema@.l4_report_timeline_svg(job_id text, findings @extschema@.l4_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH stop AS MATERIALIZED (
		SELECT s.*, 42 + (s.place - 1) * 18 AS y
		FROM @extschema@.l4_report_stops(l4_report_timeline_svg.job_id,
			@extschema@.l4_report_suspects(l4_report_timeline_svg.findings)) s
	),
	frame AS MATERIALIZED (
		SELECT min(s.first_ts) AS t0, max(s.last_stop) AS t1,
			CASE WHEN max(s.last_stop) - min(s.first_ts) < interval '10 minutes' THEN 'HH24:MI:SS.MS'
				ELSE 'HH24:MI:SS' END AS clock, 42 + max(s.place) * 18 AS height
				FROM stop s
	),
	onset AS (
		SELECT COALESCE(g.first_seen, i.first_seen) AS ts FROM (VALUES (1)) one
		LEFT JOIN unnest(l4_report_timeline_svg.findings) g ON g.kind = 'stage' AND g.ordinal = 1
		LEFT JOIN unnest(l4_report_timeline_svg.findings) i ON i.kind = 'iteration' AND i.ordinal = 1
	),
	tick AS (
		SELECT f.t0 + n.n * (f.t1 - f.t0) / 5 AS ts, n.n FROM frame f, generate_series(0, 5) n (n)
	),
	part (turn, text) AS (
		SELECT 1, string_agg(
			format(
				'<line class="grid" x1="%s" x2="%s" y1="38" y2="%s"/><text class="t" x="%s" y="14" '
				'text-anchor="%s">%s</text><text class="t" x="%s" y="29" text-anchor="%s">%s</text>',
				x.x, x.x, f.height, x.x, x.anchor, to_char(k.ts, 'HH24:MI:SS'), x.x, x.anchor,
				COALESCE('iteration ' || @extschema@.l4_job_iteration(l4_report_timeline_svg.job_id, k.ts), '')), ''
					ORDER BY k.n)
		FROM tick k CROSS JOIN frame f
		CROSS JOIN LATERAL (SELECT @extschema@.l4_report_x(k.ts, f.t0, f.t1) AS x,
			CASE k.n WHEN 0 THEN 'start' WHEN 5 THEN 'end' ELSE 'middle' END AS anchor) x
		UNION ALL
		SELECT 2, string_agg(format('<text x="204" y="%s" text-anchor="end"%s>%s<title>%s</title></text>%s', s.y + 12,
			CASE WHEN s.suspect IS NOT NULL THEN ' class="sus"' ELSE '' END,
				@extschema@.l4_html_escape(CASE WHEN length(s.label) > 30 THEN left(s.label, 14) || '..' || right(s.label, 14)
					ELSE s.label END),
				@extschema@.l4_html_escape(s.label)
					|| CASE WHEN s.suspect IS NOT NULL THEN ': suspect ' || s.suspect
						WHEN s.members > 1 THEN ': ' || s.members || ' nodes' ELSE '' END,
				CASE WHEN s.last_stop IS NULL THEN format('<text class="ont" x="220" y="%s">no logs</text>', s.y + 12)
					ELSE format(
						'<text class="%s" x="858" y="%s">%s</text><text class="%s" x="1038" y="%s" text-anchor="end">%s</text>',
						k.class, s.y + 12, to_char(s.first_stop, f.clock), k.class, s.y + 12,
						CASE WHEN s.stage = 'iterating' THEN COALESCE(s.first_iteration::text, s.stage)
							ELSE COALESCE(s.stage, s.first_iteration::text, '') END) END), '' ORDER BY s.place)
		FROM stop s CROSS JOIN frame f
		CROSS JOIN LATERAL (SELECT CASE WHEN s.suspect IS NOT NULL THEN 'ont' ELSE 't' END AS class) k
		UNION ALL
		SELECT 2, '<text class="t" x="858" y="29">stopped at</text>'
			'<text class="t" x="1038" y="29" text-anchor="end">iteration, stage</text>'
		UNION ALL
		SELECT 3, string_agg(format('<rect class="%s" x="%s" y="%s" width="%s" height="%s"><title>%s: %s%s</title></rect>',
			p.stage, x.x,
				CASE WHEN p.tick THEN s.y - 1 ELSE s.y + 1 END, CASE WHEN p.tick THEN 4 ELSE GREATEST(x.x2 - x.x, 0.8) END,
				CASE WHEN p.tick THEN 17 ELSE 13 END,
				@extschema@.l4_html_escape(s.label), p.stage, CASE WHEN p.tick THEN ', first at ' ELSE ' from ' END
					|| to_char(p.started_at, 'HH24:MI:SS')), '' ORDER BY p.tick, p.place, p.started_at, p.stage)
		FROM @extschema@.l4_report_spans(l4_report_timeline_svg.job_id,
			@extschema@.l4_report_suspects(l4_report_timeline_svg.findings)) p
		JOIN stop s ON s.place = p.place CROSS JOIN frame f
		CROSS JOIN LATERAL (SELECT @extschema@.l4_report_x(p.started_at, f.t0, f.t1) AS x,
			@extschema@.l4_report_x(p.ended_at, f.t0, f.t1) AS x2) x
		UNION ALL
		SELECT 4, string_agg(
			format('<g>%s<line class="end" x1="%s" x2="%s" y1="%s" y2="%s"/><title>%s stopped at %s%s%s%s</title></g>',
				CASE WHEN x.x2 > x.x THEN format('<line class="tail" x1="%s" x2="%s" y1="%s" y2="%s"/>', x.x, x.x2, s.y + 8,
					s.y + 8) ELSE '' END,
				x.x, x.x, s.y - 1, s.y + 16, @extschema@.l4_html_escape(s.label), to_char(s.first_stop, 'HH24:MI:SS'),
				CASE WHEN s.last_stop > s.first_stop THEN ' to ' || to_char(s.last_stop, 'HH24:MI:SS') ELSE '' END,
				COALESCE(' in ' || s.stage, ''),
				COALESCE(', iteration '
					|| NULLIF(concat_ws(' to ', s.first_iteration, NULLIF(s.last_iteration, s.first_iteration)), ''), '')), ''
						ORDER BY s.place)
		FROM stop s CROSS JOIN frame f
		CROSS JOIN LATERAL (SELECT @extschema@.l4_report_x(s.first_stop, f.t0, f.t1) AS x,
			@extschema@.l4_report_x(s.last_stop, f.t0, f.t1) AS x2) x
		WHERE s.first_stop IS NOT NULL
		UNION ALL
		SELECT 4, string_agg(
			format(
				'<g><path class="checkpoint_save" d="M%s 33h8l-4 6z"/><line class="save" x1="%s" x2="%s" y1="39" '
				'y2="%s"/><title>checkpoint%s, %s</title></g>',
			x.x - 4, x.x, x.x, f.height, COALESCE(' of iteration ' || c.iteration, ''), to_char(c.saved_at, 'HH24:MI:SS')), ''
				ORDER BY c.saved_at)
		FROM frame f
		CROSS JOIN LATERAL (SELECT c.*, row_number() OVER (ORDER BY c.saved_at DESC) AS number
			FROM @extschema@.l4_report_checkpoints(l4_report_timeline_svg.job_id,
				@extschema@.l4_report_suspects(l4_report_timeline_svg.findings)) c) c
		CROSS JOIN LATERAL (SELECT @extschema@.l4_report_x(c.saved_at, f.t0, f.t1) AS x) x
		WHERE c.saved_at BETWEEN f.t0 AND f.t1 AND c.number <= 60
		UNION ALL
		SELECT 5, format('<g><line class="on" x1="%s" x2="%s" y1="32" y2="%s"/><title>the failure began: %s</title></g>', x.x,
			x.x, f.height, to_char(o.ts, 'HH24:MI:SS'))
		FROM onset o CROSS JOIN frame f CROSS JOIN LATERAL (SELECT @extschema@.l4_report_x(o.ts, f.t0, f.t1) AS x) x
		WHERE o.ts BETWEEN f.t0 AND f.t1
	)
	SELECT format(
		'<svg viewBox="0 0 1040 %s" role="img" aria-label="Timeline of stages"><title>Stages of the ranks over time, up to '
		'where each stopped</title>%s</svg>', f.height + 4, (SELECT string_agg(p.text, '' ORDER BY p.turn) FROM part p))
	FROM frame f WHERE f.t0 IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_report_timeline_svg(text, @extschema@.l4_finding[]) IS
'Stages of the ranks over time as SVG, suspects first, with the onset and where each stopped. NULL where no log has times.';

CREATE FUNCTION @extschema@.l4_report_iterations_svg(job_id text, findings @extschema@.l4_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH bin AS MATERIALIZED (
		SELECT i.* FROM @extschema@.l4_report_iterations(l4_report_iterations_svg.job_id,
			@extschema@.l4_report_suspects(l4_report_iterations_svg.findings)) i
	),
	size AS (
		SELECT count(*) AS bins, GREATEST(max(b.distance), max(b.threshold), 1) * 1.05 AS top, max(b.threshold) AS threshold,
			min(b.source) AS source, 980.0 / GREATEST(count(*), 1) AS w FROM bin b
	)
	SELECT format(
		'<svg viewBox="0 0 1040 190" role="img" aria-label="Distances of iterations"><title>Distance of each iteration of %s '
		'from the ten before it</title>%s%s%s%s</svg>', @extschema@.l4_html_escape(s.source),
		(SELECT string_agg(
			format(
				'<line class="grid" x1="48" x2="1028" y1="%s" y2="%s"/><text class="t" x="42" y="%s" '
				'text-anchor="end">%s</text>', y.y, y.y, y.y + 4, round((s.top * t.n / 3)::numeric, 1)), '' ORDER BY t.n)
			FROM generate_series(0, 3) t (n), LATERAL (SELECT round(160 - 150.0 * t.n / 3, 1) AS y) y),
		(SELECT string_agg(
			format(
				'<rect class="bar%s" x="%s" y="%s" width="%s" height="%s"><title>iteration %s: distance '
				'%s%s%s</title></rect>%s',
				CASE WHEN b.last THEN ' cut' WHEN b.unusual THEN ' odd' ELSE '' END, x.x, round(160 - x.h, 1),
				round(GREATEST(s.w * 0.8, 1), 1), round(GREATEST(x.h, 1), 1),
				concat_ws(' to ', b.first_iteration, NULLIF(b.last_iteration, b.first_iteration)),
				round(COALESCE(b.distance, 0)::numeric, 2),
				CASE WHEN b.unusual THEN ', unusual' ELSE '' END, CASE WHEN b.last THEN ', the last, cut short' ELSE '' END,
				CASE WHEN b.bin % GREATEST(1, (s.bins / 10)::int) = 0
					THEN format('<text class="t" x="%s" y="178" text-anchor="middle">%s</text>', round(x.x + s.w * 0.4, 1),
						b.first_iteration) ELSE '' END),
				'' ORDER BY b.bin)
			FROM bin b, LATERAL (SELECT round(48 + b.bin * s.w, 1) AS x,
				150 * (COALESCE(b.distance, 0) / s.top)::numeric AS h) x),
		(SELECT COALESCE(format(
			'<g><line class="limit" x1="48" x2="1028" y1="%s" y2="%s"/><text class="ont" x="52" y="%s">threshold %s</text></g>',
				y.y, y.y, y.y - 4, round(s.threshold::numeric, 2)), '')
			FROM (SELECT round((160 - 150 * s.threshold / s.top)::numeric, 1) AS y) y WHERE s.threshold IS NOT NULL),
		(SELECT format(
			'<g><line class="on" x1="%s" x2="%s" y1="4" y2="160"/><title>the failure began in iteration %s</title></g>', x.x,
			x.x, i.iteration)
			FROM unnest(l4_report_iterations_svg.findings) i
			JOIN bin b ON i.iteration BETWEEN b.first_iteration AND b.last_iteration
			CROSS JOIN LATERAL (SELECT round(48 + (b.bin + 0.4) * s.w, 1) AS x) x
			WHERE i.kind = 'iteration' AND i.ordinal = 1))
	FROM size s
	WHERE s.bins > 1;
END;
COMMENT ON FUNCTION @extschema@.l4_report_iterations_svg(text, @extschema@.l4_finding[]) IS
'Distances of the iterations of one stream as SVG, with the threshold; unusual ones marked, the last one hollow. NULL where '
'no stream marks iterations.';

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
'The records that findings quote in their context, as HTML.';

CREATE FUNCTION @extschema@.l4_report_legend() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT '<svg viewBox="0 0 1040 42" role="img" aria-label="Colours of stages"><title>Colours of stages</title>'
		|| string_agg(
		format('<rect class="%s" x="%s" y="%s" width="12" height="12"/><text class="t" x="%s" y="%s">%s</text>', s.stage,
			212 + (s.n - 1) % 5 * 160, 4 + (s.n - 1) / 5 * 20, 230 + (s.n - 1) % 5 * 160, 14 + (s.n - 1) / 5 * 20, s.stage), ''
				ORDER BY s.n) || '</svg>'
	FROM unnest(ARRAY['environment_init', 'rendezvous', 'communicator_init', 'data_load', 'model_build', 'checkpoint_load',
		'iterating', 'evaluation', 'checkpoint_save', 'teardown'])
		WITH ORDINALITY s (stage, n);
END;
COMMENT ON FUNCTION @extschema@.l4_report_legend() IS
'The colours of stages, as SVG.';

CREATE FUNCTION @extschema@.l4_report_section(title text, note text, body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN E'<section>\n<h2>' || title || E'</h2>\n' || COALESCE('<p class="small soft">' || note || E'</p>\n', '') || body
	|| E'\n</section>';
COMMENT ON FUNCTION @extschema@.l4_report_section(text, text, text) IS
'A section of the page (all three are HTML already); NULL where there is no body.';

CREATE FUNCTION @extschema@.l4_report_html(job_id text, findings @extschema@.l4_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 100000
SET jit = off
BEGIN ATOMIC
	WITH finding AS MATERIALIZED (
		SELECT f.* FROM unnest(l4_report_html.findings) f
	),
	-- else each part would be made twice: to see whether it is there, and to show it
	part (turn, html) AS MATERIALIZED (
		SELECT 1, format(E'<header>\n<p class="job">Failure report of job <b>%s</b></p>\n<h1>%s</h1>\n<dl>%s</dl>\n</header>',
			@extschema@.l4_html_escape(l4_report_html.job_id),
			@extschema@.l4_html_escape(@extschema@.l4_report_verdict(l4_report_html.findings)),
			string_agg(format('<dt>%s</dt><dd>%s</dd>', f.name, @extschema@.l4_html_escape(f.value)), '' ORDER BY f.place))
		FROM @extschema@.l4_report_facts(l4_report_html.job_id, l4_report_html.findings) f
		UNION ALL
		SELECT 2, format(E'<div class="advice %s">\n<h2>%s</h2>\n<p>%s%s</p>\n</div>', a.action,
			@extschema@.l4_html_escape(a.advice), @extschema@.l4_html_escape(a.reason),
			COALESCE(format(' <span class="soft">Rests on <a href="#%s-%s">%s %s</a>.</span>', a.finding_kind,
				a.finding_ordinal, a.finding_kind, a.finding_ordinal), ''))
		FROM @extschema@.l4_restart_advice(l4_report_html.job_id, l4_report_html.findings) a
		UNION ALL
		SELECT 3, @extschema@.l4_report_section('Suspected nodes', NULL, '<ol>' || string_agg(
			format('<li id="node-%s"><b>%s</b>: %s.%s</li>', f.ordinal,
				@extschema@.l4_html_escape(COALESCE(f.node, 'rank ' || f.rank)),
				@extschema@.l4_html_escape(@extschema@.l4_report_reasons(l4_report_html.findings, NULL, f.ordinal)),
				COALESCE(@extschema@.l4_report_quotes(f.facts -> 'quotes', 2), '')), E'\n' ORDER BY f.ordinal) || '</ol>')
		FROM finding f WHERE f.kind = 'node' AND f.ordinal <= 16
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
		FROM @extschema@.l4_report_faults(l4_report_html.findings) f WHERE f.ordinal <= 10
		UNION ALL
		SELECT 5, @extschema@.l4_report_section('Seen before',
			'Failures whose saved diagnoses share most with this one, and what was found out about them.', '<ol>' || string_agg(
			'<li>' || @extschema@.l4_html_escape(r.told) || '</li>', ''
				ORDER BY r.place) || '</ol>') FROM @extschema@.l4_report_resembling(l4_report_html.job_id,
				l4_report_html.findings) r
		UNION ALL
		SELECT 6, @extschema@.l4_report_section('Stages over time',
			'Each row ends with a mark where it stopped, told at its right; the dashed line is where the failure began, '
			'triangles are checkpoints. Where a row stands for several ranks, the dotted tail ends with the last of them.',
			@extschema@.l4_report_timeline_svg(l4_report_html.job_id, l4_report_html.findings)
				|| @extschema@.l4_report_legend())
		UNION ALL
		SELECT 7, @extschema@.l4_report_section('Nodes and events',
			'Only what successful jobs do not log, with the number of records; the stronger the colour, the fewer nodes log '
			'it. The numbers above are those of the events below.',
			@extschema@.l4_report_heat_svg(l4_report_html.job_id, l4_report_html.findings))
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
		FROM finding f WHERE f.kind = 'event' AND f.ordinal <= 24
		UNION ALL
		SELECT 9, @extschema@.l4_report_section('Iterations',
			'Distance of each iteration''s events from the ten iterations before it (dynamic time warping) in one rank''s '
			'log; the last one is cut short by the failure.',
			@extschema@.l4_report_iterations_svg(l4_report_html.job_id, l4_report_html.findings)
			|| COALESCE((SELECT '<ul class="small">'
				|| string_agg('<li>' || @extschema@.l4_html_escape(f.explanation) || '</li>', '' ORDER BY f.ordinal) || '</ul>'
				FROM finding f WHERE f.kind = 'iteration' AND f.ordinal <= 6), ''))
		UNION ALL
		SELECT 10, @extschema@.l4_report_section('Evidence',
			'The records that the findings quote, with what stands around them.',
			@extschema@.l4_report_evidence_html(l4_report_html.job_id, l4_report_html.findings))
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
				FROM @extschema@.l4_report_filtered(l4_report_html.job_id, l4_report_html.findings) e), ''))
		FROM @extschema@.l4_report_filter(l4_report_html.job_id, l4_report_html.findings) t
	)
	SELECT E'<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" lang="en">\n<head>\n<meta charset="utf-8"/>\n'
		'<meta name="viewport" content="width=device-width, initial-scale=1"/>\n<title>'
		|| @extschema@.l4_html_escape(l4_report_html.job_id) || E': failure report</title>\n<style>'
		|| @extschema@.l4_report_style() || E'</style>\n</head>\n<body>\n<main>\n'
		|| string_agg(p.html, E'\n' ORDER BY p.turn)
		|| E'\n<footer>Written by l4 from the logs of the job. Times are in time zone '
		|| @extschema@.l4_html_escape(current_setting('TimeZone')) || E'.</footer>\n</main>\n</body>\n</html>\n'
	FROM part p WHERE p.html IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_report_html(text, @extschema@.l4_finding[]) IS
'A diagnosis as one self-contained page.';
