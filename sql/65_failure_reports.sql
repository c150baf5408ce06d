/*
 * Failure reports: taking them in from JSON, and failures of the past that resemble a new one.
 */

CREATE FUNCTION @extschema@.l4_symptom(words text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE
	WHEN words ~* '^\s*launch' THEN 'launching failure'
	WHEN words ~* '^\s*(training\s+)?crash' THEN 'training crash'
	WHEN words ~* '^\s*abnormal' THEN 'abnormal behaviour'
	ELSE 'other'
END;
COMMENT ON FUNCTION @extschema@.l4_symptom(text) IS
'The symptom that words mean: launching failure, training crash, abnormal behaviour (in either spelling), else other.';

CREATE FUNCTION @extschema@.l4_import_failure_reports(document jsonb) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, @extschema@, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	one record;
	report l4_failure_report;
	unknown text;
	taken bigint := 0;
	what text;
BEGIN
	IF jsonb_typeof(l4_import_failure_reports.document) NOT IN ('array', 'object') OR l4_import_failure_reports.document IS NULL THEN
		RAISE EXCEPTION 'failure reports must be a JSON object, or an array of objects' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	FOR one IN
		SELECT d.value AS fields, d.place
		FROM jsonb_array_elements(CASE jsonb_typeof(l4_import_failure_reports.document) WHEN 'array' THEN l4_import_failure_reports.document
			ELSE jsonb_build_array(l4_import_failure_reports.document) END) WITH ORDINALITY d (value, place)
	LOOP
		IF jsonb_typeof(one.fields) <> 'object' OR coalesce(one.fields ->> 'job_id', '') = '' THEN
			RAISE EXCEPTION 'failure report % has no job_id', one.place USING ERRCODE = 'invalid_parameter_value';
		END IF;
		SELECT string_agg(format('"%s"', k.key), ', ' ORDER BY k.key) INTO unknown
		FROM jsonb_object_keys(one.fields) k (key)
		WHERE NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = 'l4_failure_report'::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attname = k.key);
		IF unknown IS NOT NULL THEN
			RAISE EXCEPTION 'failure report % has unknown fields: %', one.place, unknown
				USING ERRCODE = 'invalid_parameter_value', HINT = 'The fields are the columns of l4_failure_report; job_metadata and monitoring_data take any JSON.';
		END IF;
		BEGIN
			report := jsonb_populate_record(NULL::l4_failure_report, one.fields);
			report.symptom := l4_symptom(report.symptom);
			INSERT INTO l4_failure_report SELECT (r.filled).* FROM (SELECT jsonb_populate_record(report, jsonb_strip_nulls(jsonb_build_object(
				'report_id', coalesce(report.report_id, '1'), 'status', coalesce(report.status, CASE WHEN report.resolved_at IS NOT NULL THEN 'resolved'
					WHEN coalesce(report.diagnosed_at::text, report.root_cause, report.root_cause_category) IS NOT NULL THEN 'diagnosed' ELSE 'open' END),
				'reported_at', coalesce(report.reported_at, now()), 'reported_by', coalesce(report.reported_by, current_user)))) AS filled) r
			ON CONFLICT ON CONSTRAINT l4_failure_report_pkey DO UPDATE SET (job_metadata, hardware_resource, accelerator_type, accelerator_count, software_environment, description,
				symptom, monitoring_data, lead, root_cause_category, root_cause_subtype, root_cause, fault_key, procedure, fix, status, faulty_nodes, failed_at, reported_at,
				diagnosed_at, resolved_at, reported_by, diagnosed_by)
				= (excluded.job_metadata, excluded.hardware_resource, excluded.accelerator_type, excluded.accelerator_count, excluded.software_environment, excluded.description,
				excluded.symptom, excluded.monitoring_data, excluded.lead, excluded.root_cause_category, excluded.root_cause_subtype, excluded.root_cause, excluded.fault_key,
				excluded.procedure, excluded.fix, excluded.status, excluded.faulty_nodes, excluded.failed_at, excluded.reported_at,
				excluded.diagnosed_at, excluded.resolved_at, excluded.reported_by, excluded.diagnosed_by);
		EXCEPTION WHEN data_exception OR integrity_constraint_violation THEN
			GET STACKED DIAGNOSTICS what = MESSAGE_TEXT;
			RAISE EXCEPTION 'failure report % (job "%") cannot be taken in: %', one.place, one.fields ->> 'job_id', what USING ERRCODE = SQLSTATE;
		END;
		taken := taken + 1;
	END LOOP;
	RETURN taken;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_import_failure_reports(jsonb) IS
