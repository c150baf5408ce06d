-- Prints what l4 says of each failed job, at most 110 columns wide: the first three findings of each kind, a block each; then
-- the verdicts in words.
SET client_min_messages = warning;

-- A label and its text, broken into lines of at most 100 characters and indented; nothing where there is no text.
CREATE FUNCTION pg_temp.wrapped(label text, content text) RETURNS text LANGUAGE sql STABLE
RETURN coalesce(E'\n      ' || pg_catalog.regexp_replace(pg_catalog.rtrim(pg_catalog.regexp_replace(
		pg_catalog.regexp_replace(label || pg_catalog.btrim(content, E' \t\r\n'), '\s+', ' ', 'g'),
		'(.{1,98})(?: +|$)|(\S{98})', E'\\1\\2\n', 'g'), E'\n'),
	E'\n', E'\n        ', 'g'), '');

-- A word and its value, or nothing where there is no value.
CREATE FUNCTION pg_temp.word(label text, content text) RETURNS text LANGUAGE sql STABLE
RETURN coalesce('  ' || label || content, '');

-- Each diagnosis once.
CREATE TEMP TABLE diagnosed AS
SELECT job_id, started_at, l4_report_findings(job_id) AS findings FROM l4_job WHERE status = 'failed';

WITH finding AS (
	SELECT diagnosed.job_id AS job, diagnosed.started_at, finding.*
	FROM diagnosed, LATERAL unnest(findings) WITH ORDINALITY AS finding
), line AS (
	SELECT started_at, job_id, 0 AS position,
		E'\nJOB ' || job_id || pg_temp.word('', status)
		|| pg_temp.word('', cardinality(nodes) || ' nodes') || coalesce(' x ' || ranks_per_node || ' ranks', '')
		|| pg_temp.wrapped('settings: ', left(settings::text, 300)) AS content
	FROM l4_job WHERE status = 'failed'
	UNION ALL
	SELECT started_at, job, ordinality,
		E'\n  ' || kind || ' ' || ordinal || pg_temp.word('score ', round(score::numeric, 3)::text)
		|| pg_temp.word('node ', node) || pg_temp.word('rank ', rank::text) || pg_temp.word('stage ', stage)
		|| pg_temp.word('iteration ', iteration::text)
		|| pg_temp.word('since ', to_char(first_seen, 'MM-DD HH24:MI:SS'))
		|| pg_temp.wrapped('', explanation)
		|| coalesce((SELECT string_agg(pg_temp.wrapped('> ', left(quote, 300)), '' ORDER BY place)
			FROM string_to_table(evidence, E'\n') WITH ORDINALITY AS q (quote, place)), '')
		|| pg_temp.wrapped('root cause: ', root_cause)
		|| pg_temp.wrapped('fix: ', fix)
	FROM finding
	WHERE ordinal <= 3
	UNION ALL
	SELECT started_at, job, max(ordinality) + 1,
		format(E'\n  (%s findings in all: SELECT * FROM l4_diagnose(%L);)', count(*), job)
	FROM finding
	GROUP BY started_at, job
)
SELECT content FROM line ORDER BY started_at, job_id COLLATE "C", position;

\echo
\echo 'A score orders the findings of one kind, the larger the more telling; it does not compare kinds or jobs.'
\echo 'What a finding rests on stands below it: > source:line: text.'

-- The head of the report: verdict, facts, restart advice; without the rule below the verdict.
SELECT E'\n' || regexp_replace(array_to_string((string_to_array(l4_report_text(job_id, findings), E'\n\n'))[1:3], E'\n\n'),
	'\n=+\n', E'\n')
	|| format(E'\n\n  (The whole report: SELECT l4_report(%L);)', job_id)
FROM diagnosed ORDER BY started_at, job_id COLLATE "C";

-- A job that has no log, from the flows of its switches.
SELECT format(E'\nA job without a log: %s flows between %s accelerators tell of %s steps of %s s.', sum(j.flows), count(*),
	(SELECT max(s.step) FROM l4_flow_steps() s), round(max(j.step)::numeric, 2))
FROM l4_flow_jobs() j;
SELECT format('  Its parallel groups: %s.', string_agg(format('%s of %s %s', g.groups, g.size, g.kind), ', ' ORDER BY g.kind))
FROM (SELECT kind, size, count(*) AS groups FROM l4_flow_groups() WHERE kind <> 'job' GROUP BY kind, size) g;
SELECT format(E'  %s\n  (All findings: SELECT * FROM l4_flow_diagnose();)', f.sentence) FROM l4_flow_diagnose() f LIMIT 1;

\echo
\echo 'In a line each:'
SELECT format('  %s  %s.', rpad(job_id, max(length(job_id)) OVER ()), l4_report_headline(job_id, findings))
FROM diagnosed ORDER BY started_at, job_id COLLATE "C";
