/* The report as text of 100 columns, and as Markdown for a ticket. */

CREATE FUNCTION @extschema@.l4_report_heat_text(job_id text, findings @extschema@.l4_finding[], most int DEFAULT 24)
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH cell AS MATERIALIZED (
		SELECT c.* FROM @extschema@.l4_report_cells(l4_report_heat_text.job_id, l4_report_heat_text.findings,
			l4_report_heat_text.most) c
	),
	line AS (
		SELECT r.place, format('%s %s %s', CASE WHEN r.suspect IS NULL THEN ' ' ELSE '>' END,
			rpad(left(@extschema@.l4_printable(r.label), 22), 22),
			(SELECT string_agg(CASE WHEN c.occurrences IS NULL THEN '  .'
				WHEN r.members > 1 THEN lpad(LEAST(99, ceil(100.0 * c.nodes / r.members))::text, 3)
				WHEN c.occurrences < 100 THEN lpad(c.occurrences::text, 3) ELSE ' 99' END, '' ORDER BY f.ordinal)
				FROM unnest(l4_report_heat_text.findings) f
				LEFT JOIN cell c ON c.place = r.place AND c.event = f.ordinal
				WHERE f.kind = 'event' AND f.ordinal <= 24)) AS text
		FROM (SELECT DISTINCT c.place, c.label, c.suspect, c.members FROM cell c) r
	)
	SELECT rpad('  event', 25) || (SELECT string_agg(lpad(f.ordinal::text, 3), '' ORDER BY f.ordinal)
			FROM unnest(l4_report_heat_text.findings) f WHERE f.kind = 'event' AND f.ordinal <= 24)
		|| E'\n' || string_agg(rtrim(l.text), E'\n' ORDER BY l.place)
	FROM line l;
END;
COMMENT ON FUNCTION @extschema@.l4_report_heat_text(text, @extschema@.l4_finding[], int) IS
'Step: Nodes x events in characters: records of each event (99 stands for more; in a row of several nodes: per cent of '
'them that log it), suspects first and marked.';

CREATE FUNCTION @extschema@.l4_report_timeline_text(job_id text, suspects text[], most int DEFAULT 24) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH stop AS MATERIALIZED (
		SELECT s.* FROM @extschema@.l4_report_stops(l4_report_timeline_text.job_id, l4_report_timeline_text.suspects,
			l4_report_timeline_text.most) s
	),
	span AS MATERIALIZED (
		SELECT s.* FROM @extschema@.l4_report_spans(l4_report_timeline_text.job_id, l4_report_timeline_text.suspects,
			l4_report_timeline_text.most) s
	),
	frame AS (
		SELECT f.begins, f.ends FROM @extschema@.l4_report_frame(l4_report_timeline_text.job_id,
			(SELECT min(s.first_ts) FROM stop s), (SELECT max(s.last_stop) FROM stop s)) f
	),
	line AS (
		SELECT t.place, format('%s %s %s %s', CASE WHEN t.suspect IS NULL THEN ' ' ELSE '>' END,
			rpad(left(@extschema@.l4_printable(t.label), 22), 22), rpad(COALESCE((
				SELECT string_agg(COALESCE((
						SELECT @extschema@.l4_stage_letter(s.stage) FROM span s
						WHERE s.place = t.place
							AND CASE WHEN s.tick THEN s.started_at >= b.at AND s.started_at < b.at + b.step
								ELSE s.started_at <= b.at + b.step END
						ORDER BY s.tick DESC, s.started_at DESC, s.stage LIMIT 1), '-'), '' ORDER BY b.number)
				FROM (SELECT b.number, f.begins + b.number * (f.ends - f.begins) / 40 AS at, (f.ends - f.begins) / 40 AS step
					FROM generate_series(0, 39) b (number)) b
				WHERE b.at >= t.first_ts - b.step AND b.at <= t.first_stop), ''), 41),
			CASE WHEN t.last_stop IS NULL AND t.ranks = 0 THEN 'no logs'
				ELSE concat_ws(' ', @extschema@.l4_clock_text(t.first_stop), t.stage,
					CASE WHEN t.first_iteration < t.last_iteration THEN format('%s-%s', t.first_iteration, t.last_iteration)
						ELSE t.last_iteration::text END) END) AS text
		FROM stop t CROSS JOIN frame f
	)
	SELECT string_agg(left(rtrim(l.text), 100), E'\n' ORDER BY l.place) FROM line l;
