-- Stages that send as they get, buckets that are no layers, links that differ, and gradients that go with the whole backward.
SET timezone = 'UTC';
SET extra_float_digits = 0;

-- From 0 to 1, much like lots.
CREATE FUNCTION turn_lot(n bigint) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
	SELECT (n * 7919 + n * n * 104729 % 9973) % 997 / 996.0
$$;

-- ---- stages that send as they get ----

-- Of each of 20 steps eight messages go, and eight come: each with the next one that goes (a stage that waits until both are
-- ready), or with the one that goes (an exchange), or behind it (a tree, up and down). Of the lost one in 29 is missing.
CREATE VIEW exchanged AS
	SELECT w.name, w.lost, array_agg(s.at ORDER BY s.at) FILTER (WHERE s.goes) AS began,
		array_agg(s.at ORDER BY s.at) FILTER (WHERE NOT s.goes) AS back_began
	FROM (VALUES ('stages', 1), ('exchange', 0), ('tree', 0.5)) v(name, later),
		LATERAL (VALUES (v.name, false), (v.name, true)) w(name, lost),
		LATERAL (SELECT 10 * n + m AS at, true AS goes, n * 16 + m AS number
			FROM generate_series(1, 20) n, generate_series(1, 8) m
			UNION ALL
			SELECT 10 * n + m + v.later, false, n * 16 + m + 8 FROM generate_series(1, 20) n, generate_series(1, 8) m) s
	WHERE NOT (w.lost AND s.number % 29 = 0)
	GROUP BY w.name, w.lost;
CREATE VIEW answered AS
	SELECT e.name, e.lost, l4_answers(e.began, array_fill(0.2::real, ARRAY[cardinality(e.began)]),
		array_fill(1000000::real, ARRAY[cardinality(e.began)]), e.back_began,
		array_fill(0.2::real, ARRAY[cardinality(e.back_began)]), array_fill(1000000::real, ARRAY[cardinality(e.back_began)]),
		0.001, 0.00001, 0.0005) AS answer, l4_together(e.began, e.back_began, 0.0005) AS together
	FROM exchanged e;
SELECT a.name, a.lost, (a.answer).turns, round((a.answer).in_turn::numeric, 2) AS in_turn,
	l4_go_in_turn(a.answer, l) AS go_in_turn, l4_is_answered(1, a.together, 1, a.answer, l) AS is_answered,
	l4_flow_pair_kind(1, 1, a.together, 1, 1, a.answer, true, l) AS kind
FROM answered a, l4_limits_in_force() l ORDER BY a.name, a.lost;
-- three stages behind, three go alone at either end, and between two steps something small goes both ways at once
SELECT m.smallest, (a.answer).turns, round((a.answer).in_turn::numeric, 2) AS in_turn
FROM unnest('{0,0.01}'::float8[]) m(smallest), LATERAL (
	SELECT l4_answers(f.began, f.lasted, f.moved, b.began, b.lasted, b.moved, 0.001, 0.00001, 0.0005, m.smallest) AS answer
	FROM (SELECT array_agg(o.at ORDER BY o.at) AS began, array_agg(0.2::real ORDER BY o.at) AS lasted,
			array_agg(o.moved ORDER BY o.at) AS moved
		FROM (SELECT 20 * n + m AS at, 1000000::real AS moved FROM generate_series(1, 20) n, generate_series(1, 8) m
			UNION ALL SELECT 20 * n + 15, 2000 FROM generate_series(1, 20) n) o) f,
		(SELECT array_agg(o.at ORDER BY o.at) AS began, array_agg(0.2::real ORDER BY o.at) AS lasted,
			array_agg(o.moved ORDER BY o.at) AS moved
		FROM (SELECT 20 * n + m + 3 AS at, 1000000::real AS moved FROM generate_series(1, 20) n, generate_series(1, 8) m
			UNION ALL SELECT 20 * n + 15, 2000 FROM generate_series(1, 20) n) o) b) a;
-- of too few steps nothing is told
SELECT l4_go_in_turn(ROW(1, 1, 1, 5, 1)::l4_answer, l) AS few, l4_go_in_turn(ROW(1, 1, 1, 6, 0.4)::l4_answer, l) AS chance,
	l4_go_in_turn(NULL, l) AS nothing
FROM l4_limits_in_force() l;

-- ---- layers ----

-- Buckets of steps, which no pause parts all, are no layers.
SELECT (l4_step_cycles(array_agg(k.at::float8 ORDER BY k.at), array_agg(0.002::real ORDER BY k.at),
	array_agg(1::real ORDER BY k.at), 1.3, 0.35, 4, 0.6, 0.1, 1.3, 5, 0.5)).layer
