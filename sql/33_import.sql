/* Import, and segments back to rows. */

CREATE PROCEDURE @extschema@.l4_import(job_id text, path text, layout text DEFAULT NULL, workers int DEFAULT 1,
	part_bytes int DEFAULT 16777216)
	LANGUAGE c AS 'MODULE_PATHNAME', 'l4_import';
COMMENT ON PROCEDURE @extschema@.l4_import(text, text, text, int, int) IS
'Imports the logs of a registered job from a file or folder on the server: plain, compressed (.gz .zst .xz .bz2 .lz4) or '
'archived (.tar, .tar.*, .zip). Node and rank come from the path, from labels on the lines, or from layout, a path with '
'{node}, {rank}, {local_rank}, {attempt} and * in it. Only members of pg_read_server_files may call it. workers: how many '
'processes read at once, the calling one among them; the others are background workers with the caller''s user, role and '
'settings. The result is the same for every number; where too few worker slots (max_worker_processes) are free, fewer '
'read. Where one file is a large share of all they read it together: a plain or compressed one in parts (but a .bz2 is one '
'process''s), an archive by its members. part_bytes: plain files larger than this, and compressed ones larger than a sixteenth '
'of it, are cut into parts of about this size (unpacked), at the same places for every number of processes; it decides where '
'segments end and '
'nothing else (but the last digits of means), and is best left alone. Commits every few megabytes: after a larger file, or '
'after up to 64 small ones (inside a transaction block: the same without commits and without workers, and at its end other '
'imports wait for the block''s; on a cluster eight times as much goes into one); called again it reads only what is new '
'or has changed: of a plain file that has grown, '
'the new bytes, and a last line that was cut is completed; any other that changed as a whole. What a worker that ends '
'early was at is a warning, and the calling process reads it again. A file that cannot be read, or not to its end, is a '
'warning and a row in l4_stream whose error says why; what could be read is there: of a cut or damaged file all that can '
'be decoded; behind a damaged tar header all up to the next one, as a file of its own; lines behind a compressed stream as '
'they are. Compressed members of archives are decompressed, archives in archives kept as they are, with a remark. Records in '
'documents of JSON and tables come as lines, lines under heads are of the host or file that the head names, and a file with '
'the newest line first is read from its end (docs/shippers.md): such a file is one process''s. '
'Progress: NOTICE, pg_stat_progress_copy, and the rows of l4_stream. Errors: 42501 without the right, P0002 unknown job, '
'22023 bad layout, path, time zone, number of workers or size of parts, 58P01 no such path, or a folder without files. '
'Cost: one pass over the bytes.';

CREATE FUNCTION @extschema@.l4_segment_support(internal) RETURNS internal
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_segment_support';
COMMENT ON FUNCTION @extschema@.l4_segment_support(internal) IS
'Step: Planner support function of l4_segment_records and l4_segment_grep: what a filter on a record''s ts, line_no, '
'stream_id, shape_id or event_id says of its segment is added to the filter of l4_segment, so that no other segment is '
'opened. Called by the planner alone.';

CREATE FUNCTION @extschema@.l4_event_shapes(event_id bigint) RETURNS bigint[]
	LANGUAGE c STABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'l4_event_shapes';
COMMENT ON FUNCTION @extschema@.l4_event_shapes(bigint) IS
'Step: The shapes of an event, in ascending order; NULL for one that has none. Looked up once for each place of a query '
'that calls it.';

CREATE FUNCTION @extschema@.l4_segment_records(structure bytea, texts bytea, parameter_values bytea, stream_ids bigint[],
	with_text boolean DEFAULT true, earliest timestamptz DEFAULT '-infinity', latest timestamptz DEFAULT 'infinity',
	OUT stream_id bigint, OUT line_no bigint, OUT part int, OUT ts timestamptz, OUT level text, OUT component text,
	OUT stage text, OUT iteration bigint, OUT shape_id bigint, OUT parameters text[], OUT message text, OUT raw text,
	OUT raw_bytes bytea)
	RETURNS SETOF record
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 4000 SUPPORT @extschema@.l4_segment_support
	AS 'MODULE_PATHNAME', 'l4_segment_records';
