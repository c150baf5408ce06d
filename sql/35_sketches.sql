/*
 * What the parameters of the shapes look like, packed: one row a source. Written by l4_import; read through
 * l4_stream_parameter.
 */

CREATE FUNCTION @extschema@.l4_sketch_parameters(sketch bytea, shape_ids bigint[] DEFAULT NULL,
	OUT stream_id bigint, OUT shape_id bigint, OUT "position" int, OUT occurrences bigint, OUT distinct_values int,
	OUT "values" text[], OUT value_lines bigint[], OUT number_count bigint, OUT minimum double precision,
	OUT minimum_line bigint, OUT maximum double precision, OUT maximum_line bigint, OUT mean double precision)
	RETURNS SETOF record
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1000 AS 'MODULE_PATHNAME', 'l4_sketch_parameters';
COMMENT ON FUNCTION @extschema@.l4_sketch_parameters(bytea, bigint[]) IS
'Step: The rows of one l4_parameter_sketch.sketch (of the given shapes alone, unless shape_ids is NULL): per stream, shape '
'and parameter position (from 1, at most 32 of a shape) how many records; how many distinct values (17: more than 16); the '
'first 16 of them in order of first appearance (one longer than 200 bytes cut, its hash behind) with the line of each '
'one''s first record; how many are numbers (a unit of up to three letters or % may follow), with the least, the largest, '
'the lines of their first records and the mean; NULL where none is. Errors: XX001 for damaged bytes, 22004 for an array '
'with NULL. Cost: about a microsecond a row returned, a fiftieth of it for one that is not.';

CREATE FUNCTION @extschema@.l4_sketch_first_values(sketch bytea, shape_ids bigint[], OUT stream_id bigint, OUT shape_id bigint,
	OUT parameters text[], OUT varies boolean)
	RETURNS SETOF record
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 500 ROWS 10 AS 'MODULE_PATHNAME', 'l4_sketch_first_values';
COMMENT ON FUNCTION @extschema@.l4_sketch_first_values(bytea, bigint[]) IS
'Step: Of one l4_parameter_sketch.sketch the given shapes, one row a stream and shape that has parameters: the first value '
'of each position in order (see l4_sketch_parameters), and whether any position has a further value (varies). Errors: XX001 '
'for damaged bytes, 22004 for an array with NULL. Cost: as l4_sketch_parameters.';

CREATE FUNCTION @extschema@.l4_sketch_outliers(sketch bytea, shape_ids bigint[], positions int[], known_values text[],
	lowest double precision[], highest double precision[], OUT stream_id bigint, OUT shape_id bigint, OUT "position" int,
	OUT occurrences bigint, OUT distinct_values int, OUT "values" text[], OUT value_lines bigint[],
	OUT number_count bigint, OUT minimum double precision, OUT minimum_line bigint, OUT maximum double precision,
	OUT maximum_line bigint, OUT mean double precision)
	RETURNS SETOF record
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 500 ROWS 10 AS 'MODULE_PATHNAME', 'l4_sketch_outliers';
COMMENT ON FUNCTION @extschema@.l4_sketch_outliers(bytea, bigint[], int[], text[], double precision[], double precision[]) IS
'Step: Of one l4_parameter_sketch.sketch the rows that go beyond what is known, as l4_sketch_parameters shows them. Five '
'arrays of one length say what that is: of a shape and position the one value it takes (NULL: any), and between which '
'numbers it lies (lowest, highest; NULL: any). A row comes where one of its kept values is another, or a number lies '
'outside; positions that the arrays do not name never come. Errors: XX001 for damaged bytes, 2202E for arrays of different '
'lengths, 22004 where a shape or position is NULL. Cost: some hundred nanoseconds for each position of the sketch.';

CREATE FUNCTION @extschema@.l4_shape_records(structure bytea, texts bytea, parameter_values bytea, stream_ids bigint[],
	shape_ids bigint[], OUT stream_id bigint, OUT line_no bigint, OUT shape_id bigint, OUT parameters text[], OUT raw text)
	RETURNS SETOF record
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 3000 ROWS 100 AS 'MODULE_PATHNAME', 'l4_shape_records';
COMMENT ON FUNCTION @extschema@.l4_shape_records(bytea, bytea, bytea, bigint[], bigint[]) IS
'Step: Of one row of l4_segment the records of the given shapes alone, in file order: stream, line number, shape, '
'parameters and raw text as in l4_log, but of one of more than 8 kB the first and the last 4 kB, with the number of bytes '
'left out between them. Quicker than l4_log where few records are wanted: leave out segments without them by '
'l4_segment.shape_ids && ARRAY[...]. Errors: XX001 for damaged bytes, 22004 for arrays with NULL. Cost: decompression, and '
'a few microseconds a record returned.';

CREATE FUNCTION @extschema@.l4_shape_places(structure bytea, texts bytea, parameter_values bytea, stream_ids bigint[],
	shape_ids bigint[], with_parameters boolean DEFAULT false, OUT stream_id bigint, OUT line_no bigint, OUT part int,
	OUT ts timestamptz, OUT level text, OUT component text, OUT stage text, OUT iteration bigint, OUT shape_id bigint,
	OUT parameters text[])
	RETURNS SETOF record
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000 ROWS 100 AS 'MODULE_PATHNAME', 'l4_shape_places';
COMMENT ON FUNCTION @extschema@.l4_shape_places(bytea, bytea, bytea, bigint[], bigint[], boolean) IS
'Step: Of one row of l4_segment where and when the records of the given shapes stand, in file order, with columns as '
'l4_segment_records has them; with_parameters: their parameters, too (else NULL). Where millions of records are looked '
'through for a few statements much quicker than a filter on the rows of l4_segment_records. Errors: XX001 for damaged bytes, '
'22004 for arrays with NULL. Cost: decompression, and a microsecond a record returned.';

