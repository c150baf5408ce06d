-- One file for all ranks, with labels of several launchers on its lines and the launcher's own lines between them: where ranks
-- run is learnt from what they say, what they log is judged as in files of their own, and launchers' routine blames nobody.
CREATE SCHEMA shared_files;
SET search_path = shared_files, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, turn numeric, rank int, line text);
-- Eight ranks on four nodes, of which the ranks say so (hello: %1$s the rank, %2$s the node), and ten steps. dealt: block or
-- cyclic.
CREATE FUNCTION node_of(rank int, dealt text) RETURNS text LANGUAGE sql AS $$
	SELECT 'gpu-' || 11 + CASE dealt WHEN 'cyclic' THEN rank % 4 ELSE rank / 2 END
$$;
CREATE FUNCTION say(job text, ranks int[], turn numeric, line text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, turn + r * 0.001, r, format('2026-11-20 22:00:%s,%s %s',
		lpad(floor(turn)::text, 2, '0'), 100 + r, line) FROM unnest(ranks) r
$$;
CREATE FUNCTION make_job(job text, hello text DEFAULT 'INFO rank %1$s of 8 on host %2$s, pid 4%1$s',
	dealt text DEFAULT 'block') RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, 1 + r * 0.001, r, '2026-11-20 22:00:01,100 ' || format(hello, r, node_of(r, dealt))
	FROM generate_series(0, 7) r WHERE hello <> '';
	SELECT say(job, '{0,1,2,3,4,5,6,7}', 2 + s, format('INFO step %s loss %s', s, 9 - s * 0.1)) FROM generate_series(1, 10) s;
$$;
-- What the label of a line looks like: %1$s the rank, %2$s its node. Lines of no rank have none.
CREATE FUNCTION load_job(job text, label text, nodes text[] DEFAULT NULL, dealt text DEFAULT 'block')
RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', nodes, 2);
	RETURN (l4_ingest(job, format($q$
		SELECT CASE WHEN rank IS NULL THEN '' ELSE format(%L, rank, node_of(rank, %L)) END || line AS line,
			NULL::text AS node, NULL::int AS rank,
			'slurm-4711.out' AS source
		FROM line WHERE job = %L ORDER BY turn, rank, line COLLATE "C"$q$, label, dealt, job))).rows;
END $$;
CREATE FUNCTION placed(job text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(':', s.rank, s.node), ' ' ORDER BY s.rank) FROM l4_job_streams(job) s WHERE s.rank IS NOT NULL
$$;
CREATE FUNCTION blamed(job text) RETURNS TABLE (unit text, reasons text) LANGUAGE sql AS $$
	SELECT s.unit, (SELECT string_agg(e.kind || ' ' || round(e.weight::numeric, 2), ', ' ORDER BY e.weight DESC, e.kind)
		FROM unnest(s.evidence) e) FROM l4_suspect_nodes(job) s ORDER BY s.ordinal
$$;

\echo == labels of launchers: srun, MPICH, Open MPI, PyTorch, and such as number processes by a word
SELECT l.name, (SELECT make_job(l.name)) IS NULL AS made, load_job(l.name, l.label), placed(l.name)
FROM (VALUES ('srun', ' %1$s: '), ('hydra', '[%1$s] '), ('tag', '[1,%1$s]<stdout>: '), ('torch', '[rank%1$s]: '),
	('parallel', E'task %1$s/8\t'), ('words', '[Worker-%1$s/8] '), ('bars', 'rank%1$s | ')) l (name, label);
\echo == labels that name the host
SELECT l.name, (SELECT make_job(l.name, '')) IS NULL AS made, load_job(l.name, l.label), placed(l.name)
FROM (VALUES ('host', '%2$s:%1$s: '), ('detailed', '[prterun-4711@1,%1$s][%2$s:41]<stdout>: ')) l (name, label);
\echo == what tells where ranks run
SELECT h.name, (SELECT make_job(h.name, h.hello)) IS NULL AS made, load_job(h.name, '%1$s: '), placed(h.name)
FROM (VALUES ('equals', 'INFO hostname=%2$s local_rank=0'), ('starts', 'INFO worker started on %2$s'),
	('alone', '%2$s')) h (name, hello);
SELECT make_job('nccl', '') \g /dev/null
INSERT INTO line SELECT 'nccl', 1 + r * 0.001, r,
	format('%s:4%s:5%s [0] NCCL INFO Bootstrap : Using eth0', node_of(r, ''), r, r)
FROM generate_series(0, 7) r;
SELECT load_job('nccl', '%1$s: '), placed('nccl');
\echo == in several files, too, where these agree; what has the same number on each node is no rank of the job
SELECT l.name, (SELECT l4_register_job(l.name, '{}', 'failed')) IS NULL AS made,
	(l4_ingest(l.name, format($q$
		SELECT format('%%s: [%%s] %%s:4:5 [0] NCCL INFO Bootstrap : Using eth0', r,
				to_char(timestamp '2026-11-20 22:00' + (f * 8 + r) * interval '1 s', 'YYYY-MM-DD HH24:MI:SS'), %s) AS line,
			'file-' || f || '.log' AS source
		FROM generate_series(1, 3) f, generate_series(0, 7) r ORDER BY f, r$q$, l.host))).rows, placed(l.name)
FROM (VALUES ('nccl files', $$node_of(r, '')$$), ('nccl local', $$'gpu-' || 11 + f || r / 4$$)) l (name, host);
\echo == what does not: hosts of others, devices, one for all, words of few
SELECT h.name, (SELECT make_job(h.name, h.hello)) IS NULL AS made, load_job(h.name, '%1$s: '), placed(h.name)
FROM (VALUES ('peers', 'INFO connected to host %2$s'), ('devices', 'INFO running on cuda%1$s'),
	('leaders', 'INFO master node is %2$s'), ('one', 'INFO rank %1$s on host gpu-11')) h (name, hello);
SELECT make_job('few') \g /dev/null
DELETE FROM line WHERE job = 'few' AND line LIKE '%host%' AND rank > 4;
SELECT load_job('few', '%1$s: '), placed('few');
\echo == the ranks know better than the list of nodes; a name with its domain is the same
SELECT make_job('cyclic', dealt => 'cyclic'), make_job('domain', 'INFO rank %1$s of 8 on host %2$s.example.org') \g /dev/null
SELECT load_job('cyclic', '%1$s: ', '{gpu-11,gpu-12,gpu-13,gpu-14}', 'cyclic'), placed('cyclic');
SELECT load_job('domain', '%1$s: ', '{gpu-14,gpu-13,gpu-12,gpu-11}'), placed('domain');
SELECT node, count(*) FROM l4_log WHERE job_id = 'cyclic' GROUP BY node ORDER BY node;
\echo == what was learnt goes when the records that said so do
SELECT l4_learn_rank_nodes('domain');
INSERT INTO l4_wording (name, class, pattern, enabled) SELECT name, class, pattern, false FROM l4_wording WHERE class = 'host';
SELECT l4_learn_rank_nodes('domain'), placed('domain');
DELETE FROM l4_wording WHERE NOT builtin;

\echo == a rank that crashes: its node, by its own words; what follows is recalled: complaints, lines of the launcher
SELECT make_job('crash') \g /dev/null
INSERT INTO line VALUES ('crash', 13, 5, 'Traceback (most recent call last):'),
	('crash', 13.1, 5, '  File "/app/train.py", line 88, in <module>'),
	('crash', 13.2, 5, 'RuntimeError: CUDA error: illegal access'),
	('crash', 15, NULL, 'srun: error: gpu-13: task 5: Exited with exit code 1'),
	('crash', 15.1, NULL, 'slurmstepd: error: *** STEP 4711.0 ON gpu-11 CANCELLED AT 2026-11-20T22:00:15 ***');
SELECT say('crash', '{0,1,2,3,4,6,7}', 14, 'ERROR all_reduce failed: connection closed by peer gpu-13') \g /dev/null
SELECT load_job('crash', '%1$s: ');
SELECT * FROM blamed('crash');
SELECT ordinal, role, node, rank, stage, iteration, occurrences, template FROM l4_diagnose('crash') WHERE kind = 'event';
\echo == a node that dies: quiet, and named by the launcher; not the one on which the step was cancelled
SELECT make_job('dead') \g /dev/null
SELECT say('dead', '{0,1,2,3,6,7}', 43, 'ERROR all_reduce timed out after 30 s') \g /dev/null
INSERT INTO line VALUES ('dead', 50, NULL, 'srun: error: Node failure on gpu-13'),
	('dead', 50.1, NULL,
		'slurmstepd: error: *** STEP 4711.0 ON gpu-11 CANCELLED AT 2026-11-20T22:00:50 DUE TO NODE FAILURE ***'),
	('dead', 51, NULL, 'srun: error: gpu-12: task 3: Exited with exit code 1');
SELECT load_job('dead', '%1$s: ');
SELECT * FROM blamed('dead');
\echo == a table of how all ended: who was killed by a signal is to blame, not whose row comes first
SELECT make_job('table') \g /dev/null
SELECT say('table', '{0,1,2,3,6,7}', 14, 'ERROR all_reduce failed: connection reset by peer') \g /dev/null
INSERT INTO line
SELECT 'table', 20 + n * 0.1, NULL, format('%s gpu-%s  python train.py  %s  20/11/2026', n, 10 + n,
	CASE n WHEN 3 THEN 'Signaled (SIGSEGV)' ELSE 'Exit (1)' END) FROM generate_series(1, 4) n;
SELECT load_job('table', '%1$s: ');
SELECT * FROM blamed('table');
\echo == a time limit and a cancel blame nobody, whoever exits first then
SELECT make_job('limit'), make_job('cancel') \g /dev/null
INSERT INTO line VALUES
	('limit', 20, NULL, 'slurmstepd: error: *** STEP 4711.0 ON gpu-11 CANCELLED AT 2026-11-20T22:00:20 DUE TO TIME LIMIT ***'),
	('limit', 21, NULL, 'srun: error: gpu-12: task 2: Terminated'),
	('cancel', 20, NULL, 'slurmstepd: error: *** STEP 4711.0 ON gpu-11 CANCELLED AT 2026-11-20T22:00:20 ***'),
	('cancel', 22, NULL, 'srun: error: gpu-12: task 2: Exited with exit code 143');
SELECT say('cancel', '{0,1,2,3,4,5,6,7}', 20.5, 'WARNING received SIGTERM') \g /dev/null
SELECT load_job('limit', '%1$s: '), load_job('cancel', '%1$s: ');
SELECT j.job, b.* FROM (VALUES ('limit'), ('cancel')) j (job) LEFT JOIN LATERAL blamed(j.job) b ON true;
SELECT j.job, d.kind, d.role, d.stage, d.iteration, coalesce(d.template, d.fault_key) AS what
FROM (VALUES ('limit'), ('cancel')) j (job) CROSS JOIN LATERAL l4_diagnose(j.job) d WHERE d.ordinal = 1 ORDER BY 1 DESC, 2;
\echo == what several ranks wrote into one line of the launcher, each part of its own rank; and texts with brackets of their own
SELECT l4_register_job('joined', '{}', 'failed') \g /dev/null
CREATE TABLE joined (line_no int, line text);
INSERT INTO joined VALUES
	(1, '[0] step 1 took 20 ms[2] step 1 took 21 ms'), (2, '[1] step 1 took 19 ms[1] '), (3, '[2] '),
	(4, '[1] step 2 took 20 ms[0] saved part 3[2] step 2 took 21 ms[1] '), (5, '[0] '), (6, '[2] '),
	(7, '[0] Traceback (most recent call last):'), (8, '[0]   File "train.py", line 7, in <module>'),
	(9, '[0] ValueError: bad size[1] step 3 took 20 ms[1] '), (10, '[2] peer[1] timed out, see shard[3] and [4]'),
	(11, '[1,0]<stdout>:step 4[1,2]<stdout>:saving[1,1]<stderr>:no room'), (12, '[1] x[ 2] y[3]z[123456789] x[2]');
SELECT rows FROM l4_ingest('joined', 'SELECT line, ''job.out'' AS source FROM joined ORDER BY line_no');
SELECT line_no, part, rank, message FROM l4_log WHERE job_id = 'joined' ORDER BY line_no, part;
SELECT string_agg(l.raw_bytes, '' ORDER BY l.line_no, l.part)
	= (SELECT convert_to(string_agg(j.line || E'\n', '' ORDER BY j.line_no), 'UTF8') FROM joined j) AS same
FROM l4_log l WHERE l.job_id = 'joined';
\echo == what a rank says behind the last step is not outlived, though its clock tells another zone
SELECT make_job(j) FROM unnest('{zone-good-1,zone-good-2,zone}'::text[]) j \g /dev/null
INSERT INTO line VALUES ('zone', 20, 5, 'E1120 16:00:20.105000 4105 launcher.cc:88] lost the device of this process');
SELECT load_job(j, '%1$s: ') FROM unnest('{zone-good-1,zone-good-2,zone}'::text[]) j \g /dev/null
SELECT l4_register_job(j, status => 'succeeded') FROM unnest('{zone-good-1,zone-good-2}'::text[]) j \g /dev/null
SELECT kind, role, node, rank, template FROM l4_diagnose('zone') WHERE kind = 'event';
-- nothing is left for other tests
SELECT array_agg(j.job_id ORDER BY j.job_id COLLATE "C") AS jobs FROM l4_job j
WHERE j.job_id IN (SELECT l.job FROM line l UNION VALUES ('joined')) \gset
SELECT l4_delete_job(d) FROM unnest(:'jobs'::text[]) d \g /dev/null
DROP SCHEMA shared_files CASCADE;
