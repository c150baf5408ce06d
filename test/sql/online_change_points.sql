-- l4_online_change_points: changes where they were put, against a plain reference; edge cases, errors, any order and plan
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
CREATE FUNCTION chance(seed text) RETURNS double precision LANGUAGE sql IMMUTABLE AS
	$$SELECT (('x' || substr(md5(seed), 1, 8))::bit(32)::bigint + 0.5) / 4294967296.0$$;
-- Box, Muller
CREATE FUNCTION normal(seed text) RETURNS double precision LANGUAGE sql IMMUTABLE AS
	$$SELECT sqrt(-2 * ln(chance(seed || ' r'))) * cos(2 * pi() * chance(seed || ' a'))$$;
CREATE FUNCTION shown(changes l4_online_change_point[])
RETURNS TABLE (at double precision, found_at double precision, probability numeric, before numeric, after numeric)
LANGUAGE sql AS $$
	SELECT at, found_at, round(probability::numeric, 3), round(before::numeric, 3), round(after::numeric, 3)
	FROM unnest(changes)
$$;

-- known changes: of the level, small and large; of the noise alone; none in noise; the single value far off is a run of its own
SELECT * FROM shown((SELECT l4_online_change_points(i, normal('a ' || i)
	+ CASE WHEN i > 70 THEN 3 WHEN i > 40 THEN 10 ELSE 0 END) FROM generate_series(1, 120) i));
SELECT abs(at - 151) < 10 AS there, found_at - 151 < 20 AS soon
FROM shown((SELECT l4_online_change_points(i, normal('b ' || i) * CASE WHEN i > 150 THEN 6 ELSE 1 END)
	FROM generate_series(1, 300) i));
SELECT count(*) FILTER (WHERE c <> '{}') <= 1 AS hardly_any
FROM (SELECT l4_online_change_points(i, normal(j || ' ' || i)) AS c FROM generate_series(1, 60) j, generate_series(1, 200) i
	GROUP BY j) s;
SELECT at, found_at, before, after FROM shown((SELECT l4_online_change_points(i, CASE WHEN i = 50 THEN 1000 ELSE i % 5 END)
	FROM generate_series(1, 100) i));
-- levels without noise; ones that differ in the last bit; infinitesimal and huge ones
SELECT * FROM shown((SELECT l4_online_change_points(i, CASE WHEN i > 40 THEN 3 WHEN i > 20 THEN 1 ELSE 2 END)
	FROM generate_series(1, 60) i));
SELECT c.at, c.before = 1 AS before, c.after > 1 AS after
FROM unnest((SELECT l4_online_change_points(i, CASE WHEN i > 30 THEN 1 + 2.220446049250313e-16::float8 ELSE 1 END)
	FROM generate_series(1, 60) i)) c;
SELECT c.at, c.found_at, c.before, c.after FROM unnest((SELECT l4_online_change_points(-i, CASE WHEN i > 30 THEN 1.7e308
	ELSE -1.7e308 END) FROM generate_series(1, 60) i)) c;
SELECT c.at, c.before, c.after FROM unnest((SELECT l4_online_change_points(i, CASE WHEN i > 30 THEN 5e-324 ELSE -5e-324 END)
	FROM generate_series(1, 60) i)) c;
SELECT c.at, c.before, c.after FROM unnest((SELECT l4_online_change_points(i, CASE i WHEN 30 THEN 1.7e308 ELSE 0 END)
	FROM generate_series(1, 60) i)) c;
-- steps of 16 gaps between flows, one of them long: by their logarithms each long one is found, and at once
SELECT count(*) AS changes, count(*) FILTER (WHERE at % 16 = 0 AND found_at = at) AS long_gaps,
	count(*) FILTER (WHERE at % 16 = 1) AS steps
FROM (SELECT at::int AS at, found_at::int AS found_at FROM unnest((SELECT l4_online_change_points(i,
	ln(CASE WHEN i % 16 = 0 THEN 0.2 ELSE 0.002 END * (1 + 0.2 * chance('gap ' || i)))) FROM generate_series(1, 500) i)) c) c;

-- no rows; one; two; constant; rows without a value
SELECT l4_online_change_points(i, i) AS none FROM generate_series(1, 0) i;
SELECT l4_online_change_points(i, i) AS one FROM generate_series(1, 1) i;
SELECT l4_online_change_points(i, i) AS two, l4_online_change_points(i, 7) AS constant,
	l4_online_change_points(i, NULL) AS unknown
FROM generate_series(1, 2) i;
SELECT c.at, c.found_at FROM unnest((SELECT l4_online_change_points(i, CASE WHEN i % 2 = 0 THEN i / 41 END)
	FROM generate_series(1, 80) i)) c;
-- hazard: who expects no change needs more to believe in one
SELECT h AS hazard, count(c.at) AS changes, min(c.found_at - 61) AS delay
FROM unnest('{0.1,0.004,1e-12,1e-300}'::float8[]) h LEFT JOIN LATERAL unnest((SELECT l4_online_change_points(i,
	normal('h ' || i) + CASE WHEN i > 60 THEN 3 ELSE 0 END, h) FROM generate_series(1, 120) i)) c ON true
