/* Other ways in than whole files: logs that are still being written, queries, and rows that shippers send. */

CREATE FUNCTION @extschema@.l4_is_addressed(job_id text, tenant name) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
	RETURN EXISTS (SELECT FROM @extschema@.l4_job j WHERE j.job_id = l4_is_addressed.job_id
		AND (l4_is_addressed.tenant IS NULL OR l4_is_addressed.tenant = j.tenant));
END
$$;
COMMENT ON FUNCTION @extschema@.l4_is_addressed(text, name) IS
'Step: Is there such a job for lines that a tenant (NULL: nobody) left in l4_inbox?';

CREATE FUNCTION @extschema@.l4_ingest(job_id text, query text, OUT rows bigint, OUT bytes bigint, OUT sources bigint,
	OUT skipped bigint)
	LANGUAGE c VOLATILE PARALLEL UNSAFE COST 1000000 AS 'MODULE_PATHNAME', 'l4_ingest';
COMMENT ON FUNCTION @extschema@.l4_ingest(text, text) IS
'Takes in the lines that a query returns, of any table the caller may read, as the logs of a registered job. Columns count '
'by their name: the line (line, message, raw, text or log; text or bytea; required), node (node, host, hostname), rank, '
'source (source, file, path), ts (ts, time, timestamp), level (level, severity) and line_no (line_no, line_number); others '
'are ignored. A row is a whole line; what has the same node, rank and source is one source, its lines in the order the '
'query gives them (ORDER BY it). ts and level count where the line states none. Called again, the rows go on where the '
'source ended; with line_no (growing in each source) those that were taken in before are skipped. The query runs with the '
'rights of the caller and may only read; its rows are sorted by source on the way (work_mem, then disk), not kept in '
'memory. Returns rows and bytes taken, sources, and rows skipped. Errors: P0002 unknown job; 42703, 42702 or 42804 for '
'columns missing, twice or of a wrong type; 22004 for a NULL line; 22003, 22008 or 22023 for ranks, times or line numbers '
'that cannot be, 22001 for a node of over 1,024 or a source of over 4,096 bytes, all with the number of the row; 22023 '
'where the query is not one SELECT, 25006 where it writes all the same. Cost: that of the query, the sort, and of '
'l4_import for as many bytes.';

CREATE VIEW @extschema@.l4_inbox_entry WITH (security_invoker = true) AS
SELECT job_id, node, rank, source, ts, level, line FROM @extschema@.l4_inbox;
COMMENT ON VIEW @extschema@.l4_inbox_entry IS
'l4_inbox without arrived_at, for shippers that fill every column of their table (Vector). Whoever writes needs INSERT on '
'both.';
COMMENT ON COLUMN @extschema@.l4_inbox_entry.job_id IS
'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_entry.node IS
'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_entry.rank IS
'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_entry.source IS
'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_entry.ts IS
'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_entry.level IS
'as in l4_inbox';
COMMENT ON COLUMN @extschema@.l4_inbox_entry.line IS
'as in l4_inbox';

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
'into l4_inbox instead. From data: job_id (else the tag), node, host or hostname, rank, source, file or path (else the '
'tag), level or severity, and the line as log, line or message (else all of data). Whoever writes needs INSERT on both '
'tables.';

CREATE FUNCTION @extschema@.l4_ingest_inbox(job_id text DEFAULT NULL, OUT rows bigint, OUT bytes bigint, OUT sources bigint,
	OUT skipped bigint)
	LANGUAGE c VOLATILE PARALLEL UNSAFE COST 1000000 AS 'MODULE_PATHNAME', 'l4_ingest_inbox';
COMMENT ON FUNCTION @extschema@.l4_ingest_inbox(text) IS
'Takes the rows of l4_inbox in (those of one job, or all), each exactly once: rows are deleted in the transaction that '
'adds their lines, writers go on meanwhile, and of two calls at once one waits for the other before it takes rows of the '
'same job. A source goes on where it ended, in the order of arrival. Rows of jobs that are not registered, and rows '
'without a line, stay and are a warning. Rows that cannot be lines (a rank below 0, an infinite time, a name of thousands '
'of bytes) go to l4_inbox_refused with the reason and are a warning. Of several jobs one whose rows end in an error of '
'data (classes 22 and 54) keeps them in the inbox, which is a warning too; the others come in. To be called now and then, '
'by a scheduler for one. Returns rows and bytes taken, and sources; skipped: rows that went to l4_inbox_refused. Needs '
'SELECT and DELETE on l4_inbox, and INSERT on l4_inbox_refused where there are such rows. Errors: 25006 in a read-only '
'transaction. Cost: a sort of the rows, and that of l4_import for as many bytes; for each source with new lines, that of '
'one segment more.';
