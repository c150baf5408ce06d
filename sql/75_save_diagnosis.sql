/*
 * Diagnoses kept: their findings, and with what they were made.
 *
 * A diagnosis is computed anew each time it is asked for, from the pool and the library of that moment. One that is kept says
 * what was known then, and by which version; a later one of the same job supersedes it, and both remain.
 */

CREATE FUNCTION @extschema@.l4_save_diagnosis(job_id text, use_pool boolean DEFAULT true) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	found @extschema@.l4_finding[] := @extschema@.l4_report_findings(l4_save_diagnosis.job_id, l4_save_diagnosis.use_pool);
	moment timestamptz := clock_timestamp();
BEGIN
	INSERT INTO @extschema@.l4_finding
	SELECT r.* FROM unnest(found) f,
		LATERAL jsonb_populate_record(f, jsonb_build_object('job_id', l4_save_diagnosis.job_id, 'saved_at', moment)) r;
	INSERT INTO @extschema@.l4_diagnosis (job_id, saved_at, version, use_pool, pool_id, pool_jobs, pool_fit, records, findings,
		verdict, restart_action, restart_target, restart_advice, began_at, last_save_at, last_save_iteration, limits, wordings)
	SELECT l4_save_diagnosis.job_id, moment, (SELECT e.extversion FROM pg_extension e WHERE e.extname = 'l4'),
		l4_save_diagnosis.use_pool, p.pool_id, p.job_count, p.fit,
		(SELECT coalesce(sum(s.record_count), 0) FROM @extschema@.l4_job_streams(l4_save_diagnosis.job_id) s),
		cardinality(found), @extschema@.l4_report_headline(l4_save_diagnosis.job_id, found), a.action, a.target, a.advice,
		(SELECT coalesce(min(f.first_seen) FILTER (WHERE f.kind = 'stage'),
			min(f.first_seen) FILTER (WHERE f.kind = 'iteration'), min(f.first_seen))
			FROM unnest(found) f WHERE f.ordinal = 1 AND f.kind IN ('stage', 'iteration', 'event')
				AND NOT @extschema@.l4_ended_normally(found)),
		c.saved_at, c.iteration,
		(SELECT coalesce(jsonb_object_agg(l.name, l.value), '{}') FROM @extschema@.l4_limit l WHERE NOT l.builtin),
		ARRAY(SELECT w.name FROM @extschema@.l4_wording w WHERE NOT w.builtin ORDER BY w.name COLLATE "C")
	FROM @extschema@.l4_restart_advice(l4_save_diagnosis.job_id, found) a
	LEFT JOIN @extschema@.l4_best_pool(l4_save_diagnosis.job_id) p ON l4_save_diagnosis.use_pool
	LEFT JOIN @extschema@.l4_report_last_save(l4_save_diagnosis.job_id, found) c ON true;
	IF (SELECT l.value FROM @extschema@.l4_limit_in_force l WHERE l.name = 'notify_diagnoses') > 0 THEN
		PERFORM @extschema@.l4_notify(l4_save_diagnosis.job_id);
	END IF;
	RETURN cardinality(found);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_save_diagnosis(text, boolean) IS
'Keeps a diagnosis: its findings in l4_finding; its parameters with the limits and wordings of the site''s own, the '
'version, the pool and its verdict in l4_diagnosis. Returns the number of findings, and tells who listens, where that is '
'switched on (l4_notify). It supersedes earlier ones of the job in the views; they stay. Errors: as l4_diagnose. Cost: '
'little more than one diagnosis.';
