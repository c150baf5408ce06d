/*
 * Telling others of a new diagnosis: NOTIFY with a small JSON. Who listens asks the views for the rest.
 */

CREATE FUNCTION @extschema@.l4_fault_title(fault_key text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE STRICT COST 100
BEGIN ATOMIC
	SELECT l.title FROM @extschema@.l4_fault_library l WHERE l.fault_key = l4_fault_title.fault_key;
END;
COMMENT ON FUNCTION @extschema@.l4_fault_title(text) IS
'Step: The title of a fault in force; NULL for any other. Beside tables of jobs instead of a join, of which Citus makes NULL.';

CREATE FUNCTION @extschema@.l4_notice(job_id text, longest int) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT jsonb_strip_nulls(jsonb_build_object('job', d.job_id, 'status', j.status, 'saved_at', d.saved_at,
		'verdict', left(d.verdict, longest), 'action', d.restart_action, 'target', left(d.restart_target, longest),
		'node', left(n.node, longest), 'rank', n.rank, 'confidence', round(n.confidence::numeric, 3),
		'fault', left(f.fault_key, longest), 'title', left(@extschema@.l4_fault_title(f.fault_key), longest),
		'severity', f.severity, 'category', f.category, 'stage', s.stage, 'iteration', i.iteration))
	FROM @extschema@.l4_diagnosis d
	LEFT JOIN @extschema@.l4_job j ON j.job_id = d.job_id
	LEFT JOIN @extschema@.l4_finding n ON n.job_id = d.job_id AND n.saved_at = d.saved_at AND n.kind = 'node' AND n.ordinal = 1
	LEFT JOIN @extschema@.l4_finding f ON f.job_id = d.job_id AND f.saved_at = d.saved_at AND f.kind = 'fault'
		AND f.ordinal = 1
	LEFT JOIN @extschema@.l4_finding s ON s.job_id = d.job_id AND s.saved_at = d.saved_at AND s.kind = 'stage'
		AND s.ordinal = 1
	LEFT JOIN @extschema@.l4_finding i ON i.job_id = d.job_id AND i.saved_at = d.saved_at AND i.kind = 'iteration'
		AND i.ordinal = 1
	WHERE d.job_id = l4_notice.job_id
	ORDER BY d.saved_at DESC LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_notice(text, int) IS
'Step: The newest saved diagnosis of a job in a small JSON object: see l4_notify. Texts are cut to a number of characters '
'(longest). NULL where none is saved.';

CREATE FUNCTION @extschema@.l4_notify(job_id text) RETURNS jsonb
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 1000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	-- NOTIFY takes less than 8,000 bytes
	most CONSTANT int := 7900;
	whole CONSTANT jsonb := @extschema@.l4_notice(l4_notify.job_id, most);
	told jsonb := whole;
	longest int := 1000;
BEGIN
	IF whole IS NULL THEN
		PERFORM @extschema@.l4_known_job(l4_notify.job_id);
		RAISE EXCEPTION 'no diagnosis of job "%" is saved', l4_notify.job_id
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'l4_save_diagnosis saves one.';
	END IF;
	-- Whoever is connected may listen: where rows are not for all to see, the message names nothing of theirs.
	IF EXISTS (SELECT FROM pg_class c WHERE c.relrowsecurity AND c.oid IN ('@extschema@.l4_job'::regclass,
		'@extschema@.l4_diagnosis'::regclass, '@extschema@.l4_finding'::regclass)) THEN
		told := jsonb_build_object('saved_at', whole -> 'saved_at');
	END IF;
	WHILE octet_length(told::text) > most LOOP
		told := CASE WHEN longest > 0 THEN @extschema@.l4_notice(l4_notify.job_id, longest) ELSE told - 'job' END
			|| '{"cut": true}';
		longest := longest / 4;
	END LOOP;
	PERFORM pg_notify('l4_diagnosis', told::text);
	RETURN told;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_notify(text) IS
'Tells who listens (LISTEN l4_diagnosis) of the newest saved diagnosis of a job, when the transaction is committed, and '
'returns the message: a JSON object with job, status, saved_at, verdict, action and target (of the restart advice), '
'node, rank and confidence (of the first suspect), fault, title, severity and category (of the first known fault), stage '
'and iteration, as far as they are known; below 8,000 bytes: longer texts are cut, and cut is true. l4_save_diagnosis '
'calls it where the limit notify_diagnoses is above 0: INSERT INTO l4_limit (name, value) VALUES (''notify_diagnoses'', '
'1). Where row security hides jobs, as between tenants, the message is saved_at alone, because anybody can listen: ask '
'l4_diagnoses what there is to see. Errors: P0002 unknown job, 55000 no saved diagnosis.';
