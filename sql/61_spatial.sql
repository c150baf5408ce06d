/*
 * Which node? Evidence of several kinds, each with its weight, added up per node.
 *
 * The faulty node is often the quiet one (killed, powered off, stopped), everyone accuses a neighbour, and the loudest lines come from
 * the victims. So counts of error lines point the wrong way, and evidence is read instead:
 *   missing   the scheduler lists the node, but it has no logs
 *   silent    all that the node logs, its system log too, ends before the others'
 *   quiet     the ranks of other nodes log their failure, those of this node stop without a word
 *   named     a collector or controller, which stands on no node, names the node in its news
 *   accused   other nodes' news name it and it names nobody: in a ring everyone is accused, but only one accuses nobody
 *   first     news of its own (naming no other node) before the failure shows anywhere else
 *   own       the same, later
 *   lag       its last iteration is behind that of the others
 *   behind    half of the nodes or more got a step further within the iteration
 *   late      it came late to the last step of an iteration that all reached
 *   counter   a number in its system log (errors, retransmissions) grew far more than on the other nodes
 *   slow      its own durations stand out from the other nodes', or it waits far less than they do
 *   forest    the Isolation Forest over counts of news sets it apart
 * What most nodes have alike is no evidence against any of them; of what more than two fifths of the nodes do nobody can say who is healthy.
 */

CREATE TABLE @extschema@.l4_address (
	job_id text NOT NULL,
	address text NOT NULL,
	node text NOT NULL,
	PRIMARY KEY (job_id, address)
);
COMMENT ON TABLE @extschema@.l4_address IS
'Network addresses of a job''s nodes, learned from its own records by l4_learn_addresses at the end of an import. A site may add rows.';

-- The weights of the kinds of evidence, in one place. Their order matters, their exact size does not.
CREATE FUNCTION @extschema@.l4_evidence_weight(reason text) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE reason
	WHEN 'missing' THEN 5
	WHEN 'silent' THEN 4
	WHEN 'named' THEN 4
	WHEN 'quiet' THEN 4
	WHEN 'accused' THEN 3
	WHEN 'first' THEN 3
	WHEN 'own' THEN 1
	WHEN 'lag' THEN 0.5
	WHEN 'behind' THEN 1.5
	WHEN 'late' THEN 1.5
	WHEN 'counter' THEN 1.5
	WHEN 'slow' THEN 2
	WHEN 'forest' THEN 0.5
	WHEN 'needed' THEN 1.75			-- a node with less than this in all is not reported
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_weight(text) IS
'The weight of a kind of evidence against a node; replace the function to change them. "needed" is the sum below which a node is not reported (six tenths of it where no node reaches it and progress, durations or counters speak against one).';

