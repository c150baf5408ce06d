-- Nodes that are set up differently: small jobs of five nodes of one rank that say how they are set up, and iterate.
SET search_path = public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, rank int, source text, at numeric, line text);
CREATE FUNCTION make_lines(job text, iterates boolean DEFAULT true, nodes int DEFAULT 5) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line
	SELECT job, r, 'train', x.at + r * 0.001, x.line
	FROM generate_series(0, nodes - 1) r, LATERAL (VALUES
		(0.1, format('INFO worker %s of %s is up, pid 49', r, nodes)),
		(0.2, 'INFO driver 550.54, runtime 12.4.1, reads ''/etc/mill/follower.conf'''),
		(0.3, 'INFO cache holds 512 entries, 0 stale')) x (at, line);
	INSERT INTO line
	SELECT job, r, 'train', s * 2 + r * 0.001, format('INFO step %s loss %s', s, 9 - s * 0.1)
	FROM generate_series(0, nodes - 1) r, generate_series(1, 10) s WHERE iterates;
	INSERT INTO line
	SELECT job, r, 'train', 21 + r * 0.001, 'ERROR ValueError: matrices differ among ranks'
	FROM generate_series(0, nodes - 1) r WHERE job !~ '^ok';
$$;
CREATE FUNCTION other(job text, ranks int[], was text, now text) RETURNS void LANGUAGE sql AS $$
	UPDATE line SET line = replace(line, was, now) WHERE line.job = other.job AND rank = ANY (ranks)
$$;
CREATE FUNCTION load_job(job text, settings jsonb DEFAULT '{"model": "mill"}') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, settings, CASE WHEN job ~ '^ok' THEN 'succeeded' ELSE 'failed' END,
		ARRAY(SELECT DISTINCT 'n' || rank FROM line l WHERE l.job = load_job.job AND rank IS NOT NULL ORDER BY 1), 1);
	RETURN (l4_ingest(job, format($q$
		SELECT to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS') || ' ' || line AS line,
			'n' || rank AS node, rank, source
		FROM line WHERE job = %L ORDER BY at, rank, line COLLATE "C"$q$, job))).rows;
END $$;
CREATE FUNCTION setups(job text, use_pool boolean)
RETURNS TABLE (unit text, weight numeric, sentence text) LANGUAGE sql AS $$
	SELECT e.unit, round(e.weight::numeric, 2), l4_evidence_sentence(e)
	FROM (SELECT ARRAY(SELECT u FROM l4_unexplained(job, use_pool) u) AS records OFFSET 0) r,
		l4_node_evidence(job, r.records) e WHERE e.kind = 'setup' ORDER BY e.unit COLLATE "C", e.numbers::text COLLATE "C"
$$;

SELECT make_lines(j) FROM unnest('{ok1,ok2,driver,number,pid,two,all,role,late,counts}'::text[]) j \g /dev/null
SELECT make_lines('start', false), make_lines('three', true, 3) \g /dev/null
SELECT other('ok1', '{1}', 'pid 49', 'pid 51'), other('ok2', '{0}', 'follower', 'leader'),
	other('driver', '{3}', '550.54', '535.104'), other('number', '{2}', '512', '256'), other('pid', '{3}', 'pid 49', 'pid 52'),
	other('two', '{1,3}', '550.54', '535.104'), other('all', '{0,1,2,3,4}', '550.54', '535.104'),
	other('role', '{0}', 'follower', 'leader'), other('counts', '{3}', '0 stale', '4 stale'),
	other('start', '{0}', '12.4.1', '11.8.0'), other('start', '{3}', 'follower', 'leader'),
	other('three', '{1}', '550.54', '535.104') \g /dev/null
-- after the failure, and in the midst of the iterations, nothing is set up
UPDATE line SET at = at + 22, line = replace(line, '550.54', '535.104') WHERE job = 'late' AND rank = 2 AND line ~ 'driver';
UPDATE line SET at = at + 9, line = replace(line, '512', '128') WHERE job = 'late' AND rank = 3 AND line ~ 'cache';
SELECT load_job(j) FROM unnest('{ok1,ok2,driver,number,pid,two,all,role,late,counts,start,three}'::text[]) j \g /dev/null

\echo what successful jobs have alike on all of their ranks, and one node here has otherwise
SELECT j AS job, s.* FROM unnest('{driver,number,pid,two,all,role,late,counts,start,three}'::text[]) j, setups(j, true) s;
\echo without successful jobs: what form or name show to be a setting, and not by the role of the first or the last rank
SELECT j AS job, s.* FROM unnest('{driver,number,pid,two,all,role,late,counts,start,three}'::text[]) j, setups(j, false) s;
\echo successful jobs do not tell of themselves
SELECT j AS job, s.* FROM unnest('{ok1,ok2}'::text[]) j, setups(j, true) s;
\echo of a small pool all jobs must agree on a plain number; who is set up differently explains that ranks do not agree
SELECT make_lines(j, true, 3) FROM unnest('{ok_s1,ok_s2,small,ok_v1,ok_v2,vary}'::text[]) j \g /dev/null
SELECT other('small', '{1}', '512', '256'), other('ok_v2', '{0,1,2}', '512', '1024'),
	other('vary', '{1}', '512', '256') \g /dev/null
