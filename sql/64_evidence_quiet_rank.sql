/*
 * Quiet, of one rank beside live ones on its node: where all units tell of the failure it is a process, not a node, that is
 * missed.
 */

CREATE FUNCTION @extschema@.l4_silent_ranks(job_id text, ranks @extschema@.l4_job_stream[])
	RETURNS SETOF @extschema@.l4_job_stream
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	WITH job AS MATERIALIZED (
		-- of a job of which most ranks log nothing none is missed
		SELECT j.ranks_per_node AS per_node, cardinality(j.nodes)::bigint * j.ranks_per_node AS ranks
		FROM @extschema@.l4_job_row(l4_silent_ranks.job_id) j WHERE j.ranks_per_node > 1
			AND cardinality(j.nodes)::bigint * j.ranks_per_node
				< 2 * (SELECT count(DISTINCT r.rank) FROM unnest(l4_silent_ranks.ranks) r)
	),
	seen AS MATERIALIZED (
		SELECT r.rank, r.unit, r.node, r.rank / j.per_node AS place FROM job j, unnest(l4_silent_ranks.ranks) r
		WHERE r.rank IS NOT NULL AND r.unit IS NOT NULL AND r.node IS NOT NULL
	),
	place AS MATERIALIZED (
		-- launchers deal ranks out as nodes come, as many to each: those beside it tell where a rank is
		SELECT s.place, min(s.unit) AS unit, min(s.node) AS node, count(DISTINCT s.unit) AS units FROM seen s GROUP BY s.place
	)
	SELECT NULL::bigint, NULL::bigint, NULL::text, NULL::text, 'rank', p.unit, p.node, r.rank, 0::bigint, 0::bigint,
		NULL::timestamptz, NULL::timestamptz, NULL::text, NULL::bigint, NULL::bigint, NULL::boolean, NULL::int
	FROM job j
	JOIN place p ON p.place < j.ranks / j.per_node
	CROSS JOIN LATERAL generate_series(p.place * j.per_node, (p.place + 1) * j.per_node - 1) r (rank)
	WHERE r.rank NOT IN (SELECT s.rank FROM seen s) AND NOT EXISTS (SELECT FROM place o WHERE o.units > 1);
END;
COMMENT ON FUNCTION @extschema@.l4_silent_ranks(text, @extschema@.l4_job_stream[]) IS
'Step: The ranks of a job that log nothing at all (no stream, no record), beside others of their unit that do (ranks: '
'l4_rank_streams): of a job with several ranks a node those that are missing of each node.';

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
		FROM (SELECT r.* FROM unnest(l4_evidence_quiet_rank.ranks) r
			UNION ALL SELECT n.* FROM @extschema@.l4_silent_ranks(l4_evidence_quiet_rank.job_id, l4_evidence_quiet_rank.ranks) n
		) r
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
'others of its unit stops without a word, or never said one (l4_silent_ranks; ranks: l4_rank_streams; telling_streams: the '
'streams that do log it). Nothing '
'where more of the ranks than evidence_quiet_rank_share do.';
