-- Nodes with different work: what one node's agent says of a worker and those of others of trainers is nothing peculiar to the
-- one; that a controller which has told of most ends names the first of them when it tells of the job's tells little; pods run
-- on nodes.
CREATE SCHEMA roles_of_workers;
SET search_path = roles_of_workers, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, node text, source text, at numeric, line text);
-- three trainers, and a node with a worker and a server; they begin, and go on for ten steps
CREATE VIEW pod AS SELECT * FROM (VALUES ('n0', 'trainer', 0), ('n1', 'trainer', 1), ('n2', 'trainer', 2), ('n3', 'rollout', 0),
	('n3', 'reward', 0)) p(node, role, number);
CREATE FUNCTION make_job(job text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, p.node, format('pods/rl_grpo-%s-%s_8617efda-fffe/%s/0.log', p.role, p.number, p.role),
		s * 2 + p.number * 0.01, format('INFO %s/%s step %s done', p.role, p.number, s)
	FROM pod p, generate_series(1, 10) s;
	INSERT INTO line SELECT job, p.node, 'kubelet.log', 0.5,
		format('INFO "Container started" pod="rl/grpo-%s-%s" containerName="%s"', p.role, p.number, p.role) FROM pod p;
$$;
CREATE FUNCTION says(job text, node text, source text, at numeric, said text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line VALUES (job, node, source, at, said)
$$;
-- all programs but the server end
CREATE FUNCTION all_end(job text, at numeric) RETURNS void LANGUAGE sql AS $$
	SELECT says(job, p.node, 'kubelet.log', at + p.number, format('ERROR "Container exited" pod="rl/grpo-%s-%s" '
			'containerName="%s" exitCode=1 reason="Error"', p.role, p.number, p.role)),
		says(job, NULL, '_controller/manager.log', at + p.number + 0.1, format('ERROR Pod <rl/grpo-%s-%s> on node %s failed: '
			'container %s terminated, reason Error, exit code 1', p.role, p.number, p.node, p.role))
	FROM pod p WHERE p.role <> 'reward';
	SELECT says(job, NULL, '_controller/manager.log', at + 9,
		'ERROR Job <rl/grpo> failed: pod grpo-trainer-0: Error, exit code 1');
$$;
CREATE FUNCTION suspects(job text) RETURNS TABLE (node text, evidence text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', '{n0,n1,n2,n3}');
	PERFORM l4_ingest(job, format($q$SELECT to_char(timestamp '2026-11-20 22:00' + at * interval '1 s',
		'YYYY-MM-DD HH24:MI:SS,MS ') || line AS line, node, source FROM line WHERE job = %L ORDER BY node, source, at, line$q$,
		job));
	RETURN QUERY SELECT s.node, (SELECT string_agg(format('%s %s: %s', e.kind, round(e.weight::numeric, 2),
		l4_evidence_sentence(e)), E'\n' ORDER BY e.weight DESC, e.kind) FROM unnest(s.evidence) e)
	FROM l4_suspect_nodes(job) s ORDER BY s.ordinal;
END $$;
\x on

\echo == all end alike: one that is a worker is not named for it; whom the controller saw end first, which tells little
SELECT make_job('workers') \g /dev/null
DELETE FROM line WHERE source LIKE '%reward%' OR line LIKE '%reward%';
SELECT says('workers', p.node, format('pods/rl_grpo-%s-%s_8617efda-fffe/%s/0.log', p.role, p.number, p.role), 30
	+ p.number, 'ERROR ValueError: 5 heads cannot be parted in 2') FROM pod p WHERE p.role <> 'reward' \g /dev/null
SELECT all_end('workers', 32) \g /dev/null
SELECT * FROM suspects('workers');

\echo == all miss the server of one: its pod is on a node
SELECT make_job('scored') \g /dev/null
SELECT says('scored', p.node, format('pods/rl_grpo-%s-%s_8617efda-fffe/%s/0.log', p.role, p.number, p.role), 30 + p.number,
	'ERROR /v1/score on grpo-reward-0.grpo:8200 failed (TimeoutError: timed out)') FROM pod p
WHERE p.role = 'trainer' \g /dev/null
SELECT all_end('scored', 40) \g /dev/null
SELECT * FROM suspects('scored');
\x off
SELECT a.address, a.node FROM l4_address a WHERE a.job_id = 'scored' ORDER BY 1;
-- what is kept in other ways is no pod, nor one that was on two nodes
SELECT p.* FROM l4_pod_names(ARRAY(SELECT jsonb_populate_record(NULL::l4_job_stream, jsonb_build_object('source', s.source,
	'unit', s.unit)) FROM (VALUES ('a/logs/my_train_log/x/0.log', 'a'), ('pods/rl_two_1/c/0.log', 'a'),
	('pods/rl_two_2/c/0.log', 'b'), ('0.log', 'a'), ('pods/rl_a_1/c/0.log', 'a')) s(source, unit))) p ORDER BY 1;
SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
DROP SCHEMA roles_of_workers CASCADE;
