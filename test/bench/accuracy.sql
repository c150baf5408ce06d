/*
 * accuracy.sql: figures of l4_diagnose over the failed jobs of bench_job.
 *
 *   events     P = reported events with at least one labelled line / reported events (events made of neutral lines only are left out);
 *              R = events with at least one labelled line that are reported / all such events; label R = label patterns reached, mean over jobs
 *   nodes      top-k: share of the labelled faulty nodes among the first k node findings, mean over jobs whose fault is local;
 *              blamed: mean number of node findings in jobs whose nodes all fail alike
 *   stage      share of jobs whose first stage finding is the labelled stage
 *   iteration  share of jobs with a labelled iteration of which one of the first 3 iteration findings is within 1
 *
 * Beside it: Error_time (the node with the first error) and Error_count (the node with most errors), and the paper's plain method (events that no
 * pool job has; Isolation Forest over counts of those events; mean DTW distance above three sigma).
 */
\pset footer off
SET client_min_messages = warning;
SET search_path = public;
SET jit = off;

CREATE TEMP TABLE failed AS
	SELECT job ->> 'job_id' AS job_id, job FROM bench_job WHERE job ->> 'status' <> 'success';

CREATE TEMP TABLE label AS
	SELECT job_id, l.n AS label_no, '^' || regexp_replace(regexp_replace(l.v ->> 'files', '([.+^$(){}|\\])', '\\\1', 'g'), '\*', '.*', 'g') || '$' AS files,
		l.v ->> 'regex' AS regex
	FROM failed, jsonb_array_elements(coalesce(job -> 'failure_indicating', '[]')) WITH ORDINALITY AS l (v, n);

CREATE TEMP TABLE neutral AS
	SELECT job_id, v AS regex FROM failed, jsonb_array_elements_text(coalesce(job -> 'neutral', '[]')) AS v;

-- Every distinct line of a failed job with its event; labels are judged on lines.
CREATE TEMP TABLE record AS
	SELECT job_id, source, line_no, part, event_id, raw FROM failed JOIN l4_log USING (job_id);
CREATE TEMP TABLE line AS
	SELECT DISTINCT job_id, source, line_no, part, event_id, text
	FROM record, regexp_split_to_table(raw, E'[\n\r]+') AS text;
CREATE TEMP TABLE hit AS
	SELECT n.job_id, n.source, n.line_no, n.part, n.event_id, l.label_no
	FROM line n JOIN label l ON l.job_id = n.job_id AND n.source ~ l.files AND l4_pattern_matches(l.regex, n.text);
CREATE TEMP TABLE judged AS
	SELECT r.job_id, r.event_id,
		bool_or(h.job_id IS NOT NULL) AS truth,
		bool_or(h.job_id IS NULL AND NOT q.quiet) AS other,
		bool_or(h.job_id IS NULL AND q.quiet) AS dull
	FROM record r
		LEFT JOIN (SELECT DISTINCT job_id, source, line_no, part FROM hit) h USING (job_id, source, line_no, part)
		CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM neutral u, regexp_split_to_table(r.raw, E'[\n\r]+') AS text
			WHERE u.job_id = r.job_id AND h.job_id IS NULL AND l4_pattern_matches(u.regex, text)) AS quiet) q
	GROUP BY r.job_id, r.event_id;

-- What each method says: method, job, kind, ordinal, node, stage, iteration, event.
CREATE TEMP TABLE said (method text, job_id text, kind text, ordinal int, node text, stage text, iteration bigint, event_id bigint);
CREATE TEMP TABLE duration (job_id text, seconds double precision);

DO $$
DECLARE
	one record;
	began timestamptz;
BEGIN
	FOR one IN SELECT job_id FROM failed ORDER BY job_id LOOP
		began := clock_timestamp();
		INSERT INTO said SELECT 'l4', one.job_id, d.kind, d.ordinal, d.node, d.stage, d.iteration, d.event_id FROM l4_diagnose(one.job_id) d;
		INSERT INTO duration VALUES (one.job_id, extract(epoch FROM clock_timestamp() - began));
	END LOOP;
END $$;

