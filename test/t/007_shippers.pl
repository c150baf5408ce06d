# rsyslog with the configuration of docs/shippers.md: every line arrives once and in order, while lines are taken in.
use strict;
use warnings;
use File::Basename qw(dirname);
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($rsyslogd) = grep { -x $_ } '/usr/sbin/rsyslogd', '/usr/bin/rsyslogd', '/sbin/rsyslogd';
my ($module) = glob('/usr/lib*/*/rsyslog/ompgsql.so /usr/lib*/rsyslog/ompgsql.so');
plan skip_all => 'rsyslogd is not here (Debian: rsyslog)' unless $rsyslogd;
plan skip_all => 'rsyslog\'s module ompgsql is not here (Debian: rsyslog-pgsql)' unless $module;

my $node = PostgreSQL::Test::Cluster->new('shippers');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nfsync = off\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION l4; CREATE ROLE shipper LOGIN; GRANT INSERT ON l4_inbox TO shipper');
$node->safe_psql('postgres', "SELECT l4_register_job('job-1437825', '{}', 'running')");

# ---------- the configuration, with the paths and the connection of this test ----------

my $folder = PostgreSQL::Test::Utils::tempdir_short;
mkdir "$folder/$_" for 'train', 'spool';
my $top = $ENV{L4_TOP} // dirname(__FILE__) . '/../..';
my ($configuration) = slurp_file("$top/docs/shippers.md") =~ /```rsyslog\n(.*?)```/s;
ok($configuration, 'docs/shippers.md has a configuration');
my $connection = 'postgresql://shipper@/postgres?host=' . $node->host . '&port=' . $node->port;
$configuration =~ s{/var/spool/rsyslog}{$folder/spool};
$configuration =~ s{/var/log/train}{$folder/train};
$configuration =~ s{/run/systemd/journal/syslog}{$folder/syslog};
$configuration =~ s{postgresql://shipper\@db.example/l4}{$connection}g;
$configuration =~ s{module\(load="imuxsock"\)}{module(load="imuxsock" sysSock.use="off")};
open my $file, '>', "$folder/rsyslog.conf" or die $!;
print $file $configuration;
close $file;
ok(run_log([$rsyslogd, '-N1', '-f', "$folder/rsyslog.conf"]), 'rsyslog takes it') or die 'rsyslog refuses the configuration';

# ---------- lines, written while they are shipped and taken in ----------

my $log = "$folder/rsyslogd.out";
my $daemon = IPC::Run::start([$rsyslogd, '-n', '-f', "$folder/rsyslog.conf", '-i', "$folder/pid"], '>', $log, '2>&1');

my %written;
sub write_lines
{
	my ($name, @lines) = @_;
	open my $out, '>>:raw', "$folder/train/$name" or die $!;
	print $out map { "$_\n" } @lines;
	close $out;
	push @{$written{"$folder/train/$name"}}, @lines;
}

my $taken = 0;
sub take { $taken += $node->safe_psql('postgres', 'SELECT rows FROM l4_ingest_inbox()') }

for my $batch (1 .. 10)
{
	for my $name ('rank_0.log', 'rank_1.log')
	{
		write_lines($name, map { "[2026-11-20 22:31:38,097] [INFO] [train.py:52:main] step=" . (20 * $batch + $_)
			. " of $name loss=5.25" } 1 .. 20);
		write_lines($name, "it's a 'quoted' line; DROP TABLE l4_inbox; --", 'a back\\slash \\n and \\', "a\ttab",
			"caf\xc3\xa9 \xe2\x96\x88 50%", '%msg% $!all-json',
			'[2026-11-20 22:31:39,000] [ERROR] [train.py:52:main] failed', 'Traceback (most recent call last):',
			'  File "a.py", line 1, in <module>', 'ValueError: no 7', "number $batch");
	}
	take();
	select(undef, undef, undef, 0.1);
}
my $messages = 0;
SKIP:
{
	my ($logger) = grep { -x $_ } '/usr/bin/logger', '/bin/logger';
	skip 'no logger', 1 unless $logger;
	$messages = 1;
	for my $try (1 .. 100) { last if -S "$folder/syslog"; select(undef, undef, undef, 0.1); }
	system_or_bail($logger, '-u', "$folder/syslog", '-t', 'kernel', '-p', 'kern.err',
		'NVRM: Xid (PCI:0000:0c:00): 79, GPU has fallen off the bus.');
	for my $try (1 .. 300)
	{
		take();
		last if $node->safe_psql('postgres', "SELECT count(*) FROM l4_log WHERE source = 'syslog'");
		select(undef, undef, undef, 0.1);
	}
	like($node->safe_psql('postgres', "SELECT level, message FROM l4_log WHERE source = 'syslog'"),
		qr/^error\|.*Xid \(PCI:0000:0c:00\): 79/, 'a message of the node arrives');
}
my $expected = 0;
$expected += @$_ for values %written;
for my $try (1 .. 600)
{
	take();
	last if $taken >= $expected + $messages;
	select(undef, undef, undef, 0.1);
}
kill 'TERM', $daemon->{KIDS}[0]{PID};
$daemon->finish;
take();
note(slurp_file($log));
is($node->safe_psql('postgres', 'SELECT count(*) FROM l4_inbox'), '0', 'the inbox is empty');
for my $source (sort keys %written)
{
	my $got = $node->safe_psql('postgres', "SELECT convert_from(string_agg(raw_bytes, '' ORDER BY line_no, part), 'UTF8')
		FROM l4_log WHERE source = '$source'");
	is($got, join("\n", @{$written{$source}}) . "\n", 'every line of ' . (split m{/}, $source)[-1]
		. ' once, in order and byte by byte') or diag(substr($got, 0, 2000));
	is($node->safe_psql('postgres',
		"SELECT count(*) FROM l4_log WHERE source = '$source' AND message ~ '^failed\\nTraceback.*\\nValueError'"), '10',
		'tracebacks are one record');
}
is($node->safe_psql('postgres', q{SELECT string_agg(DISTINCT rank::text, ',' ORDER BY rank::text) FROM l4_stream
	WHERE source LIKE '%rank_%'}), '0,1', 'ranks are known by the path');

$node->stop;
done_testing();
