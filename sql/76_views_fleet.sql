/*
 * Views and functions over many jobs: which nodes fail more often than by chance, and whether a restart helped.
 */

CREATE FUNCTION @extschema@.l4_worst_nodes(since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL)
RETURNS TABLE (node text, jobs bigint, failed_jobs bigint, first_suspect_jobs bigint, suspect_jobs bigint,
	confirmed_jobs bigint, blamed_jobs bigint, blamed_share double precision, repeat_offender boolean,
	last_used_at timestamptz, last_blamed_at timestamptz, last_blamed_job text, expected_jobs double precision,
	p_value double precision, q_value double precision)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 100
BEGIN ATOMIC
	WITH job AS (
		SELECT j.job_id, j.status, j.at
		FROM (SELECT j.job_id, j.status, COALESCE(j.ended_at, j.started_at, j.registered_at) AS at
			FROM @extschema@.l4_job j) j
		WHERE (j.at < l4_worst_nodes.since) IS NOT TRUE AND (j.at >= l4_worst_nodes.until) IS NOT TRUE),
	used AS (
		SELECT n.node, j.job_id, j.status, j.at FROM @extschema@.l4_job_nodes n LEFT JOIN job j ON j.job_id = n.job_id
		-- logs may be of a job that nobody registered
		WHERE j.job_id IS NOT NULL OR l4_worst_nodes.since IS NULL AND l4_worst_nodes.until IS NULL),
	suspected AS (
		SELECT f.node, f.job_id, f.ordinal FROM @extschema@.l4_findings f
		WHERE f.newest AND f.kind = 'node' AND f.node IS NOT NULL),
	confirmed AS (
		SELECT DISTINCT u.node, r.job_id FROM @extschema@.l4_failure_report r, unnest(r.faulty_nodes) u (node)),
	node AS (
		SELECT u.node, count(*) AS jobs, count(*) FILTER (WHERE u.status = 'failed') AS failed_jobs,
			count(*) FILTER (WHERE s.ordinal = 1) AS first_suspect_jobs, count(s.job_id) AS suspect_jobs,
			count(c.job_id) AS confirmed_jobs, count(*) FILTER (WHERE s.ordinal = 1 OR c.job_id IS NOT NULL) AS blamed_jobs,
			max(u.at) AS last_used_at, max(u.at) FILTER (WHERE s.ordinal = 1 OR c.job_id IS NOT NULL) AS last_blamed_at,
			(array_agg(u.job_id ORDER BY u.at DESC, u.job_id COLLATE "C")
				FILTER (WHERE s.ordinal = 1 OR c.job_id IS NOT NULL))[1] AS last_blamed_job
		FROM used u
		LEFT JOIN suspected s ON s.node = u.node AND s.job_id = u.job_id
		LEFT JOIN confirmed c ON c.node = u.node AND c.job_id = u.job_id
		GROUP BY u.node),
	chance AS (
		-- blamed nodes are drawn from all nodes of all jobs: by chance each has as many as it took part in jobs
		SELECT n.*, n.jobs * (sum(n.blamed_jobs) OVER () / sum(n.jobs) OVER ())::double precision AS expected_jobs,
			@extschema@.l4_hypergeometric_tail(n.blamed_jobs, n.jobs, (sum(n.blamed_jobs) OVER ())::bigint,
				(sum(n.jobs) OVER ())::bigint) AS p_value
		FROM node n),
	placed AS (
		SELECT c.*, c.p_value * count(*) OVER () / count(*) OVER (ORDER BY c.p_value) AS q FROM chance c),
	corrected AS (
		SELECT p.*, LEAST(min(p.q) OVER (ORDER BY p.p_value DESC), 1) AS q_value FROM placed p)
	SELECT c.node, c.jobs, c.failed_jobs, c.first_suspect_jobs, c.suspect_jobs, c.confirmed_jobs, c.blamed_jobs,
		c.blamed_jobs::double precision / nullif(c.failed_jobs, 0),
		c.blamed_jobs > 1 AND c.q_value <= (SELECT l.value FROM @extschema@.l4_limit_in_force l WHERE l.name = 'offender_rate'),
		c.last_used_at, c.last_blamed_at, c.last_blamed_job, c.expected_jobs, c.p_value, c.q_value
	FROM corrected c
	ORDER BY c.p_value, c.blamed_jobs DESC, c.node COLLATE "C";