CREATE TEMP TABLE error_record AS
	SELECT job_id, s.node, e.first_ts, e.occurrences, h.event_id
	FROM failed JOIN l4_stream s USING (job_id) JOIN l4_stream_event e USING (job_id, stream_id) JOIN l4_shape h USING (shape_id)
	WHERE e.level IN ('error', 'fatal') AND s.node IS NOT NULL;
INSERT INTO said (method, job_id, kind, ordinal, node)
	SELECT 'Error_time', job_id, 'node', row_number() OVER (PARTITION BY job_id ORDER BY min(first_ts), node), node FROM error_record GROUP BY job_id, node;
INSERT INTO said (method, job_id, kind, ordinal, node)
	SELECT 'Error_count', job_id, 'node', row_number() OVER (PARTITION BY job_id ORDER BY sum(occurrences) DESC, node), node FROM error_record GROUP BY job_id, node;
INSERT INTO said (method, job_id, kind, event_id)
	SELECT DISTINCT 'Error_count', job_id, 'event', event_id FROM error_record;

-- The paper's plain method. Its pool: the successful jobs of equal model and framework.
CREATE TEMP TABLE plain_event AS
	SELECT f.job_id, s.node, h.event_id, sum(e.occurrences) AS occurrences, min(e.first_ts) AS first_ts
	FROM failed f JOIN l4_stream s USING (job_id) JOIN l4_stream_event e USING (job_id, stream_id) JOIN l4_shape h USING (shape_id)
	WHERE NOT EXISTS (SELECT FROM l4_job j JOIN l4_stream_event pe ON pe.job_id = j.job_id JOIN l4_shape ph ON ph.shape_id = pe.shape_id
		WHERE j.status = 'succeeded' AND ph.event_id = h.event_id
			AND j.settings ->> 'model' = f.job -> 'settings' ->> 'model' AND j.settings ->> 'framework' = f.job -> 'settings' ->> 'framework')
	GROUP BY f.job_id, s.node, h.event_id;
INSERT INTO said (method, job_id, kind, event_id) SELECT DISTINCT 'paper, plain', job_id, 'event', event_id FROM plain_event;
INSERT INTO said (method, job_id, kind, ordinal, node)
	SELECT 'paper, plain', job_id, 'node', r.rank, r.item
	FROM (SELECT job_id, l4_iforest_rank(node, event_id, occurrences::double precision, 'plain', 100, 256, 1) AS ranks
		FROM plain_event WHERE node IS NOT NULL GROUP BY job_id) x, unnest(ranks) r;
INSERT INTO said (method, job_id, kind, ordinal, iteration)
	SELECT 'paper, plain', job_id, 'iteration', row_number() OVER (PARTITION BY job_id ORDER BY s.mean_distance DESC, s.iteration), s.iteration
	FROM (SELECT job_id, l4_dtw_scores(iteration, events) AS scores
		FROM (SELECT job_id, iteration, array_agg(event_id ORDER BY rank, source, line_no, part) AS events
			FROM failed JOIN l4_log USING (job_id) WHERE rank IS NOT NULL AND iteration IS NOT NULL GROUP BY job_id, iteration) i
		GROUP BY job_id) x, unnest(scores) s WHERE s.three_sigma;

CREATE TEMP TABLE stage_name (label text, stage text);
INSERT INTO stage_name VALUES ('environment initialization', 'environment_init'), ('environment initialization', 'rendezvous'),
	('environment initialization', 'communicator_init'), ('data loading', 'data_load'), ('model loading', 'model_build'), ('model loading', 'checkpoint_load'),
	('iterative training', 'iterating'), ('iterative training', 'evaluation'), ('evaluation', 'evaluation'), ('checkpointing', 'checkpoint_save');

