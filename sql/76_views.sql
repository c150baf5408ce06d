/*
 * Views for BI: plain scalar columns, one subject a view, read with the rights of the caller.
 *
 * They read the small tables only (jobs, streams, findings, reports, pools), never a log line, so that a dashboard over a
 * thousand jobs answers at once. A job's diagnosis is in them once l4_save_diagnosis has kept it; of several the newest counts.
 * What people wrote into a failure report goes before what a diagnosis says.
 */

CREATE FUNCTION @extschema@.l4_likely_times(told_start timestamptz, told_end timestamptz, first_ts timestamptz,
	last_ts timestamptz, gap double precision,
	OUT started_at timestamptz, OUT ended_at timestamptz, OUT fits boolean) RETURNS record
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 50
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	lasted double precision;
BEGIN
	first_ts := coalesce(first_ts, last_ts);
	lasted := @extschema@.l4_seconds_between(first_ts, last_ts);
	-- an infinite time says as much as none
	started_at := CASE WHEN isfinite(told_start) THEN told_start END;
	ended_at := CASE WHEN isfinite(told_end) THEN told_end END;
	fits := coalesce(CASE
		WHEN ended_at IS NULL THEN first_ts IS NULL OR last_ts >= started_at
			AND abs(@extschema@.l4_seconds_between(started_at, first_ts)) <= gap
		WHEN started_at IS NULL THEN last_ts IS NULL OR first_ts <= ended_at
			AND abs(@extschema@.l4_seconds_between(last_ts, ended_at)) <= gap
		END, true);
	IF fits THEN
		started_at := coalesce(started_at, first_ts);
		ended_at := coalesce(ended_at, last_ts);
	-- within the calendar, however wrong they are
	ELSIF lasted < 1e11 AND coalesce(started_at, ended_at) BETWEEN '2000-01-01 00:00+00' AND '9999-01-01 00:00+00' THEN
		started_at := coalesce(started_at, ended_at - make_interval(secs => lasted));
		ended_at := coalesce(ended_at, started_at + make_interval(secs => lasted));
	END IF;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_likely_times(timestamptz, timestamptz, timestamptz, timestamptz, double precision) IS
'Step: When a job began and ended: as registered (told_start, told_end; infinite counts as none), else by its logs (first_ts, '
'last_ts). Where the logs begin more than gap seconds from the one registered time, or lie before the start or after the end, '
'their clocks or years are other ones: then the job lasted as long as they do, and fits is false.';

CREATE VIEW @extschema@.l4_job_facts WITH (security_invoker = true) AS
SELECT j.job_id, j.status, j.owner::text AS owner, j.settings ->> 'model' AS model, j.settings ->> 'framework' AS framework,
	j.settings::text AS settings, j.registered_at, s.imported_at,
	t.started_at, t.ended_at,
	coalesce(cardinality(j.nodes), n.nodes)::int AS nodes,
	-- least() would pass over NULL
	CASE WHEN coalesce(cardinality(j.nodes)::bigint * j.ranks_per_node, s.ranks) IS NOT NULL
		THEN least(greatest(cardinality(j.nodes)::bigint * j.ranks_per_node, s.ranks), 2147483647) END::int AS ranks,
	coalesce(s.files, 0) AS files, coalesce(s.failed_files, 0) AS failed_files, coalesce(s.records, 0) AS records,
	coalesce(s.bytes, 0) AS bytes, s.last_iteration,
	NOT t.fits OR coalesce(w.strays > 0, false) AND (isfinite(j.started_at) AND isfinite(j.ended_at)) IS NOT TRUE
		AS times_clamped, s.first_ts AS first_stamp, s.last_ts AS last_stamp,
	j.restart_of
FROM @extschema@.l4_job j
CROSS JOIN (SELECT max(l.value) FILTER (WHERE l.name = 'job_gap') AS gap,
	max(l.value) FILTER (WHERE l.name = 'job_stray_share') AS stray_share FROM @extschema@.l4_limit_in_force l) g
LEFT JOIN @extschema@.l4_job_logs s ON s.job_id = j.job_id
LEFT JOIN LATERAL (
	-- asked of these few jobs alone (OFFSET)
	SELECT w.* FROM @extschema@.l4_job_span(j.job_id, g.gap, g.stray_share) w WHERE s.scattered OFFSET 0) w ON true
CROSS JOIN LATERAL @extschema@.l4_likely_times(j.started_at, j.ended_at, coalesce(w.first_ts, s.first_ts),
	coalesce(w.last_ts, s.last_ts), g.gap) t
LEFT JOIN (
	SELECT n.job_id, count(*) AS nodes FROM @extschema@.l4_job_nodes n WHERE NOT n.listed
	GROUP BY n.job_id) n ON n.job_id = j.job_id;
