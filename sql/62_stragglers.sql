/*
 * Who holds the others up since the steps of a job are slow, besides what durations tell: who comes later than before to the
 * same places, and whom the job itself calls the slowest.
 *
 * Ranks that work in step come to the same places one after the other: to the end of a step, to a number that all of them
 * print. When clocks are off they do so by the same time always. So what counts is who comes later, against the others, than it
 * did before the steps were slow.
 */

CREATE FUNCTION @extschema@.l4_told_since(slow @extschema@.l4_slow_regime, at timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
-- what is said in the first half of a slow step is of the one before
RETURN at >= (slow).began + make_interval(secs => (slow).after / 2);
COMMENT ON FUNCTION @extschema@.l4_told_since(@extschema@.l4_slow_regime, timestamptz) IS
'Step: Does what is said at a time tell of slow steps? NULL where no place is known from which on they are slow.';

CREATE FUNCTION @extschema@.l4_slow_span(job_id text, slow @extschema@.l4_slow_regime, limits @extschema@.l4_limits)
RETURNS TABLE (since timestamptz, until timestamptz, first bigint, last bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	-- to the end of the last step, and what is said of it then
	SELECT min(e.began), max(e.began + make_interval(secs => e.seconds + (l4_slow_span.slow).after)), min(e.iteration),
		max(e.iteration) + 1
	FROM @extschema@.l4_job_steps(l4_slow_span.job_id, limits, (l4_slow_span.slow).turn - (limits).slow_window::bigint,
		(l4_slow_span.slow).turn + (limits).slow_window::bigint) e;
END;
COMMENT ON FUNCTION @extschema@.l4_slow_span(text, @extschema@.l4_slow_regime, @extschema@.l4_limits) IS
'Step: from when until when, and from which iteration to which, a job is looked at where its steps became slow (slow_window '
'steps to either side).';

CREATE FUNCTION @extschema@.l4_counted_places(job_id text, streams @extschema@.l4_job_stream[], limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint, source_id bigint, unit text, node text, rank int, shape_id bigint, "position" int)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1000
BEGIN ATOMIC
	WITH counting AS MATERIALIZED (
		SELECT s.stream_id, s.source_id, s.unit, s.node, s.rank, p.shape_id, p.position
		FROM @extschema@.l4_job_sketches(l4_counted_places.job_id) k
		CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch) p
		JOIN unnest(l4_counted_places.streams) s ON s.stream_id = p.stream_id
		-- a whole number, another one each time as far as is known
		WHERE s.kind = 'rank' AND s.unit IS NOT NULL AND p.number_count = p.occurrences AND p.minimum >= 0
			AND p.occurrences >= 2 * (limits).evidence_slow_change_records AND p.maximum = floor(p.maximum)
			AND (p.distinct_values = p.occurrences OR p.distinct_values > cardinality(p.values))
	),
	counted AS MATERIALIZED (
		SELECT c.shape_id, c.position FROM counting c GROUP BY c.shape_id, c.position
		HAVING count(DISTINCT c.unit) >= (limits).evidence_slow_nodes
	),
	ended AS (
		SELECT c.*, row_number() OVER (PARTITION BY c.shape_id, c.position ORDER BY e.last_ts DESC, c.stream_id) AS from_last,
			row_number() OVER (PARTITION BY c.shape_id, c.position ORDER BY c.stream_id) - 1 AS turn,
			count(*) OVER (PARTITION BY c.shape_id, c.position) AS streams
		FROM counting c JOIN counted d ON d.shape_id = c.shape_id AND d.position = c.position
		JOIN @extschema@.l4_job_counts(l4_counted_places.job_id, NULL, ARRAY(SELECT DISTINCT o.shape_id FROM counted o)) e
			ON e.stream_id = c.stream_id AND e.shape_id = c.shape_id
	)
	SELECT e.stream_id, e.source_id, e.unit, e.node, e.rank, e.shape_id, e.position FROM ended e
	WHERE e.from_last <= (limits).slow_streams_extreme OR e.turn % ceil(e.streams / (limits).slow_streams)::bigint = 0;
END;
COMMENT ON FUNCTION @extschema@.l4_counted_places(text, @extschema@.l4_job_stream[], @extschema@.l4_limits) IS
'Step: The parameters of statements by which ranks count what they come to (a step, a batch), where ranks of several units do: '
'of few streams all, else those that come last to the last of them, and evenly chosen ones. Reads all sketches of the job.';

CREATE FUNCTION @extschema@.l4_late_changes(job_id text, streams @extschema@.l4_job_stream[], slow @extschema@.l4_slow_regime,
	limits @extschema@.l4_limits)
RETURNS TABLE (unit text, node text, rank int, shape_id bigint, "position" int, before double precision,
	after double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH chosen AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_counted_places(l4_late_changes.job_id, l4_late_changes.streams, limits) p
		WHERE (l4_late_changes.slow).began IS NOT NULL
	),
	span AS MATERIALIZED (
		SELECT w.* FROM @extschema@.l4_slow_span(l4_late_changes.job_id, l4_late_changes.slow, limits) w
	),
	record AS MATERIALIZED (
		SELECT r.stream_id, r.shape_id, r.parameters, r.ts
		FROM span w, @extschema@.l4_job_segments(l4_late_changes.job_id, ARRAY(SELECT DISTINCT c.source_id FROM chosen c),
			ARRAY(SELECT DISTINCT c.shape_id FROM chosen c)) g
		CROSS JOIN LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r
		WHERE (g.segment_no < (limits).onset_segments OR g.last_ts >= w.since AND g.first_ts <= w.until)
			AND r.ts BETWEEN w.since AND w.until
	),
	arrival AS MATERIALIZED (
		SELECT c.stream_id, c.unit, c.node, c.rank, c.shape_id, c.position, r.parameters[c.position] AS place,
			EXTRACT(epoch FROM min(r.ts))::float8 AS at, @extschema@.l4_told_since(l4_late_changes.slow, min(r.ts)) AS slow
		FROM chosen c JOIN record r ON r.stream_id = c.stream_id AND r.shape_id = c.shape_id
		GROUP BY c.stream_id, c.unit, c.node, c.rank, c.shape_id, c.position, r.parameters[c.position]
	),
	middle AS (
		SELECT a.shape_id, a.position, a.place, percentile_cont(0.5) WITHIN GROUP (ORDER BY a.at) AS at
		FROM arrival a GROUP BY a.shape_id, a.position, a.place
		HAVING count(DISTINCT a.unit) >= (limits).evidence_slow_nodes
	)
	SELECT a.unit, a.node, a.rank, a.shape_id, a.position,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY a.at - m.at) FILTER (WHERE NOT a.slow),
		percentile_cont(0.5) WITHIN GROUP (ORDER BY a.at - m.at) FILTER (WHERE a.slow)
	FROM arrival a JOIN middle m ON m.shape_id = a.shape_id AND m.position = a.position AND m.place = a.place
	GROUP BY a.stream_id, a.unit, a.node, a.rank, a.shape_id, a.position
	HAVING LEAST(count(*) FILTER (WHERE NOT a.slow), count(*) FILTER (WHERE a.slow)) >= (limits).evidence_slow_change_records;
