/* Evidence in words. Sentences are made of l4_evidence here alone, and no program reads them. */

CREATE FUNCTION @extschema@.l4_text_gist(shape text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN left(COALESCE(substring(@extschema@.l4_told_text(shape), '\n([^\n]*[[:alnum:]][^\n]*)[^[:alnum:]]*$'),
	@extschema@.l4_without_command(shape)), 80);
COMMENT ON FUNCTION @extschema@.l4_text_gist(text) IS
'Step: The telling line of a shape (of several the last one that is no ruler and no frame, as of a traceback), without a '
'command that it quotes, cut to 80 characters: to name a statement in a sentence.';

CREATE FUNCTION @extschema@.l4_seconds_text(seconds double precision) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	-- three digits that tell
	SELECT trim_scale(round(l4_seconds_text.seconds::numeric, CASE WHEN l4_seconds_text.seconds > 0
		THEN greatest(0, 2 - floor(log(l4_seconds_text.seconds)))::int ELSE 0 END))::text;
END;
COMMENT ON FUNCTION @extschema@.l4_seconds_text(double precision) IS
'Step: Seconds as people read them, with three digits that tell: 0.389, 2.1, 812.';
CREATE FUNCTION @extschema@.l4_setup_sentence(numbers jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN format('%s %s, %s others %s', COALESCE(numbers ->> 'name', 'value ' || (numbers ->> 'position')), numbers ->> 'value',
	CASE numbers ->> 'units_odd' WHEN '1' THEN 'all'
		ELSE ((numbers -> 'units')::bigint - (numbers -> 'units_odd')::bigint)::text END, numbers ->> 'usual');
COMMENT ON FUNCTION @extschema@.l4_setup_sentence(jsonb) IS
'Step: In which value of a setting a unit differs from all others, in a few words, from the numbers of a record with reason '
'setup.';

CREATE FUNCTION @extschema@.l4_link_sentence(unit text, numbers jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE jsonb_array_length(numbers -> 'peers') WHEN 1 THEN format('the link %s - %s', unit, numbers ->> 'peer')
	ELSE format('its links to %s', array_to_string(ARRAY(SELECT jsonb_array_elements_text(numbers -> 'peers')), ', ')) END;
COMMENT ON FUNCTION @extschema@.l4_link_sentence(text, jsonb) IS
'Step: Which links of a unit are bad, in a few words, from the numbers of evidence of kind link.';

CREATE FUNCTION @extschema@.l4_slow_unit_sentence(numbers jsonb, gist text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT CASE
		WHEN numbers ? 'later_seconds' THEN format('since iteration %s it comes to "%s" %s s later, against the others, than '
			'before', numbers ->> 'iteration', l4_slow_unit_sentence.gist,
			@extschema@.l4_seconds_text((numbers ->> 'later_seconds')::float8))
		WHEN numbers ? 'ends_seconds' THEN format('it ends %s s after all others ("%s"), which end within %s s',
			@extschema@.l4_seconds_text((numbers ->> 'ends_seconds')::float8), l4_slow_unit_sentence.gist,
			@extschema@.l4_seconds_text((numbers ->> 'others_seconds')::float8))
		WHEN numbers ? 'called_times' THEN format('"%s" calls it so %s of %s times since iteration %s',
			l4_slow_unit_sentence.gist, numbers ->> 'called_times', numbers ->> 'called_records', numbers ->> 'iteration')
		WHEN numbers ? 'after_seconds' THEN format(
			'%s: "%s" takes %s s from iteration %s on, %s s before; on other nodes %s s, %s s before',
			COALESCE(w.waits, 'it became slow'), l4_slow_unit_sentence.gist,
			@extschema@.l4_seconds_text((numbers ->> 'after_seconds')::float8), numbers ->> 'iteration',
			@extschema@.l4_seconds_text((numbers ->> 'before_seconds')::float8),
			@extschema@.l4_seconds_text((numbers ->> 'median_after_seconds')::float8),
			@extschema@.l4_seconds_text((numbers ->> 'median_before_seconds')::float8))
		ELSE format('%s: "%s" takes %s s on average, %s s on other nodes', COALESCE(w.waits, 'it is slow'),
			l4_slow_unit_sentence.gist, round((numbers ->> 'mean_seconds')::float8::numeric, 4),
			round((numbers ->> 'median_seconds')::float8::numeric, 4)) END
	FROM (SELECT CASE WHEN (numbers ->> 'deviations')::float8 <= 0
		THEN 'it waits less than the others, which may wait for it' END AS waits) w;
END;
COMMENT ON FUNCTION @extschema@.l4_slow_unit_sentence(jsonb, text) IS
'Step: How slow a unit is, or became, in words, from the numbers of evidence of kind slow and the statement that says so.';

CREATE FUNCTION @extschema@.l4_counter_sentence(numbers jsonb, parameter text, gist text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT CASE WHEN numbers ? 'senders'
		THEN format('what %s other nodes send to it gets lost: %s in their system logs%s grew by %s to %s, here by %s%s',
			numbers ->> 'senders', t.name, t.statement, (numbers ->> 'least_growth')::float8,
			(numbers ->> 'most_growth')::float8, (numbers ->> 'growth')::float8, t.usual)
		WHEN numbers ? 'standing_growth'
		THEN format('while the job stood still %s in its system log%s grew by %s, on all but one or two by at most %s', t.name,
			t.statement, (numbers ->> 'growth')::float8, (numbers ->> 'standing_growth')::float8)
		ELSE format('%s in its system log%s grew by %s, on other nodes by %s%s', t.name, t.statement,
			(numbers ->> 'growth')::float8, round((numbers ->> 'median_growth')::float8::numeric, 1), t.usual) END
	FROM (SELECT COALESCE('"' || l4_counter_sentence.parameter || '"', 'a number') AS name,
		COALESCE(' ("' || l4_counter_sentence.gist || '")', '') AS statement,
		', at most ' || (numbers ->> 'usual')::float8 || ' in successful jobs' AS usual) t;
END;
COMMENT ON FUNCTION @extschema@.l4_counter_sentence(jsonb, text, text) IS
'Step: What a number in system logs tells of a unit, in words, from the numbers of evidence of kind counter, what it is '
'called, and the statement that it stands in (NULL: not to be quoted).';

CREATE FUNCTION @extschema@.l4_between_sentence(numbers jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN format('around the ring of ranks %s wait to receive, up to rank %s, and %s to send, up to rank %s: %s',
	numbers ->> 'ranks_receiving', numbers ->> 'receiving', numbers ->> 'ranks_sending', numbers ->> 'sending',
	COALESCE('nothing passes between it and ' || (numbers ->> 'peer'), 'it is between these and says nothing'));
COMMENT ON FUNCTION @extschema@.l4_between_sentence(jsonb) IS
'Step: Evidence of kind between (l4_evidence_between, its numbers) as a part of a sentence.';

CREATE FUNCTION @extschema@.l4_missing_sentence(numbers jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN numbers ? 'peer'
		THEN format('it does not reach %s, which waited for all with %s of %s there', numbers ->> 'peer',
			numbers ->> 'joined', numbers ->> 'expected')
	WHEN numbers ? 'ranks' THEN format('only %s of its ranks log anything, of every other node %s do', numbers ->> 'ranks',
		numbers ->> 'ranks_usual')
	WHEN numbers ? 'statements' THEN format(
		'its ranks never started: they log none of the %s statements that the others begin with', numbers ->> 'statements')
	ELSE 'the scheduler lists it, but there is not one record from it' END;
COMMENT ON FUNCTION @extschema@.l4_missing_sentence(jsonb) IS
'Step: Evidence of kind missing, with its numbers, as a part of a sentence.';

CREATE FUNCTION @extschema@.l4_elsewhere_sentence(numbers jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN numbers ? 'call'
	THEN format('of %s ranks that print where they stand it alone is not in "%s"', numbers ->> 'ranks', numbers ->> 'call')
	ELSE format('of %s ranks of process group %s it alone has no collective to wait for', numbers ->> 'ranks',
		numbers ->> 'process_group') END;
COMMENT ON FUNCTION @extschema@.l4_elsewhere_sentence(jsonb) IS
'Step: Evidence of kind elsewhere (l4_evidence_elsewhere, its numbers) as a part of a sentence.';

CREATE FUNCTION @extschema@.l4_evidence_sentence(evidence @extschema@.l4_evidence, brief boolean DEFAULT false) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT CASE e.kind
		WHEN 'missing' THEN @extschema@.l4_missing_sentence(e.n)
		WHEN 'silent' THEN format('all its logs end at %s, %s s before the other nodes''', e.at,
			round((e.n ->> 'seconds')::numeric))
		WHEN 'quiet' THEN CASE WHEN e.n ? 'ranks'
			THEN format('all other ranks log the failure, rank %s %s%s', e.rank,
				COALESCE('stops without a word at ' || e.at, 'says nothing of it'), e.iteration)
			ELSE format('%s of %s nodes log the failure in their %slogs, this one stops without a word%s%s',
				e.n ->> 'units_telling', e.n ->> 'units', NULLIF(e.n ->> 'stream_kind', 'other') || ' ', ' at ' || e.at,
				e.iteration) END
		WHEN 'named' THEN format('%s, a log that all nodes share, names it (%s)', e.n ->> 'source', e.n ->> 'name')
		WHEN 'accused' THEN format('%s it (%s)%s',
			CASE WHEN e.n ->> 'accusers' = '1' THEN e.n ->> 'accuser' || ' names' ELSE e.n ->> 'accusers' || ' nodes name' END,
			e.n ->> 'name', CASE WHEN (e.n ->> 'names_others')::boolean THEN '' ELSE ' and it names no other node' END)
		WHEN 'lag' THEN format('its last iteration is %s, that of the others %s', e.n ->> 'iteration',
			e.n ->> 'others_iteration')
		WHEN 'link' THEN format('%s: %s', @extschema@.l4_link_sentence(e.unit, e.n),
			CASE WHEN e.n ? 'waits' THEN format('%s stands at %s of %s and waits for the other end, which is at %s',
					e.n ->> 'waits', e.n ->> 'done', e.n ->> 'total', e.n ->> 'peer_done')
				WHEN NOT (e.n ->> 'measured')::boolean THEN 'its ends name each other, and nobody else is named'
				WHEN e.n ->> 'teller' = e.unit THEN format('what counts there ("%s") grew', e.gist)
				ELSE format('what %s counts there ("%s") grew', e.n ->> 'teller', e.gist) END)
		WHEN 'between' THEN @extschema@.l4_between_sentence(e.n)
		WHEN 'elsewhere' THEN @extschema@.l4_elsewhere_sentence(e.n)
		WHEN 'behind' THEN CASE WHEN e.n ? 'done'
			THEN format('it got to %s of %s, the others to %s ("%s")', e.n ->> 'done', e.n ->> 'total', e.n ->> 'others_done',
				e.gist)
			ELSE format('it stands a step behind: %s of %s nodes logged "%s" %s times, it once less',
			(e.n ->> 'units')::bigint - (e.n ->> 'units_behind')::bigint, e.n ->> 'units', e.gist, e.n ->> 'times') END
		WHEN 'late' THEN format('it came %s s after the others to the last "%s" (every %s s as a rule): they waited for it',
			round((e.n ->> 'seconds')::float8::numeric, 2), e.gist, round((e.n ->> 'step_seconds')::float8::numeric, 2))
		WHEN 'counter' THEN @extschema@.l4_counter_sentence(e.n, e.parameter, CASE WHEN NOT brief THEN e.gist END)
		WHEN 'slow' THEN @extschema@.l4_slow_unit_sentence(e.n, e.gist)
		WHEN 'setup' THEN format('it is set up differently: %s', @extschema@.l4_setup_sentence(e.n))
			|| COALESCE(', and ' || (e.n ->> 'disagreement') || ' finds that ranks do not agree', '')
		WHEN 'flow' THEN format('the network''s flows say: %s', rtrim(@extschema@.l4_sentence_flow(jsonb_populate_record(
			NULL::@extschema@.l4_flow_finding, e.n)), '.'))
		WHEN 'forest' THEN format('its unusual records set it apart (Isolation Forest: place %s, score %s)', e.n ->> 'place',
			round((e.n ->> 'score')::float8::numeric, 2))
		ELSE -- first, own
			CASE WHEN e.n ->> 'units_alike' = '1' THEN 'it alone logs'
				ELSE format('%s of %s nodes log', e.n ->> 'units_alike', e.n ->> 'units') END || ' "' || e.gist || '"'
			|| CASE WHEN (e.n ->> 'before_others')::boolean THEN ', before the failure shows on other nodes' ELSE '' END
		END
	FROM (
		SELECT v.unit, v.kind, v.rank, v.numbers AS n, @extschema@.l4_clock_text(v.first_ts) AS at,
			' (iteration ' || (v.numbers ->> 'iteration') || ')' AS iteration,
			COALESCE(v.numbers ->> 'gist', @extschema@.l4_text_gist(h.shape)) AS gist,
			COALESCE(v.numbers ->> 'parameter', @extschema@.l4_parameter_label(h.shape,
				(v.numbers ->> 'position')::int)) AS parameter
		FROM (SELECT (l4_evidence_sentence.evidence).*) v
		CROSS JOIN LATERAL (SELECT CASE WHEN NOT v.numbers ? 'gist' THEN
			(SELECT s.shape FROM @extschema@.l4_shape s WHERE s.shape_id = v.shape_id) END AS shape OFFSET 0) h) e;
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_sentence(@extschema@.l4_evidence, boolean) IS
'Step: A piece of evidence in words, as part of a sentence about its unit; brief: without the statement that it quotes in '
'brackets. Reads the shape that it is about, unless its numbers have the gist of that (l4_evidence_facts).';

CREATE FUNCTION @extschema@.l4_doubt_sentence(evidence @extschema@.l4_evidence) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT CASE
		WHEN e.kind = 'accused' AND (e.n ->> 'names_others')::boolean THEN 'it names other nodes itself'
		WHEN e.kind = 'own' THEN 'part of this it logs only when the failure already shows on other nodes'
		WHEN e.kind = 'first' AND e.others > 0
			THEN format('%s "%s", too', CASE e.others WHEN 1 THEN 'another node logs' ELSE e.others || ' other nodes log' END,
				e.n ->> 'gist')
		WHEN e.kind = 'forest' AND (e.n ->> 'place')::int > 1 THEN format('%s further from the rest by what %s',
			CASE e.n ->> 'place' WHEN '2' THEN 'another node is' ELSE (e.n ->> 'place')::int - 1 || ' other nodes are' END,
			CASE e.n ->> 'place' WHEN '2' THEN 'it logs' ELSE 'they log' END) END
	FROM (SELECT (l4_doubt_sentence.evidence).kind AS kind, (l4_doubt_sentence.evidence).numbers AS n,
		((l4_doubt_sentence.evidence).numbers ->> 'units_alike')::int - 1 AS others) e;
END;
COMMENT ON FUNCTION @extschema@.l4_doubt_sentence(@extschema@.l4_evidence) IS
'Step: What in a piece of evidence speaks for its unit, in words, as part of a sentence about it; NULL for nothing.';
