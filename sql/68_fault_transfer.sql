/*
 * Faults from elsewhere, and for elsewhere: as JSON, so that a library is brought up to date by data alone.
 *
 * What comes in becomes faults of the site's own, which win over built-in ones of the same key; what a built-in one says
 * already is not doubled. All of a document is taken in or nothing, by the same checks that a fault written by hand must pass:
 * those of the table, which compiles each pattern, and that each of its own examples is matched.
 */

CREATE FUNCTION @extschema@.l4_fault_document(fault @extschema@.l4_fault) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE COST 100
BEGIN ATOMIC
	-- ids as text, as many programs take whole numbers for floating-point ones
	SELECT jsonb_strip_nulls(to_jsonb(fault) - '{events,builtin,owner,created_by,created_at,updated_by,updated_at}'::text[]
		|| jsonb_build_object('events', to_jsonb((fault).events::text[])));
END;
COMMENT ON FUNCTION @extschema@.l4_fault_document(@extschema@.l4_fault) IS
'Step: A fault as l4_export_faults gives it and l4_import_faults takes it: what it says, without whose it is and since when.';

CREATE FUNCTION @extschema@.l4_export_faults(everything boolean DEFAULT false) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH fault AS (
		-- in force with what the site overrode
		SELECT f.fault_key, @extschema@.l4_fault_document(f) || COALESCE(jsonb_strip_nulls(jsonb_build_object('title', o.title,
			'role', o.role, 'severity', o.severity, 'priority', o.priority, 'root_cause', o.root_cause, 'fix', o.fix)), '{}')
			AS document
		FROM @extschema@.l4_fault f
		LEFT JOIN @extschema@.l4_fault_override o ON f.builtin AND o.fault_key = f.fault_key
		WHERE NOT f.builtin OR everything AND NOT COALESCE(o.switched_off, false) AND NOT EXISTS (
			SELECT FROM @extschema@.l4_fault s WHERE s.fault_key = f.fault_key AND NOT s.builtin)
	),
	edge AS (
		SELECT e.fault_key, e.explains FROM @extschema@.l4_fault_explains e
		WHERE NOT e.switched_off AND (NOT e.builtin OR everything AND NOT EXISTS (SELECT FROM @extschema@.l4_fault_explains s
			WHERE s.fault_key = e.fault_key AND s.explains = e.explains AND NOT s.builtin))
	)
	SELECT COALESCE(jsonb_agg(f.document || jsonb_strip_nulls(jsonb_build_object(
		'explains', (SELECT jsonb_agg(e.explains ORDER BY e.explains COLLATE "C") FROM edge e WHERE e.fault_key = f.fault_key),
		-- what the faults exported here do not tell themselves
		'explained_by', (SELECT jsonb_agg(e.fault_key ORDER BY e.fault_key COLLATE "C") FROM edge e
			WHERE e.explains = f.fault_key AND e.fault_key NOT IN (SELECT o.fault_key FROM fault o))))
		ORDER BY f.fault_key COLLATE "C"), '[]')
	FROM fault f;
END;
COMMENT ON FUNCTION @extschema@.l4_export_faults(boolean) IS
'The faults of the site''s own, in whatever state, as a JSON array that l4_import_faults takes elsewhere: objects with the '
'columns of l4_fault (but for whose they are and since when), explains (keys of faults that follow from it) and explained_by '
'(keys of others that it follows from; * for any). everything: the built-in ones in force, too, with what the site overrode.';

CREATE FUNCTION @extschema@.l4_fault_complaint(fields jsonb, known text[]) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	allowed CONSTANT text[] := '{examples,explains,explained_by}'::text[] || ARRAY(SELECT a.attname::text FROM pg_attribute a
		WHERE a.attrelid = '@extschema@.l4_fault'::regclass AND a.attnum > 0 AND NOT a.attisdropped);
	field record;
