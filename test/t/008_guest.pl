# l4 as a guest in other people's databases: nothing is lost without a word, and a dump goes over what is there.
use strict;
use warnings;
use FaultJobs qw(load_fault_jobs);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('guest');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nsynchronous_commit = off\n");
$node->start;

# What a statement fails with: SQLSTATE and what it says.
sub error_of
{
	my ($database, $sql) = @_;
	my ($code, $out, $err) = $node->psql($database, "\\set VERBOSITY verbose\n$sql", on_error_stop => 1);
	return $code == 0 ? '' : $err;
}

# All rows of the extension's tables that a dump holds: table, number, hash.
my $contents = q{
	SELECT string_agg(format($q$SELECT %L, count(*), md5(string_agg(r::text, E'\n' ORDER BY r::text COLLATE "C"))
		FROM %s r %s$q$, t.id, t.id::regclass, t.condition), ' UNION ALL ')
	FROM pg_extension e, unnest(e.extconfig, e.extcondition) t (id, condition) WHERE extname = 'l4'};
sub contents_of
{
	my ($database) = @_;
	my $query = $node->safe_psql($database, $contents =~ s/%L, count/%L::regclass::text, count/r);
	return $node->safe_psql($database, "SELECT * FROM ($query) r ORDER BY 1");
}

# ---------- what drops the extension ----------

$node->safe_psql('postgres', 'CREATE ROLE keeper SUPERUSER; CREATE ROLE other; CREATE DATABASE guarded');
my $keeper = 'SET SESSION AUTHORIZATION keeper;';
my %kept = (
	'a job' => q{SELECT l4_register_job('j', '{}', 'failed')},
	'lines that wait' => q{INSERT INTO l4_inbox (job_id, line) VALUES ('j', 'x')},
	'a fault' => q{INSERT INTO l4_fault (fault_key, title, category, subtype, pattern) VALUES ('ours', 'x', 'user', 'x', 'x')},
	'an override' => q{SELECT l4_override_fault('cuda_oom', severity => 'info')},
	'a rule' => q{INSERT INTO l4_stage_rule (name, stage, pattern) VALUES ('ours', 'teardown', 'bye')},
	'a mask' => q{INSERT INTO l4_mask (name, pattern) VALUES ('ours', 'x+')},
	'a report' => q{INSERT INTO l4_failure_report (job_id, symptom) VALUES ('elsewhere', 'other')},
);
for my $what (sort keys %kept)
{
	$node->safe_psql('guarded', "$keeper CREATE EXTENSION l4; $kept{$what}");
	like(error_of('guarded', 'DROP EXTENSION l4;'), qr/2BP01.*DETAIL: .*l4_.*HINT: .*CASCADE/s,
		"DROP EXTENSION refuses where $what would be lost");
	like(error_of('guarded', 'DROP OWNED BY keeper;'), qr/2BP01/, "and so does DROP OWNED BY its owner");
	$node->safe_psql('guarded', 'DROP EXTENSION l4 CASCADE');
}
like(error_of('guarded', "$keeper CREATE EXTENSION l4; $kept{'a job'}; DROP OWNED BY other, CURRENT_USER;"), qr/2BP01/,
	'CURRENT_USER among others too');
is(error_of('guarded', 'DROP OWNED BY other;'), '', 'DROP OWNED BY another role goes through');
is($node->safe_psql('guarded', "SELECT count(*) FROM l4_job"), '1', 'and takes nothing');
is(error_of('guarded', "BEGIN; DROP OWNED BY keeper CASCADE; ROLLBACK;"), '', 'DROP OWNED BY ... CASCADE says what it does');
is(error_of('guarded', "BEGIN; SET LOCAL l4.allow_drop = on; DROP EXTENSION l4; ROLLBACK;"), '', 'so does l4.allow_drop');
is(error_of('guarded', "DROP EXTENSION l4 CASCADE; $keeper CREATE EXTENSION l4; DROP EXTENSION l4; CREATE EXTENSION l4;
	DROP OWNED BY keeper;"), '',
	'where only built-in rows are there, nothing is in the way');
is($node->safe_psql('guarded', "SELECT count(*) FROM pg_extension WHERE extname = 'l4'"), '0', 'and the extension is gone');
is(error_of('guarded', 'DROP OWNED BY keeper; DROP EXTENSION IF EXISTS l4;'), '',
	'and these statements go on working without it');

# ---------- renaming the schema ----------

$node->safe_psql('guarded', q{CREATE SCHEMA "Our logs"; CREATE SCHEMA another; CREATE EXTENSION l4 SCHEMA "Our logs"});
like(error_of('guarded', 'ALTER SCHEMA "Our logs" RENAME TO logs;'), qr/55000.*"Our logs".*HINT/s, 'its schema is not renamed');
like(error_of('guarded', 'ALTER EXTENSION l4 SET SCHEMA another;'), qr/0A000.*does not support SET SCHEMA/, 'nor is it moved');
is(error_of('guarded', 'ALTER SCHEMA another RENAME TO logs; ALTER SCHEMA "Our logs" OWNER TO keeper;'), '',
	'other schemas, and its owner, are free');

# ---------- pg_restore --clean over what is there ----------

load_fault_jobs($node, 'first');
$node->safe_psql('first', q{
	INSERT INTO l4_stage_rule (name, stage, pattern, enabled) VALUES ('megatron_data', 'data_load', '', false);
	SELECT l4_override_fault('cuda_oom', severity => 'info'), l4_save_diagnosis('pump-1');
	CREATE VIEW ours AS SELECT * FROM l4_stream});
my $dump = $node->basedir . '/dump';
$node->command_ok(['pg_dump', '--no-sync', '--format=custom', '--file', $dump, '--dbname', $node->connstr('first')], 'dump');
load_fault_jobs($node, 'second');
$node->safe_psql('second', q{
	SELECT l4_delete_job('pump-2'), l4_register_job('theirs', '{}', 'failed'), l4_retire_fault('cuda_oom');
	INSERT INTO l4_mask (name, pattern) VALUES ('theirs', 'x+');
	CREATE VIEW ours AS SELECT job_id FROM l4_job});
my @restore = ('pg_restore', '--clean', '--if-exists', '--exit-on-error', '--dbname', $node->connstr('second'), $dump);
my $before = contents_of('second');
$node->command_fails_like(\@restore, qr/PGOPTIONS='-c l4.allow_drop=on'/,
	'a restore with --clean says how it would discard what is there');
is(contents_of('second'), $before, 'and leaves it');
{
	local $ENV{PGOPTIONS} = '-c l4.allow_drop=on';
	$node->command_ok(\@restore, 'told so it goes through');
	is(contents_of('second'), contents_of('first'), 'and everything is as dumped');
	$node->command_ok(\@restore, 'once more, over itself');
	is(contents_of('second'), contents_of('first'), 'and everything is as dumped again');
}
my $diagnosis = q{SELECT * FROM l4_diagnose('pump-2') ORDER BY kind, ordinal};
is($node->safe_psql('second', $diagnosis), $node->safe_psql('first', $diagnosis), 'the diagnosis is the same');

$node->stop;
done_testing();
