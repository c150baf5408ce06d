/* Steps that take longer than they should, as a finding of its own. */

CREATE FUNCTION @extschema@.l4_slow_findings(slow @extschema@.l4_slow_regime, suspects @extschema@.l4_suspect_node[])
RETURNS TABLE (kind text, ordinal bigint, score double precision, node text, rank int, stage text, iteration bigint,
	first_seen timestamptz, facts jsonb)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
	SELECT 'slow', 1::bigint, (l4_slow_findings.slow).after
			/ COALESCE((l4_slow_findings.slow).before, (l4_slow_findings.slow).pool_seconds),
		s.node, s.rank, 'iterating', (l4_slow_findings.slow).iteration, (l4_slow_findings.slow).began,
		jsonb_strip_nulls(jsonb_build_object('before_seconds', (l4_slow_findings.slow).before,
			'after_seconds', (l4_slow_findings.slow).after, 'iterations_before', (l4_slow_findings.slow).iterations_before,
			'iterations_since', (l4_slow_findings.slow).iterations_since, 'pool_seconds', (l4_slow_findings.slow).pool_seconds,
			'pool_jobs', CASE WHEN (l4_slow_findings.slow).pool_seconds IS NOT NULL
				THEN (l4_slow_findings.slow).pool_jobs END, 'unit', s.unit))
	FROM (VALUES (true)) one
	-- whom the durations speak against
	LEFT JOIN LATERAL (
		SELECT n.unit, n.node, n.rank FROM unnest(l4_slow_findings.suspects) n
		WHERE EXISTS (SELECT FROM unnest(n.evidence) e WHERE e.kind = 'slow')
		ORDER BY n.ordinal LIMIT 1) s ON true
	WHERE (l4_slow_findings.slow).after IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_slow_findings(@extschema@.l4_slow_regime, @extschema@.l4_suspect_node[]) IS
'Step: that the steps of a job are slow, as columns of l4_finding of the same names; score: how many times as long they take. '
'The node is the first suspect whom durations speak against, NULL where all slow down alike. Facts: see '
'l4_slow_sentence.';
