-- Lines that a collector wrapped into objects of JSON: what a program wrote is the message, with the header that it has; the
-- object says host, time and file; the bytes of the line stay. And a program's own objects, of which the text is the message.
CREATE SCHEMA collector_objects;
SET search_path = collector_objects, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, source text, n int, turn serial, line text);
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed', ranks int DEFAULT 1) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', status, '{node-0,node-1,node-2,node-3}', ranks);
	RETURN (l4_ingest(job, format('SELECT line, source FROM collector_objects.line WHERE job = %L ORDER BY source, turn',
		job))).rows;
END $$;
-- one rank a node; {t}: the time of the runtime, {l}: the local one of the program
CREATE FUNCTION say(job text, at numeric, n int, text text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line (job, source, n, line) SELECT job, CASE job WHEN 'docker' THEN format('node-%s/abc-json.log', n)
			ELSE 'export/all.ndjson' END, n,
		CASE job WHEN 'docker' THEN format('{"log":%s,"stream":"stderr","time":"%s"}',
				replace(replace(to_json(p.text || E'\n')::text, '<', '\u003c'), '>', '\u003e'), t.utc)
			WHEN 'shipped' THEN format('{"@timestamp": "%s", "log": {"offset": %s, "file": {"path": "/var/log/rank%s.err"}}, '
				'"message": %s, "host": {"name": "node-%s"}}', t.utc, 100 + n, n, to_json(p.text), n)
			ELSE format('train.node-%s.log: [%s, {"stream": "stdout", "log": %s, "kubernetes": {"pod_name": "lm-worker-%s", '
				'"host": "node-%s"}}]', n, t.epoch, to_json(p.text), n, n) END
	FROM (SELECT to_char(timestamp '2026-11-20 10:00' + at * interval '1 s', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS utc,
			to_char(timestamp '2026-11-20 19:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS') AS local,
			extract(epoch FROM timestamptz '2026-11-20 10:00Z' + at * interval '1 s') AS epoch) t,
		LATERAL (SELECT replace(text, '{l}', t.local) AS text) p
$$;
SELECT say(j, s + n * 0.01, n, format('{l} - trainer - INFO - step %s of 20, loss <%s>', s, 3.5 - s * 0.1)) FROM
	unnest('{docker,shipped,tagged}'::text[]) j, generate_series(1, 12) s, generate_series(0, 3) n ORDER BY j, s, n \g /dev/null
SELECT say(j, 12.5, 2, l) FROM unnest('{docker,shipped,tagged}'::text[]) j, unnest(ARRAY['Traceback (most recent call last):',
	'  File "/app/train.py", line 31, in <module>', E'\tmain()',
	'RuntimeError: CUDA error: an illegal memory access was encountered',
	'{l} - trainer - ERROR - "é" says \ and nothing else']) WITH ORDINALITY x (l, turn) ORDER BY j, turn \g /dev/null
SELECT say(j, 14 + n * 0.01, n, '{l} - trainer - ERROR - RuntimeError: Connection closed by peer')
FROM unnest('{docker,shipped,tagged}'::text[]) j, unnest('{0,1,3}'::int[]) n \g /dev/null
-- what is no object, is cut off or has several lines stands as it is
INSERT INTO line (job, source, n, line) VALUES ('shipped', 'export/all.ndjson', 0, '-- 2 lines were dropped'),
	('shipped', 'export/all.ndjson', 0, '{"@timestamp": "2026-11-20T10:00:15Z", "message": "2026-11-20 19:00:15 - cut off'),
	('shipped', 'export/all.ndjson', 0, '{"@timestamp": "2026-11-20T10:00:16Z", "log": {"offset": 1, '
		'"file": {"path": "/var/log/rank0.err"}}, "message": "two\nlines", "host": {"name": "node-0"}}');
-- a program's own objects
INSERT INTO line (job, source, n, line) SELECT 'own', format('node-%s/train.log', n), n,
	format('{"ts": "2026-11-20T10:00:%s.5Z", "level": "info", "msg": "step %s is done", "host": "node-%s"}',
		lpad(s::text, 2, '0'), s, n)
FROM generate_series(1, 9) s, generate_series(0, 3) n;
-- objects that hold nothing but times beside what was written, little of which has a header of its own
INSERT INTO line (job, source, n, line) SELECT 'timed', format('streams/node-%s.jsonl', n), n,
	format('{"timestamp": %s, "message": "%s", "ingestionTime": %s}', t.ms, CASE WHEN s % 8 = 1
			THEN '2026-11-20 10:00:' || lpad(s::text, 2, '0') || ' - trainer - INFO - step ' || s || ' of 20'
			ELSE 'loss is ' || 9 - s * 0.1 || ' now' END, t.ms + 300)
FROM generate_series(1, 16) s, generate_series(0, 3) n,
	LATERAL (SELECT (extract(epoch FROM timestamptz '2026-11-20 10:00Z') * 1000)::bigint + 1000 * s + n AS ms) t;
SELECT load_job('docker'), load_job('shipped'), load_job('tagged'), load_job('own'), load_job('timed');

\echo == node, rank, time, level and message are those of what was written
SELECT l.job_id, count(*), count(DISTINCT l.node) AS nodes, count(DISTINCT l.rank) AS ranks, min(l.ts), max(l.ts),
	count(*) FILTER (WHERE l.level = 'info') AS info, max(l.iteration) AS iteration FROM l4_log l GROUP BY l.job_id ORDER BY 1;
SELECT l.job_id, l.line_no, l.node, l.rank, l.ts, l.level, l.component, replace(l.message, E'\n', '|') AS message
FROM l4_log l WHERE l.node = 'node-2' AND (l.iteration > 11 OR l.job_id = 'own') AND l.ts >= '2026-11-20 10:00:09Z'
ORDER BY l.job_id, l.line_no;
SELECT l.line_no, l.node, l.message FROM l4_log l WHERE l.job_id = 'shipped' AND l.line_no > 56 ORDER BY l.line_no;
SELECT l.line_no, l.node, l.ts, l.level, l.message FROM l4_log l
WHERE l.job_id = 'timed' AND l.node = 'node-1' AND l.line_no > 6 ORDER BY l.line_no;

\echo == each line is there as it stood
CREATE TABLE back AS SELECT l.job_id, l.source, l.line_no, l.raw
FROM l4_log l WHERE l.job_id IN ('docker', 'shipped', 'tagged', 'own', 'timed');
SELECT i.job, count(*) AS lines, count(*) FILTER (WHERE i.line IS DISTINCT FROM o.line) AS other
FROM (SELECT l.job, l.source, row_number() OVER (PARTITION BY l.job, l.source ORDER BY l.turn) AS line_no, l.line FROM line l) i
FULL JOIN (SELECT l.job_id, l.source, l.line_no + r.turn - 1 AS line_no, r.line FROM back l,
	string_to_table(l.raw, E'\n') WITH ORDINALITY r (line, turn)) o
	ON o.job_id = i.job AND o.source = i.source AND o.line_no = i.line_no
GROUP BY i.job ORDER BY 1;
SELECT j, g.source, g.line_no FROM unnest('{docker,shipped,tagged}'::text[]) j,
	l4_grep(j, 'illegal memory access was encountered') g ORDER BY 1, 3;

\echo == and so it is told
SELECT j, d.kind, d.node, d.role, left(split_part(d.evidence, E'\n', 1), 150) AS evidence
FROM unnest('{docker,shipped,tagged}'::text[]) j, l4_diagnose(j) d WHERE d.ordinal = 1 AND d.kind IN ('node', 'event', 'fault')
ORDER BY 1, 2;
SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
DROP SCHEMA collector_objects CASCADE;
