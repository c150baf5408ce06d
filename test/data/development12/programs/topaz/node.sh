#!/bin/bash
# on each machine: node.sh MACHINES PER ATTEMPTS MAIN
cd /workspace
export TZ=JST-9
h=$(hostname)
[ -r node-$h.env ] && . ./node-$h.env
r=$(($(grep -n "^$h$" hosts.txt | cut -d: -f1) - 1))
[ "$2" = 1 ] && np= || np="--num_processes $(($1 * $2))"
exec python3 -u -m topaz.launch --num_machines $1 --machine_rank $r $np --main_process_ip $4 --max_attempts $3 topaz.train
