-- Steps that take longer than they should: from which one on, who is to blame, and what is no such thing. Five nodes of one
-- rank; a step is what lies between two marks of a job.
SET search_path = public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, rank int, at numeric, line text);
-- seconds: of step s, an expression; took: milliseconds of rank r in it. Both jitter by a tenth.
CREATE FUNCTION make_lines(job text, seconds text, took text DEFAULT '200', steps int DEFAULT 60) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format($q$
		INSERT INTO line
		SELECT %L, r, e.at + x.at + r * 0.001, x.line
		FROM (SELECT s, sum((%s)::numeric * (1 + s * 7 %% 11 * 0.01)) OVER (ORDER BY s) AS at FROM generate_series(0, %s) s) e,
			generate_series(0, 4) r, LATERAL (VALUES
			(0, format('INFO step %%s loss %%s', e.s, round(9 - e.s * 0.01, 2))),
			(-0.05, format('DEBUG step %%s forward took %%s ms', e.s,
				round((%s)::numeric * (1 + (r * 5 + e.s * 13) %% 11 * 0.01))))) x (at, line)$q$, job, seconds, steps, took);
END $$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed', settings jsonb DEFAULT '{}') RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, settings, status, '{n0,n1,n2,n3,n4}', 1);
	RETURN (l4_ingest(job, format($q$
		SELECT to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS') || ' ' || line AS line,
			'n' || rank AS node, rank, 'train' AS source
		FROM line WHERE job = %L ORDER BY at, rank, line COLLATE "C"$q$, job))).rows;
END $$;
CREATE FUNCTION told(job text) RETURNS TABLE (kind text, node text, rank int, stage text, iteration bigint, told text)
LANGUAGE sql AS $$
	SELECT d.kind, d.node, d.rank, d.stage, d.iteration, d.explanation FROM l4_diagnose(job) d
	WHERE d.kind IN ('slow', 'node') OR d.kind IN ('stage', 'iteration') AND d.ordinal = 1
$$;
\x on

\echo == one node is slow from step 41 on: the others wait for it
SELECT make_lines('node', 'CASE WHEN s > 40 THEN 2.1 ELSE 0.4 END',
	'CASE WHEN s > 40 AND r = 2 THEN 1900 ELSE 200 + 100 * r END'),
	load_job('node') \g /dev/null
SELECT * FROM told('node');
SELECT jsonb_pretty(facts) AS facts FROM l4_diagnose('node') WHERE kind = 'slow';
SELECT e.unit, e.kind, e.weight, e.numbers - 'deviations' AS numbers FROM l4_node_evidence('node',
	slow => l4_slow_regime('node', true, l4_limits_in_force())) e WHERE kind = 'slow';
\echo == it waits less than the others
SELECT make_lines('waits', 'CASE WHEN s > 40 THEN 2.1 ELSE 0.4 END',
	'CASE WHEN s <= 40 THEN 100 WHEN r = 2 THEN 100 ELSE 1800 END'),
	load_job('waits') \g /dev/null
SELECT * FROM told('waits');
\echo == a node that always has more to do is not to blame for what all have alike
SELECT make_lines('all', 'CASE WHEN s > 40 THEN 2.1 ELSE 0.4 END',
	'CASE r WHEN 2 THEN 3 ELSE 1 END * CASE WHEN s > 40 THEN 600 ELSE 100 END'),
	load_job('all') \g /dev/null
SELECT * FROM told('all');
SELECT split_part(l4_report('all', 'text'), E'\n\n', 1) AS report;
\echo == slower in two stages: the first of them counts; of a slow phase that passed nothing is said
SELECT make_lines('stages', 'CASE WHEN s > 45 THEN 2.1 WHEN s > 20 THEN 0.9 ELSE 0.4 END'), load_job('stages') \g /dev/null
SELECT iteration, told FROM told('stages') WHERE kind IN ('slow', 'iteration');
SELECT make_lines('phases', 'CASE WHEN s > 45 THEN 0.9 WHEN s BETWEEN 15 AND 25 THEN 2 ELSE 0.4 END'),
	load_job('phases') \g /dev/null
