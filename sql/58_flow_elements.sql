/*
 * What findings of flows are, of which jobs something may be said to be slow, and which links, interfaces, switches and groups
 * are: robust, by medians and their deviations, and by levels that last instead of single steps.
 */

CREATE TYPE @extschema@.l4_flow_finding AS (
	job int,
	kind text,
	subject text,
	began double precision,
	ended double precision,
	factor double precision,
	confidence double precision,
	facts jsonb
);
COMMENT ON TYPE @extschema@.l4_flow_finding IS
'Step: A finding of flows, as l4_flow_diagnose tells it; times in seconds since 1970, ended NULL where it goes on.';

CREATE FUNCTION @extschema@.l4_deviation(numbers double precision[]) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	-- 1.4826: the standard deviation of normal numbers over the median of their absolute deviations
	SELECT 1.4826 * percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(n.number - m.median))
	FROM unnest(l4_deviation.numbers) n(number),
		(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY u.number) AS median FROM unnest(l4_deviation.numbers) u(number)) m;
END;
COMMENT ON FUNCTION @extschema@.l4_deviation(double precision[]) IS
'Step: Robust standard deviation, from the median of absolute deviations; NULL for no numbers.';

CREATE FUNCTION @extschema@.l4_slow_regimes(at double precision[], value double precision[], lowest double precision,
	limits @extschema@.l4_limits)
