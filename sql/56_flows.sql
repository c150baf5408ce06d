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
BEGIN ATOMIC
	-- what breaks a silence a few times may come regularly by chance
	SELECT max(COALESCE(m."interval", (r.regularity)."interval"))
		FILTER (WHERE COALESCE(m.bursts, (r.regularity).bursts) >= (limits).flow_least_steps)
	FROM (VALUES ((l4_flow_pair_period.forth).began, (l4_flow_pair_period.forth).lasted),
		((l4_flow_pair_period.back).began, (l4_flow_pair_period.back).lasted)) w(began, lasted)
	CROSS JOIN LATERAL @extschema@.l4_regular_interval(w.began, w.lasted, (limits).flow_regular_count,
		(limits).flow_regular_most, (limits).flow_regular_tolerance) m
	CROSS JOIN LATERAL (SELECT CASE WHEN m."interval" IS NULL THEN @extschema@.l4_regular_interval(w.began, w.lasted,
		(limits).flow_regular_count, (limits).flow_regular_time, (limits).flow_regular_tolerance) END AS regularity OFFSET 0) r;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_pair_period(@extschema@.l4_flow_series, @extschema@.l4_flow_series,
	@extschema@.l4_limits) IS
'Step: How often the bursts between two addresses come, in seconds: the longer of both ways, of those with bursts enough '
'(limit flow_least_steps); rather those that come regularly for most of the time (limit flow_regular_most), as buckets do only '
'while there are any. NULL for not regularly.';

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
	(limits).flow_pause, (limits).flow_answer_size, (limits).flow_together_time, (limits).flow_answer_least);
COMMENT ON FUNCTION @extschema@.l4_flow_answer(@extschema@.l4_flow_series, @extschema@.l4_flow_series,
	@extschema@.l4_limits) IS
'Step: l4_answers of what goes between two addresses, by the limits. NULL where nothing goes one way.';

