/* Where a report leads to, and when it was made. */

CREATE FUNCTION @extschema@.l4_url_part(word text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE STRICT COST 50
BEGIN ATOMIC
	SELECT COALESCE(string_agg(CASE WHEN c.letter COLLATE "C" ~ '^[a-zA-Z0-9_.~-]$' THEN c.letter
		ELSE regexp_replace(upper(encode(convert_to(c.letter, CASE getdatabaseencoding() WHEN 'SQL_ASCII' THEN 'SQL_ASCII'
			ELSE 'UTF8' END), 'hex')), '(..)', '%\1', 'g') END, '' ORDER BY c.place), '')
	FROM string_to_table(l4_url_part.word, NULL) WITH ORDINALITY c (letter, place);
END;
COMMENT ON FUNCTION @extschema@.l4_url_part(text) IS
'Step: A text as part of a URL: all but letters, digits and _ . ~ - as %XX.';

CREATE FUNCTION @extschema@.l4_report_links(job_id text, node text DEFAULT NULL)
RETURNS TABLE (place bigint, name text, url text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 3
BEGIN ATOMIC
	WITH template AS MATERIALIZED (
		SELECT l.name, l.url, l.priority FROM @extschema@.l4_link_in_force l
		WHERE (l.url LIKE '%{node}%') = (l4_report_links.node IS NOT NULL)
	),
	-- asked only where there are links
	span AS MATERIALIZED (
		SELECT round(@extschema@.l4_seconds_between(timestamptz 'epoch', j.started_at) * 1000)::numeric::text AS begins,
			round(@extschema@.l4_seconds_between(timestamptz 'epoch', j.ended_at) * 1000)::numeric::text AS ends
		FROM @extschema@.l4_facts_of_job(l4_report_links.job_id) j WHERE EXISTS (SELECT FROM template)
	),
	filled AS (
		-- what is put in has no braces any more
		SELECT t.name, t.priority, replace(replace(
			CASE WHEN t.url LIKE '%{from}%' THEN replace(u.url, '{from}', s.begins) ELSE u.url END,
			'{node}', COALESCE(@extschema@.l4_url_part(l4_report_links.node), '')),
			'{job}', @extschema@.l4_url_part(l4_report_links.job_id)) AS url
		FROM template t LEFT JOIN span s ON true
		CROSS JOIN LATERAL (SELECT CASE WHEN t.url LIKE '%{to}%' THEN replace(t.url, '{to}', s.ends) ELSE t.url END AS url) u
	)
	SELECT row_number() OVER (ORDER BY f.priority, f.name COLLATE "C"), f.name, f.url FROM filled f WHERE f.url IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_report_links(text, text) IS
'Step: The links of the site (l4_link) for a job, or, where a node is given, those that are about a node. One whose parts '
'are not known is left out.';

CREATE FUNCTION @extschema@.l4_report_links_html(job_id text, node text DEFAULT NULL) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT string_agg(format('<a href="%s" rel="noreferrer">%s</a>', @extschema@.l4_html_escape(l.url),
		@extschema@.l4_html_escape(l.name)), ' &#183; ' ORDER BY l.place)
	FROM @extschema@.l4_report_links(l4_report_links_html.job_id, l4_report_links_html.node) l;
END;
COMMENT ON FUNCTION @extschema@.l4_report_links_html(text, text) IS
'Step: l4_report_links as HTML; NULL where there is none.';

CREATE FUNCTION @extschema@.l4_report_all_links(job_id text, findings @extschema@.l4_finding[])
RETURNS TABLE (place bigint, name text, url text)
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 5
BEGIN ATOMIC
	SELECT row_number() OVER (ORDER BY u.ordinal, l.place), concat_ws(', ', l.name, u.node), l.url
	FROM (
		SELECT 0 AS ordinal, NULL::text AS node
		UNION ALL
		SELECT f.ordinal, f.node FROM unnest(l4_report_all_links.findings) f
		WHERE f.kind = 'node' AND f.ordinal <= 3 AND f.node IS NOT NULL) u
	CROSS JOIN LATERAL @extschema@.l4_report_links(l4_report_all_links.job_id, u.node) l;
END;
COMMENT ON FUNCTION @extschema@.l4_report_all_links(text, @extschema@.l4_finding[]) IS
'Step: l4_report_links of a job and of its first suspects.';

CREATE FUNCTION @extschema@.l4_report_written(generated_at timestamptz, made_of text DEFAULT 'the logs of the job')
	RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN 'Written by l4'
	|| COALESCE(' ' || (SELECT e.extversion FROM pg_extension e WHERE e.extname = 'l4' AND generated_at IS NOT NULL), '')
	|| COALESCE(' at ' || @extschema@.l4_time_text(generated_at), '') || ' from ' || made_of
	|| '. Times are in UTC.';
COMMENT ON FUNCTION @extschema@.l4_report_written(timestamptz, text) IS
'Step: By which version and when a report was made, NULL leaves both out; and of what.';