END;
COMMENT ON FUNCTION @extschema@.l4_report_timeline_text(text, text[], int) IS
'Step: Stages of the ranks over time in characters (l4_stage_letter), up to where each stopped: time, stage and iteration.';

CREATE FUNCTION @extschema@.l4_report_facts(job_id text, findings @extschema@.l4_finding[])
RETURNS TABLE (place int, name text, value text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 8
BEGIN ATOMIC
	SELECT v.place, v.name, v.value
	FROM @extschema@.l4_report_filter(l4_report_facts.job_id, l4_report_facts.findings) f
	LEFT JOIN @extschema@.l4_facts_of_job(l4_report_facts.job_id) j ON true
	LEFT JOIN @extschema@.l4_report_fault(l4_report_facts.findings) k ON true
	CROSS JOIN LATERAL (SELECT (j.ranks * @extschema@.l4_seconds_between(j.started_at, j.ended_at) / 3600)::numeric AS hours) h
	LEFT JOIN @extschema@.l4_report_last_save(l4_report_facts.job_id, l4_report_facts.findings) c ON true
	CROSS JOIN LATERAL (VALUES
		(1, 'Job', concat_ws(', ', COALESCE(j.status, 'not registered'), @extschema@.l4_count_words(j.nodes, 'node'),
			@extschema@.l4_count_words(j.ranks, 'rank'))),
		(2, 'Model', NULLIF(concat_ws(', ', j.model, j.framework), '')),
		(3, 'Time', format('%s to %s (%s)', @extschema@.l4_time_text(j.started_at), @extschema@.l4_time_text(j.ended_at),
			-- times may lie further apart than the longest interval, some 292,000 years: an error since PostgreSQL 17
			concat_ws(', ', to_char(make_interval(secs => greatest(-9e12, least(9e12,
				@extschema@.l4_seconds_between(j.started_at, j.ended_at)))), 'HH24:MI:SS'),
				to_char(h.hours, 'FM999,999,999,990.0') || ' accelerator hours',
			CASE WHEN j.times_clamped THEN 'without stamps far from all others' END))),
		(4, 'Suspect', COALESCE(array_to_string((@extschema@.l4_report_suspects(l4_report_facts.findings))[1:5], ', '), '')),
		(5, 'Began', @extschema@.l4_report_began(l4_report_facts.findings)),
		(6, 'Steps', (SELECT @extschema@.l4_slow_sentence(w) FROM unnest(l4_report_facts.findings) w WHERE w.kind = 'slow')),
		(7, 'Last save', concat_ws(', ', 'iteration ' || c.iteration, @extschema@.l4_time_text(c.saved_at))
			|| COALESCE(' (' || @extschema@.l4_count_words(c.iterations_lost, 'iteration')
				|| ' before the failure began)', '')),
		(8, 'Known fault', format('%s (%s, %s)', k.title, k.fault_key, concat_ws('/', k.category, k.subtype))),
		(9, 'Filter', format('%s of %s and %s of %s left, %s',
			to_char(f.left_records, 'FM999,999,999,990'), @extschema@.l4_count_words(f.records, 'record'),
			to_char(f.left_events, 'FM999,999,999,990'), @extschema@.l4_count_words(f.events, 'event'), f.compared))) v (place,
				name, value)
	WHERE CASE v.name WHEN 'Known fault' THEN k.fault_key IS NOT NULL WHEN 'Time' THEN j.ended_at IS NOT NULL
		WHEN 'Last save' THEN c.saved_at IS NOT NULL ELSE v.value <> '' END;
END;
COMMENT ON FUNCTION @extschema@.l4_report_facts(text, @extschema@.l4_finding[]) IS
'Step: The head of a report: what is known of the job and its failure, as pairs of name and value.';

CREATE FUNCTION @extschema@.l4_report_text_findings(job_id text, findings @extschema@.l4_finding[])
RETURNS TABLE (place int, text text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 8
BEGIN ATOMIC
	SELECT 1, @extschema@.l4_wrap(format('%s: %s.', l4_report_text_findings.job_id,
		@extschema@.l4_report_headline(l4_report_text_findings.job_id,
			l4_report_text_findings.findings)), 100)
		|| E'\n' || repeat('=', 100)
	UNION ALL
	SELECT 2, string_agg(overlay(@extschema@.l4_wrap(f.value, 100, repeat(' ', 13)), f.name, 1, length(f.name)), E'\n'
		ORDER BY f.place)
	FROM @extschema@.l4_report_facts(l4_report_text_findings.job_id, l4_report_text_findings.findings) f
	UNION ALL
	SELECT 3, E'RESTART\n' || @extschema@.l4_wrap(a.advice || '. ' || a.reason, 100, '  ')
		|| COALESCE(E'\n  (rests on ' || a.finding_kind || ' ' || a.finding_ordinal || ')', '')
	FROM @extschema@.l4_restart_advice(l4_report_text_findings.job_id, l4_report_text_findings.findings) a
	UNION ALL
	SELECT 4, E'NODES\n'
		|| string_agg(@extschema@.l4_wrap(format('%s. %s%s', f.ordinal, @extschema@.l4_finding_unit(f),
			@extschema@.l4_confidence_text(f.confidence)), 100, '  ') || (
			SELECT string_agg(E'\n' || overlay(@extschema@.l4_wrap(CASE WHEN r.against THEN 'Against it: ' ELSE '' END
				|| r.told, 100, repeat(' ', 7)), '-', 6, 1), '' ORDER BY r.place)
			FROM @extschema@.l4_report_reason_list(l4_report_text_findings.findings, f.ordinal) r)
		|| COALESCE(E'\n' || @extschema@.l4_wrap(h.told, 100, repeat(' ', 5)), ''), E'\n' ORDER BY f.ordinal)
	FROM unnest(l4_report_text_findings.findings) f
	LEFT JOIN @extschema@.l4_report_past(l4_report_text_findings.job_id, l4_report_text_findings.findings) h
		ON h.ordinal = f.ordinal
	WHERE f.kind = 'node' AND f.ordinal <= 5
	UNION ALL
	SELECT 5, E'FAULTS\n'
		|| string_agg(@extschema@.l4_wrap(format('%s. %s', f.ordinal,
			concat_ws('; ', format('%s (%s: %s)', f.title, f.fault_key, f.kind), f.part)), 100, '  ')
		|| COALESCE(E'\n' || @extschema@.l4_wrap('Cause: ' || f.root_cause, 100, '     '), '')
		|| COALESCE(E'\n' || @extschema@.l4_wrap('Fix: ' || f.fix, 100, '     '), ''), E'\n'
			ORDER BY f.ordinal)
	FROM @extschema@.l4_report_faults(l4_report_text_findings.findings) f WHERE f.ordinal <= 5
	UNION ALL
	SELECT 6, E'SEEN BEFORE\n' || string_agg(@extschema@.l4_wrap(r.told, 100, '  '), E'\n' ORDER BY r.place)
	FROM @extschema@.l4_report_resembling(l4_report_text_findings.job_id, l4_report_text_findings.findings) r
	UNION ALL
	SELECT 8, E'EVENTS that successful jobs do not log\n' || string_agg(
		format(E'%s  %s\n', lpad(f.ordinal::text, 3), left(@extschema@.l4_telling_line(f.template), 94))
		|| @extschema@.l4_wrap(@extschema@.l4_report_why(f), 100, '     '), E'\n' ORDER BY f.ordinal)
	FROM unnest(l4_report_text_findings.findings) f WHERE f.kind = 'event' AND f.ordinal <= 10
	UNION ALL
	SELECT 12, E'ITERATIONS\n' || string_agg(@extschema@.l4_wrap(f.explanation, 100, '  '), E'\n' ORDER BY f.ordinal)
	FROM unnest(l4_report_text_findings.findings) f WHERE f.kind = 'iteration' AND f.ordinal <= 5;
END;
COMMENT ON FUNCTION @extschema@.l4_report_text_findings(text, @extschema@.l4_finding[]) IS
'Step: Of the text the parts that say what was found, with their places in it: verdict, restart, suspects, faults, '
'failures alike, events, iterations.';

CREATE FUNCTION @extschema@.l4_report_text_details(job_id text, findings @extschema@.l4_finding[])
RETURNS TABLE (place int, text text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 8
BEGIN ATOMIC
	SELECT 7, E'DIFFERENT FROM THE LAST GOOD RUN, ' || min(@extschema@.l4_printable(c.other))
		|| COALESCE(string_agg(E'\n' || @extschema@.l4_wrap(format('%s: %s: %s; there %s', c.what, left(c.name, 200),
			COALESCE(left(c.here, 200), '-'), COALESCE(left(c.there, 200), '-')), 100, '  '), '' ORDER BY c.place)
			FILTER (WHERE c.what IS NOT NULL), E'\n  Settings, sizes and logged values are the same.')
	FROM @extschema@.l4_report_changes(l4_report_text_details.job_id, l4_report_text_details.findings) c HAVING count(*) > 0
	UNION ALL
	SELECT 9, E'NODES x EVENTS (records; in rows of several nodes: per cent of them)\n'
		|| @extschema@.l4_report_heat_text(l4_report_text_details.job_id, l4_report_text_details.findings)
	WHERE EXISTS (SELECT FROM unnest(l4_report_text_details.findings) f WHERE f.kind = 'event')
	UNION ALL
	SELECT 10, E'STAGES OVER TIME, and where each stopped\n'
		|| @extschema@.l4_report_timeline_text(l4_report_text_details.job_id,
			@extschema@.l4_report_suspects(l4_report_text_details.findings))
		|| (SELECT string_agg(CASE s.n % 5 WHEN 1 THEN E'\n  ' ELSE '  ' END || @extschema@.l4_stage_letter(s.stage)
			|| ' ' || s.stage, '' ORDER BY s.n) FROM unnest(@extschema@.l4_stages()) WITH ORDINALITY s (stage, n))
	UNION ALL
	SELECT 11, E'NETWORK FLOWS of the last minutes in which the job sent anything\n'
		|| string_agg(@extschema@.l4_wrap(CASE WHEN l.place > 0 THEN l.place || '. ' ELSE '' END
			|| @extschema@.l4_printable(l.told), 100, '  '), E'\n' ORDER BY l.place)
	FROM @extschema@.l4_report_flow_lines(l4_report_text_details.job_id) l
	UNION ALL
	SELECT 13, E'EVIDENCE\n' || string_agg(c.text, E'\n' ORDER BY c.place)
	FROM (SELECT c.place, format(E'  -- %s (%s)\n', left(@extschema@.l4_printable(c.source), 48), left(c.told_by, 44))
			|| string_agg(format('%s %s %s', CASE WHEN c.quoted THEN ' >' ELSE '  ' END, lpad(c.line_no::text, 6),
				regexp_replace(replace(@extschema@.l4_clip(c.raw, CASE WHEN c.quoted THEN 8 ELSE 3 END,
					CASE WHEN c.quoted THEN 270 ELSE 90 END), E'\n', E'\n          '),
					'([^\n]{90})(?=[^\n])', E'\\1\n          ', 'g')), E'\n' ORDER BY c.line_no, c.part) AS text
		FROM @extschema@.l4_report_context(l4_report_text_details.job_id, l4_report_text_details.findings, 5) c
		GROUP BY c.place, c.source, c.told_by) c
	UNION ALL
	SELECT 14, E'FILTERED OUT, most frequent first\n' || string_agg(format('%s  %s', lpad(e.occurrences::text, 9),
		left(@extschema@.l4_telling_line(e.template), 88)), E'\n' ORDER BY e.place)
	FROM @extschema@.l4_report_filtered(l4_report_text_details.job_id, l4_report_text_details.findings, 5) e;
END;
COMMENT ON FUNCTION @extschema@.l4_report_text_details(text, @extschema@.l4_finding[]) IS
'Step: Of the text the parts that show it, with their places in it: pictures, evidence in its context, what was filtered '
'out.';

CREATE FUNCTION @extschema@.l4_report_text(job_id text, findings @extschema@.l4_finding[],
	generated_at timestamptz DEFAULT NULL) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 100000
SET jit = off
-- else each step's plan has a copy of all findings in PostgreSQL 18, which plans for the values at hand
SET plan_cache_mode = force_generic_plan
BEGIN ATOMIC
	-- else each part would be made twice: to see whether it is empty, and to show it
	WITH part AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_report_text_findings(l4_report_text.job_id, l4_report_text.findings) p
		UNION ALL
		SELECT p.* FROM @extschema@.l4_report_text_details(l4_report_text.job_id, l4_report_text.findings) p
		UNION ALL
		SELECT 15, E'LINKS\n' || string_agg(format('  %s: %s', @extschema@.l4_printable(l.name), l.url), E'\n' ORDER BY l.place)
		FROM @extschema@.l4_report_all_links(l4_report_text.job_id, l4_report_text.findings) l
		UNION ALL
		SELECT 16, @extschema@.l4_report_written(l4_report_text.generated_at)
	)
	SELECT string_agg(replace(p.text, E'\t', ' '), E'\n\n' ORDER BY p.place) || E'\n' FROM part p WHERE p.text <> '';
END;
COMMENT ON FUNCTION @extschema@.l4_report_text(text, @extschema@.l4_finding[], timestamptz) IS
'Step: A diagnosis as text of at most 100 columns (but for links); generated_at: see l4_report_written.';

CREATE FUNCTION @extschema@.l4_report_markdown_findings(job_id text, findings @extschema@.l4_finding[])
RETURNS TABLE (place int, text text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 8
BEGIN ATOMIC
	SELECT 1, format('# %s: %s', @extschema@.l4_markdown_escape(l4_report_markdown_findings.job_id),
		@extschema@.l4_markdown_escape(@extschema@.l4_report_headline(l4_report_markdown_findings.job_id,
			l4_report_markdown_findings.findings)))
	UNION ALL
	SELECT 2, string_agg(format('- **%s:** %s', f.name, @extschema@.l4_markdown_escape(f.value)), E'\n' ORDER BY f.place)
	FROM @extschema@.l4_report_facts(l4_report_markdown_findings.job_id, l4_report_markdown_findings.findings) f
	UNION ALL
	SELECT 3, format(E'## Restart\n\n**%s.** %s%s', @extschema@.l4_markdown_escape(a.advice),
		@extschema@.l4_markdown_escape(a.reason),
		COALESCE(' (Rests on ' || a.finding_kind || ' ' || a.finding_ordinal || '.)', ''))
	FROM @extschema@.l4_restart_advice(l4_report_markdown_findings.job_id, l4_report_markdown_findings.findings) a
	UNION ALL
	SELECT 4, E'## Nodes\n\n'
		|| string_agg(format('%s. **%s**%s', f.ordinal, @extschema@.l4_markdown_escape(@extschema@.l4_finding_unit(f)),
			@extschema@.l4_confidence_text(f.confidence)) || (
			SELECT string_agg(format(E'\n   - %s%s', CASE WHEN r.against THEN '*Against it:* ' ELSE '' END,
				@extschema@.l4_markdown_escape(r.told)), '' ORDER BY r.place)
			FROM @extschema@.l4_report_reason_list(l4_report_markdown_findings.findings, f.ordinal) r)
		|| COALESCE(E'\n   - ' || @extschema@.l4_markdown_escape(h.told), ''), E'\n' ORDER BY f.ordinal)
	FROM unnest(l4_report_markdown_findings.findings) f
	LEFT JOIN @extschema@.l4_report_past(l4_report_markdown_findings.job_id, l4_report_markdown_findings.findings) h
		ON h.ordinal = f.ordinal
	WHERE f.kind = 'node' AND f.ordinal <= 5
	UNION ALL
	SELECT 5, E'## Known faults\n\n| fault | root cause | fix |\n|---|---|---|\n' || string_agg(format('| %s | %s | %s |',
		@extschema@.l4_markdown_escape(concat_ws('; ', format('%s (%s: %s)', f.title, f.fault_key, f.kind), f.part)),
		COALESCE(@extschema@.l4_markdown_escape(f.root_cause), ''), COALESCE(@extschema@.l4_markdown_escape(f.fix), '')),
			E'\n' ORDER BY f.ordinal)
	FROM @extschema@.l4_report_faults(l4_report_markdown_findings.findings) f WHERE f.ordinal <= 5
	UNION ALL
	SELECT 6, E'## Seen before\n\n' || string_agg('- ' || @extschema@.l4_markdown_escape(r.told), E'\n' ORDER BY r.place)
	FROM @extschema@.l4_report_resembling(l4_report_markdown_findings.job_id, l4_report_markdown_findings.findings) r
	UNION ALL
	SELECT 8, E'## Events that successful jobs do not log\n\n| | event | nodes | records | why |\n|---|---|---|---|---|\n'
		|| string_agg(format('| %s | %s | %s | %s | %s |', f.ordinal,
			@extschema@.l4_markdown_escape(left(@extschema@.l4_telling_line(f.template), 160)), f.nodes_affected,
			f.occurrences,
		@extschema@.l4_markdown_escape(@extschema@.l4_report_why(f))), E'\n' ORDER BY f.ordinal)
	FROM unnest(l4_report_markdown_findings.findings) f WHERE f.kind = 'event' AND f.ordinal <= 10
	UNION ALL
	SELECT 12, E'## Iterations\n\n'
		|| string_agg('- ' || @extschema@.l4_markdown_escape(f.explanation), E'\n' ORDER BY f.ordinal)
	FROM unnest(l4_report_markdown_findings.findings) f WHERE f.kind = 'iteration' AND f.ordinal <= 5;
END;
COMMENT ON FUNCTION @extschema@.l4_report_markdown_findings(text, @extschema@.l4_finding[]) IS
'Step: Of the ticket the parts that say what was found, with their places in it: verdict, restart, suspects, faults, '
'failures alike, events, iterations.';

CREATE FUNCTION @extschema@.l4_report_markdown_details(job_id text, findings @extschema@.l4_finding[])
RETURNS TABLE (place int, text text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 8
BEGIN ATOMIC
	SELECT 7, format(E'## Different from the last good run, %s\n\n', @extschema@.l4_markdown_escape(min(c.other)))
		|| COALESCE(E'| | | this job | good run |\n|---|---|---|---|' || string_agg(format(E'\n| %s | %s | %s | %s |', c.what,
			@extschema@.l4_markdown_escape(left(c.name, 160)), @extschema@.l4_markdown_escape(COALESCE(left(c.here, 160), '-')),
			@extschema@.l4_markdown_escape(COALESCE(left(c.there, 160), '-'))), '' ORDER BY c.place)
			FILTER (WHERE c.what IS NOT NULL), 'Settings, sizes and logged values are the same.')
	FROM @extschema@.l4_report_changes(l4_report_markdown_details.job_id, l4_report_markdown_details.findings) c
	HAVING count(*) > 0
	UNION ALL
	SELECT 9, E'## Nodes x events (records; in rows of several nodes: per cent of them)\n\n'
		|| @extschema@.l4_markdown_fence(@extschema@.l4_report_heat_text(l4_report_markdown_details.job_id,
			l4_report_markdown_details.findings))
	WHERE EXISTS (SELECT FROM unnest(l4_report_markdown_details.findings) f WHERE f.kind = 'event')
	UNION ALL
	SELECT 10, E'## Stages over time, and where each stopped\n\n'
		|| @extschema@.l4_markdown_fence(@extschema@.l4_report_timeline_text(l4_report_markdown_details.job_id,
			@extschema@.l4_report_suspects(l4_report_markdown_details.findings)))
		|| E'\n\n' || (SELECT string_agg(format('`%s` %s', @extschema@.l4_stage_letter(s.stage),
			@extschema@.l4_markdown_escape(s.stage)), ', ' ORDER BY s.n)
			FROM unnest(@extschema@.l4_stages()) WITH ORDINALITY s (stage, n))
	UNION ALL
	SELECT 11, E'## Network flows\n\nOf the last minutes in which the job sent anything.' || string_agg(CASE WHEN l.place > 1
			THEN E'\n' ELSE E'\n\n' END || CASE WHEN l.place > 0 THEN l.place || '. ' ELSE '' END
			|| @extschema@.l4_markdown_escape(l.told), '' ORDER BY l.place)
	FROM @extschema@.l4_report_flow_lines(l4_report_markdown_details.job_id) l
	UNION ALL
	SELECT 13, E'## Evidence\n\n' || string_agg(c.text, E'\n\n' ORDER BY c.place)
	FROM (SELECT c.place, format(E'%s (%s)\n\n', @extschema@.l4_markdown_escape(c.source), c.told_by)
			|| @extschema@.l4_markdown_fence(string_agg(format('%s%s: %s', CASE WHEN c.quoted THEN '> ' ELSE '  ' END,
				c.line_no, @extschema@.l4_clip(c.raw, CASE WHEN c.quoted THEN 12 ELSE 3 END, 300)), E'\n'
					ORDER BY c.line_no, c.part)) AS text
		FROM @extschema@.l4_report_context(l4_report_markdown_details.job_id, l4_report_markdown_details.findings, 5) c
		GROUP BY c.place, c.source, c.told_by) c;
END;
COMMENT ON FUNCTION @extschema@.l4_report_markdown_details(text, @extschema@.l4_finding[]) IS
'Step: Of the ticket the parts that show it, with their places in it: pictures and evidence in its context.';

CREATE FUNCTION @extschema@.l4_report_markdown(job_id text, findings @extschema@.l4_finding[],
	generated_at timestamptz DEFAULT NULL) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 100000
SET jit = off
-- else each step's plan has a copy of all findings in PostgreSQL 18, which plans for the values at hand
SET plan_cache_mode = force_generic_plan
BEGIN ATOMIC
	-- else each part would be made twice: to see whether it is empty, and to show it
	WITH part AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_report_markdown_findings(l4_report_markdown.job_id, l4_report_markdown.findings) p
		UNION ALL
		SELECT p.* FROM @extschema@.l4_report_markdown_details(l4_report_markdown.job_id, l4_report_markdown.findings) p
		UNION ALL
		-- an address has no angle brackets
		SELECT 15, E'## Links\n\n' || string_agg(format('- [%s](<%s>)', @extschema@.l4_markdown_escape(l.name), l.url), E'\n'
			ORDER BY l.place)
		FROM @extschema@.l4_report_all_links(l4_report_markdown.job_id, l4_report_markdown.findings) l
		UNION ALL
		SELECT 16, @extschema@.l4_report_written(l4_report_markdown.generated_at)
	)
	SELECT string_agg(p.text, E'\n\n' ORDER BY p.place) || E'\n' FROM part p WHERE p.text <> '';
END;
COMMENT ON FUNCTION @extschema@.l4_report_markdown(text, @extschema@.l4_finding[], timestamptz) IS
'Step: A diagnosis as a ticket in Markdown; generated_at: see l4_report_written.';
