/*
 * Which accelerators of jobs are slow, and which steps take longer, from traces of flows: findings as data. k-sigma as in
 * LLMPrism, robust: medians and their deviations, levels that last instead of single steps.
 */

-- ---- accelerators ----

CREATE FUNCTION @extschema@.l4_stages_of(traces @extschema@.l4_flow_trace[])
RETURNS TABLE (job int, address text, stage int, pipeline int, is_ring boolean, is_usual boolean)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH members AS MATERIALIZED (
		SELECT t.job, t.source AS address, t.server FROM @extschema@.l4_each_trace(l4_stages_of.traces) t
		WHERE t.kind = 'accelerator'
	), staged AS MATERIALIZED (
		SELECT p.job, p.address, p.stage, p.pipeline, bool_and(t.sends_to > 1) OVER (PARTITION BY p.job, p.pipeline) AS is_ring,
			count(*) OVER (PARTITION BY p.job, p.pipeline) AS stages
		FROM @extschema@.l4_pipelines_of(l4_stages_of.traces) p
		JOIN (SELECT t.job, t.source, count(DISTINCT t.destination) AS sends_to
			FROM @extschema@.l4_each_trace(l4_stages_of.traces) t
			WHERE t.kind = 'pipeline'
			GROUP BY t.job, t.source) t ON t.job = p.job AND t.source = p.address
	)
	-- of a pipeline that seems longer or shorter than the others it is not known who does the same
	SELECT s.job, s.address, s.stage, s.pipeline, s.is_ring, s.stages = u.stages
	FROM staged s
	JOIN (SELECT s.job, mode() WITHIN GROUP (ORDER BY s.stages) AS stages FROM staged s GROUP BY s.job) u ON u.job = s.job
	UNION ALL
	-- what passes within a server is not seen: who sends nothing along a pipeline is before or behind those beside it
	SELECT m.job, m.address, -w.stage, NULL, NULL, NULL
	FROM members m
	JOIN (SELECT b.job, b.server, min(s.stage) AS stage FROM staged s JOIN members b ON b.job = s.job AND b.address = s.address
		GROUP BY b.job, b.server) w ON w.job = m.job AND w.server = m.server
	WHERE NOT EXISTS (SELECT FROM staged s WHERE s.job = m.job AND s.address = m.address);
END;
COMMENT ON FUNCTION @extschema@.l4_stages_of(@extschema@.l4_flow_trace[]) IS
'Step: Which accelerators do the same: the stage of each along its pipeline (l4_pipelines_of), whether all of that send to '
'several, as virtual stages make it, and whether it has as many stages as most. Who sends nothing along one has the stage of '
'the first one on its server, below 0, and NULLs for the rest; of servers without any there are none.';

