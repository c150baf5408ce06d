/*
 * What is unexplained, attempt by attempt: the counts know a statement's first and last record in a stream, but a job that was
 * started again fails in each attempt with the same words.
 */

CREATE FUNCTION @extschema@.l4_recurrences(job_id text, stream_ids bigint[], shape_ids bigint[],
	unexplained @extschema@.l4_unexplained_record[], streams @extschema@.l4_job_stream[], attempts @extschema@.l4_attempt[],
	most double precision)
RETURNS TABLE (stream_id bigint, shape_id bigint, attempt int, line_no bigint, ts timestamptz, stage text, iteration bigint,
	raw text, stamped boolean, occurrences bigint, last_line bigint, last_ts timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH again AS MATERIALIZED (
		SELECT w.stream_id, w.shape_id, s.source_id, s.attempt, u.first_line, u.last_line, u.first_ts, u.position, u.value
		FROM unnest(l4_recurrences.stream_ids, l4_recurrences.shape_ids) w (stream_id, shape_id)
		JOIN unnest(l4_recurrences.streams) s ON s.stream_id = w.stream_id
		JOIN unnest(l4_recurrences.unexplained) u ON u.stream_id = w.stream_id AND u.shape_id = w.shape_id
	),
	segment AS MATERIALIZED (
		SELECT g.*
		FROM (SELECT array_agg(DISTINCT a.source_id) AS source_ids, array_agg(DISTINCT a.shape_id) AS shape_ids
			FROM again a HAVING count(*) > 0) w
		CROSS JOIN LATERAL @extschema@.l4_job_segments(l4_recurrences.job_id, w.source_ids, w.shape_ids) g
	),
	-- each segment is opened once, however many of its statements come again
	read AS MATERIALIZED (
		SELECT g.first_line AS from_line, g.last_line AS to_line, r.stream_id, r.shape_id, r.line_no, r.part, r.ts, r.stage,
			r.iteration, r.parameters
		FROM segment g
		CROSS JOIN LATERAL @extschema@.l4_shape_places(g.structure, g.texts, g.parameters, g.stream_ids,
			ARRAY(SELECT DISTINCT a.shape_id FROM again a), EXISTS (SELECT FROM again a WHERE a.value IS NOT NULL)) r
	),
	record AS (
		SELECT r.*, @extschema@.l4_attempt_of(l4_recurrences.attempts, a.attempt, a.source_id, r.line_no,
			greatest(r.ts, a.first_ts)) AS attempt
		FROM again a
		JOIN read r ON r.stream_id = a.stream_id AND r.shape_id = a.shape_id
			AND r.from_line <= a.last_line AND r.to_line >= a.first_line
			AND (a.value IS NULL OR r.parameters[a.position] = a.value)
	),
	first_record AS MATERIALIZED (
		SELECT DISTINCT ON (r.stream_id, r.shape_id, r.attempt) r.stream_id, r.shape_id, r.attempt, r.line_no, r.part, r.ts,
			r.stage, r.iteration, count(*) OVER w AS occurrences, max(r.line_no) OVER w AS last_line,
			max(r.ts) OVER w AS last_ts
		FROM record r WINDOW w AS (PARTITION BY r.stream_id, r.shape_id, r.attempt)
		ORDER BY r.stream_id, r.shape_id, r.attempt, r.line_no, r.part
	),
	-- and of each attempt as many texts are put together as of a job that was not started again
	text AS MATERIALIZED (
		SELECT w.attempt, t.stream_id, t.shape_id, t.raw, t.stamped
		FROM (SELECT f.attempt, array_agg(f.stream_id) AS stream_ids, array_agg(f.shape_id) AS shape_ids,
			array_agg(f.line_no) AS line_nos FROM first_record f GROUP BY f.attempt) w
		CROSS JOIN LATERAL @extschema@.l4_unexplained_texts(l4_recurrences.job_id, w.stream_ids, w.shape_ids, w.line_nos,
			l4_recurrences.most) t
	)
	SELECT f.stream_id, f.shape_id, f.attempt, f.line_no, f.ts, f.stage, f.iteration, t.raw, t.stamped, f.occurrences,
		f.last_line, f.last_ts
	FROM first_record f
	LEFT JOIN text t ON t.stream_id = f.stream_id AND t.shape_id = f.shape_id AND t.attempt = f.attempt;
END;
COMMENT ON FUNCTION @extschema@.l4_recurrences(text, bigint[], bigint[], @extschema@.l4_unexplained_record[],
	@extschema@.l4_job_stream[], @extschema@.l4_attempt[], double precision) IS
'Step: Of unexplained records (two arrays of one length say which: stream and shape) the first one of each attempt, with how '
'many there are in it, and where and when the last; with their texts, of each attempt most of them at most. Reads the segments '
'that have them.';

CREATE FUNCTION @extschema@.l4_last_stamps(job_id text, streams @extschema@.l4_job_stream[], attempts @extschema@.l4_attempt[])
RETURNS TABLE (stream_id bigint, attempt int, ts timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	SELECT e.stream_id, m.attempt, max(m.ts)
	FROM @extschema@.l4_job_counts(l4_last_stamps.job_id, ARRAY(SELECT s.stream_id FROM unnest(l4_last_stamps.streams) s)) e
	JOIN unnest(l4_last_stamps.streams) s ON s.stream_id = e.stream_id
	CROSS JOIN LATERAL (
		SELECT @extschema@.l4_attempt_of(l4_last_stamps.attempts, s.attempt, s.source_id, t.line_no, t.ts), t.ts
		FROM (VALUES (e.first_line, e.first_ts), (e.last_line, e.last_ts)) t (line_no, ts)) m (attempt, ts)
	GROUP BY e.stream_id, m.attempt;
END;
COMMENT ON FUNCTION @extschema@.l4_last_stamps(text, @extschema@.l4_job_stream[], @extschema@.l4_attempt[]) IS
'Step: The last stamp that each stream has in each attempt, as far as the counts know: lines without one behind it may have '
'been written at any time later.';

CREATE FUNCTION @extschema@.l4_attempt_records(job_id text, unexplained @extschema@.l4_unexplained_record[],
	attempts @extschema@.l4_attempt[], known_kinds text[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_unexplained_record
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 1000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	streams @extschema@.l4_job_stream[] := ARRAY(SELECT s FROM @extschema@.l4_job_streams(l4_attempt_records.job_id,
		ARRAY(SELECT DISTINCT r.stream_id FROM unnest(unexplained) r)) s);
	clocks @extschema@.l4_source_clock[] := ARRAY(SELECT c
		FROM @extschema@.l4_source_clocks(l4_attempt_records.job_id, limits) c);
BEGIN
	RETURN QUERY
	WITH ended AS (
		SELECT e.stream_id, e.shape_id, e.last_ts
		FROM @extschema@.l4_job_counts(l4_attempt_records.job_id, ARRAY(SELECT s.stream_id FROM unnest(streams) s),
			ARRAY(SELECT DISTINCT r.shape_id FROM unnest(unexplained) r)) e
	),
	bound AS MATERIALIZED (
		SELECT r.*, s.source_id, s.attempt AS path_attempt, s.last_iteration IS NOT NULL AS counts, e.last_ts,
			@extschema@.l4_attempt_of(attempts, s.attempt, s.source_id, r.first_line, r.first_ts) AS first_attempt,
			@extschema@.l4_attempt_of(attempts, s.attempt, s.source_id, r.last_line, greatest(e.last_ts, r.first_ts))
				AS last_attempt
		FROM unnest(unexplained) r JOIN unnest(streams) s ON s.stream_id = r.stream_id
		LEFT JOIN ended e ON e.stream_id = r.stream_id AND e.shape_id = r.shape_id
	),
	-- where it recurs in another attempt its records are read
	again AS MATERIALIZED (SELECT b.* FROM bound b WHERE b.first_attempt < b.last_attempt),
	part AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_recurrences(l4_attempt_records.job_id,
			ARRAY(SELECT a.stream_id FROM again a ORDER BY a.stream_id, a.shape_id),
			ARRAY(SELECT a.shape_id FROM again a ORDER BY a.stream_id, a.shape_id), unexplained, streams, attempts,
			(limits).unexplained_quotes) p
	),
	attempted AS (
		SELECT b.stream_id, b.source, b.kind, b.unit, b.node, b.rank, b.shape_id, b.event_id, b.reason, b.numbers,
			coalesce(p.occurrences, b.occurrences) AS occurrences, b.level, b.gravity, b.ending, b.peer,
			coalesce(p.line_no, b.first_line) AS first_line, coalesce(p.last_line, b.last_line) AS last_line,
			-- a record without a stamp bears that of the attempt before
			CASE WHEN p.attempt > b.first_attempt THEN greatest(p.ts, (SELECT a.since FROM unnest(attempts) a
				WHERE a.attempt = p.attempt)) ELSE b.first_ts END AS first_ts,
			CASE WHEN p.attempt > b.first_attempt THEN p.stage ELSE b.stage END AS stage, b.role, b.position, b.value, b.counts,
			CASE WHEN p.attempt > b.first_attempt THEN p.iteration ELSE b.iteration END AS iteration,
			CASE WHEN p.attempt > b.first_attempt THEN p.raw ELSE b.message END AS message,
			CASE WHEN p.attempt > b.first_attempt THEN p.stamped ELSE b.stamped END AS bears,
			coalesce(p.attempt, b.first_attempt) AS attempt, CASE
				WHEN c.lines IS NOT NULL THEN @extschema@.l4_time_at(coalesce(p.last_line, b.last_line), c.lines, c.times)
				ELSE coalesce(p.last_ts, b.last_ts, b.first_ts) END AS last_ts, c.lines IS NOT NULL AS shared, b.source_id
		FROM bound b LEFT JOIN unnest(clocks) c ON c.source_id = b.source_id
		LEFT JOIN part p ON b.first_attempt < b.last_attempt AND p.stream_id = b.stream_id AND p.shape_id = b.shape_id
	),
	stamped AS (
		-- does it bear a stamp of its own? Of one that was not read: as those of the same statement do
		SELECT a.*, coalesce(a.bears, bool_and(a.bears) OVER (PARTITION BY a.kind, a.shape_id), false) AS stamped
		FROM attempted a
	)
	SELECT t.stream_id, t.source, t.kind, t.unit, t.node, t.rank, t.shape_id, t.event_id, t.reason, t.numbers, t.occurrences,
		t.level, t.gravity, t.ending, t.peer, t.first_line, t.last_line, t.first_ts,
		CASE WHEN NOT z.starting OR @extschema@.l4_is_setup_stage(t.stage) THEN t.stage END,
		CASE WHEN NOT z.starting THEN t.iteration END, t.role, t.position, t.value, t.message, t.attempt,
		t.bears
	FROM stamped t LEFT JOIN unnest(attempts) a ON a.attempt = t.attempt
	LEFT JOIN @extschema@.l4_last_stamps(l4_attempt_records.job_id, streams, l4_attempt_records.attempts) s
		ON s.stream_id = t.stream_id AND s.attempt = t.attempt
	CROSS JOIN LATERAL (SELECT @extschema@.l4_is_starting(a, t.source_id, t.first_line, t.first_ts) AS starting OFFSET 0) z
	-- outlived is what progress of its own attempt came after, by lines where these tell, else by times
	CROSS JOIN LATERAL (
		SELECT CASE WHEN a.teller_id = t.source_id THEN t.last_line < a.grave_line ELSE t.last_ts < a.grave_before END AS grave,
			CASE WHEN a.teller_id = t.source_id THEN t.last_line < a.mild_line ELSE t.last_ts < a.mild_before END AS mild) v
	WHERE NOT (t.reason IN ('new', 'new value') AND (t.shared OR t.last_ts < s.ts OR t.stamped)
		AND @extschema@.l4_is_outlived(t.kind, t.counts, t.gravity, coalesce(t.kind = ANY (known_kinds), true), 0,
			CASE WHEN v.grave THEN 0 END, CASE WHEN v.mild THEN 0 END, NULL, limits));
END
$$;
COMMENT ON FUNCTION @extschema@.l4_attempt_records(text, @extschema@.l4_unexplained_record[], @extschema@.l4_attempt[], text[],
	@extschema@.l4_limits) IS
'Step: Unexplained records of a job of several attempts (l4_job_attempts), one a stream, shape and attempt, without what the '
'attempt outlived. known_kinds: the kinds of streams that the pool can judge. Reads the records of what recurs in a further '
'attempt.';

CREATE FUNCTION @extschema@.l4_fails_by_itself(unexplained @extschema@.l4_unexplained_record[], limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT EXISTS (
		SELECT FROM @extschema@.l4_shape h
		WHERE h.shape_id = ANY (ARRAY(SELECT DISTINCT u.shape_id FROM unnest(l4_fails_by_itself.unexplained) u
				WHERE u.kind <> 'launcher' AND u.gravity >= (limits).gravity_error AND NOT u.ending AND NOT u.peer))
			AND @extschema@.l4_told_text(h.shape) !~ (wordings).together);
END;
COMMENT ON FUNCTION @extschema@.l4_fails_by_itself(@extschema@.l4_unexplained_record[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: Is there an error among unexplained records that is about nothing that ranks do together, nor that another one went '
'away? What launchers say does not count.';
