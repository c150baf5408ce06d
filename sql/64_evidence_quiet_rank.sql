/*
 * Quiet, of one rank beside live ones on its node: where all units tell of the failure it is a process, not a node, that is
 * missed.
 */

CREATE FUNCTION @extschema@.l4_evidence_quiet_rank(job_id text, streams @extschema@.l4_job_stream[],
	ranks @extschema@.l4_job_stream[], telling_streams bigint[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 2
BEGIN ATOMIC
	WITH telling AS MATERIALIZED (
		SELECT DISTINCT COALESCE(s.unit, '') AS of_unit, COALESCE(s.rank, -s.stream_id) AS of_rank
		FROM unnest(l4_evidence_quiet_rank.streams) s
		JOIN unnest(l4_evidence_quiet_rank.telling_streams) t (stream_id) ON t.stream_id = s.stream_id
		WHERE s.kind = 'rank'
	),
	rank AS MATERIALIZED (
		SELECT r.*, t.of_rank IS NULL AS quiet
		FROM unnest(l4_evidence_quiet_rank.ranks) r
		LEFT JOIN telling t ON t.of_unit = COALESCE(r.unit, '') AND t.of_rank = COALESCE(r.rank, -r.stream_id)
		-- what several ranks write together is not one more
		WHERE r.rank IS NOT NULL OR r.source_id NOT IN (SELECT o.source_id FROM unnest(l4_evidence_quiet_rank.ranks) o
			WHERE o.rank IS NOT NULL)
	),
	stopped AS MATERIALIZED (
		SELECT r.*, count(*) OVER () AS ranks_quiet,
			dense_rank() OVER (ORDER BY r.unit) + dense_rank() OVER (ORDER BY r.unit DESC) - 1 AS units_quiet
		FROM rank r
		WHERE r.quiet AND r.unit IS NOT NULL
	),
	size AS MATERIALIZED (SELECT count(*) AS ranks FROM rank)
	SELECT s.unit, s.node, s.rank, 'quiet', (l4_evidence_quiet_rank.limits).evidence_quiet_rank_part / s.units_quiet,
		NULL::float8, 'evidence_quiet_rank_share',
		jsonb_build_object('ranks', z.ranks, 'ranks_quiet', s.ranks_quiet, 'iteration', s.last_iteration),
		NULL::bigint, s.stream_id, l.last_line, s.last_ts
	FROM stopped s
	-- units of which all ranks are quiet are another matter (l4_evidence_quiet)
	JOIN @extschema@.l4_telling_units(l4_evidence_quiet_rank.streams, l4_evidence_quiet_rank.telling_streams) t
		ON t.kind = 'rank' AND t.unit = s.unit AND t.units_telling = t.units
	CROSS JOIN size z
	LEFT JOIN @extschema@.l4_job_last_lines(l4_evidence_quiet_rank.job_id, ARRAY(SELECT o.stream_id FROM stopped o)) l
		ON l.stream_id = s.stream_id
	WHERE @extschema@.l4_is_few(s.ranks_quiet, z.ranks, (l4_evidence_quiet_rank.limits).evidence_quiet_rank_share);
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_quiet_rank(text, @extschema@.l4_job_stream[], @extschema@.l4_job_stream[], bigint[],
	@extschema@.l4_limits) IS
'Step: Evidence of kind quiet against single ranks: all units log the failure in their rank logs, but one rank beside '
'others of its unit stops without a word (ranks: l4_rank_streams; telling_streams: the streams that do log it). Nothing '
'where more of the ranks than evidence_quiet_rank_share do.';