CREATE FUNCTION @extschema@.l4_job_streams(job_id text)
RETURNS TABLE (stream_id bigint, source text, kind text, node text, rank int, record_count bigint, first_ts timestamptz, last_ts timestamptz,
	last_stage text, last_iteration bigint, shared boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
BEGIN ATOMIC
	SELECT s.stream_id, s.source, s.kind,
		@extschema@.l4_place_name(s.node, s.rank, j.nodes, j.ranks_per_node), s.rank, s.record_count,
		s.first_ts, s.last_ts, s.last_stage, s.last_iteration, s.label IS NOT NULL
	FROM @extschema@.l4_stream s
	LEFT JOIN @extschema@.l4_job j ON j.job_id = s.job_id
	WHERE s.job_id = l4_job_streams.job_id;
END;
COMMENT ON FUNCTION @extschema@.l4_job_streams(text) IS
'The streams of a job with their nodes: as the import found them, else by rank from the job''s list of nodes, else the rank itself ("rank 7") stands for a node. shared: it shares its file with other streams.';

CREATE FUNCTION @extschema@.l4_job_nodes(job_id text) RETURNS TABLE (node text, logged boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
BEGIN ATOMIC
	SELECT n.node, bool_or(n.logged) FROM (
		SELECT s.node, s.record_count > 0 AS logged FROM @extschema@.l4_job_streams(l4_job_nodes.job_id) s WHERE s.node IS NOT NULL
		UNION ALL
		SELECT u.node, false FROM @extschema@.l4_job j, unnest(j.nodes) u (node) WHERE j.job_id = l4_job_nodes.job_id) n
	GROUP BY n.node;
END;
COMMENT ON FUNCTION @extschema@.l4_job_nodes(text) IS
'The nodes of a job: those that logs are from, and those that the scheduler lists; logged: whether there is a record from it.';

CREATE FUNCTION @extschema@.l4_rank_nodes(job_id text) RETURNS TABLE (rank int, node text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
BEGIN ATOMIC
	-- the streams know best; the list of nodes fills the gaps (a node whose logs are missing)
	SELECT DISTINCT ON (r.rank) r.rank, r.node FROM (
		SELECT s.rank, s.node, 1 AS turn FROM @extschema@.l4_job_streams(l4_rank_nodes.job_id) s WHERE s.rank IS NOT NULL
		UNION ALL
		SELECT (u.position - 1)::int * COALESCE(j.ranks_per_node, 1) + g.i, u.node, 2
		FROM @extschema@.l4_job j, unnest(j.nodes) WITH ORDINALITY u (node, position),
			generate_series(0, COALESCE(j.ranks_per_node, 1) - 1) g (i)
		WHERE j.job_id = l4_rank_nodes.job_id) r
	ORDER BY r.rank, r.turn, r.node;
END;
COMMENT ON FUNCTION @extschema@.l4_rank_nodes(text) IS
'Which node each rank of a job runs on.';

CREATE FUNCTION @extschema@.l4_mentions(job_id text, texts text[])
RETURNS TABLE (ordinal bigint, node text, name text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH message AS (
		SELECT m.ordinal, m.text FROM unnest(l4_mentions.texts) WITH ORDINALITY m (text, ordinal)
	),
	rank_name AS (
		-- rank 7, rank_7, rank[7], rank: 7, ranks 3, 5 and rank(s) [6]; a list counts wholly
		SELECT DISTINCT m.ordinal, r.number::int AS rank
		FROM message m,
			LATERAL regexp_matches(m.text, '\mranks?(?:\(s\))?[ _:=#]{0,3}[[(]?\s?(\d{1,6}(?:, ?\d{1,6})*)\M', 'gi') x (match),
			LATERAL regexp_split_to_table(x.match[1], ', ?') r (number)
	),
	word AS (
		SELECT DISTINCT m.ordinal, w.match[1] AS word
		FROM message m, LATERAL regexp_matches(m.text, '[[:alnum:]](?:[[:alnum:]_.-]*[[:alnum:]])?', 'g') w (match)
	)
	SELECT r.ordinal, n.node, 'rank ' || r.rank FROM rank_name r JOIN @extschema@.l4_rank_nodes(l4_mentions.job_id) n ON n.rank = r.rank
	UNION
	SELECT w.ordinal, n.node, w.word FROM word w JOIN @extschema@.l4_job_nodes(l4_mentions.job_id) n ON n.node = w.word
	UNION
	SELECT w.ordinal, a.node, w.word FROM word w
	JOIN @extschema@.l4_address a ON a.job_id = l4_mentions.job_id AND a.address = w.word;
END;
COMMENT ON FUNCTION @extschema@.l4_mentions(text, text[]) IS
'The nodes that texts name, by rank, by name or by a learned address: the text''s place in the array, the node, and the name it goes by there.';

CREATE FUNCTION @extschema@.l4_learn_addresses(job_id text) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	learned bigint;
	address_pattern CONSTANT text := '^\d{1,3}(\.\d{1,3}){3}$';
	nodes bigint := (SELECT count(*) FROM @extschema@.l4_job_nodes(l4_learn_addresses.job_id));
BEGIN
	DELETE FROM @extschema@.l4_address a WHERE a.job_id = l4_learn_addresses.job_id;
	WITH shape AS (
		-- statements that carry an address and are no flood
		SELECT p.shape_id FROM @extschema@.l4_parameter_sketch k CROSS JOIN LATERAL @extschema@.l4_sketch_addresses(k.sketch) p
		WHERE k.job_id = l4_learn_addresses.job_id
		GROUP BY p.shape_id HAVING sum(p.occurrences) <= 50 * nodes),
	record AS MATERIALIZED (
		SELECT row_number() OVER () AS number, l.shape_id, s.node, l.raw, l.parameters
		-- names and addresses are told early: the first two segments of each file
		FROM @extschema@.l4_segment g
			JOIN (SELECT array_agg(shape_id) AS shape_ids FROM shape) w ON g.job_id = l4_learn_addresses.job_id AND g.segment_no < 2 AND g.shape_ids && w.shape_ids
			CROSS JOIN LATERAL @extschema@.l4_shape_records(g.structure, g.texts, g.parameters, g.stream_ids, w.shape_ids) l
			LEFT JOIN @extschema@.l4_job_streams(l4_learn_addresses.job_id) s ON s.stream_id = l.stream_id),
	said AS MATERIALIZED (
		SELECT DISTINCT r.number, r.shape_id, r.node, r.raw, p.value AS address
		FROM record r, unnest(r.parameters) p (value) WHERE p.value ~ address_pattern),
	address AS MATERIALIZED (
		-- a statement that says the same address each time cannot tell nodes apart
		SELECT dense_rank() OVER (ORDER BY a.raw) AS ordinal, a.*
		FROM (SELECT s.*, min(s.address) OVER w AS first_address, max(s.address) OVER w AS last_address FROM said s WINDOW w AS (PARTITION BY s.shape_id)) a
		WHERE nodes < 2 OR a.first_address <> a.last_address),
	named AS (
		-- each text is read once, however often it was logged
		SELECT m.ordinal, m.node
		FROM @extschema@.l4_mentions(l4_learn_addresses.job_id, ARRAY(SELECT a.raw FROM address a GROUP BY a.raw ORDER BY a.raw)) m),
	pair AS (
		-- an address and the one other node named beside it, or, where none is, the node itself
		SELECT a.shape_id, a.address, coalesce(min(n.node) FILTER (WHERE n.node IS DISTINCT FROM a.node), a.node) AS node
		FROM address a LEFT JOIN named n USING (ordinal)
		GROUP BY a.number, a.shape_id, a.address, a.node
		HAVING count(DISTINCT n.node) FILTER (WHERE n.node IS DISTINCT FROM a.node) <= 1),
	vote AS (
		SELECT shape_id, address, node, count(*) AS n FROM pair WHERE node IS NOT NULL GROUP BY 1, 2, 3),
	told AS (
		-- of a statement that always pairs one address with one node, and does so for several
		SELECT shape_id FROM vote GROUP BY shape_id
		HAVING count(*) = count(DISTINCT address) AND count(*) = count(DISTINCT node) AND count(*) >= least(nodes, 2))
	INSERT INTO @extschema@.l4_address (job_id, address, node)
	SELECT DISTINCT ON (address) l4_learn_addresses.job_id, address, node
	FROM vote JOIN told USING (shape_id)
	GROUP BY address, node
	ORDER BY address, count(*) DESC, sum(n) DESC, node;
	GET DIAGNOSTICS learned = ROW_COUNT;
	RETURN learned;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_learn_addresses(text) IS
'Learns which node has which IPv4 address from a job''s own records: from statements that name one node (or none but their own) beside one address, each time a different one. Fills l4_address; returns the number of rows. Called at the end of an import.';

CREATE TYPE @extschema@.l4_accusation AS (
	accuser text,
	accused text,
	name text,
	kind text,
	shape_id bigint,
	stream_id bigint,
	line_no bigint,
	first_ts timestamptz,
	ending boolean
);
COMMENT ON TYPE @extschema@.l4_accusation IS
'A node that a record names: who names it (NULL: a stream of no node), by what name, in which record, and whether that only says that something was told to end (l4_accusations).';

CREATE FUNCTION @extschema@.l4_accusations(job_id text, news @extschema@.l4_news_record[] DEFAULT NULL) RETURNS SETOF @extschema@.l4_accusation
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH given AS MATERIALIZED (
		SELECT n.* FROM unnest(COALESCE(l4_accusations.news, ARRAY(SELECT n FROM @extschema@.l4_news(l4_accusations.job_id) n))) n
	),
	record AS MATERIALIZED (
		-- one record tells whom a rank blames; a controller blames one node a line, so all its lines are read (the first 1,000)
		SELECT r.*, row_number() OVER () AS ordinality FROM (
			SELECT g.node, g.kind, g.shape_id, g.stream_id, g.first_line, g.first_ts, g.message FROM given g WHERE g.node IS NOT NULL
			UNION ALL
			(SELECT NULL, g.kind, g.shape_id, g.stream_id, l.line_no, CASE l.line_no WHEN g.first_line THEN g.first_ts ELSE GREATEST(l.ts, g.first_ts) END, l.raw
			FROM given g
			JOIN @extschema@.l4_stream t ON t.job_id = l4_accusations.job_id AND t.stream_id = g.stream_id
			JOIN @extschema@.l4_segment b ON b.job_id = t.job_id AND b.source_id = t.source_id
				AND b.first_line <= g.last_line AND b.last_line >= g.first_line
			CROSS JOIN LATERAL @extschema@.l4_segment_records(b.structure, b.texts, b.parameters, b.stream_ids) l
			WHERE g.node IS NULL AND l.stream_id = g.stream_id AND l.shape_id = g.shape_id AND l.line_no BETWEEN g.first_line AND g.last_line
				AND (g.value IS NULL OR l.parameters[g.place] = g.value)
			ORDER BY l.line_no
			LIMIT 1000)) r
	)
	SELECT r.node, m.node, m.name, r.kind, r.shape_id, r.stream_id, r.first_line, r.first_ts, @extschema@.l4_text_ending(r.message)
	FROM @extschema@.l4_mentions(l4_accusations.job_id, ARRAY(SELECT r.message FROM record r ORDER BY r.ordinality)) m
	JOIN record r ON r.ordinality = m.ordinal
	WHERE r.node IS DISTINCT FROM m.node;
END;
COMMENT ON FUNCTION @extschema@.l4_accusations(text, @extschema@.l4_news_record[]) IS
'Which node (NULL: a stream of no node) names which other node in its news, and where; ending: the record only says that something was told to end. news: the result of l4_news, where at hand.';

CREATE FUNCTION @extschema@.l4_silence(job_id text, clocks @extschema@.l4_clock_offset[] DEFAULT NULL)
RETURNS TABLE (node text, last_ts timestamptz, others_ts timestamptz, gap interval)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	-- System logs keep a steady beat, so where there are any they are compared; else all that the nodes log.
	WITH stream AS MATERIALIZED (
		SELECT s.* FROM @extschema@.l4_job_streams(l4_silence.job_id) s
		WHERE s.node IS NOT NULL AND s.last_ts > '2000-01-01' AND NOT s.shared
	),
	finish AS MATERIALIZED (
		SELECT s.node, max(s.last_ts) AS last_ts, max(s.last_ts) - COALESCE(min(k.ahead), '0') AS at
		FROM stream s
		LEFT JOIN unnest(COALESCE(l4_silence.clocks, ARRAY(SELECT k FROM @extschema@.l4_clock_offsets(l4_silence.job_id) k))) k ON k.node = s.node
		WHERE s.kind = 'system' OR NOT EXISTS (SELECT FROM stream o WHERE o.kind = 'system')
		GROUP BY s.node
	),
	typical AS (
		-- the upper half of the nodes tells when the job ended and how far apart ends normally lie
		SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY f.at) AS middle,
			max(f.at) AS last
		FROM finish f
	)
	SELECT f.node, f.last_ts, t.middle, t.middle - f.at
	FROM finish f, typical t
	WHERE t.middle - f.at > GREATEST(2 * (t.last - t.middle), interval '1 second') + interval '5 seconds'
		-- and it left out what it says steadily: a job that ends right before a node's next beat makes no node silent
		AND NOT EXISTS (
			SELECT FROM stream s JOIN @extschema@.l4_stream_event e ON e.job_id = l4_silence.job_id AND e.stream_id = s.stream_id
			WHERE s.node = f.node AND (s.kind = 'system' OR NOT EXISTS (SELECT FROM stream o WHERE o.kind = 'system')) AND e.occurrences >= 5
				AND e.first_ts > '2000-01-01'
			HAVING min((e.last_ts - e.first_ts) / (e.occurrences - 1)) * 1.2 > t.middle - f.at);
END;
COMMENT ON FUNCTION @extschema@.l4_silence(text, @extschema@.l4_clock_offset[]) IS
'Nodes of which everything (where there are system logs: the system log) ends well before the others'', by more than a beat of what it says most often: last record (by its own clock), the time at which half of the nodes had ended (by the clock of the most nodes), and the gap between the two in true time. clocks: the result of l4_clock_offsets, where at hand.';

CREATE FUNCTION @extschema@.l4_text_gist(shape text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN left(COALESCE(substring(shape, '\n([^\n]*\S[^\n]*)\s*$'), shape), 80);
COMMENT ON FUNCTION @extschema@.l4_text_gist(text) IS
'The telling line of a shape (of several the last one, as of a traceback), cut to 80 characters: to name a statement in a sentence.';

CREATE FUNCTION @extschema@.l4_text_seconds(shape text, place int, value text) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
BEGIN ATOMIC
	SELECT CASE
		WHEN u.unit ~ '^(ns|nano)' THEN 1e-9 WHEN u.unit ~ '^(us|usec|micro)' THEN 1e-6 WHEN u.unit ~ '^(ms|msec|milli)' THEN 1e-3 WHEN u.unit <> '' THEN 1 END
	FROM (SELECT lower(COALESCE(
		-- behind the value, inside it, or behind the word before it
		substring(split_part(l4_text_seconds.shape, '<*>', l4_text_seconds.place + 1), '^[])]?\s?((?:ns|us|ms|s|secs?|seconds?|msecs?|usecs?|milliseconds?|microseconds?))\M'),
		substring(l4_text_seconds.value, '\d\s?(ns|us|ms|s|secs?)$'),
		substring(split_part(l4_text_seconds.shape, '<*>', l4_text_seconds.place), '(?:time|elapsed|took|takes?|duration|latency|waited|cost)[^<]{0,20}\(((?:ns|us|ms|s|secs?|seconds?))\)[\s:=|]*$'))) AS unit) u;
END;
COMMENT ON FUNCTION @extschema@.l4_text_seconds(text, int, text) IS
'How many seconds the unit of a parameter of a shape (place, from 1; one of its values) is: 0.001 for "<*> ms". NULL where it is no duration or has no unit.';

CREATE FUNCTION @extschema@.l4_slow_nodes(job_id text)
RETURNS TABLE (node text, rank int, shape_id bigint, place int, mean double precision, median double precision, z double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	-- Durations that a statement prints, in seconds, per rank, logarithmic, against median and spread of the ranks; 5 % is the least spread
	-- assumed. Of each rank the longest one is left out: one stall makes no slow rank.
	WITH unit AS MATERIALIZED (
		SELECT DISTINCT e.shape_id FROM @extschema@.l4_stream_event e
		JOIN @extschema@.l4_shape h ON h.shape_id = e.shape_id
		WHERE e.job_id = l4_slow_nodes.job_id AND e.occurrences >= 8 AND h.shape ~* '(second|time|elapsed|took|duration|latency|waited|cost|\m[num]?s(ec)?s?\M)'
	),
	parameter AS MATERIALIZED (
		SELECT p.stream_id, p.shape_id, p.position, p.mean, p.number_count, p.maximum, p.values[1] AS value, translate(p.values[1], '0123456789.', '') AS rest
		FROM (SELECT array_agg(u.shape_id) AS shape_ids FROM unit u) u
		CROSS JOIN @extschema@.l4_parameter_sketch k
		CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch, u.shape_ids) p
		WHERE k.job_id = l4_slow_nodes.job_id AND u.shape_ids IS NOT NULL
			AND p.number_count = p.occurrences AND p.number_count >= 8 AND p.distinct_values > 1 AND p.minimum > 0
	),
	measure AS MATERIALIZED (
		-- asked once a place and unit, not once a rank
		SELECT m.shape_id, m.position, m.rest, @extschema@.l4_text_seconds(h.shape, m.position, m.value) AS seconds
		FROM (SELECT p.shape_id, p.position, p.rest, min(p.value) AS value FROM parameter p GROUP BY 1, 2, 3) m
		JOIN @extschema@.l4_shape h ON h.shape_id = m.shape_id
	),
	duration AS MATERIALIZED (
		SELECT s.node, s.rank, p.shape_id, p.position AS place,
			ln((p.mean * p.number_count - p.maximum) / (p.number_count - 1) * m.seconds) AS level,
			EXTRACT(epoch FROM e.last_ts - e.first_ts) / (e.occurrences - 1) AS step
		FROM parameter p
		JOIN measure m ON m.shape_id = p.shape_id AND m.position = p.position AND m.rest = p.rest
		JOIN @extschema@.l4_job_streams(l4_slow_nodes.job_id) s ON s.stream_id = p.stream_id
		JOIN @extschema@.l4_stream_event e ON e.job_id = l4_slow_nodes.job_id AND e.stream_id = p.stream_id AND e.shape_id = p.shape_id
		WHERE s.kind = 'rank' AND s.node IS NOT NULL AND m.seconds IS NOT NULL
	),
	middle AS (
		SELECT d.shape_id, d.place, percentile_cont(0.5) WITHIN GROUP (ORDER BY d.level) AS level,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY d.step) AS step, count(*) AS ranks
		FROM duration d GROUP BY 1, 2 HAVING count(DISTINCT d.node) >= 4
	),
	spread AS (
		SELECT d.shape_id, d.place, m.level, m.step, m.ranks,
			GREATEST(1.4826 * percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(d.level - m.level)), 0.05) AS scale
		FROM duration d JOIN middle m USING (shape_id, place) GROUP BY 1, 2, 3, 4, 5
	)
	SELECT d.node, d.rank, d.shape_id, d.place, exp(d.level), exp(s.level), (d.level - s.level) / s.scale
	FROM duration d JOIN spread s USING (shape_id, place)
	WHERE abs(d.level - s.level) / s.scale > sqrt(2 * ln(s.ranks * 50)) + 1
		-- of trifles nobody waits for anybody
		AND exp(GREATEST(d.level, s.level)) > 0.02 * COALESCE(s.step, 0);
END;
COMMENT ON FUNCTION @extschema@.l4_slow_nodes(text) IS
'Ranks, with their nodes, whose durations in a statement stand out from the other ranks'': the mean without the longest and the median of the ranks, in seconds, and how many robust standard deviations of logarithms lie between (z). z above 0: it takes longer; below 0: it waits less, so the others may wait for it. Only durations of a fiftieth of the time between two such statements or more. Nothing for fewer than four nodes.';

CREATE FUNCTION @extschema@.l4_counting_nodes(job_id text)
RETURNS TABLE (node text, shape_id bigint, place int, stream_id bigint, line_no bigint, growth double precision, median double precision, usual double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	-- What the system logs of all nodes count: from its least to its largest value, per node. A node stands out where its counter grew
	-- tenfold what the half of the nodes did, and by ten at least, further than any other but one, and past what successful jobs show.
	WITH pool AS (
		SELECT b.pool_id FROM @extschema@.l4_best_pool(l4_counting_nodes.job_id) b
	),
	counter AS MATERIALIZED (
		SELECT s.node, p.shape_id, p.position AS place, sum(p.maximum - p.minimum) AS growth,
			(array_agg(p.stream_id ORDER BY p.maximum - p.minimum DESC, p.stream_id))[1] AS stream_id,
			(array_agg(p.maximum_line ORDER BY p.maximum - p.minimum DESC, p.stream_id))[1] AS line_no, max(p.maximum) AS largest
		FROM (SELECT DISTINCT t.source_id FROM @extschema@.l4_stream t WHERE t.job_id = l4_counting_nodes.job_id AND t.kind = 'system') t
		JOIN @extschema@.l4_parameter_sketch k ON k.job_id = l4_counting_nodes.job_id AND k.source_id = t.source_id
		CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch) p
		JOIN @extschema@.l4_job_streams(l4_counting_nodes.job_id) s ON s.stream_id = p.stream_id
		WHERE s.kind = 'system' AND s.node IS NOT NULL
			AND p.number_count = p.occurrences AND p.number_count >= 3
		GROUP BY 1, 2, 3
	),
	middle AS (
		SELECT c.shape_id, c.place, percentile_cont(0.5) WITHIN GROUP (ORDER BY c.growth) AS growth
		FROM counter c GROUP BY 1, 2 HAVING count(*) >= 4
	)
	SELECT c.node, c.shape_id, c.place, c.stream_id, c.line_no, c.growth, m.growth, CASE WHEN q.job_count > 1 THEN q.maximum END
	FROM (SELECT c.*, row_number() OVER (PARTITION BY c.shape_id, c.place ORDER BY c.growth DESC, c.node) AS turn FROM counter c) c
	JOIN middle m USING (shape_id, place)
	LEFT JOIN @extschema@.l4_pool_parameter q ON q.pool_id = (SELECT p.pool_id FROM pool p) AND q.shape_id = c.shape_id AND q.position = c.place
	WHERE c.turn <= 2 AND c.growth >= 10 AND c.growth > 10 * m.growth AND (q.maximum IS NULL OR c.largest > 2 * q.maximum);
END;
COMMENT ON FUNCTION @extschema@.l4_counting_nodes(text) IS
'Nodes of which a number in the system log (errors, discards, retransmissions) grew far more than on the other nodes and further than in successful jobs: growth is largest less least value, median that of the nodes, usual the largest value of the pool (NULL where it has less than two jobs that count it), line_no where the largest stands.';

CREATE FUNCTION @extschema@.l4_waited_nodes(job_id text, clocks @extschema@.l4_clock_offset[] DEFAULT NULL)
RETURNS TABLE (node text, shape_id bigint, stream_id bigint, line_no bigint, last_ts timestamptz, late double precision, step double precision, behind bigint, nodes bigint, times bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	-- Statements that the ranks of most nodes print again and again while they iterate. Whoever comes late to the last one made the others
	-- wait; whoever printed one less is behind. What a node's clock is off is taken out.
	WITH printed AS MATERIALIZED (
		SELECT s.node, s.shared, e.shape_id, e.stream_id, e.occurrences, e.last_iteration, e.last_line, e.last_ts,
			EXTRACT(epoch FROM e.last_ts - e.first_ts) / GREATEST(e.occurrences - 1, 1) AS step
		FROM @extschema@.l4_stream_event e
		JOIN @extschema@.l4_job_streams(l4_waited_nodes.job_id) s ON s.stream_id = e.stream_id
		WHERE e.job_id = l4_waited_nodes.job_id AND s.kind = 'rank' AND s.node IS NOT NULL
			AND e.first_iteration IS NOT NULL AND e.occurrences >= 4
	),
	entry AS MATERIALIZED (
		SELECT p.*, p.own_ts - COALESCE(k.ahead, '0') AS last_ts
		FROM (
			SELECT p.node, p.shape_id, bool_or(p.shared) AS shared, min(p.occurrences) AS times, min(p.last_iteration) AS last_iteration,
				max(p.last_ts) AS own_ts, max(p.step)::float8 AS step
			FROM printed p GROUP BY p.node, p.shape_id) p
		LEFT JOIN unnest(COALESCE(l4_waited_nodes.clocks, ARRAY(SELECT k FROM @extschema@.l4_clock_offsets(l4_waited_nodes.job_id) k))) k ON k.node = p.node
	),
	statement AS MATERIALIZED (
		SELECT e.shape_id, count(*) AS nodes, max(e.times) AS times, max(e.last_iteration) AS last_iteration,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY EXTRACT(epoch FROM e.last_ts)::float8) AS last_at,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY e.step) AS step
		FROM entry e
		GROUP BY e.shape_id
		HAVING count(*) >= 4 AND count(*) * 4 >= 3 * (SELECT count(*) FROM @extschema@.l4_job_nodes(l4_waited_nodes.job_id) n WHERE n.logged)
			AND max(e.times) - min(e.times) <= 1
	),
	spread AS (
		SELECT s.shape_id, s.nodes, s.times, s.last_iteration, s.last_at, s.step,
			1.4826 * percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(EXTRACT(epoch FROM e.last_ts)::float8 - s.last_at)) AS scale,
			count(*) FILTER (WHERE e.times < s.times) AS behind
		FROM statement s JOIN entry e USING (shape_id)
		GROUP BY 1, 2, 3, 4, 5, 6
	)
	-- of a node's streams the one that is furthest back
	SELECT DISTINCT ON (e.node, e.shape_id) e.node, e.shape_id, p.stream_id, p.last_line, e.last_ts, CASE WHEN s.behind = 0 THEN EXTRACT(epoch FROM e.last_ts)::float8 - s.last_at END,
		s.step, s.behind, s.nodes, s.times
	FROM entry e
	JOIN spread s USING (shape_id)
	JOIN printed p ON p.node = e.node AND p.shape_id = e.shape_id
	WHERE CASE s.behind
		WHEN 0 THEN NOT e.shared AND EXTRACT(epoch FROM e.last_ts)::float8 - s.last_at > GREATEST(0.25 * s.step, 5 * s.scale, 0.02)
		ELSE e.times < s.times AND e.last_iteration < s.last_iteration AND s.behind * 2 <= s.nodes END
	ORDER BY e.node, e.shape_id, p.occurrences, p.last_ts DESC, p.stream_id;
