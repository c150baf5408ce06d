-- How sure findings are: the regression, what a confidence is made of, the verdict where no node stands out, and l4_calibrate.
SET search_path = public;
SET client_min_messages = warning;
SET timezone = 'UTC';

-- The regression against what is known. With a base alone it is the share of right ones (4 of 5: ln 4), held back by the
-- penalty.
SELECT round(c[1]::numeric, 6) AS base, round(ln(4)::numeric, 6) AS expected
FROM l4_logistic_fit('{t,t,t,t,f}', '{{1},{1},{1},{1},{1}}', penalty => 1e-9) c;
-- Of a feature that is 0 or 1 the coefficient is the difference of log odds: 1 of 4, 3 of 4.
SELECT round(c[1]::numeric, 6) AS base, round(c[2]::numeric, 6) AS feature, round(ln(3)::numeric, 6) AS ln_3
FROM l4_logistic_fit('{t,f,f,f,t,t,t,f}', '{{1,0},{1,0},{1,0},{1,0},{1,1},{1,1},{1,1},{1,1}}', penalty => 1e-9) c;
-- At the minimum the slope is none: sum of weight * (p - outcome) * feature = -penalty * (coefficient - prior).
WITH example AS (SELECT ARRAY[true, true, false, true, false, false] AS outcomes,
	ARRAY[1, 2, 1, 0.5, 3, 1]::float8[] AS weights,
	ARRAY[[1, 0.2, 3], [1, 0.9, -1], [1, 0.1, 0.5], [1, 0.7, 2], [1, 0.3, -2], [1, 0.6, 1]]::float8[] AS features),
fit AS (SELECT e.*, l4_logistic_fit(outcomes, features, weights, 0.7, '{0.5,-1,2}') AS c FROM example e)
SELECT j, round((sum(weights[i] * (l4_logistic(features[i][1] * c[1] + features[i][2] * c[2] + features[i][3] * c[3])
	- outcomes[i]::int) * features[i][j]) + 0.7 * (min(c[j]) - min((ARRAY[0.5, -1, 2])[j])))::numeric, 6) AS slope
FROM fit, generate_series(1, 6) i, generate_series(1, 3) j GROUP BY j ORDER BY j;
-- A row of weight 2 is two rows; one of weight 0 is none.
SELECT l4_logistic_fit('{t,f,t}', '{{1,3},{1,1},{1,2}}', '{2,1,0}') = l4_logistic_fit('{t,t,f}', '{{1,3},{1,3},{1,1}}') AS same;
-- Bounded: where the best coefficient is negative it becomes 0, and the others are those of the fit without it.
SELECT c[2] AS bounded, c[1] = b[1] AS others_alike
FROM l4_logistic_fit('{f,f,t,t,f}', '{{1,1},{1,2},{1,0},{1,1},{1,3}}', bounded => '{f,t}') c,
	l4_logistic_fit('{f,f,t,t,f}', '{{1},{1},{1},{1},{1}}') b;
-- All right, far apart, alike: a fit there is; a strong penalty leaves the prior.
SELECT round(c[1]::numeric, 3) AS separated FROM l4_logistic_fit('{t,t,f,f}', '{{1},{1},{-1},{-1}}') c;
SELECT round(c[1]::numeric, 3) AS prior FROM l4_logistic_fit('{t,t,f,f}', '{{1},{1},{-1},{-1}}',
	penalty => 1e6, prior => '{-2}') c;
SELECT round(c[1]::numeric, 3) AS a, round(c[2]::numeric, 3) AS the_same
FROM l4_logistic_fit('{t,t,f}', '{{1,1},{1,1},{1,1}}') c;
SELECT count(*) FILTER (WHERE abs(v) < 1e30) AS finite FROM unnest(l4_logistic_fit('{t,f}', '{{1e30,1},{-1e30,1}}')) v;
SELECT l4_logistic(0) AS half, l4_logistic(1000) AS one, l4_logistic(-1000) AS none, l4_logistic(NULL) AS unknown;
SELECT l4_logistic_fit(NULL, '{{1}}') AS unknown;
\set VERBOSITY sqlstate
SELECT l4_logistic_fit('{t}', '{1}');
SELECT l4_logistic_fit('{}', '{{1}}');
SELECT l4_logistic_fit('{t,f}', '{{1}}');
SELECT l4_logistic_fit('{t}', '{{1}}', '{1,2}');
SELECT l4_logistic_fit('{t}', '{{1}}', '{-1}');
SELECT l4_logistic_fit('{t}', '{{NaN}}');
SELECT l4_logistic_fit('{t}', '{{1e31}}');
SELECT l4_logistic_fit('{NULL}', '{{1}}');
SELECT l4_logistic_fit('{t}', '{{1}}', penalty => 0);
SELECT l4_logistic_fit('{t}', '{{1}}', prior => '{1,1}');
SELECT l4_logistic_fit('{t}', '{{1}}', bounded => '{t,t}');
SELECT l4_logistic_fit('{t}', ARRAY[array_fill(1::float8, '{65}')]);
\set VERBOSITY default

