# Others may create in the schema of l4, and who calls l4 has that schema first in the search_path: nothing of theirs is ever
# run.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $data = abs_path(dirname(__FILE__) . '/../data/faults');
my $node = PostgreSQL::Test::Cluster->new('hostile');
$node->init;
$node->append_conf('postgresql.conf',
	"timezone = 'UTC'\nsynchronous_commit = off\ntrack_functions = all\nmax_locks_per_transaction = 1024\n");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE mallory');
for my $database ('clean', 'hostile')
{
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, 'CREATE SCHEMA logs; CREATE EXTENSION l4 SCHEMA logs; GRANT USAGE,
		CREATE ON SCHEMA logs TO mallory');
}

# ---------- what is planted ----------

# A copy of every function of pg_catalog, and variants that fit a call better: narrower numbers, and a type each for what takes
# any.
my $functions = q{
	SET SESSION AUTHORIZATION mallory;
	SET client_min_messages = warning;
	DO $do$
	DECLARE
		f record;
		arguments text;
		planted int := 0;
	BEGIN
		FOR f IN
			SELECT p.proname, pg_get_function_result(p.oid) AS result, v.arguments
			FROM pg_proc p CROSS JOIN LATERAL (
				SELECT string_agg(format_type(t.id, NULL), ', ' ORDER BY t.place) AS arguments
				FROM unnest(p.proargtypes) WITH ORDINALITY t (id, place)) a
			CROSS JOIN LATERAL (
				SELECT a.arguments
				UNION SELECT replace(a.arguments, 'bigint', 'integer')
				UNION SELECT replace(a.arguments, 'double precision', w) FROM unnest('{integer,bigint,numeric}'::text[]) w
				UNION SELECT replace(a.arguments, 'text', 'name')
				UNION SELECT regexp_replace(a.arguments, '"any"|\yany(compatible)?(element|nonarray)?\y', w, 'g')
					FROM unnest('{text,integer,bigint,boolean,timestamp with time zone,name,jsonb,double precision,regclass,'
						'oid,record}'::text[]) w
				UNION SELECT regexp_replace(a.arguments, '\yany(compatible)?array\y', w, 'g')
				FROM unnest('{text[],bigint[],oid[]}'::text[]) w) v (arguments)
			WHERE p.pronamespace = 'pg_catalog'::regnamespace
				AND p.proname !~ ('^(pg_(?!advisory|column|typeof|get|has|describe)|binary_upgrade|RI_|ts_|gin|gist|gts|brin|'
					|| 'range|spg|enum|inet|xml|path|poly|box|circle|line|lseg|point)')
				AND (v.arguments IS NOT NULL OR p.pronargs = 0)
		LOOP
			BEGIN
				EXECUTE format($q$CREATE FUNCTION logs.%I(%s) RETURNS %s
					LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''planted function %s''; END'$q$,
					f.proname, coalesce(f.arguments, ''),
						CASE WHEN f.result ~ 'any|internal|trigger|cstring' THEN 'text' ELSE f.result END, f.proname);
				planted := planted + 1;
			EXCEPTION WHEN OTHERS THEN
				NULL;	-- of a pseudo-type, or there already
			END;
		END LOOP;
		RAISE WARNING 'planted % functions', planted;
	END
	$do$;};

# A copy of every operator, over a copy of its function.
my $operators = q{
	SET SESSION AUTHORIZATION mallory;
	SET client_min_messages = warning;
	DO $do$
	DECLARE
		o record;
		planted int := 0;
	BEGIN
		FOR o IN
			SELECT a.oprname, p.proname, nullif(a.oprleft, 0)::regtype AS l, a.oprright::regtype AS r
			FROM pg_operator a JOIN pg_proc p ON p.oid = a.oprcode WHERE a.oprnamespace = 'pg_catalog'::regnamespace
		LOOP
			BEGIN
				EXECUTE format('CREATE OPERATOR logs.%s (FUNCTION = logs.%I, %s RIGHTARG = %s)', o.oprname, o.proname,
					coalesce('LEFTARG = ' || o.l || ',', ''), o.r);
				planted := planted + 1;
			EXCEPTION WHEN OTHERS THEN
				NULL;
			END;
		END LOOP;
		RAISE WARNING 'planted % operators', planted;
	END
	$do$;};