END;
COMMENT ON FUNCTION @extschema@.l4_waited_nodes(text, @extschema@.l4_clock_offset[]) IS
'Nodes that the others seem to have waited for when the job stopped: late, in seconds, where they came later than the others to the last of what all ranks print in each iteration (a quarter of the usual time between two, step in seconds, at least); NULL where behind of the nodes printed it once less than the others (times). Times by the clock of the most nodes. clocks: the result of l4_clock_offsets, where at hand.';

CREATE FUNCTION @extschema@.l4_node_forest(job_id text, news @extschema@.l4_news_record[] DEFAULT NULL)
RETURNS TABLE (node text, place int, score double precision, max_z double precision, suspect boolean)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	-- Only news counts: what healthy jobs log too tells roles apart (rank 0, the last rank), not health.
	WITH count AS (
		SELECT r.node AS node, r.event_id, sum(r.occurrences)::float8 AS n
		FROM unnest(COALESCE(l4_node_forest.news, ARRAY(SELECT n FROM @extschema@.l4_news(l4_node_forest.job_id) n))) r
		WHERE NOT r.role AND r.node IS NOT NULL
		GROUP BY 1, 2
	),
	cell AS (
		SELECT n.node, c.event_id, c.n FROM @extschema@.l4_job_nodes(l4_node_forest.job_id) n LEFT JOIN count c ON c.node = n.node
	),
	ranked AS (
		-- a node without news takes part with a zero
		SELECT (unnest(@extschema@.l4_iforest_rank(c.node, COALESCE(c.event_id, e.event_id), COALESCE(c.n, 0)))).*
		FROM cell c, (SELECT min(o.event_id) AS event_id FROM count o) e
		WHERE e.event_id IS NOT NULL
	)
	SELECT r.item, r.rank, r.score, r.max_z, r.suspect FROM ranked r;
