-- Ranks that stand still around a ring, or fail for another one's end: which of them, though nobody names anybody. Six nodes of
-- one rank, ten steps of two seconds.
CREATE SCHEMA around;
SET search_path = around, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, rank int, source text DEFAULT 'train', at numeric, line text);
CREATE FUNCTION make_job(job text, ranks int DEFAULT 6) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, r, 'train', s * 2 + r * 0.001, format('INFO step %s loss %s', s, 9 - s * 0.1)
	FROM generate_series(0, ranks - 1) r, generate_series(1, 10) s;
$$;
CREATE FUNCTION says(job text, rank int, at numeric, said text, source text DEFAULT 'train') RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT says.job, says.rank, says.source, says.at, l
	FROM string_to_table(says.said, E'\n') WITH ORDINALITY l (l, turn) ORDER BY turn
$$;
-- what: send or recv; operation: what the last frame of the program calls
CREATE FUNCTION stuck(job text, ranks int[], what text, operation text DEFAULT 'all_reduce') RETURNS void LANGUAGE sql AS $$
	SELECT says(job, r, 40 + r * 0.01, format(E'ERROR Traceback (most recent call last):\n  File "train.py", line 9, in main\n'
		'    dist.%s(x)\nRuntimeError: [./gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 20000ms for %s '
		'operation to complete', operation, what)) FROM unnest(ranks) r
