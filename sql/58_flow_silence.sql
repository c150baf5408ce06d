/*
 * For whom jobs stand still: by the message that was missed first, and by what each sent of an exchange that was cut off.
 */

CREATE TYPE @extschema@.l4_flow_stop AS (
	job int,
	accelerators bigint,
	first_address text,
	period double precision,
	last_at double precision,
	source text,
	destination text,
	overdue_at double precision,
	waits double precision,
	about double precision
);
COMMENT ON TYPE @extschema@.l4_flow_stop IS
'Step: A job that may stand still: how many accelerators it has, one of them, what its step takes, and when any of them sent '
'last; where it does so amid a step, the message that was missed first, when it was due, how long after the one before it, and '
'how exactly that is known. Times in seconds (since 1970).';

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
	), stopped AS MATERIALIZED (
		SELECT j.job FROM jobs j WHERE j.window_ended - j.last_at >= (limits).flow_silent_steps * j.period AND j.amid > 0
	), summed AS (
		-- all gradients are summed up: parameters that are gathered then are of a step that does not come
		SELECT t.job
		FROM @extschema@.l4_each_trace(l4_stopped_jobs.traces) t
		CROSS JOIN LATERAL (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY b.bytes) AS usual
			FROM unnest(t.moved) b(bytes)) m
		WHERE t.kind = 'data' AND m.usual > 0 AND t.job IN (SELECT s.job FROM stopped s)
		GROUP BY t.job
		-- as many bytes as the parameters', or twice as many
		HAVING bool_and(abs(2 * t.open / m.usual - 1) <= (limits).flow_parts_tolerance)
			OR bool_and(abs(3 * t.open / m.usual - 2) <= (limits).flow_parts_tolerance)
	)
	SELECT DISTINCT ON (j.job) j.job, j.accelerators, j.first_address, j.period, j.last_at, t.source, t.destination,
		t.overdue_at, t.overdue_at - t.last_at,
		-- what is done then may come a little sooner or later than usual
		GREATEST((limits).flow_period_tolerance * (t.overdue_at - t.last_at), (limits).flow_known_times)
	FROM jobs j
	LEFT JOIN @extschema@.l4_each_trace(l4_stopped_jobs.traces) t ON t.job = j.job AND t.kind <> 'accelerator'
		AND j.job IN (SELECT s.job FROM stopped s EXCEPT SELECT u.job FROM summed u)
	ORDER BY j.job, t.overdue_at, t.source COLLATE "C", t.destination COLLATE "C";
END;
COMMENT ON FUNCTION @extschema@.l4_stopped_jobs(@extschema@.l4_flow_trace[], @extschema@.l4_limits, double precision) IS
'Step: All jobs, and of those that stand still amid a step while the window goes on (limit flow_silent_steps) the message that '
'should have come first (l4_step_overdue). A job that ends between two steps, or when '
'all gradients of one are summed up and no parameters gathered (limit flow_parts_tolerance), does not stand still. '
'collected_until: when the last flow of anybody began; NULL: that of these jobs.';

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
			EXISTS (SELECT FROM pairs r WHERE r.destination = a.address AND r.last_at > j.overdue_at - j.about) AS gets,
			a.last_at < j.overdue_at - j.about AS at_once,
			j.overdue_at - j.about + CASE WHEN a.last_at < j.overdue_at - j.about THEN 0 ELSE j.waits END AS until
		FROM jobs j
		JOIN pairs p ON p.job = j.job AND p.overdue_at <= j.overdue_at + j.about
		JOIN accelerators a ON a.job = j.job AND a.address IN (p.source, p.destination)
			-- who stands still may have had one more under way
			AND a.last_at < j.overdue_at + j.waits - j.about
		ORDER BY j.job, a.address, p.overdue_at, a.address = p.source DESC
	)
	SELECT DISTINCT ON (s.job, s.server) s.job, s.server, s.address, s.is_source, s.gets, s.last_at,
		-- who computes in lockstep with one that stopped stops, too
		ARRAY(SELECT a.address FROM accelerators a WHERE a.job = s.job AND a.server = s.server AND a.last_at < s.until
			ORDER BY a.address COLLATE "C")
	FROM (SELECT s.*, bool_or(s.at_once) OVER (PARTITION BY s.job) AS is_told FROM silent s) s
	WHERE s.at_once = s.is_told
	ORDER BY s.job, s.server, s.overdue_at, s.sends DESC, s.address COLLATE "C";
