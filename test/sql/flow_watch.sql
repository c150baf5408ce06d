-- Flows live: a stream that is fed in pieces, each flow read once, beside what the whole of it tells.
SET timezone = 'UTC';
SET extra_float_digits = 0;
\set SHOW_CONTEXT never

/*
 * A job of 8 accelerators on 4 servers: two stages, two columns, two ranks of a tensor-parallel group, as in flows.sql.
 * Options: a link that is slow from a step on, an accelerator that falls silent in it.
 */
CREATE FUNCTION made_job(first_server int, steps int, step_length float8, slow_link text DEFAULT '', silent text DEFAULT '',
	from_step int DEFAULT 1) RETURNS SETOF l4_flow LANGUAGE sql AS $$
	WITH rank AS (
		SELECT stage, col, lane, format('10.%s.0.%s', lane, first_server + stage * 2 + col) AS address
		FROM generate_series(0, 1) stage, generate_series(0, 1) col, generate_series(1, 2) lane
	), pipeline AS (
		SELECT step, CASE way WHEN 0 THEN 0.1 * m + 0.05 + col * 0.004 * ((step + m) % 3)
				ELSE 0.15 * m + 0.2 + col * 0.004 * ((step * m) % 3) END AS at, 0.002::float8 AS lasts,
			CASE way WHEN 0 THEN f.address ELSE t.address END AS source,
			CASE way WHEN 0 THEN t.address ELSE f.address END AS destination, 30000000 AS bytes, 10 + way AS queue_pair
		FROM generate_series(1, steps) step, generate_series(0, 3) m, generate_series(0, 1) way, rank f
		JOIN rank t USING (col, lane)
		WHERE f.stage = 0 AND t.stage = 1
	), data AS (
		SELECT step, 0.85 + bucket * 0.03, CASE WHEN step >= from_step AND slow_link = f.address || ' -> ' || t.address
				THEN 0.04 ELSE 0.025 END, f.address, t.address, 1000000000 + bucket * 1000000, 20
		FROM generate_series(1, steps) step, generate_series(0, 1) bucket, rank f
		JOIN rank t USING (stage, lane)
		WHERE t.col <> f.col
	)
	SELECT '2026-01-01'::timestamptz + make_interval(secs => (x.step - 1) * step_length + x.at), x.lasts, x.source,
		x.destination, x.bytes::bigint, ARRAY['leaf-1'], x.bytes / 4096::bigint, 0::bigint, x.queue_pair::bigint, 4791
	FROM (SELECT * FROM pipeline UNION ALL SELECT * FROM data) x
	WHERE silent = '' OR x.step < from_step OR (x.step = from_step AND x.source <> silent AND x.at < 0.3)
$$;
INSERT INTO l4_accelerator (address, server, rail, leaf)
SELECT format('10.%s.0.%s', lane, server), format('server-%s', server), lane, 'leaf-1'
FROM generate_series(1, 16) server, generate_series(1, 2) lane;
-- the first goes on, the second has a slow link from 62.5 s on, the third stalls at 45 s, the fourth ends at 54.45 s
CREATE TABLE stream AS
SELECT * FROM made_job(1, 110, 1)
UNION ALL SELECT * FROM made_job(5, 80, 1.25, '10.2.0.5 -> 10.2.0.6', from_step => 51)
UNION ALL SELECT * FROM made_job(9, 60, 1.1, silent => '10.1.0.10', from_step => 42)
UNION ALL SELECT * FROM made_job(13, 45, 1.21)
-- storage, pings, and records that cannot be
UNION ALL SELECT '2026-01-01'::timestamptz + make_interval(secs => i / 10.0), 0.01, '10.1.0.' || 1 + i % 8, '10.9.0.1',
	100000000, NULL, NULL, NULL, NULL, NULL FROM generate_series(1, 1000) i
UNION ALL SELECT '2026-01-01'::timestamptz + make_interval(secs => i / 100.0), 0.001, '10.1.0.' || 1 + i % 8,
	'10.1.0.' || 1 + i % 7, 64, NULL, NULL, NULL, NULL, NULL FROM generate_series(1, 8000) i
UNION ALL SELECT '2026-01-01'::timestamptz + make_interval(secs => i), -1, '10.1.0.1', '10.1.0.2', 1000, NULL, NULL, NULL, NULL,
	NULL FROM generate_series(1, 99) i;
