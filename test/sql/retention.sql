-- Retention: the text of a job's logs goes, what was learned from it stays; a job goes whole.
\getenv abs_srcdir PG_ABS_SRCDIR
\set VERBOSITY terse
SET client_min_messages = warning;
SET timezone = 'UTC';
\set folder :abs_srcdir '/data/diagnose/'
\set ok1 :folder 'ok-1'
\set ok2 :folder 'ok-2'
\set killed :folder 'killed'
\set settings '{"model": "m-7"}'
SELECT l4_register_job('ok-1', :'settings', 'succeeded', '{node-a,node-b,node-c,node-d}', 1) \g /dev/null
CALL l4_import('ok-1', :'ok1');
SELECT l4_register_job('ok-2', :'settings', 'succeeded', '{node-a,node-b,node-c,node-d}', 1) \g /dev/null
CALL l4_import('ok-2', :'ok2');
SELECT l4_register_job('killed', :'settings', 'failed', '{node-a,node-b,node-c,node-d}', 1) \g /dev/null
CALL l4_import('killed', :'killed');
CREATE TEMP TABLE before AS SELECT row_number() OVER () AS place, d.* FROM l4_diagnose('killed') d;
CREATE TEMP TABLE pool_before AS SELECT shape_id, job_count, occurrences FROM l4_pool_event;
CREATE TEMP TABLE log_before AS SELECT source, line_no, part, raw_bytes FROM l4_log WHERE job_id = 'killed';

-- without a saved diagnosis one is saved first; all the rest is as it was
SELECT l4_drop_log_text('killed') > 1000 AS freed;
SELECT count(*) FROM l4_log WHERE job_id = 'killed';
SELECT count(*) AS diagnoses, (SELECT count(*) FROM before) = sum(findings) AS all_findings FROM l4_diagnosis WHERE job_id = 'killed';
SELECT count(*) AS differences FROM (
	(SELECT * FROM before EXCEPT ALL SELECT row_number() OVER (), d.* FROM l4_diagnose('killed') d) UNION ALL
	(SELECT row_number() OVER (), d.* FROM l4_diagnose('killed') d EXCEPT ALL SELECT * FROM before)) d;
SELECT count(*) > 0 AS streams, (SELECT count(*) > 0 FROM l4_stream_event WHERE job_id = 'killed') AS counts, (SELECT count(*) > 0 FROM l4_parameter_sketch WHERE job_id = 'killed') AS sketches
FROM l4_stream WHERE job_id = 'killed';
SELECT l4_drop_log_text('killed');
-- what needs the text says so
SELECT * FROM l4_diagnose('killed', use_pool => false);
SELECT * FROM l4_grep('killed', 'step');
SELECT * FROM l4_context('killed', 'node-b/rank-1.log', 4);
SELECT l4_report('killed', 'text') LIKE '%node-b%' AS report_from_saved;
-- the files bring it back
CALL l4_import('killed', :'killed');
SELECT count(*) AS differences FROM (
	(SELECT * FROM log_before EXCEPT ALL SELECT source, line_no, part, raw_bytes FROM l4_log WHERE job_id = 'killed') UNION ALL
	(SELECT source, line_no, part, raw_bytes FROM l4_log WHERE job_id = 'killed' EXCEPT ALL SELECT * FROM log_before)) d;
SELECT count(*) AS differences FROM (SELECT * FROM before EXCEPT ALL SELECT row_number() OVER (), d.* FROM l4_diagnose('killed') d) d;

-- a successful job without text still tells what is normal
SELECT l4_drop_log_text('ok-1') > 1000 AS freed, l4_drop_log_text('ok-2', save_diagnosis => false) > 1000 AS freed_too;
SELECT count(*) AS differences FROM (SELECT * FROM before EXCEPT ALL SELECT row_number() OVER (), d.* FROM l4_diagnose('killed') d) d;
SELECT * FROM l4_diagnose('ok-1');

-- the room: other jobs take it, the tables do not grow
VACUUM l4_segment;
SELECT pg_total_relation_size('l4_segment') AS size \gset
SELECT l4_drop_log_text('killed') > 0 AS freed;
VACUUM l4_segment;
CALL l4_import('killed', :'killed');
SELECT pg_total_relation_size('l4_segment') <= :size AS no_larger;

-- privileges and row security
CREATE ROLE l4_retention_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO l4_retention_reader;
SET ROLE l4_retention_reader;
SELECT l4_drop_log_text('killed');
SELECT l4_delete_job('killed');
RESET ROLE;
GRANT DELETE, UPDATE, INSERT ON ALL TABLES IN SCHEMA public TO l4_retention_reader;
ALTER TABLE l4_segment ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON l4_segment TO l4_retention_reader USING (job_id = 'ok-1');
SET ROLE l4_retention_reader;
SELECT l4_drop_log_text('killed', save_diagnosis => false);
RESET ROLE;
SELECT count(*) > 0 AS still_there FROM l4_segment WHERE job_id = 'killed';
DROP POLICY own ON l4_segment;
ALTER TABLE l4_segment DISABLE ROW LEVEL SECURITY;

-- a job goes whole, out of its pool too
SELECT l4_delete_job('ok-2');
SELECT l4_delete_job('killed');
SELECT c.relname, x.n
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'job_id',
	LATERAL (SELECT (xpath('//n/text()', query_to_xml(format('SELECT count(*) AS n FROM %s WHERE job_id IN (''ok-2'', ''killed'')', c.oid::regclass), false, false, '')))[1]::text::bigint AS n) x
WHERE c.relkind = 'r' AND c.relname LIKE 'l4\_%' AND x.n > 0;
SELECT job_count FROM l4_pool;
SELECT count(*) > 0 AS fewer FROM (SELECT * FROM pool_before EXCEPT SELECT shape_id, job_count, occurrences FROM l4_pool_event) d;
SELECT l4_delete_job('killed');
SELECT l4_drop_log_text('killed');
DROP OWNED BY l4_retention_reader;
DROP ROLE l4_retention_reader;
