#!/bin/bash
# advice.sh DATA..: the advice of l4_restart_advice on labelled jobs, held against the table of what a careful operator would do
# (test/data/advice). What successful jobs are told is bench-healthy's.
#
# DATA are folders of labelled jobs (see accuracy.sh). Prints how many advices are right and how many do harm, with a pool and
# without, and those that are not right.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/accuracy.sh"

main_advice() {
	local home=${PGDATABASE:-postgres}
	read_jobs "$@"
	jobs_of all > "$work/list"
	create_group "${home}_work"
	run_psql -c 'CREATE TABLE bench_action (job_id text PRIMARY KEY, "right" text, harmful text, why text)' \
		-c "\\copy bench_action from '$here/../data/advice/actions.tsv' with (format csv, delimiter E'\\t', header)"
	run_psql -c 'SET jit = off' -f "$here/advice.sql"
}

main_advice "$@"
