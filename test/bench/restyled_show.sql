/*
 * restyled_show.sql: prints bench_run: jobs as they are ("plain") and restyled, side by side, for each style, in total, and of
 * the first half the jobs that lose.
 */
\pset footer off
\pset null ''
SET client_min_messages = warning;
SET search_path = public;

CREATE TEMP VIEW pair AS
	SELECT s.*, (p.e).job_id AS plain_job, p.e AS plain, r.e AS restyled
	FROM bench_style s JOIN bench_run r ON r.run = s.run AND (r.e).job_id = s.job_id
		JOIN bench_run p ON p.run = 'plain' AND (p.e).job_id = s.job_id;

-- Two figures of the same jobs, the second where it is another one.
CREATE FUNCTION pg_temp.both(plain float8, restyled float8, digits int) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' > ', round(plain::numeric, digits),
		CASE WHEN round(plain::numeric, digits) IS DISTINCT FROM round(restyled::numeric, digits)
			THEN coalesce(round(restyled::numeric, digits)::text, '-') END)
$$;
CREATE FUNCTION pg_temp.beside(plain l4_evaluation[], restyled l4_evaluation[], OUT jobs bigint, OUT f1 text, OUT label_r text,
	OUT top1 text, OUT top3 text, OUT blamed text, OUT stage text, OUT iteration text)
LANGUAGE sql AS $$
	SELECT p.jobs, pg_temp.both(p.event_f1, r.event_f1, 3), pg_temp.both(p.label_recall, r.label_recall, 3),
		pg_temp.both(p.top1, r.top1, 3), pg_temp.both(p.top3, r.top3, 3), pg_temp.both(p.blamed, r.blamed, 2),
		pg_temp.both(p.stage, r.stage, 3), pg_temp.both(p.iteration, r.iteration, 3)
	FROM l4_summarize_evaluation(plain) p, l4_summarize_evaluation(restyled) r
$$;

\echo 'Labels that do not find as many lines in the restyled logs as in the plain ones (there must be none):'
SELECT h.run, h.job_id, h.label_no, p.lines AS plain, h.lines AS restyled
FROM bench_hit h JOIN bench_hit p ON p.run = 'plain' AND p.job_id = h.job_id AND p.label_no = h.label_no
WHERE h.run <> 'plain' AND h.lines <> p.lines ORDER BY h.run, h.job_id COLLATE "C", h.label_no;

\echo 'Jobs of the first half that lose. events: hit/reported/true; node: place of the first node at fault'
SELECT p.job_id, p.family, concat_ws(' ', p.header, p.system_header, p.host, p.place) AS styles, l.*
FROM pair p CROSS JOIN LATERAL (
	SELECT string_agg(format('%s %s > %s', f.name, coalesce(f.plain, '-'), coalesce(f.restyled, '-')), ', ' ORDER BY f.turn)
		AS lost
	FROM (VALUES
		(1, 'events', concat_ws('/', (p.plain).events_hit, (p.plain).events_reported, (p.plain).events_true),
			concat_ws('/', (p.restyled).events_hit, (p.restyled).events_reported, (p.restyled).events_true),
			(p.restyled).events_hit::float8 / nullif((p.restyled).events_reported, 0)
				< 0.999 * (p.plain).events_hit / nullif((p.plain).events_reported, 0)
			OR (p.restyled).events_hit::float8 / nullif((p.restyled).events_true, 0)
				< 0.999 * (p.plain).events_hit / nullif((p.plain).events_true, 0)),
		(2, 'labels', round((p.plain).label_recall::numeric, 2)::text, round((p.restyled).label_recall::numeric, 2)::text,
			(p.restyled).label_recall < (p.plain).label_recall),
		(3, 'node', (p.plain).first_hit::text, (p.restyled).first_hit::text,
			(p.restyled).top1 < (p.plain).top1 OR (p.restyled).top3 < (p.plain).top3),
		(4, 'blamed', (p.plain).blamed::text, (p.restyled).blamed::text, (p.restyled).blamed > (p.plain).blamed),
		(5, 'stage', (p.plain).stage, (p.restyled).stage, (p.plain).stage_right AND (p.restyled).stage_right IS NOT TRUE),
		(6, 'iteration', (p.plain).iterations::text, (p.restyled).iterations::text,
			(p.plain).iteration_right AND (p.restyled).iteration_right IS NOT TRUE))
		f (turn, name, plain, restyled, lost)
	WHERE f.lost) l
WHERE l.lost IS NOT NULL AND p.run <> '2' ORDER BY p.family COLLATE "C", p.job_id COLLATE "C";

\echo 'Each style: figures of the jobs as they are > restyled'
SELECT g.half, g.kind, g.style, b.*
FROM (SELECT p.run AS half, k.kind, k.style, array_agg(p.plain ORDER BY p.job_id) AS plain,
		array_agg(p.restyled ORDER BY p.job_id) AS restyled
	FROM pair p, LATERAL (VALUES ('header', p.header), ('host', p.host), ('place', p.place), ('system', p.system_header))
		k (kind, style)
	GROUP BY p.run, k.kind, k.style) g, pg_temp.beside(g.plain, g.restyled) b
ORDER BY g.half, g.kind, g.style COLLATE "C";

\echo 'In total:'
SELECT g.half, b.*
FROM (SELECT p.run AS half, array_agg(p.plain ORDER BY p.job_id) AS plain, array_agg(p.restyled ORDER BY p.job_id) AS restyled
	FROM pair p GROUP BY p.run) g, pg_temp.beside(g.plain, g.restyled) b
ORDER BY g.half;
