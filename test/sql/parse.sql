-- l4_parse: the head of a line, its message and its shape.
SET timezone = 'UTC';
\pset null '~'
CREATE FUNCTION pg_temp.head(line text, zone text DEFAULT 'UTC', reference timestamptz DEFAULT '2026-11-21 00:00+00')
	RETURNS TABLE (formats text[], "time" timestamptz, level text, component text, rank int, message text)
	LANGUAGE sql AS $$
	SELECT l4_line_formats(line), (p).time, (p).level, (p).component, (p).rank, (p).message
	FROM (SELECT l4_parse(line, zone, reference) AS p) AS parsed $$;
CREATE FUNCTION pg_temp.sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE statement;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN SQLSTATE || ': ' || SQLERRM || coalesce(' | ' || nullif(hint, ''), '');
END $$;

-- prefixes stack; the outer number is a rank, or a launcher's task where a local rank follows
SELECT (h).* FROM (SELECT pg_temp.head(line) AS h FROM (VALUES
	('12: [rank12]:[E1206 18:44:12.715298746 ProcessGroupNCCL.cpp:607] [Rank 12] Watchdog caught a timeout'),
	('  3: :::MLLOG {"namespace": "", "time_ms": 1746038226463, "key": "run_stop"}'),
	('3: [default7]: loss is nan'),
	('[default7]:[rank23]: Traceback (most recent call last):'),
	('[rank5]:   File "train.py", line 3, in main'),
	('node-3: 12: INFO:root:three prefixes are too many? no'),
	('[1,12]<stderr>:oops'),
	(E'\x1b[36m(WorkerDict pid=904548)\x1b[0m step 3'),
	-- a bare number or name counts only before something known
	('12: nothing known follows'), ('error404: nothing known follows'), ('12:'), ('Traceback (most recent call last):'),
	('  File "train.py", line 3, in main'), ('step: 12, loss: 3.5'), ('12:34:56 is a time of day')
	) AS v(line)) AS x;

-- frameworks
SELECT (h).* FROM (SELECT pg_temp.head(line) AS h FROM (VALUES
	('[INFO] HCCL(19,python3):2026-11-20-22:26:44.852.129 [ring.py:51][19][main] communicator created, rankSize[16]'),
	('2026-11-20 22:22:47,707 INFO:megatron_lite.training:[rank1] initialized tensor model parallel with size 1'),
	('[2026-11-20 22:41:34,800] [INFO] [train_sft.py:55:main] [Rank 0] process group initialized'),
	('2026-11-20T22:26:03.342Z INFO heartbeatd node node-14 registered'),
	('Nov 20 23:00:30.905 node-06 kernel[15]: <err> [ 3942.267497] Memory cgroup out of memory'),
	('48: Feb 16 11:46:12.517314 slurmstepd: error: Detected 6 oom_kill events'),
	('gpu-12:25573:26510 [4] misc/socket.cc:50 NCCL WARN Connection reset'),
	('[W init.cpp:843] Warning: nvfuser is no longer supported'),
	('05/10/2024 02:41:06 - INFO - trainer - ready'),
	('2024-01-01 12:00:00,123 Error: opening the file failed'),
	('2024-01-01 12:00:00 error: lower case with a colon is a level'),
	('2024-01-01 12:00:00 error without a colon is a word'),
	('<30>Nov 20 22:26:03 host sshd[1]: hello')
	) AS v(line)) AS x;

