/* How long the steps of a job take, beside those of successful jobs: the picture of the report. */

CREATE FUNCTION @extschema@.l4_report_steps(job_id text, other text, most int DEFAULT 160)
RETURNS TABLE (here boolean, bin int, iteration bigint, last_iteration bigint, seconds double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 300
BEGIN ATOMIC
	WITH step AS MATERIALIZED (
		SELECT j.here, s.turn, s.iteration, s.seconds
		FROM (SELECT @extschema@.l4_limits_in_force() AS limits OFFSET 0) l
		CROSS JOIN (VALUES (true, l4_report_steps.job_id), (false, l4_report_steps.other)) j (here, id)
		CROSS JOIN LATERAL @extschema@.l4_job_steps(j.id, l.limits) s
		WHERE j.id IS NOT NULL
	),
	span AS (
		SELECT min(s.iteration) AS first, max(s.iteration) AS last FROM step s WHERE s.here
	),
	binned AS (
		-- as numbers that cannot overflow
		SELECT s.*, floor((s.iteration::float8 - p.first) / (p.last::float8 - p.first + 1)
			* LEAST(l4_report_steps.most, p.last::float8 - p.first + 1))::int AS bin
		FROM step s JOIN span p ON s.iteration BETWEEN p.first AND p.last
	)
	SELECT b.here, b.bin, min(b.iteration), max(b.iteration), percentile_cont(0.5) WITHIN GROUP (ORDER BY b.seconds)
	FROM binned b GROUP BY b.here, b.bin;
END;
COMMENT ON FUNCTION @extschema@.l4_report_steps(text, text, int) IS
'Step: The median seconds of the steps of a job (here), and of another one in the same iterations (NULL: of none), in at most '
'so many bins of iterations.';

CREATE FUNCTION @extschema@.l4_report_steps_axis_svg(top double precision, first_iteration bigint, last_iteration bigint)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT string_agg(format('<line class="grid" x1="56" x2="1028" y1="%s" y2="%s"/><text class="t" x="50" y="%s" '
			'text-anchor="end">%s s</text>', y.y, y.y, y.y + 4, @extschema@.l4_seconds_text(top * t.n / 3)), '' ORDER BY t.n)
		|| string_agg(format('<text class="t" x="%s" y="178" text-anchor="%s">%s</text>', 56 + 324 * t.n,
			CASE t.n WHEN 0 THEN 'start' WHEN 3 THEN 'end' ELSE 'middle' END,
			first_iteration + (last_iteration - first_iteration) / 3 * t.n + (last_iteration - first_iteration) % 3 * t.n / 3),
			'' ORDER BY t.n)
	FROM generate_series(0, 3) t (n) CROSS JOIN LATERAL (SELECT 160 - 50 * t.n AS y) y;
END;
COMMENT ON FUNCTION @extschema@.l4_report_steps_axis_svg(double precision, bigint, bigint) IS
'Step: The scales of the picture of steps: seconds up to top, iterations from the first to the last.';

CREATE FUNCTION @extschema@.l4_report_steps_legend_svg(other text, seconds double precision, jobs bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '<line class="steps" x1="56" x2="80" y1="194" y2="194"/><text class="t" x="86" y="198">this job</text>'
	|| COALESCE('<line class="usual" x1="156" x2="180" y1="194" y2="194"/><text class="t" x="186" y="198">'
		|| @extschema@.l4_html_escape('last good run, ' || left(other, 60)) || '</text>', '')
	|| CASE WHEN seconds IS NULL THEN '' ELSE format(
		'<line class="limit" x1="636" x2="660" y1="194" y2="194"/><text class="t" x="666" y="198">at most %s s in %s</text>',
		@extschema@.l4_seconds_text(seconds), @extschema@.l4_count_words(jobs, 'successful job')) END;
COMMENT ON FUNCTION @extschema@.l4_report_steps_legend_svg(text, double precision, bigint) IS
'Step: What the lines of the picture of steps are; other: the good run that is drawn, NULL for none.';

CREATE FUNCTION @extschema@.l4_report_steps_svg(job_id text, findings @extschema@.l4_finding[]) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH usual AS MATERIALIZED (
		SELECT o.other, p.seconds, p.jobs
		FROM (SELECT @extschema@.l4_last_good_run(l4_report_steps_svg.job_id) AS other OFFSET 0) o
		LEFT JOIN LATERAL (
			SELECT max(m.step_seconds) AS seconds, count(m.step_seconds) AS jobs
			FROM @extschema@.l4_best_pool(l4_report_steps_svg.job_id) b
			JOIN @extschema@.l4_pool_job m ON m.pool_id = b.pool_id AND m.job_id <> l4_report_steps_svg.job_id) p ON true
	),
	bin AS MATERIALIZED (
		SELECT s.* FROM usual u CROSS JOIN LATERAL @extschema@.l4_report_steps(l4_report_steps_svg.job_id, u.other) s
	),
	size AS MATERIALIZED (
		-- a single slow step does not flatten all others
		SELECT 1.1 * GREATEST(LEAST(max(b.seconds), 4 * percentile_cont(0.5) WITHIN GROUP (ORDER BY b.seconds)
				FILTER (WHERE b.here)), max(u.seconds)) AS top, min(b.iteration) FILTER (WHERE b.here) AS first,
			max(b.last_iteration) FILTER (WHERE b.here) AS last, count(*) FILTER (WHERE b.here) AS bins,
			972.0 / (1 + max(b.bin)) AS w,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY b.seconds) FILTER (WHERE b.here) AS median
		FROM bin b CROSS JOIN usual u
	),
	line AS (
		SELECT b.here, format('<polyline class="%s" points="%s"/>', CASE WHEN b.here THEN 'steps' ELSE 'usual' END, string_agg(
			round(56 + (b.bin + 0.5) * s.w, 1) || ',' || round((160 - 150 * LEAST(b.seconds / s.top, 1))::numeric, 1), ' '
			ORDER BY b.bin)) AS svg
		FROM bin b CROSS JOIN size s GROUP BY b.here
	)
	SELECT format('<svg viewBox="0 0 1040 202" role="graphics-document" aria-labelledby="steps-title" '
		'aria-describedby="steps-text"><title id="steps-title">Seconds of a step, by iteration</title>'
		'<desc id="steps-text">A step takes %s s (median)%s.</desc>%s%s%s%s%s</svg>', @extschema@.l4_seconds_text(s.median),
		COALESCE('; in ' || @extschema@.l4_count_words(u.jobs, 'successful job') || ' at most '
			|| @extschema@.l4_seconds_text(u.seconds) || ' s', ''),
		@extschema@.l4_report_steps_axis_svg(s.top, s.first, s.last),
		(SELECT string_agg(l.svg, '' ORDER BY l.here) FROM line l),
		(SELECT format('<line class="limit" x1="56" x2="1028" y1="%s" y2="%s"/>', y.y, y.y)
			FROM (SELECT round((160 - 150 * u.seconds / s.top)::numeric, 1) AS y) y WHERE u.seconds IS NOT NULL),
		(SELECT format('<g><line class="on" x1="%s" x2="%s" y1="4" y2="160"/><title>the failure began in iteration %s'
			'</title></g>', x.x, x.x, i.iteration)
			FROM unnest(l4_report_steps_svg.findings) i
			JOIN bin b ON b.here AND i.iteration BETWEEN b.iteration AND b.last_iteration
			CROSS JOIN LATERAL (SELECT round(56 + (b.bin + 0.5) * s.w, 1) AS x) x
			WHERE i.kind = 'iteration' AND i.ordinal = 1),
		@extschema@.l4_report_steps_legend_svg((SELECT u.other FROM bin b WHERE NOT b.here LIMIT 1), u.seconds, u.jobs))
	FROM size s CROSS JOIN usual u WHERE s.bins > 2 AND s.top > 0;
END;
COMMENT ON FUNCTION @extschema@.l4_report_steps_svg(text, @extschema@.l4_finding[]) IS
'Step: The seconds of a step over the iterations of a job as SVG, beside the last good run and the most that a lasting step '
'takes in successful jobs of the pool; with the onset. NULL where the job tells of next to no steps.';
