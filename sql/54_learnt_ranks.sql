/*
 * Whose logs are those of ranks, where no path and no label says so: learnt from what streams say of themselves at the end of
 * an import.
 *
 * The processes that train are started alike, one program many times, and each is told which one it is. So of the files that
 * are there on most nodes under one name those are theirs in which each says the same number of itself all the time, the
 * others other ones, and together they are numbered without a gap ("peer": 2, worker=3 of 8); or those that tell of iterations.
 * Before that: files of which a number in the name says which one each is, and lines that stand with those of one rank.
 */

CREATE FUNCTION @extschema@.l4_without_drawn(source text, label text, node text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
-- A process's two outputs are one; so are what an orchestrator draws: the suffixes of the names of pods (of letters without
-- vowels, and of digits), and identifiers. So are a log and what a rotation moved away, behind whose ending it puts a date.
RETURN regexp_replace(regexp_replace(regexp_replace(
	replace(concat_ws(' ', source, label), COALESCE(NULLIF(node, ''), ' '), '#'),
	'(?<=\.(log|txt|out|err|json))[-_.](\d{8}|\d{4}-\d\d-\d\d)([-_.T]?[\d:-]{4,10})?(?=$| )', '', 'g'),
	'(std)?(out|err)(put|or)?(?![[:alnum:]])', 'out', 'gi'),
	'[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<= )[0-9a-f]{8}$|(?<=\.)([a-z0-9]{12}|[a-z0-9]{25})(?=@)'
		|| '|(?<=-)[bcdf0-9]{8,10}(?=-)|(?<![[:alnum:]])(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{8,64}(?![[:alnum:]])'
		|| '|(?<=-)[bcdfghjklmnpqrstvwxz2-9]{5}(?![[:alnum:]])',
	'#', 'g');
COMMENT ON FUNCTION @extschema@.l4_without_drawn(text, text, text) IS
'Step: The source and the label of a stream without the node, drawn suffixes of pods, identifiers, the date of a rotation, and '
'whether it is the output or the errors: of the streams of one process the same.';

