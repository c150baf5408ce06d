/*
 * ablation.sql: prints bench_variant (rows of l4_evaluate for each variant), then makes jobs of which 30 % of the nodes failed,
 * and diagnoses them.
 */
\pset footer off
\pset null ''
SET client_min_messages = warning;
SET search_path = public;
SET jit = off;

CREATE TEMP VIEW variant AS
	SELECT turn, variant, ROW(job_id, method, seconds, events_hit, events_reported, events_true, label_recall, missed_events,
		false_events, nodes_at_fault, first_hit, top1, top3, top5,
		top8, blamed, stage, stage_right, iterations, iteration_right,
		node_confidences, nodes_right)::l4_evaluation AS evaluation, job_id,
		first_hit, top1, blamed
	FROM bench_variant;
CREATE FUNCTION pg_temp.total(evaluations l4_evaluation[], OUT jobs bigint, OUT event_p numeric, OUT event_r numeric,
	OUT event_f1 numeric, OUT label_r numeric, OUT local_jobs bigint, OUT top1 numeric,
	OUT top3 numeric, OUT top5 numeric, OUT blamed numeric, OUT stage numeric, OUT iteration numeric)
LANGUAGE sql AS $$
	SELECT s.jobs, round(s.event_precision::numeric, 3), round(s.event_recall::numeric, 3), round(s.event_f1::numeric, 3),
		round(s.label_recall::numeric, 3), s.local_jobs, round(s.top1::numeric, 3), round(s.top3::numeric, 3),
		round(s.top5::numeric, 3), round(s.blamed::numeric, 2), round(s.stage::numeric, 3), round(s.iteration::numeric, 3)
	FROM l4_summarize_evaluation(evaluations) s
$$;

\echo 'Nodes, each kind of evidence switched off in turn, then each alone.'
\echo 'changed: jobs whose first node at fault moves, or in which other nodes are blamed.'
SELECT regexp_replace(v.variant, '^1 ', '') AS variant, t.top1, t.top3, t.top5, t.blamed, t.stage, t.iteration,
	CASE WHEN v.variant NOT LIKE '%nothing but%'
		THEN (SELECT string_agg(o.job_id || ' ' || coalesce(o.first_hit::text, o.blamed::text, '-') || '>'
			|| coalesce(n.first_hit::text, n.blamed::text, '-'), ', ' ORDER BY o.job_id COLLATE "C")
		FROM variant o JOIN variant n ON n.variant = v.variant AND n.job_id = o.job_id
		WHERE o.turn = 0 AND (o.first_hit, o.blamed) IS DISTINCT FROM (n.first_hit, n.blamed)) END AS changed
FROM (SELECT turn, variant, array_agg(evaluation) AS evaluations FROM variant WHERE turn = 0 OR variant LIKE '1 %' GROUP BY 1,
	2) v, pg_temp.total(v.evaluations) t
ORDER BY v.turn;

\echo 'Events, each kind of news beyond new statements switched off in turn; the pool shrunk, off, and of another family:'
SELECT regexp_replace(v.variant, '^[23] ', '') AS variant, t.*
FROM (SELECT turn, variant, array_agg(evaluation) AS evaluations FROM variant WHERE turn = 0 OR variant ~ '^[23] ' GROUP BY 1,
	2) v, pg_temp.total(v.evaluations) t
ORDER BY v.turn;

\echo 'Silent failures by a cut of network or power, with the whole pool, one successful job, and none:'
SELECT regexp_replace(v.variant, '^3 ', '') AS variant, v.faults, t.*
FROM (SELECT v.turn, v.variant, array_agg(v.evaluation) AS evaluations, string_agg(DISTINCT b.job ->> 'fault', ', ') AS faults
	FROM variant v JOIN bench_job b ON b.job ->> 'job_id' = v.job_id
	WHERE b.job ->> 'fault' ~ :'cut' AND (v.turn = 0 OR v.variant IN ('3 pool of 1', '3 pool of 0')) GROUP BY 1, 2) v,
	pg_temp.total(v.evaluations) t
ORDER BY v.turn;