SELECT iteration, told FROM told('phases') WHERE kind IN ('slow', 'iteration');

\echo == none of these: a pause, a slow start, a phase that passed, pauses at every tenth step, noise that swells, a little more
SELECT make_lines('pause', 'CASE WHEN s BETWEEN 55 AND 58 THEN 30 ELSE 0.4 END'),
	make_lines('start', 'CASE WHEN s < 12 THEN 2.1 ELSE 0.4 END'),
	make_lines('passed', 'CASE WHEN s BETWEEN 20 AND 40 THEN 2.1 ELSE 0.4 END'),
	make_lines('tenth', 'CASE WHEN s % 10 = 0 AND s > 29 THEN 5 ELSE 0.4 END'),
	make_lines('swells', 'CASE WHEN s > 30 AND s % 3 < 2 THEN 0.9 ELSE 0.4 END'),
	make_lines('little', 'CASE WHEN s > 30 THEN 0.55 ELSE 0.4 END'),
	make_lines('few', 'CASE WHEN s > 9 THEN 2.1 ELSE 0.4 END', steps => 12) \g /dev/null
SELECT load_job(j) FROM unnest('{pause,start,passed,tenth,swells,little,few}'::text[]) j \g /dev/null
SELECT j.job, l4_slow_regime(j.job, true, l4_limits_in_force()) AS slow, (SELECT count(*) FROM l4_step_change(j.job,
	l4_limits_in_force())) AS changes, (SELECT count(*) FROM l4_node_evidence(j.job) e) AS evidence
FROM unnest('{pause,start,passed,tenth,swells,little,few}'::text[]) WITH ORDINALITY j (job, turn) ORDER BY j.turn;
SELECT count(*) AS told FROM told('pause') WHERE kind IN ('slow', 'node');

\echo == a rank fails after the job had become slow: the failure is told first
SELECT make_lines('fails', 'CASE WHEN s > 40 THEN 2.1 ELSE 0.4 END') \g /dev/null
INSERT INTO line SELECT 'fails', 3, max(at) + 0.2, 'ERROR device 0 failed' FROM line WHERE job = 'fails';
SELECT load_job('fails') \g /dev/null
SELECT kind, ordinal, node, iteration, explanation FROM l4_diagnose('fails') WHERE kind IN ('node', 'iteration', 'slow');

\echo == told of every fifth step only; marked at its end and once more as the beginning of the next
SELECT make_lines('fifth', 'CASE WHEN s > 120 THEN 2.1 ELSE 0.4 END', steps => 200) \g /dev/null
DELETE FROM line WHERE job = 'fifth' AND substring(line, 'step (\d+)')::int % 5 <> 0;
SELECT make_lines('twice', 'CASE WHEN s > 120 THEN 2.1 ELSE 0.4 END', steps => 200) \g /dev/null
UPDATE line SET line = 'INFO iteration ' || substring(line, 'step (\d+)') || ' begins'
WHERE job = 'twice' AND line LIKE '%took%' AND substring(line, 'step (\d+)')::int % 2 = 0;
SELECT load_job('fifth'), load_job('twice') \g /dev/null
SELECT iteration, before, after, iterations_before, iterations_since FROM l4_step_change('fifth', l4_limits_in_force());
SELECT iteration, before, after, iterations_before, iterations_since FROM l4_step_change('twice', l4_limits_in_force());
\echo == of a long job every so many steps are looked at first
INSERT INTO l4_limit (name, value) VALUES ('slow_steps_read', 60);
SELECT iteration, iterations_before, iterations_since FROM l4_step_change('twice', l4_limits_in_force());
SELECT count(*) AS steps, min(turn), max(turn) FROM l4_job_steps('twice', l4_limits_in_force());
DELETE FROM l4_limit WHERE NOT builtin;
\echo == few of many ranks are read: those with the longest and the shortest durations, and evenly chosen ones
SELECT count(*) AS streams, min(s) AS first, bool_or(s = 777) AS longest
FROM l4_slow_streams(ARRAY(SELECT generate_series(1, 4096)), ARRAY(SELECT 1 FROM generate_series(1, 4096)),
	ARRAY(SELECT 1 FROM generate_series(1, 4096)),
	ARRAY(SELECT CASE i WHEN 777 THEN 9 ELSE 1 + i % 100 * 0.001 END FROM generate_series(1, 4096) i), l4_limits_in_force()) s;

