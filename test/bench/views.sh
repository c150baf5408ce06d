#!/bin/bash
# views.sh: time of each BI view over generated summaries of 1,000 jobs (64 nodes and 512 ranks each, a third of them failed,
# two saved diagnoses and a report a failed job, 20 pools; of every fifth the nodes are known from the logs alone). The bar:
# every view below 1 second, the best of three. Connects by the PG* variables to a database that has the extension, empty of
# jobs. Exits with 1 if a bar is missed.
set -euo pipefail
JOBS=${JOBS:-1000}
output=$(psql -XqAt -v ON_ERROR_STOP=1 -v jobs="$JOBS" <<'SQL'
SET client_min_messages = warning;
SELECT setseed(0.5) \g /dev/null
INSERT INTO l4_job (job_id, settings, status, nodes, ranks_per_node, started_at, ended_at, registered_at)
SELECT 'job-' || i, jsonb_build_object('model', 'model-' || i % 20, 'framework', 'framework-' || i % 2, 'seed', i),
	CASE WHEN i % 3 = 0 THEN 'failed' ELSE 'succeeded' END,
	ARRAY(SELECT 'node-' || lpad(((i * 7 + n) % 2048)::text, 4, '0') FROM generate_series(0, 63) n), 8,
	'2026-01-01'::timestamptz + i * interval '6 hours', '2026-01-01'::timestamptz + i * interval '6 hours' + (1 + i % 17)
		* interval '1 hour', '2026-01-01'::timestamptz + i * interval '6 hours'
FROM generate_series(1, :jobs) i;
INSERT INTO l4_stream (job_id, stream_id, source_id, file_id, source, kind, node, rank, byte_count, line_count, record_count,
	first_ts, last_ts, last_stage, last_iteration, imported_at)
SELECT j.job_id, r, r, r, format('%s/rank-%s.log', j.nodes[r / 8 + 1], r), 'rank', j.nodes[r / 8 + 1], r, 1000000, 10000, 10000,
	j.started_at, j.ended_at, 'iterating', 1000,
	j.ended_at + interval '10 minutes'
FROM l4_job j, generate_series(0, 511) r;
INSERT INTO l4_shape (shape_id, shape, event_id) SELECT i,
	format('statement %s of the program <*> %s', i, CASE WHEN i % 20 = 0 THEN 'failed' ELSE 'done' END), i / 2
	FROM generate_series(1, 4000) i;
INSERT INTO l4_event (event_id, template) SELECT DISTINCT ON (event_id) event_id, shape
FROM l4_shape ORDER BY event_id, shape_id;
INSERT INTO l4_pool (pool_id, settings, job_count)
SELECT l4_pool_id(settings), settings, count(*)
FROM (SELECT l4_pool_settings(settings) AS settings FROM l4_job WHERE status = 'succeeded') j GROUP BY settings;
INSERT INTO l4_pool_job (pool_id, job_id, stream_count) SELECT l4_pool_id(l4_pool_settings(settings)), job_id, 512
FROM l4_job WHERE status = 'succeeded';
INSERT INTO l4_pool_event (pool_id, shape_id, event_id, job_count, occurrences, max_per_stream, mean_per_stream,
	max_stream_share, stream_share)
SELECT p.pool_id, h.shape_id, h.event_id, p.job_count, 1000 + h.shape_id, 10, 5, 1, 1
FROM l4_pool p, l4_shape h WHERE h.shape_id % 2 = p.pool_id & 1;
INSERT INTO l4_finding (job_id, saved_at, kind, ordinal, score, node, rank, stage, iteration, event_id, template, first_seen,
	occurrences, nodes_affected, evidence, explanation, fault_key, root_cause, fix)
SELECT j.job_id, j.ended_at + d * interval '20 minutes', k.kind, o, 10.0 / o, CASE WHEN k.kind IN ('node', 'event')
	THEN j.nodes[(o * 5 + length(j.job_id)) % 64 + 1] END, NULL,
	CASE k.kind WHEN 'stage' THEN 'iterating' END, CASE k.kind WHEN 'iteration' THEN 990 + o END, CASE k.kind WHEN 'event'
		THEN o END, CASE k.kind WHEN 'event' THEN 'statement <*>' END,
	j.ended_at - interval '1 minute', 10, 1, repeat('node-0001/rank-1.log:1: text ', 10), repeat('why ', 30),
	CASE k.kind WHEN 'fault' THEN f.fault_key END, f.root_cause, f.fix
FROM (SELECT *, row_number() OVER (ORDER BY job_id) AS turn FROM l4_job WHERE status = 'failed') j,
	generate_series(1, 2) d, (VALUES ('fault', 3), ('event', 15), ('node', 4), ('stage', 2), ('iteration', 3)) k (kind, n),
	generate_series(1, k.n) o,
	LATERAL (SELECT * FROM (SELECT *, row_number() OVER (ORDER BY fault_key) AS turn FROM l4_fault) f
		WHERE f.turn = (j.turn + o) % 150 + 1) f;
INSERT INTO l4_diagnosis (job_id, saved_at, version, pool_jobs, records, findings, verdict, restart_action, restart_advice,
	began_at, last_save_at)
SELECT j.job_id, j.ended_at + d * interval '20 minutes', '1', 30, 5120000, 27, repeat('why ', 20), 'replace', 'Replace it',
	j.ended_at - interval '1 minute', j.ended_at - interval '30 minutes'
FROM l4_job j, generate_series(1, 2) d WHERE j.status = 'failed';
INSERT INTO l4_failure_report (job_id, symptom, root_cause_category, root_cause_subtype, faulty_nodes, reported_at, resolved_at)
SELECT job_id, 'training crash', (ARRAY['hardware', 'user', 'framework', 'platform'])[1 + length(job_id) % 4], 'network',
	nodes[1:1], ended_at + interval '1 hour',
	CASE WHEN random() < 0.7 THEN ended_at + interval '5 hours' END FROM l4_job WHERE status = 'failed';
-- of every fifth job the scheduler told no nodes
UPDATE l4_job SET nodes = NULL WHERE substr(job_id, 5)::int % 5 = 0;
VACUUM ANALYZE;
CREATE TEMP TABLE took (view_name text, rows bigint, seconds float8);
DO $$
DECLARE
	name text;
	started timestamptz;
	n bigint;
BEGIN
	-- all but those over the records of jobs
	FOR name IN SELECT relname FROM pg_class WHERE relkind = 'v' AND relname LIKE 'l4\_%'
		AND relname NOT IN ('l4_log', 'l4_stream_parameter') ORDER BY relname LOOP
		FOR turn IN 1..3 LOOP
			started := clock_timestamp();
			-- every column is computed, no row travels
			EXECUTE format('SELECT count(v::text) FROM %I v', name) INTO n;
			INSERT INTO took VALUES (name, n, extract(epoch FROM clock_timestamp() - started));
		END LOOP;
	END LOOP;
END
$$;
SELECT format('%s %s rows  %s s  %s', rpad(view_name, 22), lpad(max(rows)::text, 6), round(min(seconds)::numeric, 3),
	CASE WHEN min(seconds) < 1 THEN 'pass' ELSE 'FAIL' END)
FROM took GROUP BY view_name ORDER BY min(seconds) DESC;
SQL
)
echo "$output"
! grep -q FAIL <<< "$output"
