-- Diagnosis from network flows: kernels beside plain references, then jobs made by hand.
SET timezone = 'UTC';
SET extra_float_digits = 0;
\set SHOW_CONTEXT never

-- Messages: what overlaps or follows within the pause on one path is one; a record given twice, what cannot be, what is small.
CREATE TABLE record (started_at timestamptz, duration float8, bytes bigint, queue_pair bigint, retransmits bigint,
	switches text[]);
INSERT INTO record VALUES
	('2026-01-01 00:00:00', 0.5, 1000, 1, 0, '{a}'), ('2026-01-01 00:00:00.00001', 0.5, 1000, 1, 0, '{a}'),
	('2026-01-01 00:00:00.2', 0.5, 2000, 2, 3, '{a}'), ('2026-01-01 00:00:00.7005', 0.1, 500, 1, 0, '{a}'),
	('2026-01-01 00:00:00.1', 0.1, 4000, 3, 0, '{b,c}'), ('2026-01-01 00:00:02', 1, 1000, 1, 0, '{a}'),
	('2026-01-01 00:00:03', 0, 10, 1, 0, '{a}'), ('2026-01-01 00:00:04', -1, 1000, 1, 0, '{a}'),
	('2026-01-01 00:00:04', 1, 0, 1, 0, '{a}'), (NULL, 1, 1, 1, 0, NULL), ('infinity', 1, 1000, 1, 0, NULL),
	('2026-01-01 00:00:04', 'NaN', 1000, 1, 0, NULL);
SELECT (m).records, (m).small, (m).duplicates, (m).set_aside, (m).bytes, (m).retransmits, (m).same_size,
	ARRAY(SELECT b - 1767225600 FROM unnest((m).began) b) AS began, (m).lasted, (m).moved, (m).busy, (m).path, (m).lost,
	(m).paths
FROM (SELECT l4_flow_messages(started_at, duration, bytes, queue_pair, retransmits, switches, 0.001, 100, 0.00005) AS m
	FROM record) r;
-- The order of the rows makes no difference.
SELECT count(DISTINCT m) FROM (
	SELECT l4_flow_messages(started_at, duration, bytes, queue_pair, retransmits, switches, 0.001, 100, 0.00005
		ORDER BY md5(i::text || r::text)) AS m
	FROM record r, generate_series(1, 20) i GROUP BY i) x;
SELECT l4_flow_messages(started_at, duration, bytes, queue_pair, retransmits, switches, 0.001, 100, 0.00005) FROM record
WHERE false;
SELECT l4_flow_messages(started_at, duration, bytes, queue_pair, retransmits, switches, 0, 100, 0.00005) FROM record;

-- Bursts that come regularly: the steps, not the pieces within them; pauses do not disturb; NULL where nothing is regular.
SELECT r."interval"::numeric(6, 3), r.bursts FROM l4_regular_interval(
	ARRAY(SELECT step + piece * 0.002 + CASE WHEN step > 20 THEN 3 ELSE 0 END FROM generate_series(1, 40) step,
		generate_series(0, 9) piece ORDER BY 1), array_fill(0.001::real, ARRAY[400]), 0.6, 0.5, 0.3) r;
SELECT l4_regular_interval(ARRAY(SELECT (i * i % 97)::float8 FROM generate_series(1, 90) i ORDER BY 1), array_fill(0.01::real,
	ARRAY[90]), 0.6, 0.5, 0.1) IS NULL AS nothing_regular;
SELECT l4_regular_interval('{1,2}', '{0.1}', 0.6, 0.5, 0.3);
SELECT l4_regular_interval('{1,NULL}', '{0.1,0.1}', 0.6, 0.5, 0.3);

-- Together, bursts, places, late ones.
SELECT l4_together('{1,2,3,4}', '{1.1,2.1,3.1,4.1}', 0.01) AS exchange, l4_together('{1,2,3,4}', '{1.1,2.5,2.9,4.3}', 0.01) AS
	answer, l4_together('{}', '{1}', 1) AS none;
SELECT l4_bursts('{1,1.2,3,3.1}', '{0.1,0.1,0.1,0.4}', 0.5) AS two_bursts,
	l4_bursts('{3.1,3,1.2,1}', '{0.4,0.1,0.1,0.1}', 0.5) AS in_any_order, l4_bursts('{}', '{}', 1) AS none;
SELECT l4_bursts('{1,1.2}', '{0.1,0.1,0.1}', 0.5);
SELECT l4_bursts('{1,NULL}', '{0.1,0.1}', 0.5);
SELECT l4_step_places('{1,2.1,3.9,9}', '{1,2,3,4}', 0.5);
-- Of what each cycle moves early and late: the same in all, the same but for one, nothing alike, nothing that differs, too few.
SELECT c.name, round(l4_repeated_share('{0,1,2,3,4,5,6,7,8}', c.moved, '{0,2,4,6,8}', 2, c.needed)::numeric, 4) AS repeated
FROM (VALUES ('the same', '{3,1,3,1,3,1,3,1,9}'::real[], 4), ('but for one', '{3,1,3,1,1,3,3,1,9}', 4),
	('nothing alike', '{3,1,1,3,3,1,1,3,9}', 4), ('nothing differs', '{1,1,1,1,1,1,1,1,9}', 4),
	('too few', '{3,1,3,1,3,1,3,1,9}', 5)) c(name, moved, needed);
SELECT l4_repeated_share('{1,2}', '{1}', '{1,2}', 2, 1);
SELECT l4_repeated_share('{1,2}', '{1,1}', '{1,2}', 0, 1);
SELECT l4_late_messages('{1,2,3,4,5}', '{1,1,1,1,2}', '{1,1,5,1,2}', 3);
SELECT (t).*
FROM (SELECT l4_step_traffic('{1,2,3,4,5}', '{1,2,3,4,5}', '{1,1,1,1,1}', '{1,2,1,2,1}', 1, '{0,2.5,4.5,9}') AS t) x;
-- what comes right behind the end of a step is left over from it: the first of the next ones are others, if there are
SELECT (l4_step_traffic('{0.05,1,2,10.05,11,20.05}', '{1,1,1,1,1,1}', '{1,1,1,1,1,1}', '{1,1,1,1,1,1}', 0,
	'{0,10,20,30}')).began;

-- Phases close steps: the last is not whole. Work is what lies between what was got and what was sent, less waiting.
SELECT (p).began, (p).ended, (p).bytes FROM (
	SELECT l4_step_phases(began, lasted, moved, sent, 0.35, 0.8) AS p FROM (VALUES
		('{1,1.3,2,2.3,3,3.3,4}'::float8[], '{0.2,0.1,0.2,0.1,0.2,0.1,0.1}'::real[], '{5,5,5,5,5,5,5}'::real[], true),
		('{0.9,1.9,2.9}', '{0.1,0.1,0.7}', '{5,5,5}', false)) m(began, lasted, moved, sent)) x;
-- stage 1 of 3: gets activations from a, sends on to c; gets gradients from c, sends on to a
SELECT (w).computed, (w).sent, (w).closing FROM (
	SELECT l4_step_work(began, lasted, busy, sent, peer, '{0,10,20}', '{9,19}') AS w FROM (VALUES
		('{1,3,11,13}'::float8[], '{0.5,0.5,0.5,0.5}'::real[], '{0.5,0.5,0.5,0.5}'::real[], false, 'a'),
		('{2,4,12,15}', '{0.5,0.5,0.5,0.5}', '{0.5,0.5,0.5,0.5}', true, 'c'),
		('{5,7,16,17}', '{0.5,0.5,0.5,0.5}', '{0.5,0.5,0.5,0.5}', false, 'c'),
		('{6,8,17,18}', '{0.5,0.5,0.5,0.5}', '{0.5,0.5,0.5,0.5}', true, 'a')) m(began, lasted, busy, sent, peer)) x;
