-- A rank that tells of every tenth step alone: where it stops, and where an error without a stamp stands, is within these. And
-- what a controller takes back. Four nodes of one rank; rank 0 tells of every step.
CREATE SCHEMA sparse_marks;
SET search_path = sparse_marks, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, node int, source text, at numeric, line text);
-- word: what steps are called; the job ends after 27 of them, two seconds each
CREATE FUNCTION make_job(job text, word text, steps int DEFAULT 27) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, n, 'rank-' || n || '.log', 0.5, '{t} INFO ready' FROM generate_series(0, 3) n;
	INSERT INTO line
	SELECT job, n, 'rank-' || n || '.log', s * 2 + n * 0.01,
		CASE n WHEN 0 THEN format('{t} INFO %s %s of 90', word, s) ELSE format('{t} INFO at %s %s', word, s) END
	FROM generate_series(1, steps) s, generate_series(0, 3) n WHERE n = 0 OR s % 10 = 0;
	INSERT INTO line
	SELECT job, n, 'syslog', s * 5 + n * 0.1, '{t} INFO watch: ' || s * 3 % 7 || ' sockets'
	FROM generate_series(0, 12) s, generate_series(0, 3) n;
	INSERT INTO line
	SELECT job, NULL, '_controller/controller.log', s * 9, '{t} INFO fleet 4 of 4 nodes report' FROM generate_series(0, 6) s
$$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed', word text DEFAULT 'step') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, jsonb_build_object('model', word), status, '{node-0,node-1,node-2,node-3}', 1);
	RETURN (l4_ingest(job, format($q$SELECT replace(line, '{t}', to_char(timestamp '2026-11-20 22:00' + at * interval '1 s',
			'YYYY-MM-DD HH24:MI:SS,MS')) AS line, 'node-' || node AS node,
			coalesce('node-' || node || '/', '') || source AS source
		FROM line WHERE job = %L ORDER BY at, node, source, line COLLATE "C"$q$, job))).rows;
END $$;
CREATE FUNCTION told(job text) RETURNS TABLE (kind text, "ordinal" int, node text, rank int, stage text, iteration bigint,
	place text)
LANGUAGE sql AS $$
	SELECT d.kind, d.ordinal, d.node, d.rank, d.stage, d.iteration, d.facts ->> 'place' FROM l4_diagnose(job) d
	WHERE d.kind = 'node' OR d.kind IN ('stage', 'iteration') AND d.ordinal = 1 ORDER BY d.kind, d.ordinal
$$;

\echo == killed without a word between two marks: by a word that a rule knows, and by one that none does
SELECT make_job('good', 'step', 90), make_job('fine', 'sweep', 90), make_job('known', 'step'),
	make_job('learnt', 'sweep') \g /dev/null
INSERT INTO line SELECT j.job, n, 'rank-' || n || '.log', 55 + n * 0.01,
	'{t} ERROR RuntimeError: connection closed by peer node-2'
FROM unnest('{known,learnt}'::text[]) j (job), unnest('{0,1,3}'::int[]) n;
SELECT load_job('good', 'succeeded'), load_job('fine', 'succeeded', 'sweep'), load_job('known'),
	load_job('learnt', word => 'sweep') \g /dev/null
SELECT * FROM told('known');
SELECT * FROM told('learnt');
\echo == an error without a stamp, which has the time of the tenth step before it
SELECT make_job('bare', 'step') \g /dev/null
INSERT INTO line VALUES ('bare', 2, 'rank-2.log', 54.5,
	E'Traceback (most recent call last):\n  File "mill.py", line 3, in <module>\n    grind()\nValueError: grain 7 is stone');
INSERT INTO line SELECT 'bare', n, 'rank-' || n || '.log', 55 + n * 0.01,
	'{t} ERROR RuntimeError: connection closed by peer node-2' FROM unnest('{0,1,3}'::int[]) n;
SELECT load_job('bare') \g /dev/null
SELECT * FROM told('bare');
\echo == who tells of every step is where it said
SELECT make_job('dense', 'step') \g /dev/null
DELETE FROM line WHERE job = 'dense' AND node = 0 AND at > 42;
INSERT INTO line SELECT 'dense', n, 'rank-' || n || '.log', 55 + n * 0.01,
	'{t} ERROR RuntimeError: connection closed by peer node-0' FROM unnest('{1,2,3}'::int[]) n;
