-- Regular expressions: what a pattern may ask for, what a match may take, and what goes on when one gives up.
SET client_min_messages = warning;
\set VERBOSITY terse
CREATE FUNCTION pg_temp.state_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN 'fine';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

-- No pattern changes how it is compiled: neither the characters nor the lines nor the limits.
SELECT setting, pg_temp.state_of(format('SELECT l4_pattern_matches(%L, ''x'')', setting || 'x')) AS state
FROM unnest(ARRAY['(*UTF)', '(*UTF8)', '(*UCP)', '(*CR)', '(*CRLF)', '(*ANY)', '(*NUL)', '(*BSR_ANYCRLF)', '(*LIMIT_MATCH=1)',
	'(*LIMIT_DEPTH=1)', '(*LIMIT_HEAP=1)', '(*NO_JIT)',
	'(*NO_START_OPT)', '(*NOTEMPTY)', '(?i)', '(?s)', '(?:)(*UTF)', '\C']) setting;
SELECT pg_temp.state_of($$SELECT l4_shape('a', ARRAY['(*UTF).'])$$) AS mask,
	pg_temp.state_of($$INSERT INTO l4_fault (fault_key, title, category, subtype, severity, pattern, root_cause, fix)
		VALUES ('utf', 'utf', 'user', 'x', 'info', '(*UTF).', 'x', 'x')$$) AS fault;
-- Bytes that are no characters stay what they are, whatever a mask matches.
CREATE TABLE pattern_shape AS SELECT m AS mask, s.message, l4_parse(s.message, masks => ARRAY[m]) AS parsed
FROM unnest(ARRAY['.', '\W', '.\B', 'a|\K', '(?=(?1))(?(DEFINE)(b\K))a', '\xc3', '[é-ü]', '\p{L}+', '\X', '(?<=é)b',
	'$', '(?i)É']) m,
	unnest(ARRAY['aébü ÿ 12', 'é', '', 'ab ab <*> 3é', repeat('é', 300)]) s (message);
SELECT count(*) AS messages, count(*) FILTER (WHERE refilled IS DISTINCT FROM message) AS changed
FROM (SELECT message, l4_fill_shape((parsed).template, (parsed).params) AS refilled FROM pattern_shape) s;

-- A call is bounded as a whole: 248,000 places where a match may begin, each with all of the rest to look at.
SELECT pg_temp.state_of($$SELECT l4_pattern_matches('(?i)err(?:or)?[^\n]*?(?:7|8)', repeat('err ', 2480))$$) AS places,
	pg_temp.state_of($$SELECT l4_pattern_matches('(a+)+$', repeat('a', 64) || 'b')$$) AS nested,
	pg_temp.state_of($$SELECT l4_pattern_matches('(?R)', 'aaa')$$) AS recursion,
	pg_temp.state_of($$SELECT l4_pattern_matches('a(?R)?b', 'aabb')$$) AS ends;
SELECT l4_pattern_matches('(a+)+$', repeat('a', 64) || 'b', false) AS "false",
	l4_pattern_matches('(a+)+$', repeat('a', 64) || 'b', true) AS "true",
	l4_pattern_matches('a', 'a', false) AS matches, l4_pattern_matches('b', 'a', true) AS "no match";
-- The same answer from the quick way and from the one that counts, which long texts take.
SELECT size, l4_pattern_matches('(?i)\bstep[ :=]+(\d+)\b.{0,40}\bloss\b(?!es)', repeat('x step ', size) || 'Step: 12 loss')
	AS yes,
	l4_pattern_matches('(?i)\bstep[ :=]+(\d+)\b.{0,40}\bloss\b(?!es)', repeat('x step ', size) || 'Step: 12 losses') AS no,
	l4_pattern_matches('^x.*é$', repeat('x step ', size) || 'é') AS characters
FROM unnest(ARRAY[1, 100, 1000, 20000]) size;
-- And it ends when told to, however fast the machine: a text of its own for each row, so that none is asked once for all.
SET statement_timeout = '300ms';
SELECT count(*) FILTER (WHERE
	l4_pattern_matches('(?i)err(?:or)?[^\n]*?(?:7|8)', repeat('err ', 248000) || chr(97 + n % 26), false))
FROM generate_series(1, 100000) n;
SELECT count(*) FILTER (WHERE
	l4_pattern_matches('(?:[^\n]*+7|.)*Z', repeat('err ', 248000) || chr(97 + n % 26) || 'Z', false))
