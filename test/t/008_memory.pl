# The memory of a backend that reads and shows logs is bounded, whatever the lines are: measured as the most that its process
# ever held.
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'needs /proc/self/status' unless -r '/proc/self/status';

my $node = PostgreSQL::Test::Cluster->new('memory');
$node->init;
# pages of the buffer pool count for the process: few of them; and what is sorted or kept goes to disk early
$node->append_conf('postgresql.conf',
	"timezone = 'UTC'\nshared_buffers = 4MB\nwork_mem = 1MB\nmaintenance_work_mem = 64MB\nmax_parallel_workers_per_gather = "
	. "0\njit = off\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION l4');
my $folder = PostgreSQL::Test::Utils::tempdir;

# Runs a statement in a fresh backend, whose process must not have held more than so many megabytes. Returns the statement's
# result.
sub within
{
	my ($most, $name, $sql) = @_;
	my $out = $node->safe_psql('postgres', "SET client_min_messages = warning; $sql; SELECT pg_read_file('/proc/self/status')");
	my ($result, $status) = $out =~ /^(.*?)\n?(Name:.*)$/s or die 'no status';
	$status =~ /^VmHWM:\s+(\d+) kB/m or die 'no VmHWM';
	my $used = int($1 / 1024);
	cmp_ok($used, '<', $most, "$name: less than $most MB");
	note "$name: $used MB";
	return $result;
}

sub write_log
{
	my ($name, $write, $as) = @_;
	mkdir "$folder/$name";
	open my $file, '>:raw', "$folder/$name/" . ($as || 'rank-0.log') or die;
	$write->($file);
	close $file;
}

sub slurp { open my $file, '<:raw', "$folder/$_[0]/rank-0.log" or die; local $/; return scalar <$file>; }

sub import_of
{
	my ($name, $workers) = @_;
	return "SELECT l4_register_job('$name', '{}', 'failed'); CALL l4_import('$name', '$folder/$name', workers => "
		. ($workers || 1) . ')';
}

# 1. What is done of each record leaves nothing behind
my @equal = (
	[ 'long value', 300_000, 'shard ' . ('a1' x 130) . " is there\n" ],
	[ 'no text', 300_000, "shard " . ("\xff\xfe" x 40) . " is there 7\n" ],
	[ 'long host', 60_000, 'gpu1' . ('-node' x 200) . ": all is well\n" ],
	[ 'many numbers', 100_000, 'counts ' . join(' ', 1 .. 100) . "\n" ]);
for my $case (@equal)
{
	my ($name, $count, $line) = @$case;
	write_log($name, sub { my ($file) = @_; print $file $line x 1000 for 1 .. $count / 1000; }, 'all.log');
	within(70, "$count equal records, $name", import_of($name));
}

# 2. A hole of NUL bytes, which as text takes four times its room
my $megabytes = 60;
write_log('hole', sub { my ($file) = @_; print $file "2026-11-20 22:31:38,097 INFO begins\n"; print $file "\0" x (1024 * 1024)
	for 1 .. $megabytes; print $file "\n2026-11-20 22:31:39,097 INFO ends\n"; });
within(80, 'import of a hole', import_of('hole'));
is(within(120, 'reading a hole', q{SELECT sum(length(raw)) / 1048576, sum(length(message)) / 1048576,
	sum(octet_length(raw_bytes)) FROM l4_log WHERE job_id = 'hole'}),
	join('|', 4 * $megabytes, 4 * $megabytes, length(slurp('hole'))), 'all of it is shown');
is($node->safe_psql('postgres', q{SELECT string_agg(DISTINCT h.shape, ' / ') FILTER (WHERE l.line_no = 2 AND l.part > 0),
	count(DISTINCT h.shape) FROM l4_log l JOIN l4_shape h USING (shape_id) WHERE job_id = 'hole'}),
	'<*>|4', 'the rest of a line is of one shape');

# 3. Long lines: cut at the same places however they come, no byte lost
my $n = 3;
my $word = sub { $n = ($n * 1103515245 + 12345) % 2147483648; (qw(alpha beta gamma delta error tensor 17 rank /data/a.bin),
	chr(195) . chr(169))[($n >> 8) % 10] };
my $words = join ' ', map { $word->() } 1 .. 600_000;
my @long = map { ("2026-11-20 22:31:38,097 ERROR shard number $_ of \r\n", "\tat " . substr($words, $_, 1000 * $_) . "\n",
	substr($words, 3 * $_, 1_000_000 + 100_000 * $_) . ($_ % 3 ? "\n" : "\r\n")) } 1 .. 15;
write_log('long', sub { my ($file) = @_; print $file @long; });
within(100, 'import of long lines', import_of('long'));
my $digest = q{SELECT count(*), count(*) FILTER (WHERE part > 0) > 10, max(octet_length(raw_bytes)) < 1049000,
	md5(string_agg(raw_bytes, '' ORDER BY line_no, part)) FROM l4_log WHERE job_id = };
my ($count, $parts, $bounded, $md5) = split /\|/, $node->safe_psql('postgres', "$digest 'long'");
is("$parts $bounded $md5", 't t ' . md5_hex(slurp('long')), 'every byte of long lines comes back, in records of bounded size');
# grown in the midst of a line, twice; and by two processes, in parts
my $all = slurp('long');
my $records = q{SELECT md5(string_agg(concat_ws(',', line_no, part, ts, level, shape_id, md5(raw_bytes)), ';' ORDER BY line_no,
	part)) FROM l4_log WHERE job_id = };
my $counts = q{SELECT md5(string_agg(concat_ws(',', shape_id, occurrences, first_line, last_line, level),
	';' ORDER BY shape_id)) FROM l4_stream_event WHERE job_id = };
for my $size (2_500_000, 9_000_001, length($all))
{
	write_log('grown', sub { my ($file) = @_; print $file substr($all, 0, $size); });
	$node->safe_psql('postgres', import_of('grown'));
}
write_log('shared', sub { my ($file) = @_; print $file $all; });
$node->safe_psql('postgres', "SELECT l4_register_job('shared', '{}', 'failed');
	CALL l4_import('shared', '$folder/shared', workers => 2, part_bytes => 2000000)");
for my $job ('grown', 'shared')
{
	is($node->safe_psql('postgres', "$_ '$job'"), $node->safe_psql('postgres', "$_ 'long'"), "$job: as read at once")
		for ($records, $counts);
}

# 4. A flood of long shapes
write_log('text', sub { my ($file) = @_; print $file '2026-11-20 22:31:38,097 INFO ', substr($words, 200 * $_, 12000),
	"\n" for 1 .. 8000; print $file "2026-11-20 22:31:39,097 ERROR shard is lost\n"; });
within(160, 'import of a flood of long shapes', import_of('text'));
is($node->safe_psql('postgres', q{SELECT sum(octet_length(h.shape)) < 18000000, count(*) > 100,
	count(*) FILTER (WHERE h.event_id IS NULL), count(*) FILTER (WHERE h.shape = 'shard is lost')
	FROM l4_shape h WHERE h.shape_id IN (SELECT shape_id FROM l4_stream_event WHERE job_id = 'text')}), 't|t|0|1',
	'its shapes are bounded in bytes too, and what comes behind it is told');

# 5. Diagnosis reads the ends of long records, and numbers the lines behind what it leaves out
my $trace = "2026-11-20 22:41:38,097 ERROR Traceback (most recent call last):\n"
	. join('', map { ("  File \"a.py\", line $_, in f\n    step($_)\n") } 1 .. 2000) . "RuntimeError: shard is lost\n";
mkdir "$folder/grave";
write_log('grave', sub {
	my ($file) = @_;
	printf $file "2026-11-20 22:%02d:38,097 INFO step %d of 100 loss 1.0\n", $_, $_ for 1 .. 40;
	print $file $trace;
	for my $i (0 .. 99) { print $file '2026-11-20 22:42:38,097 ERROR unit ', chr(97 + $i % 26) x 3, chr(97 + $i / 26) x 3,
		' failed with ', substr($words, $i * 100, 1_000_000), "\n"; }
});
within(120, 'import of long grave records', import_of('grave'));
my $findings = within(150, 'diagnosis of long grave records', q{SELECT count(*) > 50, max(octet_length(evidence)) < 4000,
	bool_or(evidence LIKE '%rank-0.log:4042: RuntimeError: shard is lost%') FROM l4_diagnose('grave')});
is($findings, 't|t|t', 'they are found and quoted');
within(150, 'report of long grave records', q{SELECT length(l4_report('grave', 'text')) > 1000});
done_testing();
