# Live diagnosis of flows: a call of l4_watch_flows that is cancelled, runs into a time-out, or whose session ends leaves
# nothing, and what it carries from window to window survives dump and restore. Whatever happened, what is found in the end is
# what calls that nothing disturbed find.
use strict;
use warnings;
use File::Basename qw(dirname);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

# of a window, in seconds, and how many there are
use constant { WIDTH => 10, WINDOWS => 9 };

my $top = $ENV{L4_TOP} // dirname(__FILE__) . '/../..';
my $folder = PostgreSQL::Test::Utils::tempdir_short;
system_or_bail('make', '-s', '-C', "$top/test/generate/flows");
system_or_bail("$top/test/generate/flows/flows", '--out', "$folder/flows", '--scenario', 'small', '--seed', '5', '--window',
	WIDTH * WINDOWS, '--fault', 'slow_link::0.3');

my $node = PostgreSQL::Test::Cluster->new('flow_watch');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nfsync = off\njit = off\nmax_parallel_workers_per_gather = 0\n");
$node->start;

# All that it keeps, as rows of text, but for when it was called.
my %tables = map { $_ => "SELECT to_jsonb(t) - 'called_at' FROM $_ t" } qw(l4_flow_watch l4_flow_watch_window l4_flow_watch_job
	l4_flow_watch_tail l4_flow_step_time l4_flow_watch_finding);

sub state_of
{
	my ($database) = @_;
	return { map { $_ => $node->safe_psql($database, "SELECT count(*), md5(string_agg(r::text, ',' ORDER BY r::text COLLATE
			\"C\")) FROM ($tables{$_}) x(r)") } keys %tables };
}

# A call that reads all windows up to the given one.
sub call { my ($window) = @_; return "SELECT * FROM l4_watch_flows('${\WIDTH} seconds', '0 seconds',
	'2026-01-01 00:00:00+00'::timestamptz + interval '1 second' * ${\WIDTH} * $window)"; }

for my $database ('once', 'steps')
{
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, qq{CREATE EXTENSION l4;
		INSERT INTO l4_flow_watch (upto) VALUES ('2026-01-01 00:00:00+00');
		SELECT l4_create_flow_partitions('2026-01-01 00:00:00+00', '2026-01-01 00:01:00+00', '1 minute');
		\\copy l4_accelerator FROM '$folder/flows/accelerators.csv' CSV HEADER
		\\copy l4_flow FROM '$folder/flows/flows.csv' CSV HEADER
		VACUUM ANALYZE});
}

# ---------- undisturbed ----------

my $middle;
for my $window (1 .. WINDOWS)
{
	$node->safe_psql('once', call($window));
	$middle = state_of('once') if $window == 4;
}
my $undisturbed = state_of('once');
my $flows = $node->safe_psql('once', q{SELECT count(*) FROM l4_flow WHERE started_at >= '2026-01-01 00:00:00+00'
	AND started_at < (SELECT upto FROM l4_flow_watch)});
is($node->safe_psql('once', 'SELECT flows, windows FROM l4_flow_watch'), "$flows|${\WINDOWS}", 'each flow is read');
cmp_ok($flows, '>', 10000, 'there are flows');
cmp_ok($node->safe_psql('once', 'SELECT sum(steps) FROM l4_flow_step_time'), '>', 50, 'and steps');
is($node->safe_psql('once', q{SELECT count(*) > 0 FROM l4_flow_watch_finding WHERE kind = 'slow_link'}), 't', 'and a finding');

# ---------- ended amid a call ----------

# Stops a call where it writes into the table that stop.at_table names, when it has read so many windows: cancels it,
# or waits for somebody who does.
$node->safe_psql('steps', q{CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF current_setting('stop.at_table', true) = TG_TABLE_NAME
			AND (SELECT count(*) FROM public.l4_flow_watch_window) >= current_setting('stop.windows', true)::int THEN
			IF current_setting('stop.how') = 'wait' THEN
				PERFORM pg_sleep(600);
			ELSE
				PERFORM pg_cancel_backend(pg_backend_pid()), pg_sleep(600);
			END IF;
		END IF;
		RETURN NULL;
	END $$;}
	. join(' ', map { "CREATE TRIGGER stop AFTER INSERT OR UPDATE OR DELETE ON $_ EXECUTE FUNCTION stop();" } keys %tables));

