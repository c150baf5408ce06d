/*
 * Jobs, what their parameters look like, and pools: what successful jobs with the same settings also log.
 *
 * A pool answers one question: is this record normal for such a job? It knows three things of a shape: that it occurs, how
 * often a stream has it, and which values its parameters take. The last one matters because masking makes "1 bad" and "0 bad",
 * "HTTP Error 500" and "HTTP Error 503" one shape; only the values tell the failed job from the successful ones.
 *
 * Pools are computed when a successful job comes in (l4_pool_refresh), never while diagnosing, which only reads.
 */

COMMENT ON COLUMN @extschema@.l4_pool_event.stream_share IS
'share of the streams of its kind (ranks, launchers, ...) that have it, over all jobs; small for what only one role logs '
'(rank 0, the last rank)';

-- What the parameters of a shape look like in one stream: the first distinct values with their lines, and the range of the
-- numbers.
CREATE VIEW @extschema@.l4_stream_parameter WITH (security_invoker = true) AS
SELECT k.job_id, p.* FROM @extschema@.l4_parameter_sketch k CROSS JOIN LATERAL @extschema@.l4_sketch_parameters(k.sketch) p;
COMMENT ON VIEW @extschema@.l4_stream_parameter IS
'Per stream, shape and parameter position: the first 16 distinct values with the line of each one''s first record, and the '
'range and mean of those that are numbers. Unpacked from l4_parameter_sketch, which an import writes.';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.position IS 'which <*> of the shape, from 1';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.distinct_values IS
'number of distinct values, also where more than the 16 kept';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.values IS 'the first 16 distinct values, in order of first appearance';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.value_lines IS 'line of the first record with each value of "values"';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.number_count IS
'occurrences whose value is a number (a unit of up to three letters or % may follow)';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.mean IS 'mean of the numbers';

CREATE TABLE @extschema@.l4_pool_parameter (
	pool_id bigint NOT NULL,
	shape_id bigint NOT NULL,
	position int NOT NULL,
	job_count int NOT NULL,
	stream_count int NOT NULL,
	occurrences bigint NOT NULL,
	values text[],
	minimum double precision,
	maximum double precision,
	PRIMARY KEY (pool_id, shape_id, position)
);
COMMENT ON TABLE @extschema@.l4_pool_parameter IS
'Per pool, shape and parameter position: the values it takes (NULL where they are many) and the range of its numbers.';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.values IS
'all values of the position in the pool, NULL where a stream has more than 16 or the pool more than 32';

-- What one successful job brings to its pool, computed once when it comes in: a pool is then made of these few rows a job, not
-- of all its jobs' streams.
CREATE TABLE @extschema@.l4_pool_job_event (
	job_id text NOT NULL,
	shape_id bigint NOT NULL,
	kind text NOT NULL,
	streams int NOT NULL,
	of_streams int NOT NULL,
	of_job int NOT NULL,
	occurrences bigint NOT NULL,
	largest bigint NOT NULL,
	PRIMARY KEY (job_id, shape_id, kind)
);
COMMENT ON TABLE @extschema@.l4_pool_job_event IS
'What a job of a pool has of each shape, per kind of stream: l4_pool_event is made of it. Written by l4_pool_learn.';
COMMENT ON COLUMN @extschema@.l4_pool_job_event.job_id IS 'the job';
COMMENT ON COLUMN @extschema@.l4_pool_job_event.shape_id IS 'the shape';
COMMENT ON COLUMN @extschema@.l4_pool_job_event.kind IS 'kind of the streams: rank, launcher, ...';
COMMENT ON COLUMN @extschema@.l4_pool_job_event.streams IS 'streams of the kind that have the shape';
COMMENT ON COLUMN @extschema@.l4_pool_job_event.of_streams IS 'streams of the kind';
COMMENT ON COLUMN @extschema@.l4_pool_job_event.of_job IS 'streams of the job';
COMMENT ON COLUMN @extschema@.l4_pool_job_event.occurrences IS 'records';
COMMENT ON COLUMN @extschema@.l4_pool_job_event.largest IS 'the largest number of records in one stream';

