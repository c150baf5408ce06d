/* Whom to suspect: all evidence against the units of a job, weighed and added up. */

CREATE FUNCTION @extschema@.l4_outside_units(job_id text, units @extschema@.l4_unit[], streams @extschema@.l4_job_stream[],
	limits @extschema@.l4_limits) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1
BEGIN ATOMIC
	WITH listed AS MATERIALIZED (
		SELECT DISTINCT lower(split_part(n.node, '.', 1)) AS name
		FROM @extschema@.l4_job_row(l4_outside_units.job_id) j, unnest(j.nodes) n (node)
	),
	logged AS MATERIALIZED (
		SELECT u.unit, l.name FROM unnest(l4_outside_units.units) u
		LEFT JOIN listed l ON l.name = lower(split_part(u.node, '.', 1))
		WHERE u.node IS NOT NULL AND u.logged
	)
	SELECT g.unit FROM logged g
	WHERE g.name IS NULL
		AND NOT EXISTS (SELECT FROM unnest(l4_outside_units.streams) s WHERE s.unit = g.unit AND s.kind = 'rank')
		-- where logs have other names for the nodes than the list, it tells nothing
		AND (SELECT count(DISTINCT o.name) FROM logged o) >= (limits).place_rank_share * (SELECT count(*) FROM listed);
END;
COMMENT ON FUNCTION @extschema@.l4_outside_units(text, @extschema@.l4_unit[], @extschema@.l4_job_stream[],
	@extschema@.l4_limits) IS
'Step: The units that are none of the nodes the job was given, and of which no rank logs anything: the host of a scheduler, of '
'a controller, of storage. No row where the list of nodes is not known, or logs have other names than it.';

CREATE FUNCTION @extschema@.l4_node_evidence(job_id text, unexplained @extschema@.l4_unexplained_record[] DEFAULT NULL,
	accusations @extschema@.l4_accusation[] DEFAULT NULL, clocks @extschema@.l4_clock_offset[] DEFAULT NULL,
	limits @extschema@.l4_limits DEFAULT NULL, wordings @extschema@.l4_wordings DEFAULT NULL,
	slow @extschema@.l4_slow_regime DEFAULT NULL, attempt @extschema@.l4_attempt DEFAULT NULL)
RETURNS SETOF @extschema@.l4_evidence
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 ROWS 100
SET search_path = pg_catalog, pg_temp
SET jit = off
-- see l4_job_findings
SET enable_nestloop = off
SET max_parallel_workers_per_gather = 0
AS $$
#variable_conflict use_column
DECLARE
	units @extschema@.l4_unit[] := ARRAY(SELECT u FROM @extschema@.l4_job_units(l4_node_evidence.job_id) u);
	streams @extschema@.l4_job_stream[];
	ranks @extschema@.l4_job_stream[];
	setups @extschema@.l4_unexplained_record[];
	counters @extschema@.l4_evidence[];
	placed @extschema@.l4_placed_record[];
	at_large @extschema@.l4_placed_record;
	cause @extschema@.l4_placed_record;
	roles @extschema@.l4_role_stream[];
	outside text[];
	failing_streams bigint[];
	telling_streams bigint[];
	unexplained_shapes bigint[];
	pooled boolean;
	rank_fails boolean;
	slow_by timestamptz;
	last_good timestamptz;
	weights jsonb;
	awaits_more boolean;
	blamed boolean;
	tells boolean;
	measured boolean;
	-- of an attempt that another one followed in the same files only what its records say is known, not where these end
	overwritten CONSTANT boolean := @extschema@.l4_is_overwritten(l4_node_evidence.attempt);
