-- l4 on a cluster, as far as one server can tell: what l4_distribute says where there is no Citus, and that what it puts in the
-- place of functions and views answers as they do. The cluster itself: make test-citus.
\getenv abs_srcdir PG_ABS_SRCDIR
SET client_min_messages = warning;
SET timezone = 'UTC';
\set folder :abs_srcdir '/data/diagnose/'
\set ok1 :folder 'ok-1'
\set killed :folder 'killed'
SELECT l4_register_job('spread-ok', '{"model": "m-7"}', 'succeeded', '{node-a,node-b,node-c,node-d}', 1) \g /dev/null
CALL l4_import('spread-ok', :'ok1');
SELECT l4_register_job('spread-killed', '{"model": "m-7"}', 'failed', '{node-a,node-b,node-c,node-d}', 1) \g /dev/null
CALL l4_import('spread-killed', :'killed');
SELECT l4_save_diagnosis('spread-killed') IS NOT NULL AS saved;

SELECT l4_is_distributed();
SELECT l4_distribute();
SELECT l4_undistribute();

\echo == each table has one place; those that have none stay with each node
SELECT t.place, count(*) = count(DISTINCT t.table_name) AS once, bool_and(to_regclass(t.table_name) IS NOT NULL) AS there
FROM l4_table_places() t GROUP BY t.place ORDER BY t.place;
SELECT string_agg(r.relation::text, ' ' ORDER BY r.relation::text COLLATE "C") AS of_each_node FROM l4_own_relations() r
WHERE r.is_table AND r.relation::text NOT IN (SELECT t.table_name FROM l4_table_places() t);
\echo == tables of jobs have the job in each key
SELECT t.table_name FROM l4_table_places() t JOIN pg_index i ON i.indrelid = t.table_name::regclass AND i.indisunique
WHERE t.place = 'job' AND NOT EXISTS (SELECT FROM pg_attribute a
	WHERE a.attrelid = i.indrelid AND a.attname = 'job_id' AND a.attnum = ANY (i.indkey));

CREATE TABLE answer (turn text, question text, answer text);
CREATE FUNCTION ask(turn text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO answer
	SELECT turn, 'diagnose', d::text FROM l4_diagnose('spread-killed') d
	UNION ALL SELECT turn, 'report', l4_report('spread-killed', 'html', NULL)
	UNION ALL SELECT turn, 'grep', g::text FROM l4_grep('spread-killed', '(?i)error') g
	UNION ALL SELECT turn, 'facts', f::text FROM l4_job_facts f
	UNION ALL SELECT turn, 'failures', f::text FROM l4_failures f
	UNION ALL SELECT turn, 'nodes', n::text FROM l4_fleet_nodes n
	UNION ALL SELECT turn, 'faults', f::text FROM l4_fault_statistics f WHERE f.jobs > 0
	UNION ALL SELECT turn, 'diff', d::text FROM l4_diff('spread-killed') d;
$$;
SELECT ask('before');
\echo == in the place of functions and views, and back
BEGIN;
SELECT l4_prepare_node();
SELECT count(*) > 60 AS functions, count(*) FILTER (WHERE r.definition ~ '^CREATE OR REPLACE VIEW') > 5 AS views
FROM l4_replaced_function r;
SELECT count(*) AS still_in_sql FROM l4_functions_to_twin();
SELECT ask('twins');
SELECT a.question, count(*) FILTER (WHERE a.turn = 'before') > 0 AS answered,
	array_agg(a.answer ORDER BY a.answer COLLATE "C") FILTER (WHERE a.turn = 'before')
		= array_agg(a.answer ORDER BY a.answer COLLATE "C") FILTER (WHERE a.turn = 'twins') AS equal
FROM answer a GROUP BY a.question ORDER BY a.question;
ROLLBACK;
SELECT count(*) AS replaced FROM l4_replaced_function;
DROP FUNCTION ask(text);
DROP TABLE answer;
SELECT l4_delete_job('spread-killed'), l4_delete_job('spread-ok') \g /dev/null
