-- What flows tell of jobs whose steps and sequences differ, and that nothing is said where they are not understood.
SET timezone = 'UTC';
SET extra_float_digits = 0;

-- From 0 to 1, much like lots.
CREATE FUNCTION lot(n bigint) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
	SELECT (n * 7919 + n * n * 104729 % 9973) % 997 / 996.0
$$;

-- ---- what goes both ways ----

-- Each message is answered some half a second later by one as large, and only by that; all at once; as who is ready first
-- waits for the other; sizes of their own.
CREATE VIEW way AS
	SELECT w.name, array_agg(n + w.later * CASE WHEN w.name = 'waits' THEN lot(n) ELSE 1 + lot(n + 500) / 8 END
			ORDER BY n)::float8[] AS began,
		array_agg((0.4 - CASE WHEN w.name = 'waits' THEN w.later * lot(n) ELSE 0 END)::real ORDER BY n) AS lasted,
		array_agg(CASE WHEN w.name = 'tokens' THEN 1000000 + 1000000 * lot(n + 333) ELSE 1000000 + 100000 * lot(n) END::real
			ORDER BY n) AS moved
	FROM (VALUES ('goes', 0), ('answers', 0.5), ('waits', 0.3), ('tokens', 0.5)) w(name, later), generate_series(1, 90) n
	GROUP BY w.name;
SELECT b.name, round((x.x).alike::numeric, 2) AS alike, round((x.x).at_once::numeric, 2) AS at_once,
	round((x.x).end_together::numeric, 2) AS end_together
FROM way a, way b,
	LATERAL (SELECT l4_answers(a.began, a.lasted, a.moved, b.began, b.lasted, b.moved, 0.001, 0.00001, 0.001)) x(x)
WHERE a.name = 'goes' ORDER BY b.name;
SELECT l4_answers('{}', '{}', '{}', '{1}', '{1}', '{1}', 0.001, 0.01, 0.001) AS nothing;
SELECT l4_answers('{1}', '{1}', '{1,2}', '{1}', '{1}', '{1}', 0.001, 0.01, 0.001);
SELECT l4_answers('{1}', '{1}', '{1}', '{1}', '{1}', '{1}', -1, 0.01, 0.001);
-- a pipeline is answered; not what goes at once or ends together, nor tokens
SELECT b.name, l4_is_answered(1, 0.1, 0.01, l4_answers(a.began, a.lasted, a.moved, b.began, b.lasted, b.moved, 0.001, 0.00001,
	0.001), l4_limits_in_force()) AS is_answered
FROM way a, way b WHERE a.name = 'goes' ORDER BY b.name;
SELECT l4_is_answered(1, 0.1, 0.9, NULL, l4_limits_in_force()) AS one_size,
	l4_is_answered(1, 0.1, 0.9, ROW(1, 0.9, 0.1, 0, 0)::l4_answer, l4_limits_in_force()) AS at_once;

/*
 * Two pipelines of four stages on eight servers, which sum up gradients with each other: six microbatches a step, each of its
 * own length, and so is their computing. Steps differ by a third. Beside them twelve that send to each other at random.
 */
CREATE FUNCTION pipelines() RETURNS SETOF l4_flow LANGUAGE sql AS $$
	WITH step AS (
		SELECT n, 1 + 0.3 * lot(n) AS longer FROM generate_series(1, 30) n
	), began AS (
		SELECT s.n, s.longer, sum(1.75 * s.longer) OVER (ORDER BY s.n) - 1.75 * s.longer AS at FROM step s
	), microbatch AS (
		SELECT b.at, b.n, b.longer, k, p, s, b.longer * (0.05 * k + 0.05 * s + 0.0003 * p) AS forward,
			b.longer * (0.62 + 0.1 * k - 0.1 * s + 0.0003 * p) AS backward,
			(20000000 * b.longer * (1 + 0.05 * lot(b.n * 6 + k + 500 * p)))::bigint AS bytes
		FROM began b, generate_series(1, 6) k, generate_series(0, 1) p, generate_series(0, 2) s
	), sent AS (
		SELECT m.at + m.forward AS at, 0.002 AS lasts, m.s * 2 + m.p AS source, (m.s + 1) * 2 + m.p AS destination, m.bytes
		FROM microbatch m
		UNION ALL
		SELECT m.at + m.backward, 0.002, (m.s + 1) * 2 + m.p, m.s * 2 + m.p, m.bytes FROM microbatch m
		UNION ALL
		SELECT b.at + b.longer * 1.5 + 0.03 * k, 0.025, s * 2 + p, s * 2 + 1 - p, 250000000
		FROM began b, generate_series(1, 4) k, generate_series(0, 1) p, generate_series(0, 3) s
	)
	SELECT '2026-01-01'::timestamptz + make_interval(secs => s.at), s.lasts, format('10.0.0.%s', s.source),
		format('10.0.0.%s', s.destination), s.bytes, ARRAY['leaf'], s.bytes / 4096, 0::bigint, 1::bigint, 4791
	FROM sent s
