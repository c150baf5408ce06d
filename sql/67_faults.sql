/*
 * Known faults: the library in force, and its patterns tried on what the filter left.
 *
 * Texts are tried, not lines: of each unexplained shape the records that are quoted, else the shape itself with its parameters
 * as 1, and the further values that its parameters took. All patterns are tried on a text at once (l4_match_patterns).
 */

CREATE FUNCTION @extschema@.l4_match_patterns(keys text[], patterns text[], subjects text[], OUT key text, OUT subject int,
	OUT gave_up boolean) RETURNS SETOF record
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 100 AS 'MODULE_PATHNAME', 'l4_match_patterns';
COMMENT ON FUNCTION @extschema@.l4_match_patterns(text[], text[], text[]) IS
'Tries many PCRE2 patterns on many texts: a row for each pattern (its key, from the array of the same length) that matches '
'anywhere in a text (subject: its place in the array). NULL elements match nothing. Where a pattern takes too many steps '
'on a text (l4_pattern_matches) there is a row with gave_up true instead, and one warning at the end names all such '
'patterns; the others go on. Errors: 22023 for arrays that do not fit, 2201B for a bad pattern. Cost: some 50 microseconds '
'per pattern, then one pass over each text for the words of all patterns and a match for those whose words occur.';

-- A bad pattern is refused where it is written, not where it is matched.
ALTER TABLE @extschema@.l4_fault ADD CONSTRAINT l4_fault_pattern_is_valid CHECK (@extschema@.l4_pattern_matches(pattern,
	'') IS NOT NULL OR pattern IS NULL);

CREATE FUNCTION @extschema@.l4_guard_builtin_fault() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
BEGIN
	IF TG_OP = 'INSERT' OR TG_OP = 'UPDATE' AND NOT OLD.builtin THEN
		RAISE EXCEPTION 'the fault "%" cannot be a built-in one', NEW.fault_key
			USING ERRCODE = 'object_not_in_prerequisite_state',
				DETAIL = 'Built-in faults come with l4 alone and are not dumped.',
				HINT = 'Leave builtin out: a fault of your own takes the place of the built-in one of the same key.';
	END IF;
	RAISE EXCEPTION 'the built-in fault "%" cannot be changed', OLD.fault_key
		USING ERRCODE = 'object_not_in_prerequisite_state',
			DETAIL = 'Built-in faults are replaced by upgrades and are not dumped.',
			HINT = 'l4_override_fault changes what is shown of it, l4_retire_fault switches it off.';
END
$$;
COMMENT ON FUNCTION @extschema@.l4_guard_builtin_fault() IS
'Step: Refuses to add, change or delete a built-in fault (55000). Upgrade scripts disable the trigger while they bring new '
'ones.';
CREATE TRIGGER l4_guard_builtin_fault BEFORE UPDATE OR DELETE ON @extschema@.l4_fault
	FOR EACH ROW WHEN (OLD.builtin) EXECUTE FUNCTION @extschema@.l4_guard_builtin_fault();
CREATE TRIGGER l4_guard_new_builtin_fault BEFORE INSERT OR UPDATE ON @extschema@.l4_fault
	FOR EACH ROW WHEN (NEW.builtin) EXECUTE FUNCTION @extschema@.l4_guard_builtin_fault();

CREATE FUNCTION @extschema@.l4_severity_rank(severity text) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN array_position(ARRAY['info', 'warning', 'error', 'critical'], severity);
COMMENT ON FUNCTION @extschema@.l4_severity_rank(text) IS
'Step: the severity of a fault as a number: 1 info, 2 warning, 3 error, 4 critical; NULL for any other text.';

CREATE VIEW @extschema@.l4_fault_library WITH (security_invoker = true) AS
SELECT f.fault_key, COALESCE(o.title, f.title) AS title, f.category, f.subtype, f.pattern, f.events, f.in_order, f.stream_kinds,
	f.min_node_share, f.max_node_share, f.within_time, COALESCE(o.role, f.role) AS role,
		COALESCE(o.severity, f.severity) AS severity,
	COALESCE(o.priority, f.priority) AS priority, COALESCE(o.root_cause, f.root_cause) AS root_cause,
		COALESCE(o.fix, f.fix) AS fix,
	COALESCE(o.owner, f.owner) AS owner, f.origin, f.builtin, o.fault_key IS NOT NULL AS overridden,
	f.created_at, COALESCE(o.changed_by, f.updated_by, f.created_by) AS updated_by,
		COALESCE(o.changed_at, f.updated_at, f.created_at) AS updated_at,
	COALESCE(n.jobs, 0) AS matched_count, COALESCE(b.right_ones, 0) AS right_count, COALESCE(b.wrong_ones, 0) AS wrong_count,
	f.recovery
