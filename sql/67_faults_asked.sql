/*
 * The library is asked about all that a job logs, not only about what is unexplained.
 *
 * A text that the library knows as a cause needs no other sign that it matters: neither a level, nor a grave wording, nor that
 * the pool can judge such streams. So every shape is tried once, as one stream logs it; where it is known, all streams that
 * have it are asked. What successful jobs log is left out, and what the job outlived.
 */

CREATE FUNCTION @extschema@.l4_asked_entries(compared boolean, limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_fault_entry
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 200
BEGIN ATOMIC
	-- what follows from another fault says nothing by itself, nor a warning that healthy jobs may have, too
	SELECT l.fault_key, l.pattern, NULL::bigint[], false, NULL::text[], NULL::float8, NULL::float8, NULL::interval, l.role
	FROM @extschema@.l4_fault_library l
	WHERE l.pattern IS NOT NULL AND (l.role = 'benign' OR l.role = 'root'
		AND (l4_asked_entries.compared OR @extschema@.l4_severity_rank(l.severity)
			>= (limits).fault_asked_severity));
END;
COMMENT ON FUNCTION @extschema@.l4_asked_entries(boolean, @extschema@.l4_limits) IS
'Step: The patterns of the fault library that may be what a failure began with, wherever they show, and those that silence. '
'compared: there are successful jobs to compare with; else only errors are asked about.';

CREATE FUNCTION @extschema@.l4_asked_shapes(job_id text, use_pool boolean, compared boolean,
	unexplained @extschema@.l4_unexplained_record[], limits @extschema@.l4_limits) RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	entries @extschema@.l4_fault_entry[] := ARRAY(SELECT e FROM @extschema@.l4_asked_entries(compared, limits) e);
BEGIN
	RETURN ARRAY(
		SELECT DISTINCT h.shape_id
		FROM (
			SELECT array_agg(t.stream_id) AS stream_ids, array_agg(t.shape_id) AS shape_ids
			FROM @extschema@.l4_job_shape_tellers(l4_asked_shapes.job_id) t
			WHERE t.shape_id NOT IN (SELECT u.shape_id FROM unnest(l4_asked_shapes.unexplained) u)
				-- what successful jobs of any settings log, other than this one
				AND NOT (use_pool AND EXISTS (SELECT FROM @extschema@.l4_pool_event p WHERE p.shape_id = t.shape_id
					AND (p.job_count > 1 OR NOT EXISTS (SELECT FROM @extschema@.l4_pool_job m
						WHERE m.pool_id = p.pool_id AND m.job_id = l4_asked_shapes.job_id))))) a
		CROSS JOIN LATERAL @extschema@.l4_text_hits(l4_asked_shapes.job_id, a.stream_ids, a.shape_ids, NULL, NULL, entries,
			limits) h
		WHERE h.fault_key NOT IN (SELECT e.fault_key FROM unnest(entries) e WHERE e.role = 'benign'));
END
$$;
COMMENT ON FUNCTION @extschema@.l4_asked_shapes(text, boolean, boolean, @extschema@.l4_unexplained_record[],
	@extschema@.l4_limits) IS
'Step: The shapes of a job that the fault library knows as a cause, beside those that are unexplained, without those that '
'successful jobs log (use_pool false: none is asked); compared as for l4_asked_entries. A shape is tried once, with the '
'parameters of one of its streams.';

CREATE FUNCTION @extschema@.l4_not_outlived(job_id text, known @extschema@.l4_unexplained_record[], pool_id bigint,
	limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_unexplained_record
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 10
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	last_good timestamptz := @extschema@.l4_last_good(l4_not_outlived.job_id, limits);
	begun timestamptz := (SELECT i.started_at FROM @extschema@.l4_job_timeline(l4_not_outlived.job_id) i
		ORDER BY i.started_at OFFSET 1 LIMIT 1);
BEGIN
	RETURN QUERY
	WITH record AS MATERIALIZED (
		SELECT r, r.stream_id, r.shape_id, r.kind, r.gravity, r.last_line, r.first_ts,
			min(r.first_ts) OVER (PARTITION BY r.shape_id) AS first_in_job
		FROM unnest(known) r
	),
	-- of a job that does not iterate: its ranks went on
	survived AS (
		SELECT o.stream_id, o.line_no
		FROM (SELECT array_agg(e.stream_id) AS stream_ids, array_agg(e.shape_id) AS shape_ids,
			array_agg(e.last_line) AS lines, array_agg(e.first_ts) AS times FROM record e WHERE NOT isfinite(last_good)) a
		CROSS JOIN LATERAL @extschema@.l4_went_on_after(l4_not_outlived.job_id, a.stream_ids, a.shape_ids, a.lines, a.times,
			limits) o
	)
	SELECT (e.r).*
	FROM record e
	LEFT JOIN @extschema@.l4_progress_marks(l4_not_outlived.job_id, l4_not_outlived.pool_id, limits) m
		ON m.stream_id = e.stream_id
	LEFT JOIN @extschema@.l4_job_last_lines(l4_not_outlived.job_id, ARRAY(SELECT DISTINCT u.stream_id FROM record u
		WHERE u.first_in_job IS NULL)) z ON z.stream_id = e.stream_id
	-- without times noise comes early in its stream
	WHERE (e.last_line <= z.last_line * (limits).unexplained_late_share) IS NOT TRUE AND CASE
		WHEN NOT isfinite(last_good) THEN NOT EXISTS (SELECT FROM survived o
			WHERE o.stream_id = e.stream_id AND o.line_no = e.last_line)
		-- a full or read-only disk lies in wait until something is written
		WHEN e.kind = 'system' AND e.gravity >= (limits).gravity_fatal AND e.first_in_job > begun THEN true
		WHEN e.first_in_job IS NOT NULL THEN e.first_in_job > last_good
		ELSE (e.last_line <= greatest(m.line_no, m.mild_line_no)) IS NOT TRUE END;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_not_outlived(text, @extschema@.l4_unexplained_record[], bigint, @extschema@.l4_limits) IS
'Step: Of records of known faults those that the job did not outlive: they came first in the job behind its last good '
'iteration (l4_last_good), or, where it did not iterate, no rank went on after them (l4_went_on_after).';

CREATE FUNCTION @extschema@.l4_asked_records(job_id text, use_pool boolean, unexplained @extschema@.l4_unexplained_record[],
	limits @extschema@.l4_limits, wordings @extschema@.l4_wordings, clocks @extschema@.l4_clock_offset[] DEFAULT NULL,
	attempts @extschema@.l4_attempt[] DEFAULT NULL) RETURNS SETOF @extschema@.l4_unexplained_record
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 10
SET search_path = pg_catalog, pg_temp
SET jit = off
-- as in l4_unexplained
SET enable_nestloop = off
SET max_parallel_workers_per_gather = 0
AS $$
#variable_conflict use_column
DECLARE
	pool_id bigint := (SELECT b.pool_id FROM @extschema@.l4_best_pool(l4_asked_records.job_id) b WHERE use_pool);
	asked bigint[];
	records @extschema@.l4_unexplained_record[] := '{}';
BEGIN
	attempts := coalesce(attempts,
		ARRAY(SELECT a FROM @extschema@.l4_job_attempts(l4_asked_records.job_id, limits, wordings) a));
	-- without a pool a normal end disproves whatever sounds grave
	IF pool_id IS NULL AND cardinality(attempts) = 0
		AND EXISTS (SELECT FROM @extschema@.l4_normal_end(l4_asked_records.job_id, limits, wordings)) THEN
		RETURN;
	END IF;
	asked := @extschema@.l4_asked_shapes(l4_asked_records.job_id, use_pool, pool_id IS NOT NULL, unexplained, limits);
	IF asked = '{}' THEN
		RETURN;
	END IF;
	clocks := coalesce(clocks, ARRAY(SELECT k FROM @extschema@.l4_clock_offsets(l4_asked_records.job_id, limits) k));
	IF pool_id IS NOT NULL THEN
		-- nor what it says in other words
		asked := ARRAY(SELECT s.shape_id FROM @extschema@.l4_strange_shapes(l4_asked_records.job_id, ARRAY(SELECT p
			FROM @extschema@.l4_other_pool_shapes(l4_asked_records.job_id, pool_id) p), limits) s
			WHERE s.shape_id = ANY (asked));
	END IF;
	records := ARRAY(SELECT r FROM @extschema@.l4_unexplained_records(l4_asked_records.job_id, ARRAY(
		SELECT ROW(e.stream_id, e.shape_id, 'known', e.first_line, NULL, NULL, NULL)::@extschema@.l4_unexplained_shape
		FROM @extschema@.l4_job_counts(l4_asked_records.job_id, NULL, asked) e), pool_id, clocks, limits, wordings) r);
	records := ARRAY(SELECT o FROM @extschema@.l4_not_outlived(l4_asked_records.job_id, records, pool_id, limits) o);
	IF cardinality(attempts) = 0 THEN
		RETURN QUERY SELECT r.* FROM unnest(records) r;
	ELSE
		RETURN QUERY SELECT r.* FROM @extschema@.l4_attempt_records(l4_asked_records.job_id, records, attempts, NULL,
			limits) r;
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_asked_records(text, boolean, @extschema@.l4_unexplained_record[], @extschema@.l4_limits,
	@extschema@.l4_wordings, @extschema@.l4_clock_offset[], @extschema@.l4_attempt[]) IS
'Step: What the fault library knows as a cause of what a job logs beside the unexplained records, as such records of reason '
'known, which are no findings by themselves: l4_match_faults takes them beside the others. Without what successful jobs log, '
'and what the job outlived; without a pool nothing where all ranks end normally (l4_normal_end). '
'clocks, attempts: l4_clock_offsets, l4_job_attempts, where at hand.';
