# Small files that come in together share their rows: what is read back does not depend on which files do, whatever comes in
# between.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Path qw(make_path remove_tree);
use IPC::Run;
use LogFiles qw(write_file);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

$SIG{__DIE__} = sub { diag(@_) unless $^S };	# else it is told in a file that goes with the folder

my $node = PostgreSQL::Test::Cluster->new('bundles');
$node->init;
$node->append_conf('postgresql.conf',
	"timezone = 'UTC'\nmax_worker_processes = 8\nautovacuum = off\nrestart_after_crash = on\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION l4');

my $folder = PostgreSQL::Test::Utils::tempdir;

sub query
{
	my ($sql) = @_;
	return $node->safe_psql('postgres', $sql);
}

# ---------------------------------------------------------------------------------------------------------------------
# Logs: small ones of ranks, of what several ranks write, of a system, some odd ones, and one that is large.

sub rank_log
{
	my ($rank, $steps) = @_;
	my $host = 1 + $rank % 250;
	my $text = "[2026-11-20 10:00:00,000] [INFO] [train.py:1:main] rank $rank starts on 10.0.0.$host\n";
	for my $step (1 .. $steps)
	{
		$text .= sprintf "[2026-11-20 10:%02d:%02d,%03d] [INFO] [train.py:7:main] iteration %d loss %.4f rank %d\n",
			$step / 60, $step % 60, $rank, $step, 9 / $step, $rank;
		$text .= "[2026-11-20 10:30:00,000] [ERROR] [train.py:9:main] failed\nTraceback (most recent call last):\n"
			. "  File \"a.py\", line $rank, in x\nValueError: no $rank\n" if $step == 17 && $rank % 9 == 4;
	}
	return $text;
}

sub shared_log
{
	my ($number) = @_;
	return join '', map { my $step = $_; map { "[rank$_]: [2026-11-20 10:00:0$step,$_$_$_] [INFO] loads shard $step of "
		. "$number\n" } 0 .. 3 } 1 .. 6;
}

my %files = (
	(map { ("node-" . int($_ / 8) . "/rank-$_.log" => rank_log($_, 20 + $_ % 7)) } 0 .. 95),
	(map { ("shared/part-$_.log" => shared_log($_)) } 1 .. 12),
	(map { ("node-$_/syslog" => "Nov 20 10:00:0$_ node-$_ kernel: NVRM: Xid (PCI:0000:0$_:00): 79, fallen off the bus\n"
		x ($_ + 1)) } 0 .. 9),
	'odd/empty.log' => '', 'odd/no-end.log' => 'a line without an end',
	'odd/bytes.log' => join('', map { chr } 1 .. 255) . "\n",
	'odd/returns.log' => "one\rtwo\rthree\nfour\r\n", 'odd/lines.log' => "\n" x 30000,
	'large.log' => rank_log(3, 4000));

sub write_files
{
	my ($where, @names) = @_;
	write_file("$folder/$where/$_", $files{$_}) for @names;
}

sub import_job
{
	my ($job, $where, $options) = @_;
	query("SELECT l4_register_job('$job', '{\"framework\": \"a\"}', 'failed')");
	query("SET client_min_messages = error; CALL l4_import('$job', '$folder/$where'" . ($options // '') . ')');
}

# Everything that is read of a job, by table or function, without what says when it came in and which rows it shares.
my %readers = (
	log => 'SELECT to_jsonb(r) - ARRAY[\'job_id\']::text[] AS row FROM l4_log r WHERE job_id = $job',
	counts => 'SELECT to_jsonb(r) - ARRAY[\'job_id\'] FROM l4_stream_event r WHERE job_id = $job',
	parameters => 'SELECT to_jsonb(r) - ARRAY[\'job_id\'] FROM l4_stream_parameter r WHERE job_id = $job',
	streams => 'SELECT to_jsonb(r) - ARRAY[\'job_id\', \'bundle_id\', \'imported_at\', \'file_modified_at\']
		FROM l4_stream r WHERE job_id = $job',
	ranks => 'SELECT to_jsonb(r) - ARRAY[\'job_id\'] FROM l4_log r WHERE job_id = $job AND rank IN (3, 50)',
	times => 'SELECT to_jsonb(r) - ARRAY[\'job_id\'] FROM l4_log r WHERE job_id = $job AND ts < \'2026-11-20 10:00:05+00\'',
	lines => 'SELECT to_jsonb(r) - ARRAY[\'job_id\'] FROM l4_log r WHERE job_id = $job AND line_no = 3 AND shape_id IN
		(SELECT shape_id FROM l4_stream_event e WHERE e.job_id = $job AND e.first_line = 3)',
	grep => 'SELECT to_jsonb(r) FROM l4_grep($job, \'Xid|ValueError: no 4\') r',
	grep_rank => 'SELECT to_jsonb(r) FROM l4_grep($job, \'iteration 1\d\', rank => 50) r',
	context => 'SELECT to_jsonb(c) || jsonb_build_object(\'source\', s.source) FROM (SELECT DISTINCT source FROM l4_stream
		WHERE job_id = $job ORDER BY source LIMIT 40) s, l4_context($job, s.source, 4) c',
	at => 'SELECT to_jsonb(r) FROM l4_records_at($job, (SELECT array_agg(e.stream_id ORDER BY e.stream_id, e.shape_id)
		FROM l4_stream_event e WHERE e.job_id = $job), (SELECT array_agg(e.last_line ORDER BY e.stream_id, e.shape_id)
		FROM l4_stream_event e WHERE e.job_id = $job)) r',
	places => 'SELECT to_jsonb(r) || jsonb_build_object(\'source\', g.source_id) FROM l4_job_segments($job,
		(SELECT array_agg(DISTINCT source_id) FROM l4_stream WHERE job_id = $job AND rank < 20)) g,
		l4_stream_places(g.structure, g.texts, g.parameters, g.stream_ids, (SELECT array_agg(stream_id) FROM l4_stream
			WHERE job_id = $job)) r',
	records => 'SELECT to_jsonb(r) FROM l4_job_segments($job) g, l4_shape_records(g.structure, g.texts, g.parameters,
		g.stream_ids, (SELECT array_agg(DISTINCT shape_id) FROM l4_stream_event WHERE job_id = $job AND level = \'ERROR\')) r',
	sketches => 'SELECT to_jsonb(p) FROM l4_job_sketches($job, (SELECT array_agg(DISTINCT source_id) FROM l4_stream
		WHERE job_id = $job AND rank = 7)) k, l4_sketch_parameters(k.sketch) p',
	clocks => 'SELECT to_jsonb(c) FROM l4_source_clocks($job, l4_limits_in_force()) c',
	firsts => 'SELECT to_jsonb(f) FROM l4_job_first_times($job) f',
	diagnosis => 'SELECT to_jsonb(f) - ARRAY[\'job_id\'] FROM l4_diagnose($job) f');

