-- Records of fields (JSON, logfmt): their levels, their ranks, and what they say in words. Four nodes, two ranks on each, whose
-- launcher writes all into one file a node; the launcher's own lines have another header.
CREATE SCHEMA fields;
SET search_path = fields, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

\echo == levels as words, in tens and as syslog numbers
SELECT (l4_parse(line)).level, (l4_parse(line)).rank, (l4_parse(line)).time FROM (VALUES
	(1, '{"level":60,"time":1795459959986,"rank":2,"msg":"gives up"}'),
	(2, '{"level":20,"time":1795459959986,"rank":2,"msg":"seven"}'),
	(3, '{"version":"1.1","timestamp":1795459959.986,"level":3,"short_message":"gone"}'),
	(4, '{"ts":"2026-11-20T22:00:00Z","lvl":"warn","msg":"slow"}'),
	(5, 'time=2026-11-20T22:00:00Z level=error rank=3 msg="no link"'),
	(6, 'level=info ts=2026-11-20T22:00:00Z msg="rank 4 came" rank=12')) l (turn, line) ORDER BY turn;
\echo == what the stage rules see
SELECT l4_stage_text(s) FROM unnest(ARRAY['{"msg":<*> saving ,"tick":<*>}',
	'{"level":<*>,"host":"<*>","msg":"saving \"best\" checkpoint","tick":<*>}',
	'{"event": "rendezvous: hello", "of": <*>}', 'host=<*> msg="loading the data" rows=<*>', 'msg=joined server=<*>',
	'iteration <*>', '{"msg":"no end', '']) s;

CREATE TABLE line (job text, node int, at numeric, line text);
CREATE FUNCTION say(job text, rank int, at numeric, level int, rest text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line VALUES (job, rank / 2, at, format('{"level":%s,"time":%s,"pid":%s,"rank":%s,%s}', level,
		1795212000000 + (at * 1000)::bigint, 40 + rank, rank, rest))
$$;
-- Rank 0 counts each tick, the others every fifth.
CREATE FUNCTION make_job(job text, ticks int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, n, n * 0.01 + i * 0.1, format('2026-11-20T22:00:00: keeper: app [%s] is started', i)
	FROM generate_series(0, 3) n, generate_series(0, 1) i;
	SELECT say(job, r, 1 + r * 0.01, 30, format('"left":%s,"right":%s,"msg":"ring closed"', (r + 7) % 8, (r + 1) % 8))
	FROM generate_series(0, 7) r;
	SELECT say(job, 0, 1.1 + r * 0.01, 30, format('"from":%s,"have":%s,"of":8,"msg":"rendezvous: hello"', r, r + 1))
	FROM generate_series(0, 7) r;
	SELECT say(job, r, 2 + s + r * 0.001, 30, format('"tick":%s,"of":60,"loss":%s,"msg":"tick"', s, 9 - s * 0.1))
	FROM generate_series(1, ticks) s, generate_series(0, 7) r WHERE r = 0 OR s % 5 = 0
$$;
CREATE FUNCTION keeper(job text, at numeric, says text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, n, at, says FROM generate_series(0, 3) n WHERE job <> 'cut' OR n <> 2
$$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{"model": "fields"}', status, '{n0,n1,n2,n3}', 2, '2026-11-20 22:00+00');
	RETURN (l4_ingest(job, format($q$SELECT line, 'n' || node AS node, 'n' || node || '/keeper.txt' AS source
		FROM line WHERE job = %L ORDER BY at, node, line COLLATE "C"$q$, job))).rows;
END $$;

\echo == the ranks of a node share its file; lines of the launcher are of none
SELECT make_job(j, CASE j WHEN 'cut' THEN 23 ELSE 60 END) FROM unnest('{ok1,ok2,ok3,cut}'::text[]) j \g /dev/null
SELECT keeper(j, 70, '2 of 2 ranks came to the end') FROM unnest('{ok1,ok2,ok3}'::text[]) j \g /dev/null
SELECT say('cut', r, 45 + r * 0.001, 60, format('"err":{"message":"nothing from rank %s for 20000 ms"},"msg":"gives up"',
	(r + 7) % 8)) FROM unnest('{0,1,2,3,6,7}'::int[]) r \g /dev/null
SELECT keeper('cut', 46, '0 of 2 ranks came to the end') \g /dev/null
SELECT load_job('ok1', 'succeeded'), load_job('ok2', 'succeeded'), load_job('ok3', 'succeeded'), load_job('cut') \g /dev/null
SELECT s.kind, s.node, s.rank, s.record_count FROM l4_job_streams('cut') s WHERE s.record_count > 0 ORDER BY s.node, s.rank;
SELECT DISTINCT ON (level) level, rank, stage, message FROM l4_log WHERE job_id = 'cut' ORDER BY level, line_no, source;
SELECT d.kind, d.node, d.stage, d.iteration FROM l4_diagnose('cut') d
WHERE d.kind IN ('node', 'stage', 'iteration') AND d.ordinal = 1 ORDER BY d.kind;
\echo == that none came to the end is told: where that comes once, all of so many are usual
SELECT d.node, d.template, d.explanation FROM l4_diagnose('cut') d
WHERE d.kind = 'event' AND d.template LIKE '%came to the end';
\echo == whose records mostly have no such header are not told apart by it
INSERT INTO line SELECT 'mixed', 0, s + r * 0.1 + x.part * 0.01, x.line FROM generate_series(1, 20) s, generate_series(0, 1) r,
	LATERAL (VALUES (1, format('{"level":30,"time":%s,"rank":%s,"msg":"tick"}', 1795212000000 + s * 1000, r)),
		(2, format('loss of tick %s: 1.%s', s, s)), (3, format('norm of tick %s: 3.%s', s, s))) x (part, line);
SELECT load_job('mixed') \g /dev/null
SELECT s.kind, s.node, s.rank FROM l4_job_streams('mixed') s WHERE s.record_count > 0 ORDER BY s.node, s.rank;

SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
DROP SCHEMA fields CASCADE;
