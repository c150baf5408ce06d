/*
 * Accused: other units complain of this one. What breaks shows first where others wait for it, and they name whom they waited
 * for; so complaints are followed to their end, for who is complained of by the victim of another one is a victim, too.
 */

CREATE TYPE @extschema@.l4_vote AS (accuser text, unit text, part double precision, waited boolean,
	first_ts timestamptz);
COMMENT ON TYPE @extschema@.l4_vote IS
'Whom a unit accuses first, as l4_accused_votes gives it.';

CREATE FUNCTION @extschema@.l4_accused_votes(accusations @extschema@.l4_accusation[]) RETURNS SETOF @extschema@.l4_vote
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	-- Whom a unit accuses first counts, by what its ranks say before what is said of them: what comes later is tear-down.
	WITH complaint AS MATERIALIZED (
		SELECT a.* FROM unnest(l4_accused_votes.accusations) a WHERE a.accuser IS NOT NULL AND a.ending IS NOT TRUE
	),
	first AS (
		SELECT DISTINCT ON (c.accuser) c.accuser, c.stream_id, c.shape_id, c.first_ts FROM complaint c
		ORDER BY c.accuser, c.kind <> 'rank', c.first_ts, c.stream_id, c.line_no, c.shape_id
	)
	SELECT v.accuser, v.unit, 1::float8 / count(*) OVER (PARTITION BY v.accuser), v.waited, v.first_ts
	FROM (SELECT c.accuser, c.unit, bool_or(c.waited IS TRUE) AS waited, min(f.first_ts) AS first_ts
		FROM complaint c
		JOIN first f ON f.accuser = c.accuser AND f.stream_id = c.stream_id AND f.shape_id = c.shape_id
		GROUP BY c.accuser, c.unit) v;
END;
COMMENT ON FUNCTION @extschema@.l4_accused_votes(@extschema@.l4_accusation[]) IS
'Step: whom each unit that accuses others accuses first; of several that one record names each has a part of its vote; and '
'whether that one waited for others itself then, and since when.';

CREATE FUNCTION @extschema@.l4_followed_votes(accusers text[], accused text[]) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	ends text[] := accused;
	round int := 0;
BEGIN
	-- every round doubles the way
	WHILE 2::numeric ^ round < cardinality(accusers) LOOP
		ends := ARRAY(SELECT coalesce(n.reached, e.reached)
			FROM unnest(ends) WITH ORDINALITY e (reached, place)
			LEFT JOIN unnest(accusers, ends) n (unit, reached) ON n.unit = e.reached
			ORDER BY e.place);
		round := round + 1;
	END LOOP;
	RETURN ends;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_followed_votes(text[], text[]) IS
'Step: With whom the vote of each accuser ends that has one vote: who is accused by whom it accuses, and so on, to one that '
'accuses nobody; of those in a circle, and of who leads into one, somebody in it, and each of them comes up.';

