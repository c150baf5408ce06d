/*
 * labels.sql: the labels of the failed jobs of bench_job (folder, job: the text of job.json as jsonb) into l4_label, for those
 * jobs that have logs here.
 *
 * A stage of the paper's five is any of the stages that l4 divides it into; "evaluation" is none of the five and is not scored.
 * Where all nodes fail alike no node is to be blamed, whatever nodes the label names. A job may accept further stages and
 * iterations (stage_also, iteration_also). One that failed before it iterated has no iteration, and is not scored for it,
 * whichever would be no mistake there (0 and 1).
 */
SET client_min_messages = warning;
SET search_path = public;
TRUNCATE l4_label;
WITH failed AS (
	SELECT job ->> 'job_id' AS job_id, job FROM bench_job
	WHERE job ->> 'status' <> 'success' AND EXISTS (SELECT FROM l4_stream s WHERE s.job_id = job ->> 'job_id')
), stage_name (label, stage) AS (VALUES
	('environment initialization', 'environment_init'), ('environment initialization', 'rendezvous'),
	('environment initialization', 'communicator_init'),
	('data loading', 'data_load'), ('model loading', 'model_build'), ('model loading', 'checkpoint_load'),
	('iterative training', 'iterating'), ('iterative training', 'evaluation'), ('checkpointing', 'checkpoint_save')
), label (job_id, turn, kind, role, source_glob, pattern, node, stage, iteration) AS (
	SELECT job_id, 1000 + n, 'event', v ->> 'role', v ->> 'files', v ->> 'regex', NULL::text, NULL::text, NULL::bigint
	FROM failed, jsonb_array_elements(coalesce(job -> 'failure_indicating', '[]')) WITH ORDINALITY l (v, n)
	UNION ALL
	SELECT job_id, 2000 + n, 'event', 'neutral', NULL, v, NULL, NULL, NULL
	FROM failed, jsonb_array_elements_text(coalesce(job -> 'neutral', '[]')) WITH ORDINALITY l (v, n)
	UNION ALL
	SELECT job_id, 3000, 'node', NULL, NULL, NULL, NULL, NULL, NULL FROM failed WHERE (job ->> 'all_nodes_alike')::boolean
	UNION ALL
	SELECT job_id, 3000 + n, 'node', NULL, NULL, NULL, v, NULL, NULL
	FROM failed, jsonb_array_elements_text(coalesce(job -> 'faulty_nodes', '[]')) WITH ORDINALITY l (v, n)
	WHERE NOT coalesce((job ->> 'all_nodes_alike')::boolean, false)
	UNION ALL
	SELECT job_id, 4000 + row_number() OVER (PARTITION BY job_id ORDER BY n.stage), 'stage', NULL, NULL, NULL,
		NULL, n.stage, NULL
	FROM failed JOIN stage_name n ON n.label = job ->> 'stage' OR job -> 'stage_also' ? n.label
	UNION ALL
	SELECT job_id, 5000, 'iteration', NULL, NULL, NULL, NULL, NULL, (job ->> 'injected_iteration')::bigint
	FROM failed WHERE (job ->> 'injected_iteration')::bigint <> 0
	UNION ALL
	SELECT job_id, 5000 + n, 'iteration', NULL, NULL, NULL, NULL, NULL, v::bigint
	FROM failed, jsonb_array_elements_text(CASE jsonb_typeof(job -> 'iteration_also') WHEN 'array' THEN job -> 'iteration_also'
		ELSE '[]' END) WITH ORDINALITY l (v, n)
	WHERE (job ->> 'injected_iteration')::bigint <> 0
)
INSERT INTO l4_label (job_id, label_no, kind, role, source_glob, pattern, node, stage, iteration)
SELECT job_id, turn, kind, role, source_glob, pattern, node, stage, iteration FROM label;
