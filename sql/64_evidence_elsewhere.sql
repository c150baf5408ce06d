/*
 * Elsewhere: all wait in one collective but one rank, which is not in it. Before a job that hangs is ended, its watchdog or
 * launcher has each rank print where it stands, and ranks that lose a peer print it as they fail: whom the others wait for
 * stands in other calls. After the aggregation of stacks in Wan et al., ByteRobust, arXiv 2509.16293, and Arnold et al., Stack
 * Trace Analysis for Large Scale Debugging, IPDPS 2007. Or a watchdog counts the collectives that its rank has begun and those
 * that are done: who has none to wait for has not begun the one that the others wait in.
 */

CREATE FUNCTION @extschema@.l4_evidence_elsewhere(unexplained @extschema@.l4_unexplained_record[],
	accusations @extschema@.l4_accusation[], roles @extschema@.l4_role_stream[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings) RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	WITH stood AS MATERIALIZED (
		SELECT r.unit, r.node, COALESCE(r.rank, -1) AS rank, c.place, min(r.stream_id) AS stream_id,
			min(r.first_line) AS first_line, min(r.first_ts) AS first_ts, c.process_group, c.waits
		FROM unnest(l4_evidence_elsewhere.unexplained) r
		CROSS JOIN LATERAL (
			SELECT s.call AS place, '' AS process_group, true AS waits
			FROM @extschema@.l4_stack_calls(r.message) s (call)
			-- a launcher ends otherwise than its ranks, and its files are theirs where each node has one
			WHERE s.call !~ (wordings).launching
			UNION ALL
			SELECT '', 'group ' || p.process_group, p.pending > 0 FROM @extschema@.l4_told_pending(r.message) p) c
		WHERE r.kind = 'rank' AND r.unit IS NOT NULL
		GROUP BY r.unit, r.node, r.rank, c.place, c.process_group, c.waits
	), member AS MATERIALIZED (
		SELECT s.unit, s.node, s.rank, s.process_group, min(s.stream_id) AS stream_id, min(s.first_line) AS first_line,
			min(s.first_ts) AS first_ts, count(*) OVER (PARTITION BY s.process_group) AS members
		FROM stood s GROUP BY s.unit, s.node, s.rank, s.process_group
	), shared AS (
		SELECT s.process_group, s.place, count(*) AS members FROM stood s WHERE s.waits GROUP BY s.process_group, s.place
	), lacking AS (
		-- of each such call one
		SELECT m.unit, m.rank, m.process_group, c.place
		FROM member m JOIN shared c ON c.members = m.members - 1 AND c.process_group = m.process_group
		WHERE m.members >= (limits).evidence_elsewhere_ranks
		EXCEPT
		SELECT s.unit, s.rank, s.process_group, s.place FROM stood s WHERE s.waits
	), elsewhere AS (
		SELECT m.unit, m.node, m.rank, m.process_group, m.stream_id, m.first_line, m.first_ts, m.members, count(*) AS places,
			min(l.place) AS place, count(*) OVER (PARTITION BY m.process_group) AS those
		FROM lacking l JOIN member m ON m.unit = l.unit AND m.rank = l.rank AND m.process_group = l.process_group
		GROUP BY m.unit, m.node, m.rank, m.process_group, m.stream_id, m.first_line, m.first_ts, m.members
	)
	SELECT e.unit, e.node, NULLIF(e.rank, -1), 'elsewhere',
		-- who has a role does other work, too, and may be in other calls by that
		CASE WHEN e.unit IN (SELECT r.unit FROM unnest(l4_evidence_elsewhere.roles) r)
			THEN (limits).evidence_spokesman_part ELSE 1 END, NULL::float8, 'evidence_elsewhere_ranks',
		jsonb_strip_nulls(jsonb_build_object('ranks', e.members, 'calls', CASE WHEN e.place <> '' THEN e.places END,
			'call', NULLIF(e.place, ''), 'process_group', substring(e.process_group, '^group (.*)$'))),
		NULL::bigint, e.stream_id, e.first_line, e.first_ts
	FROM elsewhere e
	-- of several, each of which lacks something else, lines may be torn; who finds something wrong with another one
	-- stands there
	WHERE e.those = 1 AND NOT EXISTS (SELECT FROM unnest(l4_evidence_elsewhere.accusations) a
		WHERE a.accuser = e.unit AND a.unit <> e.unit AND a.kind = 'rank');
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_elsewhere(@extschema@.l4_unexplained_record[], @extschema@.l4_accusation[],
	@extschema@.l4_role_stream[], @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Evidence of kind elsewhere: of ranks that print where they stand (limit evidence_elsewhere_ranks at least), one alone, '
'which names no other unit, lacks calls that all others are in (l4_stack_calls), or has no collective to wait for in a process '
'group in which all others have (l4_told_pending). Who has a role (l4_role_streams) has a part of the weight. Of the '
'records whose text was read.';
