/*
 * What to do after a diagnosis: the facts that decide, and the first rule of l4_advice_rule that they satisfy. Words come last.
 */

CREATE FUNCTION @extschema@.l4_place_of(own boolean, nodes_affected bigint, units bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN own THEN 'suspect' WHEN nodes_affected = 1 THEN 'one' WHEN nodes_affected BETWEEN 1 AND units - 1 THEN 'some'
	ELSE 'all' END;
COMMENT ON FUNCTION @extschema@.l4_place_of(boolean, bigint, bigint) IS
'Step: Where something shows, in a word: suspect, one, some or all (also where it is of no node), as in l4_advice_rule.';

CREATE TYPE @extschema@.l4_advice_fact AS (
	status text,
	suspect text,
	suspect_confidence double precision,
	evidence text,
	fault_ordinal int,
	fault_key text,
	title text,
	role text,
	category text,
	subtype text,
	severity text,
	recovery text,
	fault_confidence double precision,
	place text,
	fault_node text,
	fix text,
	event_ordinal int,
	event_place text,
	event_node text,
	code_line text,
	look_first text[],
	others text[],
	ended_normally boolean,
	lossy boolean
);
COMMENT ON TYPE @extschema@.l4_advice_fact IS
'What decides over the advice: the status of the job; the suspect, where one stands out, with its confidence and the kind of '
'the strongest evidence; the known fault that the diagnosis is about (where there is a suspect: one that it shows) with its '
'part, place (l4_place_of) and node; the first root event; the line of the user''s code that either names; units to look at '
'first where no suspect stands out, and further suspects; whether all ended normally (l4_ended_normally); and whether a '
'counter of what gets lost between machines speaks against the suspect (wordings of class lossy).';

CREATE FUNCTION @extschema@.l4_advice_facts(job_id text, findings @extschema@.l4_finding[]) RETURNS @extschema@.l4_advice_fact
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT COALESCE((SELECT j.status FROM @extschema@.l4_job_row(l4_advice_facts.job_id) j), 'unknown'),
		n.unit, n.confidence, n.evidence,
		f.ordinal, f.fault_key, f.title, f.role, f.category, f.subtype, f.severity, f.recovery, f.confidence,
		CASE WHEN f.ordinal IS NOT NULL
			THEN @extschema@.l4_place_of(f.own AND n.unit IS NOT NULL, f.nodes_affected, z.units) END,
		CASE WHEN f.nodes_affected = 1 THEN f.unit END, f.fix,
		e.ordinal, CASE WHEN e.ordinal IS NOT NULL
			THEN @extschema@.l4_place_of((e.facts -> 'of_suspect')::boolean AND n.unit IS NOT NULL, e.nodes_affected,
				z.units) END,
		CASE WHEN e.nodes_affected = 1 THEN @extschema@.l4_finding_unit(e) END,
		COALESCE(f.code_line, CASE WHEN f.ordinal IS NULL OR n.unit IS NULL THEN e.facts ->> 'code_line' END),
		w.units, (@extschema@.l4_report_suspects(l4_advice_facts.findings))[2:5],
		@extschema@.l4_ended_normally(l4_advice_facts.findings),
		EXISTS (SELECT FROM jsonb_array_elements(n.reasons) r WHERE CASE WHEN r ->> 'kind' = 'counter'
			-- looked up only where it is asked for
			THEN r #>> '{numbers,parameter}' ~ (SELECT w.lossy FROM @extschema@.l4_wordings_in_force() w) END)
	FROM (SELECT @extschema@.l4_report_look_first(l4_advice_facts.findings) AS units,
		(SELECT count(*) FROM @extschema@.l4_job_units(l4_advice_facts.job_id)) AS nodes OFFSET 0) w
	LEFT JOIN LATERAL (
		SELECT @extschema@.l4_finding_unit(s) AS unit, s.confidence, s.facts #>> '{reasons,0,kind}' AS evidence,
			s.facts -> 'reasons' AS reasons
		FROM unnest(l4_advice_facts.findings) s WHERE s.kind = 'node' AND s.ordinal = 1 AND w.units IS NULL) n ON true
	LEFT JOIN unnest(l4_advice_facts.findings) e ON e.kind = 'event' AND e.ordinal = 1 AND e.role = 'root'
	-- a fault that the suspect does not show decides nothing
	LEFT JOIN @extschema@.l4_report_fault(l4_advice_facts.findings) f ON n.unit IS NULL OR f.own OR f.of_suspect
	CROSS JOIN LATERAL (SELECT w.nodes AS units) z;
END;
COMMENT ON FUNCTION @extschema@.l4_advice_facts(text, @extschema@.l4_finding[]) IS
'Step: what decides over the advice, of the findings of a job.';

CREATE FUNCTION @extschema@.l4_is_about_fault(rule @extschema@.l4_advice_rule_in_force) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN COALESCE(rule.roles, rule.fault_keys, rule.categories, rule.subtypes, rule.severities, rule.recoveries, rule.places)
	IS NOT NULL;
COMMENT ON FUNCTION @extschema@.l4_is_about_fault(@extschema@.l4_advice_rule_in_force) IS
'Step: does a rule of advice have a condition on the known fault?';

CREATE FUNCTION @extschema@.l4_advice_rule_of(facts @extschema@.l4_advice_fact)
RETURNS SETOF @extschema@.l4_advice_rule_in_force
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	SELECT r.*
	FROM (SELECT (l4_advice_rule_of.facts).*) f
	JOIN @extschema@.l4_advice_rule_in_force r
		ON (r.statuses IS NULL OR f.status = ANY (r.statuses))
		AND (r.suspected IS NULL OR r.suspected = (f.suspect IS NOT NULL))
		AND (r.evidence IS NULL OR f.evidence = ANY (r.evidence))
		AND (r.roles IS NULL OR f.role = ANY (r.roles))
		AND (r.fault_keys IS NULL OR f.fault_key = ANY (r.fault_keys))
		AND (r.categories IS NULL OR f.category = ANY (r.categories))
		AND (r.subtypes IS NULL OR f.subtype = ANY (r.subtypes))
		AND (r.severities IS NULL OR f.severity = ANY (r.severities))
		AND (r.recoveries IS NULL OR f.recovery = ANY (r.recoveries))
		AND (r.places IS NULL OR f.place = ANY (r.places))
		AND (r.event_places IS NULL OR f.event_place = ANY (r.event_places))
		AND (r.has_code_line IS NULL OR r.has_code_line = (f.code_line IS NOT NULL))
		AND (r.ended_normally IS NULL OR r.ended_normally = f.ended_normally)
		AND (r.lossy IS NULL OR r.lossy = f.lossy)
		AND (r.least_confidence IS NULL OR r.least_confidence
			<= CASE WHEN @extschema@.l4_is_about_fault(r) THEN f.fault_confidence ELSE f.suspect_confidence END)
	ORDER BY r.priority, r.builtin, r.name COLLATE "C"
	LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_advice_rule_of(@extschema@.l4_advice_fact) IS
'Step: the first rule in force whose conditions the facts of a diagnosis (l4_advice_facts) satisfy; no row where none does.';

CREATE FUNCTION @extschema@.l4_restart_advice(job_id text, findings @extschema@.l4_finding[] DEFAULT NULL)
RETURNS TABLE (action text, target text, advice text, reason text, finding_kind text, finding_ordinal int, rule text,
	fault_key text, code_line text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 1
BEGIN ATOMIC
	WITH given AS MATERIALIZED (
		SELECT COALESCE(l4_restart_advice.findings, @extschema@.l4_report_findings(l4_restart_advice.job_id)) AS findings
	), deciding AS MATERIALIZED (
		SELECT g.findings, @extschema@.l4_advice_facts(l4_restart_advice.job_id, g.findings) AS facts FROM given g
	), decided AS MATERIALIZED (
		SELECT d.findings, (d.facts).*, COALESCE(r.action, 'look') AS action, r.reason, r.name AS rule,
			CASE WHEN r.action = 'none' THEN NULL
				WHEN @extschema@.l4_is_about_fault(r) THEN 'fault'
				WHEN (d.facts).suspect IS NOT NULL THEN 'node'
				WHEN r.event_places IS NOT NULL THEN 'event' END AS rests_on
		FROM deciding d LEFT JOIN LATERAL @extschema@.l4_advice_rule_of(d.facts) r ON true
	), placed AS (
		SELECT d.*, CASE
			WHEN d.action IN ('none', 'watch', 'wait', 'restart') THEN NULL
			WHEN d.suspect IS NOT NULL THEN d.suspect
			WHEN d.rests_on = 'fault' AND d.place <> 'all' THEN d.fault_node
			WHEN d.action = 'look' AND d.look_first <> '{}' THEN d.look_first[1]
			WHEN d.rests_on = 'event' THEN d.event_node END AS target,
			CASE d.rests_on WHEN 'fault' THEN d.fault_ordinal WHEN 'node' THEN 1 WHEN 'event' THEN d.event_ordinal END
				AS ordinal
		FROM decided d
	)
	SELECT p.action, p.target, @extschema@.l4_advice_sentence(to_jsonb(p) - 'findings'),
		@extschema@.l4_advice_reason_sentence(to_jsonb(p) - 'findings', @extschema@.l4_report_reasons(p.findings, 3)),
		p.rests_on, p.ordinal, p.rule, CASE WHEN p.rests_on = 'fault' THEN p.fault_key END,
		CASE WHEN p.action = 'user' THEN p.code_line END
	FROM placed p;
END;
COMMENT ON FUNCTION @extschema@.l4_restart_advice(text, @extschema@.l4_finding[]) IS
'What to do after a failure? One row: action (as in l4_advice_rule: none, watch, restart, wait, test, cordon, reset, user, '
'storage, network, look), the node that it is about (target), the advice and its reason in words, the finding it rests on, the '
'rule that says so, the fault, and the line of the user''s code to change. A job that succeeded or still runs is told so. '
'findings: the result of l4_report_findings, where at hand; else the job is diagnosed, with the errors of l4_diagnose.';