-- A confidence is the logistic function of the coefficients in force times what a finding stands on.
SELECT l4_confidence('node', '{"score": 1, "lead": 0.5}', l) = l4_logistic(l.confidence_node_base + l.confidence_node_score
	+ 0.5 * l.confidence_node_lead) AS node, l4_confidence('node', NULL, l) AS no_standing,
	l4_confidence('event', '{}', l) AS event
FROM l4_limits_in_force() l;
-- None but a base is negative, as shipped: what speaks for a finding never makes it less sure.
SELECT name FROM l4_limit WHERE name ~ '^confidence_' AND value < 0 AND name !~ '_base$';
-- More evidence never lowers the confidence: against the unit, as the score grows; whatever there is against others.
SELECT bool_and(c >= before) AS grows FROM (
	SELECT rival, c, lag(c, 1, 0::float8) OVER (PARTITION BY rival ORDER BY score) AS before
	FROM generate_series(0.25, 20, 0.25) score, (VALUES (0), (1), (5), (20)) r (rival),
		LATERAL (SELECT l4_confidence('node', l4_node_standing(score, rival), l) AS c FROM l4_limits_in_force() l) c) t;
SELECT l4_node_standing(0, 0) AS nothing, l4_node_standing(3, 0) AS alone, l4_node_standing(3, 1) AS first,
	l4_node_standing(1, 3) AS second;
SELECT l4_iteration_standing('{"basis": "onset", "places": 4}') AS onset,
	l4_iteration_standing('{"basis": "unlike"}') AS unlike;
SELECT l4_confidence_text(NULL) AS unknown, l4_confidence_text(0.001) AS least, l4_confidence_text(0.504) AS half,
	l4_confidence_text(1) AS most;
SELECT l4_list_words('{}') AS none, l4_list_words('{a}') AS one, l4_list_words('{a,b}') AS two,
	l4_list_words('{a,b,c}') AS three;

-- Made-up jobs: five nodes that iterate; one or more fail, then all.
CREATE TABLE line (job text, node int, rank int, at numeric, line text);
CREATE FUNCTION make_job(job text, failing int[], model text DEFAULT 'm', says text DEFAULT 'device 0 failed',
	accusers int[] DEFAULT '{}') RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO line SELECT job, r, r, s * 2 + r * 0.001, format('INFO step %s loss %s', s, 9 - s * 0.1)
	FROM generate_series(0, 4) r, generate_series(1, 10) s;
	INSERT INTO line SELECT job, r, r, 20.9, 'ERROR ' || says FROM unnest(failing) r;
	INSERT INTO line SELECT job, r, r, 21 + r * 0.01, 'ERROR collective operation failed' FROM generate_series(0, 4) r;
	INSERT INTO line SELECT job, r, r, 21.5, 'ERROR no answer, lost rank ' || failing[1] FROM unnest(accusers) r;
	PERFORM l4_register_job(job, jsonb_build_object('framework', model), 'failed', ARRAY['n0', 'n1', 'n2', 'n3', 'n4'], 1);
	PERFORM l4_ingest(job, format($q$
		SELECT to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS,MS') || ' ' || line AS line,
			'n' || node AS node, rank, 'train' AS source
		FROM line WHERE job = %L ORDER BY at, rank, line COLLATE "C"$q$, job));
END $$;
INSERT INTO l4_limit (name, value) VALUES ('evidence_forest_places', 0);
SELECT make_job('one', '{2}'), make_job('two', '{1,3}'), make_job('none', '{}') \g /dev/null

