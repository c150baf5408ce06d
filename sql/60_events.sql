/*
 * News: the records of a job that successful jobs do not explain.
 *
 * With a pool a record is news where
 *   new        its shape (and, below warning level, its event too) is not in the pool,
 *   new value  its shape is, but a parameter takes a value which the pool, that has few values there, never had,
 *   range      a number in it lies a hundredfold outside the range of the pool,
 *   storm      a stream has it far more often than any stream of the pool had, also for the time that it ran.
 * Without a pool nothing can be subtracted, and keywords alone ring on every healthy job (a failed sensor read, a retry). What is left
 * then are severity, rarity and time: see l4_news_alone.
 */

CREATE TYPE @extschema@.l4_news_record AS (
	stream_id bigint,
	source text,
	kind text,
	node text,
	rank int,
	shape_id bigint,
	event_id bigint,
	reason text,
	detail text,
	occurrences bigint,
	level text,
	first_line bigint,
	last_line bigint,
	first_ts timestamptz,
	stage text,
	iteration bigint,
	role boolean,
	place int,
	value text,
	message text
);
COMMENT ON TYPE @extschema@.l4_news_record IS
'A shape that is news in one stream: where it stands (node: by l4_place_name), why it is news (reason: new, new value, range, storm, severe; detail says it in words), how often, when and where first (first_ts is estimated from the records before it where it has no time of its own, and corrected where its node''s clock is off: l4_clock_offsets), whether only few streams of a successful job have that shape too (role), which parameter has which new value (place, value; NULL for other reasons), and the text of its first record (NULL past the first 500 of a job, those of rare shapes first).';

