-- Each kind of evidence alone: small jobs in which it is the only one that fires, and what it says as data and in words.
-- Five nodes of one rank, ten steps of two seconds, a system log each; no successful jobs. A job changes some of the lines.
SET search_path = public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, node int, rank int, source text, at numeric, line text);
CREATE FUNCTION make_lines(job text, nodes int DEFAULT 5, ranks int DEFAULT 1) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line
	SELECT job, r / ranks, r, 'train', s * 2 + x.at + r * 0.001, x.line
	FROM generate_series(0, nodes * ranks - 1) r, generate_series(1, 10) s, LATERAL (VALUES
		(0.1, format('INFO step %s loss %s', s, 9 - s * 0.1)),
		(0.7, format('DEBUG step %s forward took %s ms', s, 500 + (r * 7 + s * 13) % 11))) x (at, line);
	INSERT INTO line
	SELECT job, n, NULL, 'syslog', s * 4, format('INFO network: retransmitted=%s', s + n % 2)
	FROM generate_series(0, nodes - 1) n, generate_series(0, 5) s;
$$;
CREATE FUNCTION fail(job text, ranks int[], at numeric, line text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, l.node, l.rank, 'train', fail.at + l.rank * 0.01, 'ERROR ' || fail.line
	FROM (SELECT DISTINCT l.node, l.rank FROM line l WHERE l.job = fail.job AND l.rank = ANY (ranks)) l
$$;
CREATE FUNCTION load_job(job text, nodes text[], ranks int DEFAULT 1) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', nodes, ranks);
	RETURN (l4_ingest(job, format($q$
		SELECT to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS') || ' ' || line AS line,
			(%L::text[])[node + 1] AS node, rank, source
		FROM line WHERE job = %L ORDER BY at, rank, line COLLATE "C"$q$, nodes, job))).rows;
END $$;
CREATE FUNCTION evidence(job text)
RETURNS TABLE (unit text, node text, rank int, kind text, part numeric, weight numeric, limit_name text,
	numbers jsonb, source text, line_no bigint, first_at text, sentence text) LANGUAGE sql AS $$
	SELECT e.unit, e.node, e.rank, e.kind, round(e.part::numeric, 3), round(e.weight::numeric, 3), e.limit_name,
		(SELECT jsonb_object_agg(key, CASE jsonb_typeof(value)
			WHEN 'number' THEN to_jsonb(trim_scale(round(value::text::numeric, 2)))
			ELSE value END) FROM jsonb_each(e.numbers)),
		(SELECT s.source FROM l4_job_streams(job) s WHERE s.stream_id = e.stream_id), e.line_no,
		to_char(e.first_ts, 'HH24:MI:SS.MS'), l4_evidence_sentence(e)
	FROM l4_node_evidence(job) e
	ORDER BY e.kind, e.unit, e.weight DESC, e.stream_id, e.line_no
$$;
\set nodes 'ARRAY[''n0'', ''n1'', ''n2'', ''n3'', ''n4'']'
\x on
-- The Isolation Forest ranks the nodes of any job with unexplained records: a limit of the site's own bars it until its turn.
INSERT INTO l4_limit (name, value) VALUES ('evidence_forest_places', 0);

\echo == nothing: all nodes alike
SELECT make_lines('alike'), fail('alike', '{0,1,2,3,4}', 21, 'collective operation failed') \g /dev/null
SELECT load_job('alike', :nodes) \g /dev/null
SELECT * FROM evidence('alike');

\echo == missing: on the list of nodes, without logs
SELECT make_lines('missing') \g /dev/null
SELECT load_job('missing', :nodes || 'n5'::text) \g /dev/null
SELECT * FROM evidence('missing');

\echo == missing: of the ranks of a node one never started
SELECT make_lines('unstarted', 4, 2) \g /dev/null
DELETE FROM line WHERE job = 'unstarted' AND rank = 5;
UPDATE line SET line = 'INFO loading the tokenizer' WHERE job = 'unstarted' AND rank IS NOT NULL;
SELECT fail('unstarted', '{0}', 21, 'timed out, 7 of 8 ranks joined') \g /dev/null
SELECT load_job('unstarted', (:nodes)[:4], 2) \g /dev/null
SELECT * FROM evidence('unstarted') WHERE kind = 'missing';

\echo == silent: a system log that ends early
SELECT make_lines('silent') \g /dev/null
DELETE FROM line WHERE job = 'silent' AND node = 2 AND source = 'syslog' AND at > 8;
SELECT load_job('silent', :nodes) \g /dev/null
SELECT * FROM evidence('silent');

\echo == quiet: a node that stops without a word
SELECT make_lines('quiet'), fail('quiet', '{0,1,2,3}', 21, 'collective operation failed') \g /dev/null
SELECT load_job('quiet', :nodes) \g /dev/null
SELECT * FROM evidence('quiet');

\echo == quiet, where no nodes are known: a rank
SELECT make_lines('rank_alone'), fail('rank_alone', '{0,1,2,3}', 21, 'collective operation failed') \g /dev/null
DELETE FROM line WHERE job = 'rank_alone' AND source = 'syslog';
SELECT load_job('rank_alone', NULL) \g /dev/null
SELECT * FROM evidence('rank_alone');

\echo == quiet: one rank beside another of its node that fails
SELECT make_lines('quiet_rank', 5, 2), fail('quiet_rank', '{0,1,2,3,4,5,6,8,9}', 21, 'collective operation failed')
\g /dev/null
SELECT load_job('quiet_rank', :nodes, 2) \g /dev/null
SELECT * FROM evidence('quiet_rank');

\echo == named: a controller says so
SELECT make_lines('named') \g /dev/null
INSERT INTO line VALUES ('named', NULL, NULL, 'controller', 21, 'ERROR heartbeat lost node=n3');
SELECT load_job('named', :nodes) \g /dev/null
SELECT * FROM evidence('named');

\echo == named: how the process of one that lost another one ended, and of one that lost nobody
SELECT make_lines('named_ends'), fail('named_ends', '{2}', 21, 'lost rank 4: connection closed') \g /dev/null
INSERT INTO line VALUES ('named_ends', NULL, NULL, 'controller', 22, 'ERROR process on n4 was killed by signal 11'),
	('named_ends', NULL, NULL, 'controller', 23, 'ERROR process on n2 exited with status 1');
SELECT load_job('named_ends', :nodes) \g /dev/null
SELECT * FROM evidence('named_ends') WHERE kind = 'named';

\echo == named: who ended before the order to end, which the others did by its signal
SELECT make_lines('ordered') \g /dev/null
INSERT INTO line VALUES ('ordered', NULL, NULL, 'controller', 21, 'ERROR pod w-2 on node n2 failed, exit code 137'),
	('ordered', NULL, NULL, 'controller', 21.5, 'ERROR execute action AbortJob for ml/llm');
INSERT INTO line
SELECT 'ordered', NULL, NULL, 'controller', 22 + n, format('ERROR pod w-%s on node n%s failed, exit code 143', n, n)
FROM unnest('{0,1,3,4}'::int[]) n;
SELECT load_job('ordered', :nodes) \g /dev/null
SELECT unit, part, numbers FROM evidence('ordered') WHERE kind = 'named';

\echo == named: by the number of a process, of a rank of one node
SELECT make_lines('process', 1, 5) \g /dev/null
INSERT INTO line SELECT 'process', 0, r, 'train', 0.01, format('INFO up, (pid %s)', 4100 + r) FROM generate_series(0, 4) r;
INSERT INTO line VALUES ('process', NULL, NULL, 'controller', 21, 'ERROR pid 4103 is gone, killed');
SELECT load_job('process', (:nodes)[1:1], 5) \g /dev/null
SELECT * FROM evidence('process');

\echo == accused: the others name it, and it names nobody
SELECT make_lines('accused'), fail('accused', '{0,1,2,3,4}', 21, 'collective operation failed'),
	fail('accused', '{0,1,2,3}', 21.5, 'no answer, lost rank 4') \g /dev/null
SELECT load_job('accused', :nodes) \g /dev/null
SELECT * FROM evidence('accused');

\echo == first: before the failure shows at large
SELECT make_lines('first'), fail('first', '{2}', 20.9, 'device 0 failed'),
	fail('first', '{0,1,2,3,4}', 21, 'collective operation failed') \g /dev/null
SELECT load_job('first', :nodes) \g /dev/null
SELECT * FROM evidence('first');

\echo == own: the same, later
SELECT make_lines('own'), fail('own', '{2}', 22, 'device 0 failed'),
	fail('own', '{0,1,2,3,4}', 21, 'collective operation failed') \g /dev/null
SELECT load_job('own', :nodes) \g /dev/null
SELECT * FROM evidence('own');

\echo == own: who does not say what all others say, but something else, whichever came first
SELECT make_lines('odd'), fail('odd', '{0,1,3,4}', 21, 'collective operation failed') \g /dev/null
INSERT INTO line VALUES ('odd', 2, 2, 'train', 21.5, 'INFO the lease of slot 0 is gone, leaving'),
	('odd', 2, 2, 'train', 21.6, 'INFO leaving slot 0');
SELECT load_job('odd', :nodes) \g /dev/null
SELECT * FROM evidence('odd');

\echo == lag: an iteration behind; with three nodes there are too few to tell who was late
SELECT make_lines('lag', 3) \g /dev/null
DELETE FROM line WHERE job = 'lag' AND rank = 1 AND at > 20;
SELECT load_job('lag', (:nodes)[1:3]) \g /dev/null
SELECT * FROM evidence('lag');

\echo == behind: within the last iteration
SELECT make_lines('behind') \g /dev/null
DELETE FROM line WHERE job = 'behind' AND rank = 3 AND line LIKE '%step 10 forward%';
SELECT load_job('behind', :nodes) \g /dev/null
SELECT * FROM evidence('behind');

\echo == late: the last step of all
SELECT make_lines('late') \g /dev/null
UPDATE line SET at = at + 1 WHERE job = 'late' AND rank = 1 AND line LIKE '%step 10 forward%';
SELECT load_job('late', :nodes) \g /dev/null
SELECT * FROM evidence('late');

\echo == counter: in a system log
SELECT make_lines('counter') \g /dev/null
UPDATE line SET line = 'INFO network: retransmitted=' || 30 * at::int WHERE job = 'counter' AND node = 4 AND source = 'syslog';
SELECT load_job('counter', :nodes) \g /dev/null
SELECT * FROM evidence('counter');

\echo == slow: durations of a rank
SELECT make_lines('slow') \g /dev/null
UPDATE line SET line = replace(line, 'took 5', 'took 15') WHERE job = 'slow' AND rank = 2;
SELECT load_job('slow', :nodes) \g /dev/null
SELECT * FROM evidence('slow');
\echo == slow: whom all wait for waits least
SELECT make_lines('waits') \g /dev/null
UPDATE line SET line = replace(line, 'took 5', 'took 1') WHERE job = 'waits' AND rank = 2;
SELECT load_job('waits', :nodes) \g /dev/null
SELECT * FROM evidence('waits');

\echo == elsewhere: one alone is not in the calls that all others wait in; of two that lack one each lines may be torn, who
\echo == names another one stands at its complaint, and of three ranks two are no others; calls of launchers are not theirs
SELECT make_lines(j) FROM unnest('{stack,torn,complains,three,launched}'::text[]) j \g /dev/null
SELECT fail(j, ARRAY[r], 21, 'collective operation failed at File "comm.py", line 3 in wait'
		|| CASE WHEN r <> 3 THEN ', File "train.py", line 9 in step' ELSE '' END
		|| CASE WHEN j <> 'torn' OR r <> 1 THEN ', File "train.py", line 7 in main' ELSE '' END)
FROM (VALUES ('stack', 5), ('torn', 5), ('complains', 5), ('three', 3)) t(j, n), generate_series(5 - n, 4) r \g /dev/null
SELECT fail('complains', '{3}', 25, 'rank 1 does not answer') \g /dev/null
SELECT fail('launched', ARRAY[r], 21, 'collective operation failed at File "comm.py", line 3 in wait'
	|| CASE WHEN r <> 3 THEN ', File "/usr/bin/torchrun", line 8, in <module>' ELSE '' END)
FROM generate_series(0, 4) r \g /dev/null
SELECT load_job(j, :nodes) FROM unnest('{stack,torn,complains,three,launched}'::text[]) j \g /dev/null
SELECT j.j AS job, e.* FROM unnest('{stack,torn,complains,three,launched}'::text[]) j (j), evidence(j) e
WHERE e.kind = 'elsewhere';
SELECT n, array_agg(c ORDER BY c) FROM (VALUES
	(1, E'Traceback (most recent call last):\n  File "/a/b.py", line 12, in f\n    g(1)\nE: x'),
	(2, E'#1  0x00007f01 in c10d::Work::wait() () from libtorch.so'),
	(3, 'frame #3: c10d::Work::wait() + 0x1f (0x7f in x.so)'), (4,
	E'    all_reduce (torch/distributed/distributed_c10d.py:2811)'), (5, 'step 3 took 4 s (5)')) m (n, message)
LEFT JOIN LATERAL l4_stack_calls(message) c ON true GROUP BY n ORDER BY n;

\echo == what a launcher quotes of a rank that lost another one is a complaint of that one; its word of a crash stays
SELECT make_lines('quoted') \g /dev/null
INSERT INTO line SELECT 'quoted', NULL, NULL, 'launcher', 22 + t.turn, t.line
FROM (VALUES (0, E'ERROR failed\nTraceback (most recent call last):\n  File "run.py", line 9, in main\nRoot Cause:\n'
		'  host: n3\n  traceback : Traceback (most recent call last):\n    File "train.py", line 7, in step\n'
		'      wait()\n    RuntimeError: Connection closed by peer'),
	(1, E'ERROR failed\nTraceback (most recent call last):\n  File "run.py", line 9, in main\nRoot Cause:\n'
		'  host: n1\n  traceback : Traceback (most recent call last):\n    File "train.py", line 8, in step\n'
		'      load()\n    ValueError: cannot read the row')) t (turn, line);
SELECT load_job('quoted', :nodes) \g /dev/null
SELECT kind, unit, weight FROM evidence('quoted') e WHERE e.kind = 'named';
SELECT m.n, l4_told_text(m.message) AS told, l4_quoted_error(m.message) AS quoted FROM (VALUES
	(1, E'failed\nTraceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\n      KeyError: 7\nlast'),
	(2, E'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nKeyError: 7')) m (n, message);
\echo == of whom is said first what is said of most (several, where all is said at one time): not after what stands before it
SELECT o.* FROM l4_first_of_most(ARRAY(SELECT jsonb_populate_record(NULL::l4_accusation, to_jsonb(v)
		|| jsonb_build_object('kind', 'launcher', 'ending', false,
			'first_ts', '2026-11-20 22:00:00Z'::timestamptz + v.second * interval '1 s',
			'shape_id', (SELECT min(shape_id) FROM l4_shape)))
	FROM (VALUES ('n1', 's', 0, 9), ('n0', 's', 0, 12), ('n1', 's', 0, 7), ('n2', 's', 1, 14))
		v (unit, source, second, line_no)), 3, '{}', l4_limits_in_force()) o;

SELECT make_lines('crash_first') \g /dev/null
INSERT INTO line SELECT 'crash_first', NULL, NULL, 'launcher.out', t.at, 'ERROR ' || t.line
FROM (VALUES (22.0, 'crash on n2'), (22.0, 'srun: n2: task 2: Exited with exit code 1'),
	(23, 'srun: n0: task 0: Exited with exit code 1'), (24, 'srun: n1: task 1: Exited with exit code 1'),
	(25, 'srun: n3: task 3: Exited with exit code 1'), (26, 'srun: n4: task 4: Exited with exit code 1')) t (at, line);
SELECT load_job('crash_first', :nodes) \g /dev/null
SELECT unit, weight, line_no FROM evidence('crash_first') e WHERE e.kind = 'named';

\echo == a failure does not begin with what a job was started with, and then iterated; but with an error, or a value of later
SELECT v.*, string_agg(o.place, ' ' ORDER BY o.place) AS places
FROM (VALUES ('range', 0, NULL::int, 0), ('new value', 0, NULL, 0), ('new value', 5, NULL, 0), ('new', 0, NULL, 0),
	('range', 0, 3, 0), ('range', 0, NULL, 9)) v (reason, gravity, iteration, second)
CROSS JOIN LATERAL l4_onset_records('alike', ARRAY(SELECT jsonb_populate_record(NULL::l4_unexplained_record,
	to_jsonb(s) || to_jsonb(v) || '{"first_line": 1, "ending": false, "role": false, "shape_id": 1}'
		|| jsonb_build_object('first_ts', '2026-11-20 22:00:00Z'::timestamptz + v.second * interval '1 s'))
	FROM l4_job_streams('alike') s WHERE s.kind = 'rank'), NULL, '{}', false, l4_limits_in_force()) o
GROUP BY v.reason, v.gravity, v.iteration, v.second ORDER BY 1, 2, 3, 4;

\echo == more ranks are awaited than there are, which have all come: no fault of theirs; of as many, of the one that has not
INSERT INTO line
SELECT j.job, r, r, 'train', x.at + r * 0.01, x.line
FROM (VALUES ('too_many', 5, 8), ('one_less', 4, 5)) j (job, joined, awaited), generate_series(0, 4) r, LATERAL (VALUES
	(0.1, 'INFO starting'), (20, CASE r WHEN 0 THEN format('ERROR timed out waiting for clients. %s/%s clients joined.',
		j.joined, j.awaited) ELSE 'ERROR wait timeout after 15000ms, remote=[n0]:7400' END)) x (at, line)
WHERE j.joined = 5 OR r <> 3 OR x.at < 1;
SELECT load_job(j, :nodes) FROM unnest('{too_many,one_less}'::text[]) j \g /dev/null
SELECT j AS job, e.unit, e.kind, e.weight FROM unnest('{too_many,one_less}'::text[]) j, evidence(j) e;

\echo == a launcher on each node ends its process, and says how it ended: one was killed before the others lost it
SELECT make_lines('returned'), fail('returned', '{0,1,3,4}', 22, 'Connection closed by peer') \g /dev/null
INSERT INTO line
SELECT 'returned', n, n, 'train', CASE n WHEN 2 THEN 21.5 ELSE 23 END + n * 0.01 + x.at, x.line
FROM generate_series(0, 4) n, LATERAL (VALUES (0.0, 'WARN [launch.py:41:sigkill_handler] Killing subprocess ' || 60 + n),
	(0.002, format('ERROR [launch.py:42:sigkill_handler] [''/usr/bin/python3'', ''train.py'', ''--dataset'', ''x''] '
		'exits with return code = %s', CASE n WHEN 2 THEN -9 ELSE 1 END))) x (at, line);
SELECT load_job('returned', :nodes) \g /dev/null
SELECT kind, unit, weight, sentence FROM evidence('returned') e WHERE e.weight > 0.5;

\echo == elsewhere: it alone has no collective to wait for, in the group of all; in another one nobody has
SELECT make_lines('pending'),
	fail('pending', '{0,1,3,4}', 21, '[PG ID 0 PG GUID 0(default_pg) Rank 1] Received a dump signal due to a collective '
		'timeout. Last enqueued NCCL work: 812, last completed NCCL work: 811.'),
	fail('pending', '{2}', 21, '[PG ID 0 PG GUID 0(default_pg) Rank 2] Received a dump signal due to a collective timeout. '
		'Last enqueued NCCL work: 811, last completed NCCL work: 811.'),
	fail('pending', '{0,1,2,3,4}', 22, '[PG ID 1 PG GUID 7(dp) Rank 0] failure detected by watchdog at work sequence id: 3 '
		'PG status: last enqueued work: 3, last completed work: 3') \g /dev/null
SELECT load_job('pending', :nodes) \g /dev/null
SELECT * FROM evidence('pending') e WHERE e.kind = 'elsewhere';

\echo == forest: by counts of unexplained records; one of them is enough to suspect nobody
DELETE FROM l4_limit WHERE NOT builtin;
INSERT INTO l4_limit (name, value) VALUES ('evidence_forest_places', 1);
SELECT make_lines('forest'), fail('forest', '{0,1,2,3,4}', 21, 'collective operation failed') \g /dev/null
SELECT fail('forest', '{2}', 21 + t * 0.1, 'collective operation failed') FROM generate_series(1, 30) t \g /dev/null
SELECT load_job('forest', :nodes) \g /dev/null
SELECT * FROM evidence('forest');
SELECT unit FROM l4_suspect_nodes('forest');

\echo == pairs: a rank is all its streams, here stdout and stderr; one line of stderr at the start is no stop without a word
DELETE FROM l4_limit WHERE NOT builtin;
INSERT INTO l4_limit (name, value) VALUES ('evidence_forest_places', 0);
SELECT make_lines('pairs'), fail('pairs', '{0,1,2,3}', 21, 'collective operation failed') \g /dev/null
UPDATE line SET source = 'rank-' || rank || '/stdout.log' WHERE job = 'pairs' AND rank IS NOT NULL;
INSERT INTO line
SELECT 'pairs', r, r, format('rank-%s/stderr.log', r), 0.5 + r * 0.01, 'WARNING this line alone goes to the other stream'
FROM generate_series(0, 4) r;
SELECT load_job('pairs', :nodes) \g /dev/null
SELECT * FROM evidence('pairs');
SELECT kind, node, rank, stage, iteration, explanation FROM l4_diagnose('pairs') WHERE kind IN ('stage', 'iteration');
\echo == pairs: a traceback on stderr is of the stage and iteration of what its rank says on stdout; a checkpoint tells its own
SELECT make_lines('traced') \g /dev/null
UPDATE line SET source = 'rank-' || rank || '/stdout.log' WHERE job = 'traced' AND rank IS NOT NULL;
DELETE FROM line WHERE job = 'traced' AND node = 2 AND at > 12;
INSERT INTO line VALUES ('traced', 2, 2, 'rank-2/stdout.log', 12.2, 'INFO saved checkpoint to /out/run/step_5'),
	('traced', 2, 2, 'rank-2/stderr.log', 12.5, 'ERROR device 0 failed');
SELECT load_job('traced', :nodes) \g /dev/null
SELECT source, first_iteration, last_iteration FROM l4_stream WHERE job_id = 'traced' AND rank = 2 ORDER BY source;
SELECT kind, node, rank, stage, iteration FROM l4_diagnose('traced') WHERE kind IN ('node', 'stage', 'iteration');
DELETE FROM l4_limit WHERE NOT builtin;

INSERT INTO l4_limit (name, value) VALUES ('evidence_forest_places', 0);
-- What is no evidence, or other evidence than it seems.
CREATE FUNCTION blamed(job text) RETURNS TABLE (unit text, reasons text) LANGUAGE sql AS $$
	SELECT s.unit, (SELECT string_agg(e.kind || ' ' || round(e.weight::numeric, 2), ', ' ORDER BY e.weight DESC, e.kind)
		FROM unnest(s.evidence) e) FROM l4_suspect_nodes(job) s ORDER BY s.ordinal
$$;
\echo == a cause in common: who alone says that it aborts, whom the launcher names, and who was cut off before it could speak
SELECT make_lines('common'), fail('common', '{0,1,2,3}', 21, 'ValueError: configuration expects 16 ranks, there are 5')
\g /dev/null
INSERT INTO line VALUES ('common', 2, 2, 'train', 22, 'ERROR rank 2 aborts the job'),
	('common', NULL, NULL, 'launcher', 23, 'ERROR job failed: rank 2 exited first');
SELECT load_job('common', :nodes) \g /dev/null
SELECT * FROM blamed('common');
\echo == the same where two ranks save, and both fail: the others only lose their peers
SELECT make_lines('savers') \g /dev/null
INSERT INTO line SELECT 'savers', r, r, 'train', 20.8, 'INFO saving checkpoint to /out/step_10'
FROM unnest('{1,3}'::int[]) r;
SELECT fail('savers', '{1,3}', 21, 'OSError: cannot write /out/step_10'), fail('savers', '{0,2,4}', 21.5,
	'connection reset by peer') \g /dev/null
SELECT load_job('savers', :nodes) \g /dev/null
SELECT * FROM blamed('savers');
\echo == the same where nothing tells who saves: two of five do not break at once, who lost a peer tells of that alone
SELECT make_lines('refused'), fail('refused', '{1,3}', 21, 'ConnectionError: the upload was refused 6 times'),
	fail('refused', '{0,2,4}', 21.5, 'connection reset by peer') \g /dev/null
SELECT load_job('refused', :nodes) \g /dev/null
SELECT * FROM blamed('refused');
\echo == one file in all complaints, whatever their words
SELECT make_lines('file') \g /dev/null
SELECT fail('file', '{0,1,2}', 21, 'OSError: stale handle: /out/data/index.bin'), fail('file', '{3,4}', 21,
	'RuntimeError: cannot map /out/data/index.bin') \g /dev/null
SELECT load_job('file', :nodes) \g /dev/null
SELECT * FROM blamed('file');
\echo == who speaks for all is not what it speaks of; an exception of its own is
SELECT make_lines('voice'), make_lines('voice_fails'), make_lines('voice_dies') \g /dev/null
DELETE FROM line WHERE job LIKE 'voice%' AND rank > 0;
INSERT INTO line SELECT j.job, r, r, 'train', 0.5, 'INFO ready'
FROM generate_series(1, 4) r, (VALUES ('voice'), ('voice_fails'), ('voice_dies')) j (job);
SELECT fail('voice', '{0}', 21, 'validation failed'), fail('voice_fails', '{0}', 21, 'ValueError: no such key'),
	fail('voice_dies', '{0}', 21, 'caught signal 11 (Segmentation fault)') \g /dev/null
SELECT load_job('voice', :nodes), load_job('voice_fails', :nodes), load_job('voice_dies', :nodes) \g /dev/null
SELECT * FROM blamed('voice');
SELECT * FROM blamed('voice_fails');
SELECT * FROM blamed('voice_dies');
\echo == a mention is no accusation, and source text in a traceback is none
SELECT make_lines('mention'), fail('mention', '{0,1,2,3,4}', 21, 'collective operation stopped') \g /dev/null
SELECT fail('mention', '{1,2}', 21.5, 'group 1 has ranks [3, 4], master_addr=n0') \g /dev/null
SELECT load_job('mention', :nodes) \g /dev/null
SELECT accuser, unit, name FROM l4_accusations('mention');
SELECT l4_told_text(E'ERROR step 3\nTraceback (most recent call last):\n  File "a.py", line 3, in wait\n'
	'    recv(rank=3, timeout=timeout)\n    ~~~~^^^\nValueError: no such key');
SELECT l4_told_text(E'[1,3]<stdout>: Traceback (most recent call last):\n[1,3]<stdout>:   File "a.py", line 3, in f\n'
	'[1,3]<stdout>:     wait(timeout)\n[1,3]<stdout>: KeyError: 7');
\echo == chains are followed to their end, a circle ends nowhere, most accusers are right though they are accused back; so they
\echo are where each of them names others, too
CREATE FUNCTION ends(edges text) RETURNS TABLE (unit text, votes numeric, share numeric) LANGUAGE sql AS $$
	SELECT e.unit, round(e.votes::numeric, 2), round(e.share::numeric, 2) FROM l4_accused_ends(ARRAY(
		SELECT ROW(p[2], p[2], NULL, p[2], p[1], 'rank', 'f', 0, dense_rank() OVER (ORDER BY p[1]), 1,
			timestamptz '2026-11-20 10:00+00' + make_interval(secs => p[3]::int), false, false, NULL, false)::l4_accusation
		FROM regexp_matches(edges, '(\w)>(\w)@?(\d+)?', 'g') p), l4_limits_in_force()) e ORDER BY e.unit
$$;
SELECT * FROM ends('a>b b>c c>d e>d');
SELECT * FROM ends('a>b b>c c>a');
-- but for one that misses another one when that had given up; of two who miss each other either may be right
SELECT * FROM ends('a>b@1 b>c@1 c>a@9 d>a@1');
SELECT * FROM ends('a>b@1 b>a@9');
SELECT * FROM ends('a>x b>x c>x x>a');
SELECT * FROM ends('a>x a>y b>x b>y c>x c>y y>x x>a');
\echo == with whom somebody is compared has it as it should be
SELECT l4_without_reference(t, l4_wordings_in_force()) FROM unnest(ARRAY[
	'program version 0.27.0 of rank 2 on node-1 differs from 0.28.3 of rank 0 on node-3: all must have the same',
	'settings of rank 5 differ from those of rank 0', 'hash of rank 1 deviates from rank 3 (node-2): abc',
	'loss differs between rank 3 and rank 4']) t;
\echo == one accuser is half a witness
SELECT make_lines('lone'), fail('lone', '{0,1,2,3,4}', 21, 'collective operation stopped'),
	fail('lone', '{2}', 21.5, 'lost rank 4') \g /dev/null
SELECT load_job('lone', :nodes) \g /dev/null
SELECT unit, kind, round(weight::numeric, 2) AS weight FROM l4_node_evidence('lone');
\echo == quiet is who does not complain as the others do, whatever it says of them later
SELECT make_lines('later_word'), fail('later_word', '{0,1,2,4}', 21, 'collective operation timed out'),
	fail('later_word', '{3}', 22, 'socket closed') \g /dev/null
SELECT load_job('later_word', :nodes) \g /dev/null
SELECT * FROM blamed('later_word');
\echo == quiet, but told to end before the job had stood still
SELECT make_lines('told'), fail('told', '{0,1,2,4}', 21, 'connection closed by peer') \g /dev/null
INSERT INTO line VALUES ('told', 3, NULL, 'launcher', 21.2, 'WARNING sending process 7 closing signal SIGTERM');
SELECT load_job('told', :nodes) \g /dev/null
SELECT unit, round(weight::numeric, 2) AS weight FROM l4_node_evidence('told') WHERE kind = 'quiet';
\echo == an error that speaks for itself, and alone, is a cause; one of start-up that its rank survived is not
SELECT make_lines('itself'), fail('itself', '{0,1,3,4}', 21, 'connection closed by peer'),
	fail('itself', '{2}', 21.5, 'ValueError: checksum of shard 7') \g /dev/null
SELECT make_lines('survives'), fail('survives', '{0,1,3,4}', 21, 'connection closed by peer'),
	fail('survives', '{2}', 20.9, 'ValueError: checksum of shard 7') \g /dev/null
DELETE FROM line WHERE job = 'survives' AND line LIKE '%step%';
INSERT INTO line SELECT 'survives', 2, 2, 'train', 20.95, 'INFO ' || w
FROM unnest('{reads again,reads well,goes on}'::text[]) w;
SELECT load_job('itself', :nodes), load_job('survives', :nodes) \g /dev/null
SELECT unit, kind, round(weight::numeric, 2) AS weight FROM l4_node_evidence('itself') WHERE kind IN ('own', 'first');
SELECT unit, kind, round(weight::numeric, 2) AS weight FROM l4_node_evidence('survives') WHERE kind IN ('own', 'first');
\echo == small jobs: one of two nodes is quiet, one of three is named; of one node with many ranks the ranks are compared
SELECT make_lines('two', 2), fail('two', '{0}', 21, 'connection closed by peer') \g /dev/null
SELECT load_job('two', (:nodes)[1:2]) \g /dev/null
SELECT * FROM blamed('two');
SELECT make_lines('two_alike', 2), fail('two_alike', '{0,1}', 21, 'ValueError: no such key') \g /dev/null
SELECT load_job('two_alike', (:nodes)[1:2]) \g /dev/null
SELECT * FROM blamed('two_alike');
SELECT make_lines('one', 1, 8), fail('one', '{0,1,2,3,4,6,7}', 21, 'collective operation timed out') \g /dev/null
INSERT INTO line VALUES ('one', NULL, NULL, 'controller', 20.5, 'INFO heartbeat of the only node');
SELECT load_job('one', (:nodes)[1:1], 8) \g /dev/null
SELECT unit, node, rank FROM l4_suspect_nodes('one');
SELECT unit, node, rank, logged FROM l4_job_units('one') ORDER BY rank LIMIT 2;
SELECT kind, node, rank, facts ->> 'unit' AS unit FROM l4_diagnose('one') WHERE kind = 'node';
SELECT make_lines('one_slow', 1, 8), make_lines('two_slow', 2, 4) \g /dev/null
UPDATE line SET line = replace(line, 'took 5', 'took 15') WHERE job LIKE '%_slow' AND rank = 5;
SELECT load_job('one_slow', (:nodes)[1:1], 8), load_job('two_slow', (:nodes)[1:2], 4) \g /dev/null
SELECT unit, node, rank, kind FROM l4_node_evidence('one_slow');
SELECT unit, node, rank, kind FROM l4_node_evidence('two_slow');
SELECT l4_is_few(1, 2, 0.3) AS one_of_two, l4_is_few(1, 1, 0.3) AS one_of_one, l4_is_few(2, 3, 0.3) AS two_of_three,
	l4_is_few(2, 8, 0.3) AS two_of_eight;
\echo == the first event is what the suspect says itself, not that a launcher sees it end, nor a hint or a ruler
SELECT make_lines('order'), fail('order', '{2}', 21, 'ValueError: checksum of shard 7'),
	fail('order', '{0,1,3,4}', 21.5, 'connection closed by peer') \g /dev/null
INSERT INTO line VALUES ('order', NULL, NULL, 'scheduler', 20.9, 'ERROR task 2: Aborted'),
	('order', 2, NULL, 'launcher', 21.2, 'ERROR rank 2 failed. Decorate your entrypoint with @record'),
	('order', 2, NULL, 'launcher', 21.3, 'ERROR ==========');
SELECT load_job('order', :nodes) \g /dev/null
SELECT ordinal, role, template FROM l4_diagnose('order') WHERE kind = 'event' ORDER BY ordinal LIMIT 2;
\echo == up to a third of the nodes that fail each by itself are all named
SELECT make_lines('third', 9), fail('third', '{1}', 21, 'ValueError: checksum of shard 7'),
	fail('third', '{4}', 21.2, 'OSError: device 3 is gone'), fail('third', '{8}', 21.4, 'MemoryError: no room left'),
	fail('third', '{0,2,3,5,6,7}', 20.95, 'connection closed by peer') \g /dev/null
SELECT load_job('third', ARRAY(SELECT 'n' || i FROM generate_series(0, 8) i)) \g /dev/null
SELECT * FROM blamed('third');
\echo == many nodes at once: up to a third that fail each by itself are all named, each with its own reason and root
SELECT make_lines('many', 9) \g /dev/null
SELECT fail('many', '{1}', 21, 'RuntimeError: CUDA error: illegal access'), fail('many', '{4}', 21.4, 'OSError: disk is full'),
	fail('many', '{7}', 31, 'MemoryError: no more memory'), fail('many', '{0,2,3,5,6,8}', 21.2, 'connection reset by peer')
\g /dev/null
SELECT load_job('many', ARRAY(SELECT 'n' || n FROM generate_series(0, 8) n)) \g /dev/null
SELECT ordinal, node, explanation FROM l4_diagnose('many') WHERE kind = 'node';
SELECT ordinal, node, role, template FROM l4_diagnose('many') WHERE kind = 'event';
\echo == that the process of a suspect ended is no effect; that those of the others did is
SELECT make_lines('exits') \g /dev/null
SELECT fail('exits', '{0,1,3,4}', 41, 'connection reset by peer') \g /dev/null
INSERT INTO line SELECT 'exits', n, NULL, 'agent.log', CASE n WHEN 2 THEN 22 ELSE 42 + n END,
	CASE n WHEN 2 THEN 'ERROR worker exited with code -9' ELSE 'ERROR local_rank 0 failed with exit status 1' END
FROM generate_series(0, 4) n;
SELECT load_job('exits', :nodes) \g /dev/null
SELECT * FROM blamed('exits');
SELECT ordinal, node, role, template FROM l4_diagnose('exits') WHERE kind = 'event';
\echo == the host of a scheduler has no ranks and is on no list: it is not compared with those that have, but has its trouble
SELECT make_lines('outside') \g /dev/null
INSERT INTO line VALUES ('outside', 5, NULL, 'sched.log', 20, 'ERROR disk /dev/sda: I/O error');
SELECT load_job('outside', :nodes || 'ctl'::text) \g /dev/null
DELETE FROM l4_limit WHERE name = 'evidence_forest_places' AND NOT builtin;
SELECT unit, kind, round(weight::numeric, 2) AS weight FROM l4_node_evidence('outside') WHERE unit = 'ctl' ORDER BY kind;
UPDATE l4_job SET nodes = :nodes WHERE job_id = 'outside';
SELECT unit, kind, round(weight::numeric, 2) AS weight FROM l4_node_evidence('outside') WHERE unit = 'ctl' ORDER BY kind;
INSERT INTO l4_limit (name, value) VALUES ('evidence_forest_places', 0);
\echo == a list of hosts names all of them
SELECT string_agg(h.host, ' ' ORDER BY h.host) AS hosts FROM l4_listed_hosts(
	ARRAY['NodeList=gpu-a[07-09,12],gpu-b[3] rack[9-10].lan dc[7-9].n2 e[9-3] [3] n[x]'],
	'{gpu-a07,gpu-a8,gpu-a08,gpu-a10,gpu-a12,gpu-b3,gpu-b03,rack10.lan,rack10,rack9.lan,dc8.n2,dc8.n3,e4,n3,3}') h;
-- ranges are not written out
SELECT count(*) AS hosts FROM l4_listed_hosts(ARRAY[repeat('n[0-999999] ', 100000)],
	ARRAY(SELECT 'n' || n FROM generate_series(0, 4095) n) || 'm7'::text) h;
SELECT string_agg(m.unit, ' ' ORDER BY m.unit) AS units FROM l4_mentions('outside', ARRAY['node n[0,2-3] failed']) m;
\echo == who is ended by a signal first, as the others end otherwise after that, was not told to; who is ended later was
SELECT make_lines('first_ended'), make_lines('last_ended') \g /dev/null
INSERT INTO line SELECT j, NULL, NULL, 'launcher.out', 22 + t.turn, 'ERROR srun: ' || t.line
FROM (VALUES ('first_ended', 0), ('last_ended', 9)) j (j, place), LATERAL (VALUES (j.place, 'n2: task 2: Terminated'),
	(1, 'n0: task 0: Exited with exit code 1'), (2, 'n3: tasks 3-4: Exited with exit code 1')) t (turn, line);
SELECT load_job('first_ended', :nodes), load_job('last_ended', :nodes) \g /dev/null
SELECT j, a.unit, a.ending FROM unnest('{first_ended,last_ended}'::text[]) j, l4_accusations(j) a WHERE a.unit = 'n2';
-- nor is that of one that the order to end names
SELECT make_lines('cancelled') \g /dev/null
INSERT INTO line SELECT 'cancelled', NULL, NULL, 'launcher.out', 22 + t.turn, t.line
FROM (VALUES (0, 'ERROR slurmstepd: error: *** STEP 7.0 ON n2 CANCELLED AT 22:00:22 ***'),
	(1, 'ERROR srun: n0: task 0: Killed'), (2, 'ERROR srun: n2: task 2: Killed')) t (turn, line);
SELECT load_job('cancelled', :nodes) \g /dev/null
SELECT DISTINCT a.unit, a.ending FROM l4_accusations('cancelled') a WHERE a.unit = 'n2' ORDER BY a.ending;
-- of several it says the same as of one
SELECT DISTINCT unit, numbers ->> 'units_named' AS named FROM evidence('last_ended') WHERE kind = 'named' ORDER BY unit;
\echo == who stops without a word as another one failed by itself, and was then told to end
SELECT make_lines('ended_quiet'), fail('ended_quiet', '{0,1,4}', 22, 'connection closed by peer'),
	fail('ended_quiet', '{3}', 21, 'ValueError: cannot write shard 7') \g /dev/null
INSERT INTO line SELECT 'ended_quiet', NULL, NULL, 'launcher.out', 22.5 + t.turn, 'ERROR srun: ' || t.line
FROM unnest('{"n3: task 3: Exited with exit code 1","n2: task 2: Terminated"}'::text[]) WITH ORDINALITY t (line, turn);
SELECT load_job('ended_quiet', :nodes) \g /dev/null
SELECT unit, round(weight::numeric, 2) AS weight FROM l4_node_evidence('ended_quiet') WHERE kind = 'quiet';
SELECT * FROM blamed('ended_quiet');
\echo == where a job ended says nothing beside whom units miss; but where they miss nobody
SELECT make_lines('led'), make_lines('only_led'), fail('led', '{0}', 21, 'lost rank 2: connection closed') \g /dev/null
INSERT INTO line SELECT j, 5, NULL, 'sched.log', 22, 'ERROR job 7 finished on n1 with exit status 1'
FROM unnest('{led,only_led}'::text[]) j;
SELECT load_job('led', :nodes || 'ctl'::text), load_job('only_led', :nodes || 'ctl'::text) \g /dev/null
UPDATE l4_job SET nodes = :nodes WHERE job_id IN ('led', 'only_led');
SELECT j, e.unit, round(e.weight::numeric, 2) AS weight, e.numbers ->> 'share' AS share
FROM unnest('{led,only_led}'::text[]) j, l4_node_evidence(j) e WHERE e.kind = 'accused' ORDER BY j, e.unit;
\echo == whose process ended that had missed another one before others missed it
SELECT make_lines('missed_before'), fail('missed_before', '{1}', 21, 'lost rank 2: connection closed'),
	fail('missed_before', '{0}', 25, 'lost rank 1: connection closed') \g /dev/null
INSERT INTO line VALUES ('missed_before', NULL, NULL, 'controller', 26, 'ERROR process on n1 exited with status 1');
SELECT load_job('missed_before', :nodes) \g /dev/null
SELECT unit, part FROM evidence('missed_before') WHERE kind = 'named';
\echo == the names of the options of a command are no words of trouble
SELECT l4_text_gravity(t, l4_wordings_in_force()) AS gravity, t ~ (l4_wordings_in_force()).peer AS peer,
	l4_told_text(t) ~ (l4_wordings_in_force()).peer AS told_peer
FROM unnest(ARRAY['cmd = python3 train.py --distributed-timeout 10 --fail-fast', 'the barrier failed: timeout']) t;
DROP FUNCTION ends, blamed;
DELETE FROM l4_limit WHERE NOT builtin;

-- A weight and a limit of the site's own count: half as much, and nothing where the limit is out of reach.
INSERT INTO l4_limit (name, value) VALUES ('weight_slow', 1), ('evidence_counter_factor', 1000);
SELECT kind, round(weight::numeric, 3) AS weight FROM l4_node_evidence('slow');
SELECT count(*) AS counters FROM l4_node_evidence('counter');

DELETE FROM l4_limit WHERE NOT builtin;
DROP TABLE line; DROP FUNCTION make_lines, fail, load_job, evidence;
DELETE FROM l4_stream; DELETE FROM l4_segment; DELETE FROM l4_source_counts; DELETE FROM l4_parameter_sketch; 
DELETE FROM l4_source_state;
DELETE FROM l4_timeline; DELETE FROM l4_job; DELETE FROM l4_shape; DELETE FROM l4_event; DELETE FROM l4_address;
