# The views are read through ODBC as a BI tool does it: by the driver's catalog functions first, then every view whole.
use strict;
use warnings;
use FaultJobs qw(load_fault_jobs);
use File::Basename qw(dirname);
use IPC::Run qw(run);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Views that hold what a diagnosis reads, with arrays; all others are for BI and hold plain scalars.
my %inner = map { $_ => 1 } qw(l4_advice_rule_in_force l4_fault_library l4_log l4_stream_parameter);

# ODBC types of plain scalars, by the type of the server: long text, whole numbers, double precision, bit, date, time stamp.
my %odbc_types = ('text' => [-10, -1], 'integer' => [4], 'bigint' => [-5], 'double precision' => [8, 7, 6], 'boolean' => [-7],
	'date' => [91, 9], 'timestamp with time zone' => [93, 11]);
my %python_types = ('text' => 'str', 'integer' => 'int', 'bigint' => 'int', 'double precision' => 'float', 'boolean' => 'bool',
	'date' => 'date',
	'timestamp with time zone' => 'datetime');

my ($driver) = grep { -f } $ENV{L4_ODBC_DRIVER} // (), glob('/usr/lib*/*/odbc/psqlodbcw.so');
my $reader = dirname(__FILE__) . '/odbc_read.py';
my ($python) = grep { run [ $_, $reader ], '>', \my $out, '2>', \my $err } grep { -x } '/usr/bin/python3',
	map { "$_/python3" } split /:/, $ENV{PATH};
plan skip_all => 'no PostgreSQL driver for ODBC (Debian: odbc-postgresql; L4_ODBC_DRIVER names another)' if !$driver;
plan skip_all => 'Python has no module pyodbc (Debian: python3-pyodbc)' if !$python;

my $node = PostgreSQL::Test::Cluster->new('odbc');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\n");
$node->start;
load_fault_jobs($node, 'bi');
$node->safe_psql('bi', q{
	SELECT l4_confirm_fault('pump-1', 'coolant_pump', 'Coolant pump stalled', 'The pump stands still', 'Replace it', 'hardware',
		'node', pattern => 'pump \d+ stalled',
		events => NULL, stream_kinds => '{system}', activate => true);
	SELECT l4_save_diagnosis('pump-1'), l4_save_diagnosis('pump-2'), l4_save_diagnosis('oom');
	SELECT l4_save_diagnosis('oom');
	SELECT l4_judge_fault('pump-2', 'coolant_pump', true);
	SELECT l4_register_job('pump-2', restart_of => 'pump-1');
	SELECT l4_import_failure_reports('[{"job_id": "pump-1", "symptom": "training crash", "root_cause_category": "hardware", '
		'"faulty_nodes": ["node-c"],
		"reported_at": "2026-11-20 21:30:00+00", "resolved_at": "2026-11-21 09:00:00+00"}]');
	INSERT INTO l4_mask (name, pattern) VALUES ('never', 'never there');
	INSERT INTO l4_link (name, url) VALUES ('scheduler', 'https://scheduler.example/job/{job}');
	INSERT INTO l4_inbox (job_id, node, rank, source, ts, level, line)
	VALUES ('pump-1', 'node-c', 2, 'syslog', '2026-11-20 21:00:00+00', 'info', 'a line that waits');
	INSERT INTO l4_accelerator VALUES ('10.0.0.1', 'node-c', 0, 'leaf-1');
	INSERT INTO l4_flow VALUES ('2026-11-20 21:00:00+00', 0.5, '10.0.0.1', '10.0.0.2', 1000, '{leaf-1}', 1, 0, 17, 4791);
	SELECT l4_create_flow_partitions('2026-11-20 22:00:00+00', '2026-11-20 23:00:00+00');
	SELECT l4_watch_flows(until => '2026-11-20 21:05:00+00');
	-- one who may read the views, and nothing else
	CREATE ROLE analyst LOGIN;
	GRANT SELECT ON ALL TABLES IN SCHEMA public TO analyst;
});

my ($out, $err);
my $connection = join ';', "Driver=$driver", 'Servername=' . $node->host, 'Port=' . $node->port, 'Database=bi',
	'Username=analyst', 'BoolsAsChar=0';
# Without configuration of this machine: the driver is named by its path.
local $ENV{ODBCSYSINI} = $node->basedir;
ok(run([ $python, $reader, $connection ], '>', \$out, '2>', \$err), 'read through ODBC') or diag $err;

my (%tables, %columns, %rows, %values);
for (split /\n/, $out)
{
	my ($what, $table, @rest) = split /\t/;
	$tables{$table} = $rest[0] if $what eq 'table';
	$columns{$table}{$rest[0]} = $rest[1] if $what eq 'column';
	$rows{$table} = $rest[0] if $what eq 'rows';
	$values{$table}{$rest[0]} = [ @rest[1 .. 3] ] if $what eq 'values';
}

# what the catalog functions tell is what the catalog says
my $query = sub { [ map { [ split /\|/ ] } split /\n/, $node->safe_psql('bi', $_[0]) ] };
is_deeply(\%tables, { map { @$_ } @{ $query->(q{SELECT relname, CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END FROM pg_class
	WHERE relkind IN ('v', 'r', 'p') AND relname LIKE 'l4\_%'}) } },
	'tables and views are listed');
my %told;
$told{ $_->[0] }{ $_->[1] } = $_->[2]
	for @{ $query->(q{SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_class c
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		WHERE c.relkind IN ('v', 'r', 'p') AND c.relname LIKE 'l4\_%'}) };
is_deeply([ map { my $t = $_; map { "$t.$_" } sort keys %{ $columns{$t} } } sort keys %columns ],
	[ map { my $t = $_; map { "$t.$_" } sort keys %{ $told{$t} } } sort keys %told ], 'columns are listed');

my @views = sort grep { $tables{$_} eq 'VIEW' } keys %tables;
my @empty = grep { !$rows{$_} } @views;
is_deeply(\@empty, [], 'no view is empty here');
for my $view (@views)
{
	is($rows{$view}, $node->safe_psql('bi', "SELECT count(*) FROM $view"), "$view: as many rows as in psql");
	my @names = sort keys %{ $told{$view} };
	my $counts = $node->safe_psql('bi', 'SELECT ' . join(', ', map { qq{count("$_"), count(DISTINCT "$_")} } @names)
		. " FROM $view");
	is(join('|', map { @{ $values{$view}{$_} }[0, 1] } @names), $counts, "$view: as many values in each column");
	next if $inner{$view};
	my @bad = grep {
		my $name = $_;
		my $type = $told{$view}{$name};
		my $kind = $values{$view}{$name}[2];
		!(grep { $_ == $columns{$view}{$name} } @{ $odbc_types{$type} // [] }) || $kind ne '-' && $kind ne $python_types{$type}
	} @names;
	is_deeply(\@bad, [], "$view: plain scalars of known types") or diag join "\n",
		map { "$_: $told{$view}{$_}, ODBC $columns{$view}{$_}, $values{$view}{$_}[2]" } @bad;
}

$node->stop;
done_testing();
