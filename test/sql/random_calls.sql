-- Calls with arguments that nobody would give: every function that only reads, with NULL, extremes, hostile texts and patterns,
-- empty, nested and mixed arrays, and blobs of real jobs with a byte or more of them changed. Each call ends in a result or in
-- an error with a SQLSTATE of its own; none ends the server, and none is an error that nobody thought of (XX000).
-- L4_RANDOM_CALLS is how many calls of each function.
\getenv rounds L4_RANDOM_CALLS
\if :{?rounds}
\else
	\set rounds 4
\endif
SET client_min_messages = error;
SELECT l4_register_job('random-' || n, '{"model": "random"}', s, '{node-a}', 1)
FROM (VALUES (1, 'failed'), (2, 'succeeded')) j (n, s) \g /dev/null
INSERT INTO l4_inbox (job_id, source, node, rank, line)
SELECT 'random-' || j, 'rank-' || r || '.log', 'node-' || r, r, format('2026-01-01 00:00:%s INFO step %s loss %s', lpad(l::text,
	2, '0'), l, l * 0.5) || CASE WHEN j = 1 AND l = 50 THEN E' ERROR: device lost\nTraceback\n  frame' ELSE '' END
FROM generate_series(1, 2) j, generate_series(0, 3) r, generate_series(1, 55) l;
SELECT l4_ingest_inbox() IS NOT NULL AS ingested;

-- Of each type some values, as what a statement would hold.
CREATE TABLE random_value (type text, number int, value text);
INSERT INTO random_value
SELECT type, row_number() OVER (PARTITION BY type) - 1, value
FROM (
	SELECT t.type, v.value FROM (VALUES
		('text', ARRAY['', ' ', 'random-1', 'a', 'ERROR <*> at 0x7f: <*>', '(', '(a+)+$', '(?<x>a)|(?<y>b)', '[', '\',
			E'\n\r\t', 'é€😀', '%s%n', '2026-01-01 00:00:00', '9999999999999999999999', '-1', '{"a": [1]}', '../../etc/passwd',
			'<*> <*> <*>', 'node-[1-3,7]', E'\x01\x02', 'job.log:{node}/{rank}']),
		('integer', ARRAY['0', '1', '-1', '7', '2147483647', '-2147483648']),
		('bigint', ARRAY['0', '1', '-1', '42', '9223372036854775807', '-9223372036854775808']),
		('smallint', ARRAY['0', '1', '-1', '32767', '-32768']),
		('double precision', ARRAY['0', '1', '-1', '0.5', '1e-300', '1e300', 'NaN', 'Infinity', '-Infinity']),
		('real', ARRAY['0', '1', '-1', 'NaN', 'Infinity']),
		('numeric', ARRAY['0', '1', 'NaN', '1e100']),
		('boolean', ARRAY['true', 'false']),
		('interval', ARRAY['0', '1 second', '-1 day', '100 years']),
		('timestamp with time zone', ARRAY['epoch', '2026-01-01 00:00:30+00', 'infinity', '-infinity',
			'294000-01-01 00:00:00+00']),
		('timestamp without time zone', ARRAY['epoch', 'infinity', '-infinity']),
		('date', ARRAY['epoch', 'infinity']),
		('name', ARRAY['postgres', 'nobody']),
		('oid', ARRAY['0', '1', '4294967295']),
		('regclass', ARRAY['l4_job', 'pg_class']),
		('json', ARRAY['{}', 'null', '[]', '{"model": "random"}', '{"a": {"b": [1, 2, {}]}}', '"x"']),
		('jsonb', ARRAY['{}', 'null', '[]', '{"model": "random"}', '{"a": {"b": [1, 2, {}]}}', '"x"']),
		('bytea', ARRAY['', '\x00', '\x28b52ffd', '\xffffffffffffffffffffffffffffffff'])) t (type, "values"),
		unnest(t."values") v (value)
	UNION ALL SELECT 'text', repeat('a ', 20000)
	UNION ALL SELECT 'text', repeat('(', 300)
	UNION ALL SELECT 'bytea', b.blob::text FROM l4_segment s, unnest(ARRAY[s.structure, s.texts, s.parameters]) b (blob)
	WHERE s.job_id LIKE 'random-%'
	UNION ALL SELECT 'bytea', k.sketch::text FROM l4_parameter_sketch k WHERE k.job_id LIKE 'random-%') v;

-- One value of a type, as an expression; of blobs every second one has bytes changed or its end cut off.
CREATE FUNCTION random_argument(wanted oid) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	element oid := (SELECT t.typelem FROM pg_type t WHERE t.oid = wanted
		AND t.typsubscript = 'array_subscript_handler'::regproc);
	kind text := format_type(wanted, NULL);
	value text;
	blob bytea;
