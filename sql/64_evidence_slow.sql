/*
 * Slow: ranks that work in step take the same time for the same thing. Whose own durations are longer than the others', or
 * grew when the job's steps did, holds them up; who waits far less than the others is the one they wait for. What else tells it
 * is in 62_stragglers.sql.
 */

CREATE FUNCTION @extschema@.l4_measured_parameters(job_id text, limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint, shape_id bigint, "position" int, mean double precision, number_count bigint,
	maximum double precision, value text, rest text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	WITH often AS MATERIALIZED (
		SELECT h.shape_id, h.shape ~* '(second|time|elapsed|took|duration|latency|waited|cost|(\m|_)[num]?s(ec)?s?\M)' AS says
		FROM @extschema@.l4_job_shapes(l4_measured_parameters.job_id) e
		JOIN @extschema@.l4_shape h ON h.shape_id = e.shape_id
		WHERE e.max_per_stream >= 2 * (limits).evidence_slow_change_records AND strpos(h.shape, '<*>') > 0
	),
	inside AS (
		-- the unit may stand in the values alone (compute=<*>), which some ranks show
		SELECT DISTINCT p.shape_id
		FROM (SELECT array_agg(o.shape_id) AS shape_ids, ARRAY(SELECT s.source_id
				FROM @extschema@.l4_job_streams(l4_measured_parameters.job_id) s WHERE s.kind = 'rank'
				ORDER BY s.record_count DESC, s.stream_id LIMIT (limits).counter_streams::bigint) AS source_ids
			FROM often o WHERE NOT o.says HAVING count(*) > 0) u
		CROSS JOIN LATERAL @extschema@.l4_job_sketches(l4_measured_parameters.job_id, u.source_ids) k
		CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch, u.shape_ids) p
		WHERE p.number_count = p.occurrences AND p.minimum > 0
			AND @extschema@.l4_text_seconds('<*>', 1, p.values[1]) IS NOT NULL
	),
	shape AS MATERIALIZED (
		SELECT array_agg(o.shape_id) AS shape_ids FROM often o
		WHERE o.says OR o.shape_id IN (SELECT i.shape_id FROM inside i)
	)
	SELECT p.stream_id, p.shape_id, p.position, p.mean, p.number_count, p.maximum, p.values[1] AS value,
		translate(p.values[1], '0123456789.', '') AS rest
	FROM shape u
	CROSS JOIN @extschema@.l4_job_sketches(l4_measured_parameters.job_id) k
	CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch, u.shape_ids) p
	WHERE u.shape_ids IS NOT NULL AND p.number_count = p.occurrences AND p.distinct_values > 1 AND p.minimum > 0
		AND p.number_count >= 2 * (l4_measured_parameters.limits).evidence_slow_change_records;
END;
COMMENT ON FUNCTION @extschema@.l4_measured_parameters(text, @extschema@.l4_limits) IS
'Step: The parameters of a job''s statements that may be durations and vary, per stream: mean, number and largest of their '
'numbers, one value, and that without its digits (rest). Reads all sketches of the job.';

CREATE FUNCTION @extschema@.l4_timed_parameters(job_id text, limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint, shape_id bigint, "position" int, mean double precision, number_count bigint,
	maximum double precision, seconds double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	WITH parameter AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_measured_parameters(l4_timed_parameters.job_id, l4_timed_parameters.limits) p
	),
	measure AS MATERIALIZED (
		-- asked once a position and unit, not once a rank
		SELECT m.shape_id, m.position, m.rest, @extschema@.l4_text_seconds(h.shape, m.position, m.value) AS seconds
		FROM (SELECT p.shape_id, p.position, p.rest, min(p.value) AS value FROM parameter p
			GROUP BY p.shape_id, p.position, p.rest) m
		JOIN @extschema@.l4_shape h ON h.shape_id = m.shape_id
	),
	total AS MATERIALIZED (
		SELECT p.shape_id, p.position, sum(p.mean * p.number_count) AS total FROM parameter p GROUP BY p.shape_id, p.position
	),
	part AS (
		-- what a duration is made of is told behind it, without a unit: "900 ms (read 20, compute 880)"
		SELECT w.shape_id, w.position, w.seconds
		FROM (SELECT t.shape_id, t.position, o.seconds, u.total AS whole,
				sum(t.total) OVER (PARTITION BY t.shape_id, u.position) AS parts
			FROM total t
			JOIN @extschema@.l4_shape h ON h.shape_id = t.shape_id
			JOIN total u ON u.shape_id = t.shape_id AND u.position = @extschema@.l4_broken_down(h.shape, t.position)
			JOIN (SELECT m.shape_id, m.position, min(m.seconds) AS seconds FROM measure m GROUP BY m.shape_id, m.position) o
				ON o.shape_id = u.shape_id AND o.position = u.position
			WHERE o.seconds IS NOT NULL) w
		WHERE LEAST(w.parts / w.whole, w.whole / w.parts) >= (l4_timed_parameters.limits).evidence_slow_parts_share
	)
	SELECT p.stream_id, p.shape_id, p.position, p.mean, p.number_count, p.maximum, COALESCE(m.seconds, b.seconds)
	FROM parameter p
	JOIN measure m ON m.shape_id = p.shape_id AND m.position = p.position AND m.rest = p.rest
	LEFT JOIN part b ON b.shape_id = p.shape_id AND b.position = p.position
	WHERE COALESCE(m.seconds, b.seconds) IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_timed_parameters(text, @extschema@.l4_limits) IS
