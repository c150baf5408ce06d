# Import of odd and of plain files: nothing is lost, nothing doubled, whatever comes in between.
use strict;
use warnings;
use Cwd qw(abs_path);
use Digest::MD5;
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Path qw(make_path);
use LogFiles qw(write_file);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('import');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nmax_wal_size = '4GB'\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION l4');

my $folder = PostgreSQL::Test::Utils::tempdir;

sub md5_of_file
{
	my ($path) = @_;
	open my $file, '<:raw', $path or die "$path: $!";
	return Digest::MD5->new->addfile($file)->hexdigest;
}

# source => md5 of the bytes that the log gives back
sub md5_of_job
{
	my ($job) = @_;
	my $rows = $node->safe_psql('postgres', qq{
		SELECT s.source, md5(coalesce(string_agg(l.raw_bytes, ''::bytea ORDER BY l.line_no, l.part), ''))
		FROM (SELECT DISTINCT source FROM l4_stream WHERE job_id = '$job') s
			LEFT JOIN l4_log l ON l.job_id = '$job' AND l.source = s.source
		GROUP BY s.source});
	return map { my @f = split /\|/; ($f[0] => $f[1]) } split /\n/, $rows;
}

sub register
{
	my ($job, $more) = @_;
	$more //= '';
	$node->safe_psql('postgres',
		"SELECT l4_register_job('$job', '{\"model\": \"m\", \"framework\": \"f\"}', 'failed',
			started_at => '2026-11-20 22:00+00'$more)");
}

# what an import amounts to, whatever the job is called
sub summary
{
	my ($job) = @_;
	return $node->safe_psql('postgres', qq{
		SELECT 'events', md5(string_agg(concat_ws('|', s.source, s.label, s.kind, s.node, s.rank, e.shape_id, e.occurrences,
			e.level, e.component,
			e.first_line, e.last_line, e.first_ts, e.last_ts, e.stage, e.first_iteration, e.last_iteration, h.event_id), E'\\n'
			ORDER BY s.source COLLATE "C", s.label COLLATE "C", e.shape_id))
		FROM l4_stream s JOIN l4_stream_event e USING (job_id, stream_id) JOIN l4_shape h USING (shape_id) WHERE job_id = '$job'
		UNION ALL SELECT 'records', count(*) || ' '
			|| md5(string_agg(md5(raw_bytes) || coalesce(iteration, 0) || coalesce(stage, ''), '' ORDER BY source COLLATE "C",
				line_no, part)) FROM l4_log WHERE job_id = '$job'
		UNION ALL SELECT 'timeline', md5(iterations::text || started_at::text)
		FROM l4_timeline WHERE job_id = '$job' ORDER BY 1});
}

