/*
 * The built-in formats as rows. They stand once, in C (format_rules.c), since l4_parse must know them without reading a table.
 */
CREATE FUNCTION @extschema@.l4_builtin_formats(
	OUT name text, OUT kind text, OUT priority int, OUT pattern text, OUT dominant boolean, OUT example text)
	RETURNS SETOF record
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100 ROWS 100
	AS 'MODULE_PATHNAME', 'l4_builtin_formats';
COMMENT ON FUNCTION @extschema@.l4_builtin_formats() IS
'Step: The formats that l4 knows by itself, in the order of the C array: name; kind (path, prefix, header); priority '
'(lower is tried first, then by name); pattern (PCRE2 with named groups); dominant (counts only in streams of which at '
'least half of the lines have it); example, a line or path that this format claims. The rows of l4_format with builtin = '
'true come from here.';

INSERT INTO @extschema@.l4_format (name, kind, priority, pattern, dominant, example, builtin)
	SELECT f.name, f.kind, f.priority, f.pattern, f.dominant, f.example, true
	FROM @extschema@.l4_builtin_formats() AS f;
