/*
 * Counter: errors, discards and retransmissions are counted by the system of each node. Nodes do the same work, so one of
 * which such a number grew far more than on the others has a part that fails, whether or not anybody complains.
 */

CREATE FUNCTION @extschema@.l4_system_counters(job_id text, streams @extschema@.l4_job_stream[], kinds text[],
	least_records double precision)
RETURNS TABLE (unit text, shape_id bigint, "position" int, growth double precision, maximum double precision, stream_id bigint,
	maximum_line bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	SELECT s.unit, p.shape_id, p.position, p.maximum - p.minimum, p.maximum, p.stream_id, p.maximum_line
	FROM @extschema@.l4_job_sketches(l4_system_counters.job_id,
		ARRAY(SELECT DISTINCT t.source_id FROM unnest(l4_system_counters.streams) t WHERE t.kind = ANY (kinds))) k
	CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch) p
	JOIN unnest(l4_system_counters.streams) s ON s.stream_id = p.stream_id
	WHERE s.kind = ANY (kinds) AND s.unit IS NOT NULL
		AND p.number_count = p.occurrences AND p.number_count >= least_records;
END;
COMMENT ON FUNCTION @extschema@.l4_system_counters(text, @extschema@.l4_job_stream[], text[], double precision) IS
'Step: The numbers in streams of a job of given kinds (system logs) of which a stream has least_records, per stream: largest '
'less least value (growth), the largest, and where it stands.';

CREATE FUNCTION @extschema@.l4_counting_units(job_id text, streams @extschema@.l4_job_stream[], limits @extschema@.l4_limits)
RETURNS TABLE (unit text, shape_id bigint, "position" int, stream_id bigint, line_no bigint, growth double precision,
	median double precision, usual double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	-- What the system logs of all units count: from its least to its largest value, per unit. A unit stands out where its
	-- counter grew many times what the half of the units did, and by some at least, further than any other but one, and past
	-- what successful jobs show.
	WITH parameter AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_system_counters(l4_counting_units.job_id, l4_counting_units.streams,
			'{system}', (l4_counting_units.limits).evidence_counter_records) p
	),
	counter AS MATERIALIZED (
		SELECT p.unit, p.shape_id, p.position, sum(p.growth) AS growth, max(p.maximum) AS largest
		FROM parameter p GROUP BY p.unit, p.shape_id, p.position
	),
	middle AS (
		SELECT c.shape_id, c.position, percentile_cont(0.5) WITHIN GROUP (ORDER BY c.growth) AS growth
		FROM counter c GROUP BY c.shape_id, c.position HAVING count(*) >= (l4_counting_units.limits).evidence_counter_nodes
	),
	outstanding AS (
		SELECT c.unit, c.shape_id, c.position, c.growth, m.growth AS median,
			CASE WHEN q.job_count > 1 THEN q.maximum END AS usual
		FROM (
			SELECT c.*, row_number() OVER (PARTITION BY c.shape_id, c.position ORDER BY c.growth DESC, c.unit) AS turn
			FROM counter c) c
		JOIN middle m USING (shape_id, position)
		LEFT JOIN @extschema@.l4_pool_parameter q
			ON q.pool_id = (SELECT b.pool_id FROM @extschema@.l4_best_pool(l4_counting_units.job_id) b)
			AND q.shape_id = c.shape_id AND q.position = c.position
		WHERE c.turn <= 2 AND c.growth >= (l4_counting_units.limits).evidence_counter_growth
			AND c.growth > (l4_counting_units.limits).evidence_counter_factor * m.growth
			AND (q.maximum IS NULL OR c.largest > (l4_counting_units.limits).evidence_counter_pool_factor * q.maximum)
	)
	-- of a unit's streams the one that counted most
	SELECT DISTINCT ON (o.unit, o.shape_id, o.position) o.unit, o.shape_id, o.position, p.stream_id, p.maximum_line, o.growth,
		o.median, o.usual
	FROM outstanding o
	JOIN parameter p ON p.unit = o.unit AND p.shape_id = o.shape_id AND p.position = o.position
	ORDER BY o.unit, o.shape_id, o.position, p.growth DESC, p.stream_id;
END;
COMMENT ON FUNCTION @extschema@.l4_counting_units(text, @extschema@.l4_job_stream[], @extschema@.l4_limits) IS
'Step: Units of which a number in the system log (errors, discards, retransmissions) grew far more than on the others and '
'further than in successful jobs: growth is largest less least value, median that of the units, usual the largest value of '
'the pool (NULL where it has less than two jobs that count it), line_no where the largest stands.';

