-- A job beside the last good run, and what went wrong in it first.
SET client_min_messages = warning;
SET timezone = 'UTC';
\pset null -
\set VERBOSITY terse

-- Logs of a job on two nodes of two ranks: a version, a port of each rank, so many steps of so many seconds, so many retries, a
-- statement of its own, and at the end what a few ranks say.
CREATE FUNCTION pg_temp.ran(job text, status text, day int, version text, steps int, seconds double precision, retries int,
	own text, settings jsonb DEFAULT '{}') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{"model": "diffed", "framework": "f"}' || settings, status, '{n1,n2}', 2,
		timestamptz '2026-04-01 00:00+00' + day * interval '1 day');
	RETURN (SELECT rows FROM l4_ingest(job, format($i$
		SELECT 'n' || 1 + r.rank / 2 AS node, r.rank, lower(split_part(l.line, ' ', 1)) AS level,
			substr(l.line, strpos(l.line, ' ') + 1) AS line,
			timestamptz '2026-04-01 00:00+00' + %s * interval '1 day' + l.at * interval '1 s' AS ts
		FROM generate_series(0, 3) r (rank)
		CROSS JOIN LATERAL (
			SELECT 0 AS at, 'INFO library version ' || %L AS line
			UNION ALL SELECT 1, 'INFO listening on port ' || 30000 + r.rank * 7 + %s
			UNION ALL SELECT 10 + i * %s, 'INFO step ' || i || ' loss 2.5' FROM generate_series(1, %s) i
			UNION ALL SELECT 10 + i, 'INFO retry of request ' || i || ' succeeded' FROM generate_series(1, %s) i
			UNION ALL SELECT 5, %L WHERE %5$s > 0) l
		ORDER BY r.rank, l.at$i$, day, version, day, seconds, steps, retries, own)));
END
$$;
SELECT pg_temp.ran('good-1', 'succeeded', 1, '2.1.7', 60, 2, 5, 'INFO prefetching shards in order');
SELECT pg_temp.ran('good-2', 'succeeded', 2, '2.1.7', 60, 2, 6, 'INFO prefetching shards in order', '{"seed": 2}');
SELECT pg_temp.ran('good-4', 'succeeded', 4, '2.1.7', 60, 2, 4, 'INFO prefetching shards in order');
SELECT pg_temp.ran('bad-3', 'failed', 3, '2.2.0', 30, 7, 90, 'WARNING shuffle buffer is too small',
	'{"seed": 3, "note": "new"}');
SELECT l4_last_good_run('bad-3') AS before, l4_last_good_run('good-1') AS after, l4_last_good_run('good-4') AS not_itself;
SELECT kind, name, here, there, round(times::numeric, 2) AS times, gravity, also_in FROM l4_diff('bad-3');
-- against another one; and the other way round
SELECT kind, name, here, there, round(times::numeric, 2) AS times FROM l4_diff('bad-3', 'good-1')
WHERE kind IN ('job', 'setting');
SELECT kind, name, here, there, round(times::numeric, 2) AS times, gravity, also_in FROM l4_diff('good-2', 'bad-3');
-- two good jobs differ in nothing of weight
SELECT kind, name, here, there, times FROM l4_diff('good-4') WHERE kind <> 'job';
-- the limits decide
BEGIN;
INSERT INTO l4_limit (name, value) VALUES ('diff_factor', 1000);
SELECT count(*) FROM l4_diff('bad-3') WHERE kind = 'count';
ROLLBACK;
SELECT * FROM l4_diff('nobody');
SELECT * FROM l4_diff('bad-3', 'nobody');
SELECT * FROM l4_diff('bad-3', 'bad-3');
SELECT l4_register_job('alone', '{"model": "of none other"}', 'failed');
SELECT * FROM l4_diff('alone');
SELECT kind, name, here, there FROM l4_diff('alone', 'good-1') WHERE kind <> 'only there';

-- what is a setting, and logged as well, is told once; a width that is no setting is told
SELECT pg_temp.ran('size-' || j, CASE s WHEN 8 THEN 'succeeded' ELSE 'failed' END, 20 + j::int, '2.1.7', 20, 2, 0,
	format('INFO batch size %s, width %s', s, 64 * s), jsonb_build_object('model', 'sized', 'batch_size', s))
FROM unnest('{8,8,16}'::int[]) WITH ORDINALITY b (s, j);
SELECT kind, name, here, there FROM l4_diff('size-3') WHERE kind IN ('setting', 'value');

