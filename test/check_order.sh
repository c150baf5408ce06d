#!/bin/bash
# check_order.sh: no result hangs on the plan of a query. Run from the top of the checkout.
#
# Lists each DISTINCT ON of the SQL parts whose query has no ORDER BY of its own: which of the rows that agree in the named
# columns it keeps is then left to the plan.
set -uo pipefail
perl -0777 -ne '
	while (/SELECT DISTINCT ON/g) {
		my ($start, $depth, $ordered) = ($-[0], 0, 0);
		while (/\G(\x27[^\x27]*\x27|--[^\n]*|\(|\)|;|UNION\b|ORDER BY\b|[^\x27();UO-]+|.)/gs) {
			if ($1 eq "(") { $depth++ }
			elsif ($1 eq ")") { last if --$depth < 0 }
			elsif ($1 eq ";" || $1 eq "UNION" && $depth == 0) { last }
			elsif ($1 eq "ORDER BY" && $depth == 0) { $ordered = 1; last }
		}
		next if $ordered;
		my $line = 1 + (substr($_, 0, $start) =~ tr/\n//);
		print "$ARGV:$line: DISTINCT ON without ORDER BY\n";
		$found = 1;
	}
	END { exit($found ? 1 : 0) }' sql/[0-9][0-9]_*.sql