CREATE FUNCTION @extschema@.l4_compared_work(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, stage int, pipeline int, server text, address text, step bigint, ended double precision,
	lasted double precision, longer double precision, behind double precision, slowness double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10000 COST 100000
-- what functions return is counted by nobody: loops would look at all rows for each, merges at all of a job
SET enable_nestloop = off
SET enable_mergejoin = off
BEGIN ATOMIC
	WITH stages AS MATERIALIZED (
		SELECT g.job, g.address, g.stage, g.pipeline, g.is_ring, g.is_usual
		FROM @extschema@.l4_stages_of(l4_compared_work.traces) g
	), steps AS MATERIALIZED (
		SELECT s.job, COALESCE(g.stage, 0) AS stage, s.server, s.address, s.step, s.ended,
			s.ended - s.began AS lasted, s.compute, s.ended - s.data AS closes, ln(s.compute) AS work,
			s.closing, ln(NULLIF(GREATEST(s.compute - s.closing, 0), 0)) AS piped, g.pipeline, g.is_ring
		FROM @extschema@.l4_each_trace(l4_compared_work.traces) t
		CROSS JOIN LATERAL @extschema@.l4_steps_of_trace(t) s
		LEFT JOIN stages g ON g.address = s.address
		-- all who exchange with each other are as slow as the slowest of them (l4_slow_exchangers)
		WHERE s.compute > 0 AND t.beside IS NULL AND s.closing <> 'NaN' AND g.is_usual IS NOT FALSE
	), usual AS MATERIALIZED (
		-- several may be slow, and the phase of one may have begun too early
		SELECT s.job, s.stage, s.step, GREATEST(percentile_cont(0.25) WITHIN GROUP (ORDER BY s.work),
				CASE WHEN count(*) >= (limits).flow_stage_members THEN (array_agg(s.work ORDER BY s.work))[2] END) AS work,
			GREATEST(percentile_cont(0.25) WITHIN GROUP (ORDER BY s.piped),
				CASE WHEN count(*) >= (limits).flow_stage_members THEN (array_agg(s.piped ORDER BY s.piped))[2] END) AS piped,
			percentile_cont(0.25) WITHIN GROUP (ORDER BY s.closes) AS closes,
			-- where all begin the phase together, who is early waits for the last one before it, as if it computed
			(max(s.closes) - min(s.closes) <= (limits).flow_meet * (max(s.closing) - min(s.closing))) IS TRUE AS is_met
		FROM steps s
		GROUP BY s.job, s.stage, s.step
	), own AS (
		-- with virtual stages what one waited for is known about, by as much in all steps: it must be slow beside itself, too
		SELECT s.job, s.address, percentile_cont(0.25) WITHIN GROUP (ORDER BY s.work) AS work,
			percentile_cont(0.25) WITHIN GROUP (ORDER BY s.piped) AS piped
		FROM steps s
		WHERE s.is_ring
		GROUP BY s.job, s.address
	)
	-- also without what comes last, before the data-parallel phase: who sends to one that is late cannot begin
	SELECT s.job, s.stage, s.pipeline, s.server, s.address, s.step, s.ended, s.lasted,
		CASE WHEN u.is_met THEN exp(s.piped) - exp(u.piped) ELSE s.compute - exp(u.work) END, s.closes - u.closes,
		LEAST(CASE WHEN NOT u.is_met THEN s.work - u.work END, s.piped - u.piped,
			CASE WHEN NOT u.is_met THEN s.work - o.work END, s.piped - o.piped)
	FROM steps s
	JOIN usual u ON u.job = s.job AND u.stage = s.stage AND u.step = s.step
	LEFT JOIN own o ON o.address = s.address AND o.job = s.job;
END;
COMMENT ON FUNCTION @extschema@.l4_compared_work(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: By how much longer (a logarithm) each accelerator computes in each step than is usual in its stage (limit '
'flow_stage_members), and in a pipeline that is a ring, as virtual stages make it, than it does itself (slowness). In seconds: '
'how long the step lasted, by how much it computes longer, and by how much it is behind the first quarter of its stage with '
'its data-parallel phase. stage: as l4_stages_of tells, 0 where it tells none.';

CREATE FUNCTION @extschema@.l4_known_work(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, stage int, pipeline int, server text, address text, step bigint, ended double precision,
	lasted double precision, longer double precision, behind double precision, slowness double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10000 COST 100000
-- what functions return is counted by nobody: loops would look at all rows for each
SET enable_nestloop = off
BEGIN ATOMIC
	WITH known AS MATERIALIZED (
		SELECT c.job, c.stage, c.pipeline, c.server, c.address, c.step, c.ended, c.lasted, c.longer, c.behind, c.slowness
		FROM @extschema@.l4_compared_work(l4_known_work.traces, limits) c
	), gaps AS MATERIALIZED (
		-- where records are lost each knows of few steps, but of those who compute in lockstep some one does of most
		SELECT a.job
		FROM (SELECT k.job, count(*) AS steps, min(k.step) AS first, max(k.step) AS last
			FROM known k
			GROUP BY k.job, k.address) a
		GROUP BY a.job
		HAVING avg(a.steps) < (limits).flow_known_steps * (max(a.last) - min(a.first) + 1)
	), lockstep AS MATERIALIZED (
		SELECT l.job, l.tensor, k.stage, k.pipeline, k.server, k.address
		FROM gaps g
		CROSS JOIN LATERAL @extschema@.l4_lockstep_of(ARRAY(SELECT t FROM @extschema@.l4_each_trace(l4_known_work.traces) t
			WHERE t.job = g.job), limits) l
		JOIN (SELECT DISTINCT k.job, k.stage, k.pipeline, k.server, k.address FROM known k) k
			ON k.job = l.job AND k.address = l.address
	), shared AS (
		SELECT l.job, l.tensor, k.step, percentile_cont(0.5) WITHIN GROUP (ORDER BY k.ended) AS ended,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY k.lasted) AS lasted,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY k.longer) AS longer,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY k.behind) AS behind,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY k.slowness) AS slowness
		FROM lockstep l
		JOIN known k ON k.job = l.job AND k.address = l.address
		GROUP BY l.job, l.tensor, k.step
	)
	SELECT k.job, k.stage, k.pipeline, k.server, k.address, k.step, k.ended, k.lasted, k.longer, k.behind, k.slowness
	FROM known k
	WHERE k.job NOT IN (SELECT l.job FROM lockstep l)
	UNION ALL
	SELECT l.job, l.stage, l.pipeline, l.server, l.address, s.step, s.ended, s.lasted, s.longer, s.behind, s.slowness
	FROM lockstep l
	JOIN shared s ON s.job = l.job AND s.tensor = l.tensor;