CREATE TABLE @extschema@.l4_pool_job_parameter (
	job_id text NOT NULL,
	shape_id bigint NOT NULL,
	position int NOT NULL,
	streams int NOT NULL,
	occurrences bigint NOT NULL,
	values text[],
	minimum double precision,
	maximum double precision,
	PRIMARY KEY (job_id, shape_id, position)
);
COMMENT ON TABLE @extschema@.l4_pool_job_parameter IS
'What values the parameters of a shape take in a job of a pool: l4_pool_parameter is made of it. Written by l4_pool_learn.';
COMMENT ON COLUMN @extschema@.l4_pool_job_parameter.job_id IS 'the job';
COMMENT ON COLUMN @extschema@.l4_pool_job_parameter.shape_id IS 'the shape';
COMMENT ON COLUMN @extschema@.l4_pool_job_parameter.position IS 'which <*> of the shape, from 1';
COMMENT ON COLUMN @extschema@.l4_pool_job_parameter.streams IS 'streams that have the shape';
COMMENT ON COLUMN @extschema@.l4_pool_job_parameter.occurrences IS 'records counted';
COMMENT ON COLUMN @extschema@.l4_pool_job_parameter.values IS
'all values of the position in the job, in byte order; NULL where a stream has more than 16 or the job more than 32';
COMMENT ON COLUMN @extschema@.l4_pool_job_parameter.minimum IS 'smallest number, NULL where there is none';
COMMENT ON COLUMN @extschema@.l4_pool_job_parameter.maximum IS 'largest number, NULL where there is none';

CREATE FUNCTION @extschema@.l4_number(value text) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 5
RETURN CASE
	WHEN value ~ '^[-+]?[0-9]{1,15}([.][0-9]{1,18})?([eE][-+]?[0-9]{1,2})?[A-Za-z%]{0,3}$'
	THEN substring(value, '^[-+]?[0-9]+(?:[.][0-9]+)?(?:[eE][-+]?[0-9]{1,2})?')::double precision
END;
COMMENT ON FUNCTION @extschema@.l4_number(text) IS
'The number that a parameter value is (a unit of up to three letters or % may follow it), or NULL.';

CREATE FUNCTION @extschema@.l4_pool_settings(settings jsonb) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT s.matter FROM (
		SELECT COALESCE(jsonb_object_agg(k.key, settings -> k.key), '{}'::jsonb) AS matter
		FROM @extschema@.l4_pool_setting_in_force k
		WHERE settings ? k.key) s;
END;
COMMENT ON FUNCTION @extschema@.l4_pool_settings(jsonb) IS
'Of a job''s settings those that decide its pool: the keys listed in l4_pool_setting.';

CREATE FUNCTION @extschema@.l4_pool_id(settings jsonb) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN ('x' || substr(md5(settings::text), 1, 16))::bit(64)::bigint;
COMMENT ON FUNCTION @extschema@.l4_pool_id(jsonb) IS
'The pool_id of settings cut down by l4_pool_settings: a content hash, the same on every machine.';

CREATE FUNCTION @extschema@.l4_register_job(job_id text, settings jsonb DEFAULT NULL, status text DEFAULT NULL,
	nodes text[] DEFAULT NULL, ranks_per_node int DEFAULT NULL, started_at timestamptz DEFAULT NULL,
	ended_at timestamptz DEFAULT NULL, time_zone text DEFAULT NULL)
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
	INSERT INTO @extschema@.l4_job AS j (job_id, settings, status, nodes, ranks_per_node, started_at, ended_at, time_zone)
	VALUES (l4_register_job.job_id, coalesce(l4_register_job.settings, '{}'), coalesce(l4_register_job.status, 'unknown'),
		l4_register_job.nodes, l4_register_job.ranks_per_node, l4_register_job.started_at, l4_register_job.ended_at,
		coalesce(l4_register_job.time_zone, 'UTC'))
	ON CONFLICT (job_id) DO UPDATE SET
		settings = coalesce(l4_register_job.settings, j.settings),
		status = coalesce(l4_register_job.status, j.status),
		nodes = coalesce(l4_register_job.nodes, j.nodes),
		ranks_per_node = coalesce(l4_register_job.ranks_per_node, j.ranks_per_node),
		started_at = coalesce(l4_register_job.started_at, j.started_at),
		ended_at = coalesce(l4_register_job.ended_at, j.ended_at),
		time_zone = coalesce(l4_register_job.time_zone, j.time_zone);
	IF before.status <> l4_register_job.status OR before.settings <> l4_register_job.settings
		OR NOT known AND EXISTS (SELECT FROM @extschema@.l4_stream s WHERE s.job_id = l4_register_job.job_id) THEN
		PERFORM @extschema@.l4_pool_refresh(l4_register_job.job_id, false);
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_register_job(text, jsonb, text, text[], int, timestamptz, timestamptz, text) IS
'Makes a job known, or updates it (NULL keeps what is there; a new job has settings {} and status unknown): its settings, its '
'status (running, succeeded, failed, unknown), its nodes in rank order, ranks per node, start and end, and the time zone of '
'time stamps that name none. A change of status or settings brings the pools up to date. Errors (22023): no job_id, an '
'unknown status or time zone, settings that are no object, ranks_per_node below 1, a node''s name of more than 1024 bytes.';