END;
COMMENT ON FUNCTION @extschema@.l4_late_changes(text, @extschema@.l4_job_stream[], @extschema@.l4_slow_regime,
	@extschema@.l4_limits) IS
'Step: By how many seconds ranks come later than the middle of the ranks to the places that they count in a statement '
'(l4_counted_places), before and since the steps of the job are slow (medians). Cost: opens the segments of these about that '
'place.';

CREATE FUNCTION @extschema@.l4_late_ranks(job_id text, streams @extschema@.l4_job_stream[], slow @extschema@.l4_slow_regime,
	limits @extschema@.l4_limits)
RETURNS TABLE (unit text, node text, rank int, shape_id bigint, "position" int, z double precision, numbers jsonb)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 10
BEGIN ATOMIC
	WITH change AS MATERIALIZED (
		SELECT c.*, c.after - c.before AS later
		FROM @extschema@.l4_late_changes(l4_late_ranks.job_id, l4_late_ranks.streams, l4_late_ranks.slow, limits) c
	),
	middle AS (
		SELECT c.shape_id, c.position, count(*) AS ranks, percentile_cont(0.5) WITHIN GROUP (ORDER BY c.later) AS later
		FROM change c GROUP BY c.shape_id, c.position HAVING count(DISTINCT c.unit) >= (limits).evidence_slow_nodes
	),
	spread AS (
		SELECT m.shape_id, m.position, m.ranks, m.later, GREATEST((limits).evidence_spread_factor
				* percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(c.later - m.later)),
				(limits).evidence_slow_spread * (limits).evidence_slow_late_share
				* ((l4_late_ranks.slow).after - (l4_late_ranks.slow).before)) AS scale
		FROM change c JOIN middle m USING (shape_id, position) GROUP BY m.shape_id, m.position, m.ranks, m.later
	)
	SELECT c.unit, c.node, c.rank, c.shape_id, c.position, (c.later - s.later) / s.scale,
		jsonb_build_object('later_seconds', c.later - s.later, 'iteration', (l4_late_ranks.slow).iteration)
	FROM change c JOIN spread s USING (shape_id, position)
	WHERE (c.later - s.later) / s.scale > sqrt(2 * ln(s.ranks * (limits).evidence_slow_chances)) + 1
		AND c.later - s.later > (limits).evidence_slow_late_share * ((l4_late_ranks.slow).after - (l4_late_ranks.slow).before);