\echo == successful jobs of the same settings take as long; all steps are slow beside them
SELECT make_lines('ok' || i, CASE i WHEN 1 THEN 'CASE WHEN s > 40 THEN 2.2 ELSE 0.4 END' ELSE '0.4' END),
	load_job('ok' || i, 'succeeded', CASE i WHEN 1 THEN '{"model": "a"}' ELSE '{"model": "b"}' END::jsonb)
FROM generate_series(1, 4) i \g /dev/null
SELECT job_id, round(step_seconds::numeric, 2) AS step_seconds FROM l4_pool_job ORDER BY 1;
SELECT make_lines('as_ever', 'CASE WHEN s > 40 THEN 2.1 ELSE 0.4 END'), load_job('as_ever', settings => '{"model": "a"}'),
	make_lines('never', '1.1'), load_job('never', settings => '{"model": "b"}'),
	make_lines('hardly', '0.7'), load_job('hardly', settings => '{"model": "b"}') \g /dev/null
SELECT count(*) AS slow FROM told('as_ever') WHERE kind = 'slow';
SELECT kind, iteration, told FROM told('never') WHERE kind IN ('slow', 'node');
SELECT l4_slow_regime('hardly', true, l4_limits_in_force()) AS hardly;
SELECT l4_slow_regime('never', false, l4_limits_in_force()) AS without_pool;
SELECT count(*) AS slow FROM told('ok3') WHERE kind = 'slow';
\echo == no rule knows the iterations, no line has a stamp: by the counter that is learnt, and the durations beside it
CREATE FUNCTION load_bare(job text, bare boolean) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{"model": "bare"}', 'failed', '{n0,n1,n2,n3,n4}', 1);
	RETURN (l4_ingest(job, format($q$
		SELECT CASE WHEN %L THEN ''
			ELSE to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS ') END || line AS line,
			'n' || rank AS node, rank, 'train' AS source
		FROM line WHERE job = %L ORDER BY at, rank, line COLLATE "C"$q$, bare, job))).rows;
END $$;
-- compute: milliseconds of rank r in round s; all take what the slowest does
INSERT INTO line SELECT j.job, r, 0.4 * s + CASE WHEN j.job = 'stamped' AND s > 40 THEN (s - 40) * 0.8 ELSE 0 END,
	CASE j.job WHEN 'stamped' THEN format('round %s of 60', s)
		WHEN 'adding' THEN format('round %s of 60 elapsed=%sms', s, s * s * 10)
		ELSE format('round %s of 60 compute=%sms wait=%sms', s, c.ms, 900 - c.ms) END
FROM (VALUES ('bare'), ('stamped'), ('adding')) j (job), generate_series(1, 60) s, generate_series(0, 4) r,
	LATERAL (SELECT CASE WHEN s > 40 AND r = 2 THEN 800 ELSE 200 END + (r * 5 + s * 13) % 11 AS ms) c;
