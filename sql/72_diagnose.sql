/*
 * The diagnosis: what is unexplained, nodes, faults, onset, put together into findings.
 *
 * l4_diagnose reads only and can be read, copied and changed: each step is a function of its own (l4_unexplained,
 * l4_suspect_nodes, l4_onsets, l4_match_faults), each kind of finding too (71_*.sql), and what remains here is the order in
 * which findings stand.
 */

CREATE FUNCTION @extschema@.l4_event_components(unexplained @extschema@.l4_unexplained_record[], events jsonb[],
	wordings @extschema@.l4_wordings) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT jsonb_object_agg(r.event_id, c.component)
	FROM (
		SELECT DISTINCT ON (r.event_id) r.event_id, r.message
		FROM unnest(l4_event_components.unexplained) r
		JOIN unnest(l4_event_components.events) e (columns) ON (e.columns ->> 'event_id')::bigint = r.event_id
			AND e.columns ->> 'role' = 'root'
		WHERE r.message IS NOT NULL
		ORDER BY r.event_id, r.first_ts, r.source, r.first_line, r.stream_id, r.shape_id) r
	CROSS JOIN LATERAL (SELECT @extschema@.l4_text_component(r.message, wordings) AS component OFFSET 0) c
	WHERE c.component IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_event_components(@extschema@.l4_unexplained_record[], jsonb[], @extschema@.l4_wordings) IS
'Step: what the code that failed is called, for each root event whose first record says (l4_text_component), as a JSON object '
'by event_id. events: the rows of l4_event_findings.';

CREATE FUNCTION @extschema@.l4_weak_suspects(units @extschema@.l4_suspect_node[], limits @extschema@.l4_limits) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT jsonb_agg(u.unit ORDER BY u.ordinal)
	FROM unnest(l4_weak_suspects.units) u
	CROSS JOIN LATERAL (SELECT @extschema@.l4_confidence('node', u.standing, limits) AS confidence OFFSET 0) c
	WHERE c.confidence >= (limits).look_first_confidence
		AND NOT EXISTS (SELECT FROM unnest(l4_weak_suspects.units) n WHERE n.named)
	HAVING count(*) BETWEEN 1 AND (limits).look_first_most;
END;
COMMENT ON FUNCTION @extschema@.l4_weak_suspects(@extschema@.l4_suspect_node[], @extschema@.l4_limits) IS
'Step: of a job in which no unit is suspected (l4_suspect_nodes with weak) those few to be looked at first all the same, as '
'a JSON array; NULL where there is a suspect, where nothing speaks against any unit, or as little against many.';

CREATE FUNCTION @extschema@.l4_attempt_findings(job_id text, use_pool boolean, clocks @extschema@.l4_clock_offset[],
	unexplained @extschema@.l4_unexplained_record[], known @extschema@.l4_unexplained_record[],
	attempt @extschema@.l4_attempt, alike @extschema@.l4_alike_value[], limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings) RETURNS SETOF @extschema@.l4_finding
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 30
SET search_path = pg_catalog, pg_temp
SET jit = off
-- the planner's settings are those of l4_job_findings, which calls it
AS $$
#variable_conflict use_column
DECLARE
	-- how units are set up is an event and speaks against them, but nothing failed there
	failing CONSTANT @extschema@.l4_unexplained_record[] := ARRAY(SELECT n FROM unnest(unexplained) n
		WHERE n.reason <> 'setup');
	accusations CONSTANT @extschema@.l4_accusation[] := ARRAY(SELECT a
		FROM @extschema@.l4_accusations(l4_attempt_findings.job_id, failing, limits, wordings) a);
	slow @extschema@.l4_slow_regime;
	suspects @extschema@.l4_suspect_node[];
	finished @extschema@.l4_onset[] := '{}';
	looked_at jsonb;
	names text[];
	onsets @extschema@.l4_onset[];
	events jsonb[];
	well @extschema@.l4_well_again_record[];
	roles jsonb;
	components jsonb;
	spans jsonb;
	-- of one attempt of several
	never CONSTANT boolean := ((l4_attempt_findings.attempt).attempt > 1 AND (l4_attempt_findings.attempt).begun_at IS NULL
		AND EXISTS (SELECT FROM @extschema@.l4_job_timeline(l4_attempt_findings.job_id))) IS TRUE;
	told CONSTANT jsonb := CASE WHEN (l4_attempt_findings.attempt).attempt IS NULL THEN '{}' ELSE
		jsonb_build_object('attempt', (l4_attempt_findings.attempt).attempt, 'attempts',
			(l4_attempt_findings.attempt).attempts) END;
