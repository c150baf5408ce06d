-- l4_report: the three formats over a small job, what comes from a log stays text, the page is well-formed, and the errors.
\getenv abs_srcdir PG_ABS_SRCDIR
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
SET timezone = 'UTC';
\set small :abs_srcdir '/data/small'
SELECT l4_register_job('good', '{"model": "m", "framework": "f"}', 'succeeded', '{node-a,node-b}', 2) \g /dev/null
SELECT l4_register_job('small', '{"model": "m", "framework": "f"}', 'failed', '{node-a,node-b}', 2, '2026-11-20 22:00+00')
	\g /dev/null
CALL l4_import('small', :'small');

SELECT l4_report('small', generated_at => NULL);
SELECT l4_report('small', 'markdown', NULL);
-- the same words and pictures whatever the reader's time zone
CREATE TEMP TABLE report_utc AS SELECT f.format, l4_report('small', f.format, NULL) AS text
	FROM (VALUES ('text'), ('markdown'), ('html')) f (format);
SET timezone = 'Asia/Kolkata';
SELECT u.format, l.line FROM report_utc u, LATERAL (SELECT string_to_table(l4_report('small', u.format, NULL), E'\n') AS line
	EXCEPT SELECT string_to_table(u.text, E'\n')) l;
SET timezone = 'UTC';
SELECT max(length(line)) <= 100 AS fits FROM string_to_table(l4_report('small'), E'\n') line;
SELECT xml_is_well_formed_document(l4_report('small', 'html')) AS well_formed,
	length(l4_report('small', 'html')) < 500000 AS small;
-- the parts of the page
SELECT heading FROM xmltable(XMLNAMESPACES ('http://www.w3.org/1999/xhtml' AS h), '//h:h1|//h:h2'
	PASSING xmlparse(document l4_report('small', 'html')) COLUMNS heading text PATH 'normalize-space(.)');
SELECT html ~* '<script|<link|<img|<iframe|javascript:|@import|url\(' AS loads_or_runs_anything, html ~ '<svg' AS pictures,
	html ~ 'prefers-color-scheme: dark' AS dark, html ~ '@media print' AS print
