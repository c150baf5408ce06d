-- l4_flow_report: what is in the page, what comes from outside stays text, pictures of bounded size, the same page for
-- everybody.
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
SET timezone = 'UTC';
-- Two jobs, rings of five and of three servers with two network interfaces each; a link of the first is slow from step 20 on.
CREATE TABLE ring_flows AS
SELECT '2026-01-01'::timestamptz + make_interval(secs => (0.9 + job * 0.2) * step + 0.8
		+ 0.0005 * ((s + step * 3) % 5)) AS started_at,
	CASE WHEN job = 0 AND rail = 1 AND s = 2 AND step >= 20 THEN 0.04 ELSE 0.02 END AS duration,
	format('10.%s.%s.%s', rail, job, s) AS source, format('10.%s.%s.%s', rail, job, s % n + 1) AS destination,
	500000000 AS bytes, ARRAY['leaf-' || rail] AS switches
FROM (VALUES (0, 5), (1, 3)) j(job, n), generate_series(0, 40) step, generate_series(1, 5) s, generate_series(1, 2) rail
WHERE s <= n;
CREATE TABLE ring_accelerators AS
SELECT DISTINCT source AS address, CASE WHEN source LIKE '%.0.2' THEN '<script>alert(1)</script>&"' ELSE 'server-'
	|| split_part(source, '.', 3) || split_part(source, '.', 4) END AS server FROM ring_flows;
CREATE TEMP TABLE page AS
SELECT l4_flow_report(flows => 'ring_flows', accelerators => 'ring_accelerators', generated_at => NULL) AS html;
SELECT xml_is_well_formed_document(html), html ~* '<script|<link|<img|javascript:|url\(' AS loads_or_runs_anything,
	html LIKE '%&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;%' AS escaped FROM page;
SELECT heading FROM page, xmltable(XMLNAMESPACES ('http://www.w3.org/1999/xhtml' AS h), '//h:h1|//h:h2'
	PASSING xmlparse(document html) COLUMNS heading text PATH 'normalize-space(.)');
SELECT note FROM page, xmltable(XMLNAMESPACES ('http://www.w3.org/1999/xhtml' AS h), '//h:p'
	PASSING xmlparse(document html) COLUMNS note text PATH 'normalize-space(.)');
SELECT finding FROM page, xmltable(XMLNAMESPACES ('http://www.w3.org/1999/xhtml' AS h), '//h:li'
	PASSING xmlparse(document html) COLUMNS finding text PATH 'normalize-space(text()[1])');
SELECT cells FROM page, xmltable(XMLNAMESPACES ('http://www.w3.org/1999/xhtml' AS h), '//h:tr'
	PASSING xmlparse(document html) COLUMNS cells text PATH 'concat(*[1], " | ", *[2], " | ", *[3], " | ", *[4])');
-- of each picture its rows, spans, suspects and marks
SELECT title, rows, computing, data, suspects, marks FROM page, xmltable(XMLNAMESPACES ('http://www.w3.org/1999/xhtml' AS h),
	'//h:svg' PASSING xmlparse(document html) COLUMNS title text PATH 'h:title', rows int PATH 'count(h:rect)',
	computing int PATH 'count(h:path[@class="iterating"])', data int PATH 'count(h:path[@class="evaluation"])',
	suspects int PATH 'count(h:text[@class="sus"])', marks int PATH 'count(h:g)');
-- a finding stands upright where it began, and below the row of each that it names for as long as it lasts
SELECT upright, long, title FROM page, xmltable(XMLNAMESPACES ('http://www.w3.org/1999/xhtml' AS h), '//h:g/h:line'
	PASSING xmlparse(document html) COLUMNS upright boolean PATH '@x1 = @x2', long numeric PATH 'round(@x2 - @x1)',
	title text PATH '../h:title');
-- what lies outside of its picture is not drawn, and nothing has a negative length
SELECT count(*) AS spans, count(*) FILTER (WHERE s[1]::numeric < 212 OR s[1]::numeric + s[2]::numeric > 1008.2
	OR s[2]::numeric < 0) AS astray FROM page, regexp_matches(html, 'M([\d.-]+) \d+h([\d.-]+)v12', 'g') s;
-- one job; the same for every reader; when it was made
SELECT count(*) AS pictures FROM regexp_matches(l4_flow_report(job => 2, flows => 'ring_flows',
	accelerators => 'ring_accelerators'), '<svg', 'g');
SET timezone = 'Asia/Kolkata';
SELECT l4_flow_report(flows => 'ring_flows', accelerators => 'ring_accelerators', generated_at => NULL) = html AS same
FROM page;
SET timezone = 'UTC';
SELECT substring(l4_flow_report(flows => 'ring_flows', accelerators => 'ring_accelerators',
	generated_at => '2026-01-02 03:04:05+00') FROM '<footer>.*</footer>');
-- of many accelerators some are shown, those that findings name among them
CREATE TABLE wide_flows AS
SELECT started_at, CASE WHEN split_part(source, '.', 4)::int = 2 AND started_at > '2026-01-01 00:00:18+00'
	THEN 0.04 ELSE 0.02 END AS duration, source, destination, bytes, switches
