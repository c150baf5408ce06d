/*
 * Jobs and pools: what successful jobs with the same settings also log.
 *
 * A pool answers one question: is this record normal for such a job? It knows three things of a shape: that it occurs, how
 * often a stream has it, and which values its parameters take. The last one matters because masking makes "1 bad" and "0 bad",
 * "HTTP Error 500" and "HTTP Error 503" one shape; only the values tell the failed job from the successful ones.
 *
 * Pools are computed when a successful job comes in (l4_pool_refresh), never while diagnosing, which only reads.
 */

CREATE FUNCTION @extschema@.l4_pool_settings(settings jsonb) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT s.matter FROM (
		SELECT COALESCE(jsonb_object_agg(k.key, settings -> k.key), '{}'::jsonb) AS matter
		FROM @extschema@.l4_pool_setting_in_force k
		WHERE settings ? k.key) s;
END;
COMMENT ON FUNCTION @extschema@.l4_pool_settings(jsonb) IS
'Step: Of a job''s settings those that decide its pool: the keys listed in l4_pool_setting.';

CREATE FUNCTION @extschema@.l4_pool_id(settings jsonb) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN ('x' || substr(md5(settings::text), 1, 16))::bit(64)::bigint;
COMMENT ON FUNCTION @extschema@.l4_pool_id(jsonb) IS
'Step: The pool_id of settings cut down by l4_pool_settings: a content hash, the same on every machine.';

