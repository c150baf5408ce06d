# Tenants on a cluster: jobs of two come in through all nodes in turn. Each node gives a tenant what a server of its own would,
# and nothing of the other one, whatever is asked. Arguments: the folder of the nodes' sockets, the coordinator's port, those of
# the nodes that are asked. The database of the cluster is "apart"; where it has jobs already, only a look is taken.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use lib dirname(abs_path(__FILE__)) . '/../t';
use TenantAttack qw(@questions);
use TenantJobs qw($secret create_tenants keep_apart load_tenant_a load_tenant_b tables_of_tenants);
use Test::More;

my ($folder, $first_port, @ports) = @ARGV;

# Some nodes of a running cluster, which are asked in turn.
package Nodes
{
	use IPC::Run;

	sub new { my ($class, @ports) = @_; return bless {ports => [@ports]}, $class; }

	sub connstr { my ($self, $database) = @_; return "host=$folder port=$self->{ports}[0] dbname=$database"; }

	sub safe_psql
	{
		my ($self, $database, $statements) = @_;
		my ($out, $err) = ('', '');
		push @{$self->{ports}}, shift @{$self->{ports}};
		IPC::Run::run(['psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $self->connstr($database), '-U', 'postgres'],
			'<', \$statements, '>', \$out, '2>', \$err) or die "$statements\n$err";
		return $out =~ s/\n\z//r;
	}
}

my @nodes = map { Nodes->new($_) } @ports;
my $coordinator = Nodes->new($first_port);
my $in_turn = Nodes->new(@ports);
my $is_new = $coordinator->safe_psql('apart', 'SELECT count(*) = 0 FROM l4_job') eq 't';
if ($is_new)
{
	keep_apart($coordinator, 'apart');
	load_tenant_a($in_turn, 'apart');
	load_tenant_b($in_turn, 'apart');
	create_tenants($coordinator, 'alone');
	load_tenant_b($coordinator, 'alone');
}

sub answers
{
	my ($node, $database, $role) = @_;
	return [map { $node->safe_psql($database, "SET ROLE $role; $_") } @questions];
}

my @tables = tables_of_tenants($coordinator, 'apart');
sub state_of_a
{
	return join("\n", map { $coordinator->safe_psql('apart', "SELECT '$_->[0]', count(*),
		md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')) FROM $_->[0] t WHERE $_->[1]") } @tables);
}

# Of a node: each table and view of l4, each shard that is there, and all that Citus has to show.
sub look
{
	my ($node) = @_;
	return map { [$_, "SELECT * FROM $_", "COPY (SELECT * FROM $_) TO STDOUT", "COPY $_ TO STDOUT", 'BEGIN',
		"DELETE FROM $_ RETURNING *", 'ROLLBACK'] } split /\n/, $node->safe_psql('apart', q{
		SET citus.override_table_visibility = off;
		SELECT c.oid::regclass FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v')
			AND (c.relname ~ '^(l4|citus|pg_dist)_' OR c.relnamespace = ANY (ARRAY(
				SELECT n.oid FROM pg_namespace n WHERE n.nspname ~ '^citus')))});
}

# What a tenant may do on a node, and what it may not. Names of jobs, so many that some belong on the node itself.
sub writes
{
	my ($attack, $number) = @_;
	my $others = "SELECT 'new-$number-' || i, 'tenant_a' FROM generate_series(1, 20) i";
	like($attack->attack('a job that comes in whole', 'BEGIN',
		"SELECT l4_register_job('b-one', '{\"model\": \"m-8\", \"framework\": \"f 1.0\"}', 'succeeded')",
		"SELECT rows FROM l4_ingest('b-one', 'SELECT ''a plain line'' AS line, ''job.log'' AS source')",
		"INSERT INTO l4_label (job_id, label_no, kind, pattern) SELECT 'b-one', i, 'event', 'x' FROM generate_series(1, 3) i",
		'COMMIT', "SELECT job_id, raw FROM l4_log WHERE job_id = 'b-one'", "SELECT l4_delete_job('b-one')",
		"SELECT count(*) FROM l4_log WHERE job_id = 'b-one'"), qr/^b-one\|a plain line\n\n0$/m, "node $number: an own job");
	like($attack->attack('jobs of another', "INSERT INTO l4_job (job_id, tenant) $others"),
		qr/42501: new row violates row-level security policy/, "node $number: nobody makes jobs for another");
	like($attack->attack('jobs of another, by COPY', "COPY l4_job (job_id, tenant) FROM STDIN"),
		qr/0A000: COPY FROM not supported with row-level security/, "node $number: nor by COPY");
	like($attack->attack('own jobs', "INSERT INTO l4_job (job_id, tenant) " . $others =~ s/tenant_a/tenant_b/r,
		"SELECT count(*) FROM l4_job WHERE job_id ~ '^new-'", "DELETE FROM l4_job WHERE job_id ~ '^new-'",
		"SELECT count(*) FROM l4_job WHERE job_id ~ '^new-'"), qr/^20\n0$/m, "node $number: own ones it does");
	like($attack->attack('a job with rows', "DELETE FROM l4_job WHERE job_id = 'b-oom' RETURNING 'gone'",
		"SELECT count(*) FROM l4_job WHERE job_id = 'b-oom'"), qr/^1$/m, "node $number: a job goes last");
	like($attack->attack('the name of a job', "SELECT l4_register_job('guessed-1')"),
		qr/23505: a job cannot be called "guessed-1"/, "node $number: the name of a job is taken");
	like($attack->attack('the name of a job', "DELETE FROM l4_job_tenant"), qr/42501: permission denied/,
		"node $number: and stays so");
}

my $before = state_of_a();
my $expected = answers($coordinator, 'alone', 'tenant_b');
for my $number (0 .. $#nodes)
{
	my $node = $nodes[$number];
	for my $role ($is_new ? qw(tenant_b postgres) : qw(tenant_b))
	{
		my $got = answers($node, 'apart', $role);
		my @other = grep { $got->[$_] ne $expected->[$_] } 0 .. $#questions;
		is(join("\n", map { $questions[$_] } @other), '', "node $number: " . @questions .
			" answers to $role are those of a server of its own");
		is_deeply([map { $got->[$_] } @other], [map { $expected->[$_] } @other], 'they differ so') if @other;
	}
	is($node->safe_psql('apart', 'SET ROLE tenant_b; SELECT l4_tenancy(), count(*), min(job_id) FROM l4_job'), 't|4|b-ok-1',
		"node $number: its own jobs");
	my $attack = TenantAttack->new($node, 'apart');
	writes($attack, $number);
	$attack->attack_all(look($node));
	if ($is_new && $number == 1)
	{
		my %called = $attack->call_functions;
		is(join("\n", @{$called{not_tried}}), '', 'every function that can be called was');
		is(join("\n\n", @{$called{unlike}}), '', 'of another\'s job a function says what it says of none');
	}
	if ($is_new && $number == $#nodes)
	{
		$attack->attack_all(map { $attack->relation_attack($_) } split /\n/, $node->safe_psql('apart',
			'SELECT r.relation FROM l4_own_relations() r'));
	}
	is(join("\n", @{$attack->{leaks}}), '', "node $number: leaks: " . @{$attack->{leaks}});
	is(state_of_a(), $before, "node $number: tenant_a has what it had");
	note(join(', ', map { "$_: $attack->{tried}{$_}" } sort keys %{$attack->{tried}}));
}
done_testing();
