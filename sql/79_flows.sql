/* What users call to diagnose jobs by their flows: each reads the flows of its window once. */

CREATE FUNCTION @extschema@.l4_flow_jobs(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL,
	flows regclass DEFAULT '@extschema@.l4_flow', columns jsonb DEFAULT NULL,
	accelerators regclass DEFAULT '@extschema@.l4_accelerator')
RETURNS TABLE (job int, address text, server text, began timestamptz, ended timestamptz, step double precision, flows bigint,
	bytes bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 COST 10000000
SET search_path = pg_catalog, pg_temp
SET jit = off
BEGIN ATOMIC
	SELECT t.job, t.source, t.server, to_timestamp(t.first_at), to_timestamp(t.last_at), t.period, t.flows, t.bytes
	FROM @extschema@.l4_flow_traces(l4_flow_jobs.from_time, l4_flow_jobs.to_time, l4_flow_jobs.flows, l4_flow_jobs.columns,
		l4_flow_jobs.accelerators, (SELECT @extschema@.l4_limits_in_force())) t
	WHERE t.kind = 'accelerator'
	ORDER BY t.job, t.source COLLATE "C";
END;
COMMENT ON FUNCTION @extschema@.l4_flow_jobs(timestamptz, timestamptz, regclass, jsonb, regclass) IS
'The training jobs of a window of time, from the flows between accelerators alone: a row for each accelerator of each job, '
'by job, then address. from_time, to_time: the window, up to before to_time; NULL: where the flows are. flows: a table with'
' the columns of l4_flow, or others that columns names, such as {"source": "src_ip"}; duration is in seconds, switches, '
'queue_pair and retransmits need not be. accelerators: a table like l4_accelerator; where it has rows, other addresses are '
'left out. job: a number within the window; server: NULL is the address; began, ended: its first and last sending in the '
'window; step: seconds a step takes, NULL where none is seen. Who trains together is connected by its traffic; what tensor '
'parallelism moves inside a server passes no switch, so clusters on the same servers, in step, are one job. Errors: 42703 a'
' column that is not there; 22023 a window that ends before it begins. Cost: about twice that of sorting the flows; '
'memory that of the messages of the largest job, and some 200 MB. LLMPrism (Jiang et al., arXiv 2505.00342).';

CREATE FUNCTION @extschema@.l4_flow_pairs(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL,
	flows regclass DEFAULT '@extschema@.l4_flow', columns jsonb DEFAULT NULL,
	accelerators regclass DEFAULT '@extschema@.l4_accelerator')
RETURNS TABLE (job int, source text, destination text, kind text, flows bigint, bytes bigint, retransmits bigint,
	rate double precision)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 COST 10000000
SET search_path = pg_catalog, pg_temp
SET jit = off
BEGIN ATOMIC
	SELECT t.job, t.source, t.destination, k.kind, sum(t.flows)::bigint, sum(t.bytes)::bigint, sum(t.retransmits)::bigint,
		sum(s.moved) / NULLIF(sum(s.busy), 0)
	FROM @extschema@.l4_flow_traces(l4_flow_pairs.from_time, l4_flow_pairs.to_time, l4_flow_pairs.flows, l4_flow_pairs.columns,
		l4_flow_pairs.accelerators, (SELECT @extschema@.l4_limits_in_force())) t
	CROSS JOIN LATERAL (SELECT sum(m.moved) AS moved, sum(m.busy) AS busy
		FROM unnest(t.moved, t.busy) m(moved, busy)) s
	CROSS JOIN LATERAL (SELECT (@extschema@.l4_kinds_carried(t.kind))[1] AS kind) k
	WHERE t.kind <> 'accelerator'
	GROUP BY t.job, t.source, t.destination, k.kind
	ORDER BY t.job, t.source COLLATE "C", t.destination COLLATE "C", k.kind COLLATE "C";
END;
COMMENT ON FUNCTION @extschema@.l4_flow_pairs(timestamptz, timestamptz, regclass, jsonb, regclass) IS
'Who sends to whom in the training jobs of a window, and what: a row for each direction of each pair of accelerators and what '
'it carries, by job, source, destination, kind. Arguments, errors and cost as l4_flow_jobs. kind: data (gradients), pipeline '
'(activations and their gradients), expert, context. rate: bytes a second of a record of a flow, on average over whole steps; '
'NULL where no step is seen.';

CREATE FUNCTION @extschema@.l4_flow_groups(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL,
	flows regclass DEFAULT '@extschema@.l4_flow', columns jsonb DEFAULT NULL,
	accelerators regclass DEFAULT '@extschema@.l4_accelerator')
RETURNS TABLE (job int, kind text, number int, size int, members text[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 COST 10000000
SET search_path = pg_catalog, pg_temp
SET jit = off
BEGIN ATOMIC
	SELECT g.job, g.kind, g.number, g.size, g.members
	FROM @extschema@.l4_flow_groups_of(ARRAY(SELECT t FROM @extschema@.l4_flow_traces(l4_flow_groups.from_time,
		l4_flow_groups.to_time, l4_flow_groups.flows, l4_flow_groups.columns, l4_flow_groups.accelerators,
		(SELECT @extschema@.l4_limits_in_force())) t), (SELECT @extschema@.l4_limits_in_force())) g
	ORDER BY g.job, g.kind COLLATE "C", g.number;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_groups(timestamptz, timestamptz, regclass, jsonb, regclass) IS
'How the training jobs of a window are parallelised: a row for each group of accelerators, by job, kind, number. Arguments,'
' errors and cost as l4_flow_jobs. kind: job (all of it), pipeline (members in the order of the stages), tensor (those that'
' compute in lockstep on one server), data, expert, context. size: how many members it has; the degrees of a job are the '
'sizes of its groups. Where a job has no pipeline, ranks of one server may be one tensor-parallel group, or all of one '
'data-parallel group through links of their own: then the size of data and tensor is NULL, and members are those that are '
'seen to exchange gradients, and those of a server. Where stages pass on within a server no switch sees it: then the size of '
'pipeline is NULL, and members are those that are seen to pass on.';

CREATE FUNCTION @extschema@.l4_flow_steps(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL,
	flows regclass DEFAULT '@extschema@.l4_flow', columns jsonb DEFAULT NULL,
	accelerators regclass DEFAULT '@extschema@.l4_accelerator')
RETURNS TABLE (job int, address text, step bigint, began timestamptz, ended timestamptz, compute double precision,
	pipeline double precision, data double precision, bubble double precision, bytes bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10000 COST 10000000
SET search_path = pg_catalog, pg_temp
SET jit = off
BEGIN ATOMIC
	SELECT s.job, s.address, s.step, to_timestamp(s.began), to_timestamp(s.ended), s.compute, s.pipeline, s.data,
		GREATEST(s.ended - s.began - s.compute - s.data, 0), s.bytes::bigint
	FROM @extschema@.l4_flow_traces(l4_flow_steps.from_time, l4_flow_steps.to_time, l4_flow_steps.flows, l4_flow_steps.columns,
		l4_flow_steps.accelerators, (SELECT @extschema@.l4_limits_in_force())) t
	CROSS JOIN LATERAL @extschema@.l4_steps_of_trace(t) s
	ORDER BY s.job, s.address COLLATE "C", s.step;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_steps(timestamptz, timestamptz, regclass, jsonb, regclass) IS
'When each step of each accelerator began and ended, by the flows of a window alone: a row for each, by job, address, step. '
'Arguments, errors and cost as l4_flow_jobs. step: a number within the window, the same for all accelerators of a job. A step '
'ends with its data-parallel phase; what is cut by the window is left out. In seconds: compute (what it had all it needed for; '
'up to the data-parallel phase where there is no pipeline), pipeline (its sending along the pipeline), data (the data-parallel '
'phase), bubble (the rest: waiting for others). bytes: sent and got in the data-parallel phase.';

CREATE FUNCTION @extschema@.l4_flow_diagnose(from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL,
	job int DEFAULT NULL, flows regclass DEFAULT '@extschema@.l4_flow', columns jsonb DEFAULT NULL,
	accelerators regclass DEFAULT '@extschema@.l4_accelerator')
RETURNS TABLE (job int, kind text, subject text, began timestamptz, ended timestamptz, factor double precision,
	confidence double precision, facts jsonb, sentence text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10 COST 10000000
SET search_path = pg_catalog, pg_temp
SET jit = off
BEGIN ATOMIC
	SELECT f.job, f.kind, f.subject, to_timestamp(f.began), to_timestamp(f.ended), f.factor, f.confidence, f.facts,
		@extschema@.l4_sentence_flow(f)
	FROM @extschema@.l4_window_findings(ARRAY(SELECT t FROM @extschema@.l4_flow_traces(l4_flow_diagnose.from_time,
		l4_flow_diagnose.to_time, l4_flow_diagnose.flows, l4_flow_diagnose.columns, l4_flow_diagnose.accelerators,
		(SELECT @extschema@.l4_limits_in_force())) t), l4_flow_diagnose.flows, l4_flow_diagnose.columns,
		l4_flow_diagnose.accelerators, (SELECT @extschema@.l4_limits_in_force())) f
	WHERE (f.job = l4_flow_diagnose.job) IS NOT FALSE OR f.job IS NULL
	ORDER BY f.confidence DESC, f.began, f.kind COLLATE "C", f.subject COLLATE "C";
END;
COMMENT ON FUNCTION @extschema@.l4_flow_diagnose(timestamptz, timestamptz, int, regclass, jsonb, regclass) IS
'What is slow or silent among the training jobs of a window, by their flows alone: one row a finding, the surest first. '
'Arguments, errors and cost as l4_flow_jobs; job: of this one alone (and what several have in common). kind: stalled and '
'missing (an accelerator, or the server of those that stand still together, that keeps its job waiting, or is gone), silent (a '
'job that stands still amid a step, and who does cannot be told), time_outs, slow_link (A -> B, or the address of a network'
' interface; facts tell which end), slow_switch, slow_group (the first member of a data-parallel group; facts tell all), '
'slow_accelerator (an address, or the server whose ranks compute in lockstep), slow_step (for what none of these explains, '
'too). job: NULL where several have it. began, ended: NULL where it goes on. factor: of the usual rate (links, switches, '
'groups) or time (accelerators, steps). confidence: 0 to 1, a rule of thumb. '
'facts: numbers behind it; times in seconds since 1970; went_on: the stall is over. Where a job had steps of many times the '
'usual length flows of some steps before are read again for each of the longest (limits flow_interruptions, '
'flow_interrupted_before), be they before from_time. sentence: for people.';

CREATE FUNCTION @extschema@.l4_diagnose_flows(job_id text, flows regclass DEFAULT '@extschema@.l4_flow',
	columns jsonb DEFAULT NULL, accelerators regclass DEFAULT '@extschema@.l4_accelerator')
RETURNS TABLE (kind text, node text, subject text, began timestamptz, ended timestamptz, iteration bigint,
	factor double precision, confidence double precision, facts jsonb, sentence text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 COST 10000000
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	limits CONSTANT @extschema@.l4_limits := @extschema@.l4_limits_in_force();
	seen @extschema@.l4_job_flows;
BEGIN
	PERFORM @extschema@.l4_known_job(l4_diagnose_flows.job_id);
	seen := @extschema@.l4_flows_of_job(l4_diagnose_flows.job_id,
		@extschema@.l4_job_flow_window(l4_diagnose_flows.job_id, limits), l4_diagnose_flows.flows, l4_diagnose_flows.columns,
		l4_diagnose_flows.accelerators, limits);
	RETURN QUERY
	SELECT (f.finding).kind, f.node, (f.finding).subject, to_timestamp((f.finding).began), to_timestamp((f.finding).ended),
		@extschema@.l4_job_iteration(l4_diagnose_flows.job_id, to_timestamp((f.finding).began)), (f.finding).factor,
		(f.finding).confidence, (f.finding).facts, @extschema@.l4_sentence_flow(f.finding)
	FROM @extschema@.l4_job_flow_findings(seen, limits) f
	ORDER BY (f.finding).confidence DESC, (f.finding).began, (f.finding).kind COLLATE "C", (f.finding).subject COLLATE "C";
END
$$;
COMMENT ON FUNCTION @extschema@.l4_diagnose_flows(text, regclass, jsonb, regclass) IS
'What the flows of the time of a job of l4 tell of it, for failures that leave no trace in logs: the findings of '
'l4_flow_diagnose for the job of flows that ran on the same nodes (names of servers as those of nodes, or addresses that '
'the logs tell: l4_learn_addresses), with the node of each and the iteration that the logs were in; no rows where there is '
'none, or the logs have no times. Only flows between these accelerators are read; of the last minutes l4_diagnose takes them '
'as evidence by itself; not stalls that are over. flows, columns, accelerators: as in l4_flow_jobs. Errors: P0002 a job that '
'is not known, and those of l4_flow_jobs. Cost: a scan of the time of the job, and that of l4_flow_diagnose over the flows of '
'the job.';

CREATE FUNCTION @extschema@.l4_flow_step_check(job_id text, span interval DEFAULT NULL,
	flows regclass DEFAULT '@extschema@.l4_flow', columns jsonb DEFAULT NULL,
	accelerators regclass DEFAULT '@extschema@.l4_accelerator')
RETURNS TABLE (iteration bigint, iterations bigint, step bigint, steps bigint, began timestamptz,
	log_seconds double precision, flow_seconds double precision, ratio double precision, clock_offset double precision,
	offset_spread double precision, offset_certain boolean, verdict text, sentence text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 COST 10000000
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
	limits CONSTANT @extschema@.l4_limits := @extschema@.l4_limits_in_force();
	time_window tstzrange;
	wider interval;
	found record;
	checked record;
BEGIN
	PERFORM @extschema@.l4_known_job(l4_flow_step_check.job_id);
	time_window := @extschema@.l4_job_flow_window(l4_flow_step_check.job_id, limits);
	-- in the time that the logs say; unless the two go together there for sure, the clock may be off
	FOREACH wider IN ARRAY ARRAY[interval '0', make_interval(secs => (limits).flow_check_offset)] LOOP
		SELECT c.missing, c.fit, c.pieces INTO found
		FROM @extschema@.l4_check_flow_steps(l4_flow_step_check.job_id, @extschema@.l4_flows_of_job(l4_flow_step_check.job_id,
			tstzrange(lower(time_window) - wider, upper(time_window) + wider), l4_flow_step_check.flows,
			l4_flow_step_check.columns, l4_flow_step_check.accelerators, limits,
			extract(epoch FROM l4_flow_step_check.span)::double precision), limits) c;
		IF found.missing IS NULL OR wider = interval '0' THEN
			checked := found;
		END IF;
		EXIT WHEN (checked.fit).certain AND checked.missing IS NULL OR checked.missing IN ('times', 'accelerators');
	END LOOP;
	IF checked.missing IS NOT NULL THEN
		verdict := 'nothing to compare';
		sentence := @extschema@.l4_sentence_flow_check(checked.missing, checked.fit, NULL);
		RETURN NEXT;
	END IF;
	RETURN QUERY
	SELECT p.iteration, p.iterations, p.step, p.steps, to_timestamp(p.began), p.log_seconds, p.flow_seconds,
		p.log_seconds / p.flow_seconds, (checked.fit).ahead, (checked.fit).spread, (checked.fit).certain, p.verdict,
		@extschema@.l4_sentence_flow_step(ROW(p.iteration, p.iterations, p.step, p.steps, p.began, p.log_seconds,
			p.flow_seconds, p.verdict)::@extschema@.l4_flow_step_pair)
	FROM unnest(checked.pieces) WITH ORDINALITY p(iteration, iterations, step, steps, began, log_seconds, flow_seconds,
		verdict, place)
	ORDER BY p.place;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_flow_step_check(text, interval, regclass, jsonb, regclass) IS
'Whether the logs of a job and the flows of its accelerators tell of the same steps: a row for each piece between two stamps '
'of the logs, in their order. Aligned by time: by how much the clock of the logs is ahead is worked out first. iteration and '
'iterations: where the piece begins, and how many there are in it by the logs (which may tell of each tenth only); step and '
'steps: the same by the flows, numbered as in l4_flow_steps; began: by the clock of the logs. log_seconds, flow_seconds: of '
'one step, and their ratio. clock_offset: seconds by which the logs are ahead of the flows, with the time a rank takes to '
'write its line; offset_spread: how far lines are off that on average; offset_certain false: as all steps take the same '
'time it may be whole steps more or less, and the least is given. verdict: agree, differ (limit flow_check_share), count '
'(the flows tell of more or fewer steps); or, in one row alone, "nothing to compare". sentence: why, for people; NULL where '
'they agree. span: the last flows of the job alone, so long; NULL: all. flows, columns, accelerators: as in l4_flow_jobs. '
'Errors: P0002 a job that is not known, and those of l4_flow_jobs. Cost: a scan of the time of the job, and that of '
'l4_flow_steps over the flows of the job in the span; twice that where the two do not go together for sure in the time of the '
'logs, as their clock may be off then (limit flow_check_offset).';