'Step: The parameters of a job''s statements that are durations which vary, per stream: mean, number and largest in the '
'unit in which they are printed, and how many seconds that is. Reads all sketches of the job.';

CREATE FUNCTION @extschema@.l4_slow_ranks(job_id text, streams @extschema@.l4_job_stream[], limits @extschema@.l4_limits)
RETURNS TABLE (unit text, node text, rank int, shape_id bigint, "position" int, mean double precision, median double precision,
	z double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	-- Durations that a statement prints, in seconds, per rank, logarithmic, against median and spread of the ranks. Of each
	-- rank the longest one is left out: one stall makes no slow rank.
	WITH parameter AS MATERIALIZED (
		SELECT s.unit, s.node, s.rank, p.*
		FROM @extschema@.l4_timed_parameters(l4_slow_ranks.job_id, l4_slow_ranks.limits) p
		JOIN unnest(l4_slow_ranks.streams) s ON s.stream_id = p.stream_id
		WHERE s.kind = 'rank' AND s.unit IS NOT NULL AND p.number_count >= (limits).evidence_slow_few_records
	),
	duration AS MATERIALIZED (
		SELECT p.unit, p.node, p.rank, p.shape_id, p.position,
			LEAST(1, p.number_count / (limits).evidence_slow_records) AS weight,
			ln((p.mean * p.number_count - p.maximum) / (p.number_count - 1) * p.seconds) AS level,
			EXTRACT(epoch FROM e.last_ts - e.first_ts) / (e.occurrences - 1) AS step
		FROM parameter p
		JOIN @extschema@.l4_job_counts(l4_slow_ranks.job_id, shape_ids => ARRAY(SELECT DISTINCT o.shape_id FROM parameter o),
			min_occurrences => (l4_slow_ranks.limits).evidence_slow_few_records::bigint) e
			ON e.stream_id = p.stream_id AND e.shape_id = p.shape_id
	),
	middle AS (
		SELECT d.shape_id, d.position, percentile_cont(0.5) WITHIN GROUP (ORDER BY d.level) AS level,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY d.step) AS step, count(*) AS ranks
		FROM duration d GROUP BY d.shape_id, d.position
			-- of few nodes the ranks tell what is usual
			HAVING count(*) >= (l4_slow_ranks.limits).evidence_slow_streams AND (count(DISTINCT d.unit)
				>= LEAST((l4_slow_ranks.limits).evidence_slow_streams, (SELECT count(DISTINCT p.unit) FROM parameter p)))
	),
	spread AS (
		SELECT d.shape_id, d.position, m.level, m.step, m.ranks,
			GREATEST((l4_slow_ranks.limits).evidence_spread_factor
				* percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(d.level - m.level)),
				(l4_slow_ranks.limits).evidence_slow_spread) AS scale
		FROM duration d JOIN middle m USING (shape_id, position) GROUP BY d.shape_id, d.position, m.level, m.step, m.ranks
	)
	SELECT d.unit, d.node, d.rank, d.shape_id, d.position, exp(d.level), exp(s.level), (d.level - s.level) / s.scale
	FROM duration d JOIN spread s USING (shape_id, position)
	WHERE abs(d.level - s.level) / s.scale * d.weight
		> sqrt(2 * ln(s.ranks * (l4_slow_ranks.limits).evidence_slow_chances)) + 1
		-- of trifles nobody waits for anybody
		AND exp(GREATEST(d.level, s.level)) > (l4_slow_ranks.limits).evidence_slow_step_share * COALESCE(s.step, 0);
