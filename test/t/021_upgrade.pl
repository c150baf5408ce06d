# An upgrade from each older version, with data, gives what a new installation is: the same objects, the same diagnosis, and the
# site's own rows, grants and views stay. The older version is test/data/upgrade: its script, and a dump of it.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $top = $ENV{L4_TOP};
my $node = PostgreSQL::Test::Cluster->new('upgrade');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\njit = off\n");
$node->start;
my $sharedir = `pg_config --sharedir`;
my $libdir = `pg_config --pkglibdir`;
chomp($sharedir, $libdir);

sub unpacked { my ($file) = @_; my $text = `gzip -dc '$file'`; die "$file: cannot be unpacked" if $?; return $text; }

# The old script with a function of the new library for each that is there no more: the old ones are dropped without being
# called.
sub install_old_script
{
	my ($version) = @_;
	my %has = map { $_ => 1 } `nm -D --defined-only '$libdir/l4.so'` =~ / T (l4_\w+)$/mg;
	my $script = unpacked("$top/test/data/upgrade/l4--$version.sql.gz");
	$script =~ s/('MODULE_PATHNAME', )'(\w+)'/$1 . "'" . ($has{$2} ? $2 : 'l4_guard_drop') . "'"/ge;
	append_to_file("$sharedir/extension/l4--$version.sql", $script);
}

# All of the extension's objects with what they are, one a line. Names of arguments, bodies, comments, options, grants: all of
# it.
my $objects = q{
	WITH member AS (SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension x ON x.oid = d.refobjid
		WHERE x.extname = 'l4' AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'),
	relation AS (SELECT c.* FROM member m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid)
	SELECT format('%s %s: %s', t.kind, t.name, t.said) FROM (
		SELECT i.type, i.identity, coalesce(obj_description(m.objid, m.classid::regclass::text), '')
		FROM member m, pg_identify_object(m.classid, m.objid, 0) i
		UNION ALL
		SELECT 'definition', p.oid::regprocedure::text, pg_get_functiondef(p.oid)
		FROM member m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid WHERE p.prokind <> 'a'
		UNION ALL
		SELECT 'aggregate', p.oid::regprocedure::text,
			concat_ws(' ', jsonb_set(to_jsonb(a), '{aggtranstype}', to_jsonb(a.aggtranstype::regtype)), p.proparallel,
				p.provolatile, p.prosrc, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid))
		FROM member m JOIN pg_aggregate a ON m.classid = 'pg_proc'::regclass AND a.aggfnoid = m.objid
		JOIN pg_proc p ON p.oid = m.objid
		UNION ALL
		SELECT 'view', c.oid::regclass::text, pg_get_viewdef(c.oid) || coalesce(c.reloptions::text, '')
		FROM relation c WHERE c.relkind = 'v'
		UNION ALL
		SELECT 'relation', c.oid::regclass::text, concat_ws(' ', c.relkind, c.relpersistence, c.reloptions, c.relreplident,
			c.relrowsecurity, c.relacl) FROM relation c
		UNION ALL
		SELECT 'column', format('%s.%s', c.oid::regclass, a.attname),
			concat_ws(' ', row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum), format_type(a.atttypid, a.atttypmod),
				a.attnotnull,
			a.attstorage, a.attidentity, a.attgenerated, a.attcompression, a.attcollation::regcollation,
				pg_get_expr(f.adbin, f.adrelid), col_description(c.oid, a.attnum))
			FROM (SELECT oid FROM relation UNION ALL SELECT t.typrelid FROM member m
				JOIN pg_type t ON m.classid = 'pg_type'::regclass AND t.oid = m.objid WHERE t.typtype = 'c') c
			JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
			LEFT JOIN pg_attrdef f ON f.adrelid = c.oid AND f.adnum = a.attnum
		UNION ALL
		SELECT 'constraint', format('%s %s', c.oid::regclass, o.conname), pg_get_constraintdef(o.oid)
		FROM relation c JOIN pg_constraint o ON o.conrelid = c.oid WHERE o.contype <> 'n'
		UNION ALL
		SELECT 'index', i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
		FROM relation c JOIN pg_index i ON i.indrelid = c.oid
		UNION ALL
		SELECT 'trigger', format('%s %s', c.oid::regclass, t.tgname), concat_ws(' ', pg_get_triggerdef(t.oid), t.tgenabled)
		FROM relation c JOIN pg_trigger t ON t.tgrelid = c.oid WHERE NOT t.tgisinternal
		UNION ALL
		SELECT 'type', t.oid::regtype::text, concat_ws(' ', t.typtype, t.typlen, t.typinput, t.typoutput, t.typreceive,
			t.typsend, t.typalign, t.typstorage) FROM member m JOIN pg_type t ON m.classid = 'pg_type'::regclass AND t.oid =
			m.objid
		UNION ALL
		SELECT 'policy', format('%s %s', c.oid::regclass, p.polname),
			concat_ws(' ', p.polcmd, pg_get_expr(p.polqual, p.polrelid),
				pg_get_expr(p.polwithcheck, p.polrelid)) FROM relation c JOIN pg_policy p ON p.polrelid = c.oid
		UNION ALL
		SELECT 'event trigger', e.evtname, concat_ws(' ', e.evtevent, e.evttags, e.evtenabled, e.evtfoid::regproc)
		FROM member m JOIN pg_event_trigger e ON m.classid = 'pg_event_trigger'::regclass AND e.oid = m.objid
		UNION ALL
		SELECT 'dumped', u.t::regclass::text, x.extcondition[u.n]
		FROM pg_extension x, unnest(x.extconfig) WITH ORDINALITY u (t, n) WHERE x.extname = 'l4'
		UNION ALL
		SELECT 'version', x.extname, x.extversion FROM pg_extension x WHERE x.extname = 'l4') t (kind, name, said)
	ORDER BY t.kind COLLATE "C", t.name COLLATE "C", t.said COLLATE "C"};

