/*
 * What a diagnosis comes to: the suspects and their reasons, the fault that it is about, the verdict in one sentence, where the
 * failure began, the last checkpoint before it, and whether the job may start again. Made from the fields of findings, whose
 * array every function takes; l4_save_diagnosis keeps these answers, the report sets them.
 */

CREATE FUNCTION @extschema@.l4_report_findings(job_id text, use_pool boolean DEFAULT true) RETURNS @extschema@.l4_finding[]
LANGUAGE sql STABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	-- by name, whatever further columns either has
	SELECT ARRAY(SELECT jsonb_populate_record(NULL::@extschema@.l4_finding, to_jsonb(d))
		FROM @extschema@.l4_diagnose(l4_report_findings.job_id, l4_report_findings.use_pool) d);
END;
COMMENT ON FUNCTION @extschema@.l4_report_findings(text, boolean) IS
'Step: The rows of l4_diagnose as an array of rows of l4_finding (job_id and saved_at NULL). Errors as l4_diagnose.';

CREATE FUNCTION @extschema@.l4_report_suspects(findings @extschema@.l4_finding[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT ARRAY(SELECT COALESCE(f.facts ->> 'unit', f.node, 'rank ' || f.rank) FROM unnest(l4_report_suspects.findings) f
		WHERE f.kind = 'node' ORDER BY f.ordinal LIMIT 16);
END;
COMMENT ON FUNCTION @extschema@.l4_report_suspects(@extschema@.l4_finding[]) IS
'Step: The suspected nodes of a diagnosis, in order, at most 16.';

CREATE FUNCTION @extschema@.l4_report_fault(findings @extschema@.l4_finding[])
RETURNS TABLE (ordinal int, fault_key text, title text, category text, subtype text, severity text, node text,
	nodes_affected int, root_cause text, fix text, own boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
	-- The first fault; where a node is suspected, rather one that shows on it alone, or in a log of no node, than what all
	-- suffer from; but not what only follows from a failure, such as being told to end.
	SELECT f.ordinal, f.fault_key, COALESCE(l.title, f.facts ->> 'title', f.explanation), COALESCE(l.category, f.category),
		l.subtype, COALESCE(l.severity, f.severity),
		f.node, f.nodes_affected, f.root_cause, f.fix, f.alone AND COALESCE(l.role, 'root') = 'root'
	FROM (
		SELECT f.*, s.node IS NOT NULL AND f.nodes_affected <= 1 AND COALESCE(f.node, s.node) = s.node AS alone
		FROM unnest(l4_report_fault.findings) f
		LEFT JOIN unnest(l4_report_fault.findings) s ON s.kind = 'node' AND s.ordinal = 1
		WHERE f.kind = 'fault') f
	LEFT JOIN @extschema@.l4_fault_library l ON l.fault_key = f.fault_key
	ORDER BY f.alone AND COALESCE(l.role, 'root') = 'root' DESC, f.ordinal
	LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_report_fault(@extschema@.l4_finding[]) IS
'Step: The known fault that a diagnosis is about, no row where none is known. own: it shows on the first suspected node '
'alone, and may be what the failure began with.';

CREATE FUNCTION @extschema@.l4_report_faults(findings @extschema@.l4_finding[])
RETURNS TABLE (ordinal int, fault_key text, title text, kind text, part text, node text, nodes_affected int,
	occurrences bigint, quote jsonb, root_cause text, fix text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 5
BEGIN ATOMIC
	WITH finding AS (
		SELECT f.* FROM unnest(l4_report_faults.findings) f WHERE f.kind = 'fault'
	),
	explained AS (
		SELECT x.* FROM @extschema@.l4_explained_faults(ARRAY(SELECT f.fault_key FROM finding f)) x
	)
	SELECT f.ordinal, f.fault_key, COALESCE(l.title, f.facts ->> 'title', f.explanation),
		concat_ws(', ', concat_ws('/', l.category, l.subtype), l.severity, @extschema@.l4_confidence_words(f.confidence)),
		CASE WHEN x.fault_key IS NOT NULL THEN 'follows from fault ' || array_to_string(ARRAY(
				SELECT o.ordinal FROM finding o WHERE o.fault_key = ANY (x.explained_by) ORDER BY o.ordinal LIMIT 3), ', ')
			WHEN l.role = 'cascade' THEN 'follows from another failure'
			WHEN l.role = 'confirmation' THEN 'says again what is known otherwise' END,
		f.node, f.nodes_affected, f.occurrences, (f.facts -> 'quotes') -> -1, f.root_cause, f.fix
	FROM finding f
	LEFT JOIN @extschema@.l4_fault_library l ON l.fault_key = f.fault_key
	LEFT JOIN explained x ON x.fault_key = f.fault_key;
END;
COMMENT ON FUNCTION @extschema@.l4_report_faults(@extschema@.l4_finding[]) IS
'Step: The known faults of a diagnosis for reading: what kind each is of and how sure, what part it plays (NULL: it may be '
'what the failure began with) and the last line quoted for it.';

CREATE FUNCTION @extschema@.l4_report_reasons(findings @extschema@.l4_finding[], most int DEFAULT NULL, suspect int DEFAULT 1,
	brief boolean DEFAULT false) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT replace(COALESCE(@extschema@.l4_evidence_sentences(n, most, brief), n.explanation), '<*>', '*')
	FROM unnest(findings) n
	WHERE n.kind = 'node' AND n.ordinal = suspect;
END;
COMMENT ON FUNCTION @extschema@.l4_report_reasons(@extschema@.l4_finding[], int, int, boolean) IS
'Step: Why a suspected node (the first, by default) is suspected, in words: the first so many reasons (NULL: all), brief '
'without the statements that they quote in brackets. NULL where there is no such suspect.';

CREATE FUNCTION @extschema@.l4_report_look_first(findings @extschema@.l4_finding[]) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT CASE
		WHEN n.kind IS NULL THEN ARRAY(SELECT u.unit
			FROM jsonb_array_elements_text(w.facts -> 'look_first') WITH ORDINALITY u (unit, place) ORDER BY u.place)
		WHEN n.confidence < (l.limits).confidence_named
			THEN (@extschema@.l4_report_suspects(l4_report_look_first.findings))[1:(l.limits).look_first_most::int] END
	FROM (SELECT @extschema@.l4_limits_in_force() AS limits OFFSET 0) l
	LEFT JOIN unnest(l4_report_look_first.findings) n ON n.kind = 'node' AND n.ordinal = 1
	LEFT JOIN LATERAL (SELECT o.facts FROM unnest(l4_report_look_first.findings) o WHERE o.facts ? 'look_first' LIMIT 1) w
		ON n.kind IS NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_report_look_first(@extschema@.l4_finding[]) IS
'Step: where no node stands out, those to look at first all the same: the first suspects, where the first is less sure than '
'confidence_named, or those that too little speaks against to name them (facts: look_first); an empty array where there is '
'none of these. NULL where a suspect stands out.';

CREATE FUNCTION @extschema@.l4_report_verdict(findings @extschema@.l4_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT CASE
		WHEN w.units <> '{}' THEN format('No node stands out; look at %s first: %s',
			@extschema@.l4_list_words(w.units), COALESCE(f.title,
				@extschema@.l4_report_reasons(l4_report_verdict.findings, 1, brief => true),
				format('successful jobs do not log "%s"',
					left(replace(@extschema@.l4_telling_line(e.template), '<*>', '*'), 120)),
				'there is a little more evidence against them than against others'))
		WHEN n.kind IS NOT NULL AND f.own THEN format('%s is the suspect: %s', COALESCE(n.node, 'rank ' || n.rank), f.title)
		WHEN n.kind IS NOT NULL THEN format('%s is the suspect: %s', COALESCE(n.node, 'rank ' || n.rank),
			-- the headline does without the statement that a reason names in brackets
			@extschema@.l4_report_reasons(l4_report_verdict.findings, 1, brief => true))
		WHEN f.title IS NOT NULL THEN format('No single node is to blame: %s', f.title)
		WHEN s.place = 'slow' THEN format('No single node is to blame; all became slow: %s',
			lower(rtrim(@extschema@.l4_slow_sentence(d), '.')))
		WHEN e.template IS NOT NULL THEN format('No single node is to blame; the first thing that successful jobs '
			'do not log: %s',
			left(@extschema@.l4_telling_line(e.template), 120))
		ELSE 'Nothing in the logs points at a node, and nothing stands there that successful jobs do not log' END
	FROM (VALUES (1)) one
	LEFT JOIN unnest(l4_report_verdict.findings) n ON n.kind = 'node' AND n.ordinal = 1
	LEFT JOIN unnest(l4_report_verdict.findings) e ON e.kind = 'event' AND e.ordinal = 1
	LEFT JOIN unnest(l4_report_verdict.findings) d ON d.kind = 'slow'
	LEFT JOIN (SELECT i.facts ->> 'place' AS place FROM unnest(l4_report_verdict.findings) i
		WHERE i.kind = 'iteration' AND i.ordinal = 1) s ON true
	LEFT JOIN @extschema@.l4_report_fault(l4_report_verdict.findings) f ON true
	CROSS JOIN LATERAL (SELECT @extschema@.l4_report_look_first(l4_report_verdict.findings) AS units OFFSET 0) w;
END;
COMMENT ON FUNCTION @extschema@.l4_report_verdict(@extschema@.l4_finding[]) IS
'Step: A diagnosis in one sentence: the suspect and why; where none stands out, which nodes to look at first, if any.';

CREATE FUNCTION @extschema@.l4_report_began(findings @extschema@.l4_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT NULLIF(concat_ws(', ', 'stage ' || s.stage, 'iteration ' || i.iteration,
		@extschema@.l4_time_text(COALESCE(s.first_seen, i.first_seen, e.first_seen))), '')
	FROM (VALUES (1)) one
	LEFT JOIN unnest(l4_report_began.findings) s ON s.kind = 'stage' AND s.ordinal = 1
	LEFT JOIN unnest(l4_report_began.findings) i ON i.kind = 'iteration' AND i.ordinal = 1 AND i.facts ->> 'basis' = 'onset'
	LEFT JOIN unnest(l4_report_began.findings) e ON e.kind = 'event' AND e.ordinal = 1;
END;
COMMENT ON FUNCTION @extschema@.l4_report_began(@extschema@.l4_finding[]) IS
'Step: Where the failure began, in words: stage, iteration, time (in the zone of the session). NULL where none is known.';

CREATE FUNCTION @extschema@.l4_report_checkpoints(job_id text, suspects text[])
RETURNS TABLE (saved_at timestamptz, iteration bigint, source text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 20
BEGIN ATOMIC
	-- All ranks save together, or one does for all: the stream that tells most of saving is read. Summaries tell when it
	-- first did.
	WITH teller AS MATERIALIZED (
		SELECT s.stream_id, s.source_id, s.source
		FROM @extschema@.l4_job_stages(l4_report_checkpoints.job_id) e
		JOIN @extschema@.l4_job_streams(l4_report_checkpoints.job_id) s ON s.stream_id = e.stream_id
		WHERE e.stage = 'checkpoint_save' AND s.byte_count < 256 * 1024 * 1024
		ORDER BY s.kind = 'rank' DESC, s.unit IS NOT DISTINCT FROM l4_report_checkpoints.suspects[1] DESC, e.records DESC,
			s.stream_id
		LIMIT 1
	),
	record AS (
		SELECT t.source, r.stage, COALESCE(r.ts, max(r.ts) OVER w) AS ts, max(r.iteration) OVER w AS iteration,
			lag(r.stage) OVER w AS stage_before
		FROM teller t
		CROSS JOIN LATERAL @extschema@.l4_job_segments(l4_report_checkpoints.job_id, ARRAY[t.source_id]) g
		CROSS JOIN LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids, false) r
		WHERE r.stream_id = t.stream_id AND r.stage IS NOT NULL
		WINDOW w AS (ORDER BY r.line_no, r.part)
	)
	SELECT min(r.ts), r.iteration, min(r.source)
	FROM record r
	WHERE r.stage = 'checkpoint_save' AND r.stage_before IS DISTINCT FROM 'checkpoint_save'
		AND @extschema@.l4_clock_was_set(r.ts)
	GROUP BY r.iteration, CASE WHEN r.iteration IS NULL THEN r.ts END;
END;
COMMENT ON FUNCTION @extschema@.l4_report_checkpoints(text, text[]) IS
'Step: When a job began to save checkpoints, and after which iteration, as one stream tells (a rank''s, rather the first '
'suspect''s). No row where none does. Reads that stream''s file.';

CREATE FUNCTION @extschema@.l4_report_last_save(job_id text, findings @extschema@.l4_finding[])
	RETURNS TABLE (saved_at timestamptz, iteration bigint, iterations_lost bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	-- The last that began before the failure did; where the failure is one of saving, the one before.
	SELECT c.saved_at, c.iteration, i.iteration - c.iteration
	FROM @extschema@.l4_report_checkpoints(l4_report_last_save.job_id,
		@extschema@.l4_report_suspects(l4_report_last_save.findings)) c
	LEFT JOIN unnest(l4_report_last_save.findings) i ON i.kind = 'iteration' AND i.ordinal = 1
	LEFT JOIN unnest(l4_report_last_save.findings) s ON s.kind = 'stage' AND s.ordinal = 1
	WHERE COALESCE(c.saved_at <= s.first_seen, c.iteration < i.iteration, true)
	ORDER BY c.saved_at DESC
	LIMIT 1 OFFSET (SELECT count(*) FROM unnest(l4_report_last_save.findings) f WHERE f.kind = 'stage' AND f.ordinal = 1
		AND f.stage = 'checkpoint_save');
END;
COMMENT ON FUNCTION @extschema@.l4_report_last_save(text, @extschema@.l4_finding[]) IS
'Step: The last checkpoint that a job began to save before its failure began: when, after which iteration, and how many '
'iterations before. No row where none is known. Whether it was completed the logs may not tell.';

CREATE FUNCTION @extschema@.l4_restart_facts(job_id text, findings @extschema@.l4_finding[])
RETURNS TABLE (status text, suspect text, others text, own boolean, known boolean, title text, category text, fix text,
	transient boolean, fault int, node text, nodes_affected int, event int, event_node text, event_nodes int, nodes bigint,
	look_first text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	SELECT (SELECT j.status FROM @extschema@.l4_job j WHERE j.job_id = l4_restart_facts.job_id),
		CASE WHEN w.units IS NULL THEN COALESCE(n.node, 'rank ' || n.rank) END,
		NULLIF(array_to_string((@extschema@.l4_report_suspects(l4_restart_facts.findings))[2:5], ', '), ''),
		f.own, f.fault_key IS NOT NULL, f.title, f.category, f.fix,
		-- scheduling and storage come and go; the library says what is more
		f.subtype IN ('scheduling', 'storage') AND f.severity <> 'critical',
		f.ordinal, f.node, f.nodes_affected, e.ordinal, COALESCE(e.node, 'rank ' || e.rank), e.nodes_affected,
		(SELECT count(*) FROM @extschema@.l4_job_units(l4_restart_facts.job_id)), @extschema@.l4_list_words(w.units)
	FROM (SELECT @extschema@.l4_report_look_first(l4_restart_facts.findings) AS units OFFSET 0) w
	LEFT JOIN unnest(l4_restart_facts.findings) n ON n.kind = 'node' AND n.ordinal = 1
	LEFT JOIN unnest(l4_restart_facts.findings) e ON e.kind = 'event' AND e.ordinal = 1
	LEFT JOIN @extschema@.l4_report_fault(l4_restart_facts.findings) f ON true;
END;
COMMENT ON FUNCTION @extschema@.l4_restart_facts(text, @extschema@.l4_finding[]) IS
'Step: what decides whether a job may start again, one row: its status, the first suspect (NULL where none stands out, and '
'look_first says where to look) and the others, the fault that '
'the diagnosis is about (own: of the suspect; transient: it passes by itself), and the first event, with the nodes that '
'each shows on.';

CREATE FUNCTION @extschema@.l4_restart_advice(job_id text, findings @extschema@.l4_finding[] DEFAULT NULL)
RETURNS TABLE (action text, target text, advice text, reason text, finding_kind text, finding_ordinal int)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 1
BEGIN ATOMIC
	WITH given AS MATERIALIZED (
		SELECT COALESCE(l4_restart_advice.findings, @extschema@.l4_report_findings(l4_restart_advice.job_id)) AS findings
	)
	-- the first that holds
	SELECT r.action, r.target, r.advice, r.reason, r.finding_kind, r.finding_ordinal
	FROM given g
	CROSS JOIN LATERAL @extschema@.l4_restart_facts(l4_restart_advice.job_id, g.findings) f
	CROSS JOIN LATERAL (VALUES
		(1, f.status = 'succeeded', 'none', NULL, 'Nothing to restart', 'The job succeeded.', NULL, NULL::int),
		(2, f.suspect IS NOT NULL, 'replace', f.suspect, format('Replace %s first, then restart', f.suspect),
			CASE
				WHEN f.own AND f.category IN ('user', 'framework')
					THEN format('The evidence points at %s, where the logs show: %s. Should it fail again on another node, '
						'the job itself is the cause: %s', f.suspect, f.title, f.fix)
				WHEN f.own THEN format('The evidence points at %s, and the logs show: %s. %s', f.suspect, f.title, f.fix)
				ELSE format('The evidence points at %s: %s.', f.suspect, @extschema@.l4_report_reasons(g.findings, 3)) END
				|| COALESCE(' Suspected too, less: ' || f.others || '.', ''),
			'node', 1),
		(3, f.known AND f.category IN ('hardware', 'platform') AND f.transient IS NOT TRUE AND f.node IS NOT NULL
			AND f.nodes_affected <= 1 AND f.nodes > 1, 'replace', f.node, format('Replace %s first, then restart', f.node),
			format('A %s fault shows on %s alone: %s. %s', f.category, f.node, f.title, f.fix), 'fault', f.fault),
		(4, f.known AND f.category IN ('hardware', 'platform') AND f.transient, 'restart', NULL, 'Restart as is',
			format('The fault passes by itself, and no node is blamed: %s. Should it come again: %s', f.title, f.fix), 'fault',
				f.fault),
		(5, f.known AND f.category IN ('hardware', 'platform'), 'fix', f.title,
			'Do not restart before operators have checked what all nodes share',
			format('A %s fault that no single node explains: %s. %s', f.category, f.title, f.fix), 'fault', f.fault),
		(6, f.known, 'fix', f.title, format('Do not restart before the user has fixed: %s', f.title),
			format('A %s fault that no single node explains; started again as it is, the job fails again. %s', f.category,
				f.fix), 'fault', f.fault),
		(7, f.event IS NOT NULL AND f.event_nodes * 2 > f.nodes, 'fix', 'event 1',
			'Do not restart before someone has read event 1',
			format('%s of %s nodes log it alike, successful jobs do not, and the library does not know it: most likely the job '
				'fails again.', f.event_nodes, f.nodes), 'event', 1),
		(8, f.event IS NOT NULL, 'restart', NULL, 'Restart as is, and watch',
			format('No known fault, and not enough evidence against any node%s%s.', '; the most telling event is on '
				|| f.event_node, '; look at ' || f.look_first || ' first'), 'event', 1),
		(9, true, 'restart', NULL, 'Restart as is, and watch',
			format('The logs hold %s against any node and no known fault%s.',
				CASE WHEN f.look_first IS NULL THEN 'nothing' ELSE 'not enough' END,
				'; look at ' || f.look_first || ' first'), NULL, NULL)
	) r (turn, holds, action, target, advice, reason, finding_kind, finding_ordinal)
	WHERE r.holds
	ORDER BY r.turn
	LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_restart_advice(text, @extschema@.l4_finding[]) IS
'May the job be started again? One row: action (restart: as is; replace: the node "target" first; fix: not before "target" '
'is seen to; none: it succeeded), the advice and its reason in words, and the finding it rests on. findings: the result of '
'l4_report_findings, where at hand; else the job is diagnosed, with the errors of l4_diagnose.';
