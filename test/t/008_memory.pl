# The memory of a backend that reads and shows logs is bounded, whatever the lines are: measured as the most that its process ever held.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'needs /proc/self/status' unless -r '/proc/self/status';

my $node = PostgreSQL::Test::Cluster->new('memory');
$node->init;
# pages of the buffer pool count for the process: few of them; and what is sorted or kept goes to disk early
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nshared_buffers = 4MB\nwork_mem = 1MB\nmaintenance_work_mem = 64MB\nmax_parallel_workers_per_gather = 0\njit = off\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION l4');
my $folder = PostgreSQL::Test::Utils::tempdir;

# The most that the process of a fresh backend held while it ran a statement, in megabytes.
sub megabytes
{
	my ($sql) = @_;
	my $status = $node->safe_psql('postgres', "SET client_min_messages = warning; $sql; SELECT pg_read_file('/proc/self/status')");
	$status =~ /^VmHWM:\s+(\d+) kB/m or die 'no VmHWM';
	return int($1 / 1024);
}

sub write_log
{
	my ($name, $write) = @_;
	mkdir "$folder/$name";
	open my $file, '>:raw', "$folder/$name/rank-0.log" or die;
	$write->($file);
	close $file;
}

sub import_of
{
	my ($name) = @_;
	return "SELECT l4_register_job('$name', '{}', 'failed'); CALL l4_import('$name', '$folder/$name')";
}

# what is done of each record leaves nothing behind
my @equal = (
	[ 'long value', 300_000, 'shard ' . ('a1' x 130) . " is there\n" ],
	[ 'no text', 300_000, "shard \xff\xfe\xff\xfe\xff\xfe is there 7\n" ],
	[ 'long host', 60_000, 'gpu1' . ('-node' x 200) . ": all is well\n" ],
	[ 'many numbers', 100_000, 'counts ' . join(' ', 1 .. 100) . "\n" ]);
for my $case (@equal)
{
	my ($name, $count, $line) = @$case;
	write_log($name, sub { my ($file) = @_; print $file $line x 1000 for 1 .. $count / 1000; });
	my $used = megabytes(import_of($name));
	cmp_ok($used, '<', 70, "$name: $count equal records leave nothing behind");
	note "$name: $used MB";
}
done_testing();
