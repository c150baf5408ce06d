/*
 * Steps: how long the iterations of a job take, and from which on they take longer for good.
 *
 * A single slow step is noise, and a slow phase that passes is over: only what lasts to the end of the logs tells of what the
 * job ends with. That every step slows down blames nobody.
 */

CREATE TYPE @extschema@.l4_slow_regime AS (
	iteration bigint,
	began timestamptz,
	before double precision,
	after double precision,
	steps_before bigint,
	steps_after bigint,
	pool_seconds double precision,
	pool_jobs bigint
);
COMMENT ON TYPE @extschema@.l4_slow_regime IS
'Steps of a job that take longer than they should: the first of them and when it began (NULL where that are all steps), the '
'usual seconds of a step before and from there on, how many steps that is of, and what a step takes in successful jobs of '
'the same settings at most, with the number of these jobs (NULL and 0 where there are none).';

CREATE FUNCTION @extschema@.l4_job_steps(job_id text, limits @extschema@.l4_limits)
RETURNS TABLE (turn bigint, iteration bigint, began timestamptz, seconds double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	WITH mark AS (
		SELECT i.iteration, i.started_at, lead(i.iteration) OVER w - i.iteration AS iterations,
			EXTRACT(epoch FROM lead(i.started_at) OVER w - i.started_at)::float8 AS seconds
		FROM @extschema@.l4_job_timeline(l4_job_steps.job_id) i
		WHERE @extschema@.l4_clock_was_set(i.started_at) WINDOW w AS (ORDER BY i.iteration)
	),
	beside AS (
		SELECT m.*, LEAST(lag(m.seconds / m.iterations) OVER w, lead(m.seconds / m.iterations) OVER w) AS least,
			GREATEST(lag(m.iterations) OVER w, lead(m.iterations) OVER w) AS most_iterations
		FROM mark m WINDOW w AS (ORDER BY m.iteration)
	),
	step AS (
		-- Where not all iterations are told of, one may be marked in its midst, and its end be taken for the beginning of the
		-- next: what lies between is no step.
		SELECT b.iteration, b.started_at, (EXTRACT(epoch FROM lead(b.started_at) OVER w - b.started_at)
			/ (lead(b.iteration) OVER w - b.iteration))::float8 AS seconds
		FROM beside b
		WHERE (b.iterations = 1 AND b.most_iterations > 1 AND b.seconds < (limits).slow_partial_share * b.least) IS NOT TRUE
		WINDOW w AS (ORDER BY b.iteration)
	)
	SELECT row_number() OVER (ORDER BY s.iteration), s.iteration, s.started_at, s.seconds FROM step s WHERE s.seconds > 0;
END;
COMMENT ON FUNCTION @extschema@.l4_job_steps(text, @extschema@.l4_limits) IS
'Step: The steps of a job in order, as l4_timeline tells them: the iteration, when it began, and its seconds (of iterations '
'that are told of only now and then, the mean up to the next one told of).';

CREATE FUNCTION @extschema@.l4_step_change(job_id text, limits @extschema@.l4_limits)
RETURNS TABLE (iteration bigint, began timestamptz, before double precision, after double precision, steps_before bigint,
	steps_after bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	WITH step AS MATERIALIZED (
		SELECT s.*, greatest(1, count(*) OVER () / (limits).slow_steps_read::bigint) AS stride
		FROM @extschema@.l4_job_steps(l4_step_change.job_id, limits) s
	),
	change AS MATERIALIZED (
		SELECT c.*, row_number() OVER (ORDER BY c.at DESC) AS from_end
		FROM unnest((SELECT @extschema@.l4_change_points(s.turn, s.seconds, (limits).slow_steps_least::int, NULL)
			FROM step s WHERE s.turn % s.stride = 0)) c
	),
	first AS (
		-- the first change from which on all levels are slow; what merely swells is noise
		SELECT c.* FROM change c
		WHERE c.larger >= (limits).slow_larger_share
			AND NOT EXISTS (SELECT FROM change o WHERE o.at >= c.at AND o.after < (limits).slow_factor * c.before)
		ORDER BY c.at LIMIT 1
	),
	onset AS (
		-- of a long job every so many steps were read: now all about the place
		SELECT COALESCE((SELECT p.at
			FROM unnest((SELECT @extschema@.l4_change_points(s.turn, s.seconds, (limits).slow_steps_least::int, NULL)
				FROM step s WHERE s.stride > 1 AND abs(s.turn - f.at) <= s.stride * (limits).slow_steps_least * 2)) p
			WHERE p.after > p.before ORDER BY p.deviations DESC, p.at LIMIT 1), f.at) AS turn, f.before
		FROM first f
	)
	SELECT min(s.iteration), min(s.began), min(o.before),
		percentile_cont(0.5) WITHIN GROUP (ORDER BY s.seconds), min(s.turn) - 1, count(*)
	FROM onset o JOIN step s ON s.turn >= o.turn
	HAVING count(*) > 0;
END;
COMMENT ON FUNCTION @extschema@.l4_step_change(text, @extschema@.l4_limits) IS
'Step: From which iteration on the steps of a job take longer for good (l4_change_points): the iteration, when it began, the '
'usual seconds of a step before and since, and how many steps there are before and since. No row where they do not.';

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
	SELECT c.iteration, c.began, c.before, c.after, c.steps_before, c.steps_after, pool_seconds, pool_jobs INTO regime
	FROM @extschema@.l4_step_change(l4_slow_regime.job_id, limits) c
	-- what successful jobs take as well is normal
	WHERE (c.after <= pool_seconds) IS NOT TRUE;
	IF regime.after IS NULL AND pool_jobs >= (limits).slow_pool_jobs THEN
		SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY s.seconds), count(*) INTO usual, steps
		FROM @extschema@.l4_job_steps(l4_slow_regime.job_id, limits) s;
		IF steps >= (limits).slow_steps_least AND usual > (limits).slow_pool_factor * pool_seconds THEN
			regime := ROW(NULL, NULL, NULL, usual, 0, steps, pool_seconds, pool_jobs);
		END IF;
	END IF;
	RETURN CASE WHEN regime.after IS NOT NULL THEN regime END;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_slow_regime(text, boolean, @extschema@.l4_limits) IS
'Step: Whether the steps of a job take longer than they should: from an iteration on to the end of the logs, unless '
'successful jobs of the same settings take as long; or all of them, by far, where there are enough such jobs. NULL: they do '
'not. use_pool false leaves the successful jobs out. Cost: n * log(n) of the iterations.';

CREATE FUNCTION @extschema@.l4_lasting_step(job_id text, limits @extschema@.l4_limits) RETURNS double precision
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT percentile_cont((limits).slow_pool_share) WITHIN GROUP (ORDER BY s.seconds)
	FROM @extschema@.l4_job_steps(l4_lasting_step.job_id, limits) s
	HAVING count(*) >= (limits).slow_steps_least;
END;
COMMENT ON FUNCTION @extschema@.l4_lasting_step(text, @extschema@.l4_limits) IS
'Step: How long a step of a job takes for a lasting part of the job at most, in seconds; NULL where it tells of few steps.';