END;
COMMENT ON FUNCTION @extschema@.l4_worst_nodes(timestamptz, timestamptz) IS
'The nodes of all jobs from since until before until (by their end, else start, else registration; NULL: no limit), the '
'least likely by chance first: in how many jobs each took part, how many failed, and how many are its doing '
'(blamed_jobs: it is first suspect of the newest saved diagnosis, or a failure report names it). expected_jobs: blamed '
'jobs that a node of so many jobs has by chance, were all nodes alike. p_value: how likely so many or more are by chance '
'(Fisher''s exact test, one-sided: l4_hypergeometric_tail of the node''s jobs among all nodes'' jobs). q_value: the same '
'corrected for the number of nodes (Benjamini and Hochberg): of the nodes with at most this value such a share is there '
'by chance. repeat_offender: blamed more than once, and q_value is at most the limit offender_rate. Failures that have '
'one cause, such as a job that is started on the same nodes again and again, make it too sure.';

CREATE VIEW @extschema@.l4_fleet_nodes WITH (security_invoker = true) AS
SELECT n.node, n.jobs, n.failed_jobs, n.first_suspect_jobs, n.suspect_jobs, n.confirmed_jobs, n.blamed_jobs, n.blamed_share,
	n.repeat_offender, n.last_used_at, n.last_blamed_at, n.last_blamed_job, n.expected_jobs, n.p_value, n.q_value
FROM @extschema@.l4_worst_nodes(NULL, NULL) n;
COMMENT ON VIEW @extschema@.l4_fleet_nodes IS
'One row a node over all jobs: how many failed on it, how many of them are its doing, and how likely that is by chance. Repeat '
'offenders: WHERE repeat_offender ORDER BY p_value. Of a time alone: l4_worst_nodes.';
COMMENT ON COLUMN @extschema@.l4_fleet_nodes.node IS
'the node, by name';
COMMENT ON COLUMN @extschema@.l4_fleet_nodes.jobs IS
'jobs it took part in';
COMMENT ON COLUMN @extschema@.l4_fleet_nodes.failed_jobs IS
'of these, failed';
COMMENT ON COLUMN @extschema@.l4_fleet_nodes.first_suspect_jobs IS
'jobs whose newest diagnosis suspects it first';
COMMENT ON COLUMN @extschema@.l4_fleet_nodes.suspect_jobs IS
'jobs whose newest diagnosis suspects it at all';
COMMENT ON COLUMN @extschema@.l4_fleet_nodes.confirmed_jobs IS
'jobs whose failure report names it as faulty';
COMMENT ON COLUMN @extschema@.l4_fleet_nodes.blamed_jobs IS
'jobs in which it is first suspect or named by the report';
COMMENT ON COLUMN @extschema@.l4_fleet_nodes.blamed_share IS
'blamed_jobs as a share of its failed jobs; NULL where none failed';
COMMENT ON COLUMN @extschema@.l4_fleet_nodes.repeat_offender IS
'blamed in more than one job, and that is not chance: q_value is at most the limit offender_rate';
COMMENT ON COLUMN @extschema@.l4_fleet_nodes.last_used_at IS
'end (else start, else registration) of its last job';
COMMENT ON COLUMN @extschema@.l4_fleet_nodes.last_blamed_at IS
'the same of the last job it is blamed for';
COMMENT ON COLUMN @extschema@.l4_fleet_nodes.last_blamed_job IS
'the last job it is blamed for';
COMMENT ON COLUMN @extschema@.l4_fleet_nodes.expected_jobs IS
'blamed jobs that a node of so many jobs has by chance, were all nodes alike';
COMMENT ON COLUMN @extschema@.l4_fleet_nodes.p_value IS
'how likely so many blamed jobs or more are by chance (Fisher''s exact test, one-sided)';
COMMENT ON COLUMN @extschema@.l4_fleet_nodes.q_value IS
'p_value corrected for the number of nodes (Benjamini and Hochberg)';