-- the last of three stages with two virtual ones each: forwards from b to a, forwards and back from b to b, back from a to b,
-- which takes 1, 3 and 2 seconds; in the second step what comes from a is there while b's is computed
SELECT (w).computed, (w).closing FROM (
	SELECT l4_step_work(began, lasted, busy, sent, peer, '{0,10,20,30}', '{9.1,17.6,29.1}') AS w FROM (VALUES
		('{0.9,2.5,10.9,12.5,20.9,22.5}'::float8[], '{0.1,0.1,0.1,0.1,0.1,0.1}'::real[], '{0,0,0,0,0,0}'::real[], false, 'b'),
		('{2,12,22}', '{0.1,0.1,0.1}', '{0,0,0}', true, 'a'),
		('{7,14,27}', '{0.1,0.1,0.1}', '{0,0,0}', false, 'a'),
		('{5.6,9.1,15.6,17.6,25.6,29.1}', '{0.1,0.1,0.1,0.1,0.1,0.1}', '{0,0,0,0,0,0}', true, 'b')) m(began, lasted, busy,
		sent, peer)) x;
-- it sends three times in a step, half a second apart; in the third step it did once, or twice as one
SELECT m.moved[7] AS last, l4_step_overdue(began, lasted, moved, true, '{0,10,20}') FROM (VALUES
	('{1,1.5,2,11,11.5,12,21}'::float8[], '{0.125,0.125,0.125,0.125,0.125,0.125,0.125}'::real[], '{1,1,1,1,1,1,1}'::real[]),
	('{1,1.5,2,11,11.5,12,21}', '{0.125,0.125,0.125,0.125,0.125,0.125,0.625}', '{1,1,1,1,1,1,2}'),
	('{1,1.5,2,11,11.5,12,21}', '{0.125,0.125,0.125,0.125,0.125,0.125,1.125}', '{1,1,1,1,1,1,3}')) m(began, lasted, moved)
GROUP BY m.moved[7] ORDER BY 1;
-- three times in a step, of other sizes in each; in the third step it did two times. Or the record of one of three was lost.
SELECT m.what, l4_step_overdue(began, array_fill(0.125::real, '{8}'), moved, true, '{0,10,20}') FROM (VALUES
	('sizes', '{1,1.5,2,11,11.5,12,21,21.5}'::float8[], '{3,3,3,2,2,2,4,4}'::real[]),
	('lost', '{1,1.5,2,11,11.5,12,21,22}', '{1,1,1,1,1,1,1,1}')) m(what, began, moved)
GROUP BY m.what ORDER BY m.what;
SELECT l4_step_overdue('{}', '{}', '{}', true, NULL);

/*
 * A job of 8 accelerators on 4 servers: two stages, two columns, two ranks of a tensor-parallel group. A step of about a
 * second: four microbatches, then two buckets of gradients. Options: a link that is slow from a step on, or an accelerator that
 * falls silent in it.
 */
CREATE FUNCTION made_job(first_server int, steps int, slow_link text DEFAULT '', silent text DEFAULT '',
	from_step int DEFAULT 1, step_length float8 DEFAULT 1)
