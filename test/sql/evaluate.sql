-- Labels, l4_evaluate and l4_explain_event on the small made-up jobs of the test "diagnose": one rank killed, and a bug that
-- hits all alike.
\getenv abs_srcdir PG_ABS_SRCDIR
SET client_min_messages = warning;
SET timezone = 'UTC';
\set folder :abs_srcdir '/data/diagnose/'
\set ok1 :folder 'ok-1'
\set ok2 :folder 'ok-2'
\set killed :folder 'killed'
\set bug :folder 'bug'
\set settings '{"model": "m-7", "framework": "f 1.0"}'
SELECT l4_register_job('ok-1', :'settings', 'succeeded', '{node-a,node-b,node-c,node-d}', 1) \g /dev/null
CALL l4_import('ok-1', :'ok1');
SELECT l4_register_job('ok-2', :'settings', 'succeeded', '{node-a,node-b,node-c,node-d}', 1) \g /dev/null
CALL l4_import('ok-2', :'ok2');
SELECT l4_register_job('killed', :'settings', 'failed', '{node-a,node-b,node-c,node-d}', 1) \g /dev/null
CALL l4_import('killed', :'killed');
SELECT l4_register_job('bug', :'settings', 'failed', '{node-a,node-b,node-c,node-d}', 1) \g /dev/null
CALL l4_import('bug', :'bug');

-- globs are matched on the whole path
SELECT path, glob, l4_glob_matches(path, glob)
FROM (VALUES ('node-a/rank-0.log', '*/rank-*.log'), ('node-a/rank-0.log', 'rank-*.log'), ('a/b/c.log', '*.log'),
	('a.log', '?.log'),
	('ab.log', '?.log'), ('a+(b).log', 'a+(b).log'), ('axlog', 'a.log'), ('n1.log', 'n[0-4].log'), ('n7.log', 'n[!0-4].log'),
	('n[1', 'n[1'), (E'a\\b', E'a\\b')) v (path, glob);

-- labels are checked
\set VERBOSITY terse
INSERT INTO l4_label (job_id, label_no, kind) VALUES ('killed', 1, 'event');
INSERT INTO l4_label (job_id, label_no, kind, pattern, node) VALUES ('killed', 1, 'event', 'x', 'node-b');
INSERT INTO l4_label (job_id, label_no, kind, stage) VALUES ('killed', 1, 'stage', 'lunch');
\set VERBOSITY default

-- what there is to be found
SELECT DISTINCT source, regexp_replace(split_part(raw, E'\n', 1), '\d\d:\d\d:\d\d[.,]?\d*', 'TIME') AS line
FROM l4_log WHERE job_id = 'killed' AND level IN ('error', 'fatal') ORDER BY 1, 2;
INSERT INTO l4_label (job_id, label_no, kind, role, source_glob, pattern, node, stage, iteration) VALUES
	('killed', 1, 'event', 'effect', '*/rank-*.log', 'connection closed by rank \d', NULL, NULL, NULL),
	('killed', 2, 'event', 'root', NULL, 'no line has this', NULL, NULL, NULL),
	('killed', 3, 'node', NULL, NULL, NULL, (SELECT node FROM l4_diagnose('killed') WHERE kind = 'node' AND ordinal = 1), NULL,
		NULL),
	('killed', 4, 'stage', NULL, NULL, NULL, NULL, 'iterating', NULL),
	('bug', 1, 'event', 'root', '*', 'Error', NULL, NULL, NULL),
	('bug', 2, 'event', 'neutral', NULL, '^Traceback|^  File', NULL, NULL, NULL),
	('bug', 3, 'node', NULL, NULL, NULL, NULL, NULL, NULL),
	('bug', 4, 'stage', NULL, NULL, NULL, NULL, 'data_load', NULL),
	('bug', 5, 'iteration', NULL, NULL, NULL, NULL, NULL, 7);

SELECT job_id, method, events_hit, events_reported, events_true, round(label_recall::numeric, 2) AS label_recall,
	cardinality(missed_events) AS missed, cardinality(false_events) AS false,
	nodes_at_fault, first_hit, top1, top3, top8, blamed, stage, stage_right, cardinality(iterations) <= 3 AS few,
	iteration_right
FROM l4_evaluate() ORDER BY job_id COLLATE "C", method COLLATE "C";
SELECT method, jobs, round(event_precision::numeric, 3) AS p, round(event_recall::numeric, 3) AS r,
	round(event_f1::numeric, 3) AS f1, local_jobs, top1, alike_jobs, blamed, stage_jobs, stage,
	iteration_jobs, iteration, max_seconds > 0 AS timed
FROM l4_evaluate_summary();
-- some jobs, one method, without the pool; labels by a query: only those columns that matter
SELECT job_id, method, events_hit, events_reported, events_true, blamed FROM l4_evaluate('{bug}', '{l4}', use_pool => false);
SELECT job_id, events_true, events_hit, nodes_at_fault
FROM l4_evaluate(methods => '{l4}', labels => $$SELECT job_id, 1 AS label_no, 'event' AS kind, 'Error' AS pattern, 9 AS other
	FROM public.l4_job WHERE job_id = 'bug'$$);
