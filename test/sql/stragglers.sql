-- Who holds the others up since steps are slow: who comes later than it did, whom the job calls the slowest, whose few
-- durations changed otherwise, to whom what is sent gets lost; and steps that are slow now and then. Five nodes of one rank.
CREATE SCHEMA stragglers;
SET search_path = stragglers, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, rank int, source text DEFAULT 'train', at numeric, line text);
-- Rank 0 tells of each step, all of every tenth one (says: of rank r in step s). seconds: of step s; late: seconds of rank r.
CREATE FUNCTION make_job(job text, seconds text, says text DEFAULT $$format('INFO at batch %s', s)$$, late text DEFAULT '0',
	steps int DEFAULT 80, every int DEFAULT 10) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format($q$
		WITH step AS (SELECT s, sum((%2$s)::numeric * (1 + s * 7 %% 11 * 0.01)) OVER (ORDER BY s) AS at
			FROM generate_series(1, %5$s) s)
		INSERT INTO line
		SELECT %1$L, 0, 'train', e.at, format('INFO step %%s loss 2.%%s', e.s, 90 - e.s) FROM step e
		UNION ALL
		SELECT %1$L, r, 'train', e.at + 0.01 + r * 0.001 + (%4$s)::numeric, %3$s
		FROM (SELECT e.s, e.at, r FROM step e, generate_series(0, 4) r WHERE e.s %% %6$s = 0) e$q$,
		job, seconds, says, late, steps, every);
END $$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed', model text DEFAULT 'any', stamp boolean DEFAULT true)
RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, jsonb_build_object('model', model), status, '{n0,n1,n2,n3,n4}', 1);
	RETURN (l4_ingest(job, format($q$
		SELECT CASE WHEN %L OR source <> 'train' THEN to_char(timestamp '2026-11-20 22:00' + at * interval '1 s',
				'YYYY-MM-DD HH24:MI:SS,MS ') ELSE '' END || line AS line,
			'n' || rank AS node, CASE source WHEN 'train' THEN rank END AS rank, source
		FROM line WHERE job = %L ORDER BY at, rank, line COLLATE "C"$q$, stamp, job))).rows;
END $$;
CREATE FUNCTION told(job text) RETURNS TABLE (kind text, node text, iteration bigint, told text) LANGUAGE sql AS $$
	SELECT d.kind, d.node, d.iteration, d.explanation FROM l4_diagnose(job) d
	WHERE d.kind IN ('slow', 'node') ORDER BY d.kind DESC, d.ordinal
$$;
\x on

\echo == one comes later than it did to what all count, though its clock was ahead; and not, where all come later
SELECT make_job('late', 'CASE WHEN s > 40 THEN 1.5 ELSE 0.3 END',
		late => 'CASE r WHEN 3 THEN CASE WHEN s > 40 THEN 0.8 ELSE -1 END WHEN 1 THEN 5 ELSE 0 END'),
	make_job('alike', 'CASE WHEN s > 40 THEN 1.5 ELSE 0.3 END', late => 'CASE WHEN s > 40 THEN 0.8 ELSE 0 END + r') \g /dev/null
SELECT load_job('late'), load_job('alike') \g /dev/null
SELECT * FROM told('late');
SELECT * FROM told('alike');
\echo == the job calls one the slowest since, and others before; and one all along
SELECT make_job(j, 'CASE WHEN s > 40 THEN 1.5 ELSE 0.3 END') FROM unnest('{called,always}'::text[]) j \g /dev/null
INSERT INTO line
SELECT l.job, 0, 'train', l.at + 0.002, format('INFO round closed, slowest=%s', CASE WHEN l.job = 'always'
	OR substring(l.line, 'step (\d+)')::int > 40 THEN 4 ELSE l.at::int % 5 END)
