# Other ways in: files that are still being written, rows that come while others are taken in, and a log shipper. Whatever the
# steps in which lines come, the result is that of all lines at once.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Path qw(make_path);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('ingest');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nmax_wal_size = '4GB'\nfsync = off\nsynchronous_commit = off\n");
$node->start;
$node->safe_psql('postgres', "CREATE DATABASE $_") for 'steps', 'once';
$node->safe_psql($_, 'CREATE EXTENSION l4') for 'steps', 'once';

my $folder = PostgreSQL::Test::Utils::tempdir;
my $seed = $ENV{L4_SEED} // 42;
srand($seed);
note("seed $seed");

sub append_file
{
	my ($path, $content) = @_;
	make_path(dirname($path));
	open my $file, '>>:raw', $path or die "$path: $!";
	print $file $content;
	close $file;
}

sub register
{
	my ($database, $job, $more) = @_;
	$node->safe_psql($database,
		"SELECT l4_register_job('$job', '{\"model\": \"m\"}', 'running', nodes => ARRAY['node-0', 'node-1'],
			ranks_per_node => 4$more)");
}

# All that is kept of the logs, as rows of text, whatever the order and the time of the import.
my %queries = (
	stream => 'SELECT to_jsonb(s) - $$imported_at$$ FROM l4_stream s',
	segment => 'SELECT to_jsonb(s) FROM l4_segment s',
	summary => 'SELECT to_jsonb(c) FROM l4_source_counts c',
	parameters => 'SELECT to_jsonb(p) FROM l4_parameter_sketch p',
	timeline => 'SELECT to_jsonb(t) FROM l4_timeline t',
	shape => 'SELECT to_jsonb(h) FROM l4_shape h',
	event => 'SELECT to_jsonb(e) - $$first_seen$$ FROM l4_event e',
	# where the job's start is not known, the state holds the time of the file when it was first read
	state => 'SELECT to_jsonb(t) FROM l4_source_state t JOIN l4_job j USING (job_id) WHERE j.started_at IS NOT NULL',
	log => 'SELECT to_jsonb(l) FROM l4_log l');

sub rows_of
{
	my ($database, $table) = @_;
	my $out = $node->safe_psql($database, "SELECT r::text COLLATE \"C\" FROM ($queries{$table}) q (r) ORDER BY 1");
	return [split /\n/, $out];
}