RETURNS TABLE (began double precision, ended double precision, level double precision, steps bigint,
	deviation double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1 COST 1000
BEGIN ATOMIC
	WITH high AS (
		SELECT s.at, s.value, s.place, (s.place - lag(s.place) OVER (ORDER BY s.place) <= 2) IS NOT TRUE AS begins
		FROM unnest(l4_slow_regimes.at, l4_slow_regimes.value) WITH ORDINALITY s(at, value, place)
		WHERE s.value >= l4_slow_regimes.lowest
	), runs AS (
		SELECT h.at, h.value, h.place, count(*) FILTER (WHERE h.begins) OVER (ORDER BY h.place) AS run
		FROM high h
	)
	SELECT min(r.at), max(r.at), percentile_cont(0.5) WITHIN GROUP (ORDER BY r.value), count(*),
		@extschema@.l4_deviation(array_agg(r.value))
	FROM runs r
	GROUP BY r.run
	HAVING count(*) >= (limits).flow_slow_steps
		AND count(*) >= (limits).flow_slow_share * (max(r.place) - min(r.place) + 1);
END;
COMMENT ON FUNCTION @extschema@.l4_slow_regimes(double precision[], double precision[], double precision,
	@extschema@.l4_limits) IS
'Step: From when to when a series (at in order) is at least at the level lowest, for enough values (limit flow_slow_steps), '
'few between which are lower (limit flow_slow_share). level: the median, and by how much values deviate from it. Cost: of n.';

CREATE FUNCTION @extschema@.l4_is_by_chance(value double precision[], lowest double precision, steps bigint,
	limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT COALESCE(ln(count(*)) + l4_is_by_chance.steps * ln(NULLIF(count(*) FILTER (WHERE v.value >= l4_is_by_chance.lowest)
		- l4_is_by_chance.steps, 0) / GREATEST(count(*) - l4_is_by_chance.steps, 1)::double precision)
		> ln((limits).flow_slow_chance), false)
	FROM unnest(l4_is_by_chance.value) v (value);
END;
COMMENT ON FUNCTION @extschema@.l4_is_by_chance(double precision[], double precision, bigint, @extschema@.l4_limits) IS
'Step: Are as many of the values of a series at least at the level lowest that runs of so many of them (steps: of that level, '
'one after the other) are to be expected by chance (limit flow_slow_chance)? Cost: of n.';

-- ---- jobs that are understood ----

CREATE FUNCTION @extschema@.l4_changes_of(numbers double precision[]) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	-- As l4_deviation, but about none: numbers that are large and small in turn differ each time. The square root of 2: two
	-- differ by so much more than one does from what is usual.
	SELECT 1.4826 / sqrt(2) * percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(ln(n.next / n.number)))
	FROM unnest(l4_changes_of.numbers, l4_changes_of.numbers[2:]) n(number, next)
	WHERE n.number > 0 AND n.next > 0;
END;
COMMENT ON FUNCTION @extschema@.l4_changes_of(double precision[]) IS
'Step: By how much numbers (above 0) differ from one to the next, as logarithm: the robust deviation that each has from what '
'is usual at its time, whatever level changes for good. NULL for fewer than two.';

CREATE FUNCTION @extschema@.l4_understood_jobs(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS TABLE (job int)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH members AS (
		SELECT t.job, @extschema@.l4_changes_of(t.moved) AS bytes,
			@extschema@.l4_changes_of(ARRAY(SELECT e.ended - e.began FROM unnest(t.ends, t.ends[2:]) WITH ORDINALITY
				e(began, ended, place) WHERE e.ended IS NOT NULL ORDER BY e.place)) AS lasted,
			(SELECT avg((n.next - n.step = 1 AND n.next > 1)::int) FROM unnest(t.step, t.step[2:]) n(step, next)
				WHERE n.next IS NOT NULL) AS agrees
		FROM @extschema@.l4_each_trace(l4_understood_jobs.traces) t
		WHERE t.kind = 'accelerator' AND t.period IS NOT NULL
	)
	SELECT m.job
	FROM members m
	GROUP BY m.job
	HAVING (percentile_cont(0.5) WITHIN GROUP (ORDER BY m.bytes) <= (limits).flow_same_bytes) IS NOT FALSE
		AND (percentile_cont(0.5) WITHIN GROUP (ORDER BY m.lasted) <= (limits).flow_like_steps) IS NOT FALSE
		AND avg(m.agrees) >= (limits).flow_agreeing;
END;
COMMENT ON FUNCTION @extschema@.l4_understood_jobs(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: Jobs of which something may be said to be slow: they have steps, each of which moves the same gradients or parameters '
'(limit flow_same_bytes) and takes much the same as the one before (limit flow_like_steps), and on which the accelerators '
'agree (limit flow_agreeing). Where this is not so, what is taken for steps are layers, buckets or nothing at all, and rates '
'and times of these tell nothing. Cost: of the steps of all.';

-- ---- links, interfaces, switches ----

CREATE FUNCTION @extschema@.l4_hops_of(source text, path text, destination text)
RETURNS TABLE (hop text, is_port boolean)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 4 COST 100
BEGIN ATOMIC
	SELECT format('%s > %s', s.switches[n.n - 1], s.switches[n.n]), false
	FROM (SELECT string_to_array(l4_hops_of.path, ',') AS switches) s
	CROSS JOIN LATERAL generate_series(2, cardinality(s.switches)) n(n)
	UNION ALL
	SELECT format('%s > %s', l4_hops_of.source, split_part(l4_hops_of.path, ',', 1)), true
	UNION ALL
	SELECT format('%s > %s', split_part(l4_hops_of.path, ',', -1), l4_hops_of.destination), true;
END;
COMMENT ON FUNCTION @extschema@.l4_hops_of(text, text, text) IS
'Step: The hops of a path of switches (with commas between them; NULL: not known) from one accelerator to another; is_port: '
'the first and the last.';

CREATE FUNCTION @extschema@.l4_rate_changes(moved double precision[], busy double precision[]) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
RETURN @extschema@.l4_changes_of(ARRAY(SELECT x.moved / x.busy
	FROM unnest(moved, busy) WITH ORDINALITY x(moved, busy, place) WHERE x.moved > 0 AND x.busy > 0 ORDER BY x.place));
COMMENT ON FUNCTION @extschema@.l4_rate_changes(double precision[], double precision[]) IS
'Step: l4_changes_of the rate of a pair: bytes moved and seconds busy of each step. One that is slow keeps to it, so what it '
'differs by when all is well. NULL for fewer than two rates. Cost: n * log(n).';

CREATE FUNCTION @extschema@.l4_exceeds_changes(level double precision, moved double precision[], busy double precision[],
	limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
-- up and down a tree now more meet and now fewer: some slower ones in a row are chance
RETURN CASE WHEN level IS NOT NULL
	THEN level >= (limits).flow_sigma * @extschema@.l4_rate_changes(moved, busy) END IS NOT FALSE;
COMMENT ON FUNCTION @extschema@.l4_exceeds_changes(double precision, double precision[], double precision[],
	@extschema@.l4_limits) IS
'Step: Is a pair slower (level: by what logarithm; NULL: not compared with its like) than by what it differs from step to step '
'when all is well (l4_rate_changes; limit flow_sigma)? True where that is not known.';

CREATE FUNCTION @extschema@.l4_phased_jobs(traces @extschema@.l4_flow_trace[]) RETURNS TABLE (job int)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 1000
BEGIN ATOMIC
	SELECT DISTINCT p.job FROM @extschema@.l4_each_trace(l4_phased_jobs.traces) p
	WHERE p.kind = 'data' AND p.period IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.l4_phased_jobs(@extschema@.l4_flow_trace[]) IS
'Step: The jobs with data that come in a phase of each step: data of these that have no period go all the time.';

CREATE FUNCTION @extschema@.l4_link_rates(traces @extschema@.l4_flow_trace[])
RETURNS TABLE (job int, kind text, source text, destination text, path text, period double precision, moved double precision[],
	busy double precision[], began double precision[], usual double precision, lowest double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH phased AS MATERIALIZED (
		SELECT p.job FROM @extschema@.l4_phased_jobs(l4_link_rates.traces) p
	)
	SELECT t.job, CASE WHEN t.kind = 'data' AND t.period IS NULL AND t.job IN (SELECT p.job FROM phased p) THEN 'shard'
			ELSE k.kinds[cardinality(k.kinds)] END, t.source, t.destination, t.path, t.period, t.moved, t.busy, t.began,
		r.usual, r.lowest
	FROM @extschema@.l4_each_trace(l4_link_rates.traces) t
	-- what it is when all is well, though it may be slow for half of the window
	CROSS JOIN LATERAL (SELECT percentile_cont(0.75) WITHIN GROUP (ORDER BY x.rate) AS usual, min(x.rate) AS lowest
		FROM (SELECT ln(x.moved / x.busy) AS rate FROM unnest(t.moved, t.busy) x(moved, busy)
			WHERE x.moved > 0 AND x.busy > 0) x) r
	CROSS JOIN LATERAL (SELECT @extschema@.l4_kinds_carried(t.kind) AS kinds) k
	WHERE t.kind <> 'accelerator' AND r.lowest IS NOT NULL
		AND (t.kind <> 'expert' OR t.period IS NOT NULL OR t.job NOT IN (SELECT p.job FROM phased p));
END;
COMMENT ON FUNCTION @extschema@.l4_link_rates(@extschema@.l4_flow_trace[]) IS
'Step: The links of jobs whose rates are compared, by what they move in each step (logarithms of bytes a second): usual, and '
'the lowest. kind: what they are compared with, gradients beside tokens with these, and shards that go all the time where '
'gradients come in a phase (no period, but data have one) with each other (shard). Not tokens beside layers, which share the '
'way with them. Cost: of n.';

CREATE FUNCTION @extschema@.l4_slow_pairs(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, kind text, source text, destination text, path text, began double precision, ended double precision,
	level double precision, deviation double precision, steps bigint, is_slow boolean, lost double precision, is_sure boolean)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH series AS MATERIALIZED (
		SELECT r.job, r.kind, r.source, r.destination, r.path, r.period, r.moved, r.busy, r.began, r.usual, r.lowest AS least
		FROM @extschema@.l4_link_rates(l4_slow_pairs.traces) r
	), usual AS (
		SELECT s.job, s.kind, percentile_cont(0.5) WITHIN GROUP (ORDER BY s.usual) AS rate,
			@extschema@.l4_deviation(array_agg(s.usual)) AS deviation FROM series s GROUP BY s.job, s.kind
	), hops AS (
		SELECT s.job, s.kind, s.source, s.destination, s.path, h.is_port,
			count(*) OVER (PARTITION BY s.job, s.kind, h.hop) AS ways
		FROM series s CROSS JOIN LATERAL @extschema@.l4_hops_of(s.source, s.path, s.destination) h
		-- along a pipeline it goes one way after the other
		WHERE s.kind <> 'pipeline' AND (s.job, s.kind) IN (
			SELECT o.job, o.kind FROM series o JOIN usual u ON u.job = o.job AND u.kind = o.kind
			WHERE GREATEST(u.rate, o.usual) - o.least >= (limits).flow_slow_rate)
	), shared AS (
		SELECT h.job, h.kind, h.source, h.destination, h.path, bool_or(h.more) AS shares
		FROM (SELECT h.job, h.kind, h.source, h.destination, h.path,
				max(h.ways) > min(max(h.ways)) OVER (PARTITION BY h.job, h.kind, h.is_port) AS more
			FROM hops h GROUP BY h.job, h.kind, h.source, h.destination, h.path, h.is_port) h
		GROUP BY h.job, h.kind, h.source, h.destination, h.path
	), compared AS (
		SELECT s.job, s.kind, s.source, s.destination, s.path, s.moved, s.busy, s.began, s.least, s.usual, c.alike, h.shares,
			-- along a rail what is of one kind may go much faster than across rails, as most of it goes
			CASE WHEN c.alike THEN GREATEST(u.rate, s.usual) ELSE s.usual END AS rate,
			GREATEST((limits).flow_slow_rate, (limits).flow_sigma * CASE WHEN c.alike THEN u.deviation
				-- parts of time that are no steps have more of this in one and more of that in another
				WHEN s.period IS NULL THEN 'Infinity'
				ELSE (SELECT @extschema@.l4_deviation(array_agg(ln(x.moved / x.busy)))
					FROM unnest(s.moved, s.busy) x(moved, busy) WHERE x.moved > 0 AND x.busy > 0) END) AS lowest
		FROM series s
		JOIN usual u ON u.job = s.job AND u.kind = s.kind
		CROSS JOIN LATERAL (SELECT u.deviation <= (limits).flow_like_rate AS alike) c
		LEFT JOIN shared h ON h.job = s.job AND h.kind = s.kind AND h.source = s.source AND h.destination = s.destination
			AND (h.path = s.path) IS NOT FALSE
	)
	SELECT c.job, c.kind, c.source, c.destination, c.path, g.began, g.ended, g.level, g.deviation, g.steps, g.began IS NOT NULL,
		CASE WHEN g.began IS NOT NULL AND NOT c.alike THEN (exp(g.level) - 1) / exp(c.rate) * (
			SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x.moved) FROM unnest(c.moved) x(moved) WHERE x.moved > 0) END,
		(c.shares IS NOT TRUE OR g.level - (c.rate - c.usual) >= c.lowest) AND g.is_chance IS NOT TRUE
			AND @extschema@.l4_exceeds_changes(CASE WHEN c.alike THEN g.level END, c.moved, c.busy, limits)
	FROM compared c
	LEFT JOIN LATERAL (SELECT r.*, @extschema@.l4_is_by_chance(x.slowness, c.lowest, r.steps, limits) AS is_chance
		FROM (SELECT array_agg(x.at ORDER BY x.at) AS at, array_agg(c.rate - ln(x.moved / x.busy) ORDER BY x.at) AS slowness
			FROM unnest(c.moved, c.busy, c.began) x(moved, busy, at) -- most are never that slow
			WHERE x.moved > 0 AND x.busy > 0 AND c.rate - c.least >= c.lowest HAVING count(*) > 0) x
		CROSS JOIN LATERAL @extschema@.l4_slow_regimes(x.at, x.slowness, c.lowest, limits) r
		-- who waits does so now for long and now not at all
		WHERE r.level >= (limits).flow_steady_rate * r.deviation) g ON true;
END;
COMMENT ON FUNCTION @extschema@.l4_slow_pairs(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: The rate of each pair and path beside its like (same job, same kind), and beside what it is in the best quarter of its '
'steps, where that is higher; beside that alone where its like differ (limit flow_like_rate). A row for '
'each time that it is slow for several steps (level: by what logarithm; deviation: of the steps from it), by much the same in '
'all of them (limit flow_steady_rate), or one that is not. lost: by how many seconds a step '
'it takes longer then, where it is compared with itself alone; else NULL. is_sure: not where it shares a part of its path with '
'more of its like than others do, as up and down a tree, unless it is slow beside itself, too; nor where it differs as much '
'anyway (l4_exceeds_changes, l4_is_by_chance).';

CREATE FUNCTION @extschema@.l4_waiting_pairs(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS TABLE (pair bigint, job int, kind text, source text, destination text, path text, began double precision,
	ended double precision, level double precision, deviation double precision, is_slow boolean, is_waiting boolean,
	is_sure boolean)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
-- what functions return is counted by nobody: loops would look at all rows for each
SET enable_nestloop = off
BEGIN ATOMIC
	WITH numbered AS MATERIALIZED (
		SELECT p.job, p.kind, p.source, p.destination, p.path, p.began, p.ended, p.level, p.deviation, p.is_slow, p.lost,
			p.is_sure, row_number() OVER () AS pair
		FROM @extschema@.l4_slow_pairs(l4_waiting_pairs.traces, limits) p
	), awaited AS (
		-- what is sent to one that is late lasts until it is ready, whichever link it takes
		SELECT p.pair
		FROM numbered p
		LEFT JOIN numbered o ON o.job = p.job AND o.kind = p.kind AND o.destination = p.destination AND o.source <> p.source
		WHERE p.lost IS NOT NULL
		GROUP BY p.pair
		HAVING count(o.pair) = 0 OR bool_or(o.began <= p.ended AND o.ended >= p.began
			AND p.lost < (limits).flow_lost_factor * o.lost)
	), pairs AS MATERIALIZED (
		SELECT n.pair, n.job, n.kind, n.source, n.destination, n.path, n.began, n.ended, n.level, n.deviation, n.is_sure,
			n.is_slow AND n.pair NOT IN (SELECT a.pair FROM awaited a) AS is_slow
		FROM numbered n
	), places AS MATERIALIZED (
		SELECT t.job, t.source AS address, t.server
		FROM @extschema@.l4_each_trace(l4_waiting_pairs.traces) t WHERE t.kind = 'accelerator'
	), across AS MATERIALIZED (
		SELECT p.pair, p.job, p.kind, p.source, p.destination, p.began, p.ended, p.is_slow, a.server, b.server AS receiver
		FROM (SELECT DISTINCT s.job, s.kind FROM pairs s WHERE s.is_slow) s
		JOIN pairs p ON p.job = s.job AND p.kind = s.kind
		JOIN places a ON a.job = p.job AND a.address = p.source
		JOIN places b ON b.job = p.job AND b.address = p.destination
		WHERE a.server <> b.server
	), waiting AS MATERIALIZED (
		SELECT p.pair
		FROM across p
		JOIN across o ON o.job = p.job AND o.kind = p.kind AND o.server = p.server AND o.receiver = p.receiver
		WHERE p.is_slow
		GROUP BY p.pair
		HAVING count(DISTINCT (o.source, o.destination)) >= (limits).flow_server_links
			AND count(DISTINCT (o.source, o.destination)) = count(DISTINCT (o.source, o.destination))
				FILTER (WHERE o.is_slow AND o.began <= p.ended AND o.ended >= p.began)
	)
	SELECT p.pair, p.job, p.kind, p.source, p.destination, p.path, p.began, p.ended, p.level, p.deviation, p.is_slow,
		p.pair IN (SELECT w.pair FROM waiting w), p.is_sure
	FROM pairs p;
END;
COMMENT ON FUNCTION @extschema@.l4_waiting_pairs(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: l4_slow_pairs, numbered. Of those that are compared with themselves alone none is slow to a receiver that others wait '
'for, too (limit flow_lost_factor), or to one that gets nothing else of the kind. is_waiting: all links from its server to the '
'other are slow at once (limit flow_server_links), so that the sender waits and no link is to blame.';

CREATE FUNCTION @extschema@.l4_elements_of(source text, path text, destination text)
RETURNS TABLE (kind text, name text, width int)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 6 COST 100
BEGIN ATOMIC
	SELECT 'slow_link', format('%s -> %s', l4_elements_of.source, l4_elements_of.destination), 1
	UNION ALL SELECT 'slow_sender', l4_elements_of.source, 2
	UNION ALL SELECT 'slow_receiver', l4_elements_of.destination, 2
	UNION ALL SELECT 'slow_switch', s.name, 3 FROM string_to_table(l4_elements_of.path, ',') s(name);
END;
COMMENT ON FUNCTION @extschema@.l4_elements_of(text, text, text) IS
'Step: What a pair may have in common with others: itself, the interfaces that send and receive, the switches of its path '
'(with commas between them; NULL: not known). width: how much that is.';

CREATE FUNCTION @extschema@.l4_phased_traces(traces @extschema@.l4_flow_trace[]) RETURNS SETOF @extschema@.l4_flow_trace
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 1000
BEGIN ATOMIC
	SELECT t.*
	FROM @extschema@.l4_each_trace(l4_phased_traces.traces) t
	WHERE t.kind <> 'data' OR t.period IS NOT NULL
		OR t.job NOT IN (SELECT p.job FROM @extschema@.l4_phased_jobs(l4_phased_traces.traces) p);
END;
COMMENT ON FUNCTION @extschema@.l4_phased_traces(@extschema@.l4_flow_trace[]) IS
'Step: Traces but for shards that go all the time where gradients come in a phase (l4_phased_jobs).';

CREATE FUNCTION @extschema@.l4_data_groups(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, name text, members text[])
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	SELECT e.job, e.name, array_agg(e.address ORDER BY e.place)
	FROM @extschema@.l4_exchanges_of(ARRAY(SELECT t FROM @extschema@.l4_phased_traces(l4_data_groups.traces) t)) e
	WHERE e.kind = 'data'
	GROUP BY e.job, e.name
	HAVING count(*) >= (limits).flow_group_members;
END;
COMMENT ON FUNCTION @extschema@.l4_data_groups(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: The data-parallel groups of jobs that have enough members (limit flow_group_members), by what comes in a phase where '
'anything does (l4_phased_traces).';

CREATE TYPE @extschema@.l4_pair_element AS (
	pair bigint,
	link text,
	job int,
	kind text,
	name text,
	width int,
	began double precision,
	ended double precision,
	level double precision,
	deviation double precision,
	is_slow boolean,
	is_waiting boolean,
	is_sure boolean
);
COMMENT ON TYPE @extschema@.l4_pair_element IS
'Step: A pair (l4_waiting_pairs) and one of what it may have in common with others: an element (l4_elements_of), or its '
'data-parallel group (slow_group). link: its two ends.';

CREATE FUNCTION @extschema@.l4_pair_elements(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits, jobs int[])
RETURNS SETOF @extschema@.l4_pair_element
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH pairs AS MATERIALIZED (
		SELECT p.* FROM @extschema@.l4_waiting_pairs(l4_pair_elements.traces, limits) p
		WHERE (p.job = ANY (l4_pair_elements.jobs)) IS NOT FALSE
	), groups AS MATERIALIZED (
		SELECT g.job, g.name, g.members FROM @extschema@.l4_data_groups(l4_pair_elements.traces, limits) g
	)
	SELECT p.pair, format('%s -> %s', p.source, p.destination), p.job, e.kind, e.name, e.width, p.began, p.ended, p.level,
		p.deviation, p.is_slow, p.is_waiting, p.is_sure
	FROM pairs p
	CROSS JOIN LATERAL (
		SELECT n.kind, n.name, n.width FROM @extschema@.l4_elements_of(p.source, p.path, p.destination) n
		UNION ALL
		SELECT 'slow_group', m.name, 4 FROM groups m WHERE p.kind = 'data' AND m.job = p.job AND p.source = ANY (m.members)
	) e
	WHERE EXISTS (SELECT FROM pairs s WHERE s.is_slow);
END;
COMMENT ON FUNCTION @extschema@.l4_pair_elements(@extschema@.l4_flow_trace[], @extschema@.l4_limits, int[]) IS
'Step: The pairs of jobs (NULL: of all) with what each may have in common with others; none where none is slow.';

CREATE FUNCTION @extschema@.l4_guilty_elements(elements @extschema@.l4_pair_element[], limits @extschema@.l4_limits)
RETURNS TABLE (kind text, name text, width int, slow bigint, all_of_them bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	SELECT c.kind, c.name, c.width, c.slow, c.all_of_them
	FROM (SELECT e.kind, e.name, e.width, count(DISTINCT e.link) FILTER (WHERE e.is_slow) AS slow,
			count(DISTINCT e.link) AS all_of_them
		FROM unnest(l4_guilty_elements.elements) e GROUP BY e.kind, e.name, e.width) c
	WHERE c.slow >= (limits).flow_element_share * c.all_of_them
		AND (c.width = 1 AND c.slow > 0 OR c.slow >= (limits).flow_element_pairs);
END;
COMMENT ON FUNCTION @extschema@.l4_guilty_elements(@extschema@.l4_pair_element[], @extschema@.l4_limits) IS
'Step: The elements of which nearly all links are slow (limits flow_element_share, flow_element_pairs), how many are, and of '
'how many.';

CREATE FUNCTION @extschema@.l4_blamed_for_groups(elements @extschema@.l4_pair_element[], limits @extschema@.l4_limits)
RETURNS TABLE ("group" text, kind text, name text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH guilty AS MATERIALIZED (
		SELECT g.kind, g.name, g.width, g.slow FROM @extschema@.l4_guilty_elements(l4_blamed_for_groups.elements, limits) g
	), slow AS MATERIALIZED (
		SELECT e.pair, e.link, e.kind, e.name, e.level, e.deviation FROM unnest(l4_blamed_for_groups.elements) e WHERE e.is_slow
	), coupled AS MATERIALIZED (
		SELECT m.name AS "group", m.pair, m.level, m.deviation
		FROM guilty g JOIN slow m ON m.kind = g.kind AND m.name = g.name
		WHERE g.kind = 'slow_group'
	), candidates AS (
		SELECT c."group", x.kind, x.name, min(x.level) AS level, array_agg(x.pair) AS pairs, count(DISTINCT x.link) AS links
		FROM coupled c JOIN slow x ON x.pair = c.pair AND x.kind <> 'slow_group'
		GROUP BY c."group", x.kind, x.name
	), judged AS (
		-- also those of no such group tell of an element
		SELECT c."group", c.kind, c.name, g.width, g.slow, count(*) OVER e
				+ (g.slow > sum(c.links) OVER e)::int AS groups,
			c.level - o.level >= GREATEST((limits).flow_slowest, (limits).flow_sigma * o.deviation) AS is_slowest
		FROM candidates c
		JOIN guilty g ON g.kind = c.kind AND g.name = c.name
		CROSS JOIN LATERAL (SELECT max(m.level) AS level, max(m.deviation) AS deviation
			FROM coupled m WHERE m."group" = c."group" AND m.pair <> ALL (c.pairs)) o
		WINDOW e AS (PARTITION BY c.kind, c.name)
	)
	SELECT g.name, b.kind, b.name
	FROM guilty g
	LEFT JOIN LATERAL (SELECT j.kind, j.name FROM judged j
		WHERE j."group" = g.name AND (j.groups > 1 OR j.is_slowest)
		ORDER BY j.groups DESC, j.slow DESC, j.is_slowest DESC NULLS LAST, j.width, j.kind, j.name COLLATE "C"
		LIMIT 1) b ON true
	WHERE g.kind = 'slow_group';
END;
COMMENT ON FUNCTION @extschema@.l4_blamed_for_groups(@extschema@.l4_pair_element[], @extschema@.l4_limits) IS
'Step: The data-parallel groups of which nearly all links are slow, and because of what: what they send to each other goes at '
'the pace of the slowest of their links. That is of the element that several of them have in common; or, as all others have to '
'wait now and then, of the one whose links are slower than all others of the group, by more than each differs from step to '
'step (limits flow_slowest, flow_sigma). NULLs where none is told.';

CREATE FUNCTION @extschema@.l4_common_elements(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits,
	jobs int[] DEFAULT NULL)
RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH known AS MATERIALIZED (
		SELECT ARRAY(SELECT e FROM @extschema@.l4_pair_elements(l4_common_elements.traces, limits,
			l4_common_elements.jobs) e) AS elements
	), elements AS MATERIALIZED (
		SELECT e.* FROM known k CROSS JOIN LATERAL unnest(k.elements) e
	), guilty AS MATERIALIZED (
		SELECT g.* FROM known k CROSS JOIN LATERAL @extschema@.l4_guilty_elements(k.elements, limits) g
	), blamed AS MATERIALIZED (
		SELECT b."group", b.kind, b.name, m.pair
		FROM known k CROSS JOIN LATERAL @extschema@.l4_blamed_for_groups(k.elements, limits) b
		JOIN elements m ON m.kind = 'slow_group' AND m.name = b."group"
	), explained AS (
		SELECT DISTINCT ON (e.pair) e.*, g.slow, g.all_of_them
		FROM elements e JOIN guilty g ON g.kind = e.kind AND g.name = e.name
		LEFT JOIN blamed b ON b.pair = e.pair
		WHERE e.is_slow AND (b.pair IS NULL OR e.kind = COALESCE(b.kind, 'slow_group') AND e.name = COALESCE(b.name, b."group"))
		ORDER BY e.pair, g.slow DESC, g.width, e.kind, e.name COLLATE "C"
	), told AS (
		SELECT CASE WHEN count(DISTINCT x.job) = 1 THEN min(x.job) END AS job, x.kind, x.name, x.slow, x.all_of_them,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY x.began) AS began,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY x.ended) AS ended,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY x.level) AS level,
			array_agg(DISTINCT x.link ORDER BY x.link) AS links, array_agg(DISTINCT x.job) AS jobs,
			bool_or(x.is_sure) AS is_sure
		FROM explained x
		WHERE x.kind <> 'slow_link' OR NOT x.is_waiting
		GROUP BY x.kind, x.name, x.slow, x.all_of_them
	), slow_link AS MATERIALIZED (
		SELECT e.job, e.link, e.began, e.ended, e.level, b.kind, b.name
		FROM elements e LEFT JOIN blamed b ON b.pair = e.pair
		WHERE e.is_slow AND e.kind = 'slow_link'
	), others AS MATERIALIZED (
		SELECT t.kind, t.name, count(DISTINCT o.link) AS links
		FROM told t JOIN slow_link o ON o.job = ANY (t.jobs) AND o.began <= t.ended AND o.ended >= t.began
		WHERE o.link <> ALL (t.links) AND t.level < (limits).flow_stands_out * o.level
			AND (o.kind = t.kind AND o.name = t.name) IS NOT TRUE
		GROUP BY t.kind, t.name
	)
	SELECT t.job, CASE WHEN t.kind IN ('slow_switch', 'slow_group') THEN t.kind ELSE 'slow_link' END, t.name, t.began, t.ended,
		exp(-t.level), CASE WHEN t.slow > 1 THEN 0.95 ELSE 0.85 END,
		jsonb_build_object('end', CASE t.kind WHEN 'slow_sender' THEN 'sends' WHEN 'slow_receiver' THEN 'receives' END,
			'slow_pairs', t.slow, 'pairs', t.all_of_them, 'links', to_jsonb(t.links[:5]), 'sure', t.is_sure,
			'unexplained', COALESCE(o.links, 0),
			'members', (SELECT to_jsonb(g.members) FROM @extschema@.l4_data_groups(l4_common_elements.traces, limits) g
				WHERE t.kind = 'slow_group' AND g.job = t.job AND g.name = t.name))
	FROM told t LEFT JOIN others o ON o.kind = t.kind AND o.name = t.name;
END;
COMMENT ON FUNCTION @extschema@.l4_common_elements(@extschema@.l4_flow_trace[], @extschema@.l4_limits, int[]) IS
'Step: What slow pairs of jobs (NULL: of all) have in common: a link, a network interface (its sending or receiving), a '
'switch, a data-parallel group (named by its first member; cross-group as in LLMPrism); each pair is laid to the element that '
'has most slow pairs of those of which nearly all are slow (l4_guilty_elements), the narrowest of equals. Where those of a '
'whole group are slow, to what is blamed for that (l4_blamed_for_groups), or to the group. To no link '
'that waits for its sender (l4_waiting_pairs). facts: sure, where one of the pairs is (l4_slow_pairs); unexplained, how many '
'others of its jobs are slow at once, by as much but for limit flow_stands_out, in no group that it is blamed for.';

CREATE FUNCTION @extschema@.l4_slow_elements(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits,
	jobs int[] DEFAULT NULL)
RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH common AS MATERIALIZED (
		SELECT c.job, c.kind, c.subject, c.began, c.ended, c.factor, c.confidence, c.facts,
			-- interfaces, which have several links, and single links
			c.kind || COALESCE(c.facts ->> 'end', '') AS element
		FROM @extschema@.l4_common_elements(l4_slow_elements.traces, limits, l4_slow_elements.jobs) c
	), at_once AS (
		SELECT t.element, t.subject, count(*) AS others, max(-ln(o.factor)) AS level
		FROM common t
		JOIN common o ON o.element = t.element AND o.subject <> t.subject AND o.began <= t.ended AND o.ended >= t.began
			AND (o.job = t.job) IS NOT FALSE
		WHERE t.kind <> 'slow_switch'
		GROUP BY t.element, t.subject
	)
	SELECT c.job, c.kind, c.subject, c.began, c.ended, c.factor, c.confidence,
		c.facts - '{sure,unexplained}'::text[]
	FROM common c
	LEFT JOIN at_once a ON a.element = c.element AND a.subject = c.subject
	WHERE (c.facts ->> 'sure')::boolean
		AND ((c.facts ->> 'unexplained')::bigint < (limits).flow_slow_at_once
			OR (c.facts ->> 'slow_pairs')::bigint >= (limits).flow_explained
				* ((c.facts ->> 'slow_pairs')::bigint + (c.facts ->> 'unexplained')::bigint))
		AND (a.others < (limits).flow_slow_at_once OR -ln(c.factor) >= (limits).flow_stands_out * a.level) IS NOT FALSE;
END;
COMMENT ON FUNCTION @extschema@.l4_slow_elements(@extschema@.l4_flow_trace[], @extschema@.l4_limits, int[]) IS
'Step: l4_common_elements, but no link, interface or group that is slow at once with others of its kind, unless it stands out '
'(limits flow_slow_at_once, flow_stands_out), nor a switch or whatever that explains few of the links that are slow then '
'(limit flow_explained): their paths meet where nobody sees it, or they wait for the same. And none that is not sure, as its '
'path meets others.';
