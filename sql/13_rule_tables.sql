/*
 * The rules as rows, built-in ones and a site's own: see 49_rules_in_force.sql. The built-in rows stand with what they are
 * about (15_limits.sql, 16_wordings.sql, 20_formats.sql, 40_stage_rules.sql, 41_iteration_rules.sql, 43_pool_settings.sql).
 */

CREATE TABLE @extschema@.l4_pool_setting (
	key text NOT NULL,
	weight double precision NOT NULL DEFAULT 1 CHECK (weight > 0),
	builtin boolean NOT NULL DEFAULT false,
	enabled boolean NOT NULL DEFAULT true,
	PRIMARY KEY (key, builtin)
);
COMMENT ON TABLE @extschema@.l4_pool_setting IS
'The keys of a job''s settings that decide which jobs are comparable. Never scale, seed or host names.';
COMMENT ON COLUMN @extschema@.l4_pool_setting.key IS
'key of l4_job.settings; a site''s own row takes the place of the built-in one of the same key';
COMMENT ON COLUMN @extschema@.l4_pool_setting.weight IS
'how much an equal value counts where no pool has all keys equal';
COMMENT ON COLUMN @extschema@.l4_pool_setting.builtin IS
'came with l4';
COMMENT ON COLUMN @extschema@.l4_pool_setting.enabled IS
'counts; false in a site''s own row switches off the built-in one of the same key too';

CREATE TABLE @extschema@.l4_format (
	name text NOT NULL,
	kind text NOT NULL CHECK (@extschema@.l4_is_one_of(kind, 'kind', 'path', 'prefix', 'header')),
	priority int NOT NULL DEFAULT 100,
	pattern text NOT NULL,
	dominant boolean NOT NULL DEFAULT false,
	example text,
	builtin boolean NOT NULL DEFAULT false,
	enabled boolean NOT NULL DEFAULT true,
	PRIMARY KEY (name, builtin)
);
COMMENT ON TABLE @extschema@.l4_format IS
'Rules for the paths of files, and for prefixes and headers of lines, as PCRE2 patterns with named groups.';
COMMENT ON COLUMN @extschema@.l4_format.name IS
'name of the rule; a site''s own row takes the place of the built-in one of the same name';
COMMENT ON COLUMN @extschema@.l4_format.kind IS
'path (node, rank, number, member, local_rank, attempt, launcher, system, shared; number: a rank unless there are not so '
'many; member: a rank where the job''s nodes are known and the path names none), prefix (rank, local_rank, host; node: a host '
'that must be a node of the job; role_rank: a local rank, as are then all ranks with which lines of the file begin) or header '
'(ts and other parts of a time, of which the group time alone is a time of day whose day follows from the records before, '
'level, logger, component, file, module)';
COMMENT ON COLUMN @extschema@.l4_format.priority IS
'lower is tried first, then by name';
COMMENT ON COLUMN @extschema@.l4_format.pattern IS
'PCRE2 with named groups; prefixes and headers are anchored where the last prefix ended';
COMMENT ON COLUMN @extschema@.l4_format.dominant IS
'counts only in files where at least half of the first lines have it';
COMMENT ON COLUMN @extschema@.l4_format.example IS
'a text it matches';
COMMENT ON COLUMN @extschema@.l4_format.builtin IS
'came with l4';
COMMENT ON COLUMN @extschema@.l4_format.enabled IS
'takes part; false in a site''s own row switches off the built-in one of the same name too';