$$;
CREATE FUNCTION strangers() RETURNS SETOF l4_flow LANGUAGE sql AS $$
	SELECT '2026-01-01'::timestamptz + make_interval(secs => 65 * lot(i * 31 + j * 7 + n * 13)), 0.01, format('10.0.1.%s', i),
		format('10.0.1.%s', 6 + j), (10000000 * (1 + 40 * lot(i * 101 + j * 59 + n)) + n)::bigint, ARRAY['leaf'], NULL::bigint,
		0::bigint, 1::bigint, 4791
	FROM generate_series(1, 6) i, generate_series(1, 6) j, generate_series(1, 12) n
$$;
INSERT INTO l4_flow SELECT * FROM pipelines() UNION ALL SELECT * FROM strangers();
INSERT INTO l4_accelerator (address, server) SELECT format('10.0.0.%s', n), format('server-%s', n) FROM generate_series(0, 7) n;
INSERT INTO l4_accelerator (address, server) SELECT format('10.0.1.%s', n), format('other-%s', n) FROM generate_series(1, 12) n;
SELECT job, count(*) AS accelerators FROM l4_flow_jobs() GROUP BY job ORDER BY job;
SELECT job, kind, count(*) AS pairs FROM l4_flow_pairs() GROUP BY job, kind ORDER BY job, kind;
SELECT kind, size, count(*) FROM l4_flow_groups() WHERE kind IN ('data', 'pipeline') GROUP BY kind, size ORDER BY kind;
SELECT count(*) AS findings FROM l4_flow_diagnose();
-- Who looks after a job sends little, to all of it, when it likes.
INSERT INTO l4_flow SELECT '2026-01-01'::timestamptz + make_interval(secs => 60 * lot(i * 37 + j * 11 + n * 17)), 0.001,
	format('10.0.0.%s', i), format('10.0.0.%s', j), 100000 + n * i + j, ARRAY['leaf'], NULL::bigint, 0::bigint, 1::bigint, 4791
FROM generate_series(0, 7) i, generate_series(0, 7) j, generate_series(1, 10) n WHERE i < j;
SELECT job, count(*) AS accelerators FROM l4_flow_jobs() GROUP BY job ORDER BY job;

-- ---- steps that differ ----

-- Of times that are none, and of what ends before it begins, nothing is told.
SELECT l4_step_cycles(ARRAY(SELECT g + (g % 5 = 0)::int * 3.0 FROM generate_series(1, 60) g) || 'Infinity'::float8,
	array_fill(0.1::real, '{61}'), array_fill(1::real, '{61}'), 1.3, 0.05, 1, 0.6, 0.1) IS NULL AS infinite,
	l4_step_cycles(ARRAY(SELECT (g / 2) * 1.0 FROM generate_series(1, 60) g), array_fill(-1::real, '{60}'),
	array_fill(1::real, '{60}'), 1.3, 0.05, 1, 0.6, 0.1) IS NULL AS negative;

-- All parameters are gathered in each step of twelve layers, forwards and back, however long it takes.
SELECT round((c).regular::numeric, 1) AS regular, cardinality((c).ended) AS steps
FROM (SELECT l4_step_cycles(array_agg(b.at + b.longer * (0.04 * LEAST(i, 12) + 0.08 * GREATEST(i - 12, 0)) ORDER BY b.at, i),
		array_agg(0.002::real ORDER BY b.at, i), array_agg((1 + (i >= 12)::int)::real ORDER BY b.at, i), 1.3, 0.35, 4, 0.6, 0.1,
		1.3, 5, 0.5) AS c
	FROM (SELECT n, 1 + 0.5 * lot(n) AS longer, sum(1.6 * (1 + 0.5 * lot(n))) OVER (ORDER BY n)
		- 1.6 * (1 + 0.5 * lot(n)) AS at
		FROM generate_series(1, 40) n) b, generate_series(0, 23) i) s;
-- Traces of one that takes so much longer in steps 20 to 29, where all differ by so much.
CREATE FUNCTION of_lengths(longer float8, differs float8) RETURNS l4_flow_trace LANGUAGE sql AS $$
	SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', 'accelerator', 'source', 'a',
		'server', 'a', 'period', 1, 'step', jsonb_agg(s.n ORDER BY s.n), 'ends', jsonb_agg(s.at ORDER BY s.n),
		'closes', jsonb_agg(s.at ORDER BY s.n), 'moved', jsonb_agg(100 ORDER BY s.n)))
	FROM (SELECT n, sum(CASE WHEN n BETWEEN 20 AND 29 THEN 1 + of_lengths.longer ELSE 1 END + of_lengths.differs * lot(n))
		OVER (ORDER BY n) AS at FROM generate_series(1, 45) n) s
