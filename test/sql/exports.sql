-- Files in which lines are kept in another form than a line each: documents of JSON, tables, sections, the newest first. Node,
-- rank, time, level and message are those of what was written; what is broken stays as it is; a program's own tables do, too.
\set folder `folder=$(mktemp -d) && chmod 777 "$folder" && echo "$folder"`
\setenv L4_FOLDER :folder
CREATE SCHEMA exports;
SET search_path = exports, public;
SET client_min_messages = warning;
SET timezone = 'UTC';
SET jit = off;

-- four nodes of two ranks; a collector's stamp comes 20 ms later
CREATE TABLE line (turn serial, at numeric, node text, rank int, level text, message text, said text);
INSERT INTO line (at, node, rank, level, message, said)
SELECT at, 'node-' || r / 2, r, level, m,
	to_char(timestamp '2026-11-20 10:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS')
	|| ' - trainer - ' || upper(level) || ' - ' || m
FROM generate_series(1, 20) s, generate_series(0, 7) r,
	LATERAL (SELECT s + r * 0.01, 'info', format(E'item %s-%s, "loss" 0.5\\s', s, r)) l (at, level, m)
ORDER BY at, r;
INSERT INTO line (at, node, rank, level, message, said) SELECT 30, 'node-1', 2, 'error', m, m FROM (VALUES
	(E'Traceback (most recent call last):\n  File "/app/train.py", line 7, in <module>\nRuntimeError: CUDA error')) v (m);