sub read_job
{
	my ($job) = @_;
	my %read;
	for my $name (keys %readers)
	{
		(my $sql = $readers{$name}) =~ s/\$job\b/'$job'/g;
		$read{$name} = query(qq{SELECT count(*), md5(string_agg(r::text, E'\\n' ORDER BY r::text COLLATE "C"))
			FROM ($sql) x (r)});
	}
	return \%read;
}

sub bundle_count
{
	my ($job) = @_;
	return query("SELECT count(*) FROM l4_segment WHERE job_id = '$job' AND segment_no = -1");
}

# Rows of bundles are of the streams that say so, and of no others.
sub is_consistent
{
	my ($job, $what) = @_;
	is(query(qq{
		WITH listed AS (SELECT g.source_id AS bundle, u.id FROM l4_segment g, unnest(g.stream_ids) u (id)
				WHERE g.job_id = '$job' AND g.segment_no = -1),
			counted AS (SELECT c.source_id AS bundle, e.stream_id AS id FROM l4_source_counts c, l4_unpack_counts(c.counts) e
				WHERE c.job_id = '$job' AND c.source_id IN (SELECT l.bundle FROM listed l) GROUP BY 1, 2),
			said AS (SELECT s.bundle_id AS bundle, s.stream_id AS id FROM l4_stream s
				WHERE s.job_id = '$job' AND s.bundle_id IS NOT NULL AND s.record_count > 0),
			known AS (SELECT DISTINCT k.source_id AS bundle, p.stream_id AS id FROM l4_parameter_sketch k,
				l4_sketch_parameters(k.sketch) p WHERE k.job_id = '$job' AND k.source_id IN (SELECT l.bundle FROM listed l))
		SELECT (SELECT count(*) FROM (TABLE listed EXCEPT ALL TABLE said) x), (SELECT count(*) FROM (TABLE said EXCEPT ALL
			TABLE listed) x), (SELECT count(*) FROM (TABLE counted EXCEPT ALL TABLE said) x), (SELECT count(*) FROM (TABLE said
			EXCEPT ALL TABLE counted) x), (SELECT count(*) FROM (TABLE known EXCEPT TABLE said) x),
			(SELECT count(*) FROM l4_segment g JOIN LATERAL (SELECT sum(s.record_count) AS records, sum(s.byte_count) AS bytes
				FROM l4_stream s WHERE s.job_id = g.job_id AND s.bundle_id = g.source_id) s
				ON (s.records, s.bytes) IS DISTINCT FROM (g.record_count, g.raw_bytes)
			WHERE g.job_id = '$job' AND g.segment_no = -1)}), '0|0|0|0|0|0', "$what: bundles hold what is said of them");
}

