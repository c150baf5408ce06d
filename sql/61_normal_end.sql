/*
 * A normal end: the ranks say that they have done all their work, and nothing goes wrong after it. Ranks that train together
 * cannot get there where one of them fails, so whatever else such a job logs, however grave it sounds, it outlived.
 */

CREATE FUNCTION @extschema@.l4_finish_lines(job_id text, streams @extschema@.l4_job_stream[],
	wordings @extschema@.l4_wordings)
RETURNS TABLE (stream_id bigint, source_id bigint, line_no bigint, ts timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH finish AS MATERIALIZED (
		SELECT s.stream_id, s.source_id, s.unit, s.rank, min(e.first_line) AS line_no, min(e.first_ts) AS ts
		FROM @extschema@.l4_job_counts(l4_finish_lines.job_id, NULL, ARRAY(
			SELECT h.shape_id FROM @extschema@.l4_shape h
			-- of the job's shapes alone
			WHERE h.shape_id = ANY (ARRAY(SELECT n.shape_id FROM @extschema@.l4_job_shapes(l4_finish_lines.job_id) n))
				AND h.shape ~ (wordings).finished)) e
		JOIN unnest(l4_finish_lines.streams) s ON s.stream_id = e.stream_id
		-- what comes first while the job still iterates is said of a part of it
		WHERE s.kind = 'rank' AND (e.first_iteration < s.last_iteration) IS NOT TRUE
		GROUP BY s.stream_id, s.source_id, s.unit, s.rank
	),
	-- a rank is all that it logs, its stdout and its stderr alike
	speaker AS (
		SELECT bool_or(s.last_iteration IS NOT NULL) AS iterates, bool_or(f.stream_id IS NOT NULL) AS finished
		FROM unnest(l4_finish_lines.streams) s LEFT JOIN finish f ON f.stream_id = s.stream_id
		WHERE s.kind = 'rank' AND s.record_count > 0
		GROUP BY s.unit, COALESCE(s.rank, -s.stream_id)
	)
	SELECT f.stream_id, f.source_id, f.line_no, f.ts FROM finish f
	-- those that iterate speak for all; where none does, each speaks for itself
	WHERE (SELECT COALESCE(bool_and(p.finished) FILTER (WHERE p.iterates), bool_and(p.finished)) FROM speaker p);
END;
COMMENT ON FUNCTION @extschema@.l4_finish_lines(text, @extschema@.l4_job_stream[], @extschema@.l4_wordings) IS
'Step: Where the ranks of a job say that they have done all their work, by stream; no row where one that iterates (or, where '
'none does, any) does not say so.';

CREATE FUNCTION @extschema@.l4_normal_end(job_id text, limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS TABLE (stream_id bigint, line_no bigint, ts timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 1
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	streams @extschema@.l4_job_stream[] := ARRAY(SELECT s FROM @extschema@.l4_job_streams(l4_normal_end.job_id) s);
BEGIN
	-- One rank is asked before all, one that iterates and ends late: of a job that failed it does not say so, as a rule.
	IF NOT EXISTS (
		SELECT FROM @extschema@.l4_shape h
		WHERE h.shape_id = ANY (ARRAY(SELECT DISTINCT e.shape_id FROM @extschema@.l4_job_counts(l4_normal_end.job_id, ARRAY(
			SELECT o.stream_id FROM unnest(streams) o JOIN (
				SELECT s.stream_id, s.rank, s.unit FROM unnest(streams) s WHERE s.kind = 'rank' AND s.record_count > 0
				ORDER BY s.last_iteration IS NULL, s.last_ts DESC NULLS LAST, s.stream_id LIMIT 1) w
			ON o.stream_id = w.stream_id OR o.kind = 'rank' AND o.rank = w.rank AND o.unit IS NOT DISTINCT FROM w.unit)) e))
			AND h.shape ~ (wordings).finished) THEN
		RETURN;
	END IF;
	RETURN QUERY
	WITH finish AS MATERIALIZED (
		SELECT f.* FROM @extschema@.l4_finish_lines(l4_normal_end.job_id, streams, wordings) f
	),
	said AS MATERIALIZED (SELECT n.* FROM @extschema@.l4_job_shapes(l4_normal_end.job_id) n),
	judged AS MATERIALIZED (
		SELECT h.shape_id, g.closing, g.gravity
		FROM said n
		JOIN @extschema@.l4_shape h ON h.shape_id = n.shape_id AND h.shape_id = ANY (ARRAY(SELECT o.shape_id FROM said o))
		CROSS JOIN LATERAL (SELECT @extschema@.l4_text_gravity(h.shape, wordings) AS gravity,
			h.shape ~ (wordings).tolerated AS tolerated,
			h.shape ~ (wordings).closing AND @extschema@.l4_shape_words(h.shape) <> '' AS closing OFFSET 0) g
		WHERE EXISTS (SELECT FROM finish) AND greatest(n.level_rank, g.gravity) >= (limits).gravity_error AND NOT g.tolerated
	),
	-- a crash that comes first behind the end of its rank, or of a file; launchers and schedulers tell how processes ended
	failure AS (
		SELECT FROM @extschema@.l4_job_counts(l4_normal_end.job_id, NULL, ARRAY(SELECT j.shape_id FROM judged j)) e
		JOIN judged j ON j.shape_id = e.shape_id
		JOIN unnest(streams) s ON s.stream_id = e.stream_id
		LEFT JOIN finish f ON f.stream_id = e.stream_id
		LEFT JOIN (SELECT f.source_id, max(f.line_no) AS line_no FROM finish f GROUP BY f.source_id) a
			ON a.source_id = s.source_id
		WHERE CASE WHEN s.kind IN ('rank', 'system') THEN s.kind = 'rank' AND j.gravity >= (limits).gravity_error
				ELSE greatest(@extschema@.l4_level_rank(e.level), j.gravity) >= (limits).gravity_error
					AND (j.gravity >= (limits).gravity_fatal OR j.closing) END
			AND CASE WHEN coalesce(f.line_no, a.line_no) IS NOT NULL THEN e.first_line > coalesce(f.line_no, a.line_no)
				ELSE e.first_ts > (SELECT max(f.ts) FROM finish f) END
	)
	SELECT f.stream_id, f.line_no, f.ts FROM finish f WHERE NOT EXISTS (SELECT FROM failure)
	ORDER BY f.ts DESC NULLS LAST, f.stream_id LIMIT 1;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_normal_end(text, @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: The record by which the last rank of a job says that it has done all its work, where all say so (l4_finish_lines) and '
'no rank crashes after it (an exception, or as grave), nor does a launcher or scheduler tell so of a process; '
'else no row. Little cost where no rank says so.';
