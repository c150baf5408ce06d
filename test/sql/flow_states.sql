-- The states of the aggregates over flows: any order of rows and any plan, states that travel, bytes that are no state.
SET timezone = 'UTC';
SET extra_float_digits = 0;
\set VERBOSITY terse

-- 60,000 records between 6 pairs, over several paths or none; more than can be told apart between the last pair
CREATE TABLE record AS
SELECT 'pair ' || i % 6 AS pair, '2026-01-01'::timestamptz + make_interval(secs => i / 7 * 0.0007) AS started_at,
	0.0001 * (i % 11) AS duration, (i % 5 * 1000)::bigint AS bytes, (i % 3)::bigint AS queue_pair,
	(i % 97 / 96)::bigint AS lost, CASE WHEN i % 6 = 5 THEN ARRAY['s' || i / 6 % 400]
		WHEN i % 6 < 4 AND i % 7 > 0 THEN ARRAY['leaf' || i % 4, 'spine' || i / 6 % 5] END AS switches
FROM generate_series(1, 60000) i;
ALTER TABLE record SET (parallel_workers = 2);
-- what one accelerator sends to others and gets from them; some of it begins at once
CREATE TABLE message AS
SELECT 'peer ' || i % 20 AS peer, i % 2 = 0 AS sent,
	ARRAY(SELECT s + (i % 20) * 0.01 + m * 0.1 FROM generate_series(0, 29) s, generate_series(0, 2) m ORDER BY 1) AS began,
	array_fill((0.02 + i % 3 * 0.01)::real, ARRAY[90]) AS lasted, array_fill((i % 5)::real, ARRAY[90]) AS moved
FROM generate_series(1, 400) i;
ALTER TABLE message SET (parallel_workers = 2);
ANALYZE record, message;
CREATE FUNCTION steps_of() RETURNS float8[] LANGUAGE sql IMMUTABLE AS
	$$SELECT array_agg(s::float8 ORDER BY s) FROM generate_series(0, 29) s$$;
CREATE FUNCTION closes_of() RETURNS float8[] LANGUAGE sql IMMUTABLE AS
	$$SELECT array_agg(s + 0.9 ORDER BY s) FROM generate_series(0, 28) s$$;

CREATE VIEW results AS
SELECT 'messages' AS kernel, pair AS of, l4_flow_messages(started_at, duration, bytes, queue_pair, lost, switches, 0.0003, 100,
	0.0001)::text AS result FROM record GROUP BY pair
UNION ALL
SELECT 'phases', '', l4_step_phases(began, lasted, moved, sent, 0.3, 0.8)::text FROM message
UNION ALL
SELECT 'work', '', l4_step_work(began, lasted, moved, sent, peer, steps_of(), closes_of())::text FROM message
UNION ALL
SELECT 'overdue', '', l4_step_overdue(began, lasted, moved, sent, steps_of())::text FROM message;
SELECT pair, (m).records, (m).small, (m).duplicates, cardinality((m).began) AS messages, (SELECT max(p) FROM unnest((m).path) p)
	AS path, cardinality((m).paths) AS paths, (m).paths[1:3]
FROM (SELECT pair, l4_flow_messages(started_at, duration, bytes, queue_pair, lost, switches, 0.0003, 100, 0.0001) AS m
	FROM record GROUP BY pair) r ORDER BY pair;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE serial AS SELECT * FROM results;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT pair, l4_flow_messages(started_at, duration, bytes, queue_pair, lost, switches, 0.0003, 100, 0.0001)
FROM record GROUP BY pair;
EXPLAIN (COSTS OFF) SELECT l4_step_phases(began, lasted, moved, sent, 0.3, 0.8), l4_step_work(began, lasted, moved, sent, peer,
	'{}', '{}'), l4_step_overdue(began, lasted, moved, sent, '{0,1}') FROM message;
