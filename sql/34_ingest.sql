/* Other ways in than whole files: logs that are still being written, queries, and rows that shippers send. */

CREATE TABLE @extschema@.l4_source_state (
	job_id text NOT NULL,
	source_id bigint NOT NULL,
	byte_count bigint NOT NULL,
	settings_hash bigint NOT NULL,
	head_hash bigint NOT NULL,
	tail_hash bigint NOT NULL,
	shape_ids bigint[],
	state bytea,
	PRIMARY KEY (job_id, source_id)
);
-- Compressed by l4 already: TOAST must not try again.
ALTER TABLE @extschema@.l4_source_state ALTER COLUMN state SET STORAGE EXTERNAL;
COMMENT ON TABLE @extschema@.l4_source_state IS
'What it takes to go on with a source where it ended: a plain file that grows, or lines that come as rows. Written with the '
'source; without a row it is read anew.';
COMMENT ON COLUMN @extschema@.l4_source_state.job_id IS 'the job';
COMMENT ON COLUMN @extschema@.l4_source_state.source_id IS 'the source, as in l4_stream';
COMMENT ON COLUMN @extschema@.l4_source_state.byte_count IS 'bytes taken in so far';
COMMENT ON COLUMN @extschema@.l4_source_state.settings_hash IS
'hash of the rules and of what the job says of times and places: with others the source is taken in anew';
COMMENT ON COLUMN @extschema@.l4_source_state.head_hash IS
'hash of the files first 64 kB: tells one that grew from one that was rewritten';
COMMENT ON COLUMN @extschema@.l4_source_state.tail_hash IS 'hash of the last 64 kB taken in';
COMMENT ON COLUMN @extschema@.l4_source_state.shape_ids IS
'shapes that only its last records have, which may still change; NULL where there are none';
COMMENT ON COLUMN @extschema@.l4_source_state.state IS
'where the open segment begins, how each stream stood there, and what was counted before the last records; version, checksum, '
'zstd. NULL: the source is short and read anew';
SELECT pg_extension_config_dump('@extschema@.l4_source_state', '');

CREATE FUNCTION @extschema@.l4_ingest(job_id text, query text, OUT rows bigint, OUT bytes bigint, OUT sources bigint,
	OUT skipped bigint)
	LANGUAGE c VOLATILE PARALLEL UNSAFE COST 1000000 AS 'MODULE_PATHNAME', 'l4_ingest';
COMMENT ON FUNCTION @extschema@.l4_ingest(text, text) IS
'Takes in the lines that a query returns, of any table the caller may read, as the logs of a registered job. Columns count by '
'their name: the line (line, message, raw, text or log; text or bytea; required), node (node, host, hostname), rank, source '
'(source, file, path), ts (ts, time, timestamp), level (level, severity) and line_no (line_no, line_number); others are '
'ignored. A row is a whole line; what has the same node, rank and source is one source, its lines in the order the query '
'gives them (ORDER BY it). ts and level count where the line states none. Called again, the rows go on where the source '
'ended; with line_no (growing in each source) those that were taken in before are skipped. The query runs with the rights of '
'the caller and may only read; its rows are sorted by source on the way (work_mem, then disk), not kept in memory. Returns '
'rows and bytes taken, sources, and rows skipped. Errors: P0002 unknown job; 42703, 42702 or 42804 for columns missing, twice '
'or of a wrong type; 22004 for a NULL line; 22003, 22008 or 22023 for ranks, times or line numbers that cannot be, 22001 for '
'a node of over 1,024 or a source of over 4,096 bytes, all with the number of the row; 22023 where the query is not one '
'SELECT, 25006 where it writes all the same. Cost: that of the query, the sort, and of l4_import for as many bytes.';

/* Rows that shippers and client-side COPY write. No sequence: arrived_at grows within each session. */
CREATE FUNCTION @extschema@.l4_arrival_time() RETURNS timestamptz
	LANGUAGE c VOLATILE PARALLEL RESTRICTED COST 1 AS 'MODULE_PATHNAME', 'l4_arrival_time';
COMMENT ON FUNCTION @extschema@.l4_arrival_time() IS
'The time of the clock, but later than what the session was told before: gives the rows that a session writes into l4_inbox '
'their order.';

CREATE TABLE @extschema@.l4_inbox (
	job_id text,
	node text,
	rank int,
	source text,
	ts timestamptz,
	level text,
	line text,
	arrived_at timestamptz NOT NULL DEFAULT @extschema@.l4_arrival_time()
);
COMMENT ON TABLE @extschema@.l4_inbox IS
'Lines on their way in: written by client-side COPY and log shippers, who need no right but INSERT, and taken out by '
'l4_ingest_inbox. A row is a whole line. What has the same job_id, node, rank and source is one source; its lines keep the '
'order in which a session wrote them.';
COMMENT ON COLUMN @extschema@.l4_inbox.job_id IS 'the job; rows of a job that is not registered wait until it is';
COMMENT ON COLUMN @extschema@.l4_inbox.node IS 'node the line comes from, NULL where not known';
COMMENT ON COLUMN @extschema@.l4_inbox.rank IS 'global rank, NULL where not known or of none';
COMMENT ON COLUMN @extschema@.l4_inbox.source IS 'name of the file or program it comes from, NULL for one without a name';
COMMENT ON COLUMN @extschema@.l4_inbox.ts IS 'time by the shipper; counts where the line states none';
COMMENT ON COLUMN @extschema@.l4_inbox.level IS
'level by the shipper (info, warning, ... or a syslog severity 0 to 7); counts where the line states none';
COMMENT ON COLUMN @extschema@.l4_inbox.line IS 'the line, without its end';
COMMENT ON COLUMN @extschema@.l4_inbox.arrived_at IS 'order of the rows of a session; not to be given';
SELECT pg_extension_config_dump('@extschema@.l4_inbox', '');

