#!/bin/bash
# generated.sh: accuracy.sh over generated jobs: each fault of test/generate in each of its frameworks, and two successful jobs
# of each framework.
#
# NODES   nodes of a job (default 16), RANKS ranks of each (default 8)
# BYTES   of a job (default 25M)
# FRAMEWORKS, FAULTS   lists, if not all
# KEEP    a folder that does not exist yet: the jobs stay there, in the layout of accuracy.sh's DATA
#
# The logs are made up and cleaner than real ones: they show whether a kind of fault is understood at all, in every framework's
# words, not how often it will be in life. Options of accuracy.sh (NO_POOL=1, POOL=1, SHOW=...) work here too.
# scenarios.sh takes its functions from here.
set -euo pipefail

# One job: its folder with labels and the archive of its logs. $1 framework, $2 name, $3 seed, then options.
make_job() {
	local job=$1-$2 folder=$data/$1/$1-$2
	mkdir -p "$folder"
	"$work/generate" --out "$work/$job" --job "$job" --framework "${1%%-*}" --nodes "${NODES:-16}" \
		--ranks-per-node "${RANKS:-8}" --seed "$3" --labels "$folder/job.json" "${@:4}" > /dev/null
	tar -czf "$folder/$job.tar.gz" -C "$work" "$job"
	rm -rf "${work:?}/$job"
}

prepare() {
	top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
	work=${work:-$(mktemp -d "${L4_WORK:-/tmp}/generated.XXXXXX")}
	chmod 755 "$work"
	trap 'rm -rf "$work"' EXIT
	data=${KEEP:-$work/data}
	cc -O2 -D_GNU_SOURCE -o "$work/generate" "$top"/test/generate/*.c
}

main_generated() {
	local framework fault number
	prepare
	for framework in ${FRAMEWORKS:-megatron deepspeed torchtitan ascend}; do
		make_job "$framework" ok1 101 --bytes "${BYTES:-25M}"
		make_job "$framework" ok2 102 --bytes "${BYTES:-25M}"
		number=0
		for fault in ${FAULTS:-xid79 ecc link_down cuda_oom disk_full kill hang node_down storage_stall loss_nan straggler}; do
			number=$((number + 1))
			make_job "$framework" "$fault" "$number" --bytes "${BYTES:-25M}" --fault "$fault" \
				--fault-node $((number % ${NODES:-16}))
		done
	done
	MODE=family "$top/test/bench/accuracy.sh" "$data"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
	main_generated
fi
