/*
 * restyled.sql: what restyle.py needs of the jobs loaded: each record as l4 has read it. What is no text goes as bytes.
 */
SET client_min_messages = warning;
SET search_path = public;
\pset tuples_only on
\pset format unaligned
SELECT json_build_object('job', l.job_id, 'source', l.source, 'part', l.part, 'node', l.node, 'rank', l.rank,
	'ts', (extract(epoch FROM l.ts) * 1000000)::bigint, 'level', l.level, 'component', l.component,
	'formats', l4_line_formats(split_part(l.raw, E'\n', 1)), 'message', l.message, 'raw', l.raw,
	'bytes', CASE WHEN NOT x.text THEN encode(l.raw_bytes, 'hex') END,
	'tail', CASE WHEN x.text THEN encode(substr(l.raw_bytes, octet_length(l.raw) + 1), 'hex') END)
FROM l4_log l CROSS JOIN LATERAL (
	SELECT substr(l.raw_bytes, 1, octet_length(l.raw)) = convert_to(l.raw, 'UTF8') OFFSET 0) x (text)
ORDER BY l.job_id COLLATE "C", l.source COLLATE "C", l.line_no, l.part
\g :records
SELECT json_build_object('name', f.name, 'kind', f.kind, 'pattern', f.pattern) FROM l4_format f WHERE f.builtin ORDER BY f.name
\g :formats
