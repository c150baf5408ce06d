/* Whom do records blame? Which unit the unexplained records of a job name. */

CREATE TYPE @extschema@.l4_accusation AS (
	unit text,
	node text,
	rank int,
	name text,
	accuser text,
	kind text,
	source text,
	shape_id bigint,
	stream_id bigint,
	line_no bigint,
	first_ts timestamptz,
	ending boolean,
	closing boolean,
	recovered_ts timestamptz,
	waited boolean
);
COMMENT ON TYPE @extschema@.l4_accusation IS
'A unit (a node; a rank where nodes are not known) that a record names: by what name, the unit that names it (accuser; '
'NULL: a stream of no unit), in which kind of stream, source and record, and whether that only says that something was '
'told to end (ending), or that something is over (closing; l4_accusations); of streams of no unit also when the same stream '
'says that the unit is well again, after all it complains of (recovered_ts); and whether the unit waited for others itself '
'then, or the record only refers to what it says (waited).';

CREATE FUNCTION @extschema@.l4_unplaced_records(job_id text, unexplained @extschema@.l4_unexplained_record[],
	limits @extschema@.l4_limits)
RETURNS TABLE (kind text, source text, shape_id bigint, stream_id bigint, line_no bigint, first_ts timestamptz, message text,
	heads bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH unplaced AS MATERIALIZED (
		SELECT g.kind, g.source, g.shape_id, g.stream_id, g.first_line, g.last_line, g.first_ts, g.position, g.value,
			s.source_id
		FROM unnest(l4_unplaced_records.unexplained) g
		JOIN @extschema@.l4_job_streams(l4_unplaced_records.job_id) s ON s.stream_id = g.stream_id
		WHERE g.unit IS NULL
	),
	segment AS MATERIALIZED (
		SELECT b.*
		FROM (SELECT array_agg(DISTINCT u.source_id) AS source_ids, array_agg(DISTINCT u.shape_id) AS shape_ids
			FROM unplaced u HAVING count(*) > 0) w
		CROSS JOIN LATERAL @extschema@.l4_job_segments(l4_unplaced_records.job_id, w.source_ids, w.shape_ids) b
	)
	SELECT r.kind, r.source, r.shape_id, r.stream_id, r.line_no, r.first_ts, r.raw,
		CASE lead(r.line_no) OVER w WHEN r.line_no + 1 THEN lead(r.shape_id) OVER w END
	FROM (
		SELECT u.kind, u.source, u.shape_id, u.stream_id, l.line_no,
			CASE l.line_no WHEN u.first_line THEN u.first_ts ELSE GREATEST(l.ts, u.first_ts) END AS first_ts, l.raw
		FROM unplaced u
		JOIN segment b ON b.source_id = u.source_id AND b.first_line <= u.last_line AND b.last_line >= u.first_line
		CROSS JOIN LATERAL @extschema@.l4_segment_records(b.structure, b.texts, b.parameters, b.stream_ids) l
		WHERE l.stream_id = u.stream_id AND l.shape_id = u.shape_id AND l.line_no BETWEEN u.first_line AND u.last_line
			AND (u.value IS NULL OR l.parameters[u.position] = u.value)
		ORDER BY l.line_no, u.stream_id, u.shape_id
		LIMIT (l4_unplaced_records.limits).accusation_lines::bigint) r
	WINDOW w AS (PARTITION BY r.stream_id ORDER BY r.line_no, r.shape_id)
	ORDER BY r.line_no, r.stream_id, r.shape_id;
END;
COMMENT ON FUNCTION @extschema@.l4_unplaced_records(text, @extschema@.l4_unexplained_record[], @extschema@.l4_limits) IS
'Step: Every record (the first ones by line, as far as the limit accusation_lines goes) of the unexplained ones that stand '
'in a stream of no unit: a controller names one node a line; and the shape of the unexplained record that begins on the next '
'line, which a line may be the heading of (heads). Opens their segments.';

CREATE FUNCTION @extschema@.l4_misdirected_records(job_id text, unexplained @extschema@.l4_unexplained_record[])
RETURNS SETOF @extschema@.l4_unexplained_record
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	-- Where each node has one address, who looks for one of them at another, which is nobody's, has it wrong itself (its table
	-- of hosts, its resolver). Addresses of another network are those of further interfaces.
	WITH home AS MATERIALIZED (
		SELECT a.node AS unit, min(a.address) AS address, count(*) AS addresses
		FROM @extschema@.l4_job_addresses(l4_misdirected_records.job_id) a
		WHERE a.address ~ '^\d{1,3}(\.\d{1,3}){3}$' GROUP BY a.node
	),
	record AS MATERIALIZED (
		SELECT n.record, x.address, row_number() OVER () AS ordinal
		FROM (SELECT u AS record FROM unnest(l4_misdirected_records.unexplained) u
			WHERE u.unit IS NOT NULL AND u.message IS NOT NULL) n
		CROSS JOIN LATERAL (
			SELECT min(m.match[1]) AS address
			FROM regexp_matches((n.record).message, '(?<![\d.])(\d{1,3}(?:\.\d{1,3}){3})(?![\d.])', 'g') m (match)
			HAVING count(DISTINCT m.match[1]) = 1) x
		WHERE (SELECT bool_and(h.addresses = 1) AND count(*) > 2 FROM home h)
			AND x.address NOT IN (SELECT h.address FROM home h)
	),
	named AS (
		SELECT m.ordinal, min(m.unit) AS peer
		FROM @extschema@.l4_mentions(l4_misdirected_records.job_id,
			ARRAY(SELECT (r.record).message FROM record r ORDER BY r.ordinal)) m
		JOIN record r ON r.ordinal = m.ordinal
		WHERE m.unit <> (r.record).unit
		GROUP BY m.ordinal HAVING count(DISTINCT m.unit) = 1
	)
	SELECT w.*
	FROM record r JOIN named n ON n.ordinal = r.ordinal JOIN home h ON h.unit = n.peer
	CROSS JOIN LATERAL jsonb_populate_record(r.record, jsonb_build_object('reason', 'setup', 'numbers',
		jsonb_build_object('name', 'address of ' || n.peer, 'peer', n.peer, 'value', r.address, 'usual', h.address,
			'units_odd', 1, 'units', (SELECT count(*) FROM home o), 'pooled', true))) w
	WHERE regexp_replace(r.address, '\.\d+$', '') = regexp_replace(h.address, '\.\d+$', '');
