-- Launchers that watch their ranks pass on what one of them found, a scheduler's table has the batch step of a job on its first
-- node, a node that is taken out was ill before the others were told to end, and a usage that each rank prints is of all.
CREATE SCHEMA passed_on;
SET search_path = passed_on, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, n int, source text, at numeric, line text);
-- what all jobs have: a launcher on each node of which the settings are told, one file of all ranks, a daemon a node
CREATE FUNCTION run_job(job text, id int, last_step int DEFAULT 30) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line
	SELECT job, n, 'ftl.log', 1, format('{t} [INFO] [node-%s] [ft_launcher:33] timeouts: initial heartbeat 60 s, sections '
		'setup:60,step:11,data:9', n) FROM generate_series(0, 3) n
	UNION ALL SELECT job, n, 'ftl.log', 2, format('{t} [INFO] [node-%s] [ft_launcher:33] started rank %s (local rank 0) pid 36',
		n, n) FROM generate_series(0, 3) n
	UNION ALL SELECT job, NULL, 'slurm.out', 2, '[default0]:> building the model ...'
	UNION ALL SELECT job, NULL, 'slurm.out', 3 + s * 0.5, format('[default0]: [2026-11-20 10:00:%s] iteration %s/ 30 | '
		'consumed samples: %s | lm loss: 2.%s |', lpad((3 + s / 2)::text, 2, '0'),
		s, s * 8, 99 - s) FROM generate_series(1, last_step) s
	UNION ALL SELECT job, n, 'journal.log', 0, format('{t} node-%s slurmd[19]: launch task StepId=%s.0 request from UID:7',
		n, id) FROM generate_series(0, 3) n
$$;
-- the table of the scheduler
CREATE FUNCTION account(job text, id int, state text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, NULL::int, 'sacct.txt', 0, l FROM unnest(ARRAY[
		'JobID        JobName         NodeList                   State ExitCode  Elapsed',
		'------------ --------------- ------------------------- ------ -------- --------',
		format('%s       pretrain        node-[0-3]                %s    1:0 00:00:20', id, state),
		format('%s.batch batch           node-0                    %s    1:0 00:00:20', id, state),
		format('%s.0     ft_launcher     node-[0-3]                %s    1:0 00:00:20', id, state)]) l
$$;
-- what one launcher found of the first ranks that ended, the others pass on
CREATE FUNCTION pass_on(job text, first int, at numeric, code int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line
	SELECT job, 0, 'ftl.log', at + 0.1, format('{t} [ERROR] [node-0] [ft_launcher:33] [rdzv] workers of node node-%s failed '
		'(rank %s: exit code %s), no restarts left, closing the rendezvous', first, first, code)
	UNION ALL SELECT job, n, 'ftl.log', at + 0.2 + n * 0.01, format('{t} [WARNING] [node-%s] [ft_launcher:33] worker group '
		'failed on node node-%s, stopping local workers', n, first) FROM generate_series(0, 3) n WHERE n <> first
	UNION ALL SELECT job, n, 'ftl.log', at + 0.4 + n * 0.01, format('{t} [WARNING] [node-%s] [ft_launcher:33] rank %s (local '
		'rank 0, pid 36) ended with exit code %s', n, n, code) FROM generate_series(0, 3) n
	UNION ALL SELECT job, NULL, 'slurm.out', at + 0.5 + n * 0.01,
		format('srun: error: node-%s: task %s: Exited with exit code 1', n, n) FROM generate_series(0, 3) n
$$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', status, '{node-0,node-1,node-2,node-3}', 1);
	RETURN (l4_ingest(job, format($q$
		SELECT replace(line, '{t}', to_char(timestamp '2026-11-20 10:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS'))
				AS line, 'node-' || n AS node,
			CASE WHEN n IS NULL THEN source ELSE format('node-%%s/%%s', n, source) END AS source
		FROM line WHERE job = %L ORDER BY source, n, at, line COLLATE "C"$q$, job))).rows;
END $$;
SELECT run_job(j, 71 + n::int), account(j, 71 + n::int, 'COMPLETED')
FROM unnest('{po fine,po fine2}'::text[]) WITH ORDINALITY x (j, n) \g /dev/null
SELECT load_job('po fine', 'succeeded'), load_job('po fine2', 'succeeded');

\echo == a time-out of each section is no iteration
SELECT DISTINCT iteration FROM l4_log WHERE job_id = 'po fine' AND message ~ 'timeouts';

\echo == of a job that each rank refuses nobody is to blame, whoever ended first and on whose node the batch step is
SELECT run_job('po usage', 81, 0), account('po usage', 81, 'FAILED'), pass_on('po usage', 2, 4, 2) \g /dev/null
INSERT INTO line SELECT 'po usage', NULL, 'slurm.out', 3 + n * 0.1 + k * 0.01, l
FROM generate_series(0, 3) n, unnest(ARRAY['[default0]:usage: train.py [-h] [--layers LAYERS]',
	'[default0]:                [--distributed-timeout-seconds DISTRIBUTED_TIMEOUT_SECONDS]',
	'[default0]:train.py: error: unrecognized arguments: --moe-loss 0.01']) WITH ORDINALITY x (l, k);
SELECT load_job('po usage');
SELECT d.kind, d.node, d.stage, d.iteration FROM l4_diagnose('po usage') d WHERE d.kind IN ('node', 'iteration');
SELECT count(*) AS of_the_table FROM l4_accusations('po usage') a WHERE a.source = 'sacct.txt';
SELECT a.accuser, a.unit, a.ending FROM l4_accusations('po usage') a WHERE a.accuser IS NOT NULL ORDER BY 1, 2, 3;

\echo == whose check failed before all were told to end, and whom the scheduler takes out
SELECT run_job('po drained', 82, 8), account('po drained', 82, 'FAILED') \g /dev/null
INSERT INTO line
SELECT 'po drained', 1, 'journal.log', 8, '{t} node-1 slurmd[19]: error: Node Health Check failed: check_fs_mount: /d is gone'
UNION ALL SELECT 'po drained', NULL, 'slurmctld.log', 8.1, '[{t}] update_node: node node-1 state set to DRAINING'
UNION ALL SELECT 'po drained', n, 'ftl.log', 14, format('{t} [WARNING] [node-%s] [ft_launcher:33] got SIGTERM, stopping', n)
FROM generate_series(0, 3) n WHERE n <> 1
UNION ALL SELECT 'po drained', NULL, 'slurm.out', 14.1, 'srun: Terminating StepId=82.0';
SELECT load_job('po drained');
SELECT d.ordinal, d.node FROM l4_diagnose('po drained') d WHERE d.kind = 'node';

SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
DROP SCHEMA passed_on CASCADE;