COMMENT ON FUNCTION @extschema@.l4_segment_records(bytea, bytea, bytea, bigint[], boolean, timestamptz, timestamptz) IS
'Step: The records of one row of l4_segment, in file order: stream, number of the first line (1-based), part (0 for the '
'first record beginning on that line), time, level, component, stage, iteration, shape, parameters, message, raw text '
'without the line''s end (undecodable bytes as \xNN) and raw bytes with it. with_text => false leaves the last four NULL '
'and is much cheaper; the planner sets it by itself where none of them is used. earliest and latest: only records of these '
'times, both included; a record without a time only where both are infinite. Errors: XX001 for damaged bytes.';

CREATE FUNCTION @extschema@.l4_iteration_at(at timestamptz, started_at timestamptz[], iterations bigint[]) RETURNS bigint
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10 AS 'MODULE_PATHNAME', 'l4_iteration_at';
COMMENT ON FUNCTION @extschema@.l4_iteration_at(timestamptz, timestamptz[], bigint[]) IS
'Step: The iteration under way at a time: started_at and iterations as in l4_timeline (ascending by time, equal length). '
'NULL before the first. Errors: 2202E for arrays that do not fit. Cost: binary search.';

CREATE FUNCTION @extschema@.l4_pattern_matches(pattern text, subject text) RETURNS boolean
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 50 AS 'MODULE_PATHNAME', 'l4_pattern_matches';
COMMENT ON FUNCTION @extschema@.l4_pattern_matches(text, text) IS
'Does the PCRE2 pattern match anywhere in subject? Steps, depth and memory of the whole call are bounded (10 million '
'steps, and 100 for each byte of subject), so that no pattern can run away, and it can be cancelled at any time. A pattern '
'works on bytes, or on characters where it holds one that is not ASCII; it may not begin with a setting such as (*UTF) or '
'(*CRLF). Errors: 2201B for a bad pattern, also for one that recurses without end, 54000 for one that takes too many steps.';

CREATE FUNCTION @extschema@.l4_pattern_matches(pattern text, subject text, otherwise boolean) RETURNS boolean
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 50 AS 'MODULE_PATHNAME', 'l4_pattern_matches_or';
COMMENT ON FUNCTION @extschema@.l4_pattern_matches(text, text, boolean) IS
'Does the PCRE2 pattern match anywhere in subject? otherwise is the answer where that takes too many steps, or recurses '
'without end, so that one text does not end a query over many. Errors: 2201B for a bad pattern.';

-- A query that runs over events and times of many segments is worth several processes, however small the table is beside its
-- TOAST.
ALTER TABLE @extschema@.l4_segment SET (parallel_workers = 4);
CREATE STATISTICS @extschema@.l4_segment_streams ON (cardinality(stream_ids)) FROM @extschema@.l4_segment;
COMMENT ON STATISTICS @extschema@.l4_segment_streams IS
'How many streams a segment holds: tells the planner which half of l4_log is empty.';

CREATE FUNCTION @extschema@.l4_only_streams(stream_ids bigint[], wanted bigint[]) RETURNS bigint[]
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2 AS 'MODULE_PATHNAME', 'l4_only_streams';
COMMENT ON FUNCTION @extschema@.l4_only_streams(bigint[], bigint[]) IS
'Step: The stream_ids of a row of l4_segment with 0 in place of those that are not wanted: whoever reads records of the '
'row with them gets those of the wanted streams alone, and of a bundle no more is opened than these need. Errors: 22004 for '
'arrays with NULL.';

/*
 * Most segments hold one stream: there the stream is known before the segment is opened, so that a filter on node or rank finds
 * the segments through it. The records of files that several streams share find their streams one by one. Small files lie in
 * bundles (segment_no -1), out of which each stream is read by itself.
 */
