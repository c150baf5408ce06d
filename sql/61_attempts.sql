/*
 * Attempts: a job that was started again after a failure is a chain of attempts, each of which is diagnosed.
 *
 * Where one ends and the next begins is told by paths (attempt_1/...), by what launchers and ranks say of restarts (a restart
 * count that grows, "attempt 2/3"), and by the set-up: a stream that iterates and then says again most of what it said before
 * its first iteration was started anew, at whatever iteration it goes on. Iterations that begin anew alone are no sign: those
 * of an epoch do, too.
 */

CREATE TYPE @extschema@.l4_attempt AS (
	attempt int,
	attempts int,
	path_attempt int,
	source_id bigint,
	first_line bigint,
	before_line bigint,
	since timestamptz,
	until timestamptz,
	grave_before timestamptz,
	mild_before timestamptz,
	teller_id bigint,
	grave_line bigint,
	mild_line bigint,
	begun_at timestamptz,
	begun_line bigint
);
COMMENT ON TYPE @extschema@.l4_attempt IS
'One of a job''s attempts (attempt, from 1, of how many): its number in the paths, where these tell; the source in which lines '
'tell where it begins (source_id, first_line; before_line: where the next one does); from when and until when it ran (NULL: '
'open); and the times before which grave and other records were outlived by its progress (NULL: none was), in the source of '
'the stream that tells of it (teller_id) the lines; and when and where there it began to iterate (begun_at, begun_line).';

