/*
 * Tables of the live diagnosis of flows (79_flow_watch.sql): where it is, what it carries from one window into the next, and
 * what it found. Only the last is for people.
 */
CREATE TABLE @extschema@.l4_flow_watch (
	only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
	upto timestamptz NOT NULL CHECK (isfinite(upto)),
	windows bigint NOT NULL DEFAULT 0,
	flows bigint NOT NULL DEFAULT 0,
	late bigint NOT NULL DEFAULT 0,
	jobs bigint NOT NULL DEFAULT 0,
	called_at timestamptz,
	tenant name
);
COMMENT ON TABLE @extschema@.l4_flow_watch IS
'How far l4_watch_flows is: one row, which it makes at its first call. To begin at another time than that of the first flows, '
'insert a row with upto alone before; to begin anew, empty all tables whose names begin with l4_flow_watch.';
COMMENT ON COLUMN @extschema@.l4_flow_watch.only_row IS 'true';
COMMENT ON COLUMN @extschema@.l4_flow_watch.upto IS 'all flows that began before are read, or late';
COMMENT ON COLUMN @extschema@.l4_flow_watch.windows IS 'windows read so far';
COMMENT ON COLUMN @extschema@.l4_flow_watch.flows IS 'rows of l4_flow read so far, each once';
COMMENT ON COLUMN @extschema@.l4_flow_watch.late IS
'rows that came when their window had been read, and are not; a window is counted once, some windows later (limit '
'flow_watch_late)';
COMMENT ON COLUMN @extschema@.l4_flow_watch.jobs IS 'jobs seen so far';
COMMENT ON COLUMN @extschema@.l4_flow_watch.called_at IS 'when a call last read a window';
COMMENT ON COLUMN @extschema@.l4_flow_watch.tenant IS 'NULL: where tenants are kept apart, for the owner of the tables alone';
SELECT pg_extension_config_dump('@extschema@.l4_flow_watch', '');

CREATE TABLE @extschema@.l4_flow_watch_window (
	window_began timestamptz PRIMARY KEY,
	window_ended timestamptz NOT NULL,
	flows bigint NOT NULL,
	late bigint,
	tenant name
);
COMMENT ON TABLE @extschema@.l4_flow_watch_window IS
'The windows that l4_watch_flows has read, but for old ones (limit flow_watch_keep).';
COMMENT ON COLUMN @extschema@.l4_flow_watch_window.window_began IS 'when it began';
COMMENT ON COLUMN @extschema@.l4_flow_watch_window.window_ended IS 'when it ended; what began just then is of the next one';
COMMENT ON COLUMN @extschema@.l4_flow_watch_window.flows IS 'rows of l4_flow read';
COMMENT ON COLUMN @extschema@.l4_flow_watch_window.late IS
'rows that came later, and are not read; NULL: not counted yet (limit flow_watch_late)';
COMMENT ON COLUMN @extschema@.l4_flow_watch_window.tenant IS
'NULL: where tenants are kept apart, for the owner of the tables alone';
SELECT pg_extension_config_dump('@extschema@.l4_flow_watch_window', '');

CREATE TABLE @extschema@.l4_flow_watch_job (
	job bigint PRIMARY KEY,
	first_seen timestamptz NOT NULL,
	last_seen timestamptz NOT NULL,
	addresses text[] COLLATE "C" NOT NULL,
	period double precision,
	steps bigint NOT NULL,
	last_step timestamptz,
	keep_from timestamptz NOT NULL,
	silent_since timestamptz,
	tenant name
);
COMMENT ON TABLE @extschema@.l4_flow_watch_job IS
'The jobs that l4_watch_flows sees. A job is that of the window before where enough of its accelerators are the same (limit '
'flow_watch_overlap); one that was told to be silent is forgotten after some windows (limit flow_watch_forget).';
COMMENT ON COLUMN @extschema@.l4_flow_watch_job.job IS 'number of the job, the same in all windows';
COMMENT ON COLUMN @extschema@.l4_flow_watch_job.first_seen IS 'when its first message began that was seen';
COMMENT ON COLUMN @extschema@.l4_flow_watch_job.last_seen IS 'when its last one began';
COMMENT ON COLUMN @extschema@.l4_flow_watch_job.addresses IS 'addresses of its accelerators';
COMMENT ON COLUMN @extschema@.l4_flow_watch_job.period IS 'seconds a step takes; NULL where none is seen';
COMMENT ON COLUMN @extschema@.l4_flow_watch_job.steps IS 'whole steps seen so far';
COMMENT ON COLUMN @extschema@.l4_flow_watch_job.last_step IS 'when the last of them ended';
COMMENT ON COLUMN @extschema@.l4_flow_watch_job.keep_from IS 'its records from then on are kept for the next window';
COMMENT ON COLUMN @extschema@.l4_flow_watch_job.silent_since IS
'since when it sends nothing, where that was told; NULL: it goes on, as far as is known';
COMMENT ON COLUMN @extschema@.l4_flow_watch_job.tenant IS
'whose all its accelerators are; NULL: of none, or of several';
SELECT pg_extension_config_dump('@extschema@.l4_flow_watch_job', '');

