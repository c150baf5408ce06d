#!/bin/bash
# launch.sh NODES NODE RANKS PROGRAM ARGUMENT..: starts the ranks of this node, each with an output of its own, and waits.
# When a rank fails the others of the node get 8 seconds to end; then all are started again, $RETRIES times at most.
nodes=$1 node=$2 ranks=$3
shift 3
export WORLD_SIZE=$((nodes * ranks)) MASTER_ADDR=node-00 MASTER_PORT=29511
declare -A rank_of
say() { echo "[$(date '+%m/%d %T')] launch@$(hostname): $*"; }
trap 'say "terminated, ranks are asked to end"; RETRIES=0; kill -TERM "${!rank_of[@]}" 2>/dev/null' TERM

run_once() {
	local i rank pid status
	worst=0
	for ((i = 0; i < ranks; i++)); do
		rank=$((node * ranks + i))
		RANK=$rank LOCAL_RANK=$i python3 "$@" >> "$LOG_DIR/out.$rank" 2>&1 &
		rank_of[$!]=$rank
		say "rank $rank has pid $!"
	done
	while [ ${#rank_of[@]} -gt 0 ]; do
		wait -n -p pid "${!rank_of[@]}"
		status=$?
		[ -n "$pid" ] || continue
		say "rank ${rank_of[$pid]} ended with status $status"
		unset "rank_of[$pid]"
		if [ $status -ne 0 ] && [ $worst = 0 ]; then
			worst=$status
			[ ${#rank_of[@]} = 0 ] || (sleep 8; kill -TERM "${!rank_of[@]}" 2>/dev/null) &
		fi
	done
}

run_once "$@"
while [ $worst != 0 ] && [ $((RETRIES--)) -gt 0 ]; do
	say "failed with status $worst, ranks are started again in 4 seconds"
	sleep 4
	run_once "$@"
done
say "node is through, status $worst"
exit $worst
