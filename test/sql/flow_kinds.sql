-- What pairs exchange, seen together: chains, rings and groups in which each sends to each; links that tokens and gradients
-- both take; first pieces of collectives; buckets that come regularly for a part of each step.
SET timezone = 'UTC';
SET extra_float_digits = 0;
\set VERBOSITY terse

-- Accelerators on servers of their own whose sizes all differ, as a collector samples: along a chain and around a ring of four
-- it is a pipeline, from each to each, be it that gradients take some links, tokens of experts; nothing comes back of contexts.
SELECT shape, string_agg(DISTINCT k.kind, ' ' ORDER BY k.kind) AS kinds
FROM l4_limits_in_force() l, (VALUES ('chain', '{ab,bc,cd}'::text[], 'expert', 1.0), ('ring', '{ab,bc,cd,ad}', 'expert', 1),
		('two', '{ab}', 'expert', 1), ('each to each', '{ab,bc,cd,ad,ac,bd}', 'expert', 1),
		('each to each', '{ab,bc,cd,ad,ac,bd}', 'data', 1), ('one way', '{ab,bc}', 'expert', 0)) s(shape, pairs, first, back),
	l4_told_kinds(ARRAY(SELECT ROW(1, left(p, 1), right(p, 1), CASE WHEN p IN ('ab', 'cd') THEN first ELSE 'expert' END, back,
			0, 0)::l4_told_kind FROM unnest(pairs) p),
		ARRAY(SELECT ROW(a, 1, 'server ' || a, 1)::l4_flow_place FROM unnest('{a,b,c,d}'::text[]) a), l) k
GROUP BY shape, first ORDER BY shape, first;
-- between two servers three of four pairs are of a pipeline, and so is the fourth, if it is answered
SELECT c.alike, string_agg(k.kind, ' ' ORDER BY k.one) AS kinds
FROM l4_limits_in_force() l, (VALUES (0.9), (0.1)) c(alike), l4_told_kinds(ARRAY(
		SELECT ROW(1, 'a' || n, 'b' || n, CASE n WHEN 4 THEN 'expert' ELSE 'pipeline' END, 1, c.alike, 0)::l4_told_kind
		FROM generate_series(1, 4) n),
	ARRAY(SELECT ROW(s || n, 1, s, 1)::l4_flow_place FROM unnest('{a,b}'::text[]) s, generate_series(1, 4) n), l) k
GROUP BY c.alike ORDER BY c.alike;

-- Sharded parameters, twenty steps of twelve layers: one each twentieth of a second forwards, and each tenth backwards, the
-- last one up to 1.708 s. Around a ring of 44 who is ever earlier within the step sends first pieces that much before the
-- rest. Steps end with the last layer.
CREATE TABLE piece AS
SELECT p.at, p.bytes::real AS bytes, p.lasted::real AS lasted
FROM generate_series(0, 19) step, generate_series(0, 23) layer,
	LATERAL (SELECT step * 1.85 + LEAST(layer, 12) * 0.05 + GREATEST(layer - 12, 0) * 0.1 AS at, 0.003 * layer AS early) a,
	LATERAL (VALUES (CASE WHEN layer > 1 THEN a.at - a.early END, 1, 0.0001),
		(a.at, CASE WHEN layer > 1 THEN 43 ELSE 44 END, 0.0035),
		(CASE WHEN layer >= 12 THEN a.at END, 44, 0.008)) p(at, bytes, lasted)
WHERE p.at IS NOT NULL;
SELECT round((c).interval::numeric, 3) AS seconds, (c).microbatches, cardinality((c).ended) AS steps,
	ARRAY(SELECT round(e::numeric, 3) FROM unnest((c).ended[:3]) e) AS ended
FROM (SELECT l4_step_cycles(array_agg(at ORDER BY at, bytes), array_agg(lasted ORDER BY at, bytes),
		array_agg(bytes ORDER BY at, bytes), 1.3, 0.35, 4, 0.6, 0.1) AS c FROM piece) t;

-- Fourteen buckets each 0.125 s, and then nothing for as long as it takes to compute: what comes regularly are steps.
SELECT round(l4_flow_pair_period(ROW(1, 0, 0, 0, 1, 0, 1, array_agg(3.0 * s + 0.125 * b ORDER BY s, b),
	array_agg(0.05::real), array_agg(1::real), array_agg(0.05::real), array_agg(1::smallint), array_agg(0::smallint),
	'{}')::l4_flow_series, NULL, l)::numeric, 3) AS period
FROM l4_limits_in_force() l, generate_series(1, 12) s, generate_series(0, 13) b GROUP BY l;

-- A link that tokens of experts take, each of a size of its own, and in each step two buckets of gradients: parted into both.
CREATE VIEW mixed AS
SELECT ROW(1, NULL, 'expert', 'a', 'b', ROW(count(*), 0, 0, 0, sum(m.bytes), 0, 0.1, array_agg(m.at ORDER BY m.at),
		array_agg(0.01::real), array_agg(m.bytes::real ORDER BY m.at), array_agg(0.01::real), array_agg(1::smallint),
		array_agg(0::smallint), '{}')::l4_flow_series, NULL, NULL)::l4_flow_direction AS direction
FROM (SELECT 4.0 * s + 0.1 * n AS at, 1000 + 7 * (n + 30 * s) AS bytes FROM generate_series(1, 12) s, generate_series(1, 30) n
	UNION ALL SELECT 4.0 * s + 3.2 + 0.1 * n, 50000 FROM generate_series(1, 12) s, generate_series(1, 2) n) m;
