#!/bin/bash
# start.sh PER_NODE [OPTION..]: what pdsh runs on every node: a process for each local rank.
ulimit -c 0
per=$1; shift
node=$(($(grep -n -x "$(hostname)" hosts | cut -d: -f1) - 1))
export WORLD_SIZE=$(($(wc -l < hosts) * per)) MASTER_ADDR=$(head -n 1 hosts) MASTER_PORT=29811 OMP_NUM_THREADS=1 USE_LIBUV=0
export GLOO_SOCKET_IFNAME=eth0 PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
[ -f "/run/job.env" ] && . /run/job.env
for ((l = 0; l < per; l++)); do
	RANK=$((node * per + l)) LOCAL_RANK=$l python3 train_moe.py "$@" &
	pids[l]=$!
done
worst=0
for p in "${pids[@]}"; do
	wait "$p" || worst=$?
done
exit $worst
