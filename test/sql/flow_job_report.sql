-- The report of a job shows what its flows tell beside the stages that its logs tell; without flows it is as it was.
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
SET timezone = 'UTC';
-- A ring of five servers whose second accelerator is slow to send from step 20 on, and stops amid step 41.
CREATE TABLE step AS
SELECT step, sum(0.9 + 0.03 * (step * step * step * 13 % 97 - 48) / 48) OVER (ORDER BY step) AS ended
FROM generate_series(0, 50) step;
CREATE FUNCTION fill_flows() RETURNS void LANGUAGE sql AS $$
	INSERT INTO l4_flow (started_at, duration, source, destination, bytes, switches)
	SELECT '2026-01-01'::timestamptz + make_interval(secs => ended - 0.05 + 0.0005 * ((s + step * 3) % 5)),
		CASE WHEN s = 2 AND step >= 20 THEN 0.04 ELSE 0.02 END, '10.1.0.' || s, '10.1.0.' || s % 5 + 1, 500000000, '{leaf-1}'
	FROM step, generate_series(1, 5) s WHERE step <= 40
$$;
CREATE FUNCTION pg_temp.tell(job text, node text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, jsonb_build_object('model', job), 'failed',
		ARRAY(SELECT node || n FROM generate_series(1, 5) n), 1);
	PERFORM l4_ingest(job, format($q$SELECT %L || r AS node, r - 1 AS rank, to_char('2026-01-01'::timestamp
		+ make_interval(secs => ended + 2.5), 'YYYY-MM-DD HH24:MI:SS.MS') || ' INFO iteration ' || step || ' loss 2.5' AS line
		FROM step, generate_series(1, 5) r WHERE step <= 40
		UNION ALL SELECT %L || r, r - 1, '2026-01-01 00:10:00.000 ERROR collective of rank ' || r - 1 || ' timed out'
		FROM generate_series(1, 5) r$q$, node, node));
END
$$;
SELECT pg_temp.tell('ring', 'server-'), pg_temp.tell('elsewhere', 'host-') \g /dev/null
ANALYZE;

-- No flows at all; flows of others alone; flows that are not wanted: the same page, byte for byte.
CREATE TEMP TABLE page AS
SELECT job_id, l4_report(job_id, 'html', NULL) AS html FROM l4_job;
INSERT INTO l4_accelerator (address, server) SELECT '10.1.0.' || s, 'server-' || s FROM generate_series(1, 5) s;
SELECT job_id, l4_report(job_id, 'html', NULL) = html AS same, html LIKE '%Network flows%' AS flows FROM page ORDER BY job_id;
SELECT fill_flows();
ANALYZE l4_flow;
CREATE FUNCTION pg_temp.flows_read() RETURNS bigint LANGUAGE sql AS $$
	SELECT pg_stat_get_xact_tuples_returned('l4_flow_default'::regclass)
		+ pg_stat_get_xact_tuples_fetched('l4_flow_default'::regclass)
$$;
-- what was read before may still be counted
BEGIN;
SELECT pg_temp.flows_read() AS before \gset
SELECT job_id, l4_report(job_id, 'html', NULL) = html AS same FROM page WHERE job_id = 'elsewhere';
-- that there are flows is seen by one of them, in the diagnosis and in the report
SELECT pg_temp.flows_read() - :before <= 2 AS next_to_none_read;
SELECT l4_report('elsewhere') IS NOT NULL, pg_temp.flows_read() - :before <= 4 AS next_to_none_read;
COMMIT;
BEGIN;
SELECT pg_temp.flows_read() AS before \gset
INSERT INTO l4_limit (name, value) VALUES ('evidence_flow_span', 0);
SELECT job_id, l4_report(job_id, 'html', NULL) = html AS same FROM page ORDER BY job_id;
SELECT pg_temp.flows_read() - :before AS flows_read;
ROLLBACK;
BEGIN;
CREATE ROLE report_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO report_reader;
GRANT SELECT ON page TO report_reader;
REVOKE ALL ON l4_flow FROM report_reader;
SET ROLE report_reader;
SELECT job_id, l4_report(job_id, 'html', NULL) = html AS same FROM page ORDER BY job_id;
RESET ROLE;
ROLLBACK;

