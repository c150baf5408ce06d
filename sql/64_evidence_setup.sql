/*
 * Setup: nodes of a job are set up alike. One that tells of another driver, library or endpoint than all others, before the
 * job iterates, is other than they are, and what fails may fail for that.
 */

CREATE FUNCTION @extschema@.l4_evidence_setup(streams @extschema@.l4_job_stream[],
	setups @extschema@.l4_unexplained_record[], unexplained @extschema@.l4_unexplained_record[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings) RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 2
BEGIN ATOMIC
	WITH disagreement AS MATERIALIZED (
		-- Who finds that two ranks do not have alike what they must is one of the two, as a rule the one that receives; who is
		-- set up differently is at fault. By its words, or as it quotes what it found and what it should have found.
		SELECT n.unit FROM unnest(l4_evidence_setup.unexplained) n
		JOIN @extschema@.l4_shape h ON h.shape_id = n.shape_id
		WHERE n.kind = 'rank' AND n.unit IS NOT NULL AND EXISTS (SELECT FROM unnest(l4_evidence_setup.setups))
			AND (@extschema@.l4_told_text(COALESCE(n.message, h.shape)) ~ (l4_evidence_setup.wordings).disagreement
				OR n.gravity >= (l4_evidence_setup.limits).gravity_trouble AND EXISTS (
					SELECT FROM unnest(l4_evidence_setup.setups) s
					WHERE strpos(n.message, s.numbers ->> 'value') > 0 AND strpos(n.message, s.numbers ->> 'usual') > 0))
		ORDER BY n.first_ts, n.source, n.first_line LIMIT 1
	)
	SELECT r.unit, r.node, r.rank, 'setup',
		CASE WHEN (r.numbers -> 'pooled')::boolean OR NOT i.any THEN 1
			ELSE (l4_evidence_setup.limits).evidence_setup_alone_part END
			* CASE WHEN d.unit IS NOT NULL THEN (l4_evidence_setup.limits).evidence_setup_explains_factor ELSE 1 END,
		NULL::float8, 'setup_odd_share', r.numbers || jsonb_strip_nulls(jsonb_build_object('disagreement', d.unit)),
		r.shape_id, r.stream_id, r.first_line, r.first_ts
	FROM unnest(l4_evidence_setup.setups) r
	CROSS JOIN (SELECT bool_or(s.last_iteration IS NOT NULL) AS any FROM unnest(l4_evidence_setup.streams) s) i
	LEFT JOIN disagreement d ON true
	WHERE r.unit IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_setup(@extschema@.l4_job_stream[], @extschema@.l4_unexplained_record[],
	@extschema@.l4_unexplained_record[], @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Evidence of kind setup: before the job iterates the unit, with few others or alone, gives a setting another value '
'than all others do (setups: records with reason setup, see l4_unexplained_setup); less of it where the job iterated in '
'spite of that and no successful job tells that this value is alike everywhere; more where a rank fails because ranks do '
'not have alike what they must (a record of unexplained, all others, with words of class disagreement, or that quotes both '
'values).';
