/*
 * Where ranks run: of ranks that write into one file, or into files that name no node, learnt from what they say themselves, or
 * others of them, at the end of an import.
 *
 * A statement tells it that most ranks make, each with one value of its own that looks like a host ("rank 3 of 8 on host
 * node-05"), by words that mean one's own host, be the host a parameter or, without digits, a word of the statement; and the
 * header of NCCL, which begins with it. A rank's own word is worth more than that of others, as its launcher, and this more
 * than the list of nodes, which only tells in which order ranks are dealt out as a rule; and so is, of a rank of which nobody
 * says it, what its like do.
 */

CREATE FUNCTION @extschema@.l4_parameters_behind(shape text, pattern text) RETURNS SETOF int
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100 ROWS 1
BEGIN ATOMIC
	SELECT t.position::int
	FROM (SELECT x.text, x.position, count(*) OVER () AS texts
		FROM string_to_table(l4_parameters_behind.shape, '<*>') WITH ORDINALITY x (text, position)) t
	-- nothing but a parameter is one behind nothing
	WHERE t.position < t.texts AND (t.text <> '' OR l4_parameters_behind.shape = '<*>')
		AND t.text ~ l4_parameters_behind.pattern;
END;
COMMENT ON FUNCTION @extschema@.l4_parameters_behind(text, text) IS
'Step: The positions of the parameters of a shape behind a text that matches a pattern.';

CREATE FUNCTION @extschema@.l4_host_parameters(shape text, wordings @extschema@.l4_wordings) RETURNS SETOF int
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100 ROWS 1
BEGIN ATOMIC
	SELECT p.position FROM @extschema@.l4_parameters_behind(l4_host_parameters.shape, (wordings).host) p (position)
	WHERE l4_host_parameters.shape !~ (wordings).other_host;
END;
COMMENT ON FUNCTION @extschema@.l4_host_parameters(text, @extschema@.l4_wordings) IS
'Step: The positions of the parameters of a shape that stand where one''s own host is named (wordings of class host before '
'them, none of class other_host anywhere).';