END;
COMMENT ON FUNCTION @extschema@.l4_late_ranks(text, @extschema@.l4_job_stream[], @extschema@.l4_slow_regime,
	@extschema@.l4_limits) IS
'Step: Ranks that come to the places that all count (l4_late_changes) later than they did before the steps of the job were '
'slow, and so by more than chance tells (z robust standard deviations) and by a part of what a step takes longer; with the '
'numbers for l4_evidence.';

CREATE FUNCTION @extschema@.l4_late_ends(job_id text, streams @extschema@.l4_job_stream[],
	clocks @extschema@.l4_clock_offset[], slow @extschema@.l4_slow_regime, limits @extschema@.l4_limits)
RETURNS TABLE (unit text, node text, rank int, shape_id bigint, "position" int, z double precision, numbers jsonb)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	-- A machine that is short of something (its processor is throttled, it swaps) is slow at whatever it does, also at ending
	-- a process, though all come to the end of the last step together. Where the first rank is, more is done at the end by
	-- right (what is saved, what is reported).
	WITH last AS MATERIALIZED (
		SELECT max(t.started_at) AS at FROM @extschema@.l4_job_timeline(l4_late_ends.job_id) t
		WHERE (l4_late_ends.slow).after IS NOT NULL
	),
	stream AS MATERIALIZED (
		SELECT s.stream_id, s.unit, s.node, COALESCE(k.ahead, '0') AS ahead,
			s.unit IN (SELECT f.unit FROM unnest(l4_late_ends.streams) f WHERE f.kind = 'rank' AND f.rank = 0) AS leads
		FROM last l, unnest(l4_late_ends.streams) s LEFT JOIN unnest(l4_late_ends.clocks) k ON k.node = s.unit
		WHERE s.kind <> 'rank' AND s.unit IS NOT NULL AND s.last_ts - COALESCE(k.ahead, '0') > l.at
	),
	told AS MATERIALIZED (
		SELECT o.*, count(*) OVER (PARTITION BY o.shape_id) AS units
		FROM (
			SELECT s.unit, s.node, COALESCE(bool_or(s.leads), false) AS leads, e.shape_id,
				EXTRACT(epoch FROM min(e.first_ts - s.ahead))::float8 AS at
			FROM @extschema@.l4_job_counts(l4_late_ends.job_id, ARRAY(SELECT o.stream_id FROM stream o)) e
			JOIN stream s ON s.stream_id = e.stream_id
			CROSS JOIN last l
			WHERE e.first_ts - s.ahead > l.at
			GROUP BY s.unit, s.node, e.shape_id) o
	),
	placed AS (
		SELECT t.*, row_number() OVER (PARTITION BY t.shape_id ORDER BY t.at DESC, t.unit) AS turn
		FROM told t WHERE NOT (t.leads AND t.units > (limits).evidence_slow_streams)
	),
	others AS (
		SELECT p.shape_id, min(p.at) AS first_at, max(p.at) AS last_at FROM placed p
		WHERE p.turn > 1 AND p.units >= (limits).evidence_slow_streams
			AND p.units >= (limits).evidence_late_node_share
				* (SELECT count(DISTINCT u.unit) FROM unnest(l4_late_ends.streams) u WHERE u.unit IS NOT NULL)
		GROUP BY p.shape_id HAVING count(*) > 1
	)
	SELECT p.unit, p.node, NULL::int, p.shape_id, NULL::int,
		(p.at - o.last_at) / GREATEST(o.last_at - o.first_at, (limits).evidence_ends_least / (limits).evidence_ends_factor),
		jsonb_build_object('ends_seconds', p.at - o.last_at, 'others_seconds', o.last_at - o.first_at, 'units', p.units)
	FROM placed p JOIN others o ON o.shape_id = p.shape_id
	WHERE p.turn = 1 AND NOT p.leads AND p.at - o.last_at
		> GREATEST((limits).evidence_ends_factor * (o.last_at - o.first_at), (limits).evidence_ends_least);
