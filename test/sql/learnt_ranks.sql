-- Whose logs are those of ranks, where no path and no label says so: learnt from how processes that are started alike number
-- themselves, or from who iterates.
CREATE SCHEMA learnt_ranks;
SET search_path = learnt_ranks, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, node int, source text, at numeric, line text);
-- Four nodes, on each a worker (%1$s its number) with an output and errors, and an agent that counts its beats.
CREATE FUNCTION make_job(job text, says text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line
	SELECT job, n, x.source, x.at, format('{"time": "2026-11-20T22:00:%s.%s00Z", "level": "%s", %s}',
		lpad(floor(x.at)::text, 2, '0'), n, x.level, format(x.says, n))
	FROM generate_series(0, 3) n, LATERAL (
		SELECT 'worker-stdout.log', 1::numeric, 'info', says || ', "message": "started", "world": 4'
		UNION ALL
		SELECT 'worker-stdout.log', 2 * s, 'info', says || format(', "message": "sweep over", "sweep": %s, "of": 9', s)
		FROM generate_series(1, 9) s
		UNION ALL SELECT 'worker-stderr.log', 3, 'warning', '"message": "a substitute is used"'
		UNION ALL SELECT 'agent.log', s, 'info', format('"message": "alive", "beat": %s', s) FROM generate_series(1, 30) s
		) x (source, at, level, says)
$$;
CREATE FUNCTION load_job(job text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed');
	RETURN (l4_ingest(job, format($q$SELECT line, 'node-' || node AS node, 'node-' || node || '/' || source AS source
		FROM line WHERE job = %L ORDER BY at, node, source, line COLLATE "C"$q$, job))).rows;
END $$;
CREATE FUNCTION ranks(job text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(' ', s.source, s.rank), ', ' ORDER BY s.source) FROM l4_job_streams(job) s WHERE s.kind = 'rank'
$$;

\echo == a number of its own
SELECT make_job('numbered', '"peer": %1$s') \g /dev/null
SELECT load_job('numbered'), ranks('numbered');
\echo == what it was told of all, or a number with gaps, is none
SELECT make_job('alike', '"peers": 4') IS NULL AS alike, make_job('gaps', '"pid": %1$s7') IS NULL AS gaps \g /dev/null
SELECT j, load_job(j), ranks(j) FROM unnest('{alike,gaps}'::text[]) j;
\echo == who iterates
SELECT make_job('iterates', '"peers": 4') \g /dev/null
UPDATE line SET line = replace(line, '"sweep"', '"iteration"') WHERE job = 'iterates';
SELECT load_job('iterates'), ranks('iterates');
\echo == where paths name ranks nothing is learnt
SELECT make_job('named', '"peer": %1$s') \g /dev/null
UPDATE line SET source = 'rank-' || node || '.log' WHERE job = 'named' AND source = 'agent.log';
SELECT load_job('named'), ranks('named');
\echo == so its failure has a stage and an iteration
INSERT INTO line VALUES ('numbered', 2, 'worker-stdout.log', 15,
	'{"time": "2026-11-20T22:00:15.200Z", "level": "critical", "peer": 2, "message": "ends: RuntimeError: device lost"}');
DELETE FROM line WHERE job = 'numbered' AND at > 15;
SELECT l4_delete_job('numbered') IS NOT NULL AS deleted, load_job('numbered') AS rows;
SELECT kind, node, rank, stage, iteration FROM l4_diagnose('numbered')
WHERE kind IN ('stage', 'iteration') AND ordinal = 1 ORDER BY 1;

SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
DROP SCHEMA learnt_ranks CASCADE;