# 1. Odd files
my $line = '[2026-11-20 22:31:38,097] [INFO] [train.py:52:main] [Rank 0] step=12 loss=5.25 of /data/shard_01.bin';
my %odd = (
	'node-1/rank-0.log' => "$line\n$line\n",
	'node-1/no-final-newline.log' => "$line\nlast words",
	'node-1/empty.log' => '',
	'node-1/only-newlines.log' => "\n\n\n",
	'node-1/nul.log' => "before\0\0\0\0after\n" . ("\0" x 5000) . "\n$line\n",
	'node-1/latin1.log' => "caf\xe9 au lait 17\n\xff\xfe\x00x\n\xc3\n\xe2\x82\n",
	'node-1/utf8.log' => "\xe2\x96\x88\xe2\x96\x88 37\xe2\x82\xac \xe4\xb8\xad\xe6\x96\x87 12\n",
	'node-1/crlf.log' => "one\r\ntwo 2\r\n\r\nthree",
	'node-1/bars.log' => "  0%|          | 0/50 [00:00<?, ?it/s]\r  2%|2         | 1/50 [00:01<00:49,  "
		. "1.01s/it]$line\n\rdone\r\r\n\r",
	'node-1/placeholders.log' => "a literal <*> and <<*>> and <* 5 *> <\n<*>",
	'node-1/long.log' => 'x' x 40000 . ' ' . '7' x 40000 . "\n$line\n",
	'node-1/traceback.log' => "[2026-11-20 22:31:38,097] [ERROR] [train.py:52:main] failed\nTraceback (most recent call "
		. "last):\n  File \"a.py\", line 1, in <module>\n    main()\nValueError: no 7\n\nDuring handling of the above "
		. "exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"b.py\", line "
		. "3\nKeyError: 'x'\n$line\n",
	'node-1/huge.log' => ('0123456789abcdef' x (50 * 65536)) . "\n$line\n",
	'labels.log' => join('', map { ($_ % 4) . ": [rank" . ($_ % 4) . "]:$line\n" . ($_ % 4) . ":   continued\n" } 0 .. 99),
);
write_file("$folder/odd/$_", $odd{$_}) for keys %odd;
register('odd');
my ($code, $out, $err) = $node->psql('postgres', "CALL l4_import('odd', '$folder/odd')");
is($code, 0, 'odd files are imported') or diag($err);
like($err, qr/from \d+ files; 0 unchanged, 0 unreadable/, 'a notice says what was done');
my %got = md5_of_job('odd');
is($got{$_} // 'missing', md5_of_file("$folder/odd/$_"), "every byte of $_ comes back") for sort keys %odd;

# 2. Called again: nothing changes
my $before = summary('odd');
($code, $out, $err) = $node->psql('postgres', "CALL l4_import('odd', '$folder/odd')");
like($err, qr/from 0 files; ${\ scalar keys %odd} unchanged/, 'a second call reads nothing');
is(summary('odd'), $before, 'and changes nothing');

# 3. A file that grew and one that is new
my $added = "$line\nTraceback (most recent call last):\n  File \"a.py\", line 1\nValueError: late\n";
open my $file, '>>:raw', "$folder/odd/node-1/no-final-newline.log"; print $file " go on\n$added"; close $file;
write_file("$folder/odd/node-2/rank-1.log", "$line\n");
($code, $out, $err) = $node->psql('postgres', "CALL l4_import('odd', '$folder/odd')");
like($err, qr/from 2 files;/, 'only what grew or is new is read');
%got = md5_of_job('odd');
is($got{$_}, md5_of_file("$folder/odd/$_"), "$_ is complete") for 'node-1/no-final-newline.log', 'node-2/rank-1.log';

# 4. Compressed files and archives give the same as the plain folder; the order in an archive does not matter
my $real = $ENV{L4_TOP} ? "$ENV{L4_TOP}/test/data/demo" : dirname(__FILE__) . '/../data/demo';
my ($archive) = sort glob("$real/*.tar.gz");
SKIP:
{
	skip 'no demo data', 6 unless defined $archive;
	make_path("$folder/plain", "$folder/packed");
	system_or_bail('tar', '-xzf', abs_path($archive), '-C', "$folder/plain");
	my ($top) = glob("$folder/plain/*");
	my @files = map { substr($_, length("$top/")) } split /\n/, `find '$top' -type f | LC_ALL=C sort`;
	register('plain');
	$node->safe_psql('postgres', "CALL l4_import('plain', '$top')");
	my $plain = summary('plain');
	%got = md5_of_job('plain');
	is_deeply(\%got, { map { $_ => md5_of_file("$top/$_") } @files }, 'real logs come back byte by byte');
	system_or_bail('tar', '-czf', "$folder/packed/backwards.tar.gz", '-C', $top, reverse @files);
	register('backwards');
	$node->safe_psql('postgres', "CALL l4_import('backwards', '$folder/packed/backwards.tar.gz')");
	is(summary('backwards'), $plain, 'an archive in reverse order gives the same');
	system_or_bail('cp', '-r', $top, "$folder/zipped");
	system_or_bail('sh', '-c', "find '$folder/zipped' -type f | while read f; do gzip \"\$f\"; done");
	register('zipped');
	$node->safe_psql('postgres', "CALL l4_import('zipped', '$folder/zipped')");
	my $same = $node->safe_psql('postgres',
		q{SELECT count(*) FROM (SELECT source, raw_bytes, line_no, part, node, rank FROM l4_log WHERE job_id = 'plain'
		EXCEPT ALL SELECT regexp_replace(source, '\.gz$', ''), raw_bytes, line_no, part, node,
			rank FROM l4_log WHERE job_id = 'zipped') d});
	is($same, '0', 'compressed files give the same records');

	# 5. A crash half way
	make_path("$folder/many");
	for my $i (0 .. 149)
	{
		make_path("$folder/many/node-$i");
		copy("$top/$files[$i % @files]", "$folder/many/node-$i/rank-$i.log");
	}
	register('crashed');
	register('whole');
	$node->safe_psql('postgres', "CALL l4_import('whole', '$folder/many')");
	my $whole = summary('whole');
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	$session->{stdin} .= "CALL l4_import('crashed', '$folder/many');\n";
	$session->{run}->pump_nb;
	$node->poll_query_until('postgres', "SELECT count(*) > 20 FROM l4_stream WHERE job_id = 'crashed'");
	# files are committed without waiting for the disk; what comes before this is on it
	$node->safe_psql('postgres', 'CREATE TABLE waits_for_disk ()');
	$node->stop('immediate');
	eval { $session->{run}->kill_kill };
	$node->start;
	my $survived = $node->safe_psql('postgres', "SELECT count(*) FROM l4_stream WHERE job_id = 'crashed'");
	note("$survived of 150 files were committed before the crash");
	cmp_ok($survived, '>', 0, 'what was committed before the crash is there');
	($code, $out, $err) = $node->psql('postgres', "CALL l4_import('crashed', '$folder/many')");
	like($err, qr/ $survived unchanged/, 'the second call goes on where the first stopped');
	is(summary('crashed'), $whole, 'nothing is lost and nothing is there twice');
}

# 6. Unreadable, and readable later
write_file("$folder/rights/node-1/rank-0.log", "$line\n");
write_file("$folder/rights/node-1/rank-1.log", "$line\n");
chmod 0000, "$folder/rights/node-1/rank-1.log";
register('rights');
($code, $out, $err) = $node->psql('postgres', "CALL l4_import('rights', '$folder/rights')");
like($err, qr/WARNING:.*rank-1\.log/, 'an unreadable file is a warning');
is($node->safe_psql('postgres', "SELECT source, state, error IS NOT NULL FROM l4_stream WHERE job_id = 'rights' ORDER BY 1"),
	"node-1/rank-0.log|imported|f\nnode-1/rank-1.log|failed|t", 'a row says so, and the rest is there');
chmod 0644, "$folder/rights/node-1/rank-1.log";
$node->safe_psql('postgres', "CALL l4_import('rights', '$folder/rights')");
is($node->safe_psql('postgres', "SELECT count(*) FROM l4_log WHERE job_id = 'rights'"), '2', 'once readable it is read');

# 7. A truncated archive keeps what was read
system_or_bail('sh', '-c',
	"cd '$folder/odd/node-1' && for i in 1 2 3 4 5 6 7 8; do cat utf8.log crlf.log traceback.log; done > '$folder/t.log' && "
	. "gzip -c '$folder/t.log' > '$folder/t.log.gz' && head -c 200 '$folder/t.log.gz' > '$folder/cut.log.gz'");
register('cut');
($code, $out, $err) = $node->psql('postgres', "CALL l4_import('cut', '$folder/cut.log.gz')");
like($err, qr/WARNING:.*cut\.log\.gz/, 'a truncated file is a warning');
is($code, 0, 'but no error');

# 8. Inside a transaction block: the same without commits
register('block');
$node->safe_psql('postgres', "BEGIN; CALL l4_import('block', '$folder/rights'); ROLLBACK");
is($node->safe_psql('postgres', "SELECT count(*) FROM l4_stream WHERE job_id = 'block'"), '0', 'rolled back as a whole');
$node->safe_psql('postgres', "BEGIN; CALL l4_import('block', '$folder/rights'); COMMIT");
is($node->safe_psql('postgres', "SELECT count(*) FROM l4_log WHERE job_id = 'block'"), '2', 'committed as a whole');

# 9. Errors
sub error_of
{
	my ($sql) = @_;
	my ($c, $o, $e) = $node->psql('postgres', "\\set VERBOSITY verbose\n$sql");
	return $e =~ /ERROR:\s+(\w{5}):/ ? $1 : "none: $e";
}
is(error_of("CALL l4_import('nobody', '$folder/odd')"), 'P0002', 'unknown job');
is(error_of("CALL l4_import('odd', '$folder/nowhere')"), '58P01', 'no such path');
($code, $out, $err) = $node->psql('postgres', "CALL l4_import('odd', '$folder/nowhere')");
like($err, qr/HINT:.*the machine that the database server runs on/,
	'a path that is not there: the hint says where it is looked for');
make_path("$folder/hollow/a/b");
is(error_of("CALL l4_import('odd', '$folder/hollow')"), '58P01', 'no file in the folder');
($code, $out, $err) = $node->psql('postgres', "CALL l4_import('odd', '$folder/hollow')");
like($err, qr/holds no files\nDETAIL:  Looked for files of any name in it and in the folders below/,
	'and it says what was looked for');
is(error_of("CALL l4_import('odd', 'relative/path')"), '42602', 'relative path');
is(error_of("CALL l4_import('odd', NULL)"), '22004', 'no path');
is(error_of("CALL l4_import('odd', '$folder/odd', '{who}/x')"), '22023', 'bad layout');
$node->safe_psql('postgres', 'CREATE ROLE reader; GRANT ALL ON ALL TABLES IN SCHEMA public TO reader');
is(error_of("SET ROLE reader; CALL l4_import('odd', '$folder/odd')"), '42501', 'without the right to read server files');
is(error_of("BEGIN READ ONLY; CALL l4_import('odd', '$folder/odd')"), '25006', 'in a read-only transaction');
$node->safe_psql('postgres', 'GRANT pg_read_server_files TO reader; REVOKE ALL ON l4_segment FROM reader');
is(error_of("SET ROLE reader; CALL l4_import('block', '$folder/odd')"), '42501', 'without privileges on the tables');
$node->safe_psql('postgres', q{GRANT ALL ON l4_segment TO reader; ALTER TABLE l4_segment ENABLE ROW LEVEL SECURITY;
	CREATE POLICY own ON l4_segment USING (job_id = 'theirs')});
is(error_of("SET ROLE reader; CALL l4_import('block', '$folder/odd')"), '42501', 'against row-level security');
is($node->safe_psql('postgres', "SET ROLE reader; SELECT count(*) FROM l4_log WHERE job_id = 'odd'"), '0',
	'row-level security holds for the view');
$node->safe_psql('postgres', 'ALTER TABLE l4_segment DISABLE ROW LEVEL SECURITY');

# 10. A flood of free text: bounded in shapes, nothing lost, and the failure behind it keeps its own
{
	my @words = map { my $w = $_; my $t = ''; while ($w > 0) { $t .= chr(97 + $w % 26); $w = int($w / 26) } $t
		. 'o' } 1 .. 2000;
	my $n = 7;
	my $word = sub { $n = ($n * 1103515245 + 12345) % 2147483648; $words[($n >> 8) % 2000] };
	my $flood = join '', map { "[2026-11-20 22:31:38,097] [INFO] [data.py:9:show] " . ($_ % 2 ? 'sample text ' : '')
		. join(' ', map { $word->() } 1 .. 9) . "\n" } 1 .. 30000;
	$flood .= "[2026-11-20 22:31:39,097] [ERROR] [data.py:9:show] shard is unreadable\nplain words behind the "
		. "flood\nRuntimeError: no such shard\n";
	write_file("$folder/flood/rank-0.log", $flood);
	register('flood');
	$node->safe_psql('postgres', "CALL l4_import('flood', '$folder/flood')");
	my ($shapes, $alike) = split /\|/, $node->safe_psql('postgres', q{
		SELECT count(*), count(*) FILTER (WHERE shape LIKE 'sample text %') FROM l4_stream_event JOIN l4_shape USING (shape_id)
		WHERE job_id = 'flood'});
	cmp_ok($shapes, '<=', 20000, 'a flood of 30,000 shapes is bounded');
	cmp_ok($shapes, '>', 1000, 'but not cut at once');
	is($alike, 1000, 'so are the shapes that begin alike');
	my %back = md5_of_job('flood');
	is($back{'rank-0.log'}, md5_of_file("$folder/flood/rank-0.log"), 'every byte of the flood comes back');
	is($node->safe_psql('postgres', q{SELECT string_agg(h.shape, ' / ' ORDER BY l.line_no, l.part) FROM l4_log l
		JOIN l4_shape h USING (shape_id)
		WHERE job_id = 'flood' AND line_no > 30000}), 'shard is unreadable / plain <*> / RuntimeError: no such shard',
		'grave records behind it keep their own shapes');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM l4_shape WHERE event_id IS NULL'), '0', 'all shapes have events');
	is($node->safe_psql('postgres', q{SELECT count(DISTINCT c.shape_id) = (SELECT count(*) FROM l4_shape)
		AND count(*) = count(DISTINCT c.shape_id),
		count(*) FILTER (WHERE c.template ~ '^([^ ]+ )?<[*]>$') > 9000 FROM l4_shape_events(most => 300) c}), 't|t',
		'beyond what is clustered, the coarse shape is the event');
}

# 11. Dump and restore; DROP EXTENSION
is(error_of('DROP EXTENSION l4'), '2BP01', 'a plain DROP EXTENSION refuses while logs are there');
$node->safe_psql('postgres', 'CREATE DATABASE copied');
my $dump = "$folder/dump";
system_or_bail('pg_dump', '-Fc', '-f', $dump, '-d', $node->connstr('postgres'));
system_or_bail('pg_restore', '-d', $node->connstr('copied'), $dump);
my $everything = "SELECT count(*),
	md5(string_agg(md5(raw_bytes),
		'' ORDER BY job_id COLLATE \"C\", source COLLATE \"C\", line_no, part)) FROM l4_log WHERE job_id <> 'odd'";
is($node->safe_psql('copied', $everything), $node->safe_psql('postgres', $everything), 'dump and restore keep every record');
is($node->safe_psql('copied', 'SELECT count(*) FROM l4_fault'), $node->safe_psql('postgres', 'SELECT count(*) FROM l4_fault'),
	'built-in rules are there once');
$node->safe_psql('copied', 'DROP EXTENSION l4 CASCADE');
ok(1, 'DROP EXTENSION CASCADE goes through');

$node->stop;
done_testing();
