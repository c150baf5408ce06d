-- The library is asked about all that a job logs: causes that sound harmless, in streams that a pool cannot judge, with a pool
-- and without; not what successful jobs log, what the job outlived, or what only follows from a cause.
SET search_path = public;
SET client_min_messages = warning;
SET timezone = 'UTC';
INSERT INTO l4_fault (fault_key, title, category, subtype, role, pattern)
SELECT 'site_' || role, 'Coolant', 'hardware', 'node', role, pattern
FROM (VALUES ('root', 'coolant (is )?low'), ('cascade', 'fans speed up'), ('benign', 'coolant low in the spare loop')) r (role,
	pattern);

CREATE TABLE line (job text, rank int, source text, at numeric, line text);
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed', steps int DEFAULT 10) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO line SELECT job, r, 'train', s + r * 0.01, format('INFO part %s is ready', chr(96 + s))
	FROM generate_series(0, 4) r, generate_series(1, 9) s;
	INSERT INTO line SELECT job, r, 'train', 10 + s * 2 + r * 0.01, format('INFO step %s loss %s', s, 9 - s * 0.1)
	FROM generate_series(0, 4) r, generate_series(1, steps) s;
	PERFORM l4_register_job(job, jsonb_build_object('framework', split_part(job, ' ', 1)), status,
		ARRAY['n0', 'n1', 'n2', 'n3', 'n4'], 1);
	PERFORM l4_ingest(job, format($q$
		SELECT to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS ') || line AS line,
			'n' || rank AS node, CASE source WHEN 'train' THEN rank END AS rank, source
		FROM line WHERE job = %L ORDER BY rank, source, at$q$, job));
END $$;
CREATE FUNCTION found(job text, use_pool boolean DEFAULT true) RETURNS TABLE (fault_key text, role text, node text, nodes int,
	quote text) LANGUAGE sql AS $$
	SELECT d.fault_key, d.role, d.node, d.nodes_affected, regexp_replace(d.evidence, '^.*\d ', '')
	FROM l4_diagnose(job, use_pool) d WHERE d.kind = 'fault' ORDER BY d.ordinal
$$;

\echo == without a pool: a cause that sounds harmless, behind the last good iteration; what only follows is not asked
INSERT INTO line VALUES ('a job', 2, 'train', 30.9, 'INFO coolant low'), ('a job', 3, 'train', 30.95, 'INFO fans speed up'),
	('a job', 4, 'train', 30.9, 'INFO coolant low in the spare loop');
SELECT load_job('a job') \g /dev/null
SELECT * FROM found('a job');
SELECT count(*) AS events FROM l4_diagnose('a job') WHERE kind = 'event' AND template ~ 'coolant';
SELECT fault_key, node FROM l4_match_faults('a job');
\echo == a warning is asked about only where there are successful jobs to compare with
UPDATE l4_fault SET severity = 'warning' WHERE fault_key = 'site_root';
SELECT count(*) AS faults FROM found('a job');
UPDATE l4_fault SET severity = 'error' WHERE fault_key = 'site_root';
\echo == the job outlived it: iterations came after
INSERT INTO line VALUES ('a job that went on', 2, 'train', 14.9, 'INFO coolant low');
SELECT load_job('a job that went on') \g /dev/null
SELECT * FROM found('a job that went on');
\echo == a job that does not iterate: the rank went on with what the others log, too; or it did not
INSERT INTO line VALUES ('a start', 2, 'train', 2.9, 'INFO coolant low'), ('a start', 3, 'train', 9.9, 'INFO coolant is low');
SELECT load_job('a start', steps => 0) \g /dev/null
SELECT * FROM found('a start');
\echo == without times: early in its stream it is noise
SELECT l4_register_job('a bare job', '{}', 'failed', '{n0,n1}', 1) \g /dev/null
SELECT l4_ingest('a bare job', $$SELECT CASE s WHEN 1 + 8 * r THEN 'coolant low' ELSE 'part ' || chr(96 + s) || ' of it' END
		AS line, 'n' || r AS node, r AS rank, 'train' AS source
	FROM generate_series(0, 1) r, generate_series(1, 9) s ORDER BY r, s$$) \g /dev/null
SELECT fault_key, node FROM found('a bare job');
\echo == with a pool: streams that it cannot judge; and what it has rings only where it is not used
SELECT load_job('pooled ok', 'succeeded') \g /dev/null
INSERT INTO line VALUES ('pooled job', 1, 'syslog', 30.9, 'INFO coolant low');
SELECT load_job('pooled job') \g /dev/null
SELECT * FROM found('pooled job');
INSERT INTO line VALUES ('noisy ok', 2, 'train', 30.9, 'INFO coolant low');
SELECT load_job('noisy ok', 'succeeded') \g /dev/null
INSERT INTO line VALUES ('noisy job', 2, 'train', 30.9, 'INFO coolant low');
SELECT load_job('noisy job') \g /dev/null
SELECT count(*) AS with_pool FROM found('noisy job');
SELECT count(*) AS without_pool FROM found('noisy job', false);
\echo == what successful jobs of other settings log tells nothing either
INSERT INTO line VALUES ('other job', 2, 'train', 30.9, 'INFO coolant low');
SELECT load_job('other job') \g /dev/null
SELECT count(*) AS other_settings FROM found('other job');
\echo == a successful job that alone brought it to its pool
SELECT count(*) AS own FROM found('noisy ok');

\echo == several names of one text are one row; what follows from a cause says so, and the report has no fix for it
INSERT INTO l4_fault (fault_key, title, category, subtype, role, severity, pattern, root_cause, fix) VALUES
	('site_pump', 'Pump', 'hardware', 'node', 'root', 'critical', 'pump .* stalled', 'why pump', 'mend pump'),
	('site_any', 'Any part', 'hardware', 'node', 'root', 'error', '(pump|fan) .* stalled', 'why any', 'mend any'),
	('site_hot', 'Too hot', 'hardware', 'node', 'root', 'error', 'too hot', 'why hot', 'mend hot');
INSERT INTO l4_fault_explains (fault_key, explains) VALUES ('site_pump', 'site_hot');
INSERT INTO line VALUES ('folded job', 2, 'train', 30.91, 'ERROR pump 3 stalled'),
	('folded job', 2, 'train', 30.92, 'ERROR too hot');
SELECT load_job('folded job') \g /dev/null
SELECT ordinal, fault_key, role, severity, category, confidence > 0 AS sure, facts -> 'also' AS also,
	facts -> 'follows_from' AS follows_from, root_cause FROM l4_diagnose('folded job') WHERE kind = 'fault' ORDER BY ordinal;
SELECT fault_key, part, root_cause, fix FROM l4_report_faults(l4_report_findings('folded job')) ORDER BY ordinal;

DELETE FROM l4_fault_explains WHERE NOT builtin;
DELETE FROM l4_fault WHERE NOT builtin;
SELECT array_agg(j.job_id ORDER BY j.job_id COLLATE "C") AS jobs FROM l4_job j
WHERE j.job_id = 'a bare job' OR j.job_id IN (SELECT job FROM line) \gset
SELECT l4_delete_job(d) FROM unnest(:'jobs'::text[]) d \g /dev/null
DROP TABLE line;
DROP FUNCTION load_job, found;