END;
COMMENT ON FUNCTION @extschema@.l4_node_forest(text, @extschema@.l4_news_record[]) IS
'The nodes of a job ranked by an Isolation Forest over how often they log each event that is news (paper, section 4.3; l4_iforest_rank).';

CREATE TYPE @extschema@.l4_node_evidence_record AS (
	node text,
	rank int,
	reason text,
	weight double precision,
	first_ts timestamptz,
	stream_id bigint,
	line_no bigint,
	explanation text
);
COMMENT ON TYPE @extschema@.l4_node_evidence_record IS
'One piece of evidence against a node: its kind and weight (l4_evidence_weight), when and where it shows first, and a sentence on it.';

CREATE FUNCTION @extschema@.l4_node_evidence(job_id text, news @extschema@.l4_news_record[] DEFAULT NULL, accusations @extschema@.l4_accusation[] DEFAULT NULL,
	clocks @extschema@.l4_clock_offset[] DEFAULT NULL)
RETURNS SETOF @extschema@.l4_node_evidence_record
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH given AS MATERIALIZED (
		-- only where none is given: an argument that the planner sees tells it how many rows it works on, of which there may be thousands
		SELECT ARRAY(SELECT n FROM @extschema@.l4_news(l4_node_evidence.job_id) n) AS news WHERE l4_node_evidence.news IS NULL
	),
	piece AS MATERIALIZED (
		SELECT n.*, h.shape, COALESCE(n.message, h.shape, '') AS told
		FROM unnest(COALESCE(l4_node_evidence.news, (SELECT g.news FROM given g))) n LEFT JOIN @extschema@.l4_shape h ON h.shape_id = n.shape_id
	),
	text AS MATERIALIZED (
		-- judged once a text: thousands of ranks log the same
		SELECT t.told, @extschema@.l4_text_ending(t.told) IS TRUE AS ending, @extschema@.l4_text_peer(t.told) IS TRUE AS peer, @extschema@.l4_text_rank(t.told) AS gravity
		FROM (SELECT DISTINCT p.told FROM piece p) t
	),
	record AS MATERIALIZED (
		-- alike are records of one event, and tracebacks with the same last line
		SELECT p.stream_id, p.source, p.kind, p.node, p.rank, p.shape_id, p.level, p.first_line, p.first_ts, p.role, p.message,
			COALESCE(NULLIF(@extschema@.l4_shape_words(substring(p.message, '\n([^\n]*\S[^\n]*)\s*$')), ''), p.event_id::text) AS alike,
			t.ending, t.peer, GREATEST(@extschema@.l4_level_rank(p.level), t.gravity) >= 5 AS grave
		FROM piece p JOIN text t ON t.told = p.told
	),
	node AS MATERIALIZED (SELECT n.*, count(*) OVER () AS nodes FROM @extschema@.l4_job_nodes(l4_node_evidence.job_id) n),
	stream AS MATERIALIZED (SELECT s.* FROM @extschema@.l4_job_streams(l4_node_evidence.job_id) s),
	accusation AS MATERIALIZED (
		SELECT a.* FROM unnest(COALESCE(l4_node_evidence.accusations,
			ARRAY(SELECT a FROM @extschema@.l4_accusations(l4_node_evidence.job_id, COALESCE(l4_node_evidence.news, (SELECT g.news FROM given g))) a))) a
	),
	clock AS MATERIALIZED (
		SELECT COALESCE(l4_node_evidence.clocks, ARRAY(SELECT k FROM @extschema@.l4_clock_offsets(l4_node_evidence.job_id) k)) AS clocks
	),
	placed AS MATERIALIZED (
		-- the news of nodes, whether it names others, and the share of the nodes that have the like of it
		SELECT r.*, d.nodes,
			EXISTS (SELECT FROM accusation a WHERE a.stream_id = r.stream_id AND a.shape_id = r.shape_id) AS accuses,
			k.nodes::float8 / d.nodes AS share,
			row_number() OVER (ORDER BY r.first_ts, r.source, r.first_line) AS turn
		FROM record r
		JOIN node d ON d.node = r.node
		JOIN (SELECT o.alike, count(DISTINCT o.node) AS nodes FROM record o GROUP BY o.alike) k ON k.alike = r.alike
		WHERE NOT r.role AND NOT r.ending
	),
	effect AS (
		-- when the failure shows at large: the first record that names another node or that most nodes have
		SELECT p.turn, p.first_ts, p.source, p.first_line FROM placed p WHERE p.accuses OR p.share > 0.6 ORDER BY p.turn LIMIT 1
	),
	told AS (
		-- nodes whose ranks (launchers) have news at all
		SELECT DISTINCT p.node, p.kind FROM placed p WHERE p.kind IN ('rank', 'launcher')
	),
	telling AS (
		-- kinds of stream in which most nodes tell of the failure
		SELECT s.kind, count(DISTINCT s.node) AS nodes, (SELECT count(*) FROM told t WHERE t.kind = s.kind) AS tellers
		FROM stream s WHERE s.kind IN ('rank', 'launcher') AND s.node IS NOT NULL GROUP BY s.kind
	),
	progress AS (
		SELECT s.node, min(s.last_iteration) AS last_iteration FROM stream s
		WHERE s.kind = 'rank' AND s.last_iteration IS NOT NULL GROUP BY s.node
	),
	evidence AS (
		SELECT d.node, NULL::int AS rank, 'missing' AS reason, 1.0::float8 AS part, NULL::timestamptz AS first_ts, NULL::bigint AS stream_id, NULL::bigint AS line_no,
			'the scheduler lists it, but there is not one record from it' AS explanation
		FROM node d
		WHERE NOT d.logged AND (SELECT count(*) FROM node o WHERE NOT o.logged) * 5 <= d.nodes * 2

		UNION ALL
		SELECT q.node, NULL, 'silent', 1, q.last_ts, s.stream_id, e.last_line,
			format('all its logs end at %s, %s s before the other nodes''', to_char(q.last_ts, 'HH24:MI:SS'),
				round(EXTRACT(epoch FROM q.gap)::numeric))
		FROM (SELECT q.*, count(*) OVER () AS silent FROM @extschema@.l4_silence(l4_node_evidence.job_id, (SELECT c.clocks FROM clock c)) q) q
		JOIN LATERAL (SELECT s.stream_id FROM stream s WHERE s.node = q.node AND s.last_ts = q.last_ts ORDER BY s.stream_id LIMIT 1) s ON true
		LEFT JOIN LATERAL (SELECT max(e.last_line) AS last_line FROM @extschema@.l4_stream_event e
			WHERE e.job_id = l4_node_evidence.job_id AND e.stream_id = s.stream_id) e ON true
		WHERE q.silent * 5 <= (SELECT count(*) * 2 FROM node)

		UNION ALL
		SELECT s.node, s.rank, 'quiet', CASE s.kind WHEN 'rank' THEN 1 ELSE 0.5 END * GREATEST(1 / sqrt(GREATEST(t.nodes - t.tellers, 1)), 0.45), s.last_ts, s.stream_id, e.last_line,
			format('%s of %s nodes log the failure in their %s logs, this one stops without a word at %s%s', t.tellers, t.nodes, s.kind,
				to_char(s.last_ts, 'HH24:MI:SS'), ' (iteration ' || s.last_iteration || ')')
		FROM telling t
		JOIN stream s ON s.kind = t.kind AND s.node IS NOT NULL AND s.record_count > 0
		LEFT JOIN LATERAL (SELECT max(e.last_line) AS last_line FROM @extschema@.l4_stream_event e
			WHERE e.job_id = l4_node_evidence.job_id AND e.stream_id = s.stream_id) e ON true
		WHERE (t.nodes - t.tellers) * 5 <= t.nodes * 2
			AND NOT EXISTS (SELECT FROM told o WHERE o.node = s.node AND o.kind = s.kind)

		UNION ALL
		-- one stopped rank beside live ones on the same node
		SELECT s.node, s.rank, 'quiet', 0.75 / s.nodes_quiet, s.last_ts, s.stream_id, e.last_line,
			format('all other ranks log the failure, rank %s stops without a word at %s%s', s.rank,
				to_char(s.last_ts, 'HH24:MI:SS'), ' (iteration ' || s.last_iteration || ')')
		FROM (
			SELECT s.*, count(*) OVER () AS quiet,
				dense_rank() OVER (ORDER BY s.node) + dense_rank() OVER (ORDER BY s.node DESC) - 1 AS nodes_quiet,
				(SELECT count(*) FROM stream o WHERE o.kind = 'rank' AND o.record_count > 0) AS ranks
			FROM stream s
			WHERE s.kind = 'rank' AND s.node IS NOT NULL AND s.record_count > 0
				AND s.stream_id NOT IN (SELECT p.stream_id FROM placed p)) s
		LEFT JOIN LATERAL (SELECT max(e.last_line) AS last_line FROM @extschema@.l4_stream_event e
			WHERE e.job_id = l4_node_evidence.job_id AND e.stream_id = s.stream_id) e ON true
		WHERE s.quiet * 3 <= s.ranks
			AND NOT EXISTS (SELECT FROM telling t WHERE t.kind = 'rank' AND t.tellers < t.nodes) AND EXISTS (SELECT FROM told o WHERE o.node = s.node AND o.kind = 'rank')

		UNION ALL
		-- a launcher names whose process ended: that counts as far as it comes before the failure shows at large
		SELECT a.accused, NULL, 'named',
			CASE WHEN a.kind <> 'launcher' THEN 1 WHEN f.turn IS NULL OR (a.first_ts, a.source, a.line_no) < (f.first_ts, f.source, f.first_line) THEN 0.5 ELSE 0.25 END,
			a.first_ts, a.stream_id, a.line_no, format('%s, a log of no node, names it (%s)', a.source, a.name)
		FROM (
			SELECT a.*, s.source,
				(SELECT count(DISTINCT o.accused) FROM accusation o WHERE o.shape_id = a.shape_id AND o.accuser IS NULL) AS targets
			FROM accusation a JOIN stream s ON s.stream_id = a.stream_id
			WHERE a.accuser IS NULL AND NOT a.ending) a
		LEFT JOIN effect f ON true
		WHERE a.targets * 3 <= (SELECT count(*) FROM node)

		UNION ALL
		SELECT a.accused, NULL, 'accused', 1.0 / count(*) OVER (), a.first_ts, a.stream_id, a.line_no,
			format('%s name%s it (%s) and it names no other node',
				CASE a.accusers WHEN 1 THEN a.accuser ELSE a.accusers || ' nodes' END, CASE a.accusers WHEN 1 THEN 's' ELSE '' END, a.name)
		FROM (
			SELECT DISTINCT ON (a.accused) a.*,
				(SELECT count(DISTINCT o.accuser) FROM accusation o WHERE o.accused = a.accused) AS accusers
			FROM accusation a
			WHERE a.accuser IS NOT NULL AND a.ending IS NOT TRUE AND NOT EXISTS (SELECT FROM accusation o WHERE o.accuser = a.accused)
			ORDER BY a.accused, a.first_ts, a.stream_id, a.line_no, a.shape_id, a.name COLLATE "C" DESC) a

		UNION ALL
		SELECT p.node, p.rank, CASE WHEN p.turn < f.turn OR f.turn IS NULL THEN 'first' ELSE 'own' END,
			(1 - p.share)
				* CASE WHEN GREATEST(@extschema@.l4_level_rank(p.level), @extschema@.l4_text_rank(p.message)) >= 4 THEN 1 ELSE 0.75 END
				-- a rank that another kept waiting or left, be it unnamed, speaks of that one
				* CASE WHEN p.peer AND p.kind <> 'system' THEN 0.33 ELSE 1 END,
			p.first_ts, p.stream_id, p.first_line,
			CASE WHEN p.share * p.nodes < 1.5 THEN 'it alone logs' ELSE format('%s of %s nodes log', round(p.share * p.nodes), p.nodes) END
				|| ' "' || @extschema@.l4_text_gist(h.shape) || '"'
				|| CASE WHEN p.turn < f.turn THEN ', before the failure shows on other nodes' ELSE '' END
		FROM placed p LEFT JOIN effect f ON true LEFT JOIN @extschema@.l4_shape h ON h.shape_id = p.shape_id
		WHERE NOT p.accuses AND p.share <= 0.6 AND p.nodes > 1

		UNION ALL
		SELECT p.node, NULL, 'lag', 1, NULL, NULL, NULL,
			format('its last iteration is %s, that of the others %s', p.last_iteration, p.others_iteration)
		FROM (SELECT p.*, row_number() OVER w AS turn, lead(p.last_iteration) OVER w AS others_iteration, count(*) OVER () AS nodes
			FROM progress p WINDOW w AS (ORDER BY p.last_iteration)) p
		WHERE p.turn = 1 AND p.last_iteration < p.others_iteration AND p.nodes > 2

		UNION ALL
		SELECT w.node, NULL, CASE WHEN w.late IS NULL THEN 'behind' ELSE 'late' END, CASE WHEN w.late IS NULL THEN 1 - w.behind::float8 / w.nodes WHEN w.stuck THEN 1 / sqrt(w.nodes_stuck) ELSE 0.5 / sqrt(w.nodes_late) END,
			w.last_ts, w.stream_id, w.line_no,
			CASE WHEN w.late IS NULL THEN format('it stands a step behind: %s of %s nodes logged "%s" %s times, it once less', w.nodes - w.behind, w.nodes, @extschema@.l4_text_gist(h.shape), w.times)
				ELSE format('it came %s s after the others to the last "%s" (every %s s as a rule): they waited for it', round(w.late::numeric, 2), @extschema@.l4_text_gist(h.shape),
					round(w.step::numeric, 2)) END
		FROM (
			-- of those that came late the ones that did not get through the step either are to blame; the others waited for these
			SELECT w.*, count(*) OVER (PARTITION BY w.shape_id) AS nodes_late, count(*) FILTER (WHERE w.stuck) OVER (PARTITION BY w.shape_id) AS nodes_stuck, bool_or(w.late IS NULL) OVER () AS any_behind
			FROM (SELECT w.*, w.late IS NOT NULL AND bool_or(w.late IS NULL) OVER (PARTITION BY w.node) AS stuck FROM @extschema@.l4_waited_nodes(l4_node_evidence.job_id, (SELECT c.clocks FROM clock c)) w) w) w
		JOIN @extschema@.l4_shape h ON h.shape_id = w.shape_id
		WHERE (w.late IS NULL OR w.stuck OR NOT w.any_behind) AND NOT EXISTS (SELECT FROM record r WHERE r.shape_id = w.shape_id)

		UNION ALL
		-- without successful jobs nobody knows how such a counter grows
		SELECT c.node, NULL, 'counter', CASE WHEN c.usual IS NULL THEN 0.4 ELSE 1 END, NULL, c.stream_id, c.line_no,
			format('%s in its system log ("%s") grew by %s, on other nodes by %s%s',
				COALESCE('"' || @extschema@.l4_parameter_name(h.shape, c.place) || '"', 'a number'),
				@extschema@.l4_text_gist(h.shape), c.growth, round(c.median::numeric, 1), ', at most ' || c.usual || ' in successful jobs')
		FROM @extschema@.l4_counting_nodes(l4_node_evidence.job_id) c JOIN @extschema@.l4_shape h ON h.shape_id = c.shape_id

		UNION ALL
		(SELECT DISTINCT ON (w.node) w.node, w.rank, 'slow', CASE WHEN w.z > 0 THEN 1 ELSE 0.9 END
				/ sqrt(w.nodes_slow), NULL::timestamptz, NULL::bigint, NULL::bigint,
			format(CASE WHEN w.z > 0 THEN 'it is slow' ELSE 'it waits less than the others, which may wait for it' END || ': "%s" takes %s s on average, %s s on other nodes',
				@extschema@.l4_text_gist(h.shape), round(w.mean::numeric, 4), round(w.median::numeric, 4))
		FROM (
			SELECT w.*, count(*) OVER (PARTITION BY w.shape_id, w.place, w.z > 0) AS nodes_slow
			FROM (SELECT DISTINCT ON (w.node, w.shape_id, w.place, w.z > 0) w.* FROM @extschema@.l4_slow_nodes(l4_node_evidence.job_id) w
				ORDER BY w.node, w.shape_id, w.place, w.z > 0, abs(w.z) DESC, w.rank) w) w
		JOIN @extschema@.l4_shape h ON h.shape_id = w.shape_id
		-- only where no rank fails: in the wake of a failure durations go wrong, and all parameters of all ranks are read for it
		WHERE w.nodes_slow * 3 <= (SELECT count(*) FROM node) AND NOT EXISTS (SELECT FROM placed p WHERE p.kind = 'rank' AND p.grave)
		ORDER BY w.node, w.z > 0 DESC, w.nodes_slow, abs(w.z) DESC, w.shape_id, w.place)

		UNION ALL
		SELECT f.node, NULL, 'forest', f.score + CASE WHEN f.suspect THEN 1 ELSE 0 END, NULL, NULL, NULL,
			format('the Isolation Forest over its news ranks it %s (score %s)', f.place, round(f.score::numeric, 2))
		FROM @extschema@.l4_node_forest(l4_node_evidence.job_id, COALESCE(l4_node_evidence.news, (SELECT g.news FROM given g))) f
		WHERE f.place <= 3
	)
	SELECT e.node, e.rank, e.reason, e.part * @extschema@.l4_evidence_weight(e.reason), e.first_ts, e.stream_id, e.line_no, e.explanation
	FROM evidence e
	WHERE (SELECT count(*) FROM node) > 1;
