-- flows.sql: how good what is said about flows is, against the truth of a simulator. Read once, into schema bench.
--
-- bench.truth_*, bench.found_*: what was, and what is said, of one window; a method fills found_*,
-- bench.score(scenario, method) makes a row of bench.score_of of them, bench.line prints it. What a score is, is told there.
CREATE SCHEMA bench;

CREATE TABLE bench.truth_jobs (job int, address text COLLATE "C", server text, dp int, pp int, tp int, ep int, cp int,
	began timestamptz, ended timestamptz);
CREATE TABLE bench.truth_pairs (job int, source text COLLATE "C", destination text COLLATE "C", kind text);
CREATE TABLE bench.truth_steps (job int, address text COLLATE "C", step bigint, began timestamptz, ended timestamptz,
	compute float8, pipeline float8, data float8);
CREATE TABLE bench.truth_pauses (job int, kind text, began timestamptz, ended timestamptz);
CREATE TABLE bench.truth_faults (job int, kind text, subject text COLLATE "C", began timestamptz, ended timestamptz,
	factor float8);

CREATE TABLE bench.found_job (job int, address text COLLATE "C");
CREATE TABLE bench.found_pair (source text COLLATE "C", destination text COLLATE "C", kind text, first_kind text);
CREATE TABLE bench.found_group (job int, kind text, number int, size int, members text[]);
CREATE TABLE bench.found_step (address text COLLATE "C", began timestamptz, ended timestamptz);
CREATE TABLE bench.found_finding (job int, kind text, subject text COLLATE "C", began timestamptz, ended timestamptz,
	factor float8, confidence float8);
CREATE INDEX ON bench.found_step (address, ended);
CREATE INDEX ON bench.truth_steps (address, ended);

-- The window that was recorded; from_time and to_time are what is asked for.
CREATE TABLE bench.time_window (began timestamptz, ended timestamptz, from_time timestamptz, to_time timestamptz, flows bigint);
-- Addresses of which the flows tell anything: in a job by what they train, outside by any flow.
CREATE TABLE bench.seen (address text COLLATE "C" PRIMARY KEY);
-- What cannot be measured is NULL.
CREATE TABLE bench.score_of (scenario text, method text, flows bigint, jobs float8, pairs_before float8, pairs float8,
	data_degree float8, data_known float8, pipeline_degree float8, stage_order float8, steps float8, extra_steps float8,
	begin_error float8, end_error float8,
	faults bigint, found bigint, wrong bigint, seconds float8, sort_seconds float8, megabytes float8,
	remark text);
-- Filled by a method: seconds of the processor, and what failed.
CREATE TABLE bench.spent (seconds float8, sort_seconds float8, megabytes float8, remark text);

-- ---- the window ----

CREATE FUNCTION bench.clear() RETURNS void LANGUAGE sql AS $$
	TRUNCATE bench.found_job, bench.found_pair, bench.found_group, bench.found_step, bench.found_finding, bench.spent;
$$;

-- Behind the loading of a window. whole: ask without from and to.
CREATE FUNCTION bench.loaded(whole boolean) RETURNS void LANGUAGE sql AS $$
	TRUNCATE bench.time_window, bench.seen;
	WITH begun AS (
		SELECT timestamptz '2026-01-01 00:00:00+00' AS at
	), counted AS (
		SELECT date_trunc('second', max(f.started_at) FILTER (WHERE f.started_at < b.at + interval '30 minutes'))
				+ interval '1 second' AS ended, count(*) AS flows
		FROM l4_flow f, begun b
	)
	INSERT INTO bench.time_window
	SELECT b.at, c.ended, CASE WHEN NOT whole THEN b.at END, CASE WHEN NOT whole THEN c.ended END, c.flows
	FROM begun b, counted c;
	INSERT INTO bench.seen
	SELECT p.source FROM bench.truth_pairs p UNION SELECT p.destination FROM bench.truth_pairs p
	UNION
	SELECT j.address FROM bench.truth_jobs j
	WHERE j.job IS NULL AND (j.address IN (SELECT f.source FROM l4_flow f)
		OR j.address IN (SELECT f.destination FROM l4_flow f));
	ANALYZE;
