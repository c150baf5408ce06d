/*
 * Steps of logs beside those of flows: by how much the clock of the logs is off, and where the two tell of other steps. What
 * is compared is marks in time: logs tell when iterations begin, flows where one step ends and the next begins. Logs write
 * their line anywhere in a step, so that the offset of the clocks includes that place.
 */

CREATE TYPE @extschema@.l4_time_mark AS (
	number bigint,
	at double precision
);
COMMENT ON TYPE @extschema@.l4_time_mark IS
'Step: When an iteration (by logs) or a step (by flows) of this number began, in seconds since 1970.';

CREATE TYPE @extschema@.l4_clock_fit AS (
	ahead double precision,
	spread double precision,
	certain boolean,
	step double precision,
	marks bigint
);
COMMENT ON TYPE @extschema@.l4_clock_fit IS
'Step: How two series of times go together (l4_fit_clocks). ahead: seconds by which the first is ahead; spread: how far its '
'times are off then, on average; certain: no other offset fits as well; step: the usual seconds from one time of the second '
'to the next; marks: how many times were looked at.';

CREATE FUNCTION @extschema@.l4_log_marks(job_id text, from_time timestamptz, to_time timestamptz,
	limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_time_mark
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1000
BEGIN ATOMIC
	WITH rough AS MATERIALIZED (
		SELECT s.turn, s.began FROM @extschema@.l4_job_steps(l4_log_marks.job_id, limits) s WHERE s.began IS NOT NULL
	), asked AS (
		-- of a long job some were read: now all of that time
		SELECT (SELECT max(r.turn) FROM rough r WHERE r.began < l4_log_marks.from_time) AS first_turn,
			(SELECT min(r.turn) FROM rough r WHERE r.began > l4_log_marks.to_time) AS last_turn
	)
	SELECT m.iteration, extract(epoch FROM m.began)::double precision
	FROM (SELECT DISTINCT ON (s.began) s.turn, s.iteration, s.began
		FROM asked a
		CROSS JOIN LATERAL @extschema@.l4_job_steps(l4_log_marks.job_id, limits, a.first_turn, a.last_turn) s
		WHERE s.began BETWEEN l4_log_marks.from_time AND l4_log_marks.to_time
		-- what shares a stamp began at unknown moments behind it, but for the first
		ORDER BY s.began, s.turn) m
	ORDER BY m.turn;
END;
COMMENT ON FUNCTION @extschema@.l4_log_marks(text, timestamptz, timestamptz, @extschema@.l4_limits) IS
'Step: When iterations of a job began within a time, by the stamps of its logs (l4_job_steps), in their order.';

CREATE FUNCTION @extschema@.l4_flow_marks(traces @extschema@.l4_flow_trace[], job int)
	RETURNS SETOF @extschema@.l4_time_mark
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000
BEGIN ATOMIC
	SELECT b.step, percentile_cont(0.5) WITHIN GROUP (ORDER BY b.at)
	FROM unnest(l4_flow_marks.traces) t
	CROSS JOIN LATERAL @extschema@.l4_steps_of_trace(t) s
	CROSS JOIN LATERAL (VALUES (s.step, s.began), (s.step + 1, s.ended)) b(step, at)
	WHERE t.job = l4_flow_marks.job
	GROUP BY b.step
	ORDER BY b.step;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_marks(@extschema@.l4_flow_trace[], int) IS
'Step: When the steps of a job of flows began on most of its accelerators (medians), in order, and when the last one ended.';

CREATE FUNCTION @extschema@.l4_nearest_mark(at double precision, marks double precision[]) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT CASE WHEN k.k = 0 OR at - marks[k.k] > marks[k.k + 1] - at THEN k.k + 1 ELSE k.k END
	FROM (SELECT width_bucket(at, marks) AS k OFFSET 0) k);
COMMENT ON FUNCTION @extschema@.l4_nearest_mark(double precision, double precision[]) IS
'Step: The place of that of the times, which ascend, that is nearest to a time.';

