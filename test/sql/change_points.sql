-- l4_change_points: changes and what they tell, against a plain reference; edge cases, errors, independence of order and plan
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
CREATE FUNCTION changes(ats double precision[], vals double precision[], shortest int, beyond double precision)
RETURNS TABLE (at double precision, before numeric, after numeric, count_before bigint, count_after bigint,
	deviations numeric, larger numeric) LANGUAGE sql AS $$
	SELECT c.at, round(c.before::numeric, 9), round(c.after::numeric, 9), c.count_before, c.count_after,
		round(c.deviations::numeric, 9), round(c.larger::numeric, 9)
	FROM unnest((SELECT l4_change_points(s.at, s.value, changes.shortest, beyond)
		FROM ROWS FROM (unnest(ats), unnest(vals)) s (at, value))) c
$$;

-- a rise, with single values far off; a rise and a fall; a pause; nothing
SELECT c.at, c.before, c.after, c.count_before, c.count_after, round(c.deviations::numeric, 3) AS deviations,
	round(c.larger::numeric, 3) AS larger
FROM unnest((SELECT l4_change_points(i, CASE WHEN i % 17 = 3 THEN 1e300 WHEN i >= 41 THEN 20 + i % 3 ELSE 10 + i % 5 END)
	FROM generate_series(1, 60) i)) c;
SELECT c.at, c.before, c.after
FROM unnest((SELECT l4_change_points(i, CASE WHEN i BETWEEN 31 AND 70 THEN 3 ELSE 1 END + i % 4 * 0.125)
	FROM generate_series(1, 100) i)) c;
SELECT c.at, c.before, c.after FROM unnest((SELECT l4_change_points(i, CASE WHEN i > 45 THEN 3 WHEN i BETWEEN 15 AND 25 THEN 9
	ELSE 1 END) FROM generate_series(0, 60) i)) c;
SELECT l4_change_points(i, CASE WHEN i BETWEEN 30 AND 33 THEN 500 ELSE 1 + i % 4 END) AS pause,
	l4_change_points(i, 7) AS constant, l4_change_points(i, i % 7) AS steady
FROM generate_series(1, 60) i;
-- levels that differ in the last bit; infinitesimal and huge
SELECT c.at, c.before = 1 AS before, c.after > 1 AS after
FROM unnest((SELECT l4_change_points(i, CASE WHEN i > 30 THEN 1 + 2.220446049250313e-16::float8 ELSE 1 END)
	FROM generate_series(1, 60) i)) c;
SELECT c.at, c.before, c.after FROM unnest((SELECT l4_change_points(-i, CASE WHEN i > 30 THEN 1.7e308 ELSE -1.7e308 END)
	FROM generate_series(1, 60) i)) c;

-- no rows; one; too few; rows without a value
SELECT l4_change_points(i, i) AS none FROM generate_series(1, 0) i;
SELECT l4_change_points(i, i) AS one FROM generate_series(1, 1) i;
SELECT l4_change_points(i, i) AS nine FROM generate_series(1, 9) i;
SELECT l4_change_points(i, NULL) AS unknown FROM generate_series(1, 9) i;
SELECT c.at FROM unnest((SELECT l4_change_points(i, CASE WHEN i % 2 = 0 THEN i / 41 END) FROM generate_series(1, 80) i)) c;
-- what is at one place stays together
SELECT c.at, c.count_before FROM unnest((SELECT l4_change_points(i / 10, (i > 33)::int) FROM generate_series(0, 79) i)) c;
SELECT l4_change_points(1, (i > 33)::int) AS one_place FROM generate_series(0, 79) i;
-- options
SELECT c.at FROM unnest((SELECT l4_change_points(i, (i > 57)::int, 3, 1) FROM generate_series(1, 60) i)) c;
SELECT l4_change_points(i, (i > 57)::int, 4, 1) AS longer, l4_change_points(i, (i > 57)::int, 3, 8) AS surer,
	l4_change_points(i, (i > 30)::int, NULL, NULL) = l4_change_points(i, (i > 30)::int) AS defaults
