-- formats.sql: what l4 says of the labelled lines and places of survey_row. Variable: misses.
SET jit = off;
CREATE TABLE survey_result AS
SELECT s.*, l.stage AS found_stage, ARRAY[l.iteration] AS found_iterations, left(l.message, 160) AS shown
FROM survey_row s
CROSS JOIN LATERAL (SELECT g.* FROM l4_log g WHERE g.job_id = s.job_id AND g.rank = 0 AND g.line_no <= s.line_no
	ORDER BY g.line_no DESC LIMIT 1) l
WHERE s.kind = 'line';
INSERT INTO survey_result
SELECT s.*, d.stage, d.iterations, d.shown
FROM survey_row s
CROSS JOIN LATERAL (
	SELECT min(d.stage) FILTER (WHERE d.kind = 'stage' AND d.ordinal = 1) AS stage,
		array_agg(d.iteration ORDER BY d.ordinal) FILTER (WHERE d.kind = 'iteration' AND d.ordinal <= 3) AS iterations,
		left(min(d.explanation) FILTER (WHERE d.kind = 'stage' AND d.ordinal = 1), 160) AS shown
	FROM l4_diagnose(s.job_id) d) d
WHERE s.kind = 'place';
CREATE VIEW survey_verdict AS
SELECT r.*, CASE WHEN r.kind = 'line' THEN 'lines' ELSE substring(r.job_id, '[^.]+$') END AS way,
	r.found_stage = ANY (r.stages) IS TRUE AS stage_right,
	CASE WHEN cardinality(r.iterations) > 0 THEN EXISTS (SELECT FROM unnest(r.iterations) i, unnest(r.found_iterations) f
		WHERE abs(i - f) <= CASE r.kind WHEN 'line' THEN 0 ELSE 1 END) END AS iteration_right
FROM survey_result r;
SELECT half, way, count(DISTINCT format) AS formats, count(*) AS places, round(avg(stage_right::int), 3) AS stage,
	count(iteration_right) AS with_iteration, round(avg(iteration_right::int), 3) AS iteration
FROM survey_verdict GROUP BY half, way ORDER BY half, way;
SELECT :misses > 0 AS wanted \gset
\if :wanted
SELECT way, job_id, line_no, stages, found_stage, iterations, found_iterations, stage_right, iteration_right, shown
FROM survey_verdict WHERE half = 1 AND (NOT stage_right OR iteration_right IS FALSE) ORDER BY format, way, line_no;
\endif
