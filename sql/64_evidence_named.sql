/*
 * Named: a collector, a controller or a launcher stands on no unit and sees all of them. Of few units it says something that
 * successful jobs do not log; what it says of many is about the job.
 */

CREATE FUNCTION @extschema@.l4_row_words(shape text, limits @extschema@.l4_limits) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(CASE WHEN cardinality(regexp_split_to_array(btrim(shape), '\s+')) >= (limits).evidence_named_columns
	THEN regexp_replace(shape, '^\S+', '') ELSE shape END, '\s+', ' ', 'g');
COMMENT ON FUNCTION @extschema@.l4_row_words(text, @extschema@.l4_limits) IS
'Step: A shape of so many words (limit evidence_named_columns) that it may be the row of a table, without its first word: rows '
'begin with an identifier, which may look like a word. Any other shape keeps its first word, which may be its verb. Spaces are '
'one each: columns are padded.';

CREATE FUNCTION @extschema@.l4_first_accusers(accusations @extschema@.l4_accusation[], limits @extschema@.l4_limits)
RETURNS TABLE (unit text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
	WITH complaint AS MATERIALIZED (
		SELECT a.accuser, a.unit, a.first_ts FROM unnest(l4_first_accusers.accusations) a
		WHERE a.accuser IS NOT NULL AND NOT a.ending
	)
	SELECT o.accuser FROM complaint o
	LEFT JOIN (SELECT c.unit, min(c.first_ts) AS ts FROM complaint c GROUP BY c.unit) t ON t.unit = o.accuser
	GROUP BY o.accuser, t.unit, t.ts
	HAVING t.unit IS NULL OR min(o.first_ts) < t.ts + make_interval(secs => (limits).event_together);
END;
COMMENT ON FUNCTION @extschema@.l4_first_accusers(@extschema@.l4_accusation[], @extschema@.l4_limits) IS
'Step: The units that complain of others before any other unit complains of them, or about when it does (limit '
'event_together): they end since they lost another one.';

CREATE FUNCTION @extschema@.l4_claimed_words(accusations @extschema@.l4_accusation[], streams @extschema@.l4_job_stream[],
	limits @extschema@.l4_limits) RETURNS TABLE (shape_id bigint, words text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH told AS MATERIALIZED (
		SELECT h.shape_id, t.word, t.place, @extschema@.l4_bare_word(t.word) AS bare FROM @extschema@.l4_shape h
		CROSS JOIN LATERAL string_to_table(@extschema@.l4_row_words(h.shape, limits), ' ') WITH ORDINALITY t(word, place)
		WHERE h.shape_id = ANY (ARRAY(SELECT o.shape_id FROM unnest(l4_claimed_words.accusations) o WHERE o.accuser IS NULL))
	), roles AS (
		-- of the words in the names of thousands of logs few are told
		SELECT DISTINCT w.word
		FROM @extschema@.l4_role_words(l4_claimed_words.streams) r CROSS JOIN LATERAL unnest(r.words) w(word)
		WHERE w.word IN (SELECT t.bare FROM told t)
	)
	SELECT t.shape_id, COALESCE(string_agg(rtrim(t.word, 's'), ' ' ORDER BY t.place) FILTER (WHERE r.word IS NULL), '')
	FROM told t LEFT JOIN roles r ON r.word = t.bare
	GROUP BY t.shape_id;
END;
COMMENT ON FUNCTION @extschema@.l4_claimed_words(@extschema@.l4_accusation[], @extschema@.l4_job_stream[],
	@extschema@.l4_limits) IS
'Step: What each shape says by which logs of no unit accuse: without the words of roles (l4_role_words), as of a worker they '
'say that a worker ended, and of a launcher that a launcher did; a row of a table without its first (l4_row_words). Of one '
'("task 3: exited") they say what they say of several ("tasks 4-5: exited").';

CREATE FUNCTION @extschema@.l4_first_of_most(accusations @extschema@.l4_accusation[], units int,
	streams @extschema@.l4_job_stream[], limits @extschema@.l4_limits)
RETURNS TABLE (unit text, first_ts timestamptz, source text, line_no bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	WITH said AS MATERIALIZED (
		SELECT DISTINCT ON (w.words, a.unit) w.words, a.unit, a.first_ts, a.source, a.line_no
		FROM unnest(l4_first_of_most.accusations) a
		JOIN @extschema@.l4_claimed_words(l4_first_of_most.accusations, l4_first_of_most.streams, limits) w
			ON w.shape_id = a.shape_id
		WHERE a.accuser IS NULL AND NOT a.ending
		ORDER BY w.words, a.unit, a.first_ts, a.source, a.line_no
	)
	SELECT DISTINCT ON (s.unit) s.unit, s.first_ts, s.source, s.line_no
	FROM said s
	JOIN (SELECT o.words, min(o.first_ts) AS first_ts FROM said o GROUP BY o.words
		HAVING count(*) > l4_first_of_most.units * (limits).evidence_common_share) f
		ON f.words = s.words AND f.first_ts = s.first_ts
	ORDER BY s.unit, s.first_ts, s.source, s.line_no;
END;
COMMENT ON FUNCTION @extschema@.l4_first_of_most(@extschema@.l4_accusation[], int, @extschema@.l4_job_stream[],
	@extschema@.l4_limits) IS
'Step: Of whom logs of no unit say first (all of whom it is said at that time) what they say of most units (of so many; limit '
'evidence_common_share), as that their processes have ended; when, and where it stands: what they say of the job afterwards '
'may name that one.';

CREATE FUNCTION @extschema@.l4_first_told(accusations @extschema@.l4_accusation[],
	unexplained @extschema@.l4_unexplained_record[], units int, limits @extschema@.l4_limits)
RETURNS TABLE (first_ts timestamptz, source text, line_no bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	WITH statement AS (
		-- how all others were told to end is another statement, though it be of the same shape
		SELECT o.shape_id, count(DISTINCT o.unit) AS units FROM unnest(l4_first_told.accusations) o
		WHERE o.accuser IS NULL AND NOT o.ending GROUP BY o.shape_id
	)
	SELECT o.first_ts, o.source, o.line_no
	FROM unnest(l4_first_told.accusations) o LEFT JOIN statement t ON t.shape_id = o.shape_id
	WHERE o.accuser IS NULL AND (o.ending OR NOT o.closing
		AND t.units > l4_first_told.units * (l4_first_told.limits).evidence_common_share)
	UNION ALL
	SELECT r.first_ts, r.source, r.first_line FROM unnest(l4_first_told.unexplained) r WHERE r.unit IS NULL AND r.ending
	ORDER BY 1, 2, 3 LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_first_told(@extschema@.l4_accusation[], @extschema@.l4_unexplained_record[], int,
	@extschema@.l4_limits) IS
'Step: Where logs of no unit first say an order to end, or what is wrong with most units (of so many; limit '
'evidence_common_share): whose processes are over after that is no news.';

CREATE FUNCTION @extschema@.l4_evidence_named(units @extschema@.l4_unit[], accusations @extschema@.l4_accusation[],
	unexplained @extschema@.l4_unexplained_record[], at_large @extschema@.l4_placed_record,
	streams @extschema@.l4_job_stream[], limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH claim AS MATERIALIZED (
		SELECT a.*, w.words,
			(a.closing AND (a.first_ts, a.source, a.line_no) > (o.first_ts, o.source, o.line_no)) IS TRUE AS after
		FROM unnest(l4_evidence_named.accusations) a
		LEFT JOIN @extschema@.l4_first_told(l4_evidence_named.accusations, unexplained,
			cardinality(l4_evidence_named.units), limits) o ON true
		JOIN @extschema@.l4_claimed_words(l4_evidence_named.accusations, streams, limits) w ON w.shape_id = a.shape_id
		WHERE a.accuser IS NULL AND NOT a.ending
	),
	target AS (SELECT c.words, count(DISTINCT c.unit) AS units FROM claim c WHERE NOT c.after GROUP BY c.words),
	grave AS (SELECT r.shape_id FROM unnest(unexplained) r WHERE r.unit IS NULL AND r.gravity >= (limits).gravity_fatal),
	ended AS (SELECT r.unit FROM unnest(unexplained) r WHERE r.unit IS NOT NULL AND r.ending AND r.kind <> 'system'),
	said AS ( -- in all, but for those that are killed as they do not end when they are told to, as they say: who fails by
		-- itself first may well have missed another one
		SELECT c.words, count(DISTINCT c.unit) AS units FROM claim c
		WHERE NOT (c.after AND c.shape_id IN (SELECT g.shape_id FROM grave g) AND c.unit IN (SELECT e.unit FROM ended e))
		GROUP BY c.words),
	quoted AS ( -- whose failure a launcher quotes that lost another one: it complains itself
		SELECT r.stream_id, r.first_line FROM unnest(unexplained) r
		WHERE r.unit IS NULL AND @extschema@.l4_quoted_error(r.message) ~ (wordings).hung_up)
	-- a launcher names whose process ended: that counts as far as it comes before the failure shows at large
	SELECT a.unit, a.node, a.rank, 'named',
		CASE WHEN a.kind <> 'launcher' THEN 1
			WHEN f.turn IS NULL OR (a.first_ts, a.source, a.line_no) < (f.first_ts, f.source, f.first_line)
				THEN (l4_evidence_named.limits).evidence_named_launcher_part
			ELSE (l4_evidence_named.limits).evidence_named_late_part END
			-- what is said of many in the end it may say of the first by chance
			* CASE WHEN @extschema@.l4_is_few(s.units, cardinality(l4_evidence_named.units), (limits).evidence_named_share)
				THEN 1 ELSE (limits).evidence_named_again_part END
			* CASE WHEN e.unit IS NULL THEN 1 ELSE (limits).evidence_named_again_part END
			* CASE WHEN a.closing AND v.unit IS NOT NULL THEN (limits).evidence_named_victim_part ELSE 1 END
			* CASE WHEN a.recovered_ts < f.first_ts THEN (l4_evidence_named.limits).evidence_named_recovered_part ELSE 1 END,
		NULL::float8, 'evidence_named_share',
		jsonb_build_object('units', cardinality(l4_evidence_named.units), 'units_named', t.units,
			'name', a.name, 'source', a.source),
		a.shape_id, a.stream_id, a.line_no, a.first_ts
	FROM claim a JOIN target t ON t.words = a.words
	JOIN said s ON s.words = a.words
	LEFT JOIN @extschema@.l4_first_accusers(l4_evidence_named.accusations, limits) v ON v.unit = a.unit
	LEFT JOIN @extschema@.l4_first_of_most(l4_evidence_named.accusations, cardinality(l4_evidence_named.units), streams,
		limits) e ON e.unit = a.unit AND e.first_ts <= a.first_ts
		-- lines without a stamp have the time of the last one before them
		AND NOT (e.first_ts = a.first_ts AND e.source = a.source AND e.line_no >= a.line_no)
	CROSS JOIN (SELECT (l4_evidence_named.at_large).*) f
	WHERE NOT a.after AND s.units < cardinality(l4_evidence_named.units)
		AND NOT EXISTS (SELECT FROM quoted q WHERE q.stream_id = a.stream_id AND q.first_line = a.line_no)
		AND @extschema@.l4_is_few(t.units, cardinality(l4_evidence_named.units), (limits).evidence_named_share);
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_named(@extschema@.l4_unit[], @extschema@.l4_accusation[],
	@extschema@.l4_unexplained_record[], @extschema@.l4_placed_record, @extschema@.l4_job_stream[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: Evidence of kind named: an unexplained record of a stream of no unit (a collector, a controller, a launcher) names '
'the unit. Not what says that processes are over after an order to end, or after a statement that names most units (no news); '
'nor what quotes how the unit lost another one (l4_quoted_error); nor statements (rows of a table are one: l4_row_words) that '
'name all units, or more of them than evidence_named_share while that is news. Of those that name more in all, and of what '
'is said later of the one of whom the log says first what it says of most (l4_first_of_most), evidence_named_again_part; of '
'what says that the process of a unit is over that complained of others before (l4_first_accusers), '
'evidence_named_victim_part.';
