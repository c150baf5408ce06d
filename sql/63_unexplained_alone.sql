/*
 * Unexplained in a job without successful ones to compare it with.
 *
 * Nothing can be subtracted, and keywords alone ring on every healthy job (a failed sensor read, a retry). What is left are
 * severity, rarity and time. Noise begins early, and whoever logs it goes on; a failure begins after the job's last progress,
 * and what it brings about has not been seen before it.
 */

CREATE FUNCTION @extschema@.l4_machine_habits(job_id text, shape_ids bigint[], limits @extschema@.l4_limits)
RETURNS TABLE (shape_id bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH machine AS MATERIALIZED (
		SELECT array_agg(s.stream_id) AS stream_ids FROM @extschema@.l4_job_streams(l4_machine_habits.job_id) s
		WHERE s.kind = 'system'
	)
	SELECT e.shape_id
	FROM machine m
	CROSS JOIN LATERAL @extschema@.l4_job_counts(l4_machine_habits.job_id, m.stream_ids, l4_machine_habits.shape_ids) e
	JOIN @extschema@.l4_job_last_lines(l4_machine_habits.job_id, (SELECT o.stream_ids FROM machine o)) n
		ON n.stream_id = e.stream_id
	WHERE e.first_line <= n.last_line * (limits).unexplained_late_share
		AND e.last_line > n.last_line * (1 - (limits).unexplained_late_share)
	GROUP BY e.shape_id
	HAVING count(*) > (limits).evidence_common_share * (SELECT cardinality(o.stream_ids) FROM machine o);
END;
COMMENT ON FUNCTION @extschema@.l4_machine_habits(text, bigint[], @extschema@.l4_limits) IS
'Step: Of shapes of a job those that most of its machines log in their system logs from early on to the end: no failure, but '
'what such machines always say.';

CREATE FUNCTION @extschema@.l4_severe_shapes(job_id text, attempts @extschema@.l4_attempt[],
	clocks @extschema@.l4_source_clock[], last_good timestamptz, limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS TABLE (stream_id bigint, shape_id bigint, first_line bigint, last_line bigint, kind text, gravity int,
	first_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH said AS MATERIALIZED (SELECT n.* FROM @extschema@.l4_job_shapes(l4_severe_shapes.job_id) n),
	judged AS MATERIALIZED (
		-- advice to programmers says what may go wrong some day
		SELECT s.shape_id, g.gravity, n.level_rank, s.shape ~ (wordings).tolerated
			OR s.shape ~ (wordings).advice AND greatest(g.gravity, n.level_rank) < (limits).gravity_error AS tolerated
		FROM said n
		JOIN @extschema@.l4_shape s ON s.shape_id = n.shape_id AND s.shape_id = ANY (ARRAY(SELECT o.shape_id FROM said o))
		CROSS JOIN LATERAL (SELECT @extschema@.l4_text_gravity(s.shape, wordings) AS gravity OFFSET 0) g
	),
	entry AS (
		SELECT e.stream_id, e.shape_id, e.first_line, e.last_line, t.source_id, t.attempt, t.kind, s.tolerated,
			greatest(@extschema@.l4_level_rank(e.level), s.gravity) AS gravity,
			-- lines of a file that several streams share come in order, whatever their own clocks say
			CASE WHEN c.lines IS NOT NULL THEN @extschema@.l4_time_at(e.first_line, c.lines, c.times)
				WHEN @extschema@.l4_clock_was_set(e.first_ts) THEN e.first_ts END AS first_at,
			e.first_line > c.lines[cardinality(c.lines)] IS TRUE AS at_end
		FROM @extschema@.l4_job_counts(l4_severe_shapes.job_id, NULL,
			ARRAY(SELECT j.shape_id FROM judged j WHERE greatest(j.gravity, j.level_rank) >= (limits).gravity_trouble)) e
		JOIN @extschema@.l4_job_streams(l4_severe_shapes.job_id) t ON t.stream_id = e.stream_id
		JOIN judged s ON s.shape_id = e.shape_id LEFT JOIN unnest(l4_severe_shapes.clocks) c ON c.source_id = t.source_id
	),
	seen AS (
		SELECT e.*, min(e.first_at) OVER w AS first_in_job, bool_and(e.at_end) OVER w AS all_at_end FROM entry e
		WINDOW w AS (PARTITION BY e.shape_id)
	),
	origin AS (
		-- of a job of several attempts: the end of the one in which it came first
		SELECT DISTINCT ON (e.shape_id) e.shape_id, NOT @extschema@.l4_is_before_progress(l4_severe_shapes.attempts, e.attempt,
			e.source_id, e.first_line, e.first_at) AS late
		FROM entry e
		WHERE cardinality(l4_severe_shapes.attempts) > 0 AND e.first_at IS NOT NULL
		ORDER BY e.shape_id, e.first_at, e.source_id, e.first_line, e.stream_id
	),
	iteration AS (
		SELECT i.started_at FROM @extschema@.l4_job_timeline(l4_severe_shapes.job_id) i ORDER BY i.started_at OFFSET 1 LIMIT 1
	)
	SELECT e.stream_id, e.shape_id, e.first_line, e.last_line, e.kind, e.gravity, e.first_at
	FROM seen e LEFT JOIN origin o ON o.shape_id = e.shape_id
	JOIN @extschema@.l4_job_stream_ends(l4_severe_shapes.job_id, l4_severe_shapes.clocks, last_good) n
		ON n.stream_id = e.stream_id
	-- while a job starts warnings are common; one of which no rank came to speak leaves little else
	WHERE e.gravity >= CASE WHEN isfinite(last_good) OR NOT EXISTS (SELECT FROM @extschema@.l4_job_streams(
			l4_severe_shapes.job_id) r WHERE r.kind = 'rank') THEN (limits).gravity_trouble ELSE (limits).gravity_error END
		AND NOT e.tolerated
		AND CASE
			WHEN o.shape_id IS NOT NULL THEN o.late
			-- a full or read-only disk lies in wait until something is written
			WHEN e.kind = 'system' AND e.gravity >= (limits).gravity_fatal
				AND e.first_in_job > (SELECT i.started_at FROM iteration i) THEN true
			-- what stands behind the last stamp of a file may have been written at any time later
			WHEN e.first_in_job IS NOT NULL THEN e.first_in_job > last_good OR e.all_at_end
			WHEN n.stamped THEN e.first_line > coalesce(n.before_line, 0)
			ELSE e.first_line > n.end_line * (limits).unexplained_late_share
		END;
END;
COMMENT ON FUNCTION @extschema@.l4_severe_shapes(text, @extschema@.l4_attempt[], @extschema@.l4_source_clock[], timestamptz,
	@extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: What sounds grave, in spite of which the program does not say that it goes on, and whose first record in the whole '
'job comes after its last good iteration (last_good; -infinity: without iterations, an error at least, anywhere, or less where '
'no rank has a log); per stream and shape. attempts: l4_job_attempts; clocks: l4_source_clocks.';

CREATE FUNCTION @extschema@.l4_went_on_after(job_id text, stream_ids bigint[], shape_ids bigint[], lines bigint[],
	times timestamptz[], limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint, line_no bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH stream AS MATERIALIZED (
		SELECT s.stream_id, s.kind, s.unit FROM @extschema@.l4_job_streams(l4_went_on_after.job_id) s
	),
	common AS MATERIALIZED (
		SELECT k.shape_id
		FROM @extschema@.l4_job_kind_counts(l4_went_on_after.job_id) k
		JOIN @extschema@.l4_job_shapes(l4_went_on_after.job_id) s ON s.shape_id = k.shape_id
		WHERE k.kind = 'rank' AND coalesce(s.level_rank, 0) < (limits).gravity_trouble
			AND k.streams > 1 AND k.streams >= (limits).alone_peer_share * (SELECT count(*) FROM stream s WHERE s.kind = 'rank')
	),
	wanted AS MATERIALIZED (
		SELECT w.stream_id, w.shape_id, w.line_no, CASE WHEN s.kind <> 'rank' THEN w.ts END AS ts,
			coalesce(r.stream_id, s.stream_id) AS rank_stream
		FROM ROWS FROM (unnest(l4_went_on_after.stream_ids), unnest(l4_went_on_after.shape_ids),
			unnest(l4_went_on_after.lines), unnest(l4_went_on_after.times)) w (stream_id, shape_id, line_no, ts)
		JOIN stream s ON s.stream_id = w.stream_id
		-- what a machine says is held against what its ranks do next
		LEFT JOIN stream r ON s.kind <> 'rank' AND r.kind = 'rank' AND r.unit = s.unit
	),
	survived AS MATERIALIZED (
		SELECT w.stream_id, w.shape_id, w.line_no
		FROM @extschema@.l4_job_counts(l4_went_on_after.job_id, ARRAY(SELECT DISTINCT w.rank_stream FROM wanted w),
			ARRAY(SELECT c.shape_id FROM common c)) e
		JOIN wanted w ON w.rank_stream = e.stream_id
			AND CASE WHEN w.rank_stream = w.stream_id THEN e.first_line > w.line_no ELSE e.first_ts > w.ts END
		GROUP BY w.stream_id, w.shape_id, w.line_no
		HAVING count(DISTINCT e.shape_id) >= (limits).alone_peer_statements
	),
	harmless AS (
		-- of a statement that most went on after the others did not fail
		SELECT w.shape_id
		FROM (SELECT DISTINCT w.stream_id, w.shape_id, w.line_no FROM wanted w) w
		LEFT JOIN survived o ON o.stream_id = w.stream_id AND o.shape_id = w.shape_id AND o.line_no = w.line_no
		GROUP BY w.shape_id HAVING count(o.stream_id) > (limits).alone_survived_share * count(*)
	)
	SELECT DISTINCT w.stream_id, w.line_no FROM wanted w
	WHERE w.shape_id IN (SELECT h.shape_id FROM harmless h)
		OR (w.stream_id, w.line_no) IN (SELECT o.stream_id, o.line_no FROM survived o);
END;
COMMENT ON FUNCTION @extschema@.l4_went_on_after(text, bigint[], bigint[], bigint[], timestamptz[], @extschema@.l4_limits) IS
'Step: Of records of streams (arrays of one length: stream, shape, line, time) those after which their rank, or a rank of '
'their node, went on: it logged further statements first later on that most ranks log and that are not grave; and those of a '
'statement that most of its streams went on after.';

CREATE FUNCTION @extschema@.l4_following_shapes(job_id text, severe @extschema@.l4_unexplained_shape[],
	clocks @extschema@.l4_source_clock[], since timestamptz, iterated boolean, limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_unexplained_shape
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH fresh AS MATERIALIZED (
		SELECT f.shape_id, s.shape,
			s.shape ~ (wordings).ending OR s.shape ~ (wordings).peer OR s.shape ~ (wordings).closing AS told
		FROM @extschema@.l4_job_shapes_since(l4_following_shapes.job_id, l4_following_shapes.clocks,
			l4_following_shapes.since) f
		JOIN @extschema@.l4_shape s ON s.shape_id = f.shape_id
		WHERE f.shape_id NOT IN (SELECT v.shape_id FROM unnest(l4_following_shapes.severe) v)
			AND NOT s.shape ~ (wordings).advice AND @extschema@.l4_shape_words(s.shape) <> ''
	),
	beginning AS MATERIALIZED (
		SELECT t.source_id, min(v.line_no) AS first_line
		FROM unnest(l4_following_shapes.severe) v
		JOIN @extschema@.l4_job_streams(l4_following_shapes.job_id) t ON t.stream_id = v.stream_id
		GROUP BY t.source_id
	),
	entry AS (
		SELECT e.stream_id, e.shape_id, e.first_line, f.shape, f.told OR t.kind = 'launcher' AND e.level IS NULL
				OR e.level IS NULL AND t.label IS NOT NULL AND e.first_line > o.first_line
				-- what machines say is not in step with the iterations
				OR t.kind IN ('rank', 'launcher') AND l4_following_shapes.iterated AS told,
			e.level IS NULL AS bare, false AS severe,
			bool_or(e.first_line < b.first_line) OVER (PARTITION BY e.shape_id) IS TRUE AS before
		FROM @extschema@.l4_job_counts(l4_following_shapes.job_id, NULL, ARRAY(SELECT f.shape_id FROM fresh f)) e
		JOIN fresh f ON f.shape_id = e.shape_id
		JOIN @extschema@.l4_job_streams(l4_following_shapes.job_id) t ON t.stream_id = e.stream_id
		LEFT JOIN beginning b ON b.source_id = t.source_id
		LEFT JOIN (SELECT v.stream_id, min(v.line_no) AS first_line FROM unnest(l4_following_shapes.severe) v
			GROUP BY v.stream_id) o ON o.stream_id = e.stream_id
		UNION ALL
		SELECT v.stream_id, v.shape_id, v.line_no, s.shape, false, false, true, false
		FROM unnest(l4_following_shapes.severe) v JOIN @extschema@.l4_shape s ON s.shape_id = v.shape_id
	),
	line AS (
		-- a record of several lines ends so many lines further down
		SELECT e.*, e.severe OR NOT e.bare OR (e.first_line - lag(e.first_line + regexp_count(e.shape, E'\n')) OVER w
			<= (limits).unexplained_block_lines) IS NOT TRUE AS begins
		FROM entry e
		WHERE NOT e.before
		WINDOW w AS (PARTITION BY e.stream_id ORDER BY e.first_line, e.shape_id)
	),
	block AS (
		SELECT l.*, count(*) FILTER (WHERE l.begins) OVER (PARTITION BY l.stream_id ORDER BY l.first_line, l.shape_id) AS block
		FROM line l
	),
	judged AS (SELECT b.*, bool_or(b.severe) OVER (PARTITION BY b.stream_id, b.block) AS of_severe FROM block b)
	SELECT j.stream_id, j.shape_id, 'follows', j.first_line, NULL::jsonb, NULL::int, NULL::text
	FROM judged j
	WHERE NOT j.severe AND (j.told OR j.of_severe);
END;
COMMENT ON FUNCTION @extschema@.l4_following_shapes(text, @extschema@.l4_unexplained_shape[], @extschema@.l4_source_clock[],
	timestamptz, boolean, @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: What nobody logged before something grave (severe) came first in the job (since), though it does not sound grave '
'itself: of a job that iterated, since it had logged all that belongs to an iteration by then (iterated); of others, what '
'says that something ended, and lines without a header in one block with a grave one.';

CREATE FUNCTION @extschema@.l4_unexplained_without_pool(job_id text, attempts @extschema@.l4_attempt[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_unexplained_shape
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	clocks @extschema@.l4_source_clock[] := ARRAY(SELECT c
		FROM @extschema@.l4_source_clocks(l4_unexplained_without_pool.job_id, limits) c);
	last_good timestamptz := @extschema@.l4_last_good(l4_unexplained_without_pool.job_id, limits);
	severe @extschema@.l4_unexplained_shape[];
	since timestamptz;
BEGIN
	IF cardinality(attempts) = 0 AND EXISTS (SELECT FROM @extschema@.l4_normal_end(l4_unexplained_without_pool.job_id, limits,
		wordings)) THEN
		RETURN;
	END IF;
	WITH entry AS MATERIALIZED (
		SELECT s.* FROM @extschema@.l4_severe_shapes(l4_unexplained_without_pool.job_id, attempts, clocks, last_good,
			limits, wordings) s
	),
	survived AS (
		SELECT o.stream_id, o.line_no
		FROM (SELECT array_agg(e.stream_id) AS stream_ids, array_agg(e.shape_id) AS shape_ids,
			array_agg(e.last_line) AS lines, array_agg(e.first_at) AS times
			FROM entry e WHERE NOT isfinite(last_good) AND NOT (e.kind <> 'rank' AND e.gravity >= (limits).gravity_fatal)) a
		CROSS JOIN LATERAL @extschema@.l4_went_on_after(l4_unexplained_without_pool.job_id, a.stream_ids, a.shape_ids,
			a.lines, a.times, limits) o
	)
	SELECT array_agg(ROW(e.stream_id, e.shape_id, 'severe', e.first_line, NULL, NULL, NULL)::@extschema@.l4_unexplained_shape),
		-- a warning of a machine may be older than the failure
		coalesce(min(e.first_at) FILTER (WHERE e.kind = 'rank'), min(e.first_at))
	INTO severe, since
	FROM entry e
	WHERE NOT EXISTS (SELECT FROM survived o WHERE o.stream_id = e.stream_id AND o.line_no = e.last_line)
		-- of a job that iterates what came before is out already
		AND NOT (e.kind = 'system' AND NOT isfinite(last_good) AND e.shape_id IN (SELECT h.shape_id
			FROM @extschema@.l4_machine_habits(l4_unexplained_without_pool.job_id,
				ARRAY(SELECT DISTINCT y.shape_id FROM entry y WHERE y.kind = 'system'), limits) h));
	IF severe IS NULL THEN
		RETURN;
	END IF;
	-- effects come when the job no longer iterates
	since := greatest(since,
		(SELECT max(i.started_at) FROM @extschema@.l4_job_timeline(l4_unexplained_without_pool.job_id) i));
	RETURN QUERY SELECT v.* FROM unnest(severe) v;
	RETURN QUERY SELECT f.* FROM @extschema@.l4_following_shapes(l4_unexplained_without_pool.job_id, severe, clocks, since,
		isfinite(last_good), limits, wordings) f;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_unexplained_without_pool(text, @extschema@.l4_attempt[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: What may have gone wrong in a job for which there is no pool: grave by level or wording, seldom, and near the end '
'of its stream, without what a rank went on after; and what follows on it. Nothing where all ranks end normally '
'(l4_normal_end). attempts: '
'l4_job_attempts.';