-- ---------- the first error ----------

SELECT l4_register_job('first', '{"model": "diffed", "framework": "f"}', 'failed', '{n1,n2}', 2);
SELECT rows FROM l4_ingest('first', $$
	SELECT 'n' || 1 + r.rank / 2 AS node, r.rank, lower(split_part(l.line, ' ', 1)) AS level,
		substr(l.line, strpos(l.line, ' ') + 1) AS line, timestamptz '2026-04-09 00:00+00' + l.at * interval '1 s' AS ts
	FROM generate_series(0, 3) r (rank)
	CROSS JOIN LATERAL (
		SELECT 0 AS at, 'INFO library version 2.1.7' AS line
		UNION ALL SELECT 10 + i * 2, 'INFO step ' || i || ' loss 2.5' FROM generate_series(1, 20) i
		UNION ALL SELECT 20, 'WARNING the queue of rank 1 is nearly empty' WHERE r.rank = 1
		UNION ALL SELECT 55, 'ERROR device lost its power' WHERE r.rank = 2
		UNION ALL SELECT 56, 'ERROR device lost its power, too' WHERE r.rank = 3
		UNION ALL SELECT 54 + r.rank, 'ERROR connection closed by remote peer' WHERE r.rank < 2
		UNION ALL SELECT 70, 'ERROR received signal 15: terminating' WHERE r.rank = 0) l
	ORDER BY r.rank, l.at$$);
SELECT ts, node, rank, line_no, level, message, gravity, attempt FROM l4_first_error('first');
SELECT ts, node, rank, line_no, message, gravity FROM l4_first_error('first', each_node => true);
SELECT node, rank, message FROM l4_first_error('first', use_pool => false);
SELECT * FROM l4_first_error('good-1');
SELECT * FROM l4_first_error('nobody');

-- ---------- both in the report ----------

SELECT place, other, what, name, here, there, of_event FROM l4_report_changes('bad-3', l4_report_findings('bad-3'));
SELECT * FROM l4_report_changes('alone', '{}');
SELECT count(*) FILTER (WHERE here) AS here, count(*) FILTER (WHERE NOT here) AS there, min(iteration), max(last_iteration),
	min(seconds) FILTER (WHERE here) AS seconds, max(seconds) FILTER (WHERE NOT here) AS good_seconds, max(bin)
FROM l4_report_steps('bad-3', 'good-2');
SELECT count(*), min(iteration), max(last_iteration), max(bin) FROM l4_report_steps('bad-3', NULL, 7);
SELECT count(*) FROM l4_report_steps('alone', 'good-2');
SELECT summary, differences, steps, words FROM l4_report('bad-3', 'html') page, xmltable(
	XMLNAMESPACES ('http://www.w3.org/1999/xhtml' AS h), '/h:html' PASSING xmlparse(document page)
	COLUMNS summary text PATH '//h:section[h:h2 = "Different from the last good run"]/h:details/h:summary',
	differences int PATH 'count(//h:section[h:h2 = "Different from the last good run"]//h:tbody/h:tr)',
	steps int PATH 'count(//*[local-name() = "polyline"])', words text PATH '//*[@id = "steps-text"]');
-- of two suspects one took part in the jobs before, and was once to blame
INSERT INTO l4_failure_report (job_id, faulty_nodes) VALUES ('bad-3', '{n1}');
SELECT r.ordinal, r.jobs, r.failed_jobs, r.blamed_jobs, r.expected_jobs, round(r.p_value::numeric, 3) AS p_value,
	r.last_blamed_job, r.last_blamed_at, l4_history_sentence(to_jsonb(r))
FROM l4_report_history('good-4', ARRAY(SELECT jsonb_populate_record(NULL::l4_finding, jsonb_build_object('kind', 'node',
	'ordinal', n.ordinal, 'node', n.node))
	FROM unnest('{n1,n2,n9}'::text[]) WITH ORDINALITY n (node, ordinal))) r ORDER BY r.ordinal;
SELECT count(*) FROM l4_report_history('good-1', ARRAY[jsonb_populate_record(NULL::l4_finding,
	'{"kind": "node", "ordinal": 1, "node": "n1"}')]);

SELECT count(l4_delete_job(j)) FROM unnest('{good-1,good-2,good-4,bad-3,alone,first}'::text[]) j;
