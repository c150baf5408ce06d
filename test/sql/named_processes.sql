-- By which names processes go, and whose lines those of a shared file are: names that processes have for themselves, numbers in
-- headers, labels with an @, clocks without a date; who has a wrong address for another one; and where a rank stood that fails
-- as it starts. Five nodes.
CREATE SCHEMA named_processes;
SET search_path = named_processes, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, node int, source text, at numeric, line text);
-- {t}: date and time; {c}: time of day; {p}: what a launcher writes before each line in the file of all, or nothing
CREATE FUNCTION load_job(job text, prefix text DEFAULT '', status text DEFAULT 'failed', ranks_per_node int DEFAULT 1)
RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', status, '{node-0,node-1,node-2,node-3,node-4}', ranks_per_node);
	RETURN (l4_ingest(job, format($q$
		SELECT replace(replace(replace(line, '{p}', format(%L, 'node-' || node)),
				'{t}', to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS.MS')),
				'{c}', to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'HH24:MI:SS')) AS line,
			CASE WHEN source ~ '^_' THEN NULL ELSE 'node-' || node END AS node,
			CASE WHEN source ~ '^_' THEN source ELSE 'node-' || node || '/' || source END AS source
		FROM line WHERE job = %L ORDER BY at, node, source, line COLLATE "C"$q$, prefix, job))).rows;
END $$;
CREATE FUNCTION told(job text) RETURNS TABLE (kind text, node text, rank int, stage text, iteration bigint, told text)
LANGUAGE sql AS $$
	SELECT d.kind, d.node, d.rank, d.stage, d.iteration, left(d.explanation, 150) FROM l4_diagnose(job) d
	WHERE d.kind = 'node' OR d.kind IN ('stage', 'iteration') AND d.ordinal = 1 ORDER BY d.kind, d.ordinal
$$;
CREATE FUNCTION streams(job text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(' ', s.label, s.kind, 'rank ' || s.rank, s.unit), ', ' ORDER BY s.label COLLATE "C")
	FROM l4_job_streams(job) s WHERE s.label IS NOT NULL
$$;

\echo == processes that call themselves by a name: a complaint that uses it accuses their node; the hub is not blamed for it
INSERT INTO line
SELECT 'names', n, 'out.log', s * 2 + n * 0.01,
	format('{t} [trainer%s] INFO step %s of 90 took %s ms', n, s, 100 + (s * 7 + n) % 11)
FROM generate_series(1, 20) s, generate_series(0, 4) n WHERE s < 13 OR n <> 3;
INSERT INTO line VALUES ('names', 0, 'out.log', 45, '{t} [trainer0] WARNING step 21 is open, no gradient from trainer3');
INSERT INTO line SELECT 'names', n, 'out.log', 50 + n * 0.01, format('{t} [trainer%s] ERROR gave up waiting for the mean', n)
FROM unnest('{0,1,2,4}'::int[]) n;
INSERT INTO line SELECT 'named_well', l.node, l.source, l.at, l.line FROM line l WHERE l.job = 'names' AND l.line ~ 'INFO';
SELECT load_job('named_well', status => 'succeeded'), load_job('names') \g /dev/null
SELECT a.address, a.node FROM l4_address a WHERE a.job_id = 'names' ORDER BY a.address;
SELECT a.accuser, a.unit, a.name FROM l4_accusations('names') a;
SELECT kind, node, told FROM told('names') WHERE kind = 'node';
\echo == a name that is said as often of a neighbour is of nobody
INSERT INTO line
SELECT 'pairs', n, 'out.log', s * 2 + n * 0.01, format('{t} INFO peer%s to peer%s: %s', n, (n + 1) % 5, s * 7 % 90)
FROM generate_series(1, 20) s, generate_series(0, 4) n;
SELECT load_job('pairs') \g /dev/null
SELECT count(*) AS names FROM l4_address a WHERE a.job_id = 'pairs';

