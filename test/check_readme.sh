#!/bin/bash
# check_readme.sh [--accept] FILE: runs the SQL of a Markdown file and compares its output with what the file says.
#
# A ```sql block that a ```text block follows (nothing but blank lines between) is run, and the second must be what psql
# prints for the first. All run in one psql session, in order, in the database that the PG* variables name. A block after the
# comment line <!-- run --> is run without looking at its output. Other blocks are not run. With --accept the text blocks
# are rewritten to what psql printed.
set -euo pipefail
perl - "$@" <<'PERL'
use strict;
use warnings;
use File::Temp qw(tempdir);

my $accept = @ARGV && $ARGV[0] eq '--accept' ? shift @ARGV : 0;
my $file = shift @ARGV or die "usage: check_readme.sh [--accept] FILE\n";
open my $in, '<', $file or die "$file: $!\n";
my $text = do { local $/; <$in> };
my $marker = '=== end of block ===';
my $body = qr{((?:(?!```).*\n)*)}m;
my $pair = qr{^```sql\n$body```\n\s*^```text\n$body```$}m;
my $silent = qr{^<!-- run -->\n\s*^```sql\n$body```$}m;

# Output as compared: without blanks at the ends of lines and of the whole.
sub tidy { my ($output) = @_; $output =~ s/[ \t]+$//mg; $output =~ s/\s+\z//; return "$output\n"; }

my $folder = tempdir(CLEANUP => 1);
my @blocks;
while ($text =~ /$pair|$silent/g)
{
	my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);
	push @blocks, defined $1 ? {line => $line, sql => $1, expected => $2} : {line => $line, sql => $3};
}
open my $script, '>', "$folder/script.sql" or die $!;
print $script map { "$_->{sql}\n\\echo '$marker'\n" } @blocks;
close $script;
my $output = `stdbuf -oL psql --no-psqlrc --quiet --pset=pager=off --file=$folder/script.sql 2>&1`;
$output =~ s/^psql:\Q$folder\E\/script\.sql:\d+: //mg;
my @outputs = split /^\Q$marker\E\n/m, $output, -1;

my $failures = 0;
for my $index (0 .. $#blocks)
{
	my $block = $blocks[$index];
	$block->{actual} = tidy($outputs[$index] // '');
	if (!defined $block->{expected})
	{
		next unless $block->{actual} =~ /^(?:ERROR|FATAL):/m;
		print "$file:$block->{line}: the block fails:\n$block->{actual}\n";
	}
	elsif (tidy($block->{expected}) eq $block->{actual}) { next }
	else { print "$file:$block->{line}: the file says:\n", tidy($block->{expected}), "psql prints:\n$block->{actual}\n" }
	$failures++;
}
if ($accept)
{
	my @pairs = grep { defined $_->{expected} } @blocks;
	$text =~ s{^(```sql\n$body```\n\s*^```text\n)$body```$}{$1 . (shift @pairs)->{actual} . "```"}mge;
	open my $out, '>', $file or die "$file: $!\n";
	print $out $text;
	exit 0;
}
printf "%d blocks run, %d differ\n", scalar @blocks, $failures;
exit($failures ? 1 : 0);
PERL