$$;

-- ---- jobs ----

-- Adjusted Rand index of two clusterings: of each thing the cluster that it is in, and the one that is said of it. 1 where
-- there is nothing to tell apart.
CREATE FUNCTION bench.adjusted_rand_index(truth text[], said text[]) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
	WITH placed AS (
		SELECT * FROM unnest(adjusted_rand_index.truth, adjusted_rand_index.said) p(truth, said)
	), sums AS (
		SELECT (SELECT sum(c.n * (c.n - 1) / 2.0) FROM (SELECT count(*) AS n FROM placed GROUP BY truth, said) c) AS common,
			(SELECT sum(c.n * (c.n - 1) / 2.0) FROM (SELECT count(*) AS n FROM placed GROUP BY truth) c) AS of_truth,
			(SELECT sum(c.n * (c.n - 1) / 2.0) FROM (SELECT count(*) AS n FROM placed GROUP BY said) c) AS of_said,
			(SELECT count(*) * (count(*) - 1) / 2.0 FROM placed) AS everything
	)
	SELECT COALESCE((s.common - s.of_truth * s.of_said / NULLIF(s.everything, 0))
		/ NULLIF((s.of_truth + s.of_said) / 2 - s.of_truth * s.of_said / NULLIF(s.everything, 0), 0), 1)::float8
	FROM sums s;
$$;

-- Over the accelerators seen; one without a job is a cluster of its own.
CREATE FUNCTION bench.score_jobs() RETURNS float8 LANGUAGE sql STABLE AS $$
	SELECT bench.adjusted_rand_index(array_agg(p.truth), array_agg(p.said))
	FROM (SELECT COALESCE('job ' || t.job, t.address) AS truth, COALESCE('job ' || min(f.job), t.address) AS said
		FROM bench.truth_jobs t
		JOIN bench.seen s ON s.address = t.address
		LEFT JOIN bench.found_job f ON f.address = t.address
		GROUP BY t.job, t.address) p;
$$;

-- Which job is said of each: the one that has most of its accelerators.
CREATE VIEW bench.job_said AS
	SELECT DISTINCT ON (t.job) t.job, f.job AS said
	FROM bench.truth_jobs t
	JOIN bench.found_job f ON f.address = t.address
	WHERE t.job IS NOT NULL
	GROUP BY t.job, f.job
	ORDER BY t.job, count(*) DESC, f.job;

-- ---- pairs ----

-- Share of right ones among the pairs that there are and those said to train. A pair of several kinds is right with one of
-- them; one that does not train (control, storage, noise) is right where nobody says that it does. Direction counts where both
-- are said.
CREATE FUNCTION bench.score_pairs(before boolean) RETURNS float8 LANGUAGE sql STABLE AS $$
	WITH truth AS (
		SELECT source, destination, array_agg(kind) AS kinds FROM bench.truth_pairs GROUP BY source, destination
	), said AS (
		SELECT source, destination, array_agg(CASE WHEN before THEN first_kind ELSE kind END) AS kinds
		FROM bench.found_pair GROUP BY source, destination
	), training AS (
		SELECT ARRAY['data', 'pipeline', 'expert', 'context'] AS kinds
	), judged AS (
		SELECT CASE WHEN t.kinds && g.kinds THEN COALESCE(COALESCE(s.kinds, r.kinds) && t.kinds, false)
			ELSE COALESCE(NOT COALESCE(s.kinds, r.kinds) && g.kinds, true) END AS fits
		FROM truth t
		CROSS JOIN training g
		LEFT JOIN said s ON s.source = t.source AND s.destination = t.destination
		LEFT JOIN said r ON r.source = t.destination AND r.destination = t.source
		UNION ALL
		SELECT false
		FROM said s
		CROSS JOIN training g
		WHERE s.kinds && g.kinds
			AND NOT EXISTS (SELECT FROM truth t WHERE t.source = s.source AND t.destination = s.destination)
			AND NOT EXISTS (SELECT FROM truth t WHERE t.source = s.destination AND t.destination = s.source)
	)
	SELECT avg(fits::int)::float8 FROM judged
	WHERE EXISTS (SELECT FROM bench.found_pair p WHERE CASE WHEN before THEN p.first_kind ELSE p.kind END IS NOT NULL);
