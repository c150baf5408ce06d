/*
 * Reading back: the lines around a line, and a pattern searched in all logs of a job.
 */

CREATE FUNCTION @extschema@.l4_segment_grep(structure bytea, texts bytea, parameter_values bytea, stream_ids bigint[],
	sketch bytea, pattern text, OUT stream_id bigint, OUT line_no bigint, OUT part int, OUT ts timestamptz, OUT level text,
	OUT component text, OUT stage text, OUT iteration bigint, OUT shape_id bigint, OUT raw text)
	RETURNS SETOF record
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 4000 ROWS 1 SUPPORT @extschema@.l4_segment_support
	AS 'MODULE_PATHNAME', 'l4_segment_grep';
COMMENT ON FUNCTION @extschema@.l4_segment_grep(bytea, bytea, bytea, bigint[], bytea, text) IS
'Step: Of one row of l4_segment the records that a PCRE2 pattern matches, in file order, as l4_log shows them. The pattern '
'is tried on the whole record, which may have several lines: (?m) makes ^ and $ stand for each of them. sketch: that of '
'the segment''s source (l4_parameter_sketch) or NULL; with it parameters that cannot match are not unpacked. No rows where '
'another argument is NULL. Errors: 2201B for a bad pattern, 54000 for one that takes too many steps, XX001 for damaged '
'bytes. Cost: some 50 microseconds for a segment without a match whose texts tell so; else decompression, and microseconds '
'for each record in question.';

CREATE FUNCTION @extschema@.l4_matching_records(job_id text, pattern text, of_node text, of_rank int, earliest timestamptz,
	latest timestamptz)