FROM @extschema@.l4_fault f
LEFT JOIN @extschema@.l4_fault_override o ON f.builtin AND o.fault_key = f.fault_key
LEFT JOIN (
	SELECT n.fault_key, count(DISTINCT n.job_id) AS jobs FROM @extschema@.l4_finding n
	WHERE n.kind = 'fault' GROUP BY n.fault_key) n ON n.fault_key = f.fault_key
LEFT JOIN (
	SELECT b.fault_key, count(*) FILTER (WHERE b.is_right) AS right_ones, count(*) FILTER (WHERE NOT b.is_right) AS wrong_ones
	FROM @extschema@.l4_fault_feedback b GROUP BY b.fault_key) b ON b.fault_key = f.fault_key
WHERE f.state = 'confirmed'
	AND NOT COALESCE(o.switched_off, false)
	AND NOT (f.builtin AND EXISTS (SELECT FROM @extschema@.l4_fault s WHERE s.fault_key = f.fault_key AND NOT s.builtin
		AND s.state = 'confirmed'));
COMMENT ON VIEW @extschema@.l4_fault_library IS
'The fault library in force: the site''s confirmed faults, and the built-in ones with what the site overrode, without '
'those it switched off or replaced by one of its own of the same key. This is what is matched.';
COMMENT ON COLUMN @extschema@.l4_fault_library.fault_key IS
'short name';
COMMENT ON COLUMN @extschema@.l4_fault_library.title IS
'what it is, in a few words';
COMMENT ON COLUMN @extschema@.l4_fault_library.category IS
'hardware, user, framework, platform or noise';
COMMENT ON COLUMN @extschema@.l4_fault_library.subtype IS
'finer cause within the category';
COMMENT ON COLUMN @extschema@.l4_fault_library.pattern IS
'PCRE2 pattern, matched against single records';
COMMENT ON COLUMN @extschema@.l4_fault_library.events IS
'event_ids that must all be among what the filter left';
COMMENT ON COLUMN @extschema@.l4_fault_library.in_order IS
'the events must begin in the order of "events"';
COMMENT ON COLUMN @extschema@.l4_fault_library.stream_kinds IS
'kinds of streams in which it may show, NULL for all';
COMMENT ON COLUMN @extschema@.l4_fault_library.min_node_share IS
'smallest share of nodes (0 to 1), NULL for no limit';
COMMENT ON COLUMN @extschema@.l4_fault_library.max_node_share IS
'largest share of nodes (0 to 1), NULL for no limit';
COMMENT ON COLUMN @extschema@.l4_fault_library.within_time IS
'longest time between the first and the last of the places where it first shows';
COMMENT ON COLUMN @extschema@.l4_fault_library.role IS
'root, cascade, confirmation or benign';
COMMENT ON COLUMN @extschema@.l4_fault_library.severity IS
'info, warning, error or critical';
COMMENT ON COLUMN @extschema@.l4_fault_library.priority IS
'how specific it is, lower is more';
COMMENT ON COLUMN @extschema@.l4_fault_library.root_cause IS
'why it happens';
COMMENT ON COLUMN @extschema@.l4_fault_library.fix IS
'what to do';
COMMENT ON COLUMN @extschema@.l4_fault_library.owner IS
'role to ask about it';
COMMENT ON COLUMN @extschema@.l4_fault_library.origin IS
'where it came from';
COMMENT ON COLUMN @extschema@.l4_fault_library.builtin IS
'came with l4';
COMMENT ON COLUMN @extschema@.l4_fault_library.overridden IS
'built in, with changes of this site';
COMMENT ON COLUMN @extschema@.l4_fault_library.created_at IS
'when it was added';
COMMENT ON COLUMN @extschema@.l4_fault_library.updated_by IS
'role that added or changed it last';
COMMENT ON COLUMN @extschema@.l4_fault_library.updated_at IS
'when it was added or changed last';
COMMENT ON COLUMN @extschema@.l4_fault_library.matched_count IS
'jobs in whose saved diagnoses it was found';
COMMENT ON COLUMN @extschema@.l4_fault_library.right_count IS
'jobs in which people judged the match right';
COMMENT ON COLUMN @extschema@.l4_fault_library.wrong_count IS
'jobs in which people judged it wrong';
COMMENT ON COLUMN @extschema@.l4_fault_library.recovery IS
'what brings back what failed: see l4_fault; NULL where not known';

