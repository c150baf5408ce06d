# The site's own part of the fault library, reports and findings survive dump and restore, equal and not doubled; built-in
# faults are not dumped.
use strict;
use warnings;
use FaultJobs qw(load_fault_jobs);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('faults');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\n");
$node->start;
load_fault_jobs($node, 'before');

# a fault of each kind: confirmed, draft, retired; a built-in one overridden, switched off, replaced; edges, feedback, reports,
# findings
$node->safe_psql('before', q{
	SELECT l4_confirm_fault('pump-1', 'coolant_pump', 'Coolant pump stalled', 'The pump stands still', 'Replace it', 'hardware',
		'node', pattern => 'pump \d+ stalled',
		explains => '{conn_reset}', note => 'first', activate => true);
	SELECT l4_confirm_fault('pump-2', 'a_draft', 'A draft', 'why', 'what', 'hardware', 'node',
		events => ARRAY(SELECT event_id FROM l4_diagnose('pump-2') WHERE kind = 'event' ORDER BY ordinal LIMIT 2),
			stream_kinds => '{rank,system}', within_time => '1 min');
	SELECT l4_confirm_fault('oom', 'an_old_one', E'Odd \\ \t "title"', NULL, 'it''s over', 'user', 's',
		pattern => 'CUDA out of memory', activate => true);
	SELECT l4_retire_fault('an_old_one', 'not needed');
	SELECT l4_override_fault('cuda_oom', severity => 'critical', fix => 'Call us', note => 'rule 7');
	SELECT l4_retire_fault('conn_refused');
	INSERT INTO l4_fault (fault_key, title, category, subtype, pattern, root_cause)
	VALUES ('enospc', 'Disk full, our words', 'user', 'disk', 'No space left', 'ours');
	INSERT INTO l4_fault_explains (fault_key, explains, switched_off) VALUES ('nic_link_down', 'heartbeat_lost', true);
	SELECT l4_judge_fault('pump-2', 'coolant_pump', true);
	SELECT l4_save_diagnosis('pump-1'), l4_save_diagnosis('pump-2'), l4_save_diagnosis('oom');
	SELECT l4_import_failure_reports('[{"job_id": "pump-1", "symptom": "training crash", "root_cause": "pump", "faulty_nodes": '
		'["node-c"], "monitoring_data": {"flow": [1, 2.5, null]}},
		{"job_id": "elsewhere", "report_id": "7", "status": "rejected"}]');
	SELECT count(*) FROM l4_backtest_fault(fault_key => 'coolant_pump');
	INSERT INTO l4_format (name, kind, pattern, enabled) SELECT name, kind, pattern, false
	FROM l4_format WHERE name = (SELECT min(name) FROM l4_format WHERE kind = 'header');
	INSERT INTO l4_stage_rule (name, stage, priority, pattern) VALUES ('megatron_data', 'model_build', 7, 'our data'),
		('ours', 'teardown', 8, 'bye');
	INSERT INTO l4_iteration_rule (name, pattern) VALUES ('ours', 'round (?<iter>\d+)');
	INSERT INTO l4_mask (name, pattern) VALUES ('ours', 'rack \w+');
	INSERT INTO l4_pool_setting (key, weight, enabled) VALUES ('framework', 1, false), ('model', 2, true), ('dataset', 3, true);
	INSERT INTO l4_limit (name, value) VALUES ('gravity_trouble', 6), ('unexplained_quotes', 400);
	INSERT INTO l4_wording (name, class, pattern, enabled) VALUES ('not_reached', 'trouble', 'x', false),
		('stalled', 'fatal', 'stalled', true);
});

# everything that may differ, in a defined order
my %queries = (
	'faults' => q{SELECT * FROM l4_fault ORDER BY fault_key COLLATE "C", builtin},
	'library' => q{SELECT fault_key, title, pattern, events, role, severity, priority, root_cause, fix, builtin, overridden,
		matched_count, right_count, wrong_count FROM l4_fault_library ORDER BY fault_key COLLATE "C"},
	'overrides' => q{SELECT * FROM l4_fault_override ORDER BY fault_key COLLATE "C"},
	'edges' => q{SELECT * FROM l4_fault_explains ORDER BY fault_key COLLATE "C", explains COLLATE "C", builtin},
	'history' => q{SELECT * FROM l4_fault_history ORDER BY fault_key COLLATE "C", changed_at, step},
	'feedback' => q{SELECT * FROM l4_fault_feedback ORDER BY job_id COLLATE "C", fault_key COLLATE "C"},
	'reports' => q{SELECT * FROM l4_failure_report ORDER BY job_id COLLATE "C", report_id COLLATE "C"},
	'diagnoses' => q{SELECT * FROM l4_diagnosis ORDER BY job_id COLLATE "C", saved_at},
	'findings' => q{SELECT * FROM l4_finding ORDER BY job_id COLLATE "C", saved_at, kind, ordinal},
	'matches' => q{SELECT m.* FROM unnest('{oom,pump-1,pump-2}'::text[]) j, l4_match_faults(j) m},
	'verdicts' => q{SELECT d.* FROM unnest('{oom,pump-1,pump-2}'::text[]) j, l4_diagnose(j) d},
	'similar' => q{SELECT * FROM l4_similar_failures('pump-2')},
);
$queries{"rules in $_"} = qq{SELECT *, (SELECT count(*) FROM l4_${_}_in_force) FROM l4_$_ WHERE NOT builtin ORDER BY 1}
	for qw(format stage_rule iteration_rule mask pool_setting limit wording);