CREATE FUNCTION @extschema@.l4_pool_learn(job_id text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	DELETE FROM @extschema@.l4_pool_job_event e WHERE e.job_id = l4_pool_learn.job_id;
	WITH stream AS (
		SELECT s.stream_id, s.kind FROM @extschema@.l4_stream s WHERE s.job_id = l4_pool_learn.job_id AND s.record_count > 0),
	kind AS (
		SELECT s.kind, count(*) AS streams, sum(count(*)) OVER () AS of_job FROM stream s GROUP BY s.kind)
	INSERT INTO @extschema@.l4_pool_job_event (job_id, shape_id, kind, streams, of_streams, of_job, occurrences, largest)
	SELECT l4_pool_learn.job_id, e.shape_id, k.kind, count(*), k.streams, k.of_job, sum(e.occurrences), max(e.occurrences)
	FROM @extschema@.l4_stream_event e JOIN stream s USING (stream_id) JOIN kind k USING (kind)
	WHERE e.job_id = l4_pool_learn.job_id
	GROUP BY e.shape_id, k.kind, k.streams, k.of_job;

	DELETE FROM @extschema@.l4_pool_job_parameter p WHERE p.job_id = l4_pool_learn.job_id;
	WITH seen AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_stream_parameter p WHERE p.job_id = l4_pool_learn.job_id),
	place AS (
		SELECT shape_id, position, count(*) AS streams, sum(occurrences) AS occurrences, min(minimum) AS minimum,
			max(maximum) AS maximum, bool_and(distinct_values <= 16) AS few
		FROM seen GROUP BY 1, 2),
	known AS (
		SELECT shape_id, position, array_agg(DISTINCT value COLLATE "C" ORDER BY value COLLATE "C") AS values
		FROM seen JOIN place USING (shape_id, position), unnest(seen.values) AS value WHERE few GROUP BY 1, 2)
	INSERT INTO @extschema@.l4_pool_job_parameter (job_id, shape_id, position, streams, occurrences, values, minimum, maximum)
	SELECT l4_pool_learn.job_id, shape_id, position, streams, occurrences, CASE WHEN cardinality(values) <= 32 THEN values END,
		minimum, maximum
	FROM place LEFT JOIN known USING (shape_id, position);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_pool_learn(text) IS
'Writes down what a job brings to its pool (l4_pool_job_event, l4_pool_job_parameter), anew. Cost: the summaries of the job '
'are read once.';