COMMENT ON VIEW @extschema@.l4_job_facts IS
'One row a job: what is known of it, from the scheduler where it told and else from the logs.';
COMMENT ON COLUMN @extschema@.l4_job_facts.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_job_facts.status IS
'running, succeeded, failed or unknown';
COMMENT ON COLUMN @extschema@.l4_job_facts.owner IS
'role that registered it';
COMMENT ON COLUMN @extschema@.l4_job_facts.model IS
'the setting "model"';
COMMENT ON COLUMN @extschema@.l4_job_facts.framework IS
'the setting "framework"';
COMMENT ON COLUMN @extschema@.l4_job_facts.settings IS
'all settings, as JSON text';
COMMENT ON COLUMN @extschema@.l4_job_facts.registered_at IS
'when it was registered';
COMMENT ON COLUMN @extschema@.l4_job_facts.imported_at IS
'when the last of its logs were read';
COMMENT ON COLUMN @extschema@.l4_job_facts.started_at IS
'its start as registered, else the time of the first record (times_clamped says where that is not the first stamp)';
COMMENT ON COLUMN @extschema@.l4_job_facts.ended_at IS
'its end as registered, else the time of the last record, likewise';
COMMENT ON COLUMN @extschema@.l4_job_facts.nodes IS
'number of nodes: those registered, else those that logs are from';
COMMENT ON COLUMN @extschema@.l4_job_facts.ranks IS
'number of ranks: those registered, or one more than the highest rank that logs are from, whichever are more';
COMMENT ON COLUMN @extschema@.l4_job_facts.files IS
'files imported';
COMMENT ON COLUMN @extschema@.l4_job_facts.failed_files IS
'files that could not be read to their end';
COMMENT ON COLUMN @extschema@.l4_job_facts.records IS
'log records';
COMMENT ON COLUMN @extschema@.l4_job_facts.bytes IS
'bytes of log, uncompressed';
COMMENT ON COLUMN @extschema@.l4_job_facts.last_iteration IS
'the highest iteration that a rank reached at its end';
COMMENT ON COLUMN @extschema@.l4_job_facts.times_clamped IS
'true: not all times were taken as they are told. Few stamps more than a week from all others (limits job_gap, '
'job_stray_share) were left out; or the logs do not go with the registered start or end, and only how long they last was taken';
COMMENT ON COLUMN @extschema@.l4_job_facts.first_stamp IS
'the earliest stamp of its logs, strays and all';
COMMENT ON COLUMN @extschema@.l4_job_facts.last_stamp IS
'the latest stamp, likewise';
COMMENT ON COLUMN @extschema@.l4_job_facts.restart_of IS
'the job that it is a restart of, NULL for none';

CREATE FUNCTION @extschema@.l4_facts_of_job(job_id text) RETURNS SETOF @extschema@.l4_job_facts
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000 ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	RETURN QUERY SELECT f.* FROM @extschema@.l4_job_facts f WHERE f.job_id = l4_facts_of_job.job_id;
END
$$;
COMMENT ON FUNCTION @extschema@.l4_facts_of_job(text) IS
'Step: The row of l4_job_facts of a job; none where nobody registered it.';

CREATE VIEW @extschema@.l4_findings WITH (security_invoker = true) AS
SELECT f.job_id, f.saved_at, f.saved_at = GREATEST(d.saved_at, max(f.saved_at) OVER (PARTITION BY f.job_id)) AS newest,
	f.kind, f.ordinal, f.score, f.node, f.rank, f.stage, f.iteration, f.event_id, f.template, f.first_seen, f.occurrences,
	f.nodes_affected, f.evidence, f.explanation, f.fault_key, l.title AS fault_title, l.category AS fault_category,
	l.subtype AS fault_subtype, l.severity AS fault_severity, f.root_cause, f.fix, f.confidence,
	f.event_id::text AS event_id_text
FROM @extschema@.l4_finding f
-- the newest diagnosis may have found nothing
LEFT JOIN (SELECT d.job_id, max(d.saved_at) AS saved_at FROM @extschema@.l4_diagnosis d GROUP BY d.job_id) d
	ON d.job_id = f.job_id
LEFT JOIN @extschema@.l4_fault_library l ON l.fault_key = f.fault_key;
COMMENT ON VIEW @extschema@.l4_findings IS
'All saved findings, with what the library says of their faults. The present diagnosis of a job: WHERE newest.';
COMMENT ON COLUMN @extschema@.l4_findings.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_findings.saved_at IS
'when the diagnosis was saved';
COMMENT ON COLUMN @extschema@.l4_findings.newest IS
'is it of the newest diagnosis of its job?';
COMMENT ON COLUMN @extschema@.l4_findings.kind IS
'fault, event, node, stage or iteration';
COMMENT ON COLUMN @extschema@.l4_findings.ordinal IS
'place within its kind, from 1, most telling first';
COMMENT ON COLUMN @extschema@.l4_findings.score IS
'what it is ordered by, larger is more telling; comparable within a kind';
COMMENT ON COLUMN @extschema@.l4_findings.node IS
'the node it points at, NULL where none';
COMMENT ON COLUMN @extschema@.l4_findings.rank IS
'the rank it points at, NULL where none';
COMMENT ON COLUMN @extschema@.l4_findings.stage IS
'the stage it is of';
COMMENT ON COLUMN @extschema@.l4_findings.iteration IS
'the iteration it is of';
COMMENT ON COLUMN @extschema@.l4_findings.event_id IS
'the event it is of';
COMMENT ON COLUMN @extschema@.l4_findings.template IS
'the template of the event';
COMMENT ON COLUMN @extschema@.l4_findings.first_seen IS
'when it shows first';
COMMENT ON COLUMN @extschema@.l4_findings.occurrences IS
'number of records';
COMMENT ON COLUMN @extschema@.l4_findings.nodes_affected IS
'number of nodes that have it';
COMMENT ON COLUMN @extschema@.l4_findings.evidence IS
'records that say so, as source:line: text';
COMMENT ON COLUMN @extschema@.l4_findings.explanation IS
'in a sentence, why';
COMMENT ON COLUMN @extschema@.l4_findings.fault_key IS
'the known fault, for kind fault';
COMMENT ON COLUMN @extschema@.l4_findings.fault_title IS
'its title in the library today, NULL where it is no longer there';
COMMENT ON COLUMN @extschema@.l4_findings.fault_category IS
'its category in the library today';
COMMENT ON COLUMN @extschema@.l4_findings.fault_subtype IS
'its subtype in the library today';
COMMENT ON COLUMN @extschema@.l4_findings.fault_severity IS
'its severity in the library today';
COMMENT ON COLUMN @extschema@.l4_findings.root_cause IS
'its root cause';
COMMENT ON COLUMN @extschema@.l4_findings.fix IS
'its fix';
COMMENT ON COLUMN @extschema@.l4_findings.confidence IS
'how likely it is right, 0 to 1, of a node, a fault and an iteration; NULL for other kinds';
COMMENT ON COLUMN @extschema@.l4_findings.event_id_text IS
'event_id as text, for programs that take whole numbers for floating-point ones';

