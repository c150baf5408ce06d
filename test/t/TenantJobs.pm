package TenantJobs;
# Two tenants on one server. All that tenant_a has holds the word of $secret: texts, values, names of nodes, paths, settings,
# notes. What tenant_b may know of it he knows: the name of its job guessed-1 and the numbers of its ids. Both log much alike,
# so that their shapes and events would be one.
use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname basename);
use File::Path qw(make_path);
use File::Temp;
use PostgreSQL::Test::Utils;

our @EXPORT_OK = qw($secret create_tenants keep_apart load_tenant_a load_tenant_b tables_of_tenants);
our $secret = 'qzsecret';

my $data = abs_path(dirname(__FILE__) . '/../data/faults');
my %jobs = ('ok-1' => 'succeeded', 'ok-2' => 'succeeded', 'pump-1' => 'failed', 'oom' => 'failed');

# The logs of a job, each line and each path changed.
sub write_logs
{
	my ($job, $change) = @_;
	my $folder = File::Temp->newdir(TMPDIR => 1);
	for my $file (glob "$data/$job/*/*")
	{
		my ($node, $name) = (basename(dirname($file)), basename($file));
		my $target = $change->("$folder/$node/$name");
		make_path(dirname($target));
		append_to_file($target, $change->(slurp_file($file)));
	}
	chmod 0755, $folder;
	return $folder;
}

sub load_jobs
{
	my ($node, $database, $tenant, $names, $settings, $change) = @_;
	for my $job (sort keys %jobs)
	{
		my $folder = write_logs($job, $change);
		my $nodes = $change->('{node-a,node-b,node-c,node-d}');
		$node->safe_psql($database, qq{
			SET ROLE $tenant;
			SELECT l4_register_job('$names->{$job}', '$settings', '$jobs{$job}', '$nodes', 1);
			RESET ROLE;
			CALL l4_import('$names->{$job}', '$folder');});
	}
}

# A database with tenants, and their roles on the server.
sub create_tenants
{
	my ($node, $database) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, "CREATE SCHEMA l4; CREATE EXTENSION l4 SCHEMA l4;
		ALTER DATABASE $database SET search_path = l4");
	keep_apart($node, $database);
}

