/*
 * Drain: events (templates) of shapes and of messages. See src/algorithms/drain.c for the method, src/bindings/drain.c for the
 * state.
 */

CREATE FUNCTION @extschema@.l4_cluster_shapes(shape_ids bigint[], shapes text[], depth int DEFAULT 4,
	similarity double precision DEFAULT 0.5, split_values int DEFAULT 5)
RETURNS TABLE (shape_id bigint, event_id bigint, template text, parent_id bigint, parent_template text)
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 1000
AS 'MODULE_PATHNAME', 'l4_cluster_shapes';
COMMENT ON FUNCTION @extschema@.l4_cluster_shapes(bigint[], text[], int, double precision, int) IS
'Step: Groups shapes (texts with <*> for variable parts) into events by Drain (He et al., ICWS 2017) and splits groups at '
'positions where a few words alternate. Units, brackets, list elements and words said again that a statement may print or '
'not do not part its shapes; fields "event", "event_name" and "key" of a record part them. '
'In: shape ids and, at the same places, shapes; depth of the prefix tree (3 to 64, '
'root and length layer counted); least share of equal tokens to join a group (0 to 1); a position with 2 to split_values '
'(0 to 100, below 2 never) different words splits its group, and more than twice as many different first words before two '
'more are one group. Out: per shape, in the order given, its event (event_id is the hash of the template) and the unsplit '
'group (parent). A pure function of the set of shapes; no rows where an argument is NULL. Errors: 22023 for arrays of '
'different lengths, nulls in them, options out of bounds; 54000 where the working memory would pass maintenance_work_mem. '
'Cost: linear in the bytes for most logs, at most 500 groups compared per shape.';

CREATE FUNCTION @extschema@.l4_shape_key(shape text) RETURNS bigint
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10 AS 'MODULE_PATHNAME', 'l4_shape_key';
COMMENT ON FUNCTION @extschema@.l4_shape_key(text) IS
'Step: Where a shape stands among others: in the highest 16 bits its number of tokens, as l4_cluster_shapes counts them, '
'then 24 bits of a hash of the first token and 24 of the first two. Shapes of different numbers of tokens never share an '
'event of l4_cluster_shapes but by an equal template. Cost: one pass over the shape.';
CREATE INDEX l4_shape_key ON @extschema@.l4_shape (@extschema@.l4_shape_key(shape));

CREATE TYPE @extschema@.l4_shape_counts;

CREATE FUNCTION @extschema@.l4_shape_counts_in(cstring) RETURNS @extschema@.l4_shape_counts
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_shape_counts_in';
COMMENT ON FUNCTION @extschema@.l4_shape_counts_in(cstring) IS
'Base64 to a set of distinct shapes, checked in full. Errors: 22P02 for what is no base64, 22P03 for bytes that are no '
'such set.';

CREATE FUNCTION @extschema@.l4_shape_counts_out(@extschema@.l4_shape_counts) RETURNS cstring
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_shape_counts_out';
COMMENT ON FUNCTION @extschema@.l4_shape_counts_out(@extschema@.l4_shape_counts) IS
'A set of distinct shapes as base64. Errors: 54000 where that would be too large for one value.';

CREATE FUNCTION @extschema@.l4_shape_counts_recv(internal) RETURNS @extschema@.l4_shape_counts
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_shape_counts_recv';
COMMENT ON FUNCTION @extschema@.l4_shape_counts_recv(internal) IS
'Bytes to a set of distinct shapes, checked in full. Errors: 22P03 for bytes that are no such set.';

CREATE FUNCTION @extschema@.l4_shape_counts_send(@extschema@.l4_shape_counts) RETURNS bytea
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_shape_counts_send';
COMMENT ON FUNCTION @extschema@.l4_shape_counts_send(@extschema@.l4_shape_counts) IS
'A set of distinct shapes as bytes, the same on every machine.';

CREATE TYPE @extschema@.l4_shape_counts (
	INPUT = @extschema@.l4_shape_counts_in,
	OUTPUT = @extschema@.l4_shape_counts_out,
	RECEIVE = @extschema@.l4_shape_counts_recv,
	SEND = @extschema@.l4_shape_counts_send,
	INTERNALLENGTH = VARIABLE,
	STORAGE = extended
);
COMMENT ON TYPE @extschema@.l4_shape_counts IS
'A set of distinct shapes with the number of messages and an example of each: the state of l4_drain. Made by '
'l4_drain_state, united and turned into events by l4_drain_merge. Holds log text.';

CREATE TYPE @extschema@.l4_drain_event AS (
	event_id bigint,
	template text,
	occurrences bigint,
	shapes int,
	example text
);
COMMENT ON TYPE @extschema@.l4_drain_event IS
'An event found by l4_drain.';
COMMENT ON COLUMN @extschema@.l4_drain_event.event_id IS
'Hash of the template, the same on every machine.';
COMMENT ON COLUMN @extschema@.l4_drain_event.template IS
'The text of its messages, with <*> for the variable parts.';
COMMENT ON COLUMN @extschema@.l4_drain_event.occurrences IS
'Number of messages.';
COMMENT ON COLUMN @extschema@.l4_drain_event.shapes IS
'Number of distinct shapes among them.';
COMMENT ON COLUMN @extschema@.l4_drain_event.example IS
'One of the messages, the smallest in byte order; its first 1024 bytes.';