BEGIN
	FOR field IN SELECT e.key, e.value FROM jsonb_each(fields) e ORDER BY e.key COLLATE "C" LOOP
		IF field.key <> ALL (allowed) THEN
			RETURN format('the field "%s" is not known', field.key);
		ELSIF field.key IN ('examples', 'explains', 'explained_by') AND (jsonb_typeof(field.value) <> 'array'
			OR jsonb_path_exists(field.value, '$[*] ? (@.type() != "string")')) THEN
			RETURN format('%s is no array of texts', field.key);
		END IF;
	END LOOP;
	RETURN (
		SELECT format('it is said to %s "%s", which is no fault', CASE e.field WHEN 'explains' THEN 'explain'
			ELSE 'follow from' END, k.key)
		FROM (VALUES ('explains'), ('explained_by')) e (field)
		CROSS JOIN LATERAL jsonb_array_elements_text(coalesce(fields -> e.field, '[]')) k (key)
		WHERE (e.field <> 'explained_by' OR k.key <> '*') AND (k.key = fields ->> 'fault_key' OR k.key <> ALL (known))
		LIMIT 1);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_fault_complaint(jsonb, text[]) IS
'Step: What is wrong with the form of a fault in JSON, in words: a field that is not known, lists that are none, edges '
'to what is no fault (known: the keys there are) or to itself. NULL for nothing. For l4_import_faults.';

CREATE FUNCTION @extschema@.l4_take_fault(fields jsonb) RETURNS @extschema@.l4_fault
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 1000
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
	told jsonb := '{"origin": "imported"}' || fields - '{examples,explains,explained_by}'::text[]
		- '{builtin,owner,created_by,created_at,updated_by,updated_at}'::text[];
	fault @extschema@.l4_fault;
	missed text;
BEGIN
	SELECT e.text INTO missed FROM jsonb_array_elements_text(coalesce(fields -> 'examples', '[]')) e (text)
	WHERE @extschema@.l4_pattern_matches(told ->> 'pattern', e.text) IS NOT TRUE LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'its pattern does not match its example "%"', left(missed, 200)
			USING ERRCODE = 'invalid_parameter_value';
	ELSIF @extschema@.l4_pattern_matches(told ->> 'pattern', '') THEN
		RAISE EXCEPTION 'its pattern matches a record without any text, and so every record'
			USING ERRCODE = 'invalid_parameter_value';
	END IF;
	DELETE FROM @extschema@.l4_fault f WHERE f.fault_key = fields ->> 'fault_key' AND NOT f.builtin RETURNING f.* INTO fault;
	IF FOUND THEN
		told := told || jsonb_build_object('owner', fault.owner, 'created_by', fault.created_by, 'created_at', fault.created_at,
			'updated_by', current_user, 'updated_at', now(), 'origin', coalesce(fields ->> 'origin', fault.origin));
	END IF;
	-- the columns that are told of, so that the others have what the table gives them
	EXECUTE (SELECT format('INSERT INTO %1$s (%2$s) SELECT %2$s FROM jsonb_populate_record(NULL::%1$s, $1) RETURNING *',
			'@extschema@.l4_fault'::regclass, string_agg(quote_ident(k.key), ', ' ORDER BY k.key COLLATE "C"))
			FROM jsonb_object_keys(told) k (key))
		INTO fault USING told;
	RETURN fault;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_take_fault(jsonb) IS
'Step: Writes a fault in JSON among the site''s own, as the table takes it, if its pattern matches all of its examples and not '
'the empty text, and returns its row. Errors: those of values that a column does not take, 22023 for the pattern. For '
'l4_import_faults.';

CREATE FUNCTION @extschema@.l4_take_fault_edges(fields jsonb) RETURNS boolean
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 1000
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
	own_key CONSTANT text := fields ->> 'fault_key';
	changed bigint;
	dropped bigint := 0;
