/*
 * Rules: what came with l4, what the site wrote, and what of both is in force. One mechanism for every table of rules.
 *
 * Built-in rows come from this script and are never dumped; a later version brings better ones. So a site never edits them. It
 * writes a row of its own (builtin false) of the same key, which takes the place of the built-in one, or with enabled = false
 * switches it off. Such rows are dumped and restored, and no upgrade touches them. The view <table>_in_force is what l4 reads.
 *
 * This part comes after all that writes built-in rows and before all that reads the views. A new table of rules needs a primary
 * key whose last column is builtin, a column enabled where a rule can be switched off, and its name in the list below.
 */

CREATE FUNCTION @extschema@.l4_guard_builtin_rule() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	before jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
	-- a rule is switched off by a row of the site's own; a limit cannot be
	without jsonb := CASE WHEN before ? 'enabled' THEN '{"enabled": false}'
		WHEN before ? 'switched_off' THEN '{"switched_off": true}'
		ELSE '{}' END;
	after jsonb := CASE WHEN TG_OP = 'DELETE' THEN before || without ELSE to_jsonb(NEW) END;
	statement text;
BEGIN
	IF NOT coalesce((before ->> 'builtin')::boolean, false) THEN
		IF TG_OP = 'DELETE' THEN
			RETURN OLD;
		ELSIF NOT NEW.builtin THEN
			RETURN NEW;
		END IF;
		RAISE EXCEPTION 'rows of "%" with builtin = true come with l4 alone', TG_TABLE_NAME
			USING ERRCODE = 'object_not_in_prerequisite_state',
				DETAIL = 'Such rows are replaced by upgrades and are not dumped.',
				HINT = 'Leave builtin out: a row of your own takes the place of the built-in one of the same key.';
	END IF;
	SELECT format(
		E'INSERT INTO %1$s (%2$s)\nSELECT %3$s FROM %1$s WHERE %4$s AND builtin\nON CONFLICT (%5$s, builtin) DO %6$s;',
			TG_RELID::regclass,
			string_agg(c.name, ', ' ORDER BY c.attnum),
			string_agg(CASE WHEN c.changed THEN quote_nullable(c.value) ELSE c.name END, ', ' ORDER BY c.attnum),
			string_agg(format('%s = %L', c.name, c.old_value), ' AND ' ORDER BY c.attnum) FILTER (WHERE c.is_key),
			string_agg(c.name, ', ' ORDER BY c.attnum) FILTER (WHERE c.is_key),
			coalesce('UPDATE SET ' || string_agg(format('%1$s = excluded.%1$s', c.name), ', ' ORDER BY c.attnum)
				FILTER (WHERE c.changed AND NOT c.is_key), 'NOTHING'))
		INTO statement
		FROM (
			SELECT quote_ident(a.attname) AS name, a.attnum, a.attnum = ANY (i.indkey) AS is_key, after ->> a.attname AS value,
				before ->> a.attname AS old_value, before ->> a.attname IS DISTINCT FROM after ->> a.attname AS changed
			FROM pg_attribute a JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
			WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'builtin') c;
	RAISE EXCEPTION 'a built-in row of "%" cannot be changed', TG_TABLE_NAME
		USING ERRCODE = 'object_not_in_prerequisite_state',
			DETAIL = 'Built-in rows are replaced by upgrades and are not dumped. '
				'A row of your own of the same key takes their place.',
			HINT = CASE WHEN TG_OP = 'DELETE' AND without = '{}'
				THEN 'It cannot be switched off; write a row of your own with another value.' ELSE statement END;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_guard_builtin_rule() IS
'Step: Refuses to add, change or delete a built-in row of a table of rules (55000); the hint is the statement that has the '
'same effect by a row of the site''s own. Upgrade scripts disable the trigger while they bring new rows.';

DO $$
DECLARE
	rules regclass;
	name text;
	in_force text;
	same_key text;
	is_enabled text;
	of_column record;
BEGIN
	FOREACH rules IN ARRAY ARRAY['@extschema@.l4_format', '@extschema@.l4_stage_rule', '@extschema@.l4_iteration_rule',
		'@extschema@.l4_mask', '@extschema@.l4_pool_setting', '@extschema@.l4_limit', '@extschema@.l4_wording',
		'@extschema@.l4_advice_rule', '@extschema@.l4_link']::regclass[]
	LOOP
		SELECT c.relname, format('@extschema@.%I', c.relname || '_in_force'),
				string_agg(format('s.%1$I = r.%1$I', a.attname), ' AND ')
					FILTER (WHERE a.attnum = ANY (i.indkey) AND a.attname <> 'builtin'),
				coalesce(max(format('r.%I AND ', a.attname)) FILTER (WHERE a.attname = 'enabled'), '')
			INTO STRICT name, in_force, same_key, is_enabled
			FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
				JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
			WHERE c.oid = rules GROUP BY c.relname;
		EXECUTE format('CREATE VIEW %1$s WITH (security_invoker = true) AS SELECT r.* FROM %2$s r WHERE %3$s'
			'NOT (r.builtin AND EXISTS (SELECT FROM %2$s s WHERE %4$s AND NOT s.builtin))', in_force, rules, is_enabled,
			same_key);
		-- Reads with the rights of who asks, so this alone lets nobody see the table.
		EXECUTE format('GRANT SELECT ON %s TO PUBLIC', in_force);
		EXECUTE format('COMMENT ON VIEW %s IS %L', in_force,
			format('The rows of %s that count: the site''s own, and the built-in '
			'ones that none of the site''s takes the place of; without those that are switched off.', name));
		EXECUTE format('COMMENT ON TABLE %s IS %L', rules,
			format('%s A site changes or switches off (enabled = false) a built-in row '
			'by one of its own of the same key, which is dumped and stays at upgrades; built-in rows themselves cannot be '
			'changed. '
			'What counts is the view %s_in_force.', obj_description(rules, 'pg_class'), name));
		FOR of_column IN
			SELECT a.attname, col_description(rules, a.attnum) AS comment FROM pg_attribute a
			WHERE a.attrelid = rules AND a.attnum > 0 AND NOT a.attisdropped
		LOOP
			EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', in_force, of_column.attname, of_column.comment);
		END LOOP;
		PERFORM pg_extension_config_dump(rules, 'WHERE NOT builtin');
	END LOOP;
	-- What of the edges between faults is in force is asked by the library alone.
	FOREACH rules IN ARRAY ARRAY['@extschema@.l4_format', '@extschema@.l4_stage_rule', '@extschema@.l4_iteration_rule',
		'@extschema@.l4_mask', '@extschema@.l4_pool_setting', '@extschema@.l4_limit', '@extschema@.l4_wording',
		'@extschema@.l4_advice_rule', '@extschema@.l4_link', '@extschema@.l4_fault_explains']::regclass[]
	LOOP
		EXECUTE format('CREATE TRIGGER l4_guard_builtin_rule BEFORE INSERT OR UPDATE OR DELETE ON %s '
			'FOR EACH ROW EXECUTE FUNCTION @extschema@.l4_guard_builtin_rule()', rules);
	END LOOP;
END
$$;