CREATE VIEW wrapped AS SELECT *, to_char(timestamp '2026-11-20 10:00' + (at + 0.02) * interval '1 s',
		'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS iso,
	(extract(epoch FROM timestamptz '2026-11-20 10:00Z' + at * interval '1 s') * 1000)::bigint AS ms,
	format('/logs/%s/rank%s.log', node, rank) AS path
FROM line;
-- writes the rows of a query as they are, into job/name
CREATE FUNCTION write_file(job text, name text, query text, behind text DEFAULT '') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', '{node-0,node-1,node-2,node-3}', 2, '2026-11-20 09:59Z');
	EXECUTE format('COPY (%s) TO PROGRAM %L WITH (FORMAT csv, QUOTE E''\x01'', ESCAPE E''\x01'', DELIMITER E''\x02'')', query,
		format('mkdir -p %1$s/%2$s; cd %1$s/%2$s; tr -d ''\001'' > %3$s %4$s', current_setting('exports.folder'), job, name,
			behind));
END $$;
SELECT set_config('exports.folder', :'folder', false) \g /dev/null
CREATE FUNCTION cell(text) RETURNS text LANGUAGE sql AS $$ SELECT '"' || replace($1, '"', '""') || '"' $$;
CREATE FUNCTION json_lines(text) RETURNS text LANGUAGE sql AS $$ SELECT jsonb_pretty($1::jsonb) $$;
-- what was found of the lines that were written
-- as one would ask a cluster: first the log, then the table of this server beside it
CREATE VIEW found AS
WITH log AS MATERIALIZED (SELECT l.job_id, l.node, l.rank, l.ts, l.level, l.message FROM l4_log l)
SELECT l.job_id, count(*) AS lines, count(*) FILTER (WHERE l.node = w.node) AS node,
	count(*) FILTER (WHERE l.rank = w.rank) AS rank, count(*) FILTER (WHERE abs(extract(epoch FROM l.ts - timestamptz
		'2026-11-20 10:00Z') - w.at) < 0.1) AS time,
	count(*) FILTER (WHERE l.level = w.level) AS level
FROM line w JOIN log l ON btrim(l.message, E'\n') = w.message GROUP BY l.job_id;

\echo == documents: an answer of CloudWatch, of Loki, of Elasticsearch, batches of OpenTelemetry, an array over many lines
SELECT write_file('cloudwatch', 'events.json', $$SELECT json_build_object('events', json_agg(json_build_object('timestamp', ms,
		'message', said, 'logStreamName', path, 'host', node) ORDER BY turn), 'nextForwardToken', 'f/3') FROM wrapped$$),
	write_file('loki', 'loki.json', $$SELECT json_build_object('status', 'success', 'data', json_build_object('resultType',
		'streams', 'result', json_agg(json_build_object('stream', json_build_object('filename', path, 'host', node), 'values',
		v) ORDER BY path))) FROM (SELECT path, node, json_agg(json_build_array((ms * 1000000)::text, said)
		ORDER BY turn DESC) AS v FROM wrapped GROUP BY path, node) s$$),
	write_file('elastic', 'hits.json', $$SELECT json_lines(json_build_object('took', 3, 'hits', json_build_object('total', 161,
		'hits', json_agg(json_build_object('_id', turn, '_source', json_build_object('@timestamp', iso, 'message', said,
		'log', json_build_object('file', json_build_object('path', path)), 'host', json_build_object('name', node)))
		ORDER BY turn)))::text) FROM wrapped$$),
	write_file('otel', 'otel.jsonl', $$SELECT json_build_object('resourceLogs', json_agg(json_build_object('resource',
		json_build_object('attributes', json_build_array(json_build_object('key', 'host.name', 'value',
		json_build_object('stringValue', node)), json_build_object('key', 'log.file.path', 'value',
		json_build_object('stringValue', path)))), 'scopeLogs', json_build_array(json_build_object('logRecords', v)))))
		FROM (SELECT turn / 40 AS batch, path, node, json_agg(json_build_object('timeUnixNano', (ms * 1000000)::text, 'body',
		json_build_object('stringValue', said)) ORDER BY turn) AS v FROM wrapped GROUP BY batch, path, node) s
		GROUP BY batch ORDER BY batch$$),
	write_file('gke', 'gke.json', $$SELECT json_lines(json_agg(json_build_object('textPayload', said, 'timestamp', iso,
		'logName', path, 'resource', json_build_object('labels', json_build_object('pod_name', node)))
		ORDER BY turn DESC)::text) FROM wrapped$$) \g /dev/null
CALL l4_import('cloudwatch', :'folder' || '/cloudwatch');
CALL l4_import('loki', :'folder' || '/loki');
CALL l4_import('elastic', :'folder' || '/elastic');
CALL l4_import('otel', :'folder' || '/otel');
CALL l4_import('gke', :'folder' || '/gke');
SELECT * FROM found ORDER BY job_id;
SELECT l.job_id, l.line_no, l.node, l.rank, l.raw FROM l4_log l WHERE l.message ~ 'item 20-7' ORDER BY l.job_id;
SELECT l.job_id, l.line_no, l.raw FROM l4_log l WHERE l.node IS NULL ORDER BY l.job_id, l.line_no;

\echo == tables: the newest first, cells of several lines, labels as an object; parted by semicolons and tabs
SELECT write_file('kibana', 'discover.csv', $$SELECT '"@timestamp","host.name","log.file.path",message' UNION ALL (SELECT
		concat_ws(',', cell(to_char(iso::timestamp, 'Mon FMDD, YYYY @ HH24:MI:SS.MS')), cell(node), cell(path), cell(said))
		FROM wrapped ORDER BY turn DESC)$$),
	write_file('grafana', 'logs.csv', $$SELECT E'labels;Time;Line;tsNs\r' UNION ALL (SELECT concat_ws(';',
		cell(json_build_object('filename', path, 'pod', node)::text), iso, cell(said), ms::text || E'000000\r')
		FROM wrapped ORDER BY turn)$$),
	write_file('tabs', 'logs.tsv', $$SELECT E'host\tfile\ttime\ttext' UNION ALL (SELECT concat_ws(E'\t', node, path, iso,
		cell(said)) FROM wrapped ORDER BY turn)$$) \g /dev/null
CALL l4_import('kibana', :'folder' || '/kibana');
CALL l4_import('grafana', :'folder' || '/grafana');
CALL l4_import('tabs', :'folder' || '/tabs');
SELECT * FROM found WHERE job_id IN ('kibana', 'grafana', 'tabs') ORDER BY job_id;
SELECT l.job_id, l.line_no, l.node, l.rank, l.ts, replace(l.raw, E'\n', '|') AS raw FROM l4_log l
WHERE l.job_id IN ('kibana', 'tabs') AND (l.message ~ 'CUDA' OR l.node IS NULL) ORDER BY l.job_id, l.line_no;

\echo == sections
SELECT write_file('tail', 'tail.txt', $$SELECT CASE WHEN turn > 1 THEN E'\n' ELSE '' END || format(E'==> %s <==\n%s', path,
		said) FROM wrapped ORDER BY turn$$),
	write_file('dshbak', 'all.txt', $$SELECT format(E'----------------\n%s\n----------------\n%s', node,
		string_agg(said, E'\n' ORDER BY turn)) FROM wrapped GROUP BY node ORDER BY node$$),
	write_file('ansible', 'all.txt', $$SELECT format(E'%s | CHANGED | rc=0 >>\n%s', node,
		string_agg(said, E'\n' ORDER BY turn)) FROM wrapped GROUP BY node ORDER BY node$$),
	write_file('pssh', 'all.txt', $$SELECT format(E'[%s] 15:02:11 [SUCCESS] %s\n%s', right(node, 1), node,
		string_agg(said, E'\n' ORDER BY turn)) FROM wrapped GROUP BY node ORDER BY node$$),
	write_file('yarn', 'app.log', $$SELECT format(E'%s\nContainer: container_17_01_00000%s on %s_8041\n=====\nLogType:stderr\n'
		'LogLength:9\nLogContents:\n%s\nEnd of LogType:stderr', CASE node WHEN 'node-0'
		THEN 'INFO client.RMProxy: Connecting to ResourceManager' ELSE '***' END, right(node, 1), node,
		string_agg(said, E'\n' ORDER BY turn))
		FROM wrapped GROUP BY node ORDER BY node$$) \g /dev/null
CALL l4_import('tail', :'folder' || '/tail');
CALL l4_import('dshbak', :'folder' || '/dshbak');
CALL l4_import('ansible', :'folder' || '/ansible');
CALL l4_import('pssh', :'folder' || '/pssh');
CALL l4_import('yarn', :'folder' || '/yarn');
SELECT * FROM found WHERE job_id IN ('tail', 'dshbak', 'ansible', 'pssh', 'yarn') ORDER BY job_id;
SELECT l.job_id, l.line_no, l.node, replace(l.raw, E'\n', '|') AS raw FROM l4_log l WHERE l.job_id IN ('tail', 'dshbak', 'yarn')
	AND (l.message ~ 'CUDA' OR (l.node IS NULL AND l.line_no < 6)) ORDER BY l.job_id, l.line_no;

-- byte by byte, heads and all
SELECT l.job_id, string_agg(l.raw, E'\n' ORDER BY l.line_no, l.part) || E'\n' = pg_read_file(format('%s/%s/%s.txt', :'folder',
	l.job_id, CASE l.job_id WHEN 'tail' THEN 'tail' ELSE 'all' END)) AS same FROM l4_log l
WHERE l.job_id IN ('tail', 'dshbak', 'ansible', 'pssh') GROUP BY l.job_id ORDER BY l.job_id;

\echo == the newest line first: objects, and a log as it is; numbers count from the end
SELECT write_file('splunk', 'all.json', $$SELECT json_build_object('_raw', said, '_time', iso, 'host', node, 'source', path)
		FROM wrapped ORDER BY turn DESC$$),
	write_file('journal', 'all.log', $$SELECT format('%s: %s', node, l) FROM (SELECT node, l, turn, n FROM wrapped,
		string_to_table(said, E'\n') WITH ORDINALITY t (l, n) ORDER BY turn DESC, n DESC) x$$) \g /dev/null
CALL l4_import('splunk', :'folder' || '/splunk');
CALL l4_import('journal', :'folder' || '/journal');
SELECT * FROM found WHERE job_id IN ('splunk', 'journal') ORDER BY job_id;
SELECT l.job_id, l.line_no, l.node, l.message FROM l4_log l WHERE l.job_id IN ('splunk', 'journal') AND l.line_no IN (1, 161)
ORDER BY l.job_id, l.line_no;

\echo == what is cut off or torn is kept as it is, line by line; nothing is lost
SELECT write_file('cut', 'gke.json', $$SELECT line FROM (SELECT line, n FROM wrapped w, LATERAL string_to_table(json_lines(
		(SELECT json_agg(json_build_object('textPayload', said, 'timestamp', iso, 'pod', node) ORDER BY turn)::text
		FROM wrapped)), E'\n') WITH ORDINALITY t (line, n) WHERE w.turn = 1 AND n <= 47) x$$),
	write_file('torn', 'logs.csv', $$SELECT 'time,host,text' UNION ALL (SELECT CASE turn WHEN 20 THEN 'too,few' WHEN 30 THEN
		'-- 2 lines were dropped' WHEN 40 THEN concat_ws(',', iso, node, '"no end') ELSE concat_ws(',', iso, node, cell(said))
		END FROM wrapped ORDER BY turn)$$) \g /dev/null
-- it ends behind its last record, with what is told of all
SELECT write_file('ends', 'hits.json', $$SELECT regexp_replace(json_build_object('hits', json_agg(json_build_object('at', iso,
	'message', said, 'host', node) ORDER BY turn))::text, '\}\s*$', ', "error": "shard 3 failed"') FROM wrapped$$) \g /dev/null
CALL l4_import('ends', :'folder' || '/ends');
CALL l4_import('cut', :'folder' || '/cut');
CALL l4_import('torn', :'folder' || '/torn');
SELECT * FROM found WHERE job_id IN ('cut', 'ends', 'torn') ORDER BY job_id;
SELECT l.job_id, l.line_no, l.raw FROM l4_log l WHERE l.job_id IN ('cut', 'ends', 'torn') AND l.node IS NULL ORDER BY 1, 2;

\echo == in archives, compressed, by several processes; and read anew when it has grown
SELECT write_file('packed', 'a.csv', $$SELECT '"@timestamp",host,message' UNION ALL (SELECT concat_ws(',', iso, node,
		cell(said || repeat('.', 400))) FROM wrapped ORDER BY turn DESC)$$,
		'&& gzip -k a.csv && head -99 a.csv > b.csv && cp b.csv c.csv &&
		tar cf d.tar a.csv b.csv && mv a.csv e.csv') \g /dev/null
CALL l4_import('packed', :'folder' || '/packed', workers => 3, part_bytes => 65536);
SELECT source, count(*), min(line_no), max(line_no), md5(string_agg(concat_ws('|', line_no, part, node,
	extract(epoch FROM ts), level, message), E'\n' ORDER BY line_no, part))
FROM l4_log WHERE job_id = 'packed' GROUP BY source ORDER BY source COLLATE "C";
\! cd "$L4_FOLDER/packed" && cp e.csv c.csv
CALL l4_import('packed', :'folder' || '/packed');
SELECT count(*), min(line_no), max(line_no) FROM l4_log WHERE job_id = 'packed' AND source = 'c.csv';

\echo == what programs write themselves stays as it is
SELECT write_file('own', 'metrics.csv', $$SELECT 'time,host,step,loss' UNION ALL (SELECT format('%s,%s,%s,0.5', iso, node, turn)
		FROM wrapped ORDER BY turn)$$),
	write_file('own', 'config.json', $$SELECT json_lines(json_build_object('model', 'lm', 'layers', json_agg(json_build_object(
		'name', 'layer ' || turn, 'size', turn) ORDER BY turn))::text) FROM wrapped$$),
	write_file('own', 'banner.log', $$SELECT E'----------\nSettings\n----------' UNION ALL (SELECT said FROM wrapped
		ORDER BY turn)$$) \g /dev/null
CALL l4_import('own', :'folder' || '/own');
SELECT l.source, count(*), count(l.node) AS nodes, sum(length(l.raw)) AS bytes, count(*) FILTER (WHERE
	starts_with(l.message, '{"')) AS objects
FROM l4_log l WHERE l.job_id = 'own' GROUP BY l.source ORDER BY l.source COLLATE "C";

DO $$ BEGIN EXECUTE format('COPY (SELECT) TO PROGRAM %L', format('rm -r %s/*', current_setting('exports.folder')));
END $$;
\! rm -r "$L4_FOLDER"
SELECT count(l4_delete_job(j)) FROM unnest('{cloudwatch,loki,elastic,otel,gke,kibana,grafana,tabs,tail,dshbak,ansible,pssh,'
	'yarn,splunk,journal,cut,ends,torn,packed,own}'::text[]) j;
DROP SCHEMA exports CASCADE;
