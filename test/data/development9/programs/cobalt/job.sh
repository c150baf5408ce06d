#!/bin/bash
# on each node: the workers that ring.hosts gives to this node
. /workspace/site.env
cd /workspace
me=$(hostname); k=0; mine=; bad=0
while read -r h; do [ "$h" = "$me" ] && mine="$mine $k"; k=$((k + 1)); done < ring.hosts
ulimit -c 0
declare -A pid
for k in $mine; do ( ./cobalt $k; rc=$?; [ $rc = 0 ] && touch /mnt/dfs/out/finished.$k; exit $rc ) & pid[$k]=$!; done
for k in $mine; do wait ${pid[$k]}; rc=$?; [ $rc = 0 ] || { echo "job.sh: worker $k on $me exited with status $rc"; bad=1; }; done
exit $bad