FROM generate_series(1, 60) i;

-- The reference: the definition, without any cunning. Seeds are two neighbouring blocks of 1, 2, 4, ... values.
CREATE TYPE split AS (index int, deviations double precision);
CREATE FUNCTION best_split(at double precision[], value double precision[], start int, stop int, shortest int) RETURNS split
LANGUAGE sql IMMUTABLE AS $$
	WITH point AS (
		SELECT i, at[i + 1] AS at, stop - start AS n, count(*) OVER (PARTITION BY value[i + 1]) AS ties,
			rank() OVER (ORDER BY value[i + 1]) + (count(*) OVER (PARTITION BY value[i + 1]) - 1) / 2.0 AS rank
		FROM generate_series(start, stop - 1) i
	),
	split AS (
		SELECT i, at, lag(at) OVER w AS at_before, (i - start)::float8 AS before, n::float8 AS n,
			(sum(rank) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))::float8 AS ranks,
			(n + 1 - (sum(ties * ties - 1) OVER ())::float8 / nullif(n * (n - 1)::float8, 0)) / 12 AS spread
		FROM point WINDOW w AS (ORDER BY i)
	)
	SELECT i, sqrt((ranks - before * (n + 1) / 2) ^ 2 / nullif(before * (n - before), 0) / nullif(spread, 0))
	FROM split WHERE before >= shortest AND n - before >= shortest AND at <> at_before AND spread > 1e-6
	ORDER BY (ranks - before * (n + 1) / 2) ^ 2 / nullif(before * (n - before), 0) DESC, i LIMIT 1
$$;
CREATE FUNCTION splits(ats double precision[], vals double precision[], first int, last int, shortest int,
	least_deviation double precision, turns int) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE
	changes int[] := '{}';
	between int[] := '{}';
	seed record;
BEGIN
	FOR seed IN
		SELECT s.start, s.stop, (b.split).index, (b.split).deviations
		FROM generate_series(0, 30) k, LATERAL generate_series(first, last - 1, 1 << k) start,
			LATERAL (SELECT start, least(start + (2 << k), last) AS stop) s,
			LATERAL (SELECT best_split(ats, vals, s.start, s.stop, shortest) AS split OFFSET 0) b
		WHERE turns > 0 AND 1 << k < last - first AND (b.split).deviations > least_deviation
		ORDER BY (b.split).deviations DESC, s.start, s.stop
	LOOP
		IF NOT EXISTS (SELECT FROM unnest(changes) c WHERE c > seed.start AND c < seed.stop) THEN
			changes := changes || seed.index;
		END IF;
	END LOOP;
	IF changes = '{}' THEN
		RETURN changes;
	END IF;
	changes := ARRAY(SELECT c FROM unnest(changes || first || last) c ORDER BY c);
	FOR i IN 2 .. cardinality(changes) LOOP
		between := between || splits(ats, vals, changes[i - 1], changes[i], shortest, least_deviation, turns - 1);
	END LOOP;
	RETURN ARRAY(SELECT c FROM unnest(changes[2:cardinality(changes) - 1] || between) c ORDER BY c);
END
$$;
CREATE FUNCTION reference(ats double precision[], vals double precision[], shortest int, deviation double precision)
RETURNS TABLE (at double precision, before numeric, after numeric, count_before bigint, count_after bigint,
	deviations numeric, larger numeric) LANGUAGE plpgsql AS $$
DECLARE
	n CONSTANT int := cardinality(vals);
	least CONSTANT double precision := coalesce(deviation, 1.3 * sqrt(2 * ln(greatest(n, 2))));
	changes int[];
	placed int[] := '{}';
	place split;
