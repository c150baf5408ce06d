/*
 * Traces: all that the flows of a window tell, as the findings, the groups and the pictures take it.
 */

CREATE TYPE @extschema@.l4_flow_trace AS (
	job int,
	kind text,
	source text,
	destination text,
	server text,
	path text,
	period double precision,
	flows bigint,
	bytes bigint,
	retransmits bigint,
	first_at double precision,
	last_at double precision,
	overdue_at double precision,
	step int[],
	ends double precision[],
	closes double precision[],
	computed double precision[],
	closing double precision[],
	sent double precision[],
	moved double precision[],
	busy double precision[],
	began double precision[],
	late double precision[],
	beside double precision[],
	early double precision[],
	open double precision,
	whole_until double precision
);
COMMENT ON TYPE @extschema@.l4_flow_trace IS
'Step: What the flows of a window tell of an accelerator of a job (kind accelerator; ends, closes, computed, closing, sent, '
'step) or of what one sends to another on one path (kind of the pair; moved, busy, began by the steps of the sender; '
'overdue_at: when the next message was due; late: when messages began that took many times as long as usual; beside: '
'l4_flow_beside; of an accelerator l4_flow_behind; early: l4_step_early by the steps of the sender, where parameters are '
'sharded; open: bytes since the last phase of data ended; whole_until: of an accelerator, when that did). Times in seconds '
'since 1970, ends has one element more than there are steps.';

CREATE FUNCTION @extschema@.l4_each_trace(traces @extschema@.l4_flow_trace[]) RETURNS SETOF @extschema@.l4_flow_trace
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 1000
BEGIN ATOMIC
	SELECT (t.trace).job, (t.trace).kind, (t.trace).source, (t.trace).destination, (t.trace).server, (t.trace).path,
		(t.trace).period, (t.trace).flows, (t.trace).bytes, (t.trace).retransmits, (t.trace).first_at, (t.trace).last_at,
		(t.trace).overdue_at, (t.trace).step, (t.trace).ends, (t.trace).closes, (t.trace).computed, (t.trace).closing,
		(t.trace).sent, (t.trace).moved, (t.trace).busy, (t.trace).began, (t.trace).late, (t.trace).beside,
		(t.trace).early, (t.trace).open, (t.trace).whole_until
	FROM (SELECT unnest(l4_each_trace.traces) AS trace) t;
END;
COMMENT ON FUNCTION @extschema@.l4_each_trace(@extschema@.l4_flow_trace[]) IS
'Step: unnest of traces, of which no copy is made.';

CREATE FUNCTION @extschema@.l4_flow_behind(directions @extschema@.l4_flow_direction[],
	steps @extschema@.l4_flow_accelerator_steps[], limits @extschema@.l4_limits)
