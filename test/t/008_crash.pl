# Imports with workers, ended at random moments in every way there is: nothing else in the server notices, and calling the
# import again brings exactly what an undisturbed one brings. L4_CRASH_ENDINGS and L4_CRASH_KILLS say how many rounds (make
# test-crash runs 500 and 200), L4_CRASH_SEED which moments.
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use IPC::Run;
use LogFiles qw(write_file);
use List::Util qw(max sum0);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $endings = $ENV{L4_CRASH_ENDINGS} // 10;
my $kills = $ENV{L4_CRASH_KILLS} // 5;
my $seed = $ENV{L4_CRASH_SEED} // int time;
srand $seed;
$SIG{__DIE__} = sub { diag(@_) unless $^S };	# else it is told in a file that goes with the folder
{ no warnings; *PostgreSQL::Test::BackgroundPsql::note = sub { }; }	# each query and its result, thousands of times
diag("seed $seed: $endings endings, $kills kills");

my $node = PostgreSQL::Test::Cluster->new('crash');
$node->init;
$node->append_conf('postgresql.conf',
	"timezone = 'UTC'\nmax_worker_processes = 8\nautovacuum = off\nrestart_after_crash = on\nlog_min_messages = warning\n");
$node->start;
my $folder = PostgreSQL::Test::Utils::tempdir;

# ---------------------------------------------------------------------------------------------------------------------
# Logs: many small files and an archive, and one large file; each whole, and as it was before it grew.

sub log_lines
{
	my ($bytes, @ranks) = @_;
	my ($text, $time, $step) = ('', 0, 0);
	while (length $text < $bytes)
	{
		my $n = int rand 40;
		my $label = @ranks ? '[rank' . $ranks[rand @ranks] . ']: ' : '';
		my $stamp = sprintf '[2026-11-20 %02d:%02d:%02d,%03d]', 10 + $time / 3600000, $time / 60000 % 60, $time / 1000 % 60,
			($time += 137) % 1000;
		$text .= $n < 24 ? "$label$stamp [INFO] [train.py:$n:main] step=" . ++$step . ' loss=' . rand() . "\n"
			: $n < 28 ? "${label}loading shard $n of 99 by " . join('', map { chr 97 + rand 26 } 1 .. 3) . " done\n"
			: $n < 32 ? "$label$stamp [ERROR] [train.py:9:main] failed\n${label}Traceback (most recent call last):\n$label  "
				. "File \"a.py\", line $n, in x\n${label}ValueError: no $n\n"
			: $n < 36 ? $label . join("\r", map { " $_%|##  | $_/50 [00:01<00:49, 1.0s/it]" } 0 .. $n / 4) . "\n"
			: "${label}saving checkpoint at iteration $step to /ckpt\n";
	}
	return $text;
}

sub write_both
{
	my ($name, $text) = @_;
	write_file("$folder/whole/$name", $text);
	write_file("$folder/first/$name", substr $text, 0, length($text) * rand);
}
write_both("many/node-$_/rank-$_.log", log_lines(200 * (1 + $_ % 300))) for 1 .. 150;
write_file("$folder/packed/node-$_/rank-$_.log", log_lines(20000)) for 200 .. 209;
system_or_bail('tar', '-czf', "$folder/whole/many/more.tar.gz", '-C', "$folder/packed", '.');
write_both('large/all.log', log_lines(4_000_000, 0 .. 15));
my @cases = map { my $kind = $_; map { [$kind, $_] } qw(fresh grown) } qw(many large);

# ---------------------------------------------------------------------------------------------------------------------
# Databases: each round works in a copy of its own, so that events are found anew. The comparison is of all rows, and of what is
# read back.

sub import_call
{
	my ($kind, $path, $workers) = @_;
	return "CALL l4_import('job', '$folder/$path/$kind', workers => $workers"
		. ($kind eq 'large' ? ', part_bytes => 100000)' : ')');
}

my %rows = (
	(map { $_ => 'to_jsonb(t)' } qw(l4_segment l4_source_counts l4_parameter_sketch l4_timeline l4_address l4_shape
		l4_source_state l4_pool l4_pool_job l4_pool_event l4_pool_parameter)),
	l4_stream => "to_jsonb(t) - 'imported_at' - 'file_modified_at'",
	l4_event => "to_jsonb(t) - 'first_seen'");