BEGIN
	changes := splits(ats, vals, 0, n, shortest, least, 8) || n;
	FOR turn IN 1 .. 8 LOOP
		placed := '{}';
		FOR i IN 1 .. cardinality(changes) - 1 LOOP
			place := best_split(ats, vals, coalesce(placed[cardinality(placed)], 0), changes[i + 1], shortest);
			IF (place).deviations > least THEN
				placed := placed || (place).index;
			END IF;
		END LOOP;
		EXIT WHEN changes = placed || n;
		changes := placed || n;
	END LOOP;
	RETURN QUERY
	WITH level AS (
		SELECT p.turn, p.place, lag(p.place, 1, 0) OVER (ORDER BY p.turn) AS start,
			lead(p.place, 1, n) OVER (ORDER BY p.turn) AS stop
		FROM unnest(placed) WITH ORDINALITY p (place, turn)
	)
	SELECT ats[l.place + 1], round(m.before::numeric, 9), round(m.after::numeric, 9),
		(l.place - l.start)::bigint, (l.stop - l.place)::bigint,
		round((abs(w.wins - w.pairs / 2.0) / sqrt(w.pairs * s.spread))::numeric, 9), round((w.wins / w.pairs)::numeric, 9)
	FROM level l
	CROSS JOIN LATERAL (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FILTER (WHERE i <= l.place - l.start) AS before,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FILTER (WHERE i > l.place - l.start) AS after
		FROM unnest(vals[l.start + 1:l.stop]) WITH ORDINALITY u (v, i)) m
	CROSS JOIN LATERAL (SELECT sum(CASE WHEN b > a THEN 1 WHEN b = a THEN 0.5 ELSE 0 END)::float8 AS wins,
			count(*)::float8 AS pairs
		FROM unnest(vals[l.start + 1:l.place]) a, unnest(vals[l.place + 1:l.stop]) b) w
	CROSS JOIN LATERAL (SELECT (sum(t.n) + 1 - sum(t.n ^ 3 - t.n) / (sum(t.n) * (sum(t.n) - 1)))::float8 / 12 AS spread
		FROM (SELECT count(*)::numeric AS n FROM unnest(vals[l.start + 1:l.stop]) v GROUP BY v) t) s
	ORDER BY l.turn;
END
$$;
-- Series of many lengths, with 0 to 4 levels, coarse values (ties), several values at a place, single values far off
CREATE FUNCTION chance(seed text) RETURNS double precision LANGUAGE sql IMMUTABLE AS
	$$SELECT ('x' || substr(md5(seed), 1, 8))::bit(32)::bigint / 4294967296.0$$;
CREATE TABLE series AS
SELECT s.id, array_agg(p.at ORDER BY p.at, p.value) AS at, array_agg(p.value ORDER BY p.at, p.value) AS value
FROM (SELECT id, 10 + id * 3 AS length, 1 + id % 4 AS levels, 10 ^ (id % 3) AS digits, 1 + id % 2 AS at_once
	FROM generate_series(1, 32) id) s
CROSS JOIN LATERAL (SELECT (i / s.at_once)::float8 AS at,
		CASE WHEN chance(s.id || ' far ' || i) < 0.03 THEN 1000
			ELSE round((chance(s.id || ' value ' || i) + 2 * chance(s.id || ' level ' || i * s.levels / s.length)) * s.digits)
				/ s.digits END AS value
	FROM generate_series(0, s.length - 1) i) p
GROUP BY s.id;
CREATE TABLE compared AS
SELECT s.id, o.shortest, o.deviations, ARRAY(SELECT c::text FROM changes(s.at, s.value, o.shortest, o.deviations) c) AS changes,
	ARRAY(SELECT r::text FROM reference(s.at, s.value, coalesce(o.shortest, 5), o.deviations) r) AS reference
FROM series s, (VALUES (NULL::int, NULL::float8), (3, 2.5), (1, 2)) o (shortest, deviations);
SELECT shortest, deviations, count(*) AS series, sum(cardinality(changes)) AS changes,
	count(*) FILTER (WHERE changes <> reference) AS other