RETURNS TABLE (address text, behind double precision[])
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH exchanged AS MATERIALIZED (
		-- tokens of experts, and contexts of which each has the heads of all: around a ring they go to one alone
		SELECT k.source, k.destination
		FROM (SELECT d.source, d.destination, 'expert' = ANY (@extschema@.l4_kinds_carried(d.kind)) AS are_tokens,
				count(*) FILTER (WHERE d.kind = 'context') OVER (PARTITION BY d.source) AS contexts
			FROM @extschema@.l4_each_direction(l4_flow_behind.directions) d
			WHERE d.kind = 'context' OR 'expert' = ANY (@extschema@.l4_kinds_carried(d.kind))) k
		WHERE k.are_tokens OR k.contexts >= (limits).flow_mesh_members
	), members AS MATERIALIZED (
		SELECT m.member AS address, m.component
		FROM (SELECT @extschema@.l4_connected_components(x.source, x.destination) AS all_of_them FROM exchanged x) c
		CROSS JOIN LATERAL unnest(c.all_of_them) m
	), exchanges AS (
		SELECT m.component, m.address, s.server, cardinality((s.phases).ended) - 1 AS steps,
			@extschema@.l4_step_exchanges((d.series).began, (d.series).lasted, (d.series).moved, e.sent,
				CASE WHEN d.kind <> 'pipeline' THEN e.peer END, (s.phases).ended, (s.phases).began[2:],
				(limits).flow_pause) AS series
		FROM @extschema@.l4_each_direction(l4_flow_behind.directions) d
		CROSS JOIN LATERAL (VALUES (d.source, d.destination, true), (d.destination, d.source, false)) e(address, peer, sent)
		JOIN members m ON m.address = e.address
		JOIN unnest(l4_flow_behind.steps) s ON s.address = e.address AND cardinality((s.phases).ended) > 1
		LEFT JOIN exchanged g ON g.source = d.source AND g.destination = d.destination
		-- who gets something along the pipeline may have waited for it
		WHERE g.source IS NOT NULL AND d.kind <> 'data' OR d.kind = 'pipeline' AND NOT e.sent
		GROUP BY m.component, m.address, s.server, s.phases
	), numbered AS (
		SELECT x.component, x.address, x.series, x.steps, max(x.steps) OVER (PARTITION BY x.component) AS most_steps,
			dense_rank() OVER (PARTITION BY x.component ORDER BY x.server COLLATE "C")::int AS server,
			row_number() OVER (PARTITION BY x.component ORDER BY x.address COLLATE "C") AS number
		FROM exchanges x
	), compared AS (
		SELECT n.component, @extschema@.l4_exchanges_behind(array_agg(n.series ORDER BY n.number),
			array_agg(n.server ORDER BY n.number), max(n.most_steps)) AS behind
		FROM numbered n
		GROUP BY n.component
	)
	SELECT n.address, c.behind[(n.number - 1) * n.most_steps + 1 : (n.number - 1) * n.most_steps + n.steps]
	FROM numbered n
	JOIN compared c ON c.component = n.component;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_behind(@extschema@.l4_flow_direction[], @extschema@.l4_flow_accelerator_steps[],
	@extschema@.l4_limits) IS
'Step: Of accelerators that exchange the tokens of experts, or contexts with all of another server (limit flow_mesh_members), '
'by how much longer each computes in each of its steps than those it exchanges with (l4_exchanges_behind): a logarithm; NaN '
'where that is not told. Cost: two sorts of its messages.';

CREATE FUNCTION @extschema@.l4_last_message(series @extschema@.l4_flow_series, limits @extschema@.l4_limits)
	RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100
BEGIN ATOMIC
	SELECT COALESCE(max((series).began[n.n]) FILTER (WHERE (series).moved[n.n] >= (limits).flow_pair_share
		* (series).bytes / (series).records), (series).began[cardinality((series).began)])
	FROM generate_series(GREATEST(cardinality((series).began) - (limits).flow_last_messages::int, 1),
		cardinality((series).began)) n(n);
END;
COMMENT ON FUNCTION @extschema@.l4_last_message(@extschema@.l4_flow_series, @extschema@.l4_limits) IS
'Step: When the last message of a series began that is not little beside the others (limit flow_pair_share): who trains no '
'more may still be asked how it is.';

