-- The built-in formats: each row's own example must be claimed by that very row.
SET timezone = 'UTC';
SELECT kind, count(*) > 8 AS several FROM l4_builtin_formats() GROUP BY kind ORDER BY kind;
-- a name that a kind has twice, and what lacks its pattern or example (none)
SELECT kind, name, count(*), array_agg(pattern) AS patterns, array_agg(example) AS examples FROM l4_builtin_formats()
GROUP BY kind, name HAVING count(*) > 1 OR (bool_and(pattern <> '' AND example <> '')) IS NOT TRUE;
-- the table holds them all, as built in
SELECT count(*) AS missing FROM l4_builtin_formats() AS b
WHERE NOT EXISTS (SELECT FROM l4_format AS f WHERE (f.name, f.kind, f.priority, f.pattern, f.dominant, f.example) =
	(b.name, b.kind, b.priority, b.pattern, b.dominant, b.example) AND f.builtin AND f.enabled);
-- which formats do not claim their example (none); the name of a node is one in its job alone
SELECT name, l4_line_formats(example) FROM l4_builtin_formats()
WHERE kind <> 'path' AND pattern !~ '\?<node>' AND NOT name = ANY (l4_line_formats(example)) ORDER BY name COLLATE "C";
-- which path formats do not match their example (none); the server's own expressions know no group names
SELECT name FROM l4_builtin_formats()
WHERE kind = 'path' AND example !~ replace(regexp_replace(pattern, '\(\?<[a-z_]+>', '(', 'g'), '(?i:', '(?:')
ORDER BY name COLLATE "C";
-- what each example says
SELECT f.name, p.time, p.level, p.component, p.rank, left(p.message, 40) AS message
FROM l4_builtin_formats() AS f, l4_parse(f.example, 'UTC', '2025-12-31 12:00+00') AS p
WHERE f.kind <> 'path' ORDER BY f.kind DESC, f.priority, f.name COLLATE "C";
-- patterns with a time group give a time, those with a level group a level
SELECT f.name FROM l4_builtin_formats() AS f, l4_parse(f.example) AS p
WHERE f.kind = 'header' AND ((f.pattern ~ '\?<(ts|epoch|mmdd)>' AND p.time IS NULL AND f.name <> 'nccl')
	OR (f.pattern ~ '\?<(level|severity)>' AND p.level IS NULL AND f.name NOT IN ('dmesg', 'syslog_bare', 'bracket_time',
		'syslog_iso')))
ORDER BY f.name COLLATE "C";