\echo == one looks for another at an address that nobody has: it is set up differently, and the other is not accused by it
INSERT INTO line
SELECT 'astray', n, 'out.log', 1, format('{t} INFO rank %s of 5 on node-%s', n, n) FROM generate_series(0, 4) n
UNION ALL SELECT 'astray', NULL, '_controller/controller.log', 0.1, format('{t} INFO node-%s (10.7.0.%s) is here', n, n + 20)
FROM generate_series(0, 4) n
UNION ALL VALUES ('astray', 1, 'out.log', 9, '{t} ERROR connect to node-2 (10.7.0.99:5200) failed: timed out'),
	('astray', 2, 'out.log', 9.5, '{t} ERROR no connection from node-1 within 8 s');
INSERT INTO line SELECT 'astray', n, 'out.log', 10 + n * 0.01, '{t} ERROR the ring is not closed' FROM generate_series(0, 4) n;
SELECT load_job('astray') \g /dev/null
SELECT a.accuser, a.unit, a.name FROM l4_accusations('astray') a;
SELECT e.unit, e.numbers, l4_evidence_sentence(e) AS told FROM l4_node_evidence('astray') e WHERE e.kind = 'setup';

\echo == all panic alike, the first is missed by the others before they do; and where it panics of something else
INSERT INTO line
SELECT j, n, 'rank-' || n || '.log', s + n * 0.01, format('{t} INFO step %s loss 2.%s', s, 90 - s)
FROM unnest('{bug,own_bug}'::text[]) j, generate_series(1, 25) s, generate_series(0, 4) n WHERE n <> 2 OR s < 25;
INSERT INTO line
SELECT j, n, 'rank-' || n || '.log', 26 + x.at, x.line
FROM unnest('{bug,own_bug}'::text[]) j, generate_series(0, 4) n, LATERAL (VALUES
	(0.5, '{t} WARN connection lost, peer node-2:7402'),
	(CASE n WHEN 2 THEN 0 ELSE 0.6 + n * 0.01 END, CASE WHEN j = 'own_bug' AND n = 2
		THEN $$thread 'main' panicked at src/read.rs:7:14: record 17 is damaged$$
		ELSE $$thread 'main' panicked at src/schedule.rs:8:14: index out of bounds$$ END)) x (at, line)
WHERE n <> 2 OR x.at < 0.5;
SELECT load_job('bug'), load_job('own_bug') \g /dev/null
SELECT j AS job, s.node FROM unnest('{bug,own_bug}'::text[]) j LEFT JOIN LATERAL l4_suspect_nodes(j) s ON true;

\echo == numbers in headers: two processes of a host are two ranks; where each host has one, its lines stay together
INSERT INTO line
SELECT j.job, n, '_controller/job.out', s * 2 + p * 0.1 + n * 0.01, format('{p}[{t}] [prog:%s] [info] %s %s', n * j.each + p,
	CASE WHEN s = 1 THEN 'prog 1.2 is up, process' ELSE 'round' END, s)
FROM (VALUES ('two', 2), ('one', 1)) j (job, each), generate_series(1, 12) s, generate_series(0, 4) n, generate_series(0, 1) p
WHERE p < j.each;
INSERT INTO line SELECT 'two', n, '_controller/job.out', 40, '{p}./start.sh: line 9: 31 Aborted' FROM generate_series(0, 4) n;
INSERT INTO line VALUES ('two', 3, '_controller/job.out', 39, '{p}[{t}] [prog:7] [critical] cannot read /mnt/data/part-7');
SELECT load_job('two', '%s-1: bash start.sh (31): error > ', ranks_per_node => 2),
	load_job('one', '%s-1: bash start.sh (31): error > ') \g /dev/null
SELECT streams('two');
SELECT streams('one');
SELECT kind, node, rank FROM told('two') WHERE kind = 'node';
\echo == what is before the @ labels a process, what is behind it is the node
INSERT INTO line
SELECT j.job, n, '_controller/service.log', s * 2 + n * 0.01,
	format('llm_worker.%s.%s@node-%s    | {t} INFO worker{rank=%s}: round %s', n + 1, left(md5(n::text), j.drawn), n, n, s)
