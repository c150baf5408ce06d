-- Names of jobs, projects and owners: each successful job says its own, so another job's is nothing new; other words are.
CREATE SCHEMA named_jobs;
SET search_path = named_jobs, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, node int, source text, at int, line text);
-- A job of a project and a name, with the log of what starts it; each fourth second a step.
CREATE FUNCTION make_job(job text, project text, name text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line
	SELECT job, n, 'train', s, format('INFO step %s of 20 loss 2.%s', s, 99 - s)
	FROM generate_series(1, 20) s, generate_series(0, 2) n
	UNION ALL
	SELECT job, NULL, 'operator.log', 0, format(l, project, name, reverse(project)) FROM unnest(ARRAY[
		'INFO operator made the pods of training job %1$s/%2$s on all nodes',
		'INFO operator sees that training job %1$s/%2$s is running now',
		'INFO quota of project %1$s is checked for this job',
		-- a name and a queue
		'INFO operator puts job %2$s to queue %3$s of this cluster',
		'INFO operator keeps job %2$s in state ready of queue %3$s as of now']) l
	WHERE job <> 'odd' OR l !~ 'ready';
$$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'succeeded') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{"model": "named"}', status, '{n0,n1,n2}', 1);
	RETURN (l4_ingest(job, format($q$
		SELECT to_char(timestamp '2026-11-20 22:00' + at * interval '4 s', 'YYYY-MM-DD HH24:MI:SS,MS ') || line AS line,
			'n' || node AS node, node AS rank, source
		FROM line WHERE job = %L ORDER BY at, node, line COLLATE "C"$q$, job))).rows;
END $$;

SELECT make_job('good one', 'default', 'olive'), make_job('good two', 'research', 'pine tree'),
	make_job('good three', 'ml-train', 'olive big'), make_job('bad', 'nlp', 'willow'), make_job('odd', 'nlp', 'willow')
	\g /dev/null
INSERT INTO line SELECT j, NULL, 'operator.log', 20, l FROM unnest('{bad,odd}'::text[]) j, unnest(ARRAY[
	'INFO operator deletes the pods of training job nlp/willow on all nodes',
	'ERROR operator sees that training job nlp/willow is failed now']) l;
-- where successful jobs say several things there each, it is no name
INSERT INTO line
SELECT j, NULL, 'operator.log', 5 + k, format('INFO operator sees that the pod of n%s is %s and goes on', k, w)
FROM unnest('{good one,good two,good three}'::text[]) j, unnest('{pending,starting}'::text[]) WITH ORDINALITY x (w, k)
WHERE j <> 'good three';
INSERT INTO line VALUES ('odd', NULL, 'operator.log', 9, 'INFO operator sees that the pod of n1 is evicted and goes on'),
	-- all are kept in the same state but for this one
	('odd', NULL, 'operator.log', 0, 'INFO operator keeps job willow in state frozen of queue pln as of now');
SELECT load_job('good one'), load_job('good two'), load_job('good three'), load_job('bad', 'failed'), load_job('odd', 'failed')
	\g /dev/null
SELECT j, d.template FROM unnest('{bad,odd}'::text[]) j, l4_diagnose(j) d WHERE d.kind = 'event'
ORDER BY j, d.template COLLATE "C";
SELECT e.explanation FROM (SELECT DISTINCT l.event_id FROM l4_log l WHERE l.job_id = 'bad' AND l.message ~ 'quota') o,
	l4_explain_event('bad', o.event_id) e;
SELECT f.one, f.other, l4_two_name_frame(f.one, f.other, l4_limits_in_force()) FROM (VALUES
	('put job a to queue b now', 'put job c d to queue e f now'), ('a to queue b', 'c d to queue e'),
	('put job a now', 'put job b now'),
	('put job a to queue b', 'put job a to queue b c'), ('put a to b', 'put c to d')) f (one, other);
SELECT r.run, r.rest FROM l4_word_runs('a is of b now', l4_limits_in_force()) r ORDER BY length(r.run), r.run LIMIT 3;

SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
DROP SCHEMA named_jobs CASCADE;