CREATE VIEW @extschema@.l4_restarts WITH (security_invoker = true) AS
WITH RECURSIVE chain AS (
	-- from the jobs that are no restart of a known one; a circle has none
	SELECT j.job_id, j.job_id AS first_job, 0 AS turn
	FROM @extschema@.l4_job j
	WHERE NOT EXISTS (SELECT FROM @extschema@.l4_job f WHERE f.job_id = j.restart_of)
	UNION ALL
	SELECT j.job_id, c.first_job, c.turn + 1 FROM chain c JOIN @extschema@.l4_job j ON j.restart_of = c.job_id),
placed AS (
	SELECT j.job_id, n.node, true AS now FROM @extschema@.l4_job j JOIN @extschema@.l4_job_nodes n ON n.job_id = j.job_id
	WHERE j.restart_of IS NOT NULL
	UNION ALL
	SELECT j.job_id, n.node, false FROM @extschema@.l4_job j JOIN @extschema@.l4_job_nodes n ON n.job_id = j.restart_of),
node AS (
	SELECT p.job_id, p.node, bool_or(p.now) AS now, bool_or(NOT p.now) AS before FROM placed p GROUP BY p.job_id, p.node),
moved AS (
	SELECT n.job_id, count(*) FILTER (WHERE n.now AND n.before) AS kept, count(*) FILTER (WHERE NOT n.before) AS added,
		count(*) FILTER (WHERE NOT n.now) AS dropped
	FROM node n GROUP BY n.job_id HAVING bool_or(n.now) AND bool_or(n.before)),
restart AS (
	SELECT j.job_id, j.restart_of, c.first_job, c.turn, p.status AS former_status, j.status, p.ended_at, j.started_at,
		b.category AS former_category, b.subtype AS former_subtype, b.fault_key AS former_fault_key,
		b.suspect_node AS former_suspect_node, a.category, a.subtype, a.fault_key, a.suspect_node,
		m.kept, m.added, m.dropped, NOT n.now AS suspect_left_out, p.last_iteration AS former_iteration,
		j.last_iteration,
		a.category <> 'unknown' AND a.category = b.category AND a.subtype = b.subtype
			OR a.fault_key = b.fault_key OR a.suspect_node = b.suspect_node AS alike,
		a.category <> 'unknown' AND b.category <> 'unknown' OR a.suspect_node <> b.suspect_node AS other
	FROM @extschema@.l4_job_facts j
	LEFT JOIN chain c ON c.job_id = j.job_id
	LEFT JOIN @extschema@.l4_job_facts p ON p.job_id = j.restart_of
	LEFT JOIN @extschema@.l4_failures a ON a.job_id = j.job_id
	LEFT JOIN @extschema@.l4_failures b ON b.job_id = j.restart_of
	LEFT JOIN moved m ON m.job_id = j.job_id
	LEFT JOIN node n ON n.job_id = j.job_id AND n.node = b.suspect_node
	WHERE j.restart_of IS NOT NULL),
told AS (
	SELECT r.*, CASE WHEN r.status = 'succeeded' THEN 'succeeded' WHEN r.status = 'failed' AND r.alike THEN 'failed alike'
		WHEN r.last_iteration > r.former_iteration THEN 'got further'
		WHEN r.status = 'failed' AND r.other THEN 'failed otherwise' ELSE r.status END AS outcome
	FROM restart r)
