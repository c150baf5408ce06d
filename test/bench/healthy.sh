#!/bin/bash
# healthy.sh DATA..: successful jobs of labelled folders (see accuracy.sh), each diagnosed as if it had failed, with the other
# successful ones to compare it with, and without any: how many are accused, and of what.
#
# An alarm is a suspected node, a known fault that may be a cause, or advice that takes a node out or calls somebody. Prints the
# counts by kind, with a pool and without, by family, and each alarm.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/accuracy.sh"

main_healthy() {
	local home=${PGDATABASE:-postgres}
	read_jobs "$@"
	run_psql -c "DELETE FROM bench_job WHERE job ->> 'status' <> 'success'"
	jobs_of all > "$work/list"
	create_group "${home}_work"
	run_psql -f "$here/healthy.sql"
	export PGDATABASE=$home
	run_psql -c "DROP DATABASE \"${home}_work\""
}

main_healthy "${@:?usage: make bench-healthy DATA=\"folders with labelled jobs\"}"
