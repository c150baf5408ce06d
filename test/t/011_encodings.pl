# Log text that the database's encoding cannot hold, or can hold without knowing what it is, breaks nothing: not the import, not
# the report.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('encodings');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nsynchronous_commit = off\n");
$node->start;

# Two ranks: one fails with words in UTF-8 (some beyond LATIN1), in LATIN1, and in bytes that are no text at all.
my $folder = $node->basedir . '/logs';
mkdir $folder;
my @words = ("caf\xc3\xa9 \xe2\x9c\x93 \xe4\xb8\xad\xe6\x96\x87", "caf\xe9 gr\xfc\xdfe",
	"\xff\xfe\x80\x81 \xf0\x9f\x92\xa5 \xc3");
for my $rank (0, 1)
{
	my $text = join('', map { sprintf("2026-01-05 10:00:%02d INFO step=%d, loss=2.%d gr\xc3\xb6\xc3\x9fe \xe2\x9c\x93\n", $_,
		$_, $_) } 1 .. 40);
	$text .= "2026-01-05 10:00:41 ERROR $_ failed on device $rank\n" for $rank == 1 ? @words : ();
	$text .= "Traceback (most recent call last):\n  File \"/app/\xe4\xb8\xad.py\", line 7, in main\nRuntimeError: "
		. "\xe4\xb8\xad\xe6\x96\x87 \xff lost\n" if $rank == 1;
	append_to_file("$folder/rank-$rank.log", $text);
}

for my $encoding (qw(UTF8 LATIN1 EUC_JP SQL_ASCII))
{
	my $database = lc $encoding;
	$node->safe_psql('postgres',
		"CREATE DATABASE $database ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
	$node->safe_psql($database, "CREATE EXTENSION l4; SELECT l4_register_job('j', '{}', 'failed', '{node-a,node-b}', 1);
		CALL l4_import('j', '$folder')");
	is($node->safe_psql($database,
		"SELECT md5(string_agg(raw_bytes, '' ORDER BY line_no, part)) = md5(pg_read_binary_file('$folder/' || source))
			FROM l4_log WHERE job_id = 'j' GROUP BY source"),
		"t\nt", "$encoding: every byte comes back");
	for my $client ($encoding, 'UTF8', 'SQL_ASCII')
	{
		my $set = "SET client_encoding = '$client';";
		my ($code, $out, $err) = $node->psql($database,
			"$set SELECT * FROM l4_log WHERE job_id = 'j'; SELECT * FROM l4_diagnose('j')");
		is($err, '', "$encoding to $client: lines and findings");
		for my $format (qw(text markdown html))
		{
			($code, $out, $err) = $node->psql($database, "$set SELECT l4_report('j', '$format')");
			is($err, '', "$encoding to $client: the report in $format");
			like($out, qr/failed on device|lost/, 'says what failed');
		}
	}
	my ($code, $out, $err) = $node->psql($database, q{SELECT l4_save_diagnosis('j'); SELECT * FROM l4_failures;
		SELECT l4_recluster() > 0});
	is($err, '', "$encoding: saved, seen in views, clustered anew");
}

$node->stop;
done_testing();