sub keep_apart
{
	my ($node, $database) = @_;
	$node->safe_psql($database, 'SELECT l4_enable_tenancy(); SELECT l4_create_roles()');
	$node->safe_psql($database, "CREATE ROLE $_ LOGIN; GRANT l4_importer TO $_")
		for grep { $node->safe_psql($database, "SELECT count(*) FROM pg_roles
			WHERE rolname = '$_'") == 0 } qw(tenant_a tenant_b);
}

sub load_tenant_a
{
	my ($node, $database) = @_;
	my $change = sub {
		my $text = shift;
		$text =~ s/node-/${secret}node-/g;
		$text =~ s/(pump|device) /$1 ${secret}text /g;
		$text =~ s/retry 1/retry ${secret}value7/g;
		return $text;
	};
	load_jobs($node, $database, 'tenant_a', {'pump-1' => 'guessed-1', map { $_ => "$secret-$_" } grep {
		$_ ne 'pump-1' } keys %jobs},
		qq{{"model": "m-8", "framework": "f 1.0", "image": "${secret}image"}}, $change);
	$node->safe_psql($database, qq{
		INSERT INTO l4_address (job_id, address, node) VALUES ('guessed-1', '${secret}address', '${secret}node-a');
		SELECT l4_confirm_fault('guessed-1', 'shared_fault', 'A fault that all know', 'why', 'what', 'hardware', 'node',
			pattern => 'device [^ ]+ \\d+ lost', note => '$secret note', activate => true);
		INSERT INTO l4_flow_watch (upto, tenant) VALUES (now(), 'tenant_a');
		INSERT INTO l4_flow_watch_window VALUES (now() - interval '1 minute', now(), 7, NULL, 'tenant_a');
		INSERT INTO l4_flow_watch_job VALUES (1, now(), now(), '{${secret}address}', 1, 1, now(), now(), NULL, 'tenant_a');
		INSERT INTO l4_flow_watch_tail VALUES ('${secret}address', '${secret}other', now(), 1, NULL, '\\x12', 'tenant_a');
		INSERT INTO l4_flow_step_time VALUES (now() - interval '1 minute', now(), 1, 1, 5, 7.25, 1, 1, 'tenant_a');
		INSERT INTO l4_flow_watch_finding VALUES (now() - interval '1 minute', now(), 1, 1, 'slow_link',
			'${secret}address -> ${secret}other', now(), now(), 0.7, 0.9, '{"server": "${secret}server"}', '$secret',
			'tenant_a');
		SET ROLE tenant_a;
		SELECT l4_save_diagnosis('guessed-1'), l4_save_diagnosis('$secret-oom');
		SELECT l4_judge_fault('guessed-1', 'cuda_oom', false, '${secret}note');
		SELECT l4_import_failure_reports('{"job_id": "guessed-1", "root_cause": "${secret}cause",
			"description": "${secret} story"}');
		INSERT INTO l4_label (job_id, label_no, kind, pattern) VALUES ('guessed-1', 1, 'event', '${secret}text');
		INSERT INTO l4_inbox (job_id, node, line) VALUES ('guessed-1', '${secret}node', '${secret} line'),
			('none', 'n', '${secret} line');
		INSERT INTO l4_inbox (job_id, node, rank, line) VALUES ('$secret-oom', 'n', -1, '${secret} line');
		INSERT INTO l4_accelerator (address, server) VALUES ('${secret}address', '${secret}server');
		INSERT INTO l4_flow (started_at, duration, source, destination, bytes)
		VALUES (now(), 1, '${secret}address', '${secret}other', 1);
		SELECT l4_ingest_inbox('$secret-oom');});
}

sub load_tenant_b
{
	my ($node, $database) = @_;
	my $change = sub {
		my $text = shift;
		$text =~ s/(pump|device) /$1 plain /g;
		return $text;
	};
	load_jobs($node, $database, 'tenant_b', {map { $_ => "b-$_" } keys %jobs}, '{"model": "m-8", "framework": "f 1.0"}',
		$change);
	# the library is everybody's, so a server of its own has this fault too
	$node->safe_psql($database, q{
		INSERT INTO l4_fault (fault_key, title, category, subtype, pattern, root_cause, fix, priority)
		VALUES ('shared_fault', 'A fault that all know', 'hardware', 'node', 'device [^ ]+ \d+ lost', 'why', 'what', 50)
			ON CONFLICT DO NOTHING;
		SET ROLE tenant_b;
		INSERT INTO l4_inbox (job_id, node, rank, line) VALUES ('b-oom', 'node-e', 4, 'ERROR connection to the store failed');
		SELECT l4_ingest_inbox();
		SELECT * FROM l4_ingest('b-pump-1', $$SELECT 'loading plain shard ' || i AS line, 'node-f' AS node
			FROM generate_series(1, 20) i$$);});
}

# Each table with rows of tenants, and the condition that says which are tenant_a's.
sub tables_of_tenants
{
	my ($node, $database) = @_;
	my $rows = $node->safe_psql($database, q{
		SELECT p.relation, CASE
			WHEN p.may_see ~ 'l4_accelerator'
				THEN $$source IN (SELECT a.address FROM l4_accelerator a WHERE a.tenant = 'tenant_a')$$
			WHEN p.may_see ~ 'l4_sees_tenant' THEN $$tenant = 'tenant_a'$$
			WHEN p.may_see ~ 'l4_sees_job' THEN $$job_id IN (SELECT j.job_id FROM l4_job j WHERE j.tenant = 'tenant_a')$$
			ELSE $$pool_id IN (SELECT o.pool_id FROM l4_pool o WHERE o.tenant = 'tenant_a')$$ END
		FROM l4_tenant_policies() p ORDER BY 1});
	return map { [split /\|/, $_, 2] } split /\n/, $rows;
}

1;