RETURNS SETOF l4_flow LANGUAGE sql AS $$
	WITH rank AS (
		SELECT stage, col, lane, format('10.%s.0.%s', lane, first_server + stage * 2 + col) AS address
		FROM generate_series(0, 1) stage, generate_series(0, 1) col, generate_series(1, 2) lane
	), pipeline AS (
		-- activations go forth, gradients come back; columns are a little off each other
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
FROM generate_series(1, 8) server, generate_series(1, 2) lane;
INSERT INTO l4_flow SELECT * FROM made_job(1, 30);
INSERT INTO l4_flow SELECT * FROM made_job(5, 24, '10.2.0.5 -> 10.2.0.6', from_step => 12, step_length => 1.25);
-- what is no training: storage, pings, and records that cannot be
INSERT INTO l4_flow (started_at, duration, source, destination, bytes)
SELECT '2026-01-01'::timestamptz + make_interval(secs => i / 10.0), 0.01, '10.1.0.' || 1 + i % 8, '10.9.0.1', 100000000
FROM generate_series(1, 200) i
UNION ALL SELECT '2026-01-01'::timestamptz + make_interval(secs => i / 100.0), 0.001, '10.1.0.' || 1 + i % 8,
	'10.1.0.' || 1 + i % 7, 64 FROM generate_series(1, 2000) i
UNION ALL SELECT '2026-01-01'::timestamptz + make_interval(hours => i), -1, '10.1.0.1', '10.1.0.2', 1000
	FROM generate_series(-5, 5) i;

SELECT job, array_agg(address ORDER BY address) AS addresses, count(DISTINCT server) AS servers, min(began) AS began,
	max(ended) AS ended,
	round(min(step)::numeric, 3) AS step, sum(flows) AS flows
FROM l4_flow_jobs() GROUP BY job ORDER BY job;
SELECT job, kind, count(*) AS pairs, sum(flows) AS flows, round(min(rate) / 1e9) AS "lowest rate, GB/s" FROM l4_flow_pairs()
GROUP BY job, kind ORDER BY job, kind;
SELECT * FROM l4_flow_groups() WHERE kind <> 'job';
SELECT job, address, count(*) AS steps, min(step) AS first, max(step) AS last, round(avg(extract(epoch FROM ended - began)), 3)
	AS lasts, round(avg(compute)::numeric, 3) AS compute, round(avg(pipeline)::numeric, 4) AS pipeline,
	round(avg(data)::numeric, 3) AS data, round(avg(bubble)::numeric, 3) AS bubble
FROM l4_flow_steps() WHERE address LIKE '10.1.%' GROUP BY job, address ORDER BY job, address;
SELECT job, kind, subject, began, ended, round(factor::numeric, 2) AS factor, sentence FROM l4_flow_diagnose();
SELECT count(*) AS findings FROM l4_flow_diagnose(job => 1);
-- the window as given
SELECT job, count(*) FROM l4_flow_jobs('2026-01-01 00:00:05', '2026-01-01 00:00:20') GROUP BY job ORDER BY job;
SELECT * FROM l4_flow_jobs('2026-01-01 00:00:05', '2026-01-01 00:00:04');
SELECT * FROM l4_flow_jobs('2025-01-01', '2025-01-02');

-- Tables of anybody's, with columns of other names; servers are not known there, and are not needed.
CREATE TABLE seen (ts timestamp, secs real, src inet, dst inet, octets numeric);
INSERT INTO seen
SELECT started_at, duration, source::inet, destination::inet, bytes FROM l4_flow WHERE destination <> '10.9.0.1';
SELECT job, count(*) AS accelerators FROM l4_flow_jobs(flows => 'seen', accelerators => NULL, columns => '{"started_at": "ts",
	"duration": "secs", "source": "src", "destination": "dst", "bytes": "octets"}') GROUP BY job ORDER BY job;
SELECT * FROM l4_flow_jobs(flows => 'seen');
SELECT * FROM l4_flow_jobs(flows => 'seen', columns => '{"started_at": "when"}');

-- An accelerator that falls silent; the other job ends later, between two steps.
TRUNCATE l4_flow;
INSERT INTO l4_flow SELECT * FROM made_job(1, 30, silent => '10.1.0.2', from_step => 22);
INSERT INTO l4_flow SELECT * FROM made_job(5, 40);
SELECT job, kind, subject, began, sentence FROM l4_flow_diagnose();

-- From step 13 on its peer is not there to get the gradients of one, which can begin only later: it is not slow.
CREATE TABLE late_flows AS
SELECT f.started_at + CASE WHEN f.source = '10.1.0.1' AND f.destination = '10.1.0.2'
		AND f.started_at >= '2026-01-01 00:00:15+00' THEN interval '0.2 s' ELSE interval '0' END AS started_at,
	f.duration, f.source, f.destination, f.bytes, f.switches
FROM made_job(1, 24, step_length => 1.25) f;
SELECT kind, subject FROM l4_flow_diagnose(flows => 'late_flows');

-- A ring of four servers: from step 13 on one computes longer, and its phase begins later, which all wait for; at the end one
-- sender waits for time-outs.
CREATE FUNCTION made_ring() RETURNS SETOF l4_flow LANGUAGE sql AS $$
	WITH step AS (
		SELECT step, 0.9 * step + 0.12 * GREATEST(step - 12, 0) AS ended FROM generate_series(0, 40) step
	)
	SELECT '2026-01-01'::timestamptz + make_interval(secs => b.ended + CASE piece
			WHEN 0 THEN 0.8 + 0.001 * ((s + b.step * 3) % 5)
			+ CASE WHEN s = 3 AND b.step >= 12 THEN 0.12 ELSE 0 END ELSE a.ended - b.ended - 0.04 END),
		CASE WHEN b.step IN (33, 36, 39) AND s = 2 AND piece = 0 THEN 0.09 ELSE 0.02 END, '10.1.0.' || s,
		'10.1.0.' || s % 4 + 1, 500000000 + piece, ARRAY['leaf-1'], 0::bigint, 0::bigint, 7::bigint, 4791
	FROM step b JOIN step a ON a.step = b.step + 1, generate_series(1, 4) s, generate_series(0, 1) piece
$$;
CREATE TABLE ring AS SELECT * FROM made_ring();
SELECT job, kind, subject, began, ended, round(factor::numeric, 2) AS factor, sentence FROM l4_flow_diagnose(flows => 'ring');

-- Three data-parallel groups on five servers, one for each network interface; from step 20 on one of them is slow as a whole,
-- and no switch is known that would explain it.
CREATE TABLE group_flows AS
SELECT '2026-01-01'::timestamptz + make_interval(secs => 0.9 * step + 0.8 + 0.0005 * ((s + step * 3) % 5)) AS started_at,
	CASE WHEN rail = 2 AND step >= 20 THEN 0.04 ELSE 0.02 END AS duration, format('10.%s.0.%s', rail, s) AS source,
	format('10.%s.0.%s', rail, s % 5 + 1) AS destination, 500000000 AS bytes
FROM generate_series(0, 40) step, generate_series(1, 5) s, generate_series(1, 3) rail;
CREATE TABLE group_accelerators AS
SELECT format('10.%s.0.%s', rail, s) AS address, 'server-' || s AS server
FROM generate_series(1, 5) s, generate_series(1, 3) rail;
SELECT job, kind, subject, began, round(factor::numeric, 2) AS factor, sentence, facts -> 'members' AS members
FROM l4_flow_diagnose(flows => 'group_flows', accelerators => 'group_accelerators');
SELECT job, count(*) AS accelerators FROM l4_flow_jobs(flows => 'group_flows', accelerators => 'group_accelerators')
GROUP BY job ORDER BY job;
SELECT job, kind, count(*), min(size), max(size)
FROM l4_flow_groups(flows => 'group_flows', accelerators => 'group_accelerators')
GROUP BY job, kind ORDER BY job, kind COLLATE "C";
-- What two of them exchange beside that at no regular times does not make another job of its group.
CREATE TABLE irregular_flows AS
SELECT * FROM group_flows
UNION ALL
SELECT '2026-01-01'::timestamptz + make_interval(secs => 0.0036 * (n * n * 31 % 9973)), 0.001, '10.2.0.0',
	'10.2.0.1', 90000000
FROM generate_series(1, 700) n;
INSERT INTO group_accelerators VALUES ('10.2.0.0', 'server-5');
SELECT job, count(*) AS accelerators FROM l4_flow_jobs(flows => 'irregular_flows', accelerators => 'group_accelerators')
GROUP BY job ORDER BY job;

-- Parameters sharded over five servers (ZeRO-3, FSDP): twelve layers forwards, gathered one by one, and backwards, at half the
-- speed, where gradients are scattered, too. No pause ends a step. From step 16 on all takes a third longer.
CREATE TABLE sharded_flows AS
WITH layer AS (
	SELECT step, layer, (step + GREATEST(step - 16, 0) / 3.0) * 0.72
		+ (1 + (step >= 16)::int / 3.0) * (LEAST(layer, 12) * 0.02 + GREATEST(layer - 12, 0) * 0.04) AS at
	FROM generate_series(0, 29) step, generate_series(0, 23) layer
)
SELECT '2026-01-01'::timestamptz + make_interval(secs => at + 0.0004 * ((s + layer) % 3)) AS started_at, 0.008 AS duration,
	'10.1.0.' || s AS source, '10.1.0.' || s % 5 + 1 AS destination, 200000000 * (1 + (layer >= 12)::int) AS bytes
FROM layer, generate_series(1, 5) s;
SELECT address, count(*) AS steps, round(min(extract(epoch FROM ended - began))::numeric, 2) AS shortest,
	round(max(extract(epoch FROM ended - began))::numeric, 2) AS longest, round(avg(compute)::numeric, 3) AS compute
FROM l4_flow_steps(flows => 'sharded_flows') GROUP BY address ORDER BY address;
SELECT kind, began, round(factor::numeric, 2) AS factor, sentence FROM l4_flow_diagnose(flows => 'sharded_flows');
-- It stands still amid a step: one does not send the layer that all others send, also those whose data it should send on; or
-- all miss theirs at once, and who did it cannot be told. Another job goes on.
CREATE TABLE stopped_flows AS
SELECT stops, f.started_at, f.duration, f.source, f.destination, f.bytes
FROM sharded_flows f, unnest('{one,all}'::text[]) stops
WHERE f.started_at < '2026-01-01 00:00:07.33' AND NOT ((stops = 'all' OR f.source = '10.1.0.3')
	AND f.started_at > '2026-01-01 00:00:07.31')
UNION ALL
SELECT stops, j.started_at, j.duration, j.source, j.destination, j.bytes
FROM made_job(10, 30) j, unnest('{one,all}'::text[]) stops;
CREATE VIEW one_stops AS SELECT * FROM stopped_flows WHERE stops = 'one';
CREATE VIEW all_stop AS SELECT * FROM stopped_flows WHERE stops = 'all';
SELECT v, f.kind, f.subject, f.sentence FROM unnest('{one_stops,all_stop}'::regclass[]) v,
	l4_flow_diagnose(flows => v, accelerators => NULL) f;
-- Of what one sends in a step every other layer forwards is lost, so that this seems to be a part of the step before: all of a
-- job go through the same steps, which the links of the others tell.
CREATE TABLE lossy_flows AS
SELECT f.* FROM sharded_flows f
WHERE NOT (f.source = '10.1.0.3' AND f.bytes = 200000000 AND f.started_at BETWEEN '2026-01-01 00:00:06.47' AND
	'2026-01-01 00:00:06.73' AND floor(extract(epoch FROM f.started_at - '2026-01-01') / 0.02) % 2 = 0);
SELECT (SELECT count(*) FROM sharded_flows) - count(*) AS lost FROM lossy_flows;
SELECT address, count(*) AS steps, round(max(extract(epoch FROM ended - began))::numeric, 2) AS longest
FROM l4_flow_steps(flows => 'lossy_flows') GROUP BY address ORDER BY address;
-- Sharded over two servers, twice (hybrid sharding), two microbatches a step: behind the second one's backward, layer by layer,
-- those with the same shard sum up its gradients, which ends the step. No pipeline, though something goes both ways.
CREATE TABLE hybrid_flows AS
WITH layer AS (
	SELECT step, micro, layer, step * 1.5 + micro * 0.74 + LEAST(layer, 12) * 0.02 + GREATEST(layer - 12, 0) * 0.04 AS at
	FROM generate_series(0, 29) step, generate_series(0, 1) micro, generate_series(0, 23) layer
)
SELECT '2026-01-01'::timestamptz + make_interval(secs => f.at) AS started_at, 0.008 AS duration, f.source, f.destination,
	f.bytes
FROM layer l, generate_series(0, 1) copy, LATERAL (
	SELECT l.at + 0.0007 * ((d.way * 3 + l.layer * (copy + 2) + l.step) % 5) AS at, '10.5.' || copy || '.' || d.way AS source,
		'10.5.' || copy || '.' || 3 - d.way AS destination, 200000000 * (1 + (l.layer >= 12)::int * l.micro) AS bytes
	FROM generate_series(1, 2) d(way)
	UNION ALL
	SELECT l.at + 0.02, '10.5.' || copy || '.' || d.shard, '10.5.' || 1 - copy || '.' || d.shard, 100000000
	FROM generate_series(1, 2) d(shard)
	WHERE l.layer >= 12 AND l.micro = 1) f;
SELECT kind, count(*) AS pairs FROM l4_flow_pairs(flows => 'hybrid_flows', accelerators => NULL) GROUP BY kind;
SELECT address, count(*) AS steps, round(min(extract(epoch FROM ended - began))::numeric, 2) AS shortest,
	round(max(extract(epoch FROM ended - began))::numeric, 2) AS longest, min(began) AS first
FROM l4_flow_steps(flows => 'hybrid_flows', accelerators => NULL) GROUP BY address ORDER BY address;
SELECT kind, subject, sentence FROM l4_flow_diagnose(flows => 'hybrid_flows', accelerators => NULL);
-- It is so where half of those that exchange layers tell it; of a pipeline none does.
SELECT heavy, p.cycle, p.any_phase, p.is_summed
FROM generate_series(0, 8, 2) heavy, l4_limits_in_force() l, l4_job_phases(ARRAY(
	SELECT ROW(1, 1.5, CASE WHEN n <= 8 THEN 0.3 ELSE 30 END, CASE WHEN n <= 8 THEN 'data' ELSE 'pipeline' END, NULL,
		CASE WHEN n BETWEEN 9 AND 8 + GREATEST(heavy, 6) THEN 1.5 END, 20, 2, 0.04,
		CASE WHEN n BETWEEN 9 AND 8 + heavy THEN 1.8 ELSE 0.9 END, NULL, false)::l4_flow_measure
	FROM generate_series(1, 16) n), l) p
ORDER BY heavy;
-- Links that see nothing of an optimizer tell microbatches, others steps of several or, be it that they see no more, of one;
-- some tell cycles only while somebody is slow, or cannot tell.
SELECT says, c AS cycles, m AS microbatches, l4_usual_cycle(c, n, m, l) FROM l4_limits_in_force() l, (VALUES
	('all alike', '{2,2.02,1.98}'::float8[], '{30,30,30}'::int[], '{1,1,1}'::int[]),
	('a few tell steps', '{1,1,1,1,1,2}', '{60,60,60,60,60,30}', '{1,1,1,1,1,2}'),
	('enough do', '{1,1,2}', '{60,60,30}', '{1,1,2}'),
	('steps at once', '{3,3,1,3}', '{20,20,60,20}', '{1,3,1,1}'),
	('slow for a third', '{2,2,2.6,2.6,2.6}', '{30,30,8,8,8}', '{1,1,1,1,1}'),
	('most cannot tell', '{1,1,1}', '{60,60,60}', '{0,0,1}'), ('nobody', '{1,1}', '{60,60}', '{0,0}'),
	('none', '{}', '{}', '{}'))
	v(says, c, n, m);
-- Those that are busy all the time have no cycles: two that agree are enough where most others repeat themselves with them.
SELECT links, alike, repeating, p.cycle, p.any_phase
FROM l4_limits_in_force() l, generate_series(1, 5, 2) links, unnest('{t,f}'::boolean[]) alike, unnest('{0,9,11,15}'::int[])
	repeating, l4_job_phases(ARRAY(
	SELECT ROW(1, NULL, NULL, 'context', NULL, CASE WHEN n <= links THEN 1.5 + CASE WHEN alike THEN 0.01 ELSE 0.2 END * n END,
		20, CASE WHEN n <= links THEN 1 END, 0.04, 2, n > 16 - repeating, false)::l4_flow_measure
	FROM generate_series(1, 16) n), l) p
WHERE links + repeating <= 16
ORDER BY alike, links, repeating;
-- Windows of few steps: what comes more often than steps do is not taken for them. A pipeline of two stages and four columns,
-- 12 microbatches a step of two seconds; and the sharded job, of which a window has layers both ways, but few cycles.
CREATE TABLE brief_flows AS
SELECT '2026-01-01'::timestamptz + make_interval(secs => step * 2 + f.at) AS started_at, f.lasts AS duration, f.source,
	f.destination, f.bytes
FROM generate_series(0, 19) step, generate_series(1, 4) c, LATERAL (
	SELECT m * 0.14 + 0.02 + 0.003 * ((m * c + step) % 5) AS at, 0.002 AS lasts, '10.3.0.' || c AS source,
		'10.3.1.' || c AS destination, 30000000 AS bytes FROM generate_series(0, 11) m
	UNION ALL
	SELECT m * 0.14 + 0.05 + 0.003 * ((m + c * step) % 4), 0.002, '10.3.1.' || c, '10.3.0.' || c, 30000000
	FROM generate_series(0, 11) m
	UNION ALL
	SELECT 1.8, 0.1, format('10.3.%s.%s', stage, c), format('10.3.%s.%s', stage, c % 4 + 1), 2000000000
	FROM generate_series(0, 1) stage) f;
SELECT w.steps, count(j.address) AS accelerators, count(DISTINCT j.job) AS jobs, round(max(j.step)::numeric, 2) AS step,
	(SELECT count(*) FROM l4_flow_diagnose(w.began, w.ended, flows => 'brief_flows', accelerators => NULL)) AS findings,
	(SELECT string_agg(format('%s %s', p.pairs, p.kind), ', ' ORDER BY p.kind) FROM (SELECT kind, count(*) AS pairs
		FROM l4_flow_pairs(w.began, w.ended, flows => 'brief_flows', accelerators => NULL) GROUP BY kind) p) AS pairs
FROM unnest('{0.5,1,1.5,2,2.5,3,4,5,6,8}'::numeric[]) asked
CROSS JOIN LATERAL (SELECT asked AS steps, '2026-01-01 00:00:07'::timestamptz AS began,
	'2026-01-01 00:00:07'::timestamptz + asked * interval '2 s' AS ended) w
CROSS JOIN LATERAL l4_flow_jobs(w.began, w.ended, flows => 'brief_flows', accelerators => NULL) j
GROUP BY w.steps, w.began, w.ended ORDER BY w.steps;
SELECT w.steps, count(j.address) AS accelerators, count(DISTINCT j.job) AS jobs, round(max(j.step)::numeric, 2) AS step,
	(SELECT count(*) FROM l4_flow_diagnose(w.began, w.ended, flows => 'sharded_flows')) AS findings
FROM generate_series(1, 12) asked
CROSS JOIN LATERAL (SELECT asked AS steps, '2026-01-01 00:00:01'::timestamptz AS began,
	'2026-01-01 00:00:01'::timestamptz + asked * interval '0.72 s' AS ended) w
CROSS JOIN LATERAL l4_flow_jobs(w.began, w.ended, flows => 'sharded_flows') j
GROUP BY w.steps, w.began, w.ended ORDER BY w.steps;
-- as numbers alone; one speed is no cycle
SELECT round((c).interval::numeric, 3) AS seconds, cardinality((c).ended) AS cycles, (c).bytes[2:4] AS bytes
FROM (SELECT l4_step_cycles(array_agg(0.03 * n - 0.01 * LEAST(n % 20, 10) ORDER BY n),
		array_agg(0.004::real ORDER BY n), array_agg(1::real ORDER BY n), 1.3, 0.35, 4, 0.6, 0.1) AS c
	FROM generate_series(0, 199) n) t;
-- A pipeline that somebody makes slower for half of the time comes at two speeds, too, but moves as much at either: with a
-- pause that parts only the slow half all the rest of a step is one burst.
SELECT round((c).interval::numeric, 2) AS seconds, round((c).weight::numeric, 2) AS weight
FROM (SELECT l4_step_cycles(array_agg(at ORDER BY at), array_agg(0.001::real ORDER BY at), array_agg(1::real ORDER BY at),
		1.3, 0.35, 4, 0.6, 0.1) AS c
	FROM generate_series(0, 28) n, generate_series(0, 35) i, LATERAL (SELECT n * 3.1 + GREATEST(LEAST(n - 10, 14), 0) * 0.5
		+ LEAST(i, 11) * 0.025 + GREATEST(i - 11, 0) * CASE WHEN n BETWEEN 10 AND 23 THEN 0.095 ELSE 0.075 END AS at) m) t;
-- Gradients accumulated over three microbatches, which are scattered in the last one alone; or each time, and then it is the
-- optimizer that tells, of which nothing is to be seen but a pause; where each third step but ends with a longer pause, as a
-- log makes one, each is a step.
CREATE TABLE accumulated AS
SELECT kind, n, layer, at, CASE WHEN kind = 'scattered last' AND n % 3 = 2 AND layer >= 10 THEN 3 ELSE 1 END AS bytes
FROM generate_series(0, 29) n, generate_series(0, 19) layer, LATERAL (VALUES
	('scattered last', n * 0.3 + LEAST(layer, 10) * 0.01 + GREATEST(layer - 10, 0) * 0.02),
	('scattered each', n * 0.3 + n / 3 * 0.05 + LEAST(layer, 10) * 0.01 + GREATEST(layer - 10, 0) * 0.02
		-- the first layer comes ahead, behind what is scattered last, but not before the optimizer is done
		- CASE WHEN layer > 0 THEN 0 WHEN n % 3 = 0 THEN 0.01 ELSE 0.016 END),
	('logged', n * 0.32 + n / 3 * 0.01 + LEAST(layer, 10) * 0.01 + GREATEST(layer - 10, 0) * 0.02)) k(kind, at);
SELECT kind, round((c).interval::numeric, 3) AS seconds, (c).microbatches, round((c).regular::numeric, 2) AS regular,
	cardinality((c).ended) AS steps, (c).bytes[2:4] AS bytes
FROM (SELECT kind, l4_step_cycles(array_agg(at ORDER BY at), array_agg(0.004::real ORDER BY at),
		array_agg(bytes::real ORDER BY at), 1.3, 0.35, 4, 0.6, 0.1) AS c
	FROM accumulated GROUP BY kind) t
ORDER BY kind;
-- The optimizer's pause is shorter than that between the two pieces in which layers come; or it is behind each cycle, and a log
-- makes each other one longer: two cycles are no step then, and none is told, as not all begin where bursts do.
SELECT kind, round((c).interval::numeric, 2) AS seconds, (c).microbatches, cardinality((c).ended) AS steps
FROM (SELECT kind, l4_step_cycles(array_agg(at ORDER BY at), array_agg(0.001::real ORDER BY at),
		array_agg(1::real ORDER BY at), 1.3, 0.35, 4, 0.6, 0.1) AS c
	FROM (VALUES ('optimizer', 0.05), ('logged', 0.045)) k(kind, ahead), LATERAL (SELECT n * 0.9 + n / 2 * 0.005
			+ LEAST(layer, 10) * 0.03 + GREATEST(layer - 10, 0) * 0.06 + piece * 0.008 + 0.0003 * sin(n * 7 + layer)
			- CASE WHEN layer = 0 THEN ahead ELSE 0 END AS at
		FROM generate_series(0, 29) n, generate_series(0, 19) layer, generate_series(0, 1) piece) p
	GROUP BY kind) t
ORDER BY kind DESC;
-- Of fewer than nine cycles, or where one alone stands out, none can tell what a step is.
SELECT cycles, kind, (c).microbatches, cardinality((c).ended) AS found
FROM (SELECT cycles, kind, l4_step_cycles(array_agg(at ORDER BY at), array_agg(0.004::real ORDER BY at),
		array_agg(bytes::real ORDER BY at), 1.3, 0.35, 4, 0.6, 0.1) AS c
	FROM accumulated CROSS JOIN unnest('{8,11,17}'::int[]) cycles WHERE n < cycles GROUP BY cycles, kind) t
ORDER BY cycles, kind;
-- Two microbatches of 20 layers, gathered ahead across these, but not before the optimizer is done, which takes what one layer
-- does: a step begins with two at once, and cycles are not alike where they begin. Backwards a layer takes as long as two do
-- forwards, so that all seems to fit two layers off as well.
WITH burst AS (
	SELECT step, i, (i < 79)::int + (i = 0)::int + 2 * (i > 0 AND (i - 1) % 40 >= 20)::int AS bytes,
		CASE WHEN i = 80 OR i % 40 < 20 THEN 0.025 ELSE 0.05 END * (1 + 0.01 * sin(step * step * 7 + i * i * 5)) AS takes
	FROM generate_series(0, 13) step, generate_series(0, 80) i
)
SELECT round((c).interval::numeric, 2) AS seconds, (c).microbatches, cardinality((c).ended) AS steps
FROM (SELECT l4_step_cycles(array_agg(at ORDER BY at), array_agg(0.002::real ORDER BY at), array_agg(bytes::real ORDER BY at),
		1.3, 0.35, 4, 0.6, 0.1) AS c
	FROM (SELECT sum(takes) OVER (ORDER BY step, i) - takes AS at, bytes FROM burst) b) t;
-- The same while somebody is slow for a third of the time, by more than the optimizer takes; and without the cycles amid that:
-- how many are missing is told by what goes on in its turn behind them.
WITH burst AS (
	SELECT step, i, (i < 79)::int + (i = 0)::int + 2 * (i > 0 AND (i - 1) % 40 >= 20)::int AS bytes,
		CASE WHEN i = 80 OR i % 40 < 20 THEN 0.025 ELSE 0.05 END * (1 + 0.01 * sin(step * step * 7 + i * i * 5))
			* CASE WHEN step BETWEEN 10 AND 19 THEN 1.17 ELSE 1 END AS takes
	FROM generate_series(0, 31) step, generate_series(0, 80) i
), placed AS (
	SELECT step, bytes, sum(takes) OVER (ORDER BY step, i) - takes AS at FROM burst
)
SELECT missing, round((c).interval::numeric, 2) AS seconds, (c).microbatches, cardinality((c).ended) AS steps
FROM (SELECT missing, l4_step_cycles(array_agg(at ORDER BY at), array_agg(0.002::real ORDER BY at),
		array_agg(bytes::real ORDER BY at), 1.3, 0.35, 4, 0.6, 0.1) AS c
	FROM placed CROSS JOIN unnest('{f,t}'::boolean[]) missing
	WHERE NOT missing OR step NOT BETWEEN 10 AND 18 GROUP BY missing) b
ORDER BY missing;
-- Thirteen cycles that become slower, each other by a little more, and one that comes later: beside the level around each those
-- stand out, but no pause goes with it. One that comes later may be a step: none can tell.
WITH burst AS (
	SELECT later, n, i, CASE WHEN i < 20 THEN 0.025 ELSE 0.05 END
		+ CASE WHEN i = 39 THEN 0.004 * (n % 2) + 0.001 * n + later * (n = 7)::int ELSE 0 END AS takes
	FROM unnest('{0,0.03}'::float8[]) later, generate_series(0, 12) n, generate_series(0, 39) i
), placed AS (
	SELECT later, sum(takes) OVER (PARTITION BY later ORDER BY n, i) - takes AS at FROM burst
)
SELECT later, (c).microbatches, cardinality((c).ended) AS cycles
FROM (SELECT later, l4_step_cycles(array_agg(at ORDER BY at), array_agg(0.002::real ORDER BY at),
		array_agg(1::real ORDER BY at), 1.3, 0.35, 4, 0.6, 0.1) AS c FROM placed GROUP BY later) b
ORDER BY later;
-- Ranks drift apart in a step, so that the early ones send the first piece of a layer ever longer before the rest.
SELECT round((c).interval::numeric, 2) AS seconds, (c).microbatches, cardinality((c).ended) AS steps
FROM (SELECT l4_step_cycles(array_agg(at ORDER BY at), array_agg(0.001::real ORDER BY at), array_agg(bytes::real ORDER BY at),
		1.3, 0.35, 4, 0.6, 0.1) AS c
	FROM (SELECT step * 0.6 + LEAST(layer, 10) * 0.02 + GREATEST(layer - 10, 0) * 0.04
			- early * (0.002 + 0.0003 * layer + 0.0002 * ((step * 5 + layer * 3) % 7)) AS at,
			CASE WHEN layer >= 10 AND early = 0 THEN 3 ELSE 1 END AS bytes
		FROM generate_series(0, 19) step, generate_series(0, 19) layer, generate_series(0, 1) early) b) t;
-- one speed
SELECT l4_step_cycles(array_agg(0.03 * n ORDER BY n), array_agg(0.004::real ORDER BY n), array_agg(1::real ORDER BY n), 1.3,
	0.35, 4, 0.6, 0.1) FROM generate_series(0, 199) n;
SELECT l4_step_cycles('{1,2}', '{0}', '{1}', 1.3, 0.35, 4, 0.6, 0.1);
SELECT l4_step_cycles('{1,2}', '{0,0}', '{1,1}', 1.3, 0.35, 0, 0.6, 0.1);

-- Of four links one takes two microbatches for a cycle, which lasts as long as a step, but begins within one: all go by the
-- others.
SELECT address, (phases).ended[:3] AS ended
FROM l4_limits_in_force() l, l4_flow_cycles(ARRAY(
	SELECT ROW(1, NULL, 'data', 's' || n, 'd', NULL, 2, ROW(2, array_agg(2.0 * c - 2 + amid ORDER BY c),
		array_agg(2.0 * c + amid ORDER BY c), array_agg(1.0 ORDER BY c), 2 - amid, 1, 0.04, 2)::l4_step_cycle_series
		)::l4_flow_direction
	FROM generate_series(1, 4) n, LATERAL (SELECT (n = 1)::int AS amid) a, generate_series(1, 20 + amid) c
	GROUP BY n, amid), l)
ORDER BY address;

-- Three servers with three accelerators each: of the links from the first to the second one, two or all three are slow. All at
-- once wait for their senders.
SELECT links, f.kind, f.subject, f.began, f.ended, round(f.factor::numeric, 2) AS factor
FROM l4_limits_in_force() l, generate_series(1, 3) links, l4_slow_elements(ARRAY(
	SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'source', format('10.%s.0.%s', rail, s),
		'server', 's' || s) || t.told)
	FROM generate_series(1, 3) rail, generate_series(1, 3) s, LATERAL (
		SELECT '{"kind": "accelerator"}'::jsonb AS told
		UNION ALL
		SELECT jsonb_build_object('kind', 'data', 'destination', format('10.%s.0.%s', rail, s % 3 + 1),
			'began', jsonb_agg(n ORDER BY n), 'moved', jsonb_agg(100), 'busy', jsonb_agg(
				CASE WHEN s = 1 AND rail <= links AND n BETWEEN 11 AND 20 THEN 1.5 ELSE 1 END ORDER BY n))
		FROM generate_series(1, 40) n) t), l) f
