/*
 * Tasks: a scheduler puts the number of its task before each line, a launcher in it (one a node) the number of the process on
 * that node. The rank of such a process is not the product of the two: launchers deal ranks out as agents arrive. The process
 * says it itself, in what its framework puts before lines that all processes of a node share ("[rank3]:"), or in its own words.
 * Nor are tasks numbered in the order of the job's list of nodes: where processes say their host, all that is labelled with
 * their task is of it, the lines of the task's agent, too.
 */

CREATE FUNCTION @extschema@.l4_is_task_label(label text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
-- an expression costs a multiple of the first
RETURN label LIKE '% %' AND label ~ '^\d+ \d+( \d+)?$';
COMMENT ON FUNCTION @extschema@.l4_is_task_label(text) IS
'Step: Is a label the number of a launcher''s task, that of a process in it and, where the line has it, the rank that the '
'process says ("2 0", "2 0 3")?';

CREATE FUNCTION @extschema@.l4_task_of_label(label text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN substring(label, '^\d+(?=$| )');
COMMENT ON FUNCTION @extschema@.l4_task_of_label(text) IS
'Step: The number of the launcher''s task in a label; NULL where it has none.';

CREATE FUNCTION @extschema@.l4_task_ranks(job_id text, limits @extschema@.l4_limits)
RETURNS TABLE (stream_id bigint, rank int)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
SET jit = off
-- as in l4_learn_rank_nodes
SET enable_nestloop = off
AS $$
#variable_conflict use_column
DECLARE
	source_ids bigint[];
	shape_ids bigint[];
BEGIN
	source_ids := ARRAY(SELECT DISTINCT s.source_id FROM @extschema@.l4_stream s
		WHERE s.job_id = l4_task_ranks.job_id AND s.kind = 'rank' AND @extschema@.l4_is_task_label(s.label));
	shape_ids := ARRAY(SELECT n.shape_id FROM @extschema@.l4_job_shapes(l4_task_ranks.job_id) n
		JOIN @extschema@.l4_shape h ON h.shape_id = n.shape_id WHERE h.shape ~* '\mrank\M[^[:alnum:]]*<\*>');
	RETURN QUERY
	WITH task AS MATERIALIZED (
		SELECT s.stream_id, s.source_id, substring(s.label, '^\d+ \d+') AS process,
			substring(s.label, '^\d+ \d+ (\d+)$')::int AS told
		FROM @extschema@.l4_stream s
		WHERE s.job_id = l4_task_ranks.job_id AND s.kind = 'rank' AND @extschema@.l4_is_task_label(s.label)
	),
	process AS MATERIALIZED (
		-- who was started again may have another rank then
		SELECT t.source_id, t.process, min(t.told) AS told FROM task t
		GROUP BY t.source_id, t.process HAVING count(DISTINCT t.told) <= 1
	),
	said AS MATERIALIZED (
		SELECT t.source_id, t.process, p.shape_id, p.position, min(p.minimum) AS rank
		FROM @extschema@.l4_job_sketches(l4_task_ranks.job_id, source_ids) k
		CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch, shape_ids) p
		JOIN task t ON t.stream_id = p.stream_id AND t.told IS NULL
		JOIN @extschema@.l4_shape h ON h.shape_id = p.shape_id
		WHERE p.number_count = p.occurrences AND p.distinct_values = 1
			AND p.minimum >= 0 AND p.minimum = floor(p.minimum)
			AND lower(@extschema@.l4_parameter_name(h.shape, p.position)) = 'rank'
		GROUP BY t.source_id, t.process, p.shape_id, p.position
	),
	statement AS (
		-- of each file the one that most processes make, each with a rank of its own, from 0 on
		SELECT DISTINCT ON (a.source_id) a.source_id, a.shape_id, a.position
		FROM said a JOIN (SELECT o.source_id, count(*) AS processes FROM process o GROUP BY o.source_id) n
			ON n.source_id = a.source_id
		GROUP BY a.source_id, a.shape_id, a.position, n.processes
		HAVING count(*) > 1 AND count(DISTINCT a.rank) = count(*) AND max(a.rank) < n.processes
			AND count(*) >= (limits).place_rank_share * n.processes
		ORDER BY a.source_id, count(*) DESC, a.shape_id, a.position
	),
	own AS (
		SELECT a.source_id, a.process, a.rank FROM statement n
		JOIN said a ON a.source_id = n.source_id AND a.shape_id = n.shape_id AND a.position = n.position
	)
	SELECT t.stream_id, COALESCE(p.told, w.rank::int)
	FROM process p
	JOIN task t ON t.source_id = p.source_id AND t.process = p.process
	LEFT JOIN own w ON w.source_id = p.source_id AND w.process = p.process
	WHERE COALESCE(p.told, w.rank) IS NOT NULL;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_task_ranks(text, @extschema@.l4_limits) IS
'Step: The ranks that processes in a launcher''s tasks say they are (streams whose label l4_is_task_label): in what stands '
'before some of their lines, else in a statement that most of them make, each with another number. Reads the parameter '
'statistics of their files.';

CREATE FUNCTION @extschema@.l4_learn_task_ranks(job_id text) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_nestloop = off
AS $$
#variable_conflict use_column
DECLARE
	stream_ids bigint[];
	ranks int[];
	changed bigint := 0;
BEGIN
	IF EXISTS (SELECT FROM @extschema@.l4_stream s
		WHERE s.job_id = l4_learn_task_ranks.job_id AND @extschema@.l4_is_task_label(s.label)) THEN
		-- by itself, as in l4_learn_rank_nodes
		SELECT array_agg(t.stream_id), array_agg(t.rank) INTO stream_ids, ranks
		FROM @extschema@.l4_task_ranks(l4_learn_task_ranks.job_id, @extschema@.l4_limits_in_force()) t;
		WITH held AS MATERIALIZED (
			SELECT s.stream_id, n.rank
			FROM @extschema@.l4_stream s JOIN unnest(stream_ids, ranks) n (stream_id, rank) ON n.stream_id = s.stream_id
			WHERE s.job_id = l4_learn_task_ranks.job_id AND s.rank IS DISTINCT FROM n.rank
			FOR UPDATE OF s SKIP LOCKED
		)
		UPDATE @extschema@.l4_stream s SET rank = h.rank
		FROM held h WHERE s.job_id = l4_learn_task_ranks.job_id AND s.stream_id = h.stream_id;
		GET DIAGNOSTICS changed = ROW_COUNT;
	END IF;
	RETURN changed;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_learn_task_ranks(text) IS
'Step: Corrects the ranks of streams that are labelled with a launcher''s task by what their processes say (l4_task_ranks); '
'returns the number of rows changed.';

CREATE FUNCTION @extschema@.l4_learn_task_nodes(job_id text) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
SET enable_nestloop = off
AS $$
#variable_conflict use_column
DECLARE
	changed bigint := 0;
BEGIN
	IF EXISTS (SELECT FROM @extschema@.l4_stream s WHERE s.job_id = l4_learn_task_nodes.job_id AND s.told_node IS NOT NULL
		AND @extschema@.l4_is_task_label(s.label)) THEN
		WITH told AS MATERIALIZED (
			SELECT s.source_id, @extschema@.l4_task_of_label(s.label) AS task, min(s.told_node) AS node
			FROM @extschema@.l4_stream s
			WHERE s.job_id = l4_learn_task_nodes.job_id AND @extschema@.l4_is_task_label(s.label)
			GROUP BY 1, 2 HAVING count(DISTINCT s.told_node) = 1
		),
		held AS MATERIALIZED (
			SELECT s.stream_id, t.node
			FROM @extschema@.l4_stream s
			JOIN told t ON t.source_id = s.source_id AND t.task = @extschema@.l4_task_of_label(s.label)
			-- a label of one number alone may be a rank's
			WHERE s.job_id = l4_learn_task_nodes.job_id AND s.told_node IS DISTINCT FROM t.node
				AND (s.rank IS NULL OR @extschema@.l4_is_task_label(s.label))
			FOR UPDATE OF s SKIP LOCKED
		)
		UPDATE @extschema@.l4_stream s SET told_node = h.node
		FROM held h WHERE s.job_id = l4_learn_task_nodes.job_id AND s.stream_id = h.stream_id;
		GET DIAGNOSTICS changed = ROW_COUNT;
	END IF;
	RETURN changed;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_learn_task_nodes(text) IS
'Step: All lines of a file that are labelled with a launcher''s task are of the node on which a process in it says it runs: '
'fills l4_stream.told_node; returns the number of rows changed.';
