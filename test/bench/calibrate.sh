#!/bin/bash
# calibrate.sh DATA...: fits the confidence of findings to labelled jobs and prints the rows for sql/15_limits.sql.
#
# DATA as for accuracy.sh; several folders are taken together, each family in a database of its own. Each job is diagnosed with
# its pool and without one. Cross-validated by framework (its name without version: what is only another version or machine of
# the same program is not unseen). Printed: Brier score and reliability of what was fitted to the other frameworks, and of what
# is in force; how many nodes are named with a confidence of 0.8 or more, which share of these is right, and in which share of
# the jobs with a fault of single nodes one is found so; and the coefficients fitted to all. EXAMPLES=file keeps the examples;
# HALF as for accuracy.sh.
set -euo pipefail
. "$(dirname "$0")/accuracy.sh"

main_calibrate() {
	local group all home=${PGDATABASE:-postgres}
	read_jobs "$@"
	MODE=family
	all=$(groups)
	run_psql -c "CREATE TABLE bench_example (pooled boolean, example l4_confidence_example)"
	for group in $all; do
		jobs_of "$group" | tee -a "$work/asked" > "$work/list"
		create_group "${home}_work"
		run_psql -c 'SET jit = off' -c "CREATE TABLE bench_example AS SELECT p.pooled, e AS example
			FROM (VALUES (true), (false)) p (pooled), l4_confidence_examples(use_pool => p.pooled) e" \
			-c "\\copy bench_example to '$work/examples'"
		export PGDATABASE=$home
		run_psql -c "\\copy bench_example from '$work/examples'" -c "DROP DATABASE \"${home}_work\""
	done
	run_psql -c "CREATE TABLE bench_asked (job_id text, folder text)" -c "\\copy bench_asked from '$work/asked'"
	[ -z "${EXAMPLES:-}" ] || run_psql -c "\\copy bench_example to '$EXAMPLES'"
	run_psql -f "$here/calibrate.sql"
}

main_calibrate "${@:?usage: make bench-calibrate DATA=\"folders with labelled jobs\"}"