CREATE VIEW @extschema@.l4_diagnoses WITH (security_invoker = true) AS
SELECT d.job_id, d.saved_at, d.saved_by::text AS saved_by, d.version, d.use_pool, d.pool_id, d.pool_jobs, d.pool_fit, d.records,
	d.findings, d.verdict, d.restart_action, d.restart_target, d.restart_advice, d.began_at, d.last_save_at,
	d.last_save_iteration, lead(d.saved_at) OVER w IS NULL AS newest, lead(d.saved_at) OVER w AS superseded_at,
	d.pool_id::text AS pool_id_text
FROM @extschema@.l4_diagnosis d
WINDOW w AS (PARTITION BY d.job_id ORDER BY d.saved_at);
COMMENT ON VIEW @extschema@.l4_diagnoses IS
'All saved diagnoses: with what each was made, what it says, and when a later one superseded it.';
COMMENT ON COLUMN @extschema@.l4_diagnoses.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_diagnoses.saved_at IS
'when it was saved';
COMMENT ON COLUMN @extschema@.l4_diagnoses.saved_by IS
'who saved it';
COMMENT ON COLUMN @extschema@.l4_diagnoses.version IS
'version of l4 that made it';
COMMENT ON COLUMN @extschema@.l4_diagnoses.use_pool IS
'were successful jobs compared with?';
COMMENT ON COLUMN @extschema@.l4_diagnoses.pool_id IS
'the pool it was compared with, NULL for none';
COMMENT ON COLUMN @extschema@.l4_diagnoses.pool_jobs IS
'successful jobs in that pool at the time';
COMMENT ON COLUMN @extschema@.l4_diagnoses.pool_fit IS
'how alike the settings of that pool are, 1 for the same';
COMMENT ON COLUMN @extschema@.l4_diagnoses.records IS
'records of the job that had been read at the time';
COMMENT ON COLUMN @extschema@.l4_diagnoses.findings IS
'number of findings';
COMMENT ON COLUMN @extschema@.l4_diagnoses.verdict IS
'the diagnosis in a sentence';
COMMENT ON COLUMN @extschema@.l4_diagnoses.restart_action IS
'restart, replace, fix or none';
COMMENT ON COLUMN @extschema@.l4_diagnoses.restart_target IS
'the node to replace, or what is to be fixed';
COMMENT ON COLUMN @extschema@.l4_diagnoses.restart_advice IS
'the advice in words';
COMMENT ON COLUMN @extschema@.l4_diagnoses.began_at IS
'when the failure began';
COMMENT ON COLUMN @extschema@.l4_diagnoses.last_save_at IS
'when the job began to save its last checkpoint before that';
COMMENT ON COLUMN @extschema@.l4_diagnoses.last_save_iteration IS
'after which iteration';
COMMENT ON COLUMN @extschema@.l4_diagnoses.newest IS
'is it the newest of its job?';
COMMENT ON COLUMN @extschema@.l4_diagnoses.superseded_at IS
'when a later one was saved, NULL for the newest';
COMMENT ON COLUMN @extschema@.l4_diagnoses.pool_id_text IS
'pool_id as text, for programs that take whole numbers for floating-point ones';

CREATE VIEW @extschema@.l4_failures WITH (security_invoker = true) AS
WITH newest AS (
	-- the first finding of each kind, side by side
	SELECT f.job_id,
		max(f.node) FILTER (WHERE f.kind = 'node') AS suspect_node,
		max(f.rank) FILTER (WHERE f.kind = 'node') AS suspect_rank,
		max(f.score) FILTER (WHERE f.kind = 'node') AS suspect_score,
		max(f.confidence) FILTER (WHERE f.kind = 'node') AS suspect_confidence,
		max(f.fault_key) FILTER (WHERE f.kind = 'fault') AS fault_key,
		max(f.fault_title) FILTER (WHERE f.kind = 'fault') AS fault_title,
		max(f.fault_category) FILTER (WHERE f.kind = 'fault') AS fault_category,
		max(f.fault_subtype) FILTER (WHERE f.kind = 'fault') AS fault_subtype,
		max(f.root_cause) FILTER (WHERE f.kind = 'fault') AS root_cause,
		max(f.fix) FILTER (WHERE f.kind = 'fault') AS fix,
		max(f.template) FILTER (WHERE f.kind = 'event') AS event,
		max(f.stage) FILTER (WHERE f.kind = 'stage') AS stage,
		max(f.iteration) FILTER (WHERE f.kind = 'iteration') AS iteration
	FROM @extschema@.l4_findings f
	WHERE f.newest AND f.ordinal = 1
	GROUP BY f.job_id),
first AS (
	SELECT f.job_id, min(f.saved_at) AS first_diagnosed_at, max(f.saved_at) AS diagnosed_at, count(*) AS diagnoses
	FROM (SELECT f.job_id, f.saved_at FROM @extschema@.l4_finding f UNION SELECT d.job_id, d.saved_at
		FROM @extschema@.l4_diagnosis d) f
	GROUP BY f.job_id),
