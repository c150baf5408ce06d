-- What stands between a program and its file: collectors that stamp each line, launchers that call nodes by their addresses,
-- clocks of another time zone. And what is told then of a job of four nodes with one rank each.
CREATE SCHEMA collectors;
SET search_path = collectors, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, node int, source text, at numeric, turn serial, line text);
-- {t}: the time; {z}, {y}: the same where clocks are eight hours ahead or behind, with no zone's name
CREATE FUNCTION say(job text, nodes int[], source text, at numeric, VARIADIC lines text[]) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line (job, node, source, at, line)
	SELECT job, n, format(source, n), at + n * 0.001, format(l.line, n, (n + 1) % 4)
	FROM unnest(nodes) n, unnest(lines) WITH ORDINALITY l (line, turn) ORDER BY n, l.turn
$$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', status, '{node-0,node-1,node-2,node-3}', 1);
	RETURN (l4_ingest(job, format($q$
		SELECT replace(replace(replace(line,
			'{y}', to_char(timestamp '2026-11-20 04:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS')),
			'{t}', to_char(timestamp '2026-11-20 12:00' + at * interval '1 s', 'YYYY-MM-DD_HH24:MI:SS.US')),
			'{z}', to_char(timestamp '2026-11-20 20:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS')) AS line,
			CASE WHEN source NOT LIKE '\_%%' THEN 'node-' || node END AS node, source
		FROM line WHERE job = %L ORDER BY turn$q$, job))).rows;
END $$;
CREATE FUNCTION train(job text, steps int) RETURNS void LANGUAGE sql AS $$
	SELECT say(job, '{0,1,2,3}', 'node-%s/rank-%1$s/current', s,
		format('{t} INFO  [main] t.Main - iteration %s done: loss %s', s, 9 - s * 0.1)) FROM generate_series(1, steps) s
$$;
CREATE FUNCTION ray(j text, files text DEFAULT '{z}') RETURNS void LANGUAGE sql AS $$
	SELECT say(j, '{0,1,2,3}', 'node-%s/sys/messages', 0.5, files || ' INFO warden: watching this node'),
		say(j, '{0,1,2,3}', '_controller/fleet.log', 0.6, files || ' INFO fleet: node-%s (10.0.3.1%1$s) reports'),
		say(j, '{0,1,2,3}', '_controller/driver.out', 0.8, '(Worker pid=31, ip=10.0.3.1%s) ready');
	SELECT say(j, '{0,1,2,3}', '_controller/driver.out', 1 + s,
		format('(Worker pid=31, ip=10.0.3.1%%s) {t} INFO  [main] t.Main - iteration %s done: loss %s', s, 9 - s * 0.1))
	FROM generate_series(1, 11) s;
	SELECT say(j, '{0,1,2,3}', 'node-%s/sys/messages', t, files || ' INFO warden: 3 sockets') FROM unnest('{9,13}'::int[]) t
$$;
CREATE FUNCTION told(job text)
	RETURNS TABLE (kind text, node text, stage text, iteration bigint, explanation text, evidence text)
LANGUAGE sql AS $$
	SELECT d.kind, d.node, d.stage, d.iteration, d.explanation, d.evidence FROM l4_diagnose(job) d
	WHERE d.kind = 'node' OR d.ordinal = 1 AND d.kind IN ('stage', 'event')
$$;

\echo == a stamp before each line parts neither a Java exception from its frames nor a traceback from its error
SELECT say('stamps', '{0}', 'node-%s/rank-0/current', 1,
	'{t} INFO  [main] t.Main - begins',
	'{t} ERROR [main] t.Main - training aborted',
	'{t} java.io.IOException: No space left on device',
	E'{t} \tat java.base/java.io.FileOutputStream.write(FileOutputStream.java:346)',
	E'{t} \tat t.Main.main(Main.java:101)',
	'{t} Caused by: java.io.EOFException',
	E'{t} \tat t.Tree.receive(Tree.java:108)',
	E'{t} \t... 3 more',
	'{t} finish: left with exit code 1',
	'{t} java.lang.IllegalStateException: on its own',
	E'{t} \tat t.Main.main(Main.java:7)',
	'{t} INFO  [main] t.Main - an item',
	'{t}   indented, and no part of it',
	'{t} Traceback (most recent call last):',
	'{t}   File "train.py", line 7, in main',
	'{t}     step()',
	'{t} ValueError: no such step') \g /dev/null
-- a second later nothing goes on
SELECT say('stamps', '{0}', 'node-%s/rank-0/current', 3, E'{t} \tat t.Main.late(Main.java:1)') \g /dev/null
SELECT load_job('stamps');
SELECT line_no, level, message FROM l4_log WHERE job_id = 'stamps' ORDER BY line_no;
SELECT string_agg(l.raw, E'\n' ORDER BY l.line_no) = (SELECT string_agg(replace(o.line, '{t}',
		to_char(timestamp '2026-11-20 12:00' + o.at * interval '1 s', 'YYYY-MM-DD_HH24:MI:SS.US')), E'\n' ORDER BY o.turn)
	FROM line o WHERE o.job = 'stamps') AS as_it_was
FROM l4_log l WHERE l.job_id = 'stamps';

\echo == one headline on all nodes is no common cause where what it announces differs; the error is quoted, not its last frame
SELECT train('ok', 12), train('ok_2', 12), train('full', 10) \g /dev/null
SELECT say('full', '{2}', 'node-%s/rank-%1$s/current', 10.5, '{t} ERROR [main] t.Main - training aborted',
	'{t} java.io.IOException: No space left on device', E'{t} \tat t.Main.save(Main.java:87)',
	E'{t} \tat t.Main.main(Main.java:101)'),
	say('full', '{0,1,3}', 'node-%s/rank-%1$s/current', 11, '{t} ERROR [main] t.Main - training aborted',
	'{t} t.Tree$PeerException: partial sum not received', E'{t} \tat t.Main.main(Main.java:101)',
	'{t} Caused by: java.io.EOFException', E'{t} \t... 3 more') \g /dev/null