ORDER BY links, subject COLLATE "C";

-- Tokens of experts go to all accelerators of four other servers: ten times as fast along a rail as across rails, as most do,
-- be it that one way along a rail has lost a third.
SELECT p.source, p.destination, p.began, p.ended, round(exp(-p.level)::numeric, 2) AS factor
FROM l4_limits_in_force() l, l4_slow_pairs(ARRAY(
	SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', 'expert',
		'source', format('10.%s.0.%s', a, s), 'destination', format('10.%s.0.%s', b, d),
		'began', jsonb_agg(n ORDER BY n), 'moved', jsonb_agg(100), 'busy', jsonb_agg(CASE WHEN a <> b THEN 10
			WHEN (a, s, d) = (1, 1, 2) AND n BETWEEN 11 AND 20 THEN 1.5 ELSE 1 END ORDER BY n)))
	FROM generate_series(1, 4) a, generate_series(1, 4) b, generate_series(1, 5) s, generate_series(1, 5) d,
		generate_series(1, 40) n
	WHERE s <> d
	GROUP BY a, b, s, d), l) p
WHERE p.is_slow;

-- Gradients around a ring of six, and from one of them along two ways more, which share its port for good, so that it is not
-- sure that they are slow; one way of the ring is.
SELECT p.source, p.destination, p.began, p.ended, round(exp(-p.level)::numeric, 2) AS factor, p.is_sure
FROM l4_limits_in_force() l, l4_slow_pairs(ARRAY(
	SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', 'data', 'period', 1,
		'source', 'a' || w.source, 'destination', 'a' || w.destination, 'path', 'leaf',
		'began', jsonb_agg(n ORDER BY n), 'moved', jsonb_agg(100), 'busy', jsonb_agg(CASE WHEN w.source = 3 THEN 1.5
			WHEN w.shares THEN 2 ELSE 1 END ORDER BY n)))
	FROM (SELECT s AS source, s % 6 + 1 AS destination, false AS shares FROM generate_series(1, 6) s
			UNION ALL VALUES (6, 7, true), (6, 8, true)) w, generate_series(1, 40) n
	GROUP BY w.source, w.destination, w.shares), l) p