$$;

-- ---- groups ----

-- Of each job: are all of its data-parallel groups and pipelines of the right size, and all pipelines in the order of their
-- stages? Ranks of a data-parallel group may be those of all contexts, too. Without a pipeline none, or such of one stage, may
-- be said, and there is no order. NULL: it is said that the degree is not known.
CREATE VIEW bench.job_groups AS
	WITH shapes AS (
		SELECT t.job, s.said, max(t.dp) + 1 AS dp, max(t.pp) + 1 AS pp, max(t.cp) + 1 AS cp,
			EXISTS (SELECT FROM bench.found_group g WHERE g.job = s.said AND g.kind = 'pipeline' AND g.size IS NULL) AS untold
		FROM bench.truth_jobs t
		LEFT JOIN bench.job_said s ON s.job = t.job
		WHERE t.job IS NOT NULL AND t.address IN (SELECT n.address FROM bench.seen n)
		GROUP BY t.job, s.said
	)
	SELECT s.job,
		(SELECT CASE WHEN count(*) = 0 THEN s.dp = 1 ELSE bool_and(g.size IN (s.dp, s.dp * s.cp)) END FROM bench.found_group g
			WHERE g.job = s.said AND g.kind = 'data') AS data_degree,
		CASE WHEN NOT s.untold THEN s.said IS NOT NULL AND COALESCE((SELECT bool_and(g.size = s.pp) FROM bench.found_group g
			WHERE g.job = s.said AND g.kind = 'pipeline'), s.pp = 1) END AS pipeline_degree,
		CASE WHEN s.pp > 1 AND NOT s.untold THEN COALESCE((SELECT bool_and(ARRAY(SELECT t.pp
				FROM unnest(g.members) WITH ORDINALITY m(address, place)
				LEFT JOIN bench.truth_jobs t ON t.address = m.address AND t.job = s.job
				ORDER BY m.place) = ARRAY(SELECT generate_series(0, s.pp - 1)))
			FROM bench.found_group g WHERE g.job = s.said AND g.kind = 'pipeline'), false) END AS stage_order
	FROM shapes s;

-- ---- steps ----

-- Steps that begin and end in the window, but for a job's first, which begins without any flow.
CREATE VIEW bench.whole_steps AS
	SELECT t.job, t.address, t.step, t.began, t.ended, (t.ended - t.began) / 2 AS half
	FROM bench.truth_steps t
	CROSS JOIN bench.time_window w
	WHERE t.step > 0 AND t.began >= w.began AND t.ended <= w.ended AND t.address IN (SELECT s.address FROM bench.seen s);

