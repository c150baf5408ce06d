-- flows_paper.sql: the plain method of LLMPrism (Jiang et al., arXiv 2505.00342), on the same windows and scored in the same
-- way (flows.sql), as one would write it from the paper:
--
-- 1. Jobs: connected components of sources and destinations; those on the same servers (Jaccard at least 0.5) are one job.
-- 2. Pairs: the gaps between the flows of a pair (their logarithms) rise where a step begins (Bayesian online change points);
--    where the most frequent number of distinct sizes in a step is one, the pair is of a pipeline, else data parallel. Refined:
--    a pair with both ends in one component of data-parallel pairs is data parallel.
-- 3. Steps: the same change points over all data-parallel flows that an accelerator sends; the last before one ends a step.
-- 4. Findings, more than three standard deviations off: a step longer than the earlier ones of its accelerator, a group's
--    data-parallel phase longer than the others' in the same step, the mean bandwidth of the data-parallel flows of a switch
--    less than that of the others. Findings that follow one another are one.
-- The hazard of change points (setting bench.hazard) is the one of 0.004, 0.02, 0.1 and 0.3 with the best pairs on clean8.
-- Bounds of the window are those asked for, or, where there are none, all that there is.

-- The tables in between are temporary.
SET check_function_bodies = off;

CREATE FUNCTION bench.paper_jobs() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE component AS
		SELECT m.member AS address, m.component, COALESCE(a.server, m.member) AS server
		FROM unnest((SELECT l4_connected_components(p.source, p.destination) FROM pair p)) m
		LEFT JOIN l4_accelerator a ON a.address = m.member COLLATE "C";
	WITH parts AS MATERIALIZED (
		SELECT component, array_agg(DISTINCT server) AS servers FROM component GROUP BY component
	), together AS (
		SELECT DISTINCT a.component, b.component AS other FROM component a JOIN component b ON b.server = a.server
	), alike AS (
		SELECT t.component, t.other
		FROM together t
		JOIN parts a ON a.component = t.component
		JOIN parts b ON b.component = t.other
		CROSS JOIN LATERAL (SELECT count(*) AS both FROM unnest(a.servers) x(server) WHERE x.server = ANY (b.servers)) n
		WHERE n.both >= 0.5 * (cardinality(a.servers) + cardinality(b.servers) - n.both)
	), jobs AS (
		SELECT m.member AS component, dense_rank() OVER (ORDER BY m.component COLLATE "C")::int AS job
		FROM unnest((SELECT l4_connected_components(l.component, l.other) FROM alike l)) m
	)
	INSERT INTO bench.found_job
	SELECT j.job, c.address FROM component c JOIN jobs j ON j.component = c.component;
	ANALYZE bench.found_job;
END
$$;

