-- Who speaks for all, who does what for all, who had waited, and whom a warning is about: no fault of those who say it. Eight
-- nodes of one rank, ten steps of two seconds; the first rank and the last report, ranks 0 and 4 keep parts. A successful job
-- says the same.
SET search_path = public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE role_line (job text, rank int, at numeric, line text);
CREATE FUNCTION role_lines(job text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO role_line
	SELECT job, r, s * 2 + x.at + r * 0.001, x.line
	FROM generate_series(0, 7) r, generate_series(1, 10) s, LATERAL (VALUES
		(0.1, format('INFO step %s loss %s state %s', s, 9 - s * 0.1, substr(md5(format('%s %s', r, s)), 1, 8)), true),
		(0.7, format('DEBUG forward took %s ms', 500 + (r * 7 + s * 13) % 11), true),
		(0.8, format('INFO mean of the last 2 was %s per second', 900 + s), r IN (0, 7) AND s % 2 = 0),
		(0.9, format('INFO keeping part %s', r), r IN (0, 4) AND s % 5 = 0)) x (at, line, said)
	WHERE x.said;
$$;
CREATE FUNCTION role_says(job text, ranks int[], at numeric, line text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO role_line SELECT job, r, role_says.at + r * 0.01, line FROM unnest(ranks) r
$$;
CREATE FUNCTION role_job(job text, status text DEFAULT 'failed') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{"test": "roles"}', status, ARRAY(SELECT 'n' || r FROM generate_series(0, 7) r), 1);
	PERFORM l4_ingest(job, format($q$
		SELECT to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS') || ' ' || line AS line,
			'n' || rank AS node, rank, 'train' AS source
		FROM role_line WHERE job = %L ORDER BY at, rank, line COLLATE "C"$q$, job));
END $$;
CREATE FUNCTION role_suspects(job text) RETURNS TABLE (node text, rank int, kinds text) LANGUAGE sql AS $$
	SELECT s.node, s.rank, string_agg(e.kind || ' ' || round(e.part::numeric, 2), ', ' ORDER BY e.weight DESC, e.kind)
	FROM l4_suspect_nodes(job, weak => true) s, unnest(s.evidence) e
	WHERE e.kind <> 'forest' AND s.named GROUP BY s.node, s.rank, s.ordinal ORDER BY s.ordinal
$$;
\set everyone '''{0,1,2,3,4,5,6,7}'''
SELECT role_lines('role_good'), role_says('role_good', :everyone, 25, 'INFO process ended with status 0'),
	role_job('role_good', 'succeeded') \g /dev/null

\echo One that reports ends the run by an exception, the others say that it ends: nobody. By a crash, or if they complain: it.
SELECT role_lines('role_speaks'), role_says('role_speaks', '{0}', 21, E'ERROR cost is not finite\nValueError: nan'),
	role_says('role_speaks', :everyone, 21.5, 'INFO the run is to end, leaving'), role_job('role_speaks') \g /dev/null
SELECT * FROM role_suspects('role_speaks');
SELECT role_lines('role_crashes'), role_says('role_crashes', '{0}', 21, 'ERROR caught signal 11'),
	role_says('role_crashes', :everyone, 21.5, 'INFO the run is to end, leaving'), role_job('role_crashes') \g /dev/null
SELECT * FROM role_suspects('role_crashes');
SELECT role_lines('role_breaks'), role_says('role_breaks', '{0}', 21, E'ERROR cost is not finite\nValueError: nan'),
	role_says('role_breaks', '{1,2,3,4,5,6,7}', 21.5, 'ERROR socket ended early, leaving'), role_job('role_breaks') \g /dev/null
SELECT * FROM role_suspects('role_breaks');

\echo The two that keep parts fail alike: nobody. Two that have nothing in common: both.
SELECT role_lines('role_keeps'), role_says('role_keeps', '{0,4}', 21, 'ERROR the project has used up its allowance'),
	role_says('role_keeps', :everyone, 21.5, 'ERROR part 10 is not whole, leaving'), role_job('role_keeps') \g /dev/null
SELECT * FROM role_suspects('role_keeps');
SELECT role_lines('role_others'), role_says('role_others', '{3,4}', 21, 'ERROR the project has used up its allowance'),
	role_says('role_others', :everyone, 21.5, 'ERROR part 10 is not whole, leaving'), role_job('role_others') \g /dev/null
SELECT * FROM role_suspects('role_others');

\echo All but one fail alike: at once for a cause in common, after thirty steps they had waited for the one without a word.
SELECT role_lines('role_prompt'), role_says('role_prompt', '{0,1,2,4,5,6,7}', 21, 'ERROR exchange is not whole, leaving'),
	role_job('role_prompt') \g /dev/null
SELECT * FROM role_suspects('role_prompt');
SELECT role_lines('role_waits'), role_says('role_waits', '{0,1,2,4,5,6,7}', 81, 'ERROR exchange is not whole, leaving'),
	role_job('role_waits') \g /dev/null
SELECT * FROM role_suspects('role_waits');

\echo Warnings and errors without a word of complaint are about the one rank that they name; what is no warning is not.
SELECT role_lines('role_edges'), role_says('role_edges', '{2}', 19, 'WARNING resent 40 pieces to rank 3'),
	role_says('role_edges', '{5}', 19, 'INFO sent 40 pieces to rank 6'),
	role_says('role_edges', '{4}', 21, 'ERROR received 5 of 24 pieces from rank 3'),
	role_says('role_edges', :everyone, 81, 'ERROR exchange is not whole, leaving'), role_job('role_edges') \g /dev/null
SELECT * FROM role_suspects('role_edges');

\echo A digest that looks like a huge number is none.
SELECT role_lines('role_digest') \g /dev/null
UPDATE role_line SET line = 'INFO step 9 loss 8.1 state 9627e99b' WHERE job = 'role_digest' AND rank = 2 AND line ~ 'step 9 ';
SELECT role_job('role_digest') \g /dev/null
SELECT n.reason, n.node, n.message FROM l4_unexplained('role_digest') n;

\echo That something ended well once is enough to know what ended otherwise; that is no root.
SELECT role_lines('role_status'), role_says('role_status', '{3}', 21, 'ERROR the wheel is broken'),
	role_says('role_status', :everyone, 22, 'INFO process ended with status 1'), role_job('role_status') \g /dev/null
SELECT n.reason, n.numbers, count(*) FROM l4_unexplained('role_status') n GROUP BY n.reason, n.numbers ORDER BY 1;
SELECT e.role, e.template FROM l4_diagnose('role_status') e WHERE e.kind = 'event' ORDER BY e.ordinal;

SELECT l4_delete_job(j) FROM unnest(ARRAY(SELECT DISTINCT job FROM role_line ORDER BY job)) j \g /dev/null
DROP FUNCTION role_suspects, role_job, role_says, role_lines;
DROP TABLE role_line;
