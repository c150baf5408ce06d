-- What goes from each to each; rings of gradients beside contexts, and shards that look like these; steps without long pauses;
-- whether anybody waits for those that exchange late.
SET search_path = public;
SET client_min_messages = warning;
SET extra_float_digits = 0;
\set VERBOSITY terse

-- From each to each of two servers, data aside: contexts in few sizes, tokens of experts in sizes of their own. Two by two, or
-- where a third of the pairs is missing, it is what each pair looks like.
SELECT t.case, string_agg(DISTINCT k.kind, ' ' ORDER BY k.kind) AS kinds
FROM l4_limits_in_force() l, (VALUES ('1: few sizes', 3, 9, 0.5), ('2: own sizes', 3, 9, 0.01), ('3: two by two', 2, 4, 0.5),
		('4: six of nine', 3, 6, 0.5)) t("case", members, pairs, same_size),
	l4_told_kinds(ARRAY(SELECT ROW(1, 'a' || n / members, 'b' || n % members,
			CASE n WHEN 0 THEN 'data' WHEN 1 THEN 'expert' ELSE 'pipeline' END, 1, 0, t.same_size)::l4_told_kind
			FROM generate_series(0, t.pairs - 1) n),
		ARRAY(SELECT ROW(s || n, 1, 'server ' || s, 1)::l4_flow_place FROM unnest('{a,b}'::text[]) s, generate_series(0, 2) n),
		l) k
GROUP BY t.case ORDER BY t.case;

-- Series of messages of such sizes, in steps of four seconds.
CREATE FUNCTION pg_temp.series(sizes int[], gradients int) RETURNS l4_flow_series LANGUAGE sql AS $$
	SELECT ROW(count(*), 0, 0, 0, sum(m.bytes), 0, 1.0 / cardinality(sizes), array_agg(m.at ORDER BY m.at),
		array_agg(0.01::real), array_agg(m.bytes::real ORDER BY m.at), array_agg(0.01::real), array_agg(1::smallint),
		array_agg(0::smallint), '{}')::l4_flow_series
	FROM (SELECT 4.0 * s + 0.1 * n AS at, sizes[1 + n % cardinality(sizes)] AS bytes
			FROM generate_series(1, 12) s, generate_series(0, 29) n
		UNION ALL
		SELECT 4.0 * s + 3.2 + 0.1 * n, gradients FROM generate_series(1, 12) s, generate_series(1, 2) n
		WHERE gradients IS NOT NULL) m
$$;
-- Gradients go one way beside contexts that come back as they went: parted into both. What is as large as contexts is not, nor
-- where as much comes back.
SELECT t.case, d.source, d.kind, (d.series).records, (d.series).began[:2]
FROM l4_limits_in_force() l, (VALUES ('1: around a ring', 90000, NULL::int), ('2: of one size', 7000, NULL),
		('3: both ways', 90000, 80000)) t("case", forth, back),
	l4_beside_contexts(ARRAY(SELECT ROW(1, 4, 'context', d.source, d.destination, pg_temp.series('{7000,500}', d.gradients),
			NULL, NULL)::l4_flow_direction FROM (VALUES ('a', 'b', forth), ('b', 'a', back)) d(source, destination, gradients)),
		ARRAY[ROW('a', 1, 'host-a', 4)::l4_flow_place, ROW('b', 1, 'host-b', 4)::l4_flow_place], l) d
ORDER BY 1, 2, 3;

-- Four servers, gradients go between the first and the third, and the second and the fourth: those who go on with each other
-- all the time hold shards. Where gradients go around all of them, or nobody knows the servers, it is contexts.
SELECT t.case, string_agg(d.kind || COALESCE(' ' || d.period, ''), ' ') FILTER (WHERE d.destination = 'b2')
	AS first_with_second
FROM (VALUES ('1: by twos', '{a3,b4}'::text[], 'host-'), ('2: around all', '{a3,b4,23}', 'host-'),
		('3: not known', '{a3,b4}', '')) t("case", gradients, host),
	l4_contexts_of_equals(ARRAY(
			SELECT ROW(1, 4, 'context', 'a1', 'b2', pg_temp.series('{7000}', NULL), NULL, NULL)::l4_flow_direction
			UNION ALL
			SELECT ROW(1, 4, 'data', CASE left(g, 1) WHEN 'a' THEN 'a1' WHEN 'b' THEN 'b2' ELSE 'c' || left(g, 1) END,
				'c' || right(g, 1), pg_temp.series('{7000}', NULL), NULL, NULL)::l4_flow_direction FROM unnest(t.gradients) g),
		ARRAY(SELECT ROW(a, 1, CASE t.host WHEN '' THEN a ELSE t.host || right(a, 1) END, 4)::l4_flow_place
			FROM unnest('{a1,b2,c2,c3,c4}'::text[]) a), l4_limits_in_force()) d