SELECT r.job_id, r.restart_of, r.first_job, r.turn, r.former_status, r.status, r.former_category, r.former_subtype,
	r.former_fault_key, r.former_suspect_node, r.category, r.subtype, r.fault_key, r.suspect_node,
	@extschema@.l4_seconds_between(r.ended_at, r.started_at) / 60 AS minutes_between, r.kept AS nodes_kept,
	r.added AS nodes_added, r.dropped AS nodes_dropped, r.added + r.dropped > 0 AS other_nodes,
	CASE WHEN r.kept IS NOT NULL THEN r.suspect_left_out END AS suspect_left_out, r.former_iteration, r.last_iteration,
	r.outcome,
	CASE WHEN COALESCE(r.former_status, 'succeeded') = 'succeeded' THEN NULL
		WHEN r.outcome IN ('succeeded', 'got further') THEN true WHEN r.outcome = 'failed alike' THEN false END AS helped
FROM told r;
COMMENT ON VIEW @extschema@.l4_restarts IS
'One row a job that is a restart of another (l4_job.restart_of): on which nodes it ran compared with the former one, and '
'whether that helped. Causes are those of l4_failures: of failure reports, else of saved diagnoses. Does it help to '
'leave out the suspect? SELECT suspect_left_out, count(*), avg(helped::int) FROM l4_restarts GROUP BY 1.';
COMMENT ON COLUMN @extschema@.l4_restarts.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_restarts.restart_of IS
'the job that it is a restart of; that one need not be known';
COMMENT ON COLUMN @extschema@.l4_restarts.first_job IS
'the first job of the chain of restarts; NULL where they go in a circle';
COMMENT ON COLUMN @extschema@.l4_restarts.turn IS
'which restart of that it is, from 1; of several restarts of one job each has the same number';
COMMENT ON COLUMN @extschema@.l4_restarts.former_status IS
'how the former job ended, NULL where it is not known';
COMMENT ON COLUMN @extschema@.l4_restarts.status IS
'running, succeeded, failed or unknown';
COMMENT ON COLUMN @extschema@.l4_restarts.former_category IS
'category of the former job''s root cause, where it failed';
COMMENT ON COLUMN @extschema@.l4_restarts.former_subtype IS
'subtype of that';
COMMENT ON COLUMN @extschema@.l4_restarts.former_fault_key IS
'the first known fault of the former job';
COMMENT ON COLUMN @extschema@.l4_restarts.former_suspect_node IS
'the first suspected node of the former job';
COMMENT ON COLUMN @extschema@.l4_restarts.category IS
'category of the root cause of this job, where it failed, too';
COMMENT ON COLUMN @extschema@.l4_restarts.subtype IS
'subtype of that';
COMMENT ON COLUMN @extschema@.l4_restarts.fault_key IS
'its first known fault';
COMMENT ON COLUMN @extschema@.l4_restarts.suspect_node IS
'its first suspected node';
COMMENT ON COLUMN @extschema@.l4_restarts.minutes_between IS
'minutes from the end of the former job to the start of this one';
COMMENT ON COLUMN @extschema@.l4_restarts.nodes_kept IS
'nodes that both ran on; NULL where the nodes of one of the two are not known';
COMMENT ON COLUMN @extschema@.l4_restarts.nodes_added IS
'nodes that this one alone ran on, likewise';
COMMENT ON COLUMN @extschema@.l4_restarts.nodes_dropped IS
'nodes that the former one alone ran on, likewise';
COMMENT ON COLUMN @extschema@.l4_restarts.other_nodes IS
'did it run on other nodes, even by one? NULL where the nodes of one of the two are not known';
COMMENT ON COLUMN @extschema@.l4_restarts.suspect_left_out IS
'did it run without the node suspected first in the former job? NULL where none was, or nodes are not known';
COMMENT ON COLUMN @extschema@.l4_restarts.former_iteration IS
'the highest iteration of the former job';
COMMENT ON COLUMN @extschema@.l4_restarts.last_iteration IS
'its own highest iteration';
COMMENT ON COLUMN @extschema@.l4_restarts.outcome IS
'succeeded; failed alike (the same cause, fault or suspect); got further (to a later iteration than the former one, be it '
'running or failed otherwise); failed otherwise; failed (whether alike cannot be said); running; unknown';
COMMENT ON COLUMN @extschema@.l4_restarts.helped IS
'true: it succeeded or got further; false: it failed alike; NULL: neither can be said, or the former job is not known to have '
'failed';
