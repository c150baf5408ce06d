# Import by several processes: the same result for every number of them, with the caller's rights, and whatever ends one of them
# or all.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use File::Copy qw(copy);
use File::Path qw(make_path);
use LogFiles qw(write_file);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('parallel');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nmax_worker_processes = 8\nautovacuum = off\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION l4');
my $folder = PostgreSQL::Test::Utils::tempdir;
my $data = $ENV{L4_TOP} ? "$ENV{L4_TOP}/test/data/demo" : dirname(__FILE__) . '/../data/demo';

sub register
{
	my ($job, $status) = @_;
	$status //= 'failed';
	$node->safe_psql('postgres',
		"SELECT l4_register_job('$job', '{\"model\": \"m\"}', '$status', started_at => '2026-11-20 22:00+00')");
}

sub import_job
{
	my ($job, $path, $more) = @_;
	return $node->psql('postgres', "CALL l4_import('$job', '$path'$more)");
}

# All tables that hold rows of a job, but for the job's name and the clock.
my %tables = (
	l4_stream => "to_jsonb(t) - 'job_id' - 'imported_at'",
	l4_segment => "to_jsonb(t) - 'job_id'",
	l4_source_counts => "to_jsonb(t) - 'job_id'",
	l4_parameter_sketch => "to_jsonb(t) - 'job_id'",
	l4_timeline => "to_jsonb(t) - 'job_id'",
	l4_address => "to_jsonb(t) - 'job_id'");

# How many rows one of two jobs has and the other has not, over all tables.
sub differences
{
	my ($one, $other) = @_;
	my $sum = join ' + ', map {
		my $rows = sub { "SELECT $tables{$_} FROM $_ t WHERE job_id = '$_[0]'" };
		my ($a, $b) = ($rows->($one), $rows->($other));
		"(SELECT count(*) FROM (($a EXCEPT ALL $b) UNION ALL ($b EXCEPT ALL $a)) d)"
	} sort keys %tables;
	return $node->safe_psql('postgres', "SELECT $sum");
}

