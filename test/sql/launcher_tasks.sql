-- A scheduler that labels lines with its tasks, one a node, and a launcher in each that labels those of its processes: ranks
-- are dealt out as the launchers arrive, tasks numbered in another order than the job's list of nodes has.
CREATE SCHEMA launcher_tasks;
SET search_path = launcher_tasks, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE process (task int, node text, rank int);
INSERT INTO process VALUES (0, 'n9', 3), (1, 'n23', 0), (2, 'n24', 1), (3, 'n62', 2);
CREATE TABLE line (job text, turn serial, line text);
-- said: {t} the task, {r} the rank, {n} the node of each process
CREATE FUNCTION says(job text, said text, tasks int[] DEFAULT '{0,1,2,3}') RETURNS void LANGUAGE sql AS $$
	INSERT INTO line (job, line)
	SELECT says.job, replace(replace(replace(says.said, '{t}', p.task::text), '{r}', p.rank::text), '{n}', p.node)
	FROM process p WHERE p.task = ANY (says.tasks) ORDER BY p.task
$$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{"model": "tasks"}', status, '{n23,n24,n62,n9}', 1);
	RETURN (l4_ingest(job, format($q$SELECT line, 'train.log' AS source FROM line WHERE job = %L ORDER BY turn$q$, job))).rows;
END $$;
CREATE FUNCTION make_job(job text, own boolean) RETURNS void LANGUAGE sql AS $$
	SELECT says(job, '{t}: [default0]:[2026-11-20 22:00:01,000] [INFO] [comm.py:37:init] '
		|| CASE WHEN own THEN '[Rank {r}] ' ELSE '' END || 'device=cpu host={n} local_rank=0');
	SELECT says(job, format('{t}: [default0]:[2026-11-20 22:00:%s,000] [INFO] [engine.py:9:train] step %s of 30 loss 8.%s',
		lpad((s + 1)::text, 2, '0'), s, 99 - s), '{1}') FROM generate_series(1, 12) s
$$;

\echo == the ranks are those that processes say, in their own words or in what their framework puts before a line
SELECT make_job('own', true), make_job('prefix', false) \g /dev/null
SELECT says('prefix', '{t}: [default0]:[rank{r}]: Traceback (most recent call last):'),
	says('prefix', '{t}: [default0]:[rank{r}]:   File "train.py", line 9, in step'),
	says('prefix', '{t}: [default0]:[rank{r}]: RuntimeError: Connection reset by peer') \g /dev/null
SELECT says(j, '{t}: E1120 22:00:20.100000 99 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1)'
	' local_rank: 0 (pid: 104) of binary: /usr/bin/python3', '{2}') FROM unnest('{own,prefix}'::text[]) j \g /dev/null
SELECT load_job('own'), load_job('prefix');
SELECT s.job_id, s.label, s.rank, coalesce(s.told_node, s.node) AS node, s.record_count AS records FROM l4_stream s
WHERE s.job_id IN ('own', 'prefix') AND s.label IS NOT NULL ORDER BY 1, 2;
\echo == the same when it is learnt again
SELECT l4_learn_places('prefix');
SELECT s.label, s.rank, s.told_node FROM l4_stream s WHERE s.job_id = 'prefix' AND s.rank = 2 ORDER BY 1;
-- nothing is left for other tests
SELECT l4_delete_job(j) FROM (SELECT DISTINCT job FROM line) d (j) \g /dev/null
DROP SCHEMA launcher_tasks CASCADE;
