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

CREATE FUNCTION @extschema@.l4_finding_unit(finding @extschema@.l4_finding) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN COALESCE(finding.facts ->> 'unit', finding.node, 'rank ' || finding.rank);
COMMENT ON FUNCTION @extschema@.l4_finding_unit(@extschema@.l4_finding) IS
'Step: the unit that a finding is about: a node, or "rank 7" of which no node is known; NULL where it is of none.';

CREATE FUNCTION @extschema@.l4_report_suspects(findings @extschema@.l4_finding[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT ARRAY(SELECT @extschema@.l4_finding_unit(f) FROM unnest(l4_report_suspects.findings) f
		WHERE f.kind = 'node' ORDER BY f.ordinal LIMIT 16);
END;
COMMENT ON FUNCTION @extschema@.l4_report_suspects(@extschema@.l4_finding[]) IS
'Step: The suspected nodes of a diagnosis, in order, at most 16.';

CREATE FUNCTION @extschema@.l4_report_fault(findings @extschema@.l4_finding[])
RETURNS TABLE (ordinal int, fault_key text, title text, category text, subtype text, severity text, node text,
	nodes_affected int, root_cause text, fix text, own boolean, role text, recovery text, confidence double precision,
	unit text, code_line text, of_suspect boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
	-- The first fault; where a node is suspected, rather one that shows on it alone, or in a log of no node, than what all
	-- suffer from; but not what only follows from a failure, such as being told to end.
	SELECT f.ordinal, f.fault_key, COALESCE(l.title, f.facts ->> 'title', f.explanation), COALESCE(l.category, f.category),
		l.subtype, COALESCE(l.severity, f.severity), f.node, f.nodes_affected, f.root_cause, f.fix, f.alone AND p.role = 'root',
		p.role, l.recovery, f.confidence, f.unit, f.facts ->> 'code_line',
		f.alone OR f.facts ? 'names_suspect' OR EXISTS (SELECT FROM unnest(l4_report_fault.findings) e WHERE e.kind = 'event'
			AND e.event_id = f.event_id AND e.role = 'root' AND (e.facts -> 'of_suspect')::boolean)
	FROM (
		SELECT f.*, @extschema@.l4_finding_unit(f) AS unit,
			s.kind IS NOT NULL AND f.nodes_affected <= 1 AND COALESCE(f.facts ->> 'unit', f.node, s.node) = COALESCE(
			s.facts ->> 'unit', s.node) AS alone
		FROM unnest(l4_report_fault.findings) f
		LEFT JOIN unnest(l4_report_fault.findings) s ON s.kind = 'node' AND s.ordinal = 1
		WHERE f.kind = 'fault') f
	LEFT JOIN @extschema@.l4_fault_library l ON l.fault_key = f.fault_key
	-- findings that were saved before 0.2 have no role
	CROSS JOIN LATERAL (SELECT COALESCE(f.role, l.role, 'root') AS role) p
	ORDER BY f.alone AND p.role = 'root' DESC, p.role = 'root' DESC, f.ordinal
	LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_report_fault(@extschema@.l4_finding[]) IS
'Step: The known fault that a diagnosis is about, no row where none is known. own: it shows on the first suspected node '
'alone, and may be what the failure began with; role: the part it plays in this job; code_line: the line of the user''s code '
'that it names; of_suspect: that node shows it, too, or it names that node.';

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
			WHEN l.role = 'cascade' OR f.role = 'cascade' THEN 'follows from another failure'
			WHEN l.role = 'confirmation' THEN 'a further sign of the failure' END,
		f.node, f.nodes_affected, f.occurrences, (f.facts -> 'quotes') -> -1,
		CASE WHEN p.cause THEN f.root_cause END, CASE WHEN p.cause THEN f.fix END
	FROM finding f
	LEFT JOIN @extschema@.l4_fault_library l ON l.fault_key = f.fault_key
	LEFT JOIN explained x ON x.fault_key = f.fault_key
	CROSS JOIN LATERAL (SELECT x.fault_key IS NULL AND COALESCE(l.role, 'root') = 'root' AND f.role IS DISTINCT FROM 'cascade'
		-- of what merely follows the first stands for a cause that is not known
		OR f.ordinal = 1 AND NOT EXISTS (SELECT FROM finding o WHERE COALESCE(o.role, 'root') = 'root') AS cause) p
	ORDER BY f.ordinal;
END;
COMMENT ON FUNCTION @extschema@.l4_report_faults(@extschema@.l4_finding[]) IS
'Step: The known faults of a diagnosis for reading: what kind each is of and how sure, what part it plays (NULL: it may be '
'what the failure began with) and the last line quoted for it, in the order of the diagnosis. What follows has no cause and no '
'fix of its own.';

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

CREATE FUNCTION @extschema@.l4_report_reason_list(findings @extschema@.l4_finding[], suspect int DEFAULT 1)
RETURNS TABLE (place int, against boolean, told text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 4
BEGIN ATOMIC
	WITH reason AS (
		SELECT r.number, jsonb_populate_record(NULL::@extschema@.l4_evidence, r.reason) AS evidence
		FROM unnest(findings) n
		CROSS JOIN LATERAL jsonb_array_elements(n.facts -> 'reasons') WITH ORDINALITY r (reason, number)
		WHERE n.kind = 'node' AND n.ordinal = suspect
	),
	told AS (
		SELECT false AS against, r.number, @extschema@.l4_evidence_sentence(r.evidence) AS told FROM reason r
		UNION ALL
		SELECT true, r.number, @extschema@.l4_doubt_sentence(r.evidence) FROM reason r
		UNION ALL
		SELECT true, 1000, format('the known fault "%s" shows on all nodes', f.title)
		FROM @extschema@.l4_report_fault(findings) f
		JOIN unnest(findings) g ON g.kind = 'fault' AND g.ordinal = f.ordinal
		WHERE f.role = 'root' AND f.nodes_affected > 1 AND f.nodes_affected = (g.facts -> 'units')::int
			AND EXISTS (SELECT FROM reason)
		UNION ALL
		-- of a diagnosis that was saved before there were facts
		SELECT false, 1, n.explanation FROM unnest(findings) n
		WHERE n.kind = 'node' AND n.ordinal = suspect AND n.explanation IS NOT NULL AND NOT EXISTS (SELECT FROM reason)
	)
	SELECT row_number() OVER (ORDER BY t.against, min(t.number), t.told)::int, t.against, replace(t.told, '<*>', '*')
	FROM told t WHERE t.told IS NOT NULL GROUP BY t.against, t.told;
END;
COMMENT ON FUNCTION @extschema@.l4_report_reason_list(@extschema@.l4_finding[], int) IS
'Step: Why a suspected node (the first, by default) is suspected, in words, a row a reason, strongest first, and behind them '
'what speaks against it. No row where there is no such suspect.';

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

CREATE FUNCTION @extschema@.l4_ended_normally(findings @extschema@.l4_finding[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT EXISTS (SELECT FROM unnest(l4_ended_normally.findings) f
		WHERE f.kind = 'stage' AND f.facts ->> 'place' = 'finished');
END;
COMMENT ON FUNCTION @extschema@.l4_ended_normally(@extschema@.l4_finding[]) IS
'Step: does a diagnosis say that the job ended normally: all ranks did their work, and nothing speaks of a failure?';

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
		WHEN n.kind IS NOT NULL AND f.own AND f.category IN ('user', 'framework')
			THEN format('%s, which %s alone shows', f.title, COALESCE(n.node, 'rank ' || n.rank))
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
		WHEN @extschema@.l4_ended_normally(l4_report_verdict.findings)
			THEN 'No sign of a failure in these logs: the ranks have done all their work'
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

CREATE FUNCTION @extschema@.l4_report_headline(job_id text, findings @extschema@.l4_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT CASE j.status
		WHEN 'succeeded' THEN 'The job succeeded'
			|| CASE WHEN s.says THEN '; its logs show all the same: ' || v.verdict ELSE '' END
		WHEN 'running' THEN 'The job still runs' || CASE WHEN s.says THEN '; so far: ' || v.verdict ELSE '' END
		ELSE v.verdict END
	FROM (SELECT @extschema@.l4_report_verdict(l4_report_headline.findings) AS verdict OFFSET 0) v
	CROSS JOIN (SELECT EXISTS (SELECT FROM unnest(l4_report_headline.findings) f
		WHERE f.kind IN ('node', 'fault', 'event', 'slow')) AS says) s
	LEFT JOIN @extschema@.l4_job_row(l4_report_headline.job_id) j ON true;
END;
COMMENT ON FUNCTION @extschema@.l4_report_headline(text, @extschema@.l4_finding[]) IS
'Step: The verdict on a job (l4_report_verdict), and that it succeeded or still runs, where it does: then nothing is said to '
'have failed.';

CREATE FUNCTION @extschema@.l4_report_began(findings @extschema@.l4_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT NULLIF(concat_ws(', ', 'stage ' || s.stage, 'iteration ' || i.iteration, CASE WHEN u.span IS NULL
		THEN @extschema@.l4_time_text(w.at) ELSE @extschema@.l4_moment_sentence(w.at, u.span) END), '')
	FROM (VALUES (1)) one
	LEFT JOIN unnest(l4_report_began.findings) s ON s.kind = 'stage' AND s.ordinal = 1
		AND s.facts ->> 'place' IS DISTINCT FROM 'finished'
	LEFT JOIN unnest(l4_report_began.findings) i ON i.kind = 'iteration' AND i.ordinal = 1 AND i.facts ->> 'basis' = 'onset'
	LEFT JOIN unnest(l4_report_began.findings) e ON e.kind = 'event' AND e.ordinal = 1
	CROSS JOIN LATERAL (SELECT COALESCE(s.first_seen, i.first_seen, e.first_seen) AS at) w
	-- of a record without a stamp it is known between which ones it stands
	LEFT JOIN LATERAL (SELECT x.facts -> 'span' AS span FROM unnest(l4_report_began.findings) x
		WHERE x.kind = 'event' AND x.first_seen = w.at ORDER BY x.ordinal LIMIT 1) u ON true;
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
		CROSS JOIN LATERAL @extschema@.l4_stream_places(g.structure, g.texts, g.parameters, g.stream_ids,
			ARRAY[t.stream_id]) r
		WHERE r.stage IS NOT NULL
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
