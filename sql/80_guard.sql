/*
 * What a dump holds, the guard against losing it by a plain DROP EXTENSION, and the one against functions that take the place
 * of l4's.
 */

-- One call a statement: each updates the extension's own row.
SELECT pg_extension_config_dump('@extschema@.l4_job', '');
SELECT pg_extension_config_dump('@extschema@.l4_stream', '');
SELECT pg_extension_config_dump('@extschema@.l4_segment', '');
SELECT pg_extension_config_dump('@extschema@.l4_shape', '');
SELECT pg_extension_config_dump('@extschema@.l4_event', '');
SELECT pg_extension_config_dump('@extschema@.l4_source_counts', '');
SELECT pg_extension_config_dump('@extschema@.l4_timeline', '');
SELECT pg_extension_config_dump('@extschema@.l4_pool', '');
SELECT pg_extension_config_dump('@extschema@.l4_pool_job', '');
SELECT pg_extension_config_dump('@extschema@.l4_pool_event', '');
SELECT pg_extension_config_dump('@extschema@.l4_pool_job_event', '');
SELECT pg_extension_config_dump('@extschema@.l4_pool_job_parameter', '');
SELECT pg_extension_config_dump('@extschema@.l4_failure_report', '');
SELECT pg_extension_config_dump('@extschema@.l4_finding', '');
SELECT pg_extension_config_dump('@extschema@.l4_pool_parameter', '');
SELECT pg_extension_config_dump('@extschema@.l4_address', '');
SELECT pg_extension_config_dump('@extschema@.l4_parameter_sketch', '');
SELECT pg_extension_config_dump('@extschema@.l4_source_state', '');
SELECT pg_extension_config_dump('@extschema@.l4_inbox', '');
SELECT pg_extension_config_dump('@extschema@.l4_inbox_refused', '');
SELECT pg_extension_config_dump('@extschema@.l4_label', '');
-- Built-in rows come from the script; tables of rules are registered in 49_rules_in_force.sql.
SELECT pg_extension_config_dump('@extschema@.l4_fault', 'WHERE NOT builtin');

CREATE FUNCTION @extschema@.l4_guard_drop() RETURNS event_trigger
	LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'l4_guard_drop';
COMMENT ON FUNCTION @extschema@.l4_guard_drop() IS
'Step: Refuses a plain DROP EXTENSION l4, and a plain DROP OWNED BY its owner, while rows that did not come with l4 are '
'there: logs, reports, faults and rules of the site (SQLSTATE 2BP01, with the tables). CASCADE goes through, and so does '
'all while the setting l4.allow_drop is on, as for pg_restore --clean. Refuses to rename the schema of the extension '
'(55000).';

CREATE EVENT TRIGGER l4_guard_drop ON ddl_command_start WHEN TAG IN ('DROP EXTENSION', 'DROP OWNED', 'ALTER SCHEMA')
	EXECUTE FUNCTION @extschema@.l4_guard_drop();
COMMENT ON EVENT TRIGGER l4_guard_drop IS
'Refuses what would discard logs, faults and rules without saying so, and renaming the schema of the extension.';

/*
 * Functions of l4 look nothing up but in pg_catalog and by qualified names. What is left to others who may create in the schema
 * of the extension is a function of a name that l4 has too and that fits a call better (one without defaults is enough): it
 * would run with the rights of whoever calls. So such names are the owner's.
 */
CREATE FUNCTION @extschema@.l4_namesakes() RETURNS TABLE (classid oid, objid oid)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
	WITH own AS MATERIALIZED (
		SELECT p.oid, p.proname, e.extnamespace
		FROM pg_extension e
		JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
			JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
		WHERE e.extname = 'l4'
	)
	SELECT 'pg_proc'::regclass, p.oid FROM pg_proc p
	WHERE (p.proname, p.pronamespace) IN (SELECT o.proname, o.extnamespace FROM own o)
		AND p.oid NOT IN (SELECT o.oid FROM own o)
	UNION ALL
	-- a call with one argument can be a cast
	SELECT 'pg_type'::regclass, t.oid FROM pg_type t
	WHERE (t.typname, t.typnamespace) IN (SELECT o.proname, o.extnamespace FROM own o) AND t.typrelid = 0;
END;
COMMENT ON FUNCTION @extschema@.l4_namesakes() IS
'Step: Functions and types in the schema of the extension that are not its own and have the name of one of its functions: '
'catalog and oid.';

CREATE FUNCTION @extschema@.l4_guard_names() RETURNS event_trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	planted text;
BEGIN
	IF pg_has_role(current_user, (SELECT e.extowner FROM pg_extension e WHERE e.extname = 'l4'), 'USAGE') THEN
		RETURN;
	END IF;
	SELECT c.object_identity INTO planted
	FROM pg_event_trigger_ddl_commands() c
	JOIN @extschema@.l4_namesakes() n ON n.classid = c.classid AND n.objid = c.objid LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'only the owner of extension l4 may create %', planted
			USING ERRCODE = 'insufficient_privilege',
				DETAIL = 'Calls of the extension''s function of that name could find it instead.',
				HINT = 'Give it another name, or create it in another schema.';
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_guard_names() IS
'Step: Refuses, to others than the owner of the extension, a function or type in its schema that has the name of one of '
'its functions (42501).';

CREATE EVENT TRIGGER l4_guard_names ON ddl_command_end
	WHEN TAG IN ('CREATE FUNCTION', 'CREATE PROCEDURE', 'CREATE AGGREGATE', 'CREATE TYPE', 'CREATE DOMAIN',
		'ALTER FUNCTION', 'ALTER PROCEDURE', 'ALTER ROUTINE', 'ALTER AGGREGATE', 'ALTER TYPE', 'ALTER DOMAIN')
	EXECUTE FUNCTION @extschema@.l4_guard_names();
COMMENT ON EVENT TRIGGER l4_guard_names IS
'Keeps functions out of the schema of the extension that could take the place of its own.';

-- The same for what was there before.
DO $$
DECLARE
	planted text := (SELECT pg_describe_object(n.classid, n.objid, 0) FROM @extschema@.l4_namesakes() n LIMIT 1);
BEGIN
	IF planted IS NOT NULL THEN
		RAISE EXCEPTION 'schema @extschema@ has a % already, which could take the place of one of extension l4', planted
			USING ERRCODE = 'duplicate_object',
				HINT = 'Look who made it, and drop or rename it; or create the extension in another schema.';
	END IF;
END
$$;
