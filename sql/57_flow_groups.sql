/* Steps and groups of accelerators, from traces of flows. */

CREATE FUNCTION @extschema@.l4_steps_of_trace(trace @extschema@.l4_flow_trace)
RETURNS TABLE (job int, address text, server text, step bigint, began double precision, ended double precision,
	compute double precision, pipeline double precision, data double precision, bytes double precision,
	closing double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100 COST 100
BEGIN ATOMIC
	SELECT (trace).job, (trace).source, (trace).server, s.next::bigint - 1, s.began, s.ended,
		COALESCE(s.computed, s.closes - s.began), COALESCE(s.sent, 0), s.ended - s.closes, s.moved, COALESCE(s.closing, 0)
	-- side by side: one element after the other, each would be looked for in a copy of its array
	FROM unnest((trace).step, (trace).step[2:], (trace).ends, (trace).ends[2:], (trace).closes, (trace).computed,
		(trace).sent, (trace).moved, (trace).closing)
		s(step, next, began, ended, closes, computed, sent, moved, closing)
	WHERE (trace).kind = 'accelerator' AND s.ended IS NOT NULL AND s.next > 1 AND s.step = s.next - 1;
END;
COMMENT ON FUNCTION @extschema@.l4_steps_of_trace(@extschema@.l4_flow_trace) IS
'Step: The whole steps of the trace of an accelerator, in order; none of a pair. Times in seconds since 1970, the others in '
'seconds. closing: of compute what came last, in a pipeline (l4_step_work); 0 elsewhere. Cost: of n.';

CREATE FUNCTION @extschema@.l4_pipelines_of(traces @extschema@.l4_flow_trace[])
RETURNS TABLE (job int, pipeline int, stage int, address text, server text, sends_at double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH pairs AS MATERIALIZED (
		SELECT t.job, t.source, t.destination, t.server, t.began, t.ends
		FROM @extschema@.l4_each_trace(l4_pipelines_of.traces) t
		WHERE t.kind = 'pipeline'
	), members AS MATERIALIZED (
		SELECT p.job, m.member AS address, m.component
		FROM (SELECT p.job, @extschema@.l4_connected_components(p.source, p.destination) AS all_of_them
			FROM pairs p GROUP BY p.job) p
		CROSS JOIN LATERAL unnest(p.all_of_them) m
	), first_sendings AS (
		SELECT p.job, p.source, s.place, min(s.began) AS began, min(s.after) AS after
		FROM pairs p CROSS JOIN LATERAL unnest(p.began, p.ends) WITH ORDINALITY s(began, after, place)
		WHERE s.began > 0
		GROUP BY p.job, p.source, s.place
	), usual AS (
		SELECT m.job, m.component, m.address,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY f.began - f.after) AS sends_at
		FROM members m
		LEFT JOIN first_sendings f ON f.job = m.job AND f.source = m.address
		GROUP BY m.job, m.component, m.address
	)
	SELECT u.job, dense_rank() OVER (PARTITION BY u.job ORDER BY u.component COLLATE "C")::int,
		row_number() OVER (PARTITION BY u.job, u.component ORDER BY u.sends_at NULLS LAST, u.address COLLATE "C")::int,
		u.address, a.server, u.sends_at
	FROM usual u
	JOIN (SELECT DISTINCT p.source, p.server FROM pairs p) a ON a.source = u.address;
END;
COMMENT ON FUNCTION @extschema@.l4_pipelines_of(@extschema@.l4_flow_trace[]) IS
'Step: The pipelines of each job, with the stage of each accelerator, from 1: in a step a stage sends for the first time '
'when all before it have. sends_at: seconds behind the begin of a step, the median.';

CREATE FUNCTION @extschema@.l4_exchanges_of(traces @extschema@.l4_flow_trace[])
RETURNS TABLE (job int, kind text, name text, address text, place int)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH links AS MATERIALIZED (
		SELECT t.job, k.kind, t.source, t.destination
		FROM @extschema@.l4_each_trace(l4_exchanges_of.traces) t
		CROSS JOIN LATERAL unnest(@extschema@.l4_kinds_carried(t.kind)) k (kind)
		WHERE k.kind IN ('data', 'expert', 'context')
	), turned AS (
		SELECT l.job, e.address, bool_or(e.sends) AS sends, bool_or(NOT e.sends) AS gets
		FROM links l CROSS JOIN LATERAL (VALUES (l.source, true), (l.destination, false)) e(address, sends)
		WHERE l.kind = 'context'
		GROUP BY l.job, e.address
	), ends AS MATERIALIZED (
		SELECT u.job, p.server, u.address, u.sends,
			row_number() OVER (PARTITION BY u.job, p.server, u.sends ORDER BY u.address COLLATE "C") AS place
		FROM turned u
		JOIN @extschema@.l4_each_trace(l4_exchanges_of.traces) p
			ON p.job = u.job AND p.source = u.address AND p.kind = 'accelerator'
		WHERE u.sends <> u.gets
	), closed AS (
		SELECT l.job, l.kind, l.source, l.destination FROM links l
		UNION ALL
		SELECT a.job, 'context', a.address, b.address
		FROM ends a
		JOIN ends b ON b.job = a.job AND b.server = a.server AND b.place = a.place
		WHERE b.sends AND NOT a.sends
	)
	SELECT e.job, e.kind, m.component, m.member,
		row_number() OVER (PARTITION BY e.job, e.kind, m.component ORDER BY m.member COLLATE "C")::int
	FROM (SELECT c.job, c.kind, @extschema@.l4_connected_components(c.source, c.destination) AS all_of_them
		FROM closed c GROUP BY c.job, c.kind) e
	CROSS JOIN LATERAL unnest(e.all_of_them) m;
END;
COMMENT ON FUNCTION @extschema@.l4_exchanges_of(@extschema@.l4_flow_trace[]) IS
'Step: Who exchanges data, tokens of experts, or contexts with whom, over links that are seen: components of pairs of a kind. '
'Contexts go around a ring: who gets some from another server and sends none there hands them on to one of its own server '
'that sends some and gets none. place: among the members of its component, by address, from 1.';

CREATE FUNCTION @extschema@.l4_lockstep_of(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, pipeline int, stage int, tensor text, lane int, context int, address text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH exchanging AS MATERIALIZED (
		SELECT e.job, e.kind, e.name, e.address, e.place
		FROM @extschema@.l4_exchanges_of(l4_lockstep_of.traces) e
		WHERE e.kind <> 'data'
	), sendings AS (
		-- not what norms go by alone
		SELECT t.source AS address, array_agg(x.began ORDER BY x.began) AS began
		FROM (SELECT p.source, p.began, m.moved, max(m.moved) OVER (PARTITION BY p.source) AS most
			FROM @extschema@.l4_each_trace(l4_lockstep_of.traces) p
			CROSS JOIN LATERAL (SELECT sum(b.bytes) AS moved FROM unnest(p.moved) b(bytes)) m
			WHERE p.kind = 'pipeline') t
		CROSS JOIN LATERAL unnest(t.began) x(began)
		WHERE x.began > 0 AND (t.moved < (limits).flow_answer_least * t.most) IS NOT TRUE
		GROUP BY t.source
	), staged AS MATERIALIZED (
		SELECT p.job, p.pipeline, p.stage, p.address, p.server, s.began
		FROM @extschema@.l4_pipelines_of(l4_lockstep_of.traces) p
		LEFT JOIN sendings s ON s.address = p.address
	), lossy AS MATERIALIZED (
		SELECT t.job
		FROM @extschema@.l4_each_trace(l4_lockstep_of.traces) t CROSS JOIN LATERAL unnest(t.closing) c(closing)
		WHERE t.kind = 'accelerator'
		GROUP BY t.job
		HAVING avg((c.closing <> 'NaN')::int) < (limits).flow_known_steps
	), together AS (
		SELECT a.job, a.stage, a.address, b.address AS other
		FROM staged a
		JOIN staged b ON b.job = a.job AND b.stage = a.stage AND b.server = a.server AND b.address >= a.address
		WHERE a.address = b.address
			OR @extschema@.l4_together(a.began, b.began, (limits).flow_lockstep) >= CASE
				WHEN a.job IN (SELECT y.job FROM lossy y) THEN (limits).flow_lossy_lockstep ELSE (limits).flow_together END
		UNION ALL
		SELECT s.job, s.stage, e.address, e.name
		FROM exchanging e JOIN staged s ON s.job = e.job AND s.address = e.address
	), cells AS (
		SELECT c.job, m.member AS address, m.component AS cell
		FROM (SELECT t.job, t.stage, @extschema@.l4_connected_components(t.address, t.other) AS all_of_them
			FROM together t GROUP BY t.job, t.stage) c
		CROSS JOIN LATERAL unnest(c.all_of_them) m
	), placed AS (
		SELECT s.job, s.pipeline, s.stage, s.server, s.address, c.cell, COALESCE(x.name, e.name, s.address) AS name,
			COALESCE(x.place, 1) AS context,
			row_number() OVER (PARTITION BY s.job, s.server, c.cell, COALESCE(x.name, e.name, s.address)
				ORDER BY s.address COLLATE "C") AS member
		FROM staged s
		JOIN cells c ON c.job = s.job AND c.address = s.address
		LEFT JOIN exchanging e ON e.job = s.job AND e.address = s.address AND e.kind = 'expert'
		LEFT JOIN exchanging x ON x.job = s.job AND x.address = s.address AND x.kind = 'context'
	)
	SELECT p.job, p.pipeline, p.stage, format('%s %s %s', p.cell, p.server, p.member),
		row_number() OVER (PARTITION BY p.job, p.cell, p.server, p.member ORDER BY p.address COLLATE "C")::int, p.context,
		p.address
	FROM placed p;
END;
COMMENT ON FUNCTION @extschema@.l4_lockstep_of(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: The tensor-parallel group of each accelerator of a pipeline (tensor: its name in the job; lane: its place there, by '
'address, from 1) and its place among those it shares a context with (1 where there are none). What sends along the '
'pipeline at the same moments (limits flow_lockstep, flow_together; flow_lossy_lockstep where records are lost) on one server '
'computes in lockstep; who exchanges tokens or contexts does as well, but holds the same part of a tensor. Jobs without a '
'pipeline have no rows.';

CREATE FUNCTION @extschema@.l4_flow_groups_of(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, kind text, number int, size int, members text[])
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH places AS MATERIALIZED (
		SELECT t.job, t.source AS address, t.server
		FROM @extschema@.l4_each_trace(l4_flow_groups_of.traces) t WHERE t.kind = 'accelerator'
	), lockstep AS MATERIALIZED (
		SELECT l.job, l.pipeline, l.stage, l.tensor, l.lane, l.context, l.address
		FROM @extschema@.l4_lockstep_of(l4_flow_groups_of.traces, limits) l
	), exchanging AS MATERIALIZED (
		SELECT e.job, e.kind, e.name, e.address FROM @extschema@.l4_exchanges_of(l4_flow_groups_of.traces) e
	), unstaged AS MATERIALIZED (
		-- who exchanges gradients with another one of its server, or is alone there, does not compute in lockstep with any
		SELECT p.job, p.address, p.server, count(*) OVER (PARTITION BY p.job, p.server) = 1
			OR count(e.name) OVER (PARTITION BY p.job, p.server, e.name) = count(*) OVER (PARTITION BY p.job, p.server) AS alone
		FROM places p
		LEFT JOIN exchanging e ON e.job = p.job AND e.address = p.address AND e.kind = 'data'
		WHERE NOT EXISTS (SELECT FROM lockstep l WHERE l.job = p.job)
	), unsure AS MATERIALIZED (
		SELECT u.job FROM unstaged u WHERE NOT u.alone GROUP BY u.job
	), inside AS MATERIALIZED (
		-- a stage of which no pipeline is seen passes on what it makes within its server
		SELECT DISTINCT e.job
		FROM exchanging e
		WHERE e.kind = 'data' AND e.job IN (SELECT l.job FROM lockstep l)
			AND e.address NOT IN (SELECT l.address FROM lockstep l)
	), named AS (
		SELECT p.job, 'job' AS kind, '' AS name, p.address, 0 AS place FROM places p
		UNION ALL
		SELECT l.job, 'pipeline', l.pipeline::text, l.address, l.stage FROM lockstep l
		UNION ALL
		SELECT l.job, 'tensor', l.tensor, l.address, 0 FROM lockstep l
		UNION ALL
		SELECT l.job, 'data', format('%s %s %s', l.stage, l.lane, l.context), l.address, 0 FROM lockstep l
		UNION ALL
		SELECT u.job, 'tensor', CASE WHEN u.alone THEN u.address ELSE u.server END, u.address, 0 FROM unstaged u
		UNION ALL
		SELECT e.job, e.kind, e.name, e.address, 0 FROM exchanging e
		WHERE e.kind <> 'data' OR NOT EXISTS (SELECT FROM lockstep l WHERE l.job = e.job)
	), grouped AS (
		SELECT n.job, n.kind, n.name, array_agg(n.address ORDER BY n.place, n.address COLLATE "C") AS members
		FROM named n
		GROUP BY n.job, n.kind, n.name
	)
	-- without a pipeline ranks of a server may be one tensor-parallel group, or all of one data-parallel one
	SELECT g.job, g.kind, row_number() OVER (PARTITION BY g.job, g.kind ORDER BY g.members)::int,
		CASE WHEN NOT (g.kind IN ('tensor', 'data') AND g.job IN (SELECT u.job FROM unsure u)
			OR g.kind = 'pipeline' AND g.job IN (SELECT i.job FROM inside i)) THEN cardinality(g.members) END, g.members
	FROM grouped g;
END;
COMMENT ON FUNCTION @extschema@.l4_flow_groups_of(@extschema@.l4_flow_trace[], @extschema@.l4_limits) IS
'Step: The groups of accelerators of each job, as l4_flow_groups tells them. The ranks of one stage and one place in their '
'tensor-parallel groups reduce their gradients together, through whichever links. size of data and tensor: NULL where ranks '
'of a server may be either: there is no pipeline, and no link between two of a server''s. size of pipeline: NULL where some '
'stages pass on within servers, so that not all are seen.';
