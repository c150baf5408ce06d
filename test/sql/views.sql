-- The views for BI, over a handful of jobs. In a database of its own: they tell of all jobs there are.
SELECT current_database() AS here \gset
SET client_min_messages = warning;
DROP DATABASE IF EXISTS l4_views;
CREATE DATABASE l4_views TEMPLATE template0;
\c l4_views
CREATE EXTENSION l4;
\pset null -
SET client_min_messages = warning;
SET timezone = 'UTC';
INSERT INTO l4_job (job_id, settings, status, nodes, ranks_per_node, started_at, ended_at, registered_at, owner) VALUES
	('a', '{"model": "m", "framework": "f"}', 'failed', '{n1,n2}', 8, '2026-03-02 10:00+00', '2026-03-02 12:00+00',
		'2026-03-02 10:00+00', 'x'),
	('b', '{"model": "m", "framework": "f"}', 'failed', '{n1,n3}', 8, '2026-03-03 10:00+00', '2026-03-03 13:00+00',
		'2026-03-03 10:00+00', 'x'),
	('c', '{"model": "m", "framework": "g"}', 'failed', NULL, NULL, NULL, NULL, '2026-03-10 10:00+00', 'y'),
	('d', '{"model": "m", "framework": "f"}', 'succeeded', '{n1}', 8, '2026-03-04 10:00+00', '2026-03-04 11:00+00',
		'2026-03-04 10:00+00', 'x');
INSERT INTO l4_stream (job_id, stream_id, source_id, file_id, source, label, kind, node, rank, state, byte_count, record_count,
	first_ts, last_ts, last_iteration, imported_at) VALUES
	('a', 1, 1, 1, 'n1/rank-0.log', NULL, 'rank', 'n1', 0, 'imported', 100, 10, '2026-03-02 10:01+00', '2026-03-02 11:59+00', 7,
		'2026-03-02 12:10+00'),
	('c', 1, 1, 1, 'n9/rank-0.log', NULL, 'rank', 'n9', 0, 'imported', 100, 10, '2026-03-10 10:00+00', '2026-03-10 10:30+00', 3,
		'2026-03-10 10:40+00'),
	('c', 2, 2, 2, 'n9/rank-1.log', NULL, 'rank', 'n9', 1, 'failed', 50, 5, '1970-01-01 00:00+00', '2026-03-10 10:20+00', 4,
		'2026-03-10 10:40+00');
INSERT INTO l4_finding (job_id, saved_at, kind, ordinal, score, node, stage, iteration, event_id, template, first_seen,
	occurrences, nodes_affected, explanation, fault_key, root_cause, fix) VALUES
	('a', '2026-03-02 12:20+00', 'node', 1, 5, 'n2', NULL, NULL, NULL, NULL, NULL, NULL, 1, 'older', NULL, NULL, NULL),
	('a', '2026-03-02 12:30+00', 'node', 1, 9, 'n1', NULL, NULL, NULL, NULL, NULL, NULL, 1, 'newer', NULL, NULL, NULL),
	('a', '2026-03-02 12:30+00', 'node', 2, 2, 'n2', NULL, NULL, NULL, NULL, NULL, NULL, 1, 'newer', NULL, NULL, NULL),
	('a', '2026-03-02 12:30+00', 'fault', 1, 4, 'n1', NULL, NULL, 1, 't', '2026-03-02 11:58+00', 3, 1, 'known', 'nic_link_down',
		'cause', 'fix'),
	('a', '2026-03-02 12:30+00', 'event', 1, 4, 'n1', NULL, NULL, 1, 'link <*> down', NULL, 3, 1, 'event', NULL, NULL, NULL),
	('a', '2026-03-02 12:30+00', 'stage', 1, 1, NULL, 'iterating', NULL, NULL, NULL, NULL, NULL, NULL, 'stage',
		NULL, NULL, NULL),
	('a', '2026-03-02 12:30+00', 'iteration', 1, 1, NULL, 'iterating', 7, NULL, NULL, NULL, NULL, NULL, 'iteration',
		NULL, NULL, NULL),
	('b', '2026-03-03 14:00+00', 'node', 1, 9, 'n1', NULL, NULL, NULL, NULL, NULL, NULL, 1, 'again', NULL, NULL, NULL),
	('b', '2026-03-03 14:00+00', 'fault', 1, 4, NULL, NULL, NULL, 1, 't', '2026-03-03 12:58+00', 1, 2, 'known', 'cuda_oom',
		'cause', 'fix');