END;
COMMENT ON FUNCTION @extschema@.l4_known_work(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: l4_compared_work. Where few of the steps of each accelerator are known, as records are lost (limit flow_known_steps), '
'what any of a tensor-parallel group knows of a step counts for all of it (the median), as they compute in lockstep.';

CREATE FUNCTION @extschema@.l4_is_waited_for(at double precision[], lasted double precision[], longer double precision[],
	behind double precision[], began double precision, ended double precision, limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	WITH steps AS (
		SELECT s.lasted, s.longer, s.behind,
			s.at BETWEEN l4_is_waited_for.began AND l4_is_waited_for.ended AS here
		FROM unnest(l4_is_waited_for.at, l4_is_waited_for.lasted, l4_is_waited_for.longer, l4_is_waited_for.behind)
			s(at, lasted, longer, behind)
	), usual AS (
		SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY s.longer) FILTER (WHERE s.here) AS longer,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY s.behind) FILTER (WHERE s.here) AS behind,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY s.lasted) FILTER (WHERE s.here) AS lasted,
			CASE WHEN count(*) FILTER (WHERE NOT s.here) >= (limits).flow_slow_steps
				THEN percentile_cont(0.5) WITHIN GROUP (ORDER BY s.lasted) FILTER (WHERE NOT s.here) END AS lasted_else
		FROM steps s
	)
	SELECT GREATEST(u.behind, u.lasted - u.lasted_else) >= (limits).flow_waited_for * u.longer
	FROM usual u;
END;
COMMENT ON FUNCTION @extschema@.l4_is_waited_for(double precision[], double precision[], double precision[],
	double precision[], double precision, double precision, @extschema@.l4_limits) IS
'Step: Do others wait from began to ended for one that computes longer (limit flow_waited_for): is it behind them with its '
'gradients, or do steps last longer than at other times, by enough of that? Arguments: of each step when it ended, and what '
'l4_compared_work tells of it.';