last AS (
	SELECT d.job_id, d.verdict, d.restart_advice, d.began_at, d.last_save_at FROM @extschema@.l4_diagnoses d WHERE d.newest),
report AS (
	-- of several reports the last one counts, and the failure is resolved when all are
	SELECT DISTINCT ON (r.job_id) r.job_id, r.symptom, r.root_cause_category, r.root_cause_subtype, r.root_cause, r.fix,
		r.reported_by::text AS reported_by, min(r.reported_at) OVER w AS reported_at,
		bool_and(r.resolved_at IS NOT NULL OR r.status IN ('resolved', 'rejected')) OVER w AS resolved,
		max(r.resolved_at) OVER w AS resolved_at
	FROM @extschema@.l4_failure_report r
	WINDOW w AS (PARTITION BY r.job_id)
	ORDER BY r.job_id, r.reported_at DESC, r.report_id DESC)
SELECT j.job_id, j.owner, j.model, j.framework, j.nodes, j.ranks, j.started_at, j.ended_at AS failed_at, j.imported_at,
	d.first_diagnosed_at, d.diagnosed_at, coalesce(d.diagnoses, 0) AS diagnoses, r.reported_at, r.reported_by,
	CASE WHEN r.resolved THEN r.resolved_at END AS resolved_at, coalesce(r.resolved, false) AS resolved,
	r.symptom, coalesce(r.root_cause_category, n.fault_category, 'unknown') AS category,
	coalesce(r.root_cause_subtype,
		CASE WHEN r.root_cause_category IS NULL OR r.root_cause_category = n.fault_category THEN n.fault_subtype END,
		'unknown') AS subtype,
	CASE WHEN r.root_cause_category IS NOT NULL THEN 'report' WHEN n.fault_category IS NOT NULL THEN 'diagnosis'
		ELSE 'none' END AS cause_from,
	n.suspect_node, n.suspect_rank, n.suspect_score, n.fault_key, n.fault_title, n.event, n.stage, n.iteration,
	coalesce(r.root_cause, c.root_cause) AS root_cause, coalesce(r.fix, n.fix) AS fix, l.verdict, l.restart_advice, l.began_at,
	l.last_save_at, n.suspect_confidence,
	CASE WHEN r.root_cause IS NOT NULL THEN 'report' WHEN c.root_cause IS NOT NULL THEN 'fault' ELSE 'none' END
		AS root_cause_from,
	j.times_clamped, j.restart_of
FROM @extschema@.l4_job_facts j
LEFT JOIN first d ON d.job_id = j.job_id
LEFT JOIN newest n ON n.job_id = j.job_id
LEFT JOIN last l ON l.job_id = j.job_id
LEFT JOIN report r ON r.job_id = j.job_id
-- what the library says of the fault, unless people say that it was something else
CROSS JOIN LATERAL (SELECT CASE WHEN r.root_cause_category IS NULL OR r.root_cause_category = n.fault_category
	THEN n.root_cause END AS root_cause) c
WHERE j.status = 'failed';
COMMENT ON VIEW @extschema@.l4_failures IS
'One row a failed job: its newest saved diagnosis in a line, beside what its failure report says.';
COMMENT ON COLUMN @extschema@.l4_failures.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_failures.owner IS
'role that registered it';
COMMENT ON COLUMN @extschema@.l4_failures.model IS
'the setting "model"';
COMMENT ON COLUMN @extschema@.l4_failures.framework IS
'the setting "framework"';
COMMENT ON COLUMN @extschema@.l4_failures.nodes IS
'number of nodes';
COMMENT ON COLUMN @extschema@.l4_failures.ranks IS
'number of ranks';
COMMENT ON COLUMN @extschema@.l4_failures.started_at IS
'start of the job, or of its logs';
COMMENT ON COLUMN @extschema@.l4_failures.failed_at IS
'end of the job, or of its logs';
COMMENT ON COLUMN @extschema@.l4_failures.imported_at IS
'when the last of its logs were read';
COMMENT ON COLUMN @extschema@.l4_failures.first_diagnosed_at IS
'when its first diagnosis was saved, NULL where none is';
COMMENT ON COLUMN @extschema@.l4_failures.diagnosed_at IS
'when its newest diagnosis was saved';
COMMENT ON COLUMN @extschema@.l4_failures.diagnoses IS
'number of saved diagnoses';
COMMENT ON COLUMN @extschema@.l4_failures.reported_at IS
'when it was first reported, NULL where it is not';
COMMENT ON COLUMN @extschema@.l4_failures.reported_by IS
'who wrote the last report';
COMMENT ON COLUMN @extschema@.l4_failures.resolved_at IS
'when the last of its reports was resolved, NULL while one is open';
COMMENT ON COLUMN @extschema@.l4_failures.resolved IS
'is it resolved?';
COMMENT ON COLUMN @extschema@.l4_failures.symptom IS
'symptom by its report';
COMMENT ON COLUMN @extschema@.l4_failures.category IS
'category of the root cause: by the report, else of the first known fault, else unknown';
COMMENT ON COLUMN @extschema@.l4_failures.subtype IS
'subtype of the root cause, likewise';
COMMENT ON COLUMN @extschema@.l4_failures.cause_from IS
'where the category is from: report, diagnosis or none';
COMMENT ON COLUMN @extschema@.l4_failures.suspect_node IS
'the first suspected node, NULL where no node is blamed';
COMMENT ON COLUMN @extschema@.l4_failures.suspect_rank IS
'the first suspected rank';
COMMENT ON COLUMN @extschema@.l4_failures.suspect_score IS
'score of the suspicion';
COMMENT ON COLUMN @extschema@.l4_failures.fault_key IS
'the first known fault';
COMMENT ON COLUMN @extschema@.l4_failures.fault_title IS
'its title';
COMMENT ON COLUMN @extschema@.l4_failures.event IS
'template of the most telling event';
COMMENT ON COLUMN @extschema@.l4_failures.stage IS
'stage in which the failure began';
COMMENT ON COLUMN @extschema@.l4_failures.iteration IS
'iteration in which the failure began';
COMMENT ON COLUMN @extschema@.l4_failures.root_cause IS
'root cause by the report, else that of the first known fault, unless the report states another category';
COMMENT ON COLUMN @extschema@.l4_failures.fix IS
'the fix by the report, else that of the first known fault';
COMMENT ON COLUMN @extschema@.l4_failures.verdict IS
'the newest diagnosis in a sentence';
COMMENT ON COLUMN @extschema@.l4_failures.restart_advice IS
'its advice for the restart';
COMMENT ON COLUMN @extschema@.l4_failures.began_at IS
'when the failure began, by the newest diagnosis';
COMMENT ON COLUMN @extschema@.l4_failures.last_save_at IS
'when the job began to save its last checkpoint before that';
COMMENT ON COLUMN @extschema@.l4_failures.suspect_confidence IS
'how likely the first suspected node is at fault, 0 to 1';
COMMENT ON COLUMN @extschema@.l4_failures.root_cause_from IS
'where the root cause is from: report, fault or none';
COMMENT ON COLUMN @extschema@.l4_failures.times_clamped IS
'were times of the job told wrongly, and robust ones taken? See l4_job_facts';
COMMENT ON COLUMN @extschema@.l4_failures.restart_of IS
'the job that it is a restart of, NULL for none';

