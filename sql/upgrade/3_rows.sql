/* Built-in rows come anew from the script; a site's own rows stay. */
DO $upgrade$
DECLARE
	object record;
BEGIN
	FOR object IN
		SELECT format('DELETE FROM %s WHERE builtin', c.oid::regclass) AS command
		FROM pg_depend d JOIN pg_extension x ON x.oid = d.refobjid JOIN pg_class c ON c.oid = d.objid
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'builtin' AND NOT a.attisdropped
		WHERE x.extname = 'l4' AND d.refclassid = 'pg_extension'::regclass AND d.classid = 'pg_class'::regclass
			AND d.deptype = 'e' AND c.relkind = 'r'
	LOOP
		EXECUTE object.command;
	END LOOP;
END
$upgrade$;