CREATE FUNCTION @extschema@.l4_pool_rebuild(pool_id bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
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
		CASE WHEN few AND cardinality(values) <= 32 THEN values END, minimum, maximum
	FROM place LEFT JOIN known USING (shape_id, position);

	UPDATE @extschema@.l4_pool p SET job_count = (SELECT count(*) FROM @extschema@.l4_pool_job j WHERE j.pool_id = p.pool_id)
	WHERE p.pool_id = l4_pool_rebuild.pool_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_pool_rebuild(bigint) IS
'Computes l4_pool_event and l4_pool_parameter of a pool anew from what each of its jobs brought (l4_pool_learn). Cost: some '
'thousand rows a job, however many ranks it has.';

CREATE FUNCTION @extschema@.l4_pool_refresh(job_id text, imported boolean DEFAULT true) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	mine jsonb;
	mine_id bigint;
	other bigint;
	streams int;
	duration interval;
BEGIN
	PERFORM @extschema@.l4_lock('l4_pool', NULL, false);
	SELECT @extschema@.l4_pool_settings(j.settings) INTO mine
	FROM @extschema@.l4_job j WHERE j.job_id = l4_pool_refresh.job_id AND j.status = 'succeeded';
	SELECT count(*), max(s.last_ts - s.first_ts) FILTER (WHERE s.first_ts > '2000-01-01') INTO streams, duration
	FROM @extschema@.l4_stream s WHERE s.job_id = l4_pool_refresh.job_id AND s.record_count > 0;
	mine_id := CASE WHEN streams > 0 THEN @extschema@.l4_pool_id(mine) END;

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
	INSERT INTO @extschema@.l4_pool AS p (pool_id, settings) VALUES (mine_id, mine)
	ON CONFLICT (pool_id) DO UPDATE SET job_count = p.job_count;
	INSERT INTO @extschema@.l4_pool_job AS p (pool_id, job_id, stream_count, duration)
	VALUES (mine_id, l4_pool_refresh.job_id, streams, duration)
	ON CONFLICT (pool_id, job_id) DO UPDATE SET stream_count = excluded.stream_count, duration = excluded.duration;
	PERFORM @extschema@.l4_pool_rebuild(mine_id);
	RETURN mine_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_pool_refresh(text, boolean) IS
'After an import (imported), first learns the job''s addresses. Then puts a succeeded job into the pool of its settings (and '
'takes any other job out) and brings that pool up to date; returns its pool_id, or NULL where the job is in none. Called at '
'the end of an import and when a job''s status or settings change.';

CREATE FUNCTION @extschema@.l4_best_pool(job_id text)
RETURNS TABLE (pool_id bigint, job_count int, fit double precision, settings jsonb, differs text[], kinds text[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
	WITH job AS (
		SELECT j.job_id, j.settings AS all_settings, @extschema@.l4_pool_settings(j.settings) AS settings
		FROM @extschema@.l4_job j
		WHERE j.job_id = l4_best_pool.job_id
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
		FROM job, @extschema@.l4_pool p
	),
	best AS (
		SELECT p.pool_id, p.job_count, p.fit, p.settings
		FROM pool p
		WHERE p.job_count > 0 AND p.fit > 0
		ORDER BY p.fit DESC, p.job_count DESC, p.pool_id
		LIMIT 1
	)
	SELECT b.pool_id, b.job_count, b.fit, b.settings,
		-- settings in words (a system, an image; numbers such as sizes and seeds aside) that no job of the pool shares
		ARRAY(
			SELECT k.key FROM job j, jsonb_each(j.all_settings) k
			WHERE jsonb_typeof(k.value) = 'string'
				AND EXISTS (SELECT FROM @extschema@.l4_pool_job m JOIN @extschema@.l4_job o USING (job_id)
					WHERE m.pool_id = b.pool_id AND m.job_id <> j.job_id AND o.settings ? k.key)
				AND NOT EXISTS (SELECT FROM @extschema@.l4_pool_job m JOIN @extschema@.l4_job o USING (job_id)
					WHERE m.pool_id = b.pool_id AND m.job_id <> j.job_id
						AND regexp_replace(o.settings ->> k.key, '\d+', '', 'g')
							= regexp_replace(k.value #>> '{}', '\d+', '', 'g'))
			ORDER BY k.key COLLATE "C"),
		ARRAY(SELECT DISTINCT e.kind FROM @extschema@.l4_pool_job m JOIN @extschema@.l4_pool_job_event e USING (job_id)
			WHERE m.pool_id = b.pool_id AND m.job_id <> l4_best_pool.job_id ORDER BY e.kind)
	FROM best b;
END;
COMMENT ON FUNCTION @extschema@.l4_best_pool(text) IS
'The pool of successful jobs that fits a job best: all keys of l4_pool_setting equal (fit 1), else the largest weighted share '
'of equal keys; no row where no key is equal. job_count does not count the job itself. differs: the job''s settings in words '
'(numbers in them aside) that no job of the pool shares, whether or not they are keys of l4_pool_setting; where there are '
'any, or fit is below 1, the pool is of similar settings only. kinds: kinds of streams that the pool''s jobs have.';

COMMENT ON COLUMN @extschema@.l4_stream_parameter.job_id IS 'the job';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.stream_id IS 'the stream';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.shape_id IS 'the shape';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.occurrences IS 'records counted';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.minimum IS 'smallest number';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.minimum_line IS 'line of its first record';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.maximum IS 'largest number';
COMMENT ON COLUMN @extschema@.l4_stream_parameter.maximum_line IS 'line of its first record';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.pool_id IS 'the pool';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.shape_id IS 'the shape';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.position IS 'which <*> of the shape, from 1';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.job_count IS 'number of jobs that have the shape';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.stream_count IS 'number of streams that have it';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.occurrences IS 'number of records counted';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.minimum IS 'smallest number, NULL where there is none';
COMMENT ON COLUMN @extschema@.l4_pool_parameter.maximum IS 'largest number, NULL where there is none';
