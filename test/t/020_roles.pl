# The roles as README makes them: what each may do, and what not.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('roles');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE SCHEMA l4; CREATE EXTENSION l4 SCHEMA l4');
my ($roles) = slurp_file("$ENV{L4_TOP}/README.md") =~ /^### Roles\n.*?^```sql\n(.*?)^```/ms
	or die 'README has no section Roles';
$node->safe_psql('postgres', $roles);
my $folder = "$ENV{L4_TOP}/test/data/diagnose";

# What a role may do, and what it is refused with insufficient_privilege.
sub may
{
	my ($role, $what, $sql) = @_;
	my ($status, undef, $errors) = $node->psql('postgres',
		"SET ROLE $role; SET search_path = l4; SET client_min_messages = warning; $sql");
	is("$status $errors", '0 ', "$role: $what");
}

sub may_not
{
	my ($role, $what, $sql) = @_;
	my (undef, undef, $errors) = $node->psql('postgres',
		"\\set VERBOSITY sqlstate\nSET ROLE $role; SET search_path = l4; $sql");
	like($errors, qr/ERROR: +42501/, "$role: not $what");
}

may('l4_importer', 'registers', q{SELECT l4_register_job('killed', '{}', 'failed'), l4_register_job('bug', '{}', 'failed'),
	l4_register_job('rows', '{}', 'failed')});
may('l4_importer', 'imports and imports again',
	"CALL l4_import('killed', '$folder/killed'); CALL l4_import('bug', '$folder/bug'); CALL l4_import('bug', '$folder/bug')");
may('l4_importer', 'ingests', q{SELECT * FROM l4_ingest('rows', 'SELECT ''ERROR a line'' AS line, ''n1'' AS node')});
may('l4_importer', 'saves a diagnosis', q{SELECT l4_save_diagnosis('killed')});
may('l4_importer', 'deletes', q{SELECT l4_drop_log_text('bug'); SELECT l4_delete_job('bug')});
may_not('l4_importer', 'writes rules', q{INSERT INTO l4_stage_rule (name, stage, priority, pattern)
	VALUES ('ours', 'teardown', 8, 'bye')});
may_not('l4_importer', 'confirms faults', q{SELECT l4_confirm_fault('killed', 'ours', 'Ours', 'why', 'fix', 'user', 'x')});
may('l4_reader', 'diagnoses', q{SELECT 1 / (count(*) > 0)::int FROM l4_diagnose('killed')});
may('l4_reader', 'reports', q{SELECT l4_report('killed'), l4_report('killed', 'html')});
may('l4_reader', 'searches', q{SELECT count(*) FROM l4_grep('killed', 'error'); SELECT count(raw) FROM l4_log
	WHERE job_id = 'killed'});
may('l4_reader', 'reads every view', q{SELECT count(query_to_xml(format('SELECT * FROM %s', c.oid::regclass), true, false, ''))
	FROM pg_class c WHERE c.relkind = 'v' AND c.relnamespace = 'l4'::regnamespace});
may_not('l4_reader', 'registers', q{SELECT l4_register_job('more', '{}', 'failed')});
may_not('l4_reader', 'imports', "CALL l4_import('killed', '$folder/killed')");
may_not('l4_reader', 'deletes', q{SELECT l4_delete_job('killed')});
may_not('l4_reader', 'saves a diagnosis', q{SELECT l4_save_diagnosis('killed')});
may('l4_curator', 'writes rules', q{INSERT INTO l4_stage_rule (name, stage, priority, pattern)
	VALUES ('ours', 'teardown', 8, 'bye')});
may('l4_curator', 'confirms faults', q{SELECT l4_confirm_fault('killed', 'ours', 'Ours', 'why', 'fix', 'user', 'x')});
$node->safe_psql('postgres', 'CREATE ROLE shipper; GRANT USAGE ON SCHEMA l4 TO shipper;
	GRANT INSERT ON l4.l4_inbox TO shipper');
may('shipper', 'sends lines', q{INSERT INTO l4_inbox (job_id, node, source, line) VALUES ('rows', 'n1', 's', 'a line')});
may_not('shipper', 'reads', q{SELECT * FROM l4_inbox});
$node->stop;
done_testing();