FROM l4_report('small', 'html') html;
-- only what a page without scripts needs: these elements and attributes, links to places that are there, ids once, sizes that
-- are numbers, braces that close
CREATE FUNCTION pg_temp.check_page(html text) RETURNS TABLE (what text, names text) LANGUAGE sql AS $$
	WITH page AS (SELECT xmlparse(document html) AS p),
	element AS (SELECT e.* FROM page, xmltable('//*' PASSING p COLUMNS name text PATH 'name(.)') e),
	attribute AS (SELECT a.* FROM page, xmltable('//@*' PASSING p COLUMNS name text PATH 'name(.)', value text PATH '.',
		element text PATH 'name(..)') a)
	SELECT 'elements', string_agg(DISTINCT name, ' ' ORDER BY name) FROM element
	UNION ALL SELECT 'attributes', string_agg(DISTINCT name, ' ' ORDER BY name) FROM attribute
	UNION ALL SELECT 'links astray', string_agg(value, ' ' ORDER BY value)
	FROM attribute a WHERE name IN ('href', 'src') AND value !~ '^https://' AND NOT EXISTS (
		SELECT FROM attribute i WHERE i.name = 'id' AND '#' || i.value = a.value)
	UNION ALL SELECT 'names astray', string_agg(value, ' ' ORDER BY value)
	FROM attribute a WHERE name IN ('aria-labelledby', 'aria-describedby') AND NOT EXISTS (SELECT FROM attribute i
		WHERE i.name = 'id' AND i.value = a.value AND i.element IN ('title', 'desc'))
	UNION ALL SELECT 'pictures without a name, heads without a scope', string_agg(e.name, ' ' ORDER BY e.name)
	FROM (SELECT e.name FROM page, xmltable('//*[local-name()="svg" and not(@aria-labelledby) or local-name()="th"
		and not(@scope)]' PASSING p COLUMNS name text PATH 'name(.)') e) e
	UNION ALL SELECT 'ids twice', string_agg(value, ' ' ORDER BY value)
	FROM (SELECT value FROM attribute WHERE name = 'id' GROUP BY value HAVING count(*) > 1) i
	UNION ALL SELECT 'odd sizes', string_agg(name || '=' || value, ' ' ORDER BY name, value) FROM attribute
		WHERE element <> 'meta' AND (name IN ('x', 'y', 'x1', 'x2', 'y1', 'y2') AND value !~ '^-?\d+(\.\d+)?$'
			OR name IN ('width', 'height', 'opacity') AND value !~ '^\d+(\.\d+)?$')
	UNION ALL SELECT 'style', CASE WHEN length(replace(css, '{', '')) = length(replace(css, '}', '')) THEN 'closed'
		ELSE 'open' END FROM substring(html, '<style>(.*?)</style>') css $$;
SELECT * FROM pg_temp.check_page(l4_report('small', 'html'));
-- what only follows is folded and has neither cause nor fix
SELECT summary, items, fixes FROM xmltable(XMLNAMESPACES ('http://www.w3.org/1999/xhtml' AS h), '//h:details'
	PASSING xmlparse(document l4_report('small', 'html')) COLUMNS summary text PATH 'normalize-space(h:summary)',
	items int PATH 'count(h:ol/h:li|h:table/h:tbody/h:tr)', fixes int PATH 'count(.//h:b[starts-with(., "Fix")])');
-- what speaks against a suspect comes last, and as such
SELECT r.* FROM l4_report_reason_list(ARRAY(SELECT jsonb_populate_record(NULL::l4_finding, f) FROM jsonb_array_elements('[
	{"kind": "node", "ordinal": 1, "node": "n1", "facts": {"reasons": [
		{"kind": "accused", "numbers": {"accusers": 2, "name": "10.0.0.1", "names_others": true}},
		{"kind": "first", "numbers": {"gist": "bad <*>", "units": 4, "units_alike": 2, "before_others": true}},
		{"kind": "own", "numbers": {"gist": "worse", "units": 4, "units_alike": 1, "before_others": false}},
		{"kind": "own", "numbers": {"gist": "worst", "units": 4, "units_alike": 1, "before_others": false}},
		{"kind": "forest", "numbers": {"place": 3, "score": 0.6}}]}}, {"kind": "fault", "ordinal": 1,
	"fault_key": "host_oom", "role": "root", "nodes_affected": 4, "facts": {"units": 4}}]') f)) r;
SELECT * FROM l4_report_reason_list(ARRAY[jsonb_populate_record(NULL::l4_finding,
	'{"kind": "node", "ordinal": 1, "node": "n1", "explanation": "Said before there were facts."}')]);
SELECT action, target, advice, finding_kind, finding_ordinal FROM l4_restart_advice('small');

-- whatever a log, a name or a fault says stays text
BEGIN;
INSERT INTO l4_event (event_id, template)
VALUES (1, '</style></svg><script>alert(1)</script> & "quoted" ''single''' || E'\x1b[31m \t\u202E');
INSERT INTO l4_shape (shape_id, shape, event_id) VALUES (1, '<script>alert(1)</script> failed', 1);
INSERT INTO l4_job (job_id, settings, status, nodes)
VALUES ('<b>job</b>', '{"model": "<i>m</i>]]>"}', 'failed', '{"<img src=x>","a\"b","`c` | _d_",e,f}');
INSERT INTO l4_stream (job_id, stream_id, source_id, file_id, source, kind, node, rank, record_count, first_ts,
	last_ts, last_stage)
SELECT '<b>job</b>', i, i, i, '<u>' || i || '</u>', 'rank', (ARRAY['<img src=x>', 'a"b', '`c` | _d_', 'e', 'f'])[i], i - 1, 10,
	'2026-01-01', '2026-01-01 00:10', 'iterating' FROM generate_series(1, 5) i;
INSERT INTO l4_source_counts VALUES ('<b>job</b>', 1, 1, l4_pack_counts('{1}', '{1}', '{3}', '{1}', '{3}', '{2026-01-01}',
	'{2026-01-01 00:10}', '{NULL}', '{NULL}', '{fatal}', '{NULL}', '{iterating}'));
-- a segment that nothing opens: without any, the text of the logs was dropped
INSERT INTO l4_segment VALUES ('<b>job</b>', 1, 1, 1000000, 1000000, 1, '2026-01-01', '2026-01-01', 0, '{1}',
	'{1}', '', '', '');
SELECT l4_report('<b>job</b>', 'html') AS html, l4_report('<b>job</b>') AS text, l4_report('<b>job</b>', 'markdown') AS markdown
	\gset
SELECT xml_is_well_formed_document(:'html') AS well_formed, :'html' ~* '<(script|b>job|img|i>|u>)' AS escaped_out,
	:'html' ~ '&lt;/style&gt;&lt;/svg&gt;&lt;script&gt;alert\(1\)&lt;/script&gt; &amp; &quot;quoted' AS stays_text;
SELECT :'html' ~ E'[\x01-\x08\x0b-\x1f\x7f]' OR :'text' ~ E'[\x01-\x09\x0b-\x1f\x7f]'
	OR :'markdown' ~ E'[\x01-\x08\x0b-\x1f\x7f]' AS control_characters;
SELECT * FROM pg_temp.check_page(:'html') WHERE what IN ('elements', 'attributes');
SELECT line FROM string_to_table(:'markdown', E'\n') line WHERE line ~ 'script|img' ORDER BY line COLLATE "C" LIMIT 3;
-- these checks notice when nothing is escaped any more
CREATE OR REPLACE FUNCTION l4_html_escape(message text) RETURNS text LANGUAGE sql IMMUTABLE STRICT RETURN message;
SELECT xml_is_well_formed_document(html) AS well_formed, html ~* '<(script|b>job|img|i>|u>)' AS escaped_out
FROM l4_report('<b>job</b>', 'html') html;
ROLLBACK;

-- a job of many nodes: pictures have at most 40 rows
BEGIN;
INSERT INTO l4_job (job_id, status, nodes, ranks_per_node) SELECT 'wide', 'failed',
	array_agg(format('node-%s', lpad(i::text, 4, '0')) ORDER BY i), 8 FROM generate_series(0, 511) i;
INSERT INTO l4_stream (job_id, stream_id, source_id, file_id, source, kind, node, rank, record_count, first_ts, last_ts,
	last_stage, last_iteration)
SELECT 'wide', r, r, r, 'rank-' || r, 'rank', format('node-%s', lpad((r / 8)::text, 4, '0')), r, 1, '2026-01-01',
	'2026-01-01 01:00', 'iterating', 7 FROM generate_series(0, 4095) r;
SELECT count(*) AS nodes, count(DISTINCT place) AS rows, min(members), max(members)
FROM l4_report_rows('wide', '{node-0300,node-0007}');
SELECT place, label, suspect, members FROM l4_report_rows('wide', '{node-0300,node-0007}') WHERE place IN (1, 2, 3, 40)
GROUP BY 1, 2, 3, 4 ORDER BY 1;
SELECT count(*), sum(ranks), min(stage), min(first_iteration) FROM l4_report_stops('wide', '{node-0300}');
-- and the page of a diagnosis that found a lot on 4,096 ranks stays small
INSERT INTO l4_event (event_id, template) SELECT 900000 + e,
	'collective operation <*> of rank <*> failed in a way of its own, number ' || e FROM generate_series(1, 30) e;
INSERT INTO l4_shape (shape_id, shape, event_id) SELECT event_id, template, event_id
FROM l4_event WHERE event_id BETWEEN 900001 AND 900030;
INSERT INTO l4_source_counts
SELECT 'wide', r, count(*), l4_pack_counts(array_agg(r::bigint), array_agg(900000 + e::bigint), array_agg(1::bigint),
	array_agg(1::bigint), array_agg(1::bigint), array_agg(timestamptz '2026-01-01 00:59'),
	array_agg(timestamptz '2026-01-01 01:00'), array_agg(7::bigint), array_agg(7::bigint), array_agg('error'::text),
	array_agg(NULL::text), array_agg('iterating'::text))
FROM generate_series(0, 4095) r, generate_series(1, 30) e WHERE r % e = 0 GROUP BY r;
-- as an import does at its end
ANALYZE l4_stream, l4_source_counts, l4_shape, l4_event;
CREATE TEMP TABLE found AS
SELECT array_agg(jsonb_populate_record(NULL::l4_finding, f) ORDER BY f ->> 'kind', (f ->> 'ordinal')::int) AS findings
FROM (
	SELECT jsonb_build_object('kind', 'event', 'ordinal', e, 'event_id', 900000 + e, 'template',
		'collective operation <*> of rank <*> failed in a way of its own, number ' || e, 'occurrences', 4096 / e,
		'nodes_affected', 512, 'node', 'node-0300', 'explanation', repeat('Root: on many nodes, first on one of them. ', 4),
		'role', 'root',
		'evidence', (SELECT string_agg(format('rank-%s:1: %s', q, repeat('text ', 60)), E'\n') FROM generate_series(1, 3) q))
		AS f FROM generate_series(1, 30) e
	UNION ALL
	SELECT jsonb_build_object('kind', 'node', 'ordinal', n, 'node', format('node-%s', lpad((n * 7)::text, 4, '0')),
		'explanation', 'Suspect node: ' || repeat('a reason among many; ', 10) || 'the last.')
	FROM generate_series(1, 512 / 7) n) x;
SELECT length(page) BETWEEN 50000 AND 500000 AS bounded, xml_is_well_formed_document(page) AS well_formed,
	CASE WHEN length(page) > 500000 THEN length(page) END AS bytes
FROM found, l4_report_html('wide', findings) page;
SELECT max(length(line)) <= 100 AS fits FROM found, string_to_table(l4_report_text('wide', findings), E'\n') line;
ROLLBACK;

-- the headline: a fault that shows on the suspect alone, unless it only follows from a failure; else the first reason, without
-- brackets; else the fault of all
SELECT f.fault, l4_report_verdict(ARRAY(SELECT jsonb_populate_record(NULL::l4_finding, x)
	FROM jsonb_array_elements(jsonb_build_array(
	jsonb_build_object('kind', 'fault', 'ordinal', 1, 'fault_key', f.fault, 'node', 'n1', 'nodes_affected', f.nodes,
		'explanation', 'Known user fault'),
	jsonb_build_object('kind', CASE WHEN f.suspect THEN 'node' ELSE 'stage' END, 'ordinal', 1, 'node', 'n1',
		'facts', '{"unit": "n1", "reasons": [{"kind": "counter", "numbers": {"parameter": "retries", "gist": "a=<*>; b=<*>", '
			'"growth": 9, "median_growth": 0}},
			{"kind": "lag", "numbers": {"iteration": 1, "others_iteration": 2}}]}'::jsonb))) x))
FROM (VALUES ('host_oom', 1, true), ('process_terminated', 1, true), ('host_oom', 4, true), ('host_oom', 4, false)) f (fault,
	nodes, suspect);
-- the error of a traceback, not its frames, nor the rulers and advice that tools print below
SELECT l4_telling_line(m)
FROM (VALUES (E'Traceback (most recent call last):\n  File "a", line 1, in f\n    f()\nValueError: no\n\nThe above exception '
	'was the direct cause:\n\nTraceback (most recent call last):\n  File "b"\nRuntimeError: yes'),
	(E'Traceback (most recent call last):\n  File "a"\nlib.ChildFailedError:\n=====\nrun FAILED\n-----\n[0]:\n  time: '
		'1\n====='), (E'first\nsecond'), (E'Traceback (most recent call last):\nodd\n---')) t (m);
-- links of the site: https alone, what is put in is encoded, what is not known leaves them out
INSERT INTO l4_link (name, url) VALUES ('t', 'http://x.example/');
INSERT INTO l4_link (name, url) VALUES ('t', 'https://x.example/" onclick="alert(1)');
INSERT INTO l4_link (name, url) VALUES ('t', 'https://{job}.example/');
INSERT INTO l4_link (name, url) VALUES ('t', 'https://x.example/{user}');
INSERT INTO l4_link (name, url) VALUES ('t', 'javascript:alert(1)');
INSERT INTO l4_link (name, url) VALUES ('t', 'https://x@y.example/');
BEGIN;
INSERT INTO l4_link (name, url, priority, enabled) VALUES ('Scheduler', 'https://slurm.example/job/{job}', 1, true),
	('Grafana & <b>', 'https://g.example:3000/d/x?from={from}&to={to}&var-job={job}', 2, true),
	('Node', 'https://g.example/node/{node}?job={job}&t=(1)', 50, true), ('Off', 'https://off.example/', 50, false);
SELECT * FROM l4_report_links('small');
SELECT * FROM l4_report_links('small', E'a b"\'<>&/{job}\u00e4');
SELECT name FROM l4_report_links('no such job');
SELECT place, name, url FROM l4_report_all_links('small', l4_report_findings('small'));
SELECT xml_is_well_formed_document(page), (SELECT string_agg(m[1], E'\n')
	FROM regexp_matches(page, '<a href="(https[^>]*>[^<]*)', 'g') m)
FROM l4_report('small', 'html') page;
SELECT * FROM pg_temp.check_page(l4_report('small', 'html')) WHERE what IN ('links astray', 'ids twice');
SELECT line FROM string_to_table(l4_report('small', 'markdown') || l4_report('small'), E'\n') line WHERE line ~ 'https://';
ROLLBACK;
-- when it was made, and by which version
SELECT f.format, regexp_replace(substring(l4_report('small', f.format, '2026-12-01 12:00+01'), 'Written by[^\n<]*'),
	'l4 \d+\.\d+\.\d+', 'l4 of this version') FROM (VALUES ('text'), ('markdown'), ('html')) f (format);
SELECT substring(l4_report('small'), 'Written by l4 [0-9.]+ at (\d{4})')::int >= 2026 AS now_by_itself;
-- a time that no stamp tells is marked
SELECT l4_report_began(ARRAY(SELECT jsonb_populate_record(NULL::l4_finding, f) FROM jsonb_array_elements(jsonb_build_array(
	'{"kind": "stage", "ordinal": 1, "stage": "iterating", "first_seen": "2026-01-01 00:00:10Z"}'::jsonb,
	jsonb_build_object('kind', 'event', 'ordinal', 1, 'first_seen', '2026-01-01 00:00:10Z', 'facts', s.facts))) f))
FROM unnest('{"{}","{\"span\": {\"since\": \"2026-01-01 00:00:10Z\", \"until\": \"2026-01-01 00:00:50Z\"}}"}'::jsonb[])
	s (facts);
-- few stamps of another year stretch neither the time of a job nor its pictures
BEGIN;
SELECT l4_register_job('strayed', '{"model": "strayed"}', 'failed', '{n1}', 8) \g /dev/null
SELECT l4_ingest('strayed', $$SELECT 'n1' AS node, 0 AS rank, CASE WHEN i = 3 THEN timestamptz '2025-03-01 00:00+00'
	ELSE timestamptz '2026-03-01 00:00+00' + i * interval '1 s' END AS ts, 'info' AS level, 'step ' || i AS line
	FROM generate_series(1, 3600) i$$) \g /dev/null
SELECT value FROM l4_report_facts('strayed', '{}') WHERE name = 'Time';
SELECT begins, ends FROM l4_report_frame('strayed', '2025-03-01 00:00+00', '2026-03-01 01:00+00');
ROLLBACK;
-- read only
BEGIN TRANSACTION READ ONLY;
SELECT length(l4_report('small')) > 0, length(l4_report('small', 'html')) > 0;
COMMIT;

-- the helpers
SELECT l4_html_escape(E'<a href="x">&''\x01\x1b\x7f\u0085\u202e\ttab'), l4_html_escape(NULL) IS NULL;
SELECT l4_printable(E'plain\ttext\nwith lines');
SELECT l4_markdown_escape('| a_b | *c* `d` [e](f) <g> # & \ |');
SELECT l4_markdown_fence(E'a\n````\nb');
SELECT l4_wrap('one two three verylongwordwithoutaspace four', 12, '  ');
SELECT l4_clip(E'1\n2\n3\n4\n5 is the last', 3, 8);
SELECT l4_count_words(1, 'node'), l4_count_words(4096, 'node');
-- what is not known leaves no gap
SELECT l4_evidence_sentence(jsonb_populate_record(NULL::l4_evidence, '{"unit": "n1", "kind": "setup", "numbers": {"gist": "x",
	"name": "lanes", "value": "8", "usual": "16", "units": 4, "units_odd": 1}}')) AS without_disagreement,
	l4_report_steps_legend_svg(NULL, 1.5, 2) AS without_good_run;

\set VERBOSITY sqlstate
SELECT l4_report('no such job');
SELECT l4_report('good', 'html');
SELECT l4_report('small', 'pdf');
SELECT l4_report('small', NULL);
SELECT l4_report(NULL);
SELECT * FROM l4_restart_advice('no such job');

DELETE FROM l4_stream; DELETE FROM l4_segment;
DELETE FROM l4_source_counts; DELETE FROM l4_parameter_sketch; DELETE FROM l4_timeline; DELETE FROM l4_job;
DELETE FROM l4_shape;
DELETE FROM l4_event; DELETE FROM l4_address;
