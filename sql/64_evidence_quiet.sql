/*
 * Quiet: a rank that crashes, is killed or loses its node cannot tell of it, while its peers time out and say so. Where nearly
 * all complain, who stops without a word is whom they miss.
 */

CREATE FUNCTION @extschema@.l4_ended_units(accusations @extschema@.l4_accusation[], any_statement boolean) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH otherwise AS MATERIALIZED (
		SELECT o.stream_id, v.shape_id, o.unit, min(o.line_no) AS line_no FROM unnest(l4_ended_units.accusations) o
		CROSS JOIN LATERAL (SELECT o.shape_id UNION ALL SELECT NULL WHERE any_statement AND o.closing) v (shape_id)
		WHERE o.accuser IS NULL AND NOT o.ending GROUP BY o.stream_id, v.shape_id, o.unit
	),
	first AS (
		SELECT DISTINCT ON (o.stream_id, o.shape_id) o.stream_id, o.shape_id, o.unit, o.line_no,
			lead(o.line_no) OVER (PARTITION BY o.stream_id, o.shape_id ORDER BY o.line_no, o.unit) AS next_line
		FROM otherwise o ORDER BY o.stream_id, o.shape_id, o.line_no, o.unit
	)
	SELECT DISTINCT a.unit FROM unnest(l4_ended_units.accusations) a
	JOIN first f ON f.stream_id = a.stream_id AND (f.shape_id IS NULL OR f.shape_id = a.shape_id)
	WHERE a.accuser IS NULL AND a.ending AND a.line_no > CASE WHEN f.unit <> a.unit THEN f.line_no ELSE f.next_line END;
END;
COMMENT ON FUNCTION @extschema@.l4_ended_units(@extschema@.l4_accusation[], boolean) IS
'Step: The units of which a stream of no unit (a launcher) says that they were told to end, after it said in the same '
'statement of another one that it ended otherwise; any_statement: or in any other one that something of it is over.';

CREATE FUNCTION @extschema@.l4_evidence_quiet(job_id text, streams @extschema@.l4_job_stream[], telling_streams bigint[],
	unexplained @extschema@.l4_unexplained_record[], accusations @extschema@.l4_accusation[], failed_alone boolean,
	limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 2
BEGIN ATOMIC
	WITH stream AS MATERIALIZED (
		SELECT s.* FROM @extschema@.l4_rank_streams(l4_evidence_quiet.streams) s
		UNION ALL SELECT s.* FROM unnest(l4_evidence_quiet.streams) s WHERE s.kind IN ('launcher', 'other')
			AND s.record_count > 0
	),
	ending AS MATERIALIZED (
		SELECT r.unit, r.stream_id, r.first_line, r.first_ts FROM unnest(l4_evidence_quiet.unexplained) r
		WHERE r.ending AND r.unit IS NOT NULL
	),
	-- who was told to end, and when
	told AS (SELECT n.unit, min(n.first_ts) AS at FROM ending n GROUP BY n.unit),
	before AS MATERIALIZED (
		-- what its own file says of that is not its own any more
		SELECT b.stream_id, b.ts
		FROM (SELECT array_agg(n.stream_id) AS stream_ids, array_agg(n.line_no) AS line_nos
			FROM (SELECT n.stream_id, min(n.first_line) AS line_no FROM ending n GROUP BY n.stream_id) n) a
		CROSS JOIN LATERAL @extschema@.l4_job_times_before(l4_evidence_quiet.job_id, a.stream_ids, a.line_nos) b
	),
	step AS MATERIALIZED (
		SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i.length) AS length
		FROM (SELECT t.started_at - lag(t.started_at) OVER (ORDER BY t.started_at) AS length
			FROM @extschema@.l4_job_timeline(l4_evidence_quiet.job_id) t) i
	),
	telling AS MATERIALIZED (
		SELECT t.* FROM @extschema@.l4_telling_units(l4_evidence_quiet.streams, l4_evidence_quiet.telling_streams) t
	),
	stopped AS MATERIALIZED (
		SELECT s.*, t.units, t.units_telling, max(COALESCE(b.ts, s.last_ts)) OVER (PARTITION BY s.unit, s.kind) AS ended_at
		FROM telling t
		JOIN stream s ON s.kind = t.kind AND s.unit = t.unit
		LEFT JOIN before b ON b.stream_id = s.stream_id
		-- whose ranks tell of the failure is not silent, though its launcher, or whatever else logs there, is
		WHERE NOT t.tells AND t.unit NOT IN (SELECT r.unit FROM telling r WHERE r.kind = 'rank' AND r.tells)
			AND @extschema@.l4_is_few(t.units - t.units_telling, t.units, (l4_evidence_quiet.limits).evidence_quiet_share)
	)
	SELECT s.unit, s.node, s.rank, 'quiet',
		CASE s.kind WHEN 'rank' THEN 1 ELSE (l4_evidence_quiet.limits).evidence_quiet_launcher_part END
			* GREATEST(1 / sqrt(GREATEST(s.units - s.units_telling, 1)), (l4_evidence_quiet.limits).evidence_quiet_least_part)
			* CASE WHEN d.at - s.ended_at < e.length * (l4_evidence_quiet.limits).evidence_quiet_still_factor
					OR s.unit IN (SELECT o FROM @extschema@.l4_ended_units(l4_evidence_quiet.accusations,
						l4_evidence_quiet.failed_alone) o)
				THEN (l4_evidence_quiet.limits).evidence_quiet_told_part ELSE 1 END,
		NULL::float8, 'evidence_quiet_share',
		jsonb_build_object('stream_kind', s.kind, 'units', s.units, 'units_telling', s.units_telling,
			'iteration', s.last_iteration),
		NULL::bigint, s.stream_id, l.last_line, s.last_ts
	FROM stopped s
	CROSS JOIN step e
	LEFT JOIN told d ON d.unit = s.unit
	LEFT JOIN @extschema@.l4_job_last_lines(l4_evidence_quiet.job_id, ARRAY(SELECT o.stream_id FROM stopped o)) l
		ON l.stream_id = s.stream_id;
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_quiet(text, @extschema@.l4_job_stream[], bigint[],
	@extschema@.l4_unexplained_record[], @extschema@.l4_accusation[], boolean, @extschema@.l4_limits) IS
'Step: Evidence of kind quiet against units: the ranks (launchers) of the others log the failure (telling_streams: the '
'streams that do), all of this one stop without a word; a piece for each of its ranks and launchers, '
'which weighs less where it was told to end (unexplained) before the job had stood still, or after another one had ended '
'otherwise (accusations: of no unit; failed_alone: some unit failed by itself, so that nobody need be missed for that). '
'Nothing where more of the units than evidence_quiet_share do.';
