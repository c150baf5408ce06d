/*
 * The report: a diagnosis as a page for people.
 *
 * l4_report diagnoses once and hands the findings, as an array of rows of l4_finding, to small functions that each answer one question
 * (what is the verdict, may the job restart, which row of a picture is a node in, where did each row stop, ...). The three formats are
 * three ways to set these answers; what they say is the same. Everything reads only the summaries, but for the records around the lines
 * quoted and the iterations of one stream.
 *
 * Logs are written by others: whatever comes from one passes l4_printable (no control characters reach a terminal or a page) and
 * l4_html_escape or a fence of Markdown.
 */

-- Texts

CREATE FUNCTION @extschema@.l4_printable(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
BEGIN ATOMIC
	-- control characters, marks that change the direction of text, and what XML does not allow; tab and line feed stay
	SELECT CASE WHEN l4_printable.message !~ '[\u0001-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF\uFFFE\uFFFF]'
		THEN l4_printable.message
		ELSE (
			SELECT string_agg(CASE
				WHEN c.letter !~ '[\u0001-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF\uFFFE\uFFFF]' THEN c.letter
				WHEN ascii(c.letter) < 256 THEN '\x' || lpad(to_hex(ascii(c.letter)), 2, '0')
				ELSE '\u' || lpad(to_hex(ascii(c.letter)), 4, '0') END, '' ORDER BY c.place)
			FROM string_to_table(l4_printable.message, NULL) WITH ORDINALITY c (letter, place)) END;
END;
COMMENT ON FUNCTION @extschema@.l4_printable(text) IS
'A text without characters that act on a terminal or a page: control characters but tab and line feed as \xNN, marks of direction and non-characters as \uNNNN.';

CREATE FUNCTION @extschema@.l4_html_escape(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN replace(replace(replace(replace(replace(@extschema@.l4_printable(message),
	'&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;');
COMMENT ON FUNCTION @extschema@.l4_html_escape(text) IS
'A text as content or attribute of HTML or XML: what l4_printable gives, with & < > " and '' as entities.';

CREATE FUNCTION @extschema@.l4_markdown_escape(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN regexp_replace(replace(replace(regexp_replace(@extschema@.l4_printable(message), '\s+', ' ', 'g'),
	'&', '&amp;'), '<', '&lt;'), '([\\`*_{}[\]|#~>])', '\\\1', 'g');
COMMENT ON FUNCTION @extschema@.l4_markdown_escape(text) IS
'A text as plain words in one line of Markdown: signs that mean something there are taken literally.';

CREATE FUNCTION @extschema@.l4_markdown_fence(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
BEGIN ATOMIC
	SELECT f.fence || E'text\n' || @extschema@.l4_printable(l4_markdown_fence.message) || E'\n' || f.fence
	FROM (SELECT repeat('`', GREATEST(3, 1 + COALESCE(max(length(r.run[1])), 0))) AS fence
		FROM regexp_matches(l4_markdown_fence.message, '`+', 'g') r (run)) f;
END;
COMMENT ON FUNCTION @extschema@.l4_markdown_fence(text) IS
'A text as a fenced block of Markdown, in a fence that no line of the text can end.';

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
	SELECT string_agg(CASE WHEN p.number = l4_clip.lines - 1 AND p.count > l4_clip.lines THEN format('... (%s lines)', p.count - l4_clip.lines + 1)
		WHEN length(p.text) > l4_clip.width THEN left(p.text, l4_clip.width - 3) || '...' ELSE p.text END, E'\n' ORDER BY p.number)
	FROM (
		SELECT s.text, s.number, count(*) OVER () AS count
		FROM string_to_table(rtrim(@extschema@.l4_printable(l4_clip.message), E' \t\n'), E'\n') WITH ORDINALITY s (text, number)) p
	WHERE p.number < l4_clip.lines OR p.number = p.count;
END;
COMMENT ON FUNCTION @extschema@.l4_clip(text, int, int) IS
'A text of at most so many lines (the first ones and the last, with a note of how many are left out) of at most so many characters each.';

CREATE FUNCTION @extschema@.l4_telling_line(message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
BEGIN ATOMIC
	-- An error stands below the last frame of its traceback, not indented as the frames are; tools print rulers and advice below it.
	SELECT COALESCE(CASE WHEN m.text ~ '^\s*(\[[^]\n]*\]:?\s*)?Traceback ' THEN COALESCE(
			substring(m.text, '^.*\n[ \t][^\n]*\n([[:alpha:]_<][^\n]*)'),
			substring(m.text, '([^\n]*[[:alnum:]][^\n]*)[^[:alnum:]]*$')) END,
		split_part(m.text, E'\n', 1))
	FROM (SELECT @extschema@.l4_printable(l4_telling_line.message) AS text) m;
END;
COMMENT ON FUNCTION @extschema@.l4_telling_line(text) IS
'The line of a record that tells most: the first; of a traceback the error below its last frame, else the last line that has letters.';

CREATE FUNCTION @extschema@.l4_count_words(number bigint, one text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN format('%s %s%s', btrim(to_char(number, 'FM999,999,999,999,999,990')), one, CASE number WHEN 1 THEN '' ELSE 's' END);
COMMENT ON FUNCTION @extschema@.l4_count_words(bigint, text) IS
'A number with its noun: 1 node, 4,096 nodes.';

-- Answers

CREATE FUNCTION @extschema@.l4_report_findings(job_id text, use_pool boolean DEFAULT true) RETURNS @extschema@.l4_finding[]
LANGUAGE sql STABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	-- by name, whatever further columns either has
	SELECT ARRAY(SELECT jsonb_populate_record(NULL::@extschema@.l4_finding, to_jsonb(d))
		FROM @extschema@.l4_diagnose(l4_report_findings.job_id, l4_report_findings.use_pool) d);
END;
COMMENT ON FUNCTION @extschema@.l4_report_findings(text, boolean) IS
'The rows of l4_diagnose as an array of rows of l4_finding (job_id and saved_at NULL). Errors as l4_diagnose.';

CREATE FUNCTION @extschema@.l4_report_suspects(findings @extschema@.l4_finding[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT ARRAY(SELECT COALESCE(f.node, 'rank ' || f.rank) FROM unnest(l4_report_suspects.findings) f WHERE f.kind = 'node' ORDER BY f.ordinal LIMIT 16);
END;
COMMENT ON FUNCTION @extschema@.l4_report_suspects(@extschema@.l4_finding[]) IS
'The suspected nodes of a diagnosis, in order, at most 16.';

CREATE FUNCTION @extschema@.l4_report_fault(findings @extschema@.l4_finding[])
RETURNS TABLE (ordinal int, fault_key text, title text, category text, subtype text, severity text, node text, nodes_affected int, root_cause text, fix text, own boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
	-- The first fault; where a node is suspected, rather one that shows on it alone, or in a log of no node, than what all suffer from; but not
	-- what only follows from a failure, such as being told to end.
	SELECT f.ordinal, f.fault_key, COALESCE(l.title, f.explanation), COALESCE(l.category, substring(f.explanation, '^Known (\S+) fault')), l.subtype, l.severity,
		f.node, f.nodes_affected, f.root_cause, f.fix, f.alone AND COALESCE(l.role, 'root') = 'root'
	FROM (
		SELECT f.*, s.node IS NOT NULL AND f.nodes_affected <= 1 AND COALESCE(f.node, s.node) = s.node AS alone
		FROM unnest(l4_report_fault.findings) f
		LEFT JOIN unnest(l4_report_fault.findings) s ON s.kind = 'node' AND s.ordinal = 1
		WHERE f.kind = 'fault') f
	LEFT JOIN @extschema@.l4_fault_library l ON l.fault_key = f.fault_key
	ORDER BY f.alone AND COALESCE(l.role, 'root') = 'root' DESC, f.ordinal
	LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_report_fault(@extschema@.l4_finding[]) IS
'The known fault that a diagnosis is about, no row where none is known. own: it shows on the first suspected node alone, and may be what the failure began with.';

CREATE FUNCTION @extschema@.l4_report_faults(findings @extschema@.l4_finding[])
RETURNS TABLE (ordinal int, fault_key text, title text, kind text, part text, node text, nodes_affected int, occurrences bigint, quote text, root_cause text, fix text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 5
BEGIN ATOMIC
	WITH finding AS (
		SELECT f.* FROM unnest(l4_report_faults.findings) f WHERE f.kind = 'fault'
	),
	explained AS (
		SELECT x.* FROM @extschema@.l4_explained_faults(ARRAY(SELECT f.fault_key FROM finding f)) x
	)
	SELECT f.ordinal, f.fault_key, COALESCE(l.title, f.explanation), concat_ws(', ', concat_ws('/', l.category, l.subtype), l.severity),
		CASE WHEN x.fault_key IS NOT NULL THEN 'follows from fault ' || array_to_string(ARRAY(
				SELECT o.ordinal FROM finding o WHERE o.fault_key = ANY (x.explained_by) ORDER BY o.ordinal LIMIT 3), ', ')
			WHEN l.role = 'cascade' THEN 'follows from another failure'
			WHEN l.role = 'confirmation' THEN 'says again what is known otherwise' END,
		f.node, f.nodes_affected, f.occurrences, split_part(f.evidence, E'\n', -1), f.root_cause, f.fix
	FROM finding f
	LEFT JOIN @extschema@.l4_fault_library l ON l.fault_key = f.fault_key
	LEFT JOIN explained x ON x.fault_key = f.fault_key;
END;
COMMENT ON FUNCTION @extschema@.l4_report_faults(@extschema@.l4_finding[]) IS
'The known faults of a diagnosis for reading: what kind each is of, what part it plays (NULL: it may be what the failure began with) and the last line quoted for it.';

CREATE FUNCTION @extschema@.l4_report_reasons(findings @extschema@.l4_finding[], most int DEFAULT NULL, suspect int DEFAULT 1) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	-- a semicolon within a quotation parts nothing
	SELECT replace(string_agg(c.reason, '; ' ORDER BY c.place), '<*>', '*')
	FROM unnest(l4_report_reasons.findings) n
	CROSS JOIN LATERAL regexp_split_to_table(rtrim(regexp_replace(n.explanation, '^Suspect [^:]*: ', ''), '.'),
		'; (?=([^"]*"[^"]*")*[^"]*$)') WITH ORDINALITY c (reason, place)
	WHERE n.kind = 'node' AND n.ordinal = l4_report_reasons.suspect AND (l4_report_reasons.most IS NULL OR c.place <= l4_report_reasons.most);
END;
COMMENT ON FUNCTION @extschema@.l4_report_reasons(@extschema@.l4_finding[], int, int) IS
'Why a suspected node (the first, by default) is suspected, in words: the first so many reasons (NULL: all). NULL where there is no such suspect.';

CREATE FUNCTION @extschema@.l4_report_verdict(findings @extschema@.l4_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT CASE
		WHEN n.kind IS NOT NULL AND f.own THEN format('%s is the suspect: %s', COALESCE(n.node, 'rank ' || n.rank), f.title)
		WHEN n.kind IS NOT NULL THEN format('%s is the suspect: %s', COALESCE(n.node, 'rank ' || n.rank),
			-- the headline does without the statement that a reason names in brackets
			regexp_replace(@extschema@.l4_report_reasons(l4_report_verdict.findings, 1), ' \("[^"]*"\)', '', 'g'))
		WHEN f.title IS NOT NULL THEN format('No single node is to blame: %s', f.title)
		WHEN e.template IS NOT NULL THEN format('No single node is to blame; the first thing that successful jobs do not log: %s',
			left(@extschema@.l4_telling_line(e.template), 120))
		ELSE 'Nothing in the logs points at a node, and nothing stands there that successful jobs do not log' END
	FROM (VALUES (1)) one
	LEFT JOIN unnest(l4_report_verdict.findings) n ON n.kind = 'node' AND n.ordinal = 1
	LEFT JOIN unnest(l4_report_verdict.findings) e ON e.kind = 'event' AND e.ordinal = 1
	LEFT JOIN @extschema@.l4_report_fault(l4_report_verdict.findings) f ON true;
END;
COMMENT ON FUNCTION @extschema@.l4_report_verdict(@extschema@.l4_finding[]) IS
'A diagnosis in one sentence.';

CREATE FUNCTION @extschema@.l4_report_began(findings @extschema@.l4_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT NULLIF(concat_ws(', ', 'stage ' || s.stage, 'iteration ' || i.iteration,
		to_char(COALESCE(s.first_seen, i.first_seen, e.first_seen), 'YYYY-MM-DD HH24:MI:SS TZ')), '')
	FROM (VALUES (1)) one
	LEFT JOIN unnest(l4_report_began.findings) s ON s.kind = 'stage' AND s.ordinal = 1
	LEFT JOIN unnest(l4_report_began.findings) i ON i.kind = 'iteration' AND i.ordinal = 1 AND i.explanation LIKE 'The failure began%'
	LEFT JOIN unnest(l4_report_began.findings) e ON e.kind = 'event' AND e.ordinal = 1;
END;
COMMENT ON FUNCTION @extschema@.l4_report_began(@extschema@.l4_finding[]) IS
'Where the failure began, in words: stage, iteration, time (in the zone of the session). NULL where none is known.';

CREATE FUNCTION @extschema@.l4_restart_advice(job_id text, findings @extschema@.l4_finding[] DEFAULT NULL)
RETURNS TABLE (action text, target text, advice text, reason text, finding_kind text, finding_ordinal int)
LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 1
BEGIN ATOMIC
	WITH given AS MATERIALIZED (
		SELECT COALESCE(l4_restart_advice.findings, @extschema@.l4_report_findings(l4_restart_advice.job_id)) AS findings
	),
	fact AS (
		SELECT (SELECT j.status FROM @extschema@.l4_job j WHERE j.job_id = l4_restart_advice.job_id) AS status,
			g.findings, COALESCE(n.node, 'rank ' || n.rank) AS suspect, NULLIF(array_to_string((@extschema@.l4_report_suspects(g.findings))[2:5], ', '), '') AS others, f.*, f.fault_key IS NOT NULL AS known,
			-- scheduling and storage come and go; the library says what is more
			f.subtype IN ('scheduling', 'storage') AND f.severity <> 'critical' AS transient,
			e.ordinal AS event, COALESCE(e.node, 'rank ' || e.rank) AS event_node, e.nodes_affected AS event_nodes,
			(SELECT count(*) FROM @extschema@.l4_job_units(l4_restart_advice.job_id)) AS nodes
		FROM given g
		LEFT JOIN unnest(g.findings) n ON n.kind = 'node' AND n.ordinal = 1
		LEFT JOIN unnest(g.findings) e ON e.kind = 'event' AND e.ordinal = 1
		LEFT JOIN @extschema@.l4_report_fault(g.findings) f ON true
	)
	-- the first that holds
	SELECT r.action, r.target, r.advice, r.reason, r.finding_kind, r.finding_ordinal
	FROM fact f
	CROSS JOIN LATERAL (VALUES
		(1, f.status = 'succeeded', 'none', NULL, 'Nothing to restart', 'The job succeeded.', NULL, NULL::int),
		(2, f.suspect IS NOT NULL, 'replace', f.suspect, format('Replace %s first, then restart', f.suspect),
			CASE
				WHEN f.own AND f.category IN ('user', 'framework') THEN format('The evidence points at %s, where the logs show: %s. Should it fail again on another node, the job itself is the cause: %s',
					f.suspect, f.title, f.fix)
				WHEN f.own THEN format('The evidence points at %s, and the logs show: %s. %s', f.suspect, f.title, f.fix)
				ELSE format('The evidence points at %s: %s.', f.suspect, @extschema@.l4_report_reasons(f.findings, 3)) END
				|| COALESCE(' Suspected too, less: ' || f.others || '.', ''),
			'node', 1),
		(3, f.known AND f.category IN ('hardware', 'platform') AND f.transient IS NOT TRUE AND f.node IS NOT NULL AND f.nodes_affected <= 1 AND f.nodes > 1,
			'replace', f.node, format('Replace %s first, then restart', f.node),
			format('A %s fault shows on %s alone: %s. %s', f.category, f.node, f.title, f.fix), 'fault', f.ordinal),
		(4, f.known AND f.category IN ('hardware', 'platform') AND f.transient, 'restart', NULL, 'Restart as is',
			format('The fault passes by itself, and no node is blamed: %s. Should it come again: %s', f.title, f.fix), 'fault', f.ordinal),
		(5, f.known AND f.category IN ('hardware', 'platform'), 'fix', f.title, 'Do not restart before operators have checked what all nodes share',
			format('A %s fault that no single node explains: %s. %s', f.category, f.title, f.fix), 'fault', f.ordinal),
		(6, f.known, 'fix', f.title, format('Do not restart before the user has fixed: %s', f.title),
			format('A %s fault that no single node explains; started again as it is, the job fails again. %s', f.category, f.fix), 'fault', f.ordinal),
		(7, f.event IS NOT NULL AND f.event_nodes * 2 > f.nodes, 'fix', 'event 1', 'Do not restart before someone has read event 1',
			format('%s of %s nodes log it alike, successful jobs do not, and the library does not know it: most likely the job fails again.',
				f.event_nodes, f.nodes), 'event', 1),
		(8, f.event IS NOT NULL, 'restart', NULL, 'Restart as is, and watch',
			format('No known fault, and not enough evidence against any node%s.', '; the most telling event is on ' || f.event_node), 'event', 1),
		(9, true, 'restart', NULL, 'Restart as is, and watch', 'The logs hold nothing against any node and no known fault.', NULL, NULL)
	) r (turn, holds, action, target, advice, reason, finding_kind, finding_ordinal)
	WHERE r.holds
	ORDER BY r.turn
	LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_restart_advice(text, @extschema@.l4_finding[]) IS
'May the job be started again? One row: action (restart: as is; replace: the node "target" first; fix: not before "target" is seen to; none: it succeeded), the advice and its reason in words, and the finding it rests on. findings: the result of l4_report_findings, where at hand; else the job is diagnosed, with the errors of l4_diagnose.';

CREATE FUNCTION @extschema@.l4_report_why(explanation text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 20
RETURN regexp_replace(explanation, '; (successful jobs do not log it; )?(compared with|there was no) [^;]*\.$', '.');
COMMENT ON FUNCTION @extschema@.l4_report_why(text) IS
'An explanation of an event without what holds for all of them: that successful jobs do not log it, and with which it was compared.';

CREATE FUNCTION @extschema@.l4_report_filter(job_id text, findings @extschema@.l4_finding[])
RETURNS TABLE (compared text, streams bigint, bytes bigint, records bigint, events bigint, left_records bigint, left_events bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
	SELECT CASE WHEN w.words LIKE 'no %' THEN '' ELSE 'compared with ' END || w.words, s.streams, s.bytes, t.records, t.events, f.records, f.events
	FROM (SELECT count(*) FILTER (WHERE s.record_count > 0) AS streams, COALESCE(sum(s.byte_count), 0)::bigint AS bytes
			FROM @extschema@.l4_stream s WHERE s.job_id = l4_report_filter.job_id) s,
		(SELECT COALESCE(sum(e.occurrences), 0)::bigint AS records, count(DISTINCT COALESCE(h.event_id, e.shape_id)) AS events
			FROM (SELECT e.shape_id, sum(e.occurrences) AS occurrences FROM @extschema@.l4_stream_event e
				WHERE e.job_id = l4_report_filter.job_id GROUP BY e.shape_id) e
			LEFT JOIN @extschema@.l4_shape h ON h.shape_id = e.shape_id) t,
		(SELECT COALESCE(sum(f.occurrences), 0)::bigint AS records, count(*) AS events
			FROM unnest(l4_report_filter.findings) f WHERE f.kind = 'event') f,
		(SELECT @extschema@.l4_pool_words(l4_report_filter.job_id, true) AS words) w;
END;
COMMENT ON FUNCTION @extschema@.l4_report_filter(text, @extschema@.l4_finding[]) IS
'What a diagnosis was compared with, in words; streams, bytes, records and events of the job, and how many records and events were left when the filter had taken out what is normal.';

CREATE FUNCTION @extschema@.l4_report_filtered(job_id text, findings @extschema@.l4_finding[], most int DEFAULT 8)
RETURNS TABLE (place bigint, template text, occurrences bigint, streams bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 8
BEGIN ATOMIC
	SELECT row_number() OVER (ORDER BY e.occurrences DESC, v.template, e.event_id), v.template, e.occurrences, e.streams
	FROM (
		SELECT h.event_id, sum(e.occurrences)::bigint AS occurrences, max(e.streams) AS streams
		FROM (SELECT e.shape_id, sum(e.occurrences) AS occurrences, count(*) AS streams FROM @extschema@.l4_stream_event e
			WHERE e.job_id = l4_report_filtered.job_id GROUP BY e.shape_id) e
		JOIN @extschema@.l4_shape h ON h.shape_id = e.shape_id
		GROUP BY h.event_id) e
	JOIN @extschema@.l4_event v ON v.event_id = e.event_id
	WHERE NOT EXISTS (SELECT FROM unnest(l4_report_filtered.findings) f WHERE f.kind = 'event' AND f.event_id = e.event_id)
	ORDER BY e.occurrences DESC, v.template, e.event_id
	LIMIT l4_report_filtered.most;
END;
COMMENT ON FUNCTION @extschema@.l4_report_filtered(text, @extschema@.l4_finding[], int) IS
'The most frequent events of a job that are none of its findings, with their records and the streams that have them.';

-- Pictures, as rows

CREATE FUNCTION @extschema@.l4_report_rows(job_id text, suspects text[], by_rank boolean DEFAULT false, most int DEFAULT 40)
RETURNS TABLE (node text, rank int, place int, label text, suspect int, members int)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH suspected AS MATERIALIZED (
		SELECT l4_report_rows.suspects AS nodes
	),
	stream AS MATERIALIZED (
		SELECT DISTINCT s.unit AS node, s.rank FROM @extschema@.l4_job_streams(l4_report_rows.job_id) s WHERE s.kind = 'rank' AND s.unit IS NOT NULL AND s.rank IS NOT NULL
	),
	ranked AS (
		SELECT l4_report_rows.by_rank AND count(*) BETWEEN 1 AND l4_report_rows.most AS by_rank FROM stream
	),
	unit AS (
		SELECT s.node, s.rank, s.rank AS turn, s.node || ' rank ' || s.rank AS name FROM stream s, ranked WHERE ranked.by_rank AND s.node <> 'rank ' || s.rank
		UNION ALL
		SELECT s.node, s.rank, s.rank, s.node FROM stream s, ranked WHERE ranked.by_rank AND s.node = 'rank ' || s.rank
		UNION ALL
		SELECT n.unit, NULL, s.rank, n.unit
		FROM @extschema@.l4_job_units(l4_report_rows.job_id) n
		CROSS JOIN ranked
		LEFT JOIN (SELECT s.node, min(s.rank) AS rank FROM stream s GROUP BY s.node) s ON s.node = n.unit
		WHERE NOT ranked.by_rank OR NOT n.logged
	),
	ordered AS (
		SELECT u.*, array_position((SELECT s.nodes FROM suspected s), u.node) AS suspect, count(*) OVER () AS units,
			row_number() OVER (ORDER BY array_position((SELECT s.nodes FROM suspected s), u.node), u.turn, u.name COLLATE "C") AS number
		FROM unit u
	),
	placed AS (
		-- the first of the suspects have a row each, whatever comes; the others share what is left
		SELECT o.*, CASE WHEN o.units <= l4_report_rows.most OR o.number <= s.own THEN o.number
			ELSE s.own + 1 + (o.number - s.own - 1) * (l4_report_rows.most - s.own) / (o.units - s.own) END AS place
		FROM ordered o, (SELECT LEAST(count(o.suspect), l4_report_rows.most / 4) AS own FROM ordered o) s
	)
	SELECT p.node, p.rank, p.place::int,
		CASE WHEN count(*) OVER w = 1 THEN p.name
			ELSE format('%s .. %s', first_value(p.name) OVER w, last_value(p.name) OVER w) END,
		min(p.suspect) OVER w, (count(*) OVER w)::int
	FROM placed p
	WINDOW w AS (PARTITION BY p.place ORDER BY p.number ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);
END;
COMMENT ON FUNCTION @extschema@.l4_report_rows(text, text[], boolean, int) IS
'Which row of a picture each node (by_rank: each rank, as long as there are no more than most of them) of a job is in: suspects first, then by rank; where there are more than most, neighbours share a row. members: how many share it.';

CREATE FUNCTION @extschema@.l4_report_cells(job_id text, findings @extschema@.l4_finding[], most_rows int DEFAULT 40, most_columns int DEFAULT 24)
RETURNS TABLE (place int, label text, suspect int, members int, event int, nodes int, occurrences bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 500
-- where the tables were never analysed, a join with the list of streams would compare each with each
SET enable_nestloop = off
BEGIN ATOMIC
	WITH member AS MATERIALIZED (
		SELECT r.* FROM @extschema@.l4_report_rows(l4_report_cells.job_id, @extschema@.l4_report_suspects(l4_report_cells.findings), false, l4_report_cells.most_rows - 1) r
	),
	finding AS MATERIALIZED (
		SELECT f.ordinal, f.event_id, f.occurrences FROM unnest(l4_report_cells.findings) f WHERE f.kind = 'event' AND f.ordinal <= l4_report_cells.most_columns
	),
	logged AS MATERIALIZED (
		SELECT s.unit AS node, h.event_id, sum(e.occurrences) AS occurrences
		FROM @extschema@.l4_stream_event e
		JOIN @extschema@.l4_shape h ON h.shape_id = e.shape_id
		JOIN finding f ON f.event_id = h.event_id
		LEFT JOIN @extschema@.l4_job_streams(l4_report_cells.job_id) s ON s.stream_id = e.stream_id
		WHERE e.job_id = l4_report_cells.job_id
		GROUP BY s.unit, h.event_id
	),
	partly AS MATERIALIZED (
		-- events of which only some records are news (a new value, a storm): which ones, the summaries do not tell
		SELECT f.event_id FROM finding f JOIN logged l ON l.event_id = f.event_id GROUP BY f.event_id, f.occurrences HAVING sum(l.occurrences) <> f.occurrences
	),
	news AS (
		SELECT l.node, l.event_id, l.occurrences FROM logged l WHERE l.event_id NOT IN (SELECT p.event_id FROM partly p)
		UNION ALL
		SELECT n.unit, n.event_id, sum(n.occurrences)
		FROM @extschema@.l4_unexplained(l4_report_cells.job_id) n
		WHERE EXISTS (SELECT FROM partly) AND n.event_id IN (SELECT p.event_id FROM partly p)
		GROUP BY n.unit, n.event_id
	),
	placed AS (
		-- a join by sorting, whatever the planner knows
		SELECT x.event_id, x.occurrences, x.node, max(x.place) OVER (PARTITION BY x.node) AS place
		FROM (
			SELECT m.node, m.place, NULL::bigint AS event_id, NULL::numeric AS occurrences FROM member m
			UNION ALL
			SELECT n.node, NULL, n.event_id, n.occurrences FROM news n) x
	),
	cell AS (
		SELECT COALESCE(n.place, 0) AS place, f.ordinal AS event, count(*)::int AS nodes, sum(n.occurrences)::bigint AS occurrences
		FROM placed n
		JOIN finding f ON f.event_id = n.event_id
		WHERE n.place IS NOT NULL OR n.node IS NULL
		GROUP BY n.place, f.ordinal
	),
	line AS (
		SELECT DISTINCT m.place, m.place AS turn, m.label, m.suspect, m.members FROM member m
		UNION ALL
		-- after the suspects: a controller or a launcher tells of them
		SELECT 0, COALESCE((SELECT max(m.place) FROM member m WHERE m.suspect IS NOT NULL), 0), 'logs of no node', NULL, 1 WHERE EXISTS (SELECT FROM cell c WHERE c.place = 0)
	)
	SELECT (dense_rank() OVER (ORDER BY r.turn, r.place DESC))::int, r.label, r.suspect, r.members, c.event, c.nodes, c.occurrences
	FROM line r
	LEFT JOIN cell c ON c.place = r.place;
END;
COMMENT ON FUNCTION @extschema@.l4_report_cells(text, @extschema@.l4_finding[], int, int) IS
'Nodes x events: per row of l4_report_rows and event finding (its ordinal) how many of the row''s nodes log it and how often. A row without any has one line with event NULL. Logs that are of no node (a launcher''s, a controller''s) have a row after the suspects where they hold such events.';

CREATE FUNCTION @extschema@.l4_report_stops(job_id text, suspects text[], most int DEFAULT 40)
RETURNS TABLE (place int, label text, suspect int, members int, ranks bigint, first_ts timestamptz, first_stop timestamptz, last_stop timestamptz,
	stage text, first_iteration bigint, last_iteration bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 64
BEGIN ATOMIC
	WITH stream AS MATERIALIZED (
		SELECT s.unit AS node, s.rank, s.kind, s.stream_id, s.first_ts, s.last_ts, s.last_stage, s.last_iteration FROM @extschema@.l4_job_streams(l4_report_stops.job_id) s WHERE s.record_count > 0
	),
	rank AS MATERIALIZED (
		-- a rank may write several streams: it lives as long as the last of them
		SELECT s.node, s.rank, min(s.first_ts) FILTER (WHERE s.first_ts > '2000-01-01') AS first_ts,
			max(s.last_ts) FILTER (WHERE s.last_ts > '2000-01-01') AS last_ts,
			(array_agg(s.last_stage ORDER BY s.last_ts DESC NULLS LAST, s.stream_id) FILTER (WHERE s.last_stage IS NOT NULL))[1] AS stage,
			max(s.last_iteration) AS iteration
		FROM stream s
		WHERE s.node IS NOT NULL AND (s.kind = 'rank' OR NOT EXISTS (SELECT FROM stream o WHERE o.kind = 'rank'))
		GROUP BY s.node, s.rank
	)
	SELECT r.place, r.label, min(r.suspect), r.members, count(DISTINCT s.rank),
		min(s.first_ts), min(s.last_ts), max(s.last_ts),
		-- of several, the one that stopped first
		(array_agg(s.stage ORDER BY s.last_ts, s.rank) FILTER (WHERE s.stage IS NOT NULL))[1],
		min(s.iteration), max(s.iteration)
	FROM @extschema@.l4_report_rows(l4_report_stops.job_id, l4_report_stops.suspects, true, l4_report_stops.most) r
	LEFT JOIN rank s ON s.node = r.node AND (r.rank IS NULL OR s.rank = r.rank)
	GROUP BY r.place, r.label, r.members;
END;
COMMENT ON FUNCTION @extschema@.l4_report_stops(text, text[], int) IS
'Where the ranks stopped, per row of l4_report_rows: when the first and the last of its ranks ended, in which stage (the first to end) and at which iterations. Nodes without logs have a row without times.';

CREATE FUNCTION @extschema@.l4_report_spans(job_id text, suspects text[], most int DEFAULT 40)
RETURNS TABLE (place int, stage text, started_at timestamptz, ended_at timestamptz, tick boolean)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 300
BEGIN ATOMIC
	-- Summaries tell when a stream first was in a stage. Once it iterates, evaluations and checkpoints come and go: they are ticks.
	WITH stop AS MATERIALIZED (
		SELECT s.* FROM @extschema@.l4_report_stops(l4_report_spans.job_id, l4_report_spans.suspects, l4_report_spans.most) s
	),
	stream AS MATERIALIZED (
		SELECT s.unit AS node, s.rank, s.kind, s.stream_id FROM @extschema@.l4_job_streams(l4_report_spans.job_id) s WHERE s.record_count > 0
	),
	entered AS (
		SELECT r.place, e.stage, min(e.first_ts) AS started_at
		FROM (SELECT e.stream_id, e.stage, min(e.first_ts) AS first_ts FROM @extschema@.l4_stream_event e
			WHERE e.job_id = l4_report_spans.job_id AND e.stage IS NOT NULL AND e.first_ts > '2000-01-01' GROUP BY e.stream_id, e.stage) e
		JOIN stream s ON s.stream_id = e.stream_id AND (s.kind = 'rank' OR NOT EXISTS (SELECT FROM stream o WHERE o.kind = 'rank'))
		JOIN @extschema@.l4_report_rows(l4_report_spans.job_id, l4_report_spans.suspects, true, l4_report_spans.most) r
			ON r.node = s.node AND (r.rank IS NULL OR r.rank = s.rank)
		GROUP BY r.place, e.stage
	),
	marked AS (
		SELECT e.*, e.stage <> 'teardown' AND e.started_at > min(e.started_at) FILTER (WHERE e.stage = 'iterating') OVER (PARTITION BY e.place) AS tick
		FROM entered e
	)
	SELECT m.place, m.stage, m.started_at, GREATEST(m.started_at,
		LEAST(COALESCE(lead(m.started_at) OVER (PARTITION BY m.place, COALESCE(m.tick, false) ORDER BY m.started_at, m.stage), t.last_stop), t.last_stop)),
		COALESCE(m.tick, false)
	FROM marked m JOIN stop t ON t.place = m.place;
END;
COMMENT ON FUNCTION @extschema@.l4_report_spans(text, text[], int) IS
'The stages of the rows of l4_report_stops over time: each from the first of its ranks that enters it to the next stage. tick: an evaluation or checkpoint first met while iterating.';

CREATE FUNCTION @extschema@.l4_report_iterations(job_id text, suspects text[], most int DEFAULT 120)
RETURNS TABLE (bin int, first_iteration bigint, last_iteration bigint, distance double precision, threshold double precision, unusual boolean, last boolean, source text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 120
BEGIN ATOMIC
	WITH teller AS (
		-- the suspect's rank, rank 0, or whoever got furthest, as far as they mark iterations
		SELECT s.stream_id, s.source FROM @extschema@.l4_job_streams(l4_report_iterations.job_id) s
		WHERE s.kind = 'rank' AND s.last_iteration IS NOT NULL
		ORDER BY s.unit IS NOT DISTINCT FROM l4_report_iterations.suspects[1] DESC, s.rank = 0 DESC, s.last_iteration DESC, s.record_count DESC, s.stream_id
		LIMIT 1
	),
	score AS (
		SELECT d.*, t.source, (row_number() OVER (ORDER BY d.iteration) - 1) * LEAST(l4_report_iterations.most, count(*) OVER ())
				/ count(*) OVER () AS bin,
			avg(d.mean_distance) OVER () + 3 * stddev_pop(d.mean_distance) OVER () AS threshold
		FROM teller t, @extschema@.l4_iteration_scores(l4_report_iterations.job_id, t.stream_id) d
	)
	SELECT s.bin::int, min(s.iteration), max(s.iteration), max(s.mean_distance), min(s.threshold),
		bool_or(s.unusual), bool_or(s.last), min(s.source)
	FROM score s
	GROUP BY s.bin;
END;
COMMENT ON FUNCTION @extschema@.l4_report_iterations(text, text[], int) IS
'Distances of the iterations of one rank''s stream (the first suspect''s, else rank 0''s, else the one that got furthest) in at most so many bins: the largest mean distance to the ten before, the paper''s threshold (mean and three standard deviations), whether one is unusual by the robust rule, whether the last is in it. Reads that stream''s file.';

CREATE FUNCTION @extschema@.l4_report_checkpoints(job_id text, suspects text[])
RETURNS TABLE (saved_at timestamptz, iteration bigint, source text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 20
BEGIN ATOMIC
	-- All ranks save together, or one does for all: the stream that tells most of saving is read. Summaries tell when it first did.
	WITH teller AS MATERIALIZED (
		SELECT s.stream_id, s.source_id, s.source
		FROM (SELECT e.stream_id, sum(e.occurrences) AS records FROM @extschema@.l4_stream_event e
			WHERE e.job_id = l4_report_checkpoints.job_id AND e.stage = 'checkpoint_save' GROUP BY e.stream_id) e
		JOIN @extschema@.l4_stream s ON s.job_id = l4_report_checkpoints.job_id AND s.stream_id = e.stream_id
		WHERE s.byte_count < 256 * 1024 * 1024
		ORDER BY s.kind = 'rank' DESC, s.node IS NOT DISTINCT FROM l4_report_checkpoints.suspects[1] DESC, e.records DESC, s.stream_id
		LIMIT 1
	),
	record AS (
		SELECT t.source, r.stage, COALESCE(r.ts, max(r.ts) OVER w) AS ts, max(r.iteration) OVER w AS iteration,
			lag(r.stage) OVER w AS stage_before
		FROM teller t
		JOIN @extschema@.l4_segment g ON g.job_id = l4_report_checkpoints.job_id AND g.source_id = t.source_id
		CROSS JOIN LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids, false) r
		WHERE r.stream_id = t.stream_id AND r.stage IS NOT NULL
		WINDOW w AS (ORDER BY r.line_no, r.part)
	)
	SELECT min(r.ts), r.iteration, min(r.source)
	FROM record r
	WHERE r.stage = 'checkpoint_save' AND r.stage_before IS DISTINCT FROM 'checkpoint_save' AND r.ts > '2000-01-01'
	GROUP BY r.iteration, CASE WHEN r.iteration IS NULL THEN r.ts END;
END;
COMMENT ON FUNCTION @extschema@.l4_report_checkpoints(text, text[]) IS
'When a job began to save checkpoints, and after which iteration, as one stream tells (a rank''s, rather the first suspect''s). No row where none does. Reads that stream''s file.';

CREATE FUNCTION @extschema@.l4_report_last_save(job_id text, findings @extschema@.l4_finding[]) RETURNS TABLE (saved_at timestamptz, iteration bigint, iterations_lost bigint)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	-- The last that began before the failure did; where the failure is one of saving, the one before.
	SELECT c.saved_at, c.iteration, i.iteration - c.iteration
	FROM @extschema@.l4_report_checkpoints(l4_report_last_save.job_id, @extschema@.l4_report_suspects(l4_report_last_save.findings)) c
	LEFT JOIN unnest(l4_report_last_save.findings) i ON i.kind = 'iteration' AND i.ordinal = 1
	LEFT JOIN unnest(l4_report_last_save.findings) s ON s.kind = 'stage' AND s.ordinal = 1
	WHERE COALESCE(c.saved_at <= s.first_seen, c.iteration < i.iteration, true)
	ORDER BY c.saved_at DESC
	LIMIT 1 OFFSET (SELECT count(*) FROM unnest(l4_report_last_save.findings) f WHERE f.kind = 'stage' AND f.ordinal = 1 AND f.stage = 'checkpoint_save');
END;
COMMENT ON FUNCTION @extschema@.l4_report_last_save(text, @extschema@.l4_finding[]) IS
'The last checkpoint that a job began to save before its failure began: when, after which iteration, and how many iterations before. No row where none is known. Whether it was completed the logs may not tell.';

CREATE FUNCTION @extschema@.l4_report_context(job_id text, findings @extschema@.l4_finding[], most int DEFAULT 10)
RETURNS TABLE (place int, told_by text, source text, line_no bigint, part int, quoted boolean, raw text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 50
BEGIN ATOMIC
	WITH quote AS (
		-- the lines that findings quote, what tells most first: the beginning of each kind, then the rest
		SELECT f.kind || ' ' || f.ordinal AS name, m.match[1] AS source, m.match[2]::bigint AS line_no,
			row_number() OVER (ORDER BY q.number > 2, f.ordinal, array_position(ARRAY['node', 'fault', 'event', 'stage'], f.kind), q.number) AS turn
		FROM unnest(l4_report_context.findings) f,
			LATERAL string_to_table(f.evidence, E'\n') WITH ORDINALITY q (line, number),
			LATERAL regexp_match(q.line, '^(.+?):(\d{1,18}): ') m (match)
		WHERE f.ordinal <= CASE f.kind WHEN 'stage' THEN 1 WHEN 'event' THEN 5 ELSE 3 END
	),
	wanted AS MATERIALIZED (
		SELECT s.source_id, q.source, q.line_no, min(q.turn) AS turn, array_agg(q.name ORDER BY q.turn) AS names
		FROM quote q
		JOIN @extschema@.l4_stream s ON s.job_id = l4_report_context.job_id AND s.source = q.source AND s.label IS NULL
		GROUP BY s.source_id, q.source, q.line_no
		ORDER BY 4 LIMIT 3 * l4_report_context.most
	),
	record AS MATERIALIZED (
		SELECT g.source_id, r.line_no, r.part, r.raw, row_number() OVER (PARTITION BY g.source_id ORDER BY r.line_no, r.part) AS number
		FROM @extschema@.l4_segment g
		CROSS JOIN LATERAL @extschema@.l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r
		WHERE g.job_id = l4_report_context.job_id
			AND EXISTS (SELECT FROM wanted w WHERE w.source_id = g.source_id AND w.line_no BETWEEN g.first_line - 30 AND g.last_line + 30)
	),
	target AS (
		-- the record a line is of; several records may begin on it
		SELECT n.source_id, n.source, n.number, min(n.turn) AS turn,
			string_agg(n.name, ', ' ORDER BY n.turn) AS names
		FROM (SELECT DISTINCT ON (w.source_id, r.number, n.name) w.source_id, w.source, r.number, w.turn, n.name,
				dense_rank() OVER (PARTITION BY n.name ORDER BY w.turn) AS again
			FROM wanted w
			CROSS JOIN LATERAL (SELECT r.number FROM record r WHERE r.source_id = w.source_id AND r.line_no <= w.line_no ORDER BY r.number DESC LIMIT 1) r
			CROSS JOIN LATERAL unnest(w.names) n (name)
			ORDER BY w.source_id, r.number, n.name, w.turn) n
		GROUP BY n.source_id, n.source, n.number
		-- one place a finding, but the pieces of evidence against a node differ
		HAVING bool_or(n.again <= CASE WHEN n.name LIKE 'node %' THEN 3 ELSE 1 END)
		ORDER BY 4 LIMIT l4_report_context.most
	)
	SELECT (dense_rank() OVER (ORDER BY t.turn))::int, t.names, t.source, r.line_no, r.part, r.number = t.number, r.raw
	FROM target t
	JOIN record r ON r.source_id = t.source_id AND r.number BETWEEN t.number - 3 AND t.number + 2;
END;
COMMENT ON FUNCTION @extschema@.l4_report_context(text, @extschema@.l4_finding[], int) IS
'The records that findings quote (at most so many places), each with three records before and two after it in its file. told_by: the findings that quote it. Opens the segments that hold these lines.';

CREATE FUNCTION @extschema@.l4_report_resembling(job_id text, findings @extschema@.l4_finding[], most int DEFAULT 3)
RETURNS TABLE (place bigint, similar_job_id text, score double precision, told text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 3
BEGIN ATOMIC
	SELECT row_number() OVER (ORDER BY r.score DESC, r.similar_job_id COLLATE "C"), r.similar_job_id, r.score,
		format('%s (%s %% alike)%s%s.', r.similar_job_id, round(100 * r.score),
			COALESCE(': ' || rtrim(COALESCE(r.root_cause, NULLIF(concat_ws('/', r.root_cause_category, r.root_cause_subtype), '')), '.'), ': no report says why'),
			COALESCE('; fix: ' || rtrim(r.fix, '.'), ''))
	FROM @extschema@.l4_resembling_failures(l4_report_resembling.job_id, l4_report_resembling.findings, true, l4_report_resembling.most) r
	WHERE r.score >= 0.4;
END;
COMMENT ON FUNCTION @extschema@.l4_report_resembling(text, @extschema@.l4_finding[], int) IS
'Failures of the past whose saved diagnoses are like this one (a score of at least 0.4, see l4_similar_failures), most alike first, with what their reports say.';
