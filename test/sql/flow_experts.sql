-- Experts in flows: who is the last to send in each exchange computes longer; and steps of which records are lost.
SET timezone = 'UTC';
SET extra_float_digits = 0;

/*
 * Exchanges of four accelerators, two on each of two servers, of which what crosses servers is seen: all begin to compute when
 * the last one has sent, and send a second later; the fourth is slow: 1.2 seconds.
 */
CREATE TABLE member (address text, server int, computes float8);
INSERT INTO member VALUES ('a', 1, 1), ('b', 1, 1), ('c', 2, 1), ('d', 2, 1.2);
CREATE VIEW exchanged AS
	SELECT f.address AS source, t.address AS destination, array_agg(1.21 * (k - 1) + f.computes ORDER BY k) AS began,
		array_fill(0.01::real, ARRAY[12]) AS lasted,
		array_agg((1000 + CASE WHEN t.address = 'b' AND k % 2 = 0 THEN 500 ELSE 0 END)::real ORDER BY k) AS moved
	FROM member f JOIN member t ON t.server <> f.server CROSS JOIN generate_series(1, 12) k
	GROUP BY f.address, t.address;
CREATE VIEW exchanges AS
	SELECT m.address, m.server, l4_step_exchanges(x.began, x.lasted, x.moved, x.source = m.address,
		CASE WHEN x.source = m.address THEN x.destination ELSE x.source END, '{0,6.2,15}', '{6.1,14.9}', 0.001) AS series
	FROM member m JOIN exchanged x ON m.address IN (x.source, x.destination)
	GROUP BY m.address, m.server;
SELECT e.address, ARRAY(SELECT round(b::numeric, 2) FROM unnest((e.series).began[:4]) b) AS began,
	ARRAY(SELECT CASE WHEN s <> 'NaN' THEN round(s::numeric, 2) END FROM unnest((e.series).since[:4]) s) AS since,
	(e.series).got[:4], (e.series).step
FROM exchanges e ORDER BY e.address;
-- the fourth is late by ln 1.2, and who waits for it on its server is not; of bytes got b has more every other time
SELECT m.address, (SELECT array_agg(round(b.behind::numeric, 3) ORDER BY b.place)
	FROM unnest(x.behind[2 * m.number - 1 : 2 * m.number]) WITH ORDINALITY b(behind, place)) AS behind
FROM (SELECT l4_exchanges_behind(array_agg(e.series ORDER BY e.address), array_agg(e.server ORDER BY e.address), 2) AS behind
	FROM exchanges e) x
CROSS JOIN (SELECT address, row_number() OVER (ORDER BY address) AS number FROM member) m ORDER BY m.address;
-- what comes along a pipeline may have been waited for: those exchanges are of no step
SELECT (l4_step_exchanges(x.began, x.lasted, x.moved, x.sent, x.peer, '{0,20}', '{20}', 0.001)).step
FROM (SELECT began, lasted, moved, source = 'a' AS sent, CASE WHEN source = 'a' THEN destination ELSE source END AS peer
		FROM exchanged WHERE 'a' IN (source, destination)
	UNION ALL SELECT '{3.1,6.9}', '{0.1,0.1}', '{9,9}', false, NULL) x;
-- the same in any order of rows, and of states that travelled as bytes
CREATE AGGREGATE pg_temp.exchanges_state(float8[], real[], real[], boolean, text, float8[], float8[], float8) (
	SFUNC = l4_step_exchanges_transition, STYPE = bytea);
CREATE AGGREGATE pg_temp.exchanges_joined(bytea) (SFUNC = l4_step_exchanges_combine, STYPE = bytea,
	FINALFUNC = l4_step_exchanges_final);
CREATE TABLE state AS
	SELECT m.address, x.source || x.destination AS link, pg_temp.exchanges_state(x.began, x.lasted, x.moved,
		x.source = m.address, CASE WHEN x.source = m.address THEN x.destination ELSE x.source END, '{0,6.2,15}',
		'{6.1,14.9}', 0.001) AS state
	FROM member m JOIN exchanged x ON m.address IN (x.source, x.destination)
	GROUP BY m.address, x.source, x.destination;
SELECT count(*) AS members, count(*) FILTER (WHERE s.series::text = e.series::text) AS same
FROM (SELECT address, pg_temp.exchanges_joined(state ORDER BY md5(link)) AS series FROM state GROUP BY address) s
JOIN exchanges e USING (address);
-- Three on three servers, twelve steps of four exchanges. The experts of c get few tokens: it computes 0.8 seconds where the
-- others need one, and in steps 6 to 9, when it needs a quarter more, no longer than they do.
SELECT m.address, (SELECT array_agg(round(b.behind::numeric, 2) ORDER BY b.place)
	FROM unnest(x.behind[12 * m.number - 11 : 12 * m.number]) WITH ORDINALITY b(behind, place)) AS behind