-- 30 % of the nodes fail as one did. The victims are spread evenly over the other nodes.
CREATE TEMP TABLE many AS
	SELECT b.job ->> 'job_id' AS job_id, (b.job ->> 'job_id') || '+30%' AS copy, b.job ->> 'fault' AS fault, j.nodes,
		b.job -> 'faulty_nodes' ->> 0 AS faulty,
		ceil(0.3 * cardinality(j.nodes))::int AS failing
	FROM bench_job b JOIN l4_job j ON j.job_id = b.job ->> 'job_id'
	WHERE b.job ->> 'fault' ~ :'killed' AND jsonb_array_length(b.job -> 'faulty_nodes') = 1 AND cardinality(j.nodes) >= 6
		AND EXISTS (SELECT FROM l4_label l WHERE l.job_id = j.job_id)
		AND EXISTS (SELECT FROM l4_stream s WHERE s.job_id = j.job_id AND s.node = b.job -> 'faulty_nodes' ->> 0
			AND s.label IS NULL);
CREATE TEMP TABLE victim AS
	SELECT m.copy, m.job_id, m.faulty, o.node
	FROM many m CROSS JOIN LATERAL (
		SELECT u.node, row_number() OVER (ORDER BY u.place) - 1 AS turn, count(*) OVER () AS others
		FROM unnest(m.nodes) WITH ORDINALITY u (node, place) WHERE u.node <> m.faulty) o
	WHERE o.turn * (m.failing - 1) / o.others <> (o.turn - 1) * (m.failing - 1) / o.others OR o.turn = 0;
CREATE TEMP TABLE pair AS
	-- the streams of a victim beside those of the faulty node that hold the same kind of log
	SELECT v.copy, v.job_id, t.stream_id AS victim, t.source_id AS victim_source, f.stream_id AS origin,
		f.source_id AS origin_source
	FROM victim v
		CROSS JOIN LATERAL (SELECT s.*, row_number() OVER (PARTITION BY s.kind ORDER BY s.source COLLATE "C") AS turn
			FROM l4_stream s WHERE s.job_id = v.job_id AND s.node = v.node) t
		JOIN LATERAL (SELECT s.*, row_number() OVER (PARTITION BY s.kind ORDER BY s.source COLLATE "C") AS turn FROM l4_stream s
			WHERE s.job_id = v.job_id AND s.node = v.faulty) f
			ON f.kind = t.kind AND f.turn = t.turn;