CREATE FUNCTION @extschema@.l4_late_workers(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, stage int, pipeline int, server text, address text, began double precision, ended double precision,
	level double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
-- what functions return is counted by nobody: loops would look at all rows for each
SET enable_nestloop = off
BEGIN ATOMIC
	WITH compared AS MATERIALIZED (
		SELECT c.job, c.stage, c.pipeline, c.server, c.address, c.step, c.ended, c.lasted, c.longer, c.behind, c.slowness
		FROM @extschema@.l4_known_work(l4_late_workers.traces, limits) c
	), late AS (
		-- of most jobs nobody is slow for long enough, whatever the noise: what follows is for the others
		SELECT DISTINCT c.job
		FROM compared c
		WHERE c.slowness >= (limits).flow_slow_work
		GROUP BY c.job, c.address
		HAVING count(*) >= (limits).flow_slow_steps
	), series AS MATERIALIZED (
		SELECT s.job, s.stage, s.pipeline, s.server, s.address, array_agg(s.ended ORDER BY s.step) AS at,
			array_agg(s.slowness ORDER BY s.step) AS slowness, array_agg(s.lasted ORDER BY s.step) AS lasted,
			array_agg(s.longer ORDER BY s.step) AS longer, array_agg(s.behind ORDER BY s.step) AS behind,
			min(s.server) OVER (PARTITION BY s.job, s.stage) <> max(s.server) OVER (PARTITION BY s.job, s.stage) AS has_like
		FROM compared s
		WHERE s.job IN (SELECT l.job FROM late l)
		GROUP BY s.job, s.stage, s.pipeline, s.server, s.address
	), noise AS (
		SELECT x.job, @extschema@.l4_deviation(array_agg(x.slowness)) AS deviation
		FROM (SELECT s.job, unnest(s.slowness) AS slowness FROM series s) x
		GROUP BY x.job
	)
	SELECT s.job, s.stage, s.pipeline, s.server, s.address, g.began, g.ended, g.level
	FROM series s
	JOIN noise n ON n.job = s.job
	LEFT JOIN LATERAL @extschema@.l4_slow_regimes(s.at, s.slowness,
		GREATEST((limits).flow_slow_work, (limits).flow_sigma * n.deviation), limits) g
		ON s.has_like AND @extschema@.l4_is_waited_for(s.at, s.lasted, s.longer, s.behind, g.began, g.ended, limits);
END;
COMMENT ON FUNCTION @extschema@.l4_late_workers(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: The accelerators of jobs in which some compute longer than those of the same stage on other servers, for several steps, '
'and are waited for (l4_is_waited_for): a row for each time (level: by what logarithm), or one with NULLs.';

CREATE FUNCTION @extschema@.l4_slow_workers(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
-- what functions return is counted by nobody: loops would look at all rows for each
SET enable_nestloop = off
BEGIN ATOMIC
	WITH late AS MATERIALIZED (
		SELECT l.job, l.stage, l.pipeline, l.server, l.address, l.began, l.ended, l.level
		FROM @extschema@.l4_late_workers(l4_slow_workers.traces, limits) l
	), passing AS MATERIALIZED (
		SELECT DISTINCT l.job, l.pipeline, l.server FROM late l WHERE l.pipeline IS NOT NULL
	), chains AS (
		-- servers along pipelines: what stages on one server pass on is not seen
		SELECT c.job, m.member AS server, m.component AS chain
		FROM (SELECT a.job, @extschema@.l4_connected_components(a.server, b.server) AS all_of_them
			FROM passing a JOIN passing b ON b.job = a.job AND b.pipeline = a.pipeline GROUP BY a.job) c
		CROSS JOIN LATERAL unnest(c.all_of_them) m
	), slow AS MATERIALIZED (
		SELECT l.job, l.stage, l.server, l.address, l.began, l.ended, l.level, c.chain
		FROM late l
		LEFT JOIN chains c ON c.job = l.job AND c.server = l.server
		WHERE l.began IS NOT NULL
	), slowest AS (
		-- who waits for it does then what it did in other pauses, as the gradients of weights, and seems to take longer, too
		SELECT s.job, s.stage, s.server, s.address, s.began, s.ended, s.level
		FROM slow s
		WHERE NOT EXISTS (SELECT
			FROM slow o
			WHERE o.job = s.job AND o.chain = s.chain AND o.server <> s.server AND o.level > s.level
				AND o.began <= s.ended AND o.ended >= s.began)
	), servers AS (
		SELECT s.job, s.stage, s.server, array_agg(DISTINCT s.address ORDER BY s.address) AS addresses,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY s.began) AS began,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY s.ended) AS ended,
			exp(percentile_cont(0.5) WITHIN GROUP (ORDER BY s.level)) AS factor
		FROM slowest s
		GROUP BY s.job, s.stage, s.server
	)
	SELECT s.job, 'slow_accelerator',
		CASE WHEN cardinality(s.addresses) = 1 THEN s.addresses[1] ELSE s.server END, s.began, s.ended, s.factor, 0.9,
		jsonb_build_object('server', s.server, 'accelerators', to_jsonb(s.addresses),
			'stage', CASE WHEN s.stage > 0 THEN s.stage END)
	FROM servers s;
END;
COMMENT ON FUNCTION @extschema@.l4_slow_workers(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: Accelerators that compute longer than those of the same stage on other servers (l4_late_workers). Ranks of one '
'tensor-parallel group wait for each other in each layer, so that they are slow together: then the server is named. Of the '
'servers along one pipeline at one time the slowest: the others wait for it.';

CREATE FUNCTION @extschema@.l4_slow_exchangers(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
-- what functions return is counted by nobody: loops would look at all rows for each
SET enable_nestloop = off
BEGIN ATOMIC
	WITH parts AS MATERIALIZED (
		SELECT t.job, t.server, t.source AS address, b.part, t.ends[b.part + 1] AS ended,
			t.ends[b.part + 1] - t.ends[b.part] AS lasted, b.behind
		FROM @extschema@.l4_each_trace(l4_slow_exchangers.traces) t
		CROSS JOIN LATERAL unnest(t.beside) WITH ORDINALITY b(behind, part)
		-- in parts of time that are no steps one part has more of this and another more of that
		WHERE t.kind = 'accelerator' AND t.period IS NOT NULL AND b.behind <> 'NaN'
	), own AS (
		SELECT p.job, p.address, percentile_cont(0.5) WITHIN GROUP (ORDER BY p.behind) AS behind
		FROM parts p
		GROUP BY p.job, p.address
	), noise AS (
		-- whose experts get fewer tokens is quicker for good
		SELECT p.job, @extschema@.l4_deviation(array_agg(p.behind - o.behind)) AS deviation
		FROM parts p
		JOIN own o ON o.job = p.job AND o.address = p.address
		GROUP BY p.job
	), series AS (
		SELECT p.job, p.server, p.address, array_agg(p.ended ORDER BY p.part) AS at,
			array_agg(p.behind ORDER BY p.part) AS behind, array_agg(p.lasted ORDER BY p.part) AS lasted
		FROM parts p
		GROUP BY p.job, p.server, p.address
	), slow AS (
		SELECT s.job, s.server, s.address, g.began, g.ended, g.level
		FROM series s
		JOIN noise n ON n.job = s.job
		CROSS JOIN LATERAL @extschema@.l4_slow_regimes(s.at, s.behind,
			GREATEST((limits).flow_slow_work, (limits).flow_sigma * n.deviation), limits) g
		-- all wait for the slowest in each layer, so that steps last longer than at other times, where the window has some
		WHERE (SELECT ln(percentile_cont(0.5) WITHIN GROUP (ORDER BY m.lasted) FILTER (WHERE m.here)
					/ percentile_cont(0.5) WITHIN GROUP (ORDER BY m.lasted) FILTER (WHERE NOT m.here))
				>= (limits).flow_waited_for * g.level OR count(*) FILTER (WHERE NOT m.here) < (limits).flow_slow_steps
			FROM (SELECT x.lasted, x.at BETWEEN g.began AND g.ended AS here FROM unnest(s.at, s.lasted) x(at, lasted)) m)
	)
	SELECT s.job, 'slow_accelerator', CASE WHEN count(DISTINCT s.address) = 1 THEN min(s.address) ELSE s.server END,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY s.began), percentile_cont(0.5) WITHIN GROUP (ORDER BY s.ended),
		exp(percentile_cont(0.5) WITHIN GROUP (ORDER BY s.level)), 0.9,
		jsonb_build_object('server', s.server, 'accelerators', to_jsonb(array_agg(DISTINCT s.address ORDER BY s.address)),
			'stage', NULL)
	FROM slow s
	GROUP BY s.job, s.server;
END;
COMMENT ON FUNCTION @extschema@.l4_slow_exchangers(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: Accelerators that compute longer than those they exchange the tokens of experts with (l4_flow_behind), for several '
'steps, which last longer than others (limit flow_waited_for). Of one server several are named by it: ranks of one '
'tensor-parallel group are slow together.';

CREATE FUNCTION @extschema@.l4_late_links(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, source text, destination text, began double precision, ended double precision, level double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
SET enable_nestloop = off
BEGIN ATOMIC
	WITH links AS MATERIALIZED (
		SELECT t.job, t.source, t.destination, t.period, t.first_at, t.beside, t.moved, t.ends
		FROM @extschema@.l4_each_trace(l4_late_links.traces) t
		WHERE t.kind <> 'accelerator' AND t.beside IS NOT NULL
	), parts AS MATERIALIZED (
		SELECT k.job, k.source, k.destination, k.first_at + b.part * k.period AS ended, b.beside
		FROM links k
		CROSS JOIN LATERAL unnest(k.beside) WITH ORDINALITY b(beside, part)
		WHERE b.beside IS NOT NULL
	), usual AS (
		SELECT p.job, percentile_cont(0.5) WITHIN GROUP (ORDER BY p.beside) AS beside,
			GREATEST((limits).flow_slow_beside,
				(limits).flow_sigma * @extschema@.l4_deviation(array_agg(p.beside))) AS lowest
		FROM parts p
		GROUP BY p.job
	), series AS (
		SELECT p.job, p.source, p.destination, u.lowest, array_agg(p.ended ORDER BY p.ended) AS at,
			array_agg(p.beside - u.beside ORDER BY p.ended) AS slowness
		FROM parts p
		JOIN usual u ON u.job = p.job
		GROUP BY p.job, p.source, p.destination, u.lowest
	)
	SELECT s.job, s.source, s.destination, g.began, g.ended, g.level
	FROM series s
	JOIN links k ON k.source = s.source AND k.destination = s.destination
	CROSS JOIN LATERAL @extschema@.l4_slow_regimes(s.at, s.slowness, s.lowest, limits) g
	-- that is told in many parts of this time, and much the same in all
	WHERE g.ended - g.began <= (limits).flow_beside_parts * g.steps * k.period
		AND g.level >= (limits).flow_beside_deviations * (SELECT @extschema@.l4_deviation(array_agg(v.slowness))
			FROM unnest(s.at, s.slowness) v(at, slowness) WHERE v.at BETWEEN g.began AND g.ended)
		-- and the job, which waits, moves less than at other times, where the window has some
		AND (SELECT ln(sum(m.moved) FILTER (WHERE NOT m.here) / sum(m.took) FILTER (WHERE NOT m.here)
					* sum(m.took) FILTER (WHERE m.here) / sum(m.moved) FILTER (WHERE m.here))
				>= (limits).flow_beside_pace * g.level OR count(*) FILTER (WHERE NOT m.here) < (limits).flow_slow_steps
			FROM (SELECT x.moved, x.ended - x.began AS took, x.ended BETWEEN g.began AND g.ended AS here
				FROM unnest(k.moved, k.ends, k.ends[2:]) x(moved, began, ended) WHERE x.moved > 0) m) IS NOT FALSE;
END;
COMMENT ON FUNCTION @extschema@.l4_late_links(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: Of jobs with sharded parameters the links whose senders compute longer than those of other servers (l4_flow_beside) for '
'several steps, by the same in all of them, while the job moves less than before; from when to when, and by what logarithm.';

CREATE FUNCTION @extschema@.l4_healthy_links(traces @extschema@.l4_flow_trace[], job int, began double precision,
	ended double precision, level double precision)
RETURNS TABLE (source text, destination text, is_healthy boolean)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100 COST 100000
BEGIN ATOMIC
	SELECT t.source, t.destination, 2 * count(b.beside) > count(*)
		AND percentile_cont(0.5) WITHIN GROUP (ORDER BY b.beside) < l4_healthy_links.level / 2
	FROM @extschema@.l4_each_trace(l4_healthy_links.traces) t
	CROSS JOIN LATERAL unnest(t.beside) WITH ORDINALITY b(beside, part)
	WHERE t.job = l4_healthy_links.job AND t.kind <> 'accelerator'
		AND t.first_at + b.part * t.period BETWEEN l4_healthy_links.began AND l4_healthy_links.ended
	GROUP BY t.source, t.destination;
END;
COMMENT ON FUNCTION @extschema@.l4_healthy_links(@extschema@.l4_flow_trace[], int, double precision, double precision,
	double precision) IS
'Step: The links of a job with sharded parameters, and whether it is known of each in most of this time that its sender '
'computes by less than half of this level longer than others (l4_flow_beside).';

CREATE FUNCTION @extschema@.l4_blamed_ends(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, address text, waits_for text, began double precision, ended double precision, level double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
SET enable_nestloop = off
BEGIN ATOMIC
	SELECT l.job, CASE WHEN e.gets THEN l.destination ELSE l.source END, CASE WHEN NOT e.gets THEN l.destination END, l.began,
		l.ended, l.level
	FROM @extschema@.l4_late_links(l4_blamed_ends.traces, limits) l
	CROSS JOIN LATERAL (
		SELECT COALESCE(bool_and(h.is_healthy) FILTER (WHERE h.destination = l.source), false)
			AND COALESCE(bool_and(h.is_healthy) FILTER (WHERE h.source = l.destination), false) IS FALSE AS gets
		FROM @extschema@.l4_healthy_links(l4_blamed_ends.traces, l.job, l.began, l.ended, l.level) h) e;
END;
COMMENT ON FUNCTION @extschema@.l4_blamed_ends(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: The ends of late links (l4_late_links) that may be slow: the sender, which waits_for the receiver if that is slow, too. '
'But who is slow is late for what it gets as well, as what is sent to it waits until it is ready: where the links to the '
'sender are healthy, and those of the receiver are not known to be, it is the receiver.';

CREATE FUNCTION @extschema@.l4_slow_sharded(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
SET enable_nestloop = off
BEGIN ATOMIC
	WITH places AS MATERIALIZED (
		SELECT t.source AS address, t.server, count(*) OVER (PARTITION BY t.job, t.server) AS accelerators
		FROM @extschema@.l4_each_trace(l4_slow_sharded.traces) t
		WHERE t.kind = 'accelerator'
	), late AS MATERIALIZED (
		SELECT l.job, l.address AS source, a.server, a.accelerators, b.server AS receiver, l.began, l.ended, l.level
		FROM @extschema@.l4_blamed_ends(l4_slow_sharded.traces, limits) l
		JOIN places a ON a.address = l.address
		LEFT JOIN places b ON b.address = l.waits_for
	), slowest AS MATERIALIZED (
		-- whoever is less slow waits, too
		SELECT l.*
		FROM late l
		WHERE NOT EXISTS (SELECT FROM late r
			WHERE r.job = l.job AND r.began <= l.ended AND r.ended >= l.began
				AND l.level < (limits).flow_beside_share * r.level)
	)
	SELECT l.job, 'slow_accelerator', CASE WHEN l.accelerators = 1 THEN min(l.source) ELSE l.server END,
		percentile_cont(0.5) WITHIN GROUP (ORDER BY l.began), percentile_cont(0.5) WITHIN GROUP (ORDER BY l.ended),
		exp(percentile_cont(0.5) WITHIN GROUP (ORDER BY l.level)), 0.9,
		jsonb_build_object('server', l.server, 'accelerators', to_jsonb(array_agg(DISTINCT l.source ORDER BY l.source)),
			'stage', NULL)
	FROM slowest l
	-- who sends may have to wait until the receiver is ready
	WHERE NOT EXISTS (SELECT FROM slowest r
		WHERE r.job = l.job AND r.server = l.receiver AND r.server <> l.server AND r.began <= l.ended AND r.ended >= l.began)
	GROUP BY l.job, l.server, l.accelerators;
END;
COMMENT ON FUNCTION @extschema@.l4_slow_sharded(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: Of jobs with sharded parameters, whose accelerators all wait for the slowest in each layer, the slowest '
'(l4_late_links). All of a server may send through one of its network interfaces: where it has several accelerators of the '
'job, the server is named. Where a receiver is late, too, who sends to it waits for it.';

-- ---- steps ----

CREATE FUNCTION @extschema@.l4_steps_of_jobs(traces @extschema@.l4_flow_trace[])
RETURNS TABLE (job int, step bigint, ended double precision, lasted double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	SELECT s.job, s.step, percentile_cont(0.5) WITHIN GROUP (ORDER BY s.ended),
		percentile_cont(0.5) WITHIN GROUP (ORDER BY s.ended - s.began)
	FROM @extschema@.l4_each_trace(l4_steps_of_jobs.traces) t
	CROSS JOIN LATERAL @extschema@.l4_steps_of_trace(t) s
	GROUP BY s.job, s.step;
END;
COMMENT ON FUNCTION @extschema@.l4_steps_of_jobs(@extschema@.l4_flow_trace[]) IS
'Step: The steps of each job: when they ended and how long they took on most of its accelerators (medians).';

CREATE FUNCTION @extschema@.l4_slow_steps_of(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH series AS (
		SELECT s.job, array_agg(s.ended ORDER BY s.step) AS at, array_agg(ln(s.lasted) ORDER BY s.step) AS lasted,
			array_agg(s.step ORDER BY s.step) AS steps,
			percentile_cont(0.25) WITHIN GROUP (ORDER BY ln(s.lasted)) AS usual,
			GREATEST((limits).flow_slow_step, (limits).flow_sigma
				* @extschema@.l4_changes_of(array_agg(s.lasted ORDER BY s.step))) AS lowest
		FROM @extschema@.l4_steps_of_jobs(l4_slow_steps_of.traces) s
		GROUP BY s.job
	)
	SELECT s.job, 'slow_step', format('step %s', s.steps[array_position(s.at, g.began)]), g.began, g.ended, exp(g.level), 0.8,
		jsonb_build_object('steps', g.steps, 'seconds', exp(s.usual + g.level), 'usual', exp(s.usual))
	FROM series s
	CROSS JOIN LATERAL @extschema@.l4_slow_regimes(s.at, ARRAY(SELECT l.lasted - s.usual FROM unnest(s.lasted) WITH ORDINALITY
			l(lasted, place) ORDER BY l.place), s.lowest, limits) g;
END;
COMMENT ON FUNCTION @extschema@.l4_slow_steps_of(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: Steps of a job that take longer than others of it, several in a row: cross-step as in LLMPrism, but for levels that '
'last; single long steps are evaluations and checkpoints. Longer by more than steps differ from one to the next (limit '
'flow_sigma): where sequences differ in length, all steps do.';

CREATE FUNCTION @extschema@.l4_awaited_servers(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
SET enable_nestloop = off
BEGIN ATOMIC
	WITH longer AS MATERIALIZED (
		SELECT s.job, s.began, s.ended, s.factor FROM @extschema@.l4_slow_steps_of(l4_awaited_servers.traces, limits) s
	), links AS (
		SELECT l.job, l.began, l.ended, l.factor, t.server, t.source,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY e.early) FILTER (WHERE e.ended BETWEEN l.began AND l.ended) AS early,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY e.early) FILTER (WHERE e.ended NOT BETWEEN l.began AND l.ended) AS usual
		FROM longer l
		JOIN @extschema@.l4_each_trace(l4_awaited_servers.traces) t ON t.job = l.job AND t.early IS NOT NULL
		CROSS JOIN LATERAL unnest(t.early, t.ends[2:]) e(early, ended)
		WHERE e.early <> 'NaN'
		GROUP BY l.job, l.began, l.ended, l.factor, t.server, t.source, t.destination
	), senders AS (
		-- each accelerator, or all of a server, through one of which the slow one sends
		SELECT k.job, k.began, k.ended, k.factor, k.server, k.source, avg(k.early) AS early, avg(k.usual) AS usual
		FROM links k
		GROUP BY GROUPING SETS ((k.job, k.began, k.ended, k.factor, k.server, k.source),
			(k.job, k.began, k.ended, k.factor, k.server))
	), ranked AS (
		SELECT s.*, lead(s.early) OVER w AS next, row_number() OVER w AS place
		FROM senders s
		WINDOW w AS (PARTITION BY s.job, s.began, s.source IS NULL
			ORDER BY s.early, s.server COLLATE "C", s.source COLLATE "C")
	)
	SELECT DISTINCT ON (r.job, r.began) r.job, 'slow_accelerator',
		CASE WHEN cardinality(a.addresses) = 1 THEN a.addresses[1] ELSE r.server END, r.began, r.ended, r.factor, 0.8,
		jsonb_build_object('server', r.server, 'accelerators',
			to_jsonb(CASE WHEN r.source IS NULL THEN a.addresses ELSE ARRAY[r.source] END), 'stage', NULL)
	FROM ranked r
	CROSS JOIN LATERAL (SELECT array_agg(t.source ORDER BY t.source) AS addresses
		FROM @extschema@.l4_each_trace(l4_awaited_servers.traces) t
		WHERE t.kind = 'accelerator' AND t.job = r.job AND t.server = r.server) a
	WHERE r.place = 1 AND r.early < (limits).flow_awaited * r.next
		-- what goes in one piece at any time tells nothing
		AND r.early < (limits).flow_awaited * r.usual
	ORDER BY r.job, r.began, r.source IS NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_awaited_servers(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: Of jobs with sharded parameters, while their steps take longer (l4_slow_steps_of), the server that all wait for, '
'because of one of its accelerators or of all: the others send the first pieces of each collective before it is there '
'(l4_step_early; limit flow_awaited).';
