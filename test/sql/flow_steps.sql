-- l4_flow_step_check: steps of logs beside those of flows, on a job whose logs are made of the same steps.
SET timezone = 'UTC';
SET extra_float_digits = 0;
\set SHOW_CONTEXT never
\set VERBOSITY terse
\pset format unaligned

-- Steps of 0.9 s that vary, and a checkpoint after step 30; a ring of four servers that exchanges gradients at the end of each.
CREATE TABLE step AS
SELECT step, sum(0.9 + 0.03 * (step * step * step * 13 % 97 - 48) / 48 + CASE step WHEN 31 THEN 4 ELSE 0 END)
	OVER (ORDER BY step) AS ended
FROM generate_series(0, 60) step;
INSERT INTO l4_accelerator (address, server) SELECT '10.1.0.' || s, 'server-' || s FROM generate_series(1, 4) s;
INSERT INTO l4_flow (started_at, duration, source, destination, bytes, queue_pair)
SELECT '2026-01-01'::timestamptz + make_interval(secs => ended - 0.05 + 0.0005 * ((s + step * 3) % 5) + piece * 0.022), 0.02,
	'10.1.0.' || s, '10.1.0.' || s % 4 + 1, 500000000 + piece, 7
FROM step, generate_series(1, 4) s, generate_series(0, 1) piece;
-- A rank writes its line when a step has ended; its clock is ahead or behind, and says seconds or parts of them.
-- odd: of which steps it comes 0.2 s late.
CREATE FUNCTION told(job text, ahead float8, stamp text DEFAULT 'YYYY-MM-DD HH24:MI:SS.MS', every int DEFAULT 1,
	from_step int DEFAULT 0, odd text DEFAULT 'false', line text DEFAULT 'iteration %s loss 2.5') RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, jsonb_build_object('model', job), 'failed', '{server-1,server-2,server-3,server-4}', 1);
	PERFORM l4_ingest(job, format($q$SELECT 'server-' || r + 1 AS node, r AS rank,
		to_char('2026-01-01'::timestamp + make_interval(secs => ended + %s + 0.002 * r), %L) || ' INFO '
			|| format(%L, step + %s) AS line
		FROM (SELECT step, ended + CASE WHEN %s THEN 0.2 ELSE 0 END AS ended FROM step) s, generate_series(0, 3) r
		WHERE step %% %s = 0 ORDER BY r, step$q$, ahead, stamp, line, from_step, odd, every));
END
$$;
CREATE VIEW checked AS
SELECT j.job_id, c.* FROM l4_job j CROSS JOIN LATERAL l4_flow_step_check(j.job_id) c;
CREATE VIEW summary AS
SELECT job_id, verdict, count(*) AS pieces, sum(iterations) AS iterations, sum(steps) AS steps,
	round(min(clock_offset)::numeric, 2) AS ahead, round(min(offset_spread)::numeric, 3) AS spread, bool_and(offset_certain) AS
	certain, round(min(ratio)::numeric, 2) AS least, round(max(ratio)::numeric, 2) AS most
FROM checked GROUP BY job_id, verdict;

-- The same clock.
SELECT told('same', 0) \g /dev/null
SELECT * FROM summary;
SELECT iteration, iterations, step, steps, began, round(log_seconds::numeric, 2) AS log_seconds, round(flow_seconds::numeric, 2)
	AS flow_seconds, verdict, sentence FROM checked WHERE iteration BETWEEN 28 AND 32;
SELECT l4_delete_job('same') \g /dev/null
-- Ahead and behind, by many steps; of each tenth iteration alone; stamps of whole seconds; numbered otherwise.
SELECT told('ahead', 17.25), told('far ahead', 140), told('behind', -61), told('each tenth', 2.5, every => 10),
	told('seconds', 3.0, 'YYYY-MM-DD HH24:MI:SS'), told('numbered', 0.4, from_step => 100000) \g /dev/null
SELECT * FROM summary ORDER BY job_id, verdict;
SELECT sentence FROM checked WHERE job_id = 'seconds';
SELECT l4_delete_job(job_id) FROM l4_job \g /dev/null
-- Stamps of whole seconds tell of steps that are longer; of a table of anybody's.
UPDATE step SET ended = ended * 6;
CREATE TABLE slow_flows AS
SELECT started_at + (started_at - '2026-01-01') * 5 AS seen_at, duration, source, destination, bytes FROM l4_flow;
SELECT told('seconds', 3.0, 'YYYY-MM-DD HH24:MI:SS') \g /dev/null
SELECT verdict, count(*), round(min(clock_offset)::numeric) AS ahead, round(min(offset_spread)::numeric, 1) AS spread
FROM l4_flow_step_check('seconds', flows => 'slow_flows', columns => '{"started_at": "seen_at"}') GROUP BY verdict;
-- of the last minutes alone
SELECT count(*), min(iteration) AS first, max(iteration) AS last
FROM l4_flow_step_check('seconds', '2 minutes', flows => 'slow_flows', columns => '{"started_at": "seen_at"}');
SELECT l4_delete_job('seconds') \g /dev/null
UPDATE step SET ended = ended / 6;

