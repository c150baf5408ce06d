#!/bin/bash
# on each node, by ansible: start.sh INDEX PER NODES MASTER
cd /workspace
[ -r node-$(hostname).env ] && . ./node-$(hostname).env
n=$(($(cat /run/heron-attempt 2>/dev/null || echo 0) + 1)); echo $n > /run/heron-attempt
export HERON_ATTEMPT=$n MASTER_ADDR=$4 MASTER_PORT=$((29600 + n)) WORLD_SIZE=$(($2 * $3)) USE_LIBUV=0 GLOO_SOCKET_IFNAME=eth0 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
declare -A rank
for ((i = 0; i < $2; i++)); do
	k=$(($1 * $2 + i))
	RANK=$k python3 -u -m heron.main >> /var/log/job/rank$k.log 2>&1 &
	rank[$!]=$k
done
rc=0
while ((${#rank[@]})); do
	wait -n -p pid; c=$?
	echo "rank ${rank[$pid]} (pid $pid) exited with $c"
	unset "rank[$pid]"
	if [ $c != 0 ] && [ $rc = 0 ]; then
		rc=$c
		for p in "${!rank[@]}"; do sleep 3; kill $p 2>/dev/null && echo "rank ${rank[$p]} (pid $p) terminated"; done
	fi
done
exit $rc
