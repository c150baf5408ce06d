-- The jobs of blind.sh, their diagnoses and the figures. Expects the table bench_blind.
SET client_min_messages = warning;
SET timezone = 'UTC';
\pset footer off

-- Lines of a job in which all is well. at: seconds since the job began; ts: what the line's carrier tells of its time.
CREATE TABLE bench_line (job text, node int, rank int, source text, at numeric, ts timestamptz, line text);
CREATE FUNCTION bench_stamp(at numeric) RETURNS text LANGUAGE sql AS $$
	SELECT to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS ')
$$;
CREATE FUNCTION bench_make_lines(job text, steps int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO bench_line
	SELECT job, r / 2, r, 'train', x.at + r * 0.001, NULL, bench_stamp(x.at + r * 0.001) || x.line
	FROM generate_series(0, 7) r, LATERAL (
		SELECT 0.5, format('INFO rank %s of 8: building model', r)
		UNION ALL SELECT s * 2 + 0.1, format('INFO step %s loss %s', s, round(9 - s * 0.1 + r % 3 * 0.01, 2))
		FROM generate_series(1, steps) s
		UNION ALL SELECT s * 2 + 0.7, format('DEBUG step %s forward took %s ms', s, 500 + (r * 7 + s * 13) % 11)
		FROM generate_series(1, steps) s) x (at, line);
	INSERT INTO bench_line
	SELECT job, n, NULL, x.source, x.at, NULL, bench_stamp(x.at) || x.line
	FROM generate_series(0, 3) n, LATERAL (
		SELECT 'syslog', s * 4 + 0.2, format('INFO network: retransmitted=%s', s + n % 2) FROM generate_series(0, steps / 2) s
		UNION ALL SELECT 'launcher', 0.1, format('INFO launcher: starts 2 processes on n%s', n)) x (source, at, line)
$$;
CREATE FUNCTION bench_load(job text, job_status text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{"framework": "blind", "model": "blind"}', job_status, '{n0,n1,n2,n3}', 2);
	RETURN (l4_ingest(job, format($q$SELECT line, 'n' || node AS node, rank, source, ts FROM bench_line WHERE job = %L
		ORDER BY at, rank, line COLLATE "C"$q$, job))).rows;
END $$;

-- A line of a text without the time and host of the log that it stood in; times that stand further on become the job's.
CREATE FUNCTION bench_bare(line text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace(line, $re$(?x)^(?:
		\[\w{3}\ \w{3}\ +\d+\ [\d:]+\ \d{4}\]\ |			# dmesg -T
		\w{3}\ +\d+\ \d\d:\d\d:\d\d\ \S+\ (?=kernel:)|		# syslog
		\d\d\ \w{3},\ [\d:]{8}\ (?=kernel:)|
		\[\d{4}-\d\d-\d\dT[\d:.]+\]\ |
		\d{4}-\d\d-\d\dT[\d:]+Z\ +tensorflow\ +|
		\d{4}-(?:\d\d|\w{3})-\d\d\ [\d:.]+:?\ (?=\D|\d+:\d+\ ERROR)|
		\d+m\d*s?\ +(?=Warning|Normal)|
		\[\ *(?:\d+\.\d+|\+\d\.\d+)\]\ ?)+$re$, ''),
		'((?:^|\]:)\[?[EWI])\d{3,4} \d\d:\d\d:\d\d\.\d{6}', '\11120 22:00:21.500000'),		-- glog
		'\[\d{10}\.\d{6}\]', '[1795212021.500000]'),		-- UCX
		'\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d', '2026-11-20-22:00:21')		-- Ascend