FROM (SELECT s.at + (0.041 * (1 + 0.1 * (turn_lot(s.n + 100) - 0.5)) + 0.003 * turn_lot(s.n * 31 + i * 17 + 100)) * i AS at
	FROM (SELECT n, sum(1.64 * (1 + 0.1 * (turn_lot(n + 100) - 0.5))) OVER (ORDER BY n) AS at
		FROM generate_series(1, 80) n) s, generate_series(1, 14) i) k;

-- ---- links that differ from step to step ----

-- Six links, of which one is a quarter slower in steps 20 to 29: it is told, unless its rate differs by a seventh from step
-- to step anyway.
CREATE FUNCTION links_of(differs float8) RETURNS SETOF l4_flow_trace LANGUAGE sql AS $$
	SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', 'data', 'source', format('a%s', l),
		'destination', format('b%s', l), 'path', format('leaf-%s', l), 'period', 1, 'moved', jsonb_agg(100 ORDER BY n),
		'busy', jsonb_agg(CASE WHEN n BETWEEN 20 AND 29 AND l = 1 THEN 1.35 ELSE 1 + differs * (n % 2) END ORDER BY n),
		'began', jsonb_agg(n ORDER BY n)))
	FROM generate_series(1, 6) l, generate_series(1, 60) n GROUP BY l
$$;
SELECT d.differs, (SELECT round(l4_rate_changes(t.moved, t.busy)::numeric, 2) FROM links_of(d.differs) t
	WHERE t.source = 'a2') AS changes, s.source, round(s.level::numeric, 2) AS level, s.is_sure
FROM (VALUES (0), (0.15)) d(differs), l4_limits_in_force() l,
	LATERAL l4_slow_pairs(ARRAY(SELECT t FROM links_of(d.differs) t), l) s
WHERE s.is_slow
ORDER BY d.differs, s.source;
SELECT l4_rate_changes('{1}', '{1}') AS one, l4_rate_changes('{1,0,2}', '{1,1,0}') AS nothing;

-- ---- gradients that are not accumulated ----

-- Replicas on four servers, around a ring: their gradients go with the whole backward, two thirds of each step. It is a step,
-- but not where each fourth of them moves more, behind which parameters are gathered.
CREATE FUNCTION replicas(more float8) RETURNS SETOF l4_flow LANGUAGE sql AS $$
	SELECT '2026-01-01'::timestamptz + make_interval(secs => n + 0.3 + 0.08 * b), 0.02, format('10.0.0.%s', r),
		format('10.0.0.%s', (r + 1) % 4), (50000000 * CASE WHEN n % 4 = 0 AND b = 8 THEN 1 + 8 * more ELSE 1 END)::bigint,
		ARRAY['leaf'], NULL::bigint, 0::bigint, 1::bigint, 4791
	FROM generate_series(0, 3) r, generate_series(1, 12) n, generate_series(1, 8) b
$$;
INSERT INTO l4_accelerator (address, server) SELECT format('10.0.0.%s', n), format('server-%s', n) FROM generate_series(0, 3) n;
INSERT INTO l4_flow SELECT * FROM replicas(0);
SELECT kind, count(*) AS pairs FROM l4_flow_pairs() GROUP BY kind;
SELECT address, count(*) AS steps, round(avg(extract(epoch FROM ended - began)), 2) AS lasts FROM l4_flow_steps()
GROUP BY address ORDER BY address;
TRUNCATE l4_flow;
INSERT INTO l4_flow SELECT * FROM replicas(0.5);
SELECT count(*) AS steps FROM l4_flow_steps();
-- in one phase as long as that, unanswered, of few sizes
SELECT n.name, l4_goes_with_backward(n.span, n.is_answered, n.same_size, s.series, 1, l) AS goes_with_backward
FROM l4_limits_in_force() l, (SELECT l4_flow_messages(f.started_at, f.duration, f.bytes, f.queue_pair, f.retransmits,
		f.switches, l.flow_pause, l.flow_bytes::bigint, l.flow_twice) AS series
	FROM replicas(0) f, l4_limits_in_force() l WHERE f.source = '10.0.0.0' GROUP BY l.flow_pause, l.flow_bytes, l.flow_twice) s,
	(VALUES ('backward', 0.65, false, 1.0), ('short', 0.3, false, 1), ('all the time', 1, false, 1),
		('answered', 0.65, true, 1), ('tokens', 0.65, false, 0.01)) n(name, span, is_answered, same_size)
ORDER BY n.name;
TRUNCATE l4_flow, l4_accelerator;
