/*
 * Rules: what came with l4, what the site wrote, and what of both is in force. One mechanism for every table of rules.
 *
 * Built-in rows come from this script and are never dumped; a later version brings better ones. So a site never edits them. It writes
 * a row of its own (builtin false) of the same key, which takes the place of the built-in one, or with enabled = false switches it
 * off. Such rows are dumped and restored, and no upgrade touches them. The view <table>_in_force is what l4 itself reads.
 *
 * This part comes after all that writes built-in rows and before all that reads the views. A new table of rules needs a primary key
 * whose last column is builtin, a column enabled where a rule can be switched off, and its name in the list below.
 */

CREATE FUNCTION @extschema@.l4_guard_builtin_rule() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	before jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
	after jsonb := CASE TG_OP
		-- a rule is switched off by a row of the site's own; a limit cannot be
		WHEN 'DELETE' THEN before || CASE WHEN before ? 'enabled' THEN '{"enabled": false}' WHEN before ? 'switched_off' THEN '{"switched_off": true}' ELSE '{}' END::jsonb
		ELSE to_jsonb(NEW) END;
	statement text;
BEGIN
	IF NOT coalesce((before ->> 'builtin')::boolean, false) THEN
		IF TG_OP <> 'DELETE' AND NEW.builtin THEN
			RAISE EXCEPTION 'rows of "%" with builtin = true come with l4 alone', TG_TABLE_NAME
				USING ERRCODE = 'object_not_in_prerequisite_state',
					DETAIL = 'Such rows are replaced by upgrades and are not dumped.',
					HINT = 'Leave builtin out: a row of your own takes the place of the built-in one of the same key.';
		END IF;
		IF TG_OP = 'DELETE' THEN
			RETURN OLD;
		END IF;
		RETURN NEW;
	END IF;
	SELECT format(E'INSERT INTO %1$s (%2$s)\nSELECT %3$s FROM %1$s WHERE %4$s AND builtin\nON CONFLICT (%5$s) DO %6$s;', TG_RELID::regclass,
			string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum),
			string_agg(CASE WHEN a.changed THEN quote_nullable(after ->> a.attname) ELSE quote_ident(a.attname) END, ', ' ORDER BY a.attnum),
			string_agg(format('%I = %L', a.attname, before ->> a.attname), ' AND ' ORDER BY a.attnum) FILTER (WHERE a.is_key),
			string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FILTER (WHERE a.is_key) || ', builtin',
			coalesce('UPDATE SET ' || string_agg(format('%1$I = excluded.%1$I', a.attname), ', ' ORDER BY a.attnum)
				FILTER (WHERE a.changed AND NOT a.is_key), 'NOTHING'))
		INTO statement
		FROM (
			SELECT c.attname::text AS attname, c.attnum, c.attnum = ANY (i.indkey) AS is_key,
				before -> c.attname::text IS DISTINCT FROM after -> c.attname::text AS changed
			FROM pg_attribute c JOIN pg_index i ON i.indrelid = c.attrelid AND i.indisprimary
			WHERE c.attrelid = TG_RELID AND c.attnum > 0 AND NOT c.attisdropped AND c.attname <> 'builtin') a;
	RAISE EXCEPTION 'a built-in row of "%" cannot be changed', TG_TABLE_NAME
		USING ERRCODE = 'object_not_in_prerequisite_state',
			DETAIL = 'Built-in rows are replaced by upgrades and are not dumped. A row of your own of the same key takes their place.',
			HINT = CASE WHEN TG_OP = 'DELETE' AND before = after THEN 'It cannot be switched off; write a row of your own with another value.' ELSE statement END;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_guard_builtin_rule() IS
'Refuses to add, change or delete a built-in row of a table of rules (55000); the hint is the statement that has the same effect by a row of the site''s own. Upgrade scripts disable the trigger while they bring new rows.';

DO $$
DECLARE
	rules regclass;
	in_force text;
	table_name text;
	same_key text;
	is_enabled text;
	of_column record;
BEGIN
	FOREACH rules IN ARRAY ARRAY['@extschema@.l4_format', '@extschema@.l4_stage_rule', '@extschema@.l4_iteration_rule', '@extschema@.l4_mask',
		'@extschema@.l4_pool_setting', '@extschema@.l4_limit', '@extschema@.l4_wording']::regclass[]
	LOOP
		SELECT c.relname, format('@extschema@.%I', c.relname || '_in_force'),
				string_agg(format('s.%1$I = r.%1$I', a.attname), ' AND ') FILTER (WHERE a.attnum = ANY (i.indkey) AND a.attname <> 'builtin'),
				coalesce(max(format('r.%I AND ', a.attname)) FILTER (WHERE a.attname = 'enabled'), '')
			INTO STRICT table_name, in_force, same_key, is_enabled
			FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
				JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
			WHERE c.oid = rules GROUP BY c.relname;
		EXECUTE format('CREATE VIEW %1$s WITH (security_invoker = true) AS SELECT r.* FROM %2$s r '
			'WHERE %3$sNOT (r.builtin AND EXISTS (SELECT FROM %2$s s WHERE %4$s AND NOT s.builtin))', in_force, rules, is_enabled, same_key);
		-- Reads with the rights of who asks, so this alone lets nobody see the table.
		EXECUTE format('GRANT SELECT ON %s TO PUBLIC', in_force);
		EXECUTE format('COMMENT ON VIEW %s IS %L', in_force, format('The rows of %s that count: the site''s own, and the built-in ones that none of the site''s '
			'takes the place of; without those that are switched off.', table_name));
		EXECUTE format('COMMENT ON TABLE %s IS %L', rules, obj_description(rules, 'pg_class') || ' A site changes or switches off (enabled = false) a built-in row '
			'by one of its own of the same key, which is dumped and stays at upgrades; built-in rows themselves cannot be changed. What counts is the view '
			|| table_name || '_in_force.');
		FOR of_column IN SELECT attname, col_description(rules, attnum) AS comment FROM pg_attribute WHERE attrelid = rules AND attnum > 0 AND NOT attisdropped
		LOOP
			EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', in_force, of_column.attname, of_column.comment);
		END LOOP;
		PERFORM pg_extension_config_dump(rules, 'WHERE NOT builtin');
	END LOOP;
	-- The fault library has a view of its own, l4_fault_library, and its own way to change built-in faults.
	FOREACH rules IN ARRAY ARRAY['@extschema@.l4_format', '@extschema@.l4_stage_rule', '@extschema@.l4_iteration_rule', '@extschema@.l4_mask',
		'@extschema@.l4_pool_setting', '@extschema@.l4_limit', '@extschema@.l4_wording', '@extschema@.l4_fault_explains']::regclass[]
	LOOP
		EXECUTE format('CREATE TRIGGER l4_guard_builtin_rule BEFORE INSERT OR UPDATE OR DELETE ON %s '
			'FOR EACH ROW EXECUTE FUNCTION @extschema@.l4_guard_builtin_rule()', rules);
	END LOOP;
END
$$;
