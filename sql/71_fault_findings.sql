/* Known faults as findings, and suspected nodes as findings. */

CREATE FUNCTION @extschema@.l4_names_unit(message text, unit text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN message ~ ('\m' || regexp_replace(unit, '\W', '.', 'g') || '\M');
COMMENT ON FUNCTION @extschema@.l4_names_unit(text, text) IS 'Step: does a message name a node (or a rank) as a whole word?';

CREATE FUNCTION @extschema@.l4_found_faults(job_id text, news @extschema@.l4_news_record[], suspect text, roles jsonb)
RETURNS TABLE (fault_key text, title text, category text, severity text, root_cause text, fix text, event_id bigint, source text, line_no bigint,
	node text, rank int, stage text, iteration bigint, first_ts timestamptz, occurrences bigint, nodes_affected bigint, message text,
	own boolean, consequence boolean, follows_from text[], severity_score double precision, place bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
BEGIN ATOMIC
	WITH found AS MATERIALIZED (
		SELECT f.*, COALESCE(f.node = l4_found_faults.suspect, @extschema@.l4_names_unit(f.message, l4_found_faults.suspect), false) AS own,
			l4_found_faults.roles ->> f.event_id::text AS event_role,
			row_number() OVER (PARTITION BY f.event_id ORDER BY f.ordinality) AS turn
		FROM @extschema@.l4_match_faults(l4_found_faults.job_id, l4_found_faults.news) WITH ORDINALITY f
	), explained AS (
		-- a fault that only shows in what follows explains no root
		SELECT f.*, (
			SELECT array_agg(k.fault_key ORDER BY k.place)
			FROM unnest(f.explained_by) WITH ORDINALITY k (fault_key, place) JOIN found o ON o.fault_key = k.fault_key
			WHERE f.event_role IS DISTINCT FROM 'root' OR o.event_role IS DISTINCT FROM 'cascade') AS follows_from
		FROM found f
	)
	-- What follows from another fault or from the failure comes late, and of several faults that one event shows only the first comes early.
	SELECT f.fault_key, f.title, f.category, f.severity, f.root_cause, f.fix, f.event_id, f.source, f.line_no,
		f.node, f.rank, f.stage, f.iteration, f.first_ts, f.occurrences, f.nodes_affected, f.message,
		f.own, COALESCE(f.event_role = 'cascade' AND NOT f.own, false), f.follows_from,
		(5 - array_position(ARRAY['critical', 'error', 'warning', 'info'], f.severity))::float8
			/ CASE WHEN f.follows_from IS NOT NULL OR f.event_role = 'cascade' OR f.turn > 1 THEN 2 ELSE 1 END,
		row_number() OVER (ORDER BY f.turn > 1, f.follows_from IS NOT NULL, f.role <> 'root', f.event_role = 'cascade' AND NOT f.own, f.own DESC,
			f.ordinality)
	FROM explained f;
END;
COMMENT ON FUNCTION @extschema@.l4_found_faults(text, @extschema@.l4_news_record[], text, jsonb) IS
'Step: the known faults among the news of a job, their place from 1: root faults before those that follow from others (l4_fault_explains) or that show only in events that follow, those of the suspect before others, several faults of one event behind the first of each; then in the order of l4_match_faults. own: it is of the suspect or names it; consequence: it shows only in what follows, elsewhere; follows_from: keys of the faults that explain it; severity_score: 4 critical to 1 info, half of it for what follows. roles: object of event_id to role.';

CREATE FUNCTION @extschema@.l4_fault_findings(job_id text, news @extschema@.l4_news_record[], suspects text[], roles jsonb)
RETURNS TABLE (kind text, ordinal bigint, score double precision, node text, rank int, stage text, iteration bigint, event_id bigint, template text,
	first_seen timestamptz, occurrences bigint, nodes_affected bigint, fault_key text, root_cause text, fix text, severity text, category text, facts jsonb)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
BEGIN ATOMIC
	WITH size AS (
		SELECT count(*) AS nodes FROM @extschema@.l4_job_units(l4_fault_findings.job_id)
	)
	SELECT 'fault', f.place, f.severity_score, @extschema@.l4_node_name(f.node), f.rank, f.stage,
		COALESCE(f.iteration, @extschema@.l4_job_iteration(l4_fault_findings.job_id, f.first_ts)), f.event_id,
		(SELECT e.template FROM @extschema@.l4_event e WHERE e.event_id = f.event_id), f.first_ts, f.occurrences, f.nodes_affected,
		f.fault_key, f.root_cause, f.fix, f.severity, f.category,
		jsonb_strip_nulls(jsonb_build_object('title', f.title, 'unit', f.node, 'source', f.source, 'nodes', z.nodes,
			'names_suspect', CASE WHEN f.own AND z.nodes > 1 THEN l4_fault_findings.suspects[1] END,
			'follows_from', f.follows_from, 'consequence', f.consequence, 'quotes', @extschema@.l4_quotes(f.source, f.line_no, f.message)))
	FROM @extschema@.l4_found_faults(l4_fault_findings.job_id, l4_fault_findings.news, l4_fault_findings.suspects[1], l4_fault_findings.roles) f
	CROSS JOIN size z;
END;
COMMENT ON FUNCTION @extschema@.l4_fault_findings(text, @extschema@.l4_news_record[], text[], jsonb) IS
'Step: the known faults among the news of a job (l4_found_faults), as columns of l4_finding of the same names. suspects: suspected nodes in order; roles: object of event_id to role (root, cascade, context).';

CREATE FUNCTION @extschema@.l4_evidence_quotes(job_id text, evidence @extschema@.l4_node_evidence_record[]) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH piece AS MATERIALIZED (
		SELECT e.stream_id, e.line_no, e.number
		FROM unnest(l4_evidence_quotes.evidence) WITH ORDINALITY e (node, rank, reason, weight, first_ts, stream_id, line_no, explanation, number)
		WHERE e.line_no IS NOT NULL
	)
	SELECT jsonb_agg(q.quote ORDER BY (SELECT min(p.number) FROM piece p WHERE p.stream_id = t.stream_id AND p.line_no = t.line_no), q.number)
	FROM @extschema@.l4_record_texts(l4_evidence_quotes.job_id, ARRAY(SELECT p.stream_id FROM piece p WHERE p.number <= 4),
		ARRAY(SELECT p.line_no FROM piece p WHERE p.number <= 4)) t
	CROSS JOIN LATERAL jsonb_array_elements(@extschema@.l4_quotes(t.source, t.line_no, t.raw)) WITH ORDINALITY q (quote, number);
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_quotes(text, @extschema@.l4_node_evidence_record[]) IS
'Step: what to quote for a suspected node: the record of each of the four strongest pieces of evidence that have one.';

CREATE FUNCTION @extschema@.l4_node_findings(job_id text, news @extschema@.l4_news_record[], suspects @extschema@.l4_suspect_node[])
RETURNS TABLE (kind text, ordinal int, score double precision, node text, rank int, stage text, iteration bigint, first_seen timestamptz,
	nodes_affected int, facts jsonb)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
BEGIN ATOMIC
	SELECT 'node', s.ordinal, s.score, @extschema@.l4_node_name(s.node),
		COALESCE(s.rank, substring(s.node, '^rank (\d+)$')::int), o.stage,
		COALESCE(o.iteration, @extschema@.l4_job_iteration(l4_node_findings.job_id, s.first_ts)), s.first_ts, 1,
		jsonb_strip_nulls(jsonb_build_object('unit', s.node, 'reasons', to_jsonb(s.evidence),
			'quotes', @extschema@.l4_evidence_quotes(l4_node_findings.job_id, s.evidence)))
	FROM unnest(l4_node_findings.suspects) s
	LEFT JOIN LATERAL (
		SELECT r.stage, r.iteration FROM unnest(l4_node_findings.news) r
		WHERE r.node = s.node AND r.kind = 'rank' AND NOT r.role
		ORDER BY r.first_ts, r.first_line LIMIT 1) o ON true;
END;
COMMENT ON FUNCTION @extschema@.l4_node_findings(text, @extschema@.l4_news_record[], @extschema@.l4_suspect_node[]) IS
'Step: suspected nodes as columns of l4_finding of the same names; facts: unit, reasons (the evidence, strongest first), quotes.';