SELECT d.kind, d.period, (d.series).records, (d.series).bytes, (d.series).began[:3]
FROM l4_limits_in_force() l, mixed m, l4_with_gradients(ARRAY[m.direction],
	ARRAY[ROW('a', 1, 'host-a', 4)::l4_flow_place, ROW('b', 1, 'host-b', 4)::l4_flow_place], l) d ORDER BY d.kind;
-- and where no step is known, not
SELECT d.kind, (d.series).records FROM l4_limits_in_force() l, mixed m, l4_with_gradients(ARRAY[m.direction],
	ARRAY[ROW('a', 1, 'host-a', NULL)::l4_flow_place], l) d;

-- Rates of links are compared with those of their kind: tokens beside gradients with all tokens, but not tokens beside layers.
SELECT what, string_agg(r.kind || ' ' || r.destination, ', ' ORDER BY r.destination) AS compared
FROM (VALUES ('beside layers', 'data', 1, NULL), ('beside gradients', 'mixed', 1, 1), ('no steps', 'data', NULL, NULL))
		w(what, of, period, of_tokens),
	LATERAL l4_link_rates(ARRAY(SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', k.kind,
		'source', 'a', 'destination', k.peer, 'period', k.period, 'moved', '[1,2]'::jsonb, 'busy', '[1,1]'::jsonb))
		FROM (VALUES (of, 'b', period), ('expert', 'c', of_tokens)) k(kind, peer, period))) r
GROUP BY what ORDER BY what;

-- Five slow steps in a row of sixteen: by chance, where as many of the others are as slow.
SELECT others, l4_is_by_chance(ARRAY(SELECT CASE WHEN n BETWEEN 6 AND 10 OR n <= others THEN 0.4 ELSE 0 END::float8
	FROM generate_series(1, 16) n), 0.3, 5, l) AS by_chance
FROM l4_limits_in_force() l, generate_series(0, 4, 2) others;
SELECT l4_is_by_chance(array_fill(0.4::float8, '{300}'), 0.3, 300, l) AS slow_throughout FROM l4_limits_in_force() l;

-- A link of whoever all wait for is slow as it waits; others are slow by themselves.
SELECT l4_is_of_late_sender(kind, links::jsonb, awaited::jsonb) AS of_late_sender
FROM (VALUES ('slow_link', '{"links": ["a -> b", "a -> c"]}', '{"accelerators": ["a"]}'),
	('slow_link', '{"links": ["a -> b", "c -> b"]}', '{"accelerators": ["a"]}'),
	('slow_link', '{"links": ["a -> b"]}', '{"accelerators": ["a", "d"]}'),
	('slow_switch', '{"links": ["a -> b"]}', '{"accelerators": ["a"]}')) f(kind, links, awaited);

-- A ring of two that gradients of sharded parameters take one way, in steps of three microbatches, and tokens of experts both
-- ways: which come in each microbatch, and are no steps.
SELECT c.address, (c.phases).ended[1:3] AS ended
FROM l4_limits_in_force() l, l4_flow_cycles(ARRAY(
		SELECT ROW(1, CASE of WHEN 'data' THEN 1.2 END, of, source, destination, NULL, 1.2, ROW(lasts,
			ARRAY(SELECT lasts * n FROM generate_series(0, count - 1) n),
			ARRAY(SELECT lasts * n FROM generate_series(1, count) n),
			array_fill(1.0::float8, ARRAY[count]), microbatches, 1, lasts / 8, 2)::l4_step_cycle_series)::l4_flow_direction
		FROM (VALUES ('data', 'a', 'b', 1.2, 20, 3), ('expert', 'b', 'a', 0.4, 60, 1), ('expert', 'a', 'c', 0.4, 60, 1),
			('expert', 'c', 'a', 0.4, 60, 1)) d(of, source, destination, lasts, count, microbatches)), l) c
ORDER BY c.address;

-- Recursive halving and doubling over four: in each round half of what the one before moved, both ways, with another
-- partner. Two stages of two replicas may move twice as much, too, but not in messages twice as large; and around
-- a ring it goes one way.
CREATE FUNCTION pg_temp.moves(number int, size real) RETURNS l4_flow_series LANGUAGE sql AS $$
	SELECT ROW(number, 0, 0, 0, (number * size)::bigint, 0, 1, ARRAY(SELECT n FROM generate_series(1, number) n),
		array_fill(0.1::real, ARRAY[number]), array_fill(size, ARRAY[number]), array_fill(0.1::real, ARRAY[number]),
		array_fill(1::smallint, ARRAY[number]), array_fill(0::smallint, ARRAY[number]), '{}')::l4_flow_series
$$;
SELECT t.case, (SELECT string_agg(h.one || h.other, ' ' ORDER BY h.one, h.other)
	FROM l4_halved_pairs(ARRAY(SELECT ROW(left(p, 1), right(p, 1), pg_temp.moves(t.number, t.size),
			CASE WHEN t.is_both THEN pg_temp.moves(t.number, t.size) END,
			t.number * t.size * CASE WHEN t.is_both THEN 2 ELSE 1 END, 1, NULL, NULL)::l4_flow_pair
		FROM unnest('{ab,cd}'::text[]) p
		UNION ALL
		SELECT ROW(left(p, 1), right(p, 1), pg_temp.moves(10, 1000), pg_temp.moves(10, 1000), 20000, 1, NULL,
			NULL)::l4_flow_pair
		FROM unnest('{ac,bd}'::text[]) p), l) h) AS halved
FROM l4_limits_in_force() l, (VALUES ('1: half as large', 10, 500, true), ('2: half as many', 5, 1000, true),
	('3: a third as large', 10, 333, true), ('4: one way', 20, 500, false)) t("case", number, size, is_both)
ORDER BY t.case;

DROP VIEW mixed;
DROP TABLE piece;
