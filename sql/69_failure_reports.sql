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
'Step: The symptom that words mean: launching failure, training crash, abnormal behaviour (in either spelling), else other.';

CREATE FUNCTION @extschema@.l4_check_failure_report(fields jsonb, place bigint) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	unknown text;
BEGIN
	IF jsonb_typeof(fields) <> 'object' OR coalesce(fields ->> 'job_id', '') = '' THEN
		RAISE EXCEPTION 'failure report % has no job_id', place USING ERRCODE = 'invalid_parameter_value';
	END IF;
	SELECT string_agg(format('"%s"', k.key), ', ' ORDER BY k.key) INTO unknown
	FROM jsonb_object_keys(fields) k (key)
	WHERE NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = '@extschema@.l4_failure_report'::regclass
		AND a.attnum > 0 AND NOT a.attisdropped AND a.attname = k.key);
	IF unknown IS NOT NULL THEN
		RAISE EXCEPTION 'failure report % has unknown fields: %', place, unknown
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'The fields are the columns of l4_failure_report; job_metadata and monitoring_data take any JSON.';
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_check_failure_report(jsonb, bigint) IS
'Step: Nothing, if a failure report in JSON has a job_id and no field that is no column of l4_failure_report; else an '
'error (22023) with its place in the document.';

CREATE FUNCTION @extschema@.l4_read_failure_report(fields jsonb) RETURNS @extschema@.l4_failure_report
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	report @extschema@.l4_failure_report := jsonb_populate_record(NULL::@extschema@.l4_failure_report, fields);
BEGIN
	report.symptom := @extschema@.l4_symptom(report.symptom);
	report.report_id := coalesce(report.report_id, '1');
	report.status := coalesce(report.status, CASE WHEN report.resolved_at IS NOT NULL THEN 'resolved'
		WHEN coalesce(report.diagnosed_at::text, report.root_cause, report.root_cause_category) IS NOT NULL THEN 'diagnosed'
		ELSE 'open' END);
	report.reported_at := coalesce(report.reported_at, now());
	report.reported_by := coalesce(report.reported_by, current_user);
	RETURN report;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_read_failure_report(jsonb) IS
'Step: A failure report in JSON as a row of l4_failure_report, with what it leaves out: see l4_import_failure_reports. '
'Errors: those of values that a column does not take.';

CREATE FUNCTION @extschema@.l4_import_failure_reports(document jsonb) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	one record;
	taken bigint := 0;
	what text;
	hint text;
BEGIN
	IF jsonb_typeof(l4_import_failure_reports.document) NOT IN ('array', 'object')
		OR l4_import_failure_reports.document IS NULL THEN
		RAISE EXCEPTION 'failure reports must be a JSON object, or an array of objects'
			USING ERRCODE = 'invalid_parameter_value';
	END IF;
	FOR one IN
		SELECT d.value AS fields, d.place
		FROM jsonb_array_elements(CASE jsonb_typeof(l4_import_failure_reports.document)
			WHEN 'array' THEN l4_import_failure_reports.document
			ELSE jsonb_build_array(l4_import_failure_reports.document) END) WITH ORDINALITY d (value, place)
	LOOP
		PERFORM @extschema@.l4_check_failure_report(one.fields, one.place);
		BEGIN
			INSERT INTO @extschema@.l4_failure_report SELECT r.* FROM @extschema@.l4_read_failure_report(one.fields) r
			ON CONFLICT ON CONSTRAINT l4_failure_report_pkey DO UPDATE SET (job_metadata, hardware_resource, accelerator_type,
				accelerator_count, software_environment, description, symptom, monitoring_data, lead, root_cause_category,
				root_cause_subtype, root_cause, fault_key, procedure, fix, status, faulty_nodes, failed_at, reported_at,
				diagnosed_at, resolved_at, reported_by, diagnosed_by)
				= (excluded.job_metadata, excluded.hardware_resource, excluded.accelerator_type, excluded.accelerator_count,
				excluded.software_environment, excluded.description, excluded.symptom, excluded.monitoring_data, excluded.lead,
				excluded.root_cause_category, excluded.root_cause_subtype, excluded.root_cause, excluded.fault_key,
				excluded.procedure, excluded.fix, excluded.status, excluded.faulty_nodes, excluded.failed_at,
				excluded.reported_at, excluded.diagnosed_at, excluded.resolved_at, excluded.reported_by, excluded.diagnosed_by);
		EXCEPTION WHEN data_exception OR integrity_constraint_violation THEN
			GET STACKED DIAGNOSTICS what = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
			RAISE EXCEPTION 'failure report % (job "%") cannot be taken in: %', one.place, one.fields ->> 'job_id', what
				USING ERRCODE = SQLSTATE,
					HINT = coalesce(nullif(hint, ''),
						'The fields are the columns of l4_failure_report, whose comments say what they take.');
		END;
		taken := taken + 1;
	END LOOP;
	RETURN taken;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_import_failure_reports(jsonb) IS
