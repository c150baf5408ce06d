# Tenants: one tries everything that there is to see what another has. Nothing of it shows, and nothing of it changes.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use lib dirname(abs_path(__FILE__));
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use TenantAttack qw(@questions);
use TenantJobs qw($secret create_tenants load_tenant_a load_tenant_b tables_of_tenants);
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('tenants');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nsynchronous_commit = off\nlog_statement = none\n");
$node->start;
create_tenants($node, 'alone');
load_tenant_b($node, 'alone');
create_tenants($node, 'shared');
load_tenant_a($node, 'shared');
load_tenant_b($node, 'shared');
$node->safe_psql('shared', 'ANALYZE');

my $attack = TenantAttack->new($node, 'shared');
my $tried = $attack->{tried};

# ---------- what is seen ----------

sub answers
{
	my ($database, $role) = @_;
	return [map { $node->safe_psql($database, "SET ROLE $role; $_") } @questions];
}

sub compare_answers
{
	my ($when) = @_;
	my $expected = answers('alone', 'tenant_b');
	for my $role (qw(tenant_b postgres))
	{
		my $got = answers('shared', $role);
		my @other = grep { $got->[$_] ne $expected->[$_] } 0 .. $#questions;
		is(join("\n", map { $questions[$_] } @other), '', "$when: " . @questions .
			" answers to $role are those of a server of its own");
		is_deeply([map { $got->[$_] } @other], [map { $expected->[$_] } @other], 'they differ so') if @other;
	}
}

