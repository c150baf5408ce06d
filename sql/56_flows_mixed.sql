/*
 * Links that tokens of experts and gradients both take: where experts are dealt out over the same ranks as data, no link may
 * carry gradients alone, and none of a job then sends in a phase. But each exchange of tokens has a size of its own, and
 * buckets of gradients the same in each step. Contexts that are exchanged come back as they went: what goes around a ring
 * beside them does not.
 */

CREATE FUNCTION @extschema@.l4_repeated_sizes(series @extschema@.l4_flow_series, limits @extschema@.l4_limits) RETURNS real[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT array_agg(m.size ORDER BY m.size) FROM (SELECT u.size FROM unnest((series).moved) u (size)
		GROUP BY u.size HAVING count(*) >= (limits).flow_least_steps) m;
END;
COMMENT ON FUNCTION @extschema@.l4_repeated_sizes(@extschema@.l4_flow_series, @extschema@.l4_limits) IS
'Step: The sizes that as many messages of a series have as there are steps at least (limit flow_least_steps), to the byte; '
'NULL for none. Cost: time n * log(n).';

CREATE FUNCTION @extschema@.l4_series_of_sizes(series @extschema@.l4_flow_series, sizes real[], of_these boolean)
	RETURNS @extschema@.l4_flow_series
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	SELECT count(*), 0::bigint, 0::bigint, 0::bigint, sum(m.moved)::bigint, sum(m.lost)::bigint, (series).same_size,
		array_agg(m.began ORDER BY m.place), array_agg(m.lasted ORDER BY m.place), array_agg(m.moved ORDER BY m.place),
		array_agg(m.busy ORDER BY m.place), array_agg(m.path ORDER BY m.place), array_agg(m.lost ORDER BY m.place),
		(series).paths
	FROM unnest((series).began, (series).lasted, (series).moved, (series).busy, (series).path, (series).lost)
		WITH ORDINALITY m (began, lasted, moved, busy, path, lost, place)
	WHERE (m.moved IN (SELECT unnest(l4_series_of_sizes.sizes))) = l4_series_of_sizes.of_these;
END;
COMMENT ON FUNCTION @extschema@.l4_series_of_sizes(@extschema@.l4_flow_series, real[], boolean) IS
'Step: Of a series the messages with one of these sizes, or the others (of_these false). Cost: of n.';

CREATE FUNCTION @extschema@.l4_has_phase(series @extschema@.l4_flow_series, period double precision,
	limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 3000
BEGIN ATOMIC
	SELECT @extschema@.l4_flow_span(b.parted, b.active, l4_has_phase.period, limits) <= (limits).flow_data_span
		AND (b.parted).bursts >= (limits).flow_least_steps
	FROM @extschema@.l4_flow_pair_bursts(series, NULL, l4_has_phase.period, limits) b;
END;
COMMENT ON FUNCTION @extschema@.l4_has_phase(@extschema@.l4_flow_series, double precision, @extschema@.l4_limits) IS
'Step: Does a series come in one phase of each step (period: seconds), as gradients do (l4_flow_span; limits flow_data_span, '
'flow_least_steps)?';

CREATE TYPE @extschema@.l4_mixed_link AS (
	source text,
	destination text,
	period double precision,
	others @extschema@.l4_flow_series,
	gradients @extschema@.l4_flow_series
);
COMMENT ON TYPE @extschema@.l4_mixed_link IS
'Step: What one accelerator sends to another, parted into gradients and the rest (others), and the step of its job (period, '
'seconds).';

CREATE FUNCTION @extschema@.l4_parted_directions(directions @extschema@.l4_flow_direction[], kind text,
	links @extschema@.l4_mixed_link[]) RETURNS SETOF @extschema@.l4_flow_direction
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 10000
BEGIN ATOMIC
	SELECT d.job, CASE WHEN d.kind = l4_parted_directions.kind
			THEN COALESCE(d.period, (SELECT max(x.period) FROM unnest(links) x)) ELSE d.period END,
		d.kind, d.source, d.destination, CASE WHEN m.source IS NULL THEN d.series ELSE m.others END, d.cycle, d.cycles
	FROM @extschema@.l4_each_direction(l4_parted_directions.directions) d
	LEFT JOIN unnest(links) m ON m.source = d.source AND m.destination = d.destination AND d.kind = l4_parted_directions.kind
	-- of a link of gradients alone nothing is left
	WHERE m.source IS NULL OR cardinality((m.others).began) > 0
	UNION ALL
	SELECT d.job, m.period, 'data', d.source, d.destination, m.gradients, NULL, NULL
	FROM unnest(links) m
	JOIN @extschema@.l4_each_direction(l4_parted_directions.directions) d ON d.source = m.source
		AND d.destination = m.destination AND d.kind = l4_parted_directions.kind;
END;
COMMENT ON FUNCTION @extschema@.l4_parted_directions(@extschema@.l4_flow_direction[], text, @extschema@.l4_mixed_link[]) IS
'Step: Directions, of which those of one kind that are among the links are parted into what they were and data; others of the '
'kind have the period of these then, if they have none.';

CREATE FUNCTION @extschema@.l4_with_gradients(directions @extschema@.l4_flow_direction[], places @extschema@.l4_flow_place[],
	limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_flow_direction
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	SELECT p.* FROM @extschema@.l4_parted_directions(l4_with_gradients.directions, 'expert', ARRAY(
		SELECT ROW(d.source, d.destination, p.period, @extschema@.l4_series_of_sizes(d.series, z.sizes, false),
			g.gradients)::@extschema@.l4_mixed_link
		FROM @extschema@.l4_each_direction(l4_with_gradients.directions) d
		JOIN unnest(l4_with_gradients.places) p ON p.address = d.source AND p.period IS NOT NULL
		CROSS JOIN LATERAL (SELECT @extschema@.l4_repeated_sizes(d.series, limits) AS sizes OFFSET 0) z
		CROSS JOIN LATERAL (SELECT @extschema@.l4_series_of_sizes(d.series, z.sizes, true) AS gradients OFFSET 0) g
		WHERE d.kind = 'expert' AND z.sizes IS NOT NULL AND @extschema@.l4_has_phase(g.gradients, p.period, limits))) p;
END;
COMMENT ON FUNCTION @extschema@.l4_with_gradients(@extschema@.l4_flow_direction[], @extschema@.l4_flow_place[],
	@extschema@.l4_limits) IS
'Step: The directions of a job of which no phase tells the steps, where links of experts carry gradients, too (messages of '
'sizes that repeat themselves, in one phase of each step: l4_repeated_sizes, l4_has_phase) parted into both; links of experts '
'have the period of these then. Others as they are.';

CREATE FUNCTION @extschema@.l4_beside_contexts(directions @extschema@.l4_flow_direction[],
	places @extschema@.l4_flow_place[], limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_flow_direction
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	SELECT p.* FROM @extschema@.l4_parted_directions(l4_beside_contexts.directions, 'context', ARRAY(
		SELECT ROW(d.source, d.destination, p.period, @extschema@.l4_series_of_sizes(d.series, z.sizes, true),
			g.gradients)::@extschema@.l4_mixed_link
		FROM @extschema@.l4_each_direction(l4_beside_contexts.directions) d
		JOIN @extschema@.l4_each_direction(l4_beside_contexts.directions) r ON r.source = d.destination
			AND r.destination = d.source AND r.kind = 'context'
		JOIN unnest(l4_beside_contexts.places) p ON p.address = d.source AND p.period IS NOT NULL
		CROSS JOIN LATERAL (SELECT ARRAY(SELECT DISTINCT u.size FROM unnest((r.series).moved) u(size)) AS sizes OFFSET 0) z
		CROSS JOIN LATERAL (SELECT @extschema@.l4_series_of_sizes(d.series, z.sizes, false) AS gradients OFFSET 0) g
		WHERE d.kind = 'context' AND (r.series).bytes < (limits).flow_returned * (d.series).bytes
			AND @extschema@.l4_has_phase(g.gradients, p.period, limits))) p;
END;
COMMENT ON FUNCTION @extschema@.l4_beside_contexts(@extschema@.l4_flow_direction[], @extschema@.l4_flow_place[],
	@extschema@.l4_limits) IS
'Step: The directions of a job, where a ring of gradients goes along links over which contexts are exchanged parted into both: '
'what has no size that comes back, if it comes in one phase of each step (l4_has_phase) and is enough (limit flow_returned). '
'Others as they are.';

CREATE FUNCTION @extschema@.l4_contexts_of_equals(directions @extschema@.l4_flow_direction[],
	places @extschema@.l4_flow_place[], limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_flow_direction
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH linked AS MATERIALIZED (
		SELECT d.kind, d.source, d.destination, a.server AS one, b.server AS other, (d.series).same_size
		FROM @extschema@.l4_each_direction(l4_contexts_of_equals.directions) d
		JOIN unnest(l4_contexts_of_equals.places) a ON a.address = d.source AND a.server <> a.address
		JOIN unnest(l4_contexts_of_equals.places) b ON b.address = d.destination AND b.server <> b.address
		WHERE d.kind IN ('data', 'context')
	), equals AS MATERIALIZED (
		SELECT m.member AS server, m.component
		FROM (SELECT @extschema@.l4_connected_components(l.one, l.other) AS all_of_them FROM linked l WHERE l.kind = 'data') c
		CROSS JOIN LATERAL unnest(c.all_of_them) m
	), shards AS MATERIALIZED (
		SELECT l.source, l.destination
		FROM linked l
		JOIN equals a ON a.server = l.one
		JOIN equals b ON b.server = l.other
		-- a ring of gradients that goes along with contexts has sizes of its own
		WHERE l.kind = 'context' AND l.same_size >= (limits).flow_same_size AND a.component <> b.component
	)
	-- no phase of it ends a step
	SELECT d.job, CASE WHEN s.source IS NULL THEN d.period END, CASE WHEN s.source IS NULL THEN d.kind ELSE 'data' END,
		d.source, d.destination, d.series, d.cycle, d.cycles
	FROM @extschema@.l4_each_direction(l4_contexts_of_equals.directions) d
	LEFT JOIN shards s ON s.source = d.source AND s.destination = d.destination;
END;
COMMENT ON FUNCTION @extschema@.l4_contexts_of_equals(@extschema@.l4_flow_direction[], @extschema@.l4_flow_place[],
	@extschema@.l4_limits) IS
'Step: The directions of a job, where what seems to be contexts goes between servers that sum up gradients, but not with each '
'other, in messages most of which have one size (limit flow_same_size): data, then, without a period, as no phase of it ends a '
'step. Those among whom contexts are parted hold the same weights, and sum up their gradients; who does not holds other '
'shards of them. Others as they are, also where servers are not known.';
