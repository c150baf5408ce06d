-- What tells of many jobs: nodes that fail more often than by chance, restarts, and times that strays cannot stretch. In a
-- database of its own: the views tell of all jobs there are.
SELECT current_database() AS here \gset
SET client_min_messages = warning;
DROP DATABASE IF EXISTS l4_fleet;
CREATE DATABASE l4_fleet TEMPLATE template0;
\c l4_fleet
CREATE EXTENSION l4;
\pset null -
\set VERBOSITY terse
SET client_min_messages = warning;
SET timezone = 'UTC';

-- ---------- the hypergeometric tail, against sums of exact numbers ----------

CREATE FUNCTION choose(n int, k int) RETURNS numeric LANGUAGE sql IMMUTABLE AS
	'SELECT CASE WHEN k < 0 OR k > n THEN 0 ELSE round(factorial(n) / (factorial(k) * factorial(n - k))) END';
CREATE FUNCTION exact(hits int, drawn int, marked int, total int) RETURNS double precision LANGUAGE sql IMMUTABLE AS
	'SELECT COALESCE(sum(choose(marked, k) * choose(total - marked, drawn - k)), 0) / choose(total, drawn)
	FROM generate_series(hits, least(drawn, marked)) k WHERE k >= 0';
SELECT count(*) AS cases, count(*) FILTER (WHERE abs(p - e) <= 1e-11 * e + 1e-15) AS as_exact,
	min(p) >= 0 AND max(p) <= 1 AS in_0_1
FROM (SELECT l4_hypergeometric_tail(h, d, m, t) AS p, exact(h, d, m, t) AS e
	FROM unnest(ARRAY[0, 1, 2, 7, 40, 100]) t, generate_series(0, t, 1 + t / 7) d, generate_series(0, t, 1 + t / 5) m,
		generate_series(-1, least(d, m) + 1, 1 + t / 9) h) c;
SELECT l4_hypergeometric_tail(NULL, 1, 1, 1) AS "null", l4_hypergeometric_tail(0, 0, 0, 0) AS nothing,
	round(l4_hypergeometric_tail(500100, 1000000, 500000000, 1000000000)::numeric, 4) AS large,
	l4_hypergeometric_tail(1000, 1000, 1000, 1000000000) AS never,
	l4_hypergeometric_tail(9223372036854775807, 5, 5, 10) AS too_many,
	l4_hypergeometric_tail(-9223372036854775808, 5, 5, 10) AS any;
SELECT l4_hypergeometric_tail(1, 2, 3, -1);
SELECT l4_hypergeometric_tail(1, 6, 3, 5);
SELECT l4_hypergeometric_tail(1, 2, -3, 5);
SELECT l4_hypergeometric_tail(1, 2, 3, 1000000001);

-- ---------- nodes ----------

-- 300 jobs of four nodes each out of 40. In one of eleven some node of the job is blamed, whichever; in each
-- 40th it is n07, in which all of these run.
INSERT INTO l4_job (job_id, status, nodes, started_at, ended_at, registered_at)
SELECT format('job-%s', to_char(i, 'FM000')), CASE WHEN i % 11 = 0 OR f.bad THEN 'failed' ELSE 'succeeded' END,
	ARRAY(SELECT format('n%s', to_char((i * 7 + k * 11) % 40, 'FM00')) FROM generate_series(0, 3) k),
	timestamptz '2026-03-01 00:00+00' + i * interval '2 hours', timestamptz '2026-03-01 01:00+00' + i * interval '2 hours',
	'2026-03-01'
FROM generate_series(1, 300) i, LATERAL (SELECT i % 40 = 1 AS bad) f;
INSERT INTO l4_finding (job_id, saved_at, kind, ordinal, score, node)
SELECT j.job_id, '2026-04-01 00:00+00', 'node', 1, 1, CASE WHEN 'n07' = ANY (j.nodes) THEN 'n07' ELSE
	j.nodes[1 + right(j.job_id, 3)::int / 11 % 4] END
