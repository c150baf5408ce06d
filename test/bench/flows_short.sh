#!/bin/bash
# flows_short.sh [SCENARIO..]: what is said of windows that are shorter than they should be. Nothing wrong may be.
#
# SCENARIO   as of flows.sh, also healthyN (default: windows of many parallelisms without a fault, of both simulators).
# SEED, OTHER_SEED, HEALTHY   of the simulators, as there.
# SHOW=1     prints the findings.
#
# Of each window those parts are asked for that last 1 to 6 (and 8 and 12) steps of the job with the shortest and of that with
# the longest ones, from two moments on: to other jobs these are fewer steps, or more. One line for each number of steps:
# windows asked, findings (all wrong, as no window has a fault), adjusted Rand index of jobs, share of pairs of the right kind
# among those said, steps said that are none (%), share of windows whose job with that step is said to have one, and the most
# that its step was off (%), where one was said.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/flows_window.sh"
make -s -C "$generator" flows
run -f "$here/flows.sql" -f "$here/flows_short.sql"
[ $# -gt 0 ] || set -- ${SCENARIOS:-$(seq -f 'healthy%.0f' 1 "${HEALTHY:-6}") \
	small clean8 lossy fsdp experts contexts interleaved \
	tree hierarchical zero_bubble norm pauses merged other1 other2 other6 other10 other11 other12 other13 other14}
for name in "$@"; do
	generate "$name"
	load false
	run -v scenario="$name" -c 'SELECT bench.ask_short_windows()' > /dev/null
	run -v scenario="$name" <<< "SELECT bench.short_line(:'scenario')"
	[ -z "${SHOW:-}" ] || run -c 'SELECT bench.short_findings()'
	run -c 'INSERT INTO bench.short_all TABLE bench.short; TRUNCATE bench.short, bench.short_finding' > /dev/null
done
run -c 'SELECT bench.short_head()' -c 'SELECT bench.short_summary()'
