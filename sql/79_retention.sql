/*
 * Retention: the text of a job's logs is most of its room and the first to lose its worth; what was learned from it stays
 * small. So the text can go alone, or the job whole.
 *
 * Rows that are deleted give their room back when VACUUM has been over the table: to other jobs for use, and to the file system
 * as far as it lies at the table's end. The text of a job lies together (an import writes it in one go), and autovacuum is told
 * not to wait until a fifth of the table is dead.
 */

ALTER TABLE @extschema@.l4_segment SET (autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02);

CREATE FUNCTION @extschema@.l4_drop_log_text(job_id text, save_diagnosis boolean DEFAULT true) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	freed bigint;
BEGIN
	PERFORM @extschema@.l4_known_job(l4_drop_log_text.job_id);
	-- What was found is worth keeping; afterwards it cannot be found any more.
	IF l4_drop_log_text.save_diagnosis
		AND EXISTS (SELECT FROM @extschema@.l4_job j WHERE j.job_id = l4_drop_log_text.job_id AND j.status = 'failed')
		AND EXISTS (SELECT FROM @extschema@.l4_segment g WHERE g.job_id = l4_drop_log_text.job_id)
		AND NOT EXISTS (SELECT FROM @extschema@.l4_diagnosis d WHERE d.job_id = l4_drop_log_text.job_id AND d.use_pool) THEN
		PERFORM @extschema@.l4_save_diagnosis(l4_drop_log_text.job_id);
	END IF;
	PERFORM @extschema@.l4_lock('l4_job', l4_drop_log_text.job_id, false);
	SELECT coalesce(sum(pg_column_size(g.structure) + pg_column_size(g.texts) + pg_column_size(g.parameters)
		+ pg_column_size(g.stream_ids) + pg_column_size(g.shape_ids)), 0) INTO freed
	FROM @extschema@.l4_segment g WHERE g.job_id = l4_drop_log_text.job_id;
	DELETE FROM @extschema@.l4_segment g WHERE g.job_id = l4_drop_log_text.job_id;
	-- An import that finds the files again is to read them again, be they unchanged.
	IF freed > 0 THEN
		DELETE FROM @extschema@.l4_source_state t WHERE t.job_id = l4_drop_log_text.job_id;
		UPDATE @extschema@.l4_stream s SET file_size = NULL, file_modified_at = NULL WHERE s.job_id = l4_drop_log_text.job_id;
	END IF;
	RETURN freed;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_drop_log_text(text, boolean) IS
'Drops the text of a job''s logs and keeps all else: streams, counts, sketches of parameters, pools, saved diagnoses, '
'reports. Returns the bytes that the text took. Of a failed job without a saved diagnosis one is saved first, unless '
'save_diagnosis is false. Afterwards l4_log has no rows of the job, l4_diagnose answers with the newest saved diagnosis, '
'and l4_import takes the text in again if called on the files; a source that l4_ingest adds to later begins anew. The room '
'goes to other jobs once autovacuum has been over l4_segment; VACUUM l4_segment does that at once and shortens the file '
'where it can, VACUUM FULL always. Needs the right to delete from l4_segment and to update l4_stream; row security decides '
'which rows. Waits for files that an import of the job is just taking in, and files of it that come later bring their '
'text. Errors: P0002 for an unknown job. Cost: some milliseconds a megabyte of stored text.';

CREATE FUNCTION @extschema@.l4_delete_job(job_id text, forget_shapes boolean DEFAULT true) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	name regclass;
BEGIN
	PERFORM @extschema@.l4_lock('l4_job', l4_delete_job.job_id, false);
	IF forget_shapes THEN
		PERFORM @extschema@.l4_lock('l4_event', NULL, false);
		PERFORM @extschema@.l4_lock('l4_shape', NULL, false);
	END IF;
	PERFORM @extschema@.l4_lock('l4_pool', NULL, false);
	PERFORM @extschema@.l4_known_job(l4_delete_job.job_id);
	-- Every table of l4 that has a job_id, but for what people said of faults, which counts for the fault. Pools come last:
	-- they are computed anew from the others.
	FOR name IN
		SELECT c.oid::regclass
		FROM pg_extension e
		JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.classid = 'pg_class'::regclass
			AND d.deptype = 'e'
		JOIN pg_class c ON c.oid = d.objid AND c.relkind IN ('r', 'p')
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'job_id' AND NOT a.attisdropped
		WHERE e.extname = 'l4' AND c.relname NOT LIKE 'l4\_pool\_%' AND c.relname NOT IN ('l4_job', 'l4_job_tenant')
			AND (c.relname <> 'l4_fault_feedback' OR @extschema@.l4_tenancy())
		ORDER BY c.relname COLLATE "C"
	LOOP
		EXECUTE format('DELETE FROM %s WHERE job_id = $1', name) USING l4_delete_job.job_id;
	END LOOP;
	PERFORM @extschema@.l4_pool_refresh(l4_delete_job.job_id, false);
	DELETE FROM @extschema@.l4_pool p WHERE NOT EXISTS (SELECT FROM @extschema@.l4_pool_job j WHERE j.pool_id = p.pool_id);
	-- Last: by it a tenant sees the other rows.
	DELETE FROM @extschema@.l4_job j WHERE j.job_id = l4_delete_job.job_id;
	IF has_table_privilege('@extschema@.l4_job_tenant', 'DELETE') THEN
		DELETE FROM @extschema@.l4_job_tenant t WHERE t.job_id = l4_delete_job.job_id;
	END IF;
	IF forget_shapes THEN
		PERFORM @extschema@.l4_forget_shapes();
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_delete_job(text, boolean) IS
'Deletes a job with all that is known of it: logs, summaries, diagnoses, failure reports, labels; its pool is computed '
'anew without it, and goes with its last job. What people said of faults that were found in it stays with the faults '
'(but not where tenants are kept apart). '
'Shapes and events that no other job has go too (l4_forget_shapes), where the caller sees and may delete all of these; '
'forget_shapes => false leaves them, so that l4_forget_shapes can be called once for many jobs. Room comes back as after '
'l4_drop_log_text. Needs the right to delete from each of these tables; row security decides which rows. Waits for files '
'that an import of the job is just taking in; the import then ends with an error. Errors: P0002 for an unknown job. Cost: '
'its rows are read and marked once; where it was of a pool, the summaries of that pool; l4_forget_shapes looks through the '
'summaries of all jobs.';
