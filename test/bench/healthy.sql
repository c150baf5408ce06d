/*
 * healthy.sql: successful jobs as if they had failed. Each is taken out of its pool and diagnosed, which is taken back then.
 */
SET client_min_messages = warning;
SET search_path = public;
SET jit = off;
CREATE TABLE bench_healthy (job_id text, pool text, suspects text[], faults text[], action text, target text, rule text,
	verdict text, reason text);
DO $$
DECLARE
	this text;
	found bench_healthy[];
BEGIN
	FOR this IN SELECT j.job_id FROM l4_job j WHERE j.status = 'succeeded' AND j.job_id IN (SELECT s.job_id FROM l4_stream s)
		ORDER BY j.job_id COLLATE "C"
	LOOP
		BEGIN
			PERFORM l4_register_job(this, status => 'unknown');
			found := ARRAY(
				SELECT ROW(this, CASE WHEN v.use_pool THEN 'with' ELSE 'without' END,
					ARRAY(SELECT coalesce(f.facts ->> 'unit', f.node, 'rank ' || f.rank) FROM unnest(d.findings) f
						WHERE f.kind = 'node' ORDER BY f.ordinal),
					ARRAY(SELECT f.fault_key FROM unnest(d.findings) f WHERE f.kind = 'fault' AND f.role = 'root'
						ORDER BY f.ordinal),
					a.action, a.target, a.rule, l4_report_verdict(d.findings), a.reason)::bench_healthy
				FROM (VALUES (true), (false)) v (use_pool)
				CROSS JOIN LATERAL (SELECT l4_report_findings(this, v.use_pool) AS findings OFFSET 0) d
				CROSS JOIN LATERAL l4_restart_advice(this, d.findings) a);
			RAISE EXCEPTION USING ERRCODE = 'triggered_action_exception';
		EXCEPTION WHEN triggered_action_exception THEN
			INSERT INTO bench_healthy SELECT (f).* FROM unnest(found) f;
		END;
	END LOOP;
END $$;

CREATE VIEW bench_alarm AS
SELECT h.*, b.family, h.suspects <> '{}' AS suspected, h.faults <> '{}' AS known_fault,
	h.action IN ('cordon', 'reset', 'test') OR h.action = 'network' AND h.target IS NOT NULL AS takes_out,
	h.action IN ('user', 'storage', 'network') AS calls,
	h.suspects <> '{}' OR h.faults <> '{}' OR h.action NOT IN ('none', 'look', 'restart', 'wait', 'watch') AS alarm
FROM bench_healthy h JOIN bench_job b ON b.job ->> 'job_id' = h.job_id;

\pset footer off
\echo 'Successful jobs diagnosed as if they had failed: how many have ...'
SELECT pool, count(*) AS jobs, count(*) FILTER (WHERE alarm) AS any_alarm, count(*) FILTER (WHERE suspected) AS suspects,
	count(*) FILTER (WHERE known_fault) AS faults, count(*) FILTER (WHERE takes_out) AS node_out,
	count(*) FILTER (WHERE calls) AS someone_called
FROM bench_alarm GROUP BY pool ORDER BY pool;
\echo 'Each family:'
SELECT family, pool, count(*) AS jobs, count(*) FILTER (WHERE alarm) AS any_alarm,
	count(*) FILTER (WHERE suspected) AS suspects, count(*) FILTER (WHERE known_fault) AS faults,
	count(*) FILTER (WHERE takes_out) AS node_out,
	count(*) FILTER (WHERE calls) AS someone_called
FROM bench_alarm GROUP BY family, pool ORDER BY family COLLATE "C", pool;
\echo 'What they are told to do:'
SELECT pool, action, count(*) AS jobs FROM bench_alarm GROUP BY pool, action ORDER BY pool, jobs DESC, action COLLATE "C";
\echo 'Each alarm:'
SELECT job_id, pool, array_to_string(suspects, ' ') AS suspects, array_to_string(faults, ' ') AS faults, action, target, rule,
	left(verdict, 160) AS verdict
FROM bench_alarm WHERE alarm ORDER BY pool, job_id COLLATE "C";
