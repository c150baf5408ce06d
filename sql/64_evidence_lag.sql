/*
 * Lag: ranks go from step to step together, so the unit whose last iteration is behind all others' is the one they were
 * waiting for when the job stopped.
 */

CREATE FUNCTION @extschema@.l4_evidence_lag(ranks @extschema@.l4_job_stream[]) RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	SELECT p.unit, p.node, p.rank, 'lag', 1, NULL::float8, NULL::text,
		jsonb_build_object('units', p.units, 'iteration', p.iteration, 'others_iteration', p.others_iteration),
		NULL::bigint, NULL::bigint, NULL::bigint, NULL::timestamptz
	FROM (
		SELECT p.*, row_number() OVER w AS turn, lead(p.iteration) OVER w AS others_iteration, count(*) OVER () AS units
		FROM (
			SELECT s.unit, min(s.node) AS node, CASE WHEN s.unit IS DISTINCT FROM min(s.node) THEN min(s.rank) END AS rank,
				min(s.last_iteration) AS iteration
			FROM unnest(l4_evidence_lag.ranks) s
			WHERE s.last_iteration IS NOT NULL
			GROUP BY s.unit) p
		WINDOW w AS (ORDER BY p.iteration)) p
	WHERE p.turn = 1 AND p.iteration < p.others_iteration AND p.units > 2;
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_lag(@extschema@.l4_job_stream[]) IS
'Step: Evidence of kind lag: the last iteration of one unit is behind that of all others. ranks: l4_rank_streams.';
