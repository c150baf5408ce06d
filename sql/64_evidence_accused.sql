CREATE FUNCTION @extschema@.l4_evidence_accused(accusations @extschema@.l4_accusation[]) RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH accused AS (
		SELECT DISTINCT ON (a.unit) a.* FROM unnest(l4_evidence_accused.accusations) a
		WHERE a.accuser IS NOT NULL AND a.ending IS NOT TRUE
			AND NOT EXISTS (SELECT FROM unnest(l4_evidence_accused.accusations) o WHERE o.accuser = a.unit)
		ORDER BY a.unit, a.first_ts, a.stream_id, a.line_no, a.shape_id, a.name COLLATE "C" DESC
	),
	accuser AS (
		SELECT o.unit, count(DISTINCT o.accuser) AS accusers FROM unnest(l4_evidence_accused.accusations) o GROUP BY o.unit
	)
	SELECT a.unit, a.node, a.rank, 'accused', 1::float8 / count(*) OVER (), NULL::float8, NULL::text,
		jsonb_build_object('accusers', o.accusers, 'accuser', a.accuser, 'name', a.name),
		a.shape_id, a.stream_id, a.line_no, a.first_ts
	FROM accused a JOIN accuser o ON o.unit = a.unit;
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_accused(@extschema@.l4_accusation[]) IS
'Step: Evidence of kind accused: unexplained records of other units name the unit, and none of its own names another one. '
'Several such units share the suspicion.';