CREATE TABLE @extschema@.l4_inbox_refused (
	job_id text NOT NULL,
	node text,
	rank int,
	source text,
	ts timestamptz,
	level text,
	line text NOT NULL,
	arrived_at timestamptz NOT NULL,
	reason text NOT NULL,
	refused_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE @extschema@.l4_inbox_refused IS
'Rows of l4_inbox that cannot be lines of a log, set aside by l4_ingest_inbox so that the others come in: as they were, with '
'the reason. To take one in after all, correct it and put it back: WITH r AS (DELETE FROM l4_inbox_refused WHERE ... '
'RETURNING *) INSERT INTO l4_inbox (job_id, node, rank, source, ts, level, line, arrived_at) SELECT job_id, node, NULL, '
'source, ts, level, line, arrived_at FROM r.';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.job_id IS 'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.node IS 'as in l4_inbox; refused where longer than 1,024 bytes';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.rank IS 'as in l4_inbox; refused where below 0';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.source IS 'as in l4_inbox; refused where longer than 4,096 bytes';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.ts IS 'as in l4_inbox; refused where infinite or not of the years 1 to 9999';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.level IS 'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.line IS 'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.arrived_at IS 'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.reason IS 'why it was refused';
COMMENT ON COLUMN @extschema@.l4_inbox_refused.refused_at IS 'when it was refused';
SELECT pg_extension_config_dump('@extschema@.l4_inbox_refused', '');

CREATE VIEW @extschema@.l4_inbox_entry WITH (security_invoker = true) AS
SELECT job_id, node, rank, source, ts, level, line FROM @extschema@.l4_inbox;
COMMENT ON VIEW @extschema@.l4_inbox_entry IS
'l4_inbox without arrived_at, for shippers that fill every column of their table (Vector). Whoever writes needs INSERT on '
'both.';
COMMENT ON COLUMN @extschema@.l4_inbox_entry.job_id IS 'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_entry.node IS 'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_entry.rank IS 'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_entry.source IS 'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_entry.ts IS 'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_entry.level IS 'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_entry.line IS 'as in l4_inbox';

CREATE FUNCTION @extschema@.l4_inbox_fluentbit() RETURNS trigger
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	SET jit = off
AS $$
BEGIN
	INSERT INTO @extschema@.l4_inbox (job_id, node, rank, source, ts, level, line)
	VALUES (coalesce(NEW.data->>'job_id', NEW.tag),
		coalesce(NEW.data->>'node', NEW.data->>'host', NEW.data->>'hostname'),
		CASE WHEN NEW.data->>'rank' ~ '^[0-9]{1,9}$' THEN (NEW.data->>'rank')::int END,
		coalesce(NEW.data->>'source', NEW.data->>'file', NEW.data->>'path', NEW.tag),
		NEW.time::timestamptz,
		coalesce(NEW.data->>'level', NEW.data->>'severity', NEW.data->>'PRIORITY'),
		coalesce(NEW.data->>'log', NEW.data->>'line', NEW.data->>'message', NEW.data->>'MESSAGE', NEW.data::text));
	RETURN NULL;
END $$;
COMMENT ON FUNCTION @extschema@.l4_inbox_fluentbit() IS
'Trigger for a table (tag, time, data) that Fluent Bit''s output pgsql writes: BEFORE INSERT FOR EACH ROW it puts the row '
'into l4_inbox instead. From data: job_id (else the tag), node, host or hostname, rank, source, file or path (else the tag), '
'level or severity, and the line as log, line or message (else all of data). Whoever writes needs INSERT on both tables.';

CREATE FUNCTION @extschema@.l4_ingest_inbox(job_id text DEFAULT NULL, OUT rows bigint, OUT bytes bigint, OUT sources bigint,
	OUT skipped bigint)
	LANGUAGE c VOLATILE PARALLEL UNSAFE COST 1000000 AS 'MODULE_PATHNAME', 'l4_ingest_inbox';
COMMENT ON FUNCTION @extschema@.l4_ingest_inbox(text) IS
'Takes the rows of l4_inbox in (those of one job, or all), each exactly once: rows are deleted in the transaction that adds '
'their lines, writers go on meanwhile, and of two calls at once one waits for the other before it takes rows of the same job. '
'A source goes on where it ended, in the order of arrival. Rows of jobs that are not registered, and rows without a line, '
'stay and are a warning. Rows that cannot be lines (a rank below 0, an infinite time, a name of thousands of bytes) go to '
'l4_inbox_refused with the reason and are a warning. Of several jobs one whose rows end in an error of data (classes 22 and '
'54) keeps them in the inbox, which is a warning too; the others come in. To be called now and then, by a scheduler for one. '
'Returns rows and bytes taken, and sources; skipped: rows that went to l4_inbox_refused. Needs SELECT and DELETE on l4_inbox, '
'and INSERT on l4_inbox_refused where there are such rows. Errors: 25006 in a read-only transaction. Cost: a sort of the '
'rows, and that of l4_import for as many bytes; for each source with new lines, that of one segment more.';