CREATE FUNCTION @extschema@.l4_accelerator_traces(directions @extschema@.l4_flow_direction[],
	steps @extschema@.l4_flow_accelerator_steps[], limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_flow_trace
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH sendings AS (
		SELECT d.source AS address, sum((d.series).records) AS flows, sum((d.series).bytes) AS bytes,
			sum((d.series).retransmits) AS retransmits, min((d.series).began[1]) AS first_at,
			max(@extschema@.l4_last_message(d.series, limits)) AS last_at
		FROM @extschema@.l4_each_direction(l4_accelerator_traces.directions) d
		GROUP BY d.source
	)
	SELECT s.job, 'accelerator', s.address, NULL::text, s.server, NULL::text, s.period, COALESCE(a.flows, 0)::bigint,
		COALESCE(a.bytes, 0)::bigint, COALESCE(a.retransmits, 0)::bigint, a.first_at, a.last_at, NULL::double precision,
		@extschema@.l4_step_places((s.phases).ended, s.reference, s.period / 2), (s.phases).ended, (s.phases).began[2:],
		(w.work).computed, (w.work).closing, (w.work).sent, (s.phases).bytes[2:], NULL::double precision[],
		NULL::double precision[], NULL::double precision[], b.behind, NULL::double precision[], NULL::double precision,
		COALESCE(s.whole_until, (s.phases).ended[cardinality((s.phases).ended)])
	FROM unnest(l4_accelerator_traces.steps) s
	LEFT JOIN @extschema@.l4_flow_work(l4_accelerator_traces.directions, l4_accelerator_traces.steps) w
		ON w.address = s.address
	LEFT JOIN @extschema@.l4_flow_behind(l4_accelerator_traces.directions, l4_accelerator_traces.steps, limits) b
		ON b.address = s.address
	LEFT JOIN sendings a ON a.address = s.address;
END;
COMMENT ON FUNCTION @extschema@.l4_accelerator_traces(@extschema@.l4_flow_direction[],
	@extschema@.l4_flow_accelerator_steps[], @extschema@.l4_limits) IS
'Step: The traces of accelerators.';

CREATE FUNCTION @extschema@.l4_flow_beside(directions @extschema@.l4_flow_direction[],
	steps @extschema@.l4_flow_accelerator_steps[], limits @extschema@.l4_limits)
RETURNS TABLE (source text, destination text, beside double precision[])
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH links AS MATERIALIZED (
		-- in even parts of time as long as a step: while somebody is slow no steps may be seen
		SELECT d.source, d.destination, (d.series).began, (d.series).lasted, (d.series).moved,
			ARRAY(SELECT (d.series).began[1] + n.n * d.period
				FROM generate_series(0, ceil(((d.series).began[cardinality((d.series).began)] - (d.series).began[1])
					/ d.period)::int) n(n)) AS ends,
			dense_rank() OVER (ORDER BY s.server COLLATE "C") AS server,
			row_number() OVER (PARTITION BY s.server ORDER BY d.source COLLATE "C", d.destination COLLATE "C") AS number
		FROM @extschema@.l4_each_direction(l4_flow_beside.directions) d
		JOIN unnest(l4_flow_beside.steps) s ON s.address = d.source
		WHERE d.cycle IS NOT NULL
	), servers AS (
		SELECT l.server, max(l.number) AS links, count(*) OVER () AS servers
		FROM links l
		GROUP BY l.server
	), others AS (
		-- of the servers behind it, around, the link of the same number: along the same rail, where there are rails
		SELECT l.source, l.destination, (l.server - 1 + n.n) % s.servers + 1 AS server, l.number
		FROM links l
		JOIN servers s ON s.server = l.server
		CROSS JOIN LATERAL generate_series(1, LEAST((limits).flow_beside::bigint, s.servers - 1)) n(n)
	), compared AS (
		SELECT l.source, l.destination, @extschema@.l4_step_beside(l.began, l.lasted, l.moved, x.began, x.lasted, x.moved,
			l.ends) AS beside
		FROM others o
		JOIN servers s ON s.server = o.server
		JOIN links x ON x.server = o.server AND x.number = LEAST(o.number, s.links)
		JOIN links l ON l.source = o.source AND l.destination = o.destination
	), by_part AS (
		SELECT c.source, c.destination, b.part, CASE WHEN 2 * count(*) FILTER (WHERE b.beside <> 'NaN') > count(*)
			THEN percentile_cont(0.5) WITHIN GROUP (ORDER BY b.beside) FILTER (WHERE b.beside <> 'NaN') END AS beside
		FROM compared c
		CROSS JOIN LATERAL unnest(c.beside) WITH ORDINALITY b(beside, part)
		GROUP BY c.source, c.destination, b.part
	)
	SELECT b.source, b.destination, array_agg(b.beside ORDER BY b.part)
	FROM by_part b
	GROUP BY b.source, b.destination;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_beside(@extschema@.l4_flow_direction[], @extschema@.l4_flow_accelerator_steps[],
	@extschema@.l4_limits) IS
'Step: Of a job with sharded parameters, by how much longer the sender of each link computes than those of other servers '
'(l4_step_beside; limit flow_beside): a logarithm, the median, for each part of time, from its first message on, that is as '
'long as a step; NULL where most of these do not tell. Cost: some passes over the messages.';

CREATE FUNCTION @extschema@.l4_pair_traces(directions @extschema@.l4_flow_direction[],
	steps @extschema@.l4_flow_accelerator_steps[], limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_flow_trace
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	SELECT d.job, d.kind, d.source, d.destination, s.server, p.path, d.period,
		-- what is of all paths stands once
		CASE WHEN p.number <= 1 THEN (d.series).records END, CASE WHEN p.number <= 1 THEN (d.series).bytes END,
		CASE WHEN p.number <= 1 THEN (d.series).retransmits END,
		(d.series).began[1], (d.series).began[cardinality((d.series).began)],
		(SELECT @extschema@.l4_step_overdue(o.began, o.lasted, o.moved, true, (s.phases).ended)
			FROM (VALUES ((d.series).began, (d.series).lasted, (d.series).moved)) o(began, lasted, moved)),
		NULL::int[], (s.phases).ended, NULL::double precision[], NULL::double precision[], NULL::double precision[],
		NULL::double precision[],
		(t.traffic).bytes[:e.steps], (t.traffic).busy[:e.steps], (t.traffic).began[:e.steps],
		CASE WHEN p.number <= 1 THEN @extschema@.l4_late_messages((d.series).began, (d.series).moved, (d.series).busy,
			(limits).flow_time_out_factor, (limits).flow_time_out_least) END,
		CASE WHEN p.number <= 1 THEN b.beside END,
		CASE WHEN p.number <= 1 AND d.cycle IS NOT NULL THEN @extschema@.l4_step_early((d.series).began, (d.series).lasted,
			(d.series).moved, COALESCE((s.phases).ended, '{}'), (limits).flow_whole_collectives,
			(limits).flow_cycle_tolerance) END,
		(t.traffic).bytes[cardinality((t.traffic).bytes)], NULL::double precision
	FROM @extschema@.l4_each_direction(l4_pair_traces.directions) d
	JOIN unnest(l4_pair_traces.steps) s ON s.address = d.source
	LEFT JOIN @extschema@.l4_flow_beside(l4_pair_traces.directions, l4_pair_traces.steps, limits) b
		ON b.source = d.source AND b.destination = d.destination
	CROSS JOIN LATERAL (SELECT n.path, n.number::int FROM unnest((d.series).paths) WITH ORDINALITY n(path, number)
		UNION ALL SELECT NULL, 0 WHERE cardinality((d.series).paths) = 0) p
	CROSS JOIN LATERAL (SELECT GREATEST(COALESCE(cardinality((s.phases).ended), 0) - 1, 0) AS steps) e
	-- what came after the last step is one more, and parameters that are of the next one; OFFSET, as it is worked out once
	CROSS JOIN LATERAL (SELECT @extschema@.l4_step_traffic((d.series).began, (d.series).moved, (d.series).busy,
		(d.series).path, p.number, COALESCE((s.phases).ended, '{}')
			|| array_remove(ARRAY[s.whole_until, 'Infinity'], NULL),
		-- what goes forwards meets what goes backwards, and layers that are gathered gradients that are scattered
		CASE WHEN d.cycle IS NOT NULL OR d.kind = 'pipeline' THEN (limits).flow_alone ELSE 1 END,
		(limits).flow_answer_least) AS traffic OFFSET 0) t;
END;
COMMENT ON FUNCTION @extschema@.l4_pair_traces(@extschema@.l4_flow_direction[], @extschema@.l4_flow_accelerator_steps[],
	@extschema@.l4_limits) IS
'Step: The traces of what one accelerator sends to another, one for each path.';

CREATE FUNCTION @extschema@.l4_traces_of_pairs(pairs refcursor, known jsonb, limits @extschema@.l4_limits)
	RETURNS SETOF @extschema@.l4_flow_trace
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 10000 COST 10000000
SET search_path = pg_catalog, pg_temp
SET jit = off
-- how many rows an array has is known to nobody: loops would look at all of one for each of the other
SET enable_nestloop = off
-- a plan for given values would hold copies of all arrays
SET plan_cache_mode = force_generic_plan
SET work_mem = '16MB'
AS $$
DECLARE
	places CONSTANT @extschema@.l4_flow_place[] := ARRAY(SELECT ROW(p.address, p.job, p.server,
			p.period)::@extschema@.l4_flow_place
		FROM @extschema@.l4_flow_places(ARRAY(SELECT c FROM @extschema@.l4_clusters_of(pairs, known, limits) c), known,
			limits) p);
	-- job by job: of a cursor one row is fetched at a time, so that one job alone is in memory
	jobs CURSOR FOR
		SELECT a.places, j.pairs
		FROM (SELECT l.job, array_agg(l ORDER BY l.address COLLATE "C") AS places FROM unnest(places) l GROUP BY l.job) a
		JOIN (SELECT l.job, array_agg(p ORDER BY p.one COLLATE "C", p.other COLLATE "C") AS pairs
			FROM @extschema@.l4_cursor_pairs(l4_traces_of_pairs.pairs) p
			JOIN unnest(places) l ON l.address = p.one
			GROUP BY l.job) j ON j.job = a.job
		ORDER BY a.job;
	directions @extschema@.l4_flow_direction[];
	steps @extschema@.l4_flow_accelerator_steps[];
BEGIN
	FOR of_job IN jobs LOOP
		directions := ARRAY(SELECT d FROM @extschema@.l4_flow_directions(of_job.pairs, of_job.places, limits) d);
		IF NOT EXISTS (SELECT FROM @extschema@.l4_each_direction(directions) d
				WHERE d.cycle IS NOT NULL OR d.kind = 'data' AND d.period IS NOT NULL) THEN
			directions := ARRAY(SELECT d FROM @extschema@.l4_with_gradients(directions, of_job.places, limits) d);
		END IF;
		IF EXISTS (SELECT FROM @extschema@.l4_each_direction(directions) d
				WHERE d.kind = 'context' AND d.period IS NOT NULL) THEN
			directions := ARRAY(SELECT d FROM @extschema@.l4_beside_contexts(directions, of_job.places, limits) d);
			directions := ARRAY(SELECT d FROM @extschema@.l4_contexts_of_equals(directions, of_job.places, limits) d);
		END IF;
		steps := ARRAY(SELECT s FROM @extschema@.l4_flow_accelerators(directions, of_job.places, limits) s);
		IF @extschema@.l4_parameters_are_later(directions, steps, limits) THEN
			steps := ARRAY(SELECT s FROM @extschema@.l4_steps_of_gradients(directions, steps, limits) s);
		END IF;
		RETURN QUERY SELECT t.* FROM @extschema@.l4_accelerator_traces(directions, steps, limits) t;
		RETURN QUERY SELECT t.* FROM @extschema@.l4_pair_traces(directions, steps, limits) t;
	END LOOP;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_traces_of_pairs(refcursor, jsonb, @extschema@.l4_limits) IS
'Step: All that the pairs of a window (l4_cursor_pairs) tell of jobs, their accelerators and pairs. known: the server of each '
'address that is known.';

CREATE FUNCTION @extschema@.l4_known_servers(accelerators regclass) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
RETURN (SELECT COALESCE(jsonb_object_agg(a.address, a.server), '{}')
	FROM @extschema@.l4_read_accelerators(l4_known_servers.accelerators) a);
COMMENT ON FUNCTION @extschema@.l4_known_servers(regclass) IS
'Step: The server of each address of l4_accelerator, or of a table like it. Errors: 42703.';

CREATE FUNCTION @extschema@.l4_flow_traces(from_time timestamptz, to_time timestamptz, flows regclass, columns jsonb,
	accelerators regclass, limits @extschema@.l4_limits, addresses text[] DEFAULT NULL)
	RETURNS SETOF @extschema@.l4_flow_trace
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10000 COST 10000000
SET search_path = pg_catalog, pg_temp
SET jit = off
-- a plan for given values would hold copies of all arrays
SET plan_cache_mode = force_generic_plan
SET work_mem = '16MB'
AS $$
DECLARE
	time_window CONSTANT tstzrange := @extschema@.l4_flow_window(l4_flow_traces.from_time, l4_flow_traces.to_time,
		l4_flow_traces.flows, l4_flow_traces.columns, l4_flow_traces.limits);
	pairs refcursor;
BEGIN
	OPEN pairs SCROLL FOR
		WITH found AS MATERIALIZED (
			SELECT p.* FROM @extschema@.l4_flow_pairs_of(time_window, l4_flow_traces.flows, l4_flow_traces.columns,
				l4_flow_traces.accelerators, l4_flow_traces.addresses, l4_flow_traces.limits) p
		)
		SELECT f.* FROM found f;
	RETURN QUERY SELECT t.* FROM @extschema@.l4_traces_of_pairs(pairs,
		@extschema@.l4_known_servers(l4_flow_traces.accelerators), l4_flow_traces.limits) t;
	CLOSE pairs;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_flow_traces(timestamptz, timestamptz, regclass, jsonb, regclass, @extschema@.l4_limits,
	text[]) IS
'Step: All that the flows of a window tell of jobs, their accelerators and pairs. addresses: only flows between these are '
'read; NULL: those between all accelerators. Cost: one pass over the flows.';
