/*
 * Why is an event of a job among the findings, and why is it not?
 *
 * The findings rest on l4_unexplained, which judges shapes: so each shape of the event is told of, what the pool knows of it,
 * and which rule let it in or kept it out. The rules are asked, not repeated: what is reported is what l4_unexplained reports,
 * and only of what it leaves out the reason is looked for, in the order in which the rules apply, by the functions that apply
 * them.
 */

CREATE FUNCTION @extschema@.l4_known_event(job_id text, event_id bigint) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
	IF NOT EXISTS (SELECT FROM @extschema@.l4_job_streams(l4_known_event.job_id)) THEN
		RAISE EXCEPTION 'job "%" %', l4_known_event.job_id,
			CASE WHEN EXISTS (SELECT FROM @extschema@.l4_job j WHERE j.job_id = l4_known_event.job_id) THEN 'has no logs'
				ELSE 'is not known' END
			USING ERRCODE = 'no_data_found',
				HINT = 'CALL l4_import(job_id, path) takes in the logs of a job; the table l4_job lists the jobs.';
	END IF;
	IF NOT EXISTS (SELECT FROM @extschema@.l4_job_shapes(l4_known_event.job_id) e JOIN @extschema@.l4_shape h
		ON h.shape_id = e.shape_id
		WHERE h.event_id = l4_known_event.event_id) THEN
		RAISE EXCEPTION 'event % %', l4_known_event.event_id,
			CASE WHEN EXISTS (SELECT FROM @extschema@.l4_event v WHERE v.event_id = l4_known_event.event_id)
				THEN format('is not in the logs of job "%s"', l4_known_event.job_id) ELSE 'is not known' END
			USING ERRCODE = 'no_data_found',
				HINT = 'The column event_id of l4_log and of l4_diagnose tells the events of a job.';
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_known_event(text, bigint) IS
'Step: Errors (P0002): the job is not known or has no logs, the event is not known or not in the job.';

CREATE FUNCTION @extschema@.l4_event_shapes(job_id text, event_id bigint, pool_id bigint, known_kinds text[],
	limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings)