CREATE TABLE @extschema@.l4_stage_rule (
	name text NOT NULL,
	stage text NOT NULL CHECK (@extschema@.l4_is_one_of(stage, 'stage', VARIADIC @extschema@.l4_stages())),
	priority int NOT NULL DEFAULT 100,
	pattern text NOT NULL,
	example text,
	builtin boolean NOT NULL DEFAULT false,
	enabled boolean NOT NULL DEFAULT true,
	position text NOT NULL DEFAULT 'inside' CHECK (@extschema@.l4_is_one_of(position, 'position', 'inside', 'end')),
	PRIMARY KEY (name, builtin)
);
COMMENT ON TABLE @extschema@.l4_stage_rule IS
'Rules that tell from a record in which stage its stream is. Tried on the message with each parameter written as 1, in '
'order of priority. Of a stream that has named an iteration those of set-up count no more, until a tear-down or a rendezvous; '
'an iteration ends evaluations and checkpoints.';
COMMENT ON COLUMN @extschema@.l4_stage_rule.name IS
'name of the rule; a site''s own row takes the place of the built-in one of the same name';
COMMENT ON COLUMN @extschema@.l4_stage_rule.stage IS
'the stage it marks';
COMMENT ON COLUMN @extschema@.l4_stage_rule.priority IS
'lower is tried first, then by name';
COMMENT ON COLUMN @extschema@.l4_stage_rule.pattern IS
'PCRE2 pattern';
COMMENT ON COLUMN @extschema@.l4_stage_rule.example IS
'a message it matches';
COMMENT ON COLUMN @extschema@.l4_stage_rule.builtin IS
'came with l4';
COMMENT ON COLUMN @extschema@.l4_stage_rule.enabled IS
'takes part; false in a site''s own row switches off the built-in one of the same name too';
COMMENT ON COLUMN @extschema@.l4_stage_rule.position IS
'inside: what follows is of the stage, too; end: an evaluation or a checkpoint ends with the record, and what follows is of '
'the stage before';

CREATE TABLE @extschema@.l4_iteration_rule (
	name text NOT NULL,
	priority int NOT NULL DEFAULT 100,
	pattern text NOT NULL,
	position text NOT NULL DEFAULT 'inside' CHECK (@extschema@.l4_is_one_of(position, 'position', 'start', 'inside', 'end')),
	example text,
	builtin boolean NOT NULL DEFAULT false,
	enabled boolean NOT NULL DEFAULT true,
	PRIMARY KEY (name, builtin)
);
COMMENT ON TABLE @extschema@.l4_iteration_rule IS
'Rules that read the number of the iteration from a record. Tried on the message with each parameter written as 1; on a '
'match the number is read from the message itself.';
COMMENT ON COLUMN @extschema@.l4_iteration_rule.name IS
'name of the rule; a site''s own row takes the place of the built-in one of the same name';
COMMENT ON COLUMN @extschema@.l4_iteration_rule.priority IS
'lower is tried first, then by name';
COMMENT ON COLUMN @extschema@.l4_iteration_rule.pattern IS
'PCRE2 pattern with a group named iter';
COMMENT ON COLUMN @extschema@.l4_iteration_rule.position IS
'start: the record opens the iteration; inside: it belongs to it; end: the iteration ends with it';
COMMENT ON COLUMN @extschema@.l4_iteration_rule.example IS
'a message it matches';
COMMENT ON COLUMN @extschema@.l4_iteration_rule.builtin IS
'came with l4';
COMMENT ON COLUMN @extschema@.l4_iteration_rule.enabled IS
'takes part; false in a site''s own row switches off the built-in one of the same name too';

CREATE TABLE @extschema@.l4_mask (
	name text NOT NULL,
	priority int NOT NULL DEFAULT 100,
	pattern text NOT NULL,
	builtin boolean NOT NULL DEFAULT false,
	enabled boolean NOT NULL DEFAULT true,
	PRIMARY KEY (name, builtin)
);
COMMENT ON TABLE @extschema@.l4_mask IS
'The site''s own masks: what they match is a parameter, whatever the built-in scanner says. They apply to files imported '
'from then on.';
COMMENT ON COLUMN @extschema@.l4_mask.name IS
'name of the mask';
COMMENT ON COLUMN @extschema@.l4_mask.priority IS
'lower comes first among matches at one place, then by name';
COMMENT ON COLUMN @extschema@.l4_mask.pattern IS
'PCRE2 pattern';
COMMENT ON COLUMN @extschema@.l4_mask.builtin IS
'came with l4; there is none yet';
COMMENT ON COLUMN @extschema@.l4_mask.enabled IS
'takes part; false in a site''s own row switches off the built-in one of the same name too';