CREATE FUNCTION @extschema@.l4_repeats_sizes(series @extschema@.l4_flow_series, limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10
RETURN round((series).same_size * LEAST((series).records, (limits).flow_sizes_read)) >= (limits).flow_least_steps;
COMMENT ON FUNCTION @extschema@.l4_repeats_sizes(@extschema@.l4_flow_series, @extschema@.l4_limits) IS
'Step: Have as many records of what goes one way between two one size, of those that are looked at (limit flow_sizes_read), as '
'there are steps at least (limit flow_least_steps)? Two of what is served may have, where it goes in blocks. NULL for none.';

CREATE FUNCTION @extschema@.l4_flow_pair_repeats(forth @extschema@.l4_flow_series, back @extschema@.l4_flow_series,
	period double precision, cycle double precision, answer @extschema@.l4_answer, limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100
RETURN CASE
	WHEN period IS NOT NULL OR cycle IS NOT NULL THEN true
	WHEN GREATEST((forth).records, (back).records) >= (limits).flow_least_steps THEN
		COALESCE(@extschema@.l4_repeats_sizes(forth, limits), false)
		OR COALESCE(@extschema@.l4_repeats_sizes(back, limits), false)
		OR COALESCE((answer).alike >= (limits).flow_answered OR (answer).at_once >= (limits).flow_at_once
			OR (answer).end_together >= (limits).flow_together, false) END;
COMMENT ON FUNCTION @extschema@.l4_flow_pair_repeats(@extschema@.l4_flow_series, @extschema@.l4_flow_series, double precision,
	double precision, @extschema@.l4_answer, @extschema@.l4_limits) IS
'Step: Does what goes between two repeat itself in any way: bursts come regularly (period), layers in cycles (cycle), '
'records are of one size, one way answers the other, or both go at once (limits flow_answered, flow_at_once, flow_together)? '
'NULL for fewer records than could (limit flow_least_steps).';

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

CREATE FUNCTION @extschema@.l4_times_beside(times double precision[], others double precision[], within double precision)
	RETURNS double precision[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT array_agg(t.at ORDER BY t.at)
	FROM (SELECT u.at, u.is_other, max(u.at) FILTER (WHERE u.is_other) OVER (ORDER BY u.at) AS before,
			min(u.at) FILTER (WHERE u.is_other) OVER (ORDER BY u.at DESC) AS after
		FROM (SELECT x.at, false AS is_other FROM unnest(l4_times_beside.times) x(at)
			UNION ALL SELECT x.at, true FROM unnest(l4_times_beside.others) x(at)) u) t
	WHERE NOT t.is_other AND LEAST(t.at - t.before, t.after - t.at) <= l4_times_beside.within;
END;
COMMENT ON FUNCTION @extschema@.l4_times_beside(double precision[], double precision[], double precision) IS
'Step: Those of some times, in order, that one of others is within so many seconds of; NULL for none. Cost: n * log(n).';

CREATE FUNCTION @extschema@.l4_have_same_cycles(a @extschema@.l4_flow_cluster, b @extschema@.l4_flow_cluster,
	limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	-- one link may tell microbatches where another tells steps; and none for a while, as long as something is slow
	SELECT abs(r.long / (round(r.long / r.short) * r.short) - 1) <= (limits).flow_cycle_tolerance
		AND LEAST(cardinality(k.of_long), cardinality(k.of_short)) >= (limits).flow_cycles_shown * r.fewest
		AND @extschema@.l4_together(k.of_long, k.of_short, (limits).flow_in_step * r.short) >= (limits).flow_in_step_share
		AND (round(r.long / r.short) > 1
			OR @extschema@.l4_together(k.of_short, k.of_long, (limits).flow_in_step * r.short) >= (limits).flow_in_step_share)
	FROM (SELECT GREATEST((a).cycle, (b).cycle) AS long, LEAST((a).cycle, (b).cycle) AS short,
			LEAST(cardinality((a).cycle_ends), cardinality((b).cycle_ends)) AS fewest,
			CASE WHEN (a).cycle >= (b).cycle THEN (a).cycle_ends ELSE (b).cycle_ends END AS of_long,
			CASE WHEN (a).cycle >= (b).cycle THEN (b).cycle_ends ELSE (a).cycle_ends END AS of_short) r
	CROSS JOIN LATERAL (SELECT @extschema@.l4_times_beside(r.of_long, r.of_short, r.long) AS of_long,
		@extschema@.l4_times_beside(r.of_short, r.of_long, r.long) AS of_short OFFSET 0) k
	WHERE (a).cycle > 0 AND (b).cycle > 0;
END;
COMMENT ON FUNCTION @extschema@.l4_have_same_cycles(@extschema@.l4_flow_cluster, @extschema@.l4_flow_cluster,
	@extschema@.l4_limits) IS
'Step: Do the cycles of layers of two clusters take as long (or one a whole number of those of the other), and end together '
'but for a constant (limits flow_cycle_tolerance, flow_in_step, flow_in_step_share), while both have some, which is for most '
'of those of the one that has fewer (limit flow_cycles_shown)? NULL where one has none.';

CREATE FUNCTION @extschema@.l4_are_in_step(a @extschema@.l4_flow_cluster, b @extschema@.l4_flow_cluster,
	limits @extschema@.l4_limits) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
-- how long a step takes as a rule need not be the same: where one is slow for about half of the window, the medians are of
-- either half
RETURN ((a).period IS NULL) = ((b).period IS NULL)
	AND LEAST(@extschema@.l4_together((a).ends, (b).ends,
			COALESCE((limits).flow_in_step * LEAST((a).period, (b).period), (limits).flow_in_step_time)),
		@extschema@.l4_together((b).ends, (a).ends,
			COALESCE((limits).flow_in_step * LEAST((a).period, (b).period), (limits).flow_in_step_time)))
		>= (limits).flow_in_step_share;
COMMENT ON FUNCTION @extschema@.l4_are_in_step(@extschema@.l4_flow_cluster, @extschema@.l4_flow_cluster,
	@extschema@.l4_limits) IS
'Step: Do the steps of two clusters end together but for a constant (limits flow_in_step, flow_in_step_share), those of each '
'with those of the other? Two jobs never do for long. Where neither has a step, their messages must (limit '
'flow_in_step_time). False where one alone has none.';

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

CREATE FUNCTION @extschema@.l4_parted_steps(forth @extschema@.l4_flow_series, back @extschema@.l4_flow_series,
	period double precision, limits @extschema@.l4_limits) RETURNS @extschema@.l4_step_phase_series
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
BEGIN ATOMIC
	WITH pauses AS (
		SELECT COALESCE(period * (limits).flow_step_pause, (limits).flow_pause) AS pause
		UNION ALL
		SELECT period * (limits).flow_short_pause WHERE period IS NOT NULL
	), parted AS (
		SELECT p.pause, @extschema@.l4_step_phases((d.series).began, (d.series).lasted, (d.series).moved, true, p.pause,
			(limits).flow_whole_phase) AS phases
		FROM pauses p CROSS JOIN (VALUES (forth), (back)) d(series) GROUP BY p.pause
	)
	SELECT p.phases FROM parted p CROSS JOIN LATERAL (SELECT cardinality((p.phases).ended) AS number) n
	-- the longer pause, but where it parts no steps
	ORDER BY n.number >= (limits).flow_parted_steps * ((p.phases).ended[n.number] - (p.phases).began[1]) / period
		DESC NULLS LAST, p.pause DESC
	LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_parted_steps(@extschema@.l4_flow_series, @extschema@.l4_flow_series, double precision,
	@extschema@.l4_limits) IS
'Step: The phases of what goes between two, both ways, parted by long pauses of each step (period, seconds; NULL: by any, '
'limit flow_pause); or by short ones, where these part as many steps as there should be, and long ones do not (limits '
'flow_step_pause, flow_short_pause, flow_parted_steps). Cost: two sorts of the messages.';

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
		SELECT c.component, c.period, @extschema@.l4_parted_steps(p.forth, p.back, c.period, limits) AS phases
		FROM chosen c JOIN @extschema@.l4_cursor_pairs(l4_connected_clusters.pairs) p ON p.one = c.one AND p.other = c.other
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
'sends in the shortest phase of each (l4_parted_steps): a pipeline may be as regular, without a pause. known: the server of '
'each address that is known.';

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
'one job. Cost: the square of the clusters that share a server.';
