#!/bin/bash
# on each node, by capistrano: node.sh INDEX PER NODES ATTEMPT
cd /workspace
. ./site.env
[ -r node-$(hostname).env ] && . ./node-$(hostname).env
declare -A stage
for ((i = 0; i < $2; i++)); do
	k=$(($1 * $2 + i))
	RANK=$k WORLD_SIZE=$(($2 * $3)) WREN_ATTEMPT=$4 ruby -W:deprecated wren.rb 2>&1 &
	stage[$!]=$k
done
rc=0
while ((${#stage[@]})); do
	wait -n -p pid; c=$?
	unset "stage[$pid]"
	if [ $c != 0 ] && [ $rc = 0 ]; then
		rc=$c
		for p in "${!stage[@]}"; do sleep 4; kill $p 2>/dev/null; done
	fi
done
exit $rc
