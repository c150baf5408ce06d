-- A file of all ranks whose launcher puts the identifier of a command before each line, as Capistrano does, and Ruby's logger
-- behind it: on which host a command runs, which rank writes, by what name it goes, what its frames belong to, and when.
CREATE SCHEMA launcher_tags;
SET search_path = launcher_tags, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, source text, at numeric, line text);
CREATE FUNCTION load_job(job text, status text, hall text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', status, ARRAY(SELECT hall || n FROM generate_series(0, 3) n), 1);
	RETURN (l4_ingest(job, format($q$
		SELECT replace(line, '{t}', to_char(timestamp '2026-11-20 10:00' + at * interval '1 s', 'YYYY-MM-DD"T"HH24:MI:SS.US'))
			AS line, source FROM line WHERE job = %L ORDER BY source, at, line COLLATE "C"$q$, job))).rows;
END $$;

-- what all jobs have: commands are started, ranks begin, one of three tells the tracker in vain, all iterate and save
CREATE FUNCTION run_job(job text, hall text, last_step int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, '_head/cap.log', 0.1 * n,
		format('  INFO [a%s0000b%s] Running /usr/bin/env fit.sh %s as root@%s%s', n, n, n, hall, n)
	FROM generate_series(0, 3) n;
	INSERT INTO line SELECT job, '_head/cap.log', 1 + 0.1 * n, format(
		E' DEBUG [a%s0000b%s] \tI, [{t} #32]  INFO -- part%s: fit 1.6, attempt 1\n'
		'I, [{t} #32]  INFO -- part%s: layer 20', n, n, n, n)
	FROM generate_series(0, 3) n;
	INSERT INTO line SELECT job, '_head/cap.log', 2, format(
		E' DEBUG [a10000b1] \tE, [{t} #32] ERROR -- part1: cannot reach the tracker at %sdesk (Errno::ECONNREFUSED)\n'
		'/app/fit.rb:52:in `gauge''\n/app/fit.rb:5:in `<main>''', hall);
	INSERT INTO line SELECT job, '_head/cap.log', 2 + s + 0.1 * n,
		format(E' DEBUG [a%s0000b%s] \tI, [{t} #32]  INFO -- part%s: step %s/20 loss 2.%s', n, n, n, s, 90 - s)
	FROM generate_series(0, 3) n, generate_series(1, last_step) s;
	INSERT INTO line SELECT job, '_head/cap.log', 12.45 + n * 0.1,
		format(E' DEBUG [a%s0000b%s] \tI, [{t} #32]  INFO -- part%s: saved /ckpt/step-10/part-%s.bin (2 ms)', n, n, n, n)
	FROM generate_series(0, 3) n WHERE last_step > 0
$$;
SELECT run_job('calm', 'oslo-', 20), run_job('calm2', 'oslo-', 20), run_job('tagged', 'rome-', 10);
SELECT run_job('waits', 'rome-', 0), run_job('counts', 'rome-', 0);
INSERT INTO line SELECT 'tagged', '_head/cap.log', x.at, x.said FROM (VALUES
	(13.0, E' DEBUG [a20000b2] \tF, [{t} #32] FATAL -- part2: no such key: gain (KeyError)\n/app/fit.rb:9:in `fetch''\n'
		'/app/fit.rb:5:in `<main>'''),
	(33.0, E' DEBUG [a30000b3] \tF, [{t} #32] FATAL -- part3: no pieces of step 11 from part2 within 20 s (Fit::Late)\n'
		'/app/link.rb:45:in `recv''\n/app/fit.rb:5:in `<main>''')) x (at, said);
SELECT load_job('calm', 'succeeded', 'oslo-'), load_job('calm2', 'succeeded', 'oslo-'), load_job('tagged', 'failed', 'rome-');

\echo == an identifier is of the host that its command runs on; the rank is that of the header
SELECT s.label, s.kind, s.told_node, s.rank, s.record_count FROM l4_stream s WHERE s.job_id = 'tagged'
ORDER BY s.label COLLATE "C" NULLS FIRST;
SELECT a.address, a.node FROM l4_address a WHERE a.job_id = 'tagged' ORDER BY 1;

\echo == frames belong to the line above them, though nothing stands before them; what is saved is over
SELECT l.line_no, l.rank, l.stage, replace(l.message, E'\n', '|') AS message FROM l4_log l
WHERE l.job_id = 'tagged' AND (l.level IN ('error', 'fatal') OR l.message ~ 'saved|KeyError|Late') ORDER BY l.line_no;

\echo == the time goes on by those that have the same clock; a tracker with another name is no news; frames make nothing alike
SELECT u.node, u.rank, to_char(u.first_ts, 'HH24:MI:SS') AS first_ts, split_part(u.message, E'\n', 1) AS message
FROM l4_unexplained('tagged') u ORDER BY u.first_line;
SELECT l4_told_text(E'no such key: gain (KeyError)\n/app/fit.rb:9:in `fetch''\n/app/fit.rb:5:in `<main>'''),
	l4_told_text(E'Error: no such key\n    at fetch (/app/fit.js:9:2)\n    at main (/app/fit.js:5:1)'),
	l4_told_path(l4_told_text(E'cannot read /data/shard-3.bin\n/app/fit.rb:9:in `fetch''\n/app/fit.rb:5:in `<main>'''));
SELECT unit, name, accuser FROM l4_accusations('tagged');
SELECT kind, ordinal, node, stage, iteration FROM l4_diagnose('tagged')
WHERE kind IN ('node', 'stage', 'iteration') AND ordinal = 1;

\echo == whom the leader says it waited for is missing, not the leader, whom all others miss once it has given up
INSERT INTO line SELECT 'waits', '_head/cap.log', x.at, x.said FROM (VALUES
	(6.0, E' DEBUG [a20000b2] \tF, [{t} #32] FATAL -- part2: Connection refused - connect(2) for "rome-0" port 7040'),
	(30.0, E' DEBUG [a00000b0] \tF, [{t} #32] FATAL -- part0: 3 of 4 are here after 30 s, missing: part2 (Fit::WaitTimeout)'),
	(30.1, E' DEBUG [a10000b1] \tF, [{t} #32] FATAL -- part1: part0 (rome-0:7400) closed the connection (Fit::Gone)'),
	(30.2, E' DEBUG [a30000b3] \tF, [{t} #32] FATAL -- part3: part0 (rome-0:7400) closed the connection (Fit::Gone)'))
	x (at, said);
SELECT load_job('waits', 'failed', 'rome-');
SELECT unit, name, accuser, first_ts, waited FROM l4_accusations('waits') ORDER BY first_ts, accuser, name;
SELECT e.unit, round(e.share::numeric, 2) AS share
FROM l4_accused_ends(ARRAY(SELECT a FROM l4_accusations('waits') a), l4_limits_in_force()) e;
SELECT kind, ordinal, node FROM l4_diagnose('waits') WHERE kind = 'node' AND ordinal = 1;

\echo == who says that some of all are not there waited for them, as those did that say that it did not answer
INSERT INTO line SELECT 'counts', '_head/cap.log', 30 + n * 0.1,
	format(E' DEBUG [a%s0000b%s] \tF, [{t} #32] FATAL -- part%s: %s',
	n, n, n, CASE n WHEN 0 THEN 'timed out after 30 s waiting for clients. 3/4 clients joined.'
		ELSE 'wait timeout after 30000ms, remote=[rome-0]:7400' END) FROM unnest('{0,1,3}'::int[]) n;
SELECT load_job('counts', 'failed', 'rome-');
SELECT unit, name, accuser, waited FROM l4_accusations('counts') ORDER BY accuser;
SELECT kind, ordinal, node FROM l4_diagnose('counts') WHERE kind = 'node';

SET client_min_messages = warning;
DROP SCHEMA launcher_tags CASCADE;
SELECT count(l4_delete_job(j.job_id)) FROM unnest('{calm,calm2,tagged,waits,counts}'::text[]) j (job_id);