END;
COMMENT ON FUNCTION @extschema@.l4_late_ends(text, @extschema@.l4_job_stream[], @extschema@.l4_clock_offset[],
	@extschema@.l4_slow_regime, @extschema@.l4_limits) IS
'Step: The unit of a job with slow steps whose processes end long after those of all others, as a statement says that the '
'launchers, agents and system logs of most units make after the last iteration began: by evidence_ends_factor times what lies '
'between the others, and evidence_ends_least at least; not the unit of rank 0. How many times (z), and the numbers for '
'l4_evidence. Times by the clock of the most units. Reads the counts of the logs that go on after the last iteration.';

CREATE FUNCTION @extschema@.l4_called_text(message text, wordings @extschema@.l4_wordings) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
BEGIN ATOMIC
	-- a duration and whose it is, as 130.5ms/7
	SELECT regexp_replace(substring(substr(l4_called_text.message, c.at), '^\s*([^\n|]*)'),
		'\m\d[\d.]*[[:alpha:]]{0,3}/(\d{1,6})\M', 'rank \1', 'g')
	FROM (SELECT regexp_instr(l4_called_text.message, (wordings).calls_slowest, 1, 1, 1) AS at) c WHERE c.at > 0;
END;
COMMENT ON FUNCTION @extschema@.l4_called_text(text, @extschema@.l4_wordings) IS
'Step: Whom a message calls the slowest, by the wordings of class calls_slowest: what stands behind these, up to the end of a '
'line or a "|"; NULL where it calls nobody so.';

CREATE FUNCTION @extschema@.l4_slowest_calls(job_id text, slow @extschema@.l4_slow_regime, limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings)
RETURNS TABLE (shape_id bigint, "position" int, ordinal bigint, since boolean, unit text, node text, rank int)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH calling AS MATERIALIZED (
		SELECT h.shape_id, p.position
		FROM @extschema@.l4_job_shapes(l4_slowest_calls.job_id) n
		JOIN @extschema@.l4_shape h ON h.shape_id = n.shape_id
		CROSS JOIN LATERAL (
			SELECT g.position
			FROM generate_series(1, cardinality(string_to_array(h.shape, '<*>')) - 1) g (position)
			WHERE @extschema@.l4_parameter_name(h.shape, g.position) ~ (wordings).slowest
			UNION ALL SELECT NULL WHERE h.shape ~ (wordings).calls_slowest) p
		WHERE (l4_slowest_calls.slow).began IS NOT NULL
			AND n.max_per_stream >= 2 * (limits).evidence_slow_change_records
	),
	record AS MATERIALIZED (
		SELECT row_number() OVER () AS ordinal, c.shape_id, c.position,
			-- a detector tells of the steps before, and not all of its lines have stamps
			COALESCE(CASE WHEN c.position IS NULL THEN r.iteration >= (l4_slowest_calls.slow).iteration - 1 END,
				@extschema@.l4_told_since(l4_slowest_calls.slow, r.ts)) AS since,
			CASE WHEN c.position IS NULL THEN @extschema@.l4_called_text(r.raw, wordings)
				ELSE r.parameters[c.position] END AS name
		FROM (SELECT array_agg(DISTINCT o.shape_id) AS shape_ids FROM calling o HAVING count(*) > 0) a
		CROSS JOIN LATERAL @extschema@.l4_job_segments(l4_slowest_calls.job_id, NULL, a.shape_ids,
			(limits).onset_segments::int) g
		CROSS JOIN LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r
		JOIN calling c ON c.shape_id = r.shape_id
		WHERE r.ts IS NOT NULL OR c.position IS NULL AND r.iteration IS NOT NULL
	),
	text AS MATERIALIZED (
		SELECT array_agg(DISTINCT r.name) AS texts FROM record r WHERE r.position IS NULL
	),
	named AS (
		SELECT u.unit, u.node, u.rank, u.rank::text AS name, false AS within
		FROM @extschema@.l4_rank_units(l4_slowest_calls.job_id) u
		UNION ALL
		SELECT u.unit, u.node, u.rank, u.unit, false FROM @extschema@.l4_job_units(l4_slowest_calls.job_id) u
		UNION ALL
		SELECT m.unit, m.node, m.rank, t.texts[m.ordinal], true
		FROM text t CROSS JOIN LATERAL @extschema@.l4_mentions(l4_slowest_calls.job_id, t.texts) m
	)
	SELECT r.shape_id, r.position, r.ordinal, r.since, n.unit, n.node, n.rank
	FROM record r LEFT JOIN named n ON n.name = r.name AND n.within = (r.position IS NULL);