-- share: of these, both ends found within half a step; begin_error, end_error: of those found, in percent of the step. Behind a
-- pause a step may begin where that ends. extra: what is said between the first and the last of them but is none, in percent.
CREATE FUNCTION bench.score_steps(OUT share float8, OUT extra float8, OUT begin_error float8, OUT end_error float8)
LANGUAGE sql STABLE AS $$
	WITH matched AS MATERIALIZED (
		SELECT t.address, f.ended AS said, f.began_off / (2 * extract(epoch FROM t.half)) AS began_off,
			f.ended_off / (2 * extract(epoch FROM t.half)) AS ended_off
		FROM bench.whole_steps t
		LEFT JOIN LATERAL (
			SELECT s.ended, abs(extract(epoch FROM s.ended - t.ended))::float8 AS ended_off,
				LEAST(abs(extract(epoch FROM s.began - t.began)), (SELECT min(abs(extract(epoch FROM s.began - p.ended)))
					FROM bench.truth_pauses p
					WHERE p.job = t.job AND p.ended BETWEEN t.began AND t.ended))::float8 AS began_off
			FROM bench.found_step s
			WHERE s.address = t.address AND s.ended BETWEEN t.ended - t.half AND t.ended + t.half
			ORDER BY 2, 3 LIMIT 1
		) f ON f.began_off <= extract(epoch FROM t.half)
	), spans AS (
		SELECT address, min(began) AS began, max(ended) AS ended FROM bench.whole_steps GROUP BY address
	), said AS (
		SELECT f.address, f.ended
		FROM bench.found_step f
		JOIN spans s ON s.address = f.address AND f.began >= s.began - interval '1 ms' AND f.ended <= s.ended + interval '1 ms'
	)
	SELECT (count(m.said)::float8 / NULLIF(count(*), 0)),
		(SELECT 100.0 * count(*) FILTER (WHERE NOT EXISTS (
				SELECT FROM matched x WHERE x.address = s.address AND x.said = s.ended))
			/ NULLIF(count(*), 0) FROM said s)::float8,
		100 * avg(m.began_off), 100 * avg(m.ended_off)
	FROM matched m;
$$;

-- ---- findings ----

-- The names of a subject: an address, a server, a switch, or two of them with an arrow.
CREATE FUNCTION bench.parts(subject text) RETURNS TABLE (name text, place bigint) LANGUAGE sql IMMUTABLE AS $$
	SELECT p.name COLLATE "C", p.place
	FROM unnest(string_to_array(subject, ' -> ')) WITH ORDINALITY p(name, place);
$$;

-- The ends of faults, by what they may be called: exact is the address, server that of it, or the switch.
CREATE VIEW bench.fault_ends AS
	SELECT f.kind, f.subject, f.began, f.ended, p.place, p.name AS exact, a.server, a.server IS NULL AS is_switch
	FROM bench.truth_faults f
	CROSS JOIN LATERAL bench.parts(f.subject) p
	LEFT JOIN l4_accelerator a ON a.address = p.name COLLATE "C";

-- Jobs that a fault may slow or stop.
CREATE VIEW bench.fault_jobs AS
	SELECT DISTINCT e.kind, e.subject, t.job
	FROM bench.fault_ends e
	JOIN bench.truth_jobs t ON t.address = e.exact COLLATE "C"
	WHERE t.job IS NOT NULL
	UNION
	SELECT e.kind, e.subject, t.job
	FROM bench.fault_ends e
	JOIN (SELECT DISTINCT p.source, w.name
		FROM l4_flow p CROSS JOIN LATERAL unnest(p.switches) w(name)
		WHERE EXISTS (SELECT FROM bench.fault_ends x WHERE x.is_switch AND x.exact = w.name)) u ON u.name = e.exact
	JOIN bench.truth_jobs t ON t.address = u.source COLLATE "C"
	WHERE e.is_switch AND t.job IS NOT NULL;

-- While the fault lasts, and five seconds around.
CREATE FUNCTION bench.meets(began timestamptz, ended timestamptz, fault_began timestamptz, fault_ended timestamptz)
	RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT COALESCE(began, '-infinity') <= COALESCE(fault_ended, 'infinity') + interval '5 s'
		AND COALESCE(ended, 'infinity') >= fault_began - interval '5 s';
$$;