SELECT kernel, count(*) AS results, count(*) FILTER (WHERE r.result = s.result) AS same
FROM results r JOIN serial s USING (kernel, of) GROUP BY kernel ORDER BY kernel;
SET parallel_leader_participation = off;
SELECT kernel, count(*) AS results, count(*) FILTER (WHERE r.result = s.result) AS same
FROM results r JOIN serial s USING (kernel, of) GROUP BY kernel ORDER BY kernel;
RESET parallel_leader_participation;
SET max_parallel_workers_per_gather = 0;
-- backwards and at random
CREATE TABLE mixed AS SELECT * FROM record ORDER BY md5(record::text);
CREATE TABLE mixed_message AS SELECT * FROM message ORDER BY md5(message::text);
SELECT count(*) AS pairs, count(*) FILTER (WHERE m::text = s.result) AS same FROM serial s JOIN (SELECT pair,
	l4_flow_messages(started_at, duration, bytes, queue_pair, lost, switches, 0.0003, 100, 0.0001) AS m
	FROM mixed GROUP BY pair) r ON s.kernel = 'messages' AND s.of = r.pair;
SELECT l4_step_phases(began, lasted, moved, sent, 0.3, 0.8)::text
		= (SELECT result FROM serial WHERE kernel = 'phases') AS phases,
	l4_step_work(began, lasted, moved, sent, peer, steps_of(), closes_of())::text
		= (SELECT result FROM serial WHERE kernel = 'work') AS work,
	l4_step_overdue(began, lasted, moved, sent, steps_of())::text
		= (SELECT result FROM serial WHERE kernel = 'overdue') AS overdue
FROM mixed_message;
-- as window functions: the state goes on behind each result
SELECT i, (m).records FROM (SELECT i, l4_flow_messages(to_timestamp(i), 1, 10, 1, 0, NULL, 0.001, 1, 0) OVER (ORDER BY i) AS m
	FROM generate_series(1, 3) i) s ORDER BY i;
SELECT i, (w).sent FROM (SELECT i, l4_step_work(ARRAY[i::float8], ARRAY[1::real], ARRAY[1::real], true, 'p' || i % 2, '{0,9}',
	'{8}') OVER (ORDER BY i) AS w FROM generate_series(1, 3) i) s ORDER BY i;

-- options are those of all rows; messages have times that can be
SELECT l4_flow_messages(to_timestamp(i), 1, 10, 1, 0, NULL, i, 1, 0) FROM generate_series(1, 3) i;
SELECT l4_step_phases('{1}', '{1}', '{1}', true, i, 0.5) FROM generate_series(1, 3) i;
SELECT l4_step_work('{1}', '{1}', '{1}', true, 'p', ARRAY[i], '{}') FROM generate_series(1, 3) i;
SELECT l4_step_overdue('{NaN}', '{1}', '{1}', true, '{}');
SELECT l4_step_phases('{1}', '{-1}', '{1}', true, 1, 0.5);

-- States as bytes: parts of the rows each, joined by the combine functions.
CREATE AGGREGATE pg_temp.flows_state(timestamptz, float8, bigint, bigint, bigint, text[], float8, bigint, float8) (
	SFUNC = l4_flow_messages_transition, STYPE = bytea);
CREATE AGGREGATE pg_temp.flows_joined(bytea) (SFUNC = l4_flow_messages_combine, STYPE = bytea,
	FINALFUNC = l4_flow_messages_final);
CREATE AGGREGATE pg_temp.phases_state(float8[], real[], real[], boolean, float8, float8) (
	SFUNC = l4_step_phases_transition, STYPE = bytea);
CREATE AGGREGATE pg_temp.phases_joined(bytea) (SFUNC = l4_step_phases_combine, STYPE = bytea, FINALFUNC = l4_step_phases_final);
CREATE AGGREGATE pg_temp.work_state(float8[], real[], real[], boolean, text, float8[], float8[]) (
	SFUNC = l4_step_work_transition, STYPE = bytea);
CREATE AGGREGATE pg_temp.work_joined(bytea) (SFUNC = l4_step_work_combine, STYPE = bytea, FINALFUNC = l4_step_work_final);
CREATE AGGREGATE pg_temp.overdue_state(float8[], real[], real[], boolean, float8[]) (
	SFUNC = l4_step_overdue_transition, STYPE = bytea);
CREATE AGGREGATE pg_temp.overdue_joined(bytea) (SFUNC = l4_step_overdue_combine, STYPE = bytea,
	FINALFUNC = l4_step_overdue_final);