CREATE VIEW @extschema@.l4_log WITH (security_invoker = true) AS
SELECT g.job_id, COALESCE(s.told_node, s.node) AS node, s.rank, s.source, r.line_no, r.ts, r.level, r.component, r.stage,
	coalesce(r.iteration, @extschema@.l4_iteration_at(r.ts, t.started_at, t.iterations)) AS iteration,
	h.event_id, r.message, r.raw, r.part, r.raw_bytes, r.parameters, r.shape_id, r.stream_id, g.segment_no,
	h.event_id::text AS event_id_text, r.shape_id::text AS shape_id_text
FROM @extschema@.l4_segment g
	JOIN @extschema@.l4_stream s ON s.job_id = g.job_id AND s.source_id = g.source_id AND s.stream_id = g.stream_ids[1]
	LEFT JOIN @extschema@.l4_timeline t ON t.job_id = g.job_id
	CROSS JOIN LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r
	LEFT JOIN @extschema@.l4_shape h ON h.shape_id = r.shape_id
WHERE cardinality(g.stream_ids) = 1 AND g.segment_no >= 0
UNION ALL
SELECT g.job_id, COALESCE(s.told_node, s.node) AS node, s.rank, s.source, r.line_no, r.ts, r.level, r.component, r.stage,
	coalesce(r.iteration, @extschema@.l4_iteration_at(r.ts, t.started_at, t.iterations)) AS iteration,
	h.event_id, r.message, r.raw, r.part, r.raw_bytes, r.parameters, r.shape_id, r.stream_id, g.segment_no,
	h.event_id::text AS event_id_text, r.shape_id::text AS shape_id_text
FROM @extschema@.l4_segment g
	LEFT JOIN @extschema@.l4_timeline t ON t.job_id = g.job_id
	CROSS JOIN LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r
	JOIN @extschema@.l4_stream s ON s.job_id = g.job_id AND s.stream_id = r.stream_id
	LEFT JOIN @extschema@.l4_shape h ON h.shape_id = r.shape_id
WHERE cardinality(g.stream_ids) <> 1 AND g.segment_no >= 0
UNION ALL
SELECT g.job_id, COALESCE(s.told_node, s.node) AS node, s.rank, s.source, r.line_no, r.ts, r.level, r.component, r.stage,
	coalesce(r.iteration, @extschema@.l4_iteration_at(r.ts, t.started_at, t.iterations)) AS iteration,
	h.event_id, r.message, r.raw, r.part, r.raw_bytes, r.parameters, r.shape_id, r.stream_id, 0 AS segment_no,
	h.event_id::text AS event_id_text, r.shape_id::text AS shape_id_text
FROM @extschema@.l4_segment g
	JOIN @extschema@.l4_stream s ON s.job_id = g.job_id AND s.bundle_id = g.source_id
	LEFT JOIN @extschema@.l4_timeline t ON t.job_id = g.job_id
	CROSS JOIN LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters,
		@extschema@.l4_only_streams(g.stream_ids, ARRAY[s.stream_id])) r
	LEFT JOIN @extschema@.l4_shape h ON h.shape_id = r.shape_id
