/*
 * Forest: how often a unit logs each unexplained event, compared with the other units by an Isolation Forest. Units that do
 * the same work log about the same; which stands apart does something else, whatever it says.
 */

CREATE FUNCTION @extschema@.l4_forest_units(units @extschema@.l4_unit[], unexplained @extschema@.l4_unexplained_record[])
RETURNS TABLE (unit text, place int, score double precision, max_z double precision, suspect boolean)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	-- Only what is unexplained counts: what healthy jobs log too tells roles apart (rank 0, the last rank), not health.
	WITH count AS (
		SELECT r.unit, r.event_id, sum(r.occurrences)::float8 AS n
		FROM unnest(l4_forest_units.unexplained) r
		WHERE NOT r.role AND r.unit IS NOT NULL
		GROUP BY r.unit, r.event_id
	),
	any_event AS MATERIALIZED (SELECT min(c.event_id) AS event_id FROM count c),
	cell AS (
		SELECT n.unit, c.event_id, c.n FROM unnest(l4_forest_units.units) n LEFT JOIN count c ON c.unit = n.unit
	),
	ranked AS (
		-- a unit without such records takes part with a zero
		SELECT (unnest(@extschema@.l4_iforest_rank(c.unit, COALESCE(c.event_id, e.event_id), COALESCE(c.n, 0)))).*
		FROM cell c, any_event e
		WHERE e.event_id IS NOT NULL
	)
	SELECT r.item, r.rank, r.score, r.max_z, r.suspect FROM ranked r;
END;
COMMENT ON FUNCTION @extschema@.l4_forest_units(@extschema@.l4_unit[], @extschema@.l4_unexplained_record[]) IS
'Step: The units of a job ranked by an Isolation Forest over how often they log each event that is unexplained (paper, '
'section 4.3; l4_iforest_rank).';

CREATE FUNCTION @extschema@.l4_evidence_forest(units @extschema@.l4_unit[], unexplained @extschema@.l4_unexplained_record[],
	limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 3
BEGIN ATOMIC
	SELECT u.unit, u.node, u.rank, 'forest', f.score + CASE WHEN f.suspect THEN 1 ELSE 0 END, NULL::float8,
		'evidence_forest_places', jsonb_build_object('place', f.place, 'score', f.score, 'suspect', f.suspect),
		NULL::bigint, NULL::bigint, NULL::bigint, NULL::timestamptz
	FROM @extschema@.l4_forest_units(l4_evidence_forest.units, l4_evidence_forest.unexplained) f
	JOIN unnest(l4_evidence_forest.units) u ON u.unit = f.unit
	WHERE f.place <= (l4_evidence_forest.limits).evidence_forest_places;
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_forest(@extschema@.l4_unit[], @extschema@.l4_unexplained_record[],
	@extschema@.l4_limits) IS
'Step: Evidence of kind forest: the units that the Isolation Forest isolates most by their unexplained records '
'(l4_forest_units).';