FROM line l WHERE l.job IN ('called', 'always') AND l.line ~ 'step';
SELECT load_job('called'), load_job('always') \g /dev/null
SELECT * FROM told('called');
SELECT * FROM told('always');
\echo == by its rank and by its name in turns
SELECT make_job('turns', 'CASE WHEN s > 40 THEN 1.5 ELSE 0.3 END') \g /dev/null
INSERT INTO line
SELECT 'turns', 0, 'train', l.at + 0.002, format('INFO round closed, slowest=%s', CASE
	WHEN substring(l.line, 'step (\d+)')::int > 40 THEN (ARRAY['4', 'n4'])[1 + l.at::int % 2] ELSE (l.at::int % 5)::text END)
FROM line l WHERE l.job = 'turns' AND l.line ~ 'step';
SELECT load_job('turns') \g /dev/null
SELECT * FROM told('turns');
\echo == a detector of stragglers calls one since, by its rank; a ranking has always somebody last, and one always since
SELECT make_job(j, 'CASE WHEN s > 40 THEN 1.5 ELSE 0.3 END') FROM unnest('{detected,ranked,mixed}'::text[]) j \g /dev/null
INSERT INTO line
SELECT l.job, 0, 'train', l.at + 0.002, CASE l.job WHEN 'detected' THEN format('WARN STRAGGLER DETECTION WARNING: Some GPUs '
		'have worse relative performance. Affected ranks: {%s}', CASE l.s WHEN 60 THEN '1, 3' ELSE '3' END)
	ELSE format('INFO ^^^^ Bottom 2 Ranks with lowest  Etpt(TF): 11.02/%s, 22.17/%s,',
		CASE WHEN l.s > 40 AND l.job = 'ranked' THEN 3 ELSE l.s / 5 % 5 END, (l.s / 5 + 1) % 5) END
FROM (SELECT o.*, substring(o.line, 'step (\d+)')::int AS s FROM line o WHERE o.job IN ('detected', 'ranked', 'mixed')) l
WHERE l.s % 5 = 0 AND (l.s > 40 OR l.job <> 'detected');
SELECT load_job(j) FROM unnest('{detected,ranked,mixed}'::text[]) j \g /dev/null
SELECT j, t.kind, t.node, t.told FROM unnest('{detected,ranked,mixed}'::text[]) j, told(j) t WHERE t.kind = 'node';
SELECT m.message, l4_called_text(m.message, l4_wordings_in_force()) AS called
FROM (VALUES (E'Worst performing 3/8 ranks:\n  Rank=76 Node=n4 Score=0.94\n  Rank=13 Node=n5 Score=0.95'),
	('MnRtt/Rnk: 101.1ms/5 | MxRtt/Rnk: 130.5ms/7 | MnPwr/Rnk: 70W/2'), ('no straggler')) m (message);
\echo == few durations, which vary: one waits as little as before, the others as long as the steps take longer
SELECT make_job('few', 'CASE WHEN s > 40 THEN 1.5 ELSE 0.3 END', every => 20, says => $$format('INFO all-reduce %s ms',
	CASE WHEN s > 40 AND r <> 2 THEN 1100 + r * 30 + s % 7 ELSE 1 + (r * 17 + s * 13) % 40 END)$$) \g /dev/null
SELECT load_job('few') \g /dev/null
SELECT * FROM told('few');
\echo == durations that are told since then alone, their unit in their names; a warning since then is none that the job outlived
SELECT make_job(j.job, CASE WHEN j.job = 'since' THEN 'CASE WHEN s > 40 THEN 1.5 ELSE 0.3 END' ELSE '0.3' END, every => 4,
	says => $$CASE WHEN e.at > 24.5 THEN format('INFO long step rate=%s ms=%s compute_ms=%s wait_ms=%s', 0.01, 1500,
		CASE WHEN r = 1 THEN 1350 ELSE 200 END + (r * 5 + s * 13) % 11, CASE WHEN r = 1 THEN 40 ELSE 1100 END + s % 7)
		ELSE format('INFO at batch %s', s) END$$) FROM (VALUES ('since'), ('usual')) j (job) \g /dev/null
