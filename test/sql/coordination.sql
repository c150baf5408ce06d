-- A coordination service in one of the processes: whom its records name as tasks of JAX, what they and the others say of the
-- service itself, and what the pool tells of jobs of another size. Five nodes of one rank.
CREATE SCHEMA coordination;
SET search_path = coordination, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, rank int, at numeric, line text);
-- pace: seconds of step s
CREATE FUNCTION make_job(job text, nodes int, pace text, drawn text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO line SELECT job, r, 0.5, 'INFO connecting to the rendezvous service, allocation ' || drawn
	FROM generate_series(0, nodes - 1) r;
	EXECUTE format($q$INSERT INTO line
		SELECT %L, r, e.at + r * 0.001, format('INFO step %%s loss %%s', e.s, round(9 - e.s * 0.01, 2))
		FROM (SELECT s, 1 + sum(%s) OVER (ORDER BY s) AS at FROM generate_series(1, 40) s) e, generate_series(0, %s) r$q$,
		job, pace, nodes - 1);
END $$;
CREATE FUNCTION load_job(job text, nodes int, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{"model": "coordination"}', status,
		ARRAY(SELECT 'n' || r FROM generate_series(0, nodes - 1) r), 1);
	RETURN (l4_ingest(job, format($q$
		SELECT to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS') || ' ' || line AS line,
			'n' || rank AS node, rank, 'train' AS source
		FROM line WHERE job = %L ORDER BY at, rank, line COLLATE "C"$q$, job))).rows;
END $$;
SELECT make_job('small' || i, 5, '0.4', '0006609' || i), load_job('small' || i, 5, 'succeeded') FROM generate_series(1, 3) i
\g /dev/null

\echo == who is told of as a task of JAX is meant, not who leads; a warning of the rendezvous service begins no new rendezvous
SELECT make_job('lost', 5, '0.4', '70024e8e') \g /dev/null
INSERT INTO line SELECT 'lost', r, 18, 'WARNING failed to send a heartbeat to the rendezvous service'
FROM generate_series(1, 4) r;
INSERT INTO line VALUES
	('lost', 0, 19, 'ERROR task /job:trainer/replica:0/task:3 has stopped sending heartbeats, process is unhealthy');
INSERT INTO line SELECT 'lost', r, 19.1 + r * 0.001,
	'ERROR cannot go on: task /job:trainer/replica:0/task:3 is unhealthy, coordinator=n0:8476' FROM unnest('{1,2,4}'::int[]) r;
SELECT load_job('lost', 5) \g /dev/null
SELECT a.unit, a.name, a.accuser FROM l4_accusations('lost') a ORDER BY a.accuser COLLATE "C", a.unit COLLATE "C";
SELECT d.kind, d.node, d.stage FROM l4_diagnose('lost') d WHERE d.kind IN ('node', 'stage') AND d.ordinal = 1 ORDER BY 1;
SELECT DISTINCT s.last_stage FROM l4_stream s WHERE s.job_id = 'lost' AND s.rank = 1;
\echo == a digest is no number, however it reads
SELECT count(*) AS ranges FROM l4_unexplained('lost') n WHERE n.reason = 'range';
\echo == how long steps take in jobs of another size says nothing where there are some of this one
SELECT make_job('large' || i, 8, '1.5', '0006609' || i), load_job('large' || i, 8, 'succeeded') FROM generate_series(1, 3) i
\g /dev/null
SELECT make_job('slow', 5, 'CASE WHEN s > 15 THEN 1.2 ELSE 0.4 END', '00066094'), load_job('slow', 5) \g /dev/null
SELECT p.job_id, p.node_count, round(p.step_seconds::numeric, 1) AS step_seconds FROM l4_pool_job p
WHERE p.job_id ~ '^(small|large)1$' ORDER BY 1;
SELECT d.iteration, d.explanation FROM l4_diagnose('slow') d WHERE d.kind = 'slow';
-- nothing is left for other tests
SELECT l4_delete_job(j) FROM (SELECT DISTINCT job FROM line) d (j) \g /dev/null
DROP SCHEMA coordination CASCADE;
