#!/bin/bash
# check_sentences.sh: sentences are made last and read by people alone. Run from the top of the checkout.
#
# Lists every place in sql/ where a pattern (LIKE, SIMILAR TO, ~, regexp_*, starts_with, strpos, position, split_part) reads
# - a column that holds sentences: explanation, evidence, advice, reason of an advice, root_cause, fix, verdict, sentence; or
# - words that stand in a sentence which sql/70_sentence*.sql or sql/73_verdict.sql makes (a literal of two words or more).
# Fields of facts are what programs read. What searches texts for people, as l4_grep or l4_similar_failures do, reads logs and
# reports.
set -uo pipefail
perl -e '
	my %made;
	my $pattern = qr{(?:!?~\*?|\bI?LIKE|\bSIMILAR TO|\bregexp_\w+\(|\bstarts_with\(|\bstrpos\(|\bposition\(|\bsplit_part\()}i;
	for my $file (glob("sql/70_sentence*.sql sql/73_verdict.sql")) {
		open(my $in, "<", $file) or die "$file: $!";
		local $/; my $text = <$in>;
		$text =~ s{COMMENT ON .*?;\n}{}gs;
		$made{$1} = 1 while $text =~ /\x27((?:[^\x27]|\x27\x27)*)\x27/g;
	}
	my $made = join("\n", keys %made);
	my $status = 0;
	for my $file (sort glob("sql/*.sql")) {
		open(my $in, "<", $file) or die "$file: $!";
		while (my $line = <$in>) {
			$line =~ s{--.*}{};
			my $said = 0;
			$said = 1 if $line =~ /\b\w+\.(?:explanation|evidence|advice|root_cause|fix|verdict|sentence)\b\)?\s*$pattern/;
			while ($line =~ /$pattern[^\x27]{0,40}\x27\^?%?((?:[^\x27]|\x27\x27)*?)%?\$?\x27/g) {
				my $words = $1;
				$said = 1 if $words =~ /\w \w/ && index($made, $words) >= 0;
			}
			if ($said) { chomp $line; print "$file:$.: $line\n"; $status = 1; }
		}
	}
	exit $status;
'