FROM (SELECT '2026-01-01'::timestamptz + make_interval(secs => 0.2 * step + 0.05
			+ 0.0003 * ((s + step * 3) % 5)) AS started_at, '10.1.0.' || s AS source, '10.1.0.' || s % 120 + 1 AS destination,
		500000000 AS bytes, NULL::text[] AS switches
	FROM generate_series(0, 200) step, generate_series(1, 120) s) f;
SELECT (regexp_match(html, 'The picture shows [^<]*'))[1], html LIKE '%10.1.0.2: suspect 1%' AS suspect_shown,
	length(html) < 200000 AS small
FROM l4_flow_report(flows => 'wide_flows', accelerators => NULL) html;
-- a job without steps; a group is named with all its members
CREATE TABLE stepless_flows AS
SELECT '2026-01-01'::timestamptz + make_interval(secs => 0.0036 * (n * n * 31 % 9973)) AS started_at, 0.001 AS duration,
	'10.1.0.' || s AS source, '10.1.0.' || s % 3 + 1 AS destination, 90000000 AS bytes
FROM generate_series(1, 700) n, generate_series(1, 3) s;
SELECT (regexp_match(html, '3 accelerators on [^.]*'))[1]
FROM l4_flow_report(flows => 'stepless_flows', accelerators => NULL) html;
CREATE TABLE group_flows AS
SELECT '2026-01-01'::timestamptz + make_interval(secs => 0.9 * step + 0.8 + 0.0005 * ((s + step * 3) % 5)) AS started_at,
	CASE WHEN rail = 2 AND step >= 20 THEN 0.04 ELSE 0.02 END AS duration, format('10.%s.0.%s', rail, s) AS source,
	format('10.%s.0.%s', rail, s % 5 + 1) AS destination, 500000000 AS bytes
FROM generate_series(0, 40) step, generate_series(1, 5) s, generate_series(1, 3) rail;
CREATE TABLE group_accelerators AS
SELECT DISTINCT source AS address, 'server-' || split_part(source, '.', 4) AS server FROM group_flows;
SELECT count(*) AS suspects FROM regexp_matches(l4_flow_report(flows => 'group_flows', accelerators => 'group_accelerators'),
	'class="sus"', 'g');
-- Two stages on two servers each: the strip of what is sent along the pipeline begins with the first message of each step.
CREATE TABLE piped_flows AS
SELECT '2026-01-01'::timestamptz + make_interval(secs => step + m * 0.1 + 0.05 + way * 0.3 + col * 0.004 * ((step + m) % 3))
		AS started_at, 0.04 AS duration, format('10.1.0.%s', 1 + way * 2 + col) AS source,
	format('10.1.0.%s', 3 - way * 2 + col) AS destination, 30000000 AS bytes
FROM generate_series(1, 30) step, generate_series(0, 2) m, generate_series(0, 1) way, generate_series(0, 1) col
UNION ALL
SELECT '2026-01-01'::timestamptz + make_interval(secs => step + 0.85), 0.03, format('10.1.0.%s', 1 + stage * 2 + col),
	format('10.1.0.%s', 2 + stage * 2 - col), 900000000
FROM generate_series(1, 30) step, generate_series(0, 1) stage, generate_series(0, 1) col;
CREATE TEMP TABLE piped AS
SELECT html FROM l4_flow_report(flows => 'piped_flows', accelerators => NULL, generated_at => NULL) html;
SELECT (regexp_match(html, 'Light is computing[^<]*'))[1] FROM piped;
WITH strip AS (
	SELECT row_number() OVER () AS row, d FROM piped, xmltable(XMLNAMESPACES ('http://www.w3.org/1999/xhtml' AS h),
		'//h:path[@class="model_build"]' PASSING xmlparse(document html) COLUMNS d text PATH '@d')
)
SELECT row, count(*) AS steps, min(m[2]::int) AS y, round(avg(m[3]::numeric), 1) AS long, round(min(m[1]::numeric), 1) AS first
FROM strip, regexp_matches(d, 'M([\d.]+) (\d+)h([\d.]+)v3', 'g') m GROUP BY row ORDER BY row;
-- the groups that findings name stand before others, and some are left out
WITH part AS (
	SELECT m[1] AS kind, m[2] AS number, row_number() OVER (ORDER BY n) AS place
	FROM regexp_matches(l4_flow_report_groups_html(
		ARRAY(SELECT t FROM l4_flow_traces('2026-01-01', '2026-01-02', 'ring_flows', NULL, 'ring_accelerators',
			l4_limits_in_force()) t),
		ARRAY[ROW(1, 'stalled', '10.2.0.4', 0, NULL, NULL, 1, '{}')::l4_flow_finding], 1, l4_limits_in_force(), 3),
		'"row">(\w+) (\d+)<', 'g') WITH ORDINALITY m(m, n)
)
SELECT kind, string_agg(number, ', ' ORDER BY place) FROM part GROUP BY kind ORDER BY kind COLLATE "C";
-- no flows, no job; what cannot be
SELECT substring(l4_flow_report('2025-01-01', '2025-01-02', generated_at => NULL) FROM '<main>.*</main>');
SELECT l4_flow_report('2026-01-01 00:00:05', '2026-01-01 00:00:04');
SELECT l4_flow_report(flows => 'page');
DROP TABLE ring_flows, ring_accelerators, wide_flows, stepless_flows, group_flows, group_accelerators, piped_flows;
