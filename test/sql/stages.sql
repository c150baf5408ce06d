-- Where a job stood when it failed, as a state machine, and what the code is called that failed. Small jobs of four ranks, a
-- node each; all go through the same set-up and 30 steps, a checkpoint every tenth, an evaluation every fifteenth.
SET search_path = public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, rank int, at numeric, line text);
CREATE FUNCTION start(job text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, r, x.at + r * 0.001, x.line
	FROM generate_series(0, 3) r, (VALUES (0.0, 'INFO launching 4 worker processes'),
		(0.5, 'INFO waiting for all nodes to join'),
		(1.0, 'INFO process group initialized, world_size=4'), (1.5, 'INFO creating training dataset from /data/tokens'),
		(2.0, 'INFO building model with 32 layers'), (2.5, 'INFO start training')) x (at, line);
$$;
CREATE FUNCTION train(job text, steps int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, r, 3 + s + x.at + r * 0.001, x.line
	FROM generate_series(0, 3) r, generate_series(1, steps) s, LATERAL (VALUES
		(0.0, 1, format('INFO step %s loss %s', s, 9 - s * 0.1)),
		(0.3, 10, 'INFO saving checkpoint'), (0.4, 10, 'INFO checkpoint saved in 0.1 s'),
		(0.5, 15, 'INFO running validation on 512 samples'), (0.6, 15, 'INFO validation finished in 0.1 s'),
		(0.7, 1, 'INFO reading shards 3')) x (at, every, line)
	WHERE s % x.every = 0;
$$;
CREATE FUNCTION say(job text, ranks int[], at numeric, line text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, r, say.at + r * 0.001, say.line FROM unnest(ranks) r
$$;
CREATE FUNCTION load_job(job text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', ARRAY['n0', 'n1', 'n2', 'n3'], 1);
	RETURN (l4_ingest(job, format($q$
		SELECT to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS') || ' ' || line AS line,
			rank, 'train' AS source
		FROM line WHERE job = %L ORDER BY at, rank, line COLLATE "C"$q$, job))).rows;
END $$;
CREATE FUNCTION found(job text) RETURNS TABLE (kind text, node text, stage text, component text) LANGUAGE sql AS $$
	SELECT d.kind, d.node, d.stage, d.component FROM l4_diagnose(job) d
	WHERE d.ordinal = 1 AND d.kind IN ('stage', 'event') ORDER BY d.kind DESC
$$;

\echo == the stages of a stream: set-up does not come back, checkpoints and evaluations end
SELECT start('stages'), train('stages', 15) \g /dev/null
SELECT load_job('stages') \g /dev/null
SELECT regexp_replace(raw, '^\S+ \S+ ', '') AS raw, string_agg(DISTINCT stage, ', ') AS stages
FROM l4_log WHERE job_id = 'stages' AND rank = 0 AND raw !~ 'step ([2-9]|1[0-4]) ' GROUP BY 1 ORDER BY min(line_no);
SELECT last_stage, last_iteration FROM l4_stream WHERE job_id = 'stages' AND rank = 0;

\echo == a second attempt in the same stream: a rendezvous begins set-up anew
SELECT start('again'), train('again', 3), say('again', '{0,1,2,3}', 20, 'INFO waiting for all nodes to join'),
	say('again', '{0,1,2,3}', 21, 'INFO creating training dataset from /data/tokens') \g /dev/null
SELECT load_job('again') \g /dev/null
SELECT regexp_replace(raw, '^\S+ \S+ ', '') AS raw, stage FROM l4_log
WHERE job_id = 'again' AND rank = 0 ORDER BY line_no DESC LIMIT 3;

\echo == a launcher tells how a process ended before anything iterated: where that stood, not how far the others came
SELECT start('ended'), say('ended', '{2}', 1.3, 'INFO Killing subprocess 61'), say('ended', '{2}', 1.31,
	'ERROR [''/usr/bin/python3'', ''train.py'', ''--dataset'', ''x''] exits with return code = -11'),
	say('ended', '{0,1,3}', 9, 'ERROR Connection closed by peer') \g /dev/null
DELETE FROM line WHERE job = 'ended' AND (line ~ 'start training' OR rank = 2 AND at BETWEEN 1.4 AND 8);
SELECT load_job('ended') \g /dev/null
SELECT * FROM found('ended');

\echo == a data loader that dies while the job iterates
SELECT start('loader'), train('loader', 30), say('loader', '{2}', 34, E'ERROR Traceback (most recent call last):\n'
	'  File "/app/train.py", line 12, in main\n    save_checkpoint(model); batch = next(loader)\n'
	'  File "/opt/torch/utils/data/dataloader.py", line 630, in __next__\n    data = self._next_data()\n'
	'RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed.') \g /dev/null
SELECT load_job('loader') \g /dev/null
SELECT * FROM found('loader');

\echo == killed after a checkpoint was written, and while it is
SELECT start('after'), train('after', 30), say('after', '{0,1,3}', 40, 'ERROR connection closed by peer') \g /dev/null
DELETE FROM line WHERE job = 'after' AND rank = 2 AND at > 33.5;
SELECT load_job('after') \g /dev/null
SELECT * FROM found('after') WHERE kind = 'stage';
SELECT start('within'), train('within', 30), say('within', '{0,1,3}', 40, 'ERROR connection closed by peer') \g /dev/null
DELETE FROM line WHERE job = 'within' AND rank = 2 AND at > 33.35;
SELECT load_job('within') \g /dev/null
SELECT * FROM found('within') WHERE kind = 'stage';

\echo == all say that they save, and one alone what comes then: that is over where it is two steps further
SELECT start(j), train(j, 30), say(j, '{0,1,2,3}', 33.25, 'INFO saving checkpoint to /ckpt/step-30')
FROM unnest('{crashes,stops,is_saving}'::text[]) j \g /dev/null
DELETE FROM line WHERE job IN ('crashes', 'stops', 'is_saving') AND (rank > 0 AND at > 3 AND line !~ 'saving checkpoint to'
	OR line ~ 'checkpoint$|checkpoint saved|validation');
INSERT INTO line SELECT j, 0, s + 3, format('INFO step %s loss 5.5', s)
FROM unnest('{crashes,stops}'::text[]) j, generate_series(31, 33) s;
SELECT say(j, '{2}', 36.5, 'ERROR IndexError: list index out of range')
FROM unnest('{crashes,is_saving}'::text[]) j \g /dev/null
SELECT say(j, '{0,1,3}', 50, 'ERROR connection to rank 2 closed')
FROM unnest('{crashes,stops,is_saving}'::text[]) j \g /dev/null
SELECT load_job(j)
FROM unnest('{crashes,stops,is_saving}'::text[]) j \g /dev/null
SELECT j.job, f.node, f.stage FROM unnest('{crashes,stops,is_saving}'::text[]) j (job), found(j.job) f WHERE f.kind = 'stage';

\echo == a rendezvous that times out, with the store in its frames
SELECT start('rendezvous'), say('rendezvous', '{0,1,2,3}', 300, E'ERROR Traceback (most recent call last):\n'
	'  File "/app/train.py", line 3, in main\n    dist.init_process_group()\n'
	'  File "/opt/torch/distributed/distributed_c10d.py", line 1710, in init_process_group\n    store, rank = next(it)\n'
	'  File "/opt/torch/distributed/rendezvous.py", line 278, in _env_rendezvous_handler\n    store = _create_c10d_store()\n'
	'torch.distributed.DistStoreError: Timed out after 301 seconds waiting for clients. 3/4 clients joined.') \g /dev/null
DELETE FROM line WHERE job = 'rendezvous' AND at < 300 AND at >= 1;
SELECT load_job('rendezvous') \g /dev/null
SELECT * FROM found('rendezvous');

\echo == a shard that is missing, and a checkpoint, before and while the job iterates
SELECT start('shard'), say('shard', '{2}', 5, E'ERROR Traceback (most recent call last):\n'
	'  File "/app/input/data.py", line 8, in __init__\n    d = np.fromfile(name)\n'
	'FileNotFoundError: [Errno 2] No such file or directory: ''/mnt/local/data/shard_03.bin''') \g /dev/null
DELETE FROM line WHERE job = 'shard' AND at BETWEEN 1.2 AND 4;
SELECT load_job('shard') \g /dev/null
SELECT * FROM found('shard');
SELECT start('weights'), say('weights', '{0,1,2,3}', 5, E'ERROR Traceback (most recent call last):\n'
	'  File "/app/main.py", line 8, in main\n    d = np.load(name)\n'
	'FileNotFoundError: [Errno 2] No such file or directory: ''/mnt/ckpt/base/rank_0.npz''') \g /dev/null
DELETE FROM line WHERE job = 'weights' AND at BETWEEN 2.2 AND 4;
SELECT load_job('weights') \g /dev/null
SELECT * FROM found('weights');
SELECT start('full'), train('full', 30), say('full', '{2}', 34, E'ERROR Traceback (most recent call last):\n'
	'  File "/app/main.py", line 8, in main\n    np.save(name)\n'
	'OSError: [Errno 28] No space left on device: ''/mnt/local/snapshots/step_30/rank_2.npz''') \g /dev/null
SELECT load_job('full') \g /dev/null
SELECT * FROM found('full');

\echo == no iterations: a job that only evaluates
INSERT INTO line SELECT 'evaluates', r, x.at + r * 0.001, x.line FROM generate_series(0, 3) r,
	(VALUES (1.5, 'INFO loading model checkpoint from /models/base'), (2.0, 'INFO running validation on 512 samples'),
	(9.0, 'ERROR AttributeError: metric has no attribute mean')) x (at, line);
SELECT load_job('evaluates') \g /dev/null
SELECT * FROM found('evaluates') WHERE kind = 'stage';

\echo == what it reads as it fails is nearer than the evaluation that it reads it for
SELECT l4_text_stage(E'Traceback (most recent call last):\n  File "/app/main.py", line 265, in evaluate\n'
	'    state = torch.load(o.weights)\n  File "/opt/torch/serialization.py", line 1432, in load\n'
	'    with _open_zipfile_reader(opened_file) as opened_zipfile:\n'
	'RuntimeError: PytorchStreamReader failed reading zip archive', l4_wordings_in_force());
\echo == a source file in a folder of data is none that is read
SELECT l4_text_stage(e, l4_wordings_in_force()) FROM unnest(ARRAY[
	'  File "/scratch/enroot/data/pyxis_1.0/train.py", line 17, in run',
	'OSError: /scratch/enroot/data/part.7 is cut']) e;

\echo == records without a stamp lie between the stamps of their stream, or where their text says
SELECT start('unstamped'), train('unstamped', 10) \g /dev/null
SELECT l4_register_job('unstamped', '{}', 'failed', ARRAY['n0', 'n1', 'n2', 'n3'], 1) \g /dev/null
CREATE FUNCTION ingest_bare(job text, rank int, bare text[]) RETURNS bigint LANGUAGE sql AS $$
	SELECT rows FROM l4_ingest(job, format($q$SELECT line, rank, 'train-' || rank AS source FROM (
		SELECT rank, at, to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS') || ' ' || line
			AS line
		FROM line WHERE job = %1$L AND rank = %2$s
		UNION ALL SELECT %2$s, 13.9, unnest(%3$L::text[])
		UNION ALL SELECT %2$s, 40, '2026-11-20 22:00:40,000 INFO waiting' WHERE %2$s = 1) l ORDER BY at$q$, job, rank, bare))
$$;
SELECT ingest_bare('unstamped', r, CASE r WHEN 1 THEN ARRAY['RuntimeError: the first pump stands still']
	WHEN 2 THEN ARRAY['RuntimeError: the second pump stands still']
	WHEN 3 THEN ARRAY['RuntimeError: the third pump stands still, time : 2026-11-20_22:00:20'] ELSE '{}' END)
FROM generate_series(0, 3) r \g /dev/null
SELECT template, facts -> 'span' AS span, split_part(explanation, '; ', 1) AS explanation FROM l4_diagnose('unstamped')
WHERE kind = 'event' ORDER BY template COLLATE "C";

\echo == a counter that no rule knows: the number that grows steadily and together over ranks
INSERT INTO line SELECT 'counter', r, 3 + s + x.at + r * 0.001, x.line
FROM generate_series(0, 3) r, generate_series(1, 40) s, LATERAL (VALUES
	(0.1, format('INFO tick %s of the mill, digest %s, took %s ms', 100 + s, md5((r * 100 + s)::text), 200 + (s * 7 + r) % 13)),
	(0.2, format('INFO ring %s closed', s * 2)), (0.4, format('INFO ring %s closed', s * 2 + 1))) x (at, line);
SELECT say('counter', '{2}', 30, 'ERROR RuntimeError: the mill stands still') \g /dev/null
DELETE FROM line WHERE job = 'counter' AND rank = 2 AND at > 30.1;
SELECT load_job('counter') \g /dev/null
SELECT h.shape, c.position, cardinality(c.stream_ids) AS streams
FROM l4_learn_counter('counter') c JOIN l4_shape h ON h.shape_id = ANY (c.shape_ids);
SELECT kind, node, stage, iteration FROM l4_diagnose('counter') WHERE kind IN ('stage', 'iteration') AND ordinal = 1;
SELECT l4_learn_counter('stages') IS NULL AS rules_know;

\echo == such a counter begins anew with each round, is padded, and few lines have it; one iteration is named by a rule
INSERT INTO line SELECT 'rounds', r, 3 + k * 12 + s + x.at + r * 0.001, x.line
FROM generate_series(0, 3) r, generate_series(0, 1) k, generate_series(1, 11, 2) s, LATERAL (VALUES
	(0.1, format('INFO round %s: [%s/11] cost %s, %s %% done', k, lpad((s + k)::text, 3), 5.5 - s * 0.01, s * 9))) x (at, line);
SELECT say('rounds', '{0,1,2,3}', 2, 'INFO training from iteration 1 to 90') \g /dev/null
SELECT say('rounds', '{0,1,2,3}', 2 + s * 0.01, format('INFO layer %s has its weights', s)) FROM generate_series(1, 5) s
\g /dev/null
SELECT say('rounds', '{0,1,2,3}', 14.5 + s * 0.01, format('INFO check: [%s/3]', s)) FROM generate_series(0, 3) s \g /dev/null
SELECT say('rounds', '{2}', 23.5, 'ERROR RuntimeError: the mill stands still') \g /dev/null
DELETE FROM line WHERE job = 'rounds' AND at > 23.6;
SELECT load_job('rounds') \g /dev/null
SELECT h.shape, c.position, cardinality(c.stream_ids) AS streams
FROM l4_learn_counter('rounds') c JOIN l4_shape h ON h.shape_id = ANY (c.shape_ids) ORDER BY h.shape COLLATE "C";
SELECT kind, node, stage, iteration FROM l4_diagnose('rounds') WHERE kind IN ('stage', 'iteration') AND ordinal = 1;
\echo == what checkpoints name now and then is no progress where a number counts all iterations; nor is what warnings count
INSERT INTO line SELECT 'saves', r, 3 + s + r * 0.001, format('INFO mill: [%s/50] cost %s', lpad(s::text, 3), 5.5 - s * 0.01)
FROM generate_series(0, 3) r, generate_series(1, 38) s;
SELECT say('saves', '{0,1,2,3}', 3.5 + s, format('INFO saved checkpoint to /out/step_%s', s)) FROM generate_series(10, 30, 10) s
\g /dev/null
SELECT say('saves', '{2}', 41.9, 'ERROR RuntimeError: the mill stands still') \g /dev/null
SELECT start('tries'), say('tries', '{0,1,2,3}', 40, 'INFO leaving') \g /dev/null
SELECT say('tries', '{2}', 4 + s, format('WARNING the mill is not open, knock %s', s)) FROM generate_series(1, 6) s \g /dev/null
SELECT load_job('saves'), load_job('tries') \g /dev/null
SELECT h.shape, c.position, cardinality(c.stream_ids) AS streams
FROM l4_learn_counter('saves') c JOIN l4_shape h ON h.shape_id = ANY (c.shape_ids) ORDER BY h.shape COLLATE "C";
SELECT kind, node, stage, iteration FROM l4_diagnose('saves') WHERE kind IN ('stage', 'iteration') AND ordinal = 1;
SELECT l4_learn_counter('tries') IS NULL AS nothing_counts;
\echo == who joins one by one counts nothing
SELECT start('joins'), say('joins', '{0,1,2,3}', 40, 'INFO leaving') \g /dev/null
SELECT say('joins', '{0}', 4 + s, format('INFO joined: rank=%s of the mill', s)) FROM generate_series(1, 7) s \g /dev/null
SELECT load_job('joins') \g /dev/null
SELECT l4_learn_counter('joins') IS NULL AS nothing_counts;
\echo == one rank alone tells of progress; all count what is within an iteration, and evaluations
INSERT INTO line SELECT 'speaker', r, 3 + s + x.at + r * 0.001, x.line
FROM generate_series(0, 3) r, generate_series(1, 30) s, LATERAL (VALUES
	(0.1, 'DEBUG portion 1 of 3 ground'), (0.2, 'DEBUG portion 2 of 3 ground'), (0.3, 'DEBUG portion 3 of 3 ground'),
	(0.5, CASE WHEN r = 3 THEN format('INFO tick %s of the mill, cost %s', 700 + s, 9.5 - s * 0.1) END)) x (at, line)
WHERE x.line IS NOT NULL;
SELECT say('speaker', '{0,1,2,3}', 3.55 + s + t * 0.01, format('INFO eval: [%s/6] cost %s', t, 9.4 - s * 0.1))
FROM generate_series(8, 24, 8) s, generate_series(1, 6) t \g /dev/null
SELECT say('speaker', '{2}', 33.9, 'ERROR RuntimeError: the mill stands still') \g /dev/null
SELECT load_job('speaker') \g /dev/null
SELECT kind, node, stage, iteration FROM l4_diagnose('speaker') WHERE kind IN ('stage', 'iteration') AND ordinal = 1;

\echo == where it ends in an evaluation, which no mark of an iteration ends, it fails there
INSERT INTO line SELECT 'tasting', rank, at, line FROM line WHERE job = 'speaker' AND at < 19.595;
SELECT say('tasting', '{2}', 19.6, 'ERROR RuntimeError: the mill stands still') \g /dev/null
SELECT load_job('tasting') \g /dev/null
SELECT kind, node, stage, iteration FROM l4_diagnose('tasting') WHERE kind IN ('stage', 'iteration') AND ordinal = 1;

\echo == what sounds fatal is outlived where its own stream goes on for long
INSERT INTO line SELECT 'survivor', rank, at, line FROM line WHERE job = 'speaker';
SELECT say('survivor', '{0,1}', 5.15, 'Aborted (core dumped)') \g /dev/null
SELECT say('survivor', '{1}', 33.2, 'Aborted (core dumped)') \g /dev/null
INSERT INTO line SELECT 'well', rank, at, line FROM line WHERE job = 'speaker' AND line !~ 'ERROR';
SELECT load_job('well'), load_job('survivor') \g /dev/null
SELECT l4_register_job(j, '{"framework": "mill"}', CASE j WHEN 'well' THEN 'succeeded' ELSE 'failed' END)
FROM unnest('{well,survivor}'::text[]) j \g /dev/null
SELECT r.rank, r.first_line, r.last_line FROM l4_unexplained('survivor') r WHERE r.message ~ 'Aborted' ORDER BY 1;

\echo == a bar of one line that carriage returns part, under a name that no rule knows
SELECT l4_register_job('bar', '{}', 'failed', ARRAY['n0', 'n1', 'n2', 'n3'], 1) \g /dev/null
SELECT rows FROM l4_ingest('bar', $q$
	SELECT CASE WHEN r = 0 THEN (
			SELECT string_agg(format('milling: %s%%|%s| %s/60 [00:%s<01:00, 2.1%sit/s]', lpad((s * 5 / 3)::text, 3),
				rpad(repeat('#', s / 6), 10), s, lpad(s::text, 2, '0'), s % 7), E'\r' ORDER BY s)
			FROM generate_series(1, 40) s)
		ELSE '2026-11-20 22:00:05,000 INFO the mill turns' END AS line, r AS rank, 'train-' || r AS source
	FROM generate_series(0, 3) r
	UNION ALL SELECT '2026-11-20 22:00:50,000 ERROR RuntimeError: the mill stands still', 0, 'train-0'$q$) \g /dev/null
SELECT kind, stage, iteration FROM l4_diagnose('bar') WHERE kind IN ('stage', 'iteration') AND ordinal = 1;

\echo == a job that says it began to train, and of no iteration: it is in the first one, unless it goes on from a checkpoint
SELECT start(j), say(j, '{0,1,2,3}', 5, 'ERROR CUDA error: device-side assert')
FROM unnest('{first,resumed,unknown}'::text[]) j \g /dev/null
SELECT say('resumed', '{0,1,2,3}', 2.2, 'INFO loading checkpoint from /ckpt/last') \g /dev/null
SELECT say('unknown', '{0,1,2,3}', 2.6 + s * 0.3, 'INFO another round is over') FROM generate_series(1, 6) s \g /dev/null
SELECT load_job('first'), load_job('resumed'), load_job('unknown') \g /dev/null
SELECT j AS job, d.kind, d.stage, d.iteration FROM unnest('{first,resumed,unknown}'::text[]) j, l4_diagnose(j) d
WHERE d.kind IN ('stage', 'iteration') ORDER BY 1, 2;
\echo == where successful jobs set up behind what announces the training, who came no further never began
INSERT INTO line SELECT j, r, 0.1 + r * 0.001, 'INFO training started' FROM unnest('{early-good,early}'::text[]) j,
	generate_series(0, 3) r;
SELECT start('early-good'), train('early-good', 30), say('early', '{2}', 0.4, 'ERROR cannot bind to port 29500'),
	load_job('early-good'), load_job('early') \g /dev/null
SELECT l4_register_job('early-good', status => 'succeeded') \g /dev/null
SELECT kind, stage, iteration FROM l4_diagnose('early') WHERE kind IN ('stage', 'iteration');
\echo == what a collective counts as it fails is no iteration of the job
SELECT start('ringing'), say('ringing', '{0,1,2,3}', 5, 'ERROR ring allgather failed, current iteration:2') \g /dev/null
SELECT load_job('ringing') \g /dev/null
SELECT count(iteration) AS iterations FROM l4_log WHERE job_id = 'ringing';
SELECT array_agg(j.job_id ORDER BY j.job_id COLLATE "C") AS jobs FROM l4_job j \gset
SELECT l4_delete_job(d) FROM unnest(:'jobs'::text[]) d \g /dev/null
DROP TABLE line;
DROP FUNCTION start, train, say, load_job, found, ingest_bare;