INSERT INTO l4_failure_report (job_id, report_id, symptom, root_cause_category, root_cause_subtype, faulty_nodes, reported_by,
	reported_at, resolved_at) VALUES
	('a', '1', 'training crash', 'hardware', 'network', '{n1}', 'x', '2026-03-02 13:00+00', '2026-03-02 15:00+00'),
	('b', '1', 'training crash', 'hardware', 'accelerator', '{n3}', 'x', '2026-03-03 13:30+00', '2026-03-03 15:00+00'),
	('b', '2', 'training crash', 'hardware', 'accelerator', NULL, 'x', '2026-03-03 16:00+00', NULL);
INSERT INTO l4_shape (shape_id, shape, event_id) VALUES (1, 'retry <*> failed', 1), (2, 'step <*> done', 2);
INSERT INTO l4_event (event_id, template) VALUES (1, 'retry <*> failed'), (2, 'step <*> done');
INSERT INTO l4_pool (pool_id, settings, job_count)
VALUES (l4_pool_id('{"model": "m", "framework": "f"}'), '{"model": "m", "framework": "f"}', 1);
INSERT INTO l4_pool_event (pool_id, shape_id, event_id, job_count, occurrences, max_per_stream, mean_per_stream,
	max_stream_share, stream_share)
SELECT pool_id, s, s, 1, 10 * s, 5, 5, 1, 1 FROM l4_pool, generate_series(1, 2) s;

SELECT job_id, status, model, framework, started_at, ended_at, nodes, ranks, files, failed_files, records, bytes, last_iteration
FROM l4_job_facts ORDER BY job_id;
SELECT job_id, saved_at, newest, kind, ordinal, node, fault_key, fault_title, fault_category, fault_severity
FROM l4_findings ORDER BY job_id, saved_at, kind, ordinal;
SELECT job_id, nodes, ranks, failed_at, diagnoses, resolved, category, subtype, cause_from, suspect_node, fault_key, event,
	stage, iteration FROM l4_failures ORDER BY job_id;
SELECT job_id, diagnosed, symptom, category, suspect_node, fault_title FROM l4_current_failures ORDER BY job_id;
SELECT * FROM l4_failures_by_cause ORDER BY week, category, subtype;
SELECT job_id, minutes_to_diagnosis, minutes_from_import_to_diagnosis, minutes_to_report, minutes_to_resolution,
	minutes_from_diagnosis_to_resolution FROM l4_failure_times ORDER BY job_id;
SELECT * FROM l4_fleet_nodes ORDER BY node;
SELECT fault_key, title, category, jobs, first_jobs, occurrences, reported_jobs, right_jobs, right_share, first_seen, last_job
FROM l4_fault_statistics WHERE jobs > 0 ORDER BY fault_key;
SELECT settings, model, framework, pool_jobs, jobs, failed_jobs, covered, shapes, events, occurrences
FROM l4_pool_coverage ORDER BY settings COLLATE "C";
INSERT INTO l4_diagnosis (job_id, saved_at, version, verdict, restart_action, restart_advice, began_at, last_save_at) VALUES
	('a', '2026-03-02 12:20+00', '1', 'older', 'fix', 'fix it', '2026-03-02 11:30+00', '2026-03-02 11:00+00'),
	('a', '2026-03-02 12:30+00', '1', 'newer', 'replace', 'replace n1', '2026-03-02 11:45+00', '2026-03-02 11:15+00');
SELECT job_id, saved_at, version, verdict, restart_action, newest, superseded_at FROM l4_diagnoses ORDER BY saved_at;
SELECT job_id, diagnosed_at, diagnoses, verdict, restart_advice FROM l4_failures ORDER BY job_id;
SELECT job_id, nodes, ranks, hours, accelerator_hours, lost_accelerator_hours, idle_accelerator_hours
FROM l4_lost_hours ORDER BY job_id;
SELECT * FROM l4_noise ORDER BY event_id;

-- A rank of 2147483647, ranks per node as many, times without end or at the ends of the calendar break nothing: no view, no
-- diagnosis, no report.
BEGIN;
SELECT l4_register_job('far', '{}', 'failed', nodes => ARRAY['n1', 'n2', 'n3'], ranks_per_node => 2147483647,
	started_at => '-infinity', ended_at => 'infinity');
