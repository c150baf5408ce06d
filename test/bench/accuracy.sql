/*
 * accuracy.sql: prints bench_evaluation, the rows of l4_evaluate for all jobs: each job, each fault, each family, in total, and
 * the mistakes of l4.
 */
\pset footer off
\pset null ''
SET client_min_messages = warning;
SET search_path = public;

CREATE TEMP VIEW evaluated AS
	SELECT b.family, b.job ->> 'fault' AS fault, e.method, e::l4_evaluation AS evaluation
	FROM bench_evaluation e JOIN bench_job b ON b.job ->> 'job_id' = e.job_id;

-- Totals of l4 and of the paper's plain method side by side, for any group of rows.
CREATE FUNCTION pg_temp.beside(evaluations l4_evaluation[], OUT jobs bigint, OUT f1 numeric, OUT paper_f1 numeric,
	OUT label_r numeric, OUT top1 numeric, OUT paper_top1 numeric,
	OUT top3 numeric, OUT blamed numeric, OUT paper_blamed numeric, OUT stage numeric, OUT iteration numeric,
	OUT paper_iteration numeric)
LANGUAGE sql AS $$
	SELECT l.jobs, round(l.event_f1::numeric, 3), round(p.event_f1::numeric, 3), round(l.label_recall::numeric, 3),
		round(l.top1::numeric, 3), round(p.top1::numeric, 3),
		round(l.top3::numeric, 3), round(l.blamed::numeric, 2), round(p.blamed::numeric, 2), round(l.stage::numeric, 3),
		round(l.iteration::numeric, 3), round(p.iteration::numeric, 3)
	FROM l4_summarize_evaluation(evaluations) l LEFT JOIN l4_summarize_evaluation(evaluations) p ON p.method = 'paper'
	WHERE l.method = 'l4'
$$;

\echo 'Each failed job. events: hit/reported/true; paper: its plain method.'
\echo 'node: place of the first node at fault, or how many are blamed where none is.'
SELECT l.job_id, r.fault, l.events_hit || '/' || l.events_reported || '/' || l.events_true AS events,
	p.events_hit || '/' || p.events_reported || '/' || p.events_true AS paper_events,
	round(l.label_recall::numeric, 2) AS label_r,
	coalesce(CASE WHEN l.top1 IS NOT NULL THEN coalesce(l.first_hit::text, 'not found') END, l.blamed || ' blamed') AS node,
	coalesce(CASE WHEN p.top1 IS NOT NULL THEN coalesce(p.first_hit::text, 'not found') END,
		p.blamed || ' blamed') AS paper_node,
	l.stage || CASE WHEN NOT l.stage_right THEN ' (wrong)' ELSE '' END AS stage,
	CASE WHEN l.iteration_right THEN 'right' WHEN NOT l.iteration_right THEN 'wrong: ' || array_to_string(l.iterations, ' ')
		|| ' not ' || (b.job ->> 'injected_iteration') END AS iteration,
	round(l.seconds::numeric, 2) AS seconds
FROM evaluated r CROSS JOIN LATERAL (SELECT (r.evaluation).*) l JOIN bench_evaluation p ON p.job_id = l.job_id
	AND p.method = 'paper'
	JOIN bench_job b ON b.job ->> 'job_id' = l.job_id
WHERE r.method = 'l4'
ORDER BY r.family COLLATE "C", l.job_id COLLATE "C";

\echo 'Each fault:'
SELECT g.fault, b.* FROM (SELECT fault, array_agg(evaluation) AS evaluations FROM evaluated GROUP BY fault) g,
	pg_temp.beside(g.evaluations) b ORDER BY g.fault COLLATE "C";
\echo 'Each family:'
SELECT g.family, b.* FROM (SELECT family, array_agg(evaluation) AS evaluations FROM evaluated GROUP BY family) g,
	pg_temp.beside(g.evaluations) b ORDER BY g.family COLLATE "C";

\echo 'In total:'
SELECT method, jobs, round(event_precision::numeric, 3) AS event_p, round(event_recall::numeric, 3) AS event_r,
	round(event_f1::numeric, 3) AS event_f1,
	round(label_recall::numeric, 3) AS label_r, local_jobs, round(top1::numeric, 3) AS top1, round(top3::numeric, 3) AS top3,
	round(top5::numeric, 3) AS top5,
	round(top8::numeric, 3) AS top8, alike_jobs, round(blamed::numeric, 2) AS blamed, stage_jobs,
	round(stage::numeric, 3) AS stage, iteration_jobs, round(iteration::numeric, 3) AS iteration,
	round(node_brier::numeric, 3) AS brier, sure_nodes AS sure, round(sure_right::numeric, 3) AS sure_right,
	round(sure_found::numeric, 3) AS sure_found,
	round(mean_seconds::numeric, 2) AS mean_s, round(max_seconds::numeric, 2) AS max_s
FROM l4_summarize_evaluation(ARRAY(SELECT evaluation FROM evaluated));

\echo 'Events that l4 reports wrongly (false) or misses, the first three of a job, with l4_explain_event:'
SELECT job_id, what, left(quote, 120) AS quote, left(explanation, 200) AS explanation
FROM bench_mistake WHERE explanation IS NOT NULL
ORDER BY job_id COLLATE "C", what, quote COLLATE "C", event_id LIMIT 60;
SELECT what, count(*) AS events FROM bench_mistake GROUP BY what ORDER BY what;