WHERE p.is_slow
ORDER BY p.source COLLATE "C", p.destination COLLATE "C";

-- Five pipelines of two stages, 24 steps. While the second stage of the first one computes 20 % longer, its first one seems to,
-- too, as it waits: the slowest of a pipeline is named. That of the third one is slow by itself. All wait for their gradients;
-- for the fifth one, which seems to compute 20 % longer, nobody does.
SELECT kind, subject, round(factor::numeric, 2) AS factor FROM l4_limits_in_force() l, l4_slow_workers(ARRAY(
	SELECT jsonb_populate_record(NULL::l4_flow_trace, t.told || jsonb_build_object('job', 1, 'period', 1,
		'source', format('10.%s.0.%s', stage, c), 'server', format('s%s%s', stage, c)))
	FROM generate_series(1, 5) c, generate_series(1, 2) stage, LATERAL (
		SELECT jsonb_build_object('kind', 'accelerator', 'ends', jsonb_agg(n ORDER BY n), 'step', jsonb_agg(n ORDER BY n),
			'closes', jsonb_agg(n + CASE WHEN n BETWEEN 8 AND 18 AND c IN (1, 3) THEN 0.95 ELSE 0.9 END ORDER BY n),
			'computed', jsonb_agg(0.5 * CASE WHEN n NOT BETWEEN 8 AND 18 THEN 1
				WHEN c = 1 THEN 1 + 0.1 * stage WHEN c = 3 AND stage = 1 THEN 1.12 WHEN c = 5 THEN 1.2 ELSE 1 END ORDER BY n))
			AS told
		FROM generate_series(1, 25) n
		UNION ALL
		SELECT jsonb_build_object('kind', 'pipeline', 'destination', format('10.%s.0.%s', 3 - stage, c),
			'ends', jsonb_agg(n ORDER BY n), 'began', jsonb_agg(n + 0.1 * stage ORDER BY n))
		FROM generate_series(1, 24) n) t), l) f
