#!/bin/bash
# blind.sh [TSV]: what the built-in faults know of texts that they were not written from (test/data/faults/blind.tsv, whose
# origin test/data/README.md tells).
#
# Each text is a failed job of its own: 4 nodes of 2 ranks that make some steps, and the text in the log of one rank, of one
# node's launcher or of its system log. Diagnosed without any successful job, then beside three. Prints, of each,
#   known        share of the texts that have a known fault; what every failure prints (priority 300 and above) does not count
#   category     share of the known whose first fault has a category that is right
#   first        the same, of a text with two categories that can be defended only with the first
#   accused      of the faults of users: advice to cordon (to test) a node
# and the texts that are not known, are of another category, or accuse a node where a user is at fault. Some minutes.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

run_psql() { psql -Xq -v ON_ERROR_STOP=1 "$@"; }

run_psql -c 'CREATE TABLE bench_blind (number int PRIMARY KEY, area text, stream text, category text, fault_of text, cause text,
		address text, text text)' -c "\\copy bench_blind from '${1:-$here/../data/faults/blind.tsv}' with (header)"
run_psql -c 'SET jit = off' -f "$here/blind.sql"
