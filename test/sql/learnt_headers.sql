-- Headers, labels and objects of no known format are learnt from the first lines of a file: what the fields are, which of them
-- tell time, level, name, rank and host, and where the message begins.
CREATE SCHEMA learnt_headers;
SET search_path = learnt_headers, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (source text, no int, line text);
-- What a trainer says, with what its file has before it: {t} in the given form, {l} a level, {m} the message, {r} a rank.
CREATE FUNCTION write_log(source text, header text, clock text, lines int DEFAULT 24) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line
	SELECT write_log.source, s, replace(replace(replace(replace(replace(replace(header,
		'{t}', coalesce(to_char(timestamp '2026-11-20 09:59:40' + s * interval '1.5 s', clock), '')),
		'{l}', (ARRAY['INFO', 'INFO', 'WARN', 'DEBUG'])[1 + s % 4]),
		'{s}', (ARRAY['I', 'I', 'W', 'D'])[1 + s % 4]),
		'{n}', (ARRAY['loop', 'data.reader', 'ckpt'])[1 + s % 3]),
		'{r}', (s * 7 / 2 % 4)::text),
		'{m}', (ARRAY['loading the tokenizer', format('Step %s of 90: loss 2.%s', s, 90 - s), 'shard 7 is slow',
			format('saved /ckpt/step-%s in 3 s', s), 'the queue is empty'])[1 + s % 5])
	FROM generate_series(1, lines) s
