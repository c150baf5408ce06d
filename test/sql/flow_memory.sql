-- Flows that do not fit into memory: the same messages, whatever is put into a temporary file meanwhile, and by whatever plan.
SET timezone = 'UTC';
SET max_parallel_workers_per_gather = 0;
\set SHOW_CONTEXT never

-- Rows of the function itself: no part of the plan but the aggregate has anything to put away.
CREATE FUNCTION rows_of(pairs int, records int, OUT pair int, OUT started_at timestamptz, OUT bytes bigint, OUT path text[])
	RETURNS SETOF record
LANGUAGE sql IMMUTABLE AS $$
	SELECT r % pairs, '2026-01-01'::timestamptz + (r * 7919 % records) * interval '3 ms', 1000 + r % 7 * 500,
		ARRAY['s' || r % 3]
	FROM (SELECT generate_series(0, records - 1)) r(r);
$$;
PREPARE one AS
	SELECT md5(l4_flow_messages(started_at, 0.002, bytes, 1, 0, path, 0.0001, 100, 0)::text) FROM rows_of(1, 30000) r;
PREPARE several AS
	SELECT md5(string_agg(m::text, ' ' ORDER BY pair))
	FROM (SELECT pair, l4_flow_messages(started_at, 0.002, bytes, 1, 0, path, 0.0001, 100, 0) AS m
		FROM rows_of(40, 30000) r GROUP BY pair) x;
PREPARE sets AS
	SELECT md5(string_agg(m::text, ' ' ORDER BY pair, bytes))
	FROM (SELECT pair, bytes, l4_flow_messages(started_at, 0.002, bytes, 1, 0, path, 0.0001, 100, 0) AS m
		FROM rows_of(5, 30000) r GROUP BY GROUPING SETS ((pair), (bytes), ())) x;
EXECUTE one \gset in_memory_
EXECUTE several \gset several_in_memory_
EXECUTE sets \gset sets_in_memory_
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
EXECUTE one \gset in_file_
EXECUTE several \gset several_in_file_
EXECUTE sets \gset sets_in_file_
SET enable_hashagg = off;
EXECUTE several \gset several_in_order_
EXECUTE sets \gset sets_in_order_
RESET enable_hashagg;
SELECT :'in_memory_md5' = :'in_file_md5' AS one, :'several_in_memory_md5' = :'several_in_file_md5' AS several,
	:'several_in_file_md5' = :'several_in_order_md5' AS in_order, :'sets_in_memory_md5' = :'sets_in_file_md5' AS sets,
	:'sets_in_file_md5' = :'sets_in_order_md5' AS sets_in_order;

-- States that are kept are whole, and can be added up and cut off while a part of them is in the file.
SELECT (m).records, (l4_flow_messages_joined).records AS since
FROM (SELECT l4_flow_messages_joined(s) AS m FROM (
		SELECT l4_flow_messages_state(started_at, 0.002, bytes, 1, 0, path, 0.0001, 100, 0) AS s
		FROM rows_of(7, 30000) r GROUP BY pair) x) a,
	(SELECT l4_flow_messages_joined(l4_flow_messages_since(s, '2026-01-01 00:00:45')) FROM (
		SELECT l4_flow_messages_state(started_at, 0.002, bytes, 1, 0, path, 0.0001, 100, 0) AS s
		FROM rows_of(7, 30000) r GROUP BY pair) x) b;

-- It is the records that are put away: where they may not be, it is an error.
SET temp_file_limit = '64kB';
SELECT count(*) FROM rows_of(1, 30000) r;
\set VERBOSITY sqlstate
EXECUTE one;
\set VERBOSITY default
RESET temp_file_limit;
RESET work_mem;
RESET hash_mem_multiplier;
-- As a window function it is not put away, as nobody would close the file.
SELECT DISTINCT (l4_flow_messages(started_at, 0.002, bytes, 1, 0, path, 0.0001, 100, 0) OVER ()).records
FROM rows_of(1, 3000) r;

-- The rows of a cursor, again and again.
BEGIN;
DECLARE pairs SCROLL CURSOR FOR
	SELECT ROW(n || 'a', 'b', NULL, NULL, n, NULL, NULL, NULL)::l4_flow_pair FROM generate_series(1, 3) n;
DECLARE parts SCROLL CURSOR FOR
	SELECT (ROW(n || 'a', 'b', NULL, NULL, n, NULL, NULL, NULL)::l4_flow_pair).* FROM generate_series(1, 3) n;
SELECT one, bytes FROM l4_cursor_pairs('parts');
MOVE FORWARD 2 IN parts;
SELECT count(*), sum(p.bytes + q.bytes) FROM l4_cursor_pairs('parts') p JOIN l4_cursor_pairs('parts') q USING (one);
-- Two that read one cursor by turns do not disturb each other.
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_mergejoin = off;
SELECT p.one, q.one AS other FROM l4_cursor_pairs('parts') p JOIN l4_cursor_pairs('parts') q ON q.bytes > p.bytes;
SELECT l4_cursor_rows('parts'), l4_cursor_rows('parts');
SAVEPOINT before;
SELECT one FROM l4_cursor_pairs('pairs');
ROLLBACK TO before;
SELECT one FROM l4_cursor_pairs('nothing');
ROLLBACK TO before;
DECLARE forward NO SCROLL CURSOR FOR
	SELECT (ROW(n || 'a', 'b', NULL, NULL, n, NULL, NULL, NULL)::l4_flow_pair).* FROM generate_series(1, 3) n;
FETCH forward \g /dev/null
SELECT one FROM l4_cursor_pairs('forward');
ROLLBACK;