SELECT l4_register_job('wide', '{}', 'failed', started_at => '4713-01-01 BC', ended_at => '294276-01-01');
INSERT INTO l4_failure_report (job_id, reported_at, resolved_at) VALUES ('far', '-infinity', 'infinity'),
	('wide', '4713-01-01 BC', '294276-01-01');
SELECT rows, sources FROM unnest(ARRAY['far', 'wide']) j,
	l4_ingest(j, $$SELECT CASE WHEN i = 49 THEN 'ERROR: CUDA error: out of memory' ELSE 'step ' || i END AS line,
	CASE i % 3 WHEN 0 THEN 0 WHEN 1 THEN 7 ELSE 2147483647 END AS rank,
	CASE i WHEN 10 THEN '0001-01-01 00:00+00' WHEN 20 THEN '9999-12-31 00:00+00' ELSE timestamptz '2026-01-01 00:00+00' + i
		* interval '1s' END AS ts FROM generate_series(1, 50) i$$);
SELECT j, (SELECT count(*) FROM l4_diagnose(j)) AS findings, f, length(l4_report(j, f)) > 500 AS reported
FROM unnest(ARRAY['far', 'wide']) j, unnest(ARRAY['text', 'markdown', 'html']) f ORDER BY j, f;
SELECT value FROM l4_report_facts('wide', '{}') WHERE name = 'Time';
SELECT job_id, l4_save_diagnosis(job_id) AS findings FROM l4_job WHERE job_id IN ('far', 'wide') ORDER BY job_id;
UPDATE l4_stream SET first_ts = '-infinity', last_ts = 'infinity' WHERE job_id = 'far' AND rank = 7;
SELECT job_id, started_at, ended_at, nodes, ranks FROM l4_job_facts WHERE job_id IN ('far', 'wide') ORDER BY job_id;
SELECT job_id, ranks, hours, accelerator_hours, lost_accelerator_hours FROM l4_lost_hours WHERE job_id IN ('far', 'wide')
ORDER BY job_id;
SELECT job_id, minutes_to_report, minutes_to_resolution FROM l4_failure_times WHERE job_id IN ('far', 'wide') ORDER BY job_id;
CREATE FUNCTION pg_temp.reads(view regclass) RETURNS boolean
	LANGUAGE plpgsql AS $$BEGIN EXECUTE format('SELECT count(v::text) FROM %s v', view); RETURN true; END$$;
SELECT count(*) > 15 AS many, bool_and(pg_temp.reads(oid)) AS readable
FROM pg_class WHERE relkind = 'v' AND relname LIKE 'l4\_%';
SELECT l4_node_of_rank(2147483647, ARRAY['a'], 1) AS one, l4_node_of_rank(2147483647, ARRAY['a'], NULL) AS unknown,
	l4_node_of_rank(2147483647, ARRAY['a'], 2147483647) AS huge,
	l4_node_of_rank(1, ARRAY['a', 'b'], 1) AS second;
SELECT count(*), max(rank) FROM l4_rank_units('far');
SELECT l4_seconds_between('2026-01-01', '2026-01-02'), l4_seconds_between('4713-01-01 BC', '294276-01-01'),
	l4_seconds_between('-infinity', 'infinity'), l4_seconds_between(NULL, 'infinity');
ROLLBACK;

-- plain scalar columns, read with the rights of the caller
SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 JOIN pg_type t ON t.oid = a.atttypid
WHERE c.relkind = 'v' AND c.relname LIKE 'l4\_%' AND c.relname <> 'l4_log'
	AND (t.typcategory IN ('A', 'C', 'P') OR a.atttypid IN ('jsonb'::regtype, 'json'::regtype, 'bytea'::regtype,
		'name'::regtype, 'numeric'::regtype))
ORDER BY c.relname COLLATE "C", a.attnum;
BEGIN;
CREATE ROLE l4_test_reader;
GRANT SELECT ON l4_failures TO l4_test_reader;
SET LOCAL ROLE l4_test_reader;
\set VERBOSITY sqlstate
SELECT count(*) FROM l4_failures;
ROLLBACK;

\c :here
DROP DATABASE l4_views;
