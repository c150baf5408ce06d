-- The rules that every object of the extension keeps. Each query lists the offenders, so each must be empty, but for
-- the last few, which list what is allowed and must be looked at when it changes.
\set ECHO none
\pset format unaligned
\pset tuples_only on
SET search_path = public;

CREATE TEMP VIEW member AS
SELECT classid, objid, pg_describe_object(classid, objid, 0) COLLATE "C" AS object
FROM pg_depend
WHERE deptype = 'e' AND refclassid = 'pg_extension'::regclass
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'l4')
	-- array types and the row types of tables come along with what they belong to
	AND NOT (classid = 'pg_type'::regclass AND EXISTS (SELECT FROM pg_type WHERE oid = objid AND (typcategory = 'A'
		OR typrelid <> 0 AND (SELECT relkind FROM pg_class WHERE oid = typrelid) <> 'c')));

CREATE TEMP VIEW routine AS
SELECT pg_proc.*, object, lanname, (SELECT nspname FROM pg_namespace WHERE oid = pronamespace) AS schema
FROM pg_proc
JOIN member ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid
JOIN pg_language ON pg_language.oid = prolang;

CREATE TEMP VIEW relation AS
SELECT pg_class.*, object
FROM pg_class
JOIN member ON classid = 'pg_class'::regclass AND objid = pg_class.oid;

\echo objects without a comment:
SELECT object
FROM member
WHERE coalesce(obj_description(objid, (SELECT relname FROM pg_class WHERE oid = classid)), '') = ''
ORDER BY object;

\getenv abs_srcdir PG_ABS_SRCDIR
\set surface :abs_srcdir '/surface.sql'
\i :surface
CREATE TEMP VIEW support AS
SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, aggmtransfn, aggminvtransfn,
	aggmfinalfn])::oid AS oid
FROM pg_aggregate JOIN member ON classid = 'pg_proc'::regclass AND objid = aggfnoid
UNION
SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend, typmodin, typmodout])::oid
FROM pg_type JOIN member ON classid = 'pg_type'::regclass AND objid = pg_type.oid;

\echo functions for users (test/surface.sql) that do not exist, or whose comment calls them a step:
SELECT name FROM surface
WHERE NOT EXISTS (SELECT FROM routine WHERE proname = name AND obj_description(oid, 'pg_proc') !~ '^Step: ')
ORDER BY name;

\echo functions that are neither for users nor called a step by their comment:
SELECT object FROM routine
WHERE oid NOT IN (SELECT oid FROM support) AND proname NOT IN (SELECT name FROM surface)
	AND obj_description(oid, 'pg_proc') !~ '^Step: '
ORDER BY object;

\echo columns of tables and views without a comment:
SELECT relname || '.' || attname
FROM relation JOIN pg_attribute ON attrelid = relation.oid AND attnum > 0 AND NOT attisdropped
WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND coalesce(col_description(relation.oid, attnum), '') = ''
ORDER BY relname COLLATE "C", attnum;

\echo objects whose name does not begin with l4_:
SELECT object
FROM member
WHERE coalesce((SELECT relname FROM pg_class WHERE oid = objid AND classid = 'pg_class'::regclass),
	(SELECT proname FROM pg_proc WHERE oid = objid AND classid = 'pg_proc'::regclass),
	(SELECT typname FROM pg_type WHERE oid = objid AND classid = 'pg_type'::regclass), 'l4_') !~ '^l4_'
ORDER BY object;

\echo functions that run as their owner:
SELECT object FROM routine WHERE prosecdef ORDER BY object;

\echo functions outside C with a search_path that the caller chooses, or that holds a schema in which others may create:
SELECT object
FROM routine
WHERE lanname NOT IN ('c', 'internal') AND prosqlbody IS NULL
	AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)
ORDER BY object;

\echo functions that are immutable but not parallel safe:
SELECT object FROM routine WHERE provolatile = 'i' AND proparallel <> 's' ORDER BY object;

\echo aggregates that are parallel safe but cannot be combined, or keep their state in a form that does not travel:
SELECT object
FROM routine JOIN pg_aggregate ON aggfnoid = routine.oid
WHERE proparallel <> 's' OR aggcombinefn = 0 OR aggtranstype = 'internal'::regtype
ORDER BY object;

\echo aggregates with polymorphic arguments, or support functions not parallel safe:
SELECT object
FROM routine JOIN pg_aggregate ON aggfnoid = routine.oid
WHERE EXISTS (SELECT FROM unnest(proargtypes::oid[]) AS argument (oid) JOIN pg_type USING (oid) WHERE typtype = 'p')
	OR EXISTS (SELECT FROM pg_proc AS support WHERE support.oid IN (aggtransfn, aggfinalfn, aggcombinefn)
		AND support.proparallel <> 's')