ORDER BY subject COLLATE "C";

-- Four servers with two accelerators each that go on in lockstep and send around a ring, once a second. From 10.5 s on those of
-- the second one send nothing (which of them is to blame nobody sees), or the first one of it alone; who is behind it does not
-- either, from a little later on. Another job ended before, between two steps.
SELECT together, f.kind, f.subject, f.facts -> 'accelerators' AS accelerators, l4_sentence_flow(f) AS sentence
FROM l4_limits_in_force() l, unnest('{t,f}'::boolean[]) together, l4_silent_accelerators(ARRAY(
	SELECT jsonb_populate_record(NULL::l4_flow_trace, t.told || jsonb_build_object('job', j, 'period', 1,
		'source', format('10.%s.%s.%s', a, j, s), 'server', format('s%s%s', j, s)))
	FROM generate_series(1, 2) j, generate_series(1, 4) s, generate_series(1, 2) a, LATERAL (
		SELECT CASE WHEN j = 2 THEN 5 WHEN s = 2 AND (a = 1 OR together) THEN 10.4 ELSE 10.9 END AS last) e, LATERAL (
		SELECT jsonb_build_object('kind', 'accelerator', 'last_at', e.last,
			'ends', to_jsonb(ARRAY[ceil(e.last) - 2 + j])) AS told
		UNION ALL
		SELECT jsonb_build_object('kind', 'data', 'destination', format('10.%s.%s.%s', a, j, s % 4 + 1), 'last_at', e.last,
			'overdue_at', e.last + 0.2)) t), l, 20) f
