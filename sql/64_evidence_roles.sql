/*
 * What roles and waits mean for evidence: who speaks for all is not blamed for what it says, and an error that ends a wait is
 * no cause that all have in common.
 */

CREATE FUNCTION @extschema@.l4_failing_streams(placed @extschema@.l4_placed_record[], limits @extschema@.l4_limits)
RETURNS bigint[]
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT CASE WHEN count(*) <= (limits).role_streams THEN array_agg(f.stream_id ORDER BY f.stream_id) END
	FROM (
		SELECT DISTINCT p.stream_id FROM unnest(l4_failing_streams.placed) p
		WHERE p.by_itself AND p.kind = 'rank'
			AND p.units_alike::float8 / p.units <= (limits).evidence_common_share) f;
END;
COMMENT ON FUNCTION @extschema@.l4_failing_streams(@extschema@.l4_placed_record[], @extschema@.l4_limits) IS
'Step: the streams of ranks that fail with an error that speaks for itself and that most units do not have; NULL where these '
'are none or many.';

CREATE FUNCTION @extschema@.l4_spoken_placed(placed @extschema@.l4_placed_record[], roles @extschema@.l4_role_stream[],
	at_large @extschema@.l4_placed_record, wordings @extschema@.l4_wordings) RETURNS SETOF @extschema@.l4_placed_record
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
BEGIN ATOMIC
	-- A rank that breaks breaks what the others wait for, and they complain. Where they merely say that the run ends, the one
	-- that ended it spoke for all, be it by an exception; but a process that crashes has no say in that.
	WITH spoken AS MATERIALIZED (
		SELECT DISTINCT p.stream_id, p.shape_id
		FROM unnest(l4_spoken_placed.placed) p
		JOIN unnest(l4_spoken_placed.roles) r ON r.stream_id = p.stream_id
		JOIN @extschema@.l4_shape h ON h.shape_id = p.shape_id
		WHERE p.kind = 'rank' AND p.turn < (at_large).turn
			AND (at_large).kind = 'rank' AND NOT ((at_large).trouble OR (at_large).peer OR (at_large).accuses)
			AND @extschema@.l4_told_text(h.shape) !~ (l4_spoken_placed.wordings).itself
	)
	SELECT p.turn, p.unit, p.node, p.rank, p.kind, p.source, p.stream_id, p.shape_id, p.first_line, p.first_ts, p.units,
		p.units_alike, p.accuses, p.trouble, p.grave, p.peer, p.alike, p.path, p.stage, p.by_itself,
		p.for_all OR s.stream_id IS NOT NULL, p.survived, p.iteration, p.valued
	FROM unnest(l4_spoken_placed.placed) p
	LEFT JOIN spoken s ON s.stream_id = p.stream_id AND s.shape_id = p.shape_id;
END;
COMMENT ON FUNCTION @extschema@.l4_spoken_placed(@extschema@.l4_placed_record[], @extschema@.l4_role_stream[],
	@extschema@.l4_placed_record, @extschema@.l4_wordings) IS
'Step: placed records, with which of them speak for all as well: those by which a rank with a role (l4_role_streams) ends a '
'run of which the others then merely say that it ends (at_large: l4_failure_at_large).';

CREATE FUNCTION @extschema@.l4_waited(job_id text, error @extschema@.l4_placed_record, placed @extschema@.l4_placed_record[],
	unexplained_shapes bigint[], limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	-- Measured is the time from what a rank last said in the routine of its steps to the error, in such steps. A save or an
	-- evaluation takes its time.
	WITH asked AS MATERIALIZED (
		SELECT p.stream_id, min(p.first_ts) AS at FROM unnest(l4_waited.placed) p
		WHERE p.alike = (error).alike AND p.kind = 'rank'
			AND COALESCE(p.stage, 'iterating') NOT IN ('checkpoint_save', 'checkpoint_load', 'evaluation')
		GROUP BY p.stream_id ORDER BY p.stream_id LIMIT (limits).waited_streams::bigint
	),
	routine AS (
		SELECT a.stream_id, a.at, max(e.last_ts) AS last_ts,
			min((e.last_ts - e.first_ts) / (e.occurrences - 1)) AS step
		FROM asked a
		JOIN @extschema@.l4_job_counts(l4_waited.job_id, ARRAY(SELECT o.stream_id FROM asked o),
			min_occurrences => (limits).waited_records::bigint) e ON e.stream_id = a.stream_id
		WHERE e.shape_id <> ALL (l4_waited.unexplained_shapes)
		GROUP BY a.stream_id, a.at
	)
	SELECT COALESCE(count(*) FILTER (WHERE r.at - r.last_ts > r.step * (limits).waited_steps
			AND r.at - r.last_ts > make_interval(secs => (limits).waited_least)) * 2 > count(*), false)
	FROM routine r;
END;
COMMENT ON FUNCTION @extschema@.l4_waited(text, @extschema@.l4_placed_record, @extschema@.l4_placed_record[], bigint[],
	@extschema@.l4_limits) IS
'Step: had most of the ranks that log an error stood still for many steps before it? Then it is the end of a wait, whatever '
'its words: it speaks of what was waited for. Reads the counts of some of these ranks.';

CREATE FUNCTION @extschema@.l4_follows_accusation(error @extschema@.l4_placed_record, placed @extschema@.l4_placed_record[],
	accusations @extschema@.l4_accusation[]) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	-- only what a rank complains of gravely: many a warning names somebody and passes
	SELECT EXISTS (
		SELECT FROM unnest(l4_follows_accusation.accusations) a
		JOIN unnest(l4_follows_accusation.placed) p ON p.stream_id = a.stream_id AND p.shape_id = a.shape_id
		WHERE p.kind = 'rank' AND p.grave AND NOT p.survived AND p.accuses AND NOT a.ending AND NOT a.closing
			AND p.alike IS DISTINCT FROM (error).alike AND a.first_ts < (error).first_ts
			AND a.unit NOT IN (SELECT o.unit FROM unnest(l4_follows_accusation.placed) o WHERE o.alike = (error).alike));
END;
COMMENT ON FUNCTION @extschema@.l4_follows_accusation(@extschema@.l4_placed_record, @extschema@.l4_placed_record[],
	@extschema@.l4_accusation[]) IS
'Step: did a rank gravely accuse another unit before an error that many log, and does that unit not log it? Then the error is '
'what the others say of its end, whatever their words: it is no cause that all have in common.';
