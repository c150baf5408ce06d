/* What a dump holds, and the guard against losing it by a plain DROP EXTENSION. */

-- One call a statement: each updates the extension's own row.
SELECT pg_extension_config_dump('@extschema@.l4_job', '');
SELECT pg_extension_config_dump('@extschema@.l4_stream', '');
SELECT pg_extension_config_dump('@extschema@.l4_segment', '');
SELECT pg_extension_config_dump('@extschema@.l4_shape', '');
SELECT pg_extension_config_dump('@extschema@.l4_event', '');
SELECT pg_extension_config_dump('@extschema@.l4_stream_event', '');
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
-- Built-in rows come from the script; tables of rules are registered in 49_rules_in_force.sql.
SELECT pg_extension_config_dump('@extschema@.l4_fault', 'WHERE NOT builtin');

CREATE FUNCTION @extschema@.l4_guard_drop() RETURNS event_trigger
	LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'l4_guard_drop';
COMMENT ON FUNCTION @extschema@.l4_guard_drop() IS
'Refuses a plain DROP EXTENSION l4, and a plain DROP OWNED BY its owner, while rows that did not come with l4 are there: logs, reports, '
'faults and rules of the site (SQLSTATE 2BP01, with the tables). CASCADE goes through, and so does all while the setting l4.allow_drop '
'is on, as for pg_restore --clean. Refuses to rename the schema of the extension (55000).';

CREATE EVENT TRIGGER l4_guard_drop ON ddl_command_start WHEN TAG IN ('DROP EXTENSION', 'DROP OWNED', 'ALTER SCHEMA')
	EXECUTE FUNCTION @extschema@.l4_guard_drop();
COMMENT ON EVENT TRIGGER l4_guard_drop IS
'Refuses what would discard logs, faults and rules without saying so, and renaming the schema of the extension.';