CREATE FUNCTION @extschema@.l4_written_hosts(job_id text, known text[], wordings @extschema@.l4_wordings)
RETURNS TABLE (shape_id bigint, statement text, "position" int, host text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10
BEGIN ATOMIC
	SELECT DISTINCT w.shape_id, x.before || '<*>' || x.behind, cardinality(string_to_array(x.before, '<*>')), w.word
	FROM (
		SELECT h.shape_id, h.shape, m.match[1] AS word, regexp_instr(h.shape, p.word, 1, m.turn::int) AS place
		-- as l4_mentions reads words
		FROM (VALUES ('[[:alnum:]](?:[[:alnum:]_.-]*[[:alnum:]])?')) p (word)
		CROSS JOIN @extschema@.l4_job_shapes(l4_written_hosts.job_id) j
		JOIN @extschema@.l4_shape h ON h.shape_id = j.shape_id
		CROSS JOIN LATERAL regexp_matches(h.shape, p.word, 'g') WITH ORDINALITY m (match, turn)
		WHERE m.match[1] = ANY (l4_written_hosts.known)) w
	CROSS JOIN LATERAL (SELECT left(w.shape, w.place - 1) AS before, substr(w.shape, w.place + length(w.word)) AS behind
		OFFSET 0) x
	WHERE x.before ~ (wordings).host AND x.before || x.behind !~ (wordings).other_host;
END;
COMMENT ON FUNCTION @extschema@.l4_written_hosts(text, text[], @extschema@.l4_wordings) IS
'Step: Which shapes of a job have one of its nodes (known) written out where one''s own host is named (wordings of class host '
'before it, none of class other_host anywhere), as a name without digits is no parameter; statement, position: the shape with '
'a parameter in its place, and which one.';

CREATE FUNCTION @extschema@.l4_said_hosts(job_id text, streams @extschema@.l4_job_stream[], ranks bigint, known text[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS TABLE (statement text, "position" int, rank int, host text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	shapes bigint[];
	headed bigint[];
	written bigint[];
	statements text[];
	positions int[];
	hosts text[];
BEGIN
	SELECT array_agg(w.shape_id), array_agg(w.statement), array_agg(w.position), array_agg(w.host)
	INTO written, statements, positions, hosts
	FROM @extschema@.l4_written_hosts(l4_said_hosts.job_id, known, wordings) w;
	-- of libraries that print their host before each line one of each stream tells
	SELECT array_agg(h.shape_id ORDER BY h.shape_id) FILTER (WHERE
			-- the texts of few are looked into
			CASE WHEN (j.streams >= ranks * limits.place_rank_share OR h.shape = ANY (statements))
					AND h.shape LIKE '%<*>%'
				THEN EXISTS (SELECT FROM @extschema@.l4_host_parameters(h.shape, wordings)) END),
		array_agg(h.shape_id ORDER BY h.shape_id) FILTER (WHERE h.shape ~ wordings.headed)
	INTO shapes, headed
	FROM @extschema@.l4_job_shapes(l4_said_hosts.job_id) j JOIN @extschema@.l4_shape h ON h.shape_id = j.shape_id;
	RETURN QUERY
	SELECT w.statement, w.position, s.rank, w.host
	FROM @extschema@.l4_job_counts(l4_said_hosts.job_id, NULL, written) e
	JOIN unnest(streams) s ON s.stream_id = e.stream_id
	JOIN unnest(written, statements, positions, hosts) w (shape_id, statement, position, host) ON w.shape_id = e.shape_id
	WHERE cardinality(written) > 0;
	RETURN QUERY
	SELECT h.shape, p.position, s.rank, p.values[1]
	FROM @extschema@.l4_job_sketches(l4_said_hosts.job_id, ARRAY(SELECT DISTINCT s.source_id FROM unnest(streams) s)) k
	CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch, shapes) p
	JOIN unnest(streams) s ON s.stream_id = p.stream_id
	JOIN @extschema@.l4_shape h ON h.shape_id = p.shape_id
	WHERE cardinality(shapes) > 0 AND p.position IN (SELECT @extschema@.l4_host_parameters(h.shape, wordings));
	IF cardinality(headed) > 0 THEN
		RETURN QUERY
		WITH first AS MATERIALIZED (
			SELECT e.stream_id, e.first_line FROM @extschema@.l4_job_first_lines(l4_said_hosts.job_id, headed) e
		),
		-- of a rank of many files two tell: whether they agree shows whether the number is that of one rank at all
		own AS MATERIALIZED (
			SELECT s.stream_id, s.rank
			FROM (SELECT c.stream_id, c.rank, row_number() OVER (PARTITION BY c.rank, c.attempt ORDER BY c.stream_id) AS turn,
					count(*) OVER (PARTITION BY c.rank, c.attempt) AS turns
				FROM @extschema@.l4_chosen_streams(streams, ARRAY(SELECT f.stream_id FROM first f)) c) s
			WHERE s.turn IN (1, s.turns)
		)
		SELECT ''::text, 0, s.rank, h.host
		FROM (SELECT array_agg(e.stream_id) AS stream_ids, array_agg(e.first_line) AS line_nos
			FROM first e JOIN own s ON s.stream_id = e.stream_id) f
		CROSS JOIN LATERAL @extschema@.l4_records_at(l4_said_hosts.job_id, f.stream_ids, f.line_nos) r
		JOIN own s ON s.stream_id = r.stream_id
		CROSS JOIN LATERAL (SELECT regexp_match(r.raw, wordings.own_header) AS parts OFFSET 0) m
		CROSS JOIN LATERAL (SELECT CASE cardinality(m.parts) WHEN 1 THEN m.parts[1]
			ELSE (SELECT min(p.part) FROM unnest(m.parts) p (part)) END AS host OFFSET 0) h
		WHERE h.host IS NOT NULL;
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_said_hosts(text, @extschema@.l4_job_stream[], bigint, text[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: What ranks (their streams, and how many ranks these are) say where one''s own host is named: by statement (shape and '
'position; 0 the header of NCCL) the rank and the text, be it a parameter or a node of the job (known) that is written out '
'(l4_written_hosts). Reads the parameter statistics of these shapes, and of NCCL one '
'record a stream, of two streams of a rank (and attempt) at most.';

CREATE FUNCTION @extschema@.l4_rank_hosts(job_id text, streams @extschema@.l4_job_stream[], known text[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS TABLE (rank int, host text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 100
BEGIN ATOMIC
	WITH own AS MATERIALIZED (
		SELECT array_agg(s) AS streams, count(DISTINCT s.rank) AS ranks FROM unnest(l4_rank_hosts.streams) s
		WHERE s.rank IS NOT NULL AND s.record_count > 0
	),
	said AS MATERIALIZED (
		SELECT DISTINCT s.statement, s.position, s.rank, s.host
		FROM own o CROSS JOIN LATERAL @extschema@.l4_said_hosts(l4_rank_hosts.job_id, o.streams, o.ranks,
			l4_rank_hosts.known, limits, wordings) s
	),
	told AS (
		SELECT s.statement, s.position, count(*) AS ranks
		FROM said s
		GROUP BY s.statement, s.position
		-- each rank one host, and a host: one of the job's, or a name that is neither a device, a file, a time nor an address
		HAVING count(*) = count(DISTINCT s.rank)
			AND bool_and(s.host = ANY (l4_rank_hosts.known) OR s.host ~ (wordings).host_name AND s.host !~ (wordings).device)
			AND count(DISTINCT s.host) > 1
			AND count(*) >= (limits).place_rank_share * (SELECT o.ranks FROM own o)
	),
	host AS (
		SELECT t.statement, t.position, t.ranks, s.host, count(*) AS here
		FROM told t JOIN said s ON s.statement = t.statement AND s.position = t.position
		GROUP BY t.statement, t.position, t.ranks, s.host
	),
	even AS (
		SELECT h.statement, h.position, h.ranks FROM host h GROUP BY h.statement, h.position, h.ranks
		HAVING count(*) * max(h.here) <= (limits).place_even_factor * h.ranks
	),
	best AS (SELECT e.statement, e.position FROM even e ORDER BY e.ranks DESC, e.statement COLLATE "C", e.position LIMIT 1)
	SELECT s.rank, s.host FROM best b JOIN said s ON s.statement = b.statement AND s.position = b.position;
END;
COMMENT ON FUNCTION @extschema@.l4_rank_hosts(text, @extschema@.l4_job_stream[], text[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: On which host each rank of a job (of its streams) says it runs, by the one statement that most ranks make '
'(l4_said_hosts) and that deals them out evenly over several hosts. No row where none does. known: the nodes of the job.';

CREATE FUNCTION @extschema@.l4_placing_records(job_id text, streams @extschema@.l4_job_stream[], known text[],
	limits @extschema@.l4_limits)
RETURNS TABLE (shape_id bigint, raw text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 100
BEGIN ATOMIC
	WITH own AS MATERIALIZED (
		-- what ranks say of themselves is asked apart, and of others they speak as these fail
		SELECT s.stream_id, s.source_id FROM unnest(l4_placing_records.streams) s WHERE s.kind <> 'rank' AND s.record_count > 0
	),
	record AS (
		SELECT DISTINCT r.shape_id, r.raw
		FROM @extschema@.l4_early_records(l4_placing_records.job_id, ARRAY(SELECT DISTINCT o.source_id FROM own o), ARRAY(
			-- a statement of one rank and its host, or of all of them, in either case no flood
			SELECT j.shape_id
			FROM @extschema@.l4_job_shapes(l4_placing_records.job_id) j
			JOIN @extschema@.l4_shape h ON h.shape_id = j.shape_id
			WHERE j.occurrences <= (limits).address_records * cardinality(l4_placing_records.known)
				AND (h.shape ~* (@extschema@.l4_rank_word() || '<\*>')
					OR cardinality(string_to_array(h.shape, '<*>')) > cardinality(l4_placing_records.known))), limits) r
		WHERE r.stream_id IN (SELECT o.stream_id FROM own o)
	)
	SELECT b.shape_id, b.raw
	FROM (SELECT r.shape_id, r.raw, sum(octet_length(r.raw)) OVER (ORDER BY r.shape_id, r.raw COLLATE "C") AS bytes
		FROM record r) b
	WHERE b.bytes <= (limits).place_bytes;
END;
COMMENT ON FUNCTION @extschema@.l4_placing_records(text, @extschema@.l4_job_stream[], text[], @extschema@.l4_limits) IS
'Step: The records of a job''s launchers, controllers and other files that may tell where ranks are (l4_told_hosts): of shapes '
'with the number of a rank, or with more parameters than the job has nodes (known), each text once, place_bytes of them at '
'most. streams: l4_job_streams. Reads the first segments of files that have any.';

CREATE TYPE @extschema@.l4_placing_word AS (
	record_no int,
	turn int,
	word text,
	before int,
	behind int,
	is_host boolean,
	number text
);
COMMENT ON TYPE @extschema@.l4_placing_word IS
'A word of a record that may tell where ranks are: the record, the word''s place among all words and what parts them, how many '
'characters stand before its first and up to its last one, whether it is the name of a node, and itself where it is a number '
'or a range ("0-7").';

CREATE FUNCTION @extschema@.l4_placing_words(records text[], known text[]) RETURNS SETOF @extschema@.l4_placing_word
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	WITH piece AS (
		SELECT r.record_no, t.turn, t.match[1] AS word,
			sum(length(COALESCE(t.match[1], t.match[2]))) OVER (PARTITION BY r.record_no ORDER BY t.turn) AS behind
		FROM unnest(l4_placing_words.records) WITH ORDINALITY r (raw, record_no)
		-- as l4_mentions reads words
		CROSS JOIN LATERAL regexp_matches(r.raw, '([[:alnum:]](?:[[:alnum:]_.-]*[[:alnum:]])?)|([^[:alnum:]]+)', 'g')
			WITH ORDINALITY t (match, turn)
	),
	named AS (
		SELECT DISTINCT lower(split_part(k.node, '.', 1)) AS name FROM unnest(l4_placing_words.known) k (node)
	)
	SELECT p.record_no, p.turn, p.word, p.behind - length(p.word), p.behind, n.name IS NOT NULL,
		CASE WHEN p.word ~ '^\d{1,6}(-\d{1,6})?$' THEN p.word END
	FROM piece p LEFT JOIN named n ON n.name = lower(split_part(p.word, '.', 1))
	WHERE p.word IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_placing_words(text[], text[]) IS
'Step: The words of records, with which of them are names of the nodes of a job (known; with their domain or without) or '
'numbers. Cost: some microseconds a word.';

CREATE FUNCTION @extschema@.l4_stated_hosts(shape_ids bigint[], records text[], words @extschema@.l4_placing_word[],
	ranks_per_node int, limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS TABLE (statement bigint, rank int, host text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH pair AS MATERIALIZED (
		SELECT r.shape_id, substring(n.word, '\d+$')::int AS rank, h.word AS host
		FROM unnest(l4_stated_hosts.shape_ids, l4_stated_hosts.records) WITH ORDINALITY r (shape_id, raw, record_no)
		JOIN unnest(l4_stated_hosts.words) n ON n.record_no = r.record_no
		JOIN unnest(l4_stated_hosts.words) h ON h.record_no = r.record_no
		WHERE h.is_host AND NOT n.is_host AND n.word ~ '\d$' AND abs(h.turn - n.turn) <= 2 * (limits).place_words
			AND left(r.raw, n.behind) ~* (@extschema@.l4_rank_word() || '\d{1,6}$')
			AND CASE WHEN h.turn > n.turn
				THEN substr(r.raw, n.behind + 1, h.before - n.behind) ~ (wordings).rank_then_host
				-- which may be of one word with the number: rank_3
				ELSE rtrim(substr(r.raw, h.behind + 1, n.behind - h.behind), '0123456789') ~ (wordings).host_then_rank END
	)
	SELECT p.shape_id, p.rank, p.host FROM pair p
	-- who is on two hosts, or where there are too many, is only mentioned with them
	WHERE p.shape_id NOT IN (
		SELECT o.shape_id FROM pair o GROUP BY o.shape_id, o.rank HAVING count(DISTINCT o.host) > 1
		UNION ALL SELECT o.shape_id FROM pair o GROUP BY o.shape_id, o.host
			HAVING count(DISTINCT o.rank) > l4_stated_hosts.ranks_per_node);
END;
COMMENT ON FUNCTION @extschema@.l4_stated_hosts(bigint[], text[], @extschema@.l4_placing_word[], int, @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: The hosts of ranks by statements that name a rank and its host next to each other ("rank 3 on node-1 exited", "node-1: '
'rank 3"; wordings of classes rank_then_host and host_then_rank), each rank with one, and no host with more than '
'ranks_per_node (NULL: not known); statement: the shape. shape_ids, records: the records; words: l4_placing_words of them.';

CREATE FUNCTION @extschema@.l4_dealt_hosts(words @extschema@.l4_placing_word[], ranks int[])
RETURNS TABLE (statement bigint, rank int, host text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH grouped AS (
		SELECT w.*, count(*) FILTER (WHERE w.is_host) OVER turns AS host_no,
			count(*) FILTER (WHERE w.number IS NULL) OVER turns AS noun_no
		FROM unnest(l4_dealt_hosts.words) w
		WINDOW turns AS (PARTITION BY w.record_no ORDER BY w.turn)
	),
	-- node-1: 2 slots, ranks 0-1: what is counted there, unless the name of the host stands before it
	listed AS (
		SELECT g.record_no, CASE WHEN NOT g.noun_is_host THEN g.noun END AS noun, split_part(g.number, '-', 1)::int AS first,
			split_part(g.number, '-', -1)::int AS last, g.host
		FROM (
			SELECT o.record_no, o.number, o.host_no, first_value(o.word) OVER hosts AS host,
				first_value(o.word) OVER nouns AS noun, first_value(o.is_host) OVER nouns AS noun_is_host
			FROM grouped o
			WINDOW hosts AS (PARTITION BY o.record_no, o.host_no ORDER BY o.turn),
				nouns AS (PARTITION BY o.record_no, o.noun_no ORDER BY o.turn)) g
		WHERE g.number IS NOT NULL AND g.host_no > 0
	),
	range AS MATERIALIZED (
		SELECT l.*, lag(l.last) OVER (PARTITION BY l.record_no, l.noun ORDER BY l.first, l.last) AS before FROM listed l
	),
	-- each once, from 0 on
	dealt AS (
		SELECT r.record_no, r.noun FROM range r GROUP BY r.record_no, r.noun
		HAVING bool_and(r.first = COALESCE(r.before + 1, 0) AND r.last >= r.first) AND count(DISTINCT r.host) > 1
			AND max(r.last) >= (SELECT max(n) FROM unnest(l4_dealt_hosts.ranks) n)
	)
	SELECT r.record_no, n, r.host FROM dealt d
	JOIN range r ON r.record_no = d.record_no AND r.noun IS NOT DISTINCT FROM d.noun
	JOIN unnest(l4_dealt_hosts.ranks) n ON n BETWEEN r.first AND r.last;
END;
COMMENT ON FUNCTION @extschema@.l4_dealt_hosts(@extschema@.l4_placing_word[], int[]) IS
'Step: The hosts of ranks (these, and there may be more) by records that deal out all of them over several hosts, each once, '
'from 0 on ("node-1 -> 0,1, node-2 -> 2,3"); statement: the record. words: l4_placing_words.';

CREATE FUNCTION @extschema@.l4_told_hosts(job_id text, streams @extschema@.l4_job_stream[], known text[], ranks_per_node int,
	own_ranks int[], own_hosts text[], limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS TABLE (rank int, host text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_nestloop = off
AS $$
#variable_conflict use_column
DECLARE
	ranks CONSTANT int[] := ARRAY(SELECT DISTINCT s.rank FROM unnest(streams) s WHERE s.rank IS NOT NULL);
	shape_ids bigint[];
	records text[];
	words @extschema@.l4_placing_word[];
BEGIN
	-- most say it themselves, and then nobody else is asked
	IF ranks <@ coalesce(own_ranks, '{}') THEN
		RETURN;
	END IF;
	SELECT array_agg(p.shape_id), array_agg(p.raw) INTO shape_ids, records
	FROM @extschema@.l4_placing_records(l4_told_hosts.job_id, streams, known, limits) p;
	words := ARRAY(SELECT w FROM @extschema@.l4_placing_words(records, known) w);
	RETURN QUERY
	WITH statement AS MATERIALIZED (
		SELECT 'list' AS kind, d.* FROM @extschema@.l4_dealt_hosts(words, ranks) d
		UNION ALL SELECT 'rank', t.*
		FROM @extschema@.l4_stated_hosts(shape_ids, records, words, ranks_per_node, limits, wordings) t
	),
	own AS (SELECT o.rank, o.host FROM unnest(own_ranks, own_hosts) o (rank, host)),
	-- what a rank says otherwise of itself is of other numbers, as those of a launcher's daemons
	other AS (
		SELECT s.kind, s.statement FROM statement s JOIN own o ON o.rank = s.rank
		WHERE lower(split_part(o.host, '.', 1)) <> lower(split_part(s.host, '.', 1))
	)
	-- who was started again may be elsewhere
	SELECT s.rank, min(s.host) FROM statement s
	WHERE (s.kind, s.statement) NOT IN (SELECT o.kind, o.statement FROM other o) AND s.rank NOT IN (SELECT o.rank FROM own o)
	GROUP BY s.rank HAVING count(DISTINCT s.host) = 1;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_told_hosts(text, @extschema@.l4_job_stream[], text[], int, int[], text[],
	@extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: On which host each rank of a job is that does not say it itself (own_ranks, own_hosts: those that do, '
'l4_rank_hosts), as its launcher, its controller or whoever else is no rank says (l4_stated_hosts, l4_dealt_hosts); but for '
'statements that contradict what a rank says of itself. A rank of which they disagree has no row. known: the nodes of the '
'job; streams: l4_job_streams.';

CREATE FUNCTION @extschema@.l4_silent_rank_nodes(ranks int[], rank_nodes text[], nodes text[], ranks_per_node int)
RETURNS TABLE (rank int, node text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	WITH per AS (SELECT COALESCE(l4_silent_rank_nodes.ranks_per_node, 1) AS node_ranks),
	told AS (SELECT t.rank, t.node FROM unnest(l4_silent_rank_nodes.ranks, l4_silent_rank_nodes.rank_nodes) t (rank, node)),
	-- so many ranks in a row are of one node
	block AS (
		SELECT t.rank / p.node_ranks AS number, min(t.node) AS node, count(DISTINCT t.node) AS here
		FROM told t CROSS JOIN per p GROUP BY 1
	),
	in_rows AS (SELECT max(b.here) = 1 AND count(DISTINCT b.node) = count(*) AS hold FROM block b),
	silent AS MATERIALIZED (
		SELECT r AS rank, CASE WHEN i.hold THEN b.node END AS node
		FROM per p CROSS JOIN in_rows i
		CROSS JOIN LATERAL generate_series(0, cardinality(l4_silent_rank_nodes.nodes) * p.node_ranks - 1) r
		LEFT JOIN block b ON b.number = r / p.node_ranks
		LEFT JOIN told t ON t.rank = r
		WHERE t.rank IS NULL
	),
	-- those of the one node that has not all of its own
	room AS (
		SELECT n.node FROM unnest(l4_silent_rank_nodes.nodes) n (node) CROSS JOIN per p
		LEFT JOIN (SELECT o.node, count(*) AS ranks FROM (SELECT t.node FROM told t UNION ALL SELECT s.node FROM silent s) o
			GROUP BY o.node) k ON k.node = n.node
		WHERE COALESCE(k.ranks, 0) < p.node_ranks
	)
	SELECT s.rank, COALESCE(s.node, (SELECT min(r.node) FROM room r HAVING count(*) = 1)) FROM silent s;
END;
COMMENT ON FUNCTION @extschema@.l4_silent_rank_nodes(int[], text[], text[], int) IS
'Step: On which of the nodes of a job its other ranks are, where some (ranks) say theirs (rank_nodes): with those of their '
'row, where all that is said has ranks_per_node ranks in a row on each node; or on the one node that lacks some. NULL where '
'that does not tell.';

CREATE FUNCTION @extschema@.l4_is_unplaced(source text, label text, node text, rank int, nodes text[], ranks_per_node int)
	RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN rank IS NOT NULL AND (node IS NULL OR strpos(source, node) = 0
	AND (node = @extschema@.l4_node_of_rank(rank, nodes, ranks_per_node) OR @extschema@.l4_is_task_label(label)));
COMMENT ON FUNCTION @extschema@.l4_is_unplaced(text, text, text, int, text[], int) IS
'Step: Is the node of a rank''s stream one that the rank itself may tell better? It is where neither path nor label names one, '
'or only the job''s list of nodes does, as where the label has the number of a launcher''s task (l4_is_task_label).';

CREATE FUNCTION @extschema@.l4_learn_rank_nodes(job_id text, streams @extschema@.l4_job_stream[] DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
-- within the transaction of an import nothing is known of its rows: loops over all pairs of thousands of streams would take
-- minutes
SET enable_nestloop = off
AS $$
#variable_conflict use_column
DECLARE
	learned bigint;
	limits @extschema@.l4_limits;
	wordings @extschema@.l4_wordings;
	known text[];
	ranks int[];
	hosts text[];
BEGIN
	-- of most jobs paths name all nodes: there is nothing to learn, and nothing was learnt that might no longer hold
	IF NOT EXISTS (
		SELECT FROM @extschema@.l4_stream s
		LEFT JOIN @extschema@.l4_job j ON j.job_id = s.job_id
		WHERE s.job_id = l4_learn_rank_nodes.job_id AND (s.told_node IS NOT NULL
			OR @extschema@.l4_is_unplaced(s.source, s.label, s.node, s.rank, j.nodes, j.ranks_per_node))) THEN
		RETURN 0;
	END IF;
	IF streams IS NULL THEN
		streams := ARRAY(SELECT s FROM @extschema@.l4_job_streams(l4_learn_rank_nodes.job_id) s);
	END IF;
	limits := @extschema@.l4_limits_in_force();
	wordings := @extschema@.l4_wordings_in_force();
	known := ARRAY(
		SELECT u.node FROM @extschema@.l4_job j, unnest(j.nodes) u (node) WHERE j.job_id = l4_learn_rank_nodes.job_id
		UNION SELECT s.node FROM @extschema@.l4_stream s WHERE s.job_id = l4_learn_rank_nodes.job_id AND s.node IS NOT NULL);
	-- By itself: on a cluster, what the statement below asks a node is answered by a session that need not see the shapes this
	-- transaction added.
	SELECT array_agg(h.rank), array_agg(h.host) INTO ranks, hosts
	FROM @extschema@.l4_rank_hosts(l4_learn_rank_nodes.job_id, streams, known, limits, wordings) h;
	-- of who does not say, others do
	SELECT ranks || array_agg(o.rank), hosts || array_agg(o.host) INTO ranks, hosts
	FROM @extschema@.l4_told_hosts(l4_learn_rank_nodes.job_id, streams, known,
		(SELECT j.ranks_per_node FROM @extschema@.l4_job j WHERE j.job_id = l4_learn_rank_nodes.job_id), ranks, hosts, limits,
		wordings) o;
	-- Streams that are being written now their own import learns of. What a path says is not gainsaid.
	WITH own AS MATERIALIZED (
		SELECT s.stream_id, s.label, s.rank, s.told_node,
			@extschema@.l4_is_unplaced(s.source, s.label, s.node, s.rank, j.nodes, j.ranks_per_node) AS unplaced,
			-- of ranks that were learnt: as labels have it, over the nodes in their order
			CASE WHEN s.node IS NULL THEN @extschema@.l4_node_of_rank(s.rank, j.nodes, j.ranks_per_node) END AS in_order,
			-- of a label that is none of the list (an address, an identifier) others tell
			COALESCE(s.node = ANY (j.nodes), true) AS listed
		FROM @extschema@.l4_stream s
		LEFT JOIN @extschema@.l4_job j ON j.job_id = s.job_id
		WHERE s.job_id = l4_learn_rank_nodes.job_id
	),
	said AS MATERIALIZED (
		SELECT h.rank, h.host FROM unnest(ranks, hosts) h (rank, host)
	),
	-- a host goes by the name that the job's logs or list have for it, with its domain or without
	named AS MATERIALIZED (
		SELECT h.host, COALESCE(min(k.node) FILTER (WHERE k.node = h.host), min(k.node)) AS node
		FROM (SELECT DISTINCT s.host FROM said s) h
		LEFT JOIN unnest(known) k (node) ON lower(split_part(k.node, '.', 1)) = lower(split_part(h.host, '.', 1))
		GROUP BY h.host
	),
	told AS MATERIALIZED (
		SELECT s.rank, COALESCE(n.node, s.host) AS node FROM said s JOIN named n ON n.host = s.host
		-- where none of the hosts is of the list, its names are other ones
		WHERE cardinality(known) = 0 OR EXISTS (SELECT FROM named o WHERE o.node IS NOT NULL)
	),
	placed AS (
		SELECT t.rank, t.node FROM told t
		UNION ALL
		SELECT r.rank, r.node
		FROM (SELECT array_agg(t.rank) AS ranks, array_agg(t.node) AS nodes FROM told t HAVING count(*) > 0) t
		JOIN @extschema@.l4_job j ON j.job_id = l4_learn_rank_nodes.job_id
		CROSS JOIN LATERAL @extschema@.l4_silent_rank_nodes(t.ranks, t.nodes, j.nodes, j.ranks_per_node) r
		WHERE r.node IS NOT NULL
	),
	changed AS MATERIALIZED (
		SELECT o.stream_id, COALESCE(p.node, o.in_order) AS node
		FROM own o LEFT JOIN placed p ON p.rank = o.rank AND o.unplaced
		-- the lines of a launcher's task follow its processes (l4_learn_task_nodes)
		WHERE o.listed AND (o.rank IS NOT NULL OR @extschema@.l4_task_of_label(o.label) IS NULL)
			AND COALESCE(p.node, o.in_order) IS DISTINCT FROM o.told_node
	),
	held AS MATERIALIZED (
		SELECT o.stream_id, t.node FROM @extschema@.l4_stream o JOIN changed t ON t.stream_id = o.stream_id
		WHERE o.job_id = l4_learn_rank_nodes.job_id
		FOR UPDATE OF o SKIP LOCKED
	)
	UPDATE @extschema@.l4_stream s SET told_node = c.node
	FROM held c
	WHERE s.job_id = l4_learn_rank_nodes.job_id AND s.stream_id = c.stream_id;
	GET DIAGNOSTICS learned = ROW_COUNT;
	RETURN learned;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_learn_rank_nodes(text, @extschema@.l4_job_stream[]) IS
'Learns from what ranks say themselves which node each is on (l4_rank_hosts), or others of them (l4_told_hosts), where neither '
'path nor label of their logs names one; where nobody does, from the order of the job''s nodes. Fills l4_stream.told_node; '
'returns the number of rows changed. streams: the job''s (l4_job_streams), where the caller has them. Called at the end of an '
'import.';

CREATE FUNCTION @extschema@.l4_label_hosts(job_id text, limits @extschema@.l4_limits, wordings @extschema@.l4_wordings)
RETURNS TABLE (label text, host text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 100
BEGIN ATOMIC
	WITH known AS MATERIALIZED (
		SELECT u.node FROM @extschema@.l4_job_row(l4_label_hosts.job_id) j, unnest(j.nodes) u (node)
	),
	labelled AS MATERIALIZED (
		SELECT s.stream_id, s.source_id, s.unit AS label FROM @extschema@.l4_job_streams(l4_label_hosts.job_id) s
		WHERE s.label IS NOT NULL AND s.record_count > 0 AND s.node IS NOT NULL AND s.node NOT IN (SELECT k.node FROM known k)
	),
	-- few statements name one's host
	wanted AS MATERIALIZED (
		SELECT array_agg(h.shape_id) AS shape_ids
		FROM @extschema@.l4_job_shape_ids(l4_label_hosts.job_id) j (shape_id)
			JOIN @extschema@.l4_shape h ON h.shape_id = j.shape_id
		WHERE h.shape LIKE '%<*>%' AND EXISTS (SELECT FROM @extschema@.l4_host_parameters(h.shape, wordings))
	),
	said AS MATERIALIZED (
		SELECT p.shape_id, p.position, l.label, min(p.values[1]) AS host
		FROM wanted w
		CROSS JOIN @extschema@.l4_job_sketches(l4_label_hosts.job_id, ARRAY(SELECT DISTINCT l.source_id FROM labelled l)) k
		CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch, w.shape_ids) p
		JOIN labelled l ON l.stream_id = p.stream_id
		WHERE w.shape_ids IS NOT NULL AND p.values[1] IN (SELECT k.node FROM known k)
		GROUP BY p.shape_id, p.position, l.label
		HAVING max(p.distinct_values) = 1 AND count(DISTINCT p.values[1]) = 1
	),
	-- commands differ, and so do the statements they are told by; a label's agree
	told AS MATERIALIZED (
		SELECT a.label, min(a.host) AS host
		FROM said a JOIN @extschema@.l4_shape h ON h.shape_id = a.shape_id
		WHERE a.position IN (SELECT @extschema@.l4_host_parameters(h.shape, wordings))
		GROUP BY a.label HAVING count(DISTINCT a.host) = 1
	)
	SELECT t.label, t.host FROM told t
	WHERE (SELECT count(DISTINCT o.host) > 1
			AND count(*) >= (limits).place_rank_share * (SELECT count(DISTINCT l.label) FROM labelled l) FROM told o);
END;
COMMENT ON FUNCTION @extschema@.l4_label_hosts(text, @extschema@.l4_limits, @extschema@.l4_wordings) IS
'Step: Of labels that are no node of the job''s list (the identifier of a command on a host) those that say on which of its '
'nodes they are, where most of them do ("running run.sh as root@node-05"). Reads the '
'parameter statistics of the statements that name a host.';

CREATE FUNCTION @extschema@.l4_name_labelled_streams(job_id text) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	named bigint;
	labels text[];
	hosts text[];
BEGIN
	IF NOT EXISTS (SELECT FROM @extschema@.l4_stream s JOIN @extschema@.l4_job j ON j.job_id = s.job_id
			WHERE s.job_id = l4_name_labelled_streams.job_id AND s.label IS NOT NULL AND s.told_node IS NULL
				AND cardinality(j.nodes) > 1 AND s.node <> ALL (j.nodes)) THEN
		RETURN 0;
	END IF;
	-- by itself, as in l4_learn_rank_nodes
	SELECT array_agg(h.label), array_agg(h.host) INTO labels, hosts
	FROM @extschema@.l4_label_hosts(l4_name_labelled_streams.job_id, @extschema@.l4_limits_in_force(),
		@extschema@.l4_wordings_in_force()) h;
	WITH held AS MATERIALIZED (
		SELECT s.stream_id, h.host
		FROM @extschema@.l4_stream s JOIN unnest(labels, hosts) h (label, host) ON h.label = s.node
		WHERE s.job_id = l4_name_labelled_streams.job_id AND s.told_node IS NULL
		FOR UPDATE OF s SKIP LOCKED
	)
	UPDATE @extschema@.l4_stream s SET told_node = h.host
	FROM held h
	WHERE s.job_id = l4_name_labelled_streams.job_id AND s.stream_id = h.stream_id;
	GET DIAGNOSTICS named = ROW_COUNT;
	RETURN named;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_name_labelled_streams(text) IS
'Step: Finds out on which node the streams of a label are that is none of the job''s list, from what they say '
'(l4_label_hosts): fills l4_stream.told_node; returns the number of rows changed.';

CREATE FUNCTION @extschema@.l4_learn_places(job_id text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	streams @extschema@.l4_job_stream[];
BEGIN
	PERFORM @extschema@.l4_name_labelled_streams(l4_learn_places.job_id);
	-- asked once for all steps, and again where one has changed them: a file may be that of hundreds of ranks
	streams := ARRAY(SELECT s FROM @extschema@.l4_job_streams(l4_learn_places.job_id) s);
	IF @extschema@.l4_learn_task_ranks(l4_learn_places.job_id) + @extschema@.l4_learn_ranks(l4_learn_places.job_id, streams) > 0
	THEN
		streams := ARRAY(SELECT s FROM @extschema@.l4_job_streams(l4_learn_places.job_id) s);
	END IF;
	-- first who is where
	IF @extschema@.l4_learn_rank_nodes(l4_learn_places.job_id, streams) > 0 THEN
		streams := ARRAY(SELECT s FROM @extschema@.l4_job_streams(l4_learn_places.job_id) s);
	END IF;
	-- the lines of a task's agent are of its processes' node
	IF @extschema@.l4_learn_task_nodes(l4_learn_places.job_id) > 0 THEN
		streams := ARRAY(SELECT s FROM @extschema@.l4_job_streams(l4_learn_places.job_id) s);
	END IF;
	-- the order of the list counts where nobody says more
	IF @extschema@.l4_learn_ranks_in_order(l4_learn_places.job_id, streams) > 0 THEN
		streams := ARRAY(SELECT s FROM @extschema@.l4_job_streams(l4_learn_places.job_id) s);
	END IF;
	PERFORM @extschema@.l4_learn_addresses(l4_learn_places.job_id, streams);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_learn_places(text) IS
'Step: What is learnt at the end of an import of who is who: l4_name_labelled_streams, l4_learn_task_ranks, l4_learn_ranks, '
'l4_learn_rank_nodes, l4_learn_task_nodes, l4_learn_ranks_in_order and l4_learn_addresses, one after the other.';