CREATE FUNCTION @extschema@.l4_told_peers(job_id text, streams @extschema@.l4_job_stream[], limits @extschema@.l4_limits)
RETURNS TABLE (unit text, peer text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 100
BEGIN ATOMIC
	-- What ranks say once as they start, most of them, and name other units in: their neighbours, unless all name the same one
	-- (a coordinator).
	WITH teller AS MATERIALIZED (
		SELECT o.* FROM unnest(l4_told_peers.streams) o WHERE o.kind = 'rank' AND o.unit IS NOT NULL AND o.record_count > 0
	),
	statement AS MATERIALIZED (
		-- by how it begins: one rank has two neighbours, the next one has one
		SELECT s.unit, b.beginning, e.stream_id, e.first_line, count(*) OVER (PARTITION BY b.beginning) AS streams
		FROM @extschema@.l4_job_shapes(l4_told_peers.job_id) n
		JOIN @extschema@.l4_shape h ON h.shape_id = n.shape_id
		JOIN @extschema@.l4_job_counts(l4_told_peers.job_id, ARRAY(SELECT t.stream_id FROM teller t)) e
			ON e.shape_id = n.shape_id
		JOIN teller s ON s.stream_id = e.stream_id
		CROSS JOIN LATERAL (SELECT split_part(h.shape, '<*>', 1) AS beginning OFFSET 0) b
		WHERE n.max_per_stream <= (limits).peer_records AND n.level_rank < (limits).gravity_trouble
			AND e.first_iteration IS NULL AND b.beginning ~ '[[:alpha:]]' AND b.beginning <> h.shape
	),
	entry AS MATERIALIZED (
		SELECT s.*, row_number() OVER () AS ordinal FROM statement s
		WHERE s.streams >= (limits).place_rank_share * (SELECT count(*) FROM teller)
	),
	record AS MATERIALIZED (
		SELECT e.*, t.raw
		FROM entry e
		JOIN @extschema@.l4_record_texts(l4_told_peers.job_id, ARRAY(SELECT o.stream_id FROM entry o ORDER BY o.ordinal),
			ARRAY(SELECT o.first_line FROM entry o ORDER BY o.ordinal)) t
			ON t.stream_id = e.stream_id AND t.line_no = e.first_line
	),
	mention AS MATERIALIZED (
		SELECT DISTINCT r.beginning, r.unit, m.unit AS peer
		FROM @extschema@.l4_mentions(l4_told_peers.job_id,
			ARRAY(SELECT COALESCE((SELECT r.raw FROM record r WHERE r.ordinal = e.ordinal), '') FROM entry e
				ORDER BY e.ordinal)) m
		JOIN record r ON r.ordinal = m.ordinal
		WHERE m.unit <> r.unit
	),
	hub AS (
		SELECT m.beginning, m.peer FROM mention m GROUP BY m.beginning, m.peer
		HAVING count(*) > 2 AND count(*) >= (SELECT count(DISTINCT o.unit) FROM mention o WHERE o.beginning = m.beginning) - 1
	)
	SELECT DISTINCT w.unit, w.peer
	FROM mention m CROSS JOIN LATERAL (VALUES (m.unit, m.peer), (m.peer, m.unit)) w (unit, peer)
	WHERE m.beginning NOT IN (SELECT h.beginning FROM hub h);
END;
COMMENT ON FUNCTION @extschema@.l4_told_peers(text, @extschema@.l4_job_stream[], @extschema@.l4_limits) IS
'Step: Which units are neighbours (of a ring, a tree), as their ranks say when they start, both ways. No row where they do not '
'say. Opens the segments of these statements.';

CREATE FUNCTION @extschema@.l4_lossy_counters(job_id text, streams @extschema@.l4_job_stream[], limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings)
RETURNS TABLE (unit text, shape_id bigint, "position" int, growth double precision, largest double precision,
	stream_id bigint, line_no bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	-- by its name such a number is known wherever it stands
	SELECT p.unit, p.shape_id, p.position, sum(p.growth), max(p.maximum), min(p.stream_id), min(p.maximum_line)
	FROM @extschema@.l4_system_counters(l4_lossy_counters.job_id, l4_lossy_counters.streams, '{system,other}',
		(limits).evidence_lossy_records) p
	JOIN @extschema@.l4_shape h ON h.shape_id = p.shape_id
	WHERE lower(@extschema@.l4_parameter_label(h.shape, p.position)) ~ (l4_lossy_counters.wordings).lossy
	GROUP BY p.unit, p.shape_id, p.position;
END;
COMMENT ON FUNCTION @extschema@.l4_lossy_counters(text, @extschema@.l4_job_stream[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: What the units of a job count of what gets lost on the way (wordings of class lossy), in their system and other logs: '
'largest less least value (growth), the largest, and one of the places where it stands.';

CREATE FUNCTION @extschema@.l4_losing_receivers(job_id text, units @extschema@.l4_unit[], streams @extschema@.l4_job_stream[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS TABLE (unit text, shape_id bigint, "position" int, stream_id bigint, line_no bigint, growth double precision,
	fewest double precision, most double precision, senders bigint, usual double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	-- Who sends to a node that loses what comes in counts what it sends again, that node itself does not. So where several
	-- count far more than ranks of successful jobs do, look at whom they all send to: the neighbour that they have in common.
	-- Where nobody tells of neighbours it is who counts more than all others that do not count so: answers get lost, too.
	WITH counter AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_lossy_counters(l4_losing_receivers.job_id, l4_losing_receivers.streams, limits,
			l4_losing_receivers.wordings) p
	),
	sender AS MATERIALIZED (
		SELECT c.*, q.maximum AS usual, count(*) OVER (PARTITION BY c.shape_id, c.position) AS senders
		FROM counter c
		JOIN @extschema@.l4_pool_parameter q
			ON q.pool_id = (SELECT b.pool_id FROM @extschema@.l4_best_pool(l4_losing_receivers.job_id) b)
			AND q.shape_id = c.shape_id AND q.position = c.position AND q.job_count > 1
		WHERE c.growth >= (limits).evidence_counter_growth
			AND c.largest > (limits).evidence_counter_pool_factor * q.maximum
	),
	peer AS MATERIALIZED (
		SELECT t.* FROM (SELECT FROM sender s WHERE s.senders > 1 LIMIT 1) s
		CROSS JOIN LATERAL @extschema@.l4_told_peers(l4_losing_receivers.job_id, l4_losing_receivers.streams, limits) t
	),
	candidate AS (
		SELECT c.unit, c.shape_id, c.position, c.stream_id, c.line_no, c.growth, min(s.growth) AS fewest, max(s.growth) AS most,
			count(*) AS senders, min(s.usual) AS usual,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY s.growth) AS middle,
			bool_and(EXISTS (SELECT FROM peer p WHERE p.unit = s.unit AND p.peer = c.unit)) AS of_all,
			EXISTS (SELECT FROM sender o WHERE o.unit = c.unit AND o.shape_id = c.shape_id AND o.position = c.position) AS sends
		FROM counter c JOIN sender s ON s.shape_id = c.shape_id AND s.position = c.position AND s.unit <> c.unit
		GROUP BY c.unit, c.shape_id, c.position, c.stream_id, c.line_no, c.growth
		HAVING count(*) > 1
	),
	receiver AS (
		SELECT c.*, count(*) OVER (PARTITION BY c.shape_id, c.position, c.sends) AS receivers,
			-- who does not count far more than in successful jobs is it rather than who does
			bool_or(NOT c.sends) OVER (PARTITION BY c.shape_id, c.position) AND c.sends AS other
		FROM candidate c
		-- counts of what happens now and then differ by chance
		WHERE c.growth < c.middle - (limits).evidence_lossy_deviations * sqrt(c.middle)
			AND CASE WHEN EXISTS (SELECT FROM peer) THEN c.of_all
				ELSE c.growth < c.fewest AND (c.growth > c.usual OR c.growth >= (limits).evidence_counter_growth)
					AND NOT EXISTS (SELECT FROM counter o
						WHERE o.shape_id = c.shape_id AND o.position = c.position AND o.unit <> c.unit
							AND o.growth < c.fewest AND c.growth - o.growth
							<= (limits).evidence_lossy_deviations * sqrt(c.growth + o.growth)) END
	)
	SELECT r.unit, r.shape_id, r.position, r.stream_id, r.line_no, r.growth, r.fewest, r.most, r.senders, r.usual
	FROM receiver r
	WHERE r.receivers = 1 AND NOT r.other AND cardinality(l4_losing_receivers.units) >= (limits).evidence_counter_nodes;
END;
COMMENT ON FUNCTION @extschema@.l4_losing_receivers(text, @extschema@.l4_unit[], @extschema@.l4_job_stream[],
	@extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: The unit that several others send to which count, in their system logs, far more than in successful jobs of what gets '
'lost on the way (wordings of class lossy), and that itself counts less (growth; fewest and most: of those senders; usual: the '
'largest value of the pool).';

CREATE FUNCTION @extschema@.l4_standing_counts(job_id text, streams @extschema@.l4_job_stream[], shape_ids bigint[],
	since timestamptz)
RETURNS TABLE (unit text, shape_id bigint, "position" int, stream_id bigint, line_no bigint, ts timestamptz,
	number double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH place AS MATERIALIZED (
		-- by themselves: joined to the streams of the job each segment would be to all of them
		SELECT l.*
		FROM @extschema@.l4_job_segments(l4_standing_counts.job_id,
			ARRAY(SELECT DISTINCT t.source_id FROM unnest(l4_standing_counts.streams) t WHERE t.kind IN ('system', 'other')),
			l4_standing_counts.shape_ids) g
		CROSS JOIN LATERAL @extschema@.l4_shape_places(g.structure, g.texts, g.parameters, g.stream_ids,
			l4_standing_counts.shape_ids, true) l
		WHERE g.last_ts > l4_standing_counts.since AND l.ts > l4_standing_counts.since
	)
	SELECT s.unit, l.shape_id, p.position::int, l.stream_id, l.line_no, l.ts, v.number
	FROM place l
	JOIN unnest(l4_standing_counts.streams) s ON s.stream_id = l.stream_id
	CROSS JOIN LATERAL unnest(l.parameters) WITH ORDINALITY p (value, position)
	CROSS JOIN LATERAL (SELECT @extschema@.l4_counted_number(p.value)::float8 AS number OFFSET 0) v
	WHERE s.unit IS NOT NULL AND v.number IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_standing_counts(text, @extschema@.l4_job_stream[], bigint[], timestamptz) IS
'Step: The whole numbers in the records of given shapes in the system and other logs of the units of a job after a time: where '
'they stand, and when. Opens the segments of these records.';

CREATE FUNCTION @extschema@.l4_resending_units(job_id text, streams @extschema@.l4_job_stream[], limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings)
RETURNS TABLE (unit text, shape_id bigint, "position" int, stream_id bigint, line_no bigint, growth double precision,
	most double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 2
BEGIN ATOMIC
	-- While a job stands still nobody sends anything new. Who sends again all the same, again and again, does not get through
	-- to somebody: of a broken connection that is one end or both, whatever else was sent again while the job ran.
	WITH counter AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_lossy_counters(l4_resending_units.job_id, l4_resending_units.streams, limits,
			l4_resending_units.wordings) p
	),
	last_step AS MATERIALIZED (
		SELECT max(i.started_at) AS ts, percentile_disc(0.5) WITHIN GROUP (ORDER BY i.took) AS step
		FROM (SELECT o.started_at, o.started_at - lag(o.started_at) OVER (ORDER BY o.started_at) AS took
			FROM @extschema@.l4_job_timeline(l4_resending_units.job_id) o) i
		HAVING count(*) > 1
	),
	stood AS MATERIALIZED (
		-- since when no further step began, be it for many of the usual length; else nobody's segments are opened
		SELECT b.* FROM last_step b WHERE EXISTS (SELECT FROM @extschema@.l4_job_segments(l4_resending_units.job_id) g
			WHERE g.last_ts > b.ts + b.step * (limits).waited_steps)
	),
	counter_at AS MATERIALIZED (
		SELECT p.* FROM stood b
		CROSS JOIN (SELECT array_agg(DISTINCT c.shape_id) AS shape_ids FROM counter c HAVING count(*) > 0) x
		CROSS JOIN LATERAL @extschema@.l4_standing_counts(l4_resending_units.job_id, l4_resending_units.streams, x.shape_ids,
			b.ts) p
		WHERE (p.shape_id, p.position) IN (SELECT c.shape_id, c.position FROM counter c)
	),
	counted AS (
		-- of each log, from its first record of the standstill to the last one
		SELECT p.unit, p.shape_id, p.position, p.stream_id, max(p.line_no) AS line_no, max(p.ts) AS ts,
			GREATEST((array_agg(p.number ORDER BY p.ts DESC, p.line_no DESC))[1]
				- (array_agg(p.number ORDER BY p.ts, p.line_no))[1], 0) AS growth
		FROM counter_at p GROUP BY p.unit, p.shape_id, p.position, p.stream_id
		HAVING count(*) >= (limits).evidence_lossy_records
	),
	grown AS MATERIALIZED (
		SELECT DISTINCT ON (c.unit, c.shape_id, c.position) c.unit, c.shape_id, c.position, c.stream_id, c.line_no,
			sum(c.growth) OVER w AS growth, max(c.ts) OVER w AS ts
		FROM counted c WINDOW w AS (PARTITION BY c.unit, c.shape_id, c.position)
		ORDER BY c.unit, c.shape_id, c.position, c.growth DESC, c.stream_id
	),
	ranked AS (
		SELECT g.*, row_number() OVER (PARTITION BY g.shape_id, g.position ORDER BY g.growth DESC, g.unit) AS turn,
			count(*) OVER (PARTITION BY g.shape_id, g.position) AS tellers
		FROM grown g CROSS JOIN stood b WHERE g.ts > b.ts + b.step * (limits).waited_steps
	),
	rest AS (
		-- a connection has two ends; and to one that tells nothing any more others may send in vain
		SELECT r.shape_id, r.position, max(r.growth) AS most FROM ranked r
		WHERE r.turn > 2 AND r.tellers >= (limits).evidence_counter_nodes AND r.tellers = (SELECT count(*)
				FROM counter c WHERE c.shape_id = r.shape_id AND c.position = r.position)
		GROUP BY r.shape_id, r.position
	)
	SELECT r.unit, r.shape_id, r.position, r.stream_id, r.line_no, r.growth, o.most
	FROM ranked r JOIN rest o ON o.shape_id = r.shape_id AND o.position = r.position
	WHERE r.turn <= 2 AND r.growth >= (limits).evidence_resent_growth
		AND r.growth >= (limits).evidence_resent_factor * o.most;
END;
COMMENT ON FUNCTION @extschema@.l4_resending_units(text, @extschema@.l4_job_stream[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: The one or two units that go on sending again (wordings of class lossy) after the last step of the job began, for many '
'steps (limit waited_steps), far more than all others, of which none is silent (growth; most: of the others): ends of a '
'connection on which nothing gets through. Opens the segments of these counters.';

CREATE FUNCTION @extschema@.l4_evidence_counter(job_id text, units @extschema@.l4_unit[], streams @extschema@.l4_job_stream[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings) RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 2
BEGIN ATOMIC
	WITH receiver AS MATERIALIZED (
		SELECT r.* FROM @extschema@.l4_losing_receivers(l4_evidence_counter.job_id, l4_evidence_counter.units,
			l4_evidence_counter.streams, l4_evidence_counter.limits, l4_evidence_counter.wordings) r
	)
	SELECT u.unit, u.node, u.rank, 'counter',
		CASE WHEN c.usual IS NULL THEN (l4_evidence_counter.limits).evidence_counter_alone_part ELSE 1 END,
		NULL::float8, 'evidence_counter_factor',
		jsonb_build_object('position', c.position, 'growth', c.growth, 'median_growth', c.median, 'usual', c.usual),
		c.shape_id, c.stream_id, c.line_no, NULL::timestamptz
	FROM @extschema@.l4_counting_units(l4_evidence_counter.job_id, l4_evidence_counter.streams, l4_evidence_counter.limits) c
	JOIN unnest(l4_evidence_counter.units) u ON u.unit = c.unit
	-- whose packets another one loses counts them without fault
	WHERE NOT EXISTS (SELECT FROM receiver r WHERE r.shape_id = c.shape_id AND r.position = c.position AND r.unit <> c.unit
		AND c.growth >= r.fewest)
	UNION ALL
	SELECT u.unit, u.node, u.rank, 'counter', 1, NULL, 'evidence_lossy_deviations',
		jsonb_build_object('position', r.position, 'growth', r.growth, 'senders', r.senders, 'least_growth', r.fewest,
			'most_growth', r.most, 'usual', r.usual),
		r.shape_id, r.stream_id, NULL, NULL::timestamptz
	FROM receiver r
	JOIN unnest(l4_evidence_counter.units) u ON u.unit = r.unit
	UNION ALL
	SELECT u.unit, u.node, u.rank, 'counter', 1, NULL, 'evidence_resent_factor',
		jsonb_build_object('position', c.position, 'growth', c.growth, 'standing_growth', c.most),
		c.shape_id, c.stream_id, c.line_no, NULL::timestamptz
	FROM @extschema@.l4_resending_units(l4_evidence_counter.job_id, l4_evidence_counter.streams, l4_evidence_counter.limits,
		l4_evidence_counter.wordings) c
	JOIN unnest(l4_evidence_counter.units) u ON u.unit = c.unit;
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_counter(text, @extschema@.l4_unit[], @extschema@.l4_job_stream[],
	@extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Evidence of kind counter: a number in the system log of a unit grew far more than on the others (l4_counting_units), or '
'what they send to it gets lost (l4_losing_receivers), or it alone goes on sending again while the job stands still '
'(l4_resending_units).';
