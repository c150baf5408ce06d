/*
 * What a text says, by general wordings (l4_wording): how grave it sounds, which stage it names; and its words alone.
 */

CREATE FUNCTION @extschema@.l4_level_rank(level text) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN COALESCE(array_position(ARRAY['trace', 'debug', 'info', 'warning', 'error', 'fatal'], level), 0);
COMMENT ON FUNCTION @extschema@.l4_level_rank(text) IS
'Step: Levels in order: trace 1 ... warning 4, error 5, fatal 6; 0 where the record has none.';

CREATE FUNCTION @extschema@.l4_is_call_frame(line text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN line ~ '\t(at [^\n]*\(|\.\.\. )|(^|\n) {2,}at \S|:(\d+|<\*>):in [`'']';
COMMENT ON FUNCTION @extschema@.l4_is_call_frame(text) IS
'Step: Is a line a frame of an exception of Java (a tab, "at" and what was called; or how many more there are), of JavaScript '
'(blanks and "at") or of Ruby ("trainer.rb:32:in `run''")?';

CREATE FUNCTION @extschema@.l4_without_call_frames(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
BEGIN ATOMIC
	SELECT COALESCE(string_agg(l.line, E'\n' ORDER BY l.number) FILTER (WHERE NOT @extschema@.l4_is_call_frame(l.line)),
		l4_without_call_frames.message)
	FROM string_to_table(l4_without_call_frames.message, E'\n') WITH ORDINALITY l (line, number);
END;
COMMENT ON FUNCTION @extschema@.l4_without_call_frames(text) IS
'Step: A message without the frames below it (l4_is_call_frame); one of nothing else as it is.';

CREATE FUNCTION @extschema@.l4_set_out(raw text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 20
RETURN CASE WHEN raw ~ '\n {1,40}Traceback \(most recent call last\)'
	THEN replace(raw, E'\n' || substring(raw, '\n( {1,40})Traceback \(most recent call last\)'), E'\n') ELSE raw END;
COMMENT ON FUNCTION @extschema@.l4_set_out(text) IS
'Step: A record as it stands in its file without the blanks by which a logger set in a traceback below its own line, as the '
'record''s message is without them; other records as they are.';

CREATE FUNCTION @extschema@.l4_frame_prefix(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 20
RETURN COALESCE(regexp_replace(regexp_replace(substring(message, '(?:^|\n)(\S[^\n]*?\S)[ \t]{2,}File "'),
	'([^[:alnum:][:space:]])', '\\\1', 'g'), '\d+', '\\d+', 'g'), '');
COMMENT ON FUNCTION @extschema@.l4_frame_prefix(text) IS
'Step: What stands before the frames of a Python traceback that a system''s log has line by line (a time, a host, a process), '
'as a regular expression in which numbers are any; empty where nothing does.';

CREATE FUNCTION @extschema@.l4_without_command(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN CASE WHEN strpos(message, '[''') > 0
	THEN regexp_replace(message, '\[''[^][\n]*''-{1,2}[[:alpha:]][^][\n]*\]', '[...]', 'g') ELSE message END;
COMMENT ON FUNCTION @extschema@.l4_without_command(text) IS
'Step: A message without the commands with options that it quotes as Python lists words, as launchers do before they say how a '
'process ended; "[...]" stands in their place.';

CREATE FUNCTION @extschema@.l4_without_options(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN CASE WHEN message ~ '-{2}[[:alpha:]]'
	THEN regexp_replace(@extschema@.l4_without_command(message),
		'(^|[^[:alnum:]_-])-{2}[[:alpha:]][[:alnum:]_-]*', '\1', 'g') ELSE message END;
COMMENT ON FUNCTION @extschema@.l4_without_options(text) IS
'Step: A message without the names of the options of a command, as distributed-timeout-minutes behind two dashes, and without '
'commands that it quotes (l4_without_command): what is set has not happened.';

CREATE FUNCTION @extschema@.l4_error_named() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '[\w.]{0,80}(?:Error|Exception): ';
COMMENT ON FUNCTION @extschema@.l4_error_named() IS
'Step: How the last line of a Python traceback begins, as a pattern. Where a launcher quotes a whole traceback that stands as '
'deep as lines of source do, and is none.';

CREATE FUNCTION @extschema@.l4_told_text(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 20
RETURN CASE WHEN message ~ 'File "[^"\n]+", line (\d|<\*>)'
	THEN regexp_replace(message,
		'(^|\n)((\S*[:>\]] ?)*|' || @extschema@.l4_frame_prefix(message) || ')[ \t]? {2,}'
			|| '(?! |' || @extschema@.l4_error_named() || ')[^\n]*', '', 'g')
	WHEN @extschema@.l4_is_call_frame(message) THEN @extschema@.l4_without_call_frames(message)
	ELSE @extschema@.l4_without_options(message) END;
COMMENT ON FUNCTION @extschema@.l4_told_text(text) IS
'Step: What a message says itself: without the frames and the source lines of a Python traceback (set in by blanks; what an '
'exception lists is by tabs), or the frames of Java, JavaScript or Ruby, which name what was called ("timeout=timeout", '
'"rank 3"), not what happened; other messages without the options of a command (l4_without_options).';

CREATE FUNCTION @extschema@.l4_quoted_error(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 20
RETURN substring(CASE WHEN message LIKE '%Traceback (most recent call last)%' THEN message END,
	'\n(?:\S{1,40}:)?[ \t]{2,}(' || @extschema@.l4_error_named() || '[^\n]*)');
COMMENT ON FUNCTION @extschema@.l4_quoted_error(text) IS
'Step: The error of a traceback that a message quotes wholly, set in by blanks, as the summary of a launcher does of the rank '
'that failed first; NULL where it quotes none.';

CREATE FUNCTION @extschema@.l4_last_line(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
RETURN regexp_replace(substring(@extschema@.l4_told_text(message), '\n([^\n]*\S[^\n]*)\s*$'),
	'^(' || @extschema@.l4_frame_prefix(message) || ')?\s*(\d{1,7}:\s+|\[[^]\n]{1,40}\]:?\s+)*', '');
COMMENT ON FUNCTION @extschema@.l4_last_line(text) IS
'Step: The last line of what a message of several lines says itself (l4_told_text), as the exception of a traceback, without '
'what a system''s log (l4_frame_prefix) and launchers put before each line. NULL where it has one line.';

CREATE FUNCTION @extschema@.l4_without_header(raw text, shape text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN substr(raw, GREATEST(position(split_part(shape, '<*>', 1) IN raw), 1));
COMMENT ON FUNCTION @extschema@.l4_without_header(text, text) IS
'Step: A record as it stands in its file from where its shape begins on: without the header before its message; as it is where '
'the shape begins with a parameter.';

CREATE FUNCTION @extschema@.l4_text_gravity(message text, wordings @extschema@.l4_wordings) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 20
BEGIN ATOMIC
	SELECT CASE
		WHEN t.told ~ (wordings).fatal THEN @extschema@.l4_level_rank('fatal')
		WHEN t.told ~ (wordings).exception THEN @extschema@.l4_level_rank('error')
		WHEN t.told ~ (wordings).trouble THEN @extschema@.l4_level_rank('warning')
		ELSE 0
	END
	FROM (SELECT @extschema@.l4_without_options(l4_text_gravity.message) AS told OFFSET 0) t;
END;
COMMENT ON FUNCTION @extschema@.l4_text_gravity(text, @extschema@.l4_wordings) IS
'Step: How grave a message sounds by general English wordings (l4_wording), on the scale of l4_level_rank: 6 fatal, 5 an '
'exception, 4 trouble, 0 nothing (or no message). Rings on harmless records too: to order what other means have found. '
'wordings: l4_wordings_in_force().';

CREATE FUNCTION @extschema@.l4_without_source_text(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
RETURN CASE WHEN message ~ 'Traceback \(most recent call last\)'
	THEN regexp_replace(message,
		'\n(\S{1,40}:)?[ \t]{4,}(?![ \t]|File "|' || @extschema@.l4_error_named() || ')[^\n]*', '', 'g')
	ELSE @extschema@.l4_without_options(message) END;
COMMENT ON FUNCTION @extschema@.l4_without_source_text(text) IS
'Step: a message without the source lines that a Python traceback quotes below its frames (behind a label, where its lines '
'have one), which name all that stands in them, be it concerned or not; other messages without the options of a command '
'(l4_without_options).';

CREATE FUNCTION @extschema@.l4_text_stage(message text, wordings @extschema@.l4_wordings) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100
BEGIN ATOMIC
	SELECT s.stage FROM unnest((l4_text_stage.wordings).stages,
		(l4_text_stage.wordings).stage_patterns) WITH ORDINALITY s (stage, pattern, turn)
	WHERE @extschema@.l4_without_source_text(l4_text_stage.message) ~ s.pattern ORDER BY s.turn LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_text_stage(text, @extschema@.l4_wordings) IS
'Step: The stage that an error itself names (its traceback or its object: a checkpoint, a dataset, a communicator), or '
'NULL. Of a job that has begun to iterate what names set-up says nothing. wordings: l4_wordings_in_force().';

CREATE FUNCTION @extschema@.l4_text_component(message text, wordings @extschema@.l4_wordings) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 500
BEGIN ATOMIC
	-- the exception comes last and its nearest frame before it; what is told before the traceback comes first
	SELECT c.component
	FROM string_to_table(@extschema@.l4_without_source_text(l4_text_component.message), E'\n') WITH ORDINALITY l (line, turn)
	CROSS JOIN unnest((l4_text_component.wordings).components,
		(l4_text_component.wordings).component_patterns) WITH ORDINALITY c (component, pattern, turn)
	WHERE l.line ~ c.pattern ORDER BY l.turn DESC, c.turn LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_text_component(text, @extschema@.l4_wordings) IS
'Step: What the code that failed is called (data_loader, checkpoint, communicator, ...; wordings of class component), by '
'the line of the exception, else by the frame nearest to it that says; NULL where none does. wordings: '
'l4_wordings_in_force().';

CREATE FUNCTION @extschema@.l4_stamp_in_text(message text, time_zone text) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE STRICT COST 50
BEGIN ATOMIC
	-- a pattern lets only pass what is a month, a day and a time; days are added, as not every month has 31
	SELECT ((m.part[1] || '-01')::timestamp + (substring(m.part[2], '^\d\d')::int - 1) * interval '1 day'
		+ substring(m.part[2], '\d\d:\S+')::interval) AT TIME ZONE l4_stamp_in_text.time_zone
	FROM regexp_match(l4_stamp_in_text.message, '\mtime\s{0,20}[:=]\s{0,4}(20\d\d-(?:0[1-9]|1[0-2]))'
		'-((?:0[1-9]|[12]\d|3[01])[ T_](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)') m (part);
END;
COMMENT ON FUNCTION @extschema@.l4_stamp_in_text(text, text) IS
'Step: The time that a message itself tells of ("time : 2026-11-22_04:14:11", as summaries of launchers have it), in the '
'given zone; NULL where it tells of none.';

CREATE FUNCTION @extschema@.l4_shape_words(shape text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 50
RETURN btrim(regexp_replace(shape, '(<\*>|[^[:alpha:]])+', ' ', 'g'));
COMMENT ON FUNCTION @extschema@.l4_shape_words(text) IS
'Step: The words of a shape alone, without parameters, digits and signs: what two variants of one statement (a progress '
'bar at 2 % and at 50 %) have in common.';

CREATE FUNCTION @extschema@.l4_without_names(shape text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN regexp_replace(shape, '"[^"<>]*"\s*:|[[:alnum:]_./-]+=', ' ', 'g');
COMMENT ON FUNCTION @extschema@.l4_without_names(text) IS
'Step: A shape without the names of its parameters (JSON''s keys, and what stands before an equals sign): a list of settings '
'that has a "timeout" or "max_errors=" tells of none.';

CREATE FUNCTION @extschema@.l4_parameter_name(shape text, "position" int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 10
RETURN substring(split_part(shape, '<*>', "position"), '([[:alpha:]_][[:alnum:]_./-]*)[^[:alnum:]]*$');
COMMENT ON FUNCTION @extschema@.l4_parameter_name(text, int) IS
'Step: The word before the parameter at a position (from 1) of a shape, by which a reader knows it: "step" for the first '
'of "step <*> took <*> ms", "took" for the second. NULL where no word stands between it and the parameter before.';

CREATE FUNCTION @extschema@.l4_parameter_label(shape text, "position" int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 10
BEGIN ATOMIC
	SELECT COALESCE(
		-- a sign before it ends what the words there tell of, and the words behind it end at one, too
		CASE WHEN p.before ~ '(^|[,;:|([])\s*$'
			THEN substring(p.behind, '^ ([[:alpha:]][[:alpha:] _-]*?)\s*(?:[],;.|)]|$)') END,
		@extschema@.l4_parameter_name(l4_parameter_label.shape, l4_parameter_label.position))
	FROM (
		SELECT split_part(l4_parameter_label.shape, '<*>', l4_parameter_label.position) AS before,
			array_to_string((string_to_array(l4_parameter_label.shape, '<*>'))[l4_parameter_label.position + 1:], '<*>')
				AS behind) p;
END;
COMMENT ON FUNCTION @extschema@.l4_parameter_label(text, int) IS
'Step: What a reader takes the parameter at a position (from 1) of a shape for: the words behind it where a sign '
'stands before it and behind them ("segments retransmitted" for the second of "tcp: <*> established, <*> segments '
'retransmitted"), else the word before it (l4_parameter_name). NULL where there is neither.';

CREATE FUNCTION @extschema@.l4_record_texts(job_id text, stream_ids bigint[], line_nos bigint[],
	wordings @extschema@.l4_wordings DEFAULT NULL)
RETURNS TABLE (stream_id bigint, line_no bigint, source text, raw text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
	l4_record_texts.wordings := coalesce(l4_record_texts.wordings, @extschema@.l4_wordings_in_force());
	-- several records may share a line (progress bars): the gravest one is wanted, and a whole text orders them well enough
	RETURN QUERY
	SELECT DISTINCT ON (r.stream_id, r.line_no) r.stream_id, r.line_no, r.source, r.raw
	FROM @extschema@.l4_records_at(l4_record_texts.job_id, l4_record_texts.stream_ids, l4_record_texts.line_nos) r
	ORDER BY r.stream_id, r.line_no, @extschema@.l4_text_gravity(r.raw, l4_record_texts.wordings) DESC, r.raw;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_record_texts(text, bigint[], bigint[], @extschema@.l4_wordings) IS
'Step: The records of a job that begin on the given lines of the given streams (two arrays of one length), as they stand '
'in the files.';

CREATE FUNCTION @extschema@.l4_time_text(at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"');
COMMENT ON FUNCTION @extschema@.l4_time_text(timestamptz) IS
'Step: a time as sentences and reports have it, in UTC whatever the session''s time zone: 2026-11-20 10:07:48Z. What is '
'saved today says the same to whoever reads it elsewhere.';

CREATE FUNCTION @extschema@.l4_clock_text(at timestamptz, milliseconds boolean DEFAULT false) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN to_char(at AT TIME ZONE 'UTC', CASE WHEN milliseconds THEN 'HH24:MI:SS.MS"Z"' ELSE 'HH24:MI:SS"Z"' END);
COMMENT ON FUNCTION @extschema@.l4_clock_text(timestamptz, boolean) IS
'Step: the time of day of a time, in UTC as l4_time_text: 10:07:48Z, or with milliseconds.';

CREATE FUNCTION @extschema@.l4_count_words(number bigint, one text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN format('%s %s%s', btrim(to_char(number, 'FM999,999,999,999,999,990')), one, CASE number WHEN 1 THEN '' ELSE 's' END);
COMMENT ON FUNCTION @extschema@.l4_count_words(bigint, text) IS
'Step: A number with its noun: 1 node, 4,096 nodes.';

CREATE FUNCTION @extschema@.l4_text_seconds(shape text, "position" int, value text) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
BEGIN ATOMIC
	SELECT CASE
		WHEN u.unit ~ '^(ns|nano)' THEN float8 '1e-9'
		WHEN u.unit ~ '^(us|usec|micro)' THEN float8 '1e-6'
		WHEN u.unit ~ '^(ms|msec|milli)' THEN float8 '1e-3'
		WHEN u.unit <> '' THEN 1 END
	FROM (SELECT lower(COALESCE(
		-- behind the value, unless it names the next one; behind the bracket that closes a list of named values; inside it;
		-- behind the word before it, or the end of the value's name
		substring(split_part(l4_text_seconds.shape, '<*>', l4_text_seconds.position + 1),
			'^[])]?\s?((?:ns|us|ms|s|secs?|seconds?|msecs?|usecs?|milliseconds?|microseconds?))\M'
			'(?!["'']?(?:\s?=|:)\s?["'']?$)'),
		substring(array_to_string((string_to_array(l4_text_seconds.shape, '<*>'))[l4_text_seconds.position + 1:], '<*>'),
			'^(?:[,;]?\s?[a-z_]{1,30}\s?[=:]\s?<\*>){0,15}[])}]\s?((?:ns|us|ms|s|secs?|seconds?|msecs?|usecs?))\M'),
		substring(l4_text_seconds.value, '\d\s?(ns|us|ms|s|secs?)$'),
		substring(split_part(l4_text_seconds.shape, '<*>', l4_text_seconds.position),
			'(?:time|elapsed|took|takes?|duration|latency|waited|cost)[^<]{0,20}\(((?:ns|us|ms|s|secs?|seconds?))\)[\s:=|]*$'),
		substring(split_part(l4_text_seconds.shape, '<*>', l4_text_seconds.position),
			-- what is told per second is no duration
			'(?:(?<!per)_|(?<!per |/)\m)((?:ns|us|ms|secs?|seconds?|msecs?|usecs?|milliseconds?|microseconds?)'
			-- "tokens_s" are no seconds
			'|(?<=(?:time|elapsed|took|duration|latency|wait|waited|cost|compute|forward|backward|step|iter|iteration|reduce'
			'|comm|sync|load|read|save|total)_)s)["'']?(?:\s?=|:)\s?["'']?$'),
		-- what is called the time of a step, and is a fraction, is a difference of clocks that count seconds
		CASE WHEN l4_text_seconds.value ~ '^\d+\.\d+$' AND split_part(l4_text_seconds.shape, '<*>', l4_text_seconds.position)
			~ '(?:(?:step|iter|iteration|batch)[_ ]time|time[_ ]per[_ ](?:step|iter|iteration|batch))["'']?(?:\s?=|:)\s?["'']?$'
			THEN 's' END
		)) AS unit) u;
END;
COMMENT ON FUNCTION @extschema@.l4_text_seconds(text, int, text) IS
'Step: How many seconds the unit of a parameter of a shape (position, from 1; one of its values) is: 0.001 for "<*> ms" and '
'for "compute_ms=<*>", 1 for "time_per_step: <*>". NULL where it is no duration or has no unit.';

CREATE FUNCTION @extschema@.l4_broken_down(shape text, "position" int) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 20
BEGIN ATOMIC
	-- what stands before the value, from the last number with a unit that a parenthesis is opened behind, or a colon stands
	SELECT l4_broken_down.position
		- cardinality(string_to_array(substring(s.before,
			'<\*>\s?(?:[num]?s|secs?|seconds?|[mu]secs?)(?:\s?\(|:\s)([^()]*)$'), '<*>'))
	FROM (SELECT array_to_string((string_to_array(l4_broken_down.shape, '<*>'))[1:l4_broken_down.position], '<*>') AS before) s;
END;
COMMENT ON FUNCTION @extschema@.l4_broken_down(text, int) IS
'Step: The position of the duration whose parts the parameter at a position (from 1) is one of: 1 for each of the others of '
'"took <*> ms (read <*>, compute <*>)". NULL where it is none.';

CREATE FUNCTION @extschema@.l4_leading_number(value text) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 10
RETURN substring(value, '^\d{1,15}(?:\.\d{1,15})?(?:[eE][-+]?\d{1,2})?')::float8;
COMMENT ON FUNCTION @extschema@.l4_leading_number(text) IS
'Step: The number that a value begins with, whatever its unit is ("362.36ms", "1.5e-05"); NULL for none, or one with a sign.';

CREATE FUNCTION @extschema@.l4_value_seconds(value text, unit_seconds double precision) RETURNS double precision
LANGUAGE sql STABLE PARALLEL SAFE COST 50
BEGIN ATOMIC
	-- programs choose the unit anew each time, as Go's do: 1m2.5s, 1.323s, 567ms
	SELECT CASE WHEN v.bare ~ '^(\d{1,9}(\.\d{1,15})?([hm]|[mu]?s))+$' THEN EXTRACT(epoch FROM v.bare::interval)::float8
		ELSE @extschema@.l4_leading_number(v.bare) * l4_value_seconds.unit_seconds END
	-- the sign of micro is beyond ASCII, in whatever encoding
	FROM (SELECT regexp_replace(l4_value_seconds.value, '[^\x01-\x7f]+(?=s)', 'u', 'g') AS bare) v;
END;
COMMENT ON FUNCTION @extschema@.l4_value_seconds(text, double precision) IS
'Step: How many seconds a printed duration is: by the units that it bears itself (1m2.5s, 567ms), else its number times '
'unit_seconds, the unit of its place (l4_text_seconds). NULL where it begins with no number.';

CREATE FUNCTION @extschema@.l4_told_progress(message text, wordings @extschema@.l4_wordings,
	OUT done bigint, OUT total bigint) RETURNS record
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
BEGIN ATOMIC
	-- not of a rank, an attempt or the like, nor of a date or a path
	WITH pair AS (
		SELECT p.place, substring(p.match[1], '^[[:alpha:]_]+') AS name,
			substring(p.match[1], '(\d+)(?:/| of )')::bigint AS done, substring(p.match[1], '\d+$')::bigint AS total
		FROM regexp_matches(@extschema@.l4_told_text(l4_told_progress.message),
			'((?:[[:alpha:]_]+[^[:alnum:]/]{0,3})?(?<![[:alnum:]/.:-])\d{1,15}(?:/| of )\d{1,15})(?![[:alnum:]/:-]|\.\d)', 'g')
			WITH ORDINALITY p (match, place)
	)
	SELECT p.done, p.total FROM pair p
	WHERE p.done <= p.total AND (p.name ~ (wordings).varying OR p.name ~ (wordings).identity) IS NOT TRUE
	ORDER BY p.place LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_told_progress(text, @extschema@.l4_wordings) IS
'Step: How far a message says that something got: 3 and 7 for "chunk 3/7", 512 and 4096 for "received 512 of 4096"; of '
'several such pairs the first. NULL where it says nothing of the kind.';

CREATE FUNCTION @extschema@.l4_stack_calls(message text) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50 ROWS 10
BEGIN ATOMIC
	-- each pattern only where a message may match it: of Python (a traceback, faulthandler; py-spy), of C and C++ (frames of
	-- PyTorch; gdb)
	SELECT DISTINCT regexp_replace(array_to_string(f.frame, ' '), '\d+', '0', 'g')
	FROM (VALUES ('%File "%', 'File "([^"\n]+)", line \d+,? in ([\w<>.]+)'),
			('%.py%:%', '(?:^|\n)[^\n]*?\s{2,}([\w<>.]+) \(([^()\s]+\.pyx?):\d+\)'),
			('%frame #%', '\mframe #\d+: ([\w:~<>]+)[^\n]* \+ 0x'),
			('%#_ %', '(?:^|\n)[^\n]*?#\d+\s+(?:0x[0-9a-f]+ in )?([\w:~<>]+) ?\(')) p (guard, pattern)
	CROSS JOIN LATERAL regexp_matches(CASE WHEN l4_stack_calls.message LIKE p.guard THEN l4_stack_calls.message END, p.pattern,
		'g') f (frame);
END;
COMMENT ON FUNCTION @extschema@.l4_stack_calls(text) IS
'Step: The calls that a message has in stacks, without lines and numbers: file and function of Python, function of C and C++; '
'none where it has no stack.';

CREATE FUNCTION @extschema@.l4_told_pending(message text)
RETURNS TABLE (process_group text, pending bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50 ROWS 1
BEGIN ATOMIC
	SELECT COALESCE(substring(l4_told_pending.message, 'PG GUID (\w+)'),
			substring(l4_told_pending.message, '\mPG (?:ID )?(\d+)'), ''),
		w.number[1]::bigint - w.number[2]::bigint
	FROM regexp_match(CASE WHEN l4_told_pending.message LIKE '%ast enqueued %' THEN l4_told_pending.message END,
		'[Ll]ast enqueued (?:\w+ )?work: (\d{1,17}), last completed (?:\w+ )?work: (-?\d{1,17})') w (number)
	WHERE w.number IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_told_pending(text) IS
'Step: How many collectives a rank has begun that are not done, by the watchdog of PyTorch''s process groups, and in which '
'group; no row where the message does not say.';

CREATE FUNCTION @extschema@.l4_code_line(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
BEGIN ATOMIC
	-- the innermost frame that is of no library
	SELECT f.frame[1] || ':' || f.frame[2]
	FROM regexp_matches(l4_code_line.message, 'File "([^"\n]+)", line (\d+)', 'g') WITH ORDINALITY f (frame, turn)
	WHERE f.frame[1] !~ '(site|dist)-packages/|/lib(64)?/python|^<'
	ORDER BY f.turn DESC LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_code_line(text) IS
'Step: the line of the user''s own code that a Python traceback names last, as "file:line"; NULL where there is none.';
