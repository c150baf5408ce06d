-- Rules of the site's own take the place of built-in ones; built-in rows themselves stay as they came.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET search_path = public;

CREATE TEMP VIEW rule_table AS
SELECT c.oid::regclass AS rules, c.relname::text AS name, (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum)
	FROM pg_attribute
	WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attname <> 'builtin') AS columns
FROM pg_class c JOIN pg_trigger t ON t.tgrelid = c.oid WHERE t.tgname = 'l4_guard_builtin_rule';

-- The state, and for a built-in row the statement that a refusal advises.
CREATE FUNCTION pg_temp.refusal(statement text, OUT state text, OUT hint text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, hint = PG_EXCEPTION_HINT;
END
$$;
CREATE FUNCTION pg_temp.count_of(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE 'SELECT count(*) FROM ' || query INTO n;
	RETURN n;
END
$$;

\echo tables with built-in rows whose rows of the site''s own are not dumped, or whose built-in rows can be changed:
SELECT c.oid::regclass FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'builtin'
	CROSS JOIN pg_extension e
WHERE e.extname = 'l4' AND c.relkind = 'r' AND c.relname ~ '^l4_'
	AND (e.extcondition[array_position(e.extconfig, c.oid)] IS DISTINCT FROM 'WHERE NOT builtin'
		OR NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname ~ '^l4_guard_builtin'))
ORDER BY 1::text;
\echo tables of rules whose key does not end in builtin, or that have no view of what is in force:
SELECT r.rules FROM rule_table r
WHERE pg_get_constraintdef((SELECT oid FROM pg_constraint WHERE conrelid = r.rules AND contype = 'p')) !~ ', builtin\)$'
	OR r.name <> 'l4_fault_explains' AND to_regclass(r.name || '_in_force') IS NULL
ORDER BY 1::text;
\echo rules in force other than the built-in ones, with no row of the site itself:
SELECT r.rules FROM rule_table r
WHERE r.name <> 'l4_fault_explains'
	AND pg_temp.count_of(format('((TABLE %1$s EXCEPT TABLE %1$s_in_force) UNION ALL (TABLE %1$s_in_force EXCEPT TABLE %1$s)) d',
		r.rules)) > 0
ORDER BY 1::text;

\echo what a refusal says
\set VERBOSITY verbose
SELECT * FROM pg_temp.refusal($$UPDATE l4_stage_rule SET priority = 7, enabled = false WHERE name = 'megatron_data'$$);
SELECT * FROM pg_temp.refusal($$DELETE FROM l4_pool_setting WHERE key = 'framework'$$);
SELECT * FROM pg_temp.refusal($$UPDATE l4_pool_setting SET key = 'its own', weight = 2.5 WHERE key = 'framework'$$);
SELECT * FROM pg_temp.refusal($$DELETE FROM l4_fault_explains WHERE builtin AND (fault_key, explains) = (
	SELECT fault_key, explains FROM l4_fault_explains ORDER BY 1, 2 LIMIT 1)$$);
SELECT * FROM pg_temp.refusal($$INSERT INTO l4_mask (name, pattern, builtin) VALUES ('x', 'y', true)$$);
SELECT * FROM pg_temp.refusal($$INSERT INTO l4_fault (fault_key, title, category, subtype, pattern, builtin)
	VALUES ('x', 'x', 'user', 'x', 'x', true)$$);
INSERT INTO l4_mask (name, pattern) VALUES ('x', 'y');
SELECT * FROM pg_temp.refusal($$UPDATE l4_mask SET builtin = true$$);
DELETE FROM l4_mask;

\echo what it advises does it: of each table a built-in row less is in force, and no built-in row is gone
CREATE TEMP TABLE before AS SELECT r.*, pg_temp.count_of(r.name || ' WHERE builtin') AS builtin,
	CASE WHEN r.name <> 'l4_fault_explains' THEN pg_temp.count_of(r.name || '_in_force') END AS in_force FROM rule_table r;
SELECT b.name, f.state, CASE WHEN b.name <> 'l4_limit' THEN pg_temp.refusal(f.hint) END, CASE b.name WHEN 'l4_limit'
	THEN f.hint END FROM before b,
	pg_temp.refusal(format('DELETE FROM %1$s WHERE ctid = (SELECT ctid FROM %1$s WHERE builtin ORDER BY %2$s LIMIT 1)',
		b.rules, b.columns)) f
WHERE b.builtin > 0 ORDER BY b.name;
SELECT b.name, pg_temp.count_of(b.name || ' WHERE builtin') - b.builtin AS builtin,
	pg_temp.count_of(b.name || ' WHERE NOT builtin') AS own,
	CASE WHEN b.in_force IS NOT NULL THEN pg_temp.count_of(b.name || '_in_force') - b.in_force END AS in_force
FROM before b ORDER BY b.name;
\echo asked again it changes the row that is there, and says how to switch the rule on again
SELECT pg_temp.refusal(hint) FROM pg_temp.refusal($$UPDATE l4_pool_setting SET weight = 3 WHERE key = 'framework'$$);
SELECT key, weight, builtin, enabled FROM l4_pool_setting ORDER BY key, builtin;
SELECT key, weight, builtin FROM l4_pool_setting_in_force ORDER BY key;
UPDATE l4_pool_setting SET enabled = true WHERE NOT builtin;
SELECT key, weight, builtin FROM l4_pool_setting_in_force ORDER BY key;
\echo the pool of a job is by the keys in force
SELECT l4_pool_settings('{"model": "m", "framework": "f", "seed": 1}');
UPDATE l4_pool_setting SET enabled = false WHERE NOT builtin;
SELECT l4_pool_settings('{"model": "m", "framework": "f", "seed": 1}');
INSERT INTO l4_pool_setting (key) VALUES ('seed');
SELECT l4_pool_settings('{"model": "m", "framework": "f", "seed": 1}');

\echo an import goes by the rules in force
DELETE FROM l4_stage_rule WHERE NOT builtin;
CREATE FUNCTION pg_temp.stage_of(job text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(' ', l.stage, l.iteration), ', ' ORDER BY l.line_no) FROM l4_log l WHERE l.job_id = job
$$;
CREATE PROCEDURE pg_temp.try(job text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed'),
		l4_ingest(job, $q$SELECT line, 'rank-0.log' AS source
			FROM (VALUES ('Clearing cache on node-7'), ('step=40, skipped=0, lr=[0.0001], mom=[(0.9, 0.95)]')) AS v (line)$q$);
END
$$;
SET client_min_messages = warning;
CALL pg_temp.try('as built in');
INSERT INTO l4_stage_rule (name, stage, priority, pattern) VALUES ('slurm_start', 'model_build', 100, 'Clearing cache');
CALL pg_temp.try('another stage');
UPDATE l4_stage_rule SET enabled = false WHERE NOT builtin;
CALL pg_temp.try('switched off');
INSERT INTO l4_iteration_rule (name, pattern, enabled) SELECT name, pattern, false FROM l4_iteration_rule WHERE builtin
ON CONFLICT (name, builtin) DO NOTHING;
CALL pg_temp.try('no iteration');
SELECT job_id, pg_temp.stage_of(job_id)
FROM l4_job WHERE job_id IN ('as built in', 'another stage', 'switched off', 'no iteration') ORDER BY registered_at;
\echo and without the rows of the site all is as it was
SELECT count(l4_delete_job(job_id))
FROM l4_job WHERE job_id IN ('as built in', 'another stage', 'switched off', 'no iteration');
DELETE FROM l4_format WHERE NOT builtin;
DELETE FROM l4_stage_rule WHERE NOT builtin;
DELETE FROM l4_iteration_rule WHERE NOT builtin;
DELETE FROM l4_pool_setting WHERE NOT builtin;
DELETE FROM l4_limit WHERE NOT builtin;
DELETE FROM l4_wording WHERE NOT builtin;
DELETE FROM l4_fault_explains WHERE NOT builtin;
