/*
 * How often each stream logs each shape: packed, one row of l4_source_counts a source, and as rows, l4_stream_event.
 */

CREATE FUNCTION @extschema@.l4_counts_support(internal) RETURNS internal
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_counts_support';
COMMENT ON FUNCTION @extschema@.l4_counts_support(internal) IS
'Step: Planner support of l4_unpack_counts: a source has as many rows as the mean of l4_source_counts.row_count says, and '
'columns that a query does not use are left out.';

CREATE FUNCTION @extschema@.l4_unpack_counts(counts bytea, stream_ids bigint[] DEFAULT NULL, shape_ids bigint[] DEFAULT NULL,
	columns int DEFAULT NULL,
	OUT stream_id bigint, OUT shape_id bigint, OUT occurrences bigint, OUT first_line bigint, OUT last_line bigint,
	OUT first_ts timestamptz, OUT last_ts timestamptz, OUT first_iteration bigint, OUT last_iteration bigint,
	OUT level text, OUT component text, OUT stage text)
	RETURNS SETOF record
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100 ROWS 100 SUPPORT @extschema@.l4_counts_support
	AS 'MODULE_PATHNAME', 'l4_unpack_counts';
COMMENT ON FUNCTION @extschema@.l4_unpack_counts(bytea, bigint[], bigint[], int) IS
'Step: The rows of one l4_source_counts.counts, as l4_stream_event shows them: of the given streams and shapes alone, unless '
'NULL. columns: a bit for each column that is wanted, from the first on, the others are NULL (NULL: all); the planner sets it '
'to those that a query uses. Errors: XX001 for damaged bytes. Cost: a third of a microsecond a row returned, a tenth '
'of it for one that is not.';

CREATE FUNCTION @extschema@.l4_counts_shapes(counts bytea) RETURNS SETOF bigint
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100 AS 'MODULE_PATHNAME', 'l4_counts_shapes';
COMMENT ON FUNCTION @extschema@.l4_counts_shapes(bytea) IS
'Step: The shapes of one l4_source_counts.counts, each once, ascending. Errors: XX001 for damaged bytes.';

CREATE FUNCTION @extschema@.l4_shape_totals(counts bytea[], OUT shape_id bigint, OUT occurrences bigint, OUT streams bigint,
	OUT max_per_stream bigint, OUT level_rank int, OUT first_stream bigint)
	RETURNS SETOF record
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 1000 AS 'MODULE_PATHNAME', 'l4_shape_totals';
COMMENT ON FUNCTION @extschema@.l4_shape_totals(bytea[]) IS
'Step: The shapes of several l4_source_counts.counts, ascending: how many records have it, in how many streams, at most in '
'one, its gravest level (as l4_level_rank), and the least id of a stream that has it. Errors: XX001 for damaged bytes. Cost: '
'some 50 nanoseconds a count.';

CREATE FUNCTION @extschema@.l4_stage_totals(counts bytea[], OUT stream_id bigint, OUT stage text, OUT first_ts timestamptz,
	OUT records bigint)
	RETURNS SETOF record
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 1000 AS 'MODULE_PATHNAME', 'l4_stage_totals';
COMMENT ON FUNCTION @extschema@.l4_stage_totals(bytea[]) IS
'Step: The stages that the streams of several l4_source_counts.counts were in, by stream: when first (by a clock that was set, '
'else NULL), and how many records have a shape that came first in that stage. Errors and cost: as l4_shape_totals.';

CREATE FUNCTION @extschema@.l4_pack_counts(stream_ids bigint[], shape_ids bigint[], occurrences bigint[], first_lines bigint[],
	last_lines bigint[], first_times timestamptz[], last_times timestamptz[], first_iterations bigint[],
	last_iterations bigint[], levels text[], components text[], stages text[]) RETURNS bytea
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'l4_pack_counts';
COMMENT ON FUNCTION @extschema@.l4_pack_counts(bigint[], bigint[], bigint[], bigint[], bigint[], timestamptz[], timestamptz[],
	bigint[], bigint[], text[], text[], text[]) IS
'Step: The counts of one source, packed as l4_import does it, of arrays of one length: the columns of its rows of '
'l4_stream_event, in any order. For those who move counts; the row_count to go with it is the length. Errors: 2202E for '
'different lengths, 22004 for NULL where there must be a value, 22023 for a level or stage that there is not, 23505 for a '
'shape of a stream that comes twice.';

CREATE VIEW @extschema@.l4_stream_event WITH (security_invoker = true) AS
SELECT u.stream_id, u.shape_id, u.occurrences, u.first_line, u.last_line, u.first_ts, u.last_ts, u.first_iteration,
	u.last_iteration, c.job_id, u.level, u.component, u.stage
FROM @extschema@.l4_source_counts c CROSS JOIN LATERAL @extschema@.l4_unpack_counts(c.counts) u;
COMMENT ON VIEW @extschema@.l4_stream_event IS
'Per stream and shape: how often, and where and when first and last. What diagnosis reads instead of log lines. '
'Unpacked from l4_source_counts, which an import writes; no row can be written here. Cost: a third of a microsecond a row.';
COMMENT ON COLUMN @extschema@.l4_stream_event.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_stream_event.stream_id IS
'the stream';
COMMENT ON COLUMN @extschema@.l4_stream_event.shape_id IS
'the shape';
COMMENT ON COLUMN @extschema@.l4_stream_event.occurrences IS
'number of records';
COMMENT ON COLUMN @extschema@.l4_stream_event.level IS
'most severe level among them, NULL where none states one';
COMMENT ON COLUMN @extschema@.l4_stream_event.component IS
'component of the first';
COMMENT ON COLUMN @extschema@.l4_stream_event.first_line IS
'line number of the first';
COMMENT ON COLUMN @extschema@.l4_stream_event.last_line IS
'line number of the last';
COMMENT ON COLUMN @extschema@.l4_stream_event.first_ts IS
'earliest time';
COMMENT ON COLUMN @extschema@.l4_stream_event.last_ts IS
'latest time';
COMMENT ON COLUMN @extschema@.l4_stream_event.stage IS
'stage of the first';
COMMENT ON COLUMN @extschema@.l4_stream_event.first_iteration IS
'iteration of the first that has one by the streams own markers';
COMMENT ON COLUMN @extschema@.l4_stream_event.last_iteration IS
'iteration of the last that has one';