-- With flows: their timeline stands behind the stages.
UPDATE page SET html = l4_report('ring', 'html', NULL) WHERE job_id = 'ring';
SELECT xml_is_well_formed_document(html) FROM page WHERE job_id = 'ring';
SELECT heading FROM page, xmltable(XMLNAMESPACES ('http://www.w3.org/1999/xhtml' AS h), '//h:h2'
	PASSING xmlparse(document html) COLUMNS heading text PATH 'normalize-space(.)') WHERE job_id = 'ring';
SELECT title, rows, suspects, marks FROM page, xmltable(XMLNAMESPACES ('http://www.w3.org/1999/xhtml' AS h),
	'//h:svg[starts-with(@aria-labelledby, "flows")]' PASSING xmlparse(document html) COLUMNS title text PATH 'h:title',
	rows int PATH 'count(h:rect)', suspects int PATH 'count(h:text[@class="sus"])', marks int PATH 'count(h:g)')
WHERE job_id = 'ring';
SELECT part FROM page, xmltable(XMLNAMESPACES ('http://www.w3.org/1999/xhtml' AS h),
	'//h:section[h:h2="Network flows"]/*[self::h:p or self::h:ol]/descendant-or-self::*[self::h:p or self::h:li]'
	PASSING xmlparse(document html) COLUMNS part text PATH 'normalize-space(text()[1])') WHERE job_id = 'ring';
-- As text and as a ticket; of a job without flows there is no such part.
SELECT substring(l4_report('ring', 'text', NULL) FROM E'NETWORK FLOWS.*?(?=\n\n)');
SELECT substring(l4_report('ring', 'markdown', NULL) FROM E'## Network flows.*?(?=\n\n## )');
SELECT l4_report('elsewhere', 'text', NULL) LIKE '%NETWORK FLOWS%' AS text,
	l4_report('elsewhere', 'markdown', NULL) LIKE '%Network flows%' AS markdown;
-- They are read once, by the diagnosis; what has changed since is read anew.
CREATE FUNCTION pg_temp.rows_read() RETURNS bigint LANGUAGE sql AS $$
	SELECT sum(seq_tup_read + COALESCE(idx_tup_fetch, 0))::bigint FROM pg_stat_xact_user_tables WHERE relname = 'l4_flow'
$$;
BEGIN;
SELECT count(*) FROM l4_diagnose('ring') \g /dev/null
SELECT pg_temp.rows_read() AS of_diagnosis \gset
ROLLBACK;
BEGIN;
SELECT l4_report('ring', 'text', NULL) AS before \gset
SELECT pg_temp.rows_read() - :of_diagnosis < 10 AS read_once;
UPDATE l4_flow SET duration = 0.02;
SELECT l4_report('ring', 'text', NULL) = :'before' AS same;
ROLLBACK;
-- ids stand once
SELECT m[1], count(*) FROM page, regexp_matches(html, '\sid="([^"]*)"', 'g') m WHERE job_id = 'ring'
GROUP BY 1 HAVING count(*) > 1;
-- what comes from outside stays text
UPDATE l4_accelerator SET address = '<i>&' WHERE address = '10.1.0.2';
UPDATE l4_flow SET source = replace(source, '10.1.0.2', '<i>&'), destination = replace(destination, '10.1.0.2', '<i>&');
SELECT xml_is_well_formed_document(page), page LIKE '%&lt;i&gt;&amp;%' AS escaped, page LIKE '%<i>%' AS raw
FROM l4_report('ring', 'html', NULL) page;
SELECT l4_delete_job(job_id) FROM l4_job \g /dev/null
TRUNCATE l4_flow, l4_accelerator;
DROP TABLE step;
DROP FUNCTION fill_flows;