CREATE FUNCTION @extschema@.l4_drain_transition(state @extschema@.l4_shape_counts, message text)
RETURNS @extschema@.l4_shape_counts
LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_drain_transition';
COMMENT ON FUNCTION @extschema@.l4_drain_transition(@extschema@.l4_shape_counts, text) IS
'Step of l4_drain: adds a message to the set of distinct shapes. Errors: 0A000 outside an aggregate.';

CREATE FUNCTION @extschema@.l4_drain_transition(state @extschema@.l4_shape_counts, message text, depth int,
	similarity double precision, split_values int)
RETURNS @extschema@.l4_shape_counts
LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_drain_transition';
COMMENT ON FUNCTION @extschema@.l4_drain_transition(@extschema@.l4_shape_counts, text, int, double precision, int) IS
'Step of l4_drain with options: adds a message to the set of distinct shapes. Errors: 0A000 outside an aggregate.';

CREATE FUNCTION @extschema@.l4_drain_combine(state @extschema@.l4_shape_counts, other @extschema@.l4_shape_counts)
RETURNS @extschema@.l4_shape_counts
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'l4_drain_combine';
COMMENT ON FUNCTION @extschema@.l4_drain_combine(@extschema@.l4_shape_counts, @extschema@.l4_shape_counts) IS
'Step of l4_drain and l4_drain_merge: the union of two sets of distinct shapes. Errors: 0A000 outside an aggregate, 22023 '
'where their options differ.';

CREATE FUNCTION @extschema@.l4_drain_final(state @extschema@.l4_shape_counts)
RETURNS @extschema@.l4_drain_event[]
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'l4_drain_final';
COMMENT ON FUNCTION @extschema@.l4_drain_final(@extschema@.l4_shape_counts) IS
'Last step of l4_drain: the events of a set of distinct shapes, by occurrences, the most first, then by template in byte '
'order.';

CREATE AGGREGATE @extschema@.l4_drain(message text) (
	SFUNC = @extschema@.l4_drain_transition,
	STYPE = @extschema@.l4_shape_counts,
	SSPACE = 65536,
	COMBINEFUNC = @extschema@.l4_drain_combine,
	FINALFUNC = @extschema@.l4_drain_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_drain(text) IS
'The events of a column of messages, to be unnested: event_id, template, occurrences, shapes, example; by occurrences, the '
'most first, then by template in byte order. Messages are masked, their distinct shapes counted, and the shapes clustered '
'as by l4_cluster_shapes with its defaults. NULL messages are skipped; NULL where there are no messages. Does not depend '
'on the order of rows or on the plan. Errors: 54000 where the distinct shapes would take more than maintenance_work_mem. '
'Cost: one pass over each message, then Drain over the distinct shapes. Drain: He et al., ICWS 2017.';

CREATE AGGREGATE @extschema@.l4_drain(message text, depth int, similarity double precision, split_values int) (
	SFUNC = @extschema@.l4_drain_transition,
	STYPE = @extschema@.l4_shape_counts,
	SSPACE = 65536,
	COMBINEFUNC = @extschema@.l4_drain_combine,
	FINALFUNC = @extschema@.l4_drain_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_drain(text, int, double precision, int) IS
'As l4_drain(message), with the options of l4_cluster_shapes. Errors besides: 22023 for options that are NULL, out of '
'bounds or not the same in all rows.';

CREATE AGGREGATE @extschema@.l4_drain_state(message text) (
	SFUNC = @extschema@.l4_drain_transition,
	STYPE = @extschema@.l4_shape_counts,
	SSPACE = 65536,
	COMBINEFUNC = @extschema@.l4_drain_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_drain_state(text) IS
'Step: The state of l4_drain(message), to be kept in a table (per day, per node) and merged by l4_drain_merge.';

CREATE AGGREGATE @extschema@.l4_drain_state(message text, depth int, similarity double precision, split_values int) (
	SFUNC = @extschema@.l4_drain_transition,
	STYPE = @extschema@.l4_shape_counts,
	SSPACE = 65536,
	COMBINEFUNC = @extschema@.l4_drain_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_drain_state(text, int, double precision, int) IS
'Step: The state of l4_drain with options, to be kept in a table and merged by l4_drain_merge.';

CREATE AGGREGATE @extschema@.l4_drain_merge(state @extschema@.l4_shape_counts) (
	SFUNC = @extschema@.l4_drain_combine,
	STYPE = @extschema@.l4_shape_counts,
	SSPACE = 65536,
	COMBINEFUNC = @extschema@.l4_drain_combine,
	FINALFUNC = @extschema@.l4_drain_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE @extschema@.l4_drain_merge(@extschema@.l4_shape_counts) IS
'Step: The events of the union of states made by l4_drain_state: the same as l4_drain over all their messages. NULL states '
'are skipped. Errors: 22023 where their options differ, 54000 past maintenance_work_mem.';
