#!/bin/bash
# faults.sh [DATA]: how long it takes to try many fault patterns on many texts, beside trying them one by one; and, with DATA (a folder with labelled
# jobs, see accuracy.sh), whether a built-in fault rings on a successful job that is kept out of its own pool, and how long 1,000 faults take on each job.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

psql -Xq -v ON_ERROR_STOP=1 <<'SQL'
SET client_min_messages = warning;
SET jit = off;
CREATE FUNCTION seconds(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE began timestamptz := clock_timestamp();
BEGIN
	EXECUTE query;
	RETURN round(extract(epoch FROM clock_timestamp() - began)::numeric, 3);
END $$;
-- 1,000 patterns: the built-in ones and variants of them with further words. Texts: examples of what logs say, with some of the words in them.
CREATE TABLE bench_pattern AS
	SELECT fault_key AS key, pattern FROM l4_fault
	UNION ALL
	SELECT f.fault_key || '_' || n, f.pattern || '|unit ' || n || '\d{0,3} of (?:rack|row) ' || n || ' (?:failed|is down)'
	FROM l4_fault f, generate_series(1, 5) n
	ORDER BY 1 LIMIT 1000;
CREATE TABLE bench_text AS
	SELECT n, format('%s worker rank[%s] step %s: %s %s', md5(n::text), n % 512, n, left(f.root_cause, 100), CASE n % 20 WHEN 0 THEN f.pattern ELSE 'all well, lr 0.00' || n END) AS text
	FROM generate_series(1, 50000) n JOIN (SELECT row_number() OVER (ORDER BY fault_key) AS number, * FROM l4_fault) f ON f.number = 1 + n % 190;
\pset footer off
\echo 'Patterns x texts, all at once and one by one (seconds):'
SELECT p.patterns, t.texts,
	seconds(format('SELECT count(*) FROM (SELECT array_agg(key ORDER BY key) AS keys, array_agg(pattern ORDER BY key) AS patterns FROM (SELECT * FROM bench_pattern ORDER BY key LIMIT %s) p) p,
		(SELECT array_agg(text ORDER BY n) AS texts FROM bench_text WHERE n <= %s) t, l4_match_patterns(p.keys, p.patterns, t.texts) m', p.patterns, t.texts)) AS at_once,
	CASE WHEN p.patterns * t.texts <= 1000000 THEN
		seconds(format('SELECT sum((SELECT count(*) FROM bench_text t WHERE t.n <= %s AND l4_pattern_matches(p.pattern, t.text))) FROM (SELECT * FROM bench_pattern ORDER BY key LIMIT %s) p', t.texts, p.patterns)) END AS one_by_one
FROM (VALUES (190), (1000)) p (patterns), (VALUES (1000), (5000), (50000)) t (texts)
ORDER BY 1, 2;
SQL
[ $# -gt 0 ] || exit 0

bash "$here/accuracy.sh" "$1" > /dev/null
psql -Xq -v ON_ERROR_STOP=1 <<'SQL'
SET client_min_messages = warning;
SET jit = off;
\pset footer off
-- each successful job as if its outcome were not known: out of its pool, then matched
CREATE TEMP TABLE left_out (job_id text, pool_jobs int, news bigint, faults text[]);
DO $$
DECLARE
	one record;
	found left_out;
BEGIN
	FOR one IN SELECT job_id FROM l4_job WHERE status = 'succeeded' ORDER BY 1 LOOP
		PERFORM l4_register_job(one.job_id, status => 'unknown');
		INSERT INTO left_out SELECT one.job_id, (SELECT job_count FROM l4_best_pool(one.job_id)), (SELECT count(*) FROM l4_news(one.job_id)), ARRAY(SELECT fault_key FROM l4_match_faults(one.job_id));
		PERFORM l4_register_job(one.job_id, status => 'succeeded');
	END LOOP;
END $$;
\echo 'Built-in faults on successful jobs, each left out of its own pool:'
SELECT count(*) AS jobs, min(pool_jobs) AS smallest_pool, sum(news) AS news_records, sum(cardinality(faults)) AS faults FROM left_out;
\echo 'Without the filter (every record of these jobs):'
SELECT count(DISTINCT j.job_id) AS jobs, count(DISTINCT m.fault_key) AS faults_that_match
FROM l4_job j, l4_match_faults(j.job_id, ARRAY(SELECT r FROM l4_all_records(j.job_id) r)) m WHERE j.status = 'succeeded';
\echo 'l4_match_faults on each failed job (seconds; news included):'
CREATE TEMP TABLE took AS SELECT '190' AS faults, job_id, seconds(format('SELECT count(*) FROM l4_match_faults(%L)', job_id)) FROM l4_job WHERE status = 'failed';
INSERT INTO l4_fault (fault_key, title, category, subtype, pattern)
	SELECT key, key, 'user', 'bench', pattern FROM bench_pattern WHERE key NOT IN (SELECT fault_key FROM l4_fault);
INSERT INTO took SELECT (SELECT count(*)::text FROM l4_fault_library), job_id, seconds(format('SELECT count(*) FROM l4_match_faults(%L)', job_id)) FROM l4_job WHERE status = 'failed';
SELECT faults, count(*) AS jobs, round(avg(seconds), 3) AS mean, max(seconds) AS slowest FROM took GROUP BY faults ORDER BY faults::int;
SQL
