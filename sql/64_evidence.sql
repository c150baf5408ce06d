/*
 * Which node? Evidence of several kinds: each kind one function and one file (64_evidence_<kind>.sql), which says what it found
 * as numbers; l4_node_evidence gathers them, l4_suspect_nodes adds up their weights, l4_evidence_sentence finds the words.
 *
 * The faulty node is often the quiet one (killed, powered off, stopped), everyone accuses a neighbour, and the loudest lines
 * come from the victims. So counts of error lines point the wrong way, and evidence is read instead:
 *   missing   the scheduler lists the node, but it has no logs
 *   silent    all that the node logs, its system log too, ends before the others'
 *   quiet     the ranks of other nodes log their failure, those of this node stop without a word; or one rank beside live ones
 *   named     a collector or controller, which stands on no node, names the node in its unexplained records
 *   accused   other nodes' records name it and it names nobody: in a ring everyone is accused, but only one accuses nobody
 *   first     unexplained records of its own (naming no other node) before the failure shows anywhere else
 *   own       the same, later
 *   lag       its last iteration is behind that of the others
 *   behind    half of the nodes or more got a step further within the iteration
 *   late      it came late to the last step of an iteration that all reached
 *   counter   a number in its system log (errors, retransmissions) grew far more than on the other nodes
 *   slow      its own durations stand out from the other nodes', or became longer when the job's steps did; or it waits far
 *             less than they do
 *   between   around a ring some wait to receive and others to send, and it lies between these
 *   elsewhere it alone is not in the calls in which all others stand, or in the collective they wait for
 *   link      something is broken between it and another one: they accuse only each other, or a counter towards it grew
 *   setup     it is set up differently: before the job iterates it has another version, size or endpoint than all others
 *   forest    the Isolation Forest over counts of unexplained records sets it apart
 * What most nodes have alike is no evidence against any of them; of what more than two fifths of the nodes do nobody can say
 * who is healthy. What is compared are units: nodes, or the ranks themselves where their nodes are not known.
 *
 * A further kind is a function with rows of l4_evidence, a line in l4_node_evidence, a row weight_<kind> of l4_limit and a
 * branch of l4_evidence_sentence; test/sql/evidence_kinds.sql shows each kind alone.
 */

CREATE TYPE @extschema@.l4_evidence AS (
	unit text,
	node text,
	rank int,
	kind text,
	part double precision,
	weight double precision,
	limit_name text,
	numbers jsonb,
	shape_id bigint,
	stream_id bigint,
	line_no bigint,
	first_ts timestamptz
);
COMMENT ON TYPE @extschema@.l4_evidence IS
'One piece of evidence against a unit: its node (NULL where it is a rank of which no node is known) and, where it is about '
'one rank, that; the kind; how much of the kind''s weight it has (part, 0 to 1 but for forest), and the weight that makes '
'(NULL until l4_node_evidence weighs it); the limit that it passed; the numbers that it rests on; the statement that it is '
'about; and where and when it shows first.';

CREATE TYPE @extschema@.l4_placed_record AS (
	turn bigint,
	unit text,
	node text,
	rank int,
	kind text,
	source text,
	stream_id bigint,
	shape_id bigint,
	first_line bigint,
	first_ts timestamptz,
	units bigint,
	units_alike bigint,
	accuses boolean,
	trouble boolean,
	grave boolean,
	peer boolean,
	alike text,
	path text,
	stage text,
	by_itself boolean,
	for_all boolean,
	survived boolean,
	iteration bigint,
	valued boolean
);
COMMENT ON TYPE @extschema@.l4_placed_record IS
'An unexplained record of a unit, as evidence is read from it (l4_placed_records): its turn in time among all of them, '
'where it stands, how many units there are and how many have the like of it, whether it names another unit (accuses), '
'tells of trouble (trouble) or of an error (grave), or merely of another one that went away (peer); what it is like '
'(alike), which file it names (path), in which stage its stream was, whether it is an error that may have '
'no other cause than its own rank (by_itself: of no other unit and of nothing that ranks do together; a '
'rank''s, or an exception), and whether it may speak for all (for_all: a rank that alone logs at all says so, and it is no '
'exception or crash, which any rank would print), whether its rank went on after it (survived), the iteration that '
'its stream was in, and whether it is a statement that successful jobs log, too, with other values (valued).';