# ---------------------------------------------------------------------------------------------------------------------
# Together, apart, by several processes, in one transaction, out of an archive.

my @names = sort keys %files;
write_files('together', @names);
import_job('together', 'together');
# a few at a time share nothing
while (my @few = splice @names, 0, 5)
{
	write_files('apart', @few);
	import_job('apart', 'apart');
}
@names = sort keys %files;
my $apart = read_job('apart');
cmp_ok(bundle_count('together'), '>', 0, 'small files that come in together share rows');
is(bundle_count('apart'), 0, 'a few that come in at a time do not');
is_deeply(read_job('together'), $apart, 'what is read back is the same');
is_consistent('together', 'together');
is(query("SELECT count(*) FROM l4_stream WHERE job_id = 'together' AND source = 'large.log' AND bundle_id IS NULL"), 1,
	'a large file stays by itself');

import_job('workers', 'together', ', workers => 3');
is_deeply(read_job('workers'), $apart, 'by three processes the same');
is_consistent('workers', 'by three processes');

query("SELECT l4_register_job('block', '{\"framework\": \"a\"}', 'failed')");
query("SET client_min_messages = error; BEGIN; CALL l4_import('block', '$folder/together'); COMMIT");
is_deeply(read_job('block'), $apart, 'in a transaction block the same');
is_consistent('block', 'in a transaction block');

system_or_bail('tar', '-C', "$folder/together", '-czf', "$folder/all.tar.gz", map { "./$_" } @names);
make_path("$folder/archive");
rename "$folder/all.tar.gz", "$folder/archive/all.tar.gz" or die;
import_job('archive', 'archive');
cmp_ok(bundle_count('archive'), '>', 1, 'members of an archive share rows');
is(query(qq{SELECT count(*), md5(string_agg(raw, E'\\n' ORDER BY regexp_replace(source, '^.*all.tar.gz[/!]*', '') COLLATE "C",
		line_no, part)) FROM l4_log WHERE job_id = 'archive'}),
	query(qq{SELECT count(*), md5(string_agg(raw, E'\\n' ORDER BY source COLLATE "C", line_no, part)) FROM l4_log
		WHERE job_id = 'apart'}), 'with the same lines');
import_job('archive', 'archive');
is_consistent('archive', 'an archive');
write_file("$folder/archive/all.tar.gz", do { local (@ARGV, $/) = "$folder/archive/all.tar.gz"; my $all = <>; "$all\n" });
import_job('archive', 'archive');
is_consistent('archive', 'an archive that came again');

