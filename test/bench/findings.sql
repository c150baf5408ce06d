/* findings.sql: holds the rows of bench_row that were found now against those found before; ends with an error where a row
 * differs. Variants that were not made now are left out. */
\pset footer off
\set ON_ERROR_STOP 1
CREATE TEMP VIEW present AS
	SELECT r.side, r.found ->> 'variant' AS variant, r.found ->> 'job' AS job, r.found -> 'row' ->> 'kind' AS kind,
		(r.found -> 'row' ->> 'ordinal')::int AS ordinal, r.found -> 'row' AS found
	FROM bench_row r
	WHERE r.found -> 'variant' IN (SELECT n.found -> 'variant' FROM bench_row n WHERE n.side = 'now');
CREATE TEMP TABLE shared_column AS
	SELECT key FROM present p, jsonb_object_keys(p.found) k (key) GROUP BY key HAVING count(DISTINCT p.side) = 2;
CREATE TEMP TABLE held AS
	SELECT coalesce(n.variant, b.variant) AS variant, coalesce(n.job, b.job) AS job, coalesce(n.kind, b.kind) AS kind,
		coalesce(n.ordinal, b.ordinal) AS ordinal, n.found IS NULL AS lost, b.found IS NULL AS added,
		ARRAY(SELECT c.key FROM shared_column c WHERE n.found -> c.key IS DISTINCT FROM b.found -> c.key
			ORDER BY c.key) AS differs,
		n.found AS now, b.found AS before
	FROM (SELECT * FROM present WHERE side = 'now') n
	FULL JOIN (SELECT * FROM present WHERE side = 'before') b USING (variant, job, kind, ordinal);

\echo 'Columns that only one side has, not compared:'
SELECT DISTINCT p.side, key FROM present p, jsonb_object_keys(p.found) k (key)
WHERE key NOT IN (SELECT key FROM shared_column) ORDER BY 1, 2;
\echo 'Rows, before and now:'
SELECT variant, count(DISTINCT job) AS jobs, count(*) FILTER (WHERE differs = '{}') AS same,
	count(*) FILTER (WHERE added) AS added,
	count(*) FILTER (WHERE lost) AS lost, count(*) FILTER (WHERE differs <> '{}' AND NOT added AND NOT lost) AS different
FROM held GROUP BY variant ORDER BY variant;
\echo 'The first that differ:'
SELECT h.variant, h.job, h.kind, h.ordinal, c.key AS "column", left(h.before ->> c.key, 200) AS before,
	left(h.now ->> c.key, 200) AS now
FROM held h, unnest(h.differs) c (key)
ORDER BY h.variant, h.job COLLATE "C", h.kind, h.ordinal, c.key LIMIT 40;
DO $$ BEGIN IF EXISTS (SELECT FROM held WHERE differs <> '{}') THEN RAISE EXCEPTION 'answers differ'; END IF; END $$;