END;
COMMENT ON FUNCTION @extschema@.l4_slow_ranks(text, @extschema@.l4_job_stream[], @extschema@.l4_limits) IS
'Step: Ranks, with their units, whose durations in a statement stand out from the other ranks'': the mean without the '
'longest and the median of the ranks, in seconds, and how many robust standard deviations of logarithms lie between (z). z '
'above 0: it takes longer; below 0: it waits less, so the others may wait for it. Only durations of '
'evidence_slow_step_share of the time between two such statements or more. Nothing for fewer ranks than '
'evidence_slow_streams; where there are more nodes, of so many.';

CREATE FUNCTION @extschema@.l4_slow_streams(timed_streams bigint[], timed_shapes bigint[], positions int[],
	means double precision[], limits @extschema@.l4_limits) RETURNS SETOF bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 ROWS 64
BEGIN ATOMIC
	WITH timed AS (
		SELECT t.*, row_number() OVER (PARTITION BY t.shape_id, t.position ORDER BY t.mean DESC, t.stream_id) AS from_longest,
			row_number() OVER (PARTITION BY t.shape_id, t.position ORDER BY t.mean, t.stream_id) AS from_shortest
		FROM ROWS FROM (unnest(l4_slow_streams.timed_streams), unnest(l4_slow_streams.timed_shapes),
			unnest(l4_slow_streams.positions), unnest(l4_slow_streams.means)) t (stream_id, shape_id, position, mean)
	),
	stream AS (
		SELECT t.stream_id, bool_or(LEAST(t.from_longest, t.from_shortest) <= (limits).slow_streams_extreme) AS extreme,
			row_number() OVER (ORDER BY t.stream_id) - 1 AS turn, count(*) OVER () AS streams
		FROM timed t GROUP BY t.stream_id
	)
	SELECT s.stream_id FROM stream s
	WHERE s.extreme OR s.turn % ceil(s.streams / (limits).slow_streams)::bigint = 0;
END;
COMMENT ON FUNCTION @extschema@.l4_slow_streams(bigint[], bigint[], int[], double precision[], @extschema@.l4_limits) IS
'Step: Which streams are read for how durations changed: all of few, else evenly chosen ones, and those whose means are the '
'longest and the shortest. Four arrays of one length: streams, with statement, position and mean of a duration.';

CREATE FUNCTION @extschema@.l4_slow_changes(job_id text, streams @extschema@.l4_job_stream[], slow @extschema@.l4_slow_regime,
	limits @extschema@.l4_limits)