RETURNS TABLE (shape_id bigint, shape text, occurrences bigint, streams bigint, nodes bigint, max_per_stream bigint, level text,
	level_rank int, gravity int,
	outlived boolean, not_judged boolean, first_stream bigint, first_line bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 3
BEGIN ATOMIC
	WITH shape AS MATERIALIZED (
		SELECT h.shape_id, h.shape, @extschema@.l4_text_gravity(h.shape, wordings) AS gravity FROM @extschema@.l4_shape h
			WHERE h.event_id = l4_event_shapes.event_id
	),
	entry AS (
		SELECT h.*, t.unit, t.source, t.kind, e.stream_id, e.occurrences, e.level, e.first_line, e.first_ts,
			@extschema@.l4_is_outlived(t.kind, t.last_iteration IS NOT NULL,
				GREATEST(@extschema@.l4_level_rank(e.level), h.gravity),
				COALESCE(t.kind = ANY (l4_event_shapes.known_kinds), true), e.last_line, m.line_no, m.mild_line_no,
				o.line_no, limits) AS outlived
		FROM @extschema@.l4_job_counts(l4_event_shapes.job_id, NULL, ARRAY(SELECT s.shape_id FROM shape s)) e
		JOIN shape h ON h.shape_id = e.shape_id
		JOIN @extschema@.l4_job_streams(l4_event_shapes.job_id) t ON t.stream_id = e.stream_id
		LEFT JOIN @extschema@.l4_progress_marks(l4_event_shapes.job_id, l4_event_shapes.pool_id, limits,
			wordings) m
			ON m.stream_id = e.stream_id
		LEFT JOIN LATERAL @extschema@.l4_own_progress(l4_event_shapes.job_id, ARRAY[e.stream_id], limits) o
			ON t.kind = 'rank' AND GREATEST(@extschema@.l4_level_rank(e.level), h.gravity) >= (limits).gravity_fatal
	)
	SELECT e.shape_id, e.shape, sum(e.occurrences)::bigint, count(DISTINCT e.stream_id), count(DISTINCT e.unit),
		max(e.occurrences),
		(array_agg(e.level ORDER BY @extschema@.l4_level_rank(e.level) DESC))[1], max(@extschema@.l4_level_rank(e.level)),
			e.gravity,
		bool_and(e.outlived), bool_and(e.kind <> ALL (l4_event_shapes.known_kinds)) IS TRUE,
		(array_agg(e.stream_id ORDER BY e.first_ts, e.source, e.first_line))[1],
			(array_agg(e.first_line ORDER BY e.first_ts, e.source, e.first_line))[1]
	FROM entry e
	GROUP BY e.shape_id, e.shape, e.gravity;
END;
COMMENT ON FUNCTION @extschema@.l4_event_shapes(text, bigint, bigint, text[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: The shapes of an event in a job: how often, in how many streams and nodes, how grave by level and by wording, '
'whether the job outlived all of its records, whether the pool can judge none of its streams, and where it comes first.';

CREATE FUNCTION @extschema@.l4_left_out_rule(compared boolean, ended boolean, gravity int, tolerated boolean, strange boolean,
	variant boolean, advice boolean, outlived boolean, not_judged boolean,
	facts jsonb, limits @extschema@.l4_limits) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
	WHEN NOT compared AND ended THEN 'ended'
	WHEN NOT compared AND gravity < (limits).gravity_trouble THEN 'mild'
	WHEN NOT compared AND tolerated THEN 'tolerated'
	WHEN NOT compared THEN 'early'
	WHEN (facts -> 'pool_jobs')::int > 0 THEN 'known'
	WHEN NOT strange THEN 'known words'
	WHEN facts ->> 'beside' IS NOT NULL AND gravity < (limits).gravity_trouble THEN 'beside'
	WHEN variant AND gravity < (limits).gravity_trouble THEN 'variant'
	WHEN facts ->> 'other_settings' IS NOT NULL THEN 'other settings'
	WHEN not_judged AND gravity < (limits).gravity_trouble THEN 'not judged'
	WHEN advice THEN 'advice'
	WHEN outlived THEN 'outlived'
	WHEN facts ->> 'harmless' IS NOT NULL THEN 'harmless'
END;
COMMENT ON FUNCTION @extschema@.l4_left_out_rule(boolean, boolean, int, boolean, boolean, boolean, boolean, boolean, boolean,
	jsonb, @extschema@.l4_limits) IS
'Step: The rule that keeps a shape out of the findings, the first that holds; NULL where none is known. compared: there is '
'a pool; ended: the job ended normally (l4_normal_end); strange: it does not know the words, variant: but for '
'names or a header (l4_strange_shapes); not_judged: it cannot judge these streams; facts: '
'pool_jobs, beside, other_settings, harmless, as in l4_explained_shapes.';

CREATE FUNCTION @extschema@.l4_explained_shapes(job_id text, event_id bigint, use_pool boolean)
RETURNS TABLE (shape_id bigint, shape text, reason text, numbers jsonb, reported_streams bigint, rule text, facts jsonb,
	quote text, level text,
	occurrences bigint, streams bigint, nodes bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 3
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	limits @extschema@.l4_limits := @extschema@.l4_limits_in_force();
	wordings @extschema@.l4_wordings := @extschema@.l4_wordings_in_force();
	pool record;
	is_member boolean;
	ended boolean;
	strange bigint[];
	variants bigint[];
	unexplained @extschema@.l4_unexplained_record[] := ARRAY(SELECT n
		FROM @extschema@.l4_unexplained(l4_explained_shapes.job_id, use_pool, NULL, limits, wordings) n
		WHERE n.event_id = l4_explained_shapes.event_id);
	accusations @extschema@.l4_accusation[] := '{}';
	suspects text[] := '{}';
	well @extschema@.l4_well_again_record[];
BEGIN
	-- what takes it back may be of another event
	IF EXISTS (SELECT FROM unnest(unexplained) u WHERE u.unit IS NULL) THEN
		accusations := ARRAY(SELECT a FROM @extschema@.l4_accusations(l4_explained_shapes.job_id,
			ARRAY(SELECT n FROM @extschema@.l4_unexplained(l4_explained_shapes.job_id, use_pool, NULL, limits, wordings) n),
			limits, wordings) a);
		suspects := ARRAY(SELECT s.unit FROM @extschema@.l4_suspect_nodes(l4_explained_shapes.job_id) s);
	END IF;
	well := ARRAY(SELECT w FROM @extschema@.l4_well_again(unexplained, accusations, suspects, limits, wordings) w);
	unexplained := ARRAY(SELECT u FROM unnest(unexplained) u
		WHERE NOT EXISTS (SELECT FROM unnest(well) w WHERE w.stream_id = u.stream_id AND w.shape_id = u.shape_id));
	SELECT b.* INTO pool FROM @extschema@.l4_compared_pool(l4_explained_shapes.job_id) b WHERE use_pool;
	is_member := EXISTS (SELECT FROM @extschema@.l4_pool_job m
		WHERE m.pool_id = pool.pool_id AND m.job_id = l4_explained_shapes.job_id);
	-- as in l4_unexplained_without_pool
	ended := pool.pool_id IS NULL
		AND EXISTS (SELECT FROM @extschema@.l4_normal_end(l4_explained_shapes.job_id, limits, wordings))
		AND NOT EXISTS (SELECT FROM @extschema@.l4_job_attempts(l4_explained_shapes.job_id, limits, wordings));
	SELECT coalesce(array_agg(s.shape_id), '{}'), coalesce(array_agg(s.shape_id) FILTER (WHERE s.variant), '{}')
	INTO strange, variants
	FROM @extschema@.l4_strange_shapes(l4_explained_shapes.job_id,
		ARRAY(SELECT p FROM @extschema@.l4_other_pool_shapes(l4_explained_shapes.job_id, pool.pool_id) p), limits) s
	WHERE s.event_id = l4_explained_shapes.event_id;
	RETURN QUERY
	WITH reported AS (
		-- of several streams and reasons the most frequent
		SELECT DISTINCT ON (n.shape_id) n.shape_id, n.reason, n.numbers, n.stream_id, n.first_line,
			count(*) OVER (PARTITION BY n.shape_id) AS streams
		FROM (SELECT n.*, count(*) OVER (PARTITION BY n.shape_id, n.reason) AS alike FROM unnest(unexplained) n) n
		ORDER BY n.shape_id, n.alike DESC, n.reason, n.first_line, n.stream_id),
	told AS MATERIALIZED (
		-- the record to quote: where it is reported, else where it comes first
		SELECT s.*, n.reason, n.numbers, n.streams AS reported_streams, coalesce(n.stream_id, s.first_stream) AS stream_id,
			coalesce(n.first_line, s.first_line) AS line_no
		FROM @extschema@.l4_event_shapes(l4_explained_shapes.job_id, l4_explained_shapes.event_id, pool.pool_id,
			pool.known_kinds, limits, wordings) s
		LEFT JOIN reported n ON n.shape_id = s.shape_id),
	text AS MATERIALIZED (
		SELECT DISTINCT ON (r.stream_id, r.line_no, r.shape_id) r.* FROM @extschema@.l4_records_at(l4_explained_shapes.job_id,
			ARRAY(SELECT t.stream_id FROM told t ORDER BY t.shape_id), ARRAY(SELECT t.line_no
				FROM told t ORDER BY t.shape_id)) r
		ORDER BY r.stream_id, r.line_no, r.shape_id, r.part)
	SELECT t.shape_id, t.shape, t.reason, t.numbers, t.reported_streams,
		CASE WHEN t.reason IS NULL AND EXISTS (SELECT FROM unnest(well) w WHERE w.shape_id = t.shape_id) THEN 'well again'
			ELSE @extschema@.l4_left_out_rule(pool.pool_id IS NOT NULL, ended, greatest(t.level_rank, t.gravity),
			t.shape ~ (wordings).tolerated, t.shape_id = ANY (strange), t.shape_id = ANY (variants),
			greatest(t.level_rank, t.gravity) < (limits).gravity_error AND t.shape ~ (wordings).advice, t.outlived,
				t.not_judged, f.facts, limits) END,
		f.facts, @extschema@.l4_quote(x.source, x.line_no, x.raw), t.level, t.occurrences, t.streams, t.nodes
	FROM told t
	LEFT JOIN text x ON x.shape_id = t.shape_id AND x.stream_id = t.stream_id AND x.line_no = t.line_no
	CROSS JOIN LATERAL @extschema@.l4_shape_facts(t.shape_id, l4_explained_shapes.event_id, pool.pool_id, is_member,
		coalesce(x.raw, t.shape), t.max_per_stream) f (facts);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_explained_shapes(text, bigint, boolean) IS
'Step: The facts of l4_explain_event: per shape of the event in the job why it is reported (reason, numbers; in how many '
'streams), or by which rule it is left out, and what the pool knows of it (facts: l4_shape_facts).';

CREATE FUNCTION @extschema@.l4_shape_facts(shape_id bigint, event_id bigint, pool_id bigint, is_member boolean, message text,
	max_per_stream bigint) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT jsonb_build_object('pool_settings', p.settings::text, 'pool_size', p.job_count - l4_shape_facts.is_member::int,
		'pool_jobs', COALESCE(k.job_count, 0) - (l4_shape_facts.is_member AND k.job_count > 0 IS TRUE)::int,
		'pool_max_per_stream', k.max_per_stream, 'max_per_stream', l4_shape_facts.max_per_stream,
		-- a shape of its event in the pool, the settings of another pool that has it, a harmless fault that it matches
		'beside', (SELECT min(h.shape COLLATE "C")
			FROM @extschema@.l4_pool_event o JOIN @extschema@.l4_shape h ON h.shape_id = o.shape_id
			WHERE o.pool_id = l4_shape_facts.pool_id AND h.event_id = l4_shape_facts.event_id),
		'other_settings', (SELECT min(q.settings::text COLLATE "C")
			FROM @extschema@.l4_pool_event o JOIN @extschema@.l4_pool q ON q.pool_id = o.pool_id
			WHERE o.shape_id = l4_shape_facts.shape_id AND o.pool_id <> l4_shape_facts.pool_id),
		'harmless', (SELECT min(f.title) FROM @extschema@.l4_fault_library f
			WHERE f.role = 'benign' AND @extschema@.l4_pattern_matches(f.pattern, l4_shape_facts.message, false)))
	FROM (SELECT) one
	LEFT JOIN @extschema@.l4_pool p ON p.pool_id = l4_shape_facts.pool_id
	LEFT JOIN @extschema@.l4_pool_event k ON k.pool_id = l4_shape_facts.pool_id AND k.shape_id = l4_shape_facts.shape_id;
END;
COMMENT ON FUNCTION @extschema@.l4_shape_facts(bigint, bigint, bigint, boolean, text, bigint) IS
'Step: What is known of a shape of a job: of its pool the settings (pool_settings), the number of jobs (pool_size), of '
'those that log the shape (pool_jobs) and the most records in a stream of these (pool_max_per_stream), all without the job '
'itself (is_member); a shape of its event in the pool (beside), the settings of another pool that has it (other_settings), '
'the title of a harmless fault that its message matches (harmless).';

CREATE FUNCTION @extschema@.l4_explain_event(job_id text, event_id bigint, use_pool boolean DEFAULT true)
RETURNS TABLE (shape_id bigint, shape text, news boolean, reason text, explanation text, quote text, level text,
	occurrences bigint, streams bigint, nodes bigint,
	max_per_stream bigint, pool_size int, pool_jobs int, pool_max_per_stream bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 3
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	pool_words text;
BEGIN
	PERFORM @extschema@.l4_known_event(l4_explain_event.job_id, l4_explain_event.event_id);
	SELECT @extschema@.l4_pool_sentence(@extschema@.l4_pool_facts(l4_explain_event.job_id, use_pool)) INTO pool_words
	FROM @extschema@.l4_compared_pool(l4_explain_event.job_id) p WHERE use_pool;
	RETURN QUERY
	SELECT s.shape_id, s.shape, s.reason IS NOT NULL, s.reason,
		CASE WHEN s.reason IS NOT NULL THEN @extschema@.l4_reported_sentence(s.reason, s.numbers, s.reported_streams,
			s.streams, pool_words)
			ELSE @extschema@.l4_left_out_sentence(s.rule, s.facts) END,
		s.quote, s.level, s.occurrences, s.streams, s.nodes, (s.facts -> 'max_per_stream')::bigint,
			(s.facts ->> 'pool_size')::int,
		CASE WHEN s.facts ->> 'pool_size' IS NOT NULL THEN (s.facts -> 'pool_jobs')::int END,
		CASE WHEN (s.facts -> 'pool_jobs')::int > 0 THEN (s.facts -> 'pool_max_per_stream')::bigint END
	FROM @extschema@.l4_explained_shapes(l4_explain_event.job_id, l4_explain_event.event_id, use_pool) s
	ORDER BY s.reason IS NULL, s.occurrences DESC, s.shape_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_explain_event(text, bigint, boolean) IS
'Why an event of a job is among the findings of l4_diagnose, or why it was left out: one row for each shape of the event '
'in the job. news: whether it counts; reason: new, new value, range, setup, storm, severe or follows, NULL where left out; '
'explanation: the reason in a sentence; quote: its first record (where it is news: the first that is) as "source:line: '
'text"; level: its gravest level; occurrences, streams, nodes: in how many records, streams and nodes of the job it is; '
'max_per_stream: most records in one stream; pool_size: number of successful jobs that the job is compared with, NULL '
'where there are none; pool_jobs: how many of them log it; pool_max_per_stream: most records in one of their streams. '
'use_pool as in l4_diagnose. Errors: the job is not known or has no logs, the event is not known or not in the job '
'(P0002). Cost: that of l4_unexplained, and of the shapes of the pool for what was left out.';