sub same
{
	my ($job, $other, $what) = @_;
	my $rows = $node->safe_psql('postgres', "SELECT (SELECT count(*) FROM l4_segment WHERE job_id = '$job') > 0
		AND (SELECT count(*) FROM l4_stream_event WHERE job_id = '$job') > 0");
	is("$rows " . differences($job, $other), 't 0', $what);
}

sub worker_pids
{
	my $pids = $node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE backend_type = 'l4 import worker'
		ORDER BY pid");
	return split /\n/, $pids;
}

# Holds every file at its end until it is released: nobody can write summaries meanwhile.
sub hold
{
	my $session = $node->background_psql('postgres');
	$session->query('BEGIN; LOCK TABLE l4_parameter_sketch IN SHARE MODE;');
	return $session;
}

sub wait_for_blocked
{
	my ($count) = @_;
	$node->poll_query_until('postgres',
		"SELECT count(*) >= $count FROM pg_locks WHERE relation = 'l4_parameter_sketch'::regclass AND NOT granted")
		or die 'nobody waits';
}

# Starts a statement that goes on in the background; finish() gives its standard error.
sub start
{
	my ($sql) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query('SELECT pg_backend_pid();');
	$session->{stdin} .= "$sql;\n\\warn 'all is over'\n";
	$session->{run}->pump_nb;
	return ($session, $pid);
}

sub finish
{
	my ($session) = @_;
	$session->{run}->pump until $session->{stderr} =~ /all is over|connection to server was lost/
		|| $session->{timeout}->is_expired;
	my $err = $session->{stderr};
	eval { $session->{run}->finish if $err =~ /was lost/; $session->quit if $err !~ /was lost/ };
	return $err;
}

# Many files of real logs, an archive and some that cannot be read
my ($archive) = sort glob("$data/*.tar.gz");
plan skip_all => 'no demo data' unless defined $archive;
make_path("$folder/source");
system_or_bail('tar', '-xzf', abs_path($archive), '-C', "$folder/source");
my @files = split /\n/, `find '$folder/source' -type f | LC_ALL=C sort`;
for my $i (0 .. 99)
{
	make_path("$folder/many/node-$i");
	copy($files[$i % @files], "$folder/many/node-$i/rank-$i.log");
}
system_or_bail('tar', '-czf', "$folder/many/more.tar.gz", '-C', "$folder/source", '.');
system_or_bail('tar', '-czf', "$folder/many/again.tar.gz", '-C', "$folder/source", '.');
write_file("$folder/many/broken/part-$_.log.gz", "\x1f\x8b\x08 no gzip $_") for 0 .. 199;

# 1. The same for every number of processes
register("n$_") for 1, 2, 4;
my ($code, $out, $err) = import_job('n1', "$folder/many", '');
is($code, 0, 'one process') or diag($err);
my ($counts) = $err =~ /(\d+ records of .*)/;
my $warnings = () = $err =~ /WARNING:/g;
is($warnings, 200, 'a warning for each file that cannot be read');
for my $workers (2, 4)
{
	my $session = hold();
	my ($import) = start("CALL l4_import('n$workers', '$folder/many', workers => $workers)");
	wait_for_blocked($workers);
	is(scalar(worker_pids()), $workers - 1, "$workers processes: the leader and its workers");
	$session->quit;
	$err = finish($import);
	like($err, qr/\Q$counts\E/, "$workers processes count the same");
	$warnings = () = $err =~ /WARNING:/g;
	is($warnings, 200, 'and warn as often');
	same("n$workers", 'n1', "$workers processes give the same");
	is($node->safe_psql('postgres', "SELECT count(DISTINCT l.stream_id) FROM l4_log l WHERE job_id = 'n$workers'
		AND event_id IS NULL"), '0', 'every record has its event');
}
($code, $out, $err) = import_job('n4', "$folder/many", ', workers => 4');
like($err, qr/from 200 files; 102 unchanged, 200 unreadable/, 'called again they read only what could not be read');
same('n4', 'n1', 'and change nothing');

# 2. A worker ends
register('ended');
my $session = hold();
my ($import, $leader) = start("CALL l4_import('ended', '$folder/many', workers => 3)");
wait_for_blocked(3);
my @pids = worker_pids();
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pids[0])");
$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'l4 import worker'");
$session->quit;
$err = finish($import);
like($err, qr/WARNING:  worker \d \(process $pids[0]\) of the import of job "ended" ended while it read log file "[^"]+"/,
	'a worker that ends is a warning that names it and its file');
my ($others) = $err =~ /reads the file and (\d+) others of the same transaction again/;
cmp_ok($others, '>', 0, 'small files share a transaction');
like($err, qr/\Q$counts\E/, 'the leader reads what is missing, and counts it once');
unlike($err, qr/ERROR/, 'so that the import goes through');
is($node->safe_psql('postgres', "SELECT count(*) FROM l4_shape WHERE event_id IS NULL"), '0', 'and events are found');
same('ended', 'n1', 'nothing is lost or doubled');

# 3. An error in a worker
$node->safe_psql('postgres', q{
	CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF EXISTS (SELECT FROM pg_stat_activity WHERE pid = pg_backend_pid() AND backend_type = 'l4 import worker') THEN
			RAISE EXCEPTION 'no room' USING ERRCODE = '53100', HINT = 'Make room.';
		END IF;
		RETURN NEW;
	END $$;
	CREATE TRIGGER refuse BEFORE INSERT ON l4_stream FOR EACH ROW WHEN (NEW.job_id = 'refused') EXECUTE FUNCTION refuse()});
register('refused');
$session = hold();
($import) = start("\\set VERBOSITY verbose\nCALL l4_import('refused', '$folder/many', workers => 2)");
wait_for_blocked(2);
$session->quit;
$err = finish($import);
like($err, qr/WARNING:  53100: worker 1 .* ended while it read log file.*\n?DETAIL:  no room/s,
	q{a worker's error comes back with its state and text});
like($err, qr/DETAIL:  no room\s+HINT:  .* others of the same transaction again\. Make room\./s,
	q{and hint});
unlike($err, qr/ERROR/, 'the leader, who can, reads its files');
$node->safe_psql('postgres', 'DROP TRIGGER refuse ON l4_stream');
same('refused', 'n1', 'and all is there');

# 4. The leader is cancelled, times out, is terminated
sub stopped
{
	my ($job, $setting, $stop, $expected) = @_;
	register($job);
	my $lock = hold();
	my ($call, $pid) = start("${setting}CALL l4_import('$job', '$folder/many', workers => 3)");
	wait_for_blocked(3);
	$node->safe_psql('postgres', "SELECT $stop($pid)") if $stop;
	my $message = finish($call);
	like($message, $expected, "$job: the call ends");
	$node->poll_query_until('postgres', "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $pid)")
		if $stop eq 'pg_terminate_backend';
	$node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'l4 import worker'");
	is(scalar(worker_pids()), 0, "$job: no worker goes on");
	$lock->quit;
	($code, $out, $err) = import_job($job, "$folder/many", ', workers => 2');
	same($job, 'n1', "$job: importing again gives all, once");
}
stopped('cancelled', '', 'pg_cancel_backend', qr/canceling statement due to user request/);
stopped('timed-out', "SET statement_timeout = '3s';\n", '', qr/canceling statement due to statement timeout/);
stopped('terminated', '', 'pg_terminate_backend', qr/terminating connection due to administrator command/);

# 5. Several imports of one job at once
register('twice', 'succeeded');
register('once', 'succeeded');
import_job('once', "$folder/many", '');
my @calls = map { start("CALL l4_import('twice', '$folder/many', workers => 2)") } 1 .. 3;
my @errors = map { finish($calls[2 * $_]) } 0 .. 2;
unlike($_, qr/ERROR/, 'imports of one job at once all go through') for @errors;
same('twice', 'once', 'and neither lose nor double anything');
is($node->safe_psql('postgres', "SELECT count(*), min(stream_count) FROM l4_pool_job WHERE job_id = 'twice'"),
	$node->safe_psql('postgres', "SELECT count(*), min(stream_count) FROM l4_pool_job WHERE job_id = 'once'"),
		'the pool counts it once');

# 6. The workers are the caller, with his role and settings, and no more rights
$node->safe_psql('postgres', q{
	CREATE ROLE login_role LOGIN; CREATE ROLE reader; GRANT reader TO login_role;
	GRANT USAGE ON SCHEMA public TO reader; GRANT ALL ON ALL TABLES IN SCHEMA public TO reader;
	CREATE TABLE seen (pid int, who name, session name, path text, memory text, isolation text); GRANT INSERT ON seen TO PUBLIC;
	CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO public.seen VALUES (pg_backend_pid(), current_user, session_user, current_setting('search_path'),
			current_setting('work_mem'), current_setting('transaction_isolation'));
		RETURN NEW;
	END $$;
	CREATE TRIGGER see BEFORE INSERT ON l4_stream FOR EACH ROW EXECUTE FUNCTION see()});
my $login = "SET SESSION AUTHORIZATION login_role; SET ROLE reader; SET search_path = pg_temp; SET work_mem = '7MB';
	SET default_transaction_isolation = 'serializable';";
register('mine');
is(($node->psql('postgres', "$login CALL public.l4_import('mine', '$folder/many', workers => 3)"))[2]
	=~ /permission denied to read files/ ? 'refused' : 'read', 'refused',
	'without the right to read server files');
$node->safe_psql('postgres', 'GRANT pg_read_server_files TO reader');
$session = hold();
($import) = start("$login CALL public.l4_import('mine', '$folder/many', workers => 3)");
wait_for_blocked(3);
$session->quit;
$err = finish($import);
unlike($err, qr/ERROR/, 'a role with the rights imports');
same('mine', 'n1', 'the same');
is($node->safe_psql('postgres', 'SELECT count(DISTINCT pid), min(who), max(who), min(session), max(session), min(path),
	max(path), min(memory), max(memory), max(isolation) FROM seen'),
	'3|reader|reader|login_role|login_role|pg_temp|pg_temp|7MB|7MB|read committed',
	'workers have the role, the login and the settings of the caller');
$node->safe_psql('postgres', q{ALTER TABLE l4_segment ENABLE ROW LEVEL SECURITY;
	CREATE POLICY own ON l4_segment USING (job_id = 'theirs')});
register('foreign');
$session = hold();
($import) = start("$login CALL public.l4_import('foreign', '$folder/many', workers => 2)");
$session->quit;
like(finish($import), qr/ERROR: .*row-level security/s, 'row-level security holds in all processes');
is($node->safe_psql('postgres', "SELECT count(*) FROM l4_segment WHERE job_id = 'foreign'"), '0',
	'nothing was written against it');
$node->safe_psql('postgres', 'ALTER TABLE l4_segment DISABLE ROW LEVEL SECURITY; DROP TRIGGER see ON l4_stream');

# 7. Parts of one large file: lines of all kinds, cut anywhere
my @words = qw(alpha beta gamma delta epsilon);
my ($time, $step, $odd) = (0, 0, '');
my %label = map { $_ => $_ % 3 ? "$_: " : "[rank$_]:" } 0 .. 15;
my $stamp = sub { $time += 137; sprintf '2026-11-20 %02d:%02d:%02d,%03d', 10 + $time / 3600000, $time / 60000 % 60,
	$time / 1000 % 60, $time % 1000 };
srand 7;
while (length $odd < 600_000)
{
	my $l = rand() < 0.6 ? $label{int rand 16} : '';
	my $n = int rand 40;
	my $kind = int rand 14;
	$odd .=
		$kind < 5 ? "$l\[" . $stamp->() . "] [INFO] [train.py:$n:main] step=" . int($step += 0.3) . ' loss=' . rand() . "\n" :
		$kind == 5 ? "${l}loading shard $n of 99\n" :
		$kind == 6 ? "$l\[" . $stamp->() . "] [ERROR] [train.py:9:main] failed\n${l}Traceback (most recent call last):\n"
			. "$l  File \"a.py\", line $n, in x\n$l    call()\n" x (1 + $n / 2) . "${l}ValueError: no $n\n" :
		$kind == 7 ? $l . join("\r", map { " $_%|##  | $_/50 [00:01<00:49, 1.0s/it]" } 0 .. $n / 4) . "\n" :
		$kind == 8 ? 'x' x (150 * $n) . "\n" :
		$kind == 9 ? "\n" x (1 + $n / 10) :
		$kind == 10 ? "${l}saving checkpoint at iteration " . int($step) . " to /ckpt\n" :
		$kind == 11 ? '=' x 30 . "\n" . "something failed\n" x $n . '=' x 30 . "\n" :
		$kind == 12 ? "plain words $words[$n % 5]\r\n" : "$l   " . join(' ', map { $words[rand 5] } 0 .. $n / 5) . "\n";
}
$odd .= "\xff\xfe last words";
write_file("$folder/large/odd.log", $odd);
write_file("$folder/large/real.log",
	join('', map { my $f = $_; local $/; open my $in, '<:raw', $f or die $f; <$in> } @files) x 4);
# shapes in floods, and a line longer than many parts
write_file("$folder/large/flood.log", join '', map { (map { join('', map { chr(97 + rand 26) } 1 .. 4) . ' ' } 1 .. 5),
	"\n" } 1 .. 12000);
write_file("$folder/large/long.log", "$label{4}first\n" . 'abc ' x 60000 . "\n" . join '', map { "after $_\n" } 1 .. 5000);
# times of day alone, over four midnights
my $clock = sub { my $s = 75600 + 60 * $_[0]; sprintf '%02d:%02d:%02d.%03d', $s / 3600 % 24, $s / 60 % 60, $s % 60,
	$_[0] % 1000 };
write_file("$folder/large/clock.log", join '', "2026-11-20 21:00:00.000 INFO first\n",
	map { ($_ % 3 ? '[' . $clock->($_) . '] INFO' : 'W ' . $clock->($_)) . " step $_ done\n" } 1 .. 5400);

# What the cuts must not change: all but where segments end and the last digits of means
my $records = sub { "SELECT source, line_no, part, ts, level, component, stage, iteration, shape_id, parameters, raw_bytes,
	node, rank FROM l4_log WHERE job_id = '$_[0]'" };
my $numbers = sub { "SELECT stream_id, shape_id, position, occurrences, distinct_values, values, value_lines, number_count,
	minimum, minimum_line, maximum, maximum_line, mean::real FROM l4_stream_parameter WHERE job_id = '$_[0]'" };
sub same_records
{
	my ($job, $other, $what) = @_;
	my @queries = ($records, $numbers,
		map { my $t = $_; sub { "SELECT $tables{$t} FROM $t t
			WHERE job_id = '$_[0]'" } } qw(l4_stream l4_stream_event l4_timeline));
	is($node->safe_psql('postgres', 'SELECT ' . join ' + ', map { my ($a, $b) = ($_->($job), $_->($other));
		"(SELECT count(*) FROM (($a EXCEPT ALL $b) UNION ALL ($b EXCEPT ALL $a)) d)" } @queries), '0', $what);
}
for my $name (qw(odd real flood long clock))
{
	register("$name whole");
	import_job("$name whole", "$folder/large/$name.log", '');
	is($node->safe_psql('postgres', "SELECT count(*), count(ts), max(ts) AT TIME ZONE 'UTC' FROM l4_log
		WHERE job_id = '$name whole'"), '5401|5401|2026-11-24 15:00:00.4', 'days of times of day alone') if $name eq 'clock';
	for my $bytes (7000, 100000)
	{
		register("$name $bytes $_") for 1, 2, 4;
		import_job("$name $bytes 1", "$folder/large/$name.log", ", part_bytes => $bytes");
		same_records("$name $bytes 1", "$name whole", "$name.log: cut into parts of $bytes bytes nothing else changes");
		for my $workers (2, 4)
		{
			($code, $out, $err) = $node->psql('postgres',
				"SET client_min_messages = debug1; CALL l4_import('$name $bytes $workers', '$folder/large/$name.log',
					workers => $workers, part_bytes => $bytes)");
			my ($taken, $again) = (scalar(() = $err =~ /is taken in/g), scalar(() = $err =~ /is read again/g));
			same("$name $bytes $workers", "$name $bytes 1",
				"$name.log: $workers processes give the same ($taken parts taken in, $again read again)");
		}
	}
}
# Parts of one compressed file: of one stream, of several, cut off, damaged, with other bytes behind it
my $pack = sub { my ($name, $command) = @_;
	my %program = (gz => 'gzip', zst => 'zstd', lz4 => 'lz4', xz => 'xz', bz2 => 'bzip2');
	return if system("command -v $program{$name =~ s/.*[.]//r} >/dev/null") != 0;
	system_or_bail('sh', '-c', "mkdir -p '$folder/packed' && cd '$folder/large' && $command > '$folder/packed/$name'"); };
$pack->('odd.gz', 'gzip -c odd.log');
$pack->('members.gz', '{ head -c 250001 odd.log | gzip -c; tail -c +250002 odd.log | gzip -c; }');
$pack->('frames.zst', '{ head -c 300000 real.log | zstd -qc; tail -c +300001 real.log | zstd -qc; }');
$pack->('real.lz4', 'lz4 -qc real.log');
$pack->('long.gz', 'gzip -c long.log');
$pack->('cut.gz', 'gzip -c odd.log | head -c -9000');
$pack->('damaged.zst', '{ zstd -qc odd.log; head -c 100000 real.log | zstd -qc | head -c -2000; zstd -qc long.log; }');
$pack->('behind.gz', '{ gzip -c odd.log; echo not compressed; }');
$pack->('real.xz', 'xz -c real.log');
$pack->('slow.bz2', 'bzip2 -c odd.log');
my $packed_parts = 0;
my $said = sub { join "\n", sort $_[0] =~ /WARNING: .*\n(?:DETAIL: .*)?/g };
for my $name (sort map { basename($_) } glob("$folder/packed/*"))
{
	my $path = "$folder/packed/$name";
	my $taken_in = 0;
	register("$name whole");
	my $whole = (import_job("$name whole", $path, ''))[2];
	register("$name $_") for 1, 2, 4;
	my $one = (import_job("$name 1", $path, ', part_bytes => 7000'))[2];
	same_records("$name 1", "$name whole", "$name: cut into parts nothing else changes");
	is($said->($one), $said->($whole), 'and the same is said');
	is($one =~ /could not be read to its end/ ? 1 : 0, $name =~ /cut|damaged/ ? 1 : 0, 'of what cannot be read, too');
	for my $workers (2, 4)
	{
		($code, $out, $err) = $node->psql('postgres',
			"SET client_min_messages = debug1;
				CALL l4_import('$name $workers', '$path', workers => $workers, part_bytes => 7000)");
		$taken_in += () = $err =~ /read ahead, is taken in/g;
		same("$name $workers", "$name 1", "$name: $workers processes give the same");
		is($said->($err), $said->($one), 'and say the same');
	}
	is($taken_in, 0, 'what is unpacked slowly is read by one process') if $name =~ /bz2/;
	$packed_parts += $taken_in;
}
# on a busy machine one process may be through before the other one begins
cmp_ok($packed_parts, '>', 0, 'workers read parts of compressed files');
# Guesses that are wrong, since a part has its iteration from far before it: the leader reads in order what others and it itself
# read ahead. So it goes back, time and again, to what it has unpacked before, and need not unpack the file again each time.
write_file("$folder/large/distant.log", join '', map { '[2026-11-20 22:31:38,097] [INFO] [train.py:52:main] '
	. ($_ % 15000 ? join ' ', 'waiting for shards', '=' x 100, $_ * 7919 % 1000003, $_ * 31 : 'step=' . $_ / 15000)
	. "\n" } 1 .. 300000);
system_or_bail('sh', '-c', "gzip -1c '$folder/large/distant.log' > '$folder/distant.gz'; rm '$folder/large/distant.log'");
register("distant $_") for 1, 2;
import_job('distant 1', "$folder/distant.gz", ', part_bytes => 4000000');
($code, $out, $err) = $node->psql('postgres',
	"SET client_min_messages = debug1; CALL l4_import('distant 2', '$folder/distant.gz', workers => 2, part_bytes => 4000000)");
same('distant 2', 'distant 1', 'parts far apart: two processes give the same');
my $unpacked = () = $err =~ /is unpacked from its beginning/g;
ok($unpacked > 0 && $unpacked <= 2, "and the leader unpacks it at most twice ($unpacked)");

# Members of one archive, in turns: large ones, small ones, one path twice, one that is compressed and one that says it is; in a
# tar, compressed or cut, and in a zip
write_file("$folder/members/$_.log", "[2026-11-20 22:31:38,097] [INFO] [train.py:52:main] step=$_ loss=5.25\n" x ($_ * 40))
	for 10 .. 59;
copy("$folder/large/$_.log", "$folder/members/") for qw(odd real flood);
system_or_bail('gzip', '-k', "$folder/members/real.log");
write_file("$folder/members/bad.log.gz", "\x1f\x8b\x08 no gzip" . 'x' x 100000);
make_path("$folder/archive");
system_or_bail('tar', '-cf', "$folder/archive/plain.tar", '--sort=name', '-C', "$folder/members", '.', './odd.log');
system_or_bail('sh', '-c', "gzip -c '$folder/archive/plain.tar' > '$folder/archive/packed.tar.gz'");
my $cut = int(0.7 * -s "$folder/archive/plain.tar");
system_or_bail('sh', '-c', "head -c $cut '$folder/archive/plain.tar' > '$folder/archive/cut.tar'");
system_or_bail('python3', '-c', 'import sys, zipfile, glob
z = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED)
for f in sorted(glob.glob(sys.argv[2] + "/*")): z.write(f, f.rsplit("/", 1)[1])
z.close()', "$folder/archive/packed.zip", "$folder/members");
for my $name (qw(plain.tar packed.tar.gz cut.tar packed.zip))
{
	register("$name $_") for 1, 2, 4;
	my $one = (import_job("$name 1", "$folder/archive/$name", ', part_bytes => 20000'))[2];
	my $taken_in = 0;
	for my $workers (2, 4)
	{
		($code, $out, $err) = $node->psql('postgres',
			"SET client_min_messages = debug1; CALL l4_import('$name $workers', '$folder/archive/$name', workers => $workers,
				part_bytes => 20000)");
		$taken_in += () = $err =~ /read by a worker, is taken in/g;
		same("$name $workers", "$name 1", "$name: $workers processes give the same");
		my ($said, $said_by_one) = map { join "\n", sort $_ =~ /WARNING: .*\n(?:DETAIL: .*)?/g } $err, $one;
		is($said, $said_by_one, 'and say the same');
	}
	# on a busy machine one process may be through before the other one begins
	cmp_ok($taken_in, '>', 0, "$name: workers read members");
}
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_ls_dir('base/pgsql_tmp', true, false)"), '0',
	'no temporary file is left');

# A worker that ends while it reads parts or members loses nothing; a cancel ends all
$node->safe_psql('postgres', q{
	CREATE FUNCTION wait_here() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(77);
	RETURN NEW; END $$;
	CREATE TRIGGER wait_here BEFORE INSERT ON l4_segment FOR EACH ROW
		WHEN (NEW.segment_no = CASE WHEN NEW.job_id LIKE 'odd %' THEN 3 ELSE 0 END) EXECUTE FUNCTION wait_here()});
for my $case (map { my $end = $_; (['odd', $end, "$folder/large/odd.log", 7000, 'odd 7000 1', qr/read ahead, is taken in/],
	['odd packed', $end, "$folder/packed/members.gz", 7000, 'members.gz 1', qr/read ahead, is taken in/],
	['tar', $end, "$folder/archive/plain.tar", 20000, 'plain.tar 1', qr/read by a worker, is taken in/]) }
	'ended', 'cancelled', 'terminated')
{
	my ($name, $end, $path, $bytes, $other, $taken) = @$case;
	my $job = "$name $end";
	my $call = "SET client_min_messages = debug1; CALL l4_import('%s', '$path', workers => 3, part_bytes => $bytes)";
	register($job);
	$session = $node->background_psql('postgres');
	$session->query('SELECT pg_advisory_lock(77)');
	($import, $leader) = start(sprintf $call, $job);
	$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 77
		AND NOT granted");
	$node->poll_query_until('postgres', "SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'l4 import worker'");
	@pids = worker_pids();
	$node->safe_psql('postgres', 'SELECT ' . ($end eq 'ended' ? "pg_terminate_backend($pids[1])" : $end eq 'cancelled'
		? "pg_cancel_backend($leader)" : "pg_terminate_backend($leader)"));
	$node->poll_query_until('postgres', "SELECT count(*) = " . ($end eq 'ended' ? 1 : 0)
		. " FROM pg_stat_activity WHERE backend_type = 'l4 import worker'");
	$session->quit;
	$err = finish($import);
	like($err, $end eq 'ended' ? qr/WARNING:  worker \d \(process $pids[1]\) of the import ended early/ : $end eq 'cancelled'
		? qr/canceling statement due to user request/ : qr/terminating connection due to administrator command/,
		"$job: the call says so");
	unlike(slurp_file($node->logfile), qr/was terminated by signal/, "$job: no process crashes for it");
	if ($end ne 'ended')
	{
		is($node->safe_psql('postgres', "SELECT count(*) FROM l4_segment WHERE job_id = '$job'"), '0',
			'a file is one transaction, whoever read its parts');
		import_job($job, $path, ", workers => 3, part_bytes => $bytes");
	}
	else
	{
		unlike($err, qr/ERROR/, 'no file is missing for it');
		like($err, $taken, 'what was read ahead is taken in');
	}
	same($job, $other, "$job: all is there, once");
}
$node->safe_psql('postgres', 'DROP TRIGGER wait_here ON l4_segment');
like((import_job('n1', "$folder/many", ', part_bytes => 999'))[2], qr/ERROR:  parts of 999 bytes are too small/,
	'parts must not be tiny');

# 8. Thousands of small files: one transaction block has room for their locks, and no statement reads more and more of what is
#    there
write_file("$folder/small/node-$_/rank-$_.log",
	"[2026-11-20 22:31:38,097] [INFO] [train.py:52:main] step=$_ loss=5.25\nlast words of "
	. join('', map { chr(97 + $_) } split //, $_) . "\n") for 1000 .. 4999;
write_file("$folder/tiny/rank-0.log", "a few words\n");
register($_) for 'tiny', 'small block', 'small 1', 'small 3';
import_job('tiny', "$folder/tiny", '');		# statistics of very small tables
$node->append_conf('postgresql.conf', "max_locks_per_transaction = 10\n");
$node->restart;
my $reads = "SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables
	WHERE relname IN ('l4_stream', 'l4_shape')";
my $before = $node->safe_psql('postgres', $reads);
($code, $out, $err) = import_job('small 1', "$folder/small", '');
is($code, 0, '4,000 files');
# the session's figures come when it ends
$node->poll_query_until('postgres', "SELECT ($reads) > $before");
cmp_ok($node->safe_psql('postgres', $reads) - $before, '<', 4000 * 30, 'rows are found by their keys');
($code, $out, $err) = $node->psql('postgres', "BEGIN; CALL l4_import('small block', '$folder/small'); COMMIT");
is($code, 0, 'in a transaction block without a lock for each') or diag($err);
same('small block', 'small 1', 'the same');
($code, $out, $err) = import_job('small 3', "$folder/small", ', workers => 3');
is($code, 0, 'by three processes');
same('small 3', 'small 1', 'the same');
($code, $out, $err) = import_job('small 3', "$folder/small", ', workers => 3');
like($err, qr/from 0 files; 4000 unchanged/, 'called again nothing is read');

# A transaction block keeps its locks, and goes through the files in another order than processes that share them: neither waits
# for the other in a circle
write_file("$folder/mixed/node-$_/rank-$_.log",
	"[2026-11-20 22:31:38,097] [INFO] [train.py:52:main] step=$_ loss=5.25\n" x ($_ * 37 % 600)) for 100 .. 699;
for my $try (1 .. 3)
{
	register("mixed $try");
	my ($block) = start("BEGIN; CALL l4_import('mixed $try', '$folder/mixed'); COMMIT");
	my ($shared) = start("CALL l4_import('mixed $try', '$folder/mixed', workers => 3)");
	unlike(finish($_), qr/ERROR/, "try $try: a block and processes at once") for $block, $shared;
	is($node->safe_psql('postgres', "SELECT count(*), sum(line_count) FROM l4_stream WHERE job_id = 'mixed $try'"),
		'600|' . eval { my $n = 0; $n += $_ * 37 % 600 for 100 .. 699; $n }, 'all lines, once');
}

# 9. Where workers cannot help, the leader does all
register($_) for 'block', 'alone';
($code, $out, $err) = $node->psql('postgres', "BEGIN; CALL l4_import('block', '$folder/many', workers => 4); COMMIT");
is($code, 0, 'inside a transaction block');
same('block', 'n1', 'the same');
$node->append_conf('postgresql.conf', 'max_worker_processes = 1');
$node->restart;
($code, $out, $err) = import_job('alone', "$folder/many", ', workers => 4');
is($code, 0, 'no worker slot is free');
same('alone', 'n1', 'the leader does all');
like((import_job('alone', "$folder/many", ", workers => $_"))[2], qr/ERROR:  number of workers $_ is out of range/,
	"$_ processes are refused") for 0, -1, 1025;

$node->stop;
done_testing();
