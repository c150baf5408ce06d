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

\echo == a start where one rank ends soon after an error that the others went on after: no rank failed of that
INSERT INTO line
SELECT 'alike', l.rank, l.source, l.at, l.line FROM line l
WHERE l.job = 'start' AND l.line LIKE 'INFO%' AND (l.rank <> 3 OR l.at < 4.5);
INSERT INTO line SELECT 'alike', r, 'train', 2.5 + r * 0.01, 'ERROR fused kernel: no such file' FROM generate_series(0, 4) r;
INSERT INTO line VALUES ('alike', 0, 'train', 9.9, 'ERROR rank 3 is gone');
SELECT load_job('alike') \g /dev/null
SELECT * FROM reported('alike');

-- the ranks have no times, so they do not show that they went on
\echo == what most machines say all along is their habit, what one says is not
INSERT INTO line
SELECT 'habit', r, 'train', s, format('INFO part %s is ready', chr(96 + s)), false
FROM generate_series(0, 4) r, generate_series(1, 9) s;
INSERT INTO line SELECT 'habit', r, 'syslog', s, CASE r WHEN 4 THEN 'ERROR disk: bad sector' ELSE 'ERROR sensor read failed' END
FROM generate_series(0, 4) r, generate_series(1, 9) s;
SELECT load_job('habit') \g /dev/null
SELECT * FROM reported('habit');

\echo == advice to programmers is no failure, whatever it warns of
INSERT INTO line
SELECT 'advised', l.rank, l.source, l.at, l.line FROM line l WHERE l.job = 'iterated' AND l.line NOT LIKE '%waking%';
INSERT INTO line VALUES ('advised', 2, 'train', 20.4, 'WARNING UserWarning: not destroyed, which may end in errors');
SELECT load_job('advised') \g /dev/null
SELECT * FROM reported('advised');

\echo == all ranks end normally: whatever sounded grave, nothing failed, and the answer says so
INSERT INTO line SELECT 'ended', l.rank, l.source, l.at, l.line FROM line l WHERE l.job = 'iterated';
INSERT INTO line SELECT 'ended', r, 'train', 21 + r * 0.01, 'INFO training finished, exiting' FROM generate_series(0, 4) r;
INSERT INTO line VALUES ('ended', 2, 'train', 21.5, 'WARNING failed to close link 7'),
	('ended', 2, 'train', 21.6, 'ERROR failed to sum up'), ('ended', 3, 'syslog', 21.6, 'ERROR sensor read failed');
SELECT load_job('ended') \g /dev/null
SELECT * FROM reported('ended');
SELECT d.kind, d.stage, d.evidence, d.explanation FROM l4_diagnose('ended') d;
SELECT l4_report_verdict(f.findings) AS verdict, l4_report_began(f.findings) AS began, a.action, a.rule
FROM (SELECT l4_report_findings('ended') AS findings) f, l4_restart_advice('ended', f.findings) a;
SELECT DISTINCT x.news, x.explanation FROM l4_shape h, l4_explain_event('ended', h.event_id) x
WHERE x.shape_id = h.shape_id AND h.shape LIKE ANY ('{%failed to sum up,%device is gone}');
SELECT count(*) AS known FROM l4_asked_records('ended', true, '{}', l4_limits_in_force(), l4_wordings_in_force());

\echo == but not where a rank does not say so, said so of a part, or crashes after it, nor where a launcher saw it fail
INSERT INTO line SELECT j, l.rank, l.source, l.at, l.line
FROM line l, unnest('{one_less,too_soon,after_it,launched}'::text[]) j WHERE l.job = 'ended';
DELETE FROM line WHERE job IN ('one_less', 'too_soon') AND rank = 2 AND line LIKE '%finished%';
INSERT INTO line VALUES ('too_soon', 2, 'train', 9.9, 'INFO training finished, exiting'),
	('after_it', 2, 'train', 21.7, 'RuntimeError: device is gone for good'),
	('launched', 2, 'launcher', 21.7, 'ERROR worker 2 failed (exitcode: -11) of binary: python');
SELECT load_job(j), (SELECT count(*) > 0 FROM reported(j)) AS reported
FROM unnest('{one_less,too_soon,after_it,launched}'::text[]) j;

\echo == ranks that do not iterate each speak for themselves
INSERT INTO line SELECT 'uncounted', l.rank, l.source, l.at, l.line FROM line l WHERE l.job = 'habit' AND l.source = 'train';
INSERT INTO line SELECT 'uncounted', r, 'train', 21, format('INFO rank %s is done', r) FROM generate_series(0, 4) r;
INSERT INTO line VALUES ('uncounted', 1, 'train', 9.9, 'ERROR device is gone');
INSERT INTO line SELECT 'uncounted_less', l.rank, l.source, l.at, l.line FROM line l
WHERE l.job = 'uncounted' AND NOT (l.rank = 2 AND l.line LIKE '%done%');
SELECT load_job(j), (SELECT count(*) > 0 FROM reported(j)) AS reported FROM unnest('{uncounted,uncounted_less}'::text[]) j;

SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
DROP TABLE line;
DROP FUNCTION load_job, reported;
