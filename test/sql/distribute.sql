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

-- Functions and views of l4 as they are: what a twin and the setting to plan anew change, and what they must not.
CREATE TABLE object (turn text, object text, made text);
CREATE FUNCTION look(turn text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO object
	SELECT turn, p.oid::regprocedure::text,
		(l.lanname, p.provolatile, p.proparallel, p.proconfig, p.procost, p.prorows, p.prosrc)::text
	FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang WHERE p.proname ~ '^l4_'
	UNION ALL SELECT turn, c.oid::regclass::text, pg_get_viewdef(c.oid) FROM pg_class c
	WHERE c.relkind = 'v' AND c.relname ~ '^l4_';
$$;
CREATE FUNCTION changed(since text, turn text) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM (
		SELECT o.object FROM (SELECT o.object, o.made FROM object o WHERE o.turn = changed.since) o
		FULL JOIN (SELECT o.object, o.made FROM object o WHERE o.turn = changed.turn) n USING (object)
		WHERE o.made IS DISTINCT FROM n.made) d;
$$;
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
CREATE VIEW equal AS
SELECT t.turn, a.question, count(*) FILTER (WHERE a.turn = 'before') > 0 AS answered,
	array_agg(a.answer ORDER BY a.answer COLLATE "C") FILTER (WHERE a.turn = 'before')
		= array_agg(a.answer ORDER BY a.answer COLLATE "C") FILTER (WHERE a.turn = t.turn) AS equal
FROM (SELECT DISTINCT t.turn FROM answer t WHERE t.turn <> 'before') t CROSS JOIN answer a GROUP BY t.turn, a.question;

SELECT ask('before'), look('before') \g /dev/null
\echo == in the place of functions and views, and back; another call finds it done
BEGIN;
SELECT l4_prepare_node();
SELECT count(*) > 60 AS functions, count(*) FILTER (WHERE r.definition ~ '^CREATE OR REPLACE VIEW') > 5 AS views
FROM l4_replaced_function r;
SELECT count(*) AS still_in_sql FROM l4_functions_to_twin();
SELECT ask('twins'), look('twins') \g /dev/null
CREATE TEMP TABLE kept ON COMMIT DROP AS SELECT * FROM l4_replaced_function;
SELECT l4_prepare_node();
SELECT look('twice') \g /dev/null
SELECT changed('before', 'twins') > 60 AS by_the_first, changed('twins', 'twice') AS by_the_second,
	(SELECT count(*) FROM (TABLE kept EXCEPT TABLE l4_replaced_function) k) AS no_longer_kept;
SELECT l4_restore_functions();
SELECT look('restored'), ask('restored') \g /dev/null
SELECT changed('before', 'restored') AS not_as_before, (SELECT count(*) FROM l4_replaced_function) AS still_replaced,
	(SELECT count(*) FROM pg_trigger WHERE tgname = 'l4_share_rule') AS triggers;
TABLE equal ORDER BY turn DESC, question;
ROLLBACK;
SELECT count(*) AS replaced FROM l4_replaced_function;
DROP VIEW equal;
DROP FUNCTION ask(text);
DROP FUNCTION look(text), changed(text, text);
DROP TABLE answer, object;
SELECT l4_delete_job('spread-killed'), l4_delete_job('spread-ok') \g /dev/null