$$;
-- The text in the log that it stood in, on node n2; a part of a traceback has its head.
CREATE FUNCTION bench_put(job text, stream text, text text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO bench_line
	SELECT job, 2, CASE stream WHEN 'rank' THEN 5 END,
		CASE stream WHEN 'rank' THEN 'train' WHEN 'launcher' THEN 'launcher' ELSE 'syslog' END,
		21.5 + l.n * 0.001, timestamptz '2026-11-20 22:00:21.5+00' + l.n * interval '1 ms',
		CASE stream WHEN 'system' THEN bench_stamp(21.5 + l.n * 0.001) || ltrim(bench_bare(l.line)) ELSE bench_bare(l.line) END
	FROM (SELECT 0::bigint, 'Traceback (most recent call last):' WHERE stream <> 'system' AND text ~ '^\s'
		UNION ALL SELECT n, s FROM string_to_table(text, E'\n') WITH ORDINALITY t (s, n)) l (n, line)
$$;

SELECT bench_make_lines(job, 10), bench_put(job, b.stream, b.text), bench_load(job, 'failed')
FROM bench_blind b, format('blind-%s', lpad(b.number::text, 3, '0')) job \g /dev/null
CREATE TABLE bench_diagnosis (pool boolean, number int, findings l4_finding[], action text, target text, rule text);
-- One transaction each, so that a long run can be watched.
CREATE PROCEDURE bench_diagnose(pool boolean) LANGUAGE plpgsql AS $$
DECLARE one record;
BEGIN
	FOR one IN SELECT b.number, format('blind-%s', lpad(b.number::text, 3, '0')) AS job FROM bench_blind b ORDER BY 1 LOOP
		INSERT INTO bench_diagnosis
		SELECT pool, one.number, d.findings, a.action, a.target, a.rule
		FROM (SELECT l4_report_findings(one.job) AS findings OFFSET 0) d, l4_restart_advice(one.job, d.findings) a;
		COMMIT;
	END LOOP;
END $$;
CALL bench_diagnose(false);
SELECT bench_make_lines('fine-' || n, 12 + n), bench_load('fine-' || n, 'succeeded') FROM generate_series(1, 3) n \g /dev/null
CALL bench_diagnose(true);

CREATE VIEW bench_result AS
SELECT d.pool, b.*, f.fault_key, f.category AS found_category, f.fault_key IS NOT NULL AS known,
	f.category = ANY (string_to_array(b.category, '/')) AS right_category,
	f.category = split_part(b.category, '/', 1) AS first_category, f.fault_keys, d.action, d.target, d.rule
FROM bench_blind b JOIN bench_diagnosis d USING (number)
CROSS JOIN LATERAL (
	SELECT (array_agg(f.fault_key ORDER BY f.ordinal) FILTER (WHERE l.priority < 300))[1],
		(array_agg(f.category ORDER BY f.ordinal) FILTER (WHERE l.priority < 300))[1],
		string_agg(f.fault_key || CASE WHEN l.priority >= 300 THEN ' (general)' ELSE '' END, ' ' ORDER BY f.ordinal)
	FROM unnest(d.findings) f JOIN l4_fault_library l USING (fault_key)
	WHERE f.kind = 'fault') f (fault_key, category, fault_keys);

\echo
\echo 'Texts of public threads, each a failed job: without successful jobs, and beside three'
SELECT CASE WHEN pool THEN 'pool' ELSE 'no pool' END AS "with", count(*) AS texts, round(avg(known::int), 3) AS known,
	round(avg(right_category::int), 3) AS category, round(avg(first_category::int), 3) AS first,
	count(*) FILTER (WHERE fault_of = 'user') AS of_users,
	count(*) FILTER (WHERE fault_of = 'user' AND action = 'cordon') AS cordon,
	count(*) FILTER (WHERE fault_of = 'user' AND action = 'test') AS test
FROM bench_result GROUP BY pool ORDER BY pool;
\echo
\echo 'Not known'
SELECT number, area, fault_of, string_agg(CASE WHEN pool THEN 'pool' ELSE 'no pool' END, ', ' ORDER BY pool) AS "with",
	min(fault_keys) AS general, left(max(split_part(text, E'\n', 1)), 100) AS text
FROM bench_result WHERE NOT known GROUP BY 1, 2, 3 ORDER BY 1;
\echo
\echo 'Of another category'
SELECT number, area, category, found_category AS found, min(fault_keys) AS faults, left(max(cause), 60) AS cause
FROM bench_result WHERE NOT right_category GROUP BY 1, 2, 3, 4 ORDER BY 1;
\echo
\echo 'A user is at fault, a node is accused'
SELECT number, area, action, rule, min(fault_keys) AS faults, left(max(cause), 60) AS cause,
	string_agg(CASE WHEN pool THEN 'pool' ELSE 'no pool' END, ', ' ORDER BY pool) AS "with"
FROM bench_result WHERE fault_of = 'user' AND action IN ('cordon', 'test') GROUP BY 1, 2, 3, 4 ORDER BY 1;