sub same_everywhere
{
	my ($what) = @_;
	# events keep the ids they were given on the way: compared as they are when computed from the set of shapes
	$node->safe_psql($_, 'SELECT l4_recluster()') for 'steps', 'once';
	for my $table (sort keys %queries)
	{
		my ($steps, $once) = (rows_of('steps', $table), rows_of('once', $table));
		my %in_steps = map { $_ => 1 } @$steps;
		my %in_once = map { $_ => 1 } @$once;
		my @more = grep { !$in_once{$_} } @$steps;
		my @less = grep { !$in_steps{$_} } @$once;
		ok(@$steps == @$once && !@more && !@less, "$what: $table is the same (" . @$once . ' rows)')
			or diag("steps has " . @more . " rows more, the first: " . substr($more[0] // '', 0, 1500) . "\nonce has " . @less
				. " more, the first: " . substr($less[0] // '', 0, 1500));
	}
}

# ---------- logs as jobs write them ----------

my $clock = 0;
sub stamp
{
	my ($format) = @_;
	$clock += rand(0.2);
	my $seconds = 22 * 3600 + 600 + $clock;
	my $day = 20 + int($seconds / 86400);
	my ($h, $m, $s) = (int($seconds / 3600) % 24, int($seconds / 60) % 60, $seconds - 60 * int($seconds / 60));
	return sprintf('2026-11-%02d %02d:%02d:%06.3f', $day, $h, $m, $s) =~ s/\./,/r if $format eq 'python';
	return sprintf('Nov %2d %02d:%02d:%02d', $day, $h, $m, int $s) if $format eq 'syslog';
	return sprintf('%02d%02d %02d:%02d:%09.6f', 11, $day, $h, $m, $s);
}

my @words = qw(gradient optimizer bucket tensor shard cache socket watchdog allocator kernel);
sub one_record
{
	my ($i) = @_;
	my $kind = rand;
	return sprintf("[%s] [INFO] [train.py:%d:main] step=%d loss=%.4f lr=%.2e\n", stamp('python'), 50 + $i % 3, int($i / 3),
		5 * rand, rand) if $kind < 0.45;
	return sprintf("[%s] [WARNING] [%s.py:7:check] %s %d took %.1f ms\n", stamp('python'), $words[rand @words],
		$words[rand @words], rand 9000, rand 100) if $kind < 0.65;
	return "[" . stamp('python')
		. "] [ERROR] [train.py:52:main] failed\nTraceback (most recent call last):\n  File \"a.py\", line " . int(rand 900)
		. ", in <module>\n    main()\nValueError: no " .
		int(rand 90) . "\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call "
			. "last):\n  File \"b.py\", line 3\nKeyError: 'x'\n" if $kind < 0.67;
	return "Options:\n  --size " . int(rand 99) . "\n  --\xe2\x96\x88 \xff\xfe\n" if $kind < 0.70;
	return join('', map { sprintf(" %3d%%|##   | %d/50 [00:0%d<00:49, 1.01s/it]\r", $_ * 2, $_, $_ % 10) } 1 .. 3) . "done\r\n"
		if $kind < 0.72;
	return "before\0after caf\xe9 " . int(rand 1000) . "\n" if $kind < 0.75;
	return "Epoch " . int($i / 500) . ": $words[rand @words] " . ('x' x rand 30) . "\n" if $kind < 0.80;
	return sprintf("node-1 kernel: NVRM: Xid (PCI:0000:%02x:00): %d, pid=%d\n", rand 99, rand 99, rand 99999) if $kind < 0.81;
	return "Loading shard " . int(rand 40) . " of /data/$words[rand @words]/part-" . int(rand 1e6) . ".bin\n";
}

sub plain_log { my ($count) = @_; return join('', map { one_record($_) } 1 .. $count) }
sub labelled_log
{
	my ($count) = @_;
	return join('', map { my $rank = int rand 8; one_record($_) =~ s/^(?=.)/[default$rank]:/mgr } 1 .. $count);
}
sub syslog { my ($count) = @_;
	return join('', map { stamp('syslog') . ' node-0 ' . ($_ % 3 ? 'kernel: mlx5_core 0000:0c:00.0: cqe error ' . int(rand 99)
		: "slurmd[" . int(rand 9999) . "]: launch task " . int(rand 99)) . "\n" } 1 .. $count) }

# Where a log is cut: a few large steps and, at a place past the first 64 kB, many of one to three bytes.
sub cuts
{
	my ($size, $large, $small) = @_;
	my @at = map { int rand $size } 1 .. $large;
	my $place = 66000 + int rand($size - 70000);
	for (1 .. $small)
	{
		$place += 1 + int rand 3;
		push @at, $place;
	}
	my %seen;
	return sort { $a <=> $b } grep { $_ > 0 && $_ < $size && !$seen{$_}++ } @at;
}

sub grow
{
	my ($job, $files, $large, $small) = @_;
	my %steps = map { $_ => [cuts(length $files->{$_}, $large, $small), length $files->{$_}] } keys %$files;
	my %done = map { $_ => 0 } keys %$files;
	my $calls = 0;
	while (grep { @{$steps{$_}} } keys %steps)
	{
		for my $name (sort keys %steps)
		{
			next if !@{$steps{$name}} || rand() < 0.3;
			my $to = shift @{$steps{$name}};
			append_file("$folder/$job/$name", substr($files->{$name}, $done{$name}, $to - $done{$name}));
			$done{$name} = $to;
		}
		next if !-d "$folder/$job";
		$node->safe_psql('steps', "CALL l4_import('$job', '$folder/$job', workers => " . (1 + $calls % 2) . ")");
		$calls++;
	}
	$node->safe_psql('once', "CALL l4_import('$job', '$folder/$job')");
	return $calls;
}

# ---------- files that grow ----------

my $rank0 = plain_log(14000);
my %files = (
	'node-0/rank-0.log' => $rank0,
	'node-0/rank-1.log' => plain_log(1500),
	'node-1/launcher.log' => labelled_log(12000),
	'node-1/messages' => syslog(3000),
	'node-1/short.log' => plain_log(40) . 'last words without an en',
);
for my $database ('steps', 'once')
{
	register($database, 'growing', ", started_at => '2026-11-20 22:00+00'");
}
my $calls = grow('growing', \%files, 5, 25);
note("$calls imports of growing files");
same_everywhere('files that grow');

# Nothing new: nothing done.
my ($code, $out, $err) = $node->psql('steps', "CALL l4_import('growing', '$folder/growing')");
like($err, qr/0 records of 0 lines \(0 bytes\) from 0 files; 5 unchanged/, 'unchanged files are not read');

# Only the new bytes are read.
append_file("$folder/growing/node-0/rank-0.log", "one line more\n");
($code, $out, $err) = $node->psql('steps', "CALL l4_import('growing', '$folder/growing')");
like($err, qr/1 records of 1 lines \(14 bytes\) from 1 files; 4 unchanged/, 'of a grown file only the new bytes are read');

$node->safe_psql('once', "CALL l4_import('growing', '$folder/growing')");
same_everywhere('a line more on both sides');

# Nothing known of when the job started: years follow the time of the file. And a flood of shapes, of which the source remembers
# how many it has.
sub free_text { my ($count) = @_;
	return join('', map { 'sample ' . join(' ', map { join('', map { chr(97 + rand 26) } 1 .. 6) } 1 .. 7)
		. "\n" } 1 .. $count) }
register($_, 'flood', '') for 'steps', 'once';
grow('flood', { 'node-0/rank-0.log' => free_text(1400) . plain_log(500) . free_text(700) . plain_log(300),
	'node-1/messages' => syslog(2500) }, 4, 3);
same_everywhere('a flood, and times without a year');

# Rewritten, cut short, replaced: read anew as a whole, and no start of an iteration stays that no record names.
sub write_file { my ($path, $content) = @_; unlink $path; append_file($path, $content) }
my $long = join('', map { sprintf("[2026-11-20 23:%02d:%02d,000] [INFO] [train.py:5:main] iteration %d/ 9000 | loss: %.3f\n",
	$_ / 60, $_ % 60, $_, rand) } 1 .. 1500);
register($_, 'rewritten', '') for 'steps', 'once';
write_file("$folder/rewritten/node-0/rank-0.log", $long);
write_file("$folder/rewritten/node-0/rank-1.log", $long);
$node->safe_psql('steps', "CALL l4_import('rewritten', '$folder/rewritten')");
is($node->safe_psql('steps', "SELECT cardinality(iterations), iterations[1] FROM l4_timeline WHERE job_id = 'rewritten'"),
	'1500|2', 'a timeline of all iterations');
write_file("$folder/rewritten/node-0/rank-0.log", $long =~ s/iteration (\d+)/'iteration ' . ($1 + 700)/ger);
write_file("$folder/rewritten/node-0/rank-1.log", ($long =~ s/iteration (\d+)/'iteration ' . ($1 + 800)/ger)
	. "one line more\n");
($code, $out, $err) = $node->psql('steps', "CALL l4_import('rewritten', '$folder/rewritten')");
like($err, qr/3001 records of 3001 lines/, 'rewritten files are read anew');
is($node->safe_psql('steps', "SELECT cardinality(iterations), iterations[1] FROM l4_timeline WHERE job_id = 'rewritten'"),
	'1600|702', 'the timeline is that of the records that are there');
write_file("$folder/rewritten/node-0/rank-1.log", substr($long, 0, 90000));
$node->safe_psql('steps', "CALL l4_import('rewritten', '$folder/rewritten')");
$node->safe_psql('once', "CALL l4_import('rewritten', '$folder/rewritten')");
same_everywhere('rewritten files');

# Other rules: a grown file is read anew by them.
for my $database ('steps', 'once')
{
	$node->safe_psql($database, "INSERT INTO l4_stage_rule (name, stage, priority, pattern)
		VALUES ('own', 'evaluation', 1, 'one line more')");
}
append_file("$folder/growing/node-0/rank-0.log", "one line more after that\n");
($code, $out, $err) = $node->psql('steps', "CALL l4_import('growing', '$folder/growing')");
unlike($err, qr/ 1 records/, 'with other rules the file is read anew');
is($node->safe_psql('steps', "SELECT count(*) FROM l4_log WHERE job_id = 'growing' AND stage = 'evaluation'
	AND message ~ '^one line more'"), '2', 'and all its lines follow them');

# ---------- the inbox ----------

sub background_sql
{
	my ($name, $sql) = @_;
	my $session = $node->background_psql('steps', on_error_stop => 0);
	$session->{stdin} .= $sql . "\nSELECT 'end' || ' of $name';\n";
	$session->{run}->pump_nb;
	return { session => $session, end => "end of $name" };
}

sub wait_for
{
	my ($call) = @_;
	my $session = $call->{session};
	my $timeout = IPC::Run::timer($PostgreSQL::Test::Utils::timeout_default);
	$timeout->start;
	while ($session->{stdout} !~ /$call->{end}/)
	{
		die "$call->{end} does not come: $session->{stdout} $session->{stderr}" if $timeout->is_expired;
		$session->{run}->pump;
	}
	$session->quit;
	return "$session->{stdout}";
}

# Writers in two sessions, each with a source of its own in two jobs, while two sessions take in all the time: every line once,
# in order.
register('steps', "box-$_", '') for 1, 2;
my $writer = q{
DO $do$ BEGIN
	FOR batch IN 0 .. 39 LOOP
		INSERT INTO l4_inbox (job_id, node, source, line)
			SELECT 'box-' || 1 + i % 2, 'node-0', 'WRITER', 'line ' || i || ' of WRITER'
			FROM generate_series(batch * 50 + 1, batch * 50 + 50) i;
		COMMIT;
	END LOOP;
END $do$;};
my $taker = 'DO $do$ BEGIN FOR i IN 1 .. 25 LOOP PERFORM l4_ingest_inbox(); COMMIT; PERFORM pg_sleep(0.01);
	END LOOP; END $do$;';
my @calls = map { background_sql($_, $writer =~ s/WRITER/$_/gr) } 'one', 'two';
push @calls, map { background_sql($_, $taker) } 'first', 'second';
wait_for($_) for @calls;
$node->safe_psql('steps', 'SELECT l4_ingest_inbox()');
is($node->safe_psql('steps', 'SELECT count(*) FROM l4_inbox'), '0', 'the inbox is empty at the end');
is($node->safe_psql('steps', q{
	SELECT job_id, source, count(*), count(DISTINCT raw),
		bool_and(raw = format('line %s of %s', 2 * line_no - (job_id = 'box-2')::int, source))
	FROM l4_log WHERE job_id LIKE 'box-%' GROUP BY 1, 2 ORDER BY 1, 2}),
	"box-1|one|1000|1000|t\nbox-1|two|1000|1000|t\nbox-2|one|1000|1000|t\nbox-2|two|1000|1000|t",
		'every line is there once and in order');

# A call that fails, and one whose transaction is rolled back, leave the rows where they are.
$node->safe_psql('steps', "INSERT INTO l4_inbox (job_id, node, source, line) VALUES ('box-1', 'node-0', 'one', 'a line more')");
$node->safe_psql('steps', 'BEGIN; SELECT l4_ingest_inbox(); ROLLBACK');
is($node->safe_psql('steps', 'SELECT count(*) FROM l4_inbox'), '1', 'after a rollback the row is in the inbox');
is($node->safe_psql('steps', "SELECT count(*) FROM l4_log WHERE job_id = 'box-1' AND source = 'one'"), '1000',
	'and not in the log');
$node->safe_psql('steps', 'SELECT l4_ingest_inbox()');
is($node->safe_psql('steps', "SELECT max(line_no) FROM l4_log WHERE job_id = 'box-1' AND source = 'one'"),
	'1001', 'then it is');

# A waiting call takes what came while it waited.
my $session = $node->background_psql('steps');
$session->query_safe("BEGIN; INSERT INTO l4_inbox (job_id, source, line) VALUES ('box-2', 'late', 'first'); SELECT "
	. "l4_ingest_inbox()");
$node->safe_psql('steps', "INSERT INTO l4_inbox (job_id, source, line) VALUES ('box-2', 'late', 'second')");
my $waiting = background_sql('waiting', 'SELECT rows FROM l4_ingest_inbox();');
$node->poll_query_until('steps', q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'object' AND NOT granted});
$session->query_safe('COMMIT');
$session->quit;
wait_for($waiting);
is($node->safe_psql('steps', "SELECT string_agg(raw, ',' ORDER BY line_no) FROM l4_log WHERE source = 'late'"), 'first,second',
	'two calls at once keep the order');

# Rows in random batches: the same as the file.
my @lines = split /(?<=\n)/, plain_log(3000) =~ s/[\0\xff\xfe\xe9]|\xe2\x96\x88/./gr;
pop @lines if $lines[-1] !~ /\n$/;
append_file("$folder/rows.txt", join('', @lines));
for my $database ('steps', 'once')
{
	register($database, 'rows', ", started_at => '2026-11-20 22:00+00'");
	$node->safe_psql($database, 'CREATE TABLE own_log (n bigint GENERATED ALWAYS AS IDENTITY, line text)');
	$node->safe_psql($database,
		"INSERT INTO own_log (line) SELECT l FROM string_to_table(rtrim(pg_read_file('$folder/rows.txt'), E'\\n'),
			E'\\n') WITH ORDINALITY t (l, o) ORDER BY o");
}
$node->safe_psql('once',
	q{SELECT l4_ingest('rows', $$SELECT line, n AS line_no, 'node-1' AS node, 5 AS rank FROM own_log ORDER BY n$$)});
my $from = 0;
while ($from < @lines)
{
	my $to = $from + 1 + int rand(rand() < 0.5 ? 5 : 700);
	$node->safe_psql('steps',
		qq{SELECT l4_ingest('rows', \$\$SELECT line, 'node-1' AS node, 5 AS rank FROM own_log WHERE n > $from AND n <= $to
			ORDER BY n\$\$)});
	$from = $to;
}
$node->safe_psql('steps', "DELETE FROM $_ WHERE job_id ~ '^box'")
	for qw(l4_stream l4_segment l4_source_counts l4_parameter_sketch l4_source_state l4_timeline);
for my $table (qw(stream segment summary parameters timeline log))
{
	my $rows = "SELECT count(*), md5(string_agg(r::text, E'\\n' ORDER BY r::text COLLATE \"C\")) FROM ($queries{$table}) q (r)
		WHERE r->>'job_id' = 'rows'";
	is($node->safe_psql('steps', $rows), $node->safe_psql('once', $rows), "rows in batches: $table is the same");
}

# Rows in the inbox are logs too: a plain DROP EXTENSION refuses, and a dump has them.
$node->safe_psql('postgres', "CREATE DATABASE $_") for 'waiting', 'restored';
$node->safe_psql('waiting', "CREATE EXTENSION l4; INSERT INTO l4_inbox (job_id, line) VALUES ('j', 'one'), ('j', 'two')");
($code, $out, $err) = $node->psql('waiting', 'DROP EXTENSION l4');
like($err, qr/cannot drop extension l4|logs/, 'DROP EXTENSION refuses while lines wait') and isnt($code, 0, 'with an error');
system_or_bail('pg_dump', '-Fc', '-f', "$folder/waiting.dump", '-d', $node->connstr('waiting'));
system_or_bail('pg_restore', '-d', $node->connstr('restored'), "$folder/waiting.dump");
$node->safe_psql('restored', "SELECT l4_register_job('j', '{}', 'running'); SELECT l4_ingest_inbox()");
is($node->safe_psql('restored', "SELECT string_agg(raw, ',' ORDER BY line_no) FROM l4_log"), 'one,two',
	'restored rows are taken in, in order');

# A source goes on after dump and restore.
system_or_bail('pg_dump', '-Fc', '-f', "$folder/once.dump", '-d', $node->connstr('once'));
$node->safe_psql('postgres', 'CREATE DATABASE moved');
system_or_bail('pg_restore', '-d', $node->connstr('moved'), "$folder/once.dump");
append_file("$folder/growing/node-1/launcher.log", "[default3]:one line more\n");
$node->safe_psql('moved', "CALL l4_import('growing', '$folder/growing')");
($code, $out, $err) = $node->psql('moved', "CALL l4_import('growing', '$folder/growing')");
like($err, qr/ 5 unchanged/, 'a restored job goes on');
is($node->safe_psql('moved',
	"SELECT md5(string_agg(raw_bytes, '' ORDER BY line_no, part)) = md5(pg_read_binary_file('$folder/growing/' || source))
		FROM l4_log WHERE job_id = 'growing' AND source = 'node-1/launcher.log' GROUP BY source"), 't', 'byte by byte');

$node->stop;
done_testing();