# A sum over all that tenant_a has.
my @tables = tables_of_tenants($node, 'shared');
cmp_ok(scalar(@tables), '>=', 20, 'tables with rows of tenants: ' . @tables);
sub state_of_a
{
	return $node->safe_psql('shared', join(' UNION ALL ', map {
		"SELECT '$_->[0]', count(*), md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')) FROM $_->[0] t
			WHERE $_->[1]" } @tables) . ' ORDER BY 1');
}

# Every other table is one that all share.
is($node->safe_psql('shared', q{SELECT string_agg(r.relation::text, ' ' ORDER BY r.relation::text COLLATE "C")
	FROM l4_own_relations() r
	WHERE r.is_table AND r.relation NOT IN (SELECT p.relation FROM l4_tenant_policies() p)}),
	'l4_advice_rule l4_cluster_lock l4_fault l4_fault_explains l4_fault_override l4_format l4_iteration_rule l4_limit ' .
		'l4_link l4_mask l4_pool_setting l4_stage_rule l4_tenants_apart l4_wording',
	'which tables are shared');

my $before = state_of_a();
like($before, qr/^l4_segment\|[1-9]/m, 'tenant_a has logs');
my @empty = $before =~ /^(\w+)\|0\|/mg;
is("@empty", 'l4_job_tenant', 'and rows in every table but the one that a cluster has');
compare_answers('before');

# ---------- every function ----------

my %called = $attack->call_functions;
is(join("\n", @{$called{not_tried}}), '', 'every function that can be called was');
is(join("\n\n", @{$called{unlike}}), '', 'of another\'s job a function says what it says of none');
my %untried = %{$called{not_callable}};
note("not callable, $_: @{$untried{$_}}") for sort keys %untried;
is($tried->{functions} + (map { @$_ } values %untried), scalar($attack->functions), 'no function is in neither list');
is(state_of_a(), $before, 'tenant_a has what it had');

# ---------- every table and view ----------

my @relations = split /\n/, $node->safe_psql('shared',
	"SELECT relation || ' ' || CASE WHEN is_table THEN 'tables' ELSE 'views' END FROM l4_own_relations()");
my @attacks;
for my $relation (@relations)
{
	my ($name, $kind) = split / /, $relation;
	push @attacks, $attack->relation_attack($name);
	$tried->{$kind}++;
}
$attack->attack_all(@attacks);
is(state_of_a(), $before, 'tenant_a still has what it had');

# ---------- the server's own tables and views, and sessions ----------

# Somebody of tenant_a is at work meanwhile, with secrets in a query and in a temporary table.
my ($to, $from) = ("CREATE TEMPORARY TABLE mine AS SELECT '$secret temporary' AS t;\nBEGIN; DECLARE $secret CURSOR FOR SELECT 1;
	SELECT '$secret query';\n", '');
my $other = IPC::Run::start(['psql', '-XqAt', '-d', $node->connstr('shared'), '-U', 'tenant_a'], '<', \$to, '>', \$from,
	'2>', '/dev/null');
$other->pump until $from =~ /query/;
my @catalogs = split /\n/, $node->safe_psql('shared', q{SELECT c.oid::regclass FROM pg_class c
	WHERE c.relnamespace IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) AND c.relkind IN ('r', 'v')
	-- holds what a superuser wrote himself: commands of roles, this server's files
	ORDER BY c.relname COLLATE "C"});
my @temporary = split /\n/, $node->safe_psql('shared', q{SELECT c.oid::regclass FROM pg_class c WHERE c.relname = 'mine'});
is(scalar(@temporary), 1, 'a temporary table of another session');
$attack->attack_all(map { [$_, "SELECT * FROM $_"] } @catalogs, @temporary);
$tried->{catalogs} = @catalogs;
$attack->attack("triggers on one's own tables", 'CREATE TEMPORARY TABLE shipped (tag text, time timestamp, data jsonb)',
	(map { ("CREATE TRIGGER $_ BEFORE INSERT OR UPDATE ON shipped FOR EACH ROW EXECUTE FUNCTION l4.$_()",
		q{INSERT INTO shipped VALUES ('guessed-1', now(), '{"log": "poison"}')}, 'UPDATE shipped SET tag = tag RETURNING *',
			"DROP TRIGGER $_ ON shipped") }
		map { /^(\w+)\(\)$/ } @{$untried{'is called for a statement or a row alone'}}), 'SELECT l4_ingest_inbox()');
# A restart of another's job tells nothing of that one.
like($attack->attack('restart of another', "SELECT l4_register_job('b-again', '{}', 'failed', restart_of => 'guessed-1')",
	"SELECT former_status IS NULL AND former_suspect_node IS NULL AND helped IS NULL AND nodes_kept IS NULL FROM l4_restarts
		WHERE job_id = 'b-again'", "SELECT l4_delete_job('b-again')"), qr/^t$/m, 'the job before a restart is not seen either');
# Who listens hears that there is a diagnosis, and nothing of it.
my ($said, $heard) = ("LISTEN l4_diagnosis; SELECT 'ready';\n", '');
my $listener = IPC::Run::start(['psql', '-XqAt', '-d', $node->connstr('shared'), '-U', 'tenant_b'], '<', \$said, '>', \$heard,
	'2>', '/dev/null');
$listener->pump until $heard =~ /ready/;
$node->safe_psql('shared', "SET ROLE tenant_a; SELECT l4_notify('guessed-1')");
$said .= "SELECT 'after';\n";
$listener->pump until $heard =~ /after/ && $heard =~ /payload[^\n]*\n/;
like($heard, qr/"l4_diagnosis" with payload "\{"saved_at": "[-0-9T:.+]+"\}"/, 'what a listener hears of another');
$said .= "\\q\n";
$listener->finish;
$attack->attack('files and sessions', "SELECT pg_read_file('postgresql.conf')", "SELECT pg_ls_dir('.')",
	"COPY (SELECT 1) TO PROGRAM 'true'", "COPY l4.l4_job TO '/tmp/x'",
	'CREATE TABLE l4.mine (a int)', "SELECT pg_stat_get_activity(NULL)",
		'SELECT pg_terminate_backend(pid) FROM pg_stat_activity', 'SET ROLE tenant_a', 'SET ROLE postgres',
	'SET SESSION AUTHORIZATION tenant_a', "ALTER ROLE tenant_b BYPASSRLS", "GRANT tenant_a TO tenant_b", 'CREATE ROLE more',
		"SELECT lo_import('/etc/passwd')",
	"SELECT * FROM pg_logical_slot_get_changes('s', NULL, NULL)", 'CREATE PUBLICATION p FOR ALL TABLES',
		'SELECT l4_disable_tenancy()', 'SELECT l4_create_roles(true)');
$to .= "ROLLBACK;\n\\q\n";
$other->finish;

# ---------- keys, pools, the inbox ----------

# A key of another's row is no more refused than any: row security is asked first.
my %insert = (l4_shape => 'shape_id, shape, tenant', l4_event => 'event_id, template, tenant',
	l4_pool => 'pool_id, settings, tenant');
for my $table (sort keys %insert)
{
	my ($key) = $insert{$table} =~ /^(\w+)/;
	my ($id) = map { $attack->{ids}{$_} } $key =~ /^(\w+)_id/;
	my ($theirs, $nobodys) = map { $attack->attack("keys of $table",
		"INSERT INTO l4.$table ($insert{$table}) VALUES ($_, '{}', 'tenant_b')") } $id, 4711;
	is($theirs =~ s/LOCATION.*//sr, $nobodys =~ s/LOCATION.*//sr, "$table: a key that another has");
	like($theirs, qr/42501: new row violates row-level security policy/, "$table: is not for a tenant to choose");
}
like($attack->attack('tenant of another', "INSERT INTO l4.l4_job (job_id, tenant) VALUES ('new', 'tenant_a')"), qr/42501/,
	'nobody makes jobs for another');
like($attack->attack('lines of another',
	"INSERT INTO l4.l4_inbox (job_id, line, tenant) VALUES ('guessed-1', 'poison', 'tenant_a')"), qr/42501/,
	'or sends lines in its name');
like($attack->attack('the name of a job', "SELECT l4_register_job('guessed-1')"), qr/23505: a job cannot be called "guessed-1"/,
	'the name of a job is taken');
$attack->attack('lines for another', "INSERT INTO l4.l4_inbox (job_id, node, line)
	VALUES ('guessed-1', 'n', 'poison'), ('guessed-1', 'n', 'more poison')", 'SELECT l4_ingest_inbox()');
$attack->attack('a pool', "SELECT l4_register_job('b-new', '{\"model\": \"m-8\", \"framework\": \"f 1.0\"}', 'succeeded')",
	"SELECT * FROM l4_ingest('b-new', 'SELECT ''poison'' AS line')", "SELECT l4_pool_refresh('b-new')",
		"SELECT l4_pool_rebuild($attack->{ids}{pool})", 'SELECT l4_recluster()', 'SELECT l4_assign_events()',
	"INSERT INTO l4_pool_job (pool_id, job_id, stream_count) VALUES ($attack->{ids}{pool}, 'b-new', 1)",
	"INSERT INTO l4_pool_event SELECT $attack->{ids}{pool}, shape_id, 1, 1, 1, 1, 1, 1, 1 FROM l4_shape",
		"SELECT l4_delete_job('b-new')", 'SELECT l4_forget_shapes()');
is(state_of_a(), $before, 'imports and deletions of one tenant leave pools, shapes and events of the other as they were');
is($node->safe_psql('shared', "SELECT count(*) FROM l4_shape WHERE shape ~ 'poison'"), 0, 'and its own go with the job');
like($attack->attack('own shapes', 'SELECT l4_forget_shapes()'), qr/^0$/m, 'a tenant may forget shapes of its own');
is($node->safe_psql('shared', q{SET ROLE tenant_a; SELECT rows FROM l4_ingest_inbox('guessed-1')}), 1,
	'of the lines for its job those of the tenant come in');
$node->safe_psql('shared', 'SELECT l4_ingest_inbox()');
is($node->safe_psql('shared', q{SELECT count(*) FROM l4_log WHERE raw ~ 'poison'}), 0, 'those of the other never do');
$node->safe_psql('shared', "DELETE FROM l4_inbox WHERE tenant = 'tenant_b'");
compare_answers('after');
like($node->safe_psql('shared', q{SET ROLE l4_reader; SELECT origin FROM l4_fault WHERE fault_key = 'shared_fault'}),
	qr/^a job$/, 'a shared fault does not name its job');

# ---------- statistics ----------

is($attack->attack('statistics', q{SELECT count(*) FROM pg_stats s JOIN l4.l4_tenant_policies() p
	ON p.relation = format('%I.%I', s.schemaname, s.tablename)::regclass}) =~ /^(\d+)$/m ? $1 : 'nothing', '0',
	'pg_stats has no row of any of these tables');
is($node->safe_psql('shared', q{SELECT count(*) > 100 FROM pg_stats s JOIN l4_tenant_policies() p
	ON p.relation = format('%I.%I', s.schemaname, s.tablename)::regclass}), 't',
	'though there are some');

# ---------- locks ----------

# Who may write may lock, as with any table: the server's own time-out ends that.
$node->safe_psql('shared', "ALTER ROLE tenant_b SET idle_in_transaction_session_timeout = '2s'");
($to, $from) = ("BEGIN; LOCK TABLE l4.l4_job; SELECT l4_lock('l4_pool', NULL, false), l4_lock('l4_job', 'guessed-1', false);
	SELECT 'locked';\n", '');
my $locker = IPC::Run::start(['psql', '-XqAt', '-d', $node->connstr('shared'), '-U', 'tenant_b'], '<', \$to, '>', \$from,
	'2>', '/dev/null');
$locker->pump until $from =~ /locked/;
is($node->safe_psql('shared', q{SET ROLE tenant_a; SET statement_timeout = '60s';
	SELECT l4_register_job('guessed-1', status => 'failed'); SELECT 'done'}) =~ s/^\s+//r, 'done',
	'locks end with the time-out');
$to .= "\\q\n";
eval { $locker->finish };

# ---------- dump, restore, and the end of it ----------

my $dump = $node->backup_dir . '/shared.dump';
$node->command_ok(['pg_dump', '-Fc', '-f', $dump, $node->connstr('shared')], 'a dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->safe_psql('postgres', 'ALTER DATABASE restored SET search_path = l4');
$node->command_ok(['pg_restore', '-d', $node->connstr('restored'), $dump], 'a restore');
is($node->safe_psql('restored', 'SET ROLE tenant_b; SELECT l4_tenancy(), count(*), min(job_id) FROM l4_job'), 't|4|b-ok-1',
	'tenants are apart after a restore');
is($node->safe_psql('restored', "SET ROLE tenant_b; $questions[0]"), answers('alone', 'tenant_b')->[0],
	'with the same diagnosis');
is($node->safe_psql('shared', 'SELECT l4_disable_tenancy(); SET ROLE tenant_b; SELECT l4_tenancy(), count(*) FROM l4_job'),
	scalar(@tables) . "\nf|8", 'and together again');
$node->safe_psql('shared', 'CREATE POLICY theirs ON l4_job USING (true)');
my (undef, undef, $errors) = $node->psql('shared', 'SELECT l4_enable_tenancy()');
like($errors, qr/policy "theirs" of table "l4\.l4_job" shows rows to others/, 'a policy that shows rows is found');

is(join("\n", @{$attack->{leaks}}), '', 'leaks: ' . @{$attack->{leaks}});
$attack->attack('control', 'SELECT * FROM l4.l4_shape');
like("@{$attack->{leaks}}", qr/^control: .*$secret/, 'without row security the same look finds some');
note(join(', ', map { "$_: $tried->{$_}" } sort keys %$tried));
$node->stop;
done_testing();