CREATE FUNCTION @extschema@.l4_register_job(job_id text, settings jsonb DEFAULT NULL, status text DEFAULT NULL,
	nodes text[] DEFAULT NULL, ranks_per_node int DEFAULT NULL, started_at timestamptz DEFAULT NULL,
	ended_at timestamptz DEFAULT NULL, time_zone text DEFAULT NULL, restart_of text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	before @extschema@.l4_job;
	known boolean;
BEGIN
	IF l4_register_job.job_id IS NULL OR l4_register_job.job_id = '' THEN
		RAISE EXCEPTION 'a job needs a job_id that is not empty' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF l4_register_job.time_zone IS NOT NULL AND NOT EXISTS
		(SELECT FROM pg_timezone_names z WHERE lower(z.name) = lower(l4_register_job.time_zone)) THEN
		RAISE EXCEPTION 'time zone "%" is not known', l4_register_job.time_zone
			USING ERRCODE = 'invalid_parameter_value', HINT = 'pg_timezone_names lists the names.';
	END IF;
	IF l4_register_job.status NOT IN ('running', 'succeeded', 'failed', 'unknown') THEN
		RAISE EXCEPTION 'status "%" is not known', l4_register_job.status
			USING ERRCODE = 'invalid_parameter_value', HINT = 'A job is running, succeeded, failed or unknown.';
	END IF;
	IF jsonb_typeof(l4_register_job.settings) <> 'object' THEN
		RAISE EXCEPTION 'settings of a job are an object, not %', jsonb_typeof(l4_register_job.settings)
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Such as {"model": "llama-7b", "framework": "Megatron-LM"}.';
	END IF;
	IF l4_register_job.ranks_per_node <= 0 THEN
		RAISE EXCEPTION 'ranks_per_node is %, but a node has at least one rank', l4_register_job.ranks_per_node
			USING ERRCODE = 'invalid_parameter_value', HINT = 'NULL means that it is not known.';
	END IF;
	IF l4_register_job.restart_of IN ('', l4_register_job.job_id) THEN
		RAISE EXCEPTION 'job "%" cannot be a restart of "%"', l4_register_job.job_id, l4_register_job.restart_of
			USING ERRCODE = 'invalid_parameter_value', HINT = 'restart_of names the job before it; NULL where there was none.';
	END IF;
	IF (SELECT max(octet_length(n)) FROM unnest(l4_register_job.nodes) n) > 1024 THEN
		RAISE EXCEPTION 'a node''s name is longer than 1024 bytes'
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'nodes is an array of host names, one element for each node, in rank order.';
	END IF;
	-- A change of a job may change its pool, which another session may be changing just now. A job that is not there yet waits
	-- for nobody.
	known := EXISTS (SELECT FROM @extschema@.l4_job j WHERE j.job_id = l4_register_job.job_id);
	IF known AND (l4_register_job.status IS NOT NULL OR l4_register_job.settings IS NOT NULL) THEN
		PERFORM @extschema@.l4_lock('l4_pool', NULL, false);
	END IF;
	SELECT j.* INTO before FROM @extschema@.l4_job j WHERE j.job_id = l4_register_job.job_id;
	IF NOT known THEN
		PERFORM @extschema@.l4_claim_job(l4_register_job.job_id);
	END IF;
	INSERT INTO @extschema@.l4_job AS j (job_id, settings, status, nodes, ranks_per_node, started_at, ended_at, time_zone,
		restart_of)
	VALUES (l4_register_job.job_id, coalesce(l4_register_job.settings, '{}'), coalesce(l4_register_job.status, 'unknown'),
		l4_register_job.nodes, l4_register_job.ranks_per_node, l4_register_job.started_at, l4_register_job.ended_at,
		coalesce(l4_register_job.time_zone, 'UTC'), l4_register_job.restart_of)
	ON CONFLICT (job_id) DO UPDATE SET
		settings = coalesce(l4_register_job.settings, j.settings),
		status = coalesce(l4_register_job.status, j.status),
		nodes = coalesce(l4_register_job.nodes, j.nodes),
		ranks_per_node = coalesce(l4_register_job.ranks_per_node, j.ranks_per_node),
		started_at = coalesce(l4_register_job.started_at, j.started_at),
		ended_at = coalesce(l4_register_job.ended_at, j.ended_at),
		time_zone = coalesce(l4_register_job.time_zone, j.time_zone),
		restart_of = coalesce(l4_register_job.restart_of, j.restart_of);
	IF before.status <> l4_register_job.status OR before.settings <> l4_register_job.settings
		OR NOT known AND EXISTS (SELECT FROM @extschema@.l4_job_streams(l4_register_job.job_id)) THEN
		PERFORM @extschema@.l4_pool_refresh(l4_register_job.job_id, false);
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_register_job(text, jsonb, text, text[], int, timestamptz, timestamptz, text, text) IS
'Makes a job known, or updates it (NULL keeps what is there; a new job has settings {} and status unknown): its settings, '
'its status (running, succeeded, failed, unknown), its nodes in rank order, ranks per node, start and end, the time '
'zone of time stamps that name none, and the job that it is a restart of, which need not be known (l4_restarts). A change of '
'status or settings brings the pools up to date. Errors (22023): no '
'job_id, an unknown status or time zone, settings that are no object, ranks_per_node below 1, a node''s name of more than '
'1024 bytes, a restart of itself; 23505 where the name is another tenant''s.';

CREATE FUNCTION @extschema@.l4_pool_learn(job_id text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	limits @extschema@.l4_limits := @extschema@.l4_limits_in_force();
BEGIN
	DELETE FROM @extschema@.l4_pool_job_event e WHERE e.job_id = l4_pool_learn.job_id;
	WITH kind AS (
		SELECT s.kind, count(*) AS streams, sum(count(*)) OVER () AS of_job
		FROM @extschema@.l4_job_streams(l4_pool_learn.job_id) s WHERE s.record_count > 0 GROUP BY s.kind)
	INSERT INTO @extschema@.l4_pool_job_event (job_id, shape_id, kind, streams, of_streams, of_job, occurrences, largest)
	SELECT l4_pool_learn.job_id, c.shape_id, c.kind, c.streams, k.streams, k.of_job, c.occurrences, c.max_per_stream
	FROM @extschema@.l4_job_kind_counts(l4_pool_learn.job_id) c JOIN kind k USING (kind);

	DELETE FROM @extschema@.l4_pool_job_parameter p WHERE p.job_id = l4_pool_learn.job_id;
	WITH seen AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_job_sketches(l4_pool_learn.job_id) k
		CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch) p),
	place AS (
		SELECT shape_id, position, count(*) AS streams, sum(occurrences) AS occurrences, min(minimum) AS minimum,
			max(maximum) AS maximum, bool_and(distinct_values <= (limits).pool_stream_values) AS few
		FROM seen GROUP BY 1, 2),
	known AS (
		SELECT shape_id, position, array_agg(DISTINCT value COLLATE "C" ORDER BY value COLLATE "C") AS values
		FROM seen JOIN place USING (shape_id, position), unnest(seen.values) AS value WHERE few GROUP BY 1, 2)
	INSERT INTO @extschema@.l4_pool_job_parameter (job_id, shape_id, position, streams, occurrences, values, minimum, maximum)
	SELECT l4_pool_learn.job_id, shape_id, position, streams, occurrences,
		CASE WHEN cardinality(values) <= (limits).pool_values THEN values END, minimum, maximum
	FROM place LEFT JOIN known USING (shape_id, position);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_pool_learn(text) IS
