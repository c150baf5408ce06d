# What import remembers of recent lines (heads and messages that differ in figures alone) must change nothing: each record is
# what l4_parse, which remembers nothing, says of its line alone.
use strict;
use warnings;
use File::Basename qw(dirname);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('recent');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION l4');
my $folder = PostgreSQL::Test::Utils::tempdir;
srand(4);

# lines whose heads and messages the rules know: the formats' own examples, and statements with all that masks look for
my @examples = split /\n/,
	$node->safe_psql('postgres', q{SELECT example FROM l4_format WHERE kind <> 'path' AND NOT dominant ORDER BY kind,
		priority, name});
my @messages = (
	'step 12 of 100, loss 5.25, 17.5 ms', 'saved /ckpt/iter_0001020/rank003.pt (12 KiB)',
	'at Sun Jul 10 03:55:15 2005 by 10.20.0.13:29500',
	'port 0x7fbe76c8 deadbeef 00:1a:2b:3c:4d:5e', ' 37%|###7      | 20/54 [00:57<01:22,  2.86s/it]',
	'[rank7] https://a.b/c?d=12 <*> x', 'caf\xc3\xa9 12 \xe2\x96\x88', "bytes \xff\xfe 7");
my @heads = ('', '2026-11-20 22:31:38,097 INFO ', '[2026-11-20 22:31:38,097] [INFO] [train.py:52:main] [Rank 0] ',
	'Nov 20 22:26:32.648 node-00 agent[17]: <info> ',
	'[rank3]:[E1206 18:44:12.715298746 a.cpp:607] ', '2026-11-20T22:36:52.864Z DEBUG heartbeatd ',
	'<34>Nov  9 12:01:01 dn228 crond[2915]: ', '[171167.620236] ',
	'2026-03-29 01:59:59.5+01:00 WARN a.b: ', '[INFO] M(18,p):2026-11-20-22:42:52.011.247 [a.py:9][18] ');
my @kinds = @examples;
for my $head (@heads) { push @kinds, map { $head . $_ } @messages; }

# many of each: other figures, and now and then a byte too many, too few or another
sub vary
{
	my ($line) = @_;
	$line =~ s/([0-9])/rand() < 0.3 ? int(rand(10)) : $1/ge;
	if (rand() < 0.15)
	{
		my $at = int(rand(length($line) + 1));
		my $byte = (' ', ':', '.', '-', ']', '[', 'a', 'Z', '7', '/')[rand(10)];
		my $kind = rand();
		$kind < 0.4 ? substr($line, $at, 0, $byte) : $kind < 0.8 ? substr($line, $at, 1, '') : substr($line, $at, 1, $byte)
			if $at < length($line);
	}
	return $line;
}
my @lines;
for my $round (1 .. 60) { push @lines, map { vary($_) } @kinds; }
s/[\r\n]//g for @lines;
for (my $i = $#lines; $i > 0; $i--) { my $j = int(rand($i + 1)); @lines[$i, $j] = @lines[$j, $i]; }

# once as they are, once with a rank before each line, as launchers write it; and in a zone with summer time
my %bytes = ('plain/lines.log' => join('', map { "$_\n" } @lines),
	'labelled/lines.log' => join('', map { int(rand(200)) . ": $_\n" } @lines));
for my $name (sort keys %bytes) { mkdir "$folder/" . dirname($name); open my $file, '>:raw', "$folder/$name" or die;
	print $file $bytes{$name}; close $file; }
$node->safe_psql('postgres', 'CREATE TABLE seen (job_id text, raw text, differs boolean)');
for my $kind ('plain', 'labelled')
{
	# l4_parse takes a label for one only where something known follows it, and l4_import where most lines have it: so it reads
	# the lines without those that were put before all
	my $line = $kind eq 'plain' ? 'l.raw' : q{regexp_replace(l.raw, '^\d+: ', '')};
	my $comparable = "NOT l4_line_formats($line) && ARRAY(SELECT name FROM l4_format WHERE dominant)";
	for my $zone ('UTC', 'Europe/Berlin')
	{
		my $job = "$kind $zone";
		$node->safe_psql('postgres',
			"SELECT l4_register_job('$job', '{}', 'failed', started_at => '2026-03-29 01:00+00', time_zone => '$zone');
				CALL l4_import('$job', '$folder/$kind')");
		$node->safe_psql('postgres', qq{INSERT INTO seen SELECT '$job', l.raw,
				(p.shape_id, p.params, p.level, p.component, p.message) IS DISTINCT FROM (l.shape_id, l.parameters, l.level,
					l.component, l.message)
				OR (p."time" IS NOT NULL AND p."time" IS DISTINCT FROM l.ts)
			FROM l4_log l, l4_parse($line, '$zone', '2026-03-29 01:00+00') p
			WHERE l.job_id = '$job' AND l.raw !~ E'\\n' AND l.raw !~ '\\\\x' AND $comparable});
		cmp_ok($node->safe_psql('postgres', "SELECT count(*) FROM seen WHERE job_id = '$job'"), '>', 0.6 * @lines,
			"$job: most lines are records of their own");
		is($node->safe_psql('postgres', "SELECT raw FROM seen WHERE job_id = '$job' AND differs ORDER BY raw LIMIT 5"), '',
			"$job: each is what its line alone says");
		is($node->safe_psql('postgres', "SELECT md5(string_agg(raw_bytes, ''::bytea ORDER BY line_no, part)) FROM l4_log
			WHERE job_id = '$job'"),
			$node->safe_psql('postgres', "SELECT md5(pg_read_binary_file('$folder/$kind/lines.log'))"),
				"$job: every byte comes back");
	}
}
$node->stop;
done_testing();
