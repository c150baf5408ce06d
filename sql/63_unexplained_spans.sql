/*
 * When were records without a stamp written? Between the last stamp of their stream and its next one.
 */

CREATE FUNCTION @extschema@.l4_unexplained_spans(job_id text, unexplained @extschema@.l4_unexplained_record[],
	limits @extschema@.l4_limits)
RETURNS TABLE (event_id bigint, source text, unit text, first_ts timestamptz, told timestamptz, since timestamptz,
	until timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH bare AS MATERIALIZED (
		SELECT DISTINCT ON (r.stream_id, r.first_line) r.stream_id, r.first_line, r.event_id, r.source, r.unit, r.first_ts,
			r.message
		FROM unnest(l4_unexplained_spans.unexplained) r
		WHERE NOT r.stamped
		ORDER BY r.stream_id, r.first_line, r.shape_id
	),
	span AS (
		SELECT a.*
		FROM (SELECT array_agg(b.stream_id) AS stream_ids, array_agg(b.first_line) AS line_nos FROM bare b) l
		CROSS JOIN LATERAL @extschema@.l4_job_times_around(l4_unexplained_spans.job_id, l.stream_ids, l.line_nos, limits) a
	),
	told AS (
		-- what a message says of its time counts where it may have been then
		SELECT b.event_id, b.source, b.unit, b.first_ts, b.first_line, s.since, s.until, t.about,
			CASE WHEN t.ts >= s.since - t.about AND t.ts <= s.until IS NOT FALSE THEN t.ts END AS ts
		FROM bare b JOIN span s ON s.stream_id = b.stream_id AND s.line_no = b.first_line
		CROSS JOIN LATERAL (SELECT @extschema@.l4_stamp_in_text(b.message, s.time_zone) AS ts,
			make_interval(secs => (l4_unexplained_spans.limits).event_together) AS about OFFSET 0) t
	)
	SELECT DISTINCT ON (t.event_id, t.source, t.unit, t.first_ts) t.event_id, t.source, t.unit, t.first_ts, t.ts,
		t.since, t.until
	FROM told t
	WHERE t.ts IS NOT NULL OR (t.until - t.since <= t.about) IS NOT TRUE
	ORDER BY t.event_id, t.source, t.unit, t.first_ts, t.first_line;
END;
COMMENT ON FUNCTION @extschema@.l4_unexplained_spans(text, @extschema@.l4_unexplained_record[], @extschema@.l4_limits) IS
'Step: Of unexplained records without a stamp of their own the time that their text tells of (told), and between which stamps '
'of their own stream they stand (since, until; NULL: none), where these are further apart than clocks are.';