'Takes in failure reports, one JSON object or an array of them, with the columns of l4_failure_report as fields; returns '
'their number. A report of the same job_id and report_id (by default 1) is replaced. Left out, reported_at is now and '
'status follows from what is there (resolved, diagnosed, open). All or nothing. From CSV: \copy l4_failure_report '
'(columns) FROM file CSV HEADER. Errors: 22023 no object, no job_id or unknown fields; others as the values are at fault, '
'with the number of the report.';

CREATE FUNCTION @extschema@.l4_finding_features(findings @extschema@.l4_finding[])
RETURNS TABLE (kind text, feature text, weight double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 20
BEGIN ATOMIC
	-- what a failure began with tells more than what followed; a fault, which a person has named, more than an event
	SELECT x.kind, x.feature, max(x.weight)
	FROM (
		SELECT f.kind, CASE f.kind WHEN 'fault' THEN f.fault_key WHEN 'event' THEN f.event_id::text ELSE f.stage END AS feature,
			CASE f.kind WHEN 'fault' THEN CASE WHEN COALESCE(l.role, 'root') = 'root' THEN 2.0 ELSE 1.0 END
				WHEN 'event' THEN CASE COALESCE(f.role, 'root') WHEN 'root' THEN 1.0 WHEN 'cascade' THEN 0.3 ELSE 0.1 END
				ELSE 0.5 END AS weight
		FROM unnest(l4_finding_features.findings) f
		LEFT JOIN @extschema@.l4_fault_library l ON l.fault_key = f.fault_key
		WHERE f.kind IN ('fault', 'event') OR f.kind = 'stage' AND f.ordinal = 1) x
	WHERE x.feature IS NOT NULL
	GROUP BY x.kind, x.feature;
END;
COMMENT ON FUNCTION @extschema@.l4_finding_features(@extschema@.l4_finding[]) IS
'Step: What findings have that can be compared with those of another job: faults, events and the first stage, with their '
'weights.';

CREATE FUNCTION @extschema@.l4_saved_findings(job_id text) RETURNS @extschema@.l4_finding[]
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT array_agg(f ORDER BY f.kind, f.ordinal) FROM @extschema@.l4_finding f
	WHERE f.job_id = l4_saved_findings.job_id
		AND f.saved_at = GREATEST((SELECT max(n.saved_at) FROM @extschema@.l4_finding n
			WHERE n.job_id = l4_saved_findings.job_id), (SELECT max(d.saved_at) FROM @extschema@.l4_diagnosis d
			WHERE d.job_id = l4_saved_findings.job_id));
END;
COMMENT ON FUNCTION @extschema@.l4_saved_findings(text) IS
'Step: The findings of the newest saved diagnosis of a job; NULL where none was saved or it found nothing.';

CREATE FUNCTION @extschema@.l4_other_failures(job_id text, findings @extschema@.l4_finding[], saved_only boolean)
RETURNS TABLE (other text, saved boolean, kind text, feature text, weight double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 1000
BEGIN ATOMIC
	WITH other AS MATERIALIZED (
		SELECT j.job_id, s.findings, s.findings IS NOT NULL AS saved
		FROM @extschema@.l4_other_failed_jobs(l4_other_failures.job_id) j (job_id)
		CROSS JOIN LATERAL (SELECT @extschema@.l4_saved_findings(j.job_id) AS findings) s
	),
	own AS MATERIALIZED (
		SELECT x.* FROM @extschema@.l4_finding_features(l4_other_failures.findings) x WHERE x.kind = 'event'
	),
	shape AS MATERIALIZED (
		SELECT h.shape_id, m.feature, m.weight FROM own m JOIN @extschema@.l4_shape h ON h.event_id = m.feature::bigint
	)
	SELECT o.job_id, true, x.kind, x.feature, x.weight
	FROM other o CROSS JOIN LATERAL @extschema@.l4_finding_features(o.findings) x WHERE o.saved
	UNION ALL
	SELECT DISTINCT o.job_id, false, 'event', h.feature, h.weight
	FROM other o
	CROSS JOIN LATERAL @extschema@.l4_job_counts(o.job_id, NULL, ARRAY(SELECT h.shape_id FROM shape h)) e
	JOIN shape h ON h.shape_id = e.shape_id
	WHERE NOT l4_other_failures.saved_only AND NOT o.saved;
END;
COMMENT ON FUNCTION @extschema@.l4_other_failures(text, @extschema@.l4_finding[], boolean) IS
'Step: What the other failed jobs have that can be compared with the given findings: of those with a saved diagnosis its '
'features (l4_finding_features), of others, unless saved_only, which of these events they log at all.';

CREATE FUNCTION @extschema@.l4_resembling_failures(job_id text, findings @extschema@.l4_finding[], saved_only boolean, most int)
RETURNS TABLE (similar_job_id text, score double precision, shared_faults text[], shared_events bigint[], same_stage boolean,
	compared_with text, root_cause_category text, root_cause_subtype text, root_cause text, fix text, report_status text,
	resolved_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10
BEGIN ATOMIC
	WITH own AS MATERIALIZED (
		SELECT x.* FROM @extschema@.l4_finding_features(l4_resembling_failures.findings) x
	),
	has AS MATERIALIZED (
		SELECT x.other AS job_id, x.saved, x.kind, x.feature, x.weight
		FROM @extschema@.l4_other_failures(l4_resembling_failures.job_id, l4_resembling_failures.findings,
			l4_resembling_failures.saved_only) x
	),
	-- what few failed jobs have weighs more
	rarity AS MATERIALIZED (
		SELECT f.kind, f.feature,
			ln(1 + (SELECT count(*) + 1 FROM @extschema@.l4_other_failed_jobs(l4_resembling_failures.job_id))::float8
				/ count(DISTINCT f.job_id)) AS rarity
		FROM (SELECT h.job_id, h.kind, h.feature FROM has h UNION ALL SELECT l4_resembling_failures.job_id, m.kind, m.feature
			FROM own m) f
		GROUP BY f.kind, f.feature
	),
	mine AS MATERIALIZED (
		SELECT m.kind, m.feature, m.weight * r.rarity AS weight FROM own m
		JOIN rarity r ON r.kind = m.kind AND r.feature = m.feature
	),
	size AS (
		SELECT h.job_id, sum((h.weight * r.rarity) ^ 2) AS size, bool_and(h.saved) AS saved FROM has h
		JOIN rarity r ON r.kind = h.kind AND r.feature = h.feature GROUP BY h.job_id
	),
	shared AS (
		SELECT h.job_id, sum(m.weight * h.weight * r.rarity) AS product,
			array_agg(m.feature ORDER BY m.weight DESC, m.feature COLLATE "C") FILTER (WHERE m.kind = 'fault') AS faults,
			array_agg(m.feature::bigint ORDER BY m.weight DESC, m.feature::bigint) FILTER (WHERE m.kind = 'event') AS events,
			bool_or(m.kind = 'stage') AS same_stage
		FROM has h JOIN mine m ON m.kind = h.kind AND m.feature = h.feature
		JOIN rarity r ON r.kind = h.kind AND r.feature = h.feature
		GROUP BY h.job_id
	)
	-- Of a job without a diagnosis only the events in question are known: their share among this job's events.
	SELECT s.job_id,
		CASE WHEN z.saved THEN s.product / NULLIF(sqrt(z.size * t.size), 0) ELSE s.product / NULLIF(t.events, 0) END,
		COALESCE(s.faults, '{}'), COALESCE(s.events, '{}'), s.same_stage,
		CASE WHEN z.saved THEN 'saved diagnosis' ELSE 'logs' END,
		r.root_cause_category, r.root_cause_subtype, r.root_cause, r.fix, r.status, r.resolved_at
	FROM shared s
	JOIN size z ON z.job_id = s.job_id
	CROSS JOIN (SELECT sum(m.weight ^ 2) AS size, sum(m.weight ^ 2) FILTER (WHERE m.kind = 'event') AS events FROM mine m) t
	LEFT JOIN LATERAL (
		SELECT r.* FROM @extschema@.l4_failure_report r
		WHERE r.job_id = s.job_id ORDER BY r.diagnosed_at DESC NULLS LAST, r.report_id LIMIT 1) r ON true
	ORDER BY 2 DESC, s.job_id COLLATE "C"
	LIMIT l4_resembling_failures.most;
END;
COMMENT ON FUNCTION @extschema@.l4_resembling_failures(text, @extschema@.l4_finding[], boolean, int) IS
'Step: Failed jobs that share what the given findings have: l4_similar_failures for findings at hand. saved_only: only '
'jobs with a saved diagnosis are compared.';

CREATE FUNCTION @extschema@.l4_similar_failures(job_id text, most int DEFAULT 10)
RETURNS TABLE (similar_job_id text, score double precision, shared_faults text[], shared_events bigint[], same_stage boolean,
	compared_with text, root_cause_category text, root_cause_subtype text, root_cause text, fix text, report_status text,
	resolved_at timestamptz, explanation text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 10
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	found @extschema@.l4_finding[];
BEGIN
	PERFORM @extschema@.l4_known_job(l4_similar_failures.job_id);
	IF l4_similar_failures.most IS NULL OR l4_similar_failures.most < 1 THEN
		RAISE EXCEPTION 'most must be at least 1' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	-- Of the job itself: the saved diagnosis, else a new one.
	found := @extschema@.l4_saved_findings(l4_similar_failures.job_id);
	IF found IS NULL
		AND EXISTS (SELECT FROM @extschema@.l4_job_streams(l4_similar_failures.job_id) s WHERE s.record_count > 0) THEN
		found := @extschema@.l4_report_findings(l4_similar_failures.job_id);
	END IF;
	RETURN QUERY
	SELECT s.*, format('Shares %s fault%s%s and %s event%s with it%s.', cardinality(s.shared_faults),
		CASE cardinality(s.shared_faults) WHEN 1 THEN '' ELSE 's' END,
		coalesce(' (' || nullif(array_to_string(s.shared_faults, ', '), '') || ')', ''), cardinality(s.shared_events),
		CASE cardinality(s.shared_events) WHEN 1 THEN '' ELSE 's' END,
		CASE WHEN s.same_stage THEN format(', and the stage %s',
			(SELECT f.stage FROM unnest(found) f WHERE f.kind = 'stage' AND f.ordinal = 1)) ELSE '' END)
	FROM @extschema@.l4_resembling_failures(l4_similar_failures.job_id, found, false, l4_similar_failures.most) s;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_similar_failures(text, int) IS
'Failed jobs that resemble this one, most alike first, with what their failure reports say: at most so many. score says '
'how alike (0 to 1, a cosine) what both diagnoses found is: faults, events and first stage; what is rare, and what a '
'failure began with, weighs more. Saved diagnoses are compared (l4_save_diagnosis); of a job without one it is seen '
'whether it logs the events at all. Reads only. Errors: P0002 unknown job, 22023 most below 1. Cost: one diagnosis of this '
'job if none is saved, then the saved findings.';
