-- l4_period: periods that were put into events, with noise of all kinds; edge cases, errors, independence of order and plan
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

-- a clock; one that skips; with a pause; one event twice
SELECT (l4_period(3 + i * 0.5)).* FROM generate_series(0, 20) i;
SELECT (l4_period(3 + i * 0.5) FILTER (WHERE i % 5 <> 2)).* FROM generate_series(0, 20) i;
SELECT p.period, p.share, p.pauses, round(p.phase::numeric, 9) AS phase
FROM (SELECT (l4_period(i * 2 + CASE WHEN i >= 20 THEN 77.5 ELSE 0 END)).* FROM generate_series(0, 39) i) p;
SELECT p.period, p.share FROM (SELECT (l4_period(i / 2)).* FROM generate_series(0, 39) i) p;

-- Steps of 0.73 seconds: a share of them missing, others between them, off their place or their length; 10 of each sort
CREATE TABLE process AS
SELECT c.*, s.series, e.at
FROM (VALUES (20, 0.02, 0.1, 0.1, false), (20, 0.05, 0.1, 0.1, true), (200, 0.05, 0.1, 0.1, false), (200, 0.05, 0.1, 0.1, true),
	(200, 0.02, 0.3, 0.3, false), (200, 0.02, 0.1, 1, false), (200, 0.1, 0, 0, true), (1000, 0.02, 0.5, 0.1, true))
	c (events, jitter, missing, others, drifts)
CROSS JOIN generate_series(1, 10) series
CROSS JOIN LATERAL (SELECT concat_ws(' ', c, series) AS seed, series) s
CROSS JOIN LATERAL (
	SELECT 1.7e9 + 0.73 * CASE WHEN drifts THEN i + jitter * sum(normal(seed || i)) OVER (ORDER BY i)
		ELSE i + jitter * normal(seed || i) END AS at, chance(seed || 'missing' || i) >= missing AS there
	FROM generate_series(1, events) i
	UNION ALL
	SELECT 1.7e9 + 0.73 * (i + chance(seed || 'other' || i)), chance(seed || 'others' || i) < others
	FROM generate_series(1, events) i) e
WHERE e.there;
SELECT events, jitter, missing, others, drifts, count(*) FILTER (WHERE abs((p).period / 0.73 - 1) < 0.03) AS "right",
	round(avg((p).share)::numeric, 1) AS share, round(avg((p).missing)::numeric, 1) AS missed
FROM (SELECT events, jitter, missing, others, drifts, l4_period(at) AS p FROM process GROUP BY 1, 2, 3, 4, 5, series) s
GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5;
-- a clock that does not drift: the period and the phase are far better than a single event
SELECT max(abs((p).period / 0.73 - 1)) < 5e-4 AS period, max(abs(off - round(off))) < 0.05 AS phase
FROM (SELECT l4_period(at - 1.7e9) AS p FROM process WHERE events = 200 AND NOT drifts AND missing = 0.1 AND others = 0.1
	GROUP BY series) s
CROSS JOIN LATERAL (SELECT (0.73 * 200 - (p).phase) / (p).period AS off) f;
-- events by chance have none; nor do ten at one time
SELECT count((SELECT l4_period(at) FROM (SELECT -sum(ln(chance(j || ' chance ' || i))) OVER (ORDER BY i) AS at
	FROM generate_series(1, 100) i) e)) AS by_chance FROM generate_series(1, 30) j;
SELECT l4_period(7) AS at_once FROM generate_series(1, 10) i;
-- other units; the far ends of numbers
SELECT abs(p.period / 1e307 - 1) < 1e-12 AS period, p.share
FROM (SELECT (l4_period(i * 1e307)).* FROM generate_series(-17, 17) i) p;
SELECT p.period, p.share FROM (SELECT (l4_period(i * 1e-310::float8)).* FROM generate_series(-17, 17) i) p;
SELECT count(*) AS series,
	count(*) FILTER (WHERE abs((b).period / (a).period / 1000 - 1) > 1e-6 OR (a).share <> (b).share) AS other
FROM (SELECT l4_period(at - 1.7e9) AS a, l4_period((at - 1.7e9) * 1000) AS b FROM process WHERE events = 200
	GROUP BY jitter, missing, others, drifts, series) s;

-- no rows; too few; rows without a time
SELECT l4_period(i) AS none FROM generate_series(1, 0) i;
SELECT l4_period(i) AS nine FROM generate_series(1, 9) i;
SELECT l4_period(NULL) AS unknown, (l4_period(CASE WHEN i % 2 = 0 THEN i END)).period FROM generate_series(1, 40) i;
-- any order, any plan
CREATE TABLE long AS SELECT i * 2 + normal('long ' || i) * 0.1 AS at FROM generate_series(1, 50000) i WHERE i % 7 <> 3;
SELECT round((l4_period(at)).period::numeric, 4) AS period, l4_period(at)::text = l4_period(at ORDER BY md5(at::text))::text
	AS any_order FROM long;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT l4_period(at) FROM long;
CREATE TABLE parallel AS SELECT (SELECT l4_period(at) FROM long)::text AS found;
SET max_parallel_workers_per_gather = 0;
SELECT (SELECT l4_period(at) FROM long)::text = found AS any_plan FROM parallel;

-- errors
SELECT error_of('SELECT l4_period(''NaN'')'), error_of('SELECT l4_period(''Infinity'')'),
	error_of('SELECT l4_period_final(''{5}'')') \gx
SET maintenance_work_mem = '1MB';
SELECT error_of('SELECT l4_period(i) FROM generate_series(1, 100000) i');
RESET maintenance_work_mem;
-- states that are none
CREATE AGGREGATE begins_with(double precision) (SFUNC = l4_period_transition, STYPE = double precision[],
	INITCOND = '{{1,2},{3,4}}', FINALFUNC = l4_period_final);
CREATE AGGREGATE begins_with_null(double precision) (SFUNC = l4_period_transition, STYPE = double precision[],
	INITCOND = '{NULL}', FINALFUNC = l4_period_final);
CREATE AGGREGATE begins_with_nan(double precision) (SFUNC = l4_period_transition, STYPE = double precision[],
	INITCOND = '{NaN}', FINALFUNC = l4_period_final);
SELECT error_of('SELECT begins_with(1)'), error_of('SELECT begins_with_null(1)'), error_of('SELECT begins_with_nan(1)') \gx
-- nothing is left for other tests
DROP TABLE process, long, parallel;
DROP AGGREGATE begins_with(double precision);
DROP AGGREGATE begins_with_null(double precision);
DROP AGGREGATE begins_with_nan(double precision);
DROP FUNCTION error_of, chance, normal;
