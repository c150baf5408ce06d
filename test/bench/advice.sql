-- Holds the advice for the jobs at hand against bench_action (right, harmful: see test/data/advice/README.md).
CREATE FUNCTION bench_allows(tokens text, action text, target text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT coalesce(bool_or(CASE
		WHEN t.what IS NULL THEN false
		WHEN t.sign = '' THEN true
		WHEN t.sign = '=' THEN target = ANY (string_to_array(t.nodes, ','))
		ELSE target IS NULL OR target <> ALL (string_to_array(t.nodes, ',')) END), false)
	FROM (
		SELECT CASE WHEN m[1] = action OR m[1] = 'nodes' AND action IN ('test', 'cordon', 'reset') THEN m[1] END AS what,
			m[2] AS sign, m[3] AS nodes
		-- a name may have a blank in it: "rank 2"
		FROM regexp_split_to_table(tokens, ' (?=(nodes|restart|wait|test|cordon|reset|user|storage|network|look)\M)') token,
			regexp_match(token, '^(\w+)(!?=|)(.*)$') m) t
$$;
CREATE TABLE bench_advice AS
SELECT j.job_id, v.use_pool, j.status, a.action, a.target, a.rule, a.advice, a.finding_kind, a.fault_key
FROM l4_job j
CROSS JOIN (VALUES (true), (false)) v (use_pool)
CROSS JOIN LATERAL l4_restart_advice(j.job_id, l4_report_findings(j.job_id, v.use_pool)) a
WHERE j.status = 'failed' AND j.job_id IN (SELECT s.job_id FROM l4_stream s);

\pset footer off
\echo 'Advice on failed jobs, held against what a careful operator would do'
SELECT CASE WHEN b.use_pool THEN 'with' ELSE 'without' END AS pool, count(*) AS jobs,
	count(*) FILTER (WHERE bench_allows(a."right", b.action, b.target)) AS "right",
	round(avg(bench_allows(a."right", b.action, b.target)::int), 3) AS right_share,
	count(*) FILTER (WHERE bench_allows(a.harmful, b.action, b.target)) AS harmful,
	round(avg(bench_allows(a.harmful, b.action, b.target)::int), 3) AS harmful_share
FROM bench_advice b JOIN bench_action a ON a.job_id = b.job_id WHERE b.status = 'failed' GROUP BY 1 ORDER BY 1;
\echo 'What was not right'
SELECT b.job_id, CASE WHEN b.use_pool THEN 'with' ELSE 'without' END AS pool, b.action, b.target, b.rule, b.fault_key,
	bench_allows(a.harmful, b.action, b.target) AS harmful, a."right"
FROM bench_advice b JOIN bench_action a ON a.job_id = b.job_id
WHERE b.status = 'failed' AND NOT bench_allows(a."right", b.action, b.target) ORDER BY 1, 2;
