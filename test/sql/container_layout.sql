-- A file of all ranks as a runner of containers lays it out (compose, concurrently): the name of each service, padded, a bar,
-- and what it said; and what .NET's console logger writes: a header alone, with the message set in below it.
CREATE SCHEMA container_layout;
SET search_path = container_layout, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, at numeric, line text);
CREATE FUNCTION say(job text, who text, at numeric, level text, said text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, at, format(E'%1$s  | %2$s{t} %3$s: Fit.Loop[7]\n%1$s  | %2$s      ', who, CASE
		WHEN who ~ '\d' THEN '' ELSE '  ' END, level) || replace(said, E'\n', format(E'\n%s  |       ', who))
$$;
-- what all jobs have: a service that feeds the ranks, each on a node of its own, which it says
CREATE FUNCTION run_job(job text, nodes text[], steps int DEFAULT 12) RETURNS void LANGUAGE sql AS $$
	SELECT say(job, 'feed', 0, 'info', 'serving 9000 items');
	SELECT say(job, 'worker-' || n, 1 + n * 0.1, 'info', format('worker-%s of 4 on %s', n, nodes[n + 1])),
		say(job, 'worker-' || n, 1.5 + n * 0.1, 'warn', 'No accelerator configured') FROM generate_series(0, 3) n;
	SELECT say(job, 'worker-' || n, 2 + s + n * 0.1, 'info', format('Step %s/40: loss 0.6%s, 300 ms (read 3, compute 9)', s, s))
	FROM generate_series(0, 3) n, generate_series(1, steps) s;
$$;
CREATE FUNCTION load_job(job text, status text, nodes text[]) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', status, nodes, 1, started_at => '2026-11-20 09:59+00');
	RETURN (l4_ingest(job, format($q$
		SELECT replace(line, '{t}', to_char(timestamp '2026-11-20 10:00' + at * interval '1 s', 'HH24:MI:SS.MS'))
			AS line, '_head/job.log' AS source FROM line WHERE job = %L ORDER BY at, line COLLATE "C"$q$, job))).rows;
END $$;
SELECT run_job(j, CASE WHEN j ~ 'fine' THEN '{ant-01,bee-02,cat-03,dog-04}'::text[] ELSE '{elk-11,fox-12,gnu-13,hen-14}' END)
FROM unnest('{fine,fine2,fails,off,late}'::text[]) j \g /dev/null

SELECT say('fails', 'worker-2', 15, 'fail',
	E'The writer of /mnt/a.bin ended\nSystem.IO.IOException: Disk full\n  at Fit.Write () in /b/W.cs:7') \g /dev/null
INSERT INTO line VALUES ('fails', 16, 'worker-2  | ssh gnu-13 run.sh 2 exited with code SIGTERM');
SELECT say('fails', 'worker-' || n, 16.5, 'crit', 'No part of worker-2 within 3 s') FROM unnest('{0,1,3}'::int[]) n \g /dev/null
SELECT load_job('fine', 'succeeded', '{ant-01,bee-02,cat-03,dog-04}'),
	load_job('fine2', 'succeeded', '{ant-01,bee-02,cat-03,dog-04}'),
	load_job('fails', 'failed', '{elk-11,fox-12,gnu-13,hen-14}');
\echo == a service is a label, whatever it is called; the message stands below its header; what a program sets in stays
SELECT s.label, s.kind, s.rank, s.record_count, s.last_iteration FROM l4_stream s WHERE s.job_id = 'fails'
ORDER BY s.label COLLATE "C" NULLS FIRST;
SELECT l.line_no, l.rank, to_char(l.ts, 'HH24:MI:SS.MS') AS ts, l.level, l.component, l.iteration,
	replace(l.message, E'\n', '|') AS message FROM l4_log l
WHERE l.job_id = 'fails' AND (l.line_no < 8 OR l.line_no BETWEEN 27 AND 32 OR l.level IN ('error', 'fatal')) ORDER BY l.line_no;
SELECT count(*) AS lines, string_agg(l.raw, E'\n' ORDER BY l.line_no) = (SELECT string_agg(replace(o.line, '{t}', to_char(
	timestamp '2026-11-20 10:00' + o.at * interval '1 s', 'HH24:MI:SS.MS')), E'\n' ORDER BY o.at, o.line COLLATE "C")
	FROM line o WHERE o.job = 'fails') AS as_written
FROM l4_log l WHERE l.job_id = 'fails';
SELECT d.kind, d.node, d.iteration FROM l4_diagnose('fails') d WHERE d.kind IN ('node', 'iteration') AND d.ordinal = 1;
SELECT count(*) AS ended_by_a_signal FROM l4_unexplained('fails') u WHERE u.message ~ 'SIGTERM';

\echo == somebody ends the job: who misses others then blames nobody; not where something went wrong before
INSERT INTO line SELECT j, 15, 'Gracefully stopping... (press Ctrl+C again to force)' FROM unnest('{off,late}'::text[]) j;
SELECT say('late', 'worker-2', 14.8, 'fail', 'System.IO.IOException: Disk full') \g /dev/null
SELECT say(j, 'worker-' || n, 16.5, 'crit', 'No part of worker-2 within 3 s') FROM unnest('{off,late}'::text[]) j,
	unnest('{0,1,3}'::int[]) n \g /dev/null
SELECT load_job('off', 'failed', '{elk-11,fox-12,gnu-13,hen-14}'), load_job('late', 'failed', '{elk-11,fox-12,gnu-13,hen-14}');
SELECT j AS job, d.node FROM unnest('{off,late}'::text[]) j LEFT JOIN LATERAL (SELECT * FROM l4_diagnose(j) d
	WHERE d.kind = 'node' AND d.ordinal = 1) d ON true;
\echo == whom somebody is compared with has it as it should be
SELECT l4_without_reference(t, l4_wordings_in_force())
FROM unnest(ARRAY['Settings of worker-2 (gnu-13) differ from those of worker-0: 7 is not 8',
	'the digest of rank 3 differs from the coordinator''s', 'no answer from rank 3',
	'rank 2 has 184768 parameters, rank 0 has 135488', 'rank 0 runs 0.5.1, but rank 3 runs 0.5.0', 'rank 0 has failed',
	'vocabulary of rank 3 does not match that of rank 0']) t;

SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
DROP SCHEMA container_layout CASCADE;
