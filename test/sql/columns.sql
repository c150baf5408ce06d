-- Parameters of every kind come back byte by byte from a segment's columns, and searching finds every number in them.
SET client_min_messages = warning;
SET timezone = 'UTC';
CREATE TEMP TABLE kind AS SELECT * FROM (VALUES
	('constant', '''42'''), ('few long texts', '''/data/shard-'' || i % 3 || ''/tokens-of-a-long-name-'' || i % 5'),
	('many texts', 'md5(i::text)'),
	('by one', '(5000 + i)::text'), ('increasing', '(1000 + i * 7 + i % 3)::text'),
	('decreasing', '(1000000 - i * 300 - i * i)::text'), ('back and forth', '(i * 7919 % 100003)::text'),
	('within a byte', '(i * 37 % 251)::text'), ('few numbers', '(1000000007::bigint * (i % 9))::text'),
	('steep', 'floor(exp(i / 10.0))::text'), ('clock', '(1760100375191 + i * 85 + i % 4)::text'),
	('fixed width', 'lpad((i * 13 % 1000)::text, 6, ''0'')'), ('any width', 'repeat(''0'', i % 4) || i'),
	('nulls', 'CASE WHEN i % 2 = 0 THEN ''0'' ELSE ''00'' END'),
	('minus', '''-'' || i * 3'), ('plus', '''+'' || i * 3'), ('either sign', '(i * 31 % 200 - 100)::text'),
	('both signs', 'CASE WHEN i % 2 = 0 THEN ''+'' ELSE ''-'' END || i'),
	('minus nought', 'CASE WHEN i % 2 = 0 THEN ''0'' ELSE ''-0'' END'),
	('minus fraction', '''-0.'' || lpad((i % 90)::text, 2, ''0'')'),
	('to the edge', '(9223372036854775807 - i * i)::text'), ('over the edge', '(9223372036854775800::numeric + i)::text'),
	('from edge to edge', '(CASE WHEN i % 2 = 0 THEN 1 ELSE -1 END * (9223372036854775807 - i))::text'),
	('twenty digits', '(12345678901234567890::numeric + i * 17)::text'), ('forty digits', 'repeat(i::text, 14)'),
	('mostly numbers', 'CASE WHEN i % 50 = 7 THEN ''N0ne'' ELSE i::text END'),
	('one scale', '((i * 7919 % 10007) / 100.0)::numeric(9, 2)::text'),
	('one scale, wide', 'lpad(((i * 7919 % 10007) / 100.0)::numeric(9, 2)::text, 9, ''0'')'),
	('trimmed', 'rtrim(rtrim(((i * 7919 % 100003) / 1000.0)::numeric(9, 3)::text, ''0''), ''.'')'),
	('trimmed to one', 'regexp_replace(((i * 7919 % 100003) / 1000.0)::numeric(9, 3)::text, ''(\.\d+?)0+$'', ''\1'')'),
	('some with zeros', 'CASE WHEN i % 3 = 0 THEN ''1.50'' ELSE ''1.5'' END || i % 7'), ('ends with a point', 'i || ''.'''),
	('begins with a point', '''.'' || i'),
	('double', 'sqrt(i::float8)::text'), ('single', '(i / 3.0)::float4::float8::text'),
	('single of Python', 'regexp_replace((i / 4.0)::float4::float8::text, ''^(\d+)$'', ''\1.0'')'),
	('measured', '((i * 7919 % 4194304) / 4194304.0::float8)::text'), ('large double', '(i * 1e300::float8)::text'),
	('small double', '(i * 1e-310::float8)::text'), ('exponent', 'to_char(i / 7.0, ''9.999EEEE'')'),
	('hexadecimal', '''0x'' || lpad(to_hex(i * 7919), 8, ''0'')'),
	('hexadecimal word', 'lpad(to_hex(i::bigint * 2654435761), 12, ''0'')'), ('unit', 'i * 3 || ''ms'''),
	('times', '''x'' || i % 4'),
	('address', '''10.20.'' || i % 3 || ''.'' || i % 250 || '':'' || 6000 + i'),
	('version', '''2.'' || i % 3 || ''.'' || i % 11'),
	('stamp', '''2026-11-'' || lpad((1 + i % 28)::text, 2, ''0'') || ''T03:04:'' || lpad((i % 60)::text, 2, ''0'')'),
	('many numbers', '''1.2.3.4.5.6.7.8.9.10.11.12.13.'' || i'), ('twelve numbers', '''v1.2.3.4.5.6.7.8.9.10.11.'' || i'),
	('long', 'repeat(''segment-of-a-path/'', 20) || i'),
	('twice', '(i * 7919 % 100003) || '' and '' || (i * 7919 % 100003)'), ('minus signs', '''r-'' || i || ''-'' || i % 7'),
	('underscore', '''rank_'' || i'), ('not UTF-8', 'convert_from(decode(''c3a9'', ''hex''), ''UTF8'') || i')) k (name, value);
-- 200 lines of each; and 1, 2, 3 and 4 of each
CREATE TEMP TABLE line (number int, kind text, times int, line text);
DO $$
DECLARE
	k record;
BEGIN
	FOR k IN SELECT * FROM kind LOOP
		EXECUTE format('INSERT INTO line SELECT i, %1$L, t, format(%2$L, %3$s) FROM unnest(''{1,2,3,4,200}''::int[]) t,
			generate_series(1, t) i',
			k.name, k.name || ' is %s so', k.value);
	END LOOP;
END $$;
SELECT count(*) AS lines, count(DISTINCT kind) AS kinds, count(*) FILTER (WHERE line IS NULL) AS missing FROM line;
-- in one file by itself; one kind after the other, and mixed; with labels of ranks on the lines; each as often as said
CREATE TEMP TABLE wanted AS
	SELECT source, row_number() OVER (PARTITION BY source ORDER BY first, second, number) AS line_no, line
	FROM (SELECT 'in turn ' || times AS source, md5(kind) AS first, '' AS second, number, line FROM line
		UNION ALL SELECT 'mixed ' || times, to_char(number, '000'), md5(kind), number, line FROM line
		UNION ALL SELECT 'ranks ' || times, to_char(number, '000'), md5(kind), number, number * number % 7 || ': ' || line
		FROM line) l;
SELECT l4_register_job('columns', '{}', 'failed') \g /dev/null
SELECT * FROM l4_ingest('columns', 'SELECT source, line FROM wanted ORDER BY source, line_no') \g /dev/null
SELECT count(*) AS sources, sum(cardinality(stream_ids)) AS streams, sum(record_count) AS records
FROM l4_segment WHERE job_id = 'columns';
SELECT w.source, count(*) AS lines, count(*) FILTER (WHERE l.raw IS DISTINCT FROM w.line) AS differences,
	min(w.line) FILTER (WHERE l.raw IS DISTINCT FROM w.line) AS first
FROM wanted w LEFT JOIN l4_log l ON l.job_id = 'columns' AND l.source = w.source AND l.line_no = w.line_no
GROUP BY w.source ORDER BY w.source COLLATE "C";
-- searching: every number that stands in some line, parts of numbers, numbers with what stands around them, leading zeros,
-- ranges
CREATE TEMP TABLE pattern AS SELECT DISTINCT pattern FROM (
	SELECT unnest('{42,0042,000,"[0-9]{4}","7\\.25","10\\.20\\.","e-0","-17","is 1","1 so","99","is 00","0 so","-0\\.5",'
		'"\\+12"," x1 ","9223372036854775","5\\.0","12345678901234","r-3","0x0000","ms so","N0ne","\\.5 ","is 5[0-9]*1 so",'
		'"(?i)MS SO","not in any line 7"}'::text[]) AS pattern
	UNION ALL SELECT substr(regexp_replace(line, '^.* is (.*) so$', '\1'), 1 + number % 5, 3 + number % 6)
	FROM line WHERE times = 200 AND number % 101 = 5
	UNION ALL SELECT substr(regexp_replace(line, '^.*( is .* so)$', '\1'), 1 + number % 3, 8)
	FROM line WHERE times = 200 AND number % 400 = 111) p
WHERE pattern <> '';
CREATE TEMP TABLE quoted AS SELECT pattern, CASE WHEN pattern ~ '[][(\\]' THEN pattern
	ELSE regexp_replace(pattern, '([.+*?{}()|^$])', '\\\1', 'g') END AS expression FROM pattern;
SELECT count(*) AS patterns, count(*) FILTER (WHERE found <> wanted) AS differences,
	min(expression) FILTER (WHERE found <> wanted) AS first,
	string_agg(expression, ' ' ORDER BY expression COLLATE "C") FILTER (WHERE wanted = 0) AS nowhere
FROM (SELECT expression, (SELECT count(*) FROM l4_grep('columns', expression)) AS found,
	(SELECT count(*) FROM wanted WHERE l4_pattern_matches(expression, line)) AS wanted FROM quoted) q;
-- the same where each segment has one kind of statement: what its masks leave out has no match
SELECT l4_register_job('kinds', '{}', 'failed') \g /dev/null
SELECT * FROM l4_ingest('kinds', 'SELECT kind AS source, line FROM line WHERE times = 200 ORDER BY kind, number') \g /dev/null
SELECT count(*) FILTER (WHERE found <> wanted) AS differences, min(expression) FILTER (WHERE found <> wanted) AS first
FROM (SELECT expression, (SELECT count(*) FROM l4_grep('kinds', expression)) AS found,
	(SELECT count(*) FROM line WHERE times = 200 AND l4_pattern_matches(expression, line)) AS wanted FROM quoted) q;
-- what they take: columns of numbers that go on from one another next to nothing
SELECT source, g.record_count AS records, octet_length(parameters) < 100 AS "below 100 bytes"
FROM l4_segment g JOIN l4_stream s USING (job_id, source_id)
WHERE job_id = 'kinds' AND s.label IS NULL AND source IN ('constant', 'by one', 'minus', 'plus', 'fixed width', 'unit',
	'few long texts', 'back and forth') ORDER BY source COLLATE "C";

-- Crafted columns: what is packed in each way, and bytes that no segment has: an error, never a crash
SELECT l4_register_job('crafted', '{}', 'failed') \g /dev/null
SELECT * FROM l4_ingest('crafted', 'SELECT format(''alpha %s omega'', i * i) AS line FROM generate_series(1, 5) i') \g /dev/null
CREATE FUNCTION pg_temp.little_endian(number bigint, bytes int) RETURNS bytea LANGUAGE sql AS $$
	SELECT string_agg(substr(int8send(number), 9 - i, 1), ''::bytea ORDER BY i) FROM generate_series(1, bytes) i $$;
CREATE FUNCTION pg_temp.checksum(bytes bytea) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	crc bigint := 4294967295;
BEGIN
	FOR i IN 0 .. octet_length(bytes) - 1 LOOP
		crc := crc # get_byte(bytes, i);
		FOR bit IN 1 .. 8 LOOP
			crc := (crc >> 1) # (CASE WHEN crc & 1 = 1 THEN 2197175160 ELSE 0 END);
		END LOOP;
	END LOOP;
	RETURN crc # 4294967295;
END $$;
-- a blob as codec.c has it, its zstd frame with one block that is not compressed
CREATE FUNCTION pg_temp.blob(plain bytea) RETURNS bytea LANGUAGE sql AS $$
	SELECT '\x03'::bytea || pg_temp.little_endian(pg_temp.checksum(b.rest), 4) || b.rest
	FROM (SELECT pg_temp.little_endian(octet_length(plain), 8) || '\x28b52ffd20'::bytea
		|| pg_temp.little_endian(octet_length(plain), 1) ||
		pg_temp.little_endian(octet_length(plain) * 8 + 1, 3) || plain) b (rest) $$;
-- the parts of a segment are bound to one another: without that, as they were before there was such, to be put together with
-- crafted ones
CREATE FUNCTION pg_temp.unbound(part bytea) RETURNS bytea LANGUAGE sql AS $$
	SELECT '\x03'::bytea || pg_temp.little_endian(pg_temp.checksum(u.rest), 4) || u.rest
	FROM (SELECT substr(part, 6, 8) || substr(part, 18)) u (rest) WHERE get_byte(part, 0) = 4 $$;
CREATE FUNCTION pg_temp.read(heads bytea, texts bytea, bytes bytea, classes bytea, bits bytea) RETURNS text
	LANGUAGE plpgsql AS $$
DECLARE
	plain bytea := '';
	part bytea;
	result text;
BEGIN
	FOREACH part IN ARRAY ARRAY[heads, texts, bytes, classes, bits] LOOP
		plain := plain || pg_temp.little_endian(octet_length(part), 1);
	END LOOP;
	plain := plain || heads || texts || bytes || classes || bits;
	SELECT string_agg(r.parameters[1], ' ' ORDER BY r.line_no) INTO result
	FROM l4_segment g, l4_segment_records(pg_temp.unbound(g.structure), pg_temp.unbound(g.texts), pg_temp.blob(plain),
		g.stream_ids, true) r WHERE g.job_id = 'crafted';
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
-- heads begin with 8 * 5 values + the kind of column
SELECT what, pg_temp.read(heads, texts, bytes, classes, bits) FROM (VALUES
	(1, 'texts', '\x280c'::bytea, '\x026131026231013301340135'::bytea, ''::bytea, ''::bytea, ''::bytea),
	(2, 'one text', '\x29', '\x023432', '', '', ''),
	(3, 'a choice of texts', '\x2a02', '\x01610162', '\x0001000101', '', ''), (4, 'even', '\x2b001402', '', '', '', ''),
	(5, 'bytes', '\x2b0114', '', '\x00010203ff', '', ''),
	(6, 'steps in bytes', '\x2b021402', '', '\x00010001', '', ''), (7, 'a choice', '\x2b03021401', '', '\x0001000101', '', ''),
	(8, 'wide', '\x2b040001', '', '', '\x000107080b', '\x02'),
	(9, 'wide steps', '\x2b051400', '', '', '\x01020304', ''),
	(10, 'a form', '\x2c010003020102' || '\x6d73'::bytea || '\x00c8010a', '', '', '', ''),
	(11, 'binary', '\x2d02001402', '', '', '', ''),
	(12, 'beyond 64 bits', '\x2b00feffffffffffffffff01feffffffffffffffff01', '', '', '', ''),
	(20, 'nothing', '', '', '', '', ''), (21, 'an unknown kind', '\x2e', '', '', '', ''),
	(22, 'too many values', '\x888004', '', '', '', ''), (23, 'fewer values', '\x21', '\x023432', '', '', ''),
	(24, 'no values', '\x01', '\x023432', '', '', ''), (25, 'texts beyond the end', '\x2820', '\x0131', '', '', ''),
	(26, 'too few texts', '\x2802', '\x0131', '', '', ''), (27, 'a text beyond the end', '\x29', '\x053432', '', '', ''),
	(28, 'nothing to choose from', '\x2a00', '', '\x0000000000', '', ''),
	(29, 'too much to choose from', '\x2a41', '\x0131', '\x0000000000', '', ''),
	(30, 'what is not there', '\x2a01', '\x0131', '\x0000000001', '', ''),
	(31, 'an unknown way', '\x2b0614', '', '', '', ''), (32, 'too few bytes', '\x2b0114', '', '\x00010203', '', ''),
	(33, 'too few steps', '\x2b021402', '', '\x000102', '', ''),
	(34, 'a number that is not there', '\x2b03021401', '', '\x0001000102', '', ''),
	(35, 'a class beyond all', '\x2b040000', '', '', '\x0000fc0000', ''),
	(36, 'bits beyond the end', '\x2b040009', '', '', '\x0001070809', '\x02'),
	(37, 'too few bits', '\x2b040001', '', '', '\xfb00000000', '\x02'),
	(38, 'too many numbers', '\x2c0d', '', '', '', ''), (39, 'a form beyond the end', '\x2c0110', '', '', '', ''),
	(40, 'too many digits', '\x2c01001400000000' || '\x1402'::bytea, '', '', '', ''),
	(41, 'a scale too large', '\x2c01000014000000' || '\x1402'::bytea, '', '', '', ''),
	(42, 'too many places', '\x2db309001402', '', '', '', ''),
	(43, 'a number beyond the end', '\x2b00ff', '', '', '', '')) c (number, what, heads, texts, bytes, classes, bits)
ORDER BY number;

-- Parts of segments that do not belong together: an error, whatever they are; the same segment without the ties is read
SELECT l4_register_job('other', '{}', 'failed') \g /dev/null
SELECT * FROM l4_ingest('other', 'SELECT format(''alpha %s omega'', i * 7) AS line FROM generate_series(1, 5) i') \g /dev/null
CREATE FUNCTION pg_temp.read_parts(structure bytea, texts bytea, parameter_values bytea, stream_ids bigint[]) RETURNS text
	LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT string_agg(r.raw, ' / ' ORDER BY r.line_no)
		FROM l4_segment_records(structure, texts, parameter_values, stream_ids) r);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT s.structure = g.structure AS own_structure, t.texts = g.texts AS own_texts,
	p.parameters = g.parameters AS own_parameters, pg_temp.read_parts(s.structure, t.texts, p.parameters, g.stream_ids)
FROM l4_segment g, l4_segment s, l4_segment t, l4_segment p WHERE g.job_id = 'crafted'
	AND ARRAY[s.job_id, t.job_id, p.job_id] <@ '{crafted,other}' ORDER BY 1, 2, 3;
SELECT pg_temp.read_parts(pg_temp.unbound(structure), pg_temp.unbound(texts), parameters, stream_ids)
FROM l4_segment WHERE job_id = 'crafted';
SELECT pg_temp.read_parts(structure, pg_temp.unbound(texts), parameters, stream_ids) FROM l4_segment WHERE job_id = 'crafted';
-- every segment of the jobs above, each part in turn replaced by that of another: how many are told
WITH segment AS MATERIALIZED (SELECT row_number() OVER (ORDER BY job_id, source_id, segment_no) AS number,
	count(*) OVER () AS segments, g.* FROM l4_segment g WHERE job_id IN ('columns', 'kinds')),
mixed AS (
	SELECT g.number, part, pg_temp.read_parts(CASE part WHEN 'structure' THEN o.structure ELSE g.structure END,
		CASE part WHEN 'texts' THEN o.texts ELSE g.texts END,
		CASE part WHEN 'parameters' THEN o.parameters ELSE g.parameters END, g.stream_ids || o.stream_ids) AS read,
		CASE part WHEN 'parameters' THEN o.parameters = g.parameters ELSE o.texts = g.texts END AS same
	FROM segment g CROSS JOIN unnest('{1,2,3,5,8}'::int[]) far JOIN segment o ON o.number = (g.number + far) % g.segments + 1,
		unnest('{structure,texts,parameters}'::text[]) part)
SELECT part, same, CASE WHEN read LIKE 'XX001 %' THEN read ELSE 'read' END AS what, count(*)
FROM mixed GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
-- the same of single bytes: none of 600 corrupted parts is read
SELECT count(*) AS corrupted, count(*) FILTER (WHERE read LIKE 'XX001 %') AS told FROM (
	SELECT pg_temp.read_parts(CASE i % 3 WHEN 0 THEN set_byte(structure, i * 7919 % length(structure),
		get_byte(structure, i * 7919 % length(structure)) # (1 + i % 255)) ELSE structure END,
		CASE i % 3 WHEN 1 THEN set_byte(texts, i * 7919 % length(texts),
			get_byte(texts, i * 7919 % length(texts)) # (1 + i % 255)) ELSE texts END,
		CASE i % 3 WHEN 2 THEN set_byte(parameters, i * 7919 % length(parameters),
			get_byte(parameters, i * 7919 % length(parameters)) # (1 + i % 255)) ELSE parameters END, stream_ids) AS read
	FROM l4_segment g, generate_series(1, 600) i WHERE g.job_id = 'crafted') c;
