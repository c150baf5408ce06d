-- collection.sql: what l4 says of the lines of survey_line and the jobs of survey_job. Variable: misses.
SET jit = off;
CREATE TABLE survey_record AS
SELECT g.job_id, g.source, g.line_no, lead(g.line_no) OVER w AS next_line, g.node, g.rank, g.ts, g.level, g.message,
	string_to_array(g.message, E'\n') AS lines
FROM (SELECT DISTINCT ON (l.job_id, l.source, l.line_no) l.* FROM l4_log l
	-- of a line of several pieces the longest one: bars come before
	ORDER BY l.job_id, l.source, l.line_no, length(l.message) DESC, l.part) g
WINDOW w AS (PARTITION BY g.job_id, g.source ORDER BY g.line_no);
CREATE INDEX ON survey_record (job_id, source, line_no);
-- where the newest line comes first lines are numbered from the end on
ALTER TABLE survey_line ADD number bigint;
UPDATE survey_line l SET number = CASE WHEN f.descends THEN f.lines + 1 - l.line_no ELSE l.line_no END
FROM (SELECT job_id, source, count(*) AS lines,
		(array_agg(ts::timestamptz ORDER BY line_no) FILTER (WHERE ts NOT IN ('', '?')))[1]
		> (array_agg(ts::timestamptz ORDER BY line_no DESC) FILTER (WHERE ts NOT IN ('', '?')))[1] AS descends
	FROM survey_line GROUP BY job_id, source) f
WHERE (f.job_id, f.source) = (l.job_id, l.source);
ANALYZE survey_record, survey_line;
CREATE TABLE survey_result AS
SELECT s.*, j.layout, j.half, r.node AS found_node, r.rank AS found_rank, r.ts AS found_ts, r.level AS found_level,
	r.message AS found_message, r.line_no AS found_line,
	CASE WHEN s.node <> '?' THEN NULLIF(s.node, '') IS NOT DISTINCT FROM r.node END AS node_right,
	CASE WHEN s.rank <> '?' THEN NULLIF(s.rank, '')::int IS NOT DISTINCT FROM r.rank END AS rank_right,
	CASE WHEN s.ts NOT IN ('', '?') THEN (abs(extract(epoch FROM r.ts - s.ts::timestamptz)) <= 1.1) IS TRUE END AS time_right,
	-- a line that goes on with a record has none of its own
	CASE WHEN s.level NOT IN ('', '?') THEN lower(s.level) IS NOT DISTINCT FROM r.level END AS level_right,
	CASE WHEN btrim(s.message) <> '' THEN CASE WHEN r.line_no = s.number
		THEN btrim(s.message, E' \r\t') = btrim(r.lines[1], E' \r\t')
		ELSE position(btrim(s.message) IN r.message) > 0 END IS TRUE END AS message_right
FROM survey_line s
JOIN survey_job j USING (job_id)
LEFT JOIN LATERAL (SELECT r.* FROM survey_record r WHERE r.job_id = s.job_id AND r.source = s.source AND r.line_no <= s.number
	ORDER BY r.line_no DESC LIMIT 1) r ON true;
CREATE TABLE survey_layout AS
SELECT r.layout, r.half, avg(node_right::int) AS node, avg(rank_right::int) AS rank, avg(time_right::int) AS time,
	avg(level_right::int) AS level, avg(message_right::int) AS message
FROM survey_result r GROUP BY r.layout, r.half;
CREATE TABLE survey_verdict AS
SELECT j.layout, j.half, j.faulty_node, d.named, d.named[1] IS NOT DISTINCT FROM j.faulty_node AS first,
	d.named <> '{}' AND j.faulty_node <> ALL (d.named) AS other
FROM survey_job j
CROSS JOIN LATERAL (SELECT coalesce(array_agg(d.node ORDER BY d.ordinal) FILTER (WHERE d.kind = 'node'), '{}') AS named
	FROM l4_diagnose(j.job_id) d) d
WHERE j.status = 'failed';
SELECT l.half, count(*) AS layouts, round(avg(node), 3) AS node, round(avg(rank), 3) AS rank, round(avg(time), 3) AS time,
	round(avg(level), 3) AS level, round(avg(message), 3) AS message,
	count(*) FILTER (WHERE LEAST(node, rank, time, level, message) >= 0.95) AS well_read,
	round(avg(v.first::int), 3) AS top1, round(avg(v.other::int), 3) AS others
FROM survey_layout l JOIN survey_verdict v USING (layout, half) GROUP BY l.half ORDER BY l.half;
SELECT :misses > 0 AS wanted \gset
\if :wanted
SELECT l.layout, round(node, 2) AS node, round(rank, 2) AS rank, round(time, 2) AS time, round(level, 2) AS level,
	round(message, 2) AS message, v.first, v.named, v.faulty_node
FROM survey_layout l JOIN survey_verdict v USING (layout, half)
WHERE l.half < 5 AND (LEAST(node, rank, time, level, message) < 0.95 OR NOT v.first) ORDER BY l.layout;
SELECT layout, what, lines, found, right_one, source || ':' || line_no AS place, left(message, 60) AS message
FROM (
	SELECT DISTINCT ON (r.layout, w.what) r.layout, w.what, count(*) OVER (PARTITION BY r.layout, w.what) AS lines, w.found,
		w.right_one, r.source, r.line_no, r.message
	FROM survey_result r
	CROSS JOIN LATERAL (VALUES ('node', r.node_right, r.found_node, r.node), ('rank', r.rank_right, r.found_rank::text, r.rank),
		('time', r.time_right, r.found_ts::text, r.ts), ('level', r.level_right, r.found_level, r.level),
		('message', r.message_right, left(r.found_message, 60), left(r.message, 60))) w (what, is_right, found, right_one)
	WHERE r.half < 5 AND NOT w.is_right
	ORDER BY r.layout, w.what, r.job_id, r.source, r.line_no) e
WHERE lines > 20 ORDER BY layout, what;
\endif