-- A fault is found where one of its kind names it: a slow accelerator by its address or server; a link by itself, or one of its
-- NICs or servers at its place, or the server (slow_server); a switch by its name; a stall or death by address or server.
CREATE FUNCTION bench.names_fault(fault_kind text, fault_subject text, kind text, subject text) RETURNS boolean
LANGUAGE sql STABLE AS $$
	SELECT names_fault.subject = fault_subject OR EXISTS (
		SELECT FROM bench.fault_ends e, bench.parts(names_fault.subject) p
		WHERE e.kind = fault_kind AND e.subject = fault_subject AND NOT e.is_switch AND p.name IN (e.exact, e.server)
			AND (e.place = p.place OR fault_kind <> 'slow_link' OR names_fault.subject NOT LIKE '% -> %')
			AND (fault_kind IN ('slow_link', 'flapping') OR names_fault.subject NOT LIKE '% -> %'))
	WHERE names_fault.kind = ANY (CASE fault_kind
		WHEN 'slow_accelerator' THEN ARRAY['slow_accelerator', 'slow_server']
		WHEN 'slow_link' THEN ARRAY['slow_link', 'slow_server']
		WHEN 'slow_switch' THEN ARRAY['slow_switch']
		WHEN 'flapping' THEN ARRAY['time_outs', 'slow_link', 'slow_accelerator', 'slow_server', 'stalled']
		ELSE ARRAY['stalled', 'missing'] END);
$$;

-- Findings, and whether each may be: while a fault lasts, it is of the fault's server, link or switch, or says slow_step or
-- slow_group of a job that the fault slows, or silent of one that it stops.
CREATE VIEW bench.judged_findings AS
	WITH slowed AS MATERIALIZED (
		SELECT j.kind, j.subject, j.job, s.said FROM bench.fault_jobs j LEFT JOIN bench.job_said s ON s.job = j.job
	)
	SELECT f.*, EXISTS (
		SELECT FROM bench.truth_faults t
		WHERE bench.meets(f.began, f.ended, t.began, t.ended)
			AND (f.kind IN ('slow_step', 'slow_group', 'silent') AND EXISTS (SELECT FROM slowed s
				WHERE s.kind = t.kind AND s.subject = t.subject AND s.said = f.job)
			OR f.kind NOT IN ('slow_step', 'slow_group', 'silent') AND EXISTS (
				SELECT FROM bench.parts(f.subject) p
				LEFT JOIN l4_accelerator a ON a.address = p.name
				JOIN bench.fault_ends e ON e.kind = t.kind AND e.subject = t.subject
				WHERE CASE WHEN e.is_switch THEN t.kind = 'slow_switch' AND (p.name = e.exact OR a.leaf = e.exact
						OR EXISTS (SELECT FROM l4_flow x
							WHERE f.subject LIKE '% -> %' AND x.source = split_part(f.subject, ' -> ', 1) COLLATE "C"
								AND x.destination = split_part(f.subject, ' -> ', 2) COLLATE "C"
								AND e.exact = ANY (x.switches)))
					ELSE p.name = e.server OR a.server = e.server END)
			OR f.subject = t.subject)) AS may_be
	FROM bench.found_finding f;

CREATE FUNCTION bench.found_faults() RETURNS SETOF bench.truth_faults LANGUAGE sql STABLE AS $$
	SELECT t.*
	FROM bench.truth_faults t
	WHERE EXISTS (SELECT FROM bench.found_finding f
		WHERE bench.names_fault(t.kind, t.subject, f.kind, f.subject) AND bench.meets(f.began, f.ended, t.began, t.ended));
$$;

CREATE FUNCTION bench.what_is_wrong() RETURNS SETOF text LANGUAGE sql STABLE AS $$
	SELECT format('	wrong: job %s, %s of %s, %s to %s, factor %s, confidence %s', f.job, f.kind, f.subject,
		to_char(f.began, 'MI:SS.MS'), to_char(f.ended, 'MI:SS.MS'), round(f.factor::numeric, 3),
		round(f.confidence::numeric, 2))
	FROM bench.judged_findings f
	WHERE NOT f.may_be
	UNION ALL
	SELECT format('	not found: %s of %s', t.kind, t.subject)
	FROM (TABLE bench.truth_faults EXCEPT SELECT * FROM bench.found_faults()) t;
$$;

-- ---- a row of scores ----