CREATE FUNCTION @extschema@.l4_stream_places(structure bytea, texts bytea, parameter_values bytea, stream_ids bigint[],
	wanted bigint[], OUT stream_id bigint, OUT line_no bigint, OUT part int, OUT ts timestamptz, OUT level text,
	OUT component text, OUT stage text, OUT iteration bigint, OUT shape_id bigint, OUT parameters text[])
	RETURNS SETOF record
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000 ROWS 100 AS 'MODULE_PATHNAME', 'l4_stream_places';
COMMENT ON FUNCTION @extschema@.l4_stream_places(bytea, bytea, bytea, bigint[], bigint[]) IS
'Step: As l4_shape_places, but the records of the given streams (parameters NULL): in a file that thousands of ranks share '
'those of one rank are few. Errors and cost: as there.';

CREATE FUNCTION @extschema@.l4_line_records(structure bytea, texts bytea, parameter_values bytea, stream_ids bigint[],
	line_nos bigint[], OUT stream_id bigint, OUT line_no bigint, OUT part int, OUT ts timestamptz, OUT level text,
	OUT component text, OUT stage text, OUT iteration bigint, OUT shape_id bigint, OUT raw text, OUT wrapped boolean)
	RETURNS SETOF record
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 3000 ROWS 10 AS 'MODULE_PATHNAME', 'l4_line_records';
COMMENT ON FUNCTION @extschema@.l4_line_records(bytea, bytea, bytea, bigint[], bigint[]) IS
'Step: Of one row of l4_segment the records that begin on the given lines, in file order, with columns as '
'l4_segment_records has them, raw as l4_shape_records, and whether a log collector wrapped the line, and so told its time '
'(wrapped). Quicker than that where few records are wanted: leave out segments without them by first_line and last_line. '
'Errors: XX001 for damaged bytes, 22004 for arrays with NULL. Cost: decompression, and a few microseconds a record returned.';

CREATE FUNCTION @extschema@.l4_sketch_addresses(sketch bytea, OUT shape_id bigint, OUT occurrences bigint, OUT address text)
	RETURNS SETOF record
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 500 ROWS 10 AS 'MODULE_PATHNAME', 'l4_sketch_addresses';
COMMENT ON FUNCTION @extschema@.l4_sketch_addresses(bytea) IS
'Step: Of one l4_parameter_sketch.sketch the stream, shape and position triples among whose kept values is an IPv4 '
'address, one row each: the shape, how many records, and the address where it is the only one (NULL: there are several, or '
'may be among the values that were not kept). Much quicker than unnesting l4_stream_parameter. Errors: XX001 for damaged '
'bytes.';

CREATE FUNCTION @extschema@.l4_sketch_names(sketch bytea, shape_ids bigint[] DEFAULT NULL,
	OUT stream_id bigint, OUT name text, OUT shape_ids bigint[], OUT positions int[], OUT occurrences bigint[])
	RETURNS SETOF record
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 500 ROWS 10 AS 'MODULE_PATHNAME', 'l4_sketch_names';
COMMENT ON FUNCTION @extschema@.l4_sketch_names(bytea, bigint[]) IS
'Step: Of one l4_parameter_sketch.sketch (of the given shapes alone, unless shape_ids is NULL) what the streams always say at '
'one position of a shape, if that is a word of three letters or more (A to Z, _, bytes that are not ASCII) with a number of up '
'to six digits behind it, perhaps one of -.:/ between, as the names of processes are. One row a stream and name; the shapes '
'and positions where it says it, and in how many records, are arrays side by side, in order. Much quicker than '
'l4_sketch_parameters. Errors: XX001 for damaged bytes, 22004 for an array with NULL.';

CREATE FUNCTION @extschema@.l4_sketch_choices(sketch bytea, names text[], OUT stream_id bigint, OUT shape_id bigint,
	OUT "position" int, OUT occurrences bigint)
	RETURNS SETOF record
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 500 ROWS 10 AS 'MODULE_PATHNAME', 'l4_sketch_choices';
COMMENT ON FUNCTION @extschema@.l4_sketch_choices(bytea, text[]) IS
'Step: Of one l4_parameter_sketch.sketch the stream, shape and position triples that take several values, of which all that '
'are kept (see l4_sketch_parameters) are among the names, with how many records. Much quicker than l4_sketch_parameters. '
'Errors: XX001 for damaged bytes.';

CREATE FUNCTION @extschema@.l4_counted_number(value text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 10
RETURN substring(value, '^(\d{1,15})(?:\.0{1,6})?(?:its?)?$')::bigint;
COMMENT ON FUNCTION @extschema@.l4_counted_number(text) IS
'Step: The whole number that a parameter tells, written as one ("12", "12.0") or as so many iterations ("12it"); NULL where it '
'is anything else.';

CREATE FUNCTION @extschema@.l4_sketch_members(sketch bytea, stream_ids bigint[]) RETURNS SETOF bytea
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 1 AS 'MODULE_PATHNAME', 'l4_sketch_members';
COMMENT ON FUNCTION @extschema@.l4_sketch_members(bytea, bigint[]) IS
'Step: Of one l4_parameter_sketch.sketch that is a bundle of several small files the statistics of each file that has one of '
'the streams, unpacked, for l4_sketch_parameters and its like; any other sketch as it is. Errors: XX001 for damaged bytes, '
'22004 for arrays with NULL.';