CREATE TABLE @extschema@.l4_flow_watch_tail (
	one text COLLATE "C" NOT NULL,
	other text COLLATE "C" NOT NULL,
	window_ended timestamptz NOT NULL,
	flows bigint NOT NULL,
	forth bytea,
	back bytea,
	tenant name,
	PRIMARY KEY (one, other, window_ended)
);
ALTER TABLE @extschema@.l4_flow_watch_tail ALTER forth SET STORAGE EXTERNAL, ALTER back SET STORAGE EXTERNAL;
COMMENT ON TABLE @extschema@.l4_flow_watch_tail IS
'Records that l4_watch_flows keeps for the next window, so that no flow is read twice: of each job some steps (limits '
'flow_watch_steps, flow_watch_windows). A row for each pair of addresses and window.';
COMMENT ON COLUMN @extschema@.l4_flow_watch_tail.one IS 'the lesser of the two addresses';
COMMENT ON COLUMN @extschema@.l4_flow_watch_tail.other IS 'the greater';
COMMENT ON COLUMN @extschema@.l4_flow_watch_tail.window_ended IS 'when the window ended that they are of';
COMMENT ON COLUMN @extschema@.l4_flow_watch_tail.flows IS 'rows of l4_flow that they were';
COMMENT ON COLUMN @extschema@.l4_flow_watch_tail.forth IS 'what went from one to other: a state of l4_flow_messages_state';
COMMENT ON COLUMN @extschema@.l4_flow_watch_tail.back IS 'what went from other to one';
COMMENT ON COLUMN @extschema@.l4_flow_watch_tail.tenant IS
'NULL: where tenants are kept apart, for the owner of the tables alone';
SELECT pg_extension_config_dump('@extschema@.l4_flow_watch_tail', '');

CREATE TABLE @extschema@.l4_flow_step_time (
	window_began timestamptz NOT NULL,
	window_ended timestamptz NOT NULL,
	job bigint NOT NULL,
	accelerators int NOT NULL,
	steps bigint NOT NULL,
	step_seconds double precision,
	flows bigint NOT NULL,
	findings bigint NOT NULL,
	tenant name,
	PRIMARY KEY (window_began, job)
);
COMMENT ON TABLE @extschema@.l4_flow_step_time IS
'How the jobs that l4_watch_flows sees get on: a row for each job and window in which it sent anything. Old ones are taken out'
' (limit flow_watch_keep).';
COMMENT ON COLUMN @extschema@.l4_flow_step_time.window_began IS 'when the window began';
COMMENT ON COLUMN @extschema@.l4_flow_step_time.window_ended IS 'when it ended';
COMMENT ON COLUMN @extschema@.l4_flow_step_time.job IS 'number of the job, the same in all windows (l4_flow_watch_job)';
COMMENT ON COLUMN @extschema@.l4_flow_step_time.accelerators IS 'how many accelerators it has';
COMMENT ON COLUMN @extschema@.l4_flow_step_time.steps IS
'steps that ended, each counted in one window: with its data-parallel phase and some silence behind it';
COMMENT ON COLUMN @extschema@.l4_flow_step_time.step_seconds IS 'seconds they took, the median; NULL: none ended';
COMMENT ON COLUMN @extschema@.l4_flow_step_time.flows IS 'rows of l4_flow between its accelerators that began in the window';
COMMENT ON COLUMN @extschema@.l4_flow_step_time.findings IS 'rows of l4_flow_watch_finding of this window and job';
COMMENT ON COLUMN @extschema@.l4_flow_step_time.tenant IS 'whose all its accelerators are; NULL: of none, or of several';
SELECT pg_extension_config_dump('@extschema@.l4_flow_step_time', '');

CREATE TABLE @extschema@.l4_flow_watch_finding (
	window_began timestamptz NOT NULL,
	window_ended timestamptz NOT NULL,
	ordinal int NOT NULL,
	job bigint,
	kind text NOT NULL,
	subject text,
	began timestamptz,
	ended timestamptz,
	factor double precision,
	confidence double precision,
	facts jsonb,
	sentence text,
	tenant name,
	PRIMARY KEY (window_began, ordinal)
);
COMMENT ON TABLE @extschema@.l4_flow_watch_finding IS
'What l4_watch_flows found slow or silent, as l4_flow_diagnose tells it, in each window in which it was so; that a job is '
'silent, once. Old ones are taken out (limit flow_watch_keep).';
COMMENT ON COLUMN @extschema@.l4_flow_watch_finding.window_began IS 'when the window began';
COMMENT ON COLUMN @extschema@.l4_flow_watch_finding.window_ended IS 'when it ended';
COMMENT ON COLUMN @extschema@.l4_flow_watch_finding.ordinal IS
'place among the findings of the window, from 1, the surest first';
COMMENT ON COLUMN @extschema@.l4_flow_watch_finding.job IS
'number of the job, the same in all windows (l4_flow_watch_job); NULL: several have it';
COMMENT ON COLUMN @extschema@.l4_flow_watch_finding.kind IS
'what it is: a kind of l4_flow_diagnose, or silent: the job sends nothing, and of no accelerator it is known why';
COMMENT ON COLUMN @extschema@.l4_flow_watch_finding.subject IS
'an address, a link, a server, a switch; that of silent is the job';
COMMENT ON COLUMN @extschema@.l4_flow_watch_finding.began IS 'since when';
COMMENT ON COLUMN @extschema@.l4_flow_watch_finding.ended IS 'until when, as far as it was seen; NULL: it goes on';
COMMENT ON COLUMN @extschema@.l4_flow_watch_finding.factor IS
'of the usual rate (links, switches) or time (accelerators, steps)';
COMMENT ON COLUMN @extschema@.l4_flow_watch_finding.confidence IS '0 to 1, a rule of thumb';
COMMENT ON COLUMN @extschema@.l4_flow_watch_finding.facts IS 'numbers behind it; times in seconds since 1970';
COMMENT ON COLUMN @extschema@.l4_flow_watch_finding.sentence IS 'for people';
COMMENT ON COLUMN @extschema@.l4_flow_watch_finding.tenant IS
'whose all accelerators of the job are; NULL: of none, or of several';
SELECT pg_extension_config_dump('@extschema@.l4_flow_watch_finding', '');