CREATE FUNCTION @extschema@.l4_clock_candidates(times double precision[], others double precision[],
	limits @extschema@.l4_limits) RETURNS TABLE (ahead double precision, spread double precision, marks bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000 ROWS 1000
BEGIN ATOMIC
	WITH fixed AS MATERIALIZED (
		SELECT l4_clock_candidates.others AS others, cardinality(l4_clock_candidates.others) AS size
	), sample AS MATERIALIZED (
		-- some, evenly chosen
		SELECT t.at, row_number() OVER (ORDER BY t.place) AS number, count(*) OVER () AS of_them
		FROM (SELECT t.at, t.place, count(*) OVER () AS of_them
			FROM unnest(l4_clock_candidates.times) WITH ORDINALITY t(at, place)) t
		WHERE t.place % ceil(t.of_them / (limits).flow_check_marks)::bigint = 0
	), guess AS (
		-- that some of them are times of the other series
		SELECT DISTINCT s.at - o.at AS ahead
		FROM sample s CROSS JOIN unnest(l4_clock_candidates.others) o(at)
		WHERE s.number % ceil(s.of_them / (limits).flow_check_guesses)::bigint = 0
			AND abs(s.at - o.at) <= (limits).flow_check_offset
	), fit AS (
		SELECT g.ahead, array_agg(r.off ORDER BY r.off) AS off, percentile_cont(0.5) WITHIN GROUP (ORDER BY r.off) AS more
		FROM guess g
		CROSS JOIN fixed f
		JOIN sample s ON s.at - g.ahead BETWEEN f.others[1] AND f.others[f.size]
		CROSS JOIN LATERAL (SELECT s.at - g.ahead AS at, width_bucket(s.at - g.ahead, f.others) AS place OFFSET 0) k
		CROSS JOIN LATERAL (SELECT CASE WHEN k.at - f.others[k.place] > f.others[k.place + 1] - k.at
			THEN k.at - f.others[k.place + 1] ELSE k.at - f.others[k.place] END AS off) r
		GROUP BY g.ahead
	)
	SELECT f.ahead + f.more, (SELECT avg(abs(o.off - f.more)) FROM unnest(f.off) o(off)), cardinality(f.off)::bigint
	FROM fit f;
END;
COMMENT ON FUNCTION @extschema@.l4_clock_candidates(double precision[], double precision[], @extschema@.l4_limits) IS
'Step: By how much the first of two series of times may be ahead of the second (both ascending, in seconds), how far its '
'times are off then on average, and how many of them lie within the second (limits flow_check_marks, flow_check_guesses, '
'flow_check_offset).';

CREATE FUNCTION @extschema@.l4_fit_clocks(times double precision[], others double precision[], limits @extschema@.l4_limits)
	RETURNS @extschema@.l4_clock_fit
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	WITH usual AS (
		SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY d.step) AS step
		FROM (SELECT o.at - lag(o.at) OVER (ORDER BY o.at) AS step FROM unnest(l4_fit_clocks.others) o(at)) d
	), possible AS MATERIALIZED (
		SELECT c.ahead, c.spread, c.marks
		FROM (SELECT k.ahead, k.spread, k.marks, max(k.marks) OVER () AS most
			FROM @extschema@.l4_clock_candidates(l4_fit_clocks.times, l4_fit_clocks.others, limits) k) c
		-- with little in common anything fits
		WHERE c.marks >= GREATEST((limits).flow_check_least, (limits).flow_check_common * c.most)
	), alike AS MATERIALIZED (
		SELECT p.ahead, p.spread, p.marks, u.step
		FROM usual u
		CROSS JOIN (SELECT min(b.spread) AS spread FROM possible b) best
		JOIN possible p ON p.spread <= GREATEST((limits).flow_check_alike_factor * best.spread,
			best.spread + (limits).flow_check_alike)
	)
	SELECT ROW(a.ahead, a.spread, NOT EXISTS (SELECT FROM alike o WHERE abs(o.ahead - a.ahead) > a.step / 2), a.step,
		a.marks)::@extschema@.l4_clock_fit
	FROM alike a
	-- clocks are rarely off by much
	ORDER BY abs(a.ahead), a.ahead
	LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_fit_clocks(double precision[], double precision[], @extschema@.l4_limits) IS
