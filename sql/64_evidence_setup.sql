/*
 * Setup: nodes of a job are set up alike. One that tells of another driver, library or endpoint than all others, before the
 * job iterates, is other than they are, and what fails may fail for that.
 */

CREATE FUNCTION @extschema@.l4_evidence_setup(streams @extschema@.l4_job_stream[],
	unexplained @extschema@.l4_unexplained_record[], limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 2
BEGIN ATOMIC
	SELECT r.unit, r.node, r.rank, 'setup',
		CASE WHEN (r.numbers -> 'pooled')::boolean OR NOT i.any THEN 1
			ELSE (l4_evidence_setup.limits).evidence_setup_alone_part END,
		NULL::float8, 'setup_odd_share', r.numbers, r.shape_id, r.stream_id, r.first_line, r.first_ts
	FROM unnest(l4_evidence_setup.unexplained) r
	CROSS JOIN (SELECT bool_or(s.last_iteration IS NOT NULL) AS any FROM unnest(l4_evidence_setup.streams) s) i
	WHERE r.reason = 'setup' AND r.unit IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_setup(@extschema@.l4_job_stream[], @extschema@.l4_unexplained_record[],
	@extschema@.l4_limits) IS
'Step: Evidence of kind setup: before the job iterates the unit, with few others or alone, gives a setting another value '
'than all others do (records with reason setup, see l4_unexplained_setup); less of it where the job iterated in '
'spite of that and no successful job tells that this value is alike everywhere.';