FROM (SELECT l4_exchanges_behind(array_agg(e.series ORDER BY e.address), '{1,2,3}', 12) AS behind
	FROM (SELECT r.address, l4_step_exchanges(f.began, f.lasted, f.moved, f.source = r.address, CASE f.source
			WHEN r.address THEN f.destination ELSE f.source END, ends.at, ends.at[2:], 0.001) AS series
		FROM (SELECT array_agg(5 * n::float8 ORDER BY n) AS at FROM generate_series(0, 12) n) ends,
			unnest('{a,b,c}'::text[]) r(address)
		JOIN (SELECT s.address AS source, d.address AS destination, array_agg(5 * n + 1.02 * k
				+ CASE WHEN s.address <> 'c' THEN 1 WHEN n BETWEEN 5 AND 8 THEN 1 ELSE 0.8 END ORDER BY n, k) AS began,
				array_agg(0.01::real) AS lasted, array_agg(1000::real) AS moved
			FROM unnest('{a,b,c}'::text[]) s(address) JOIN unnest('{a,b,c}'::text[]) d(address) ON d.address <> s.address
			CROSS JOIN generate_series(0, 11) n CROSS JOIN generate_series(0, 3) k
			GROUP BY s.address, d.address) f ON r.address IN (f.source, f.destination)
		GROUP BY r.address) e) x
CROSS JOIN (VALUES ('a', 1), ('b', 2), ('c', 3)) m(address, number)
ORDER BY m.address;
-- One of eight on two servers sends besides after each step, as where gradients take a link of tokens: that is no exchange of
-- all, and leads none of the next ones astray.
SELECT ARRAY(SELECT DISTINCT round(b::numeric, 2)
	FROM unnest(l4_exchanges_behind(array_agg(m.series ORDER BY m.r), '{1,2,1,2,1,2,1,2}', 3)) b) AS behind
FROM (SELECT r, ROW(array_agg(x.at ORDER BY x.at), array_agg(x.at - 1 - 0.001 * r ORDER BY x.at),
			array_agg(100::float8), array_agg(x.step ORDER BY x.at),
			array_agg(x.turn ORDER BY x.at))::l4_exchange_series AS series
	FROM generate_series(1, 8) r
	CROSS JOIN LATERAL (SELECT 10 * n + 2 * k + 0.001 * r, n + 1, k FROM generate_series(0, 2) n, generate_series(0, 3) k
		UNION ALL SELECT 10 * n + 9, n + 1, 4 FROM generate_series(0, 2) n WHERE r = 5) x(at, step, turn)
	GROUP BY r) m;
SELECT pg_temp.exchanges_joined('\x00');
SELECT l4_exchanges_behind('{}', '{}', 3);
SELECT l4_exchanges_behind(ARRAY[(SELECT series FROM exchanges WHERE address = 'a')], '{2}', 2);
SELECT l4_exchanges_behind(ARRAY[NULL::l4_exchange_series], '{1}', 2);
SELECT l4_exchanges_behind(ARRAY[ROW('{1}', '{1,2}', '{1}', '{1}', '{0}')::l4_exchange_series], '{1}', 2);
SELECT l4_exchanges_behind(ARRAY[ROW('{NaN}', '{1}', '{1}', '{1}', '{0}')::l4_exchange_series], '{1}', 2);
SELECT l4_step_exchanges('{1}', '{0.1}', '{1}', true, 'b', '{0,2}', '{1}', -1);

/*
 * Two expert groups of four accelerators on two servers each, which reduce gradients with each other: eight exchanges a step,
 * then the gradients. From step 12 to 22 an accelerator computes a fifth longer.
 */
