# Locks: imports, deletions, changes of status and all else that changes jobs at once wait for each other, never in a circle and
# never for somebody who has no right to any of it.
use strict;
use warnings;
use LogFiles qw(write_file);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('locks');
$node->init;
$node->append_conf('postgresql.conf',
	"timezone = 'UTC'\nmax_worker_processes = 8\nautovacuum = off\ndeadlock_timeout = 100ms\nstatement_timeout = 60s\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION l4; CREATE ROLE nobody LOGIN; CREATE ROLE reader LOGIN;
	GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader');
{ no warnings; *PostgreSQL::Test::BackgroundPsql::note = sub { }; }
my $folder = PostgreSQL::Test::Utils::tempdir;

sub log_text { my ($lines, $word) = @_; return join '',
	map { "[2026-11-20 22:31:38,097] [INFO] [train.py:52:main] step=$_ loss=5.25\n$word number $_ of " . ($_ % 7)
		. "\n" } 1 .. $lines; }
my @letters = ('a' .. 'z');
write_file("$folder/few/node-$_/rank-$_.log", log_text(20, join '', @letters[$_ .. $_ + 3])) for 0 .. 9;
write_file("$folder/many/node-$_/rank-$_.log", log_text(40 + $_ % 50, join '', @letters[$_ % 20 .. $_ % 20 + 4])) for 0 .. 149;

sub register
{
	my ($job, $status, $model) = @_;
	$node->safe_psql('postgres', "SELECT l4_register_job('$job', '{\"model\": \"" . ($model // 'm')
		. "\"}', '$status', started_at => '2026-11-20 22:00+00')");
}

# Statements that go on in the background, all at once; finish gives what each says.
sub start
{
	my ($sql) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	$session->{stdin} .= "\\set VERBOSITY verbose\n$sql;\n\\warn 'all is over'\n";
	$session->{run}->pump_nb;
	return $session;
}

sub finish
{
	my ($session) = @_;
	$session->{run}->pump until $session->{stderr} =~ /all is over/ || $session->{timeout}->is_expired;
	my $err = $session->{stderr};
	$session->quit;
	return $err;
}

sub errors_of { return join ' ', sort map { /ERROR:  (\w{5}):/g } @_; }

# 1. Nobody without rights holds an import up
register('alone', 'failed');
my $nobody = $node->background_psql('postgres', extra_params => ['-U', 'nobody']);
my $import = start("CALL l4_import('alone', '$folder/few')");
unlike(finish($import), qr/ERROR/, 'an import');
my $keys = q{SELECT pg_advisory_lock_shared(hashtextextended(k, 0)), pg_advisory_lock(key)
	FROM unnest('{l4_assign_events,l4_shape}'::text[]) k,
	(SELECT l4_shape_id('held') UNION SELECT ~l4_shape_id('held')) h (key)};
$nobody->query_safe($keys);
register('held', 'succeeded');
write_file("$folder/new/rank-0.log", "words that nobody said before\n");
unlike(finish(start("SET lock_timeout = '3s'; CALL l4_import('held', '$folder/new')")), qr/ERROR/,
	'advisory locks are of no concern');
$nobody->quit;
my $session = $node->background_psql('postgres');
$session->query_safe('BEGIN; LOCK TABLE l4_parameter_sketch IN SHARE MODE');
register('watched', 'failed');
$import = start("CALL l4_import('watched', '$folder/few')");
$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_locks WHERE relation = 'l4_parameter_sketch'::regclass
	AND NOT granted");
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), '0',
	'an import takes no advisory lock');
