/*
 * Events as findings: which of the events that successful jobs do not log are the root of a failure, what follows from it, and
 * what merely stands beside it; the most telling first.
 */

CREATE TYPE @extschema@.l4_event_record AS (
	event_id bigint,
	shape_id bigint,
	stream_id bigint,
	source text,
	unit text,
	node text,
	rank int,
	stage text,
	iteration bigint,
	line_no bigint,
	ts timestamptz,
	occurrences bigint,
	reason text,
	numbers jsonb,
	gravity int,
	accuses boolean,
	names_suspect boolean,
	ending boolean,
	peer boolean,
	closing boolean
);
COMMENT ON TYPE @extschema@.l4_event_record IS
'Step: an unexplained record as an event''s role is judged by: with how grave it is (0 to 6), whether it names another '
'unit (accuses), the first suspect (names_suspect), an end that somebody ordered (ending) or merely another process that '
'went away (peer), or that all ends (closing).';

CREATE FUNCTION @extschema@.l4_event_records(unexplained @extschema@.l4_unexplained_record[],
	accusations @extschema@.l4_accusation[], suspect text, wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_event_record
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH named AS MATERIALIZED (
		SELECT a.stream_id, a.shape_id, a.accuser IS NOT NULL AS accuses, a.unit = l4_event_records.suspect AS names_suspect
		FROM unnest(l4_event_records.accusations) a
	),
	closing AS MATERIALIZED (
		SELECT h.shape_id FROM @extschema@.l4_shape h
		WHERE h.shape_id = ANY (ARRAY(SELECT DISTINCT u.shape_id FROM unnest(l4_event_records.unexplained) u))
			AND @extschema@.l4_told_text(h.shape) ~ (l4_event_records.wordings).closing
	)
	-- looked up, not joined: the planner would hash the many records, not the few that are looked for
	SELECT r.event_id, r.shape_id, r.stream_id, r.source, r.unit, r.node, r.rank, r.stage, r.iteration, r.first_line,
		r.first_ts,
		r.occurrences, r.reason, r.numbers, r.gravity,
		(r.stream_id, r.shape_id) IN (SELECT n.stream_id, n.shape_id FROM named n WHERE n.accuses),
		(r.stream_id, r.shape_id) IN (SELECT n.stream_id, n.shape_id FROM named n WHERE n.names_suspect), r.ending, r.peer,
		r.shape_id IN (SELECT h.shape_id FROM closing h)
	FROM unnest(l4_event_records.unexplained) r;
END;
COMMENT ON FUNCTION @extschema@.l4_event_records(@extschema@.l4_unexplained_record[], @extschema@.l4_accusation[], text,
	@extschema@.l4_wordings) IS
'Step: the unexplained records with what decides the roles of their events. suspect: the first unit of l4_suspect_nodes, '
'NULL for none.';

CREATE TYPE @extschema@.l4_event_role AS (
	event_id bigint,
	role text,
	score double precision,
	own boolean,
	first_ts timestamptz,
	occurrences bigint,
	nodes_affected bigint
);
COMMENT ON TYPE @extschema@.l4_event_role IS
'Step: an event judged: its role (root, cascade, context), the score it is ordered by, whether the suspect says it of '
'itself (own), and when it is seen first, how often and on how many nodes.';

CREATE FUNCTION @extschema@.l4_told_events(records @extschema@.l4_event_record[], units bigint, suspects text[],
	limits @extschema@.l4_limits)
RETURNS TABLE (event_id bigint, occurrences bigint, nodes_affected bigint, gravity int, own boolean, told boolean,
	ending boolean, closing boolean, value boolean, first_ts timestamptz, trouble boolean, own_alone boolean,
	follows boolean, ordered boolean, set_up boolean, place int)
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 ROWS 20
BEGIN ATOMIC
	WITH event AS (
		SELECT r.event_id, sum(r.occurrences)::bigint AS occurrences, count(DISTINCT r.unit) AS nodes_affected,
			max(r.gravity) AS gravity, COALESCE(bool_or(r.unit = ANY (suspects) AND NOT r.accuses), false) AS own,
			min(array_position(suspects, r.unit)) FILTER (WHERE NOT r.accuses) AS place,
			bool_or(r.names_suspect AND r.unit IS NULL) AS told,
			bool_and(r.ending OR r.peer OR r.accuses) AS follows, bool_and(r.ending) AS ending,
			bool_and(r.closing) AS closing, min(r.turn) FILTER (WHERE r.ending AND r.unit IS NULL) AS ordered,
			bool_or(r.reason IN ('new value', 'range')) AS value,
			bool_or(r.reason = 'setup' AND r.unit = suspects[1]) IS TRUE AS set_up, min(r.ts) AS first_ts, min(r.turn) AS turn
		FROM (
			-- lines of one file are in order, whatever their times
			SELECT o.*, CASE WHEN o.ts IS NOT NULL THEN row_number() OVER (ORDER BY o.ts, o.source, o.line_no) END AS turn
			FROM unnest(l4_told_events.records) o) r
		GROUP BY r.event_id
	)
	-- That a suspect's own process ended is no effect, as that of another's would be; nor news after the order to end of a
	-- scheduler or launcher.
	SELECT e.event_id, e.occurrences, e.nodes_affected, e.gravity, e.own, e.told, e.ending, e.closing, e.value, e.first_ts,
		e.gravity >= (limits).gravity_trouble, o.own_alone, e.follows AND (NOT (e.closing AND o.own_alone) OR e.ending),
		(e.closing AND e.turn > min(e.ordered) OVER ()) IS TRUE, e.set_up, e.place
	FROM event e
	CROSS JOIN LATERAL (SELECT e.own AND e.nodes_affected * 2 <= l4_told_events.units AS own_alone) o;
END;
COMMENT ON FUNCTION @extschema@.l4_told_events(@extschema@.l4_event_record[], bigint, text[], @extschema@.l4_limits) IS
'Step: what the records of each event say together: how often and where, whether it is trouble, one of the suspects'' own '
'(of few units: own_alone), told of the first suspect by a log of no unit (told), merely a consequence (follows), an end '
'(ending, closing), whether such comes after an order to end (ordered), and whether it tells how the first suspect is set '
'up otherwise than others (set_up); place: of the first suspect that says it of itself, among suspects, the suspected units '
'in order.';

CREATE FUNCTION @extschema@.l4_event_roles(records @extschema@.l4_event_record[], units bigint, suspects text[],
	limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_event_role
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 ROWS 20
BEGIN ATOMIC
	WITH troubled AS (
		SELECT e.* FROM @extschema@.l4_told_events(l4_event_roles.records, l4_event_roles.units, suspects, limits) e
	),
	spoken AS (
		-- launchers and schedulers say that all ends: that stands back where the suspect (or anybody, where none is) says why
		SELECT e.*, e.trouble AND NOT e.follows AND NOT e.ordered AND NOT (e.closing AND bool_or(e.trouble AND NOT e.follows
			AND NOT e.closing AND (e.own OR suspects[1] IS NULL)) OVER ()) AS speaks
		FROM troubled e
	),
	begun AS (
		-- where nothing has a time all may be the first
		SELECT e.*, COALESCE(e.first_ts <= min(e.first_ts) FILTER (WHERE e.speaks) OVER () + make_interval(
			secs => (limits).event_together), count(e.first_ts) FILTER (WHERE e.speaks) OVER () = 0) AS early FROM spoken e
	),
	alone AS (
		-- Root is what the suspect says of itself, what a log of no node says of it, a value that none should have (but how
		-- others ended), and the first trouble at all; unless it only tells of others or of an end. What is no trouble is
		-- context, the rest follows. Where nothing is root so, the first trouble is, whatever it tells of.
		SELECT e.*, CASE
			WHEN e.speaks AND (e.own_alone OR e.told OR e.early) OR e.value AND NOT e.ending AND (NOT e.closing OR e.own_alone)
				OR e.set_up THEN 'root'
			WHEN NOT e.trouble AND NOT e.follows AND NOT (e.value AND e.closing) THEN 'context'
			ELSE 'cascade' END AS alone
		FROM begun e
	),
	judged AS (SELECT e.*, e.alone = 'cascade' AND NOT e.ending AND NOT e.ordered AS begins FROM alone e),
	roles AS (
		SELECT e.*, CASE WHEN e.begins AND NOT bool_or(e.alone = 'root') OVER () AND row_number() OVER (
			ORDER BY e.begins DESC, e.own DESC, e.first_ts, e.event_id) = 1 THEN 'root' ELSE e.alone END AS role
		FROM judged e
	)
	SELECT e.event_id, e.role, CASE e.role WHEN 'root' THEN (limits).event_score_root::numeric ELSE 0 END
			-- what the suspect says itself or a controller says of it (what another suspect does, if it is a root), then
			-- gravity, then rarity, then time
			+ CASE WHEN (e.own_alone AND (e.place = 1 OR e.role = 'root') OR e.told)
					AND (e.speaks OR e.follows OR NOT e.closing)
				THEN (limits).event_score_suspect::numeric / CASE WHEN e.told THEN 1 ELSE e.place END ELSE 0 END
			+ e.gravity / (l4_event_roles.limits).gravity_fatal::numeric
			+ 1::numeric / (1 + GREATEST(e.nodes_affected, 1)) + 1::numeric / rank() OVER (ORDER BY e.first_ts)
			-- an odd value that sounds harmless, elsewhere
			- CASE WHEN e.value AND NOT e.trouble AND NOT e.own AND NOT e.told THEN 1 ELSE 0 END
			- CASE WHEN (e.ending OR e.closing) AND bool_or(e.role = 'root') OVER () THEN 1 ELSE 0 END,
		e.own, e.first_ts, e.occurrences, e.nodes_affected
	FROM roles e;
END;
COMMENT ON FUNCTION @extschema@.l4_event_roles(@extschema@.l4_event_record[], bigint, text[], @extschema@.l4_limits) IS
'Step: the roles of events and how telling each is: root before cascade and context, those of the suspect or about it, '
'then by gravity, rarity and time. units: how many the job has; suspects: suspected units in order, none where all fail alike.';

CREATE FUNCTION @extschema@.l4_event_quotes(job_id text, unexplained @extschema@.l4_unexplained_record[],
	firsts @extschema@.l4_event_record[], limits @extschema@.l4_limits)
	RETURNS TABLE (event_id bigint, quotes jsonb, code_line text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 20
BEGIN ATOMIC
	WITH turn AS (
		SELECT r.event_id, r.stream_id, r.shape_id, row_number() OVER (PARTITION BY r.event_id
			ORDER BY r.stream_id = f.stream_id DESC, r.first_ts, r.source, r.first_line, r.stream_id, r.shape_id) AS turn
		FROM unnest(l4_event_quotes.unexplained) r
		JOIN unnest(l4_event_quotes.firsts) f ON f.event_id = r.event_id
	),
	chosen AS MATERIALIZED (
		SELECT t.*, r.source, r.first_line, r.message
		FROM turn t
		JOIN unnest(l4_event_quotes.unexplained) r ON r.stream_id = t.stream_id AND r.shape_id = t.shape_id
		WHERE t.turn <= (l4_event_quotes.limits).event_quotes
	),
	-- those that were not read among thousands
	text AS MATERIALIZED (
		SELECT t.stream_id, t.shape_id, t.raw
		FROM (SELECT array_agg(c.stream_id) AS stream_ids, array_agg(c.shape_id) AS shape_ids,
			array_agg(c.first_line) AS line_nos, count(*) AS records
			FROM chosen c WHERE c.message IS NULL HAVING count(*) > 0) w
		CROSS JOIN LATERAL @extschema@.l4_unexplained_texts(l4_event_quotes.job_id, w.stream_ids, w.shape_ids, w.line_nos,
			w.records) t
	)
	SELECT c.event_id, jsonb_agg(q.quote ORDER BY c.turn, q.number),
		max(CASE WHEN c.turn = 1 AND q.number = 1 THEN @extschema@.l4_code_line(m.message) END)
	FROM chosen c
	LEFT JOIN text t ON t.stream_id = c.stream_id AND t.shape_id = c.shape_id
	CROSS JOIN LATERAL (SELECT coalesce(c.message, t.raw) AS message OFFSET 0) m
	CROSS JOIN LATERAL jsonb_array_elements(@extschema@.l4_quotes(c.source, c.first_line, m.message))
		WITH ORDINALITY q (quote, number)
	WHERE m.message IS NOT NULL
	GROUP BY c.event_id;
END;
COMMENT ON FUNCTION @extschema@.l4_event_quotes(text, @extschema@.l4_unexplained_record[], @extschema@.l4_event_record[],
	@extschema@.l4_limits) IS
'Step: what to quote for each event, the first few records: those of the stream of its first record (firsts) before '
'others, then by time; and the line of the user''s code that the first of them names (l4_code_line).';

CREATE TYPE @extschema@.l4_well_again_record AS (stream_id bigint, shape_id bigint);
COMMENT ON TYPE @extschema@.l4_well_again_record IS
'Step: an unexplained record that is no sign of a failure (l4_well_again).';

CREATE FUNCTION @extschema@.l4_well_again(unexplained @extschema@.l4_unexplained_record[],
	accusations @extschema@.l4_accusation[], suspects text[], limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_well_again_record
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH asked AS MATERIALIZED (
		SELECT DISTINCT r.shape_id FROM unnest(l4_well_again.unexplained) r
		WHERE r.reason = 'new' AND r.gravity < (limits).gravity_trouble
	),
	well AS MATERIALIZED (
		-- that something is well again; judged once a shape
		SELECT h.shape_id FROM @extschema@.l4_shape h
		CROSS JOIN LATERAL (SELECT @extschema@.l4_without_names(@extschema@.l4_told_text(h.shape)) AS told OFFSET 0) t
		WHERE h.shape_id = ANY (ARRAY(SELECT a.shape_id FROM asked a)) AND t.told ~ (wordings).recovered
			AND t.told !~ (wordings).complaint AND t.told !~ (wordings).exception
	)
	SELECT r.stream_id, r.shape_id
	FROM unnest(l4_well_again.unexplained) r JOIN well w ON w.shape_id = r.shape_id
	WHERE r.reason = 'new' AND r.gravity < (limits).gravity_trouble
	UNION
	-- what a log of no unit complains of and takes back, of units against which nothing else speaks
	SELECT a.stream_id, a.shape_id FROM unnest(l4_well_again.accusations) a
	WHERE a.accuser IS NULL
	GROUP BY a.stream_id, a.shape_id
	HAVING bool_and(a.recovered_ts IS NOT NULL AND a.unit <> ALL (l4_well_again.suspects));
END;
COMMENT ON FUNCTION @extschema@.l4_well_again(@extschema@.l4_unexplained_record[], @extschema@.l4_accusation[], text[],
	@extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: of unexplained records those (stream and shape) that are no sign of a failure: they say that something is well again '
'(wordings of class recovered), or are of a log of no unit that takes back what it says of a unit. suspects: the suspected '
'units, of which it counts all the same.';

CREATE FUNCTION @extschema@.l4_event_findings(job_id text, unexplained @extschema@.l4_unexplained_record[], suspects text[],
	use_pool boolean, accusations @extschema@.l4_accusation[], alike @extschema@.l4_alike_value[], limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings)
RETURNS TABLE (kind text, ordinal bigint, score double precision, node text, rank int, stage text, iteration bigint,
	event_id bigint, template text, first_seen timestamptz, occurrences bigint, nodes_affected bigint, role text, facts jsonb)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 20
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	units bigint := (SELECT count(*) FROM @extschema@.l4_job_units(l4_event_findings.job_id));
	pool jsonb := @extschema@.l4_pool_facts(l4_event_findings.job_id, l4_event_findings.use_pool);
	records @extschema@.l4_event_record[];
	roles @extschema@.l4_event_role[];
	firsts @extschema@.l4_event_record[];
BEGIN
	pool := pool || jsonb_strip_nulls(jsonb_build_object('settings', (
		SELECT @extschema@.l4_other_settings(l4_event_findings.job_id, b.pool_id, alike, limits, wordings)
		FROM @extschema@.l4_best_pool(l4_event_findings.job_id) b WHERE b.fit = 1)));
	records := ARRAY(SELECT r FROM @extschema@.l4_event_records(unexplained, accusations, suspects[1], wordings) r);
	roles := ARRAY(SELECT r FROM @extschema@.l4_event_roles(records, units, suspects, limits) r);
	firsts := ARRAY(
		SELECT DISTINCT ON (r.event_id) r::@extschema@.l4_event_record FROM unnest(records) r JOIN unnest(roles) e
			ON e.event_id = r.event_id
		-- of tens of thousands only those that may come first are put in order
		WHERE CASE WHEN e.own THEN r.unit = ANY (suspects) ELSE r.ts IS NOT DISTINCT FROM e.first_ts END
		ORDER BY r.event_id, CASE WHEN e.own THEN array_position(suspects, r.unit) END, r.ts, r.source, r.line_no,
			r.stream_id, r.shape_id);
	RETURN QUERY
	SELECT 'event', row_number() OVER (ORDER BY e.score DESC, e.first_ts, e.event_id), e.score, f.node, f.rank, f.stage,
		coalesce(f.iteration, @extschema@.l4_job_iteration(l4_event_findings.job_id, f.ts)), e.event_id,
			-- by their keys, whatever joins are allowed
			coalesce((SELECT v.template FROM @extschema@.l4_event v WHERE v.event_id = e.event_id),
				(SELECT h.shape FROM @extschema@.l4_shape h WHERE h.shape_id = f.shape_id)),
		e.first_ts, e.occurrences, e.nodes_affected, e.role,
		jsonb_strip_nulls(jsonb_build_object('unit', f.unit, 'source', f.source, 'first_at', f.ts, 'units', units,
			'of_suspect', e.own AND units > 1, 'nobody_suspected', suspects[1] IS NULL, 'reason', f.reason,
			'numbers', f.numbers, 'pool', pool, 'code_line', q.code_line, 'quotes', q.quotes))
	FROM unnest(roles) e
	JOIN unnest(firsts) f ON f.event_id = e.event_id
	LEFT JOIN @extschema@.l4_event_quotes(l4_event_findings.job_id, l4_event_findings.unexplained, firsts, limits) q
		ON q.event_id = e.event_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_event_findings(text, @extschema@.l4_unexplained_record[], text[], boolean,
	@extschema@.l4_accusation[], @extschema@.l4_alike_value[], @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: the events of the unexplained records, most telling first (l4_event_roles), as columns of l4_finding of the same '
'names. suspects: suspected units in order; accusations, alike: the results of '
'l4_accusations and l4_setup_alike.';