-- times: fractions are cut to microseconds, zones, years, what is no time
SELECT line, (l4_parse(line, 'Europe/Berlin', '2026-03-01 00:00+00')).time FROM (VALUES
	('2026-11-20 22:26:03.999999999 x'), ('2026-11-20T22:26:03,5 x'), ('2026-11-20T22:26:03Z x'),
	('2026-11-20T22:26:03+05:30 x'),
	('2026-11-20T22:26:03-0800 x'), ('2026-07-01 12:00:00 x'), ('2026-10-25 02:30:00 x'), ('2026-03-29 02:30:00 x'),
	('Mar  1 23:00:00 host a: x'), ('Mar  3 23:00:00 host a: x'), ('Dec 31 23:00:00 host a: x'), ('Feb 29 01:00:00 host a: x'),
	('[E331 20:50:12.6 a.cpp:1] x'), ('[E230 20:50:12.6 a.cpp:1] x'), ('I1231 23:59:60.000000 1 a.py:1] x'),
	('I20240229 10:00:00.5 1 a.py:1] x'),
	('2026-02-30 10:00:00 x'), ('2026-02-28 25:00:00 x'), ('2026-13-01 10:00:00 x'), ('0000-01-01 10:00:00 x'),
	('2024-02-29 10:00:00 x'),
	('17/06/09 20:10:40 INFO a.b: x'), ('081109 203615 148 INFO a.b: x'), ('13/05/2024 02:41:06 - INFO - a - x'),
	('- 1117838570 2005.06.03 R02 2005-06-03-15.42.50.675872 R02 RAS KERNEL INFO x'), ('[Sun Jan  5 20:25:34 2025] x'),
	('10.0.0.7 - - [02/Nov/2024:10:11:12 +0200] "GET"'), ('[171167.620236] x'),
	('[22/Nov/2025:10:11:12.5] x'), ('INFO [22.11. 13:44:42] a: x'), ('22.11.2025 13:44:42 - INFO - x'),
	('22.11.25 13:44:42 x'), ('[11/22 13:44:42] x'), ('I 2025-11-22 13:47:42,133 a:108] x'), ('31.11. 13:44:42 x')
	) AS v(line);
-- no reference: the year 1970; no zone given: UTC
SELECT (l4_parse('Nov 20 22:26:03 host a: x')).time, (l4_parse('2026-11-20 22:26:03 x', NULL, NULL, NULL)).time;
-- the same call site with changing arguments
SELECT zone, (l4_parse('2026-11-20 22:26:03 x', zone)).time
FROM (VALUES (1, 'UTC'), (2, 'Asia/Shanghai'), (3, 'UTC'), (4, 'EST5EDT'), (5, 'Asia/Kathmandu')) AS v(i, zone) ORDER BY i;

-- a record of several lines: the header is that of the first
SELECT p.time, p.level, p.message, p.template, p.params
FROM l4_parse(E'2026-11-20 22:26:03,5 ERROR a.b: failed\r\nTraceback 7:\n2026-11-21 00:00:00 INFO not a header') AS p;
-- shape and parameters give back the message
SELECT p.template, p.params, p.shape_id = l4_shape_id(p.message) AS same_id, p.template = l4_shape(p.message) AS same_shape
FROM l4_parse('[INFO] worker 7 of node-12 wrote /mnt/x/step_20.pt in 3.5 s <*>') AS p;
SELECT l4_shape('user alice logged in', ARRAY['alice|bob']), l4_shape('user bob logged in', ARRAY['alice|bob']),
	l4_shape('user bob logged in'),
	l4_shape_id('user alice logged in', ARRAY['alice|bob']) = l4_shape_id('user bob logged in', ARRAY['alice|bob']) AS equal;
-- a host's full name with a port is one parameter; a place in a source file, and a module, are none
SELECT m AS message, l4_shape(m)
FROM unnest(ARRAY['node-a.cluster.local:29500 joined', 'connected to a.b.edu.hk:22, at last', 'master.corp: 3 tries',
	'engine.py:52 saved', 'in a.b.main.rs:10',
	'in com.x.Trainer:12', 'torch.nn:3', 'localhost:29500', 'a..com:1', 'com:1']) AS m;
SELECT (p).template, (p).params
FROM (SELECT l4_parse('INFO:root:user alice', masks => masks) AS p
	FROM (VALUES (1, ARRAY['alice']), (2, NULL), (3, '{}'), (4, ARRAY['alice'])) AS v(i, masks) ORDER BY i) AS x;

-- NULL, empty, odd bytes
SELECT l4_parse(NULL) IS NULL AS null_line, l4_shape(NULL) IS NULL AS null_shape, l4_shape_id(NULL) IS NULL AS null_id,
	l4_line_formats(NULL) IS NULL AS null_formats;
