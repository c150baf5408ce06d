CREATE FUNCTION @extschema@.l4_evidence_quiet_rank(job_id text, streams @extschema@.l4_job_stream[], placed @extschema@.l4_placed_record[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 2
BEGIN ATOMIC
	WITH stopped AS MATERIALIZED (
		SELECT s.*, count(*) OVER () AS ranks_quiet,
			dense_rank() OVER (ORDER BY s.unit) + dense_rank() OVER (ORDER BY s.unit DESC) - 1 AS units_quiet
		FROM unnest(l4_evidence_quiet_rank.streams) s
		WHERE s.kind = 'rank' AND s.unit IS NOT NULL AND s.record_count > 0
			AND NOT EXISTS (SELECT FROM unnest(l4_evidence_quiet_rank.placed) p WHERE p.stream_id = s.stream_id)
			-- units of which all ranks are quiet are another matter (l4_evidence_quiet)
			AND NOT EXISTS (SELECT FROM @extschema@.l4_telling_kinds(l4_evidence_quiet_rank.streams, l4_evidence_quiet_rank.placed) t
				WHERE t.kind = 'rank' AND t.telling < t.units)
	),
	size AS (
		SELECT count(*) AS ranks FROM unnest(l4_evidence_quiet_rank.streams) o WHERE o.kind = 'rank' AND o.record_count > 0
	)
	SELECT s.unit, s.node, s.rank, 'quiet', (l4_evidence_quiet_rank.limits).evidence_quiet_rank_part / s.units_quiet, NULL::float8,
		'evidence_quiet_rank_share',
		jsonb_build_object('ranks', z.ranks, 'ranks_quiet', s.ranks_quiet, 'iteration', s.last_iteration),
		NULL::bigint, s.stream_id, l.last_line, s.last_ts
	FROM stopped s
	CROSS JOIN size z
	LEFT JOIN @extschema@.l4_job_last_lines(l4_evidence_quiet_rank.job_id, ARRAY(SELECT o.stream_id FROM stopped o)) l ON l.stream_id = s.stream_id
	WHERE s.ranks_quiet <= z.ranks * (l4_evidence_quiet_rank.limits).evidence_quiet_rank_share
		AND EXISTS (SELECT FROM unnest(l4_evidence_quiet_rank.placed) p WHERE p.unit = s.unit AND p.kind = 'rank');
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_quiet_rank(text, @extschema@.l4_job_stream[], @extschema@.l4_placed_record[], @extschema@.l4_limits) IS
'Evidence of kind quiet against single ranks: all units log the failure in their rank logs, but one rank beside others of its unit stops without a word. Nothing where more of the ranks than evidence_quiet_rank_share do.';
