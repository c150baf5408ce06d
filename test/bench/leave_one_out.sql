/* leave_one_out.sql: the search of leave_one_out.sh, in the database that has the jobs. Variables: start, passes. */
\pset footer off
\pset null ''
SET client_min_messages = warning;
SET search_path = public;
SET jit = off;

-- the limits that are searched, with the values in force
CREATE TABLE setting (name text PRIMARY KEY, standard double precision, start double precision);
INSERT INTO setting
SELECT name, value, CASE WHEN name ~ '^weight_' THEN 1 ELSE value * :start END FROM l4_limit_in_force
WHERE name ~ '^weight_' AND unit = 'weight' OR name ~ '^unexplained_(value|range|burst)_';

CREATE TABLE trial (configuration text, family text, evaluation l4_evaluation);

-- A configuration is an object of name to value.
CREATE FUNCTION apply(configuration jsonb) RETURNS void LANGUAGE sql AS $$
	INSERT INTO l4_limit (name, value) SELECT key, value::double precision FROM jsonb_each_text(configuration)
	ON CONFLICT (name, builtin) DO UPDATE SET value = excluded.value
$$;

-- The figures of some families; what was evaluated once is not evaluated again.
CREATE FUNCTION figures(configuration jsonb, families text[]) RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
	wanted text[] := ARRAY(SELECT u.family FROM unnest(families) u (family)
		WHERE NOT EXISTS (SELECT FROM trial t WHERE t.configuration = figures.configuration::text AND t.family = u.family));
BEGIN
	IF wanted <> '{}' THEN
		PERFORM apply(configuration);
		INSERT INTO trial
		SELECT configuration::text, b.family, e
		FROM l4_evaluate(ARRAY(SELECT DISTINCT l.job_id FROM l4_label l JOIN bench_job b ON b.job ->> 'job_id' = l.job_id
			WHERE b.family = ANY (wanted)), '{l4}') e
			JOIN bench_job b ON b.job ->> 'job_id' = e.job_id;
	END IF;
	RETURN QUERY
	SELECT s.event_f1, s.label_recall, s.top1, s.top3, s.blamed, s.stage, s.iteration
	FROM l4_summarize_evaluation(ARRAY(SELECT t.evaluation FROM trial t WHERE t.configuration = figures.configuration::text
		AND t.family = ANY (families))) s;
END $$;
CREATE FUNCTION goal(configuration jsonb, families text[]) RETURNS double precision LANGUAGE sql AS $$
	SELECT coalesce(event_f1, 0) + coalesce(label_recall, 0) + coalesce(top1, 0) + coalesce(top3, 0) - coalesce(blamed, 0) / 10
	FROM figures(configuration, families) AS f (event_f1 double precision, label_recall double precision, top1 double precision,
		top3 double precision, blamed double precision,
		stage double precision, iteration double precision)
$$;

CREATE TABLE chosen (family text, configuration jsonb, goal_start double precision, goal double precision);
CREATE PROCEDURE search(left_out text, passes int) LANGUAGE plpgsql AS $$
DECLARE
	families text[] := ARRAY(SELECT DISTINCT b.family FROM bench_job b WHERE b.job ->> 'status' <> 'success' AND b.family
		<> left_out ORDER BY 1);
	best jsonb := (SELECT jsonb_object_agg(name, start) FROM setting);
	best_goal double precision := goal(best, families);
	start_goal double precision := best_goal;
	tried jsonb;
	tried_goal double precision;
	improved boolean;
	s record;
	factor double precision;
BEGIN
	FOR pass IN 1..passes LOOP
		improved := false;
		FOR s IN SELECT name AS key FROM setting ORDER BY name COLLATE "C" LOOP
			FOREACH factor IN ARRAY ARRAY[3, 1 / 3.0] LOOP
				tried := best || jsonb_build_object(s.key, (best ->> s.key)::double precision * factor);
				tried_goal := goal(tried, families);
				COMMIT;
				IF tried_goal > best_goal + 1e-9 THEN
					best := tried;
					best_goal := tried_goal;
					improved := true;
					EXIT;
				END IF;
			END LOOP;
		END LOOP;
		EXIT WHEN NOT improved;
	END LOOP;
	INSERT INTO chosen VALUES (left_out, best, start_goal, best_goal);
END $$;

SELECT format('CALL search(%L, %s)', family, :passes) FROM bench_job WHERE job ->> 'status' <> 'success' GROUP BY family
ORDER BY family COLLATE "C" \gexec

CREATE FUNCTION row_of(family text, weights text, configuration jsonb, families text[])
	RETURNS TABLE (left_out text, weights_of text, event_f1 numeric, label_r numeric, top1 numeric, top3 numeric,
	blamed numeric, stage numeric, iteration numeric) LANGUAGE sql AS $$
	SELECT family, weights, round(f1::numeric, 3), round(lr::numeric, 3), round(t1::numeric, 3), round(t3::numeric, 3),
		round(bl::numeric, 2), round(st::numeric, 3), round(it::numeric, 3)
	FROM figures(configuration, families) AS f (f1 double precision, lr double precision, t1 double precision,
		t3 double precision, bl double precision, st double precision, it double precision)
$$;
\echo 'Each family left out of the choice of weights, and then measured:'
SELECT r.left_out, r.weights_of, r.event_f1, r.label_r, r.top1, r.top3, r.blamed, r.stage, r.iteration
FROM chosen c CROSS JOIN LATERAL (
	SELECT 1 AS turn, r.* FROM row_of(c.family, 'chosen on the others', c.configuration, ARRAY[c.family]) r
	UNION ALL SELECT 2, r.* FROM row_of(c.family, 'start', (SELECT jsonb_object_agg(name, start) FROM setting),
		ARRAY[c.family]) r
	UNION ALL SELECT 3, r.* FROM row_of(c.family, 'in force', (SELECT jsonb_object_agg(name, standard) FROM setting),
		ARRAY[c.family]) r) r
ORDER BY c.family COLLATE "C", r.turn;
\echo 'All families, each with the weights chosen on the others:'
SELECT round(s.event_f1::numeric, 3) AS event_f1, round(s.label_recall::numeric, 3) AS label_r,
	round(s.top1::numeric, 3) AS top1, round(s.top3::numeric, 3) AS top3, round(s.top5::numeric, 3) AS top5,
	round(s.blamed::numeric, 2) AS blamed, round(s.stage::numeric, 3) AS stage, round(s.iteration::numeric, 3) AS iteration
FROM l4_summarize_evaluation(ARRAY(SELECT t.evaluation FROM trial t JOIN chosen c ON c.family = t.family
	AND c.configuration::text = t.configuration)) s;
\echo 'What was chosen, where it is not the start:'
SELECT c.family AS left_out, s.name, s.start, round((c.configuration ->> s.name)::numeric, 3) AS chosen, s.standard AS in_force
FROM chosen c, setting s WHERE (c.configuration ->> s.name)::double precision <> s.start
ORDER BY c.family COLLATE "C", s.name COLLATE "C";
\echo 'Trials:'
SELECT count(DISTINCT configuration) AS configurations, count(*) AS diagnoses FROM trial;
