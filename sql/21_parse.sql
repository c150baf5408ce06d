/*
 * One record, one message: what the importer does with each line, as functions of their arguments alone.
 */
CREATE TYPE @extschema@.l4_record AS (
	time timestamptz,
	level text,
	component text,
	rank int,
	message text,
	shape_id bigint,
	template text,
	params text[]
);
COMMENT ON TYPE @extschema@.l4_record IS
'A log record taken apart by l4_parse.';
COMMENT ON COLUMN @extschema@.l4_record.time IS
'Time from the header (or from a container''s prefix); NULL where the line has none or it is no valid time.';
COMMENT ON COLUMN @extschema@.l4_record.level IS
'trace, debug, info, warning, error or fatal; NULL where the header states none.';
COMMENT ON COLUMN @extschema@.l4_record.component IS
'Logger, module, process or source file from the header; NULL where it names none.';
COMMENT ON COLUMN @extschema@.l4_record.rank IS
'Global rank from a prefix such as "12: " or "[rank12]:", else the rank that the header names; NULL where neither.';
COMMENT ON COLUMN @extschema@.l4_record.message IS
'The record without prefixes and header; further lines as they are.';
COMMENT ON COLUMN @extschema@.l4_record.shape_id IS
'Hash of template: the same on every machine.';
COMMENT ON COLUMN @extschema@.l4_record.template IS
'The shape: the message with each variable part replaced by <*>.';
COMMENT ON COLUMN @extschema@.l4_record.params IS
'The variable parts in order; template with its n-th <*> replaced by params[n] is the message.';

CREATE FUNCTION @extschema@.l4_parse(
	line text, time_zone text DEFAULT 'UTC', reference timestamptz DEFAULT NULL, masks text[] DEFAULT NULL)
	RETURNS @extschema@.l4_record
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20
	AS 'MODULE_PATHNAME', 'l4_parse';
COMMENT ON FUNCTION @extschema@.l4_parse(text, text, timestamptz, text[]) IS
'Takes one log record apart with the built-in formats: up to three prefixes, then a header, then the message. line: the '
'record, the header is read from its first line (NULL gives NULL). time_zone: for times that name no zone (NULL: UTC). '
'reference: for times without a year, which get the latest year that is not more than a day after it (NULL: the year '
'1970). masks: PCRE2 patterns whose matches are variable parts, before the built-in rules. A bare number or host ("12: ", '
'"node-3: ") is a prefix only where another prefix or a header follows it, for a single line does not tell whether all '
'lines have it; l4_import looks at the whole stream. Errors: 22023 unknown time zone, 2201B mask that does not compile, '
'22004 mask that is null. Cost: about 2 microseconds a line.';

CREATE FUNCTION @extschema@.l4_line_formats(line text)
	RETURNS text[]
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	AS 'MODULE_PATHNAME', 'l4_line_formats';
COMMENT ON FUNCTION @extschema@.l4_line_formats(text) IS
'Step: Which built-in formats l4_parse finds at the head of a line: the names of its prefixes, outermost first, then that '
'of its header; an empty array where there is none. For finding out why a line is read as it is.';

CREATE FUNCTION @extschema@.l4_shape(message text, masks text[] DEFAULT NULL)
	RETURNS text
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10
	AS 'MODULE_PATHNAME', 'l4_shape';
COMMENT ON FUNCTION @extschema@.l4_shape(text, text[]) IS
'The shape of a message: its variable parts (numbers, paths, addresses, identifiers) replaced by <*>. message: without a '
'header (NULL gives NULL). masks: as in l4_parse. Errors: 2201B, 22004. Cost: below a microsecond for 100 bytes. After CLP '
'(Rodrigues et al., OSDI 2021).';

CREATE FUNCTION @extschema@.l4_shape_id(message text, masks text[] DEFAULT NULL)
	RETURNS bigint
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10
	AS 'MODULE_PATHNAME', 'l4_shape_id';
COMMENT ON FUNCTION @extschema@.l4_shape_id(text, text[]) IS
'The 64-bit hash of a message''s shape: a function of the text alone, the same on every machine and in every run. '
'Arguments and errors as l4_shape. Joins a message to l4_shape.shape_id.';

CREATE FUNCTION @extschema@.l4_stage_text(shape text)
	RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	AS 'MODULE_PATHNAME', 'l4_stage_text';
COMMENT ON FUNCTION @extschema@.l4_stage_text(text) IS
'Step: A shape (as l4_shape gives it) as the stage rules see it: each variable part as "1", and of a record of fields (JSON, '
'logfmt) first what it says in words (msg, message, event), then all of it.';
