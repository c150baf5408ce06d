/*
 * The one door to a job's rows. But for what writes them (import, retention), l4_log, the search in texts and the views of
 * 52_all_jobs.sql, nothing names l4_segment, l4_stream, l4_stream_event, l4_source_counts, l4_parameter_sketch, l4_timeline,
 * l4_address or l4_source_state elsewhere: all else takes the rows of these functions (test/check_door.sh).
 *
 * They are PL/pgSQL with plain queries by job_id, none of which calls another function over these tables: so a call can go to
 * the machine that holds the job. A job of 4,096 ranks has hundreds of thousands of counts: whoever wants a few says which, and
 * what all are read for is aggregated here. Plans are made for each call (force_custom_plan), as a filter that is NULL is none.
 */

CREATE FUNCTION @extschema@.l4_node_of_rank(rank int, nodes text[], ranks_per_node int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN rank / COALESCE(ranks_per_node, 1) < cardinality(nodes) THEN nodes[rank / COALESCE(ranks_per_node, 1) + 1] END;
COMMENT ON FUNCTION @extschema@.l4_node_of_rank(int, text[], int) IS
'Step: The node of a rank by a job''s list of nodes in rank order (ranks_per_node NULL: one each); NULL where the list '
'does not tell.';

CREATE FUNCTION @extschema@.l4_stream_node(told_node text, node text, rank int, nodes text[], ranks_per_node int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN COALESCE(told_node, node, @extschema@.l4_node_of_rank(rank, nodes, ranks_per_node));
COMMENT ON FUNCTION @extschema@.l4_stream_node(text, text, int, text[], int) IS
'Step: The node of a stream: the one that its rank says it is on (told_node), else the one of its path or label (node), else '
'that of its rank by the job''s list of nodes.';

CREATE FUNCTION @extschema@.l4_unit_of(node text, rank int, one_node boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN node IS NULL OR one_node THEN 'rank ' || rank::text ELSE node END;
COMMENT ON FUNCTION @extschema@.l4_unit_of(text, int, boolean) IS
'Step: What is compared of a stream: its node, or the rank where the node is not known or is the only one of the job '
'(l4_has_one_node). NULL for what is of no node, and for logs of the only node that are of no rank.';

CREATE FUNCTION @extschema@.l4_has_one_node(job_id text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000
SET search_path = pg_catalog, pg_temp
-- of a large job the planner would read the rows of other jobs first
SET enable_seqscan = off
AS $$
DECLARE
	one text;
BEGIN
	-- asked often: of most jobs a few rows tell
	IF EXISTS (SELECT FROM @extschema@.l4_job j WHERE j.job_id = l4_has_one_node.job_id AND cardinality(j.nodes) > 1) THEN
		RETURN false;
	END IF;
	SELECT o.node INTO one FROM @extschema@.l4_stream o
		WHERE o.job_id = l4_has_one_node.job_id AND o.node IS NOT NULL LIMIT 1;
	IF one IS NOT NULL THEN
		IF EXISTS (SELECT FROM @extschema@.l4_stream s WHERE s.job_id = l4_has_one_node.job_id AND s.node <> one) THEN
			RETURN false;
		END IF;
	ELSIF NOT EXISTS (SELECT FROM @extschema@.l4_stream s
			WHERE s.job_id = l4_has_one_node.job_id AND s.told_node IS NOT NULL)
		AND NOT EXISTS (SELECT FROM @extschema@.l4_job j
			WHERE j.job_id = l4_has_one_node.job_id AND j.nodes[1] IS NOT NULL) THEN
		RETURN false;
	END IF;
	RETURN coalesce((
		-- what belongs to no node (the log of a controller) is no other one
		SELECT COALESCE(min(n.node COLLATE "C") = max(n.node COLLATE "C"), true)
			AND (min(n.node COLLATE "C") IS NOT NULL)::int
				+ (bool_or(n.node = j.nodes[1]) IS NOT TRUE AND count(j.nodes[1]) > 0)::int = 1
			AND min(s.rank) <> max(s.rank)
		FROM @extschema@.l4_stream s LEFT JOIN @extschema@.l4_job j ON j.job_id = s.job_id
		CROSS JOIN LATERAL (SELECT COALESCE(s.told_node, s.node) AS node) n
		WHERE s.job_id = l4_has_one_node.job_id), false);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_has_one_node(text) IS
'Step: Is all of a job on one node, with several ranks? Then its ranks are compared, as there is no other node.';

CREATE FUNCTION @extschema@.l4_job_row(job_id text) RETURNS SETOF @extschema@.l4_job
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	RETURN QUERY SELECT j.* FROM @extschema@.l4_job j WHERE j.job_id = l4_job_row.job_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_row(text) IS
'Step: The row of l4_job of a job; none where nobody registered it.';

CREATE FUNCTION @extschema@.l4_known_job(job_id text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM @extschema@.l4_job j WHERE j.job_id = l4_known_job.job_id)
		AND NOT EXISTS (SELECT FROM @extschema@.l4_stream s WHERE s.job_id = l4_known_job.job_id) THEN
		RAISE EXCEPTION 'job "%" is not known', l4_known_job.job_id
			USING ERRCODE = 'no_data_found',
				HINT = 'l4_register_job makes a job known, l4_import takes in its logs; the table l4_job lists the jobs.';
	END IF;
	RETURN true;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_known_job(text) IS
'Step: True for a job that is registered or has logs; an error (P0002) for any other.';

CREATE FUNCTION @extschema@.l4_has_log_text(job_id text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF @extschema@.l4_known_job(l4_has_log_text.job_id)
		AND NOT EXISTS (SELECT FROM @extschema@.l4_segment g WHERE g.job_id = l4_has_log_text.job_id)
		AND EXISTS (SELECT FROM @extschema@.l4_stream s WHERE s.job_id = l4_has_log_text.job_id AND s.record_count > 0) THEN
		RAISE EXCEPTION 'the log text of job "%" was dropped', l4_has_log_text.job_id
			USING ERRCODE = 'object_not_in_prerequisite_state',
				HINT = 'l4_import takes it in again, while the files are there.';
	END IF;
	RETURN true;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_has_log_text(text) IS
'Step: True for a job whose logs can be read, also where it has none; an error for one that is not known (P0002) or whose '
'log text was dropped (55000; l4_drop_log_text).';

CREATE FUNCTION @extschema@.l4_has_records(job_id text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF @extschema@.l4_known_job(l4_has_records.job_id)
		AND NOT EXISTS (SELECT FROM @extschema@.l4_stream s WHERE s.job_id = l4_has_records.job_id AND s.record_count > 0) THEN
		RAISE EXCEPTION 'job "%" has no logs', l4_has_records.job_id
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'CALL l4_import(job_id, path) takes in its logs.';
	END IF;
	RETURN EXISTS (SELECT FROM @extschema@.l4_segment g WHERE g.job_id = l4_has_records.job_id);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_has_records(text) IS
'Step: Of a job that has logs, whether their text is still there (l4_drop_log_text drops it); an error for one that is not '
'known (P0002) or has no logs (55000).';

CREATE TYPE @extschema@.l4_job_stream AS (
	stream_id bigint,
	source_id bigint,
	source text,
	label text,
	kind text,
	unit text,
	node text,
	rank int,
	record_count bigint,
	byte_count bigint,
	first_ts timestamptz,
	last_ts timestamptz,
	last_stage text,
	first_iteration bigint,
	last_iteration bigint,
	shared boolean,
	attempt int
);
COMMENT ON TYPE @extschema@.l4_job_stream IS
'A stream of a job, as l4_job_streams gives it.';

CREATE FUNCTION @extschema@.l4_job_streams(job_id text, stream_ids bigint[] DEFAULT NULL)
RETURNS SETOF @extschema@.l4_job_stream
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100 ROWS 1000
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
	one_node CONSTANT boolean := @extschema@.l4_has_one_node(l4_job_streams.job_id);
	-- Files that nodes share, with one stream of each, which tell of iterations, or all of a stage of the job, beside what
	-- single ranks say that name themselves: that is what its ranks say.
	node_sources CONSTANT bigint[] := ARRAY(
		SELECT o.source_id FROM @extschema@.l4_stream o
		WHERE o.job_id = l4_job_streams.job_id AND o.label IS NOT NULL
		GROUP BY o.source_id
		HAVING (bool_or(o.kind = 'shared' AND o.last_iteration IS NOT NULL) AND count(o.rank) = 0
				OR bool_and(COALESCE(o.last_stage, 'teardown') <> 'teardown') FILTER (WHERE o.rank IS NULL))
			AND count(COALESCE(o.told_node, o.node)) FILTER (WHERE o.rank IS NULL)
				= count(DISTINCT COALESCE(o.told_node, o.node)) FILTER (WHERE o.rank IS NULL));
BEGIN
	RETURN QUERY
	SELECT s.stream_id, s.source_id, s.source, s.label,
		CASE WHEN s.kind = 'shared' AND s.label IS NOT NULL AND n.node IS NOT NULL AND s.source_id = ANY (node_sources)
			THEN 'rank' ELSE s.kind END,
		@extschema@.l4_unit_of(n.node, s.rank, one_node), n.node,
		s.rank,
		s.record_count, s.byte_count,
		s.first_ts, s.last_ts, s.last_stage, s.first_iteration, s.last_iteration, s.label IS NOT NULL, s.attempt
	FROM @extschema@.l4_stream s
	LEFT JOIN @extschema@.l4_job j ON j.job_id = s.job_id
	CROSS JOIN LATERAL (SELECT @extschema@.l4_stream_node(s.told_node, s.node, s.rank, j.nodes, j.ranks_per_node) AS node) n
	WHERE s.job_id = l4_job_streams.job_id
		AND (l4_job_streams.stream_ids IS NULL OR s.stream_id = ANY (l4_job_streams.stream_ids));
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_streams(text, bigint[]) IS
'Step: The streams of a job (the given ones; NULL: all). node: as the import found it, else by rank from the job''s list '
'of nodes, NULL where neither tells; unit: what is compared, the node or, where it is not known or the '
'only one, the rank ("rank 7"). '
'shared: it shares its file with other streams. attempt: the number of the restart that its path names.';

CREATE FUNCTION @extschema@.l4_chosen_streams(streams @extschema@.l4_job_stream[], stream_ids bigint[])
	RETURNS SETOF @extschema@.l4_job_stream
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'l4_chosen_streams';
COMMENT ON FUNCTION @extschema@.l4_chosen_streams(@extschema@.l4_job_stream[], bigint[]) IS
'Step: Of the streams of a job (l4_job_streams) those with one of these ids, each once. Where a file is that of hundreds of '
'ranks much quicker than a join with all of them. Errors: 22004 for an array of ids with NULL.';

CREATE FUNCTION @extschema@.l4_rank_streams(streams @extschema@.l4_job_stream[]) RETURNS SETOF @extschema@.l4_job_stream
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	-- the stream that ends last stands for all of a rank, with the iteration and the stage of the one that got furthest
	WITH stream AS MATERIALIZED (
		SELECT s.*, COALESCE(s.unit, '') AS of_unit, COALESCE(s.rank, -s.stream_id) AS of_rank
		FROM unnest(l4_rank_streams.streams) s WHERE s.kind = 'rank' AND s.record_count > 0
	),
	-- most ranks have one stream alone
	several AS MATERIALIZED (
		SELECT s.* FROM stream s
		WHERE (s.of_unit, s.of_rank) IN (SELECT o.of_unit, o.of_rank FROM stream o GROUP BY o.of_unit, o.of_rank
			HAVING count(*) > 1)
	),
	furthest AS (
		SELECT DISTINCT ON (s.of_unit, s.of_rank) s.of_unit, s.of_rank, s.last_stage, s.first_iteration, s.last_iteration
		FROM several s
		ORDER BY s.of_unit, s.of_rank, s.last_iteration DESC NULLS LAST, s.last_ts DESC NULLS LAST, s.record_count DESC,
			s.stream_id
	)
	(SELECT DISTINCT ON (s.of_unit, s.of_rank) s.stream_id, s.source_id, s.source, s.label, s.kind, s.unit, s.node, s.rank,
		s.record_count, s.byte_count, s.first_ts, s.last_ts, f.last_stage, f.first_iteration, f.last_iteration, s.shared,
		s.attempt
	FROM several s
	JOIN furthest f ON f.of_unit = s.of_unit AND f.of_rank = s.of_rank
	ORDER BY s.of_unit, s.of_rank, s.last_ts DESC NULLS LAST, s.record_count DESC, s.stream_id)
	UNION ALL
	SELECT s.stream_id, s.source_id, s.source, s.label, s.kind, s.unit, s.node, s.rank, s.record_count, s.byte_count,
		s.first_ts, s.last_ts, s.last_stage, s.first_iteration, s.last_iteration, s.shared, s.attempt
	FROM stream s
	WHERE (s.of_unit, s.of_rank) NOT IN (SELECT o.of_unit, o.of_rank FROM several o);
END;
COMMENT ON FUNCTION @extschema@.l4_rank_streams(@extschema@.l4_job_stream[]) IS
'Step: of the streams of a job (l4_job_streams) one for each rank: a rank is all that it logs, its stdout and its stderr '
'alike. The stream that ends last, with stage and iterations of the one that got furthest. A stream of kind rank without a '
'number stands for itself.';

CREATE FUNCTION @extschema@.l4_telling_stream(job_id text, suspect text DEFAULT NULL, most_bytes double precision DEFAULT NULL,
	suspect_rank int DEFAULT NULL, path_attempt int DEFAULT NULL, since timestamptz DEFAULT NULL)
RETURNS TABLE (stream_id bigint, source_id bigint, source text, unit text, node text, rank int)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
	one_node CONSTANT boolean := @extschema@.l4_has_one_node(l4_telling_stream.job_id);
BEGIN
	RETURN QUERY
	SELECT s.stream_id, s.source_id, s.source, u.unit, n.node, s.rank
	FROM @extschema@.l4_stream s
	LEFT JOIN @extschema@.l4_job j ON j.job_id = s.job_id
	CROSS JOIN LATERAL (SELECT @extschema@.l4_stream_node(s.told_node, s.node, s.rank, j.nodes, j.ranks_per_node) AS node) n
	CROSS JOIN LATERAL (SELECT @extschema@.l4_unit_of(n.node, s.rank, one_node) AS unit) u
	WHERE s.job_id = l4_telling_stream.job_id AND s.last_iteration IS NOT NULL
		AND (s.attempt <> l4_telling_stream.path_attempt) IS NOT TRUE
		AND (s.last_ts < l4_telling_stream.since) IS NOT TRUE
		-- what would be read is the file, whose own stream knows its size
		AND (most_bytes IS NULL OR s.last_iteration > s.first_iteration
			AND (SELECT f.byte_count FROM @extschema@.l4_stream f
				WHERE f.job_id = s.job_id AND f.stream_id = s.source_id) < most_bytes)
	ORDER BY (most_bytes IS NOT NULL OR suspect_rank IS NOT NULL) AND u.unit IS NOT DISTINCT FROM suspect
			AND (suspect_rank IS NULL OR s.rank IS NOT DISTINCT FROM suspect_rank) DESC,
		-- who names an iteration once, in an error as a rule, does not tell of progress
		s.last_iteration <> s.first_iteration DESC,
		CASE WHEN most_bytes IS NULL THEN s.last_iteration ELSE s.last_iteration - s.first_iteration END DESC,
		s.record_count DESC, s.stream_id
	LIMIT 1;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_telling_stream(text, text, double precision, int, int, timestamptz) IS
'Step: The stream that tells of a job''s iterations: in many programs one rank alone prints progress. The one that got '
'furthest, rather one of those that name two, before that one of a rank that is asked for (suspect, suspect_rank: unit and '
'rank); or, where it is to be read wholly (most_bytes), of those shorter than that the one that marks most iterations, two at '
'least, rather the suspect''s. path_attempt: none of another attempt, by its path; since: none that had ended by then. No row '
'where no stream prints iterations.';

CREATE FUNCTION @extschema@.l4_node_count(job_id text) RETURNS int
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	RETURN (SELECT NULLIF(COALESCE(NULLIF(cardinality(j.nodes), 0), (SELECT count(DISTINCT COALESCE(s.told_node, s.node))
			FROM @extschema@.l4_stream s WHERE s.job_id = j.job_id)), 0)
		FROM @extschema@.l4_job j WHERE j.job_id = l4_node_count.job_id);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_node_count(text) IS
'Step: On how many nodes a job ran, by its list, else as many as its logs are of; NULL where neither tells.';

CREATE FUNCTION @extschema@.l4_marks_iterations(job_id text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000
SET search_path = pg_catalog, pg_temp
-- as in l4_has_one_node
SET enable_seqscan = off
AS $$
BEGIN
	RETURN EXISTS (SELECT FROM @extschema@.l4_stream s
		WHERE s.job_id = l4_marks_iterations.job_id AND s.last_iteration > s.first_iteration);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_marks_iterations(text) IS
'Step: Does any stream of a job mark two iterations or more, by the rules?';

CREATE TYPE @extschema@.l4_unit AS (
	unit text,
	node text,
	rank int,
	logged boolean
);
COMMENT ON TYPE @extschema@.l4_unit IS
'What is compared in a job, as l4_job_units gives it.';

CREATE FUNCTION @extschema@.l4_job_units(job_id text) RETURNS SETOF @extschema@.l4_unit
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100 ROWS 100
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
	one_node CONSTANT boolean := @extschema@.l4_has_one_node(l4_job_units.job_id);
BEGIN
	RETURN QUERY
	SELECT @extschema@.l4_unit_of(u.node, u.rank, one_node), u.node, u.rank, bool_or(u.logged)
	FROM (
		SELECT n.node, CASE WHEN n.node IS NULL OR one_node THEN s.rank END AS rank, s.record_count > 0 AS logged
		FROM @extschema@.l4_stream s
		LEFT JOIN @extschema@.l4_job j ON j.job_id = s.job_id
		CROSS JOIN LATERAL (SELECT @extschema@.l4_stream_node(s.told_node, s.node, s.rank, j.nodes, j.ranks_per_node) AS node) n
		WHERE s.job_id = l4_job_units.job_id
		UNION ALL
		SELECT l.node, NULL, false FROM @extschema@.l4_job j, unnest(j.nodes) l (node) WHERE j.job_id = l4_job_units.job_id) u
	WHERE u.node IS NOT NULL AND NOT one_node OR u.rank IS NOT NULL
	GROUP BY u.node, u.rank;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_units(text) IS
'Step: What is compared in a job: its nodes, those that logs are from and those that the scheduler lists, and the ranks of '
'which the node is not known (node NULL) or is the only one (l4_has_one_node; rank only in these two '
'cases). logged: whether there is a record from it.';

CREATE FUNCTION @extschema@.l4_file_marks(job_id text, source_id bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 100
RETURN EXISTS (SELECT FROM @extschema@.l4_stream s
	WHERE s.job_id = l4_file_marks.job_id AND s.source_id = l4_file_marks.source_id AND s.last_iteration IS NOT NULL);
COMMENT ON FUNCTION @extschema@.l4_file_marks(text, bigint) IS
'Step: Does any stream of a file mark iterations? Then its lines tell how far the job was.';

CREATE FUNCTION @extschema@.l4_job_counts(job_id text, stream_ids bigint[] DEFAULT NULL, shape_ids bigint[] DEFAULT NULL,
	min_occurrences bigint DEFAULT NULL,
	iterating boolean DEFAULT NULL, levels text[] DEFAULT NULL) RETURNS SETOF @extschema@.l4_stream_event
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 10000
SET search_path = pg_catalog, pg_temp
-- rows are unpacked source by source, which is a nested loop: who calls with these off means his own joins
SET enable_nestloop = on
SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
	RETURN QUERY
	SELECT e.stream_id, e.shape_id, e.occurrences, e.first_line, e.last_line, e.first_ts, e.last_ts, e.first_iteration,
		e.last_iteration, c.job_id, e.level, e.component, e.stage
	FROM @extschema@.l4_source_counts c
	CROSS JOIN LATERAL @extschema@.l4_unpack_counts(c.counts, l4_job_counts.stream_ids, l4_job_counts.shape_ids) e
	WHERE c.job_id = l4_job_counts.job_id
		AND (l4_job_counts.stream_ids IS NULL OR c.source_id = ANY (ARRAY(
			SELECT COALESCE(s.bundle_id, s.source_id) FROM @extschema@.l4_stream s
			WHERE s.job_id = l4_job_counts.job_id AND s.stream_id = ANY (l4_job_counts.stream_ids))))
		AND (l4_job_counts.min_occurrences IS NULL OR e.occurrences >= l4_job_counts.min_occurrences)
		AND (l4_job_counts.iterating IS NULL OR (e.first_iteration IS NOT NULL) = l4_job_counts.iterating)
		AND (l4_job_counts.levels IS NULL OR e.level = ANY (l4_job_counts.levels));
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_counts(text, bigint[], bigint[], bigint, boolean, text[]) IS
'Step: How often the streams of a job log its shapes, and where: rows of l4_stream_event. Only of the given streams, the '
'given shapes, of min_occurrences or more, of those first logged while iterating (or not), of the given levels; NULL is no '
'limit. A large job has very many: say which are wanted.';

CREATE FUNCTION @extschema@.l4_job_last_lines(job_id text, stream_ids bigint[])
RETURNS TABLE (stream_id bigint, last_line bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT e.stream_id, max(e.last_line)
	FROM @extschema@.l4_source_counts c
	CROSS JOIN LATERAL @extschema@.l4_unpack_counts(c.counts, l4_job_last_lines.stream_ids) e
	WHERE c.job_id = l4_job_last_lines.job_id AND c.source_id = ANY (ARRAY(
		SELECT COALESCE(s.bundle_id, s.source_id) FROM @extschema@.l4_stream s
		WHERE s.job_id = l4_job_last_lines.job_id AND s.stream_id = ANY (l4_job_last_lines.stream_ids)))
	GROUP BY e.stream_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_last_lines(text, bigint[]) IS
'Step: The line on which the last record of each of the given streams begins.';

CREATE FUNCTION @extschema@.l4_job_first_lines(job_id text, shape_ids bigint[])
RETURNS TABLE (stream_id bigint, first_line bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT e.stream_id, min(e.first_line)
	FROM @extschema@.l4_source_counts c
	CROSS JOIN LATERAL @extschema@.l4_unpack_counts(c.counts, NULL, l4_job_first_lines.shape_ids) e
	WHERE c.job_id = l4_job_first_lines.job_id
	GROUP BY e.stream_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_first_lines(text, bigint[]) IS
'Step: The line on which the first record of any of the given shapes begins, for each stream that has one.';

CREATE FUNCTION @extschema@.l4_job_shapes(job_id text)
RETURNS TABLE (shape_id bigint, occurrences bigint, streams bigint, max_per_stream bigint, level_rank int)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 1000
SET search_path = pg_catalog, pg_temp
SET enable_nestloop = on
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT t.shape_id, t.occurrences, t.streams, t.max_per_stream, t.level_rank
	FROM (SELECT array_agg(c.counts) AS counts FROM @extschema@.l4_source_counts c WHERE c.job_id = l4_job_shapes.job_id) a
	CROSS JOIN LATERAL @extschema@.l4_shape_totals(a.counts) t;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_shapes(text) IS
'Step: The shapes of a job, one row each: how many records have it, in how many streams, at most in one, and its gravest '
'level (as l4_level_rank).';

CREATE FUNCTION @extschema@.l4_job_shape_ids(job_id text) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 1000
SET search_path = pg_catalog, pg_temp
SET enable_nestloop = on
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT DISTINCT u.shape_id FROM @extschema@.l4_source_counts c
	CROSS JOIN LATERAL @extschema@.l4_counts_shapes(c.counts) u (shape_id)
	WHERE c.job_id = l4_job_shape_ids.job_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_shape_ids(text) IS
'Step: The shapes of a job. Cheaper than l4_job_shapes: the counts of single streams are not read.';

CREATE FUNCTION @extschema@.l4_job_shape_tellers(job_id text)
RETURNS TABLE (shape_id bigint, stream_id bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 1000
SET search_path = pg_catalog, pg_temp
SET enable_nestloop = on
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT t.shape_id, t.first_stream
	FROM (SELECT array_agg(c.counts) AS counts FROM @extschema@.l4_source_counts c
		WHERE c.job_id = l4_job_shape_tellers.job_id) a
	CROSS JOIN LATERAL @extschema@.l4_shape_totals(a.counts) t;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_shape_tellers(text) IS
'Step: The shapes of a job, each with one stream that logs it, whose parameters stand for it.';

CREATE FUNCTION @extschema@.l4_job_unit_counts(job_id text, shape_ids bigint[])
RETURNS TABLE (unit text, shape_id bigint, occurrences bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 1000
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
	one_node CONSTANT boolean := @extschema@.l4_has_one_node(l4_job_unit_counts.job_id);
BEGIN
	RETURN QUERY
	SELECT @extschema@.l4_unit_of(n.node, n.rank, one_node), n.shape_id, sum(n.occurrences)::bigint
	FROM (
		-- streams by their key: where the tables were never analysed, a join with a list of them would compare each with each
		SELECT @extschema@.l4_stream_node(s.told_node, s.node, s.rank, j.nodes, j.ranks_per_node) AS node, s.rank, e.shape_id,
			e.occurrences
		FROM @extschema@.l4_source_counts c
		CROSS JOIN LATERAL @extschema@.l4_unpack_counts(c.counts, NULL, l4_job_unit_counts.shape_ids) e
		JOIN @extschema@.l4_stream s ON s.job_id = c.job_id AND s.stream_id = e.stream_id
		LEFT JOIN @extschema@.l4_job j ON j.job_id = c.job_id
		WHERE c.job_id = l4_job_unit_counts.job_id) n
	GROUP BY 1, n.shape_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_unit_counts(text, bigint[]) IS
'Step: How many records of the given shapes each unit of a job (l4_job_units; NULL: logs of none) has.';

CREATE FUNCTION @extschema@.l4_job_kind_counts(job_id text)
RETURNS TABLE (shape_id bigint, kind text, streams bigint, occurrences bigint, max_per_stream bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 1000
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
-- a pool learns from a job before there are statistics of its rows
SET enable_nestloop = off
-- how many groups there are the planner cannot tell of a function's rows
SET enable_sort = off
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT e.shape_id, s.kind, count(*), sum(e.occurrences)::bigint, max(e.occurrences)
	FROM @extschema@.l4_stream_event e
	JOIN @extschema@.l4_stream s ON s.job_id = e.job_id AND s.stream_id = e.stream_id
	WHERE e.job_id = l4_job_kind_counts.job_id AND s.record_count > 0
	GROUP BY e.shape_id, s.kind;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_kind_counts(text) IS
'Step: The shapes of a job per kind of stream (ranks, launchers, ...): how many streams have it, how many records, and at '
'most in one stream.';

CREATE FUNCTION @extschema@.l4_job_statements(job_id text)
RETURNS TABLE (stream_id bigint, source text, kind text, node text, rank int, shape_id bigint, occurrences bigint, level text,
	first_line bigint, last_line bigint, first_ts timestamptz, stage text, first_iteration bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 10000
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT e.stream_id, s.source, s.kind, COALESCE(s.told_node, s.node), s.rank, e.shape_id, e.occurrences, e.level,
		e.first_line, e.last_line, e.first_ts, e.stage, e.first_iteration
	FROM @extschema@.l4_stream_event e
	JOIN @extschema@.l4_stream s ON s.job_id = e.job_id AND s.stream_id = e.stream_id
	WHERE e.job_id = l4_job_statements.job_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_statements(text) IS
'Step: All counts of a job with what is known of their streams, as l4_log shows it (node: as path or lines name it). Of a '
'large job very many.';

CREATE FUNCTION @extschema@.l4_job_stages(job_id text)
RETURNS TABLE (stream_id bigint, stage text, first_ts timestamptz, records bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 1000
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT t.stream_id, t.stage, t.first_ts, t.records
	FROM (SELECT array_agg(c.counts) AS counts FROM @extschema@.l4_source_counts c WHERE c.job_id = l4_job_stages.job_id) a
	CROSS JOIN LATERAL @extschema@.l4_stage_totals(a.counts) t;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_stages(text) IS
'Step: The stages that the streams of a job were in: when first (by a clock that was set, else NULL), and how many records '
'have a shape that came first in that stage.';

CREATE FUNCTION @extschema@.l4_job_sketches(job_id text, source_ids bigint[] DEFAULT NULL)
	RETURNS TABLE (source_id bigint, sketch bytea)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT k.source_id, k.sketch FROM @extschema@.l4_parameter_sketch k
	WHERE k.job_id = l4_job_sketches.job_id
		AND (l4_job_sketches.source_ids IS NULL OR k.source_id = ANY (l4_job_sketches.source_ids));
	IF l4_job_sketches.source_ids IS NOT NULL THEN
		RETURN QUERY
		SELECT k.source_id, m.sketch
		FROM (SELECT s.bundle_id, array_agg(s.stream_id) AS stream_ids FROM @extschema@.l4_stream s
			WHERE s.job_id = l4_job_sketches.job_id AND s.bundle_id IS NOT NULL
				AND s.source_id = ANY (l4_job_sketches.source_ids)
			GROUP BY s.bundle_id) b
		JOIN @extschema@.l4_parameter_sketch k ON k.job_id = l4_job_sketches.job_id AND k.source_id = b.bundle_id
		CROSS JOIN LATERAL @extschema@.l4_sketch_members(k.sketch, b.stream_ids) m (sketch);
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_sketches(text, bigint[]) IS
'Step: The packed parameter statistics of a job, one row a source (of the given ones; NULL: all, and of small files in a '
'bundle one row together), for l4_sketch_parameters and its like. source_id: the bundle''s for such files.';

CREATE FUNCTION @extschema@.l4_job_segments(job_id text, source_ids bigint[] DEFAULT NULL, shape_ids bigint[] DEFAULT NULL,
	first_segments int DEFAULT NULL)
RETURNS SETOF @extschema@.l4_segment
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 1000
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
	RETURN QUERY
	SELECT g.* FROM @extschema@.l4_segment g
	WHERE g.job_id = l4_job_segments.job_id
		AND (l4_job_segments.source_ids IS NULL OR g.source_id = ANY (l4_job_segments.source_ids))
		AND (l4_job_segments.shape_ids IS NULL OR g.shape_ids && l4_job_segments.shape_ids)
		AND (l4_job_segments.first_segments IS NULL OR g.segment_no < l4_job_segments.first_segments);
	IF l4_job_segments.source_ids IS NOT NULL THEN
		RETURN QUERY
		SELECT g.job_id, b.source_id, 0, g.first_line, g.last_line, g.record_count, g.first_ts, g.last_ts, g.raw_bytes,
			@extschema@.l4_only_streams(g.stream_ids, b.stream_ids), g.shape_ids, g.structure, g.texts, g.parameters
		FROM (SELECT s.bundle_id, s.source_id, array_agg(s.stream_id) AS stream_ids FROM @extschema@.l4_stream s
			WHERE s.job_id = l4_job_segments.job_id AND s.bundle_id IS NOT NULL
				AND s.source_id = ANY (l4_job_segments.source_ids)
			GROUP BY s.bundle_id, s.source_id) b
		JOIN @extschema@.l4_segment g ON g.job_id = l4_job_segments.job_id AND g.source_id = b.bundle_id AND g.segment_no = -1
		WHERE (l4_job_segments.shape_ids IS NULL OR g.shape_ids && l4_job_segments.shape_ids)
			AND (l4_job_segments.first_segments IS NULL OR l4_job_segments.first_segments > 0)
		-- the files of a bundle one after the other, so that it is unpacked once
		ORDER BY b.bundle_id, b.source_id;
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_segments(text, bigint[], bigint[], int) IS
'Step: The segments of a job: of the given sources, with any of the given shapes, the first ones of each source; NULL is '
'no limit. Their packed columns are not read until they are unpacked. Of a small file in a bundle the row is the bundle''s '
'as if it were the file''s own: its stream_ids name no other files'' streams (l4_only_streams), its lines, times and shapes '
'may be theirs. Where all sources are wanted, the row of a bundle comes once, as it is (segment_no -1).';

CREATE FUNCTION @extschema@.l4_records_at(job_id text, stream_ids bigint[], line_nos bigint[])
RETURNS TABLE (stream_id bigint, line_no bigint, shape_id bigint, source text, ts timestamptz, stage text, iteration bigint,
	raw text, part int, wrapped boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	-- only the segments that hold a wanted line are opened, each once
	RETURN QUERY
	WITH wanted AS MATERIALIZED (
		SELECT DISTINCT w.stream_id, w.line_no, s.source_id, s.bundle_id, s.source
		FROM ROWS FROM (unnest(l4_records_at.stream_ids), unnest(l4_records_at.line_nos)) w (stream_id, line_no)
		-- One by one, by their keys, whatever joins the caller allows: a list the planner would weigh element by element, or,
		-- were it hidden from it, compare with each stream of the job.
		CROSS JOIN LATERAL (
			SELECT o.source_id, o.bundle_id, o.source FROM @extschema@.l4_stream o
			WHERE o.job_id = l4_records_at.job_id AND o.stream_id = w.stream_id OFFSET 0) s
	),
	lines AS MATERIALIZED (
		SELECT w.source_id, w.bundle_id, array_agg(w.line_no ORDER BY w.line_no) AS line_nos,
			array_agg(w.stream_id) AS stream_ids
		FROM wanted w WHERE w.line_no IS NOT NULL GROUP BY w.source_id, w.bundle_id
	),
	record AS MATERIALIZED (
		-- by itself, lest a segment be opened anew for each wanted line
		SELECT r.* FROM lines l
		JOIN @extschema@.l4_segment g ON g.job_id = l4_records_at.job_id AND g.source_id = l.source_id
		CROSS JOIN LATERAL @extschema@.l4_line_records(g.structure, g.texts, g.parameters, g.stream_ids, l.line_nos) r
		-- more of the lines up to its last one than before its first
		WHERE width_bucket(g.last_line, l.line_nos) > width_bucket(g.first_line - 1, l.line_nos)
			-- found by their key, whatever joins the caller allows
			AND g.source_id = ANY (ARRAY(SELECT o.source_id FROM lines o))
		UNION ALL
		SELECT r.* FROM lines l
		JOIN @extschema@.l4_segment g ON g.job_id = l4_records_at.job_id AND g.source_id = l.bundle_id AND g.segment_no = -1
		CROSS JOIN LATERAL @extschema@.l4_line_records(g.structure, g.texts, g.parameters,
			@extschema@.l4_only_streams(g.stream_ids, l.stream_ids), l.line_nos) r
		WHERE g.source_id = ANY (ARRAY(SELECT o.bundle_id FROM lines o))
	)
	SELECT r.stream_id, r.line_no, r.shape_id, w.source, r.ts, r.stage, r.iteration, r.raw, r.part, r.wrapped
	FROM record r
	JOIN wanted w ON w.stream_id = r.stream_id AND w.line_no = r.line_no;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_records_at(text, bigint[], bigint[]) IS
'Step: The records of a job that begin on the given lines of the given streams (two arrays of one length); iteration only '
'where the stream itself marks it, part as in l4_log, wrapped as l4_line_records. Opens the segments that hold these lines.';

CREATE FUNCTION @extschema@.l4_job_timeline(job_id text) RETURNS TABLE (iteration bigint, started_at timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100 ROWS 1000
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT i.iteration, i.started_at
	FROM @extschema@.l4_timeline t, ROWS FROM (unnest(t.iterations), unnest(t.started_at)) i (iteration, started_at)
	WHERE t.job_id = l4_job_timeline.job_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_timeline(text) IS
'Step: When the iterations of a job began, one row each.';

CREATE FUNCTION @extschema@.l4_job_timeline_parts(job_id text, most bigint, part_length bigint, first_turn bigint DEFAULT NULL,
	last_turn bigint DEFAULT NULL)
	RETURNS TABLE (turn bigint, part bigint, iteration bigint, started_at timestamptz)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 1000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	-- unpacked once, so that any element is at hand
	iterations bigint[];
	starts timestamptz[];
	behind bigint;
	stride bigint;
BEGIN
	SELECT t.iterations, t.started_at INTO iterations, starts
	FROM @extschema@.l4_timeline t WHERE t.job_id = l4_job_timeline_parts.job_id;
	first_turn := greatest(coalesce(first_turn, 0), 0);
	behind := least(coalesce(last_turn, cardinality(iterations)) + 1, coalesce(cardinality(iterations), 0));
	IF behind <= first_turn THEN
		RETURN;
	END IF;
	part_length := greatest(part_length, 1);
	stride := greatest(1, (behind - first_turn) / greatest(most, 1));
	RETURN QUERY
	SELECT w.turn, CASE WHEN stride > 1 THEN p.first END, iterations[w.turn + 1], starts[w.turn + 1]
	FROM generate_series(first_turn, behind - 1, part_length * stride) p (first)
	CROSS JOIN LATERAL generate_series(p.first, least(p.first + part_length, behind) - 1) w (turn);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_timeline_parts(text, bigint, bigint, bigint, bigint) IS
'Step: When iterations of a job began, in the order of time, with their places in it from 0 (turn): all from first_turn to '
'last_turn (NULL: to either end), or, of more than about twice as many as most, as many in parts of part_length, evenly '
'chosen (part: where such a part begins; NULL where all are there).';

CREATE FUNCTION @extschema@.l4_job_timeline_span(job_id text)
RETURNS TABLE (first_iteration bigint, last_iteration bigint, iterations bigint, largest_gap bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100 ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT t.iterations[1], t.iterations[cardinality(t.iterations)], cardinality(t.iterations)::bigint,
		(SELECT max(g.gap) FROM (SELECT i.iteration - lag(i.iteration) OVER (ORDER BY i.turn) AS gap
			FROM unnest(t.iterations) WITH ORDINALITY i (iteration, turn)) g)
	FROM @extschema@.l4_timeline t WHERE t.job_id = l4_job_timeline_span.job_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_timeline_span(text) IS
'Step: The iterations of a job that began first and last, how many there are, and how far two in a row are apart at most.';

CREATE FUNCTION @extschema@.l4_job_timeline_stamped(job_id text, first_marks int) RETURNS double precision
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
	RETURN (
		SELECT count(DISTINCT b.began)::double precision / NULLIF(count(*), 0)
		FROM @extschema@.l4_timeline t
		CROSS JOIN LATERAL unnest(t.started_at[:l4_job_timeline_stamped.first_marks]) b (began)
		WHERE t.job_id = l4_job_timeline_stamped.job_id);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_timeline_stamped(text, int) IS
'Step: Which share of the first iterations of a job have a time of their own: the others are told of in records without a '
'stamp, and have that of the last one before, or stamps are coarse. NULL without iterations.';

CREATE FUNCTION @extschema@.l4_job_iteration(job_id text, ts timestamptz) RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
	RETURN (
		SELECT i.iteration
		FROM @extschema@.l4_timeline t, ROWS FROM (unnest(t.iterations), unnest(t.started_at)) i (iteration, started_at)
		WHERE t.job_id = l4_job_iteration.job_id AND i.started_at <= l4_job_iteration.ts
		ORDER BY i.started_at DESC, i.iteration DESC
		LIMIT 1);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_iteration(text, timestamptz) IS
'Step: The iteration that a job was in at a time, by the starts of iterations in l4_timeline; NULL before the first.';

CREATE FUNCTION @extschema@.l4_job_addresses(job_id text) RETURNS TABLE (address text, node text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100 ROWS 100
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT a.address, a.node FROM @extschema@.l4_address a WHERE a.job_id = l4_job_addresses.job_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_job_addresses(text) IS
'Step: Which node has which network address, as l4_learn_addresses found out; node: the unit, as l4_job_units has it.';