\echo == a suspect: what it stands on and how sure it is, in the findings, in words, saved and in the views
SELECT kind, ordinal, node, iteration, facts -> 'standing' AS standing, confidence =
	l4_confidence(kind, facts -> 'standing', l4_limits_in_force()) AS as_it_stands,
	round(confidence::numeric, 2) AS confidence, explanation
FROM l4_diagnose('one') WHERE kind <> 'event';
SELECT count(*) AS without FROM l4_diagnose('one') WHERE (kind IN ('node', 'fault', 'iteration')) <> (confidence IS NOT NULL);
SELECT l4_report_verdict(l4_report_findings('one'));
SELECT l4_save_diagnosis('one') > 0 AS saved;
SELECT f.kind, round(f.confidence::numeric, 2) AS confidence, f.confidence = d.confidence AS as_diagnosed FROM l4_findings f
	JOIN l4_diagnose('one') d ON d.kind = f.kind AND d.ordinal = f.ordinal
WHERE f.confidence IS NOT NULL ORDER BY f.kind, f.ordinal;
SELECT suspect_node, round(suspect_confidence::numeric, 2) AS suspect_confidence FROM l4_failures WHERE job_id = 'one';
SELECT line FROM string_to_table(l4_report('one', 'text'), E'\n') line WHERE line ~ '% sure';

\echo == two alike: each is less sure than one alone
SELECT d.node, d.facts -> 'standing' AS standing, d.confidence < o.confidence AS less_sure
FROM l4_diagnose('two') d, l4_diagnose('one') o WHERE d.kind = 'node' AND o.kind = 'node' ORDER BY d.ordinal;
\echo == none: nobody stands out, and nobody is worth a look
SELECT count(*) AS nodes FROM l4_diagnose('none') WHERE kind = 'node';
SELECT l4_report_verdict(l4_report_findings('none')), l4_report_look_first(l4_report_findings('none'));

\echo == too little to name a node, enough for a look: in facts, verdict, and the advice
INSERT INTO l4_limit (name, value) VALUES ('weight_needed', 100);
SELECT kind, facts -> 'look_first' AS look_first FROM l4_diagnose('two') WHERE facts ? 'look_first';
SELECT l4_report_verdict(l4_report_findings('two'));
SELECT action, target, reason FROM l4_restart_advice('two');
-- as much against more of them than one would look at: nothing
INSERT INTO l4_limit (name, value) VALUES ('look_first_most', 1);
SELECT l4_report_verdict(l4_report_findings('two')), l4_report_look_first(l4_report_findings('two'));
DELETE FROM l4_limit WHERE name IN ('weight_needed', 'look_first_most') AND NOT builtin;
\echo == named, but not sure enough to stand out: the advice replaces nothing
INSERT INTO l4_limit (name, value) VALUES ('confidence_named', 0.999);
SELECT l4_report_verdict(l4_report_findings('two')), l4_report_look_first(l4_report_findings('two'));
SELECT action, target, reason FROM l4_restart_advice('two');
DELETE FROM l4_limit WHERE name = 'confidence_named' AND NOT builtin;
-- findings of a version that did not say how sure it was: as ever
SELECT l4_report_look_first(ARRAY(SELECT jsonb_populate_record(f, '{"confidence": null}')
	FROM unnest(l4_report_findings('two')) f));

\echo == calibrate: a site whose suspects are mostly wrong
SELECT make_job('j' || n, ARRAY[n % 5], 'f' || n % 3) FROM generate_series(1, 9) n \g /dev/null
-- the node that speaks first was at fault in one job of nine
INSERT INTO l4_label (job_id, label_no, kind, node)
SELECT 'j' || n, 1, 'node', 'n' || (n + (n <> 4)::int) % 5 FROM generate_series(1, 9) n;
INSERT INTO l4_label (job_id, label_no, kind, iteration) SELECT 'j' || n, 2, 'iteration', 10 FROM generate_series(1, 9) n;
SELECT method, jobs, top1, round(node_brier::numeric, 3) AS node_brier, sure_nodes, sure_right, sure_found
FROM l4_evaluate_summary('{j1,j2,j3,j4,j5,j6,j7,j8,j9}', '{l4,Error_time}');
SELECT job_id, round(node_confidences[1]::numeric, 2) AS confidence, nodes_right FROM l4_evaluate('{j1,j4}', '{l4}');
-- only told of: nothing is written
SELECT name, jobs, findings, round(old_value::numeric, 2) AS old, round(new_value::numeric, 2) AS new,
	round(brier_before::numeric, 3) AS before, round(brier_after::numeric, 3) AS after, written
