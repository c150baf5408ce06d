-- Links between two nodes, and how far ranks got within an operation: small jobs of six nodes of one rank.
SET search_path = public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, rank int, source text, at numeric, line text);
CREATE FUNCTION make_lines(job text, nodes int DEFAULT 6) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line
	SELECT job, r, 'train', s * 2 + r * 0.001, format('INFO step %s loss %s', s, 9 - s * 0.1)
	FROM generate_series(0, nodes - 1) r, generate_series(1, 10) s;
	-- each sends to the next one
	INSERT INTO line
	SELECT job, r, 'syslog', s * 4, format('INFO link to n%s retransmitted=%s', (r + 1) % nodes, s + r % 2)
	FROM generate_series(0, nodes - 1) r, generate_series(0, 5) s;
$$;
CREATE FUNCTION say(job text, rank int, at numeric, line text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line VALUES (job, rank, 'train', at, line)
$$;
CREATE FUNCTION load_job(job text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', ARRAY(SELECT DISTINCT 'n' || rank FROM line l WHERE l.job = load_job.job
		ORDER BY 1), 1);
	RETURN (l4_ingest(job, format($q$
		SELECT to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS') || ' ' || line AS line,
			'n' || rank AS node, rank, source
		FROM line WHERE job = %L ORDER BY at, rank, line COLLATE "C"$q$, job))).rows;
END $$;
CREATE FUNCTION evidence(job text, kinds text[]) RETURNS TABLE (unit text, kind text, weight numeric, peer text, sentence text)
LANGUAGE sql AS $$
	SELECT e.unit, e.kind, round(e.weight::numeric, 2), e.numbers ->> 'peer', l4_evidence_sentence(e)
	FROM l4_node_evidence(job) e WHERE e.kind = ANY (kinds) ORDER BY e.kind, e.unit COLLATE "C"