DELETE FROM line WHERE job IN ('small', 'vary') AND line ~ 'differ';
INSERT INTO line SELECT j, r, 'train', 21 + r, CASE r WHEN 0 THEN 'ERROR RuntimeError: expected 1024 bytes, but got 2048'
	ELSE 'ERROR all_reduce failed: connection reset by peer' END FROM unnest('{small,vary}'::text[]) j, generate_series(0, 2) r;
SELECT load_job(j, '{"model": "small"}') FROM unnest('{ok_s1,ok_s2,small}'::text[]) j \g /dev/null
SELECT load_job(j, '{"model": "vary"}') FROM unnest('{ok_v1,ok_v2,vary}'::text[]) j \g /dev/null
SELECT j AS job, s.* FROM unnest('{small,vary}'::text[]) j, setups(j, true) s;
SELECT j AS job, d.ordinal, d.node, d.explanation FROM unnest('{small,vary}'::text[]) j, l4_diagnose(j) d WHERE d.kind = 'node';
\echo a node where all fail alike; where it was set up the failure did not begin
SELECT kind, ordinal, node, role, stage, iteration, explanation FROM l4_diagnose('driver') ORDER BY kind, ordinal;
SELECT kind, ordinal, node FROM l4_diagnose('all') WHERE kind = 'node';
SELECT facts #> '{pool,settings}' AS settings, explanation FROM l4_diagnose('all') WHERE kind = 'event' AND ordinal = 1;
\echo a list of settings may have one whose name sounds of trouble
SELECT make_lines('settings', false) \g /dev/null
INSERT INTO line SELECT 'settings', r, 'train', 0.4, format('{"level": "DEBUG", "peer": %s, '
	'"message": "settings", "timeout": 25, "max_errors": 3, "master": "n0:%s"}', r, 29500 + (r = 3)::int)
FROM generate_series(0, 4) r;
SELECT load_job('settings') \g /dev/null
SELECT s.* FROM setups('settings', false) s;
\echo whom a controller lost and found before the failure is no suspect; but who was found after it, or lost again
SELECT make_lines(j) FROM unnest('{ok_b1,ok_b2,back,back_late,back_gone}'::text[]) j \g /dev/null
SELECT other(j, '{3}', '550.54', '535.104') FROM unnest('{back,back_late,back_gone}'::text[]) j \g /dev/null
INSERT INTO line SELECT c.j, NULL, 'controller', c.at, c.line
FROM (VALUES ('ok_b1', 1, 'INFO 5 nodes'), ('ok_b2', 1, 'INFO 5 nodes'),
	('back', 12, 'ERROR heartbeat lost node=n1'), ('back', 13, 'INFO node=n1 is back'),
	('back_late', 12, 'ERROR heartbeat lost node=n1'), ('back_late', 24, 'INFO node=n1 is back'),
	('back_gone', 12, 'ERROR heartbeat lost node=n1'), ('back_gone', 13, 'INFO node=n1 is back'),
	('back_gone', 14, 'ERROR heartbeat lost node=n1')) c (j, at, line);
SELECT load_job(j, '{"model": "back"}') FROM unnest('{ok_b1,ok_b2,back,back_late,back_gone}'::text[]) j \g /dev/null
SELECT j AS job, d.ordinal, d.node, d.explanation FROM unnest('{back,back_late,back_gone}'::text[]) j, l4_diagnose(j) d
WHERE d.kind = 'node';
\echo a statement of the set-up is told with its reason, not as what the job outlived
SELECT e.reason, e.explanation FROM l4_diagnose('driver') d, l4_explain_event('driver', d.event_id) e
WHERE d.kind = 'event' AND d.template ~ 'driver';
\echo which values may be settings
SELECT name, value, l4_may_be_setting(name, value, true, w) AS pooled, l4_may_be_setting(name, value, false, w) AS alone
FROM l4_wordings_in_force() w, (VALUES ('driver', '550.54'), ('MASTER_ADDR', '10.0.0.1'), ('num_layers', '48'),
	(NULL, '2.6.0+cu124'), (NULL, 'bf16'), (NULL, '48'), (NULL, '0'), (NULL, '10.0.0.1'), (NULL, '10.0.0.1:29500'),
	(NULL, '80 GB'), (NULL, '12.5ms'), (NULL, '0x7f21'), (NULL, '10:20:30'), ('pid', '48'), ('took', '3'), ('attempt', '2'),
	(NULL, '')) v (name, value);

-- A site that wants none of it
INSERT INTO l4_limit (name, value) VALUES ('setup_usual_share', 2);
SELECT count(*) AS setups FROM setups('driver', true);
DELETE FROM l4_limit WHERE NOT builtin;

DROP TABLE line; DROP FUNCTION make_lines, other, load_job, setups;
DELETE FROM l4_stream; DELETE FROM l4_segment; DELETE FROM l4_source_counts; DELETE FROM l4_parameter_sketch;
DELETE FROM l4_source_state; DELETE FROM l4_pool; DELETE FROM l4_pool_job; DELETE FROM l4_pool_event;
DELETE FROM l4_pool_parameter; DELETE FROM l4_pool_job_event; DELETE FROM l4_pool_job_parameter;
DELETE FROM l4_timeline; DELETE FROM l4_job; DELETE FROM l4_shape; DELETE FROM l4_event;
