/* Stages and iterations as findings: where a failure began, and which iterations ran unlike the others. */

CREATE FUNCTION @extschema@.l4_stage_findings(job_id text, onsets @extschema@.l4_onset[], wordings @extschema@.l4_wordings)
RETURNS TABLE (kind text, ordinal bigint, score double precision, node text, rank int, stage text, first_seen timestamptz,
	component text, facts jsonb)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 3
BEGIN ATOMIC
	-- each once, where it is first named; tear-down only where nothing else is known
	SELECT 'stage', row_number() OVER (ORDER BY s.stage = 'teardown', s.turn), 1::float8 / s.turn, s.node, s.rank, s.stage,
		s.ts, s.component, jsonb_strip_nulls(jsonb_build_object('place', s.place, 'unit', s.unit, 'quotes', (
			SELECT jsonb_agg(q.quote)
			FROM @extschema@.l4_record_texts(l4_stage_findings.job_id, ARRAY[s.stream_id], ARRAY[s.line_no], wordings) t
			CROSS JOIN LATERAL jsonb_array_elements(@extschema@.l4_quotes(t.source, t.line_no, t.raw)) q (quote)
			WHERE s.line_no IS NOT NULL)))
	FROM (SELECT DISTINCT ON (o.stage) o.* FROM unnest(l4_stage_findings.onsets) o WHERE o.stage IS NOT NULL ORDER BY o.stage,
		o.turn) s;
END;
COMMENT ON FUNCTION @extschema@.l4_stage_findings(text, @extschema@.l4_onset[], @extschema@.l4_wordings) IS
'Step: the stages in which a failure may have begun, as columns of l4_finding of the same names; facts: place (of '
'l4_onset), unit, quotes.';

CREATE TYPE @extschema@.l4_iteration_candidate AS (
	iteration bigint,
	turn int,
	node text,
	rank int,
	stage text,
	ts timestamptz,
	facts jsonb
);
COMMENT ON TYPE @extschema@.l4_iteration_candidate IS
'Step: an iteration to be told of, the most telling with the lowest turn; facts as l4_iteration_sentence reads them.';

CREATE FUNCTION @extschema@.l4_onset_iterations(onsets @extschema@.l4_onset[], limits @extschema@.l4_limits)
	RETURNS SETOF @extschema@.l4_iteration_candidate
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 3
BEGIN ATOMIC
	-- what shows only later than the most telling place is no beginning
	SELECT DISTINCT ON (o.iteration) o.iteration,
		o.turn + CASE WHEN o.iteration > first_value(o.iteration) OVER (ORDER BY o.turn)
			THEN (limits).iteration_later_turns::int ELSE 0 END,
		o.node, o.rank, o.stage, o.ts, jsonb_strip_nulls(jsonb_build_object('basis', 'onset', 'place', o.place, 'unit', o.unit,
			'places', count(*) OVER (ORDER BY o.iteration RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING)))
	FROM unnest(l4_onset_iterations.onsets) o
	WHERE o.iteration IS NOT NULL
	ORDER BY o.iteration, o.turn;
END;
COMMENT ON FUNCTION @extschema@.l4_onset_iterations(@extschema@.l4_onset[], @extschema@.l4_limits) IS
'Step: the iterations where the evidence begins, each once; facts: basis (onset), place and unit, and at how many places it is '
'the iteration, give or take one (places).';

CREATE FUNCTION @extschema@.l4_check_period(job_id text, unexplained @extschema@.l4_unexplained_record[],
	onset @extschema@.l4_onset) RETURNS numeric
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	WITH asked AS MATERIALIZED (
		-- all ranks, of which there may be thousands, only where they do the same in that stage
		SELECT CASE WHEN (onset).stage IN ('checkpoint_save', 'evaluation') THEN NULL ELSE ARRAY[(onset).stream_id] END
			AS stream_ids
	)
	SELECT max((e.last_iteration - e.first_iteration)::numeric / (e.occurrences - 1))
	FROM @extschema@.l4_job_counts(l4_check_period.job_id, (SELECT a.stream_ids FROM asked a), min_occurrences => 2,
		iterating => true) e
	JOIN @extschema@.l4_job_streams(l4_check_period.job_id, (SELECT a.stream_ids FROM asked a)) s
		ON s.stream_id = e.stream_id
	WHERE s.kind = 'rank' AND e.last_iteration BETWEEN (onset).iteration - 1 AND (onset).iteration + 1
		AND ((onset).stage IN ('checkpoint_save', 'evaluation') AND e.stage = (onset).stage
			OR e.stream_id = (onset).stream_id AND EXISTS (SELECT FROM unnest(l4_check_period.unexplained) r
				WHERE r.stream_id = e.stream_id AND r.shape_id = e.shape_id AND r.reason = 'new value'
					AND r.first_line = (onset).line_no));
END;
COMMENT ON FUNCTION @extschema@.l4_check_period(text, @extschema@.l4_unexplained_record[], @extschema@.l4_onset) IS
'Step: where an onset is in what recurs every so many iterations (a checkpoint, an evaluation, a statement that has a new '
'value there), the number of iterations between two; else NULL.';