GROUP BY h ORDER BY h DESC;

-- The reference: all beginnings of all runs, whose likelihood comes from their sums at once.
CREATE FUNCTION reference(vals double precision[], hazard double precision)
RETURNS TABLE (at int, found_at int, probability double precision) LANGUAGE plpgsql AS $$
DECLARE
	n CONSTANT int := cardinality(vals);
	center double precision;
	noise double precision;
	spread double precision;
	x double precision[];
	gammas double precision[] := ARRAY[0, ln(sqrt(pi()) / 2)];	-- log(gamma(1 + k / 2)) at k + 1
	weight double precision; -- of a level known before, in values
	reached double precision[] := '{}';	-- log of the likelihood of all values up to here
	w double precision[];	-- the same, with the last run begun at each place
	before int[] := '{0}';
	sum double precision;
	squares double precision;
	later double precision;
	after_next double precision;
	settled int := 1;
	found int := 0;
	sure double precision;
	m int;
	best int;
BEGIN
	SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v), coalesce(nullif(percentile_cont(0.5) WITHIN GROUP (ORDER BY d), 0)
		* 1.4826, avg(d)) / sqrt(2) INTO center, noise
	FROM (SELECT v, abs(v - lag(v) OVER (ORDER BY o)) AS d FROM unnest(vals) WITH ORDINALITY u (v, o)) s;
	SELECT (s.v[n - floor(0.05 * n)::int] - s.v[1 + floor(0.05 * n)::int]) / 2 INTO spread
	FROM (SELECT array_agg(v ORDER BY v) AS v FROM unnest(vals) v) s;
	weight := least((noise / greatest(spread, noise)) ^ 2, 0.01);
	x := ARRAY(SELECT (v - center) / noise FROM unnest(vals) WITH ORDINALITY u (v, o) ORDER BY o);
	FOR k IN 2 .. n LOOP
		gammas := gammas || gammas[k - 1] + ln(k / 2.0::float8);
	END LOOP;
	FOR t IN 1 .. n LOOP
		w := '{}';
		sum := 0;
		squares := 0;
		FOR s IN REVERSE t .. 1 LOOP
			sum := sum + x[s];
			squares := squares + x[s] ^ 2;
			m := t - s + 1;
			w := (CASE WHEN s = 1 THEN 0 ELSE reached[s - 1] + ln(hazard) END + (t - s) * ln(1 - hazard) + gammas[m + 1]
				- (1 + m / 2.0::float8) * ln(1 + (squares - sum ^ 2 / (weight + m)) / 2)
				+ ln(weight / (weight + m)) / 2 - m / 2.0::float8 * ln(2 * pi())) || w;
		END LOOP;
		reached := reached || (SELECT max(l) + ln(sum(exp(l - g))) FROM unnest(w) l, (SELECT max(l) AS g FROM unnest(w) l) g
			GROUP BY g);
		before := before || (SELECT o::int FROM unnest(w) WITH ORDINALITY u (l, o) ORDER BY l DESC, o LIMIT 1);
		SELECT coalesce(sum(exp(l - reached[t])), 0), coalesce(sum(exp(l - reached[t])) FILTER (WHERE b > settled), 0),
			(array_agg(b ORDER BY l DESC, o) FILTER (WHERE b > settled))[1] INTO later, after_next, best
		FROM ROWS FROM (unnest(w), unnest(before[:t])) WITH ORDINALITY u (l, b, o) WHERE o > settled;
		IF later < 0.95 THEN
			found := 0;
		ELSIF found = 0 THEN
			found := t;
			sure := later;
		END IF;
		IF after_next >= 0.95 THEN
			at := best;
			found_at := greatest(found, best);
			probability := sure;
			RETURN NEXT;
			settled := best;
			found := t;
			sure := after_next;
		END IF;
	END LOOP;
	IF found > 0 THEN
		at := (SELECT o FROM ROWS FROM (unnest(w), unnest(before[:n])) WITH ORDINALITY u (l, b, o)
			WHERE o > settled AND b <= settled ORDER BY l DESC, o LIMIT 1);
		found_at := greatest(found, at);
		probability := sure;
		RETURN NEXT;
	END IF;
END
$$;
-- Short series, in which hardly any beginning is given up, with any changes; longer ones with large changes
CREATE TABLE series AS
SELECT s.id, s.length, (SELECT array_agg(normal(s.id || ' ' || i) + s.step * normal(s.id || ' level ' || l.level) ORDER BY i)
	FROM generate_series(1, s.length) i, LATERAL (SELECT sum((chance(s.id || ' change ' || k) < s.often)::int) AS level
		FROM generate_series(1, i) k) l) AS value
FROM (SELECT id, CASE WHEN id <= 60 THEN 30 ELSE 150 END AS length, CASE WHEN id <= 60 THEN id % 6 ELSE 8 END AS step,
	CASE WHEN id <= 60 THEN 0.1 ELSE 0.03 END AS often FROM generate_series(1, 72) id) s;
