/*
 * The fault library, the failure reports and the diagnoses kept: what is known of faults, and what people and l4 found out
 * about failures.
 *
 * Built-in faults come from the extension's script and are never dumped; a later version brings better ones. So a site never
 * edits them. It writes beside them: its own faults (builtin false), which win over a built-in one of the same key, and
 * overrides, which change single columns of a built-in fault or switch it off. Both are dumped, and a restore or an upgrade can
 * neither lose nor double them, because a key may stand once among the built-in faults and once among the site's own. What is
 * in force is shown by the view l4_fault_library; that alone is matched.
 */

CREATE TABLE @extschema@.l4_fault (
	fault_key text NOT NULL CHECK (fault_key <> '' AND fault_key <> '*'),
	title text NOT NULL CHECK (title <> ''),
	category text NOT NULL
		CHECK (@extschema@.l4_is_one_of(category, 'category', 'hardware', 'user', 'framework', 'platform', 'noise')),
	subtype text NOT NULL,
	pattern text,
	events bigint[],
	in_order boolean NOT NULL DEFAULT false,
	stream_kinds text[] CHECK (stream_kinds <@ ARRAY['rank', 'launcher', 'system', 'shared', 'other']),
	min_node_share double precision CHECK (min_node_share BETWEEN 0 AND 1),
	max_node_share double precision CHECK (max_node_share BETWEEN 0 AND 1),
	within_time interval CHECK (within_time >= interval '0'),
	role text NOT NULL DEFAULT 'root'
		CHECK (@extschema@.l4_is_one_of(role, 'role', 'root', 'cascade', 'confirmation', 'benign')),
	severity text NOT NULL DEFAULT 'error'
		CHECK (@extschema@.l4_is_one_of(severity, 'severity', 'info', 'warning', 'error', 'critical')),
	priority int NOT NULL DEFAULT 100,
	root_cause text,
	fix text,
	state text NOT NULL DEFAULT 'confirmed' CHECK (@extschema@.l4_is_one_of(state, 'state', 'draft', 'confirmed', 'retired')),
	origin text,
	builtin boolean NOT NULL DEFAULT false,
	owner name NOT NULL DEFAULT current_user,
	created_by name NOT NULL DEFAULT current_user,
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_by name,
	updated_at timestamptz,
	recovery text CHECK (@extschema@.l4_is_one_of(recovery, 'recovery', 'none', 'follow', 'wait', 'restart_job', 'fix_job',
		'reset_device', 'restart_node', 'repair', 'replace', 'update', 'ask_vendor')),
	PRIMARY KEY (fault_key, builtin),
	CONSTRAINT l4_fault_has_a_pattern
		CHECK (COALESCE(pattern, 'none') <> '' AND (pattern IS NOT NULL OR COALESCE(cardinality(events), 0) > 0)),
	CONSTRAINT l4_fault_node_share CHECK (min_node_share <= max_node_share)
);
COMMENT ON TABLE @extschema@.l4_fault IS
'The fault library: what known faults look like in logs, with root cause and fix. Built-in rows are not to be edited (use '
'l4_override_fault or l4_retire_fault): they are replaced by upgrades and not dumped. What is matched is the view '
'l4_fault_library.';
COMMENT ON COLUMN @extschema@.l4_fault.fault_key IS
'short name; a site''s own confirmed fault wins over a built-in one of the same key';
COMMENT ON COLUMN @extschema@.l4_fault.title IS
'what it is, in a few words';
COMMENT ON COLUMN @extschema@.l4_fault.category IS
'hardware, user, framework, platform or noise';
COMMENT ON COLUMN @extschema@.l4_fault.subtype IS
'finer cause within the category, such as network, accelerator, node, storage, configuration, program_bug, '
'incompatibility, misoperation';
COMMENT ON COLUMN @extschema@.l4_fault.pattern IS
'PCRE2 pattern, matched against single records, which may have several lines; NULL where events alone tell';
COMMENT ON COLUMN @extschema@.l4_fault.events IS
'event_ids that must all be among what the filter left, beside the pattern; NULL for none';
COMMENT ON COLUMN @extschema@.l4_fault.in_order IS
'the events must begin in the order of "events"';
COMMENT ON COLUMN @extschema@.l4_fault.stream_kinds IS
'kinds of streams in which it may show (rank, launcher, system, shared, other); NULL for all';
COMMENT ON COLUMN @extschema@.l4_fault.min_node_share IS
'smallest share of the job''s nodes (0 to 1) that must show it; NULL for no limit';
COMMENT ON COLUMN @extschema@.l4_fault.max_node_share IS
'largest share of the job''s nodes (0 to 1) that may show it; NULL for no limit';
COMMENT ON COLUMN @extschema@.l4_fault.within_time IS
'longest time between the first and the last of the places where it first shows (one per node, or per event); NULL for no '
'limit';
COMMENT ON COLUMN @extschema@.l4_fault.role IS
'root: may be what it began with; cascade: follows from another failure; confirmation: a further sign of it; '
'benign: silences the records it matches';
COMMENT ON COLUMN @extschema@.l4_fault.severity IS
'info, warning, error or critical';
COMMENT ON COLUMN @extschema@.l4_fault.priority IS
'how specific it is, lower is more: about 50 for a site''s own, 100 for a certain fault, 200 for a general wording, 300 '
'for what every failure prints';
COMMENT ON COLUMN @extschema@.l4_fault.root_cause IS
'why it happens';
COMMENT ON COLUMN @extschema@.l4_fault.fix IS
'what to do';
COMMENT ON COLUMN @extschema@.l4_fault.state IS
'draft (not matched yet), confirmed (in force, unless l4_fault_override switches a built-in one off), or retired (matched '
'no more)';
COMMENT ON COLUMN @extschema@.l4_fault.origin IS
'where it came from: the job it was confirmed on, a document, a colleague';
COMMENT ON COLUMN @extschema@.l4_fault.builtin IS
'came with l4';
COMMENT ON COLUMN @extschema@.l4_fault.owner IS
'role to ask about it';
COMMENT ON COLUMN @extschema@.l4_fault.created_by IS
'role that added it';
COMMENT ON COLUMN @extschema@.l4_fault.created_at IS
'when it was added';
COMMENT ON COLUMN @extschema@.l4_fault.updated_by IS
'role that changed it last; NULL where never';
COMMENT ON COLUMN @extschema@.l4_fault.updated_at IS
'when it was changed last; NULL where never';
COMMENT ON COLUMN @extschema@.l4_fault.recovery IS
'what brings back what failed. none: nothing is to be done; follow: it tells of another fault, look for that; wait: it comes '
'back by itself; restart_job; fix_job: the code, data or settings of the job; reset_device; restart_node: reboot or '
'power-cycle; repair: look at cables, seats, cooling, power and links; replace: the device; update: driver, firmware or '
'library; ask_vendor. NULL where not known: category and role decide';

