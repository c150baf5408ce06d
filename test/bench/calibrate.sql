/* calibrate.sql: fits the confidence of findings to the examples in bench_example, and prints what comes of it. */
\pset footer off
\pset null ''
SET client_min_messages = warning;
SET search_path = public;
SET jit = off;

-- The framework is the family; a job diagnosed twice counts once.
CREATE TEMP TABLE example AS
	SELECT b.pooled, jsonb_populate_record(b.example, jsonb_build_object(
		'family', regexp_replace((b.example).family, '\s*[,;(].*', ''),
		'subject', (b.example).subject || CASE WHEN b.pooled THEN '' ELSE ', no pool' END,
		'weight', (b.example).weight / 2)) AS e
	FROM bench_example b;
CREATE TEMP TABLE model AS
	SELECT split_part(name, '_', 2) AS kind, array_agg(split_part(name, '_', 3) ORDER BY name COLLATE "C") AS names,
		array_agg(value ORDER BY name COLLATE "C") AS old
	FROM l4_limit_in_force WHERE name ~ '^confidence_(node|fault|iteration)_' GROUP BY 1;
CREATE TEMP TABLE tried AS
	SELECT m.kind, t.job_id, t.family, t.subject NOT LIKE '%, no pool' AS pooled, t.outcome, t.before, t.after
	FROM model m CROSS JOIN LATERAL l4_tried_examples(ARRAY(SELECT e FROM example WHERE (e).kind = m.kind), m.names, m.old,
		ARRAY(SELECT 0::float8 FROM unnest(m.names)),
		(SELECT value FROM l4_limit_in_force WHERE name = 'calibrate_penalty')) t;

\echo 'Brier score of the findings: of the coefficients in force, and of those fitted to the other frameworks (left_out);'
\echo 'guess: of the share of right ones for all.'
SELECT kind, pooled, count(DISTINCT job_id) AS jobs, count(*) AS findings, round(avg(outcome::int), 3) AS right,
	round((avg(outcome::int) * (1 - avg(outcome::int)))::numeric, 3) AS guess,
	round(avg((before - outcome::int) ^ 2)::numeric, 3) AS in_force,
	round(avg((after - outcome::int) ^ 2)::numeric, 3) AS left_out
FROM tried GROUP BY kind, pooled ORDER BY kind, pooled DESC;
\echo 'Each framework left out:'
SELECT kind, family, count(DISTINCT job_id) AS jobs, count(*) AS findings, round(avg(outcome::int), 3) AS right,
	round(avg((before - outcome::int) ^ 2)::numeric, 3) AS in_force,
	round(avg((after - outcome::int) ^ 2)::numeric, 3) AS left_out
FROM tried WHERE pooled GROUP BY kind, family ORDER BY kind, family COLLATE "C";
\echo 'Reliability, fitted to the other frameworks: mean confidence and share of right ones.'
SELECT kind, pooled, least(floor(after * 5), 4) / 5 AS from, count(*) AS findings, round(avg(after)::numeric, 3) AS confidence,
	round(avg(outcome::int), 3) AS right
FROM tried GROUP BY kind, pooled, 3 ORDER BY kind, pooled DESC, 3;
\echo 'Nodes named with a confidence of 0.8 or more:'
SELECT t.pooled, count(*) FILTER (WHERE t.after >= 0.8) AS sure,
	round(avg(t.outcome::int) FILTER (WHERE t.after >= 0.8), 3) AS right,
	round(count(DISTINCT t.job_id) FILTER (WHERE t.after >= 0.8 AND t.outcome)::numeric / l.jobs, 3) AS of_local_faults
FROM tried t, (SELECT count(*) AS jobs FROM bench_job WHERE job ->> 'status' <> 'success'
	AND NOT coalesce((job ->> 'all_nodes_alike')::boolean, false)
	AND job ->> 'job_id' IN (SELECT a.job_id FROM bench_asked a)) l
WHERE t.kind = 'node' GROUP BY t.pooled, l.jobs ORDER BY t.pooled DESC;
\echo 'Sure and wrong:'
SELECT kind, job_id, pooled, round(after::numeric, 3) AS confidence FROM tried
WHERE kind = 'node' AND after >= 0.8 AND NOT outcome ORDER BY after DESC;

\echo 'Fitted to all, for sql/15_limits.sql:'
SELECT name, jobs, findings, round(old_value::numeric, 2) AS in_force, round(new_value::numeric, 2) AS fitted
FROM l4_fit_confidence(ARRAY(SELECT e FROM example), true, l4_limits_in_force());
