-- A driver's log that gathers what actors say, as Ray's does: a record may stand for those of several; what is announced stands
-- in the next record; and files that are called after what was drawn for a process are of no node of that name.
CREATE SCHEMA actors;
SET search_path = actors, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, source text, turn serial, line text);
CREATE FUNCTION load_job(job text, status text, host text DEFAULT 'gpu-') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{"model": "actors"}', status, ARRAY(SELECT host || n FROM generate_series(1, 3) n), 1);
	RETURN (l4_ingest(job, format('SELECT line, source FROM actors.line WHERE job = %L ORDER BY source, turn', job))).rows;
END $$;
-- what an actor and the driver log of it; {n}: the node
CREATE FUNCTION say(job text, node int, says text, file text DEFAULT NULL, driver text DEFAULT NULL) RETURNS void
LANGUAGE sql AS $$
	INSERT INTO line (job, source, line)
	SELECT job, format('gpu-%s/logs/worker-%s-01000000-%s.err', node, left(repeat(md5(node::text), 2), 56), 70 + node),
		coalesce(file, says) WHERE coalesce(file, says) <> ''
	UNION ALL
	SELECT job, '_controller/logs/driver.log', format(E'\x1b[36m(TrainWorker pid=%s, ip=10.7.0.%s)\x1b[0m %s', 70 + node, node,
		coalesce(driver, says)) WHERE coalesce(driver, says) <> ''
$$;
CREATE FUNCTION begin_job(job text, steps int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line (job, source, line) VALUES (job, '_controller/logs/driver.log',
		'2026-11-20 10:00:00,100	INFO worker.py:1821 -- Connecting to existing cluster at address: 10.7.0.9:6379...');
	INSERT INTO line (job, source, line) SELECT job, format('gpu-%s/logs/agent.log', n),
		format('2026-11-20 10:00:00,%s	INFO node.py:31 -- Node 10.7.0.%s is up, node name gpu-%s', 200 + n, n, n)
	FROM generate_series(1, 3) n;
	SELECT say(job, 1, format('2026-11-20 10:00:%s INFO step %s of 20, loss %s', lpad((9 + s)::text, 2, '0'), s, 3 - s * 0.1))
	FROM generate_series(1, steps) s;
	INSERT INTO line (job, source, line) VALUES (job, '_controller/logs/worker-' || left(repeat(md5('c'), 2), 56)
		|| '-01000000-40.err', '2026-11-20 10:00:02,000	INFO controller.py:21 -- Worker group of size 3 is started');
$$;
SELECT begin_job(j, CASE j WHEN 'well' THEN 20 ELSE 8 END) FROM unnest('{well,well2,bug,reset}'::text[]) j \g /dev/null
-- the same bug on all nodes; the driver's log has one line of theirs, in the name of one of them
SELECT say('bug', n, 'Error in training function:', '2026-11-20 10:00:30 ERROR Error in training function:',
	CASE n WHEN 3 THEN E'Error in training function:\x1b[32m [repeated 2x across cluster]\x1b[0m' ELSE '' END)
FROM generate_series(1, 3) n \g /dev/null
SELECT say('bug', n, l, NULL, CASE WHEN n <> 2 THEN '' END) FROM generate_series(1, 3) n,
	unnest(ARRAY['Traceback (most recent call last):', '  File "/app/train.py", line 189, in train_loop',
		'    accuracy.update(logits)', 'AttributeError: ''Accuracy'' object has no attribute ''updat'''])
	WITH ORDINALITY x (l, i)
ORDER BY n, i \g /dev/null
-- one is gone, and the others lose it
SELECT say('reset', n, 'Error in training function:') FROM generate_series(1, 2) n \g /dev/null
SELECT say('reset', n, l) FROM generate_series(1, 2) n, unnest(ARRAY['Traceback (most recent call last):',
	'  File "/app/train.py", line 120, in train_loop', '    loss.backward()',
	'RuntimeError: [./gloo/transport/tcp/pair.cc:525] Read error [10.7.0.3]:56756: Connection reset by peer'])
	WITH ORDINALITY x (l, i) ORDER BY n, i \g /dev/null
SELECT load_job('well', 'succeeded'), load_job('well2', 'succeeded'), load_job('bug', 'failed'), load_job('reset', 'failed');

\echo == a drawn name is no node
SELECT s.node, s.kind, regexp_replace(s.source, '[0-9a-f]{56}', '...') AS source FROM l4_job_streams('bug') s
ORDER BY s.source COLLATE "C", s.node;
\echo == nobody is to blame for what all fail of, whomever the driver names; and who is gone is not excused
SELECT j, d.kind, d.node, d.role, split_part(d.evidence, E'\n', 1) LIKE '%repeated%' AS repeated
FROM unnest('{bug,reset}'::text[]) j, l4_diagnose(j) d WHERE d.kind = 'node' OR d.kind = 'fault' AND d.ordinal = 1
ORDER BY 1, 2;

\echo == nodes that are called by an address of their own are meant by those of another network
INSERT INTO line (job, source, line) SELECT 'numbers', replace(source, 'gpu-', '10.1.0.'), replace(line, 'gpu-', '10.1.0.')
FROM line WHERE job = 'reset' ORDER BY turn;
SELECT load_job('numbers', 'failed', '10.1.0.') \g /dev/null
SELECT s.node, count(*) AS streams FROM l4_job_streams('numbers') s WHERE s.source LIKE '%driver.log' GROUP BY 1 ORDER BY 1;
SELECT d.node FROM l4_diagnose('numbers') d WHERE d.kind = 'node';

SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
DROP SCHEMA actors CASCADE;