INSERT INTO line SELECT job, 2, 'train', 60, 'WARN the fabric is congested' FROM line WHERE job = 'since' LIMIT 1;
SELECT load_job('usual', 'succeeded', 'since'), load_job('since', model => 'since') \g /dev/null
SELECT * FROM told('since');
SELECT count(*) AS warned FROM l4_diagnose('since') WHERE kind = 'event' AND evidence ~ 'congested';
\echo == no line has a stamp: what the lines of steps say themselves
SELECT make_job('bare', '1', every => 1, says => $$format('INFO step %s of 80: compute %s ms, wait %s ms', s,
	CASE WHEN s > 40 AND r = 1 THEN 900 ELSE 200 END + (r * 5 + s * 13) % 11,
	CASE WHEN s > 40 AND r <> 1 THEN 700 ELSE 4 END)$$) \g /dev/null
DELETE FROM line WHERE job = 'bare' AND line ~ 'loss';
SELECT load_job('bare', stamp => false) \g /dev/null
SELECT * FROM told('bare');

\echo == short, and few lines have a stamp: those of steps between two say each what they took
SELECT make_job('rarely', '1', steps => 20, every => 1, says => $$format('%sINFO step %s of 20: compute %s ms',
	CASE WHEN s % 6 = 3 THEN format(E'2026-11-20 22:00:%s,000 INFO lr 0.1\n', lpad(s::text, 2, '0')) ELSE '' END, s,
	CASE WHEN s > 6 THEN 900 ELSE 200 END + (r * 5 + s * 13) % 11)$$) \g /dev/null
DELETE FROM line WHERE job = 'rarely' AND line ~ 'loss';
SELECT load_job('rarely', stamp => false) \g /dev/null
SELECT count(DISTINCT s.began) AS stamps, count(*) AS steps FROM l4_job_steps('rarely', l4_limits_in_force()) s;
SELECT kind, told FROM told('rarely') WHERE kind = 'slow';

\echo == packets get lost: steps are slow now and then; as many all along, and few, are none
SELECT make_job('spells', 'CASE WHEN s > 30 AND s * 7 % 5 < 2 THEN 1.2 ELSE 0.3 END'),
	make_job('ever', 'CASE WHEN s * 7 % 5 < 2 THEN 1.2 ELSE 0.3 END'),
	make_job('twice', 'CASE WHEN s IN (41, 70) THEN 1.2 ELSE 0.3 END') \g /dev/null
SELECT load_job(j) FROM unnest('{spells,ever,twice}'::text[]) j \g /dev/null
SELECT * FROM told('spells');
SELECT count(*) AS slow FROM unnest('{ever,twice}'::text[]) j, told(j) t WHERE t.kind = 'slow';
\echo == what several send to one gets lost: their common neighbour; without a word of neighbours, where all send
INSERT INTO line SELECT replace(l.job, 'spells', j), l.rank, l.source, l.at, l.line FROM line l,
	unnest('{ring,mesh,good,fine}'::text[]) j WHERE l.job = 'spells';
UPDATE line SET at = at * 0.5 WHERE job IN ('good', 'fine');
INSERT INTO line
SELECT j.job, r, 'syslog', s * 6, format('tcpmon: open=%s resent=%s', s % 3, s * CASE
	WHEN j.job IN ('good', 'fine') THEN 0 WHEN j.job = 'ring' THEN CASE r WHEN 1 THEN 8 WHEN 3 THEN 9 WHEN 2 THEN 1 ELSE 0 END
	ELSE CASE r WHEN 2 THEN 3 ELSE 9 + r % 2 END END)
