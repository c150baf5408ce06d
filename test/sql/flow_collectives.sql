-- Sharded parameters whose rings leave a server by another accelerator than they came in by: collectives in pieces, whom all
-- wait for, and what many links have in common.
SET timezone = 'UTC';
SET extra_float_digits = 0;
\set VERBOSITY terse

-- Twenty steps of ten layers. Who is early sends a part of each collective before the last one is there, by up to as long as a
-- layer takes forwards, so that no pause parts layers; backwards one is scattered while the next is gathered.
CREATE TABLE piece AS
SELECT step, layer, last, at - (NOT last)::int * early AS at, (CASE WHEN layer < 10 THEN 1 ELSE 2 END
	* CASE WHEN last THEN 30 - part ELSE part END)::real AS bytes, 0.001::real AS lasted
FROM generate_series(0, 19) step, generate_series(0, 19) layer, unnest('{f,t}'::boolean[]) last,
	LATERAL (SELECT step * 0.62 + LEAST(layer, 10) * 0.02 + GREATEST(layer - 10, 0) * 0.04 AS at,
		0.003 + 0.012 * ((step * 7 + layer * 3) % 5) / 4 AS early, 3 + 3 * ((step * 3 + layer * 7) % 5) AS part) t;
SELECT round((c).interval::numeric, 3) AS seconds, (c).microbatches, cardinality((c).ended) AS steps,
	round((c).weight::numeric, 1) AS weight
FROM (SELECT l4_step_cycles(array_agg(at ORDER BY at), array_agg(lasted ORDER BY at), array_agg(bytes ORDER BY at),
		1.3, 0.35, 4, 0.6, 0.1) AS c FROM piece) t;
-- where nothing moves the same no collectives are looked for
SELECT l4_step_cycles(array_agg(at ORDER BY at), array_agg(lasted ORDER BY at),
	array_agg((bytes * (1 + (step * 13 + layer * 7) % 11))::real ORDER BY at), 1.3, 0.35, 4, 0.6, 0.1) IS NULL AS none
FROM piece;

-- What goes early, but for the steps in which the sender is the last.
SELECT ARRAY(SELECT round(e::numeric, 2) FROM unnest(early) e) AS early
FROM (SELECT l4_step_early(array_agg(at ORDER BY at), array_agg(lasted ORDER BY at), array_agg(bytes ORDER BY at),
		ARRAY(SELECT n * 0.62 * 4 - 0.018 FROM generate_series(0, 5) n), 0.5, 0.1) AS early
	FROM (SELECT at, lasted, bytes FROM piece WHERE step NOT BETWEEN 8 AND 11
		UNION ALL SELECT max(at), max(lasted), sum(bytes) FROM piece WHERE step BETWEEN 8 AND 11 GROUP BY step, layer) p) t;
SELECT l4_step_early('{1,2}', '{0,0}', '{1,1}', '{0,3}', 0.5, 0.1);
SELECT l4_step_early('{1,2}', '{0,0}', '{1}', '{0,3}', 0.5, 0.1);

-- The rate of a step by all of its messages, and by those that go alone.
SELECT (l4_step_traffic('{1,2,3,4,6}', '{8,8,8,8,8}', '{2,2,2,1,4}', '{1,1,1,1,1}', 0, '{0,5,9}')).busy AS all_of_them,
	(l4_step_traffic('{1,2,3,4,6}', '{8,8,8,8,8}', '{2,2,2,1,4}', '{1,1,1,1,1}', 0, '{0,5,9}', 0.25)).busy AS alone;
-- a message that takes five times as long, but no time-out
SELECT l4_late_messages('{1,2,3,4,5}', '{1,1,1,1,1}', '{0.001,0.001,0.001,0.005,0.9}', 3) AS late,
	l4_late_messages('{1,2,3,4,5}', '{1,1,1,1,1}', '{0.001,0.001,0.001,0.005,0.9}', 3, 0.01) AS timed_out;

-- ---- findings, of traces ----

CREATE TABLE trace OF l4_flow_trace;
-- 4 servers with an accelerator each way of a ring, 12 steps of a second
CREATE FUNCTION pair_trace(source int, destination int, rate float8[], beside float8[] DEFAULT NULL,
	early float8[] DEFAULT NULL)
	RETURNS l4_flow_trace LANGUAGE sql IMMUTABLE AS $$
	SELECT t FROM jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', 'data',
		'source', 'a' || source, 'destination', 'a' || destination, 'server', 'server' || source / 2, 'period', 1, 'flows', 99,
		'first_at', 0, 'last_at', 12, 'moved', ARRAY(SELECT 10 * r FROM unnest(rate) r),
		'busy', ARRAY(SELECT 10 FROM unnest(rate)),
		'began', ARRAY(SELECT n - 1 FROM generate_series(1, cardinality(rate)) n),
		'ends', ARRAY(SELECT n FROM generate_series(0, cardinality(rate)) n), 'beside', beside, 'early', early)) t;
$$;
CREATE FUNCTION accelerator_trace(number int, lasted float8[]) RETURNS l4_flow_trace LANGUAGE sql IMMUTABLE AS $$
	SELECT t FROM jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', 'accelerator',
		'source', 'a' || number, 'server', 'server' || number / 2, 'period', 1, 'last_at', 99,
		'step', ARRAY(SELECT n FROM generate_series(1, cardinality(lasted) + 1) n),
		'ends', ARRAY(SELECT COALESCE((SELECT sum(l) FROM unnest(lasted[:n]) l), 0)
			FROM generate_series(0, cardinality(lasted)) n),
		'closes', lasted)) t;
