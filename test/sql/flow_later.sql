-- Parameters that come while the next step is computed already, and who keeps others out of an exchange.
SET timezone = 'UTC';

-- Steps of 10 s: four activations go, the first one 0.2 s behind the end, the others a second behind each other; gradients come
-- back later, or with the second one, which may have waited for them. Of too few steps nothing is told.
SELECT b.back, b.steps, round(l4_step_lead(s.began, s.lasted, r.began, r.lasted, s.ends, 6)::numeric, 3) AS lead
FROM (VALUES (6.0, 12), (1.2, 12), (6.0, 4)) b(back, steps),
	LATERAL (SELECT array_agg(10 * n + 0.2 + m ORDER BY n, m)::float8[] AS began, array_agg(0.1::real) AS lasted,
			array_agg(DISTINCT (10 * n)::float8 ORDER BY (10 * n)::float8) AS ends
		FROM generate_series(1, b.steps) n, generate_series(0, 3) m) s,
	LATERAL (SELECT array_agg(10 * n + b.back + 0.5 * m ORDER BY n, m)::float8[] AS began, array_agg(0.1::real) AS lasted
		FROM generate_series(1, b.steps) n, generate_series(0, 3) m) r;
SELECT l4_step_lead('{}', '{}', '{}', '{}', '{1,2}', 1) AS nothing;
SELECT l4_step_lead('{1,2}', '{1}', '{}', '{}', '{1,2}', 1);

-- Gradients of twelve, then parameters of six, or of twelve; gradients alone, in buckets of which no silence parts a half; a
-- phase without messages.
SELECT p.what,
	l4_step_parts(p.began, array_fill(0.5::real, ARRAY[cardinality(p.began)]), p.moved, '{1,20}', '{8,30}', 0.03) AS ends
FROM (VALUES ('half', '{1,2,3,6,6.5}'::float8[], '{4,4,4,3,3}'::real[]), ('as much', '{1,2,3,6,6.5}', '{4,4,4,6,6}'),
	('gradients', '{1,2,3}', '{5,4,9.5}'), ('lost a little', '{1,2,3,6,6.5}', '{4,4,4,3,2.9}')) p(what, began, moved);
-- of five phases the third lost a record of its gradients, and does not tell where they end: where those of the others do; the
-- last one has no parameters yet
SELECT l4_step_parts(array_agg(m.at ORDER BY m.at), array_agg(0.5::real ORDER BY m.at), array_agg(m.bytes::real ORDER BY m.at),
	ARRAY(SELECT 20.0 * p FROM generate_series(1, 5) p), ARRAY(SELECT 20.0 * p + 12 FROM generate_series(1, 5) p), 0.03) AS ends
FROM (SELECT 20 * p + a.at AS at, a.bytes
	FROM generate_series(1, 5) p, (VALUES (0.0, 100), (1.0, 100), (2.0, 200), (5.0, 200)) a(at, bytes)
	WHERE NOT (p = 3 AND a.at = 1) AND NOT (p = 5 AND a.at = 5)) m;
SELECT l4_step_parts('{1}', '{1}', '{1,2}', '{1}', '{1}', 0.03);

-- Steps of two clusters that end together, though one has another period as a rule, as it was slow for more of the window.
SELECT l4_are_in_step(a, b, l) AS together, l4_are_in_step(a, c, l) AS twice_as_often, l4_are_in_step(a, d, l) AS without
FROM l4_limits_in_force() l, (SELECT ARRAY(SELECT n * 3.5 FROM generate_series(1, 40) n)::float8[] AS ends) e,
	LATERAL (SELECT jsonb_populate_record(NULL::l4_flow_cluster, jsonb_build_object('ends', e.ends, 'period', 3.45))) x1(a),
	LATERAL (SELECT jsonb_populate_record(NULL::l4_flow_cluster, jsonb_build_object('ends', e.ends, 'period', 3.6))) x2(b),
	LATERAL (SELECT jsonb_populate_record(NULL::l4_flow_cluster, jsonb_build_object('ends',
		ARRAY(SELECT n * 1.75 FROM generate_series(1, 80) n), 'period', 1.75))) x3(c),
	LATERAL (SELECT jsonb_populate_record(NULL::l4_flow_cluster, jsonb_build_object('ends', e.ends))) x4(d);

-- Two columns of two stages, each accelerator on a server of its own: those of a stage exchange gradients. The second stage of
-- the second column is silent; the first one, which waits for its gradients, has not begun to exchange, as the other one has.
CREATE VIEW silent_traces AS
SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'period', 1, 'kind', k.kind, 'source', k.source,
	'destination', k.destination, 'server', k.source, 'moved', '[1e8,1e8,1e8,1e8]'::jsonb, 'open', k.open * 1e6,
	'last_at', CASE k.open WHEN 0 THEN 9.3 ELSE 10 END)) AS trace
FROM (VALUES ('data', 'a1', 'a2', 4), ('data', 'a2', 'a1', 0), ('data', 'b1', 'b2', 30), ('data', 'b2', 'b1', 30),
	('pipeline', 'a1', 'b1', 5), ('pipeline', 'b1', 'a1', 5), ('pipeline', 'a2', 'b2', 5), ('pipeline', 'b2', 'a2', 5))
	k(kind, source, destination, open);
