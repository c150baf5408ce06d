/* Owners and grants of what was dropped and made anew, as they were. */
DO $upgrade$
DECLARE
	object record;
	granted record;
BEGIN
	FOR object IN
		SELECT o.kind, o.name, o.owner, o.grants
		FROM jsonb_to_recordset(current_setting('l4.upgrade')::jsonb) o (kind text, name text, owner text, grants text)
		-- by their text: to_regprocedure stumbles over types of arguments that are gone
		WHERE CASE o.kind WHEN 'ROUTINE'
			THEN EXISTS (SELECT FROM pg_proc p WHERE p.proname LIKE 'l4\_%' AND p.oid::regprocedure::text = o.name)
			WHEN 'TABLE' THEN to_regclass(o.name) IS NOT NULL ELSE to_regtype(o.name) IS NOT NULL END
	LOOP
		EXECUTE format('ALTER %s %s OWNER TO %s', replace(object.kind, 'TABLE', 'VIEW'), object.name, object.owner);
		CONTINUE WHEN object.grants IS NULL;
		EXECUTE format('REVOKE ALL ON %s %s FROM PUBLIC', object.kind, object.name);
		FOR granted IN
			SELECT a.privilege_type, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS grantee,
				a.is_grantable
			FROM aclexplode(object.grants::aclitem[]) a WHERE a.grantee <> object.owner::regrole
		LOOP
			EXECUTE format('GRANT %s ON %s %s TO %s%s', granted.privilege_type, object.kind, object.name, granted.grantee,
				CASE WHEN granted.is_grantable THEN ' WITH GRANT OPTION' END);
		END LOOP;
	END LOOP;
END
$upgrade$;

/* Checks of words that told nothing of what they take: those of 0.1.0 become what the script writes. */
DO $upgrade$
DECLARE
	old record;
BEGIN
	FOR old IN
		SELECT c.conrelid::regclass AS name, c.conname, m.match
		FROM pg_constraint c,
			LATERAL regexp_match(pg_get_constraintdef(c.oid), '^CHECK \(\(("?)(\w+)"? = ANY \((ARRAY\[.*\])\)\)\)$') m (match)
		WHERE c.contype = 'c' AND m.match IS NOT NULL
			AND c.conrelid = ANY (ARRAY['@extschema@.l4_failure_report', '@extschema@.l4_fault',
			'@extschema@.l4_fault_override', '@extschema@.l4_format', '@extschema@.l4_iteration_rule', '@extschema@.l4_job',
			'@extschema@.l4_label', '@extschema@.l4_stage_rule']::regclass[])
	LOOP
		EXECUTE format(
			'ALTER TABLE %1$s DROP CONSTRAINT %2$I, ADD CONSTRAINT %2$I CHECK (@extschema@.l4_is_one_of(%3$I, %3$L, VARIADIC '
			'%4$s))', old.name, old.conname, old.match[2],
			CASE old.match[2] WHEN 'stage' THEN '@extschema@.l4_stages()' ELSE old.match[3] END);
	END LOOP;
END
$upgrade$;

/*
 * On a cluster of Citus each node runs this script by itself, and tables are changed there, but not the shards that hold their
 * rows.
 */
DO $upgrade$
DECLARE
	other text;
BEGIN
	IF to_regclass('pg_catalog.pg_dist_partition') IS NULL THEN
		RETURN;
	END IF;
	EXECUTE $query$
		SELECT p.logicalrelid::text FROM pg_dist_partition p JOIN pg_dist_shard s USING (logicalrelid)
		JOIN pg_class r ON r.oid = p.logicalrelid JOIN pg_namespace n ON n.oid = r.relnamespace
		CROSS JOIN LATERAL (SELECT to_regclass(format('%I.%I', n.nspname, r.relname || '_' || s.shardid)) AS id) h
		WHERE h.id IS NOT NULL AND p.logicalrelid IN (SELECT t.table_name::regclass FROM unnest($1) t (table_name))
			AND (SELECT array_agg(ROW(a.attname, a.atttypid, a.atttypmod) ORDER BY a.attname)
				FROM pg_attribute a WHERE a.attrelid = h.id AND a.attnum > 0 AND NOT a.attisdropped)
			IS DISTINCT FROM (SELECT array_agg(ROW(a.attname, a.atttypid, a.atttypmod) ORDER BY a.attname)
				FROM pg_attribute a WHERE a.attrelid = p.logicalrelid AND a.attnum > 0 AND NOT a.attisdropped)
		LIMIT 1 $query$
		INTO other
		USING ARRAY(SELECT '@extschema@.' || t.table_name FROM @extschema@.l4_table_places() t WHERE t.place <> 'rules');
	IF other IS NOT NULL THEN
		RAISE EXCEPTION 'this update changes tables, which lie on several nodes' USING ERRCODE = 'feature_not_supported',
			DETAIL = other, HINT = 'SELECT l4_undistribute(), update, and SELECT l4_distribute() again.';
	END IF;
END
$upgrade$;
