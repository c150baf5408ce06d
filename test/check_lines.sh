#!/bin/bash
# check_lines.sh: what a reader can take in. Run from the top of the checkout; with arguments, only the files below these.
#
# Lists every line of C, SQL, shell, Perl and Python that is wider than 128 columns (a tab is 4, as .editorconfig says), and
# every SQL statement of the extension and of its tests that is longer than 60 lines. A statement of a script ends at a ';' that
# ends its line; within a PL/pgSQL body ($$ ... $$) each statement counts alone, as its own ';' ends it. An INSERT of VALUES is
# as long as its rows are many, and does not count.
set -uo pipefail
[ $# -gt 0 ] || set -- Makefile sql src test .ci
status=0

files() { git ls-files -- "$@" | grep -E "$pattern" | grep -v '^test/\(data\|fuzz/corpus\)/'; }

pattern='\.(c|h|sql|spec|sh|pl|pm|py|in)$|^Makefile$'
for file in $(files "$@"); do
	wide=$(expand -t4 "$file" |
		awk -v name="$file" '{ gsub(/[\200-\277]/, "") } length($0) > 128 { print name ":" NR ": " length($0) " columns" }')
	[ -z "$wide" ] || { printf '%s\n' "$wide"; status=1; }
done

pattern='\.sql$'
for file in $(files "$@"); do
	long=$(perl -ne '
		# A statement begins at its first line that is neither empty nor a comment.
		$comment = 1 if m{^\s*/\*};
		if ($comment) { $comment = 0 if m{\*/\s*$}; next; }
		next if /^\s*(--|\\|$)/ && !$start;
		$start //= $.; $insert //= /^\s*INSERT INTO/; $rows ||= $insert && /VALUES\s*$/;
		if (/;\s*(--.*)?$/ || /^\s*AS \$\w*\$$/ || /^\s*(BEGIN|DECLARE)$/) {
			my $lines = $. - $start + 1;
			print "$ARGV:$start: a statement of $lines lines\n" if $lines > 60 && !$rows;
			undef $start; undef $insert; undef $rows;
		}' "$file")
	[ -z "$long" ] || { printf '%s\n' "$long"; status=1; }
done
exit $status
