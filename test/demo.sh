#!/bin/bash
# demo.sh: the demo's steps, in the database that the PG* variables name. Run by run.sh.
#   load   registers and imports the jobs of test/data/demo/jobs.csv, the successful ones first
#   show   prints the diagnosis of each failed one, the verdicts in words, and how to go on
#   check  what show prints fits 110 columns, quotes no ruler and ends with the verdicts
#   hints  prints what to try in psql
set -euo pipefail

folder=$PWD/test/data/demo

run_sql() {
	psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --set=folder="$folder" "$@"
}

load() {
	if [ ! -f "$folder/jobs.csv" ]; then
		echo "l4: test/data/demo/jobs.csv, the list of the demo's jobs, is missing" >&2
		exit 1
	fi
	echo "Loading the demo's jobs:"
	(cd "$folder" && PGOPTIONS='-c client_min_messages=warning' run_sql --file=../../demo_load.sql)
	load_flows
}

# A minute of flows that switches record of a job of 16 accelerators, one link of which becomes slow; the simulator makes them.
load_flows() {
	local flows
	flows=$(mktemp -d)
	make --silent -C test/generate/flows
	test/generate/flows/flows --out "$flows" --scenario small --window 60 --fault slow_link::0.3 > "$flows/said"
	run_sql --command="\\copy l4_accelerator FROM '$flows/accelerators.csv' CSV HEADER" \
		--command="\\copy l4_flow FROM '$flows/flows.csv' CSV HEADER"
	rm -r "$flows"
}

show() { run_sql --file=test/demo_show.sql; }

# The verdicts come last, so that they are what stays on the screen.
check() {
	local output
	output=$(show)
	if printf '%s\n' "$output" | grep -nE '.{111}|={5}'; then
		echo "l4: lines of the demo that are too long, or rulers" >&2
		exit 1
	fi
	printf '%s\n' "$output" | tail -n 3 | grep -q '^  ds-f02  .*\bnode-06\b' ||
		{ echo "l4: the demo does not end with the verdicts" >&2; exit 1; }
}

hints() {
	cat <<'HINTS'

To go on with these jobs in psql:        test/run.sh shell
and there, for instance:
    SELECT job_id, status, settings FROM l4_job;
    SELECT l4_report('<job>');
    SELECT kind, ordinal, score, node, left(explanation, 60) AS explanation FROM l4_diagnose('<job>');
    SELECT node, line_no, left(raw, 70) AS raw FROM l4_log WHERE job_id = '<job>' AND level = 'error' LIMIT 20;
On a server of your own: make && make install, then CREATE EXTENSION l4.
HINTS
}

case ${1:-} in
	load) load ;;
	show) show && hints ;;
	check) check ;;
	hints) hints ;;
	*) echo "usage: demo.sh load | show | check | hints" >&2; exit 1 ;;
esac
