/*
 * Why is an event of a job among the findings, and why is it not?
 *
 * The findings rest on l4_news, which judges shapes: so each shape of the event is told of, what the pool knows of it, and which rule let it
 * in or kept it out. The rules are asked, not repeated: what is reported is what l4_news reports, and only of what it leaves out the
 * reason is looked for, in the order in which the rules apply.
 */

CREATE FUNCTION @extschema@.l4_known_words(shape text, pool_id bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT NOT EXISTS (
		SELECT FROM string_to_table(l4_known_words.shape, E'\n') l (line)
		WHERE @extschema@.l4_shape_words(l.line) <> '' AND NOT EXISTS (
			SELECT FROM @extschema@.l4_pool_event p JOIN @extschema@.l4_shape s ON s.shape_id = p.shape_id,
				LATERAL string_to_table(s.shape, E'\n') k (line)
			WHERE p.pool_id = l4_known_words.pool_id AND @extschema@.l4_shape_words(k.line) = @extschema@.l4_shape_words(l.line)));
END;
COMMENT ON FUNCTION @extschema@.l4_known_words(text, bigint) IS
'Does a pool know the words of each line of a shape, with whatever signs and numbers? Reads the shapes of the pool.';

CREATE FUNCTION @extschema@.l4_news_reason(reason text, detail text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE reason
	WHEN 'severe' THEN detail
	WHEN 'new' THEN 'it is new'
	WHEN 'new value' THEN 'it has a new value'
	WHEN 'range' THEN 'a number in it is out of range'
	WHEN 'storm' THEN 'it comes in a storm'
	ELSE 'of rule "' || reason || '"'
END || CASE WHEN reason = 'severe' OR detail IS NULL THEN '' ELSE ' (' || detail || ')' END;
COMMENT ON FUNCTION @extschema@.l4_news_reason(text, text) IS
'A reason of l4_news with its detail, in words.';

CREATE FUNCTION @extschema@.l4_leave_reason(shape text, gravity int, pool_id bigint, pool_settings text, pool_size int, pool_jobs int, pool_max bigint, own_max bigint,
	beside text, other_settings text, advice boolean, outlived boolean, noise text, similar_only boolean DEFAULT false) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
RETURN CASE
	WHEN pool_id IS NULL AND gravity < 4 THEN 'there is no successful job to compare with, and it does not sound grave'
	WHEN pool_id IS NULL AND @extschema@.l4_text_tolerated(shape) THEN 'there is no successful job to compare with, and it says that the program goes on in spite of it'
	WHEN pool_id IS NULL THEN 'there is no successful job to compare with, and it begins, or sounds like what is logged, while the job makes progress'
	WHEN pool_jobs > 0 THEN format('known to the pool of %s: %s of its %s jobs log%s it, up to %s times in a stream (here up to %s), with such values',
		pool_settings, pool_jobs, pool_size, CASE pool_jobs WHEN 1 THEN 's' ELSE '' END, pool_max, own_max)
	WHEN @extschema@.l4_known_words(shape, pool_id) THEN format('the pool of %s (jobs: %s) logs the same words with other signs, numbers or line breaks', pool_settings, pool_size)
	WHEN beside IS NOT NULL AND gravity < 4 THEN format('it sounds harmless, and clustering puts it beside a statement of the pool of %s: %s', pool_settings, left(beside, 100))
	WHEN other_settings IS NOT NULL THEN format('successful jobs of other settings log it (%s)', other_settings)
	WHEN similar_only AND gravity < 4 THEN 'there are only successful jobs of similar settings, or without such streams, to compare with, and it does not sound of trouble'
	WHEN advice THEN 'it is advice to programmers, which tells of no failure'
	WHEN outlived THEN 'it ceased while the job still made progress: the job outlived it'
	WHEN noise IS NOT NULL THEN format('the fault library knows it as harmless (%s)', noise)
	ELSE format('the pool of %s does not have it, and none of the rules for news takes it up', pool_settings)
END;
COMMENT ON FUNCTION @extschema@.l4_leave_reason(text, int, bigint, text, int, int, bigint, bigint, text, text, boolean, boolean, text, boolean) IS
'Why a shape is no news, in words: by its gravity, what the pool knows of it (pool_id NULL: there is none; pool_jobs 0: the pool does not have the shape), a shape of its event in the pool (beside), the settings of another pool that has it, whether it is mere advice, whether the job outlived it, the title of a harmless fault that it matches (noise), and whether the pool cannot judge its stream (similar_only: other settings, or no such streams).';

CREATE FUNCTION @extschema@.l4_explain_event(job_id text, event_id bigint, use_pool boolean DEFAULT true)
RETURNS TABLE (shape_id bigint, shape text, news boolean, reason text, explanation text, quote text, level text, occurrences bigint, streams bigint, nodes bigint,
	max_per_stream bigint, pool_size int, pool_jobs int, pool_max_per_stream bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 3
SET search_path = pg_catalog, @extschema@, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	pool record;
	member boolean := false;
	found l4_news_record[];
BEGIN
	IF NOT EXISTS (SELECT FROM l4_stream s WHERE s.job_id = l4_explain_event.job_id) THEN
		RAISE EXCEPTION 'job "%" %', l4_explain_event.job_id,
			CASE WHEN EXISTS (SELECT FROM l4_job j WHERE j.job_id = l4_explain_event.job_id) THEN 'has no logs' ELSE 'is not known' END
			USING ERRCODE = 'no_data_found', HINT = 'CALL l4_import(job_id, path) takes in the logs of a job; the table l4_job lists the jobs.';
	END IF;
	IF NOT EXISTS (SELECT FROM l4_stream_event e JOIN l4_shape h ON h.shape_id = e.shape_id
		WHERE e.job_id = l4_explain_event.job_id AND h.event_id = l4_explain_event.event_id) THEN
		RAISE EXCEPTION 'event % %', l4_explain_event.event_id,
			CASE WHEN EXISTS (SELECT FROM l4_event v WHERE v.event_id = l4_explain_event.event_id)
				THEN format('is not in the logs of job "%s"', l4_explain_event.job_id) ELSE 'is not known' END
			USING ERRCODE = 'no_data_found', HINT = 'The column event_id of l4_log and of l4_diagnose tells the events of a job.';
	END IF;

	SELECT b.pool_id, b.job_count, b.settings, CASE WHEN b.fit = 1 AND b.differs = '{}' THEN b.kinds ELSE '{}' END AS known_kinds INTO pool FROM l4_best_pool(l4_explain_event.job_id) b WHERE use_pool ORDER BY b.fit DESC, b.pool_id LIMIT 1;
	member := EXISTS (SELECT FROM l4_pool_job m WHERE m.pool_id = pool.pool_id AND m.job_id = l4_explain_event.job_id);
	found := ARRAY(SELECT n FROM l4_news(l4_explain_event.job_id, use_pool) n WHERE n.event_id = l4_explain_event.event_id);

	RETURN QUERY
	WITH entry AS (
		SELECT e.shape_id, h.shape, s.node, s.source, s.kind, e.stream_id, e.occurrences, e.level, e.first_line, e.first_ts,
			s.kind IN ('rank', 'launcher') AND e.last_line <= CASE WHEN greatest(l4_level_rank(e.level), l4_text_rank(h.shape)) >= 5 THEN o.line_no
				ELSE greatest(o.line_no, o.mild_line_no) END AS outlived
		FROM l4_stream_event e
		JOIN l4_shape h ON h.shape_id = e.shape_id AND h.event_id = l4_explain_event.event_id
		JOIN l4_job_streams(l4_explain_event.job_id) s ON s.stream_id = e.stream_id
		LEFT JOIN l4_outlived(l4_explain_event.job_id, pool.pool_id) o ON o.stream_id = e.stream_id
		WHERE e.job_id = l4_explain_event.job_id),
	shape AS (
		SELECT e.shape_id, e.shape, sum(e.occurrences)::bigint AS occurrences, count(DISTINCT e.stream_id) AS streams, count(DISTINCT e.node) AS nodes,
			max(e.occurrences) AS largest, max(l4_level_rank(e.level)) AS gravity, bool_and(e.outlived IS TRUE) AS outlived, bool_and(e.kind <> ALL (pool.known_kinds)) IS TRUE AS similar_only,
			(array_agg(e.level ORDER BY l4_level_rank(e.level) DESC))[1] AS level
		FROM entry e GROUP BY e.shape_id, e.shape),
	news AS (
		-- of several streams and reasons the most frequent
		SELECT DISTINCT ON (n.shape_id) n.shape_id, n.reason, n.detail, n.stream_id, n.first_line, sum(count(*)) OVER (PARTITION BY n.shape_id) AS streams
		FROM unnest(found) n GROUP BY n.shape_id, n.reason, n.detail, n.stream_id, n.first_line
		ORDER BY n.shape_id, count(*) OVER (PARTITION BY n.shape_id, n.reason) DESC, n.reason, n.first_line, n.stream_id),
	place AS (
		-- the record to quote: where it is news, else where it comes first
		SELECT DISTINCT ON (e.shape_id) e.shape_id, coalesce(n.stream_id, e.stream_id) AS stream_id, coalesce(n.first_line, e.first_line) AS line_no
		FROM entry e LEFT JOIN news n ON n.shape_id = e.shape_id
		ORDER BY e.shape_id, e.first_ts, e.source, e.first_line),
	text AS (
		SELECT r.* FROM l4_records_at(l4_explain_event.job_id, ARRAY(SELECT p.stream_id FROM place p ORDER BY p.shape_id), ARRAY(SELECT p.line_no FROM place p ORDER BY p.shape_id)) r),
	told AS (
		SELECT s.*, n.reason, n.detail, n.streams AS news_streams, coalesce(k.job_count, 0) - CASE WHEN member AND k.job_count > 0 THEN 1 ELSE 0 END AS pool_jobs,
			k.max_per_stream, t.raw, t.source, t.line_no
		FROM shape s
		JOIN place p ON p.shape_id = s.shape_id
		LEFT JOIN news n ON n.shape_id = s.shape_id
		LEFT JOIN l4_pool_event k ON k.pool_id = pool.pool_id AND k.shape_id = s.shape_id
		LEFT JOIN LATERAL (SELECT t.* FROM text t WHERE t.shape_id = s.shape_id AND t.stream_id = p.stream_id AND t.line_no = p.line_no LIMIT 1) t ON true)
	SELECT t.shape_id, t.shape, t.reason IS NOT NULL, t.reason,
		CASE WHEN t.reason IS NOT NULL
			THEN format('Reported: %s; so in %s of the %s streams that log it%s.', l4_news_reason(t.reason, t.detail), t.news_streams, t.streams,
				CASE WHEN pool.pool_id IS NOT NULL THEN '; compared with ' || l4_pool_words(l4_explain_event.job_id, use_pool) ELSE '' END)
			ELSE format('Left out: %s.', l4_leave_reason(t.shape, greatest(t.gravity, l4_text_rank(t.shape)), pool.pool_id, pool.settings::text, pool.job_count,
				t.pool_jobs, t.max_per_stream, t.largest,
				(SELECT min(h.shape COLLATE "C") FROM l4_pool_event k JOIN l4_shape h ON h.shape_id = k.shape_id
					WHERE k.pool_id = pool.pool_id AND h.event_id = l4_explain_event.event_id),
				(SELECT min(o.settings::text COLLATE "C") FROM l4_pool_event k JOIN l4_pool o ON o.pool_id = k.pool_id WHERE k.shape_id = t.shape_id AND k.pool_id <> pool.pool_id),
				t.gravity <= 4 AND l4_text_rank(t.shape) <= 4 AND l4_text_advice(t.shape), t.outlived,
				(SELECT min(f.title) FROM l4_fault_library f WHERE f.role = 'benign' AND l4_pattern_matches(f.pattern, coalesce(t.raw, t.shape), false)), t.similar_only))
		END,
		l4_quote(t.source, t.line_no, t.raw), t.level, t.occurrences, t.streams, t.nodes, t.largest, pool.job_count, CASE WHEN pool.pool_id IS NOT NULL THEN t.pool_jobs END,
		CASE WHEN t.pool_jobs > 0 THEN t.max_per_stream END
	FROM told t
	ORDER BY t.reason IS NULL, t.occurrences DESC, t.shape_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_explain_event(text, bigint, boolean) IS
'Why an event of a job is among the findings of l4_diagnose, or why it was left out: one row for each shape of the event in the job. news: whether it counts; reason: new, new value, range, storm or severe, NULL where it was left out; explanation: the reason in a sentence; quote: its first record (where it is news: the first that is) as "source:line: text"; level: its gravest level; occurrences, streams, nodes: in how many records, streams and nodes of the job it is; max_per_stream: most records in one stream; pool_size: number of successful jobs that the job is compared with, NULL where there are none; pool_jobs: how many of them log it; pool_max_per_stream: most records in one of their streams. use_pool as in l4_diagnose. Errors: the job is not known or has no logs, the event is not known or not in the job (P0002). Cost: that of l4_news, and of the shapes of the pool for each that was left out.';
