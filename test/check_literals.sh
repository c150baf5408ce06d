#!/bin/bash
# check_literals.sh: numbers that decide what the diagnosis finds are rows of l4_limit, not literals. Run from the top of the
# checkout.
#
# Lists every number other than 0, 1 and 2 in the code of the steps between a job's rows and the sentences
# (sql/51_job_times.sql, 59 to 67, 71). Not looked at: comments, texts, the names of the part numbers of a statement's head
# (COST, ROWS), the median (percentile_...(0.5)), and 1.4826, by which a median deviation becomes a standard one.
set -uo pipefail
status=0
for file in sql/51_job_times.sql sql/59_*.sql sql/6[0-7]_*.sql sql/71_*.sql; do
	[ -f "$file" ] || continue
	found=$(perl -0777 -pe '
		my $blank = sub { my ($t) = @_; $t =~ s/[^\n]/ /g; $t };
		s{(/\*.*?\*/)}{$blank->($1)}gse;
		s{(--[^\n]*)}{$blank->($1)}ge;
		s{(\x27(?:[^\x27]|\x27\x27)*\x27)}{$blank->($1)}gse;
		s{\b(GROUP|ORDER) BY \d+(, \d+)*}{}g;
		s{\b(COST|ROWS) \d+}{}g;
		s{percentile_\w+\(0\.5\)}{}g;
		s{\b1\.4826\b}{}g;
	' "$file" | grep -nP '(?<![\w.\$])(?![012](?![\w.]))\d+(\.\d+)?(e-?\d+)?(?!\w)' || true)
	[ -z "$found" ] || { printf '%s\n' "$found" | sed "s|^|$file:|"; status=1; }
done
exit $status