'Step: Writes down what a job brings to its pool (l4_pool_job_event, l4_pool_job_parameter), anew. Cost: the summaries of '
'the job are read once.';

CREATE FUNCTION @extschema@.l4_pool_rebuild(pool_id bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	limits @extschema@.l4_limits := @extschema@.l4_limits_in_force();
BEGIN
	DELETE FROM @extschema@.l4_pool_event e WHERE e.pool_id = l4_pool_rebuild.pool_id;
	INSERT INTO @extschema@.l4_pool_event (pool_id, shape_id, event_id, job_count, occurrences, max_per_stream, mean_per_stream,
		max_stream_share, stream_share)
	SELECT l4_pool_rebuild.pool_id, e.shape_id, (SELECT h.event_id FROM @extschema@.l4_shape h WHERE h.shape_id = e.shape_id),
		count(DISTINCT e.job_id), sum(e.occurrences), max(e.largest), sum(e.occurrences)::float8 / sum(e.streams),
		max(e.streams::float8 / e.of_job), sum(e.streams)::float8 / sum(e.of_streams)
	FROM @extschema@.l4_pool_job j JOIN @extschema@.l4_pool_job_event e USING (job_id)
	WHERE j.pool_id = l4_pool_rebuild.pool_id
	GROUP BY e.shape_id;

	DELETE FROM @extschema@.l4_pool_parameter p WHERE p.pool_id = l4_pool_rebuild.pool_id;
	WITH seen AS (
		SELECT p.* FROM @extschema@.l4_pool_job j JOIN @extschema@.l4_pool_job_parameter p USING (job_id)
		WHERE j.pool_id = l4_pool_rebuild.pool_id),
	place AS (
		SELECT shape_id, position, count(*) AS job_count, sum(streams) AS stream_count, sum(occurrences) AS occurrences,
			min(minimum) AS minimum, max(maximum) AS maximum, bool_and(values IS NOT NULL) AS few
		FROM seen GROUP BY 1, 2),
	known AS (
		SELECT shape_id, position, array_agg(DISTINCT value COLLATE "C" ORDER BY value COLLATE "C") AS values
		FROM seen, unnest(values) AS value GROUP BY 1, 2)
	INSERT INTO @extschema@.l4_pool_parameter (pool_id, shape_id, position, job_count, stream_count, occurrences, values,
		minimum, maximum)
	SELECT l4_pool_rebuild.pool_id, shape_id, position, job_count, stream_count, occurrences,
		CASE WHEN few AND cardinality(values) <= (limits).pool_values THEN values END, minimum, maximum
	FROM place LEFT JOIN known USING (shape_id, position);

	UPDATE @extschema@.l4_pool p SET job_count = (SELECT count(*) FROM @extschema@.l4_pool_job j WHERE j.pool_id = p.pool_id)
	WHERE p.pool_id = l4_pool_rebuild.pool_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_pool_rebuild(bigint) IS
'Step: Computes l4_pool_event and l4_pool_parameter of a pool anew from what each of its jobs brought (l4_pool_learn). '
'Cost: some thousand rows a job, however many ranks it has.';

CREATE FUNCTION @extschema@.l4_pool_refresh(job_id text, imported boolean DEFAULT true) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	mine jsonb;
	whose name;
	mine_id bigint;
	other bigint;
	streams int;
	duration interval;
BEGIN
	PERFORM @extschema@.l4_lock('l4_pool', NULL, false);
	SELECT @extschema@.l4_pool_settings(j.settings), j.tenant INTO mine, whose
	FROM @extschema@.l4_job j WHERE j.job_id = l4_pool_refresh.job_id AND j.status = 'succeeded';
	IF mine IS NOT NULL THEN
		SELECT count(*), max(s.last_ts - s.first_ts) FILTER (WHERE @extschema@.l4_clock_was_set(s.first_ts))
		INTO streams, duration
		FROM @extschema@.l4_job_streams(l4_pool_refresh.job_id) s WHERE s.record_count > 0;
	END IF;
	mine_id := CASE WHEN streams > 0 THEN @extschema@.l4_pool_id(mine) # @extschema@.l4_tenant_salt(whose) END;

	-- Out of the pools it is no longer of (it failed after all, or its settings changed).
	FOR other IN
		DELETE FROM @extschema@.l4_pool_job p WHERE p.job_id = l4_pool_refresh.job_id AND p.pool_id IS DISTINCT FROM mine_id
		RETURNING p.pool_id
	LOOP
		PERFORM @extschema@.l4_pool_rebuild(other);
	END LOOP;
	IF mine_id IS NULL THEN
		DELETE FROM @extschema@.l4_pool_job_event e WHERE e.job_id = l4_pool_refresh.job_id;
		DELETE FROM @extschema@.l4_pool_job_parameter p WHERE p.job_id = l4_pool_refresh.job_id;
		RETURN NULL;
	END IF;
	IF imported OR NOT EXISTS (SELECT FROM @extschema@.l4_pool_job_event e WHERE e.job_id = l4_pool_refresh.job_id) THEN
		PERFORM @extschema@.l4_pool_learn(l4_pool_refresh.job_id);
	END IF;
	INSERT INTO @extschema@.l4_pool AS p (pool_id, settings, tenant) VALUES (mine_id, mine, whose)
	ON CONFLICT (pool_id) DO UPDATE SET job_count = p.job_count;
	INSERT INTO @extschema@.l4_pool_job AS p (pool_id, job_id, stream_count, duration, step_seconds, node_count)
	VALUES (mine_id, l4_pool_refresh.job_id, streams, duration,
		@extschema@.l4_lasting_step(l4_pool_refresh.job_id, @extschema@.l4_limits_in_force()),
		@extschema@.l4_node_count(l4_pool_refresh.job_id))
	ON CONFLICT (pool_id, job_id) DO UPDATE SET stream_count = excluded.stream_count, duration = excluded.duration,
		step_seconds = excluded.step_seconds, node_count = excluded.node_count;
	PERFORM @extschema@.l4_pool_rebuild(mine_id);
	RETURN mine_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_pool_refresh(text, boolean) IS
'Step: After an import (imported), first learns the job''s addresses. Then puts a succeeded job into the pool of its '
'settings (and takes any other job out) and brings that pool up to date; returns its pool_id, or NULL where the job is in '
'none. Called at the end of an import and when a job''s status or settings change.';

CREATE FUNCTION @extschema@.l4_concerns_pool(job_id text) RETURNS boolean
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	answer boolean;
BEGIN
	IF NOT @extschema@.l4_is_distributed() THEN
		RETURN true;
	END IF;
	-- whoever changes its status just now is waited for, or does this himself
	SELECT j.status = 'succeeded' OR EXISTS (SELECT FROM @extschema@.l4_pool_job p WHERE p.job_id = j.job_id) INTO answer
	FROM @extschema@.l4_job j WHERE j.job_id = l4_concerns_pool.job_id FOR SHARE OF j;
	RETURN coalesce(answer, false);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_concerns_pool(text) IS
'Step: On a cluster, where the lock on pools and whatever changes them begins sessions on all nodes: is there anything for '
'l4_pool_refresh to do at the end of an import? Else true. Locks the job''s row until the end of the transaction, which is to '
'come before l4_pool is locked.';

CREATE FUNCTION @extschema@.l4_best_pool(job_id text)
RETURNS TABLE (pool_id bigint, job_count int, fit double precision, settings jsonb, differs text[], kinds text[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
	WITH job AS (
		SELECT j.job_id, j.settings AS all_settings, @extschema@.l4_pool_settings(j.settings) AS settings, j.tenant
		FROM @extschema@.l4_job_row(l4_best_pool.job_id) j
	),
	pool AS (
		SELECT p.pool_id, p.settings,
			p.job_count - (EXISTS (SELECT FROM @extschema@.l4_pool_job m
				WHERE m.pool_id = p.pool_id AND m.job_id = job.job_id))::int AS job_count,
			-- the weighted share of keys, of those that either side has, on which both agree; no keys at all agree wholly
			COALESCE((
				SELECT sum(CASE WHEN p.settings -> k.key = job.settings -> k.key THEN k.weight ELSE 0 END) / sum(k.weight)
				FROM @extschema@.l4_pool_setting_in_force k
				WHERE p.settings ? k.key OR job.settings ? k.key), 1) AS fit
		FROM job JOIN @extschema@.l4_pool p ON p.tenant IS NOT DISTINCT FROM job.tenant
	),
	best AS MATERIALIZED (
		SELECT p.pool_id, p.job_count, p.fit, p.settings
		FROM pool p
		WHERE p.job_count > 0 AND p.fit > 0
		ORDER BY p.fit DESC, p.job_count DESC, p.pool_id
		LIMIT 1
	),
	other AS MATERIALIZED (
		SELECT o.settings FROM @extschema@.l4_job_rows(ARRAY(SELECT m.job_id FROM best b
			JOIN @extschema@.l4_pool_job m ON m.pool_id = b.pool_id WHERE m.job_id <> l4_best_pool.job_id)) o
	)
	SELECT b.pool_id, b.job_count, b.fit, b.settings,
		-- settings in words (a system, an image; numbers such as sizes and seeds aside) that no job of the pool shares
		ARRAY(
			SELECT k.key FROM job j, jsonb_each(j.all_settings) k
			WHERE jsonb_typeof(k.value) = 'string'
				AND EXISTS (SELECT FROM other o WHERE o.settings ? k.key)
				AND NOT EXISTS (SELECT FROM other o
					WHERE regexp_replace(o.settings ->> k.key, '\d+', '', 'g')
						= regexp_replace(k.value #>> '{}', '\d+', '', 'g'))
			ORDER BY k.key COLLATE "C"),
		ARRAY(SELECT DISTINCT e.kind FROM @extschema@.l4_pool_job m JOIN @extschema@.l4_pool_job_event e USING (job_id)
			WHERE m.pool_id = b.pool_id AND m.job_id <> l4_best_pool.job_id ORDER BY e.kind)
	FROM best b;
END;
COMMENT ON FUNCTION @extschema@.l4_best_pool(text) IS
'Step: The pool of successful jobs that fits a job best: all keys of l4_pool_setting equal (fit 1), else the largest '
'weighted share of equal keys; no row where no key is equal. job_count does not count the job itself. differs: the job''s '
'settings in words (numbers in them aside) that no job of the pool shares, whether or not they are keys of '
'l4_pool_setting; where there are any, or fit is below 1, the pool is of similar settings only. kinds: kinds of streams '
'that the pool''s jobs have.';
