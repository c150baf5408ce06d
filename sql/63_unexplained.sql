/*
 * Unexplained: the records of a job that successful jobs do not explain.
 *
 * With a pool a record is unexplained where
 *   new        its shape (and, below warning level, its event too) is not in the pool,
 *   new value  its shape is, but a parameter takes a value which the pool, that has few values there, never had,
 *   range      a number in it lies a hundredfold outside the range of the pool,
 *   storm      (a burst) a stream has it far more often than any stream of the pool had, also for the time that it ran,
 *   setup      before the job iterates a few units give a setting another value than all others do (with or without a pool).
 * Without a pool nothing can be subtracted: see 63_unexplained_alone.sql.
 */

CREATE TYPE @extschema@.l4_unexplained_record AS (
	stream_id bigint,
	source text,
	kind text,
	unit text,
	node text,
	rank int,
	shape_id bigint,
	event_id bigint,
	reason text,
	numbers jsonb,
	occurrences bigint,
	level text,
	gravity int,
	ending boolean,
	peer boolean,
	first_line bigint,
	last_line bigint,
	first_ts timestamptz,
	stage text,
	iteration bigint,
	role boolean,
	"position" int,
	value text,
	message text,
	attempt int,
	stamped boolean
);
COMMENT ON TYPE @extschema@.l4_unexplained_record IS
'A shape that is unexplained in one stream: where it stands (unit, node and rank as in l4_job_streams), why it is '
'unexplained (reason: new, new value, range, setup, storm, severe, follows; numbers: the facts of that), how often, how '
'grave by level and text, whether the text says that something was told to end (ending) or speaks of another one that went '
'away (peer), when and where first (first_ts is estimated from the records before it where it has no time of its own, '
'and corrected where its node''s clock is off: l4_clock_offsets), whether only few streams of a successful job have '
'that shape too (role), which parameter has which new value (position, value; NULL for other reasons), the text of '
'its first record (NULL past the first 500 of a job, those of rare shapes first), whether that bears a time of its own, or one '
'of a log collector that wrapped it (stamped; NULL where it was not read), and of a job of several attempts the one it is of '
'(attempt).';

