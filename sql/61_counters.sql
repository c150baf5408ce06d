/*
 * Counters: the progress of a job of which no rule knows the iteration, learnt from the numbers in its records.
 *
 * A number that takes each value once, grows by the same step from record to record through much of what a rank logs, and does
 * so on the ranks together, counts what the job does again and again, whatever word stands before it.
 */

CREATE TYPE @extschema@.l4_learnt_counter AS (
	shape_id bigint,
	"position" int,
	stream_ids bigint[]
);
COMMENT ON TYPE @extschema@.l4_learnt_counter IS
'A parameter of a shape that counts a job''s progress, and the streams that log it, the one that got furthest first.';

CREATE FUNCTION @extschema@.l4_steady_parameters(job_id text, stream_ids bigint[], limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint, shape_id bigint, "position" int, minimum double precision, maximum double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10
BEGIN ATOMIC
	WITH entry AS MATERIALIZED (
		SELECT e.stream_id, e.shape_id
		FROM @extschema@.l4_job_counts(l4_steady_parameters.job_id, l4_steady_parameters.stream_ids,
			min_occurrences => (limits).counter_records::bigint) e
		JOIN @extschema@.l4_job_last_lines(l4_steady_parameters.job_id, l4_steady_parameters.stream_ids) l
			ON l.stream_id = e.stream_id
		WHERE e.last_line - e.first_line >= (limits).counter_line_share * l.last_line
	),
	parameter AS MATERIALIZED (
		SELECT p.*
		FROM (SELECT array_agg(DISTINCT e.shape_id) AS shape_ids FROM entry e) h
		CROSS JOIN LATERAL @extschema@.l4_job_sketches(l4_steady_parameters.job_id, ARRAY(SELECT s.source_id
			FROM @extschema@.l4_job_streams(l4_steady_parameters.job_id, l4_steady_parameters.stream_ids) s)) k
		CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch, h.shape_ids) p
		-- with more values than are kept, each a number
		WHERE p.number_count = p.occurrences AND p.distinct_values > cardinality(p.values) AND p.minimum_line < p.maximum_line
	),
	stepped AS (
		SELECT p.stream_id, p.shape_id, p.position, p.occurrences, p.minimum, p.maximum, v.least AS step
		FROM parameter p JOIN entry e ON e.stream_id = p.stream_id AND e.shape_id = p.shape_id
		CROSS JOIN LATERAL (
			SELECT min(d.step) AS least, max(d.step) AS most, count(d.step) AS steps
			FROM (SELECT w.value - lag(w.value) OVER (ORDER BY w.turn) AS step
				FROM (SELECT substring(u.value, '^\d{1,15}$')::bigint AS value, u.turn
					FROM unnest(p.values) WITH ORDINALITY u (value, turn)) w) d) v
		WHERE v.least > 0 AND v.least = v.most AND v.steps = cardinality(p.values) - 1
	)
	SELECT s.stream_id, s.shape_id, s.position, s.minimum, s.maximum
	FROM stepped s
	WHERE (s.maximum - s.minimum) / s.step + 1 <= s.occurrences * (1 + (limits).counter_gap_share);
END;
COMMENT ON FUNCTION @extschema@.l4_steady_parameters(text, bigint[], @extschema@.l4_limits) IS
'Step: Parameters that grow by one step from record to record in given streams of a job, through much of what these log; '
'also such as begin anew after a while (an epoch). minimum, maximum: from where to where they got.';

CREATE FUNCTION @extschema@.l4_learn_counter(job_id text, limits @extschema@.l4_limits DEFAULT NULL)
	RETURNS @extschema@.l4_learnt_counter
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	stream_ids bigint[];
	learnt @extschema@.l4_learnt_counter;
BEGIN
	l4_learn_counter.limits := coalesce(l4_learn_counter.limits, @extschema@.l4_limits_in_force());
	IF EXISTS (SELECT FROM @extschema@.l4_telling_stream(l4_learn_counter.job_id)) THEN
		RETURN NULL;
	END IF;
	stream_ids := ARRAY(SELECT s.stream_id FROM @extschema@.l4_job_streams(l4_learn_counter.job_id) s
		WHERE s.kind = 'rank' AND s.record_count >= (limits).counter_records
		ORDER BY s.record_count DESC, s.stream_id LIMIT (limits).counter_streams::bigint);
	-- What most ranks count; of several such the slowest, as an iteration has many of what is counted within it. What tells of
	-- another stage counts that.
	SELECT c.shape_id, c.position, c.stream_ids INTO learnt
	FROM (
		SELECT p.shape_id, p.position, array_agg(p.stream_id ORDER BY p.maximum DESC, p.stream_id) AS stream_ids,
			max(p.maximum) AS most, min(p.maximum) AS least,
			max(p.maximum - p.minimum) AS growth, count(*) AS streams
		FROM @extschema@.l4_steady_parameters(l4_learn_counter.job_id, stream_ids, limits) p
		GROUP BY p.shape_id, p.position) c
	JOIN @extschema@.l4_shape h ON h.shape_id = c.shape_id
	WHERE c.least >= (limits).counter_together_share * c.most
		AND NOT EXISTS (SELECT FROM @extschema@.l4_stage_rule_in_force u WHERE u.stage <> 'iterating'
			AND @extschema@.l4_pattern_matches(u.pattern, replace(h.shape, '<*>', '1')))
	ORDER BY c.streams DESC, c.growth, c.shape_id, c.position
	LIMIT 1;
	RETURN learnt;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_learn_counter(text, @extschema@.l4_limits) IS
'Step: What counts the progress of a job of which no rule knows the iteration: the parameter that grows steadily, and on most '
'of the ranks looked at together; NULL where there is none, or rules know. Reads the parameter statistics of a few ranks.';

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
			ARRAY[(counter).shape_id]) g
		WHERE CASE WHEN t.same THEN g.first_line <= COALESCE(l4_counter_at.at_line, g.first_line)
			ELSE l4_counter_at.at_ts IS NULL OR g.first_ts IS NULL OR g.first_ts <= l4_counter_at.at_ts END
			AND t.stream_id = ANY (g.stream_ids)
		ORDER BY g.segment_no DESC LIMIT (limits).onset_segments::bigint
	)
	SELECT substring(r.parameters[(counter).position], '^\d{1,15}$')::bigint
	FROM segment g
	CROSS JOIN LATERAL @extschema@.l4_shape_records(g.structure, g.texts, g.parameters, g.stream_ids,
		ARRAY[(counter).shape_id]) r
	WHERE r.stream_id = g.stream_id AND CASE WHEN g.same THEN r.line_no <= COALESCE(l4_counter_at.at_line, r.line_no)
		ELSE ((@extschema@.l4_parse(split_part(r.raw, E'\n', 1), reference => l4_counter_at.at_ts)).time
			<= l4_counter_at.at_ts) IS NOT FALSE END
	ORDER BY r.line_no DESC LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_counter_at(text, @extschema@.l4_learnt_counter, bigint, bigint, timestamptz,
	@extschema@.l4_limits) IS
'Step: What a learnt counter said last at a place in a job''s logs (stream and line, else time), in that stream or in the one '
'that got furthest. NULL before its first record.';
