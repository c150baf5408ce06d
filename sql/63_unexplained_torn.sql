/*
 * Tracebacks that others' lines tore apart: where ranks share a file and each line of it has a header of its own, the lines of
 * a traceback fold into one record only as far as they follow one another. Its heading and frames lead to the error
 * (l4_parted_tracebacks), which stands alone, or below some of its frames.
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
	WHERE e.last_line IS NULL AND w.words <> '' AND w.words IN (SELECT @extschema@.l4_shape_words(o.last_line) FROM error o)
	GROUP BY e.event_id;
END;
COMMENT ON FUNCTION @extschema@.l4_torn_errors(@extschema@.l4_unexplained_record[], @extschema@.l4_limits) IS
'Step: The events of errors of one line that are the last line of other ranks'' tracebacks: their words, by which these are '
'alike.';