FROM l4_job j WHERE j.status = 'failed';
SELECT node, jobs, blamed_jobs, round(expected_jobs::numeric, 2) AS expected, round(p_value::numeric, 5) AS p_value,
	round(q_value::numeric, 5) AS q_value, repeat_offender
FROM l4_fleet_nodes ORDER BY p_value, node LIMIT 4;
SELECT count(*) AS nodes, sum(blamed_jobs) AS blamed, round(sum(expected_jobs)::numeric, 6) AS expected,
	count(*) FILTER (WHERE blamed_jobs > 1) AS blamed_twice, count(*) FILTER (WHERE repeat_offender) AS offenders,
	bool_and(q_value >= p_value AND q_value <= 1) AS corrected
FROM l4_fleet_nodes;
-- q as Benjamini and Hochberg say: the least of p * nodes / place over this place and those behind it
SELECT count(*) FILTER (WHERE abs(n.q_value - h.q) > 1e-12) AS other_than_that
FROM l4_fleet_nodes n
CROSS JOIN LATERAL (
	SELECT LEAST(1, min(o.p_value * 40 / (SELECT count(*) FROM l4_fleet_nodes s WHERE s.p_value <= o.p_value))) AS q
	FROM l4_fleet_nodes o WHERE o.p_value >= n.p_value) h;
-- of a time alone; a report counts as well as a diagnosis; and a limit of the site's own
SELECT node, jobs, blamed_jobs FROM l4_worst_nodes('2026-03-04', '2026-03-12') LIMIT 1;
SELECT count(*) AS nodes, sum(jobs) AS jobs FROM l4_worst_nodes('2027-01-01');
BEGIN;
INSERT INTO l4_failure_report (job_id, faulty_nodes) SELECT 'job-' || to_char(i, 'FM000'), '{n12}'
FROM unnest('{15,55,95,135}'::int[]) i;
SELECT node, jobs, blamed_jobs, confirmed_jobs, repeat_offender FROM l4_worst_nodes() LIMIT 2;
INSERT INTO l4_limit (name, value) VALUES ('offender_rate', 0);
SELECT count(*) FILTER (WHERE repeat_offender) AS offenders FROM l4_fleet_nodes;
ROLLBACK;
DELETE FROM l4_finding;
SELECT count(*) FILTER (WHERE p_value = 1 AND q_value = 1 AND expected_jobs = 0) AS nobody_blamed FROM l4_fleet_nodes;
DELETE FROM l4_job;
SELECT count(*) AS without_jobs FROM l4_fleet_nodes;

-- ---------- restarts ----------

CREATE FUNCTION pg_temp.ran(job text, restart_of text, status text, nodes text[], start int, steps int) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', status, nodes, 1, timestamptz '2026-05-01 00:00+00' + start * interval '1 hour',
		timestamptz '2026-05-01 00:45+00' + start * interval '1 hour', restart_of => ran.restart_of);
	INSERT INTO l4_stream (job_id, stream_id, source_id, file_id, source, kind, rank, record_count, last_iteration)
	VALUES (job, 1, 1, 1, 'rank-0.log', 'rank', 0, steps, steps);
END
$$;
CREATE FUNCTION pg_temp.found(job text, node text, fault text) RETURNS int LANGUAGE sql AS $$
	INSERT INTO l4_finding (job_id, saved_at, kind, ordinal, node, fault_key, root_cause)
	SELECT job, '2026-05-02 00:00+00', k.kind, 1, k.node, k.fault,
		(SELECT f.root_cause FROM l4_fault f WHERE f.fault_key = k.fault)
	FROM (VALUES ('node', node, NULL), ('fault', NULL, fault)) k (kind, node, fault)
	WHERE COALESCE(k.node, k.fault) IS NOT NULL;
	SELECT 1