# ---------------------------------------------------------------------------------------------------------------------
# Files that grow, change or become large leave their bundle; the others stay as they are.

sub change_files
{
	my (@changed) = @_;
	$files{$_} .= "[2026-11-20 11:00:00,000] [INFO] [train.py:8:main] said later by $_\n" for @changed;
}

change_files('node-0/rank-1.log', 'node-5/rank-40.log', 'shared/part-2.log');
$files{'node-0/rank-2.log'} = rank_log(2, 3);
$files{'node-0/rank-4.log'} = '';
$files{'node-1/rank-9.log'} = rank_log(9, 3000);
write_files('together', 'node-0/rank-1.log', 'node-5/rank-40.log', 'shared/part-2.log', 'node-0/rank-2.log',
	'node-0/rank-4.log', 'node-1/rank-9.log');
import_job($_, 'together') for 'together', 'block';
write_files('fresh', @names);
import_job('fresh', 'fresh');
my $fresh = read_job('fresh');
is_deeply(read_job('together'), $fresh, 'after some files changed: as if all had come anew');
is_consistent('together', 'after some files changed');
is_deeply(read_job('block'), $fresh, 'as in the other job');

change_files(grep { /rank-(\d+)/ && $1 % 2 } @names);
write_files('together', @names);
import_job('together', 'together', ', workers => 3');
remove_tree("$folder/fresh");
write_files('fresh', @names);
query("SELECT l4_delete_job('fresh')");
import_job('fresh', 'fresh');
is_deeply(read_job('together'), read_job('fresh'), 'half of them changed, by three processes');
is_consistent('together', 'half of them changed');

