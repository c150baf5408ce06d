/*
 * Texts made fit to be shown: without what acts on a terminal or a page, escaped for HTML and Markdown, wrapped, clipped. Logs
 * are written by others: whatever comes from one passes l4_printable, and l4_html_escape or a fence of Markdown.
 */

CREATE FUNCTION @extschema@.l4_printable(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
BEGIN ATOMIC
	-- control characters, marks that change the direction of text, and what XML does not allow; tab and line feed stay
	SELECT CASE WHEN l4_printable.message !~ '[\u0001-\u0008\u000B-\u001F\u007F-\u009F\u061C'
			'\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF\uFFFE\uFFFF]'
		THEN l4_printable.message
		ELSE (
			SELECT string_agg(CASE
				WHEN c.letter !~ '[\u0001-\u0008\u000B-\u001F\u007F-\u009F\u061C'
					'\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF\uFFFE\uFFFF]' THEN c.letter
				WHEN ascii(c.letter) < 256 THEN '\x' || lpad(to_hex(ascii(c.letter)), 2, '0')
				ELSE '\u' || lpad(to_hex(ascii(c.letter)), 4, '0') END, '' ORDER BY c.place)
			FROM string_to_table(l4_printable.message, NULL) WITH ORDINALITY c (letter, place)) END;
END;
COMMENT ON FUNCTION @extschema@.l4_printable(text) IS
'A text without characters that act on a terminal or a page: control characters but tab and line feed as \xNN, marks of '
'direction and non-characters as \uNNNN.';

CREATE FUNCTION @extschema@.l4_html_escape(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN replace(replace(replace(replace(replace(@extschema@.l4_printable(message),
	'&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;');
COMMENT ON FUNCTION @extschema@.l4_html_escape(text) IS
'Step: A text as content or attribute of HTML or XML: what l4_printable gives, with & < > " and '' as entities.';

CREATE FUNCTION @extschema@.l4_markdown_escape(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN regexp_replace(replace(replace(regexp_replace(@extschema@.l4_printable(message), '\s+', ' ', 'g'),
	'&', '&amp;'), '<', '&lt;'), '([\\`*_{}[\]|#~>])', '\\\1', 'g');
COMMENT ON FUNCTION @extschema@.l4_markdown_escape(text) IS
'Step: A text as plain words in one line of Markdown: signs that mean something there are taken literally.';

CREATE FUNCTION @extschema@.l4_markdown_fence(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
BEGIN ATOMIC
	SELECT f.fence || E'text\n' || @extschema@.l4_printable(l4_markdown_fence.message) || E'\n' || f.fence
	FROM (SELECT repeat('`', GREATEST(3, 1 + COALESCE(max(length(r.run[1])), 0))) AS fence
		FROM regexp_matches(l4_markdown_fence.message, '`+', 'g') r (run)) f;
END;
COMMENT ON FUNCTION @extschema@.l4_markdown_fence(text) IS
'Step: A text as a fenced block of Markdown, in a fence that no line of the text can end.';

CREATE FUNCTION @extschema@.l4_wrap(message text, width int, indent text DEFAULT '') RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
RETURN l4_wrap.indent || rtrim(regexp_replace(regexp_replace(@extschema@.l4_printable(l4_wrap.message), '\s+', ' ', 'g'),
	format('(.{1,%s})(?: |$)|([^ ]{%s})', l4_wrap.width - length(l4_wrap.indent), l4_wrap.width - length(l4_wrap.indent)),
	'\1\2' || E'\n' || l4_wrap.indent, 'g'), E' \n');
COMMENT ON FUNCTION @extschema@.l4_wrap(text, int, text) IS
'A text in lines of at most width characters, each after indent.';

CREATE FUNCTION @extschema@.l4_clip(message text, lines int, width int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 50
BEGIN ATOMIC
	-- of a long record its beginning and its last line, which in a traceback is the one that tells
	SELECT string_agg(CASE WHEN p.number = l4_clip.lines - 1 AND p.count > l4_clip.lines
		THEN format('... (%s lines)', p.count - l4_clip.lines + 1)
		WHEN length(p.text) > l4_clip.width THEN left(p.text, l4_clip.width - 3) || '...' ELSE p.text END,
			E'\n' ORDER BY p.number)
	FROM (
		SELECT s.text, s.number, count(*) OVER () AS count
		FROM string_to_table(rtrim(@extschema@.l4_printable(l4_clip.message), E' \t\n'), E'\n') WITH ORDINALITY s (text,
			number)) p
	WHERE p.number < l4_clip.lines OR p.number = p.count;
END;
COMMENT ON FUNCTION @extschema@.l4_clip(text, int, int) IS
'Step: A text of at most so many lines (the first ones and the last, with a note of how many are left out) of at most so '
'many characters each.';

CREATE FUNCTION @extschema@.l4_telling_line(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
BEGIN ATOMIC
	-- An error stands below the last frame of its traceback, not indented as the frames are; tools print rulers and advice
	-- below it.
	SELECT COALESCE(CASE WHEN m.text ~ '^\s*(\[[^]\n]*\]:?\s*)?Traceback ' THEN COALESCE(
			substring(m.text, '^.*\n[ \t][^\n]*\n([[:alpha:]_<][^\n]*)'),
			substring(m.text, '([^\n]*[[:alnum:]][^\n]*)[^[:alnum:]]*$')) END,
		split_part(m.text, E'\n', 1))
	FROM (SELECT @extschema@.l4_printable(l4_telling_line.message) AS text) m;
END;
COMMENT ON FUNCTION @extschema@.l4_telling_line(text) IS
'Step: The line of a record that tells most: the first; of a traceback the error below its last frame, else the last line '
'that has letters.';

CREATE FUNCTION @extschema@.l4_list_words(names text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN cardinality(names) < 2 THEN names[1]
	ELSE array_to_string(trim_array(names, 1), ', ') || ' and ' || names[cardinality(names)] END;
COMMENT ON FUNCTION @extschema@.l4_list_words(text[]) IS
'Step: names as part of a sentence: "a, b and c"; NULL for none.';

CREATE FUNCTION @extschema@.l4_history_sentence(history jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN history ->> 'jobs' IS NOT NULL THEN format('Before this job: %s, %s; ',
		@extschema@.l4_count_words((history ->> 'jobs')::bigint, 'job'), CASE
			WHEN history ->> 'jobs' = '1'
				THEN CASE history ->> 'failed_jobs' WHEN '1' THEN 'which failed' ELSE 'which did not fail' END
			WHEN history ->> 'failed_jobs' = '0' THEN 'none of which failed'
			ELSE format('of which %s failed', history ->> 'failed_jobs') END)
	|| CASE (history ->> 'blamed_jobs')::bigint WHEN 0 THEN 'none was put down to this node'
		ELSE format('%s put down to this node (by chance it would be %s; p = %s), last %s, %s',
			history ->> 'blamed_jobs', round((history ->> 'expected_jobs')::numeric, 1),
			@extschema@.l4_seconds_text((history ->> 'p_value')::float8), history ->> 'last_blamed_job',
			@extschema@.l4_time_text((history ->> 'last_blamed_at')::timestamptz)) END || '.' END;
COMMENT ON FUNCTION @extschema@.l4_history_sentence(jsonb) IS
'Step: What is known of a node from former jobs, in words, from the columns of l4_report_history; NULL where nothing is.';