sub ask { my ($database, $sql) = @_; return $node->safe_psql($database, "SET client_min_messages = warning; $sql"); }

# The lines in which two answers differ, a few of them.
sub differences
{
	my ($old, $new) = @_;
	my %count;
	$count{$_}++ for split /\n/, $new;
	$count{$_}-- for split /\n/, $old;
	my @lines = map { ($count{$_} > 0 ? '+ ' : '- ') . substr($_, 0, 300) } sort grep { $count{$_} } keys %count;
	return join("\n", @lines[0 .. (@lines > 40 ? 39 : $#lines)]);
}

# Rows of a table as text, in a fixed order: what a site has in it, by the columns that the older version has, too.
sub rows
{
	my ($database, $table, $columns) = @_;
	my $where = $columns =~ /\bbuiltin\b/ ? 'WHERE NOT builtin' : '';
	return ask($database, qq{SELECT md5(r::text) || ' ' || left(r::text, 200) FROM (SELECT $columns FROM $table $where) r
		ORDER BY r::text COLLATE "C"});
}

# What a site could do to built-in rows, how it shows afterwards, and what is to be shown; these rows are then deleted.
my %edits = ('0.1.0' => [
	q{UPDATE l4_stage_rule SET enabled = false, pattern = 'ours' WHERE name = 'deepspeed_end'; DELETE FROM l4_format
		WHERE name = 'json'; DELETE FROM l4_pool_setting WHERE key = 'framework'},
	q{WITH s AS (DELETE FROM l4_stage_rule WHERE NOT builtin AND name <> 'ours' RETURNING *),
		f AS (DELETE FROM l4_format WHERE NOT builtin AND name <> 'ours' RETURNING *),
		p AS (DELETE FROM l4_pool_setting WHERE NOT builtin AND key <> 'dataset' RETURNING *)
		SELECT 'stage', name, pattern, enabled FROM s UNION ALL SELECT 'format', name, pattern, enabled
		FROM f UNION ALL SELECT 'setting', key, '', enabled FROM p},
	"stage|deepspeed_end|ours|f\nformat|json|(?!)|f\nsetting|framework||f"]);

ask('postgres', q{CREATE DATABASE fresh});
ask('fresh', 'CREATE EXTENSION l4');
my $fresh = ask('fresh', $objects);
cmp_ok(scalar(split /\n/, $fresh), '>', 1000, 'the objects of a new installation are compared');
for my $job (['ok-1', 'succeeded'], ['ok-2', 'succeeded'], ['killed', 'failed'], ['bug', 'failed'])
{
	ask('fresh', qq{SELECT l4_register_job('$job->[0]', '{"model": "m", "framework": "f"}', '$job->[1]',
		'{node-a,node-b,node-c,node-d}', 1)});
	ask('fresh', "CALL l4_import('$job->[0]', '$top/test/data/diagnose/$job->[0]')");
}

for my $version (map { m{/([\d.]+)\.sql$} ? $1 : () } glob "$top/sql/upgrade/*.sql")
{
	my $old = "from_$version";
	install_old_script($version);
	ask('postgres', qq{CREATE DATABASE "$old"});
	ask($old, "CREATE EXTENSION l4 VERSION '$version'");
	append_to_file("$sharedir/dump.sql", unpacked("$top/test/data/upgrade/l4-$version.dump.gz"));
	$node->command_ok(['psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($old), '-f', "$sharedir/dump.sql"],
		"$version: its dump is restored");
	# what a site makes of it: views over views and functions, grants, a trigger of its own, a column of a type of states
	ask($old, q{
		CREATE ROLE old_reader; CREATE ROLE old_owner;
		CREATE VIEW own_failures AS SELECT job_id, verdict FROM l4_failures;
		CREATE VIEW own_findings AS SELECT p.template FROM l4_parse('ERROR disk 7 lost') p;
		CREATE TABLE own_states AS SELECT l4_drain_state(v) AS state FROM (VALUES ('a b'), ('b c')) x (v) GROUP BY v;
		GRANT SELECT ON l4_failures, l4_job TO old_reader;
		REVOKE EXECUTE ON FUNCTION l4_drop_log_text(text, boolean) FROM PUBLIC;
		GRANT EXECUTE ON FUNCTION l4_drop_log_text(text, boolean) TO old_reader WITH GRANT OPTION;
	});
	my @tables = split /\n/,
		ask($old, q{SELECT c.oid::regclass || '|' || string_agg(quote_ident(a.attname), ', ' ORDER BY a.attname)
		FROM pg_extension x, unnest(x.extconfig) t JOIN pg_class c ON c.oid = t JOIN pg_attribute a ON a.attrelid = c.oid
			AND a.attnum > 0 AND NOT a.attisdropped
		WHERE x.extname = 'l4' GROUP BY c.oid ORDER BY c.oid::regclass::text});
	my %before;
	for (@tables) { my ($table, $columns) = split /\|/; $before{$table} = rows($old, $table, $columns); }

	# that version let a site change built-in rules; what it did is kept by rows of its own
	ask($old, $edits{$version}[0]) if $edits{$version};
	ask($old, 'ALTER EXTENSION l4 UPDATE');
	is(ask($old, $edits{$version}[1]), $edits{$version}[2], "$version: changed built-in rules") if $edits{$version};
	is(differences(ask($old, $objects) =~ s/(?<=l4_failures: v p ).*|(?<=l4_job: r p ).*//gmr,
		$fresh =~ s/(?<=l4_failures: v p ).*|(?<=l4_job: r p ).*//gmr), '',
		"$version: the objects are those of a new installation");
	for (@tables)
	{
		my ($table, $columns) = split /\|/;
		is(differences($before{$table}, rows($old, $table, $columns)), '', "$version: rows of $table");
	}
	for my $table (split /\n/,
		ask('fresh', q{SELECT a.attrelid::regclass FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r'
			WHERE a.attname = 'builtin' ORDER BY 1}))
	{
		my $sql = qq{SELECT to_jsonb(r) - ARRAY['created_at', 'updated_at', 'created_by'] FROM $table r WHERE builtin};
		is(differences(ask($old, $sql), ask('fresh', $sql)), '', "$version: built-in rows of $table");
	}
	is(ask($old, q{SELECT has_function_privilege('old_reader', 'l4_drop_log_text(text, boolean)', 'EXECUTE WITH GRANT OPTION'),
		has_table_privilege('old_reader', 'l4_failures', 'SELECT'),
		(SELECT count(*) FROM aclexplode((SELECT proacl FROM pg_proc
			WHERE oid = 'l4_drop_log_text(text, boolean)'::regprocedure)) WHERE grantee = 0)}), 't|t|0',
			"$version: grants stay");
	is(ask($old, q{SELECT count(*) FROM own_failures}) . ask($old, q{SELECT count(*) > 0 FROM own_findings})
		. ask($old, q{SELECT count(*) FROM own_states WHERE length(state::text) > 0}), '3t2',
		"$version: views and tables that use l4 stay");
	# the same text, diagnosis and report as of a new import
	for my $sql (q{SELECT job_id, source, line_no, ts, level, raw FROM l4_log WHERE job_id <> 'rows'
		ORDER BY job_id COLLATE "C", source COLLATE "C", line_no},
		q{SELECT to_jsonb(d) - 'event_id' FROM l4_diagnose('killed') d ORDER BY d.kind COLLATE "C", d.ordinal},
			q{SELECT to_jsonb(d) - 'event_id' FROM l4_diagnose('bug') d ORDER BY d.kind COLLATE "C", d.ordinal})
	{
		is(differences(ask($old, $sql), ask('fresh', $sql)), '', "$version: " . substr($sql, 0, 60));
	}
	ask($old, "CALL l4_import('bug', '$top/test/data/diagnose/bug')");
	is(ask($old, q{SELECT count(*) FROM l4_ingest_inbox()}), '1', "$version: lines that waited come in");
	is(ask($old, q{SELECT l4_report('bug') ~ 'fault'}), 't', "$version: reports");
}
$node->stop;
done_testing();
