/*
 * Progress: what ceased while the job still made progress did not kill it.
 */

CREATE FUNCTION @extschema@.l4_progress_marks(job_id text, pool_id bigint DEFAULT NULL,
	limits @extschema@.l4_limits DEFAULT NULL, wordings @extschema@.l4_wordings DEFAULT NULL)
RETURNS TABLE (stream_id bigint, line_no bigint, mild_line_no bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 1000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	clocks @extschema@.l4_source_clock[];
	before timestamptz;
	mild_before timestamptz;
	last_mark timestamptz;
	slow_since timestamptz;
BEGIN
	l4_progress_marks.limits := coalesce(l4_progress_marks.limits, @extschema@.l4_limits_in_force());
	l4_progress_marks.wordings := coalesce(l4_progress_marks.wordings, @extschema@.l4_wordings_in_force());
	clocks := ARRAY(SELECT c FROM @extschema@.l4_source_clocks(l4_progress_marks.job_id, limits) c);
	-- Of grave records that is said only where a share of its iterations came after, of others where one whole iteration did,
	-- or where much of what successful jobs log showed first later on (a job that fails while it starts makes progress too). An
	-- iteration of which nobody said anything before an error is no progress; nor is one that takes longer for good, as those
	-- of successful jobs do not: what is said since is part of that.
	slow_since := (SELECT c.began FROM @extschema@.l4_step_change(l4_progress_marks.job_id, limits) c);
	WITH error AS MATERIALIZED (
		SELECT e.first_iteration AS iteration, e.first_ts AS ts
		FROM @extschema@.l4_job_counts(l4_progress_marks.job_id, shape_ids => ARRAY(SELECT h.shape_id
			FROM @extschema@.l4_job_shapes(l4_progress_marks.job_id) s
			JOIN @extschema@.l4_shape h ON h.shape_id = s.shape_id
			WHERE greatest(s.level_rank, @extschema@.l4_text_gravity(h.shape, wordings)) >= (limits).gravity_error)) e
		WHERE e.first_iteration IS NOT NULL
	),
	iteration AS MATERIALIZED (
		SELECT i.started_at AS ts, row_number() OVER (ORDER BY i.started_at DESC) AS from_end, count(*) OVER () AS n
		FROM @extschema@.l4_job_timeline(l4_progress_marks.job_id) i WHERE @extschema@.l4_clock_was_set(i.started_at)
			AND (i.started_at <= slow_since) IS NOT FALSE
			AND NOT EXISTS (SELECT FROM error e WHERE e.iteration = i.iteration AND e.ts = i.started_at)
	)
	SELECT (SELECT i.ts FROM iteration i WHERE i.n >= (limits).progress_iterations
			AND i.from_end = 1 + least((limits).progress_most, greatest(2, floor(i.n * (limits).progress_share)))),
		(SELECT i.ts FROM iteration i WHERE i.from_end = 2), (SELECT i.ts FROM iteration i WHERE i.from_end = 1)
	INTO before, mild_before, last_mark;
	RETURN QUERY
	SELECT o.* FROM @extschema@.l4_job_older_lines(l4_progress_marks.job_id, clocks, l4_progress_marks.pool_id, before,
		mild_before, (limits).progress_known_share, (limits).progress_known_statements, last_mark) o;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_progress_marks(text, bigint, @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Per stream the line up to which it is older than progress the job made later: what is new but ceased by then, the '
'job outlived. line_no for records that sound grave, mild_line_no for others; NULL where none. pool_id: the pool that '
'tells what belongs to a normal start (none: iterations alone count). An iteration that an error is the first to name counts '
'for nothing, nor does one since steps take longer for good (l4_step_change). Reads the counts of the statements of errors, '
'when streams said what, and the timeline.';

CREATE FUNCTION @extschema@.l4_own_progress(job_id text, stream_ids bigint[], limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint, line_no bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH routine AS (
		SELECT e.stream_id, e.first_line, e.last_line, e.occurrences - 1 AS steps, GREATEST((limits).progress_iterations,
			LEAST((limits).progress_own_most, floor(e.occurrences * (limits).progress_own_share))) AS later
		FROM @extschema@.l4_job_counts(l4_own_progress.job_id, l4_own_progress.stream_ids,
			min_occurrences => (limits).progress_own_records::bigint) e
		WHERE @extschema@.l4_level_rank(e.level) < (limits).gravity_trouble
	)
	-- its records come about evenly: that many of them come after this line
	SELECT r.stream_id, percentile_disc((limits).progress_own_statements) WITHIN GROUP (ORDER BY
		floor(r.last_line - r.later * (r.last_line - r.first_line) / r.steps))::bigint
	FROM routine r GROUP BY r.stream_id;
END;
COMMENT ON FUNCTION @extschema@.l4_own_progress(text, bigint[], @extschema@.l4_limits) IS
'Step: Of given streams of ranks the line after which each goes on with its routine for long, by what it says again and again '
'itself: what comes before, its rank outlived, however grave. Reads their counts.';

CREATE FUNCTION @extschema@.l4_is_outlived(kind text, counts boolean, gravity int, judged boolean, last_line bigint,
	line_no bigint, mild_line_no bigint, own_line_no bigint, limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
-- System logs are let through: a full or read-only disk lies in wait until something is written. A log in nobody's name that
-- counts iterations is the trainers'.
RETURN ((kind IN ('rank', 'launcher') OR kind = 'shared' AND counts)
	AND last_line <= CASE WHEN gravity >= (limits).gravity_fatal THEN own_line_no
	WHEN gravity >= (limits).gravity_error AND judged THEN line_no ELSE GREATEST(line_no, mild_line_no) END) IS TRUE;
COMMENT ON FUNCTION @extschema@.l4_is_outlived(text, boolean, int, boolean, bigint, bigint, bigint, bigint,
	@extschema@.l4_limits) IS
'Step: Did the job outlive a record that none of the successful ones has? By the kind of its stream, whether that '
'counts iterations, its gravity, whether the pool can judge streams of the kind, its last line, and the lines of '
'l4_progress_marks and (own_line_no) '
'of l4_own_progress for its stream.';

CREATE FUNCTION @extschema@.l4_last_good(job_id text, limits @extschema@.l4_limits) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT COALESCE(min(i.started_at) -
		CASE WHEN count(*) < (limits).alone_good_iterations THEN interval '1 us' ELSE interval '0' END, '-infinity')
	FROM (SELECT i.started_at FROM @extschema@.l4_job_timeline(l4_last_good.job_id) i
		ORDER BY 1 DESC LIMIT (limits).alone_good_iterations::bigint) i;
END;
COMMENT ON FUNCTION @extschema@.l4_last_good(text, @extschema@.l4_limits) IS
'Step: Until when a job made progress for certain: the begin of one of its last iterations, or the moment before the first of '
'fewer; -infinity where it did not iterate.';