CREATE TYPE @extschema@.l4_fault_entry AS (
	fault_key text,
	pattern text,
	events bigint[],
	in_order boolean,
	stream_kinds text[],
	min_node_share double precision,
	max_node_share double precision,
	within_time interval,
	role text
);
COMMENT ON TYPE @extschema@.l4_fault_entry IS
'What of a fault is needed to match it: the columns of l4_fault of the same names.';

CREATE FUNCTION @extschema@.l4_fill_shape(shape text, parameters text[]) RETURNS text
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 5 AS 'MODULE_PATHNAME', 'l4_fill_shape';
COMMENT ON FUNCTION @extschema@.l4_fill_shape(text, text[]) IS
'Step: A shape with its parameters put back in; one that is NULL or missing becomes 1. NULL for no shape. Errors: 22023 '
'for an array of several dimensions.';

CREATE FUNCTION @extschema@.l4_fault_subjects(job_id text, stream_ids bigint[], shape_ids bigint[], lines bigint[],
	messages text[], most_values double precision)
RETURNS TABLE (stream_id bigint, shape_id bigint, line_no bigint, subject text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1000
BEGIN ATOMIC
	WITH record AS MATERIALIZED (
		SELECT r.stream_id, r.shape_id, r.first_line, r.message, s.shape, strpos(s.shape, '<*>') > 0 IS TRUE AS open
		FROM unnest(l4_fault_subjects.stream_ids, l4_fault_subjects.shape_ids, l4_fault_subjects.lines,
			l4_fault_subjects.messages) r (stream_id, shape_id, first_line, message)
		LEFT JOIN @extschema@.l4_shape s ON s.shape_id = r.shape_id
			AND s.shape_id = ANY (ARRAY(SELECT DISTINCT o.shape_id FROM unnest(l4_fault_subjects.shape_ids) o (shape_id)))
	),
	-- the statistics of a source are unpacked once, not once per record; again only where a parameter has several values
	sketch AS MATERIALIZED (
		SELECT k.source_id, k.sketch FROM @extschema@.l4_job_sketches(l4_fault_subjects.job_id,
			ARRAY(SELECT DISTINCT t.source_id FROM @extschema@.l4_job_streams(l4_fault_subjects.job_id) t
				WHERE t.stream_id IN (SELECT r.stream_id FROM record r WHERE r.open))) k
	),
	parameter AS MATERIALIZED (
		SELECT k.source_id, p.stream_id, p.shape_id, p.parameters, p.varies
		FROM (SELECT array_agg(DISTINCT r.shape_id) AS shape_ids FROM record r WHERE r.open) w
		CROSS JOIN sketch k
		CROSS JOIN LATERAL @extschema@.l4_sketch_first_values(k.sketch, w.shape_ids) p
	),
	first_values AS MATERIALIZED (
		SELECT r.stream_id, r.shape_id, r.shape, r.first_line, r.message, p.parameters, p.varies, p.source_id
		FROM record r
		LEFT JOIN parameter p ON p.stream_id = r.stream_id AND p.shape_id = r.shape_id
		WHERE r.open
	),
	varying AS MATERIALIZED (
		SELECT p.stream_id, p.shape_id, p.position, p.values, p.value_lines, p.distinct_values
		FROM (SELECT f.source_id, array_agg(DISTINCT f.shape_id) AS shape_ids FROM first_values f WHERE f.varies GROUP BY 1) f
		JOIN sketch k ON k.source_id = f.source_id
		CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch, f.shape_ids) p
		WHERE p.distinct_values > 1 AND (p.stream_id, p.shape_id) IN (SELECT o.stream_id, o.shape_id FROM first_values o)
	),
	shared AS (
		-- the first values of one stream for all, so that streams share their texts
		SELECT DISTINCT ON (f.shape_id) f.shape_id, f.shape, f.parameters FROM first_values f
		WHERE f.shape_id IN (SELECT p.shape_id FROM varying p)
		ORDER BY f.shape_id, f.parameters IS NULL, f.stream_id
	),
	-- further values, each at its position with first values round it: so many a shape, those of rare positions first
	further AS (
		SELECT f.shape_id, f.shape, f.parameters, p.position, v.value, p.stream_id, v.line_no,
			dense_rank() OVER (PARTITION BY f.shape_id ORDER BY p.distinct_values, p.position, v.value COLLATE "C") AS turn
		FROM shared f
		JOIN varying p ON p.shape_id = f.shape_id
		CROSS JOIN LATERAL ROWS FROM (unnest(p.values), unnest(p.value_lines)) WITH ORDINALITY v (value, line_no, number)
		WHERE v.number > 1
	)
	SELECT r.stream_id, r.shape_id, r.first_line, COALESCE(r.message, r.shape) FROM record r WHERE NOT r.open
	UNION ALL
	SELECT f.stream_id, f.shape_id, f.first_line, COALESCE(f.message, @extschema@.l4_fill_shape(f.shape, f.parameters))
	FROM first_values f
	UNION ALL
	SELECT f.stream_id, f.shape_id, f.line_no,
		@extschema@.l4_fill_shape(f.shape, f.parameters[1:f.position - 1] || f.value || f.parameters[f.position + 1:])
	FROM further f WHERE f.turn <= l4_fault_subjects.most_values;