CREATE TABLE @extschema@.l4_fault_override (
	fault_key text PRIMARY KEY,
	switched_off boolean NOT NULL DEFAULT false,
	title text CHECK (title <> ''),
	role text CHECK (@extschema@.l4_is_one_of(role, 'role', 'root', 'cascade', 'confirmation', 'benign')),
	severity text CHECK (@extschema@.l4_is_one_of(severity, 'severity', 'info', 'warning', 'error', 'critical')),
	priority int,
	root_cause text,
	fix text,
	owner name,
	changed_by name NOT NULL DEFAULT current_user,
	changed_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE @extschema@.l4_fault_override IS
'What a site changed of built-in faults, or that it switched them off. Everything else of such a fault, its pattern first, '
'goes on coming from l4. Written by l4_override_fault, l4_retire_fault and l4_activate_fault.';
COMMENT ON COLUMN @extschema@.l4_fault_override.fault_key IS
'the built-in fault; a key that is not (or no longer) built in has no effect';
COMMENT ON COLUMN @extschema@.l4_fault_override.switched_off IS
'true: not matched';
COMMENT ON COLUMN @extschema@.l4_fault_override.title IS
'title instead; NULL keeps the built-in one';
COMMENT ON COLUMN @extschema@.l4_fault_override.role IS
'role instead; NULL keeps the built-in one';
COMMENT ON COLUMN @extschema@.l4_fault_override.severity IS
'severity instead; NULL keeps the built-in one';
COMMENT ON COLUMN @extschema@.l4_fault_override.priority IS
'priority instead; NULL keeps the built-in one';
COMMENT ON COLUMN @extschema@.l4_fault_override.root_cause IS
'root cause instead; NULL keeps the built-in one';
COMMENT ON COLUMN @extschema@.l4_fault_override.fix IS
'fix instead; NULL keeps the built-in one';
COMMENT ON COLUMN @extschema@.l4_fault_override.owner IS
'role to ask about it at this site';
COMMENT ON COLUMN @extschema@.l4_fault_override.changed_by IS
'role that changed it last';
COMMENT ON COLUMN @extschema@.l4_fault_override.changed_at IS
'when it was changed last';

CREATE TABLE @extschema@.l4_fault_explains (
	fault_key text NOT NULL CHECK (fault_key <> ''),
	explains text NOT NULL CHECK (explains <> '' AND explains <> fault_key),
	builtin boolean NOT NULL DEFAULT false,
	switched_off boolean NOT NULL DEFAULT false,
	PRIMARY KEY (fault_key, explains, builtin)
);
COMMENT ON TABLE @extschema@.l4_fault_explains IS
'Edges between faults: where the first is found, the second is its consequence and stands behind. A site''s own row of the '
'same two keys wins over the built-in one.';
COMMENT ON COLUMN @extschema@.l4_fault_explains.fault_key IS
'the fault that explains; * stands for every fault of a lower priority number than the explained one';
COMMENT ON COLUMN @extschema@.l4_fault_explains.explains IS
'the fault that is explained by it';
COMMENT ON COLUMN @extschema@.l4_fault_explains.builtin IS
'came with l4';
COMMENT ON COLUMN @extschema@.l4_fault_explains.switched_off IS
'true: the edge does not count; in a site''s own row it takes the built-in edge away';

CREATE TABLE @extschema@.l4_fault_history (
	fault_key text NOT NULL,
	changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	step text NOT NULL CHECK (step IN ('drafted', 'activated', 'retired', 'overridden', 'backtested', 'judged')),
	changed_by name NOT NULL DEFAULT current_user,
	note text,
	detail jsonb,
	tenant name,
	PRIMARY KEY (fault_key, changed_at, step)
);
COMMENT ON TABLE @extschema@.l4_fault_history IS
'Every step of a fault through the library, with who and when. Written by the functions that take these steps.';
COMMENT ON COLUMN @extschema@.l4_fault_history.fault_key IS
'the fault';
COMMENT ON COLUMN @extschema@.l4_fault_history.changed_at IS
'when';
COMMENT ON COLUMN @extschema@.l4_fault_history.step IS
'drafted, activated, retired, overridden, backtested or judged';
COMMENT ON COLUMN @extschema@.l4_fault_history.changed_by IS
'who';
COMMENT ON COLUMN @extschema@.l4_fault_history.note IS
'why, in words';
COMMENT ON COLUMN @extschema@.l4_fault_history.detail IS
'drafted and overridden: the new values; judged: the job and whether the match was right';

CREATE TABLE @extschema@.l4_fault_feedback (
	job_id text NOT NULL,
	fault_key text NOT NULL,
	is_right boolean NOT NULL,
	note text,
	given_by name NOT NULL DEFAULT current_user,
	given_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (job_id, fault_key)
);
COMMENT ON TABLE @extschema@.l4_fault_feedback IS
'Whether a fault that was matched in a job was right, as people judged. Written by l4_judge_fault and l4_confirm_fault.';
COMMENT ON COLUMN @extschema@.l4_fault_feedback.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_fault_feedback.fault_key IS
'the fault';
COMMENT ON COLUMN @extschema@.l4_fault_feedback.is_right IS
'true: the job had that fault';
COMMENT ON COLUMN @extschema@.l4_fault_feedback.note IS
'why, in words';
COMMENT ON COLUMN @extschema@.l4_fault_feedback.given_by IS
'who judged';
COMMENT ON COLUMN @extschema@.l4_fault_feedback.given_at IS
'when';

-- The fields of the paper's failure report (Jiang et al., section 2.2); columns that count or compare are scalar, the rest is
-- text or JSON.
CREATE TABLE @extschema@.l4_failure_report (
	job_id text NOT NULL CHECK (job_id <> ''),
	report_id text NOT NULL DEFAULT '1' CHECK (report_id <> ''),
	job_metadata jsonb,
	hardware_resource text,
	accelerator_type text,
	accelerator_count int CHECK (accelerator_count > 0),
	software_environment text,
	description text,
	symptom text CHECK (@extschema@.l4_is_one_of(symptom, 'symptom', 'launching failure', 'training crash',
		'abnormal behaviour', 'other')),
	monitoring_data jsonb,
	lead text,
	root_cause_category text,
	root_cause_subtype text,
	root_cause text,
	fault_key text,
	procedure text,
	fix text,
	status text NOT NULL DEFAULT 'open'
		CHECK (@extschema@.l4_is_one_of(status, 'status', 'open', 'diagnosed', 'resolved', 'rejected')),
	faulty_nodes text[],
	failed_at timestamptz,
	reported_at timestamptz NOT NULL DEFAULT now(),
	diagnosed_at timestamptz,
	resolved_at timestamptz,
	reported_by name NOT NULL DEFAULT current_user,
	diagnosed_by name,
	PRIMARY KEY (job_id, report_id)
);
COMMENT ON TABLE @extschema@.l4_failure_report IS
'What people reported of a failure and found out about it: symptom, cause, procedure, fix, times. Joined with findings by '
'job_id. Filled by INSERT, by COPY from CSV, or by l4_import_failure_reports from JSON.';
COMMENT ON COLUMN @extschema@.l4_failure_report.job_id IS
'the job; it need not be known to l4';
COMMENT ON COLUMN @extschema@.l4_failure_report.report_id IS
'number or name of the report within the job';
COMMENT ON COLUMN @extschema@.l4_failure_report.job_metadata IS
'the job: name, user, queue, parameters, ... as JSON';
COMMENT ON COLUMN @extschema@.l4_failure_report.hardware_resource IS
'hardware it ran on, in words';
COMMENT ON COLUMN @extschema@.l4_failure_report.accelerator_type IS
'type of its accelerators';
COMMENT ON COLUMN @extschema@.l4_failure_report.accelerator_count IS
'number of its accelerators';
COMMENT ON COLUMN @extschema@.l4_failure_report.software_environment IS
'image, framework, libraries and drivers, in words';
COMMENT ON COLUMN @extschema@.l4_failure_report.description IS
'what the user saw, free text';
COMMENT ON COLUMN @extschema@.l4_failure_report.symptom IS
'launching failure, training crash, abnormal behaviour or other';
COMMENT ON COLUMN @extschema@.l4_failure_report.monitoring_data IS
'what monitoring showed at the time, as JSON';
COMMENT ON COLUMN @extschema@.l4_failure_report.lead IS
'the first indication that led to the cause, such as a log line';
COMMENT ON COLUMN @extschema@.l4_failure_report.root_cause_category IS
'hardware, user, framework, platform or other words';
COMMENT ON COLUMN @extschema@.l4_failure_report.root_cause_subtype IS
'finer cause within the category';
COMMENT ON COLUMN @extschema@.l4_failure_report.root_cause IS
'root cause in words';
COMMENT ON COLUMN @extschema@.l4_failure_report.fault_key IS
'the fault of the library that it was, NULL where of none';
COMMENT ON COLUMN @extschema@.l4_failure_report.procedure IS
'how it was diagnosed';
COMMENT ON COLUMN @extschema@.l4_failure_report.fix IS
'what was done';
COMMENT ON COLUMN @extschema@.l4_failure_report.status IS
'open, diagnosed, resolved, or rejected (no failure after all)';
COMMENT ON COLUMN @extschema@.l4_failure_report.faulty_nodes IS
'nodes found faulty';
COMMENT ON COLUMN @extschema@.l4_failure_report.failed_at IS
'when the job failed';
COMMENT ON COLUMN @extschema@.l4_failure_report.reported_at IS
'when it was reported';
COMMENT ON COLUMN @extschema@.l4_failure_report.diagnosed_at IS
'when the cause was known';
COMMENT ON COLUMN @extschema@.l4_failure_report.resolved_at IS
'when it was resolved';
COMMENT ON COLUMN @extschema@.l4_failure_report.reported_by IS
'who reported';
COMMENT ON COLUMN @extschema@.l4_failure_report.diagnosed_by IS
'who found the cause';

-- A diagnosis kept (l4_save_diagnosis); its findings are rows of l4_finding.
CREATE TABLE @extschema@.l4_diagnosis (
	job_id text NOT NULL,
	saved_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	saved_by name NOT NULL DEFAULT current_user,
	version text NOT NULL,
	use_pool boolean NOT NULL DEFAULT true,
	pool_id bigint,
	pool_jobs int,
	pool_fit double precision,
	records bigint NOT NULL DEFAULT 0,
	findings int NOT NULL DEFAULT 0,
	verdict text,
	restart_action text,
	restart_target text,
	restart_advice text,
	began_at timestamptz,
	last_save_at timestamptz,
	last_save_iteration bigint,
	limits jsonb NOT NULL DEFAULT '{}',
	wordings text[] NOT NULL DEFAULT '{}',
	PRIMARY KEY (job_id, saved_at)
);
COMMENT ON TABLE @extschema@.l4_diagnosis IS
'Diagnoses kept by l4_save_diagnosis: with what they were made, and what they say in a sentence. Their findings are in '
'l4_finding. Of several of a job the newest counts.';
COMMENT ON COLUMN @extschema@.l4_diagnosis.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_diagnosis.saved_at IS
'when, as in l4_finding';
COMMENT ON COLUMN @extschema@.l4_diagnosis.saved_by IS
'who saved it';
COMMENT ON COLUMN @extschema@.l4_diagnosis.version IS
'version of l4 that made it';
COMMENT ON COLUMN @extschema@.l4_diagnosis.use_pool IS
'parameter of l4_diagnose: were successful jobs compared with?';
COMMENT ON COLUMN @extschema@.l4_diagnosis.pool_id IS
'the pool it was compared with, NULL for none';
COMMENT ON COLUMN @extschema@.l4_diagnosis.pool_jobs IS
'successful jobs in that pool at the time';
COMMENT ON COLUMN @extschema@.l4_diagnosis.pool_fit IS
'how alike the settings of that pool are, 1 for the same';
COMMENT ON COLUMN @extschema@.l4_diagnosis.records IS
'records of the job that had been read at the time';
COMMENT ON COLUMN @extschema@.l4_diagnosis.findings IS
'number of findings';
COMMENT ON COLUMN @extschema@.l4_diagnosis.verdict IS
'the diagnosis in a sentence, as l4_report has it';
COMMENT ON COLUMN @extschema@.l4_diagnosis.restart_action IS
'what to do: an action of l4_advice_rule; saved before 0.2: restart, replace, fix or none';
COMMENT ON COLUMN @extschema@.l4_diagnosis.restart_target IS
'the node to replace, or what is to be fixed';
COMMENT ON COLUMN @extschema@.l4_diagnosis.restart_advice IS
'the advice in words';
COMMENT ON COLUMN @extschema@.l4_diagnosis.began_at IS
'when the failure began, NULL where no time is known';
COMMENT ON COLUMN @extschema@.l4_diagnosis.last_save_at IS
'when the job began to save its last checkpoint before that, NULL where none is known';
COMMENT ON COLUMN @extschema@.l4_diagnosis.last_save_iteration IS
'after which iteration';
COMMENT ON COLUMN @extschema@.l4_diagnosis.limits IS
'the site''s own limits (l4_limit) that were in force, as a JSON object of names and values; empty where all were built in';
COMMENT ON COLUMN @extschema@.l4_diagnosis.wordings IS
'names of the site''s own wordings (l4_wording) that were in force or switched built-in ones off';

-- l4_fault and l4_failure_report are registered with the other tables; one call a statement.
SELECT pg_extension_config_dump('@extschema@.l4_fault_override', '');
SELECT pg_extension_config_dump('@extschema@.l4_fault_explains', 'WHERE NOT builtin');
SELECT pg_extension_config_dump('@extschema@.l4_fault_history', '');
SELECT pg_extension_config_dump('@extschema@.l4_fault_feedback', '');
SELECT pg_extension_config_dump('@extschema@.l4_diagnosis', '');

CREATE TABLE @extschema@.l4_finding (
	job_id text NOT NULL,
	saved_at timestamptz NOT NULL DEFAULT now(),
	kind text NOT NULL,
	ordinal int NOT NULL,
	score double precision,
	node text,
	rank int,
	stage text,
	iteration bigint,
	event_id bigint,
	template text,
	first_seen timestamptz,
	occurrences bigint,
	nodes_affected int,
	evidence text,
	explanation text,
	fault_key text,
	root_cause text,
	fix text,
	role text,
	severity text,
	category text,
	facts jsonb,
	component text,
	confidence double precision,
	attempt int,
	PRIMARY KEY (job_id, saved_at, kind, ordinal)
);
COMMENT ON TABLE @extschema@.l4_finding IS
'Saved diagnoses: the rows of l4_diagnose at a time. Written by l4_save_diagnosis.';
COMMENT ON COLUMN @extschema@.l4_finding.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_finding.saved_at IS
'when the diagnosis was saved; the rows of one diagnosis share it';
COMMENT ON COLUMN @extschema@.l4_finding.kind IS
'fault, event, node, stage or iteration';
COMMENT ON COLUMN @extschema@.l4_finding.ordinal IS
'place within its kind, from 1, most telling first';
COMMENT ON COLUMN @extschema@.l4_finding.score IS
'what it is ordered by, larger is more telling; comparable within a kind';
COMMENT ON COLUMN @extschema@.l4_finding.node IS
'the node it points at, NULL where none';
COMMENT ON COLUMN @extschema@.l4_finding.rank IS
'the rank it points at, NULL where none';
COMMENT ON COLUMN @extschema@.l4_finding.stage IS
'the stage it is of';
COMMENT ON COLUMN @extschema@.l4_finding.iteration IS
'the iteration it is of';
COMMENT ON COLUMN @extschema@.l4_finding.event_id IS
'the event it is of';
COMMENT ON COLUMN @extschema@.l4_finding.template IS
'the template of the event';
COMMENT ON COLUMN @extschema@.l4_finding.first_seen IS
'when it shows first';
COMMENT ON COLUMN @extschema@.l4_finding.occurrences IS
'number of records';
COMMENT ON COLUMN @extschema@.l4_finding.nodes_affected IS
'number of nodes that have it';
COMMENT ON COLUMN @extschema@.l4_finding.evidence IS
'records that say so, as source:line: text';
COMMENT ON COLUMN @extschema@.l4_finding.explanation IS
'in a sentence, why';
COMMENT ON COLUMN @extschema@.l4_finding.fault_key IS
'the known fault, for kind fault';
COMMENT ON COLUMN @extschema@.l4_finding.root_cause IS
'its root cause';
COMMENT ON COLUMN @extschema@.l4_finding.fix IS
'its fix';
COMMENT ON COLUMN @extschema@.l4_finding.role IS
'of an event: root, cascade or context, of a fault: root, cascade or confirmation (see l4_diagnose); NULL for other kinds';
COMMENT ON COLUMN @extschema@.l4_finding.severity IS
'of a fault: info, warning, error or critical';
COMMENT ON COLUMN @extschema@.l4_finding.category IS
'of a fault: hardware, user, framework or platform';
COMMENT ON COLUMN @extschema@.l4_finding.facts IS
'what the finding rests on, as data: what explanation and evidence are made of (70_sentences.sql names the keys); NULL in '
'findings saved by a version before 0.2';
COMMENT ON COLUMN @extschema@.l4_finding.component IS
'what the code is called that failed (wordings of class component), of root events, their faults and stages; NULL where the '
'record does not say';
COMMENT ON COLUMN @extschema@.l4_finding.confidence IS
'of a node, a fault and an iteration: how likely it is right, 0 to 1 (see l4_diagnose); NULL for other kinds, and in findings '
'saved by a version before 0.2';
COMMENT ON COLUMN @extschema@.l4_finding.attempt IS
'of a job that was started again, which of its attempts it is of, from 1; NULL where there was one';

-- What is known of failures, to measure diagnoses by: see 74_evaluate.sql.
CREATE TABLE @extschema@.l4_label (
	job_id text NOT NULL,
	label_no int NOT NULL,
	kind text NOT NULL CHECK (@extschema@.l4_is_one_of(kind, 'kind', 'event', 'node', 'stage', 'iteration')),
	role text CHECK (@extschema@.l4_is_one_of(role, 'role', 'root', 'effect', 'neutral')),
	source_glob text,
	pattern text,
	node text,
	stage text CHECK (@extschema@.l4_is_one_of(stage, 'stage', VARIADIC @extschema@.l4_stages())),
	iteration bigint,
	note text,
	PRIMARY KEY (job_id, label_no),
	CONSTRAINT l4_label_event
		CHECK ((kind = 'event') = (pattern IS NOT NULL) AND (kind = 'event' OR source_glob IS NULL AND role IS NULL)),
	CONSTRAINT l4_label_node CHECK (kind = 'node' OR node IS NULL),
	CONSTRAINT l4_label_stage CHECK ((kind = 'stage') = (stage IS NOT NULL)),
	CONSTRAINT l4_label_iteration CHECK ((kind = 'iteration') = (iteration IS NOT NULL))
);
COMMENT ON TABLE @extschema@.l4_label IS
'What is known of a failure, to measure diagnoses by (l4_evaluate): one row a label. Filled by the user.';
COMMENT ON COLUMN @extschema@.l4_label.job_id IS
'the job';
COMMENT ON COLUMN @extschema@.l4_label.label_no IS
'a number of the user''s choice, unique within the job';
COMMENT ON COLUMN @extschema@.l4_label.kind IS
'event: lines that tell of the failure; node: a node at fault; stage, iteration: where it began (of several, each is right)';
COMMENT ON COLUMN @extschema@.l4_label.role IS
'of an event label: root (says what went wrong, or where), effect (a direct consequence), neutral (belongs to the failure '
'and tells nothing: neither a hit nor a mistake); NULL counts as root. root and effect are scored alike';
COMMENT ON COLUMN @extschema@.l4_label.source_glob IS
'of an event label: the files in which it counts, as a glob on the path in the imported folder (* and ? also match /); '
'NULL: all';
COMMENT ON COLUMN @extschema@.l4_label.pattern IS
'of an event label: a PCRE2 pattern, searched for in each physical line';
COMMENT ON COLUMN @extschema@.l4_label.node IS
'of a node label: the node at fault; NULL: the failure is of no single node, none is to be blamed';
COMMENT ON COLUMN @extschema@.l4_label.stage IS
'of a stage label: the stage';
COMMENT ON COLUMN @extschema@.l4_label.iteration IS
'of an iteration label: the iteration, as the logs count it';
COMMENT ON COLUMN @extschema@.l4_label.note IS
'anything a person wants to say of it';