FROM unnest('{ring,mesh,good,fine}'::text[]) j (job), generate_series(0, 4) r, generate_series(0, 5) s;
INSERT INTO line
SELECT 'ring', r, 'train', 0.1, format('INFO my neighbours are rank %s and rank %s', (r + 4) % 5, (r + 1) % 5)
FROM generate_series(0, 4) r;
INSERT INTO line SELECT j, l.rank, l.source, l.at, l.line FROM line l, unnest('{good,fine}'::text[]) j
WHERE l.job = 'ring' AND l.line ~ 'neighbours';
SELECT load_job('good', 'succeeded'), load_job('fine', 'succeeded'), load_job('ring'), load_job('mesh') \g /dev/null
SELECT * FROM l4_told_peers('ring', ARRAY(SELECT s FROM l4_job_streams('ring') s), l4_limits_in_force()) ORDER BY 1, 2 LIMIT 3;
SELECT e.unit, e.numbers, l4_evidence_sentence(e) AS told FROM unnest('{ring,mesh}'::text[]) j, l4_node_evidence(j) e
WHERE e.kind = 'counter';
\echo == of five two send to one, nobody tells of neighbours; what is counted stands behind the number
INSERT INTO line SELECT replace(l.job, 'spells', j), l.rank, l.source, l.at, l.line FROM line l,
	unnest('{two,two good,two fine}'::text[]) j WHERE l.job = 'spells';
UPDATE line SET at = at * 0.5 WHERE job IN ('two good', 'two fine');
INSERT INTO line
SELECT j.job, r, 'syslog', s * 6, format('netmon: tcp: %s connections open, %s segments resent, %s resets', 9 + s % 3, s * CASE
	WHEN j.job <> 'two' THEN 0 ELSE CASE r WHEN 1 THEN 90 WHEN 3 THEN 200 WHEN 2 THEN 7 WHEN 4 THEN 1 ELSE 0 END END, s % 2)
FROM unnest('{two,two good,two fine}'::text[]) j (job), generate_series(0, 4) r, generate_series(0, 5) s;
SELECT load_job('two good', 'succeeded', 'two'), load_job('two fine', 'succeeded', 'two'), load_job('two', model => 'two')
	\g /dev/null
SELECT e.unit, l4_evidence_sentence(e) AS told FROM l4_node_evidence('two') e WHERE e.kind = 'counter';
SELECT l4_parameter_label(s, place) FROM (VALUES
	('tcp: <*> connections open, <*> segments resent, <*> resets', 2), ('step: <*> loss <*>', 1), ('RetransSegs=<*>', 1),
	('<*> of <*>', 1)) v (s, place);
\echo == one record lists a duration of each rank: who grew; who merely takes less than before is waited for by nobody
SELECT make_job('listed', 'CASE WHEN s > 40 THEN 1.5 ELSE 0.3 END'), make_job('less', 'CASE WHEN s > 40 THEN 1.5 ELSE 0.3 END')
	\g /dev/null
INSERT INTO line
SELECT j.job, 0, 'train', e.at + 0.01, 'INFO times across ranks (ms):' || string_agg(format(' rank %s: %s', r, CASE
	WHEN s > 40 AND r = 3 THEN CASE j.job WHEN 'listed' THEN 1300 ELSE 60 END ELSE 200 END + (r * 5 + s * 13) % 11), ''
	ORDER BY r)
FROM (SELECT l.job, l.at, substring(l.line, 'step (\d+)')::int AS s FROM line l WHERE l.line ~ 'loss') e
JOIN unnest('{listed,less}'::text[]) j (job) ON j.job = e.job, generate_series(0, 4) r
WHERE e.s % 5 = 0 GROUP BY j.job, e.at, e.s;
SELECT load_job('listed'), load_job('less') \g /dev/null
SELECT * FROM told('listed') WHERE kind = 'node';
SELECT count(*) AS named FROM told('less') WHERE kind = 'node';

