# A publication for all tables, which may be somebody else's, is in nobody's way; and a subscriber has all that the publisher
# has.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $data = abs_path(dirname(__FILE__) . '/../data/faults');
my $publisher = PostgreSQL::Test::Cluster->new('publisher');
my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
for my $node ($publisher, $subscriber)
{
	$node->init(allows_streaming => 'logical');
	# commits reach the disk (wait_for_catchup waits for what has), but are not waited for by it
	$node->append_conf('postgresql.conf', "timezone = 'UTC'\nfsync = off\nmax_logical_replication_workers = 8\n");
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION l4');
}
$publisher->safe_psql('postgres', 'CREATE PUBLICATION everything FOR ALL TABLES');
my $folder = $publisher->basedir . '/logs';
mkdir $folder;

sub write_lines
{
	my ($name, @lines) = @_;
	append_to_file("$folder/$name", join('', map { "$_\n" } @lines));
}

# Every table of the extension, without the lines that wait, which are the publisher's alone.
my @tables = split /\n/, $publisher->safe_psql('postgres', q{
	SELECT relname FROM pg_class c JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
	WHERE relkind = 'r' AND relname <> 'l4_inbox' ORDER BY relname});
sub contents_of
{
	my ($node) = @_;
	my $query = join(' UNION ALL ',
		map { qq{SELECT '$_', count(*), md5(string_agg(r::text, E'\\n' ORDER BY r::text COLLATE "C")) FROM $_ r} } @tables);
	return $node->safe_psql('postgres', "$query ORDER BY 1");
}

sub same_after
{
	my ($what, $sql) = @_;
	$publisher->safe_psql('postgres', $sql) if defined $sql;
	$publisher->wait_for_catchup('mirror');
	is(contents_of($subscriber), contents_of($publisher), "the same on both sides: $what");
}

# what is there before the subscription, and what comes after it
my $register = sub { my ($job, $status) = @_;
	return qq{SELECT l4_register_job('$job', '{"model": "m-8"}', '$status', '{node-a,node-b,node-c,node-d}', 1);}; };
$publisher->safe_psql('postgres', $register->('ok-1', 'succeeded') . "CALL l4_import('ok-1', '$data/ok-1')");
$publisher->safe_psql('postgres', q{INSERT INTO l4_stage_rule (name, stage, pattern)
	VALUES ('megatron_data', 'model_build', 'ours')});
$subscriber->safe_psql('postgres', 'CREATE ROLE reader');
is($subscriber->psql('postgres', 'SET ROLE reader; SELECT l4_prepare_subscriber()'), 3, 'others may not prepare a subscriber');
$subscriber->safe_psql('postgres', 'SELECT l4_prepare_subscriber()');
my $connection = $publisher->connstr . ' dbname=postgres';
$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION mirror CONNECTION '$connection' PUBLICATION everything");
$subscriber->wait_for_subscription_sync($publisher, 'mirror');
same_after('what was there before');
is($subscriber->safe_psql('postgres', 'SELECT l4_pool_settings(\'{"model": "m"}\')'), '{"model": "m"}',
	'the rules in force are there');

same_after('imports', $register->('pump-1', 'failed') . "CALL l4_import('pump-1', '$data/pump-1');"
	. $register->('ok-2', 'succeeded') . "CALL l4_import('ok-2', '$data/ok-2')");
is($subscriber->safe_psql('postgres', q{SELECT * FROM l4_diagnose('pump-1')}),
	$publisher->safe_psql('postgres', q{SELECT * FROM l4_diagnose('pump-1')}), 'the diagnosis is the same');

# a file that grows
write_lines('rank-0.log', map { "2026-01-05 10:00:0$_ INFO step $_ loss 2.$_" } 1 .. 9);
same_after('a new file', "SELECT l4_register_job('grows', '{}', 'running'); CALL l4_import('grows', '$folder')");
write_lines('rank-0.log', map { "2026-01-05 10:01:0$_ ERROR step $_ loss nan of tensor $_" } 1 .. 9);
same_after('the file has grown', "CALL l4_import('grows', '$folder')");
is($subscriber->safe_psql('postgres', q{SELECT count(*), md5(string_agg(raw_bytes, '' ORDER BY line_no, part)) FROM l4_log
	WHERE job_id = 'grows'}),
	$publisher->safe_psql('postgres', "SELECT 18, md5(pg_read_binary_file('$folder/rank-0.log'))"),
		'its bytes come out of the copy');

# lines that are sent
$publisher->safe_psql('postgres', q{INSERT INTO l4_inbox (job_id, rank, line) SELECT 'grows', n % 4, 'sent line ' || n
	FROM generate_series(1, 2000) n});
same_after('lines wait');
is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM l4_inbox'), '0', 'they wait at the publisher alone');
same_after('lines are taken in', 'SELECT l4_ingest_inbox()');
is($publisher->safe_psql('postgres', 'SELECT count(*) FROM l4_inbox'), '0', 'all of them');

# what people do
same_after('what people write', q{
	SELECT l4_save_diagnosis('pump-1'), l4_override_fault('cuda_oom', severity => 'info');
	SELECT l4_confirm_fault('pump-1', 'coolant_pump', 'Coolant pump stalled', 'The pump stands still', 'Replace it', 'hardware',
		'node', pattern => 'pump \d+ stalled', activate => true);
	UPDATE l4_stage_rule SET enabled = false WHERE NOT builtin;
	INSERT INTO l4_mask (name, pattern) VALUES ('ours', 'rack \w+');
	INSERT INTO l4_failure_report (job_id, symptom) VALUES ('elsewhere', 'other')});
same_after('a job that succeeded after all', $register->('pump-1', 'succeeded') . $register->('ok-1', 'failed'));
same_after('events computed anew', 'SELECT l4_recluster(similarity => 0.9); SELECT l4_recluster()');

# deletion
same_after('a text dropped', q{SELECT l4_drop_log_text('ok-2', true)});
same_after('a job deleted', q{SELECT l4_delete_job('pump-1')});
same_after('all jobs deleted', q{SELECT l4_delete_job(job_id) FROM l4_job});
is($subscriber->safe_psql('postgres', 'SELECT (SELECT count(*) FROM l4_job), (SELECT count(*) FROM l4_stream_event)'), '0|0',
	'nothing of them is left');
is($subscriber->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_subscription_stats
	WHERE apply_error_count + sync_error_count > 0}), '0', 'no change failed to be applied');

like(($subscriber->psql('postgres', q{SELECT l4_register_job('own', '{}', 'failed'); SELECT l4_prepare_subscriber()}))[2],
	qr/cannot become a subscriber, because \S*l4_job has rows/, 'a database with rows of its own is refused');

$_->stop for $subscriber, $publisher;
done_testing();
