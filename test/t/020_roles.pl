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

# Calling it again changes nothing, but mends what is missing.
sub grants
{
	return $node->safe_psql('postgres', q{SELECT c.relname, a.grantee::regrole, a.privilege_type
		FROM pg_class c, aclexplode(c.relacl) a
		WHERE c.relnamespace = 'l4'::regnamespace ORDER BY 1, 2, 3;
		SELECT roleid::regrole, member::regrole FROM pg_auth_members WHERE member::regrole::text LIKE 'l4%' ORDER BY 1, 2});
}
my $granted = grants();
$node->safe_psql('postgres', 'SELECT l4.l4_create_roles()');
is(grants(), $granted, 'again, nothing changes');
$node->safe_psql('postgres', 'REVOKE SELECT ON l4.l4_job FROM l4_reader; GRANT DELETE
	ON l4.l4_mask TO l4_importer; SELECT l4.l4_create_roles()');
is(grants(), $granted, 'and what others changed is mended');

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
may('l4_importer', 'registers a restart', q{SELECT l4_register_job('rows', restart_of => 'killed')});
may('l4_importer', 'tells listeners', q{SELECT l4_notify('killed')});
may_not('l4_importer', 'takes in faults', q{SELECT * FROM l4_import_faults('[{"fault_key": "k", "title": "t",
	"category": "user", "subtype": "x", "pattern": "abc"}]')});
may_not('l4_importer', 'confirms faults', q{SELECT l4_confirm_fault('killed', 'ours', 'Ours', 'why', 'fix', 'user', 'x')});
may('l4_reader', 'diagnoses', q{SELECT 1 / (count(*) > 0)::int FROM l4_diagnose('killed')});
may('l4_reader', 'reports', q{SELECT l4_report('killed'), l4_report('killed', 'html')});
may('l4_reader', 'searches', q{SELECT count(*) FROM l4_grep('killed', 'error'); SELECT count(raw) FROM l4_log
	WHERE job_id = 'killed'});
may('l4_reader', 'asks', q{SELECT count(*) FROM l4_first_error('killed'); SELECT count(*) FROM l4_diff('killed', 'rows');
	SELECT count(*) FROM l4_worst_nodes(); SELECT jsonb_array_length(l4_export_faults(true))});
may('l4_reader', 'reads every view', q{SELECT count(query_to_xml(format('SELECT * FROM %s', c.oid::regclass), true, false, ''))
	FROM pg_class c WHERE c.relkind = 'v' AND c.relnamespace = 'l4'::regnamespace});
may_not('l4_reader', 'registers', q{SELECT l4_register_job('more', '{}', 'failed')});
may_not('l4_reader', 'imports', "CALL l4_import('killed', '$folder/killed')");
may_not('l4_reader', 'deletes', q{SELECT l4_delete_job('killed')});
may_not('l4_reader', 'saves a diagnosis', q{SELECT l4_save_diagnosis('killed')});
may('l4_curator', 'writes rules', q{INSERT INTO l4_stage_rule (name, stage, priority, pattern)
	VALUES ('ours', 'teardown', 8, 'bye')});
may('l4_curator', 'takes in faults', q{SELECT * FROM l4_import_faults('[{"fault_key": "k", "title": "t", "category": "user",
	"subtype": "x", "pattern": "abc", "explains": ["xid_79"]}]')});
may('l4_curator', 'confirms faults', q{SELECT l4_confirm_fault('killed', 'ours', 'Ours', 'why', 'fix', 'user', 'x')});
$node->safe_psql('postgres', 'CREATE ROLE shipper; GRANT USAGE ON SCHEMA l4 TO shipper;
	GRANT INSERT ON l4.l4_inbox TO shipper');
may('shipper', 'sends lines', q{INSERT INTO l4_inbox (job_id, node, source, line) VALUES ('rows', 'n1', 's', 'a line')});
may_not('shipper', 'reads', q{SELECT * FROM l4_inbox});
may_not('shipper', 'grants', 'SELECT l4_create_roles()');

# Without the right to make roles, and with it.
$node->safe_psql('postgres', q{CREATE ROLE keeper CREATEDB; CREATE ROLE maker CREATEROLE; CREATE DATABASE kept OWNER keeper;
	GRANT pg_read_server_files TO maker WITH ADMIN OPTION});
$node->safe_psql('kept', q{CREATE SCHEMA l4; CREATE EXTENSION l4 SCHEMA l4; GRANT USAGE ON SCHEMA l4 TO PUBLIC; GRANT EXECUTE
	ON FUNCTION l4.l4_create_roles TO keeper});
my (undef, undef, $errors) = $node->psql('kept', "\\set VERBOSITY verbose\nSET ROLE keeper; SELECT l4.l4_create_roles()");
like($errors, qr/42501: permission denied: to grant rights on tables of l4.*HINT:  Only the owner/s,
	'who does not own the tables grants nothing');
$node->safe_psql('kept', q{DO $$ DECLARE r regclass; BEGIN FOR r IN SELECT relation FROM l4.l4_own_relations()
	LOOP EXECUTE format('ALTER TABLE %s OWNER TO keeper', r); END LOOP; END $$;
	ALTER SCHEMA l4 OWNER TO keeper});
is($node->safe_psql('kept', "SET ROLE keeper; SELECT l4.l4_create_roles();
	SELECT has_table_privilege('l4_reader', 'l4.l4_job', 'SELECT')"), "\nt", 'the owner does, where the roles are there');
$node->safe_psql('postgres', 'DROP OWNED BY l4_reader, l4_importer, l4_curator');
$node->safe_psql('kept', 'DROP OWNED BY l4_reader, l4_importer, l4_curator; DROP ROLE l4_reader, l4_importer, l4_curator');
(undef, undef, $errors) = $node->psql('kept', "\\set VERBOSITY verbose\nSET ROLE keeper; SELECT l4.l4_create_roles()");
like($errors, qr/42501: permission denied to create the role l4_reader.*CREATEROLE.*CREATE ROLE l4_reader NOLOGIN/s,
	'else it takes CREATEROLE');
is($node->safe_psql('postgres', q{SELECT l4.l4_create_roles(server_files => false);
	SELECT pg_has_role('l4_importer', 'pg_read_server_files', 'MEMBER')}), "\nf", 'files of the server are a choice');

$node->stop;
done_testing();
