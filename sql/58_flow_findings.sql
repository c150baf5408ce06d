/*
 * What is slow or silent among the accelerators of jobs, from traces of flows, beside links (58_flow_elements.sql): findings as
 * data. k-sigma as in LLMPrism, robust: medians and their deviations, levels that last instead of single steps.
 */

-- ---- accelerators ----

CREATE FUNCTION @extschema@.l4_compared_work(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, stage int, pipeline int, server text, address text, step bigint, ended double precision,
	lasted double precision, longer double precision, behind double precision, slowness double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10000 COST 100000
-- what functions return is counted by nobody: loops would look at all rows for each, merges at all of a job
SET enable_nestloop = off
SET enable_mergejoin = off
BEGIN ATOMIC
	WITH staged AS MATERIALIZED (
		SELECT p.job, p.address, p.stage, p.pipeline, bool_and(t.sends_to > 1) OVER (PARTITION BY p.job, p.pipeline) AS is_ring,
			count(*) OVER (PARTITION BY p.job, p.pipeline) AS stages
		FROM @extschema@.l4_pipelines_of(l4_compared_work.traces) p
		JOIN (SELECT t.job, t.source, count(DISTINCT t.destination) AS sends_to
			FROM @extschema@.l4_each_trace(l4_compared_work.traces) t
			WHERE t.kind = 'pipeline'
			GROUP BY t.job, t.source) t ON t.job = p.job AND t.source = p.address
	), stages AS MATERIALIZED (
		-- of a pipeline that seems longer or shorter than the others it is not known who does the same
		SELECT s.address, s.stage, s.pipeline, s.is_ring, s.stages = u.stages AS is_usual
		FROM staged s
		JOIN (SELECT s.job, mode() WITHIN GROUP (ORDER BY s.stages) AS stages FROM staged s GROUP BY s.job) u ON u.job = s.job
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
'its data-parallel phase. stage: 0, and pipeline NULL, where there is none.';

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
		jsonb_build_object('server', s.server, 'accelerators', to_jsonb(s.addresses), 'stage', NULLIF(s.stage, 0))
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
		SELECT t.job, t.server, t.source AS address, b.part, t.ends[b.part + 1] AS ended, b.behind
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
			array_agg(p.behind ORDER BY p.part) AS behind
		FROM parts p
		GROUP BY p.job, p.server, p.address
	), slow AS (
		SELECT s.job, s.server, s.address, g.began, g.ended, g.level
		FROM series s
		JOIN noise n ON n.job = s.job
		CROSS JOIN LATERAL @extschema@.l4_slow_regimes(s.at, s.behind,
			GREATEST((limits).flow_slow_work, (limits).flow_sigma * n.deviation), limits) g
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
'steps. Of one server several are named by it: ranks of one tensor-parallel group are slow together.';

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

-- ---- silence ----

CREATE TYPE @extschema@.l4_flow_stop AS (
	job int,
	accelerators bigint,
	first_address text,
	period double precision,
	last_at double precision,
	source text,
	destination text,
	overdue_at double precision,
	about double precision
);
COMMENT ON TYPE @extschema@.l4_flow_stop IS
'Step: A job that may stand still: how many accelerators it has, one of them, what its step takes, and when any of them sent '
'last; where it does so amid a step, the message that was missed first, when it was due, and how exactly that is known. '
'Times in seconds (since 1970).';

CREATE FUNCTION @extschema@.l4_stopped_jobs(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits,
	collected_until double precision) RETURNS SETOF @extschema@.l4_flow_stop
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH jobs AS MATERIALIZED (
		SELECT t.job, count(*) AS accelerators, min(t.source) AS first_address, max(t.period) AS period,
			max(t.last_at) AS last_at,
			-- who sent since the last step ended: a job that ends does so between two
			count(*) FILTER (WHERE t.last_at > COALESCE(t.whole_until, t.ends[cardinality(t.ends)])) AS amid,
			COALESCE(l4_stopped_jobs.collected_until, max(max(t.last_at)) OVER ()) AS window_ended
		FROM @extschema@.l4_each_trace(l4_stopped_jobs.traces) t
		WHERE t.kind = 'accelerator' AND t.last_at IS NOT NULL
		GROUP BY t.job
	)
	SELECT DISTINCT ON (j.job) j.job, j.accelerators, j.first_address, j.period, j.last_at, t.source, t.destination,
		t.overdue_at,
		-- what is done then may come a little sooner or later than usual
		(limits).flow_period_tolerance * (t.overdue_at - t.last_at)
	FROM jobs j
	LEFT JOIN @extschema@.l4_each_trace(l4_stopped_jobs.traces) t ON t.job = j.job AND t.kind <> 'accelerator'
		AND j.window_ended - j.last_at >= (limits).flow_silent_steps * j.period AND j.amid > 0
	ORDER BY j.job, t.overdue_at, t.source COLLATE "C", t.destination COLLATE "C";
END;
COMMENT ON FUNCTION @extschema@.l4_stopped_jobs(@extschema@.l4_flow_trace[], @extschema@.l4_limits, double precision) IS
'Step: All jobs, and of those that stand still amid a step while the window goes on (limit flow_silent_steps) the message that '
'should have come first (l4_step_overdue). A job that ends between two steps does not stand still. collected_until: when the '
'last flow of anybody began; NULL: that of these jobs.';

CREATE FUNCTION @extschema@.l4_missed_messages(traces @extschema@.l4_flow_trace[], jobs int[])
RETURNS TABLE (job int, sender text, receiver text, overdue_at double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100 COST 100000
BEGIN ATOMIC
	WITH accelerator AS MATERIALIZED (
		SELECT t.job, t.source AS address, t.server FROM @extschema@.l4_each_trace(l4_missed_messages.traces) t
		WHERE t.kind = 'accelerator' AND t.last_at IS NOT NULL AND t.job = ANY (l4_missed_messages.jobs)
	)
	SELECT t.job, a.server, b.server, min(t.overdue_at)
	FROM @extschema@.l4_each_trace(l4_missed_messages.traces) t
	JOIN accelerator a ON a.job = t.job AND a.address = t.source
	JOIN accelerator b ON b.job = t.job AND b.address = t.destination
	WHERE t.kind <> 'accelerator' AND t.overdue_at > '-Infinity'
	GROUP BY t.job, a.server, b.server;
END;
COMMENT ON FUNCTION @extschema@.l4_missed_messages(@extschema@.l4_flow_trace[], int[]) IS
'Step: Of jobs between which two of their servers a message is missed (l4_step_overdue), and when it should have come first.';

CREATE FUNCTION @extschema@.l4_silent_ends(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits,
	collected_until double precision)
RETURNS TABLE (job int, server text, address text, is_source boolean, gets boolean, last_at double precision,
	accelerators text[])
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH accelerators AS MATERIALIZED (
		SELECT t.job, t.source AS address, t.server, t.last_at
		FROM @extschema@.l4_each_trace(l4_silent_ends.traces) t
		WHERE t.kind = 'accelerator' AND t.last_at IS NOT NULL
	), pairs AS MATERIALIZED (
		SELECT t.job, t.source, t.destination, t.last_at, t.overdue_at
		FROM @extschema@.l4_each_trace(l4_silent_ends.traces) t
		WHERE t.kind <> 'accelerator'
	), jobs AS MATERIALIZED (
		SELECT j.* FROM @extschema@.l4_stopped_jobs(l4_silent_ends.traces, limits,
			l4_silent_ends.collected_until) j
	), silent AS (
		-- of those whose messages were missed first who sent nothing from then on
		SELECT DISTINCT ON (j.job, a.address) j.job, a.server, a.address, a.last_at, p.overdue_at,
			a.address = p.source AS sends, a.address = j.source AS is_source,
			EXISTS (SELECT FROM pairs r WHERE r.destination = a.address AND r.last_at > j.overdue_at - j.about) AS gets
		FROM jobs j
		JOIN pairs p ON p.job = j.job AND p.overdue_at <= j.overdue_at + j.about
		JOIN accelerators a ON a.job = j.job AND a.address IN (p.source, p.destination)
			AND a.last_at < j.overdue_at - j.about
		ORDER BY j.job, a.address, p.overdue_at, a.address = p.source DESC
	)
	SELECT DISTINCT ON (s.job, s.server) s.job, s.server, s.address, s.is_source, s.gets, s.last_at,
		-- who computes in lockstep with one that stopped stops, too
		array_agg(s.address) OVER (PARTITION BY s.job, s.server ORDER BY s.address COLLATE "C"
			ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS accelerators
	FROM silent s
	ORDER BY s.job, s.server, s.overdue_at, s.sends DESC, s.address COLLATE "C";
END;
COMMENT ON FUNCTION @extschema@.l4_silent_ends(@extschema@.l4_flow_trace[], @extschema@.l4_limits, double precision) IS
'Step: Of jobs that stand still (l4_stopped_jobs) the ends of the messages that should have come first (limit '
'flow_period_tolerance) that sent nothing from then on, one a server, with all that are silent there; is_source: it should '
'have sent the first one; gets: others still sent to it.';

CREATE FUNCTION @extschema@.l4_open_exchanges(traces @extschema@.l4_flow_trace[], jobs int[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, exchange text, server text, sent double precision, next double precision, usual double precision,
	spread double precision, cut_at double precision, period double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100 COST 100000
BEGIN ATOMIC
	WITH sent AS MATERIALIZED (
		SELECT t.job, t.source, t.destination, min(t.server) AS server, sum(t.open) AS open, sum(m.usual) AS usual,
			sum(m.spread) AS spread, max(t.last_at) AS last_at, max(t.period) AS period
		FROM @extschema@.l4_each_trace(l4_open_exchanges.traces) t
		CROSS JOIN LATERAL (SELECT u.usual, (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(b.bytes - u.usual))
				FROM unnest(t.moved) b(bytes)) AS spread
			FROM (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY b.bytes) AS usual FROM unnest(t.moved) b(bytes)) u) m
		WHERE t.kind = 'data' AND t.job = ANY (l4_open_exchanges.jobs)
		GROUP BY t.job, t.source, t.destination
		HAVING sum(m.usual) > 0
	), components AS MATERIALIZED (
		SELECT c.job, m.component, m.member
		FROM (SELECT s.job, @extschema@.l4_connected_components(s.source, s.destination) AS all_of_them FROM sent s
			GROUP BY s.job) c
		CROSS JOIN LATERAL unnest(c.all_of_them) m
	), stepped AS (
		-- of one exchange all links move as much
		SELECT s.*, c.component,
			COALESCE(s.usual > lag(s.usual) OVER w * (1 + (limits).flow_parts_tolerance), false)::int AS next
		FROM sent s JOIN components c ON c.job = s.job AND c.member = s.source
		WINDOW w AS (PARTITION BY s.job, c.component ORDER BY s.usual, s.source COLLATE "C", s.destination COLLATE "C")
	), classed AS (
		SELECT t.*, sum(t.next) OVER (PARTITION BY t.job, t.component ORDER BY t.usual) AS class
		FROM stepped t
	)
	SELECT x.job, format('%s %s', x.component, x.class), (array_agg(x.server ORDER BY x.sent, x.server COLLATE "C"))[1],
		min(x.sent), (array_agg(x.sent ORDER BY x.sent))[2], max(x.usual), max(x.spread), max(x.last_at), max(x.period)
	FROM (SELECT c.job, c.component, c.class, c.server, min(c.open) AS sent, max(c.usual) AS usual,
			max(c.spread) AS spread, max(c.last_at) AS last_at, max(c.period) AS period
		FROM classed c GROUP BY c.job, c.component, c.class, c.server) x
	GROUP BY x.job, x.component, x.class;
END;
COMMENT ON FUNCTION @extschema@.l4_open_exchanges(@extschema@.l4_flow_trace[], int[], @extschema@.l4_limits) IS
'Step: Of jobs, the exchanges of gradients or parameters (links that are connected and move as many bytes a step), and what of '
'them servers sent since the last whole step: which sent least, on one link of it, and how much (bytes), and what the next one '
'did (NULL: there is none); usual: in a whole step, spread: how far that is off as a rule (the median); cut_at: when anybody '
'sent last, period: what a step takes.';

CREATE FUNCTION @extschema@.l4_behind_servers(traces @extschema@.l4_flow_trace[], jobs int[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, server text, exchanges bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	-- Each sends first pieces of what it has before it waits for those of others. Who sent least stopped first; where two sent
	-- as little nothing is told, nor where one sent nothing at all: it may have waited for something else before.
	WITH least AS (
		SELECT o.*, min(o.cut_at) OVER (PARTITION BY o.job) AS first_cut_at
		FROM @extschema@.l4_open_exchanges(l4_behind_servers.traces, l4_behind_servers.jobs, limits) o
		WHERE o.next IS NOT NULL AND LEAST(o.sent, o.next - o.sent)
			> GREATEST((limits).flow_open_share * o.usual, (limits).flow_open_spread * o.spread)
	), votes AS (
		-- what is cut off later waited for what was cut off first
		SELECT l.job, l.server, count(*) AS exchanges, sum(count(*)) OVER (PARTITION BY l.job) AS of_all
		FROM least l
		WHERE l.cut_at <= l.first_cut_at + (limits).flow_open_together * l.period
		GROUP BY l.job, l.server
	)
	SELECT v.job, v.server, v.exchanges FROM votes v WHERE v.exchanges > (limits).flow_open_votes * v.of_all;
END;
COMMENT ON FUNCTION @extschema@.l4_behind_servers(@extschema@.l4_flow_trace[], int[], @extschema@.l4_limits) IS
'Step: Of jobs that stand still amid an exchange the server which sent some of it, and less than any other (both more than '
'flow_open_share of a step, and flow_open_spread times what that varies by) in most of the exchanges that were cut off first '
'(limits flow_open_together, flow_open_votes), and in how many.';

CREATE FUNCTION @extschema@.l4_kept_out(traces @extschema@.l4_flow_trace[], jobs int[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, neighbour text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	SELECT DISTINCT t.job, n.address
	FROM @extschema@.l4_each_trace(l4_kept_out.traces) t
	JOIN @extschema@.l4_open_exchanges(l4_kept_out.traces, l4_kept_out.jobs, limits) o
		ON o.job = t.job AND o.server = t.server AND o.sent = 0 AND o.next > 0
	CROSS JOIN LATERAL (VALUES (t.source), (t.destination)) n(address)
	WHERE t.kind = 'pipeline';
END;
COMMENT ON FUNCTION @extschema@.l4_kept_out(@extschema@.l4_flow_trace[], int[], @extschema@.l4_limits) IS
'Step: Of jobs that stand still the accelerators of servers that alone have not begun an exchange (l4_open_exchanges), and '
'whom they send to along the pipeline, and so get from: one of these keeps them out.';

CREATE FUNCTION @extschema@.l4_telling_ends(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits,
	collected_until double precision)
RETURNS TABLE (job int, server text, address text, is_source boolean, gets boolean, last_at double precision,
	accelerators text[])
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH ends AS MATERIALIZED (
		SELECT e.*, count(*) OVER (PARTITION BY e.job) AS ends
		FROM @extschema@.l4_silent_ends(l4_telling_ends.traces, limits, l4_telling_ends.collected_until) e
	), awaited AS MATERIALIZED (
		-- asked only where it is not told otherwise
		SELECT e.job, min(e.address) AS address
		FROM ends e
		JOIN @extschema@.l4_kept_out(l4_telling_ends.traces, ARRAY(SELECT o.job FROM ends o WHERE o.ends > 1), limits) k
			ON k.job = e.job AND k.neighbour = ANY (e.accelerators)
		GROUP BY e.job HAVING count(DISTINCT e.address) = 1
	)
	SELECT e.job, e.server, e.address, e.is_source, e.gets, e.last_at, e.accelerators
	FROM ends e LEFT JOIN awaited a ON a.job = e.job
	WHERE a.address = e.address OR a.job IS NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_telling_ends(@extschema@.l4_flow_trace[], @extschema@.l4_limits, double precision) IS
'Step: l4_silent_ends, but of several of a job that one alone for which others are kept out of an exchange (l4_kept_out), if '
'it is one.';

CREATE FUNCTION @extschema@.l4_missed_accelerators(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits,
	collected_until double precision)
RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH accelerators AS MATERIALIZED (
		SELECT t.job, t.source AS address, t.server, t.last_at
		FROM @extschema@.l4_each_trace(l4_missed_accelerators.traces) t
		WHERE t.kind = 'accelerator' AND t.last_at IS NOT NULL
	), jobs AS MATERIALIZED (
		SELECT j.* FROM @extschema@.l4_stopped_jobs(l4_missed_accelerators.traces, limits,
			l4_missed_accelerators.collected_until) j
	), suspects AS MATERIALIZED (
		SELECT s.* FROM @extschema@.l4_telling_ends(l4_missed_accelerators.traces, limits,
			l4_missed_accelerators.collected_until) s
	), missed AS MATERIALIZED (
		-- asked only where nobody gets anything
		SELECT m.* FROM @extschema@.l4_missed_messages(l4_missed_accelerators.traces, ARRAY(
			SELECT s.job FROM suspects s GROUP BY s.job HAVING count(*) > 1 AND NOT bool_or(s.gets))) m
	), ranked AS (
		-- what is sent to one that is dead does not come: until when all that is missed has to do with the server of each
		SELECT e.*, lead(e.until) OVER w AS next, row_number() OVER w AS place
		FROM (SELECT s.job, s.address, s.gets, s.is_source, COALESCE(min(p.overdue_at), 'Infinity') AS until
			FROM suspects s
			LEFT JOIN missed p ON p.job = s.job AND s.server NOT IN (p.sender, p.receiver)
			GROUP BY s.job, s.address, s.gets, s.is_source) e
		WINDOW w AS (PARTITION BY e.job ORDER BY e.until DESC, e.address COLLATE "C")
	), named AS (
		SELECT r.job, CASE WHEN count(*) = 1 THEN min(r.address)
			-- who is dead gets nothing; who stands still may
			WHEN count(*) FILTER (WHERE NOT r.gets) = 1 THEN min(r.address) FILTER (WHERE NOT r.gets)
			WHEN count(*) = 2 AND bool_and(r.gets) THEN min(r.address) FILTER (WHERE r.is_source)
			WHEN NOT bool_or(r.gets) THEN min(r.address) FILTER (WHERE r.place = 1 AND r.until > r.next + j.about)
			END AS address
		FROM ranked r
		JOIN jobs j ON j.job = r.job
		GROUP BY r.job
	)
	SELECT j.job, CASE WHEN a.address IS NULL THEN 'silent' WHEN a.gets THEN 'stalled' ELSE 'missing' END,
		CASE WHEN a.address IS NULL THEN format('job %s', j.job) WHEN cardinality(a.accelerators) = 1 THEN a.address
			ELSE a.server END,
		COALESCE(a.last_at, j.last_at), NULL::double precision, NULL::double precision, 0.8,
		jsonb_build_object('job_silent_since', j.last_at, 'job_stopped', true)
			|| CASE WHEN a.address IS NULL THEN jsonb_build_object('accelerators', j.accelerators, 'address', j.first_address,
					'last_sent', j.last_at, 'step', j.period)
				ELSE jsonb_build_object('server', a.server, 'accelerators', to_jsonb(a.accelerators), 'last_sent', a.last_at,
					'expected', j.overdue_at, 'missed', format('%s -> %s', j.source, j.destination)) END
	FROM jobs j
	LEFT JOIN named n ON n.job = j.job
	LEFT JOIN suspects a ON a.job = n.job AND a.address = n.address
	WHERE j.overdue_at IS NOT NULL
	UNION ALL
	SELECT j.job, 'missing', a.address, a.last_at, NULL::double precision, NULL::double precision, 0.9,
		jsonb_build_object('server', a.server, 'last_sent', a.last_at, 'job_stopped', false)
	FROM jobs j
	JOIN accelerators a ON a.job = j.job
	WHERE j.source IS NULL AND j.last_at - a.last_at >= (limits).flow_pause_steps * j.period;
END;
COMMENT ON FUNCTION @extschema@.l4_missed_accelerators(@extschema@.l4_flow_trace[], @extschema@.l4_limits,
	double precision) IS
'Step: Of jobs that stand still (l4_stopped_jobs), of the ends of the messages that should have come first (limit '
'flow_period_tolerance) the one that sent nothing from then on; of several that which got nothing either, or the sender where '
'both ends got something; of several that got nothing that whose absence explains for longest what else is missed. '
'Stalled if others still sent to it, else missing. Where several of its server stopped with it, in '
'lockstep, the server is named. Where it is not one server, as in lockstep, the '
'job as a whole is silent. And accelerators that are silent while their job goes on. collected_until: as in l4_stopped_jobs.';

CREATE FUNCTION @extschema@.l4_behind_accelerators(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits,
	collected_until double precision)
RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH jobs AS MATERIALIZED (
		SELECT j.job, j.last_at FROM @extschema@.l4_stopped_jobs(l4_behind_accelerators.traces, limits,
			l4_behind_accelerators.collected_until) j
		WHERE j.overdue_at IS NOT NULL
	), behind AS (
		SELECT b.job, b.server, b.exchanges, array_agg(t.source ORDER BY t.source COLLATE "C") AS accelerators,
			max(t.last_at) AS last_at
		FROM @extschema@.l4_behind_servers(l4_behind_accelerators.traces, ARRAY(SELECT j.job FROM jobs j), limits) b
		JOIN @extschema@.l4_each_trace(l4_behind_accelerators.traces) t ON t.job = b.job AND t.server = b.server
			AND t.kind = 'accelerator' AND t.last_at IS NOT NULL
		GROUP BY b.job, b.server, b.exchanges
	)
	SELECT b.job, 'stalled', CASE cardinality(b.accelerators) WHEN 1 THEN b.accelerators[1] ELSE b.server END, b.last_at,
		NULL::double precision, NULL::double precision, 0.8,
		jsonb_build_object('job_silent_since', j.last_at, 'job_stopped', true, 'server', b.server, 'accelerators',
			to_jsonb(b.accelerators), 'last_sent', b.last_at, 'exchanges', b.exchanges)
	FROM behind b JOIN jobs j ON j.job = b.job;
END;
COMMENT ON FUNCTION @extschema@.l4_behind_accelerators(@extschema@.l4_flow_trace[], @extschema@.l4_limits,
	double precision) IS
'Step: Of jobs that stand still (l4_stopped_jobs) the accelerator, or server with several, that sent least of exchanges that '
'were cut off (l4_behind_servers). collected_until: as in l4_stopped_jobs.';

CREATE FUNCTION @extschema@.l4_silent_accelerators(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits,
	collected_until double precision)
RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH behind AS MATERIALIZED (
		SELECT f.* FROM @extschema@.l4_behind_accelerators(l4_silent_accelerators.traces, limits,
			l4_silent_accelerators.collected_until) f
	)
	SELECT b.* FROM behind b
	UNION ALL
	-- when a message should have come is known as well as one step is like another; what was sent is counted
	SELECT f.* FROM @extschema@.l4_missed_accelerators(l4_silent_accelerators.traces, limits,
		l4_silent_accelerators.collected_until) f
	WHERE NOT (f.facts ->> 'job_stopped')::boolean OR f.job NOT IN (SELECT b.job FROM behind b);
END;
COMMENT ON FUNCTION @extschema@.l4_silent_accelerators(@extschema@.l4_flow_trace[], @extschema@.l4_limits,
	double precision) IS
'Step: Findings of kind stalled, missing and silent: of jobs that stand still amid an exchange l4_behind_accelerators, else '
'l4_missed_accelerators. collected_until: as in l4_stopped_jobs.';

CREATE FUNCTION @extschema@.l4_timed_out_senders(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH senders AS MATERIALIZED (
		SELECT t.job, t.source, t.server, sum(t.flows) AS flows, count(l.at) AS waited, min(l.at) AS began, max(l.at) AS ended
		FROM @extschema@.l4_each_trace(l4_timed_out_senders.traces) t
		LEFT JOIN LATERAL unnest(t.late) l(at) ON true
		WHERE t.kind <> 'accelerator' AND t.flows IS NOT NULL
		GROUP BY t.job, t.source, t.server
	), everybody AS (
		SELECT sum(s.flows) AS flows, sum(s.waited) AS waited FROM senders s
	)
	SELECT s.job, 'time_outs', s.source, s.began, s.ended, NULL::double precision, 0.8,
		jsonb_build_object('server', s.server, 'messages', s.waited, 'elsewhere', e.waited - s.waited)
	FROM senders s, everybody e
	WHERE s.waited >= (limits).flow_time_outs
		AND s.waited * (e.flows - s.flows) > (limits).flow_time_out_rate * (e.waited - s.waited) * s.flows;
END;
COMMENT ON FUNCTION @extschema@.l4_timed_out_senders(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: Senders that wait for time-outs now and then: messages that take many times as long as usual (limit '
'flow_time_out_factor), more often than with others. Such a network interface often fails soon.';

CREATE FUNCTION @extschema@.l4_is_of_late_sender(kind text, facts jsonb, awaited jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100
RETURN kind = 'slow_link' AND jsonb_array_length(awaited -> 'accelerators') = 1
	AND NOT EXISTS (SELECT FROM jsonb_array_elements_text(facts -> 'links') l (link)
		WHERE NOT starts_with(l.link, (awaited -> 'accelerators' ->> 0) || ' -> '));
COMMENT ON FUNCTION @extschema@.l4_is_of_late_sender(text, jsonb, jsonb) IS
'Step: Are the links of a finding (kind and facts) those of the one accelerator alone that all wait for (facts of '
'l4_awaited_servers)? Whoever sends over a link that is slow sends first pieces as early as the others; of who is late itself '
'what it sends takes long because it waits within it.';

CREATE FUNCTION @extschema@.l4_flow_findings(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits,
	collected_until double precision DEFAULT NULL)
RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
-- what functions return is counted by nobody: loops would look at all rows for each
SET enable_nestloop = off
SET jit = off
SET work_mem = '32MB'
BEGIN ATOMIC
	WITH understood AS MATERIALIZED (
		SELECT u.job FROM @extschema@.l4_understood_jobs(l4_flow_findings.traces, limits) u
	), awaited AS MATERIALIZED (
		SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
		FROM @extschema@.l4_awaited_servers(l4_flow_findings.traces, limits) f
		WHERE f.job IN (TABLE understood)
	), elements AS MATERIALIZED (
		SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
		FROM @extschema@.l4_slow_elements(l4_flow_findings.traces, limits, ARRAY(TABLE understood)) f
		WHERE NOT EXISTS (SELECT FROM awaited w WHERE w.job = f.job AND w.began <= f.ended AND w.ended >= f.began
			AND @extschema@.l4_is_of_late_sender(f.kind, f.facts, w.facts))
	), waited_for AS MATERIALIZED (
		SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
		FROM @extschema@.l4_slow_sharded(l4_flow_findings.traces, limits) f
		UNION ALL
		SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
		FROM @extschema@.l4_slow_exchangers(l4_flow_findings.traces, limits) f
	)
	SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
	FROM @extschema@.l4_silent_accelerators(l4_flow_findings.traces, limits,
		l4_flow_findings.collected_until) f
	UNION ALL
	SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
	FROM @extschema@.l4_timed_out_senders(l4_flow_findings.traces, limits) f
	UNION ALL
	SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
	FROM elements f
	-- records that are open while all wait for the slowest are slow, on whichever links
	WHERE NOT EXISTS (SELECT FROM waited_for w WHERE w.job = f.job AND w.began <= f.ended AND w.ended >= f.began)
	UNION ALL
	SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
	FROM @extschema@.l4_slow_workers(l4_flow_findings.traces, limits) f
	WHERE f.job IN (TABLE understood)
	UNION ALL
	SELECT w.job, w.kind, w.subject, w.began, w.ended, w.factor, w.confidence, w.facts
	FROM waited_for w
	WHERE w.job IN (TABLE understood)
	UNION ALL
	SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
	FROM awaited f
	-- a link that is slow makes steps longer, too
	WHERE NOT EXISTS (SELECT FROM (TABLE elements UNION ALL TABLE waited_for) w
		WHERE COALESCE(w.job, f.job) = f.job AND w.began <= f.ended AND w.ended >= f.began)
	UNION ALL
	SELECT f.job, f.kind, f.subject, f.began, f.ended, f.factor, f.confidence, f.facts
	FROM @extschema@.l4_slow_steps_of(l4_flow_findings.traces, limits) f
	WHERE f.job IN (TABLE understood);
END;
COMMENT ON FUNCTION @extschema@.l4_flow_findings(@extschema@.l4_flow_trace[], @extschema@.l4_limits, double precision) IS
'Step: All findings of flows, one function a kind, unordered; that something is slow of jobs alone that are understood '
'(l4_understood_jobs). collected_until: as in l4_silent_accelerators.';
