/*
 * Who is meant: names of nodes, ranks and addresses in texts.
 *
 * A record names a node by rank, by name or by network address. Which node has which address is learned from the job's own
 * records at the end of its import.
 */

CREATE FUNCTION @extschema@.l4_rank_units(job_id text) RETURNS TABLE (rank int, unit text, node text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
BEGIN ATOMIC
	-- the streams know best; the list of nodes fills the gaps (a node whose logs are missing)
	SELECT DISTINCT ON (r.rank) r.rank, r.unit, r.node FROM (
		SELECT s.rank, s.unit, s.node, 1 AS turn
		FROM @extschema@.l4_job_streams(l4_rank_units.job_id) s WHERE s.rank IS NOT NULL
		UNION ALL
		-- no machine runs more than some thousand ranks, whatever the scheduler said
		SELECT ((u.position - 1) * COALESCE(j.ranks_per_node, 1) + g.i)::int, u.node, u.node, 2
		FROM @extschema@.l4_job_row(l4_rank_units.job_id) j, unnest(j.nodes) WITH ORDINALITY u (node, position),
			generate_series(0, LEAST(COALESCE(j.ranks_per_node, 1), 65536) - 1) g (i)
		WHERE (u.position - 1) * COALESCE(j.ranks_per_node, 1) + g.i <= 2147483647) r
	ORDER BY r.rank, r.turn, r.unit;
END;
COMMENT ON FUNCTION @extschema@.l4_rank_units(text) IS
'Step: Which unit each rank of a job is of: its node, or the rank itself where its node is not known (node NULL).';

CREATE FUNCTION @extschema@.l4_rank_word() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '(?<!\m(?:node|host|machine|local|group|stage|tp|pp|dp|cp|ep|mp|sp|tensor|pipeline|data|model|expert|context|sequence'
	'|parallel|replica|shard)[ -])(?<!\((?:head|worker\d{1,6}), )\mranks?(?:\(s\))?[ _:=#]{0,3}[[({]?\s?';
COMMENT ON FUNCTION @extschema@.l4_rank_word() IS
'Step: What stands before the number of a rank, as a pattern for either case: rank 7, rank_7, rank[7], rank: 7, ranks 3, 5, '
'rank(s) [6], ranks: {7, 8}; not node rank 2, tp rank 0: they count something else, as SkyPilot''s labels do: (worker1, '
'rank=1, pid=31, ip=10.0.3.7).';

CREATE FUNCTION @extschema@.l4_listed_hosts(texts text[], hosts text[]) RETURNS TABLE (ordinal bigint, host text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	-- The hosts are looked up in the ranges, not the ranges written out: a text may have thousands, of a million each.
	WITH range AS MATERIALIZED (
		SELECT t.ordinal, l.match[1] AS stem, l.match[3] AS suffix, length(b.bounds[1]) AS digits,
			range_agg(CASE WHEN b.bounds[1]::int <= COALESCE(b.bounds[2], b.bounds[1])::int
				THEN int4range(b.bounds[1]::int, COALESCE(b.bounds[2], b.bounds[1])::int, '[]') END) AS numbers
		FROM unnest(l4_listed_hosts.texts) WITH ORDINALITY t (text, ordinal)
		CROSS JOIN LATERAL regexp_matches(CASE WHEN strpos(t.text, '[') > 0 THEN t.text END, '([[:alnum:]][[:alnum:]_.-]*)'
			'\[(\d{1,6}(?:-\d{1,6})?(?:,\d{1,6}(?:-\d{1,6})?)*)\]((?:[_.-]?[[:alnum:]])*)', 'g') l (match)
		CROSS JOIN LATERAL string_to_table(l.match[2], ',') r (range)
		CROSS JOIN LATERAL string_to_array(r.range, '-') b (bounds)
		GROUP BY t.ordinal, l.match[1], l.match[3], length(b.bounds[1])
	),
	-- each number in a name may be the one that is listed: rack7.dc2
	numbered AS MATERIALIZED (
		SELECT h.host, left(h.host, p.at - 1) AS stem, n.number, substr(h.host, p.at + length(n.number)) AS suffix
		FROM unnest(l4_listed_hosts.hosts) h (host)
		CROSS JOIN LATERAL generate_series(1, regexp_count(h.host, '\d+')) t (turn)
		CROSS JOIN LATERAL regexp_instr(h.host, '\d+', 1, t.turn) p (at)
		CROSS JOIN LATERAL regexp_substr(h.host, '\d+', 1, t.turn) n (number)
		WHERE EXISTS (SELECT FROM range) AND length(n.number) <= 6
	)
	SELECT DISTINCT r.ordinal, n.host FROM range r JOIN numbered n ON n.stem = r.stem AND n.suffix = r.suffix
	WHERE n.number::int <@ r.numbers
		-- as many digits as the first one has, or as many as it needs
		AND n.number = lpad(n.number::int::text, GREATEST(r.digits, length(n.number::int::text)), '0');
END;
COMMENT ON FUNCTION @extschema@.l4_listed_hosts(text[], text[]) IS
'Step: Which of the hosts are in lists of hosts in texts, as Slurm and pdsh write them: of gpu-a[07-09,12] gpu-a07, gpu-a08, '
'gpu-a09 and gpu-a12; with the text''s place in the array. Cost: one regular expression a text with a bracket, and three a '
'number in the name of a host where any text has a list.';

CREATE FUNCTION @extschema@.l4_early_records(job_id text, source_ids bigint[], shape_ids bigint[], limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint, shape_id bigint, parameters text[], raw text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 100
BEGIN ATOMIC
	SELECT r.stream_id, r.shape_id, r.parameters, r.raw
	FROM @extschema@.l4_job_segments(l4_early_records.job_id, l4_early_records.source_ids, l4_early_records.shape_ids,
		(limits).address_segments::int) g
	CROSS JOIN LATERAL @extschema@.l4_shape_records(g.structure, g.texts, g.parameters, g.stream_ids,
		l4_early_records.shape_ids) r
	WHERE cardinality(l4_early_records.shape_ids) > 0;
END;
COMMENT ON FUNCTION @extschema@.l4_early_records(text, bigint[], bigint[], @extschema@.l4_limits) IS
'Step: The records of some shapes in the first segments of a job''s files (address_segments; source_ids NULL: of all files), '
'where names and places are told. Opens those segments that have any.';

CREATE FUNCTION @extschema@.l4_mentions(job_id text, texts text[], units @extschema@.l4_unit[] DEFAULT NULL)
RETURNS TABLE (ordinal bigint, unit text, node text, rank int, name text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH message AS (
		SELECT m.ordinal, m.text FROM unnest(l4_mentions.texts) WITH ORDINALITY m (text, ordinal)
	),
	unit AS MATERIALIZED (
		SELECT u.unit, u.node, u.rank FROM unnest(l4_mentions.units) u
		UNION ALL
		SELECT u.unit, u.node, u.rank
		FROM @extschema@.l4_job_units(CASE WHEN l4_mentions.units IS NULL THEN l4_mentions.job_id END) u
	),
	rank_name AS (
		-- a list counts wholly
		SELECT DISTINCT m.ordinal, r.number::int AS rank
		FROM message m,
			LATERAL regexp_matches(m.text, @extschema@.l4_rank_word() || '(\d{1,6}(?:, ?\d{1,6})*)\M', 'gi') x (match),
			LATERAL regexp_split_to_table(x.match[1], ', ?') r (number)
		UNION
		-- /job:jax_worker/replica:0/task:5, as JAX and TensorFlow call them
		SELECT m.ordinal, t.match[1]::int
		FROM message m,
			LATERAL regexp_matches(m.text, '/job:[\w-]+(?:/replica:\d+)?/(?:task|process):(\d{1,6})\M', 'g') t (match)
	),
	word AS (
		SELECT DISTINCT m.ordinal, w.match[1] AS word
		FROM message m, LATERAL regexp_matches(m.text, '[[:alnum:]](?:[[:alnum:]_.-]*[[:alnum:]])?', 'g') w (match)
		UNION
		SELECT l.ordinal, l.host FROM @extschema@.l4_listed_hosts(l4_mentions.texts, ARRAY(SELECT u.unit FROM unit u)) l
	),
	host AS (
		-- worker-3 of worker-3.training.svc: names of hosts may be followed by those of their domain
		SELECT DISTINCT w.ordinal, split_part(w.word, '.', 1) AS word FROM word w WHERE strpos(w.word, '.') > 0
	),
	process AS (
		-- pid 31, PID: 31, process 31
		SELECT DISTINCT m.ordinal, 'pid ' || p.match[1] AS word
		FROM message m, LATERAL regexp_matches(m.text, '\m(?:pid|process(?: id)?)[ :=#(]{1,3}(\d{1,10})\M', 'gi') p (match)
		UNION
		-- member 3: as the job's launcher calls its ranks (l4_told_members)
		SELECT DISTINCT m.ordinal, lower(p.match[1]) || ' ' || p.match[2]
		FROM message m, LATERAL regexp_matches(m.text, '\m([[:alpha:]]{3,20})[ :=#_-]{1,2}(\d{1,6})\M', 'g') p (match)
	)
	SELECT r.ordinal, n.unit, n.node, r.rank, 'rank ' || r.rank
	FROM rank_name r JOIN @extschema@.l4_rank_units(
		-- where none is named nobody needs to know
		CASE WHEN EXISTS (SELECT FROM rank_name) THEN l4_mentions.job_id END) n ON n.rank = r.rank
	UNION
	SELECT w.ordinal, u.unit, u.node, u.rank, w.word FROM word w JOIN unit u ON u.unit = w.word
	UNION
	-- a site may have added addresses of nodes that log nothing
	SELECT w.ordinal, a.node, CASE WHEN u.unit IS NULL THEN a.node ELSE u.node END, u.rank, w.word
	FROM (SELECT o.* FROM word o UNION SELECT h.* FROM host h UNION ALL SELECT p.* FROM process p) w
	JOIN @extschema@.l4_job_addresses(l4_mentions.job_id) a ON a.address = w.word
	LEFT JOIN unit u ON u.unit = a.node;
END;
COMMENT ON FUNCTION @extschema@.l4_mentions(text, text[], @extschema@.l4_unit[]) IS
'Step: The units that texts name, by rank, by name or by a learned address or process: the text''s place in the array, the '
'unit (with node as l4_job_units has it), the rank where it is named by that or is one itself, and the name it goes by there. '
'units: those of the job (l4_job_units), where the caller has them.';

CREATE FUNCTION @extschema@.l4_pod_names(streams @extschema@.l4_job_stream[]) RETURNS TABLE (pod text, unit text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 ROWS 10
BEGIN ATOMIC
	-- no part of such a name has an underscore
	SELECT l.names[2], min(l.unit)
	FROM (SELECT DISTINCT string_to_array(split_part(s.source, '/', -3), '_') AS names, s.unit
		FROM unnest(l4_pod_names.streams) s WHERE s.unit IS NOT NULL AND split_part(s.source, '/', -4) = 'pods') l
	WHERE cardinality(l.names) = 3 AND l.names[2] <> ''
	GROUP BY l.names[2]
	HAVING count(DISTINCT l.unit) = 1 AND min(l.unit) <> l.names[2];
END;
COMMENT ON FUNCTION @extschema@.l4_pod_names(@extschema@.l4_job_stream[]) IS
'Step: The pods of a job, each with the unit it ran on, as far as it ran on one alone: kubelet keeps the logs of a node''s '
'containers in pods/NAMESPACE_POD_UID/CONTAINER/NUMBER.log.';

CREATE FUNCTION @extschema@.l4_told_processes(job_id text, streams @extschema@.l4_job_stream[])
RETURNS TABLE (process text, unit text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
-- as of l4_learn_rank_nodes: there may be thousands of streams, and as many processes
SET enable_nestloop = off
AS $$
BEGIN
	RETURN QUERY
	WITH shape AS MATERIALIZED (
		SELECT h.shape_id, p.position
		FROM @extschema@.l4_shape h
		CROSS JOIN LATERAL generate_series(1, cardinality(string_to_array(h.shape, '<*>')) - 1) p (position)
		WHERE h.shape_id = ANY (ARRAY(SELECT n FROM @extschema@.l4_job_shape_ids(l4_told_processes.job_id) n))
			AND h.shape ~* '\mpid\M' AND @extschema@.l4_parameter_name(h.shape, p.position) ~* '^pid$'
	),
	said AS MATERIALIZED (
		SELECT p.stream_id, p.values[1] AS number
		FROM (SELECT array_agg(DISTINCT h.shape_id) AS shape_ids FROM shape h HAVING count(*) > 0) x
		CROSS JOIN @extschema@.l4_job_sketches(l4_told_processes.job_id) k
		CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch, x.shape_ids) p
		JOIN shape h ON h.shape_id = p.shape_id AND h.position = p.position
		WHERE p.distinct_values = 1 AND p.values[1] ~ '^\d{1,10}$'
	),
	told AS (
		SELECT p.number, s.unit
		FROM said p
		JOIN @extschema@.l4_chosen_streams(streams, ARRAY(SELECT o.stream_id FROM said o)) s ON s.stream_id = p.stream_id
		WHERE s.kind = 'rank' AND s.unit IS NOT NULL
	)
	-- on several machines processes may have one number
	SELECT 'pid ' || t.number, min(t.unit) FROM told t GROUP BY t.number HAVING count(DISTINCT t.unit) = 1;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_told_processes(text, @extschema@.l4_job_stream[]) IS
'Step: The processes of which a rank of a job says that they are its own ("rank 4 runs on node-00 (pid 36)"): their numbers as '
'l4_mentions has them, each with the unit, as far as only one unit has it.';

CREATE FUNCTION @extschema@.l4_told_members(job_id text, streams @extschema@.l4_job_stream[], all_units @extschema@.l4_unit[],
	limits @extschema@.l4_limits)
RETURNS TABLE (member text, unit text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	units CONSTANT text[] := ARRAY(SELECT u.node FROM unnest(all_units) u WHERE u.node IS NOT NULL);
	own @extschema@.l4_job_stream[];
	wanted bigint[];
BEGIN
	IF cardinality(units) < 2 THEN
		RETURN;
	END IF;
	own := ARRAY(SELECT s FROM unnest(streams) s
		WHERE s.unit IS NULL AND s.kind IN ('launcher', 'shared', 'other'));
	IF own = '{}' THEN
		RETURN;
	END IF;
	-- statements that name one node of several each, and are no flood
	wanted := ARRAY(
		SELECT p.shape_id
		FROM @extschema@.l4_job_sketches(l4_told_members.job_id, ARRAY(SELECT DISTINCT s.source_id FROM unnest(own) s)) k
		CROSS JOIN LATERAL @extschema@.l4_sketch_choices(k.sketch, units) p
		JOIN unnest(own) s ON s.stream_id = p.stream_id
		WHERE p.occurrences <= limits.address_records * cardinality(units)
		GROUP BY p.shape_id);
	RETURN QUERY
	WITH record AS MATERIALIZED (
		SELECT l.shape_id, l.parameters, h.shape
		FROM @extschema@.l4_early_records(l4_told_members.job_id, ARRAY(SELECT DISTINCT s.source_id FROM unnest(own) s), wanted,
			limits) l
		JOIN @extschema@.l4_shape h ON h.shape_id = l.shape_id
	),
	pair AS (
		SELECT DISTINCT r.shape_id, n.position, lower(@extschema@.l4_parameter_name(r.shape, n.position::int)) AS noun,
			n.value AS number, u.value AS unit
		FROM record r
		CROSS JOIN LATERAL unnest(r.parameters) WITH ORDINALITY n (value, position)
		CROSS JOIN LATERAL unnest(r.parameters) WITH ORDINALITY u (value, position)
		WHERE n.value ~ '^\d{1,6}$' AND u.value = ANY (units)
	),
	told AS (
		-- each number is one of another node, a word stands before it, and from 0 or 1 on there is no gap
		SELECT p.shape_id, p.position FROM pair p
		WHERE p.noun ~ '^[[:alpha:]]{3,20}$'
		GROUP BY p.shape_id, p.position
		HAVING count(*) > 1 AND count(*) = count(DISTINCT p.number) AND min(p.number::int) IN (0, 1)
			AND count(DISTINCT p.unit) > 1
			AND count(*) >= limits.place_rank_share * (max(p.number::int) - min(p.number::int) + 1)
	)
	SELECT p.noun || ' ' || p.number, min(p.unit) FROM pair p
	JOIN told t ON t.shape_id = p.shape_id AND t.position = p.position
	WHERE p.noun <> 'rank'
	GROUP BY 1 HAVING count(DISTINCT p.unit) = 1;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_told_members(text, @extschema@.l4_job_stream[], @extschema@.l4_unit[],
	@extschema@.l4_limits) IS
'Step: What the launcher or the controller of a job calls its processes ("member 3 started on node-03"): word and number, each '
'with the node, by statements that say another number of each of several nodes.';

CREATE FUNCTION @extschema@.l4_numbered_tasks(job_id text, streams @extschema@.l4_job_stream[])
RETURNS TABLE (task text, unit text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
-- as of l4_learn_rank_nodes: there may be thousands of streams
SET enable_nestloop = off
AS $$
DECLARE
	-- what is not called a task is passed over without being unpacked
	shape_ids CONSTANT bigint[] := ARRAY(
		SELECT h.shape_id FROM @extschema@.l4_shape h
		WHERE h.shape_id = ANY (ARRAY(SELECT n FROM @extschema@.l4_job_shape_ids(l4_numbered_tasks.job_id) n))
			AND h.shape ~* '\mtask\M[^[:alnum:]<]*<\*>');
	highest double precision[];
BEGIN
	-- Launchers number what they start as the ranks are numbered. Where the launcher of a job says a statement of each of its
	-- tasks (that it started), once or as often of one as of another, their numbers are those of all ranks.
	IF shape_ids = '{}' THEN
		RETURN;
	END IF;
	highest := ARRAY(
		WITH own AS MATERIALIZED (
			SELECT s.source_id, s.stream_id FROM unnest(l4_numbered_tasks.streams) s
			WHERE s.unit IS NULL AND s.kind IN ('launcher', 'shared', 'other') AND s.record_count > 0
		)
		SELECT DISTINCT p.maximum
		FROM @extschema@.l4_job_sketches(l4_numbered_tasks.job_id, ARRAY(SELECT DISTINCT o.source_id FROM own o)) k
		CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch, shape_ids) p
		JOIN own o ON o.stream_id = p.stream_id
		JOIN @extschema@.l4_shape h ON h.shape_id = p.shape_id
		WHERE p.number_count = p.occurrences AND p.minimum = 0 AND p.maximum >= 1 AND p.mean * 2 = p.maximum
			AND p.maximum = trunc(p.maximum) AND p.occurrences::numeric % (p.maximum::numeric + 1) = 0
			AND p.distinct_values >= LEAST(p.maximum + 1, cardinality(p.values) + 1)
			AND lower(@extschema@.l4_parameter_name(h.shape, p.position)) = 'task');
	IF highest = '{}' THEN
		RETURN;
	END IF;
	RETURN QUERY
	WITH rank AS MATERIALIZED (
		SELECT r.rank, r.unit FROM @extschema@.l4_rank_units(l4_numbered_tasks.job_id) r
	)
	SELECT 'task ' || r.rank, r.unit FROM rank r
	WHERE EXISTS (SELECT FROM rank o
		HAVING min(o.rank) = 0 AND max(o.rank) = count(*) - 1 AND max(o.rank) = ANY (highest));
END
$$;
COMMENT ON FUNCTION @extschema@.l4_numbered_tasks(text, @extschema@.l4_job_stream[]) IS
'Step: What the launcher of a job calls its processes ("task 3 started"): word and number, each with the unit of the rank of '
'that number, where it says a statement of as many tasks as there are ranks, from 0 on. Reads the sketches of its logs.';

CREATE FUNCTION @extschema@.l4_told_names(job_id text, streams @extschema@.l4_job_stream[], all_units @extschema@.l4_unit[],
	limits @extschema@.l4_limits)
RETURNS TABLE (name text, unit text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	source_ids CONSTANT bigint[] := ARRAY(SELECT DISTINCT s.source_id FROM unnest(streams) s
		WHERE s.unit IS NOT NULL AND s.record_count > 0 AND s.kind IN ('rank', 'other') ORDER BY s.source_id);
	-- a word and a number
	name_pattern CONSTANT text := '^[[:alpha:]][[:alpha:]_]{2,30}[-_.:/]?\d{1,6}$';
	wanted bigint[];
BEGIN
	-- few tell which statements say such a name, no two of these streams the same
	wanted := ARRAY(
		WITH kept AS MATERIALIZED (
			SELECT p.*
			FROM @extschema@.l4_job_sketches(l4_told_names.job_id, source_ids[:limits.counter_streams::int]) k
			CROSS JOIN LATERAL @extschema@.l4_sketch_names(k.sketch) p
			WHERE p.name ~ name_pattern
		)
		SELECT DISTINCT w.shape_id
		FROM (SELECT a.shape_id
			FROM kept p
			CROSS JOIN LATERAL unnest(p.shape_ids, p.positions) a (shape_id, position)
			LEFT JOIN @extschema@.l4_chosen_streams(streams, ARRAY(SELECT k.stream_id FROM kept k)) s
				ON s.stream_id = p.stream_id AND p.name <> s.unit AND s.record_count > 0 AND s.kind IN ('rank', 'other')
			GROUP BY a.shape_id, a.position
			HAVING count(DISTINCT p.name) FILTER (WHERE s.stream_id IS NOT NULL) = count(s.stream_id)) w);
	IF wanted = '{}' THEN
		RETURN;
	END IF;
	RETURN QUERY
	-- by itself, lest the streams be gone through for each source
	WITH kept AS MATERIALIZED (
		SELECT p.*
		FROM @extschema@.l4_job_sketches(l4_told_names.job_id, source_ids) k
		CROSS JOIN LATERAL @extschema@.l4_sketch_names(k.sketch, wanted) p
		WHERE p.name ~ name_pattern
	),
	-- a process says its name in many statements: there are numbers for the texts
	numbered AS MATERIALIZED (
		SELECT p.name, s.unit, dense_rank() OVER (ORDER BY p.name COLLATE "C") AS name_no,
			dense_rank() OVER (ORDER BY s.unit COLLATE "C") AS unit_no,
			dense_rank() OVER (ORDER BY rtrim(p.name, '0123456789') COLLATE "C") AS kind_no,
			p.shape_ids, p.positions, p.occurrences
		FROM kept p
		JOIN @extschema@.l4_chosen_streams(streams, ARRAY(SELECT k.stream_id FROM kept k)) s ON s.stream_id = p.stream_id
		WHERE p.name <> s.unit AND s.record_count > 0 AND s.kind IN ('rank', 'other')
	),
	said AS MATERIALIZED (
		SELECT a.shape_id, a.position, n.name_no, n.unit_no, n.kind_no, a.occurrences
		FROM numbered n, unnest(n.shape_ids, n.positions, n.occurrences) a (shape_id, position, occurrences)
	),
	own AS MATERIALIZED (
		-- of each stream another one, several of one kind
		SELECT a.shape_id, a.position FROM said a
		GROUP BY a.shape_id, a.position
		HAVING count(DISTINCT a.name_no) = count(*) AND min(a.unit_no) < max(a.unit_no) AND count(DISTINCT a.kind_no) < count(*)
	),
	-- a neighbour's name is another one each, too, but the own one is said again and again
	named AS (
		SELECT a.name_no, a.unit_no, sum(a.occurrences) AS records, row_number() OVER w AS turn,
			lead(sum(a.occurrences)) OVER w AS next
		FROM said a JOIN own o ON o.shape_id = a.shape_id AND o.position = a.position
		GROUP BY a.name_no, a.unit_no
		WINDOW w AS (PARTITION BY a.name_no ORDER BY sum(a.occurrences) DESC, a.unit_no)
	)
	SELECT DISTINCT t.name, t.unit FROM named n JOIN numbered t ON t.name_no = n.name_no AND t.unit_no = n.unit_no
	WHERE n.turn = 1 AND n.records >= limits.address_name_records
		AND n.records > limits.address_name_factor * COALESCE(n.next, 0)
		AND t.name NOT IN (SELECT u.unit FROM unnest(all_units) u);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_told_names(text, @extschema@.l4_job_stream[], @extschema@.l4_unit[],
	@extschema@.l4_limits) IS
'Step: By what names the processes of a job go ("[trainer3] step 7": a word and a number), each with the unit, as their own '
'records say again and again, each another one.';

CREATE FUNCTION @extschema@.l4_rank_names(job_id text, all_streams @extschema@.l4_job_stream[], all_units @extschema@.l4_unit[],
	limits @extschema@.l4_limits)
RETURNS TABLE (name text, unit text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	streams @extschema@.l4_job_stream[];
	words text[];
BEGIN
	-- of ranks that share a file, whose headers tell them apart; a few tell how
	streams := ARRAY(SELECT c FROM @extschema@.l4_chosen_streams(all_streams, ARRAY(
		SELECT s.stream_id FROM unnest(all_streams) s
		WHERE s.kind = 'rank' AND s.rank IS NOT NULL AND s.shared AND s.record_count > 0
		ORDER BY s.rank, s.stream_id LIMIT limits.counter_streams::bigint)) c);
	IF cardinality(streams) < 2 THEN
		RETURN;
	END IF;
	words := ARRAY(
		SELECT w.word
		FROM (SELECT array_agg(e.stream_id) AS stream_ids, array_agg(e.last_line) AS line_nos
			FROM @extschema@.l4_job_last_lines(l4_rank_names.job_id, ARRAY(SELECT s.stream_id FROM unnest(streams) s)) e) e
		CROSS JOIN LATERAL @extschema@.l4_records_at(l4_rank_names.job_id, e.stream_ids, e.line_nos) r
		JOIN unnest(streams) s ON s.stream_id = r.stream_id
		CROSS JOIN LATERAL (SELECT DISTINCT m.match[1] AS word
			FROM regexp_matches(left(r.raw, limits.address_name_bytes::int),
				'\m([[:alpha:]][[:alpha:]_]{2,30}[-_.]?)(\d{1,6})\M', 'g') m (match)
			WHERE m.match[2] = s.rank::text) w
		GROUP BY w.word
		HAVING count(DISTINCT s.rank) > 1 AND count(DISTINCT s.rank) >= limits.place_rank_share
			* (SELECT count(DISTINCT o.rank) FROM unnest(streams) o));
	RETURN QUERY
	SELECT w.word || r.rank, r.unit
	FROM unnest(words) w (word), @extschema@.l4_rank_units(CASE WHEN cardinality(words) > 0 THEN l4_rank_names.job_id END) r
	WHERE w.word || r.rank NOT IN (SELECT u.unit FROM unnest(all_units) u);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_rank_names(text, @extschema@.l4_job_stream[], @extschema@.l4_unit[],
	@extschema@.l4_limits) IS
'Step: By what names the ranks of a job go that share a file ("stage3", "trainer-3"), each with the unit: a word that stands '
'before its own number in the last record of each of a few. Reads these records.';

CREATE FUNCTION @extschema@.l4_name_addressed_streams(job_id text) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 1000
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
	named bigint;
BEGIN
	-- streams that are being written now their own import names
	WITH held AS MATERIALIZED (
		SELECT s.stream_id, a.node
		FROM @extschema@.l4_stream s
		JOIN @extschema@.l4_address a ON a.job_id = s.job_id AND a.address = s.node
		WHERE s.job_id = l4_name_addressed_streams.job_id AND s.told_node IS DISTINCT FROM a.node AND a.node <> s.node
		FOR UPDATE OF s SKIP LOCKED
	)
	UPDATE @extschema@.l4_stream s SET told_node = h.node
	FROM held h
	WHERE s.job_id = l4_name_addressed_streams.job_id AND s.stream_id = h.stream_id;
	GET DIAGNOSTICS named = ROW_COUNT;
	RETURN named;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_name_addressed_streams(text) IS
'Step: Where labels call a node by its address ("(Trainer pid=31, ip=10.0.0.7)") and other logs by its name, the streams of '
'these labels are of the node of that name: fills l4_stream.told_node from l4_address; returns the number of rows changed.';

CREATE FUNCTION @extschema@.l4_name_last_label(job_id text) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 1000
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
	all_nodes CONSTANT text[] := (SELECT j.nodes FROM @extschema@.l4_job_row(l4_name_last_label.job_id) j);
	changed bigint := 0;
	named bigint;
	last record;
BEGIN
	FOR last IN
		SELECT u.node, l.stream_ids, l.others
		FROM (SELECT array_agg(DISTINCT n.node) FILTER (WHERE n.known) AS nodes,
				array_agg(s.stream_id) FILTER (WHERE NOT n.known) AS stream_ids,
				array_agg(s.stream_id) FILTER (WHERE n.known) AS others
			FROM @extschema@.l4_stream s
			CROSS JOIN LATERAL (SELECT COALESCE(s.told_node, s.node) AS node,
				COALESCE(s.told_node, s.node) = ANY (all_nodes) AS known) n
			WHERE s.job_id = l4_name_last_label.job_id AND s.label IS NOT NULL AND s.node IS NOT NULL
			GROUP BY s.source_id
			HAVING count(DISTINCT s.node) FILTER (WHERE NOT n.known) = 1
				AND count(DISTINCT n.node) FILTER (WHERE n.known) = cardinality(all_nodes) - 1) l
		JOIN unnest(all_nodes) u (node) ON u.node <> ALL (l.nodes)
	LOOP
		-- it says what they say
		IF EXISTS (SELECT c.shape_id FROM @extschema@.l4_job_counts(l4_name_last_label.job_id, last.stream_ids) c
				INTERSECT SELECT c.shape_id FROM @extschema@.l4_job_counts(l4_name_last_label.job_id, last.others) c) THEN
			-- as in l4_name_addressed_streams
			WITH held AS MATERIALIZED (
				SELECT s.stream_id FROM @extschema@.l4_stream s
				WHERE s.job_id = l4_name_last_label.job_id AND s.stream_id = ANY (last.stream_ids)
				FOR UPDATE OF s SKIP LOCKED
			)
			UPDATE @extschema@.l4_stream s SET told_node = last.node
			FROM held h
			WHERE s.job_id = l4_name_last_label.job_id AND s.stream_id = h.stream_id;
			GET DIAGNOSTICS named = ROW_COUNT;
			changed := changed + named;
		END IF;
	END LOOP;
	RETURN changed;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_name_last_label(text) IS
'Step: Where all labels of a file but one are of nodes of the job, all but one, and the last one ("head") says what they say, '
'it is of the node that is left: fills l4_stream.told_node; returns the number of rows changed.';

CREATE FUNCTION @extschema@.l4_learn_addresses(job_id text, streams @extschema@.l4_job_stream[] DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	learned bigint;
	limits CONSTANT @extschema@.l4_limits := @extschema@.l4_limits_in_force();
	address_pattern CONSTANT text := '^\d{1,3}(\.\d{1,3}){3}$';
	all_units CONSTANT @extschema@.l4_unit[] := ARRAY(SELECT u FROM @extschema@.l4_job_units(l4_learn_addresses.job_id) u);
	-- of what labels call by its address the name is learnt; which may be an address, too, that the scheduler or a path says
	names CONSTANT text[] := ARRAY(SELECT u.unit FROM unnest(all_units) u WHERE u.unit !~ address_pattern
		UNION SELECT unnest(j.nodes) FROM @extschema@.l4_job_row(l4_learn_addresses.job_id) j
		UNION SELECT s.node FROM @extschema@.l4_stream s
			WHERE s.job_id = l4_learn_addresses.job_id AND s.node ~ address_pattern AND position(s.node IN s.source) > 0);
	units CONSTANT bigint := cardinality(names);
	-- statements that carry an address, not the same each time, and are no flood
	wanted CONSTANT bigint[] := ARRAY(
		SELECT p.shape_id
		FROM @extschema@.l4_job_sketches(l4_learn_addresses.job_id) k
		CROSS JOIN LATERAL @extschema@.l4_sketch_addresses(k.sketch) p
		GROUP BY p.shape_id
		HAVING sum(p.occurrences) <= limits.address_records * units
			AND (units < 2 OR count(p.address) < count(*) OR min(p.address) <> max(p.address)));
BEGIN
	IF streams IS NULL THEN
		streams := ARRAY(SELECT s FROM @extschema@.l4_job_streams(l4_learn_addresses.job_id) s);
	END IF;
	DELETE FROM @extschema@.l4_address a WHERE a.job_id = l4_learn_addresses.job_id;
	WITH record AS MATERIALIZED (
		SELECT row_number() OVER () AS number, l.shape_id, l.stream_id, l.raw, l.parameters
		FROM @extschema@.l4_early_records(l4_learn_addresses.job_id, NULL, wanted, limits) l),
	grave AS MATERIALIZED ( -- what goes wrong tells another one's address, if anybody's
		SELECT h.shape_id FROM @extschema@.l4_shape h WHERE h.shape_id = ANY (wanted)
			AND @extschema@.l4_text_gravity(h.shape, (SELECT @extschema@.l4_wordings_in_force())) >= limits.gravity_trouble),
	said AS MATERIALIZED (
		SELECT DISTINCT r.number, r.shape_id, r.stream_id, r.raw, p.value AS address
		FROM record r, unnest(r.parameters) p (value)
		-- an expression costs a multiple of this
		WHERE p.value LIKE '%_._%._%._%' AND p.value ~ address_pattern AND p.value <> ALL (names)),
	address AS MATERIALIZED (
		-- a statement that says the same address each time cannot tell nodes apart
		SELECT dense_rank() OVER (ORDER BY a.raw) AS ordinal, a.number, a.shape_id, a.raw, a.address,
			CASE WHEN s.unit = ANY (names) THEN s.unit END AS unit, a.shape_id IN (SELECT g.shape_id FROM grave g) AS grave
		FROM (SELECT s.*, min(s.address) OVER w AS first_address, max(s.address) OVER w AS last_address
			FROM said s WINDOW w AS (PARTITION BY s.shape_id)) a
		LEFT JOIN @extschema@.l4_chosen_streams(streams, ARRAY(SELECT o.stream_id FROM said o)) s
			ON s.stream_id = a.stream_id
		WHERE units < 2 OR a.first_address <> a.last_address),
	named AS (
		-- each text is read once, however often it was logged
		SELECT m.ordinal, m.unit
		FROM @extschema@.l4_mentions(l4_learn_addresses.job_id,
			ARRAY(SELECT a.raw FROM address a GROUP BY a.raw ORDER BY a.raw), all_units) m
		WHERE m.unit = ANY (names)),
	pair AS (
		-- an address and the one other unit named beside it, or, where none is, the unit itself
		SELECT a.shape_id, a.address, coalesce(min(n.unit) FILTER (WHERE n.unit IS DISTINCT FROM a.unit),
			CASE WHEN NOT a.grave THEN a.unit END) AS unit
		FROM address a LEFT JOIN named n USING (ordinal)
		GROUP BY a.number, a.shape_id, a.address, a.unit, a.grave
		HAVING count(DISTINCT n.unit) FILTER (WHERE n.unit IS DISTINCT FROM a.unit) <= 1),
	vote AS (
		SELECT shape_id, address, unit, count(*) AS n FROM pair WHERE unit IS NOT NULL GROUP BY shape_id, address, unit),
	told AS (
		-- of a statement that always pairs one address with one unit, and does so for several
		SELECT shape_id FROM vote GROUP BY shape_id
		HAVING count(*) = count(DISTINCT address) AND count(*) = count(DISTINCT unit) AND count(*) >= least(units, 2))
	INSERT INTO @extschema@.l4_address (job_id, address, node)
	SELECT DISTINCT ON (address) l4_learn_addresses.job_id, address, unit
	FROM vote JOIN told USING (shape_id)
	GROUP BY address, unit
	ORDER BY address, count(*) DESC, sum(n) DESC, unit;
	GET DIAGNOSTICS learned = ROW_COUNT;
	INSERT INTO @extschema@.l4_address (job_id, address, node)
	SELECT l4_learn_addresses.job_id, m.member, m.unit FROM
		@extschema@.l4_told_members(l4_learn_addresses.job_id, streams, all_units, limits) m;
	INSERT INTO @extschema@.l4_address (job_id, address, node)
	SELECT l4_learn_addresses.job_id, t.task, t.unit FROM @extschema@.l4_numbered_tasks(l4_learn_addresses.job_id, streams) t
	ON CONFLICT DO NOTHING;
	INSERT INTO @extschema@.l4_address (job_id, address, node)
	SELECT l4_learn_addresses.job_id, m.name, m.unit FROM
		@extschema@.l4_told_names(l4_learn_addresses.job_id, streams, all_units, limits) m
	ON CONFLICT DO NOTHING;
	INSERT INTO @extschema@.l4_address (job_id, address, node)
	SELECT l4_learn_addresses.job_id, m.name, m.unit FROM
		@extschema@.l4_rank_names(l4_learn_addresses.job_id, streams, all_units, limits) m
	ON CONFLICT DO NOTHING;
	INSERT INTO @extschema@.l4_address (job_id, address, node)
	SELECT l4_learn_addresses.job_id, p.pod, p.unit FROM @extschema@.l4_pod_names(streams) p
	ON CONFLICT DO NOTHING;
	-- which rank a launcher or a kernel means by a process matters where ranks are compared
	IF EXISTS (SELECT FROM unnest(all_units) u WHERE u.rank IS NOT NULL) THEN
		INSERT INTO @extschema@.l4_address (job_id, address, node)
		SELECT l4_learn_addresses.job_id, p.process, p.unit FROM
			@extschema@.l4_told_processes(l4_learn_addresses.job_id, streams) p;
	END IF;
	PERFORM @extschema@.l4_name_addressed_streams(l4_learn_addresses.job_id);
	PERFORM @extschema@.l4_name_last_label(l4_learn_addresses.job_id);
	-- what was learnt before their names were is of these, too
	UPDATE @extschema@.l4_address a SET node = s.told_node
	FROM (SELECT o.node, min(o.told_node) AS told_node FROM @extschema@.l4_stream o
		WHERE o.job_id = l4_learn_addresses.job_id AND o.told_node <> o.node
		GROUP BY o.node HAVING count(DISTINCT o.told_node) = 1) s
	WHERE a.job_id = l4_learn_addresses.job_id AND a.node = s.node;
	RETURN learned;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_learn_addresses(text, @extschema@.l4_job_stream[]) IS
'Learns which node has which IPv4 address from a job''s own records: from statements that name one node (or none but their '
'own) beside one address, each time a different one; which pods it had; and, where ranks are compared, which has which '
'process. Fills l4_address; returns the number of rows. streams: the job''s (l4_job_streams), where the caller has them. '
'Called at the end of an import.';
