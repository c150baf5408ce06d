-- Ranks that share a file of which each line has a header of its own: tracebacks that others' lines tear apart are as alike as
-- whole ones; what an exception lists below it is no source text; and a job whose time is up has nobody to blame.
CREATE SCHEMA torn_tracebacks;
SET search_path = torn_tracebacks, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, number serial, at numeric, rank int, line text);
-- four containers with a rank each, on nodes that their first line tells
CREATE FUNCTION run_job(job text, steps int, command text DEFAULT 'python3 -m train') RETURNS void LANGUAGE sql AS $$
	INSERT INTO line (job, at, rank, line)
	SELECT job, 0.1 + r * 0.01, r, l.line FROM generate_series(0, 3) r, LATERAL (VALUES
		(1, format('INFO: rank %s runs on node-%s', r, r)), (2, '+ exec ' || command)) l (place, line) ORDER BY r, l.place;
	INSERT INTO line (job, at, rank, line)
	SELECT job, s + r * 0.01, r, format('INFO: train: step %s/40 loss %s', s, round(3 - s / 20.0, 3))
	FROM generate_series(1, steps) s, generate_series(0, 3) r ORDER BY s, r;
$$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', status, '{node-0,node-1,node-2,node-3}', 1);
	RETURN (l4_ingest(job, format($q$
		SELECT to_char(timestamp '2026-11-20 10:00' + at * interval '1 s', '[YYYY-MM-DD"T"HH24:MI:SS.US"Z"]')
			|| CASE WHEN rank IS NULL THEN ' ' ELSE format(' %%s [rank=%%s] || ',
				('{62096af2,ad1ac425,5a2f0307,be96a02c}'::text[])[rank + 1], rank) END || line AS line,
			CASE WHEN rank IS NULL THEN '_out/master.log' ELSE '_out/trial.log' END AS source
		FROM line WHERE job = %L ORDER BY rank IS NULL, number$q$, job))).rows;
END $$;
CREATE FUNCTION blamed(job text) RETURNS TABLE (node text, explanation text) LANGUAGE sql AS $$
	SELECT d.node, d.explanation FROM l4_diagnose(job) d WHERE d.kind = 'node' ORDER BY d.ordinal
$$;
SELECT run_job(j, 40), load_job(j, 'succeeded') FROM unnest('{fine,fine2}'::text[]) j \g /dev/null

\echo == all fail alike: two tracebacks are whole, one is torn once, of one a frame stands alone
SELECT run_job('torn', 20) \g /dev/null
CREATE VIEW frames AS SELECT * FROM (VALUES (1, 'Traceback (most recent call last):'),
	(2, '  File "/app/train.py", line 150, in <module>'), (3, '    main()'), (4, '  File "/app/train.py", line 26, in warm'),
	(5, '    return (step + 1) / cfg.warmup'), (6, 'ZeroDivisionError: float division by zero')) f (place, line);
INSERT INTO line (job, at, rank, line)
SELECT 'torn', 21 + o.number / 1000.0, o.rank, f.line
FROM (VALUES (1, 3, 1, 2), (2, 2, 1, 6), (3, 3, 3, 3), (4, 0, 1, 1), (5, 3, 4, 6), (6, 1, 1, 6), (7, 0, 2, 6))
	o (number, rank, first, last)
JOIN frames f ON f.place BETWEEN o.first AND o.last ORDER BY o.number, f.place;
INSERT INTO line (job, at, line) VALUES ('torn', 22, 'ERROR: container of node-2 exited with exit code 1');
SELECT load_job('torn');
SELECT * FROM blamed('torn');

\echo == what an exception lists is not its frames: the last line is the same with each, whatever stands before it
SELECT l4_last_line(string_agg(format('[10:00:%s] %s [rank=%s] || %s', o.second, o.id, o.rank, l.line), E'\n' ORDER BY l.place))
	AS last_line
FROM (VALUES ('01', 'c0af', 0), ('02', '7bc1', 1)) o (second, id, rank), (VALUES (1, 'Traceback (most recent call last):'),
	(2, '  File "a.py", line 3, in load'), (3, '    model.load(state)'), (4, 'RuntimeError: Error(s) in loading state_dict:'),
	(5, E'\tsize mismatch for norm.bias: [64] and [48]'), (6, E'\tsize mismatch for final.weight: [16, 64] and [16, 48]'))
	l (place, line)
GROUP BY o.rank ORDER BY o.rank;

\echo == the time is up: timeout(1) ends all, and its status says so, behind how each ended; its command is no trouble
SELECT run_job('up', 20, 'timeout 20 python3 -m train') \g /dev/null
INSERT INTO line (job, at, line)
SELECT 'up', 21 + r / 100.0, format('ERROR: rank %s on node-%s exited with exit code -15', r, r)
FROM unnest('{3,2,1,0}'::int[]) r;
INSERT INTO line (job, at, line) VALUES ('up', 22, 'ERROR: container of node-3 failed, exit code 124'),
	('up', 22, 'INFO: killing the container of node-0');
SELECT load_job('up');
SELECT * FROM blamed('up');
SELECT l4_text_gravity(m, l4_wordings_in_force()) AS gravity, m FROM unnest(ARRAY['+ exec timeout 20 python3 -m train',
	'timeout -k 5 1h ./run.sh', 'timeout -s KILL 3600 python train.py', 'collective timeout', 'timeout: no answer',
	'timeout 1800 s exceeded', 'collective timeout 600000 ms reached', 'timeout 30 exceeded', 'the operation timed out',
	'request time out']) m;
SELECT l4_delete_job(j) FROM unnest('{fine,fine2,torn,up}'::text[]) j \g /dev/null
