-- Writes the reference, in Markdown, from the COMMENTs of the extension's objects: with -v steps=f of what users call and read,
-- with -v steps=t of the steps beneath. Run by run.sh with psql -At; all parts are in a fixed order, so that the same extension
-- gives the same bytes.
SET client_min_messages = warning;
SET search_path = public, pg_catalog;
LOAD '$libdir/l4';
\ir surface.sql

CREATE TEMP TABLE part (section int, name text COLLATE "C", detail text COLLATE "C", position int, content text);

-- A comment as one line of Markdown.
CREATE FUNCTION pg_temp.prose(comment text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN replace(regexp_replace(btrim(coalesce(comment, '')), '\s+', ' ', 'g'), '<', '&lt;');

-- The same as a cell of a table.
CREATE FUNCTION pg_temp.cell(content text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN replace(pg_temp.prose(content), '|', '\|');

CREATE TEMP VIEW member AS
SELECT classid, objid
FROM pg_depend
WHERE deptype = 'e' AND refclassid = 'pg_extension'::regclass
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'l4');

-- Functions that only aggregates and types call.
CREATE TEMP VIEW support AS
SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, aggmtransfn, aggminvtransfn,
	aggmfinalfn])::oid
	AS oid
FROM pg_aggregate JOIN member ON classid = 'pg_proc'::regclass AND objid = aggfnoid
UNION
SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend, typmodin, typmodout])::oid
FROM pg_type JOIN member ON classid = 'pg_type'::regclass AND objid = pg_type.oid;

-- An argument on each line: what goes in, what comes out as columns, or both.
CREATE TEMP VIEW argument AS
SELECT pg_proc.oid, position, coalesce(mode, 'i') AS mode,
	concat_ws(' ', CASE mode WHEN 'b' THEN 'INOUT' WHEN 'v' THEN 'VARIADIC' END, nullif(proargnames[position], ''),
		format_type(type, NULL), 'DEFAULT ' || regexp_replace(pg_get_function_arg_default(pg_proc.oid, position::int),
			'::[a-z ]+(\[\])?$', '')) AS declaration
FROM pg_proc
JOIN member ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid,
	ROWS FROM (unnest(coalesce(proallargtypes, proargtypes::oid[])), unnest(proargmodes)) WITH ORDINALITY
		AS declared (type, mode, position);

CREATE TEMP VIEW routine AS
SELECT pg_proc.oid, proname, prokind, pg_proc.oid IN (SELECT oid FROM support) AS is_support,
	coalesce((SELECT array_agg(declaration ORDER BY position) FROM argument
		WHERE argument.oid = pg_proc.oid AND mode IN ('i', 'b', 'v')), '{}') AS arguments,
	(SELECT array_agg(declaration ORDER BY position) FROM argument WHERE argument.oid = pg_proc.oid
		AND mode IN ('o', 't')) AS columns,
	CASE WHEN prokind <> 'p' THEN CASE WHEN proretset THEN 'SETOF ' ELSE '' END || format_type(prorettype, NULL) END AS result,
	obj_description(pg_proc.oid, 'pg_proc') AS comment,
	CASE provolatile WHEN 'i' THEN 'Immutable' WHEN 's' THEN 'Stable' ELSE 'Volatile' END
		|| CASE proparallel WHEN 's' THEN ', parallel safe' WHEN 'r' THEN ', parallel restricted' ELSE ', parallel unsafe' END
		|| CASE WHEN proisstrict THEN ', null on null input' ELSE '' END AS labels
FROM pg_proc
JOIN member ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid;

CREATE TEMP VIEW relation AS
SELECT pg_class.oid, relname, relkind, obj_description(pg_class.oid, 'pg_class') AS comment
FROM pg_class JOIN member ON classid = 'pg_class'::regclass AND objid = pg_class.oid;

-- Types that users meet: in what they call.
CREATE TEMP VIEW surface_type AS
SELECT DISTINCT coalesce(nullif(typelem, 0), pg_type.oid) AS oid
FROM pg_proc JOIN routine USING (oid) JOIN surface ON surface.name = pg_proc.proname,
	unnest(coalesce(proallargtypes, proargtypes::oid[]) || prorettype) AS used (type) JOIN pg_type ON pg_type.oid = used.type;

-- Every section's heading.
INSERT INTO part SELECT turn, '', '', 0, format(E'## %s\n', task) FROM surface_task WHERE NOT :'steps'::boolean;
INSERT INTO part SELECT section, '', '', 0, format(E'## %s\n', title)
FROM (VALUES (20, 'Tables', false), (21, 'Views', false), (22, 'Settings', false), (23, 'Types', false),
	(30, 'Functions', true), (31, 'Types', true),
	(32, E'Support functions\n\nCalled by aggregates and types, not by users.', true)) v (section, title, step)
WHERE step = :'steps'::boolean;

