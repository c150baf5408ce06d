/*
 * Doors to a job's times: as 50_job_rows.sql, but with what all counts of a job are read for done where they lie.
 *
 * A stamp of the year 1970 or so comes from a clock that was never set. Lines of a file that several streams share come in
 * order, whatever clocks its streams go by: its best-stamped stream is the clock of them all, with those that agree with it.
 */

CREATE FUNCTION @extschema@.l4_clock_was_set(ts timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ts > timestamptz '2000-01-01 00:00:00+00';
COMMENT ON FUNCTION @extschema@.l4_clock_was_set(timestamptz) IS
'Step: Is a stamp one of a clock that was set? One before the year 2000 tells nothing of when it was. NULL for none.';

CREATE FUNCTION @extschema@.l4_seconds_between(begins timestamptz, ends timestamptz) RETURNS double precision
LANGUAGE sql STABLE PARALLEL SAFE COST 5
RETURN CASE WHEN isfinite(begins) AND isfinite(ends)
	THEN (EXTRACT(epoch FROM ends) - EXTRACT(epoch FROM begins))::double precision END;
COMMENT ON FUNCTION @extschema@.l4_seconds_between(timestamptz, timestamptz) IS
'Step: Seconds from one moment to another, negative where the second is earlier; NULL where one is NULL or infinite. '
'Unlike a difference of times it raises no error, however far apart they are.';

CREATE TYPE @extschema@.l4_source_clock AS (source_id bigint, lines bigint[], times timestamptz[]);
COMMENT ON TYPE @extschema@.l4_source_clock IS
'Of a file that several streams share: lines, ascending, and the times reached there (l4_source_clocks).';

CREATE FUNCTION @extschema@.l4_source_marks(job_id text)
RETURNS TABLE (source_id bigint, stream_id bigint, line_no bigint, ts timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	-- what has no stamp inherits the one before
	WITH mark AS (
		SELECT s.source_id, e.stream_id, m.line_no, m.ts, m.first
		FROM @extschema@.l4_source_counts c
		CROSS JOIN LATERAL @extschema@.l4_unpack_counts(c.counts) e
		JOIN @extschema@.l4_stream s ON s.job_id = c.job_id AND s.stream_id = e.stream_id
		CROSS JOIN LATERAL (VALUES (e.first_line, e.first_ts, true), (e.last_line, e.last_ts, false)) m (line_no, ts, first)
		WHERE c.job_id = l4_source_marks.job_id AND @extschema@.l4_clock_was_set(m.ts)
			AND c.source_id IN (SELECT COALESCE(o.bundle_id, o.source_id) FROM @extschema@.l4_stream o
				WHERE o.job_id = l4_source_marks.job_id AND o.label IS NOT NULL)
			AND s.source_id IN (SELECT o.source_id FROM @extschema@.l4_stream o
				WHERE o.job_id = l4_source_marks.job_id AND o.label IS NOT NULL)
	),
	turn AS (
		SELECT m.*, min(m.ts) OVER (PARTITION BY m.stream_id ORDER BY m.line_no DESC) AS next FROM mark m
	)
	SELECT t.source_id, t.stream_id, min(t.line_no), t.ts
	FROM turn t
	-- a statement whose first record came before any stamp has the time of a later one: its stream tells earlier ones behind it
	WHERE NOT (t.first AND t.next < t.ts)
	GROUP BY t.source_id, t.stream_id, t.ts;
END;
COMMENT ON FUNCTION @extschema@.l4_source_marks(text) IS
'Step: Of the files that several labelled streams share: the times at which statements first and last stood, by stream, and '
'the first line that has each.';

CREATE FUNCTION @extschema@.l4_source_clocks(job_id text, limits @extschema@.l4_limits)
	RETURNS SETOF @extschema@.l4_source_clock
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 1
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	IF NOT EXISTS (SELECT FROM @extschema@.l4_stream s WHERE s.job_id = l4_source_clocks.job_id AND s.label IS NOT NULL) THEN
		RETURN;
	END IF;
	RETURN QUERY
	WITH mark AS MATERIALIZED (SELECT m.* FROM @extschema@.l4_source_marks(l4_source_clocks.job_id) m),
	clock AS (
		SELECT DISTINCT ON (m.source_id) m.source_id, m.stream_id FROM mark m
		GROUP BY m.source_id, m.stream_id
		ORDER BY m.source_id, count(DISTINCT m.ts) DESC, m.stream_id
	),
	-- between which times of the clock the lines of the other streams lie
	between_times AS (
		SELECT m.source_id, m.stream_id, m.ts,
			max(m.ts) FILTER (WHERE c.stream_id IS NOT NULL) OVER (PARTITION BY m.source_id ORDER BY m.line_no) AS least,
			min(m.ts) FILTER (WHERE c.stream_id IS NOT NULL) OVER (PARTITION BY m.source_id ORDER BY m.line_no DESC) AS most
		FROM mark m LEFT JOIN clock c USING (source_id, stream_id)
	),
	-- those that go by the same clock tell the times where it has stopped, too; what another zone tells is half an hour off
	agreeing AS (
		SELECT c.source_id, c.stream_id FROM clock c
		UNION
		SELECT b.source_id, b.stream_id FROM between_times b WHERE (b.least <= b.most) IS NOT FALSE
		GROUP BY b.source_id, b.stream_id
		HAVING count(*) FILTER (WHERE @extschema@.l4_seconds_between(b.least, b.ts) BETWEEN -(limits).clock_offset
				AND CASE WHEN b.most IS NULL THEN (limits).zone_step ELSE 'Infinity' END
			AND (@extschema@.l4_seconds_between(b.ts, b.most) >= -(limits).clock_offset) IS NOT FALSE)
			>= (limits).clock_agreeing_share * count(*)
	),
	own_line AS (
		SELECT m.source_id, m.line_no, max(m.ts) AS ts
		FROM mark m JOIN agreeing a USING (source_id, stream_id)
		GROUP BY m.source_id, m.line_no
	),
	turn AS (
		SELECT o.*, count(*) OVER (PARTITION BY o.source_id ORDER BY o.line_no DESC) - 1 AS behind,
			rank() OVER (PARTITION BY o.source_id ORDER BY o.ts) - rank() OVER (PARTITION BY o.source_id ORDER BY o.line_no)
				AS ahead
		FROM own_line o
	),
	line AS (
		-- A statement that had no stamp when it came first has a time of later on: most of what stands behind it is older.
		SELECT t.source_id, t.line_no, max(t.ts) OVER (PARTITION BY t.source_id ORDER BY t.line_no) AS ts
		FROM turn t WHERE t.ahead <= t.behind * (limits).clock_displaced_share
	),
	span AS (
		SELECT l.source_id, min(l.ts) AS first, EXTRACT(epoch FROM max(l.ts) - min(l.ts))::float8 AS seconds FROM line l
			GROUP BY l.source_id
	),
	point AS (
		-- one a second, at most so many of a file: these arrays are searched for every record that is placed
		SELECT DISTINCT ON (b.source_id, b.bucket) b.source_id, b.line_no, b.ts
		FROM (
			SELECT l.*, floor(EXTRACT(epoch FROM l.ts - s.first)::float8 / greatest(s.seconds / (limits).clock_points,
				1)) AS bucket
			FROM line l JOIN span s USING (source_id)) b
		ORDER BY b.source_id, b.bucket, b.line_no
	)
	SELECT p.source_id, array_agg(p.line_no ORDER BY p.line_no), array_agg(p.ts ORDER BY p.line_no)
	FROM point p
	GROUP BY p.source_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_source_clocks(text, @extschema@.l4_limits) IS
'Step: For each file that several labelled streams share: lines and the times reached there (ascending), by its '
'best-stamped stream and those that go by the same clock. Ranks of one file stamp their lines in different ways, zones and '
'years or not at all; their lines '
'still come in order.';

CREATE FUNCTION @extschema@.l4_time_at(line_no bigint, clock_lines bigint[], clock_times timestamptz[]) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN clock_times[GREATEST(width_bucket(line_no, clock_lines), 1)];
COMMENT ON FUNCTION @extschema@.l4_time_at(bigint, bigint[], timestamptz[]) IS
'Step: The time reached at a line of a file by its clock (l4_source_clock); NULL without one.';

CREATE FUNCTION @extschema@.l4_time_by(line_no bigint, clock_lines bigint[], clock_times timestamptz[]) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN clock_times[width_bucket(line_no, clock_lines) + 1];
COMMENT ON FUNCTION @extschema@.l4_time_by(bigint, bigint[], timestamptz[]) IS
'Step: The time by which a line of a file was written by its clock (l4_source_clock): the next one that it tells; NULL where '
'none follows, or without one.';

CREATE FUNCTION @extschema@.l4_time_passed(line_no bigint, ts timestamptz, told_line bigint, next_ts timestamptz,
	clock_lines bigint[], clock_times timestamptz[]) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN clock_lines IS NULL THEN CASE WHEN line_no <= told_line THEN ts ELSE next_ts END
	WHEN ts IS NULL THEN @extschema@.l4_time_by(line_no, clock_lines, clock_times)
	ELSE @extschema@.l4_time_at(line_no, clock_lines, clock_times) END;
COMMENT ON FUNCTION @extschema@.l4_time_passed(bigint, timestamptz, bigint, timestamptz, bigint[], timestamptz[]) IS
'Step: A time that a record is not later than: its stream''s (ts) at the line that first told it (told_line), behind that the '
'next one that the stream tells (next_ts); in a file with a clock (l4_source_clock) that of its line, of a stream that never '
'tells a time the next one. NULL: not known.';

CREATE FUNCTION @extschema@.l4_job_first_times(job_id text)
	RETURNS TABLE (unit text, shape_id bigint, iterating boolean, first_at double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 1000
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
-- how many groups there are the planner cannot tell of a function's rows
SET enable_sort = off
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT n.node, e.shape_id, bool_and(e.first_iteration IS NOT NULL), EXTRACT(epoch FROM min(e.first_ts))::float8
	FROM @extschema@.l4_source_counts c
	CROSS JOIN LATERAL @extschema@.l4_unpack_counts(c.counts) e
	JOIN @extschema@.l4_stream s ON s.job_id = l4_job_first_times.job_id AND s.stream_id = e.stream_id
	CROSS JOIN LATERAL (SELECT COALESCE(s.told_node, s.node) AS node) n
	WHERE c.job_id = l4_job_first_times.job_id AND s.kind = 'rank' AND n.node IS NOT NULL AND s.label IS NULL
		AND c.source_id IN (SELECT COALESCE(o.bundle_id, o.source_id) FROM @extschema@.l4_stream o
			WHERE o.job_id = l4_job_first_times.job_id AND o.kind = 'rank' AND o.label IS NULL)
		AND @extschema@.l4_clock_was_set(e.first_ts)
	GROUP BY n.node, e.shape_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_first_times(text) IS
'Step: When the ranks of each node first logged each shape, in seconds since 1970 by the node''s clock, and whether they '
'were iterating: of streams that have a file of their own and whose path, or rank, names the node.';

CREATE FUNCTION @extschema@.l4_stamp_before(ts timestamptz, before timestamptz) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
-- stable as adding to a time is, or it could not become part of a statement; whether it is of a whole second is asked in the
-- last second alone, as that takes longer than the rest
RETURN ts < before AND (ts < before - interval '999999 us'
	OR ts AT TIME ZONE 'UTC' <> date_trunc('second', ts AT TIME ZONE 'UTC'));
COMMENT ON FUNCTION @extschema@.l4_stamp_before(timestamptz, timestamptz) IS
'Step: Is the last moment that a stamp may mean, of one of a whole second the end of that, before a time? NULL where one is.';

CREATE FUNCTION @extschema@.l4_line_before(first_line bigint, first_ts timestamptz, last_line bigint, last_ts timestamptz,
	before timestamptz) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN @extschema@.l4_clock_was_set(first_ts) THEN
	CASE WHEN @extschema@.l4_stamp_before(last_ts, before) THEN last_line
		WHEN @extschema@.l4_stamp_before(first_ts, before) THEN first_line END END;
COMMENT ON FUNCTION @extschema@.l4_line_before(bigint, timestamptz, bigint, timestamptz, timestamptz) IS
'Step: Of the first and the last record of a shape in a stream the line of the last one that is older than a time '
'(before); NULL where neither is, or its first one has no time that tells.';

CREATE FUNCTION @extschema@.l4_counts_in_one_zone(job_id text)
RETURNS TABLE (stream_id bigint, shape_id bigint, first_line bigint, last_line bigint, first_ts timestamptz,
	last_ts timestamptz, first_iteration bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 10000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	WITH shift AS MATERIALIZED (
		SELECT z.* FROM @extschema@.l4_zone_shifts(l4_counts_in_one_zone.job_id, @extschema@.l4_limits_in_force()) z
	)
	SELECT e.stream_id, e.shape_id, e.first_line, e.last_line, e.first_ts - COALESCE(z.ahead, interval '0'),
		e.last_ts - COALESCE(z.ahead, interval '0'), e.first_iteration
	FROM @extschema@.l4_stream_event e LEFT JOIN shift z ON z.stream_id = e.stream_id
	WHERE e.job_id = l4_counts_in_one_zone.job_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_counts_in_one_zone(text) IS
'Step: Where and when each stream of a job says what, in the time zone of its ranks (l4_zone_shifts).';

CREATE FUNCTION @extschema@.l4_job_older_lines(job_id text, clocks @extschema@.l4_source_clock[], pool_id bigint,
	before timestamptz, mild_before timestamptz, known_share double precision, known_statements double precision,
	last_mark timestamptz)
RETURNS TABLE (stream_id bigint, line_no bigint, mild_line_no bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	WITH counted AS MATERIALIZED (
		SELECT c.* FROM @extschema@.l4_counts_in_one_zone(l4_job_older_lines.job_id) c
	),
	told AS MATERIALIZED (
		SELECT m.stream_id, m.ts, min(m.line_no) AS line_no, lead(m.ts) OVER (PARTITION BY m.stream_id ORDER BY m.ts) AS next_ts
		FROM (SELECT e.stream_id, e.first_ts, e.first_line FROM counted e
			UNION ALL SELECT e.stream_id, e.last_ts, e.last_line FROM counted e) m (stream_id, ts, line_no)
		WHERE m.ts IS NOT NULL GROUP BY m.stream_id, m.ts
	),
	entry AS MATERIALIZED (
		-- Records without a time inherit the last one of their stream. What stands between two times may be as late as the
		-- second, and what stands behind the last one may have been written at any time later: it is older than nothing. A
		-- stream that marks iterations itself tells by them, too.
		SELECT e.stream_id, e.shape_id, s.source_id, s.kind IN ('rank', 'launcher', 'shared') AS works,
			e.shape_id IN (SELECT p.shape_id FROM @extschema@.l4_pool_event p WHERE p.pool_id = l4_job_older_lines.pool_id)
				AS known, e.first_line, e.last_line,
			e.first_iteration + 1 < s.last_iteration AS marked, e.last_ts AS told_ts,
			@extschema@.l4_time_passed(e.first_line, e.first_ts, e.first_line, NULL, s.lines, s.times) AS since,
			@extschema@.l4_time_passed(e.first_line, e.first_ts, f.line_no, f.next_ts, s.lines, s.times) AS first_ts,
			@extschema@.l4_time_passed(e.last_line, e.last_ts, l.line_no, l.next_ts, s.lines, s.times) AS last_ts
		FROM counted e
		LEFT JOIN told f ON f.stream_id = e.stream_id AND f.ts = e.first_ts
		LEFT JOIN told l ON l.stream_id = e.stream_id AND l.ts = e.last_ts
		JOIN (SELECT s.stream_id, s.source_id, s.kind, s.last_iteration, c.lines, c.times
			FROM @extschema@.l4_stream s
			LEFT JOIN unnest(l4_job_older_lines.clocks) c ON c.source_id = s.source_id
			WHERE s.job_id = l4_job_older_lines.job_id OFFSET 0) s ON s.stream_id = e.stream_id
	),
	progress AS MATERIALIZED (
		SELECT greatest(mild_before, percentile_disc(known_share) WITHIN GROUP (ORDER BY f.ts)) AS mild_ts
		FROM (SELECT min(e.since) AS ts FROM entry e
			WHERE e.known AND e.works AND @extschema@.l4_clock_was_set(e.since) GROUP BY e.shape_id) f
	),
	older AS MATERIALIZED (
		SELECT e.stream_id, min(e.source_id) AS source_id, count(*) FILTER (WHERE e.known AND e.works) AS known_statements,
			max(@extschema@.l4_line_before(e.first_line, e.first_ts, e.last_line, e.last_ts, before)) AS line_no,
			max(@extschema@.l4_line_before(e.first_line, e.first_ts, e.last_line, e.last_ts, e.mild_before)) AS mild_line_no,
			max(e.first_line) FILTER (WHERE e.marked) AS marked_line_no
		FROM (SELECT o.*, (SELECT p.mild_ts FROM progress p) AS mild_before FROM entry o OFFSET 0) e
		GROUP BY e.stream_id
	),
	known_line AS (
		SELECT f.source_id, percentile_disc(known_share) WITHIN GROUP (ORDER BY f.line_no) AS line_no
		FROM (SELECT e.source_id, min(e.first_line) AS line_no FROM entry e
			WHERE e.known AND e.works AND e.source_id IN (SELECT o.source_id FROM older o
				GROUP BY o.source_id HAVING sum(o.known_statements) >= l4_job_older_lines.known_statements)
			GROUP BY e.source_id, e.shape_id) f
		GROUP BY f.source_id HAVING count(*) >= l4_job_older_lines.known_statements
	)
	-- What a file has behind the last sign of progress came after it, whatever its own clock says: not all that write into one
	-- file tell the time of the same zone. (least() would say its line where there is none.)
	SELECT o.stream_id, o.line_no - greatest(o.line_no - p.line_no, 0), m.line_no - greatest(m.line_no - p.line_no, 0)
	FROM older o
	LEFT JOIN known_line k ON k.source_id = o.source_id
	CROSS JOIN LATERAL (SELECT greatest(o.mild_line_no, o.marked_line_no, k.line_no) AS line_no) m
	LEFT JOIN (SELECT e.source_id, max(e.last_line) AS line_no FROM entry e WHERE e.told_ts = last_mark GROUP BY e.source_id) p
		ON p.source_id = o.source_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_older_lines(text, @extschema@.l4_source_clock[], bigint, timestamptz, timestamptz,
	double precision, double precision, timestamptz) IS
'Step: Per stream the last line that is older than a time (before), and the last that is older than another one '
'(mild_before), than the time or, in a file that has known_statements of them, the line at which known_share of the '
'statements of the pool had shown first, or than the last but one iteration that the stream marks itself; none '
'behind the last mark of progress in its file (last_mark: its time). clocks: l4_source_clocks.';

CREATE FUNCTION @extschema@.l4_job_stream_ends(job_id text, clocks @extschema@.l4_source_clock[], before timestamptz)
RETURNS TABLE (stream_id bigint, stamped boolean, end_line bigint, before_line bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 1000
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT e.stream_id, bool_or(c.lines IS NOT NULL OR @extschema@.l4_clock_was_set(e.first_ts)) IS TRUE, max(e.last_line),
		max(CASE WHEN e.last_ts <= l4_job_stream_ends.before THEN e.last_line WHEN e.first_ts <= l4_job_stream_ends.before
			THEN e.first_line END)
	FROM @extschema@.l4_stream_event e
	JOIN @extschema@.l4_stream s ON s.job_id = e.job_id AND s.stream_id = e.stream_id
	LEFT JOIN unnest(l4_job_stream_ends.clocks) c ON c.source_id = s.source_id
	WHERE e.job_id = l4_job_stream_ends.job_id
	GROUP BY e.stream_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_stream_ends(text, @extschema@.l4_source_clock[], timestamptz) IS
'Step: Per stream whether any of its records can be placed in time, its last line, and the last line that is not younger '
'than a time (before). clocks: l4_source_clocks.';

CREATE FUNCTION @extschema@.l4_job_shapes_since(job_id text, clocks @extschema@.l4_source_clock[], since timestamptz)
RETURNS TABLE (shape_id bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT e.shape_id
	FROM @extschema@.l4_stream_event e
	JOIN @extschema@.l4_stream s ON s.job_id = e.job_id AND s.stream_id = e.stream_id
	JOIN @extschema@.l4_job_stream_ends(l4_job_shapes_since.job_id, l4_job_shapes_since.clocks, l4_job_shapes_since.since) n
		ON n.stream_id = e.stream_id
	LEFT JOIN unnest(l4_job_shapes_since.clocks) c ON c.source_id = s.source_id
	WHERE e.job_id = l4_job_shapes_since.job_id
	GROUP BY e.shape_id
	HAVING bool_and(CASE
		WHEN c.lines IS NOT NULL THEN @extschema@.l4_time_at(e.first_line, c.lines, c.times) >= l4_job_shapes_since.since
		WHEN @extschema@.l4_clock_was_set(e.first_ts) THEN e.first_ts >= l4_job_shapes_since.since
		ELSE e.first_line > n.before_line END) IS TRUE;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_shapes_since(text, @extschema@.l4_source_clock[], timestamptz) IS
'Step: The shapes of a job that no stream logged before a time. A record without a time of its own is younger where it stands '
'behind one of its stream that is older. clocks: l4_source_clocks.';

CREATE FUNCTION @extschema@.l4_job_times_before(job_id text, stream_ids bigint[], line_nos bigint[])
	RETURNS TABLE (stream_id bigint, line_no bigint, ts timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT w.stream_id, w.line_no, max(CASE WHEN e.last_line <= w.line_no THEN e.last_ts ELSE e.first_ts END)
	FROM (SELECT DISTINCT w.stream_id, w.line_no
		FROM ROWS FROM (unnest(l4_job_times_before.stream_ids), unnest(l4_job_times_before.line_nos)) w (stream_id, line_no)) w
	JOIN (SELECT u.*
		FROM @extschema@.l4_source_counts c
		CROSS JOIN LATERAL @extschema@.l4_unpack_counts(c.counts, l4_job_times_before.stream_ids) u
		WHERE c.job_id = l4_job_times_before.job_id AND c.source_id = ANY (ARRAY(SELECT COALESCE(s.bundle_id, s.source_id)
			FROM @extschema@.l4_stream s
			WHERE s.job_id = l4_job_times_before.job_id AND s.stream_id = ANY (l4_job_times_before.stream_ids)))) e
		ON e.stream_id = w.stream_id AND e.first_line <= w.line_no
	GROUP BY w.stream_id, w.line_no;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_times_before(text, bigint[], bigint[]) IS
'Step: For lines of streams (two arrays of one length): the latest time that the stream had told by then, as far as the '
'counts know.';

CREATE FUNCTION @extschema@.l4_job_times_around(job_id text, stream_ids bigint[], line_nos bigint[],
	limits @extschema@.l4_limits)
	RETURNS TABLE (stream_id bigint, line_no bigint, since timestamptz, until timestamptz, time_zone text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	WITH before AS MATERIALIZED (
		SELECT b.stream_id, b.line_no, CASE WHEN @extschema@.l4_clock_was_set(b.ts) THEN b.ts END AS ts
		FROM @extschema@.l4_job_times_before(l4_job_times_around.job_id, l4_job_times_around.stream_ids,
			l4_job_times_around.line_nos) b
	),
	mark AS (
		SELECT DISTINCT e.stream_id, m.ts
		FROM @extschema@.l4_source_counts c
		CROSS JOIN LATERAL @extschema@.l4_unpack_counts(c.counts, l4_job_times_around.stream_ids) e
		CROSS JOIN LATERAL (VALUES (e.first_ts), (e.last_ts)) m (ts)
		WHERE c.job_id = l4_job_times_around.job_id AND @extschema@.l4_clock_was_set(m.ts)
			AND c.source_id = ANY (ARRAY(SELECT COALESCE(s.bundle_id, s.source_id)
			FROM @extschema@.l4_stream s
				WHERE s.job_id = l4_job_times_around.job_id AND s.stream_id = ANY (l4_job_times_around.stream_ids)))
	),
	later AS (
		-- what has no stamp inherits the one before: the next one told is the next other one (of none: the first)
		SELECT m.stream_id, m.ts, lead(m.ts) OVER (PARTITION BY m.stream_id ORDER BY m.ts) AS next_ts FROM mark m
		UNION ALL
		SELECT m.stream_id, NULL, min(m.ts) FROM mark m GROUP BY m.stream_id
	)
	SELECT b.stream_id, b.line_no, COALESCE(b.ts, f.since) - COALESCE(z.ahead, '0'),
		COALESCE(l.next_ts, f.until) - COALESCE(z.ahead, '0'),
		(SELECT j.time_zone FROM @extschema@.l4_job j WHERE j.job_id = l4_job_times_around.job_id)
	FROM before b
	-- of a stream that tells none those of its file
	LEFT JOIN (SELECT s.stream_id, c.lines, c.times
		FROM @extschema@.l4_source_clocks(l4_job_times_around.job_id, l4_job_times_around.limits) c
		JOIN @extschema@.l4_stream s ON s.job_id = l4_job_times_around.job_id AND s.source_id = c.source_id) c
		ON c.stream_id = b.stream_id AND b.stream_id NOT IN (SELECT m.stream_id FROM mark m)
	CROSS JOIN LATERAL (SELECT @extschema@.l4_time_at(b.line_no, c.lines, c.times) AS since,
		@extschema@.l4_time_by(b.line_no, c.lines, c.times) AS until OFFSET 0) f
	LEFT JOIN later l ON l.stream_id = b.stream_id AND COALESCE(l.ts, '-infinity') = COALESCE(b.ts, '-infinity')
	LEFT JOIN @extschema@.l4_zone_shifts(l4_job_times_around.job_id, l4_job_times_around.limits) z
		ON z.stream_id = b.stream_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_times_around(text, bigint[], bigint[], @extschema@.l4_limits) IS
'Step: For lines of streams (two arrays of one length): between which times that the stream told (one that tells none: its '
'file, l4_source_clock) they were written, as far as the counts know (since as l4_job_times_before; until: the first later '
'one), in the zone of the ranks (l4_zone_shifts); and the zone of the job. NULL: not known.';

CREATE FUNCTION @extschema@.l4_job_span(job_id text, gap double precision, stray_share double precision)
	RETURNS TABLE (first_ts timestamptz, last_ts timestamptz, strays bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 1
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	WITH stamp AS MATERIALIZED (
		SELECT DISTINCT m.ts, s.kind = 'system' AS of_system
		FROM @extschema@.l4_stream_event e
		JOIN @extschema@.l4_stream s ON s.job_id = e.job_id AND s.stream_id = e.stream_id
		CROSS JOIN LATERAL (VALUES (e.first_ts), (e.last_ts)) m (ts)
		WHERE e.job_id = l4_job_span.job_id AND @extschema@.l4_clock_was_set(m.ts) AND isfinite(m.ts)
		UNION
		SELECT u.ts, false FROM @extschema@.l4_timeline t, unnest(t.started_at) u (ts)
		WHERE t.job_id = l4_job_span.job_id AND @extschema@.l4_clock_was_set(u.ts) AND isfinite(u.ts)
	),
	told AS (
		SELECT DISTINCT s.ts FROM stamp s WHERE NOT s.of_system OR NOT EXISTS (SELECT FROM stamp o WHERE NOT o.of_system)
	),
	run AS (
		SELECT b.ts, count(*) FILTER (WHERE b.begins) OVER (ORDER BY b.ts) AS turn
		FROM (
			SELECT t.ts, EXTRACT(epoch FROM t.ts)::float8 - lag(EXTRACT(epoch FROM t.ts)::float8) OVER (ORDER BY t.ts)
				> l4_job_span.gap AS begins
			FROM told t) b
	),
	part AS (
		SELECT min(r.ts) AS first, max(r.ts) AS last, count(*) AS stamps,
			count(*) < l4_job_span.stray_share * max(count(*)) OVER () AS stray
		FROM run r GROUP BY r.turn
	)
	SELECT min(p.first) FILTER (WHERE NOT p.stray), max(p.last) FILTER (WHERE NOT p.stray),
		coalesce(sum(p.stamps) FILTER (WHERE p.stray), 0)::bigint
	FROM part p;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_span(text, double precision, double precision) IS
'Step: From when to when the stamps of a job go, without strays: runs of stamps further than gap (seconds) from the next ones '
'that have less than stray_share of the stamps of the longest run; strays: how many these are. Node logs count where there are '
'no others only: they go on for months before and after a job. Cost: reads all counts of the job, and when its '
'iterations began.';