CREATE TEMP VIEW figures AS
SELECT m.method, f.job_id, f.job ->> 'fault' AS fault, e.*, k.*, b.blamed, st.stage_ok, it.iteration_ok
FROM failed f CROSS JOIN (VALUES ('l4'), ('paper, plain'), ('Error_time'), ('Error_count')) AS m (method)
	CROSS JOIN LATERAL (SELECT
			count(*) FILTER (WHERE r AND truth) AS hits, count(*) FILTER (WHERE r AND (truth OR other OR NOT dull)) AS reported,
			count(*) FILTER (WHERE truth) AS true_events,
			(SELECT avg(x::int) FROM (SELECT bool_or(EXISTS (SELECT FROM said s WHERE s.method = m.method AND s.job_id = f.job_id AND s.kind = 'event' AND s.event_id = h.event_id)) AS x
				FROM hit h WHERE h.job_id = f.job_id GROUP BY h.label_no) g) AS label_recall
		FROM (SELECT j.*, EXISTS (SELECT FROM said s WHERE s.method = m.method AND s.job_id = j.job_id AND s.kind = 'event' AND s.event_id = j.event_id) AS r
			FROM judged j WHERE j.job_id = f.job_id) j) e
	LEFT JOIN LATERAL (SELECT
			count(*) FILTER (WHERE s.ordinal <= 1)::numeric / nullif(least(1, n.bad), 0) AS top1, count(*) FILTER (WHERE s.ordinal <= 3)::numeric / nullif(least(3, n.bad), 0) AS top3,
			count(*) FILTER (WHERE s.ordinal <= 5)::numeric / nullif(least(5, n.bad), 0) AS top5
		FROM (SELECT jsonb_array_length(f.job -> 'faulty_nodes') AS bad) n
			LEFT JOIN said s ON s.method = m.method AND s.job_id = f.job_id AND s.kind = 'node' AND f.job -> 'faulty_nodes' ? s.node
		GROUP BY n.bad) k ON jsonb_array_length(f.job -> 'faulty_nodes') > 0 AND NOT (f.job ->> 'all_nodes_alike')::boolean
	LEFT JOIN LATERAL (SELECT count(*) AS blamed FROM said s WHERE s.method = m.method AND s.job_id = f.job_id AND s.kind = 'node') b
		ON (f.job ->> 'all_nodes_alike')::boolean
	LEFT JOIN LATERAL (SELECT coalesce(bool_or(n.stage IS NOT NULL), false)::int AS stage_ok FROM said s LEFT JOIN stage_name n ON n.label = f.job ->> 'stage' AND n.stage = s.stage
		WHERE s.method = m.method AND s.job_id = f.job_id AND s.kind = 'stage' AND s.ordinal = 1) st ON EXISTS (SELECT FROM stage_name n WHERE n.label = f.job ->> 'stage')
	LEFT JOIN LATERAL (SELECT coalesce(bool_or(abs(s.iteration - (f.job ->> 'injected_iteration')::bigint) <= 1), false)::int AS iteration_ok FROM said s
		WHERE s.method = m.method AND s.job_id = f.job_id AND s.kind = 'iteration' AND s.ordinal <= 3) it ON f.job ->> 'injected_iteration' IS NOT NULL;
CREATE TEMP TABLE figure AS SELECT * FROM figures;

\echo 'Each failed job (l4):'
SELECT job_id, fault, hits || '/' || reported || '/' || true_events AS "hits/reported/true", round(label_recall, 2) AS label_r,
	round(top1, 2) AS top1, round(top5, 2) AS top5, blamed, stage_ok AS stage, iteration_ok AS iter
FROM figure WHERE method = 'l4' ORDER BY job_id COLLATE "C";

\echo 'All failed jobs:'
SELECT method, count(*) AS jobs,
	round(sum(hits) FILTER (WHERE true_events > 0) / nullif(sum(reported) FILTER (WHERE true_events > 0), 0), 3) AS event_p,
	round(sum(hits) / nullif(sum(true_events), 0), 3) AS event_r,
	round(2.0 * sum(hits) FILTER (WHERE true_events > 0) / nullif(sum(reported) FILTER (WHERE true_events > 0) + sum(true_events), 0), 3) AS event_f1, round(avg(label_recall), 3) AS label_r,
	round(avg(top1), 3) AS top1, round(avg(top3), 3) AS top3, round(avg(top5), 3) AS top5, round(avg(blamed), 2) AS blamed,
	round(avg(stage_ok), 3) AS stage, round(avg(iteration_ok), 3) AS iteration
FROM figure GROUP BY method
ORDER BY array_position(ARRAY['l4', 'paper, plain', 'Error_time', 'Error_count'], method);
SELECT round(max(seconds)::numeric, 2) AS slowest_diagnosis_seconds, round(avg(seconds)::numeric, 2) AS mean_seconds FROM duration;