SELECT load_job(j, s) FROM (VALUES ('ok', 'succeeded'), ('ok_2', 'succeeded'), ('full', 'failed')) j (j, s) \g /dev/null
SELECT kind, node, stage, iteration, evidence FROM told('full') WHERE kind <> 'event';

\echo == labels that call nodes by their addresses, where other logs know the names; and logs of the nodes in another zone
SELECT ray(j) FROM (VALUES ('ray_ok'), ('ray_ok_2'), ('ray_full')) j (j) \g /dev/null
SELECT say('ray_full', '{1}', 'node-%s/sys/messages', 12.1, '{z} WARN warden: /mnt/local is full: 0 blocks free'),
	say('ray_full', '{1}', '_controller/driver.out', 12.5,
		'(Worker pid=31, ip=10.0.3.1%s) {t} ERROR [main] t.Main - cannot write') \g /dev/null
SELECT load_job(j, s)
FROM (VALUES ('ray_ok', 'succeeded'), ('ray_ok_2', 'succeeded'), ('ray_full', 'failed')) j (j, s) \g /dev/null
SELECT node, told_node, label FROM l4_stream WHERE job_id = 'ray_full' AND label IS NOT NULL ORDER BY label COLLATE "C";
SELECT count(*) AS units FROM l4_job_units('ray_full');
SELECT s.source, z.ahead FROM l4_zone_shifts('ray_full', l4_limits_in_force()) z
JOIN l4_job_streams('ray_full') s ON s.stream_id = z.stream_id ORDER BY s.source COLLATE "C";
SELECT kind, node, stage, iteration FROM told('ray_full');
SELECT source, first_ts FROM l4_unexplained('ray_full') ORDER BY first_ts;
\echo == where all overlap, no zone is another one
SELECT count(*) FROM l4_zone_shifts('full', l4_limits_in_force());

\echo == who quotes the value that a node has and the one that it should have tells what is wrong; who joins is no iteration
SELECT say('build', '{0,1,3}', 'node-%s/rank-%1$s/current', 1, '{t} INFO  [main] t.Main - tree build 3.4.1 on this node'),
	say('build', '{2}', 'node-%s/rank-%1$s/current', 1, '{t} INFO  [main] t.Main - tree build 3.3.9 on this node'),
	say(j, '{0,1,2,3}', 'node-%s/rank-%1$s/current', 1, '{t} INFO  [main] t.Main - tree build 3.4.1 on this node')
FROM (VALUES ('ok_3'), ('ok_4')) j (j) \g /dev/null
DELETE FROM line l USING line o WHERE l.job = o.job AND l.job = 'build' AND l.node = o.node AND l.turn > o.turn;
SELECT train(j, 12) FROM (VALUES ('ok_3'), ('ok_4')) j (j) \g /dev/null
SELECT say('build', '{0}', 'node-%s/rank-%1$s/current', 1 + m * 0.1,
	format('{t} INFO  [main] t.Tree - member %s came (%s/4)', 4 - m, m))
FROM generate_series(1, 3) m \g /dev/null
SELECT say('build', '{0}', 'node-%s/rank-%1$s/current', 2, 
		'{t} ERROR [main] t.Tree - member 2 at node-2 runs build 3.3.9, 3.4.1 is here: refused'),
	say('build', '{1,2,3}', 'node-%s/rank-%1$s/current', 3, '{t} ERROR [main] t.Main - node-0 closed the connection')
	\g /dev/null
SELECT load_job(j, s) FROM (VALUES ('ok_3', 'succeeded'), ('ok_4', 'succeeded'), ('build', 'failed')) j (j, s) \g /dev/null
SELECT kind, node, stage, iteration, explanation FROM told('build') WHERE kind <> 'event';
SELECT (l4_learn_counter('build')).shape_ids IS NULL AS no_counter;

\echo == a record without a stamp in a file that tells of no iterations: where the job stood when that file next told the time
-- its zone is another one, too
SELECT ray(j, '{y}'), say(j, '{2,3}', 'node-%s/sys/kern.log', 0.5, '{y} INFO  [main] t.Nanny - starts'),
	say(j, '{3}', 'node-%s/sys/kern.log', 9, 'Exception in thread loader-1: row 7 has a wrong sum'),
	say(j, '{2,3}', 'node-%s/sys/kern.log', 12.6, '{y} INFO  [main] t.Nanny - ends')
FROM (VALUES ('ray_late')) j (j) \g /dev/null
SELECT load_job('ray_late') \g /dev/null
SELECT s.source, z.ahead FROM l4_zone_shifts('ray_late', l4_limits_in_force()) z
JOIN l4_job_streams('ray_late') s ON s.stream_id = z.stream_id WHERE s.source LIKE '%kern.log' ORDER BY s.source COLLATE "C";
SELECT o.place, o.stage, o.iteration, o.node FROM l4_onsets('ray_late', suspects => '{node-3}') o WHERE o.place = 'outside';

SELECT array_agg(j.job_id ORDER BY j.job_id COLLATE "C") AS jobs FROM l4_job j
WHERE j.job_id IN (SELECT l.job FROM line l) \gset
SELECT l4_delete_job(d) FROM unnest(:'jobs'::text[]) d \g /dev/null
DROP SCHEMA collectors CASCADE;