CREATE FUNCTION @extschema@.l4_accused_ends(accusations @extschema@.l4_accusation[], limits @extschema@.l4_limits)
RETURNS TABLE (unit text, votes double precision, share double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 10
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	given @extschema@.l4_vote[] := ARRAY(SELECT v FROM @extschema@.l4_accused_votes(accusations) v);
	waiting text[] := ARRAY(SELECT DISTINCT v.unit FROM unnest(given) v WHERE v.waited);
	starts text[];
	votes text[];
	ends text[];
	late text[];
BEGIN
	-- Each accuser's vote goes on from whom it accuses to whom that one accuses, to the end: who accuses nobody, or whom most
	-- accuse. Who waited for others itself only passes votes on: whom it waited for had found it missing before.
	given := ARRAY(SELECT v FROM unnest(given) v WHERE NOT (v.unit = ANY (waiting) AND EXISTS (SELECT FROM unnest(given) o
		WHERE o.accuser = v.unit AND o.unit = v.accuser AND o.part = 1
			AND v.first_ts < o.first_ts)));
	WITH vote AS MATERIALIZED (SELECT v.* FROM unnest(given) v),
	guilty AS (
		-- be it beside others: whom many lists of several have in common is meant by them
		SELECT n.unit
		FROM (SELECT v.unit, count(*) AS accusers, row_number() OVER w AS place, lead(count(*), 1, 1::bigint) OVER w AS next
			FROM vote v WHERE v.unit <> ALL (waiting) GROUP BY v.unit WINDOW w AS (ORDER BY count(*) DESC)) n
		WHERE n.place = 1 AND n.accusers > n.next
			AND n.accusers > (limits).evidence_accused_majority_share * (SELECT count(DISTINCT o.accuser) FROM vote o)
	)
	SELECT array_agg(v.accuser ORDER BY v.accuser), array_agg(v.unit ORDER BY v.accuser) INTO starts, votes
	FROM vote v WHERE v.part = 1 AND v.accuser NOT IN (SELECT g.unit FROM guilty g);
	ends := @extschema@.l4_followed_votes(starts, votes);
	-- Who comes last in a circle misses one that had given up by then, as it misses another one itself. Of two who accuse each
	-- other either may be right.
	late := ARRAY(SELECT v.accuser FROM unnest(given) v JOIN unnest(given) o ON o.accuser = v.unit AND o.unit <> v.accuser
		WHERE v.accuser = ANY (starts) AND v.accuser = ANY (ends)
			AND v.first_ts > o.first_ts + make_interval(secs => limits.event_together));
	IF late <> '{}' THEN
		given := ARRAY(SELECT v FROM unnest(given) v WHERE v.accuser <> ALL (late));
		SELECT array_agg(o.accuser ORDER BY o.place), array_agg(o.unit ORDER BY o.place) INTO starts, votes
		FROM unnest(starts, votes) WITH ORDINALITY o (accuser, unit, place) WHERE o.accuser <> ALL (late);
		ends := @extschema@.l4_followed_votes(starts, votes);
	END IF;
	RETURN QUERY
	SELECT e.unit, sum(e.part), sum(e.part) / sum(sum(e.part)) OVER ()
	FROM (
		-- who accuse each other in a circle have no end: there the vote stays with whom it was given to
		SELECT CASE WHEN f.reached IS NULL OR o.unit IS NOT NULL THEN v.unit ELSE f.reached END AS unit, v.part
		FROM unnest(given) v
		LEFT JOIN unnest(starts, ends) f (unit, reached) ON f.unit = v.unit
		LEFT JOIN unnest(starts) o (unit) ON o.unit = f.reached) e
	WHERE e.unit <> ALL (waiting)
	GROUP BY e.unit;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_accused_ends(@extschema@.l4_accusation[], @extschema@.l4_limits) IS
'Step: with whom the votes of l4_accused_votes end, when those of each accused unit that accuses another one go on to that '
'one: how many, and which share of all. Whom most of the accusers accuse, be it beside others, and nobody else more of them, '
'keeps its votes even if it accuses somebody back. Of three or more that accuse each other in a circle the vote of who does so '
'later than the accused one did (limit event_together) does not count. '
'No votes end with who waited for others itself.';

CREATE FUNCTION @extschema@.l4_evidence_accused(accusations @extschema@.l4_accusation[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH complaint AS MATERIALIZED (
		SELECT a.* FROM unnest(l4_evidence_accused.accusations) a WHERE a.accuser IS NOT NULL AND a.ending IS NOT TRUE
	),
	accused AS (
		SELECT DISTINCT ON (a.unit) a.* FROM complaint a WHERE a.waited IS NOT TRUE
		ORDER BY a.unit, a.first_ts, a.stream_id, a.line_no, a.shape_id, a.name COLLATE "C" DESC
	),
	accuser AS (
		SELECT o.unit, count(DISTINCT o.accuser) AS accusers,
			bool_and(o.closing AND o.kind IN ('launcher', 'other')) AS over
		FROM complaint o WHERE o.waited IS NOT TRUE GROUP BY o.unit
	)
	SELECT a.unit, a.node, a.rank, 'accused',
		e.share * CASE WHEN o.accusers > 1 OR e.votes > 1 AND a.accuser IN (SELECT w.unit FROM complaint w WHERE w.waited)
			THEN 1 ELSE (l4_evidence_accused.limits).evidence_accused_lone_part END
			-- a launcher of another unit names, as one of none does, whose process ended first
			* CASE WHEN o.over THEN (limits).evidence_named_launcher_part ELSE 1 END,
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
'complain of these (l4_accused_ends); by the share of the accusers that end there, half of it where one unit alone says so, '
'but for one to which others refer; evidence_named_launcher_part of it where launchers alone say so, of processes that are '
'over.';