END;
COMMENT ON FUNCTION @extschema@.l4_silent_ends(@extschema@.l4_flow_trace[], @extschema@.l4_limits, double precision) IS
'Step: Of jobs that stand still (l4_stopped_jobs) the ends of the messages that should have come first (limit '
'flow_period_tolerance) that sent nothing from then on, or where none is silent by then soon behind it, one a server, with all '
'that are silent there; is_source: it should have sent the first one; gets: others still sent to it.';

CREATE FUNCTION @extschema@.l4_open_exchanges(traces @extschema@.l4_flow_trace[], jobs int[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, exchange text, server text, receiver text, open double precision, enough double precision,
	last_at double precision, due_at double precision, period double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1000 COST 100000
BEGIN ATOMIC
	WITH sent AS MATERIALIZED (
		SELECT t.job, t.source, t.destination, min(t.server) AS server, sum(t.open) AS open, sum(m.usual) AS usual,
			sum(m.spread) AS spread, max(t.period) AS period, max(t.last_at) AS last_at,
			COALESCE(max(t.overdue_at) FILTER (WHERE t.overdue_at > '-Infinity'), max(t.last_at)) AS due_at
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
	), places AS MATERIALIZED (
		SELECT t.job, t.source AS address, t.server
		FROM @extschema@.l4_each_trace(l4_open_exchanges.traces) t WHERE t.kind = 'accelerator'
	), stepped AS (
		-- of one exchange all links move as much
		SELECT s.*, c.component,
			COALESCE(s.usual > lag(s.usual) OVER w * (1 + (limits).flow_parts_tolerance), false)::int AS next
		FROM sent s JOIN components c ON c.job = s.job AND c.member = s.source
		WINDOW w AS (PARTITION BY s.job, c.component ORDER BY s.usual, s.source COLLATE "C", s.destination COLLATE "C")
	)
	SELECT t.job, format('%s %s', t.component, sum(t.next) OVER (PARTITION BY t.job, t.component ORDER BY t.usual)), t.server,
		p.server, t.open, GREATEST((limits).flow_open_piece, (limits).flow_open_spread * t.spread), t.last_at, t.due_at,
		t.period
	FROM stepped t
	LEFT JOIN places p ON p.job = t.job AND p.address = t.destination;
END;
COMMENT ON FUNCTION @extschema@.l4_open_exchanges(@extschema@.l4_flow_trace[], int[], @extschema@.l4_limits) IS
'Step: Of jobs, the links of the exchanges of gradients or parameters (those that are connected and move as many bytes a '
'step): the servers at their ends, and how much was sent since the last whole step (open, in bytes); enough: by so much must '
'two differ to have sent differently (limits flow_open_piece, flow_open_spread); last_at: when the last message came, due_at: '
'when the next one should have, where that is known, else last_at; period: what a step takes.';

CREATE FUNCTION @extschema@.l4_least_senders(traces @extschema@.l4_flow_trace[], jobs int[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, exchange text, server text, sent double precision, enough double precision, due_at double precision,
	period double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100 COST 100000
BEGIN ATOMIC
	WITH links AS MATERIALIZED (
		SELECT o.* FROM @extschema@.l4_open_exchanges(l4_least_senders.traces, l4_least_senders.jobs, limits) o
	), exchanges AS (
		SELECT o.job, o.exchange, min(o.open) AS least, max(o.enough) AS enough, max(o.period) AS period
		FROM links o GROUP BY o.job, o.exchange
	), servers AS MATERIALIZED (
		SELECT e.*, s.server, s.sent, s.last_at, s.due_at, s.sent <= e.least + e.enough AS is_least
		FROM (SELECT o.job, o.exchange, o.server, min(o.open) AS sent, max(o.last_at) AS last_at,
				percentile_cont(0.5) WITHIN GROUP (ORDER BY o.due_at) AS due_at
			FROM links o GROUP BY o.job, o.exchange, o.server) s
		JOIN exchanges e ON e.job = s.job AND e.exchange = s.exchange
	), last AS (
		-- who sends to one that stands still cannot go on either: of two that sent as little it is the receiver
		SELECT s.*
		FROM servers s
		WHERE s.is_least AND NOT EXISTS (SELECT FROM links o
			JOIN servers r ON r.job = o.job AND r.exchange = o.exchange AND r.server = o.receiver AND r.is_least
			WHERE o.job = s.job AND o.exchange = s.exchange AND o.server = s.server AND o.receiver <> s.server)
	)
	SELECT l.job, l.exchange, min(l.server), min(l.sent), min(l.enough), min(l.due_at), min(l.period)
	FROM last l
	JOIN (SELECT s.job, s.exchange, percentile_cont(0.5) WITHIN GROUP (ORDER BY s.last_at) AS last_at
		FROM servers s WHERE NOT s.is_least GROUP BY s.job, s.exchange) o ON o.job = l.job AND o.exchange = l.exchange
	GROUP BY l.job, l.exchange
	-- of whom a record was lost sent as long as the others
	HAVING count(*) = 1
		AND max(l.last_at) < min(o.last_at) - (limits).flow_period_tolerance * (min(l.due_at) - max(l.last_at));
END;
COMMENT ON FUNCTION @extschema@.l4_least_senders(@extschema@.l4_flow_trace[], int[], @extschema@.l4_limits) IS
'Step: Of exchanges (l4_open_exchanges) the server that sent least, on one link of it (in bytes; of two that sent as little '
'the one that the other sends to), if others sent more, and longer (limit flow_period_tolerance); with what is enough to '
'differ, when it should have gone on (the median of its links), and what a step takes.';

CREATE FUNCTION @extschema@.l4_behind_servers(traces @extschema@.l4_flow_trace[], jobs int[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, server text, exchanges bigint, due_at double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	-- Each sends first pieces of what it has before it waits for those of others. Who sent least stopped first; where one sent
	-- nothing at all nothing is told: it may have waited for something else before.
	WITH least AS (
		SELECT o.*, min(o.due_at) OVER (PARTITION BY o.job) AS first_due_at
		FROM @extschema@.l4_least_senders(l4_behind_servers.traces, l4_behind_servers.jobs, limits) o
		WHERE o.sent > o.enough
	), votes AS (
		-- what should have gone on later waited for what should have first
		SELECT l.job, l.server, count(*) AS exchanges, sum(count(*)) OVER (PARTITION BY l.job) AS of_all,
			min(l.due_at) AS due_at
		FROM least l
		WHERE l.due_at <= l.first_due_at + (limits).flow_open_together * l.period
		GROUP BY l.job, l.server
	)
	SELECT v.job, v.server, v.exchanges, v.due_at FROM votes v WHERE v.exchanges > (limits).flow_open_votes * v.of_all;
END;
COMMENT ON FUNCTION @extschema@.l4_behind_servers(@extschema@.l4_flow_trace[], int[], @extschema@.l4_limits) IS
'Step: Of jobs that stand still amid an exchange the server which sent some of it, and less than any other '
'(l4_least_senders), in most of the exchanges that should have gone on first (limits flow_open_together, flow_open_votes), in '
'how many, and when they should have.';

CREATE FUNCTION @extschema@.l4_kept_out(traces @extschema@.l4_flow_trace[], jobs int[], limits @extschema@.l4_limits)
RETURNS TABLE (job int, neighbour text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	SELECT DISTINCT t.job, n.address
	FROM @extschema@.l4_each_trace(l4_kept_out.traces) t
	JOIN @extschema@.l4_least_senders(l4_kept_out.traces, l4_kept_out.jobs, limits) o
		ON o.job = t.job AND o.server = t.server AND o.sent = 0
	CROSS JOIN LATERAL (VALUES (t.source), (t.destination)) n(address)
	WHERE t.kind = 'pipeline';
END;
COMMENT ON FUNCTION @extschema@.l4_kept_out(@extschema@.l4_flow_trace[], int[], @extschema@.l4_limits) IS
'Step: Of jobs that stand still the accelerators of servers that alone have not begun an exchange (l4_least_senders), and '
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

CREATE FUNCTION @extschema@.l4_stopped_ends(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits,
	collected_until double precision)
RETURNS TABLE (job int, server text, address text, gets boolean, last_at double precision, accelerators text[])
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH suspects AS MATERIALIZED (
		SELECT s.*, j.overdue_at - s.last_at AS silent, j.about
		FROM @extschema@.l4_telling_ends(l4_stopped_ends.traces, limits, l4_stopped_ends.collected_until) s
		JOIN @extschema@.l4_stopped_jobs(l4_stopped_ends.traces, limits, l4_stopped_ends.collected_until) j ON j.job = s.job
	), missed AS MATERIALIZED (
		-- asked only where nobody gets anything
		SELECT m.* FROM @extschema@.l4_missed_messages(l4_stopped_ends.traces, ARRAY(
			SELECT s.job FROM suspects s GROUP BY s.job HAVING count(*) > 1 AND NOT bool_or(s.gets))) m
	), ranked AS (
		-- what is sent to one that is dead does not come: until when all that is missed has to do with the server of each
		SELECT s.*, u.until, lead(u.until) OVER w AS next, row_number() OVER w AS place,
			lead(s.silent) OVER v AS next_silent, row_number() OVER v AS silence
		FROM suspects s
		CROSS JOIN LATERAL (SELECT COALESCE(min(m.overdue_at), 'Infinity') AS until FROM missed m
			WHERE m.job = s.job AND s.server NOT IN (m.sender, m.receiver)) u
		WINDOW w AS (PARTITION BY s.job ORDER BY u.until DESC, s.address COLLATE "C"),
			v AS (PARTITION BY s.job ORDER BY s.silent DESC, s.address COLLATE "C")
	), named AS (
		SELECT r.job, CASE WHEN count(*) = 1 THEN min(r.address)
			-- who is dead gets nothing; who stands still may
			WHEN count(*) FILTER (WHERE NOT r.gets) = 1 THEN min(r.address) FILTER (WHERE NOT r.gets)
			ELSE COALESCE(
				-- any moment since it last sent is as likely as any other to be when one stopped
				min(r.address) FILTER (WHERE r.silence = 1
					AND r.silent >= (limits).flow_longer_silent * GREATEST(r.next_silent, 0)),
				CASE WHEN count(*) = 2 AND bool_and(r.gets) THEN min(r.address) FILTER (WHERE r.is_source)
				WHEN NOT bool_or(r.gets) THEN min(r.address) FILTER (WHERE r.place = 1 AND r.until > r.next + r.about) END)
			END AS address
		FROM ranked r
		GROUP BY r.job
	)
	SELECT s.job, s.server, s.address, s.gets, s.last_at, s.accelerators
	FROM suspects s
	JOIN named n ON n.job = s.job AND n.address = s.address;
END;
COMMENT ON FUNCTION @extschema@.l4_stopped_ends(@extschema@.l4_flow_trace[], @extschema@.l4_limits, double precision) IS
'Step: Of the silent ends of messages that were missed first (l4_telling_ends) the one that stopped, where it can be told: the '
'only one; of several the only one that gets nothing; the one that had been silent for much longer when the message was due '
'(limit flow_longer_silent); of two that get something the sender; of several that get nothing that whose absence explains for '
'longest what else is missed.';

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
	)
	SELECT j.job, CASE WHEN a.address IS NULL THEN 'silent' WHEN a.gets THEN 'stalled' ELSE 'missing' END,
		CASE WHEN a.address IS NULL THEN format('job %s', j.job) WHEN cardinality(a.accelerators) = 1 THEN a.address
			ELSE a.server END,
		COALESCE(a.last_at, j.last_at), NULL::double precision, NULL::double precision, 0.8,
		jsonb_build_object('job_silent_since', j.last_at, 'job_stopped', true)
			|| CASE WHEN a.address IS NULL THEN jsonb_build_object('accelerators', j.accelerators, 'address', j.first_address,
					'last_sent', j.last_at, 'step', j.period)
				ELSE jsonb_build_object('server', a.server, 'accelerators', to_jsonb(a.accelerators), 'last_sent', a.last_at,
					'expected', j.overdue_at, 'step', j.period, 'missed', format('%s -> %s', j.source, j.destination)) END
	FROM jobs j
	LEFT JOIN @extschema@.l4_stopped_ends(l4_missed_accelerators.traces, limits, l4_missed_accelerators.collected_until) a
		ON a.job = j.job
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
'Step: Of jobs that stand still (l4_stopped_jobs) the end of the messages that should have come first that stopped '
'(l4_stopped_ends): stalled if others still sent to it, else missing. Where several of its server stopped with it, in '
'lockstep, the server is named. Where it is not one server, the job as a whole is silent. And accelerators that are silent '
'while their job goes on. collected_until: as in l4_stopped_jobs.';

CREATE FUNCTION @extschema@.l4_behind_accelerators(traces @extschema@.l4_flow_trace[], limits @extschema@.l4_limits,
	collected_until double precision)
RETURNS SETOF @extschema@.l4_flow_finding
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 COST 100000
BEGIN ATOMIC
	WITH jobs AS MATERIALIZED (
		SELECT j.job, j.period, j.last_at FROM @extschema@.l4_stopped_jobs(l4_behind_accelerators.traces, limits,
			l4_behind_accelerators.collected_until) j
		WHERE j.overdue_at IS NOT NULL
	), behind AS (
		SELECT b.job, b.server, b.exchanges, b.due_at, array_agg(t.source ORDER BY t.source COLLATE "C") AS accelerators,
			max(t.last_at) AS last_at
		FROM @extschema@.l4_behind_servers(l4_behind_accelerators.traces, ARRAY(SELECT j.job FROM jobs j), limits) b
		JOIN @extschema@.l4_each_trace(l4_behind_accelerators.traces) t ON t.job = b.job AND t.server = b.server
			AND t.kind = 'accelerator' AND t.last_at IS NOT NULL
		GROUP BY b.job, b.server, b.exchanges, b.due_at
	)
	SELECT b.job, 'stalled', CASE cardinality(b.accelerators) WHEN 1 THEN b.accelerators[1] ELSE b.server END, b.last_at,
		NULL::double precision, NULL::double precision, 0.8,
		jsonb_build_object('job_silent_since', j.last_at, 'job_stopped', true, 'server', b.server, 'accelerators',
			to_jsonb(b.accelerators), 'last_sent', b.last_at, 'expected', b.due_at, 'step', j.period, 'exchanges', b.exchanges)
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
	WITH found AS (
		SELECT f.*, 0 AS later
		FROM @extschema@.l4_behind_accelerators(l4_silent_accelerators.traces, limits, l4_silent_accelerators.collected_until) f
		UNION ALL
		-- when a message should have come is known as well as one step is like another; what was sent is counted
		SELECT f.*, (limits).flow_open_together
		FROM @extschema@.l4_missed_accelerators(l4_silent_accelerators.traces, limits, l4_silent_accelerators.collected_until) f
	), ranked AS (
		SELECT f.*, row_number() OVER (PARTITION BY f.job, f.facts ->> 'job_stopped' ORDER BY f.kind = 'silent',
			(f.facts ->> 'expected')::double precision + f.later * (f.facts ->> 'step')::double precision, f.later) AS place
		FROM found f
	)
	SELECT r.job, r.kind, r.subject, r.began, r.ended, r.factor, r.confidence, r.facts
	FROM ranked r
	WHERE r.place = 1 OR NOT (r.facts ->> 'job_stopped')::boolean;
END;
COMMENT ON FUNCTION @extschema@.l4_silent_accelerators(@extschema@.l4_flow_trace[], @extschema@.l4_limits,
	double precision) IS
'Step: Findings of kind stalled, missing and silent: of jobs that stand still what l4_behind_accelerators and '
'l4_missed_accelerators tell of the message that should have come first, of the same time (limit flow_open_together) the '
'former. '
'collected_until: as in l4_stopped_jobs.';
