-- flows_check.sql: functions that say the truth, with the arguments and columns of those that are measured. bench.damage says
-- how many of a hundred of what they say is wrong.
CREATE SCHEMA truth_said;

CREATE FUNCTION truth_said.wrong(name text) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT hashtextextended(name, 0) & 1023 < 10.24 * COALESCE(current_setting('bench.damage', true), '0')::float8;
$$;

CREATE FUNCTION truth_said.damaged() RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT COALESCE(current_setting('bench.damage', true), '0')::float8 > 0;
$$;

-- Job numbers are others than those of the truth.
CREATE FUNCTION truth_said.l4_flow_jobs(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL)
RETURNS TABLE (job int, address text, server text) LANGUAGE sql STABLE AS $$
	SELECT 100 - t.job + CASE WHEN truth_said.wrong(t.server) OR truth_said.damaged() AND t.dp = 0 THEN 1 ELSE 0 END,
		t.address, t.server
	FROM bench.truth_jobs t WHERE t.job IS NOT NULL;
$$;

CREATE FUNCTION truth_said.l4_flow_pairs(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL)
RETURNS TABLE (job int, source text, destination text, kind text, first_kind text) LANGUAGE sql STABLE AS $$
	SELECT 100 - t.job, t.source, t.destination, w.kind, w.kind
	FROM (SELECT job, source, destination, min(kind) AS kind FROM bench.truth_pairs GROUP BY job, source, destination) t
	CROSS JOIN LATERAL (SELECT CASE WHEN truth_said.wrong(t.source || t.destination) THEN 'unheard of' ELSE t.kind END) w(kind);
$$;

CREATE FUNCTION truth_said.l4_flow_groups(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL)
RETURNS TABLE (job int, kind text, number int, size int, members text[]) LANGUAGE sql STABLE AS $$
	SELECT 100 - t.job, 'data', row_number() OVER ()::int, count(*)::int - truth_said.damaged()::int,
		array_agg(t.address ORDER BY t.dp)::text[]
	FROM bench.truth_jobs t WHERE t.job IS NOT NULL GROUP BY t.job, t.pp, t.tp, t.cp
	UNION ALL
	SELECT 100 - t.job, 'pipeline', row_number() OVER ()::int, count(*)::int + truth_said.damaged()::int,
		array_agg(t.address ORDER BY CASE WHEN truth_said.damaged() THEN -t.pp ELSE t.pp END)::text[]
	FROM bench.truth_jobs t WHERE t.job IS NOT NULL GROUP BY t.job, t.dp, t.tp, t.cp;
$$;

-- Damaged: some are not there, some twice as long, all others a hundredth too late.
CREATE FUNCTION truth_said.l4_flow_steps(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL)
RETURNS TABLE (job int, address text, step bigint, began timestamptz, ended timestamptz) LANGUAGE sql STABLE AS $$
	SELECT 100 - t.job, t.address, t.step, t.began + w.late,
		t.ended + w.late + CASE WHEN truth_said.wrong(t.address || t.step) THEN 0.7 * (t.ended - t.began) ELSE interval '0' END
	FROM bench.truth_steps t
	CROSS JOIN LATERAL (SELECT CASE WHEN truth_said.damaged() THEN 0.01 * (t.ended - t.began) ELSE interval '0' END) w(late);
$$;

-- Damaged: the first fault is at another place, and two findings of nothing come besides.
CREATE FUNCTION truth_said.l4_flow_diagnose(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL,
	job int DEFAULT NULL)
RETURNS TABLE (job int, kind text, subject text, began timestamptz, ended timestamptz, factor float8, confidence float8)
LANGUAGE sql STABLE AS $$
	SELECT 100 - t.job, CASE t.kind WHEN 'dead_accelerator' THEN 'missing' WHEN 'flapping' THEN 'slow_link' ELSE t.kind END,
		CASE WHEN truth_said.damaged() AND t.place = 1 THEN 'nowhere' ELSE t.subject END, t.began, t.ended, t.factor, 0.9
	FROM (SELECT *, row_number() OVER (ORDER BY f.kind DESC) AS place FROM bench.truth_faults f) t
	UNION ALL
	SELECT j.job, j.kind, 'nothing', NULL, NULL, 1, 0.5
	FROM (VALUES (101, 'slow_step'), (102, 'slow_server')) j(job, kind)
	WHERE truth_said.damaged()
	UNION ALL
	SELECT 103, 'stalled', 'nobody', NULL, NULL, 1, 0.5
	WHERE truth_said.damaged() AND NOT EXISTS (SELECT FROM bench.truth_faults);
$$;