-- The flows of key (those of a pair, or of an accelerator), each with the number of the step of key.
CREATE FUNCTION bench.paper_steps(into_table text, from_query text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TEMP TABLE gap AS
		SELECT q.*, row_number() OVER w AS place,
			ln(GREATEST(extract(epoch FROM q.started_at - lag(q.started_at) OVER w)::float8, 1e-6)) AS gap
		FROM (%s) q
		WINDOW w AS (PARTITION BY q.key ORDER BY q.started_at, q.bytes, q.other)', from_query);
	CREATE TEMP TABLE rise AS
		SELECT p.key, c.at::bigint AS place
		FROM (SELECT g.key, l4_online_change_points(g.place, g.gap, h.hazard) AS points
			FROM gap g
			CROSS JOIN (SELECT COALESCE(NULLIF(current_setting('bench.hazard', true), ''), '0.3')::float8 AS hazard) h
			GROUP BY g.key) p
		CROSS JOIN LATERAL unnest(p.points) c
		WHERE c.after > c.before;
	EXECUTE format('CREATE TEMP TABLE %I AS
		SELECT g.*, count(r.place) OVER (PARTITION BY g.key ORDER BY g.place) AS step
		FROM gap g
		LEFT JOIN rise r ON r.key = g.key AND r.place = g.place', into_table);
	DROP TABLE gap, rise;
END
$$;

CREATE FUNCTION bench.paper_pairs() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM bench.paper_steps('pair_flow', 'SELECT p.key, f.source AS other, f.started_at, f.bytes
		FROM bench.paper_flow f
		JOIN pair p ON p.source = f.source AND p.destination = f.destination
		WHERE p.is_training');
	CREATE TEMP TABLE pair_kind AS
		SELECT p.key, p.source, p.destination, k.kind AS first_kind, k.kind
		FROM pair p
		JOIN (SELECT s.key, CASE WHEN mode() WITHIN GROUP (ORDER BY s.sizes) = 1 THEN 'pipeline' ELSE 'data' END AS kind
			FROM (SELECT key, step, count(DISTINCT bytes) AS sizes FROM pair_flow GROUP BY key, step) s
			GROUP BY s.key) k ON k.key = p.key;
	CREATE TEMP TABLE data_group AS
		SELECT m.member COLLATE "C" AS address, m.component, m.members
		FROM unnest((SELECT l4_connected_components(k.source, k.destination) FROM pair_kind k WHERE k.kind = 'data')) m;
	UPDATE pair_kind k SET kind = 'data'
	FROM data_group a, data_group b
	WHERE a.address = k.source AND b.address = k.destination AND a.component = b.component;
	INSERT INTO bench.found_pair SELECT source, destination, kind, first_kind FROM pair_kind;
END
$$;

CREATE FUNCTION bench.paper_timeline() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM bench.paper_steps('data_flow', 'SELECT f.source AS key, f.destination AS other, f.started_at, f.duration, f.bytes
		FROM bench.paper_flow f
		JOIN pair_kind k ON k.source = f.source AND k.destination = f.destination
		WHERE k.kind = ''data''');
	CREATE TEMP TABLE timeline AS
		SELECT j.job, s.address, s.step, s.phase_began, lag(s.ended) OVER (PARTITION BY s.address ORDER BY s.step) AS began,
			s.ended
		FROM (SELECT d.key AS address, d.step, min(d.started_at) AS phase_began,
				max(d.started_at + d.duration * interval '1 second') AS ended
			FROM data_flow d GROUP BY d.key, d.step) s
		JOIN bench.found_job j ON j.address = s.address;
	INSERT INTO bench.found_step SELECT address, began, ended FROM timeline WHERE began < ended;
END
$$;

-- Stages are in the order in which they first send to a pipeline in a step.
CREATE FUNCTION bench.paper_groups() RETURNS void LANGUAGE sql AS $$
	INSERT INTO bench.found_group
	SELECT j.job, 'data', row_number() OVER (ORDER BY g.component)::int, count(*)::int,
		array_agg(g.address::text ORDER BY g.address)
	FROM data_group g JOIN bench.found_job j ON j.address = g.address
	GROUP BY j.job, g.component;
	WITH stage AS (
		SELECT m.member COLLATE "C" AS address, m.component
		FROM unnest((SELECT l4_connected_components(k.source, k.destination) FROM pair_kind k
			WHERE k.kind = 'pipeline')) m
	), sent AS (
		SELECT t.address, t.step, min(f.started_at) - t.began AS behind
		FROM timeline t
		JOIN pair_kind k ON k.source = t.address AND k.kind = 'pipeline'
		JOIN pair_flow f ON f.key = k.key AND f.started_at >= t.began AND f.started_at < t.ended
		GROUP BY t.address, t.step, t.began
	), placed AS (
		SELECT s.address, s.component, percentile_cont(0.5) WITHIN GROUP (ORDER BY n.behind) AS behind
		FROM stage s LEFT JOIN sent n ON n.address = s.address
		GROUP BY s.address, s.component
	)
	INSERT INTO bench.found_group
	SELECT j.job, 'pipeline', row_number() OVER (ORDER BY p.component)::int, count(*)::int,
		array_agg(p.address::text ORDER BY p.behind, p.address)
	FROM placed p JOIN bench.found_job j ON j.address = p.address
	GROUP BY j.job, p.component;
$$;

CREATE FUNCTION bench.paper_findings() RETURNS void LANGUAGE sql AS $$
	WITH steps AS (
		SELECT t.job, t.address, t.began, t.ended, extract(epoch FROM t.ended - t.began)::float8 AS took,
			avg(extract(epoch FROM t.ended - t.began)::float8) OVER earlier AS usual,
			stddev_samp(extract(epoch FROM t.ended - t.began)::float8) OVER earlier AS deviation, count(*) OVER earlier AS known
		FROM timeline t
		WHERE t.began IS NOT NULL
		WINDOW earlier AS (PARTITION BY t.address ORDER BY t.step ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
	), long_steps AS (
		SELECT s.job, range_agg(tstzrange(s.began, s.ended)) AS spans
		FROM steps s
		WHERE s.known >= 5 AND s.took > s.usual + 3 * s.deviation
		GROUP BY s.job
	)
	INSERT INTO bench.found_finding
	SELECT l.job, 'slow_step', 'job ' || l.job, lower(r.span), upper(r.span), NULL, NULL
	FROM long_steps l CROSS JOIN LATERAL unnest(l.spans) r(span);

	WITH phases AS (
		SELECT t.job, g.component, t.step, min(t.phase_began) AS began, max(t.ended) AS ended,
			avg(extract(epoch FROM t.ended - t.phase_began))::float8 AS took
		FROM timeline t JOIN data_group g ON g.address = t.address
		WHERE t.began IS NOT NULL
		GROUP BY t.job, g.component, t.step
	), compared AS (
		SELECT p.*, avg(p.took) OVER others AS usual, stddev_samp(p.took) OVER others AS deviation,
			count(*) OVER others AS known
		FROM phases p
		WINDOW others AS (PARTITION BY p.job, p.step
			ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW)
	), long_phases AS (
		SELECT c.job, c.component, range_agg(tstzrange(c.began, c.ended)) AS spans
		FROM compared c
		WHERE c.known >= 2 AND c.took > c.usual + 3 * c.deviation AND c.began < c.ended
		GROUP BY c.job, c.component
	)
	INSERT INTO bench.found_finding
	SELECT l.job, 'slow_group', l.component, min(lower(r.span)), max(upper(r.span)), NULL, NULL
	FROM long_phases l CROSS JOIN LATERAL unnest(l.spans) r(span)
	GROUP BY l.job, l.component;

	WITH used AS (
		SELECT w.name, avg(f.bytes / NULLIF(f.duration, 0)) AS bandwidth
		FROM bench.paper_flow f
		JOIN pair_kind k ON k.source = f.source AND k.destination = f.destination AND k.kind = 'data'
		CROSS JOIN LATERAL unnest(f.switches) w(name)
		GROUP BY w.name
	), compared AS (
		SELECT u.*, avg(u.bandwidth) OVER others AS usual, stddev_samp(u.bandwidth) OVER others AS deviation
		FROM used u
		WINDOW others AS (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW)
	)
	INSERT INTO bench.found_finding
	SELECT NULL, 'slow_switch', c.name, NULL, NULL, c.bandwidth / c.usual, NULL
	FROM compared c
	WHERE c.bandwidth < c.usual - 3 * c.deviation;
$$;

CREATE VIEW bench.paper_flow AS
	SELECT f.*
	FROM l4_flow f
	CROSS JOIN bench.time_window w
	WHERE f.started_at >= COALESCE(w.from_time, '-infinity') AND f.started_at < COALESCE(w.to_time, 'infinity');

CREATE FUNCTION bench.paper() RETURNS void LANGUAGE plpgsql
SET max_parallel_workers_per_gather = 0
SET work_mem = '256MB'
SET client_min_messages = warning
AS $$
DECLARE
	memory bigint;
	processor float8;
	seconds float8;
	peak float8;
BEGIN
	PERFORM bench.clear();
	PERFORM count(*), sum(bytes) FROM l4_flow;
	memory := bench.memory();
	processor := bench.processor();
	CREATE TEMP TABLE pair AS
		SELECT row_number() OVER (ORDER BY f.source, f.destination) AS key, f.source, f.destination, false AS is_training
		FROM bench.paper_flow f GROUP BY f.source, f.destination;
	ANALYZE pair;
	PERFORM bench.paper_jobs();
	UPDATE pair p SET is_training = true
	FROM l4_accelerator a, l4_accelerator b
	WHERE a.address = p.source AND b.address = p.destination;
	PERFORM bench.paper_pairs();
	PERFORM bench.paper_timeline();
	PERFORM bench.paper_groups();
	PERFORM bench.paper_findings();
	seconds := bench.processor() - processor;
	peak := (bench.memory() - memory) / 1024.0;
	processor := bench.processor();
	PERFORM count(*), sum(bytes) FROM (SELECT * FROM l4_flow ORDER BY source, started_at OFFSET 0) f;
	INSERT INTO bench.spent VALUES (seconds, bench.processor() - processor, peak);
	DROP TABLE pair, component, pair_flow, pair_kind, data_group, data_flow, timeline;
	ANALYZE bench.found_job, bench.found_pair, bench.found_group, bench.found_step, bench.found_finding;
END
$$;
