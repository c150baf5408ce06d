#!/bin/bash
# rings.sh [DATA..]: every built-in pattern on successful jobs with the pool absent: nothing that other jobs log
# explains a text.
#
# DATA are folders of labelled jobs (see accuracy.sh), of which the successful ones are taken; by default the repository's own
# (test/data/development2). Successful jobs of each framework and dialect of test/generate are added, JOBS of each (default 2).
# A pattern matches a job where it matches one of its messages, each distinct one tried, unless a benign fault silences that. It
# rings where l4_match_faults, without a pool, still reports the fault, whatever its role: what the job outlived does not ring.
# Prints how many patterns match and ring in how many jobs, each ring with a text, and what matches alone, by fault. Fails where
# there are more than MOST rings (default 6).
set -euo pipefail
. "$(dirname "$0")/generated.sh"
. "$(dirname "$0")/accuracy.sh"

make_successful() {
	local kind number
	for kind in megatron deepspeed torchtitan ascend house-0 house-1 house-2; do
		for number in $(seq "${JOBS:-2}"); do
			case $kind in
				house-*) make_job "$kind" "ok$number" $((200 + number)) --dialect "${kind#house-}" --step-ms 400 \
					--iterations 120 ;;
				*) make_job "$kind" "ok$number" $((200 + number)) --bytes 2M ;;
			esac
		done
	done
}

main_rings() {
	local home=${PGDATABASE:-postgres}
	NODES=${NODES:-8} RANKS=${RANKS:-4}
	prepare
	make_successful
	read_jobs "$data" "$@"
	run_psql -c "DELETE FROM bench_job WHERE job ->> 'status' <> 'success'"
	jobs_of all > "$work/list"
	create_group "${home}_work"
	run_psql -v most="${MOST:-6}" -f "$here/rings.sql"
}

[ $# -gt 0 ] || set -- "$(cd "$(dirname "$0")/../.." && pwd)/test/data/development2"
main_rings "$@"
