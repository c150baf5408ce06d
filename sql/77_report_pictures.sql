/*
 * The pictures of the HTML report, as inline SVG: nodes and events, stages over time, iterations. Every text from outside
 * passes l4_html_escape; numbers are numbers; the colours are those of l4_report_style.
 */

CREATE FUNCTION @extschema@.l4_stage_letter(stage text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN (ARRAY['e', 'r', 'c', 'd', 'm', 'l', 'i', 'v', 's', 't'])[array_position(@extschema@.l4_stages(), stage)];
COMMENT ON FUNCTION @extschema@.l4_stage_letter(text) IS
'Step: The letter of a stage in pictures.';

CREATE FUNCTION @extschema@.l4_report_label_svg(label text, suspect int, members int, y numeric) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN format('<text x="204" y="%s" text-anchor="end"%s>%s<title>%s</title></text>', y,
	CASE WHEN suspect IS NOT NULL THEN ' class="sus"' ELSE '' END,
	@extschema@.l4_html_escape(CASE WHEN length(label) > 30 THEN left(label, 14) || '..' || right(label, 14) ELSE label END),
	@extschema@.l4_html_escape(label) || CASE WHEN suspect IS NOT NULL THEN ': suspect ' || suspect
		WHEN members > 1 THEN ': ' || members || ' nodes' ELSE '' END);
COMMENT ON FUNCTION @extschema@.l4_report_label_svg(text, int, int, numeric) IS
'Step: The name of a row of a picture (l4_report_rows) at the left of it, at height y.';

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
		'<svg viewBox="0 0 1040 %s" role="graphics-document" aria-labelledby="heat-title" aria-describedby="heat-text">'
		'<title id="heat-title">Which node logs which event, suspects first</title><desc id="heat-text">Rows are nodes, '
		'columns the events of the table below; a cell has the number of records, or the share of nodes.</desc>'
		'%s%s%s%s</svg>',
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
			format('<rect class="row" x="212" y="%s" width="%s" height="%s"/>', 24 + (r.place - 1) * s.h, s.columns * s.w - 2,
				s.h - 2)
			|| @extschema@.l4_report_label_svg(r.label, r.suspect, r.members, 24 + (r.place - 1) * s.h + 12), ''
			ORDER BY r.place)
			FROM (SELECT DISTINCT c.place, c.label, c.suspect, c.members FROM cell c) r),
		(SELECT string_agg(
			format('<g><rect class="h%s" x="%s" y="%s" width="%s" height="%s"%s/>%s<title>%s, event %s: %s%s</title></g>',
				k.class, 212 + (c.event - 1) * s.w, 24 + (c.place - 1) * s.h, s.w - 2, s.h - 2,
				CASE WHEN c.nodes < c.members THEN ' opacity="' || round(0.3 + 0.7 * c.nodes / c.members, 2) || '"' ELSE '' END,
				format('<text class="c%s" x="%s" y="%s">%s</text>', k.class,
					211 + (c.event - 1) * s.w + s.w / 2, 36 + (c.place - 1) * s.h,
					CASE WHEN c.nodes < c.members THEN ceil(100.0 * c.nodes / c.members) || '%'
						WHEN c.occurrences < 1000 THEN c.occurrences::text
						WHEN c.occurrences < 1000000 THEN c.occurrences / 1000 || 'k' ELSE c.occurrences / 1000000 || 'M' END),
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
'Step: Nodes x events as SVG, with the number of records: the darker, the fewer nodes log the event; rows that stand for '
'several nodes are the paler the fewer of them log it. NULL where there is no event.';

CREATE FUNCTION @extschema@.l4_report_x(at timestamptz, begins timestamptz, ends timestamptz) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN round(212 + 636
	* GREATEST(0, LEAST(1, COALESCE(EXTRACT(epoch FROM at - begins) / NULLIF(EXTRACT(epoch FROM ends - begins), 0), 0))), 1);
COMMENT ON FUNCTION @extschema@.l4_report_x(timestamptz, timestamptz, timestamptz) IS
'Step: Where a time stands across the timeline of a report.';

CREATE FUNCTION @extschema@.l4_report_axis_svg(job_id text, begins timestamptz, ends timestamptz, height int) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT string_agg(format('<line class="grid" x1="%s" x2="%s" y1="38" y2="%s"/>'
		'<text class="t" x="%s" y="14" text-anchor="%s">%s</text><text class="t" x="%s" y="29" text-anchor="%s">%s</text>',
		x.x, x.x, height, x.x, x.anchor, @extschema@.l4_clock_text(k.ts), x.x, x.anchor,
		COALESCE('iteration ' || @extschema@.l4_job_iteration(l4_report_axis_svg.job_id, k.ts), '')), '' ORDER BY k.n)
	FROM (SELECT begins + n.n * (ends - begins) / 5 AS ts, n.n FROM generate_series(0, 5) n (n)) k
	CROSS JOIN LATERAL (SELECT @extschema@.l4_report_x(k.ts, begins, ends) AS x,
		CASE k.n WHEN 0 THEN 'start' WHEN 5 THEN 'end' ELSE 'middle' END AS anchor) x;
END;
COMMENT ON FUNCTION @extschema@.l4_report_axis_svg(text, timestamptz, timestamptz, int) IS
'Step: Of the timeline of a report the scale: six times and the iterations that the job was in then.';

CREATE FUNCTION @extschema@.l4_report_saves_svg(job_id text, suspects text[], begins timestamptz, ends timestamptz, height int)
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT string_agg(format('<g><path class="checkpoint_save" d="M%s 33h8l-4 6z"/>'
		'<line class="save" x1="%s" x2="%s" y1="39" y2="%s"/><title>checkpoint%s, %s</title></g>', x.x - 4, x.x, x.x, height,
		COALESCE(' of iteration ' || c.iteration, ''), @extschema@.l4_clock_text(c.saved_at)), '' ORDER BY c.saved_at)
	FROM (SELECT c.*, row_number() OVER (ORDER BY c.saved_at DESC) AS number
		FROM @extschema@.l4_report_checkpoints(l4_report_saves_svg.job_id, l4_report_saves_svg.suspects) c) c
	CROSS JOIN LATERAL (SELECT @extschema@.l4_report_x(c.saved_at, begins, ends) AS x) x
	WHERE c.saved_at BETWEEN begins AND ends AND c.number <= 60;
END;
COMMENT ON FUNCTION @extschema@.l4_report_saves_svg(text, text[], timestamptz, timestamptz, int) IS
'Step: Of the timeline of a report the checkpoints, the last 60 of them; NULL where there is none.';

CREATE FUNCTION @extschema@.l4_report_onset_svg(findings @extschema@.l4_finding[], begins timestamptz, ends timestamptz,
	height int) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT format('<g><line class="on" x1="%s" x2="%s" y1="32" y2="%s"/><title>the failure began: %s</title></g>', x.x, x.x,
		height, @extschema@.l4_clock_text(o.ts))
	FROM (SELECT COALESCE(g.first_seen, i.first_seen) AS ts
		FROM (VALUES (1)) one
		LEFT JOIN unnest(findings) g ON g.kind = 'stage' AND g.ordinal = 1 AND g.facts ->> 'place' IS DISTINCT FROM 'finished'
		LEFT JOIN unnest(findings) i ON i.kind = 'iteration' AND i.ordinal = 1) o
	CROSS JOIN LATERAL (SELECT @extschema@.l4_report_x(o.ts, begins, ends) AS x) x
	WHERE o.ts BETWEEN begins AND ends;
END;
COMMENT ON FUNCTION @extschema@.l4_report_onset_svg(@extschema@.l4_finding[], timestamptz, timestamptz, int) IS
'Step: Of the timeline of a report the line where the failure began; NULL where that is not known.';

CREATE FUNCTION @extschema@.l4_report_stop_svg(label text, stage text, first_stop timestamptz, last_stop timestamptz,
	first_iteration bigint, last_iteration bigint, y int, begins timestamptz, ends timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT format('<g>%s<line class="end" x1="%s" x2="%s" y1="%s" y2="%s"/><title>%s stopped at %s%s%s%s</title></g>',
		CASE WHEN x.x2 > x.x
			THEN format('<line class="tail" x1="%s" x2="%s" y1="%s" y2="%s"/>', x.x, x.x2, y + 8, y + 8) ELSE '' END,
		x.x, x.x, y - 1, y + 16, @extschema@.l4_html_escape(label), @extschema@.l4_clock_text(first_stop),
		CASE WHEN last_stop > first_stop THEN ' to ' || @extschema@.l4_clock_text(last_stop) ELSE '' END,
		COALESCE(' in ' || stage, ''),
		COALESCE(', iteration ' || NULLIF(concat_ws(' to ', first_iteration, NULLIF(last_iteration, first_iteration)), ''), ''))
	FROM (SELECT @extschema@.l4_report_x(first_stop, begins, ends) AS x,
		@extschema@.l4_report_x(last_stop, begins, ends) AS x2) x;
END;
COMMENT ON FUNCTION @extschema@.l4_report_stop_svg(text, text, timestamptz, timestamptz, bigint, bigint, int, timestamptz,
	timestamptz) IS
'Step: Of the timeline of a report the mark where a row (l4_report_stops) at height y ended, with a tail to where its last '
'rank did.';

CREATE FUNCTION @extschema@.l4_report_timeline_svg(job_id text, findings @extschema@.l4_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH stop AS MATERIALIZED (
		SELECT s.*, 42 + (s.place - 1) * 18 AS y, CASE WHEN s.suspect IS NOT NULL THEN 'ont' ELSE 't' END AS class
		FROM @extschema@.l4_report_stops(l4_report_timeline_svg.job_id,
			@extschema@.l4_report_suspects(l4_report_timeline_svg.findings)) s
	),
	frame AS MATERIALIZED (
		SELECT f.begins AS t0, f.ends AS t1, 42 + s.places * 18 AS height, f.ends - f.begins < interval '10 minutes' AS short
		FROM (SELECT min(s.first_ts) AS first, max(s.last_stop) AS last, max(s.place) AS places FROM stop s) s
		CROSS JOIN LATERAL @extschema@.l4_report_frame(l4_report_timeline_svg.job_id, s.first, s.last) f
	),
	part (turn, text) AS (
		SELECT 1, @extschema@.l4_report_axis_svg(l4_report_timeline_svg.job_id, f.t0, f.t1, f.height) FROM frame f
		UNION ALL
		SELECT 2, string_agg(@extschema@.l4_report_label_svg(s.label, s.suspect, s.members, s.y + 12)
			|| CASE WHEN s.last_stop IS NULL THEN format('<text class="ont" x="220" y="%s">no logs</text>', s.y + 12)
				ELSE format('<text class="%s" x="858" y="%s">%s</text>'
					'<text class="%s" x="1038" y="%s" text-anchor="end">%s</text>',
					s.class, s.y + 12, @extschema@.l4_clock_text(s.first_stop, f.short), s.class, s.y + 12,
					CASE WHEN s.stage = 'iterating' THEN COALESCE(s.first_iteration::text, s.stage)
						ELSE COALESCE(s.stage, s.first_iteration::text, '') END) END, '' ORDER BY s.place)
		FROM stop s CROSS JOIN frame f
		UNION ALL
		SELECT 3, '<text class="t" x="858" y="29">stopped at</text>'
			'<text class="t" x="1038" y="29" text-anchor="end">iteration, stage</text>'
		UNION ALL
		SELECT 4, string_agg(format('<rect class="%s" x="%s" y="%s" width="%s" height="%s"><title>%s: %s%s</title></rect>%s',
			p.stage, x.x, CASE WHEN p.tick THEN s.y - 1 ELSE s.y + 1 END,
			CASE WHEN p.tick THEN 4 ELSE GREATEST(x.x2 - x.x, 0.8) END, CASE WHEN p.tick THEN 17 ELSE 13 END,
			@extschema@.l4_html_escape(s.label), p.stage,
			CASE WHEN p.tick THEN ', first at ' ELSE ' from ' END || @extschema@.l4_clock_text(p.started_at),
			-- not by colour alone; at the right end it would stand in the times
			CASE WHEN p.tick OR x.x2 - x.x >= 9 THEN format('<text class="s" x="%s" y="%s">%s</text>',
				x.x + CASE WHEN NOT p.tick THEN 2 WHEN x.x > 838 THEN -8 ELSE 5 END, s.y + 11,
				@extschema@.l4_stage_letter(p.stage)) ELSE '' END), '' ORDER BY p.tick, p.place, p.started_at, p.stage)
		FROM @extschema@.l4_report_spans(l4_report_timeline_svg.job_id,
			@extschema@.l4_report_suspects(l4_report_timeline_svg.findings)) p
		JOIN stop s ON s.place = p.place CROSS JOIN frame f
		CROSS JOIN LATERAL (SELECT @extschema@.l4_report_x(p.started_at, f.t0, f.t1) AS x,
			@extschema@.l4_report_x(GREATEST(p.started_at, LEAST(p.next_at, s.last_stop)), f.t0, f.t1) AS x2) x
		UNION ALL
		SELECT 5, string_agg(@extschema@.l4_report_stop_svg(s.label, s.stage, s.first_stop, s.last_stop, s.first_iteration,
			s.last_iteration, s.y, f.t0, f.t1), '' ORDER BY s.place)
		FROM stop s CROSS JOIN frame f WHERE s.first_stop IS NOT NULL
		UNION ALL
		SELECT 6, @extschema@.l4_report_saves_svg(l4_report_timeline_svg.job_id,
			@extschema@.l4_report_suspects(l4_report_timeline_svg.findings), f.t0, f.t1, f.height) FROM frame f
		UNION ALL
		SELECT 7, @extschema@.l4_report_onset_svg(l4_report_timeline_svg.findings, f.t0, f.t1, f.height) FROM frame f
	)
	SELECT format('<svg viewBox="0 0 1040 %s" role="graphics-document" aria-labelledby="stages-title" '
		'aria-describedby="stages-text"><title id="stages-title">Stages of the ranks over time, to where each stopped</title>'
		'<desc id="stages-text">%s</desc>%s</svg>', f.height + 4,
		(SELECT @extschema@.l4_html_escape(string_agg(format('%s stopped at %s%s.', s.label,
				@extschema@.l4_clock_text(s.first_stop), COALESCE(' in ' || s.stage, '')), ' ' ORDER BY s.place))
			FROM stop s WHERE s.place <= 8 AND s.first_stop IS NOT NULL),
		(SELECT string_agg(p.text, '' ORDER BY p.turn) FROM part p))
	FROM frame f WHERE f.t0 IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_report_timeline_svg(text, @extschema@.l4_finding[]) IS
'Step: Stages of the ranks over time as SVG, suspects first, with the onset and where each stopped. NULL where no log has '
'times.';

CREATE FUNCTION @extschema@.l4_report_iterations_svg(job_id text, findings @extschema@.l4_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH bin AS MATERIALIZED (
		SELECT i.* FROM @extschema@.l4_report_iterations(l4_report_iterations_svg.job_id,
			@extschema@.l4_report_suspects(l4_report_iterations_svg.findings)) i
	),
	size AS (
		SELECT count(*) AS bins, GREATEST(max(b.distance), max(b.threshold), 1) * 1.05 AS top, max(b.threshold) AS threshold,
			max(b.distance) > 0 AS differs, min(b.source) AS source, 980.0 / GREATEST(count(*), 1) AS w FROM bin b
	)
	SELECT format(
		'<svg viewBox="0 0 1040 190" role="graphics-document" aria-labelledby="iterations-title"><title id="iterations-title">'
		'Distance of each iteration of %s from the ten before it</title>%s%s%s%s</svg>', @extschema@.l4_html_escape(s.source),
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
		(SELECT format(
			'<g><line class="limit" x1="48" x2="1028" y1="%s" y2="%s"/><text class="ont" x="52" y="%s">threshold %s</text></g>',
				y.y, y.y, y.y - 4, round(s.threshold::numeric, 2))
			FROM (SELECT round((160 - 150 * s.threshold / s.top)::numeric, 1) AS y) y WHERE s.threshold IS NOT NULL),
		(SELECT format(
			'<g><line class="on" x1="%s" x2="%s" y1="4" y2="160"/><title>the failure began in iteration %s</title></g>', x.x,
			x.x, i.iteration)
			FROM unnest(l4_report_iterations_svg.findings) i
			JOIN bin b ON i.iteration BETWEEN b.first_iteration AND b.last_iteration
			CROSS JOIN LATERAL (SELECT round(48 + (b.bin + 0.4) * s.w, 1) AS x) x
			WHERE i.kind = 'iteration' AND i.ordinal = 1))
	FROM size s
	WHERE s.bins > 1 AND s.differs;
END;
COMMENT ON FUNCTION @extschema@.l4_report_iterations_svg(text, @extschema@.l4_finding[]) IS
'Step: Distances of the iterations of one stream as SVG, with the threshold; unusual ones marked, the last one hollow. '
'NULL where no stream marks iterations, or all are alike.';

CREATE FUNCTION @extschema@.l4_report_legend() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT '<svg viewBox="0 0 1040 42" role="graphics-document" aria-labelledby="colours-title"><title id="colours-title">'
		'Colours and letters of stages</title>'
		|| string_agg(format('<rect class="%s" x="%s" y="%s" width="12" height="12"/>'
			'<text class="t" x="%s" y="%s">%s %s</text>', s.stage, x.x, y.y, x.x + 18, y.y + 10,
			@extschema@.l4_stage_letter(s.stage), s.stage), '' ORDER BY s.n) || '</svg>'
	FROM unnest(@extschema@.l4_stages()) WITH ORDINALITY s (stage, n)
	CROSS JOIN LATERAL (SELECT 212 + (s.n - 1) % 5 * 160 AS x) x
	CROSS JOIN LATERAL (SELECT 4 + (s.n - 1) / 5 * 20 AS y) y;
END;
COMMENT ON FUNCTION @extschema@.l4_report_legend() IS
'Step: The colours and letters of stages, as SVG.';