FROM (VALUES ('service', 25), ('truncated', 12)) j (job, drawn), generate_series(1, 8) s, generate_series(0, 4) n;
SELECT load_job('service'), load_job('truncated') \g /dev/null
SELECT s.unit, s.kind, s.rank, s.record_count FROM unnest('{service,truncated}'::text[]) j, l4_job_streams(j) s
WHERE s.label IS NOT NULL ORDER BY j, s.unit;
\echo == each mixes with another one in each step, and fails in the step that needs who is gone: these are no progress
INSERT INTO line
SELECT j, n, '_controller/service.log', s + n * 0.01,
	format('llm_worker.%s.%s@node-%s    | {t} INFO worker{rank=%s}: step %s loss 2.%s', n + 1, left(md5(n::text), 12), n, n, s,
		90 - s)
FROM unnest('{mixed,mixed_well}'::text[]) j, generate_series(1, 25) s, generate_series(0, 4) n WHERE j = 'mixed_well' OR s < 21;
INSERT INTO line
SELECT 'mixed', n, '_controller/service.log', 20.5 + e.at + n * 0.01, format('llm_worker.%s.%s@node-%s    | %s', n + 1,
	left(md5(n::text), 12), n, replace(e.line, '?', CASE WHEN e.at < 0.3 THEN 3 ELSE (n + 1) % 5 END::text))
FROM generate_series(0, 4) n, LATERAL (VALUES (0, '{t} WARN connection to node-?:740? is lost'),
	(0.3 + n * 0.1, format('Error: step %s: cannot mix with worker ?', 22 + n)),
	(0.31 + n * 0.1, '    0: node-?:740? is gone')) e (at, line)
WHERE n <> 3;
SELECT load_job('mixed_well', status => 'succeeded'), load_job('mixed') \g /dev/null
SELECT u.unit, left(h.shape, 40) AS shape, u.gravity FROM l4_unexplained('mixed') u JOIN l4_shape h USING (shape_id)
ORDER BY u.unit, u.first_line;
SELECT kind, node, told FROM told('mixed') WHERE kind = 'node';
\echo == numbers that end with those of nodes are no ranks where nodes run several
INSERT INTO line
SELECT j, n, '_controller/job.out', s * 2 + n * 0.01, format('{p}a%s said round %s', n, s)
FROM unnest('{several,single}'::text[]) j, generate_series(1, 12) s, generate_series(0, 4) n;
SELECT load_job('several', '%s: ', ranks_per_node => 2), load_job('single', '%s: ') \g /dev/null
SELECT streams('several');
SELECT streams('single');

\echo == times of day alone, and a date further on
INSERT INTO line
SELECT 'clock', n, 'out.log', 0, '== started at 2026/11/20 21:59:59' FROM generate_series(0, 4) n
UNION ALL SELECT 'clock', n, 'out.log', s + n, format('{c} trainer.1 | INFO step %s', s) FROM generate_series(1, 6) s,
	generate_series(0, 4) n;
SELECT load_job('clock') \g /dev/null
SELECT s.unit, s.label, min(s.first_ts) AS first_ts, max(s.last_ts) AS last_ts FROM l4_job_streams('clock') s
WHERE s.unit IN ('node-0', 'node-4') GROUP BY s.unit, s.label ORDER BY 1, 2;

\echo == a rank that said that something is done fails in what the others went on with
INSERT INTO line
SELECT j.job, n, 'rank-' || n || '.log', x.at + n * 0.01, x.line
FROM (VALUES ('next'), ('still')) j (job), generate_series(0, 4) n, LATERAL (VALUES
	(1, '{t} INFO rank is up'), (2, CASE j.job WHEN 'next' THEN '{t} INFO Loaded dataset with 560 sentences'
		ELSE '{t} INFO Loading dataset with 560 sentences' END),
	(4, '{t} INFO building model with 24 layers'), (5, '{t} INFO model has 2920 parameters')) x (at, line)
