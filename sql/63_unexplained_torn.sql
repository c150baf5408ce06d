/*
 * Tracebacks that others' lines tore apart: where ranks share a file and each line of it has a header of its own, the lines of
 * a traceback fold into one record only as far as they follow one another. What is left of it are its first lines, single
 * frames and the error, as records of their own.
 */

CREATE FUNCTION @extschema@.l4_torn_errors(unexplained @extschema@.l4_unexplained_record[], limits @extschema@.l4_limits)
RETURNS TABLE (event_id bigint, words text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	WITH error AS MATERIALIZED (
		SELECT u.event_id, u.shape_id, u.message, @extschema@.l4_last_line(u.message) AS last_line
		FROM unnest(l4_torn_errors.unexplained) u
		WHERE u.kind = 'rank' AND u.gravity >= (limits).gravity_error AND u.message IS NOT NULL
	)
	SELECT e.event_id, min(w.words)
	FROM error e
	JOIN @extschema@.l4_shape h ON h.shape_id = e.shape_id
	CROSS JOIN LATERAL (SELECT @extschema@.l4_shape_words(@extschema@.l4_without_header(e.message, h.shape)) AS words
		OFFSET 0) w
	WHERE e.last_line IS NULL AND w.words IN (SELECT @extschema@.l4_shape_words(o.last_line) FROM error o)
	GROUP BY e.event_id;
END;
COMMENT ON FUNCTION @extschema@.l4_torn_errors(@extschema@.l4_unexplained_record[], @extschema@.l4_limits) IS
'Step: The events of errors of one line that are the last line of other ranks'' tracebacks: their words, by which these are '
'alike.';

CREATE FUNCTION @extschema@.l4_untorn_records(unexplained @extschema@.l4_unexplained_record[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_unexplained_record
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH error AS MATERIALIZED (
		SELECT u.stream_id, min(u.first_ts) AS first_ts, max(u.first_ts) AS last_ts
		FROM unnest(l4_untorn_records.unexplained) u
		WHERE u.kind = 'rank' AND u.gravity >= (limits).gravity_error GROUP BY u.stream_id
	),
	frame AS MATERIALIZED (
		SELECT DISTINCT u.stream_id, u.shape_id
		FROM unnest(l4_untorn_records.unexplained) u
		JOIN error e ON e.stream_id = u.stream_id AND u.first_ts <= e.last_ts
			AND u.first_ts >= e.first_ts - make_interval(secs => (limits).event_together)
		JOIN @extschema@.l4_shape h ON h.shape_id = u.shape_id
		WHERE u.gravity < (limits).gravity_trouble AND h.shape ~ '^( {2,}\S|Traceback \(most recent call last\))'
	)
	SELECT u.* FROM unnest(l4_untorn_records.unexplained) u
	WHERE (u.stream_id, u.shape_id) NOT IN (SELECT f.stream_id, f.shape_id FROM frame f);
END;
COMMENT ON FUNCTION @extschema@.l4_untorn_records(@extschema@.l4_unexplained_record[], @extschema@.l4_limits) IS
'Step: The unexplained records without those of ranks that are nothing but the beginning or frames of a traceback, just before '
'an error of the same rank (limit event_together): what they say that error says.';