BEGIN
	-- what it explains is what it is said to; it may follow from more than it is said to
	IF fields ? 'explains' THEN
		DELETE FROM @extschema@.l4_fault_explains e
		WHERE e.fault_key = own_key AND NOT e.builtin AND NOT e.switched_off AND NOT fields -> 'explains' ? e.explains;
		GET DIAGNOSTICS dropped = ROW_COUNT;
	END IF;
	INSERT INTO @extschema@.l4_fault_explains AS e (fault_key, explains)
	SELECT w.fault_key, w.explains
	FROM (
		SELECT own_key AS fault_key, x.key AS explains
		FROM jsonb_array_elements_text(coalesce(fields -> 'explains', '[]')) x (key)
		UNION SELECT x.key, own_key FROM jsonb_array_elements_text(coalesce(fields -> 'explained_by', '[]')) x (key)) w
	WHERE NOT EXISTS (SELECT FROM @extschema@.l4_fault_explains b WHERE b.fault_key = w.fault_key AND b.explains = w.explains
		AND NOT b.switched_off AND (NOT b.builtin OR NOT EXISTS (SELECT FROM @extschema@.l4_fault_explains s
			WHERE s.fault_key = w.fault_key AND s.explains = w.explains AND NOT s.builtin)))
	ON CONFLICT ON CONSTRAINT l4_fault_explains_pkey DO UPDATE SET switched_off = false;
	GET DIAGNOSTICS changed = ROW_COUNT;
	RETURN changed + dropped > 0;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_take_fault_edges(jsonb) IS
'Step: Brings the edges of a fault in JSON among the site''s own: explains becomes all of its own ones, explained_by is added; '
'what is in force as a built-in edge is not doubled. True where anything changed. For l4_import_faults.';

CREATE FUNCTION @extschema@.l4_refuse_faults(fields jsonb) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	place bigint;
	twice text;
BEGIN
	IF jsonb_typeof(fields) <> 'array' OR fields IS NULL THEN
		RAISE EXCEPTION 'faults must be a JSON array of objects' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'As l4_export_faults gives them.';
	END IF;
	SELECT f.place INTO place FROM jsonb_array_elements(fields) WITH ORDINALITY f (value, place)
	WHERE (jsonb_typeof(f.value) = 'object' AND jsonb_typeof(f.value -> 'fault_key') = 'string') IS NOT TRUE LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'fault % has no fault_key', place USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Each element is an object with the columns of l4_fault.';
	END IF;
	SELECT f.key INTO twice FROM (SELECT e.value ->> 'fault_key' AS key FROM jsonb_array_elements(fields) e (value)) f
	GROUP BY f.key HAVING count(*) > 1 ORDER BY f.key COLLATE "C" LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'the fault "%" is there twice', twice USING ERRCODE = 'invalid_parameter_value';
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_refuse_faults(jsonb) IS
'Step: Nothing for an array of objects that each have a fault_key of their own; else an error (22023). For l4_import_faults.';

CREATE FUNCTION @extschema@.l4_import_fault(fields jsonb, OUT fault_key text, OUT outcome text, OUT changes text) RETURNS record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 10000
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
	before @extschema@.l4_fault;
	after @extschema@.l4_fault;
	edges boolean;
