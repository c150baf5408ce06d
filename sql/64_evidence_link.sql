/*
 * Link: cables, ports and switches fail between two nodes, each of which is healthy. Then the two complain of each other
 * alone, or a counter of one grows towards the other; an end that several bad links have in common is what is broken.
 */

CREATE FUNCTION @extschema@.l4_bad_links(job_id text, accusations @extschema@.l4_accusation[],
	counters @extschema@.l4_evidence[], unexplained @extschema@.l4_unexplained_record[], wordings @extschema@.l4_wordings)
RETURNS TABLE (unit text, peer text, measured boolean, part double precision, shape_id bigint, stream_id bigint, line_no bigint,
	first_ts timestamptz, progress jsonb)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 2
BEGIN ATOMIC
	WITH vote AS MATERIALIZED (SELECT v.* FROM @extschema@.l4_accused_votes(l4_bad_links.accusations) v),
	mutual AS (
		-- it is between two that accuse each other, where nobody else is accused and as many accuse the one as the other
		SELECT v.accuser, v.unit FROM vote v JOIN vote b ON b.accuser = v.unit AND b.unit = v.accuser
		WHERE v.part = 1 AND b.part = 1 AND NOT EXISTS (SELECT FROM vote o WHERE o.unit NOT IN (v.unit, v.accuser))
			AND (SELECT count(*) FROM vote o WHERE o.unit = v.unit) = (SELECT count(*) FROM vote o WHERE o.unit = v.accuser)
	),
	waiting AS MATERIALIZED (
		-- how far within one operation they got that wait for each other in it
		SELECT v.accuser, v.unit, r.shape_id, p.done, p.total
		FROM vote v
		JOIN unnest(l4_bad_links.accusations) a ON a.accuser = v.accuser AND a.unit = v.unit AND a.ending IS NOT TRUE
		JOIN unnest(l4_bad_links.unexplained) r ON r.stream_id = a.stream_id AND r.shape_id = a.shape_id
		CROSS JOIN LATERAL @extschema@.l4_told_progress(r.message, l4_bad_links.wordings) p
		WHERE v.part = 1 AND p.total > 1
	),
	stalled AS (
		-- who waits for one that is further, and gave already what is waited for, waits at a broken link
		SELECT w.accuser, w.unit, jsonb_build_object('waits', w.accuser, 'done', min(w.done), 'peer_done', max(o.done),
			'total', min(w.total)) AS progress
		FROM waiting w
		JOIN waiting o ON o.accuser = w.unit AND o.shape_id = w.shape_id AND o.total = w.total AND o.done > w.done
		GROUP BY w.accuser, w.unit
	),
	counter AS MATERIALIZED (
		SELECT c.unit, c.part, c.shape_id, c.stream_id, c.line_no,
			row_number() OVER (ORDER BY c.unit, c.stream_id, c.line_no) AS ordinal
		FROM unnest(l4_bad_links.counters) c WHERE c.line_no IS NOT NULL
	),
	record AS MATERIALIZED (
		SELECT c.*, t.raw
		FROM counter c
		JOIN @extschema@.l4_record_texts(l4_bad_links.job_id, ARRAY(SELECT o.stream_id FROM counter o ORDER BY o.ordinal),
			ARRAY(SELECT o.line_no FROM counter o ORDER BY o.ordinal)) t ON t.stream_id = c.stream_id AND t.line_no = c.line_no
	),
	toward AS (
		-- whom the record of the counter names: retransmitted towards it, waited for it
		SELECT r.unit, m.unit AS peer, r.part, r.shape_id, r.stream_id, r.line_no,
			count(*) OVER (PARTITION BY r.ordinal) AS named
		FROM @extschema@.l4_mentions(l4_bad_links.job_id,
			ARRAY(SELECT COALESCE((SELECT r.raw FROM record r WHERE r.ordinal = c.ordinal), '') FROM counter c
				ORDER BY c.ordinal)) m
		JOIN record r ON r.ordinal = m.ordinal
		WHERE m.unit <> r.unit
	)
	(SELECT DISTINCT ON (u.accuser, u.unit) u.accuser, u.unit, false, 1::float8, a.shape_id, a.stream_id, a.line_no,
		a.first_ts, u.progress
	FROM (SELECT s.* FROM stalled s UNION ALL SELECT m.*, NULL FROM mutual m) u
	JOIN unnest(l4_bad_links.accusations) a ON a.accuser = u.accuser AND a.unit = u.unit AND a.ending IS NOT TRUE
	-- by the first that it said
	ORDER BY u.accuser, u.unit, u.progress IS NULL, a.first_ts, a.stream_id, a.line_no, a.shape_id)
	UNION ALL
	SELECT t.unit, t.peer, true, t.part, t.shape_id, t.stream_id, t.line_no, NULL::timestamptz, NULL::jsonb
	FROM toward t WHERE t.named = 1;