UPDATE line SET line = regexp_replace(line, 'wait=\d+', 'wait=' || CASE WHEN rank = 2 THEN 10 ELSE 610 END)
WHERE job = 'bare' AND substring(line, 'round (\d+)')::int > 40;
UPDATE line SET line = regexp_replace(line, 'wait=\d+', 'wait=10')
WHERE job = 'bare' AND substring(line, 'round (\d+)')::int <= 40;
SELECT load_bare('bare', true), load_bare('stamped', false), load_bare('adding', true) \g /dev/null
SELECT * FROM told('bare');
SELECT iteration, told FROM told('stamped') WHERE kind = 'slow';
SELECT count(*) AS slow FROM told('adding') WHERE kind = 'slow';
\echo == each duration has the unit that suits it
INSERT INTO line SELECT 'units', r, s, format('round %s of 60 took=%s', s, CASE WHEN s = 9 THEN '1m2.5s'
	WHEN s > 40 OR s = 20 THEN format('%ss', 1.2 + s % 7 * 0.011) ELSE format('%sms', 480 + s * 13 % 11) END)
FROM generate_series(1, 60) s, generate_series(0, 4) r;
SELECT load_bare('units', true) \g /dev/null
SELECT iteration, told FROM told('units') WHERE kind = 'slow';
SELECT iteration, seconds FROM l4_job_steps('units', l4_limits_in_force()) WHERE iteration IN (8, 9, 20);
\echo == the rule knows the iterations, but only every tenth line has a stamp: what the others print tells from which one on
INSERT INTO line SELECT 'seldom', 0, s, CASE WHEN s % 10 = 0 THEN to_char(timestamp '2026-11-20 22:00' + s * interval '1 s',
		'YYYY-MM-DD HH24:MI:SS,MS') || E' INFO saved\n' ELSE '' END
	|| format('step:%s - loss:%s - time_per_step:%s', s, round(9 - s * 0.01, 2),
		CASE WHEN s > 24 THEN 1.2 ELSE 0.4 END + s * 7 % 11 * 0.004)
FROM generate_series(1, 60) s;
SELECT load_bare('seldom', true) \g /dev/null
SELECT l4_timeline_unstamped('seldom', l4_limits_in_force()) AS unstamped;
SELECT iteration, told FROM told('seldom') WHERE kind = 'slow';
\echo == few steps are measured, as every hundredth is told of: slow are those that are apart from all before but the first
CREATE FUNCTION measured(job text, seconds numeric[]) RETURNS TABLE (iteration bigint, before double precision)
LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO line
	SELECT measured.job, 0, sum(u.seconds * 100) OVER (ORDER BY u.turn), format('INFO step %s of 1500', u.turn * 100)
	FROM unnest(measured.seconds) WITH ORDINALITY u (seconds, turn);
	PERFORM load_job(measured.job);
	RETURN QUERY SELECT s.iteration, round(o.before::numeric, 2)::double precision
		FROM l4_step_onset(measured.job, l4_limits_in_force()) o
		JOIN l4_job_steps(measured.job, l4_limits_in_force()) s ON s.turn = o.turn;
END $$;
SELECT * FROM measured('hundreds', '{1,1.9,0.9,1,0.9,1.1,1.8,1.7,1.8,1.9,1.7,1.8}');
SELECT count(*) AS swelling FROM measured('swelling', '{1,0.9,1,1,0.9,1.1,1.2,1.4,1.6,1.8,1.9,2.0}');
SELECT count(*) AS last_alone FROM measured('last_alone', '{1,0.9,1,0.9,1,0.9,1,0.9,1,1.8,1.9,1.8}');
\echo == by far slower after two steps and a first one
SELECT * FROM measured('far', '{1,1.4,0.9,1,5.1,5,4.8,5.2,5}');
SELECT count(*) AS near FROM measured('near', '{1,1.4,0.9,1,2,2.1,1.9,2.2,2}');
DROP FUNCTION measured;
DROP FUNCTION load_bare;
-- nothing is left for other tests
SELECT array_agg(j.job_id ORDER BY j.job_id COLLATE "C") AS jobs FROM l4_job j
WHERE j.job_id IN (SELECT l.job FROM line l) \gset
SELECT l4_delete_job(d) FROM unnest(:'jobs'::text[]) d \g /dev/null
DROP TABLE line;
DROP FUNCTION make_lines, load_job, told;
