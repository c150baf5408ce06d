/* Known faults as findings, and suspected nodes as findings. */

CREATE FUNCTION @extschema@.l4_names_unit(message text, unit text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN message ~ ('\m' || regexp_replace(unit, '\W', '.', 'g') || '\M');
COMMENT ON FUNCTION @extschema@.l4_names_unit(text, text) IS
'Step: does a message name a node (or a rank) as a whole word?';

CREATE FUNCTION @extschema@.l4_found_faults(job_id text, unexplained @extschema@.l4_unexplained_record[], suspect text,
	roles jsonb, limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS TABLE (fault_key text, title text, category text, severity text, root_cause text, fix text, event_id bigint,
	source text, line_no bigint,
	unit text, node text, rank int, stage text, iteration bigint, first_ts timestamptz, occurrences bigint,
		nodes_affected bigint,
	message text, own boolean, consequence boolean, follows_from text[], severity_score double precision, place bigint,
	standing jsonb, role text, also text[])
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
BEGIN ATOMIC
	WITH found AS MATERIALIZED (
		SELECT f.*, COALESCE(f.unit = l4_found_faults.suspect, @extschema@.l4_names_unit(f.message, l4_found_faults.suspect),
			false) AS own, l4_found_faults.roles ->> f.event_id::text AS event_role,
			row_number() OVER w AS turn,
			array_agg(f.fault_key) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS names
		FROM @extschema@.l4_match_faults(l4_found_faults.job_id, l4_found_faults.unexplained, limits,
			wordings) WITH ORDINALITY f
		WINDOW w AS (PARTITION BY f.stream_id, f.line_no ORDER BY f.ordinality)
	), explained AS (
		-- a fault that only shows in what follows explains no root
		SELECT f.*, COALESCE(f.event_role = 'cascade' AND NOT f.own, false) AS consequence, (
			SELECT array_agg(k.fault_key ORDER BY k.place)
			FROM unnest(f.explained_by) WITH ORDINALITY k (fault_key, place) JOIN found o ON o.fault_key = k.fault_key
			WHERE f.event_role IS DISTINCT FROM 'root' OR o.event_role IS DISTINCT FROM 'cascade') AS follows_from
		FROM found f WHERE f.turn = 1
	)
	-- What follows from another fault or from the failure comes late. Several faults that one text shows are names of one: the
	-- first stands for them.
	SELECT f.fault_key, f.title, f.category, f.severity, f.root_cause, f.fix, f.event_id, f.source, f.line_no,
		f.unit, f.node, f.rank, f.stage, f.iteration, f.first_ts, f.occurrences, f.nodes_affected, f.message,
		f.own, f.consequence, f.follows_from,
		@extschema@.l4_severity_rank(f.severity)::float8
			/ CASE WHEN f.follows_from IS NOT NULL OR f.event_role = 'cascade' THEN 2 ELSE 1 END,
		row_number() OVER (ORDER BY f.follows_from IS NOT NULL, f.role <> 'root', f.consequence, f.own DESC, f.ordinality),
		jsonb_build_object('root', (f.event_role IS NOT DISTINCT FROM 'root')::int, 'cause', (f.role = 'root')::int,
			'own', (f.own OR l4_found_faults.suspect IS NULL)::int),
		-- where nobody is suspected what shows late may be the cause all the same
		CASE WHEN f.role = 'root' AND (f.follows_from IS NOT NULL OR f.consequence AND l4_found_faults.suspect IS NOT NULL)
			THEN 'cascade' ELSE f.role END,
		NULLIF(array_remove(f.names, f.fault_key), '{}')
	FROM explained f;
END;
COMMENT ON FUNCTION @extschema@.l4_found_faults(text, @extschema@.l4_unexplained_record[], text, jsonb,
	@extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: the known faults among what is unexplained in a job, their place from 1: root faults before those that follow from '
'others (l4_fault_explains) or that show only in events that follow, those of the suspect before others; then in the order '
'of l4_match_faults. Of several that one text shows there is the first alone, with the keys of the others (also). own: it '
'is of the suspect or names it; consequence: it shows only in what follows, elsewhere; follows_from: keys of the faults '
'that explain it; severity_score: 4 critical to 1 info, half of it for what follows; standing: what it stands on, each 0 '
'or 1: its event is a root (root), the library has it as a cause, not as what follows from one (cause), and it is of the '
'suspect, or nobody is suspected (own); role: what part it plays in this job, root, cascade or confirmation. roles: object '
'of event_id to role.';

CREATE FUNCTION @extschema@.l4_fault_findings(job_id text, unexplained @extschema@.l4_unexplained_record[], suspects text[],
	roles jsonb, limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS TABLE (kind text, ordinal bigint, score double precision, node text, rank int, stage text, iteration bigint,
	event_id bigint, template text,
	first_seen timestamptz, occurrences bigint, nodes_affected bigint, fault_key text, root_cause text, fix text,
		severity text, category text, role text, facts jsonb)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
BEGIN ATOMIC
	SELECT 'fault', f.place, f.severity_score, f.node, f.rank, f.stage,
		COALESCE(f.iteration, @extschema@.l4_job_iteration(l4_fault_findings.job_id, f.first_ts)), f.event_id,
		(SELECT e.template FROM @extschema@.l4_event e WHERE e.event_id = f.event_id), f.first_ts, f.occurrences,
			f.nodes_affected,
		f.fault_key, f.root_cause, f.fix, f.severity, f.category, f.role,
		jsonb_strip_nulls(jsonb_build_object('title', f.title, 'unit', f.unit, 'source', f.source, 'units', z.units,
			'names_suspect', CASE WHEN f.own AND z.units > 1 THEN l4_fault_findings.suspects[1] END,
			'follows_from', f.follows_from, 'consequence', f.consequence, 'standing', f.standing, 'also', f.also,
			'code_line', @extschema@.l4_code_line(f.message),
			'quotes', @extschema@.l4_quotes(f.source, f.line_no, f.message)))
	FROM @extschema@.l4_found_faults(l4_fault_findings.job_id, l4_fault_findings.unexplained, l4_fault_findings.suspects[1],
		l4_fault_findings.roles, limits, wordings) f
	CROSS JOIN (SELECT count(*) AS units FROM @extschema@.l4_job_units(l4_fault_findings.job_id)) z;
END;
COMMENT ON FUNCTION @extschema@.l4_fault_findings(text, @extschema@.l4_unexplained_record[], text[], jsonb,
	@extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: the known faults among what is unexplained in a job (l4_found_faults), as columns of l4_finding of the same names. '
'suspects: suspected nodes in order; roles: object of event_id to role (root, cascade, context).';

CREATE FUNCTION @extschema@.l4_suspect_quotes(job_id text, suspects @extschema@.l4_suspect_node[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings) RETURNS TABLE (ordinal int, quotes jsonb)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
BEGIN ATOMIC
	-- of a third of the nodes of a large job there are hundreds: their records are read at once
	WITH piece AS MATERIALIZED (
		SELECT s.ordinal, e.stream_id, e.line_no, min(e.number) AS number
		FROM unnest(l4_suspect_quotes.suspects) s
		CROSS JOIN LATERAL unnest(s.evidence) WITH ORDINALITY e (unit, node, rank, kind, part, weight, limit_name, numbers,
			shape_id, stream_id, line_no, first_ts, number)
		WHERE e.line_no IS NOT NULL AND e.number <= (limits).evidence_quotes
		GROUP BY s.ordinal, e.stream_id, e.line_no
	),
	text AS MATERIALIZED (
		SELECT t.stream_id, t.line_no, @extschema@.l4_quotes(t.source, t.line_no, t.raw) AS quotes
		FROM (SELECT array_agg(p.stream_id) AS stream_ids, array_agg(p.line_no) AS line_nos FROM piece p HAVING count(*) > 0) a
		CROSS JOIN LATERAL @extschema@.l4_record_texts(l4_suspect_quotes.job_id, a.stream_ids, a.line_nos, wordings) t
	)
	SELECT p.ordinal, jsonb_agg(q.quote ORDER BY p.number, q.number)
	FROM piece p
	JOIN text t ON t.stream_id = p.stream_id AND t.line_no = p.line_no
	CROSS JOIN LATERAL jsonb_array_elements(t.quotes) WITH ORDINALITY q (quote, number)
	GROUP BY p.ordinal;
END;
COMMENT ON FUNCTION @extschema@.l4_suspect_quotes(text, @extschema@.l4_suspect_node[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: what to quote for suspected nodes (by their ordinals): the records of the strongest pieces of evidence, as far as these '
'have one. No row where none has.';

CREATE FUNCTION @extschema@.l4_evidence_facts(evidence @extschema@.l4_evidence[]) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	-- A statement is named by its text too: a saved diagnosis outlives the shapes of its job. By its key: as a join all shapes
	-- of the database would be read for each suspect.
	SELECT jsonb_agg(to_jsonb(e) || jsonb_build_object('numbers', e.numbers || jsonb_strip_nulls(jsonb_build_object(
		'gist', @extschema@.l4_text_gist(h.shape),
		'parameter', @extschema@.l4_parameter_label(h.shape, (e.numbers ->> 'position')::int))))
		ORDER BY n.number)
	FROM generate_subscripts(l4_evidence_facts.evidence, 1) n (number)
	CROSS JOIN LATERAL (SELECT (l4_evidence_facts.evidence[n.number]).*) e
	CROSS JOIN LATERAL (SELECT (SELECT s.shape FROM @extschema@.l4_shape s WHERE s.shape_id = e.shape_id) AS shape OFFSET 0) h;
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_facts(@extschema@.l4_evidence[]) IS
'Step: evidence as facts of a finding: rows of l4_evidence as a JSON array, in their order, with the gist of the statement '
'and the name of the parameter that each is about among its numbers.';

CREATE FUNCTION @extschema@.l4_node_findings(job_id text, unexplained @extschema@.l4_unexplained_record[],
	suspects @extschema@.l4_suspect_node[], limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS TABLE (kind text, ordinal int, score double precision, node text, rank int, stage text, iteration bigint,
	first_seen timestamptz, nodes_affected int, facts jsonb)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
BEGIN ATOMIC
	WITH said AS MATERIALIZED (
		SELECT DISTINCT ON (r.unit) r.unit, r.stage, r.iteration FROM unnest(l4_node_findings.unexplained) r
		WHERE r.kind = 'rank' AND NOT r.role AND r.unit IN (SELECT s.unit FROM unnest(l4_node_findings.suspects) s)
		ORDER BY r.unit, r.first_ts, r.first_line, r.stream_id, r.shape_id
	)
	SELECT 'node', s.ordinal, s.score, s.node, s.rank, o.stage,
		COALESCE(o.iteration, @extschema@.l4_job_iteration(l4_node_findings.job_id, s.first_ts)), s.first_ts, 1,
		jsonb_strip_nulls(jsonb_build_object('unit', s.unit, 'standing', s.standing,
			'peer', (SELECT min(e.numbers ->> 'peer') FROM unnest(s.evidence) e WHERE e.kind IN ('link', 'between')),
			'reasons', @extschema@.l4_evidence_facts(s.evidence), 'quotes', q.quotes))
	FROM unnest(l4_node_findings.suspects) s
	LEFT JOIN said o ON o.unit = s.unit
	LEFT JOIN @extschema@.l4_suspect_quotes(l4_node_findings.job_id, l4_node_findings.suspects, limits, wordings) q
		ON q.ordinal = s.ordinal;
END;
COMMENT ON FUNCTION @extschema@.l4_node_findings(text, @extschema@.l4_unexplained_record[], @extschema@.l4_suspect_node[],
	@extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: suspected nodes as columns of l4_finding of the same names; facts: unit, standing (l4_node_standing), peer (the other '
'end of a bad link), reasons (the evidence, strongest first), quotes.';
