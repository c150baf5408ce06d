/*
 * Sentences: the only place where findings become words, from their facts, at the very end. People read them, no program does:
 * whatever else l4 says of a finding (the report, the views, l4_explain_event) it says from the same facts.
 *
 * The facts of a finding (l4_finding.facts) are a JSON object; its keys are named at the functions that put them into words.
 * Quotes of log lines are facts too: an array under "quotes" of {"source", "line_no", "text"}.
 */

CREATE FUNCTION @extschema@.l4_quotes(source text, line_no bigint, raw text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
BEGIN ATOMIC
	-- The first line of a record and, of a long one, the last that is neither empty nor a ruler nor a frame of Java: of a
	-- traceback the one that tells.
	SELECT jsonb_agg(jsonb_build_object('source', l4_quotes.source, 'line_no', l4_quotes.line_no + l.number - 1, 'text',
		left(l.text, 300))
		ORDER BY l.number)
	FROM (
		SELECT p.text, p.number, max(p.number) FILTER (WHERE p.text ~ '[^-\s=*#_~+.]'
			AND NOT @extschema@.l4_is_call_frame(p.text)) OVER () AS last
		FROM string_to_table(l4_quotes.raw, E'\n') WITH ORDINALITY p (text, number)) l
	WHERE l.number = l.last OR l.number = 1 AND (l.last IS NULL OR l.text !~ '^Traceback ' AND l.text ~ '[^-\s=*#_~+.]');
END;
COMMENT ON FUNCTION @extschema@.l4_quotes(text, bigint, text) IS
'Step: the lines of a record worth quoting, its first and, where it has several, its last line, each cut to 300 '
'characters, as a JSON array of {"source", "line_no", "text"}; NULL for no text. Empty lines, rulers (=====) and frames of '
'Java do not count, nor does the line that begins a traceback.';

CREATE FUNCTION @extschema@.l4_quotes_text(quotes jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
BEGIN ATOMIC
	SELECT string_agg(format('%s:%s: %s', q.quote ->> 'source', q.quote ->> 'line_no', q.quote ->> 'text'),
		E'\n' ORDER BY q.number)
	FROM jsonb_array_elements(l4_quotes_text.quotes) WITH ORDINALITY q (quote, number);
END;
COMMENT ON FUNCTION @extschema@.l4_quotes_text(jsonb) IS
'Step: quotes as evidence, one "source:line: text" a line; NULL for none.';

CREATE FUNCTION @extschema@.l4_quote(source text, line_no bigint, raw text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100
RETURN @extschema@.l4_quotes_text(@extschema@.l4_quotes(source, line_no, raw));
COMMENT ON FUNCTION @extschema@.l4_quote(text, bigint, text) IS
'Step: a record as evidence: "source:line: text" of its first and, where it has several lines, its last line, each cut to '
'300 characters.';

CREATE FUNCTION @extschema@.l4_pool_facts(job_id text, use_pool boolean) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT jsonb_build_object('jobs', b.job_count, 'fit', b.fit, 'differs', b.differs)
	FROM @extschema@.l4_best_pool(l4_pool_facts.job_id) b WHERE l4_pool_facts.use_pool;
END;
COMMENT ON FUNCTION @extschema@.l4_pool_facts(text, boolean) IS
'Step: what a job is compared with, as a JSON object: jobs (their number), fit and differs as in l4_best_pool; in events '
'also settings (l4_other_settings). NULL where there is no successful job, or use_pool is false.';

CREATE FUNCTION @extschema@.l4_pool_sentence(pool jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
	WHEN pool IS NULL THEN 'no successful job to compare with'
	ELSE format('%s successful job%s with %s settings', pool ->> 'jobs', CASE pool ->> 'jobs' WHEN '1' THEN '' ELSE 's' END,
		CASE
			WHEN (pool ->> 'fit')::float8 < 1 THEN format('similar (%s %%)', round(100 * (pool ->> 'fit')::float8))
			WHEN pool -> 'differs' <> '[]' THEN format('similar (other %s)',
				array_to_string(ARRAY(SELECT d FROM jsonb_array_elements_text(pool -> 'differs') d), ', '))
			ELSE 'the same' END)
		|| COALESCE(' but ' || (SELECT string_agg(format('%s, which is %s (there always %s)', s.setting ->> 'name',
			s.setting ->> 'value', s.setting ->> 'pool_value'), ', ' ORDER BY s.place)
			FROM jsonb_array_elements(pool -> 'settings') WITH ORDINALITY s (setting, place)), '')
END;
COMMENT ON FUNCTION @extschema@.l4_pool_sentence(jsonb) IS
'Step: what a job is compared with (l4_pool_facts), in words.';

CREATE FUNCTION @extschema@.l4_moment_sentence(at timestamptz, span jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
	WHEN span ? 'told' THEN 'at ' || @extschema@.l4_time_text((span ->> 'told')::timestamptz)
	WHEN span ? 'since' AND span ? 'until' THEN format('after %s and before %s',
		@extschema@.l4_time_text((span ->> 'since')::timestamptz), @extschema@.l4_clock_text((span ->> 'until')::timestamptz))
	WHEN span ? 'until' THEN 'before ' || @extschema@.l4_time_text((span ->> 'until')::timestamptz)
	WHEN span ? 'since' THEN 'after ' || @extschema@.l4_time_text((span ->> 'since')::timestamptz)
	ELSE 'at ' || @extschema@.l4_time_text(at) END;
COMMENT ON FUNCTION @extschema@.l4_moment_sentence(timestamptz, jsonb) IS
'Step: When a record was written, in words: at its time, or, of one without a stamp (facts: span, with told, since, until of '
'l4_unexplained_spans), what is known.';

CREATE FUNCTION @extschema@.l4_event_sentence(finding @extschema@.l4_finding, whole boolean DEFAULT true) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT format('%s: %s, first %s%s%s%s%s.',
		CASE finding.role WHEN 'root' THEN 'Root' WHEN 'cascade' THEN 'Consequence' ELSE 'Context' END,
		CASE
			WHEN finding.nodes_affected = 0 THEN 'in a log that all nodes share'
			WHEN f.units = 1 THEN 'on the one node of the job (with one node there is nothing to compare it with)'
			WHEN finding.nodes_affected = f.units THEN 'on all nodes (' || f.units || ')'
				|| CASE WHEN (f.facts -> 'nobody_suspected')::boolean AND finding.role = 'root'
					THEN ', so no fault of one node' ELSE '' END
			ELSE format('on %s of %s nodes', finding.nodes_affected, f.units) END,
		COALESCE('on ' || (f.facts ->> 'unit'), 'in ' || (f.facts ->> 'source')),
		' ' || @extschema@.l4_moment_sentence((f.facts ->> 'first_at')::timestamptz, f.facts -> 'span'),
		CASE WHEN (f.facts -> 'of_suspect')::boolean THEN ' (the suspected node)' ELSE '' END,
		-- what holds for most of them is left out of the short form
		CASE WHEN whole OR f.facts ->> 'reason' <> 'new' THEN '; ' || @extschema@.l4_unexplained_sentence(f.facts ->> 'reason',
			f.facts -> 'numbers') ELSE '' END,
		CASE WHEN whole THEN '; ' || CASE WHEN f.facts ? 'pool' THEN 'compared with ' ELSE 'there was ' END
			|| @extschema@.l4_pool_sentence(f.facts -> 'pool') ELSE '' END)
	FROM (SELECT finding.facts AS facts, (finding.facts -> 'units')::int AS units) f;
END;
COMMENT ON FUNCTION @extschema@.l4_event_sentence(@extschema@.l4_finding, boolean) IS
'Step: why an event is a finding, in words. Facts: units of the job, unit and source and time (first_at, span) of its first '
'record, of_suspect, nobody_suspected, reason and numbers of l4_unexplained_record, pool (l4_pool_facts). whole false '
'leaves out what holds for most events: that successful jobs do not log it, and with which it was compared.';

CREATE FUNCTION @extschema@.l4_confidence_words(confidence double precision) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN LEAST(GREATEST(round(100 * confidence::numeric), 1), 99) || ' % sure';
COMMENT ON FUNCTION @extschema@.l4_confidence_words(double precision) IS
'Step: a confidence in words: "93 % sure", never none or all.';

CREATE FUNCTION @extschema@.l4_confidence_text(confidence double precision) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN COALESCE(' (' || @extschema@.l4_confidence_words(confidence) || ')', '');
COMMENT ON FUNCTION @extschema@.l4_confidence_text(double precision) IS
'Step: a confidence in brackets, to be put behind what it is about: " (93 % sure)"; empty for NULL.';

CREATE FUNCTION @extschema@.l4_fault_sentence(finding @extschema@.l4_finding) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT format('Known %s fault (%s): %s. First %s%s%s%s%s.', finding.category,
		concat_ws(', ', finding.severity, @extschema@.l4_confidence_words(finding.confidence)), f.facts ->> 'title',
		COALESCE('on ' || (f.facts ->> 'unit'), 'in ' || (f.facts ->> 'source')),
		CASE
			WHEN f.facts ->> 'names_suspect' IS NULL THEN ''
			WHEN f.facts ->> 'unit' IS NULL THEN ', which names the suspected ' || (f.facts ->> 'names_suspect')
			ELSE ' (the suspected node)' END,
		' ' || @extschema@.l4_moment_sentence(finding.first_seen, f.facts -> 'span'),
		CASE WHEN finding.nodes_affected > 1
			THEN format(', on %s of %s nodes', finding.nodes_affected, f.facts ->> 'units') ELSE '' END,
		CASE
			WHEN f.facts ? 'follows_from' THEN '; follows from '
				|| array_to_string(ARRAY(SELECT k FROM jsonb_array_elements_text(f.facts -> 'follows_from') k), ', ')
			WHEN (f.facts -> 'consequence')::boolean THEN '; a consequence of what went wrong elsewhere, as a rule'
			ELSE '' END)
	FROM (SELECT finding.facts AS facts) f;
END;
COMMENT ON FUNCTION @extschema@.l4_fault_sentence(@extschema@.l4_finding) IS
'Step: what a known fault is and where it shows, in words. Facts: title, unit and source of its first record, '
'names_suspect (the suspect that it is of, or that it names), units of the job, follows_from (keys of faults), consequence '
'(it shows only in what follows).';

CREATE FUNCTION @extschema@.l4_iteration_sentence(finding @extschema@.l4_finding) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT CASE f.facts ->> 'basis'
		WHEN 'onset' THEN format('The failure began in iteration %s%s: %s%s.', finding.iteration,
			@extschema@.l4_confidence_text(finding.confidence),
			@extschema@.l4_onset_sentence(f.facts ->> 'place'), COALESCE(' (' || (f.facts ->> 'unit') || ')', ''))
		WHEN 'check' THEN format('Found by a check that recurs every %s iterations: it began between '
			'iterations %s and %s, half-way is %s%s.',
			f.facts ->> 'period', f.facts ->> 'from', f.facts ->> 'to', finding.iteration,
			@extschema@.l4_confidence_text(finding.confidence))
		ELSE format('Iteration %s%s runs unlike the others (%s events differ from the nearest recurrent one).',
			finding.iteration, @extschema@.l4_confidence_text(finding.confidence), f.facts ->> 'distance') END
	FROM (SELECT finding.facts AS facts) f;
END;
COMMENT ON FUNCTION @extschema@.l4_iteration_sentence(@extschema@.l4_finding) IS
'Step: why an iteration is a finding, in words. Facts: basis (onset, check, unlike); of an onset its place and unit; of a '
'recurring check its period and the iterations between which it began (from, to); else the distance from the nearest '
'recurrent iteration.';

CREATE FUNCTION @extschema@.l4_slow_sentence(finding @extschema@.l4_finding) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT format('Step time %s s%s%s.',
		COALESCE(@extschema@.l4_seconds_text((f.facts ->> 'before_seconds')::float8) || ' s -> ', '')
			|| @extschema@.l4_seconds_text((f.facts ->> 'after_seconds')::float8),
		CASE WHEN finding.iteration IS NULL THEN '' ELSE format(' from iteration %s (%s of %s iterations)', finding.iteration,
			f.facts ->> 'iterations_since',
			(f.facts ->> 'iterations_since')::bigint + (f.facts ->> 'iterations_before')::bigint) END,
		CASE WHEN f.facts ? 'pool_seconds' THEN format('; in %s successful job%s with the same settings up to %s s',
			f.facts ->> 'pool_jobs', CASE f.facts ->> 'pool_jobs' WHEN '1' THEN '' ELSE 's' END,
			@extschema@.l4_seconds_text((f.facts ->> 'pool_seconds')::float8)) ELSE '' END)
	FROM (SELECT finding.facts AS facts) f;
END;
COMMENT ON FUNCTION @extschema@.l4_slow_sentence(@extschema@.l4_finding) IS
'Step: that the steps of a job take longer than they should, in words. Facts: before_seconds (none where all steps do), '
'after_seconds, iterations_since and iterations_before, and, where successful jobs tell, pool_seconds and pool_jobs.';

CREATE FUNCTION @extschema@.l4_evidence_sentences(finding @extschema@.l4_finding, most int DEFAULT NULL,
	brief boolean DEFAULT false) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT string_agg(@extschema@.l4_evidence_sentence(jsonb_populate_record(NULL::@extschema@.l4_evidence, r.reason), brief),
		'; ' ORDER BY r.number)
	FROM jsonb_array_elements(finding.facts -> 'reasons') WITH ORDINALITY r (reason, number)
	WHERE most IS NULL OR r.number <= most;
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_sentences(@extschema@.l4_finding, int, boolean) IS
'Step: why a node is suspected, in words, strongest reason first: all, or the first so many; brief leaves out the '
'statement that a reason quotes in brackets. Facts: reasons, an array of rows of l4_evidence. NULL where there are none.';

CREATE FUNCTION @extschema@.l4_finding_sentence(finding @extschema@.l4_finding) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
RETURN CASE WHEN finding.facts ? 'attempts'
	THEN format('Attempt %s of %s: ', finding.facts ->> 'attempt', finding.facts ->> 'attempts') ELSE '' END
	|| CASE finding.kind
	WHEN 'event' THEN @extschema@.l4_event_sentence(finding)
	WHEN 'fault' THEN @extschema@.l4_fault_sentence(finding)
	WHEN 'node' THEN format('Suspect %s%s: %s.', finding.facts ->> 'unit', @extschema@.l4_confidence_text(finding.confidence),
		@extschema@.l4_evidence_sentences(finding))
	WHEN 'slow' THEN @extschema@.l4_slow_sentence(finding)
	WHEN 'stage' THEN CASE finding.facts ->> 'place'
		WHEN 'finished' THEN 'No sign of a failure: the ranks say that they have done all their work, and none crashes '
			'after it.'
		ELSE format('The failure began in stage %s: %s%s.', finding.stage,
			@extschema@.l4_onset_sentence(finding.facts ->> 'place'), COALESCE(' (' || (finding.facts ->> 'unit') || ')', ''))
		END
	ELSE @extschema@.l4_iteration_sentence(finding)
END;
COMMENT ON FUNCTION @extschema@.l4_finding_sentence(@extschema@.l4_finding) IS
'Step: a finding in words (its column explanation), made of its other fields. Facts of any kind: attempt and attempts, where '
'the job was started again.';