'Step: By how much the first of two series of times, both ascending, is ahead of the second: the offset after which its times '
'are nearest to those, of offsets that fit alike the least. Steps that all take the same time tell it but for whole '
'steps (certain is false then). NULL: they have too few times in common.';

CREATE FUNCTION @extschema@.l4_placed_marks(marks @extschema@.l4_time_mark[], steps @extschema@.l4_time_mark[],
	fit @extschema@.l4_clock_fit, limits @extschema@.l4_limits)
RETURNS TABLE (place bigint, iteration bigint, at double precision, step bigint, step_at double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000
BEGIN ATOMIC
	WITH bound AS MATERIALIZED (
		SELECT array_agg(s.at ORDER BY s.number) AS at, array_agg(s.number ORDER BY s.number) AS numbers
		FROM unnest(l4_placed_marks.steps) s
	), nearest AS MATERIALIZED (
		SELECT m.place, m.number AS iteration, m.at, b.numbers[n.place] AS step, b.at[n.place] AS step_at
		FROM bound b
		CROSS JOIN unnest(l4_placed_marks.marks) WITH ORDINALITY m(number, at, place)
		CROSS JOIN LATERAL (SELECT @extschema@.l4_nearest_mark(m.at - (fit).ahead, b.at) AS place) n
		WHERE abs(m.at - (fit).ahead - b.at[n.place]) <= (limits).flow_check_late * (fit).step
	), usual AS (
		SELECT mode() WITHIN GROUP (ORDER BY n.iteration - n.step) AS ahead FROM nearest n
	)
	-- a line that comes late is nearest to the next step; that it is this one's tells its number
	SELECT n.place, n.iteration, n.at, COALESCE(s.number, n.step), COALESCE(s.at, n.step_at)
	FROM nearest n
	CROSS JOIN usual u
	LEFT JOIN unnest(l4_placed_marks.steps) s ON s.number = n.iteration - u.ahead
		AND abs(n.at - (fit).ahead - s.at) <= (limits).flow_check_late * (fit).step;
END;
COMMENT ON FUNCTION @extschema@.l4_placed_marks(@extschema@.l4_time_mark[], @extschema@.l4_time_mark[],
	@extschema@.l4_clock_fit, @extschema@.l4_limits) IS
'Step: For each mark of the logs the step of the flows that began there: the nearest, or the one that the number of the '
'iteration tells. Marks that are far from any (limit flow_check_late) are left out. place: of the mark among all.';

CREATE TYPE @extschema@.l4_flow_step_pair AS (
	iteration bigint,
	iterations bigint,
	step bigint,
	steps bigint,
	began double precision,
	log_seconds double precision,
	flow_seconds double precision,
	verdict text
);
COMMENT ON TYPE @extschema@.l4_flow_step_pair IS
'Step: What lies between two marks of the logs: the iterations from this one on, so many, and the steps by flows, so many; '
'when it began by the logs (seconds since 1970), the seconds of one of them by both, and whether these agree: agree, differ, '
'or count (the flows tell of more or fewer).';

CREATE FUNCTION @extschema@.l4_compared_steps(marks @extschema@.l4_time_mark[], steps @extschema@.l4_time_mark[],
	fit @extschema@.l4_clock_fit, limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_flow_step_pair
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000
BEGIN ATOMIC
	WITH piece AS (
		SELECT p.place, p.iteration, lead(p.iteration) OVER w - p.iteration AS iterations, p.step,
			lead(p.step) OVER w - p.step AS steps, p.at, lead(p.at) OVER w - p.at AS log_seconds,
			lead(p.step_at) OVER w - p.step_at AS flow_seconds
		FROM @extschema@.l4_placed_marks(l4_compared_steps.marks, l4_compared_steps.steps, fit, limits) p
		WINDOW w AS (ORDER BY p.place)
	)
	SELECT p.iteration, p.iterations, p.step, p.steps, p.at, p.log_seconds / p.iterations,
		CASE WHEN p.steps > 0 THEN p.flow_seconds / p.steps END,
		CASE WHEN p.steps <> p.iterations THEN 'count'
			-- stamps that are coarse tell of no more than they can
			WHEN abs(p.log_seconds - p.flow_seconds) > GREATEST((limits).flow_check_share * p.flow_seconds,
				(limits).flow_sigma * 2 * (fit).spread) THEN 'differ'
			ELSE 'agree' END
	FROM piece p
	-- a job that goes on from a checkpoint counts anew
	WHERE p.iterations > 0 AND p.log_seconds > 0
	ORDER BY p.place;
END;
COMMENT ON FUNCTION @extschema@.l4_compared_steps(@extschema@.l4_time_mark[], @extschema@.l4_time_mark[],
	@extschema@.l4_clock_fit, @extschema@.l4_limits) IS
'Step: How long steps took by the marks of logs and by those of flows, piece by piece in the order of the logs, and whether '
'they agree (limits flow_check_share, flow_sigma).';

CREATE FUNCTION @extschema@.l4_check_flow_steps(job_id text, seen @extschema@.l4_job_flows, limits @extschema@.l4_limits,
	OUT missing text, OUT fit @extschema@.l4_clock_fit, OUT pieces @extschema@.l4_flow_step_pair[])
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
AS $$
DECLARE
	steps CONSTANT @extschema@.l4_time_mark[] := ARRAY(SELECT s
		FROM @extschema@.l4_flow_marks(l4_check_flow_steps.seen.traces, l4_check_flow_steps.seen.job) s ORDER BY s.number);
	marks @extschema@.l4_time_mark[];
BEGIN
	IF l4_check_flow_steps.seen.missing IS NOT NULL OR cardinality(steps) = 0 THEN
		missing := COALESCE(l4_check_flow_steps.seen.missing, 'steps');
		RETURN;
	END IF;
	marks := ARRAY(SELECT ROW(m.number, m.at)::@extschema@.l4_time_mark
		FROM @extschema@.l4_log_marks(l4_check_flow_steps.job_id, to_timestamp(steps[1].at - (limits).flow_check_offset),
			to_timestamp(steps[cardinality(steps)].at + (limits).flow_check_offset), limits)
			WITH ORDINALITY m(number, at, place)
		ORDER BY m.place);
	fit := @extschema@.l4_fit_clocks(ARRAY(SELECT m.at FROM unnest(marks) m ORDER BY m.at),
		ARRAY(SELECT l.at FROM (SELECT s.at FROM unnest(steps) s ORDER BY s.at DESC
			LIMIT (limits).flow_check_steps::bigint) l ORDER BY l.at), limits);
	missing := CASE WHEN cardinality(marks) = 0 THEN 'iterations' WHEN fit IS NULL THEN 'marks'
		WHEN (fit).spread > (limits).flow_check_poor * (fit).step THEN 'match' END;
	pieces := ARRAY(SELECT p FROM @extschema@.l4_compared_steps(marks, steps, fit, limits) p
		WHERE l4_check_flow_steps.missing IS NULL);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_check_flow_steps(text, @extschema@.l4_job_flows, @extschema@.l4_limits) IS
'Step: The steps of a job by its logs beside those by its flows (seen): how the clocks go together, and the pieces between '
'marks of the logs, in order. missing: why there is nothing to compare: as in l4_job_flows, or steps (none are seen in the '
'flows), iterations (none in the logs of that time), marks (too few in common), match (they do not go together); else NULL.';