-- The content of stream a in the place of stream b, for any table with job_id: all columns but those named in "kept".
CREATE FUNCTION pg_temp.copy_rows(what regclass, kept text, from_rows text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	columns text := (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = what
		AND attnum > 0 AND NOT attisdropped);
BEGIN
	EXECUTE format('INSERT INTO %s (%s) SELECT %s FROM (%s) r, LATERAL jsonb_populate_record(r.old, %s) n', what, columns,
		(SELECT string_agg('n.' || quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = what
			AND attnum > 0 AND NOT attisdropped), from_rows, kept);
END $$;
SELECT pg_temp.copy_rows('l4_job', 'r.new',
	'SELECT j AS old, jsonb_build_object(''job_id'', m.copy) AS new FROM many m JOIN l4_job j USING (job_id)') \g /dev/null
SELECT pg_temp.copy_rows('l4_timeline', 'r.new',
	'SELECT j AS old, jsonb_build_object(''job_id'', m.copy) AS new FROM many m JOIN l4_timeline j USING (job_id)') \g /dev/null
SELECT pg_temp.copy_rows('l4_address', 'r.new',
	'SELECT j AS old, jsonb_build_object(''job_id'', m.copy) AS new FROM many m JOIN l4_address j USING (job_id)') \g /dev/null
-- a stream keeps its name and place and takes over counts and times
SELECT pg_temp.copy_rows('l4_stream', 'r.new', $$SELECT coalesce(o, s) AS old,
	jsonb_build_object('job_id', m.copy, 'stream_id', s.stream_id, 'source_id', s.source_id,
	'file_id', s.file_id, 'source', s.source, 'label', s.label, 'kind', s.kind, 'node', s.node, 'rank', s.rank) AS new
	FROM many m JOIN l4_stream s USING (job_id) LEFT JOIN pair p ON p.copy = m.copy AND p.victim = s.stream_id
	LEFT JOIN l4_stream o ON o.job_id = m.job_id AND o.stream_id = p.origin$$) \g /dev/null
SELECT pg_temp.copy_rows('l4_segment', 'r.new', $$SELECT g AS old, jsonb_build_object('job_id', m.copy) AS new FROM many m
	JOIN l4_segment g USING (job_id)
	WHERE NOT EXISTS (SELECT FROM pair p WHERE p.copy = m.copy AND p.victim_source = g.source_id)$$) \g /dev/null
SELECT pg_temp.copy_rows('l4_segment', 'r.new', $$SELECT g AS old,
	jsonb_build_object('job_id', p.copy, 'source_id', p.victim_source,
	'stream_ids', array_replace(g.stream_ids, p.origin, p.victim)) AS new FROM pair p JOIN l4_segment g ON g.job_id = p.job_id
	AND g.source_id = p.origin_source$$) \g /dev/null
-- counts are packed by source
INSERT INTO l4_source_counts
SELECT r.copy, s.source_id, count(*), l4_pack_counts(array_agg(r.stream_id), array_agg(r.shape_id), array_agg(r.occurrences),
	array_agg(r.first_line), array_agg(r.last_line), array_agg(r.first_ts), array_agg(r.last_ts),
	array_agg(r.first_iteration), array_agg(r.last_iteration), array_agg(r.level), array_agg(r.component), array_agg(r.stage))
FROM (SELECT m.copy, e.* FROM many m JOIN l4_stream_event e USING (job_id)
		WHERE NOT EXISTS (SELECT FROM pair p WHERE p.copy = m.copy AND p.victim = e.stream_id)
	UNION ALL
	SELECT p.copy, p.victim, e.shape_id, e.occurrences, e.first_line, e.last_line, e.first_ts, e.last_ts, e.first_iteration,
		e.last_iteration, e.job_id, e.level, e.component, e.stage
	FROM pair p JOIN l4_stream_event e ON e.job_id = p.job_id AND e.stream_id = p.origin) r
JOIN l4_stream s ON s.job_id = r.copy AND s.stream_id = r.stream_id
GROUP BY r.copy, s.source_id;
-- the sketches of parameters name their streams inside: those of the nodes made to fail are left out
SELECT pg_temp.copy_rows('l4_parameter_sketch', 'r.new', $$SELECT k AS old, jsonb_build_object('job_id', m.copy) AS new
	FROM many m JOIN l4_parameter_sketch k USING (job_id)
	WHERE NOT EXISTS (SELECT FROM pair p WHERE p.copy = m.copy AND p.victim_source = k.source_id)$$) \g /dev/null

\echo '30 % of the nodes fail at once (copies, see ablation.sh).'
\echo 'first: is the first node named one that failed; found: failed nodes named; wrong: others named'
CREATE TEMP TABLE told AS
	SELECT m.job_id, m.fault, cardinality(m.nodes) AS nodes, m.failing, d.ordinal, d.node, d.node = m.faulty
		OR d.node IN (SELECT v.node FROM victim v WHERE v.copy = m.copy) AS failed
	FROM many m LEFT JOIN LATERAL (SELECT * FROM l4_diagnose(m.copy) d WHERE d.kind = 'node') d ON true;
SELECT job_id, fault, nodes, failing, bool_or(failed) FILTER (WHERE ordinal = 1) IS TRUE AS first,
	count(*) FILTER (WHERE failed) AS found, count(*) FILTER (WHERE NOT failed) AS wrong
FROM told GROUP BY 1, 2, 3, 4 ORDER BY job_id COLLATE "C";
SELECT count(*) AS jobs, round(avg(first::int), 3) AS top1, round(sum(found)::numeric / sum(failing), 3) AS found_share,
	round(sum(found)::numeric / nullif(sum(found + wrong), 0), 3) AS right_share
FROM (SELECT job_id, failing, bool_or(failed) FILTER (WHERE ordinal = 1) IS TRUE AS first,
	count(*) FILTER (WHERE failed) AS found, count(*) FILTER (WHERE NOT failed) AS wrong FROM told GROUP BY 1, 2) t;