-- Each argument and each column on a line of its own where they are many.
CREATE FUNCTION pg_temp.list(before text, items text[], after text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN before || CASE WHEN length(array_to_string(items, ', ')) > 80 THEN E'\n    ' || array_to_string(items, E',\n    ')
	|| E'\n'
	ELSE array_to_string(items, ', ') END || after;

INSERT INTO part
SELECT coalesce(turn, 30), coalesce(to_char(place, '000'), '') || proname, arguments::text, 0,
	E'### ' || proname || E'\n\n```sql\n' || pg_temp.list(CASE prokind WHEN 'p' THEN 'CALL ' ELSE '' END || proname || '(',
		arguments, ')')
	|| coalesce(pg_temp.list(CASE WHEN result LIKE 'SETOF %' THEN ' → TABLE (' ELSE ' → (' END, columns, ')'),
		' → ' || result, '')
	|| E'\n```\n\n' || pg_temp.prose(comment) || CASE prokind WHEN 'p' THEN '' ELSE E'\n\n*' || labels || '.*' END || E'\n'
FROM routine LEFT JOIN surface ON surface.name = proname
WHERE NOT is_support AND (turn IS NULL) = :'steps'::boolean;

INSERT INTO part
SELECT CASE WHEN relkind IN ('v', 'm') THEN 21 ELSE 20 END, relname, '', 0,
	E'### ' || relname || E'\n\n' || pg_temp.prose(comment) || E'\n'
	|| coalesce((SELECT E'\nPrimary key: `' || regexp_replace(pg_get_constraintdef(oid), '^PRIMARY KEY \((.*)\)$', '\1')
		|| E'`.\n'
		FROM pg_constraint WHERE conrelid = relation.oid AND contype = 'p'), '')
	|| E'\n| column | type | meaning |\n|---|---|---|\n'
	|| (SELECT string_agg(format('| `%s` | %s%s%s | %s |', attname, format_type(atttypid, atttypmod),
			CASE WHEN attnotnull THEN ', not null' END,
			', default `' || regexp_replace(pg_get_expr(adbin, adrelid), '::[a-z ]+(\[\])?$', '') || '`',
			pg_temp.cell(col_description(relation.oid, attnum))), E'\n' ORDER BY attnum)
		FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
		WHERE attrelid = relation.oid AND attnum > 0 AND NOT attisdropped) || E'\n'
FROM relation
WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT :'steps'::boolean;

INSERT INTO part
SELECT CASE WHEN :'steps'::boolean THEN 31 ELSE 23 END, typname, '', 0,
	E'### ' || typname || E'\n\n' || pg_temp.prose(obj_description(pg_type.oid, 'pg_type')) || E'\n'
	|| coalesce(E'\n| attribute | type | meaning |\n|---|---|---|\n'
		|| (SELECT string_agg(format('| `%s` | %s | %s |', attname, format_type(atttypid, atttypmod),
				pg_temp.cell(col_description(typrelid, attnum))), E'\n' ORDER BY attnum)
			FROM pg_attribute WHERE attrelid = typrelid AND attnum > 0 AND NOT attisdropped) || E'\n', '')
FROM pg_type JOIN member ON classid = 'pg_type'::regclass AND objid = pg_type.oid
WHERE typcategory <> 'A' AND (typrelid = 0 OR (SELECT relkind FROM pg_class WHERE oid = typrelid) = 'c')
	AND (pg_type.oid NOT IN (SELECT oid FROM surface_type)) = :'steps'::boolean;

INSERT INTO part
SELECT 22, name, '', 0,
	format(E'### %s\n\n%s\n\n*%s, default `%s`%s%s; %s.*\n', name,
		pg_temp.prose(concat_ws(' ', regexp_replace(short_desc, '([^.])$', '\1.'), extra_desc)), vartype, boot_val, ' ' || unit,
		CASE WHEN enumvals IS NOT NULL THEN ', one of ' || array_to_string(enumvals, ', ')
			WHEN min_val IS NOT NULL THEN format(', from %s to %s', min_val, max_val) END,
		CASE context WHEN 'user' THEN 'any user may set it' WHEN 'superuser' THEN 'superusers may set it'
			WHEN 'sighup' THEN 'set in the configuration file' WHEN 'postmaster' THEN 'set at server start' ELSE context END)
FROM pg_settings
WHERE name LIKE 'l4.%' AND NOT :'steps'::boolean;

INSERT INTO part
SELECT 32, proname, arguments::text, 0,
	format('- `%s(%s)` → `%s`: %s', proname, array_to_string(arguments, ', '), result, pg_temp.prose(comment))
FROM routine
WHERE is_support AND :'steps'::boolean;

\if :steps
\qecho '# Steps'
\qecho
\qecho 'What the functions of the [reference](reference.md) are made of: for whoever changes the diagnosis, not for scripts.'
\qecho 'Steps may change with every version.'
\else
\qecho '# Reference'
\qecho
\qecho 'What users call and read, by task. What it is made of is in [steps.md](steps.md).'
\endif
\qecho
\qecho 'Written by `make docs` from the COMMENTs of the extension''s objects; change those, not this file.'
\qecho
SELECT content
FROM part
WHERE EXISTS (SELECT FROM part AS other WHERE other.section = part.section AND other.name <> '')
ORDER BY section, name, detail, position;