$$;
SELECT count(pg_temp.ran(j, r, s, n::text[], h, i)) FROM (VALUES
	('a', NULL, 'failed', '{n1,n2,n3}', 0, 100), ('a1', 'a', 'failed', '{n1,n2,n3}', 1, 150),
	('a2', 'a1', 'failed', '{n1,n3,n4}', 2, 900), ('a3', 'a2', 'succeeded', '{n1,n3,n4}', 3, 1000),
	('a4', 'a2', 'failed', '{n5,n6,n7}', 3, 20),
	('b', NULL, 'failed', NULL, 0, 10), ('b1', 'b', 'running', NULL, 1, 5), ('b2', 'b', 'running', NULL, 2, 50),
	('c1', 'not known to us', 'failed', '{n1}', 0, 10), ('d', NULL, 'unknown', '{n8}', 0, 10),
	('d1', 'd', 'unknown', '{n8}', 1, 10)) v (j, r, s, n, h, i);
SELECT count(pg_temp.found(j, n, f)) FROM (VALUES ('a', 'n2', 'xid_79'), ('a1', 'n2', 'nic_link_down'),
	('a2', 'n4', 'cuda_oom'), ('a4', NULL, 'enospc'), ('b', NULL, NULL)) v (j, n, f);
SELECT job_id, restart_of, first_job, turn, former_fault_key, former_suspect_node AS suspect, fault_key, minutes_between,
	nodes_kept AS kept, nodes_added AS added, nodes_dropped AS dropped, other_nodes, suspect_left_out AS left_out, outcome,
	helped
FROM l4_restarts ORDER BY job_id;
SELECT suspect_left_out, count(*), avg(helped::int)::real AS helped FROM l4_restarts GROUP BY 1 ORDER BY 1;
-- a circle, which nobody ought to write, ends
SELECT l4_register_job('d', restart_of => 'd1');
SELECT job_id, first_job, turn FROM l4_restarts WHERE job_id ~ '^d' ORDER BY job_id;
SELECT l4_register_job('a', restart_of => 'a');
SELECT l4_register_job('e', restart_of => '');
INSERT INTO l4_job (job_id, restart_of) VALUES ('e', 'e');
SELECT l4_register_job('a3', status => 'succeeded');
SELECT restart_of AS kept FROM l4_job WHERE job_id = 'a3';
SELECT job_id, restart_of, root_cause_from, root_cause IS NOT NULL AS root_cause FROM l4_failures ORDER BY job_id;
-- a report of another category than the fault's takes its root cause away; one of the same leaves it; its own words come first
INSERT INTO l4_failure_report (job_id, root_cause_category, root_cause) VALUES ('a', 'user', NULL), ('a1', 'hardware', NULL),
	('a2', 'user', 'a batch too large');
SELECT job_id, category, root_cause_from, left(root_cause, 40) AS root_cause FROM l4_failures
WHERE job_id IN ('a', 'a1', 'a2', 'a4') ORDER BY job_id;
DELETE FROM l4_failure_report;
DELETE FROM l4_finding;
DELETE FROM l4_stream;
DELETE FROM l4_job;

-- ---------- times ----------

