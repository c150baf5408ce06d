/*
 * Missing: who never came to the job: the scheduler gave it a node that logged nothing at all (it never came up, or its logs
 * were lost with it), whose ranks never started, all or some, or that others waited for, which it did not reach.
 */

CREATE FUNCTION @extschema@.l4_evidence_missing(units @extschema@.l4_unit[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 100 ROWS 1
BEGIN ATOMIC
	SELECT u.unit, u.node, u.rank, 'missing', 1, NULL::float8, 'evidence_missing_share',
		jsonb_build_object('units', u.units, 'units_missing', u.missing),
		NULL::bigint, NULL::bigint, NULL::bigint, NULL::timestamptz
	FROM (
		SELECT u.*, count(*) OVER () AS units, count(*) FILTER (WHERE NOT u.logged) OVER () AS missing
		FROM unnest(l4_evidence_missing.units) u) u
	WHERE NOT u.logged AND @extschema@.l4_is_few(u.missing, u.units, (l4_evidence_missing.limits).evidence_missing_share);
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_missing(@extschema@.l4_unit[], @extschema@.l4_limits) IS
'Step: Evidence of kind missing: the scheduler lists the node, but there is not one record from it. Nothing where more of '
'the nodes than evidence_missing_share are missing.';

CREATE FUNCTION @extschema@.l4_evidence_absent(job_id text, units @extschema@.l4_unit[], streams @extschema@.l4_job_stream[],
	unexplained @extschema@.l4_unexplained_record[], limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	WITH own AS MATERIALIZED (
		SELECT u.unit, u.node, u.rank, COALESCE(sum(s.record_count), 0) AS records,
			array_remove(array_agg(s.stream_id), NULL) AS stream_ids
		FROM unnest(l4_evidence_absent.units) u
		LEFT JOIN unnest(l4_evidence_absent.streams) s ON s.unit = u.unit AND s.kind = 'rank'
		-- of whom there is nothing at all is another matter (l4_evidence_missing)
		WHERE u.logged
		GROUP BY u.unit, u.node, u.rank
	),
	usual AS (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY o.records) AS records, count(*) AS units FROM own o),
	suspect AS MATERIALIZED (
		SELECT o.*, count(*) OVER () AS absent, m.units FROM own o JOIN usual m ON o.records
			<= (limits).evidence_absent_records_share * m.records
	),
	asked AS MATERIALIZED (
		-- others tell alike what is said at start: a few are asked
		SELECT o.* FROM own o WHERE o.unit NOT IN (SELECT s.unit FROM suspect s) AND EXISTS (SELECT FROM suspect)
		ORDER BY o.unit LIMIT (limits).evidence_absent_peers::bigint
	),
	said AS MATERIALIZED (
		SELECT DISTINCT w.unit, e.shape_id
		FROM @extschema@.l4_job_counts(l4_evidence_absent.job_id, ARRAY(
			SELECT unnest(a.stream_ids) FROM asked a UNION ALL SELECT unnest(s.stream_ids) FROM suspect s)) e
		JOIN (SELECT a.unit, i.id FROM asked a, unnest(a.stream_ids) i (id)
			UNION ALL SELECT s.unit, i.id FROM suspect s, unnest(s.stream_ids) i (id)) w ON w.id = e.stream_id
		WHERE e.shape_id <> ALL (ARRAY(SELECT u.shape_id FROM unnest(l4_evidence_absent.unexplained) u))
	),
	usually AS MATERIALIZED (
		SELECT s.shape_id FROM said s JOIN asked a ON a.unit = s.unit
		GROUP BY s.shape_id HAVING count(*) = (SELECT count(*) FROM asked)
	)
	SELECT s.unit, s.node, s.rank, 'missing', 1, NULL::float8, 'evidence_absent_records_share',
		jsonb_build_object('units', s.units, 'units_missing', s.absent, 'statements', (SELECT count(*) FROM usually)),
		NULL::bigint, NULL::bigint, NULL::bigint, NULL::timestamptz
	FROM suspect s
	WHERE @extschema@.l4_is_few(s.absent, s.units, (limits).evidence_missing_share) AND (SELECT count(*) FROM asked) > 1
		AND CASE WHEN s.records > 0 THEN (SELECT count(*) FROM usually) >= (limits).evidence_absent_statements
			-- nothing was started there, which may be right, unless others waited for as many, and something went wrong there
			ELSE s.absent <= (SELECT max(w.expected - w.joined)
					FROM @extschema@.l4_short_handed(l4_evidence_absent.unexplained, limits, wordings) w)
				AND EXISTS (SELECT FROM unnest(l4_evidence_absent.unexplained) u WHERE u.unit = s.unit AND NOT u.peer
					AND u.gravity >= (limits).gravity_error) END
		AND NOT EXISTS (SELECT FROM said o JOIN usually y ON y.shape_id = o.shape_id WHERE o.unit = s.unit);
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_absent(text, @extschema@.l4_unit[], @extschema@.l4_job_stream[],
	@extschema@.l4_unexplained_record[], @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Evidence of kind missing: what is there of a node''s ranks has next to no records (evidence_absent_records_share) and '
'not one of the statements that all others that are asked have in common (evidence_absent_statements at least; none that is '
'unexplained), or others waited for as many as have no record (l4_short_handed) and an error was logged there: they never '
'started there. Reads the counts of a few nodes, and only where one has so little.';

CREATE FUNCTION @extschema@.l4_evidence_unjoined(units @extschema@.l4_unit[], unexplained @extschema@.l4_unexplained_record[],
	accusations @extschema@.l4_accusation[], limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	WITH waiting AS MATERIALIZED (
		SELECT w.unit, min(w.joined) AS joined, max(w.expected) AS expected
		FROM @extschema@.l4_short_handed(l4_evidence_unjoined.unexplained, limits, wordings) w
		WHERE w.joined < w.expected GROUP BY w.unit
	),
	unreached AS MATERIALIZED (
		SELECT DISTINCT ON (r.unit) w.unit AS peer, w.joined, w.expected, r.unit, r.shape_id, r.stream_id, r.first_line,
			r.first_ts
		FROM waiting w
		JOIN unnest(l4_evidence_unjoined.accusations) a ON a.unit = w.unit AND a.accuser <> w.unit
		JOIN unnest(l4_evidence_unjoined.unexplained) r ON r.unit = a.accuser AND r.stream_id = a.stream_id
			AND r.shape_id = a.shape_id
		WHERE @extschema@.l4_told_text(r.message) ~ (wordings).unreached
		ORDER BY r.unit, r.first_ts, r.first_line, r.shape_id
	),
	few AS (SELECT count(*) AS units FROM unreached)
	SELECT u.unit, u.node, u.rank, 'missing', 1, NULL::float8, 'evidence_missing_share',
		jsonb_build_object('units', cardinality(l4_evidence_unjoined.units), 'units_missing', f.units, 'peer', m.peer,
			'joined', m.joined, 'expected', m.expected),
		m.shape_id, m.stream_id, m.first_line, m.first_ts
	FROM unreached m JOIN unnest(l4_evidence_unjoined.units) u ON u.unit = m.unit CROSS JOIN few f
	-- more than are missing do not reach it: then it is its own doing
	WHERE f.units <= m.expected - m.joined
		AND @extschema@.l4_is_few(f.units, cardinality(l4_evidence_unjoined.units), (limits).evidence_missing_share);
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_unjoined(@extschema@.l4_unit[], @extschema@.l4_unexplained_record[],
	@extschema@.l4_accusation[], @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Evidence of kind missing: another unit waited for all with some missing (l4_short_handed), and this one, of no more '
'than are missing, complains that it does not reach that one (wordings of class unreached).';

CREATE FUNCTION @extschema@.l4_evidence_unstarted(units @extschema@.l4_unit[], streams @extschema@.l4_job_stream[],
	unexplained @extschema@.l4_unexplained_record[], limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
	RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	WITH own AS MATERIALIZED (
		SELECT u.unit, u.node, u.rank, count(DISTINCT s.rank) AS ranks
		FROM unnest(l4_evidence_unstarted.units) u
		JOIN unnest(l4_evidence_unstarted.streams) s ON s.unit = u.unit AND s.kind = 'rank' AND s.rank IS NOT NULL
		WHERE u.node IS NOT NULL AND s.record_count > 0
		GROUP BY u.unit, u.node, u.rank
	),
	usual AS (SELECT max(o.ranks) AS ranks, count(*) AS units FROM own o),
	short AS (
		SELECT o.*, m.ranks AS usual, m.units, count(*) OVER () AS units_short FROM own o JOIN usual m ON o.ranks < m.ranks
	)
	SELECT s.unit, s.node, s.rank, 'missing', 1, NULL::float8, 'evidence_missing_share',
		jsonb_build_object('units', s.units, 'units_missing', s.units_short, 'ranks', s.ranks, 'ranks_usual', s.usual),
		NULL::bigint, NULL::bigint, NULL::bigint, NULL::timestamptz
	FROM short s
	WHERE @extschema@.l4_is_few(s.units_short, s.units, (limits).evidence_missing_share)
		-- who had nothing to say yet is there, too, unless others waited for as many
		AND s.units_short * (s.usual - s.ranks) <= (SELECT max(w.expected - w.joined)
			FROM @extschema@.l4_short_handed(l4_evidence_unstarted.unexplained, limits, wordings) w);
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_unstarted(@extschema@.l4_unit[], @extschema@.l4_job_stream[],
	@extschema@.l4_unexplained_record[], @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Evidence of kind missing: others waited for all with some missing (l4_short_handed), and fewer ranks of a node log at '
'all than of most others (limit evidence_missing_share), by no more than are missing.';
