/*
 * l4: brings an older version up to this one. Joined by make from sql/upgrade and the parts of the script in sql; edit those.
 */
\echo Use "ALTER EXTENSION l4 UPDATE" to load this file. \quit

/*
 * All but the tables and the base types of states is dropped and made anew by the same script that makes a new installation.
 * What objects of others depend on (a view over one of l4's, say) stays and is replaced, which works as long as its columns or
 * arguments are the same. Grants and owners are kept for the end (4_grants.sql).
 */
SET LOCAL search_path = pg_catalog, pg_temp;

-- Each node of a cluster of Citus runs all of this by itself.
SELECT set_config('citus.enable_ddl_propagation', 'off', true) WHERE to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL;

-- What is to be kept of each object: its owner, and its grants where there are any.
SELECT set_config('l4.upgrade', coalesce(jsonb_agg(o)::text, '[]'), true)
FROM (
	SELECT 'ROUTINE' AS kind, p.oid::regprocedure::text AS name, p.proowner::regrole::text AS owner, p.proacl::text AS grants
	FROM pg_depend d JOIN pg_extension x ON x.oid = d.refobjid JOIN pg_proc p ON p.oid = d.objid
	WHERE x.extname = 'l4' AND d.refclassid = 'pg_extension'::regclass AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
	UNION ALL
	SELECT 'TABLE', c.oid::regclass::text, c.relowner::regrole::text, c.relacl::text
	FROM pg_depend d JOIN pg_extension x ON x.oid = d.refobjid JOIN pg_class c ON c.oid = d.objid
	WHERE x.extname = 'l4' AND d.refclassid = 'pg_extension'::regclass AND d.classid = 'pg_class'::regclass AND d.deptype = 'e'
		AND c.relkind = 'v'
	UNION ALL
	SELECT 'TYPE', t.oid::regtype::text, t.typowner::regrole::text, t.typacl::text
	FROM pg_depend d JOIN pg_extension x ON x.oid = d.refobjid JOIN pg_type t ON t.oid = d.objid
	LEFT JOIN pg_class c ON c.oid = t.typrelid
	WHERE x.extname = 'l4' AND d.refclassid = 'pg_extension'::regclass AND d.classid = 'pg_type'::regclass
		AND d.deptype = 'e'
		-- types of rows and arrays, which newer servers count too, have what their table or element has
		AND coalesce(c.relkind, 'c') = 'c' AND NOT EXISTS (SELECT FROM pg_type e WHERE e.typarray = t.oid)) o;

DO $upgrade$
DECLARE
	object record;
	dropped int;
BEGIN
	-- triggers of l4, first of all those that guard its rows; those of others stay
	FOR object IN
		SELECT format('DROP EVENT TRIGGER %I', e.evtname) AS command
		FROM pg_depend d JOIN pg_extension x ON x.oid = d.refobjid JOIN pg_event_trigger e ON e.oid = d.objid
		WHERE x.extname = 'l4' AND d.refclassid = 'pg_extension'::regclass AND d.classid = 'pg_event_trigger'::regclass
			AND d.deptype = 'e'
		UNION ALL
		SELECT format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass)
		FROM pg_trigger t
		JOIN pg_depend f ON f.classid = 'pg_proc'::regclass AND f.objid = t.tgfoid AND f.refclassid = 'pg_extension'::regclass
			AND f.deptype = 'e'
		JOIN pg_extension x ON x.oid = f.refobjid AND x.extname = 'l4'
		WHERE NOT t.tgisinternal
	LOOP
		EXECUTE object.command;
	END LOOP;
	-- bodies of functions and views that are bound to other objects become empty, so that none is in the way of another
	FOR object IN
		SELECT format('CREATE OR REPLACE VIEW %s AS SELECT %s', c.oid::regclass, (
			SELECT string_agg(format('NULL::%s%s AS %I', format_type(a.atttypid, a.atttypmod),
				CASE WHEN a.attcollation <> t.typcollation THEN ' COLLATE ' || a.attcollation::regcollation END, a.attname),
					', ' ORDER BY a.attnum)
			FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
			WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)) AS command
		FROM pg_depend d JOIN pg_extension x ON x.oid = d.refobjid JOIN pg_class c ON c.oid = d.objid
		WHERE x.extname = 'l4' AND d.refclassid = 'pg_extension'::regclass AND d.classid = 'pg_class'::regclass
			AND d.deptype = 'e' AND c.relkind = 'v'
		UNION ALL
		SELECT format('CREATE OR REPLACE FUNCTION %s(%s) RETURNS %s LANGUAGE plpgsql AS ''BEGIN END''', p.oid::regproc,
			pg_get_function_arguments(p.oid), pg_get_function_result(p.oid))
		FROM pg_depend d JOIN pg_extension x ON x.oid = d.refobjid JOIN pg_proc p ON p.oid = d.objid
		WHERE x.extname = 'l4' AND d.refclassid = 'pg_extension'::regclass AND d.classid = 'pg_proc'::regclass
			AND d.deptype = 'e'
			AND p.prosqlbody IS NOT NULL AND p.prokind = 'f'
	LOOP
		EXECUTE object.command;
	END LOOP;
	LOOP
		dropped := 0;
		FOR object IN
			SELECT format('DROP %s %s', CASE p.prokind WHEN 'a' THEN 'AGGREGATE' WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END,
				p.oid::regprocedure) AS command
			FROM pg_depend d JOIN pg_extension x ON x.oid = d.refobjid JOIN pg_proc p ON p.oid = d.objid
			WHERE x.extname = 'l4' AND d.refclassid = 'pg_extension'::regclass AND d.classid = 'pg_proc'::regclass
				AND d.deptype = 'e'
			UNION ALL
			SELECT format('DROP VIEW %s', c.oid::regclass)
			FROM pg_depend d JOIN pg_extension x ON x.oid = d.refobjid JOIN pg_class c ON c.oid = d.objid
			WHERE x.extname = 'l4' AND d.refclassid = 'pg_extension'::regclass AND d.classid = 'pg_class'::regclass
				AND d.deptype = 'e' AND c.relkind = 'v'
			UNION ALL
			-- those of their own; the row types of views go with these, and may be gone by now
			SELECT format('DROP TYPE %s', t.oid::regtype)
			FROM pg_depend d JOIN pg_extension x ON x.oid = d.refobjid JOIN pg_type t ON t.oid = d.objid
			JOIN pg_class c ON c.oid = t.typrelid
			WHERE x.extname = 'l4' AND d.refclassid = 'pg_extension'::regclass AND d.classid = 'pg_type'::regclass
				AND d.deptype = 'e' AND c.relkind = 'c'
		LOOP
			BEGIN
				EXECUTE object.command;
				dropped := dropped + 1;
			EXCEPTION WHEN dependent_objects_still_exist THEN
				NULL;		-- dropped in a later round, or replaced
			END;
		END LOOP;
		EXIT WHEN dropped = 0;
	END LOOP;
END
$upgrade$;