FROM compared GROUP BY 1, 2 ORDER BY 1, 2;
SELECT id, shortest, changes, reference FROM compared WHERE changes <> reference ORDER BY id LIMIT 3;

-- a long series: the place is exact
CREATE TABLE long AS
SELECT i, chance('long ' || i) + CASE WHEN i > 60000 THEN 0.5 ELSE 0 END AS value FROM generate_series(1, 100000) i;
SELECT abs(c.at - 60001) < 20 AS there, round(c.before::numeric, 1) AS before, round(c.after::numeric, 1) AS after
FROM unnest((SELECT l4_change_points(i, value) FROM long)) c;
-- noise alone: of 200 series of 100 values next to none has a change
SELECT count(*) FILTER (WHERE c <> '{}') <= 3 AS hardly_any
FROM (SELECT l4_change_points(i, chance(j || ' noise ' || i)) AS c FROM generate_series(1, 200) j, generate_series(1, 100) i
	GROUP BY j) s;

-- any order, any plan
SELECT (SELECT l4_change_points(i, value) FROM long WHERE i <= 20000)::text
	= (SELECT l4_change_points(i, value ORDER BY md5(i::text)) FROM long WHERE i <= 20000)::text AS any_order;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT l4_change_points(i, value) FROM long;
CREATE TABLE parallel AS SELECT (SELECT l4_change_points(i, value, 4, 4) FROM long)::text AS changes;
SET max_parallel_workers_per_gather = 0;
SELECT (SELECT l4_change_points(i, value, 4, 4) FROM long)::text = changes AS any_plan FROM parallel;
-- as a window function
SELECT i, cardinality(l4_change_points(i, (i > 20)::int) OVER (ORDER BY i)) AS changes
FROM generate_series(1, 30) i OFFSET 24 LIMIT 3;

-- errors
SELECT error_of('SELECT l4_change_points(NULL, 1)'), error_of('SELECT l4_change_points(1, ''NaN'')'),
	error_of('SELECT l4_change_points(''-Infinity'', 1)'), error_of('SELECT l4_change_points(1, 1, 0, NULL)') \gx
SELECT error_of('SELECT l4_change_points(1, 1, 1, 0)'), error_of('SELECT l4_change_points(1, 1, 1, ''NaN'')'),
	error_of('SELECT l4_change_points(i, 1, i, 3) FROM generate_series(1, 2) i'),
	error_of('SELECT l4_change_points_final(''{5,0}'')') \gx
SET maintenance_work_mem = '1MB';
SELECT error_of('SELECT l4_change_points(i, i) FROM generate_series(1, 100000) i');
RESET maintenance_work_mem;
-- states that are none
CREATE AGGREGATE ends_with(double precision) (SFUNC = float8_accum, STYPE = double precision[], INITCOND = '{0,0,0}',
	FINALFUNC = l4_change_points_final);
CREATE AGGREGATE begins_with(double precision, double precision) (SFUNC = l4_change_points_transition,
	STYPE = double precision[], INITCOND = '{1}',
	FINALFUNC = l4_change_points_final);
CREATE AGGREGATE begins_with_null(double precision, double precision) (SFUNC = l4_change_points_transition,
	STYPE = double precision[], INITCOND = '{5,0,NULL,2}', FINALFUNC = l4_change_points_final);
SELECT error_of('SELECT ends_with(1)'), error_of('SELECT begins_with(1, 1)'), error_of('SELECT begins_with_null(1, 1)') \gx
-- nothing is left for other tests
DROP TABLE series, compared, long, parallel;
DROP AGGREGATE ends_with(double precision);
DROP AGGREGATE begins_with(double precision, double precision);
DROP AGGREGATE begins_with_null(double precision, double precision);
DROP FUNCTION error_of, changes, best_split, splits, reference, chance;
DROP TYPE split;