CREATE TABLE compared AS
SELECT s.id, s.length, x.*
FROM series s CROSS JOIN LATERAL (SELECT c.at, c.found_at, c.probability,
		r.at AS reference_at, r.found_at AS reference_found_at, r.probability AS reference_probability
	FROM unnest((SELECT l4_online_change_points(o, v, 0.02) FROM unnest(s.value) WITH ORDINALITY u (v, o))) c
	FULL JOIN reference(s.value, 0.02) r ON r.at = c.at) x;
SELECT length, count(*) AS changes, count(*) FILTER (WHERE at = reference_at AND found_at = reference_found_at) AS same,
	max(abs(probability - reference_probability)) < 0.005 AS likely
FROM compared GROUP BY length ORDER BY length;
SELECT * FROM compared WHERE (found_at = reference_found_at) IS NOT TRUE ORDER BY id, at;
-- other units, other zero: the same places
SELECT count(*) AS series, count(*) FILTER (WHERE c IS DISTINCT FROM d) AS other
FROM (SELECT (SELECT array_agg(ROW(c.at, c.found_at, round(c.probability::numeric, 6))) FROM unnest(a) c) AS c,
		(SELECT array_agg(ROW(c.at, c.found_at, round(c.probability::numeric, 6))) FROM unnest(b) c) AS d
	FROM (SELECT l4_online_change_points(o, v) AS a, l4_online_change_points(o, v * 1000 - 5000) AS b
		FROM series, unnest(value) WITH ORDINALITY u (v, o) GROUP BY id) s) s;

-- any order, any plan, a long series
CREATE TABLE long AS SELECT i, normal('long ' || i) + i / 500 % 2 * 6 AS value FROM generate_series(1, 20000) i;
SELECT abs(c.at - round(c.at / 500) * 500) <= 2 AS there, count(*) BETWEEN 39 AND 40 AS all, count(*) < 5 AS few,
	max(c.found_at - c.at) < 10 AS soon
FROM unnest((SELECT l4_online_change_points(i, value) FROM long)) c GROUP BY 1 ORDER BY 1;
SELECT (SELECT l4_online_change_points(i, value) FROM long)::text
	= (SELECT l4_online_change_points(i, value ORDER BY md5(i::text)) FROM long)::text AS any_order;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT l4_online_change_points(i, value) FROM long;
CREATE TABLE parallel AS SELECT (SELECT l4_online_change_points(i, value, 0.01) FROM long)::text AS changes;
SET max_parallel_workers_per_gather = 0;
SELECT (SELECT l4_online_change_points(i, value, 0.01) FROM long)::text = changes AS any_plan FROM parallel;

-- errors
SELECT error_of('SELECT l4_online_change_points(NULL, 1)'), error_of('SELECT l4_online_change_points(1, ''NaN'')'),
	error_of('SELECT l4_online_change_points(''-Infinity'', 1)'), error_of('SELECT l4_online_change_points(1, 1, 0)') \gx
SELECT error_of('SELECT l4_online_change_points(1, 1, 1)'), error_of('SELECT l4_online_change_points(1, 1, ''NaN'')'),
	error_of('SELECT l4_online_change_points(i, 1, 0.1 * i) FROM generate_series(1, 2) i'),
	error_of('SELECT l4_online_change_points_final(''{5}'')') \gx
SET maintenance_work_mem = '1MB';
SELECT error_of('SELECT l4_online_change_points(i, i) FROM generate_series(1, 100000) i');
RESET maintenance_work_mem;
-- states that are none
CREATE AGGREGATE ends_with(double precision) (SFUNC = float8_accum, STYPE = double precision[], INITCOND = '{0,0,0}',
	FINALFUNC = l4_online_change_points_final);
CREATE AGGREGATE begins_with(double precision, double precision) (SFUNC = l4_online_change_points_transition,
	STYPE = double precision[], INITCOND = '{}', FINALFUNC = l4_online_change_points_final);
CREATE AGGREGATE begins_with_half(double precision, double precision) (SFUNC = l4_online_change_points_transition,
	STYPE = double precision[], INITCOND = '{0.004,1}', FINALFUNC = l4_online_change_points_final);
CREATE AGGREGATE begins_with_null(double precision, double precision) (SFUNC = l4_online_change_points_transition,
	STYPE = double precision[], INITCOND = '{0.004,NULL,2}', FINALFUNC = l4_online_change_points_final);
SELECT error_of('SELECT ends_with(1)'), error_of('SELECT begins_with(1, 1)'), error_of('SELECT begins_with_half(1, 1)'),
	error_of('SELECT begins_with_null(1, 1)') \gx
-- nothing is left for other tests
DROP TABLE series, compared, long, parallel;
DROP AGGREGATE ends_with(double precision);
DROP AGGREGATE begins_with(double precision, double precision);
DROP AGGREGATE begins_with_half(double precision, double precision);
DROP AGGREGATE begins_with_null(double precision, double precision);
DROP FUNCTION error_of, chance, normal, shown, reference;
