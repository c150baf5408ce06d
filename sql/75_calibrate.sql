/*
 * Calibration: the coefficients of the confidence of findings (rows confidence_<kind>_<name> of l4_limit), fitted to jobs of
 * which it is known what failed.
 *
 * Each finding of a labelled job is an example: what it stands on (l4_confidence) and whether it is right. Of nodes there are
 * few, and nearly all are right where the rules were made; so each job counts once more without each kind of evidence in turn:
 * what a diagnosis is worth where that is not logged. A ridge penalty pulls the coefficients to those that came with l4, so a
 * few jobs change little, and none but the base may be negative: more of what speaks for a finding never makes it less sure.
 */

CREATE TYPE @extschema@.l4_confidence_example AS (
	job_id text,
	family text,
	kind text,
	subject text,
	without text,
	standing jsonb,
	outcome boolean,
	weight double precision,
	told boolean
);
COMMENT ON TYPE @extschema@.l4_confidence_example IS
'Step: a finding of a labelled job: what it is about (subject), the kind of evidence that was left out for it (without; empty '
'for none), what it stands on, whether it is right, how much it counts, and whether a diagnosis tells of it.';

CREATE FUNCTION @extschema@.l4_node_examples(job_id text, labels @extschema@.l4_label[], use_pool boolean)
RETURNS SETOF @extschema@.l4_confidence_example
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 20
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	limits @extschema@.l4_limits := @extschema@.l4_limits_in_force();
	wordings @extschema@.l4_wordings := @extschema@.l4_wordings_in_force();
	clocks @extschema@.l4_clock_offset[] := ARRAY(SELECT k
		FROM @extschema@.l4_clock_offsets(l4_node_examples.job_id, limits) k);
	unexplained @extschema@.l4_unexplained_record[] := ARRAY(SELECT n FROM @extschema@.l4_unexplained(l4_node_examples.job_id,
		l4_node_examples.use_pool, clocks, limits, wordings) n);
	evidence @extschema@.l4_evidence[] := ARRAY(SELECT e FROM @extschema@.l4_node_evidence(l4_node_examples.job_id, unexplained,
		NULL, clocks, limits, wordings) e);
BEGIN
	RETURN QUERY
	WITH variant AS MATERIALIZED (SELECT '' AS without UNION SELECT e.kind FROM unnest(evidence) e)
	SELECT l4_node_examples.job_id, NULL::text, 'node', s.unit, v.without, s.standing,
		EXISTS (SELECT FROM unnest(l4_node_examples.labels) l WHERE l.kind = 'node' AND l.node = s.node),
		CASE v.without WHEN '' THEN 1 ELSE 1::float8 / (SELECT count(*) - 1 FROM variant) END, v.without = '' AND s.named
	FROM variant v
	CROSS JOIN LATERAL @extschema@.l4_rank_units(ARRAY(SELECT e FROM unnest(evidence) e WHERE e.kind <> v.without), limits) s
	WHERE s.node IS NOT NULL AND (s.named OR s.ordinal <= (limits).look_first_most)
		AND EXISTS (SELECT FROM unnest(l4_node_examples.labels) l WHERE l.kind = 'node');
END
$$;
COMMENT ON FUNCTION @extschema@.l4_node_examples(text, @extschema@.l4_label[], boolean) IS
'Step: the suspects of a labelled job, and the next to them, as examples: with all evidence, and without each kind of it in '
'turn, which together count as much again. No row for a job without labels of nodes.';

CREATE FUNCTION @extschema@.l4_finding_examples(job_id text, labels @extschema@.l4_label[], use_pool boolean)
RETURNS SETOF @extschema@.l4_confidence_example
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 20
BEGIN ATOMIC
	WITH finding AS MATERIALIZED (
		SELECT d.* FROM @extschema@.l4_diagnose(l4_finding_examples.job_id, l4_finding_examples.use_pool) d
		WHERE d.kind IN ('fault', 'iteration')
	),
	label AS MATERIALIZED (SELECT l.* FROM unnest(l4_finding_examples.labels) l),
	telling AS (
		SELECT ARRAY(SELECT l::@extschema@.l4_label FROM label l
			WHERE l.kind = 'event' AND l.role IS DISTINCT FROM 'neutral') AS labels
	),
	root AS (
		SELECT j.event_id
		FROM telling t CROSS JOIN LATERAL @extschema@.l4_judge_events(l4_finding_examples.job_id, t.labels) j
		WHERE EXISTS (SELECT FROM label l WHERE l.label_no = ANY (j.label_nos) AND l.role IS DISTINCT FROM 'effect')
	)
	SELECT l4_finding_examples.job_id, NULL::text, f.kind, f.kind || ' ' || f.ordinal, '', f.facts -> 'standing',
		CASE f.kind WHEN 'fault' THEN f.event_id IN (SELECT r.event_id FROM root r)
			ELSE EXISTS (SELECT FROM label l WHERE l.kind = 'iteration' AND abs(l.iteration - f.iteration) <= 1) END, 1, true
	FROM finding f
	WHERE CASE f.kind WHEN 'fault' THEN (SELECT cardinality(t.labels) > 0 FROM telling t)
		ELSE EXISTS (SELECT FROM label l WHERE l.kind = 'iteration') END;
