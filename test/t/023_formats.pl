# Stage and iteration of the labelled lines of the first half of test/data/formats_survey: what many training programs print.
# That of a job's places is in test/bench/formats.sh, which takes minutes.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $data = abs_path(dirname(__FILE__) . '/../data/formats_survey');
my $folder = File::Temp->newdir(TMPDIR => 1);
my $node = PostgreSQL::Test::Cluster->new('formats');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION l4; CREATE TABLE survey (kind text, half int, format text, job_id text,
	line_no bigint, stages text[], iterations bigint[])');
my $rows = qx{perl "$data/expand.pl" "$folder" 1};
is($?, 0, 'the excerpts can be expanded');
append_to_file("$folder/rows", $rows);
system('chmod', '-R', 'a+rX', "$folder");
$node->safe_psql('postgres', "COPY survey FROM '$folder/rows'");
my $load = join '', map { my $job = s{.*/}{}r; "SELECT l4_register_job('$job', '{}', 'failed', '{node-0,node-1}', 1);
	CALL l4_import('$job', '$_');\n" } sort glob "$folder/jobs/*.whole";
$node->safe_psql('postgres', $load);
my ($lines, $stage, $with, $iteration) = split /\|/, $node->safe_psql('postgres', q{
	SELECT count(*), avg((l.stage = ANY (s.stages) IS TRUE)::int),
		count(*) FILTER (WHERE cardinality(s.iterations) > 0),
		avg((l.iteration = ANY (s.iterations) IS TRUE)::int) FILTER (WHERE cardinality(s.iterations) > 0)
	FROM survey s CROSS JOIN LATERAL (SELECT g.stage, g.iteration FROM l4_log g
		WHERE g.job_id = s.job_id AND g.rank = 0 AND g.line_no <= s.line_no ORDER BY g.line_no DESC LIMIT 1) l
	WHERE s.kind = 'line'});
cmp_ok($lines, '>', 300, 'lines are labelled');
cmp_ok($with, '>', 60, 'iterations among them');
cmp_ok($stage, '>=', 0.78, "stage of the lines: $stage");
cmp_ok($iteration, '>=', 0.65, "iteration of the lines: $iteration");
# what counts without a word that a rule knows is learnt
is($node->safe_psql('postgres', q{SELECT format('%s %s', (SELECT d.stage FROM l4_diagnose('tf_cnn_bench.whole') d
	WHERE d.kind = 'stage' AND d.ordinal = 1), (SELECT d.iteration FROM l4_diagnose('tf_cnn_bench.whole') d
	WHERE d.kind = 'iteration' AND d.ordinal = 1))}), 'iterating 301', 'a learnt counter, of rank 0, which alone speaks');
$node->stop;
done_testing();
