-- One file of a batch job: its ranks' lines behind node and rank, the launcher's words about how each of them ended between
-- them, and the scheduler's accounting beside. Five nodes of one rank.
CREATE SCHEMA shared_ends;
SET search_path = shared_ends, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, source text, turn serial, line text);
-- rank -1: the launcher
CREATE FUNCTION says(job text, rank int, said text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line (job, source, line)
	SELECT says.job, '_controller/train.out', string_agg(CASE WHEN rank < 0 THEN '' ELSE format('n%s %s: ', rank, rank) END
		|| l.line, E'\n' ORDER BY l.turn)
	FROM string_to_table(says.said, E'\n') WITH ORDINALITY l (line, turn)
$$;
CREATE FUNCTION make_job(job text, steps int DEFAULT 30, word text DEFAULT 'step') RETURNS void LANGUAGE sql AS $$
	SELECT says(job, r, '2026-11-20 22:00:00,10' || r || ' INFO setting up the process group, rank ' || r || ' of 5')
	FROM generate_series(0, 4) r;
	SELECT says(job, 0, '2026-11-20 22:00:01,000 INFO loading the model');
	SELECT says(job, 0, format('2026-11-20 22:00:%s,000 INFO %s %s of 30 loss %s', lpad((s + 1)::text, 2, '0'), word, s,
		round(9 - s * 0.1, 2)))
	FROM generate_series(1, steps) s;
$$;
-- queue: a name of its own in the record of each job that the pool does not know
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed', code int DEFAULT 1, queue text DEFAULT 'short')
RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO line (job, source, line) VALUES (job, '_controller/accounting', format(
		'11/20/2026 22:00:40;E;77.head;user=ann queue=%s session=87 end=1795708845 Exit_status=%s walltime=00:00:43',
		queue, code));
	PERFORM l4_register_job(job, '{"model": "a"}', status, '{n0,n1,n2,n3,n4}', 1);
	RETURN (l4_ingest(job, format('SELECT line, source FROM line WHERE job = %L ORDER BY source, turn', job))).rows;
END $$;
CREATE FUNCTION told(job text) RETURNS TABLE (kind text, "ordinal" int, node text, stage text, iteration bigint)
LANGUAGE sql AS $$
	SELECT d.kind, d.ordinal, d.node, d.stage, d.iteration FROM l4_diagnose(job) d
	WHERE d.kind IN ('node', 'stage', 'iteration') AND d.ordinal = 1 ORDER BY d.kind
$$;
CREATE FUNCTION failure(error text) RETURNS text LANGUAGE sql AS $$
	SELECT E'Traceback (most recent call last):\n  File "train.py", line 9, in main\n    run()\n' || error
$$;
SELECT make_job('ok' || i), load_job('ok' || i, 'succeeded', 0, 'short') FROM generate_series(1, 3) i \g /dev/null

\echo == of who was killed and who was then told to end the launcher says the same, but for the signal: the first is meant
SELECT make_job('killed', 12), says('killed', -1, 'n2: rank 2 died from signal 9'),
	says('killed', 1, failure('RuntimeError: Connection reset by peer')),
	says('killed', 3, failure('RuntimeError: Connection reset by peer')),
	says('killed', 4, failure('RuntimeError: Connection reset by peer')),
	says('killed', -1, E'n3: rank 3 died from signal 15\nn0: rank 0 died from signal 15\nn1: rank 1 died from signal 15'),
	load_job('killed', code => 137) \g /dev/null
SELECT * FROM told('killed');
SELECT e.unit, e.kind, round(e.part::numeric, 2) AS part FROM l4_node_evidence('killed') e
WHERE e.kind IN ('named', 'quiet') ORDER BY 1, 2;
\echo == how a job ended is compared by its name, whatever else the record has
SELECT left(d.evidence, 80) AS evidence FROM l4_diagnose('killed') d
WHERE kind = 'event' AND evidence ~ 'Exit_status' ORDER BY 1;
SELECT make_job('other_queue', 12), says('other_queue', -1, 'n2: rank 2 died from signal 9'),
	load_job('other_queue', code => 137, queue => 'a7') \g /dev/null
SELECT (n).reason, (n).numbers FROM (SELECT l4_unexplained('other_queue') n OFFSET 0) u WHERE (n).source ~ 'accounting';
\echo == what all say that have one cause belongs to it: two nodes of a stage read one file
SELECT make_job('cut', 0), says('cut', r, format('WARNING could not load the checkpoint /dfs/ck/stage_1.pt on rank %s', r)
		|| E'\n' || failure('RuntimeError: failed reading zip archive: /dfs/ck/stage_1.pt'))
FROM generate_series(2, 3) r \g /dev/null
SELECT load_job('cut') \g /dev/null
SELECT count(*) AS nodes FROM l4_diagnose('cut') WHERE kind = 'node';
SELECT * FROM told('cut');
\echo == a heading says nothing of what failed, what stands below it does
SELECT make_job('heading', 0), says('heading', 2, E'ERROR in training function:\n'
	|| failure('RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory')),
	load_job('heading') \g /dev/null
SELECT * FROM told('heading') WHERE kind = 'stage';
\echo == a scheduler that ends a job at its limit blames nobody
SELECT make_job('limit', 20), says('limit', -1, '=>> PBS: job killed: walltime 62 exceeded limit 60'),
	says('limit', -1, E'n2: rank 2 died from signal 15\nn0: rank 0 died from signal 15'),
	load_job('limit', code => 271) \g /dev/null
SELECT count(*) AS nodes FROM l4_diagnose('limit') WHERE kind = 'node';
\echo == times of a file go on where the stream that tells of most of them has ended
SELECT says('clock', -1, format('2026-11-20 22:00:00,%s INFO slot %s', 10 + i, i)) FROM generate_series(1, 9) i \g /dev/null
SELECT make_job('clock', 4) \g /dev/null
SELECT load_job('clock') \g /dev/null
SELECT unnest(c.lines) AS line, unnest(c.times) AS at FROM l4_source_clocks('clock', l4_limits_in_force()) c;
\echo == the first of whom a launcher says that it was killed, where all others say that they were told to end before it is said
SELECT make_job('told', 12) \g /dev/null
SELECT says('told', -1, E'srun: error: n3: task 3: Killed\nsrun: Terminating StepId=7.0'),
	(SELECT count(*) FROM generate_series(0, 4) r,
		LATERAL says('told', r, '2026-11-20 22:00:20,00' || r || ' WARNING Received 15 death signal, shutting down workers')
		WHERE r <> 3) \g /dev/null
SELECT says('told', -1, format('srun: error: n%s: task %s: Killed', r, r)) FROM unnest('{4,1,0,2}'::int[]) r \g /dev/null
SELECT load_job('told', code => 137) \g /dev/null
SELECT e.unit, e.kind, round(e.part::numeric, 2) AS part FROM l4_node_evidence('told') e WHERE e.kind = 'named' ORDER BY 1, 2;
\echo == a node whose daemon says no more is not silent where another of its logs goes on; a number that names is no measure
CREATE FUNCTION add_nodes(job text, agent_until int, machine int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line (job, source, line)
	SELECT job, 'n' || n || '/slurmd.log', '[2026-11-20T22:00:01.00' || n || '] launch task StepId=7.0 request from UID:0'
	FROM generate_series(0, 4) n UNION ALL
	SELECT job, 'n' || n || '/slurmd.log', '[2026-11-20T22:00:39.00' || n || '] [7.0] done with step'
	FROM generate_series(0, 4) n WHERE n <> 2 UNION ALL
	SELECT job, 'n' || n || '/agent.log', format('2026-11-20 22:00:%s,00%s INFO agent machine_id %s sees %s sockets',
		lpad(s::text, 2, '0'), n, machine + n * 1000, s % 3)
	FROM generate_series(0, 4) n, generate_series(2, 38, 9) s WHERE n <> 2 OR s <= agent_until
$$;
SELECT make_job(j), add_nodes(j, 38, 99000000) FROM unnest('{with1,with2}'::text[]) j \g /dev/null
SELECT load_job(j, 'succeeded', 0, 'nodes') FROM unnest('{with1,with2}'::text[]) j \g /dev/null
SELECT make_job(j.job, 25), add_nodes(j.job, j.until, 4000), load_job(j.job, queue => 'nodes')
FROM (VALUES ('goes_on', 38), ('stops', 4)) j (job, until) \g /dev/null
SELECT j.job, e.unit, e.kind FROM unnest('{goes_on,stops}'::text[]) j (job)
CROSS JOIN LATERAL l4_node_evidence(j.job) e WHERE e.kind = 'silent' ORDER BY 1, 2;
SELECT count(*) AS machines FROM l4_unexplained('goes_on') n WHERE n.reason = 'range';
-- nothing is left for other tests
SELECT l4_delete_job(j) FROM (SELECT DISTINCT job FROM line) d (j) \g /dev/null
DROP SCHEMA shared_ends CASCADE;
