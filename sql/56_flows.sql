/*
 * Flows: what the records of switches tell of training jobs, without any log of theirs (LLMPrism: Jiang et al., arXiv
 * 2505.00342).
 *
 * - l4_read_flows makes messages of the records of each pair of addresses, in one pass over the table of flows.
 * - Who trains together is a connected component of pairs; components on the same servers, in step, are one job.
 * - The longest period of a job's pairs is its step. Pairs that send in one phase of it are data parallel; those that get back
 *   what they sent are the pipeline; experts and contexts exchange.
 * - Data-parallel phases end steps; where parameters are sharded, layers that come faster again.
 */

CREATE FUNCTION @extschema@.l4_flow_column(flows regclass, columns jsonb, name text, type text, needed boolean) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	found text := COALESCE(l4_flow_column.columns ->> l4_flow_column.name, l4_flow_column.name);
BEGIN
	IF EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = l4_flow_column.flows AND a.attname = found
			AND a.attnum > 0 AND NOT a.attisdropped) THEN
		RETURN format('f.%I::%s', found, l4_flow_column.type);
	ELSIF l4_flow_column.needed OR l4_flow_column.columns ? l4_flow_column.name THEN
		RAISE EXCEPTION 'table % has no column "%"', l4_flow_column.flows, found
			USING ERRCODE = 'undefined_column',
				HINT = format('Name the column that holds it: columns => ''{"%s": "..."}''.', l4_flow_column.name);
	END IF;
	RETURN format('NULL::%s', l4_flow_column.type);
END
$$;
COMMENT ON FUNCTION @extschema@.l4_flow_column(regclass, jsonb, text, text, boolean) IS
'Step: The expression of a column of l4_flow in a table of anybody''s flows: the column that columns names for it, else the'
' one of its name, NULL where it is not needed and there is none. Errors: 42703 a column that is not there.';

CREATE FUNCTION @extschema@.l4_flow_window(from_time timestamptz, to_time timestamptz, flows regclass, columns jsonb,
	limits @extschema@.l4_limits) RETURNS tstzrange
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	started text := @extschema@.l4_flow_column(l4_flow_window.flows, l4_flow_window.columns, 'started_at', 'timestamptz', true);
	found tstzrange;