# Types and relations of the server's names.
my $others = q{
	SET SESSION AUTHORIZATION mallory;
	SET client_min_messages = warning;
	DO $do$
	DECLARE
		name text;
		planted int := 0;
	BEGIN
		FOR name IN SELECT typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype =
			'b' AND typname !~ '^_' LOOP
			EXECUTE format('CREATE DOMAIN logs.%I AS pg_catalog.int4 CHECK (false)', name);
			planted := planted + 1;
		END LOOP;
		FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v') LOOP
			EXECUTE format('CREATE VIEW logs.%I AS SELECT 1 / 0 AS planted', name);
			planted := planted + 1;
		END LOOP;
		RAISE WARNING 'planted % types and relations', planted;
	END
	$do$;};
for my $plant ($functions, $operators, $others)
{
	my ($code, $out, $err) = $node->psql('hostile', $plant);
	my ($planted) = $err =~ /planted (\d+)/;
	cmp_ok($planted // 0, '>', 100, 'planted: ' . ($err =~ s/^.*WARNING: *//sr =~ s/\n.*//sr));
}

# ---------- what is called ----------

# Statements that look up nothing themselves but what they qualify.
sub job
{
	my ($job, $status) = @_;
	return ("SELECT logs.l4_register_job('$job', '{\"model\": \"m-8\", \"framework\": \"f 1.0\"}', '$status',
		'{node-a,node-b,node-c,node-d}', 1)",
		"CALL logs.l4_import('$job', '$data/$job', workers => 2)");
}
my @statements = (
	job('ok-1', 'succeeded'), job('ok-2', 'succeeded'), job('pump-1', 'failed'), job('pump-2', 'failed'), job('oom', 'failed'),
	"SELECT logs.l4_register_job('rows', '{}', 'failed')",
	"SELECT logs.l4_ingest('rows', 'SELECT i.line, 3 AS rank FROM logs.l4_inbox i')",
	"INSERT INTO logs.l4_inbox (job_id, line) VALUES ('rows', 'one line'), ('rows', 'ERROR another')",
	"SELECT logs.l4_ingest('rows', 'SELECT i.line, 3 AS rank FROM logs.l4_inbox i')",
	"SELECT logs.l4_ingest_inbox()",
	"SELECT kind, ordinal, score, node, template, explanation FROM logs.l4_diagnose('pump-1')",
	"SELECT fault_key FROM logs.l4_confirm_fault('pump-1', 'coolant_pump', 'Coolant pump stalled', 'The pump stands still',
		'Replace it', 'hardware', 'node',
		pattern => 'pump \\d+ stalled', explains => '{conn_reset}', activate => true)",
	"SELECT fault_key FROM logs.l4_confirm_fault('pump-2', 'a_draft', 'A draft', 'why', 'what', 'hardware', 'node',
		pattern => 'stalled')",
	"SELECT logs.l4_override_fault('cuda_oom', severity => 'info')", "SELECT logs.l4_retire_fault('conn_refused')",
		"SELECT logs.l4_activate_fault('conn_refused')",
	"SELECT logs.l4_judge_fault('pump-2', 'coolant_pump', true)",
	"SELECT fault_key FROM logs.l4_match_faults('pump-2')",
	"SELECT logs.l4_save_diagnosis('pump-1')", "SELECT logs.l4_save_diagnosis('pump-2')",
	"SELECT job_id FROM logs.l4_similar_failures('pump-2')",
	"SELECT fault_key FROM logs.l4_backtest_fault(fault_key => 'coolant_pump')",
	"SELECT logs.l4_report('pump-1', 'text', NULL)",
	"SELECT logs.l4_report('oom', 'markdown', NULL)",
	"SELECT raw FROM logs.l4_context('pump-1', 'node-a/rank-0.log', 3)",
	"SELECT logs.l4_import_failure_reports('[{\"job_id\": \"pump-1\", \"symptom\": \"training crash\"}]')",
	"SELECT method, events_hit
		FROM logs.l4_evaluate('{oom}',
			labels => 'SELECT ''oom'' AS job_id, 1 AS label_no, ''event'' AS kind, ''memory'' AS pattern')",
	"INSERT INTO logs.l4_stage_rule (name, stage, pattern) VALUES ('ours', 'teardown', 'bye')",
	"DELETE FROM logs.l4_stage_rule",
	"SELECT logs.l4_recluster()", "SELECT logs.l4_assign_events()",
	"SELECT logs.l4_register_job('pump-1', status => 'succeeded')",
	"SELECT logs.l4_drop_log_text('ok-2')", "SELECT logs.l4_delete_job('ok-1')",
	"SELECT status, label FROM logs.l4_failures", "DROP EXTENSION l4",
);
my %answers;
for my $database ('clean', 'hostile')
{
	$node->safe_psql('postgres', "ALTER DATABASE $database SET search_path = logs, pg_catalog");
	for my $statement (@statements)
	{
		my ($code, $out, $err) = $node->psql($database, "\\set VERBOSITY terse\n$statement");
		# progress names times
		push @{$answers{$database}}, join("\n", $out, grep { !/NOTICE/ } split /\n/, $err);
	}
}
for my $i (0 .. $#statements)
{
	is($answers{hostile}[$i], $answers{clean}[$i], substr($statements[$i] =~ s/\s+/ /gr, 0, 100));
}
is(scalar(grep { /planted/ } @{$answers{hostile}}), 0, 'nothing planted was run');
my $called = q{SELECT count(*) FILTER (WHERE s.calls > 0), count(*) FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
	LEFT JOIN pg_stat_user_functions s ON s.funcid = p.oid
	JOIN pg_depend d ON d.objid = p.oid AND d.deptype = 'e' WHERE l.lanname = 'plpgsql' AND p.proname ~ '^l4_'};
note('functions in PL/pgSQL called, and all: ' . $node->safe_psql('clean', $called));

# ---------- names of l4's own functions ----------

sub error_of
{
	my ($sql) = @_;
	my ($code, $out, $err) = $node->psql('clean', "\\set VERBOSITY verbose\nSET SESSION AUTHORIZATION mallory; $sql",
		on_error_stop => 1);
	return $code == 0 ? '' : $err;
}
my $body = "LANGUAGE sql AS 'SELECT NULL::text'";
like(error_of("CREATE FUNCTION logs.l4_save_diagnosis(text) RETURNS text $body"),
	qr/42501.*only the owner of extension l4 may create logs.l4_save_diagnosis\(.*HINT/s,
	'an overload that would win over defaults is refused');
like(error_of("CREATE PROCEDURE logs.l4_import(text, text) LANGUAGE sql AS ''"), qr/42501/, 'so is a procedure');
like(error_of("CREATE AGGREGATE logs.l4_diagnose(int) (sfunc = int4pl, stype = int)"), qr/42501/, 'an aggregate');
like(error_of("CREATE DOMAIN logs.l4_known_job AS text"), qr/42501/, 'a type that a call could be a cast to');
like(error_of("CREATE FUNCTION logs.mine(text) RETURNS text $body; ALTER FUNCTION logs.mine(text) RENAME TO l4_save_diagnosis"),
	qr/42501/, 'one that is renamed');
$node->safe_psql('clean', 'CREATE SCHEMA theirs AUTHORIZATION mallory');
like(error_of("CREATE FUNCTION theirs.l4_save_diagnosis(text) RETURNS text $body; ALTER FUNCTION theirs.l4_save_diagnosis(text)
	SET SCHEMA logs"), qr/42501/, 'one that is moved');
is(error_of("CREATE FUNCTION logs.ours(text) RETURNS text $body; CREATE FUNCTION logs.l4_of_our_site(text) RETURNS text $body"),
	'', 'other names are free');
$node->safe_psql('clean', "CREATE FUNCTION logs.l4_save_diagnosis(text) RETURNS text $body");
pass('the owner may do as he likes');

$node->safe_psql('postgres', 'CREATE DATABASE before');
$node->safe_psql('before', "GRANT CREATE ON SCHEMA public TO mallory; SET SESSION AUTHORIZATION mallory;
	CREATE FUNCTION l4_known_job(int) RETURNS text $body");
my ($code, $out, $err) = $node->psql('before', "\\set VERBOSITY verbose\nCREATE EXTENSION l4");
like($err, qr/42710.*function public.l4_known_job\(integer\) already/, 'what was planted before CREATE EXTENSION is found');

$node->stop;
done_testing();
