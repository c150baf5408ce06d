package TenantAttack;
# What a tenant tries in order to see what another one has (see TenantJobs): each function called with that one's job, each
# table and view asked in many ways. Whatever comes back is looked through for the secret.
use strict;
use warnings;
use Exporter 'import';
use IPC::Run;
use JSON::PP;
use TenantJobs qw($secret);

our @EXPORT_OK = qw(@questions);
my $in_hex = unpack('H*', $secret);

# The node that is asked (connstr and safe_psql, as of PostgreSQL::Test::Cluster), and the database.
sub new
{
	my ($class, $node, $database) = @_;
	my $self = bless {node => $node, database => $database, leaks => [],
		tried => {functions => 0, calls => 0, views => 0, tables => 0, statements => 0, messages => 0}}, $class;
	$self->{ids} = {map { split /\|/ } split /\n/, $self->operator(qq{
		SELECT 'event', min(event_id) FROM l4_event WHERE tenant = 'tenant_a' AND template ~ '$secret'
		UNION ALL SELECT 'shape', min(shape_id) FROM l4_shape WHERE tenant = 'tenant_a' AND shape ~ '$secret'
		UNION ALL SELECT 'shapes', max(shape_id) FROM l4_shape WHERE tenant = 'tenant_a' AND shape ~ '$secret'
		UNION ALL SELECT 'pool', min(pool_id) FROM l4_pool WHERE tenant = 'tenant_a'
		UNION ALL SELECT 'stream', min(stream_id) FROM l4_stream WHERE job_id = 'guessed-1'
		UNION ALL SELECT 'source', min(source_id) FROM l4_segment WHERE job_id = 'guessed-1'})};
	return $self;
}

# What a superuser is told.
sub operator
{
	my ($self, $statement) = @_;
	return $self->{node}->safe_psql($self->{database}, $statement);
}

