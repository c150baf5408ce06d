/*
 * When did it begin? Stage and iteration.
 *
 * The last and loudest lines come from the tear-down, so neither is read off the end of the log. What counts is where the evidence
 * begins: the first news of the suspected node's own rank; where it is a quiet one, the state in which it stopped; where no node is
 * suspected, the first news of any rank.
 */

CREATE FUNCTION @extschema@.l4_iteration_scores(job_id text, stream_id bigint)
RETURNS TABLE (iteration bigint, length int, nearest_distance double precision, mean_distance double precision, unusual boolean, last boolean)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH record AS (
		-- what a stream logs between two of its own marks belongs to the iteration of the first
		SELECT r.line_no, r.part, h.event_id, max(r.iteration) OVER (ORDER BY r.line_no, r.part) AS iteration
		FROM @extschema@.l4_stream s
		JOIN @extschema@.l4_segment g ON g.job_id = s.job_id AND g.source_id = s.source_id
		CROSS JOIN LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids, false) r
		JOIN @extschema@.l4_shape h ON h.shape_id = r.shape_id
		WHERE s.job_id = l4_iteration_scores.job_id AND s.stream_id = l4_iteration_scores.stream_id
			AND r.stream_id = s.stream_id AND h.event_id IS NOT NULL
	),
	sequence AS (
		SELECT r.iteration, array_agg(r.event_id ORDER BY r.line_no, r.part) AS events
		FROM record r WHERE r.iteration IS NOT NULL GROUP BY r.iteration
	),
	score AS (
		SELECT (unnest(@extschema@.l4_dtw_scores(s.iteration, s.events))).* FROM sequence s
	)
	SELECT s.iteration, s.length, s.nearest_distance, s.mean_distance, s.unusual, s.iteration = max(s.iteration) OVER ()
	FROM score s;
END;
COMMENT ON FUNCTION @extschema@.l4_iteration_scores(text, bigint) IS
'The iterations of one stream compared by their sequences of events (paper, section 4.4; l4_dtw_scores): length, distance to the nearest recurrent one, mean distance to those before, whether that is unusual, and whether it is the last, which a crash cuts short. Reads the file of the stream.';

CREATE FUNCTION @extschema@.l4_job_state(job_id text, at_source text, at_line bigint, at_ts timestamptz)
RETURNS TABLE (stage text, iteration bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	-- In many programs one rank alone prints progress: its stream tells for all. In one file lines come in order; between files time
	-- decides; where there is none, how far the job came. Only the last segments before the place are opened.
	WITH teller AS (
		SELECT s.* FROM @extschema@.l4_stream s
		WHERE s.job_id = l4_job_state.job_id AND s.last_iteration IS NOT NULL
		ORDER BY s.last_iteration DESC, s.record_count DESC, s.stream_id LIMIT 1
	),
	segment AS (
		SELECT g.*, t.stream_id, t.source = l4_job_state.at_source AS same
		FROM teller t JOIN @extschema@.l4_segment g ON g.job_id = t.job_id AND g.source_id = t.source_id
		WHERE CASE WHEN t.source = l4_job_state.at_source THEN g.first_line <= COALESCE(l4_job_state.at_line, g.first_line)
			ELSE l4_job_state.at_ts IS NULL OR g.first_ts IS NULL OR g.first_ts <= l4_job_state.at_ts END
			AND t.stream_id = ANY (g.stream_ids)
		ORDER BY g.segment_no DESC LIMIT 4
	),
	state AS (
		SELECT r.stage, r.iteration, r.line_no
		FROM segment g, LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids, false) r
		WHERE r.stream_id = g.stream_id AND r.stage IS NOT NULL AND r.stage <> 'teardown'
			AND CASE WHEN g.same THEN r.line_no <= COALESCE(l4_job_state.at_line, r.line_no) ELSE l4_job_state.at_ts IS NULL OR r.ts IS NULL OR r.ts <= l4_job_state.at_ts END
	)
	SELECT (SELECT s.stage FROM state s ORDER BY s.line_no DESC LIMIT 1),
		(SELECT s.iteration FROM state s WHERE s.iteration IS NOT NULL ORDER BY s.line_no DESC LIMIT 1);