BEGIN
	-- with one there is nothing to compare
	IF cardinality(units) < 2 THEN
		RETURN;
	END IF;
	limits := coalesce(limits, @extschema@.l4_limits_in_force());
	wordings := coalesce(wordings, @extschema@.l4_wordings_in_force());
	clocks := coalesce(clocks, ARRAY(SELECT k FROM @extschema@.l4_clock_offsets(l4_node_evidence.job_id) k));
	unexplained := coalesce(unexplained, ARRAY(SELECT n FROM @extschema@.l4_unexplained(l4_node_evidence.job_id) n));
	unexplained := ARRAY(SELECT b FROM @extschema@.l4_before_teardown(unexplained, limits) b);
	-- how units are set up says nothing of the failure: it is evidence of its own kind alone
	setups := ARRAY(SELECT n FROM unnest(unexplained) n WHERE n.reason = 'setup');
	IF cardinality(setups) > 0 THEN
		unexplained := ARRAY(SELECT n FROM unnest(unexplained) n WHERE n.reason <> 'setup');
	END IF;
	IF @extschema@.l4_called_off(unexplained, limits, wordings) THEN
		RETURN;
	END IF;
	setups := setups || ARRAY(SELECT m FROM @extschema@.l4_misdirected_records(l4_node_evidence.job_id, unexplained) m);
	accusations := coalesce(accusations,
		ARRAY(SELECT a FROM @extschema@.l4_accusations(l4_node_evidence.job_id, unexplained, limits, wordings) a));
	streams := ARRAY(SELECT s FROM @extschema@.l4_job_streams(l4_node_evidence.job_id) s
		WHERE (s.attempt <> (l4_node_evidence.attempt).path_attempt) IS NOT TRUE
			-- a launcher that counts its own restarts alone: what began when the attempt was over tells nothing of its end
			AND (s.first_ts >= (l4_node_evidence.attempt).until AND s.attempt IS NOT NULL) IS NOT TRUE);
	ranks := ARRAY(SELECT r FROM @extschema@.l4_rank_streams(streams) r);
	outside := ARRAY(SELECT @extschema@.l4_outside_units(l4_node_evidence.job_id, units, streams, limits));
	unexplained_shapes := ARRAY(SELECT DISTINCT n.shape_id FROM unnest(unexplained) n);
	placed := ARRAY(SELECT p FROM @extschema@.l4_placed_records(unexplained, units, streams,
		ARRAY(SELECT s.unit FROM @extschema@.l4_spokesmen(streams, unexplained, limits) s), accusations, limits, wordings) p);
	awaits_more := @extschema@.l4_awaits_more(l4_node_evidence.job_id, unexplained, units, limits, wordings);
	IF awaits_more OR @extschema@.l4_told_to_end(unexplained, units, limits, wordings) THEN
		placed := '{}';
	END IF;
	-- Who does other work says other things: of those only trouble tells. Beside whom units miss where a job ended is nothing.
	IF EXISTS (SELECT FROM unnest(accusations) a WHERE a.accuser <> ALL (outside) AND NOT a.closing AND NOT a.ending) THEN
		accusations := ARRAY(SELECT a FROM unnest(accusations) a WHERE NOT (a.closing AND a.accuser = ANY (outside)));
	END IF;
	placed := ARRAY(SELECT p FROM unnest(placed) p WHERE p.trouble OR p.unit <> ALL (outside));
	pooled := NOT EXISTS (SELECT FROM unnest(unexplained) n WHERE n.reason = 'severe');
	IF EXISTS (SELECT FROM @extschema@.l4_survived_records(l4_node_evidence.job_id, placed, unexplained_shapes, pooled,
		limits)) THEN
		placed := ARRAY(SELECT p FROM @extschema@.l4_surviving_placed(l4_node_evidence.job_id, placed, unexplained_shapes,
			pooled, limits) p);
	END IF;
	placed := ARRAY(SELECT p FROM @extschema@.l4_without_slowness(l4_node_evidence.job_id, placed, streams,
		limits, wordings) p);
	at_large := @extschema@.l4_failure_at_large(placed, limits);
	failing_streams := @extschema@.l4_failing_streams(placed, limits);
	IF cardinality(failing_streams) > 0 THEN
		roles := ARRAY(SELECT r FROM @extschema@.l4_role_streams(l4_node_evidence.job_id, streams, failing_streams,
			unexplained_shapes, limits) r);
	END IF;
	IF cardinality(roles) > 0 THEN
		placed := ARRAY(SELECT p FROM @extschema@.l4_spoken_placed(placed, roles, at_large, wordings) p);
	END IF;
	-- what a slow job went on after is no failure
	last_good := CASE WHEN slow.after IS NOT NULL THEN @extschema@.l4_last_good(l4_node_evidence.job_id, limits) END;
	cause := @extschema@.l4_common_cause(l4_node_evidence.job_id, placed, streams, roles, last_good, limits, wordings);
	IF cause.turn IS NOT NULL AND (@extschema@.l4_follows_accusation(cause, placed, accusations)
			OR @extschema@.l4_waited(l4_node_evidence.job_id, cause, placed, unexplained_shapes, limits)) THEN
		cause := NULL;
	END IF;
	telling_streams := ARRAY(SELECT t.stream_id FROM @extschema@.l4_telling_streams(placed, unexplained, limits) t);
	-- what fails when steps have been slow for long does not make them so
	slow_by := slow.began + limits.slow_steps_least * make_interval(secs => slow.after);
	rank_fails := EXISTS (SELECT FROM unnest(placed) p WHERE p.kind = 'rank' AND p.grave
		AND (p.first_ts > slow_by OR p.first_ts < last_good) IS NOT TRUE);
	-- what all have in common no single one is to blame for, however else it differs
	blamed := cause.turn IS NULL AND NOT @extschema@.l4_said_by_each(l4_node_evidence.job_id, unexplained, placed, units,
		streams, limits, wordings) AND NOT awaits_more;
	-- of a job that is but slow there is no failure that anybody could be quiet about
	tells := blamed AND (rank_fails OR slow.after IS NULL);
	measured := blamed AND NOT overwritten;
	IF measured THEN
		counters := ARRAY(SELECT c FROM @extschema@.l4_evidence_counter(l4_node_evidence.job_id, units, streams, limits,
			wordings) c);
	END IF;
	weights := to_jsonb(limits);
	RETURN QUERY
	SELECT e.unit, e.node, e.rank, e.kind, e.part, e.part * (weights ->> ('weight_' || e.kind))::float8, e.limit_name,
		e.numbers, e.shape_id, e.stream_id, CASE WHEN NOT overwritten OR e.kind <> 'quiet' THEN e.line_no END,
		CASE WHEN NOT overwritten OR e.kind <> 'quiet' THEN e.first_ts END
	FROM (
		-- what would be left out below is not worked out
		SELECT * FROM @extschema@.l4_evidence_missing(units, limits) WHERE NOT overwritten
		UNION ALL SELECT * FROM @extschema@.l4_evidence_absent(l4_node_evidence.job_id, units, streams, unexplained, limits,
			wordings) WHERE NOT overwritten
		UNION ALL SELECT * FROM @extschema@.l4_evidence_unstarted(units, streams, unexplained, limits, wordings)
		UNION ALL SELECT * FROM @extschema@.l4_evidence_unjoined(units, unexplained, accusations, limits, wordings)
		UNION ALL SELECT * FROM @extschema@.l4_evidence_silent(l4_node_evidence.job_id, units, streams, clocks, limits)
			WHERE NOT overwritten
		UNION ALL SELECT * FROM @extschema@.l4_evidence_quiet(l4_node_evidence.job_id, streams, telling_streams,
			unexplained, accusations, EXISTS (SELECT FROM unnest(placed) p
				WHERE p.by_itself AND NOT p.survived AND p.units_alike = 1), limits) WHERE tells
		UNION ALL SELECT * FROM @extschema@.l4_evidence_quiet_rank(l4_node_evidence.job_id, streams, ranks, telling_streams,
			limits) WHERE tells
		UNION ALL SELECT * FROM @extschema@.l4_evidence_named(units, accusations, unexplained, at_large,
				streams, limits, wordings)
			WHERE blamed
		UNION ALL SELECT * FROM @extschema@.l4_evidence_accused(accusations, limits) WHERE blamed
		UNION ALL SELECT * FROM @extschema@.l4_evidence_between(units, streams, unexplained, limits, wordings) WHERE blamed
		UNION ALL SELECT * FROM @extschema@.l4_evidence_elsewhere(unexplained, accusations, roles, limits,
			wordings) WHERE blamed
		UNION ALL SELECT * FROM @extschema@.l4_evidence_first(placed, at_large, cause,
			CASE WHEN NOT EXISTS (SELECT FROM unnest(placed) p WHERE p.kind = 'rank' AND p.grave) THEN slow_by END, limits)
		UNION ALL SELECT * FROM @extschema@.l4_evidence_lag(ranks) WHERE measured
		UNION ALL SELECT * FROM @extschema@.l4_evidence_late(l4_node_evidence.job_id, units, streams, clocks,
			unexplained_shapes, limits) WHERE measured
		UNION ALL SELECT * FROM @extschema@.l4_evidence_within(unexplained, limits, wordings) WHERE measured
		UNION ALL SELECT c.* FROM unnest(counters) c
		UNION ALL SELECT * FROM @extschema@.l4_evidence_link(l4_node_evidence.job_id, units, accusations, counters,
			unexplained, limits, wordings) WHERE measured
		UNION ALL SELECT * FROM @extschema@.l4_evidence_slow(l4_node_evidence.job_id, units, streams, clocks, rank_fails,
			slow, limits, wordings) WHERE measured
		UNION ALL SELECT * FROM @extschema@.l4_evidence_setup(streams, setups, unexplained, limits,
			wordings)
		UNION ALL SELECT * FROM @extschema@.l4_evidence_flow(l4_node_evidence.job_id, units, l4_node_evidence.attempt, limits)
			WHERE measured
		UNION ALL SELECT * FROM @extschema@.l4_evidence_forest(ARRAY(SELECT u FROM unnest(units) u
			WHERE u.unit <> ALL (outside)), unexplained, limits) WHERE blamed) e
	WHERE e.kind <> 'own' OR blamed;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_node_evidence(text, @extschema@.l4_unexplained_record[], @extschema@.l4_accusation[],
	@extschema@.l4_clock_offset[], @extschema@.l4_limits, @extschema@.l4_wordings, @extschema@.l4_slow_regime,
	@extschema@.l4_attempt) IS