\echo == few durations that vary much: what one takes longer by is most of what a step does, whatever the others vary by
SELECT make_job('explained', 'CASE WHEN s > 40 THEN 1.5 ELSE 0.3 END', every => 20, says => $$format('INFO backward took %s ms',
	CASE WHEN r = 2 AND s > 40 THEN 900 ELSE (ARRAY[20, 180, 60, 130, 90])[1 + (r + s / 20) % 5] END)$$) \g /dev/null
SELECT load_job('explained') \g /dev/null
SELECT * FROM told('explained') WHERE kind = 'node';
\echo == parts of a duration behind a colon, of three nodes
SELECT make_job('colon', 'CASE WHEN s > 40 THEN 1.5 ELSE 0.3 END', every => 1, says => $$format(
	'INFO step %s took %s seconds: forward and backward %s, gradients %s', s, 1.5 + s % 7 * 0.01,
	CASE WHEN r = 1 THEN 1.3 ELSE 0.2 END + s % 5 * 0.01, CASE WHEN r = 1 THEN 0.1 ELSE 1.2 END + s % 3 * 0.01)$$) \g /dev/null
DELETE FROM line WHERE job = 'colon' AND (rank > 2 OR line ~ 'took' AND substring(line, 'step (\d+)')::int <= 40);
SELECT load_job('colon') \g /dev/null
SELECT l4_broken_down('step <*> took <*> seconds: data <*>, forward <*>', 4) AS whole,
	l4_broken_down('step <*> took <*> seconds of <*>, forward <*>', 4) AS none,
	l4_text_seconds('samples/sec: <*>', 1, '8.4') AS rate;
SELECT count(*) AS by_parts FROM l4_timed_parameters('colon', l4_limits_in_force()) t WHERE t.position = 4;
\echo == where steps are slow, an agent says long after all others that a process ended; not where rank 0 runs, nor by a second
SELECT make_job(j, 'CASE WHEN s > 40 THEN 1.5 ELSE 0.3 END') FROM unnest('{ends,first,soon,fast}'::text[]) j \g /dev/null
UPDATE line SET at = at / 5 WHERE job = 'fast' AND at > 13;
INSERT INTO line
SELECT j.job, r, 'agent', 90 + r * 0.1 + CASE WHEN r = j.late THEN j.by ELSE 0 END, 'INFO container of the job exited'
FROM (VALUES ('ends', 3, 4), ('first', 0, 4), ('soon', 3, 1), ('fast', 3, 4)) j (job, late, by), generate_series(0, 4) r;
SELECT load_job(j) FROM unnest('{ends,first,soon,fast}'::text[]) j \g /dev/null
SELECT * FROM told('ends');
SELECT j, count(e) AS late FROM unnest('{first,soon,fast}'::text[]) j LEFT JOIN LATERAL l4_node_evidence(j,
	slow => l4_slow_regime(j, true, l4_limits_in_force())) e ON e.numbers ? 'ends_seconds' GROUP BY j ORDER BY j;
\echo == who warns that its step was slow, and goes on, is not to blame, nor who does not; one alone may be
SELECT make_job(j, 'CASE WHEN s > 40 THEN 1.5 ELSE 0.3 END') FROM unnest('{warns,alone}'::text[]) j \g /dev/null
INSERT INTO line
SELECT j, r, 'train', 30 + s * 6 + r * 0.01, format('WARN slow step: %s took 1.6 s', s)
FROM unnest('{warns,alone}'::text[]) j, generate_series(0, 2) r, generate_series(1, 3) s WHERE j = 'warns' OR r = 2;
SELECT load_job(j) FROM unnest('{warns,alone}'::text[]) j \g /dev/null
SELECT j, string_agg(DISTINCT e.unit || ' ' || e.kind, ',') AS evidence FROM unnest('{warns,alone}'::text[]) j
LEFT JOIN LATERAL l4_node_evidence(j) e ON e.kind <> 'forest' GROUP BY j ORDER BY j;

SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
DROP SCHEMA stragglers CASCADE;