WHERE g.segment_no = -1 AND r.stream_id = s.stream_id;
COMMENT ON VIEW @extschema@.l4_log IS
'A row for each record of the imported logs, decompressed on the way. Filter by job_id first; of what then matches node, '
'rank, source, ts, line_no, event_id, shape_id or stream_id only the segments that can hold it are opened (EXPLAIN shows '
'how many). Leaving out message, raw, raw_bytes and parameters makes a query several times cheaper. The bytes of a file: '
'string_agg(raw_bytes, '''' ORDER BY line_no, part) over its source.';
COMMENT ON COLUMN @extschema@.l4_log.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_log.node IS
'the node of the stream, NULL where the stream is of no node';
COMMENT ON COLUMN @extschema@.l4_log.rank IS
'the global rank of the stream, NULL where the stream is of no rank';
COMMENT ON COLUMN @extschema@.l4_log.source IS
'path of the file relative to the imported folder';
COMMENT ON COLUMN @extschema@.l4_log.line_no IS
'1-based number of the record''s first line in the source; lines end at \n; counted from the end where the newest line '
'comes first; where a document of JSON has many records in a line they are numbered on';
COMMENT ON COLUMN @extschema@.l4_log.ts IS
'time of the record, or the last one before it in its stream; NULL where there was none yet';
COMMENT ON COLUMN @extschema@.l4_log.level IS
'trace, debug, info, warning, error, fatal; NULL where the record states none';
COMMENT ON COLUMN @extschema@.l4_log.component IS
'logger, process or source file that the header names';
COMMENT ON COLUMN @extschema@.l4_log.stage IS
'the stage its stream was in';
COMMENT ON COLUMN @extschema@.l4_log.iteration IS
'the iteration: from the stream''s own markers, else by time from the job''s timeline';
COMMENT ON COLUMN @extschema@.l4_log.event_id IS
'the event (Drain template) of the record';
COMMENT ON COLUMN @extschema@.l4_log.message IS
'the record without prefixes and header';
COMMENT ON COLUMN @extschema@.l4_log.raw IS
'the whole record as text, without the end of its last line; undecodable bytes as \xNN';
COMMENT ON COLUMN @extschema@.l4_log.part IS
'0 for the first record that begins on its line, 1 for the next, ...';
COMMENT ON COLUMN @extschema@.l4_log.raw_bytes IS
'the exact bytes of the record, line ends included';
COMMENT ON COLUMN @extschema@.l4_log.parameters IS
'the values of the <*> of the shape, in order';
COMMENT ON COLUMN @extschema@.l4_log.shape_id IS
'content hash of the masked message';
COMMENT ON COLUMN @extschema@.l4_log.stream_id IS
'the stream';
COMMENT ON COLUMN @extschema@.l4_log.segment_no IS
'number of the segment of its source that holds the record';
COMMENT ON COLUMN @extschema@.l4_log.event_id_text IS
'event_id as text, for programs that take whole numbers for floating-point ones; to filter, take event_id';
COMMENT ON COLUMN @extschema@.l4_log.shape_id_text IS
'shape_id as text, likewise';

/* Events: Drain over the distinct shapes, ids kept once given. */

CREATE FUNCTION @extschema@.l4_coarse_shape(shape text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN COALESCE(substring(shape, '^[^[:space:]0-9<]{1,64}[[:space:]](?=.)'), '') || '<*>';
COMMENT ON FUNCTION @extschema@.l4_coarse_shape(text) IS
'Step: The first word of a shape, where it is a plain one, and one parameter for the rest: the event of shapes that are '
'beyond what is clustered.';

CREATE FUNCTION @extschema@.l4_shape_events(depth int DEFAULT 4, similarity double precision DEFAULT 0.5,
	split_values int DEFAULT 5, most bigint DEFAULT 100000, tenant name DEFAULT NULL)
RETURNS TABLE (shape_id bigint, event_id bigint, template text, parent_id bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10000
BEGIN ATOMIC
	WITH own AS NOT MATERIALIZED (
		SELECT h.shape_id, h.shape FROM @extschema@.l4_shape h WHERE h.tenant IS NOT DISTINCT FROM l4_shape_events.tenant
	),
	size AS (SELECT count(*) AS shapes FROM own),
	chosen AS MATERIALIZED (
		SELECT h.shape_id, h.shape FROM own h WHERE (SELECT s.shapes FROM size s) <= l4_shape_events.most
		UNION ALL
		-- of too many those that share their first two words with the fewest: a flood of free text takes no other statement's
		-- place
		(SELECT h.shape_id, h.shape
		FROM (
			SELECT a.*, row_number() OVER (PARTITION BY substring(a.shape, '^\S+\s\S+') ORDER BY a.shape_id) AS turn
			FROM own a WHERE (SELECT s.shapes FROM size s) > l4_shape_events.most) h
		ORDER BY h.turn, h.shape_id LIMIT l4_shape_events.most)
	)
	SELECT c.shape_id, c.event_id # @extschema@.l4_tenant_salt(l4_shape_events.tenant), c.template,
		c.parent_id # @extschema@.l4_tenant_salt(l4_shape_events.tenant)
	FROM (SELECT array_agg(o.shape_id ORDER BY o.shape_id) AS ids, array_agg(o.shape ORDER BY o.shape_id) AS shapes
		FROM chosen o) s, @extschema@.l4_cluster_shapes(s.ids, s.shapes, l4_shape_events.depth, l4_shape_events.similarity,
			l4_shape_events.split_values) c
	UNION ALL
	SELECT h.shape_id, @extschema@.l4_text_hash(c.shape) # @extschema@.l4_tenant_salt(l4_shape_events.tenant), c.shape, NULL
	FROM own h CROSS JOIN LATERAL @extschema@.l4_coarse_shape(h.shape) c (shape)
	WHERE (SELECT s.shapes FROM size s) > l4_shape_events.most
		AND NOT EXISTS (SELECT FROM chosen o WHERE o.shape_id = h.shape_id);
END;
COMMENT ON FUNCTION @extschema@.l4_shape_events(int, double precision, int, bigint, name) IS
'Step: The event of each shape: Drain (l4_cluster_shapes with the given depth, similarity and split) over all shapes or, '
'where there are more than "most", over those that share their first two words with the fewest; the others get the event '
'of their coarse shape. tenant: whose shapes. A function of the set of these and the arguments alone. Errors: 54000 where '
'maintenance_work_mem '
'does not hold the clusters. Cost: about 20 microseconds and 300 bytes for each shape clustered.';

CREATE FUNCTION @extschema@.l4_has_few_shapes(first_key bigint, last_key bigint, most bigint, tenant name) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT count(*) <= l4_has_few_shapes.most
	FROM (SELECT FROM @extschema@.l4_shape h
		WHERE @extschema@.l4_shape_key(h.shape) BETWEEN l4_has_few_shapes.first_key AND l4_has_few_shapes.last_key
			AND h.tenant IS NOT DISTINCT FROM l4_has_few_shapes.tenant LIMIT l4_has_few_shapes.most + 1) h;
END;
COMMENT ON FUNCTION @extschema@.l4_has_few_shapes(bigint, bigint, bigint, name) IS
'Step: Are there at most so many shapes of a tenant whose l4_shape_key lies in a range? Cost: reads no more than that.';

/*
 * Shapes of different numbers of tokens never meet in a group of Drain, so new ones are clustered with those of their number
 * alone, and the result is that of clustering all. Where floods have left too many of a number, with those that begin with the
 * same word, or the same two.
 */
CREATE FUNCTION @extschema@.l4_new_shape_events(most bigint DEFAULT 10000, tenant name DEFAULT NULL)
RETURNS TABLE (shape_id bigint, event_id bigint, template text, parent_id bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10000
-- How many shapes are new the planner cannot know: a flood of them must not be looked through once for each range of keys.
SET enable_nestloop = off
BEGIN ATOMIC
	WITH RECURSIVE fresh AS MATERIALIZED (
		SELECT h.shape_id, h.shape, @extschema@.l4_shape_key(h.shape) AS key FROM @extschema@.l4_shape h
		WHERE h.event_id IS NULL AND h.tenant IS NOT DISTINCT FROM l4_new_shape_events.tenant
	),
	-- The ranges of keys that its like may be looked for in: each with the wider one that it is part of.
	range AS MATERIALIZED (
		SELECT DISTINCT b.bits, f.key >> b.bits << b.bits AS least,
			(f.key >> b.bits << b.bits) + (1::bigint << b.bits) - 1 AS last,
			b.wider_bits, f.key >> b.wider_bits << b.wider_bits AS wider_least
		FROM fresh f CROSS JOIN (VALUES (48, NULL), (24, 48), (0, 24)) b (bits, wider_bits)
	),
	near (bits, least, last, fits) AS (
		SELECT r.bits, r.least, r.last, @extschema@.l4_has_few_shapes(r.least, r.last, l4_new_shape_events.most,
			l4_new_shape_events.tenant)
		FROM range r WHERE r.wider_bits IS NULL
		UNION ALL
		SELECT r.bits, r.least, r.last, @extschema@.l4_has_few_shapes(r.least, r.last, l4_new_shape_events.most,
			l4_new_shape_events.tenant)
		FROM near n JOIN range r ON r.wider_bits = n.bits AND r.wider_least = n.least
		WHERE NOT n.fits
	)
	SELECT c.shape_id, c.event_id # @extschema@.l4_tenant_salt(l4_new_shape_events.tenant), c.template,
		c.parent_id # @extschema@.l4_tenant_salt(l4_new_shape_events.tenant)
	FROM near n
		CROSS JOIN LATERAL (
			SELECT array_agg(h.shape_id ORDER BY h.shape_id) AS ids, array_agg(h.shape ORDER BY h.shape_id) AS shapes
			FROM @extschema@.l4_shape h WHERE @extschema@.l4_shape_key(h.shape) BETWEEN n.least AND n.last
				AND h.tenant IS NOT DISTINCT FROM l4_new_shape_events.tenant) s
		CROSS JOIN LATERAL @extschema@.l4_cluster_shapes(s.ids, s.shapes) c
	WHERE n.fits
	UNION ALL
	SELECT f.shape_id, @extschema@.l4_text_hash(c.shape) # @extschema@.l4_tenant_salt(l4_new_shape_events.tenant), c.shape, NULL
	FROM fresh f JOIN near n ON n.bits = 0 AND n.least = f.key AND NOT n.fits
		CROSS JOIN LATERAL @extschema@.l4_coarse_shape(f.shape) c (shape);
END;
COMMENT ON FUNCTION @extschema@.l4_new_shape_events(bigint, name) IS
'Step: The event that Drain (l4_cluster_shapes) gives each shape that has none yet, and each of the shapes it was compared '
'with: those of the same number of tokens or, where there are more than "most", of these those that begin with the same '
'word or else the same two words; where these are too many too, it gets the event of its coarse shape. Up to so many the '
'result is that of l4_shape_events for them. tenant: whose shapes. Errors: 54000 where maintenance_work_mem does not hold '
'the clusters of one '
'such set. Cost: about 20 microseconds for each shape clustered, whatever others there are.';

CREATE FUNCTION @extschema@.l4_assign_events(job_id text DEFAULT NULL) RETURNS bigint
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	SET jit = off
AS $$
DECLARE
	assigned bigint := 0;
	these bigint;
	whose name;
BEGIN
	IF NOT EXISTS (SELECT FROM @extschema@.l4_shape WHERE event_id IS NULL OR tentative = 0) THEN
		RETURN 0;
	END IF;
	-- Two imports that end at once must not give one shape two events, nor may one find a shape that another takes back.
	PERFORM @extschema@.l4_lock('l4_event', NULL, false);
	PERFORM @extschema@.l4_lock('l4_shape', NULL, false);
	WITH gone AS (DELETE FROM @extschema@.l4_shape WHERE tentative = 0 RETURNING event_id)
	DELETE FROM @extschema@.l4_event e
	WHERE e.event_id IN (SELECT g.event_id FROM gone g) AND NOT EXISTS (
		SELECT FROM @extschema@.l4_shape h WHERE h.event_id = e.event_id AND h.tentative IS DISTINCT FROM 0);
	FOR whose IN SELECT DISTINCT h.tenant FROM @extschema@.l4_shape h WHERE h.event_id IS NULL ORDER BY h.tenant LOOP
		WITH clustered AS MATERIALIZED (
			SELECT c.* FROM @extschema@.l4_new_shape_events(tenant => whose) c
		), known AS (
			-- A cluster keeps the event that most of its shapes already have.
			SELECT DISTINCT ON (c.event_id) c.event_id AS cluster_id, h.event_id
			FROM clustered c JOIN @extschema@.l4_shape h ON h.shape_id = c.shape_id
			WHERE h.event_id IS NOT NULL
			GROUP BY c.event_id, h.event_id
			ORDER BY c.event_id, count(*) DESC, h.event_id
		), added AS (
			INSERT INTO @extschema@.l4_event (event_id, template, parent_id, tenant)
			SELECT DISTINCT ON (c.event_id) c.event_id, c.template, c.parent_id, whose
			FROM clustered c WHERE NOT EXISTS (SELECT FROM known k WHERE k.cluster_id = c.event_id)
			ORDER BY c.event_id
			ON CONFLICT DO NOTHING
		)
		UPDATE @extschema@.l4_shape h SET event_id = coalesce(k.event_id, c.event_id)
		FROM clustered c LEFT JOIN known k ON k.cluster_id = c.event_id
		WHERE h.shape_id = c.shape_id AND h.event_id IS NULL;
		GET DIAGNOSTICS these = ROW_COUNT;
		assigned := assigned + these;
	END LOOP;
	RETURN assigned;
END $$;
COMMENT ON FUNCTION @extschema@.l4_assign_events(text) IS
'Step: Gives every shape that has none an event: clusters it with the shapes it may share one with (l4_new_shape_events) '
'and lets it join the event of its cluster, or makes a new one. Shapes that have an event keep it; shapes that nothing has '
'any more (tentative 0), and their events, go. Returns the number of shapes that got one. Called by l4_import; the '
'argument is the job on whose behalf. Cost: that of l4_new_shape_events.';

CREATE FUNCTION @extschema@.l4_forget_shapes() RETURNS bigint
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	SET jit = off
AS $$
DECLARE
	gone bigint;
BEGIN
	-- Who does not see all rows, or not those of now, cannot tell what nothing has.
	IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') OR EXISTS (
		SELECT FROM (VALUES ('@extschema@.l4_shape', 'SELECT'), ('@extschema@.l4_shape', 'DELETE'),
			('@extschema@.l4_event', 'SELECT'), ('@extschema@.l4_event', 'DELETE'), ('@extschema@.l4_source_counts', 'SELECT'),
			('@extschema@.l4_pool_event', 'SELECT'), ('@extschema@.l4_pool_job_event', 'SELECT'),
			('@extschema@.l4_fault', 'SELECT')) n (name, privilege)
		WHERE NOT has_table_privilege(n.name, n.privilege)
			OR row_security_active(n.name) AND NOT @extschema@.l4_sees_own_wholly(n.name))
		-- as l4_lock asks
		OR NOT (has_any_column_privilege('@extschema@.l4_job', 'INSERT, UPDATE')
			OR has_any_column_privilege('@extschema@.l4_stream', 'INSERT, UPDATE')
			OR has_table_privilege('@extschema@.l4_job', 'DELETE')
			OR has_table_privilege('@extschema@.l4_stream', 'DELETE')) THEN
		RETURN NULL;
	END IF;
	PERFORM @extschema@.l4_lock('l4_event', NULL, false);
	PERFORM @extschema@.l4_lock('l4_shape', NULL, false);
	WITH used AS MATERIALIZED (
		SELECT DISTINCT u.shape_id FROM @extschema@.l4_source_counts c
			CROSS JOIN LATERAL @extschema@.l4_counts_shapes(c.counts) u (shape_id)
		UNION SELECT p.shape_id FROM @extschema@.l4_pool_event p
		UNION SELECT p.shape_id FROM @extschema@.l4_pool_job_event p
	)
	DELETE FROM @extschema@.l4_shape h
	WHERE NOT EXISTS (SELECT FROM used u WHERE u.shape_id = h.shape_id)
		-- a fault may ask for an event that does not come back under the same id
		AND (h.event_id IN (SELECT unnest(f.events) FROM @extschema@.l4_fault f)) IS NOT TRUE;
	GET DIAGNOSTICS gone = ROW_COUNT;
	IF gone > 0 THEN
		DELETE FROM @extschema@.l4_event e WHERE NOT EXISTS (SELECT FROM @extschema@.l4_shape h WHERE h.event_id = e.event_id);
	END IF;
	RETURN gone;
END $$;
COMMENT ON FUNCTION @extschema@.l4_forget_shapes() IS
'Deletes the shapes that no job and no pool has any more, and the events that are left without any; those that faults ask '
'for stay. Returns the number of shapes, or NULL where it did nothing: row security hides rows from the caller, he may not '
'delete from l4_shape and l4_event or change jobs and their streams, or the transaction is of a higher level than READ '
'COMMITTED. Waits for imports that are writing shapes; imports wait with theirs until the transaction ends. Called by '
'l4_delete_job; files that were replaced leave shapes too. Cost: one pass over l4_source_counts.';

CREATE FUNCTION @extschema@.l4_recluster(depth int DEFAULT 4, similarity double precision DEFAULT 0.5,
	split_values int DEFAULT 5)
RETURNS bigint
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	SET jit = off
AS $$
DECLARE
	events bigint;
	-- not in a temporary table: on a cluster none is joined with tables of which all nodes have a copy
	shape_ids bigint[];
	event_ids bigint[];
	templates text[];
	parent_ids bigint[];
	tenants name[];
BEGIN
	PERFORM @extschema@.l4_lock('l4_event', NULL, false);
	PERFORM @extschema@.l4_lock('l4_shape', NULL, false);
	PERFORM @extschema@.l4_lock('l4_pool', NULL, false);
	SELECT array_agg(c.shape_id), array_agg(c.event_id), array_agg(c.template), array_agg(c.parent_id), array_agg(t.tenant)
	INTO shape_ids, event_ids, templates, parent_ids, tenants
	FROM (SELECT DISTINCT h.tenant FROM @extschema@.l4_shape h) t
	CROSS JOIN LATERAL @extschema@.l4_shape_events(depth, similarity, split_values, tenant => t.tenant) c;
	INSERT INTO @extschema@.l4_event (event_id, template, parent_id, tenant)
		SELECT DISTINCT ON (c.event_id) c.event_id, c.template, c.parent_id, c.tenant
		FROM unnest(event_ids, templates, parent_ids, tenants) c (event_id, template, parent_id, tenant) ORDER BY c.event_id
		ON CONFLICT (event_id) DO UPDATE SET template = excluded.template, parent_id = excluded.parent_id;
	UPDATE @extschema@.l4_shape h SET event_id = c.event_id FROM unnest(shape_ids, event_ids) c (shape_id, event_id)
		WHERE c.shape_id = h.shape_id AND h.event_id IS DISTINCT FROM c.event_id;
	UPDATE @extschema@.l4_pool_event p SET event_id = h.event_id FROM @extschema@.l4_shape h
		WHERE h.shape_id = p.shape_id AND p.event_id IS DISTINCT FROM h.event_id;
	DELETE FROM @extschema@.l4_event e WHERE NOT EXISTS (SELECT FROM @extschema@.l4_shape h WHERE h.event_id = e.event_id);
	SELECT count(*) INTO events FROM @extschema@.l4_event;
	RETURN events;
END $$;
COMMENT ON FUNCTION @extschema@.l4_recluster(int, double precision, int) IS
'Computes all events anew from the set of shapes, with the given depth, similarity and split of Drain; no log row is '
'rewritten. The result depends on nothing but the shapes and the options. Events that are no longer used are deleted. '
'Returns the number of events.';