'Step: All evidence against single units (nodes; ranks where nodes are not known) of a job, one row a piece. Nothing for a '
'job of one unit: there is nothing to compare. unexplained, accusations, clocks: the results of l4_unexplained, '
'l4_accusations and l4_clock_offsets, where at hand; limits, wordings: those in force, where at hand; slow: '
'l4_slow_regime, NULL where no steps are slow; attempt: one of l4_job_attempts, of which unexplained and accusations are '
'then.';

CREATE TYPE @extschema@.l4_suspect_node AS (
	ordinal int,
	unit text,
	node text,
	rank int,
	score double precision,
	first_ts timestamptz,
	evidence @extschema@.l4_evidence[],
	standing jsonb,
	named boolean
);
COMMENT ON TYPE @extschema@.l4_suspect_node IS
'A suspected node, or a rank of which no node is known (node NULL): its place from 1, the rank where the evidence points '
'to one, the sum of the weights, when its evidence begins, the evidence, strongest first, what the suspicion stands on '
'(l4_node_standing), and whether that is enough to name it.';

CREATE FUNCTION @extschema@.l4_rank_units(evidence @extschema@.l4_evidence[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_suspect_node
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 10
BEGIN ATOMIC
	WITH piece AS (
		-- each kind counts once, with its strongest piece
		SELECT DISTINCT ON (e.unit, e.kind) e.*
		FROM unnest(l4_rank_units.evidence) e
		ORDER BY e.unit, e.kind, e.weight DESC, e.first_ts, e.stream_id, e.line_no, e.shape_id, e.numbers::text COLLATE "C"
	),
	total AS (
		SELECT p.unit, p.node, sum(p.weight) AS score, min(p.first_ts) AS first_ts,
			CASE WHEN count(DISTINCT p.rank) = 1 THEN min(p.rank) END AS rank,
			array_agg(p::@extschema@.l4_evidence ORDER BY p.weight DESC, p.kind) AS evidence,
			bool_or(p.kind IN ('behind', 'late', 'counter', 'slow', 'link', 'flow')) AS measured
		FROM piece p
		GROUP BY p.unit, p.node
	),
	turn AS (
		SELECT t.*, row_number() OVER w AS turn, first_value(t.score) OVER w AS best,
			COALESCE(lead(t.score) OVER w, 0) AS next
		FROM total t
		WINDOW w AS (ORDER BY t.score DESC, t.first_ts, t.unit)
	)
	SELECT t.turn::int, t.unit, t.node, t.rank, t.score, t.first_ts, t.evidence,
		@extschema@.l4_node_standing(t.score, CASE t.turn WHEN 1 THEN t.next ELSE t.best END),
		-- a weak suspect is better than none, but only where progress, durations or counters speak against it: words are
		-- everywhere
		t.score >= (limits).weight_needed * CASE WHEN t.measured AND t.best < (limits).weight_needed
			THEN (limits).weight_needed_measured_share ELSE 1 END
	FROM turn t;
END;
COMMENT ON FUNCTION @extschema@.l4_rank_units(@extschema@.l4_evidence[], @extschema@.l4_limits) IS
'Step: all units that there is evidence against, most suspicious first, with the sum of it, its pieces, and whether that is '
'enough to name the unit as a suspect.';

CREATE FUNCTION @extschema@.l4_suspect_nodes(job_id text, unexplained @extschema@.l4_unexplained_record[] DEFAULT NULL,
	accusations @extschema@.l4_accusation[] DEFAULT NULL, clocks @extschema@.l4_clock_offset[] DEFAULT NULL,
	limits @extschema@.l4_limits DEFAULT NULL, wordings @extschema@.l4_wordings DEFAULT NULL, weak boolean DEFAULT false,
	slow @extschema@.l4_slow_regime DEFAULT NULL, attempt @extschema@.l4_attempt DEFAULT NULL)
RETURNS SETOF @extschema@.l4_suspect_node
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
BEGIN ATOMIC
	SELECT s.*
	FROM @extschema@.l4_rank_units(ARRAY(SELECT e
		FROM @extschema@.l4_node_evidence(l4_suspect_nodes.job_id, l4_suspect_nodes.unexplained, l4_suspect_nodes.accusations,
			l4_suspect_nodes.clocks, l4_suspect_nodes.limits, l4_suspect_nodes.wordings, l4_suspect_nodes.slow,
			l4_suspect_nodes.attempt) e),
		COALESCE(l4_suspect_nodes.limits, @extschema@.l4_limits_in_force())) s
	WHERE s.named OR l4_suspect_nodes.weak;
END;
COMMENT ON FUNCTION @extschema@.l4_suspect_nodes(text, @extschema@.l4_unexplained_record[], @extschema@.l4_accusation[],
	@extschema@.l4_clock_offset[], @extschema@.l4_limits, @extschema@.l4_wordings, boolean, @extschema@.l4_slow_regime,
	@extschema@.l4_attempt) IS
'Step: The nodes of a job to look at, most suspicious first, with the sum of the evidence against each and its pieces. No '
'row where all nodes fail alike. weak: also those that there is too little evidence against to name them (named false). '
'unexplained, accusations, clocks, limits, wordings, slow, attempt: as l4_node_evidence takes them.';