CREATE FUNCTION bench.has(name text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	any_row boolean;
BEGIN
	EXECUTE format('SELECT EXISTS (SELECT FROM bench.%I)', name) INTO any_row;
	RETURN any_row;
END
$$;

CREATE FUNCTION bench.score(scenario text, method text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO bench.score_of
	SELECT score.scenario, score.method, (SELECT flows FROM bench.time_window),
		CASE WHEN bench.has('found_job') THEN bench.score_jobs() END,
		bench.score_pairs(true), bench.score_pairs(false),
		CASE WHEN bench.has('found_group') THEN (SELECT avg(data_degree::int) FROM bench.job_groups) END,
		CASE WHEN bench.has('found_group') THEN (SELECT avg((data_degree IS NOT NULL)::int) FROM bench.job_groups) END,
		CASE WHEN bench.has('found_group') THEN (SELECT avg(pipeline_degree::int) FROM bench.job_groups) END,
		CASE WHEN bench.has('found_group') THEN (SELECT avg(stage_order::int) FROM bench.job_groups) END,
		s.share, s.extra, s.begin_error, s.end_error,
		(SELECT count(*) FROM bench.truth_faults),
		CASE WHEN p.seconds IS NOT NULL THEN (SELECT count(*) FROM bench.found_faults()) END,
		CASE WHEN p.seconds IS NOT NULL THEN (SELECT count(*) FROM bench.judged_findings f WHERE NOT f.may_be) END,
		p.seconds, p.sort_seconds, p.megabytes, p.remark
	FROM (SELECT) one
	LEFT JOIN bench.spent p ON true
	LEFT JOIN bench.score_steps() s ON bench.has('found_step');
$$;

CREATE FUNCTION bench.shown(value float8, digits int, width int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT lpad(COALESCE(round(value::numeric, digits)::text, '-'), width);
$$;

CREATE FUNCTION bench.head() RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT 'scenario         method      flows   jobs  before  pairs  data  pipe order  steps extra% begin%  end% faults wrong'
		'   CPU s  ratio    MB';
$$;

CREATE FUNCTION bench.line(scenario text, method text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT rpad(s.scenario, 17) || rpad(s.method, 6) || lpad(s.flows::text, 11) || bench.shown(jobs, 3, 7)
		|| bench.shown(pairs_before, 4, 8) || bench.shown(pairs, 4, 7) || bench.shown(data_degree, 2, 6)
		|| bench.shown(pipeline_degree, 2, 6) || bench.shown(stage_order, 2, 6) || bench.shown(steps, 3, 7)
		|| bench.shown(extra_steps, 1, 7) || bench.shown(begin_error, 2, 7) || bench.shown(end_error, 2, 6)
		|| lpad(COALESCE(found::text, '-') || '/' || faults, 7) || bench.shown(wrong, 0, 6)
		|| bench.shown(seconds, 2, 8) || bench.shown(seconds / NULLIF(sort_seconds, 0), 2, 7) || bench.shown(megabytes, 0, 6)
		|| COALESCE('  ' || remark, '')
	FROM bench.score_of s
	WHERE s.scenario = line.scenario AND s.method = line.method;
$$;

-- Over all windows: the means, the sums, and the findings on windows without a fault.
CREATE FUNCTION bench.summary() RETURNS SETOF text LANGUAGE sql AS $$
	SELECT format('%s: %s windows; jobs %s (least %s), pairs %s, data degree %s of the %s told, pipeline degree %s, '
		'stage order %s, steps %s; faults found %s of %s, wrong findings %s in windows with a fault, %s in %s without',
		s.method, count(*), round(avg(jobs)::numeric, 4), round(min(jobs)::numeric, 4), round(avg(pairs)::numeric, 4),
		round((sum(data_degree * data_known) / sum(data_known) FILTER (WHERE data_degree IS NOT NULL))::numeric, 3),
		round(avg(data_known)::numeric, 3), round(avg(pipeline_degree)::numeric, 3), round(avg(stage_order)::numeric, 3),
		round(avg(steps)::numeric, 3), sum(found), sum(faults) FILTER (WHERE found IS NOT NULL),
		COALESCE(sum(wrong) FILTER (WHERE faults > 0), 0), COALESCE(sum(wrong) FILTER (WHERE faults = 0), 0),
		count(*) FILTER (WHERE faults = 0))
	FROM bench.score_of s
	GROUP BY s.method
	ORDER BY s.method;
$$;

-- ---- what is measured ----

-- Seconds of the processor that this process took, and the most memory that it had (kB).
CREATE FUNCTION bench.processor() RETURNS float8 LANGUAGE sql VOLATILE AS $$
	SELECT (p.part[12]::float8 + p.part[13]::float8) / 100
	FROM (SELECT string_to_array(substring(pg_read_file('/proc/self/stat') FROM '.*\) (.*)'), ' ') AS part) p;
$$;
CREATE FUNCTION bench.memory() RETURNS bigint LANGUAGE sql VOLATILE AS $$
	SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s+(\d+)')::bigint;
$$;

-- Takes what one function says into a table: that of the first schema in the search path which has one (flows_check.sql has
-- some of its own). What is wrong with it is a remark, and there is nothing of it.
CREATE FUNCTION bench.take(function_name text, into_table text, columns text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	w bench.time_window;
	home name;
BEGIN
	SELECT s.name INTO home
	FROM unnest(current_schemas(false)) WITH ORDINALITY s(name, place)
	WHERE EXISTS (SELECT FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
		WHERE p.proname = function_name AND n.nspname = s.name)
	ORDER BY s.place LIMIT 1;
	IF home IS NULL THEN
		RETURN 'no ' || function_name;
	END IF;
	SELECT * INTO w FROM bench.time_window;
	EXECUTE format('INSERT INTO bench.%I SELECT %s FROM %I.%I($1, $2) f', into_table, columns, home, function_name)
	USING w.from_time, w.to_time;
	RETURN NULL;
EXCEPTION WHEN query_canceled THEN
	RAISE;
WHEN OTHERS THEN
	RETURN function_name || ': ' || SQLERRM;
END
$$;

-- Ours. What l4_flow_pairs said before it refined is in a column first_kind, if it is told. l4_flow_diagnose comes first, so
-- that no other's memory counts, but for a scan.
CREATE FUNCTION bench.measure() RETURNS void LANGUAGE plpgsql
SET max_parallel_workers_per_gather = 0
AS $$
DECLARE
	memory bigint;
	processor float8;
	remarks text[];
	seconds float8;
	sort_seconds float8;
	peak float8;
BEGIN
	PERFORM bench.clear();
	PERFORM count(*), sum(bytes) FROM l4_flow;
	memory := bench.memory();
	processor := bench.processor();
	remarks := ARRAY[bench.take('l4_flow_diagnose', 'found_finding',
		'f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence')];
	IF remarks[1] IS NULL THEN
		seconds := bench.processor() - processor;
		peak := (bench.memory() - memory) / 1024.0;
	END IF;
	processor := bench.processor();
	PERFORM count(*), sum(bytes) FROM (SELECT * FROM l4_flow ORDER BY source, started_at OFFSET 0) f;
	sort_seconds := bench.processor() - processor;
	remarks := remarks || ARRAY[
		bench.take('l4_flow_jobs', 'found_job', 'f.job, f.address'),
		bench.take('l4_flow_pairs', 'found_pair', 'f.source, f.destination, f.kind, to_jsonb(f) ->> ''first_kind'''),
		bench.take('l4_flow_groups', 'found_group', 'f.job, f.kind, f.number, f.size, f.members'),
		bench.take('l4_flow_steps', 'found_step', 'f.address, f.began, f.ended')];
	INSERT INTO bench.spent VALUES (seconds, sort_seconds, peak, NULLIF(array_to_string(remarks, '; '), ''));
	ANALYZE bench.found_job, bench.found_pair, bench.found_group, bench.found_step, bench.found_finding;
END
$$;
