/*
 * The diagnosis: news, nodes, faults, onset, put together into findings.
 *
 * l4_diagnose reads only and can be read, copied and changed: each step is a function of its own (l4_news, l4_suspect_nodes,
 * l4_onsets, l4_match_faults), and what remains here is the order in which findings stand and the words in which they are told.
 */

CREATE FUNCTION @extschema@.l4_quote(source text, line_no bigint, raw text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
BEGIN ATOMIC
	-- the first line of a record and, of a long one, the last that is not empty: of a traceback the one that tells
	SELECT string_agg(format('%s:%s: %s', l4_quote.source, l4_quote.line_no + l.number - 1, left(l.text, 300)), E'\n' ORDER BY l.number)
	FROM (
		SELECT p.text, p.number, count(*) OVER () AS lines,
			max(p.number) FILTER (WHERE p.text ~ '\S') OVER () AS last
		FROM string_to_table(l4_quote.raw, E'\n') WITH ORDINALITY p (text, number)) l
	WHERE l.number = l.last OR l.number = 1 AND l.text !~ '^Traceback ';
END;
COMMENT ON FUNCTION @extschema@.l4_quote(text, bigint, text) IS
'A record as evidence: "source:line: text" of its first and, where it has several lines, its last line, each cut to 300 characters.';

CREATE FUNCTION @extschema@.l4_pool_words(job_id text, use_pool boolean) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT COALESCE((
		SELECT format('%s successful job%s with %s settings', b.job_count, CASE b.job_count WHEN 1 THEN '' ELSE 's' END,
			CASE WHEN b.fit < 1 THEN format('similar (%s %%)', round(100 * b.fit))
				WHEN b.differs <> '{}' THEN format('similar (other %s)', array_to_string(b.differs, ', ')) ELSE 'the same' END)
		FROM @extschema@.l4_best_pool(l4_pool_words.job_id) b WHERE l4_pool_words.use_pool), 'no successful job to compare with');
END;
COMMENT ON FUNCTION @extschema@.l4_pool_words(text, boolean) IS
'In words, what a job is compared with.';

CREATE FUNCTION @extschema@.l4_event_findings(job_id text, news @extschema@.l4_news_record[], suspects text[], use_pool boolean DEFAULT true,
	accusations @extschema@.l4_accusation[] DEFAULT NULL)
RETURNS TABLE (ordinal bigint, score double precision, node text, rank int, stage text, iteration bigint, event_id bigint, template text,
	first_seen timestamptz, occurrences bigint, nodes_affected bigint, evidence text, explanation text, role text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 20
BEGIN ATOMIC
	WITH named AS MATERIALIZED (
		SELECT a.* FROM unnest(COALESCE(l4_event_findings.accusations,
			ARRAY(SELECT a FROM @extschema@.l4_accusations(l4_event_findings.job_id, l4_event_findings.news) a))) a
	),
	record AS MATERIALIZED (
		SELECT r.*, EXISTS (SELECT FROM named a WHERE a.stream_id = r.stream_id AND a.shape_id = r.shape_id AND a.accuser IS NOT NULL) AS accuses,
			EXISTS (SELECT FROM named a WHERE a.stream_id = r.stream_id AND a.shape_id = r.shape_id AND a.accused = l4_event_findings.suspects[1]) AS names_suspect,
			GREATEST(@extschema@.l4_level_rank(r.level), @extschema@.l4_text_rank(r.message)) AS gravity,
			@extschema@.l4_text_ending(r.message) IS TRUE AS ending, @extschema@.l4_text_peer(r.message) IS TRUE AS peer
		FROM unnest(l4_event_findings.news) r
	),
	size AS (
		SELECT count(*) AS nodes FROM @extschema@.l4_job_nodes(l4_event_findings.job_id)
	),
	event AS MATERIALIZED (
		SELECT r.event_id, sum(r.occurrences)::bigint AS occurrences, count(DISTINCT r.node) AS nodes_affected,
			count(DISTINCT r.stream_id) AS streams, max(r.gravity) AS gravity,
			COALESCE(bool_or(r.node = l4_event_findings.suspects[1] AND NOT r.accuses), false) AS own,
			bool_or(r.names_suspect AND r.node IS NULL) AS told,
			bool_and(r.ending OR r.peer OR r.accuses) AS follows, bool_and(r.ending) AS ending,
			bool_or(r.reason IN ('new value', 'range')) AS value,
			min(r.first_ts) AS first_ts
		FROM record r
		GROUP BY r.event_id
	),
	judged AS (
		-- Root is what the suspect says of itself, what a log of no node says of it, a value that none should have, and the first trouble
		-- at all; unless it only tells of others or of an end. What is no trouble is context, the rest follows. Where nothing is root so,
		-- the first trouble is, whatever it tells of.
		SELECT e.*, CASE
			WHEN e.gravity >= 4 AND NOT e.follows AND (e.own AND e.nodes_affected * 2 <= z.nodes OR e.told
				OR e.first_ts <= min(e.first_ts) FILTER (WHERE e.gravity >= 4 AND NOT e.follows) OVER () + interval '1 second') OR e.value AND NOT e.ending THEN 'root'
			WHEN e.gravity < 4 AND NOT e.follows THEN 'context'
			ELSE 'cascade' END AS alone
		FROM event e, size z
	),
	roles AS (
		SELECT e.*, CASE WHEN e.alone = 'cascade' AND NOT e.ending AND NOT bool_or(e.alone = 'root') OVER ()
			AND row_number() OVER (ORDER BY e.alone = 'cascade' AND NOT e.ending DESC, e.own DESC, e.first_ts, e.event_id) = 1 THEN 'root' ELSE e.alone END AS role
		FROM judged e
	),
	scored AS (
		SELECT e.*, z.nodes, CASE e.role WHEN 'root' THEN 3 ELSE 0 END +
			-- what the suspect says itself or a controller says of it, then gravity, then rarity, then time
			CASE WHEN e.own AND e.nodes_affected * 2 <= z.nodes THEN 3 WHEN e.told THEN 3 ELSE 0 END
				+ e.gravity / 6.0 + 1.0 / (1 + GREATEST(e.nodes_affected, 1))
				+ 1.0 / rank() OVER (ORDER BY e.first_ts)
				-- an odd value that sounds harmless, elsewhere
				- CASE WHEN e.value AND e.gravity < 4 AND NOT e.own AND NOT e.told THEN 1 ELSE 0 END AS score
		FROM roles e, size z
	),
	first_record AS MATERIALIZED (
		SELECT DISTINCT ON (r.event_id) r.event_id, r.stream_id, r.source, r.node, r.rank, r.shape_id, r.stage, r.iteration, r.first_ts, r.detail
		FROM record r JOIN event e ON e.event_id = r.event_id
		ORDER BY r.event_id, r.node IS NOT DISTINCT FROM l4_event_findings.suspects[1] AND e.own DESC, r.first_ts, r.source, r.first_line, r.shape_id
	),
	quoted AS (
		SELECT q.event_id, string_agg(@extschema@.l4_quote(q.source, q.first_line, q.message), E'\n' ORDER BY q.turn) AS quotes
		FROM (
			SELECT r.event_id, r.source, r.first_line, r.message,
				row_number() OVER (PARTITION BY r.event_id ORDER BY r.stream_id = f.stream_id DESC, r.first_ts, r.source, r.first_line, r.shape_id) AS turn
			FROM record r JOIN first_record f ON f.event_id = r.event_id
			WHERE r.message IS NOT NULL) q
		WHERE q.turn <= 3
		GROUP BY q.event_id
	),
	pool AS MATERIALIZED (
		SELECT @extschema@.l4_pool_words(l4_event_findings.job_id, l4_event_findings.use_pool) AS words
	)
	SELECT row_number() OVER (ORDER BY s.score DESC, s.first_ts, s.event_id), s.score, f.node, f.rank, f.stage,
		COALESCE(f.iteration, @extschema@.l4_job_iteration(l4_event_findings.job_id, f.first_ts)), s.event_id, COALESCE(v.template, h.shape),
		s.first_ts, s.occurrences, s.nodes_affected, q.quotes,
		format('%s: %s, first %s%s%s; %s; %s.',
			CASE s.role WHEN 'root' THEN 'Root' WHEN 'cascade' THEN 'Consequence' ELSE 'Context' END,
			CASE WHEN s.nodes_affected = 0 THEN 'in a log of no node' WHEN s.nodes = 1 THEN 'on the one node of the job (with one node there is nothing to compare it with)'
				WHEN s.nodes_affected = s.nodes THEN 'on all nodes (' || s.nodes || ')' || CASE WHEN s.role = 'root' AND l4_event_findings.suspects[1] IS NULL THEN ', so no fault of one node' ELSE '' END
				ELSE format('on %s of %s nodes', s.nodes_affected, s.nodes) END,
			COALESCE('on ' || f.node, 'in ' || f.source), ' at ' || to_char(f.first_ts, 'YYYY-MM-DD HH24:MI:SS'),
			CASE WHEN s.own AND s.nodes > 1 THEN ' (the suspected node)' ELSE '' END,
			f.detail, CASE WHEN w.words LIKE 'no %' THEN 'there was ' ELSE 'compared with ' END || w.words), s.role
	FROM scored s
	JOIN first_record f ON f.event_id = s.event_id
	LEFT JOIN quoted q ON q.event_id = s.event_id
	LEFT JOIN @extschema@.l4_event v ON v.event_id = s.event_id
	LEFT JOIN @extschema@.l4_shape h ON h.shape_id = f.shape_id
	CROSS JOIN pool w;
END;
COMMENT ON FUNCTION @extschema@.l4_event_findings(text, @extschema@.l4_news_record[], text[], boolean, @extschema@.l4_accusation[]) IS
'The events that are news, most telling first: root before cascade and context, those of the suspected node or about it, then by gravity, rarity and time. accusations: the result of l4_accusations, where at hand.';

CREATE FUNCTION @extschema@.l4_node_findings(job_id text, news @extschema@.l4_news_record[], suspects @extschema@.l4_suspect_node[])
RETURNS TABLE (ordinal int, score double precision, node text, rank int, stage text, iteration bigint, first_seen timestamptz, evidence text, explanation text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
BEGIN ATOMIC
	SELECT s.ordinal, s.score, @extschema@.l4_node_name(s.node),
		COALESCE(s.rank, substring(s.node, '^rank (\d+)$')::int), o.stage,
		COALESCE(o.iteration, @extschema@.l4_job_iteration(l4_node_findings.job_id, s.first_ts)), s.first_ts, q.quotes,
		format('Suspect %s: %s.', s.node, (SELECT string_agg(e.explanation, '; ') FROM unnest(s.evidence) e))
	FROM unnest(l4_node_findings.suspects) s
	LEFT JOIN LATERAL (
		-- the first record of each of the four strongest pieces of evidence
		SELECT string_agg(@extschema@.l4_quote(t.source, t.line_no, t.raw), E'\n' ORDER BY t.place) AS quotes
		FROM (
			SELECT t.*, (SELECT min(e.place) FROM unnest(s.evidence) WITH ORDINALITY
				e (node, rank, reason, weight, first_ts, stream_id, line_no, explanation, place)
				WHERE e.stream_id = t.stream_id AND e.line_no = t.line_no) AS place
			FROM @extschema@.l4_record_texts(l4_node_findings.job_id,
				ARRAY(SELECT e.stream_id FROM unnest(s.evidence[1:4]) e WHERE e.line_no IS NOT NULL),
				ARRAY(SELECT e.line_no FROM unnest(s.evidence[1:4]) e WHERE e.line_no IS NOT NULL)) t) t) q ON true
	LEFT JOIN LATERAL (
		SELECT r.stage, r.iteration FROM unnest(l4_node_findings.news) r
		WHERE r.node = s.node AND r.kind = 'rank' AND NOT r.role
		ORDER BY r.first_ts, r.first_line LIMIT 1) o ON true;
END;
COMMENT ON FUNCTION @extschema@.l4_node_findings(text, @extschema@.l4_news_record[], @extschema@.l4_suspect_node[]) IS
'Suspected nodes in words, with the records that say so.';

CREATE FUNCTION @extschema@.l4_fault_findings(job_id text, news @extschema@.l4_news_record[], suspects text[], roles jsonb)
RETURNS TABLE (ordinal bigint, score double precision, node text, rank int, stage text, iteration bigint, event_id bigint, template text, first_seen timestamptz,
	occurrences bigint, nodes_affected bigint, evidence text, explanation text, fault_key text, root_cause text, fix text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 5
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	WITH found AS (
		SELECT f.*, coalesce(f.node = l4_fault_findings.suspects[1], f.message ~ ('\m' || regexp_replace(l4_fault_findings.suspects[1], '\W', '.', 'g') || '\M'), false) AS own, roles ->> f.event_id::text AS event_role,
			row_number() OVER (PARTITION BY f.event_id ORDER BY f.ordinality) AS turn, z.nodes
		FROM @extschema@.l4_match_faults(l4_fault_findings.job_id, l4_fault_findings.news) WITH ORDINALITY f, (SELECT count(*) AS nodes FROM @extschema@.l4_job_nodes(l4_fault_findings.job_id)) z
	), explained AS (
		-- a fault that only shows in what follows explains no root
		SELECT f.*, (SELECT array_agg(k.fault_key ORDER BY k.place) FROM unnest(f.explained_by) WITH ORDINALITY k (fault_key, place) JOIN found o ON o.fault_key = k.fault_key
			WHERE f.event_role IS DISTINCT FROM 'root' OR o.event_role IS DISTINCT FROM 'cascade') AS follows_from
		FROM found f
	)
	-- What follows from another fault or from the failure comes late, and of several faults that one event shows only the first comes early.
	SELECT row_number() OVER (ORDER BY f.turn > 1, f.follows_from IS NOT NULL, f.role <> 'root', f.event_role = 'cascade' AND NOT f.own, f.own DESC, f.ordinality),
		(5 - array_position(ARRAY['critical', 'error', 'warning', 'info'], f.severity))::float8 / CASE WHEN f.follows_from IS NOT NULL OR f.event_role = 'cascade' OR f.turn > 1 THEN 2 ELSE 1 END,
		f.node, f.rank, f.stage, coalesce(f.iteration, @extschema@.l4_job_iteration(l4_fault_findings.job_id, f.first_ts)), f.event_id,
		(SELECT e.template FROM @extschema@.l4_event e WHERE e.event_id = f.event_id), f.first_ts, f.occurrences, f.nodes_affected,
		@extschema@.l4_quote(f.source, f.line_no, f.message),
		format('Known %s fault (%s): %s. First %s%s%s%s%s.', f.category, f.severity, f.title, coalesce('on ' || f.node, 'in ' || f.source),
			CASE WHEN f.own AND f.nodes > 1 THEN CASE WHEN f.node IS NULL THEN ', which names the suspected ' || l4_fault_findings.suspects[1] ELSE ' (the suspected node)' END ELSE '' END, ' at ' || to_char(f.first_ts, 'YYYY-MM-DD HH24:MI:SS'),
			CASE WHEN f.nodes_affected > 1 THEN format(', on %s of %s nodes', f.nodes_affected, f.nodes) ELSE '' END,
			CASE WHEN f.follows_from IS NOT NULL THEN '; follows from ' || array_to_string(f.follows_from, ', ')
				WHEN f.event_role = 'cascade' AND NOT f.own THEN '; a consequence of what went wrong elsewhere, as a rule' ELSE '' END),
		f.fault_key, f.root_cause, f.fix
	FROM explained f
	ORDER BY 1;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_fault_findings(text, @extschema@.l4_news_record[], text[], jsonb) IS
'The known faults among the news of a job, most telling first: root faults before those that follow from others (l4_fault_explains) or that show only in events that follow, those of the suspected node before others, several faults of one event behind the first of each; then in the order of l4_match_faults. suspects: suspected nodes in order; roles: object of event_id to role (root, cascade, context).';

CREATE FUNCTION @extschema@.l4_job_findings(job_id text, use_pool boolean DEFAULT true)
RETURNS TABLE (kind text, ordinal int, score double precision, node text, rank int, stage text, iteration bigint, event_id bigint, template text,
	first_seen timestamptz, occurrences bigint, nodes_affected int, evidence text, explanation text, fault_key text, root_cause text, fix text, role text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 30
SET search_path = pg_catalog, pg_temp
SET jit = off
-- News may be tens of thousands of records, which the planner often takes for a few after some steps: its loops over all pairs would take minutes. To
-- start processes takes longer than any of the steps.
SET enable_nestloop = off
SET max_parallel_workers_per_gather = 0
AS $$
#variable_conflict use_column
DECLARE
	clocks @extschema@.l4_clock_offset[];
	news @extschema@.l4_news_record[];
	accusations @extschema@.l4_accusation[];
	suspects @extschema@.l4_suspect_node[];
	names text[];
	onsets @extschema@.l4_onset[];
	teller bigint;
	events @extschema@.l4_finding[];
BEGIN
	clocks := ARRAY(SELECT k FROM @extschema@.l4_clock_offsets(l4_job_findings.job_id) k);
	news := ARRAY(SELECT n FROM @extschema@.l4_news(l4_job_findings.job_id, l4_job_findings.use_pool, clocks) n);
	accusations := ARRAY(SELECT a FROM @extschema@.l4_accusations(l4_job_findings.job_id, news) a);
	suspects := ARRAY(SELECT s FROM @extschema@.l4_suspect_nodes(l4_job_findings.job_id, news, accusations, clocks) s ORDER BY s.ordinal);
	names := ARRAY(SELECT s.node FROM unnest(suspects) s);
	onsets := ARRAY(SELECT o FROM @extschema@.l4_onsets(l4_job_findings.job_id, news, names, accusations) o ORDER BY o.turn);

	-- Events, and the known faults among them.
	events := ARRAY(SELECT jsonb_populate_record(NULL::@extschema@.l4_finding, to_jsonb(e)) FROM @extschema@.l4_event_findings(l4_job_findings.job_id, news, names, l4_job_findings.use_pool, accusations) e ORDER BY e.ordinal);
	RETURN QUERY
	SELECT 'event', e.ordinal, e.score, @extschema@.l4_node_name(e.node), e.rank, e.stage, e.iteration, e.event_id, e.template, e.first_seen, e.occurrences,
		e.nodes_affected, e.evidence, e.explanation, NULL::text, NULL::text, NULL::text, e.role
	FROM unnest(events) e;
	RETURN QUERY
	SELECT 'fault', f.ordinal::int, f.score, @extschema@.l4_node_name(f.node), f.rank, f.stage, f.iteration, f.event_id, f.template, f.first_seen, f.occurrences,
		f.nodes_affected::int, f.evidence, f.explanation, f.fault_key, f.root_cause, f.fix, NULL::text
	FROM @extschema@.l4_fault_findings(l4_job_findings.job_id, news, names, (SELECT jsonb_object_agg(e.event_id, e.role) FROM unnest(events) e)) f;

	-- Nodes.
	RETURN QUERY
	SELECT 'node', n.ordinal, n.score, n.node, n.rank, n.stage, n.iteration, NULL::bigint, NULL::text, n.first_seen, NULL::bigint, 1,
		n.evidence, n.explanation, NULL::text, NULL::text, NULL::text, NULL::text
	FROM @extschema@.l4_node_findings(l4_job_findings.job_id, news, suspects) n
	ORDER BY n.ordinal;

	-- Stages, each once, where it is first named; tear-down only where nothing else is known.
	RETURN QUERY
	SELECT 'stage', (row_number() OVER (ORDER BY s.stage = 'teardown', s.turn))::int, 1.0::float8 / s.turn, @extschema@.l4_node_name(s.node), s.rank, s.stage, NULL::bigint,
		NULL::bigint, NULL::text, s.ts, NULL::bigint, NULL::int, q.quotes,
		format('The failure began in stage %s: %s%s.', s.stage, s.explanation, coalesce(' (' || s.node || ')', '')),
		NULL::text, NULL::text, NULL::text, NULL::text
	FROM (SELECT DISTINCT ON (o.stage) o.* FROM unnest(onsets) o WHERE o.stage IS NOT NULL ORDER BY o.stage, o.turn) s
	LEFT JOIN LATERAL (
		SELECT string_agg(@extschema@.l4_quote(t.source, t.line_no, t.raw), E'\n') AS quotes
		FROM @extschema@.l4_record_texts(l4_job_findings.job_id, ARRAY[s.stream_id], ARRAY[s.line_no]) t WHERE s.line_no IS NOT NULL) q ON true
	ORDER BY 2;

	-- Iterations: where the evidence begins, each once; then, of the stream that tells most of them, those before it whose events run
	-- unusually (the last one is cut short and says nothing). A very long stream is not read for it.
	SELECT t.stream_id INTO teller
	FROM @extschema@.l4_job_streams(l4_job_findings.job_id) t JOIN @extschema@.l4_stream s ON s.job_id = l4_job_findings.job_id AND s.stream_id = t.stream_id
	WHERE s.last_iteration > s.first_iteration AND s.byte_count < 256 * 1024 * 1024
	ORDER BY t.node IS NOT DISTINCT FROM names[1] DESC, s.last_iteration - s.first_iteration DESC, s.record_count DESC, s.stream_id
	LIMIT 1;
	RETURN QUERY
	WITH began AS (
		-- what shows only later than the most telling place is no beginning
		SELECT DISTINCT ON (o.iteration) o.iteration, o.turn + CASE WHEN o.iteration > first_value(o.iteration) OVER (ORDER BY o.turn) THEN 60 ELSE 0 END AS turn, o.node, o.rank, o.stage, o.ts,
			format('The failure began in iteration %s: %s%s.', o.iteration, o.explanation, coalesce(' (' || o.node || ')', '')) AS explanation
		FROM unnest(onsets) o
		WHERE o.iteration IS NOT NULL
		ORDER BY o.iteration, o.turn
	), checked AS (
		-- What only a recurring check can find (a checkpoint, an evaluation, a scrub) began anywhere since the check before: half-way between
		-- is the best guess of one iteration.
		SELECT o.iteration - round(c.period / 2)::bigint AS iteration, 50 AS turn, o.node, o.rank, NULL::text AS stage, NULL::timestamptz AS ts,
			format('Found by a check that recurs every %s iterations: it began between iterations %s and %s, half-way is %s.', round(c.period),
				o.iteration - round(c.period), o.iteration, o.iteration - round(c.period / 2)) AS explanation
		FROM (SELECT o.* FROM unnest(onsets) o WHERE o.iteration IS NOT NULL ORDER BY o.turn LIMIT 1) o
		CROSS JOIN LATERAL (
			SELECT max((e.last_iteration - e.first_iteration)::numeric / (e.occurrences - 1)) AS period
			FROM @extschema@.l4_stream_event e JOIN @extschema@.l4_stream s ON s.job_id = e.job_id AND s.stream_id = e.stream_id
			WHERE e.job_id = l4_job_findings.job_id AND s.kind = 'rank' AND e.occurrences > 1
				AND e.last_iteration BETWEEN o.iteration - 1 AND o.iteration + 1
				AND (o.stage IN ('checkpoint_save', 'evaluation') AND e.stage = o.stage
					OR e.stream_id = o.stream_id AND EXISTS (SELECT FROM unnest(news) r
						WHERE r.stream_id = e.stream_id AND r.shape_id = e.shape_id AND r.reason = 'new value' AND r.first_line = o.line_no))) c
		WHERE c.period >= 4 AND o.iteration - round(c.period / 2)::bigint NOT IN (SELECT b.iteration FROM began b)
	), unusual AS (
		SELECT d.iteration, 100 + (row_number() OVER (ORDER BY d.nearest_distance DESC, d.iteration DESC))::int AS turn, t.node, t.rank,
			NULL::text, NULL::timestamptz,
			format('Iteration %s runs unlike the others (%s events differ from the nearest recurrent one).', d.iteration, d.nearest_distance)
		FROM @extschema@.l4_iteration_scores(l4_job_findings.job_id, teller) d, @extschema@.l4_job_streams(l4_job_findings.job_id) t
		WHERE t.stream_id = teller AND d.unusual AND NOT d.last AND cardinality(news) > 0
			AND d.iteration NOT IN (SELECT b.iteration FROM began b UNION ALL SELECT c.iteration FROM checked c)
		ORDER BY 2 LIMIT 3
	)
	SELECT 'iteration', (row_number() OVER (ORDER BY i.turn, i.iteration))::int, 1.0::float8 / i.turn, @extschema@.l4_node_name(i.node), i.rank, i.stage, i.iteration,
		NULL::bigint, NULL::text, i.ts, NULL::bigint, NULL::int, NULL::text, i.explanation, NULL::text, NULL::text, NULL::text, NULL::text
	FROM (SELECT * FROM began UNION ALL SELECT * FROM checked UNION ALL SELECT * FROM unusual) i
	ORDER BY 2;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_findings(text, boolean) IS
'The findings of l4_diagnose, kind by kind, for a job that has logs.';

CREATE FUNCTION @extschema@.l4_diagnose(job_id text, use_pool boolean DEFAULT true)
RETURNS TABLE (kind text, ordinal int, score double precision, node text, rank int, stage text, iteration bigint, event_id bigint, template text,
	first_seen timestamptz, occurrences bigint, nodes_affected int, evidence text, explanation text, fault_key text, root_cause text, fix text, role text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 30
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	there boolean := EXISTS (SELECT FROM @extschema@.l4_segment g WHERE g.job_id = l4_diagnose.job_id);
	saved timestamptz;
BEGIN
	IF NOT EXISTS (SELECT FROM @extschema@.l4_job j WHERE j.job_id = l4_diagnose.job_id)
		AND NOT EXISTS (SELECT FROM @extschema@.l4_stream s WHERE s.job_id = l4_diagnose.job_id) THEN
		RAISE EXCEPTION 'job "%" is not known', l4_diagnose.job_id
			USING ERRCODE = 'no_data_found', HINT = 'l4_register_job makes a job known, l4_import takes in its logs; the table l4_job lists the jobs.';
	END IF;
	IF NOT EXISTS (SELECT FROM @extschema@.l4_stream s WHERE s.job_id = l4_diagnose.job_id AND s.record_count > 0) THEN
		RAISE EXCEPTION 'job "%" has no logs', l4_diagnose.job_id
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'CALL l4_import(job_id, path) takes in its logs.';
	END IF;
	-- Without the text of the logs (l4_drop_log_text) what was found before is the answer.
	IF NOT there THEN
		saved := (SELECT max(d.saved_at) FROM @extschema@.l4_diagnosis d WHERE d.job_id = l4_diagnose.job_id AND d.use_pool = l4_diagnose.use_pool);
		IF saved IS NULL THEN
			RAISE EXCEPTION 'the log text of job "%" was dropped', l4_diagnose.job_id
				USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'No diagnosis with these parameters was saved before.',
					HINT = 'l4_import takes the text in again, while the files are there.';
		END IF;
	END IF;

	-- The first of each kind, then the second of each, and so on: whoever reads a few rows sees where, what, and when. The known fault comes
	-- first where it is grave and tells of a root event of the suspect (or of all alike), last but stage and iteration where it is a mere consequence.
	RETURN QUERY
	WITH finding AS MATERIALIZED (
		SELECT f.* FROM @extschema@.l4_job_findings(l4_diagnose.job_id, l4_diagnose.use_pool) f WHERE there
		UNION ALL
		SELECT f.kind, f.ordinal, f.score, f.node, f.rank, f.stage, f.iteration, f.event_id, f.template, f.first_seen, f.occurrences, f.nodes_affected,
			f.evidence, f.explanation, f.fault_key, f.root_cause, f.fix, f.role
		FROM @extschema@.l4_finding f WHERE f.job_id = l4_diagnose.job_id AND f.saved_at = saved
	), lead AS (
		SELECT EXISTS (
			SELECT FROM finding f
			WHERE f.kind = 'fault' AND f.ordinal = 1 AND f.score >= 3
				AND (f.node IS NULL OR NOT EXISTS (SELECT FROM finding n WHERE n.kind = 'node') OR EXISTS (SELECT FROM finding n WHERE n.kind = 'node' AND n.ordinal = 1 AND n.node = f.node))
		) AS fault
	)
	SELECT f.* FROM finding f, lead l
	ORDER BY f.ordinal, CASE f.kind WHEN 'fault' THEN CASE WHEN l.fault THEN 1 ELSE 4 END WHEN 'node' THEN 2 WHEN 'event' THEN 3 WHEN 'stage' THEN 5 ELSE 6 END;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_diagnose(text, boolean) IS
'What a failed job died of, from its logs: findings of kind fault (known faults), event (what successful jobs do not log), node (whom the evidence points at; none where all fail alike), stage and iteration (where it began), each kind most telling first (ordinal from 1); the rows come in rounds, the first of each kind before the second of any, so that the first five tell most. evidence quotes records as "source:line: text"; explanation says in a sentence why. role tells of an event whether it is root (what went wrong), cascade (what followed) or context. use_pool false leaves the successful jobs out. Of a job whose log text was dropped (l4_drop_log_text) it is the newest saved diagnosis. Reads only. Errors: the job is not known (P0002) or has no logs (55000), or neither their text nor a saved diagnosis. Paper: Jiang et al., FSE 2025.';
