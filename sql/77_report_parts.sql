/*
 * The report: a diagnosis as a page for people.
 *
 * l4_report diagnoses once and hands the findings, as an array of rows of l4_finding, to small functions that each answer one
 * question (what is the verdict, may the job restart, which row of a picture is a node in, where did each row stop, ...). The
 * three formats are three ways to set these answers; what they say is the same. Everything reads only the summaries, but for
 * the records around the lines quoted and the iterations of one stream.
 *
 * Logs are written by others: whatever comes from one passes l4_printable (no control characters reach a terminal or a page)
 * and l4_html_escape or a fence of Markdown.
 */

CREATE FUNCTION @extschema@.l4_report_why(finding @extschema@.l4_finding) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 20
RETURN CASE WHEN finding.facts IS NULL THEN finding.explanation ELSE @extschema@.l4_event_sentence(finding, false) END;
COMMENT ON FUNCTION @extschema@.l4_report_why(@extschema@.l4_finding) IS
'Step: Why an event is a finding, without what holds for all of them: that successful jobs do not log it, and with which '
'it was compared.';

CREATE FUNCTION @extschema@.l4_report_filter(job_id text, findings @extschema@.l4_finding[])
RETURNS TABLE (compared text, streams bigint, bytes bigint, records bigint, events bigint, left_records bigint,
	left_events bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
	SELECT CASE WHEN w.pool IS NULL THEN '' ELSE 'compared with ' END || @extschema@.l4_pool_sentence(w.pool), s.streams,
		s.bytes, t.records, t.events, f.records, f.events
	FROM (SELECT count(*) FILTER (WHERE s.record_count > 0) AS streams, COALESCE(sum(s.byte_count), 0)::bigint AS bytes
			FROM @extschema@.l4_job_streams(l4_report_filter.job_id) s) s,
		(SELECT COALESCE(sum(e.occurrences), 0)::bigint AS records, count(DISTINCT COALESCE(h.event_id, e.shape_id)) AS events
			FROM @extschema@.l4_job_shapes(l4_report_filter.job_id) e
			LEFT JOIN @extschema@.l4_shape h ON h.shape_id = e.shape_id) t,
		(SELECT COALESCE(sum(f.occurrences), 0)::bigint AS records, count(*) AS events
			FROM unnest(l4_report_filter.findings) f WHERE f.kind = 'event') f,
		(SELECT @extschema@.l4_pool_facts(l4_report_filter.job_id, true) AS pool) w;
END;
COMMENT ON FUNCTION @extschema@.l4_report_filter(text, @extschema@.l4_finding[]) IS
'Step: What a diagnosis was compared with, in words; streams, bytes, records and events of the job, and how many records '
'and events were left when the filter had taken out what is normal.';

CREATE FUNCTION @extschema@.l4_report_filtered(job_id text, findings @extschema@.l4_finding[], most int DEFAULT 8)
RETURNS TABLE (place bigint, template text, occurrences bigint, streams bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 8
BEGIN ATOMIC
	SELECT row_number() OVER (ORDER BY e.occurrences DESC, v.template, e.event_id), v.template, e.occurrences, e.streams
	FROM (
		SELECT h.event_id, sum(e.occurrences)::bigint AS occurrences, max(e.streams) AS streams
		FROM @extschema@.l4_job_shapes(l4_report_filtered.job_id) e
		JOIN @extschema@.l4_shape h ON h.shape_id = e.shape_id
		GROUP BY h.event_id) e
	JOIN @extschema@.l4_event v ON v.event_id = e.event_id
	WHERE NOT EXISTS (SELECT FROM unnest(l4_report_filtered.findings) f WHERE f.kind = 'event' AND f.event_id = e.event_id)
	ORDER BY e.occurrences DESC, v.template, e.event_id
	LIMIT l4_report_filtered.most;
END;
COMMENT ON FUNCTION @extschema@.l4_report_filtered(text, @extschema@.l4_finding[], int) IS
'Step: The most frequent events of a job that are none of its findings, with their records and the streams that have them.';

-- Pictures, as rows

CREATE FUNCTION @extschema@.l4_report_rows(job_id text, suspects text[], by_rank boolean DEFAULT false, most int DEFAULT 40)
RETURNS TABLE (node text, rank int, place int, label text, suspect int, members int)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH suspected AS MATERIALIZED (
		SELECT l4_report_rows.suspects AS nodes
	),
	stream AS MATERIALIZED (
		SELECT DISTINCT s.unit AS node, s.rank FROM @extschema@.l4_job_streams(l4_report_rows.job_id) s
		WHERE s.kind = 'rank' AND s.unit IS NOT NULL AND s.rank IS NOT NULL
	),
	ranked AS (
		SELECT l4_report_rows.by_rank AND count(*) BETWEEN 1 AND l4_report_rows.most AS by_rank FROM stream
	),
	unit AS (
		SELECT s.node, s.rank, s.rank AS turn, s.node || ' rank ' || s.rank AS name FROM stream s, ranked
		WHERE ranked.by_rank AND s.node <> 'rank ' || s.rank
		UNION ALL
		SELECT s.node, s.rank, s.rank, s.node FROM stream s, ranked WHERE ranked.by_rank AND s.node = 'rank ' || s.rank
		UNION ALL
		SELECT n.unit, NULL, s.rank, n.unit
		FROM @extschema@.l4_job_units(l4_report_rows.job_id) n
		CROSS JOIN ranked
		LEFT JOIN (SELECT s.node, min(s.rank) AS rank FROM stream s GROUP BY s.node) s ON s.node = n.unit
		WHERE NOT ranked.by_rank OR NOT n.logged
	),
	ordered AS (
		SELECT u.*, array_position((SELECT s.nodes FROM suspected s), u.node) AS suspect, count(*) OVER () AS units,
			row_number() OVER (ORDER BY array_position((SELECT s.nodes FROM suspected s), u.node), u.turn,
				u.name COLLATE "C") AS number
		FROM unit u
	),
	placed AS (
		-- the first of the suspects have a row each, whatever comes; the others share what is left
		SELECT o.*, CASE WHEN o.units <= l4_report_rows.most OR o.number <= s.own THEN o.number
			ELSE s.own + 1 + (o.number - s.own - 1) * (l4_report_rows.most - s.own) / (o.units - s.own) END AS place
		FROM ordered o, (SELECT LEAST(count(o.suspect), l4_report_rows.most / 4) AS own FROM ordered o) s
	)
	SELECT p.node, p.rank, p.place::int,
		CASE WHEN count(*) OVER w = 1 THEN p.name
			ELSE format('%s .. %s', first_value(p.name) OVER w, last_value(p.name) OVER w) END,
		min(p.suspect) OVER w, (count(*) OVER w)::int
	FROM placed p
	WINDOW w AS (PARTITION BY p.place ORDER BY p.number ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);
END;
COMMENT ON FUNCTION @extschema@.l4_report_rows(text, text[], boolean, int) IS
'Step: Which row of a picture each node (by_rank: each rank, as long as there are no more than most of them) of a job is '
'in: suspects first, then by rank; where there are more than most, neighbours share a row. members: how many share it.';

CREATE FUNCTION @extschema@.l4_report_cells(job_id text, findings @extschema@.l4_finding[], most_rows int DEFAULT 40,
	most_columns int DEFAULT 24)
RETURNS TABLE (place int, label text, suspect int, members int, event int, nodes int, occurrences bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 500
BEGIN ATOMIC
	WITH member AS MATERIALIZED (
		SELECT r.* FROM @extschema@.l4_report_rows(l4_report_cells.job_id,
			@extschema@.l4_report_suspects(l4_report_cells.findings), false, l4_report_cells.most_rows - 1) r
	),
	finding AS MATERIALIZED (
		SELECT f.ordinal, f.event_id, f.occurrences FROM unnest(l4_report_cells.findings) f
		WHERE f.kind = 'event' AND f.ordinal <= l4_report_cells.most_columns
	),
	logged AS MATERIALIZED (
		SELECT c.unit AS node, h.event_id, sum(c.occurrences) AS occurrences
		FROM @extschema@.l4_job_unit_counts(l4_report_cells.job_id,
			ARRAY(SELECT h.shape_id FROM @extschema@.l4_shape h JOIN finding f ON f.event_id = h.event_id)) c
		JOIN @extschema@.l4_shape h ON h.shape_id = c.shape_id
		GROUP BY c.unit, h.event_id
	),
	partly AS MATERIALIZED (
		-- events of which only some records are news (a new value, a storm): which ones, the summaries do not tell
		SELECT f.event_id FROM finding f JOIN logged l ON l.event_id = f.event_id
		GROUP BY f.event_id, f.occurrences HAVING sum(l.occurrences) <> f.occurrences
	),
	news AS (
		SELECT l.node, l.event_id, l.occurrences FROM logged l WHERE l.event_id NOT IN (SELECT p.event_id FROM partly p)
		UNION ALL
		SELECT n.unit, n.event_id, sum(n.occurrences)
		FROM @extschema@.l4_unexplained(l4_report_cells.job_id) n
		WHERE EXISTS (SELECT FROM partly) AND n.event_id IN (SELECT p.event_id FROM partly p)
		GROUP BY n.unit, n.event_id
	),
	placed AS (
		-- a join by sorting, whatever the planner knows
		SELECT x.event_id, x.occurrences, x.node, max(x.place) OVER (PARTITION BY x.node) AS place
		FROM (
			SELECT m.node, m.place, NULL::bigint AS event_id, NULL::numeric AS occurrences FROM member m
			UNION ALL
			SELECT n.node, NULL, n.event_id, n.occurrences FROM news n) x
	),
	cell AS (
		SELECT COALESCE(n.place, 0) AS place, f.ordinal AS event, count(*)::int AS nodes,
			sum(n.occurrences)::bigint AS occurrences
		FROM placed n
		JOIN finding f ON f.event_id = n.event_id
		WHERE n.place IS NOT NULL OR n.node IS NULL
		GROUP BY n.place, f.ordinal
	),
	line AS (
		SELECT DISTINCT m.place, m.place AS turn, m.label, m.suspect, m.members FROM member m
		UNION ALL
		-- after the suspects: a controller or a launcher tells of them
		SELECT 0, COALESCE((SELECT max(m.place) FROM member m WHERE m.suspect IS NOT NULL), 0), 'shared logs', NULL, 1
		WHERE EXISTS (SELECT FROM cell c WHERE c.place = 0)
	)
	SELECT (dense_rank() OVER (ORDER BY r.turn, r.place DESC))::int, r.label, r.suspect, r.members, c.event, c.nodes,
		c.occurrences
	FROM line r
	LEFT JOIN cell c ON c.place = r.place;
END;
COMMENT ON FUNCTION @extschema@.l4_report_cells(text, @extschema@.l4_finding[], int, int) IS
'Step: Nodes x events: per row of l4_report_rows and event finding (its ordinal) how many of the row''s nodes log it and '
'how often. A row without any has one line with event NULL. Logs that are of no node (a launcher''s, a controller''s) have '
'a row after the suspects where they hold such events.';

CREATE FUNCTION @extschema@.l4_report_stops(job_id text, suspects text[], most int DEFAULT 40)
RETURNS TABLE (place int, label text, suspect int, members int, ranks bigint, first_ts timestamptz, first_stop timestamptz,
	last_stop timestamptz, stage text, first_iteration bigint, last_iteration bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 64
BEGIN ATOMIC
	WITH stream AS MATERIALIZED (
		SELECT s.unit AS node, s.rank, s.kind, s.stream_id, s.first_ts, s.last_ts, s.last_stage, s.last_iteration
		FROM @extschema@.l4_job_streams(l4_report_stops.job_id) s WHERE s.record_count > 0
	),
	rank AS MATERIALIZED (
		-- a rank may write several streams: it lives as long as the last of them
		SELECT s.node, s.rank, min(s.first_ts) FILTER (WHERE @extschema@.l4_clock_was_set(s.first_ts)) AS first_ts,
			max(s.last_ts) FILTER (WHERE @extschema@.l4_clock_was_set(s.last_ts)) AS last_ts,
			(array_agg(s.last_stage ORDER BY s.last_ts DESC NULLS LAST, s.stream_id) FILTER (
				WHERE s.last_stage IS NOT NULL))[1] AS stage,
			max(s.last_iteration) AS iteration
		FROM stream s
		WHERE s.node IS NOT NULL AND (s.kind = 'rank' OR NOT EXISTS (SELECT FROM stream o WHERE o.kind = 'rank'))
		GROUP BY s.node, s.rank
	)
	SELECT r.place, r.label, min(r.suspect), r.members, count(DISTINCT s.rank),
		min(s.first_ts), min(s.last_ts), max(s.last_ts),
		-- of several, the one that stopped first
		(array_agg(s.stage ORDER BY s.last_ts, s.rank) FILTER (WHERE s.stage IS NOT NULL))[1],
		min(s.iteration), max(s.iteration)
	FROM @extschema@.l4_report_rows(l4_report_stops.job_id, l4_report_stops.suspects, true, l4_report_stops.most) r
	LEFT JOIN rank s ON s.node = r.node AND (r.rank IS NULL OR s.rank = r.rank)
	GROUP BY r.place, r.label, r.members;
END;
COMMENT ON FUNCTION @extschema@.l4_report_stops(text, text[], int) IS
'Step: Where the ranks stopped, per row of l4_report_rows: when the first and the last of its ranks ended, in which stage '
'(the first to end) and at which iterations. Nodes without logs have a row without times.';

CREATE FUNCTION @extschema@.l4_report_frame(job_id text, first_ts timestamptz, last_ts timestamptz)
RETURNS TABLE (begins timestamptz, ends timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	SELECT CASE WHEN j.started_at BETWEEN first_ts AND last_ts THEN j.started_at ELSE first_ts END,
		CASE WHEN j.ended_at BETWEEN first_ts AND last_ts THEN j.ended_at ELSE last_ts END
	FROM (VALUES (1)) one
	LEFT JOIN @extschema@.l4_facts_of_job(l4_report_frame.job_id) j ON j.times_clamped;
END;
COMMENT ON FUNCTION @extschema@.l4_report_frame(text, timestamptz, timestamptz) IS
'Step: From when to when a picture of a job shows, of whose ranks the first and the last times are given: few stamps far from '
'all others do not stretch it (times_clamped of l4_job_facts).';

CREATE FUNCTION @extschema@.l4_report_spans(job_id text, suspects text[], most int DEFAULT 40)
RETURNS TABLE (place int, stage text, started_at timestamptz, next_at timestamptz, tick boolean)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 300
BEGIN ATOMIC
	-- Summaries tell when a stream first was in a stage. Once it iterates, evaluations and checkpoints come and go: they are
	-- ticks.
	WITH stream AS MATERIALIZED (
		SELECT s.unit AS node, s.rank, s.kind, s.stream_id FROM @extschema@.l4_job_streams(l4_report_spans.job_id) s
		WHERE s.record_count > 0
	),
	entered AS (
		SELECT r.place, e.stage, min(e.first_ts) AS started_at
		FROM @extschema@.l4_job_stages(l4_report_spans.job_id) e
		JOIN stream s ON s.stream_id = e.stream_id AND e.first_ts IS NOT NULL
			AND (s.kind = 'rank' OR NOT EXISTS (SELECT FROM stream o WHERE o.kind = 'rank'))
		JOIN @extschema@.l4_report_rows(l4_report_spans.job_id, l4_report_spans.suspects, true, l4_report_spans.most) r
			ON r.node = s.node AND (r.rank IS NULL OR r.rank = s.rank)
		GROUP BY r.place, e.stage
	),
	marked AS (
		SELECT e.*, e.stage <> 'teardown'
			AND e.started_at > min(e.started_at) FILTER (WHERE e.stage = 'iterating') OVER (PARTITION BY e.place) AS tick
		FROM entered e
	)
	SELECT m.place, m.stage, m.started_at,
		lead(m.started_at) OVER (PARTITION BY m.place, COALESCE(m.tick, false) ORDER BY m.started_at, m.stage),
		COALESCE(m.tick, false)
	FROM marked m;
END;
COMMENT ON FUNCTION @extschema@.l4_report_spans(text, text[], int) IS
'Step: The stages of the rows of l4_report_stops over time: when the first of its ranks enters each, and the next stage '
'(next_at, NULL for the last, which lasts until the row stops). tick: an evaluation or checkpoint first met while iterating.';

CREATE FUNCTION @extschema@.l4_report_iterations(job_id text, suspects text[], most int DEFAULT 120)
RETURNS TABLE (bin int, first_iteration bigint, last_iteration bigint, distance double precision, threshold double precision,
	unusual boolean, last boolean, source text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 120
BEGIN ATOMIC
	WITH score AS (
		SELECT d.*, t.source,
			(row_number() OVER (ORDER BY d.iteration) - 1) * LEAST(l4_report_iterations.most, count(*) OVER ())
				/ count(*) OVER () AS bin,
			avg(d.mean_distance) OVER () + 3 * stddev_pop(d.mean_distance) OVER () AS threshold
		FROM (SELECT (@extschema@.l4_limits_in_force()).onset_stream_bytes AS most) l
		-- as for the findings of iterations that run unlike the others
		CROSS JOIN LATERAL @extschema@.l4_telling_stream(l4_report_iterations.job_id, l4_report_iterations.suspects[1],
			l.most) t
		CROSS JOIN LATERAL @extschema@.l4_iteration_scores(l4_report_iterations.job_id, t.stream_id) d
	)
	SELECT s.bin::int, min(s.iteration), max(s.iteration), max(s.mean_distance), min(s.threshold),
		bool_or(s.unusual), bool_or(s.last), min(s.source)
	FROM score s
	GROUP BY s.bin;
END;
COMMENT ON FUNCTION @extschema@.l4_report_iterations(text, text[], int) IS
'Step: Distances of the iterations of the stream that tells most of them, rather the first suspect''s (l4_telling_stream, '
'as for the iteration findings), in at most so many bins: the largest mean distance to the ten before, the paper''s '
'threshold (mean and three standard deviations), whether one is unusual by the robust rule, whether the last is in it. '
'Reads that stream''s file.';

CREATE FUNCTION @extschema@.l4_report_context(job_id text, findings @extschema@.l4_finding[], most int DEFAULT 10)
RETURNS TABLE (place int, told_by text, source text, line_no bigint, part int, quoted boolean, raw text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 50
BEGIN ATOMIC
	WITH quote AS (
		-- the lines that findings quote, what tells most first: the beginning of each kind, then the rest
		SELECT f.kind, f.kind || ' ' || f.ordinal AS name, q.quote ->> 'source' AS source,
			(q.quote -> 'line_no')::bigint AS line_no,
			row_number() OVER (ORDER BY q.number > 2, f.ordinal,
				array_position(ARRAY['node', 'fault', 'event', 'stage'], f.kind), q.number) AS turn
		FROM unnest(l4_report_context.findings) f,
			LATERAL jsonb_array_elements(f.facts -> 'quotes') WITH ORDINALITY q (quote, number)
		WHERE f.ordinal <= CASE f.kind WHEN 'stage' THEN 1 WHEN 'event' THEN 5 ELSE 3 END
	),
	wanted AS MATERIALIZED (
		SELECT s.source_id, q.source, q.line_no, min(q.turn) AS turn, array_agg(q.name ORDER BY q.turn) AS names,
			array_agg(q.kind ORDER BY q.turn) AS kinds
		FROM quote q
		JOIN @extschema@.l4_job_streams(l4_report_context.job_id) s ON s.source = q.source AND s.label IS NULL
		GROUP BY s.source_id, q.source, q.line_no
		ORDER BY 4 LIMIT 3 * l4_report_context.most
	),
	record AS MATERIALIZED (
		SELECT g.source_id, r.line_no, r.part, r.raw,
			row_number() OVER (PARTITION BY g.source_id ORDER BY r.line_no, r.part) AS number
		FROM @extschema@.l4_job_segments(l4_report_context.job_id, ARRAY(SELECT w.source_id FROM wanted w)) g
		CROSS JOIN LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r
		WHERE EXISTS (SELECT FROM wanted w
			WHERE w.source_id = g.source_id AND w.line_no BETWEEN g.first_line - 30 AND g.last_line + 30)
	),
	target AS (
		-- the record a line is of; several records may begin on it
		SELECT n.source_id, n.source, n.number, min(n.turn) AS turn,
			string_agg(n.name, ', ' ORDER BY n.turn) AS names
		FROM (SELECT DISTINCT ON (w.source_id, r.number, n.name) w.source_id, w.source, r.number, w.turn, n.name, n.kind,
				dense_rank() OVER (PARTITION BY n.name ORDER BY w.turn) AS again
			FROM wanted w
			CROSS JOIN LATERAL (SELECT r.number FROM record r WHERE r.source_id = w.source_id AND r.line_no <= w.line_no
				ORDER BY r.number DESC LIMIT 1) r
			CROSS JOIN LATERAL unnest(w.names, w.kinds) n (name, kind)
			ORDER BY w.source_id, r.number, n.name, w.turn) n
		GROUP BY n.source_id, n.source, n.number
		-- one place a finding, but the pieces of evidence against a node differ
		HAVING bool_or(n.again <= CASE n.kind WHEN 'node' THEN 3 ELSE 1 END)
		ORDER BY 4 LIMIT l4_report_context.most
	)
	SELECT (dense_rank() OVER (ORDER BY t.turn))::int, t.names, t.source, r.line_no, r.part, r.number = t.number, r.raw
	FROM target t
	JOIN record r ON r.source_id = t.source_id AND r.number BETWEEN t.number - 3 AND t.number + 2;
END;
COMMENT ON FUNCTION @extschema@.l4_report_context(text, @extschema@.l4_finding[], int) IS
'Step: The records that findings quote (at most so many places), each with three records before and two after it in its '
'file. told_by: the findings that quote it. Opens the segments that hold these lines.';

CREATE FUNCTION @extschema@.l4_report_resembling(job_id text, findings @extschema@.l4_finding[], most int DEFAULT 3)
RETURNS TABLE (place bigint, similar_job_id text, score double precision, told text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 3
BEGIN ATOMIC
	SELECT row_number() OVER (ORDER BY r.score DESC, r.similar_job_id COLLATE "C"), r.similar_job_id, r.score,
		format('%s (%s %% alike)%s%s.', r.similar_job_id, round(100 * r.score),
			COALESCE(': ' || rtrim(COALESCE(r.root_cause,
				NULLIF(concat_ws('/', r.root_cause_category, r.root_cause_subtype), '')), '.'), ': no report says why'),
			COALESCE('; fix: ' || rtrim(r.fix, '.'), ''))
	FROM @extschema@.l4_resembling_failures(l4_report_resembling.job_id, l4_report_resembling.findings, true,
		l4_report_resembling.most) r
	WHERE r.score >= 0.4;
END;
COMMENT ON FUNCTION @extschema@.l4_report_resembling(text, @extschema@.l4_finding[], int) IS
'Step: Failures of the past whose saved diagnoses are like this one (a score of at least 0.4, see l4_similar_failures), '
'most alike first, with what their reports say.';
