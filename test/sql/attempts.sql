-- Jobs that were started again: where one attempt ends and the next begins, and what each died of.
CREATE SCHEMA attempts;
SET search_path = attempts, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, attempt int, rank int, source text, at numeric, line text);
-- One attempt of eight ranks on four nodes: five statements of set-up, then an iteration every two seconds, with a stamp each.
CREATE FUNCTION run(job text, attempt int, at numeric, first int, last int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line
	SELECT job, attempt, r, 'train', run.at + s.turn * 0.3 + r * 0.001, 'INFO ' || s.line
	FROM generate_series(0, 7) r, unnest(ARRAY['starting, world size 8', 'model has 1234 parameters', 'process group is up',
		'optimizer is ready', 'data loader is ready']) WITH ORDINALITY s (line, turn);
	INSERT INTO line
	SELECT job, attempt, r, 'train', run.at + 5 + (s - first) * 2 + r * 0.001, format('INFO step %s loss %s', s, 9 - s * 0.01)
	FROM generate_series(0, 7) r, generate_series(first, last) s;
$$;
-- Rank 5 fails by itself, the others lose it; or rank 2 does, in other words.
CREATE FUNCTION crash(job text, attempt int, at numeric) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line
	SELECT job, attempt, r, 'train', crash.at + CASE r WHEN 5 THEN 1 ELSE 3 + r * 0.001 END,
		CASE r WHEN 5 THEN 'ERROR device 0 failed' ELSE 'ERROR all_reduce failed: connection closed by peer' END
	FROM generate_series(0, 7) r
$$;
CREATE FUNCTION diverge(job text, attempt int, at numeric) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line
	SELECT job, attempt, r, 'train', diverge.at + CASE r WHEN 2 THEN 1 ELSE 3 + r * 0.001 END,
		CASE r WHEN 2 THEN 'ERROR loss is nan in batch 3' ELSE 'ERROR the gradient is not finite, giving up' END
	FROM generate_series(0, 7) r
$$;
-- files: rank (one each, of all attempts), label (one for all), path (one each and attempt).
CREATE FUNCTION load_job(job text, files text DEFAULT 'rank', status text DEFAULT 'failed') RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', status, '{n0,n1,n2,n3}', 2);
	RETURN (l4_ingest(job, format($q$
		SELECT CASE WHEN %L = 'label' THEN rank || ': ' ELSE '' END
			|| to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS') || ' ' || line AS line,
			CASE WHEN rank IS NULL THEN 'n0' WHEN %1$L = 'path' THEN 'n' || rank / 2 END AS node,
			CASE WHEN %1$L = 'rank' THEN rank END AS rank,
			CASE WHEN source <> 'train' THEN source WHEN %1$L = 'label' THEN 'job.out'
				WHEN %1$L = 'path' THEN format('n%%s/run_1/attempt_%%s/%%s/stderr.log', rank / 2, attempt, rank %% 2)
				ELSE 'rank-' || rank || '.log' END AS source
		FROM line WHERE job = %2$L ORDER BY at, rank, line COLLATE "C"$q$, files, job))).rows;
END $$;
CREATE FUNCTION attempts(job text) RETURNS TABLE (attempt text, path int, line bigint, since text, until text)
LANGUAGE sql AS $$
	SELECT format('%s of %s', attempt, attempts), path_attempt, first_line, to_char(since, 'HH24:MI:SS.MS'),
		to_char(until, 'HH24:MI:SS.MS')
	FROM l4_job_attempts(job) ORDER BY 1
$$;
CREATE FUNCTION died(job text, use_pool boolean DEFAULT true)
RETURNS TABLE (attempt int, node text, rank int, root text, stage text, iteration bigint) LANGUAGE sql AS $$
	SELECT a.attempt, n.node, n.rank, e.template, s.stage, i.iteration
	FROM (SELECT attempt, min(ordinal) AS turn FROM l4_diagnose(job, use_pool) WHERE kind = 'stage' GROUP BY attempt) a
	LEFT JOIN l4_diagnose(job, use_pool) n ON n.kind = 'node' AND n.attempt IS NOT DISTINCT FROM a.attempt
	LEFT JOIN (SELECT DISTINCT ON (attempt) * FROM l4_diagnose(job, use_pool) WHERE kind = 'event' AND role = 'root'
		ORDER BY attempt, ordinal) e ON e.attempt IS NOT DISTINCT FROM a.attempt
	LEFT JOIN (SELECT DISTINCT ON (attempt) * FROM l4_diagnose(job, use_pool) WHERE kind = 'stage' ORDER BY attempt, ordinal) s
		ON s.attempt IS NOT DISTINCT FROM a.attempt
	LEFT JOIN (SELECT DISTINCT ON (attempt) * FROM l4_diagnose(job, use_pool) WHERE kind = 'iteration'
		ORDER BY attempt, ordinal) i ON i.attempt IS NOT DISTINCT FROM a.attempt
	ORDER BY a.turn
$$;

\echo == two attempts, in files of the ranks, in one file, and in files of their own: the second goes on from a checkpoint
SELECT f.files, run(f.files, 0, 0, 1, 40) IS NULL AND crash(f.files, 0, 85) IS NULL AND run(f.files, 1, 100, 31, 90) IS NULL
	AND diverge(f.files, 1, 225) IS NULL AS made, load_job(f.files, f.files)
FROM (VALUES ('rank'), ('label'), ('path')) f (files);
SELECT f.files, a.* FROM (VALUES ('rank'), ('label'), ('path')) f (files) CROSS JOIN LATERAL attempts(f.files) a;
SELECT f.files, d.* FROM (VALUES ('rank'), ('label'), ('path')) f (files) CROSS JOIN LATERAL died(f.files) d;
SELECT kind, ordinal, attempt, explanation FROM l4_diagnose('rank') WHERE kind = 'node';
\echo == where only one record is read, event rows quote the same as ever
CREATE TEMP TABLE quoted AS SELECT event_id, attempt, evidence FROM l4_diagnose('rank') WHERE kind = 'event';
INSERT INTO l4_limit (name, value) VALUES ('unexplained_quotes', 1);
SELECT count(*) > 1 AS some, count(*) FILTER (WHERE d.evidence IS DISTINCT FROM q.evidence) AS other
FROM quoted q LEFT JOIN l4_diagnose('rank') d ON d.kind = 'event' AND d.event_id = q.event_id AND d.attempt = q.attempt;
DELETE FROM l4_limit WHERE name = 'unexplained_quotes' AND NOT builtin;
\echo == kept with the findings
SELECT l4_save_diagnosis('rank') > 5 AS kept;
SELECT attempt, count(*) FILTER (WHERE kind = 'node') AS nodes FROM l4_finding
WHERE job_id = 'rank' GROUP BY attempt ORDER BY 1;
\echo == three that die of the same: each is told, though the words are one statement
SELECT run('same', 0, 0, 1, 40), crash('same', 0, 85), run('same', 1, 100, 31, 60), crash('same', 1, 165),
	run('same', 2, 180, 51, 60), crash('same', 2, 205) \g /dev/null
SELECT load_job('same');
SELECT * FROM died('same');
\echo == a launcher counts restarts: the second attempt dies while it starts, the third runs
SELECT run('counted', 0, 0, 1, 40), crash('counted', 0, 85), run('counted', 2, 120, 31, 60), diverge('counted', 2, 185)
\g /dev/null
INSERT INTO line SELECT 'counted', NULL, NULL, 'n0/agent.log', c.at, 'INFO rendezvous complete, restart_count=' || c.count
FROM (VALUES (0, 0), (1, 95), (2, 119)) c (count, at);
INSERT INTO line VALUES ('counted', 1, 4, 'train', 100, 'ERROR cannot map the index of the data set');
SELECT load_job('counted');
SELECT * FROM attempts('counted');
SELECT * FROM died('counted');
\echo == the last one only waits for a node, and is cancelled: what killed the first is told first
SELECT run('waits', 0, 0, 1, 40), crash('waits', 0, 85) \g /dev/null
INSERT INTO line SELECT 'waits', 1, NULL, 'n0/agent.log', c.at, c.line FROM (VALUES
	(0, 'INFO starting training attempt 1/3'), (100, 'INFO starting training attempt 2/3'),
	(400, 'WARNING received SIGTERM')) c (at, line);
SELECT load_job('waits');
SELECT * FROM died('waits');
\echo == what is no restart: epochs that count from one again and say so, a download that is tried again
SELECT run('epochs', 0, 0, 1, 40) \g /dev/null
INSERT INTO line SELECT 'epochs', 0, r, 'train', 90 + e * 30 + s, format('INFO %s', CASE s WHEN 0 THEN 'data loader is ready'
	ELSE format('step %s loss 3', s) END) FROM generate_series(0, 7) r, generate_series(0, 3) e, generate_series(0, 20) s;
INSERT INTO line VALUES ('epochs', 0, 3, 'train', 3, 'WARNING retrying the download, attempt 1/3'),
	('epochs', 0, 3, 'train', 4, 'WARNING retrying the download, attempt 2/3');
SELECT load_job('epochs');
SELECT count(*) FROM attempts('epochs');
\echo == nor statements of each iteration, and an error that comes before them and then again and again
SELECT run('noise', 0, 0, 1, 40) \g /dev/null
DELETE FROM line WHERE job = 'noise' AND at < 5;
INSERT INTO line SELECT 'noise', 0, r, 'train', 4 + s * 0.7 + r * 0.001, 'ERROR sensor 1 is not readable'
FROM generate_series(0, 7) r, generate_series(0, 60) s;
INSERT INTO line SELECT 'noise', 0, r, 'train', 5 + s * 2 + t * 0.2 + r * 0.001, format('DEBUG step %s part %s is done', s + 1,
	chr(96 + t)) FROM generate_series(0, 7) r, generate_series(0, 39) s, generate_series(1, 4) t;
SELECT load_job('noise');
SELECT count(*) FROM attempts('noise');
\echo == a second attempt in which ranks only do not come together follows from the first one; not one with an error of its own
SELECT run(j, 0, 0, 1, 40), crash(j, 0, 85) FROM unnest('{mesh,device}'::text[]) j \g /dev/null
INSERT INTO line SELECT j, 1, r, 'train', 120 + s.turn + r * 0.1, s.line
FROM unnest('{mesh,device}'::text[]) j, generate_series(0, 7) r, LATERAL (VALUES (0, 'INFO starting, world size 8'),
	(CASE WHEN r <> 1 THEN 20 END, 'ERROR RuntimeError: Gloo connectFullMesh failed'),
	(CASE WHEN r = 1 AND j = 'device' THEN 10 END, 'ERROR RuntimeError: device 0 has no memory left')) s (turn, line)
WHERE s.turn IS NOT NULL;
SELECT load_job(j, 'path') FROM unnest('{mesh,device}'::text[]) j \g /dev/null
SELECT j AS job, d.* FROM unnest('{mesh,device}'::text[]) j, died(j) d;
\echo == agents that restart ranks one by one: no clock is off, and what begins later tells nothing of the first attempt
INSERT INTO line
SELECT 'single', CASE WHEN r / 2 IN (0, 2) THEN 0 ELSE a END, r, 'train', a * 100 + (r / 2 + 3) % 4 * 30 + s.turn * 0.3,
	'INFO ' || s.line
FROM generate_series(0, 7) r, generate_series(0, 1) a, unnest(ARRAY['starting, world size 8', 'model has 1234 parameters',
	'process group is up', 'optimizer is ready', 'data loader is ready', 'ranks are connected']) WITH ORDINALITY s (line, turn)
WHERE a = 1 OR r / 2 = 1;
INSERT INTO line SELECT 'single', 0, r, 'train', 40 + r * 0.1, 'ERROR device 0 failed' FROM generate_series(2, 3) r;
SELECT load_job('single', 'path') \g /dev/null
SELECT attempt, path, since, until FROM attempts('single');
SELECT count(*) AS clocks FROM l4_clock_offsets('single');
SELECT * FROM died('single');
\echo == files that are too large to be read for restarts are not, with labels in them or without
INSERT INTO l4_limit (name, value) VALUES ('onset_stream_bytes', 1000);
SELECT f.files, count(a.*) FROM (VALUES ('rank'), ('label')) f (files) LEFT JOIN LATERAL attempts(f.files) a ON true
GROUP BY 1 ORDER BY 1;
SELECT count(*) AS tellers FROM l4_telling_stream('label', most_bytes => 1000);
DELETE FROM l4_limit WHERE NOT builtin;
\echo == a job that succeeded the second time: nobody is blamed of that attempt
SELECT run('good', 0, 0, 1, 40), crash('good', 0, 85), run('good', 1, 100, 31, 90) \g /dev/null
SELECT load_job('good', status => 'succeeded');
SELECT attempt, node, rank FROM l4_diagnose('good', false) WHERE kind = 'node';
\echo == of which attempt a record is: by its path, its line, its time; of what has none the last, of no attempts the first
SELECT l4_attempt_of(a.attempts, p.path, p.source_id, p.line_no, p.ts) AS attempt, p.*
FROM (SELECT array_agg(jsonb_populate_record(NULL::l4_attempt, r) ORDER BY n) || NULL::l4_attempt AS attempts
	FROM jsonb_array_elements('[{"attempt": 1, "source_id": 5},
		{"attempt": 2, "source_id": 5, "first_line": 100, "since": "2026-01-01 10:00+00"},
		{"attempt": 3, "path_attempt": 7, "since": "2026-01-01 11:00+00"}]') WITH ORDINALITY j (r, n)) a,
	(VALUES (NULL::int, 5::bigint, 99::bigint, NULL::timestamptz), (NULL, 5, 100, '2026-01-01 09:00+00'),
		(6, 5, 100, '2026-01-01 12:00+00'), (7, 5, 1, NULL), (NULL, 6, 1, '2026-01-01 10:59+00'),
		(NULL, 6, 1, '2026-01-01 11:00+00'), (NULL, 6, 1, '2026-01-01 09:59+00'),
		(NULL, NULL, NULL, NULL)) p (path, source_id, line_no, ts);
SELECT l4_attempt_of(NULL, 1, 1, 1, now()), l4_attempt_of('{}', 1, 1, 1, now());
DO $$	-- one call site that lives longer than a query
DECLARE
	last integer;
	attempts l4_attempt[];
	found_attempt integer;
BEGIN
	FOR last IN 1..3 LOOP
		attempts := ARRAY(SELECT jsonb_populate_record(NULL::l4_attempt, jsonb_build_object('attempt', n))
			FROM generate_series(1, last) n ORDER BY n);
		found_attempt := l4_attempt_of(attempts, NULL, NULL, NULL, NULL);
		RAISE WARNING 'of % attempts the last is %', last, found_attempt;
	END LOOP;
END $$;
\echo == records picked out of their segments, by shape and by stream, are those that all of them hold
SELECT count(*) > 0 AS some, count(*) FILTER (WHERE NOT EXISTS (
	SELECT FROM l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r
	WHERE (r.stream_id, r.line_no, r.part, r.shape_id) = (w.stream_id, w.line_no, w.part, w.shape_id)
		AND (r.ts, r.stage, r.iteration, r.parameters)
			IS NOT DISTINCT FROM (w.ts, w.stage, w.iteration, w.parameters))) AS other
FROM l4_segment g, l4_shape_places(g.structure, g.texts, g.parameters, g.stream_ids, g.shape_ids[1:2], true) w
WHERE g.job_id = 'good';
SELECT bool_and(o.places = o.records) AS all_of_stream, bool_or(o.places > 0) AS some
FROM (SELECT (SELECT count(*) FROM l4_stream_places(g.structure, g.texts, g.parameters, g.stream_ids, ARRAY[s]) w
		WHERE w.stream_id = s) AS places,
		(SELECT count(*) FROM l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r
			WHERE r.stream_id = s) AS records
	FROM l4_segment g, unnest(g.stream_ids) s WHERE g.job_id = 'good') o;
-- nothing is left for other tests
SELECT array_agg(j.job_id ORDER BY j.job_id COLLATE "C") AS jobs FROM l4_job j
WHERE j.job_id IN (SELECT l.job FROM line l) \gset
SELECT l4_delete_job(d) FROM unnest(:'jobs'::text[]) d \g /dev/null
DROP SCHEMA attempts CASCADE;