END;
COMMENT ON FUNCTION @extschema@.l4_node_evidence(text, @extschema@.l4_news_record[], @extschema@.l4_accusation[], @extschema@.l4_clock_offset[]) IS
'All evidence against single nodes of a job, one row a piece (see the head of this part for the kinds). Nothing for a job of one node: there is nothing to compare. news, accusations, clocks: the results of l4_news, l4_accusations and l4_clock_offsets, where at hand.';

CREATE TYPE @extschema@.l4_suspect_node AS (
	ordinal int,
	node text,
	rank int,
	score double precision,
	first_ts timestamptz,
	evidence @extschema@.l4_node_evidence_record[]
);
COMMENT ON TYPE @extschema@.l4_suspect_node IS
'A suspected node: its place from 1, the rank where the evidence points to one, the sum of the weights, when its evidence begins, and the evidence, strongest first.';

CREATE FUNCTION @extschema@.l4_suspect_nodes(job_id text, news @extschema@.l4_news_record[] DEFAULT NULL, accusations @extschema@.l4_accusation[] DEFAULT NULL,
	clocks @extschema@.l4_clock_offset[] DEFAULT NULL)
RETURNS SETOF @extschema@.l4_suspect_node
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
BEGIN ATOMIC
	-- each kind counts once, with its strongest piece
	WITH piece AS (
		SELECT DISTINCT ON (e.node, e.reason) e.*
		FROM @extschema@.l4_node_evidence(l4_suspect_nodes.job_id, l4_suspect_nodes.news, l4_suspect_nodes.accusations, l4_suspect_nodes.clocks) e
		ORDER BY e.node, e.reason, e.weight DESC, e.first_ts, e.stream_id, e.line_no, e.explanation COLLATE "C"
	),
	total AS (
		SELECT p.node, sum(p.weight) AS score, min(p.first_ts) AS first_ts,
			CASE WHEN count(DISTINCT p.rank) = 1 THEN min(p.rank) END AS rank,
			array_agg(p::@extschema@.l4_node_evidence_record ORDER BY p.weight DESC, p.reason) AS evidence,
			bool_or(p.reason IN ('behind', 'late', 'counter', 'slow')) AS measured, max(sum(p.weight)) OVER () AS best
		FROM piece p
		GROUP BY p.node
	)
	SELECT (row_number() OVER (ORDER BY t.score DESC, t.first_ts, t.node))::int, t.node, t.rank, t.score, t.first_ts, t.evidence
	FROM total t
	-- a weak suspect is better than none, but only where progress, durations or counters speak against it: words alone are everywhere
	WHERE t.score >= @extschema@.l4_evidence_weight('needed') * CASE WHEN t.measured AND t.best < @extschema@.l4_evidence_weight('needed') THEN 0.6 ELSE 1 END;
END;
COMMENT ON FUNCTION @extschema@.l4_suspect_nodes(text, @extschema@.l4_news_record[], @extschema@.l4_accusation[], @extschema@.l4_clock_offset[]) IS
'The nodes of a job to look at, most suspicious first, with the sum of the evidence against each and its pieces. No row where all nodes fail alike. news, accusations, clocks: as l4_node_evidence takes them.';

COMMENT ON COLUMN @extschema@.l4_address.job_id IS 'the job';
COMMENT ON COLUMN @extschema@.l4_address.address IS 'an address as it stands in the logs';
COMMENT ON COLUMN @extschema@.l4_address.node IS 'the node that has it';