SELECT load_job('dense') \g /dev/null
SELECT * FROM told('dense');

\echo == an agent that hardly ever tells the time: what stands between two stamps may be as late as the second one
SELECT make_job('hale', 'stride', 90), make_job('stuck', 'stride') \g /dev/null
INSERT INTO line SELECT j.job, n, 'agent.log', x.at + n * 0.01, x.line
FROM (VALUES ('hale', 190), ('stuck', 70)) j (job, ends), generate_series(0, 3) n, LATERAL (
	SELECT 0.6, '{t} INFO agent: the trainer is started'
	UNION ALL SELECT s * 10, '[agent] health check: normal' FROM generate_series(1, 6) s
	UNION ALL SELECT 59, '[agent] suspended: nothing was written for a while' WHERE j.job = 'stuck'
	UNION ALL SELECT j.ends, '{t} INFO agent: the trainer is over') x (at, line);
INSERT INTO line SELECT 'stuck', n, 'rank-' || n || '.log', 69 + n * 0.01,
	'{t} ERROR RuntimeError: timed out waiting for node-2'
FROM unnest('{0,1,3}'::int[]) n;
SELECT load_job('hale', 'succeeded', 'stride'), load_job('stuck', word => 'stride') \g /dev/null
SELECT d.template FROM l4_diagnose('stuck') d WHERE kind = 'event' ORDER BY d.template COLLATE "C";

\echo == a controller takes back what it said of one node, not of the other; that one is well again is no sign of a failure
INSERT INTO line SELECT 'known', NULL, '_controller/controller.log', x.at, '{t} ' || x.line FROM (VALUES
	(11, 'WARN fleet node-1: no report for 12 s, marked lost'), (12, 'INFO fleet node-1 is back'),
	(58, 'WARN fleet node-2: no answer to ping, gone')) x (at, line);
SELECT l4_delete_job('known') IS NOT NULL AS deleted, load_job('known') \g /dev/null
SELECT d.node, d.template FROM l4_diagnose('known') d WHERE kind = 'event' ORDER BY d.template COLLATE "C";
SELECT x.shape, x.explanation
FROM (SELECT DISTINCT h.event_id FROM l4_shape h WHERE h.shape ~ 'is back|marked lost|gone') h,
	l4_explain_event('known', h.event_id) x ORDER BY x.shape COLLATE "C";

SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
\echo == what counts on beside the marks tells how far the job came, where it has agreed with them; also without any stamps
CREATE FUNCTION count_on(job text, stamp text, counted text) RETURNS TABLE (first bigint, last bigint, counter boolean)
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', '{node-0,node-1}', 1);
	PERFORM l4_ingest(job, format($q$
		SELECT x.line, 'node-' || n AS node, 'node-' || n || '/rank-' || n || '.log' AS source
		FROM generate_series(0, 1) n, generate_series(1, 17) s,
			LATERAL (SELECT to_char(timestamp '2026-11-20 22:00' + s * interval '2 s', 'YYYY-MM-DD HH24:MI:SS') AS stamp) d,
			LATERAL (
			SELECT 0 AS turn, replace(%L, '{t}', d.stamp) || replace(%L, '{s}', s::text) AS line WHERE n = 0
			UNION ALL SELECT 1, replace(%1$L, '{t}', d.stamp) || 'state of step ' || s WHERE s < 5 OR s %% 5 = 0) x
		ORDER BY s, x.turn, n$q$, stamp, counted));
	RETURN QUERY SELECT min(s.first_iteration), max(s.last_iteration), (l4_learn_counter(job)).shape_ids IS NOT NULL
	FROM l4_job_streams(job) s;
END $$;
SELECT * FROM count_on('stamped', '{t} INFO ', '{s}/90 [.......] loss 2.31, 0.4 s');
SELECT * FROM count_on('bare_counts', '', '{s}/90 [.......] loss 2.31, 0.4 s');
-- no counter of these: it is ahead of the marks
SELECT * FROM count_on('ahead', '{t} INFO ', '1{s}/190 [.......] loss 2.31, 0.4 s');
SELECT l4_delete_job(j) FROM unnest('{stamped,bare_counts,ahead}'::text[]) j \g /dev/null
DROP SCHEMA sparse_marks CASCADE;