-- every figure adds up: a job judged by labels that are all its own lines has a recall of what is reported, and nothing false
SELECT events_reported, events_hit, events_true, count_events, label_recall
FROM l4_evaluate('{killed}', '{l4}', labels => $$SELECT 'killed' AS job_id, 1 AS label_no, 'event' AS kind, '' AS pattern$$) e,
	(SELECT count(DISTINCT event_id) AS count_events FROM l4_log WHERE job_id = 'killed') c;
-- no labels, no rows; the summary of no rows is empty
SELECT count(*) FROM l4_evaluate(labels => 'SELECT 1 WHERE false');
SELECT count(*) FROM l4_summarize_evaluation('{}');
-- it reads only
BEGIN READ ONLY;
SELECT count(*) FROM l4_evaluate('{bug}', '{Error_time}');
COMMIT;

-- errors
\set SHOW_CONTEXT never
SELECT * FROM l4_evaluate('{killed,ok-1}');
SELECT * FROM l4_evaluate('{bug}', '{guess}');
SELECT * FROM l4_evaluate(labels => $$SELECT 'gone' AS job_id, 1 AS label_no, 'node' AS kind$$);
SELECT * FROM l4_evaluate(labels => 'DELETE FROM public.l4_label RETURNING *');
SELECT * FROM l4_evaluate('{bug}', '{l4}', labels => $$SELECT 'bug' AS job_id, 1 AS label_no, 'event' AS kind,
	'(' AS pattern$$);

-- why an event is reported: the rows of all events reported say so, in a sentence, with a line that is there
CREATE TEMP TABLE reported AS SELECT x.*
	FROM (SELECT event_id FROM l4_diagnose('killed') WHERE kind = 'event') d, l4_explain_event('killed', d.event_id) x;
SELECT reason, count(*) FROM reported GROUP BY reason ORDER BY reason;
SELECT * FROM reported x WHERE x.news IS NOT TRUE OR x.explanation NOT LIKE 'Reported: %compared with 2 successful jobs%.'
	OR NOT EXISTS (SELECT FROM l4_log l WHERE l.job_id = 'killed' AND x.quote LIKE l.source || ':' || l.line_no || ': %');
-- why the others are not
CREATE TEMP TABLE left_out AS SELECT x.*
	FROM (SELECT DISTINCT event_id FROM l4_log WHERE job_id = 'killed' EXCEPT SELECT event_id FROM l4_diagnose('killed')
		WHERE kind = 'event') d, l4_explain_event('killed', d.event_id) x;
SELECT pool_size, count(*) FROM left_out GROUP BY pool_size;
SELECT * FROM left_out WHERE news OR explanation NOT LIKE 'Left out: %.' OR occurrences < max_per_stream;
SELECT DISTINCT regexp_replace(x.explanation, '\d+', 'N', 'g') AS explanation
FROM (SELECT DISTINCT event_id FROM l4_log WHERE job_id = 'killed') d, l4_explain_event('killed', d.event_id) x
WHERE NOT x.news ORDER BY 1;
-- without the pool, and for a job of the pool itself
SELECT DISTINCT x.news, regexp_replace(x.explanation, '\d+', 'N', 'g') AS explanation
FROM (SELECT DISTINCT event_id FROM l4_log WHERE job_id = 'bug') d, l4_explain_event('bug', d.event_id, use_pool => false) x
ORDER BY 1, 2;
SELECT bool_or(x.news) AS news, max(x.pool_size) AS pool_size, max(x.pool_jobs) AS pool_jobs
FROM (SELECT DISTINCT event_id FROM l4_log WHERE job_id = 'ok-1') d, l4_explain_event('ok-1', d.event_id) x;
-- errors
SELECT * FROM l4_explain_event('nobody', 1);
SELECT * FROM l4_explain_event('killed', 1);
SELECT l4_register_job('empty', :'settings', 'failed') \g /dev/null
SELECT * FROM l4_explain_event('empty', 1);
\set VERBOSITY terse
DO $$ BEGIN
	PERFORM l4_explain_event('ok-1', (SELECT event_id FROM l4_diagnose('bug') WHERE kind = 'event' AND ordinal = 1));
EXCEPTION WHEN no_data_found THEN
	RAISE WARNING '%', regexp_replace(SQLERRM, '-?\d{6,}', 'N');
END $$;
-- nothing is left for the tests that follow
TRUNCATE l4_job, l4_stream, l4_segment, l4_source_counts, l4_parameter_sketch, l4_timeline, l4_pool, l4_pool_job,
l4_pool_job_event, l4_pool_job_parameter, l4_pool_event, l4_pool_parameter,
	l4_address, l4_shape, l4_event, l4_finding, l4_label;