CREATE FUNCTION experts(slow int) RETURNS SETOF l4_flow LANGUAGE sql AS $$
	WITH step AS (
		SELECT n, CASE WHEN slow > 0 AND n BETWEEN 12 AND 22 THEN 0.062 ELSE 0.054 END AS every FROM generate_series(1, 34) n
	), began AS (
		SELECT s.n, s.every, sum(8 * s.every + 0.13) OVER (ORDER BY s.n) - 8 * s.every - 0.13 AS at FROM step s
	), rank AS (
		SELECT r, format('10.0.%s.%s', (r - 1) / 2 + 1, r) AS address, (r - 1) / 4 AS "group" FROM generate_series(1, 8) r
	), tokens AS (
		SELECT b.at + (k - 1) * b.every + CASE WHEN f.r = slow AND b.every > 0.06 THEN 0.06 ELSE 0.05 END
			+ 0.0002 * ((f.r * 7 + k * 3 + b.n) % 10) AS at, 0.001::float8 AS lasts, f.address AS source,
			t.address AS destination,
			1000000 + 1013 * ((f.r * 31 + t.r * 17 + k * 7 + b.n * 13) % 97) + b.n * 11 + k AS bytes, 1 AS queue_pair
		FROM began b CROSS JOIN generate_series(1, 8) k CROSS JOIN rank f JOIN rank t ON t."group" = f."group" AND t.r <> f.r
	), gradients AS (
		SELECT b.at + 8 * b.every + 0.01 + 0.025 * k, 0.02, f.address, t.address, 500000000, 2
		FROM began b CROSS JOIN generate_series(1, 3) k CROSS JOIN rank f JOIN rank t ON abs(t.r - f.r) = 4
	)
	SELECT '2026-01-01'::timestamptz + make_interval(secs => x.at), x.lasts, x.source, x.destination, x.bytes::bigint,
		ARRAY['leaf-1'], x.bytes / 4096::bigint, 0::bigint, x.queue_pair::bigint, 4791
	FROM (TABLE tokens UNION ALL TABLE gradients) x
	-- what stays on a server passes no switch
	WHERE split_part(x.source, '.', 3) <> split_part(x.destination, '.', 3)
$$;
INSERT INTO l4_accelerator (address, server)
SELECT format('10.0.%s.%s', (r - 1) / 2 + 1, r), format('server-%s', (r - 1) / 2 + 1) FROM generate_series(1, 8) r;
INSERT INTO l4_flow SELECT * FROM experts(6);
SELECT job, kind, count(*) AS pairs FROM l4_flow_pairs() GROUP BY job, kind ORDER BY job, kind;
SELECT job, kind, subject, round(factor::numeric, 2) AS factor, sentence FROM l4_flow_diagnose() WHERE kind <> 'slow_step';
-- one that is well
TRUNCATE l4_flow;
INSERT INTO l4_flow SELECT * FROM experts(0);
SELECT count(*) AS findings FROM l4_flow_diagnose();
-- Where all exchange with all no link sends gradients alone, and layers go forwards and back as where parameters are sharded:
-- where half of the links send no two messages of one size nearly all of the others must tell it.
SELECT differ, silent, p.cycle, p.any_phase
FROM (VALUES (7, 0), (7, 4), (8, 0), (8, 4)) c(differ, silent), l4_limits_in_force() l, l4_job_phases(ARRAY(
	SELECT ROW(1, NULL, NULL, 'context', NULL, CASE WHEN n <= 16 - silent THEN 1.5 END, 20, 1, 0.04, 1, NULL,
		n <= differ)::l4_flow_measure
	FROM generate_series(1, 16) n), l) p
ORDER BY differ, silent;
SELECT same_size, any_phase, l4_flow_pair_kind(1, 1, 1, same_size, same_size, NULL, any_phase, l),
	l4_flow_pair_kind(1, 1, 1, same_size, 0.01, NULL, any_phase, l) AS one_way_of_tokens