BEGIN
	IF l4_flow_window.from_time > l4_flow_window.to_time THEN
		RAISE EXCEPTION 'the window ends at %, before it begins at %', l4_flow_window.to_time, l4_flow_window.from_time
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Give from_time, then to_time.';
	END IF;
	IF l4_flow_window.from_time IS NOT NULL AND l4_flow_window.to_time IS NOT NULL THEN
		RETURN tstzrange(l4_flow_window.from_time, l4_flow_window.to_time);
	END IF;
	EXECUTE format(
		'SELECT tstzrange(COALESCE($1, min(m.minute)), COALESCE($2, max(m.minute) + interval ''1 minute''))
		FROM (SELECT date_trunc(''minute'', %1$s) AS minute, count(*) AS flows, max(count(*)) OVER () AS most
			FROM %2$s f
			WHERE (%1$s >= $1) IS NOT FALSE AND (%1$s < $2) IS NOT FALSE AND isfinite(%1$s)
			GROUP BY 1) m
		WHERE m.flows >= $3 * m.most', started, l4_flow_window.flows)
	INTO found
	USING l4_flow_window.from_time, l4_flow_window.to_time, (l4_flow_window.limits).flow_window_share;
	RETURN found;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_flow_window(timestamptz, timestamptz, regclass, jsonb, @extschema@.l4_limits) IS
'Step: The window of time to look at: from from_time to before to_time; where one is NULL, what the flows are in, without '
'clocks that jumped (limit flow_window_share). Errors: 22023 an end before the beginning; 42703. Cost: nothing, or one '
'scan.';

CREATE FUNCTION @extschema@.l4_read_flows(time_window tstzrange, flows regclass, columns jsonb, accelerators regclass,
	addresses text[], limits @extschema@.l4_limits)
RETURNS TABLE (one text, other text, forth @extschema@.l4_flow_series, back @extschema@.l4_flow_series)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10000 COST 1000000
SET search_path = pg_catalog, pg_temp
SET enable_sort = off
SET work_mem = '128MB'
AS $$
DECLARE
	source CONSTANT text := @extschema@.l4_flow_column(l4_read_flows.flows, l4_read_flows.columns, 'source', 'text', true)
		|| ' COLLATE "C"';
	destination CONSTANT text := @extschema@.l4_flow_column(l4_read_flows.flows, l4_read_flows.columns, 'destination', 'text',
		true) || ' COLLATE "C"';
	messages text;
	-- as an array, which is looked up row by row at less than a join costs; NULL: any
	known CONSTANT text[] := COALESCE(l4_read_flows.addresses, (SELECT array_agg(DISTINCT a.address)
		FROM @extschema@.l4_read_accelerators(l4_read_flows.accelerators) a));
BEGIN
	SELECT format('@extschema@.l4_flow_messages(%s, $3, $4, $5)', string_agg(@extschema@.l4_flow_column(l4_read_flows.flows,
		l4_read_flows.columns, c.name, c.type, c.needed), ', ' ORDER BY c.place))
	INTO messages
	FROM (VALUES (1, 'started_at', 'timestamptz', true), (2, 'duration', 'double precision', true),
		(3, 'bytes', 'bigint', true),
		(4, 'queue_pair', 'bigint', false), (5, 'retransmits', 'bigint', false), (6, 'switches', 'text[]', false))
		c(place, name, type, needed);
	RETURN QUERY EXECUTE format(
		'SELECT LEAST(%1$s, %2$s), GREATEST(%1$s, %2$s), %3$s FILTER (WHERE %1$s < %2$s), %3$s FILTER (WHERE %1$s > %2$s)
		FROM %4$s f
		WHERE %5$s >= $1 AND %5$s < $2 AND ($6 IS NULL OR %1$s = ANY ($6) AND %2$s = ANY ($6))
		GROUP BY 1, 2',
		source, destination, messages, l4_read_flows.flows,
		@extschema@.l4_flow_column(l4_read_flows.flows, l4_read_flows.columns, 'started_at', 'timestamptz', true))
	USING lower(l4_read_flows.time_window), upper(l4_read_flows.time_window), (l4_read_flows.limits).flow_pause,
		(l4_read_flows.limits).flow_bytes::bigint, (l4_read_flows.limits).flow_twice, known;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_read_flows(tstzrange, regclass, jsonb, regclass, text[], @extschema@.l4_limits) IS
'Step: What went between each two addresses in the window, both ways: one pass over the flows. addresses: of flows between '
'these alone; NULL: between all accelerators. Cost: some 600 nanoseconds '
'a flow; memory some of its work_mem, whatever is read, and on disk 24 bytes a flow above that.';

-- ---- who trains together ----

CREATE TYPE @extschema@.l4_flow_pair AS (
	one text,
	other text,
	forth @extschema@.l4_flow_series,
	back @extschema@.l4_flow_series,
	bytes double precision,
	period double precision,
	cycles @extschema@.l4_step_cycle_series,
	answer @extschema@.l4_answer
);
COMMENT ON TYPE @extschema@.l4_flow_pair IS
'Step: What went between two addresses, both ways, how often its bursts come (seconds; NULL: not regularly), the cycles of '
'layers that there are where parameters are sharded, and whether one way answers the other (l4_flow_answer).';

CREATE FUNCTION @extschema@.l4_flow_pair_bytes(forth @extschema@.l4_flow_series, back @extschema@.l4_flow_series)
	RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN (COALESCE((forth).bytes, 0) + COALESCE((back).bytes, 0))::double precision;
COMMENT ON FUNCTION @extschema@.l4_flow_pair_bytes(@extschema@.l4_flow_series, @extschema@.l4_flow_series) IS
'Step: Bytes that went between two addresses, both ways.';

CREATE FUNCTION @extschema@.l4_flow_pair_period(forth @extschema@.l4_flow_series, back @extschema@.l4_flow_series,
	limits @extschema@.l4_limits) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
RETURN GREATEST((@extschema@.l4_regular_interval((forth).began, (forth).lasted, (limits).flow_regular_count,
		(limits).flow_regular_time, (limits).flow_regular_tolerance))."interval",
	(@extschema@.l4_regular_interval((back).began, (back).lasted, (limits).flow_regular_count,
		(limits).flow_regular_time, (limits).flow_regular_tolerance))."interval");
COMMENT ON FUNCTION @extschema@.l4_flow_pair_period(@extschema@.l4_flow_series, @extschema@.l4_flow_series,
	@extschema@.l4_limits) IS
'Step: How often the bursts between two addresses come, in seconds: the longer of both ways; NULL for not regularly.';

CREATE FUNCTION @extschema@.l4_cycles_of(series @extschema@.l4_flow_series, limits @extschema@.l4_limits)
	RETURNS @extschema@.l4_step_cycle_series
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 20000
RETURN @extschema@.l4_step_cycles((series).began, (series).lasted, (series).moved, (limits).flow_cycle_ratio,
	(limits).flow_cycle_share, (limits).flow_cycle_run::int, (limits).flow_regular_count, (limits).flow_cycle_tolerance,
	(limits).flow_microbatch_bytes, (limits).flow_microbatch_deviations, (limits).flow_whole_collectives);
COMMENT ON FUNCTION @extschema@.l4_cycles_of(@extschema@.l4_flow_series, @extschema@.l4_limits) IS
'Step: l4_step_cycles of what goes one way between two, by the limits.';

CREATE FUNCTION @extschema@.l4_rounds_of(series @extschema@.l4_flow_series, period double precision,
	limits @extschema@.l4_limits) RETURNS @extschema@.l4_step_cycle_series
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
RETURN @extschema@.l4_step_rounds((series).began, (series).lasted, (series).moved, (limits).flow_step_pause * period,
	(limits).flow_regular_count, (limits).flow_cycle_tolerance, (limits).flow_microbatch_bytes,
	(limits).flow_microbatch_deviations);
COMMENT ON FUNCTION @extschema@.l4_rounds_of(@extschema@.l4_flow_series, double precision, @extschema@.l4_limits) IS
'Step: l4_step_rounds of what goes one way between two, by the limits. period: of its bursts, the rounds (seconds).';

CREATE FUNCTION @extschema@.l4_greater_way(forth @extschema@.l4_flow_series, back @extschema@.l4_flow_series)
	RETURNS @extschema@.l4_flow_series
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN CASE WHEN (back).bytes > (forth).bytes THEN back ELSE COALESCE(forth, back) END;
COMMENT ON FUNCTION @extschema@.l4_greater_way(@extschema@.l4_flow_series, @extschema@.l4_flow_series) IS
'Step: Of what goes between two, the way that moves more.';

CREATE FUNCTION @extschema@.l4_flow_pair_cycles(forth @extschema@.l4_flow_series, back @extschema@.l4_flow_series,
	limits @extschema@.l4_limits) RETURNS @extschema@.l4_step_cycle_series
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 20000
RETURN CASE WHEN GREATEST((forth).same_size, (back).same_size) >= (limits).flow_own_size
	THEN @extschema@.l4_cycles_of(@extschema@.l4_greater_way(forth, back), limits) END;
COMMENT ON FUNCTION @extschema@.l4_flow_pair_cycles(@extschema@.l4_flow_series, @extschema@.l4_flow_series,
	@extschema@.l4_limits) IS
'Step: l4_cycles_of the way between two addresses that moves more. NULL where no two records are alike (limit flow_own_size): '
'they are no layers.';

CREATE FUNCTION @extschema@.l4_flow_answer(forth @extschema@.l4_flow_series, back @extschema@.l4_flow_series,
	limits @extschema@.l4_limits) RETURNS @extschema@.l4_answer
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 3000
RETURN @extschema@.l4_answers((forth).began, (forth).lasted, (forth).moved, (back).began, (back).lasted, (back).moved,
	(limits).flow_pause, (limits).flow_answer_size, (limits).flow_together_time);
COMMENT ON FUNCTION @extschema@.l4_flow_answer(@extschema@.l4_flow_series, @extschema@.l4_flow_series,
	@extschema@.l4_limits) IS
'Step: l4_answers of what goes between two addresses, by the limits. NULL where nothing goes one way.';

CREATE FUNCTION @extschema@.l4_repeats_sizes(series @extschema@.l4_flow_series) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
-- of at most a thousand records sizes are looked at
RETURN (series).same_size * LEAST((series).records, 1000) > 1.5;
COMMENT ON FUNCTION @extschema@.l4_repeats_sizes(@extschema@.l4_flow_series) IS
'Step: Have any two records of what goes one way between two one size? NULL for none.';

CREATE FUNCTION @extschema@.l4_flow_pair_repeats(forth @extschema@.l4_flow_series, back @extschema@.l4_flow_series,
	period double precision, cycle double precision, answer @extschema@.l4_answer, limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100
RETURN CASE
	WHEN period IS NOT NULL OR cycle IS NOT NULL THEN true
	WHEN GREATEST((forth).records, (back).records) >= (limits).flow_least_steps THEN
		COALESCE(@extschema@.l4_repeats_sizes(forth), false) OR COALESCE(@extschema@.l4_repeats_sizes(back), false)
		OR COALESCE((answer).alike >= (limits).flow_answered OR (answer).at_once >= (limits).flow_at_once
			OR (answer).end_together >= (limits).flow_together, false) END;
COMMENT ON FUNCTION @extschema@.l4_flow_pair_repeats(@extschema@.l4_flow_series, @extschema@.l4_flow_series, double precision,
	double precision, @extschema@.l4_answer, @extschema@.l4_limits) IS
'Step: Does what goes between two repeat itself in any way: bursts come regularly (period), layers in cycles (cycle), two '
'records '
'are of one size, one way answers the other, or both go at once (limits flow_answered, flow_at_once, flow_together)? NULL for '
'fewer records than could (limit flow_least_steps).';

CREATE FUNCTION @extschema@.l4_flow_pairs_of(time_window tstzrange, flows regclass, columns jsonb, accelerators regclass,
	addresses text[], limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_flow_pair
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10000 COST 1000000
BEGIN ATOMIC
	SELECT r.one, r.other, r.forth, r.back, @extschema@.l4_flow_pair_bytes(r.forth, r.back),
		@extschema@.l4_flow_pair_period(r.forth, r.back, limits), @extschema@.l4_flow_pair_cycles(r.forth, r.back, limits),
		@extschema@.l4_flow_answer(r.forth, r.back, limits)
	FROM @extschema@.l4_read_flows(l4_flow_pairs_of.time_window, l4_flow_pairs_of.flows, l4_flow_pairs_of.columns,
		l4_flow_pairs_of.accelerators, l4_flow_pairs_of.addresses, limits) r;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_pairs_of(tstzrange, regclass, jsonb, regclass, text[], @extschema@.l4_limits) IS
'Step: All pairs of addresses of a window, with the period of their bursts and the cycles of their layers.';

CREATE FUNCTION @extschema@.l4_cursor_rows(pairs refcursor) RETURNS SETOF @extschema@.l4_flow_pair
	LANGUAGE c STABLE STRICT PARALLEL RESTRICTED ROWS 10000 COST 10 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION @extschema@.l4_cursor_rows(refcursor) IS
'Step: The pairs of an open cursor with SCROLL, from the first one on, each time again. Pairs of many flows are not in memory '
'but in the cursor''s query, on disk above work_mem. Errors: 34000 no such cursor, 55000 one without SCROLL, 42804 one of '
'other rows.';

-- In FROM a set is copied as a whole, arrays and all, before its first row is looked at; not in the list of what is selected.
CREATE FUNCTION @extschema@.l4_cursor_pairs(pairs refcursor) RETURNS SETOF @extschema@.l4_flow_pair
LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 10000 COST 10000
BEGIN ATOMIC
	SELECT (p.pair).one, (p.pair).other, (p.pair).forth, (p.pair).back, (p.pair).bytes, (p.pair).period, (p.pair).cycles,
		(p.pair).answer
	FROM (SELECT @extschema@.l4_cursor_rows(l4_cursor_pairs.pairs) AS pair) p;
END;
COMMENT ON FUNCTION @extschema@.l4_cursor_pairs(refcursor) IS
'Step: l4_cursor_rows as a table, of which no copy is made.';

CREATE FUNCTION @extschema@.l4_each_pair(pairs @extschema@.l4_flow_pair[]) RETURNS SETOF @extschema@.l4_flow_pair
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 1000
BEGIN ATOMIC
	SELECT (p.pair).one, (p.pair).other, (p.pair).forth, (p.pair).back, (p.pair).bytes, (p.pair).period, (p.pair).cycles,
		(p.pair).answer
	FROM (SELECT unnest(l4_each_pair.pairs) AS pair) p;
END;
COMMENT ON FUNCTION @extschema@.l4_each_pair(@extschema@.l4_flow_pair[]) IS
'Step: unnest of pairs, of which no copy is made.';

CREATE FUNCTION @extschema@.l4_training_pairs(pairs @extschema@.l4_flow_pair[], limits @extschema@.l4_limits)
RETURNS TABLE (one text, other text, period double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 10000
BEGIN ATOMIC
	WITH known AS MATERIALIZED (
		SELECT p.one, p.other, p.bytes, p.period FROM @extschema@.l4_each_pair(l4_training_pairs.pairs) p WHERE p.bytes > 0
	), ends AS (
		SELECT e.address, max(k.bytes) AS bytes
		FROM known k CROSS JOIN LATERAL (VALUES (k.one), (k.other)) e(address)
		GROUP BY e.address
	)
	SELECT k.one, k.other, k.period
	FROM known k
	JOIN ends a ON a.address = k.one
	JOIN ends b ON b.address = k.other
	WHERE k.bytes >= (limits).flow_pair_share * GREATEST(a.bytes, b.bytes);
END;
COMMENT ON FUNCTION @extschema@.l4_training_pairs(@extschema@.l4_flow_pair[], @extschema@.l4_limits) IS
'Step: Those pairs that may train together: what they move is not little beside what either moves with others (limit '
'flow_pair_share).';

CREATE FUNCTION @extschema@.l4_longest_period(periods double precision[], limits @extschema@.l4_limits)
	RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	tolerance CONSTANT double precision := (l4_longest_period.limits).flow_period_tolerance;
	known CONSTANT double precision[] := ARRAY(SELECT p.period FROM unnest(l4_longest_period.periods) p(period)
		WHERE p.period > 0 ORDER BY p.period DESC);
	needed CONSTANT double precision := GREATEST(LEAST(2, cardinality(known)),
		(l4_longest_period.limits).flow_period_pairs * cardinality(known));
	-- those that a period is like: from the first to the last place, which only ever go on
	first int := 1;
	last int := 0;
BEGIN
	FOR place IN 1 .. cardinality(known) LOOP
		WHILE first < place AND known[first] / known[place] - 1 > tolerance LOOP
			first := first + 1;
		END LOOP;
		WHILE last < cardinality(known) AND (last < place OR 1 - known[last + 1] / known[place] <= tolerance) LOOP
			last := last + 1;
		END LOOP;
		IF last - first + 1 >= needed THEN
			-- the lower median
			RETURN known[(first + last + 1) / 2];
		END IF;
	END LOOP;
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_longest_period(double precision[], @extschema@.l4_limits) IS
'Step: The longest period (seconds) that enough pairs have (limits flow_period_pairs, flow_period_tolerance), the median of '
'those; NULL for none. Cost: time n * log(n).';

CREATE FUNCTION @extschema@.l4_sends_each_step(bursts @extschema@.l4_burst_times, series @extschema@.l4_flow_series,
	period double precision, limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN (bursts).seconds >= GREATEST(((limits).flow_least_steps - 1) * period,
	CASE WHEN (bursts).bursts > (limits).flow_least_steps THEN (limits).flow_step_rests ELSE (limits).flow_step_active END
		* ((series).began[cardinality((series).began)] - (series).began[1]));
COMMENT ON FUNCTION @extschema@.l4_sends_each_step(@extschema@.l4_burst_times, @extschema@.l4_flow_series, double precision,
	@extschema@.l4_limits) IS
'Step: Is something sent in each of steps that take so long (period, seconds), for enough of them (limits flow_step_active, '
'flow_step_rests, flow_least_steps)? bursts: what of it goes on without silence for whole steps (limit flow_step_silence). '
'NULL for no messages.';

CREATE FUNCTION @extschema@.l4_read_accelerators(accelerators regclass)
RETURNS TABLE (address text, server text, leaf text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 COST 1000
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF l4_read_accelerators.accelerators IS NOT NULL THEN
		RETURN QUERY EXECUTE format('SELECT %s COLLATE "C", %s, %s FROM %s f',
			@extschema@.l4_flow_column(l4_read_accelerators.accelerators, NULL, 'address', 'text', true),
			@extschema@.l4_flow_column(l4_read_accelerators.accelerators, NULL, 'server', 'text', true),
			@extschema@.l4_flow_column(l4_read_accelerators.accelerators, NULL, 'leaf', 'text', false),
			l4_read_accelerators.accelerators);
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_read_accelerators(regclass) IS
'Step: The accelerators of l4_accelerator, or of a table with its columns address, server and, if it has it, leaf; none for '
'NULL. Errors: 42703 a column is not there.';

CREATE TYPE @extschema@.l4_flow_cluster AS (
	name text,
	period double precision,
	ends double precision[],
	servers text[],
	members text[],
	cycle double precision,
	cycle_ends double precision[],
	moved real[]
);
COMMENT ON TYPE @extschema@.l4_flow_cluster IS
'Step: A connected component of pairs: its name, its step (seconds; NULL: none), when steps end, or messages begin '
'where there are none (seconds since 1970), its servers (empty: not known), and the cycles of its layers, as its most regular '
'pair has them: how long they take, and when they end (NULL: it has none). moved: bytes of what ended at each of ends.';

CREATE FUNCTION @extschema@.l4_have_same_cycles(a @extschema@.l4_flow_cluster, b @extschema@.l4_flow_cluster,
	limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	-- one link may tell microbatches where another tells steps
	SELECT abs(r.long / (round(r.long / r.short) * r.short) - 1) <= (limits).flow_cycle_tolerance
		AND @extschema@.l4_together(r.of_long, r.of_short, (limits).flow_in_step * r.short) >= (limits).flow_in_step_share
		AND (round(r.long / r.short) > 1
			OR @extschema@.l4_together(r.of_short, r.of_long, (limits).flow_in_step * r.short) >= (limits).flow_in_step_share)
	FROM (SELECT GREATEST((a).cycle, (b).cycle) AS long, LEAST((a).cycle, (b).cycle) AS short,
			CASE WHEN (a).cycle >= (b).cycle THEN (a).cycle_ends ELSE (b).cycle_ends END AS of_long,
			CASE WHEN (a).cycle >= (b).cycle THEN (b).cycle_ends ELSE (a).cycle_ends END AS of_short) r
	WHERE (a).cycle > 0 AND (b).cycle > 0;
END;
COMMENT ON FUNCTION @extschema@.l4_have_same_cycles(@extschema@.l4_flow_cluster, @extschema@.l4_flow_cluster,
	@extschema@.l4_limits) IS
'Step: Do the cycles of layers of two clusters take as long (or one a whole number of those of the other), and end together '
'but for a constant (limits flow_cycle_tolerance, flow_in_step, flow_in_step_share)? NULL where one has none.';

CREATE FUNCTION @extschema@.l4_are_in_step(a @extschema@.l4_flow_cluster, b @extschema@.l4_flow_cluster,
	limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
RETURN ((a).period IS NULL AND (b).period IS NULL OR abs((a).period / (b).period - 1) <= (limits).flow_period_tolerance)
	AND LEAST(@extschema@.l4_together((a).ends, (b).ends,
			COALESCE((limits).flow_in_step * (a).period, (limits).flow_in_step_time)),
		@extschema@.l4_together((b).ends, (a).ends,
			COALESCE((limits).flow_in_step * (a).period, (limits).flow_in_step_time))) >= (limits).flow_in_step_share;
COMMENT ON FUNCTION @extschema@.l4_are_in_step(@extschema@.l4_flow_cluster, @extschema@.l4_flow_cluster,
	@extschema@.l4_limits) IS
'Step: Do the steps of two clusters take as long, and end together but for a constant (limits flow_period_tolerance, '
'flow_in_step, flow_in_step_share)? Two jobs never do for long. Where neither has a step, their messages must (limit '
'flow_in_step_time). NULL where one alone has none.';

CREATE FUNCTION @extschema@.l4_repeats_itself(times double precision[], moved real[], ends double precision[],
	limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
RETURN @extschema@.l4_repeated_share(times, moved, ends, (limits).flow_repeated_parts::int, (limits).flow_least_steps::int)
	>= (limits).flow_repeated;
COMMENT ON FUNCTION @extschema@.l4_repeats_itself(double precision[], real[], double precision[], @extschema@.l4_limits) IS
'Step: Does what is sent repeat itself from one cycle to the next (l4_repeated_share; limits flow_repeated, '
'flow_repeated_parts, flow_least_steps)? NULL where that is not seen.';

CREATE FUNCTION @extschema@.l4_goes_with_cycles(a @extschema@.l4_flow_cluster, b @extschema@.l4_flow_cluster,
	limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
RETURN CASE
	WHEN (a).cycle IS NOT NULL AND (b).cycle IS NULL
		THEN @extschema@.l4_repeats_itself((b).ends, (b).moved, (a).cycle_ends, limits)
	WHEN (b).cycle IS NOT NULL AND (a).cycle IS NULL
		THEN @extschema@.l4_repeats_itself((a).ends, (a).moved, (b).cycle_ends, limits) END;
COMMENT ON FUNCTION @extschema@.l4_goes_with_cycles(@extschema@.l4_flow_cluster, @extschema@.l4_flow_cluster,
	@extschema@.l4_limits) IS
'Step: Of two clusters of which one alone has cycles of layers, does what the other sends repeat itself from cycle to cycle '
'(l4_repeats_itself)? Its links may show no cycles of their own. NULL for others.';

CREATE FUNCTION @extschema@.l4_flow_span(parted @extschema@.l4_burst_times, active @extschema@.l4_burst_times,
	period double precision, limits @extschema@.l4_limits) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN CASE
	WHEN (active).seconds < ((limits).flow_least_steps - 1) * period THEN 1
	WHEN (parted).bursts > (limits).flow_step_phases * ((active).seconds / period + (active).bursts) THEN 1
	ELSE (parted).seconds / (parted).bursts / period END;
COMMENT ON FUNCTION @extschema@.l4_flow_span(@extschema@.l4_burst_times, @extschema@.l4_burst_times, double precision,
	@extschema@.l4_limits) IS
'Step: Of each step (period: seconds), the share in which two send to each other: that of a phase which comes once a step, or '
'1 for more of them, or for fewer steps (limits flow_step_phases, flow_least_steps). parted: their bursts, active: the same '
'without what is silent for whole steps, such as evaluations (limits flow_step_pause, flow_step_silence). NULL for no steps.';

CREATE FUNCTION @extschema@.l4_flow_pair_bursts(forth @extschema@.l4_flow_series, back @extschema@.l4_flow_series,
	period double precision, limits @extschema@.l4_limits)
RETURNS TABLE (parted @extschema@.l4_burst_times, active @extschema@.l4_burst_times)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1 COST 3000
BEGIN ATOMIC
	-- OFFSET, as each is to be worked out once
	SELECT @extschema@.l4_bursts(b.began, b.lasted, l4_flow_pair_bursts.period * (limits).flow_step_pause),
		@extschema@.l4_bursts(b.began, b.lasted, l4_flow_pair_bursts.period * (limits).flow_step_silence)
	FROM (SELECT COALESCE((forth).began, '{}') || COALESCE((back).began, '{}') AS began,
		COALESCE((forth).lasted, '{}') || COALESCE((back).lasted, '{}') AS lasted OFFSET 0) b
	OFFSET 0;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_pair_bursts(@extschema@.l4_flow_series, @extschema@.l4_flow_series, double precision,
	@extschema@.l4_limits) IS
'Step: What l4_flow_span takes, of what goes between two addresses, both ways; NULL without a period.';

CREATE FUNCTION @extschema@.l4_flow_pair_silence(forth @extschema@.l4_flow_series, back @extschema@.l4_flow_series,
	period double precision, limits @extschema@.l4_limits) RETURNS TABLE (is_silent boolean)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1 COST 3000
BEGIN ATOMIC
	SELECT GREATEST(@extschema@.l4_sends_each_step(b.forth, l4_flow_pair_silence.forth, l4_flow_pair_silence.period, limits),
		@extschema@.l4_sends_each_step(b.back, l4_flow_pair_silence.back, l4_flow_pair_silence.period, limits)) IS NOT TRUE
	-- OFFSET, as each is to be worked out once
	FROM (SELECT @extschema@.l4_bursts((l4_flow_pair_silence.forth).began, (l4_flow_pair_silence.forth).lasted,
			(limits).flow_step_silence * l4_flow_pair_silence.period) AS forth,
		@extschema@.l4_bursts((l4_flow_pair_silence.back).began, (l4_flow_pair_silence.back).lasted,
			(limits).flow_step_silence * l4_flow_pair_silence.period) AS back OFFSET 0) b;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_pair_silence(@extschema@.l4_flow_series, @extschema@.l4_flow_series, double precision,
	@extschema@.l4_limits) IS
'Step: Are two silent on both ways in many of the steps that take so long (l4_sends_each_step)?';

CREATE FUNCTION @extschema@.l4_connected_clusters(pairs refcursor, known jsonb, limits @extschema@.l4_limits)
	RETURNS SETOF @extschema@.l4_flow_cluster
LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 100 COST 100000
BEGIN ATOMIC
	WITH training AS MATERIALIZED (
		SELECT t.one, t.other, t.period FROM @extschema@.l4_training_pairs(ARRAY(
			SELECT ROW(p.one, p.other, NULL, NULL, p.bytes, p.period, NULL, NULL)::@extschema@.l4_flow_pair
			FROM @extschema@.l4_cursor_pairs(l4_connected_clusters.pairs) p), limits) t
	), components AS MATERIALIZED (
		SELECT m.component, m.member, l4_connected_clusters.known ->> m.member AS server
		FROM (SELECT @extschema@.l4_connected_components(t.one, t.other) AS all_of_them FROM training t) c
		CROSS JOIN LATERAL unnest(c.all_of_them) m
	), longest AS MATERIALIZED (
		SELECT c.component, @extschema@.l4_longest_period(array_agg(t.period), limits) AS period
		FROM training t JOIN components c ON c.member = t.one GROUP BY c.component
	), silent_pairs AS MATERIALIZED (
		SELECT l.component, p.one, p.other, a.is_silent, @extschema@.l4_flow_span(b.parted, b.active, l.period, limits) AS span
		FROM @extschema@.l4_cursor_pairs(l4_connected_clusters.pairs) p
		JOIN training t ON t.one = p.one AND t.other = p.other
		JOIN components c ON c.member = p.one
		JOIN longest l ON l.component = c.component AND l.period IS NOT NULL
		CROSS JOIN LATERAL @extschema@.l4_flow_pair_silence(p.forth, p.back, l.period, limits) a
		CROSS JOIN LATERAL @extschema@.l4_flow_pair_bursts(p.forth, p.back,
			CASE WHEN p.one = l.component AND t.period IS NOT NULL THEN l.period END, limits) b
	), silent AS (
		-- who is silent for many of these steps with one of those it trains with
		SELECT s.component, e.address, bool_or(s.is_silent) AS is_silent
		FROM silent_pairs s CROSS JOIN LATERAL (VALUES (s.one), (s.other)) e(address) GROUP BY s.component, e.address
	), periods AS MATERIALIZED (
		SELECT l.component, CASE WHEN avg(s.is_silent::int) < (limits).flow_step_members THEN l.period END AS period
		FROM longest l LEFT JOIN silent s ON s.component = l.component
		GROUP BY l.component, l.period
	), chosen AS (
		SELECT DISTINCT ON (p.component) p.component, p.period, t.one, t.other
		FROM training t JOIN components c ON c.member = t.one
		JOIN periods p ON p.component = c.component
		LEFT JOIN silent_pairs s ON s.one = t.one AND s.other = t.other
		-- while somebody is slow for half of the window, phases may come as often as they do in the other half
		WHERE (abs(t.period / p.period - 1) <= (limits).flow_period_tolerance) IS NOT FALSE
			OR s.span <= (limits).flow_data_span
		ORDER BY p.component, s.span, t.period IS NULL, t.one, t.other
	), steps AS (
		SELECT c.component, c.period, @extschema@.l4_step_phases((d.series).began, (d.series).lasted, (d.series).moved, true,
			COALESCE(c.period * (limits).flow_step_pause, (limits).flow_pause), (limits).flow_whole_phase) AS phases
		FROM chosen c JOIN @extschema@.l4_cursor_pairs(l4_connected_clusters.pairs) p ON p.one = c.one AND p.other = c.other
		CROSS JOIN LATERAL (VALUES (p.forth), (p.back)) d(series) GROUP BY c.component, c.period
	), cycles AS (
		SELECT DISTINCT ON (c.component) c.component, (p.cycles)."interval" AS cycle, (p.cycles).ended AS cycle_ends
		FROM @extschema@.l4_cursor_pairs(l4_connected_clusters.pairs) p
		JOIN components c ON c.member = p.one
		WHERE (p.cycles)."interval" IS NOT NULL
		ORDER BY c.component, (p.cycles).regular * cardinality((p.cycles).ended) * GREATEST((p.cycles).microbatches, 1) DESC,
			p.one, p.other
	)
	SELECT s.component, s.period, (s.phases).ended, m.servers, m.members, y.cycle, y.cycle_ends, (s.phases).bytes::real[]
	FROM steps s
	LEFT JOIN cycles y ON y.component = s.component
	JOIN (SELECT c.component, array_agg(c.member ORDER BY c.member) AS members,
			COALESCE(array_agg(DISTINCT c.server ORDER BY c.server) FILTER (WHERE c.server IS NOT NULL), '{}') AS servers
		FROM components c GROUP BY c.component) m ON m.component = s.component;
END;
COMMENT ON FUNCTION @extschema@.l4_connected_clusters(refcursor, jsonb, @extschema@.l4_limits) IS
'Step: The connected components of pairs (l4_cursor_pairs), with their steps, which that pair of its first member tells that '
'sends in the shortest phase of each: a pipeline may be as regular, without a pause. known: the server of each address that is '
'known.';

CREATE FUNCTION @extschema@.l4_clusters_of(pairs refcursor, known jsonb, limits @extschema@.l4_limits)
	RETURNS SETOF @extschema@.l4_flow_cluster
LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 100 COST 100000
BEGIN ATOMIC
	WITH clusters AS MATERIALIZED (
		SELECT c.* FROM @extschema@.l4_connected_clusters(l4_clusters_of.pairs, l4_clusters_of.known, limits) c
	), members AS MATERIALIZED (
		SELECT c.name, m.address FROM clusters c CROSS JOIN LATERAL unnest(c.members) m(address)
	), strangers AS (
		-- who trains repeats itself; others send what they like when they like, as those who serve or move files: by bytes, as
		-- whoever looks after a job sends little to all of it
		SELECT a.name
		FROM @extschema@.l4_cursor_pairs(l4_clusters_of.pairs) p
		JOIN members a ON a.address = p.one
		JOIN members b ON b.address = p.other AND b.name = a.name
		GROUP BY a.name
		HAVING sum(p.bytes) FILTER (WHERE NOT @extschema@.l4_flow_pair_repeats(p.forth, p.back, p.period,
			(p.cycles)."interval", p.answer, limits)) > (limits).flow_strange_pairs * sum(p.bytes)
	)
	SELECT c.* FROM clusters c WHERE c.name NOT IN (SELECT s.name FROM strangers s);
END;
COMMENT ON FUNCTION @extschema@.l4_clusters_of(refcursor, jsonb, @extschema@.l4_limits) IS
'Step: l4_connected_clusters, but none of strangers: most of whose bytes are of pairs that do not repeat themselves '
'(l4_flow_pair_repeats; limit flow_strange_pairs).';

CREATE FUNCTION @extschema@.l4_flow_places(clusters @extschema@.l4_flow_cluster[], known jsonb, limits @extschema@.l4_limits)
RETURNS TABLE (address text, job int, server text, period double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH seats AS MATERIALIZED (
		SELECT c.name, s.server
		FROM unnest(l4_flow_places.clusters) c CROSS JOIN LATERAL unnest(c.servers) s(server)
	), candidates AS (
		SELECT a.name, b.name AS other, count(*) AS servers
		FROM seats a
		JOIN seats b ON b.server = a.server AND a.name < b.name COLLATE "C"
		GROUP BY a.name, b.name
		UNION ALL
		-- whatever one is on that is not known to be on any
		SELECT LEAST(a.name, b.name COLLATE "C"), GREATEST(a.name, b.name COLLATE "C"), 0
		FROM (SELECT c.name FROM unnest(l4_flow_places.clusters) c WHERE cardinality(c.servers) = 0) a
		JOIN unnest(l4_flow_places.clusters) b ON a.name < b.name COLLATE "C"
			OR a.name > b.name COLLATE "C" AND cardinality(b.servers) > 0
	), shared AS (
		SELECT c.name, c.other, c.servers, LEAST(cardinality(a.servers), cardinality(b.servers)) AS of_servers
		FROM candidates c
		JOIN unnest(l4_flow_places.clusters) a ON a.name = c.name
		JOIN unnest(l4_flow_places.clusters) b ON b.name = c.other
		WHERE @extschema@.l4_are_in_step(a, b, limits) OR @extschema@.l4_have_same_cycles(a, b, limits)
			OR @extschema@.l4_goes_with_cycles(a, b, limits)
	), connected AS (
		SELECT s.name, s.other FROM shared s
		WHERE s.servers >= (limits).flow_server_overlap * s.of_servers
		UNION ALL
		SELECT c.name, c.name FROM unnest(l4_flow_places.clusters) c
	), jobs AS (
		SELECT m.member AS name, dense_rank() OVER (ORDER BY m.component COLLATE "C")::int AS job
		FROM (SELECT @extschema@.l4_connected_components(c.name, c.other) AS all_of_them FROM connected c) j
		CROSS JOIN LATERAL unnest(j.all_of_them) m
	)
	SELECT a.address, j.job, COALESCE(l4_flow_places.known ->> a.address, a.address), max(c.period) OVER (PARTITION BY j.job)
	FROM unnest(l4_flow_places.clusters) c
	JOIN jobs j ON j.name = c.name
	CROSS JOIN LATERAL unnest(c.members) a(address);
END;
COMMENT ON FUNCTION @extschema@.l4_flow_places(@extschema@.l4_flow_cluster[], jsonb, @extschema@.l4_limits) IS
'Step: Which job and server each accelerator is of, and how long a step of the job takes. Clusters on the same servers (limit '
'flow_server_overlap; whatever they are on, where that is not known), in step or going through the same cycles of layers, are '
'one job. '
'Cost: the square of the clusters '
'that share a server.';

-- ---- what a pair is ----

CREATE FUNCTION @extschema@.l4_is_answered(returned double precision, together double precision, same_size double precision,
	answer @extschema@.l4_answer, limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN returned >= (limits).flow_returned AND together < (limits).flow_together
	AND ((answer).end_together < (limits).flow_together AND (answer).at_once < (limits).flow_at_once) IS NOT FALSE
	AND (same_size >= (limits).flow_same_size OR COALESCE((answer).alike >= (limits).flow_answered, false));
COMMENT ON FUNCTION @extschema@.l4_is_answered(double precision, double precision, double precision, @extschema@.l4_answer,
	@extschema@.l4_limits) IS
'Step: Does what goes one way between two come back later, in pieces of one size, or each as large as it went (limit '
'flow_answered), as along a pipeline, and neither at once (limit flow_at_once) nor done together with it, as what waits for '
'each '
'other is (limit flow_together)? Arguments as those of l4_flow_pair_kind.';

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
'Step: What one accelerator of a job sends to another: data, pipeline, expert or context (kind). period: seconds of a step of '
'the job, NULL where no phase of this ends one; cycle: the same where parameters are sharded, so that no pause ends a step, '
'else NULL; cycles: those of this way then.';

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
		SELECT m.job, m.period, m.kind, m.is_answered, m.cycle, m.cycles, m.microbatches, m.layer, m.repeats, m.differs,
			m.weight >= (limits).flow_microbatch_bytes AS is_heavy, (m.span <= (limits).flow_data_span) IS TRUE AS is_phase
		FROM unnest(l4_job_phases.measures) m
	), cycles AS (
		SELECT m.job, @extschema@.l4_usual_cycle(array_agg(m.cycle), array_agg(m.cycles), array_agg(m.microbatches),
			limits) AS cycle
		FROM measured m
		WHERE m.cycle IS NOT NULL
		GROUP BY m.job
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
		GROUP BY m.job, s.is_summed, c.cycle
		HAVING (count(m.cycle) >= (limits).flow_cycle_pairs * count(*)
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
			-- and so do the tokens of experts
			AND 2 * count(*) FILTER (WHERE m.differs) < count(*)
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

CREATE FUNCTION @extschema@.l4_flow_directions(pairs @extschema@.l4_flow_pair[], places @extschema@.l4_flow_place[],
	limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_flow_direction
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH measured AS MATERIALIZED (
		SELECT s.one, s.other, s.forth, s.back, p.job, p.period,
			@extschema@.l4_flow_span(b.parted, b.active, p.period, limits) AS span, (b.parted).bursts AS phases,
			COALESCE(LEAST((s.forth).bytes, (s.back).bytes)::double precision
				/ NULLIF(GREATEST((s.forth).bytes, (s.back).bytes), 0), 0)
				* (s.forth IS NOT NULL AND s.back IS NOT NULL)::int AS returned,
			COALESCE(@extschema@.l4_together((s.forth).began, (s.back).began, (limits).flow_together_time), 0) AS together,
			GREATEST((s.forth).same_size, (s.back).same_size) AS same_size,
			@extschema@.l4_least_alike(s.forth, s.back) AS least_alike, s.cycles, s.answer
		FROM @extschema@.l4_each_pair(l4_flow_directions.pairs) s
		JOIN unnest(l4_flow_directions.places) p ON p.address = s.one
		JOIN @extschema@.l4_training_pairs(l4_flow_directions.pairs, limits) t ON t.one = s.one AND t.other = s.other
		CROSS JOIN LATERAL @extschema@.l4_flow_pair_bursts(s.forth, s.back, p.period, limits) b
	), rounds AS MATERIALIZED ( -- neither layers nor a phase: gradients may be scattered in each microbatch
		SELECT m.one, m.other, @extschema@.l4_rounds_of(@extschema@.l4_greater_way(m.forth, m.back), m.period, limits) AS cycles
		FROM measured m WHERE m.period IS NOT NULL AND m.job NOT IN (SELECT o.job FROM measured o
			WHERE (o.cycles)."interval" IS NOT NULL OR o.span <= (limits).flow_data_span)
	), best AS (
		SELECT DISTINCT ON (m.job) m.job, (m.cycles).ended FROM measured m
		WHERE (m.cycles)."interval" IS NOT NULL
		ORDER BY m.job, (m.cycles).regular * cardinality((m.cycles).ended) * GREATEST((m.cycles).microbatches, 1) DESC,
			m.one, m.other
	), phased AS (
		SELECT p.job, p.cycle, p.any_phase, p.is_summed
		FROM @extschema@.l4_job_phases(ARRAY(SELECT ROW(m.job, m.period, m.span, @extschema@.l4_flow_pair_kind(m.span,
				m.returned, m.together, m.same_size, m.least_alike, m.answer, true, limits),
				CASE WHEN m.span <= (limits).flow_data_span
					AND @extschema@.l4_is_answered(m.returned, m.together, m.same_size, m.answer, limits)
				THEN NOT @extschema@.l4_go_at_once(m.forth, m.back, m.phases, limits) END, COALESCE((m.cycles)."interval",
				(r.cycles)."interval"), cardinality(COALESCE((m.cycles).ended, (r.cycles).ended)),
				COALESCE((m.cycles).microbatches, (r.cycles).microbatches), (m.cycles).layer, (m.cycles).weight,
				CASE WHEN (m.cycles)."interval" IS NULL
					THEN @extschema@.l4_repeats_itself((g.series).began, (g.series).moved, b.ended, limits) END,
				m.same_size < (limits).flow_own_size)::@extschema@.l4_flow_measure
			FROM measured m
			LEFT JOIN best b ON b.job = m.job
			LEFT JOIN rounds r ON r.one = m.one AND r.other = m.other
			CROSS JOIN LATERAL (SELECT @extschema@.l4_greater_way(m.forth, m.back) AS series) g), limits) p)
	SELECT m.job, CASE WHEN p.any_phase OR p.is_summed AND m.span <= (limits).flow_data_span THEN m.period
			WHEN NOT p.is_summed THEN p.cycle END,
		CASE WHEN p.cycle IS NOT NULL THEN 'data'
			-- of a link that both take, without a phase, one way may be of tokens alone
			WHEN p.any_phase IS NOT TRUE AND (d.series).same_size < (limits).flow_own_size
				AND NOT @extschema@.l4_is_answered(m.returned, m.together, m.same_size, m.answer, limits) THEN 'expert'
			ELSE @extschema@.l4_flow_pair_kind(m.span, m.returned, m.together, m.same_size, m.least_alike, m.answer,
				p.any_phase, limits) END,
		d.source, d.destination, d.series, CASE WHEN NOT p.is_summed THEN p.cycle END,
		CASE WHEN NOT p.is_summed AND p.cycle IS NOT NULL
			THEN CASE WHEN d.is_measured AND (r.cycles)."interval" IS NOT NULL THEN r.cycles
				WHEN d.is_measured THEN m.cycles ELSE @extschema@.l4_cycles_of(d.series, limits) END END
	FROM measured m
	JOIN phased p ON p.job = m.job LEFT JOIN rounds r ON r.one = m.one AND r.other = m.other
	-- the way that moves more, of which cycles are known: as in l4_flow_pair_cycles
	CROSS JOIN LATERAL (VALUES (m.one, m.other, m.forth, ((m.back).bytes > (m.forth).bytes) IS NOT TRUE),
		(m.other, m.one, m.back, ((m.back).bytes <= (m.forth).bytes) IS NOT TRUE)) d(source, destination, series, is_measured)
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
	reference double precision[]
);
COMMENT ON TYPE @extschema@.l4_flow_accelerator_steps IS
'Step: The data-parallel phases of an accelerator, which end its steps, and (reference) the ends of those of the '
'accelerator of its job with the most, which number them.';

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
		WHERE d.cycle IS NOT NULL
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
		first_value((f.phases).ended) OVER anywhere
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