-- Where they disagree: a line that comes late, a step that the flows do not show.
SELECT told('late', 1, odd => 'step = 40') \g /dev/null
SELECT iteration, round(log_seconds::numeric, 2) AS log_seconds, round(flow_seconds::numeric, 2) AS flow_seconds, verdict,
	sentence
FROM checked WHERE verdict <> 'agree';
SELECT verdict, pieces FROM summary ORDER BY verdict;
SELECT l4_delete_job('late') \g /dev/null
CREATE TABLE whole AS SELECT * FROM l4_flow;
DELETE FROM l4_flow f USING step s WHERE s.step = 45
	AND f.started_at BETWEEN '2026-01-01'::timestamptz + make_interval(secs => s.ended - 0.1)
		AND '2026-01-01'::timestamptz + make_interval(secs => s.ended + 0.1);
SELECT told('missed', -2) \g /dev/null
SELECT iteration, iterations, steps, verdict, sentence FROM checked WHERE verdict <> 'agree';
SELECT verdict, pieces, ahead FROM summary ORDER BY verdict;
SELECT l4_delete_job('missed') \g /dev/null
TRUNCATE l4_flow;
INSERT INTO l4_flow SELECT * FROM whole;

-- All steps take the same time: the offset is known but for whole steps, and the least is taken.
CREATE TABLE even_flows AS
SELECT f.started_at - make_interval(secs => s.ended - 0.9 * s.step) AS started_at, f.duration, f.source, f.destination, f.bytes
FROM l4_flow f JOIN step s
	ON f.started_at BETWEEN '2026-01-01'::timestamptz + make_interval(secs => s.ended - 0.1)
		AND '2026-01-01'::timestamptz + make_interval(secs => s.ended + 0.1);
CREATE TABLE uneven AS SELECT * FROM step;
UPDATE step SET ended = 0.9 * step;
SELECT told('even', 4.6) \g /dev/null
SELECT count(*), round(min(clock_offset)::numeric, 2) AS ahead, bool_or(offset_certain) AS certain, min(verdict) AS verdict
FROM l4_flow_step_check('even', flows => 'even_flows');
SELECT l4_delete_job('even') \g /dev/null
UPDATE step s SET ended = u.ended FROM uneven u WHERE u.step = s.step;

-- Each other clear answer: there is nothing to compare.
SELECT told('well', 0), told('no iterations', 0, line => 'loss is 2.5'),
	told('no times', 0, stamp => '"at no time"') \g /dev/null
SELECT told('few', 0, every => 20), told('other time', 7200) \g /dev/null
SELECT job_id, verdict, sentence FROM checked WHERE iteration IS NULL ORDER BY job_id;
SELECT verdict, sentence, iteration FROM l4_flow_step_check('well', accelerators => NULL);
CREATE TABLE one_server AS SELECT * FROM l4_accelerator WHERE server = 'server-1';
SELECT verdict, sentence FROM l4_flow_step_check('well', accelerators => 'one_server');
CREATE TABLE irregular AS
SELECT '2026-01-01'::timestamptz + make_interval(secs => 0.0036 * (n * n * 31 % 9973)) AS started_at, 0.001 AS duration,
	'10.1.0.' || s AS source, '10.1.0.' || s % 4 + 1 AS destination, 90000000 AS bytes
FROM generate_series(1, 700) n, generate_series(1, 4) s;
SELECT verdict, sentence FROM l4_flow_step_check('well', flows => 'irregular');
TRUNCATE l4_flow;
SELECT verdict, sentence, iteration FROM l4_flow_step_check('well');
SELECT * FROM l4_flow_step_check('no such job');
SELECT * FROM l4_flow_step_check('well', flows => 'step');

-- The offset alone: of those that fit the least; NULL for too few in common.
SELECT round((f).ahead::numeric, 3) AS ahead, round((f).spread::numeric, 3) AS spread, (f).certain, (f).step, (f).marks
FROM (VALUES ('{1,2,3.5,4.5,5.5,7,9}'::float8[], 3.2::float8), ('{1,2,3,4,5,6,7}', 3.2), ('{1,2}', 1)) v(times, ahead)
CROSS JOIN LATERAL l4_fit_clocks(ARRAY(SELECT t + v.ahead FROM unnest(v.times) t), v.times, l4_limits_in_force()) f;

SELECT l4_delete_job(job_id) FROM l4_job \g /dev/null
DELETE FROM l4_accelerator;
DROP VIEW summary, checked;
DROP TABLE step, whole, slow_flows, even_flows, uneven, one_server, irregular;
DROP FUNCTION told;
