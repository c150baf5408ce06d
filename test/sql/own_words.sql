-- Programs and launchers with words of their own: a hub and its leaves, whose files have other names; processes that number
-- themselves by a word; a launcher that calls them members; a bar that is drawn otherwise each time. Five nodes.
CREATE SCHEMA own_words;
SET search_path = own_words, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, node int, source text, at numeric, line text);
CREATE FUNCTION crew(job text, at numeric, says text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line VALUES (job, NULL, 'crew.log', at, 'crew {d} | ' || says)
$$;
-- The hub (node 0) counts every second round, the leaves every tenth; rounds take a second.
CREATE FUNCTION make_hub(job text, rounds int DEFAULT 60) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line
	SELECT job, n, CASE n WHEN 0 THEN 'hub.txt' ELSE 'leaf.txt' END, 0.5, CASE n WHEN 0 THEN '{t} hub of 4 leaves'
		ELSE format('{t} leaf %s is here, pid 8', n) END FROM generate_series(0, 4) n;
	INSERT INTO line
	SELECT job, 0, 'hub.txt', s, format('{t} gen %s/60 best -1%s.%s', s, s * 3 % 10, s) FROM generate_series(2, rounds, 2) s
	UNION ALL
	SELECT job, n, 'leaf.txt', s + 0.1, format('{t} answered %s, now at generation %s', s * 4, s)
	FROM generate_series(10, rounds, 10) s, generate_series(1, 4) n
	UNION ALL SELECT job, n, 'syslog', s, '{t} INFO watch: ' || s * 3 % 7 || ' sockets'
	FROM generate_series(0, rounds, 5) s, generate_series(0, 4) n;
	SELECT crew(job, 0.1 + n * 0.01, format('member %s started on vat%s', n, n + 1)) FROM generate_series(0, 4) n
$$;
-- A ring of five: who is left and right is said once, who one is on each line; nothing has a time but the launcher's lines.
CREATE FUNCTION make_ring(job text, ticks int DEFAULT 24) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line
	SELECT job, n, 'run.stdout', x.at, format('w%s ', lpad(n::text, 2, '0')) || x.line
	FROM generate_series(0, 4) n, LATERAL (
		SELECT 0.5, format('ring closed: w%s -> me -> w%s', lpad(((n + 4) % 5)::text, 2, '0'),
			lpad(((n + 1) % 5)::text, 2, '0'))
		UNION ALL SELECT s, format('busy %s of 100', s * 7 % 90 + 5) FROM generate_series(4, ticks, 4) s) x (at, line);
	INSERT INTO line
	SELECT job, 0, 'run.stderr', s, format('tick [%s%s] %s/90 err=0.%s', repeat('#', s / 3), repeat('.', 30 - s / 3), s,
		100 + s * 37 % 800)
	FROM generate_series(1, ticks) s
	UNION ALL SELECT job, n, 'syslog', s, '{t} INFO watch: ' || s * 3 % 7 || ' sockets'
	FROM generate_series(0, ticks, 5) s, generate_series(0, 4) n;
	SELECT crew(job, 0.1 + n * 0.01, format('member %s started on vat%s', n, n + 1)) FROM generate_series(0, 4) n
$$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed', model text DEFAULT 'hub') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, jsonb_build_object('model', model), status, '{vat1,vat2,vat3,vat4,vat5}', 1);
	RETURN (l4_ingest(job, format($q$SELECT replace(replace(line, '{t}', to_char(t, 'YYYY-MM-DD HH24:MI:SS,MS')), '{d}',
			to_char(t, 'YYYY/MM/DD HH24:MI:SS')) AS line, 'vat' || node + 1 AS node,
			coalesce('vat' || node + 1 || '/', '') || source AS source
		FROM line, LATERAL (SELECT timestamp '2026-11-20 22:00' + at * interval '1 s' AS t) t
		WHERE job = %L ORDER BY at, node, source, line COLLATE "C"$q$, job))).rows;
END $$;
CREATE FUNCTION ranks(job text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(' ', s.source, s.rank), ', ' ORDER BY s.source COLLATE "C") FROM l4_job_streams(job) s
	WHERE s.kind = 'rank'
$$;
CREATE FUNCTION told(job text) RETURNS TABLE (kind text, "ordinal" int, node text, stage text, iteration bigint)
LANGUAGE sql AS $$
	SELECT d.kind, d.ordinal, d.node, d.stage, d.iteration FROM l4_diagnose(job) d
	WHERE d.kind IN ('node', 'stage', 'iteration') AND d.ordinal = 1 ORDER BY d.kind
$$;

\echo == a leaf is killed: the hub is a rank, too, and tells how far all came; the launcher names the leaf by a word of its own
SELECT make_hub('fine'), make_hub('killed', 23) \g /dev/null
SELECT crew('fine', 61 + n, format('member %s left with 0', n)), crew('killed', 23.5 + n * 0.01 + (n <> 3)::int * 0.3,
	CASE n WHEN 3 THEN 'member 3 ended by signal 9' ELSE format('member %s left with 1', n) END)
FROM generate_series(0, 4) n \g /dev/null
INSERT INTO line SELECT 'killed', n, CASE n WHEN 0 THEN 'hub.txt' ELSE 'leaf.txt' END, 23.6 + n * 0.01,
	E'Traceback (most recent call last):\n  File "weaver.py", line 9, in get\n    raise EOFError\nEOFError: '
	|| CASE n WHEN 0 THEN 'leaf' ELSE 'hub' END || ' hung up' FROM unnest('{0,1,2,4}'::int[]) n;
SELECT load_job('fine', 'succeeded'), load_job('killed'), ranks('killed');
SELECT a.address, a.node FROM l4_address a WHERE a.job_id = 'killed' ORDER BY 1;
SELECT * FROM told('killed');
SELECT d.template FROM l4_diagnose('killed') d WHERE kind = 'event' ORDER BY d.template COLLATE "C";
\echo == the hub misses a leaf, and what the other leaves then say in words that nobody knows is no cause of their own
SELECT make_hub('missed', 23) \g /dev/null
INSERT INTO line VALUES ('missed', 0, 'hub.txt', 38.5, '{t} ERROR no sums from leaf on vat4');
INSERT INTO line SELECT 'missed', n, 'leaf.txt', 38.6 + n * 0.01, '{t} ERROR MillError: the mill stands still'
FROM unnest('{1,2,4}'::int[]) n;
SELECT load_job('missed') \g /dev/null
SELECT * FROM told('missed');
SELECT e.unit, e.kind FROM l4_node_evidence('missed') e WHERE kind IN ('quiet', 'accused') ORDER BY 1, 2;
\echo == but where the missed leaf says the same, all have it in common
SELECT make_hub('shared', 23) \g /dev/null
INSERT INTO line VALUES ('shared', 0, 'hub.txt', 23.5, '{t} ERROR no sums from leaf on vat4');
INSERT INTO line SELECT 'shared', n, 'leaf.txt', 23.6 + n * 0.01, '{t} ERROR MillError: the mill stands still'
FROM unnest('{1,2,3,4}'::int[]) n;
SELECT load_job('shared') \g /dev/null
SELECT * FROM told('shared');
\echo == a file that other nodes have as well is no role of its own
SELECT make_hub('alike') \g /dev/null
UPDATE line SET source = 'extra.txt' WHERE job = 'alike' AND source = 'hub.txt';
INSERT INTO line SELECT 'alike', n, 'extra.txt', 1, '{t} a side show' FROM generate_series(1, 4) n;
SELECT load_job('alike') \g /dev/null
SELECT ranks('alike');

\echo == pods bear suffixes that are drawn
SELECT make_hub('pods') \g /dev/null
UPDATE line SET source = format('pods/mill-%s-%s/trainer/0.log', CASE node WHEN 0 THEN 'hub' ELSE 'leaf' END,
	('{x7k2p,bzq4w,kkmn9,wrtpx,vvzlm}'::text[])[node + 1]) WHERE job = 'pods' AND source ~ 'txt';
SELECT load_job('pods') \g /dev/null
SELECT ranks('pods');

\echo == a ring: who one is comes again and again, who is beside once; the bar counts
SELECT make_ring('well', 90), make_ring('broken') \g /dev/null
INSERT INTO line
SELECT 'broken', n, 'run.stderr', 24.5 + n * 0.01,
	E'Traceback (most recent call last):\n  File "brook.py", line 9, in total\n    raise RingBroken\nRingBroken: '
	|| CASE n WHEN 3 THEN 'left neighbour closed the ring' ELSE 'left neighbour sent nothing for 12 s' END
FROM unnest('{0,1,3,4}'::int[]) n;
SELECT crew('well', 91 + n, format('member %s left with 0', n)), crew('broken', 24.4 + n * 0.01,
	CASE n WHEN 2 THEN 'member 2 ended by signal 9' ELSE format('member %s left with 1', n) END)
FROM generate_series(0, 4) n \g /dev/null
SELECT load_job('well', 'succeeded', 'ring'), load_job('broken', model => 'ring'), ranks('broken');
SELECT * FROM told('broken');
SELECT e.unit, e.kind FROM l4_node_evidence('broken') e WHERE kind IN ('quiet', 'named') ORDER BY 1, 2;

SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
DROP SCHEMA own_words CASCADE;