SELECT o.exchange, o.server, o.sent, o.due_at
FROM l4_least_senders(ARRAY(SELECT trace FROM silent_traces), '{1}', l4_limits_in_force()) o ORDER BY 1;
SELECT * FROM l4_kept_out(ARRAY(SELECT trace FROM silent_traces), '{1}', l4_limits_in_force()) ORDER BY 2;
-- who sent nothing may have waited for something else; who sent some, and less than the other, did not; of one server alone
-- nothing is told
SELECT * FROM l4_behind_servers(ARRAY(SELECT trace FROM silent_traces), '{1}', l4_limits_in_force());
SELECT b.* FROM l4_behind_servers(ARRAY(SELECT jsonb_populate_record(trace, jsonb_build_object('open', (trace).open + 3e6))
	FROM silent_traces), '{1}', l4_limits_in_force()) b;
SELECT b.* FROM l4_behind_servers(ARRAY(SELECT trace FROM silent_traces WHERE (trace).source = 'a1'), '{1}',
	l4_limits_in_force()) b;
DROP VIEW silent_traces;

-- Around a ring of four each needs what the one before it sent, and is at most one piece ahead of it; nobody sends to one that
-- stands still. So of two that sent as little it is the one who gets. Or a record of one was lost, which sent as long as the
-- others. Gradients of another stage came to a halt as they do between two phases, sooner, but were not due again so soon.
SELECT r.what, b.server, b.exchanges FROM (VALUES ('two', '{3,1,1,2}'::int[], '{10.6,10.2,10.2,10.4}'::float8[]),
		('lost', '{3,3,1,3}', '{10.2,10.2,10.2,10.2}'), ('all alike', '{2,2,2,2}', '{10.2,10.2,10.2,10.2}'))
	r(what, pieces, last_at), LATERAL l4_behind_servers(ARRAY(
	SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'period', 2, 'kind', 'data', 'source',
		format('%s%s', stage, n), 'destination', format('%s%s', stage, n % 4 + 1), 'server', format('%s%s', stage, n), 'moved',
		'[1e9,1e9,1e9]'::jsonb, 'open', 5e8 + 512000 * CASE WHEN stage = 'a' THEN r.pieces[n] WHEN n = 1 THEN 0 ELSE 1 END,
		'last_at', CASE WHEN stage = 'a' THEN r.last_at[n] WHEN n = 1 THEN 9.9 ELSE 10.0 END,
		'overdue_at', CASE WHEN stage = 'a' THEN r.last_at[n] + 0.2 ELSE 11 END))
	FROM generate_series(1, 4) n, (VALUES ('a'), ('b')) s(stage)
	WHERE stage = 'a' OR r.what = 'two'
	UNION ALL
	SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', 'accelerator', 'source',
		format('%s%s', stage, n), 'server', format('%s%s', stage, n), 'last_at', 10.2))
	FROM generate_series(1, 4) n, (VALUES ('a'), ('b')) s(stage)), '{1}', l4_limits_in_force()) b
ORDER BY r.what;

-- Both ends of the message that was missed first are silent, and others still send to both: it is the one that had been silent
-- for much longer when it was due, or else the sender. Or one had another message under way, and it alone is silent soon
-- behind it. Gradients that should have gone on later, of which one sent least, tell nothing about who stopped first.
SELECT r.a_last, f.kind, f.subject, f.began FROM (VALUES (10.0, 10.5), (10.9, 11.2), (10.4, 10.45)) r(a_last, b_last),
	LATERAL l4_silent_accelerators(ARRAY(
	SELECT jsonb_populate_record(NULL::l4_flow_trace, t.told || '{"job": 1, "period": 2, "ends": [2, 4, 6, 8, 10]}')
	FROM (VALUES ('a', r.a_last), ('b', r.b_last), ('c', 12), ('d', 12)) a(source, last_at), LATERAL (
		SELECT jsonb_build_object('kind', 'accelerator', 'source', a.source, 'server', a.source, 'last_at', a.last_at)
			AS told) t
	UNION ALL
	SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', p.kind, 'source', p.source,
		'destination', p.destination, 'server', p.source, 'last_at', p.last_at, 'overdue_at', p.overdue_at, 'moved',
		'[1e9,1e9,1e9]'::jsonb, 'open', CASE p.source WHEN 'c' THEN 5e8 ELSE 6e8 END))
	FROM (VALUES ('pipeline', 'b', 'a', LEAST(r.b_last, 10.4), 10.7), ('pipeline', 'a', 'b', r.a_last, 10.9),
		('data', 'c', 'd', 11.9, 12.3), ('data', 'd', 'c', 12, 12.4), ('pipeline', 'c', 'a', 11, 13),
		('pipeline', 'd', 'b', 11, 13)) p(kind, source, destination, last_at, overdue_at)), l4_limits_in_force(), 60) f
ORDER BY r.a_last;