CREATE FUNCTION @extschema@.l4_told_path(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 50
BEGIN ATOMIC
	SELECT p.path
	FROM (SELECT substring(substring(l4_told_path.message, '([^\n]*\S[^\n]*)\s*$'),
		'(?:^|[\s''"=:(])((?:/[[:alnum:]_.@+-]+){2,})(?=$|[\s''",;:)\]])') AS path OFFSET 0) p
	WHERE p.path !~ '\.(py|cc?|cpp|cxx|cu|hh?|hpp|rb|m?js|ts|go|rs|java|scala|kt|jl|pl|php|lua|cs)$';
END;
COMMENT ON FUNCTION @extschema@.l4_told_path(text) IS
'Step: the first file that the last line of a message names, by its path of two parts or more; NULL where it names none, or '
'a source file.';

CREATE FUNCTION @extschema@.l4_spokesmen(streams @extschema@.l4_job_stream[], unexplained @extschema@.l4_unexplained_record[],
	limits @extschema@.l4_limits) RETURNS TABLE (unit text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	WITH odd AS (
		SELECT r.stream_id, sum(r.occurrences) AS records FROM unnest(l4_spokesmen.unexplained) r GROUP BY r.stream_id
	),
	speaker AS MATERIALIZED (
		SELECT s.unit, bool_or(s.last_iteration IS NOT NULL) AS iterates,
			sum(s.record_count - COALESCE(o.records, 0))::float8 AS records
		FROM unnest(l4_spokesmen.streams) s LEFT JOIN odd o ON o.stream_id = s.stream_id
		WHERE s.kind = 'rank' AND s.unit IS NOT NULL
		GROUP BY s.unit
	),
	middle AS MATERIALIZED (
		SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY p.records) AS records,
			count(*) FILTER (WHERE p.iterates) AS iterating, count(*) AS units FROM speaker p
	)
	SELECT t.unit
	FROM (
		SELECT p.unit, count(*) OVER () AS speakers, m.units FROM speaker p, middle m
		WHERE CASE WHEN m.iterating > 0 THEN p.iterates
			ELSE p.records > (l4_spokesmen.limits).evidence_spokesman_factor * m.records END) t
	WHERE t.speakers <= t.units * (l4_spokesmen.limits).evidence_spokesman_share;
END;
COMMENT ON FUNCTION @extschema@.l4_spokesmen(@extschema@.l4_job_stream[], @extschema@.l4_unexplained_record[],
	@extschema@.l4_limits) IS
'Step: the units that speak for all: few ranks alone mark iterations, or, where none does, log many times as much as the '
'others that successful jobs log, too. No row where more than evidence_spokesman_share do.';

CREATE FUNCTION @extschema@.l4_told_to_end(unexplained @extschema@.l4_unexplained_record[], units @extschema@.l4_unit[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	WITH record AS MATERIALIZED (
		SELECT (e.record).unit, (e.record).source, (e.record).first_line, (e.record).first_ts, (e.record).gravity,
			e.ending AS told, (e.record).kind = 'system' AS of_machine
		FROM @extschema@.l4_ending_records(l4_told_to_end.unexplained, l4_told_to_end.wordings) e
		WHERE (e.record).unit IS NOT NULL AND (e.record).reason <> 'setup'
	),
	told AS MATERIALIZED (
		SELECT DISTINCT ON (r.unit) r.unit, r.source, r.first_line, r.first_ts FROM record r WHERE r.told AND NOT r.of_machine
		ORDER BY r.unit, r.first_ts, r.source, r.first_line
	)
	SELECT count(*) > (limits).evidence_common_share * cardinality(l4_told_to_end.units)
		AND NOT EXISTS (SELECT FROM record r LEFT JOIN told o ON o.unit = r.unit
			WHERE NOT r.told AND CASE WHEN r.of_machine
				-- of machines only what is wrong before anybody is told
				THEN r.gravity >= (limits).gravity_error AND r.first_ts < (SELECT min(f.first_ts) FROM told f)
				ELSE r.gravity >= (limits).gravity_trouble
					AND (r.first_ts > o.first_ts OR r.source = o.source AND r.first_line > o.first_line) IS NOT TRUE END)
	FROM told;
END;
COMMENT ON FUNCTION @extschema@.l4_told_to_end(@extschema@.l4_unexplained_record[], @extschema@.l4_unit[],
	@extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Were most units told to end (l4_ending_records), each before anything else went wrong there, and all before anything '
'was wrong with a machine? Then what they say of it afterwards is how they ended, and no evidence against anybody.';

CREATE FUNCTION @extschema@.l4_called_off(unexplained @extschema@.l4_unexplained_record[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	WITH record AS MATERIALIZED (
		SELECT r.source, r.first_line, r.first_ts, COALESCE(r.message, h.shape) AS told,
			-- how what was told to end ended is a part of it
			r.gravity >= (limits).gravity_trouble
				AND (COALESCE(r.message, h.shape) ~ (wordings).ended) IS NOT TRUE AS trouble
		FROM unnest(l4_called_off.unexplained) r JOIN @extschema@.l4_shape h ON h.shape_id = r.shape_id
		WHERE r.kind <> 'system' AND r.reason <> 'setup'
			-- what successful jobs warn of, too, if less often
			AND NOT (r.reason = 'storm' AND r.gravity < (limits).gravity_error)
	),
	-- what went wrong first answers for nearly all that was told later, so that few of the texts are looked at
	first_trouble AS MATERIALIZED (
		SELECT r.source, r.first_line, r.first_ts
		FROM (SELECT o.* FROM record o WHERE o.trouble ORDER BY o.first_ts, o.source, o.first_line OFFSET 0) r
		WHERE r.told !~ (wordings).called_off LIMIT 1
	),
	ending AS MATERIALIZED (
		SELECT r.source, r.first_line, r.first_ts
		FROM (SELECT o.* FROM record o WHERE NOT EXISTS (SELECT FROM first_trouble t
			WHERE CASE WHEN t.source = o.source THEN t.first_line < o.first_line ELSE t.first_ts < o.first_ts END) OFFSET 0) r
		WHERE r.told ~ (wordings).called_off
	),
	-- only where there is one
	trouble AS MATERIALIZED (
		SELECT r.source, min(r.first_line) AS first_line, min(r.first_ts) AS first_ts
		FROM record r WHERE r.trouble AND EXISTS (SELECT FROM ending) AND r.told !~ (wordings).called_off
		GROUP BY r.source
	)
	SELECT EXISTS (SELECT FROM ending o WHERE NOT EXISTS (SELECT FROM trouble r
		WHERE CASE WHEN r.source = o.source THEN r.first_line < o.first_line ELSE r.first_ts < o.first_ts END));
END;
COMMENT ON FUNCTION @extschema@.l4_called_off(@extschema@.l4_unexplained_record[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: Did somebody or a scheduler end the job (wordings of class called_off) before anything else went wrong? Then nobody is '
'to blame for what follows.';

CREATE FUNCTION @extschema@.l4_judged_shapes(unexplained @extschema@.l4_unexplained_record[], wordings @extschema@.l4_wordings)
RETURNS TABLE (shape_id bigint, ending boolean, peer boolean, together boolean, gathered boolean, exception boolean,
	announcing boolean, closing boolean, gravity int)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	-- a step of its own: columns of a function that becomes part of a statement are worked out for each row they are joined to
	WITH judged AS MATERIALIZED (
		SELECT h.shape_id, t.told ~ (wordings).ending, t.told ~ (wordings).peer, t.told ~ (wordings).together,
			h.shape ~ (wordings).gathered, t.told ~ (wordings).exception OR t.told ~ (wordings).itself,
			t.told ~ (wordings).announcing, t.told ~ (wordings).closing, @extschema@.l4_text_gravity(t.told, wordings)
		FROM @extschema@.l4_shape h
		CROSS JOIN LATERAL (SELECT @extschema@.l4_told_text(h.shape) AS told OFFSET 0) t
		WHERE h.shape_id = ANY (ARRAY(SELECT DISTINCT n.shape_id FROM unnest(l4_judged_shapes.unexplained) n))
	)
	SELECT * FROM judged;
END;
COMMENT ON FUNCTION @extschema@.l4_judged_shapes(@extschema@.l4_unexplained_record[], @extschema@.l4_wordings) IS
'Step: What wordings say of the shapes of unexplained records (the columns are named as their classes; exception: or itself), '
'and how grave their words are: once a shape, as thousands of ranks log the same.';

CREATE FUNCTION @extschema@.l4_same_but_for_roles(unexplained @extschema@.l4_unexplained_record[],
	streams @extschema@.l4_job_stream[])
RETURNS TABLE (event_id bigint, alike text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 10
BEGIN ATOMIC
	WITH told AS MATERIALIZED (
		SELECT DISTINCT n.event_id, n.unit FROM unnest(l4_same_but_for_roles.unexplained) n
		WHERE n.kind = 'system' AND n.unit IS NOT NULL
	), kin AS MATERIALIZED (
		SELECT e.event_id, e.parent_id, string_to_array(e.template, ' ') AS words
		FROM @extschema@.l4_event e
		WHERE e.event_id IN (SELECT t.event_id FROM told t) AND e.parent_id IS NOT NULL
	), named AS MATERIALIZED (
		SELECT r.unit, r.words FROM @extschema@.l4_role_words(l4_same_but_for_roles.streams) r
		WHERE r.unit IN (SELECT t.unit FROM told t)
	), differing AS (
		SELECT a.event_id, a.parent_id, b.event_id AS other, @extschema@.l4_bare_word(w.word) AS word
		FROM kin a
		JOIN kin b ON b.parent_id = a.parent_id AND b.event_id <> a.event_id
		CROSS JOIN LATERAL unnest(a.words, b.words) w(word, others)
		WHERE w.word IS DISTINCT FROM w.others
	), of_roles AS (
		-- each word in which it differs is one of those who say it
		SELECT d.event_id, d.parent_id, d.other
		FROM differing d
		GROUP BY d.event_id, d.parent_id, d.other
		HAVING bool_and(d.word <> '' AND NOT EXISTS (SELECT FROM told t LEFT JOIN named n ON n.unit = t.unit
			WHERE t.event_id = d.event_id AND (d.word = ANY (n.words)) IS NOT TRUE))
	)
	SELECT DISTINCT a.event_id, 'roles ' || a.parent_id
	FROM of_roles a JOIN of_roles b ON b.event_id = a.other AND b.other = a.event_id;
END;
COMMENT ON FUNCTION @extschema@.l4_same_but_for_roles(@extschema@.l4_unexplained_record[], @extschema@.l4_job_stream[]) IS
'Step: Of what nodes'' own logs say (kind system), events that differ from another one of the job in nothing but the role of '
'those who say it: words by which the logs of the programs there are called. Such are alike: that the container of a worker '
'has ended on one node and those of trainers on the others is nothing peculiar to the one.';

CREATE FUNCTION @extschema@.l4_placed_records(unexplained @extschema@.l4_unexplained_record[], units @extschema@.l4_unit[],
	streams @extschema@.l4_job_stream[], spokesmen text[], accusations @extschema@.l4_accusation[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_placed_record
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1000
BEGIN ATOMIC
	WITH bereft AS MATERIALIZED (
		SELECT COALESCE(b.unit, '') AS unit, COALESCE(b.rank, -1) AS rank, min(b.first_ts) AS ts FROM unnest(unexplained) b
		WHERE b.kind = 'rank' AND b.peer AND b.gravity >= (limits).gravity_error AND (b.message ~ (wordings).killed) IS NOT TRUE
		GROUP BY 1, 2
	),
	record AS MATERIALIZED (
		-- alike are records of one event, or of those that differ by role, and tracebacks with the same last line
		SELECT n.unit, n.node, n.rank, n.kind, n.source, n.stream_id, n.shape_id, n.first_line, n.first_ts, n.role, n.stage,
			n.iteration, n.reason IN ('new value', 'range') AS valued,
			CASE WHEN n.message IS NULL THEN h.ending ELSE n.ending END AS ending,
			n.peer OR n.message IS NULL AND h.peer OR e.line_no IS NOT NULL
				-- who counts what gets lost on the way is one of two ends
				OR COALESCE(n.numbers ->> 'name' ~ (l4_placed_records.wordings).lossy, false)
				-- a stack without an error, which others' lines tore from it, is of what its rank says then
				OR n.gravity < (limits).gravity_trouble AND n.kind = 'rank'
					AND (@extschema@.l4_told_text(n.message) <> n.message) IS TRUE
					AND (COALESCE(n.unit, ''), COALESCE(n.rank, -1)) IN (SELECT b.unit, b.rank FROM bereft b) AS peer,
			h.together, h.exception, h.gathered, h.announcing, n.gravity AS told_gravity, x.killed,
			GREATEST(n.gravity, CASE WHEN n.message IS NULL THEN h.gravity END) AS gravity,
			(n.stream_id, n.shape_id) IN (SELECT a.stream_id, a.shape_id FROM unnest(l4_placed_records.accusations) a)
				AS accuses,
			COALESCE(NULLIF(@extschema@.l4_shape_words(@extschema@.l4_last_line(n.message)), ''), t.words,
				s.alike, n.event_id::text) || CASE WHEN x.killed THEN ' killed' ELSE '' END AS alike,
			CASE WHEN n.gravity >= (l4_placed_records.limits).gravity_error OR n.kind IN ('system', 'other')
				THEN @extschema@.l4_told_path(@extschema@.l4_told_text(n.message)) END AS path
		FROM unnest(l4_placed_records.unexplained) n
		JOIN @extschema@.l4_judged_shapes(l4_placed_records.unexplained, wordings) h ON h.shape_id = n.shape_id
		LEFT JOIN (SELECT b.unit, min(b.ts) AS ts FROM bereft b GROUP BY b.unit) q ON q.unit = n.unit
		LEFT JOIN @extschema@.l4_torn_errors(l4_placed_records.unexplained, limits) t ON t.event_id = n.event_id
		LEFT JOIN @extschema@.l4_same_but_for_roles(l4_placed_records.unexplained, streams) s ON s.event_id = n.event_id
		LEFT JOIN @extschema@.l4_told_ranks(l4_placed_records.unexplained, wordings) e
			ON n.kind = 'rank' AND e.source = n.source AND e.unit = COALESCE(n.unit, '') AND e.rank = COALESCE(n.rank, -1)
			AND e.line_no < n.first_line
		-- which signal that was a shape leaves out; how a process ends that lost another one before is no cause
		CROSS JOIN LATERAL (SELECT CASE WHEN h.closing AND n.kind <> 'system' AND (q.ts <= n.first_ts) IS NOT TRUE
			THEN n.message ~ (l4_placed_records.wordings).killed END AS killed OFFSET 0) x
	)
	SELECT row_number() OVER (ORDER BY r.first_ts, r.source, r.first_line, r.stream_id, r.shape_id),
		r.unit, r.node, r.rank, r.kind, r.source, r.stream_id, r.shape_id, r.first_line, r.first_ts,
		cardinality(l4_placed_records.units), k.units, r.accuses, r.told_gravity >= (l4_placed_records.limits).gravity_trouble,
		r.gravity >= (l4_placed_records.limits).gravity_error AND NOT r.announcing,
		-- who says that it was killed is no victim of another one's end; what announces an error is as that, directly below
		r.peer AND (r.killed AND NOT r.accuses) IS NOT TRUE OR (r.announcing AND lead(r.peer) OVER w
			AND lead(r.first_line) OVER w <= r.first_line + (limits).unexplained_block_lines) IS TRUE,
		r.alike, r.path, r.stage,
		r.gravity >= (l4_placed_records.limits).gravity_error AND NOT r.accuses AND NOT r.peer AND NOT r.together
			AND NOT r.announcing AND (r.kind = 'rank' OR r.kind = 'other' AND r.exception),
		r.kind = 'rank' AND NOT r.exception AND r.unit = ANY (l4_placed_records.spokesmen), false, r.iteration, r.valued
	FROM record r
	JOIN (SELECT o.alike, count(o.unit) AS units FROM (SELECT DISTINCT o.alike, o.unit FROM record o) o GROUP BY o.alike) k
		ON k.alike = r.alike
	-- whose name a record bears that stands for several is a matter of chance
	WHERE NOT r.role AND NOT r.ending AND NOT r.gathered AND r.unit IN (SELECT u.unit FROM unnest(l4_placed_records.units) u)
	WINDOW w AS (PARTITION BY r.stream_id ORDER BY r.first_line, r.shape_id);
END;
COMMENT ON FUNCTION @extschema@.l4_placed_records(@extschema@.l4_unexplained_record[], @extschema@.l4_unit[],
	@extschema@.l4_job_stream[], text[], @extschema@.l4_accusation[], @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: The unexplained records of the units of a job that may be evidence (not those of a role, nor those that only say '
'that something was told to end), judged and compared with the other units''. What a rank says after it was told to end '
'(l4_told_ranks) counts as if it spoke of others. spokesmen: l4_spokesmen.';

CREATE FUNCTION @extschema@.l4_survived_records(job_id text, placed @extschema@.l4_placed_record[],
	unexplained_shapes bigint[], pooled boolean, limits @extschema@.l4_limits) RETURNS TABLE (stream_id bigint, alike text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	-- Only before the first iteration: what comes later is judged by how many iterations followed (l4_is_outlived). Of many
	-- streams that log an error alike a few tell. What has no level may be the rest of the error itself, unless successful
	-- jobs log it.
	WITH error AS MATERIALIZED (
		SELECT e.*, row_number() OVER (PARTITION BY e.alike ORDER BY e.stream_id) AS turn
		FROM (SELECT p.alike, p.stream_id, max(p.first_line) AS line_no FROM unnest(l4_survived_records.placed) p
			WHERE p.kind = 'rank' AND p.grave AND p.iteration IS NULL GROUP BY p.alike, p.stream_id) e
	),
	asked AS MATERIALIZED (SELECT e.* FROM error e WHERE e.turn <= (limits).survived_streams),
	harmless AS (
		SELECT e.stream_id, e.shape_id, e.last_line
		FROM @extschema@.l4_job_counts(l4_survived_records.job_id, ARRAY(SELECT DISTINCT o.stream_id FROM asked o)) e
		LEFT JOIN unnest(l4_survived_records.unexplained_shapes) u (shape_id) ON u.shape_id = e.shape_id
		WHERE u.shape_id IS NULL AND (e.level IN ('trace', 'debug', 'info') OR e.level IS NULL AND l4_survived_records.pooled)
	),
	later AS (
		SELECT a.alike, a.stream_id, count(h.shape_id) >= (limits).survived_statements AS survived
		FROM asked a LEFT JOIN harmless h ON h.stream_id = a.stream_id AND h.last_line > a.line_no
		GROUP BY a.alike, a.stream_id
	),
	most AS (SELECT l.alike FROM later l GROUP BY l.alike HAVING count(*) FILTER (WHERE l.survived) * 2 > count(*))
	SELECT e.stream_id, e.alike FROM error e JOIN most m ON m.alike = e.alike;
END;
COMMENT ON FUNCTION @extschema@.l4_survived_records(text, @extschema@.l4_placed_record[], bigint[], boolean,
	@extschema@.l4_limits) IS
'Step: the errors of start-up after which most of the streams that log them go on, with several harmless statements '
'each (pooled: what is not of unexplained_shapes successful jobs log, be it without a level). Reads the counts of some of '
'these streams.';

CREATE FUNCTION @extschema@.l4_surviving_placed(job_id text, placed @extschema@.l4_placed_record[],
	unexplained_shapes bigint[], pooled boolean, limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_placed_record
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	SELECT p.turn, p.unit, p.node, p.rank, p.kind, p.source, p.stream_id, p.shape_id, p.first_line, p.first_ts, p.units,
		p.units_alike, p.accuses, p.trouble, p.grave, p.peer, p.alike, p.path, p.stage, p.by_itself AND s.stream_id IS NULL,
		p.for_all, s.stream_id IS NOT NULL, p.iteration, p.valued
	FROM unnest(l4_surviving_placed.placed) p
	LEFT JOIN @extschema@.l4_survived_records(l4_surviving_placed.job_id, l4_surviving_placed.placed,
		l4_surviving_placed.unexplained_shapes, l4_surviving_placed.pooled, limits) s
		ON s.stream_id = p.stream_id AND s.alike = p.alike;
END;
COMMENT ON FUNCTION @extschema@.l4_surviving_placed(text, @extschema@.l4_placed_record[], bigint[], boolean,
	@extschema@.l4_limits) IS
'Step: placed records, with which of them their ranks survived (l4_survived_records): these are no error that speaks for '
'itself, however grave they sound.';

CREATE FUNCTION @extschema@.l4_without_slowness(job_id text, placed @extschema@.l4_placed_record[],
	streams @extschema@.l4_job_stream[], limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS SETOF @extschema@.l4_placed_record
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	-- Of a step that takes long all that wait for one are slow. Who says so is not to blame, nor who does not say it; what
	-- durations tell is compared by itself (l4_evidence_slow).
	WITH mild AS MATERIALIZED (
		SELECT p.turn, p.unit, p.shape_id, p.iteration, p.first_ts, s.last_iteration FROM unnest(l4_without_slowness.placed) p
		JOIN unnest(l4_without_slowness.streams) s ON s.stream_id = p.stream_id
		WHERE p.kind = 'rank' AND NOT p.grave AND NOT p.accuses AND NOT p.peer
	),
	timed AS MATERIALIZED (
		-- ranks with other work (the first and the last of a pipeline) tell of other parts, but begin alike
		SELECT h.shape_id, split_part(h.shape, '<*>', 1) || split_part(h.shape, '<*>', 2) AS words
		FROM @extschema@.l4_shape h
		WHERE h.shape_id = ANY (ARRAY(SELECT m.shape_id FROM mild m)) AND h.shape ~ (l4_without_slowness.wordings).timed
	),
	good AS MATERIALIZED (
		SELECT @extschema@.l4_last_good(l4_without_slowness.job_id, limits) AS ts WHERE EXISTS (SELECT FROM timed)
	),
	outlived AS MATERIALIZED (
		-- by its own iterations, or by those of the job
		SELECT m.turn, m.unit, t.words FROM mild m JOIN timed t ON t.shape_id = m.shape_id CROSS JOIN good g
		WHERE m.last_iteration >= m.iteration + (limits).alone_good_iterations OR m.first_ts < g.ts
	),
	several AS (SELECT o.words FROM outlived o GROUP BY o.words HAVING count(DISTINCT o.unit) > 1)
	SELECT p.* FROM unnest(l4_without_slowness.placed) p
	WHERE p.turn NOT IN (SELECT o.turn FROM outlived o JOIN several v ON v.words = o.words);
END;
COMMENT ON FUNCTION @extschema@.l4_without_slowness(text, @extschema@.l4_placed_record[], @extschema@.l4_job_stream[],
	@extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: placed records without those by which ranks of several units say, no worse than as a warning, how long something took '
'(wordings of class timed), and went on to iterate, or the job did.';

CREATE FUNCTION @extschema@.l4_bereft_ranks(placed @extschema@.l4_placed_record[])
RETURNS TABLE (unit text, rank int, turn bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100 ROWS 10
BEGIN ATOMIC
	SELECT p.unit, p.rank, min(p.turn) FROM unnest(l4_bereft_ranks.placed) p
	WHERE p.kind = 'rank' AND (p.grave OR p.trouble AND p.peer AND p.accuses) AND NOT p.by_itself AND NOT p.survived
	GROUP BY p.unit, p.rank;
END;
COMMENT ON FUNCTION @extschema@.l4_bereft_ranks(@extschema@.l4_placed_record[]) IS
'Step: The ranks that failed as they lost another one (be it that they only warn, but say whom), or in what all do together, '
'each with the first such record: how their processes then end is no cause.';

CREATE FUNCTION @extschema@.l4_shared_troubles(placed @extschema@.l4_placed_record[], limits @extschema@.l4_limits)
RETURNS TABLE (turn bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 100 ROWS 1
BEGIN ATOMIC
	-- What most machines say of a folder (a mount that became read-only) is the cause of who fails over a file in it first. Of
	-- a job whose ranks have no logs of their own nobody knows who that is.
	SELECT min(p.turn)
	FROM (SELECT s.path FROM unnest(l4_shared_troubles.placed) s
		WHERE s.kind IN ('system', 'other') AND s.path IS NOT NULL AND s.units_alike > (limits).evidence_common_share * s.units
		GROUP BY s.path HAVING count(DISTINCT s.unit) > (limits).evidence_common_share * max(s.units)) m
	JOIN unnest(l4_shared_troubles.placed) p ON p.path = m.path
		AND (p.by_itself OR NOT EXISTS (SELECT FROM unnest(l4_shared_troubles.placed) r WHERE r.kind = 'rank'))
		OR p.by_itself AND starts_with(p.path, m.path || '/')
	HAVING count(*) > 0;
END;
COMMENT ON FUNCTION @extschema@.l4_shared_troubles(@extschema@.l4_placed_record[], @extschema@.l4_limits) IS
'Step: The first error that speaks for itself over a file in a folder that the logs of most machines complain of, if any; of a '
'job of which no rank tells of its failure in a log of its own, that complaint.';

CREATE FUNCTION @extschema@.l4_first_failures(placed @extschema@.l4_placed_record[])
RETURNS TABLE (alike text, turn bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	-- who misses another one and fails likewise would have done so without that
	SELECT DISTINCT ON (p.unit, p.rank) p.alike, p.turn FROM unnest(l4_first_failures.placed) p
	WHERE p.kind = 'rank' AND p.grave AND p.by_itself AND NOT p.survived
		AND NOT EXISTS (SELECT FROM unnest(l4_first_failures.placed) o WHERE (o.accuses OR o.peer) AND o.unit = p.unit
			-- what a node's ranks say together any of them may have
			AND (o.rank = p.rank OR p.rank IS NULL))
	ORDER BY p.unit, p.rank, p.turn;
END;
COMMENT ON FUNCTION @extschema@.l4_first_failures(@extschema@.l4_placed_record[]) IS
'Step: How each rank that misses nobody fails first: what its error is like, and its turn.';

CREATE FUNCTION @extschema@.l4_machines_alike(placed @extschema@.l4_placed_record[], limits @extschema@.l4_limits)
RETURNS TABLE (units text[], turn bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	SELECT array_agg(DISTINCT p.unit), min(p.turn) FROM unnest(l4_machines_alike.placed) p
	WHERE p.kind = 'system' AND p.units_alike <= (limits).evidence_common_share * p.units GROUP BY p.alike;
END;
COMMENT ON FUNCTION @extschema@.l4_machines_alike(@extschema@.l4_placed_record[], @extschema@.l4_limits) IS
'Step: The units (sorted) whose system logs say the same, where most do not, and the turn of the first that does; one row for '
'all records that are alike.';

CREATE FUNCTION @extschema@.l4_common_cause(job_id text, placed @extschema@.l4_placed_record[],
	streams @extschema@.l4_job_stream[], roles @extschema@.l4_role_stream[], last_good timestamptz,
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS @extschema@.l4_placed_record
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	-- The same error, or errors over one file, that speak for themselves, on most of those that tell of the failure, be it not
	-- merely of another one's end: the others may have been cut off before they came to it. Where few do the thing at all (two
	-- ranks save, two report) most of these must have it, and hardly anybody else.
	WITH bereft AS MATERIALIZED (SELECT b.* FROM @extschema@.l4_bereft_ranks(l4_common_cause.placed) b),
	origin AS MATERIALIZED (SELECT o.* FROM @extschema@.l4_first_failures(l4_common_cause.placed) o),
	cause AS MATERIALIZED (
		SELECT count(DISTINCT p.unit) AS units, min(p.turn) AS turn, array_agg(DISTINCT p.stream_id) AS stream_ids,
			array_agg(DISTINCT p.unit) AS alike_units, bool_and(h.shape ~ (l4_common_cause.wordings).killed) AS killed,
			CASE WHEN count(DISTINCT p.stage) = 1 THEN min(p.stage) END AS stage
		FROM unnest(l4_common_cause.placed) p
		JOIN @extschema@.l4_shape h ON h.shape_id = p.shape_id
		CROSS JOIN LATERAL (VALUES (p.alike), ('file ' || p.path)) k (key)
		LEFT JOIN bereft b ON b.unit = p.unit AND (b.rank = p.rank OR p.rank IS NULL) AND b.turn < p.turn
		WHERE p.by_itself AND k.key IS NOT NULL AND (p.first_ts < l4_common_cause.last_good) IS NOT TRUE
			AND (b.turn IS NULL OR p.alike IN (SELECT o.alike FROM origin o WHERE o.turn < b.turn))
		GROUP BY k.key HAVING count(DISTINCT p.unit) > 1
	),
	teller AS MATERIALIZED (
		SELECT count(DISTINCT p.unit) AS units FROM unnest(l4_common_cause.placed) p
		WHERE p.kind <> 'system' AND p.trouble AND NOT p.peer AND NOT p.accuses
	),
	performer AS MATERIALIZED (
		SELECT count(DISTINCT s.unit) AS units FROM unnest(l4_common_cause.streams) s
		WHERE s.kind = 'rank' AND s.record_count > 0
	),
	common AS (
		-- who fails of what its own machine said before, and no other machine, fails by itself, as two may whose disks are full
		SELECT c.turn, c.units > t.units * (limits).evidence_common_share
			-- nor would who kills some have come to the others later
			AND c.units > o.units * CASE WHEN c.killed THEN (limits).evidence_common_share
				ELSE (limits).evidence_common_least_share END AS of_most, c.units, c.stage, c.stream_ids, c.killed
		FROM cause c, teller t, performer o
		WHERE NOT EXISTS (SELECT FROM @extschema@.l4_machines_alike(l4_common_cause.placed, limits) m
			WHERE m.units = c.alike_units AND m.turn < c.turn)
	),
	found AS (
		SELECT c.turn FROM common c
		LEFT JOIN LATERAL (
			SELECT count(DISTINCT s.unit) AS units
			FROM @extschema@.l4_job_stages(l4_common_cause.job_id) e
			JOIN unnest(l4_common_cause.streams) s ON s.stream_id = e.stream_id
			WHERE e.stage = c.stage AND s.kind = 'rank') o
			ON NOT c.of_most AND c.stage IN ('checkpoint_save', 'checkpoint_load', 'evaluation')
		WHERE c.of_most OR NOT c.killed AND c.units > o.units * (limits).evidence_common_share
		UNION ALL
		SELECT c.turn FROM common c
		JOIN unnest(l4_common_cause.roles) r ON NOT c.killed AND r.stream_id = ANY (c.stream_ids)
		GROUP BY c.turn, c.stream_ids, r.shape_id, r.streams
		HAVING count(*) > r.streams * (limits).evidence_common_share
			AND count(*) > cardinality(c.stream_ids) * (limits).evidence_common_share AND count(DISTINCT r.unit) > 1
	)
	SELECT p::@extschema@.l4_placed_record FROM unnest(l4_common_cause.placed) p
	WHERE p.turn = (SELECT min(f.turn) FROM (SELECT f.turn FROM found f
		UNION ALL SELECT m.turn FROM @extschema@.l4_shared_troubles(l4_common_cause.placed, limits) m) f);
END;
COMMENT ON FUNCTION @extschema@.l4_common_cause(text, @extschema@.l4_placed_record[], @extschema@.l4_job_stream[],
	@extschema@.l4_role_stream[], timestamptz, @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: the first record of an error that speaks for itself and that most units have alike which tell of the failure, or '
'most of those that were in its stage (a checkpoint that two ranks save), or most of those with a role (roles: '
'l4_role_streams), or l4_shared_troubles: no fault of single ones, unless just their machines say something, too '
'(l4_machines_alike), nor that they were killed (wordings of class killed), unless most of all were. NULL where none is. '
'last_good: what the job went on after does not count (NULL: not known).';

CREATE FUNCTION @extschema@.l4_said_by_each(job_id text, unexplained @extschema@.l4_unexplained_record[],
	placed @extschema@.l4_placed_record[], units @extschema@.l4_unit[], streams @extschema@.l4_job_stream[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	-- Of a file of all ranks that tells them apart by their place on a node alone, or not at all, nobody knows who said what;
	-- what comes there once for each is of all.
	WITH unplaced AS MATERIALIZED (
		SELECT n FROM unnest(l4_said_by_each.unexplained) n
		WHERE n.unit IS NULL AND n.kind = 'rank' AND n.reason = 'new' AND n.gravity >= (limits).gravity_trouble AND NOT n.ending
	)
	SELECT EXISTS (
		SELECT FROM (SELECT (u.n).* FROM unplaced u) n
		JOIN unnest(l4_said_by_each.streams) s ON s.stream_id = n.stream_id
		JOIN @extschema@.l4_judged_shapes(ARRAY(SELECT u.n FROM unplaced u), wordings) h ON h.shape_id = n.shape_id
		CROSS JOIN @extschema@.l4_job_row(l4_said_by_each.job_id) j
		WHERE NOT h.peer AND NOT h.together AND NOT h.announcing AND NOT h.closing
			AND n.occurrences = cardinality(l4_said_by_each.units)
				* CASE WHEN s.label LIKE 'local %' THEN 1 ELSE COALESCE(j.ranks_per_node, 1) END
			AND NOT EXISTS (SELECT FROM unnest(l4_said_by_each.placed) p WHERE p.by_itself AND p.first_ts < n.first_ts)
			-- what the job went on after is no failure
			AND NOT EXISTS (SELECT FROM @extschema@.l4_job_timeline(l4_said_by_each.job_id) t
				WHERE t.started_at > n.first_ts OR n.iteration IS NULL OR t.iteration > n.iteration + 1));
END;
COMMENT ON FUNCTION @extschema@.l4_said_by_each(text, @extschema@.l4_unexplained_record[], @extschema@.l4_placed_record[],
	@extschema@.l4_unit[], @extschema@.l4_job_stream[], @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Do ranks of which nobody knows who they are say an error of their own as often as there are ranks (of a stream of one '
'place on a node: as there are units), after which the job did not go on, and no unit has said one before? Then all fail '
'alike.';

CREATE FUNCTION @extschema@.l4_awaits_more(job_id text, unexplained @extschema@.l4_unexplained_record[],
	units @extschema@.l4_unit[], limits @extschema@.l4_limits, wordings @extschema@.l4_wordings) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	WITH awaited AS MATERIALIZED (
		SELECT w.joined FROM @extschema@.l4_short_handed(l4_awaits_more.unexplained, limits, wordings) w
		WHERE w.joined < w.expected
	)
	SELECT EXISTS (SELECT FROM awaited a
		-- what else is counted is seldom as many
		WHERE a.joined = GREATEST(cardinality(l4_awaits_more.units),
			(SELECT count(*) FROM @extschema@.l4_rank_units(l4_awaits_more.job_id))));
END;
COMMENT ON FUNCTION @extschema@.l4_awaits_more(text, @extschema@.l4_unexplained_record[], @extschema@.l4_unit[],
	@extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Does a job wait for more ranks than it has, after just as many as it has have come (l4_short_handed)? It was started '
'with a wrong number then, and none of those that it has is to blame.';

CREATE FUNCTION @extschema@.l4_failure_at_large(placed @extschema@.l4_placed_record[], limits @extschema@.l4_limits)
RETURNS @extschema@.l4_placed_record
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	-- what a machine logs of its daily business is the job's failure only where nothing else is told
	SELECT p::@extschema@.l4_placed_record FROM unnest(l4_failure_at_large.placed) p
	WHERE p.accuses OR p.units_alike::float8 / p.units > (l4_failure_at_large.limits).evidence_common_share
	ORDER BY (p.accuses OR p.trouble OR p.peer OR p.kind NOT IN ('system', 'other')) IS NOT TRUE, p.turn LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_failure_at_large(@extschema@.l4_placed_record[], @extschema@.l4_limits) IS
'Step: When the failure shows at large: the first record that names another unit or that most units have, rather not one of '
'system and other logs that sounds of no trouble; NULL where none does.';

CREATE FUNCTION @extschema@.l4_shown_elsewhere(placed @extschema@.l4_placed_record[], at_large @extschema@.l4_placed_record,
	limits @extschema@.l4_limits)
RETURNS @extschema@.l4_placed_record
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT CASE WHEN (e.shown).turn IS NOT NULL THEN e.shown ELSE l4_shown_elsewhere.at_large END
	FROM (SELECT CASE WHEN NOT (at_large).accuses AND NOT (at_large).peer THEN @extschema@.l4_failure_at_large(
		ARRAY(SELECT p FROM unnest(l4_shown_elsewhere.placed) p WHERE p.unit <> (at_large).unit), limits) END AS shown) e;
END;
COMMENT ON FUNCTION @extschema@.l4_shown_elsewhere(@extschema@.l4_placed_record[], @extschema@.l4_placed_record,
	@extschema@.l4_limits) IS
'Step: When the failure shows at large (l4_failure_at_large) on another unit than the one where it shows first (at_large), as '
'what that one says till then of itself may be the cause; at_large itself where that speaks of others, or no other unit '
'follows.';

CREATE FUNCTION @extschema@.l4_telling_streams(placed @extschema@.l4_placed_record[],
	unexplained @extschema@.l4_unexplained_record[], limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	-- Where most units complain alike, who does not is the one they complain of, unless it fails with an error of its own; of
	-- what it says of others, or said long before, nothing counts. Else whatever is said of the failure.
	WITH record AS MATERIALIZED (
		SELECT p.stream_id, p.shape_id, p.by_itself, p.accuses, p.kind, p.first_ts,
			p.peer AND p.grave AND NOT p.survived AS bereft,
			(p.trouble OR p.peer) AND p.units_alike::float8 / p.units > (limits).evidence_common_share AS common
		FROM unnest(l4_telling_streams.placed) p
	),
	wide AS MATERIALIZED (
		SELECT bool_or(r.common) AS any, max(r.first_ts) FILTER (WHERE r.common) AS last_ts FROM record r WHERE r.kind = 'rank'
	),
	telling AS MATERIALIZED (
		SELECT DISTINCT r.stream_id, r.shape_id FROM record r
		WHERE r.common OR r.by_itself OR r.accuses OR r.kind = 'launcher'
			-- that it lost a peer, and not for certain later than all others complain: then it is one more of those that do
			OR r.bereft AND (r.first_ts > (SELECT w.last_ts FROM wide w)) IS NOT TRUE
			OR r.kind = 'rank' AND (SELECT w.any FROM wide w) IS NOT TRUE
	)
	SELECT DISTINCT t.stream_id FROM telling t
	UNION
	-- who speaks for the others and says the same is not silent
	SELECT u.stream_id FROM unnest(l4_telling_streams.unexplained) u
	WHERE u.role AND u.shape_id IN (SELECT t.shape_id FROM telling t);
END;
COMMENT ON FUNCTION @extschema@.l4_telling_streams(@extschema@.l4_placed_record[], @extschema@.l4_unexplained_record[],
	@extschema@.l4_limits) IS
'Step: the streams that tell of the failure: those that complain as most units do, accuse somebody or fail by themselves; '
'where most ranks do not complain alike, those of ranks with any record that may be evidence; so those of launchers.';

CREATE FUNCTION @extschema@.l4_telling_units(streams @extschema@.l4_job_stream[], telling_streams bigint[])
RETURNS TABLE (kind text, unit text, tells boolean, units bigint, units_telling bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	SELECT u.kind, u.unit, u.tells, count(*) OVER w, count(*) FILTER (WHERE u.tells) OVER w
	FROM (
		SELECT s.kind, s.unit, bool_or(t.stream_id IS NOT NULL) AS tells
		FROM unnest(l4_telling_units.streams) s LEFT JOIN unnest(l4_telling_units.telling_streams) t (stream_id)
			ON t.stream_id = s.stream_id
		WHERE s.kind IN ('rank', 'launcher', 'other') AND s.unit IS NOT NULL
		GROUP BY s.kind, s.unit) u
	WINDOW w AS (PARTITION BY u.kind);
END;
COMMENT ON FUNCTION @extschema@.l4_telling_units(@extschema@.l4_job_stream[], bigint[]) IS
'Step: The units that have streams of ranks, of launchers and of others, by kind: whether any of these tells of the '
'failure (is one of telling_streams), of how many units there are such streams, and in how many of them they tell.';
