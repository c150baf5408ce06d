#!/bin/bash
# check_layers.sh: fails where the sources break a rule of the house. Run from the top of the checkout.
#
#   - a file under src/ includes only headers of its own layer or of one before it:
#     ground, tools, algorithms, doors, loading, bindings
#   - no circle among .c files: where one calls another, that one does not call back, not even by way of others;
#     nor among headers
#   - src/algorithms is pure: no SPI, no catalog, no function manager
#   - the server's version is tested in src/ground/compat.h alone, SPI is used in src/doors alone
#   - no .c file has more than 1000 lines; functions of more than 80 lines are listed as warnings (where ctags is installed)
#   - every function in sql/ states its volatility and its parallel label, and nothing is SECURITY DEFINER
set -uo pipefail
perl - <<'PERL'
use strict;
use warnings;

my @layers = qw(ground tools algorithms doors loading bindings);
my %rank = map { $layers[$_] => $_ } 0 .. $#layers;
my $impure = qr{^(?:executor/|catalog/|fmgr\.h|funcapi\.h|access/|commands/|utils/(?:syscache|lsyscache|rel)\.h)};
my $failures = 0;

sub complain { print "@_\n"; $failures++; }

# Blanks out comments and string literals, so that only code is searched; line numbers stay.
sub code_only
{
	my ($text) = @_;
	$text =~ s{(/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*")}{ (my $blank = $1) =~ s/[^\n]/ /g; $blank }gse;
	return $text;
}

sub slurp { my ($file) = @_; open my $in, '<', $file or die "$file: $!"; local $/; return scalar <$in>; }

sub each_line
{
	my ($text, $action) = @_;
	my $number = 0;
	$action->($_, ++$number) for split /\n/, $text;
}

sub check_includes
{
	my ($file, $layer, $text) = @_;
	each_line($text, sub {
		my ($line, $number) = @_;
		return unless $line =~ /^\s*#\s*include\s*["<]([^">]+)[">]/;
		my $header = $1;
		my ($of) = $header =~ m{^(\w+)/};
		if ($of && exists $rank{$of} && -e "src/$header")
		{
			complain("$file:$number: $layer must not include $header, which is above it") if $rank{$of} > $rank{$layer};
		}
		elsif (-e "src/$layer/$header")
		{
			complain("$file:$number: write the layer: #include \"$layer/$header\"");
		}
		complain("$file:$number: src/algorithms is pure and must not include $header")
			if $layer eq 'algorithms' && $header =~ $impure;
		complain("$file:$number: SPI belongs into src/doors") if $header eq 'executor/spi.h' && $layer ne 'doors';
	});
}

sub check_words
{
	my ($file, $layer, $code) = @_;
	each_line($code, sub {
		my ($line, $number) = @_;
		complain("$file:$number: PG_VERSION_NUM belongs into src/ground/compat.h")
			if $line =~ /\bPG_VERSION_NUM\b/ && $file ne 'src/ground/compat.h';
		complain("$file:$number: SPI belongs into src/doors") if $line =~ /\bSPI_\w+\s*\(/ && $layer ne 'doors';
	});
}

# Every file of src/ lies in the folder of a layer.
for my $file (sort glob('src/*.[ch] src/*/*.[ch]'))
{
	my ($layer) = $file =~ m{^src/(\w+)/};
	if (!defined $layer || !exists $rank{$layer})
	{
		complain("$file: belongs into one of src/{" . join(',', @layers) . '}');
		next;
	}
	my $text = slurp($file);
	my $lines = ($text =~ tr/\n//);
	complain("$file: $lines lines, more than 1000") if $file =~ /\.c$/ && $lines > 1000;
	check_includes($file, $layer, $text);
	check_words($file, $layer, code_only($text));
}

# What each .c file calls of others, by the functions and variables that these define, and what each header includes.
# A definition has its name at the start of a line, its type on the line before.
my %code = map { $_ => code_only(slurp($_)) } glob('src/*/*.[ch]');
my (%defined_in, %own, %uses);
for my $file (grep { /\.c$/ } sort keys %code)
{
	while ($code{$file} =~ /^(.*)\n(\w+)\(|^(?!static|extern|typedef|\s)([\w *]+?)\b(\w+)(?:\[[^\]]*\])* = /mg)
	{
		my ($type, $name) = defined $2 ? ($1, $2) : ($3, $4);
		$own{$file}{$name} = 1;
		$defined_in{$name} //= $file unless $type =~ /^static\b/;
	}
}
for my $file (sort keys %code)
{
	if ($file =~ /\.h$/)
	{
		$uses{$file}{"src/$1"} = "src/$1" for grep { exists $code{"src/$_"} } slurp($file) =~ /^#include "([^"]+)"/mg;
		next;
	}
	for my $name ($code{$file} =~ /\w+/g)
	{
		my $other = $own{$file}{$name} ? undef : $defined_in{$name};
		$uses{$file}{$other} = $name if defined $other && $other ne $file;
	}
}

# Goes on to whatever a file uses; a file that is on the way already closes a circle. Each file is left behind only once.
my %seen;
sub walk
{
	my ($file, @way) = @_;
	my ($at) = grep { $way[$_] eq $file } 0 .. $#way;
	if (defined $at)
	{
		my @circle = (@way[$at .. $#way], $file);
		my @steps = map { "$circle[$_] uses $uses{$circle[$_]}{$circle[$_ + 1]} of $circle[$_ + 1]" } 0 .. $#circle - 1;
		complain('circle: ' . join(', ', @steps));
		return;
	}
	return if $seen{$file};
	walk($_, @way, $file) for sort keys %{ $uses{$file} };
	$seen{$file} = 1;
}
walk($_) for sort keys %uses;

# A statement begins at the start of a line with one of these words and goes on to the next.
for my $file (sort glob('sql/[0-9][0-9]_*.sql'))
{
	for my $statement (split /^(?=(?:CREATE|ALTER|COMMENT|DROP|GRANT|REVOKE|INSERT|SELECT|DO)\b)/m, slurp($file))
	{
		next unless $statement =~ /^CREATE (?:OR REPLACE )?(FUNCTION|PROCEDURE)\s+([\w@.]+)/;
		my ($kind, $name) = ($1, $2);
		$statement =~ s/--[^\n]*//g;
		complain("$file: $name is SECURITY DEFINER") if $statement =~ /SECURITY\s+DEFINER/i;
		next if $kind eq 'PROCEDURE';
		complain("$file: $name does not state its volatility") unless $statement =~ /\b(?:IMMUTABLE|STABLE|VOLATILE)\b/;
		complain("$file: $name has no PARALLEL label") unless $statement =~ /\bPARALLEL\s+(?:SAFE|RESTRICTED|UNSAFE)\b/;
	}
}

my $has_ctags = grep { -x "$_/ctags" } split /:/, $ENV{PATH};
if ($has_ctags && `ctags --version 2>&1` =~ /Universal/)
{
	for (sort `ctags -f - --fields=+ne --kinds-C=f src/*/*.c 2>/dev/null`)
	{
		my ($name, $file) = split /\t/;
		my ($first) = /\tline:(\d+)/;
		my ($last) = /\tend:(\d+)/;
		next unless $first && $last;
		my $size = $last - $first + 1;
		print "warning: $file:$first: $name has $size lines, more than 80\n" if $size > 80;
	}
}
exit($failures ? 1 : 0);
PERL