CREATE FUNCTION @extschema@.l4_restart_lines(job_id text, limits @extschema@.l4_limits)
RETURNS TABLE (source_id bigint, line_no bigint, ts timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 1
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	teller record;
	begun bigint;
	setup bigint[];
	recurring bigint;
	needed double precision;
BEGIN
	SELECT t.stream_id, t.source_id INTO teller FROM @extschema@.l4_telling_stream(l4_restart_lines.job_id) t;
	-- iterations begin with the first of what comes in each of them, the first one too
	WITH entry AS MATERIALIZED (
		SELECT e.shape_id, e.first_line, e.last_line, e.first_iteration, e.occurrences
		FROM @extschema@.l4_job_counts(l4_restart_lines.job_id, ARRAY[teller.stream_id]) e
	),
	earliest AS (
		SELECT e.first_line, e.occurrences, max(e.occurrences) OVER () AS most FROM entry e
		WHERE e.first_iteration = (SELECT min(o.first_iteration) FROM entry o)
	),
	beginning AS (SELECT min(e.first_line) AS line_no FROM earliest e WHERE e.occurrences * 2 > e.most)
	SELECT b.line_no, array_agg(e.shape_id), count(*) FILTER (WHERE e.last_line > b.line_no)
	INTO begun, setup, recurring
	FROM entry e JOIN beginning b ON e.first_line < b.line_no GROUP BY b.line_no;
	needed := greatest(limits.attempt_setup_statements, cardinality(setup) * limits.attempt_setup_share);
	-- the counts tell whether there is anything to be read for
	IF recurring IS NULL OR recurring < needed
		-- the whole file would be read, whose own stream knows its size, not that of the label
		OR (SELECT s.byte_count FROM @extschema@.l4_job_streams(l4_restart_lines.job_id, ARRAY[teller.source_id]) s)
			>= limits.onset_stream_bytes THEN
		RETURN;
	END IF;
	RETURN QUERY
	WITH record AS MATERIALIZED (
		SELECT r.line_no, r.part, r.ts, r.shape_id, r.shape_id = ANY (setup) AS of_setup, r.iteration
		FROM @extschema@.l4_job_segments(l4_restart_lines.job_id, ARRAY[teller.source_id]) g
		CROSS JOIN LATERAL @extschema@.l4_stream_places(g.structure, g.texts, g.parameters, g.stream_ids,
			ARRAY[teller.stream_id]) r
	),
	changed AS (
		SELECT r.*, r.iteration IS DISTINCT FROM lag(r.iteration) OVER w AS begins,
			r.ts > lag(r.ts) OVER w AS goes_on
		FROM record r WINDOW w AS (ORDER BY r.line_no, r.part)
	),
	-- from one mark of an iteration to the next
	span AS MATERIALIZED (
		SELECT c.*, count(*) FILTER (WHERE c.begins) OVER (ORDER BY c.line_no, c.part) AS span FROM changed c
	),
	wave AS MATERIALIZED (
		SELECT s.span FROM span s WHERE s.of_setup AND s.iteration IS NOT NULL
		GROUP BY s.span HAVING count(DISTINCT s.shape_id) >= needed
	),
	opener AS (
		-- the first statement of the set-up that comes once in it, and in each of its repetitions
		SELECT s.shape_id FROM span s LEFT JOIN wave w ON w.span = s.span
		WHERE s.of_setup
		GROUP BY s.shape_id
		HAVING count(*) FILTER (WHERE s.line_no < begun AND s.iteration IS NULL) = 1
			AND count(DISTINCT w.span) = (SELECT count(*) FROM wave)
		ORDER BY min(s.line_no) LIMIT 1
	)
	SELECT teller.source_id, s.line_no, (
		-- a line without a stamp bears the one before it
		SELECT min(o.ts) FROM span o WHERE o.line_no >= s.line_no AND o.goes_on)
	FROM span s JOIN wave w ON w.span = s.span JOIN opener o ON o.shape_id = s.shape_id
	ORDER BY s.line_no;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_restart_lines(text, @extschema@.l4_limits) IS
'Step: Where the stream that tells of a job''s iterations says again, behind its first iteration, most of what it said before '
'it: source, line and time of the first statement of each such set-up. Reads the stream only where its counts show that its '
'set-up recurs.';

CREATE FUNCTION @extschema@.l4_told_restarts(job_id text, limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS TABLE (number bigint, ts timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 1
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	streams @extschema@.l4_job_stream[];
	shapes bigint[];
	stream_ids bigint[];
	line_nos bigint[];
	numbers bigint[];
BEGIN
	-- a few tell: logs of no node first, then launchers, then ranks
	streams := ARRAY(SELECT s FROM @extschema@.l4_job_streams(l4_told_restarts.job_id) s
		WHERE s.kind <> 'system' AND s.record_count > 0
		ORDER BY s.unit IS NOT NULL, s.kind <> 'launcher', s.record_count DESC, s.stream_id
		LIMIT limits.attempt_streams::bigint);
	shapes := ARRAY(SELECT DISTINCT e.shape_id
		FROM @extschema@.l4_job_counts(l4_told_restarts.job_id, ARRAY(SELECT s.stream_id FROM unnest(streams) s)) e);
	shapes := ARRAY(SELECT h.shape_id FROM @extschema@.l4_shape h
		WHERE h.shape_id = ANY (shapes) AND EXISTS (SELECT FROM @extschema@.l4_parameters_behind(h.shape, wordings.attempt))
			AND h.shape !~ wordings.retry);
	IF cardinality(shapes) = 0 THEN
		RETURN;
	END IF;
	SELECT array_agg(p.stream_id ORDER BY p.stream_id, p.line_no), array_agg(p.line_no ORDER BY p.stream_id, p.line_no),
		array_agg(p.number ORDER BY p.stream_id, p.line_no)
	INTO stream_ids, line_nos, numbers
	FROM (
		SELECT p.stream_id, v.line_no, substring(v.value, '^\d{1,6}')::bigint AS number,
			min(substring(v.value, '^\d{1,6}')::bigint) OVER (PARTITION BY p.shape_id, p.position) AS least
		FROM @extschema@.l4_job_sketches(l4_told_restarts.job_id, ARRAY(SELECT DISTINCT s.source_id FROM unnest(streams) s)) k
		CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch, shapes) p
		JOIN @extschema@.l4_shape h ON h.shape_id = p.shape_id
		CROSS JOIN LATERAL unnest(p.values, p.value_lines) v (value, line_no)
		WHERE p.stream_id IN (SELECT s.stream_id FROM unnest(streams) s)
			AND p.position IN (SELECT @extschema@.l4_parameters_behind(h.shape, wordings.attempt))
			-- 2, or 2/3
			AND v.value ~ '^\d{1,6}(/\d{1,6})?$') p
	WHERE p.number > p.least;
	RETURN QUERY
	SELECT p.number, min(r.ts)
	FROM unnest(stream_ids, line_nos, numbers) p (stream_id, line_no, number)
	JOIN @extschema@.l4_records_at(l4_told_restarts.job_id, stream_ids, line_nos) r
		ON r.stream_id = p.stream_id AND r.line_no = p.line_no
	GROUP BY p.number HAVING min(r.ts) IS NOT NULL
	ORDER BY 2;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_told_restarts(text, @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: What launchers and ranks say of restarts: numbers behind words of class attempt, above the least that is told, and when '
'each was told first. Reads the counts of a few streams.';

CREATE FUNCTION @extschema@.l4_attempt_iterations(job_id text, attempt @extschema@.l4_attempt, limits @extschema@.l4_limits)
RETURNS TABLE (iteration bigint, started_at timestamptz, source_id bigint, line_no bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	-- the timeline of the job knows of each iteration the first time only
	WITH teller AS MATERIALIZED (
		SELECT t.stream_id, t.source_id FROM @extschema@.l4_telling_stream(l4_attempt_iterations.job_id,
			path_attempt => (attempt).path_attempt, since => (attempt).since) t
		-- as l4_restart_lines: of a file with labels its own stream, which bears its id, knows its size
		JOIN @extschema@.l4_job_streams(l4_attempt_iterations.job_id) s ON s.stream_id = t.source_id
			AND s.byte_count < (limits).onset_stream_bytes
	)
	SELECT r.iteration, min(r.ts), min(r.source_id), min(r.line_no)
	FROM (
		SELECT t.source_id, r.line_no, r.ts, r.iteration, first_value(r.iteration) OVER (ORDER BY r.line_no, r.part) AS carried
		FROM teller t, @extschema@.l4_job_segments(l4_attempt_iterations.job_id, ARRAY(SELECT t.source_id FROM teller t)) g
		CROSS JOIN LATERAL @extschema@.l4_stream_places(g.structure, g.texts, g.parameters, g.stream_ids,
			ARRAY[t.stream_id]) r
		WHERE @extschema@.l4_clock_was_set(r.ts)
			AND CASE WHEN t.source_id = (attempt).source_id THEN r.line_no >= COALESCE((attempt).first_line, 0)
					AND (r.line_no < (attempt).before_line) IS NOT FALSE
				ELSE (r.ts >= (attempt).since) IS NOT FALSE AND (r.ts < (attempt).until) IS NOT FALSE END) r
	-- the iteration of the attempt before goes on to the first mark
	WHERE r.iteration IS NOT NULL AND (r.iteration IS DISTINCT FROM r.carried OR (attempt).attempt = 1
		OR (attempt).path_attempt IS NOT NULL)
	GROUP BY r.iteration;
END;
COMMENT ON FUNCTION @extschema@.l4_attempt_iterations(text, @extschema@.l4_attempt, @extschema@.l4_limits) IS
'Step: When, and where in the source that tells of them, the iterations of one attempt began. Reads that stream.';

CREATE FUNCTION @extschema@.l4_attempt_bounds(job_id text, limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_attempt
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 1
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	paths bigint := (SELECT count(DISTINCT s.attempt) FROM @extschema@.l4_job_streams(l4_attempt_bounds.job_id) s
		WHERE s.record_count > 0);
	sources bigint[];
	lines bigint[];
	times timestamptz[];
	told timestamptz[];
BEGIN
	IF paths > 1 THEN
		RETURN QUERY
		SELECT (row_number() OVER w)::int, paths::int, p.attempt, NULL::bigint, NULL::bigint, NULL::bigint,
			CASE WHEN row_number() OVER w > 1 THEN p.since END, lead(p.since) OVER w, NULL::timestamptz, NULL::timestamptz,
			NULL::bigint, NULL::bigint, NULL::bigint, NULL::timestamptz, NULL::bigint
		FROM (SELECT s.attempt, min(s.first_ts) FILTER (WHERE @extschema@.l4_clock_was_set(s.first_ts)) AS since
			FROM @extschema@.l4_job_streams(l4_attempt_bounds.job_id) s
			WHERE s.record_count > 0 AND s.attempt IS NOT NULL GROUP BY s.attempt) p
		WINDOW w AS (ORDER BY p.attempt);
		RETURN;
	END IF;
	SELECT array_agg(r.source_id ORDER BY r.line_no), array_agg(r.line_no ORDER BY r.line_no),
		array_agg(r.ts ORDER BY r.line_no)
	INTO sources, lines, times FROM @extschema@.l4_restart_lines(l4_attempt_bounds.job_id, limits) r;
	told := ARRAY(SELECT t.ts FROM @extschema@.l4_told_restarts(l4_attempt_bounds.job_id, limits, wordings) t ORDER BY t.ts);
	-- whichever knows more of them: of an attempt that fails while it starts the stream that iterates may say nothing
	IF cardinality(told) > coalesce(cardinality(lines), 0) THEN
		sources := NULL;
		lines := NULL;
		times := told;
	END IF;
	RETURN QUERY
	SELECT (b.number)::int, cardinality(times) + 1, NULL::int, sources[1], lines[b.number - 1], lines[b.number],
		times[b.number - 1], times[b.number], NULL::timestamptz, NULL::timestamptz,
			NULL::bigint, NULL::bigint, NULL::bigint, NULL::timestamptz, NULL::bigint
	FROM generate_series(1, cardinality(times) + 1) b (number)
	WHERE cardinality(times) > 0
	ORDER BY b.number;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_attempt_bounds(text, @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Where the attempts of a job begin and end, in order; no row for a job of one.';

CREATE FUNCTION @extschema@.l4_job_attempts(job_id text, limits @extschema@.l4_limits DEFAULT NULL,
	wordings @extschema@.l4_wordings DEFAULT NULL) RETURNS SETOF @extschema@.l4_attempt
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 1
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	limits := coalesce(limits, @extschema@.l4_limits_in_force());
	wordings := coalesce(wordings, @extschema@.l4_wordings_in_force());
	-- as l4_progress_marks does for all of a job
	RETURN QUERY
	SELECT b.attempt, b.attempts, b.path_attempt, b.source_id, b.first_line, b.before_line, b.since, b.until, p.grave, p.mild,
		p.source_id, p.grave_line, p.mild_line, p.begun_at, p.begun_line
	FROM @extschema@.l4_attempt_bounds(l4_job_attempts.job_id, limits, wordings) b
	CROSS JOIN LATERAL (
		SELECT min(i.started_at) FILTER (WHERE i.grave) AS grave, min(i.started_at) FILTER (WHERE i.from_end = 2) AS mild,
			min(i.source_id) AS source_id, min(i.line_no) FILTER (WHERE i.grave) AS grave_line,
			min(i.line_no) FILTER (WHERE i.from_end = 2) AS mild_line, min(i.started_at) AS begun_at,
			min(i.line_no) AS begun_line
		FROM (
			SELECT i.*, i.n >= limits.progress_iterations
				AND i.from_end = 1 + least(limits.progress_most, greatest(2, floor(i.n * limits.progress_share))) AS grave
			FROM (
				SELECT i.*, row_number() OVER (ORDER BY i.started_at DESC) AS from_end, count(*) OVER () AS n
				FROM @extschema@.l4_attempt_iterations(l4_job_attempts.job_id, b, limits) i) i) i) p
	ORDER BY b.attempt;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_attempts(text, @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: The attempts of a job that was started again, in order (l4_attempt); no row for a job of one. Where a launcher counts '
'restarts, or paths or a repeated set-up tell of them. limits, wordings: those in force, where at hand.';

CREATE FUNCTION @extschema@.l4_attempt_of(attempts @extschema@.l4_attempt[], path_attempt int, source_id bigint, line_no bigint,
	ts timestamptz) RETURNS int
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 5 AS 'MODULE_PATHNAME', 'l4_attempt_of';
COMMENT ON FUNCTION @extschema@.l4_attempt_of(@extschema@.l4_attempt[], int, bigint, bigint, timestamptz) IS
'Step: Of which attempt a record is, by the attempt of its path, else by its line in the source that tells of attempts, else '
'by its time; of what has none of these to go by nobody knows: it counts as the last one''s. Cost: some ten nanoseconds an '
'attempt; these are unpacked once a query.';

CREATE FUNCTION @extschema@.l4_is_overwritten(attempt @extschema@.l4_attempt) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ((attempt).attempt < (attempt).attempts AND (attempt).path_attempt IS NULL) IS TRUE;
COMMENT ON FUNCTION @extschema@.l4_is_overwritten(@extschema@.l4_attempt) IS
'Step: Did a further attempt write into the same files? Then where these end tells nothing of this one. False for NULL.';

CREATE FUNCTION @extschema@.l4_is_before_progress(attempts @extschema@.l4_attempt[], path_attempt int, source_id bigint,
	line_no bigint, ts timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100
BEGIN ATOMIC
	SELECT COALESCE(bool_or(CASE WHEN a.teller_id = l4_is_before_progress.source_id
		THEN l4_is_before_progress.line_no < a.mild_line ELSE l4_is_before_progress.ts < a.mild_before END), false)
	FROM unnest(l4_is_before_progress.attempts) a
	WHERE a.attempt = @extschema@.l4_attempt_of(l4_is_before_progress.attempts, l4_is_before_progress.path_attempt,
		l4_is_before_progress.source_id, l4_is_before_progress.line_no, l4_is_before_progress.ts);
END;
COMMENT ON FUNCTION @extschema@.l4_is_before_progress(@extschema@.l4_attempt[], int, bigint, bigint, timestamptz) IS
'Step: Did the attempt that a record is of (l4_attempt_of) get through a whole iteration after it?';

CREATE FUNCTION @extschema@.l4_is_starting(attempt @extschema@.l4_attempt, source_id bigint, line_no bigint, ts timestamptz)
	RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ((attempt).attempt > 1 AND CASE WHEN (attempt).begun_at IS NULL THEN true
	WHEN (attempt).teller_id = source_id THEN line_no < (attempt).begun_line ELSE ts < (attempt).begun_at END) IS TRUE;
COMMENT ON FUNCTION @extschema@.l4_is_starting(@extschema@.l4_attempt, bigint, bigint, timestamptz) IS
'Step: Does a record of a further attempt come before the first iteration of it? Then stage and iteration of its stream are '
'those of the attempt before. False for NULL.';
