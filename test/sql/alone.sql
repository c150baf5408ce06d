-- Without successful jobs: what sounds grave is noise if its rank goes on, and what never came before is an effect.
SET search_path = public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, rank int, source text, at numeric, line text, stamped boolean DEFAULT true);
CREATE FUNCTION load_job(job text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', ARRAY['n0', 'n1', 'n2', 'n3', 'n4'], 1);
	RETURN (l4_ingest(job, format($q$
		SELECT CASE WHEN stamped THEN to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS ')
			ELSE '' END || line AS line,
			'n' || rank AS node, CASE source WHEN 'train' THEN rank END AS rank, source
		FROM line WHERE job = %L ORDER BY rank, source, at$q$, job))).rows;
END $$;
CREATE FUNCTION reported(job text) RETURNS TABLE (reason text, streams bigint, message text) LANGUAGE sql AS $$
	SELECT n.reason, count(*), substring(min(n.message COLLATE "C") FROM '(?:,\d+ )?([A-Za-z].*)$') AS message
	FROM l4_unexplained(job) n
	GROUP BY n.reason, n.shape_id ORDER BY min(n.first_ts), min(n.first_line), min(n.message COLLATE "C")
$$;

\echo == a start that fails on one rank: of two errors, that after which the rank went on with the others is noise
INSERT INTO line
SELECT 'start', r, 'train', s + r * 0.01, format('INFO part %s is ready', chr(96 + s))
FROM generate_series(0, 4) r, generate_series(1, 9) s;
INSERT INTO line VALUES ('start', 2, 'train', 2.5, 'ERROR fused kernel: no such file'),
	('start', 3, 'train', 9.5, 'ERROR fused kernel: device mismatch'), ('start', 3, 'syslog', 2.4, 'ERROR sensor read failed');
SELECT load_job('start') \g /dev/null
SELECT * FROM reported('start');

\echo == behind a grave line: what says that something ended, and lines without a header; not what peers log as they start
INSERT INTO line
SELECT 'block', l.rank, l.source, l.at, l.line FROM line l
WHERE l.job = 'start' AND l.line LIKE 'INFO%' AND (l.rank <> 3 OR l.at < 5.5);
INSERT INTO line VALUES ('block', 3, 'train', 5.50, 'ERROR shard 3 does not match its checksum', true),
	('block', 3, 'train', 5.51, 'abort was invoked on this rank', false), ('block', 3, 'train', 5.52, '==========', false),
	('block', 3, 'train', 5.53, 'see the manual', false), ('block', 1, 'train', 9.9, 'INFO process 3 exited with code 1', true);
SELECT load_job('block') \g /dev/null
SELECT * FROM reported('block');

\echo == a job that iterated had logged all that belongs to an iteration
INSERT INTO line
SELECT 'iterated', r, 'train', s * 2 + r * 0.01, format('INFO step %s loss %s', s, 9 - s * 0.1)
FROM generate_series(0, 4) r, generate_series(1, 10) s;
INSERT INTO line VALUES ('iterated', 4, 'train', 20.5, 'ERROR device is gone'),
	('iterated', 1, 'train', 20.9, 'INFO waking up'), ('iterated', 1, 'syslog', 20.9, 'INFO a timer fired');
SELECT load_job('iterated') \g /dev/null
SELECT * FROM reported('iterated');

DROP TABLE line;
DROP FUNCTION load_job, reported;