-- what began in so many seconds comes, and is looked at
CREATE FUNCTION feed(from_second int, to_second int, OUT result record) LANGUAGE sql AS $$
	INSERT INTO l4_flow SELECT * FROM stream
	WHERE started_at >= '2026-01-01'::timestamptz + make_interval(secs => from_second)
		AND started_at < '2026-01-01'::timestamptz + make_interval(secs => to_second);
	SELECT w FROM l4_watch_flows('20 seconds', '2 seconds', '2026-01-01'::timestamptz + make_interval(secs => to_second)) w
$$;

-- No flows yet.
SELECT * FROM l4_watch_flows();
SELECT count(*) FROM l4_flow_watch;
-- What is not late: a window is read when it ended two seconds ago.
SELECT feed(0, 21);
SELECT feed(21, 22);
-- Nothing new: nothing is done.
CREATE TABLE before AS SELECT xmin::text AS version, * FROM l4_flow_watch;
SELECT feed(22, 22);
SELECT count(*) AS unchanged FROM (SELECT xmin::text, * FROM l4_flow_watch
	INTERSECT SELECT * FROM before) s;
-- In pieces of any length: several windows in one call, and none.
SELECT feed(22, 35);
SELECT feed(35, 43);
SELECT feed(43, 67);
-- Seven flows come late: they are counted, once, and not read.
INSERT INTO l4_flow SELECT '2026-01-01 00:00:50', 0.01, '10.1.0.1', '10.1.0.2', 100000, '{leaf-1}', 1, 0, i, 1
FROM generate_series(1, 7) i;
-- The page of what it last said is made of what it keeps: with no flow there at all it is the same.
CREATE TABLE page AS SELECT l4_flow_watch_report(NULL) AS html;
SELECT xml_is_well_formed_document(html) AS well_formed,
	(SELECT string_agg(m[1], '; ') FROM regexp_matches(html, '<h2[^>]*>([^<]*)', 'g') m) AS sections,
	(SELECT count(*) FROM l4_flow_watch_finding f
		WHERE f.window_began = (SELECT max(window_began) FROM l4_flow_watch_window)
			AND position(replace(replace(f.sentence, '>', '&gt;'), '''', '&#39;') IN html) = 0) AS findings_missing
FROM page;
BEGIN;
TRUNCATE l4_flow;
SELECT l4_flow_watch_report(NULL) = html AS same FROM page;
ROLLBACK;
-- A call that ends in an error, or is taken back, leaves nothing.
BEGIN;
SELECT feed(67, 85);
ROLLBACK;
SELECT upto, windows, flows, late FROM l4_flow_watch;
SELECT feed(67, 85);
SELECT feed(85, 200);

-- Each flow is read once; what came late is not.
SELECT w.upto, w.windows, w.flows = (SELECT count(*) FROM stream) AS all_of_them, w.late,
	w.flows + w.late = (SELECT count(*) FROM l4_flow) AS all_accounted_for FROM l4_flow_watch w;
SELECT window_began, window_ended, flows, late FROM l4_flow_watch_window ORDER BY 1;
-- The jobs, by the same numbers in all windows.
SELECT job, first_seen, last_seen, cardinality(addresses) AS accelerators, addresses[1] AS one,
	round(period::numeric, 2) AS period, steps, last_step, silent_since FROM l4_flow_watch_job ORDER BY job;
SELECT window_began::time, job, accelerators, steps, round(step_seconds::numeric, 2) AS step_seconds, flows, findings
FROM l4_flow_step_time ORDER BY window_began, job;
-- Steps are those of the whole: as many, as long.
WITH whole AS (
	SELECT min(address) AS one, count(DISTINCT step) AS steps, percentile_cont(0.5) WITHIN GROUP (ORDER BY
		extract(epoch FROM ended - began)) AS seconds
	FROM l4_flow_steps('2026-01-01', '2026-01-01 00:04', flows => 'stream') GROUP BY job
), pieces AS (
	SELECT j.addresses[1] AS one, sum(s.steps) AS steps, avg(s.step_seconds) FILTER (WHERE s.steps > 1) AS seconds
	FROM l4_flow_step_time s JOIN l4_flow_watch_job j USING (job) GROUP BY j.job, 1
)
SELECT one, w.steps, p.steps - w.steps AS off, abs(p.seconds / w.seconds - 1) < 0.01 AS as_long
FROM whole w FULL JOIN pieces p USING (one) ORDER BY one;
-- What is slow or silent, as soon as its window is read: the slow link again in each.
SELECT window_began::time, ordinal, job, kind, subject, began::time(2), ended::time(2), round(factor::numeric, 2) AS factor,
	confidence FROM l4_flow_watch_finding ORDER BY window_began, ordinal;
SELECT DISTINCT ON (job, kind) job, kind, sentence FROM l4_flow_watch_finding ORDER BY job, kind, window_began;
-- The whole, diagnosed at once.
SELECT kind, subject, began::time(2), ended::time(2), round(factor::numeric, 2) AS factor
FROM l4_flow_diagnose(flows => 'stream');
-- All jobs are silent: nothing is kept but what they were.
SELECT count(*) FROM l4_flow_watch_tail;

-- A job begins anew on the same accelerators: it has the same number; windows in which nobody is awaited are skipped.
INSERT INTO l4_flow SELECT started_at + interval '2 hours', duration, source, destination, bytes, switches, packets,
	retransmits, queue_pair, port FROM stream WHERE source ~ '[.][1234]$' AND started_at < '2026-01-01 00:00:30';
SELECT * FROM l4_watch_flows('20 seconds', '2 seconds', '2026-01-01 02:00:45');
SELECT window_began, job, accelerators, steps FROM l4_flow_step_time WHERE window_began > '2026-01-01 01:00' ORDER BY 1, 2;
SELECT count(*) > 0 AS kept FROM l4_flow_watch_tail;
-- It is forgotten when it was silent for so many windows, and old results go.
INSERT INTO l4_limit (name, value) VALUES ('flow_watch_forget', 2), ('flow_watch_keep', 60);
SELECT * FROM l4_watch_flows('20 seconds', '2 seconds', '2026-01-01 02:03');
INSERT INTO l4_flow (started_at, duration, source, destination, bytes)
VALUES ('2026-01-01 02:03:01', 1, 'x', 'y', 1), ('2026-01-01 02:03:21', 1, 'x', 'y', 1);
SELECT windows FROM l4_watch_flows('20 seconds', '2 seconds', '2026-01-01 02:04');
SELECT (SELECT count(*) FROM l4_flow_watch_job) AS jobs, (SELECT count(*) FROM l4_flow_watch_tail) AS tail,
	(SELECT min(window_began) FROM l4_flow_watch_window) AS oldest, (SELECT min(window_began) FROM l4_flow_step_time) AS
	oldest_step_time, (SELECT count(*) FROM l4_flow_watch_finding) AS findings;
DELETE FROM l4_limit WHERE NOT builtin;

-- A job sends without a pause: no steps can be seen, but it is watched. Without l4_accelerator all addresses count.
TRUNCATE l4_flow, l4_flow_watch, l4_flow_watch_window, l4_flow_watch_job, l4_flow_watch_tail, l4_flow_step_time,
	l4_flow_watch_finding, l4_accelerator;
INSERT INTO l4_flow SELECT '2026-01-01'::timestamptz + make_interval(secs => i * 0.05), 0.04, 'a' || s, 'a' || 1 + s % 4,
	1000000, NULL, NULL, NULL, 1, 1 FROM generate_series(1, 1500) i, generate_series(1, 4) s;
SELECT * FROM l4_watch_flows(until => '2026-01-01 00:02:10');
SELECT job, addresses, steps, silent_since FROM l4_flow_watch_job;
SELECT * FROM l4_watch_flows(until => '2026-01-01 00:03:10');
SELECT window_began::time, kind, subject, sentence FROM l4_flow_watch_finding ORDER BY window_began, ordinal;

-- A job that is alone, and stalls: who did it is told all the same. It begins as two, of which nobody is told to be silent.
TRUNCATE l4_flow, l4_flow_watch, l4_flow_watch_window, l4_flow_watch_job, l4_flow_watch_tail, l4_flow_step_time,
	l4_flow_watch_finding;
INSERT INTO l4_flow_watch (upto, jobs) VALUES ('2026-01-01', 2);
INSERT INTO l4_flow_watch_job (job, first_seen, last_seen, addresses, steps, keep_from) VALUES
	(1, '2025-12-31', '2025-12-31 23:59:59', '{10.1.0.9,10.1.0.10}', 0, '2025-12-31 23:59'),
	(2, '2025-12-31', '2025-12-31 23:59:59', '{10.1.0.11,10.1.0.12,10.2.0.9,10.2.0.10,10.2.0.11}', 0, '2025-12-31 23:59');
INSERT INTO l4_flow SELECT * FROM made_job(9, 60, 1.1, silent => '10.1.0.10', from_step => 42);
SELECT * FROM l4_watch_flows('20 seconds', until => '2026-01-01 00:05');
SELECT job, addresses FROM l4_flow_watch_job;
SELECT window_began::time, job, accelerators, steps, findings FROM l4_flow_step_time ORDER BY 1, 2;
SELECT window_began::time, job, kind, subject, began::time(2) FROM l4_flow_watch_finding ORDER BY window_began, ordinal;
TRUNCATE l4_flow;
INSERT INTO l4_flow SELECT '2026-01-01'::timestamptz + make_interval(secs => i * 0.05), 0.04, 'a' || s, 'a' || 1 + s % 4,
	1000000, NULL, NULL, NULL, 1, 1 FROM generate_series(1, 1500) i, generate_series(1, 4) s;

-- It can begin elsewhere.
TRUNCATE l4_flow_watch, l4_flow_watch_window, l4_flow_watch_job, l4_flow_watch_tail, l4_flow_step_time, l4_flow_watch_finding;
INSERT INTO l4_flow_watch (upto) VALUES ('2026-01-01 00:01');
SELECT * FROM l4_watch_flows(until => '2026-01-01 00:02:10');

-- What cannot be.
SELECT * FROM l4_watch_flows('0.5 seconds');
SELECT * FROM l4_watch_flows(NULL);
SELECT * FROM l4_watch_flows('2 hours');
SELECT * FROM l4_watch_flows(lateness => '-1 seconds');
SELECT * FROM l4_watch_flows(lateness => NULL);
SELECT * FROM l4_watch_flows(until => 'infinity');
\set VERBOSITY sqlstate
SELECT * FROM l4_watch_flows('0 seconds');
SELECT * FROM l4_watch_flows(until => '-infinity');
CREATE ROLE flow_guest;
SET ROLE flow_guest;
SELECT * FROM l4_watch_flows();
SELECT l4_flow_watch_report();
RESET ROLE;
DROP ROLE flow_guest;
\set VERBOSITY default

-- States: a part of one is that of the rows of that part; bytes that are none.
CREATE TABLE state AS
SELECT started_at >= '2026-01-01 00:00:30' AS behind, l4_flow_messages_state(started_at, duration, bytes, queue_pair,
	retransmits, switches || format('leaf-%s', queue_pair), 0.001, 100, 0.00005) AS state
FROM stream GROUP BY 1;
SELECT l4_flow_messages_joined(s.state) = (SELECT l4_flow_messages(started_at, duration, bytes, queue_pair, retransmits,
	switches || format('leaf-%s', queue_pair), 0.001, 100, 0.00005) FROM stream) AS the_same FROM state s;
SELECT l4_flow_messages_joined(l4_flow_messages_since(s.state, '2026-01-01 00:00:40')) = (SELECT l4_flow_messages(started_at,
	duration, bytes, queue_pair, retransmits, switches || format('leaf-%s', queue_pair), 0.001, 100, 0.00005) FROM stream
	WHERE started_at >= '2026-01-01 00:00:40' AND duration > 0) AS the_same_but_for_what_cannot_be FROM state s;
SELECT l4_flow_messages_since(state, 'infinity') IS NULL AS nothing, length(l4_flow_messages_since(state, '-infinity'))
	= length(state) AS everything FROM state WHERE behind;
SELECT l4_flow_messages_since('\x1234', '2026-01-01');
SELECT l4_flow_messages_joined('\x1234');

TRUNCATE l4_flow, l4_flow_watch, l4_flow_watch_window, l4_flow_watch_job, l4_flow_watch_tail, l4_flow_step_time,
	l4_flow_watch_finding;
DROP TABLE stream, before, page, state;
DROP FUNCTION made_job, feed;
