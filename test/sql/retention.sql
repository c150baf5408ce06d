-- Retention: the text of a job's logs goes, what was learned from it stays; a job goes whole.
\getenv abs_srcdir PG_ABS_SRCDIR
\set VERBOSITY terse
SET client_min_messages = warning;
SET timezone = 'UTC';
\set folder :abs_srcdir '/data/diagnose/'
\set ok1 :folder 'ok-1'
\set ok2 :folder 'ok-2'
\set killed :folder 'killed'
\set settings '{"model": "m-retention"}'
SELECT l4_register_job('kept-1', :'settings', 'succeeded', '{node-a,node-b,node-c,node-d}', 1) \g /dev/null
CALL l4_import('kept-1', :'ok1');
SELECT l4_register_job('kept-2', :'settings', 'succeeded', '{node-a,node-b,node-c,node-d}', 1) \g /dev/null
CALL l4_import('kept-2', :'ok2');
SELECT l4_register_job('gone', :'settings', 'failed', '{node-a,node-b,node-c,node-d}', 1) \g /dev/null
CALL l4_import('gone', :'killed');
CREATE TEMP TABLE before AS SELECT row_number() OVER () AS place, d.* FROM l4_diagnose('gone') d;
CREATE TEMP TABLE pool_before AS SELECT pool_id, shape_id, job_count, occurrences FROM l4_pool_event;
CREATE TEMP TABLE log_before AS SELECT source, line_no, part, raw_bytes FROM l4_log WHERE job_id = 'gone';

-- without a saved diagnosis one is saved first; all the rest is as it was
SELECT l4_drop_log_text('gone') > 1000 AS freed;
SELECT count(*) FROM l4_log WHERE job_id = 'gone';
SELECT count(*) AS diagnoses, sum(findings) AS findings, (SELECT count(*) FROM before) AS findings_before
FROM l4_diagnosis WHERE job_id = 'gone';
SELECT count(*) AS differences FROM (
	(SELECT * FROM before EXCEPT ALL SELECT row_number() OVER (), d.* FROM l4_diagnose('gone') d) UNION ALL
	(SELECT row_number() OVER (), d.* FROM l4_diagnose('gone') d EXCEPT ALL SELECT * FROM before)) d;
SELECT count(*) AS streams, (SELECT count(*) FROM l4_stream_event WHERE job_id = 'gone') AS counts,
	(SELECT count(*) FROM l4_parameter_sketch WHERE job_id = 'gone') AS sketches
FROM l4_stream WHERE job_id = 'gone';
SELECT l4_drop_log_text('gone');
-- what needs the text says so
SELECT * FROM l4_diagnose('gone', use_pool => false);
SELECT * FROM l4_grep('gone', 'step');
SELECT * FROM l4_context('gone', 'node-b/rank-1.log', 4);
SELECT l4_report('gone', 'text') LIKE '%node-b%' AS report_from_saved;
-- the files bring it back
CALL l4_import('gone', :'killed');
SELECT count(*) AS differences FROM (
	(SELECT * FROM log_before EXCEPT ALL SELECT source, line_no, part, raw_bytes FROM l4_log WHERE job_id = 'gone') UNION ALL
	(SELECT source, line_no, part, raw_bytes FROM l4_log WHERE job_id = 'gone' EXCEPT ALL SELECT * FROM log_before)) d;
SELECT count(*) AS differences
FROM (SELECT * FROM before EXCEPT ALL SELECT row_number() OVER (), d.* FROM l4_diagnose('gone') d) d;

-- a successful job without text still tells what is normal
SELECT l4_drop_log_text('kept-1') > 1000 AS freed, l4_drop_log_text('kept-2', save_diagnosis => false) > 1000 AS freed_too;
SELECT count(*) AS differences
FROM (SELECT * FROM before EXCEPT ALL SELECT row_number() OVER (), d.* FROM l4_diagnose('gone') d) d;
SELECT * FROM l4_diagnose('kept-1');

-- the room: other jobs take it, the tables do not grow
VACUUM l4_segment;
SELECT pg_total_relation_size('l4_segment') AS size \gset
SELECT l4_drop_log_text('gone') > 0 AS freed;
VACUUM l4_segment;
CALL l4_import('gone', :'killed');
SELECT pg_total_relation_size('l4_segment') <= :size AS no_larger;

-- privileges and row security
CREATE ROLE l4_retention_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO l4_retention_reader;
SET ROLE l4_retention_reader;
SELECT l4_drop_log_text('gone');
SELECT l4_delete_job('gone');
RESET ROLE;
GRANT DELETE, UPDATE, INSERT ON ALL TABLES IN SCHEMA public TO l4_retention_reader;
ALTER TABLE l4_segment ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON l4_segment TO l4_retention_reader USING (job_id = 'kept-1');
SET ROLE l4_retention_reader;
SELECT l4_drop_log_text('gone', save_diagnosis => false);
RESET ROLE;
SELECT count(*) AS segments, sum(record_count) AS records FROM l4_segment WHERE job_id = 'gone';
DROP POLICY own ON l4_segment;
ALTER TABLE l4_segment DISABLE ROW LEVEL SECURITY;

-- a job goes whole, out of its pool too
SELECT l4_delete_job('kept-2');
SELECT l4_delete_job('gone');
SELECT c.relname, x.n
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'job_id',
	LATERAL (SELECT (xpath('//n/text()',
		query_to_xml(format('SELECT count(*) AS n FROM %s WHERE job_id IN (''kept-2'', ''gone'')', c.oid::regclass), false,
			false, '')))[1]::text::bigint AS n) x
WHERE c.relkind = 'r' AND c.relname LIKE 'l4\_%' AND x.n > 0;
SELECT job_count FROM l4_pool WHERE settings = :'settings';
SELECT count(*) FILTER (WHERE n.job_count < b.job_count) AS fewer_jobs,
	count(*) FILTER (WHERE n.occurrences < b.occurrences) AS fewer_occurrences,
	count(*) FILTER (WHERE n.job_count > b.job_count OR n.occurrences > b.occurrences) AS more
FROM pool_before b JOIN l4_pool USING (pool_id) LEFT JOIN l4_pool_event n USING (pool_id, shape_id)
WHERE settings = :'settings';
SELECT l4_delete_job('gone');
SELECT l4_drop_log_text('gone');
-- the last one takes the pool along
SELECT l4_delete_job('kept-1');
SELECT count(*) AS pools FROM l4_pool WHERE settings = :'settings';
DROP OWNED BY l4_retention_reader;
DROP ROLE l4_retention_reader;