CREATE VIEW @extschema@.l4_current_failures WITH (security_invoker = true) AS
SELECT f.job_id, f.owner, f.model, f.framework, f.nodes, f.ranks, f.started_at, f.failed_at, f.diagnosed_at,
	f.diagnosed_at IS NOT NULL AS diagnosed, f.reported_at, f.symptom, f.category, f.subtype, f.suspect_node, f.suspect_rank,
	f.fault_key, f.fault_title, f.event, f.stage, f.iteration, f.fix, f.verdict, f.restart_advice
FROM @extschema@.l4_failures f
WHERE NOT f.resolved;
COMMENT ON VIEW @extschema@.l4_current_failures IS
'Failed jobs that no report calls resolved: what is to be done now.';
COMMENT ON COLUMN @extschema@.l4_current_failures.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_current_failures.owner IS
'role that registered it';
COMMENT ON COLUMN @extschema@.l4_current_failures.model IS
'the setting "model"';
COMMENT ON COLUMN @extschema@.l4_current_failures.framework IS
'the setting "framework"';
COMMENT ON COLUMN @extschema@.l4_current_failures.nodes IS
'number of nodes';
COMMENT ON COLUMN @extschema@.l4_current_failures.ranks IS
'number of ranks';
COMMENT ON COLUMN @extschema@.l4_current_failures.started_at IS
'start of the job, or of its logs';
COMMENT ON COLUMN @extschema@.l4_current_failures.failed_at IS
'end of the job, or of its logs';
COMMENT ON COLUMN @extschema@.l4_current_failures.diagnosed_at IS
'when its newest diagnosis was saved';
COMMENT ON COLUMN @extschema@.l4_current_failures.diagnosed IS
'is a diagnosis saved?';
COMMENT ON COLUMN @extschema@.l4_current_failures.reported_at IS
'when it was first reported';
COMMENT ON COLUMN @extschema@.l4_current_failures.symptom IS
'symptom by its report';
COMMENT ON COLUMN @extschema@.l4_current_failures.category IS
'category of the root cause, unknown where nothing says it';
COMMENT ON COLUMN @extschema@.l4_current_failures.subtype IS
'subtype of the root cause, likewise';
COMMENT ON COLUMN @extschema@.l4_current_failures.suspect_node IS
'the first suspected node';
COMMENT ON COLUMN @extschema@.l4_current_failures.suspect_rank IS
'the first suspected rank';
COMMENT ON COLUMN @extschema@.l4_current_failures.fault_key IS
'the first known fault';
COMMENT ON COLUMN @extschema@.l4_current_failures.fault_title IS
'its title';
COMMENT ON COLUMN @extschema@.l4_current_failures.event IS
'template of the most telling event';
COMMENT ON COLUMN @extschema@.l4_current_failures.stage IS
'stage in which the failure began';
COMMENT ON COLUMN @extschema@.l4_current_failures.iteration IS
'iteration in which the failure began';
COMMENT ON COLUMN @extschema@.l4_current_failures.fix IS
'what to do: by the report, else of the first known fault';
COMMENT ON COLUMN @extschema@.l4_current_failures.verdict IS
'the newest diagnosis in a sentence';
COMMENT ON COLUMN @extschema@.l4_current_failures.restart_advice IS
'its advice for the restart';

CREATE VIEW @extschema@.l4_failures_by_cause WITH (security_invoker = true) AS
SELECT date_trunc('week', f.failed_at)::date AS week, f.category, f.subtype, count(*) AS failures,
	count(*) FILTER (WHERE f.resolved) AS resolved, count(*) FILTER (WHERE f.cause_from = 'report') AS reported,
	count(DISTINCT f.suspect_node) AS suspect_nodes,
	sum(f.ranks * @extschema@.l4_seconds_between(f.started_at, f.failed_at) / 3600) AS accelerator_hours
