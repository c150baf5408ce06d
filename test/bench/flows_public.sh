#!/bin/bash
# flows_public.sh FOLDER..: flows.sh on windows that somebody else's simulator (or a network) has made: what l4 says of them,
# against the truth that lies beside, and the paper's method.
#
# FOLDER     has flows.csv and accelerators.csv (columns of l4_flow and l4_accelerator, by the names in their first lines; times
#            from 2026-01-01 00:00 UTC on), and truth_jobs.csv, truth_pairs.csv, truth_steps.csv, truth_pauses.csv and
#            truth_faults.csv as test/generate/flows writes them; or folders of that kind. docs/flows.md tells how those of
#            ATLAHS (LogGOPSim and htsim) are made, with flows_goal.py.
# METHODS, SECONDS_EACH, SHOW   as in flows.sh, which tells what is printed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -gt 0 ] || { echo "flows_public.sh: name a folder of windows: make bench-flows_public DATA=FOLDER" >&2; exit 1; }
. "$here/flows_window.sh"

# Folders of windows within these folders.
windows() {
	local folder file
	for folder in "$@"; do
		for file in "$folder"/flows.csv "$folder"/*/flows.csv; do
			[ ! -f "$file" ] || dirname "$file"
		done
	done
}

run -f "$here/flows.sql" -f "$here/flows_paper.sql"
found=$(windows "$@")
[ -n "$found" ] || { echo "flows_public.sh: no flows.csv in $*" >&2; exit 1; }
run -c 'SELECT bench.head()'
while read -r folder; do
	mkdir "$work/window"
	cp "$folder"/*.csv "$work/window"
	load false
	measure_all "$(basename "$folder")"
done <<< "$found"
run -c 'SELECT bench.summary()'
