-- One file for a job, whose launcher puts the host before each line and not the rank: which labels are ranks, how far they came
-- though what counts their steps bears no time, and who is to blame. Five nodes of one rank.
CREATE SCHEMA labelled_hosts;
SET search_path = labelled_hosts, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, node int, at numeric, line text, source text DEFAULT '_controller/launcher.out');
-- %1$s: the rank's number; a beat of each rank has a time, what rank 0 says of its rounds has none. seconds: of round s.
CREATE FUNCTION make_job(job text, seconds text DEFAULT '2', rounds int DEFAULT 24, says text DEFAULT 'worker %1$s of 5 is up')
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO line SELECT job, n, 1, format('{t} INFO setup: ' || says, n) FROM generate_series(0, 4) n;
	EXECUTE format($q$
		WITH round AS (SELECT s, 4 + sum((%2$s)::numeric) OVER (ORDER BY s) AS at FROM generate_series(1, %3$s) s)
		INSERT INTO line
		SELECT %1$L, x.node, round.at + x.at, x.line, x.source
		FROM round, LATERAL (
			SELECT 0, 0, format('[round=%%s/60]:', s * 2), '_controller/launcher.out'
			UNION ALL SELECT 0, 0.001, '   loss: 2.' || 90 - s, '_controller/launcher.out'
			UNION ALL SELECT s %% 5, 0.3, format('{t} DEBUG router: dropped %%s', s * 7 %% 4), '_controller/launcher.out'
			-- what watches the nodes
			UNION ALL SELECT n, 0.5, '{t} INFO watch: ' || s * 3 %% 7 || ' sockets', 'syslog' FROM generate_series(0, 4) n
			) x (node, at, line, source)$q$, job, seconds, rounds);
END $$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', status, '{node-0,node-1,node-2,node-3,node-4}', 1);
	RETURN (l4_ingest(job, format($q$
		SELECT CASE WHEN source = '_controller/launcher.out' THEN 'node-' || node || ': ' ELSE '' END || replace(line, '{t}',
				to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS')) AS line,
			CASE source WHEN 'syslog' THEN 'node-' || node END AS node,
			CASE source WHEN 'syslog' THEN 'node-' || node || '/syslog' ELSE source END AS source
		FROM line WHERE job = %L ORDER BY at, node, source, line COLLATE "C"$q$, job))).rows;
END $$;
CREATE FUNCTION ranks(job text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(' ', s.label, s.kind, s.rank), ', ' ORDER BY s.label COLLATE "C")
	FROM l4_job_streams(job) s WHERE s.label IS NOT NULL
$$;
CREATE FUNCTION told(job text) RETURNS TABLE (kind text, node text, rank int, stage text, iteration bigint, told text)
LANGUAGE sql AS $$
	SELECT d.kind, d.node, d.rank, d.stage, d.iteration, d.explanation FROM l4_diagnose(job) d
	WHERE d.kind IN ('slow', 'node') OR d.kind IN ('stage', 'iteration') AND d.ordinal = 1 ORDER BY d.kind, d.ordinal
$$;

\echo == each host says which worker it is; a rank that labels its last words itself does not keep the others from it
SELECT make_job('dies', rounds => 20) \g /dev/null
INSERT INTO line SELECT 'dies', n, 44.5 + n * 0.01, format('[rank%s]: RuntimeError: connection closed by peer node-3', n)
FROM unnest('{0,1,2,4}'::int[]) n;
SELECT load_job('dies'), ranks('dies');
SELECT kind, node, rank, stage, iteration FROM told('dies');
\echo == a number that is none of its own is no rank
SELECT make_job('alike', says => 'the run has 5 workers'), load_job('alike') \g /dev/null
SELECT ranks('alike');

\echo == ranks that lost a peer crash alike as they end: no common cause, the one who left is suspected
SELECT make_job('torn', rounds => 20) \g /dev/null
DELETE FROM line WHERE job = 'torn' AND node = 3 AND at > 40;
INSERT INTO line
SELECT 'torn', n, 44.5 + n * 0.01 + x.at, format(x.line, n) FROM unnest('{0,1,2,4}'::int[]) n, (VALUES
	(0, '[rank%s]: RuntimeError: Timed out waiting 25000ms for send operation to complete'),
	(1, '{t} ERROR Caught signal 11 (Segmentation fault: address not mapped to object at address 0x10)')) x (at, line);
SELECT load_job('torn') \g /dev/null
SELECT kind, node, rank, stage, iteration FROM told('torn') WHERE kind = 'node';
\echo == the same crash before it is what all have in common
DELETE FROM line WHERE job = 'torn' AND line ~ 'Timed out';
SELECT l4_delete_job('torn') IS NOT NULL AS deleted, load_job('torn') \g /dev/null
SELECT kind, node, rank, stage, iteration FROM told('torn') WHERE kind = 'node';

\echo == slow from a round on whose lines bear no time; all ends well, and a node fell silent meanwhile
SELECT make_job('slow', 'CASE WHEN s > 12 THEN 9 ELSE 2 END'), make_job('good') \g /dev/null
INSERT INTO line
SELECT l.job, n, max(l.at) + 1, '{t} INFO trainer: training is complete' FROM line l, generate_series(0, 4) n
WHERE l.job IN ('slow', 'good') GROUP BY l.job, n;
INSERT INTO line VALUES ('slow', NULL, 70, '2026-11-20 22:01:10 watch: node-2: no report for 12 s, marked lost',
	'_controller/controller.log'), ('slow', 2, 71, '{t} WARN watch: collector silent since 14 s', 'syslog');
SELECT load_job('good', 'succeeded'), load_job('slow') \g /dev/null
SELECT * FROM told('slow');
\echo == nobody is, for what was said before
UPDATE line SET at = at - 50, line = replace(line, '22:01:10', '22:00:20') WHERE job = 'slow' AND line ~ 'lost|silent';
SELECT l4_delete_job('slow') IS NOT NULL AS deleted, load_job('slow') \g /dev/null
SELECT kind, node, iteration FROM told('slow');

SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
DROP SCHEMA labelled_hosts CASCADE;