RETURNS TABLE (unit text, node text, rank int, shape_id bigint, "position" int, before double precision,
	after double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH timed AS MATERIALIZED (
		SELECT p.stream_id, p.shape_id, p.position, p.mean, p.seconds, s.unit, s.node, s.rank, s.source_id
		FROM @extschema@.l4_timed_parameters(l4_slow_changes.job_id, limits) p
		JOIN unnest(l4_slow_changes.streams) s ON s.stream_id = p.stream_id
		WHERE s.kind = 'rank' AND s.unit IS NOT NULL
	),
	chosen AS MATERIALIZED (
		SELECT t.* FROM timed t
		WHERE t.stream_id IN (SELECT @extschema@.l4_slow_streams(array_agg(o.stream_id), array_agg(o.shape_id),
			array_agg(o.position), array_agg(o.mean), limits) FROM timed o)
	),
	span AS MATERIALIZED (
		SELECT w.* FROM @extschema@.l4_slow_span(l4_slow_changes.job_id, l4_slow_changes.slow, limits) w
	),
	record AS MATERIALIZED (
		-- a clock that is off does not matter where the stream marks iterations itself
		SELECT r.stream_id, r.shape_id, r.parameters,
			COALESCE(r.iteration >= (l4_slow_changes.slow).iteration,
				@extschema@.l4_told_since(l4_slow_changes.slow, r.ts)) AS slow
		FROM span w, @extschema@.l4_job_segments(l4_slow_changes.job_id, ARRAY(SELECT DISTINCT c.source_id FROM chosen c),
			ARRAY(SELECT DISTINCT c.shape_id FROM chosen c)) g
		CROSS JOIN LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r
		WHERE (g.segment_no < (limits).onset_segments OR g.last_ts >= w.since AND g.first_ts <= w.until)
			AND COALESCE(r.iteration BETWEEN w.first AND w.last, r.ts BETWEEN w.since AND w.until)
	)
	SELECT c.unit, c.node, c.rank, c.shape_id, c.position,
		CASE WHEN (l4_slow_changes.slow).spells THEN avg(v.value) FILTER (WHERE NOT r.slow)
			ELSE percentile_cont(0.5) WITHIN GROUP (ORDER BY v.value) FILTER (WHERE NOT r.slow) END,
		CASE WHEN (l4_slow_changes.slow).spells THEN avg(v.value) FILTER (WHERE r.slow)
			ELSE percentile_cont(0.5) WITHIN GROUP (ORDER BY v.value) FILTER (WHERE r.slow) END
	FROM chosen c
	JOIN record r ON r.stream_id = c.stream_id AND r.shape_id = c.shape_id
	CROSS JOIN LATERAL (SELECT @extschema@.l4_value_seconds(r.parameters[c.position], c.seconds) AS value) v
	WHERE v.value > 0
	GROUP BY c.unit, c.node, c.rank, c.stream_id, c.shape_id, c.position, c.seconds
	HAVING LEAST(count(*) FILTER (WHERE NOT r.slow), count(*) FILTER (WHERE r.slow)) >= (limits).evidence_slow_change_records;
END;
COMMENT ON FUNCTION @extschema@.l4_slow_changes(text, @extschema@.l4_job_stream[], @extschema@.l4_slow_regime,
	@extschema@.l4_limits) IS
'Step: The durations that ranks print in a statement, in seconds, before and since the steps of the job are slow (medians; '
'means where steps are slow now and then); of many ranks some are read (l4_slow_streams). Cost: opens the segments of these '
'about that place.';

CREATE FUNCTION @extschema@.l4_changed_ranks(job_id text, streams @extschema@.l4_job_stream[],
	slow @extschema@.l4_slow_regime, limits @extschema@.l4_limits)
RETURNS TABLE (unit text, node text, rank int, shape_id bigint, "position" int, before double precision,
	after double precision, others_before double precision, others_after double precision, z double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 10
BEGIN ATOMIC
	-- Each rank against its own past: ranks with other work (stages of a pipeline) differ in level, not in how that changes.
	-- Few and short durations change by chance, and that hides one that then is another than all others, as it was not before.
	WITH change AS MATERIALIZED (
		SELECT c.*, ln(c.after / c.before) AS growth, ln(c.after) AS level
		FROM (SELECT s.* FROM @extschema@.l4_slow_changes(l4_changed_ranks.job_id, l4_changed_ranks.streams,
				l4_changed_ranks.slow, limits) s
			UNION ALL
			SELECT l.* FROM @extschema@.l4_listed_changes(l4_changed_ranks.job_id, l4_changed_ranks.slow, limits) l) c
	),
	middle AS (
		SELECT c.shape_id, c.position, count(*) AS ranks, percentile_cont(0.5) WITHIN GROUP (ORDER BY c.growth) AS growth,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY c.level) AS level,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY c.before) AS before,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY c.after) AS after
		FROM change c GROUP BY c.shape_id, c.position
		HAVING count(*) >= (limits).evidence_slow_streams
			AND count(DISTINCT c.unit) >= LEAST((limits).evidence_slow_streams, (SELECT count(DISTINCT o.unit) FROM change o))
	),
	spread AS (
		SELECT m.shape_id, m.position, m.ranks, m.growth, m.level, m.before, m.after,
			sqrt(2 * ln(m.ranks * (limits).evidence_slow_chances)) + 1 AS needed,
			GREATEST((limits).evidence_slow_spread, (limits).evidence_spread_factor
				* percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(c.growth - m.growth))) AS scale,
			GREATEST((limits).evidence_slow_spread, (limits).evidence_spread_factor
				* percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(c.level - m.level))) AS level_scale
		FROM change c JOIN middle m USING (shape_id, position)
		GROUP BY m.shape_id, m.position, m.ranks, m.growth, m.level, m.before, m.after
	),
	share AS (
		-- of what a step takes longer: where that of one rank grew by most of it, that one explains it; or where that of all
		-- others did, who wait, and its own did not
		SELECT c.*, count(*) FILTER (WHERE c.share > (limits).evidence_slow_idle_share) OVER w AS growing,
			count(*) FILTER (WHERE c.share < (limits).evidence_slow_explained_share) OVER w AS steady
		FROM (SELECT o.*, (o.after - o.before) / NULLIF((l4_changed_ranks.slow).after - (l4_changed_ranks.slow).before, 0)
			AS share FROM change o) c
		WINDOW w AS (PARTITION BY c.shape_id, c.position)
	),
	deviation AS (
		SELECT c.*, s.before AS others_before, s.after AS others_after, s.needed, (c.growth - s.growth) / s.scale AS by_growth,
			CASE WHEN abs(c.growth - s.growth) > ln((limits).slow_factor)
				AND sign(c.growth - s.growth) = sign(c.level - s.level)
				THEN (c.level - s.level) / s.level_scale END AS by_level,
			c.growing = 1 AND c.share >= (limits).evidence_slow_explained_share
				OR c.steady = 1 AND c.share <= (limits).evidence_slow_idle_share AS explains
		FROM share c JOIN spread s USING (shape_id, position)
	)
	SELECT d.unit, d.node, d.rank, d.shape_id, d.position, d.before, d.after, d.others_before, d.others_after,
		-- of trifles nobody waits for anybody, and who takes less than the others is waited for only where these take longer
		CASE WHEN GREATEST(d.before, d.after, d.others_after)
				> (limits).evidence_slow_step_share * (l4_changed_ranks.slow).after
				AND (d.by_growth > 0 OR d.others_after > (limits).slow_factor * d.others_before)
			THEN CASE WHEN abs(d.by_growth) > d.needed OR d.explains THEN d.by_growth
				WHEN abs(d.by_level) > d.needed THEN d.by_level END END
	FROM deviation d;