# when a built-in fault came with CREATE EXTENSION is not the site's
$queries{faults} = q{SELECT f.*, CASE WHEN NOT builtin THEN created_at END
	FROM (SELECT fault_key, title, category, subtype, pattern, events, in_order, stream_kinds, min_node_share, max_node_share,
	within_time, role, severity, priority, root_cause, fix, state, origin, builtin, owner, created_by, created_at, updated_by,
		updated_at FROM l4_fault WHERE NOT builtin) f ORDER BY fault_key COLLATE "C"};
my %before = map { $_ => $node->safe_psql('before', $queries{$_}) } keys %queries;
isnt($before{$_}, '', "$_: there is something to compare") for sort keys %queries;

my $builtin = q{SELECT count(*),
	md5(string_agg(fault_key || title || pattern || role || priority,
		'' ORDER BY fault_key COLLATE "C")) FROM l4_fault WHERE builtin};
my $builtin_before = $node->safe_psql('before', $builtin);

my $dump = $node->basedir . '/dump.sql';
$node->command_ok(['pg_dump', '--no-sync', '--file', $dump, '--dbname', $node->connstr('before')], 'dump');
my $text = slurp_file($dump);
unlike($text, qr/GPU fell off the bus/, 'built-in faults are not dumped');
like($text, qr/Coolant pump stalled/, 'the site\'s faults are');

$node->safe_psql('postgres', 'CREATE DATABASE after');
$node->command_ok(['psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--output=/dev/null', '--file', $dump, '--dbname',
	$node->connstr('after')], 'restore');
is($node->safe_psql('after', $queries{$_}), $before{$_}, "$_: equal after the restore") for sort keys %queries;
is($node->safe_psql('after', $builtin), $builtin_before, 'built-in faults are there once');

# a custom-format dump with pg_restore, too
$node->command_ok(['pg_dump', '--no-sync', '--format=custom', '--file', "$dump.custom", '--dbname', $node->connstr('after')],
	'dump once more');
$node->safe_psql('postgres', 'CREATE DATABASE again');
$node->command_ok(['pg_restore', '--exit-on-error', '--dbname', $node->connstr('again'), "$dump.custom"], 'restore once more');
is($node->safe_psql('again', $queries{library}), $before{library}, 'the library in force is the same again');

# restored over a version whose script brings other built-in faults, as after an upgrade: the site's rows stay, nothing is there
# twice
$node->safe_psql('postgres', 'CREATE DATABASE upgraded');
$node->safe_psql('upgraded', q{
	CREATE EXTENSION l4;
	ALTER TABLE l4_fault DISABLE TRIGGER USER;
	UPDATE l4_fault SET severity = 'info', fix = 'a later version says this' WHERE fault_key IN ('cuda_oom', 'xid_79');
	DELETE FROM l4_fault WHERE fault_key = 'xid_13';
	INSERT INTO l4_fault (fault_key, title, category, subtype, pattern, builtin)
	VALUES ('coolant_pump', 'Now built in too', 'hardware', 'node', 'pump \d+ stalled', true);
	ALTER TABLE l4_fault ENABLE TRIGGER USER;});
$node->command_ok(['psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--output=/dev/null', '--file', $dump, '--dbname',
	$node->connstr('upgraded')], 'restore over a later version');
is($node->safe_psql('upgraded', $queries{$_}), $before{$_}, "$_: the site's own are as before under a later version")
	for qw(faults overrides history feedback reports diagnoses findings);
is($node->safe_psql('upgraded',
	q{SELECT string_agg(fault_key || ': ' || severity || ', ' || fix || ', ' || builtin, '; ' ORDER BY fault_key)
		FROM l4_fault_library WHERE fault_key IN ('coolant_pump', 'cuda_oom', 'xid_79')}),
	'coolant_pump: error, Replace it, false; cuda_oom: critical, Call us, true; xid_79: info, a later version says this, true',
	'what the site says wins, what it left alone is the later version\'s');
is($node->safe_psql('upgraded',
	q{SELECT count(*) FROM (SELECT fault_key FROM l4_fault_library GROUP BY 1 HAVING count(*) > 1) twice}), '0',
	'no fault is in force twice');
is($node->safe_psql('upgraded', q{SELECT count(*) FROM l4_fault WHERE fault_key = 'xid_13'}), '0',
	'what a later version drops stays away');

# the library goes on working: what was switched off comes back, what was overridden goes
$node->safe_psql('again', q{SELECT l4_activate_fault('conn_refused'); DELETE FROM l4_fault_override
	WHERE fault_key = 'cuda_oom'; SELECT l4_activate_fault('a_draft')});
is($node->safe_psql('again', q{SELECT string_agg(fault_key || ' ' || severity, ', ' ORDER BY fault_key COLLATE "C")
	FROM l4_fault_library WHERE fault_key IN ('conn_refused', 'cuda_oom', 'a_draft')}),
	'a_draft error, conn_refused warning, cuda_oom error', 'faults in force after changes');

$node->stop;
done_testing();