CREATE FUNCTION @extschema@.l4_check_iterations(job_id text, unexplained @extschema@.l4_unexplained_record[],
	onsets @extschema@.l4_onset[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_iteration_candidate
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	-- What only a recurring check can find (a checkpoint, an evaluation, a scrub) began anywhere since the check before:
	-- half-way between is the best guess of one iteration.
	SELECT o.iteration - round(c.period / 2)::bigint, (limits).iteration_check_turn::int, o.node, o.rank, NULL::text,
		NULL::timestamptz,
		jsonb_build_object('basis', 'check', 'period', round(c.period), 'from', o.iteration - round(c.period), 'to',
			o.iteration)
	FROM (SELECT o.* FROM unnest(l4_check_iterations.onsets) o WHERE o.iteration IS NOT NULL ORDER BY o.turn LIMIT 1) o
	CROSS JOIN LATERAL (SELECT @extschema@.l4_check_period(l4_check_iterations.job_id, l4_check_iterations.unexplained,
		o::@extschema@.l4_onset) AS period) c
	WHERE c.period >= (limits).iteration_check_period;
END;
COMMENT ON FUNCTION @extschema@.l4_check_iterations(text, @extschema@.l4_unexplained_record[], @extschema@.l4_onset[],
	@extschema@.l4_limits) IS
'Step: of a failure that a recurring check found, the iteration half-way since the check before.';

CREATE FUNCTION @extschema@.l4_unlike_iterations(job_id text, suspect text, told bigint[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_iteration_candidate
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 3
BEGIN ATOMIC
	-- Of the stream that tells most of the iterations (the last one is cut short and says nothing). A very long stream is
	-- not read for it.
	SELECT d.iteration, (limits).iteration_unlike_turn::int + (row_number() OVER (ORDER BY d.nearest_distance DESC,
		d.iteration DESC))::int, t.node, t.rank,
		NULL::text, NULL::timestamptz, jsonb_build_object('basis', 'unlike', 'distance', d.nearest_distance)
	FROM @extschema@.l4_telling_stream(l4_unlike_iterations.job_id, l4_unlike_iterations.suspect, (limits).onset_stream_bytes) t
	CROSS JOIN LATERAL @extschema@.l4_iteration_scores(l4_unlike_iterations.job_id, t.stream_id) d
	WHERE d.unusual AND NOT d.last AND d.iteration <> ALL (l4_unlike_iterations.told);
END;
COMMENT ON FUNCTION @extschema@.l4_unlike_iterations(text, text, bigint[], @extschema@.l4_limits) IS
'Step: the iterations whose events run unusually (l4_iteration_scores), as the stream tells that marks most of them, '
'rather one of the suspect''s; without those that are told already. Reads that stream''s file.';

CREATE FUNCTION @extschema@.l4_iteration_standing(facts jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN jsonb_build_object('onset', (facts ->> 'basis' = 'onset')::int,
	'agreed', round(1 - 1::numeric / COALESCE((facts ->> 'places')::int, 1), 2));
COMMENT ON FUNCTION @extschema@.l4_iteration_standing(jsonb) IS
'Step: what an iteration stands on: whether evidence begins there (onset, 0 or 1), and how many places agree on it (agreed: 1 '
'- 1 by their number). Whether it is told first, and whether the stream of the evidence marks it itself, tells nothing more.';

CREATE FUNCTION @extschema@.l4_iteration_findings(job_id text, unexplained @extschema@.l4_unexplained_record[],
	suspects text[], onsets @extschema@.l4_onset[], limits @extschema@.l4_limits)
RETURNS TABLE (kind text, ordinal bigint, score double precision, node text, rank int, stage text, iteration bigint,
	first_seen timestamptz, facts jsonb)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
BEGIN ATOMIC
	WITH began AS MATERIALIZED (
		SELECT o.* FROM @extschema@.l4_onset_iterations(l4_iteration_findings.onsets, limits) o
	), checked AS MATERIALIZED (
		SELECT c.* FROM @extschema@.l4_check_iterations(l4_iteration_findings.job_id, l4_iteration_findings.unexplained,
			l4_iteration_findings.onsets, limits) c
		WHERE c.iteration NOT IN (SELECT b.iteration FROM began b)
	), unlike AS (
		SELECT u.* FROM @extschema@.l4_unlike_iterations(l4_iteration_findings.job_id, l4_iteration_findings.suspects[1],
			ARRAY(SELECT b.iteration FROM began b UNION ALL SELECT c.iteration FROM checked c), limits) u
		WHERE cardinality(l4_iteration_findings.unexplained) > 0
		ORDER BY u.turn LIMIT (limits).iteration_unlike_most::bigint
	)
	SELECT 'iteration', row_number() OVER (ORDER BY i.turn, i.iteration), 1::float8 / i.turn, i.node, i.rank, i.stage,
		i.iteration, i.ts, i.facts || jsonb_build_object('standing', @extschema@.l4_iteration_standing(i.facts))
	FROM (SELECT * FROM began UNION ALL SELECT * FROM checked UNION ALL SELECT * FROM unlike) i;
END;
COMMENT ON FUNCTION @extschema@.l4_iteration_findings(text, @extschema@.l4_unexplained_record[], text[],
	@extschema@.l4_onset[], @extschema@.l4_limits) IS
'Step: iterations as columns of l4_finding of the same names: where the evidence begins, what a recurring check found, and '
'at most three that run unlike the others.';