sub stop_at { my ($table, $windows, $how) = @_; return "SET stop.at_table = '$table'; SET stop.windows = $windows;
	SET stop.how = '$how';"; }

# cancelled where it writes into any of its tables, in the third window
my $state = state_of('steps');
for my $table (sort keys %tables)
{
	my ($status, $out, $err) = $node->psql('steps', stop_at($table, 2, 'cancel') . call(WINDOWS));
	like($err, qr/canceling statement due to user request/, "a call is cancelled where it writes into $table");
	is_deeply(state_of('steps'), $state, 'it leaves nothing');
}
# and wherever it is: for a quarter of the time that it takes, which is measured
my $began = time;
$node->safe_psql('steps', 'BEGIN; ' . call(WINDOWS) . '; ROLLBACK');
my $took = time - $began;
for my $limit (map { int(1 + $took * 1000 * $_ / 24) } 0 .. 6)
{
	my ($status, $out, $err) = $node->psql('steps', "SET statement_timeout = $limit; " . call(WINDOWS));
	like($err, qr/canceling statement due to statement timeout/, 'a call runs into a time-out');
	is_deeply(state_of('steps'), $state, 'it leaves nothing');
}
$node->safe_psql('steps', call(4));
is_deeply(state_of('steps'), $middle, 'several windows in one call, after calls that were cancelled');

# in a transaction that goes on
my ($status, $out, $err) = $node->psql('steps', stop_at('l4_flow_watch_tail', 5, 'cancel') . "BEGIN; SAVEPOINT s;\n"
	. call(WINDOWS) . ";\nROLLBACK TO s; SET stop.at_table = ''; " . call(5) . '; COMMIT', on_error_stop => 0);
like($err, qr/canceling statement due to user request/, 'a call is cancelled amid a transaction');
is($node->safe_psql('steps', 'SELECT windows FROM l4_flow_watch'), '5', 'which takes it back, and calls again');

# by somebody, or its session ends
$state = state_of('steps');
for my $how ('pg_cancel_backend', 'pg_terminate_backend')
{
	my $session = $node->background_psql('steps', on_error_stop => 0);
	my $pid = $session->query('SELECT pg_backend_pid()');
	$session->query_until(qr/called/, stop_at('l4_flow_step_time', 6, 'wait') . "\n\\echo called\n" . call(WINDOWS) . ";\n");
	$node->poll_query_until('steps', "SELECT wait_event = 'PgSleep' FROM pg_stat_activity WHERE pid = $pid");
	is($node->safe_psql('steps', "SELECT $how($pid)"), 't', "$how amid a call");
	$node->poll_query_until('steps', "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $pid AND state = 'active'");
	is_deeply(state_of('steps'), $state, 'it leaves nothing');
	eval { $session->quit };
}
$node->safe_psql('steps', 'DROP FUNCTION stop() CASCADE');

# ---------- dumped amid, and restored ----------

$node->safe_psql('postgres', 'CREATE DATABASE restored');
my $dump = "$folder/dump";
system_or_bail('pg_dump', '-Fc', '-f', $dump, '-d', $node->connstr('steps'));
system_or_bail('pg_restore', '--exit-on-error', '-d', $node->connstr('restored'), $dump);
is_deeply(state_of('restored'), state_of('steps'), 'dump and restore keep the state');
is($node->safe_psql('restored', 'SELECT count(*) > 0 FROM l4_flow_watch_tail WHERE forth IS NOT NULL'), 't',
	'with the records of windows before');
is($node->safe_psql('restored', 'SELECT count(*) FROM l4_flow'), $node->safe_psql('steps', 'SELECT count(*) FROM l4_flow'),
	'and all flows');
for my $window (6 .. WINDOWS)
{
	$node->safe_psql('restored', call($window));
}
is_deeply(state_of('restored'), $undisturbed, 'it goes on there as if nothing had been');

# here, too, in one call
$node->safe_psql('steps', call(WINDOWS));
is_deeply(state_of('steps'), $undisturbed, 'and so it does where all that happened');

$node->stop;
done_testing();