CREATE TABLE @extschema@.l4_limit (
	name text NOT NULL CHECK (name ~ '^[a-z][a-z0-9_]{0,62}$'),
	value double precision NOT NULL,
	unit text NOT NULL DEFAULT '',
	why text NOT NULL DEFAULT '',
	builtin boolean NOT NULL DEFAULT false,
	PRIMARY KEY (name, builtin)
);
COMMENT ON TABLE @extschema@.l4_limit IS
'The numbers that decide what the diagnosis says. l4_limits_in_force gathers them in one value.';
COMMENT ON COLUMN @extschema@.l4_limit.name IS
'what it limits; a row of a name that l4 does not know has no effect';
COMMENT ON COLUMN @extschema@.l4_limit.value IS
'the number';
COMMENT ON COLUMN @extschema@.l4_limit.unit IS
'what it counts: records, s, share of nodes, factor, ...';
COMMENT ON COLUMN @extschema@.l4_limit.why IS
'what depends on it, and why it is so large';
COMMENT ON COLUMN @extschema@.l4_limit.builtin IS
'came with l4';

CREATE TABLE @extschema@.l4_wording (
	name text NOT NULL,
	class text NOT NULL CHECK (class IN ('fatal', 'exception', 'trouble', 'ending', 'peer', 'together', 'complaint', 'closing',
		'advice', 'tolerated', 'setting', 'varying', 'identity', 'host', 'other_host', 'attempt', 'retry', 'disagreement',
		'itself', 'measured', 'host_name', 'device', 'headed', 'own_header', 'finished', 'recovered', 'lossy', 'outcome',
		'out_of', 'stage', 'component', 'grave_word', 'slowest', 'done', 'connections', 'short_handed', 'unreached', 'gave_up',
		'hung_up', 'referral', 'own_process', 'own_child', 'called_off', 'ended', 'gathered', 'announcing', 'led_by',
		'reference', 'ends_children', 'digest', 'timed', 'killed', 'stuck_sending', 'stuck_receiving', 'ring_back',
		'traceback', 'traceback_line', 'rank_then_host', 'host_then_rank', 'launching', 'calls_slowest')),
	stage text CHECK (stage = ANY (@extschema@.l4_stages())),
	priority int NOT NULL DEFAULT 100,
	pattern text NOT NULL,
	example text,
	builtin boolean NOT NULL DEFAULT false,
	enabled boolean NOT NULL DEFAULT true,
	component text CHECK (component ~ '^[a-z][a-z0-9_]*$'),
	PRIMARY KEY (name, builtin),
	CONSTRAINT l4_wording_component CHECK ((class = 'component') = (component IS NOT NULL)),
	CONSTRAINT l4_wording_stage CHECK ((class = 'stage') = (stage IS NOT NULL)),
	-- a bad pattern is refused where it is written; in parentheses, as it is used
	CONSTRAINT l4_wording_pattern_is_valid CHECK ('' ~ pattern IS NOT NULL AND '' ~ ('(?:' || pattern || ')') IS NOT NULL
		AND pattern !~ '\\[1-9]'),
	CONSTRAINT l4_wording_word CHECK (class <> 'grave_word' OR pattern ~ '^[A-Za-z]+$')
);
COMMENT ON TABLE @extschema@.l4_wording IS
'The wordings by which the diagnosis judges what a message says. l4_wordings_in_force gathers them in one value.';
COMMENT ON COLUMN @extschema@.l4_wording.name IS
'short name';
COMMENT ON COLUMN @extschema@.l4_wording.class IS
'what such a message says: fatal, exception, trouble (how grave it sounds), ending (told to end), peer (another one went '
'away), together (an operation of several ranks), complaint (something did not do what it should), closing (that '
'all ends, a hint, a ruler), advice (to programmers), tolerated (the program goes on), setting (a word before the value '
'of a setting), varying (a word before what is measured or counted), identity (before what processes have each their own of), '
'host (the name of one''s own host follows), '
'other_host (another''s host is meant), attempt (the number of a restart follows), retry (something smaller than the job is '
'tried again), disagreement (what ranks must have alike they do not), itself (a process crashed, and says so by '
'itself), measured (a value that is a measured time), '
'host_name, device (what a host may be called; what sounds so and is none), headed, own_header (statements of libraries '
'that print their host before them; and where it stands there), finished (a rank has done all its work), recovered (what '
'was amiss is well again), lossy (the name of a number that counts what gets lost between two '
'machines), connections (a record that counts what becomes of a machine''s connections), short_handed (only some of all are '
'there), unreached (no connection came about), gave_up (waiting is over), hung_up (a connection was ended at the other '
'side), referral (another''s log is to be read), own_process (a process of one''s own, by its number), '
'own_child (a process that one started oneself), launching (a call of a launcher), '
'calls_slowest (what stands before the names of those that are the slowest), '
'called_off (somebody ended the whole job), ended (how a '
'process ended that was told to), '
'gathered (one record stands for those of several processes), '
'announcing (what is wrong the next record says), led_by (who leads, where a script runs, or arguments), '
'reference (the rank with which another one is compared, or that reports of another one), '
'ends_children (a process ends those that it started), digest (what digests look like), timed (how long something took), '
'killed (a process was killed), stuck_sending, stuck_receiving (waiting to send, or to receive, was in vain), ring_back (of an '
'operation around a ring, in which each rank sends to the one before it), traceback, traceback_line (the heading of a '
'traceback without what stands below it, or a line below it, where lines of other processes parted them), rank_then_host, '
'host_then_rank (what stands between the number of a rank and the host that it is on, or between a host and the number), '
'outcome (the word before a number that says how something ended), out_of (what stands between a number and what '
'it is out of), stage (an error names its stage), component (or the code that failed), grave_word (kept apart while importing)';
COMMENT ON COLUMN @extschema@.l4_wording.stage IS
'of class stage: the stage that it names';
COMMENT ON COLUMN @extschema@.l4_wording.priority IS
'of the classes stage and component: lower is tried first, then by name';
COMMENT ON COLUMN @extschema@.l4_wording.pattern IS
'PostgreSQL regular expression without options and back references; case matters in the classes exception and advice '
'alone. Of class grave_word a word';
COMMENT ON COLUMN @extschema@.l4_wording.example IS
'a message that it matches';
COMMENT ON COLUMN @extschema@.l4_wording.builtin IS
'came with l4';
COMMENT ON COLUMN @extschema@.l4_wording.enabled IS
'false switches it off';
COMMENT ON COLUMN @extschema@.l4_wording.component IS
'of class component: what the code that failed is called: data_loader, checkpoint, communicator, ...';