ORDER BY together, f.kind COLLATE "C";

-- Contexts of two lanes go around a ring of two servers: of four parts, two of which each server has, so that the way from the
-- first to the second is not seen; or of two, one each.
SELECT r.parts, e.name, array_agg(e.address ORDER BY e.place) AS members
FROM (VALUES (4, '{3,4}'::int[]), (2, '{1,2}')) r(parts, senders), LATERAL l4_exchanges_of(ARRAY(
	SELECT jsonb_populate_record(NULL::l4_flow_trace, t.told || '{"job": 1}')
	FROM generate_series(1, 2) s, LATERAL (
		SELECT jsonb_build_object('kind', 'accelerator', 'server', 's' || s, 'source', format('10.%s.0.%s', a, s)) AS told
		FROM generate_series(1, 4) a
		UNION ALL
		SELECT jsonb_build_object('kind', 'context', 'server', 's' || s, 'source', format('10.%s.0.%s', senders[n], s),
			'destination', format('10.%s.0.%s', n, 3 - s))
		FROM generate_series(1, 2) n) t)) e
GROUP BY r.parts, e.name ORDER BY r.parts, e.name;

-- Two rails of a pipeline of two stages, twice. What goes along the pipeline comes each step, too, but on the first rail
-- without a pause that ends one: both go by their gradients.
CREATE TEMP TABLE rails AS
SELECT '2026-01-01'::timestamptz + make_interval(secs => step + at) AS started_at, 0.01::float8 AS duration,
	format('10.%s.0.%s', rail, one) AS source, format('10.%s.0.%s', rail, other) AS destination, 1000000 AS bytes
FROM generate_series(0, 19) step, generate_series(1, 2) rail, LATERAL (
	SELECT 0.05 * n AS at, s.one, s.other FROM generate_series(0, 17 - 2 * rail) n, (VALUES (1, 2), (3, 4)) s(one, other)
	UNION ALL
	SELECT 0.85 + 0.02 * n, s.one, s.other
	FROM generate_series(0, 2) n, (VALUES (1, 3), (3, 1), (2, 4), (4, 2)) s(one, other)) f;
SELECT job, count(*) AS accelerators, round(max(step)::numeric, 2) AS step FROM l4_flow_jobs(flows => 'rails') GROUP BY job;
DROP TABLE rails;
-- Slower for half of the time: gradients come each second in most steps, what goes along the pipeline more seldom in most.
CREATE TEMP TABLE slow_rails AS
SELECT '2026-01-01'::timestamptz + make_interval(secs => step + 0.12 * GREATEST(step - 10, 0) + at * CASE WHEN step < 10 THEN 1
		ELSE 1.12 END) AS started_at, 0.01::float8 AS duration,
	format('10.%s.0.%s', rail, one) AS source, format('10.%s.0.%s', rail, other) AS destination, 1000000 AS bytes
FROM generate_series(0, 20) step, generate_series(1, 2) rail, LATERAL (
	SELECT 0.15 + 0.05 * n AS at, s.one, s.other FROM generate_series(0, 17 - 2 * rail) n, (VALUES (1, 2), (3, 4)) s(one, other)
	UNION ALL
	SELECT 0.02 + 0.02 * n, s.one, s.other
	FROM generate_series(0, 2) n, (VALUES (1, 3), (3, 1), (2, 4), (4, 2)) s(one, other) WHERE step < 20) f;
SELECT job, count(*) AS accelerators, round(max(step)::numeric, 2) AS step FROM l4_flow_jobs(flows => 'slow_rails')
GROUP BY job;
DROP TABLE slow_rails;

-- Clusters on the same servers are one job where their layers go round together, be it that one tells two microbatches where
-- the other tells a step; not where one takes a tenth longer, or begins when it likes.
SELECT c.name, l4_have_same_cycles(ROW('a', NULL, NULL, '{s}', '{a}', 0.6, ARRAY(SELECT 0.6 * n FROM
	generate_series(1, 20) n), NULL), ROW('b', NULL, NULL, '{s}', '{b}', c.cycle, ends, NULL), l) AS same
FROM l4_limits_in_force() l, LATERAL (VALUES
	('together', 0.6, ARRAY(SELECT 0.6 * n + 0.02 FROM generate_series(1, 20) n)),
	('microbatches', 0.3, ARRAY(SELECT 0.3 * n FROM generate_series(1, 40) n)),
	('slower', 0.66, ARRAY(SELECT 0.66 * n FROM generate_series(1, 20) n)),
	('at will', 0.6, ARRAY(SELECT 0.6 * n + 0.3 * sin(n) FROM generate_series(1, 20) n)),
	('none', NULL, NULL)) c(name, cycle, ends);
-- One of which no link shows cycles is of the job whose cycles it goes with: what it sends repeats itself from one to the next.
-- What goes without a pause is one message, so that there may be as many in each part of a cycle: their bytes tell.
SELECT c.name, round(l4_repeated_share(c.times, moved, cycles, 8, 6)::numeric, 2) AS repeated,
	l4_goes_with_cycles(a, b, l) AS same, l4_goes_with_cycles(b, a, l) AS turned
FROM l4_limits_in_force() l, LATERAL (SELECT ARRAY(SELECT 0.6 * n FROM generate_series(0, 20) n) AS cycles) y,
	LATERAL (SELECT ROW('a', NULL, NULL, '{s}', '{a}', 0.6, cycles, NULL)::l4_flow_cluster AS a) o, LATERAL (VALUES
	('layers of its own', ARRAY(SELECT 0.6 * n + LEAST(i, 10) * 0.02 + GREATEST(i - 10, 0) * 0.04 + 0.003 * sin(n * 7 + i)
		FROM generate_series(0, 19) n, generate_series(0, 19) i ORDER BY 1)),
	('of another step', ARRAY(SELECT 0.71 * n + LEAST(i, 10) * 0.02 + GREATEST(i - 10, 0) * 0.04
		FROM generate_series(0, 19) n, generate_series(0, 19) i ORDER BY 1)),
	('even', ARRAY(SELECT 0.03 * n FROM generate_series(1, 398) n)),
	('even but in bytes', ARRAY(SELECT 0.03 * n FROM generate_series(1, 399) n)),
	('few', ARRAY(SELECT 0.6 * n + 0.1 FROM generate_series(0, 5) n)),
	('none', '{}')) c(name, times),
	LATERAL (SELECT ARRAY(SELECT CASE WHEN c.name = 'even but in bytes' AND n % 20 >= 7 THEN 3 ELSE 1 END
		FROM generate_series(1, cardinality(c.times)) n)::real[] AS moved) v,
	LATERAL (SELECT ROW('b', NULL, c.times, '{s}', '{b}', NULL, NULL, moved)::l4_flow_cluster AS b) x;

-- Who computes longer where all wait for the slowest: 1.2 to 1 while the other one sends of itself, nothing once it waits.
SELECT round(b.beside[1]::numeric, 4) AS longer, b.beside[2] AS waits, round(b.turned[1]::numeric, 4) AS turned
FROM (SELECT l4_step_beside(slow, short, ten, quick, long, ten, '{-1,3,6}') AS beside,
		l4_step_beside(quick, long, ten, slow, short, ten, '{-1,3,6}') AS turned
	FROM (VALUES ('{-5,0,1.2,2.4,3.6}'::float8[], '{0.1,0.1,0.1,0.1,0.1}'::real[], '{-5,0,1,2,2.5}'::float8[],
		'{0.1,0.1,0.1,0.5,1}'::real[], '{10,10,10,10,10}'::real[])) v(slow, short, quick, long, ten)) b;
