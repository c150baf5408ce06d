/*
 * When did it begin? Stage and iteration.
 *
 * The last and loudest lines come from the tear-down, so neither is read off the end of the log. What counts is where the
 * evidence begins: the first unexplained record of the suspected node's own rank; where it is a quiet one, the state in which
 * it stopped; where no node is suspected, the first unexplained record of any rank.
 */

CREATE FUNCTION @extschema@.l4_iteration_scores(job_id text, stream_id bigint)
RETURNS TABLE (iteration bigint, length int, nearest_distance double precision, mean_distance double precision, unusual boolean,
	last boolean)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH told AS MATERIALIZED (
		SELECT r.line_no, r.part, r.shape_id, r.iteration
		FROM @extschema@.l4_job_segments(l4_iteration_scores.job_id, ARRAY(SELECT s.source_id
			FROM @extschema@.l4_job_streams(l4_iteration_scores.job_id, ARRAY[l4_iteration_scores.stream_id]) s)) g
		CROSS JOIN LATERAL @extschema@.l4_stream_places(g.structure, g.texts, g.parameters, g.stream_ids,
			ARRAY[l4_iteration_scores.stream_id]) r
	),
	record AS (
		-- what a stream logs between two of its own marks belongs to the iteration of the first
		SELECT r.line_no, r.part, h.event_id, max(r.iteration) OVER (ORDER BY r.line_no, r.part) AS iteration
		FROM told r
		JOIN @extschema@.l4_shape h ON h.shape_id = r.shape_id
			AND h.shape_id = ANY (ARRAY(SELECT DISTINCT o.shape_id FROM told o))
		WHERE h.event_id IS NOT NULL
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
'The iterations of one stream compared by their sequences of events (paper, section 4.4; l4_dtw_scores): length, distance '
'to the nearest recurrent one, mean distance to those before, whether that is unusual, and whether it is the last, which a '
'crash cuts short. Reads the file of the stream.';

CREATE FUNCTION @extschema@.l4_job_state(job_id text, unit text, rank int, at_source text, at_line bigint, at_ts timestamptz,
	limits @extschema@.l4_limits, path_attempt int DEFAULT NULL)
RETURNS TABLE (stage text, iteration bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	-- In one file lines come in order; between files time decides; where there is none, how far the job came. Only the last
	-- segments before the place are opened.
	WITH teller AS MATERIALIZED (SELECT t.*
		FROM @extschema@.l4_telling_stream(l4_job_state.job_id, l4_job_state.unit, suspect_rank => l4_job_state.rank,
			path_attempt => l4_job_state.path_attempt) t),
	segment AS (
		SELECT g.*, t.stream_id, t.source = l4_job_state.at_source AS same
		FROM teller t, @extschema@.l4_job_segments(l4_job_state.job_id, ARRAY(SELECT t.source_id FROM teller t)) g
		WHERE CASE WHEN t.source = l4_job_state.at_source THEN g.first_line <= COALESCE(l4_job_state.at_line, g.first_line)
			ELSE l4_job_state.at_ts IS NULL OR g.first_ts IS NULL OR g.first_ts <= l4_job_state.at_ts END
			AND t.stream_id = ANY (g.stream_ids)
		ORDER BY g.segment_no DESC LIMIT (limits).onset_segments::bigint
	),
	state AS (
		SELECT r.stage, r.iteration, r.line_no, r.part, r.shape_id
		FROM segment g, LATERAL @extschema@.l4_stream_places(g.structure, g.texts, g.parameters, g.stream_ids,
			ARRAY[g.stream_id]) r
		WHERE r.stage IS NOT NULL AND r.stage <> 'teardown'
			AND CASE WHEN g.same THEN r.line_no <= COALESCE(l4_job_state.at_line, r.line_no)
				ELSE l4_job_state.at_ts IS NULL OR r.ts IS NULL OR r.ts <= l4_job_state.at_ts END
	),
	last AS (SELECT s.stage, s.shape_id FROM state s ORDER BY s.line_no DESC, s.part DESC LIMIT 1),
	ended AS (
		-- a record may end its stage: what follows is of the one before
		SELECT EXISTS (SELECT FROM last l JOIN @extschema@.l4_shape h ON h.shape_id = l.shape_id
			JOIN @extschema@.l4_stage_rule_in_force u ON u.stage = l.stage AND u.position = 'end'
			WHERE @extschema@.l4_pattern_matches(u.pattern, @extschema@.l4_stage_text(h.shape))) AS here
	)
	SELECT (SELECT s.stage FROM state s, ended e WHERE NOT e.here OR s.stage NOT IN ('evaluation', 'checkpoint_save')
			ORDER BY s.line_no DESC, s.part DESC LIMIT 1),
		(SELECT s.iteration FROM state s WHERE s.iteration IS NOT NULL ORDER BY s.line_no DESC LIMIT 1);
END;
COMMENT ON FUNCTION @extschema@.l4_job_state(text, text, int, text, bigint, timestamptz, @extschema@.l4_limits, int) IS
'Step: Stage and iteration that a job was in at a place in its logs (source, line and, as far as known, time), told by the '
'stream that got furthest, rather one of the rank itself (l4_telling_stream), of an attempt where its path says so. NULL where '
'no stream prints iterations.';

CREATE TYPE @extschema@.l4_onset AS (
	turn int,
	place text,
	stage text,
	iteration bigint,
	ts timestamptz,
	unit text,
	node text,
	rank int,
	stream_id bigint,
	line_no bigint,
	component text
);
COMMENT ON TYPE @extschema@.l4_onset IS
'A place where a failure may have begun, the most telling with the lowest turn: which it is (place: own, stopped, outside, '
'rank, any, slow, end; finished: it did not fail, l4_normal_end; l4_onset_sentence), stage, iteration, time, unit, node, '
'rank, stream and line, and what the code '
'that failed there is called (component).';

CREATE FUNCTION @extschema@.l4_is_unstamped(unexplained @extschema@.l4_unexplained_record[], stream_id bigint, line_no bigint)
	RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100
RETURN EXISTS (SELECT FROM unnest(unexplained) r
	WHERE r.stream_id = l4_is_unstamped.stream_id AND r.first_line = l4_is_unstamped.line_no AND NOT r.stamped);
COMMENT ON FUNCTION @extschema@.l4_is_unstamped(@extschema@.l4_unexplained_record[], bigint, bigint) IS
'Step: Is what stands at a place (stream, line) an unexplained record without a stamp of its own?';

CREATE FUNCTION @extschema@.l4_latest_time(job_id text, unexplained @extschema@.l4_unexplained_record[], stream_id bigint,
	line_no bigint, ts timestamptz, limits @extschema@.l4_limits) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	-- a failure is nearer to the end of all progress than to what its stream said before
	SELECT COALESCE((SELECT max(a.until)
		FROM @extschema@.l4_job_times_around(l4_latest_time.job_id, ARRAY[l4_latest_time.stream_id],
			ARRAY[l4_latest_time.line_no], limits) a
		WHERE @extschema@.l4_is_unstamped(l4_latest_time.unexplained, l4_latest_time.stream_id, l4_latest_time.line_no)),
		l4_latest_time.ts);
END;
COMMENT ON FUNCTION @extschema@.l4_latest_time(text, @extschema@.l4_unexplained_record[], bigint, bigint, timestamptz,
	@extschema@.l4_limits) IS
'Step: The time of an unexplained record (stream, line; ts: as it is estimated), and of one without a stamp of its own that of '
'the next stamp in its stream, where there is one: until then it was written.';

CREATE FUNCTION @extschema@.l4_is_behind_stamps(job_id text, unexplained @extschema@.l4_unexplained_record[],
	stream_id bigint, line_no bigint, limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
RETURN @extschema@.l4_is_unstamped(unexplained, stream_id, line_no)
	AND NOT EXISTS (SELECT FROM @extschema@.l4_job_times_around(job_id, ARRAY[l4_is_behind_stamps.stream_id],
		ARRAY[l4_is_behind_stamps.line_no], limits) a WHERE a.until IS NOT NULL);
COMMENT ON FUNCTION @extschema@.l4_is_behind_stamps(text, @extschema@.l4_unexplained_record[], bigint, bigint,
	@extschema@.l4_limits) IS
'Step: Does an unexplained record (stream, line) have no stamp of its own and stand behind the last one of its stream? Then '
'it may have been written at any time later.';

CREATE FUNCTION @extschema@.l4_interruption_over(job_id text, onset @extschema@.l4_onset, ts timestamptz,
	attempt @extschema@.l4_attempt) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
-- when a rank stopped that says no more nobody knows; the next iteration may begin before all are through
RETURN @extschema@.l4_job_iteration(job_id, CASE (onset).place WHEN 'stopped' THEN COALESCE((attempt).until, 'infinity') ELSE ts
	END) > (onset).iteration + 1;
COMMENT ON FUNCTION @extschema@.l4_interruption_over(text, @extschema@.l4_onset, timestamptz, @extschema@.l4_attempt) IS
'Step: Of a place whose stream was last in an evaluation or a checkpoint, and hardly says anything else: is that over by a '
'time (ts; where a rank stopped: by the end of its attempt), as others are two iterations further? NULL where nobody tells.';

CREATE FUNCTION @extschema@.l4_onset_records(job_id text, unexplained @extschema@.l4_unexplained_record[], suspect text,
	accusations @extschema@.l4_accusation[], silent boolean, limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_onset
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
BEGIN ATOMIC
	WITH iterating AS MATERIALIZED (
		SELECT min(s.first_ts) AS first_ts FROM @extschema@.l4_job_stages(l4_onset_records.job_id) s
		WHERE s.stage = 'iterating' AND @extschema@.l4_marks_iterations(l4_onset_records.job_id)
	),
	record AS MATERIALIZED (
		SELECT r.stream_id, r.source, r.kind, r.unit, r.node, r.rank, r.shape_id, r.ending, r.first_line, r.first_ts, r.stage,
			r.iteration, r.role, r.unit = l4_onset_records.suspect IS TRUE AS suspected,
			r.reason IN ('new value', 'range') OR r.gravity >= (limits).gravity_trouble AS grave,
			-- with what the job was started, and then iterated
			r.reason IN ('new value', 'range') AND r.gravity < (limits).gravity_trouble AND r.iteration IS NULL
				AND r.first_ts < i.first_ts AS survived,
			-- what stands in a file before its first time was written by then
			COALESCE(r.first_ts, min(r.first_ts) OVER (PARTITION BY r.source ORDER BY r.first_line
				ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)) AS by_ts
		FROM unnest(l4_onset_records.unexplained) r CROSS JOIN iterating i
	),
	candidate AS (
		SELECT p.place, c.*
		FROM (VALUES ('own'), ('outside'), ('rank'), ('any')) p (place)
		CROSS JOIN LATERAL (
			SELECT r.* FROM record r
			WHERE CASE p.place
				-- what the suspect's rank itself says first, naming nobody else
				WHEN 'own' THEN r.kind = 'rank' AND r.suspected AND NOT r.role AND NOT l4_onset_records.silent
					AND (r.stream_id, r.shape_id) NOT IN (SELECT a.stream_id, a.shape_id
						FROM unnest(l4_onset_records.accusations) a)
				-- what stands about the suspect elsewhere (its system log, its launcher)
				WHEN 'outside' THEN r.kind <> 'rank' AND r.suspected AND NOT r.role AND r.first_ts IS NOT NULL AND NOT r.ending
				-- the first of any rank, rather what sounds grave
				WHEN 'rank' THEN r.kind = 'rank' AND NOT r.role AND NOT r.ending AND r.survived IS NOT TRUE
				-- those that stand out by their place in the job
				ELSE r.survived IS NOT TRUE END
			ORDER BY r.grave DESC, r.by_ts, r.source, r.first_line, r.stream_id, r.shape_id LIMIT 1) c
	)
	SELECT NULL::int, c.place, CASE WHEN c.place <> 'outside' THEN c.stage END,
		CASE WHEN c.place <> 'outside' THEN c.iteration
			ELSE COALESCE(c.iteration, @extschema@.l4_job_iteration(l4_onset_records.job_id,
				@extschema@.l4_latest_time(l4_onset_records.job_id, l4_onset_records.unexplained, c.stream_id, c.first_line,
					c.first_ts, limits))) END,
		c.first_ts, c.unit, c.node, c.rank, c.stream_id, c.first_line, NULL::text
	FROM candidate c;
END;
COMMENT ON FUNCTION @extschema@.l4_onset_records(text, @extschema@.l4_unexplained_record[], text, @extschema@.l4_accusation[],
	boolean, @extschema@.l4_limits) IS
'Step: The unexplained records at which a failure may have begun, one for each place (see l4_onset). silent: the '
'suspect''s ranks say nothing of their failure (l4_onset_stops).';

CREATE FUNCTION @extschema@.l4_onset_stops(job_id text, unexplained @extschema@.l4_unexplained_record[], suspect text,
	accusations @extschema@.l4_accusation[], limits @extschema@.l4_limits, path_attempt int) RETURNS SETOF @extschema@.l4_onset
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 2
BEGIN ATOMIC
	WITH record AS MATERIALIZED (
		SELECT r.stream_id, r.rank, r.role, r.unit = l4_onset_stops.suspect AS suspected,
			r.kind = 'rank' AND r.unit = l4_onset_stops.suspect AND NOT r.ending
			AND (r.reason IN ('new value', 'range') OR r.gravity >= (limits).gravity_trouble)
			AND NOT EXISTS (SELECT FROM unnest(l4_onset_stops.accusations) a
				WHERE a.stream_id = r.stream_id AND a.shape_id = r.shape_id) AS own_failure
		FROM unnest(l4_onset_stops.unexplained) r
	),
	logged AS MATERIALIZED (
		SELECT j FROM @extschema@.l4_job_streams(l4_onset_stops.job_id) j
		WHERE (j.attempt <> l4_onset_stops.path_attempt) IS NOT TRUE
	),
	stream AS MATERIALIZED (
		-- of the suspect alone: of many ranks each would be held against all records
		SELECT s.*, CASE WHEN s.unit = l4_onset_stops.suspect THEN NOT EXISTS (SELECT FROM record r WHERE r.own_failure)
			AND NOT EXISTS (SELECT FROM record r WHERE r.suspected AND NOT r.role
				AND (r.stream_id = s.stream_id OR r.rank = s.rank)) IS TRUE END AS quiet
		FROM @extschema@.l4_rank_streams(ARRAY(SELECT l.j FROM logged l)) s
	),
	-- what a rank says on all of its streams
	told AS (
		SELECT (l.j).unit, (l.j).rank, sum((l.j).record_count) AS records FROM logged l
		WHERE (l.j).kind = 'rank' GROUP BY (l.j).unit, (l.j).rank
	)
	-- where the suspect's rank stood when it fell silent
	(SELECT NULL::int, 'stopped', s.last_stage,
		COALESCE(s.last_iteration, @extschema@.l4_job_iteration(l4_onset_stops.job_id, s.last_ts)),
		CASE WHEN @extschema@.l4_clock_was_set(s.last_ts) AND NOT s.shared THEN s.last_ts END, s.unit, s.node, s.rank,
			s.stream_id,
		(SELECT e.last_line FROM @extschema@.l4_job_last_lines(l4_onset_stops.job_id, ARRAY[s.stream_id]) e), NULL::text
	FROM stream s WHERE s.quiet
	ORDER BY s.last_ts, s.stream_id LIMIT 1)
	UNION ALL
	-- nothing unexplained at all: where the ranks ended; a job that succeeded ended well there
	(SELECT NULL::int, 'end', s.last_stage,
		COALESCE(s.last_iteration, @extschema@.l4_job_iteration(l4_onset_stops.job_id, s.last_ts)),
		s.last_ts, s.unit, s.node, s.rank, s.stream_id, NULL, NULL
	FROM stream s
	JOIN told t ON t.unit = s.unit AND t.rank IS NOT DISTINCT FROM s.rank
	-- who leaves all talk to others ends before them in any job
	WHERE t.records >= (limits).onset_told_share * (SELECT max(o.records) FROM told o)
		AND NOT EXISTS (SELECT FROM @extschema@.l4_job_row(l4_onset_stops.job_id) b WHERE b.status = 'succeeded')
	ORDER BY s.last_ts, s.stream_id LIMIT 1);
END;
COMMENT ON FUNCTION @extschema@.l4_onset_stops(text, @extschema@.l4_unexplained_record[], text, @extschema@.l4_accusation[],
	@extschema@.l4_limits, int) IS
'Step: The ends of ranks at which a failure may have begun: where a rank of the suspect stopped that says nothing '
'unexplained (stopped; none where another of its ranks tells of a failure of its own), and where the first rank of all '
'ended (end).';

CREATE FUNCTION @extschema@.l4_onset_stage(named text, component text, own text, reached text, marks boolean, state text)
	RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	-- A stream that marks no iterations does not know that the job went on from its start-up: then the job's state counts,
	-- unless the stream itself is past that. Of a job that iterates only what interrupts iterations is named: set-up does not
	-- come back, and a checkpoint that is concerned is one that is written; before, it is one that is read. A rank that fails
	-- before any stage is named fails while it starts.
	SELECT CASE
		WHEN l4_onset_stage.named IN ('checkpoint_save', 'evaluation') THEN l4_onset_stage.named
		WHEN NOT @extschema@.l4_is_setup_stage(k.known)
			THEN CASE WHEN l4_onset_stage.named IS NULL AND l4_onset_stage.component = 'checkpoint' THEN 'checkpoint_save'
				ELSE k.known END
		WHEN k.known = 'rendezvous' AND l4_onset_stage.named = 'communicator_init' THEN k.known
		ELSE COALESCE(l4_onset_stage.named, CASE l4_onset_stage.component WHEN 'checkpoint' THEN 'checkpoint_load' END,
			k.known, l4_onset_stage.own, l4_onset_stage.reached) END
	FROM (SELECT COALESCE(CASE WHEN NOT l4_onset_stage.marks
			AND @extschema@.l4_is_setup_stage(l4_onset_stage.own) IS NOT FALSE THEN l4_onset_stage.state END,
		NULLIF(l4_onset_stage.own, 'teardown'),
		l4_onset_stage.state) AS known) k;
END;
COMMENT ON FUNCTION @extschema@.l4_onset_stage(text, text, text, text, boolean, text) IS
'Step: The stage of an onset: where its stream stood (own), where the stream marks iterations (marks), else the job''s '
'state at the time; or the one that its error names, by its words (named) or what failed (component), as far as the job can '
'be in it then: of a job that iterates no set-up. Where none of these is known the one that its start had come to (reached).';

CREATE FUNCTION @extschema@.l4_named_stages(unexplained @extschema@.l4_unexplained_record[], places @extschema@.l4_onset[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS TABLE (stream_id bigint, line_no bigint, stage text, component text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 2
BEGIN ATOMIC
	SELECT p.stream_id, p.line_no,
		(array_agg(t.stage ORDER BY r.first_line, r.shape_id) FILTER (WHERE t.stage IS NOT NULL))[1],
		(array_agg(t.component ORDER BY r.first_line, r.shape_id) FILTER (WHERE t.component IS NOT NULL))[1]
	FROM (SELECT DISTINCT o.stream_id, o.line_no FROM unnest(l4_named_stages.places) o WHERE o.place IN ('own', 'rank')) p
	JOIN unnest(l4_named_stages.unexplained) r ON r.stream_id = p.stream_id AND (r.first_line = p.line_no
		OR r.level IS NULL AND r.first_line > p.line_no AND r.first_line < p.line_no + (limits).unexplained_block_lines)
	CROSS JOIN LATERAL (SELECT @extschema@.l4_text_stage(r.message, wordings) AS stage,
		@extschema@.l4_text_component(r.message, wordings) AS component OFFSET 0) t
	WHERE r.reason IN ('new value', 'range') OR r.gravity >= (limits).gravity_trouble
	GROUP BY p.stream_id, p.line_no;
END;
COMMENT ON FUNCTION @extschema@.l4_named_stages(@extschema@.l4_unexplained_record[], @extschema@.l4_onset[],
	@extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: The stage and the component that an error at which a failure may have begun names itself, or what is printed directly '
'below it without a header, as a traceback below its heading; by stream and line.';

CREATE FUNCTION @extschema@.l4_stage_set_up_again(job_id text, stream_id bigint, at_line bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH said AS MATERIALIZED (
		SELECT max(e.last_line) FILTER (WHERE @extschema@.l4_is_setup_stage(e.stage)
				AND e.last_line < l4_stage_set_up_again.at_line) AS set_up,
			min(e.first_line) FILTER (WHERE NOT @extschema@.l4_is_setup_stage(e.stage)) AS iterated
		FROM @extschema@.l4_job_counts(l4_stage_set_up_again.job_id, ARRAY[l4_stage_set_up_again.stream_id]) e
	)
	SELECT r.stage
	FROM said s
	CROSS JOIN LATERAL @extschema@.l4_records_at(l4_stage_set_up_again.job_id, ARRAY[l4_stage_set_up_again.stream_id],
		ARRAY[l4_stage_set_up_again.at_line]) r
	WHERE s.set_up > s.iterated ORDER BY r.part LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_stage_set_up_again(text, bigint, bigint) IS
'Step: The stage of a record of a stream in which a process that had iterated was set up anew before it: that is where the new '
'one stands, though nobody told of an iteration since. NULL where none was set up anew.';

CREATE FUNCTION @extschema@.l4_set_up_before_end(job_id text, stream_id bigint, at_line bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT CASE WHEN @extschema@.l4_is_setup_stage(s.stage) THEN s.stage END
	FROM (SELECT e.stage FROM @extschema@.l4_job_counts(l4_set_up_before_end.job_id, ARRAY[l4_set_up_before_end.stream_id]) e
		WHERE e.stage <> 'teardown' AND e.first_line < l4_set_up_before_end.at_line
		ORDER BY LEAST(e.last_line, l4_set_up_before_end.at_line - 1) DESC, e.first_line DESC, e.stage LIMIT 1) s;
END;
COMMENT ON FUNCTION @extschema@.l4_set_up_before_end(text, bigint, bigint) IS
'Step: The stage of set-up in which a stream stood before a place in it, as its launcher tells there how it ended; NULL where '
'it told of none, or was past its set-up.';

CREATE FUNCTION @extschema@.l4_next_stage(job_id text, stream_id bigint, at_line bigint, stage text,
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	-- A rank that said that something is done fails in what comes next. What that is the others tell that went on.
	WITH said AS MATERIALIZED (
		SELECT e.shape_id, e.last_line
		FROM @extschema@.l4_job_counts(l4_next_stage.job_id, ARRAY[l4_next_stage.stream_id]) e
		WHERE e.last_line < l4_next_stage.at_line AND e.stage = l4_next_stage.stage
			AND @extschema@.l4_level_rank(e.level) < (limits).gravity_trouble
		ORDER BY e.last_line DESC LIMIT 1
	),
	done AS MATERIALIZED (
		SELECT s.shape_id FROM said s JOIN @extschema@.l4_shape h ON h.shape_id = s.shape_id
		WHERE @extschema@.l4_told_text(h.shape) ~ (l4_next_stage.wordings).done
	),
	peer AS MATERIALIZED (
		SELECT o.stream_id FROM done d, @extschema@.l4_job_streams(l4_next_stage.job_id) o
		WHERE o.kind = 'rank' AND o.stream_id <> l4_next_stage.stream_id
		ORDER BY o.stream_id LIMIT (limits).counter_streams::bigint
	),
	entry AS MATERIALIZED (
		SELECT e.stream_id, e.shape_id, e.stage, e.first_line, e.last_line
		FROM (SELECT array_agg(p.stream_id) AS stream_ids FROM peer p HAVING count(*) > 0) p
		CROSS JOIN LATERAL @extschema@.l4_job_counts(l4_next_stage.job_id, p.stream_ids) e
		WHERE e.stage IS NOT NULL AND @extschema@.l4_level_rank(e.level) < (limits).gravity_trouble
	),
	follows AS (
		SELECT DISTINCT ON (n.stream_id) n.stream_id, n.stage
		FROM entry n JOIN entry o ON o.stream_id = n.stream_id AND o.first_line < n.first_line
		JOIN done d ON d.shape_id = o.shape_id
		ORDER BY n.stream_id, n.first_line
	)
	SELECT f.stage FROM follows f GROUP BY f.stage
	HAVING count(*) * 2 > (SELECT count(*) FROM follows) AND @extschema@.l4_is_setup_stage(f.stage)
		AND f.stage <> l4_next_stage.stage;
END;
COMMENT ON FUNCTION @extschema@.l4_next_stage(text, bigint, bigint, text, @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: The stage of set-up that a rank was in at a line where the last that it said of a stage is that something of it is done '
'(wordings of class done): that which most of the ranks that said so, too, went on with. NULL where it may have been at that '
'still, or nobody went on with another stage of set-up.';

CREATE FUNCTION @extschema@.l4_slow_leads(unexplained @extschema@.l4_unexplained_record[],
	suspects @extschema@.l4_suspect_node[], limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100
BEGIN ATOMIC
	SELECT NOT EXISTS (SELECT FROM unnest(l4_slow_leads.unexplained) r
			WHERE r.kind = 'rank' AND r.gravity >= (limits).gravity_error)
		AND NOT EXISTS (SELECT FROM unnest(l4_slow_leads.suspects) s WHERE s.ordinal = 1 AND s.evidence[1].kind <> 'slow');
END;
COMMENT ON FUNCTION @extschema@.l4_slow_leads(@extschema@.l4_unexplained_record[], @extschema@.l4_suspect_node[],
	@extschema@.l4_limits) IS
'Step: Of a job whose steps became slow: is that the most telling place where its failure may have begun? It is where no rank '
'fails with an error, and nobody is suspected for more than for being slow.';

CREATE FUNCTION @extschema@.l4_unfinished_first(job_id text, limits @extschema@.l4_limits) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	-- who goes on from a checkpoint begins anywhere
	SELECT 1 WHERE NOT EXISTS (SELECT FROM @extschema@.l4_job_streams(l4_unfinished_first.job_id) s
			WHERE s.last_iteration > 1)
		AND NOT EXISTS (SELECT FROM @extschema@.l4_job_stages(l4_unfinished_first.job_id) s WHERE s.stage = 'checkpoint_load')
		-- what recurs while it iterates may well be its iterations
		AND NOT EXISTS (SELECT FROM @extschema@.l4_job_counts(l4_unfinished_first.job_id,
				min_occurrences => (limits).counter_records::bigint) e
			JOIN @extschema@.l4_job_streams(l4_unfinished_first.job_id) s ON s.stream_id = e.stream_id
			WHERE s.kind = 'rank' AND e.stage = 'iterating' AND @extschema@.l4_level_rank(e.level) < (limits).gravity_trouble);
END;
COMMENT ON FUNCTION @extschema@.l4_unfinished_first(text, @extschema@.l4_limits) IS
'Step: The iteration that a job is in which says that it began to iterate, and nothing of any later one: the first. NULL '
'where it says of another, loads a checkpoint, or says anything again and again since.';

CREATE FUNCTION @extschema@.l4_never_began(job_id text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT NOT EXISTS (SELECT FROM @extschema@.l4_job_stages(l4_never_began.job_id) s
			WHERE s.stage <> 'teardown' AND NOT @extschema@.l4_is_setup_stage(s.stage))
		AND EXISTS (SELECT FROM @extschema@.l4_best_pool(l4_never_began.job_id) b
			JOIN @extschema@.l4_pool_job m ON m.pool_id = b.pool_id WHERE m.step_seconds IS NOT NULL);
END;
COMMENT ON FUNCTION @extschema@.l4_never_began(text) IS
'Step: Does a job that marks no iterations (l4_marks_iterations) name no stage but those of its set-up and its end, while '
'successful jobs tell of their steps? Then it failed before it came to any.';

CREATE FUNCTION @extschema@.l4_only_announced(job_id text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH iterating AS MATERIALIZED (
		SELECT DISTINCT e.shape_id FROM @extschema@.l4_job_counts(l4_only_announced.job_id) e
		WHERE e.stage = 'iterating'
	),
	trained AS MATERIALIZED (
		SELECT e.stream_id, e.shape_id, e.stage, e.first_line, e.first_iteration
		FROM (SELECT m.job_id FROM @extschema@.l4_best_pool(l4_only_announced.job_id) b
			JOIN @extschema@.l4_pool_job m ON m.pool_id = b.pool_id
			WHERE m.job_id <> l4_only_announced.job_id AND m.step_seconds IS NOT NULL AND EXISTS (SELECT FROM iterating)
			ORDER BY m.job_id COLLATE "C" LIMIT 1) m
		CROSS JOIN LATERAL @extschema@.l4_job_counts(m.job_id) e
		WHERE e.first_iteration IS NULL
	)
	SELECT EXISTS (SELECT FROM trained a JOIN trained n ON n.stream_id = a.stream_id AND n.first_line > a.first_line
		WHERE a.stage = 'iterating' AND @extschema@.l4_is_setup_stage(n.stage)
			AND a.shape_id IN (SELECT i.shape_id FROM iterating i))
		-- what the pool does not know may be what the failure itself says, in the stage that was announced
		AND NOT EXISTS (SELECT FROM trained a WHERE a.stage = 'iterating'
			AND a.shape_id IN (SELECT i.shape_id FROM iterating i)
			AND NOT EXISTS (SELECT FROM trained n WHERE n.stream_id = a.stream_id AND n.first_line > a.first_line
				AND @extschema@.l4_is_setup_stage(n.stage)));
END;
COMMENT ON FUNCTION @extschema@.l4_only_announced(text) IS
'Step: Does a job that marks no iterations (l4_marks_iterations: others are not to be asked) say that it trains only where '
'successful jobs have set-up before them still ("Training started", and then the model is built)? False without a pool. Cost: '
'reads the counts of the job and of one of its pool.';

CREATE FUNCTION @extschema@.l4_stage_reached(job_id text, at_ts timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT COALESCE((SELECT s.stage FROM @extschema@.l4_job_stages(l4_stage_reached.job_id) s
		WHERE @extschema@.l4_is_setup_stage(s.stage) AND s.first_ts <= l4_stage_reached.at_ts
		ORDER BY s.first_ts DESC, s.stage, s.stream_id LIMIT 1), 'environment_init');
END;
COMMENT ON FUNCTION @extschema@.l4_stage_reached(text, timestamptz) IS
'Step: The stage of set-up that a stream of a job named last until a time: where a job stood that never began to iterate, as '
'far as a record tells nothing of that itself; environment_init where none was named by then, or the time is not known.';

CREATE FUNCTION @extschema@.l4_stage_gone_on(job_id text, path_attempt int) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT e.stage FROM @extschema@.l4_job_stages(l4_stage_gone_on.job_id) e
	JOIN @extschema@.l4_job_streams(l4_stage_gone_on.job_id) s ON s.stream_id = e.stream_id AND s.kind = 'rank'
		AND (s.attempt <> l4_stage_gone_on.path_attempt) IS NOT TRUE
	WHERE e.stage <> 'teardown' AND NOT @extschema@.l4_is_setup_stage(e.stage)
	ORDER BY e.first_ts DESC NULLS LAST, e.stage LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_stage_gone_on(text, int) IS
'Step: The stage past its set-up that a rank of a job named last: where a rank stood that fell silent in a job that nothing '
'counts (one that only evaluates); of an attempt where paths tell these. NULL where no rank came past its set-up.';

CREATE FUNCTION @extschema@.l4_last_possible_time(job_id text, unexplained @extschema@.l4_unexplained_record[],
	onset @extschema@.l4_onset) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	-- What has no stamp of its own came after the one before, and before its stream would have said again what it says most
	-- often; so did the end of a stream that says no more.
	SELECT (onset).ts + min((e.last_ts - e.first_ts) / (e.occurrences - 1))
	FROM @extschema@.l4_job_counts(l4_last_possible_time.job_id, ARRAY[(onset).stream_id], min_occurrences => 2) e
	WHERE @extschema@.l4_clock_was_set(e.first_ts) AND e.last_ts > e.first_ts
		AND ((onset).place IN ('stopped', 'end')
			OR @extschema@.l4_is_unstamped(l4_last_possible_time.unexplained, (onset).stream_id, (onset).line_no));
END;
COMMENT ON FUNCTION @extschema@.l4_last_possible_time(text, @extschema@.l4_unexplained_record[], @extschema@.l4_onset) IS
'Step: Of a place that has only the time of the last stamp before it: until when it may have been, by how often its stream '
'says something. NULL for one with a time of its own, and where nothing recurs.';

CREATE FUNCTION @extschema@.l4_iteration_within(early bigint, late bigint, sparse bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
-- one more may just have begun
RETURN CASE WHEN late > early + 1 THEN LEAST(late, early + sparse - 1) ELSE early END;
COMMENT ON FUNCTION @extschema@.l4_iteration_within(bigint, bigint, bigint) IS
'Step: The iteration of a place of which the one is known that was told of before (early), the one that others told of until '
'it may have been (late), and how far apart those are that its own stream tells of (sparse; NULL: not known).';

CREATE FUNCTION @extschema@.l4_onsets(job_id text, unexplained @extschema@.l4_unexplained_record[] DEFAULT NULL,
	suspects text[] DEFAULT NULL,
	accusations @extschema@.l4_accusation[] DEFAULT NULL, limits @extschema@.l4_limits DEFAULT NULL,
		wordings @extschema@.l4_wordings DEFAULT NULL, slow @extschema@.l4_slow_regime DEFAULT NULL,
		slow_leads boolean DEFAULT false, attempt @extschema@.l4_attempt DEFAULT NULL)
RETURNS SETOF @extschema@.l4_onset
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 5
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	places @extschema@.l4_onset[];
	turns text[] := '{own,stopped,outside,rank,any,slow,end}';
	counter @extschema@.l4_learnt_counter;
	first_iteration bigint;
	never_began boolean;
	-- the stage that is only said to have begun
	announced text;
	path_attempt CONSTANT int := (l4_onsets.attempt).path_attempt;
BEGIN
	l4_onsets.limits := coalesce(l4_onsets.limits, @extschema@.l4_limits_in_force());
	l4_onsets.wordings := coalesce(l4_onsets.wordings, @extschema@.l4_wordings_in_force());
	l4_onsets.unexplained := coalesce(l4_onsets.unexplained,
		ARRAY(SELECT n FROM @extschema@.l4_unexplained(l4_onsets.job_id, true, NULL, limits, wordings) n));
	l4_onsets.accusations := coalesce(l4_onsets.accusations,
		ARRAY(SELECT a FROM @extschema@.l4_accusations(l4_onsets.job_id, l4_onsets.unexplained) a));
	-- where streams end is where the last attempt that wrote them did
	places := ARRAY(SELECT o FROM @extschema@.l4_onset_stops(l4_onsets.job_id, l4_onsets.unexplained, suspects[1],
		l4_onsets.accusations, limits, path_attempt) o
		WHERE NOT @extschema@.l4_is_overwritten(l4_onsets.attempt));
	places := places || ARRAY(SELECT o FROM @extschema@.l4_onset_records(l4_onsets.job_id, l4_onsets.unexplained, suspects[1],
		l4_onsets.accusations, EXISTS (SELECT FROM unnest(places) p WHERE p.place = 'stopped'), limits) o);
	IF (l4_onsets.slow).iteration IS NOT NULL THEN
		IF slow_leads THEN
			turns := 'slow'::text || turns;
		END IF;
		places := places || ROW(NULL, 'slow', 'iterating', (slow).iteration, (slow).began, NULL, NULL, NULL, NULL, NULL,
			NULL)::@extschema@.l4_onset;
	END IF;
	counter := @extschema@.l4_learn_counter(l4_onsets.job_id, limits);
	first_iteration := CASE WHEN (counter).shape_ids IS NULL THEN @extschema@.l4_unfinished_first(l4_onsets.job_id, limits) END;
	-- most jobs mark their iterations, and are not asked
	IF (counter).shape_ids IS NULL AND NOT @extschema@.l4_marks_iterations(l4_onsets.job_id) THEN
		announced := CASE WHEN @extschema@.l4_only_announced(l4_onsets.job_id) THEN 'iterating' END;
		never_began := announced IS NOT NULL OR @extschema@.l4_never_began(l4_onsets.job_id);
	END IF;
	-- an error may name its own stage
	RETURN QUERY
	SELECT array_position(turns, o.place), o.place,
		@extschema@.l4_onset_stage(CASE WHEN n.stage = o.stage THEN COALESCE(x.next, n.stage) ELSE n.stage END, n.component,
			CASE WHEN v.over THEN 'iterating'
				WHEN NOT y.starting OR @extschema@.l4_is_setup_stage(o.stage) THEN COALESCE(x.next, NULLIF(o.stage, announced))
				ELSE @extschema@.l4_stage_set_up_again(l4_onsets.job_id, o.stream_id, o.line_no) END,
			CASE WHEN o.rank IS NOT NULL THEN 'environment_init'
				WHEN never_began THEN @extschema@.l4_stage_reached(l4_onsets.job_id, at.ts) END,
			t.marks AND NOT y.starting,
			NULLIF(CASE WHEN x.next IS NOT NULL AND @extschema@.l4_is_setup_stage(j.stage) THEN x.next
				WHEN c.value IS NULL AND j.stage IS NULL AND z.at_end AND NOT y.starting
					THEN @extschema@.l4_stage_gone_on(l4_onsets.job_id, path_attempt)
				WHEN c.value IS NULL OR NOT @extschema@.l4_is_setup_stage(j.stage) THEN j.stage
				WHEN o.stage IN ('evaluation', 'checkpoint_save') AND v.over IS NOT TRUE THEN o.stage
				ELSE 'iterating' END, announced)),
		CASE WHEN NOT y.starting THEN coalesce(CASE o.place WHEN 'slow' THEN o.iteration END,
			@extschema@.l4_iteration_within(c.value, l.value, NULL), CASE WHEN l.told > o.iteration THEN l.told END,
			@extschema@.l4_iteration_within(o.iteration, l.marked, l.sparse),
			j.iteration, CASE NULLIF(o.stage, announced) WHEN 'iterating' THEN first_iteration END) END,
		o.ts, o.unit, o.node, o.rank, o.stream_id, o.line_no, n.component
	FROM unnest(places) o
	LEFT JOIN (SELECT s.stream_id, s.source_id, s.source, s.shared, s.last_ts, s.last_iteration IS NOT NULL AS marks
		FROM @extschema@.l4_job_streams(l4_onsets.job_id, ARRAY(SELECT p.stream_id FROM unnest(places) p)) s) t
		ON t.stream_id = o.stream_id
	-- what has no stamp and stands behind the last one of a file that marks no iterations is as late as the job came
	CROSS JOIN LATERAL (SELECT CASE WHEN (NOT @extschema@.l4_file_marks(l4_onsets.job_id, t.source_id)
		AND @extschema@.l4_is_behind_stamps(l4_onsets.job_id, l4_onsets.unexplained, o.stream_id, o.line_no, limits))
		IS NOT TRUE THEN o.ts END AS ts OFFSET 0) d
	CROSS JOIN LATERAL (SELECT @extschema@.l4_is_starting(attempt, t.source_id, o.line_no, d.ts) AS starting OFFSET 0) y
	CROSS JOIN LATERAL (SELECT CASE
		WHEN o.stage = 'teardown' THEN @extschema@.l4_set_up_before_end(l4_onsets.job_id, o.stream_id, o.line_no)
		WHEN @extschema@.l4_is_setup_stage(o.stage) AND o.line_no IS NOT NULL THEN
		@extschema@.l4_next_stage(l4_onsets.job_id, o.stream_id, o.line_no, o.stage, limits, wordings) END AS next OFFSET 0) x
	-- where a stream without marks ended tells nothing: the end of all progress is meant
	LEFT JOIN LATERAL (SELECT o.place IN ('stopped', 'end') AND NOT t.marks AS at_end) z ON true
	-- once a place, and not wherever the body of l4_job_state, which is made part of this query, asks for it
	CROSS JOIN LATERAL (SELECT CASE WHEN o.place = 'outside' OR t.stream_id IS NOT NULL AND t.last_ts IS NULL THEN
		@extschema@.l4_latest_time(l4_onsets.job_id, l4_onsets.unexplained, o.stream_id, o.line_no, d.ts, limits)
		WHEN NOT z.at_end THEN d.ts END AS ts OFFSET 0) at
	LEFT JOIN LATERAL @extschema@.l4_job_state(l4_onsets.job_id, o.unit, o.rank, t.source,
		CASE WHEN NOT z.at_end THEN o.line_no END, at.ts, limits, path_attempt) j ON NOT y.starting
	LEFT JOIN LATERAL (SELECT CASE WHEN (counter).shape_ids IS NOT NULL THEN @extschema@.l4_counter_at(l4_onsets.job_id,
		counter, o.stream_id, o.line_no, o.ts, limits) END AS value OFFSET 0) c ON true
	LEFT JOIN LATERAL (
		SELECT CASE WHEN e.at IS NOT NULL AND (counter).shape_ids IS NOT NULL AND o.stream_id <> ALL ((counter).stream_ids)
				THEN @extschema@.l4_counter_at(l4_onsets.job_id, counter, o.stream_id, o.line_no, e.at, limits) END AS value,
			CASE WHEN t.marks THEN @extschema@.l4_job_iteration(l4_onsets.job_id, e.at) END AS marked,
			-- where nothing tells the time, what stands before it in the file of all
			CASE WHEN t.marks AND t.shared AND o.ts IS NULL THEN (SELECT f.iteration FROM @extschema@.l4_job_state(
				l4_onsets.job_id, NULL, NULL, t.source, o.line_no, NULL, limits, path_attempt) f) END AS told,
			(SELECT floor(min((c.last_iteration - c.first_iteration)::numeric / (c.occurrences - 1)))::bigint
				FROM @extschema@.l4_job_counts(l4_onsets.job_id, ARRAY[o.stream_id], min_occurrences => 2,
					iterating => true) c WHERE c.last_iteration > c.first_iteration) AS sparse
		FROM (SELECT @extschema@.l4_last_possible_time(l4_onsets.job_id, l4_onsets.unexplained, o) AS at OFFSET 0) e
		) l ON o.stream_id IS NOT NULL AND NOT y.starting
	LEFT JOIN LATERAL (SELECT CASE WHEN c.value IS NULL THEN @extschema@.l4_interruption_over(l4_onsets.job_id, o, at.ts,
		l4_onsets.attempt) ELSE NOT @extschema@.l4_is_interrupted(l4_onsets.job_id, counter, o.stream_id, o.line_no)
		END AS over OFFSET 0) v ON o.stage IN ('evaluation', 'checkpoint_save')
	LEFT JOIN @extschema@.l4_named_stages(l4_onsets.unexplained, places, limits, wordings) n
		ON o.place IN ('own', 'rank') AND n.stream_id = o.stream_id AND n.line_no = o.line_no;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_onsets(text, @extschema@.l4_unexplained_record[], text[], @extschema@.l4_accusation[],
	@extschema@.l4_limits, @extschema@.l4_wordings, @extschema@.l4_slow_regime, boolean, @extschema@.l4_attempt) IS
'Step: Where the failure of a job may have begun, the most telling place first (column turn). suspects: the units of '
'l4_suspect_nodes, in order; unexplained, accusations: the results of l4_unexplained and l4_accusations; limits, wordings: '
'those in force; where at hand. slow: l4_slow_regime, NULL where no steps are slow; slow_leads: l4_slow_leads; attempt: one '
'of l4_job_attempts, of which all these are then.';