SELECT p.time, p.level, p.component, p.rank, p.message = '' AS empty, p.template, p.params FROM l4_parse('') AS p;
SELECT p.level, p.message, p.params FROM l4_parse(E'\n') AS p;
SELECT p.level, p.component, p.message, p.template FROM l4_parse(E'INFO:wörker:größe \u2028 7 \x01\x7f') AS p;
SELECT length(p.message), p.level FROM l4_parse('[INFO] ' || repeat('x', 100000)) AS p;
SELECT l4_line_formats(repeat('[', 5000)), l4_line_formats(repeat('1: ', 5000)), l4_line_formats(repeat('a.', 5000) || ':'),
	l4_line_formats(repeat(' ', 5000));

-- errors
SELECT pg_temp.sqlstate_of($$SELECT l4_parse('x', 'Nowhere/Land')$$);
SELECT pg_temp.sqlstate_of($$SELECT l4_parse('x', '')$$);
SELECT pg_temp.sqlstate_of($$SELECT l4_parse('x', masks => ARRAY['('])$$);
SELECT pg_temp.sqlstate_of($$SELECT l4_shape('x', ARRAY['a', NULL])$$);
SELECT pg_temp.sqlstate_of($$SELECT l4_shape_id('x', ARRAY[['a'], ['b']])$$);

-- what the planner may assume
SELECT proname, provolatile, proparallel, proisstrict FROM pg_proc
WHERE proname IN ('l4_parse', 'l4_line_formats', 'l4_shape', 'l4_shape_id', 'l4_builtin_formats') ORDER BY proname COLLATE "C";

-- lines of JSON: the time may come first or last, as text or as a number; an object without one is a message
SELECT (p).time AT TIME ZONE 'UTC' AS time, (p).level, (p).rank, l4_line_formats(line) AS formats
FROM (SELECT line, l4_parse(line) AS p FROM (VALUES
	('{"time":"2026-11-21T10:00:00Z","level":"error","msg":"rank 3 failed","rank":3}'),
	('{"log":"step 10 done\n","stream":"stderr","time":"2026-11-21T10:00:00.1Z"}'),
	('{"msg":"rank 3 failed","level":"error","ts":1763719200.123}'),
	('{"msg":"took long","time":35.2}')) v (line)) x;

-- each row has a reference of its own for times without a year; that makes no new parser, which would take minutes here
SELECT array_agg(extract(year FROM (l4_parse('Jan  5 10:00:00 node-1 kernel: up', 'UTC', r.at)).time) ORDER BY r.number)
FROM unnest(ARRAY['2024-06-01', '2026-06-01', '2025-01-02', '2026-06-01']::timestamptz[]) WITH ORDINALITY r (at, number);
BEGIN;
SET LOCAL statement_timeout = '60s';
SELECT count(p.time) FROM generate_series(1, 20000) i,
	LATERAL l4_parse('Jan  5 10:00:00 node-1 kernel: up', 'UTC', timestamptz '2026-06-01 00:00+00' + i * interval '1 s') p;
COMMIT;

-- structured data of a syslog record: registered elements describe it, others whose it is; what a program counts in is said
SELECT (p).time AT TIME ZONE 'UTC' AS time, (p).component, (p).message, l4_shape((p).message)
FROM (SELECT l4_parse(line) AS p FROM (VALUES
	('<30>1 2026-11-27T11:41:49.5+00:00 n0 guard 29 TCP [timeQuality isSynced="1"][tcp@9 open="2" retrans_segs="7"] counted'),
	('<30>1 2026-11-27T11:41:49.5+00:00 n0 guard 29 TCP [timeQuality tzKnown="1"][meta sequenceId="29"] counted'),
	('<30>1 2026-11-27T11:41:49.5+00:00 n0 guard 29 TCP [k8s@9 pod="train-3" node="n0"] counted'),
	('<30>1 2026-11-27T11:41:49.5+00:00 n0 guard 29 TCP - counted')) v (line)) x;