CREATE TABLE @extschema@.l4_advice_rule (
	name text NOT NULL CHECK (name <> ''),
	priority int NOT NULL DEFAULT 50,
	action text NOT NULL CHECK (@extschema@.l4_is_one_of(action, 'action', 'none', 'watch', 'restart', 'wait', 'test', 'cordon',
		'reset', 'user', 'storage', 'network', 'look')),
	reason text NOT NULL,
	statuses text[],
	suspected boolean,
	evidence text[],
	roles text[] CHECK (roles <@ ARRAY['root', 'cascade', 'confirmation']),
	fault_keys text[],
	categories text[],
	subtypes text[],
	severities text[],
	recoveries text[],
	places text[] CHECK (places <@ ARRAY['suspect', 'one', 'some', 'all']),
	event_places text[] CHECK (event_places <@ ARRAY['suspect', 'one', 'some', 'all']),
	has_code_line boolean,
	least_confidence double precision CHECK (least_confidence BETWEEN 0 AND 1),
	ended_normally boolean,
	lossy boolean,
	builtin boolean NOT NULL DEFAULT false,
	enabled boolean NOT NULL DEFAULT true,
	PRIMARY KEY (name, builtin)
);
COMMENT ON TABLE @extschema@.l4_advice_rule IS
'What to do after a diagnosis: the first rule of which all conditions hold (a condition that is NULL always does) says it. '
'l4_advice_facts tells what the conditions are held against.';
COMMENT ON COLUMN @extschema@.l4_advice_rule.name IS
'name of the rule; a site''s own row takes the place of the built-in one of the same name';
COMMENT ON COLUMN @extschema@.l4_advice_rule.priority IS
'lower is tried first, then by name; a site''s own rule is tried before the built-in ones from 50 on by default';
COMMENT ON COLUMN @extschema@.l4_advice_rule.action IS
'none: nothing to do; watch: it still runs; restart as it is; wait until it may start again; test: restart elsewhere and '
'test the node; cordon: take the node out, restart elsewhere; reset the accelerator, then restart; call the user, the '
'storage or the network team; look: it is not known, look further';
COMMENT ON COLUMN @extschema@.l4_advice_rule.reason IS
'why, in a sentence that people read with the advice';
COMMENT ON COLUMN @extschema@.l4_advice_rule.statuses IS
'the job is running, succeeded, failed or unknown';
COMMENT ON COLUMN @extschema@.l4_advice_rule.suspected IS
'a node stands out (true), or none does';
COMMENT ON COLUMN @extschema@.l4_advice_rule.evidence IS
'kind of the strongest evidence against the suspect: missing, silent, quiet, named, accused, first, own, lag, behind, late, '
'counter, slow, setup, link, between, elsewhere, forest';
COMMENT ON COLUMN @extschema@.l4_advice_rule.roles IS
'part that the known fault plays in this job: root, cascade or confirmation';
COMMENT ON COLUMN @extschema@.l4_advice_rule.fault_keys IS
'the known fault';
COMMENT ON COLUMN @extschema@.l4_advice_rule.categories IS
'its category: hardware, user, framework or platform';
COMMENT ON COLUMN @extschema@.l4_advice_rule.subtypes IS
'its subtype';
COMMENT ON COLUMN @extschema@.l4_advice_rule.severities IS
'its severity: info, warning, error or critical';
COMMENT ON COLUMN @extschema@.l4_advice_rule.recoveries IS
'what brings back what failed: l4_fault.recovery';
COMMENT ON COLUMN @extschema@.l4_advice_rule.places IS
'where the fault shows: suspect (on the suspect alone, or about it), one (another node, or none is suspected), some, all';
COMMENT ON COLUMN @extschema@.l4_advice_rule.event_places IS
'where the first root event shows, likewise';
COMMENT ON COLUMN @extschema@.l4_advice_rule.has_code_line IS
'the fault, or else the first root event, names a line of the user''s code';
COMMENT ON COLUMN @extschema@.l4_advice_rule.least_confidence IS
'the finding that the rule rests on (the fault of a rule about faults, else the suspect) is as sure as this, 0 to 1';
COMMENT ON COLUMN @extschema@.l4_advice_rule.ended_normally IS
'all ranks say that they have done all their work, and nothing speaks of a failure';
COMMENT ON COLUMN @extschema@.l4_advice_rule.lossy IS
'among the evidence against the suspect is a counter of what gets lost between it and others (wordings of class lossy)';
COMMENT ON COLUMN @extschema@.l4_advice_rule.builtin IS
'came with l4';
COMMENT ON COLUMN @extschema@.l4_advice_rule.enabled IS
'takes part; false in a site''s own row switches off the built-in one of the same name too';

CREATE TABLE @extschema@.l4_link (
	name text NOT NULL CHECK (name <> ''),
	url text NOT NULL CHECK (@extschema@.l4_is_link(url)),
	priority int NOT NULL DEFAULT 50,
	builtin boolean NOT NULL DEFAULT false,
	enabled boolean NOT NULL DEFAULT true,
	PRIMARY KEY (name, builtin)
);
COMMENT ON TABLE @extschema@.l4_link IS
'Where a report leads to: pages of the scheduler, of dashboards, of tickets. None comes with l4.';
COMMENT ON COLUMN @extschema@.l4_link.name IS
'what readers see: Scheduler, Grafana, Ticket';
COMMENT ON COLUMN @extschema@.l4_link.url IS
'its address, https alone, with {job}, {node} (a suspect: such a link stands beside each), {from} and {to} (start and end of '
'the job in milliseconds since 1970) where these are to be put; a link whose parts are not known is left out';
COMMENT ON COLUMN @extschema@.l4_link.priority IS
'lower comes first, then by name';
COMMENT ON COLUMN @extschema@.l4_link.builtin IS
'came with l4: none does';
COMMENT ON COLUMN @extschema@.l4_link.enabled IS
'false switches it off';