'Takes in failure reports, one JSON object or an array of them, with the columns of l4_failure_report as fields; returns their number. A report of the same job_id and report_id (by default 1) is replaced. Left out, reported_at is now and status follows from what is there (resolved, diagnosed, open). All or nothing. From CSV: \copy l4_failure_report (columns) FROM file CSV HEADER. Errors: 22023 no object, no job_id or unknown fields; others as the values are at fault, with the number of the report.';

CREATE FUNCTION @extschema@.l4_failure_features(job_id text) RETURNS TABLE (kind text, feature text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 20
BEGIN ATOMIC
	SELECT DISTINCT f.kind, CASE f.kind WHEN 'fault' THEN f.fault_key WHEN 'event' THEN f.event_id::text ELSE f.stage END
	FROM @extschema@.l4_finding f
	WHERE f.job_id = l4_failure_features.job_id
		AND f.saved_at = GREATEST((SELECT pg_catalog.max(n.saved_at) FROM @extschema@.l4_finding n WHERE n.job_id = l4_failure_features.job_id),
			(SELECT pg_catalog.max(d.saved_at) FROM @extschema@.l4_diagnosis d WHERE d.job_id = l4_failure_features.job_id))
		AND (f.kind IN ('fault', 'event') OR f.kind = 'stage' AND f.ordinal = 1)
		AND CASE f.kind WHEN 'fault' THEN f.fault_key WHEN 'event' THEN f.event_id::text ELSE f.stage END IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_failure_features(text) IS
'What the last saved diagnosis of a job found, for comparison: its faults, its events and its first stage. No row where none was saved.';

CREATE FUNCTION @extschema@.l4_resembling_failures(job_id text, faults text[], events bigint[], stage text, saved_only boolean, most int)
RETURNS TABLE (similar_job_id text, score double precision, shared_faults text[], shared_events bigint[], same_stage boolean, compared_with text,
	root_cause_category text, root_cause_subtype text, root_cause text, fix text, report_status text, resolved_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10
BEGIN ATOMIC
	WITH other AS MATERIALIZED (
		SELECT j.job_id, EXISTS (SELECT FROM @extschema@.l4_finding f WHERE f.job_id = j.job_id) AS saved
		FROM @extschema@.l4_job j WHERE j.status = 'failed' AND j.job_id <> l4_resembling_failures.job_id
	),
	-- Of other failed jobs: their saved diagnosis, else whether they log these events at all.
	has AS MATERIALIZED (
		SELECT o.job_id, x.kind, x.feature FROM other o, @extschema@.l4_failure_features(o.job_id) x WHERE o.saved
		UNION ALL
		SELECT DISTINCT o.job_id, 'event', h.event_id::text
		FROM @extschema@.l4_shape h JOIN @extschema@.l4_stream_event e ON e.shape_id = h.shape_id JOIN other o ON o.job_id = e.job_id
		WHERE NOT l4_resembling_failures.saved_only AND h.event_id = ANY (l4_resembling_failures.events) AND NOT o.saved
	),
	size AS (
		SELECT pg_catalog.count(*) + 1 AS jobs FROM other
	),
	-- what few failed jobs have weighs more; a fault, which a person has named, weighs twice
	mine AS MATERIALIZED (
		SELECT m.kind, m.feature, m.weight * pg_catalog.ln(1 + z.jobs::double precision / (1 + (SELECT pg_catalog.count(DISTINCT h.job_id) FROM has h WHERE h.kind = m.kind AND h.feature = m.feature))) AS weight
		FROM size z, (
			SELECT 'fault' AS kind, f.feature, 2.0::double precision AS weight FROM pg_catalog.unnest(l4_resembling_failures.faults) f (feature)
			UNION ALL SELECT 'event', e.feature::text, 1.0 FROM pg_catalog.unnest(l4_resembling_failures.events) e (feature)
			UNION ALL SELECT 'stage', l4_resembling_failures.stage, 0.5 WHERE l4_resembling_failures.stage IS NOT NULL) m
	),
	shared AS (
		SELECT h.job_id, pg_catalog.sum(m.weight) AS weight, pg_catalog.array_agg(m.feature ORDER BY m.weight DESC, m.feature COLLATE "C") FILTER (WHERE m.kind = 'fault') AS faults,
			pg_catalog.array_agg(m.feature::bigint ORDER BY m.weight DESC, m.feature COLLATE "C") FILTER (WHERE m.kind = 'event') AS events, pg_catalog.bool_or(m.kind = 'stage') AS same_stage
		FROM has h JOIN mine m ON m.kind = h.kind AND m.feature = h.feature
		GROUP BY h.job_id
	)
	SELECT s.job_id, s.weight / NULLIF(t.total, 0), COALESCE(s.faults, '{}'), COALESCE(s.events, '{}'), s.same_stage,
		CASE WHEN o.saved THEN 'saved diagnosis' ELSE 'logs' END,
		r.root_cause_category, r.root_cause_subtype, r.root_cause, r.fix, r.status, r.resolved_at
	FROM shared s
	JOIN other o ON o.job_id = s.job_id
	CROSS JOIN LATERAL (SELECT pg_catalog.sum(m.weight) AS total FROM mine m WHERE o.saved OR m.kind = 'event') t
	LEFT JOIN LATERAL (
		SELECT r.* FROM @extschema@.l4_failure_report r WHERE r.job_id = s.job_id ORDER BY r.diagnosed_at DESC NULLS LAST, r.report_id LIMIT 1) r ON true
	ORDER BY 2 DESC, s.job_id COLLATE "C"
	LIMIT l4_resembling_failures.most;
END;
COMMENT ON FUNCTION @extschema@.l4_resembling_failures(text, text[], bigint[], text, boolean, int) IS
'Failed jobs that share the given faults, events and first stage: l4_similar_failures for findings at hand. saved_only: only jobs with a saved diagnosis are compared.';

CREATE FUNCTION @extschema@.l4_similar_failures(job_id text, most int DEFAULT 10)
RETURNS TABLE (similar_job_id text, score double precision, shared_faults text[], shared_events bigint[], same_stage boolean, compared_with text,
	root_cause_category text, root_cause_subtype text, root_cause text, fix text, report_status text, resolved_at timestamptz, explanation text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 10
SET search_path = pg_catalog, @extschema@, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	faults text[];
	events bigint[];
	stage_here text;
BEGIN
	PERFORM l4_check_job(l4_similar_failures.job_id);
	IF l4_similar_failures.most IS NULL OR l4_similar_failures.most < 1 THEN
		RAISE EXCEPTION 'most must be at least 1' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	-- Of the job itself: the saved diagnosis, else a new one.
	SELECT array_agg(x.feature) FILTER (WHERE x.kind = 'fault'), array_agg(x.feature::bigint) FILTER (WHERE x.kind = 'event'), min(x.feature) FILTER (WHERE x.kind = 'stage')
	INTO faults, events, stage_here FROM l4_failure_features(l4_similar_failures.job_id) x;
	IF NOT EXISTS (SELECT FROM l4_finding f WHERE f.job_id = l4_similar_failures.job_id)
		AND EXISTS (SELECT FROM l4_stream s WHERE s.job_id = l4_similar_failures.job_id AND s.record_count > 0) THEN
		SELECT array_agg(DISTINCT d.fault_key) FILTER (WHERE d.kind = 'fault'), array_agg(DISTINCT d.event_id) FILTER (WHERE d.kind = 'event'),
			min(d.stage) FILTER (WHERE d.kind = 'stage' AND d.ordinal = 1)
		INTO faults, events, stage_here FROM l4_diagnose(l4_similar_failures.job_id) d;
	END IF;
	RETURN QUERY
	SELECT s.*, format('Shares %s fault%s%s and %s event%s with it%s.', cardinality(s.shared_faults), CASE cardinality(s.shared_faults) WHEN 1 THEN '' ELSE 's' END,
		coalesce(' (' || nullif(array_to_string(s.shared_faults, ', '), '') || ')', ''), cardinality(s.shared_events), CASE cardinality(s.shared_events) WHEN 1 THEN '' ELSE 's' END,
		CASE WHEN s.same_stage THEN format(', and the stage %s', stage_here) ELSE '' END)
	FROM l4_resembling_failures(l4_similar_failures.job_id, faults, events, stage_here, false, l4_similar_failures.most) s;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_similar_failures(text, int) IS
'Failed jobs that resemble this one, most alike first, with what their failure reports say: at most so many. score is the share (0 to 1) of what this job''s diagnosis found (faults, events, first stage; rare ones weigh more) that the other has too. Saved diagnoses are compared (l4_save_diagnosis); of a job without one it is seen whether it logs the events at all. Reads only. Errors: P0002 unknown job, 22023 most below 1. Cost: one diagnosis of this job if none is saved, then the saved findings.';