SELECT count(*) AS pairs, count(*) FILTER (WHERE m::text = s.result) AS same FROM serial s JOIN (
	SELECT pair, pg_temp.flows_joined(state) AS m FROM (
		SELECT pair, pg_temp.flows_state(started_at, duration, bytes, queue_pair, lost, switches, 0.0003, 100, 0.0001) AS state
		FROM mixed GROUP BY pair, hashtext(mixed::text) % 5) p GROUP BY pair) r ON s.kernel = 'messages' AND s.of = r.pair;
SELECT pg_temp.work_joined(state)::text = (SELECT result FROM serial WHERE kernel = 'work') AS work FROM (
	SELECT pg_temp.work_state(began, lasted, moved, sent, peer, steps_of(), closes_of()) AS state FROM mixed_message
	GROUP BY peer) p;
-- 24 bytes a record
SELECT length(pg_temp.flows_state(to_timestamp(i), 1, 10, 1, 0, NULL, 0.001, 1, 0)) - 24 * count(*) AS others
FROM generate_series(1, 1000) i;

CREATE FUNCTION outcome(aggregate text, state bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT pg_temp.%I($1)::text', aggregate) USING state;
	RETURN 'a state';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
CREATE TABLE state AS
SELECT 'flows_joined' AS joined, pg_temp.flows_state(to_timestamp(i), 1, 10, 1, 0, ARRAY['s' || i % 3], 0.001, 1, 0) AS state
FROM generate_series(1, 5) i
UNION ALL SELECT 'phases_joined', pg_temp.phases_state('{1,2}', '{1,1}', '{5,5}', true, 0.5, 0.5)
UNION ALL SELECT 'work_joined', pg_temp.work_state('{1,2}', '{1,1}', '{5,5}', true, 'p' || i, '{0,9}', '{8}')
	FROM generate_series(1, 2) i
UNION ALL SELECT 'overdue_joined', pg_temp.overdue_state('{1,2}', '{1,1}', '{1,1}', true, '{0,9}');
-- nothing, bytes at random, a state cut anywhere, with more behind it, of another aggregate
SELECT joined, outcome(joined, '') AS nothing, outcome(joined, state) AS itself, outcome(joined, state || '\x00') AS longer
FROM state ORDER BY joined;
SELECT joined, outcome(joined, substr(state, 1, n)) AS cut, count(*) FROM state, generate_series(0, length(state) - 1) n
GROUP BY 1, 2 ORDER BY 1, 2;
SELECT s.joined, outcome(s.joined, o.state) AS of_another, count(*) FROM state s JOIN state o ON o.joined <> s.joined
GROUP BY 1, 2 ORDER BY 1, 2;
SELECT joined, outcome(joined, b.bytes) AS at_random, count(*) FROM state, (SELECT decode(string_agg(md5(i || ' ' || j), ''),
		'hex') AS bytes FROM generate_series(1, 200) i, generate_series(1, 10) j GROUP BY i) b GROUP BY 1, 2 ORDER BY 1, 2;
-- each byte changed in several ways: refused, or a state
SELECT joined, CASE WHEN o.outcome = 'a state' THEN 'a state' ELSE left(o.outcome, 5) END AS changed, count(*) > 0 AS some
FROM state, generate_series(0, length(state) - 1) n, unnest(ARRAY[0, 1, 127, 128, 255]) v,
	LATERAL (SELECT outcome(joined, set_byte(state, n, v)) AS outcome) o
GROUP BY 1, 2 ORDER BY 1, 2;
-- outside of an aggregate
SELECT l4_flow_messages_combine(NULL, NULL);
SELECT l4_step_work_combine(NULL, NULL);
-- nothing is left for other tests
DROP VIEW results;
DROP TABLE record, message, serial, mixed, mixed_message, state;
DROP AGGREGATE pg_temp.flows_state(timestamptz, float8, bigint, bigint, bigint, text[], float8, bigint, float8),
	pg_temp.flows_joined(bytea), pg_temp.phases_state(float8[], real[], real[], boolean, float8, float8),
	pg_temp.phases_joined(bytea), pg_temp.work_state(float8[], real[], real[], boolean, text, float8[], float8[]),
	pg_temp.work_joined(bytea),
	pg_temp.overdue_state(float8[], real[], real[], boolean, float8[]), pg_temp.overdue_joined(bytea);
DROP FUNCTION outcome, steps_of, closes_of;