RETURNS TABLE (node text, rank int, source text, line_no bigint, part int, ts timestamptz, level text, component text,
	stage text, iteration bigint, event_id bigint, raw text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 1000
BEGIN ATOMIC
	SELECT COALESCE(s.told_node, s.node), s.rank, s.source, r.line_no, r.part,
		r.ts, r.level, r.component, r.stage, r.iteration, h.event_id, r.raw
	FROM @extschema@.l4_segment g
	LEFT JOIN @extschema@.l4_parameter_sketch k ON k.job_id = g.job_id AND k.source_id = g.source_id
	CROSS JOIN LATERAL @extschema@.l4_segment_grep(g.structure, g.texts, g.parameters, g.stream_ids, k.sketch,
		l4_matching_records.pattern) r
	JOIN @extschema@.l4_stream s ON s.job_id = g.job_id AND s.stream_id = r.stream_id
	LEFT JOIN @extschema@.l4_shape h ON h.shape_id = r.shape_id
	WHERE g.job_id = l4_matching_records.job_id
		AND (l4_matching_records.of_node IS NULL
			OR COALESCE(s.told_node, s.node) = l4_matching_records.of_node AND g.source_id IN (
				SELECT COALESCE(t.bundle_id, t.source_id) FROM @extschema@.l4_stream t
				WHERE t.job_id = l4_matching_records.job_id AND t.node = l4_matching_records.of_node))
		AND (l4_matching_records.of_rank IS NULL
			OR s.rank = l4_matching_records.of_rank AND g.source_id IN (
				SELECT COALESCE(t.bundle_id, t.source_id) FROM @extschema@.l4_stream t
				WHERE t.job_id = l4_matching_records.job_id AND t.rank = l4_matching_records.of_rank))
		AND (l4_matching_records.earliest IS NULL OR r.ts >= l4_matching_records.earliest)
		AND (l4_matching_records.latest IS NULL OR r.ts <= l4_matching_records.latest);
END;
COMMENT ON FUNCTION @extschema@.l4_matching_records(text, text, text, int, timestamptz, timestamptz) IS
'Step: What l4_grep finds, of a job whose log text is there.';

CREATE FUNCTION @extschema@.l4_grep(job_id text, pattern text, node text DEFAULT NULL, rank int DEFAULT NULL,
	earliest timestamptz DEFAULT NULL, latest timestamptz DEFAULT NULL)
RETURNS TABLE (node text, rank int, source text, line_no bigint, part int, ts timestamptz, level text, component text,
	stage text, iteration bigint, event_id bigint, raw text)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 1000
BEGIN ATOMIC
	SELECT r.*
	FROM @extschema@.l4_matching_records(l4_grep.job_id, l4_grep.pattern, l4_grep.node, l4_grep.rank, l4_grep.earliest,
		l4_grep.latest) r
	-- what is wrong with the arguments is said even where there is nothing to search
	WHERE @extschema@.l4_has_log_text(l4_grep.job_id) AND @extschema@.l4_pattern_matches(l4_grep.pattern, '') IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_grep(text, text, text, int, timestamptz, timestamptz) IS
'Searches all logs of a job for a PCRE2 pattern (case matters; (?i) before it makes it not): the records that match, in no '
'order (ORDER BY source, line_no, part is that of the files), several lines of a record as one, columns as in l4_log. '
'node, rank, earliest and latest narrow the search, NULL does not. Words that the pattern cannot match without are looked '
'for in the statements and in what is known of the parameters first, so that most segments need no unpacking; in parallel '
'where the server allows. Errors: P0002 for an unknown job, 55000 for one whose log text was dropped, 2201B for a bad '
'pattern, 54000 for one that takes too many steps.';

CREATE FUNCTION @extschema@.l4_context(job_id text, source text, around bigint, lines int DEFAULT 3)
RETURNS TABLE (line_no bigint, is_match boolean, node text, rank int, ts timestamptz, level text, line text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 10
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	wanted bigint;
	bundle bigint;
	earliest bigint := l4_context.around - l4_context.lines;
	latest bigint := l4_context.around + l4_context.lines;
BEGIN
	PERFORM @extschema@.l4_has_log_text(l4_context.job_id);
	IF l4_context.lines < 0 THEN
		RAISE EXCEPTION 'lines is %, but must not be negative', l4_context.lines USING ERRCODE = 'invalid_parameter_value';
	END IF;
	SELECT s.source_id, s.bundle_id INTO wanted, bundle FROM @extschema@.l4_stream s
	WHERE s.job_id = l4_context.job_id AND s.source = l4_context.source LIMIT 1;
	IF wanted IS NULL THEN
		RAISE EXCEPTION 'job "%" has no source "%"', l4_context.job_id, l4_context.source
			USING ERRCODE = 'no_data_found', HINT = 'The column source of l4_stream lists them.';
	END IF;
	RETURN QUERY
	SELECT r.line_no + x.number - 1, r.line_no + x.number - 1 = l4_context.around,
		COALESCE(s.told_node, s.node), s.rank, r.ts, r.level,
		rtrim(x.line, E'\r')
	FROM @extschema@.l4_segment g
	CROSS JOIN LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters,
		CASE WHEN bundle IS NULL THEN g.stream_ids ELSE @extschema@.l4_only_streams(g.stream_ids, ARRAY(
			SELECT o.stream_id FROM @extschema@.l4_stream o
			WHERE o.job_id = l4_context.job_id AND o.source_id = wanted)) END) r
	LEFT JOIN @extschema@.l4_stream s ON s.job_id = g.job_id AND s.stream_id = r.stream_id
	CROSS JOIN LATERAL string_to_table(r.raw, E'\n') WITH ORDINALITY x (line, number)
	WHERE g.job_id = l4_context.job_id AND g.source_id = COALESCE(bundle, wanted) AND g.last_line >= earliest
		AND r.line_no <= latest AND r.line_no + x.number - 1 BETWEEN earliest AND latest
	ORDER BY r.line_no, r.part, x.number;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_context(text, text, bigint, int) IS
'The lines of a source around one of them, as grep -C shows them: source and around (a line_no) as in l4_log and in the '
'evidence of l4_diagnose, lines how many before and after. A row for each line, in file order, with node, rank, time and '
'level of its record; is_match marks the one asked for. Records that a carriage return parts share a line number. Opens '
'the segments that hold these lines. Errors: P0002 for a job or source that is not known, 55000 for dropped log text, '
'22023 for negative lines.';