FROM l4_limits_in_force() l, unnest('{0.01,0.2,0.9}'::float8[]) same_size, unnest('{f,t}'::boolean[]) any_phase ORDER BY 1, 2;
-- of the two ways the one in which fewer records are alike; one of no messages tells nothing
SELECT l4_least_alike(a, b), l4_least_alike(b, a), l4_least_alike(a, n), l4_least_alike(n, NULL)
FROM (SELECT ROW(9, 0, 0, 0, 9, 0, 0.7, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::l4_flow_series AS a,
	ROW(9, 0, 0, 0, 9, 0, 0.1, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::l4_flow_series AS b,
	ROW(0, 9, 0, 0, 9, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::l4_flow_series AS n) s;
-- Nothing is looked for that would be layers where no two records are alike.
SELECT c.alike, (l4_flow_pair_cycles(s.series, NULL, l))."interval" IS NOT NULL AS cycles
FROM l4_limits_in_force() l, unnest('{0.01,0.9}'::float8[]) c(alike)
CROSS JOIN LATERAL (SELECT ROW(480, 0, 0, 0, 480000, 0, c.alike, array_agg(m.began ORDER BY m.began),
	array_agg(0.01::real), array_agg(1000::real), array_agg(0.01::real), array_agg(1::smallint), array_agg(0::smallint),
	'{p}')::l4_flow_series AS series
	FROM (SELECT step * 1.6 + layer * 0.1 + GREATEST(layer - 8, 0) * 0.1 AS began
		FROM generate_series(1, 40) step, generate_series(0, 11) layer) m) s
ORDER BY c.alike;

/*
 * Links that carry tokens, of rates of their own, which are slower in steps 5 to 10: from a to r by a half, so that r is late
 * and the others to it have to wait a little; s is late, so that all links to it lose the same; who sends to t does so alone.
 */
CREATE VIEW token_link AS
	SELECT ROW(1, 'expert', l.source, l.destination, NULL, 'p', p.period, 1, 1, 0, 0, 20, NULL, NULL, NULL, NULL, NULL, NULL,
		NULL, array_fill(1e6::float8, ARRAY[20]), (SELECT array_agg(l.busy + CASE WHEN k BETWEEN 5 AND 10 THEN l.lost ELSE 0 END
			ORDER BY k) FROM generate_series(1, 20) k), (SELECT array_agg(k::float8 ORDER BY k) FROM generate_series(1, 20) k),
		NULL, NULL, NULL, NULL, NULL)::l4_flow_trace AS trace, p.period
	FROM (VALUES ('a', 'r', 0.1, 0.05), ('b', 'r', 0.01, 0.01), ('c', 'r', 0.5, 0.01), ('a', 's', 0.03, 0.06),
		('b', 's', 0.1, 0.06), ('c', 's', 0.2, 0.06), ('a', 't', 0.02, 0.05)) l(source, destination, busy, lost),
	(VALUES (1), (NULL)) p(period);
SELECT w.source, w.destination, round(w.began::numeric) AS began, round(w.ended::numeric) AS ended,
	round(w.level::numeric, 3) AS level
FROM l4_limits_in_force() l, l4_waiting_pairs(ARRAY(SELECT trace FROM token_link WHERE period = 1), l) w WHERE w.is_slow;
-- each by itself: all but that which waits for less than a link must be slow by
SELECT p.source, p.destination, round(p.level::numeric, 3) AS level, round(p.lost::numeric, 3) AS lost
FROM l4_limits_in_force() l, l4_slow_pairs(ARRAY(SELECT trace FROM token_link WHERE period = 1), l) p
ORDER BY p.destination, p.source;
-- without steps there is nothing to compare
SELECT count(*) AS slow
FROM l4_limits_in_force() l, l4_slow_pairs(ARRAY(SELECT trace FROM token_link WHERE period IS NULL), l) p
WHERE p.is_slow;

-- Work of a pipeline's stage in four steps: in the third one a message that it got is lost, so that what it sent second seems
-- to be made of what came first. What it computed then is not sure.
SELECT (w).computed, (w).closing FROM (
	SELECT l4_step_work(began, lasted, busy, sent, peer, '{0,10,20,30,40}', '{9,19,29,39}') AS w FROM (VALUES
		('{1,3,11,13,21,31,33}'::float8[], array_fill(0.5::real, ARRAY[7]), array_fill(0.5::real, ARRAY[7]), false, 'a'),
		('{2,4,12,14,22,24,32,34}', array_fill(0.5::real, ARRAY[8]), array_fill(0.5::real, ARRAY[8]), true, 'c'))
		m(began, lasted, busy, sent, peer)) x;

/*
 * A pipeline of two stages, four replicas, two ranks a server which compute in lockstep, each of which knows of one step in
 * four what it computed. The first stage of the third replica is slow for fifteen steps: of four at most each of its ranks
 * knows that, but together they know of seven.
 */
CREATE VIEW lossy AS
	WITH rank AS (
		SELECT stage, replica, lane, format('10.%s.%s.%s', stage, replica, lane) AS address,
			format('host-%s-%s', stage, replica) AS server
		FROM generate_series(1, 2) stage, generate_series(1, 4) replica, generate_series(0, 1) lane
	), series AS (
		SELECT r.*, (SELECT array_agg(10.0::float8 * k ORDER BY k) FROM generate_series(1, 31) k) AS ends,
			(SELECT array_agg(10.0::float8 * k + r.stage ORDER BY k) FROM generate_series(1, 30) k) AS sends,
			(SELECT array_agg(CASE WHEN stage = 1 AND replica = 3 AND k BETWEEN 10 AND 24 THEN 1.25::float8 ELSE 1 END
				ORDER BY k) FROM generate_series(1, 30) k) AS computed,
			(SELECT array_agg(CASE WHEN (k + 2 * lane + replica) % 4 = 0 THEN 0::float8 ELSE 'NaN' END ORDER BY k)
				FROM generate_series(1, 30) k) AS closing
		FROM rank r
	)
	SELECT ROW(1, 'accelerator', s.address, NULL, s.server, NULL, 10, 1, 1, 0, 0, 310, NULL,
		(SELECT array_agg(k ORDER BY k) FROM generate_series(1, 31) k), s.ends,
		(SELECT array_agg(e + 8 + c ORDER BY e) FROM unnest(s.ends[:30], s.computed) x(e, c)), s.computed, s.closing,
		NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::l4_flow_trace AS trace
	FROM series s
	UNION ALL
	SELECT ROW(1, 'pipeline', s.address, o.address, s.server, 'p', 10, 1, 1, 0, 0, 310, NULL, NULL, s.ends, NULL, NULL, NULL,
		NULL, NULL, NULL, s.sends, NULL, NULL, NULL, NULL, NULL)::l4_flow_trace
	FROM series s JOIN rank o USING (replica, lane)
	WHERE o.stage <> s.stage;
SELECT f.kind, f.subject, f.began, f.ended, round(f.factor::numeric, 3) AS factor, f.facts
FROM l4_limits_in_force() l, l4_slow_workers(ARRAY(SELECT trace FROM lossy), l) f;

-- Up and down a tree, bucket by bucket, is no pipeline, along which something comes back once: in 20 phases.
SELECT b.buckets, l4_go_at_once(b.up, b.down, 20, l4_limits_in_force()) AS at_once
FROM (SELECT n.buckets, s.later, jsonb_populate_record(NULL::l4_flow_series, jsonb_build_object(
			'began', jsonb_agg(10 * p + k + s.later ORDER BY p, k), 'lasted', jsonb_agg(0.2))) AS up,
		lead(jsonb_populate_record(NULL::l4_flow_series, jsonb_build_object(
			'began', jsonb_agg(10 * p + k + s.later ORDER BY p, k), 'lasted', jsonb_agg(0.2))))
			OVER (PARTITION BY n.buckets ORDER BY s.later) AS down
	FROM (VALUES (1), (4)) n(buckets), (VALUES (0), (0.5)) s(later), generate_series(1, 20) p,
		LATERAL generate_series(1, n.buckets) k
	GROUP BY n.buckets, s.later) b
WHERE b.later = 0
ORDER BY b.buckets;

-- Who trains no more may still be asked how it is.
SELECT l4_last_message(jsonb_populate_record(NULL::l4_flow_series, jsonb_build_object('records', 4, 'bytes', 301,
	'began', '[1, 2, 3, 90]'::jsonb, 'moved', jsonb_build_array(100, 100, 100, last))), l4_limits_in_force()) AS last_at
FROM (VALUES (0.01), (50)) m(last);

-- Along a pipeline of four a dead accelerator sends nothing, and nothing comes to it: its neighbours on either side miss each
-- other's messages, too, but that it is dead explains for longest what is missed.
CREATE VIEW pipeline_of_four AS
	SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', 'accelerator', 'source', a.source,
		'server', a.source, 'period', 2, 'last_at', a.last_at, 'ends', '[2, 4, 6, 8, 10]'::jsonb)) AS trace
	FROM (VALUES ('a', 10.4), ('b', 10.5), ('c', 10.7), ('d', 10.9)) a(source, last_at)
	UNION ALL
	SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', 'pipeline', 'source', p.source,
		'destination', p.destination, 'server', p.source, 'last_at', p.last_at, 'overdue_at', p.overdue_at))
	FROM (VALUES ('a', 'b', 10.40, 11.00), ('b', 'a', 10.41, 11.01), ('c', 'b', 10.50, 11.20), ('b', 'c', 10.50, 11.21),
		('c', 'd', 10.70, 11.40), ('d', 'c', 10.90, 11.60)) p(source, destination, last_at, overdue_at);
SELECT f.kind, f.subject, f.began
FROM l4_silent_accelerators(ARRAY(SELECT trace FROM pipeline_of_four), l4_limits_in_force(), 60) f;
DROP VIEW pipeline_of_four;

TRUNCATE l4_flow, l4_accelerator;
DROP VIEW exchanges, exchanged, token_link, lossy;
DROP TABLE member, state;
DROP FUNCTION experts;
DROP AGGREGATE pg_temp.exchanges_state(float8[], real[], real[], boolean, text, float8[], float8[], float8),
	pg_temp.exchanges_joined(bytea);
