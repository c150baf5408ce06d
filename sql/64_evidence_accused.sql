/*
 * Accused: other units complain of this one. What breaks shows first where others wait for it, and they name whom they waited
 * for; so complaints are followed to their end, for who is complained of by the victim of another one is a victim, too.
 */

CREATE FUNCTION @extschema@.l4_accused_votes(accusations @extschema@.l4_accusation[])
RETURNS TABLE (accuser text, unit text, part double precision, first_ts timestamptz, source text, line_no bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	-- Whom a unit accuses first counts, by what its ranks say before what is said of them: what comes later is tear-down. Who
	-- waited for others itself is not accused.
	WITH complaint AS MATERIALIZED (
		SELECT a.* FROM unnest(l4_accused_votes.accusations) a
		WHERE a.accuser IS NOT NULL AND a.ending IS NOT TRUE AND a.waited IS NOT TRUE
	),
	first AS (
		SELECT DISTINCT ON (c.accuser) c.accuser, c.stream_id, c.shape_id, c.first_ts, c.source, c.line_no
		FROM complaint c
		ORDER BY c.accuser, c.kind <> 'rank', c.first_ts, c.stream_id, c.line_no, c.shape_id
	)
	SELECT v.accuser, v.unit, 1::float8 / count(*) OVER (PARTITION BY v.accuser), v.first_ts, v.source, v.line_no
	FROM (SELECT DISTINCT c.accuser, c.unit, f.first_ts, f.source, f.line_no FROM complaint c
		JOIN first f ON f.accuser = c.accuser AND f.stream_id = c.stream_id AND f.shape_id = c.shape_id) v;
END;
COMMENT ON FUNCTION @extschema@.l4_accused_votes(@extschema@.l4_accusation[]) IS
'Step: whom each unit that accuses others accuses first; of several that one record names each has a part of its vote; and '
'when, and where, it first does.';

CREATE FUNCTION @extschema@.l4_accused_left(accusations @extschema@.l4_accusation[], limits @extschema@.l4_limits)
RETURNS TABLE (unit text, missed text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	-- A job waits for one of its ranks at another one, which gives up and says for whom it waited; then all others miss that
	-- one. Who did not come had found it missing before, at a wrong address or over a dead link.
	WITH vote AS MATERIALIZED (SELECT v.* FROM @extschema@.l4_accused_votes(l4_accused_left.accusations) v)
	SELECT h.accuser, h.unit FROM vote h
	JOIN vote b ON b.accuser = h.unit AND b.unit = h.accuser AND b.first_ts < h.first_ts
	JOIN vote o ON o.unit = h.accuser AND o.accuser <> h.unit
	WHERE h.part = 1 AND b.part = 1
	GROUP BY h.accuser, h.unit
	HAVING 1 + sum(o.part) > (limits).evidence_accused_majority_share * (SELECT sum(v.part) FROM vote v)
		AND bool_and((o.first_ts > h.first_ts OR o.first_ts = h.first_ts AND o.source = h.source AND o.line_no > h.line_no)
		IS TRUE);
END;
COMMENT ON FUNCTION @extschema@.l4_accused_left(@extschema@.l4_accusation[], @extschema@.l4_limits) IS
'Step: The units that most complain of and that said whom they miss before anybody else but that one complained of them, '
'which had complained of them still before that (missed): what is said of them is of that one.';

CREATE FUNCTION @extschema@.l4_accused_ends(accusations @extschema@.l4_accusation[], limits @extschema@.l4_limits)
RETURNS TABLE (unit text, votes double precision, share double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 10
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	accusers text[];
	accused text[];
	parts double precision[];
	starts text[];
	ends text[];
	round int := 0;
BEGIN
	-- Each accuser's vote goes on from whom it accuses to whom that one accuses, to the end: who accuses nobody, or whom most
	-- accuse. Every round doubles the way.
	SELECT array_agg(v.accuser ORDER BY v.accuser, v.unit), array_agg(v.unit ORDER BY v.accuser, v.unit),
		array_agg(v.part ORDER BY v.accuser, v.unit)
	INTO accusers, accused, parts
	FROM @extschema@.l4_accused_votes(accusations) v
	WHERE (v.unit, v.accuser) NOT IN (SELECT l.unit, l.missed FROM @extschema@.l4_accused_left(accusations, limits) l);
	WITH vote AS MATERIALIZED (SELECT v.* FROM unnest(accusers, accused, parts) v (accuser, unit, part)),
	guilty AS (
		SELECT v.unit FROM vote v WHERE v.unit NOT IN (SELECT l.unit FROM @extschema@.l4_accused_left(accusations, limits) l)
		GROUP BY v.unit HAVING sum(v.part) > 1
			AND sum(v.part) > (limits).evidence_accused_majority_share * (SELECT sum(o.part) FROM vote o)
	)
	SELECT array_agg(v.accuser ORDER BY v.accuser), array_agg(v.unit ORDER BY v.accuser) INTO starts, ends
	FROM vote v WHERE v.part = 1 AND v.accuser NOT IN (SELECT g.unit FROM guilty g);
	WHILE 2::numeric ^ round < cardinality(starts) LOOP
		ends := ARRAY(SELECT coalesce(n.reached, e.reached)
			FROM unnest(ends) WITH ORDINALITY e (reached, place)
			LEFT JOIN unnest(starts, ends) n (unit, reached) ON n.unit = e.reached
			ORDER BY e.place);
		round := round + 1;
	END LOOP;
	RETURN QUERY
	SELECT e.unit, sum(e.part), sum(e.part) / sum(sum(e.part)) OVER ()
	FROM (
		-- who accuse each other in a circle have no end: there the vote stays with whom it was given to
		SELECT CASE WHEN f.reached IS NULL OR o.unit IS NOT NULL THEN v.unit ELSE f.reached END AS unit, v.part
		FROM unnest(accusers, accused, parts) v (accuser, unit, part)
		LEFT JOIN unnest(starts, ends) f (unit, reached) ON f.unit = v.unit
		LEFT JOIN unnest(starts) o (unit) ON o.unit = f.reached) e
	GROUP BY e.unit;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_accused_ends(@extschema@.l4_accusation[], @extschema@.l4_limits) IS
'Step: with whom the votes of l4_accused_votes end, when those of each accused unit that accuses another one go on to that '
'one: how many, and which share of all. Whom most of the accusers accuse keeps its votes even if it accuses somebody back, '
'but for those of l4_accused_left.';

CREATE FUNCTION @extschema@.l4_evidence_accused(accusations @extschema@.l4_accusation[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH complaint AS MATERIALIZED (
		SELECT a.* FROM unnest(l4_evidence_accused.accusations) a
		WHERE a.accuser IS NOT NULL AND a.ending IS NOT TRUE AND a.waited IS NOT TRUE
	),
	accused AS (
		SELECT DISTINCT ON (a.unit) a.* FROM complaint a
		ORDER BY a.unit, a.first_ts, a.stream_id, a.line_no, a.shape_id, a.name COLLATE "C" DESC
	),
	accuser AS (SELECT o.unit, count(DISTINCT o.accuser) AS accusers FROM complaint o GROUP BY o.unit)
	SELECT a.unit, a.node, a.rank, 'accused',
		e.share * CASE WHEN o.accusers > 1 THEN 1 ELSE (l4_evidence_accused.limits).evidence_accused_lone_part END,
		NULL::float8, 'evidence_accused_majority_share',
		jsonb_build_object('accusers', o.accusers, 'accuser', a.accuser, 'name', a.name, 'share', e.share,
			'names_others', a.unit IN (SELECT c.accuser FROM complaint c)),
		a.shape_id, a.stream_id, a.line_no, a.first_ts
	FROM @extschema@.l4_accused_ends(l4_evidence_accused.accusations, l4_evidence_accused.limits) e
	JOIN accused a ON a.unit = e.unit
	JOIN accuser o ON o.unit = e.unit;
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_accused(@extschema@.l4_accusation[], @extschema@.l4_limits) IS
'Step: Evidence of kind accused: unexplained records of other units complain of the unit, and so do, through it, those that '
'complain of these (l4_accused_ends); by the share of the accusers that end there, half of it where one unit alone says so.';