END;
COMMENT ON FUNCTION @extschema@.l4_finding_examples(text, @extschema@.l4_label[], boolean) IS
'Step: faults and iterations of the diagnosis of a labelled job as examples. A fault is right where its event has lines that '
'are labelled as root, an iteration where it is at most 1 off a label. No row of a kind without labels for it.';

CREATE FUNCTION @extschema@.l4_fit_coefficients(examples @extschema@.l4_confidence_example[], names text[],
	prior double precision[], penalty double precision) RETURNS double precision[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	WITH example AS (
		SELECT e.*, row_number() OVER (ORDER BY e.job_id COLLATE "C", e.subject COLLATE "C", e.without COLLATE "C",
			e.standing::text COLLATE "C", e.weight, e.outcome) AS turn
		FROM unnest(l4_fit_coefficients.examples) e
	)
	SELECT @extschema@.l4_logistic_fit(array_agg(e.outcome ORDER BY e.turn), array_agg(ARRAY(
			SELECT CASE n.name WHEN 'base' THEN 1 ELSE COALESCE((e.standing ->> n.name)::float8, 0) END
			FROM unnest(l4_fit_coefficients.names) WITH ORDINALITY n (name, place) ORDER BY n.place) ORDER BY e.turn),
		array_agg(e.weight ORDER BY e.turn), l4_fit_coefficients.penalty, l4_fit_coefficients.prior,
		ARRAY(SELECT n.name <> 'base' FROM unnest(l4_fit_coefficients.names) WITH ORDINALITY n (name, place) ORDER BY n.place))
	FROM example e;
END;
COMMENT ON FUNCTION @extschema@.l4_fit_coefficients(@extschema@.l4_confidence_example[], text[], double precision[],
	double precision) IS
'Step: coefficients of these names, in their order, fitted to examples (l4_logistic_fit); none but base becomes negative. NULL '
'where there are no examples.';

CREATE FUNCTION @extschema@.l4_confidence_limits(kind text, names text[], coefficients double precision[])
RETURNS @extschema@.l4_limits
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT jsonb_populate_record(NULL::@extschema@.l4_limits, jsonb_object_agg(
		format('confidence_%s_%s', l4_confidence_limits.kind, c.name), c.value))
	FROM unnest(l4_confidence_limits.names, l4_confidence_limits.coefficients) c (name, value);
END;
COMMENT ON FUNCTION @extschema@.l4_confidence_limits(text, text[], double precision[]) IS
'Step: coefficients of a kind of finding as l4_confidence takes them.';

CREATE FUNCTION @extschema@.l4_tried_examples(examples @extschema@.l4_confidence_example[], names text[],
	shipped double precision[], prior double precision[], penalty double precision)
RETURNS TABLE (job_id text, family text, subject text, outcome boolean, before double precision, after double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 100
BEGIN ATOMIC
	WITH example AS MATERIALIZED (
		-- with one family alone each job is tried on the others
		SELECT e.*, CASE WHEN (SELECT count(DISTINCT f.family) FROM unnest(l4_tried_examples.examples) f) > 1
			THEN 'family ' || e.family ELSE 'job ' || e.job_id END AS part
		FROM unnest(l4_tried_examples.examples) e
	),
	fit AS MATERIALIZED (
		SELECT p.part, @extschema@.l4_fit_coefficients(ARRAY(SELECT ROW(e.job_id, e.family, e.kind, e.subject, e.without,
				e.standing, e.outcome, e.weight, e.told)::@extschema@.l4_confidence_example
			FROM example e WHERE e.part <> p.part), l4_tried_examples.names, l4_tried_examples.prior,
			l4_tried_examples.penalty) AS coefficients
		FROM (SELECT DISTINCT e.part FROM example e) p
	)
	SELECT e.job_id, e.family, e.subject, e.outcome,
		@extschema@.l4_confidence(e.kind, e.standing, @extschema@.l4_confidence_limits(e.kind, l4_tried_examples.names,
			l4_tried_examples.shipped)),
		@extschema@.l4_confidence(e.kind, e.standing, @extschema@.l4_confidence_limits(e.kind, l4_tried_examples.names,
			COALESCE(f.coefficients, l4_tried_examples.prior)))
	FROM example e JOIN fit f ON f.part = e.part
	WHERE e.told;
END;
COMMENT ON FUNCTION @extschema@.l4_tried_examples(@extschema@.l4_confidence_example[], text[], double precision[],
	double precision[], double precision) IS
'Step: cross-validation: each finding told of, with its confidence by the coefficients that came with l4 (shipped) and by '
'those fitted to the other families (to the other jobs, where there is one family only). All examples are of one kind.';

CREATE TYPE @extschema@.l4_calibration AS (
	name text,
	kind text,
	jobs bigint,
	findings bigint,
	old_value double precision,
	new_value double precision,
	brier_before double precision,
	brier_after double precision,
	written boolean
);
COMMENT ON TYPE @extschema@.l4_calibration IS
'A coefficient of the confidence of findings, fitted anew; see l4_calibrate for the columns.';

CREATE FUNCTION @extschema@.l4_fit_confidence(examples @extschema@.l4_confidence_example[], anew boolean,
	limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_calibration
LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 10
BEGIN ATOMIC
	WITH coefficient AS (
		SELECT split_part(s.name, '_', 2) AS kind, split_part(s.name, '_', 3) AS name, s.value AS shipped,
			(to_jsonb(limits) ->> s.name)::float8 AS value
		FROM @extschema@.l4_limit s
		WHERE s.builtin AND s.name ~ '^confidence_(node|fault|iteration)_'
	),
	model AS MATERIALIZED (
		SELECT c.kind, array_agg(c.name ORDER BY c.name COLLATE "C") AS names,
			array_agg(c.value ORDER BY c.name COLLATE "C") AS old,
			array_agg(c.shipped ORDER BY c.name COLLATE "C") AS shipped,
			array_agg(CASE WHEN l4_fit_confidence.anew THEN 0 ELSE c.shipped END ORDER BY c.name COLLATE "C") AS prior,
			ARRAY(SELECT e FROM unnest(l4_fit_confidence.examples) e WHERE e.kind = c.kind AND e.standing IS NOT NULL)
				AS examples
		FROM coefficient c GROUP BY c.kind
	),
	fitted AS MATERIALIZED (
		SELECT m.*, @extschema@.l4_fit_coefficients(m.examples, m.names, m.prior, (limits).calibrate_penalty) AS new,
			(SELECT count(DISTINCT e.job_id) FROM unnest(m.examples) e) AS jobs
		FROM model m
	),
	judged AS MATERIALIZED (
		SELECT f.*, t.* FROM fitted f
		CROSS JOIN LATERAL (
			SELECT count(*) AS findings, avg((t.before - t.outcome::int) ^ 2) AS brier_before,
				avg((t.after - t.outcome::int) ^ 2) AS brier_after
			FROM @extschema@.l4_tried_examples(f.examples, f.names, f.shipped, f.prior, (limits).calibrate_penalty) t
			OFFSET 0) t
	)
	SELECT format('confidence_%s_%s', j.kind, n.name), j.kind, j.jobs, j.findings, n.old, COALESCE(n.new, n.old),
		j.brier_before, j.brier_after,
		COALESCE(j.jobs >= (limits).calibrate_jobs AND (l4_fit_confidence.anew OR j.brier_after < j.brier_before), false)
	FROM judged j CROSS JOIN LATERAL unnest(j.names, j.old, j.new) n (name, old, new)
	ORDER BY array_position(ARRAY['node', 'fault', 'iteration'], j.kind), n.name <> 'base', n.name COLLATE "C";
END;
COMMENT ON FUNCTION @extschema@.l4_fit_confidence(@extschema@.l4_confidence_example[], boolean, @extschema@.l4_limits) IS
'Step: fits the coefficients of all kinds of findings to examples: the rows of l4_calibrate, where "written" says whether '
'they are worth it (enough jobs, and in cross-validation better than those that came with l4; with anew, enough jobs).';

CREATE FUNCTION @extschema@.l4_confidence_examples(job_ids text[] DEFAULT NULL, family text DEFAULT 'framework',
	use_pool boolean DEFAULT true, labels text DEFAULT NULL) RETURNS SETOF @extschema@.l4_confidence_example
LANGUAGE plpgsql STABLE PARALLEL UNSAFE COST 1000000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
	known @extschema@.l4_label[] := @extschema@.l4_known_labels(l4_confidence_examples.job_ids, l4_confidence_examples.labels);
	mine @extschema@.l4_label[];
	one text;
	settings jsonb;
BEGIN
	FOR one IN SELECT DISTINCT l.job_id COLLATE "C" FROM unnest(known) l ORDER BY 1 LOOP
		mine := ARRAY(SELECT l FROM unnest(known) l WHERE l.job_id = one);
		settings := (SELECT j.settings FROM @extschema@.l4_job j WHERE j.job_id = one);
		RETURN QUERY
		SELECT e.job_id, COALESCE(settings ->> l4_confidence_examples.family, ''), e.kind, e.subject, e.without, e.standing,
			e.outcome, e.weight, e.told
		FROM (
			SELECT n.* FROM @extschema@.l4_node_examples(one, mine, l4_confidence_examples.use_pool) n
			UNION ALL
			SELECT f.* FROM @extschema@.l4_finding_examples(one, mine, l4_confidence_examples.use_pool) f) e;
	END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_confidence_examples(text[], text, boolean, text) IS
'Step: the findings of labelled jobs as examples of l4_fit_confidence; parameters as of l4_calibrate. Errors: those of '
'l4_evaluate.';

CREATE FUNCTION @extschema@.l4_calibrate(job_ids text[] DEFAULT NULL, family text DEFAULT 'framework',
	use_pool boolean DEFAULT true, labels text DEFAULT NULL, anew boolean DEFAULT false, write boolean DEFAULT true)
RETURNS SETOF @extschema@.l4_calibration
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 1000000 ROWS 10
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	examples @extschema@.l4_confidence_example[] := ARRAY(SELECT e FROM @extschema@.l4_confidence_examples(
		l4_calibrate.job_ids, l4_calibrate.family, l4_calibrate.use_pool, l4_calibrate.labels) e);
	fitted @extschema@.l4_calibration[] := ARRAY(SELECT c FROM @extschema@.l4_fit_confidence(examples, l4_calibrate.anew,
		@extschema@.l4_limits_in_force()) c);
BEGIN
	IF l4_calibrate.write THEN
		INSERT INTO @extschema@.l4_limit (name, value, unit, why)
		SELECT c.name, c.new_value, 'log odds', format('l4_calibrate on %s jobs: Brier score %s, before %s. It was %s.', c.jobs,
			round(c.brier_after::numeric, 3), round(c.brier_before::numeric, 3), round(c.old_value::numeric, 3))
		FROM unnest(fitted) c WHERE c.written
		ON CONFLICT (name, builtin) DO UPDATE SET value = EXCLUDED.value, unit = EXCLUDED.unit, why = EXCLUDED.why;
	END IF;
	RETURN QUERY SELECT c.name, c.kind, c.jobs, c.findings, c.old_value, c.new_value, c.brier_before, c.brier_after,
		c.written AND l4_calibrate.write
	FROM unnest(fitted) c;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_calibrate(text[], text, boolean, text, boolean, boolean) IS
'Fits the confidence of findings to jobs of which it is known what failed (l4_label, or a query that yields labels): ridge '
'logistic regression that holds to the coefficients that came with l4, so that a few jobs change little and the same ones '
'again nothing. Writes the coefficients of a kind of finding as the site''s own rows of l4_limit, where there are enough jobs '
'(calibrate_jobs) and in cross-validation the findings of one family are told better by what was fitted to the others than '
'by what came with l4. family: the setting of a job '
'that says its family; where all have the same, job by job. job_ids: NULL for all that have labels; use_pool false '
'leaves the successful jobs out; anew holds to nothing, and writes whether that is better or not; write false only tells. '
'One row a coefficient: its name, the kind of finding, how many jobs and '
'findings tell of it, the value before and now, the Brier score (mean squared distance of the confidence from 1 where the '
'finding is right, else from 0) of what came with l4 and, cross-validated, of the new ones, and whether it was '
'written. What came with l4 is in force again after DELETE FROM l4_limit WHERE name LIKE ''confidence%'' AND NOT builtin. '
'Errors: a job without labels (P0002), those of l4_diagnose; 42501 for who may not write l4_limit. Cost: three diagnoses '
'a job, and each label is tried on each of its lines.';