END;
COMMENT ON FUNCTION @extschema@.l4_changed_ranks(text, @extschema@.l4_job_stream[], @extschema@.l4_slow_regime,
	@extschema@.l4_limits) IS
'Step: How the durations that ranks print, or that are listed of all, changed when the steps of the job became slow: before '
'and since, in seconds, the same in the middle of the ranks, and by how many robust standard deviations of such growths, or of '
'the durations since, the '
'rank stands out, or how many those are where what its own grew by explains what a step takes longer (z; NULL where neither). '
'z above 0: it takes longer than before; below 0: it waits less, so the others '
'may wait for it.';

CREATE FUNCTION @extschema@.l4_slow_pieces(job_id text, streams @extschema@.l4_job_stream[],
	clocks @extschema@.l4_clock_offset[], slow @extschema@.l4_slow_regime, limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings)
RETURNS TABLE (unit text, node text, rank int, shape_id bigint, "position" int, z double precision, numbers jsonb)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 10
BEGIN ATOMIC
	WITH changed AS MATERIALIZED (
		SELECT c.*
		FROM @extschema@.l4_changed_ranks(l4_slow_pieces.job_id, l4_slow_pieces.streams, l4_slow_pieces.slow, limits) c
		WHERE (l4_slow_pieces.slow).iteration IS NOT NULL
	),
	mean AS MATERIALIZED (
		SELECT w.* FROM @extschema@.l4_slow_ranks(l4_slow_pieces.job_id, l4_slow_pieces.streams, limits) w
	),
	since AS (
		-- statements that are made since then alone, or since the iteration before: the first slow step may be told of at its
		-- end
		SELECT e.shape_id
		FROM @extschema@.l4_job_counts(l4_slow_pieces.job_id, shape_ids => ARRAY(SELECT DISTINCT w.shape_id FROM mean w)) e
		GROUP BY e.shape_id HAVING min(e.first_iteration) >= (l4_slow_pieces.slow).iteration - 1
	)
	SELECT c.unit, c.node, c.rank, c.shape_id, c.position, c.z,
		jsonb_build_object('before_seconds', c.before, 'after_seconds', c.after, 'median_before_seconds', c.others_before,
			'median_after_seconds', c.others_after, 'iteration', (l4_slow_pieces.slow).iteration)
	FROM changed c WHERE c.z IS NOT NULL
	UNION ALL
	-- where no change can be told, the means
	SELECT w.unit, w.node, w.rank, w.shape_id, w.position, w.z,
		jsonb_build_object('mean_seconds', w.mean, 'median_seconds', w.median)
	FROM mean w
	WHERE NOT EXISTS (SELECT FROM changed) OR w.shape_id IN (SELECT n.shape_id FROM since n)
	UNION ALL
	SELECT a.* FROM @extschema@.l4_late_ranks(l4_slow_pieces.job_id, l4_slow_pieces.streams, l4_slow_pieces.slow, limits) a
	UNION ALL
	SELECT n.* FROM @extschema@.l4_called_slowest(l4_slow_pieces.job_id, l4_slow_pieces.slow, limits, wordings) n
	UNION ALL
	SELECT e.* FROM @extschema@.l4_late_ends(l4_slow_pieces.job_id, l4_slow_pieces.streams, l4_slow_pieces.clocks,
		l4_slow_pieces.slow, limits) e;
