/*
 * Steps: how long the iterations of a job take, and from which on they take longer for good.
 *
 * A single slow step is noise, and a slow phase that passes is over: only what lasts to the end of the logs tells of what the
 * job ends with, be it that all steps are slow or, as where packets get lost, many of them. That every step slows down blames
 * nobody.
 */

CREATE TYPE @extschema@.l4_slow_regime AS (
	turn bigint,
	iteration bigint,
	began timestamptz,
	before double precision,
	after double precision,
	iterations_before bigint,
	iterations_since bigint,
	pool_seconds double precision,
	pool_jobs bigint,
	spells boolean
);
COMMENT ON TYPE @extschema@.l4_slow_regime IS
'Steps of a job that take longer than they should: the first of them, with its place in the timeline, and when it began '
'(NULL where that are all steps), the usual seconds of a step before and from there on, how many iterations there were '
'before and since, and what a step takes in successful jobs of the same settings at most, with the number of these jobs '
'(NULL and 0 where there are none); spells: steps are slow now and then, and the seconds since are their mean.';

CREATE FUNCTION @extschema@.l4_step_durations(shape_ids bigint[], parameters text[], limits @extschema@.l4_limits)
RETURNS TABLE (shape_id bigint, "position" int, seconds double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 3
BEGIN ATOMIC
	-- as JSON, since the records of several shapes have not equally many parameters
	WITH told AS MATERIALIZED (
		SELECT r.turn, r.shape_id, p.position, p.value
		FROM unnest(l4_step_durations.shape_ids, l4_step_durations.parameters) WITH ORDINALITY r (shape_id, parameters, turn)
		CROSS JOIN LATERAL jsonb_array_elements_text(r.parameters::jsonb) WITH ORDINALITY p (value, position)
	),
	timed AS (
		SELECT f.shape_id, f.position::int AS position,
			@extschema@.l4_text_seconds(h.shape, f.position::int, f.value) AS seconds,
			@extschema@.l4_parameter_name(h.shape, f.position::int) IS NOT NULL AS named
		FROM (SELECT DISTINCT ON (t.shape_id, t.position) t.* FROM told t ORDER BY t.shape_id, t.position, t.turn) f
		JOIN @extschema@.l4_shape h ON h.shape_id = f.shape_id
	),
	measure AS (
		-- what has no name of its own is another figure of the one before (its mean), but for the first in a table of none
		SELECT d.shape_id, d.position, d.seconds
		FROM (SELECT t.*, row_number() OVER (PARTITION BY t.shape_id ORDER BY t.named DESC, t.position) AS place
			FROM timed t WHERE t.seconds IS NOT NULL) d
		WHERE d.named OR d.place = 1
	),
	changed AS (
		SELECT t.shape_id, t.position, n.number > lag(n.number) OVER w AS more, n.number < lag(n.number) OVER w AS less
		FROM told t
		CROSS JOIN LATERAL (SELECT @extschema@.l4_value_seconds(t.value, 1) AS number) n
		WHERE n.number IS NOT NULL
		WINDOW w AS (PARTITION BY t.shape_id, t.position ORDER BY t.turn)
	)
	SELECT m.shape_id, m.position, m.seconds
	FROM measure m JOIN changed c ON c.shape_id = m.shape_id AND c.position = m.position
	WHERE m.seconds IS NOT NULL
	GROUP BY m.shape_id, m.position, m.seconds
	HAVING count(c.more) > 0 AND GREATEST(count(*) FILTER (WHERE c.more), count(*) FILTER (WHERE c.less))
		< (limits).slow_growing_share * count(c.more);
END;
COMMENT ON FUNCTION @extschema@.l4_step_durations(bigint[], text[], @extschema@.l4_limits) IS
'Step: Which parameters of records are durations that belong to the record: with a name of their own and a unit, whose seconds '
'that is (where none has a name, the first), and neither adding up nor counting down. Two arrays of one length, in the order '
'of the records: the shape of each and its parameters as a JSON array.';

CREATE FUNCTION @extschema@.l4_times_beside(job_id text, source_id bigint, stream_id bigint)
RETURNS TABLE (line_no bigint, part int, ts timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1000
BEGIN ATOMIC
	-- A line without a stamp lies between the last one of its stream and the next. What others wrote into the file before it,
	-- with a time in between, tells it better; a clock that goes otherwise says none.
	WITH line AS (
		SELECT r.line_no, r.part, CASE WHEN @extschema@.l4_clock_was_set(r.ts) THEN r.ts END AS ts,
			r.stream_id = l4_times_beside.stream_id AS own
		FROM @extschema@.l4_job_segments(l4_times_beside.job_id, ARRAY[l4_times_beside.source_id]) g
		CROSS JOIN LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids, false) r
	),
	turn AS (
		SELECT l.*, max(l.ts) FILTER (WHERE l.own) OVER (ORDER BY l.line_no, l.part) AS last FROM line l
	),
	stamp AS (
		SELECT o.last, lead(o.last) OVER (ORDER BY o.last) AS next
		FROM (SELECT DISTINCT t.last FROM turn t WHERE t.last IS NOT NULL) o
	),
	told AS (
		SELECT t.line_no, t.part, t.own, max(CASE WHEN t.own OR t.ts > t.last AND t.ts < s.next THEN t.ts END)
			OVER (ORDER BY t.line_no, t.part) AS ts
		FROM turn t LEFT JOIN stamp s ON s.last = t.last
	)
	SELECT t.line_no, t.part, t.ts FROM told t WHERE t.own;
END;
COMMENT ON FUNCTION @extschema@.l4_times_beside(text, bigint, bigint) IS
'Step: When a stream wrote each of its records into a file that it shares with others, as near as the stamps of all of them '
'tell. Reads the file.';

CREATE FUNCTION @extschema@.l4_counted_steps(job_id text, limits @extschema@.l4_limits)
RETURNS TABLE (turn bigint, iteration bigint, began timestamptz, seconds double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 1000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	counter CONSTANT @extschema@.l4_learnt_counter := @extschema@.l4_learn_counter(l4_counted_steps.job_id, limits, true);
	untimed CONSTANT boolean := @extschema@.l4_timeline_unstamped(l4_counted_steps.job_id, limits) IS TRUE;
	teller record;
BEGIN
	-- no streams would be all
	IF (counter).stream_ids IS NULL THEN
		RETURN;
	END IF;
	SELECT s.stream_id, s.source_id, f.byte_count < limits.onset_stream_bytes IS TRUE AS beside INTO teller
	FROM @extschema@.l4_job_streams(l4_counted_steps.job_id, (counter).stream_ids) s
	-- the own stream of a file knows its size
	LEFT JOIN LATERAL @extschema@.l4_job_streams(l4_counted_steps.job_id, ARRAY[s.source_id]) f
		ON s.shared OR s.kind = 'shared'
	JOIN (SELECT e.stream_id, sum(e.occurrences) AS records
		FROM @extschema@.l4_job_counts(l4_counted_steps.job_id, (counter).stream_ids, (counter).shape_ids) e
		GROUP BY e.stream_id) e ON e.stream_id = s.stream_id
	WHERE s.record_count <= limits.slow_counted_records AND s.byte_count < limits.onset_stream_bytes
	-- who tells of most steps
	ORDER BY e.records DESC, array_position((counter).stream_ids, s.stream_id) LIMIT 1;
	IF teller.stream_id IS NULL THEN
		RETURN;
	END IF;
	RETURN QUERY
	WITH record AS MATERIALIZED (
		SELECT r.line_no, r.part, r.shape_id, r.ts, r.parameters,
			@extschema@.l4_counted_number(r.parameters[(counter).position]) AS iteration
		FROM @extschema@.l4_job_segments(l4_counted_steps.job_id, ARRAY[teller.source_id], (counter).shape_ids) g
		CROSS JOIN LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r
		WHERE r.stream_id = teller.stream_id AND r.shape_id = ANY ((counter).shape_ids)
	),
	clock AS MATERIALIZED (
		SELECT c.* FROM @extschema@.l4_times_beside(l4_counted_steps.job_id, teller.source_id, teller.stream_id) c
		WHERE teller.beside
	),
	counted AS MATERIALIZED (
		SELECT row_number() OVER (ORDER BY r.line_no, r.part) AS turn, r.shape_id, COALESCE(c.ts, r.ts) AS ts, r.parameters,
			r.iteration
		FROM record r LEFT JOIN clock c ON c.line_no = r.line_no AND c.part = r.part
	),
	measure AS MATERIALIZED (
		SELECT d.* FROM (SELECT array_agg(r.shape_id ORDER BY r.turn) AS shape_ids,
			array_agg(array_to_json(r.parameters)::text ORDER BY r.turn) AS parameters FROM counted r HAVING count(*) > 0) a
		CROSS JOIN LATERAL @extschema@.l4_step_durations(a.shape_ids, a.parameters, limits) d
	),
	printed AS (
		SELECT r.turn, sum(@extschema@.l4_value_seconds(r.parameters[m.position], m.seconds)) AS seconds
		FROM counted r JOIN measure m ON m.shape_id = r.shape_id GROUP BY r.turn
	),
	stamp AS (
		-- a record that bears no stamp has that of an earlier one
		SELECT r.turn, r.iteration, r.ts, count(r.ts) FILTER (WHERE r.other) OVER (ORDER BY r.turn) AS stamps
		FROM (SELECT c.*, lag(c.ts) OVER (ORDER BY c.turn) IS DISTINCT FROM c.ts AS other FROM counted c) r
		WHERE NOT untimed AND NOT EXISTS (SELECT FROM measure) AND @extschema@.l4_clock_was_set(r.ts)
	),
	timed AS (
		SELECT f.stamps, EXTRACT(epoch FROM lead(f.ts) OVER w - f.ts)::float8
			/ GREATEST(1, lead(f.iteration) OVER w - f.iteration) AS seconds
		FROM (SELECT DISTINCT ON (s.stamps) s.* FROM stamp s ORDER BY s.stamps, s.turn) f
		WINDOW w AS (ORDER BY f.stamps)
	),
	step AS (
		-- what a record says itself; else the time between two stamps, in which each of the steps there has an equal part
		SELECT r.turn, r.iteration, CASE WHEN @extschema@.l4_clock_was_set(r.ts) THEN r.ts END AS ts, p.seconds
		FROM counted r JOIN printed p ON p.turn = r.turn
		UNION ALL
		SELECT s.turn, s.iteration, s.ts, t.seconds FROM stamp s JOIN timed t ON t.stamps = s.stamps
	)
	SELECT s.turn, s.iteration, s.ts, s.seconds FROM step s
	WHERE s.seconds > 0 AND s.iteration IS NOT NULL ORDER BY s.turn;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_counted_steps(text, @extschema@.l4_limits) IS
'Step: The steps of a job of whose iterations no rule knows, or not when they began, by the counter that is learnt '
'(l4_learn_counter), as l4_job_steps gives them: the seconds are the sum of the durations that its record prints '
'(l4_step_durations), or, where it prints none and no rule knows a time, the time up to its next one. Of one stream, of no '
'more than slow_counted_records records. Reads it.';

CREATE FUNCTION @extschema@.l4_job_steps(job_id text, limits @extschema@.l4_limits, first_turn bigint DEFAULT NULL,
	last_turn bigint DEFAULT NULL)
RETURNS TABLE (turn bigint, iteration bigint, began timestamptz, seconds double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	WITH counted AS MATERIALIZED (
		SELECT c.* FROM @extschema@.l4_counted_steps(l4_job_steps.job_id, limits) c
	),
	started AS (
		-- those that are told of between two stamps have the time of the first one in common
		SELECT i.part, i.started_at, min(i.turn) AS turn, min(i.iteration) AS iteration,
			array_agg(i.turn ORDER BY i.turn) AS turns, array_agg(i.iteration ORDER BY i.turn) AS told
		FROM @extschema@.l4_job_timeline_parts(l4_job_steps.job_id, (limits).slow_steps_read::bigint,
			(limits).slow_steps_least::bigint, l4_job_steps.first_turn, l4_job_steps.last_turn) i
		WHERE @extschema@.l4_clock_was_set(i.started_at) GROUP BY i.part, i.started_at
	),
	mark AS (
		SELECT t.*, lead(t.iteration) OVER w - t.iteration AS iterations,
			EXTRACT(epoch FROM lead(t.started_at) OVER w - t.started_at)::float8 AS seconds
		FROM started t WINDOW w AS (PARTITION BY t.part ORDER BY t.turn)
	),
	beside AS (
		SELECT m.*, LEAST(lag(m.seconds / m.iterations) OVER w, lead(m.seconds / m.iterations) OVER w) AS least,
			GREATEST(lag(m.iterations) OVER w, lead(m.iterations) OVER w) AS most_iterations
		FROM mark m WHERE m.iterations IS DISTINCT FROM 0 WINDOW w AS (PARTITION BY m.part ORDER BY m.turn)
	),
	step AS (
		-- Where not all iterations are told of, one may be marked in its midst, and its end be taken for the beginning of the
		-- next: what lies between is no step.
		SELECT b.turns, b.told, b.started_at, lead(b.iteration) OVER w - b.iteration AS iterations,
			EXTRACT(epoch FROM lead(b.started_at) OVER w - b.started_at)::float8 AS seconds
		FROM beside b
		WHERE (b.iterations = 1 AND b.most_iterations > 1 AND b.seconds < (limits).slow_partial_share * b.least) IS NOT TRUE
		WINDOW w AS (PARTITION BY b.part ORDER BY b.turn)
	)
	SELECT i.turn, i.iteration, s.started_at, s.seconds / s.iterations
	FROM step s, ROWS FROM (unnest(s.turns), unnest(s.told)) i (turn, iteration)
	-- a job that goes on from a checkpoint counts anew
	WHERE s.iterations > 0 AND s.seconds > 0 AND NOT EXISTS (SELECT FROM counted)
	UNION ALL
	SELECT c.turn, c.iteration, c.began, c.seconds
	FROM counted c
	WHERE (c.turn < l4_job_steps.first_turn OR c.turn > l4_job_steps.last_turn) IS NOT TRUE
	ORDER BY 1;
END;
COMMENT ON FUNCTION @extschema@.l4_job_steps(text, @extschema@.l4_limits, bigint, bigint) IS
'Step: The steps of a job in order, as l4_timeline tells them: the place there (turn), the iteration, when it began, and its '
'seconds (of iterations that are told of only now and then, or between two stamps, the mean up to the next one told of later); '
'those from first_turn to '
'last_turn (NULL: to either end), of very many some, evenly chosen. Where no rule knows iterations those that are counted '
'(l4_counted_steps).';

CREATE FUNCTION @extschema@.l4_binomial_likelihood(hits double precision, tries double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN hits > 0 THEN hits * ln(hits / tries) ELSE 0 END
	+ CASE WHEN hits < tries THEN (tries - hits) * ln(1 - hits / tries) ELSE 0 END;
COMMENT ON FUNCTION @extschema@.l4_binomial_likelihood(double precision, double precision) IS
'Step: The logarithm of how likely so many hits in so many tries are where each is one with their own share.';

CREATE FUNCTION @extschema@.l4_spell_onset(job_id text, limits @extschema@.l4_limits)
	RETURNS TABLE (turn bigint, before double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	-- The quick steps are as quick as ever, but among them are many slow ones: the place at which two shares of these are most
	-- likelier than one.
	WITH step AS MATERIALIZED (
		SELECT s.turn, s.seconds, row_number() OVER (ORDER BY s.turn) - 1 AS place FROM @extschema@.l4_job_steps(
			l4_spell_onset.job_id, limits) s
	),
	quick AS MATERIALIZED (
		SELECT percentile_cont((limits).slow_spell_quick_share) WITHIN GROUP (ORDER BY s.seconds) AS seconds, count(*) AS steps
		FROM step s
	),
	judged AS MATERIALIZED (
		SELECT s.*, q.steps, s.seconds > (limits).slow_spell_factor * q.seconds AS slow FROM step s, quick q
	),
	marked AS MATERIALIZED (
		SELECT j.*, count(*) FILTER (WHERE j.slow) OVER w AS slow_before, count(*) FILTER (WHERE j.slow) OVER () AS slow_all,
			count(*) FILTER (WHERE j.begins) OVER w AS spells_before, count(*) FILTER (WHERE j.begins) OVER () AS spells_all,
			avg(j.seconds) OVER w AS mean_before, sum(j.seconds) OVER () AS seconds_all
		FROM (SELECT o.*, o.slow AND lag(o.slow) OVER (ORDER BY o.turn) IS NOT TRUE AS begins FROM judged o) j
		WINDOW w AS (ORDER BY j.turn ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
	),
	place AS (
		SELECT m.*, @extschema@.l4_binomial_likelihood(m.slow_before, m.place)
			+ @extschema@.l4_binomial_likelihood(m.slow_all - m.slow_before, m.steps - m.place)
			- @extschema@.l4_binomial_likelihood(m.slow_all, m.steps) AS likelier
		FROM marked m
		-- they go on to the end, with quick ones between
		JOIN marked h ON h.place = m.place + (m.steps - m.place) / 2
			AND h.slow_all - h.slow_before >= (limits).slow_spell_share * (h.steps - h.place)
		WHERE m.slow AND m.place >= (limits).slow_steps_least
			AND m.spells_all - m.spells_before >= (limits).slow_spell_least
			AND m.slow_all - m.slow_before >= (limits).slow_spell_share * (m.steps - m.place)
			AND (m.slow_all - m.slow_before)::float8 * m.place
				>= (limits).slow_spell_rise * m.slow_before * (m.steps - m.place)
			AND (m.seconds_all - m.mean_before * m.place) / (m.steps - m.place) >= (limits).slow_factor * m.mean_before
	)
	SELECT p.turn, p.mean_before FROM place p
	WHERE p.likelier >= (limits).slow_spell_evidence ORDER BY p.likelier DESC, p.turn LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_spell_onset(text, @extschema@.l4_limits) IS
'Step: From which place in the timeline of a job on many of its steps take longer, and the mean seconds of a step before. No '
'row where they do not, or as many did all the time.';

CREATE FUNCTION @extschema@.l4_few_steps_onset(job_id text, limits @extschema@.l4_limits)
	RETURNS TABLE (turn bigint, before double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	WITH step AS MATERIALIZED (
		SELECT m.turn, m.seconds, m.began, row_number() OVER (ORDER BY m.turn) AS place, count(*) OVER () AS steps
		FROM @extschema@.l4_job_steps(l4_few_steps_onset.job_id, limits) m
	),
	measured AS MATERIALIZED (
		-- those that lie between two stamps in common, and whose records say no durations, were not measured one by one
		SELECT bool_and(o.single) AS single
		FROM (SELECT count(*) = 1 OR count(DISTINCT s.seconds) > 1 AS single FROM step s GROUP BY s.began) o
	),
	bound AS (
		SELECT s.turn, s.place, s.steps, max(s.seconds) FILTER (WHERE s.place > 1) OVER (ORDER BY s.turn
				ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS most_before,
			min(s.seconds) OVER (ORDER BY s.turn ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS least_since
		FROM step s
	),
	apart AS MATERIALIZED (
		SELECT b.turn FROM bound b JOIN measured m ON m.single
		WHERE b.steps < (limits).slow_few_most AND b.steps - b.place + 1 >= (limits).slow_few_least
			AND (b.place > (limits).slow_few_least AND b.least_since >= (limits).slow_few_apart * b.most_before
				OR b.place > (limits).slow_few_before AND b.least_since >= (limits).slow_few_far * b.most_before)
		ORDER BY b.least_since / b.most_before DESC, b.turn LIMIT 1
	),
	level AS (
		SELECT a.turn, percentile_cont(0.5) WITHIN GROUP (ORDER BY s.seconds) FILTER (WHERE s.turn < a.turn) AS before,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY s.seconds) FILTER (WHERE s.turn >= a.turn) AS after
		FROM apart a, step s GROUP BY a.turn
	)
	SELECT l.turn, l.before FROM level l WHERE l.after >= (limits).slow_factor * l.before;
END;
COMMENT ON FUNCTION @extschema@.l4_few_steps_onset(text, @extschema@.l4_limits) IS
'Step: From which place in the timeline of a job on of which few steps are measured (a short one, or one that tells of every '
'hundredth) all of them take longer than any before but the first, and the usual seconds of a step before. No row where they '
'do not, or more are measured, or several as one, between two stamps. Of very few before it only what is by far longer.';

CREATE FUNCTION @extschema@.l4_step_onset(job_id text, limits @extschema@.l4_limits)
	RETURNS TABLE (turn bigint, before double precision, spells boolean)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	WITH change AS MATERIALIZED (
		SELECT c.* FROM unnest((SELECT @extschema@.l4_change_points(s.turn, s.seconds, (limits).slow_steps_least::int, NULL)
			FROM @extschema@.l4_job_steps(l4_step_onset.job_id, limits) s)) c
	),
	first AS MATERIALIZED (
		-- the first change from which on all levels are slow; what merely swells is noise
		SELECT c.* FROM change c
		WHERE c.larger >= (limits).slow_larger_share
			AND NOT EXISTS (SELECT FROM change o WHERE o.at >= c.at AND o.after < (limits).slow_factor * c.before)
		ORDER BY c.at LIMIT 1
	),
	near AS MATERIALIZED (
		-- of a long job some steps were read: now all about the place
		SELECT p.at
		FROM first f
		CROSS JOIN (SELECT max(t.turn) / (limits).slow_steps_read AS stride
			FROM @extschema@.l4_job_steps(l4_step_onset.job_id, limits) t) t
		CROSS JOIN LATERAL unnest((SELECT @extschema@.l4_change_points(s.turn, s.seconds, (limits).slow_steps_least::int, NULL)
			FROM @extschema@.l4_job_steps(l4_step_onset.job_id, limits,
				(f.at - (t.stride + 1) * (limits).slow_steps_least)::bigint,
				(f.at + (t.stride + 1) * (limits).slow_steps_least)::bigint) s)) p
		WHERE t.stride > 1 AND p.after > p.before
		ORDER BY p.deviations DESC, p.at LIMIT 1
	)
	SELECT COALESCE((SELECT n.at FROM near n), f.at)::bigint, f.before, false FROM first f
	UNION ALL
	SELECT o.turn, o.before, o.spells
	FROM (SELECT w.turn, w.before, false AS spells FROM @extschema@.l4_few_steps_onset(l4_step_onset.job_id, limits) w
		UNION ALL
		SELECT p.turn, p.before, true FROM @extschema@.l4_spell_onset(l4_step_onset.job_id, limits) p
		ORDER BY spells LIMIT 1) o
	WHERE NOT EXISTS (SELECT FROM first);
END;
COMMENT ON FUNCTION @extschema@.l4_step_onset(text, @extschema@.l4_limits) IS
'Step: From which place in the timeline of a job on its steps take longer for good (l4_change_points, l4_few_steps_onset), or '
'many of them do (spells: l4_spell_onset), and the usual seconds of a step before. No row where they do not.';

CREATE FUNCTION @extschema@.l4_step_change(job_id text, limits @extschema@.l4_limits)
RETURNS TABLE (turn bigint, iteration bigint, began timestamptz, before double precision, after double precision,
	iterations_before bigint, iterations_since bigint, spells boolean)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	WITH onset AS MATERIALIZED (SELECT o.* FROM @extschema@.l4_step_onset(l4_step_change.job_id, limits) o),
	level AS MATERIALIZED (
		SELECT o.turn, o.before, o.spells, (SELECT CASE WHEN o.spells THEN avg(s.seconds)
				ELSE percentile_cont(0.5) WITHIN GROUP (ORDER BY s.seconds) END
			FROM @extschema@.l4_job_steps(l4_step_change.job_id, limits) s WHERE s.turn >= o.turn) AS after
		FROM onset o
	),
	stretch AS MATERIALIZED (
		SELECT s.turn, s.iteration, s.began, s.seconds, o.before, o.after, first_value(s.began) OVER w AS at,
			first_value(s.seconds) OVER w AS mean
		FROM level o CROSS JOIN LATERAL @extschema@.l4_job_steps(l4_step_change.job_id, limits, o.turn,
			o.turn + (limits).slow_steps_least::bigint) s
		WINDOW w AS (ORDER BY s.turn)
	),
	first AS MATERIALIZED (
		-- Of steps of which only the whole time is known, as they lie between two stamps, so many are slow as make it so long.
		SELECT s.turn, s.iteration, s.began, s.before, s.after
		FROM (SELECT s.*, row_number() OVER (ORDER BY s.turn) - 1 AS place, count(*) OVER () AS steps FROM stretch s
			WHERE s.began = s.at AND s.seconds = s.mean OR s.turn = (SELECT min(o.turn) FROM stretch o)) s
		WHERE s.place = LEAST(s.steps - 1, GREATEST(0, round(s.steps
			* (1 - (s.mean - s.before) / NULLIF(s.after - s.before, 0)))))
			OR s.before = s.after AND s.place = 0
		ORDER BY s.turn LIMIT 1
	)
	SELECT f.turn, f.iteration, f.began, f.before, f.after, f.iteration - w.first_iteration, w.last_iteration - f.iteration,
		(SELECT o.spells FROM onset o)
	FROM first f
	CROSS JOIN LATERAL (
		-- of iterations that are counted anew in each epoch, as many as are told of
		SELECT CASE WHEN t.told THEN t.first_iteration ELSE f.iteration - s.before END AS first_iteration,
			CASE WHEN t.told THEN t.last_iteration ELSE f.iteration + s.since END AS last_iteration
		FROM (SELECT min(p.first_iteration) AS first_iteration, max(p.last_iteration) AS last_iteration,
				bool_or(p.first_iteration <> p.last_iteration) IS TRUE
				AND NOT EXISTS (SELECT FROM @extschema@.l4_counted_steps(l4_step_change.job_id, limits)) AS told
			FROM @extschema@.l4_job_timeline_span(l4_step_change.job_id) p) t
		CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE o.turn < f.turn) AS before,
				count(*) FILTER (WHERE o.turn > f.turn) AS since
			FROM @extschema@.l4_job_steps(l4_step_change.job_id, limits) o WHERE NOT t.told) s) w;
END;
COMMENT ON FUNCTION @extschema@.l4_step_change(text, @extschema@.l4_limits) IS
'Step: From which iteration on the steps of a job take longer for good: its place in the timeline, the iteration, when it '
'began, the usual seconds of a step before and since (spells: steps are slow now and then, and these are means), and how many '
'iterations there were before and since. No row where they do not.';

CREATE FUNCTION @extschema@.l4_slow_regime(job_id text, use_pool boolean, limits @extschema@.l4_limits)
	RETURNS @extschema@.l4_slow_regime
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	regime @extschema@.l4_slow_regime;
	usual double precision;
	steps bigint;
	pool_seconds double precision;
	pool_jobs bigint := 0;
	nodes CONSTANT int := @extschema@.l4_node_count(l4_slow_regime.job_id);
BEGIN
	IF l4_slow_regime.use_pool THEN
		-- of other settings the steps may well take another time, and on more nodes, where any job ran on as many
		SELECT max(m.step_seconds), count(m.step_seconds) INTO pool_seconds, pool_jobs
		FROM (SELECT p.step_seconds, w.alike, bool_or(w.alike) OVER () AS any_alike
			FROM @extschema@.l4_best_pool(l4_slow_regime.job_id) b
			JOIN @extschema@.l4_pool_job p ON p.pool_id = b.pool_id AND p.job_id <> l4_slow_regime.job_id
			CROSS JOIN LATERAL (SELECT (p.node_count = nodes) IS NOT FALSE AS alike) w
			WHERE b.fit = 1 AND b.differs = '{}' AND p.step_seconds IS NOT NULL) m
		WHERE m.alike OR NOT m.any_alike;
	END IF;
	SELECT c.turn, c.iteration, c.began, c.before, c.after, c.iterations_before, c.iterations_since, pool_seconds, pool_jobs,
		c.spells
	INTO regime
	FROM @extschema@.l4_step_change(l4_slow_regime.job_id, limits) c
	-- what successful jobs take as well is normal
	WHERE (c.after <= pool_seconds) IS NOT TRUE;
	IF regime.after IS NULL AND pool_jobs >= (limits).slow_pool_jobs THEN
		-- where only some are told of, each row tells of all up to the next
		SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY s.seconds), CASE WHEN count(*) >= (limits).slow_few_least
			THEN greatest(count(*), max(s.iteration) - min(s.iteration)) ELSE 0 END
		INTO usual, steps FROM @extschema@.l4_job_steps(l4_slow_regime.job_id, limits) s;
		IF steps >= (limits).slow_steps_least AND usual > (limits).slow_pool_factor * pool_seconds THEN
			regime := ROW(NULL, NULL, NULL, NULL, usual, NULL, NULL, pool_seconds, pool_jobs, false);
		END IF;
	END IF;
	RETURN CASE WHEN regime.after IS NOT NULL THEN regime END;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_slow_regime(text, boolean, @extschema@.l4_limits) IS
'Step: Whether the steps of a job take longer than they should: from an iteration on to the end of the logs, unless '
'successful jobs of the same settings take as long; or all of them, by far, where there are enough such jobs. NULL: they do '
'not. use_pool false leaves the successful jobs out. Cost: some ten milliseconds for any number of iterations.';

CREATE FUNCTION @extschema@.l4_lasting_step(job_id text, limits @extschema@.l4_limits) RETURNS double precision
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT percentile_cont((limits).slow_pool_share) WITHIN GROUP (ORDER BY s.seconds)
	FROM @extschema@.l4_job_steps(l4_lasting_step.job_id, limits) s
	HAVING count(*) >= (limits).slow_few_least
		AND greatest(count(*), max(s.iteration) - min(s.iteration)) >= (limits).slow_steps_least;
END;
COMMENT ON FUNCTION @extschema@.l4_lasting_step(text, @extschema@.l4_limits) IS
'Step: How long a step of a job takes for a lasting part of the job at most, in seconds; NULL where it tells of few steps.';
