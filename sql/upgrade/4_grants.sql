/* Owners and grants of what was dropped and made anew, as they were. */
DO $upgrade$
DECLARE
	object record;
	granted record;
BEGIN
	FOR object IN
		SELECT o.kind, o.name, o.owner, o.grants
		FROM jsonb_to_recordset(current_setting('l4.upgrade')::jsonb) o (kind text, name text, owner text, grants text)
		WHERE CASE o.kind WHEN 'ROUTINE' THEN to_regprocedure(o.name)::oid WHEN 'TABLE' THEN to_regclass(o.name)::oid ELSE to_regtype(o.name)::oid END IS NOT NULL
	LOOP
		EXECUTE format('ALTER %s %s OWNER TO %s', replace(object.kind, 'TABLE', 'VIEW'), object.name, object.owner);
		CONTINUE WHEN object.grants IS NULL;
		EXECUTE format('REVOKE ALL ON %s %s FROM PUBLIC', object.kind, object.name);
		FOR granted IN
			SELECT a.privilege_type, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS grantee, a.is_grantable
			FROM aclexplode(object.grants::aclitem[]) a WHERE a.grantee <> object.owner::regrole
		LOOP
			EXECUTE format('GRANT %s ON %s %s TO %s%s', granted.privilege_type, object.kind, object.name, granted.grantee,
				CASE WHEN granted.is_grantable THEN ' WITH GRANT OPTION' END);
		END LOOP;
	END LOOP;
END
$upgrade$;