$$;
CREATE FUNCTION load_job(job text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', '{n0,n1,n2,n3,n4,n5}', 1);
	RETURN (l4_ingest(job, format($q$
		SELECT CASE WHEN line ~ '^([A-Z]+ |Traceback)' THEN to_char(timestamp '2026-11-20 22:00' + at * interval '1 s',
				'YYYY-MM-DD HH24:MI:SS,MS ') ELSE '' END || line AS line, 'n' || rank AS node,
			CASE source WHEN 'train' THEN rank END AS rank, source
		FROM (SELECT l.*, row_number() OVER () AS turn FROM line l WHERE job = %L) l ORDER BY rank, source, at, turn$q$,
		job))).rows;
END $$;
CREATE FUNCTION blamed(job text) RETURNS TABLE ("ordinal" int, node text, evidence text) LANGUAGE sql AS $$
	SELECT s.ordinal, s.node, (SELECT string_agg(format('%s %s: %s', e.kind, round(e.weight::numeric, 2),
		l4_evidence_sentence(e)), E'\n' ORDER BY e.weight DESC) FROM unnest(s.evidence) e WHERE e.kind IN ('between', 'quiet'))
	FROM l4_suspect_nodes(job) s ORDER BY s.ordinal
$$;
\x on

\echo == a link: behind it they wait to send, before it to receive
SELECT make_job('link'), stuck('link', '{2,3,4}', 'send'), stuck('link', '{0,1,5}', 'recv'), load_job('link') \g /dev/null
SELECT * FROM blamed('link');
\echo == one that says nothing; where all meet, data goes the other way around, and it is the same one
SELECT make_job('silent'), stuck('silent', '{3,4}', 'send'), stuck('silent', '{0,1,5}', 'recv'), load_job('silent') \g /dev/null
SELECT * FROM blamed('silent');
SELECT make_job('meets'), stuck('meets', '{0,1}', 'send', 'barrier'), stuck('meets', '{3,4,5}', 'recv', 'barrier'),
	load_job('meets') \g /dev/null
SELECT * FROM blamed('meets');
\echo == of half that say nothing, as they may have been ended before they could, the one that does not take what is sent to it
SELECT make_job('several'), stuck('several', '{5}', 'send'), stuck('several', '{0,1}', 'recv'), load_job('several') \g /dev/null
SELECT e.node, round(e.weight::numeric, 2) AS weight, l4_evidence_sentence(e) AS sentence FROM l4_node_evidence('several') e
WHERE e.kind = 'between';
\echo == nothing is told where it is not known which way data goes, where two places are broken, and where few are stuck
SELECT make_job('other'), stuck('other', '{2,3,4}', 'send', 'barrier'), stuck('other', '{0,1,5}', 'recv', 'barrier'),
	load_job('other') \g /dev/null
SELECT make_job('apart'), stuck('apart', '{0,2,4}', 'send'), stuck('apart', '{1,3,5}', 'recv'), load_job('apart') \g /dev/null
SELECT make_job('few'), stuck('few', '{2}', 'send'), stuck('few', '{1}', 'recv'), load_job('few') \g /dev/null
SELECT j, count(e) AS pieces FROM unnest('{other,apart,few}'::text[]) j LEFT JOIN LATERAL l4_node_evidence(j) e
	ON e.kind = 'between' GROUP BY j ORDER BY j;
\echo == a stack that was torn from its error is of the same
SELECT make_job('torn'), stuck('torn', '{0,1,5}', 'recv'), stuck('torn', '{2,3}', 'send'), says('torn', 4, 39.9,
	E'Traceback (most recent call last):\n  File "train.py", line 9, in main\n    dist.all_reduce(x)'),
	says('torn', 4, 40.1, 'ERROR RuntimeError: [./gloo/transport/tcp/a.cc:8] Timed out waiting 20000ms for send '
	'operation to complete'), load_job('torn')
	\g /dev/null
SELECT s.ordinal, s.node FROM l4_suspect_nodes('torn') s;

\echo == a launcher whose process was killed says so first: it is no victim, as those are who lost it; later it may have done so
SELECT make_job('killed'), says('killed', 2, 30, 'ERROR failed (exitcode: -9) local_rank: 0 (pid: 5)', 'launcher'),
	says('killed', r, 30.5 + r * 0.1, 'ERROR RuntimeError: Connection reset by peer') FROM unnest('{0,1,3,4,5}'::int[]) r
	\g /dev/null
SELECT make_job('ends'), says('ends', 2, 35, 'ERROR failed (exitcode: -9) local_rank: 0 (pid: 5)', 'launcher'),
	says('ends', r, 30.5 + r * 0.1, 'ERROR RuntimeError: Connection reset by peer') FROM unnest('{0,1,2,3,4}'::int[]) r
	\g /dev/null
SELECT load_job('killed'), load_job('ends') \g /dev/null
SELECT j, e.unit, e.kind, round(e.weight::numeric, 2) AS weight, l4_evidence_sentence(e) AS told
FROM unnest('{killed,ends}'::text[]) j, l4_node_evidence(j) e WHERE e.unit = 'n2' AND e.kind IN ('first', 'own', 'quiet')
ORDER BY 1, 3;
\echo == whom a peer lost before the last of the others complains is one of them, be its words others; not who comes after all
SELECT make_job('reset'), says('reset', r, 30 + r, CASE r WHEN 3 THEN 'ERROR RuntimeError: Read error: Connection reset by peer'
	ELSE 'ERROR RuntimeError: Connection closed by the other side' END) FROM unnest('{0,1,2,3,4,5}'::int[]) r \g /dev/null
SELECT load_job('reset') \g /dev/null
SELECT count(*) AS quiet FROM l4_node_evidence('reset') WHERE kind = 'quiet';

\echo == the rows of a table begin with an identifier, which may look like a word: of all of them the same is said
SELECT make_job('table'), says('table', r, 40 + r * 0.01, 'ERROR RuntimeError: Connection reset by peer')
	FROM unnest('{0,1,2,3,4,5}'::int[]) r \g /dev/null
INSERT INTO line SELECT 'table', NULL, 'service', 41, (ARRAY['mzkqtvbn', 'wgripvmk', 'qsvdgkye', 'zmxncbva', 'poiuytre'])[r + 1]
	|| format('   worker.%s   n%s   Failed 3 seconds ago   "task: non-zero exit (1)"', r, r) FROM generate_series(0, 4) r;
SELECT load_job('table') \g /dev/null
SELECT count(*) AS named FROM l4_node_evidence('table') WHERE kind = 'named';
SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
DROP SCHEMA around CASCADE;