FROM @extschema@.l4_failures f
GROUP BY 1, 2, 3;
COMMENT ON VIEW @extschema@.l4_failures_by_cause IS
'Failed jobs by week and root cause.';
COMMENT ON COLUMN @extschema@.l4_failures_by_cause.week IS
'the Monday of the week in which the jobs failed (time zone of the session); NULL where no time is known';
COMMENT ON COLUMN @extschema@.l4_failures_by_cause.category IS
'category of the root cause: by report, else by the first known fault, else unknown';
COMMENT ON COLUMN @extschema@.l4_failures_by_cause.subtype IS
'subtype of the root cause, likewise';
COMMENT ON COLUMN @extschema@.l4_failures_by_cause.failures IS
'failed jobs';
COMMENT ON COLUMN @extschema@.l4_failures_by_cause.resolved IS
'of these, resolved';
COMMENT ON COLUMN @extschema@.l4_failures_by_cause.reported IS
'of these, with the root cause from a failure report';
COMMENT ON COLUMN @extschema@.l4_failures_by_cause.suspect_nodes IS
'distinct nodes that were first suspect';
COMMENT ON COLUMN @extschema@.l4_failures_by_cause.accelerator_hours IS
'ranks times duration of these jobs, hours';

CREATE VIEW @extschema@.l4_failure_times WITH (security_invoker = true) AS
SELECT f.job_id, f.category, f.subtype, f.failed_at, f.imported_at, f.first_diagnosed_at, f.reported_at, f.resolved_at,
	@extschema@.l4_seconds_between(f.failed_at, f.first_diagnosed_at) / 60 AS minutes_to_diagnosis,
	@extschema@.l4_seconds_between(f.imported_at, f.first_diagnosed_at) / 60 AS minutes_from_import_to_diagnosis,
	@extschema@.l4_seconds_between(f.failed_at, f.reported_at) / 60 AS minutes_to_report,
	@extschema@.l4_seconds_between(f.failed_at, f.resolved_at) / 60 AS minutes_to_resolution,
	@extschema@.l4_seconds_between(f.first_diagnosed_at, f.resolved_at) / 60 AS minutes_from_diagnosis_to_resolution
FROM @extschema@.l4_failures f;
COMMENT ON VIEW @extschema@.l4_failure_times IS
'How long each failure took to be diagnosed, reported and resolved. NULL where a step has not been taken.';
COMMENT ON COLUMN @extschema@.l4_failure_times.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_failure_times.category IS
'category of the root cause';
COMMENT ON COLUMN @extschema@.l4_failure_times.subtype IS
'subtype of the root cause';
COMMENT ON COLUMN @extschema@.l4_failure_times.failed_at IS
'end of the job, or of its logs';
COMMENT ON COLUMN @extschema@.l4_failure_times.imported_at IS
'when the last of its logs were read';
COMMENT ON COLUMN @extschema@.l4_failure_times.first_diagnosed_at IS
'when its first diagnosis was saved';
COMMENT ON COLUMN @extschema@.l4_failure_times.reported_at IS
'when it was first reported';
COMMENT ON COLUMN @extschema@.l4_failure_times.resolved_at IS
'when it was resolved';
COMMENT ON COLUMN @extschema@.l4_failure_times.minutes_to_diagnosis IS
'minutes from the failure to the first saved diagnosis';
COMMENT ON COLUMN @extschema@.l4_failure_times.minutes_from_import_to_diagnosis IS
'minutes from the import of the logs to the first saved diagnosis; negative where logs came in later';
COMMENT ON COLUMN @extschema@.l4_failure_times.minutes_to_report IS
'minutes from the failure to its first report';
COMMENT ON COLUMN @extschema@.l4_failure_times.minutes_to_resolution IS
'minutes from the failure to its resolution';
COMMENT ON COLUMN @extschema@.l4_failure_times.minutes_from_diagnosis_to_resolution IS
'minutes from the first saved diagnosis to the resolution';

CREATE VIEW @extschema@.l4_fault_statistics WITH (security_invoker = true) AS
SELECT l.fault_key, l.title, l.category, l.subtype, l.role, l.severity, l.builtin, l.overridden, l.owner::text AS owner,
	l.created_at, coalesce(m.jobs, 0) AS jobs, coalesce(m.first_jobs, 0) AS first_jobs,
	coalesce(m.occurrences, 0)::bigint AS occurrences, coalesce(m.reported_jobs, 0) AS reported_jobs,
	coalesce(m.right_jobs, 0) AS right_jobs, m.right_jobs::double precision / nullif(m.reported_jobs, 0) AS right_share,
	l.right_count AS judged_right, l.wrong_count AS judged_wrong, m.first_seen, m.last_seen, m.last_job
FROM @extschema@.l4_fault_library l
LEFT JOIN (
	SELECT f.fault_key, count(*) AS jobs, count(*) FILTER (WHERE f.ordinal = 1) AS first_jobs,
		sum(f.occurrences) AS occurrences, count(*) FILTER (WHERE f.ordinal = 1 AND v.cause_from = 'report') AS reported_jobs,
		count(*) FILTER (WHERE f.ordinal = 1 AND v.cause_from = 'report' AND v.category = f.fault_category) AS right_jobs,
		min(f.first_seen) AS first_seen, max(f.first_seen) AS last_seen,
		(array_agg(f.job_id ORDER BY f.first_seen DESC NULLS LAST, f.job_id))[1] AS last_job
	FROM @extschema@.l4_findings f
	LEFT JOIN @extschema@.l4_failures v ON v.job_id = f.job_id
	WHERE f.newest AND f.kind = 'fault'
	GROUP BY f.fault_key) m ON m.fault_key = l.fault_key;