$$;
CREATE FUNCTION load_logs(job text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', '{athena,hera,apollo,hermes}', 1, started_at => '2026-11-20 09:00+00');
	PERFORM l4_ingest(job, 'SELECT line, source FROM learnt_headers.line ORDER BY source, no');
	TRUNCATE line;
END $$;
-- of each file how many records have a time, and one of them
CREATE FUNCTION shown(job text) RETURNS TABLE (source text, records bigint, timed bigint, levels bigint, ranks bigint,
	nodes bigint, ts text, level text, component text, message text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT l.source, count(*), count(*) FILTER (WHERE l.ts IS NOT NULL), count(DISTINCT l.level), count(DISTINCT l.rank),
		count(DISTINCT l.node), min(to_char(l.ts, 'HH24:MI:SS.MS')) FILTER (WHERE l.line_no = 11),
		min(l.level) FILTER (WHERE l.line_no = 11), min(l.component) FILTER (WHERE l.line_no = 11),
		min(l.message) FILTER (WHERE l.line_no = 11)
	FROM l4_log l WHERE l.job_id = shown.job GROUP BY l.source ORDER BY l.source COLLATE "C";
END $$;

\echo == headers: names, numbers, brackets and bars around times of many forms
SELECT write_log(h.source, h.header, h.clock) FROM (VALUES
	('angles', '<<{s}>> {t} (fit.{n}#31) ~ {m}', 'DD-Mon-YY HH24:MI:SS.MS'),
	('bars', '{t}|31|{l}|{n}|{m}', 'YYYY_MM_DD HH24:MI:SS:MS'),
	('braces', '{{t}} {fit} {l} {m}', 'YYYYMMDDHH24MISS'),
	('bytes', '{l}/fit.{n}(31): [{t}] {m}', 'DD Mon HH24:MI:SS.MS'),
	('colours', E'\033[2m{t}\033[0m \033[32m{l}\033[0m fit::{n}: {m}', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
	('dashes', '{l} -- {t} -- pool 1 -- {m}', 'HH24:MI:SS'),
	('date', '{t}: {l} [thread 31 of fit] {m}', 'Dy Mon DD HH24:MI:SS "UTC" YYYY'),
	('months', '({t}) fit.{n}: {m}', 'FMDay, FMDD FMMonth YYYY FMHH12:MI:SS PM'),
	('no_time', '31 {s} fit.{n} | {m}', ''),
	('pairs', 'at={t} sev={l} in=fit.{n} {m}', 'YYYY-MM-DD"T"HH24:MI:SS.MS'),
	('process', '{t} fit[31] {l} fit.{n} {m}', 'YYYY.MM.DD-HH24.MI.SS'),
	('spaced', '{t}  {l}   fit.{n}   {m}', 'MM/DD/YYYY HH12:MI:SS AM')) h (source, header, clock) \g /dev/null
SELECT load_logs('headers') \g /dev/null
SELECT * FROM shown('headers');

\echo == objects: the key is that whose values are times, levels, ranks
SELECT write_log(h.source, h.header, h.clock) FROM (VALUES
	('nested', '{"v":1,"at":{"text":"{t}"},"sev":"{l}","logger":"fit.{n}","text":"{m}"}', 'YYYY-MM-DD HH24:MI:SS.MS'),
	('prio', '{"text":"{m}","unit":"fit","prio":6,"stamp":"{t}"}', 'DD Mon YYYY HH24:MI:SS'),
	('ranked', '{"when":"{t}","how":"{l}","world_rank":{r},"said":"{m}"}', 'YYYY-MM-DD"T"HH24:MI:SS.MS+01:00'))
	h (source, header, clock) \g /dev/null
SELECT load_logs('objects') \g /dev/null
SELECT * FROM shown('objects');
SELECT source, count(*) AS streams, count(first_iteration) AS iterate FROM l4_stream WHERE job_id = 'objects'
GROUP BY source ORDER BY source COLLATE "C";

\echo == labels: of ranks by any text with their numbers, of hosts by names of nodes, and both; other blanks set a line in
SELECT write_log(h.source, h.header, h.clock, 48) FROM (VALUES
	('bar', 'R{r}| {t} {l} {m}', 'YYYY-MM-DD HH24:MI:SS'),
	('hash', '#{r}:   {m}', ''),
	('paren', '({r}/4) [{t}] {n} - {m}', 'HH24:MI:SS.MS'),
	('tab', E'{r}\t{m}', '')) h (source, header, clock) \g /dev/null
INSERT INTO line SELECT 'nodes', l.no, format('%s web %s', (ARRAY['athena', 'hera', 'apollo', 'hermes'])[1 + l.no * 3 / 2 % 4],
	substring(l.line, '\t(.*)')) FROM line l WHERE l.source = 'tab';
-- with what stands beside a node's name, before or behind it: its rank, the number of its rank there, a process
INSERT INTO line
SELECT f.source, l.no, format(f.form, n.name, l.rank, l.rank / 2, l.rank % 2, 3100 + l.rank * 7, l.message)
FROM (SELECT o.no, split_part(o.line, E'\t', 1)::int AS rank, substring(o.line, '\t(.*)') AS message FROM line o
	WHERE o.source = 'tab') l
CROSS JOIN (VALUES ('ahead', '%2$s@%1$s | %6$s', 1), ('behind', '%s (%s) %6$s', 1), ('beside', '%s/rank-%s >> %6$s', 1),
	('local', '%1$s.gpu%4$s: %6$s', 2), ('process', '%1$s/%5$s: %6$s', 1)) f (source, form, per_node)
CROSS JOIN LATERAL (SELECT (ARRAY['athena', 'hera', 'apollo', 'hermes'])[1 + l.rank / f.per_node] AS name) n;
SELECT load_logs('labels') \g /dev/null
SELECT * FROM shown('labels');
SELECT source, count(DISTINCT stream_id) AS streams, string_agg(DISTINCT format('%s %s', node, rank), ', ') AS who
FROM l4_log WHERE job_id = 'labels' AND source IN ('ahead', 'behind', 'beside', 'local', 'process')
GROUP BY source ORDER BY source COLLATE "C";

\echo == what is no header stays in the message: counters, what remains of a time, the first words of sentences, tables
INSERT INTO line
SELECT s.source, n, format(s.line, n, n % 60) FROM generate_series(1, 40) n, (VALUES
	('counter', '[%s/90] loss 2.%2$s'),
	('eta', 'Epoch: [0]  [%s/90]  eta: 0:10:%2$s  loss: 2.5'),
	('said', 'the job began at 2026-11-20 10:00:00 and is at step %s'),
	('steps', '2026-11-20 10:00:10 INFO step %s loss 2.%2$s | data 0.0 ms')) s (source, line);
SELECT load_logs('messages') \g /dev/null
SELECT source, rank, component, message FROM l4_log WHERE job_id = 'messages' AND line_no = 11 ORDER BY source COLLATE "C";

\echo == what was learnt holds for what is written later
SELECT write_log('grows', '<{s}> {t} fit.{n} ~ {m}', 'DD-Mon-YY HH24:MI:SS.MS', 3000);
SELECT load_logs('grows') \g /dev/null
INSERT INTO line VALUES ('grows', 3001, '<E> 20-Nov-26 12:00:00.000 fit.loop ~ the last line');
SELECT load_logs('grows') \g /dev/null
SELECT line_no, ts, level, component, message FROM l4_log WHERE job_id = 'grows' ORDER BY line_no DESC LIMIT 2;

SET client_min_messages = warning;
DROP SCHEMA learnt_headers CASCADE;