BEGIN
	kind := CASE kind WHEN 'anyelement' THEN 'text' WHEN 'anyarray' THEN 'text[]' ELSE kind END;
	element := CASE wanted WHEN 'anyarray'::regtype THEN 'text'::regtype ELSE element END;
	IF random() < 0.08 THEN
		RETURN 'NULL::' || kind;
	ELSIF element <> 0 AND random() < 0.1 THEN
		RETURN format('ARRAY[ARRAY[%1$s, %1$s], ARRAY[%1$s, %1$s]]::%2$s', random_argument(element), kind);
	ELSIF element <> 0 THEN
		RETURN format('ARRAY[%s]::%s', array_to_string(ARRAY(SELECT random_argument(element)
			FROM generate_series(1, (random() * 4)::int)), ', '), kind);
	END IF;
	SELECT v.value INTO value FROM random_value v
	WHERE v.type = kind ORDER BY random() LIMIT 1;
	IF kind = 'bytea' AND length(value) > 20 AND random() < 0.7 THEN
		blob := value;
		FOR i IN 1..(random() * 3)::int LOOP
			blob := set_byte(blob, (random() * (length(blob) - 1))::int, (random() * 255)::int);
		END LOOP;
		value := CASE WHEN random() < 0.3 THEN substr(blob, 1, (random() * length(blob))::int) ELSE blob END;
	END IF;
	RETURN quote_nullable(value) || '::' || kind;
END
$$;

-- What may be called: functions and aggregates that change nothing, of arguments that a statement can write.
CREATE VIEW random_callable AS
SELECT p.oid, p.oid::regprocedure::text AS name, p.proname, p.prokind, p.proargtypes::oid[] AS types,
	p.provariadic <> 0 AS variadic, p.pronargs
FROM pg_proc p
JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND d.refclassid = 'pg_extension'::regclass AND e.extname = 'l4'
WHERE p.prokind IN ('f', 'a') AND p.provolatile IN ('i', 's') AND p.prorettype NOT IN ('trigger'::regtype, 'internal'::regtype)
	AND NOT 'internal'::regtype = ANY (p.proargtypes::oid[]);

CREATE FUNCTION random_calls(rounds int) RETURNS TABLE (function text, call text, state text, took interval)
LANGUAGE plpgsql AS $$
DECLARE
	callable record;
	began timestamptz;
BEGIN
	FOR callable IN SELECT c.* FROM random_callable c ORDER BY c.name COLLATE "C" LOOP
		FOR i IN 1..rounds LOOP
			function := callable.name;
			call := format('SELECT %I(%s%s) %s', callable.proname, CASE WHEN callable.variadic THEN 'VARIADIC ' ELSE '' END,
				(SELECT string_agg(random_argument(t.type), ', ' ORDER BY t.place)
					FROM unnest(callable.types) WITH ORDINALITY t (type, place)),
				CASE callable.prokind WHEN 'a' THEN 'FROM generate_series(1, 3)' ELSE '' END);
			began := clock_timestamp();
			BEGIN
				EXECUTE call;
				state := 'fine';
			EXCEPTION WHEN OTHERS THEN
				state := SQLSTATE || ' ' || SQLERRM;
			END;
			took := clock_timestamp() - began;
			RETURN NEXT;
		END LOOP;
	END LOOP;
END
$$;
SELECT setseed(0.4);
CREATE TABLE random_call AS SELECT * FROM random_calls(:rounds);
SELECT count(DISTINCT function) > 100 AS many_functions, count(*) = :rounds * count(DISTINCT function) AS all_returned,
	count(*) FILTER (WHERE state = 'fine') > count(*) / 10 AS many_work, count(*) FILTER (WHERE state <> 'fine') > count(*) / 10
	AS many_refused
FROM random_call;
-- what nobody thought of, names no cause, or does not come to its end
SELECT left(call, 200) AS call, state FROM random_call
WHERE state LIKE 'XX000%' OR state LIKE '42883%' OR state LIKE '42P18%' OR took > interval '1 minute'
ORDER BY call COLLATE "C" LIMIT 20;
-- nothing is left for other tests
SELECT array_agg(j.job_id ORDER BY j.job_id COLLATE "C") AS jobs FROM l4_job j WHERE j.job_id LIKE 'random-%' \gset
SELECT l4_delete_job(d) FROM unnest(:'jobs'::text[]) d \g /dev/null
DROP VIEW random_callable;
DROP FUNCTION random_calls(int);
DROP FUNCTION random_argument(oid);
DROP TABLE random_value, random_call;