$$;
SELECT c.longer, c.differs, f.subject, round(f.factor::numeric, 2) AS factor
FROM (VALUES (0, 0), (0, 0.3), (0.2, 0), (0.2, 0.3), (0.6, 0.1)) c(longer, differs)
LEFT JOIN LATERAL l4_flow_findings(ARRAY[of_lengths(c.longer, c.differs)], l4_limits_in_force()) f ON true
ORDER BY c.longer, c.differs;

-- ---- who is slow is so in all steps, and by the same ----

SELECT c.name, r.began, r.ended, round(r.level::numeric, 2) AS level, r.steps
FROM (VALUES ('now and then', '{0,1,0,1,0,1,0,1,0,1,0,1,0,1,0}'::float8[]), ('but for one', '{0,0,1,1,1,1,0,1,1,1,1,0,0,0,0}'))
	c(name, levels)
LEFT JOIN LATERAL l4_slow_regimes(ARRAY(SELECT n::float8 FROM generate_series(1, 15) n), c.levels, 0.5, l4_limits_in_force()) r
	ON true
ORDER BY c.name;
-- Links of one job, of which the first are slow in steps 10 to 19: by a quarter, or by what differs from step to step.
CREATE FUNCTION links_of(slow int, differs float8) RETURNS SETOF l4_flow_trace LANGUAGE sql AS $$
	SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', 'data', 'source', format('a%s', l),
		'destination', format('a%s', l + 100), 'path', format('leaf-%s,spine-%s', l, l % 4), 'period', 1,
		'moved', jsonb_agg(100 ORDER BY n),
		'busy', jsonb_agg(CASE WHEN n BETWEEN 10 AND 19 AND l <= links_of.slow
			THEN 1.3 + links_of.differs * lot(n) ^ 3 ELSE 1 END ORDER BY n), 'began', jsonb_agg(n ORDER BY n)))
	FROM generate_series(1, 24) l, generate_series(1, 40) n GROUP BY l
$$;
SELECT c.differs, f.kind, f.subject, round(f.factor::numeric, 2) AS factor
FROM (VALUES (0), (30)) c(differs)
LEFT JOIN LATERAL l4_slow_elements(ARRAY(SELECT t FROM links_of(1, c.differs) t), l4_limits_in_force()) f ON true
ORDER BY c.differs;
-- What explains few of many links that are slow is not to blame, though all are slow that it has.
SELECT f.kind, f.subject FROM l4_slow_elements(ARRAY(SELECT t FROM links_of(12, 0) t), l4_limits_in_force()) f;
SELECT f.kind, f.subject, (f.facts ->> 'unexplained')::int AS unexplained
FROM l4_common_elements(ARRAY(SELECT t FROM links_of(12, 0) t WHERE (t).path NOT LIKE '%spine-1' OR (t).source IN ('a1', 'a5',
	'a9')), l4_limits_in_force()) f
WHERE f.kind = 'slow_switch' AND f.subject LIKE 'spine%';

-- ---- jobs that are not understood ----

-- Steps that move the same, and last as long, are; not where each other one moves twice as much, as layers do, or lasts
-- longer, or where accelerators do not agree on them, or where there are none.
SELECT c.name, EXISTS (SELECT FROM l4_understood_jobs(ARRAY(SELECT jsonb_populate_record(NULL::l4_flow_trace,
	jsonb_build_object('job', 1, 'kind', 'accelerator', 'source', a, 'period', CASE WHEN c.name <> 'no steps' THEN 1 END,
	'moved', (SELECT jsonb_agg(1 + (c.name = 'layers')::int * (n % 2)) FROM generate_series(1, 20) n),
	'ends', (SELECT jsonb_agg(n + (c.name = 'microbatches')::int * 0.25 * (n % 2)) FROM generate_series(1, 21) n),
	'step', (SELECT jsonb_agg(CASE WHEN c.name = 'strangers' AND n % 2 = 0 THEN 0 ELSE n END) FROM generate_series(1, 21) n)))
	FROM generate_series(1, 3) a), l4_limits_in_force())) AS is_understood
FROM (VALUES ('steps'), ('layers'), ('microbatches'), ('strangers'), ('no steps')) c(name) ORDER BY c.name;

-- ---- cost ----

-- Steps are read side by side: one by one each would be looked for in a copy of all.
CREATE TABLE long_trace AS
	SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', 'accelerator', 'source', 'a',
		'step', jsonb_agg(n), 'ends', jsonb_agg(n + 0.001 * lot(n)), 'closes', jsonb_agg(n + 0.5), 'moved', jsonb_agg(lot(n))))
		AS trace
	FROM generate_series(1, 40000) n;
SET statement_timeout = '10s';
SELECT count(*) AS steps, round(sum(s.data)::numeric) AS data FROM long_trace t CROSS JOIN LATERAL l4_steps_of_trace(t.trace) s;
RESET statement_timeout;
TRUNCATE l4_flow, l4_accelerator;