END;
COMMENT ON FUNCTION @extschema@.l4_bad_links(text, @extschema@.l4_accusation[], @extschema@.l4_evidence[],
	@extschema@.l4_unexplained_record[], @extschema@.l4_wordings) IS
'Step: Pairs of units between which something is broken, from one end (unit) to the other (peer): who accuse each other while '
'nobody else accuses anybody, or as many the one as the other, or of which one waits for the other, though that one got '
'further (not measured), and whom the record names in '
'which a counter of the unit stands that grew far more than elsewhere (counters: l4_evidence_counter; '
'measured, with its part). unexplained: the records that accusations are of.';

CREATE FUNCTION @extschema@.l4_evidence_link(job_id text, units @extschema@.l4_unit[], accusations @extschema@.l4_accusation[],
	counters @extschema@.l4_evidence[], unexplained @extschema@.l4_unexplained_record[], limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings) RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 2
BEGIN ATOMIC
	WITH link AS MATERIALIZED (
		SELECT l.*, LEAST(l.unit, l.peer) || E'\n' || GREATEST(l.unit, l.peer) AS link
		FROM @extschema@.l4_bad_links(l4_evidence_link.job_id, l4_evidence_link.accusations, l4_evidence_link.counters,
			l4_evidence_link.unexplained, wordings) l
	),
	link_end AS MATERIALIZED (
		-- each end tells of the link by the record of its own, where it has one
		SELECT DISTINCT ON (e.at, e.other) e.at, e.other, e.measured, e.part, e.shape_id, e.stream_id, e.line_no, e.first_ts,
			e.unit AS teller, e.progress
		FROM (SELECT l.unit AS at, l.peer AS other, l.* FROM link l UNION ALL SELECT l.peer, l.unit, l.* FROM link l) e
		ORDER BY e.at, e.other, e.unit = e.at DESC, e.part DESC, e.stream_id, e.line_no, e.progress IS NULL
	),
	whole AS (SELECT count(DISTINCT l.link) AS links FROM link l),
	judged AS (
		SELECT e.*, w.links, count(*) OVER (PARTITION BY e.at) AS own,
			(SELECT array_agg(o.other ORDER BY o.other) FROM link_end o WHERE o.at = e.at) AS peers,
			LEAST(1, sum(e.part) OVER (PARTITION BY e.at)) AS all_parts, row_number() OVER (PARTITION BY e.at
				ORDER BY e.part DESC, e.other) AS turn
		FROM link_end e, whole w
		WHERE @extschema@.l4_is_few(w.links, cardinality(l4_evidence_link.units), (limits).evidence_link_share)
	)
	SELECT u.unit, u.node, u.rank, 'link', j.all_parts, NULL::float8, 'evidence_link_share',
		jsonb_build_object('peer', j.other, 'peers', j.peers, 'measured', j.measured, 'teller', j.teller, 'links', j.links)
			|| COALESCE(j.progress, '{}'),
		j.shape_id, j.stream_id, j.line_no, j.first_ts
	FROM judged j
	JOIN unnest(l4_evidence_link.units) u ON u.unit = j.at
	-- whoever is an end of all the bad links has to answer for them; where nobody is, both ends of each have
	WHERE j.turn = 1 AND (j.own = j.links OR NOT EXISTS (SELECT FROM judged o WHERE o.own = o.links));
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_link(text, @extschema@.l4_unit[], @extschema@.l4_accusation[],
	@extschema@.l4_evidence[], @extschema@.l4_unexplained_record[], @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Evidence of kind link: the unit is an end of what is broken between two (l4_bad_links): of all such links where '
'several have an end in common, else both ends of each, with the other end (peer). counters: the evidence of kind counter.';
