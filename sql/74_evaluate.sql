/*
 * Evaluation: how well a diagnosis finds what an operator knows of jobs whose failure is explained.
 *
 * Labels (l4_label) say of a job which log lines tell of the failure, which nodes are at fault, in which stage and iteration it
 * began. l4_evaluate diagnoses the labelled jobs and holds the findings against the labels, with the figures of the paper, and
 * does the same for three simple methods, so that a figure can be judged:
 *   Error_time   the node with the first error line first
 *   Error_count  the node with most error lines first
 *   paper        the method of the paper as it is printed: events that no job of the pool has; an Isolation Forest over counts
 *                of those events; iterations whose mean DTW distance lies beyond three standard deviations
 */

CREATE FUNCTION @extschema@.l4_glob_matches(path text, glob text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN path ~ ('^' || replace(replace(replace(
	regexp_replace(glob, CASE WHEN glob ~ '\[.+\]' THEN '([.+^$(){}|\\])' ELSE '([.+^$(){}|\\[])' END, '\\\1', 'g'),
	'*', '.*'), '?', '.'), '[!', '[^') || '$');
COMMENT ON FUNCTION @extschema@.l4_glob_matches(text, text) IS
'Step: Does a glob match a whole path? * stands for any text and ? for any character (a slash too), [abc] for one of '
'these, [!abc] for one that is none of these.';

CREATE TYPE @extschema@.l4_judged_event AS (
	event_id bigint,
	truth boolean,
	other boolean,
	dull boolean,
	label_nos int[]
);
COMMENT ON TYPE @extschema@.l4_judged_event IS
'An event of a job held against the job''s labels: does a record of it hold a labelled line (truth), is there one with '
'neither labelled nor neutral lines (other), one with neutral lines only (dull); and which labels are in it.';

CREATE FUNCTION @extschema@.l4_judge_events(job_id text, labels @extschema@.l4_label[])
RETURNS SETOF @extschema@.l4_judged_event
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 1000
BEGIN ATOMIC
	WITH rule AS (
		SELECT l.label_no, l.pattern, l.role IS NOT DISTINCT FROM 'neutral' AS neutral, ARRAY(
			SELECT DISTINCT t.source FROM @extschema@.l4_job_streams(l.job_id) t
			WHERE (l.source_glob IS NULL OR @extschema@.l4_glob_matches(t.source, l.source_glob))) AS sources
		FROM unnest(l4_judge_events.labels) l
		WHERE l.job_id = l4_judge_events.job_id AND l.kind = 'event'
	),
	entry AS MATERIALIZED (
		SELECT r.source, r.line_no, r.part, r.event_id, r.raw FROM @extschema@.l4_log r
		WHERE r.job_id = l4_judge_events.job_id AND r.event_id IS NOT NULL
	),
	hit AS (
		-- pattern by pattern: each is compiled once
		SELECT h.source, h.line_no, h.part, array_agg(u.label_no) FILTER (WHERE NOT u.neutral) AS label_nos
		FROM rule u
		CROSS JOIN LATERAL (
			SELECT e.source, e.line_no, e.part FROM entry e
			WHERE e.source = ANY (u.sources)
				AND CASE WHEN strpos(e.raw, E'\n') = 0 THEN @extschema@.l4_pattern_matches(u.pattern, e.raw)
					ELSE EXISTS (SELECT FROM string_to_table(e.raw, E'\n') t (line)
						WHERE @extschema@.l4_pattern_matches(u.pattern, t.line)) END
			OFFSET 0) h
		GROUP BY h.source, h.line_no, h.part
	),
	record AS MATERIALIZED (
		SELECT e.event_id, h.label_nos, h.source IS NOT NULL AS quiet
		FROM entry e LEFT JOIN hit h ON h.source = e.source AND h.line_no = e.line_no AND h.part = e.part
	),
	event AS (
		SELECT r.event_id, bool_or(r.label_nos IS NOT NULL) AS truth, bool_or(r.label_nos IS NULL AND NOT r.quiet) AS other,
			bool_or(r.label_nos IS NULL AND r.quiet) AS dull
		FROM record r GROUP BY r.event_id
	),
	reached AS (
		SELECT r.event_id, array_agg(DISTINCT n.label_no) AS label_nos
		FROM record r, unnest(r.label_nos) n (label_no) GROUP BY r.event_id
	)
	SELECT e.event_id, e.truth, e.other, e.dull, r.label_nos
	FROM event e LEFT JOIN reached r ON r.event_id = e.event_id;
END;
COMMENT ON FUNCTION @extschema@.l4_judge_events(text, @extschema@.l4_label[]) IS
'Step: Holds all records of a job against its event labels: one row an event. A record is judged by its physical lines, '
'continuation lines included. Reads the whole job and tries every label on every line. Errors: those of a bad pattern.';

CREATE TYPE @extschema@.l4_claim AS (
	kind text,
	ordinal int,
	node text,
	stage text,
	iteration bigint,
	event_id bigint,
	confidence double precision
);
COMMENT ON TYPE @extschema@.l4_claim IS
'What a method says of a job, as the columns of l4_diagnose of the same names.';

CREATE FUNCTION @extschema@.l4_error_claims(job_id text, by_count boolean) RETURNS SETOF @extschema@.l4_claim
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH record AS MATERIALIZED (
		SELECT s.unit AS node, h.event_id, e.occurrences, e.first_ts, e.first_line
		FROM @extschema@.l4_job_streams(l4_error_claims.job_id) s
		JOIN @extschema@.l4_job_counts(l4_error_claims.job_id) e ON e.stream_id = s.stream_id
		JOIN @extschema@.l4_shape h ON h.shape_id = e.shape_id
		WHERE CASE WHEN e.level IS NULL THEN @extschema@.l4_text_gravity(h.shape,
			(SELECT @extschema@.l4_wordings_in_force())) >= 4 ELSE @extschema@.l4_level_rank(e.level) >= 5 END
	)
	SELECT 'node', (row_number() OVER (ORDER BY CASE WHEN l4_error_claims.by_count THEN sum(r.occurrences) END DESC,
		min(r.first_ts), min(r.first_line), r.node))::int, r.node, NULL::text, NULL::bigint, NULL::bigint, NULL::float8
	FROM record r WHERE r.node IS NOT NULL GROUP BY r.node
	UNION ALL
	SELECT DISTINCT 'event', 1, NULL::text, NULL::text, NULL::bigint, r.event_id, NULL::float8 FROM record r;
END;
COMMENT ON FUNCTION @extschema@.l4_error_claims(text, boolean) IS
'Step: The baselines Error_time and Error_count (by_count) of the paper: nodes by their first error line or by the number '
'of such lines, and all events with such lines. An error line is one at level error or fatal or, where a line states no '
'level, one that sounds like trouble (l4_text_gravity).';

CREATE FUNCTION @extschema@.l4_plain_claims(job_id text, use_pool boolean DEFAULT true) RETURNS SETOF @extschema@.l4_claim
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 100
BEGIN ATOMIC
	WITH pool AS MATERIALIZED (
		SELECT DISTINCT h.event_id
		FROM @extschema@.l4_best_pool(l4_plain_claims.job_id) b
		JOIN @extschema@.l4_pool_job m ON m.pool_id = b.pool_id AND m.job_id <> l4_plain_claims.job_id
		CROSS JOIN LATERAL @extschema@.l4_job_shapes(m.job_id) e
		JOIN @extschema@.l4_shape h ON h.shape_id = e.shape_id
		WHERE l4_plain_claims.use_pool AND h.event_id IS NOT NULL
	),
	news AS MATERIALIZED (
		SELECT s.unit AS node, h.event_id, sum(e.occurrences)::float8 AS occurrences
		FROM @extschema@.l4_job_streams(l4_plain_claims.job_id) s
		JOIN @extschema@.l4_job_counts(l4_plain_claims.job_id) e ON e.stream_id = s.stream_id
		JOIN @extschema@.l4_shape h ON h.shape_id = e.shape_id
		WHERE NOT EXISTS (SELECT FROM pool p WHERE p.event_id = h.event_id)
		GROUP BY s.unit, h.event_id
	),
	node AS (
		SELECT (unnest(@extschema@.l4_iforest_rank(n.node, n.event_id, n.occurrences, 'plain', 100, 256, 1))).*
		FROM news n WHERE n.node IS NOT NULL
	),
	sequence AS (
		SELECT r.iteration, array_agg(r.event_id ORDER BY r.rank, r.source, r.line_no, r.part) AS events
		FROM @extschema@.l4_log r
		WHERE r.job_id = l4_plain_claims.job_id AND r.rank IS NOT NULL AND r.iteration IS NOT NULL
		GROUP BY r.iteration
	),
	iteration AS (
		SELECT (unnest(@extschema@.l4_dtw_scores(s.iteration, s.events))).* FROM sequence s
	)
	SELECT 'event', 1, NULL::text, NULL::text, NULL::bigint, n.event_id, NULL::float8 FROM news n GROUP BY n.event_id
	UNION ALL
	SELECT 'node', n.rank, n.item, NULL, NULL, NULL, NULL FROM node n
	UNION ALL
	SELECT 'iteration', (row_number() OVER (ORDER BY i.mean_distance DESC, i.iteration))::int, NULL, NULL, i.iteration, NULL,
		NULL
	FROM iteration i WHERE i.three_sigma;
END;
COMMENT ON FUNCTION @extschema@.l4_plain_claims(text, boolean) IS
'Step: The method of the paper as printed, for comparison: events that no job of the pool has (all events, where there is '
'no pool), nodes by an Isolation Forest over plain counts of those events (every node that has one is ranked), iterations '
'by mean DTW distance beyond three standard deviations, the farthest first. It has no rule for stages. Reads the whole '
'job. Paper: Jiang et al., FSE 2025, sections 4.2 to 4.4.';

CREATE FUNCTION @extschema@.l4_claims(job_id text, method text, use_pool boolean DEFAULT true)
RETURNS SETOF @extschema@.l4_claim
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
BEGIN
	CASE method
		WHEN 'l4' THEN
			RETURN QUERY SELECT d.kind, d.ordinal, d.node, d.stage, d.iteration, d.event_id, d.confidence
			FROM @extschema@.l4_diagnose(l4_claims.job_id, l4_claims.use_pool) d;
		WHEN 'paper' THEN
			RETURN QUERY SELECT p.* FROM @extschema@.l4_plain_claims(l4_claims.job_id, l4_claims.use_pool) p;
		WHEN 'Error_time', 'Error_count' THEN
			RETURN QUERY SELECT e.* FROM @extschema@.l4_error_claims(l4_claims.job_id, method = 'Error_count') e;
		ELSE
			RAISE EXCEPTION 'method "%" is not known', method
				USING ERRCODE = 'invalid_parameter_value', HINT = 'The methods are l4, paper, Error_time and Error_count.';
	END CASE;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_claims(text, text, boolean) IS
'Step: What a method (l4, paper, Error_time, Error_count) says of a job. Errors: another method (22023); those of '
'l4_diagnose.';

CREATE TYPE @extschema@.l4_evaluation AS (
	job_id text,
	method text,
	seconds double precision,
	events_hit int,
	events_reported int,
	events_true int,
	label_recall double precision,
	missed_events bigint[],
	false_events bigint[],
	nodes_at_fault int,
	first_hit int,
	top1 double precision,
	top3 double precision,
	top5 double precision,
	top8 double precision,
	blamed int,
	stage text,
	stage_right boolean,
	iterations bigint[],
	iteration_right boolean,
	node_confidences double precision[],
	nodes_right boolean[]
);
COMMENT ON TYPE @extschema@.l4_evaluation IS
'What a method says of a job held against the labels of the job; see l4_evaluate for the columns.';

CREATE FUNCTION @extschema@.l4_sure_claims(claims @extschema@.l4_claim[], labels @extschema@.l4_label[], job_id text,
	OUT confidences double precision[], OUT are_right boolean[])
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	WITH label AS MATERIALIZED (
		SELECT l.node FROM unnest(l4_sure_claims.labels) l WHERE l.job_id = l4_sure_claims.job_id AND l.kind = 'node'
	)
	SELECT array_agg(c.confidence ORDER BY c.ordinal),
		array_agg(c.node IN (SELECT l.node FROM label l WHERE l.node IS NOT NULL) ORDER BY c.ordinal)
	FROM unnest(l4_sure_claims.claims) c
	WHERE c.kind = 'node' AND c.node IS NOT NULL AND c.confidence IS NOT NULL AND EXISTS (SELECT FROM label);
END;
COMMENT ON FUNCTION @extschema@.l4_sure_claims(@extschema@.l4_claim[], @extschema@.l4_label[], text) IS
'Step: how sure a method is of the nodes that it names, in their order, and whether each is at fault by the labels of the job; '
'NULL where it names none, does not say how sure it is, or no node is labelled.';

CREATE FUNCTION @extschema@.l4_judge_claims(job_id text, method text, seconds double precision, labels @extschema@.l4_label[],
	judged @extschema@.l4_judged_event[], claims @extschema@.l4_claim[]) RETURNS SETOF @extschema@.l4_evaluation
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	WITH label AS MATERIALIZED (SELECT l.* FROM unnest(l4_judge_claims.labels) l WHERE l.job_id = l4_judge_claims.job_id),
	claim AS MATERIALIZED (SELECT c.* FROM unnest(l4_judge_claims.claims) c),
	judged AS MATERIALIZED (SELECT j.* FROM unnest(l4_judge_claims.judged) j),
	reported AS MATERIALIZED (
		-- events made of neutral lines only are neither hits nor mistakes
		SELECT DISTINCT c.event_id, j.truth IS TRUE AS truth
		FROM claim c LEFT JOIN judged j ON j.event_id = c.event_id
		WHERE c.kind = 'event' AND c.event_id IS NOT NULL AND (j.dull AND NOT j.truth AND NOT j.other) IS NOT TRUE
	),
	event AS (
		SELECT (SELECT count(*) FROM reported r WHERE r.truth) AS hit, (SELECT count(*) FROM reported r) AS reported,
			(SELECT count(*) FROM judged j WHERE j.truth) AS true,
			(SELECT avg(g.reached::int) FROM (
				SELECT bool_or(EXISTS (SELECT FROM reported r WHERE r.event_id = j.event_id)) AS reached
				FROM judged j, unnest(j.label_nos) n (label_no) GROUP BY n.label_no) g) AS label_recall,
			ARRAY(SELECT j.event_id FROM judged j
				WHERE j.truth AND NOT EXISTS (SELECT FROM reported r WHERE r.event_id = j.event_id) ORDER BY 1) AS missed,
			ARRAY(SELECT r.event_id FROM reported r WHERE NOT r.truth ORDER BY 1) AS false
	),
	named AS (
		SELECT c.node, row_number() OVER (ORDER BY c.ordinal) AS place FROM claim c WHERE c.kind = 'node' AND c.node IS NOT NULL
	),
	fault AS (
		SELECT count(DISTINCT l.node) AS nodes, bool_or(l.node IS NULL) AS alike FROM label l WHERE l.kind = 'node'
	),
	hit AS (SELECT n.node, min(n.place) AS place FROM named n WHERE n.node IN (SELECT l.node FROM label l WHERE l.kind = 'node')
		GROUP BY n.node),
	node AS (
		SELECT f.nodes, min(h.place) AS first_hit,
			count(*) FILTER (WHERE h.place <= 1)::float8 / LEAST(1, f.nodes) AS top1,
			count(*) FILTER (WHERE h.place <= 3)::float8 / LEAST(3, f.nodes) AS top3,
			count(*) FILTER (WHERE h.place <= 5)::float8 / LEAST(5, f.nodes) AS top5,
			count(*) FILTER (WHERE h.place <= 8)::float8 / f.nodes AS top8
		FROM fault f LEFT JOIN hit h ON true
		WHERE f.nodes > 0 AND NOT f.alike
		GROUP BY f.nodes
	),
	stage AS (SELECT c.stage FROM claim c WHERE c.kind = 'stage' AND c.stage IS NOT NULL ORDER BY c.ordinal LIMIT 1),
	iteration AS (SELECT c.iteration, c.ordinal FROM claim c WHERE c.kind = 'iteration' AND c.iteration IS NOT NULL
		ORDER BY c.ordinal LIMIT 3)
	SELECT l4_judge_claims.job_id, l4_judge_claims.method, l4_judge_claims.seconds,
		CASE WHEN e.true > 0 THEN e.hit END::int, CASE WHEN e.true > 0 THEN e.reported END::int, NULLIF(e.true, 0)::int,
		e.label_recall::float8,
		CASE WHEN e.true > 0 THEN e.missed END, CASE WHEN e.true > 0 THEN e.false END,
		n.nodes::int, n.first_hit::int, n.top1, n.top3, n.top5, n.top8,
		CASE WHEN (SELECT f.alike FROM fault f) THEN (SELECT count(*) FROM named) END::int,
		(SELECT s.stage FROM stage s),
		CASE WHEN l4_judge_claims.method = 'l4' AND EXISTS (SELECT FROM label l WHERE l.kind = 'stage')
			THEN EXISTS (SELECT FROM stage s JOIN label l ON l.stage = s.stage) END,
		ARRAY(SELECT i.iteration FROM iteration i ORDER BY i.ordinal),
		CASE WHEN l4_judge_claims.method IN ('l4', 'paper') AND EXISTS (SELECT FROM label l WHERE l.kind = 'iteration')
			THEN EXISTS (SELECT FROM iteration i JOIN label l ON abs(l.iteration - i.iteration) <= 1) END,
		c.confidences, c.are_right
	FROM event e LEFT JOIN node n ON true
	CROSS JOIN @extschema@.l4_sure_claims(l4_judge_claims.claims, l4_judge_claims.labels, l4_judge_claims.job_id) c;
END;
COMMENT ON FUNCTION @extschema@.l4_judge_claims(text, text, double precision, @extschema@.l4_label[],
	@extschema@.l4_judged_event[], @extschema@.l4_claim[]) IS
'Step: Holds what a method says of a job (claims) against the labels of the job and its judged events (l4_judge_events): '
'one row of figures. A method that has no rule for stages or iterations gets NULL there.';

CREATE FUNCTION @extschema@.l4_query_labels(query text DEFAULT NULL) RETURNS SETOF @extschema@.l4_label
LANGUAGE plpgsql STABLE PARALLEL UNSAFE COST 1000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
BEGIN
	IF query IS NULL THEN
		RETURN QUERY SELECT l.* FROM @extschema@.l4_label l;
	ELSE
		RETURN QUERY EXECUTE format('SELECT l.* FROM (%s) q, jsonb_populate_record(NULL::@extschema@.l4_label, to_jsonb(q)) l',
			query);
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_query_labels(text) IS
'Step: The labels that a query yields: its columns are taken by their names in l4_label, those it has not are NULL, others '
'are left aside; NULL: the table l4_label. The query runs with the caller''s rights, reads only, and finds tables by their '
'qualified names. Errors: those of the query.';

CREATE FUNCTION @extschema@.l4_known_labels(job_ids text[], query text) RETURNS @extschema@.l4_label[]
LANGUAGE plpgsql STABLE PARALLEL UNSAFE COST 1000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	known @extschema@.l4_label[] := ARRAY(SELECT l FROM @extschema@.l4_query_labels(l4_known_labels.query) l
		WHERE l4_known_labels.job_ids IS NULL OR l.job_id = ANY (l4_known_labels.job_ids));
	unlabelled text := (SELECT j.job_id FROM unnest(l4_known_labels.job_ids) j (job_id)
		WHERE NOT EXISTS (SELECT FROM unnest(known) l WHERE l.job_id = j.job_id) ORDER BY 1 LIMIT 1);
BEGIN
	IF unlabelled IS NOT NULL THEN
		RAISE EXCEPTION 'job "%" has no labels', unlabelled
			USING ERRCODE = 'no_data_found',
				HINT = 'Put what is known of its failure into the table l4_label, or give a query that yields it.';
	END IF;
	RETURN known;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_known_labels(text[], text) IS
'Step: the labels of some jobs (NULL: of all), by a query or from l4_label (l4_query_labels). Errors: a job without labels '
'(P0002), those of the query.';

CREATE FUNCTION @extschema@.l4_evaluate(job_ids text[] DEFAULT NULL, methods text[] DEFAULT '{l4,paper,Error_time,Error_count}',
	use_pool boolean DEFAULT true, labels text DEFAULT NULL) RETURNS SETOF @extschema@.l4_evaluation
LANGUAGE plpgsql STABLE PARALLEL UNSAFE COST 1000000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	known @extschema@.l4_label[] := @extschema@.l4_known_labels(l4_evaluate.job_ids, l4_evaluate.labels);
	mine @extschema@.l4_label[];
	judged @extschema@.l4_judged_event[];
	claims @extschema@.l4_claim[];
	one text;
	way text;
	began timestamptz;
BEGIN
	FOR one IN SELECT DISTINCT l.job_id COLLATE "C" FROM unnest(known) l ORDER BY 1 LOOP
		mine := ARRAY(SELECT l FROM unnest(known) l WHERE l.job_id = one);
		judged := ARRAY(SELECT j FROM @extschema@.l4_judge_events(one, mine) j);
		FOREACH way IN ARRAY l4_evaluate.methods LOOP
			began := clock_timestamp();
			claims := ARRAY(SELECT c FROM @extschema@.l4_claims(one, way, l4_evaluate.use_pool) c);
			RETURN QUERY SELECT e.*
			FROM @extschema@.l4_judge_claims(one, way, extract(epoch FROM clock_timestamp() - began)::float8, mine, judged,
				claims) e;
		END LOOP;
	END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_evaluate(text[], text[], boolean, text) IS
'Diagnoses labelled jobs (job_ids; NULL: all that have labels) and holds the findings against the labels: one row a job '
'and method (l4, paper, Error_time, Error_count). labels: a query that yields labels, NULL for the table l4_label '
'(l4_query_labels). use_pool false leaves the successful jobs out. Columns: seconds the diagnosis took; events_hit, '
'events_reported (without those of neutral lines only) and events_true, the numbers of events with labelled lines that are '
'reported, of events reported, and of events with labelled lines (NULL where no line is labelled); label_recall, the share '
'of event labels found in the logs of which an event is reported; missed_events and false_events, to be asked about with '
'l4_explain_event; nodes_at_fault, first_hit (place of the first of them among the nodes named), top1 to top8 (share of '
'them among the first k nodes; of more than k, k are enough for k up to 5); blamed, nodes named where none is to be; stage '
'named first, and whether it is right; iterations, the first three named, and whether one is within 1 of a label (of several '
'labelled stages or iterations each is right); node_confidences and nodes_right, of the nodes named, in order, how sure the '
'diagnosis is and whether the node is at fault. NULL: '
'there is no label of the kind, or the method has no rule for it. Errors: a job without labels (P0002), an unknown method '
'(22023), those of l4_diagnose. Cost: reads each job, and tries each label on each of its lines. Paper: Jiang et al., FSE '
'2025, section 5.';

CREATE FUNCTION @extschema@.l4_summarize_evaluation(evaluations @extschema@.l4_evaluation[])
RETURNS TABLE (method text, jobs bigint, event_precision double precision, event_recall double precision,
	event_f1 double precision, mean_precision double precision, mean_recall double precision, label_recall double precision,
	local_jobs bigint, top1 double precision, top3 double precision, top5 double precision, top8 double precision,
	alike_jobs bigint, blamed double precision, stage_jobs bigint, stage double precision,
	iteration_jobs bigint, iteration double precision, mean_seconds double precision, max_seconds double precision,
	node_brier double precision, sure_nodes bigint, sure_right double precision, sure_found double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 ROWS 4
BEGIN ATOMIC
	SELECT e.method, count(*),
		CASE WHEN sum(e.events_true) > 0 THEN COALESCE(sum(e.events_hit)::float8 / NULLIF(sum(e.events_reported), 0), 0) END,
		sum(e.events_hit)::float8 / sum(e.events_true),
		2 * sum(e.events_hit)::float8 / (sum(e.events_reported) + sum(e.events_true)),
		avg(COALESCE(e.events_hit::float8 / NULLIF(e.events_reported, 0), 0)) FILTER (WHERE e.events_true > 0),
		avg(e.events_hit::float8 / e.events_true), avg(e.label_recall),
		count(e.top1), avg(e.top1), avg(e.top3), avg(e.top5), avg(e.top8),
		count(e.blamed), avg(e.blamed)::float8,
		count(e.stage_right), avg(e.stage_right::int)::float8,
		count(e.iteration_right), avg(e.iteration_right::int)::float8,
		avg(e.seconds), max(e.seconds),
		sum(c.squares) / NULLIF(sum(c.nodes), 0), CASE WHEN sum(c.nodes) > 0 THEN sum(c.sure) END::bigint,
		sum(c.sure_right)::float8 / NULLIF(sum(c.sure), 0),
		CASE WHEN sum(c.nodes) > 0 THEN avg((c.sure_right > 0)::int) FILTER (WHERE e.top1 IS NOT NULL) END::float8
	FROM unnest(l4_summarize_evaluation.evaluations) e
	CROSS JOIN LATERAL (
		SELECT count(*) AS nodes, sum((n.confidence - n.is_right::int) ^ 2) AS squares,
			count(*) FILTER (WHERE n.confidence >= 0.8) AS sure,
			count(*) FILTER (WHERE n.confidence >= 0.8 AND n.is_right) AS sure_right
		FROM unnest(e.node_confidences, e.nodes_right) n (confidence, is_right) OFFSET 0) c
	GROUP BY e.method
	ORDER BY array_position(ARRAY['l4', 'paper', 'Error_time', 'Error_count'], e.method), e.method;
END;
COMMENT ON FUNCTION @extschema@.l4_summarize_evaluation(@extschema@.l4_evaluation[]) IS
'Step: The figures of rows of l4_evaluate in total, one row a method: number of jobs; precision, recall and F1 over all '
'events of all jobs, and the means of the jobs'' precision and recall; mean share of labels found; number of jobs with a '
'fault of single nodes, and the means of top1 to top8 over them; number of jobs whose nodes fail alike, and the mean '
'number of nodes blamed there; number of jobs with a labelled stage (iteration) and the share in which it is right; mean '
'and largest time of a diagnosis; of the nodes named the Brier score of their confidence (mean squared distance from 1 where '
'the node is at fault, else from 0), how many are named with a confidence of 0.8 or more, which share of these is right, and '
'in which share of the jobs with a fault of single nodes one is found so. NULL where no job has such a label.';

CREATE FUNCTION @extschema@.l4_evaluate_summary(job_ids text[] DEFAULT NULL,
	methods text[] DEFAULT '{l4,paper,Error_time,Error_count}', use_pool boolean DEFAULT true,
	labels text DEFAULT NULL)
RETURNS TABLE (method text, jobs bigint, event_precision double precision, event_recall double precision,
	event_f1 double precision, mean_precision double precision, mean_recall double precision, label_recall double precision,
	local_jobs bigint, top1 double precision, top3 double precision, top5 double precision, top8 double precision,
	alike_jobs bigint, blamed double precision, stage_jobs bigint, stage double precision,
	iteration_jobs bigint, iteration double precision, mean_seconds double precision, max_seconds double precision,
	node_brier double precision, sure_nodes bigint, sure_right double precision, sure_found double precision)
LANGUAGE sql STABLE PARALLEL UNSAFE COST 1000000 ROWS 4
BEGIN ATOMIC
	SELECT s.* FROM @extschema@.l4_summarize_evaluation(ARRAY(SELECT e
		FROM @extschema@.l4_evaluate(l4_evaluate_summary.job_ids, l4_evaluate_summary.methods,
		l4_evaluate_summary.use_pool, l4_evaluate_summary.labels) e)) s;
END;
COMMENT ON FUNCTION @extschema@.l4_evaluate_summary(text[], text[], boolean, text) IS
'The totals of l4_evaluate (same parameters), one row a method; see l4_summarize_evaluation for the columns.';
