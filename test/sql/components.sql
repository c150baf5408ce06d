-- l4_connected_components: against a recursive reference; edge cases, errors, independence of order and plan
\set VERBOSITY terse
SET search_path = public;
CREATE FUNCTION error_of(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

-- a chain, a ring and a pair; one name alone
SELECT c.* FROM unnest((SELECT l4_connected_components(a, b)
	FROM (VALUES ('d', 'c'), ('x', 'y'), ('b', 'c'), ('a', 'b'), ('y', 'z'), ('z', 'x'), ('q', 'p'), ('n', NULL), (NULL, 'b'),
		(NULL, NULL)) v (a, b))) c;
-- no rows; nothing but NULL; with itself; the empty name; by bytes, whatever the database's collation
SELECT l4_connected_components(i::text, i::text) AS none FROM generate_series(1, 0) i;
SELECT l4_connected_components(NULL, NULL) AS unknown FROM generate_series(1, 3) i;
SELECT l4_connected_components('a', 'a') AS itself, l4_connected_components('', 'a') AS empty FROM generate_series(1, 3) i;
SELECT c.* FROM unnest((SELECT l4_connected_components(a, b)
	FROM (VALUES ('a', 'B'), ('B', 'b'), ('Z', 'z'), ('10', '9'), ('a_', NULL), ('A', NULL)) v (a, b))) c;

-- The reference: whatever can be reached, without any cunning.
CREATE FUNCTION reference(a text[], b text[]) RETURNS TABLE (member text, component text, members bigint) LANGUAGE sql AS $$
	WITH RECURSIVE pair AS (SELECT * FROM ROWS FROM (unnest(a), unnest(b)) p (a, b)),
	reached AS (
		SELECT n.name AS member, n.name AS other FROM (SELECT p.a FROM pair p UNION SELECT p.b FROM pair p) n (name)
		WHERE n.name IS NOT NULL
		UNION
		SELECT r.member, CASE r.other WHEN p.a THEN p.b ELSE p.a END
		FROM reached r JOIN pair p ON r.other IN (p.a, p.b) WHERE p.a IS NOT NULL AND p.b IS NOT NULL
	)
	SELECT r.member, min(r.other COLLATE "C"), count(*) FROM reached r
	GROUP BY r.member ORDER BY min(r.other COLLATE "C"), r.member COLLATE "C"
$$;
CREATE FUNCTION chance(seed text) RETURNS double precision LANGUAGE sql IMMUTABLE AS
	$$SELECT ('x' || substr(md5(seed), 1, 8))::bit(32)::bigint / 4294967296.0$$;
-- Random graphs from hardly connected to a single component, with rows that have one name
CREATE TABLE graph AS
SELECT g AS id, CASE WHEN chance(g || ' a? ' || i) > 0.05 THEN 'n' || floor(chance(g || ' a ' || i) * 40) END AS a,
	CASE WHEN chance(g || ' b? ' || i) > 0.05 THEN 'n' || floor(chance(g || ' b ' || i) * 40) END AS b
FROM generate_series(1, 40) g, generate_series(1, 2 * g) i;
CREATE TABLE compared AS
SELECT id, ARRAY(SELECT c::text FROM unnest(l4_connected_components(a, b)) c) AS components,
	ARRAY(SELECT r::text FROM reference(array_agg(a), array_agg(b)) r) AS reference
FROM graph GROUP BY id;
SELECT count(*) AS graphs, sum(cardinality(components)) AS members, count(*) FILTER (WHERE components <> reference) AS other
FROM compared;
SELECT * FROM compared WHERE components <> reference ORDER BY id LIMIT 2;

-- any order, any plan: 400 components of 2 to 201 names in 100,000 rows
CREATE TABLE long AS
SELECT 'node ' || i % 400 || ' ' || floor(chance('a ' || i) * (2 + i % 400 / 2)) AS a,
	'node ' || i % 400 || ' ' || floor(chance('b ' || i) * (2 + i % 400 / 2)) AS b
FROM generate_series(1, 100000) i;
ANALYZE long;
SELECT count(DISTINCT c.component) AS components, count(*) AS names, max(c.members) AS largest
FROM unnest((SELECT l4_connected_components(a, b) FROM long)) c;
SELECT (SELECT l4_connected_components(a, b) FROM long)::text
	= (SELECT l4_connected_components(b, a ORDER BY md5(a), b) FROM long)::text AS any_order;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT l4_connected_components(a, b) FROM long;
CREATE TABLE parallel AS SELECT (SELECT l4_connected_components(a, b) FROM long)::text AS components;
CREATE TABLE grouped AS SELECT length(a) AS size, l4_connected_components(a, b)::text AS components FROM long GROUP BY 1;
SET parallel_leader_participation = off;
SELECT l4_connected_components(a, b)::text = (SELECT components FROM parallel) AS workers_alone FROM long;
RESET parallel_leader_participation;
SET max_parallel_workers_per_gather = 0;
SELECT l4_connected_components(a, b)::text = (SELECT components FROM parallel) AS any_plan FROM long;
SELECT count(*) AS groups, count(*) FILTER (WHERE p.components = g.components) AS same
FROM grouped g JOIN (SELECT length(a) AS size, l4_connected_components(a, b)::text AS components FROM long GROUP BY 1) p
	USING (size);
-- as a window function: the state goes on behind each result
SELECT i, cardinality(c) AS names, (c[1]).members FROM (SELECT i, l4_connected_components((i / 2)::text, i::text)
	OVER (ORDER BY i) AS c FROM generate_series(1, 6) i) s;

-- errors
SET maintenance_work_mem = '1MB';
SELECT error_of('SELECT l4_connected_components(i::text, (i + 1)::text) FROM generate_series(1, 100000) i');
-- rows take nothing, names do
SELECT cardinality(l4_connected_components((i % 1000)::text, (i % 1000 + 1)::text)) AS names FROM generate_series(1, 100000) i;
RESET maintenance_work_mem;
SELECT error_of('SELECT l4_connected_components_transition(NULL, ''a'', ''b'')');
-- one state that is one (names "a" and "b", both of the component of the first; little-endian), and many that are none
CREATE FUNCTION number(n int) RETURNS bytea LANGUAGE sql IMMUTABLE AS
	$$SELECT substr(int4send(n), 4, 1) || substr(int4send(n), 3, 1) || substr(int4send(n), 2, 1) || substr(int4send(n), 1, 1)$$;
CREATE FUNCTION state(count int, sizes int[], firsts int[], bytes text) RETURNS bytea LANGUAGE sql IMMUTABLE AS
	$$SELECT number(x'4c344343'::int) || number(1) || number(count) || number(0)
		|| (SELECT string_agg(number(s), '' ORDER BY o) FROM unnest(sizes) WITH ORDINALITY u (s, o))
		|| (SELECT string_agg(number(f), '' ORDER BY o) FROM unnest(firsts) WITH ORDINALITY u (f, o)) || bytes::bytea$$;
CREATE FUNCTION listed(state bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('CREATE AGGREGATE pg_temp.from_state(text, text) (SFUNC = l4_connected_components_transition, STYPE = bytea,
		INITCOND = %L, FINALFUNC = l4_connected_components_final)', state::text);
	EXECUTE 'SELECT pg_temp.from_state(''b'', ''c'')::text' INTO result;
	RAISE EXCEPTION USING MESSAGE = result, ERRCODE = 'P0001';
EXCEPTION WHEN OTHERS THEN
	DECLARE
		detail text;
	BEGIN
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
		RETURN CASE WHEN SQLSTATE = 'P0001' THEN SQLERRM ELSE SQLSTATE || ' ' || SQLERRM || ' ' || detail END;
	END;
END
$$;
SELECT concat_ws(E'\n', listed(state(2, '{1,1}', '{0,0}', 'ab')), listed(''),
	listed('\x00'::bytea || state(2, '{1,1}', '{0,0}', 'ab')), listed(state(3, '{1,1}', '{0,0}', 'ab')),
	listed(state(-1, '{1,1}', '{0,0}', 'ab')), listed(state(2, '{1,2}', '{0,0}', 'ab')),
	listed(state(2, '{1,1}', '{0,0}', 'abc')), listed(state(2, '{1,1}', '{0,0}', 'aa')),
	listed(state(2, '{1,1}', '{1,1}', 'ab')), listed(state(2, '{1,1}', '{0,-1}', 'ab')),
	listed(state(3, '{1,1,1}', '{0,0,1}', 'abc')),
	listed(state(1, '{-1}', '{0}', 'a'))) AS states;
-- nothing is left for other tests
DROP TABLE graph, compared, long, parallel, grouped;
DROP FUNCTION error_of, reference, chance, number, state, listed;
