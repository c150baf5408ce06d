/*
 * When did it begin? Stage and iteration.
 *
 * The last and loudest lines come from the tear-down, so neither is read off the end of the log. What counts is where the evidence
 * begins: the first news of the suspected node's own rank; where it is a quiet one, the state in which it stopped; where no node is
 * suspected, the first news of any rank.
 */

CREATE FUNCTION @extschema@.l4_job_iteration(job_id text, ts timestamptz) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT t.iterations[pg_catalog.width_bucket(l4_job_iteration.ts, t.started_at)]
	FROM @extschema@.l4_timeline t
	WHERE t.job_id = l4_job_iteration.job_id AND pg_catalog.cardinality(t.iterations) > 0
		AND l4_job_iteration.ts >= t.started_at[1];
END;
COMMENT ON FUNCTION @extschema@.l4_job_iteration(text, timestamptz) IS
'The iteration that a job was in at a time, by the starts of iterations in l4_timeline; NULL before the first.';

CREATE FUNCTION @extschema@.l4_iteration_scores(job_id text, stream_id bigint)
RETURNS TABLE (iteration bigint, length int, nearest_distance double precision, mean_distance double precision, unusual boolean, last boolean)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH sequence AS (
		SELECT l.iteration, pg_catalog.array_agg(l.event_id ORDER BY l.line_no) AS events
		FROM @extschema@.l4_log l
		WHERE l.job_id = l4_iteration_scores.job_id AND l.stream_id = l4_iteration_scores.stream_id
			AND l.iteration IS NOT NULL AND l.event_id IS NOT NULL
		GROUP BY l.iteration
	),
	score AS (
		SELECT (pg_catalog.unnest(@extschema@.l4_dtw_scores(s.iteration, s.events))).* FROM sequence s
	)
	SELECT s.iteration, s.length, s.nearest_distance, s.mean_distance, s.unusual, s.iteration = pg_catalog.max(s.iteration) OVER ()
	FROM score s;
END;
COMMENT ON FUNCTION @extschema@.l4_iteration_scores(text, bigint) IS
'The iterations of one stream compared by their sequences of events (paper, section 4.4; l4_dtw_scores): length, distance to the nearest recurrent one, mean distance to those before, whether that is unusual, and whether it is the last, which a crash cuts short. Reads the stream.';

CREATE TYPE @extschema@.l4_onset AS (
	turn int,
	stage text,
	iteration bigint,
	ts timestamptz,
	node text,
	rank int,
	stream_id bigint,
	line_no bigint,
	explanation text
);
COMMENT ON TYPE @extschema@.l4_onset IS
'A place where a failure may have begun, the most telling with the lowest turn: stage, iteration, time, node, rank, stream and line, and a sentence on it.';