# Runs statements as tenant_b and looks for the secret in all that comes back; no statement has it. Takes a list of
# [what, statements], some of which share a session; returns what came back of each.
sub attack_all
{
	my ($self, @attacks) = @_;
	my @answers;
	while (my @some = splice @attacks, 0, 25)
	{
		my $script = "\\set VERBOSITY verbose\n";
		for my $i (0 .. $#some)
		{
			my ($what, @statements) = @{$some[$i]};
			# its own settings and functions, whatever the one before did
			$script .= join(";\n", "\\echo ==== $i\n\\warn ==== $i\nROLLBACK", 'DISCARD ALL',
				"SET statement_timeout = '60s'; SET client_min_messages = debug1", @statements) . ";\n";
			$self->{tried}{statements} += @statements;
		}
		die 'the attack itself has the secret' if $script =~ /$secret/i;
		my ($out, $err) = ('', '');
		IPC::Run::run(['psql', '-XqAt', '-d', $self->{node}->connstr($self->{database}), '-U', 'tenant_b'], '<', \$script,
			'>', \$out, '2>', \$err);
		my @came = map { [split /^==== \d+\n/m, $_, -1] } $out, $err;
		for my $i (0 .. $#some)
		{
			my $answer = ($came[0][$i + 1] // die "ended early: $err") . ($came[1][$i + 1] // '');
			push @{$self->{leaks}}, "$some[$i][0]: $1" if $answer =~ /([^\n]*(?:$secret|$in_hex)[^\n]*)/i;
			$self->{tried}{messages} += () = $answer =~ /^(?:psql:[^\n]*?)?(?:ERROR|WARNING|NOTICE|INFO|DEBUG): /mg;
			push @answers, $answer =~ s/^psql:[^:]*:\d+: //mgr;
		}
	}
	return @answers;
}

sub attack { my ($self, @attack) = @_; my ($answer) = $self->attack_all([@attack]); return $answer; }

sub rolled_back { return map { ('BEGIN', $_, 'ROLLBACK') } @_; }

# A value of a type for an argument of a name, which means a job.
sub value
{
	my ($self, $type, $name, $job) = @_;
	my ($kind) = $name =~ /(event|shape|pool|stream|source)/;
	my $id = $self->{ids}{$kind // 'event'};
	return "NULL::$type" if $job eq 'NULL';
	return "'{$id," . ($self->{ids}{shapes}) . "}'::bigint[]" if $type eq 'bigint[]';
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

# Each function of l4: its name, signature, types and names of arguments.
sub functions
{
	my ($self) = @_;
	return @{decode_json($self->operator(q{
	SELECT json_agg(json_build_object('name', p.proname, 'kind', p.prokind, 'signature', p.oid::regprocedure::text,
		'variadic', p.provariadic <> 0,
		'returns', p.prorettype::regtype::text, 'types', ARRAY(SELECT t.id::regtype::text
			FROM unnest(p.proargtypes) WITH ORDINALITY t (id, place) ORDER BY t.place),
		'names', coalesce((SELECT array_agg(n.name ORDER BY n.place)
			FROM unnest(p.proargnames, p.proargmodes::text[]) WITH ORDINALITY n (name, mode, place)
			WHERE coalesce(n.mode, 'i') IN ('i', 'b', 'v')), '{}')) ORDER BY p.oid::regprocedure::text COLLATE "C")
	FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
	JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid WHERE e.extname = 'l4'}))};
}

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
	my ($self, $function, $job) = @_;
	my @values = map { $self->value($function->{types}[$_], $function->{names}[$_] // '', $job) } 0 .. $#{$function->{types}};
	$values[-1] = "VARIADIC $values[-1]" if $function->{variadic};
	my $call = "l4.$function->{name}(" . join(', ', @values) . ')';
	return $function->{kind} eq 'p' ? "CALL $call" : $function->{kind} eq 'a' ? "SELECT $call" : "SELECT * FROM $call";
}

# Calls each function with another's job, with one that there is not, with an own one, and with NULL. Returns those that were
# not tried, those that say something else of another's job than of none, and those that no SQL can call, by the reason.
sub call_functions
{
	my ($self) = @_;
	my (%not_callable, @not_tried, @unlike, @callable);
	for my $function ($self->functions)
	{
		my $reason = not_callable($function);
		push @{$not_callable{$reason}}, $function->{signature} if $reason;
		push @callable, $function unless $reason;
	}
	my @answers = $self->attack_all(map {
		my $function = $_;
		map { [$function->{signature}, rolled_back($self->call($function, $_))] } qw(guessed-1 guessed-9 b-pump-1 NULL)
	} @callable);
	for my $function (@callable)
	{
		my ($theirs, $nobodys, @own) = splice @answers, 0, 4;
		# called it was, whatever it said
		push @not_tried, "$function->{signature}: $1"
			if $theirs =~ /^(ERROR:  (?:42883|42725|42601|42P18): [^\n]*)/m && $theirs !~ /CONTEXT/;
		$self->{tried}{functions}++;
		$self->{tried}{calls} += 4;
		# another's job is what one is that there is not (but where it would lie on a cluster hangs on the name alone)
		next if $function->{name} =~ /^l4_(?:register_job|claim_job|home_tables|is_home|work_at_home)$/
			|| !grep { /job/ } @{$function->{names}};
		s/^DEBUG: .*?(?=^(?:ERROR|WARNING|NOTICE|INFO|DEBUG): |\z)//msg for $theirs, $nobodys;
		s/^LOCATION.*\n|\d\d:\d\d:\d\d\.\d+|guessed-[19]//mg for $theirs, $nobodys;
		push @unlike, "$function->{signature}:\n$theirs\n-- but --\n$nobodys" if $theirs ne $nobodys;
	}
	return (not_tried => \@not_tried, unlike => \@unlike, not_callable => \%not_callable);
}

my $leak = q{CREATE FUNCTION pg_temp.leak(value text) RETURNS boolean COST 0.0000001 LANGUAGE plpgsql AS
		$$BEGIN RAISE NOTICE 'seen: %', value; RETURN true; END$$;
	CREATE FUNCTION pg_temp.same(a text, b text) RETURNS boolean COST 0.0000001 LANGUAGE plpgsql AS
		$$BEGIN RAISE NOTICE 'seen: % %', a, b; RETURN true; END$$;
	CREATE OPERATOR pg_temp.=== (FUNCTION = pg_temp.same, LEFTARG = text, RIGHTARG = text, RESTRICT = eqsel)};
# What a table or view is asked, by its name.
sub relation_attack
{
	my ($self, $name) = @_;
	my @columns = split /\n/, $self->operator(
		"SELECT attname FROM pg_attribute WHERE attrelid = 'l4.$name'::regclass AND attnum > 0 AND NOT attisdropped");
	my @keys = grep { /^(job_id|shape_id|event_id|pool_id)$/ } @columns;
	my %key = (job_id => "'guessed-1'", shape_id => $self->{ids}{shape}, event_id => $self->{ids}{event},
		pool_id => $self->{ids}{pool});
	return [$name, $leak, "SELECT * FROM l4.$name", "TABLE l4.$name", "COPY (SELECT * FROM l4.$name) TO STDOUT",
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
}

# What a tenant is told of his jobs; of the owner of the tables the same is asked.
our @questions = (
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

1;
