-- The rings of rings.sh in the current database, whose jobs all succeeded. Expects most: how many are allowed.
SET client_min_messages = warning;
SET search_path = public;
SET jit = off;
SET work_mem = '64MB';
\pset footer off

CREATE TABLE bench_text AS
SELECT t.job_id, t.message, row_number() OVER (PARTITION BY t.job_id ORDER BY t.message COLLATE "C") AS number
FROM (SELECT DISTINCT l.job_id, l.message FROM l4_log l) t;
CREATE TABLE bench_match AS
WITH library AS (
	SELECT array_agg(f.fault_key) AS keys, array_agg(f.pattern) AS patterns FROM l4_fault f WHERE f.builtin AND f.pattern <> ''
), hit AS MATERIALIZED (
	SELECT t.job_id, t.number, m.key, f.role
	FROM (SELECT job_id, array_agg(message ORDER BY number) AS texts FROM bench_text GROUP BY job_id) j
	CROSS JOIN library p
	CROSS JOIN LATERAL l4_match_patterns(p.keys, p.patterns, j.texts) m
	JOIN bench_text t ON t.job_id = j.job_id AND t.number = m.subject
	JOIN l4_fault f ON f.fault_key = m.key
	WHERE NOT m.gave_up
)
SELECT h.job_id, h.key AS fault_key, h.role, min(t.message COLLATE "C") AS message
FROM hit h JOIN bench_text t ON t.job_id = h.job_id AND t.number = h.number
WHERE h.role <> 'benign'
	AND NOT EXISTS (SELECT FROM hit b WHERE b.job_id = h.job_id AND b.number = h.number AND b.role = 'benign')
GROUP BY 1, 2, 3;
CREATE TABLE bench_ring AS
SELECT j.job_id, m.fault_key, m.role, m.message
FROM l4_job j
CROSS JOIN LATERAL (SELECT ARRAY(SELECT u FROM l4_unexplained(j.job_id, false) u) AS news OFFSET 0) n
CROSS JOIN LATERAL l4_match_faults(j.job_id, n.news || ARRAY(SELECT a FROM l4_asked_records(j.job_id, false, n.news,
	l4_limits_in_force(), l4_wordings_in_force()) a)) m
WHERE j.status = 'succeeded';

\echo 'Built-in patterns on successful jobs, no pool'
SELECT (SELECT count(*) FROM l4_fault WHERE builtin AND pattern <> '') AS patterns,
	(SELECT count(*) FROM l4_job WHERE status = 'succeeded') AS jobs, (SELECT count(*) FROM bench_text) AS texts,
	(SELECT count(*) FROM bench_match) AS matches, (SELECT count(DISTINCT job_id) FROM bench_match) AS match_jobs,
	count(*) AS rings, count(DISTINCT job_id) AS ring_jobs, count(*) FILTER (WHERE role = 'root') AS of_causes
FROM bench_ring;
\echo 'Each ring'
SELECT job_id, fault_key, role, left(regexp_replace(message, '\s+', ' ', 'g'), 180) AS text
FROM bench_ring ORDER BY fault_key COLLATE "C", job_id COLLATE "C";
\echo 'What matches, whether it rings or not'
SELECT m.fault_key, m.role, count(*) AS jobs, count(r.job_id) AS rings,
	min(left(regexp_replace(m.message, '\s+', ' ', 'g'), 140) COLLATE "C") AS text
FROM bench_match m LEFT JOIN bench_ring r USING (job_id, fault_key) GROUP BY 1, 2 ORDER BY jobs DESC, m.fault_key COLLATE "C";
SELECT count(*) > :most AS too_many FROM bench_ring \gset
\if :too_many
DO $$ BEGIN RAISE EXCEPTION 'too many rings'; END $$;
\endif