END;
COMMENT ON FUNCTION @extschema@.l4_misdirected_records(text, @extschema@.l4_unexplained_record[]) IS
'Step: The unexplained records by which units look for another one (peer) at an address that is not its own, nor anybody''s, '
'as records with reason setup: whoever does so is set up differently. No row where nodes have several addresses, or none is '
'learnt.';

CREATE FUNCTION @extschema@.l4_before_teardown(unexplained @extschema@.l4_unexplained_record[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_unexplained_record
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	-- Whose rank has failed is taken down, and then misses who is taken down before it (the host of a store, a leader). What it
	-- says at once of itself is of the failure.
	WITH failed AS MATERIALIZED (
		SELECT r.unit, min(r.first_ts) AS ts FROM unnest(l4_before_teardown.unexplained) r
		WHERE r.unit IS NOT NULL AND r.kind = 'rank' AND r.gravity >= (limits).gravity_error
			AND r.stage IS DISTINCT FROM 'teardown'
		GROUP BY r.unit
	)
	SELECT r.* FROM unnest(l4_before_teardown.unexplained) r LEFT JOIN failed f ON f.unit = r.unit
	WHERE (r.stage = 'teardown' AND r.kind IN ('rank', 'launcher', 'other')
		AND f.ts + make_interval(secs => CASE WHEN NOT r.peer THEN (limits).event_together ELSE 0 END) < r.first_ts)
		IS NOT TRUE;
END;
COMMENT ON FUNCTION @extschema@.l4_before_teardown(@extschema@.l4_unexplained_record[], @extschema@.l4_limits) IS
'Step: The unexplained records without those of the tear-down of units of which a rank had failed before (by '
'event_together, where they do not speak of another one): what goes wrong then is no evidence of why it failed.';

CREATE FUNCTION @extschema@.l4_without_reference(message text, wordings @extschema@.l4_wordings) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 20
RETURN regexp_replace(regexp_replace(regexp_replace(message, (wordings).led_by, '', 'g'), (wordings).reference, '', 'g'),
	'\m(differ(?:s|ed|ent)?|deviates?)\M([^\n:;.]{0,40})\mfrom\M\s+'
	'(?:(?:the\s+)?[^\s:;,]+\s+(?:of|on)\s+)?(?:the\s+)?[^\s:;,]+(?:\s+\d+)?(?:\s+(?:on|at)\s+[^\s:;,]+)?'
	'(?:\s*\([^()\n]*\))?', '\1\2', 'gi');
COMMENT ON FUNCTION @extschema@.l4_without_reference(text, @extschema@.l4_wordings) IS
'Step: A message without whom it compares somebody with: of "settings of rank 5 differ from those of rank 0" the first '
'part, for who is compared with has it as it should be (wordings of class reference, too); and without fields '
'that only tell by whom a process is led, and its arguments (wordings of class led_by).';

CREATE FUNCTION @extschema@.l4_blaming_text(message text, of_node boolean, wordings @extschema@.l4_wordings) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 20
RETURN @extschema@.l4_without_reference(CASE WHEN of_node THEN regexp_replace(message, (wordings).own_process, '', 'gi')
	ELSE message END, wordings);
COMMENT ON FUNCTION @extschema@.l4_blaming_text(text, boolean, @extschema@.l4_wordings) IS
'Step: What of a message may blame somebody: l4_without_reference, and of a log of a node, but none of its ranks (of_node), '
'not the processes that it calls by rank and number: who knows the number speaks of its own node, and may count its '
'processes, or the nodes (wordings of class own_process).';

CREATE FUNCTION @extschema@.l4_ending_records(unexplained @extschema@.l4_unexplained_record[],
	wordings @extschema@.l4_wordings)
RETURNS TABLE (record @extschema@.l4_unexplained_record, ending boolean)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH shape AS MATERIALIZED (
		-- judged once a shape, as thousands of ranks log the same
		SELECT h.shape_id, h.shape ~ (wordings).ending AS ending, h.shape ~ (wordings).ends_children AS ends_children
		FROM @extschema@.l4_shape h
		WHERE h.shape_id = ANY (ARRAY(SELECT DISTINCT u.shape_id FROM unnest(l4_ending_records.unexplained) u))
	)
	SELECT r, CASE WHEN r.message IS NULL THEN h.ending ELSE r.ending END
		-- where the ranks of a unit are not told apart, one that ends others is told nothing
		AND NOT (r.kind = 'rank' AND r.rank IS NULL AND r.unit IS NOT NULL AND h.ends_children
			AND NOT EXISTS (SELECT FROM unnest(l4_ending_records.unexplained) o WHERE o.unit = r.unit AND o.rank IS NOT NULL))
	FROM unnest(l4_ending_records.unexplained) r JOIN shape h ON h.shape_id = r.shape_id;
END;
COMMENT ON FUNCTION @extschema@.l4_ending_records(@extschema@.l4_unexplained_record[], @extschema@.l4_wordings) IS
'Step: The unexplained records, each with whether who logs it was told to end (wordings of class ending); not by ending those '
'that it started (ends_children), unless that unit tells its ranks apart.';

CREATE FUNCTION @extschema@.l4_told_ranks(unexplained @extschema@.l4_unexplained_record[], wordings @extschema@.l4_wordings)
RETURNS TABLE (source text, unit text, rank int, line_no bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	SELECT (e.record).source, COALESCE((e.record).unit, ''), COALESCE((e.record).rank, -1), min((e.record).first_line)
	FROM @extschema@.l4_ending_records(l4_told_ranks.unexplained, l4_told_ranks.wordings) e
	WHERE (e.record).kind = 'rank' AND e.ending
	GROUP BY 1, 2, 3;
END;
COMMENT ON FUNCTION @extschema@.l4_told_ranks(@extschema@.l4_unexplained_record[], @extschema@.l4_wordings) IS
'Step: The ranks that were told to end (l4_ending_records; -1 where it is not known which of its unit, and no unit where that '
'is not known either), each with the first line that says so: how a rank goes down then is another '
'one''s doing, and whom it misses was told, too.';

CREATE FUNCTION @extschema@.l4_short_handed(unexplained @extschema@.l4_unexplained_record[], limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings) RETURNS TABLE (unit text, first_ts timestamptz, gravity int, message text, joined int,
	expected int)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	-- the numbers are those of the first so many of so many
	SELECT u.unit, u.first_ts, u.gravity, t.text, CASE WHEN s.handed THEN c.counted[1]::int END,
		CASE WHEN s.handed THEN c.counted[2]::int END
	FROM unnest(l4_short_handed.unexplained) u
	CROSS JOIN LATERAL (SELECT @extschema@.l4_told_text(u.message) AS text OFFSET 0) t
	CROSS JOIN LATERAL (SELECT t.text ~ (wordings).short_handed AS handed OFFSET 0) s
	CROSS JOIN LATERAL (SELECT regexp_match(t.text, '(\d{1,6}) ?(?:/|of|out of) ?(?:the )?(\d{1,6})', 'i') AS counted
		OFFSET 0) c
	WHERE u.unit IS NOT NULL AND u.kind <> 'system' AND u.gravity >= (limits).gravity_trouble
		AND (s.handed OR t.text ~ (wordings).gave_up);
END;
COMMENT ON FUNCTION @extschema@.l4_short_handed(@extschema@.l4_unexplained_record[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: The unexplained records of units that waited for others: that only so many of so many are there (joined, expected; '
'wordings of class short_handed), or that waiting is over (wordings of class gave_up; these two NULL).';

CREATE FUNCTION @extschema@.l4_awaiting_units(unexplained @extschema@.l4_unexplained_record[], limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings) RETURNS TABLE (unit text, counted boolean, gave_up boolean, gave_up_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	SELECT u.unit, bool_or(u.joined < u.expected AND u.joined > (limits).awaiting_share * u.expected), bool_or(g.gave_up),
		min(u.first_ts) FILTER (WHERE g.gave_up)
	FROM @extschema@.l4_short_handed(l4_awaiting_units.unexplained, limits, wordings) u
	CROSS JOIN LATERAL (SELECT u.gravity >= (limits).gravity_error AND u.message ~ (wordings).gave_up AS gave_up OFFSET 0) g
	GROUP BY u.unit;
END;
COMMENT ON FUNCTION @extschema@.l4_awaiting_units(@extschema@.l4_unexplained_record[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: The units that waited for others: that complain that only so many of all are there, more than awaiting_share of them '
'(counted), or gave up waiting (gave_up; gave_up_at: when, NULL where no time is known).';

CREATE FUNCTION @extschema@.l4_untold_ends(accusations @extschema@.l4_accusation[],
	unexplained @extschema@.l4_unexplained_record[], limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_accusation
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	-- whom a signal ends first, as others end otherwise later, was told to by nobody who writes there
	WITH untold AS MATERIALIZED (
		SELECT o.stream_id, min(o.unit) FILTER (WHERE o.ending) AS unit
		FROM unnest(l4_untold_ends.accusations) o WHERE o.accuser IS NULL
		GROUP BY o.stream_id
		HAVING count(DISTINCT o.unit) FILTER (WHERE o.ending) = 1 AND bool_or(o.closing AND NOT o.ending)
			AND min(o.line_no) FILTER (WHERE o.ending) <= (SELECT min(u.first_line) FROM unnest(l4_untold_ends.unexplained) u
				WHERE u.stream_id = o.stream_id AND (u.ending OR u.gravity >= (limits).gravity_trouble))
	)
	SELECT a.unit, a.node, a.rank, a.name, a.accuser, a.kind, a.source, a.shape_id, a.stream_id, a.line_no, a.first_ts,
		a.ending AND u.stream_id IS NULL, a.closing, a.recovered_ts, a.waited
	FROM unnest(l4_untold_ends.accusations) a
	LEFT JOIN untold u ON a.accuser IS NULL AND u.stream_id = a.stream_id AND u.unit = a.unit
		-- not the order itself
		AND EXISTS (SELECT FROM @extschema@.l4_shape h WHERE h.shape_id = a.shape_id AND h.shape ~ (wordings).ended);
END;
COMMENT ON FUNCTION @extschema@.l4_untold_ends(@extschema@.l4_accusation[], @extschema@.l4_unexplained_record[],
	@extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: The accusations, without ending where a log of no unit tells of one unit alone that it ended as if it was told to '
'(wordings of class ended), before anything else that is amiss, and of others later that they ended otherwise.';

CREATE FUNCTION @extschema@.l4_accusations(job_id text, unexplained @extschema@.l4_unexplained_record[] DEFAULT NULL,
	limits @extschema@.l4_limits DEFAULT NULL, wordings @extschema@.l4_wordings DEFAULT NULL)
RETURNS SETOF @extschema@.l4_accusation
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	units CONSTANT @extschema@.l4_unit[] := ARRAY(SELECT u FROM @extschema@.l4_job_units(l4_accusations.job_id) u);
	untold @extschema@.l4_unexplained_record[];
	found @extschema@.l4_accusation[];
BEGIN
	unexplained := coalesce(unexplained, ARRAY(SELECT n FROM @extschema@.l4_unexplained(l4_accusations.job_id) n));
	limits := coalesce(limits, @extschema@.l4_limits_in_force());
	wordings := coalesce(wordings, @extschema@.l4_wordings_in_force());
	unexplained := ARRAY(SELECT b FROM @extschema@.l4_before_teardown(unexplained, limits) b);
	-- nor is anybody accused by warnings that successful jobs log, too, however many there are
	untold := ARRAY(SELECT u FROM unnest(unexplained) u LEFT JOIN @extschema@.l4_told_ranks(unexplained, wordings) e
		ON u.kind = 'rank' AND e.source = u.source AND e.unit = COALESCE(u.unit, '') AND e.rank = COALESCE(u.rank, -1)
			AND e.line_no < u.first_line
		WHERE e.line_no IS NULL AND NOT (u.reason = 'storm' AND u.gravity < limits.gravity_error));
	found := ARRAY(
	WITH said AS MATERIALIZED ( -- judged by the shape, once each: the text has the level, too, which may be "ERROR"
		SELECT h.shape_id, t.told ~ wordings.ending AS ending, t.told ~ wordings.closing AS closing,
			t.told ~ wordings.recovered AS recovers, t.told ~ wordings.hung_up AS hung_up,
			h.shape ~ wordings.referral AS refers, e.throws, t.told ~ wordings.complaint OR e.throws AS complains,
			@extschema@.l4_text_gravity(t.told, wordings) >= limits.gravity_error AS grave
		FROM @extschema@.l4_shape h
		CROSS JOIN LATERAL (SELECT @extschema@.l4_without_names(@extschema@.l4_told_text(h.shape)) AS told OFFSET 0) t
		CROSS JOIN LATERAL (SELECT t.told ~ wordings.exception AS throws OFFSET 0) e
		WHERE h.shape_id = ANY (ARRAY(SELECT DISTINCT u.shape_id FROM unnest(unexplained) u))
	),
	peer AS MATERIALIZED (SELECT DISTINCT u.stream_id, u.shape_id FROM unnest(unexplained) u WHERE u.peer),
	record AS MATERIALIZED (
		-- One record tells whom a rank blames; of streams of no unit all are read: a shape leaves out which signal ended whom.
		SELECT r.*, h.ending OR r.unit IS NULL AND @extschema@.l4_without_names(r.message) ~ wordings.ending AS ending,
			h.closing, h.recovers, h.hung_up, h.refers, p.stream_id IS NOT NULL AS peer,
			h.complains OR p.stream_id IS NOT NULL OR o.throws IS TRUE OR r.unit IS NULL AND h.grave AS complains,
			row_number() OVER () AS ordinal FROM (
			SELECT @extschema@.l4_level_rank(u.level) >= limits.gravity_trouble AS warns, u.unit, u.kind, u.source, u.shape_id,
				u.stream_id, u.first_line AS line_no, u.first_ts, @extschema@.l4_told_text(u.message) AS message, NULL AS heads
			FROM unnest(untold) u WHERE u.unit IS NOT NULL AND u.message IS NOT NULL
			UNION ALL
			SELECT false, NULL, u.* FROM @extschema@.l4_unplaced_records(l4_accusations.job_id, unexplained, limits) u) r
		JOIN said h ON h.shape_id = r.shape_id
		LEFT JOIN said o ON o.shape_id = r.heads
		LEFT JOIN peer p ON p.stream_id = r.stream_id AND p.shape_id = r.shape_id
		-- a mention is no accusation: something must have gone wrong, as the record, its level, its block or what it heads says
		WHERE h.complains OR p.stream_id IS NOT NULL OR r.warns OR o.throws OR r.unit IS NULL AND (h.grave OR h.recovers)),
	mention AS MATERIALIZED (
		SELECT m.*, r.unit AS accuser, r.kind, r.source, r.shape_id, r.stream_id, r.line_no, r.first_ts, r.ending, r.closing,
			r.recovers, r.hung_up, r.refers, r.peer, r.complains, r.unit IS NOT DISTINCT FROM m.unit AS itself,
			count(*) FILTER (WHERE r.unit IS DISTINCT FROM m.unit) OVER (PARTITION BY m.ordinal) AS others,
			-- when it is well again, if nothing is said against it from then on
			last_value(CASE WHEN r.unit IS NULL AND r.recovers THEN r.first_ts END) OVER (PARTITION BY r.stream_id, m.unit
				ORDER BY r.line_no ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS recovered_ts
		FROM @extschema@.l4_mentions(l4_accusations.job_id, ARRAY(SELECT @extschema@.l4_blaming_text(r.message,
			r.unit IS NOT NULL AND r.kind <> 'rank', wordings) FROM record r ORDER BY r.ordinal), units) m
		JOIN record r ON r.ordinal = m.ordinal
	)
	SELECT ROW(m.unit, m.node, m.rank, m.name, m.accuser, m.kind, m.source, m.shape_id, m.stream_id, m.line_no, m.first_ts,
		m.ending, m.closing, m.recovered_ts, -- who gave up closes its connections, which others miss then
		m.refers OR coalesce(w.counted OR m.hung_up AND w.gave_up AND (w.gave_up_at >= m.first_ts) IS NOT TRUE,
			false))::@extschema@.l4_accusation
	FROM mention m
	-- who looks for it in the wrong place has only itself to blame
	LEFT JOIN @extschema@.l4_misdirected_records(l4_accusations.job_id, unexplained) d
		ON d.stream_id = m.stream_id AND d.shape_id = m.shape_id AND d.numbers ->> 'peer' = m.unit
	-- who does not reach itself either speaks of a place that nobody reaches (an address), as the others do
	LEFT JOIN (SELECT DISTINCT o.unit, o.name, o.shape_id FROM mention o WHERE o.itself AND o.peer AND o.others = 0) o
		ON o.unit = m.unit AND o.name = m.name AND o.shape_id = m.shape_id AND m.accuser IS NOT NULL
	-- who names all others tells none of them from the rest; one alone is no rest
	LEFT JOIN (SELECT n.ordinal FROM mention n WHERE NOT n.itself GROUP BY n.ordinal, n.accuser
		HAVING count(DISTINCT n.unit) >= GREATEST(cardinality(units) - (n.accuser IS NOT NULL)::int, 2)) a USING (ordinal)
	LEFT JOIN @extschema@.l4_awaiting_units(unexplained, limits, wordings) w ON w.unit = m.unit
	WHERE NOT m.itself AND o.unit IS NULL AND a.ordinal IS NULL AND d.stream_id IS NULL
		AND NOT (m.recovers AND m.accuser IS NULL)
		-- what the launcher calls its third process may be the first to a node
		AND (m.accuser IS NULL OR m.name ~ '^(rank|pid) ' OR m.name !~ '^[[:alpha:]]+ \d+$')
		-- a warning without a word of complaint ("resent 412 pieces to rank 7") is about the one rank that it names
		AND (m.complains OR m.others = 1 AND m.name ~ '^rank '));
	RETURN QUERY SELECT * FROM @extschema@.l4_untold_ends(found, unexplained, limits, wordings);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_accusations(text, @extschema@.l4_unexplained_record[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: Which unit (NULL: a stream of no unit) names which other unit in its unexplained records that complain (wordings of '
'classes complaint and peer; of streams of no unit words of an error, too; a warning or worse that names one other rank), '
'and where; not where the named unit does not reach itself either, nor by who names all others, or was told to end before '
'(l4_told_ranks); ending: the record only says that something was told to end; waited: l4_awaiting_units. unexplained: the '
'result of l4_unexplained, where at hand; limits, wordings: those in force, where at hand.';