my $summary = join ' UNION ALL ',
	map { "SELECT '$_ ' || count(*) || ' ' || coalesce(md5(string_agg(r, E'\\n' ORDER BY r)), '')
		FROM (SELECT ($rows{$_})::text COLLATE \"C\" FROM $_ t) s (r)" } sort keys %rows;
$summary .= ' ORDER BY 1';	# a plan may take the tables in any order
# of each source: its name, a hash of its bytes as they are read back, and how many lines these are
my $contents = q{SELECT concat_ws(E'\t', source, md5(string_agg(raw_bytes, '' ORDER BY line_no, part)),
		sum(length(text) - length(replace(text, E'\n', '')))) FROM (SELECT *,
			encode(raw_bytes, 'escape') AS text FROM l4_log) l GROUP BY source};

$node->safe_psql('postgres', 'CREATE DATABASE fresh');
$node->safe_psql('fresh',
	q{CREATE EXTENSION l4; SELECT l4_register_job('job', '{"model": "m"}', 'succeeded', started_at => '2026-11-20 09:00+00')});
my (%expected, %lines, %seconds);
for my $case (@cases)
{
	my ($kind, $state) = @$case;
	$node->safe_psql('postgres', "CREATE DATABASE $state$kind TEMPLATE fresh") ;
	$node->safe_psql("$state$kind", import_call($kind, 'first', 1)) if $state eq 'grown';
	$node->safe_psql('postgres', "CREATE DATABASE undisturbed TEMPLATE $state$kind");
	my $began = time;
	$node->safe_psql('undisturbed', import_call($kind, 'whole', 3));
	$seconds{"$state$kind"} = time - $began;
	$expected{"$state$kind"} = $node->safe_psql('undisturbed', $summary);
	my %found = map { my ($source, $hash, $lines) = split /\t/; $source => [$hash, $lines] } split /\n/,
		$node->safe_psql('undisturbed', $contents);
	$lines{$kind} = \%found;
	$node->safe_psql('postgres', 'DROP DATABASE undisturbed');
}
for my $path (split /\n/, `cd '$folder/whole' && find . -name '*.log' | sed 's,^./,,'`)
{
	my ($kind, $source) = split m{/}, $path, 2;
	my $text = slurp_file("$folder/whole/$path");
	my ($hash, $lines) = @{ $lines{$kind}{$source} };
	die "$path does not come back" if $hash ne md5_hex($text) || $lines != ($text =~ tr/\n//);
}
diag(sprintf 'an undisturbed import takes %s s', join ', ', map { sprintf '%s %.1f', $_, $seconds{$_} } sort keys %seconds);

# ---------------------------------------------------------------------------------------------------------------------
# A round: an import is begun, something ends it, it is called again and compared.

my %count = map { $_ => 0 } qw(rounds late lost doubled different failed);
my ($bystander, $bystander_pid);

# A session that does nothing of l4 and has to live on; the rounds are steered through it.
# The driver's answers have ends of lines around them in some versions, and in PostgreSQL 16.2, where there are no rows,
# words of its own.
sub asked
{
	my ($sql) = @_;
	return $bystander->query_safe($sql) =~ s/^\s+|\s+$//gr;
}

# A server that has not noticed yet that one of its processes was killed takes a client, and sends it away.
sub meet_bystander
{
	for (1 .. 600)
	{
		return if eval {
			$bystander = $node->background_psql('postgres');
			$bystander->set_query_timer_restart;	# its time is that of a query, not of all rounds
			asked('SET client_min_messages = error');	# that a process is gone already is none of it
			$bystander_pid = asked('SELECT pg_backend_pid()');
			asked('CREATE TEMPORARY TABLE mine AS SELECT 42 AS answer');
			1;
		};
		sleep 0.1;
	}
	die 'the server takes no client';
}

sub bystander_lives { return (eval { asked('SELECT pg_backend_pid(), answer
	FROM mine') } // '') eq "$bystander_pid|42"; }

sub process_of
{
	my ($who) = @_;
	my $type = $who eq 'worker' ? 'l4 import worker' : 'client backend';
	return asked("SELECT (SELECT pid FROM pg_stat_activity WHERE datname = 'round' AND backend_type = '$type'
		ORDER BY random() LIMIT 1)");
}

sub begin_import
{
	my ($kind, $setting) = @_;
	my $result = { err => '' };
	$result->{run} = IPC::Run::start(
		['psql', '--no-psqlrc', '--quiet', '-d', $node->connstr('round'), '-v', 'ON_ERROR_STOP=1', '-c', $setting, '-c',
			import_call($kind, 'whole', 3)],
		'>', \my $out, '2>', \$result->{err}, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return $result;
}

sub end_import
{
	my ($import) = @_;
	eval { $import->{run}->finish; 1 } or die "$@\n"
		. $node->safe_psql('postgres', 'SELECT pid, backend_type, wait_event, query, pg_blocking_pids(pid)
			FROM pg_stat_activity');
	return $import->{run}->result(0);
}

# Calls the import again, and compares.
sub resume
{
	my ($kind, $state, $what) = @_;
	my ($code, $out, $err) = $node->psql('round', import_call($kind, 'whole', 2));
	if ($code != 0)
	{
		$count{failed}++;
		diag("$what: the import cannot be called again: $err");
	}
	my $found = $node->safe_psql('round', $summary);
	if ($found ne $expected{"$state$kind"})
	{
		my %before = map { $_ => 1 } split /\n/, $expected{"$state$kind"};
		$count{different}++;
		diag("$what: other rows than those of an undisturbed import:", grep { !$before{$_} } split /\n/, $found);
	}
	my %seen = map { my ($source, @rest) = split /\t/; $source => \@rest } split /\n/, $node->safe_psql('round', $contents);
	for my $source (keys %{ $lines{$kind} })
	{
		my ($hash, $lines) = @{ $lines{$kind}{$source} };
		my $more = ($seen{$source}[1] // 0) - $lines;
		$count{lost} -= $more if $more < 0;
		$count{doubled} += $more if $more > 0;
		$count{different}++ if $more == 0 && $seen{$source}[0] ne $hash;
	}
}

sub begin_round
{
	my ($state, $kind) = @_;
	asked('DROP DATABASE IF EXISTS round WITH (FORCE)');
	asked("CREATE DATABASE round TEMPLATE $state$kind");
	$count{rounds}++;
}

# Waits until a worker is there, if one is meant, and then for a random part of the time that the import takes.
sub wait_for_moment
{
	my ($state, $kind, $who, $import) = @_;
	my $end = time + rand(1.1) * $seconds{"$state$kind"};
	while (time < $end) { sleep 0.01; $import->{run}->pump_nb if $import->{run}->pumpable; }
	return process_of($who);
}

# The import was over before: it takes less time than was thought.
sub too_late
{
	my ($state, $kind, $took) = @_;
	$count{late}++;
	$seconds{"$state$kind"} = 0.5 * $seconds{"$state$kind"} + 0.4 * $took;
}

# ---------------------------------------------------------------------------------------------------------------------
# Terminations, cancels and timeouts of leaders and workers: nobody else notices.

# The leader waits for a part that another process is at, on a list in memory that its end unmaps. The workers stand still for
# three seconds; should one do so with a lock that all need, that is over then.
sub leader_at_part
{
	my $workers = q{SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE datname = 'round'
		AND backend_type = 'l4 import worker'};
	my $waiting = q{SELECT max(pid) FROM pg_stat_activity WHERE datname = 'round' AND backend_type = 'client backend'
		AND wait_event = 'Extension'};
	my $began = time;
	my $pids = '';
	$pids = asked($workers) while $pids !~ / / && time - $began < 10;
	sleep rand($seconds{freshlarge} / 2);
	system("kill -STOP $pids 2>/dev/null; (sleep 3; kill -CONT $pids) >/dev/null 2>&1 &");
	my $stopped = time;
	while (time - $stopped < 2)
	{
		my $leader = asked($waiting);
		next unless $leader && $node->safe_psql('round', 'SELECT count(*) FROM l4_stream') eq '0';
		return $leader if asked($waiting) eq $leader && time - $stopped < 2.5;
	}
	return;
}

meet_bystander();
for my $how ('cancel', 'terminate')
{
	my $leader;
	# on a busy machine few tries come at the moment that is meant
	for my $try (1 .. 45)
	{
		begin_round('fresh', 'large');
		my $import = begin_import('large', 'SELECT');
		$leader = leader_at_part();
		asked("SELECT pg_${how}_backend($leader)") if $leader;
		my $code = end_import($import);
		last if $leader && $code != 0;
	}
	ok($leader, "$how while the leader waits for a part");
	ok(bystander_lives(), 'nobody else notices');
	resume('large', 'fresh', "$how at a part");
}

my @endings = (['leader', 'terminate'], ['leader', 'cancel'], ['leader', 'timeout'], ['worker', 'terminate'],
	['worker', 'cancel']);
my %hit;
my $survived = 0;
$count{rounds} = 0;
for (my $round = 1; sum0(values %hit) < $endings && $round <= 4 * $endings; $round++)
{
	my ($who, $how) = @{ $endings[$round % @endings] };
	my ($kind, $state) = @{ $cases[$round / @endings % @cases] };
	my $what = "round $round ($who, $how, $state $kind)";
	begin_round($state, $kind);
	my $began = time;
	my $import = begin_import($kind, $how eq 'timeout' ? 'SET statement_timeout = '
		. max(1, int rand(1100) * $seconds{"$state$kind"}) : 'SELECT');
	my $pid = $how eq 'timeout' ? '' : wait_for_moment($state, $kind, $who, $import);
	asked("SELECT pg_${how}_backend($pid)") if $pid;
	my $code = end_import($import);
	my $was_hit = $who eq 'worker' ? $import->{err} =~ /worker \d+ \(process \d+\)/ : $code != 0;
	$was_hit ? $hit{"$who $how"}++ : too_late($state, $kind, time - $began);
	if ($who eq 'worker' && $code != 0)
	{
		$count{failed}++;
		diag("$what: the import does not get over the end of a worker: $import->{err}");
	}
	$survived++ if bystander_lives();
	resume($kind, $state, $what);
	last if $survived < $count{rounds};
}
my $log = slurp_file($node->logfile);
my $crashes = () = $log =~ /was terminated by (?:signal|exception)|PANIC:|TRAP:/g;
is($crashes, 0, 'no process crashed');
is(sum0(values %hit), $endings, 'that many imports were ended');
is($survived, $count{rounds}, 'a session that has nothing to do with it lives through all endings');
is("@count{qw(lost doubled different failed)}", '0 0 0 0',
	'after each ending the import, called again, brings all, once, as if nothing had been') ;
diag(sprintf '%d endings (%s; %d more came too late): %d crashes, %d of %d times the others lived on, %d lines lost, %d '
	. 'doubled, %d differences, %d failures',
	sum0(values %hit), join(', ', map { "$_ $hit{$_}" } sort keys %hit), $count{late}, $crashes, $survived, $count{rounds},
		@count{qw(lost doubled different failed)});

# ---------------------------------------------------------------------------------------------------------------------
# Kills that take the whole server, and stops of it.

%count = map { $_ => 0 } keys %count;
%hit = ();
my $unclean = 0;

# All processes of the server, the postmaster among them.
sub server_processes
{
	my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	my @all = ($postmaster, split /\n/, `ps -o pid= --ppid $postmaster`);
	s/\s//g for @all;
	return @all;
}

sub stop_server
{
	my ($mode) = @_;
	if ($mode eq 'postmaster')
	{
		my @all = server_processes();
		$node->kill9;
		sleep 0.05 while grep { kill 0, $_ } @all;
	}
	else
	{
		my $offset = -s $node->logfile;
		$node->stop($mode);
		$unclean++ if $mode eq 'fast' && slurp_file($node->logfile, $offset) =~ /abnormal|was terminated by/;
	}
	# A process that began after all were listed may hold the shared memory for a moment longer.
	for (1 .. 100)
	{
		return if $node->start(fail_ok => 1);
		sleep 0.2;
	}
	die "the server does not start again; its log ends with\n" . substr(slurp_file($node->logfile), -4000);
}

# A client that the recovering server turns away may end before it took the query, which the driver dies of.
sub await_server
{
	for (1 .. 600)
	{
		return if eval { $node->safe_psql('postgres', 'SELECT 1'); 1 };
		sleep 0.1;
	}
	die 'the server does not come back';
}

my @kills = qw(leader worker postmaster immediate fast);
for (my $round = 1; sum0(values %hit) < $kills && $round <= 4 * $kills; $round++)
{
	my $who = $kills[$round % @kills];
	my ($kind, $state) = @{ $cases[$round / @kills % @cases] };
	my $what = "kill $round ($who, $state $kind)";
	begin_round($state, $kind);
	my $began = time;
	my $import = begin_import($kind, 'SELECT');
	my $pid = wait_for_moment($state, $kind, $who eq 'worker' ? 'worker' : 'leader', $import);
	if ($who ne 'leader' && $who ne 'worker')
	{
		eval { $bystander->quit };
		stop_server($who);
	}
	elsif ($pid)
	{
		kill 'KILL', $pid;
	}
	end_import($import);
	$pid ? $hit{$who}++ : too_late($state, $kind, time - $began);
	eval { $bystander->quit };
	await_server();
	meet_bystander();
	resume($kind, $state, $what);
}
my $others = () = slurp_file($node->logfile) =~ /was terminated by signal (?!9\b)|PANIC:|TRAP:/g;
is(sum0(values %hit), $kills, 'that many imports were killed');
is($others, 0, 'no process crashed but those that were killed');
is($unclean, 0, 'each fast shutdown is a clean one');
is("@count{qw(lost doubled different failed)}", '0 0 0 0',
	'after each kill the import, called again, brings all, once, as if nothing had been');
diag(sprintf '%d kills and stops (%s; %d more came too late): %d crashes of others, %d unclean shutdowns, %d lines lost, %d '
	. 'doubled, %d differences, %d failures',
	sum0(values %hit), join(', ', map { "$_ $hit{$_}" } sort keys %hit), $count{late}, $others, $unclean,
		@count{qw(lost doubled different failed)});
$node->stop;
done_testing();