END;
COMMENT ON FUNCTION @extschema@.l4_fault_subjects(text, bigint[], bigint[], bigint[], text[], double precision) IS
'Step: The texts that stand for statements of a job (arrays of one length: stream, shape, line and text of the first record; '
'lines and messages may be NULL): per stream and shape the first record (as it is quoted, else the shape with its first '
'parameters), and the shape with each further value of a parameter, most_values of a shape at most; line_no is where that '
'value shows first. Reads the parameter statistics.';

CREATE FUNCTION @extschema@.l4_text_hits(job_id text, stream_ids bigint[], shape_ids bigint[], lines bigint[], messages text[],
	entries @extschema@.l4_fault_entry[], limits @extschema@.l4_limits)
RETURNS TABLE (fault_key text, stream_id bigint, shape_id bigint, line_no bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH entry AS MATERIALIZED (
		SELECT e.* FROM unnest(l4_text_hits.entries) e
	),
	text AS MATERIALIZED (
		SELECT t.* FROM @extschema@.l4_fault_subjects(l4_text_hits.job_id, l4_text_hits.stream_ids, l4_text_hits.shape_ids,
			l4_text_hits.lines, l4_text_hits.messages, (limits).fault_values) t
	),
	subject AS MATERIALIZED (
		SELECT s.subject, row_number() OVER (ORDER BY s.subject COLLATE "C") AS number
		FROM (SELECT DISTINCT t.subject FROM text t) s
	),
	matched AS MATERIALIZED (
		SELECT m.key, m.subject AS number
		FROM (SELECT array_agg(s.subject ORDER BY s.number) AS subjects FROM subject s) s,
			(SELECT array_agg(e.fault_key ORDER BY e.fault_key COLLATE "C") AS keys,
				array_agg(e.pattern ORDER BY e.fault_key COLLATE "C") AS patterns FROM entry e WHERE e.pattern IS NOT NULL) p,
			LATERAL @extschema@.l4_match_patterns(p.keys, p.patterns, s.subjects) m
		WHERE NOT m.gave_up
	),
	-- a text that a benign fault matches is silent for all
	told AS MATERIALIZED (
		SELECT m.key, s.subject
		FROM matched m JOIN subject s ON s.number = m.number
		WHERE NOT EXISTS (SELECT FROM matched b JOIN entry e ON e.fault_key = b.key
			WHERE b.number = m.number AND e.role = 'benign')
	)
	SELECT m.key, t.stream_id, t.shape_id, min(t.line_no) FROM told m JOIN text t ON t.subject = m.subject
	GROUP BY m.key, t.stream_id, t.shape_id;
END;
COMMENT ON FUNCTION @extschema@.l4_text_hits(text, bigint[], bigint[], bigint[], text[], @extschema@.l4_fault_entry[],
	@extschema@.l4_limits) IS
'Step: Where the patterns of the given faults match statements of a job (arrays as for l4_fault_subjects), in whatever '
'streams: fault, stream, shape and line of the first record. Texts that a benign fault matches are silent.';

CREATE FUNCTION @extschema@.l4_fault_hits(job_id text, unexplained @extschema@.l4_unexplained_record[],
	entries @extschema@.l4_fault_entry[], limits @extschema@.l4_limits)
RETURNS TABLE (fault_key text, stream_id bigint, shape_id bigint, line_no bigint, event_id bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH entry AS MATERIALIZED (
		SELECT e.* FROM unnest(l4_fault_hits.entries) e
	),
	hit AS MATERIALIZED (
		SELECT h.fault_key AS key, h.stream_id, h.shape_id, h.line_no
		FROM (SELECT array_agg(r.stream_id) AS stream_ids, array_agg(r.shape_id) AS shape_ids,
			array_agg(r.first_line) AS lines, array_agg(r.message) AS messages FROM unnest(l4_fault_hits.unexplained) r) a
		CROSS JOIN LATERAL @extschema@.l4_text_hits(l4_fault_hits.job_id, a.stream_ids, a.shape_ids, a.lines, a.messages,
			entries, limits) h
	)
	SELECT h.key, h.stream_id, h.shape_id, h.line_no, NULL::bigint
	FROM hit h WHERE h.key NOT IN (SELECT e.fault_key FROM entry e WHERE e.stream_kinds IS NOT NULL)
	UNION ALL
	SELECT h.key, h.stream_id, h.shape_id, h.line_no, NULL
	FROM hit h
	JOIN entry e ON e.fault_key = h.key
	JOIN unnest(l4_fault_hits.unexplained) r ON r.stream_id = h.stream_id AND r.shape_id = h.shape_id
	WHERE r.kind = ANY (e.stream_kinds) AND EXISTS (SELECT FROM entry o WHERE o.stream_kinds IS NOT NULL)
	UNION ALL
	SELECT e.fault_key, r.stream_id, r.shape_id, r.first_line, r.event_id
	FROM (SELECT DISTINCT e.fault_key, u.event_id FROM entry e, unnest(e.events) u (event_id)) u
	JOIN entry e ON e.fault_key = u.fault_key
	JOIN unnest(l4_fault_hits.unexplained) r ON r.event_id = u.event_id
		AND (e.stream_kinds IS NULL OR r.kind = ANY (e.stream_kinds))
	WHERE EXISTS (SELECT FROM entry o WHERE o.events IS NOT NULL);
END;
COMMENT ON FUNCTION @extschema@.l4_fault_hits(text, @extschema@.l4_unexplained_record[], @extschema@.l4_fault_entry[],
	@extschema@.l4_limits) IS
'Step: Where the patterns (event_id NULL) and the events of the given faults show in what is unexplained in a job, '
'whatever their scope but for the kind of stream: fault, stream, shape and line of the first record. Texts that a benign '
'fault matches are silent.';

CREATE FUNCTION @extschema@.l4_match_entries(job_id text, unexplained @extschema@.l4_unexplained_record[],
	entries @extschema@.l4_fault_entry[], limits @extschema@.l4_limits DEFAULT NULL)
RETURNS TABLE (fault_key text, stream_id bigint, shape_id bigint, line_no bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	l4_match_entries.limits := coalesce(l4_match_entries.limits, @extschema@.l4_limits_in_force());
	RETURN QUERY
	WITH entry AS MATERIALIZED (
		SELECT e.*, (SELECT count(DISTINCT u.id) FROM unnest(e.events) u (id)) AS event_count,
			e.events IS NOT NULL OR e.min_node_share IS NOT NULL OR e.max_node_share IS NOT NULL OR e.within_time IS NOT NULL
				AS scoped
		FROM unnest(entries) e
	),
	hit AS MATERIALIZED (
		SELECT h.* FROM @extschema@.l4_fault_hits(l4_match_entries.job_id, l4_match_entries.unexplained, entries, limits) h
	),
	shown AS MATERIALIZED (
		SELECT h.fault_key, bool_or(h.event_id IS NULL) AS has_pattern FROM hit h GROUP BY h.fault_key
	),
	-- where and when, for those alone that ask for it
	placed AS MATERIALIZED (
		SELECT e.fault_key, e.events, e.pattern, h.event_id, r.unit, r.first_ts
		FROM entry e
		JOIN hit h ON h.fault_key = e.fault_key
		JOIN unnest(l4_match_entries.unexplained) r ON r.stream_id = h.stream_id AND r.shape_id = h.shape_id
		WHERE e.scoped AND EXISTS (SELECT FROM entry o WHERE o.scoped)
	),
	figure AS MATERIALIZED (
		SELECT p.fault_key, (SELECT count(*) FROM @extschema@.l4_job_units(l4_match_entries.job_id)) AS nodes,
			count(DISTINCT p.event_id) AS event_count,
			count(DISTINCT p.unit) FILTER (WHERE (p.event_id IS NULL) = (p.pattern IS NOT NULL))::double precision AS node_count
		FROM placed p GROUP BY p.fault_key
	),
	-- where it first shows: of each event, else on each node
	first_shown AS MATERIALIZED (
		SELECT p.fault_key, p.event_id, min(p.first_ts) AS first_ts
		FROM placed p
		GROUP BY p.fault_key, p.event_id, CASE WHEN p.events IS NULL THEN p.unit END
	),
	found AS MATERIALIZED (
		SELECT e.fault_key, e.pattern
		FROM entry e
		JOIN shown s ON s.fault_key = e.fault_key
		LEFT JOIN figure f ON f.fault_key = e.fault_key
		WHERE e.role <> 'benign'
			AND (e.pattern IS NULL OR s.has_pattern)
			AND (e.events IS NULL OR f.event_count = e.event_count)
			AND (e.min_node_share IS NULL OR f.nodes = 0 OR f.node_count >= e.min_node_share * f.nodes)
			AND (e.max_node_share IS NULL OR f.nodes = 0 OR f.node_count <= e.max_node_share * f.nodes)
			AND (e.within_time IS NULL OR coalesce((SELECT max(p.first_ts) - min(p.first_ts) <= e.within_time
				FROM first_shown p WHERE p.fault_key = e.fault_key), true))
			AND (NOT e.in_order OR e.events IS NULL OR NOT EXISTS (
				SELECT FROM first_shown p JOIN first_shown q ON q.fault_key = p.fault_key
					AND array_position(e.events, p.event_id) < array_position(e.events, q.event_id)
				WHERE p.fault_key = e.fault_key AND p.first_ts > q.first_ts))
	)
	SELECT h.fault_key, h.stream_id, h.shape_id, h.line_no
	FROM hit h
	WHERE h.fault_key IN (SELECT f.fault_key FROM found f)
		-- where there is a pattern, it is the evidence
		AND (h.event_id IS NULL OR h.fault_key IN (SELECT f.fault_key FROM found f WHERE f.pattern IS NULL));
END
$$;
COMMENT ON FUNCTION @extschema@.l4_match_entries(text, @extschema@.l4_unexplained_record[], @extschema@.l4_fault_entry[],
	@extschema@.l4_limits) IS
'Step: Where the given faults show in what is news in a job: fault, stream, shape and line of the first record that '
'matches. A fault shows where its pattern matches, all of its events are there, and its scope (kinds of streams, share of '
'nodes, time, order) holds; what cannot be judged for want of times or node lists counts as held. Texts that a benign '
'fault matches are silent.';

CREATE FUNCTION @extschema@.l4_explained_faults(keys text[]) RETURNS TABLE (fault_key text, explained_by text[])
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH matched AS MATERIALIZED (
		SELECT l.fault_key, l.priority, l.role FROM @extschema@.l4_fault_library l
			WHERE l.fault_key = ANY (l4_explained_faults.keys)
	),
	edge AS (
		-- the site's own row of two keys wins
		SELECT DISTINCT ON (x.fault_key, x.explains) x.fault_key, x.explains, x.switched_off
		FROM @extschema@.l4_fault_explains x
		WHERE x.explains = ANY (l4_explained_faults.keys)
		ORDER BY x.fault_key, x.explains, x.builtin
	)
	SELECT b.fault_key, array_agg(a.fault_key ORDER BY a.priority, a.fault_key COLLATE "C")
	FROM matched b
	JOIN matched a ON a.fault_key <> b.fault_key AND a.role <> 'benign'
	WHERE EXISTS (SELECT FROM edge x WHERE x.explains = b.fault_key AND NOT x.switched_off
		AND (x.fault_key = a.fault_key OR x.fault_key = '*' AND a.priority < b.priority))
	GROUP BY b.fault_key;
END;
COMMENT ON FUNCTION @extschema@.l4_explained_faults(text[]) IS
'Step: Of faults found together those that follow from another one of them, by l4_fault_explains, with the keys of these.';

CREATE FUNCTION @extschema@.l4_first_fault_hits(job_id text, unexplained @extschema@.l4_unexplained_record[],
	entries @extschema@.l4_fault_entry[], limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS TABLE (fault_key text, record @extschema@.l4_unexplained_record, line_no bigint, message text, occurrences bigint,
	nodes_affected bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
BEGIN ATOMIC
	WITH hit AS MATERIALIZED (
		SELECT m.fault_key, m.line_no, r.stream_id, r.shape_id, r.unit, r.occurrences, r.first_ts, r.source,
			r.message IS NULL OR m.line_no <> r.first_line AS unread
		FROM @extschema@.l4_match_entries(l4_first_fault_hits.job_id, l4_first_fault_hits.unexplained, entries, limits) m
		JOIN unnest(l4_first_fault_hits.unexplained) r ON r.stream_id = m.stream_id AND r.shape_id = m.shape_id
	),
	figure AS MATERIALIZED (
		SELECT u.fault_key, sum(u.occurrences)::bigint AS occurrences, count(u.unit) AS nodes_affected,
			min(u.first_ts) AS first_ts
		FROM (SELECT h.fault_key, h.unit, sum(h.occurrences) AS occurrences, min(h.first_ts) AS first_ts
			FROM hit h GROUP BY h.fault_key, h.unit) u
		GROUP BY u.fault_key
	),
	first_hit AS MATERIALIZED (
		-- of tens of thousands only the earliest are put in order
		SELECT DISTINCT ON (h.fault_key) h.*
		FROM hit h JOIN figure f ON f.fault_key = h.fault_key AND f.first_ts IS NOT DISTINCT FROM h.first_ts
		ORDER BY h.fault_key, h.first_ts, h.source, h.line_no, h.stream_id, h.shape_id
	),
	text AS MATERIALIZED (
		-- all at once, as each call looks for the segments that hold its lines
		SELECT t.stream_id, t.line_no, t.raw
		FROM (SELECT array_agg(h.stream_id) AS stream_ids, array_agg(h.line_no) AS line_nos FROM first_hit h WHERE h.unread) w
		CROSS JOIN LATERAL @extschema@.l4_record_texts(l4_first_fault_hits.job_id, w.stream_ids, w.line_nos, wordings) t
	)
	SELECT h.fault_key, r, h.line_no, CASE WHEN h.unread THEN t.raw ELSE r.message END, f.occurrences, f.nodes_affected
	FROM first_hit h
	JOIN unnest(l4_first_fault_hits.unexplained) r ON r.stream_id = h.stream_id AND r.shape_id = h.shape_id
	JOIN figure f ON f.fault_key = h.fault_key
	LEFT JOIN text t ON h.unread AND t.stream_id = h.stream_id AND t.line_no = h.line_no;
END;
COMMENT ON FUNCTION @extschema@.l4_first_fault_hits(text, @extschema@.l4_unexplained_record[], @extschema@.l4_fault_entry[],
	@extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Of each fault that shows in a job (l4_match_entries) the first record that shows it, with the line and the text '
'that does, and in how many records and on how many nodes it shows in all.';

CREATE FUNCTION @extschema@.l4_match_faults(job_id text, news @extschema@.l4_unexplained_record[] DEFAULT NULL,
	limits @extschema@.l4_limits DEFAULT NULL, wordings @extschema@.l4_wordings DEFAULT NULL)
RETURNS TABLE (fault_key text, title text, category text, subtype text, severity text, root_cause text, fix text,
	event_id bigint, shape_id bigint, stream_id bigint, source text, line_no bigint, node text, rank int, stage text,
	iteration bigint, first_ts timestamptz, occurrences bigint, nodes_affected bigint, message text,
	role text, priority int, builtin boolean, explained_by text[], owner name, unit text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 5
SET search_path = pg_catalog, pg_temp
SET jit = off
-- as in l4_unexplained
SET enable_nestloop = off
SET max_parallel_workers_per_gather = 0
AS $$
#variable_conflict use_column
DECLARE
	entries @extschema@.l4_fault_entry[];
BEGIN
	l4_match_faults.limits := coalesce(l4_match_faults.limits, @extschema@.l4_limits_in_force());
	l4_match_faults.wordings := coalesce(l4_match_faults.wordings, @extschema@.l4_wordings_in_force());
	IF news IS NULL THEN
		IF NOT EXISTS (SELECT FROM @extschema@.l4_job_streams(l4_match_faults.job_id))
			AND NOT EXISTS (SELECT FROM @extschema@.l4_job j WHERE j.job_id = l4_match_faults.job_id) THEN
			RAISE EXCEPTION 'job "%" is not known', l4_match_faults.job_id
				USING ERRCODE = 'no_data_found',
					HINT = 'l4_register_job makes a job known, l4_import takes in its logs; the table l4_job lists the jobs.';
		END IF;
		news := ARRAY(SELECT n FROM @extschema@.l4_unexplained(l4_match_faults.job_id, true, NULL, limits, wordings) n);
		news := news || ARRAY(SELECT a FROM @extschema@.l4_asked_records(l4_match_faults.job_id, true, news, limits,
			wordings) a);
	END IF;
	-- a variable, so that the planner knows how many there are
	entries := ARRAY(SELECT ROW(l.fault_key, l.pattern, l.events, l.in_order, l.stream_kinds, l.min_node_share,
		l.max_node_share, l.within_time, l.role)::@extschema@.l4_fault_entry FROM @extschema@.l4_fault_library l);
	RETURN QUERY
	WITH hit AS MATERIALIZED (
		SELECT h.fault_key, (h.record).*, h.line_no, h.message AS told, h.occurrences AS records, h.nodes_affected
		FROM @extschema@.l4_first_fault_hits(l4_match_faults.job_id, news, entries, limits, wordings) h
	)
	SELECT l.fault_key, l.title, l.category, l.subtype, l.severity, l.root_cause, l.fix, h.event_id, h.shape_id, h.stream_id,
		h.source, h.line_no, h.node, h.rank, h.stage, h.iteration, h.first_ts, h.records, h.nodes_affected, h.told,
		l.role, l.priority, l.builtin, x.explained_by, l.owner, h.unit
	FROM hit h
	JOIN @extschema@.l4_fault_library l ON l.fault_key = h.fault_key
	LEFT JOIN @extschema@.l4_explained_faults(ARRAY(SELECT o.fault_key FROM hit o)) x ON x.fault_key = h.fault_key
	ORDER BY x.explained_by IS NOT NULL, array_position(ARRAY['root', 'cascade', 'confirmation'], l.role), l.builtin,
		@extschema@.l4_severity_rank(l.severity) DESC NULLS LAST, l.priority, h.nodes_affected, h.first_ts,
		l.fault_key COLLATE "C";
END
$$;
COMMENT ON FUNCTION @extschema@.l4_match_faults(text, @extschema@.l4_unexplained_record[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'The faults of the library (l4_fault_library) that show in a job, in what is unexplained or elsewhere (l4_asked_records), '
'one row a fault with the first record that shows it. Order: faults that another one explains (l4_fault_explains; its keys '
'in explained_by) last; then by role (root, cascade, confirmation), the site''s own before built-in ones, severity, '
'priority, fewest nodes, earliest. Benign faults silence what they match. node is NULL where it is not known; unit says '
'what stands for it then ("rank 7"). news: the result of l4_unexplained, where at hand: then these records alone are '
'asked. A pattern that takes too many steps on a text does not match it, which a warning says. Errors: P0002 for an '
'unknown job. Cost: about 20 ms for the patterns, little for the texts.';