END;
COMMENT ON FUNCTION @extschema@.l4_slow_pieces(text, @extschema@.l4_job_stream[], @extschema@.l4_clock_offset[],
	@extschema@.l4_slow_regime, @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Ranks whose durations in a statement stand out: by how they changed when the steps of the job became slow '
'(l4_changed_ranks), or, where there is no such place or too few durations about it, or all are since then, by their means '
'(l4_slow_ranks); and those that come later since then (l4_late_ranks), are called the slowest (l4_called_slowest) or end '
'long after all others (l4_late_ends); by how many standard deviations (z), and the numbers for l4_evidence.';

CREATE FUNCTION @extschema@.l4_evidence_slow(job_id text, units @extschema@.l4_unit[], streams @extschema@.l4_job_stream[],
	clocks @extschema@.l4_clock_offset[], rank_fails boolean, slow @extschema@.l4_slow_regime, limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings) RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 2
BEGIN ATOMIC
	WITH slowest AS (
		SELECT DISTINCT ON (w.unit, w.shape_id, w.position, w.z > 0) w.*
		FROM @extschema@.l4_slow_pieces(l4_evidence_slow.job_id, l4_evidence_slow.streams, l4_evidence_slow.clocks,
			l4_evidence_slow.slow, limits, wordings) w
		-- only where no rank fails: in its wake durations go wrong, and all parameters of all ranks are read for it
		WHERE NOT l4_evidence_slow.rank_fails
		ORDER BY w.unit, w.shape_id, w.position, w.z > 0, abs(w.z) DESC, w.rank
	),
	shared AS (
		SELECT w.*, count(*) OVER (PARTITION BY w.shape_id, w.position, w.z > 0) AS units_slow FROM slowest w
	)
	SELECT DISTINCT ON (w.unit) w.unit, w.node, w.rank, 'slow',
		CASE WHEN w.numbers ? 'ends_seconds' THEN (limits).evidence_slow_ends_part
			WHEN w.z > 0 THEN 1 ELSE (limits).evidence_slow_waits_part END / sqrt(w.units_slow),
		NULL::float8, CASE WHEN w.numbers ? 'ends_seconds' THEN 'evidence_ends_factor' ELSE 'evidence_slow_chances' END,
		w.numbers || jsonb_build_object('position', w.position, 'deviations', w.z, 'units_slow', w.units_slow),
		w.shape_id, NULL::bigint, NULL::bigint, NULL::timestamptz
	FROM shared w
	WHERE @extschema@.l4_is_few(w.units_slow, cardinality(l4_evidence_slow.units), (limits).evidence_slow_node_share)
	ORDER BY w.unit, w.z > 0 DESC, w.numbers ? 'ends_seconds', w.units_slow, abs(w.z) DESC, w.shape_id, w.position;
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_slow(text, @extschema@.l4_unit[], @extschema@.l4_job_stream[],
	@extschema@.l4_clock_offset[], boolean, @extschema@.l4_slow_regime, @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Evidence of kind slow: the durations of one of the unit''s ranks stand out from the other ranks'' (l4_slow_pieces), '
'the strongest piece of each unit. slow: l4_slow_regime, NULL where no steps are slow. Nothing where a rank fails with an '
'error (rank_fails).';
