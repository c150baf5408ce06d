/*
 * scenarios.sql: of the failed jobs here what their job.json says beyond l4_label, held against l4_diagnose, as shares of 1:
 *   named        of the nodes at fault, named at any place
 *   rank         the first node's rank is one at fault
 *   root_first   the first event is one that a label calls root
 *   component    the first component named is the labelled one
 *   attempt      of the labelled attempts, those whose own first node is right
 */
SET client_min_messages = warning;
SET search_path = public;
SET jit = off;
CREATE TABLE bench_more AS
	WITH told AS MATERIALIZED (
		SELECT b.job, d.kind, d.ordinal, d.node, d.rank, d.component, d.attempt, d.evidence
		FROM bench_job b CROSS JOIN LATERAL l4_diagnose(b.job ->> 'job_id') d
		WHERE b.job ->> 'status' = 'failed' AND EXISTS (SELECT FROM l4_stream s WHERE s.job_id = b.job ->> 'job_id')
	)
	SELECT t.job ->> 'job_id' AS job_id, t.job ->> 'fault' AS fault,
		count(DISTINCT t.node) FILTER (WHERE t.kind = 'node' AND t.job -> 'faulty_nodes' ? t.node)::float8
			/ NULLIF(jsonb_array_length(t.job -> 'faulty_nodes'), 0) AS named,
		CASE WHEN jsonb_array_length(t.job -> 'faulty_ranks') > 0
			THEN (count(*) FILTER (WHERE t.kind = 'node' AND t.ordinal = 1
				AND t.job -> 'faulty_ranks' @> to_jsonb(t.rank)) > 0)::int
			END::float8 AS rank,
		CASE WHEN t.job -> 'failure_indicating' @> '[{"role": "root"}]'
			THEN (count(*) FILTER (WHERE t.kind = 'event' AND t.ordinal = 1 AND EXISTS (
				SELECT FROM jsonb_array_elements(t.job -> 'failure_indicating') l, string_to_table(t.evidence, E'\n') line
				WHERE l ->> 'role' = 'root' AND l4_pattern_matches(l ->> 'regex', line))) > 0)::int
			END::float8 AS root_first,
		CASE WHEN t.job ? 'component' THEN ((array_agg(t.component ORDER BY t.kind <> 'stage', t.ordinal)
				FILTER (WHERE t.component IS NOT NULL))[1] IS NOT DISTINCT FROM t.job ->> 'component')::int
			END::float8 AS component,
		CASE WHEN t.job ? 'attempts' THEN (
				SELECT avg((EXISTS (SELECT FROM told n WHERE n.job = t.job AND n.kind = 'node'
					AND n.attempt = (a ->> 'attempt')::int AND a -> 'faulty_nodes' ? n.node
					AND n.ordinal = (SELECT min(f.ordinal) FROM told f
						WHERE f.job = t.job AND f.kind = 'node' AND f.attempt = n.attempt)))::int)
				FROM jsonb_array_elements(t.job -> 'attempts') a)
			END::float8 AS attempt
	FROM told t GROUP BY t.job;