GROUP BY t.case ORDER BY t.case;
-- and these are compared with each other, not with the gradients
SELECT r.kind, r.destination
FROM l4_link_rates(ARRAY(SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', 'data',
	'source', 'a', 'destination', k.peer, 'period', k.period, 'moved', '[1,2]'::jsonb, 'busy', '[1,1]'::jsonb))
	FROM (VALUES ('b', 4), ('c', NULL)) k(peer, period))) r ORDER BY 2;

-- Steps of four seconds: of two pairs one rests for 1.2 of them, the other for 0.6, which parts its steps as well.
BEGIN;
DECLARE pairs SCROLL CURSOR FOR
SELECT (ROW(p.one, p.other, s.series, s.series, (s.series).bytes, 4, NULL, NULL)::l4_flow_pair).*
FROM (VALUES ('a', 'b', 27), ('c', 'd', 33)) p(one, other, messages)
CROSS JOIN LATERAL (SELECT ROW(count(*), 0, 0, 0, 1000 * count(*), 0, 1, array_agg(4.0 * s + 0.1 * n ORDER BY s, n),
	array_agg(0.1::real), array_agg(1000::real), array_agg(0.1::real), array_agg(1::smallint), array_agg(0::smallint),
	'{}')::l4_flow_series AS series FROM generate_series(1, 20) s, generate_series(0, p.messages) n) s;
SELECT c.name, c.period, cardinality(c.ends) AS steps
FROM l4_connected_clusters('pairs', '{}', (SELECT l4_limits_in_force())) c ORDER BY 1;
COMMIT;

-- Whose messages to the others come later for six steps is slow if these steps last longer than others.
SELECT t.case, e.subject, round(e.factor::numeric, 2) AS factor
FROM (VALUES ('1: waited for', 1.2), ('2: not waited for', 1.0)) t("case", longer),
	l4_slow_exchangers(ARRAY(SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1,
			'kind', 'accelerator', 'source', a, 'server', 'host-' || a, 'period', 4,
			'ends', (SELECT jsonb_agg(4 * n + 4 * (t.longer - 1) * LEAST(GREATEST(n - 10, 0), 6) ORDER BY n)
				FROM generate_series(0, 30) n),
			'beside', (SELECT jsonb_agg(CASE WHEN a = 'a' AND n BETWEEN 11 AND 16 THEN 0.25 ELSE 0.001 * (n % 3) END ORDER BY n)
				FROM generate_series(1, 30) n)))
		FROM unnest('{a,b,c,d}'::text[]) a), l4_limits_in_force()) e
ORDER BY 1;

-- Rails of one job go through the same cycles, also where one shows none while something is slow. Others do not.
SELECT t.case, l4_have_same_cycles(c.a, c.b, l) AS same
FROM l4_limits_in_force() l, (VALUES ('1: all', 40, 0.0), ('2: half of them', 20, 0.0), ('3: others', 20, 1.5),
		('4: a few', 4, 1.5)) t("case", shown, drift),
	LATERAL (SELECT ROW('a', NULL, NULL, '{h}', '{a}', 3.6, array_agg(3.6 * n ORDER BY n), NULL)::l4_flow_cluster AS a,
			ROW('b', NULL, NULL, '{h}', '{b}', 3.6, array_agg(3.6 * n + drift * (n % 2) + 0.1 ORDER BY n)
				FILTER (WHERE n <= shown), NULL)::l4_flow_cluster AS b FROM generate_series(1, 40) n) c
ORDER BY 1;
SELECT l4_times_beside('{1,2,3,4,5}', '{2.1,2.2,4.9}', 0.15) AS beside, l4_times_beside('{1}', '{}', 1) AS none;

-- Four stages by two on each server: who sends nothing along the pipeline does the same as those beside others of the stage
-- that its server shows.
SELECT s.address, s.stage, s.pipeline
FROM l4_stages_of(ARRAY(SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', 'accelerator',
			'source', format('%s%s', r, p), 'server', format('%s-%s', r, (p - 1) / 2), 'period', 4, 'ends', '[0,4,8]'::jsonb))
		FROM unnest('{a,b}'::text[]) r, generate_series(1, 4) p
	UNION ALL
	SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', 'pipeline', 'source', r || w.one,
			'destination', r || w.other, 'server', r || '-0', 'period', 4, 'sent', jsonb_build_array(w.at, w.at),
			'moved', '[1,1]'::jsonb, 'began', jsonb_build_array(w.at, 4 + w.at)))
		FROM unnest('{a,b}'::text[]) r, (VALUES (2, 3, 1.0), (3, 2, 2.0)) w(one, other, at))) s
ORDER BY 1;
