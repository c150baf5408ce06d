/*
 * Live: l4_watch_flows looks at the flows that came since its last call, window by window, each flow once. What it needs of the
 * windows before it keeps in tables (18_flow_watch_tables.sql): the records of some steps, as states of l4_flow_messages_state.
 */

CREATE FUNCTION @extschema@.l4_watched_flows(window_began timestamptz, window_ended timestamptz,
	limits @extschema@.l4_limits, OUT flows bigint, OUT came @extschema@.l4_flow_watch_tail[])
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_sort = off
SET work_mem = '128MB'
AS $$
DECLARE
	anybody CONSTANT boolean := NOT EXISTS (SELECT FROM @extschema@.l4_accelerator);
BEGIN
	SELECT COALESCE(sum(r.flows), 0), array_agg(ROW(r.one, r.other, l4_watched_flows.window_ended, r.flows, r.forth, r.back,
		NULL)::@extschema@.l4_flow_watch_tail) FILTER (WHERE r.forth IS NOT NULL OR r.back IS NOT NULL)
	INTO flows, came
	FROM (SELECT CASE WHEN f.is_known THEN LEAST(f.source, f.destination) END AS one,
			CASE WHEN f.is_known THEN GREATEST(f.source, f.destination) END AS other, count(*) AS flows,
			@extschema@.l4_flow_messages_state(f.started_at, f.duration, f.bytes, f.queue_pair, f.retransmits, f.switches,
				(limits).flow_pause, (limits).flow_bytes::bigint, (limits).flow_twice)
				FILTER (WHERE f.is_known AND f.source < f.destination) AS forth,
			@extschema@.l4_flow_messages_state(f.started_at, f.duration, f.bytes, f.queue_pair, f.retransmits, f.switches,
				(limits).flow_pause, (limits).flow_bytes::bigint, (limits).flow_twice)
				FILTER (WHERE f.is_known AND f.source > f.destination) AS back
		FROM (SELECT w.started_at, w.duration, w.source, w.destination, w.bytes, w.queue_pair, w.retransmits, w.switches,
				anybody OR w.source IN (SELECT a.address FROM @extschema@.l4_accelerator a)
					AND w.destination IN (SELECT a.address FROM @extschema@.l4_accelerator a) AS is_known
			FROM @extschema@.l4_flow w
			WHERE w.started_at >= l4_watched_flows.window_began AND w.started_at < l4_watched_flows.window_ended
			-- who is known is asked once a flow
			OFFSET 0) f
		GROUP BY 1, 2) r;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_watched_flows(timestamptz, timestamptz, @extschema@.l4_limits) IS
'Step: Reads the flows of a window: how many there are, and the records of each pair of accelerators (came), as rows of '
'l4_flow_watch_tail. Cost: some 600 nanoseconds a flow.';

CREATE FUNCTION @extschema@.l4_watched_pairs(came @extschema@.l4_flow_watch_tail[], limits @extschema@.l4_limits)
	RETURNS SETOF @extschema@.l4_flow_pair
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10000 COST 1000000
BEGIN ATOMIC
	WITH jobs AS (
		SELECT a.address, j.keep_from
		FROM @extschema@.l4_flow_watch_job j CROSS JOIN LATERAL unnest(j.addresses) a(address)
	)
	SELECT p.one, p.other, p.forth, p.back, @extschema@.l4_flow_pair_bytes(p.forth, p.back),
		@extschema@.l4_flow_pair_period(p.forth, p.back, limits), @extschema@.l4_flow_pair_cycles(p.forth, p.back, limits),
		@extschema@.l4_flow_answer(p.forth, p.back, limits)
	FROM (SELECT t.one, t.other,
			@extschema@.l4_flow_messages_joined(@extschema@.l4_flow_messages_since(t.forth,
				COALESCE(j.keep_from, '-infinity'))) AS forth,
			@extschema@.l4_flow_messages_joined(@extschema@.l4_flow_messages_since(t.back,
				COALESCE(j.keep_from, '-infinity'))) AS back
		FROM (SELECT k.one, k.other, k.forth, k.back FROM @extschema@.l4_flow_watch_tail k
			UNION ALL SELECT c.one, c.other, c.forth, c.back FROM unnest(l4_watched_pairs.came) c) t
		LEFT JOIN jobs j ON j.address = t.one
		GROUP BY t.one, t.other) p
	WHERE p.forth IS NOT NULL OR p.back IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_watched_pairs(@extschema@.l4_flow_watch_tail[], @extschema@.l4_limits) IS