CREATE FUNCTION pg_temp.stamped(job text, ts text, start timestamptz DEFAULT NULL, stop timestamptz DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', '{n1}', 8, start, stop);
	RETURN (SELECT rows FROM l4_ingest(job, format($i$SELECT CASE i %% 4 WHEN 0 THEN 'step ' || i WHEN 1 THEN 'loss is ' || i
		WHEN 2 THEN 'loaded shard ' || i ELSE 'saved part ' || i || ' of all' END AS line, i %% 4 AS rank, 'n1' AS node,
		%s AS ts FROM generate_series(1, 120) i, (SELECT timestamptz '2026-01-01 00:00+00' AS base) b$i$, ts)));
END
$$;
-- An hour of eight ranks, and one stamp of eight years before; one of far behind; three months; a pause of weeks; another year
-- than was registered; logs that end before the registered start; after the registered end; at the ends of the calendar.
SELECT job, pg_temp.stamped(job, ts, start, stop) AS records FROM (VALUES
	('hour', $$base + i * interval '30 s'$$, NULL::timestamptz, NULL::timestamptz),
	('before', $$CASE WHEN i = 7 THEN '2018-01-01 00:00+00' ELSE base + i * interval '30 s' END$$, NULL, NULL),
	('behind', $$CASE WHEN i = 7 THEN '9999-01-01 00:00+00' ELSE base + i * interval '30 s' END$$, NULL, NULL),
	('both', $$CASE i WHEN 7 THEN '2018-01-01 00:00+00' WHEN 8 THEN '9999-01-01 00:00+00' ELSE base + i * interval '30 s' END$$,
		NULL, NULL),
	('long', $$base + i * interval '18 hours'$$, NULL, NULL),
	('paused', $$base + i * interval '30 s' + (i - 1) / 60 * interval '21 days'$$, NULL, NULL),
	('year', $$base + i * interval '30 s'$$, '2025-01-01 00:00+00', NULL),
	('early', $$base + i * interval '30 s'$$, '2026-01-01 08:00+00', NULL),
	('late', $$base + i * interval '30 s'$$, NULL, '2025-12-31 23:00+00'),
	('registered', $$CASE WHEN i = 7 THEN '2018-01-01 00:00+00' ELSE base + i * interval '30 s' END$$,
		'2026-01-01 00:00+00', '2026-01-01 02:00+00'),
	('far', $$CASE WHEN i < 50 THEN '0001-01-01 00:00+00' ELSE '9999-01-01 00:00+00'::timestamptz END$$,
		'4713-01-01 00:00+00 BC', NULL)) v (job, ts, start, stop);
SELECT job_id, started_at, ended_at, times_clamped, first_stamp, last_stamp FROM l4_job_facts ORDER BY job_id;
SELECT job_id, round(hours::numeric, 2) AS hours, round(accelerator_hours::numeric, 1) AS accelerator_hours, times_clamped
FROM l4_lost_hours ORDER BY job_id;
-- a node's own log goes on for months
INSERT INTO l4_stream (job_id, stream_id, source_id, file_id, source, kind, node, record_count, first_ts, last_ts)
VALUES ('hour', 99, 99, 99, 'n1/kern.log', 'system', 'n1', 5, '2025-06-01 00:00+00', '2026-02-01 00:00+00');
SELECT started_at, ended_at, times_clamped FROM l4_job_facts WHERE job_id = 'hour';
UPDATE l4_stream SET job_id = 'node' WHERE kind = 'system';
SELECT l4_register_job('node');
SELECT started_at, ended_at, times_clamped FROM l4_job_facts WHERE job_id = 'node';
-- nothing began or was saved outside of the job
INSERT INTO l4_diagnosis (job_id, saved_at, version, began_at, last_save_at) VALUES
	('before', '2026-03-01', '1', '1970-01-01 00:00+00', '2026-01-01 00:30+00'),
	('behind', '2026-03-01', '1', '2026-01-01 00:45+00', '9999-01-01 00:00+00'),
	('both', '2026-03-01', '1', '2026-01-01 00:45+00', '2026-01-01 00:15+00');
SELECT job_id, round(lost_accelerator_hours::numeric, 2) AS lost, round(idle_accelerator_hours::numeric, 2) AS idle,
	times_clamped
FROM l4_lost_hours WHERE job_id IN ('before', 'behind', 'both') ORDER BY job_id;
-- the limits decide
BEGIN;
INSERT INTO l4_limit (name, value) VALUES ('job_gap', 1e12);
SELECT job_id, round(hours::numeric, 2) AS hours, times_clamped FROM l4_lost_hours
WHERE job_id IN ('before', 'year') ORDER BY job_id;
ROLLBACK;

\c :here
DROP DATABASE l4_fleet;