is($node->safe_psql('postgres', "SELECT count(*), bool_and(granted) FROM pg_locks WHERE locktype = 'object'
	AND classid = 'l4_stream'::regclass"), '10|t', 'but one for each file');
$session->quit;
unlike(finish($import), qr/ERROR/, 'and goes through');
for my $role ('nobody', 'reader')
{
	for my $call ("SELECT l4_lock('l4_shape', NULL, false)", "SELECT l4_lock('l4_job', 'alone', false)",
		"SELECT l4_ingest('alone', 'SELECT pg_sleep(100)::text AS line')", "SELECT l4_delete_job('alone')",
		"SELECT l4_drop_log_text('alone', false)")
	{
		my $err = ($node->psql('postgres', $call, extra_params => ['-U', $role]))[2];
		like($err, qr/permission denied/, "$role: $call is refused");
	}
}
is(errors_of(finish(start("SELECT l4_lock('l4_none', NULL, false)"))), '22023', 'a lock that there is not');

# 2. Two changes of jobs of one pool at once: both ways, into it and out of it
sub pools { return $node->safe_psql('postgres',
	q{SELECT p.settings->>'model', p.job_count, (SELECT count(*) FROM l4_pool_job j WHERE j.pool_id = p.pool_id),
		(SELECT max(e.job_count) FROM l4_pool_event e WHERE e.pool_id = p.pool_id)
		FROM l4_pool p WHERE p.job_count > 0 ORDER BY 1}); }
for my $job (1 .. 4)
{
	register("pool $job", 'failed', 'p');
	finish(start("CALL l4_import('pool $job', '$folder/few')"));
}
for my $status ('succeeded', 'failed')
{
	# the first one waits at its end, having changed the pool
	my $first = $node->background_psql('postgres');
	$first->query_safe("BEGIN; SELECT l4_register_job('pool 1', status => '$status')");
	my @others = map { start("SELECT l4_register_job('pool $_', status => '$status')") } 2 .. 4;
	$node->poll_query_until('postgres', "SELECT count(*) = 3 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
	$first->query_safe('COMMIT');
	$first->quit;
	is(errors_of(map { finish($_) } @others), '', "four jobs of one pool become $status at once");
	like(pools(), $status eq 'succeeded' ? qr/^p\|4\|4\|4$/m : qr/^(?!p\|)/, 'and the pool knows');
}

# 3. A transaction that changes several: one after the other, none in a circle
for my $try (1 .. 3)
{
	my @sessions = map { my ($from, $to) = @$_;
		start("BEGIN; SELECT l4_register_job(j, settings => jsonb_build_object('model', '$to'), status => 'succeeded') FROM "
			. "unnest('{pool 1,pool 2,pool 3,pool 4}'::text[]) WITH ORDINALITY u (j, n) ORDER BY n $from; COMMIT")
	} ['', "x$try"], ['DESC', "y$try"];
	is(errors_of(map { finish($_) } @sessions), '', "try $try: settings of many jobs change at once");
	like(pools(), qr/^[xy]$try\|4\|4\|4$/m, 'and all are in one pool');
}

# 4. Everything at once
my %sound = map { $_ => 1 } qw(P0002);		# the job is deleted
for my $try (1 .. 4)
{
	register("busy $_", 'running', "b$try") for 1 .. 3;
	my @sessions = map { my $job = "busy $_"; (
		start("CALL l4_import('$job', '$folder/many', workers => 2)"),
		start("CALL l4_import('$job', '$folder/many')"),
		start(join ';', map { "SELECT l4_register_job('$job', status => '$_');
			SELECT pg_sleep(0.05)" } qw(succeeded failed running succeeded)),
		start("SELECT l4_ingest('$job',
			'SELECT ''row '' || i || '' of many'' AS line, ''node-1'' AS node FROM generate_series(1, 300) i')"),
		start("SELECT pg_sleep(0.3); SELECT l4_drop_log_text('$job', false)")) } 1 .. 3;
	push @sessions, start('SELECT pg_sleep(0.2); SELECT l4_recluster()');
	push @sessions, start('SELECT pg_sleep(0.4); SELECT l4_delete_job(\'busy 3\')') if $try % 2;
	my @said = map { finish($_) } @sessions;
	my @bad = grep { !$sound{$_} } split / /, errors_of(@said);
	is("@bad", '', "try $try: imports, rows, changes of status, dropped text, clusters and a deletion at once")
		or diag(grep { /ERROR/ } @said);
	my @left = $try % 2 ? (1, 2) : (1 .. 3);
	for my $job (@left)
	{
		finish(start("CALL l4_import('busy $job', '$folder/many')"));
		is($node->safe_psql('postgres', "SELECT count(DISTINCT file_id), sum(line_count) FROM l4_stream
			WHERE job_id = 'busy $job' AND file_size IS NOT NULL"),
			'150|' . eval { my $n = 0; $n += 2 * (40 + $_ % 50) for 0 .. 149; $n }, "busy $job: all lines of all files, once");
	}
	is($node->safe_psql('postgres',
		"SELECT count(*) FROM l4_stream s WHERE NOT EXISTS (SELECT FROM l4_job j WHERE j.job_id = s.job_id)"), '0',
		'no logs of a job that is no more');
	is($node->safe_psql('postgres',
		"SELECT count(*) FROM l4_shape WHERE event_id IS NULL OR NOT EXISTS (SELECT FROM l4_event e
			WHERE e.event_id = l4_shape.event_id)"), '0', 'every shape has its event');
	like(pools(), qr/^b$try\|${\ scalar @left}\|${\ scalar @left}\|${\ scalar @left}$/m, 'the pool has the jobs that are left');
}

# 5. Rows of several jobs and imports of them: the jobs are locked before anything is written
register("inbox $_", 'failed') for 1 .. 4;
for my $try (1 .. 3)
{
	$node->safe_psql('postgres', "INSERT INTO l4_inbox (job_id, node, line) SELECT 'inbox ' || j, 'n', 'try $try of inbox, row '
		|| i FROM generate_series(1, 4) j, generate_series(1, 300) i");
	my @sessions = ((map { start("SELECT l4_ingest_inbox()") } 1 .. 2),
		map { start("CALL l4_import('inbox $_', '$folder/few', workers => 2);
			SELECT l4_ingest('inbox $_', 'SELECT ''one $_'' AS line')") } reverse 1 .. 4);
	is(errors_of(map { finish($_) } @sessions), '', "try $try: rows of four jobs, and their imports");
	is($node->safe_psql('postgres', "SELECT count(*), sum(line_count) FROM l4_stream WHERE job_id LIKE 'inbox %'
		AND node = 'n'"), '4|' . 1200 * $try, 'all rows, once');
}

# 6. Rows for a source whose text was dropped
register('dropped', 'failed');
finish(start("SELECT l4_ingest('dropped', 'SELECT ''old row'' AS line, ''n'' AS node FROM generate_series(1, 10)')"));
$node->safe_psql('postgres', "SELECT l4_drop_log_text('dropped', false)");
is(errors_of(finish(start("SELECT l4_ingest('dropped',
	'SELECT ''new row'' AS line, ''n'' AS node FROM generate_series(1, 5)')"))), '', 'rows come after the text was dropped');
is($node->safe_psql('postgres', "SELECT count(*), min(raw), (SELECT sum(line_count) FROM l4_stream WHERE job_id = 'dropped')
	FROM l4_log WHERE job_id = 'dropped'"), '5|new row|5', 'and begin their source anew');
is(scalar(() = slurp_file($node->logfile) =~ /deadlock detected/g), 0, 'no deadlock');
$node->stop;
done_testing();
