-- flows_short.sql: what is said of short parts of the window that flows.sql has loaded. Read once, behind flows.sql.
CREATE TABLE bench.short (job int, steps int, began timestamptz, findings bigint, jobs float8, pairs float8, extra float8,
	step float8, said float8);
CREATE TABLE bench.short_all (LIKE bench.short);
CREATE TABLE bench.short_finding (steps int, began timestamptz, finding l4_flow_finding);

-- The jobs whose steps parts are made of: those of the shortest and the longest steps, with what a step of theirs takes.
CREATE VIEW bench.short_job AS
	SELECT j.job, j.step
	FROM (SELECT t.job, t.step, row_number() OVER (ORDER BY t.step) AS place, count(*) OVER () AS jobs
		FROM (SELECT s.job, percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM s.ended - s.began)::float8) AS step
			FROM bench.whole_steps s GROUP BY s.job) t) j
	WHERE j.place IN (1, j.jobs);

-- Asks for one part.
CREATE FUNCTION bench.ask_short_window(job int, steps int, step float8, from_time timestamptz, to_time timestamptz)
	RETURNS void LANGUAGE plpgsql
SET jit = off
AS $$
DECLARE
	limits CONSTANT l4_limits := l4_limits_in_force();
	traces l4_flow_trace[];
BEGIN
	PERFORM bench.clear();
	UPDATE bench.time_window SET began = ask_short_window.from_time, ended = ask_short_window.to_time;
	traces := ARRAY(SELECT t FROM l4_flow_traces(ask_short_window.from_time, ask_short_window.to_time, 'l4_flow', NULL,
		'l4_accelerator', limits) t);
	INSERT INTO bench.found_job SELECT t.job, t.source FROM unnest(traces) t WHERE t.kind = 'accelerator';
	INSERT INTO bench.found_pair
	SELECT DISTINCT t.source, t.destination, t.kind FROM unnest(traces) t WHERE t.kind <> 'accelerator';
	INSERT INTO bench.found_step
	SELECT s.address, to_timestamp(s.began), to_timestamp(s.ended)
	FROM unnest(traces) t CROSS JOIN LATERAL l4_steps_of_trace(t) s;
	INSERT INTO bench.short_finding
	SELECT ask_short_window.steps, ask_short_window.from_time, f FROM l4_flow_findings(traces, limits) f;
	INSERT INTO bench.short
	SELECT ask_short_window.job, ask_short_window.steps, ask_short_window.from_time,
		(SELECT count(*) FROM bench.short_finding f
			WHERE f.steps = ask_short_window.steps AND f.began = ask_short_window.from_time),
		(SELECT bench.adjusted_rand_index(array_agg(t.job::text), array_agg(f.job::text))
			FROM bench.truth_jobs t JOIN bench.found_job f ON f.address = t.address),
		(SELECT avg((EXISTS (SELECT FROM bench.truth_pairs t WHERE t.kind = p.kind
				AND (t.source, t.destination) IN ((p.source, p.destination), (p.destination, p.source))))::int)
			FROM bench.found_pair p),
		(SELECT e.extra FROM bench.score_steps() e),
		ask_short_window.step,
		(SELECT t.period FROM unnest(traces) t JOIN bench.truth_jobs j ON j.address = t.source
			WHERE t.kind = 'accelerator' AND j.job = ask_short_window.job LIMIT 1);
END
$$;

CREATE FUNCTION bench.ask_short_windows() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	whole CONSTANT bench.time_window := (SELECT w FROM bench.time_window w);
	asked record;
	begins timestamptz;
BEGIN
	FOR asked IN
		SELECT j.job, j.step, s.steps, p.part
		FROM (SELECT * FROM bench.short_job ORDER BY job) j, unnest('{1,2,3,4,5,6,8,12}'::int[]) s(steps),
			unnest('{0.23,0.68}'::float8[]) p(part)
		WHERE s.steps * j.step < extract(epoch FROM whole.ended - whole.began)
		ORDER BY j.job, s.steps, p.part
	LOOP
		begins := whole.began + make_interval(secs => asked.part
			* (extract(epoch FROM whole.ended - whole.began)::float8 - asked.steps * asked.step));
		PERFORM bench.ask_short_window(asked.job, asked.steps, asked.step, begins,
			begins + make_interval(secs => asked.steps * asked.step));
	END LOOP;
END
$$;

CREATE FUNCTION bench.short_findings() RETURNS SETOF text LANGUAGE sql STABLE AS $$
	SELECT format('	%s steps from %s: job %s, %s %s, such as %s', f.steps, to_char(f.began, 'MI:SS.MS'), (f.finding).job,
		count(*), (f.finding).kind, min((f.finding).subject))
	FROM bench.short_finding f
	GROUP BY f.steps, f.began, (f.finding).job, (f.finding).kind
	ORDER BY f.steps, f.began, (f.finding).job, (f.finding).kind;
$$;

CREATE FUNCTION bench.short_line(scenario text) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT format('%-16s %s windows, findings %s (in those of up to 6 steps: %s)', short_line.scenario, count(*), sum(findings),
		COALESCE(sum(findings) FILTER (WHERE steps <= 6), 0))
	FROM bench.short;
$$;

CREATE FUNCTION bench.short_head() RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT 'steps windows findings   jobs  pairs extra%  said  off%';
$$;

CREATE FUNCTION bench.short_summary() RETURNS SETOF text LANGUAGE sql STABLE AS $$
	SELECT lpad(s.steps::text, 5) || lpad(count(*)::text, 8) || lpad(sum(s.findings)::text, 9)
		|| bench.shown(avg(s.jobs), 3, 7) || bench.shown(avg(s.pairs), 3, 7) || bench.shown(avg(s.extra), 1, 7)
		|| bench.shown(avg((s.said IS NOT NULL)::int), 2, 6) || bench.shown(100 * max(abs(s.said / s.step - 1)), 1, 6)
	FROM bench.short_all s
	GROUP BY s.steps
	ORDER BY s.steps;
$$;