FROM generate_series(1, 100000) n;
RESET statement_timeout;

-- A pattern that gives up on a text is named, the others and the other texts go on.
\set VERBOSITY default
SELECT * FROM l4_match_patterns(ARRAY['slow', 'quick', 'endless'], ARRAY['(a+)+$', 'b', '(?R)|b'],
	ARRAY['ab', repeat('a', 64) || 'b', NULL, 'b']);
SELECT l4_shape(m, ARRAY['(a+)+$', 'b']) FROM unnest(ARRAY['ab', repeat('a', 64) || '.b', 'b']) m;
-- The same for the rules of an import, and nothing is lost.
INSERT INTO l4_mask (name, pattern) VALUES ('slow', '(?:x+x+)+$');
INSERT INTO l4_stage_rule (name, stage, pattern) VALUES ('slow', 'teardown', '(?:x+x+)+$');
INSERT INTO l4_iteration_rule (name, priority, pattern) VALUES ('slow', 1, '(?:x+x+)+(?<iter>\d?)$');
INSERT INTO l4_format (name, kind, priority, pattern) VALUES ('slow', 'header', 1, '(?<component>(?:x+x+)+)$');
CREATE TABLE pattern_line AS SELECT n, CASE WHEN n % 5 = 0 THEN repeat('x', 60) || '.' ELSE 'step ' || n END AS line
	FROM generate_series(1, 10) n;
SELECT l4_register_job('slow rules', status => 'failed');
SELECT * FROM l4_ingest('slow rules', 'SELECT ''node-0'' AS node, 0 AS rank, line FROM pattern_line ORDER BY n');
SELECT count(*) AS lines, count(*) FILTER (WHERE l.raw = p.line) AS equal
FROM (SELECT * FROM l4_log WHERE job_id = 'slow rules') l FULL JOIN pattern_line p ON p.n = l.line_no;
DELETE FROM l4_mask WHERE name = 'slow';
DELETE FROM l4_stage_rule WHERE name = 'slow';
DELETE FROM l4_iteration_rule WHERE name = 'slow';
DELETE FROM l4_format WHERE name = 'slow';
-- A search whose answer would have a gap is refused.
\set VERBOSITY terse
SELECT count(*) FROM l4_grep('slow rules', '(?:x+x+)+$');
SELECT count(*) FROM l4_grep('slow rules', 'step \d');
-- One line does not end a diagnosis, neither by a rule of the library nor by one of the site's.
INSERT INTO l4_fault (fault_key, title, category, subtype, severity, pattern, root_cause, fix)
VALUES ('slow', 'slow', 'user', 'x', 'error', 'OSError: (?:a+)+$', 'x', 'x');
INSERT INTO pattern_line VALUES (11, 'OSError: GPFS' || repeat('a', 10000)), (12, 'OSError: ' || repeat('a', 64) || '.'),
	(13, 'OSError: [Errno 98] Address already in use');
SELECT l4_register_job('slow faults', status => 'failed');
SELECT * FROM l4_ingest('slow faults', 'SELECT ''node-0'' AS node, 0 AS rank, line FROM pattern_line ORDER BY n');
SELECT kind, fault_key FROM l4_diagnose('slow faults') WHERE kind = 'fault';
DELETE FROM l4_fault WHERE fault_key = 'slow';
SELECT kind, fault_key FROM l4_diagnose('slow faults') WHERE kind = 'fault';

/*
 * All built-in patterns on texts of 1 MB that are made to take long: each ends by itself. Formats are tried where a line
 * begins, paths on what may be a path, the others anywhere.
 */
CREATE TABLE pattern_hostile (name text, body text);
INSERT INTO pattern_hostile
SELECT unit, left(repeat(unit, 1000000 / length(unit) + 1), 1000000)
FROM unnest(ARRAY['a', 'A', ' ', '0', '1', '[', '(', '{', '[]', '<', '"', '/', '.', ':', '-', '_', '=', '|', '%', E'\n', E'\r',
	E'\t', 'é', 'err ', 'error: ', 'a=', 'a=1 ', 'a 1 ', '[1] ',
	'[rank0]: ', '1.2.3.4 ', '12:34:56 ', '2024-01-01 00:00:00 ', 'a.b.', 'a/b/', '- ', E'a\n', E'1\n', 'failed ', 'node ',
	'rank ', 'loss ', 'step: 1 loss: 1 ', '"a": 1, ', 'connection ',
	E'  File "a", line 1\n', E'Traceback (most recent call last)\n', 'checkpoint ', 'exit code ', 'ceph ', 'GPFS ', 'mount ',
	'http://a/', 'NVRM: Xid (PCI:0000:00:00): ', 'memory ', 'epoch 1 ']) unit;
