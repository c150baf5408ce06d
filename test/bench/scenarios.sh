#!/bin/bash
# scenarios.sh: accuracy.sh over jobs of every scenario of test/generate (classes of failures told in the words of a made-up
# framework), in several dialects with other words and another seed each, beside three successful jobs of each dialect; and by
# class, what accuracy.sh does not measure (scenarios.sql).
#
# NODES      nodes of a job (default 16), RANKS ranks of each (default 4); a few classes are of fewer nodes
# DIALECTS, CLASSES   lists, if not "0 1 2" and all; only dialect 0 counts its progress in a way that an iteration rule knows
# KEEP       a folder that does not exist yet: the jobs stay there, in the layout of accuracy.sh's DATA
#
# As with generated.sh, figures say that a class is understood, in words that no rule was written for, not how often it will be
# in life. Options of accuracy.sh (NO_POOL=1, SHOW="house-1-third") work here too.
set -euo pipefail

NODES=${NODES:-16} RANKS=${RANKS:-4}
. "$(dirname "$0")/generated.sh"
. "$(dirname "$0")/accuracy.sh"

measure_more() {
	run_psql -f "$here/scenarios.sql" -c "\\copy bench_more to '$work/more'"
	cat "$work/more" >> "$work/all_more"
}

show_more() {
	run_psql -c "CREATE TABLE bench_more (job_id text, fault text, named float8, rank float8, root_first float8,
			component float8, attempt float8)" -c "\\copy bench_more from '$work/all_more'" -f "$here/scenarios_show.sql"
}

main_scenarios() {
	local dialect class number seed
	prepare
	for dialect in ${DIALECTS:-0 1 2}; do
		for number in 1 2 3; do
			make_job "house-$dialect" "ok$number" $((100 + number)) --dialect "$dialect" --step-ms 400 \
				--iterations $((100 + 20 * number)) --shared "$([ $number = 3 ] && echo yes || echo no)"
		done
		number=0
		for class in ${CLASSES:-$("$work/generate" --list)}; do
			number=$((number + 1))
			seed=$((1000 * (dialect + 1) + number))
			make_job "house-$dialect" "$class" $seed --dialect "$dialect" --step-ms 400 --iterations $((90 + seed * 37 % 61)) \
				--fault "$class" --fault-node $((seed * 7 % NODES))
		done
	done
	MODE=family main_accuracy "$data"
}

main_scenarios