$$;
CREATE FUNCTION steps(usual float8, otherwise float8) RETURNS float8[] LANGUAGE sql IMMUTABLE AS $$
	SELECT ARRAY(SELECT CASE WHEN n BETWEEN 5 AND 11 THEN otherwise ELSE usual END FROM generate_series(1, 16) n);
$$;

-- One link that is slow is told; of four at once, which share nothing, none is, but one that is so by far.
SELECT slow, (SELECT array_agg(f.subject ORDER BY f.subject) FROM l4_slow_elements(ARRAY(
		SELECT pair_trace(n, (n + 3) % 20, steps(10,
			CASE WHEN n % 5 <> 0 OR n >= 5 * slow THEN 10 WHEN n = 0 THEN first ELSE 6 END))
		FROM generate_series(0, 19) n
		UNION ALL SELECT pair_trace(n, (n + 7) % 20, steps(10, 10))
		FROM generate_series(0, 19) n), l4_limits_in_force()) f) AS told
FROM (VALUES (1, 6), (2, 6), (4, 6), (4, 3)) c(slow, first);

-- While steps take longer all wait for server 1, whose links send next to nothing before it is there; where that is so at any
-- time, or others do as little, nobody is named.
SELECT usual, next, (SELECT array_agg(f.subject || ' ' || round(f.factor::numeric, 2)) FROM l4_awaited_servers(ARRAY(
		SELECT accelerator_trace(n, steps(1, 1.3)) FROM generate_series(0, 7) n
		UNION ALL
		SELECT pair_trace(n, (n + 1) % 8, steps(1, 1), NULL,
			CASE WHEN n / 2 = 1 THEN steps(usual, 0.02) ELSE steps(0.2, next) END)
		FROM generate_series(0, 7) n), l4_limits_in_force()) f) AS awaited
FROM (VALUES (0.2, 0.3), (0.02, 0.3), (0.2, 0.021)) c(usual, next);

-- One of the two accelerators of server 1 is awaited, through whose interface but one ring leaves the server: it is named.
SELECT f.subject, f.facts ->> 'accelerators' AS accelerators FROM l4_awaited_servers(ARRAY(
		SELECT accelerator_trace(n, steps(1, 1.3)) FROM generate_series(0, 7) n
		UNION ALL
		SELECT pair_trace(n, (n + 1) % 8, steps(1, 1), NULL, CASE WHEN n = 2 THEN steps(0.2, 0) ELSE steps(0.2, 0.06) END)
		FROM generate_series(0, 7) n), l4_limits_in_force()) f;

-- What is sent to one that is slow waits for it: the sender is not slow where what is sent to it comes in time, and of the
-- receiver that is not known.
SELECT into_sender, of_receiver, (SELECT array_agg(b.address) FROM l4_blamed_ends(ARRAY(
		SELECT pair_trace(n, n + 1, steps(1, 0.7), CASE n WHEN 0 THEN steps(0, into_sender) WHEN 1 THEN steps(0, 0.3)
			ELSE steps(0, of_receiver) END) FROM generate_series(0, 2) n
		UNION ALL SELECT pair_trace(n, n + 1, steps(1, 0.7), steps(0, 0)) FROM generate_series(4, 19) n),
	l4_limits_in_force()) b) AS blamed
FROM (VALUES (0, NULL), (0, 0), (0.3, 0)) c(into_sender, of_receiver);

-- Ten steps of three microbatches, half a second each, of which the gradients of each are scattered in two buckets; behind the
-- last one parameters are gathered, and a pause is behind the fourth step. Without what is gathered no burst ends a step.
SELECT w.gathers, round((s.r)."interval"::numeric, 3) AS step, (s.r).microbatches, round((s.r).regular::numeric, 2) AS regular,
	(s.r).began[1:2] AS began, (s.r).ended[1:2] AS ended, cardinality((s.r).ended) AS steps, (s.r).bytes[1:2] AS bytes
FROM (VALUES (true), (false)) w(gathers)
CROSS JOIN LATERAL (
	SELECT l4_step_rounds(array_agg(m.began ORDER BY m.began), array_agg(0.1::real ORDER BY m.began),
		array_agg(1.0::real ORDER BY m.began), 0.15, 0.6, 0.1, 1.3, 5) AS r
	FROM (SELECT 2 * n + 5 * (n > 4)::int + 0.5 * microbatch + 0.2 * bucket AS began
			FROM generate_series(1, 10) n, generate_series(0, 2) microbatch, generate_series(0, 1) bucket
			UNION ALL
			SELECT 2 * n + 5 * (n > 4)::int + 1.3 + 0.1 * bucket FROM generate_series(1, 10) n, generate_series(1, 2) bucket
			WHERE w.gathers) m) s;
SELECT l4_step_rounds('{}', '{}', '{}', 0.15, 0.6, 0.1, 1.3, 5);
SELECT l4_step_rounds('{1,2}', '{1}', '{1,2}', 0.15, 0.6, 0.1, 1.3, 5);
DROP TABLE piece, trace;
DROP FUNCTION pair_trace, accelerator_trace, steps;
