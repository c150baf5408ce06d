-- Jobs that stand still amid a step, and for whom: by what each had sent of the exchange that was cut off; also where they went
-- on afterwards.
SET timezone = 'UTC';
TRUNCATE l4_flow, l4_accelerator;

-- What breaks the silence of a way four times is no step where the other way has one.
SELECT round(l4_flow_pair_period(few, many, l)::numeric, 2) AS both, l4_flow_pair_period(few, few, l) AS few
FROM l4_limits_in_force() l,
	(SELECT jsonb_populate_record(NULL::l4_flow_series, jsonb_build_object('began', jsonb_agg(n * 40.0 ORDER BY n),
		'lasted', jsonb_agg(0.01 ORDER BY n))) FROM generate_series(0, 3) n) a(few),
	(SELECT jsonb_populate_record(NULL::l4_flow_series, jsonb_build_object('began', jsonb_agg(n * 2.0 ORDER BY n),
		'lasted', jsonb_agg(0.01 ORDER BY n))) FROM generate_series(0, 60) n) b(many);

/*
 * Jobs of two servers with two accelerators each that exchange three buckets of gradients at the end of each of 40 steps, which
 * take 2 s. In step 20 one of the first server stands still behind the first bucket: the second has sent first pieces of the
 * second one by then. Or all wait for as long behind step 20.
 */
INSERT INTO l4_accelerator (address, server, rail, leaf)
SELECT format('10.%s.0.%s', rail, server), format('server-%s', server), rail, 'leaf-1'
FROM generate_series(1, 4) server, generate_series(1, 2) rail;
CREATE FUNCTION made_exchange(first_server int, waits float8, stalls boolean) RETURNS SETOF l4_flow LANGUAGE sql AS $$
	SELECT '2026-01-01'::timestamptz + make_interval(secs => 2 * step + 1.2 + 0.1 * bucket
			+ CASE WHEN step > 20 OR step = 20 AND stalls AND bucket > 0 AND NOT piece THEN waits ELSE 0 END), 0.05,
		format('10.%s.0.%s', rail, first_server + server - 1), format('10.%s.0.%s', rail, first_server + 2 - server),
		CASE WHEN piece THEN 4000000 WHEN step = 20 AND stalls AND bucket = 1 AND server = 2 THEN 96000000 ELSE 100000000 END,
		ARRAY['leaf-1'], 100, 0, 20, 4791
	FROM generate_series(1, 40) step, generate_series(0, 2) bucket, generate_series(1, 2) server, generate_series(1, 2) rail,
		unnest('{f,t}'::boolean[]) piece
	WHERE NOT piece OR stalls AND step = 20 AND bucket = 1 AND server = 2
$$;
INSERT INTO l4_flow SELECT * FROM made_exchange(1, 30, true);
INSERT INTO l4_flow SELECT * FROM made_exchange(3, 0, false);
SELECT job, kind, subject, began, ended, facts -> 'exchanges' AS exchanges, sentence FROM l4_flow_diagnose();
-- as it was seen then
SELECT job, kind, subject, began, ended, facts -> 'exchanges' AS exchanges, sentence
FROM l4_flow_diagnose(to_time => '2026-01-01 00:01:05');
-- who sent nothing of it may have waited for something else
DELETE FROM l4_flow
WHERE bytes = 100000000 AND source LIKE '%.1' AND started_at BETWEEN '2026-01-01 00:00:41' AND '2026-01-01 00:00:42';
SELECT job, kind, subject, began, ended, facts -> 'exchanges' AS exchanges FROM l4_flow_diagnose();
-- a pause behind a step
TRUNCATE l4_flow;
INSERT INTO l4_flow SELECT * FROM made_exchange(1, 30, false);
INSERT INTO l4_flow SELECT * FROM made_exchange(3, 0, false);
SELECT job, kind, subject, began, ended, sentence FROM l4_flow_diagnose();
TRUNCATE l4_flow, l4_accelerator;

-- A job of two that fell silent at 70 s, behind its last whole step: with all gradients of one summed up, as many bytes as the
-- parameters that come then or twice as many, it has ended; with a third of them, or where one has sent more, it stands still.
SELECT o.case, bool_or(j.overdue_at IS NOT NULL) AS stands_still
FROM l4_limits_in_force() l, (VALUES ('1: half', '{50,50.5}'::float8[]), ('2: two thirds', '{66.7,66.7}'),
		('3: a third', '{33,33}'), ('4: one more', '{50,70}')) o("case", open),
	l4_stopped_jobs(ARRAY(
		SELECT jsonb_populate_record(NULL::l4_flow_trace, jsonb_build_object('job', 1, 'kind', kind, 'source', n::text,
			'destination', (3 - n)::text, 'period', 2, 'last_at', 70, 'ends', '{68}'::float8[],
			'moved', '{100,100,100}'::float8[], 'open', o.open[n], 'overdue_at', CASE kind WHEN 'data' THEN 72 END))
		FROM generate_series(1, 2) n, unnest('{accelerator,data}'::text[]) kind), l, 200) j
GROUP BY o.case ORDER BY o.case;