COMMENT ON VIEW @extschema@.l4_fault_statistics IS
'One row a fault of the library in force: in how many newest diagnoses it is, and how often a failure report or a person '
'agrees.';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.fault_key IS
'the fault';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.title IS
'what it is, in a few words';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.category IS
'hardware, user, framework, platform or noise';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.subtype IS
'subtype of the category';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.role IS
'root, cascade, confirmation or benign';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.severity IS
'info, warning, error or critical';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.builtin IS
'came with l4';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.overridden IS
'built in, with changes of this site';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.owner IS
'role that owns it';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.created_at IS
'when it came into the library';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.jobs IS
'jobs whose newest diagnosis has it';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.first_jobs IS
'jobs whose newest diagnosis has it in the first place';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.occurrences IS
'records that matched in these diagnoses';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.reported_jobs IS
'of first_jobs, those with a failure report that states the category of the root cause';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.right_jobs IS
'of reported_jobs, those whose report states the category of this fault';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.right_share IS
'right_jobs as a share of reported_jobs; NULL where none is reported';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.judged_right IS
'jobs in which people judged the match right';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.judged_wrong IS
'jobs in which people judged it wrong';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.first_seen IS
'time of its first record in any newest diagnosis';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.last_seen IS
'the latest of these times';
COMMENT ON COLUMN @extschema@.l4_fault_statistics.last_job IS
'the job of last_seen';

CREATE VIEW @extschema@.l4_pool_coverage WITH (security_invoker = true) AS
WITH job AS (
	SELECT j.settings AS matter, @extschema@.l4_pool_id(j.settings) # @extschema@.l4_tenant_salt(j.tenant) AS pool_id,
		count(*) AS jobs, count(*) FILTER (WHERE j.status = 'failed') AS failed_jobs,
		max(j.registered_at) AS last_registered_at
	FROM (SELECT @extschema@.l4_pool_settings(j.settings) AS settings, j.status, j.registered_at, j.tenant
		FROM @extschema@.l4_job j) j
	GROUP BY j.settings, j.tenant),
event AS (
	SELECT e.pool_id, count(*) AS shapes, count(DISTINCT e.event_id) AS events, sum(e.occurrences) AS occurrences
	FROM @extschema@.l4_pool_event e GROUP BY e.pool_id)
SELECT coalesce(p.pool_id, j.pool_id) AS pool_id, coalesce(p.settings, j.matter)::text AS settings,
	coalesce(p.settings, j.matter) ->> 'model' AS model, coalesce(p.settings, j.matter) ->> 'framework' AS framework,
	coalesce(p.job_count, 0) AS pool_jobs, coalesce(j.jobs, 0) AS jobs, coalesce(j.failed_jobs, 0) AS failed_jobs,
	coalesce(p.job_count, 0) > 0 AS covered, coalesce(e.shapes, 0) AS shapes, coalesce(e.events, 0) AS events,
	coalesce(e.occurrences, 0)::bigint AS occurrences, j.last_registered_at,
	coalesce(p.pool_id, j.pool_id)::text AS pool_id_text
FROM job j
FULL JOIN @extschema@.l4_pool p ON p.pool_id = j.pool_id
LEFT JOIN event e ON e.pool_id = p.pool_id;
COMMENT ON VIEW @extschema@.l4_pool_coverage IS
'One row a set of settings: has it a pool of successful jobs, and how many failed jobs lean on it? What is not covered is '
'compared with the most similar pool, or with none.';
COMMENT ON COLUMN @extschema@.l4_pool_coverage.pool_id IS
'the pool, or what it would be called';
COMMENT ON COLUMN @extschema@.l4_pool_coverage.settings IS
'the settings that decide, as JSON text';
COMMENT ON COLUMN @extschema@.l4_pool_coverage.model IS
'the setting "model"';
COMMENT ON COLUMN @extschema@.l4_pool_coverage.framework IS
'the setting "framework"';
COMMENT ON COLUMN @extschema@.l4_pool_coverage.pool_jobs IS
'successful jobs in the pool';
COMMENT ON COLUMN @extschema@.l4_pool_coverage.jobs IS
'jobs with these settings';
COMMENT ON COLUMN @extschema@.l4_pool_coverage.failed_jobs IS
'of these, failed';
COMMENT ON COLUMN @extschema@.l4_pool_coverage.covered IS
'is there a successful job to compare with?';
COMMENT ON COLUMN @extschema@.l4_pool_coverage.shapes IS
'shapes the pool knows';
COMMENT ON COLUMN @extschema@.l4_pool_coverage.events IS
'events the pool knows';
COMMENT ON COLUMN @extschema@.l4_pool_coverage.occurrences IS
'records its jobs hold';
COMMENT ON COLUMN @extschema@.l4_pool_coverage.last_registered_at IS
'when the last job with these settings was registered';
COMMENT ON COLUMN @extschema@.l4_pool_coverage.pool_id_text IS
'pool_id as text, for programs that take whole numbers for floating-point ones';

CREATE VIEW @extschema@.l4_lost_hours WITH (security_invoker = true) AS
SELECT f.job_id, f.owner, f.model, f.framework, f.category, f.subtype, f.suspect_node, f.nodes, f.ranks, f.started_at,
	f.failed_at, @extschema@.l4_seconds_between(f.started_at, f.failed_at) / 3600 AS hours,
	f.ranks * @extschema@.l4_seconds_between(f.started_at, f.failed_at) / 3600 AS accelerator_hours, f.began_at, f.last_save_at,
	f.ranks * @extschema@.l4_seconds_between(t.saved_at, f.failed_at) / 3600 AS lost_accelerator_hours,
	f.ranks * @extschema@.l4_seconds_between(t.began_at, f.failed_at) / 3600 AS idle_accelerator_hours,
	f.times_clamped OR t.began_at IS DISTINCT FROM f.began_at
		OR t.saved_at IS DISTINCT FROM COALESCE(f.last_save_at, f.started_at) AS times_clamped
