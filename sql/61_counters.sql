/*
 * Counters: the progress of a job of which no rule knows more than one iteration, or only those that checkpoints and
 * evaluations name, learnt from the numbers in its records.
 *
 * A number that grows by the same step from record to record through much of what a rank logs (or begins anew, with each
 * epoch), and does so on the ranks together, counts what the job does again and again, whatever word stands before it.
 */

CREATE TYPE @extschema@.l4_learnt_counter AS (
	shape_ids bigint[],
	"position" int,
	stream_ids bigint[]
);
COMMENT ON TYPE @extschema@.l4_learnt_counter IS
'A parameter that counts a job''s progress: the shapes that hold it, its position, and the streams that log it, the one that '
'got furthest first.';

CREATE FUNCTION @extschema@.l4_counted_words(shape text, "position" int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	-- a number with a unit behind it is a share, a time or a size; tries are no progress, nor are those who join one by one
	SELECT CASE WHEN w.words[l4_counted_words.position] !~* ('(?<![[:alnum:]])(attempts?|tr(y|ies)|retr(y|ies)|ranks?|workers?'
			'|peers?|members?|replicas?|nodes?|hosts?|clients?|devices?|[gn]pus?|process(es)?)\W{0,3}$')
		AND w.words[l4_counted_words.position + 1] !~* '^\s?(?:%|/s|(?:[munμ]?s|secs?|seconds?|minutes?|min|hours?|h|x'
			'|[kmgt]i?b?|bytes?|tokens?|samples?)(?![\w]))'
		-- a bar is drawn otherwise each time
		THEN array_to_string(ARRAY(SELECT regexp_replace(u.part,
				'[[(|<]?[^[:alnum:]\n<>"''{}$%&@:;,/\\]{6,}[])|>]?|\s+', '', 'g')
			FROM unnest(w.words) WITH ORDINALITY u (part, turn)
			WHERE u.turn <= l4_counted_words.position + 1 ORDER BY u.turn), '<*>') END
	FROM (SELECT string_to_array(l4_counted_words.shape, '<*>') AS words) w;
END;
COMMENT ON FUNCTION @extschema@.l4_counted_words(text, int) IS
'Step: What a number in a shape counts: the words before it and those up to the next parameter, without blanks, with which '
'programs only align numbers. What stands behind may be there or not. NULL for a number with a unit, and for one of tries '
'or of members of a group.';

CREATE FUNCTION @extschema@.l4_counting_parameters(job_id text, stream_ids bigint[], limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint, words text, "position" int, occurrences bigint, shape_ids bigint[], numbers bigint[],
	lines bigint[], first_line bigint, last_line bigint, minimum double precision, maximum double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10
BEGIN ATOMIC
	WITH entry AS MATERIALIZED (
		SELECT e.stream_id, e.shape_id, e.first_line, e.last_line
		FROM @extschema@.l4_job_counts(l4_counting_parameters.job_id, l4_counting_parameters.stream_ids) e
		-- what a warning counts is how often something was tried
		WHERE @extschema@.l4_level_rank(e.level) < (limits).gravity_trouble
	),
	parameter AS MATERIALIZED (
		SELECT p.*, e.first_line, e.last_line,
			@extschema@.l4_counted_words(h.shape, p.position) AS words,
			CASE WHEN p.distinct_values > cardinality(p.values)
				THEN (SELECT max(l) FROM unnest(p.value_lines) l) END AS known_to
		FROM (SELECT array_agg(DISTINCT e.shape_id) AS shape_ids FROM entry e) x
		CROSS JOIN LATERAL @extschema@.l4_job_sketches(l4_counting_parameters.job_id, ARRAY(SELECT s.source_id
			FROM @extschema@.l4_job_streams(l4_counting_parameters.job_id, l4_counting_parameters.stream_ids) s)) k
		CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch, x.shape_ids) p
		JOIN entry e ON e.stream_id = p.stream_id AND e.shape_id = p.shape_id
		JOIN @extschema@.l4_shape h ON h.shape_id = p.shape_id
		WHERE p.number_count = p.occurrences AND p.minimum >= 0 AND p.maximum = floor(p.maximum)
	),
	members AS (
		-- what is counted up to the number of ranks or nodes are these: "member 3 joined (4/8)"
		SELECT p.stream_id, p.shape_id, p.position FROM parameter p
		JOIN parameter n ON n.stream_id = p.stream_id AND n.shape_id = p.shape_id AND n.position = p.position + 1
			AND n.minimum = n.maximum AND p.maximum <= n.maximum
		WHERE EXISTS (SELECT FROM (SELECT count(DISTINCT s.rank) AS ranks, count(DISTINCT s.node) AS nodes
			FROM @extschema@.l4_job_streams(l4_counting_parameters.job_id) s) j WHERE n.maximum IN (j.ranks, j.nodes))
	),
	same AS (
		SELECT p.stream_id, p.words, p.position, sum(p.occurrences)::bigint AS occurrences,
			array_agg(p.shape_id ORDER BY p.shape_id) AS shape_ids, min(p.known_to) AS known_to,
			min(p.first_line) AS first_line, max(p.last_line) AS last_line, min(p.minimum) AS minimum, max(p.maximum) AS maximum
		FROM parameter p
		WHERE p.words IS NOT NULL AND (p.stream_id, p.shape_id, p.position) NOT IN (SELECT m.stream_id, m.shape_id, m.position
			FROM members m)
		GROUP BY p.stream_id, p.words, p.position
		HAVING min(p.minimum) < max(p.maximum)
	)
	SELECT m.stream_id, m.words, m.position, m.occurrences, m.shape_ids, v.numbers, v.lines, m.first_line, m.last_line,
		m.minimum, m.maximum
	FROM same m
	CROSS JOIN LATERAL (
		-- records that a carriage return parts share a line, and are not always of one shape
		SELECT array_agg(d.number ORDER BY d.line, d.number) AS numbers, array_agg(d.line ORDER BY d.line, d.number) AS lines
		FROM (SELECT @extschema@.l4_counted_number(u.value) AS number, min(u.line) AS line
			FROM parameter p CROSS JOIN LATERAL unnest(p.values, p.value_lines) u (value, line)
			WHERE p.stream_id = m.stream_id AND p.position = m.position AND p.words = m.words
				AND (u.line > m.known_to) IS NOT TRUE
			GROUP BY 1) d) v;
END;
COMMENT ON FUNCTION @extschema@.l4_counting_parameters(text, bigint[], @extschema@.l4_limits) IS
'Step: The whole numbers in the harmless records of given streams of a job that change, each with what it counts (words, '
'position; l4_counted_words), over all shapes that say so: how many records, which shapes, and its values (numbers, '
'lines) in the order '
'in which they came first, as far as all are kept.';

CREATE FUNCTION @extschema@.l4_steady_step(numbers bigint[], lines bigint[], occurrences bigint, first_line bigint,
	last_line bigint, minimum double precision, maximum double precision, limits @extschema@.l4_limits) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	WITH stepped AS (
		SELECT u.line, u.number - lag(u.number) OVER (ORDER BY u.turn) AS step
		FROM unnest(l4_steady_step.numbers, l4_steady_step.lines) WITH ORDINALITY u (number, line, turn)
	),
	seen AS (
		SELECT mode() WITHIN GROUP (ORDER BY s.step) AS usual, count(s.step) AS steps, count(*) AS numbers,
			count(*) FILTER (WHERE s.step <= 0) AS back, max(s.line) - min(s.line) AS span
		FROM stepped s
	)
	SELECT n.usual
	FROM seen n
	WHERE n.usual > 0 AND n.numbers >= (limits).counter_records
		-- most steps are the same, a step back begins anew
		AND (SELECT count(*) FROM stepped s WHERE s.step = n.usual) >= (limits).counter_equal_share * n.steps
		AND n.back <= (limits).counter_back_share * n.steps
		AND (l4_steady_step.maximum - l4_steady_step.minimum) / n.usual + 1
			<= l4_steady_step.occurrences * (1 + (limits).counter_gap_share)
		-- each record has the next number: what several records have alike counts something larger (an epoch)
		AND 1 + n.span * (l4_steady_step.occurrences - 1)::double precision
			/ GREATEST(l4_steady_step.last_line - l4_steady_step.first_line, 1)
			<= n.numbers * (1 + (limits).counter_gap_share);
END;
COMMENT ON FUNCTION @extschema@.l4_steady_step(bigint[], bigint[], bigint, bigint, bigint, double precision, double precision,
	@extschema@.l4_limits) IS
'Step: The step by which numbers (each with the line where it came first, of so many records between two lines, from minimum '
'to maximum) count up from record to record, most by the same, a few back to where they began; NULL where they do not count.';

CREATE FUNCTION @extschema@.l4_steady_parameters(job_id text, stream_ids bigint[], limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint, words text, "position" int, occurrences bigint, shape_ids bigint[],
	minimum double precision, maximum double precision, told double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10
BEGIN ATOMIC
	WITH steady AS MATERIALIZED (
		SELECT p.*, @extschema@.l4_steady_step(p.numbers, p.lines, p.occurrences, p.first_line, p.last_line, p.minimum,
			p.maximum, limits) AS step
		FROM @extschema@.l4_counting_parameters(l4_steady_parameters.job_id, l4_steady_parameters.stream_ids, limits) p
		-- what a rank logs after its last count is its failure's
		WHERE GREATEST(p.last_line - p.first_line, p.occurrences - 1) >= (limits).counter_line_share * p.last_line
	)
	SELECT s.stream_id, s.words, s.position, s.occurrences, s.shape_ids, s.minimum, s.maximum,
		LEAST(s.occurrences, (s.maximum - s.minimum) / s.step + 1)
	FROM (SELECT t.* FROM steady t WHERE t.step IS NOT NULL) s
	-- what ended before another number began to count belongs to the start of the job
	WHERE NOT EXISTS (SELECT FROM steady o WHERE o.step IS NOT NULL AND o.stream_id = s.stream_id
		AND o.first_line > s.last_line);
END;
COMMENT ON FUNCTION @extschema@.l4_steady_parameters(text, bigint[], @extschema@.l4_limits) IS
'Step: Parameters that grow by one step from record to record in given streams of a job, through much of what these log; '
'also such as begin anew after a while (an epoch). minimum, maximum: from where to where they got; told: how many numbers '
'that are.';

CREATE FUNCTION @extschema@.l4_timeline_unstamped(job_id text, limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
RETURN @extschema@.l4_job_timeline_stamped(l4_timeline_unstamped.job_id, (limits).slow_steps_read::int)
	< (limits).counter_stamped_share;
COMMENT ON FUNCTION @extschema@.l4_timeline_unstamped(text, @extschema@.l4_limits) IS
'Step: Are most iterations of a job told of without a time of their own (l4_job_timeline_stamped)? NULL where none is.';

CREATE FUNCTION @extschema@.l4_learn_counter(job_id text, limits @extschema@.l4_limits DEFAULT NULL,
	unstamped boolean DEFAULT false) RETURNS @extschema@.l4_learnt_counter
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	stream_ids bigint[];
	named bigint;
	apart double precision;
	first_named bigint;
	last_named bigint;
	gap bigint;
	untimed boolean := false;
	learnt @extschema@.l4_learnt_counter;
BEGIN
	l4_learn_counter.limits := coalesce(l4_learn_counter.limits, @extschema@.l4_limits_in_force());
	-- one iteration that is named once is no progress, nor are the few that checkpoints and evaluations name now and then
	IF @extschema@.l4_marks_iterations(l4_learn_counter.job_id) THEN
		SELECT w.iterations, (w.last_iteration - w.first_iteration)::double precision / (w.iterations - 1), w.first_iteration,
			w.last_iteration, CASE WHEN NOT l4_learn_counter.unstamped THEN NULLIF(w.largest_gap, 1) END
		INTO named, apart, first_named, last_named, gap
		FROM @extschema@.l4_job_timeline_span(l4_learn_counter.job_id) w WHERE w.iterations > 1;
		untimed := FOUND AND l4_learn_counter.unstamped
			AND @extschema@.l4_timeline_unstamped(l4_learn_counter.job_id, limits) IS TRUE;
		IF named IS NULL AND NOT l4_learn_counter.unstamped THEN
			-- of iterations without any times nobody knows how far apart they are named
			SELECT min(s.first_iteration), max(s.last_iteration), max(s.last_iteration) - min(s.first_iteration)
			INTO first_named, last_named, gap
			FROM @extschema@.l4_job_streams(l4_learn_counter.job_id) s;
		END IF;
		IF (apart >= (limits).counter_named_apart AND named <= (limits).counter_named_most) IS NOT TRUE
			AND (named IS NOT NULL OR NOT l4_learn_counter.unstamped) AND NOT untimed AND gap IS NULL THEN
			RETURN NULL;
		END IF;
	END IF;
	-- what stands in nobody's name in a log that ranks share, or that all share where no rank has a stream, is of one of them
	stream_ids := ARRAY(SELECT s.stream_id
		FROM (SELECT j.*, bool_or(j.kind = 'rank') OVER () AS ranks, bool_or(j.kind = 'rank') OVER (PARTITION BY j.source_id)
				AS ranks_here FROM @extschema@.l4_job_streams(l4_learn_counter.job_id) j WHERE j.record_count > 0) s
		WHERE (s.kind = 'rank' OR s.kind = 'shared' AND (s.ranks_here OR NOT s.ranks AND s.last_stage IS NOT NULL)
				OR s.kind = 'other' AND NOT s.ranks AND s.last_iteration IS NOT NULL)
			AND s.record_count >= (limits).counter_records
		ORDER BY s.record_count DESC, s.stream_id LIMIT (limits).counter_streams::bigint);
	-- What gets far: what begins anew again and again counts within an iteration (micro-steps, batches of an evaluation). Of
	-- such nothing that is said much less (epochs), then what most ranks count, as in many programs one rank alone tells of
	-- progress, rather what never begins anew, what is another number each time, and the slowest. What tells of another stage
	-- counts that.
	WITH steady AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_steady_parameters(l4_learn_counter.job_id, stream_ids, limits) p
	),
	shape AS MATERIALIZED (
		SELECT h.shape_id, @extschema@.l4_stage_text(h.shape) AS sample
		FROM @extschema@.l4_shape h
		WHERE h.shape_id = ANY (ARRAY(SELECT DISTINCT i FROM steady p, unnest(p.shape_ids) i))
	),
	staged AS MATERIALIZED (
		SELECT h.shape_id
		FROM shape h
		CROSS JOIN LATERAL (SELECT r.stage
			FROM (SELECT u.* FROM @extschema@.l4_stage_rule_in_force u ORDER BY u.priority, u.name OFFSET 0) r
			WHERE @extschema@.l4_pattern_matches(r.pattern, h.sample) LIMIT 1) r
		-- a job that only evaluates counts what it evaluates
		WHERE r.stage <> 'iterating' AND (r.stage <> 'evaluation' OR EXISTS (SELECT
			FROM @extschema@.l4_job_stages(l4_learn_counter.job_id) s WHERE s.stage = 'iterating'))
	),
	counter AS (
		SELECT p.words, p.position, array_agg(p.stream_id ORDER BY p.maximum DESC, p.stream_id) AS stream_ids,
			max(p.maximum - p.minimum) AS growth, count(*) AS streams, max(p.told) AS told, max(p.occurrences) AS records,
			min(p.minimum) AS least, max(p.maximum) AS furthest
		FROM steady p
		WHERE NOT EXISTS (SELECT FROM staged g WHERE g.shape_id = ANY (p.shape_ids))
		GROUP BY p.words, p.position
		HAVING min(p.maximum) >= (limits).counter_together_share * max(p.maximum)
	),
	far AS (
		SELECT c.*, max(c.records) OVER () AS most_records
		FROM counter c WHERE c.told >= (limits).counter_told_share * (SELECT max(o.told) FROM counter o)
	)
	SELECT ARRAY(SELECT DISTINCT i FROM steady p, unnest(p.shape_ids) i
			WHERE p.words = f.words AND p.position = f.position ORDER BY i), f.position, f.stream_ids INTO learnt
	FROM far f WHERE f.records >= (limits).counter_record_share * f.most_records
		AND (named IS NULL AND last_named IS NULL OR f.records >= named * (limits).counter_named_factor AND f.growth >= apart
			-- what is said of iterations that the rules know must count these
			OR untimed AND abs(f.furthest - last_named) <= 1
			-- what counts one by one, from about where the rules' began, has got further than these, whose next was not due
			OR f.told > f.growth AND f.least BETWEEN first_named - gap AND first_named + 1
				AND f.furthest BETWEEN last_named + 2 AND last_named + gap)
	ORDER BY f.streams DESC, f.records > f.told * (1 + (limits).counter_gap_share), f.records > f.told, f.growth,
		f.words COLLATE "C", f.position
	LIMIT 1;
	RETURN learnt;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_learn_counter(text, @extschema@.l4_limits, boolean) IS
'Step: What counts the progress of a job of which no rule knows more than one iteration, or a few that are named now and '
'then, or not the last ones: the parameter that grows steadily, '
'and on the ranks that tell of it together; NULL where there is none, or rules know (unstamped: and their iterations have '
'times). Logs of ranks, and what stands in nobody''s name in those that ranks share. Reads the parameter statistics of a few.';

CREATE FUNCTION @extschema@.l4_counter_at(job_id text, counter @extschema@.l4_learnt_counter, stream_id bigint, at_line bigint,
	at_ts timestamptz, limits @extschema@.l4_limits) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH teller AS MATERIALIZED (
		SELECT t.stream_id, t.source_id, t.stream_id = l4_counter_at.stream_id IS TRUE AS same
		FROM @extschema@.l4_job_streams(l4_counter_at.job_id, (counter).stream_ids) t
		ORDER BY t.stream_id = l4_counter_at.stream_id IS TRUE DESC, array_position((counter).stream_ids, t.stream_id) LIMIT 1
	),
	segment AS (
		SELECT g.*, t.stream_id, t.same
		FROM teller t, @extschema@.l4_job_segments(l4_counter_at.job_id, ARRAY(SELECT t.source_id FROM teller t),
			(counter).shape_ids) g
		WHERE CASE WHEN t.same THEN g.first_line <= COALESCE(l4_counter_at.at_line, g.first_line)
			ELSE l4_counter_at.at_ts IS NULL OR g.first_ts IS NULL OR g.first_ts <= l4_counter_at.at_ts END
			AND t.stream_id = ANY (g.stream_ids)
		ORDER BY g.segment_no DESC LIMIT (limits).onset_segments::bigint
	)
	SELECT @extschema@.l4_counted_number(r.parameters[(counter).position])
	FROM segment g
	CROSS JOIN LATERAL @extschema@.l4_shape_records(g.structure, g.texts, g.parameters, g.stream_ids,
		(counter).shape_ids) WITH ORDINALITY r (stream_id, line_no, shape_id, parameters, raw, turn)
	WHERE r.stream_id = g.stream_id AND CASE WHEN g.same THEN r.line_no <= COALESCE(l4_counter_at.at_line, r.line_no)
		ELSE ((@extschema@.l4_parse(split_part(r.raw, E'\n', 1), reference => l4_counter_at.at_ts)).time
			<= l4_counter_at.at_ts) IS NOT FALSE END
	ORDER BY g.segment_no DESC, r.turn DESC LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_counter_at(text, @extschema@.l4_learnt_counter, bigint, bigint, timestamptz,
	@extschema@.l4_limits) IS
'Step: What a learnt counter said last at a place in a job''s logs (stream and line, else time), in that stream or in the one '
'that got furthest. NULL before its first record.';

CREATE FUNCTION @extschema@.l4_is_interrupted(job_id text, counter @extschema@.l4_learnt_counter, stream_id bigint,
	at_line bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	WITH entry AS (
		SELECT e.stream_id = l4_is_interrupted.stream_id AS own, e.shape_id = ANY ((counter).shape_ids) AS counts, e.last_line,
			e.last_ts, e.stage IN ('evaluation', 'checkpoint_save') AS interrupts
		FROM @extschema@.l4_job_counts(l4_is_interrupted.job_id,
			ARRAY[l4_is_interrupted.stream_id, (counter).stream_ids[1]]) e
		WHERE e.stream_id <> l4_is_interrupted.stream_id OR e.last_line < l4_is_interrupted.at_line
	)
	SELECT COALESCE(CASE WHEN bool_or(e.own AND e.counts)
		THEN max(e.last_line) FILTER (WHERE e.own AND e.interrupts AND NOT e.counts)
			> max(e.last_line) FILTER (WHERE e.own AND e.counts)
		ELSE max(e.last_ts) FILTER (WHERE e.own AND e.interrupts) > max(e.last_ts) FILTER (WHERE e.counts) END, true)
	FROM entry e;
END;
COMMENT ON FUNCTION @extschema@.l4_is_interrupted(text, @extschema@.l4_learnt_counter, bigint, bigint) IS
'Step: Of a stream that was last in an evaluation or a checkpoint at a line: does it say more of that since a learnt counter '
'went on, in itself or, where it does not count, in the one that got furthest? Else that is over, which the stream does not '
'know, for it knows no iterations. True where nothing tells.';

CREATE FUNCTION @extschema@.l4_attempts_iterating(job_id text, attempts @extschema@.l4_attempt[],
	counter @extschema@.l4_learnt_counter) RETURNS int[]
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH counted AS MATERIALIZED (
		SELECT s.attempt, e.first_ts, e.last_ts
		FROM @extschema@.l4_job_counts(l4_attempts_iterating.job_id, (counter).stream_ids, (counter).shape_ids) e
		JOIN @extschema@.l4_job_streams(l4_attempts_iterating.job_id, (counter).stream_ids) s ON s.stream_id = e.stream_id
		WHERE (counter).shape_ids IS NOT NULL
	)
	SELECT COALESCE(array_agg(a.attempt ORDER BY a.attempt), '{}')
	FROM unnest(l4_attempts_iterating.attempts) a
	WHERE a.begun_at IS NOT NULL OR EXISTS (SELECT FROM counted c WHERE CASE WHEN a.path_attempt IS NOT NULL
		THEN c.attempt = a.path_attempt
		ELSE (c.last_ts >= a.since) IS NOT FALSE AND (c.first_ts < a.until) IS NOT FALSE END);
END;
COMMENT ON FUNCTION @extschema@.l4_attempts_iterating(text, @extschema@.l4_attempt[], @extschema@.l4_learnt_counter) IS
'Step: Which attempts of a job came to iterate, by the marks of iterations, or by the counter that is learnt where no rule '
'knows them (l4_learn_counter).';
