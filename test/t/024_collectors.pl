# Flows as they come from a real collector: exported as IPFIX, collected by nfcapd, loaded by the command of docs/flows.md.
# Times are to the millisecond then, and steps and groups come out as from the flows themselves.
use strict;
use warnings;
use File::Basename qw(dirname);
use IO::Socket::INET;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant IN_A_PACKET => 20;

my ($nfcapd) = grep { -x $_ } map { "$_/nfcapd" } split /:/, $ENV{PATH};
my ($nfdump) = grep { -x $_ } map { "$_/nfdump" } split /:/, $ENV{PATH};
plan skip_all => 'nfcapd and nfdump are not here (Debian: nfdump)' unless $nfcapd && $nfdump;

my $top = $ENV{L4_TOP} // dirname(__FILE__) . '/../..';
my $folder = PostgreSQL::Test::Utils::tempdir_short;
mkdir "$folder/$_" for 'collected', 'simulated';
system_or_bail('make', '-s', '-C', "$top/test/generate/flows");
system_or_bail("$top/test/generate/flows/flows", '--out', "$folder/simulated", '--scenario', 'small', '--seed', '11');

my $node = PostgreSQL::Test::Cluster->new('collectors');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nfsync = off\n");
$node->start;
$node->safe_psql('postgres', qq{CREATE EXTENSION l4; CREATE TABLE exact (LIKE l4_flow);
	\\copy exact FROM '$folder/simulated/flows.csv' CSV HEADER
	\\copy l4_accelerator FROM '$folder/simulated/accelerators.csv' CSV HEADER});

# ---------- a switch that exports them, and storage traffic beside ----------

my @flows = map { [split /\t/] } split /\n/, $node->safe_psql('postgres', "COPY (SELECT
		(extract(epoch FROM started_at) * 1000)::bigint, (extract(epoch FROM started_at) * 1000 + duration * 1000)::bigint,
		source, destination, port, 4791, bytes, packets
	FROM exact ORDER BY started_at) TO STDOUT");
push @flows, [1767225600000, 1767225601000, '10.1.0.1', '10.9.0.9', 700, 2049, 5, 1];

my ($probe) = map { IO::Socket::INET->new(Proto => 'udp', LocalAddr => '127.0.0.1')->sockport } 1;
my $log = "$folder/nfcapd.out";
my $collector = IPC::Run::start([$nfcapd, '-w', "$folder/collected", '-b', '127.0.0.1', '-p', $probe, '-B', '4000000'],
	'>', $log, '2>&1');
for my $try (1 .. 100) { last if -s $log && slurp_file($log) =~ /Startup/; select(undef, undef, undef, 0.1); }

# first and last in milliseconds, both addresses, both ports, protocol, bytes, packets
my @fields = ([152, 8], [153, 8], [8, 4], [12, 4], [7, 2], [11, 2], [4, 1], [1, 8], [2, 8]);
my $template = pack('n n', 256, scalar @fields) . join '', map { pack 'n n', @$_ } @fields;
my $switch = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$probe", Proto => 'udp') or die $!;
my $sent = 0;
sub export
{
	my ($set, $content) = @_;
	my $packet = pack('n n', $set, 4 + length $content) . $content;
	$switch->send(pack('n n N N N', 10, 16 + length $packet, 1767226000, $sent, 1) . $packet);
}
export(2, $template);
while (my @some = splice @flows, 0, IN_A_PACKET)
{
	export(256, join '', map { pack('Q> Q>', @$_[0, 1]) . join('', map { pack 'C4', split /\./ } @$_[2, 3])
		. pack('n n C Q> Q>', @$_[4, 5], 17, @$_[6, 7]) } @some);
	$sent += @some;
	select(undef, undef, undef, 0.002);
}
select(undef, undef, undef, 1);
$collector->signal('INT');
$collector->finish;
note(slurp_file($log));
like(slurp_file($log), qr/Flows: $sent,.*Sequence Errors: 0/, 'nfcapd has them all');

# ---------- loaded as docs/flows.md says ----------

my ($command) = slurp_file("$top/docs/flows.md") =~ /```sh\n(.*?)```/s;
ok($command, 'docs/flows.md has a command');
$command =~ s{/var/cache/nfdump}{$folder/collected};
$command =~ s{psql}{psql -X -q -v ON_ERROR_STOP=1 -h @{[$node->host]} -p @{[$node->port]} postgres};
ok(run_log(['bash', '-o', 'pipefail', '-c', $command]), 'it runs as written');

sub same
{
	my ($query, $what) = @_;
	is($node->safe_psql('postgres', $query), '0', $what);
}
is($node->safe_psql('postgres', 'SELECT count(*) FROM l4_flow'), $sent - 1, 'every flow of RoCE, and no other');
same(q{SELECT count(*) FROM (SELECT source, destination, port, bytes, packets FROM exact
	EXCEPT ALL SELECT source, destination, port, bytes, packets FROM l4_flow) t}, 'addresses, ports, bytes, packets');
same(q{WITH a AS (SELECT row_number() OVER w AS n, * FROM exact WINDOW w AS (PARTITION BY source, destination, port
			ORDER BY started_at)),
		b AS (SELECT row_number() OVER w AS n, * FROM l4_flow WINDOW w AS (PARTITION BY source, destination, port
			ORDER BY started_at))
	SELECT count(*) FROM a JOIN b USING (source, destination, port, n)
	WHERE abs(extract(epoch FROM a.started_at - b.started_at)) > 0.001 OR abs(a.duration - b.duration) > 0.002},
	'times to the millisecond');
same(q{SELECT count(*) FROM (SELECT kind, members FROM l4_flow_groups(flows => 'exact')
	EXCEPT SELECT kind, members FROM l4_flow_groups()) t}, 'the same groups');
is($node->safe_psql('postgres', q{SELECT count(*) FROM l4_flow_steps()}),
	$node->safe_psql('postgres', q{SELECT count(*) FROM l4_flow_steps(flows => 'exact')}), 'as many steps');
cmp_ok($node->safe_psql('postgres', q{SELECT count(*) FROM l4_flow_steps(flows => 'exact')}), '>', 100,
	'of which there are many');
same(q{SELECT count(*) FROM l4_flow_steps(flows => 'exact') a LEFT JOIN l4_flow_steps() b USING (address, step)
	WHERE b.ended IS NULL OR abs(extract(epoch FROM a.ended - b.ended)) > 0.002}, 'which end when they ended');

# ---------- a view under a collector's own names, many writers ----------

my ($view) = slurp_file("$top/docs/flows.md") =~ /(CREATE VIEW conn_log.*?;)/s;
$node->safe_psql('postgres', "$view CREATE ROLE zeek LOGIN; GRANT INSERT ON conn_log TO zeek");
my @writers = map {
	IPC::Run::start(['psql', '-X', '-q', '-h', $node->host, '-p', $node->port, '-U', 'zeek', 'postgres'], '<',
		\join('', ("INSERT INTO conn_log VALUES (now(), 0.5, 'fe80::$_', 'fe80::9', 4096);\n") x 200)) } 1 .. 4;
$_->finish for @writers;
is($node->safe_psql('postgres', q{SELECT count(*), count(DISTINCT source) FROM l4_flow WHERE destination = 'fe80::9'}), '800|4',
	'rows of four who write at once');

$node->stop;
done_testing();
