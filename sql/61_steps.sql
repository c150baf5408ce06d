/*
 * Steps: how long the iterations of a job take, and from which on they take longer for good.
 *
 * A single slow step is noise, and a slow phase that passes is over: only what lasts to the end of the logs tells of what the
 * job ends with. That every step slows down blames nobody.
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
	pool_jobs bigint
);
COMMENT ON TYPE @extschema@.l4_slow_regime IS
'Steps of a job that take longer than they should: the first of them, with its place in the timeline, and when it began '
'(NULL where that are all steps), the usual seconds of a step before and from there on, how many iterations there were '
'before and since, and what a step takes in successful jobs of the same settings at most, with the number of these jobs '
'(NULL and 0 where there are none).';

CREATE FUNCTION @extschema@.l4_job_steps(job_id text, limits @extschema@.l4_limits, first_turn bigint DEFAULT NULL,
	last_turn bigint DEFAULT NULL)
RETURNS TABLE (turn bigint, iteration bigint, began timestamptz, seconds double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	WITH mark AS (
		SELECT i.turn, i.part, i.iteration, i.started_at, lead(i.iteration) OVER w - i.iteration AS iterations,
			EXTRACT(epoch FROM lead(i.started_at) OVER w - i.started_at)::float8 AS seconds
		FROM @extschema@.l4_job_timeline_parts(l4_job_steps.job_id, (limits).slow_steps_read::bigint,
			(limits).slow_steps_least::bigint, l4_job_steps.first_turn, l4_job_steps.last_turn) i
		WHERE @extschema@.l4_clock_was_set(i.started_at) WINDOW w AS (PARTITION BY i.part ORDER BY i.turn)
	),
	beside AS (
		SELECT m.*, LEAST(lag(m.seconds / m.iterations) OVER w, lead(m.seconds / m.iterations) OVER w) AS least,
			GREATEST(lag(m.iterations) OVER w, lead(m.iterations) OVER w) AS most_iterations
		FROM mark m WHERE m.iterations IS DISTINCT FROM 0 WINDOW w AS (PARTITION BY m.part ORDER BY m.turn)
	),
	step AS (
		-- Where not all iterations are told of, one may be marked in its midst, and its end be taken for the beginning of the
		-- next: what lies between is no step.
		SELECT b.turn, b.iteration, b.started_at, lead(b.iteration) OVER w - b.iteration AS iterations,
			EXTRACT(epoch FROM lead(b.started_at) OVER w - b.started_at)::float8 AS seconds
		FROM beside b
		WHERE (b.iterations = 1 AND b.most_iterations > 1 AND b.seconds < (limits).slow_partial_share * b.least) IS NOT TRUE
		WINDOW w AS (PARTITION BY b.part ORDER BY b.turn)
	)
	SELECT s.turn, s.iteration, s.started_at, s.seconds / s.iterations
	FROM step s
	-- a job that goes on from a checkpoint counts anew
	WHERE s.iterations > 0 AND s.seconds > 0
	ORDER BY s.turn;
END;
COMMENT ON FUNCTION @extschema@.l4_job_steps(text, @extschema@.l4_limits, bigint, bigint) IS
'Step: The steps of a job in order, as l4_timeline tells them: the place there (turn), the iteration, when it began, and its '
'seconds (of iterations that are told of only now and then, the mean up to the next one told of); those from first_turn to '
'last_turn (NULL: to either end), of very many some, evenly chosen.';

CREATE FUNCTION @extschema@.l4_step_onset(job_id text, limits @extschema@.l4_limits)
	RETURNS TABLE (turn bigint, before double precision)
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
	SELECT COALESCE((SELECT n.at FROM near n), f.at)::bigint, f.before FROM first f;
END;
COMMENT ON FUNCTION @extschema@.l4_step_onset(text, @extschema@.l4_limits) IS
'Step: From which place in the timeline of a job on its steps take longer for good (l4_change_points), and the usual seconds '
'of a step before. No row where they do not.';

CREATE FUNCTION @extschema@.l4_step_change(job_id text, limits @extschema@.l4_limits)
RETURNS TABLE (turn bigint, iteration bigint, began timestamptz, before double precision, after double precision,
	iterations_before bigint, iterations_since bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	WITH onset AS MATERIALIZED (SELECT o.* FROM @extschema@.l4_step_onset(l4_step_change.job_id, limits) o),
	first AS MATERIALIZED (
		SELECT s.turn, s.iteration, s.began, o.before
		FROM onset o CROSS JOIN LATERAL @extschema@.l4_job_steps(l4_step_change.job_id, limits, o.turn,
			o.turn + (limits).slow_steps_least::bigint) s
		ORDER BY s.turn LIMIT 1
	)
	SELECT f.turn, f.iteration, f.began, f.before, (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY s.seconds)
			FROM @extschema@.l4_job_steps(l4_step_change.job_id, limits) s WHERE s.turn >= f.turn),
		f.iteration - w.first_iteration, w.last_iteration - f.iteration
	FROM first f, @extschema@.l4_job_timeline_span(l4_step_change.job_id) w;
END;
COMMENT ON FUNCTION @extschema@.l4_step_change(text, @extschema@.l4_limits) IS
'Step: From which iteration on the steps of a job take longer for good: its place in the timeline, the iteration, when it '
'began, the usual seconds of a step before and since, and how many iterations there were before and since. No row where they '
'do not.';

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
BEGIN
	IF l4_slow_regime.use_pool THEN
		-- of other settings the steps may well take another time
		SELECT max(m.step_seconds), count(m.step_seconds) INTO pool_seconds, pool_jobs
		FROM @extschema@.l4_best_pool(l4_slow_regime.job_id) b
		JOIN @extschema@.l4_pool_job m ON m.pool_id = b.pool_id AND m.job_id <> l4_slow_regime.job_id
		WHERE b.fit = 1 AND b.differs = '{}';
	END IF;
	SELECT c.turn, c.iteration, c.began, c.before, c.after, c.iterations_before, c.iterations_since, pool_seconds, pool_jobs
	INTO regime
	FROM @extschema@.l4_step_change(l4_slow_regime.job_id, limits) c
	-- what successful jobs take as well is normal
	WHERE (c.after <= pool_seconds) IS NOT TRUE;
	IF regime.after IS NULL AND pool_jobs >= (limits).slow_pool_jobs THEN
		SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY s.seconds), count(*) INTO usual, steps
		FROM @extschema@.l4_job_steps(l4_slow_regime.job_id, limits) s;
		IF steps >= (limits).slow_steps_least AND usual > (limits).slow_pool_factor * pool_seconds THEN
			regime := ROW(NULL, NULL, NULL, NULL, usual, NULL, NULL, pool_seconds, pool_jobs);
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
	HAVING count(*) >= (limits).slow_steps_least;
END;
COMMENT ON FUNCTION @extschema@.l4_lasting_step(text, @extschema@.l4_limits) IS
'Step: How long a step of a job takes for a lasting part of the job at most, in seconds; NULL where it tells of few steps.';