FROM l4_calibrate(write => false);
SELECT name, value FROM l4_limit WHERE NOT builtin ORDER BY name;
-- written where it is better: the same row by row, and in force at once
CREATE TEMP TABLE calibrated AS SELECT * FROM l4_calibrate();
SELECT kind, bool_and(written) AS written, bool_and(brier_after < brier_before) AS better
FROM calibrated GROUP BY kind ORDER BY kind;
SELECT l.name, l.value = c.new_value AS as_told, l.unit, l.why FROM l4_limit l JOIN calibrated c ON c.name = l.name
WHERE NOT l.builtin AND l.name ~ '_base$';
SELECT round(node_brier::numeric, 3) AS node_brier, sure_nodes FROM l4_evaluate_summary('{j1,j2,j3,j4,j5,j6,j7,j8,j9}', '{l4}');
-- called again it comes to the same; and what came with l4 comes back
SELECT bool_and(c.old_value = b.new_value) AS in_force, bool_and(c.new_value = b.new_value) AS same
FROM l4_calibrate(write => false) c JOIN calibrated b ON b.name = c.name WHERE b.written;
DELETE FROM l4_limit WHERE name LIKE 'confidence%' AND NOT builtin;
SELECT bool_and(l.value = c.old_value) AS back FROM l4_limit_in_force l JOIN calibrated c ON c.name = l.name;
-- few jobs: told, not written; job by job, from nothing, without the pool
SELECT kind, jobs, written, round(min(brier_before)::numeric, 3) AS before, round(min(brier_after)::numeric, 3) AS after
FROM l4_calibrate('{j1,j2,j4}', family => NULL, use_pool => false) GROUP BY kind, jobs, written ORDER BY kind;
SELECT kind, name, round(new_value::numeric, 2) AS new, written FROM l4_calibrate(anew => true, write => false)
WHERE kind <> 'fault';
-- it is the same again
SELECT (SELECT array_agg(c) FROM l4_calibrate(write => false) c)
	= (SELECT array_agg(c) FROM l4_calibrate(write => false) c) AS same;
\set SHOW_CONTEXT never
SELECT * FROM l4_calibrate('{one}');

\echo == examples: each kind of evidence is left out once
SELECT make_job('both', '{2}', says => 'CUDA error: uncorrectable ECC error encountered', accusers => '{0,1,3}') \g /dev/null
INSERT INTO l4_label (job_id, label_no, kind, node) VALUES ('both', 1, 'node', 'n2');
INSERT INTO l4_label (job_id, label_no, kind, role, pattern) VALUES ('both', 2, 'event', 'root', 'ECC');
SELECT kind, subject, without, standing, outcome, round(weight::numeric, 2) AS weight, told
FROM l4_confidence_examples('{both}') ORDER BY kind, without, subject;
\echo == a fault is right where its event is labelled as root; without labels of lines nobody knows
UPDATE l4_label SET role = 'effect' WHERE job_id = 'both' AND label_no = 2;
SELECT kind, subject, outcome FROM l4_confidence_examples('{both}') WHERE kind = 'fault';
DELETE FROM l4_label WHERE job_id = 'both' AND label_no = 2;
SELECT kind, count(*) FROM l4_confidence_examples('{both}') GROUP BY kind;
\echo == where no single node is at fault all that are named are wrong
UPDATE l4_label SET node = NULL WHERE job_id = 'both';
SELECT DISTINCT kind, outcome FROM l4_confidence_examples('{both}');
SELECT blamed, round(node_confidences[1]::numeric, 2) AS confidence, nodes_right FROM l4_evaluate('{both}', '{l4}');

DELETE FROM l4_limit WHERE NOT builtin;
TRUNCATE l4_job, l4_stream, l4_segment, l4_source_counts, l4_parameter_sketch, l4_timeline, l4_pool, l4_pool_job,
	l4_pool_job_event, l4_pool_job_parameter, l4_pool_event, l4_pool_parameter, l4_address, l4_shape, l4_event, l4_finding,
	l4_diagnosis, l4_label;
DROP TABLE line;
DROP FUNCTION make_job;
