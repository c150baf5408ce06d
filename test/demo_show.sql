-- Prints the diagnosis of each failed job, a block for each finding, at most 110 columns wide; the first three of each kind.
SET client_min_messages = warning;

-- A label and its text, broken into lines of at most 100 characters and indented; nothing where there is no text.
CREATE FUNCTION pg_temp.wrapped(label text, content text) RETURNS text LANGUAGE sql STABLE
RETURN coalesce(E'\n      ' || pg_catalog.regexp_replace(pg_catalog.rtrim(pg_catalog.regexp_replace(
		pg_catalog.regexp_replace(label || pg_catalog.btrim(content, E' \t\r\n'), '\s+', ' ', 'g'), '(.{1,98})(?: +|$)|(\S{98})', E'\\1\\2\n', 'g'), E'\n'),
	E'\n', E'\n        ', 'g'), '');

-- A word and its value, or nothing where there is no value.
CREATE FUNCTION pg_temp.word(label text, content text) RETURNS text LANGUAGE sql STABLE
RETURN coalesce('  ' || label || content, '');

WITH failed AS (
	SELECT * FROM l4_job WHERE status = 'failed'
), finding AS (
	SELECT failed.job_id, failed.started_at, diagnosis.*
	FROM failed, LATERAL l4_diagnose(failed.job_id) WITH ORDINALITY AS diagnosis
), line AS (
	SELECT started_at, job_id, 0 AS position,
		E'\n' || repeat('=', 110) || E'\n' || job_id || pg_temp.word('', status)
		|| pg_temp.word('', cardinality(nodes) || ' nodes') || coalesce(' x ' || ranks_per_node || ' ranks', '')
		|| pg_temp.wrapped('settings: ', left(settings::text, 300)) AS content
	FROM failed
	UNION ALL
	SELECT started_at, job_id, ordinality,
		E'\n  ' || kind || ' ' || ordinal || pg_temp.word('score ', round(score::numeric, 3)::text)
		|| pg_temp.word('node ', node) || pg_temp.word('rank ', rank::text) || pg_temp.word('stage ', stage)
		|| pg_temp.word('iteration ', iteration::text)
		|| pg_temp.word('since ', to_char(first_seen, 'YYYY-MM-DD HH24:MI:SS'))
		|| pg_temp.wrapped('', explanation)
		|| coalesce((SELECT string_agg(pg_temp.wrapped('> ', left(quote, 300)), '' ORDER BY place)
			FROM string_to_table(evidence, E'\n') WITH ORDINALITY AS q (quote, place)), '')
		|| pg_temp.wrapped('root cause: ', root_cause)
		|| pg_temp.wrapped('fix: ', fix)
	FROM finding
	WHERE ordinal <= 3
	UNION ALL
	SELECT started_at, job_id, max(ordinality) + 1,
		format(E'\n  (%s findings in all: SELECT * FROM l4_diagnose(%L);)', count(*), job_id)
	FROM finding
	GROUP BY started_at, job_id
)
SELECT content FROM line ORDER BY started_at, job_id COLLATE "C", position;
