/*
 * Between: ranks that pass data on around a ring stand still together when one of them, or a link between two, does. Those
 * behind it wait to send, as nobody takes what they have; those before it wait to receive, as nothing comes. So which wait for
 * what tells the place, though none of them names anybody.
 */

CREATE TYPE @extschema@.l4_stuck_rank AS (
	rank int,
	unit text,
	sends boolean,
	back boolean,
	stream_id bigint,
	shape_id bigint,
	line_no bigint,
	first_ts timestamptz
);
COMMENT ON TYPE @extschema@.l4_stuck_rank IS
'A rank that waited in vain, to send or else to receive (sends), by its first record that says so; back: in an operation in '
'which each rank of a ring sends to the one before it.';

CREATE FUNCTION @extschema@.l4_stuck_ranks(unexplained @extschema@.l4_unexplained_record[], wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_stuck_rank
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	WITH statement AS MATERIALIZED (
		-- judged once a shape, as thousands of ranks log the same
		SELECT t.* FROM (SELECT h.shape_id, h.shape ~ (wordings).stuck_sending AS sends,
				h.shape ~ (wordings).stuck_receiving AS receives
			FROM @extschema@.l4_shape h
			WHERE h.shape_id = ANY (ARRAY(SELECT DISTINCT r.shape_id FROM unnest(l4_stuck_ranks.unexplained) r
				WHERE r.kind = 'rank' AND r.peer AND r.rank IS NOT NULL AND r.unit IS NOT NULL)) OFFSET 0) t
		WHERE t.sends <> t.receives
	),
	example AS MATERIALIZED (
		-- a shape leaves out files, as of a library's sources
		SELECT r.shape_id, min(r.message COLLATE "C") ~ (wordings).ring_back AS back
		FROM unnest(l4_stuck_ranks.unexplained) r JOIN statement s ON s.shape_id = r.shape_id
		WHERE r.kind = 'rank' GROUP BY r.shape_id
	)
	SELECT DISTINCT ON (r.rank) r.rank, r.unit, s.sends, e.back IS TRUE, r.stream_id, r.shape_id, r.first_line, r.first_ts
	FROM unnest(l4_stuck_ranks.unexplained) r JOIN statement s ON s.shape_id = r.shape_id
	JOIN example e ON e.shape_id = r.shape_id
	WHERE r.kind = 'rank' AND r.rank IS NOT NULL AND r.unit IS NOT NULL
	ORDER BY r.rank, r.first_ts, r.stream_id, r.first_line, r.shape_id;
END;
COMMENT ON FUNCTION @extschema@.l4_stuck_ranks(@extschema@.l4_unexplained_record[], @extschema@.l4_wordings) IS
'Step: the ranks that waited in vain to send or to receive (wordings of classes stuck_sending and stuck_receiving), with the '
'first record in which each says so.';

CREATE FUNCTION @extschema@.l4_stuck_places(streams @extschema@.l4_job_stream[],
	unexplained @extschema@.l4_unexplained_record[], stuck @extschema@.l4_stuck_rank[], limits @extschema@.l4_limits)
RETURNS TABLE (receiving int, sending int, back boolean, unit text, silent boolean, is_next boolean)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 2
BEGIN ATOMIC
	WITH member AS MATERIALIZED (
		SELECT s.rank, min(s.unit) AS unit FROM unnest(l4_stuck_places.streams) s
		WHERE s.rank IS NOT NULL AND s.unit IS NOT NULL GROUP BY s.rank
	),
	ring AS MATERIALIZED (SELECT max(m.rank) + 1 AS size FROM member m),
	placed AS MATERIALIZED (
		SELECT k.*, row_number() OVER (ORDER BY k.rank) AS turn, count(*) OVER () AS ranks, bool_and(k.back) OVER () AS all_back
		FROM unnest(l4_stuck_places.stuck) k
	),
	turning AS MATERIALIZED (
		-- where around the ring those that wait to receive end and those that wait to send begin, and the other way round
		SELECT a.rank AS before, b.rank AS behind, (b.rank - a.rank + g.size) % g.size - 1 AS apart, a.sends, a.all_back,
			count(*) OVER () AS turns
		FROM placed a JOIN placed b ON b.turn = a.turn % a.ranks + 1 CROSS JOIN ring g
		WHERE a.sends <> b.sends AND a.ranks >= (limits).evidence_between_share * g.size
	),
	silent AS MATERIALIZED (
		SELECT t.before, t.behind, t.sends, m.unit,
			bool_or((m.rank - t.before + g.size) % g.size = CASE WHEN t.sends THEN 1 ELSE t.apart END) AS is_next
		FROM turning t CROSS JOIN ring g
		JOIN member m ON (m.rank - t.before + g.size) % g.size BETWEEN 1 AND t.apart
		-- who lost another one, or fails otherwise, is no longer part of it
		WHERE t.turns = 2 AND m.rank NOT IN (SELECT r.rank FROM unnest(l4_stuck_places.unexplained) r
			WHERE r.kind = 'rank' AND r.rank IS NOT NULL AND r.gravity >= (limits).gravity_error AND NOT r.ending)
		GROUP BY t.before, t.behind, t.sends, m.unit
	)
	-- who says nothing there; which way data goes must be known only where both places have such ones
	SELECT CASE WHEN s.sends THEN s.behind ELSE s.before END, CASE WHEN s.sends THEN s.before ELSE s.behind END,
		t.all_back, s.unit, true, s.is_next
	FROM silent s JOIN turning t ON t.before = s.before AND t.behind = s.behind
	WHERE CASE WHEN t.all_back THEN NOT s.sends ELSE NOT EXISTS (SELECT FROM silent o WHERE o.sends <> s.sends) END
	UNION ALL
	-- nobody is there: it is the link, from whom nothing comes to who waits for it
	SELECT t.before, t.behind, true, k.unit, false, false
	FROM turning t JOIN placed k ON k.rank IN (t.before, t.behind)
	WHERE t.turns = 2 AND t.all_back AND NOT t.sends AND t.apart = 0 AND NOT EXISTS (SELECT FROM silent);
END;
COMMENT ON FUNCTION @extschema@.l4_stuck_places(@extschema@.l4_job_stream[], @extschema@.l4_unexplained_record[],
	@extschema@.l4_stuck_rank[], @extschema@.l4_limits) IS
'Step: Where a ring of ranks is broken, between the last that waits to receive and the first that waits to send (their ranks): '
'the units of those between them that say nothing (silent), or, where no rank is between them and it is known which way '
'data goes, those of these two. Nothing where fewer ranks than evidence_between_share are stuck, or not all that receive, and '
'all that send, are beside each other.';

CREATE FUNCTION @extschema@.l4_evidence_between(units @extschema@.l4_unit[], streams @extschema@.l4_job_stream[],
	unexplained @extschema@.l4_unexplained_record[], limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 2
BEGIN ATOMIC
	WITH stuck AS MATERIALIZED (
		SELECT k.* FROM @extschema@.l4_stuck_ranks(l4_evidence_between.unexplained, wordings) k
	),
	place AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_stuck_places(l4_evidence_between.streams, l4_evidence_between.unexplained,
			ARRAY(SELECT k::@extschema@.l4_stuck_rank FROM stuck k), limits) p
		WHERE (SELECT count(DISTINCT k.sends) FROM stuck k) = 2
	),
	size AS (
		SELECT count(DISTINCT p.unit) FILTER (WHERE p.silent) AS units_silent, count(DISTINCT p.unit) AS units FROM place p
	)
	SELECT u.unit, u.node, u.rank, 'between',
		-- several share the suspicion, as do the two ends of a link
		1 / sqrt(CASE WHEN p.silent THEN z.units_silent ELSE z.units END), NULL::float8,
		'evidence_between_share',
		jsonb_build_object('receiving', p.receiving, 'sending', p.sending,
				'ranks_receiving', (SELECT count(*) FROM stuck o WHERE NOT o.sends),
				'ranks_sending', (SELECT count(*) FROM stuck o WHERE o.sends), 'units_silent', z.units_silent)
			|| CASE WHEN p.silent THEN '{}' ELSE jsonb_build_object('peer', o.unit) END,
		k.shape_id, k.stream_id, k.line_no, k.first_ts
	FROM place p CROSS JOIN size z
	JOIN unnest(l4_evidence_between.units) u ON u.unit = p.unit
	LEFT JOIN place o ON NOT p.silent AND o.unit <> p.unit
	LEFT JOIN stuck k ON k.unit = p.unit AND k.rank IN (p.receiving, p.sending) AND NOT p.silent
	WHERE (p.silent OR o.unit IS NOT NULL) AND (@extschema@.l4_is_few(CASE WHEN p.silent THEN z.units_silent ELSE 1 END,
			cardinality(l4_evidence_between.units), (limits).evidence_quiet_share)
		-- of many the one that does not take what is sent to it: the others get nothing from it, and may be ended before they
		-- say so
		OR p.is_next AND p.back);
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_between(@extschema@.l4_unit[], @extschema@.l4_job_stream[],
	@extschema@.l4_unexplained_record[], @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Evidence of kind between: ranks around a ring wait in vain, some to receive and the others to send, and the unit is '
'what lies between these (l4_stuck_places): it says nothing (where many do not, it is the one to which sending was in vain), '
'or it is an end of the link there (peer: the other one).';
