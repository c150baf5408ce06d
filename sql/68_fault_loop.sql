/*
 * The loop of the library: from the findings of a diagnosed job to a draft, from the draft over a test against all jobs kept to
 * a fault in force, and out of force again. Each step is kept in l4_fault_history with who and when.
 */

CREATE FUNCTION @extschema@.l4_escape_pattern(value text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN regexp_replace(regexp_replace(value, '([]^$.*+?(){}|\\[])', '\\\1', 'g'), '\s+', '\\s{1,8}', 'g');
COMMENT ON FUNCTION @extschema@.l4_escape_pattern(text) IS
'A text as a PCRE2 pattern that matches it; any white space stands for one to eight characters of white space.';

CREATE FUNCTION @extschema@.l4_value_class(examples text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
BEGIN ATOMIC
	-- the narrowest class, bounded, that all examples are of
	SELECT CASE
		WHEN count(*) = 0 THEN '[^\n]{1,200}?'
		WHEN bool_and(v.value ~ '^-?\d{1,19}$') THEN '-?\d{1,20}'
		WHEN bool_and(v.value ~ '^-?\d{1,19}(\.\d{1,19})?([eE][-+]?\d{1,3})?$')
			THEN '-?\d{1,20}(?:\.\d{1,20})?(?:[eE][-+]?\d{1,3})?'
		WHEN bool_and(v.value ~ '^(0x)?[0-9a-fA-F]{4,64}$') THEN '(?:0x)?[0-9a-fA-F]{1,64}'
		WHEN bool_and(v.value ~ '^\S{1,150}$') THEN '\S{1,200}'
		ELSE '[^\n]{1,200}?'
	END
	FROM unnest(l4_value_class.examples) v (value)
	WHERE v.value IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_value_class(text[]) IS
'Step: The narrowest of a few bounded PCRE2 classes that all the examples of a parameter''s values are of: whole numbers, '
'numbers, hexadecimal numbers, words, or the rest of a line.';

CREATE FUNCTION @extschema@.l4_line_pattern(line text, classes text[], kept int[] DEFAULT NULL) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100
BEGIN ATOMIC
	-- without parameters at its ends, and anchored at word boundaries where a word stands there
	WITH part AS (
		SELECT p.text, p.place, count(*) OVER () AS parts
		FROM string_to_table(btrim(l4_line_pattern.line), '<*>') WITH ORDINALITY p (text, place)
	),
	told AS (
		SELECT LEAST(min(p.place), (SELECT min(k.place) FROM unnest(l4_line_pattern.kept) k (place))) AS first,
			GREATEST(max(p.place), (SELECT max(k.place) + 1 FROM unnest(l4_line_pattern.kept) k (place))) AS last
		FROM part p WHERE p.text ~ '\w'
	),
	piece AS (
		SELECT p.place, CASE WHEN p.place = t.first THEN ltrim(p.text, E' \t\r:,;.=-])}>''"') ELSE p.text END AS text,
			t.first, t.last
		FROM part p, told t WHERE p.place BETWEEN t.first AND t.last
	),
	trimmed AS (
		SELECT p.place, p.first, p.last,
			CASE WHEN p.place = p.last THEN rtrim(p.text, E' \t\r:,;.=-[({<''"') ELSE p.text END AS text
		FROM piece p
	)
	SELECT string_agg(
		CASE WHEN t.place > t.first THEN COALESCE(l4_line_pattern.classes[t.place - 1], '[^\n]{1,200}?')
			WHEN t.text ~ '^\w' THEN '\b' ELSE '' END
			|| @extschema@.l4_escape_pattern(t.text)
			|| CASE WHEN t.place = t.last AND t.text ~ '\w$' THEN '\b' WHEN t.place = t.last AND t.text = '' THEN '(?!\w)'
				ELSE '' END, ''
				ORDER BY t.place)
	FROM trimmed t;
END;
COMMENT ON FUNCTION @extschema@.l4_line_pattern(text, text[], int[]) IS
'A PCRE2 pattern for a line of a shape or template: its fixed parts as they are (without signs at the ends), its '
'parameters as the given classes (in order; a missing one is the rest of a line). Parameters at its ends are left out, '
'unless listed in kept. NULL where the line has no fixed word.';

CREATE FUNCTION @extschema@.l4_shape_pattern(shape text, examples jsonb, keep_place int DEFAULT NULL,
	keep_value text DEFAULT NULL, keep_values text[] DEFAULT NULL)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	WITH line AS (
		SELECT l.text, l.number, (length(l.text) - length(replace(l.text, '<*>', ''))) / 3 AS parameters
		FROM string_to_table(l4_shape_pattern.shape, E'\n') WITH ORDINALITY l (text, number)
	),
	counted AS (
		SELECT l.*, sum(l.parameters) OVER (ORDER BY l.number) - l.parameters AS before FROM line l
	),
	-- of several lines the one with the value that is news, else of a traceback the last, else the first
	chosen AS (
		SELECT c.* FROM counted c
		WHERE c.text ~ '\w'
		ORDER BY (l4_shape_pattern.keep_place > c.before
			AND l4_shape_pattern.keep_place <= c.before + c.parameters) DESC NULLS LAST,
			CASE WHEN l4_shape_pattern.shape ~ '(^|\n)Traceback ' THEN -c.number ELSE c.number END
		LIMIT 1
	),
	class AS (
		SELECT p.place - c.before AS place,
			CASE WHEN p.place = l4_shape_pattern.keep_place THEN @extschema@.l4_escape_pattern(l4_shape_pattern.keep_value)
				ELSE k.pattern END AS kept,
			@extschema@.l4_value_class(ARRAY(
				SELECT jsonb_array_elements_text(l4_shape_pattern.examples -> p.place::text))) AS class
		FROM chosen c CROSS JOIN LATERAL generate_series(c.before + 1, c.before + c.parameters) p (place)
		LEFT JOIN LATERAL (
			SELECT '(?:' || string_agg(@extschema@.l4_escape_pattern(v.value), '|' ORDER BY v.value COLLATE "C")
				|| ')' AS pattern
			FROM unnest(l4_shape_pattern.keep_values) v (value)
			WHERE l4_shape_pattern.examples -> p.place::text ? v.value) k ON true
	)
	SELECT @extschema@.l4_line_pattern(c.text, ARRAY(SELECT COALESCE(l.kept, l.class) FROM class l ORDER BY l.place),
		ARRAY(SELECT l.place::int FROM class l WHERE l.kept IS NOT NULL ORDER BY l.place))
	FROM chosen c;
END;
COMMENT ON FUNCTION @extschema@.l4_shape_pattern(text, jsonb, int, text, text[]) IS
'Step: A PCRE2 pattern for a shape. examples: values seen per position, as {"1": ["a", "b"], ...}; keep_place and '
'keep_value: a position whose value is to stay (what is news); keep_values: values that stay wherever they were seen. Of a '
'shape with several lines one line is taken: the one with keep_place, of a traceback the last, else the first.';

CREATE FUNCTION @extschema@.l4_draft_pattern(job_id text, event_id bigint, keep_values text[] DEFAULT NULL,
	news @extschema@.l4_unexplained_record[] DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	patterns text[];
BEGIN
	WITH record AS (
		SELECT DISTINCT n.shape_id, n.position, n.value, s.shape
		FROM unnest(coalesce(l4_draft_pattern.news,
			ARRAY(SELECT n FROM @extschema@.l4_unexplained(l4_draft_pattern.job_id) n))) n
		JOIN @extschema@.l4_shape s ON s.shape_id = n.shape_id
		WHERE n.event_id = l4_draft_pattern.event_id
	),
	-- what values the positions take in any job
	example AS (
		SELECT p.shape_id, jsonb_object_agg(p.position::text, p.found) AS examples
		FROM (
			SELECT p.shape_id, p.position, jsonb_agg(DISTINCT v.value) AS found
			FROM @extschema@.l4_stream_parameter p, unnest(p.values) v (value)
			WHERE p.shape_id IN (SELECT r.shape_id FROM record r) GROUP BY 1, 2) p
		GROUP BY p.shape_id
	)
	SELECT array_agg(DISTINCT p.pattern COLLATE "C") INTO patterns
	FROM record r LEFT JOIN example e ON e.shape_id = r.shape_id
	CROSS JOIN LATERAL @extschema@.l4_shape_pattern(r.shape, coalesce(e.examples, '{}'), r.position, r.value,
		l4_draft_pattern.keep_values) p (pattern)
	WHERE p.pattern IS NOT NULL;
	IF patterns IS NULL THEN
		RETURN NULL;
	END IF;
	IF cardinality(patterns) > 3 THEN
		-- many shapes: the template of their event says what they have in common
		SELECT ARRAY[@extschema@.l4_shape_pattern(e.template, '{}')] INTO patterns FROM @extschema@.l4_event e
		WHERE e.event_id = l4_draft_pattern.event_id;
	END IF;
	RETURN CASE WHEN cardinality(patterns) = 1 THEN patterns[1]
		ELSE (SELECT string_agg('(?:' || p || ')', '|') FROM unnest(patterns) p) END;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_draft_pattern(text, bigint, text[], @extschema@.l4_unexplained_record[]) IS
'Step: A PCRE2 pattern drafted from an event that is news in a job: the fixed parts of its shapes, their parameters as '
'bounded classes of what values they take in all jobs kept; a value that is itself the news stays, and so do keep_values. '
'NULL where the event is not news there, or has no fixed word.';

CREATE FUNCTION @extschema@.l4_note_fault(fault_key text, step text, note text DEFAULT NULL, detail jsonb DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	INSERT INTO @extschema@.l4_fault_history (fault_key, changed_at, step, note, detail)
	VALUES (l4_note_fault.fault_key, clock_timestamp(), l4_note_fault.step, l4_note_fault.note, l4_note_fault.detail);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_note_fault(text, text, text, jsonb) IS
'Keeps a step of a fault in l4_fault_history, with the time and the current role.';

CREATE FUNCTION @extschema@.l4_fault_entry_of(fault @extschema@.l4_fault) RETURNS @extschema@.l4_fault_entry
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ROW((fault).fault_key, (fault).pattern, (fault).events, (fault).in_order, (fault).stream_kinds, (fault).min_node_share,
	(fault).max_node_share, (fault).within_time, 'root')::@extschema@.l4_fault_entry;
COMMENT ON FUNCTION @extschema@.l4_fault_entry_of(@extschema@.l4_fault) IS
'Step: A fault of whatever state and role as the root that l4_match_entries looks for.';

CREATE FUNCTION @extschema@.l4_fault_events(job_id text, events bigint[], news @extschema@.l4_unexplained_record[])
RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	chosen bigint[] := l4_fault_events.events;
	missing bigint;
BEGIN
	IF chosen IS NULL THEN
		SELECT ARRAY[d.event_id] INTO chosen FROM @extschema@.l4_diagnose(l4_fault_events.job_id) d
		WHERE d.kind = 'event' AND d.ordinal = 1;
		IF chosen IS NULL THEN
			RAISE EXCEPTION 'the diagnosis of job "%" has no event to make a fault of', l4_fault_events.job_id
				USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Give a pattern.';
		END IF;
	END IF;
	SELECT c.id INTO missing FROM unnest(chosen) c (id)
	WHERE NOT EXISTS (SELECT FROM unnest(l4_fault_events.news) n WHERE n.event_id = c.id) LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'event % is not among the findings of job "%"', missing, l4_fault_events.job_id
			USING ERRCODE = 'invalid_parameter_value', HINT = 'l4_diagnose lists them.';
	END IF;
	RETURN chosen;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_fault_events(text, bigint[], @extschema@.l4_unexplained_record[]) IS
'Step: The events that a fault is to be made of: those given, else the first event finding of the job. news: the result of '
'l4_unexplained. Errors: 55000 no event finding, 22023 an event that is not among news.';

CREATE FUNCTION @extschema@.l4_fault_draft(job_id text, event_id bigint, keep_values text[],
	news @extschema@.l4_unexplained_record[]) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	drafted text := @extschema@.l4_draft_pattern(l4_fault_draft.job_id, l4_fault_draft.event_id, l4_fault_draft.keep_values,
		l4_fault_draft.news);
	-- the letters that are left once classes, escapes and groups are taken away
	words text := regexp_replace(
		regexp_replace(drafted, '\[[^]]*\](\{[\d,]+\}\??)?|\\[a-zA-Z](\{[\d,]+\})?|\(\?:', '', 'g'), '[^[:alpha:]]', '', 'g');
BEGIN
	IF words IS NULL OR length(words) < 8 THEN
		RAISE EXCEPTION 'the records of event % have too few fixed words to make a pattern of', l4_fault_draft.event_id
			USING ERRCODE = 'invalid_parameter_value', DETAIL = format('What there is: %s', coalesce(drafted, 'nothing')),
				HINT = 'Choose another event, or give a pattern.';
	END IF;
	RETURN drafted;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_fault_draft(text, bigint, text[], @extschema@.l4_unexplained_record[]) IS
'Step: The pattern that l4_draft_pattern makes of an event, if it has words enough to tell anything. Errors: 22023 too '
'general.';

CREATE FUNCTION @extschema@.l4_check_own_fault(fault @extschema@.l4_fault, job_id text,
	news @extschema@.l4_unexplained_record[]) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM @extschema@.l4_match_entries(l4_check_own_fault.job_id, l4_check_own_fault.news,
		ARRAY[@extschema@.l4_fault_entry_of(fault)])) THEN
		RAISE EXCEPTION 'the fault "%" does not match job "%", from which it comes', fault.fault_key, l4_check_own_fault.job_id
			USING ERRCODE = 'invalid_parameter_value', DETAIL = format('Its pattern is: %s', fault.pattern),
				HINT = 'Check the pattern and the scope.';
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_check_own_fault(@extschema@.l4_fault, text, @extschema@.l4_unexplained_record[]) IS
'Step: Nothing, if a fault matches the job from which it comes, in its scope; else an error (22023). news: the result of '
'l4_unexplained.';

CREATE FUNCTION @extschema@.l4_confirm_fault(job_id text, fault_key text, title text, root_cause text, fix text, category text,
	subtype text, events bigint[] DEFAULT NULL, pattern text DEFAULT NULL, keep_values text[] DEFAULT NULL,
	in_order boolean DEFAULT false, stream_kinds text[] DEFAULT NULL, min_node_share double precision DEFAULT NULL,
	max_node_share double precision DEFAULT NULL, within_time interval DEFAULT NULL, role text DEFAULT 'root',
	severity text DEFAULT 'error', priority int DEFAULT 50, explains text[] DEFAULT NULL, note text DEFAULT NULL,
	activate boolean DEFAULT false)
RETURNS @extschema@.l4_fault
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
-- as in l4_diagnose
SET enable_nestloop = off
AS $$
#variable_conflict use_column
DECLARE
	news @extschema@.l4_unexplained_record[];
	chosen bigint[] := l4_confirm_fault.events;
	drafted text := l4_confirm_fault.pattern;
	made @extschema@.l4_fault;
BEGIN
	PERFORM @extschema@.l4_known_job(l4_confirm_fault.job_id);
	IF coalesce(l4_confirm_fault.fault_key, '') IN ('', '*') OR coalesce(l4_confirm_fault.title, '') = '' THEN
		RAISE EXCEPTION 'a fault needs a key and a title' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF EXISTS (SELECT FROM @extschema@.l4_fault f WHERE f.fault_key = l4_confirm_fault.fault_key AND NOT f.builtin
		AND f.state = 'confirmed') THEN
		RAISE EXCEPTION 'the fault "%" is in force already', l4_confirm_fault.fault_key
			USING ERRCODE = 'unique_violation',
				HINT = 'Take another key, l4_judge_fault to say that it was right here too, or l4_retire_fault first.';
	END IF;
	news := ARRAY(SELECT n FROM @extschema@.l4_unexplained(l4_confirm_fault.job_id) n);
	IF drafted IS NULL OR chosen IS NOT NULL THEN
		chosen := @extschema@.l4_fault_events(l4_confirm_fault.job_id, chosen, news);
	END IF;
	IF drafted IS NULL THEN
		drafted := @extschema@.l4_fault_draft(l4_confirm_fault.job_id, chosen[1], l4_confirm_fault.keep_values, news);
		IF cardinality(chosen) = 1 THEN
			chosen := NULL;
		END IF;
	END IF;

	INSERT INTO @extschema@.l4_fault AS f (fault_key, title, category, subtype, pattern, events, in_order, stream_kinds,
		min_node_share, max_node_share, within_time, role, severity, priority, root_cause, fix, state, origin)
	VALUES (l4_confirm_fault.fault_key, l4_confirm_fault.title, l4_confirm_fault.category, l4_confirm_fault.subtype, drafted,
		chosen, l4_confirm_fault.in_order, l4_confirm_fault.stream_kinds, l4_confirm_fault.min_node_share,
		l4_confirm_fault.max_node_share, l4_confirm_fault.within_time, l4_confirm_fault.role,
		l4_confirm_fault.severity, l4_confirm_fault.priority, l4_confirm_fault.root_cause, l4_confirm_fault.fix, 'draft',
		-- all tenants read the library
		CASE WHEN @extschema@.l4_tenancy() THEN 'a job' ELSE 'job ' || l4_confirm_fault.job_id END)
	ON CONFLICT ON CONSTRAINT l4_fault_pkey DO UPDATE SET title = excluded.title, category = excluded.category,
		subtype = excluded.subtype, pattern = excluded.pattern, events = excluded.events, in_order = excluded.in_order,
		stream_kinds = excluded.stream_kinds, min_node_share = excluded.min_node_share,
		max_node_share = excluded.max_node_share, within_time = excluded.within_time, role = excluded.role,
		severity = excluded.severity, priority = excluded.priority, root_cause = excluded.root_cause, fix = excluded.fix,
		state = 'draft', origin = excluded.origin, updated_by = current_user, updated_at = now()
	RETURNING f.* INTO made;

	PERFORM @extschema@.l4_check_own_fault(made, l4_confirm_fault.job_id, news);
	INSERT INTO @extschema@.l4_fault_explains (fault_key, explains)
	SELECT made.fault_key, x.key FROM unnest(l4_confirm_fault.explains) x (key) ON CONFLICT DO NOTHING;
	INSERT INTO @extschema@.l4_fault_feedback AS b (job_id, fault_key, is_right, note)
	VALUES (l4_confirm_fault.job_id, made.fault_key, true, 'confirmed on this job')
	ON CONFLICT ON CONSTRAINT l4_fault_feedback_pkey DO UPDATE SET is_right = true, note = excluded.note,
		given_by = excluded.given_by, given_at = excluded.given_at;
	PERFORM @extschema@.l4_note_fault(made.fault_key, 'drafted', l4_confirm_fault.note,
		jsonb_build_object('job_id', l4_confirm_fault.job_id, 'pattern', made.pattern, 'events', made.events));
	IF l4_confirm_fault.activate THEN
		PERFORM @extschema@.l4_activate_fault(made.fault_key, l4_confirm_fault.note);
		SELECT f.* INTO made FROM @extschema@.l4_fault f WHERE f.fault_key = made.fault_key AND NOT f.builtin;
	END IF;
	RETURN made;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_confirm_fault(text, text, text, text, text, text, text, bigint[], text, text[], boolean,
	text[], double precision, double precision, interval, text, text, int, text[], text, boolean) IS
'Archives what was found in a job as a fault of the site''s library and returns its row. The pattern is drafted from the '
'first of events (NULL: the first event finding; see l4_draft_pattern, keep_values), or given; of several events all must '
'be there then, in_order or in any. stream_kinds, min_node_share, max_node_share, within_time: its scope. explains: keys '
'of faults that follow from it. It is a draft until l4_activate_fault, or at once in force with activate; a draft or a '
'retired fault of the same key is drafted anew, a built-in one is replaced once this is in force. Errors: P0002 unknown '
'job; 22023 an event that is no finding, too general a draft, or a fault that does not match its own job; 23505 a key in '
'force; 55000 nothing to make a fault of; 2201B a bad pattern; 23514 an unknown category, role or severity.';

CREATE FUNCTION @extschema@.l4_activate_fault(fault_key text, note text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	UPDATE @extschema@.l4_fault f SET state = 'confirmed', updated_by = current_user, updated_at = now()
	WHERE f.fault_key = l4_activate_fault.fault_key AND NOT f.builtin AND f.state <> 'confirmed';
	IF NOT FOUND THEN
		UPDATE @extschema@.l4_fault_override o SET switched_off = false, changed_by = current_user, changed_at = now()
		WHERE o.fault_key = l4_activate_fault.fault_key AND o.switched_off;
	END IF;
	IF NOT FOUND THEN
		IF EXISTS (SELECT FROM @extschema@.l4_fault f WHERE f.fault_key = l4_activate_fault.fault_key) THEN
			RAISE EXCEPTION 'the fault "%" is in force already', l4_activate_fault.fault_key
				USING ERRCODE = 'object_not_in_prerequisite_state';
		END IF;
		RAISE EXCEPTION 'fault "%" is not known', l4_activate_fault.fault_key
			USING ERRCODE = 'no_data_found', HINT = 'The table l4_fault lists the faults.';
	END IF;
	PERFORM @extschema@.l4_note_fault(l4_activate_fault.fault_key, 'activated', l4_activate_fault.note);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_activate_fault(text, text) IS
'Puts a draft or a retired fault of the site, or a built-in one that was switched off, in force: from now on it is '
'matched. Errors: P0002 unknown fault, 55000 already in force.';

CREATE FUNCTION @extschema@.l4_retire_fault(fault_key text, note text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	known_builtin boolean := EXISTS (SELECT FROM @extschema@.l4_fault f
		WHERE f.fault_key = l4_retire_fault.fault_key AND f.builtin);
BEGIN
	UPDATE @extschema@.l4_fault f SET state = 'retired', updated_by = current_user, updated_at = now()
	WHERE f.fault_key = l4_retire_fault.fault_key AND NOT f.builtin AND f.state <> 'retired';
	IF FOUND THEN
		IF known_builtin THEN
			RAISE NOTICE 'the built-in fault "%" is in force instead', l4_retire_fault.fault_key
				USING HINT = 'l4_retire_fault once more switches it off.';
		END IF;
	ELSIF known_builtin THEN
		INSERT INTO @extschema@.l4_fault_override AS o (fault_key, switched_off) VALUES (l4_retire_fault.fault_key, true)
		ON CONFLICT ON CONSTRAINT l4_fault_override_pkey DO UPDATE SET switched_off = true, changed_by = excluded.changed_by,
			changed_at = excluded.changed_at
		WHERE NOT o.switched_off;
	END IF;
	IF NOT FOUND THEN
		IF EXISTS (SELECT FROM @extschema@.l4_fault f WHERE f.fault_key = l4_retire_fault.fault_key) THEN
			RAISE EXCEPTION 'the fault "%" is retired already', l4_retire_fault.fault_key
				USING ERRCODE = 'object_not_in_prerequisite_state';
		END IF;
		RAISE EXCEPTION 'fault "%" is not known', l4_retire_fault.fault_key
			USING ERRCODE = 'no_data_found', HINT = 'The table l4_fault lists the faults.';
	END IF;
	PERFORM @extschema@.l4_note_fault(l4_retire_fault.fault_key, 'retired', l4_retire_fault.note);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_retire_fault(text, text) IS
'Takes a fault out of force: one of the site becomes retired, a built-in one is switched off. Findings saved before keep '
'it. Errors: P0002 unknown fault, 55000 already out of force.';

CREATE FUNCTION @extschema@.l4_override_fault(fault_key text, title text DEFAULT NULL, role text DEFAULT NULL,
	severity text DEFAULT NULL, priority int DEFAULT NULL, root_cause text DEFAULT NULL, fix text DEFAULT NULL,
	owner name DEFAULT NULL, note text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	IF NOT EXISTS (SELECT FROM @extschema@.l4_fault f WHERE f.fault_key = l4_override_fault.fault_key AND f.builtin) THEN
		RAISE EXCEPTION '"%" is not a built-in fault', l4_override_fault.fault_key
			USING ERRCODE = 'no_data_found', HINT = 'The site''s own faults are changed in the table l4_fault.';
	END IF;
	INSERT INTO @extschema@.l4_fault_override AS o (fault_key, title, role, severity, priority, root_cause, fix, owner)
	VALUES (l4_override_fault.fault_key, l4_override_fault.title, l4_override_fault.role, l4_override_fault.severity,
		l4_override_fault.priority, l4_override_fault.root_cause, l4_override_fault.fix, l4_override_fault.owner)
	ON CONFLICT ON CONSTRAINT l4_fault_override_pkey DO UPDATE SET title = coalesce(excluded.title, o.title),
		role = coalesce(excluded.role, o.role), severity = coalesce(excluded.severity, o.severity),
		priority = coalesce(excluded.priority, o.priority), root_cause = coalesce(excluded.root_cause, o.root_cause),
		fix = coalesce(excluded.fix, o.fix), owner = coalesce(excluded.owner, o.owner), changed_by = excluded.changed_by,
		changed_at = excluded.changed_at;
	PERFORM @extschema@.l4_note_fault(l4_override_fault.fault_key, 'overridden', l4_override_fault.note,
		jsonb_strip_nulls(jsonb_build_object('title', l4_override_fault.title,
		'role', l4_override_fault.role, 'severity', l4_override_fault.severity, 'priority', l4_override_fault.priority,
		'root_cause', l4_override_fault.root_cause,
		'fix', l4_override_fault.fix, 'owner', l4_override_fault.owner)));
END
$$;
COMMENT ON FUNCTION @extschema@.l4_override_fault(text, text, text, text, int, text, text, name, text) IS
'Changes at this site what a built-in fault says (NULL: as before); its pattern goes on coming from l4. To go back: DELETE '
'FROM l4_fault_override. Errors: P0002 not a built-in fault, 23514 an unknown role or severity.';

CREATE FUNCTION @extschema@.l4_judge_fault(job_id text, fault_key text, is_right boolean, note text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	PERFORM @extschema@.l4_known_job(l4_judge_fault.job_id);
	IF NOT EXISTS (SELECT FROM @extschema@.l4_fault f WHERE f.fault_key = l4_judge_fault.fault_key) THEN
		RAISE EXCEPTION 'fault "%" is not known', l4_judge_fault.fault_key
			USING ERRCODE = 'no_data_found', HINT = 'The table l4_fault lists the faults.';
	END IF;
	IF l4_judge_fault.is_right IS NULL THEN
		RAISE EXCEPTION 'is_right must be true or false' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	INSERT INTO @extschema@.l4_fault_feedback AS b (job_id, fault_key, is_right, note)
	VALUES (l4_judge_fault.job_id, l4_judge_fault.fault_key, l4_judge_fault.is_right, l4_judge_fault.note)
	ON CONFLICT ON CONSTRAINT l4_fault_feedback_pkey DO UPDATE SET is_right = excluded.is_right, note = excluded.note,
		given_by = excluded.given_by, given_at = excluded.given_at;
	PERFORM @extschema@.l4_note_fault(l4_judge_fault.fault_key, 'judged', l4_judge_fault.note,
		jsonb_build_object('job_id', l4_judge_fault.job_id, 'is_right', l4_judge_fault.is_right));
END
$$;
COMMENT ON FUNCTION @extschema@.l4_judge_fault(text, text, boolean, text) IS
'Says whether a fault that was matched in a job was right; a later judgement of the same job replaces it. The library '
'counts them. Errors: P0002 unknown job or fault, 22004 neither true nor false.';

CREATE FUNCTION @extschema@.l4_all_records(job_id text) RETURNS SETOF @extschema@.l4_unexplained_record
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	SELECT e.stream_id, e.source, e.kind, e.node, e.node, e.rank, e.shape_id, s.event_id, NULL::text, NULL::jsonb,
		e.occurrences, e.level, @extschema@.l4_level_rank(e.level), false, false, e.first_line, e.last_line,
		e.first_ts, e.stage, e.first_iteration, false, NULL::int, NULL::text, NULL::text, NULL::int,
		NULL::boolean
	FROM @extschema@.l4_job_statements(l4_all_records.job_id) e JOIN @extschema@.l4_shape s ON s.shape_id = e.shape_id;
END;
COMMENT ON FUNCTION @extschema@.l4_all_records(text) IS
'Step: Everything that a job logged in the form of l4_unexplained, as if nothing were normal and no text quoted.';

CREATE FUNCTION @extschema@.l4_backtest_records(job_id text, entry @extschema@.l4_fault_entry, basis text)
RETURNS TABLE (records bigint, shapes bigint, nodes bigint, source text, line_no bigint, example text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 1
SET search_path = pg_catalog, pg_temp
SET jit = off
-- as in l4_diagnose
SET enable_nestloop = off
AS $$
#variable_conflict use_column
DECLARE
	logged @extschema@.l4_unexplained_record[];
BEGIN
	IF l4_backtest_records.basis = 'records' AND (entry).pattern IS NOT NULL THEN
		RETURN QUERY
		SELECT count(*), count(DISTINCT l.shape_id), count(DISTINCT l.node),
			(array_agg(l.source ORDER BY l.source, l.line_no, l.part))[1],
			(array_agg(l.line_no ORDER BY l.source, l.line_no, l.part))[1],
			(array_agg(left(l.raw, 500) ORDER BY l.source, l.line_no, l.part))[1]
		FROM @extschema@.l4_log l
		WHERE l.job_id = l4_backtest_records.job_id AND @extschema@.l4_pattern_matches((entry).pattern, l.raw);
	ELSE
		logged := ARRAY(SELECT r FROM @extschema@.l4_all_records(l4_backtest_records.job_id) r);
		RETURN QUERY
		SELECT coalesce(sum(r.occurrences), 0)::bigint, count(DISTINCT m.shape_id), count(DISTINCT r.node),
			(array_agg(r.source ORDER BY r.source, m.line_no, m.shape_id))[1],
			(array_agg(m.line_no ORDER BY r.source, m.line_no, m.shape_id))[1],
			(array_agg(left(h.shape, 500) ORDER BY r.source, m.line_no, m.shape_id))[1]
		FROM @extschema@.l4_match_entries(l4_backtest_records.job_id, logged, ARRAY[entry]) m
		JOIN unnest(logged) r ON r.stream_id = m.stream_id AND r.shape_id = m.shape_id
		JOIN @extschema@.l4_shape h ON h.shape_id = m.shape_id;
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_backtest_records(text, @extschema@.l4_fault_entry, text) IS
'Step: Where a fault matches at all in a job, also in what the pool explains: how many records, shapes and nodes, and the '
'first one. basis: records or shapes, as for l4_backtest_fault.';

CREATE FUNCTION @extschema@.l4_backtest_job(job_id text, entry @extschema@.l4_fault_entry, basis text)
RETURNS TABLE (records bigint, shapes bigint, nodes bigint, news_records bigint, rings boolean, source text, line_no bigint,
	example text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 1
SET search_path = pg_catalog, pg_temp
SET jit = off
-- as in l4_diagnose
SET enable_nestloop = off
AS $$
#variable_conflict use_column
DECLARE
	news @extschema@.l4_unexplained_record[];
	silenced @extschema@.l4_fault_entry[];
	bare @extschema@.l4_fault_entry := ROW((entry).fault_key, (entry).pattern,
		CASE WHEN (entry).pattern IS NULL THEN (entry).events END, false, NULL, NULL, NULL, NULL,
		'root')::@extschema@.l4_fault_entry;
BEGIN
	-- In all records, whatever the scope.
	SELECT r.records, r.shapes, r.nodes, r.source, r.line_no, r.example INTO records, shapes, nodes, source, line_no, example
	FROM @extschema@.l4_backtest_records(l4_backtest_job.job_id, bare, l4_backtest_job.basis) r;
	news_records := 0;
	rings := false;
	IF records > 0 THEN
		-- In what the filter leaves; a finding it is when the scope holds too, and no benign fault silences it.
		silenced := entry || ARRAY(
			SELECT ROW('benign ' || l.fault_key, l.pattern, NULL, false, NULL, NULL, NULL, NULL,
				'benign')::@extschema@.l4_fault_entry
			FROM @extschema@.l4_fault_library l
			WHERE l.role = 'benign' AND l.pattern IS NOT NULL AND l.fault_key <> (entry).fault_key);
		news := ARRAY(SELECT n FROM @extschema@.l4_unexplained(l4_backtest_job.job_id) n);
		SELECT coalesce(sum(r.occurrences), 0) INTO news_records
		FROM @extschema@.l4_match_entries(l4_backtest_job.job_id, news, ARRAY[bare]) m
		JOIN unnest(news) r ON r.stream_id = m.stream_id AND r.shape_id = m.shape_id;
		rings := news_records > 0 AND EXISTS (SELECT FROM @extschema@.l4_match_entries(l4_backtest_job.job_id, news, silenced));
	END IF;
	RETURN NEXT;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_backtest_job(text, @extschema@.l4_fault_entry, text) IS
'Step: What a fault finds in one job: see l4_backtest_fault.';

CREATE FUNCTION @extschema@.l4_backtest_entry(pattern text, fault_key text) RETURNS @extschema@.l4_fault_entry
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	fault @extschema@.l4_fault;
BEGIN
	IF (l4_backtest_entry.pattern IS NULL) = (l4_backtest_entry.fault_key IS NULL) THEN
		RAISE EXCEPTION 'either a pattern or a fault_key is needed' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF l4_backtest_entry.pattern IS NOT NULL THEN
		PERFORM @extschema@.l4_pattern_matches(l4_backtest_entry.pattern, '');		-- a bad pattern is told at once
		RETURN ROW('the pattern', l4_backtest_entry.pattern, NULL, false, NULL, NULL, NULL, NULL,
			'root')::@extschema@.l4_fault_entry;
	END IF;
	-- the site's own before the built-in one, in whatever state
	SELECT f.* INTO fault FROM @extschema@.l4_fault f
	WHERE f.fault_key = l4_backtest_entry.fault_key ORDER BY f.builtin LIMIT 1;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'fault "%" is not known', l4_backtest_entry.fault_key
			USING ERRCODE = 'no_data_found', HINT = 'The table l4_fault lists the faults.';
	END IF;
	RETURN @extschema@.l4_fault_entry_of(fault);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_backtest_entry(text, text) IS
'Step: What l4_backtest_fault tries: a pattern, or a fault of the library in whatever state. Errors: 22023 not exactly one '
'of both, P0002 unknown fault, 2201B bad pattern.';

CREATE FUNCTION @extschema@.l4_backtest_fault(pattern text DEFAULT NULL, fault_key text DEFAULT NULL, jobs text[] DEFAULT NULL,
	basis text DEFAULT NULL)
RETURNS TABLE (job_id text, status text, verdict text, rings boolean, records bigint, news_records bigint, shapes bigint,
	nodes bigint, root_cause_category text, root_cause_subtype text, root_cause text, source text, line_no bigint, example text,
	tried_on text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 1000000 ROWS 50
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	entry @extschema@.l4_fault_entry;
	one record;
	chosen text := l4_backtest_fault.basis;
	failed bigint := 0;
	rung bigint := 0;
	alone bigint := 0;
BEGIN
	IF chosen IS NOT NULL AND chosen NOT IN ('records', 'shapes') THEN
		RAISE EXCEPTION 'basis "%" is not known', chosen
			USING ERRCODE = 'invalid_parameter_value', HINT = 'It is records, shapes, or NULL for what fits.';
	END IF;
	entry := @extschema@.l4_backtest_entry(l4_backtest_fault.pattern, l4_backtest_fault.fault_key);
	IF chosen IS NULL THEN
		SELECT CASE WHEN coalesce(sum(s.records), 0) <= 5000000 THEN 'records' ELSE 'shapes' END INTO chosen
		FROM @extschema@.l4_job_logs s WHERE l4_backtest_fault.jobs IS NULL OR s.job_id = ANY (l4_backtest_fault.jobs);
	END IF;
	FOR one IN
		SELECT j.job_id, j.status FROM @extschema@.l4_job j JOIN @extschema@.l4_job_logs s ON s.job_id = j.job_id
		WHERE l4_backtest_fault.jobs IS NULL OR j.job_id = ANY (l4_backtest_fault.jobs)
		ORDER BY j.job_id COLLATE "C"
	LOOP
		SELECT b.records, b.shapes, b.nodes, b.news_records, b.rings, b.source, b.line_no, b.example
		INTO records, shapes, nodes, news_records, rings, source, line_no, example
		FROM @extschema@.l4_backtest_job(one.job_id, entry, chosen) b;
		CONTINUE WHEN records = 0;
		job_id := one.job_id;
		status := one.status;
		verdict := CASE WHEN rings THEN CASE one.status WHEN 'succeeded' THEN 'false alarm' ELSE 'match' END
			WHEN news_records > 0 THEN 'out of scope'
			WHEN one.status = 'succeeded' THEN 'false alarm without the filter'
			ELSE 'match without the filter' END;
		SELECT r.root_cause_category, r.root_cause_subtype, r.root_cause INTO root_cause_category, root_cause_subtype,
			root_cause
		FROM @extschema@.l4_failure_report r WHERE r.job_id = one.job_id
		ORDER BY r.diagnosed_at DESC NULLS LAST, r.report_id LIMIT 1;
		tried_on := chosen;
		failed := failed + (verdict = 'match')::int;
		rung := rung + (verdict = 'false alarm')::int;
		alone := alone + (verdict = 'false alarm without the filter')::int;
		RETURN NEXT;
	END LOOP;
	IF l4_backtest_fault.fault_key IS NOT NULL AND NOT current_setting('transaction_read_only')::boolean THEN
		PERFORM @extschema@.l4_note_fault(l4_backtest_fault.fault_key, 'backtested', NULL,
			jsonb_build_object('matches', failed, 'false_alarms', rung, 'false_alarms_without_the_filter', alone));
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_backtest_fault(text, text, text[], text) IS
'Tries a pattern, or a fault of the library in whatever state, on all jobs kept (or on jobs) and returns the jobs that '
'have it. records, shapes, nodes: where it matches at all, also in what the pool explains, whatever its scope; '
'news_records: of these the ones that the filter leaves; rings: l4_match_faults would report it, in its scope and not '
'silenced by a benign fault. verdict says it in words: match (rings on a job that did not succeed), false alarm (rings on '
'one that did; l4_unexplained leaves the job itself out of its pool), out of scope, or match and false alarm "without the '
'filter" where only the pool keeps it from ringing, as it does not for the first jobs of a new model. The root cause is '
'that of the failure report. basis: records (every record is read; exact), shapes (summaries: shapes with the values their '
'parameters took, without headers; quick), NULL: records up to five million. A test of a fault is kept in '
'l4_fault_history. Errors: 22023 not exactly one of pattern and fault_key, or an unknown basis; P0002 unknown fault; 2201B '
'bad pattern. Cost: records about 0.3 million a second; per job that has it one l4_unexplained.';