CREATE FUNCTION @extschema@.l4_stream_family(source text, label text, node text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
-- numbers tell one of a kind from the next, or from what a rotation moved away ("train.log.1")
RETURN regexp_replace(regexp_replace(@extschema@.l4_without_drawn(source, label, node),
	'(?<=\.(log|txt|out|err|json))\.\d{1,3}(?=$| )', '', 'g'), '\d+', '#', 'g');
COMMENT ON FUNCTION @extschema@.l4_stream_family(text, text, text) IS
'Step: What the files (and labels) of processes that are started alike have in common: source and label without what is of one '
'process alone (l4_without_drawn) and without numbers.';

CREATE FUNCTION @extschema@.l4_own_numbers(job_id text, streams @extschema@.l4_job_stream[], limits @extschema@.l4_limits)
RETURNS TABLE (family text, stream_id bigint, number bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 100
BEGIN ATOMIC
	WITH stream AS MATERIALIZED (
		SELECT s.stream_id, s.source_id, s.node, @extschema@.l4_stream_family(s.source, s.label, s.node) AS family
		FROM unnest(l4_own_numbers.streams) s WHERE s.record_count > 0
	),
	size AS (SELECT s.family, count(DISTINCT COALESCE(s.node, s.stream_id::text)) AS processes FROM stream s GROUP BY s.family),
	said AS MATERIALIZED (
		SELECT s.family, p.shape_id, p.position, p.stream_id, p.occurrences,
			COALESCE(@extschema@.l4_counted_number(p.values[1]),
				-- a name with a number, but for that of the node
				CASE WHEN p.values[1] <> s.node IS NOT FALSE
					THEN substring(p.values[1], '^[[:alpha:]_]{1,12}[-_.]?(\d{1,6})$')::bigint END) AS number
		FROM @extschema@.l4_job_sketches(l4_own_numbers.job_id, ARRAY(SELECT DISTINCT o.source_id FROM stream o)) k
		CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch, NULL) p
		JOIN stream s ON s.stream_id = p.stream_id
		WHERE p.distinct_values = 1
	),
	-- each another one, from 0 or 1 on; a process that failed early may not have come to say it
	numbering AS (
		SELECT a.family, a.shape_id, a.position, count(*) AS streams
		FROM said a
		GROUP BY a.family, a.shape_id, a.position
		HAVING count(*) > 1 AND count(a.number) = count(*) AND count(DISTINCT a.number) = count(*) AND min(a.number) IN (0, 1)
			AND count(*) >= (limits).place_rank_share * (max(a.number) - min(a.number) + 1)
			-- where nodes run several ranks, numbers that end with those of the nodes are these
			AND max(a.number) >= COALESCE((SELECT cardinality(j.nodes) FROM @extschema@.l4_job_row(l4_own_numbers.job_id) j
				WHERE j.ranks_per_node > 1), 0)
	),
	-- a neighbour's number is one of another each, too; but the own one is said again and again
	told AS (
		SELECT n.family, n.shape_id, n.position, n.streams, (SELECT sum(o.occurrences) FROM said a
			JOIN said o ON o.family = a.family AND o.stream_id = a.stream_id AND o.number = a.number
			WHERE a.family = n.family AND a.shape_id = n.shape_id AND a.position = n.position) AS records
		FROM numbering n JOIN size z ON z.family = n.family
		WHERE n.streams >= (limits).place_rank_share * z.processes
	),
	best AS (
		SELECT DISTINCT ON (t.family) t.family, t.shape_id, t.position FROM told t
		ORDER BY t.family, t.records DESC, t.streams DESC, t.shape_id, t.position
	)
	SELECT b.family, a.stream_id, a.number
	FROM best b JOIN said a ON a.family = b.family AND a.shape_id = b.shape_id AND a.position = b.position;
END;
COMMENT ON FUNCTION @extschema@.l4_own_numbers(text, @extschema@.l4_job_stream[], @extschema@.l4_limits) IS
'Step: Of streams of a job those that each say one number of themselves, another one each, which together have no gap, by '
'family (l4_stream_family). Reads their parameter statistics.';

CREATE FUNCTION @extschema@.l4_is_error_output(source text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
RETURN source ~* '(?<![[:alnum:]])(std)?err(or)?(?![[:alnum:]])';
COMMENT ON FUNCTION @extschema@.l4_is_error_output(text) IS
'Step: Is a file that of what a process writes to its standard error, by its name ("train.3.err")?';

CREATE FUNCTION @extschema@.l4_numbered_files(job_id text, streams @extschema@.l4_job_stream[], limits @extschema@.l4_limits)
RETURNS TABLE (source_id bigint, rank int, node text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH job AS MATERIALIZED (
		SELECT j.nodes AS names, NULLIF(cardinality(j.nodes), 0) AS nodes,
			NULLIF(cardinality(j.nodes), 0)::bigint * j.ranks_per_node AS ranks
		FROM @extschema@.l4_job_row(l4_numbered_files.job_id) j
	),
	file AS MATERIALIZED (
		-- the name of a node has a number, too
		SELECT s.source_id, min(s.source) AS source, min(s.node) AS node, min(s.rank) AS rank,
			bool_or(s.last_stage IS NOT NULL) AS tells_stage, min(s.first_ts) AS first_ts, max(s.last_ts) AS last_ts,
			@extschema@.l4_without_drawn(min(s.source), NULL, min(s.node)) AS name,
			@extschema@.l4_stream_family(min(s.source), NULL, min(s.node)) AS family
		FROM unnest(l4_numbered_files.streams) s
		GROUP BY s.source_id
		HAVING bool_or(s.label IS NULL AND s.kind IN ('other', 'shared', 'rank'))
			AND min(s.rank) IS NOT DISTINCT FROM max(s.rank) AND min(s.node) IS NOT DISTINCT FROM max(s.node)
	),
	-- a file each for all ranks, from 0 or 1 on; or one each for its output and its errors
	counted AS (
		SELECT f.family, n.place, min(n.number[1]::bigint) AS first, max(n.number[1]::bigint) AS last,
			count(DISTINCT f.name) AS files, count(DISTINCT n.number[1]::bigint) AS numbers,
			count(DISTINCT regexp_replace(f.name, '\d{1,9}', '', 1, n.place::int)) AS sets,
			-- what has its output and its errors apart is a process
			count(DISTINCT (f.name, @extschema@.l4_is_error_output(f.source))) = 2 * count(DISTINCT f.name) AS both,
			bool_or(f.node IS NOT NULL) AS placed,
			-- a number that was taken for a rank's, though no word says so
			COALESCE(bool_and(f.rank = n.number[1]::bigint AND f.source !~* 'rank'), false) AS by_number,
			count(DISTINCT f.name) FILTER (WHERE f.tells_stage) AS tell_stage,
			-- ranks write at the same time, the parts of a log one after the other
			percentile_disc((limits).place_rank_share) WITHIN GROUP (ORDER BY f.first_ts)
				< percentile_disc(1 - (limits).place_rank_share) WITHIN GROUP (ORDER BY f.last_ts)
				OR max(f.first_ts) - min(f.first_ts) <= make_interval(secs => (limits).place_started_seconds) AS together
		FROM file f
		CROSS JOIN LATERAL regexp_matches(f.name, '\d{1,9}', 'g') WITH ORDINALITY n (number, place)
		GROUP BY f.family, n.place
	),
	numbered AS (
		SELECT DISTINCT ON (c.family) c.family, c.place, c.first, of_ranks
		FROM counted c, job j
		CROSS JOIN LATERAL (SELECT c.numbers = j.ranks OR j.ranks IS NULL AND c.together AND c.files >= COALESCE(j.nodes, 0)
			AS of_ranks) r
		WHERE c.files > 1 AND (c.numbers = c.files OR c.numbers = j.ranks AND c.files = c.numbers * c.sets
				-- as many attempts as ranks, if counted from there on, too, tell neither from the other
				AND NOT EXISTS (SELECT FROM counted o WHERE o.family = c.family AND o.place <> c.place
					AND o.numbers = c.numbers AND o.first IN (0, 1)))
			AND c.first IN (0, 1) AND c.last - c.first = c.numbers - 1
			AND (c.tell_stage >= (limits).place_rank_share * c.files OR c.numbers > j.nodes OR c.both)
			AND (of_ranks OR c.files = j.nodes AND c.together AND (NOT c.placed OR c.by_number AND c.first = 0))
		ORDER BY c.family, c.place DESC
	)
	SELECT f.source_id, CASE WHEN b.of_ranks THEN t.turn END, CASE WHEN NOT b.of_ranks THEN j.names[t.turn + 1] END
	FROM numbered b
	CROSS JOIN job j
	JOIN file f ON f.family = b.family
	CROSS JOIN LATERAL regexp_matches(f.name, '\d{1,9}', 'g') WITH ORDINALITY n (number, place)
	CROSS JOIN LATERAL (SELECT (n.number[1]::bigint - b.first)::int AS turn) t
	WHERE n.place = b.place;
END;
COMMENT ON FUNCTION @extschema@.l4_numbered_files(text, @extschema@.l4_job_stream[], @extschema@.l4_limits) IS
'Step: Of a job''s files (of its streams) whose names differ in a number that counts them without a gap, as many as there are '
'ranks, be it for each other number in the name (where that is not known: at least as many as nodes, written at the same '
'time), if most tell of a stage, they are more than nodes, or come in pairs of output and errors: the rank of each (output '
'and errors of a process are one file). Of as many as nodes, written at the same time: the node of each, by the job''s list, '
'and no rank.';

CREATE FUNCTION @extschema@.l4_numbered_nodes(job_id text, streams @extschema@.l4_job_stream[])
RETURNS TABLE (source_id bigint, node text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH job AS MATERIALIZED (
		SELECT j.nodes AS names, cardinality(j.nodes) AS nodes, j.ranks_per_node AS ranks
		FROM @extschema@.l4_job_row(l4_numbered_nodes.job_id) j
		WHERE cardinality(j.nodes) > 1 AND j.ranks_per_node > 1
	),
	file AS MATERIALIZED (
		SELECT s.source_id, @extschema@.l4_without_drawn(min(s.source), NULL, NULL) AS name,
			@extschema@.l4_stream_family(min(s.source), NULL, NULL) AS family
		FROM unnest(l4_numbered_nodes.streams) s
		GROUP BY s.source_id
		HAVING bool_and(s.node IS NULL AND s.rank IS NULL) AND bool_or(s.label IS NULL AND s.kind IN ('other', 'rank'))
	),
	told AS MATERIALIZED (
		SELECT f.source_id, f.name, f.family, n.place, n.number[1]::bigint AS number
		FROM file f CROSS JOIN LATERAL regexp_matches(f.name, '\d{1,9}', 'g') WITH ORDINALITY n (number, place)
	),
	-- from 0 or 1 on without a gap, each with as many files
	counted AS (
		SELECT c.family, c.place, min(c.number) AS first, count(*) AS numbers, min(c.files) AS files
		FROM (SELECT t.family, t.place, t.number, count(DISTINCT t.name) AS files
			FROM told t GROUP BY t.family, t.place, t.number) c
		GROUP BY c.family, c.place
		HAVING min(c.number) IN (0, 1) AND max(c.number) - min(c.number) = count(*) - 1 AND min(c.files) = max(c.files)
	),
	-- the node's comes first, and behind it one counts its ranks
	numbered AS (
		SELECT DISTINCT ON (c.family) c.family, c.place, c.first
		FROM job j JOIN counted c ON c.numbers = j.nodes AND c.files = j.ranks
			JOIN counted o ON o.family = c.family AND o.place > c.place AND o.numbers = j.ranks AND o.files = j.nodes
		ORDER BY c.family, c.place
	)
	SELECT t.source_id, j.names[(t.number - b.first + 1)::int]
	FROM job j, numbered b JOIN told t ON t.family = b.family AND t.place = b.place;
END;
COMMENT ON FUNCTION @extschema@.l4_numbered_nodes(text, @extschema@.l4_job_stream[]) IS
'Step: Of a job''s files (of its streams) whose names have two numbers, one that counts the nodes and one behind it that '
'counts the ranks of each ("node_1_local_rank_3"), where these are complete: the node of each, by the job''s list.';

CREATE FUNCTION @extschema@.l4_unnumbered_files(job_id text, streams @extschema@.l4_job_stream[])
RETURNS TABLE (source_id bigint, rank int, node text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	WITH file AS MATERIALIZED (
		SELECT s.source_id, min(s.source) AS source, min(s.rank) AS rank
		FROM unnest(l4_unnumbered_files.streams) s
		GROUP BY s.source_id HAVING bool_and(s.label IS NULL AND s.kind IN ('other', 'rank')) AND min(s.node) IS NULL
			OR min(s.rank) IS NOT NULL AND min(s.rank) = max(s.rank)
	),
	-- all ranks but the first, which needs no number
	numbered AS (
		SELECT f.name
		FROM (SELECT regexp_replace(o.source, '[-_.]?rank[-_.]?\d+(?=[^/]*$)', '') AS name, o.source, o.rank
			FROM file o WHERE o.rank IS NOT NULL) f
		WHERE f.name <> f.source
		GROUP BY f.name
		HAVING min(f.rank) = 1 AND max(f.rank) = count(DISTINCT f.rank) AND max(f.rank) > 1
	)
	SELECT f.source_id, 0, j.nodes[1]
	FROM @extschema@.l4_job_row(l4_unnumbered_files.job_id) j, numbered n JOIN file f ON f.source = n.name
	WHERE f.rank IS NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_unnumbered_files(text, @extschema@.l4_job_stream[]) IS
'Step: Of a job''s files (of its streams) that which is called like those of all ranks but the first, without their number '
'("log.txt" beside "log.txt.rank1"): it is of rank 0.';

CREATE FUNCTION @extschema@.l4_ranks_in_order(job_id text, streams @extschema@.l4_job_stream[], limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint, rank int)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH stream AS MATERIALIZED (
		SELECT s.stream_id, s.node, j.ranks_per_node, array_position(j.nodes, s.node) - 1 AS turn,
			@extschema@.l4_without_drawn(s.source, s.label, s.node) AS name,
			@extschema@.l4_stream_family(s.source, s.label, s.node) AS family
		FROM @extschema@.l4_job_row(l4_ranks_in_order.job_id) j, unnest(l4_ranks_in_order.streams) s
		WHERE s.kind = 'rank' AND s.rank IS NULL AND s.record_count > 0 AND s.node = ANY (j.nodes)
	),
	told AS (
		SELECT s.*, n.place, n.number[1]::bigint AS number
		FROM stream s CROSS JOIN LATERAL regexp_matches(s.name, '\d{1,9}', 'g') WITH ORDINALITY n (number, place)
		WHERE s.ranks_per_node > 1
	),
	-- the same numbers on nearly all nodes, from 0 or 1 on, as many as each has ranks
	counted AS (
		SELECT c.family, c.place, min(c.first) AS first, count(*) AS nodes
		FROM (SELECT t.family, t.place, t.node, min(t.number) AS first FROM told t
			GROUP BY t.family, t.place, t.node, t.ranks_per_node
			HAVING count(DISTINCT t.number) = t.ranks_per_node AND max(t.number) - min(t.number) = t.ranks_per_node - 1) c
		GROUP BY c.family, c.place HAVING min(c.first) = max(c.first) AND min(c.first) IN (0, 1)
	),
	best AS (
		SELECT DISTINCT ON (c.family) c.family, c.place, c.first FROM counted c
		WHERE c.nodes >= (limits).place_rank_share * (SELECT count(DISTINCT t.node) FROM told t WHERE t.family = c.family)
		ORDER BY c.family, c.place
	)
	-- what stands beside the lines of a rank that says itself which it is, a launcher may have written
	SELECT r.stream_id, r.rank
	FROM (
		SELECT t.stream_id, t.node, (t.turn * t.ranks_per_node + t.number - b.first)::int AS rank
		FROM best b JOIN told t ON t.family = b.family AND t.place = b.place
		WHERE t.number - b.first BETWEEN 0 AND t.ranks_per_node - 1
		UNION ALL
		SELECT s.stream_id, s.node, s.turn::int FROM stream s WHERE s.ranks_per_node = 1) r
	WHERE r.rank NOT IN (SELECT o.rank FROM unnest(l4_ranks_in_order.streams) o WHERE o.rank IS NOT NULL)
		AND r.node NOT IN (SELECT o.node FROM unnest(l4_ranks_in_order.streams) o
			WHERE o.rank IS NOT NULL AND o.node IS NOT NULL);
END;
COMMENT ON FUNCTION @extschema@.l4_ranks_in_order(text, @extschema@.l4_job_stream[], @extschema@.l4_limits) IS
'Step: The ranks of streams of ranks of which only the node is known: of a job with one rank a node that of the node in the '
'job''s list; of one with several, where a number in the names of files or in labels counts them on each node alike, by that. '
'Not those that another stream names, nor of nodes of which one does.';

CREATE FUNCTION @extschema@.l4_set_ranks(job_id text, stream_ids bigint[], ranks int[], nodes text[] DEFAULT '{}')
	RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 1000
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
	changed bigint;
BEGIN
	-- streams that are being written now their own import learns of
	WITH held AS MATERIALIZED (
		SELECT s.stream_id, n.rank, n.node
		FROM @extschema@.l4_stream s
		JOIN unnest(l4_set_ranks.stream_ids, l4_set_ranks.ranks, l4_set_ranks.nodes) n (stream_id, rank, node)
			ON n.stream_id = s.stream_id
		WHERE s.job_id = l4_set_ranks.job_id
		FOR UPDATE OF s SKIP LOCKED
	)
	UPDATE @extschema@.l4_stream s SET kind = 'rank', node = COALESCE(h.node, s.node),
		-- a node alone: its number was taken for that of a rank
		rank = CASE WHEN h.rank IS NOT NULL OR h.node IS NULL THEN COALESCE(s.rank, h.rank) END
	FROM held h
	WHERE s.job_id = l4_set_ranks.job_id AND s.stream_id = h.stream_id;
	GET DIAGNOSTICS changed = ROW_COUNT;
	RETURN changed;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_set_ranks(text, bigint[], int[], text[]) IS
'Step: Makes streams of a job those of ranks (arrays of one length: streams, ranks, nodes; NULL, or no array: not known '
'which; of a node without a rank the one that a path told is none); returns how many.';

CREATE FUNCTION @extschema@.l4_own_streams_to_ranks(job_id text, share double precision) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 1000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	stream_ids bigint[];
	ranks int[];
BEGIN
	-- Lines of a node's file that go by one rank alone (what the interpreter prints of an exception, "[rank3]: ") are of the
	-- process that wrote the others, which has no name for itself there; so are the files that other nodes have in its place.
	-- Where they go by several, the others are of all these, if they tell of iterations on most nodes.
	WITH own AS MATERIALIZED (
		SELECT s.stream_id, s.source_id, s.last_iteration, @extschema@.l4_stream_family(s.source, NULL, s.node) AS family
		FROM @extschema@.l4_stream s
		WHERE s.job_id = l4_own_streams_to_ranks.job_id AND s.label IS NULL AND s.kind = 'other' AND s.node IS NOT NULL
			AND s.record_count > 0
	),
	named AS MATERIALIZED (
		SELECT o.source_id, CASE WHEN count(DISTINCT o.rank) = 1 THEN min(o.rank) END AS rank FROM @extschema@.l4_stream o
		WHERE o.job_id = l4_own_streams_to_ranks.job_id AND o.kind = 'rank' AND o.label IS NOT NULL AND o.rank IS NOT NULL
		GROUP BY o.source_id
	),
	started AS (
		SELECT o.family FROM own o LEFT JOIN named n ON n.source_id = o.source_id
		GROUP BY o.family
		HAVING count(n.rank) > 0 OR count(n.source_id) > 0 AND count(o.last_iteration) >= share * count(*)
	)
	SELECT array_agg(o.stream_id), array_agg(n.rank) INTO stream_ids, ranks
	FROM own o LEFT JOIN named n ON n.source_id = o.source_id
	WHERE o.family IN (SELECT f.family FROM started f);
	RETURN @extschema@.l4_set_ranks(l4_own_streams_to_ranks.job_id, stream_ids, ranks);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_own_streams_to_ranks(text, double precision) IS
'Step: The unlabelled lines of a node''s file of which others go by one rank alone are that rank''s, too, and those of such '
'files of other nodes a rank''s; where others go by several ranks, they are of these (not known which), if on so large a share '
'of the nodes they tell of iterations: sets l4_stream.kind and rank; returns the number of rows changed.';

CREATE FUNCTION @extschema@.l4_streams_to_launchers(job_id text, share double precision) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 1000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	changed bigint;
BEGIN
	WITH file AS MATERIALIZED (
		SELECT s.source_id, s.node, min(s.source) AS source, min(s.rank) AS rank, max(s.last_iteration) AS iteration,
			bool_or(s.kind = 'rank' AND s.label IS NULL) AS of_rank,
			@extschema@.l4_stream_family(min(s.source), NULL, s.node) AS family
		FROM @extschema@.l4_stream s
		WHERE s.job_id = l4_streams_to_launchers.job_id AND s.kind IN ('rank', 'other') AND s.node IS NOT NULL
		GROUP BY s.source_id, s.node
	), iterating AS (SELECT DISTINCT f.node FROM file f WHERE f.iteration IS NOT NULL),
	beside AS (
		-- a number alone may be that of a node; what a process writes to its standard error tells of no iteration
		SELECT f.family, min(f.rank) = 0 AND max(f.rank) = count(*) - 1 AND count(*) = (SELECT cardinality(j.nodes)
			FROM @extschema@.l4_job_row(l4_streams_to_launchers.job_id) j) AS of_nodes
		FROM file f LEFT JOIN iterating i ON i.node = f.node
		GROUP BY f.family
		HAVING max(f.iteration) IS NULL AND bool_and(f.of_rank AND f.source !~* 'rank'
				AND NOT @extschema@.l4_is_error_output(f.source))
			AND count(DISTINCT i.node) >= share * count(DISTINCT f.node)
	), held AS MATERIALIZED (
		-- as many as nodes count these
		SELECT s.stream_id, CASE WHEN b.of_nodes THEN j.nodes[f.rank + 1] ELSE s.node END AS node
		FROM @extschema@.l4_job_row(l4_streams_to_launchers.job_id) j, @extschema@.l4_stream s
		JOIN file f ON f.source_id = s.source_id
		JOIN beside b ON b.family = f.family
		WHERE s.job_id = l4_streams_to_launchers.job_id AND s.kind = 'rank'
		FOR UPDATE OF s SKIP LOCKED
	)
	UPDATE @extschema@.l4_stream s SET kind = 'launcher', rank = NULL, node = h.node
	FROM held h WHERE s.job_id = l4_streams_to_launchers.job_id AND s.stream_id = h.stream_id;
	GET DIAGNOSTICS changed = ROW_COUNT;
	RETURN changed;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_streams_to_launchers(text, double precision) IS
'Step: Files that were taken for those of ranks by a number in their names, though none of their kind tells of an iteration '
'and on so large a share of their nodes another file does, are of what started the ranks there, each of another node where '
'they are as many: sets l4_stream.kind, rank and node; returns the number of rows changed.';

CREATE FUNCTION @extschema@.l4_learn_ranks(job_id text, all_streams @extschema@.l4_job_stream[] DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_nestloop = off
AS $$
#variable_conflict use_column
DECLARE
	learned bigint;
	limits CONSTANT @extschema@.l4_limits := @extschema@.l4_limits_in_force();
	stream_ids bigint[];
	ranks int[];
	nodes text[];
	named bigint[];
	streams @extschema@.l4_job_stream[];
BEGIN
	IF all_streams IS NULL THEN
		all_streams := ARRAY(SELECT s FROM @extschema@.l4_job_streams(l4_learn_ranks.job_id) s);
	END IF;
	SELECT array_agg(s.stream_id), array_agg(n.rank), array_agg(n.node) INTO stream_ids, ranks, nodes
	FROM (
		SELECT f.source_id, f.rank, f.node FROM @extschema@.l4_numbered_files(l4_learn_ranks.job_id, all_streams, limits) f
		UNION ALL SELECT f.source_id, NULL, f.node FROM @extschema@.l4_numbered_nodes(l4_learn_ranks.job_id, all_streams) f
		UNION ALL SELECT f.source_id, f.rank, f.node
			FROM @extschema@.l4_unnumbered_files(l4_learn_ranks.job_id, all_streams) f) n
	JOIN unnest(all_streams) s ON s.source_id = n.source_id AND s.label IS NULL;
	learned := @extschema@.l4_set_ranks(l4_learn_ranks.job_id, stream_ids, ranks, nodes)
		+ @extschema@.l4_own_streams_to_ranks(l4_learn_ranks.job_id, limits.place_rank_share)
		+ @extschema@.l4_streams_to_launchers(l4_learn_ranks.job_id, limits.place_rank_share);
	IF EXISTS (SELECT FROM @extschema@.l4_stream s
		WHERE s.job_id = l4_learn_ranks.job_id AND s.kind = 'rank' AND s.last_iteration IS NOT NULL) THEN
		RETURN learned;
	END IF;
	-- Of most jobs paths or labels name the ranks. Where some lines of a file name their rank and others their host alone, that
	-- a launcher put before them, these are of the same processes. A program may log through the log of its system.
	named := ARRAY(SELECT DISTINCT s.source_id FROM @extschema@.l4_stream s
		WHERE s.job_id = l4_learn_ranks.job_id AND s.kind = 'rank');
	streams := ARRAY(SELECT s FROM @extschema@.l4_job_streams(l4_learn_ranks.job_id) s
		WHERE (s.kind = 'other' OR s.kind = 'system' AND s.label IS NOT NULL) AND named = '{}'
			OR s.kind IN ('shared', 'launcher') AND s.label IS NOT NULL AND s.node IS NOT NULL AND s.rank IS NULL
				AND (named = '{}' OR s.source_id = ANY (named)));
	IF streams = '{}' THEN
		RETURN learned;
	END IF;
	WITH stream AS MATERIALIZED (
		SELECT s.stream_id, s.node, s.record_count, s.last_iteration,
			@extschema@.l4_stream_family(s.source, s.label, s.node) AS family
		FROM unnest(streams) s
	),
	own AS MATERIALIZED (
		SELECT n.* FROM @extschema@.l4_own_numbers(l4_learn_ranks.job_id, streams, limits) n
	),
	-- who iterates, then who has numbers, then who says most
	chosen AS (
		SELECT f.family
		FROM (SELECT s.family, count(DISTINCT COALESCE(s.node, s.stream_id::text)) AS processes,
				count(DISTINCT s.node) FILTER (WHERE s.last_iteration IS NOT NULL) AS iterating, sum(s.record_count) AS records
			FROM stream s GROUP BY s.family) f
		LEFT JOIN (SELECT o.family, count(*) AS numbers FROM own o GROUP BY o.family) n ON n.family = f.family
		WHERE f.processes > 1 AND (n.numbers > 0 OR f.iterating >= limits.place_rank_share * f.processes)
		ORDER BY f.iterating >= limits.place_rank_share * f.processes DESC, n.numbers IS NULL, f.records DESC,
			f.family COLLATE "C" LIMIT 1
	),
	started AS MATERIALIZED (
		SELECT s.stream_id, s.node, s.family, o.number
		FROM chosen c JOIN stream s ON s.family = c.family LEFT JOIN own o ON o.stream_id = s.stream_id
	),
	-- Of the job's nodes those that have none of these have another role (a server, a coordinator): theirs are the files that
	-- no other node has. A number that is missing is that of the only one.
	alone AS MATERIALIZED (
		SELECT s.stream_id, s.node, s.family FROM stream s
		WHERE EXISTS (SELECT FROM started)
			AND s.node IN (SELECT u.node FROM @extschema@.l4_job j, unnest(j.nodes) u (node)
				WHERE j.job_id = l4_learn_ranks.job_id)
			AND s.node NOT IN (SELECT t.node FROM started t WHERE t.node IS NOT NULL)
			AND NOT EXISTS (SELECT FROM stream o JOIN started t ON t.node = o.node WHERE o.family = s.family)
	),
	missing AS (
		SELECT min(g.number) AS number FROM (SELECT max(t.number) AS last, count(DISTINCT t.number) AS numbers FROM started t) m
		CROSS JOIN LATERAL generate_series(0, m.last) g (number)
		WHERE m.numbers = m.last AND NOT EXISTS (SELECT FROM started t WHERE t.number = g.number)
			AND (SELECT count(DISTINCT a.node) FROM alone a) = 1
	),
	-- what a process writes elsewhere on its node is of the same rank
	placed AS (
		SELECT s.stream_id, COALESCE(s.number, (SELECT min(u.number) FROM started u
			WHERE u.node = s.node AND u.number IS NOT NULL HAVING count(*) = 1)) AS number
		FROM started s
		UNION ALL
		SELECT a.stream_id, (SELECT m.number FROM missing m) FROM alone a
	)
	SELECT array_agg(p.stream_id), array_agg(p.number::int) INTO stream_ids, ranks FROM placed p;
	RETURN learned + @extschema@.l4_set_ranks(l4_learn_ranks.job_id, stream_ids, ranks);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_learn_ranks(text, @extschema@.l4_job_stream[]) IS
'Learns which streams of a job are those of ranks: files that a number counts (l4_numbered_files), the lines of a file that go '
'by one rank alone (l4_own_streams_to_ranks) and, where no path and no label says it of any, those of the processes that are '
'started alike on most nodes and iterate or number themselves (l4_own_numbers), and those that only the other nodes have. '
'Sets l4_stream.kind and rank; returns the number of rows changed. all_streams: the job''s (l4_job_streams), where the caller '
'has them. Called at the end of an import.';

CREATE FUNCTION @extschema@.l4_learn_ranks_in_order(job_id text, streams @extschema@.l4_job_stream[]) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 10000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	stream_ids bigint[];
	ranks int[];
BEGIN
	SELECT array_agg(o.stream_id), array_agg(o.rank) INTO stream_ids, ranks
	FROM @extschema@.l4_ranks_in_order(l4_learn_ranks_in_order.job_id, streams, @extschema@.l4_limits_in_force()) o;
	RETURN @extschema@.l4_set_ranks(l4_learn_ranks_in_order.job_id, stream_ids, ranks);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_learn_ranks_in_order(text, @extschema@.l4_job_stream[]) IS
'Step: Gives the streams of ranks of a job that only name their node the rank that these have there (l4_ranks_in_order); '
'returns the number of rows changed.';