CREATE FUNCTION @extschema@.l4_onsets(job_id text, news @extschema@.l4_news_record[] DEFAULT NULL, suspects text[] DEFAULT NULL)
RETURNS SETOF @extschema@.l4_onset
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
BEGIN ATOMIC
	WITH record AS MATERIALIZED (
		SELECT r.*, pg_catalog.array_position(l4_onsets.suspects, r.node) AS suspect
		FROM pg_catalog.unnest(COALESCE(l4_onsets.news, ARRAY(SELECT n FROM @extschema@.l4_news(l4_onsets.job_id) n))) r
	),
	stream AS MATERIALIZED (
		SELECT s.*, pg_catalog.array_position(l4_onsets.suspects, s.node) AS suspect
		FROM @extschema@.l4_job_streams(l4_onsets.job_id) s
	),
	named AS MATERIALIZED (
		SELECT DISTINCT a.stream_id, a.shape_id FROM @extschema@.l4_accusations(l4_onsets.job_id, l4_onsets.news) a
	),
	quiet AS (
		-- the suspect's ranks that have no news: where they stood when they stopped
		SELECT s.* FROM stream s
		WHERE s.kind = 'rank' AND s.suspect = 1 AND s.record_count > 0
			AND NOT EXISTS (SELECT FROM record r WHERE r.stream_id = s.stream_id AND NOT r.role)
	),
	onset AS (
		-- 1: what the suspect's rank itself says first, naming nobody else
		(SELECT 1 AS turn, r.stage, r.iteration, r.first_ts AS ts, r.node, r.rank, r.stream_id, r.first_line AS line_no,
			'the first news of the suspected node''s own rank' AS explanation
		FROM record r
		WHERE r.kind = 'rank' AND r.suspect = 1 AND NOT r.role
			AND NOT EXISTS (SELECT FROM named a WHERE a.stream_id = r.stream_id AND a.shape_id = r.shape_id)
			AND NOT EXISTS (SELECT FROM quiet)
		ORDER BY r.first_ts, r.stream_id, r.first_line LIMIT 1)
		UNION ALL
		-- 2: where the suspect's rank stood when it fell silent
		(SELECT 2, q.last_stage, COALESCE(q.last_iteration, @extschema@.l4_job_iteration(l4_onsets.job_id, q.last_ts)), q.last_ts, q.node, q.rank, q.stream_id,
			(SELECT pg_catalog.max(e.last_line) FROM @extschema@.l4_stream_event e WHERE e.job_id = l4_onsets.job_id AND e.stream_id = q.stream_id),
			'where the suspected node''s rank stood when it stopped'
		FROM quiet q
		ORDER BY q.last_ts, q.stream_id LIMIT 1)
		UNION ALL
		-- 3: what stands about the suspect elsewhere (its system log, its launcher)
		(SELECT 3, NULL, COALESCE(r.iteration, @extschema@.l4_job_iteration(l4_onsets.job_id, r.first_ts)), r.first_ts, r.node, r.rank, r.stream_id, r.first_line,
			'the first news of the suspected node outside its ranks'
		FROM record r
		WHERE r.kind <> 'rank' AND r.suspect = 1 AND NOT r.role AND r.first_ts IS NOT NULL
		ORDER BY r.first_ts, r.stream_id, r.first_line LIMIT 1)
		UNION ALL
		-- 4: the first news of any rank, rather what sounds grave
		(SELECT 4, r.stage, r.iteration, r.first_ts, r.node, r.rank, r.stream_id, r.first_line, 'the first news of any rank'
		FROM record r
		WHERE r.kind = 'rank' AND NOT r.role
		ORDER BY r.first_ts, r.stream_id, r.first_line LIMIT 1)
		UNION ALL
		-- 5: news of those that stand out by their place in the job
		(SELECT 5, r.stage, r.iteration, r.first_ts, r.node, r.rank, r.stream_id, r.first_line, 'the first news in the logs'
		FROM record r
		ORDER BY r.first_ts, r.stream_id, r.first_line LIMIT 1)
		UNION ALL
		-- 6: no news at all: where the ranks ended
		(SELECT 6, s.last_stage, COALESCE(s.last_iteration, @extschema@.l4_job_iteration(l4_onsets.job_id, s.last_ts)), s.last_ts, s.node, s.rank, s.stream_id, NULL,
			'where the first rank to end ended'
		FROM stream s
		WHERE s.kind = 'rank' AND s.record_count > 0
		ORDER BY s.last_ts, s.stream_id LIMIT 1)
	)
	-- a rank that fails before it names any stage fails while it starts
	SELECT o.turn, CASE WHEN o.rank IS NULL THEN o.stage ELSE COALESCE(o.stage, 'environment_init') END, COALESCE(o.iteration, @extschema@.l4_job_iteration(l4_onsets.job_id, o.ts)), o.ts, o.node, o.rank, o.stream_id, o.line_no, o.explanation
	FROM onset o;
END;
COMMENT ON FUNCTION @extschema@.l4_onsets(text, @extschema@.l4_news_record[], text[]) IS
'Where the failure of a job may have begun, the most telling place first (column turn). suspects: the nodes of l4_suspect_nodes, in order.';