'Step: All pairs of addresses in l4_flow_watch_tail and in the window that came, from when on their job needs them, with the '
'period of their bursts.';

CREATE TYPE @extschema@.l4_flow_watched AS (
	number int,
	job bigint,
	addresses text[],
	tenant name,
	period double precision,
	first_at double precision,
	last_at double precision,
	steps bigint,
	last_step double precision,
	step_seconds double precision,
	flows bigint
);
COMMENT ON TYPE @extschema@.l4_flow_watched IS
'Step: What a window tells of a job: number is that of its traces, job that of l4_flow_watch_job. steps, last_step and '
'step_seconds are of the steps that ended and were not counted before. Times in seconds since 1970.';

CREATE FUNCTION @extschema@.l4_watched_jobs_before(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS TABLE (number int, job bigint, addresses text[], period double precision, first_at double precision,
	last_at double precision)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 COST 10000
BEGIN ATOMIC
	WITH found AS MATERIALIZED (
		SELECT t.job AS number, array_agg(t.source ORDER BY t.source) AS addresses, max(t.period) AS period,
			min(t.first_at) AS first_at, max(t.last_at) AS last_at
		FROM @extschema@.l4_each_trace(l4_watched_jobs_before.traces) t
		WHERE t.kind = 'accelerator'
		GROUP BY t.job
	), shared AS (
		SELECT f.number, b.job, count(*) AS shared, cardinality(f.addresses) + b.size - count(*) AS of_both
		FROM found f
		CROSS JOIN LATERAL unnest(f.addresses) a(address)
		JOIN (SELECT j.job, cardinality(j.addresses) AS size, x.address
			FROM @extschema@.l4_flow_watch_job j CROSS JOIN LATERAL unnest(j.addresses) x(address)) b
			ON b.address = a.address
		GROUP BY f.number, f.addresses, b.job, b.size
	), same AS (
		-- of those that are enough alike: the closest, of which there can be one
		SELECT DISTINCT ON (s.number) s.number, s.job
		FROM shared s
		WHERE s.shared >= (limits).flow_watch_overlap * s.of_both
		ORDER BY s.number, s.shared DESC, s.job
	), once AS (
		SELECT DISTINCT ON (s.job) s.number, s.job FROM same s ORDER BY s.job, s.number
	)
	SELECT f.number, o.job, f.addresses, f.period, f.first_at, f.last_at
	FROM found f
	LEFT JOIN once o ON o.number = f.number;
END;
COMMENT ON FUNCTION @extschema@.l4_watched_jobs_before(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: The jobs of a window, and which of l4_flow_watch_job each is, by its accelerators (limit flow_watch_overlap); NULL for '
'a new one.';

CREATE FUNCTION @extschema@.l4_watched_jobs(traces @extschema@.l4_flow_trace[], came @extschema@.l4_flow_watch_tail[],
	window_ended timestamptz, limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_flow_watched
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 COST 100000
BEGIN ATOMIC
	WITH found AS MATERIALIZED (
		SELECT f.number, f.job, f.addresses, f.period, f.first_at, f.last_at
		FROM @extschema@.l4_watched_jobs_before(l4_watched_jobs.traces, limits) f
	), steps AS (
		SELECT f.number, count(*) AS steps, max(s.ended) AS last_step,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY s.lasted) AS step_seconds
		FROM found f
		JOIN @extschema@.l4_steps_of_jobs(l4_watched_jobs.traces) s ON s.job = f.number
		LEFT JOIN @extschema@.l4_flow_watch_job j ON j.job = f.job
		-- a step has ended when silence came behind it; what was counted ends at about the same time again
		WHERE s.ended <= extract(epoch FROM l4_watched_jobs.window_ended) - f.period * (limits).flow_step_pause
			AND (s.ended > extract(epoch FROM j.last_step) + f.period / 2) IS NOT FALSE
		GROUP BY f.number
	), members AS (
		SELECT f.number, CASE WHEN count(DISTINCT c.tenant) = 1 AND count(c.tenant) = count(*)
				THEN min(c.tenant::text) END::name AS tenant
		FROM found f
		CROSS JOIN LATERAL unnest(f.addresses) a(address)
		LEFT JOIN @extschema@.l4_accelerator c ON c.address = a.address
		GROUP BY f.number
	), sent AS (
		SELECT f.number, sum(t.flows) AS flows
		FROM found f
		CROSS JOIN LATERAL unnest(f.addresses) a(address)
		JOIN unnest(l4_watched_jobs.came) t ON t.one = a.address
		WHERE t.other = ANY (f.addresses)
		GROUP BY f.number
	)
	SELECT f.number, COALESCE(f.job, (SELECT w.jobs FROM @extschema@.l4_flow_watch w)
			+ row_number() OVER (PARTITION BY f.job IS NULL ORDER BY f.addresses)),
		f.addresses, m.tenant, f.period, f.first_at, f.last_at, COALESCE(s.steps, 0), s.last_step, s.step_seconds,
		COALESCE(n.flows, 0)::bigint
	FROM found f
	JOIN members m ON m.number = f.number
	LEFT JOIN steps s ON s.number = f.number
	LEFT JOIN sent n ON n.number = f.number;
END;
COMMENT ON FUNCTION @extschema@.l4_watched_jobs(@extschema@.l4_flow_trace[], @extschema@.l4_flow_watch_tail[], timestamptz,
	@extschema@.l4_limits) IS
'Step: What a window tells of its jobs, from the traces of it and of what was kept of the windows before. Jobs that were not '
'there before get the next numbers.';

CREATE FUNCTION @extschema@.l4_keep_jobs(watched @extschema@.l4_flow_watched[], window_began timestamptz,
	window_ended timestamptz, limits @extschema@.l4_limits) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	oldest CONSTANT timestamptz := l4_keep_jobs.window_ended
		- (l4_keep_jobs.window_ended - l4_keep_jobs.window_began) * (limits).flow_watch_windows;
BEGIN
	UPDATE @extschema@.l4_flow_watch w SET jobs = GREATEST(w.jobs, (SELECT max(n.job) FROM unnest(watched) n));
	-- what was taken for a job of its own, and is a part of another
	DELETE FROM @extschema@.l4_flow_watch_job j
	USING (SELECT DISTINCT o.job
		FROM @extschema@.l4_flow_watch_job o CROSS JOIN LATERAL unnest(o.addresses) x(address)
		JOIN (SELECT m.address FROM unnest(watched) n CROSS JOIN LATERAL unnest(n.addresses) m(address)) s
			ON s.address = x.address) part
	WHERE j.job = part.job AND NOT EXISTS (SELECT FROM unnest(watched) n WHERE n.job = j.job);
	INSERT INTO @extschema@.l4_flow_watch_job AS j (job, first_seen, last_seen, addresses, period, steps, last_step, keep_from,
		tenant)
	SELECT n.job, to_timestamp(n.first_at), to_timestamp(n.last_at), n.addresses, n.period, n.steps, to_timestamp(n.last_step),
		oldest, n.tenant
	FROM unnest(watched) n
	ON CONFLICT (job) DO UPDATE SET last_seen = EXCLUDED.last_seen, addresses = EXCLUDED.addresses,
		period = COALESCE(EXCLUDED.period, j.period), steps = j.steps + EXCLUDED.steps,
		last_step = COALESCE(EXCLUDED.last_step, j.last_step), tenant = EXCLUDED.tenant, silent_since = NULL;
	UPDATE @extschema@.l4_flow_watch_job j
	SET keep_from = GREATEST(oldest, j.last_step - make_interval(secs => ((limits).flow_watch_steps + 0.5) * j.period))
	WHERE EXISTS (SELECT FROM unnest(watched) n WHERE n.job = j.job);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_keep_jobs(@extschema@.l4_flow_watched[], timestamptz, timestamptz, @extschema@.l4_limits) IS
'Step: Writes what a window told of its jobs into l4_flow_watch_job, with the time from which on their records are kept '
'(limits flow_watch_steps, flow_watch_windows).';

CREATE FUNCTION @extschema@.l4_watched_silences(window_began timestamptz, window_ended timestamptz, flows bigint,
	limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 COST 1000
BEGIN ATOMIC
	SELECT j.job::int, 'silent', format('job %s', j.job), extract(epoch FROM j.last_seen)::double precision,
		NULL::double precision, NULL::double precision, 0.5::double precision, jsonb_build_object('accelerators',
			cardinality(j.addresses), 'address', j.addresses[1], 'last_sent', extract(epoch FROM j.last_seen), 'step', j.period,
			'flows', l4_watched_silences.flows)
	FROM @extschema@.l4_flow_watch_job j
	WHERE j.silent_since IS NULL AND j.last_seen < l4_watched_silences.window_began
		AND (extract(epoch FROM l4_watched_silences.window_ended - j.last_seen) >= (limits).flow_silent_steps * j.period)
			IS NOT FALSE;
END;
COMMENT ON FUNCTION @extschema@.l4_watched_silences(timestamptz, timestamptz, bigint, @extschema@.l4_limits) IS
'Step: Jobs that sent nothing in a window, for some steps (limit flow_silent_steps), which was not told before. flows: how many'
' there were of anybody: where there were none, the collector may be silent. job: that of l4_flow_watch_job.';

CREATE FUNCTION @extschema@.l4_keep_findings(traces @extschema@.l4_flow_trace[], watched @extschema@.l4_flow_watched[],
	window_began timestamptz, window_ended timestamptz, flows bigint, limits @extschema@.l4_limits) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
	-- where several jobs fall silent together it is not they who do: time is what any of them tells
	collected_until CONSTANT double precision := CASE WHEN cardinality(watched) = 1
		THEN extract(epoch FROM l4_keep_findings.window_ended) END;
	found bigint;
BEGIN
	WITH told AS MATERIALIZED (
		SELECT f, w.job
		FROM @extschema@.l4_flow_findings(traces, limits, collected_until) f
		LEFT JOIN unnest(watched) w ON w.number = f.job
		-- what ended before was told before
		WHERE (f).ended IS NULL OR (f).ended > extract(epoch FROM l4_keep_findings.window_began)
	), everything AS (
		SELECT t.f, t.job FROM told t
		UNION ALL
		SELECT s, s.job
		FROM @extschema@.l4_watched_silences(l4_keep_findings.window_began, l4_keep_findings.window_ended,
			l4_keep_findings.flows, limits) s
		WHERE NOT EXISTS (SELECT FROM told t WHERE t.job = s.job AND (t.f).facts -> 'job_stopped' = 'true')
	)
	INSERT INTO @extschema@.l4_flow_watch_finding (window_began, window_ended, ordinal, job, kind, subject, began, ended,
		factor, confidence, facts, sentence, tenant)
	SELECT l4_keep_findings.window_began, l4_keep_findings.window_ended, row_number() OVER (ORDER BY (e.f).confidence DESC,
			(e.f).began, (e.f).kind COLLATE "C", (e.f).subject COLLATE "C", e.job),
		e.job, (e.f).kind, CASE WHEN (e.f).kind = 'silent' THEN format('job %s', e.job) ELSE (e.f).subject END,
		to_timestamp((e.f).began), to_timestamp((e.f).ended), (e.f).factor, (e.f).confidence,
		(e.f).facts, @extschema@.l4_sentence_flow(e.f), j.tenant
	FROM everything e
	LEFT JOIN @extschema@.l4_flow_watch_job j ON j.job = e.job;
	GET DIAGNOSTICS found = ROW_COUNT;
	UPDATE @extschema@.l4_flow_watch_job j SET silent_since = j.last_seen
	FROM @extschema@.l4_flow_watch_finding n
	WHERE n.window_began = l4_keep_findings.window_began AND n.job = j.job
		AND (n.kind = 'silent' OR n.facts -> 'job_stopped' = 'true');
	RETURN found;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_keep_findings(@extschema@.l4_flow_trace[], @extschema@.l4_flow_watched[], timestamptz,
	timestamptz, bigint, @extschema@.l4_limits) IS
'Step: Writes what is slow or silent in a window into l4_flow_watch_finding; returns how many findings.';

CREATE FUNCTION @extschema@.l4_keep_tail(came @extschema@.l4_flow_watch_tail[]) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_nestloop = off
AS $$
BEGIN
	DELETE FROM @extschema@.l4_flow_watch_tail t
	WHERE NOT EXISTS (SELECT
		FROM @extschema@.l4_flow_watch_job j CROSS JOIN LATERAL unnest(j.addresses) a(address)
		WHERE a.address = t.one AND j.silent_since IS NULL AND j.keep_from < t.window_ended);
	INSERT INTO @extschema@.l4_flow_watch_tail (one, other, window_ended, flows, forth, back)
	SELECT k.one, k.other, k.window_ended, k.flows, k.forth, k.back
	FROM (SELECT c.one, c.other, c.window_ended, c.flows, @extschema@.l4_flow_messages_since(c.forth, j.keep_from) AS forth,
			@extschema@.l4_flow_messages_since(c.back, j.keep_from) AS back
		FROM unnest(came) c
		JOIN (SELECT a.address, o.keep_from
			FROM @extschema@.l4_flow_watch_job o CROSS JOIN LATERAL unnest(o.addresses) a(address)
			WHERE o.silent_since IS NULL) j ON j.address = c.one AND j.keep_from < c.window_ended) k
	WHERE k.forth IS NOT NULL OR k.back IS NOT NULL;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_keep_tail(@extschema@.l4_flow_watch_tail[]) IS
'Step: Keeps the records in l4_flow_watch_tail that the next window needs, and those of the window that came.';

CREATE FUNCTION @extschema@.l4_forget_watched(window_ended timestamptz, width interval, limits @extschema@.l4_limits)
	RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	oldest CONSTANT timestamptz := l4_forget_watched.window_ended - make_interval(secs => (limits).flow_watch_keep);
BEGIN
	DELETE FROM @extschema@.l4_flow_watch_job j
	WHERE j.silent_since < l4_forget_watched.window_ended - l4_forget_watched.width * (limits).flow_watch_forget;
	DELETE FROM @extschema@.l4_flow_watch_window w WHERE w.window_began < oldest;
	DELETE FROM @extschema@.l4_flow_step_time s WHERE s.window_began < oldest;
	DELETE FROM @extschema@.l4_flow_watch_finding n WHERE n.window_began < oldest;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_forget_watched(timestamptz, interval, @extschema@.l4_limits) IS
'Step: Takes out jobs that were silent for long (limit flow_watch_forget) and old results (limit flow_watch_keep).';

CREATE FUNCTION @extschema@.l4_watch_window(window_began timestamptz, window_ended timestamptz, limits @extschema@.l4_limits,
	OUT flows bigint, OUT findings bigint)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_nestloop = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
	came @extschema@.l4_flow_watch_tail[];
	pairs refcursor;
	traces @extschema@.l4_flow_trace[];
	watched @extschema@.l4_flow_watched[];
BEGIN
	SELECT r.flows, r.came INTO flows, came
	FROM @extschema@.l4_watched_flows(l4_watch_window.window_began, l4_watch_window.window_ended, limits) r;
	OPEN pairs SCROLL FOR
		WITH found AS MATERIALIZED (SELECT p.* FROM @extschema@.l4_watched_pairs(came, limits) p) SELECT f.* FROM found f;
	traces := ARRAY(SELECT t FROM @extschema@.l4_traces_of_pairs(pairs,
		@extschema@.l4_known_servers('@extschema@.l4_accelerator'), limits) t);
	CLOSE pairs;
	watched := ARRAY(SELECT w FROM @extschema@.l4_watched_jobs(traces, came, l4_watch_window.window_ended, limits) w);
	PERFORM @extschema@.l4_keep_jobs(watched, l4_watch_window.window_began, l4_watch_window.window_ended, limits);
	findings := @extschema@.l4_keep_findings(traces, watched, l4_watch_window.window_began, l4_watch_window.window_ended,
		flows, limits);
	INSERT INTO @extschema@.l4_flow_step_time (window_began, window_ended, job, accelerators, steps, step_seconds, flows,
		findings, tenant)
	SELECT l4_watch_window.window_began, l4_watch_window.window_ended, w.job, cardinality(w.addresses), w.steps, w.step_seconds,
		w.flows, (SELECT count(*) FROM @extschema@.l4_flow_watch_finding n
			WHERE n.window_began = l4_watch_window.window_began AND n.job = w.job), w.tenant
	FROM unnest(watched) w
	WHERE w.flows > 0 OR w.steps > 0;
	PERFORM @extschema@.l4_keep_tail(came);
	PERFORM @extschema@.l4_forget_watched(l4_watch_window.window_ended,
		l4_watch_window.window_ended - l4_watch_window.window_began, limits);
	INSERT INTO @extschema@.l4_flow_watch_window (window_began, window_ended, flows)
	VALUES (l4_watch_window.window_began, l4_watch_window.window_ended, l4_watch_window.flows);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_watch_window(timestamptz, timestamptz, @extschema@.l4_limits) IS
'Step: Reads the flows of one window, and writes what they tell. Cost: that of l4_flow_diagnose over the window and what is '
'kept of those before.';

CREATE FUNCTION @extschema@.l4_count_late_flows(upto timestamptz, width interval, limits @extschema@.l4_limits) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	came bigint;
BEGIN
	WITH counted AS MATERIALIZED (
		SELECT w.window_began, GREATEST(0, (SELECT count(*) FROM @extschema@.l4_flow f
			WHERE f.started_at >= w.window_began AND f.started_at < w.window_ended) - w.flows) AS late
		FROM @extschema@.l4_flow_watch_window w
		WHERE w.late IS NULL
			AND w.window_ended <= l4_count_late_flows.upto - l4_count_late_flows.width * (limits).flow_watch_late
	), changed AS (
		UPDATE @extschema@.l4_flow_watch_window w SET late = c.late FROM counted c WHERE w.window_began = c.window_began
	)
	SELECT COALESCE(sum(c.late), 0) INTO came FROM counted c;
	RETURN came;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_count_late_flows(timestamptz, interval, @extschema@.l4_limits) IS
'Step: How many flows more than were read there are in windows that ended some windows ago (limit flow_watch_late): they came '
'late. Each window is counted once. Cost: counting its flows.';

CREATE FUNCTION @extschema@.l4_flow_watch_state(seen_until timestamptz, limits @extschema@.l4_limits)
	RETURNS @extschema@.l4_flow_watch
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	state @extschema@.l4_flow_watch;
BEGIN
	-- of two calls at once the second waits here, and goes on where the first ended
	SELECT w.* INTO state FROM @extschema@.l4_flow_watch w FOR UPDATE;
	IF NOT FOUND THEN
		INSERT INTO @extschema@.l4_flow_watch (upto)
		SELECT lower(w.began) FROM @extschema@.l4_flow_window(NULL, l4_flow_watch_state.seen_until, '@extschema@.l4_flow', NULL,
			limits) w(began)
		WHERE lower(w.began) IS NOT NULL
		ON CONFLICT DO NOTHING;
		SELECT w.* INTO state FROM @extschema@.l4_flow_watch w FOR UPDATE;
	END IF;
	RETURN state;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_flow_watch_state(timestamptz, @extschema@.l4_limits) IS
'Step: The row of l4_flow_watch, locked; made where there is none but flows. NULL where there are none.';

CREATE FUNCTION @extschema@.l4_next_watch_window(upto timestamptz, seen_until timestamptz, width interval)
	RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT w.began
	FROM (SELECT CASE
		WHEN EXISTS (SELECT FROM @extschema@.l4_flow_watch_job j WHERE j.silent_since IS NULL)
			THEN l4_next_watch_window.upto
		ELSE (SELECT date_bin(l4_next_watch_window.width, min(f.started_at), l4_next_watch_window.upto)
			FROM @extschema@.l4_flow f
			WHERE f.started_at >= l4_next_watch_window.upto AND f.started_at < l4_next_watch_window.seen_until) END AS began) w
	WHERE w.began + l4_next_watch_window.width <= l4_next_watch_window.seen_until;
END;
COMMENT ON FUNCTION @extschema@.l4_next_watch_window(timestamptz, timestamptz, interval) IS
'Step: When the next window begins that is to be read: where the last one ended, or, if no job is awaited, with the next flow; '
'NULL where none has ended. Cost: one look at the flows that are due where no job is awaited, else none.';

CREATE FUNCTION @extschema@.l4_watch_flows(width interval DEFAULT '1 minute', lateness interval DEFAULT '10 seconds',
	until timestamptz DEFAULT NULL, OUT upto timestamptz, OUT windows bigint, OUT flows bigint, OUT late bigint,
	OUT findings bigint)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 1000000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	limits CONSTANT @extschema@.l4_limits := @extschema@.l4_limits_in_force();
	seen_until CONSTANT timestamptz := COALESCE(l4_watch_flows.until, now()) - l4_watch_flows.lateness;
	began timestamptz;
	read record;
BEGIN
	PERFORM @extschema@.l4_need_owner('to watch flows');
	IF (l4_watch_flows.width BETWEEN interval '1 second' AND interval '1 hour') IS NOT TRUE THEN
		RAISE EXCEPTION 'windows of % cannot be watched', l4_watch_flows.width
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Take a second to an hour: some ten steps of the jobs; a minute is usual.';
	ELSIF (l4_watch_flows.lateness BETWEEN interval '0' AND interval '1 hour') IS NOT TRUE THEN
		RAISE EXCEPTION 'flows cannot be awaited for %', l4_watch_flows.lateness
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Take as long as collectors take to give a flow that began: 0 to an hour.';
	ELSIF NOT isfinite(seen_until) THEN
		RAISE EXCEPTION 'flows cannot be watched until %', l4_watch_flows.until
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Give a time; NULL is now.';
	END IF;
	SELECT s.upto INTO upto FROM @extschema@.l4_flow_watch_state(seen_until, limits) s;
	windows := 0;
	flows := 0;
	late := 0;
	findings := 0;
	LOOP
		began := @extschema@.l4_next_watch_window(upto, seen_until, l4_watch_flows.width);
		EXIT WHEN began IS NULL;
		upto := began + l4_watch_flows.width;
		late := late + @extschema@.l4_count_late_flows(upto, l4_watch_flows.width, limits);
		read := @extschema@.l4_watch_window(began, upto, limits);
		windows := windows + 1;
		flows := flows + read.flows;
		findings := findings + read.findings;
	END LOOP;
	IF windows > 0 THEN
		UPDATE @extschema@.l4_flow_watch w SET upto = l4_watch_flows.upto, windows = w.windows + l4_watch_flows.windows,
			flows = w.flows + l4_watch_flows.flows, late = w.late + l4_watch_flows.late, called_at = now();
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_watch_flows(interval, interval, timestamptz) IS
'Looks at the flows of l4_flow that came since the last call, window by window, each flow once, and writes what jobs there '
'are, how long their steps take (l4_flow_step_time) and what is slow or silent (l4_flow_watch_finding). To be called again and '
'again, such as every 10 seconds by a scheduler. width: of a window, some ten steps of the jobs. lateness: a window is read '
'when it ended so long ago; rows that come later are not read, but counted. until: the present; NULL: now. Returns up to when '
'it has read (NULL: there are no flows), and of this call: windows, flows, late ones of windows before, findings. The first '
'call begins with the first flows (l4_flow_watch says how to begin elsewhere). Of two calls at once one waits; one that is '
'cancelled leaves nothing. For the owner of the tables. Errors: 22023 arguments that cannot be; 42501 for others; 40001 where '
'two calls are at once in transactions of isolation REPEATABLE READ or above. Cost: that of l4_flow_diagnose over the windows '
'and some steps before each.';
