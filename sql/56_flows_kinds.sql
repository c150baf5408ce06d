/*
 * What each pair of accelerators of a job exchanges, and the steps of each accelerator that this tells, from the pairs of
 * 56_flows.sql.
 */

-- ---- what a pair is ----

CREATE FUNCTION @extschema@.l4_go_in_turn(answer @extschema@.l4_answer, limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN COALESCE((answer).turns >= (limits).flow_least_steps AND (answer).in_turn >= (limits).flow_in_turn, false);
COMMENT ON FUNCTION @extschema@.l4_go_in_turn(@extschema@.l4_answer, @extschema@.l4_limits) IS
'Step: Is most of what goes alone between two, while all else goes both ways at once, first one way and then the other, again '
'and again (limits flow_least_steps, flow_in_turn)? A stage that sends the next activations as it gets gradients begins each '
'step with activations, and ends it with gradients; what is exchanged begins and ends at once.';

CREATE FUNCTION @extschema@.l4_is_answered(returned double precision, together double precision, same_size double precision,
	answer @extschema@.l4_answer, limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN returned >= (limits).flow_returned
	AND (together < (limits).flow_together AND ((answer).end_together < (limits).flow_together
			AND (answer).at_once < (limits).flow_at_once) IS NOT FALSE
		OR @extschema@.l4_go_in_turn(answer, limits))
	AND (same_size >= (limits).flow_same_size OR COALESCE((answer).alike >= (limits).flow_answered, false));
COMMENT ON FUNCTION @extschema@.l4_is_answered(double precision, double precision, double precision, @extschema@.l4_answer,
	@extschema@.l4_limits) IS
'Step: Does what goes one way between two come back later, in pieces of one size, or each as large as it went (limit '
'flow_answered), as along a pipeline, and neither at once (limit flow_at_once) nor done together with it, as what waits for '
'each other is (limit flow_together), or only between what is first and last in each step (l4_go_in_turn)? Arguments as those '
'of l4_flow_pair_kind.';

CREATE FUNCTION @extschema@.l4_go_at_once(forth @extschema@.l4_flow_series, back @extschema@.l4_flow_series, phases bigint,
	limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 3000
BEGIN ATOMIC
	SELECT a.seconds + b.seconds - u.seconds >= (limits).flow_at_once * LEAST(a.seconds, b.seconds)
		-- up and down a tree in turn, bucket by bucket
		OR LEAST(a.bursts, b.bursts) > (limits).flow_step_phases * phases
	FROM @extschema@.l4_bursts((forth).began, (forth).lasted, (limits).flow_pause) a,
		@extschema@.l4_bursts((back).began, (back).lasted, (limits).flow_pause) b,
		@extschema@.l4_bursts((forth).began || (back).began, (forth).lasted || (back).lasted, (limits).flow_pause) u;
END;
COMMENT ON FUNCTION @extschema@.l4_go_at_once(@extschema@.l4_flow_series, @extschema@.l4_flow_series, bigint,
	@extschema@.l4_limits) IS
'Step: Do messages between two go both ways at once, for enough of the time in which the way goes on that is shorter (limit '
'flow_at_once), or back and forth several times in a phase (limit flow_step_phases)? So do collectives; along a pipeline what '
'comes back comes later, and of a microbatch once. phases: how many there are. NULL where nothing goes one way.';

CREATE FUNCTION @extschema@.l4_least_alike(forth @extschema@.l4_flow_series, back @extschema@.l4_flow_series)
	RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN LEAST(NULLIF((forth).same_size, 0), NULLIF((back).same_size, 0));
COMMENT ON FUNCTION @extschema@.l4_least_alike(@extschema@.l4_flow_series, @extschema@.l4_flow_series) IS
'Step: The share of records of the most frequent size, of that way between two in which fewer are alike: the tokens of experts '
'go both ways, gradients around a ring may go one beside them. NULL for no records.';

CREATE FUNCTION @extschema@.l4_flow_pair_kind(span double precision, returned double precision, together double precision,
	same_size double precision, least_alike double precision, answer @extschema@.l4_answer, any_phase boolean,
	limits @extschema@.l4_limits) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN CASE
	-- gradients have few sizes, also of what comes in one phase
	WHEN same_size < (limits).flow_own_size AND @extschema@.l4_is_answered(returned, together, same_size, answer, limits)
		THEN 'pipeline'
	WHEN span <= (limits).flow_data_span AND any_phase THEN 'data'
	WHEN @extschema@.l4_is_answered(returned, together, same_size, answer, limits) THEN 'pipeline'
	WHEN any_phase IS NOT TRUE THEN CASE WHEN same_size < (limits).flow_own_size THEN 'expert' ELSE 'data' END
	WHEN same_size < (limits).flow_same_size OR least_alike < (limits).flow_own_size THEN 'expert'
	ELSE 'context' END;
COMMENT ON FUNCTION @extschema@.l4_flow_pair_kind(double precision, double precision, double precision, double precision,
	double precision, @extschema@.l4_answer, boolean, @extschema@.l4_limits) IS
'Step: What a pair of accelerators of a job exchanges: data (gradients: in one phase of the step), pipeline (activations '
'forth, gradients back), expert (sizes vary, as the tokens of experts do) or context. span: of its traffic, in steps (NULL:'
' the job has none); returned: bytes of the lesser direction over those of the greater; together: share of its messages '
'that go together with one the other way; same_size: share of its records of the most frequent size, of the way in which most '
'are alike, and least_alike of the other one (l4_least_alike); answer: l4_flow_answer; any_phase: does any '
'pair of the job send in one phase alone, and most of those not to answer each other? Where none does (ZeRO-3, FSDP), what '
'is no pipeline is data, unless no two records are alike (limit flow_own_size).';

CREATE TYPE @extschema@.l4_flow_place AS (
	address text,
	job int,
	server text,
	period double precision
);
COMMENT ON TYPE @extschema@.l4_flow_place IS 'Step: A row of l4_flow_places.';

CREATE TYPE @extschema@.l4_flow_direction AS (
	job int,
	period double precision,
	kind text,
	source text,
	destination text,
	series @extschema@.l4_flow_series,
	cycle double precision,
	cycles @extschema@.l4_step_cycle_series
);
COMMENT ON TYPE @extschema@.l4_flow_direction IS
'Step: What one accelerator of a job sends to another: data, pipeline, expert or context (kind; mixed: gradients beside tokens '
'of experts). period: seconds of a step of the job, NULL where no phase of this ends one; cycle: the same where parameters are '
'sharded, so that no pause ends a step, else NULL; cycles: those of this way then.';

CREATE FUNCTION @extschema@.l4_each_direction(directions @extschema@.l4_flow_direction[])
	RETURNS SETOF @extschema@.l4_flow_direction
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 1000
BEGIN ATOMIC
	SELECT (d.direction).job, (d.direction).period, (d.direction).kind, (d.direction).source, (d.direction).destination,
		(d.direction).series, (d.direction).cycle, (d.direction).cycles
	FROM (SELECT unnest(l4_each_direction.directions) AS direction) d;
END;
COMMENT ON FUNCTION @extschema@.l4_each_direction(@extschema@.l4_flow_direction[]) IS
'Step: unnest of directions, of which no copy is made.';

CREATE TYPE @extschema@.l4_flow_measure AS (
	job int,
	period double precision,
	span double precision,
	kind text,
	is_answered boolean,
	cycle double precision,
	cycles int,
	microbatches int,
	layer double precision,
	weight double precision,
	repeats boolean,
	differs boolean
);
COMMENT ON TYPE @extschema@.l4_flow_measure IS
'Step: What tells of a pair how its job makes steps: l4_flow_span, l4_flow_pair_kind where there is a phase, whether it sends '
'in a phase and gets its answer later, its l4_step_cycles, whether, without any, it repeats itself with those of another, and '
'whether no two of its records are alike (limit flow_own_size).';

CREATE FUNCTION @extschema@.l4_usual_cycle(cycles double precision[], numbers int[], microbatches int[],
	limits @extschema@.l4_limits) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH links AS (
		-- a link tells for as long as its cycles go on: some are seen only while somebody is slow
		SELECT c.cycle, CASE WHEN c.microbatches > 0 THEN t.time ELSE 0 END AS time, t.time AS whole
		FROM unnest(l4_usual_cycle.cycles, l4_usual_cycle.numbers, l4_usual_cycle.microbatches) c(cycle, number, microbatches)
		CROSS JOIN LATERAL round(1000 * c.cycle * c.number) t(time)
		WHERE c.cycle > 0
	), told AS MATERIALIZED (
		SELECT l.cycle, l.time, sum(l.whole) OVER () AS whole, sum(l.time) OVER (ORDER BY ln(l.cycle)
			RANGE BETWEEN (limits).flow_cycle_tolerance PRECEDING AND (limits).flow_cycle_tolerance FOLLOWING) AS alike
		FROM links l
	), most AS (
		SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY t.cycle) AS cycle
		FROM told t
		WHERE t.time > 0 AND t.alike = (SELECT max(x.alike) FROM told x)
	), multiples AS MATERIALIZED (
		SELECT t.cycle, t.time, t.alike, t.whole
		FROM told t
		CROSS JOIN most m
		WHERE t.time > 0 AND round(t.cycle / m.cycle) > 1
			AND abs(t.cycle / (round(t.cycle / m.cycle) * m.cycle) - 1) <= (limits).flow_cycle_tolerance
	)
	SELECT COALESCE((SELECT x.cycle FROM multiples x
			WHERE x.alike >= (limits).flow_cycle_pairs * x.whole ORDER BY x.alike DESC, x.cycle DESC LIMIT 1),
		-- most cannot tell, or not which
		(SELECT m.cycle FROM most m
			WHERE 2 * ((SELECT sum(t.time) FROM told t) - COALESCE((SELECT sum(x.time) FROM multiples x), 0))
				>= (SELECT max(t.whole) FROM told t)));
END;
COMMENT ON FUNCTION @extschema@.l4_usual_cycle(double precision[], int[], int[], @extschema@.l4_limits) IS
'Step: How long a step of a job with sharded parameters takes (seconds), by what each of its links tells: how long a cycle '
'takes, how many there are, over how many microbatches (0: it cannot tell). What most of them tell (limit '
'flow_cycle_tolerance), but a multiple of it where enough tell that (limit flow_cycle_pairs), as a link that sees no optimizer '
'takes each microbatch for a step. NULL where most tell neither. Cost: time n * log(n).';

CREATE FUNCTION @extschema@.l4_job_phases(measures @extschema@.l4_flow_measure[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, cycle double precision, any_phase boolean, is_summed boolean)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH measured AS MATERIALIZED (
		SELECT m.job, m.period, m.kind, m.is_answered, m.cycle, m.cycles, m.microbatches, m.repeats, m.differs,
			CASE WHEN m.layer < (limits).flow_layer_ratio * m.period THEN m.layer END AS layer,
			m.weight >= (limits).flow_microbatch_bytes AS is_heavy, (m.span <= (limits).flow_data_span) IS TRUE AS is_phase,
			2 * count(*) FILTER (WHERE m.differs) OVER (PARTITION BY m.job) >= count(*) OVER (PARTITION BY m.job) AS of_tokens
		FROM unnest(l4_job_phases.measures) m
	), cycles AS (
		SELECT m.job, @extschema@.l4_usual_cycle(array_agg(m.cycle), array_agg(m.cycles), array_agg(m.microbatches),
			limits) AS cycle
		FROM measured m WHERE m.cycle IS NOT NULL GROUP BY m.job
	), summed AS (
		-- those who hold the same shard sum up its gradients, in a phase; between the others layers are seen
		SELECT m.job, count(*) FILTER (WHERE m.is_phase) >= (limits).flow_cycle_pairs * count(*)
			AND count(*) FILTER (WHERE m.is_heavy AND abs(m.cycle / m.period - 1) <= (limits).flow_period_tolerance)
				>= GREATEST((limits).flow_cycle_pairs * count(*) FILTER (WHERE NOT m.is_phase), 1) AS is_summed
		FROM measured m
		GROUP BY m.job
	), sharded AS (
		-- what comes regularly are layers then, many of which make a cycle
		SELECT m.job, s.is_summed, c.cycle
		FROM measured m
		JOIN cycles c ON c.job = m.job
		JOIN summed s ON s.job = m.job
		-- tokens of experts go forwards and backwards, too: where most pairs are theirs, nearly all others are to tell it
		WHERE NOT m.of_tokens OR m.differs IS NOT TRUE
		GROUP BY m.job, s.is_summed, c.cycle
		HAVING (count(m.cycle) >= CASE WHEN bool_or(m.of_tokens) THEN (limits).flow_cycle_alike
				ELSE (limits).flow_cycle_pairs END * count(*)
				-- layers of ranks that are early or late run into each other, but move the same in each cycle
				OR count(*) FILTER (WHERE abs(m.cycle / c.cycle - 1) <= (limits).flow_period_tolerance) >= 2
					AND count(*) FILTER (WHERE abs(m.cycle / c.cycle - 1) <= (limits).flow_period_tolerance OR m.repeats)
						>= (limits).flow_cycle_alike * count(*))
			AND ((percentile_disc(0.5) WITHIN GROUP (ORDER BY m.cycle / GREATEST(m.microbatches, 1))
					>= 2 * (limits).flow_cycle_run * max(m.period)) IS NOT FALSE
				-- or a link is regular from step to step, but no phase of data ends one
				OR NOT bool_or(m.is_phase)
				OR s.is_summed)
			-- a pipeline goes forwards and backwards, too, but moves as much on either way
			AND 2 * count(*) FILTER (WHERE m.is_heavy AND m.kind = 'pipeline') >= count(*) FILTER (WHERE m.kind = 'pipeline')
	)
	SELECT m.job, s.cycle,
		-- in less than a step it is the pipeline that sends in phases, once a microbatch
		count(*) FILTER (WHERE m.is_phase) > 2 * count(*) FILTER (WHERE m.is_answered)
			AND s.job IS NULL
			-- between two layers no microbatch goes forth and comes back
			AND (count(*) FILTER (WHERE m.kind = 'pipeline') >= (limits).flow_cycle_pairs * count(*) OR
			-- too few layers for cycles; what contexts exchange comes at two speeds, too, but in none of these phases
			count(*) FILTER (WHERE m.is_phase AND m.period < 2 * m.layer)
				<= (limits).flow_layer_pairs * count(*) FILTER (WHERE m.is_phase)
			AND count(*) FILTER (WHERE m.period < 2 * m.layer)
				<= (limits).flow_cycle_pairs * count(*) FILTER (WHERE m.is_phase)),
		s.cycle IS NOT NULL AND s.is_summed
	FROM measured m
	LEFT JOIN sharded s ON s.job = m.job
	GROUP BY m.job, s.job, s.cycle, s.is_summed;
END;
COMMENT ON FUNCTION @extschema@.l4_job_phases(@extschema@.l4_flow_measure[], @extschema@.l4_limits) IS
'Step: How jobs make steps: in cycles of layers (cycle: seconds of a step), as parameters are sharded, or in phases of '
'data-parallel traffic (any_phase); or neither is seen. is_summed: in cycles, but gradients of a shard are summed up in a '
'phase, too, which ends the step.';

CREATE FUNCTION @extschema@.l4_phases_move_same(series @extschema@.l4_flow_series, period double precision,
	limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 3000
BEGIN ATOMIC
	SELECT max(b.bytes) < (limits).flow_microbatch_bytes * percentile_cont(0.5) WITHIN GROUP (ORDER BY b.bytes)
	FROM (SELECT @extschema@.l4_step_phases(s.began, s.lasted, s.moved, true, l4_phases_move_same.period
			* (limits).flow_step_pause, (limits).flow_whole_phase) AS phases
		FROM (VALUES ((series).began, (series).lasted, (series).moved)) s(began, lasted, moved)) p
	CROSS JOIN LATERAL unnest((p.phases).bytes) b(bytes);
END;
COMMENT ON FUNCTION @extschema@.l4_phases_move_same(@extschema@.l4_flow_series, double precision, @extschema@.l4_limits) IS
'Step: Does no phase of what goes one way between two (parted by a part of the period, in seconds: limit flow_step_pause) move '
'much more than they mostly do (limit flow_microbatch_bytes), as that does behind which parameters are gathered? NULL for no '
'phases. Cost: n * log(n).';

CREATE FUNCTION @extschema@.l4_goes_with_backward(span double precision, is_answered boolean, same_size double precision,
	series @extschema@.l4_flow_series, period double precision, limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100
RETURN CASE WHEN span > (limits).flow_data_span AND span <= (limits).flow_backward_span AND NOT is_answered
		AND same_size >= (limits).flow_own_size
	THEN @extschema@.l4_phases_move_same(series, period, limits) ELSE false END;
COMMENT ON FUNCTION @extschema@.l4_goes_with_backward(double precision, boolean, double precision,
	@extschema@.l4_flow_series, double precision, @extschema@.l4_limits) IS
'Step: May what goes between two be gradients that are summed up while the whole backward goes on, as where none are '
'accumulated: in one phase of each step that is as long as that (limits flow_data_span, flow_backward_span), in pieces of few '
'sizes (limit flow_own_size), the same in each (l4_phases_move_same), and not answered? series: the way that moves more; the '
'others as those of l4_flow_pair_kind.';

CREATE FUNCTION @extschema@.l4_usual_size(forth @extschema@.l4_flow_series, back @extschema@.l4_flow_series)
	RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT mode() WITHIN GROUP (ORDER BY m.size) FROM unnest((forth).moved || (back).moved) m(size);
END;
COMMENT ON FUNCTION @extschema@.l4_usual_size(@extschema@.l4_flow_series, @extschema@.l4_flow_series) IS
'Step: The most frequent size of the messages between two, both ways (bytes; of equals the least). Cost: n * log(n).';

CREATE FUNCTION @extschema@.l4_halved_pairs(pairs @extschema@.l4_flow_pair[], limits @extschema@.l4_limits)
RETURNS TABLE (one text, other text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH link AS MATERIALIZED (
		SELECT p.one, p.other, e.source, e.destination, ln(p.bytes) AS moved
		FROM @extschema@.l4_each_pair(l4_halved_pairs.pairs) p
		CROSS JOIN LATERAL (VALUES (p.one, p.other), (p.other, p.one)) e(source, destination)
		WHERE abs(ln(NULLIF((p.forth).bytes, 0)::double precision / NULLIF((p.back).bytes, 0))) <= (limits).flow_halved
	), square AS MATERIALIZED (
		SELECT ARRAY[a.one, b.one, c.one, d.one] AS ones, ARRAY[a.other, b.other, c.other, d.other] AS others
		FROM link a
		JOIN link b ON b.source = a.source AND abs(b.moved - a.moved - ln(2)) <= (limits).flow_halved
		JOIN link c ON c.source = a.destination AND c.destination <> a.source
			AND abs(c.moved - b.moved) <= (limits).flow_halved
		JOIN link d ON d.source = b.destination AND d.destination = c.destination
			AND abs(d.moved - a.moved) <= (limits).flow_halved
	), side AS MATERIALIZED (
		SELECT DISTINCT e.one, e.other FROM square s CROSS JOIN LATERAL unnest(s.ones, s.others) e(one, other)
	), sized AS MATERIALIZED (
		SELECT p.one, p.other, @extschema@.l4_usual_size(p.forth, p.back) AS size
		FROM @extschema@.l4_each_pair(l4_halved_pairs.pairs) p JOIN side s ON s.one = p.one AND s.other = p.other
	)
	SELECT DISTINCT e.one, e.other
	FROM square s
	JOIN sized a ON a.one = s.ones[1] AND a.other = s.others[1]
	JOIN sized b ON b.one = s.ones[2] AND b.other = s.others[2]
	CROSS JOIN LATERAL unnest(s.ones, s.others) e(one, other)
	WHERE abs(ln(b.size / a.size) - ln(2)) <= (limits).flow_halved;
END;
COMMENT ON FUNCTION @extschema@.l4_halved_pairs(@extschema@.l4_flow_pair[], @extschema@.l4_limits) IS
'Step: Pairs of four that exchange in a square, over two sides half as much as over the other two, in messages half as large '
'(limit flow_halved): those sum up by recursive halving and doubling, each round of which exchanges half of what the one '
'before did, with another partner. What goes along a pipeline is as much between all stages, and has nothing to do with the '
'size of gradients. Each pair once. Cost: pairs times the square of the partners that one has. '
'After Thakur et al., Optimization of Collective Communication Operations in MPICH, IJHPCA 2005.';

CREATE FUNCTION @extschema@.l4_measured_pairs(pairs @extschema@.l4_flow_pair[], places @extschema@.l4_flow_place[],
	limits @extschema@.l4_limits)
RETURNS TABLE (one text, other text, forth @extschema@.l4_flow_series, back @extschema@.l4_flow_series, job int,
	period double precision, span double precision, phases bigint, returned double precision, together double precision,
	same_size double precision, least_alike double precision, cycles @extschema@.l4_step_cycle_series,
	answer @extschema@.l4_answer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	SELECT s.one, s.other, s.forth, s.back, p.job, p.period,
		@extschema@.l4_flow_span(b.parted, b.active, p.period, limits) AS span, (b.parted).bursts AS phases,
		COALESCE(LEAST((s.forth).bytes, (s.back).bytes)::double precision
			/ NULLIF(GREATEST((s.forth).bytes, (s.back).bytes), 0), 0)
			* (s.forth IS NOT NULL AND s.back IS NOT NULL)::int AS returned,
		CASE WHEN h.one IS NOT NULL THEN 1
			ELSE COALESCE(@extschema@.l4_together((s.forth).began, (s.back).began, (limits).flow_together_time), 0)
			END AS together,
		GREATEST((s.forth).same_size, (s.back).same_size) AS same_size,
		@extschema@.l4_least_alike(s.forth, s.back) AS least_alike, s.cycles,
		CASE WHEN h.one IS NULL THEN s.answer END AS answer
	FROM @extschema@.l4_each_pair(l4_measured_pairs.pairs) s
	JOIN unnest(l4_measured_pairs.places) p ON p.address = s.one
	JOIN @extschema@.l4_training_pairs(l4_measured_pairs.pairs, limits) t ON t.one = s.one AND t.other = s.other
	-- what is halved is exchanged, however late the records of one side are
	LEFT JOIN @extschema@.l4_halved_pairs(l4_measured_pairs.pairs, limits) h ON h.one = s.one AND h.other = s.other
	CROSS JOIN LATERAL @extschema@.l4_flow_pair_bursts(s.forth, s.back, p.period, limits) b;
END;
COMMENT ON FUNCTION @extschema@.l4_measured_pairs(@extschema@.l4_flow_pair[], @extschema@.l4_flow_place[],
	@extschema@.l4_limits) IS
'Step: The pairs of jobs with what tells their kind: the arguments of l4_flow_pair_kind, and how many phases there are. It is '
'put into the query that asks, so that no copy is made.';

CREATE FUNCTION @extschema@.l4_flow_measure_of(job int, period double precision, span double precision, kind text,
	is_answered boolean, same_size double precision, forth @extschema@.l4_flow_series, back @extschema@.l4_flow_series,
	phases bigint, cycles @extschema@.l4_step_cycle_series, rounds @extschema@.l4_step_cycle_series,
	best_ended double precision[], limits @extschema@.l4_limits) RETURNS @extschema@.l4_flow_measure
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT job, period, span, kind,
		CASE WHEN span <= (limits).flow_data_span AND is_answered
			THEN NOT @extschema@.l4_go_at_once(forth, back, phases, limits) END,
		COALESCE((cycles)."interval", (rounds)."interval"), cardinality(COALESCE((cycles).ended, (rounds).ended)),
		COALESCE((cycles).microbatches, (rounds).microbatches), (cycles).layer, (cycles).weight,
		CASE WHEN (cycles)."interval" IS NULL
			THEN @extschema@.l4_repeats_itself((g.series).began, (g.series).moved, best_ended, limits) END,
		same_size < (limits).flow_own_size
	FROM (SELECT @extschema@.l4_greater_way(forth, back) AS series) g;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_measure_of(int, double precision, double precision, text, boolean, double precision,
	@extschema@.l4_flow_series, @extschema@.l4_flow_series, bigint, @extschema@.l4_step_cycle_series,
	@extschema@.l4_step_cycle_series, double precision[], @extschema@.l4_limits) IS
'Step: What tells of a pair how its job makes steps: of what goes both ways, with its kind (where there is a phase), its '
'cycles or rounds (l4_rounds_of), and where the cycles of the best link of the job end.';

CREATE TYPE @extschema@.l4_told_kind AS (
	job int,
	one text,
	other text,
	kind text,
	returned double precision,
	alike double precision,
	same_size double precision
);
COMMENT ON TYPE @extschema@.l4_told_kind IS
'Step: What a pair of accelerators of a job exchanges by its own traffic (l4_flow_pair_kind), the bytes of the lesser '
'direction over those of the greater, the share of messages that are answered by as large ones (l4_flow_answer), and that of '
'records which have the most frequent size.';

CREATE FUNCTION @extschema@.l4_chained_members(kinds @extschema@.l4_told_kind[], places @extschema@.l4_flow_place[],
	limits @extschema@.l4_limits) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH token AS MATERIALIZED (
		SELECT k.one, k.other FROM unnest(l4_chained_members.kinds) k WHERE k.kind = 'expert'
	), member AS MATERIALIZED (
		SELECT m.member, m.component, m.members, COALESCE(p.server, m.member) AS server
		FROM (SELECT @extschema@.l4_connected_components(t.one, t.other) AS all_of_them FROM token t) c
		CROSS JOIN LATERAL unnest(c.all_of_them) m
		LEFT JOIN unnest(l4_chained_members.places) p ON p.address = m.member
	), possible AS (
		-- those on one server need no network
		SELECT s.component, (s.members * s.members - sum(s.here * s.here)) / 2 AS pairs
		FROM (SELECT m.component, m.members, count(*) AS here FROM member m GROUP BY m.component, m.members, m.server) s
		GROUP BY s.component, s.members
	), chain AS (
		-- gradients may go around a ring of them, too
		SELECT a.component
		FROM unnest(l4_chained_members.kinds) k JOIN member a ON a.member = k.one
		JOIN member b ON b.member = k.other AND b.component = a.component AND b.server <> a.server
		JOIN possible p ON p.component = a.component
		GROUP BY a.component, p.pairs
		HAVING count(*) < (limits).flow_expert_pairs * p.pairs
	)
	SELECT m.member FROM member m WHERE m.component IN (SELECT c.component FROM chain c);
END;
COMMENT ON FUNCTION @extschema@.l4_chained_members(@extschema@.l4_told_kind[], @extschema@.l4_flow_place[],
	@extschema@.l4_limits) IS
'Step: Accelerators of pairs that look as if they exchanged the tokens of experts, but are linked by fewer pairs than from '
'each to each (limit flow_expert_pairs), whatever else goes there: along a chain or around a ring.';

CREATE FUNCTION @extschema@.l4_told_kinds(kinds @extschema@.l4_told_kind[], places @extschema@.l4_flow_place[],
	limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_told_kind
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH chained AS MATERIALIZED (
		SELECT c.address FROM @extschema@.l4_chained_members(l4_told_kinds.kinds, l4_told_kinds.places, limits) c (address)
	), placed AS (
		SELECT k.*, COALESCE(a.server, k.one) AS one_server, COALESCE(b.server, k.other) AS other_server
		FROM unnest(l4_told_kinds.kinds) k
		LEFT JOIN unnest(l4_told_kinds.places) a ON a.address = k.one
		LEFT JOIN unnest(l4_told_kinds.places) b ON b.address = k.other
	), seen AS (
		SELECT p.*, 2 * count(*) FILTER (WHERE p.kind = 'pipeline') OVER w > count(*) FILTER (WHERE p.kind <> 'data') OVER w
			AND p.alike >= (limits).flow_answered AS is_like_most
		FROM placed p
		WINDOW w AS (PARTITION BY p.job, LEAST(p.one_server, p.other_server), GREATEST(p.one_server, p.other_server))
	), meshed AS MATERIALIZED (
		-- no stage sends what it made to more than one of another server, nor around a ring
		SELECT m.job, m.low, m.high, m.same_size
		FROM (SELECT p.job, LEAST(p.one_server, p.other_server) AS low, GREATEST(p.one_server, p.other_server) AS high,
				count(*) AS pairs, -- gradients go beside tokens along some
				percentile_cont(0.5) WITHIN GROUP (ORDER BY p.same_size) FILTER (WHERE p.kind <> 'data') AS same_size,
				count(DISTINCT CASE WHEN p.one_server <= p.other_server THEN p.one ELSE p.other END) AS of_low,
				count(DISTINCT CASE WHEN p.one_server <= p.other_server THEN p.other ELSE p.one END) AS of_high
			FROM placed p
			WHERE p.one_server <> p.other_server
			GROUP BY p.job, LEAST(p.one_server, p.other_server), GREATEST(p.one_server, p.other_server)) m
		WHERE LEAST(m.of_low, m.of_high) >= (limits).flow_mesh_members
			AND m.pairs >= (limits).flow_expert_pairs * m.of_low * m.of_high
	)
	SELECT p.job, p.one, p.other,
		CASE WHEN p.kind = 'data' THEN p.kind
			WHEN m.job IS NOT NULL THEN CASE WHEN m.same_size < (limits).flow_own_size THEN 'expert' ELSE 'context' END
			WHEN p.kind <> 'expert' THEN p.kind
			WHEN p.returned < (limits).flow_answer_size THEN 'context'
			WHEN p.returned >= (limits).flow_returned
				AND (p.is_like_most OR p.one IN (SELECT c.address FROM chained c)) THEN 'pipeline'
			ELSE 'expert' END, p.returned, p.alike, p.same_size
	FROM seen p
	LEFT JOIN meshed m ON m.job = p.job AND m.low = LEAST(p.one_server, p.other_server)
		AND m.high = GREATEST(p.one_server, p.other_server);
END;
COMMENT ON FUNCTION @extschema@.l4_told_kinds(@extschema@.l4_told_kind[], @extschema@.l4_flow_place[],
	@extschema@.l4_limits) IS
'Step: The kinds of pairs, seen together. What goes from each of a server to each of another (limits flow_mesh_members, '
'flow_expert_pairs), data aside, is exchanged by all: the tokens of experts, or, if most of it comes in few sizes (limit '
'flow_own_size), contexts, each of which has the heads of all. Else the tokens of experts go from each to each and come back: '
'what goes along a chain (l4_chained_members), with sizes that differ because a collector samples or merges records, is a '
'pipeline; so is what is answered (limit flow_answered) between two servers most pairs of which are (data aside); and of '
'which next to nothing comes back (limit flow_answer_size) are contexts.';

CREATE FUNCTION @extschema@.l4_direction_kind(kind text, any_tokens boolean, is_sharded boolean, any_phase boolean,
	is_greater boolean, returned double precision, same_size double precision, limits @extschema@.l4_limits) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN CASE
	-- tokens go beside layers, each with a size of its own
	WHEN is_sharded THEN CASE WHEN any_tokens AND same_size < (limits).flow_own_size THEN 'expert' ELSE 'data' END
	-- tokens come back: what is more is of a ring beside them
	WHEN kind = 'expert' AND is_greater AND returned < (limits).flow_returned AND same_size >= (limits).flow_own_size
		THEN 'mixed'
	-- of a link that both take, without a phase, one way may be of tokens alone
	WHEN any_phase IS NOT TRUE AND kind = 'data' AND same_size < (limits).flow_own_size THEN 'expert'
	ELSE kind END;
COMMENT ON FUNCTION @extschema@.l4_direction_kind(text, boolean, boolean, boolean, boolean, double precision, double precision,
	@extschema@.l4_limits) IS
'Step: What goes one way between two, of which kind is the pair (l4_told_kinds; returned: of both ways), in a job with any '
'tokens of experts, with cycles of layers (is_sharded) or phases of data (l4_job_phases). is_greater: is it the way that moves '
'more? same_size: of this way. mixed: gradients beside tokens (l4_kinds_carried).';

CREATE FUNCTION @extschema@.l4_kinds_carried(kind text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE kind WHEN 'mixed' THEN ARRAY['data', 'expert'] ELSE ARRAY[kind] END;
COMMENT ON FUNCTION @extschema@.l4_kinds_carried(text) IS
'Step: The kinds of what a direction carries (l4_direction_kind), the one that moves most first.';

CREATE FUNCTION @extschema@.l4_flow_directions(pairs @extschema@.l4_flow_pair[], places @extschema@.l4_flow_place[],
	limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_flow_direction
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH measured AS MATERIALIZED (
		SELECT p.*, a.is_answered, @extschema@.l4_goes_with_backward(p.span, a.is_answered, p.same_size,
			@extschema@.l4_greater_way(p.forth, p.back), p.period, limits) AS is_backward
		FROM @extschema@.l4_measured_pairs(l4_flow_directions.pairs, l4_flow_directions.places, limits) p
		CROSS JOIN LATERAL (SELECT @extschema@.l4_is_answered(p.returned, p.together, p.same_size, p.answer, limits)
			AS is_answered OFFSET 0) a
	), rounds AS MATERIALIZED ( -- neither layers nor a phase: gradients may be scattered in each microbatch
		SELECT m.one, m.other, @extschema@.l4_rounds_of(@extschema@.l4_greater_way(m.forth, m.back), m.period, limits) AS cycles
		FROM measured m WHERE m.period IS NOT NULL AND m.job NOT IN (
			SELECT o.job FROM measured o WHERE (o.cycles)."interval" IS NOT NULL OR o.span <= (limits).flow_data_span)
	), spans AS MATERIALIZED ( -- where there are neither, nor a shorter phase, gradients go with the whole backward
		SELECT m.one, m.other, CASE WHEN m.is_backward AND 2 * count(*) FILTER (WHERE m.is_backward) OVER of_job
				> count(*) OVER of_job AND bool_and(m.span > (limits).flow_data_span
				AND COALESCE((m.cycles)."interval", (r.cycles)."interval") IS NULL) OVER of_job
			THEN (limits).flow_data_span ELSE m.span END AS span
		FROM measured m LEFT JOIN rounds r ON r.one = m.one AND r.other = m.other
		WINDOW of_job AS (PARTITION BY m.job)
	), best AS (
		SELECT DISTINCT ON (m.job) m.job, (m.cycles).ended FROM measured m WHERE (m.cycles)."interval" IS NOT NULL
		ORDER BY m.job, (m.cycles).regular * cardinality((m.cycles).ended) * GREATEST((m.cycles).microbatches, 1) DESC,
			m.one, m.other
	), phased AS (
		SELECT p.job, p.cycle, p.any_phase, p.is_summed
		FROM @extschema@.l4_job_phases(ARRAY(SELECT @extschema@.l4_flow_measure_of(m.job, m.period, w.span,
				@extschema@.l4_flow_pair_kind(w.span, m.returned, m.together, m.same_size, m.least_alike, m.answer, true,
					limits), m.is_answered, m.same_size, m.forth, m.back, m.phases, m.cycles, r.cycles, b.ended, limits)
			FROM measured m JOIN spans w ON w.one = m.one AND w.other = m.other
			LEFT JOIN best b ON b.job = m.job LEFT JOIN rounds r ON r.one = m.one AND r.other = m.other), limits) p
	), kinds AS MATERIALIZED (
		SELECT k.one, k.other, k.kind, bool_or(k.kind = 'expert') OVER (PARTITION BY k.job) AS any_tokens
		FROM @extschema@.l4_told_kinds(ARRAY(SELECT ROW(m.job, m.one, m.other,
				@extschema@.l4_flow_pair_kind(w.span, m.returned, m.together, m.same_size, m.least_alike, m.answer,
					p.any_phase, limits), m.returned, (m.answer).alike, m.same_size)::@extschema@.l4_told_kind
			FROM measured m JOIN spans w ON w.one = m.one AND w.other = m.other JOIN phased p ON p.job = m.job),
			l4_flow_directions.places, limits) k
	)
	SELECT m.job, CASE WHEN p.cycle IS NOT NULL AND x.kind = 'expert' THEN NULL
			WHEN p.any_phase OR p.is_summed AND w.span <= (limits).flow_data_span THEN m.period
			WHEN NOT p.is_summed THEN p.cycle END,
		x.kind, d.source, d.destination, d.series, CASE WHEN NOT p.is_summed THEN p.cycle END,
		CASE WHEN NOT p.is_summed AND p.cycle IS NOT NULL
			THEN CASE WHEN d.is_measured AND (r.cycles)."interval" IS NOT NULL THEN r.cycles
				WHEN d.is_measured THEN m.cycles ELSE @extschema@.l4_cycles_of(d.series, limits) END END
	FROM measured m JOIN spans w ON w.one = m.one AND w.other = m.other
	JOIN phased p ON p.job = m.job LEFT JOIN rounds r ON r.one = m.one AND r.other = m.other
	JOIN kinds k ON k.one = m.one AND k.other = m.other
	-- the way that moves more, of which cycles are known: as in l4_flow_pair_cycles
	CROSS JOIN LATERAL (VALUES (m.one, m.other, m.forth, ((m.back).bytes > (m.forth).bytes) IS NOT TRUE),
		(m.other, m.one, m.back, ((m.back).bytes <= (m.forth).bytes) IS NOT TRUE)) d(source, destination, series, is_measured)
	CROSS JOIN LATERAL (SELECT @extschema@.l4_direction_kind(k.kind, k.any_tokens, p.cycle IS NOT NULL, p.any_phase,
		d.is_measured, m.returned, (d.series).same_size, limits) AS kind) x
	WHERE cardinality((d.series).began) > 0;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_directions(@extschema@.l4_flow_pair[], @extschema@.l4_flow_place[],
	@extschema@.l4_limits) IS
'Step: The pairs of jobs, a row for each direction in which something went, with what it is.';

-- ---- steps of accelerators ----

CREATE TYPE @extschema@.l4_flow_accelerator_steps AS (
	address text,
	job int,
	server text,
	period double precision,
	phases @extschema@.l4_step_phase_series,
	reference double precision[],
	whole_until double precision
);
COMMENT ON TYPE @extschema@.l4_flow_accelerator_steps IS
'Step: The data-parallel phases of an accelerator, which end its steps, and (reference) the ends of those of the '
'accelerator of its job with the most, which number them; whole_until: when the last phase ended, where the parameters in it '
'are of the next step, else NULL.';

CREATE FUNCTION @extschema@.l4_has_all_cycles(cycles @extschema@.l4_step_cycle_series,
	best @extschema@.l4_step_cycle_series, limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
RETURN NOT EXISTS (SELECT
	FROM unnest((best).ended, @extschema@.l4_step_places((best).ended, (cycles).ended,
		(limits).flow_in_step * (best)."interval")) e(ended, place)
	WHERE e.place = 0 AND e.ended > (cycles).ended[1] AND e.ended < (cycles).ended[cardinality((cycles).ended)]);
COMMENT ON FUNCTION @extschema@.l4_has_all_cycles(@extschema@.l4_step_cycle_series, @extschema@.l4_step_cycle_series,
	@extschema@.l4_limits) IS
'Step: Do cycles end where those of the best link of the job do (limit flow_in_step), as long as they go on?';

CREATE FUNCTION @extschema@.l4_flow_cycles(directions @extschema@.l4_flow_direction[], limits @extschema@.l4_limits)
RETURNS TABLE (address text, regular double precision, phases @extschema@.l4_step_phase_series)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH cycles AS MATERIALIZED (
		SELECT d.source, d.job, d.destination, d.cycles
		FROM @extschema@.l4_each_direction(l4_flow_cycles.directions) d
		-- tokens of experts beside the layers come in each microbatch
		WHERE d.cycle IS NOT NULL AND d.kind = 'data'
	), usual AS (
		SELECT c.job, @extschema@.l4_usual_cycle(array_agg((c.cycles)."interval"),
			array_agg(cardinality((c.cycles).ended)), array_agg((c.cycles).microbatches), limits) AS cycle
		FROM cycles c
		WHERE (c.cycles)."interval" IS NOT NULL
		GROUP BY c.job
	), told AS MATERIALIZED (
		SELECT c.job, c.source, c.destination, c.cycles, (c.cycles).regular * cardinality((c.cycles).ended) AS weight,
			-- what is slower and moves no more may as well be forwards
			((c.cycles).weight >= (limits).flow_microbatch_bytes) IS TRUE AS is_heavy,
			-- two microbatches that are taken for one cycle last as long as a step of two, but may begin within one
			sum(cardinality((c.cycles).ended)) OVER (PARTITION BY c.job, (c.cycles).microbatches) AS alike
		FROM cycles c
		JOIN usual u ON u.job = c.job
			AND abs(ln((c.cycles)."interval" / u.cycle)) <= (limits).flow_cycle_tolerance
		WHERE (c.cycles).microbatches > 0
	), best AS (
		SELECT DISTINCT ON (t.job) t.job, t.cycles
		FROM told t
		ORDER BY t.job, t.alike DESC, t.is_heavy DESC, t.weight DESC, t.source, t.destination
	), compared AS (
		SELECT t.source, t.destination, t.weight, t.cycles, b.cycles AS best,
			@extschema@.l4_has_all_cycles(t.cycles, b.cycles, limits) AS has_all
		FROM told t
		JOIN best b ON b.job = t.job
	)
	SELECT DISTINCT ON (c.source) c.source, (x.cycles).regular,
		ROW((x.cycles).began, (x.cycles).ended, (x.cycles).bytes)::@extschema@.l4_step_phase_series
	FROM compared c
	CROSS JOIN LATERAL (SELECT CASE WHEN c.has_all THEN c.cycles ELSE c.best END AS cycles) x
	ORDER BY c.source, c.has_all DESC, c.weight DESC, c.destination;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_cycles(@extschema@.l4_flow_direction[], @extschema@.l4_limits) IS
'Step: The steps of accelerators of jobs with sharded parameters, by the link of each that tells them best, and which share of '
'them is regular; as long as those of most links of the job (l4_usual_cycle). Where no link of one tells a step that the best '
'of the job does, by that one: all of a job go through the same steps.';

CREATE FUNCTION @extschema@.l4_flow_accelerators(directions @extschema@.l4_flow_direction[],
	places @extschema@.l4_flow_place[], limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_flow_accelerator_steps
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH phases AS (
		SELECT e.address, NULL::double precision AS regular, @extschema@.l4_step_phases((d.series).began,
			(d.series).lasted, (d.series).moved, e.sent, p.period * (limits).flow_step_pause,
			(limits).flow_whole_phase) AS phases
		FROM @extschema@.l4_each_direction(l4_flow_accelerators.directions) d
		CROSS JOIN LATERAL (VALUES (d.source, true), (d.destination, false)) e(address, sent)
		-- of its own job, also where it has to do with one of another job
		JOIN unnest(l4_flow_accelerators.places) p ON p.address = e.address
		WHERE d.kind = 'data' AND p.period IS NOT NULL AND d.cycle IS NULL AND d.period IS NOT NULL
		GROUP BY e.address
		UNION ALL
		SELECT c.address, c.regular, c.phases FROM @extschema@.l4_flow_cycles(l4_flow_accelerators.directions, limits) c
	), periods AS (
		SELECT d.job, max(d.cycle) AS cycle FROM @extschema@.l4_each_direction(l4_flow_accelerators.directions) d GROUP BY d.job
	), even AS MATERIALIZED (
		SELECT ARRAY(SELECT g.at::double precision FROM generate_series(t.began::numeric, t.ended::numeric,
			(limits).flow_even_time::numeric) g(at)) AS times
		FROM (SELECT min((d.series).began[1]) AS began, max((d.series).began[cardinality((d.series).began)]) AS ended
			FROM @extschema@.l4_each_direction(l4_flow_accelerators.directions) d) t
	)
	SELECT p.address, p.job, p.server,
		CASE WHEN first_value((f.phases).ended) OVER anywhere IS NOT NULL THEN COALESCE(y.cycle, p.period) END,
		-- who takes no part in what is seen ends its steps with those beside it; without steps time is parted evenly
		COALESCE(CASE WHEN (f.regular < (limits).flow_cycle_regular) IS NOT TRUE THEN f.phases END,
			first_value(f.phases) OVER beside, first_value(f.phases) OVER anywhere,
			ROW(e.times, e.times, NULL::double precision[])::@extschema@.l4_step_phase_series),
		first_value((f.phases).ended) OVER anywhere, NULL::double precision
	FROM unnest(l4_flow_accelerators.places) p
	CROSS JOIN even e
	LEFT JOIN periods y ON y.job = p.job
	LEFT JOIN phases f ON f.address = p.address
	WINDOW beside AS (PARTITION BY p.job, p.server
			ORDER BY COALESCE(f.regular, 1) * cardinality((f.phases).ended) DESC NULLS LAST, p.address),
		anywhere AS (PARTITION BY p.job
			ORDER BY COALESCE(f.regular, 1) * cardinality((f.phases).ended) DESC NULLS LAST, p.address);
END;
COMMENT ON FUNCTION @extschema@.l4_flow_accelerators(@extschema@.l4_flow_direction[], @extschema@.l4_flow_place[],
	@extschema@.l4_limits) IS
'Step: The steps of each accelerator of a job, as data-parallel traffic closes them; where none are seen, even parts of the'
' time (limit flow_even_time), which have no numbers (reference NULL).';

CREATE FUNCTION @extschema@.l4_parameters_are_later(directions @extschema@.l4_flow_direction[],
	steps @extschema@.l4_flow_accelerator_steps[], limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	-- those of the first stage alone tell it, which waits for nobody
	SELECT count(*) FILTER (WHERE l.lead < (limits).flow_lead) >= GREATEST((limits).flow_lead_share * count(*), 2)
	FROM (SELECT @extschema@.l4_step_lead((d.series).began, (d.series).lasted, (b.series).began, (b.series).lasted,
			(s.phases).ended, (limits).flow_least_steps::int) AS lead
		FROM @extschema@.l4_each_direction(l4_parameters_are_later.directions) d
		JOIN @extschema@.l4_each_direction(l4_parameters_are_later.directions) b
			ON b.source = d.destination AND b.destination = d.source
		JOIN unnest(l4_parameters_are_later.steps) s ON s.address = d.source AND s.reference IS NOT NULL
		WHERE d.kind = 'pipeline' AND d.period IS NOT NULL) l;
END;
COMMENT ON FUNCTION @extschema@.l4_parameters_are_later(@extschema@.l4_flow_direction[],
	@extschema@.l4_flow_accelerator_steps[], @extschema@.l4_limits) IS
'Step: Do the first stages of a job begin to compute while what ends its steps still comes (l4_step_lead; limits flow_lead, '
'flow_lead_share)? That are parameters, which are of the next step then.';

CREATE FUNCTION @extschema@.l4_gradient_ends(directions @extschema@.l4_flow_direction[],
	steps @extschema@.l4_flow_accelerator_steps[], limits @extschema@.l4_limits)
RETURNS TABLE (address text, ended double precision[])
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	SELECT DISTINCT ON (s.address COLLATE "C") s.address, p.ended
	FROM @extschema@.l4_each_direction(l4_gradient_ends.directions) d
	JOIN unnest(l4_gradient_ends.steps) s ON s.address = d.source
	CROSS JOIN LATERAL (SELECT @extschema@.l4_step_parts((d.series).began, (d.series).lasted, (d.series).moved,
		(s.phases).began, (s.phases).ended, (limits).flow_parts_tolerance) AS ended OFFSET 0) p
	WHERE d.kind = 'data' AND (SELECT 2 * count(*) FILTER (WHERE e.part < e.whole) > count(*)
		FROM unnest(p.ended, (s.phases).ended) e(part, whole))
	ORDER BY s.address COLLATE "C", (d.series).bytes DESC, d.destination COLLATE "C";
END;
COMMENT ON FUNCTION @extschema@.l4_gradient_ends(@extschema@.l4_flow_direction[],
	@extschema@.l4_flow_accelerator_steps[], @extschema@.l4_limits) IS
'Step: When each accelerator had summed up the gradients of each phase, by that link of it with most bytes which tells that '
'of most phases (l4_step_parts).';

CREATE FUNCTION @extschema@.l4_steps_of_gradients(directions @extschema@.l4_flow_direction[],
	steps @extschema@.l4_flow_accelerator_steps[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_flow_accelerator_steps
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	SELECT s.address, s.job, s.server, s.period,
		CASE WHEN cardinality(e.ended) = cardinality((s.phases).ended)
			THEN ROW((s.phases).began, e.ended, (s.phases).bytes)::@extschema@.l4_step_phase_series ELSE s.phases END,
		s.reference, (s.phases).ended[cardinality((s.phases).ended)]
	FROM unnest(l4_steps_of_gradients.steps) s
	LEFT JOIN @extschema@.l4_gradient_ends(l4_steps_of_gradients.directions, l4_steps_of_gradients.steps, limits) e
		ON e.address = s.address;
END;
COMMENT ON FUNCTION @extschema@.l4_steps_of_gradients(@extschema@.l4_flow_direction[],
	@extschema@.l4_flow_accelerator_steps[], @extschema@.l4_limits) IS
'Step: The steps of accelerators of a job of which the parameters are of the next step (l4_parameters_are_later): they end '
'when gradients are summed up (l4_gradient_ends).';

CREATE FUNCTION @extschema@.l4_flow_work(directions @extschema@.l4_flow_direction[],
	steps @extschema@.l4_flow_accelerator_steps[])
RETURNS TABLE (address text, work @extschema@.l4_step_work_series)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	SELECT e.address, @extschema@.l4_step_work((d.series).began, (d.series).lasted, (d.series).busy, e.sent, e.peer,
		(s.phases).ended, (s.phases).began[2:])
	FROM @extschema@.l4_each_direction(l4_flow_work.directions) d
	CROSS JOIN LATERAL (VALUES (d.source, d.destination, true), (d.destination, d.source, false)) e(address, peer, sent)
	JOIN unnest(l4_flow_work.steps) s ON s.address = e.address AND cardinality((s.phases).ended) > 0
	WHERE d.kind = 'pipeline'
	GROUP BY e.address;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_work(@extschema@.l4_flow_direction[], @extschema@.l4_flow_accelerator_steps[]) IS
'Step: What each accelerator of a pipeline computed and sent in each step.';