CREATE FUNCTION @extschema@.l4_compared_pool(job_id text)
RETURNS TABLE (pool_id bigint, job_count int, fit double precision, settings jsonb, differs text[], known_kinds text[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
	SELECT b.pool_id, b.job_count, b.fit, b.settings, b.differs, CASE WHEN b.fit = 1 AND b.differs = '{}' THEN b.kinds
		ELSE '{}' END
	FROM @extschema@.l4_best_pool(l4_compared_pool.job_id) b;
END;
COMMENT ON FUNCTION @extschema@.l4_compared_pool(text) IS
'Step: The pool that a job is compared with (l4_best_pool), and the kinds of streams that it can judge (known_kinds): a '
'pool of similar settings only, or of jobs that had no such streams, cannot tell what is new from what is other.';

CREATE FUNCTION @extschema@.l4_other_pool_shapes(job_id text, pool_id bigint) RETURNS SETOF @extschema@.l4_pool_event
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	WITH member AS MATERIALIZED (
		SELECT EXISTS (SELECT FROM @extschema@.l4_pool_job m WHERE m.pool_id = l4_other_pool_shapes.pool_id
			AND m.job_id = l4_other_pool_shapes.job_id) AS here
	),
	own AS MATERIALIZED (
		SELECT s.shape_id FROM @extschema@.l4_job_shapes(l4_other_pool_shapes.job_id) s WHERE (SELECT m.here FROM member m)
	)
	SELECT p.* FROM @extschema@.l4_pool_event p
	WHERE p.pool_id = l4_other_pool_shapes.pool_id AND (p.job_count > 1 OR p.shape_id NOT IN (SELECT o.shape_id FROM own o));
END;
COMMENT ON FUNCTION @extschema@.l4_other_pool_shapes(text, bigint) IS
'Step: The shapes of a pool without those that the job alone brought to it, should it be of the pool.';

CREATE FUNCTION @extschema@.l4_word_runs(words text, limits @extschema@.l4_limits) RETURNS TABLE (run text, rest text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 ROWS 50
BEGIN ATOMIC
	-- each word between blanks of its own, so that a run is found wherever it stands
	SELECT DISTINCT r.run, replace(p.line, r.run, ' % ')
	FROM (SELECT ' ' || replace(l4_word_runs.words, ' ', '  ') || ' ' AS line,
		string_to_array(l4_word_runs.words, ' ') AS words) p
	CROSS JOIN LATERAL (
		SELECT ' ' || array_to_string(p.words[b.first:b.first + n.number - 1], '  ') || ' ' AS run
		FROM generate_series(1, cardinality(p.words)) b (first), generate_series(1, (limits).name_words::int) n (number)
		WHERE b.first + n.number - 1 <= cardinality(p.words)
			AND cardinality(p.words) BETWEEN n.number + (limits).name_beside_words AND (limits).name_line_words) r;
END;
COMMENT ON FUNCTION @extschema@.l4_word_runs(text, @extschema@.l4_limits) IS
'Step: Each run of up to name_words words of a line (l4_shape_words) beside which name_beside_words others stand, and the line '
'with "%" wherever the run stands. No row of lines of more than name_line_words.';

CREATE FUNCTION @extschema@.l4_two_name_frame(one text, other text, limits @extschema@.l4_limits) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	WITH line AS (
		SELECT string_to_array(one, ' ') AS a, string_to_array(other, ' ') AS b
	),
	same AS (
		SELECT l.*, (SELECT min(i) FROM generate_series(1, cardinality(a)) i WHERE a[i] IS DISTINCT FROM b[i]) AS first,
			(SELECT min(i) FROM generate_series(1, cardinality(a)) i
				WHERE a[cardinality(a) + 1 - i] IS DISTINCT FROM b[cardinality(b) + 1 - i]) - 1 AS tail
		FROM line l WHERE GREATEST(cardinality(a), cardinality(b)) <= (limits).name_line_words
	),
	middle AS (
		SELECT a[:first - 1] AS lead, a[cardinality(a) - tail + 1:] AS tail, a[first:cardinality(a) - tail] AS x,
			b[first:cardinality(b) - tail] AS y
		FROM same WHERE first + tail <= LEAST(cardinality(a), cardinality(b))
	),
	between AS (
		-- the longest run of words that both have in their midst: what stands before and behind it are the names
		SELECT m.lead, m.tail, m.x[i:i + n - 1] AS run
		-- no more than a name before it and a name behind it: few places are looked at
		FROM middle m, generate_series(2, LEAST((limits).name_words::int + 1, cardinality(m.x) - 1)) i,
			generate_series(GREATEST(1, cardinality(m.x) - i + 1 - (limits).name_words::int), cardinality(m.x) - i) n,
			generate_series(2, LEAST((limits).name_words::int + 1, cardinality(m.y) - n)) j
		WHERE cardinality(m.y) - j - n < (limits).name_words AND m.x[i:i + n - 1] = m.y[j:j + n - 1]
		ORDER BY n DESC, i, j LIMIT 1
	)
	SELECT array_to_string(b.lead || '%'::text || b.run || '%'::text || b.tail, ' ') FROM between b
	WHERE cardinality(b.lead || b.run || b.tail) >= (limits).name_beside_words;
END;
COMMENT ON FUNCTION @extschema@.l4_two_name_frame(text, text, @extschema@.l4_limits) IS
'Step: What two lines (l4_shape_words) have in common that differ in two places, by up to name_words words each: these as "%". '
'NULL where they differ otherwise, or have fewer than name_beside_words words in common.';

CREATE FUNCTION @extschema@.l4_named_variants(job_id text, lines text[], pool @extschema@.l4_pool_event[],
	limits @extschema@.l4_limits)
RETURNS TABLE (words text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 10
BEGIN ATOMIC
	-- Where each successful job says one thing, and not all the same, it is a name: of the job, its owner, its project. What
	-- the job at hand says there is its own, and nothing new. Only lines that begin or end as one of its do are looked at.
	WITH line AS MATERIALIZED (
		SELECT l.words, split_part(l.words, ' ', 1) AS first, split_part(l.words, ' ', -1) AS last
		FROM (SELECT DISTINCT o.words FROM unnest(l4_named_variants.lines) o (words) ORDER BY o.words
			LIMIT (limits).name_lines::int) l
	),
	member AS MATERIALIZED (
		SELECT m.job_id FROM @extschema@.l4_pool_job m
		WHERE m.pool_id = (l4_named_variants.pool[1]).pool_id AND m.job_id <> l4_named_variants.job_id
		ORDER BY m.job_id LIMIT (limits).name_jobs::int
	),
	other AS MATERIALIZED (
		SELECT s.shape_id, w.words
		FROM (SELECT o.shape_id, o.job_count, max(o.job_count) OVER () AS jobs FROM unnest(l4_named_variants.pool) o) p
		JOIN @extschema@.l4_shape s ON s.shape_id = p.shape_id
			AND s.shape_id = ANY (ARRAY(SELECT o.shape_id FROM unnest(l4_named_variants.pool) o))
		CROSS JOIN LATERAL string_to_table(s.shape, E'\n') l (line)
		CROSS JOIN LATERAL (SELECT @extschema@.l4_shape_words(l.line) AS words OFFSET 0) w
		WHERE p.job_count < p.jobs AND EXISTS (SELECT FROM line o
			WHERE o.first = split_part(w.words, ' ', 1) OR o.last = split_part(w.words, ' ', -1))
		ORDER BY s.shape_id, w.words LIMIT (limits).name_pool_lines::int
	),
	known AS MATERIALIZED (
		SELECT DISTINCT o.words, e.job_id
		FROM other o CROSS JOIN member m
		JOIN @extschema@.l4_pool_job_event e ON e.job_id = m.job_id AND e.shape_id = o.shape_id
	),
	place AS MATERIALIZED (
		SELECT r.rest FROM known k CROSS JOIN LATERAL @extschema@.l4_word_runs(k.words, limits) r
		GROUP BY r.rest
		HAVING count(DISTINCT (k.job_id, r.run)) = count(DISTINCT k.job_id)
			-- what all of them begin or end with is none of the name
			AND count(DISTINCT split_part(r.run, ' ', 2)) > 1 AND count(DISTINCT split_part(r.run, ' ', -2)) > 1
	),
	frame AS MATERIALIZED (
		-- a name and the queue that it is put into
		SELECT DISTINCT p.words, f.frame
		FROM (SELECT DISTINCT l.words, k.words AS other FROM line l
			JOIN known k ON split_part(k.words, ' ', 1) = l.first AND split_part(k.words, ' ', -1) = l.last
			ORDER BY l.words, k.words LIMIT (limits).name_pool_lines::int) p
		CROSS JOIN LATERAL (SELECT @extschema@.l4_two_name_frame(p.words, p.other, limits) AS frame OFFSET 0) f
		WHERE f.frame IS NOT NULL
	)
	SELECT l.words FROM line l CROSS JOIN LATERAL @extschema@.l4_word_runs(l.words, limits) r
	JOIN place p ON p.rest = r.rest
	UNION
	SELECT f.words FROM frame f
	WHERE EXISTS (SELECT FROM known k CROSS JOIN LATERAL (
			SELECT regexp_match(k.words, '^' || replace(f.frame, '%', '(.+)') || '$') AS name OFFSET 0) n
		WHERE k.words LIKE f.frame
		HAVING count(DISTINCT (k.job_id, k.words)) = count(DISTINCT k.job_id)
			AND count(DISTINCT split_part(n.name[1], ' ', 1)) > 1 AND count(DISTINCT split_part(n.name[1], ' ', -1)) > 1
			AND count(DISTINCT split_part(n.name[2], ' ', 1)) > 1 AND count(DISTINCT split_part(n.name[2], ' ', -1)) > 1);
END;
COMMENT ON FUNCTION @extschema@.l4_named_variants(text, text[], @extschema@.l4_pool_event[], @extschema@.l4_limits) IS
'Step: Which lines of a job (l4_shape_words) differ from lines of its pool only by a run of words (l4_word_runs), or by two of '
'them (l4_two_name_frame), where each job of the pool has one, and several have another one. Reads what each of the first '
'name_jobs jobs of the pool brought to it.';

CREATE FUNCTION @extschema@.l4_words_of_host(words text, hosts text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 50
RETURN substring(regexp_replace(regexp_replace(words, hosts, '%', 'g'), '%.*%', '%'),
	'^(?=.*%)(?=(?:% )*(?:[^% ]+ (?:% )*){4}).*$');
COMMENT ON FUNCTION @extschema@.l4_words_of_host(text, text) IS
'Step: A line (l4_shape_words) with "%" in place of the names of hosts, and of what stands between them (a pattern: a list of '
'hosts has another length in another job); NULL where it has none, or fewer than four other words.';

CREATE FUNCTION @extschema@.l4_strange_shapes(job_id text, pool @extschema@.l4_pool_event[], limits @extschema@.l4_limits)
RETURNS TABLE (shape_id bigint, shape text, event_id bigint, variant boolean)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	-- Lines whose words the pool knows are nothing new, with whatever signs and numbers, and however lines were folded into
	-- records there, and with another host's name within them, as the job ran on other machines; nor, unless they are grave,
	-- are variants: those that only have one word before them, of a header that was cut off there, or another name in them.
	WITH pool AS MATERIALIZED (
		SELECT p.shape_id FROM unnest(l4_strange_shapes.pool) p
	),
	pool_words AS MATERIALIZED (
		SELECT DISTINCT @extschema@.l4_shape_words(l.line) AS words
		FROM @extschema@.l4_shape s, LATERAL string_to_table(s.shape, E'\n') l (line)
		WHERE s.shape_id = ANY (ARRAY(SELECT p.shape_id FROM pool p))
	),
	candidate AS MATERIALIZED (
		SELECT s.shape_id, s.shape, s.event_id
		FROM @extschema@.l4_shape s
		WHERE s.shape_id = ANY (ARRAY(SELECT e.shape_id FROM @extschema@.l4_job_shapes(l4_strange_shapes.job_id) e
			WHERE NOT EXISTS (SELECT FROM pool p WHERE p.shape_id = e.shape_id)))
	),
	host AS MATERIALIZED (
		SELECT '\m(?:' || string_agg(DISTINCT w.part[1], '|') || ')\M' AS names
		FROM @extschema@.l4_job_row(l4_strange_shapes.job_id) j, unnest(j.nodes) n (node),
			regexp_matches(n.node, '[[:alpha:]]{2,}', 'g') w (part)
	),
	line AS MATERIALIZED (
		SELECT c.shape_id, w.words, r.words AS rest, f.*
		FROM host h, candidate c, string_to_table(c.shape, E'\n') l (line),
			LATERAL (SELECT @extschema@.l4_shape_words(l.line) AS words OFFSET 0) w,
			LATERAL (SELECT substring(w.words, '^\S+ ((?:\S+ ){5}.*)$') AS words OFFSET 0) r,
			LATERAL (SELECT @extschema@.l4_words_of_host(w.words, h.names) AS of_host,
				@extschema@.l4_words_of_host(r.words, h.names) AS rest_of_host OFFSET 0) f
		WHERE w.words <> ''
	),
	elsewhere AS MATERIALIZED (
		SELECT o.of_host FROM (SELECT l.of_host FROM line l UNION SELECT l.rest_of_host FROM line l) o WHERE EXISTS (
			-- by the first word first: of thousands of lines all pairs would take seconds
			SELECT FROM pool_words k
			WHERE split_part(k.words, ' ', 1) = split_part(o.of_host, ' ', 1) AND k.words LIKE o.of_host)
	),
	judged AS MATERIALIZED (
		SELECT l.shape_id, l.words, COALESCE(k.words, o.of_host) AS known, COALESCE(r.words, b.of_host) AS behind_header
		FROM line l LEFT JOIN pool_words k ON k.words = l.words LEFT JOIN pool_words r ON r.words = l.rest
		LEFT JOIN elsewhere o ON o.of_host = l.of_host LEFT JOIN elsewhere b ON b.of_host = l.rest_of_host
	),
	named AS MATERIALIZED (
		SELECT v.words FROM @extschema@.l4_named_variants(l4_strange_shapes.job_id,
			ARRAY(SELECT j.words FROM judged j WHERE j.known IS NULL), l4_strange_shapes.pool, l4_strange_shapes.limits) v
	),
	known AS (
		SELECT j.shape_id, count(*) > count(j.known) AS unknown,
			count(*) <= count(COALESCE(j.known, j.behind_header, n.words)) AS variant
		FROM judged j LEFT JOIN named n ON n.words = j.words
		GROUP BY j.shape_id
	)
	SELECT c.shape_id, c.shape, c.event_id, -- a command has the options of its job
		k.variant OR regexp_count(c.shape, '(^|[^[:alnum:]_-])-{2}[[:alpha:]]') >= (limits).command_options
	FROM candidate c JOIN known k ON k.shape_id = c.shape_id
	WHERE k.unknown;
END;
COMMENT ON FUNCTION @extschema@.l4_strange_shapes(text, @extschema@.l4_pool_event[], @extschema@.l4_limits) IS
'Step: The shapes of a job of which a pool knows neither the shape nor the words of each line; variant: but for a header or '
'names (l4_named_variants), or a command with its options, which is news only where it sounds of trouble.';

CREATE FUNCTION @extschema@.l4_unexplained_new(job_id text, pool_id bigint, pool @extschema@.l4_pool_event[],
	known_kinds text[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings) RETURNS SETOF @extschema@.l4_unexplained_shape
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH pool_event AS MATERIALIZED (
		SELECT DISTINCT COALESCE(s.event_id, p.event_id) AS event_id
		FROM unnest(l4_unexplained_new.pool) p
		LEFT JOIN @extschema@.l4_shape s ON s.shape_id = p.shape_id
			AND s.shape_id = ANY (ARRAY(SELECT o.shape_id FROM unnest(l4_unexplained_new.pool) o))
	),
	sounding AS MATERIALIZED (
		SELECT s.*, @extschema@.l4_text_gravity(s.shape, wordings) AS gravity
		FROM @extschema@.l4_strange_shapes(l4_unexplained_new.job_id, l4_unexplained_new.pool, limits) s
	),
	judged AS MATERIALIZED (
		-- what does not depend on the stream, once a shape, and only as far as it matters
		SELECT s.shape_id, s.gravity, s.variant, s.gravity < (limits).gravity_error
			AND s.shape ~ (wordings).advice AS advice,
			EXISTS (SELECT FROM pool_event p WHERE p.event_id = s.event_id) AS beside,
			EXISTS (SELECT FROM @extschema@.l4_pool_event o
				WHERE o.shape_id = s.shape_id AND o.pool_id <> l4_unexplained_new.pool_id) AS elsewhere,
			s.shape ~ (wordings).called_off AS called_off,
			s.gravity < (limits).gravity_trouble AND l4_unexplained_new.known_kinds IS NOT NULL
				AND (s.shape ~ (wordings).ending OR s.shape ~ (wordings).peer) AS follows
		FROM sounding s
	),
	entry AS (
		SELECT e.stream_id, e.shape_id, e.first_line, @extschema@.l4_level_rank(e.level) AS level_rank
		FROM @extschema@.l4_job_counts(l4_unexplained_new.job_id, NULL, ARRAY(SELECT j.shape_id FROM judged j)) e OFFSET 0
	)
	SELECT e.stream_id, e.shape_id, 'new', e.first_line, NULL::jsonb, NULL::int, NULL::text
	FROM judged s
	JOIN entry e ON e.shape_id = s.shape_id
	-- A statement that clustering puts beside one of the pool is nothing new, unless it is grave: a root cause may be meant.
	WHERE (GREATEST(e.level_rank, s.gravity) >= (limits).gravity_trouble OR s.called_off OR NOT s.beside AND NOT s.variant)
		-- nor what successful jobs of other settings log, nor advice to programmers
		AND NOT s.elsewhere AND NOT (e.level_rank < (limits).gravity_error AND s.advice)
		-- of streams that a pool of the same settings does not know, only what sounds of trouble
		AND (l4_unexplained_new.known_kinds IS NULL OR e.level_rank >= (limits).gravity_error
			OR s.gravity >= (limits).gravity_trouble OR s.follows OR e.stream_id IN (SELECT t.stream_id
				FROM @extschema@.l4_job_streams(l4_unexplained_new.job_id) t
					WHERE t.kind = ANY (l4_unexplained_new.known_kinds)));
END;
COMMENT ON FUNCTION @extschema@.l4_unexplained_new(text, bigint, @extschema@.l4_pool_event[], text[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: Statements that successful jobs do not log, per stream and shape. pool: l4_other_pool_shapes; known_kinds: the '
'kinds of streams that the pool can judge; of others only what is grave counts (NULL: it can judge all).';

CREATE FUNCTION @extschema@.l4_unexplained_bursts(job_id text, pool_id bigint, pool @extschema@.l4_pool_event[],
	limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_unexplained_shape
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH longest AS MATERIALIZED (
		SELECT EXTRACT(epoch FROM max(m.duration))::float8 AS seconds, count(*) AS jobs
		FROM @extschema@.l4_pool_job m WHERE m.pool_id = l4_unexplained_bursts.pool_id
			AND m.job_id <> l4_unexplained_bursts.job_id
	),
	entry AS (
		SELECT e.* FROM @extschema@.l4_job_counts(l4_unexplained_bursts.job_id,
			min_occurrences => (limits).unexplained_burst_records::bigint,
			levels => ARRAY(SELECT v.level FROM unnest(ARRAY['trace', 'debug', 'info', 'warning', 'error', 'fatal']) v (level)
				WHERE @extschema@.l4_level_rank(v.level) >= (limits).gravity_trouble)) e
	)
	SELECT e.stream_id, e.shape_id, 'storm', e.first_line,
		jsonb_build_object('times', e.occurrences, 'pool_times', p.max_per_stream), NULL::int, NULL::text
	FROM entry e
	JOIN unnest(l4_unexplained_bursts.pool) p ON p.shape_id = e.shape_id
	CROSS JOIN longest o
	-- what recurs all along a job that runs longer than the successful ones did is no burst
	WHERE e.occurrences > p.max_per_stream
		* @extschema@.l4_beyond_pool((limits).unexplained_burst_factor, o.jobs, limits)
		* GREATEST(1, CASE WHEN @extschema@.l4_clock_was_set(e.first_ts)
			THEN EXTRACT(epoch FROM e.last_ts - e.first_ts)::float8 END / NULLIF(o.seconds, 0));
END;
COMMENT ON FUNCTION @extschema@.l4_unexplained_bursts(text, bigint, @extschema@.l4_pool_event[], @extschema@.l4_limits) IS
'Step: Warnings and worse that a stream logs far more often than any stream of a successful job did, also for the time '
'that it ran. pool: l4_other_pool_shapes.';

CREATE FUNCTION @extschema@.l4_unexplained_by_pool(job_id text, pool_id bigint, known_kinds text[],
	unknown @extschema@.l4_unknown_value[], limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_unexplained_shape
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	pool @extschema@.l4_pool_event[] := ARRAY(SELECT p
		FROM @extschema@.l4_other_pool_shapes(l4_unexplained_by_pool.job_id, l4_unexplained_by_pool.pool_id) p);
BEGIN
	RETURN QUERY SELECT n.*
	FROM @extschema@.l4_unexplained_new(l4_unexplained_by_pool.job_id, l4_unexplained_by_pool.pool_id, pool,
		l4_unexplained_by_pool.known_kinds, limits, wordings) n;
	RETURN QUERY SELECT b.* FROM @extschema@.l4_unexplained_bursts(l4_unexplained_by_pool.job_id,
		l4_unexplained_by_pool.pool_id, pool, limits) b;
	RETURN QUERY SELECT v.* FROM @extschema@.l4_unexplained_values(l4_unexplained_by_pool.job_id, unknown, limits, wordings) v
	WHERE v.shape_id IN (SELECT p.shape_id FROM unnest(pool) p)
		-- l4_outcomes_alike
		OR v.shape_id NOT IN (SELECT p.shape_id FROM @extschema@.l4_pool_event p
			WHERE p.pool_id = l4_unexplained_by_pool.pool_id);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_unexplained_by_pool(text, bigint, text[], @extschema@.l4_unknown_value[],
	@extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: What a job logs that a pool does not explain: per stream and shape the reason, the line where it shows first and '
'the numbers. known_kinds as for l4_unexplained_new; unknown: the result of l4_unknown_values.';

CREATE FUNCTION @extschema@.l4_unexplained_roles(shapes @extschema@.l4_unexplained_shape[], pool_id bigint,
	limits @extschema@.l4_limits)
RETURNS TABLE (shape_id bigint, event_id bigint, reason text, role boolean)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH share AS MATERIALIZED (
		SELECT p.shape_id, p.event_id, p.stream_share FROM @extschema@.l4_pool_event p
			WHERE p.pool_id = l4_unexplained_roles.pool_id
	),
	beside AS (
		SELECT o.event_id, max(o.stream_share) AS stream_share FROM share o GROUP BY o.event_id
	)
	-- a role's statement, or one that clustering puts beside such (the first NaN that rank 0 reports)
	SELECT f.shape_id, s.event_id, f.reason,
		COALESCE(GREATEST(p.stream_share, v.stream_share) <= (limits).unexplained_role_share, false)
	FROM (SELECT DISTINCT f.shape_id, f.reason FROM unnest(l4_unexplained_roles.shapes) f) f
	JOIN @extschema@.l4_shape s ON s.shape_id = f.shape_id
		AND s.shape_id = ANY (ARRAY(SELECT DISTINCT o.shape_id FROM unnest(l4_unexplained_roles.shapes) o))
	LEFT JOIN share p ON p.shape_id = f.shape_id
	LEFT JOIN beside v ON v.event_id = s.event_id AND f.reason = 'new';
END;
COMMENT ON FUNCTION @extschema@.l4_unexplained_roles(@extschema@.l4_unexplained_shape[], bigint, @extschema@.l4_limits) IS
'Step: Of unexplained shapes their event, and whether only few streams of successful jobs have them, as the business of a '
'role.';

CREATE FUNCTION @extschema@.l4_unexplained_entries(job_id text, found @extschema@.l4_unexplained_shape[], pool_id bigint,
	limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_unexplained_record
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	WITH chosen AS MATERIALIZED (
		-- one row a stream and shape: the first reason in this order
		SELECT DISTINCT ON (f.stream_id, f.shape_id) f.*
		FROM unnest(l4_unexplained_entries.found) f
		ORDER BY f.stream_id, f.shape_id,
			array_position(ARRAY['new', 'severe', 'follows', 'new value', 'range', 'storm', 'setup'], f.reason), f.line_no,
			f.position, f.value COLLATE "C"
	),
	counted AS MATERIALIZED (
		SELECT e.* FROM @extschema@.l4_job_counts(l4_unexplained_entries.job_id, ARRAY(SELECT DISTINCT c.stream_id
			FROM chosen c),
			ARRAY(SELECT DISTINCT c.shape_id FROM chosen c)) e
	)
	SELECT f.stream_id, t.source, t.kind, t.unit, t.node, t.rank, f.shape_id, r.event_id, f.reason, f.numbers, e.occurrences,
		e.level,
		@extschema@.l4_level_rank(e.level), false, false, f.line_no, e.last_line, CASE
			WHEN e.first_line = f.line_no THEN e.first_ts END,
		e.stage, e.first_iteration, r.role, f.position, f.value, NULL::text, NULL::int, NULL::boolean
	FROM chosen f
	JOIN counted e ON e.stream_id = f.stream_id AND e.shape_id = f.shape_id
	JOIN @extschema@.l4_job_streams(l4_unexplained_entries.job_id) t ON t.stream_id = f.stream_id
	JOIN @extschema@.l4_unexplained_roles(l4_unexplained_entries.found, l4_unexplained_entries.pool_id,
		l4_unexplained_entries.limits) r
		ON r.shape_id = f.shape_id AND r.reason = f.reason;
END;
COMMENT ON FUNCTION @extschema@.l4_unexplained_entries(text, @extschema@.l4_unexplained_shape[], bigint,
	@extschema@.l4_limits) IS
'Step: Unexplained shapes as records, one a stream and shape, before any text is read: gravity by the level alone, '
'first_ts only where the counts know the time of that very record.';

CREATE FUNCTION @extschema@.l4_unexplained_texts(job_id text, stream_ids bigint[], shape_ids bigint[], line_nos bigint[],
	most double precision)
RETURNS TABLE (stream_id bigint, shape_id bigint, line_no bigint, ts timestamptz, iteration bigint, stage text, raw text,
	stamped boolean)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 500
BEGIN ATOMIC
	WITH quoted AS (
		-- those of rare shapes first
		SELECT e.stream_id, e.line_no FROM (
			SELECT e.stream_id, e.line_no, row_number() OVER (PARTITION BY e.shape_id
				ORDER BY e.stream_id, e.line_no) AS turn
			FROM unnest(l4_unexplained_texts.stream_ids, l4_unexplained_texts.shape_ids, l4_unexplained_texts.line_nos)
				e (stream_id, shape_id, line_no)) e
		ORDER BY e.turn, e.stream_id, e.line_no
		LIMIT l4_unexplained_texts.most::bigint
	)
	SELECT DISTINCT ON (r.stream_id, r.line_no, r.shape_id) r.stream_id, r.shape_id, r.line_no, r.ts, r.iteration, r.stage,
		@extschema@.l4_set_out(r.raw),
		r.wrapped OR (@extschema@.l4_parse(split_part(r.raw, E'\n', 1))).time IS NOT NULL
	FROM (SELECT array_agg(q.stream_id) AS stream_ids, array_agg(q.line_no) AS line_nos FROM quoted q) q,
		LATERAL @extschema@.l4_records_at(l4_unexplained_texts.job_id, q.stream_ids, q.line_nos) r
	ORDER BY r.stream_id, r.line_no, r.shape_id, r.part;
END;
COMMENT ON FUNCTION @extschema@.l4_unexplained_texts(text, bigint[], bigint[], bigint[], double precision) IS
'Step: The first records of unexplained shapes (three arrays of one length: stream, shape, line) as they stand in the '
'files, but for a traceback that is set in (l4_set_out), most of them at most.';

CREATE FUNCTION @extschema@.l4_unexplained_records(job_id text, shapes @extschema@.l4_unexplained_shape[], pool_id bigint,
	clocks @extschema@.l4_clock_offset[], limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_unexplained_record
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 1000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	source_clocks @extschema@.l4_source_clock[] := ARRAY(SELECT c
		FROM @extschema@.l4_source_clocks(l4_unexplained_records.job_id, limits) c);
BEGIN
	RETURN QUERY
	WITH entry AS MATERIALIZED (
		SELECT e.* FROM @extschema@.l4_unexplained_entries(l4_unexplained_records.job_id, l4_unexplained_records.shapes,
			l4_unexplained_records.pool_id, limits) e
	),
	clock AS MATERIALIZED (
		SELECT s.stream_id, s.source_id, c.lines, c.times
		FROM unnest(source_clocks) c JOIN @extschema@.l4_job_streams(l4_unexplained_records.job_id) s
			ON s.source_id = c.source_id
	),
	text AS MATERIALIZED (
		SELECT t.*
		FROM (SELECT array_agg(e.stream_id) AS stream_ids, array_agg(e.shape_id) AS shape_ids,
			array_agg(e.first_line) AS line_nos
			FROM entry e) a
		CROSS JOIN LATERAL @extschema@.l4_unexplained_texts(l4_unexplained_records.job_id, a.stream_ids, a.shape_ids,
			a.line_nos, (limits).unexplained_quotes) t
	),
	before AS MATERIALIZED (
		SELECT b.*
		FROM (SELECT array_agg(e.stream_id) AS stream_ids, array_agg(e.first_line) AS line_nos FROM entry e
			WHERE e.first_ts IS NULL AND e.stream_id NOT IN (SELECT c.stream_id FROM clock c)) w
		CROSS JOIN LATERAL @extschema@.l4_job_times_before(l4_unexplained_records.job_id, w.stream_ids, w.line_nos) b
	),
	told AS (
		SELECT e.*, x.raw, x.stamped AS told_stamped, coalesce(x.stage, e.stage) AS told_stage,
			coalesce(x.iteration, e.iteration) AS told_iteration,
			coalesce(x.ts, e.first_ts, b.ts) - coalesce(k.ahead, '0') AS own_ts, coalesce(z.ahead, '0') AS ahead, c.source_id,
			l.ts AS least_ts, CASE WHEN e.first_line < c.lines[1] THEN '-infinity' ELSE l.ts END AS since_ts,
			@extschema@.l4_time_by(e.first_line, c.lines, c.times) AS most_ts,
			e.first_line <> ALL (c.lines) AND (coalesce(x.ts, e.first_ts) > l.ts) IS NOT TRUE
				AND x.stamped IS NOT TRUE AS bare,
			coalesce(t.told ~ (wordings).ending, false) AS told_ending,
			coalesce(t.told ~ (wordings).peer AND x.raw !~ (wordings).own_child, false) AS told_peer,
			greatest(e.gravity, @extschema@.l4_text_gravity(t.told, wordings)) AS told_gravity
		FROM entry e
		LEFT JOIN @extschema@.l4_zone_shifts(l4_unexplained_records.job_id, limits) z ON z.stream_id = e.stream_id
		LEFT JOIN clock c ON c.stream_id = e.stream_id
		LEFT JOIN text x ON x.stream_id = e.stream_id AND x.line_no = e.first_line AND x.shape_id = e.shape_id
		LEFT JOIN unnest(l4_unexplained_records.clocks) k ON k.node = e.unit
		LEFT JOIN before b ON b.stream_id = e.stream_id AND b.line_no = e.first_line
		CROSS JOIN LATERAL (SELECT @extschema@.l4_told_text(x.raw) AS told OFFSET 0) t
		CROSS JOIN LATERAL (SELECT @extschema@.l4_time_at(e.first_line, c.lines, c.times) AS ts OFFSET 0) l
	),
	placed AS (
		-- Lines of one file are in order, whatever clocks their labels go by. Who lost a peer was kept waiting: without a stamp
		-- of its own that came at the end of what its file says no time of, and so did what comes behind it. Else the record's
		-- own time, if it lies between those that its file tells, else the latest before it; all in the zone of the ranks.
		SELECT t.*, CASE WHEN t.source_id IS NULL OR t.within THEN t.own_ts
			WHEN t.bare AND bool_or(t.bare AND t.told_peer) OVER w THEN coalesce(t.most_ts, t.least_ts)
			ELSE COALESCE(greatest(NULLIF(t.since_ts, '-infinity'), max(t.own_ts) FILTER (WHERE t.within) OVER w),
				least(t.own_ts, t.least_ts)) END - t.ahead AS told_ts
		FROM (SELECT t.*, (t.told_stamped AND t.own_ts >= t.since_ts AND t.own_ts <= COALESCE(t.most_ts, 'infinity')) IS TRUE
			AS within FROM told t) t WINDOW w AS (PARTITION BY t.source_id, t.least_ts ORDER BY t.first_line)
	)
	SELECT e.stream_id, e.source, e.kind, e.unit, e.node, e.rank, e.shape_id, e.event_id, e.reason, e.numbers, e.occurrences,
		e.level, e.told_gravity, e.told_ending, e.told_peer, e.first_line, e.last_line,
		CASE WHEN @extschema@.l4_clock_was_set(e.told_ts) THEN e.told_ts END, e.told_stage, e.told_iteration, e.role,
		e.position, e.value, e.raw, e.attempt, e.told_stamped
	FROM placed e;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_unexplained_records(text, @extschema@.l4_unexplained_shape[], bigint,
	@extschema@.l4_clock_offset[], @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Unexplained shapes as records (l4_unexplained_entries) with their texts, what these say, and their times.';

CREATE FUNCTION @extschema@.l4_unexplained_blocks(unexplained @extschema@.l4_unexplained_record[],
	limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_unexplained_record
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	-- What is printed in several lines without a header of their own ("A peer has disconnected. / Local host / Peer host")
	-- is one statement: if a line of it speaks of another process, so do those beside it; one that tells of trouble itself,
	-- only where it comes behind.
	WITH line AS MATERIALIZED (
		SELECT r.stream_id, r.first_line, r.shape_id, r.peer, r.gravity,
			r.level IS NOT NULL OR r.kind = 'system' OR r.first_line - lag(r.last_line) OVER w
				<= (limits).unexplained_block_lines IS NOT TRUE AS begins
		FROM unnest(l4_unexplained_blocks.unexplained) r
		-- where nobody speaks of another process, nobody's words spread
		WHERE r.stream_id IN (SELECT o.stream_id FROM unnest(l4_unexplained_blocks.unexplained) o GROUP BY o.stream_id
			HAVING bool_or(o.peer) AND bool_or(o.level IS NULL AND o.kind <> 'system'))
		WINDOW w AS (PARTITION BY r.stream_id ORDER BY r.first_line, r.shape_id)
	),
	block AS (
		SELECT l.*, count(*) FILTER (WHERE l.begins) OVER (PARTITION BY l.stream_id ORDER BY l.first_line, l.shape_id) AS block
		FROM line l WHERE l.stream_id IN (SELECT o.stream_id FROM line o WHERE NOT o.begins)
	),
	spoken AS (
		SELECT b.stream_id, b.shape_id, b.gravity < (limits).gravity_trouble AND bool_or(b.peer) OVER (PARTITION BY b.stream_id,
				b.block)
			OR b.gravity < (limits).gravity_error AND bool_or(b.peer) OVER (PARTITION BY b.stream_id, b.block
				ORDER BY b.first_line, b.shape_id) AS peer
		FROM block b
	)
	SELECT r.stream_id, r.source, r.kind, r.unit, r.node, r.rank, r.shape_id, r.event_id, r.reason, r.numbers, r.occurrences,
		r.level, r.gravity, r.ending, r.peer OR s.stream_id IS NOT NULL, r.first_line, r.last_line, r.first_ts, r.stage,
		r.iteration, r.role, r.position, r.value, r.message, r.attempt, r.stamped
	FROM unnest(l4_unexplained_blocks.unexplained) r
	LEFT JOIN spoken s ON s.peer AND s.stream_id = r.stream_id AND s.shape_id = r.shape_id;
END;
COMMENT ON FUNCTION @extschema@.l4_unexplained_blocks(@extschema@.l4_unexplained_record[], @extschema@.l4_limits) IS
'Step: Unexplained records, of which those that lie in one block of lines without headers speak of another process (peer) '
'where one of them does, unless they are grave themselves.';

CREATE FUNCTION @extschema@.l4_closed_connections(unexplained @extschema@.l4_unexplained_record[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS TABLE (stream_id bigint, shape_id bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH failed AS MATERIALIZED (
		SELECT min(r.first_ts) AS ts FROM unnest(l4_closed_connections.unexplained) r
		WHERE r.gravity >= (limits).gravity_error
	)
	SELECT r.stream_id, r.shape_id
	FROM unnest(l4_closed_connections.unexplained) r
	JOIN failed f ON f.ts <= r.first_ts
	JOIN @extschema@.l4_shape h ON h.shape_id = r.shape_id AND h.shape ~ (l4_closed_connections.wordings).connections
	WHERE r.reason = 'new value' AND @extschema@.l4_level_rank(r.level) < (limits).gravity_trouble;
END;
COMMENT ON FUNCTION @extschema@.l4_closed_connections(@extschema@.l4_unexplained_record[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: Unexplained records that only count what became of a machine''s connections (wordings of class connections) once an '
'error was logged: who fails closes those of all others, which then tell nothing of their own machine.';

CREATE FUNCTION @extschema@.l4_parted_tracebacks(unexplained @extschema@.l4_unexplained_record[],
	wordings @extschema@.l4_wordings)
RETURNS TABLE (stream_id bigint, shape_id bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	-- Lines of a traceback are one record where they follow one another. In a file that processes share those of others may
	-- come between: then each line is a statement that nobody else makes, and all of them only lead to the exception.
	WITH line AS MATERIALIZED (
		SELECT r.stream_id, r.shape_id, r.first_line, h.shape ~ (l4_parted_tracebacks.wordings).traceback AS heads,
			h.shape ~ (l4_parted_tracebacks.wordings).traceback_line AS below
		FROM unnest(l4_parted_tracebacks.unexplained) r
		JOIN @extschema@.l4_shape h ON h.shape_id = r.shape_id
			AND h.shape_id = ANY (ARRAY(SELECT o.shape_id FROM unnest(l4_parted_tracebacks.unexplained) o))
		WHERE r.level IS NULL
	),
	traceback AS (
		-- which heading stands before a line, and which line that is neither behind it: the exception, where nothing is between
		SELECT l.*, max(l.first_line) FILTER (WHERE l.heads) OVER before AS heading,
			max(l.first_line) FILTER (WHERE NOT l.heads AND NOT l.below) OVER before AS other,
			min(l.first_line) FILTER (WHERE NOT l.heads AND NOT l.below) OVER behind AS exception
		FROM line l
		WINDOW before AS (PARTITION BY l.stream_id ORDER BY l.first_line, l.shape_id),
			behind AS (PARTITION BY l.stream_id ORDER BY l.first_line DESC, l.shape_id DESC)
	)
	SELECT t.stream_id, t.shape_id FROM traceback t
	WHERE (t.heads OR t.below) AND t.heading > COALESCE(t.other, 0) AND t.exception IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_parted_tracebacks(@extschema@.l4_unexplained_record[], @extschema@.l4_wordings) IS
'Step: Unexplained records that are the heading of a traceback alone, or a line below one (wordings of classes traceback and '
'traceback_line), as lines of other processes came between, where their stream says more behind them: the exception.';

CREATE FUNCTION @extschema@.l4_outlived_fatal(job_id text, unexplained @extschema@.l4_unexplained_record[],
	limits @extschema@.l4_limits) RETURNS TABLE (stream_id bigint, line_no bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH grave AS MATERIALIZED (
		SELECT r.stream_id, min(r.last_line) AS line_no FROM unnest(l4_outlived_fatal.unexplained) r
		WHERE r.kind = 'rank' AND r.gravity >= (limits).gravity_fatal GROUP BY r.stream_id
	),
	asked AS MATERIALIZED (
		-- most say it as their last word
		SELECT g.stream_id FROM grave g
		JOIN @extschema@.l4_job_streams(l4_outlived_fatal.job_id, ARRAY(SELECT o.stream_id FROM grave o)) s
			ON s.stream_id = g.stream_id
		WHERE g.line_no + (limits).progress_iterations < s.record_count
	)
	SELECT p.* FROM @extschema@.l4_own_progress(l4_outlived_fatal.job_id, ARRAY(SELECT a.stream_id FROM asked a), limits) p;
END;
COMMENT ON FUNCTION @extschema@.l4_outlived_fatal(text, @extschema@.l4_unexplained_record[], @extschema@.l4_limits) IS
'Step: l4_own_progress of the ranks that say something fatal, but not as their last word. Of a file that ranks share none: '
'there lines do not tell how much of a stream is left.';

CREATE FUNCTION @extschema@.l4_last_exceptions(job_id text, unexplained @extschema@.l4_unexplained_record[],
	wordings @extschema@.l4_wordings) RETURNS TABLE (stream_id bigint, shape_id bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH exception AS MATERIALIZED (
		SELECT r.stream_id, r.shape_id, r.last_line
		FROM unnest(l4_last_exceptions.unexplained) r JOIN @extschema@.l4_shape h ON h.shape_id = r.shape_id
		WHERE r.kind = 'rank' AND h.shape ~ (wordings).exception
	)
	SELECT x.stream_id, x.shape_id
	FROM exception x
	JOIN @extschema@.l4_job_last_lines(l4_last_exceptions.job_id, ARRAY(SELECT DISTINCT o.stream_id FROM exception o)) l
		ON l.stream_id = x.stream_id AND l.last_line <= x.last_line;
END;
COMMENT ON FUNCTION @extschema@.l4_last_exceptions(text, @extschema@.l4_unexplained_record[], @extschema@.l4_wordings) IS
'Step: The exceptions that are the last words of a rank: it ended with them, and did not come back, whatever the others went '
'on with.';

CREATE FUNCTION @extschema@.l4_unexplained(job_id text, use_pool boolean DEFAULT true,
	clocks @extschema@.l4_clock_offset[] DEFAULT NULL,
	limits @extschema@.l4_limits DEFAULT NULL, wordings @extschema@.l4_wordings DEFAULT NULL,
	attempts @extschema@.l4_attempt[] DEFAULT NULL, alike @extschema@.l4_alike_value[] DEFAULT NULL)
		RETURNS SETOF @extschema@.l4_unexplained_record
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
-- There may be tens of thousands of records, which the planner takes for a few after some steps: its loops over all pairs would
-- take minutes.
SET enable_nestloop = off
SET max_parallel_workers_per_gather = 0
AS $$
#variable_conflict use_column
DECLARE
	pool record;
	usual @extschema@.l4_usual_value[];
	unknown @extschema@.l4_unknown_value[];
	found @extschema@.l4_unexplained_shape[];
	records @extschema@.l4_unexplained_record[];
BEGIN
	l4_unexplained.limits := coalesce(l4_unexplained.limits, @extschema@.l4_limits_in_force());
	l4_unexplained.wordings := coalesce(l4_unexplained.wordings, @extschema@.l4_wordings_in_force());
	l4_unexplained.clocks := coalesce(l4_unexplained.clocks,
		ARRAY(SELECT k FROM @extschema@.l4_clock_offsets(l4_unexplained.job_id, limits) k));
	l4_unexplained.attempts := coalesce(l4_unexplained.attempts,
		ARRAY(SELECT a FROM @extschema@.l4_job_attempts(l4_unexplained.job_id, limits, wordings) a));
	SELECT p.* INTO pool FROM @extschema@.l4_compared_pool(l4_unexplained.job_id) p WHERE use_pool;
	l4_unexplained.alike := coalesce(l4_unexplained.alike,
		ARRAY(SELECT a FROM @extschema@.l4_setup_alike(l4_unexplained.job_id, limits, wordings) a));
	usual := ARRAY(SELECT u FROM @extschema@.l4_usual_values(l4_unexplained.job_id, pool.pool_id, l4_unexplained.alike, limits,
		wordings) u);
	unknown := ARRAY(SELECT u FROM @extschema@.l4_unknown_values(l4_unexplained.job_id, pool.pool_id, usual, limits,
		wordings) u);
	IF pool.pool_id IS NOT NULL THEN
		found := ARRAY(SELECT f FROM @extschema@.l4_unexplained_by_pool(l4_unexplained.job_id, pool.pool_id, pool.known_kinds,
			unknown, limits, wordings) f);
	ELSE
		found := ARRAY(SELECT f FROM @extschema@.l4_unexplained_without_pool(l4_unexplained.job_id, attempts, limits,
			wordings) f);
	END IF;
	found := found || ARRAY(SELECT s FROM @extschema@.l4_unexplained_setup(l4_unexplained.job_id, usual, unknown, limits) s);
	records := ARRAY(SELECT r FROM @extschema@.l4_unexplained_records(l4_unexplained.job_id, found, pool.pool_id,
		l4_unexplained.clocks, limits, wordings) r);
	records := ARRAY(SELECT r FROM unnest(records) r WHERE (r.stream_id, r.shape_id) NOT IN (SELECT c.stream_id, c.shape_id
		FROM @extschema@.l4_closed_connections(records, limits, wordings) c
		UNION ALL SELECT p.stream_id, p.shape_id FROM @extschema@.l4_parted_tracebacks(records, wordings) p));
	IF cardinality(attempts) > 0 THEN
		RETURN QUERY SELECT b.* FROM @extschema@.l4_unexplained_blocks(ARRAY(
			SELECT r FROM @extschema@.l4_attempt_records(l4_unexplained.job_id, records, attempts, pool.known_kinds, limits) r),
			limits) b;
		RETURN;
	END IF;
	records := ARRAY(
		SELECT r
		FROM unnest(records) r
		LEFT JOIN (SELECT j.stream_id, j.last_iteration IS NOT NULL AS counts
			FROM @extschema@.l4_job_streams(l4_unexplained.job_id, ARRAY(SELECT DISTINCT u.stream_id FROM unnest(records) u
				WHERE u.kind = 'shared')) j) s ON s.stream_id = r.stream_id
		LEFT JOIN @extschema@.l4_progress_marks(l4_unexplained.job_id, pool.pool_id, limits, wordings) m
			ON m.stream_id = r.stream_id
		LEFT JOIN @extschema@.l4_outlived_fatal(l4_unexplained.job_id, records, limits) o ON o.stream_id = r.stream_id
		WHERE (r.stream_id, r.shape_id) IN (SELECT t.stream_id, t.shape_id
				FROM @extschema@.l4_last_exceptions(l4_unexplained.job_id, records, wordings) t)
			OR NOT (r.reason IN ('new', 'new value')
			AND @extschema@.l4_is_outlived(r.kind, s.counts, r.gravity, coalesce(r.kind = ANY (pool.known_kinds), true),
				r.last_line, m.line_no, m.mild_line_no, o.line_no, limits)));
	-- what is said of the set-up after an error may be part of that
	RETURN QUERY
	SELECT b.* FROM @extschema@.l4_unexplained_blocks(records, limits) b
	WHERE b.reason <> 'setup' OR NOT EXISTS (SELECT FROM unnest(records) e
		WHERE e.reason <> 'setup' AND e.gravity >= (limits).gravity_error AND e.stream_id = b.stream_id
			AND e.first_line < b.first_line);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_unexplained(text, boolean, @extschema@.l4_clock_offset[], @extschema@.l4_limits,
	@extschema@.l4_wordings, @extschema@.l4_attempt[], @extschema@.l4_alike_value[]) IS
'Step: What successful jobs do not explain of a job, one row a stream and shape (see l4_unexplained_record): against the '
'pool of l4_best_pool, or without one (use_pool false, or there is none) by severity, rarity and time; without what the '
'job outlived. clocks: the result of l4_clock_offsets; limits, wordings: those in force; attempts: l4_job_attempts; alike: '
'l4_setup_alike; where at hand. Reads the summaries of the job and the records it quotes.';
