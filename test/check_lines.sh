#!/bin/bash
# check_lines.sh: what a reader can take in. Run from the top of the checkout; with arguments, only the files below these.
#
# Lists every line of C, SQL, shell, Perl and Python that is wider than 128 columns (a tab is 4, as .editorconfig says), and
# every SQL statement of the extension and of its tests that is longer than 60 lines. A statement of a script ends at a ';' that
# ends its line; within a PL/pgSQL body ($$ ... $$) each statement counts alone, as its own ';' ends it. An INSERT of VALUES is
# as long as its rows are many, and does not count.
set -euo pipefail
[ $# -gt 0 ] || set -- Makefile sql src test .ci

# The files that are committed; in a copy without git those that are there, but for what make joins from the parts in sql/.
files() { { [ -e .git ] && git ls-files -- "$@" 2>/dev/null; } || find "$@" -type f ! -path 'sql/l4--*'; }

files "$@" | sort | perl -e '
	my $failed = 0;
	sub complain { print "@_\n"; $failed = 1; }

	sub check_widths
	{
		my ($file, @lines) = @_;
		for my $i (0 .. $#lines)
		{
			my $line = $lines[$i] =~ s/\n$//r =~ s/[\x80-\xbf]//gr;
			1 while $line =~ s/^([^\t]*)\t/$1 . " " x (4 - length($1) % 4)/e;
			complain("$file:" . ($i + 1) . ": " . length($line) . " columns") if length($line) > 128;
			complain("$file:" . ($i + 1) . ": left over from a merge") if $line =~ /^(<{7}|>{7}) /;
		}
	}

	sub check_statements
	{
		my ($file, @lines) = @_;
		my ($comment, $start, $insert, $rows);
		for my $i (0 .. $#lines)
		{
			# A statement begins at its first line that is neither empty nor a comment.
			$_ = $lines[$i];
			$comment = 1 if m{^\s*/\*};
			if ($comment) { $comment = 0 if m{\*/\s*$}; next; }
			next if /^\s*(--|\\|$)/ && !defined $start;
			$start //= $i;
			$insert //= /^\s*INSERT INTO/;
			$rows ||= $insert && /VALUES\s*$/;
			next unless /;\s*(--.*)?$/ || /^\s*AS \$\w*\$$/ || /^\s*(BEGIN|DECLARE)$/;
			my $length = $i - $start + 1;
			complain("$file:" . ($start + 1) . ": a statement of $length lines") if $length > 60 && !$rows;
			undef $start;
			undef $insert;
			undef $rows;
		}
	}

	while (my $file = <STDIN>)
	{
		chomp $file;
		next if $file =~ m{^test/(data|fuzz/corpus|expected)/} || $file !~ /\.(c|h|sql|spec|sh|pl|pm|py|in)$|^Makefile$/;
		open my $in, "<", $file or die "$file: $!\n";
		my @lines = <$in>;
		check_widths($file, @lines);
		check_statements($file, @lines) if $file =~ /\.sql$/;
	}
	exit $failed'
