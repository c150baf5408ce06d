# Tenants: one tries everything that there is to see what another has. Nothing of it shows, and nothing of it changes.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use lib dirname(abs_path(__FILE__));
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use TenantJobs qw($secret create_tenants load_tenant_a load_tenant_b tables_of_tenants);
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('tenants');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nsynchronous_commit = off\nlog_statement = none\n");
$node->start;
create_tenants($node, 'alone');
load_tenant_b($node, 'alone');
create_tenants($node, 'shared');
load_tenant_a($node, 'shared');
load_tenant_b($node, 'shared');
$node->safe_psql('shared', 'ANALYZE');

my %tried = (functions => 0, calls => 0, views => 0, tables => 0, statements => 0, messages => 0);
my @leaks;
my $in_hex = unpack('H*', $secret);
my $settings = "SET statement_timeout = '60s'; SET client_min_messages = debug1";

# ---------- what is seen ----------

# Runs statements as tenant_b and looks for the secret in all that comes back; no statement has it. Takes a list of
# [what, statements], some of which share a session; returns what came back of each.
sub attack_all
{
	my @attacks = @_;
	my @answers;
	while (my @some = splice @attacks, 0, 25)
	{
		my $script = "\\set VERBOSITY verbose\n";
		for my $i (0 .. $#some)
		{
			my ($what, @statements) = @{$some[$i]};
			# its own settings and functions, whatever the one before did
			$script .= join(";\n", "\\echo ==== $i\n\\warn ==== $i\nROLLBACK", 'DISCARD ALL', $settings, @statements) . ";\n";
			$tried{statements} += @statements;
		}
		die 'the attack itself has the secret' if $script =~ /$secret/i;
		my ($out, $err) = ('', '');
		IPC::Run::run(['psql', '-XqAt', '-d', $node->connstr('shared'), '-U', 'tenant_b'], '<', \$script, '>', \$out, '2>',
			\$err);
		my @came = map { [split /^==== \d+\n/m, $_, -1] } $out, $err;
		for my $i (0 .. $#some)
		{
			my $answer = ($came[0][$i + 1] // die "ended early: $err") . ($came[1][$i + 1] // '');
			push @leaks, "$some[$i][0]: $1" if $answer =~ /([^\n]*(?:$secret|$in_hex)[^\n]*)/i;
			$tried{messages} += () = $answer =~ /^(?:psql:[^\n]*?)?(?:ERROR|WARNING|NOTICE|INFO|DEBUG): /mg;
			push @answers, $answer =~ s/^psql:[^:]*:\d+: //mgr;
		}
	}
	return @answers;
}

sub attack { my ($answer) = attack_all([@_]); return $answer; }

sub rolled_back { return map { ('BEGIN', $_, 'ROLLBACK') } @_; }

# What a tenant is told of his jobs; of the owner of the tables the same is asked.
my @questions = (
	(map { ("SELECT * FROM l4_diagnose('$_')", "SELECT l4_report('$_', 'text', NULL)", "SELECT l4_report('$_', 'html', NULL)",
		"SELECT u FROM l4_unexplained('$_') u ORDER BY u::text",
		"SELECT * FROM l4_similar_failures('$_')", "SELECT * FROM l4_match_faults('$_')", "SELECT * FROM l4_best_pool('$_')",
		"SELECT job_id, source, line_no, part, shape_id, event_id, raw FROM l4_log WHERE job_id = '$_'
			ORDER BY source, line_no, part",
		"SELECT g FROM l4_grep('$_', 'plain|store') g ORDER BY g::text") } qw(b-pump-1 b-oom b-ok-1)),
	(map { ("SELECT * FROM l4_diff('$_')", "SELECT * FROM l4_first_error('$_')") } qw(b-pump-1 b-oom)),
	"SELECT job_id, event, verdict FROM l4_failures WHERE job_id ~ '^b-' ORDER BY job_id",
	"SELECT event_id, template, parent_id FROM l4_event WHERE tenant = 'tenant_b' ORDER BY 1",
	"SELECT shape_id, shape, event_id FROM l4_shape WHERE tenant = 'tenant_b' ORDER BY 1",
	"SELECT e.* FROM l4_pool_event e JOIN l4_pool p USING (pool_id) WHERE p.tenant = 'tenant_b' ORDER BY 1, 2",
	"SELECT e.* FROM l4_pool_parameter e JOIN l4_pool p USING (pool_id) WHERE p.tenant = 'tenant_b' ORDER BY 1, 2, 3");

sub answers
{
	my ($database, $role) = @_;
	return [map { $node->safe_psql($database, "SET ROLE $role; $_") } @questions];
}

sub compare_answers
{
	my ($when) = @_;
	my $expected = answers('alone', 'tenant_b');
	for my $role (qw(tenant_b postgres))
	{
		my $got = answers('shared', $role);
		my @other = grep { $got->[$_] ne $expected->[$_] } 0 .. $#questions;
		is(join("\n", map { $questions[$_] } @other), '', "$when: " . @questions .
			" answers to $role are those of a server of its own");
		is_deeply([map { $got->[$_] } @other], [map { $expected->[$_] } @other], 'they differ so') if @other;
	}
}

# A sum over all that tenant_a has.
my @tables = tables_of_tenants($node, 'shared');
cmp_ok(scalar(@tables), '>=', 20, 'tables with rows of tenants: ' . @tables);
sub state_of_a
{
	return $node->safe_psql('shared', join(' UNION ALL ', map {
		"SELECT '$_->[0]', count(*), md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')) FROM $_->[0] t
			WHERE $_->[1]" } @tables) . ' ORDER BY 1');
}

# Every other table is one that all share.
is($node->safe_psql('shared', q{SELECT string_agg(r.relation::text, ' ' ORDER BY r.relation::text COLLATE "C")
	FROM l4_own_relations() r
	WHERE r.is_table AND r.relation NOT IN (SELECT p.relation FROM l4_tenant_policies() p)}),
	'l4_advice_rule l4_cluster_lock l4_fault l4_fault_explains l4_fault_override l4_format l4_iteration_rule l4_limit ' .
		'l4_link l4_mask l4_pool_setting l4_stage_rule l4_tenants_apart l4_wording',
	'which tables are shared');

my $before = state_of_a();
like($before, qr/^l4_segment\|[1-9]/m, 'tenant_a has logs');
my @empty = $before =~ /^(\w+)\|0\|/mg;
is("@empty", '', 'and rows in every table');
compare_answers('before');

# ---------- every function ----------

my %ids = map { split /\|/ } split /\n/, $node->safe_psql('shared', qq{
	SELECT 'event', min(event_id) FROM l4_event WHERE tenant = 'tenant_a' AND template ~ '$secret'
	UNION ALL SELECT 'shape', min(shape_id) FROM l4_shape WHERE tenant = 'tenant_a' AND shape ~ '$secret'
	UNION ALL SELECT 'shapes', max(shape_id) FROM l4_shape WHERE tenant = 'tenant_a' AND shape ~ '$secret'
	UNION ALL SELECT 'pool', min(pool_id) FROM l4_pool WHERE tenant = 'tenant_a'
	UNION ALL SELECT 'stream', min(stream_id) FROM l4_stream WHERE job_id = 'guessed-1'
	UNION ALL SELECT 'source', min(source_id) FROM l4_segment WHERE job_id = 'guessed-1'});

sub value
{
	my ($type, $name, $job) = @_;
	my ($kind) = $name =~ /(event|shape|pool|stream|source)/;
	my $id = $ids{$kind // 'event'};
	return "NULL::$type" if $job eq 'NULL';
	return "'{$id," . ($ids{shapes}) . "}'::bigint[]" if $type eq 'bigint[]';
	return "'$id'::bigint" if $type eq 'bigint';
	my %words = (method => 'l4', methods => '{l4,paper}', basis => 'records', format => 'markdown', what => 'l4_job',
		time_zone => 'UTC', status => 'failed');
	return "'$words{$name}'" if exists $words{$name} && $type =~ /^text/;
	return $name =~ /query|labels/
		? "'SELECT ''$job'' AS job_id, 1 AS label_no, ''event'' AS kind, ''x'' AS pattern, ''line'' AS line'"
		: $name =~ /pattern/ ? "'.'" : $name =~ /relation|table/ ? "'l4.l4_shape'" : "'$job'" if $type eq 'text';
	return "'{$job}'::text[]" if $type eq 'text[]';
	my %plain = (integer => 1, 'double precision' => 1, real => 1, boolean => 'true',
		'timestamp with time zone' => "'2026-11-20 21:05:10+00'",
		jsonb => "'{}'", name => "'tenant_a'", bytea => "'\\x00'", interval => "'1 day'", cstring => "'x'",
			regclass => "'l4.l4_shape'");
	return "$plain{$type}::$type" if exists $plain{$type};
	return "'{}'::$type" if $type =~ /\[\]$/;
	return "'x'::text" if $type =~ /^any/;
	return "NULL::$type";
}

my $functions = decode_json($node->safe_psql('shared', q{
	SELECT json_agg(json_build_object('name', p.proname, 'kind', p.prokind, 'signature', p.oid::regprocedure::text,
		'variadic', p.provariadic <> 0,
		'returns', p.prorettype::regtype::text, 'types', ARRAY(SELECT t.id::regtype::text
			FROM unnest(p.proargtypes) WITH ORDINALITY t (id, place) ORDER BY t.place),
		'names', coalesce((SELECT array_agg(n.name ORDER BY n.place)
			FROM unnest(p.proargnames, p.proargmodes::text[]) WITH ORDINALITY n (name, mode, place)
			WHERE coalesce(n.mode, 'i') IN ('i', 'b', 'v')), '{}')) ORDER BY p.oid::regprocedure::text COLLATE "C")
	FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
	JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid WHERE e.extname = 'l4'}));

# Why a function cannot be called, or undef.
sub not_callable
{
	my ($function) = @_;
	return 'takes or gives the server\'s inner values, which no SQL can write'
		if grep { /^internal$/ } @{$function->{types}}, $function->{returns};
	return 'is called for a statement or a row alone' if $function->{returns} =~ /trigger$/;
	return undef;
}

sub call
{
	my ($function, $job) = @_;
	my @values = map { value($function->{types}[$_], $function->{names}[$_] // '', $job) } 0 .. $#{$function->{types}};
	$values[-1] = "VARIADIC $values[-1]" if $function->{variadic};
	my $call = "l4.$function->{name}(" . join(', ', @values) . ')';
	return $function->{kind} eq 'p' ? "CALL $call" : $function->{kind} eq 'a' ? "SELECT $call" : "SELECT * FROM $call";
}

my %untried;
my @unlike;
my @callable;
for my $function (@$functions)
{
	my $reason = not_callable($function);
	push @{$untried{$reason}}, $function->{signature} if $reason;
	push @callable, $function unless $reason;
}
my @answers = attack_all(map {
	my $function = $_;
	map { [$function->{signature}, rolled_back(call($function, $_))] } qw(guessed-1 guessed-9 b-pump-1 NULL) } @callable);
for my $function (@callable)
{
	my ($theirs, $nobodys, @own) = splice @answers, 0, 4;
	# called it was, whatever it said
	push @{$untried{'NOT TRIED'}}, "$function->{signature}: $1"
		if $theirs =~ /^(ERROR:  (?:42883|42725|42601|42P18): [^\n]*)/m && $theirs !~ /CONTEXT/;
	$tried{functions}++;
	$tried{calls} += 4;
	# another's job is what one is that there is not
	next if $function->{name} =~ /^l4_(?:register_job|claim_job)$/ || !grep { /job/ } @{$function->{names}};
	s/^DEBUG: .*?(?=^(?:ERROR|WARNING|NOTICE|INFO|DEBUG): |\z)//msg for $theirs, $nobodys;
	s/^LOCATION.*\n|\d\d:\d\d:\d\d\.\d+|guessed-[19]//mg for $theirs, $nobodys;
	push @unlike, "$function->{signature}:\n$theirs\n-- but --\n$nobodys" if $theirs ne $nobodys;
}
is(join("\n", @{delete $untried{'NOT TRIED'} // []}), '', 'every function that can be called was');
is(join("\n\n", @unlike), '', 'of another\'s job a function says what it says of none');
note("not callable, $_: @{$untried{$_}}") for sort keys %untried;
is($tried{functions} + (map { @$_ } values %untried), scalar(@$functions), 'no function is in neither list');
is(state_of_a(), $before, 'tenant_a has what it had');

# ---------- every table and view ----------

my @relations = split /\n/, $node->safe_psql('shared',
	"SELECT relation || ' ' || CASE WHEN is_table THEN 'tables' ELSE 'views' END FROM l4_own_relations()");
my $leak = q{CREATE FUNCTION pg_temp.leak(value text) RETURNS boolean COST 0.0000001 LANGUAGE plpgsql AS
		$$BEGIN RAISE NOTICE 'seen: %', value; RETURN true; END$$;
	CREATE FUNCTION pg_temp.same(a text, b text) RETURNS boolean COST 0.0000001 LANGUAGE plpgsql AS
		$$BEGIN RAISE NOTICE 'seen: % %', a, b; RETURN true; END$$;
	CREATE OPERATOR pg_temp.=== (FUNCTION = pg_temp.same, LEFTARG = text, RIGHTARG = text, RESTRICT = eqsel)};
my @attacks;
for my $relation (@relations)
{
	my ($name, $kind) = split / /, $relation;
	my @columns = split /\n/, $node->safe_psql('shared',
		"SELECT attname FROM pg_attribute WHERE attrelid = 'l4.$name'::regclass AND attnum > 0 AND NOT attisdropped");
	my @keys = grep { /^(job_id|shape_id|event_id|pool_id)$/ } @columns;
	my %key = (job_id => "'guessed-1'", shape_id => $ids{shape}, event_id => $ids{event}, pool_id => $ids{pool});
	push @attacks, [$name, $leak, "SELECT * FROM l4.$name", "TABLE l4.$name", "COPY (SELECT * FROM l4.$name) TO STDOUT",
		"COPY l4.$name TO STDOUT",
		"SELECT query_to_xml('SELECT * FROM l4.$name', true, false, '')", "SELECT to_jsonb(t) FROM l4.$name t",
		"BEGIN", "DECLARE c CURSOR FOR SELECT * FROM l4.$name", "FETCH ALL FROM c", "ROLLBACK",
		"BEGIN", "CREATE TEMPORARY TABLE copied AS SELECT * FROM l4.$name", "TABLE copied", "ROLLBACK",
		"SELECT count(*) FROM l4.$name t WHERE pg_temp.leak(t::text)",
			"SELECT count(*) FROM l4.$name t WHERE (t::text)::int = 0",
		"SELECT count(*) FROM l4.$name t WHERE t::text OPERATOR(pg_temp.===) 'x'",
		"SELECT count(*) FROM l4.$name t WHERE 1 / (length(t::text) - length(t::text)) = 0",
			"SET row_security = off; TABLE l4.$name; SET row_security = on",
		(map { ("SELECT count(*) FROM l4.$name t WHERE pg_temp.leak(t.$_\::text)",
			"EXPLAIN (ANALYZE, VERBOSE) SELECT * FROM l4.$name t WHERE pg_temp.leak(t.$_\::text)",
			"SELECT min(t.$_\::text), max(t.$_\::text) FROM l4.$name t",
				"EXPLAIN SELECT * FROM l4.$name t WHERE t.$_\::text > 'q'") } @columns),
		(map { ("SELECT * FROM l4.$name WHERE $_ = $key{$_}",
			"SELECT count(*) FROM l4.$name t WHERE $_ = $key{$_} AND pg_temp.leak(t::text)",
			"EXPLAIN (VERBOSE) SELECT * FROM l4.$name WHERE $_ = $key{$_}", "BEGIN",
				"SELECT * FROM l4.$name WHERE $_ = $key{$_} FOR UPDATE", "ROLLBACK",
			rolled_back("UPDATE l4.$name SET $_ = $_ WHERE $_ = $key{$_} RETURNING *",
				"DELETE FROM l4.$name WHERE $_ = $key{$_} RETURNING *",
				"UPDATE l4.$name SET $_ = $key{$_} RETURNING *",
					"INSERT INTO l4.$name ($_) VALUES ($key{$_}) RETURNING *")) } @keys),
		rolled_back("UPDATE l4.$name SET $columns[0] = $columns[0] RETURNING *", "DELETE FROM l4.$name RETURNING *",
			"TRUNCATE l4.$name",
			"ALTER TABLE l4.$name DISABLE ROW LEVEL SECURITY", "DROP POLICY l4_tenant ON l4.$name",
				"CREATE TRIGGER t BEFORE UPDATE ON l4.$name EXECUTE FUNCTION pg_temp.leak()",
			"CREATE INDEX ON l4.$name ($columns[0])", "ANALYZE VERBOSE l4.$name")];
	$tried{$kind}++;
}
attack_all(@attacks);
is(state_of_a(), $before, 'tenant_a still has what it had');

# ---------- the server's own tables and views, and sessions ----------

# Somebody of tenant_a is at work meanwhile, with secrets in a query and in a temporary table.
my ($to, $from) = ("CREATE TEMPORARY TABLE mine AS SELECT '$secret temporary' AS t;\nBEGIN; DECLARE $secret CURSOR FOR SELECT 1;
	SELECT '$secret query';\n", '');
my $other = IPC::Run::start(['psql', '-XqAt', '-d', $node->connstr('shared'), '-U', 'tenant_a'], '<', \$to, '>', \$from,
	'2>', '/dev/null');
$other->pump until $from =~ /query/;
my @catalogs = split /\n/, $node->safe_psql('shared', q{SELECT c.oid::regclass FROM pg_class c
	WHERE c.relnamespace IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) AND c.relkind IN ('r', 'v')
	-- holds what a superuser wrote himself: commands of roles, this server's files
	ORDER BY c.relname COLLATE "C"});
my @temporary = split /\n/, $node->safe_psql('shared', q{SELECT c.oid::regclass FROM pg_class c WHERE c.relname = 'mine'});
is(scalar(@temporary), 1, 'a temporary table of another session');
attack_all(map { [$_, "SELECT * FROM $_"] } @catalogs, @temporary);
$tried{catalogs} = @catalogs;
attack("triggers on one's own tables", 'CREATE TEMPORARY TABLE shipped (tag text, time timestamp, data jsonb)',
	(map { ("CREATE TRIGGER $_ BEFORE INSERT OR UPDATE ON shipped FOR EACH ROW EXECUTE FUNCTION l4.$_()",
		q{INSERT INTO shipped VALUES ('guessed-1', now(), '{"log": "poison"}')}, 'UPDATE shipped SET tag = tag RETURNING *',
			"DROP TRIGGER $_ ON shipped") }
		map { /^(\w+)\(\)$/ } @{$untried{'is called for a statement or a row alone'}}), 'SELECT l4_ingest_inbox()');
# A restart of another's job tells nothing of that one.
like(attack('restart of another', "SELECT l4_register_job('b-again', '{}', 'failed', restart_of => 'guessed-1')",
	"SELECT former_status IS NULL AND former_suspect_node IS NULL AND helped IS NULL AND nodes_kept IS NULL FROM l4_restarts
		WHERE job_id = 'b-again'", "SELECT l4_delete_job('b-again')"), qr/^t$/m, 'the job before a restart is not seen either');
# Who listens hears that there is a diagnosis, and nothing of it.
my ($said, $heard) = ("LISTEN l4_diagnosis; SELECT 'ready';\n", '');
my $listener = IPC::Run::start(['psql', '-XqAt', '-d', $node->connstr('shared'), '-U', 'tenant_b'], '<', \$said, '>', \$heard,
	'2>', '/dev/null');
$listener->pump until $heard =~ /ready/;
$node->safe_psql('shared', "SET ROLE tenant_a; SELECT l4_notify('guessed-1')");
$said .= "SELECT 'after';\n";
$listener->pump until $heard =~ /after/ && $heard =~ /payload[^\n]*\n/;
like($heard, qr/"l4_diagnosis" with payload "\{"saved_at": "[-0-9T:.+]+"\}"/, 'what a listener hears of another');
$said .= "\\q\n";
$listener->finish;
attack('files and sessions', "SELECT pg_read_file('postgresql.conf')", "SELECT pg_ls_dir('.')",
	"COPY (SELECT 1) TO PROGRAM 'true'", "COPY l4.l4_job TO '/tmp/x'",
	'CREATE TABLE l4.mine (a int)', "SELECT pg_stat_get_activity(NULL)",
		'SELECT pg_terminate_backend(pid) FROM pg_stat_activity', 'SET ROLE tenant_a', 'SET ROLE postgres',
	'SET SESSION AUTHORIZATION tenant_a', "ALTER ROLE tenant_b BYPASSRLS", "GRANT tenant_a TO tenant_b", 'CREATE ROLE more',
		"SELECT lo_import('/etc/passwd')",
	"SELECT * FROM pg_logical_slot_get_changes('s', NULL, NULL)", 'CREATE PUBLICATION p FOR ALL TABLES',
		'SELECT l4_disable_tenancy()', 'SELECT l4_create_roles(true)');
$to .= "ROLLBACK;\n\\q\n";
$other->finish;

# ---------- keys, pools, the inbox ----------

# A key of another's row is no more refused than any: row security is asked first.
my %insert = (l4_shape => 'shape_id, shape, tenant', l4_event => 'event_id, template, tenant',
	l4_pool => 'pool_id, settings, tenant');
for my $table (sort keys %insert)
{
	my ($key) = $insert{$table} =~ /^(\w+)/;
	my ($id) = map { $ids{$_} } $key =~ /^(\w+)_id/;
	my ($theirs, $nobodys) = map { attack("keys of $table",
		"INSERT INTO l4.$table ($insert{$table}) VALUES ($_, '{}', 'tenant_b')") } $id, 4711;
	is($theirs =~ s/LOCATION.*//sr, $nobodys =~ s/LOCATION.*//sr, "$table: a key that another has");
	like($theirs, qr/42501: new row violates row-level security policy/, "$table: is not for a tenant to choose");
}
like(attack('tenant of another', "INSERT INTO l4.l4_job (job_id, tenant) VALUES ('new', 'tenant_a')"), qr/42501/,
	'nobody makes jobs for another');
like(attack('lines of another', "INSERT INTO l4.l4_inbox (job_id, line, tenant) VALUES ('guessed-1', 'poison', 'tenant_a')"),
	qr/42501/, 'or sends lines in its name');
like(attack('the name of a job', "SELECT l4_register_job('guessed-1')"), qr/23505: a job cannot be called "guessed-1"/,
	'the name of a job is taken');
attack('lines for another', "INSERT INTO l4.l4_inbox (job_id, node, line)
	VALUES ('guessed-1', 'n', 'poison'), ('guessed-1', 'n', 'more poison')", 'SELECT l4_ingest_inbox()');
attack('a pool', "SELECT l4_register_job('b-new', '{\"model\": \"m-8\", \"framework\": \"f 1.0\"}', 'succeeded')",
	"SELECT * FROM l4_ingest('b-new', 'SELECT ''poison'' AS line')", "SELECT l4_pool_refresh('b-new')",
		"SELECT l4_pool_rebuild($ids{pool})", 'SELECT l4_recluster()', 'SELECT l4_assign_events()',
	"INSERT INTO l4_pool_job (pool_id, job_id, stream_count) VALUES ($ids{pool}, 'b-new', 1)",
	"INSERT INTO l4_pool_event SELECT $ids{pool}, shape_id, 1, 1, 1, 1, 1, 1, 1 FROM l4_shape",
		"SELECT l4_delete_job('b-new')", 'SELECT l4_forget_shapes()');
is(state_of_a(), $before, 'imports and deletions of one tenant leave pools, shapes and events of the other as they were');
is($node->safe_psql('shared', "SELECT count(*) FROM l4_shape WHERE shape ~ 'poison'"), 0, 'and its own go with the job');
like(attack('own shapes', 'SELECT l4_forget_shapes()'), qr/^0$/m, 'a tenant may forget shapes of its own');
is($node->safe_psql('shared', q{SET ROLE tenant_a; SELECT rows FROM l4_ingest_inbox('guessed-1')}), 1,
	'of the lines for its job those of the tenant come in');
$node->safe_psql('shared', 'SELECT l4_ingest_inbox()');
is($node->safe_psql('shared', q{SELECT count(*) FROM l4_log WHERE raw ~ 'poison'}), 0, 'those of the other never do');
$node->safe_psql('shared', "DELETE FROM l4_inbox WHERE tenant = 'tenant_b'");
compare_answers('after');
like($node->safe_psql('shared', q{SET ROLE l4_reader; SELECT origin FROM l4_fault WHERE fault_key = 'shared_fault'}),
	qr/^a job$/, 'a shared fault does not name its job');

# ---------- statistics ----------

is(attack('statistics', q{SELECT count(*) FROM pg_stats s JOIN l4.l4_tenant_policies() p
	ON p.relation = format('%I.%I', s.schemaname, s.tablename)::regclass}) =~ /^(\d+)$/m ? $1 : 'nothing', '0',
	'pg_stats has no row of any of these tables');
is($node->safe_psql('shared', q{SELECT count(*) > 100 FROM pg_stats s JOIN l4_tenant_policies() p
	ON p.relation = format('%I.%I', s.schemaname, s.tablename)::regclass}), 't',
	'though there are some');

# ---------- locks ----------

# Who may write may lock, as with any table: the server's own time-out ends that.
$node->safe_psql('shared', "ALTER ROLE tenant_b SET idle_in_transaction_session_timeout = '2s'");
($to, $from) = ("BEGIN; LOCK TABLE l4.l4_job; SELECT l4_lock('l4_pool', NULL, false), l4_lock('l4_job', 'guessed-1', false);
	SELECT 'locked';\n", '');
my $locker = IPC::Run::start(['psql', '-XqAt', '-d', $node->connstr('shared'), '-U', 'tenant_b'], '<', \$to, '>', \$from,
	'2>', '/dev/null');
$locker->pump until $from =~ /locked/;
is($node->safe_psql('shared', q{SET ROLE tenant_a; SET statement_timeout = '60s';
	SELECT l4_register_job('guessed-1', status => 'failed'); SELECT 'done'}) =~ s/^\s+//r, 'done',
	'locks end with the time-out');
$to .= "\\q\n";
eval { $locker->finish };

# ---------- dump, restore, and the end of it ----------

my $dump = $node->backup_dir . '/shared.dump';
$node->command_ok(['pg_dump', '-Fc', '-f', $dump, $node->connstr('shared')], 'a dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->safe_psql('postgres', 'ALTER DATABASE restored SET search_path = l4');
$node->command_ok(['pg_restore', '-d', $node->connstr('restored'), $dump], 'a restore');
is($node->safe_psql('restored', 'SET ROLE tenant_b; SELECT l4_tenancy(), count(*), min(job_id) FROM l4_job'), 't|4|b-ok-1',
	'tenants are apart after a restore');
is($node->safe_psql('restored', "SET ROLE tenant_b; $questions[0]"), answers('alone', 'tenant_b')->[0],
	'with the same diagnosis');
is($node->safe_psql('shared', 'SELECT l4_disable_tenancy(); SET ROLE tenant_b; SELECT l4_tenancy(), count(*) FROM l4_job'),
	scalar(@tables) . "\nf|8", 'and together again');
$node->safe_psql('shared', 'CREATE POLICY theirs ON l4_job USING (true)');
my (undef, undef, $errors) = $node->psql('shared', 'SELECT l4_enable_tenancy()');
like($errors, qr/policy "theirs" of table "l4\.l4_job" shows rows to others/, 'a policy that shows rows is found');

is(join("\n", @leaks), '', 'leaks: ' . @leaks);
attack('control', 'SELECT * FROM l4.l4_shape');
like("@leaks", qr/^control: .*$secret/, 'without row security the same look finds some');
note(join(', ', map { "$_: $tried{$_}" } sort keys %tried));
$node->stop;
done_testing();