my $before = query("SELECT array_agg(DISTINCT source_id) FROM l4_segment WHERE job_id = 'together' AND segment_no = -1");
change_files(@names);
write_files('together', @names);
import_job('together', 'together');
is_consistent('together', 'all changed');
is(query("SELECT sum(record_count) = (SELECT count(*) FROM l4_log WHERE job_id = 'together') FROM l4_stream
	WHERE job_id = 'together'"), 't', 'all changed: no record is there twice, none is missing');
is(query("SELECT count(*) FROM l4_segment g WHERE job_id = 'together' AND segment_no = -1 AND NOT EXISTS (
	SELECT FROM l4_stream s WHERE s.job_id = g.job_id AND s.bundle_id = g.source_id)"), 0,
	'bundles that all files left are gone');

# ---------------------------------------------------------------------------------------------------------------------
# An import that is broken off goes on where it was.

write_files("many/$_", grep { !/large|lines/ } @names) for 1 .. 4;
query("SELECT l4_register_job('broken', '{}', 'failed')");
for my $round (1 .. 6)
{
	$node->psql('postgres', "SET client_min_messages = error; SET statement_timeout = '" . 60 * $round . "ms';
		CALL l4_import('broken', '$folder/many'" . ($round % 2 ? '' : ', workers => 2') . ')');
}
import_job('whole', 'many');
import_job('broken', 'many');
query("SELECT l4_register_job('$_', '{}', 'failed')") for 'broken', 'whole';
is_deeply(read_job('broken'), read_job('whole'), 'broken off six times: the same');
is_consistent('broken', 'broken off six times');

query("SELECT l4_register_job('killed', '{}', 'failed')");
my $session = IPC::Run::start([ 'psql', '-Xq', '-d', $node->connstr('postgres'), '-c', 'SET client_min_messages = error',
	'-c', "CALL l4_import('killed', '$folder/many')" ], '<', \undef, '>', \my $out, '2>', \my $err);
$node->poll_query_until('postgres', "SELECT count(*) > 100 FROM l4_stream WHERE job_id = 'killed'");
my $pid = query("SELECT pid FROM pg_stat_activity WHERE query LIKE 'CALL%killed%'");
kill 'KILL', $pid if $pid ne '';
$session->finish;
$node->poll_query_until('postgres', 'SELECT true');
import_job('killed', 'many');
query("SELECT l4_register_job('killed', '{}', 'failed')");
is_deeply(read_job('killed'), read_job('whole'), 'killed: the same');
is_consistent('killed', 'killed');

# ---------------------------------------------------------------------------------------------------------------------
# Text that is dropped, jobs that are deleted, dump and restore.

query("SELECT l4_drop_log_text('workers', false)");
is(query("SELECT count(*) FROM l4_log WHERE job_id = 'workers'"), 0, 'the text of a bundle can be dropped');
is(query("SELECT count(*) > 0 FROM l4_stream_event WHERE job_id = 'workers'"), 't', 'its counts stay');
import_job('workers', 'together');
is_consistent('workers', 'text that came again');
is_deeply(read_job('workers'), read_job('together'), 'and its text comes again');

$node->command_ok([ 'pg_dump', '-Fc', '-f', "$folder/dump", $node->connstr('postgres') ], 'dump');
query('CREATE DATABASE restored');
$node->command_ok([ 'pg_restore', '-d', $node->connstr('restored'), "$folder/dump" ], 'restore');
my $all_lines = "SELECT md5(string_agg(l::text, '' ORDER BY job_id, source, line_no, part, stream_id)) FROM l4_log l";
is($node->safe_psql('restored', $all_lines), query($all_lines), 'restored as it was');

query("SELECT l4_delete_job('broken')");
is(query('SELECT ' . join ' + ', map { "(SELECT count(*) FROM $_ WHERE job_id = 'broken')" }
	qw(l4_stream l4_segment l4_source_counts l4_parameter_sketch l4_source_state)), 0, 'nothing of a deleted job stays');

# ---------------------------------------------------------------------------------------------------------------------
# Bytes that are not as they were written.

sub fails_as_damaged
{
	my ($change, $read, $what) = @_;
	my ($status, $out, $error) = $node->psql('postgres', "BEGIN; $change; $read; ROLLBACK",
		extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	like($error, qr/XX001.*damaged/, $what);
}

my $read_log = "SELECT count(raw) FROM l4_log WHERE job_id = 'whole'";
my $flip = 'overlay(%1$s PLACING set_byte(substr(%1$s, 40, 1), 0, get_byte(%1$s, 39) # 1) FROM 40)';
for my $column (qw(structure texts parameters))
{
	(my $damaged = $flip) =~ s/%1\$s/$column/g;
	my $change = "UPDATE l4_segment SET $column = $damaged WHERE job_id = 'whole' AND segment_no = -1";
	fails_as_damaged($change, $read_log, "a byte of $column: l4_log");
	fails_as_damaged($change, "SELECT count(*) FROM l4_grep('whole', 'iteration')", "a byte of $column: l4_grep");
}
(my $damaged = $flip) =~ s/%1\$s/sketch/g;
fails_as_damaged("UPDATE l4_parameter_sketch SET sketch = $damaged WHERE job_id = 'whole'",
	"SELECT count(*) FROM l4_stream_parameter WHERE job_id = 'whole'", 'a byte of the statistics');
for my $column (qw(structure texts parameters))
{
	my $change = "UPDATE l4_segment SET $column = (SELECT o.$column FROM l4_segment o WHERE o.job_id = 'whole'
		AND o.segment_no = -1 AND o.source_id <> l4_segment.source_id LIMIT 1) WHERE job_id = 'whole' AND segment_no = -1";
	fails_as_damaged($change, $read_log, "the $column of another bundle: l4_log");
	fails_as_damaged($change, "SELECT count(*) FROM l4_grep('whole', 'iteration')", "the $column of another bundle: l4_grep");
}
fails_as_damaged("UPDATE l4_segment SET stream_ids = stream_ids[1:2] WHERE job_id = 'together' AND segment_no = -1",
	"SELECT count(*) FROM l4_segment g, l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r
	WHERE g.job_id = 'together'", 'streams that are missing');

$node->stop;
done_testing();