BEGIN
	fault_key := fields ->> 'fault_key';
	SELECT f.* INTO before FROM @extschema@.l4_fault f
	WHERE f.fault_key = fields ->> 'fault_key' ORDER BY f.builtin LIMIT 1;
	BEGIN
		after := @extschema@.l4_take_fault(fields);
		changes := (
			SELECT string_agg(d.key, ', ' ORDER BY d.key COLLATE "C") FROM (
				SELECT k.key FROM jsonb_object_keys(to_jsonb(after)) k (key)
				WHERE k.key NOT IN ('builtin', 'owner', 'created_by', 'created_at', 'updated_by', 'updated_at')
					AND (k.key <> 'origin' OR NOT before.builtin)
					AND to_jsonb(after) -> k.key IS DISTINCT FROM to_jsonb(before) -> k.key) d);
		-- as it is there already: as it was, and nothing of the site's own where the built-in one says the same
		IF changes IS NULL AND before.fault_key IS NOT NULL THEN
			RAISE EXCEPTION USING ERRCODE = 'L4000';
		END IF;
	EXCEPTION WHEN SQLSTATE 'L4000' THEN
		changes := NULL;
	END;
	edges := @extschema@.l4_take_fault_edges(fields);
	outcome := CASE WHEN before.fault_key IS NULL OR before.builtin AND changes IS NOT NULL THEN 'added'
		WHEN changes IS NOT NULL OR edges THEN 'changed' ELSE 'unchanged' END;
	changes := CASE WHEN before.fault_key IS NOT NULL THEN concat_ws(', ', changes, CASE WHEN edges THEN 'explains' END) END;
	changes := nullif(CASE WHEN before.builtin AND outcome = 'added' THEN 'takes the place of the built-in one: ' ELSE '' END
		|| changes, '');
	IF outcome <> 'unchanged' THEN
		PERFORM @extschema@.l4_note_fault(fields ->> 'fault_key', CASE coalesce(after.state, before.state)
			WHEN 'confirmed' THEN 'activated' WHEN 'draft' THEN 'drafted' ELSE 'retired' END, 'imported', fields);
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_import_fault(jsonb) IS
'Step: Takes in one fault of l4_import_faults with its edges, and notes that in l4_fault_history. Errors: as l4_take_fault.';

CREATE FUNCTION @extschema@.l4_import_faults(document jsonb)
RETURNS TABLE (fault_key text, outcome text, changes text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	one jsonb;
	known text[];
	bad text[] := '{}';
	why text;
BEGIN
	PERFORM @extschema@.l4_refuse_faults(l4_import_faults.document);
	known := ARRAY(SELECT DISTINCT f.fault_key FROM @extschema@.l4_fault f
		UNION SELECT d.value ->> 'fault_key' FROM jsonb_array_elements(l4_import_faults.document) d (value));
	FOR one IN SELECT d.value FROM jsonb_array_elements(l4_import_faults.document) WITH ORDINALITY d (value, place)
		ORDER BY d.place
	LOOP
		why := @extschema@.l4_fault_complaint(one, known);
		IF why IS NULL THEN
			BEGIN
				SELECT f.* INTO fault_key, outcome, changes FROM @extschema@.l4_import_fault(one) f;
				RETURN NEXT;
			EXCEPTION WHEN data_exception OR integrity_constraint_violation THEN
				GET STACKED DIAGNOSTICS why = MESSAGE_TEXT;
			END;
		END IF;
		IF why IS NOT NULL THEN
			bad := bad || format('%s: %s', one ->> 'fault_key', why);
		END IF;
	END LOOP;
	IF bad <> '{}' THEN
		RAISE EXCEPTION '% of % faults are refused, and none is taken in', cardinality(bad),
			jsonb_array_length(l4_import_faults.document)
			USING ERRCODE = 'invalid_parameter_value', DETAIL = array_to_string(bad[1:100], E'\n'),
				HINT = 'The fields are the columns of l4_fault, whose comments say what they take, and examples, explains and '
					'explained_by, which are arrays of texts.';
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_import_faults(jsonb) IS
'Takes in faults as l4_export_faults gives them: a JSON array of objects with the columns of l4_fault (fault_key, title, '
'category, subtype and pattern or events at least; role root, severity error, priority 100, state confirmed where left '
'out; whose it is and since when is not taken over), and explains, explained_by, and examples: texts that its pattern '
'must match. They become faults of the site''s own. explains, where it is there, takes the place of the own edges of the '
'fault. Returns for each fault whether it was added, changed or unchanged, and which columns changed. All or nothing: '
'where any is bad, all bad ones are named with the reason (22023). Needs the right to write l4_fault, l4_fault_explains '
'and l4_fault_history. To try it: in a transaction that is rolled back; what a fault would find: l4_backtest_fault.';