END;
COMMENT ON FUNCTION @extschema@.l4_job_state(text, text, bigint, timestamptz) IS
'Stage and iteration that a job was in at a place in its logs (source, line and, as far as known, time), told by the stream that got furthest. NULL where no stream prints iterations.';

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

CREATE FUNCTION @extschema@.l4_onsets(job_id text, news @extschema@.l4_news_record[] DEFAULT NULL, suspects text[] DEFAULT NULL,
	accusations @extschema@.l4_accusation[] DEFAULT NULL)
RETURNS SETOF @extschema@.l4_onset
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
BEGIN ATOMIC
	WITH record AS MATERIALIZED (
		SELECT r.*, array_position(l4_onsets.suspects, r.node) AS suspect,
			@extschema@.l4_text_ending(r.message) IS TRUE AS ending,
			r.reason IN ('new value', 'range') OR GREATEST(@extschema@.l4_level_rank(r.level), @extschema@.l4_text_rank(r.message)) >= 4 AS grave
		FROM unnest(COALESCE(l4_onsets.news, ARRAY(SELECT n FROM @extschema@.l4_news(l4_onsets.job_id) n))) r
	),
	stream AS MATERIALIZED (
		SELECT s.stream_id, s.source, s.kind, s.unit AS node, s.rank, s.record_count, s.last_ts, s.last_stage, s.last_iteration, s.shared,
			array_position(l4_onsets.suspects, s.unit) AS suspect
		FROM @extschema@.l4_job_streams(l4_onsets.job_id) s
	),
	named AS MATERIALIZED (
		SELECT DISTINCT a.stream_id, a.shape_id
		FROM unnest(COALESCE(l4_onsets.accusations, ARRAY(SELECT a FROM @extschema@.l4_accusations(l4_onsets.job_id, l4_onsets.news) a))) a
	),
	quiet AS (
		-- the suspect's ranks that have no news: where they stood when they stopped
		SELECT s.* FROM stream s
		WHERE s.kind = 'rank' AND s.suspect = 1 AND s.record_count > 0
			AND NOT EXISTS (SELECT FROM record r WHERE r.stream_id = s.stream_id AND NOT r.role)
			AND NOT EXISTS (SELECT FROM record r WHERE r.kind = 'rank' AND r.suspect = 1 AND r.grave AND NOT r.ending AND NOT EXISTS
				(SELECT FROM named a WHERE a.stream_id = r.stream_id AND a.shape_id = r.shape_id))
	),
	onset AS (
		-- 1: what the suspect's rank itself says first, naming nobody else
		(SELECT 1 AS turn, r.stage, r.iteration, r.first_ts AS ts, r.node, r.rank, r.stream_id, r.first_line AS line_no,
			'the first news of the suspected node''s own rank' AS explanation
		FROM record r
		WHERE r.kind = 'rank' AND r.suspect = 1 AND NOT r.role
			AND NOT EXISTS (SELECT FROM named a WHERE a.stream_id = r.stream_id AND a.shape_id = r.shape_id)
			AND NOT EXISTS (SELECT FROM quiet)
		ORDER BY r.grave DESC, r.first_ts, r.source, r.first_line LIMIT 1)
		UNION ALL
		-- 2: where the suspect's rank stood when it fell silent
		(SELECT 2, q.last_stage, COALESCE(q.last_iteration, @extschema@.l4_job_iteration(l4_onsets.job_id, q.last_ts)), CASE WHEN q.last_ts > '2000-01-01' AND NOT q.shared THEN q.last_ts END, q.node, q.rank, q.stream_id,
			(SELECT max(e.last_line) FROM @extschema@.l4_stream_event e WHERE e.job_id = l4_onsets.job_id AND e.stream_id = q.stream_id),
			'where the suspected node''s rank stood when it stopped'
		FROM quiet q
		ORDER BY q.last_ts, q.stream_id LIMIT 1)
		UNION ALL
		-- 3: what stands about the suspect elsewhere (its system log, its launcher)
		(SELECT 3, NULL, COALESCE(r.iteration, @extschema@.l4_job_iteration(l4_onsets.job_id, r.first_ts)), r.first_ts, r.node, r.rank, r.stream_id, r.first_line,
			'the first news of the suspected node outside its ranks'
		FROM record r
		WHERE r.kind <> 'rank' AND r.suspect = 1 AND NOT r.role AND r.first_ts IS NOT NULL AND NOT r.ending
		ORDER BY r.grave DESC, r.first_ts, r.source, r.first_line LIMIT 1)
		UNION ALL
		-- 4: the first news of any rank, rather what sounds grave
		(SELECT 4, r.stage, r.iteration, r.first_ts, r.node, r.rank, r.stream_id, r.first_line, 'the first news of any rank'
		FROM record r
		WHERE r.kind = 'rank' AND NOT r.role AND NOT r.ending
		ORDER BY r.grave DESC, r.first_ts, r.source, r.first_line LIMIT 1)
		UNION ALL
		-- 5: news of those that stand out by their place in the job
		(SELECT 5, r.stage, r.iteration, r.first_ts, r.node, r.rank, r.stream_id, r.first_line, 'the first news in the logs'
		FROM record r
		ORDER BY r.grave DESC, r.first_ts, r.source, r.first_line LIMIT 1)
		UNION ALL
		-- 6: no news at all: where the ranks ended
		(SELECT 6, s.last_stage, COALESCE(s.last_iteration, @extschema@.l4_job_iteration(l4_onsets.job_id, s.last_ts)), s.last_ts, s.node, s.rank, s.stream_id, NULL,
			'where the first rank to end ended'
		FROM stream s
		WHERE s.kind = 'rank' AND s.record_count > 0
			-- a job that succeeded ended well there
			AND NOT EXISTS (SELECT FROM @extschema@.l4_job b WHERE b.job_id = l4_onsets.job_id AND b.status = 'succeeded')
		ORDER BY s.last_ts, s.stream_id LIMIT 1)
	)
	-- A stream that marks no iterations does not know that the job went on from its start-up: then the job's state counts. A rank that
	-- fails before any stage is named fails while it starts.
	SELECT o.turn,
		COALESCE(CASE WHEN NOT n.stage = 'communicator_init' OR COALESCE(CASE WHEN NOT t.marks THEN j.stage END, NULLIF(o.stage, 'teardown'), j.stage, '')
			NOT IN ('iterating', 'evaluation', 'checkpoint_save') THEN n.stage END,
			CASE WHEN NOT t.marks THEN j.stage END, NULLIF(o.stage, 'teardown'), j.stage, o.stage, CASE WHEN o.rank IS NOT NULL THEN 'environment_init' END),
		COALESCE(o.iteration, j.iteration), o.ts, o.node, o.rank, o.stream_id, o.line_no, o.explanation
	FROM onset o
	LEFT JOIN LATERAL (SELECT s.source, s.last_iteration IS NOT NULL AS marks FROM stream s WHERE s.stream_id = o.stream_id) t ON true
	-- where such a stream ended tells nothing: the end of all progress is meant
	LEFT JOIN LATERAL @extschema@.l4_job_state(l4_onsets.job_id, t.source,
		CASE WHEN o.turn IN (2, 6) AND NOT t.marks THEN NULL ELSE o.line_no END, CASE WHEN o.turn IN (2, 6) AND NOT t.marks THEN NULL ELSE o.ts END) j ON true
	-- an error may name its own stage
	LEFT JOIN LATERAL (SELECT @extschema@.l4_text_stage(r.message) AS stage FROM record r
		WHERE o.turn IN (1, 4) AND r.stream_id = o.stream_id AND r.first_line = o.line_no AND r.grave ORDER BY r.shape_id LIMIT 1) n ON true;
END;
COMMENT ON FUNCTION @extschema@.l4_onsets(text, @extschema@.l4_news_record[], text[], @extschema@.l4_accusation[]) IS
'Where the failure of a job may have begun, the most telling place first (column turn). suspects: the nodes of l4_suspect_nodes, in order; news, accusations: the results of l4_news and l4_accusations, where at hand.';