END;
COMMENT ON FUNCTION @extschema@.l4_slowest_calls(text, @extschema@.l4_slow_regime, @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: Whom records of the job itself call the slowest: a value whose name is of the wordings of class slowest ("slowest=5"), '
'or those that are named behind a wording of class calls_slowest (position NULL; "Affected ranks: [5]"), as detectors of '
'stragglers tell them; with which record (ordinal), and whether steps are slow by then (since). A record that calls no unit '
'has none; one may call several. Opens the segments of these statements.';

CREATE FUNCTION @extschema@.l4_called_slowest(job_id text, slow @extschema@.l4_slow_regime, limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings)
RETURNS TABLE (unit text, node text, rank int, shape_id bigint, "position" int, z double precision, numbers jsonb)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	WITH call AS MATERIALIZED (
		SELECT c.* FROM @extschema@.l4_slowest_calls(l4_called_slowest.job_id, l4_called_slowest.slow, limits, wordings) c
	),
	share AS (
		-- of a slow node its ranks are the slowest by turns
		SELECT c.shape_id, c.position, c.unit, c.node, CASE WHEN count(DISTINCT c.rank) = 1 THEN min(c.rank) END AS rank,
			count(DISTINCT c.ordinal) FILTER (WHERE c.since) AS times,
			count(DISTINCT c.ordinal) FILTER (WHERE NOT c.since) AS times_before
		FROM call c WHERE c.unit IS NOT NULL
		GROUP BY c.shape_id, c.position, c.unit, c.node
	),
	total AS (
		SELECT c.shape_id, c.position, count(DISTINCT c.ordinal) FILTER (WHERE c.since) AS records,
			count(DISTINCT c.ordinal) FILTER (WHERE NOT c.since) AS records_before,
			GREATEST(1, count(DISTINCT ROW(c.ordinal, c.unit)) FILTER (WHERE c.since AND c.unit IS NOT NULL)::float8
				/ NULLIF(count(DISTINCT c.ordinal) FILTER (WHERE c.since), 0))
				/ (SELECT NULLIF(count(*), 0) FROM @extschema@.l4_job_units(l4_called_slowest.job_id)) AS chance
		FROM call c GROUP BY c.shape_id, c.position
	)
	SELECT s.unit, s.node, s.rank, s.shape_id, s.position,
		(s.times - t.records * t.chance) / sqrt(t.records * t.chance * (1 - t.chance)),
		jsonb_build_object('called_times', s.times, 'called_records', t.records,
			'iteration', (l4_called_slowest.slow).iteration)
	FROM share s JOIN total t ON t.shape_id = s.shape_id AND t.position IS NOT DISTINCT FROM s.position
	WHERE t.chance < 1 AND s.times >= 2 * (limits).evidence_slow_change_records
		AND s.times >= (limits).evidence_slow_named_share * t.records
		AND COALESCE(s.times_before::float8 / NULLIF(t.records_before, 0), 0) < (limits).evidence_slow_named_before;
END;
COMMENT ON FUNCTION @extschema@.l4_called_slowest(text, @extschema@.l4_slow_regime, @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: The unit that the job itself calls the slowest (l4_slowest_calls) nearly always since steps are slow, and not before; '
'by how many standard deviations more often than by chance (z; as many units as are called at once), with the numbers for '
'l4_evidence. Opens the segments of these statements.';

CREATE FUNCTION @extschema@.l4_listing_shapes(job_id text, ranks bigint, limits @extschema@.l4_limits)
RETURNS TABLE (shape_id bigint, seconds double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	SELECT h.shape_id, u.seconds
	FROM @extschema@.l4_job_shapes(l4_listing_shapes.job_id) n
	JOIN @extschema@.l4_shape h ON h.shape_id = n.shape_id
	CROSS JOIN LATERAL (SELECT @extschema@.l4_text_seconds('<*> ' || substring(h.shape, '\(([a-z]{1,12})\)'), 1, '1')
		AS seconds OFFSET 0) u
	WHERE n.max_per_stream >= 2 * (limits).evidence_slow_change_records
		AND l4_listing_shapes.ranks >= (limits).evidence_slow_streams
		AND cardinality(string_to_array(h.shape, '<*>')) > 2 * l4_listing_shapes.ranks AND h.shape ~* '\mranks?\M';
END;
COMMENT ON FUNCTION @extschema@.l4_listing_shapes(text, bigint, @extschema@.l4_limits) IS
'Step: The statements of a job that may list a duration of each of its ranks, and how many seconds the unit is that they say '
'in brackets (NULL: none).';

CREATE FUNCTION @extschema@.l4_listed_changes(job_id text, slow @extschema@.l4_slow_regime, limits @extschema@.l4_limits)
RETURNS TABLE (unit text, node text, rank int, shape_id bigint, "position" int, before double precision, after double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 10
BEGIN ATOMIC
	WITH named AS MATERIALIZED (
		SELECT u.rank, u.unit, u.node, count(*) OVER () AS ranks FROM @extschema@.l4_rank_units(l4_listed_changes.job_id) u
		WHERE (l4_listed_changes.slow).iteration IS NOT NULL
	),
	listing AS MATERIALIZED (
		SELECT l.* FROM @extschema@.l4_listing_shapes(l4_listed_changes.job_id, (SELECT max(n.ranks) FROM named n), limits) l
	),
	record AS MATERIALIZED (
		SELECT row_number() OVER () AS ordinal, r.shape_id, r.parameters,
			COALESCE(r.iteration >= (l4_listed_changes.slow).iteration,
				@extschema@.l4_told_since(l4_listed_changes.slow, r.ts)) AS slow
		FROM (SELECT array_agg(l.shape_id) AS shape_ids FROM listing l HAVING count(*) > 0) a
		CROSS JOIN @extschema@.l4_slow_span(l4_listed_changes.job_id, l4_listed_changes.slow, limits) w
		CROSS JOIN LATERAL @extschema@.l4_job_segments(l4_listed_changes.job_id, NULL, a.shape_ids) g
		CROSS JOIN LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r
		WHERE r.shape_id = ANY (a.shape_ids)
			AND (g.segment_no < (limits).onset_segments OR g.last_ts >= w.since AND g.first_ts <= w.until)
			AND COALESCE(r.iteration BETWEEN w.first AND w.last, r.ts BETWEEN w.since AND w.until)
	),
	pair AS MATERIALIZED (
		-- a number and the value behind it: where numbers count up from pair to pair it is one list
		SELECT r.ordinal, r.shape_id, r.slow, p.rank, p.place - 2 * p.rank AS list,
			@extschema@.l4_value_seconds(r.parameters[p.place + 1], l.seconds) AS value
		FROM record r JOIN listing l ON l.shape_id = r.shape_id
		CROSS JOIN LATERAL (SELECT u.place, u.number::int AS rank FROM unnest(r.parameters) WITH ORDINALITY u (number, place)
			WHERE u.number ~ '^\d{1,6}$' OFFSET 0) p
	),
	whole AS (
		SELECT p.ordinal, p.list FROM pair p JOIN named n ON n.rank = p.rank
		WHERE p.value > 0
		GROUP BY p.ordinal, p.list, n.ranks HAVING count(*) = n.ranks
	)
	SELECT n.unit, n.node, n.rank, p.shape_id, p.list::int,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY p.value) FILTER (WHERE NOT p.slow),
		percentile_cont(0.5) WITHIN GROUP (ORDER BY p.value) FILTER (WHERE p.slow)
	FROM pair p JOIN whole w ON w.ordinal = p.ordinal AND w.list = p.list
	JOIN named n ON n.rank = p.rank
	GROUP BY n.unit, n.node, n.rank, p.shape_id, p.list
	HAVING LEAST(count(*) FILTER (WHERE NOT p.slow), count(*) FILTER (WHERE p.slow)) >= (limits).evidence_slow_change_records;
END;
COMMENT ON FUNCTION @extschema@.l4_listed_changes(text, @extschema@.l4_slow_regime, @extschema@.l4_limits) IS
'Step: The durations of which one record lists that of each rank ("rank 0: 91.4 rank 1: 114.1"), in seconds, before and since '
'the steps of the job are slow (medians), as l4_slow_changes has those that ranks print themselves; position: that of the '
'list''s first number. Nothing where no such place is known. Opens the segments of these statements.';