CREATE FUNCTION @extschema@.l4_place_name(node text, rank int, nodes text[], ranks_per_node int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN COALESCE(node, CASE WHEN rank / COALESCE(ranks_per_node, 1) < cardinality(nodes) THEN nodes[rank / COALESCE(ranks_per_node, 1) + 1] END, 'rank ' || rank::text);
COMMENT ON FUNCTION @extschema@.l4_place_name(text, int, text[], int) IS
'What stands for the node of a stream where nodes are compared: the node that the import found, else by rank from the job''s list of nodes, else the rank itself ("rank 7").';

CREATE FUNCTION @extschema@.l4_node_name(place text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN place !~ '^rank \d+$' THEN place END;
COMMENT ON FUNCTION @extschema@.l4_node_name(text) IS
'The node that l4_place_name gave; NULL where a rank stands for one.';

-- The few figures by which records are judged, in one place.
CREATE FUNCTION @extschema@.l4_news_limit(name text) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE name
	WHEN 'evidence' THEN 20			-- fewer occurrences in the pool than this do not tell what values a position takes
	WHEN 'range evidence' THEN 5	-- nor, with fewer than this, how large its numbers are
	WHEN 'range' THEN 100			-- a number is out of range this many times beyond the largest or below the smallest of the pool
	WHEN 'storm' THEN 4				-- a storm is more than this many times the largest count of a stream of the pool ...
	WHEN 'storm count' THEN 20		-- ... and at least so many records
	WHEN 'quotes' THEN 500			-- records of which the text is read, at most
END;
COMMENT ON FUNCTION @extschema@.l4_news_limit(text) IS
'The limits that decide what is news; replace the function to change them.';

CREATE FUNCTION @extschema@.l4_level_rank(level text) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN COALESCE(array_position(ARRAY['trace', 'debug', 'info', 'warning', 'error', 'fatal'], level), 0);
COMMENT ON FUNCTION @extschema@.l4_level_rank(text) IS
'Levels in order: trace 1 ... warning 4, error 5, fatal 6; 0 where the record has none.';

CREATE FUNCTION @extschema@.l4_text_rank(message text) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN CASE
	WHEN message ~* '\m(fatal|panic|segmentation fault|core dumped|out of memory|oom|killed|killing process|sigkill|sigsegv|sigabrt|signal (9|11|6)|aborted|uncorrectable|no space left|read-only file|heartbeat lost|node (is )?(lost|down|dead)|link down|not a mount point|hardware error)\M' THEN 6
	WHEN message ~ '(^|\n)Traceback \(most recent call last\)|(^|\n|: )[A-Za-z_.]*(Error|Exception|Interrupt)\M' THEN 5
	WHEN message ~* '\m(errors?|failed|failure|exceptions?|timed? ?out|times out|timeout(?=$|[,.;]| (error|expired|exceeded|reached))|unreachable|refused|reset by peer|closed by (peer|remote)|broken pipe|lost|cannot|could not|unable to|abort(ed|ing)?|assert(ion)?|corrupt(ed|ion)?|mismatch|inconsistent|nan|inf|exitcode: -?[1-9]\d*|xid|err|exited with code [1-9]\d*|return code = -?[1-9]\d*)\M' THEN 4
	ELSE 0
END;
COMMENT ON FUNCTION @extschema@.l4_text_rank(text) IS
'How grave a message sounds by general English wordings, on the scale of l4_level_rank: 6 fatal, 5 an exception, 4 trouble, 0 nothing. Rings on harmless records too: to order what other means have found.';

CREATE FUNCTION @extschema@.l4_parameter_name(shape text, place int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 10
RETURN substring(split_part(shape, '<*>', place), '([[:alpha:]_][[:alnum:]_./-]*)[^[:alnum:]]*$');
COMMENT ON FUNCTION @extschema@.l4_parameter_name(text, int) IS
'The word before the parameter at a place (from 1) of a shape, by which a reader knows it: "step" for the first of "step <*> took <*> ms", "took" for the second. NULL where no word stands between it and the parameter before.';

CREATE FUNCTION @extschema@.l4_number_within(value text, lowest bigint, highest bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN CASE WHEN value ~ '^\d{1,18}$' THEN value::bigint BETWEEN lowest AND highest ELSE false END;
COMMENT ON FUNCTION @extschema@.l4_number_within(text, bigint, bigint) IS
'Is a text a whole number from lowest to highest? NULL where a bound is.';

CREATE FUNCTION @extschema@.l4_new_values(job_id text, pool_id bigint)
RETURNS TABLE (stream_id bigint, shape_id bigint, reason text, line_no bigint, detail text, place int, value text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH known AS MATERIALIZED (
		-- what the pool knows of each position; a value only where it is the only one, and seen often enough
		SELECT q.*, CASE WHEN cardinality(q.values) = 1 AND q.occurrences >= @extschema@.l4_news_limit('evidence') AND q.job_count > 1 THEN q.values[1] END AS value,
			CASE WHEN q.occurrences >= @extschema@.l4_news_limit('range evidence') THEN q.minimum / @extschema@.l4_news_limit('range') END AS lowest,
			CASE WHEN q.occurrences >= @extschema@.l4_news_limit('range evidence') THEN q.maximum * @extschema@.l4_news_limit('range') END AS highest
		FROM @extschema@.l4_pool_parameter q WHERE q.pool_id = l4_new_values.pool_id
	),
	seen AS MATERIALIZED (
		-- of the many parameters of a large job the few that may be news; the sketches are unpacked once
		SELECT p.*, COALESCE('the value after "' || @extschema@.l4_parameter_name(h.shape, p.position) || '"', format('value %s of the record', p.position)) AS name,
			q.value AS pool_value, q.minimum AS pool_minimum, q.maximum AS pool_maximum, q.lowest, q.highest
		FROM (SELECT array_agg(k.shape_id) AS shape_ids, array_agg(k.position) AS positions, array_agg(k.value) AS "values",
				array_agg(k.lowest) AS lowest, array_agg(k.highest) AS highest FROM known k) a
		CROSS JOIN @extschema@.l4_parameter_sketch s
		CROSS JOIN LATERAL @extschema@.l4_sketch_outliers(s.sketch, a.shape_ids, a.positions, a.values, a.lowest, a.highest) p
		JOIN known q ON q.shape_id = p.shape_id AND q.position = p.position
		JOIN @extschema@.l4_shape h ON h.shape_id = p.shape_id
		WHERE s.job_id = l4_new_values.job_id
	)
	-- A value the pool never had at a position that never varies there (a position with several values is a measurement, a counter or
	-- a name, and a further value no news), and where this is no setting that differs from the start: the job shows the known
	-- value there too, or it is a warning or worse. A number that goes with the iterations is none either: the successful jobs ended at another one.
	SELECT p.stream_id, p.shape_id, 'new value', v.line_no,
		format('%s is "%s"; in successful jobs it is always "%s"', p.name, v.value, p.pool_value),
		p.position, v.value
	FROM seen p
	CROSS JOIN LATERAL ROWS FROM (unnest(p.values), unnest(p.value_lines)) v (value, line_no)
	JOIN @extschema@.l4_stream_event e ON e.job_id = l4_new_values.job_id AND e.stream_id = p.stream_id AND e.shape_id = p.shape_id
	WHERE v.value <> p.pool_value
		AND (@extschema@.l4_level_rank(e.level) >= 4 OR p.pool_value = ANY (p.values))
		AND NOT COALESCE(e.first_iteration > 1 AND @extschema@.l4_number_within(v.value, e.first_iteration - 1, e.last_iteration + 1)
			AND EXISTS (SELECT FROM ROWS FROM (unnest(p.values), unnest(p.value_lines)) f (value, line_no)
				WHERE f.line_no = e.first_line AND @extschema@.l4_number_within(f.value, e.first_iteration - 1, e.first_iteration + 1)), false)
	UNION ALL
	SELECT p.stream_id, p.shape_id, 'range', r.line_no,
		format('%s is %s; in successful jobs it lies between %s and %s', p.name, r.number, p.pool_minimum, p.pool_maximum),
		p.position, NULL
	FROM seen p
	CROSS JOIN LATERAL (VALUES (p.maximum, p.maximum_line), (p.minimum, p.minimum_line)) r (number, line_no)
	WHERE p.number_count > 0 AND p.pool_maximum > 0
		AND (r.number > p.highest OR r.number > 0 AND r.number < p.lowest);
END;
COMMENT ON FUNCTION @extschema@.l4_new_values(text, bigint) IS
'Parameter values of a job which its pool does not know: codes never seen (reason "new value") and numbers far out of range ("range"), with the line of the first record that has them.';

CREATE FUNCTION @extschema@.l4_shape_words(shape text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 50
RETURN btrim(regexp_replace(shape, '(<\*>|[^[:alpha:]])+', ' ', 'g'));
COMMENT ON FUNCTION @extschema@.l4_shape_words(text) IS
'The words of a shape alone, without parameters, digits and signs: what two variants of one statement (a progress bar at 2 % and at 50 %) have in common.';

CREATE FUNCTION @extschema@.l4_records_at(job_id text, stream_ids bigint[], line_nos bigint[])
RETURNS TABLE (stream_id bigint, line_no bigint, shape_id bigint, source text, ts timestamptz, stage text, iteration bigint, raw text, part int)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	-- only the segments that hold a wanted line are opened, each once
	WITH wanted AS MATERIALIZED (
		SELECT DISTINCT w.stream_id, w.line_no, s.source_id, s.source
		FROM ROWS FROM (unnest(l4_records_at.stream_ids), unnest(l4_records_at.line_nos)) w (stream_id, line_no)
		JOIN @extschema@.l4_stream s ON s.job_id = l4_records_at.job_id AND s.stream_id = w.stream_id
	),
	place AS MATERIALIZED (
		SELECT w.source_id, array_agg(w.line_no) AS line_nos FROM wanted w WHERE w.line_no IS NOT NULL GROUP BY w.source_id
	),
	record AS MATERIALIZED (
		-- by itself, lest a segment be opened anew for each wanted line
		SELECT r.* FROM place p
		JOIN @extschema@.l4_segment g ON g.job_id = l4_records_at.job_id AND g.source_id = p.source_id
		CROSS JOIN LATERAL @extschema@.l4_line_records(g.structure, g.texts, g.parameters, g.stream_ids, p.line_nos) r
		WHERE EXISTS (SELECT FROM unnest(p.line_nos) l (line_no) WHERE l.line_no BETWEEN g.first_line AND g.last_line)
	)
	SELECT r.stream_id, r.line_no, r.shape_id, w.source, r.ts, r.stage, r.iteration, r.raw, r.part
	FROM record r
	JOIN wanted w ON w.stream_id = r.stream_id AND w.line_no = r.line_no;
END;
COMMENT ON FUNCTION @extschema@.l4_records_at(text, bigint[], bigint[]) IS
'The records of a job that begin on the given lines of the given streams (two arrays of one length); iteration only where the stream itself marks it, part as in l4_log. Opens the segments that hold these lines.';

CREATE FUNCTION @extschema@.l4_source_clocks(job_id text) RETURNS TABLE (source_id bigint, lines bigint[], times timestamptz[])
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	-- Of a file that several streams share: the stream with the most time stamps is its clock.
	WITH mark AS MATERIALIZED (
		SELECT s.source_id, e.stream_id, m.line_no, m.ts
		FROM @extschema@.l4_stream s
		JOIN @extschema@.l4_stream_event e ON e.job_id = s.job_id AND e.stream_id = s.stream_id
		CROSS JOIN LATERAL (VALUES (e.first_line, e.first_ts), (e.last_line, e.last_ts)) m (line_no, ts)
		WHERE s.job_id = l4_source_clocks.job_id AND m.ts > '2000-01-01'
			AND EXISTS (SELECT FROM @extschema@.l4_stream o WHERE o.job_id = s.job_id AND o.source_id = s.source_id AND o.label IS NOT NULL)
	),
	clock AS (
		SELECT DISTINCT ON (m.source_id) m.source_id, m.stream_id FROM mark m
		GROUP BY m.source_id, m.stream_id
		ORDER BY m.source_id, count(DISTINCT m.ts) DESC, m.stream_id
	),
	line AS (
		SELECT m.source_id, m.line_no, max(max(m.ts)) OVER (PARTITION BY m.source_id ORDER BY m.line_no) AS ts
		FROM mark m JOIN clock c USING (source_id, stream_id)
		GROUP BY m.source_id, m.line_no
	)
	-- a point a second, at most 2,000 of a file: these arrays are searched for every record that is placed
	SELECT l.source_id, array_agg(l.line_no ORDER BY l.line_no), array_agg(l.ts ORDER BY l.line_no)
	FROM (
		SELECT DISTINCT ON (b.source_id, b.bucket) b.source_id, b.line_no, b.ts
		FROM (
			SELECT l.*, floor(EXTRACT(epoch FROM l.ts - s.first)::float8 / GREATEST(EXTRACT(epoch FROM s.last - s.first)::float8 / 2000, 1)) AS bucket
			FROM line l JOIN (SELECT source_id, min(ts) AS first, max(ts) AS last FROM line GROUP BY source_id) s USING (source_id)) b
		ORDER BY b.source_id, b.bucket, b.line_no) l
	GROUP BY l.source_id;
END;
COMMENT ON FUNCTION @extschema@.l4_source_clocks(text) IS
'For each file that several labelled streams share: lines and the times reached there (ascending), by its best-stamped stream. Ranks of one file stamp their lines in different ways, zones and years or not at all; their lines still come in order.';

CREATE FUNCTION @extschema@.l4_outlived(job_id text, pool_id bigint DEFAULT NULL)
RETURNS TABLE (stream_id bigint, line_no bigint, mild_line_no bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	-- What ceased while the job still made progress did not kill it. Of grave records that is said only where a fifth of its iterations,
	-- at most ten, came after; of others where one whole iteration did, or where much of what successful jobs log showed first
	-- later on (a job that fails while it starts makes progress too).
	WITH iteration AS MATERIALIZED (
		SELECT i.started_at AS ts, row_number() OVER (ORDER BY i.started_at DESC) AS from_end, count(*) OVER () AS n
		FROM @extschema@.l4_timeline t, unnest(t.started_at) i (started_at)
		WHERE t.job_id = l4_outlived.job_id AND i.started_at > '2000-01-01'
	),
	clock AS MATERIALIZED (SELECT c.* FROM @extschema@.l4_source_clocks(l4_outlived.job_id) c),
	timed AS (
		-- Records without a time inherit the last one of their stream. What stands behind the last time of all (tail) may have been written at
		-- any time later: it is older than nothing.
		SELECT o.*, min(CASE o.ts WHEN o.first_ts THEN o.first_line ELSE o.last_line END) FILTER (WHERE o.last_ts = o.ts) OVER (PARTITION BY o.stream_id) AS tail
		FROM (
			SELECT e.stream_id, e.shape_id, e.first_line, e.last_line, e.first_ts, e.last_ts, e.first_iteration, max(e.last_ts) OVER (PARTITION BY e.stream_id) AS ts
			FROM @extschema@.l4_stream_event e WHERE e.job_id = l4_outlived.job_id) o
	),
	entry AS MATERIALIZED (
		SELECT e.stream_id, e.shape_id, s.source_id, s.kind, e.first_line, e.last_line, e.first_iteration, s.last_iteration AS stream_iteration,
			CASE WHEN c.lines IS NOT NULL THEN c.times[GREATEST(width_bucket(e.first_line, c.lines), 1)] WHEN e.first_line <= e.tail THEN e.first_ts END AS first_ts,
			CASE WHEN c.lines IS NOT NULL THEN c.times[GREATEST(width_bucket(e.last_line, c.lines), 1)] WHEN e.last_line <= e.tail THEN e.last_ts END AS last_ts
		FROM timed e
		JOIN @extschema@.l4_stream s ON s.job_id = l4_outlived.job_id AND s.stream_id = e.stream_id
		LEFT JOIN clock c ON c.source_id = s.source_id
	),
	known AS (
		SELECT min(e.first_ts) FILTER (WHERE e.first_ts > '2000-01-01' AND e.kind IN ('rank', 'launcher', 'shared')) AS ts
		FROM entry e JOIN @extschema@.l4_pool_event p ON p.pool_id = l4_outlived.pool_id AND p.shape_id = e.shape_id
		GROUP BY e.shape_id
	),
	known_file AS (
		SELECT e.source_id FROM entry e JOIN @extschema@.l4_pool_event p ON p.pool_id = l4_outlived.pool_id AND p.shape_id = e.shape_id
		GROUP BY e.source_id HAVING count(*) >= 20
	),
	known_line AS (
		-- the same by lines, of a file that knows twenty such records: for files with few time stamps
		SELECT f.source_id, percentile_disc(0.75) WITHIN GROUP (ORDER BY f.line_no) AS line_no
		FROM (
			SELECT e.source_id, e.shape_id, min(e.first_line) AS line_no
			FROM known_file k
			JOIN entry e ON e.source_id = k.source_id
			JOIN @extschema@.l4_pool_event p ON p.pool_id = l4_outlived.pool_id AND p.shape_id = e.shape_id
			GROUP BY e.source_id, e.shape_id) f
		GROUP BY f.source_id HAVING count(*) >= 20
	),
	progress AS MATERIALIZED (
		SELECT (SELECT i.ts FROM iteration i WHERE i.n >= 4 AND i.from_end = 1 + LEAST(10, GREATEST(2, i.n / 5))) AS ts,
			GREATEST((SELECT i.ts FROM iteration i WHERE i.from_end = 2),
				(SELECT percentile_disc(0.75) WITHIN GROUP (ORDER BY k.ts) FROM known k)) AS mild_ts
	),
	older AS (
		SELECT e.stream_id, min(e.source_id) AS source_id,
			max(CASE WHEN e.last_ts < p.ts THEN e.last_line WHEN e.first_ts < p.ts THEN e.first_line END) FILTER (WHERE e.first_ts > '2000-01-01') AS line_no,
			max(CASE WHEN e.last_ts < p.mild_ts THEN e.last_line WHEN e.first_ts < p.mild_ts THEN e.first_line END) FILTER (WHERE e.first_ts > '2000-01-01') AS mild_line_no,
			-- a stream that marks iterations itself, be it without times: what comes before its last one
			max(e.first_line) FILTER (WHERE e.first_iteration < e.stream_iteration) AS marked_line_no
		FROM progress p CROSS JOIN entry e
		GROUP BY e.stream_id
	)
	SELECT o.stream_id, o.line_no, GREATEST(o.mild_line_no, o.marked_line_no, k.line_no)
	FROM older o LEFT JOIN known_line k ON k.source_id = o.source_id;
END;
COMMENT ON FUNCTION @extschema@.l4_outlived(text, bigint) IS
'Per stream the line up to which it is older than progress the job made later: what is new but ceased by then, the job outlived. line_no for records that sound grave, mild_line_no for others; NULL where none. pool_id: the pool that tells what belongs to a normal start (none: iterations alone count).';

CREATE FUNCTION @extschema@.l4_text_stage(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN CASE
	WHEN message ~* '\m(sav(e|es|ing)|writ(e|es|ing)|stor(e|es|ing)|upload(s|ing)?)[ _(](\w+[ _.]){0,2}(checkpoints?|snapshots?|state_dict)' THEN 'checkpoint_save'
	WHEN message ~* '(load|restor|read)\w*[ _(]+(from[ _])?(\w+[ _]){0,3}(checkpoints?|state_dict|pretrained|weights)|checkpoint\w*[ _.](load|restor)' THEN 'checkpoint_load'
	WHEN message ~* '\m\w*data_?(set|loader)s?\w*\M|\mdata(set)?/(train|valid|test)|/train(ing)?(_data)?/[^ ]*\.(bin|idx|parquet|jsonl?|tar|arrow)\M' THEN 'data_load'
	WHEN message ~* '\m(init_process_group|new_group|\w*comm_?init\w*|communicator|\w*all_?reduce|\w*all_?gather|\w*reduce_?scatter|barrier)\M' THEN 'communicator_init'
END;
COMMENT ON FUNCTION @extschema@.l4_text_stage(text) IS
'The stage that an error itself names (its traceback or its object: a checkpoint, a dataset, a communicator), or NULL. Of a job that has begun to iterate a communicator says nothing.';

CREATE FUNCTION @extschema@.l4_text_advice(message text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN message ~* '\mdeprecated\M' OR message ~ '\m(User|Deprecat[A-Za-z]*|PendingDeprecation|Future|Import|Syntax|Resource)Warning\M|\m(DEBUG|TRACE)\M';
COMMENT ON FUNCTION @extschema@.l4_text_advice(text) IS
'Is a message advice to programmers: a Python warning of such a category, a deprecation (it says that something works now and may not some day), or a line that calls itself debugging output?';

CREATE FUNCTION @extschema@.l4_text_ending(message text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN message ~* '\m(cancell?ed|preempted|preemption|sigterm|signal 15|15 death signal|closing signal|time limit)\M|: terminated\s*$|\mterminat(ed|ing) step';
COMMENT ON FUNCTION @extschema@.l4_text_ending(text) IS
'Does a message say that a job, a step or its processes were told to end? Such records follow from a failure or a decision; they are no evidence against the node that logs them.';

CREATE FUNCTION @extschema@.l4_text_peer(message text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN message ~* '\m(connection|link|socket|session|peer|channel)s?\M.{0,60}\m(closed|reset|refused|lost|aborted|gone|exited)\M|\mbroken pipe\M|\mreset by peer\M|\mtimed? ?out\M|\mtimeout\M|\mexit(s|ed|ing)? ?(with )?(return )?(code|status)|\mexitcode\M|\mwatchdog\M|\mterminate called\M|\mfailed to recv|\mother (ranks?|workers?|process(es)?|nodes?|agents?)\M|\m(taking|tearing|bringing|shutting) .{0,20}(process|processes|job|workers?) down\M';
COMMENT ON FUNCTION @extschema@.l4_text_peer(text) IS
'Does a message merely report that another process or machine went away or kept it waiting, or that a process ended? By general English wordings; such a record follows from a failure elsewhere, as a rule.';

CREATE TYPE @extschema@.l4_clock_offset AS (
	node text,
	ahead interval,
	spread interval,
	statements bigint
);
COMMENT ON TYPE @extschema@.l4_clock_offset IS
'A node whose clock is off: by how much it is ahead of the others, the median deviation from that, and the number of statements that say so (l4_clock_offsets).';

CREATE FUNCTION @extschema@.l4_clock_offsets(job_id text) RETURNS SETOF @extschema@.l4_clock_offset
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	-- Ranks that work together log the same things at about the same time. A clock that is off shifts all that its node logs alike; a node
	-- that started late is late at first only, so that its statements disagree. Files that several nodes share have one order and need no clock.
	WITH entry AS MATERIALIZED (
		SELECT s.node, e.shape_id, bool_and(e.first_iteration IS NOT NULL) AS iterating, EXTRACT(epoch FROM min(e.first_ts))::float8 AS at
		FROM @extschema@.l4_stream s
		JOIN @extschema@.l4_stream_event e ON e.job_id = s.job_id AND e.stream_id = s.stream_id
		WHERE s.job_id = l4_clock_offsets.job_id AND s.kind = 'rank' AND s.node IS NOT NULL AND s.label IS NULL AND e.first_ts > '2000-01-01'
		GROUP BY 1, 2
	),
	statement AS (
		SELECT e.shape_id, bool_and(e.iterating) AS iterating, percentile_cont(0.5) WITHIN GROUP (ORDER BY e.at) AS at
		FROM entry e
		GROUP BY e.shape_id
		HAVING count(*) >= 3 AND count(*) * 4 >= 3 * (SELECT count(DISTINCT o.node) FROM entry o)
	),
	size AS (SELECT count(*) >= 5 AS iterating FROM statement s WHERE s.iterating),
	deviation AS MATERIALIZED (
		-- iterations go in step, starts do not
		SELECT e.node, e.at - s.at AS seconds FROM entry e JOIN statement s USING (shape_id), size z WHERE s.iterating OR NOT z.iterating
	),
	middle AS (
		SELECT d.node, percentile_cont(0.5) WITHIN GROUP (ORDER BY d.seconds) AS seconds, count(*) AS statements
		FROM deviation d GROUP BY d.node
	),
	offset_of AS (
		SELECT m.node, m.seconds, m.statements, percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(d.seconds - m.seconds)) AS spread
		FROM middle m JOIN deviation d USING (node) GROUP BY 1, 2, 3
	)
	SELECT o.node, make_interval(secs => o.seconds), make_interval(secs => o.spread), o.statements
	FROM offset_of o, size z
	WHERE o.statements >= 5 AND abs(o.seconds) > GREATEST(CASE WHEN z.iterating THEN 0.5 ELSE 1.5 END, 4 * o.spread);
END;
COMMENT ON FUNCTION @extschema@.l4_clock_offsets(text) IS
'Nodes whose clock is off: how far it is ahead of the clocks of most nodes (negative: behind), estimated from the statements that the ranks of most nodes log, as the median over these; spread is the median deviation from it, statements their number. Only offsets of more than half a second (1.5 s where nothing was iterated yet) that stand out from their spread.';

CREATE FUNCTION @extschema@.l4_record_texts(job_id text, stream_ids bigint[], line_nos bigint[])
RETURNS TABLE (stream_id bigint, line_no bigint, source text, raw text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	-- several records may share a line (progress bars): the gravest one is wanted, and a whole text orders them well enough
	SELECT DISTINCT ON (r.stream_id, r.line_no) r.stream_id, r.line_no, r.source, r.raw
	FROM @extschema@.l4_records_at(l4_record_texts.job_id, l4_record_texts.stream_ids, l4_record_texts.line_nos) r
	ORDER BY r.stream_id, r.line_no, @extschema@.l4_text_rank(r.raw) DESC, r.raw;
END;
COMMENT ON FUNCTION @extschema@.l4_record_texts(text, bigint[], bigint[]) IS
'The records of a job that begin on the given lines of the given streams (two arrays of one length), as they stand in the files.';

CREATE FUNCTION @extschema@.l4_news_shapes(job_id text, pool_id bigint, known_kinds text[] DEFAULT NULL)
RETURNS TABLE (stream_id bigint, shape_id bigint, reason text, line_no bigint, detail text, place int, value text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH pool AS MATERIALIZED (
		-- without the job itself, should it be of the pool
		SELECT p.* FROM @extschema@.l4_pool_event p
		WHERE p.pool_id = l4_news_shapes.pool_id
			AND (p.job_count > 1 OR NOT EXISTS (SELECT FROM @extschema@.l4_pool_job m WHERE m.pool_id = p.pool_id AND m.job_id = l4_news_shapes.job_id)
				OR NOT EXISTS (SELECT FROM @extschema@.l4_stream_event e WHERE e.job_id = l4_news_shapes.job_id AND e.shape_id = p.shape_id))
	),
	pool_event AS MATERIALIZED (
		SELECT DISTINCT COALESCE(s.event_id, p.event_id) AS event_id FROM pool p LEFT JOIN @extschema@.l4_shape s ON s.shape_id = p.shape_id
	),
	pool_words AS MATERIALIZED (
		SELECT DISTINCT @extschema@.l4_shape_words(l.line) AS words
		FROM pool p JOIN @extschema@.l4_shape s ON s.shape_id = p.shape_id, LATERAL string_to_table(s.shape, E'\n') l (line)
	),
	candidate AS MATERIALIZED (
		SELECT s.shape_id, s.shape, s.event_id
		FROM (SELECT DISTINCT e.shape_id FROM @extschema@.l4_stream_event e WHERE e.job_id = l4_news_shapes.job_id) e
		JOIN @extschema@.l4_shape s ON s.shape_id = e.shape_id
		WHERE NOT EXISTS (SELECT FROM pool p WHERE p.shape_id = e.shape_id)
	),
	line AS MATERIALIZED (
		SELECT c.shape_id, w.words, substring(w.words, '^\S+ ((?:\S+ ){5}.*)$') AS rest
		FROM candidate c, LATERAL string_to_table(c.shape, E'\n') l (line), LATERAL (SELECT @extschema@.l4_shape_words(l.line) AS words OFFSET 0) w
		WHERE w.words <> ''
	),
	known AS (
		SELECT l.shape_id, count(*) > count(k.words) AS unknown, count(*) <= count(COALESCE(k.words, r.words)) AS behind_header
		FROM line l LEFT JOIN pool_words k ON k.words = l.words LEFT JOIN pool_words r ON r.words = l.rest
		GROUP BY l.shape_id
	),
	sounding AS MATERIALIZED (
		SELECT c.shape_id, c.shape, c.event_id, k.behind_header, @extschema@.l4_text_rank(c.shape) AS gravity
		FROM candidate c JOIN known k ON k.shape_id = c.shape_id
		WHERE k.unknown
	),
	judged AS MATERIALIZED (
		-- what does not depend on the stream, once a shape, and only as far as it matters
		SELECT s.shape_id, s.gravity, s.behind_header, s.gravity <= 4 AND @extschema@.l4_text_advice(s.shape) AS advice,
			EXISTS (SELECT FROM pool_event p WHERE p.event_id = s.event_id) AS beside,
			EXISTS (SELECT FROM @extschema@.l4_pool_event o WHERE o.shape_id = s.shape_id AND o.pool_id <> l4_news_shapes.pool_id) AS elsewhere,
			s.gravity < 4 AND l4_news_shapes.known_kinds IS NOT NULL AND (@extschema@.l4_text_ending(s.shape) OR @extschema@.l4_text_peer(s.shape)) AS follows
		FROM sounding s
	)
	SELECT e.stream_id, e.shape_id, 'new', e.first_line, 'successful jobs do not log it', NULL::int, NULL::text
	FROM judged s
	JOIN @extschema@.l4_stream_event e ON e.job_id = l4_news_shapes.job_id AND e.shape_id = s.shape_id
	JOIN @extschema@.l4_stream t ON t.job_id = l4_news_shapes.job_id AND t.stream_id = e.stream_id
	-- Lines whose words the pool knows are no news, with whatever signs and numbers, and however lines were folded into records there; nor
	-- are those that only have one word before them, of a header that was cut off there. Nor is a statement that clustering puts beside one
	-- of the pool. The latter two unless it is grave: a root cause may be meant.
	WHERE (GREATEST(@extschema@.l4_level_rank(e.level), s.gravity) >= 4 OR NOT s.beside AND NOT s.behind_header)
		-- nor what successful jobs of other settings log, nor advice to programmers
		AND NOT s.elsewhere AND NOT (@extschema@.l4_level_rank(e.level) <= 4 AND s.advice)
		-- of streams that a pool of the same settings does not know, only what sounds of trouble
		AND (l4_news_shapes.known_kinds IS NULL OR t.kind = ANY (l4_news_shapes.known_kinds) OR @extschema@.l4_level_rank(e.level) >= 5 OR s.gravity >= 4 OR s.follows)
	UNION ALL
	SELECT e.stream_id, e.shape_id, 'storm', e.first_line,
		format('%s times in this stream; at most %s in a stream of a successful job', e.occurrences, p.max_per_stream), NULL, NULL
	FROM @extschema@.l4_stream_event e
	JOIN pool p ON p.shape_id = e.shape_id
	WHERE e.job_id = l4_news_shapes.job_id
		AND e.occurrences >= @extschema@.l4_news_limit('storm count')
		-- what recurs all along a job that runs longer than the successful ones did is no storm
		AND e.occurrences > p.max_per_stream * @extschema@.l4_news_limit('storm') * GREATEST(1, CASE WHEN e.first_ts > '2000-01-01' THEN EXTRACT(epoch FROM e.last_ts - e.first_ts) END / NULLIF((
			SELECT EXTRACT(epoch FROM max(m.duration)) FROM @extschema@.l4_pool_job m WHERE m.pool_id = l4_news_shapes.pool_id AND m.job_id <> l4_news_shapes.job_id), 0))
		AND @extschema@.l4_level_rank(e.level) >= 4
	UNION ALL
	SELECT v.stream_id, v.shape_id, v.reason, v.line_no, v.detail, v.place, v.value
	FROM @extschema@.l4_new_values(l4_news_shapes.job_id, l4_news_shapes.pool_id) v
	WHERE EXISTS (SELECT FROM pool p WHERE p.shape_id = v.shape_id);
END;
COMMENT ON FUNCTION @extschema@.l4_news_shapes(text, bigint, text[]) IS
'What a job logs that a pool does not explain: per stream and shape the reason, the line where it shows first and a few words on it. known_kinds: the kinds of streams that the pool can judge; of others only what is grave counts (NULL: it can judge all).';

CREATE FUNCTION @extschema@.l4_text_tolerated(message text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN message ~* '\m(retry|retrying|retries left|attempt [[(]?(\d+|<\*>)|attempt\[|fall(ing)? back|(is|are|was|were|be) (disabled|ignored|skipped)|ignoring|skipping|will be|slowdown|slower than|not available)';
COMMENT ON FUNCTION @extschema@.l4_text_tolerated(text) IS
'Does a message say that the program goes on in spite of the trouble (retries, falls back, ignores)? By general English wordings.';

CREATE FUNCTION @extschema@.l4_news_alone(job_id text)
RETURNS TABLE (stream_id bigint, shape_id bigint, reason text, line_no bigint, detail text, place int, value text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	-- Noise (sensor errors, retries, failed builds) begins early and goes on; a failure begins late, after the job's last progress.
	-- So: what sounds grave, in spite of which the program does not say that it goes on, and whose first record in the whole job
	-- comes after the last good iteration (in a job without iterations: an error at least, anywhere).
	WITH progress AS (
		SELECT COALESCE((
			SELECT i.started_at
			FROM @extschema@.l4_timeline t, unnest(t.started_at) i (started_at)
			WHERE t.job_id = l4_news_alone.job_id
			ORDER BY 1 DESC OFFSET 2 LIMIT 1), '-infinity') AS last_good
	),
	clock AS MATERIALIZED (SELECT c.* FROM @extschema@.l4_source_clocks(l4_news_alone.job_id) c),
	judged AS MATERIALIZED (
		-- once a shape
		SELECT s.shape_id, @extschema@.l4_text_rank(s.shape) AS gravity, @extschema@.l4_text_tolerated(s.shape) AS tolerated
		FROM @extschema@.l4_shape s
		WHERE s.shape_id IN (SELECT e.shape_id FROM @extschema@.l4_stream_event e WHERE e.job_id = l4_news_alone.job_id)
	),
	entry AS (
		SELECT e.stream_id, e.shape_id, e.first_line, e.first_ts, e.last_ts, e.last_line, s.tolerated, p.last_good,
			GREATEST(@extschema@.l4_level_rank(e.level), s.gravity) AS gravity,
			-- lines of a file that several streams share come in order, whatever their own clocks say
			CASE WHEN c.lines IS NOT NULL THEN c.times[GREATEST(width_bucket(e.first_line, c.lines), 1)]
				WHEN e.first_ts > '2000-01-01' THEN e.first_ts END AS first_at
		FROM progress p, @extschema@.l4_stream_event e
		JOIN @extschema@.l4_stream t ON t.job_id = e.job_id AND t.stream_id = e.stream_id
		JOIN judged s ON s.shape_id = e.shape_id
		LEFT JOIN clock c ON c.source_id = t.source_id
		WHERE e.job_id = l4_news_alone.job_id
	),
	seen AS (
		SELECT e.*, min(e.first_at) OVER (PARTITION BY e.shape_id) AS first_in_job,
			bool_or(e.first_at IS NOT NULL) OVER (PARTITION BY e.stream_id) AS stamped,
			max(e.last_line) OVER (PARTITION BY e.stream_id) AS end_line,
			-- the line up to which the stream is older than the last progress: for records without a time of their own
			max(CASE WHEN e.last_ts <= e.last_good THEN e.last_line WHEN e.first_ts <= e.last_good THEN e.first_line END)
				OVER (PARTITION BY e.stream_id) AS good_line
		FROM entry e
	)
	SELECT e.stream_id, e.shape_id, 'severe', e.first_line, 'there is no successful job to compare with; it sounds grave and first comes when the job stops making progress',
		NULL::int, NULL::text
	FROM seen e
	WHERE e.gravity >= CASE WHEN isfinite(e.last_good) THEN 4 ELSE 5 END
		AND NOT e.tolerated
		AND CASE
			WHEN e.first_in_job IS NOT NULL THEN e.first_in_job > e.last_good
			WHEN e.stamped THEN e.first_line > COALESCE(e.good_line, 0)
			ELSE e.first_line > e.end_line * 0.3
		END;
END;
COMMENT ON FUNCTION @extschema@.l4_news_alone(text) IS
'What may be news in a job for which there is no pool: grave by level or wording, seldom, and near the end of its stream. Same columns as l4_news_shapes.';

CREATE FUNCTION @extschema@.l4_news(job_id text, use_pool boolean DEFAULT true, clocks @extschema@.l4_clock_offset[] DEFAULT NULL) RETURNS SETOF @extschema@.l4_news_record
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH pool AS MATERIALIZED (
		-- a pool of similar settings only, or of jobs that had no such streams, cannot tell what is new from what is other
		SELECT b.*, CASE WHEN b.fit = 1 AND b.differs = '{}' THEN b.kinds ELSE '{}' END AS known_kinds
		FROM @extschema@.l4_best_pool(l4_news.job_id) b WHERE l4_news.use_pool
	),
	found AS MATERIALIZED (
		SELECT n.* FROM pool p, @extschema@.l4_news_shapes(l4_news.job_id, p.pool_id, p.known_kinds) n
		UNION ALL
		SELECT n.* FROM @extschema@.l4_news_alone(l4_news.job_id) n WHERE NOT EXISTS (SELECT FROM pool)
	),
	share AS MATERIALIZED (
		SELECT p.shape_id, p.event_id, p.stream_share FROM @extschema@.l4_pool_event p WHERE p.pool_id = (SELECT b.pool_id FROM pool b)
	),
	role AS MATERIALIZED (
		-- a role's statement, or one that clustering puts beside such (the first NaN that rank 0 reports)
		SELECT f.shape_id, f.reason, COALESCE(GREATEST(p.stream_share, v.stream_share) <= 0.25, false) AS role
		FROM (SELECT DISTINCT f.shape_id, f.reason FROM found f) f
		JOIN @extschema@.l4_shape s ON s.shape_id = f.shape_id
		LEFT JOIN share p ON p.shape_id = f.shape_id
		LEFT JOIN (SELECT o.event_id, max(o.stream_share) AS stream_share FROM share o GROUP BY o.event_id) v ON v.event_id = s.event_id AND f.reason = 'new'
	),
	entry AS MATERIALIZED (
		-- one row a stream and shape: the first reason in the order new, new value, range, storm
		SELECT DISTINCT ON (f.stream_id, f.shape_id) f.stream_id, f.shape_id, f.reason, f.line_no, f.detail, f.place, f.value, e.occurrences, e.level,
			e.last_line, e.first_line = f.line_no AS own_first, e.first_ts, e.stage, e.first_iteration, t.source, t.source_id, t.kind,
			@extschema@.l4_place_name(t.node, t.rank, j.nodes, j.ranks_per_node) AS node, t.rank, s.event_id, r.role
		FROM found f
		LEFT JOIN @extschema@.l4_job j ON j.job_id = l4_news.job_id
		JOIN @extschema@.l4_stream_event e ON e.job_id = l4_news.job_id AND e.stream_id = f.stream_id AND e.shape_id = f.shape_id
		JOIN @extschema@.l4_stream t ON t.job_id = l4_news.job_id AND t.stream_id = f.stream_id
		JOIN @extschema@.l4_shape s ON s.shape_id = f.shape_id
		JOIN role r ON r.shape_id = f.shape_id AND r.reason = f.reason
		ORDER BY f.stream_id, f.shape_id, array_position(ARRAY['new', 'severe', 'new value', 'range', 'storm'], f.reason), f.line_no,
			f.place, f.value COLLATE "C"
	),
	outlived AS MATERIALIZED (
		SELECT o.* FROM @extschema@.l4_outlived(l4_news.job_id, (SELECT b.pool_id FROM pool b)) o
	),
	clock AS MATERIALIZED (SELECT c.* FROM @extschema@.l4_source_clocks(l4_news.job_id) c),
	ahead AS MATERIALIZED (SELECT k.* FROM unnest(COALESCE(l4_news.clocks, ARRAY(SELECT k FROM @extschema@.l4_clock_offsets(l4_news.job_id) k))) k),
	quoted AS (
		SELECT e.stream_id, e.line_no FROM (
			SELECT e.*, row_number() OVER (PARTITION BY e.shape_id ORDER BY e.stream_id) AS turn FROM entry e) e
		ORDER BY e.turn, e.stream_id, e.line_no
		LIMIT @extschema@.l4_news_limit('quotes')::bigint
	),
	text AS MATERIALIZED (
		SELECT DISTINCT ON (r.stream_id, r.line_no, r.shape_id) r.stream_id, r.shape_id, r.line_no, r.ts, r.iteration, r.stage, r.raw
		FROM (SELECT array_agg(q.stream_id) AS stream_ids, array_agg(q.line_no) AS line_nos FROM quoted q) q,
			LATERAL @extschema@.l4_records_at(l4_news.job_id, q.stream_ids, q.line_nos) r
		ORDER BY r.stream_id, r.line_no, r.shape_id, r.part
	),
	timed AS (
		SELECT e.*, x.raw, COALESCE(x.stage, e.stage) AS told_stage, COALESCE(x.iteration, e.first_iteration) AS told_iteration,
			-- lines of one file are in order, whatever clocks their labels go by; else the record's own time, else that of the one before it
			CASE WHEN c.lines IS NOT NULL THEN c.times[GREATEST(width_bucket(e.line_no, c.lines), 1)]
				ELSE COALESCE(x.ts, CASE WHEN e.own_first THEN e.first_ts END, b.ts) - COALESCE(k.ahead, '0') END AS told_ts
		FROM entry e
		LEFT JOIN clock c ON c.source_id = e.source_id
		LEFT JOIN ahead k ON k.node = e.node
		LEFT JOIN text x ON x.stream_id = e.stream_id AND x.line_no = e.line_no AND x.shape_id = e.shape_id
		LEFT JOIN LATERAL (
			SELECT max(CASE WHEN o.last_line <= e.line_no THEN o.last_ts ELSE o.first_ts END) AS ts
			FROM @extschema@.l4_stream_event o
			WHERE o.job_id = l4_news.job_id AND o.stream_id = e.stream_id AND o.first_line <= e.line_no AND c.lines IS NULL
				AND x.ts IS NULL AND NOT (e.own_first AND e.first_ts IS NOT NULL)) b ON true
	)
	SELECT e.stream_id, e.source, e.kind, e.node, e.rank, e.shape_id, e.event_id, e.reason, e.detail, e.occurrences, e.level, e.line_no,
		e.last_line, CASE WHEN e.told_ts > '2000-01-01' THEN e.told_ts END, e.told_stage, e.told_iteration, e.role, e.place, e.value, e.raw
	FROM timed e
	-- System logs are let through: a full or read-only disk lies in wait until something is written.
	LEFT JOIN outlived o ON o.stream_id = e.stream_id
	LEFT JOIN pool p ON true
	WHERE e.reason NOT IN ('new', 'new value') OR e.kind NOT IN ('rank', 'launcher')
		OR GREATEST(@extschema@.l4_level_rank(e.level), @extschema@.l4_text_rank(e.raw)) >= 6
		OR e.last_line > CASE WHEN GREATEST(@extschema@.l4_level_rank(e.level), @extschema@.l4_text_rank(e.raw)) >= 5 AND COALESCE(e.kind = ANY (p.known_kinds), true)
			THEN COALESCE(o.line_no, 0) ELSE GREATEST(o.line_no, o.mild_line_no, 0) END;
END;
COMMENT ON FUNCTION @extschema@.l4_news(text, boolean, @extschema@.l4_clock_offset[]) IS
'What is news in a job, one row a stream and shape (see l4_news_record): against the pool of l4_best_pool, or without one (use_pool false, or there is none) by severity, rarity and time. clocks: the result of l4_clock_offsets, where at hand. Reads the summaries of the job and the records it quotes.';