BEGIN
	-- steps of several attempts are not of one series
	IF (l4_attempt_findings.attempt).attempt IS NULL THEN
		slow := @extschema@.l4_slow_regime(l4_attempt_findings.job_id, l4_attempt_findings.use_pool, limits);
	END IF;
	suspects := ARRAY(SELECT s FROM @extschema@.l4_suspect_nodes(l4_attempt_findings.job_id, unexplained, accusations, clocks,
		limits, wordings, true, slow, l4_attempt_findings.attempt) s
		-- one more than are to be looked at: so it shows whether these are all
		WHERE s.named OR s.ordinal <= (limits).look_first_most + 1 ORDER BY s.ordinal);
	IF (l4_attempt_findings.attempt).attempt IS NULL THEN
		finished := ARRAY(SELECT ROW(1, 'finished', 'teardown', NULL, e.ts, NULL, NULL, NULL, e.stream_id, e.line_no,
			NULL)::@extschema@.l4_onset FROM @extschema@.l4_normal_end(l4_attempt_findings.job_id, limits, wordings) e);
	END IF;
	IF finished <> '{}' THEN
		-- No node failed, whatever was said of one; but it may have no logs, and what was measured all along counts: steps may
		-- be slow, and then what was said since they are.
		suspects := ARRAY(SELECT s FROM unnest(suspects) s
			WHERE EXISTS (SELECT FROM unnest(s.evidence) e WHERE e.kind IN ('missing', 'counter', 'slow', 'link')
				OR e.first_ts >= slow.began AND e.part > 0)
			ORDER BY s.ordinal);
	END IF;
	looked_at := @extschema@.l4_weak_suspects(suspects, limits);
	suspects := ARRAY(SELECT s FROM unnest(suspects) s WHERE s.named ORDER BY s.ordinal);
	names := ARRAY(SELECT s.unit FROM unnest(suspects) s);
	onsets := CASE WHEN finished <> '{}' AND cardinality(unexplained || known) = 0 AND names = '{}' AND slow IS NULL
			THEN finished ELSE
		ARRAY(SELECT o FROM @extschema@.l4_onsets(l4_attempt_findings.job_id, failing, names, accusations, limits, wordings,
			slow, finished <> '{}' OR @extschema@.l4_slow_leads(failing, suspects, limits),
			l4_attempt_findings.attempt) o ORDER BY o.turn) END;
	well := ARRAY(SELECT w FROM @extschema@.l4_well_again(unexplained, accusations, names, limits, wordings) w);
	-- what the steps take is told by whoever waits, too, and speaks against nobody
	IF finished <> '{}' OR @extschema@.l4_slow_leads(failing, '{}', limits) THEN
		unexplained := unexplained || ARRAY(SELECT r FROM @extschema@.l4_slow_records(l4_attempt_findings.job_id, unexplained,
			slow, l4_attempt_findings.use_pool, clocks, limits, wordings) r);
	END IF;
	events := ARRAY(SELECT to_jsonb(e) FROM @extschema@.l4_event_findings(l4_attempt_findings.job_id,
		CASE WHEN well = '{}' THEN unexplained ELSE ARRAY(SELECT u FROM unnest(unexplained) u
			WHERE NOT EXISTS (SELECT FROM unnest(well) w WHERE w.stream_id = u.stream_id AND w.shape_id = u.shape_id)) END,
		names,
		l4_attempt_findings.use_pool, accusations, l4_attempt_findings.alike, limits, wordings) e);
	components := @extschema@.l4_event_components(unexplained, events, wordings);
	spans := (SELECT jsonb_object_agg(jsonb_build_array(s.event_id, s.source, s.unit, s.first_ts)::text,
			jsonb_strip_nulls(jsonb_build_object('told', s.told, 'since', s.since, 'until', s.until)))
		FROM @extschema@.l4_unexplained_spans(l4_attempt_findings.job_id, unexplained, limits) s);
	roles := (SELECT jsonb_object_agg(e ->> 'event_id', e ->> 'role') FROM unnest(events) e);

	-- By name, whatever columns a kind of finding has; the evidence and the sentence are made of the facts, last.
	RETURN QUERY
	SELECT (w.finding).*
	FROM (
		SELECT e || jsonb_build_object('component', components -> (e ->> 'event_id')) AS columns FROM unnest(events) e
		UNION ALL
		SELECT to_jsonb(f) || jsonb_build_object('component', components -> f.event_id::text)
		FROM @extschema@.l4_fault_findings(l4_attempt_findings.job_id, failing || known, names, roles, limits, wordings) f
		UNION ALL
		SELECT to_jsonb(n)
		FROM @extschema@.l4_node_findings(l4_attempt_findings.job_id, failing, suspects, limits, wordings) n
		UNION ALL
		SELECT to_jsonb(s) FROM @extschema@.l4_slow_findings(slow, suspects) s
		UNION ALL
		SELECT to_jsonb(s) FROM @extschema@.l4_stage_findings(l4_attempt_findings.job_id, onsets, wordings) s
		UNION ALL
		SELECT to_jsonb(i)
		FROM @extschema@.l4_iteration_findings(l4_attempt_findings.job_id, failing, names, onsets, limits) i
		-- an iteration with a restart in it runs unlike the others; and an attempt may not come to iterate
		WHERE NOT (never OR told ? 'attempt' AND i.facts ->> 'basis' = 'unlike')) t
	CROSS JOIN LATERAL (SELECT spans -> jsonb_build_array(t.columns -> 'event_id', t.columns #> '{facts,source}',
		t.columns #> '{facts,unit}', coalesce(t.columns #> '{facts,first_at}', t.columns -> 'first_seen'))::text AS span) s
	CROSS JOIN LATERAL (SELECT t.columns || jsonb_build_object('confidence',
			@extschema@.l4_confidence(t.columns ->> 'kind', t.columns #> '{facts,standing}', limits),
		'attempt', told -> 'attempt', 'iteration', CASE WHEN NOT never THEN t.columns -> 'iteration' END,
		'facts', t.columns -> 'facts' || told
			|| CASE WHEN s.span IS NULL OR t.columns ->> 'kind' NOT IN ('event', 'fault') THEN '{}'
				ELSE jsonb_build_object('span', s.span) END
			|| CASE WHEN looked_at IS NULL OR t.columns ->> 'ordinal' <> '1' OR t.columns ->> 'kind' NOT IN ('event', 'stage')
				THEN '{}' ELSE jsonb_build_object('look_first', looked_at) END) AS columns OFFSET 0) c
	CROSS JOIN LATERAL (SELECT jsonb_populate_record(NULL::@extschema@.l4_finding, c.columns) AS finding OFFSET 0) f
	CROSS JOIN LATERAL (SELECT jsonb_populate_record(f.finding,
		jsonb_build_object('evidence', @extschema@.l4_quotes_text((f.finding).facts -> 'quotes'),
		'explanation', @extschema@.l4_finding_sentence(f.finding))) AS finding OFFSET 0) w;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_attempt_findings(text, boolean, @extschema@.l4_clock_offset[],
	@extschema@.l4_unexplained_record[], @extschema@.l4_unexplained_record[], @extschema@.l4_attempt,
	@extschema@.l4_alike_value[], @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: the findings of one attempt of a job (attempt: of l4_job_attempts; NULL: the job has one), kind by kind, as rows of '
'l4_finding. unexplained: the records of l4_unexplained that are of it; known: those of l4_asked_records; '
'clocks: l4_clock_offsets; alike: l4_setup_alike.';

CREATE FUNCTION @extschema@.l4_job_findings(job_id text, use_pool boolean DEFAULT true) RETURNS SETOF @extschema@.l4_finding
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 30
SET search_path = pg_catalog, pg_temp
SET jit = off
-- There may be tens of thousands of unexplained records, which the planner often takes for a few after some steps: its loops
-- over all pairs would take minutes. To start processes takes longer than any of the steps. A plan made for the values at hand
-- holds a copy of the array of these records for each place that reads it. With little memory every step would sort and keep
-- them on disk.
SET enable_nestloop = off
SET max_parallel_workers_per_gather = 0
SET plan_cache_mode = force_generic_plan
SET work_mem = '64MB'
AS $$
#variable_conflict use_column
DECLARE
	clocks @extschema@.l4_clock_offset[];
	unexplained @extschema@.l4_unexplained_record[];
	known @extschema@.l4_unexplained_record[];
	attempts @extschema@.l4_attempt[];
	alike @extschema@.l4_alike_value[];
	findings @extschema@.l4_finding[] := '{}';
	iterating int[];
	aftermaths int[] := '{}';
	this @extschema@.l4_attempt;
	limits @extschema@.l4_limits := @extschema@.l4_limits_in_force();
	wordings @extschema@.l4_wordings := @extschema@.l4_wordings_in_force();
BEGIN
	clocks := ARRAY(SELECT k FROM @extschema@.l4_clock_offsets(l4_job_findings.job_id, limits) k);
	attempts := ARRAY(SELECT a FROM @extschema@.l4_job_attempts(l4_job_findings.job_id, limits, wordings) a);
	alike := ARRAY(SELECT a FROM @extschema@.l4_setup_alike(l4_job_findings.job_id, limits, wordings) a);
	unexplained := ARRAY(SELECT n FROM @extschema@.l4_unexplained(l4_job_findings.job_id, l4_job_findings.use_pool, clocks,
		limits, wordings, attempts, alike) n);
	known := ARRAY(SELECT a FROM @extschema@.l4_asked_records(l4_job_findings.job_id, l4_job_findings.use_pool, unexplained,
		limits, wordings, clocks, attempts) a);
	IF cardinality(attempts) = 0 THEN
		RETURN QUERY SELECT f.* FROM @extschema@.l4_attempt_findings(l4_job_findings.job_id, l4_job_findings.use_pool, clocks,
			unexplained, known, NULL, alike, limits, wordings) f;
		RETURN;
	END IF;
	iterating := @extschema@.l4_attempts_iterating(l4_job_findings.job_id, attempts,
		@extschema@.l4_learn_counter(l4_job_findings.job_id, limits));
	FOREACH this IN ARRAY attempts LOOP
		IF this.attempt > iterating[1] AND NOT this.attempt = ANY (iterating)
			AND NOT @extschema@.l4_fails_by_itself(ARRAY(SELECT u FROM unnest(unexplained) u
				WHERE u.attempt = this.attempt), limits, wordings) THEN
			aftermaths := aftermaths || this.attempt;
		END IF;
		findings := findings || ARRAY(SELECT f FROM @extschema@.l4_attempt_findings(l4_job_findings.job_id,
			l4_job_findings.use_pool, clocks, ARRAY(SELECT u FROM unnest(unexplained) u WHERE u.attempt = this.attempt),
			ARRAY(SELECT a FROM unnest(known) a WHERE a.attempt = this.attempt), this, alike, limits,
			wordings) f);
	END LOOP;
	-- What ended the job comes first, the last attempt; but one that tells of no failure of its own (it waited for nodes that
	-- never came, and was cancelled) behind those that do, and one that never came to iterate, where ranks did not come
	-- together, behind those that did.
	RETURN QUERY
	SELECT (r.finding).*
	FROM (
		SELECT t.finding, row_number() OVER (PARTITION BY (t.finding).kind
			ORDER BY t.fails DESC, (t.finding).attempt = ANY (aftermaths), (t.finding).attempt DESC,
				(t.finding).ordinal) AS ordinal
		FROM (
			SELECT f AS finding, count(*) FILTER (WHERE f.kind = 'node' OR f.kind = 'event' AND f.role = 'root')
				OVER (PARTITION BY f.attempt) > 0 AS fails
			FROM unnest(findings) f) t) o
	CROSS JOIN LATERAL (SELECT jsonb_populate_record(o.finding, jsonb_build_object('ordinal', o.ordinal)) AS finding
		OFFSET 0) r;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_findings(text, boolean) IS
'Step: the findings of l4_diagnose, kind by kind, for a job that has logs, as rows of l4_finding (job_id and saved_at '
'NULL): of a job that was started again (l4_job_attempts) attempt by attempt, the last one first.';

CREATE FUNCTION @extschema@.l4_present_findings(job_id text, use_pool boolean) RETURNS SETOF @extschema@.l4_finding
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 30
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	saved timestamptz;
BEGIN
	IF @extschema@.l4_has_records(l4_present_findings.job_id) THEN
		RETURN QUERY SELECT f.* FROM @extschema@.l4_job_findings(l4_present_findings.job_id, l4_present_findings.use_pool) f;
		RETURN;
	END IF;
	-- Without the text of the logs (l4_drop_log_text) what was found before is the answer.
	saved := (SELECT max(d.saved_at) FROM @extschema@.l4_diagnosis d
		WHERE d.job_id = l4_present_findings.job_id AND d.use_pool = l4_present_findings.use_pool);
	IF saved IS NULL THEN
		RAISE EXCEPTION 'the log text of job "%" was dropped', l4_present_findings.job_id
			USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'No diagnosis with these parameters was saved before.',
				HINT = 'l4_import takes the text in again, while the files are there.';
	END IF;
	RETURN QUERY SELECT f.* FROM @extschema@.l4_finding f WHERE f.job_id = l4_present_findings.job_id AND f.saved_at = saved;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_present_findings(text, boolean) IS
'Step: the findings of a job: computed, or, of one whose log text was dropped, those of the newest saved diagnosis with '
'the same use_pool. Errors: as l4_diagnose.';

CREATE FUNCTION @extschema@.l4_leads_with_fault(findings @extschema@.l4_finding[], least_severity double precision)
	RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT EXISTS (
		SELECT FROM unnest(l4_leads_with_fault.findings) f
		LEFT JOIN unnest(l4_leads_with_fault.findings) n ON n.kind = 'node' AND n.ordinal = 1
		WHERE f.kind = 'fault' AND f.ordinal = 1 AND f.score >= least_severity
			AND (f.node IS NULL OR n.kind IS NULL OR n.node = f.node));
END;
COMMENT ON FUNCTION @extschema@.l4_leads_with_fault(@extschema@.l4_finding[], double precision) IS
'Step: does the first fault come before all else: is it grave, and does it tell of a root event of the suspect (or of all '
'alike)?';

CREATE FUNCTION @extschema@.l4_use_zone(zone text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	PERFORM set_config('TimeZone', l4_use_zone.zone, true);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_use_zone(text) IS
'Step: Sets the time zone until the end of the transaction: each server of a cluster has its own, and what is asked of it is '
'answered in that of the session that asks. Not where it is that already: processes of a parallel query must not set any.';

CREATE FUNCTION @extschema@.l4_findings_in_zone(job_id text, use_pool boolean, zone text) RETURNS @extschema@.l4_finding[]
LANGUAGE plpgsql STABLE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
BEGIN
	PERFORM @extschema@.l4_need_ready();
	PERFORM @extschema@.l4_work_at_home(l4_findings_in_zone.job_id, false);
	IF current_setting('TimeZone') <> l4_findings_in_zone.zone THEN
		PERFORM @extschema@.l4_use_zone(l4_findings_in_zone.zone);
	END IF;
	RETURN ARRAY(SELECT f FROM @extschema@.l4_present_findings(l4_findings_in_zone.job_id, l4_findings_in_zone.use_pool) f);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_findings_in_zone(text, boolean, text) IS
'Step: l4_present_findings as one array, with the times in its sentences in a zone.';

CREATE FUNCTION @extschema@.l4_diagnose(job_id text, use_pool boolean DEFAULT true)
RETURNS TABLE (kind text, ordinal int, score double precision, node text, rank int, stage text, iteration bigint,
	event_id bigint, template text,
	first_seen timestamptz, occurrences bigint, nodes_affected int, evidence text, explanation text, fault_key text,
		root_cause text, fix text, role text,
	severity text, category text, facts jsonb, component text, confidence double precision, attempt int)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 30
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	findings @extschema@.l4_finding[];
	fault_turn int;
BEGIN
	-- where the job is: its row takes the call there
	SELECT @extschema@.l4_findings_in_zone(j.job_id, l4_diagnose.use_pool, current_setting('TimeZone')) INTO findings
	FROM @extschema@.l4_job j WHERE j.job_id = l4_diagnose.job_id;
	IF NOT FOUND THEN
		-- logs of a job that nobody registered, or no job at all
		findings := @extschema@.l4_findings_in_zone(l4_diagnose.job_id, l4_diagnose.use_pool, current_setting('TimeZone'));
	END IF;
	fault_turn := CASE WHEN @extschema@.l4_leads_with_fault(findings,
		(@extschema@.l4_limits_in_force()).fault_lead_severity) THEN 1 ELSE 4 END;
	-- The first of each kind, then the second of each, and so on: whoever reads a few rows sees where, what, and when. The
	-- known fault comes last but stage and iteration where it is a mere consequence.
	RETURN QUERY
	SELECT f.kind, f.ordinal, f.score, f.node, f.rank, f.stage, f.iteration, f.event_id, f.template, f.first_seen,
		f.occurrences, f.nodes_affected,
		f.evidence, f.explanation, f.fault_key, f.root_cause, f.fix, f.role, f.severity, f.category, f.facts, f.component,
		f.confidence, f.attempt
	FROM unnest(findings) f
	ORDER BY f.ordinal, CASE f.kind WHEN 'fault' THEN fault_turn WHEN 'node' THEN 2 WHEN 'event' THEN 3 WHEN 'stage' THEN 5
		WHEN 'iteration' THEN 6 ELSE 7 END;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_diagnose(text, boolean) IS
'What a failed job died of, from its logs: findings of kind fault (known faults), event (what successful jobs do not log), '
'node (whom the evidence points at; none where all fail alike), stage and iteration (where it began), slow (steps take '
'longer: from an iteration on, or than in successful jobs of the same settings; facts before_seconds, after_seconds), each '
'kind most '
'telling first (ordinal from 1); the rows come in rounds, the first of each kind before the second of any, so that the '
'first five tell most. evidence quotes records as "source:line: text"; explanation says in a sentence why. role tells of '
'an event whether it is root (what went wrong), cascade (what followed) or context, and of a fault which part it plays in '
'this job: root (it may be the cause), cascade or confirmation. Of a fault severity and category are those of the library. '
'facts is what explanation and evidence are made of, as JSON: programs read these, never the '
'sentences. component is what the code is called that failed in a root event, its fault or its stage (data_loader, '
'checkpoint, communicator, ...), which need not be the stage: a data loader may fail while the job iterates. confidence '
'tells of a node, a fault and an iteration how likely it is right, 0 to 1: that the node is at fault, the fault is what the '
'failure began with, and the iteration is at most one off; fitted to labelled failures, a site''s own by l4_calibrate. '
'attempt: of a job that was started again, which of its attempts a finding is of (from 1; NULL: there was one): what '
'ended the last comes first, then what ended those before. '
'use_pool false leaves the successful jobs out. Of a job whose log text was dropped (l4_drop_log_text) it is '
'the newest saved diagnosis. Reads only. Errors: the job is not known (P0002) or has no logs (55000), or neither their '
'text nor a saved diagnosis. Paper: Jiang et al., FSE 2025.';