INSERT INTO pattern_hostile VALUES ('nested ()', repeat('(', 500000) || repeat(')', 500000)),
	('nested {"a":', repeat('{"a":', 160000) || repeat('}', 200000)),
	('ERROR GPFSa', 'ERROR GPFS' || repeat('a', 1000000)), ('err: one line', 'err ' || repeat('a ', 500000)),
	('mixed', (SELECT string_agg(substr('abcdefghij    0123456789:=.,[]()/-_"', (i * i % 100003 + i / 36)::int % 36 + 1, 1),
		'' ORDER BY i) FROM generate_series(1::bigint, 1000000) i));
CREATE TABLE pattern_builtin AS
SELECT 'fault' AS kind, fault_key AS name, pattern FROM l4_fault WHERE builtin AND pattern IS NOT NULL
UNION ALL SELECT 'stage rule', name, pattern FROM l4_stage_rule WHERE builtin
UNION ALL SELECT 'iteration rule', name, pattern FROM l4_iteration_rule WHERE builtin
UNION ALL SELECT 'format', name, CASE WHEN kind = 'path' THEN pattern ELSE '\A(?:' || pattern || ')' END
FROM l4_format WHERE builtin;
CREATE TABLE pattern_ended (kind text, text_name text, patterns bigint, gave_up bigint);
\set QUIET on
\set ECHO none
-- each statement in time
SET statement_timeout = '60s';
SELECT format('INSERT INTO pattern_ended SELECT %L, %L, cardinality(p.names),
	(SELECT count(*) FROM l4_match_patterns(p.names, p.patterns, ARRAY[(SELECT body FROM pattern_hostile WHERE name = %2$L)]) m
		WHERE m.gave_up)
	FROM (SELECT array_agg(name) AS names, array_agg(pattern) AS patterns FROM pattern_builtin
		WHERE kind = %1$L) p', kind, name)
FROM (SELECT DISTINCT kind FROM pattern_builtin) k, pattern_hostile \gexec
-- all rows of a class are one pattern, which may take long where none of them does
SET statement_timeout = '20s';
SELECT format('INSERT INTO pattern_ended SELECT ''wording'', %L, count(left(h.body, 200000) ~ (w.words).%1$I), 0
	FROM pattern_hostile h, (SELECT l4_wordings_in_force() AS words OFFSET 0) w', attname)
FROM pg_attribute WHERE attrelid = 'l4_wordings'::regclass AND atttypid = 'text'::regtype AND attnum > 0 \gexec
\set ECHO all
RESET statement_timeout;
\set QUIET off
SELECT kind, count(*) AS texts, sum(patterns) AS tries, sum(gave_up) AS gave_up FROM pattern_ended GROUP BY kind ORDER BY kind;
-- Each fault on a text that begins as its example and goes on without end.
\getenv abs_srcdir PG_ABS_SRCDIR
\set examples :abs_srcdir '/data/faults/examples.tsv'
CREATE TABLE pattern_example (fault_key text PRIMARY KEY, example text NOT NULL);
COPY pattern_example FROM :'examples' WITH (FORMAT csv, DELIMITER E'\t', QUOTE E'\b', HEADER);
SELECT count(*) AS tries,
	count(*) FILTER (WHERE l4_pattern_matches(f.pattern, left(e.example, length(e.example) / part) || repeat(filler, 300000),
		false) = l4_pattern_matches(f.pattern, left(e.example, length(e.example) / part) || repeat(filler, 300000),
		true)) AS answers
FROM pattern_example e JOIN l4_fault f ON f.fault_key = e.fault_key AND f.builtin AND f.pattern IS NOT NULL,
	unnest(ARRAY['a', '1', ' ']) filler, unnest(ARRAY[2, 4]) part;
-- What else looks at a whole message.
SELECT count(l4_text_gravity(h.body, w.words)) AS texts, count(l4_text_stage(h.body, w.words) IS NULL) AS stages,
	count(l4_text_component(h.body, w.words) IS NULL) AS components,
	count((l4_parse(h.body)).shape_id) AS shapes
FROM pattern_hostile h, (SELECT l4_wordings_in_force() AS words OFFSET 0) w;
DROP TABLE pattern_example, pattern_shape, pattern_line, pattern_hostile, pattern_builtin, pattern_ended;
