/* Sentences of steps of logs beside those of flows. */

CREATE FUNCTION @extschema@.l4_sentence_flow_step(piece @extschema@.l4_flow_step_pair) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100
RETURN CASE (piece).verdict
	WHEN 'count' THEN format('From iteration %s on the logs tell of %s in %s s, the flows of %s.', (piece).iteration,
		@extschema@.l4_count_words((piece).iterations, 'step'),
		@extschema@.l4_seconds_text((piece).log_seconds * (piece).iterations),
		@extschema@.l4_count_words((piece).steps, 'step'))
	WHEN 'differ' THEN format('%s took %s s by the logs, %s s by the flows.',
		CASE (piece).iterations WHEN 1 THEN format('Iteration %s', (piece).iteration)
			ELSE format('Each of %s from iteration %s on', @extschema@.l4_count_words((piece).iterations, 'step'),
				(piece).iteration) END,
		@extschema@.l4_seconds_text((piece).log_seconds), @extschema@.l4_seconds_text((piece).flow_seconds)) END;
COMMENT ON FUNCTION @extschema@.l4_sentence_flow_step(@extschema@.l4_flow_step_pair) IS
'Step: In what logs and flows disagree about a piece of a job, for people; NULL where they agree.';

CREATE FUNCTION @extschema@.l4_sentence_flow_check(missing text, fit @extschema@.l4_clock_fit,
	pieces @extschema@.l4_flow_step_pair[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
RETURN CASE missing
	WHEN 'times' THEN 'The logs have no times.'
	WHEN 'accelerators' THEN 'No accelerators are known to be those of this job: none is on a server of the name of one of '
		'its nodes, and its logs tell of no addresses.'
	WHEN 'flows' THEN 'There are no flows of the accelerators of this job in the time of its logs.'
	WHEN 'job' THEN 'The flows of these accelerators make no training job on the nodes of this one.'
	WHEN 'steps' THEN 'The flows show no steps.'
	WHEN 'iterations' THEN 'The logs tell of no iterations with times while there were flows.'
	WHEN 'marks' THEN 'Too few iterations of the logs lie in the time of the flows.'
	WHEN 'match' THEN format('The stamps of the logs do not go with the steps of the flows: at best they are %s s off, of '
		'steps of %s s. They may be of whole seconds, or of another clock.', @extschema@.l4_seconds_text((fit).spread),
		@extschema@.l4_seconds_text((fit).step))
	ELSE (SELECT format('%s of %s take as long by the logs as by the flows; the clock of the logs is %s s %s%s.',
			COALESCE(sum(p.iterations) FILTER (WHERE p.verdict = 'agree'), 0),
			@extschema@.l4_count_words(COALESCE(sum(p.iterations), 0)::bigint, 'step'),
			@extschema@.l4_seconds_text(abs((fit).ahead)), CASE WHEN (fit).ahead < 0 THEN 'behind' ELSE 'ahead' END,
			CASE WHEN (fit).certain THEN '' ELSE ', or whole steps more or less' END)
		FROM unnest(pieces) p) END;
COMMENT ON FUNCTION @extschema@.l4_sentence_flow_check(text, @extschema@.l4_clock_fit, @extschema@.l4_flow_step_pair[]) IS
'Step: How the steps of logs and of flows go together, or why they cannot be compared (missing, as l4_check_flow_steps tells '
'it), for people.';