ORDER BY object;

\echo tables whose rows would not be dumped:
SELECT object
FROM relation
WHERE relkind = 'r' AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'l4' AND relation.oid = ANY (extconfig))
ORDER BY object;

\echo tables whose deletes could not be published:
SELECT object
FROM relation
WHERE relkind IN ('r', 'p') AND (relreplident = 'n'
	OR relreplident = 'd' AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = relation.oid AND indisprimary))
ORDER BY object;

\echo views that read with the rights of their owner:
SELECT object
FROM relation
WHERE relkind IN ('v', 'm') AND NOT coalesce('security_invoker=true' = ANY (reloptions)
	OR 'security_invoker=on' = ANY (reloptions), false)
ORDER BY object;

\echo tables of a job that could not be distributed by job (foreign key, trigger, or a unique index without job_id):
SELECT object
FROM relation
WHERE relkind = 'r' AND relname IN ('l4_job', 'l4_stream', 'l4_segment', 'l4_source_counts', 'l4_timeline', 'l4_finding',
		'l4_failure_report', 'l4_parameter_sketch', 'l4_source_state', 'l4_inbox', 'l4_inbox_refused')
	AND (EXISTS (SELECT FROM pg_trigger WHERE tgrelid = relation.oid)
		OR EXISTS (SELECT FROM pg_constraint WHERE conrelid = relation.oid AND contype = 'f')
		OR EXISTS (SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attname = 'job_id'
			WHERE indrelid = relation.oid AND indisunique AND attnum <> ALL (indkey)))
ORDER BY object;

\echo fixed names that are missing:
SELECT name
FROM unnest(ARRAY['l4_parse', 'l4_drain', 'l4_iforest_rank', 'l4_dtw_distance', 'l4_dtw_scores', 'l4_register_job', 'l4_import',
	'l4_ingest', 'l4_ingest_inbox', 'l4_diagnose', 'l4_save_diagnosis', 'l4_report', 'l4_match_faults',
	'l4_confirm_fault']) AS name
WHERE name NOT IN (SELECT proname FROM routine)
UNION ALL
SELECT name
FROM unnest(ARRAY['l4_job', 'l4_stream', 'l4_segment', 'l4_shape', 'l4_event', 'l4_stream_event', 'l4_pool', 'l4_pool_event',
	'l4_fault', 'l4_failure_report', 'l4_finding', 'l4_format', 'l4_stage_rule', 'l4_iteration_rule', 'l4_mask', 'l4_log',
	'l4_inbox']) AS name
WHERE name NOT IN (SELECT relname FROM relation)
ORDER BY name;

\echo fixed columns that are missing:
SELECT 'l4_log.' || name
FROM unnest(ARRAY['job_id', 'node', 'rank', 'source', 'line_no', 'ts', 'level', 'component', 'stage', 'iteration', 'event_id',
	'message', 'raw']) AS name
WHERE NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('l4_log') AND attname = name)
UNION ALL
SELECT 'l4_diagnose.' || name
FROM unnest(ARRAY['kind', 'ordinal', 'score', 'node', 'rank', 'stage', 'iteration', 'event_id', 'template', 'first_seen',
	'occurrences', 'nodes_affected', 'evidence', 'explanation', 'fault_key', 'root_cause', 'fix']) AS name
WHERE NOT EXISTS (SELECT FROM routine WHERE proname = 'l4_diagnose' AND name = ANY (proargnames))
UNION ALL
SELECT 'l4_parse.' || name
FROM unnest(ARRAY['time', 'level', 'component', 'rank', 'message', 'shape_id', 'template', 'params']) AS name
WHERE NOT EXISTS (SELECT FROM routine WHERE proname = 'l4_parse'
	AND (name = ANY (proargnames) OR EXISTS (SELECT FROM pg_attribute
	WHERE attrelid = (SELECT typrelid FROM pg_type WHERE oid = prorettype) AND attname = name)));

\echo allowed: functions that write, or see more than their snapshot (volatile), and what PUBLIC may do with them:
SELECT object || ': ' || CASE WHEN has_function_privilege('public', oid, 'execute') THEN 'public' ELSE 'owner only' END
FROM routine
WHERE provolatile = 'v'
ORDER BY object;

\echo allowed: functions that are not volatile and yet not parallel safe:
SELECT object || ': ' || CASE proparallel WHEN 'r' THEN 'restricted' ELSE 'unsafe' END
FROM routine
WHERE provolatile <> 'v' AND proparallel <> 's'
ORDER BY object;

\echo allowed: sequences:
SELECT object FROM relation WHERE relkind = 'S' ORDER BY object;