WHERE n <> 2 OR x.at < 3;
INSERT INTO line SELECT j, 2, 'rank-2.log', 3, '{t} FATAL unexpected end of file, 12 of 48 values'
FROM unnest('{next,still}'::text[]) j;
SELECT load_job('next'), load_job('still') \g /dev/null
SELECT j AS job, t.kind, t.node, t.stage FROM unnest('{next,still}'::text[]) j, told(j) t WHERE t.kind = 'stage';
\echo == in the file of all, without a stamp, what others said before it tells how far a rank was
INSERT INTO line
SELECT 'order', n, '_controller/job.out', s + n * 0.01, format('{p}step %s/90 loss 2.%s', s, 90 - s)
FROM generate_series(2, 26, 2) s, generate_series(0, 4) n WHERE n = 0 OR s % 10 = 0;
INSERT INTO line VALUES ('order', 3, '_controller/job.out', 27, '{p}FATAL record 328 is damaged');
SELECT load_job('order', '%s: ') \g /dev/null
SELECT kind, node, stage, iteration FROM told('order') WHERE kind = 'iteration';
\echo == tries that are counted are no progress
INSERT INTO line
SELECT 'tries', n, '_controller/job.out', s + n * 0.01, format('{p}not connected yet to node-3 (attempt %s)', s)
FROM generate_series(1, 20) s, generate_series(0, 4) n;
SELECT load_job('tries', '%s: ') \g /dev/null
SELECT count(*) AS iterations FROM told('tries') WHERE kind = 'iteration' AND iteration IS NOT NULL;

\echo == what is measured all the time changed, nobody knows whether before the failure: not what came first
INSERT INTO line
SELECT j, n, 'syslog', s * 5 + n * 0.1, format('{t} INFO watch: sockets open=%s resets=%s', s % 3,
	CASE WHEN j = 'measured' AND s = 3 AND n = 1 THEN 1 ELSE 0 END)
FROM unnest('{measured,fine,fine2,fine3}'::text[]) j, generate_series(0, 4) s, generate_series(0, 4) n
UNION ALL SELECT j, n, 'rank-' || n || '.log', s + n * 0.01, format('step %s loss 2.%s', s, 90 - s)
FROM unnest('{measured,fine,fine2,fine3}'::text[]) j, generate_series(1, 20) s, generate_series(0, 4) n;
INSERT INTO line SELECT 'measured', n, 'rank-' || n || '.log', 21, 'ERROR test failed: bad key 40' FROM generate_series(0, 4) n;
SELECT load_job(j, status => 'succeeded') FROM unnest('{fine,fine2,fine3}'::text[]) j \g /dev/null
SELECT load_job('measured') \g /dev/null
SELECT e.unit, e.kind, e.numbers FROM l4_node_evidence('measured') e WHERE e.kind IN ('first', 'own');
SELECT count(*) AS blamed FROM told('measured') WHERE kind = 'node';

\echo == values that are names, of all shapes and of some, are those that l4_sketch_parameters shows
CREATE TABLE kept AS SELECT k.job_id, k.sketch, w.shapes
FROM l4_parameter_sketch k, (SELECT NULL::bigint[] UNION ALL SELECT array_agg(shape_id) FROM l4_shape WHERE shape_id % 2 = 0)
	w (shapes)
WHERE k.job_id IN (SELECT job FROM line);
SELECT count(*) > 0 AS any, count(*) FILTER (WHERE n.stream_id IS NULL OR p.stream_id IS NULL) AS differences
FROM (SELECT k.job_id, k.shapes, n.stream_id, n.name, a.* FROM kept k, l4_sketch_names(k.sketch, k.shapes) n,
	unnest(n.shape_ids, n.positions, n.occurrences) a (shape_id, position, occurrences)) n
FULL JOIN (SELECT k.job_id, k.shapes, p.stream_id, p.shape_id, p.position, p.occurrences, p.values[1] AS name
	FROM kept k, l4_sketch_parameters(k.sketch) p WHERE (k.shapes IS NULL OR p.shape_id = ANY (k.shapes))
		AND p.distinct_values = 1 AND p.values[1] ~ '^[A-Za-z][A-Za-z_]{2,}[-.:/]?[0-9]{1,6}$') p
	ON n.job_id = p.job_id AND n.shapes IS NOT DISTINCT FROM p.shapes AND (n.stream_id, n.shape_id, n.position, n.occurrences,
		n.name) = (p.stream_id, p.shape_id, p.position, p.occurrences, p.name);

SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
DROP SCHEMA named_processes CASCADE;
