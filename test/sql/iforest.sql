-- l4_iforest_rank: ranking, attribution, edge cases, errors, independence of order and plan
\set VERBOSITY terse
CREATE FUNCTION error_of(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
-- 24 nodes, 60 events: a third constant, the others with a deterministic jitter; node 7 logs three events of its own
CREATE TABLE node_event AS
SELECT format('node-%s', lpad(n::text, 2, '0')) AS node, format('event %s', e) AS event, e::bigint AS event_id,
	(CASE WHEN e % 3 = 0 THEN 5 ELSE 20 + abs(hashint4(n * 1000 + e)) % 9 END)::float8 AS occurrences
FROM generate_series(1, 24) AS n, generate_series(1, 60) AS e
UNION ALL
SELECT 'node-07', format('odd %s', e), 1000 + e, 2 * e FROM generate_series(1, 3) AS e;

-- the odd node and its events
SELECT item, rank, score > 0.7 AS high, max_z > 8 AS far, suspect
FROM unnest((SELECT l4_iforest_rank(node, event, occurrences) FROM node_event)) ORDER BY rank LIMIT 1;
SELECT f.feature, f.saving > 0 AS saves, round(f.z::numeric, 3) AS z, f.value, f.median
FROM unnest((SELECT l4_iforest_rank(node, event, occurrences) FROM node_event)) AS r, unnest(r.features) AS f
WHERE r.rank = 1 AND f.feature LIKE 'odd%' ORDER BY f.feature;
SELECT count(*), count(*) FILTER (WHERE suspect) AS suspects, min(rank), max(rank), count(DISTINCT item),
	max(cardinality(features)), count(*) FILTER (WHERE score NOT BETWEEN 0 AND 1) AS scores_beyond
FROM unnest((SELECT l4_iforest_rank(node, event, occurrences) FROM node_event));
-- ranks go by score
SELECT * FROM (SELECT rank, score, lead(score) OVER (ORDER BY rank) AS next
	FROM unnest((SELECT l4_iforest_rank(node, event, occurrences) FROM node_event))) AS s WHERE score < next;
-- features given as bigint
SELECT item, (SELECT array_agg(f.feature ORDER BY f.feature) FROM unnest(features) AS f WHERE f.feature::bigint > 1000)
FROM unnest((SELECT l4_iforest_rank(node, event_id, occurrences) FROM node_event)) WHERE rank = 1;
-- plain form: savings add up to what the path is shorter than expected
SELECT item, cardinality(features) AS features,
	round(((SELECT sum(f.saving) FROM unnest(features) AS f) - expected * (1 + log(2, score::numeric)))::numeric, 9) AS rest
FROM unnest((SELECT l4_iforest_rank(i::text, f::text, CASE WHEN i = 17 THEN 99 + f ELSE abs(hashint4(i * 100 + f)) % 50 END,
	'plain', 64, 256, 3)
	FROM generate_series(1, 40) AS i, generate_series(1, 4) AS f)),
	(SELECT 2 * sum(1.0 / k) - 2 * 39 / 40.0 AS expected FROM generate_series(1, 39) AS k) AS e
WHERE rank = 1;
-- negative values and a constant feature, plain
SELECT item, rank, suspect
FROM unnest((SELECT l4_iforest_rank(i::text, f::text, CASE WHEN f = 2 THEN 7 WHEN i = 5 THEN -80 ELSE i END, 'plain',
	NULL, NULL, NULL)
	FROM generate_series(1, 30) AS i, generate_series(1, 2) AS f)) WHERE rank = 1;

-- seeds: the same twice, another one differs, options in full equal the defaults
SELECT l4_iforest_rank(node, event, occurrences, 'counts', 200, 4096, 1) = l4_iforest_rank(node, event,
	occurrences) AS defaults,
	l4_iforest_rank(node, event, occurrences, NULL, NULL, NULL, NULL) = l4_iforest_rank(node, event, occurrences) AS nulls,
	l4_iforest_rank(node, event, occurrences, 'counts', 200, 4096, 2) = l4_iforest_rank(node, event, occurrences) AS other_seed,
	l4_iforest_rank(node, event, occurrences, 'plain', 100, 16, 1) = l4_iforest_rank(node, event, occurrences, 'plain', 100,
		256, 1) AS other_sample,
	l4_iforest_rank(node, event, occurrences, NULL::float8) = l4_iforest_rank(node, event, occurrences) AS no_baseline,
	l4_iforest_rank(node, event_id, occurrences, NULL::float8, NULL, NULL, NULL, NULL) = l4_iforest_rank(node, event_id,
		occurrences) AS no_baseline_bigint
FROM node_event;
-- any order of rows, and rows of a cell in parts
SELECT (SELECT l4_iforest_rank(node, event, occurrences ORDER BY hashtext(node || event)) FROM node_event)
	= (SELECT l4_iforest_rank(node, event, occurrences ORDER BY event DESC, node) FROM node_event) AS shuffled,
	(SELECT l4_iforest_rank(node, event, part) FROM node_event, LATERAL (VALUES (occurrences - 1), (0.25), (0.75)) AS p (part))
	= (SELECT l4_iforest_rank(node, event, occurrences) FROM node_event) AS in_parts;
-- fractions add up the same in any order
SELECT (SELECT l4_iforest_rank(n::text, e, v / 7 ORDER BY v) FROM generate_series(1, 9) AS n, generate_series(1, 3) AS e,
	generate_series(1, 20) AS v)
	= (SELECT l4_iforest_rank(n::text, e, v / 7 ORDER BY v DESC) FROM generate_series(1, 9) AS n, generate_series(1, 3) AS e,
		generate_series(1, 20) AS v) AS fractions;
-- parallel plan equals serial plan
CREATE TABLE serial_result AS SELECT l4_iforest_rank(node, event, occurrences) AS r FROM node_event;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SET parallel_leader_participation = off;
EXPLAIN (COSTS OFF) SELECT l4_iforest_rank(node, event, occurrences) FROM node_event;
SELECT r = (SELECT l4_iforest_rank(node, event, occurrences) FROM node_event) AS parallel FROM serial_result;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
RESET parallel_leader_participation;
-- groups, and states kept and merged
SELECT g, (SELECT array_agg(item ORDER BY rank) FROM unnest(r)) FROM (
	SELECT hashtext(node) % 2 AS g, l4_iforest_rank(node, event, occurrences) AS r
	FROM node_event WHERE node IN ('node-07', 'node-08', 'node-09', 'node-10') GROUP BY 1) AS s ORDER BY g;
CREATE TABLE kept AS SELECT node, l4_iforest_collect(node, event, occurrences) AS state FROM node_event GROUP BY node;
SELECT l4_iforest_rank(state ORDER BY node DESC) = (SELECT r FROM serial_result) AS merged,
	l4_iforest_rank(state::text::l4_iforest_state) = (SELECT r FROM serial_result) AS by_text FROM kept;

-- no row, NULL features and values, one item, two items
SELECT l4_iforest_rank(node, event, occurrences) IS NULL AS no_row FROM node_event WHERE false;
SELECT l4_iforest_rank('a'::text, NULL::text, NULL);
SELECT l4_iforest_rank('a'::text, 'x'::text, 5);
SELECT item, rank, score, round(max_z::numeric, 4) AS max_z, suspect, features[1].feature, features[1].value, features[1].median
FROM unnest((SELECT l4_iforest_rank(item, feature, value)
	FROM (VALUES ('b', 'x', 9), ('a', 'x', 9), ('b', 'y', 25), ('a', 'z', NULL)) AS v (item, feature, value))) ORDER BY rank;
-- an item without features counts in
SELECT item, rank, round(max_z::numeric, 3) AS max_z FROM unnest((SELECT l4_iforest_rank(item, feature, value)
	FROM (SELECT 'n' || i, 'x', 30.0 + i % 2 FROM generate_series(1, 8) AS i UNION ALL SELECT 'silent', NULL, 1) AS v (item,
		feature, value))) WHERE rank <= 2 ORDER BY rank;
-- ties go by name in byte order; all equal
SELECT array_agg(item ORDER BY rank), min(score) = max(score) AS same, max(max_z) AS max_z, bool_or(suspect) AS suspect
FROM unnest((SELECT l4_iforest_rank(i, 'x'::text, 3) FROM unnest(ARRAY['b', 'a', 'B', 'z', 'aa']) AS i));
-- three items: the least that a forest ranks
SELECT item, rank, round(score::numeric, 2) AS score
FROM unnest((SELECT l4_iforest_rank(i, 'x'::text, CASE i WHEN 'c' THEN 50 ELSE 0 END)
	FROM unnest(ARRAY['a', 'b', 'c']) AS i)) WHERE rank = 1;

-- baseline: the first node always writes events of its own; what is within it is not odd, what exceeds it is
CREATE TABLE leader AS SELECT node, event, occurrences, NULL::float8 AS expected FROM node_event
UNION ALL SELECT 'node-01', 'leader ' || e, 40 + e, 42 FROM generate_series(1, 5) AS e;
SELECT item, rank, suspect FROM unnest((SELECT l4_iforest_rank(node, event, occurrences) FROM leader))
WHERE item IN ('node-01', 'node-07') ORDER BY rank;
SELECT item, rank = 1 AS first, suspect FROM unnest((SELECT l4_iforest_rank(node, event, occurrences, expected) FROM leader))
WHERE item IN ('node-01', 'node-07') ORDER BY rank;
SELECT item, rank, suspect, features[1].feature, features[1].value
FROM unnest((SELECT l4_iforest_rank(node, event, CASE event WHEN 'leader 3' THEN 900 ELSE occurrences END, expected)
	FROM leader WHERE node <> 'node-07')) WHERE rank = 1;

-- errors
SELECT error_of(q) FROM unnest(ARRAY[
	$$SELECT l4_iforest_rank(NULL::text, 'x'::text, 1)$$,
	$$SELECT l4_iforest_rank('a'::text, 'x'::text, 'NaN')$$,
	$$SELECT l4_iforest_rank('a'::text, 'x'::text, 'Infinity')$$,
	$$SELECT l4_iforest_rank('a'::text, 'x'::text, -1)$$,
	$$SELECT l4_iforest_rank('a'::text, 'x'::text, 1, -1::float8)$$,
	$$SELECT l4_iforest_rank('a'::text, 'x'::text, 1e39)$$,
	$$SELECT l4_iforest_rank('a'::text, 'x'::text, 3e38) FROM generate_series(1, 2)$$,
	$$SELECT l4_iforest_rank('a'::text, 'x'::text, 1, 'best', 1, 2, 3)$$,
	$$SELECT l4_iforest_rank('a'::text, 'x'::text, 1, 'plain', 0, 2, 3)$$,
	$$SELECT l4_iforest_rank('a'::text, 'x'::text, 1, 'plain', 10001, 2, 3)$$,
	$$SELECT l4_iforest_rank('a'::text, 'x'::text, 1, 'plain', 1, 1, 3)$$,
	$$SELECT l4_iforest_rank('a'::text, 'x'::text, 1, 'plain', 1, 2, i) FROM generate_series(1, 2) AS i$$,
	$$SELECT l4_iforest_rank(s) FROM (SELECT l4_iforest_rank_transition(NULL, 'a', 'x'::text, 1) AS s) AS t$$,
	$$SELECT l4_iforest_rank_final(NULL)$$]) WITH ORDINALITY AS t (q, n) ORDER BY n;
-- memory: refused with both numbers; rows of the same cell cost nothing more
SET maintenance_work_mem = '1MB';
DO $$
DECLARE
	detail text;
BEGIN
	PERFORM l4_iforest_rank(i::text, i, 1) FROM generate_series(1, 100000) AS i;
EXCEPTION WHEN configuration_limit_exceeded THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RAISE NOTICE '% % %', SQLSTATE, SQLERRM, regexp_replace(detail, 'needs \d+', 'needs N');
END
$$;
SELECT item, features[1].value
FROM unnest((SELECT l4_iforest_rank((i % 4)::text, i % 3, 1, 'plain', 10, 16, 1) FROM generate_series(1, 200000) AS i))
ORDER BY item;
RESET maintenance_work_mem;

-- states that nobody's transition made
SELECT error_of(format('SELECT %L::l4_iforest_state', t)) FROM unnest(ARRAY['', '!', 'AAAA', repeat('A', 200)]) AS t;
DO $$
DECLARE
	good bytea := l4_iforest_state_send(l4_iforest_collect(n::text, 'é' || e, n * e))
		FROM generate_series(1, 4) AS n, generate_series(1, 3) AS e;
	bad text;
	refused int := 0;
	wrong_state int := 0;
BEGIN
	FOR i IN 0 .. length(good) - 1 LOOP
		FOREACH bad IN ARRAY ARRAY[encode(set_byte(good, i, 255 - get_byte(good, i)), 'base64'),
			encode(set_byte(good, i, get_byte(good, i) # 1), 'base64'),
			encode(substr(good, 1, i), 'base64')] LOOP
			BEGIN
				-- not where it would only change the number of trees, and with it the time
				IF i NOT BETWEEN 12 AND 15 THEN
					PERFORM l4_iforest_rank(bad::l4_iforest_state);
				END IF;
			EXCEPTION WHEN invalid_binary_representation OR invalid_parameter_value OR numeric_value_out_of_range
				OR invalid_text_representation THEN
				refused := refused + 1;
			WHEN OTHERS THEN
				wrong_state := wrong_state + 1;
				RAISE NOTICE '% %', SQLSTATE, SQLERRM;
			END;
		END LOOP;
	END LOOP;
	RAISE NOTICE 'refused some: %, other errors: %', refused > length(good), wrong_state;
END
$$;
-- binary round trip, and kept in a table
SELECT count(*), count(*) FILTER (WHERE state::text <> state::text::l4_iforest_state::text) AS differences FROM kept;
DROP TABLE node_event, leader, kept, serial_result;
DROP FUNCTION error_of(text);