FROM @extschema@.l4_failures f
-- nothing was saved, and nothing failed, before the job began or after its end
CROSS JOIN LATERAL (SELECT
	CASE WHEN f.last_save_at <= f.failed_at THEN GREATEST(f.last_save_at, f.started_at) ELSE f.started_at END AS saved_at,
	CASE WHEN f.began_at IS NOT NULL THEN LEAST(GREATEST(f.began_at, f.started_at), f.failed_at) END AS began_at) t;
COMMENT ON VIEW @extschema@.l4_lost_hours IS
'Accelerator hours of failed jobs: what they used, what of it no checkpoint saved, and what passed between the failure and '
'the end. Checkpoints and the beginning are those of the newest saved diagnosis.';
COMMENT ON COLUMN @extschema@.l4_lost_hours.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_lost_hours.owner IS
'role that registered it';
COMMENT ON COLUMN @extschema@.l4_lost_hours.model IS
'the setting "model"';
COMMENT ON COLUMN @extschema@.l4_lost_hours.framework IS
'the setting "framework"';
COMMENT ON COLUMN @extschema@.l4_lost_hours.category IS
'category of the root cause';
COMMENT ON COLUMN @extschema@.l4_lost_hours.subtype IS
'subtype of the root cause';
COMMENT ON COLUMN @extschema@.l4_lost_hours.suspect_node IS
'the first suspected node';
COMMENT ON COLUMN @extschema@.l4_lost_hours.nodes IS
'number of nodes';
COMMENT ON COLUMN @extschema@.l4_lost_hours.ranks IS
'number of ranks (accelerators)';
COMMENT ON COLUMN @extschema@.l4_lost_hours.started_at IS
'start of the job, or of its logs';
COMMENT ON COLUMN @extschema@.l4_lost_hours.failed_at IS
'end of the job, or of its logs';
COMMENT ON COLUMN @extschema@.l4_lost_hours.hours IS
'duration, hours';
COMMENT ON COLUMN @extschema@.l4_lost_hours.accelerator_hours IS
'ranks times duration, hours';
COMMENT ON COLUMN @extschema@.l4_lost_hours.began_at IS
'when the failure began';
COMMENT ON COLUMN @extschema@.l4_lost_hours.last_save_at IS
'when the job began to save its last checkpoint before that';
COMMENT ON COLUMN @extschema@.l4_lost_hours.lost_accelerator_hours IS
'of accelerator_hours those since the last checkpoint; all of them where none is known';
COMMENT ON COLUMN @extschema@.l4_lost_hours.idle_accelerator_hours IS
'of accelerator_hours those between the beginning of the failure and the end of the job; NULL where the beginning is not '
'known';
COMMENT ON COLUMN @extschema@.l4_lost_hours.times_clamped IS
'were times told wrongly (see l4_job_facts), or do the checkpoint or the beginning of the failure lie outside of the job? Then '
'hours are of the robust times, within the job';

CREATE VIEW @extschema@.l4_noise WITH (security_invoker = true) AS
SELECT e.event_id, v.template, e.pools, e.jobs, e.occurrences, e.mean_per_job,
	@extschema@.l4_text_gravity(v.template, (SELECT @extschema@.l4_wordings_in_force())) >= 4 AS sounds_grave,
	e.event_id::text AS event_id_text
FROM (
	SELECT p.event_id, count(DISTINCT p.pool_id) AS pools, sum(p.jobs)::bigint AS jobs,
		sum(p.occurrences)::bigint AS occurrences,
		(sum(p.occurrences) / nullif(sum(p.jobs), 0))::double precision AS mean_per_job
	FROM (
		SELECT COALESCE(h.event_id, p.event_id) AS event_id, p.pool_id, max(p.job_count) AS jobs,
			sum(p.occurrences) AS occurrences
		FROM @extschema@.l4_pool_event p LEFT JOIN @extschema@.l4_shape h ON h.shape_id = p.shape_id
		GROUP BY 1, 2) p
	GROUP BY p.event_id) e
LEFT JOIN @extschema@.l4_event v ON v.event_id = e.event_id;
COMMENT ON VIEW @extschema@.l4_noise IS
'What the filter takes out: events of the pools, by how often successful jobs log them. Noise worth silencing at its '
'source: WHERE sounds_grave ORDER BY occurrences DESC.';
COMMENT ON COLUMN @extschema@.l4_noise.event_id IS
'the event';
COMMENT ON COLUMN @extschema@.l4_noise.template IS
'its template';
COMMENT ON COLUMN @extschema@.l4_noise.pools IS
'pools that have it';
COMMENT ON COLUMN @extschema@.l4_noise.jobs IS
'successful jobs that log it (of its shapes, the most common in each pool)';
COMMENT ON COLUMN @extschema@.l4_noise.occurrences IS
'records in all pools';
COMMENT ON COLUMN @extschema@.l4_noise.mean_per_job IS
'records per job that logs it';
COMMENT ON COLUMN @extschema@.l4_noise.sounds_grave IS
'do its words sound like trouble?';
COMMENT ON COLUMN @extschema@.l4_noise.event_id_text IS
'event_id as text, for programs that take whole numbers for floating-point ones';