-- slow in the optimizer, too: all begin with the first layer, behind which the second is gathered, when the slow one has sent;
-- then the other one is ahead by a whole layer, and sends as soon as it has the one before
SELECT round((l4_step_beside('{-5,0,1.7,3.3,4.9}', '{0.1,0.2,0.1,0.1,0.1}', '{10,20,10,10,10}', '{-5,-0.4,1.1,1.8,3.4}',
	'{0.1,0.2,0.1,0.1,0.1}', '{10,20,10,10,10}', '{-1,6}'))[1]::numeric, 4) AS longer;
-- where nothing is gathered ahead both begin to compute when they have a layer, and differ by the same each time
SELECT round((l4_step_beside(array_agg(1.4 * n ORDER BY n), array_agg(0.2::real), array_agg(5::real),
	array_agg(1.4 * n - 0.2 ORDER BY n), array_agg(0.4::real), array_agg(5::real), '{1,21}'))[1]::numeric, 4) AS longer
FROM generate_series(0, 19) n;
SELECT l4_step_beside('{}', '{}', '{}', '{1}', '{1}', '{1}', '{}') AS none,
	l4_step_beside('{1}', '{1}', '{1}', '{}', '{}', '{}', '{0,2}') AS nothing;
SELECT l4_step_beside('{1,2}', '{1}', '{1,1}', '{1}', '{1}', '{1}', '{0,2}');
-- Parameters sharded over four servers, ten layers: one gathers the next layer while it computes one. A collective's last part
-- goes when the slowest has sent its first. The third server computes slower by a share, from step 10 to 24 of 30.
CREATE FUNCTION pg_temp.sharded(slower float8) RETURNS TABLE (started_at timestamptz, duration float8, source text,
	destination text, bytes bigint) LANGUAGE plpgsql AS $$
DECLARE
	free float8 := 0;				-- when all have the last layer
	there float8;					-- and the one that is computed now
	done float8[] := '{0,0,0,0}';
	sends float8[];
	seconds float8;
BEGIN
	FOR step IN 0 .. 29 LOOP
		FOR layer IN 0 .. 20 LOOP
			there := free;
			-- the first one behind the optimizer; the next with the computing of the one before
			sends := ARRAY(SELECT CASE WHEN layer = 0 THEN free + 0.03 ELSE GREATEST(there, done[s]) END
				FROM generate_series(1, 4) s);
			free := (SELECT max(s) FROM unnest(sends) s) + 0.003;
			RETURN QUERY SELECT to_timestamp(1767225600 + p.at), p.takes, '10.5.0.' || s.n, '10.5.0.' || s.n % 4 + 1,
				(1e9 * p.takes)::bigint
			FROM unnest(sends) WITH ORDINALITY s(at, n),
				LATERAL (VALUES (s.at, 0.001::float8), (free - 0.002, 0.002)) p(at, takes);
			IF layer = 0 THEN
				done := array_fill(free, ARRAY[4]);
			ELSE
				seconds := CASE WHEN layer <= 10 THEN 0.02 ELSE 0.04 END;
				done := ARRAY(SELECT sends[s] + seconds * (1 + 0.002 * sin(7 * s + layer * step)) * (1 + CASE WHEN s = 3
					AND step BETWEEN 10 AND 24 THEN slower ELSE 0 END) FROM generate_series(1, 4) s);
			END IF;
		END LOOP;
		free := GREATEST(free, (SELECT max(d) FROM unnest(done) d));
	END LOOP;
END
$$;
CREATE TEMP TABLE sharded (started_at timestamptz, duration float8, source text COLLATE "C", destination text COLLATE "C",
	bytes bigint);
INSERT INTO sharded SELECT * FROM pg_temp.sharded(0.2);
SELECT f.kind, f.subject, f.factor::numeric(4, 2), f.began, f.ended, f.sentence
FROM l4_flow_diagnose('2026-01-01', '2026-01-01 01:00', flows => 'sharded', accelerators => NULL) f ORDER BY f.kind;
TRUNCATE sharded;
INSERT INTO sharded SELECT * FROM pg_temp.sharded(0);
SELECT f.kind, f.subject, f.factor::numeric(4, 2), f.began, f.ended, f.sentence
FROM l4_flow_diagnose('2026-01-01', '2026-01-01 01:00', flows => 'sharded', accelerators => NULL) f ORDER BY f.kind;
DROP TABLE sharded;
DROP FUNCTION pg_temp.sharded;

-- Joined with the logs of the same job, by the names of its nodes.
SELECT l4_register_job('flows-1', '{}', 'failed', '{server-1,server-2,server-3,server-4}', 2);
SELECT * FROM l4_ingest('flows-1', $$SELECT 'server-' || 1 + r / 2 AS node, r AS rank, to_char('2026-01-01'::timestamp
	+ make_interval(secs => s), 'YYYY-MM-DD HH24:MI:SS') || ' INFO iteration ' || s + 1 || ' loss 2.5' AS line
	FROM generate_series(0, 7) r, generate_series(0, 20) s ORDER BY r, s$$);
SELECT kind, node, subject, began, iteration, sentence FROM l4_diagnose_flows('flows-1');
SELECT * FROM l4_diagnose_flows('no such job');
-- It is evidence beside that of the logs, which tell of nothing but an end.
SELECT unit, kind, part, round(weight::numeric, 2) AS weight, limit_name, numbers ->> 'subject' AS subject, first_ts
FROM l4_node_evidence('flows-1');
SELECT ordinal, node, explanation FROM l4_diagnose('flows-1') WHERE kind = 'node';
-- The last flow is looked for backwards; where a site does not want it, nothing is.
SELECT span, l.of_these, l.of_anybody FROM (VALUES (NULL), ('10 s'), ('1 h')) s(span), l4_last_flows('{10.1.0.2}',
	tstzrange('2025-12-31', '2026-01-01 01:00'), 'l4_flow', NULL, span::interval) l;
INSERT INTO l4_limit (name, value) VALUES ('evidence_flow_span', 0);
SELECT count(*) FROM l4_node_evidence('flows-1');
DELETE FROM l4_limit WHERE name = 'evidence_flow_span' AND NOT builtin;
-- Whoever may not read flows has the logs.
CREATE ROLE flows_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO flows_reader;
REVOKE ALL ON l4_flow FROM flows_reader;
SET ROLE flows_reader;
SELECT count(*) FROM l4_node_evidence('flows-1');
RESET ROLE;
DROP OWNED BY flows_reader;
DROP ROLE flows_reader;

-- Partitions: rows are moved into them, and go with them.
SELECT l4_create_flow_partitions('2026-01-01 00:00:00', '2026-01-01 02:00:00') AS made;
SELECT l4_create_flow_partitions('2026-01-01 00:00:00', '2026-01-01 03:00:00') AS made;
SELECT name, from_time, to_time FROM l4_flow_partitions ORDER BY from_time NULLS FIRST;
SELECT tableoid::regclass AS partition, count(*) FROM l4_flow GROUP BY 1 ORDER BY 1;
SELECT l4_create_flow_partitions('2026-01-01', '2026-01-01');
SELECT l4_create_flow_partitions('2026-01-01', '2036-01-01');
SELECT l4_create_flow_partitions('2026-01-01', '2026-01-02', '1 second');
INSERT INTO l4_flow SELECT started_at - interval '2 days', duration, source, destination, bytes FROM l4_flow LIMIT 10;
SELECT * FROM l4_drop_flows('2026-01-01 01:00:00');
SELECT * FROM l4_drop_flows(NULL);
SELECT name FROM l4_flow_partitions ORDER BY name;
SELECT * FROM l4_drop_flows('infinity');
DELETE FROM l4_accelerator;
SELECT l4_delete_job('flows-1');
DROP VIEW one_stops, all_stop;
DROP TABLE record, seen, ring, late_flows, group_flows, group_accelerators, irregular_flows, sharded_flows, lossy_flows,
	hybrid_flows, stopped_flows;
DROP FUNCTION made_job, made_ring;