$$;
CREATE FUNCTION alike(job text, at numeric, line text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT DISTINCT job, l.rank, 'train', at + l.rank * 0.001, alike.line FROM line l WHERE l.job = alike.job
$$;

\echo two that name each other, and nobody else is named: either may be broken, and both are told of with their link
SELECT make_lines('mutual'), alike('mutual', 22, 'ERROR collective operation failed'),
	say('mutual', 2, 21, 'ERROR no answer from rank 4'), say('mutual', 4, 21, 'ERROR no answer from rank 2') \g /dev/null
SELECT load_job('mutual') \g /dev/null
SELECT * FROM evidence('mutual', '{link}');
SELECT node, explanation, facts ->> 'peer' AS peer FROM l4_diagnose('mutual') WHERE kind = 'node'
ORDER BY ordinal;
\echo a third one that is named, or that names one of them, tells more: no link
SELECT make_lines('third'), alike('third', 22, 'ERROR collective operation failed'),
	say('third', 2, 21, 'ERROR no answer from rank 4'), say('third', 4, 21, 'ERROR no answer from rank 2'),
	say('third', 3, 21, 'ERROR no answer from rank 4') \g /dev/null
SELECT load_job('third') \g /dev/null
SELECT * FROM evidence('third', '{link}');
\echo as many wait for the one as for the other
SELECT make_lines('split'), alike('split', 22, 'ERROR collective operation failed'),
	say('split', 2, 21, 'ERROR no answer from rank 4'), say('split', 4, 21, 'ERROR no answer from rank 2'),
	say('split', 3, 21, 'ERROR no answer from rank 4'), say('split', 1, 21, 'ERROR no answer from rank 2') \g /dev/null
SELECT load_job('split') \g /dev/null
SELECT * FROM evidence('split', '{link}');
\echo one that retransmits points at its receiver: both ends
SELECT make_lines('one'), alike('one', 22, 'ERROR collective operation failed') \g /dev/null
UPDATE line SET line = 'INFO link to n3 retransmitted=' || 60 * at::int WHERE job = 'one' AND rank = 2 AND source = 'syslog';
SELECT load_job('one') \g /dev/null
SELECT * FROM evidence('one', '{counter,link}');
\echo two that retransmit towards the same one: their common end
SELECT make_lines('common'), alike('common', 22, 'ERROR collective operation failed') \g /dev/null
UPDATE line SET line = 'INFO link to n3 retransmitted=' || 60 * at::int
WHERE job = 'common' AND rank IN (2, 5) AND source = 'syslog';
SELECT load_job('common') \g /dev/null
SELECT * FROM evidence('common', '{counter,link}');
\echo who alone goes on sending again while the job stands still: both ends; not where a third does, one is silent, nor briefly
SELECT make_lines(j), alike(j, 62, 'ERROR collective operation failed')
FROM unnest('{still,three,silent,short}'::text[]) j \g /dev/null
DELETE FROM line WHERE job IN ('still', 'three', 'silent', 'short') AND source = 'syslog';
INSERT INTO line
SELECT j, r, 'syslog', at, format('INFO tcp: retrans_segs=%s', LEAST(at, 20) / 4 * (1 + r % 3)
	-- noise that goes on, and those of which nothing arrives
	+ GREATEST(at - 20, 0) / 6 * CASE WHEN r = ANY (ends) THEN 8 ELSE r % 2 END)
FROM (VALUES ('still', '{2,3}'::int[]), ('three', '{2,3,5}'), ('silent', '{2,3}'), ('short', '{2,3}')) j (j, ends),
	generate_series(0, 5) r, unnest('{0,4,8,12,16,20,26,32,38,48}'::int[]) at
WHERE NOT (j = 'silent' AND r = 5 AND at > 26) AND NOT (j = 'short' AND at > 38);
SELECT load_job(j) FROM unnest('{still,three,silent,short}'::text[]) j \g /dev/null
SELECT j, e.* FROM unnest('{still,three,silent,short}'::text[]) j, evidence(j, '{counter,link}') e;
\echo how far ranks got within a collective: who is behind; not where they got to various places, nor by rank and attempt
SELECT make_lines('chunk'), make_lines('various'), make_lines('names') \g /dev/null
INSERT INTO line
SELECT j, r, 'train', 22 + r * 0.001, CASE j
	WHEN 'chunk' THEN format('ERROR all_reduce timed out at chunk %s/7', CASE r WHEN 3 THEN 2 ELSE 5 END)
	WHEN 'various' THEN format('ERROR all_reduce timed out, received %s of 4096', 512 * r)
	ELSE format('ERROR rank %s/6 gave up, attempt %s/3', r, CASE r WHEN 3 THEN 1 ELSE 3 END) END
FROM unnest('{chunk,various,names}'::text[]) j, generate_series(0, 5) r;
SELECT load_job(j) FROM unnest('{chunk,various,names}'::text[]) j \g /dev/null
SELECT j AS job, e.* FROM unnest('{chunk,various,names}'::text[]) j, evidence(j, '{behind}') e;
\echo in a ring each waits for the one before it: where that one got further, the link is broken
SELECT make_lines('ring') \g /dev/null
INSERT INTO line
SELECT 'ring', r, 'train', 22 + r * 0.001, format('WARNING waiting since 4 s for chunk %s/10 from rank %s',
	(r + 3) % 6 + 1, (r + 5) % 6)
FROM generate_series(0, 5) r;
SELECT load_job('ring') \g /dev/null
SELECT * FROM evidence('ring', '{link,behind}');
SELECT t.message, p.done, p.total FROM l4_wordings_in_force() w,
	unnest(ARRAY['chunk 3/7', 'received 512 of 4096 bytes', '2026/11/20 22:00:00 chunk 3/7', '/data/12/34', 'rank 3/8',
		'rank 3/8 at chunk 2/5', '7/3', 'no number', '10.0.0.1/24']) t (message),
	l4_told_progress(t.message, w) p;

DROP TABLE line; DROP FUNCTION make_lines, say, load_job, evidence, alike;
DELETE FROM l4_stream; DELETE FROM l4_segment; DELETE FROM l4_source_counts; DELETE FROM l4_parameter_sketch;
DELETE FROM l4_source_state; DELETE FROM l4_timeline; DELETE FROM l4_job; DELETE FROM l4_shape; DELETE FROM l4_event;
